"""Pulls on free parts and cuts of lines, put into the memory of a run that is under way.

Mixed elements read forces and stiffnesses from their mesh at every step, so a pull or a cut needs no new mesh. Other
solvers copy loads when they start: for them a pull is a change of the case, and a cut is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.ropes import set_ropes
from ropewalk.errors import InputError
from ropewalk.loads.footing import point_footings
from ropewalk.methods.mixed.breakage import element_at, part
from ropewalk.methods.mixed.control import passages
from ropewalk.methods.mixed.events import go_on_parted, restart_ledger
from ropewalk.methods.mixed.ledger import stored_energy
from ropewalk.methods.mixed.report import FemWork, reading_for
from ropewalk.methods.mixed.walks import BY_LENGTH, plan_walks, refill_lengths
from ropewalk.model.arrays import Array, floats
from ropewalk.model.model import Model


def can_cut(work: Any) -> bool:
    """Whether lines of this run can be cut."""
    return isinstance(work, FemWork)


def pull_point(model: Model, work: FemWork, which: int, force: Array) -> None:
    """Add `force` (N, world) to what the case puts on a point."""
    work.mesh.node.force[work.mesh.s.size + which] = model.points.force[which] + force


def pull_body(model: Model, work: FemWork, which: int, force: Array, moment: Array) -> None:
    """Add `force` (N) and `moment` (N m, about the place of the case's own force; both world) to those on a body."""
    row = work.mesh.bodies.body[which]
    row.load_force = model.bodies.load_force[which] + force
    row.load_moment = model.bodies.load_moment[which] + moment


def cut(model: Model, work: Any, line: int, s: float) -> None:
    """Part a line at s (m from end A); both stubs fall free. InputError for solvers that cannot."""
    if not isinstance(work, FemWork):
        raise InputError(f"line '{model.names.lines[line]}' cannot be cut: only solver mixed_fem parts lines")
    length = float(model.lines.length[line])
    if not 0.0 <= s <= length:
        name = model.names.lines[line]
        raise InputError(f"line '{name}': cut at s = {s:g} m is outside its {length:g} m; s counts from end A")
    waves = passages(line, work.mesh, work.steps.now.T)
    part(work.mesh, work.steps.now.T, element_at(work.mesh, line, s), model.sea.water_density)
    memory = work.steps.memory._replace(walks=plan_walks(work.mesh))  # lanes have copies of what elements are made of
    work.steps = work.steps._replace(memory=memory)
    go_on_parted(model, work, waves)


def change_sea(model: Model, work: FemWork) -> None:
    """Go on in the current, wind and waves of `model`, without a new mesh."""
    from ropewalk.methods.mixed.solver import longest_step

    air = model.sea.air_density if model.sea.wind_speed > 0.0 else 0.0  # as in assembly/bodies.py
    work.mesh.bodies.hull.wind_drag = 0.5 * air * model.bodies.hulls.wind_drag
    work.steps.settings[0].most_step = longest_step(model)


def can_reel(model: Model, work: Any, line: int) -> bool:
    """Whether a line can be given another length in the mesh under way: one piece, alike along s, nothing on it."""
    lines = model.lines
    if not isinstance(work, FemWork) or work.mesh.shed.shape[0] or lines.load_kind.size or model.profiles.any:
        return False
    plain = lines.piece_start[line + 1] - lines.piece_start[line] == 1
    bare = lines.attachment_start[line + 1] == lines.attachment_start[line]
    wound = line in lines.winches.line or line in lines.breaks.line
    return bool(plain and bare and not wound and not point_footings(model)[line].any())


def reel(model: Model, work: FemWork, line: int, length: float) -> Model:
    """Give a line another unstretched length (m), shared alike by its elements; the model that goes with it.

    Positions, velocities and tensions stay: the next step meets the new length at its end, as if the line had been
    reeled in its course.
    """
    lines, mesh = model.lines, work.mesh
    factor = length / float(lines.length[line])
    e = slice(mesh.element_start[line], mesh.element_start[line + 1])
    n = slice(mesh.node_start[line], mesh.node_start[line + 1])
    section = lines.piece_section[lines.piece_start[line]]
    element, node = mesh.element.view(np.ndarray), mesh.node.view(np.ndarray)
    half = 0.5 * (factor - 1.0) * float(model.sections.mass[section]) * element["length"][e]
    for name in BY_LENGTH:
        element[name][e] *= factor
    mass = node["mass"][n]
    mass[:-1] += half
    mass[1:] += half
    node["bed_area"][n] *= factor
    reading = reading_for(model, work)
    own = slice(work.start[line], work.start[line + 1])
    for array, rows in ((mesh.s, n), (work.s, own), (reading.s, own), (reading.share, n)):
        _scale(array, rows, factor)
    if work.steps.memory.walks.allowed[0]:
        refill_lengths(mesh, work.steps.memory.walks)
    piece, whole = np.array(lines.piece_length), np.array(lines.length)
    piece[lines.piece_start[line]] = whole[line] = length
    model = model._replace(lines=lines._replace(piece_length=floats(piece), length=floats(whole)))
    if work.steps.settings[0].ledger > 0.0:
        restart_ledger(model, work)
    return model


def _scale(array: Array, rows: slice, factor: float) -> None:
    """Multiply rows of an array that is read-only to all others; the memory stays, for kernels that know its place."""
    writable = array.flags.writeable
    array.setflags(write=True)
    array[rows] *= factor
    array.setflags(write=writable)


def carry_memory(model: Model, old: Any, new: Any) -> None:
    """Give ropes and shed vortices of a new mesh the memory of the old one, where both have the same elements."""
    if not (isinstance(old, FemWork) and isinstance(new, FemWork)):
        return
    before, after = old.mesh, new.mesh
    if after.rope.shape[0] and before.element.shape == after.element.shape:
        for name in ("slow_load", "peak"):
            after.element[name] = before.element[name]
        set_ropes(0.0, new.steps.now.T, after)
        new.first[:] = stored_energy(new.steps.now.X, after, model.sea.gravity)
        restart_ledger(model, new)
    if after.shed.shape[0] and before.shed.shape == after.shed.shape:
        for name in ("phase", "rate", "speed", "pull"):
            after.shed[name] = before.shed[name]


def elements_used(work: Any) -> Array | None:
    """(n_pieces,) elements of the mesh under way; None for solvers that keep to those of the case."""
    return np.array(work.counts) if isinstance(work, FemWork) else None


def shortest_step(work: Any, step: float) -> None:
    """Give up a step below `step` (s), so that a failure is found soon."""
    if isinstance(work, FemWork):
        work.steps.settings[0].least_step = step
