"""Natural modes to scenes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import of_attributes
from ropewalk.viewer.build import from_equilibrium
from ropewalk.viewer.packing import Array
from ropewalk.viewer.scene import Facts, Frames, Mode, Named, Quantity, Scene, Variant

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.spec.system import System

NEGLIGIBLE = 1e-6  # of static tension per length: dynamic tension per metre of motion below it is round-off

SHAPES = {"position": "position", "tension": "tension", "points": "point_position", "bodies": "body_motion"}


def modes_of(system: System, count: int) -> Scene:
    """The `count` lowest modes of a case about its equilibrium; the last of them is shown first."""
    from ropewalk.analysis.modes import modes
    from ropewalk.analysis.statics import statics

    equilibrium = statics(system)
    scene = _scene(modes(equilibrium, count), equilibrium)
    return replace(scene, first=len(scene.variants) - 1)


def from_modes(dataset: xr.Dataset) -> Scene:
    """Mode shapes of a file; the equilibrium they belong to is solved again."""
    from ropewalk.analysis.statics import statics
    from ropewalk.io.netcdf import system_of

    return _scene(dataset, statics(system_of(dataset)))


def _scene(dataset: xr.Dataset, equilibrium: Equilibrium) -> Scene:
    rest = from_equilibrium(equilibrium)
    frames = rest.variants[0].frames
    scene = rest
    if "rest_position" in dataset:  # the modes have a mesh of their own
        place = dataset["rest_position"].values[None]
        frames = replace(frames, position=place, tension=np.zeros(place.shape[:2]))
        lines = dataset["node_line"].values.astype(str)
        counts = [int(np.count_nonzero(lines == part.name)) for part in rest.lines]
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        scene = replace(rest, line_start=start, s=dataset["s"].values)
    floor = NEGLIGIBLE * _stiffness_scale(equilibrium)
    variants = tuple(_variant(dataset, k, frames, rest.bodies, floor) for k in range(int(dataset.sizes["mode"])))
    told = f"about the equilibrium, which is {dataset.attrs['stability']}; the amplitude of a mode is arbitrary"
    return replace(
        scene,
        variants=variants,
        quantity=Quantity("dynamic tension, relative to its maximum", "", -1.0, 1.0, diverging=True),
        doubts=tuple(of_attributes(dataset.attrs)),
        notes=(told, *rest.notes),
    )


def _stiffness_scale(equilibrium: Equilibrium) -> float:
    """Largest tension over the length of the longest line, N/m."""
    tension = float(np.max(np.abs(equilibrium.state.tension), initial=0.0))
    return tension / (float(np.max(equilibrium.model.lines.length, initial=0.0)) or 1.0)


def _variant(dataset: xr.Dataset, k: int, frames: Frames, bodies: tuple[Named, ...], floor: float) -> Variant:
    """Mode k.  floor : N/m, dynamic tension per metre of motion that counts as none"""
    omega, growth = float(dataset["omega"][k]), float(dataset["growth"][k])
    period = float(dataset["period"][k])
    mode, per_metre = _mode(dataset, k, frames, bodies, floor)
    name = f"{period:.4g} s" if math.isfinite(period) else ("grows" if growth > 0.0 else "does not oscillate")
    facts: Facts = (
        ("period", f"{period:.5g} s" if math.isfinite(period) else "–"),
        ("frequency", f"{omega:.5g} rad/s"),
        ("damping", f"{100.0 * float(dataset['damping'][k]):.3g} % of critical"),
        ("equilibrium", "stable" if growth <= 0.0 else f"unstable, growth rate {growth:.3g} 1/s"),
        ("largest tension", f"{per_metre:.4g} N per metre" if per_metre > 0.0 else "none"),
    )
    return Variant(f"mode {k + 1}: {name}", frames, facts, mode=mode)


def _mode(dataset: xr.Dataset, k: int, frames: Frames, bodies: tuple[Named, ...], floor: float) -> tuple[Mode, float]:
    """Mode k with its tension over the largest, and that largest per metre of motion, N/m."""
    empty = {
        "position": frames.position[0],
        "tension": frames.tension[0],
        "points": frames.points[0],
        "bodies": np.zeros((len(bodies), 6)),
    }
    shape: dict[str, Any] = {
        name: dataset[source].values[k] if source in dataset else np.zeros_like(empty[name])
        for name, source in SHAPES.items()
    }
    reach = max((_motion(shape["position"]), _motion(shape["points"]), *_hulls(shape["bodies"], bodies))) or 1.0
    per_metre = float(np.max(np.abs(shape["tension"]), initial=0.0)) / reach
    if per_metre <= floor:
        per_metre = 0.0
    shape["tension"] = shape["tension"] / (per_metre * reach) if per_metre > 0.0 else 0.0 * shape["tension"]
    turn = float(np.max(np.linalg.norm(np.abs(shape["bodies"][:, 3:]), axis=1), initial=0.0))
    mode = Mode(
        1.0 / reach,
        turn,
        {name: np.real(values) for name, values in shape.items()},
        {name: np.imag(values) for name, values in shape.items()},
    )
    return mode, per_metre


def _motion(shape: Array) -> float:
    """Largest amplitude of the places of a shape, m."""
    return float(np.max(np.linalg.norm(np.abs(shape), axis=-1), initial=0.0))


def _hulls(motion: Array, bodies: tuple[Named, ...]) -> list[float]:
    """Largest amplitude of each hull, m; translation and rotation added."""
    reach = [0.0 if b.shape is None else float(np.max(np.linalg.norm(b.shape.vertices, axis=1))) for b in bodies]
    size = np.linalg.norm(np.abs(motion[:, :3]), axis=1) + np.linalg.norm(np.abs(motion[:, 3:]), axis=1) * reach
    return [float(x) for x in size]
