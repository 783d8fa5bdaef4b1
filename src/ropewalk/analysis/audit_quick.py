"""The audit's short way: uniform lines, points and bodies in still water by compiled sums, where nothing is in doubt.

It has no say in what is wrong: an answer that does not pass here, or has a part that the sums leave open, goes the long
way (audit_lines.py, audit_parts.py), which decides.
"""

from __future__ import annotations

from typing import Any

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
from ropewalk.loads.rest_balance import Balance, Floats, Knots, check_bodies, check_points
from ropewalk.loads.string_march import Limits, Missed, Places, Strings, Water, check_strings
from ropewalk.model.environment import is_grid
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.entry import Entry

on_strings, on_points, on_bodies = Entry(check_strings), Entry(check_points), Entry(check_bodies)
LIMITS = Limits(FORCE, LENGTH, TAUT, ROUND_OFF, GRIP, SINK, LEAST_WIDTH)


def quick_findings(model: Model, state: State) -> list[Finding] | None:
    """Figures of an equilibrium without doubt, None if the long way has to decide.

    For cases that closed forms are for: gravity, still water and a plane bed, lines of linear laws without given loads.
    """
    if not _is_plain(model, state):
        return None
    water, places, strings = _water(model), _places(state), _strings(model, state)
    lines: Missed = on_strings(strings, water, LIMITS, places)
    if not lines.passed:
        return None
    points: Balance = on_points(_knots(model), strings, water, LIMITS, places, lines.scale)
    if not points.passed:
        return None
    if not model.names.bodies:
        return [*_of_lines(model, lines), *_of_parts("point", model.names.points, points)]
    bodies: Balance = on_bodies(_floats(model), strings, water, LIMITS, places, lines.scale)
    if not bodies.passed:
        return None
    parts = [*_of_parts("point", model.names.points, points), *_of_parts("body", model.names.bodies, bodies)]
    return [*_of_lines(model, lines), *parts]


def _is_plain(model: Model, state: State) -> bool:
    """Whether the sums cover the case; laws, surface and bed are looked at on the way."""
    lines, sea = model.lines, model.sea
    flows = sea.current_speed > 0.0 and sea.water_density > 0.0
    if flows or sea.wind_speed > 0.0 or is_grid(sea) or model.nets.names or model.links.names:
        return False
    if lines.load_kind.size or lines.over_index.size or lines.length.size == 0:
        return False
    moves = model.motions.function.shape[0] > 0
    return not moves and state.node_force.shape == state.position.shape


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


def _knots(model: Model) -> Knots:
    points = model.points
    return Knots(
        points.position, points.joint, points.frame, points.axis_force, points.axis_spring, points.mass, points.volume,
        points.force,
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
