r"""What the bed's softness would change where a method takes it as rigid: closed forms and shooting do.

A line of weight w per length lies :math:`\delta = w/(k b)` below the height at which a bed of stiffness k begins to
bear on its width b. Where it lifts off, :math:`H y'' = k b\, y` holds below that height and :math:`H y'' = w` above it;
with small slopes the hanging part is that of a rigid bed at :math:`\delta/2`, halfway. So a bed moved by as much shows
the change to first order; it is moved up, for then ends and anchors stay on it.

A line that lifts off near its anchor, a stretch g from it, rises from it also there: the anchor's line lies as deep as
the rest if the line lies beside it (assembly/anchor.py), and feels with :math:`\lambda = \sqrt{H/(k b)}` an uplift of

.. math:: H\, \frac{\delta}{\lambda} \Big/ \sinh\left(1 + \frac{g}{\lambda}\right).

A weight on the line stands on a footing of area A (loads/footing.py) and sinks by :math:`N/(k A)` under the force N
that the line leaves on it; a line that lifts off at the weight hangs from there, all that way lower.

Where the current varies with height, what lies on a bed without friction feels another current at its true depth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ropewalk.analysis.audit_lines import contact_width, heights
from ropewalk.analysis.audit_loads import current_on, strain_of
from ropewalk.analysis.doubts import Doubt, percent
from ropewalk.assembly.anchor import BESIDE
from ropewalk.errors import InputError
from ropewalk.loads.footing import attachment_footings, point_footings
from ropewalk.methods.registry import solver_class
from ropewalk.model.arrays import Array, Flags, floats
from ropewalk.model.environment import weight_in_water
from ropewalk.model.joints import HELD
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

RIGID = ("catenary", "shooting")  # methods whose bed is
SOFT = 1e-3  # of the largest end force: change that is worth a doubt
LIKELY = 0.1  # of that: what a rough estimate has to reach for the change to be computed
TOUCH = 1e-6  # of a line's length: what is this near to the bed stands on it
FAR = 100.0  # lengths of its soft lift-off from an anchor, which does not feel it there
CODE = "soft-bed"
EFFORT = {"shooting": {"most_steps": 2e4}}  # settings of a probe, which must not take longer than the answer itself


def soft_bed(model: Model, state: State, method: str) -> Iterator[Doubt]:
    """The doubt, if the bed is soft enough for it."""
    if method not in RIGID or not model.sea.has_seabed:
        return
    sink, stands, (ends, pushed) = sinking(model), standing(model, state), standing_ends(model, state)
    lying = np.flatnonzero((state.grounded > 0.0) | (stands > 0.0) | (ends > 0.0))
    if not lying.size:
        return
    of_line = np.array([_of_line(model, int(i), sink) for i in lying])
    ways = np.maximum(np.maximum(0.5 * of_line, stands[lying]), ends[lying])
    shares = [_rough_change(model, state, int(i), float(way)) for i, way in zip(lying, ways, strict=True)]
    largest = max(float(np.max(np.abs(state.end_force), initial=0.0)), 1e-300)
    beside = float(np.max(pushed)) / largest
    felt = np.array([_of_current(model, state, int(i), sink, largest) for i in lying])
    lifted = max(_uplift(model, state, int(i), sink) for i in lying) / largest
    if max(*shares, beside, lifted, float(felt.max())) < LIKELY * SOFT:
        return
    change = _largest_change(model, state, method, sink, stands)
    change = (max(shares) if change is None else change) + lifted
    together = float(np.sum(np.array(shares)[ends[lying] > 0.0]))  # points that stand in a row
    change = min(1.0, max(change, together + beside, float(felt.max())))
    if change <= SOFT:
        return
    k = int(np.argmax(np.array(shares) + felt))
    i = int(lying[k])
    what = "a weight or end of " if ways[k] > 0.5 * of_line[k] else ""
    text = (
        f"method '{method}' treats the bed as rigid; with its stiffness {what}line '{model.names.lines[i]}' sinks "
        f"{max(of_line[k], ways[k]):.2g} m into it, which changes end forces by about {percent(change)} of the "
        f"largest (limit {percent(SOFT)}); use method 'fem', or give seabed.stiffness"
    )
    yield Doubt(CODE, model.names.lines[i], change, SOFT, text)


def sunk_by(model: Model, state: State, method: str) -> float:
    """How far (m) at most what lies on the bed is below where a method has it that takes the bed as rigid; or 0."""
    if method not in RIGID or not model.sea.has_seabed:
        return 0.0
    sink, deep = sinking(model), np.maximum(standing(model, state), standing_ends(model, state)[0])
    lying = np.flatnonzero((state.grounded > 0.0) | (deep > 0.0))
    return max((max(_of_line(model, int(i), sink), float(deep[i])) for i in lying), default=0.0)


def _largest_change(model: Model, state: State, method: str, sink: Array, stands: Array) -> float | None:
    """Of end forces, relative to the largest, by what lies and by what stands; None if neither can be computed."""
    every = np.ones(stands.size, dtype=np.bool_)
    change = _change(model, state, method, 0.5 * sink, every)
    if change is None:  # pieces of one line at different heights
        change = _change(model, state, method, np.full_like(sink, 0.5 * float(sink.max())), every)
    if np.any(stands > 0.0):
        lines, below = model.lines, np.zeros_like(sink)
        np.maximum.at(below, lines.piece_section, np.repeat(stands, np.diff(lines.piece_start)))
        other = _change(model, state, method, below, stands > 0.0)
        change = other if change is None else max(change, other or 0.0)
    return change


def standing(model: Model, state: State) -> Array:
    """(n_lines,) m, to which the bed gives way under what is attached to each line and stands on it: at most."""
    lines, sea = model.lines, model.sea
    depth: Array = np.zeros(lines.length.size)
    if state.node_force.shape != state.position.shape:
        return depth
    weight = weight_in_water(sea, lines.attachment_mass, lines.attachment_volume)
    weight = weight - lines.attachment_force @ sea.bed_normal
    area = attachment_footings(model)
    for i in range(depth.size):
        own = slice(int(state.start[i]), int(state.start[i + 1]))
        s, up = state.s[own], state.node_force[own] @ sea.bed_normal
        sections = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
        touch = float(model.sections.contact_radius[sections].max()) + TOUCH * float(s[-1])
        low = heights(sea, state.position[own])
        for j in range(int(lines.attachment_start[i]), int(lines.attachment_start[i + 1])):
            at = float(lines.attachment_s[j])
            if area[j] == 0.0 or np.interp(at, s, low) > touch:
                continue
            before, after = np.searchsorted(s, at, "left") - 1, np.searchsorted(s, at, "right")
            lifted = up[min(int(after), s.size - 1)] - up[max(int(before), 0)]  # the line between them included
            pressed = min(max(float(weight[j] - lifted), 0.0), float(weight[j]))
            depth[i] = max(depth[i], pressed / (sea.bed_stiffness * float(area[j])))
    return depth


def standing_ends(model: Model, state: State) -> tuple[Array, Array]:
    r"""How far the bed gives way under the free points that lines rise from, and the end forces this makes beside them.

    Both (n_lines,): m, and N at the ends of lines that lie beside such points.

    With :math:`H y'' = k b\, y` and the end at :math:`y = \delta` the latter is :math:`\delta \sqrt{k b H}`.
    """
    lines, points, sea = model.lines, model.points, model.sea
    depth, pushed = np.zeros(lines.length.size), np.zeros(lines.length.size)
    if not points.mass.size or not np.any(points.joint != HELD):
        return depth, pushed
    footing, touch = np.zeros(points.mass.size), TOUCH * float(np.max(lines.length, initial=0.0))
    np.add.at(footing, np.where(lines.end_kind == POINT, lines.end_index, 0), point_footings(model))
    height = heights(sea, state.point_position)
    on_bed = (footing > 0.0) & (height <= float(model.sections.contact_radius.max(initial=0.0)) + touch)
    if not np.any(on_bed):
        return depth, pushed
    pressed = weight_in_water(sea, points.mass, points.volume) - points.force @ sea.bed_normal
    at_point = np.argwhere(lines.end_kind == POINT)
    for i, j in at_point:
        pressed[lines.end_index[i, j]] -= float(state.end_force[i, j] @ sea.bed_normal)
    for i, j in at_point:
        p = int(lines.end_index[i, j])
        if not on_bed[p]:
            continue
        gives = max(0.0, float(pressed[p])) / (sea.bed_stiffness * float(footing[p]))
        depth[i] = max(depth[i], gives) if state.grounded[i] < model.lines.length[i] else depth[i]
        if state.grounded[i] > 0.0:
            piece = lines.piece_section[lines.piece_start[i] if j == 0 else lines.piece_start[i + 1] - 1]
            bears = sea.bed_stiffness * float(contact_width(model, np.array([piece]))[0])
            pushed[i] = max(pushed[i], gives * math.sqrt(bears * float(np.linalg.norm(state.end_force[i, j]))))
    return depth, pushed


def _uplift(model: Model, state: State, i: int, sink: Array) -> float:
    """At the anchors of line i, N; see the heading.  sink : (n_sections,) m"""
    lines, points, sea = model.lines, model.points, model.sea
    found = 0.0
    for side in (0, 1):
        force, section = state.end_force[i, side], int(lines.piece_section[lines.piece_start[i + side] - side])
        pull, p = float(np.linalg.norm(force)), int(lines.end_index[i, side])
        held = lines.end_kind[i, side] == POINT and bool(np.all(points.joint[p] == HELD))
        lies = state.grounded[i] > 0.0 and abs(float(force @ sea.bed_normal)) <= TOUCH * pull
        bears = sea.bed_stiffness * float(contact_width(model, np.array([section]))[0])
        if not (held and lies and pull > 0.0 and bears > 0.0):
            continue
        depth, away = float(sink[section]), max(0.0, BESIDE * float(lines.length[i]) - float(state.grounded[i]))
        if bears * depth * away**2 > 2.0 * pull * depth:  # beside its end it rises by more than that
            continue
        layer = math.sqrt(pull / bears)
        reach = min(1.0 + float(state.grounded[i]) / layer, FAR)
        found = max(found, pull * depth / layer / math.sinh(reach))
    return found


def sinking(model: Model) -> Array:
    """(n_sections,) depth to which a line's own weight presses it into the bed, m."""
    sections, sea = model.sections, model.sea
    weight = np.maximum(weight_in_water(sea, sections.mass, sections.area) * sea.bed_normal[2], 0.0)
    found: Array = weight / (sea.bed_stiffness * contact_width(model, np.arange(weight.size)))
    return found


def _of_line(model: Model, i: int, sink: Array) -> float:
    """Largest of the sections of a line, m."""
    lines = model.lines
    return float(sink[lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]].max())


def _of_current(model: Model, state: State, i: int, sink: Array, largest: float) -> float:
    """Of the largest end force (N), at most: change of the drag on what rests of line i, at its true depth.

    sink : (n_sections,) m. End forces change by no larger share than the drag does. Friction, if there is any, carries
    what acts across a line on the bed.
    """
    sea, lines = model.sea, model.lines
    if sea.current_speed == 0.0 or sea.bed_rest_friction > 0.0 or not state.grounded[i] > 0.0:
        return 0.0
    pieces = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
    way, normal = _of_line(model, i, sink), float(model.sections.drag_normal[lines.piece_section[pieces]].max())
    r = state.position[int(state.start[i]) : int(state.start[i + 1])]
    lowest = r[np.argmin(heights(sea, r))][None]
    square = [float(np.sum(current_on(model, place) ** 2)) for place in (lowest, lowest - way * sea.bed_normal)]
    whole = 0.5 * sea.water_density * normal * float(state.grounded[i]) / largest
    return abs(square[0] - square[1]) * min(whole, 1.0 / max(square[0], 1e-300))


def _rough_change(model: Model, state: State, i: int, way: float) -> float:
    """Of the tension of a line whose bed moves by `way` (m), relative, by its stretch and sag in a row (Ernst)."""
    lines, sections, sea = model.lines, model.sections, model.sea
    own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
    k, pieces = lines.piece_section[own], lines.piece_length[own]
    tension = float(np.max(np.abs(state.tension[int(state.start[i]) : int(state.start[i + 1])]), initial=0.0))
    if tension <= 0.0:
        return 0.0
    stretch = float(np.sum(pieces * strain_of(model, k, np.full(k.size, tension))))
    weight = float(np.sum(np.abs(weight_in_water(sea, sections.mass[k], sections.area[k])) * pieces))
    give = stretch + weight**2 * float(np.sum(pieces)) / (12.0 * tension**2)
    return way / max(give, 1e-300)


def _change(model: Model, state: State, method: str, way: Array, where: Flags) -> float | None:
    """Of the end forces of the lines `where`, relative to the largest, when the bed is moved; None if nothing rests.

    way : (n_sections,) m, up
    """
    sections = model.sections._replace(contact_radius=floats(model.sections.contact_radius + way))
    moved, solver = model._replace(sections=sections), solver_class(method)(**EFFORT.get(method, {}))
    try:
        work = solver.start(moved, initial_state(moved))
        if not solver.advance(moved, work, state.time).good:
            return None
        there = solver.read(moved, work)
    except (ArithmeticError, LookupError, ValueError, RuntimeError, AssertionError, InputError):
        return None
    largest = float(np.max(np.abs(state.end_force), initial=0.0))
    return float(np.max(np.abs(there.end_force - state.end_force)[where], initial=0.0)) / max(largest, 1e-300)
