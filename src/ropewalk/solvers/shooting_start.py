"""Where points and bodies are before the first shot: the closed-form balance under gravity alone.

Newton on positions and forces together needs many short steps when a whole net or a moored body starts far
from its balance. The closed form finds the balance of the same assembly without current and other loads from
anywhere, for a fraction of the cost; lines and bodies then need a few steps from there.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import floats, ints
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import initial_state
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR, strain
from ropewalk.solvers.balance_newton import Place
from ropewalk.solvers.catenary import Catenary

FEW_POINTS = 2  # free points up to which the file's own positions serve
MODEST_STRAIN = 0.01  # where a non-linear law is replaced by its secant


def gravity_place(model: Model, place: Place, t: float) -> Place:
    """Points and bodies balanced under gravity at time t, or `place` if there is nothing to gain or no balance."""
    free = np.any(model.points.joint != HELD, axis=1) & (model.points.motion < 0)
    if np.count_nonzero(free) <= FEW_POINTS and not np.any(model.bodies.joint == LOOSE):
        return place
    simple = gravity_model(model)
    state = initial_state(simple)._replace(
        point_position=place.points, body_position=place.bodies, body_quaternion=place.quaternions
    )
    solver = Catenary()
    work = solver.start(simple, state)
    return work.place if solver.advance(simple, work, t).good else place


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
    probe = float(np.max(np.abs(sections.law_data[start:stop]))) * MODEST_STRAIN
    e, slope = strain(probe, kind, sections.law_data, start, stop)
    return probe / e if e > 0.0 else 1.0 / slope
