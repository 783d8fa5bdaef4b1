r"""What acts on strings at rest, per length.

.. math:: f = (w \rho A - m)\, g\, e_z + w\,\nu\, f_D(u(r), t) + q(s, r, t)

with the wet share w, the stretch :math:`\nu`, the drag of a current (flow.py) and the loads q that a case gives.
Parts that a case does not have are None, and are not compiled for it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.audit.flow import Current, Drags, current_over, drag_of, drag_on_lump
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.model.lines import FORCE_TABLE, PRESSURE, ROTATING
from ropewalk.numerics.blockelimination import UNCOUNTED, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import call_three
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR, strain
from ropewalk.physics.profiles import AREA, DRAG_NORMAL, DRAG_TANGENTIAL, MASS, STIFFNESS, property_at
from ropewalk.physics.rigidbody import cross3
from ropewalk.physics.terrain import Terrain, relief

CONSTANT = -1  # in place of the series of a section: its properties are the same all along


class Water(NamedTuple):
    """Water over a bed."""

    gravity: float  # m/s2
    density: float  # kg/m3
    depth: float  # m, under the origin
    normal: tuple[float, float, float]  # of a plane bed, up
    has_bed: bool
    stiffness: float  # Pa/m
    friction: float
    relief: Terrain | None  # of a bed on a grid, None of a plane


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
    bent: Flags  # (n_nodes,) where a line runs over something without friction; no rows where none does


class Given(NamedTuple):
    """Loads along lines as in `Lines`, and functions of the user's."""

    start: Ints
    kind: Ints
    axis: Array
    value: Array
    origin: Array
    table_start: Ints
    table: Array
    address: Ints  # (n_lines,) of the function of the load on a line, 0 of none
    time: float  # s


class Along(NamedTuple):
    """Intervals of sections that vary along s, as in `Profiles`; their series are at the end of `Strings.law_data`."""

    start: Ints
    low: Array
    high: Array
    at: Ints
    stretches: Ints


class Has(NamedTuple):
    """What a case has: True, or None of what it has not and need not be compiled for it."""

    varying: bool | None  # something but weight and buoyancy that are the same all along each piece
    series: bool | None  # sections that vary along s
    curves: bool | None  # laws of sections that are not linear
    drag_laws: bool | None


class Field(NamedTuple):
    """What acts at a place of a line beyond its weight."""

    has: Has
    current: Current | None
    given: Given | None


class Acting(NamedTuple):
    """What a case has beyond weight and linear laws; None of what it does not have."""

    field: Field
    drags: Drags | None
    drag_laws: Ints | None  # (n_sections,) addresses, 0 of constant coefficients
    along: Along | None


class Made(NamedTuple):
    """Of one leg of a line."""

    line: int
    mass: float  # kg/m
    area: float  # m2
    widths: tuple[float, float]  # coefficients of drag times diameter, m
    drag_law: int  # address, 0 of constant coefficients
    flexibility: float  # 1/N of a linear law, -1 of others
    law: tuple[int, int, int]  # kind, start and stop
    series: int  # offset in `Strings.law_data`, CONSTANT of a section that does not vary


@kernel(forceinline=True, **UNCOUNTED)
def ground(grid, r, water):
    r"""Unit normal of the bed under a place, and the height (m) of the place over the plane that touches it there.

    .. math:: h = n \cdot r + d\, n_z, \qquad
              n = \frac{(-z_x, -z_y, 1)}{\sqrt{1 + z_x^2 + z_y^2}}, \quad h = n_z (r_z - z) \text{ over a relief}

    Source: docs/theory/morison.md, Seabed.

    grid : the relief of `water`, None of a plane at depth d under the origin    r : 3 numbers, m    water : `Water`
    """
    if grid is None:
        return water.normal, dot(r, water.normal) + water.depth * water.normal[2]
    z, zx, zy, _, _, _ = relief(r[0], r[1], grid.x, grid.y, grid.table)
    up = 1.0 / math.sqrt(1.0 + zx * zx + zy * zy)
    return (-up * zx, -up * zy, up), up * (r[2] - z)


@kernel(forceinline=True, **UNCOUNTED)
def height(r, water):
    """Height of a position above the bed along its normal, m: h = n . r + d n_z over a plane, as of :func:`ground`.

    Source: docs/theory/morison.md, Seabed.    r : 3 numbers, m    water : `Water`
    """
    return ground(water.relief, r, water)[1]


@kernel(forceinline=True, **UNCOUNTED)
def vector(a, i):
    """Row i of an array, as a tuple of three. Bookkeeping."""
    return a[i, 0], a[i, 1], a[i, 2]


@kernel(forceinline=True, **UNCOUNTED)
def norm3(a):
    """Length of a vector, in its unit: |a| = sqrt(a . a). Source: Pythagoras."""
    return math.sqrt(dot(a, a))


@kernel(forceinline=True, **UNCOUNTED)
def weight_of(strings, section, water):
    """Submerged weight of a section, N/m: w = (m - rho A) g. Source: Archimedes; docs/theory/morison.md."""
    return (strings.mass[section] - water.density * strings.area[section]) * water.gravity


@kernel(forceinline=True, **UNCOUNTED)
def wet_part(z0, z1):
    r"""Fraction under water of a stretch between the heights z0 and z1 (m).

    .. math:: w = \frac{\min(z_1, 0) - \min(z_0, 0)}{z_1 - z_0}

    Source: docs/audit.md, Equilibria: a stretch without thickness passes the surface.
    """
    if z0 <= 0.0 and z1 <= 0.0 and z0 + z1 < 0.0:
        return 1.0
    if z0 == z1:
        return 0.0 if z0 > 0.0 else 0.5
    return (min(z1, 0.0) - min(z0, 0.0)) / (z1 - z0)


@kernel(**UNCOUNTED)
def wet_share(volume, z):
    """Wet fraction of a sphere with its centre at height z (m): w = (1 + x)^2 (2 - x) / 4, x = -z/R in [-1, 1].

    Source: volume of a spherical cap, written apart from the methods. Without volume it is wet below the surface.
    """
    if volume == 0.0:
        return 1.0 if z < 0.0 else 0.0
    x = min(1.0, max(-1.0, -z / (0.75 * volume / math.pi) ** (1.0 / 3.0)))
    return 0.25 * (1.0 + x) * (1.0 + x) * (2.0 - x)


@kernel(**UNCOUNTED)
def lump_load(water, current, lump, force, r):
    r"""Load on a lump at r (m), N, a sphere where it passes the surface.

    .. math:: f = F + (w \rho V - m)\, g\, e_z + w f_D

    Source: Archimedes; docs/theory/morison.md, Drag.

    current : `Current` or None    lump : mass (kg), volume (m3), drag area (m2)    force : F, N
    """
    mass, volume, area = lump
    share = wet_share(volume, r[2]) if water.density > 0.0 else 0.0
    load = add3(force, (0.0, 0.0, (water.density * volume * share - mass) * water.gravity))
    if current is not None:
        load = add3(load, scale3(share, drag_on_lump(current, water.density, area, r)))
    return load


@kernel(forceinline=True, **UNCOUNTED)
def made_of(strings, drags, drag_laws, along, line, section, s):
    """What a line is made of about s (m), a `Made`; flexibility = 1/EA (1/N), -1 for laws that are not linear.

    Source: definition.  drags, drag_laws, along : of `Acting`
    """
    widths, drag_law, series, flexibility, start = (0.0, 0.0), 0, CONSTANT, 0.0, strings.law_start[section]
    if strings.law[section] != INEXTENSIBLE:
        flexibility = 1.0 / strings.law_data[start] if strings.law[section] == LINEAR else -1.0
    if drags is not None:
        widths = drags.normal[section], drags.tangential[section]
    if drag_laws is not None:
        drag_law = drag_laws[section]
    if along is not None:
        for k in range(along.start[section], along.start[section + 1]):
            if s < along.high[k] or k == along.start[section + 1] - 1:
                series = along.at[k]
                break
        if along.stretches[section] == 1:
            flexibility = -1.0
    law = strings.law[section], start, strings.law_start[section + 1]
    return Made(line, strings.mass[section], strings.area[section], widths, drag_law, flexibility, law, series)


@kernel(forceinline=True, **UNCOUNTED)
def _mass_and_area(has_series, data, made, s):
    """Mass (kg/m) and displaced area (m2) of a leg at s (m): m = m(s), A = A(s). Source: physics/profiles.py."""
    if has_series is not None and made.series != CONSTANT:
        return property_at(s, MASS, data, made.series), property_at(s, AREA, data, made.series)
    return made.mass, made.area


@kernel(forceinline=True, **UNCOUNTED)
def _drag(current, has_series, has_laws, data, made, s, r, t):
    """Drag over half the density on a leg at s (m) and r (m) with the tangent t, m3/s2: as `drag_of`.

    Source: :func:`ropewalk.audit.flow.drag_of`.    current : `Current` or None
    """
    if current is not None:
        widths = made.widths
        if has_series is not None and made.series != CONSTANT:
            across = property_at(s, DRAG_NORMAL, data, made.series)
            widths = across, property_at(s, DRAG_TANGENTIAL, data, made.series)
        return drag_of(current_over(current, r), t, widths, has_laws, made.drag_law)
    return 0.0, 0.0, 0.0


@kernel(**UNCOUNTED)
def _tabled(table, first, last, s):
    """Force of a table of s (m) and three components (N/m), straight between its rows first to last - 1.

    Source: linear interpolation, f = f_i + (s - s_i) (f_{i+1} - f_i) / (s_{i+1} - s_i); constant beyond the ends.
    """
    i = first
    while i < last - 2 and table[i + 1, 0] <= s:
        i += 1
    j = min(i + 1, last - 1)
    wide = table[j, 0] - table[i, 0]
    x = min(1.0, max(0.0, (s - table[i, 0]) / wide)) if wide > 0.0 else 0.0
    low, high = (table[i, 1], table[i, 2], table[i, 3]), (table[j, 1], table[j, 2], table[j, 3])
    return add3(scale3(1.0 - x, low), scale3(x, high))


@kernel(**UNCOUNTED)
def _given_on(given, line, s, r, t, mass):
    r"""Loads that a case gives along a line, N/m.

    .. math:: q = q(s) + p\, a \times t + m \Omega^2 \left(d - (d \cdot a)\, a\right) + q_u(s, r, t)

    of tables, a pressure p, a frame that turns about the axis a at the distance d, and functions of the user's.

    Source: [Surmont2025], eqs. (9) and (13).    given : `Given` or None    mass : kg/m
    """
    load = (0.0, 0.0, 0.0)
    if given is not None:
        for j in range(given.start[line], given.start[line + 1]):
            axis, value = vector(given.axis, j), given.value[j]
            if given.kind[j] == FORCE_TABLE:
                load = add3(load, _tabled(given.table, given.table_start[j], given.table_start[j + 1], s))
            elif given.kind[j] == PRESSURE:
                load = add3(load, scale3(value, cross3(axis, t)))
            elif given.kind[j] == ROTATING:
                arm = sub3(r, vector(given.origin, j))
                arm = sub3(arm, scale3(dot(arm, axis), axis))
                load = add3(load, scale3(mass * value * value, arm))
        if given.address[line] != 0:
            place = (s, r[0], r[1], r[2], t[0], t[1], t[2], given.time)
            load = add3(load, call_three(given.address[line], place))
    return load


@kernel(forceinline=True, **UNCOUNTED)
def strain_at(has_series, has_curves, data, made, s, tension):
    """Strain of a leg at s (m) and a tension (N): e = T/EA(s), or by its law. Source: physics/elasticity.py.

    has_series, has_curves : of `Has`    data : `Strings.law_data`    made : `Made`
    """
    if has_series is not None and made.series != CONSTANT and made.flexibility < 0.0:
        return tension / property_at(s, STIFFNESS, data, made.series)
    if has_curves is not None and made.flexibility < 0.0:
        kind, start, stop = made.law
        return strain(tension, kind, data, start, stop)[0]
    return made.flexibility * tension


@kernel(**UNCOUNTED)
def mean_strain(strings, has_curves, section, tension):
    """Strain of a section at a tension (N) by its law, e = e(T); of one that varies by its mean stiffness.

    Source: physics/elasticity.py.    strings : `Strings`    has_curves : None if all laws are linear
    """
    start = strings.law_start[section]
    if has_curves is not None:
        return strain(tension, strings.law[section], strings.law_data, start, strings.law_start[section + 1])[0]
    return tension / strings.law_data[start] if strings.law[section] == LINEAR else 0.0


@kernel(forceinline=True, **UNCOUNTED)
def load_on(field, water, data, made, s, state, wet):
    r"""Load on a leg at s (m), N/m of unstretched length.

    .. math:: f = (w \rho A - m)\, g\, e_z + w\,\nu\, f_D + q

    Source: the heading of this file.

    field : `Field`    water : `Water`    data : `Strings.law_data`    made : `Made`
    state : place r (m), unit tangent t, stretch nu    wet : w
    """
    r, t, stretch = state
    mass, area = _mass_and_area(field.has.series, data, made, s)
    load = (0.0, 0.0, (wet * water.density * area - mass) * water.gravity)
    drag = _drag(field.current, field.has.series, field.has.drag_laws, data, made, s, r, t)
    load = add3(load, scale3(0.5 * water.density * wet * stretch, drag))
    return add3(load, _given_on(field.given, made.line, s, r, t, mass))


@kernel(forceinline=True, **UNCOUNTED)
def across_bed(n0, n1, chord, normal, weight, h):
    r"""Force across the bed at the nodes of a line on it, beyond that of a line that rises between them, N.

    .. math:: \max |n \cdot n_b| - 2 \max\left(T\, \frac{y}{h},\ \sqrt{2\, w\, T\, y}\right), \qquad y = |c \cdot n_b|

    Source: a string pulls along itself; along a straight line, and along a parabola y = w x^2 / (2 T) from where it
    lifts off, with a force w x across the bed; twice, for both at once.

    n0, n1 : N, at the nodes    chord : c between them, m    normal : n_b    weight : w, N/m    h : unstretched, m
    """
    tension, rise = max(norm3(n0), norm3(n1)), abs(dot(chord, normal))
    may = 2.0 * max(tension * rise / h, math.sqrt(2.0 * weight * tension * rise))
    return max(0.0, max(abs(dot(n0, normal)), abs(dot(n1, normal))) - may)
