"""Where the search for the equilibrium of bodies begins: at that without current, wind and waves, in closed form."""

from __future__ import annotations

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import flags, floats, ints
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR
from ropewalk.solvers.catenary import Catenary


def calm_start(model: Model, state: State) -> State:
    """The balance of lines and free bodies under gravity alone, from any start; `state` itself if it is not to be had.

    Newton's method on the elements needs a start with every body roughly in its place; the closed form does not.
    """
    if not np.any(model.bodies.joint == LOOSE):
        return state
    calm, solver = _simplified(model), Catenary()
    try:
        work = solver.start(calm, state)
    except InputError:  # too short to reach, or something else without a closed form
        return state
    report = solver.advance(calm, work, state.time)
    return solver.read(calm, work) if report.good else state


def _simplified(model: Model) -> Model:
    """What the closed form can do of a case: no flow, level bed, linear laws, vertical loads on lines."""
    sea, sections, lines = model.sea, model.sections, model.lines
    known = (sections.law == LINEAR) | (sections.law == INEXTENSIBLE)
    force = lines.attachment_force.copy()
    force[:, :2] = 0.0
    return model._replace(
        sea=sea._replace(current_speed=0.0, wind_speed=0.0, bed_friction=0.0, bed_normal=floats([0.0, 0.0, 1.0])),
        sections=sections._replace(
            law=ints(np.where(known, sections.law, INEXTENSIBLE)), compression=flags(np.zeros(known.size, dtype=bool))
        ),
        lines=lines._replace(attachment_force=floats(force), load_kind=ints([])),
    )
