"""What one section of a rod adds to the wet volume and to the waterplane."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.quadrature import interpolation_row
from ropewalk.physics.buoyancy import cut_ellipse
from ropewalk.physics.rod_shape import ELLIPSE, N_POINT, section_factors

# What one quadrature point adds, or all of them together, in head axes about the head.
ENTRY = np.dtype(
    (
        np.record,
        [
            ("volume", "f8"),  # wet volume, m3
            ("moment", "f8", (3,)),  # its first moment, m4
            ("area", "f8"),  # waterplane area, m2
            ("area_moment", "f8", (3,)),  # its first moment, m3
            ("area_second", "f8", (6,)),  # its second moment xx xy xz yy yz zz, m4
            ("m2", "f8"),  # of one point only: weight times the wet moments in section axes
            ("m3", "f8"),
            ("m22", "f8"),
            ("m33", "f8"),
            ("m23", "f8"),
        ],
    )
)
SOURCE = np.dtype((np.record, [("panel", "i8"), ("at", "f8")]))  # of a point: its panel and local coordinate
N_SCRATCH = N_POINT + 8  # rows of scratch
CURSOR = np.dtype(
    (np.record, [("entry", "i8"), ("step", "i8"), ("points", "i8")])
)  # to write; to the next, 0 or 1; so far
# How the surface cuts a section: height of its centre, vertical parts of its axes 2, 3, half height w, vertical part of
# its tangent, slope of w, a times r2, b times r3, and the slopes of these two along s.
CUTTING = np.dtype(
    (np.record, [(name, "f8") for name in ("e", "r2", "r3", "w", "r1", "dw", "ar2", "br3", "dar2", "dbr3")])
)

SUM_IN_ANY_ORDER = {"reassoc", "contract"}  # lets the compiler use vector sums; three times as fast here

DRY = 0
CUT = 1
DROWNED = 2


class Integrals(NamedTuple):
    """What `hydrostatics` returns, in head axes about the head."""

    volume: float  # wet volume, m3
    moment: NDArray[np.float64]  # (3,) its first moment, m4
    area: float  # of the waterplane, m2
    area_moment: NDArray[np.float64]  # (3,) its first moment, m3
    area_second: NDArray[np.float64]  # (3, 3) its second moment, m4


class Book(NamedTuple):
    """Where quadrature points write: all into one entry, or each into its own."""

    entries: Any  # (k,) of ENTRY
    sources: Any  # (k,) of SOURCE
    cursor: Any  # (1,) of CURSOR


class Points(NamedTuple):
    """The numbers of quadrature points, each an array over them."""

    x: NDArray[np.float64]  # position, m
    y: NDArray[np.float64]
    z: NDArray[np.float64]
    t2x: NDArray[np.float64]  # section axes
    t2y: NDArray[np.float64]
    t2z: NDArray[np.float64]
    t3x: NDArray[np.float64]
    t3y: NDArray[np.float64]
    t3z: NDArray[np.float64]
    bend2: NDArray[np.float64]  # 1/m
    bend3: NDArray[np.float64]
    a: NDArray[np.float64]  # m
    b: NDArray[np.float64]


class Chords(NamedTuple):
    """Scratch of many cut sections, each an array over them."""

    d: NDArray[np.float64]  # place of the chord in the unit disc
    half: NDArray[np.float64]  # half its length
    n2: NDArray[np.float64]  # its normal
    n3: NDArray[np.float64]
    by_w: NDArray[np.float64]  # 1/m
    angle: NDArray[np.float64]  # rad


@kernel(**UNCOUNTED)
def named(columns):
    """Rows of an array (at least N_POINT, n) by name. Bookkeeping."""
    c = columns
    return Points(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11], c[12])


class Scratch(NamedTuple):
    """Scratch for the points of an interval."""

    points: Points
    places: NDArray[np.float64]  # (n,) in [-1, 1]
    ds: NDArray[np.float64]  # (n,) weights, m
    chords: Chords


@kernel(**UNCOUNTED)
def laid_out(scratch):
    """Rows of an array (N_SCRATCH, n) by name; one array is what travels cheaply. Bookkeeping."""
    c = scratch
    return Scratch(named(c), c[13], c[14], Chords(c[15], c[16], c[17], c[18], c[19], c[20]))


@kernel
def symmetric(six):
    """(3, 3) from xx xy xz yy yz zz. Bookkeeping."""
    out = np.empty((3, 3))
    k = 0
    for i in range(3):
        for j in range(i, 3):
            out[i, j] = six[k]
            out[j, i] = six[k]
            k += 1
    return out


@kernel
def integrals_of(entries):
    """The first entry as it is returned. Bookkeeping."""
    entry = entries[0]
    moment, area_moment = np.empty(3), np.empty(3)
    for i in range(3):
        moment[i] = entry.moment[i]
        area_moment[i] = entry.area_moment[i]
    return Integrals(entry.volume, moment, entry.area, area_moment, symmetric(entry.area_second))


def total(entries: Any) -> Integrals:
    """Sum of the entries of `hydrostatic_points`."""
    second = symmetric(entries["area_second"].sum(axis=0))
    moment, area_moment = entries["moment"].sum(axis=0), entries["area_moment"].sum(axis=0)
    return Integrals(float(entries["volume"].sum()), moment, float(entries["area"].sum()), area_moment, second)


@kernel(**UNCOUNTED)
def next_entry(book, k, at):
    """The entry for a quadrature point of panel k at local coordinate `at`. Bookkeeping."""
    cursor = book.cursor[0]
    i = cursor.entry
    cursor.entry = i + cursor.step
    cursor.points += 1
    book.sources[i].panel = k
    book.sources[i].at = at
    return book.entries[i]


@kernel(**UNCOUNTED)
def contract_point(row, z, u, c):
    r"""Fill in c: height of the section centre, vertical parts of its axes, half height, and what it is made of.

    .. math:: e = z + u \cdot p, \qquad w = \sqrt{a^2 R_{32}^2 + b^2 R_{33}^2}, \qquad R_{3i} = u \cdot t_i

    Source: docs/theory/rods.md, A section cut by the water plane.

    c : CUTTING, all but r1 and the slopes    row : of `Panels`    z : height of the head, m    u : (3,) up in head axes
    """
    r2 = u[0] * row.t2[0] + u[1] * row.t2[1] + u[2] * row.t2[2]
    r3 = u[0] * row.t3[0] + u[1] * row.t3[1] + u[2] * row.t3[2]
    ar2 = row.a * r2
    br3 = row.b * r3
    c.e = z + u[0] * row.position[0] + u[1] * row.position[1] + u[2] * row.position[2]
    c.r2 = r2
    c.r3 = r3
    c.w = math.sqrt(ar2 * ar2 + br3 * br3)
    c.ar2 = ar2
    c.br3 = br3


@kernel(**UNCOUNTED)
def contract(row, z, u, c):
    r"""Fill all of c: as `contract_point`, and the slopes along s of the height and of the half height.

    .. math:: R_{32}' = R_{33} \kappa_1 - R_{31} \kappa_3, \qquad R_{33}' = R_{31} \kappa_2 - R_{32} \kappa_1, \qquad
              w' = \frac{a R_{32} (a R_{32})' + b R_{33} (b R_{33})'}{w}

    Source: docs/theory/rods.md, Shape: R' = R [kappa].
    """
    contract_point(row, z, u, c)
    r1 = u[0] * row.t1[0] + u[1] * row.t1[1] + u[2] * row.t1[2]
    r2, r3, w = c.r2, c.r3, c.w
    dr2 = r3 * row.torsion - r1 * row.bend3
    dr3 = r1 * row.bend2 - r2 * row.torsion
    c.r1 = r1
    c.dar2 = row.a * dr2 + row.slope_a * r2
    c.dbr3 = row.b * dr3 + row.slope_b * r3
    c.dw = (c.ar2 * c.dar2 + c.br3 * c.dbr3) / w if w > 0.0 else 0.0


@kernel(**UNCOUNTED)
def state_of(c):
    """DRY, CUT or DROWNED of an ellipse: d = -e/w (no unit) below -1, between, above 1. Source: docs/theory/rods.md."""
    if c.e >= c.w:
        return DRY
    if c.e < -c.w:
        return DROWNED
    return CUT


@kernel(**UNCOUNTED)
def add_wet(acc, weight, row, curved, moments):
    r"""Add one section's wet volume and its first moment.

    Source: docs/theory/rods.md, The volume of a curved rod.
    .. math:: dV = (1 + \kappa_2 q_3 - \kappa_3 q_2)\, dA\, ds

    acc : ENTRY    weight : ds, m    row : ROW    curved : 1, or 0 for plane slices
    moments : A, A2, A3, A22, A33, A23 of the wet part about the centre
    """
    A, A2, A3, A22, A33, A23 = moments
    c2 = -curved * row.bend3
    c3 = curved * row.bend2
    volume = A + c2 * A2 + c3 * A3
    m2 = A2 + c2 * A22 + c3 * A23
    m3 = A3 + c2 * A23 + c3 * A33
    acc.volume += weight * volume
    acc.m2 += weight * A2
    acc.m3 += weight * A3
    acc.m22 += weight * A22
    acc.m33 += weight * A33
    acc.m23 += weight * A23
    for i in range(3):
        acc.moment[i] += weight * (volume * row.position[i] + m2 * row.t2[i] + m3 * row.t3[i])


@kernel(**UNCOUNTED)
def add_whole(acc, weight, row, curved, section):
    """Add one section under water, A = pi ab or 4 ab (m2); arguments as `add_wet`, section : ELLIPSE or RECTANGLE.

    Source: moments of an ellipse or a rectangle.
    """
    a, b = row.a, row.b
    full, square = section_factors(section)
    area = full * a * b
    add_wet(acc, weight, row, curved, (area, 0.0, 0.0, square * area * a * a, square * area * b * b, 0.0))


@kernel(**UNCOUNTED)
def add_drowned(book, panels, k):
    """Add a whole panel under water: at once, or point by point where each has its own entry. As :func:`add_whole`."""
    if book.cursor[0].step == 0:
        acc, whole = book.entries[0], panels.drowned[k]
        acc.volume += whole.volume
        for i in range(3):
            acc.moment[i] += whole.moment[i]
        book.cursor[0].points += panels.x.shape[0]
        return
    for j in range(panels.x.shape[0]):
        acc = next_entry(book, k, panels.x[j])
        add_whole(acc, panels.weight[j] * panels.half[k], panels.rows[k, j], panels.curved, panels.section)


@kernel(**UNCOUNTED)
def add_chord(acc, weight, row, curved, chord):
    r"""Add the waterplane above one section: a chord of the unit disc or square, scaled by a and b.

    .. math:: dA = \frac{ab}{w}\, (1 + \kappa_2 q_3 - \kappa_3 q_2)\, |dl|\, ds

    Source: docs/theory/rods.md, The volume of a curved rod: waterplane swept by the chords.

    weight : ab/w ds, m2, so that weight times the length of the chord is area    chord : c, half its length; m2,
    m3, its middle; l2, l3, half of it as a vector    other arguments as `add_wet`
    """
    c, m2, m3, l2, l3 = chord
    a = row.a
    b = row.b
    c2 = -curved * row.bend3
    c3 = curved * row.bend2
    qc2 = a * m2
    qc3 = b * m3
    ql2 = a * l2
    ql3 = b * l3
    Jc = 1.0 + c2 * qc2 + c3 * qc3
    Jl = c2 * ql2 + c3 * ql3
    f0 = 2.0 * weight * c * Jc
    f1 = 2.0 / 3.0 * weight * c * Jl
    f2 = f0 / 3.0
    x0 = row.position[0] + qc2 * row.t2[0] + qc3 * row.t3[0]
    x1 = row.position[1] + qc2 * row.t2[1] + qc3 * row.t3[1]
    x2 = row.position[2] + qc2 * row.t2[2] + qc3 * row.t3[2]
    l0 = ql2 * row.t2[0] + ql3 * row.t3[0]
    l1 = ql2 * row.t2[1] + ql3 * row.t3[1]
    l2 = ql2 * row.t2[2] + ql3 * row.t3[2]
    b0, b1, b2 = f0 * x0 + f1 * l0, f0 * x1 + f1 * l1, f0 * x2 + f1 * l2  # integral of x
    d0, d1, d2 = f1 * x0 + f2 * l0, f1 * x1 + f2 * l1, f1 * x2 + f2 * l2  # integral of x times the place on the chord
    acc.area += f0
    acc.area_moment[0] += b0
    acc.area_moment[1] += b1
    acc.area_moment[2] += b2
    acc.area_second[0] += b0 * x0 + d0 * l0
    acc.area_second[1] += b0 * x1 + d0 * l1
    acc.area_second[2] += b0 * x2 + d0 * l2
    acc.area_second[3] += b1 * x1 + d1 * l1
    acc.area_second[4] += b1 * x2 + d1 * l2
    acc.area_second[5] += b2 * x2 + d2 * l2


@kernel(**UNCOUNTED)
def add_section(acc, weight, row, curved, state, base, c):
    """Add one elliptical section with quadrature weight ds, by its state.

    Source: docs/theory/rods.md, A section cut by the water plane: d = -e/w; :func:`add_wet` and :func:`add_chord`.
    base : share of the whole section that is already counted and is taken off a cut one, 0 or 1
    acc : ENTRY    row : ROW    curved : 1, or 0 for plane slices    c : record of CUTTING
    """
    a = row.a
    b = row.b
    if state == DROWNED:
        add_whole(acc, weight, row, curved, ELLIPSE)
    elif state == CUT and c.w > 0.0:
        by_w = 1.0 / c.w
        d = min(1.0, max(-1.0, -c.e * by_w))
        n2 = a * c.r2 * by_w
        n3 = b * c.r3 * by_w
        A, A2, A3, A22, A33, A23 = cut_ellipse(d, n2, n3, a, b)
        area = base * math.pi * a * b
        A, A22, A33 = A - area, A22 - 0.25 * area * a * a, A33 - 0.25 * area * b * b
        add_wet(acc, weight, row, curved, (A, A2, A3, A22, A33, A23))
        half = math.sqrt((1.0 - d) * (1.0 + d))
        add_chord(acc, weight * a * b * by_w, row, curved, (half, d * n2, d * n3, -half * n3, half * n2))


@kernel(fastmath=SUM_IN_ANY_ORDER, **UNCOUNTED)
def add_cut_points(acc, points, ds, curved, base, z, u, work):
    """Add many cut sections at once; the same as `add_section` in loops that the compiler can turn into vector code.

    Source: docs/theory/rods.md, A section cut by the water plane: S = arccos(-d) + d c and so on, c = sqrt(1 - d^2).
    acc : ENTRY    points : `Points`    ds : (n,) weights of the first n points, m    curved, base : as in `add_section`
    z, u : height of the head, up in head axes    work : `Chords`, scratch
    """
    u0, u1, u2, count = u[0], u[1], u[2], ds.size
    for j in range(count):
        an2 = points.a[j] * (u0 * points.t2x[j] + u1 * points.t2y[j] + u2 * points.t2z[j])
        bn3 = points.b[j] * (u0 * points.t3x[j] + u1 * points.t3y[j] + u2 * points.t3z[j])
        e = z + u0 * points.x[j] + u1 * points.y[j] + u2 * points.z[j]
        by_w = 1.0 / math.sqrt(an2 * an2 + bn3 * bn3)
        d = min(1.0, max(-1.0, -e * by_w))
        work.d[j] = d
        work.half[j] = math.sqrt((1.0 - d) * (1.0 + d))
        work.n2[j] = an2 * by_w
        work.n3[j] = bn3 * by_w
        work.by_w[j] = by_w
    for j in range(count):
        work.angle[j] = math.acos(-work.d[j])
    V, X0, X1, X2 = 0.0, 0.0, 0.0, 0.0
    S, B0, B1, B2 = 0.0, 0.0, 0.0, 0.0
    C00, C01, C02, C11, C12, C22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(count):
        d, c, n2, n3 = work.d[j], work.half[j], work.n2[j], work.n3[j]
        a, b = points.a[j], points.b[j]
        c2, c3 = -curved * points.bend3[j], curved * points.bend2[j]
        dc = d * c
        angle = work.angle[j]
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
        p0, p1, p2 = points.x[j], points.y[j], points.z[j]
        s0, s1, s2 = points.t2x[j], points.t2y[j], points.t2z[j]
        t0, t1, t2 = points.t3x[j], points.t3y[j], points.t3z[j]
        V += volume
        X0 += volume * p0 + m2 * s0 + m3 * t0
        X1 += volume * p1 + m2 * s1 + m3 * t1
        X2 += volume * p2 + m2 * s2 + m3 * t2
        q2, q3, l2, l3 = a * d * n2, b * d * n3, -a * c * n3, b * c * n2
        f0 = 2.0 * ab * work.by_w[j] * c * (1.0 + c2 * q2 + c3 * q3)
        f1 = 2.0 / 3.0 * ab * work.by_w[j] * c * (c2 * l2 + c3 * l3)
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
    acc.volume += V
    acc.area += S
    for i, value in enumerate((X0, X1, X2)):
        acc.moment[i] += value
    for i, value in enumerate((B0, B1, B2)):
        acc.area_moment[i] += value
    for i, value in enumerate((C00, C01, C02, C11, C12, C22)):
        acc.area_second[i] += value


@kernel(**UNCOUNTED)
def add_lying(acc, row, r1, section):
    r"""Add the waterplane of a section that lies in the surface: the whole section.

    .. math:: dA = \frac{dA_\mathrm{section}}{|R_{31}|}

    Source: docs/theory/rods.md, Integrals along s.
    """
    a = row.a
    b = row.b
    full, square = section_factors(section)
    area = full * a * b / abs(r1)
    acc.area += area
    k = 0
    for i in range(3):
        acc.area_moment[i] += area * row.position[i]
        for j in range(i, 3):
            acc.area_second[k] += area * (
                row.position[i] * row.position[j]
                + square * a * a * row.t2[i] * row.t2[j]
                + square * b * b * row.t3[i] * row.t3[j]
            )
            k += 1


@kernel(fastmath=SUM_IN_ANY_ORDER, inline="always", **UNCOUNTED)
def four_sums(weights, columns, c):
    """Interpolated values of columns c to c + 3, f = sum_j w_j f_j, in their units; together they share the weights.

    Source: [Berrut2004], eq. (4.2).
    """
    v0, v1, v2, v3 = 0.0, 0.0, 0.0, 0.0
    for j in range(columns.shape[1]):
        v0 += weights[j] * columns[c, j]
        v1 += weights[j] * columns[c + 1, j]
        v2 += weights[j] * columns[c + 2, j]
        v3 += weights[j] * columns[c + 3, j]
    return v0, v1, v2, v3


@kernel(fastmath=SUM_IN_ANY_ORDER, **UNCOUNTED)
def point_at(columns, x, bary, at, weights, rows):
    """Interpolate what a quadrature point needs, in the units of ROW.

    Source: barycentric interpolation, y = sum w_j y_j, [Berrut2004].

    columns : (N_ROW, n) of one panel    x, bary : its Gauss points and barycentric weights    at : in [-1, 1]
    weights : (n,) scratch    rows : (1,) of ROW, filled up to its field b
    """
    interpolation_row(x, bary, at, weights)
    row = rows[0]
    p, t2, t3 = row.position, row.t2, row.t3
    p[0], p[1], p[2], t2[0] = four_sums(weights, columns, 0)
    t2[1], t2[2], t3[0], t3[1] = four_sums(weights, columns, 4)
    t3[2], row.bend2, row.bend3, row.a = four_sums(weights, columns, 8)
    row.b, _, _, _ = four_sums(weights, columns, 12)


@kernel(fastmath=SUM_IN_ANY_ORDER, **UNCOUNTED)
def points_at(columns, x, bary, places, count, weights, points):
    """As :func:`point_at`, at many quadrature points.

    places : (count,) in [-1, 1]    points : (N_POINT, at least count) is filled    other arguments as `point_at`
    """
    for i in range(count):
        interpolation_row(x, bary, places[i], weights)
        for c in range(0, N_POINT - 3, 4):
            points[c, i], points[c + 1, i], points[c + 2, i], points[c + 3, i] = four_sums(weights, columns, c)
        for c in range(N_POINT - N_POINT % 4, N_POINT):
            value = 0.0
            for j in range(columns.shape[1]):
                value += weights[j] * columns[c, j]
            points[c, i] = value


@kernel(fastmath=SUM_IN_ANY_ORDER, **UNCOUNTED)
def row_at(columns, x, bary, at, weights, rows):
    """As :func:`point_at`: a whole row."""
    point_at(columns, x, bary, at, weights, rows)
    row = rows[0]
    t1 = row.t1
    _, t1[0], t1[1], t1[2] = four_sums(weights, columns, 12)
    _, row.torsion, row.slope_a, row.slope_b = four_sums(weights, columns, 15)
