r"""Rods of rectangular section: what a panel adds to the wet volume and to the waterplane.

The height of a corner, :math:`e \pm a R_{32} \pm b R_{33}`, is a smooth function of s, and between the places where a
corner meets the surface the wet moments are rational functions of s. So a panel is split there and integrated with
plain Gauss points. With one corner wet, or one dry, the moments have poles where a side is level, outside the
interval; near them the intervals are made short.
"""

from __future__ import annotations

import math

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.buoyancy import cut_square
from ropewalk.physics.rod_breaks import (
    CORNERS,
    LAST_STEP,
    LYING,
    STEEP,
    find_extremum,
    find_root,
    gap_slope,
    gap_to,
    look,
    place_of_chord,
)
from ropewalk.physics.rod_integrals import (
    add_chord,
    add_drowned,
    add_lying,
    add_wet,
    add_whole,
    contract,
    next_entry,
    point_at,
)
from ropewalk.physics.rod_shape import RECTANGLE

# Length of an interval over the distance of the nearest pole: 16 points then err by 1e-20, and by 1e-14 with 3.6.
POLE_SHARE = 2.0
SHORTEST = 1e-9  # of the local coordinate; shorter intervals are not split any more
MONOTONE = 0.2  # least fall of the chord along s, over that of a straight rod, for the chord to be the variable


@kernel(**UNCOUNTED)
def wet_corners(c):
    """Number of corners of a rectangle that are under water.

    Source: docs/theory/rods.md, Rectangles: n = number of corners with z < 0.

    c : record of CUTTING
    """
    count = 0
    for corner in range(4):
        if gap_to(c, CORNERS + float(corner)) < 0.0:
            count += 1
    return count


@kernel(**UNCOUNTED)
def find_corners(view, cs, places, chords, steps):
    r"""Find where corners meet the surface within one panel; returns their number, in order.

    .. math:: p_3 \pm a R_{32} \pm b R_{33} = 0

    Source: docs/theory/rods.md, Integrals along s: bracketed Newton steps, and extrema that touch the surface.

    cs : (n + 2,) of CUTTING, `contract` at the panel's start, points and end
    places, chords, steps : (BREAKS_PER_GAP (n + 1),) filled: local coordinate; chord d there; +1 goes under, -1 leaves
    """
    x, n = view.x, view.x.shape[0]
    count = 0
    for i in range(n + 1):
        lo = -1.0 if i == 0 else x[i - 1]
        hi = 1.0 if i == n else x[i]
        first = count
        for corner in range(4):
            side = CORNERS + float(corner)
            f0, f1 = gap_to(cs[i], side), gap_to(cs[i + 1], side)
            wet0, wet1 = f0 < 0.0, f1 < 0.0
            if wet0 != wet1:
                places[count] = find_root(view, lo, hi, side, -1.0 if wet1 else 1.0)
                steps[count] = 1.0 if wet1 else -1.0
                chords[count] = _chord_of(view, places[count], side)
                count += 1
            elif abs(f0) + abs(f1) < view.half * (hi - lo) * view.steepest:
                g0, g1 = gap_slope(cs[i], side), gap_slope(cs[i + 1], side)
                if (g0 < 0.0) == (g1 < 0.0) or (g0 < 0.0) == wet0:
                    continue
                at = find_extremum(view, lo, hi, g0, g1, side)
                f = gap_to(view.c[0], side)
                if f != 0.0 and (f < 0.0) != wet0:
                    rising = 1.0 if f > 0.0 else -1.0
                    places[count] = find_root(view, lo, at, side, rising)
                    places[count + 1] = find_root(view, at, hi, side, -rising)
                    for j in range(2):
                        steps[count] = -rising if j == 0 else rising
                        chords[count] = _chord_of(view, places[count], side)
                        count += 1
        _sort_from(view, first, count, places, chords, steps)
    return count


@kernel(**UNCOUNTED)
def _chord_of(view, at, side):
    """Chord d (no unit) of the section at `at` when the given corner lies in the surface.

    Source: docs/theory/rods.md, A section cut by the water plane: d = -p_3 / w.

    view : `View`    at : place in the panel, -1 to 1    side : of `gap_to`
    """
    look(view, at)
    c = view.c[0]
    if c.w == 0.0:
        return -1.0 if side in (CORNERS + 1.0, CORNERS + 3.0) else 1.0
    return (gap_to(c, side) - c.e) / c.w


@kernel(**UNCOUNTED)
def _sort_from(view, first, count, places, chords, steps):
    """Insertion sort of the last breaks found; places that coincide to round-off go by the chord, which is exact.

    Bookkeeping.
    """
    for i in range(first + 1, count):
        j = i
        while j > first and _before(view, places[j], places[j - 1], chords[j], chords[j - 1]):
            places[j], places[j - 1] = places[j - 1], places[j]
            chords[j], chords[j - 1] = chords[j - 1], chords[j]
            steps[j], steps[j - 1] = steps[j - 1], steps[j]
            j -= 1


@kernel(**UNCOUNTED)
def _before(view, place, other, chord, other_chord):
    """True if a break comes before another along s. Bookkeeping."""
    if abs(place - other) > LAST_STEP:
        return place < other
    return (
        (chord > other_chord) if view.c[0].r1 > 0.0 else (chord < other_chord)
    )  # where the rod rises, the chord falls


@kernel(**UNCOUNTED)
def add_box_panel(book, panels, view, k, cs, places, chords, steps):
    """Add a panel that may meet the surface; arguments as `find_corners`.

    Source: docs/theory/rods.md, Rectangles and Integrals along s: V = sum over the pieces between corners at z = 0.
    """
    n = panels.x.shape[0]
    count = find_corners(view, cs, places, chords, steps)
    wet = wet_corners(cs[0])
    if count == 0:
        if wet == 4:
            add_drowned(book, panels, k)
        elif wet > 0:
            _add_cut_panel(book, panels, view, k, wet, _end_chord(cs[0]), _end_chord(cs[n + 1]))
        return
    flat = False
    if count == 4 and abs(steps[0] + steps[1] + steps[2] + steps[3]) == 4.0:
        look(view, 0.5 * (places[0] + places[3]))
        row, c = view.row[0], view.c[0]
        flat = c.w < LYING * max(row.a, row.b)
        if flat:
            add_lying(next_entry(book, k, 0.5 * (places[0] + places[3])), row, c.r1, RECTANGLE)
    lo, d_lo = -1.0, _end_chord(cs[0])
    for i in range(count + 1):
        hi = places[i] if i < count else 1.0
        d_hi = chords[i] if i < count else _end_chord(cs[n + 1])
        if wet == 4:
            _add_drowned_piece(book, panels, view, k, lo, hi)
        elif wet > 0:
            _add_pieces(book, panels, view, k, (lo, hi), (d_lo, d_hi), wet, flat)
        if i < count:
            wet += int(steps[i])
        lo, d_lo = hi, d_hi


@kernel(**UNCOUNTED)
def _end_chord(c):
    """Chord d = -e/w (no unit) at a panel's end, 0 where level.  Source: docs/theory/rods.md, Rectangles."""
    return -c.e / c.w if c.w > 0.0 else 0.0


@kernel(**UNCOUNTED)
def _add_drowned_piece(book, panels, view, k, lo, hi):
    """Add an interval under water (m3).

    Source: docs/theory/rods.md, The volume of a curved rod: dV = (1 + kappa_2 q_3 - kappa_3 q_2) dA ds.

    book : `Book`    panels : `Panels`    view : `View` of panel k    lo, hi : ends of the interval, in -1 to 1
    """
    for j in range(panels.sub_x.shape[0]):
        at = lo + (hi - lo) * 0.5 * (1.0 + panels.sub_x[j])
        point_at(view.columns, view.x, view.bary, at, view.weights, view.row)
        weight = 0.5 * panels.sub_w[j] * (hi - lo) * panels.half[k]
        add_whole(next_entry(book, k, at), weight, view.row[0], panels.curved, RECTANGLE)


@kernel(**UNCOUNTED)
def _add_cut_panel(book, panels, view, k, wet, d_lo, d_hi):
    """Add a panel that is cut from end to end with the same corners wet, on its own points where that will do.

    Source: docs/theory/rods.md, Integrals along s: Gauss points of the panel itself, d = -p_3 / w at each.

    book, panels, view, k : as :func:`_add_drowned_piece`    wet : number of wet corners
    d_lo, d_hi : chords at both ends
    """
    if _too_wide(view, -1.0, 1.0, wet) or _steep(view, -1.0, 1.0, d_lo, d_hi):
        _add_pieces(book, panels, view, k, (-1.0, 1.0), (d_lo, d_hi), wet, False)
        return
    c = view.c[0]
    for j in range(panels.x.shape[0]):
        contract(panels.rows[k, j], view.z, view.u, c)
        acc = next_entry(book, k, panels.x[j])
        weight = panels.weight[j] * panels.half[k]
        _add_point(acc, weight, weight / c.w, panels.rows[k, j], panels.curved, c, -c.e / c.w)


@kernel(**UNCOUNTED)
def _add_pieces(book, panels, view, k, ends, chords, wet, flat):
    """Add a cut interval with the same corners wet, in pieces that are short beside the distance of the poles.

    Source: docs/theory/rods.md, Integrals along s: pieces are halved until h < 2 x the distance to the poles R_32 = 0.

    ends : lo, hi    chords : d at both    flat : leave the waterplane out
    book, panels, view, k, wet : as :func:`_add_cut_panel`
    """
    (lo, hi), (d_lo, d_hi) = ends, chords
    begin, d_begin, step = lo, d_lo, hi - lo
    while begin < hi:
        end = begin + step
        if end > hi - SHORTEST:
            end = hi
        if end - begin > SHORTEST and _too_wide(view, begin, end, wet):
            step *= 0.5
            continue
        d_end = d_hi
        if end < hi:
            look(view, end)
            d_end = _end_chord(view.c[0])
        if _steep(view, begin, end, d_begin, d_end):
            _add_by_chord(book, panels, view, k, (begin, end), (d_begin, d_end), flat)
        else:
            _add_by_length(book, panels, view, k, begin, end, flat)
        begin, d_begin, step = end, d_end, 2.0 * step
    if lo == hi and _steep(view, lo, hi, d_lo, d_hi):  # no length left, but a waterplane
        _add_by_chord(book, panels, view, k, ends, chords, flat)


@kernel(**UNCOUNTED)
def _too_wide(view, lo, hi, wet):
    r"""True if a pole of the moments may be near the interval, judged by its ends and middle.

    .. math:: h\, |(a R_{32})'| > \sigma\, |a R_{32}|

    Source: docs/theory/rods.md, Integrals along s, with sigma = POLE_SHARE, and alike for b R_33.

    view, lo, hi : as :func:`_add_drowned_piece`    wet : number of wet corners
    """
    c = view.c[0]
    reach = view.half * (hi - lo) / POLE_SHARE
    for i in range(3):
        look(view, lo + 0.5 * i * (hi - lo))
        both = wet != 2  # with two corners wet only the steeper side is divided by
        if (both or abs(c.ar2) >= abs(c.br3)) and reach * abs(c.dar2) > abs(c.ar2):
            return True
        if (both or abs(c.br3) > abs(c.ar2)) and reach * abs(c.dbr3) > abs(c.br3):
            return True
    return False


@kernel(**UNCOUNTED)
def _steep(view, lo, hi, d_lo, d_hi):
    """True if the rod is so upright in the interval that the chord is the better variable.

    Source: docs/theory/rods.md, Integrals along s: |R_31| > STEEP and the chord monotone, R_31 + d w' not near 0.

    view, lo, hi : as :func:`_add_drowned_piece`    d_lo, d_hi : chords at both ends
    """
    c = view.c[0]
    look(view, lo)
    first, fall = c.r1, c.r1 + d_lo * c.dw
    look(view, hi)
    if min(abs(first), abs(c.r1)) <= STEEP or first * c.r1 <= 0.0:
        return False
    return fall * first > MONOTONE and (c.r1 + d_hi * c.dw) * c.r1 > MONOTONE


@kernel(**UNCOUNTED)
def _add_by_length(book, panels, view, k, lo, hi, flat):
    """Add a cut interval with s as variable.

    Source: docs/theory/rods.md, Integrals along s: Gauss points in s, d = -p_3 / w at each.

    book, panels, view, k, lo, hi : as :func:`_add_drowned_piece`    flat : leave the waterplane out
    """
    c = view.c[0]
    for j in range(panels.sub_x.shape[0]):
        at = lo + (hi - lo) * 0.5 * (1.0 + panels.sub_x[j])
        look(view, at)
        weight = 0.5 * panels.sub_w[j] * (hi - lo) * panels.half[k]
        w = c.w
        by_w = 0.0 if flat or w == 0.0 else weight / w
        _add_point(next_entry(book, k, at), weight, by_w, view.row[0], panels.curved, c, -c.e / w if w > 0.0 else 0.0)


@kernel(**UNCOUNTED)
def _add_by_chord(book, panels, view, k, ends, chords, flat):
    r"""Add a cut interval of a nearly upright panel, with the chord d as variable.

    Source: docs/theory/rods.md, Integrals along s.

    .. math:: ds = \frac{w\, |dd|}{|R_{31} + d\, w'|}

    It stays exact down to a section that lies in the surface.    Arguments as :func:`_add_pieces`.
    """
    (lo, hi), (d_lo, d_hi) = ends, chords
    c = view.c[0]
    at = lo
    look(view, lo)
    for j in range(panels.sub_x.shape[0]):
        d = d_lo + (d_hi - d_lo) * 0.5 * (1.0 + panels.sub_x[j])
        at = place_of_chord(view, at, hi, d)
        by_w = 0.5 * panels.sub_w[j] * abs(d_hi - d_lo) / abs(c.r1 + d * c.dw)
        acc = next_entry(book, k, at)
        _add_point(acc, by_w * c.w, 0.0 if flat else by_w, view.row[0], panels.curved, c, d)


@kernel(**UNCOUNTED)
def _add_point(acc, weight, by_w, row, curved, c, d):
    """Add one cut section.

    Source: docs/theory/rods.md, Rectangles: A = ab S and so on, of :func:`cut_square`.

    weight : ds, m    by_w : ds over the half height w; 0 leaves the waterplane out    c : of `contract`    d : chord
    acc : ENTRY    row : ROW    curved : 1, or 0 for plane slices
    """
    a, b, w = row.a, row.b, c.w
    n2 = c.ar2 / w if w > 0.0 else 1.0
    n3 = c.br3 / w if w > 0.0 else 0.0
    S, S2, S3, S22, S33, S23, m2, m3, l2, l3 = cut_square(d, n2, n3)
    ab = a * b
    moments = (ab * S, ab * a * S2, ab * b * S3, ab * a * a * S22, ab * b * b * S33, ab * ab * S23)
    add_wet(acc, weight, row, curved, moments)
    if by_w > 0.0:
        add_chord(acc, by_w * ab, row, curved, (math.hypot(l2, l3), m2, m3, l2, l3))
