"""Closed-form statics: lines under gravity alone between points and bodies, balanced by Newton."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ropewalk.assembly.balance_newton import Path, Place
from ropewalk.assembly.catenary import gather, highest_end
from ropewalk.assembly.catenary_balance import MOST_ITERATIONS, UNSTABLE, Work, begin, find_balance
from ropewalk.assembly.catenary_state import AFLOAT, NODES, line_ends, line_shape, sampled_state
from ropewalk.methods.claims import CLOSED_FORM, refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics import catenary
from ropewalk.physics.catenary_free import PENETRATES

SLACK = frozenset({catenary.SLACK_HANGING, catenary.SLACK_NEUTRAL})
RUN_AWAY = 100.0  # lengths from the origin where a part has been lost
BURIED = 1e-6  # of a line's length: an end this far below the bed is on it
EVEN = 1e-6  # of a line's length: contact radii that differ by less lie on one bed


@dataclass(frozen=True)
class Catenary:
    """Exact to round-off for uniform pieces under gravity, on a flat rigid bed with friction."""

    most_iterations: int = MOST_ITERATIONS

    name: ClassVar[str] = "catenary"
    claims: ClassVar[frozenset[Claim]] = CLOSED_FORM

    def start(self, model: Model, state: State) -> Work:
        """Check the case and lay out the assembly."""
        refuse_unclaimed(self, model, ignored=frozenset({Claim.WAVES}))
        place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
        return begin(model, place, state.time)

    def advance(self, model: Model, work: Work, t: float) -> Report:
        """Find the balance with the prescribed motions at time t."""
        path = find_balance(model, work, t, self.most_iterations)
        return _within_theory(model, work, _report(model, work, path))

    def read(self, model: Model, work: Work) -> State:
        """Shapes, tensions and forces from the closed form; nodes also where pieces, loads and contact begin and end.

        `node_force` is n(s) just beyond a node, so at a load that towards end B.
        """
        return sampled_state(model, work)

    def stiffness(self, model: Model, work: Work) -> Array:
        """(n_bodies, 6, 6) of the lines on each body, about its origin; free points follow, other bodies stay."""
        n_points, n_bodies = len(model.names.points), len(model.names.bodies)
        n = 3 * n_points + 6 * n_bodies
        if n_bodies == 0:
            return np.zeros((0, 6, 6))
        K = np.zeros((n, n))
        gather(work.assembly, work.out._replace(own=_springs_only(work.out.own, n_points)), K)
        points = work.free[work.free < 3 * n_points]
        result: Array = np.zeros((n_bodies, 6, 6))
        for k in range(n_bodies):
            own = 3 * n_points + 6 * k + np.arange(6)
            result[k] = K[np.ix_(own, own)]
            if points.size:
                follow = np.linalg.lstsq(K[np.ix_(points, points)], K[np.ix_(points, own)], rcond=None)[0]
                result[k] -= K[np.ix_(own, points)] @ follow
        return result


def _springs_only(own: Array, n_points: int) -> Array:
    kept: Array = own.copy()
    kept[n_points:] = 0.0
    return kept


def _report(model: Model, work: Work, path: Path) -> Report:
    """Status and figures of what `work` holds."""
    out, names = work.out, model.names.lines
    kinds = out.status.tolist()
    failed = min(kinds, default=1) <= 0
    figures = {
        "step_lengths": path.steps,
        "residuals": path.residuals,
        "evaluations": path.evaluations,
        "shifted": path.shifts,
        "stable": path.stable or path.lowest >= -UNSTABLE,
        "lines": {name: catenary.MEANING[kind] for name, kind in zip(names, kinds, strict=True)},
    }
    miss = float(out.solution["miss"].max(initial=0.0)) if not failed else math.inf
    residual = path.residuals[-1] if path.residuals else math.inf
    if failed:
        i = kinds.index(min(kinds))
        status = {catenary.TOO_SHORT: Status.TOO_SHORT, PENETRATES: Status.UNSUPPORTED}.get(
            kinds[i], Status.NOT_CONVERGED
        )
        return Report(status, _line_failure(model, work, i), path.iterations, residual, miss, figures)
    if np.any(work.overstretched):
        return Report(Status.TOO_SHORT, _overstretched(model, work), path.iterations, residual, miss, figures)
    if not path.converged:
        return Report(*_imbalance(model, work, path), path.iterations, residual, miss, figures)
    if path.lowest < -UNSTABLE:
        text = (
            f"the equilibrium found is not stable (lowest stiffness {path.lowest:.2g} of the largest); try another "
            "start"
        )
        return Report(Status.NOT_CONVERGED, text, path.iterations, residual, miss, figures)
    slack = [name for name, kind in zip(names, kinds, strict=True) if kind in SLACK]
    if slack:
        message = f"slack: {', '.join(repr(name) for name in slack[:8])}{', …' if len(slack) > 8 else ''}"
        return Report(Status.SLACK, message, path.iterations, residual, miss, figures)
    return Report(Status.DONE, "", path.iterations, residual, miss, figures)


def _within_theory(model: Model, work: Work, report: Report) -> Report:
    """Refuse an answer in which the water does not carry what the closed form takes as carried, or the bed is uneven.

    The weight of lines and floats is taken as in water all along, and a line on the bed lies at one height.
    """
    if not report.good or not model.names.lines:
        return report
    for text, crosses in (*_out_of_water(model, work), *_uneven(model, work)):
        figures = {**report.figures, "crosses_surface": crosses}
        return replace(report, status=Status.UNSUPPORTED, message=text, figures=figures)
    return report


def _out_of_water(model: Model, work: Work) -> Iterator[tuple[str, bool]]:
    """Sentences about lines and floats on them that rise out of the water."""
    assembly, lines = work.assembly, model.lines
    if model.sea.water_density == 0.0:
        return
    buoyant = bool(np.any(assembly.piece_weight < 0.0) or np.any(assembly.piece_load < 0.0))
    ends = (assembly.end_kind, assembly.end_index, assembly.end_offset)
    low = highest_end(*ends, *work.place) <= AFLOAT
    for i, name in enumerate(model.names.lines):
        if buoyant or not low:
            top = float(line_shape(work, i, np.linspace(0.0, assembly.length[i], NODES))[0][:, 2].max())
            if top > AFLOAT:
                yield (
                    f"line '{name}' rises {top:.4g} m above the water, and the closed form uses its weight in water; "
                    "use method 'shooting' or 'fem'",
                    True,
                )
        own = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
        if own.start == own.stop:
            continue
        radius = np.cbrt(0.75 / math.pi * lines.attachment_volume[own])
        if np.any(radius > 0.0):
            height = line_shape(work, i, lines.attachment_s[own])[0][:, 2] + radius
            k = int(np.argmax(np.where(radius > 0.0, height, -np.inf)))
            if height[k] > AFLOAT:
                yield (
                    f"the float at s = {lines.attachment_s[own][k]:.6g} m of line '{name}' rises {height[k]:.4g} m out "
                    "of the water, and the closed form treats it as submerged; use method 'shooting' or 'fem'",
                    True,
                )


def _uneven(model: Model, work: Work) -> Iterator[tuple[str, bool]]:
    """Sentences about lines on the bed that are held below it, or have pieces of different contact diameters."""
    assembly, out, lines = work.assembly, work.out, model.lines
    if not model.sea.has_seabed:
        return
    for i, name in enumerate(model.names.lines):
        if out.raised[i]:
            low = -model.sea.depth - float(np.min(line_ends(work, i)[:, 2]))
            if low > BURIED * float(assembly.length[i]):
                yield (
                    f"line '{name}' is held {low:.4g} m below the seabed and does not leave upwards; hold it on the "
                    "seabed, or remove the seabed (seabed: {kind: none})",
                    False,
                )
        own = slice(lines.piece_start[i], lines.piece_start[i + 1])
        if own.stop - own.start == 1 and assembly.bed[i] + model.sea.depth == _radius(model, own.start):
            continue
        first, last = out.solution[i].ground_start, out.solution[i].ground_end
        ends = np.cumsum(lines.piece_length[own])
        lying = (ends > first) & (ends - lines.piece_length[own] < last)
        if last <= first or not np.any(lying):
            continue
        radius = model.sections.contact_radius[lines.piece_section[own]][lying]
        rest = assembly.bed[i] + model.sea.depth
        if np.max(np.abs(radius - rest)) > EVEN * float(assembly.length[i]):
            yield (
                f"line '{name}' lies on the seabed with pieces of contact diameters {2.0 * radius.min():.4g} to "
                f"{2.0 * max(radius.max(), rest):.4g} m, and the closed form models one height only; use method 'fem'",
                False,
            )


def _radius(model: Model, piece: int) -> float:
    """Height at which a piece rests on the bed, m."""
    return float(model.sections.contact_radius[model.lines.piece_section[piece]])


def _line_failure(model: Model, work: Work, i: int) -> str:
    ends = line_ends(work, i)
    apart = float(np.linalg.norm(ends[1] - ends[0]))
    name, length = model.names.lines[i], float(work.assembly.length[i])
    if work.out.status[i] == catenary.TOO_SHORT:
        return (
            f"line '{name}': length {length:.6g} m is shorter than the {apart:.6g} m between its ends; "
            "lengthen it or give it axial_stiffness"
        )
    return f"line '{name}': {catenary.MEANING[int(work.out.status[i])]} ({length:.6g} m, ends {apart:.6g} m apart)"


def _overstretched(model: Model, work: Work) -> str:
    """Which inextensible lines cannot all reach, and by how much the shortest misses."""
    found = []
    for i in np.flatnonzero(work.overstretched):
        ends = line_ends(work, int(i))
        apart = float(np.linalg.norm(ends[1] - ends[0]))
        found.append(
            f"'{model.names.lines[i]}' ({work.assembly.length[i]:.6g} m long, would have to span {apart:.6g} m)"
        )
    lines = "line" if len(found) == 1 else "lines"
    text = ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
    return f"inextensible {lines} {text} cannot reach: lengthen them or give them axial_stiffness"


def _imbalance(model: Model, work: Work, path: Path) -> tuple[Status, str]:
    """Which part is out of balance, and by how much."""
    dof = int(work.free[int(np.argmax(np.abs(work.out.force[work.free])))])
    n_points = len(model.names.points)
    if dof < 3 * n_points:
        part, where = f"point '{model.names.points[dof // 3]}'", work.place.points[dof // 3]
    else:
        k = (dof - 3 * n_points) // 6
        part, where = f"body '{model.names.bodies[k]}'", work.place.bodies[k]
    place = ", ".join(f"{x:.4g}" for x in where)
    text = f"{part} at ({place}) m is out of balance by {path.residuals[-1]:.3g} N after {path.iterations} iterations"
    if np.max(np.abs(where)) > RUN_AWAY * work.scales.length:
        return Status.NO_EQUILIBRIUM, f"{text}; nothing holds it"
    return Status.NOT_CONVERGED, f"{text}; try a position nearer the equilibrium"
