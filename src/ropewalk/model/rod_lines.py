"""Rods on lines as bodies, so that lines are built as they are on any body."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.rods import RodModel, beside
from ropewalk.spec.bodies import Body
from ropewalk.spec.rods import RodAttachment
from ropewalk.spec.system import System


def rods_on_lines(system: System) -> tuple[str, ...]:
    """Names of the rods that a line ends on, in the order of the file."""
    held = {end.partition(".")[0] for line in system.lines.values() for end in (line.from_, line.to)}
    return tuple(name for name in system.rods if name in held)


def attachment_place(rod: RodModel, attachment: RodAttachment, what: str = "attachment") -> Array:
    """(3,) place of an attachment in head axes, m. `what` names it in the message if it lies beyond the rod."""
    if attachment.s > rod.length:
        raise InputError(f"{what}: s = {attachment.s} m lies beyond the rod's length {rod.length:.6g} m")
    return beside(rod, attachment.s, np.array(attachment.offset))


def rods_as_bodies(system: System, rods: Mapping[str, RodModel]) -> System:
    """The case with `rods` as free bodies of their mass, after its own bodies, and without any rods.

    A body's frame is the rod's head frame. It has no hull: the solver adds the hydrostatic force.
    """
    bodies = dict(system.bodies)
    for name, rod in rods.items():
        attachments = {
            key: tuple(attachment_place(rod, attachment, f"rod '{name}', attachment '{key}'").tolist())
            for key, attachment in system.rods[name].attachments.items()
        }
        centre = tuple(rod.centre.tolist())
        bodies[name] = Body.model_validate(
            {"mass": rod.mass, "centre_of_mass": centre, "position": (0.0, 0.0, 0.0), "attachments": attachments}
        )
    return system.replace(bodies=bodies, rods={})
