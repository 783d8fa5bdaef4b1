"""Wet volume and waterplane of a rod of given shape, from which force, energy and stiffness follow.

The integral over s is split where sections dry out or drown, because there the wet area starts with the
power 3/2, and the points are clustered towards such places. Where the rod stands nearly upright the cut
zone is short; there the position of the chord is the variable of integration, which stays exact down to a
section that lies in the surface.
"""

from __future__ import annotations

import math

import numpy as np

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.buoyancy import cut_ellipse
from ropewalk.physics.rod_boxes import add_box_panel
from ropewalk.physics.rod_breaks import BREAKS_PER_GAP, LYING, STEEP, View, find_breaks, look, place_of_chord
from ropewalk.physics.rod_integrals import (
    CURSOR,
    CUT,
    CUTTING,
    DROWNED,
    DRY,
    ENTRY,
    N_SCRATCH,
    SOURCE,
    Book,
    add_chord,
    add_cut_points,
    add_drowned,
    add_lying,
    add_section,
    add_wet,
    contract,
    integrals_of,
    laid_out,
    named,
    next_entry,
    point_at,
    points_at,
    state_of,
)
from ropewalk.physics.rod_shape import ELLIPSE, RECTANGLE, ROW

NEAR_END = 0.5  # half lengths beyond a panel's end within which a break is felt inside


@kernel(**UNCOUNTED)
def cluster(panels, k, lo, hi, kind_lo, kind_hi, places, ds):
    r"""Fill places and weights (m) of a cut interval, clustered quadratically at the ends that are breaks.

    .. math:: s = s_0 + l\,t^2, \qquad s = s_1 - l\,(1 - t)^2, \qquad s = s_0 + \tfrac{l}{2} (1 - \cos \pi t)

    Source: docs/theory/rods.md, Integrals along s.

    kind_lo, kind_hi : -1 where sections dry out, +1 where they drown, 2 at a near touch, 0 at a panel's end
    panels : `Panels`    k : panel    lo, hi : ends of the interval, in -1 to 1    places, ds : filled, no unit and m
    """
    length = hi - lo
    for j in range(panels.sub_x.shape[0]):
        t = 0.5 * (1.0 + panels.sub_x[j])
        if kind_lo != 0 and kind_hi != 0:
            cosine = math.cos(math.pi * t)
            places[j] = lo + length * 0.5 * (1.0 - cosine)
            jac = 0.5 * math.pi * math.sqrt((1.0 - cosine) * (1.0 + cosine))
        elif kind_lo != 0:
            places[j] = lo + length * t * t
            jac = 2.0 * t
        elif kind_hi != 0:
            places[j] = hi - length * (1.0 - t) * (1.0 - t)
            jac = 2.0 * (1.0 - t)
        else:
            places[j] = lo + length * t
            jac = 1.0
        ds[j] = 0.5 * panels.sub_w[j] * length * panels.half[k] * jac


@kernel(**UNCOUNTED)
def add_interval(book, panels, view, k, ends, kinds, base):
    """Add a cut interval of a panel; ends : lo, hi    kinds : of both, as in `cluster`    base : as in `add_section`.

    Source: docs/theory/rods.md, Integrals along s: V = sum A_j ds_j at the points of :func:`cluster`.

    book : `Book`    panels : `Panels`    view : `View` of panel k
    """
    count = panels.sub_x.shape[0]
    scratch = laid_out(view.scratch)
    places, ds = scratch.places, scratch.ds
    cluster(panels, k, ends[0], ends[1], kinds[0], kinds[1], places, ds)
    if book.cursor[0].step == 0:
        book.cursor[0].points += count
        points_at(view.columns, view.x, view.bary, places, count, view.weights, view.scratch)
        work = scratch.chords
        add_cut_points(book.entries[0], scratch.points, ds[:count], panels.curved, base, view.z, view.u, work)
        return
    for j in range(count):
        look(view, places[j])
        add_section(next_entry(book, k, places[j]), ds[j], view.row[0], panels.curved, CUT, base, view.c[0])


@kernel(**UNCOUNTED)
def add_steep(book, panels, view, k, ends, chords, base):
    r"""Add a cut interval of a nearly upright panel, with the chord position d = -cos(phi) as variable.

    Source: docs/theory/rods.md, Integrals along s.

    .. math:: ds = \frac{w\, |dd|}{|R_{31} + d\, w'|}

    ends : lo, hi    chords : chord positions there, in [-1, 1]
    book, panels, view, k, base : as :func:`add_interval`
    """
    (lo, hi), (d_lo, d_hi) = ends, chords
    row, c = view.row[0], view.c[0]
    phi_lo = math.acos(-d_lo)
    phi_hi = math.acos(-d_hi)
    look(view, 0.5 * (lo + hi))
    lying = c.w < LYING * max(row.a, row.b) and abs(d_lo - d_hi) == 2.0
    if lying:
        add_lying(next_entry(book, k, 0.5 * (lo + hi)), row, c.r1, ELLIPSE)
    at = lo
    look(view, lo)
    for j in range(panels.sub_x.shape[0]):
        phi = phi_lo + (phi_hi - phi_lo) * 0.5 * (1.0 + panels.sub_x[j])
        d = -math.cos(phi)
        at = place_of_chord(view, at, hi, d)
        acc = next_entry(book, k, at)
        w = c.w
        a = row.a
        b = row.b
        n2 = a * c.r2 / w if w > 0.0 else 1.0
        n3 = b * c.r3 / w if w > 0.0 else 0.0
        sine = math.sin(phi)
        by_d = 0.5 * panels.sub_w[j] * abs(phi_hi - phi_lo) * sine / abs(c.r1 + d * c.dw)  # ds / w
        A, A2, A3, A22, A33, A23 = cut_ellipse(d, n2, n3, a, b)
        area = base * math.pi * a * b
        A, A22, A33 = A - area, A22 - 0.25 * area * a * a, A33 - 0.25 * area * b * b
        add_wet(acc, by_d * w, row, panels.curved, (A, A2, A3, A22, A33, A23))
        if not lying:
            add_chord(acc, by_d * a * b, row, panels.curved, (sine, d * n2, d * n3, -sine * n3, sine * n2))


@kernel
def hydrostatics(panels, z, u):
    r"""Wet volume, waterplane and their moments of a rod at a given height and attitude.

    .. math:: V, X = \int_\mathrm{wet} (1, x)\, dV, \qquad A, B, C = \int_\mathrm{plane} (1, x, x x^T)\, dA

    Source: docs/theory/rods.md, Integrals along s and Energy, force, stiffness.

    panels : `Panels`    z : height of the head, m    u : (3,) up in head axes    returns `Integrals`
    """
    book = new_book(1, 0)
    _sweep(book, panels, z, u)
    return integrals_of(book.entries)


@kernel
def new_book(entries, step):
    """An empty book of so many entries. Bookkeeping.  step : 1 to write each point into its own"""
    book = Book(np.zeros(entries, ENTRY), np.zeros(entries, SOURCE), np.zeros(1, CURSOR))
    book.cursor[0].step = step
    return book


@kernel
def hydrostatic_points(panels, z, u):
    """What each quadrature point adds to `hydrostatics` (m3, m4), for sensitivities to the shape.

    Source: V = sum over points, docs/theory/rods.md, Inverse design.

    Returns (k,) of ENTRY and (k,) of SOURCE.

    panels, z, u : as :func:`hydrostatics`
    """
    book = new_book(1, 0)
    _sweep(book, panels, z, u)
    n = book.cursor[0].points
    book = new_book(n + 1, 1)
    _sweep(book, panels, z, u)
    return book.entries[:n], book.sources[:n]


@kernel
def _sweep(book, panels, z, u):
    """Go over all panels and write what their points add into the book.

    Source: docs/theory/rods.md, Integrals along s: V = sum over panels, dry ones skipped and drowned ones added whole.

    book : `Book`    panels, z, u : as :func:`hydrostatics`
    """
    m, n = panels.rows.shape[0], panels.rows.shape[1]
    cs = np.empty(n + 2, CUTTING)
    most = max(n, panels.sub_x.shape[0])
    scratch = np.empty((N_SCRATCH, most))
    weights, row, c = np.empty(n), np.empty(1, ROW), np.empty(1, CUTTING)
    places, kinds = np.empty(BREAKS_PER_GAP * (n + 1)), np.empty(BREAKS_PER_GAP * (n + 1))
    steps = np.empty(BREAKS_PER_GAP * (n + 1))
    for k in range(m):
        contract(panels.ends[k, 0], z, u, cs[0])
        contract(panels.ends[k, 1], z, u, cs[n + 1])
        middle = 0.5 * (cs[0].e + cs[n + 1].e)
        reach = panels.half[k] + panels.bounds[k].reach  # no point of the panel is farther from the middle height
        if middle >= reach:
            continue
        if middle < -reach:
            add_drowned(book, panels, k)
            continue
        for j in range(n):
            contract(panels.rows[k, j], z, u, cs[j + 1])
        view = View(
            panels.columns[k],
            panels.x,
            panels.bary,
            panels.half[k],
            panels.bounds[k].steepest,
            z,
            u,
            weights,
            row,
            c,
            scratch,
        )
        if panels.section == RECTANGLE:
            add_box_panel(book, panels, view, k, cs, places, kinds, steps)
            continue
        count = find_breaks(view, cs, places, kinds)
        state = state_of(cs[0])
        # where part of the panel is drowned and none of it dry, take it all as drowned and put the cut parts right
        base = _drowned_only(state, count, kinds)
        if base == 1.0:
            add_drowned(book, panels, k)
        first = near_end(cs[0], -panels.half[k])
        last = near_end(cs[n + 1], panels.half[k])
        if count == 0 and state == CUT and first == 0.0 and last == 0.0:
            _add_cut(book, panels, view, k, cs)
            continue
        if count == 0 and state != CUT:
            continue
        lo, kind_lo = -1.0, first
        for i in range(count + 1):
            hi = places[i] if i < count else 1.0
            kind_hi = kinds[i] if i < count else last
            if base == 0.0 or state != DROWNED:
                _add_piece(book, panels, view, k, (lo, hi), (kind_lo, kind_hi), state, base)
            state = _next_state(state, kind_hi)
            lo, kind_lo = hi, kind_hi


@kernel(**UNCOUNTED)
def near_end(c, half):
    """2.0 if a cut section at a panel's end would dry out or drown shortly beyond it, else 0.0.

    Source: docs/theory/rods.md, Integrals along s: |d| = 1 at a distance below NEAR_END of the half length, by the
    slope.

    Then the integrand is singular just outside the panel, and its points are clustered towards that end.

    c : of `contract` there    half : half length of the panel, m, negative at its start
    """
    if state_of(c) != CUT or abs(c.r1) > STEEP:
        return 0.0
    reach = NEAR_END * half
    dries = c.e - c.w + reach * (c.r1 - c.dw) > 0.0
    drowns = c.e + c.w + reach * (c.r1 + c.dw) < 0.0
    return 2.0 if dries or drowns else 0.0


@kernel(**UNCOUNTED)
def _add_cut(book, panels, view, k, cs):
    """Add a panel that is cut from end to end.

    Source: docs/theory/rods.md, Integrals along s: V = sum A_j ds_j at the Gauss points of the panel.

    book, panels, view, k : as :func:`add_interval`    cs : (n + 2,) of CUTTING, at the ends and points of the panel
    """
    n = panels.x.shape[0]
    scratch = laid_out(view.scratch)
    ds = scratch.ds
    for j in range(n):
        ds[j] = panels.weight[j] * panels.half[k]
    if book.cursor[0].step == 0:
        book.cursor[0].points += n
        points = named(panels.columns[k])
        add_cut_points(book.entries[0], points, ds[:n], panels.curved, 0.0, view.z, view.u, scratch.chords)
        return
    for j in range(n):
        acc = next_entry(book, k, panels.x[j])
        add_section(acc, ds[j], panels.rows[k, j], panels.curved, CUT, 0.0, cs[j + 1])


@kernel(**UNCOUNTED)
def _drowned_only(state, count, kinds):
    """1.0 if part of a panel is drowned and no part dry, else 0.0. Bookkeeping."""
    drowned = state == DROWNED
    for i in range(count):
        if state == DRY:
            return 0.0
        state = _next_state(state, kinds[i])
        drowned = drowned or state == DROWNED
    return 1.0 if drowned and state != DRY else 0.0


@kernel(**UNCOUNTED)
def _next_state(state, kind):
    """State beyond a break: one step over drying out or drowning, none at a near touch. Bookkeeping."""
    if kind == -1.0:
        return CUT if state == DRY else DRY
    if kind == 1.0:
        return CUT if state == DROWNED else DROWNED
    return state


@kernel(**UNCOUNTED)
def _add_piece(book, panels, view, k, ends, kinds, state, base):
    """Add what lies between two breaks, in the way that suits its state and slope; arguments as `add_interval`.

    Source: docs/theory/rods.md, Integrals along s: in s, or in d = -cos(phi) within 26 degrees of upright.
    """
    if state == DRY:
        return
    (lo, hi), (kind_lo, kind_hi) = ends, kinds
    row, c = view.row[0], view.c[0]
    if state == DROWNED:
        for j in range(panels.sub_x.shape[0]):
            at = lo + (hi - lo) * 0.5 * (1.0 + panels.sub_x[j])
            point_at(view.columns, view.x, view.bary, at, view.weights, view.row)
            acc = next_entry(book, k, at)
            add_section(acc, 0.5 * panels.sub_w[j] * (hi - lo) * panels.half[k], row, panels.curved, DROWNED, 0.0, c)
        return
    look(view, lo)
    steep_lo, first = c.r1, -c.e / c.w if c.w > 0.0 else 0.0
    look(view, hi)
    last = -c.e / c.w if c.w > 0.0 else 0.0
    upright = steep_lo * c.r1 > 0.0 and min(abs(steep_lo), abs(c.r1)) > STEEP
    if upright and max(kind_lo, kind_hi) < 2.0 and (kind_lo == 0.0 or kind_lo != kind_hi):
        d_lo = kind_lo if kind_lo != 0.0 else min(1.0, max(-1.0, first))
        d_hi = kind_hi if kind_hi != 0.0 else min(1.0, max(-1.0, last))
        add_steep(book, panels, view, k, ends, (d_lo, d_hi), base)
    else:
        add_interval(book, panels, view, k, ends, kinds, base)
