"""What is done with one case: the question is put, and its answer summed up in a few arrays with names."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.io import netcdf

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array
    from ropewalk.post.histories import History
    from ropewalk.results.record import Recorded
    from ropewalk.spec.system import System

STATISTICS = ("mean", "std", "min", "max")  # of every history of a run
TENSION_STATISTICS = (*STATISTICS, "significant", "tz", "mpm", "time_of_max")
MOST_RECORDS = 20_000  # of a run in memory; longer ones go through a file


@dataclass
class Summary:
    """A row of a sweep's result: arrays by name with their dimensions, and names along those."""

    variables: dict[str, tuple[tuple[str, ...], Array]] = field(default_factory=dict)
    labels: dict[str, list[str] | list[int]] = field(default_factory=dict)
    attrs: dict[str, dict[str, str]] = field(default_factory=dict)  # unit and meaning by variable
    doubts: list[dict[str, Any]] = field(default_factory=list)  # of the answer, as `Doubt.as_dict`

    def add(self, name: str, dims: tuple[str, ...], values: Any, unit: str, meaning: str) -> None:
        """Take one variable."""
        self.variables[name] = (dims, np.asarray(values, dtype=np.float64))
        self.attrs[name] = {"units": unit, "long_name": meaning}

    def take(self, dataset: xr.Dataset) -> None:
        """Take all of a Dataset of numbers without time."""
        for name, variable in dataset.data_vars.items():
            self.variables[str(name)] = (tuple(map(str, variable.dims)), np.asarray(variable.values, dtype=np.float64))
            self.attrs[str(name)] = {key: str(variable.attrs.get(key, "")) for key in ("units", "long_name")}
        for dim in dataset.sizes:
            self.labels[str(dim)] = dataset[dim].values.tolist()


Question = Callable[["System", Path | None], Summary]


def ask(do: str, system: System, output: Path | None) -> Summary:
    """Put a question to a case.  output : where the whole result is kept, if it is"""
    return QUESTIONS[do](system, output)


def _run(system: System, output: Path | None) -> Summary:
    from ropewalk.analysis.run import record, simulate
    from ropewalk.post.window import after_ramp, ramp_end, records_after

    assert system.run is not None
    if output is None and system.run.duration / system.record.every > MOST_RECORDS:
        with tempfile.TemporaryDirectory(prefix="ropewalk-sweep-") as folder:
            return _run(system, Path(folder) / "case.nc")
    if output is None:
        table, facts = record(system)
        summary = run_summary(records_after(table, ramp_end(system)))
    else:
        with simulate(system, output=output, progress=False) as dataset:
            summary, facts = run_summary(after_ramp(dataset, ramp_end(system))), dataset.attrs
    summary.doubts = json.loads(facts["doubts"])
    _strengths(system, summary)
    return summary


def run_summary(kept: Recorded) -> Summary:
    """Statistics of a run.  kept : its records after the ramp"""
    from ropewalk.post.histories import histories

    summary = _figures(histories(kept), kept.variables["time"].values)
    if "tension" in kept.variables:
        _along(kept.variables["tension"].values, kept.variables["node_line"].values, summary)
    return summary


def _figures(found: Mapping[str, History], time: Array) -> Summary:
    """Statistics of histories.  time : s, of their rows"""
    from ropewalk.post.statistics import attributes, figures_of

    summary = Summary()
    for history in found.values():
        figures = TENSION_STATISTICS if history.name == "end_tension" else STATISTICS
        summary.labels |= {dim: np.asarray(names).tolist() for dim, names in history.labels.items()}
        for figure, values in figures_of(history.values, time, figures).items():
            summary.variables[f"{history.name}_{figure}"] = (history.dims[1:], np.asarray(values, dtype=np.float64))
            summary.attrs[f"{history.name}_{figure}"] = attributes(history, figure)
    return summary


def _strengths(system: System, summary: Summary) -> None:
    """Breaking load of the weakest section of each line, which factors of a sweep may change."""
    from ropewalk.post.utilisation import breaking_loads

    names = [str(name) for name in summary.labels.get("line", ())]
    if names:
        summary.add("breaking_load", ("line",), breaking_loads(system, names), "N", "of the weakest section of a line")


def _along(tension: Array, owner: Any, summary: Summary) -> None:
    """Largest and smallest tension anywhere in each line.  tension : (n, n_nodes) N    owner : lines of the nodes"""
    if "line" not in summary.labels:
        return
    ends = {"largest": tension.max(axis=0), "smallest": tension.min(axis=0)}
    for word, short, pick in (("largest", "max", np.max), ("smallest", "min", np.min)):
        values = [float(pick(ends[word][owner == name])) for name in summary.labels["line"]]
        summary.add(f"tension_{short}", ("line",), values, "N", f"{word} effective tension anywhere in the line")


def _static(system: System, output: Path | None) -> Summary:
    from ropewalk.analysis.statics import statics

    equilibrium = statics(system)
    if output is not None:
        netcdf.write(equilibrium.to_dataset(), output)
    found, state, names = equilibrium.summary, equilibrium.state, equilibrium.model.names
    summary = Summary(labels={"axis": ["x", "y", "z"]}, doubts=[doubt.as_dict() for doubt in equilibrium.doubts])
    if names.lines:
        summary.labels |= {"line": list(names.lines), "end": ["A", "B"]}
        lines = [found["lines"][name] for name in names.lines]
        ends = [[line["end_a"], line["end_b"]] for line in lines]
        by_end = ("line", "end")
        summary.add("end_tension", by_end, [[e["tension"] for e in pair] for pair in ends], "N", "tension at the ends")
        summary.add("end_force", (*by_end, "axis"), [[e["force"] for e in pair] for pair in ends], "N",
                    "force of lines on the supports of their ends")  # fmt: skip
        summary.add("declination", by_end, [[e["declination"] for e in pair] for pair in ends], "degree",
                    "angle from the horizontal")  # fmt: skip
        for key, unit, meaning in (
            ("max_tension", "N", "largest tension in the line"),
            ("min_tension", "N", "smallest tension in the line"),
            ("grounded_length", "m", "unstretched length on the seabed"),
            ("stretched_length", "m", "stretched length"),
        ):
            summary.add(key, ("line",), [line[key] for line in lines], unit, meaning)
        _strengths(system, summary)
    if names.bodies:
        from ropewalk.analysis.static_summary import attitude

        summary.labels |= {"body": list(names.bodies), "turn": ["roll", "pitch", "yaw"]}
        summary.add("body_position", ("body", "axis"), state.body_position, "m", "position of the origins of bodies")
        turns = [attitude(q) for q in state.body_quaternion]
        summary.add("body_attitude", ("body", "turn"), turns, "degree", "attitude of bodies")
        _on_bodies(equilibrium, summary)
    if names.points:
        summary.labels |= {"point": list(names.points)}
        summary.add("point_position", ("point", "axis"), state.point_position, "m", "position of points")
    summary.add("residual_force", (), found["residual_force"], "N", "largest residual force")
    summary.add("residual_position", (), found["residual_position"], "m", "largest closure error")
    return summary


def _on_bodies(equilibrium: Any, summary: Summary) -> None:
    """Force and moment of the lines on each body, and their stiffness, about its origin."""
    dataset = equilibrium.to_dataset()
    dofs = ["surge", "sway", "heave", "roll", "pitch", "yaw"]
    if "mooring_force" in dataset:
        summary.labels |= {"dof": list(dofs)}
        summary.add("mooring_force", ("body", "dof"), dataset["mooring_force"].values[0], "N, N m",
                    "force and moment of the lines on bodies, about their origins")  # fmt: skip
    if equilibrium.stiffness is not None:
        summary.labels |= {"dof": list(dofs), "dof_from": list(dofs)}
        summary.add("stiffness", ("body", "dof", "dof_from"), equilibrium.stiffness, "N/m, N, N m",
                    "stiffness of the lines about the origin of bodies")  # fmt: skip


def _modes(system: System, output: Path | None) -> Summary:
    from ropewalk.analysis.modes import modes

    dataset = modes(system)
    if output is not None:
        netcdf.write(dataset, output)
    summary = Summary(doubts=json.loads(dataset.attrs["doubts"]))
    summary.take(dataset[["omega", "period", "damping", "growth"]].drop_vars(
        [name for name in dataset.coords if name != "mode"], errors="ignore"))  # fmt: skip
    return summary


def _response(system: System, output: Path | None) -> Summary:
    """Standard deviation, period and most probable maximum of tensions at line ends and of motions."""
    from ropewalk.analysis.response import response
    from ropewalk.analysis.response_statistics import statistics

    dataset = response(system)
    if output is not None:
        netcdf.write(dataset, output)
    found = statistics(dataset)
    summary = Summary(doubts=json.loads(dataset.attrs["doubts"]))
    owner = dataset["node_line"].values
    names = list(system.lines)
    if names:
        at = np.array([np.flatnonzero(owner == name)[[0, -1]] for name in names])
        summary.labels |= {"line": names, "end": ["A", "B"]}
        for figure, meaning, unit in (
            ("std", "standard deviation", "N"),
            ("tz", "zero-crossing period", "s"),
            ("maximum", "most probable maximum of the change in three hours", "N"),
        ):
            values = found[f"tension_{figure}"].values[at]
            summary.add(f"end_tension_{figure}", ("line", "end"), values, unit, f"tension at the ends: {meaning}")
    if system.bodies:
        keep = [name for name in found.data_vars if str(name).startswith("body_motion_")]
        summary.take(found[keep])
    return summary


def _float(system: System, output: Path | None) -> Summary:
    """Number of equilibria of each rod, and of the stable ones; heave, up-vector and energy of the lowest."""
    from ropewalk.analysis.moored import float_all
    from ropewalk.model.rods import RodWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RodWarning)  # it is among the doubts
        found = float_all(system)
    told = [doubt.as_dict() for doubt in found.doubts]
    summary = Summary(labels={"rod": list(found), "axis": ["x", "y", "z"]}, doubts=told)
    lowest = [each.states[0] for each in found.values()]
    stable = [sum(state.stable for state in each.states) for each in found.values()]
    summary.add("equilibria", ("rod",), [len(each.states) for each in found.values()], "1", "equilibria found")
    summary.add("stable", ("rod",), stable, "1", "stable equilibria")
    summary.add("heave", ("rod",), [state.pose.heave for state in lowest], "m", "heave of the lowest equilibrium")
    summary.add("up", ("rod", "axis"), [state.pose.up for state in lowest], "1", "up in the frame of the rod")
    summary.add("energy", ("rod",), [state.pose.energy for state in lowest], "J", "energy of the lowest equilibrium")
    return summary


QUESTIONS: dict[str, Question] = {
    "run": _run,
    "static": _static,
    "modes": _modes,
    "response": _response,
    "float": _float,
}
