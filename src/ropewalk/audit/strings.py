r"""Balance, lengths, ends and bed of strings at rest, and points.

From every node the string is followed to the next (march.py); on a plane bed it lies in the plane, and the bed may
push up and hold within its friction. What does not pass, or lies on a relief, is left open: analysis/audit_lines.py
then decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.audit.acting import (
    across_bed,
    ground,
    height,
    load_on,
    lump_load,
    made_of,
    mean_strain,
    norm3,
    strain_at,
    vector,
    weight_of,
    wet_part,
)
from ropewalk.audit.march import COARSE, FINER, SAME, TINY, first_hung, hung_load, march, next_leg, way
from ropewalk.loads.given import spring_pull
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.joints import HELD
from ropewalk.model.lines import BODY, POINT
from ropewalk.numerics.blockelimination import add3, dot, onto, scale3, sub3
from ropewalk.numerics.compile import UNCOUNTED, kernel

CLEAR = 0.1  # of the limits: what coarse steps may leave; beyond it finer ones decide
SHORTEST = 1e-3  # m: no line or arm counts as shorter than this
# the figure of a kind that is nearest to its limit
FIGURE = np.dtype(
    [
        ("value", "f8"),  # N or m
        ("limit", "f8"),  # 0 where there is none
        ("of", "i8"),  # LINE, KNOT, FLOAT or MOMENT
        ("part", "i8"),  # which of them
        ("s", "f8"),  # m, where on a line
    ],
    align=True,
)
KINDS = np.dtype([(kind, FIGURE) for kind in ("force", "length", "bed", "position", "push")], align=True)
FIGURES = np.dtype([(part, KINDS) for part in ("lines", "points", "bodies")], align=True)  # of an equilibrium
LINE, KNOT, FLOAT, MOMENT = range(4)  # what a figure is of: a line, a point, a body, a body by its moment


class Limits(NamedTuple):
    """What the audit allows: analysis/audit_lines.py has the reasons."""

    force: float  # of the largest force
    length: float  # of a line's length
    taut: float  # of a line's stretch and sag
    round_off: float  # of a line's length
    grip: float  # of Coulomb's limit
    sink: float  # times the depth to which the bed's pressure lets a line sink
    width: float  # m, of contact, for lines without a diameter
    level: float  # of an element: least height over which it passes the surface
    slack: float  # of a line's weight: tension below which an element need not have its length
    push: float  # of a line's weight: with which a slack element may hold its shape
    ramp: float  # length over height of the way up from an anchor on the bed to the height of rest
    on_bed: float  # of the depth: room for round-off in ends on the bed
    same: float  # m: the same in ends where they are given
    rests: float  # of the depth: a point this near to the bed rests on it
    place: float  # of lengths and coordinates: round-off of what the case gives


class Places(NamedTuple):
    """Of points and bodies."""

    points: Array  # (p, 3) m
    bodies: Array  # (b, 3) m
    quaternions: Array  # (b, 4)


class Knots(NamedTuple):
    """Points of the model, arrays as in `Points`; home : (n, 3) where they are held now, m."""

    home: Array
    joint: Ints
    frame: Array
    axis: Records  # (n, 3) of AXIS
    mass: Array
    volume: Array
    force: Array
    drag_area: Array


class Interval(NamedTuple):
    """What is left over from one node to the next."""

    passed: bool
    force: float  # N
    place: float  # m
    bed: float  # m below what the bed allows


class Lying(NamedTuple):
    """Of a stretch whose ends lie on the bed."""

    force: float  # N, that the bed cannot give
    place: float  # m, closure error
    push: float  # N, of the bed
    width: float  # m, least of contact


@kernel(forceinline=True, **UNCOUNTED)
def note(figure, value, limit, of, part, s):
    """Keep a figure if the ratio to its limit is larger than that of the one there: value/limit > value_0/limit_0.

    Source: definition.  figure : one of FIGURE, updated
    """
    if figure.limit == 0.0 or value * figure.limit > figure.value * limit:
        figure.value, figure.limit, figure.of, figure.part, figure.s = value, limit, of, part, s


@kernel(forceinline=True, **UNCOUNTED)
def _flat(a, normal):
    """Part of a vector (its unit) in the bed's plane: a_t = a - (a . n) n. Source: docs/theory/morison.md, Friction."""
    return sub3(a, scale3(dot(a, normal), normal))


@kernel(forceinline=True, **UNCOUNTED)
def most(a):
    """Largest component of a vector, in its unit, without sign: |a| = max |a_k|. Source: maximum norm."""
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@kernel(**UNCOUNTED)
def largest_force(strings, water):
    """Largest force in the lines, or weight of a line, N: max(|n_i|, |T|, sum |w| L).

    Source: own choice of a scale, > 0.
    """
    largest = 1e-9
    for i in range(strings.end_force.shape[0]):
        weight = 0.0
        for j in range(strings.piece_start[i], strings.piece_start[i + 1]):
            weight += abs(weight_of(strings, strings.piece_section[j], water)) * strings.piece_length[j]
        for end in range(2):
            for axis in range(3):
                largest = max(largest, abs(strings.end_force[i, end, axis]))
        largest = max(largest, weight)
    for tension in strings.tension:
        largest = max(largest, abs(tension))
    return largest


@kernel(**UNCOUNTED)
def allowed_miss(strings, water, acting, limits, i):
    r"""Closure error that line i may have, m.

    .. math:: \min\left(\epsilon L,\ \max\left(\tau \left(e(T) L + \frac{W^2 L}{12\, T^2}\right),\
              \epsilon_r L\right)\right)

    Source: docs/audit.md, Equilibria: the change of length that changes the tension by the
    fraction tau, by stretch and by the sag of a parabola.
    """
    length = strings.s[strings.start[i + 1] - 1]
    tension, stretch, weight = 0.0, 0.0, 0.0
    for node in range(strings.start[i], strings.start[i + 1]):
        tension = max(tension, abs(strings.tension[node]))
    if tension == 0.0:
        return limits.length * length
    for j in range(strings.piece_start[i], strings.piece_start[i + 1]):
        section = strings.piece_section[j]
        stretch += mean_strain(strings, acting.field.has.curves, section, tension) * strings.piece_length[j]
        weight += abs(weight_of(strings, section, water)) * strings.piece_length[j]
    give = stretch + weight * weight * length / (12.0 * tension * tension)
    return min(limits.length * length, max(limits.taut * give, limits.round_off * length))


@kernel(**UNCOUNTED)
def rotation(quaternions, k):
    """Rotation matrix of body k, a tuple of nine: R = 1 + 2 q_0 [q] + 2 [q]^2.

    Source: [Sola2018]; written apart from the methods.
    """
    w, x, y, z = quaternions[k, 0], quaternions[k, 1], quaternions[k, 2], quaternions[k, 3]
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@kernel(**UNCOUNTED)
def end_arm(strings, i, end, places):
    """Arm from the origin of its body to an end of line i, world, m: a = R o; zero at points.

    Source: docs/theory/bodies.md, Coupling.
    """
    if strings.end_kind[i, end] != BODY:
        return 0.0, 0.0, 0.0
    offset = strings.end_offset
    here = (offset[i, end, 0], offset[i, end, 1], offset[i, end, 2])
    return onto(rotation(places.quaternions, strings.end_index[i, end]), here)


@kernel(**UNCOUNTED)
def held_at(strings, i, end, places):
    """Position at which an end of line i is held, m: r = x + R o; NaN on a rod.

    Source: docs/theory/bodies.md, Coupling.
    """
    k = strings.end_index[i, end]
    if strings.end_kind[i, end] == BODY:
        return add3(vector(places.bodies, k), end_arm(strings, i, end, places))
    return vector(places.points, k) if strings.end_kind[i, end] == POINT else (math.nan, math.nan, math.nan)


@kernel(**UNCOUNTED)
def contact_width(strings, section, limits):
    """Width of contact with the bed, m: b = max(sqrt(4 A / pi), 2 a). Source: docs/theory/morison.md, Seabed."""
    width = max(math.sqrt(4.0 * strings.area[section] / math.pi), 2.0 * strings.radius[section])
    return width if width > 0.0 else limits.width


@kernel(**UNCOUNTED)
def end_miss(strings, water, limits, places, i, end):
    """Closure error of an end of line i, m: e = |r - r_0| from where it is held.

    Source: docs/audit.md, Equilibria. An end on the bed may be at its resting height, up to a + w/(k b) above or below.
    """
    first, last = strings.start[i], strings.start[i + 1] - 1
    node, beside = (first, first + 1) if end == 0 else (last, last - 1)
    held = held_at(strings, i, end, places)
    miss = sub3(vector(strings.position, node), held)
    section = strings.piece_section[strings.piece_start[i] if end == 0 else strings.piece_start[i + 1] - 1]
    radius = strings.radius[section]
    touch = radius + limits.length * strings.s[last]
    if not water.has_bed or height(vector(strings.position, beside), water) > touch:
        return norm3(miss)
    weight = weight_of(strings, section, water)
    room = radius + max(0.0, weight) / (water.stiffness * contact_width(strings, section, limits))
    normal = ground(water.relief, held, water)[0]
    up = dot(miss, normal)
    return norm3(sub3(miss, scale3(min(room, max(-room, up)), normal)))


@kernel(**UNCOUNTED)
def _thickest(strings, acting, i, node):
    """Largest height of the axis of a line on the bed from a node to the next, m: a = max a_k. Source: `_lying`."""
    x, high = strings.s[node], strings.s[node + 1]
    same, radius = SAME * strings.s[strings.start[i + 1] - 1], 0.0
    while x < high - same:
        section, x = next_leg(strings, acting.field.given, acting.along, i, strings.hung_start[i + 1], x, high, same)
        radius = max(radius, strings.radius[section])
    return radius


@kernel(**UNCOUNTED)
def _lying(strings, water, acting, limits, i, node, slack):
    r"""Residuals of a stretch of line i whose ends lie on the bed, a `Lying`.

    .. math:: P = n_0 - n_1 - \int f\, ds - \sum F, \quad P \cdot n \ge 0, \quad
              |P - (P \cdot n) n| \le (1 + g) \mu P \cdot n

    Source: Coulomb's law, docs/audit.md, Equilibria: On the bed; g is the grip of `limits`. What is attached may be
    held there: the strain between the tensions before and behind it is then open.    slack : N, below which a line
    has no direction
    """
    normal, rough = water.normal, water.friction > 0.0
    n0, n1 = vector(strings.node_force, node), vector(strings.node_force, node + 1)
    r0, r1 = vector(strings.position, node), vector(strings.position, node + 1)
    low, high, data = strings.s[node], strings.s[node + 1], strings.law_data
    h, chord, mean = high - low, sub3(r1, r0), 0.5 * norm3(add3(n0, n1))
    same = SAME * strings.s[strings.start[i + 1] - 1]
    flat0, flat1, t = _flat(n0, normal), _flat(n1, normal), scale3(1.0 / max(norm3(chord), TINY), chord)
    push, reach, width, jump = sub3(n0, n1), (0.0, 0.0, 0.0), math.inf, 0.0
    has = acting.field.has
    begin = first_hung(strings, i, low, same)
    k, stop, x = begin, strings.hung_start[i + 1], low
    while x < high - same:
        section, to = next_leg(strings, acting.field.given, acting.along, i, k, x, high, same)
        made = made_of(strings, acting.drags, acting.drag_laws, acting.along, i, section, x + same)
        middle, there = 0.5 * (x + to), add3(r0, scale3((to - low) / h, chord))
        here = add3(r0, scale3((middle - low) / h, chord))
        state = here, t, 1.0 + strain_at(has.series, has.curves, data, made, middle, mean)
        load = load_on(acting.field, water, data, made, middle, state, wet_part(here[2], here[2]))
        push = sub3(push, scale3(to - x, load))
        ended = flat1
        while k < stop and strings.hung_s[k] <= to + same:
            load = hung_load(strings, water, acting.field.current, acting.drags, k, there)
            push, k = sub3(push, load), k + 1
            if rough:
                before = strain_at(has.series, has.curves, data, made, middle, norm3(n0))
                jump = h * abs(strain_at(has.series, has.curves, data, made, middle, norm3(n1)) - before)
            else:  # acts beyond the leg to it; a rough bed may hold it there
                ended = add3(ended, _flat(load, normal))
        begun = add3(flat0, scale3((x - low) / h, sub3(ended, flat0)))
        ended = add3(flat0, scale3((to - low) / h, sub3(ended, flat0)))
        reach = add3(reach, way(has, data, made, x, begun, ended, to - x))
        width, x = min(width, contact_width(strings, section, limits)), to
    chord = _flat(chord, normal)
    if min(norm3(n0), norm3(n1)) < slack:
        place = max(0.0, norm3(chord) - max(norm3(reach), h))
    else:
        place = max(0.0, norm3(sub3(chord, reach)) - jump)
    up = dot(push, normal)
    along = norm3(sub3(push, scale3(up, normal)))
    held = (1.0 + limits.grip) * water.friction * max(up, 0.0)
    weight = abs(dot(sub3(n0, n1), normal) - up) / h
    lifted = across_bed(n0, n1, sub3(r1, r0), normal, weight, h)
    lifted = 0.0 if k > begin else lifted  # a line may rise from what is attached there
    return Lying(max(0.0, -up) + max(0.0, along - held) + lifted, place, up, width)


@kernel(forceinline=True, **UNCOUNTED)
def _hanging(strings, water, acting, limits, i, node, allowed, steps):
    """Residuals of an interval of line i off the bed, e_n = |n_1 - n| (N) and e_r = |r_1 - r| (m), an `Interval`.

    Source: docs/audit.md, Equilibria: :func:`march`. Where the line runs over something without friction it may turn:
    e_n = ||n_1| - |n||.    allowed : as of `_interval`    steps : as of `march`
    """
    h = strings.s[node + 1] - strings.s[node]
    r0, r1 = vector(strings.position, node), vector(strings.position, node + 1)
    r, n = march(strings, water, acting, i, node, steps)
    n1 = vector(strings.node_force, node + 1)
    bends = strings.bent.size > 0 and strings.bent[node + 1]
    force, place = abs(norm3(n1) - norm3(n)) if bends else norm3(sub3(n1, n)), norm3(sub3(r1, r))
    loose = norm3(vector(strings.node_force, node)) < allowed[0] and norm3(n) < allowed[0]
    if loose and norm3(sub3(r1, r0)) <= h * (1.0 + limits.length) + SAME:
        place = 0.0
    return Interval(force <= allowed[0] and place <= allowed[1], force, place, 0.0)  # False for NaN


@kernel(**UNCOUNTED)
def _refined(strings, water, acting, limits, i, node, allowed):
    """As :func:`_hanging`, in finer and finer steps until it passes."""
    left = Interval(False, math.nan, math.nan, math.nan)
    for steps in FINER:
        if not left.passed:
            left = _hanging(strings, water, acting, limits, i, node, allowed, steps)
    return left


@kernel(forceinline=True, **UNCOUNTED)
def _interval(strings, water, acting, limits, i, node, allowed):
    """Residuals of an interval of line i, an `Interval`: away from the bed, or on it where h = n . r + d n_z = 0.

    Source: docs/audit.md, Equilibria: :func:`_hanging` and :func:`_lying`.    allowed : N, m and the largest radius, m
    """
    h, deep = strings.s[node + 1] - strings.s[node], 0.0
    if not h > 0.0:
        return Interval(False, math.nan, math.nan, math.nan)
    clear = (CLEAR * allowed[0], CLEAR * allowed[1], 0.0)
    left = _hanging(strings, water, acting, limits, i, node, clear, COARSE)
    if water.has_bed:
        low = height(vector(strings.position, node), water)
        high = height(vector(strings.position, node + 1), water)
        if low > high:
            low, high = high, low
        tolerance = limits.length * strings.s[strings.start[i + 1] - 1]
        deep = max(0.0, -low - tolerance)
        on_bed = water.relief is None and strings.bent.size == 0  # what lies on a relief is left open
        on_bed = on_bed and high <= tolerance + allowed[2]
        on_bed = on_bed and high <= tolerance + _thickest(strings, acting, i, node)
        if on_bed and (deep > 0.0 or not left.passed):
            own = _lying(strings, water, acting, limits, i, node, allowed[0])
            if own.force <= allowed[0] and own.place <= allowed[1]:
                room = limits.sink * max(own.push, 0.0) / (water.stiffness * own.width * h) + tolerance
                return Interval(True, own.force, own.place, max(0.0, -low - room))
    if not left.passed:
        left = _refined(strings, water, acting, limits, i, node, allowed)
    return Interval(left.passed, left.force, left.place, deep)


@kernel(**UNCOUNTED)
def _pull_on(strings, kind, k, longest):
    """Force of all lines on a point, N: F = sum f of their ends; length of the shortest, m, or `longest` without any.

    Source: docs/audit.md, Equilibria.
    """
    pull, shortest = (0.0, 0.0, 0.0), longest
    for i in range(strings.end_kind.shape[0]):
        for end in range(2):
            if strings.end_kind[i, end] == kind and strings.end_index[i, end] == k:
                force = strings.end_force
                pull = add3(pull, (force[i, end, 0], force[i, end, 1], force[i, end, 2]))
                shortest = min(shortest, strings.s[strings.start[i + 1] - 1])
    return pull, shortest


@kernel(**UNCOUNTED)
def longest_of(strings, least):
    """Length of the longest line, m. Bookkeeping."""
    longest = least
    for i in range(strings.start.size - 1):
        longest = max(longest, strings.s[strings.start[i + 1] - 1])
    return longest


@kernel(**UNCOUNTED)
def _left_by_bed(water, limits, force, normal):
    r"""Residual force on a point on the bed, N: the part of F that normal force and friction do not balance.

    .. math:: \sqrt{\max(0, F \cdot n)^2 + \max(0, |F - (F \cdot n) n| - (1 + g) \mu \max(0, -F \cdot n))^2}

    Source: Coulomb's law, docs/audit.md, Equilibria: Points on the bed.    force : F, N    normal : n of the bed
    limits : its grip is g, a margin
    """
    up = dot(force, normal)
    push = max(0.0, -up)
    along = norm3(sub3(force, scale3(up, normal)))
    return math.hypot(up + push, max(0.0, along - (1.0 + limits.grip) * water.friction * push))


@kernel(**UNCOUNTED)
def check_points(knots, strings, water, current, limits, places, largest, figures):
    r"""Balance of the free components of points and places of the held ones: whether all pass.

    .. math:: e \cdot \left(\sum T + F + (\rho V w - m)\, g\, e_z + w f_D\right) + f_e - k_e\, e \cdot (r - r_0) = 0

    along every free axis e of the joint. Source: docs/audit.md, Equilibria.

    knots : `Knots`    current : `Current` or None    strings, water, limits, places : as in `check_strings`
    largest : force in the lines, N    figures : (1,) of FIGURES, updated
    """
    passed, longest, touch = True, longest_of(strings, SHORTEST), limits.rests * water.depth
    for radius in strings.radius:
        touch = max(touch, limits.rests * water.depth + radius)
    for k in range(knots.mass.size):
        r = vector(places.points, k)
        own = (knots.mass[k], knots.volume[k], knots.drag_area[k])
        lump = lump_load(water, current, own, vector(knots.force, k), r)
        pull, shortest = _pull_on(strings, POINT, k, longest)
        total = add3(pull, lump)
        off = sub3(r, vector(knots.home, k))
        scale, left, miss = max(largest, most(lump)), (0.0, 0.0, 0.0), 0.0
        for axis in range(3):
            along = (knots.frame[k, axis, 0], knots.frame[k, axis, 1], knots.frame[k, axis, 2])
            if knots.joint[k, axis] == HELD:
                miss = max(miss, abs(dot(along, off)))
                continue
            pull, given = spring_pull(knots.axis[k, axis], off)[0], knots.axis[k, axis].pull
            scale = max(scale, abs(given), abs(given - pull))
            left = add3(left, scale3(dot(along, total) + pull, along))
        force = norm3(left)
        if not force <= limits.force * scale and water.has_bed and abs(height(r, water)) <= touch:
            force = _left_by_bed(water, limits, left, ground(water.relief, r, water)[0])
        room = limits.place * max(longest, most(vector(knots.home, k)))
        if knots.joint[k, 0] != HELD or knots.joint[k, 1] != HELD or knots.joint[k, 2] != HELD:
            room = max(room, limits.length * shortest)
        passed = passed and force <= limits.force * scale and miss <= room  # false for NaN
        note(figures[0].points.force, force, limits.force * scale, KNOT, k, 0.0)
        note(figures[0].points.position, miss, room, KNOT, k, 0.0)
    return passed


@kernel(**UNCOUNTED)
def check_rest(acting, strings, water, limits, places, knots, figures):
    """Balance, lengths, ends and bed of all lines, and points: whether the lines pass, whether the points do, and the
    largest force, N.

    Source: docs/audit.md, Equilibria: residuals of n' = -f and r' = (1 + e) n/|n| against their limits.

    acting : `Acting`    strings : `Strings`    water : `Water`    limits : `Limits`    places : `Places`
    knots : `Knots`    figures : (1,) of FIGURES, updated; of no use where lines or points do not pass
    """
    scale = largest_force(strings, water)
    force_limit = limits.force * scale
    if not scale < math.inf:
        return False, False, scale
    for i in range(strings.start.size - 1):
        first, last = strings.start[i], strings.start[i + 1] - 1
        place_limit, radius = allowed_miss(strings, water, acting, limits, i), 0.0
        for j in range(strings.piece_start[i], strings.piece_start[i + 1]):
            radius = max(radius, strings.radius[strings.piece_section[j]])
        for node in range(first, last):
            left = _interval(strings, water, acting, limits, i, node, (force_limit, place_limit, radius))
            tension = norm3(vector(strings.node_force, node))
            same = abs(strings.tension[node] - tension) <= force_limit  # false for NaN
            if not (left.passed and left.bed <= place_limit and same):
                return False, False, scale
            note(figures[0].lines.force, left.force, force_limit, LINE, i, strings.s[node])
            note(figures[0].lines.length, left.place, place_limit, LINE, i, strings.s[node])
            if water.has_bed:
                note(figures[0].lines.bed, left.bed, place_limit, LINE, i, strings.s[node])
        for end in range(2):
            node = first if end == 0 else last
            held = (strings.end_force[i, end, 0], strings.end_force[i, end, 1], strings.end_force[i, end, 2])
            sign = 1.0 if end == 0 else -1.0
            own = norm3(sub3(held, scale3(sign, vector(strings.node_force, node))))
            miss = end_miss(strings, water, limits, places, i, end)
            if not (own <= force_limit and miss <= place_limit):  # true for NaN
                return False, False, scale
            note(figures[0].lines.force, own, force_limit, LINE, i, strings.s[node])
            note(figures[0].lines.position, miss, place_limit, LINE, i, strings.s[node])
    return True, check_points(knots, strings, water, acting.field.current, limits, places, scale, figures), scale
