r"""Strings at rest, integrated again from node to node: the compiled short way of the audit.

Without a current (with one: string_flow.py) the force n(s) goes straight from node to node, so that

.. math:: n_1 = n_0 - w\,h, \qquad r_1 = r_0 + \int \left(\frac{n}{|n|} + \frac{n}{EA}\right) ds

has a closed form however sharp the bend. On a plane bed the line lies in the plane, and the bed may push up and hold
within its friction. What is not as simple (water surface within a line, loads on the bed, other laws) is left open:
the audit then takes its long way (analysis/audit_lines.py). No method uses this file; an import contract checks that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.loads.string_flow import drag_on, drag_on_lump, drift
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.lines import BODY, POINT
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, onto, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR

GENTLE = 0.1  # change of the force over a step, of the force: below it, three points see every turn
GAUSS_OFFSET = math.sqrt(0.15)  # of Gauss's three points on [0, 1] from the middle
GAUSS_OUTER, GAUSS_MIDDLE = 5.0 / 18.0, 8.0 / 18.0  # their weights
TINY = 1e-300  # N: keeps the direction of a force that is zero finite
STRAIGHT = 1e-14  # of a force: how far off its own direction a force that turns back passes zero
AT_SURFACE = 1e-9  # m: a stretch this near to the surface is neither wet nor dry
SAME = 1e-12  # of a line's length: places this near are one


class Limits(NamedTuple):
    """What the audit allows: analysis/audit_lines.py has the reasons."""

    force: float  # of the largest force
    length: float  # of a line's length
    taut: float  # of a line's stretch and sag
    round_off: float  # of a line's length
    grip: float  # of Coulomb's limit
    sink: float  # times the depth to which the bed's pressure lets a line sink
    width: float  # m, of contact, for lines without a diameter


class Water(NamedTuple):
    """Water over a plane bed."""

    gravity: float  # m/s2
    density: float  # kg/m3
    depth: float  # m, under the origin
    normal: tuple[float, float, float]  # of the bed, up
    has_bed: bool
    stiffness: float  # Pa/m
    friction: float


class Strings(NamedTuple):
    """Lines of a state, and what they are made of; arrays as in `State`, `Lines` and `Sections`."""

    start: Ints
    s: Array
    position: Array
    node_force: Array
    tension: Array
    end_force: Array
    end_kind: Ints
    end_index: Ints
    end_offset: Array
    piece_start: Ints
    piece_section: Ints
    piece_length: Array
    hung_start: Ints
    hung_s: Array
    hung_mass: Array
    hung_volume: Array
    hung_force: Array
    mass: Array
    area: Array
    radius: Array
    law: Ints
    law_start: Ints
    law_data: Array


class Places(NamedTuple):
    """Of points and bodies."""

    points: Array  # (p, 3) m
    bodies: Array  # (b, 3) m
    quaternions: Array  # (b, 4)


class Worst(NamedTuple):
    """The figure nearest to its limit so far."""

    value: float
    limit: float
    part: int  # which line, point or body
    s: float  # m, where on a line


class Missed(NamedTuple):
    """Of all lines: largest misses of force (N), length, bed and position (m)."""

    passed: bool  # every figure could be had and is within its limit
    force: Worst
    length: Worst
    bed: Worst
    position: Worst
    scale: float  # N, largest force


@kernel(forceinline=True, **UNCOUNTED)
def worse(worst, value, limit, part, s):
    """The one of two figures that is nearer to its limit."""
    if value * worst.limit <= worst.value * limit:
        return worst
    return Worst(value, limit, part, s)


@kernel(forceinline=True, **UNCOUNTED)
def vector(a, i):
    """Row i of an array, as a tuple of three."""
    return a[i, 0], a[i, 1], a[i, 2]


@kernel(forceinline=True, **UNCOUNTED)
def norm3(a):
    """Length of a vector."""
    return math.sqrt(dot(a, a))


@kernel(forceinline=True, **UNCOUNTED)
def _flat(a, normal):
    """Part of a vector within the plane of the bed: a_t = a - (a . n) n. Source: docs/theory/morison.md, Friction."""
    return sub3(a, scale3(dot(a, normal), normal))


@kernel(forceinline=True, **UNCOUNTED)
def height(r, water):
    """Height of a position above the bed along its normal, m: h = n . r + d n_z, for a bed at depth d under the origin.

    Source: docs/theory/morison.md, Seabed.    r : 3 numbers, m    water : `Water`
    """
    return dot(r, water.normal) + water.depth * water.normal[2]


@kernel(**UNCOUNTED)
def way(n0, n1, h, flexibility):
    r"""Integral of r' over a step along which the force goes straight from n0 to n1, m.

    Source: the elastic catenary, [Irvine1981], ch. 1, for a load in any direction.

    With the change d of the force per length, the part c of it along d and p across,

    .. math:: \int \frac{n}{|n|} ds
              = \frac{1}{d} \left[ p\,\hat p\, \operatorname{arsinh}(c/p) + \hat d \sqrt{p^2 + c^2} \right]

    between the ends, by three Gauss points where the force hardly turns; the stretch is that of the mean force.

    n0, n1 : N    h : m of unstretched length    flexibility : 1/EA, 1/N
    """
    middle = scale3(0.5, add3(n0, n1))
    stretch = scale3(h * flexibility, middle)
    change = sub3(n1, n0)
    size = norm3(change)
    if size <= GENTLE * min(norm3(n0), norm3(n1)):
        low, high = sub3(middle, scale3(GAUSS_OFFSET, change)), add3(middle, scale3(GAUSS_OFFSET, change))
        turn = add3(
            scale3(GAUSS_MIDDLE / max(norm3(middle), TINY), middle),
            add3(scale3(GAUSS_OUTER / max(norm3(low), TINY), low), scale3(GAUSS_OUTER / max(norm3(high), TINY), high)),
        )
        return add3(stretch, scale3(h, turn))
    d = scale3(1.0 / size, change)
    c0, c1 = dot(n0, d), dot(n1, d)
    across = sub3(n0, scale3(c0, d))
    p = norm3(across)
    safe = max(p, STRAIGHT * max(abs(c0), abs(c1)) + TINY)
    bend = scale3(math.asinh(c1 / safe) - math.asinh(c0 / safe), across)
    along = scale3(math.hypot(p, c1) - math.hypot(p, c0), d)
    return add3(stretch, scale3(h / size, add3(bend, along)))


@kernel(**UNCOUNTED)
def flexibility_of(strings, section):
    """Axial flexibility of a section, 1/N: f = 1/EA. Source: Hooke's law. 0 if inextensible, -1 for other laws."""
    if strings.law[section] == INEXTENSIBLE:
        return 0.0
    return 1.0 / strings.law_data[strings.law_start[section]] if strings.law[section] == LINEAR else -1.0


@kernel(**UNCOUNTED)
def weight_of(strings, section, water):
    """Submerged weight of a section, N/m: w = (m - rho A) g. Source: Archimedes; docs/theory/morison.md."""
    return (strings.mass[section] - water.density * strings.area[section]) * water.gravity


@kernel(**UNCOUNTED)
def _largest_force(strings, water):
    """Largest force in the lines, or weight of a line, N."""
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
def _allowed(strings, water, limits, i):
    r"""Closure error that line i may have, m; below 0 if its laws are not linear.

    .. math:: \min\left(\epsilon L,\ \max\left(\tau \left(\frac{T L}{EA} + \frac{W^2 L}{12\, T^2}\right),\
              \epsilon_r L\right)\right)

    Source: docs/audit.md, Equilibria: the change of length that changes the tension by the
    fraction tau, by stretch and by the sag of a parabola.
    """
    length = strings.s[strings.start[i + 1] - 1]
    tension, stretch, weight = 0.0, 0.0, 0.0
    for node in range(strings.start[i], strings.start[i + 1]):
        tension = max(tension, abs(strings.tension[node]))
    for j in range(strings.piece_start[i], strings.piece_start[i + 1]):
        section = strings.piece_section[j]
        flexibility = flexibility_of(strings, section)
        if flexibility < 0.0:
            return -1.0
        stretch += flexibility * tension * strings.piece_length[j]
        weight += abs(weight_of(strings, section, water)) * strings.piece_length[j]
    if tension == 0.0:
        return limits.length * length
    give = stretch + weight * weight * length / (12.0 * tension * tension)
    return min(limits.length * length, max(limits.taut * give, limits.round_off * length))


@kernel(**UNCOUNTED)
def rotation(quaternions, k):
    """Attitude of body k, a tuple of nine: R = 1 + 2 q_0 [q] + 2 [q]^2.

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
def _held_at(strings, i, end, places):
    """Position at which an end of line i is held, m: r = x + R o; NaN on a rod.

    Source: docs/theory/bodies.md, Coupling.
    """
    k = strings.end_index[i, end]
    if strings.end_kind[i, end] == BODY:
        return add3(vector(places.bodies, k), end_arm(strings, i, end, places))
    return vector(places.points, k) if strings.end_kind[i, end] == POINT else (math.nan, math.nan, math.nan)


@kernel(**UNCOUNTED)
def _width(strings, section, limits):
    """Width of contact with the bed, m: b = max(sqrt(4 A / pi), 2 a). Source: docs/theory/morison.md, Seabed."""
    width = max(math.sqrt(4.0 * strings.area[section] / math.pi), 2.0 * strings.radius[section])
    return width if width > 0.0 else limits.width


@kernel(**UNCOUNTED)
def _end_miss(strings, water, limits, places, i, end):
    """Closure error of an end of line i, m: e = |r - r_0| from where it is held.

    Source: docs/audit.md, Equilibria. An end on the bed may be at its resting height, up to a + w/(k b) above or below.
    """
    first, last = strings.start[i], strings.start[i + 1] - 1
    node, beside = (first, first + 1) if end == 0 else (last, last - 1)
    held = _held_at(strings, i, end, places)
    miss = sub3(vector(strings.position, node), held)
    section = strings.piece_section[strings.piece_start[i] if end == 0 else strings.piece_start[i + 1] - 1]
    radius = strings.radius[section]
    touch = radius + limits.length * strings.s[last]
    if not water.has_bed or height(vector(strings.position, beside), water) > touch:
        return norm3(miss)
    weight = weight_of(strings, section, water)
    room = radius + max(0.0, weight) / (water.stiffness * _width(strings, section, limits))
    up = dot(miss, water.normal)
    return norm3(sub3(miss, scale3(min(room, max(-room, up)), water.normal)))


@kernel(**UNCOUNTED)
def _hung_load(strings, water, flow, k, r):
    """Load of an attachment, N: f = F - (m - rho V) g e_z + f_D, and whether it is wholly under water.

    Source: Archimedes; docs/theory/morison.md, Drag.

    strings : `Strings`    water : `Water`    flow : `Flow` or None    k : attachment    r : its position, m
    """
    volume, force = strings.hung_volume[k], vector(strings.hung_force, k)
    weight = (strings.hung_mass[k] - water.density * volume) * water.gravity
    radius = (0.75 * volume / math.pi) ** (1.0 / 3.0)
    wet = water.density == 0.0 or volume == 0.0 or r[2] + radius <= 0.0
    load = (force[0], force[1], force[2] - weight)
    if flow is not None:
        load = add3(load, drag_on_lump(flow, water.density, flow.hung_area[k], r[2]))
        wet = r[2] + radius <= 0.0
    return load, wet


@kernel(**UNCOUNTED)
def _leg(strings, water, flow, section, r, n, h):
    """Place (m) and force (N) at the end of a leg of h m, and whether the surface stays out of it: n_1 = n_0 + w h e_z.

    Source: [Irvine1981], ch. 1, :func:`way`; in a current :func:`ropewalk.loads.string_flow.drift`.
    """
    weight, flexibility = weight_of(strings, section, water), flexibility_of(strings, section)
    if flow is not None:
        end, force, top = drift(flow, water.density, (section, weight, flexibility), r, n, h)
        return end, force, top < 0.0
    force = (n[0], n[1], n[2] + weight * h)
    return add3(r, way(n, force, h, flexibility)), force, True


@kernel(**UNCOUNTED)
def march(strings, water, flow, i, node):
    r"""From a node of line i to the next, by the load and what is attached between them.

    .. math:: n_1 = n_0 + w h\, e_z - \sum F, \qquad r_1 = r_0 + \int \left(\frac{n}{|n|} + \frac{n}{EA}\right) ds

    Source: [Irvine1981], ch. 1; :func:`way`.

    Returns the place (m) and force (N) it arrives with, the number of legs of one section without attachments (0 if the
    water surface comes into it), and the section of the last of them.
    """
    low, high = strings.s[node], strings.s[node + 1]
    same = SAME * strings.s[strings.start[i + 1] - 1]
    r, n = vector(strings.position, node), vector(strings.node_force, node)
    j, last = strings.piece_start[i], strings.piece_start[i + 1] - 1
    end = strings.piece_length[j]
    while j < last and end <= low + same:
        j += 1
        end += strings.piece_length[j]
    k, stop = strings.hung_start[i], strings.hung_start[i + 1]
    while k < stop and strings.hung_s[k] <= low + same:
        k += 1
    x, legs, wet, section = low, 0, True, strings.piece_section[j]
    while x < high - same or (k < stop and strings.hung_s[k] <= high + same):
        to, hangs = high, False
        if k < stop and strings.hung_s[k] <= high + same:
            to, hangs = min(high, strings.hung_s[k]), True
        if j < last and end < to - same:
            to, hangs = end, False
        section = strings.piece_section[j]
        r, n, below = _leg(strings, water, flow, section, r, n, to - x)
        x, wet = to, wet and below
        legs += 1
        if hangs:
            load, under = _hung_load(strings, water, flow, k, r)
            n, wet = sub3(n, load), wet and under
            k, legs = k + 1, legs + 1
        if j < last and x >= end - same:
            j += 1
            end += strings.piece_length[j]
    return r, n, legs if wet else 0, section


class Interval(NamedTuple):
    """What is left over from one node to the next."""

    sure: bool
    force: float  # N
    place: float  # m
    bed: float  # m below what the bed allows


@kernel(forceinline=True, **UNCOUNTED)
def _at_surface(strings, water, node):
    """Whether the stretch from a node to the next is at or above the surface."""
    z0, z1 = strings.position[node, 2], strings.position[node + 1, 2]
    return water.density > 0.0 and not (z0 <= 0.0 and z1 <= 0.0 and z0 + z1 < -AT_SURFACE)


@kernel(**UNCOUNTED)
def _lying(strings, water, flow, limits, node, section, slack):
    r"""Residuals of a uniform stretch whose ends lie on the bed: force (N), closure error (m), and bed reaction (N).

    .. math:: P = n_0 - n_1 + (w\, e_z - \nu f_D) h, \quad P \cdot n \ge 0, \quad |P - (P \cdot n) n| \le \mu P \cdot n

    Source: Coulomb's law, docs/audit.md, Equilibria: On the bed.    slack : N, below which a line has no direction
    """
    normal = water.normal
    n0, n1 = vector(strings.node_force, node), vector(strings.node_force, node + 1)
    h = strings.s[node + 1] - strings.s[node]
    flat0, flat1 = _flat(n0, normal), _flat(n1, normal)
    reach = way(flat0, flat1, h, flexibility_of(strings, section))
    chord = _flat(sub3(vector(strings.position, node + 1), vector(strings.position, node)), normal)
    if min(norm3(n0), norm3(n1)) < slack:
        place = max(0.0, norm3(chord) - max(norm3(reach), h))
    else:
        place = norm3(sub3(chord, reach))
    push = sub3(sub3(n0, n1), (0.0, 0.0, -h * weight_of(strings, section, water)))
    if flow is not None:
        t = sub3(vector(strings.position, node + 1), vector(strings.position, node))
        stretch = 1.0 + flexibility_of(strings, section) * 0.5 * norm3(add3(n0, n1))
        z = 0.5 * (strings.position[node, 2] + strings.position[node + 1, 2])
        drag = drag_on(flow, water.density, section, z, scale3(1.0 / max(norm3(t), TINY), t))
        push = sub3(push, scale3(h * stretch, drag))
    up = dot(push, normal)
    along = norm3(sub3(push, scale3(up, normal)))
    held = (1.0 + limits.grip) * water.friction * max(up, 0.0)
    return max(0.0, -up) + max(0.0, along - held), place, up


@kernel(**UNCOUNTED)
def _interval(strings, water, flow, limits, i, node, allowed):
    """Residuals of an interval of line i, e_n = |n_1 - n| and e_r = |r_1 - r|; not sure where no simple case applies.

    Source: docs/audit.md, Equilibria: :func:`march` above the bed, :func:`_lying` on it.
    """
    force_limit, place_limit = allowed
    r0, r1 = vector(strings.position, node), vector(strings.position, node + 1)
    r, n, legs, section = march(strings, water, flow, i, node)
    force, place = norm3(sub3(vector(strings.node_force, node + 1), n)), norm3(sub3(r1, r))
    h = strings.s[node + 1] - strings.s[node]
    loose = norm3(vector(strings.node_force, node)) < force_limit and norm3(n) < force_limit
    if loose and norm3(sub3(r1, r0)) <= h * (1.0 + limits.length) + SAME:
        place = 0.0
    sure = legs > 0 and not _at_surface(strings, water, node) and h > 0.0
    good = force <= force_limit and place <= place_limit
    if not water.has_bed:
        return Interval(sure and good, force, place, 0.0)
    low, high = height(r0, water), height(r1, water)
    if low > high:
        low, high = high, low
    tolerance = limits.length * strings.s[strings.start[i + 1] - 1]
    radius = strings.radius[section]
    if legs == 1 and high <= radius + tolerance:
        own, gap, up = _lying(strings, water, flow, limits, node, section, force_limit)
        if own <= force_limit and gap <= place_limit:
            room = limits.sink * max(up, 0.0) / (water.stiffness * _width(strings, section, limits) * h) + tolerance
            return Interval(sure, own, gap, max(0.0, -low - room))
    return Interval(sure and good, force, place, max(0.0, -low - tolerance))


@kernel
def check_strings(strings, water, flow, limits, places):
    """Balance, lengths, ends and bed of all lines: a `Missed`.

    Source: docs/audit.md, Equilibria: residuals of n' = -f and r' = (1 + e) n/|n| against their limits.

    strings : `Strings`    water : `Water`    flow : `Flow`, None in still water    limits : `Limits`
    places : `Places`
    """
    scale = _largest_force(strings, water)
    force_limit = limits.force * scale
    none = Worst(-1.0, 1.0, 0, 0.0)
    passed, force, length, bed, position = True, none, none, none, none
    for i in range(strings.start.size - 1):
        first, last = strings.start[i], strings.start[i + 1] - 1
        place_limit = _allowed(strings, water, limits, i)
        for node in range(first, last):
            left = _interval(strings, water, flow, limits, i, node, (force_limit, place_limit))
            tension = norm3(vector(strings.node_force, node))
            same = abs(strings.tension[node] - tension) <= force_limit  # false for NaN
            passed = passed and left.sure and left.bed <= place_limit and same
            force = worse(force, left.force, force_limit, i, strings.s[node])
            length = worse(length, left.place, place_limit, i, strings.s[node])
            bed = worse(bed, left.bed, place_limit, i, strings.s[node])
        for end in range(2):
            node = first if end == 0 else last
            held = (strings.end_force[i, end, 0], strings.end_force[i, end, 1], strings.end_force[i, end, 2])
            sign = 1.0 if end == 0 else -1.0
            own = norm3(sub3(held, scale3(sign, vector(strings.node_force, node))))
            miss = _end_miss(strings, water, limits, places, i, end)
            passed = passed and own <= force_limit and miss <= place_limit  # false for NaN
            force = worse(force, own, force_limit, i, strings.s[node])
            position = worse(position, miss, place_limit, i, strings.s[node])
    return Missed(passed, force, length, bed, position, scale)
