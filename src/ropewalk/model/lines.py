"""Arrays of sections and lines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import is_
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Ints, Records, flags, floats, ints, offsets, records, sealed
from ropewalk.model.drag import drag_law
from ropewalk.model.in_time import FunctionBook, steady_vector
from ropewalk.model.parting import Breaks, build_breaks
from ropewalk.model.payout import Winches, build_winches
from ropewalk.model.ropes import build_ropes, static_law
from ropewalk.physics.elasticity import Law, linear_law, pack_laws, polynomial_law, table_law
from ropewalk.physics.lift import LIFT
from ropewalk.physics.ropes import ROPE
from ropewalk.spec import lines as spec
from ropewalk.spec.bodies import Body
from ropewalk.spec.in_time import InTime
from ropewalk.spec.rods import Rod
from ropewalk.spec.ropes import RopeLaw
from ropewalk.spec.sections import PolynomialLaw, Section, TableLaw

POINT, BODY, ROD = 0, 1, 2  # what a line's end is fastened to
PRESSURE, FORCE_TABLE, ROTATING = 0, 1, 2  # kinds of distributed load
EDGE = 1e-9  # of the length: over which a tabled load begins and ends; far below any element

# a place of a line around which a mesh has shorter elements; see assembly/grading.py
FOCUS = np.dtype(
    [
        ("line", "i8"),
        ("s", "f8"),  # m from end A
        ("longest", "f8"),  # element there, m
        ("reach", "f8"),  # to either side, m
    ]
)


class Sections(NamedTuple):
    """Cross-sections, one entry each."""

    mass: Array  # kg/m
    area: Array  # displaced volume per length, m2
    drag_normal: Array  # Cd times the drag diameter, m
    drag_tangential: Array  # Ct times the circumference (or the diameter, as given), m
    drag_law: Ints  # address of a law of physics/drag_law.py, 0 for constant coefficients; those above are then 1
    added_normal: Array  # multiples of the displaced mass
    added_tangential: Array
    contact_radius: Array  # height of the axis above the bed at rest, m
    damping: Array  # Kelvin-Voigt time, s
    compression: Flags  # can push
    breaking_load: Array  # N, inf if unknown
    law: Ints  # kind of physics/elasticity.py
    law_start: Ints  # (n + 1,) into law_data
    law_data: Array
    lift: Records  # (n,) of LIFT of physics/lift.py
    rope: Records  # (n,) of ROPE of physics/ropes.py: memory of those that have one; the law above is their static one


class Lines(NamedTuple):
    """Lines; pieces, attachments and loads of all lines lie end to end."""

    length: Array  # (n,) unstretched, m
    end_kind: Ints  # (n, 2) POINT, BODY or ROD, for ends A and B
    end_index: Ints  # (n, 2) which point, body or rod
    end_offset: Array  # (n, 2, 3) in the body frame, m; on a rod s and the place along section axes 2 and 3
    piece_start: Ints  # (n + 1,)
    piece_section: Ints
    piece_length: Array  # m
    piece_elements: Ints  # as given, 0 if left to the solver
    grading: Array  # (n,) ordinary over shortest element
    attachment_start: Ints  # (n + 1,)
    attachment_s: Array  # m from end A, rising
    attachment_mass: Array  # kg
    attachment_volume: Array  # m3
    attachment_drag_area: Array  # m2
    attachment_added_mass: Array  # kg
    attachment_force: Array  # (m, 3) N
    load_start: Ints  # (n + 1,)
    load_kind: Ints
    load_axis: Array  # (m, 3) unit
    load_value: Array  # N/m, or rad/s of a rotating frame
    load_origin: Array  # (m, 3) m
    table_start: Ints  # (m + 1,) into load_table
    load_table: Array  # (k, 4) s (m), force (N/m)
    over_start: Ints  # (n + 1,) into what lines run over, from end A
    over_kind: Ints  # (p,) POINT or BODY
    over_index: Ints  # (p,) which point or body
    over_offset: Array  # (p, 3) in the body frame, m
    winches: Winches
    breaks: Breaks
    focus: Records  # (n_focuses,) of FOCUS: none but those that a method of elements puts there itself


def build_sections(sections: Mapping[str, Section], water_density: float, laws: Mapping[str, Law]) -> Sections:
    """Arrays of all sections, in the order of the file; those of the last call where the sections are the same objects.

    water_density : kg/m3    laws : in place of those of the sections, by name
    """
    parts = tuple(sections.values())
    if laws:
        return _fill_sections(sections, water_density, laws)
    known = _last[:1]
    if known and known[0][1] == water_density and len(known[0][0]) == len(parts) and all(map(is_, known[0][0], parts)):
        return known[0][2]
    made = _fill_sections(sections, water_density, laws)
    _last[:] = [(parts, water_density, made)]
    return made


_last: list[tuple[tuple[Section, ...], float, Sections]] = []  # loops over offsets and loads leave sections as they are


def _fill_sections(sections: Mapping[str, Section], water_density: float, laws: Mapping[str, Law]) -> Sections:
    parts = list(sections.values())
    drag_diameter = [s.drag_diameter or s.diameter for s in parts]
    law, law_start, law_data = pack_laws([laws.get(name) or _law(s) for name, s in sections.items()])
    rope, law_data = build_ropes(sections, law, law_start, law_data)
    coefficients = [(1.0, 1.0) if s.drag.has_law else s.drag.numbers for s in parts]
    return Sections(
        mass=floats([s.mass for s in parts]),
        area=floats([s.displaced_area for s in parts]),
        drag_normal=floats([c[0] * d for c, d in zip(coefficients, drag_diameter, strict=True)]),
        drag_tangential=floats(
            [
                c[1] * d * (math.pi if s.drag.tangential_reference == "circumference" else 1.0)
                for s, c, d in zip(parts, coefficients, drag_diameter, strict=True)
            ]
        ),
        drag_law=ints([drag_law(s.drag, water_density) for s in parts]),
        added_normal=floats([s.added_mass.normal for s in parts]),
        added_tangential=floats([s.added_mass.tangential for s in parts]),
        contact_radius=floats([0.5 * s.contact_diameter for s in parts]),
        damping=floats([s.damping for s in parts]),
        compression=flags([s.compression for s in parts]),
        breaking_load=floats([s.breaking_load or math.inf for s in parts]),
        law=law,
        law_start=law_start,
        law_data=law_data,
        lift=_lifts(parts),
        rope=rope,
    )


def _lifts(parts: list[Section]) -> Records:
    """Vortex-induced lift of all sections."""
    rows = records(len(parts), LIFT)
    for row, section in zip(rows, parts, strict=True):
        row.diameter = section.drag_diameter or section.diameter
        if section.lift is not None:
            row.coefficient, row.centre, row.width = section.lift.coefficient, section.lift.centre, section.lift.width
    rows.flags.writeable = False
    return rows


def without_memory(sections: Sections) -> Sections:
    """The sections, with static laws for ropes with memory."""
    return sections._replace(rope=records(sections.rope.shape[0], ROPE))


def build_lines(system_lines: Mapping[str, spec.Line], sections: Mapping[str, Section],
                points: Mapping[str, spec.Point], bodies: Mapping[str, Body],
                rods: Mapping[str, Rod], book: FunctionBook) -> Lines:  # fmt: skip
    """Arrays of all lines, in the order of the file."""
    parts = list(system_lines.values())
    section_index = {name: i for i, name in enumerate(sections)}
    ends = [[_end(end, points, bodies, rods) for end in (line.from_, line.to)] for line in parts]
    pieces = [piece for line in parts for piece in line.pieces]
    shares = [count for line in parts for count in _elements(line)]
    attachments = [a for line in parts for a in sorted(line.attachments, key=lambda a: a.s)]
    loads = [load for line in parts for load in line.loads]
    over = [_end(name, points, bodies, rods) for line in parts for name in line.over]
    tables = [_table(load, line.length) for line in parts for load in line.loads]
    return Lines(
        length=floats([line.length for line in parts]),
        end_kind=ints([[kind for kind, _, _ in pair] for pair in ends], (-1, 2)),
        end_index=ints([[index for _, index, _ in pair] for pair in ends], (-1, 2)),
        end_offset=floats([[offset for _, _, offset in pair] for pair in ends], (-1, 2, 3)),
        piece_start=offsets([len(line.pieces) for line in parts]),
        piece_section=ints([section_index[piece.section] for piece in pieces]),
        piece_length=floats([piece.length for piece in pieces]),
        piece_elements=ints(shares),
        grading=floats([line.grading for line in parts]),
        attachment_start=offsets([len(line.attachments) for line in parts]),
        attachment_s=floats([a.s for a in attachments]),
        attachment_mass=floats([a.mass for a in attachments]),
        attachment_volume=floats([a.volume for a in attachments]),
        attachment_drag_area=floats([a.drag_area for a in attachments]),
        attachment_added_mass=floats([a.added_mass for a in attachments]),
        attachment_force=floats([steady_vector(a.force) for a in attachments], (-1, 3)),
        load_start=offsets([len(line.loads) for line in parts]),
        load_kind=ints([_LOAD_KINDS[load.kind] for load in loads]),
        load_axis=floats([_axis(load) for load in loads], (-1, 3)),
        load_value=floats([_value(load) for load in loads]),
        load_origin=floats([load.origin if isinstance(load, spec.RotatingLoad) else (0.0, 0.0, 0.0) for load in loads],
                           (-1, 3)),
        table_start=offsets([len(rows) for rows in tables]),
        load_table=floats([row for rows in tables for row in rows], (-1, 4)),
        over_start=offsets([len(line.over) for line in parts]),
        over_kind=ints([kind for kind, _, _ in over]),
        over_index=ints([index for _, index, _ in over]),
        over_offset=floats([offset for _, _, offset in over], (-1, 3)),
        winches=build_winches(system_lines, book),
        breaks=build_breaks(system_lines),
        focus=sealed(records(0, FOCUS)),
    )  # fmt: skip


_LOAD_KINDS = {"pressure": PRESSURE, "table": FORCE_TABLE, "rotating": ROTATING}


def _law(section: Section) -> Law:
    law = section.axial_stiffness
    if isinstance(law, RopeLaw):
        return static_law(law)
    if isinstance(law, TableLaw):
        return table_law(law.strain, law.tension)
    if isinstance(law, PolynomialLaw):
        return polynomial_law(law.stiffness, law.coefficients)
    return linear_law(law if isinstance(law, float | int) else math.inf)


def _end(
    end: str, points: Mapping[str, spec.Point], bodies: Mapping[str, Body], rods: Mapping[str, Rod]
) -> tuple[int, int, tuple[float, float, float]]:
    if end in points:
        return POINT, list(points).index(end), (0.0, 0.0, 0.0)
    body, _, attachment = end.partition(".")
    if body in rods:
        at = rods[body].attachments[attachment]
        return ROD, list(rods).index(body), (at.s, *at.offset)
    return BODY, list(bodies).index(body), bodies[body].attachments[attachment]


def _elements(line: spec.Line) -> list[int]:
    """Elements of each piece: its own number, or its share of the line's, at least one."""
    if line.elements is None:
        return [piece.elements or 0 for piece in line.pieces]
    return [piece.elements or max(1, round(line.elements * piece.length / line.length)) for piece in line.pieces]


def _axis(load: spec.LineLoad) -> Array:
    if isinstance(load, spec.TableLoad):
        return np.zeros(3)
    assert not isinstance(load, spec.FileLoad)  # there are none in a checked case
    axis: Array = np.array(load.axis)
    return axis / np.linalg.norm(axis)


def _value(load: spec.LineLoad) -> float:
    if isinstance(load, spec.PressureLoad):
        return 1.0 if isinstance(load.value, InTime) else load.value
    return load.rate if isinstance(load, spec.RotatingLoad) else 0.0


def _table(load: spec.LineLoad, length: float) -> list[list[float]]:
    """Rows of s and force; a table over part of the line gets entries of zero force next to its ends."""
    if not isinstance(load, spec.TableLoad):
        return []
    rows = [[s, *force] for s, force in zip(load.s, load.force, strict=True)]
    if load.s[0] > 0.0:
        rows.insert(0, [max(0.0, load.s[0] - EDGE * length), 0.0, 0.0, 0.0])
    if load.s[-1] < length:
        rows.append([load.s[-1] + EDGE * length, 0.0, 0.0, 0.0])
    return rows
