r"""Strings at rest, integrated again from node to node.

.. math:: n' = -f(s, r, n), \qquad r' = (1 + \varepsilon(|n|))\, t, \qquad t = n / |n|

Where weight and buoyancy are all that acts, the force n(s) goes straight from node to node, and the integral of r' has
a closed form however sharp the bend. Otherwise classical Runge-Kutta steps follow the string, and steps with the mean
load where its force turns too sharply for them.
"""

from __future__ import annotations

import math

from ropewalk.audit.acting import (
    load_on,
    lump_load,
    made_of,
    norm3,
    strain_at,
    vector,
    wet_part,
)
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel

GENTLE = 0.1  # change of the force over a step, of the force: below it, three points see every turn
GAUSS_OFFSET = math.sqrt(0.15)  # of Gauss's three points on [0, 1] from the middle
GAUSS_OUTER, GAUSS_MIDDLE = 5.0 / 18.0, 8.0 / 18.0  # their weights
TINY = 1e-300  # N: keeps the direction of a force that is zero finite
STRAIGHT = 1e-14  # of a force: how far off its own direction a force that turns back passes zero
SAME = 1e-12  # of a line's length: places this near are one
# Steps along a leg, and whether they are of fourth order or with the mean load, one after the other while a defect
# stays too large. What is left of eight of fourth order is some 1e-9 of the forces at a fiftieth of a line.
COARSE = (2, True)
FINER = ((8, True), (8, False), (32, False), (128, False))


@kernel(**UNCOUNTED)
def turn(n0, n1, h):
    r"""Integral of the unit tangent over a step along which the force goes straight from n0 to n1, m.

    Source: the catenary, [Irvine1981], ch. 1, for a load in any direction.

    With the change d of the force per length, the part c of it along d and p across,

    .. math:: \int \frac{n}{|n|} ds
              = \frac{1}{d} \left[ p\,\hat p\, \operatorname{arsinh}(c/p) + \hat d \sqrt{p^2 + c^2} \right]

    between the ends, by three Gauss points where the force hardly turns.    n0, n1 : N    h : m of unstretched length
    """
    change = sub3(n1, n0)
    size = norm3(change)
    if size <= GENTLE * min(norm3(n0), norm3(n1)):
        middle = scale3(0.5, add3(n0, n1))
        low, high = sub3(middle, scale3(GAUSS_OFFSET, change)), add3(middle, scale3(GAUSS_OFFSET, change))
        ends = add3(scale3(1.0 / max(norm3(low), TINY), low), scale3(1.0 / max(norm3(high), TINY), high))
        return scale3(h, add3(scale3(GAUSS_MIDDLE / max(norm3(middle), TINY), middle), scale3(GAUSS_OUTER, ends)))
    d = scale3(1.0 / size, change)
    c0, c1 = dot(n0, d), dot(n1, d)
    across = sub3(n0, scale3(c0, d))
    p = norm3(across)
    safe = max(p, STRAIGHT * max(abs(c0), abs(c1)) + TINY)
    bend = scale3(math.asinh(c1 / safe) - math.asinh(c0 / safe), across)
    along = scale3(math.hypot(p, c1) - math.hypot(p, c0), d)
    return scale3(h / size, add3(bend, along))


@kernel(forceinline=True, **UNCOUNTED)
def _stretch_at(has_series, has_curves, data, made, s, n):
    """Strain times the unit tangent of a leg at s (m) with the force n (N): e t = e n/|n|. Source: `strain_at`."""
    tension = norm3(n)
    return scale3(strain_at(has_series, has_curves, data, made, s, tension) / max(tension, TINY), n)


@kernel(forceinline=True, **UNCOUNTED)
def _extension(has_series, has_curves, data, made, s, n0, n1, h):
    r"""Part of r' that is stretch, over a step of h m from s along which the force goes from n0 to n1 (N), m.

    .. math:: \int \varepsilon(|n|) \frac{n}{|n|} ds

    Source: three Gauss points, [Press2007], sec. 4.6; of a linear law that of the mean force.
    """
    middle = scale3(0.5, add3(n0, n1))
    if has_series is None and has_curves is None:
        return scale3(h * made.flexibility, middle)
    if made.flexibility >= 0.0:
        return scale3(h * made.flexibility, middle)
    change, x = scale3(GAUSS_OFFSET, sub3(n1, n0)), s + 0.5 * h
    low = _stretch_at(has_series, has_curves, data, made, x - GAUSS_OFFSET * h, sub3(middle, change))
    high = _stretch_at(has_series, has_curves, data, made, x + GAUSS_OFFSET * h, add3(middle, change))
    mean = scale3(GAUSS_MIDDLE, _stretch_at(has_series, has_curves, data, made, x, middle))
    return scale3(h, add3(mean, scale3(GAUSS_OUTER, add3(low, high))))


@kernel(**UNCOUNTED)
def way(has, data, made, s, n0, n1, h):
    r"""Integral of r' over a step of h m from s along which the force goes straight from n0 to n1 (N), m.

    .. math:: \int r' ds = \int \frac{n}{|n|} ds + \int \varepsilon(|n|) \frac{n}{|n|} ds

    Source: [Irvine1981], ch. 1, :func:`turn`, and :func:`_extension`.

    has : `Has`    data : `Strings.law_data`    made : `Made`
    """
    return add3(turn(n0, n1, h), _extension(has.series, has.curves, data, made, s, n0, n1, h))


@kernel(forceinline=True, **UNCOUNTED)
def _slope(field, water, data, made, s, at, wet):
    r"""r' and n' of the string at s (m).

    .. math:: r' = (1 + \varepsilon)\, t, \qquad n' = -f

    Source: the heading of this file.    field : `Field`    at : place r (m) and force n (N)
    """
    r, n = at
    tension = norm3(n)
    t = scale3(1.0 / max(tension, TINY), n)
    stretch = 1.0 + strain_at(field.has.series, field.has.curves, data, made, s, tension)
    return scale3(stretch, t), scale3(-1.0, load_on(field, water, data, made, s, (r, t, stretch), wet))


@kernel(forceinline=True, **UNCOUNTED)
def _moved(at, h, slope):
    """Place and force after h m of a slope: y_1 = y + h y'. Source: Euler's step, of which [Hairer1993], sec. II.1."""
    return add3(at[0], scale3(h, slope[0])), add3(at[1], scale3(h, slope[1]))


@kernel(forceinline=True, **UNCOUNTED)
def _smooth_step(field, water, data, made, s, at, h):
    r"""Place (m) and force (N) after a step of h m.

    .. math:: y_1 = y_0 + \tfrac{h}{6} (k_1 + 2 k_2 + 2 k_3 + k_4)

    Source: classical Runge-Kutta method of fourth order, [Hairer1993], sec. II.1.    at : place and force
    """
    total, a, x = at, at, s
    for stage in range(4):
        k = _slope(field, water, data, made, x, a, wet_part(a[0][2], a[0][2]))
        total = _moved(total, h / 6.0 if stage == 0 or stage == 3 else h / 3.0, k)
        part = h if stage == 2 else 0.5 * h
        a, x = _moved(at, part, k), s + part
    return total


@kernel(**UNCOUNTED)
def _mean_step(field, water, data, made, s, at, h):
    r"""Place (m) and force (N) after a step of h m under its mean load.

    .. math:: n_1 = n_0 - h f(\bar s, \bar r, \bar n), \qquad r_1 = r_0 + \int r' ds

    Source: midpoint rule for the load and :func:`way`: exact for a constant load however sharp the bend, second order
    otherwise. The share under water is that of the step.    at : place and force
    """
    (r, n), middle, here, wet = at, s + 0.5 * h, at, wet_part(at[0][2], at[0][2])
    end, force = r, n
    for _ in range(3):
        rate = _slope(field, water, data, made, middle, here, wet)[1]
        force = add3(n, scale3(h, rate))
        end = add3(r, way(field.has, data, made, s, n, force, h))
        here, wet = (scale3(0.5, add3(r, end)), add3(n, scale3(0.5 * h, rate))), wet_part(r[2], end[2])
    return end, force


@kernel(forceinline=True, **UNCOUNTED)
def _leg(varying, field, water, data, made, leg, at, steps):
    """Place (m) and force (N) at the end of a leg: :func:`_smooth_step` or :func:`_mean_step`, or at once.

    Source: [Irvine1981], ch. 1, where weight and buoyancy are all that acts: n_1 = n_0 + w h e_z.

    varying : None there    field : `Field`    made : `Made`    leg : its begin and length, m    at : place and force
    steps : how many, and True for fourth order, False for the mean load
    """
    (s, h), (count, is_smooth) = leg, steps
    if not is_smooth:
        for k in range(count):
            at = _mean_step(field, water, data, made, s + k * h / count, at, h / count)
        return at
    if varying is not None:
        for k in range(count):
            at = _smooth_step(field, water, data, made, s + k * h / count, at, h / count)
        return at
    r, n = at
    wet = 1.0 if r[2] <= 0.0 else 0.0
    force = (n[0], n[1], n[2] + (made.mass - wet * water.density * made.area) * water.gravity * h)
    return add3(r, way(field.has, data, made, s, n, force, h)), force


@kernel(forceinline=True, **UNCOUNTED)
def first_hung(strings, i, s, same):
    """The first attachment of line i beyond s (m). Bookkeeping.  same : places this near are one, m"""
    k, stop = strings.hung_start[i], strings.hung_start[i + 1]
    while k < stop and strings.hung_s[k] <= s + same:
        k += 1
    return k


@kernel(forceinline=True, **UNCOUNTED)
def next_leg(strings, given, along, i, k, s, high, same):
    """Section of line i beyond s (m), and where that leg ends, m: with its piece, at an attachment, at a corner of a
    table or series, or at `high`. Bookkeeping.

    given : `Given` or None    along : `Along` or None    k : next attachment    same : places this near are one, m
    """
    j, last, to = strings.piece_start[i], strings.piece_start[i + 1] - 1, high
    end = strings.piece_length[j]
    while j < last and end <= s + same:
        j += 1
        end += strings.piece_length[j]
    section = strings.piece_section[j]
    if j < last and end < to - same:
        to = end
    if k < strings.hung_start[i + 1] and strings.hung_s[k] < to - same:
        to = strings.hung_s[k]
    if given is not None:
        for row in range(given.table_start[given.start[i]], given.table_start[given.start[i + 1]]):
            if s + same < given.table[row, 0] < to - same:
                to = given.table[row, 0]
    if along is not None:
        for row in range(along.start[section], along.start[section + 1]):
            if s + same < along.high[row] < to - same:
                to = along.high[row]
    return section, to


@kernel(**UNCOUNTED)
def hung_load(strings, water, current, drags, k, r):
    """Load of attachment k at r (m), N: f = F + (w rho V - m) g e_z + w f_D. Source: :func:`lump_load`.

    current, drags : `Current` and `Drags`, or None
    """
    area = 0.0
    if drags is not None:
        area = drags.hung[k]
    lump = (strings.hung_mass[k], strings.hung_volume[k], area)
    return lump_load(water, current, lump, vector(strings.hung_force, k), r)


@kernel(forceinline=True, **UNCOUNTED)
def march(strings, water, acting, i, node, steps):
    r"""From a node of line i to the next, by the load and what is attached between them.

    .. math:: n_1 = n_0 - \int f\, ds - \sum F, \qquad r_1 = r_0 + \int (1 + \varepsilon)\, t\, ds

    Source: the heading of this file.    steps : as of :func:`_leg`

    Returns the place (m) and force (N) it arrives with.
    """
    x, high, data = strings.s[node], strings.s[node + 1], strings.law_data
    same, field = SAME * strings.s[strings.start[i + 1] - 1], acting.field
    at = vector(strings.position, node), vector(strings.node_force, node)
    k, stop = first_hung(strings, i, x, same), strings.hung_start[i + 1]
    while x < high - same:
        section, to = next_leg(strings, field.given, acting.along, i, k, x, high, same)
        made = made_of(strings, acting.drags, acting.drag_laws, acting.along, i, section, x + same)
        at = _leg(field.has.varying, field, water, data, made, (x, to - x), at, steps)
        x = to
        while k < stop and strings.hung_s[k] <= x + same:
            at = at[0], sub3(at[1], hung_load(strings, water, field.current, acting.drags, k, at[0]))
            k += 1
    return at
