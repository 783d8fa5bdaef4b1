"""Prescribed motions: displacement, velocity and acceleration at any time."""

from __future__ import annotations

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.rotations import angle_functions, cross
from ropewalk.physics.in_time import value_at

COMPONENTS = 6  # displacements along x, y, z, then the rotation vector about them


@kernel(**UNCOUNTED)
def _components(t, i, first, motions, out):
    """Values, rates and second rates of three components of motion i, from number `first` on, into out (3, 3).

    Bookkeeping: calls `value_at`.
    """
    for j in range(3):
        out[0, j], out[1, j], out[2, j] = value_at(t, motions.function[i, first + j], motions.functions)


@kernel
def motion(t, i, motions, out):
    """Displacement, velocity and acceleration (m, m/s, m/s2) of motion i at time t into out (3, 3); i = -1 is at rest.

    Source: x(t) = sum of the functions of the case, docs/guide/inputs_in_time.md; :func:`value_at` for each component.

    motions : the `Motions` arrays of the model (model/joints.py)
    """
    if i < 0:
        out[:, :] = 0.0
        return
    _components(t, i, 0, motions, out)


@kernel(**UNCOUNTED)
def turns(i, motions):
    """True if motion i has a rotation. Bookkeeping."""
    return i >= 0 and (motions.function[i, 3] >= 0 or motions.function[i, 4] >= 0 or motions.function[i, 5] >= 0)


@kernel
def rotation(t, i, motions, out):
    r"""Rotation vector (rad), angular velocity (rad/s), acceleration (rad/s2) of motion i into out (3, 3); world axes.

    .. math:: \omega = J \dot\phi, \qquad \alpha = J \ddot\phi + \dot J \dot\phi, \qquad
              J = 1 + b\, \hat\phi + c\, \hat\phi^2

    with b and c of `angle_functions`.  Source: left Jacobian, [Sola2018], eq. (145).  All turns of a motion are added
    as one rotation vector.

    t : s    motions : as :func:`motion`
    """
    if not turns(i, motions):
        out[:, :] = 0.0
        return
    _components(t, i, 3, motions, out)
    turn, rate, second = out[0], out[1], out[2]
    _, b, c, d, e = angle_functions(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    along = turn[0] * rate[0] + turn[1] * rate[1] + turn[2] * rate[2]
    db, dc = (2.0 * d - c) * along, (3.0 * e - d) * along  # rates of b and c
    once, twice = cross(turn, rate), cross(turn, second)
    again, third, mixed = cross(turn, once), cross(turn, twice), cross(rate, once)
    for k in range(3):
        rate[k] = rate[k] + b * once[k] + c * again[k]
        second[k] = second[k] + b * twice[k] + c * (third[k] + mixed[k]) + db * once[k] + dc * again[k]
