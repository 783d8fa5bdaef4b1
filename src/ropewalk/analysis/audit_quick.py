"""The audit's short way: uniform lines, points and bodies by compiled sums, where nothing is in doubt.

It has no say in what is wrong: an answer that does not pass here, or has a part that the sums leave open, goes the long
way (audit_lines.py, audit_parts.py), which decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import (
    FORCE,
    GRIP,
    LEAST_WIDTH,
    LENGTH,
    ROUND_OFF,
    SINK,
    TAUT,
    Finding,
)
from ropewalk.analysis.audit_parts import prescribed_points
from ropewalk.loads.rest_balance import Balance, Floats, Knots, check_bodies, check_points
from ropewalk.loads.string_flow import Flow
from ropewalk.loads.string_march import Limits, Missed, Places, Strings, Water, check_strings
from ropewalk.model.environment import is_grid
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.entry import Entry
from ropewalk.physics.current import FUNCTION

# an entry looks at the types of its arguments once, so that still water and a current have one each
in_still_water, on_points, on_bodies = Entry(check_strings), Entry(check_points), Entry(check_bodies)
in_flow, on_points_in_flow = Entry(check_strings), Entry(check_points)
LIMITS = Limits(FORCE, LENGTH, TAUT, ROUND_OFF, GRIP, SINK, LEAST_WIDTH)


class Quick(NamedTuple):
    """Figures without doubt; None where the long way has to decide."""

    lines: list[Finding] | None
    parts: list[Finding] | None  # of points and bodies


UNDECIDED = Quick(None, None)


def quick_findings(model: Model, state: State, time: float = 0.0) -> Quick:
    """Figures of an equilibrium.

    For continuous lines of linear laws under gravity and a current, without given loads, over a plane bed; points, and
    bodies in still water.  time : of prescribed motions, s
    """
    if not _has_plain_lines(model, state):
        return UNDECIDED
    water, flow, places, strings = _water(model), _flow(model), _places(state), _strings(model, state)
    march = in_still_water if flow is None else in_flow
    lines: Missed = march(strings, water, flow, LIMITS, places)
    if not lines.passed:
        return UNDECIDED
    of_lines = _of_lines(model, lines)
    if not _has_plain_parts(model):
        return Quick(of_lines, None)
    weigh = on_points if flow is None else on_points_in_flow
    points: Balance = weigh(_knots(model, time), strings, water, flow, LIMITS, places, lines.scale)
    parts = _of_parts("point", model.names.points, points)
    if not points.passed or not model.names.bodies:
        return Quick(of_lines, parts if points.passed else None)
    bodies: Balance = on_bodies(_floats(model), strings, water, LIMITS, places, lines.scale)
    parts += _of_parts("body", model.names.bodies, bodies)
    return Quick(of_lines, parts if bodies.passed else None)


def _has_plain_lines(model: Model, state: State) -> bool:
    """Whether the sums cover the lines; laws, surface and bed are looked at on the way."""
    lines, sea, fields = model.lines, model.sea, model.fields
    if is_grid(sea) or lines.load_kind.size or lines.over_index.size or lines.length.size == 0:
        return False
    if model.profiles.any or fields.loads or (_flows(model) and (sea.current_kind == FUNCTION or fields.drag)):
        return False
    return state.node_force.shape == state.position.shape


def _has_plain_parts(model: Model) -> bool:
    """Whether the sums cover points and bodies."""
    if model.sea.wind_speed > 0.0 or model.nets.names or model.links.names:
        return False
    if not model.names.bodies:
        return True
    return not (_flows(model) or np.any(model.bodies.motion >= 0))


def _flows(model: Model) -> bool:
    return model.sea.current_speed > 0.0 and model.sea.water_density > 0.0


def _still(a: Any) -> Any:
    """A read-only view of contiguous numbers, so that kernels are compiled once."""
    view = np.ascontiguousarray(a).view()
    view.flags.writeable = False
    return view


def _water(model: Model) -> Water:
    sea = model.sea
    x, y, z = sea.bed_normal.tolist()
    depth = sea.depth if sea.has_seabed else 0.0
    return Water(sea.gravity, sea.water_density, depth, (x, y, z), sea.has_seabed, sea.bed_stiffness, sea.bed_friction)


def _flow(model: Model) -> Flow | None:
    """The current, None where there is none."""
    sea, sections = model.sea, model.sections
    if not _flows(model):
        return None
    return Flow(
        int(sea.current_kind), float(sea.current_speed), float(sea.current_heading), float(sea.current_exponent),
        float(sea.depth), _still(sea.current_table), _still(sections.drag_normal), _still(sections.drag_tangential),
        _still(model.lines.attachment_drag_area),
    )  # fmt: skip


def _places(state: State) -> Places:
    return Places(_still(state.point_position), _still(state.body_position), _still(state.body_quaternion))


def _strings(model: Model, state: State) -> Strings:
    lines, sections = model.lines, model.sections
    return Strings(
        start=_still(state.start),
        s=_still(state.s),
        position=_still(state.position),
        node_force=_still(state.node_force),
        tension=_still(state.tension),
        end_force=_still(state.end_force),
        end_kind=lines.end_kind,
        end_index=lines.end_index,
        end_offset=lines.end_offset,
        piece_start=lines.piece_start,
        piece_section=lines.piece_section,
        piece_length=lines.piece_length,
        hung_start=lines.attachment_start,
        hung_s=lines.attachment_s,
        hung_mass=lines.attachment_mass,
        hung_volume=lines.attachment_volume,
        hung_force=lines.attachment_force,
        mass=sections.mass,
        area=sections.area,
        radius=sections.contact_radius,
        law=sections.law,
        law_start=sections.law_start,
        law_data=sections.law_data,
    )


def _knots(model: Model, time: float) -> Knots:
    points = model.points
    home = _still(prescribed_points(model, time)) if model.motions.function.size else points.position
    return Knots(
        home, points.joint, points.frame, points.axis_force, points.axis_spring, points.mass, points.volume,
        points.force, points.drag_area,
    )  # fmt: skip


def _floats(model: Model) -> Floats:
    own, hulls = model.bodies, model.bodies.hulls
    return Floats(
        own.position, own.position, own.quaternion, own.joint, own.mass, own.centre, own.volume, own.hull_start,
        hulls.kind, hulls.place, hulls.axis, hulls.radius, hulls.profile_start, hulls.profile,
        own.load_force, own.load_moment, own.load_at, own.stiffness,
    )  # fmt: skip


def _of_lines(model: Model, missed: Missed) -> list[Finding]:
    kinds = (("force", missed.force), ("length", missed.length), ("bed", missed.bed), ("position", missed.position))
    names = model.names.lines
    return [
        Finding(kind, f"line '{names[worst.part]}' at s = {worst.s:.4g} m", worst.value, worst.limit)
        for kind, worst in kinds
        if kind != "bed" or model.sea.has_seabed
    ]


def _of_parts(kind: str, names: tuple[str, ...], balance: Balance) -> list[Finding]:
    if not names:
        return []
    force, moment, position = balance.force, balance.moment, balance.position
    found = [Finding("force", f"{kind} '{names[force.part]}'", force.value, force.limit)]
    found.append(Finding("position", f"{kind} '{names[position.part]}'", position.value, position.limit))
    if kind == "body":
        found.append(Finding("force", f"body '{names[moment.part]}', by its moment,", moment.value, moment.limit))
    return found
