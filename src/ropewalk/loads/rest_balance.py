"""Points and bodies at rest in still water, every force on them summed again: the compiled short way of the audit.

Places that are prescribed, joints by component, weight, buoyancy, given loads and the pull of lines. What is not as
simple (current, wind, links, a body or a point on the bed) is left open: the audit then takes its long way
(analysis/audit_parts.py). No method uses this file; an import contract checks that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.loads.string_flow import drag_on_lump
from ropewalk.loads.string_march import Worst, end_arm, height, norm3, rotation, vector, worse
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.model.joints import HELD, LOOSE, SPRING
from ropewalk.model.lines import BODY, POINT
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, onto, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.rigidbody import cross3

SHORTEST = 1e-3  # m: no line or arm counts as shorter than this
LEAST_SPAN = 1.0  # m, of a system of bodies without lines


class Knots(NamedTuple):
    """Points of the model, arrays as in `Points`; home : (n, 3) where they are held now, m."""

    home: Array
    joint: Ints
    frame: Array
    axis_force: Array
    axis_spring: Array
    mass: Array
    volume: Array
    force: Array
    drag_area: Array


class Floats(NamedTuple):
    """Bodies of the model, arrays as in `Bodies` and `Hulls`; home : (n, 3) where those are that are not free, m."""

    home: Array
    position: Array
    quaternion: Array
    joint: Ints
    mass: Array
    centre: Array
    volume: Array
    hull_start: Ints
    kind: Ints
    place: Array
    axis: Array
    radius: Array
    profile_start: Ints
    profile: Array
    load_force: Array
    load_moment: Array
    load_at: Array
    stiffness: Array


class Balance(NamedTuple):
    """Of points or bodies: the largest imbalance (N) and miss of place (m)."""

    passed: bool  # every figure could be had and is within its limit
    force: Worst
    moment: Worst  # N, as the force that it would be at an arm of the body's size
    position: Worst


class Sum(NamedTuple):
    """Forces that act on a body so far."""

    force: tuple[float, float, float]  # N
    moment: tuple[float, float, float]  # N m, about the origin
    largest: float  # N, largest component of a single force
    turning: float  # N m, of a single moment


@kernel(forceinline=True, **UNCOUNTED)
def _most(a):
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@kernel(**UNCOUNTED)
def _wet_share(volume, z):
    """Wet fraction of a sphere with its centre at height z (m): w = (1 + x)^2 (2 - x) / 4, x = -z/R in [-1, 1].

    Source: volume of a spherical cap, written apart from the methods. Without volume it is wet below the surface.
    """
    if volume == 0.0:
        return 1.0 if z < 0.0 else 0.0
    x = min(1.0, max(-1.0, -z / (0.75 * volume / math.pi) ** (1.0 / 3.0)))
    return 0.25 * (1.0 + x) * (1.0 + x) * (2.0 - x)


@kernel(**UNCOUNTED)
def _pull_on(strings, kind, k):
    """Force of all lines on a point, N: F = sum f of their ends. Source: docs/audit.md, Equilibria."""
    pull = (0.0, 0.0, 0.0)
    for i in range(strings.end_kind.shape[0]):
        for end in range(2):
            if strings.end_kind[i, end] == kind and strings.end_index[i, end] == k:
                force = strings.end_force
                pull = add3(pull, (force[i, end, 0], force[i, end, 1], force[i, end, 2]))
    return pull


@kernel(**UNCOUNTED)
def _longest(strings, least):
    """Length of the longest line, m."""
    longest = least
    for i in range(strings.start.size - 1):
        longest = max(longest, strings.s[strings.start[i + 1] - 1])
    return longest


@kernel
def check_points(knots, strings, water, flow, limits, places, largest):
    r"""Balance of the free components of points and places of the held ones: a `Balance`.

    .. math:: e \cdot \left(\sum T + F + (\rho V w - m)\, g\, e_z + w f_D\right) + f_e - k_e\, e \cdot (r - r_0) = 0

    along every free axis e of the joint. Source: docs/audit.md, Equilibria.

    knots : `Knots`    strings, water, flow, limits, places : as in `check_strings`    largest : force in the lines, N
    """
    none = Worst(-1.0, 1.0, 0, 0.0)
    passed, balance, position = True, none, none
    longest = _longest(strings, SHORTEST)
    for k in range(knots.mass.size):
        r = vector(places.points, k)
        buoyancy = water.density * knots.volume[k] * _wet_share(knots.volume[k], r[2])
        lump = add3(vector(knots.force, k), (0.0, 0.0, (buoyancy - knots.mass[k]) * water.gravity))
        if flow is not None:
            drag = drag_on_lump(flow, water.density, knots.drag_area[k], r[2])
            lump = add3(lump, scale3(_wet_share(knots.volume[k], r[2]), drag))
        total = add3(_pull_on(strings, POINT, k), lump)
        off = sub3(r, vector(knots.home, k))
        scale, left, miss = max(largest, _most(lump)), 0.0, 0.0
        for axis in range(3):
            along = (knots.frame[k, axis, 0], knots.frame[k, axis, 1], knots.frame[k, axis, 2])
            if knots.joint[k, axis] == HELD:
                miss = max(miss, abs(dot(along, off)))
                continue
            spring = knots.axis_spring[k, axis] * dot(along, off) if knots.joint[k, axis] == SPRING else 0.0
            scale = max(scale, abs(knots.axis_force[k, axis]), abs(spring))
            residual = dot(along, total) + knots.axis_force[k, axis] - spring
            left += residual * residual
        left = math.sqrt(left)
        passed = passed and left <= limits.force * scale and miss <= limits.length * longest  # false for NaN
        balance = worse(balance, left, limits.force * scale, k, 0.0)
        position = worse(position, miss, limits.length * longest, k, 0.0)
    return Balance(passed, balance, none, position)


@kernel(forceinline=True, **UNCOUNTED)
def _add(total, force, arm):
    """A `Sum` with one more force at an arm: F = sum f, M = sum a x f. Source: statics of a rigid body.

    total : `Sum`    force : f, N    arm : a, m
    """
    moment = cross3(arm, force)
    return Sum(
        add3(total.force, force), add3(total.moment, moment), max(total.largest, _most(force)),
        max(total.turning, _most(moment)),
    )  # fmt: skip


@kernel
def _lift(total, floats, water, h, R, x):
    r"""A `Sum` with the buoyancy of hull h of a body at x (m) with the attitude R.

    .. math:: F = \rho g V e_z, \qquad M = \int p\,dV \times \rho g\, e_z

    Source: docs/theory/hydrostatics.md, Force and stiffness.    total : `Sum`    floats : `Floats`    water : `Water`
    """
    cut, wrench, stiffness = np.zeros(1, hydrostatics.CUT), np.zeros(6), np.zeros((6, 6))
    up, arm = np.array((0.0, 0.0, 1.0)), onto(R, vector(floats.place, h))
    if floats.kind[h] == HULL_AXISYMMETRIC:
        profile = floats.profile[floats.profile_start[h] : floats.profile_start[h + 1]]
        hydrostatics.axisymmetric(profile, np.array(onto(R, vector(floats.axis, h))), up, x[2] + arm[2], cut)
    elif floats.kind[h] == HULL_SPHERE:
        hydrostatics.sphere(np.zeros(3), floats.radius[h], up, x[2] + arm[2], cut)
    hydrostatics.buoyancy(cut, water.density * water.gravity, wrench, stiffness)
    force = (wrench[0], wrench[1], wrench[2])
    moment = add3((wrench[3], wrench[4], wrench[5]), cross3(arm, force))
    return Sum(
        add3(total.force, force), add3(total.moment, moment), max(total.largest, _most(force)),
        max(total.turning, _most(moment)),
    )  # fmt: skip


@kernel
def _buoyancy(total, floats, water, k, R, x):
    """A `Sum` with the lift of the hulls of body k, and of its volume as a sphere: F = rho g V w(z).

    Source: :func:`_lift` and :func:`_wet_share`.    total : `Sum`    floats : `Floats`    water : `Water`
    """
    if water.density == 0.0:
        return total
    lift = water.density * water.gravity * floats.volume[k] * _wet_share(floats.volume[k], x[2])
    total = _add(total, (0.0, 0.0, lift), (0.0, 0.0, 0.0))
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        total = _lift(total, floats, water, h, R, x)
    return total


@kernel(**UNCOUNTED)
def _reach(floats, k):
    """Distance from the origin of body k within which its hulls lie, m."""
    reach = 0.0
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        own = floats.radius[h]
        for row in range(floats.profile_start[h], floats.profile_start[h + 1]):
            own = max(own, math.hypot(floats.profile[row, 0], floats.profile[row, 1]))
        reach = max(reach, norm3(vector(floats.place, h)) + own)
    return reach


@kernel(**UNCOUNTED)
def _size(floats, k):
    """A length of body k, m."""
    size = SHORTEST
    for h in range(floats.hull_start[k], floats.hull_start[k + 1]):
        size = max(size, norm3(vector(floats.place, h)), floats.radius[h])
        for row in range(floats.profile_start[h], floats.profile_start[h + 1]):
            size = max(size, abs(floats.profile[row, 0]), abs(floats.profile[row, 1]))
    return size


@kernel
def check_bodies(floats, strings, water, limits, places, largest):
    r"""Force and moment on every free body, place of the others: a `Balance`.

    .. math:: \sum F = 0, \qquad \sum (M + a \times F) = 0 \quad \text{about the origin}

    Source: docs/audit.md, Equilibria.

    floats : `Floats`    strings, water, limits, places : as in `check_strings`    largest : force in the lines, N
    """
    none = Worst(-1.0, 1.0, 0, 0.0)
    passed, balance, moment, position = True, none, none, none
    longest = _longest(strings, LEAST_SPAN)
    for k in range(floats.mass.size):
        x = vector(places.bodies, k)
        if floats.joint[k] != LOOSE:
            miss = norm3(sub3(x, vector(floats.home, k)))
            position = worse(position, miss, limits.length * longest, k, 0.0)
            passed = passed and miss <= limits.length * longest
            continue
        R = rotation(places.quaternions, k)
        total = Sum((0.0, 0.0, 0.0), vector(floats.load_moment, k), 0.0, _most(vector(floats.load_moment, k)))
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
        far = not water.has_bed or height(x, water) > _reach(floats, k)
        scale = max(largest, total.largest)
        left, turning = norm3(total.force), norm3(total.moment) * scale / max(total.turning, scale * size)
        good = left <= limits.force * scale and turning <= limits.force * scale  # false for NaN
        passed = passed and good and far and not np.any(floats.stiffness[k] != 0.0)
        balance = worse(balance, left, limits.force * scale, k, 0.0)
        moment = worse(moment, turning, limits.force * scale, k, 0.0)
    return Balance(passed, balance, moment, position)
