r"""Whether what Newton found is an answer: nothing below the bed, nothing that the theory leaves out.

With friction the part on the bed lies straight, whatever pushes across it (see bed.py). That holds as long as
the push per length (drag, tabled loads and the pull of a slope across the line) is within what friction can give,

.. math:: |f_\perp| \le \mu p, \qquad p = -f \cdot N.

Beyond it the line would be swept sideways into a bow. Friction along the line, which its tension uses up near the
touchdown, is not taken off the limit, so a line beyond it certainly slides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.loads.footing import end_radii
from ropewalk.loads.sea import current_at
from ropewalk.methods.shooting.assembly import Result
from ropewalk.methods.shooting.bed import STRAIGHT
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.contact import pulled_cuts
from ropewalk.methods.shooting.gaps import BELOW, PLACES, gaps, radii, room_below
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.read import lying, node_position
from ropewalk.methods.shooting.shape import bed_height
from ropewalk.model.arrays import Array, Records
from ropewalk.model.joints import HELD
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.pegs import all_stay
from ropewalk.physics.drag_law import any_drag

ROUND_OFF = 1.0e-9  # of the weight on a bed without friction: a smaller push is none


def way_out(model: Model) -> str:
    """End of a sentence about what shooting does not model: the method that does, if there is one."""
    if not all_stay(model):
        return ", and no other method has lines that run over free points or bodies"
    return "; use method 'fem'"


def fault(model: Model, plan: Plan, problem: Problem, out: Result) -> str:
    """What makes a converged solution no answer, in a sentence; empty if nothing does."""
    if not model.sea.has_seabed:
        return ""
    return (
        _sunk_point(model, problem)
        or _sunk_line(model, problem)
        or _held_down(model, plan, problem)
        or _afloat(model, problem, out)
        or _buried(model, problem, out)
        or _uneven(model, problem, out)
        or _swept(model, problem, out)
    )


def _sunk_point(model: Model, problem: Problem) -> str:
    """A sentence about a free point on which the bed would bear: it does so from the height at which its lines rest."""
    free = np.any(model.points.joint != HELD, axis=1) & (model.points.motion < 0)
    room = BELOW * float(np.max(model.lines.length, initial=1.0))
    rest = _rest_heights(model)
    for k in np.flatnonzero(free):
        height = bed_height(model, node_position(problem, int(k)))
        if height < -room:
            where = f"{-height:.4g} m below the seabed"
        elif height < rest[k] - room:
            where = f"{height:.4g} m above the seabed, on which a line that ends there rests at {rest[k]:.4g} m"
        else:
            continue
        return (
            f"point '{model.names.points[k]}' would come to rest {where}, a contact that shooting does not "
            f"model{way_out(model)}"
        )
    return ""


def _rest_heights(model: Model) -> Array:
    """(n_points,) m: height over the bed at which the thickest line end at each point rests."""
    lines, rest = model.lines, np.zeros(model.points.mass.size)
    at_point = lines.end_kind == POINT
    np.maximum.at(rest, lines.end_index[at_point], end_radii(model)[at_point])
    return rest


def _sunk_line(model: Model, problem: Problem) -> str:
    for i, name in enumerate(model.names.lines):
        s, room = gaps(model, problem, i)
        k = int(np.argmin(room))
        if room[k] < -room_below(model, i):
            return (
                f"line '{name}' would pass {-room[k]:.4g} m below the seabed at s = {s[k]:.5g} m, a contact "
                f"that shooting does not model{way_out(model)}"
            )
    return ""


def _held_down(model: Model, plan: Plan, problem: Problem) -> str:
    """A sentence about a line that the bed would have to pull at."""
    for i, line in enumerate(plan):
        own = np.flatnonzero(problem.arcs.line == i).astype(np.int64)
        for c, _ in pulled_cuts(model, line, problem, own):
            return (
                f"line '{model.names.lines[i]}' would have to be held down by the seabed at s = {line.cuts[c]:.5g} m, "
                f"a contact that shooting does not model{way_out(model)}"
            )
    return ""


def _afloat(model: Model, problem: Problem, out: Result) -> str:
    """A sentence about a load on a line on the bed that the bed would have to pull down."""
    lines, sea = model.lines, model.sea
    for i, name in enumerate(model.names.lines):
        own = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
        lift = lines.attachment_force[own] @ sea.bed_normal
        net = sea.water_density * lines.attachment_volume[own] - lines.attachment_mass[own]
        lift = lift + sea.gravity * sea.bed_normal[2] * net
        held = lying(problem, out, i, lines.attachment_s[own]) & (lift > 0.0)
        if np.any(held):
            k = int(np.argmax(held))
            return (
                f"line '{name}' would have to be held down by the seabed at s = {lines.attachment_s[own][k]:.5g} m, "
                f"where {lift[k]:.4g} N lift it, a contact that shooting does not model{way_out(model)}"
            )
    return ""


def _buried(model: Model, problem: Problem, out: Result) -> str:
    """A sentence about a line that lies on the bed at an end held below it."""
    arcs = problem.arcs
    for a in np.flatnonzero((arcs.lift[:, 0] > 0.0) & (out.log.rest > 0.0)):
        i = int(arcs.line[a])
        depth = float(arcs.lift[a].max()) - float(radii(model, i, arcs.edge[a, :1])[0])
        if depth > BELOW * float(model.lines.length[i]):
            return (
                f"line '{model.names.lines[i]}' is held {depth:.4g} m below the seabed and does not leave upwards; "
                "hold it on the seabed, or remove the seabed (seabed: {kind: none})"
            )
    return ""


def _uneven(model: Model, problem: Problem, out: Result) -> str:
    """A sentence about a line that lies on the bed with pieces of different contact diameters."""
    arcs, rest = problem.arcs, out.log.rest
    for i, name in enumerate(model.names.lines):
        own = np.flatnonzero((arcs.line == i) & (rest > 0.0))
        signs = np.where(arcs.reverse[own], -1.0, 1.0)
        share = np.linspace(0.01, 0.99, PLACES)
        places = [arcs.offset[a] + sign * rest[a] * share for a, sign in zip(own, signs, strict=True)]
        lying = radii(model, i, np.concatenate(places)) if places else np.zeros(1)
        if float(lying.max() - lying.min()) > BELOW * float(model.lines.length[i]):
            return (
                f"line '{name}' lies on the seabed with pieces of contact diameters {2.0 * lying.min():.4g} to "
                f"{2.0 * lying.max():.4g} m, and shooting models one height only{way_out(model)}"
            )
    return ""


def _swept(model: Model, problem: Problem, out: Result) -> str:
    for line, push, limit in sideways(model, problem, out):
        if push > limit:
            return (
                f"line '{model.names.lines[line]}' would have to be held straight on the seabed against {push:.4g} N/m "
                f"across it, but friction gives only {limit:.4g} N/m: it is swept sideways, which shooting does not "
                f"model{way_out(model)}"
            )
    return ""


class Push(NamedTuple):
    """What the bed holds across a line at the place where it has the least to spare."""

    line: int
    push: float  # N/m
    limit: float  # friction times weight, N/m


def sideways(model: Model, problem: Problem, out: Result) -> list[Push]:
    """For each stretch that lies straight on the bed, the worst of its spans; without friction nothing may push it."""
    arcs, sea = problem.arcs, model.sea
    found: list[Push] = []
    if not sea.has_seabed:
        return found
    for a in np.flatnonzero((arcs.on_bed == STRAIGHT) & (out.log.rest > 0.0)):
        n0 = problem.x[arcs.dof[a, 12:15]]
        flat = n0 - (n0 @ sea.bed_normal) * sea.bed_normal
        pull = float(np.linalg.norm(flat))
        if pull == 0.0:
            continue
        z = float(node_position(problem, int(arcs.node[a, 0]))[2])
        pushes = [
            _push(model, row, flat / pull, z)
            for row in arcs.spans[arcs.first[a] : arcs.last[a]]
            if row.start - arcs.spans[arcs.first[a]].start < out.log.rest[a]
        ]
        push, limit = max(pushes, key=lambda pair: pair[0] - pair[1])
        found.append(Push(int(arcs.line[a]), push, limit))
    return found


def _push(model: Model, row: Records, along: Array, z: float) -> tuple[float, float]:
    """Load across a span on the bed and the most that friction holds, N/m.  along : (3,) its direction"""
    sea = model.sea
    wet = sea.water_density > 0.0 and z < 0.0
    load = row.load + 0.5 * (row.stop - row.start) * row.slope
    if wet:
        load = load + np.array([0.0, 0.0, row.buoyancy])
    p = -float(load @ sea.bed_normal)
    across = load + p * sea.bed_normal
    if wet and sea.current_speed != 0.0:
        scale = (row.drag_normal, row.drag_tangential, row.drag_normal)
        push = np.array(any_drag(current_at(z, sea), tuple(along), scale, row.drag_law)[0])
        across = across + push - (push @ sea.bed_normal) * sea.bed_normal
        if sea.bed_rest_friction == 0.0:  # nothing holds it along the line either
            return float(np.linalg.norm(across)), ROUND_OFF * max(p, 0.0)
    across = across - (across @ along) * along
    return float(np.linalg.norm(across)), (sea.bed_rest_friction or ROUND_OFF) * max(p, 0.0)
