"""What may be done to a run of mixed elements between two steps: pulls on free parts, cuts, other lengths, another sea.

The steps read forces and stiffnesses from the mesh, so none of this needs a new one.
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
from ropewalk.methods.mixed.solver import longest_step
from ropewalk.methods.mixed.walks import BY_LENGTH, plan_walks, refill_lengths
from ropewalk.model.arrays import Array, floats
from ropewalk.model.model import Model


class FemRun:
    """A run under way, by its memory; models given are those of the case as it is now."""

    def __init__(self, work: FemWork) -> None:
        self._work = work

    @classmethod
    def of(cls, work: Any) -> FemRun | None:
        """The run whose memory is `work`; None if it is that of another solver."""
        return cls(work) if isinstance(work, FemWork) else None

    @property
    def elements(self) -> Array:
        """(n_pieces,) elements of the mesh."""
        return np.array(self._work.counts)

    def give_up_below(self, step: float) -> None:
        """Give up a step below `step` (s), so that a failure is found soon."""
        self._work.steps.settings[0].least_step = step

    def pull_point(self, model: Model, which: int, force: Array) -> None:
        """Add `force` (N, world) to what the case puts on a point."""
        mesh = self._work.mesh
        mesh.node.force[mesh.s.size + which] = model.points.force[which] + force

    def pull_body(self, model: Model, which: int, force: Array, moment: Array) -> None:
        """Add `force` (N) and `moment` (N m, about the place of the case's own force) to those on a body, world."""
        row = self._work.mesh.bodies.body[which]
        row.load_force = model.bodies.load_force[which] + force
        row.load_moment = model.bodies.load_moment[which] + moment

    def cut(self, model: Model, line: int, s: float) -> None:
        """Part a line at s (m from end A); both stubs fall free."""
        work = self._work
        length = float(model.lines.length[line])
        if not 0.0 <= s <= length:
            name = model.names.lines[line]
            raise InputError(f"line '{name}': cut at s = {s:g} m is outside its {length:g} m; s counts from end A")
        waves = passages(line, work.mesh, work.steps.now.T)
        part(work.mesh, work.steps.now.T, element_at(work.mesh, line, s), model.sea.water_density)
        memory = work.steps.memory._replace(
            walks=plan_walks(work.mesh)
        )  # lanes have copies of what elements are made of
        work.steps = work.steps._replace(memory=memory)
        go_on_parted(model, work, waves)

    def change_sea(self, model: Model) -> None:
        """Go on in the current, wind and waves of `model`, without a new mesh."""
        work = self._work
        air = model.sea.air_density if model.sea.wind_speed > 0.0 else 0.0  # as in assembly/bodies.py
        work.mesh.bodies.hull.wind_drag = 0.5 * air * model.bodies.hulls.wind_drag
        work.steps.settings[0].most_step = longest_step(model)

    def can_reel(self, model: Model, line: int) -> bool:
        """Whether a line can be given another length in the mesh under way: one piece, alike along s, nothing on it."""
        lines = model.lines
        if self._work.mesh.shed.shape[0] or lines.load_kind.size or model.profiles.any:
            return False
        plain = lines.piece_start[line + 1] - lines.piece_start[line] == 1
        bare = lines.attachment_start[line + 1] == lines.attachment_start[line]
        wound = line in lines.winches.line or line in lines.breaks.line
        return bool(plain and bare and not wound and not point_footings(model)[line].any())

    def reel(self, model: Model, line: int, length: float) -> Model:
        """Give a line another unstretched length (m), shared alike by its elements; the model that goes with it.

        Positions, velocities and tensions stay: the next step meets the new length at its end, as if the line had been
        reeled in its course.
        """
        work = self._work
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

    def carry_memory(self, model: Model, old: FemRun) -> None:
        """Give ropes and shed vortices the memory of another run, where both have the same elements."""
        new = self._work
        before, after = old._work.mesh, new.mesh
        if after.rope.shape[0] and before.element.shape == after.element.shape:
            for name in ("slow_load", "peak"):
                after.element[name] = before.element[name]
            set_ropes(0.0, new.steps.now.T, after)
            new.first[:] = stored_energy(new.steps.now.X, after, model.sea.gravity)
            restart_ledger(model, new)
        if after.shed.shape[0] and before.shed.shape == after.shed.shape:
            for name in ("phase", "rate", "speed", "pull"):
                after.shed[name] = before.shed[name]


def _scale(array: Array, rows: slice, factor: float) -> None:
    """Multiply rows of an array that is read-only to all others; the memory stays, for kernels that know its place."""
    writable = array.flags.writeable
    array.setflags(write=True)
    array[rows] *= factor
    array.setflags(write=writable)
