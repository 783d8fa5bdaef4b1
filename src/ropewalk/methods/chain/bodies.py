r"""Rigid bodies at the ends of a chain, as power series in time.

A body hangs by its eye on the last node. With p the eye seen from the centre of mass in the body frame, R its attitude,
w its rate and h the moments about the centre of mass, in that frame,

.. math:: m\, a_G = F + g, \qquad J \dot w + w \times J w = p \times R^T F + h, \qquad \dot R = R\, \hat w

and the acceleration of the eye is :math:`a = a_G + R\,(\dot w \times p + w \times (w \times p))`. Of every power of
time only F and :math:`\dot w` are unknown, and they are linear in the acceleration of the eye:

.. math:: F_j = E^{-1} (a_j - b_j), \qquad E = \frac{1}{m} - R_0\, \hat p\, J^{-1} \hat p\, R_0^T

So a body is a mass matrix :math:`E^{-1}` on its node, the same for all powers, and a load :math:`E^{-1} b_j` of known
powers: the matrix of the chain keeps its shape. Newton's and Euler's laws by the series of [Filipich2007], which gives
the end forces for such a body (sec. 5) and leaves its motion to another program.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.blockelimination import (
    ZERO3,
    ZERO9,
    add3,
    add9,
    invert,
    onto,
    plus_unit,
    scale3,
    scale9,
    sub3,
    times,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.series import add_term, evaluate, work_integral
from ropewalk.physics.rigidbody import cross3, hat9, transpose9

END_BODY = np.dtype(
    [
        ("node", "i8"),  # of the chain, on which its eye sits
        ("mass", "f8"),  # kg
        ("inertia", "f8", (9,)),  # about the centre of mass, body frame, kg m2
        ("inverse", "f8", (9,)),  # of the inertia
        ("eye", "f8", (3,)),  # seen from the centre of mass, body frame, m
        ("at", "f8", (3,)),  # where the given force acts, as `eye`
        ("origin", "f8", (3,)),  # where buoyancy acts, as `eye`
        ("weight", "f8", (3,)),  # world, N
        ("lift", "f8", (3,)),  # buoyancy, world, N
        ("force", "f8", (3,)),  # given and constant, world, N
        ("moment", "f8", (3,)),  # given and constant, world, N m
    ],
    align=True,
)


class BodySeries(NamedTuple):
    """Series of the k bodies of a chain in tau = (t - t0) / T; powers 0 of attitude and rate are the state."""

    attitude: NDArray[np.float64]  # (k, order + 2, 9) body to world, row by row
    rate: NDArray[np.float64]  # (k, order + 1, 3) angular velocity, body frame, rad/s
    pull: NDArray[np.float64]  # (k, order, 3) force of the chain on the body, world, N
    lever: NDArray[np.float64]  # (k, order, 3) acceleration of the eye from the centre of mass, body frame, m/s2
    force: NDArray[np.float64]  # (k, order, 3) given, world, N
    moment: NDArray[np.float64]  # (k, order, 3) given, world, N m
    effective: NDArray[np.float64]  # (k, 9) mass at the eye: E^-1 of the head of this file, kg
    known: NDArray[np.float64]  # (k, 3, 3) of the present power: rate's rate, lever, bias b, without the unknown F


def allocate_bodies(n_bodies: int, order: int) -> BodySeries:
    """Memory for the series of the bodies of a chain."""
    return BodySeries(
        attitude=np.zeros((n_bodies, order + 2, 9)),
        rate=np.zeros((n_bodies, order + 1, 3)),
        pull=np.zeros((n_bodies, order, 3)),
        lever=np.zeros((n_bodies, order, 3)),
        force=np.zeros((n_bodies, order, 3)),
        moment=np.zeros((n_bodies, order, 3)),
        effective=np.zeros((n_bodies, 9)),
        known=np.zeros((n_bodies, 3, 3)),
    )


@kernel(forceinline=True)
def three(a):
    """Three numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2]


@kernel(forceinline=True)
def nine(a):
    """Nine numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]


@kernel(forceinline=True)
def put(values, out):
    """Writes a tuple into an array of its length. Bookkeeping."""
    for i in range(len(values)):
        out[i] = values[i]


@kernel(no_cpython_wrapper=True)
def place_bodies(chain, series):
    r"""Mass matrices (kg) of the bodies at their eyes, at the attitudes of power 0; adds them to the diagonal blocks.

    .. math:: E^{-1}, \qquad E = \frac{1}{m} - R_0\, \hat p\, J^{-1} \hat p\, R_0^T

    Source: the heading of this file; docs/theory/chain_series.md, Bodies at the ends.
    """
    for k in range(chain.bodies.shape[0]):
        body = chain.bodies[k]
        R, p = nine(series.bodies.attitude[k, 0]), hat9(three(body.eye))
        turn = times(times(R, times(times(p, nine(body.inverse)), p)), transpose9(R))
        mass, _ = invert(plus_unit(scale9(-1.0, turn), 1.0 / body.mass))
        put(mass, series.bodies.effective[k])
        for a in range(3):
            for b in range(3):
                series.diagonal[body.node, a, b] += mass[3 * a + b] / chain.reference_mass


@kernel(no_cpython_wrapper=True)
def prescribe_body_loads(chain, t, scale, bodies):
    """Series of the given forces and moments on the bodies (N, N m).  t : s    scale : T, s

    Source: F = F_0 + terms of time as Taylor series, docs/theory/chain_series.md, Bodies at the ends.
    """
    bodies.force[:] = 0.0
    bodies.moment[:] = 0.0
    one = np.empty((3, bodies.force.shape[1]))
    for k in range(chain.bodies.shape[0]):
        put(three(chain.bodies[k].force), bodies.force[k, 0])
        put(three(chain.bodies[k].moment), bodies.moment[k, 0])
    for m in range(chain.body_terms.shape[0]):
        one[:] = 0.0
        add_term(chain.body_terms[m], t, scale, one)
        target = int(chain.body_terms[m, 0])
        out = bodies.force[target // 2] if target % 2 == 0 else bodies.moment[target // 2]
        for j in range(out.shape[0]):
            for axis in range(3):
                out[j, axis] += one[axis, j]


@kernel(no_cpython_wrapper=True)
def next_attitude(bodies, k, j, scale):
    r"""Power j + 1 (no unit) of the attitude of body k: :math:`(j + 1) R_{j+1} / T = \sum_r R_r \hat w_{j-r}`.

    Source: R' = R [w], Cauchy product of both series.
    """
    total = ZERO9
    for r in range(j + 1):
        total = add9(total, times(nine(bodies.attitude[k, r]), hat9(three(bodies.rate[k, j - r]))))
    put(scale9(scale / (j + 1), total), bodies.attitude[k, j + 1])


@kernel(no_cpython_wrapper=True)
def centre_velocity(chain, series, k, j, scale):
    """Power j of the velocity of the centre of mass of body k (m/s), world.

    Source: v_G = r' - R (w x p), Cauchy product of both series.
    """
    body, bodies, r = chain.bodies[k], series.bodies, series.position
    node, p, rate = body.node, three(body.eye), (j + 1) / scale
    velocity = (rate * r[0, j + 1, node], rate * r[1, j + 1, node], rate * r[2, j + 1, node])
    for i in range(j + 1):
        arm = cross3(three(bodies.rate[k, j - i]), p)
        velocity = sub3(velocity, onto(nine(bodies.attitude[k, i]), arm))
    return velocity


@kernel(no_cpython_wrapper=True)
def add_bodies(chain, series, j, scale):
    """Known part of power j of every body: fills `known` and adds its load to the right-hand side (m/s2).

    Source: b_j of the heading of this file: F_j = E^-1 (a_j - b_j).
    """
    bodies = series.bodies
    for k in range(chain.bodies.shape[0]):
        body = chain.bodies[k]
        p, J = three(body.eye), nine(body.inertia)
        next_attitude(bodies, k, j, scale)
        pull, force, moment, gyro, arm, late = ZERO3, ZERO3, ZERO3, ZERO3, ZERO3, ZERO3
        for r in range(j + 1):
            w, q, R = three(bodies.rate[k, r]), three(bodies.rate[k, j - r]), nine(bodies.attitude[k, r])
            back = transpose9(R)
            gyro = add3(gyro, cross3(w, onto(J, q)))
            arm = add3(arm, cross3(w, cross3(q, p)))
            force = add3(force, onto(back, three(bodies.force[k, j - r])))
            moment = add3(moment, onto(back, three(bodies.moment[k, j - r])))
            if r > 0:
                pull = add3(pull, onto(back, three(bodies.pull[k, j - r])))
                late = add3(late, onto(R, three(bodies.lever[k, j - r])))
        lift = onto(transpose9(nine(bodies.attitude[k, j])), three(body.lift))
        moment = add3(moment, add3(cross3(three(body.at), force), cross3(three(body.origin), lift)))
        moment = add3(sub3(moment, gyro), cross3(p, pull))
        moment = sub3(moment, scale3(chain.damping, onto(J, three(bodies.rate[k, j]))))
        load = scale3(1.0 / body.mass, three(bodies.force[k, j]))
        if j == 0:
            load = add3(load, scale3(1.0 / body.mass, add3(three(body.weight), three(body.lift))))
        if chain.damping != 0.0:
            load = sub3(load, scale3(chain.damping, centre_velocity(chain, series, k, j, scale)))
        spin = onto(nine(body.inverse), moment)
        arm = add3(arm, cross3(spin, p))
        bias = add3(add3(load, late), onto(nine(bodies.attitude[k, 0]), arm))
        put(spin, bodies.known[k, 0])
        put(arm, bodies.known[k, 1])
        put(bias, bodies.known[k, 2])
        push = onto(nine(bodies.effective[k]), bias)
        for axis in range(3):
            series.unknowns[body.node, axis] += push[axis] / chain.reference_mass


@kernel(no_cpython_wrapper=True)
def finish_bodies(chain, series, j, scale):
    r"""Pull (N) and rate (rad/s) of every body from the acceleration of its node, just solved for: power j and j + 1.

    .. math:: F_j = E^{-1} (a_j - b_j), \qquad \dot w_j = J^{-1} (p \times R_0^T F_j) + \text{known}

    Source: the heading of this file.
    """
    bodies, a = series.bodies, series.acceleration
    for k in range(chain.bodies.shape[0]):
        body = chain.bodies[k]
        p, node = three(body.eye), body.node
        eye = (a[0, j, node], a[1, j, node], a[2, j, node])
        pull = onto(nine(bodies.effective[k]), sub3(eye, three(bodies.known[k, 2])))
        own = onto(nine(body.inverse), cross3(p, onto(transpose9(nine(bodies.attitude[k, 0])), pull)))
        spin = add3(three(bodies.known[k, 0]), own)
        put(pull, bodies.pull[k, j])
        put(add3(three(bodies.known[k, 1]), cross3(own, p)), bodies.lever[k, j])
        put(scale3(scale / (j + 1), spin), bodies.rate[k, j + 1])
        if j + 1 == bodies.pull.shape[1]:
            next_attitude(bodies, k, j + 1, scale)


@kernel(no_cpython_wrapper=True)
def turn_with_eye(chain, bodies, k, move):
    """Turn (rad) of body k (body axes) that goes with a move of its eye (3 numbers, m) by a force there.

    Source: theta = J^-1 (p x R^T E^-1 dr), impulse at the eye, the heading of this file.
    """
    body = chain.bodies[k]
    push = onto(transpose9(nine(bodies.attitude[k, 0])), onto(nine(bodies.effective[k]), move))
    return onto(nine(body.inverse), cross3(three(body.eye), push))


@kernel(no_cpython_wrapper=True)
def orthonormalise(R):
    """Removes round-off from a rotation matrix R (9,), in place: one step towards the nearest rotation.

    Source: R -> R (3 - R^T R)/2, Newton's method for R^T R = 1; docs/theory/chain_series.md, Bodies at the ends.
    """
    own = nine(R)
    put(times(own, plus_unit(scale9(-0.5, times(transpose9(own), own)), 1.5)), R)


@kernel(no_cpython_wrapper=True)
def restart_bodies(bodies, tau):
    """Move the attitudes and rates (rad/s) at the scaled time tau into power 0.

    Bookkeeping: their series are summed by `evaluate`.
    """
    R, w = np.empty(9), np.empty(3)
    for k in range(bodies.attitude.shape[0]):
        evaluate(bodies.attitude[k], tau, R)
        evaluate(bodies.rate[k], tau, w)
        bodies.attitude[k, 0] = R
        bodies.rate[k, 0] = w


@kernel(no_cpython_wrapper=True)
def largest_turn(bodies, j):
    """Largest entry (no unit) of power j of the attitudes, |R_j| = max |R_j,ik|.  Source: definition of the norm."""
    worst = 0.0
    for k in range(bodies.attitude.shape[0]):
        for i in range(9):
            size = abs(bodies.attitude[k, j, i])
            if not size <= worst:  # true for NaN as well
                worst = size
    return worst


@kernel(no_cpython_wrapper=True)
def body_work(chain, series, tau, scale):
    """Work of given moments, of given forces that vary and of damping on the bodies (J), up to the scaled time tau.

    Source: W = int F . dr + int M . omega dt, term by term of the series, :func:`work_integral`.
    """
    order, total = series.tension.shape[0], 0.0
    bodies = series.bodies
    way, turn, spin = np.zeros((3, order + 2)), np.zeros((3, order + 2)), np.zeros((3, order + 2))
    force, slow, calm = np.zeros((3, order)), np.zeros((3, order)), np.zeros((3, order))
    for k in range(chain.bodies.shape[0]):
        body = chain.bodies[k]
        arm = sub3(three(body.at), three(body.eye))
        for j in range(order + 2):
            place, rate = onto(nine(bodies.attitude[k, j]), arm), ZERO3
            for axis in range(3):
                way[axis, j] = series.position[axis, j, body.node] + place[axis]
            if j > order:
                continue
            for r in range(j + 1):
                rate = add3(rate, onto(nine(bodies.attitude[k, r]), three(bodies.rate[k, j - r])))
            for axis in range(3):
                turn[axis, j + 1] = rate[axis] * scale / (j + 1)
                spin[axis, j + 1] = bodies.rate[k, j, axis] * scale / (j + 1)
        for axis in range(3):
            for j in range(order):
                force[axis, j] = bodies.force[k, j, axis]
            force[axis, 0] -= body.force[axis]  # has a potential
            total += work_integral(force[axis], way[axis], tau)
            total += work_integral(np.ascontiguousarray(bodies.moment[k, :, axis]), turn[axis], tau)
        if chain.damping == 0.0:
            continue
        way[:] = 0.0
        for j in range(order):
            velocity = centre_velocity(chain, series, k, j, scale)
            momentum = onto(nine(body.inertia), three(bodies.rate[k, j]))
            for axis in range(3):
                slow[axis, j] = -chain.damping * body.mass * velocity[axis]
                calm[axis, j] = -chain.damping * momentum[axis]
                way[axis, j + 1] = velocity[axis] * scale / (j + 1)
        for axis in range(3):
            total += work_integral(slow[axis], way[axis], tau)
            total += work_integral(calm[axis], spin[axis], tau)
    return total
