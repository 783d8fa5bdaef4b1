"""Pictures of modes and of responses, by matplotlib. Functions return a Figure; `plot.save` writes it."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.plot.lines import BED, COLOURS, WATER, empty_figure
from ropewalk.plot.outlines import hull_outline

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from ropewalk.spec.system import System

Numbers = np.ndarray[Any, Any]

SHOWN = 9  # modes in one picture
COLUMNS = 3
SIZE = 0.08  # of the diagonal of the case at rest: largest displacement drawn
TURN = 0.4  # rad: largest rotation of a body drawn
REST, QUARTER = "#b8bec4", "#b03a2e"  # colours of the rest and of the shape a quarter of a period later
ACROSS = 0.5  # share of the motion out of the side view above which a mode is shown from above
SEVERAL_SIZES = 30.0  # largest over smallest of the curves of one picture above which its axis is logarithmic
SHOWN_CURVES = 10  # in one panel; more would hide the picture


def draw_modes(dataset: xr.Dataset, count: int = SHOWN) -> Figure:
    """Small pictures of the first modes over the equilibrium, from the side, or from above where that shows more.

    Undamped: the shape and, dotted, its opposite. With damping: the shape and, red, a quarter of a period later.
    """
    shown = min(count, dataset.sizes["mode"])
    columns = min(COLUMNS, shown)
    rows = math.ceil(shown / columns)
    figure = empty_figure(3.9 * columns, 2.9 * rows + 0.5)
    scene = _Scene(dataset)
    for k in range(shown):
        scene.draw(figure.add_subplot(rows, columns, k + 1), k)
    figure.suptitle(f"{dataset.attrs.get('title') or 'modes'}: equilibrium {dataset.attrs['stability']}", fontsize=11)
    return figure


class _Scene:
    """The case at rest and how to look at it."""

    def __init__(self, dataset: xr.Dataset) -> None:
        from ropewalk.io.netcdf import system_of

        self.data, self.system = dataset, system_of(dataset)
        names = ("rest_position", "rest_point_position", "rest_body_position", "rest_net_position")
        self.places = np.concatenate([dataset[name].values for name in names if name in dataset])
        spread = self.places - self.places.mean(axis=0)
        self.size = float(np.linalg.norm(np.ptp(self.places, axis=0))) or 1.0
        _, widths, directions = np.linalg.svd(np.vstack([spread[:, :2], np.zeros((2, 2))]), full_matrices=False)
        along = (
            np.array([1.0, 0.0]) if widths[1] > 0.9 * widths[0] else directions[0] * (1 - 2 * (directions[0, 0] < 0))
        )
        self.side = np.array([[along[0], along[1], 0.0], [0.0, 0.0, 1.0]])
        self.across = np.array([-along[1], along[0], 0.0])

    def draw(self, axes: Any, k: int) -> None:
        """One mode."""
        mode = self.data.isel(mode=k)
        names = ("position", "point_position", "body_motion", "net_position")
        moves = [mode[name].values[..., :3] for name in names if name in mode]
        motion = np.concatenate([m.reshape(-1, 3) for m in moves])
        total = float(np.sum(np.abs(motion) ** 2)) or 1.0
        turned = float(np.sum(np.abs(motion @ self.across) ** 2)) / total > ACROSS and self._is_wide()
        plane = np.eye(2, 3) if turned else self.side
        largest = float(np.max(np.linalg.norm(np.abs(motion), axis=1), initial=0.0))
        turn = np.abs(mode["body_motion"].values[:, 3:]) if "body_motion" in mode else np.zeros((1, 3))
        scale = 1.0 / max(largest / (SIZE * self.size), float(np.max(turn)) / TURN, np.finfo(float).tiny)
        if turned:
            axes.set_xlabel("x (m), from above", fontsize=7)
        else:
            _sea(axes, self.system, float(self.places[:, 2].min()))
            axes.set_xlabel("x (m)" if abs(plane[0, 1]) < 1e-2 else "horizontal distance (m)", fontsize=7)
        axes.set_ylabel("y (m)" if turned else "z (m)", fontsize=7)
        self._shape(axes, mode, plane, 0.0, {"color": REST, "lw": 1.2, "zorder": 1})
        if np.iscomplexobj(motion):
            self._shape(axes, mode, plane, -1j * scale, {"color": QUARTER, "lw": 1.0, "ls": "--", "zorder": 2})
        else:
            self._shape(axes, mode, plane, -scale, {"color": COLOURS[0], "lw": 0.8, "ls": ":", "zorder": 2})
        self._shape(axes, mode, plane, scale, {"color": COLOURS[0], "lw": 1.4, "zorder": 3})
        axes.set_title(_caption(mode, k), fontsize=8)
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
        axes.tick_params(labelsize=6)

    def _is_wide(self) -> bool:
        """False if from above there is nothing to see: a case on one vertical."""
        return bool(np.max(np.ptp(self.places[:, :2], axis=0)) > SIZE * self.size)

    def _shape(self, axes: Any, mode: xr.Dataset, plane: Numbers, factor: complex, style: dict[str, Any]) -> None:
        """Lines, points, bodies and nets displaced by `factor` times the mode."""
        from scipy.spatial.transform import Rotation

        if "rest_position" in mode:
            place = mode["rest_position"].values + np.real(factor * mode["position"].values)
            line = mode["node_line"].values
            for name in dict.fromkeys(line.tolist()):
                axes.plot(*(place[line == name] @ plane.T).T, **style)
        if "rest_point_position" in mode:
            place = mode["rest_point_position"].values + np.real(factor * mode["point_position"].values)
            axes.plot(*(place @ plane.T).T, "o", color=style["color"], ms=2.0, zorder=style["zorder"])
        if "rest_net_position" in mode:
            place = (mode["rest_net_position"].values + np.real(factor * mode["net_position"].values)) @ plane.T
            ends = place[np.stack([mode["twine_a"].values, mode["twine_b"].values])]  # (2, n, 2)
            axes.plot(ends[:, :, 0], ends[:, :, 1], **(style | {"lw": 0.5 * style["lw"]}))
        if "rest_body_position" in mode:
            for k, body in enumerate(mode["body"].values):
                moved = np.real(factor * mode["body_motion"].values[k])
                for outline in self._outlines(str(body), mode["rest_body_quaternion"].values[k], plane):
                    turned = Rotation.from_rotvec(moved[3:]).apply(outline)  # hulls keep their shape
                    place = mode["rest_body_position"].values[k] + moved[:3] + turned
                    if len(place) > 1:
                        axes.plot(*(place @ plane.T).T, **style)
                    else:
                        axes.plot(*(place @ plane.T).T, "s", color=style["color"], ms=4.0, zorder=style["zorder"])

    def _outlines(self, name: str, quaternion: Numbers, plane: Numbers) -> list[Numbers]:
        """(n, 3) outlines of hulls from the body's origin, in the world; without one its attachments, or one place."""
        from ropewalk.model.state import rotation_matrix

        body, R = self.system.bodies[name], rotation_matrix(quaternion)
        if body.all_hulls:
            return [hull_outline(hull, R, plane) for hull in body.all_hulls]
        if len(body.attachments) < 2:
            return [np.zeros((1, 3))]
        star = [p for arm in body.attachments.values() for p in (np.zeros(3), R @ np.array(arm))]
        return [np.array(star)]


def _caption(mode: xr.Dataset, k: int) -> str:
    period, growth = float(mode["period"]), float(mode["growth"])
    if growth > 0.0:
        swing = f"growth rate {growth:.3g} 1/s"
    elif math.isfinite(period):
        swing = f"{period:.4g} s"
    else:
        swing = "drifts" if growth == 0.0 else f"decay rate {-growth:.3g} 1/s"
    return f"{k + 1}: {swing}, {mode['dominant'].values}"


def _sea(axes: Any, system: System, lowest: float) -> None:
    environment = system.environment
    if environment.water_density > 0.0:
        axes.axhline(0.0, color=WATER, lw=0.8, zorder=0)
    if environment.depth is not None and lowest < -0.5 * environment.depth:
        axes.axhline(-environment.depth, color=BED, lw=1.2, zorder=0)


def draw_response(dataset: xr.Dataset) -> Figure:
    """Amplitudes over frequency per unit of the drive: motions of bodies and points, tensions at the ends of lines.

    By both methods: direct as lines, time as dots. Without a drive: the components of the case's own sea.
    """
    drive = json.loads(dataset.attrs["settings"]).get("drive")
    panels = [
        panel
        for panel in (_bodies(dataset, 0), _bodies(dataset, 3), _points(dataset), _nets(dataset), _tensions(dataset))
        if panel
    ]
    figure = empty_figure(8.5, 2.7 * len(panels) + 0.4)
    for k, (title, unit, curves) in enumerate(panels):
        axes = figure.add_subplot(len(panels), 1, k + 1)
        _curves(axes, dataset, curves, drive)
        axes.set(ylabel=f"{unit}{_per(drive)}")
        axes.set_title(title, fontsize=9, loc="left")
        axes.grid(color="#e4e7ea", lw=0.6)
        if k == len(panels) - 1:
            axes.set_xlabel("frequency (rad/s)")
    figure.suptitle(dataset.attrs.get("title") or "response", fontsize=11)
    return figure


Panel = tuple[str, str, list[tuple[str, Numbers]]]  # title, unit, curves: name and (case, frequency) amplitudes


def _amplitude(dataset: xr.Dataset, name: str) -> Numbers:
    """(case, frequency, ...) amplitudes; one case unless there are two methods."""
    values = np.abs(dataset[name].values)
    return values if "case" in dataset.dims else values[None]


def _bodies(dataset: xr.Dataset, first: int) -> Panel | None:
    if "body_motion" not in dataset:
        return None
    motion = _amplitude(dataset, "body_motion")
    factor = 1.0 if first == 0 else 180.0 / math.pi
    several = dataset.sizes["body"] > 1
    curves = [
        (
            f"{body} {dataset['dof'].values[i]}" if several else str(dataset["dof"].values[i]),
            factor * motion[:, :, b, i],
        )
        for b, body in enumerate(dataset["body"].values)
        for i in range(first, first + 3)
    ]
    title = "translation of bodies" if first == 0 else "rotation of bodies"
    return _worth(title, "m" if first == 0 else "deg", curves)


def _points(dataset: xr.Dataset) -> Panel | None:
    if "point_position" not in dataset:
        return None
    motion = _amplitude(dataset, "point_position")
    curves = [
        (f"{point} {dataset['axis'].values[i]}", motion[:, :, p, i])
        for p, point in enumerate(dataset["point"].values)
        for i in range(3)
    ]
    return _worth("motion of points", "m", curves)


def _nets(dataset: xr.Dataset) -> Panel | None:
    if "net_position" not in dataset:
        return None
    motion, net = _amplitude(dataset, "net_position"), dataset["knot_net"].values
    curves = [
        (f"{name} {dataset['axis'].values[i]}", motion[:, :, net == name, i].max(axis=2))
        for name in dict.fromkeys(net.tolist())
        for i in range(3)
    ]
    return _worth("largest motion of the knots of nets", "m", curves)


def _tensions(dataset: xr.Dataset) -> Panel | None:
    if "tension" not in dataset:
        return None
    tension, line = 1e-3 * _amplitude(dataset, "tension"), dataset["node_line"].values
    curves = []
    for name in dict.fromkeys(line.tolist()):
        nodes = np.flatnonzero(line == name)
        curves += [(f"{name} A", tension[:, :, nodes[0]]), (f"{name} B", tension[:, :, nodes[-1]])]
    return _worth("dynamic tension at the ends of lines", "kN", curves)


def _worth(title: str, unit: str, curves: list[tuple[str, Numbers]]) -> Panel | None:
    """The panel with its largest curves; nothing that does not move."""
    peaks = [float(np.max(values, initial=0.0)) for _, values in curves]
    most = max(peaks, default=0.0)
    kept = [k for k in np.argsort(peaks)[::-1] if peaks[k] > 1e-6 * most][:SHOWN_CURVES]  # round-off of symmetry
    return (title, unit, [curves[k] for k in sorted(kept)]) if kept else None


def _curves(axes: Any, dataset: xr.Dataset, curves: list[tuple[str, Numbers]], drive: dict[str, Any] | None) -> None:
    omega = dataset["frequency"].values
    cases = [str(c) for c in dataset["case"].values] if "case" in dataset.dims else [""]
    by_time = json.loads(dataset.attrs["settings"]).get("method") == "time"
    peaks = []
    for k, (name, values) in enumerate(curves):
        colour = COLOURS[k % len(COLOURS)]
        for c, case in enumerate(cases):
            y = values[c] / (1.0 if drive is None else drive["amplitude"] or 1.0)
            is_time = case == "time" or by_time
            style = "." if drive is None else ("o" if is_time else "-")  # components of a sea stand by themselves
            axes.plot(
                omega, y, style, ms=4, lw=1.3, color=colour, label=f"{name} ({case})" if is_time and case else name
            )
            peaks += [float(np.max(y)), *([float(np.median(y))] if drive is None else [])]
    if max(peaks) > SEVERAL_SIZES * min(peaks):
        axes.set_yscale("log")
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _per(drive: dict[str, Any] | None) -> str:
    if drive is None:
        return ""
    turned = drive["direction"] in ("roll", "pitch", "yaw")
    if drive["kind"] == "force":
        return " per N m" if turned else " per N"
    return " per rad" if turned and drive["kind"] == "motion" else " per m"
