"""Features that a case requires of a solver, and the solvers that have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.protocol import Claim, Solver
from ropewalk.model.bodies import HULL_DRAG
from ropewalk.model.environment import is_grid
from ropewalk.model.joints import FREE, HELD, LOOSE
from ropewalk.model.lines import ROD
from ropewalk.model.links import LINK_JOINT
from ropewalk.model.model import Model
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.physics.ropes import NO_MEMORY

# what closed forms of lines in gravity do: the method `catenary`, and what others start from
CLOSED_FORM = frozenset(
    {
        Claim.STATICS,
        Claim.SUSPENDED,
        Claim.GROUNDED,
        Claim.FRICTION,
        Claim.INEXTENSIBLE,
        Claim.ELASTIC,
        Claim.MEMORY,
        Claim.LIFT,
        Claim.PIECES,
        Claim.ATTACHMENTS,
        Claim.JOINTS,
        Claim.MOTIONS,
        Claim.FREE_POINTS,
        Claim.BODIES,
    }
)


_last: list[tuple[Model, frozenset[Claim]]] = []  # the last model: it is needed several times in a call


def demands(model: Model) -> frozenset[Claim]:
    """Features that the case requires beyond statics or dynamics."""
    known = _last[:1]
    if known and known[0][0] is model:
        return known[0][1]
    found = frozenset({*_line_demands(model), *_sea_demands(model), *_joint_demands(model), *_time_demands(model)})
    _last[:] = [(model, found)]
    return found


def refuse_unclaimed(solver: Solver, model: Model, ignored: frozenset[Claim] = frozenset()) -> None:
    """Raise InputError if the case requires what `solver` does not claim.

    At rest ropes with memory are what their static laws make them, and lift swings about zero: every static method
    takes such cases.
    """
    asked = demands(model)
    ignored = ignored | {Claim.MEMORY, Claim.LIFT} if Claim.STATICS in solver.claims else ignored
    missing = sorted(claim.value for claim in asked - solver.claims - ignored)
    if missing:
        instead = able(asked - ignored, Claim.STATICS if Claim.STATICS in solver.claims else Claim.DYNAMICS, model)
        names = [repr(name) for name in instead]
        either = " or ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
        way_out = f"use {either}" if names else "no method supports everything in this case"
        raise InputError(f"method '{solver.name}' does not support {', '.join(missing)}; {way_out}")


def able(asked: frozenset[Claim], kind: Claim, model: Model | None = None) -> list[str]:
    """Names of the methods that claim all that is required, in statics or in dynamics.

    model : of the case, whose finer points a method may refuse by its `check`
    """
    from ropewalk.methods.registry import SOLVERS, solver_class  # looking at a solver imports it

    found = [name for name in SOLVERS if name != "settle" and asked | {kind} <= solver_class(name).claims]
    return found if model is None else [name for name in found if _passes(solver_class(name), model)]


def _passes(solver: Any, model: Model) -> bool:
    """Whether the check of a solver, if it has one, lets a case pass."""
    try:
        getattr(solver, "check", lambda model: None)(model)
    except InputError:
        return False
    return True


def _line_demands(model: Model) -> Iterator[Claim]:
    lines, sections = model.lines, model.sections
    used = set(lines.piece_section.tolist())
    if model.nets.names:
        used |= set(np.unique(model.nets.section).tolist())
    laws = {int(sections.law[k]) for k in used}
    if INEXTENSIBLE in laws:
        yield Claim.INEXTENSIBLE
    if LINEAR in laws:
        yield Claim.ELASTIC
    if laws - {LINEAR, INEXTENSIBLE}:
        yield Claim.NONLINEAR
    memory, lift = sections.rope["kind"], sections.lift["coefficient"]  # attributes of record arrays are slow
    if any(memory[k] != NO_MEMORY for k in used):
        yield Claim.MEMORY
    if any(lift[k] > 0.0 for k in used):
        yield Claim.LIFT
    if any(sections.compression[k] for k in used):
        yield Claim.COMPRESSION
    if lines.piece_section.size > lines.length.size:
        yield Claim.PIECES
    if lines.attachment_s.size:
        yield Claim.ATTACHMENTS
        if np.any(lines.attachment_force[:, :2] != 0.0):
            yield Claim.ATTACHMENT_FORCES
    if lines.load_kind.size:
        yield Claim.LOADS
    if model.profiles.any:
        yield Claim.VARYING
    if any(sections.drag_law[k] for k in used):
        yield Claim.DRAG_LAWS
    if model.fields.acts:
        yield Claim.FUNCTIONS
    if lines.over_index.size:
        yield Claim.OVER
    if lines.winches.line.size:
        yield Claim.PAYOUT
    if lines.breaks.line.size:
        yield Claim.BREAK
    if model.nets.names:
        yield Claim.NETS
    if lines.length.size and lines.end_kind.max() == ROD:
        yield Claim.RODS


def _sea_demands(model: Model) -> Iterator[Claim]:
    sea = model.sea
    wet = sea.water_density > 0.0 and (model.lines.length.size > 0 or len(model.nets.names) > 0)
    if wet and sea.current_speed > 0.0:
        yield Claim.CURRENT
    if wet and sea.wave.shape[1] > 0:
        yield Claim.WAVES
    if sea.has_seabed:
        yield Claim.GROUNDED
        if sea.bed_friction > 0.0:
            yield Claim.FRICTION
        if is_grid(sea):
            yield Claim.GRID
        elif sea.bed_normal[2] < 1.0:
            yield Claim.SLOPE


def _time_demands(model: Model) -> Iterator[Claim]:
    sea = model.sea
    if model.given.changes:
        yield Claim.CHANGING
    turns = max(sea.current_factor, sea.current_turn) >= 0 and sea.current_speed > 0.0
    if turns or (max(sea.wind_factor, sea.wind_turn) >= 0 and sea.wind_speed > 0.0):
        yield Claim.CHANGING_FLOW


def _joint_demands(model: Model) -> Iterator[Claim]:
    joint = model.points.joint
    if joint.any():  # a component that is not held
        mixed = np.any(joint != HELD, axis=1) & np.any(joint != FREE, axis=1)
        if np.any(mixed):
            yield Claim.JOINTS
        if np.any(np.all(joint == FREE, axis=1)):
            yield Claim.FREE_POINTS
    if model.names.bodies and LOOSE in model.bodies.joint:
        yield Claim.BODIES
        if _flow_on_hulls(model):
            yield Claim.HULL_LOADS
    if model.links.names:
        yield Claim.LINKS
        if np.any(model.links.kind == LINK_JOINT):
            yield Claim.JOINT_LINKS
    moves = model.motions.function.shape[0] > 0
    if moves and (np.any(model.points.motion >= 0) or np.any(model.bodies.motion >= 0)):
        yield Claim.MOTIONS


def _flow_on_hulls(model: Model) -> bool:
    """True if current or wind pulls at a hull, an area or a foil of a free body."""
    sea, hulls = model.sea, model.bodies.hulls
    wet = sea.current_speed > 0.0 and sea.water_density > 0.0
    in_water = wet & ((hulls.drag_normal > 0.0) | (hulls.drag_axial > 0.0) | np.any(hulls.end_drag > 0.0, axis=1))
    in_water |= wet & ((hulls.area > 0.0) | (hulls.kind == HULL_DRAG))
    in_wind = (sea.wind_speed > 0.0) & (hulls.wind_drag > 0.0)
    return bool(np.any((model.bodies.joint[hulls.body] == LOOSE) & (in_water | in_wind)))
