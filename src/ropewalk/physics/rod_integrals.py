"""What one section of a rod adds to the wet volume and to the waterplane."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.quadrature import interpolation_row
from ropewalk.physics.buoyancy import cut_ellipse
from ropewalk.physics.rod_shape import (
    BEND2,
    BEND3,
    COLUMNS,
    ELLIPSE,
    POINT_COLUMNS,
    POSITION,
    SEMI_A,
    SEMI_B,
    SLOPE_A,
    SLOPE_B,
    T1,
    T2,
    T3,
    TORSION,
    section_factors,
)

# What `hydrostatics` returns, in head axes about the head.
VOLUME = 0  # wet volume, m3
MOMENT = 1  # first moment of the wet volume, 3 numbers, m4
AREA = 4  # waterplane area, m2
AREA_MOMENT = 5  # its first moment, 3 numbers, m3
AREA_SECOND = 8  # its second moment xx xy xz yy yz zz, m4
INTEGRALS = 14
SECTION_MOMENTS = 14  # of one point only: weight times the wet moments A2 A3 A22 A33 A23 in section axes
POINT_INTEGRALS = 19

SUM_IN_ANY_ORDER = {"reassoc", "contract"}  # lets the compiler use vector sums; three times as fast here

CUTS = 10  # numbers that say how the surface cuts a section, see `contract_point`

DRY = 0
CUT = 1
DROWNED = 2


class Book(NamedTuple):
    """Where quadrature points write: all into one entry, or each into its own."""

    entries: NDArray[np.float64]  # (k, POINT_INTEGRALS)
    places: NDArray[np.float64]  # (k, 2) panel and local coordinate
    cursor: NDArray[np.int64]  # entry to write, step to the next (0 or 1), number of points so far


@kernel
def next_entry(book, k, at):
    """The entry for a quadrature point of panel k at local coordinate `at`."""
    i = book.cursor[0]
    book.cursor[0] = i + book.cursor[1]
    book.cursor[2] += 1
    book.places[i, 0] = k
    book.places[i, 1] = at
    return book.entries[i]


@kernel
def contract_point(row, z, u, c):
    """Fill in c: height of the section centre, vertical parts of its axes, half height, and what it is made of.

    c : (CUTS,) = (e, R32, R33, w, R31, w', a R32, b R33, (a R32)', (b R33)'); here all but R31 and the slopes
    row : of `Panels`    z : height of the head, m    u : (3,) up in head axes
    """
    r2 = u[0] * row[T2] + u[1] * row[T2 + 1] + u[2] * row[T2 + 2]
    r3 = u[0] * row[T3] + u[1] * row[T3 + 1] + u[2] * row[T3 + 2]
    ar2 = row[SEMI_A] * r2
    br3 = row[SEMI_B] * r3
    c[0] = z + u[0] * row[POSITION] + u[1] * row[POSITION + 1] + u[2] * row[POSITION + 2]
    c[1] = r2
    c[2] = r3
    c[3] = math.sqrt(ar2 * ar2 + br3 * br3)
    c[6] = ar2
    c[7] = br3


@kernel
def contract(row, z, u, c):
    """Fill all of c: as `contract_point`, and the slopes along s of the height and of the half height."""
    contract_point(row, z, u, c)
    r1 = u[0] * row[T1] + u[1] * row[T1 + 1] + u[2] * row[T1 + 2]
    r2, r3, w = c[1], c[2], c[3]
    dr2 = r3 * row[TORSION] - r1 * row[BEND3]
    dr3 = r1 * row[BEND2] - r2 * row[TORSION]
    c[4] = r1
    c[8] = row[SEMI_A] * dr2 + row[SLOPE_A] * r2
    c[9] = row[SEMI_B] * dr3 + row[SLOPE_B] * r3
    c[5] = (c[6] * c[8] + c[7] * c[9]) / w if w > 0.0 else 0.0


@kernel
def state_of(c):
    """DRY, CUT or DROWNED of an ellipse, from the height and half height."""
    if c[0] >= c[3]:
        return DRY
    if c[0] < -c[3]:
        return DROWNED
    return CUT


@kernel
def add_wet(acc, weight, row, curved, A, A2, A3, A22, A33, A23):
    r"""Add one section's wet volume and its first moment.

    .. math:: dV = (1 + \kappa_2 q_3 - \kappa_3 q_2)\, dA\, ds

    acc : (POINT_INTEGRALS,)    weight : ds, m    row : (COLUMNS,)    curved : 1, or 0 for plane slices
    A .. A23 : moments of the wet part about the centre
    """
    c2 = -curved * row[BEND3]
    c3 = curved * row[BEND2]
    volume = A + c2 * A2 + c3 * A3
    m2 = A2 + c2 * A22 + c3 * A23
    m3 = A3 + c2 * A23 + c3 * A33
    acc[VOLUME] += weight * volume
    acc[SECTION_MOMENTS] += weight * A2
    acc[SECTION_MOMENTS + 1] += weight * A3
    acc[SECTION_MOMENTS + 2] += weight * A22
    acc[SECTION_MOMENTS + 3] += weight * A33
    acc[SECTION_MOMENTS + 4] += weight * A23
    for i in range(3):
        acc[MOMENT + i] += weight * (volume * row[POSITION + i] + m2 * row[T2 + i] + m3 * row[T3 + i])


@kernel
def add_whole(acc, weight, row, curved, section):
    """Add one section that is all under water; arguments as `add_wet`, section : ELLIPSE or RECTANGLE."""
    a, b = row[SEMI_A], row[SEMI_B]
    full, square = section_factors(section)
    area = full * a * b
    add_wet(acc, weight, row, curved, area, 0.0, 0.0, square * area * a * a, square * area * b * b, 0.0)


@kernel
def add_drowned(book, panels, k):
    """Add a whole panel under water: at once, or point by point where each has its own entry."""
    if book.cursor[1] == 0:
        for i in range(4):
            book.entries[0, i] += panels.drowned[k, i]
        book.cursor[2] += panels.x.shape[0]
        return
    for j in range(panels.x.shape[0]):
        acc = next_entry(book, k, panels.x[j])
        add_whole(acc, panels.weight[j] * panels.half[k], panels.rows[k, j], panels.curved, panels.section)


@kernel
def add_chord(acc, weight, row, curved, c, m2, m3, l2, l3):
    """Add the waterplane above one section: a chord of the unit disc or square, scaled by a and b.

    weight : ab/w ds, m2, so that weight times the length of the chord is area    c : half the chord's length
    m2, m3 : its middle    l2, l3 : half of it as a vector    other arguments as `add_wet`
    """
    a = row[SEMI_A]
    b = row[SEMI_B]
    c2 = -curved * row[BEND3]
    c3 = curved * row[BEND2]
    qc2 = a * m2
    qc3 = b * m3
    ql2 = a * l2
    ql3 = b * l3
    Jc = 1.0 + c2 * qc2 + c3 * qc3
    Jl = c2 * ql2 + c3 * ql3
    f0 = 2.0 * weight * c * Jc
    f1 = 2.0 / 3.0 * weight * c * Jl
    f2 = f0 / 3.0
    x0 = row[POSITION] + qc2 * row[T2] + qc3 * row[T3]
    x1 = row[POSITION + 1] + qc2 * row[T2 + 1] + qc3 * row[T3 + 1]
    x2 = row[POSITION + 2] + qc2 * row[T2 + 2] + qc3 * row[T3 + 2]
    l0 = ql2 * row[T2] + ql3 * row[T3]
    l1 = ql2 * row[T2 + 1] + ql3 * row[T3 + 1]
    l2 = ql2 * row[T2 + 2] + ql3 * row[T3 + 2]
    b0, b1, b2 = f0 * x0 + f1 * l0, f0 * x1 + f1 * l1, f0 * x2 + f1 * l2  # integral of x
    d0, d1, d2 = f1 * x0 + f2 * l0, f1 * x1 + f2 * l1, f1 * x2 + f2 * l2  # integral of x times the place on the chord
    acc[AREA] += f0
    acc[AREA_MOMENT] += b0
    acc[AREA_MOMENT + 1] += b1
    acc[AREA_MOMENT + 2] += b2
    acc[AREA_SECOND] += b0 * x0 + d0 * l0
    acc[AREA_SECOND + 1] += b0 * x1 + d0 * l1
    acc[AREA_SECOND + 2] += b0 * x2 + d0 * l2
    acc[AREA_SECOND + 3] += b1 * x1 + d1 * l1
    acc[AREA_SECOND + 4] += b1 * x2 + d1 * l2
    acc[AREA_SECOND + 5] += b2 * x2 + d2 * l2


@kernel
def add_section(acc, weight, row, curved, state, base, c):
    """Add one elliptical section with quadrature weight ds, by its state.

    base : share of the whole section that is already counted and is taken off a cut one, 0 or 1
    """
    a = row[SEMI_A]
    b = row[SEMI_B]
    if state == DROWNED:
        add_whole(acc, weight, row, curved, ELLIPSE)
    elif state == CUT and c[3] > 0.0:
        by_w = 1.0 / c[3]
        d = min(1.0, max(-1.0, -c[0] * by_w))
        n2 = a * c[1] * by_w
        n3 = b * c[2] * by_w
        A, A2, A3, A22, A33, A23 = cut_ellipse(d, n2, n3, a, b)
        area = base * math.pi * a * b
        A, A22, A33 = A - area, A22 - 0.25 * area * a * a, A33 - 0.25 * area * b * b
        add_wet(acc, weight, row, curved, A, A2, A3, A22, A33, A23)
        chord = math.sqrt((1.0 - d) * (1.0 + d))
        add_chord(acc, weight * a * b * by_w, row, curved, chord, d * n2, d * n3, -chord * n3, chord * n2)


@kernel(fastmath=SUM_IN_ANY_ORDER)
def add_cut_points(acc, points, ds, count, curved, base, z, u, work):
    """Add many cut sections at once; the same as `add_section` in loops that the compiler can turn into vector code.

    acc : (POINT_INTEGRALS,)    points : (COLUMNS or POINT_COLUMNS, at least count)    ds : (count,) weights, m
    curved, base : as in `add_section`    z, u : height of the head, up in head axes    work : (6, count) scratch
    """
    u0, u1, u2 = u[0], u[1], u[2]
    for j in range(count):
        an2 = points[SEMI_A, j] * (u0 * points[T2, j] + u1 * points[T2 + 1, j] + u2 * points[T2 + 2, j])
        bn3 = points[SEMI_B, j] * (u0 * points[T3, j] + u1 * points[T3 + 1, j] + u2 * points[T3 + 2, j])
        e = z + u0 * points[POSITION, j] + u1 * points[POSITION + 1, j] + u2 * points[POSITION + 2, j]
        by_w = 1.0 / math.sqrt(an2 * an2 + bn3 * bn3)
        d = min(1.0, max(-1.0, -e * by_w))
        work[0, j] = d
        work[1, j] = math.sqrt((1.0 - d) * (1.0 + d))
        work[2, j] = an2 * by_w
        work[3, j] = bn3 * by_w
        work[4, j] = by_w
    for j in range(count):
        work[5, j] = math.acos(-work[0, j])
    V, X0, X1, X2 = 0.0, 0.0, 0.0, 0.0
    S, B0, B1, B2 = 0.0, 0.0, 0.0, 0.0
    C00, C01, C02, C11, C12, C22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(count):
        d, c, n2, n3 = work[0, j], work[1, j], work[2, j], work[3, j]
        a, b = points[SEMI_A, j], points[SEMI_B, j]
        c2, c3 = -curved * points[BEND3, j], curved * points[BEND2, j]
        dc = d * c
        angle = work[5, j]
        whole = base * math.pi
        ab = a * b * ds[j]
        Sy = -2.0 / 3.0 * c * c * c
        Sxx = 0.25 * angle + dc * (5.0 - 2.0 * d * d) / 12.0 - 0.25 * whole
        Syy = 0.25 * (angle - dc * (1.0 - 2.0 * d * d)) - 0.25 * whole
        A2, A3 = a * n2 * Sy, b * n3 * Sy
        A23 = a * b * n2 * n3 * (Syy - Sxx)
        volume = ab * (angle + dc - whole + c2 * A2 + c3 * A3)
        m2 = ab * (A2 + c2 * a * a * (Syy * n2 * n2 + Sxx * n3 * n3) + c3 * A23)
        m3 = ab * (A3 + c2 * A23 + c3 * b * b * (Syy * n3 * n3 + Sxx * n2 * n2))
        p0, p1, p2 = points[POSITION, j], points[POSITION + 1, j], points[POSITION + 2, j]
        s0, s1, s2 = points[T2, j], points[T2 + 1, j], points[T2 + 2, j]
        t0, t1, t2 = points[T3, j], points[T3 + 1, j], points[T3 + 2, j]
        V += volume
        X0 += volume * p0 + m2 * s0 + m3 * t0
        X1 += volume * p1 + m2 * s1 + m3 * t1
        X2 += volume * p2 + m2 * s2 + m3 * t2
        q2, q3, l2, l3 = a * d * n2, b * d * n3, -a * c * n3, b * c * n2
        f0 = 2.0 * ab * work[4, j] * c * (1.0 + c2 * q2 + c3 * q3)
        f1 = 2.0 / 3.0 * ab * work[4, j] * c * (c2 * l2 + c3 * l3)
        f2 = f0 / 3.0
        x0, x1, x2 = p0 + q2 * s0 + q3 * t0, p1 + q2 * s1 + q3 * t1, p2 + q2 * s2 + q3 * t2
        k0, k1, k2 = l2 * s0 + l3 * t0, l2 * s1 + l3 * t1, l2 * s2 + l3 * t2
        b0, b1, b2 = f0 * x0 + f1 * k0, f0 * x1 + f1 * k1, f0 * x2 + f1 * k2
        d0, d1, d2 = f1 * x0 + f2 * k0, f1 * x1 + f2 * k1, f1 * x2 + f2 * k2
        S += f0
        B0 += b0
        B1 += b1
        B2 += b2
        C00 += b0 * x0 + d0 * k0
        C01 += b0 * x1 + d0 * k1
        C02 += b0 * x2 + d0 * k2
        C11 += b1 * x1 + d1 * k1
        C12 += b1 * x2 + d1 * k2
        C22 += b2 * x2 + d2 * k2
    for i, value in enumerate((V, X0, X1, X2, S, B0, B1, B2, C00, C01, C02, C11, C12, C22)):
        acc[i] += value


@kernel
def add_lying(acc, row, r1, section):
    """Add the waterplane of a section that lies in the surface: the whole section."""
    a = row[SEMI_A]
    b = row[SEMI_B]
    full, square = section_factors(section)
    area = full * a * b / abs(r1)
    acc[AREA] += area
    k = AREA_SECOND
    for i in range(3):
        acc[AREA_MOMENT + i] += area * row[POSITION + i]
        for j in range(i, 3):
            acc[k] += area * (
                row[POSITION + i] * row[POSITION + j]
                + square * a * a * row[T2 + i] * row[T2 + j]
                + square * b * b * row[T3 + i] * row[T3 + j]
            )
            k += 1


@kernel(fastmath=SUM_IN_ANY_ORDER, inline="always")
def four_sums(weights, columns, c):
    """Interpolated values of columns c to c + 3; taken together they share the loads of the weights."""
    v0, v1, v2, v3 = 0.0, 0.0, 0.0, 0.0
    for j in range(columns.shape[1]):
        v0 += weights[j] * columns[c, j]
        v1 += weights[j] * columns[c + 1, j]
        v2 += weights[j] * columns[c + 2, j]
        v3 += weights[j] * columns[c + 3, j]
    return v0, v1, v2, v3


@kernel(fastmath=SUM_IN_ANY_ORDER)
def point_at(columns, x, bary, at, weights, row):
    """Interpolate what a quadrature point needs.

    columns : (COLUMNS, n) of one panel    x, bary : its Gauss points and barycentric weights    at : in [-1, 1]
    weights : (n,) scratch    row : (COLUMNS,), at least the first POINT_COLUMNS are filled
    """
    interpolation_row(x, bary, at, weights)
    for c in range(0, POINT_COLUMNS, 4):
        row[c], row[c + 1], row[c + 2], row[c + 3] = four_sums(weights, columns, c)


@kernel(fastmath=SUM_IN_ANY_ORDER)
def points_at(columns, x, bary, places, count, weights, points):
    """Interpolate what many quadrature points need.

    places : (count,) in [-1, 1]    points : (POINT_COLUMNS, at least count) is filled    other arguments as `point_at`
    """
    for i in range(count):
        interpolation_row(x, bary, places[i], weights)
        for c in range(0, POINT_COLUMNS - 3, 4):
            points[c, i], points[c + 1, i], points[c + 2, i], points[c + 3, i] = four_sums(weights, columns, c)
        for c in range(POINT_COLUMNS - POINT_COLUMNS % 4, POINT_COLUMNS):
            value = 0.0
            for j in range(columns.shape[1]):
                value += weights[j] * columns[c, j]
            points[c, i] = value


@kernel(fastmath=SUM_IN_ANY_ORDER)
def row_at(columns, x, bary, at, weights, row):
    """Interpolate a whole row; arguments as `point_at`."""
    interpolation_row(x, bary, at, weights)
    for c in range(0, COLUMNS - 3, 4):
        row[c], row[c + 1], row[c + 2], row[c + 3] = four_sums(weights, columns, c)
    for c in range(COLUMNS - COLUMNS % 4, COLUMNS):
        value = 0.0
        for j in range(columns.shape[1]):
            value += weights[j] * columns[c, j]
        row[c] = value
