"""The audit's short way: lines, points and bodies by compiled sums, where nothing is in doubt.

It has no say in what is wrong: what does not pass here, or is left open by the sums, goes the long way (audit_lines.py,
audit_elements.py, audit_parts.py), which decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit_hulls import flow_wrenches
from ropewalk.analysis.audit_lines import (
    FORCE,
    GRIP,
    LEAST_WIDTH,
    LENGTH,
    LEVEL,
    ON_BED,
    PLACE,
    PUSH,
    RAMP,
    ROUND_OFF,
    SAME,
    SINK,
    SLACK,
    TAUT,
    Finding,
    peg_nodes,
)
from ropewalk.analysis.audit_parts import RESTS, prescribed_points
from ropewalk.audit.acting import Acting, Along, Field, Given, Has, Strings, Water
from ropewalk.audit.bodies import Floats, Ties, check_bodies
from ropewalk.audit.elements import Elements, check_elements
from ropewalk.audit.flow import Current, Drags
from ropewalk.audit.strings import (
    FIGURES,
    KINDS,
    KNOT,
    LINE,
    MOMENT,
    Knots,
    Limits,
    Places,
    check_rest,
)
from ropewalk.loads.footing import attachment_footings
from ropewalk.loads.strips import shape_records
from ropewalk.model.arrays import Flags
from ropewalk.model.environment import is_grid
from ropewalk.model.lines import BODY, FORCE_TABLE, POINT
from ropewalk.model.model import Model, Names
from ropewalk.model.state import State
from ropewalk.numerics.entry import Entry
from ropewalk.physics.current import FUNCTION
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR

NODES, CONTINUOUS = "nodes", "continuous"  # quadratures: loads at nodes of elements; none, of continuous lines


def _parts(acting: Acting) -> tuple[bool, ...]:
    """What a case has: an entry looks at the types of its arguments once for each combination."""
    has, current, given = acting.field
    return has.series is None, has.curves is None, has.drag_laws is None, current is None, given is None


# each over a plane bed, and over a relief
on_strings, on_elements = ([Entry(check, _parts) for _ in range(2)] for check in (check_rest, check_elements))
on_bodies = [Entry(check_bodies) for _ in range(2)]
PLAIN = Acting(Field(Has(None, None, None, None), None, None), None, None, None)  # linear laws in still water
LIMITS = Limits(
    FORCE, LENGTH, TAUT, ROUND_OFF, GRIP, SINK, LEAST_WIDTH, LEVEL, SLACK, PUSH, RAMP, ON_BED, SAME, RESTS, PLACE
)  # fmt: skip


NOWHERE: Flags = np.zeros(0, dtype=np.bool_)
NOWHERE.setflags(write=False)
ROW = np.dtype((np.record, FIGURES))  # fields by name, also without the compiler


class Quick(NamedTuple):
    """Which kinds of parts pass without doubt, and their figures; of the others the long way has to decide."""

    names: Names
    figures: Any  # (1,) of FIGURES
    lines: bool = False
    points: bool = False
    bodies: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left open."""
        return self.lines and self.points and self.bodies

    def findings(self) -> list[Finding]:
        """Of what passes, of each kind of figure that with the largest share of its limit."""
        if self.figures is None:
            return []
        rows = zip((self.lines, self.points, self.bodies), self.figures.tolist()[0], strict=True)
        return [
            Finding(kind, _part(self.names, of, part, s), value, limit)
            for passed, row in rows
            if passed
            for kind, (value, limit, of, part, s) in zip(KINDS.names or (), row, strict=True)
            if limit > 0.0
        ]


def quick_findings(model: Model, state: State, time: float, quadrature: str) -> Quick:
    """Figures of an equilibrium.

    For continuous lines off a relief, and those of elements that lump loads at their nodes; points and bodies that no
    line runs over, points without links, and bodies off a plane bed.

    time : of prescribed motions, s    quadrature : as of :func:`audit`
    """
    undecided = Quick(model.names, None)
    continuous = quadrature == CONTINUOUS and state.node_force.shape == state.position.shape
    continuous = continuous or not model.names.lines
    if not (continuous or _has_plain_elements(model, state, quadrature)):
        return undecided
    kinds = model.lines.over_kind  # of what lines run over: their pull is left to the long way
    acting, water, places, strings = _acting(model), _water(model), _places(state), _strings(model, state)
    figures, knots, bed = np.zeros(1, dtype=ROW), _knots(model, time), int(is_grid(model.sea))
    if continuous:
        lines, points, scale = on_strings[bed](acting, strings, water, LIMITS, places, knots, figures)
    else:
        own = _elements(model, state)
        lines, points, scale = on_elements[bed](acting, strings, water, LIMITS, places, knots, own, figures)
    if not lines:
        return undecided
    if model.nets.names:  # they pull at points and bodies, too
        return Quick(model.names, figures, True)
    if kinds.size or model.links.names:
        points = points and not (np.any(model.links.end_kind == POINT) or np.any(kinds == POINT))
    bodies = not (model.names.bodies and (np.any(model.bodies.motion >= 0) or np.any(kinds == BODY)))
    if bodies and model.names.bodies:
        floats, ties = _floats(model, state), _ties(model, state)
        bodies = on_bodies[bed](floats, ties, strings, water, LIMITS, places, scale, figures)
    return Quick(model.names, figures, True, points, bodies)


def _has_plain_elements(model: Model, state: State, quadrature: str) -> bool:
    """Whether the sums cover lines of elements: nothing that is averaged over each of them."""
    lines = model.lines
    return (
        quadrature == NODES
        and state.element_tension.shape == state.tension.shape
        and state.node_force.shape != state.position.shape
        and not model.profiles.any
        and not (lines.load_kind.size and np.any(lines.load_kind == FORCE_TABLE))
    )


def _flows(model: Model) -> bool:
    return model.sea.current_speed > 0.0 and model.sea.water_density > 0.0


def _still(a: Any) -> Any:
    """A read-only view of contiguous numbers, so that kernels are compiled once."""
    view = np.ascontiguousarray(a).view()
    view.setflags(write=False)
    return view


def _water(model: Model) -> Water:
    sea = model.sea
    x, y, z = sea.bed_normal.tolist()
    depth = sea.depth if sea.has_seabed else 0.0
    relief = sea.bed_terrain if is_grid(sea) else None
    return Water(
        sea.gravity, sea.water_density, depth, (x, y, z), sea.has_seabed, sea.bed_stiffness, sea.bed_friction, relief
    )


def _acting(model: Model) -> Acting:
    """What the case has beyond weight and linear laws."""
    sections, current, given = model.sections, _current(model), _given(model)
    along = Along(*model.profiles) if model.profiles.any else None
    curved = any(law not in (LINEAR, INEXTENSIBLE) for law in sections.law.tolist())
    if current is None and given is None and along is None and not curved:
        return PLAIN
    laws = _still(sections.drag_law) if current is not None and model.fields.drag else None
    varying = not (current is None and given is None and along is None)
    has = Has(*(True if each else None for each in (varying, along is not None, curved, laws is not None)))
    drags = None
    if current is not None:
        areas = _still(model.lines.attachment_drag_area)
        drags = Drags(_still(sections.drag_normal), _still(sections.drag_tangential), areas)
    return Acting(Field(has, current, given), drags, laws, along)


def _current(model: Model) -> Current | None:
    """The current, None where there is none."""
    sea, fields = model.sea, model.fields
    if not _flows(model):
        return None
    address = fields.current.address if sea.current_kind == FUNCTION and fields.current is not None else 0
    return Current(
        int(sea.current_kind), float(sea.current_speed), float(sea.current_heading), float(sea.current_exponent),
        float(sea.depth), _still(sea.current_table), address, float(fields.time),
    )  # fmt: skip


def _given(model: Model) -> Given | None:
    """Loads along the lines, None where there are none."""
    lines, fields = model.lines, model.fields
    if not (lines.load_kind.size or fields.loads):
        return None
    address = np.zeros(lines.length.size, dtype=np.int64)
    for line, handle in fields.loads:
        address[line] = handle.address
    return Given(
        lines.load_start, lines.load_kind, _still(lines.load_axis), _still(lines.load_value), _still(lines.load_origin),
        lines.table_start, _still(lines.load_table), _still(address), float(fields.time),
    )  # fmt: skip


def _places(state: State) -> Places:
    return Places(_still(state.point_position), _still(state.body_position), _still(state.body_quaternion))


def _strings(model: Model, state: State) -> Strings:
    lines, sections = model.lines, model.sections
    return Strings(
        _still(state.start), _still(state.s), _still(state.position), _still(state.node_force), _still(state.tension),
        _still(state.end_force), lines.end_kind, lines.end_index, lines.end_offset, lines.piece_start,
        lines.piece_section, lines.piece_length, lines.attachment_start, lines.attachment_s, lines.attachment_mass,
        lines.attachment_volume, lines.attachment_force, sections.mass, sections.area, sections.contact_radius,
        sections.law, sections.law_start, sections.law_data, _bent(model, state),
    )  # fmt: skip


def _bent(model: Model, state: State) -> Flags:
    """(n_nodes,) nodes at which lines run over something, or no rows."""
    if not model.lines.over_index.size:
        return NOWHERE
    found: Flags = np.zeros(state.s.size, dtype=np.bool_)
    found[peg_nodes(model, state)] = True
    return _still(found)


def _elements(model: Model, state: State) -> Elements:
    foot = attachment_footings(model) if model.lines.attachment_s.size else model.lines.attachment_s
    points, bodies = model.points, model.bodies
    return Elements(
        _still(state.element_tension), model.sections.compression, _still(foot), points.motion, bodies.joint,
        bodies.motion,
    )  # fmt: skip


def _knots(model: Model, time: float) -> Knots:
    points = model.points
    home = _still(prescribed_points(model, time)) if model.motions.function.size else points.position
    return Knots(
        home, points.joint, points.frame, points.axis, points.mass, points.volume,
        points.force, points.drag_area,
    )  # fmt: skip


def _floats(model: Model, state: State) -> Floats:
    own, hulls, flow = model.bodies, model.bodies.hulls, np.zeros((len(model.names.bodies), 6))
    if hulls.kind.size and (_flows(model) or model.sea.wind_speed > 0.0):
        flow = flow_wrenches(model, state.body_position, state.body_quaternion)
    return Floats(
        own.position, own.quaternion, own.joint, own.mass, own.centre, own.volume, own.hull_start,
        shape_records(hulls), hulls.profile,
        own.load_force, own.load_moment, own.load_at, own.stiffness, _still(flow),
    )  # fmt: skip


def _ties(model: Model, state: State) -> Ties:
    links, n = model.links, state.link_force.shape[0]
    return Ties(links.end_kind[:n], links.end_index[:n], links.offset[:n], _still(state.link_force),
                _still(state.link_moment))  # fmt: skip


def _part(names: Names, of: int, part: int, s: float) -> str:
    """In words, what a figure is of."""
    if of == LINE:
        return f"line '{names.lines[part]}' at s = {s:.4g} m"
    if of == KNOT:
        return f"point '{names.points[part]}'"
    return f"body '{names.bodies[part]}'" + " (moment)" * (of == MOMENT)
