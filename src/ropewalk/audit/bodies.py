"""Bodies at rest, every force on them summed again.

Prescribed places and attitudes, weight, buoyancy, given loads and stiffness, the pull of lines and links, and the flow
of analysis/audit_hulls.py. A body on the bed, or over a relief, is left open: analysis/audit_parts.py then decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.audit.acting import height, norm3, vector, wet_share
from ropewalk.audit.strings import (
    FLOAT,
    MOMENT,
    SHORTEST,
    end_arm,
    longest_of,
    most,
    note,
    rotation,
)
from ropewalk.loads.cut import UP, cut_hull
from ropewalk.loads.cut import vector as cut_place
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, onto, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.rigidbody import cross3

LEAST_SPAN = 1.0  # m, of a system of bodies without lines


class Floats(NamedTuple):
    """Bodies of the model, arrays as in `Bodies` and `Hulls`."""

    position: Array
    quaternion: Array
    joint: Ints
    mass: Array
    centre: Array
    volume: Array
    hull_start: Ints
    hull: Records  # (h,) of HULL of loads/strips.py
    profile: Array
    load_force: Array
    load_moment: Array
    load_at: Array
    stiffness: Array
    flow: Array  # (n, 6) of current and wind, about the origin, N and N m


class Ties(NamedTuple):
    """Links between bodies and points, arrays as in `Links` and `State`."""

    end_kind: Ints
    end_index: Ints
    offset: Array
    force: Array
    moment: Array


class Sum(NamedTuple):
    """Forces that act on a body so far."""

    force: tuple[float, float, float]  # N
    moment: tuple[float, float, float]  # N m, about the origin
    largest: float  # N, largest component of a single force
    turning: float  # N m, of a single moment


@kernel(forceinline=True, **UNCOUNTED)
def _add(total, force, arm):
    """A `Sum` with one more force at an arm: F = sum f, M = sum a x f. Source: statics of a rigid body.

    total : `Sum`    force : f, N    arm : a, m
    """
    return _add_both(total, force, cross3(arm, force))


@kernel(forceinline=True, **UNCOUNTED)
def _add_both(total, force, moment):
    """A `Sum` with one more force and its moment: F = sum f, M = sum m. Source: statics of a rigid body.

    total : `Sum`    force : f, N    moment : m about the origin, N m
    """
    return Sum(
        add3(total.force, force), add3(total.moment, moment), max(total.largest, most(force)),
        max(total.turning, most(moment)),
    )  # fmt: skip


@kernel
def _lift(total, floats, water, h, R, x):
    r"""A `Sum` with the buoyancy of hull h of a body at x (m) with the attitude R.

    .. math:: F = \rho g V e_z, \qquad M = \int p\,dV \times \rho g\, e_z

    Source: docs/theory/hydrostatics.md, Force and stiffness.    total : `Sum`    floats : `Floats`    water : `Water`
    """
    cut, wrench, stiffness = np.zeros(1, hydrostatics.CUT), np.zeros(6), np.zeros((6, 6))
    arm = onto(R, cut_place(floats.hull[h].place))
    cut_hull(floats.hull[h], R, UP, x[2] + arm[2], floats.profile, cut)
    hydrostatics.buoyancy(cut, water.density * water.gravity, wrench, stiffness)
    force = (wrench[0], wrench[1], wrench[2])
    return _add_both(total, force, add3((wrench[3], wrench[4], wrench[5]), cross3(arm, force)))


@kernel
def _buoyancy(total, floats, water, k, R, x):
    """A `Sum` with the lift of the hulls of body k, and of its volume as a sphere: F = rho g V w(z) (N).

    Source: :func:`_lift` and :func:`wet_share`.    total : `Sum`    floats : `Floats`    water : `Water`
    """
    if water.density == 0.0:
        return total
    lift = water.density * water.gravity * floats.volume[k] * wet_share(floats.volume[k], x[2])
    total = _add(total, (0.0, 0.0, lift), (0.0, 0.0, 0.0))
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        total = _lift(total, floats, water, h, R, x)
    return total


@kernel(**UNCOUNTED)
def _reach(floats, k):
    """Distance from the origin of body k within which its hulls lie, m.

    Source: triangle inequality: reach = max_h (|p_h| + reach of the hull from its place p_h).
    """
    reach = 0.0
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        reach = max(reach, norm3(cut_place(floats.hull[h].place)) + floats.hull[h].reach)
    return reach


@kernel(**UNCOUNTED)
def _size(floats, k):
    """A length of body k, m: the largest of |p| and reach of its hulls, and SHORTEST. Bookkeeping."""
    size = SHORTEST
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        size = max(size, norm3(cut_place(floats.hull[h].place)), floats.hull[h].reach)
    return size


@kernel(**UNCOUNTED)
def _turn(now, home, k):
    r"""Rotation vector from one attitude to another, in the world, rad.

    .. math:: q = q_1 \bar q_0, \qquad \theta = 2 \arctan2(|v|, |w|)\, \frac{v}{|v|}\, \text{sgn}\, w

    Source: [Sola2018]; written apart from the methods.    now, home : (n, 4) quaternions
    """
    w, x, y, z = now[k, 0], now[k, 1], now[k, 2], now[k, 3]
    c, a, b, d = home[k, 0], -home[k, 1], -home[k, 2], -home[k, 3]
    real = w * c - x * a - y * b - z * d
    v = (w * a + c * x + y * d - z * b, w * b + c * y + z * a - x * d, w * d + c * z + x * b - y * a)
    sine = norm3(v)
    angle = 2.0 * math.atan2(sine, abs(real))
    return scale3((angle / sine if sine > 0.0 else 2.0) * (1.0 if real >= 0.0 else -1.0), v)


@kernel(**UNCOUNTED)
def _held_back(total, floats, k, x, attitude):
    r"""A `Sum` with the given stiffness of body k on its offset and turn from home.

    .. math:: (F, M) = -K (x - x_0,\ \theta)

    Source: docs/theory/bodies.md.    total : `Sum`    floats : `Floats`    x : m    attitude : (n, 4) quaternions
    """
    K = floats.stiffness
    off, turn = sub3(x, vector(floats.position, k)), _turn(attitude, floats.quaternion, k)
    force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(3):
        shift, angle = off[j], turn[j]
        by_place, by_turn = (K[k, 0, j], K[k, 1, j], K[k, 2, j]), (K[k, 0, j + 3], K[k, 1, j + 3], K[k, 2, j + 3])
        force = sub3(force, add3(scale3(shift, by_place), scale3(angle, by_turn)))
        by_place, by_turn = (K[k, 3, j], K[k, 4, j], K[k, 5, j]), (K[k, 3, j + 3], K[k, 4, j + 3], K[k, 5, j + 3])
        moment = sub3(moment, add3(scale3(shift, by_place), scale3(angle, by_turn)))
    return _add_both(total, force, moment)


@kernel(**UNCOUNTED)
def _tied(total, ties, places, k, x):
    r"""A `Sum` with the links at body k: their force on the part at the second ends, its opposite on that at the first.

    .. math:: F = \pm f, \qquad M = \pm (m + a \times f), \qquad a = r_2 - x

    Source: Newton's third law, docs/theory/bodies.md.

    total : `Sum`    ties : `Ties`    places : `Places`    x : of the body, m
    """
    for i in range(ties.force.shape[0]):
        far, moment = ties.end_index[i, 1], vector(ties.moment, i)
        end = vector(places.points, far) if ties.end_kind[i, 1] != BODY else vector(places.bodies, far)
        if ties.end_kind[i, 1] == BODY:
            offset = (ties.offset[i, 1, 0], ties.offset[i, 1, 1], ties.offset[i, 1, 2])
            end = add3(end, onto(rotation(places.quaternions, far), offset))
        force, arm = vector(ties.force, i), sub3(end, x)
        if ties.end_kind[i, 1] == BODY and far == k:
            total = _add_both(total, force, add3(moment, cross3(arm, force)))
        if ties.end_kind[i, 0] == BODY and ties.end_index[i, 0] == k:
            total = _add_both(total, scale3(-1.0, force), scale3(-1.0, add3(moment, cross3(arm, force))))
    return total


@kernel
def check_bodies(floats, ties, strings, water, limits, places, largest, figures):
    r"""Force and moment on every free body, place and attitude of the others: whether all pass.

    .. math:: \sum F = 0, \quad \sum (M + a \times F) = 0 \quad \text{about the origin};
              \qquad |x - x_0| + l |\theta| = 0

    Source: docs/audit.md, Equilibria.

    floats : `Floats`    ties : `Ties`    strings, water, limits, places : as in `check_strings`
    largest : force in the lines, N
    figures : (1,) of FIGURES, updated
    """
    passed, longest = True, longest_of(strings, LEAST_SPAN)
    for k in range(floats.mass.size):
        x = vector(places.bodies, k)
        if floats.joint[k] != LOOSE:
            home, turn = vector(floats.position, k), norm3(_turn(places.quaternions, floats.quaternion, k))
            miss = norm3(sub3(x, home)) + turn * max(LEAST_SPAN, _size(floats, k))
            room = limits.place * max(longest, most(home))
            note(figures[0].bodies.position, miss, room, FLOAT, k, 0.0)
            passed = passed and miss <= room  # false for NaN
            continue
        R = rotation(places.quaternions, k)
        total = Sum((0.0, 0.0, 0.0), vector(floats.load_moment, k), 0.0, most(vector(floats.load_moment, k)))
        total = _add(total, (0.0, 0.0, -floats.mass[k] * water.gravity), onto(R, vector(floats.centre, k)))
        total = _add(total, vector(floats.load_force, k), onto(R, vector(floats.load_at, k)))
        size = _size(floats, k)
        for i in range(strings.end_kind.shape[0]):
            for end in range(2):
                if strings.end_kind[i, end] == BODY and strings.end_index[i, end] == k:
                    force, arm = strings.end_force, end_arm(strings, i, end, places)
                    total = _add(total, (force[i, end, 0], force[i, end, 1], force[i, end, 2]), arm)
                    size = max(size, norm3(arm))
        total = _buoyancy(total, floats, water, k, R, x)
        total = _held_back(_tied(total, ties, places, k, x), floats, k, x, places.quaternions)
        flow = floats.flow
        total = _add_both(total, vector(flow, k), (flow[k, 3], flow[k, 4], flow[k, 5]))
        far = not water.has_bed or (water.relief is None and height(x, water) > _reach(floats, k))
        scale = max(largest, total.largest)
        left, turning = norm3(total.force), norm3(total.moment) * scale / max(total.turning, scale * size)
        good = left <= limits.force * scale and turning <= limits.force * scale  # false for NaN
        passed = passed and good and far
        note(figures[0].bodies.force, left, limits.force * scale, FLOAT, k, 0.0)
        note(figures[0].bodies.force, turning, limits.force * scale, MOMENT, k, 0.0)
    return passed
