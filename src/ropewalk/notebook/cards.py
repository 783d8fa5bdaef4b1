"""Cards: what a result is in one look, as a notebook shows it. A title, a drawing, tables, doubts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.notebook.html import card as whole
from ropewalk.notebook.html import doubt_list, newtons, note, table
from ropewalk.notebook.sketch import chart, drawing, side_view
from ropewalk.spec.system import System, counted

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.analysis.equilibria import EquilibriumSet
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.solve_for import Design
    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.analysis.verify import Verification

SHOWN_CURVES = 4  # of a response
ROUND_OFF = 1e-6  # of the largest amplitude: motions that symmetry forbids


def card(result: Any) -> str:
    """The card of any case or result."""
    from ropewalk.analysis.equilibria import EquilibriumSet
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.solve_for import Design
    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.analysis.verify import Verification

    if isinstance(result, System):
        return of_system(result)
    if isinstance(result, Equilibrium):
        return of_equilibrium(result)
    if isinstance(result, EquilibriumSet):
        return of_equilibria(result)
    if isinstance(result, Floating):
        return of_floating(result)
    if isinstance(result, Verification):
        return of_verification(result)
    if isinstance(result, Design):
        return of_design(result)
    return of_dataset(result)


def kind_of(dataset: xr.Dataset) -> str:
    """Which question a Dataset answers: run, equilibrium, modes, response, state space, sweep; empty for none."""
    dims = set(dataset.dims)
    if {"state", "state_from"} <= dims:
        return "state space"
    if "case" in dims and "status" in dataset:
        return "sweep"
    for dim, kind in (("mode", "modes"), ("frequency", "response")):
        if dim in dims:
            return kind
    if "time" in dims:
        at_rest = dataset.sizes["time"] == 1 and "statics" in dataset.attrs.get("created_by", "")
        return "equilibrium" if at_rest else "run"
    return ""


def headline(dataset: xr.Dataset) -> str:
    """A result in one line: what it is, how large, how it ended."""
    from ropewalk.io.messages import one_line

    kind = kind_of(dataset)
    counts = [(dim, int(dataset.sizes[dim])) for dim in ("line", "body", "net", "mode", "frequency", "case", "state")
              if dim in dataset.sizes]  # fmt: skip
    parts = ", ".join(f"{n} {_plural(dim, n)}" for dim, n in counts)
    if kind == "run":
        time = dataset["time"].values
        span = f"{time[0]:g} to {time[-1]:g} s in {time.size} records" if time.size else "no records"
        parts = f"{span}; {parts}"
    status = dataset.attrs.get("status", "done")
    return f"{kind or 'Dataset'}: {parts}" + ("" if status == "done" else f"; {one_line(str(status))}")


def _plural(word: str, n: int) -> str:
    if n == 1:
        return word
    return {"body": "bodies", "frequency": "frequencies"}.get(word, word + "s")


# --- a case, and one kind of result each ---


def of_system(system: System) -> str:
    """The parts of a case as given, lines straight between their ends; nothing is computed for it."""
    from ropewalk.model.model import build
    from ropewalk.model.state import initial_state
    from ropewalk.results.record import dataset_of

    picture = ""
    if not system.rods:
        model = build(system)
        state = initial_state(model)
        picture = side_view(dataset_of(model.names, [state], {}, model.nets, model.lines), bed=_bed(system))
    sea = system.environment
    said = "no depth given" if sea.depth is None else f"{sea.depth:g} m of water"
    lines = [
        (name, line.from_, line.to, f"{line.length:.6g}", ", ".join(dict.fromkeys(p.section for p in line.pieces)))
        for name, line in system.lines.items()
    ]
    bodies = [(name, f"{body.mass:.6g}", *(f"{x:.6g}" for x in body.position)) for name, body in system.bodies.items()]
    return whole(
        system.title or "case",
        note(f"{counted(system)}; {said}"),
        picture,
        note("as given: lines straight between their ends" if picture and lines else ""),
        table(("line", "from", "to", "length (m)", "sections"), lines),
        table(("body", "mass (kg)", "x (m)", "y (m)", "z (m)"), bodies),
    )


def of_equilibrium(result: Equilibrium) -> str:
    """Ends of lines, places of bodies."""
    summary, report = result.summary, result.report
    lines = [
        (name, newtons(line["end_a"]["tension"]), newtons(line["end_b"]["tension"]),
         f"{line['end_a']['declination']:.2f}", f"{line['end_b']['declination']:.2f}", f"{line['grounded_length']:.1f}")
        for name, line in summary["lines"].items()
    ]  # fmt: skip
    bodies = [
        (name, *(f"{x + 0.0:.3f}" for x in body["position"]), *(f"{a + 0.0:.2f}" for a in body["attitude"]))
        for name, body in summary["bodies"].items()
    ]
    said = (
        f"{report.status.value} by {result.method}: residual force {report.residual_force:.2g} N, "
        f"closure error {report.residual_position:.2g} m"
    )
    return whole(
        result.system.title or "equilibrium",
        note(said), note(report.message),
        side_view(result.to_dataset(), bed=_bed(result.system)),
        table(("line", "tension A", "tension B", "declination A (deg)", "B (deg)", "grounded (m)"), lines),
        table(("body", "x (m)", "y (m)", "z (m)", "roll (deg)", "pitch (deg)", "yaw (deg)"), bodies),
        doubt_list(result.doubts),
    )  # fmt: skip


def of_equilibria(result: EquilibriumSet) -> str:
    """One row per equilibrium."""
    rows = [
        (k, one.label, "unknown" if one.spectrum is None else one.spectrum.sentence,
         "-" if one.energy is None else f"{one.energy:.4g}")
        for k, one in enumerate(result, start=1)
    ]  # fmt: skip
    columns = ("", "equilibrium", "stability", "energy (J)")
    said = note(f"found from {result.starts} starts; there may be more")
    return whole(result.system.title or "equilibria", said, table(columns, rows), doubt_list(result.doubts))


def of_dataset(dataset: xr.Dataset) -> str:
    """A result as a Dataset."""
    kind = kind_of(dataset)
    title = dataset.attrs.get("title") or kind or "result"
    parts = {"run": _run, "equilibrium": _run, "modes": _modes, "response": _response, "sweep": _sweep}
    inside = parts[kind](dataset) if kind in parts else ""
    from ropewalk.analysis.doubts import of_attributes

    doubts = doubt_list(of_attributes(dataset.attrs)) if "doubts" in dataset.attrs else ""
    return whole(str(title), note(headline(dataset)), inside, doubts)


def _run(dataset: xr.Dataset) -> str:
    rows = []
    said = ""
    if "end_tension" in dataset and dataset.sizes["time"]:
        counted, said = _counted(dataset)
        for line in dataset["line"].values:
            for end in dataset["end"].values:
                values = counted["end_tension"].sel(line=line, end=end).values
                rows.append((f"{line} {end}", newtons(values.mean()), newtons(values.min()), newtons(values.max())))
    picture = side_view(dataset, bed=_bed_of(dataset)) if dataset.sizes["time"] else ""
    return picture + table(("end of line", "mean tension", "least", "largest"), rows) + note(said)


def _counted(dataset: xr.Dataset) -> tuple[xr.Dataset, str]:
    """The records that statistics are of, and a sentence where they are not all."""
    from ropewalk.errors import InputError
    from ropewalk.post.window import after_ramp

    try:
        counted = after_ramp(dataset)
    except InputError:
        return dataset, "the run ends within its start-up ramp, which is counted here"
    first = float(counted["time"].values[0])
    return counted, f"from t = {first:g} s on, after the start-up ramp" if len(counted.time) < len(dataset.time) else ""


def _modes(dataset: xr.Dataset) -> str:
    from ropewalk.analysis.modes import summary

    found = summary(dataset)
    rows = [
        (k + 1, "-" if row["period"] is None else f"{row['period']:.4g}", f"{row['omega']:.4g}",
         f"{100.0 * row['damping']:.3g}", row["dominant"])
        for k, row in enumerate(found["modes"])
    ]  # fmt: skip
    picture = side_view(dataset, "rest_position", _bed_of(dataset))
    columns = ("mode", "period (s)", "omega (rad/s)", "damping (%)", "dominant motion")
    return note(found["stability"]) + picture + table(columns, rows)


def _response(dataset: xr.Dataset) -> str:
    one = dataset.isel(case=0) if "case" in dataset.dims else dataset
    curves: dict[str, Any] = {}
    for name, owner, way in (("body_motion", "body", "dof"), ("point_position", "point", "axis")):
        if name in one:
            amplitude = np.abs(one[name].values)
            curves |= {
                f"{part} {label}": amplitude[:, i, j]
                for i, part in enumerate(one[owner].values)
                for j, label in enumerate(one[way].values)
            }
    peaks = {name: float(np.max(values, initial=0.0)) for name, values in curves.items()}
    least = ROUND_OFF * max(peaks.values(), default=0.0)
    largest = sorted((name for name in curves if peaks[name] > least), key=lambda name: -peaks[name])[:SHOWN_CURVES]
    omega = one["frequency"].values
    rows = [(name, f"{peaks[name]:.4g}", f"{omega[int(np.argmax(curves[name]))]:.4g}") for name in largest]
    picture = chart(omega, {name: curves[name] for name in largest}, "omega (rad/s)")
    return picture + table(("motion", "largest amplitude (m, rad)", "at omega (rad/s)"), rows)


def _sweep(dataset: xr.Dataset) -> str:
    if "status" not in dataset:
        return ""
    names, counts = np.unique(dataset["status"].values.astype(str), return_counts=True)
    factors = [
        str(name) for name, c in dataset.coords.items() if c.dims == ("case",) and name not in ("case", "status")
    ]
    rows = list(zip(names.tolist(), counts.tolist(), strict=True))
    return note(f"factors: {', '.join(factors) or 'none'}") + table(("status", "cases"), rows)


def of_floating(result: Floating) -> str:
    """Every pose of every rod."""
    from math import degrees

    rows = [
        (name, state.kind, f"{state.pose.heave:.4g}", f"{degrees(state.pose.roll) + 0.0:.3f}",
         f"{degrees(state.pose.pitch) + 0.0:.3f}", f"{state.pose.energy:.4g}")
        for name, found in result.items()
        for state in found.states
    ]  # fmt: skip
    said = [note(f"rod '{name}': {found.message}") for name, found in result.items()]
    columns = ("rod", "kind", "heave (m)", "roll (deg)", "pitch (deg)", "energy (J)")
    title = result.system.title or "floating rods"
    return whole(title, *said, _poses(result), table(columns, rows), doubt_list(result.doubts))


def _poses(result: Floating) -> str:
    """The axes of the stable poses side by side, from the side; the lowest of a rod that has none."""
    from ropewalk.plot.rod import rod_surface

    curves, at = {}, 0.0
    for name, found in result.items():
        stable = [state for state in found.states if state.stable] or list(found.states[:1])
        for k, state in enumerate(stable, start=1):
            axis = rod_surface(state.rod, state.pose).mean(axis=1)
            axis = np.column_stack([axis[:, 0] - axis[:, 0].min() + at, axis[:, 2]])
            curves[f"{name} {k}"] = axis
            at = float(axis[:, 0].max()) + 0.15 * state.rod.length
    return drawing(curves, np.zeros((0, 2)), {"still water": 0.0}) if curves else ""


def of_verification(result: Verification) -> str:
    """One row per method."""
    rows = [
        (row["method"], row["status"], _apart(row["position_difference"]), _apart(row["force_difference"]),
         f"{row['time']:.2g}")
        for row in result["methods"]
    ]  # fmt: skip
    columns = ("method", "status", "position (m)", "end force (N)", "time (s)")
    from ropewalk.analysis.doubts import Doubt

    doubts = doubt_list(Doubt(**doubt) for doubt in result.get("doubts", []))
    return whole(f"differences from '{result['reference']}'", table(columns, rows), note(result.sentence), doubts)


def of_design(result: Design) -> str:
    """What was varied, and the equilibrium that came of it."""
    rows = [(path, f"{value:.6g}") for path, value in result.values.items()]
    said = note(f"targets met after {result.iterations} iterations")
    return whole("design", said, table(("varied", "value"), rows), of_equilibrium(result.equilibrium))


def _apart(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _bed(system: Any) -> float | None:
    sea = system.environment
    return None if sea.depth is None or getattr(sea.seabed, "kind", "") == "none" else -float(sea.depth)


def _bed_of(dataset: xr.Dataset) -> float | None:
    from ropewalk.errors import InputError
    from ropewalk.io.netcdf import system_of

    try:
        return _bed(system_of(dataset))
    except InputError:
        return None
