"""The same case by every method that claims it: how far the answers differ, and which of them the audit rejects."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from ropewalk.analysis.attitudes import SHARE, apart
from ropewalk.analysis.doubts import Doubt, percent
from ropewalk.analysis.soft_bed import CODE as SOFT_BED
from ropewalk.analysis.soft_bed import sunk_by
from ropewalk.analysis.static_doubts import FRICTIONLESS
from ropewalk.analysis.statics import NOT_STATIC, Equilibrium, refuse_only_rods, static_methods, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.registry import solver_class
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.model.state import State
from ropewalk.spec import arguments
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

TOLERANCE = 1e-3  # of the largest end force and of the longest line, in statics
SAME_PLACE = 1e-9  # of the length: a node at the end of a piece
SHAPE_NODES = 200  # places on a line where shapes are compared
LEFT_OUT = "is left out"  # in the remark of a method that leaves friction of the bed, or that of nets, out
REJECTED = "audit rejects"  # in the sentence of a method that failed its audit
FIRST_ORDER = 2.0  # times the change by a moved bed, which leaves out terms of higher order


class Verification(Shown, dict[str, Any]):
    """How far the answers of the methods differ: `reference`, `largest_force` (N) and `methods`, a row each."""

    @property
    def sentence(self) -> str:
        """How well they agree."""
        apart = [row["force_difference"] for row in self["methods"] if row["force_difference"] is not None]
        if len(apart) <= 1:
            return "fewer than two methods gave a result; there is nothing to compare"
        share = 100.0 * max(apart) / self["largest_force"] if self["largest_force"] > 0.0 else 0.0
        return f"forces agree to {max(apart):.2g} N, {share:.3g} % of the largest"

    def __repr__(self) -> str:
        return f"<Verification: {len(self['methods'])} methods against '{self['reference']}'; {self.sentence}>"

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `ropewalk verify --json` prints."""
        return dict(self)


def verify(system: Source, tolerance: float = TOLERANCE) -> Verification:
    """Statics by every method that claims the case, against the most exact of those whose assumptions hold.

    `agree` is true where forces (of line ends, and of points on their supports), shapes and attitudes of bodies differ
    by no more than `tolerance` of the largest force, of the longest line and of 2 rad, or by the larger of the errors
    of their meshes, in forces and in shape, that the two state. Methods whose answers the audit rejects are named and
    not compared. An answer that leaves bed friction out, and says so, is held to that of the reference without
    friction. `doubts` are those of all methods, each once with its `methods`.
    """
    system, tolerance = System.of(system), arguments.number("tolerance", tolerance)
    refuse_only_rods(system)
    asked = demands(build(system)) - NOT_STATIC
    claiming = [name for name in static_methods() if asked <= solver_class(name).claims]
    if not claiming:
        statics(system)  # raises: no method claims the case
    answers: dict[str, Equilibrium] = {}
    rows: list[dict[str, Any]] = []
    for name in claiming:
        begin, status, message = time.perf_counter(), "done", ""
        try:
            answers[name] = statics(system, name)
            message = answers[name].report.message
        except (ConvergenceError, InputError) as error:
            status = str(error)
        rows.append({"method": name, "status": status, "message": message, "rejected": REJECTED in status,
                     "time": time.perf_counter() - begin})  # fmt: skip
    reference = next(iter(answers), claiming[0])
    doubts = [(name, doubt) for name, answer in answers.items() for doubt in answer.doubts]
    for row in rows:
        row |= {"position_difference": None, "force_difference": None, "attitude_difference": None, "agrees": None}
        if row["method"] in answers:
            one, other = answers[row["method"]], answers[reference]
            row |= _compared(one, other, tolerance)
            if not row["agrees"]:
                row["agrees"] = _agrees_otherwise(system, one, other, tolerance)
            if row["agrees"] is False:
                doubts.append((row["method"], _several(row, one, other, tolerance)))
    largest = _largest(answers[reference].state.end_force) if answers else 0.0
    return Verification(
        reference=reference,
        largest_force=largest,
        tolerance=tolerance,
        agree=bool(answers) and all(row["agrees"] is not False for row in rows),
        methods=rows,
        doubts=_by_methods(doubts),
    )


def _by_methods(doubts: list[tuple[str, Doubt]]) -> list[dict[str, Any]]:
    """Each kind of doubt about each part once, with the methods that have it and the figures of the first."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for name, doubt in doubts:
        own = (doubt.code, doubt.part)
        found.setdefault(own, {**doubt.as_dict(), "methods": []})["methods"].append(name)
    return list(found.values())


def _agrees_otherwise(system: System, one: Equilibrium, other: Equilibrium, tolerance: float) -> bool | None:
    """False of answers that differ; None if only one has friction of the bed, and they do not differ without it.

    None also where that cannot be had: friction of nets left out by one, or no equilibrium without friction.
    """
    lacks, bare = ([text in answer.report.message for answer in (one, other)] for text in (LEFT_OUT, FRICTIONLESS))
    if lacks[0] == lacks[1] and bare[0] == bare[1]:
        return False
    if not any(bare):
        return None
    seabed = system.environment.seabed.replace(pulled=False)
    smooth = system.replace(environment=system.environment.replace(seabed=seabed))
    try:
        pair = [a if is_bare else statics(smooth, a.method) for a, is_bare in zip((one, other), bare, strict=True)]
    except (ConvergenceError, InputError):
        return None
    return None if _compared(pair[0], pair[1], tolerance)["agrees"] else False


def _compared(one: Equilibrium, other: Equilibrium, tolerance: float) -> dict[str, Any]:
    position, force = difference(one, other)
    turn = apart(one.model, one.state.body_quaternion, other.state.body_quaternion)
    largest = _scale(one, other)
    longest = float(one.model.lines.length.max(initial=0.0)) or _extent(one.state)
    allowed = allowed_difference(one, other, tolerance)
    shaped = max(allowed, _figure(one, "shape_error"), _figure(other, "shape_error"))
    sunk = abs(sunk_by(one.model, one.state, one.method) - sunk_by(other.model, other.state, other.method))
    agrees = force <= allowed * largest and position <= shaped * longest + sunk and turn <= shaped * SHARE
    return {"position_difference": position, "force_difference": force, "attitude_difference": float(np.degrees(turn)),
            "allowed": allowed, "agrees": bool(agrees)}  # fmt: skip


def allowed_difference(one: Equilibrium, other: Equilibrium, tolerance: float) -> float:
    """Of end forces, relative to the largest: what two answers may differ by.

    The tolerance or the larger error of their meshes; and, where one has a rigid bed and the other a soft one, the
    difference that the doubt of the first states, for it comes on top of a mesh error.
    """
    mesh = max(tolerance, *(_figure(answer, "force_error") for answer in (one, other)))
    return mesh + FIRST_ORDER * abs(_bed_change(one) - _bed_change(other))


def _extent(state: State) -> float:
    """Size of a system without lines, m; at least 1."""
    places = np.vstack([state.net_position, state.point_position, state.body_position])
    return max(1.0, float(np.max(np.ptp(places, axis=0), initial=0.0)))


def _figure(answer: Equilibrium, name: str) -> float:
    """An error of the mesh that the report states, relative; 0 without one."""
    return float(answer.report.figures.get(name) or 0.0)


def _bed_change(answer: Equilibrium) -> float:
    return max((doubt.value for doubt in answer.doubts if doubt.code == SOFT_BED), default=0.0)


def _scale(one: Equilibrium, other: Equilibrium) -> float:
    """The largest force of either at an end or a support, N: one of them may be slack and have none."""
    forces = [force for each in (one, other) for force in (each.state.end_force, each.state.point_force)]
    return max(*map(_largest, forces), 1e-300)


def _several(row: dict[str, Any], one: Equilibrium, reference: Equilibrium, tolerance: float) -> Doubt:
    share = row["force_difference"] / _scale(one, reference)
    text = (
        f"methods '{reference.method}' and '{row['method']}' give equilibria that both pass the audit and differ by "
        f"{percent(share)} of the largest force, {row['position_difference']:.3g} m and "
        f"{row['attitude_difference']:.3g} degrees: there are several "
        "equilibria, or the forces are indeterminate"
    )
    return Doubt("several-equilibria", row["method"], share, tolerance, text)


def difference(one: Equilibrium, other: Equilibrium) -> tuple[float, float]:
    """Largest difference of line shape at equal arc length (m), and of the forces at ends and on supports (N).

    Lines that either method doubts to be slack have no shape of their own; of those only the ends are compared.
    """
    model = one.model
    slack = {doubt.part for e in (one, other) for doubt in e.start_doubts if doubt.code == "slack"}
    position = 0.0
    for k, name in enumerate(model.names.lines):
        position = max(position, _shape_difference(model, one.state, other.state, k, name in slack))
    position = max(position, _largest(one.state.point_position - other.state.point_position))
    position = max(position, _largest(one.state.body_position - other.state.body_position))
    if one.state.net_position.shape == other.state.net_position.shape:
        position = max(position, _largest(one.state.net_position - other.state.net_position))
    forces = one.state.end_force - other.state.end_force, one.state.point_force - other.state.point_force
    return position, max(map(_largest, forces))


def _shape_difference(model: Model, one: State, other: State, line: int, ends_only: bool) -> float:
    s = np.linspace(0.0, float(model.lines.length[line]), 2 if ends_only else SHAPE_NODES)
    pieces = slice(int(model.lines.piece_start[line]), int(model.lines.piece_start[line + 1]))
    breaks = np.cumsum(model.lines.piece_length[pieces])[:-1]
    return _largest(shape(one, line, s, breaks) - shape(other, line, s, breaks))


def shape(state: State, line: int, s: Array, breaks: Array) -> Array:
    """(n, 3) places of a line at arc lengths s, by cubics between its nodes that do not overshoot, m.

    breaks : ends of its pieces, m: the strain jumps there, so that no cubic runs across
    """
    from scipy.interpolate import PchipInterpolator

    nodes = slice(int(state.start[line]), int(state.start[line + 1]))
    at, first = np.unique(state.s[nodes], return_index=True)
    given, s = state.position[nodes][first], np.clip(s, at[0], at[-1])
    inner = [k for k in np.searchsorted(at, breaks - SAME_PLACE * at[-1]) if 0 < k < at.size - 1]
    places: Array = np.empty((s.size, 3))
    for a, b in pairwise([0, *inner, at.size - 1]):
        here = (at[a] <= s) & (s <= at[b])
        if b > a and here.any():
            places[here] = PchipInterpolator(at[a : b + 1], given[a : b + 1])(s[here])
    return places


def _largest(vectors: Array) -> float:
    """The largest length of vectors (..., 3), the same however they are turned."""
    return float(np.max(np.linalg.norm(vectors, axis=-1), initial=0.0))
