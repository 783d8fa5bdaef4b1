r"""Balance, lengths, ends and bed of lines of elements at rest.

Loads are lumped at the nodes by halves of elements, each with the water at its own node and the tangent of its element:

.. math:: R_j = T_j t_j - T_{j-1} t_{j-1} + \tfrac12 l_{j-1} f_{j-1} + \tfrac12 l_j f_j + \sum F + N_j\, n

What does not pass is left open: analysis/audit_elements.py then decides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.audit.acting import ground, height, load_on, made_of, norm3, strain_at, vector, weight_of
from ropewalk.audit.march import TINY, hung_load
from ropewalk.audit.strings import (
    LINE,
    allowed_miss,
    check_points,
    contact_width,
    end_miss,
    held_at,
    largest_force,
    note,
)
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.joints import FIXED, HELD
from ropewalk.model.lines import BODY, POINT
from ropewalk.numerics.blockelimination import UNCOUNTED, ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel

LEVEL = 1e-6  # of its thickness: a half that rises less passes the surface level
NO_FARTHER = 0.1  # of a line, from its end: where the way up from an anchor to the height of rest ends at the latest
# an end within the diameter of the thickest line, or twice this many m or this share of its line, whichever is less, of
# the bed may rest on it
WIDE, WIDE_SHARE = 0.5, 1e-2


class Elements(NamedTuple):
    """What lines of elements have beyond `Strings`; arrays as in `State`, `Sections`, `Points` and `Bodies`."""

    tension: Array  # (n_nodes,) of the element that begins at each node, N
    can_push: Flags  # (n_sections,)
    foot: Array  # (n_attachments,) m2 that the bed presses on
    point_motion: Ints
    body_joint: Ints
    body_motion: Ints


class Half(NamedTuple):
    """What one element leaves at one of its nodes."""

    force: tuple[float, float, float]  # N
    area: float  # m2 that the bed presses on
    length: float  # m
    lift: float  # m2, height of the axis over the bed times length
    loose: float  # N, of a push that is no force of the element's


class Node(NamedTuple):
    """Of one node."""

    balance: tuple[float, float, float]  # N, friction of the bed apart
    bed: float  # N, normal force of the bed
    normal: tuple[float, float, float]  # of the bed under it


@kernel(forceinline=True, **UNCOUNTED)
def _wet_below(x, half):
    r"""Integral over height (m) of the wet share of a section that passes the surface over 2 half m; 0 above it.

    .. math:: D(x) = -\int_x^h w\, dx, \qquad w = \tfrac12 - \frac{x}{2h} \text{ within } |x| < h

    Source: docs/audit.md, Equilibria.
    """
    if x <= -half:
        return x
    return 0.0 if x >= half else -0.25 * (half - x) * (half - x) / half


@kernel(**UNCOUNTED)
def wet_over(a, b, thick):
    r"""Fraction under water of a stretch between the heights a and b (m), of a thickness `thick` (m).

    .. math:: w = \frac{D(b) - D(a)}{b - a}

    Source: docs/audit.md, Equilibria: mean over the height of a section that passes the surface linearly.
    """
    if max(a, b) + thick < 0.0:
        return 1.0
    if abs(b - a) < LEVEL * max(thick, 1e-9):
        return min(1.0, max(0.0, 0.5 - 0.5 * (a + b) / max(thick, TINY)))
    half = 0.5 * max(thick, TINY)
    return min(1.0, max(0.0, (_wet_below(b, half) - _wet_below(a, half)) / (b - a)))


@kernel(forceinline=True, **UNCOUNTED)
def _piece_at(strings, i, j, end, s):
    """Piece of line i at s (m) and where it ends, s_j = l_1 + ... + l_j (m), from piece j on, which ends at `end` m.

    Source: pieces follow each other from end A.
    """
    while j < strings.piece_start[i + 1] - 1 and end < s:
        j += 1
        end += strings.piece_length[j]
    return j, end


@kernel(**UNCOUNTED)
def _line_weight(strings, water, i):
    """Weight of line i in water, N; in air where it is afloat: W = sum |m - rho A| g l. Source: Archimedes."""
    wet, dry, j, end = 0.0, 0.0, strings.piece_start[i], strings.piece_length[strings.piece_start[i]]
    for node in range(strings.start[i], strings.start[i + 1] - 1):
        j, end = _piece_at(strings, i, j, end, 0.5 * (strings.s[node] + strings.s[node + 1]))
        section, length = strings.piece_section[j], strings.s[node + 1] - strings.s[node]
        wet += abs(weight_of(strings, section, water)) * length
        dry += strings.mass[section] * length * max(water.gravity, 1.0)
    return wet if wet > 0.0 else dry


@kernel(**UNCOUNTED)
def _is_for_good(strings, elements, knots, i, end):
    """Whether an end of line i stays where it is, r = r_0. Source: the joint and the motion of its point or body."""
    k = strings.end_index[i, end]
    if strings.end_kind[i, end] == POINT:
        joint = knots.joint
        held = joint[k, 0] == HELD and joint[k, 1] == HELD and joint[k, 2] == HELD
        return held and elements.point_motion[k] < 0
    return strings.end_kind[i, end] == BODY and elements.body_joint[k] == FIXED and elements.body_motion[k] < 0


@kernel(**UNCOUNTED)
def _dip(strings, water, limits, elements, places, knots, i, end):
    """How much lower the bed bears on line i at an end that is held on it, m: d = a - h; 0 where it is not held there.

    Source: docs/theory/mixed_elements.md, Seabed.
    """
    if not (water.has_bed and _is_for_good(strings, elements, knots, i, end)):
        return 0.0
    held = held_at(strings, i, end, places)
    node = strings.start[i] if end == 0 else strings.start[i + 1] - 1
    section = strings.piece_section[strings.piece_start[i] if end == 0 else strings.piece_start[i + 1] - 1]
    high, off = height(held, water), sub3(vector(strings.position, node), held)
    near = max(abs(off[0]), abs(off[1]), abs(off[2])) <= limits.same
    if not near or abs(high) > strings.radius[section] + limits.on_bed * water.depth:
        return 0.0
    return strings.radius[section] - high


@kernel(forceinline=True, **UNCOUNTED)
def _dip_at(deep, x, long, ramp):
    r"""How much lower the bed bears on a line at x (m) from an end that is held on it, m.

    .. math:: d\, \max(0,\, 1 - x / \min(\text{ramp}\, d,\, l/10))

    Source: docs/theory/mixed_elements.md, Seabed.    deep : d of :func:`_dip`, m    long : l of the line, m
    """
    return 0.0 if deep <= 0.0 else deep * max(0.0, 1.0 - x / min(ramp * deep, NO_FARTHER * long))


@kernel(**UNCOUNTED)
def _halves(acting, strings, water, limits, elements, i, node, section):
    r"""Residual force (N) of the element of line i from a node to the next at both, two of `Half`.

    .. math:: F = \pm T t + \tfrac12 l\, f(s, r, t)

    Source: docs/audit.md, Equilibria: Elements and bars.
    """
    r0, r1, data = vector(strings.position, node), vector(strings.position, node + 1), strings.law_data
    length, tension, chord = strings.s[node + 1] - strings.s[node], elements.tension[node], sub3(r1, r0)
    size = norm3(chord)
    t, stretch, middle = scale3(1.0 / max(size, TINY), chord), size / length, 0.5 * (r0[2] + r1[2])
    made = made_of(strings, acting.drags, acting.drag_laws, acting.along, i, section, strings.s[node])
    radius = strings.radius[section]
    thick = max(math.sqrt(4.0 * strings.area[section] / math.pi), 2.0 * radius, limits.level * length)
    loose = 0.0 if elements.can_push[section] else max(-tension, 0.0)
    area, pull, half = 0.5 * contact_width(strings, section, limits) * length, scale3(tension, t), 0.5 * length
    near, far = pull, scale3(-1.0, pull)
    for side in range(2):
        r = r0 if side == 0 else r1
        s = strings.s[node] + (0.25 if side == 0 else 0.75) * length
        load = load_on(acting.field, water, data, made, s, (r, t, stretch), wet_over(r[2], middle, thick))
        if side == 0:
            near = add3(near, scale3(half, load))
        else:
            far = add3(far, scale3(half, load))
    return Half(near, area, half, half * radius, loose), Half(far, area, half, half * radius, loose)


@kernel(forceinline=True, **UNCOUNTED)
def _within_friction(water, limits, knot):
    r"""Residual force on a node on the bed, N, beyond what friction can hold.

    .. math:: \sqrt{(R \cdot n)^2 + \max(0, |R - (R \cdot n) n| - (1 + g) \mu N)^2}

    Source: Coulomb's law, docs/audit.md, Equilibria: Lines on the bed.    knot : `Node`    limits : its grip is g
    """
    up = dot(knot.balance, knot.normal)
    along = norm3(sub3(knot.balance, scale3(up, knot.normal)))
    return math.hypot(up, max(0.0, along - (1.0 + limits.grip) * water.friction * knot.bed))


@kernel(**UNCOUNTED)
def _end_left(strings, water, i, end, knot, beside):
    r"""Residual at an end of line i, N: its end force less the force on its node; the bed may carry what presses on it.

    .. math:: m = E - R, \qquad |m - (m \cdot n) n| \le \mu N \text{ on the bed}

    Source: Coulomb's law, docs/audit.md, Equilibria: Lines on the bed.    knot : `Node` of the end
    beside : N, normal force of the bed at the next node; half an element is held by friction as that beside it
    """
    node = strings.start[i] if end == 0 else strings.start[i + 1] - 1
    pulled = (strings.end_force[i, end, 0], strings.end_force[i, end, 1], strings.end_force[i, end, 2])
    miss = sub3(pulled, knot.balance)
    if not water.has_bed:
        return norm3(miss)
    widest = min(WIDE, WIDE_SHARE * strings.s[strings.start[i + 1] - 1])
    for radius in strings.radius:
        widest = max(widest, radius)
    if height(vector(strings.position, node), water) > 2.0 * widest:
        return norm3(miss)
    out = dot(miss, knot.normal)
    up, rest = max(out, 0.0), norm3(sub3(miss, scale3(out, knot.normal)))
    down = max(-out, 0.0)
    held = max(0.0, rest - water.friction * max(knot.bed, 0.5 * beside, up))
    room = max(0.0, up - max(0.0, -dot(knot.balance, knot.normal)))
    return math.sqrt(held * held + down * down + room * room)


@kernel(**UNCOUNTED)
def _length_miss(acting, strings, elements, node, section, weak):
    """Closure error of an element, m: e = |c| - l (1 + e(T)); a slack one may be shorter. Source: its law.

    weak : N, tension below which it is slack
    """
    tension, length = elements.tension[node], strings.s[node + 1] - strings.s[node]
    made = made_of(strings, acting.drags, acting.drag_laws, acting.along, 0, section, strings.s[node])
    slack = not elements.can_push[section] and tension < weak
    pull, has = max(tension, 0.0) if slack else tension, acting.field.has
    strain = strain_at(has.series, has.curves, strings.law_data, made, strings.s[node], pull)
    miss = norm3(sub3(vector(strings.position, node + 1), vector(strings.position, node))) - length * (1.0 + strain)
    return max(miss, 0.0) if slack else abs(miss)


@kernel(**UNCOUNTED)
def _node_of(acting, strings, water, elements, node, half, hung, dip):
    """Force on a node with what is attached to it and the pressure of the bed, N = k A max(0, a - d - h), a `Node`.

    Source: docs/theory/morison.md, Seabed.

    half : `Half`, of both sides    hung : the first of what is attached, and one past the last    dip : d, m
    """
    r, force, area = vector(strings.position, node), half.force, half.area
    for k in range(hung[0], hung[1]):
        force = add3(force, hung_load(strings, water, acting.field.current, acting.drags, k, r))
        area += elements.foot[k]
    if not water.has_bed:
        return Node(force, 0.0, water.normal)
    normal, high = ground(water.relief, r, water)
    bed = water.stiffness * area * max(0.0, half.lift / max(half.length, TINY) - dip - high)
    return Node(add3(force, scale3(bed, normal)), bed, normal)


@kernel(**UNCOUNTED)
def _check_ends(strings, water, limits, places, i, knots, limit, figures):
    """Forces and places of the ends of line i, E = R and r = r_0, figures noted: whether they pass.

    Source: docs/audit.md, Equilibria: :func:`_end_left` and :func:`end_miss`.

    knots : `Node` of the first, second, last but one and last node    limit : N and m
    """
    passed = True
    for end in range(2):
        s = strings.s[strings.start[i] if end == 0 else strings.start[i + 1] - 1]
        knot, beside = (knots[0], knots[1].bed) if end == 0 else (knots[3], knots[2].bed)
        left, miss = _end_left(strings, water, i, end, knot, beside), end_miss(strings, water, limits, places, i, end)
        passed = passed and left <= limit[0] and miss <= limit[1]  # false for NaN
        note(figures[0].lines.force, left, limit[0], LINE, i, s)
        note(figures[0].lines.position, miss, limit[1], LINE, i, s)
    return passed


@kernel(**UNCOUNTED)
def _check_line(acting, strings, water, limits, elements, i, at, figures):
    """Balance of the nodes of line i, R = 0, lengths and compression of its elements, figures noted: whether they pass.

    Source: docs/audit.md, Equilibria: Elements and bars.

    at : force limit (N), place limit (m), least limit of compression (N), dips of the bed at both ends (m), `Places`
    """
    force_limit, place_limit, least, dips, places = at
    first, last = strings.start[i], strings.start[i + 1] - 1
    weight, long, passed = _line_weight(strings, water, i), strings.s[last], last > first
    j, end = strings.piece_start[i], strings.piece_length[strings.piece_start[i]]
    k, stop = strings.hung_start[i], strings.hung_start[i + 1]
    before = Half(ZERO3, 0.0, 0.0, 0.0, 0.0)
    empty = Node(ZERO3, 0.0, ZERO3)
    begun, second, last_but_one, knot = empty, empty, empty, empty
    for node in range(first, last + 1):
        s, here, after = strings.s[node], before, before
        until = math.inf
        if node < last:
            j, end = _piece_at(strings, i, j, end, 0.5 * (s + strings.s[node + 1]))
            section, until = strings.piece_section[j], 0.5 * (s + strings.s[node + 1])
            near, after = _halves(acting, strings, water, limits, elements, i, node, section)
            here = Half(add3(before.force, near.force), before.area + near.area, before.length + near.length,
                        before.lift + near.lift, before.loose + near.loose)  # fmt: skip
            miss = _length_miss(acting, strings, elements, node, section, limits.slack * weight)
            push = 0.0 if elements.can_push[section] else max(0.0, -elements.tension[node])
            least_push = max(limits.push * weight, least)
            passed = passed and strings.s[node + 1] > s and miss <= place_limit and push <= least_push
            note(figures[0].lines.length, miss, place_limit, LINE, i, s)
            note(figures[0].lines.push, push, least_push, LINE, i, s)
        hung = k
        while k < stop and strings.hung_s[k] <= until:
            k += 1
        dip = _dip_at(dips[0], s, long, limits.ramp) + _dip_at(dips[1], long - s, long, limits.ramp)
        last_but_one = knot
        knot = _node_of(acting, strings, water, elements, node, here, (hung, k), dip)
        if node == first:
            begun = knot
        elif node == first + 1:
            second = knot
        if first < node < last:
            left, limit = _within_friction(water, limits, knot), force_limit + here.loose
            passed = passed and left <= limit
            note(figures[0].lines.force, left, limit, LINE, i, s)
        passed = passed and abs(strings.tension[node]) < math.inf
        before = after
    ends = (begun, second, last_but_one, knot)
    good = _check_ends(strings, water, limits, places, i, ends, (force_limit, place_limit), figures)
    return passed and good


@kernel
def check_elements(acting, strings, water, limits, places, knots, elements, figures):
    """Balance R = 0, lengths, ends and bed of all lines of elements, and points: whether the lines pass, whether the
    points do, and the largest force, N.

    Source: docs/audit.md, Equilibria: Elements and bars.

    acting : `Acting`    strings : `Strings`    water : `Water`    limits : `Limits`    places : `Places`
    knots : `Knots`    elements : `Elements`
    figures : (1,) of FIGURES, updated; of no use where lines or points do not pass
    """
    scale, strongest = largest_force(strings, water), 1e-9
    if not scale < math.inf:
        return False, False, scale
    for i in range(strings.start.size - 1):
        for node in range(strings.start[i], strings.start[i + 1] - 1):
            strongest = max(strongest, abs(elements.tension[node]))
    for i in range(strings.start.size - 1):
        dips = (
            _dip(strings, water, limits, elements, places, knots, i, 0),
            _dip(strings, water, limits, elements, places, knots, i, 1),
        )
        place_limit = allowed_miss(strings, water, acting, limits, i)
        at = (limits.force * scale, place_limit, limits.force * strongest, dips, places)
        if not _check_line(acting, strings, water, limits, elements, i, at, figures):
            return False, False, scale
    return True, check_points(knots, strings, water, acting.field.current, limits, places, scale, figures), scale
