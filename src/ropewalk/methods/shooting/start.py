"""Where points and bodies are before the first shot: the closed-form balance under gravity alone.

Newton on positions and forces together needs many short steps when a whole net or a moored body starts far
from its balance. The closed form finds the balance of the same assembly without current and other loads from
anywhere, for a fraction of the cost; lines and bodies then need a few steps from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.catenary_balance import balanced, begin, find_balance
from ropewalk.methods.shooting.shape import end_place, peg_knots
from ropewalk.model.arrays import Array, floats, frozen, ints, offsets
from ropewalk.model.joints import FREE, HELD, LOOSE, unloaded_axes
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.over import pieces_between
from ropewalk.model.profiles import no_profiles
from ropewalk.physics.elasticity import FUNCTION, INEXTENSIBLE, LINEAR, strain

FEW_POINTS = 0  # free points up to which the positions of the file serve
MODEST_STRAIN = 0.01  # where a non-linear law is replaced by its secant


def gravity_place(model: Model, place: Place, t: float) -> Place:
    """Points and bodies balanced under gravity at time t, or `place` if there is nothing to gain or no balance."""
    free = np.any(model.points.joint != HELD, axis=1) & (model.points.motion < 0)
    if np.count_nonzero(free) <= FEW_POINTS and not np.any(model.bodies.joint == LOOSE):
        return place
    simple, n = gravity_model(model), place.points.shape[0]
    if model.lines.over_index.size:  # with the pegs where they are guessed to be
        simple, _ = points_for_loads(simple, place)
    points = np.concatenate([place.points, simple.points.position[n:]])
    work = begin(simple, Place(points, place.bodies.copy(), place.quaternions.copy()), t)
    path = find_balance(simple, work, t)
    return work.place._replace(points=work.place.points[:n]) if balanced(work, path) else place


def gravity_model(model: Model) -> Model:
    """The model without current, distributed loads, sideways point loads, slope and non-linear laws."""
    lines, sections = model.lines, model.sections
    down = lines.attachment_force.copy()
    down[:, :2] = 0.0
    stiffness = [_secant(model, i) for i in range(sections.law.size)]
    finite = np.isfinite(stiffness)
    n_lines = lines.length.size
    return model._replace(
        sea=model.sea._replace(current_speed=0.0, bed_normal=floats([0.0, 0.0, 1.0])),
        sections=sections._replace(
            law=ints(np.where(finite, LINEAR, INEXTENSIBLE)),
            law_start=ints(np.concatenate([[0], np.cumsum(finite)])),
            law_data=floats(np.array(stiffness)[finite]),
            compression=np.zeros_like(sections.compression),
        ),
        profiles=no_profiles(sections.law.size),
        lines=lines._replace(
            attachment_force=floats(down, (-1, 3)),
            load_start=ints(np.zeros(n_lines + 1)),
            load_kind=ints(np.zeros(0)),
            load_axis=floats(np.zeros((0, 3))),
            load_value=floats(np.zeros(0)),
            load_origin=floats(np.zeros((0, 3))),
            table_start=ints(np.zeros(1)),
            load_table=floats(np.zeros((0, 4))),
        ),
    )


def _secant(model: Model, i: int) -> float:
    """EA of a section (N), of its secant at MODEST_STRAIN if its law is not linear; infinite if it does not stretch."""
    sections = model.sections
    kind, start, stop = int(sections.law[i]), int(sections.law_start[i]), int(sections.law_start[i + 1])
    if kind == INEXTENSIBLE:
        return float("inf")
    if kind == LINEAR:
        return float(sections.law_data[start])
    stiffest = sections.law_data[start] if kind == FUNCTION else np.max(np.abs(sections.law_data[start:stop]))
    probe = float(stiffest) * MODEST_STRAIN
    e, slope = strain(probe, kind, sections.law_data, start, stop)
    return probe / e if e > 0.0 else 1.0 / slope


class Afloat(NamedTuple):
    """The balance under gravity with point loads free to surface."""

    place: Place
    knots: dict[int, tuple[Array, Array]]  # of each line: s (k,) and position (k, 3) of its ends and point loads, m


def float_balance(model: Model, place: Place, t: float) -> Afloat | None:
    """Where floats on the lines come to rest under gravity; None if no line has one, or there is no balance.

    The closed form takes loads on a line as constant; as free points they can surface and float.
    """
    lines = model.lines
    if not np.any(model.sea.water_density * lines.attachment_volume > lines.attachment_mass):
        return None
    wide, owners = points_for_loads(gravity_model(model), place)
    n = len(model.names.points)
    work = begin(wide, Place(wide.points.position.copy(), place.bodies.copy(), place.quaternions.copy()), t)
    if not balanced(work, find_balance(wide, work, t)):
        return None
    found = Place(work.place.points[:n], work.place.bodies, work.place.quaternions)
    knots = {}
    for i in range(lines.length.size):
        if lines.over_start[i + 1] > lines.over_start[i]:
            knots[i] = peg_knots(model, found, i)
            continue
        own = [(s, work.place.points[n + k]) for k, (line, s) in enumerate(owners) if line == i]
        ends = [(0.0, end_place(model, found, i, 0)), *own, (float(lines.length[i]), end_place(model, found, i, 1))]
        knots[i] = np.array([s for s, _ in ends]), np.array([where for _, where in ends])
    return Afloat(found, knots)


def points_for_loads(model: Model, place: Place) -> tuple[Model, list[tuple[int, float]]]:
    """The model with its lines cut at their point loads, which become free points; line and s of each.

    Lines that run over points end there and go on, with as much on each side as is guessed.
    """
    lines, points = model.lines, model.points
    n = len(model.names.points)
    owners: list[tuple[int, float]] = []
    rows: list[int] = []  # of the attachments that became points
    start: list[Array] = []
    ends, counts, pieces, section, length = [], [], [], [], []
    for i in range(lines.length.size):
        clumps = range(lines.attachment_start[i], lines.attachment_start[i + 1])
        inner = {float(lines.attachment_s[j]): j for j in clumps if 0.0 < lines.attachment_s[j] < lines.length[i]}
        a, b = end_place(model, place, i, 0), end_place(model, place, i, 1)
        here = (int(lines.end_kind[i, 0]), int(lines.end_index[i, 0]), lines.end_offset[i, 0])
        low = 0.0
        over = dict(
            zip(peg_knots(model, place, i)[0][1:-1], range(lines.over_start[i], lines.over_start[i + 1]), strict=True)
        )
        for s in (*inner, *over, float(lines.length[i])):
            if s in over:
                p = over[s]
                there = (int(lines.over_kind[p]), int(lines.over_index[p]), lines.over_offset[p])
            elif s in inner:
                start.append(a + s / lines.length[i] * (b - a))
                there = (POINT, n + len(owners), np.zeros(3))
                owners.append((i, s))
                rows.append(inner[s])
            else:
                there = (int(lines.end_kind[i, 1]), int(lines.end_index[i, 1]), lines.end_offset[i, 1])
            stretch = [(int(model.lines.piece_section[k]), part) for k, part in pieces_between(model, i, low, s)]
            ends.append((here, there))
            counts.append(len(stretch))
            section += [k for k, _ in stretch]
            pieces += [ds for _, ds in stretch]
            length.append(s - low)
            here, low = there, s
    m = len(owners)
    wide = points._replace(
        position=floats(np.concatenate([place.points, np.array(start).reshape(-1, 3)])),
        joint=ints(np.concatenate([points.joint, np.full((m, 3), FREE)])),
        frame=floats(np.concatenate([points.frame, np.tile(np.eye(3), (m, 1, 1))])),
        axis=frozen(np.concatenate([points.axis, unloaded_axes(np.tile(np.eye(3), (m, 1, 1)))])),
        mass=floats(np.concatenate([points.mass, lines.attachment_mass[rows]])),
        volume=floats(np.concatenate([points.volume, lines.attachment_volume[rows]])),
        drag_area=floats(np.concatenate([points.drag_area, np.zeros(m)])),
        added_mass=floats(np.concatenate([points.added_mass, np.zeros(m)])),
        force=floats(np.concatenate([points.force, lines.attachment_force[rows]])),
        motion=ints(np.concatenate([points.motion, np.full(m, -1)])),
    )
    n_lines = len(ends)
    cut = lines._replace(
        length=floats(length),
        end_kind=ints([[kind for kind, _, _ in pair] for pair in ends], (-1, 2)),
        end_index=ints([[k for _, k, _ in pair] for pair in ends], (-1, 2)),
        end_offset=floats([[offset for _, _, offset in pair] for pair in ends], (-1, 2, 3)),
        piece_start=offsets(counts),
        piece_section=ints(section),
        piece_length=floats(pieces),
        piece_elements=ints(np.zeros(len(pieces))),
        attachment_start=ints(np.zeros(n_lines + 1)),
        attachment_s=floats([]),
        attachment_mass=floats([]),
        attachment_volume=floats([]),
        attachment_drag_area=floats([]),
        attachment_added_mass=floats([]),
        attachment_force=floats([], (-1, 3)),
        load_start=ints(np.zeros(n_lines + 1)),
        over_start=ints(np.zeros(n_lines + 1)),
        over_kind=ints([]),
        over_index=ints([]),
        over_offset=floats([], (-1, 3)),
    )
    names = model.names._replace(
        points=(*model.names.points, *(f"load {k}" for k in range(m))), lines=tuple(f"part {k}" for k in range(n_lines))
    )
    return model._replace(names=names, points=wide, lines=cut), owners
