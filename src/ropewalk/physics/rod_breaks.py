"""Where the sections of a rod dry out, drown or nearly touch the surface."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.bracket import bracketed
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.rod_integrals import DROWNED, DRY, contract, row_at, state_of

NEAR_TOUCH = 0.3  # gap over half height below which a near touch of the surface gets its own split
ROOT_STEPS = 60  # bisection alone reaches round-off in 53
EXTREMUM_STEPS = 12  # Illinois steps; five are usual
EXTREMUM_STEP = 1e-5  # of the local coordinate in [-1, 1]; the gap at an extremum errs by its square
LAST_STEP = 1e-9  # of the same; a Newton step as short as this leaves an error of its square
STEEP = 0.9  # vertical part of the tangent above which the chord is the variable: within 26 degrees of upright
LYING = 1e-10  # half height over semi-axis below which the whole section counts as lying in the surface
BREAKS_PER_GAP = 8  # most breaks between two neighbouring points: two of each corner
CORNERS = 2  # first of the four sides that stand for the corners of a rectangle


class View(NamedTuple):
    """One panel as seen from a pose, with scratch."""

    columns: NDArray[np.float64]  # (N_ROW, n) of the panel
    x: NDArray[np.float64]  # (n,) Gauss points
    bary: NDArray[np.float64]  # (n,) barycentric weights
    half: float  # half length, m
    steepest: float  # bound on the slope of a section's highest point
    z: float  # height of the head, m
    u: NDArray[np.float64]  # (3,) up in head axes
    weights: NDArray[np.float64]  # (n,) of an interpolation
    row: Any  # (1,) of ROW, of the place looked at, filled by `look`
    c: Any  # (1,) of CUTTING, of the same, filled by `look`
    scratch: NDArray[np.float64]  # (N_SCRATCH, points), see `laid_out`


@kernel(**UNCOUNTED)
def look(view, at):
    """Interpolate at `at` in [-1, 1] and see how the section lies: fills view.row and view.c.

    Bookkeeping: calls `row_at` and `contract`.
    """
    row_at(view.columns, view.x, view.bary, at, view.weights, view.row)
    contract(view.row[0], view.z, view.u, view.c[0])


@kernel(**UNCOUNTED)
def gap_to(c, side):
    """Distance of the section from drying out (side -1: e - w) or from drowning (side +1: e + w), m.

    Source: docs/theory/rods.md, Integrals along s: |d| = 1 where e = w or e = -w.

    Sides CORNERS to CORNERS + 3 give the height of a corner of a rectangle.

    c : record of CUTTING, filled by `look`
    """
    if side >= CORNERS:
        return c.e + corner_part(c.ar2, c.br3, side)
    return c.e + side * c.w


@kernel(**UNCOUNTED)
def gap_slope(c, side):
    """Slope of `gap_to` along s.

    Source: e' = R_31 and w', docs/theory/rods.md, Integrals along s.

    c, side : as :func:`gap_to`; no unit
    """
    if side >= CORNERS:
        return c.r1 + corner_part(c.dar2, c.dbr3, side)
    return c.r1 + side * c.dw


@kernel(**UNCOUNTED)
def corner_part(along2, along3, side):
    """Signed sum of two parts for the corners (+, +), (-, +), (+, -), (-, -): c = +-a_2 +- a_3, in their unit (m).

    Source: definition.

    along2, along3 : the two parts    side : of :func:`gap_to`, from CORNERS on
    """
    number = side - CORNERS
    return (along2 if number in (0.0, 2.0) else -along2) + (along3 if number < 2.0 else -along3)


@kernel(**UNCOUNTED)
def find_root(view, lo, hi, side, rising):
    """Place in [lo, hi] (no unit) where `gap_to` changes sign, by Newton steps kept inside the bracket.

    Source: x = x - f/f' inside a bracket, [Press2007], sec. 9.4.

    rising : +1 if the gap is positive at hi, -1 if at lo
    view : `View`    side : of :func:`gap_to`
    """
    c = view.c[0]
    at = 0.5 * (lo + hi)
    for _ in range(ROOT_STEPS):
        look(view, at)
        f = gap_to(c, side)
        slope = view.half * gap_slope(c, side)
        new, lo, hi = bracketed(at, f * rising, -f / slope if slope != 0.0 else np.nan, lo, hi)
        if abs(new - at) <= LAST_STEP:
            return new
        at = new
    return at


@kernel(**UNCOUNTED)
def find_extremum(view, lo, hi, flo, fhi, side):
    """Place in [lo, hi] (no unit) where the slope of `gap_to` changes sign (Illinois rule); view.c is left there.

    Source: f' = 0 by regula falsi with the Illinois modification (the end that stays is halved).

    flo, fhi : slopes at lo and hi, of opposite sign
    """
    c = view.c[0]
    at = hi
    for _ in range(EXTREMUM_STEPS):
        at = hi - fhi * (hi - lo) / (fhi - flo)
        look(view, at)
        f = gap_slope(c, side)
        if f == 0.0 or abs(at - hi) < EXTREMUM_STEP:
            break
        if (f > 0.0) == (fhi > 0.0):
            flo *= 0.5
        else:
            lo = hi
            flo = fhi
        hi = at
        fhi = f
    return at


@kernel(**UNCOUNTED)
def find_breaks(view, cs, places, kinds):
    r"""Find where sections of one panel dry out, drown or nearly touch; returns their number, in order.

    .. math:: p_3 \mp w = 0

    Source: docs/theory/rods.md, Integrals along s.

    cs : (n + 2,) of CUTTING, `contract` at the panel's start, points and end
    places, kinds : (BREAKS_PER_GAP (n + 1),) filled: local coordinate; -1 dries out, +1 drowns, 2 near touch
    """
    x, c = view.x, view.c[0]
    n = x.shape[0]
    count = 0
    for i in range(n + 1):
        lo = -1.0 if i == 0 else x[i - 1]
        hi = 1.0 if i == n else x[i]
        first = count
        for side in (-1.0, 1.0):
            f0 = cs[i].e + side * cs[i].w
            f1 = cs[i + 1].e + side * cs[i + 1].w
            wet0 = f0 < 0.0
            wet1 = f1 < 0.0
            if wet0 != wet1:
                rising = -1.0 if wet1 else 1.0
                places[count] = find_root(view, lo, hi, side, rising)
                kinds[count] = side
                count += 1
            elif abs(f0) + abs(f1) < view.half * (hi - lo) * view.steepest + NEAR_TOUCH * cs[i].w:
                # near enough to reach the surface, or almost, and go away again between two points
                g0 = cs[i].r1 + side * cs[i].dw
                g1 = cs[i + 1].r1 + side * cs[i + 1].dw
                if (g0 < 0.0) == (g1 < 0.0) or (g0 < 0.0) == wet0:
                    continue
                at = find_extremum(view, lo, hi, g0, g1, side)
                f = gap_to(c, side)
                if f != 0.0 and (f < 0.0) != wet0:
                    rising = 1.0 if f > 0.0 else -1.0
                    places[count] = find_root(view, lo, at, side, rising)
                    places[count + 1] = find_root(view, at, hi, side, -rising)
                    kinds[count] = side
                    kinds[count + 1] = side
                    count += 2
                elif abs(f) < NEAR_TOUCH * c.w:
                    places[count] = at
                    kinds[count] = 2.0
                    count += 1
        if count > first + 1:
            _sort_from(first, count, state_of(cs[i]), places, kinds)
    return count


@kernel(**UNCOUNTED)
def _sort_from(first, count, state, places, kinds):
    """Insertion sort of the last breaks found; those of a section that lies in the surface get the right order.

    Bookkeeping.
    """
    for i in range(first + 1, count):
        j = i
        while j > first and places[j] < places[j - 1]:
            places[j], places[j - 1] = places[j - 1], places[j]
            kinds[j], kinds[j - 1] = kinds[j - 1], kinds[j]
            j -= 1
    if count - first == 2 and ((state == DROWNED and kinds[first] == -1.0) or (state == DRY and kinds[first] == 1.0)):
        kinds[first], kinds[first + 1] = kinds[first + 1], kinds[first]


@kernel(**UNCOUNTED)
def place_of_chord(view, lo, hi, d):
    """Place in [lo, hi] where e + d w = 0, by Newton steps kept inside; view.row and view.c are left there.

    Source: Newton's method on e + d w = 0, docs/theory/rods.md, Integrals along s.

    They must be those of lo when it is called.

    Not numerics/newton.py: scalar, kept inside an interval, in a kernel.
    """
    c = view.c[0]
    at = lo
    for _ in range(ROOT_STEPS):
        new = min(hi, max(lo, at - (c.e + d * c.w) / (view.half * (c.r1 + d * c.dw))))
        step = new - at
        if step == 0.0:
            break
        at = new
        look(view, at)
        if abs(step) <= LAST_STEP:
            break
    return at
