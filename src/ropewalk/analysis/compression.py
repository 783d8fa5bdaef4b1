"""Whether an equilibrium with lines in compression is stable: lines have no bending stiffness, so most buckle.

Weight, water, springs and tension alone make a minimum of the energy of lines and points; a line that pushes need not.
Only with compression is this asked (`pushes` of verdict.py), for it takes the modules of the frequency analyses. Bodies
have a verdict of their own (verdict.py).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import bsr_matrix

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.mode_names import dominant_motion
from ropewalk.analysis.modes import frequency_scale
from ropewalk.analysis.verdict import Verdict, largest_push
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.loads.bed import heights_over
from ropewalk.methods.linear import find_modes
from ropewalk.model.joints import LOOSE

if TYPE_CHECKING:
    from ropewalk.analysis.statics import Equilibrium

NO_MOTION = 1e-300  # keeps ratios finite
GRIP = 1e3  # times the largest stiffness of a node: what friction holds, up to a push that small motions do not have


def buckled(equilibrium: Equilibrium) -> Verdict | None:
    """The verdict on lines in compression that give way; None where they hold, or unknown.

    Not known: with lines over points or under distributed loads, nets, and joints with dry friction, whose tangent the
    frequency analyses do not have.
    """
    model, state = equilibrium.model, equilibrium.state
    push = largest_push(model, state)
    try:
        linear = _held_by_friction(linearise(equilibrium))
        scale = frequency_scale(linear)
        found = find_modes(linear, 1, 0.0, scale, damped=not linear.is_symmetric)
    except (InputError, ConvergenceError):
        return None
    growth = found.growth(scale)
    if not growth.size or not growth[0] > 0.0:
        return None
    line, x = int(np.argmax(push)), np.real(found.shapes[:, :1])
    moves = dominant_motion(linear, x)[0][0]
    about = f"line '{model.names.lines[line]}' is in compression ({push[line]:.3g} N) and gives way ({moves})"
    motion = linear.body_motion(x)[:, :, 0]
    motion = motion / max(float(np.abs(motion).max(initial=0.0)), NO_MOTION)
    direction = {model.names.bodies[k]: motion[k].tolist() for k in np.flatnonzero(model.bodies.joint == LOOSE)}
    return Verdict(False, 0, -(float(growth[0]) ** 2), direction, about)


def _held_by_friction(linear: Linearised) -> Linearised:
    """The same with the nodes on a bed with friction held along it."""
    model, mesh, rest = linear.model, linear.unknowns.mesh, linear.rest
    if not mesh.has_bed or model.sea.bed_friction == 0.0:
        return linear
    r = rest.place.r
    normal, over = heights_over(mesh.bed, r)
    on_bed = over < mesh.node[: r.shape[0]].radius
    if not np.any(on_bed):
        return linear
    along = np.eye(3) - normal[:, :, None] * normal[:, None, :]
    stiff = GRIP * float(np.abs(rest.assembled.local.K).max(initial=0.0))
    n, S = r.shape[0], rest.assembled.S
    grip = bsr_matrix((stiff * on_bed[:, None, None] * along, np.arange(n), np.arange(n + 1)), shape=(3 * n, 3 * n))
    K = (rest.assembled.K + S.T @ grip @ S).tocsc()
    return replace(linear, rest=rest._replace(assembled=rest.assembled._replace(K=K)))
