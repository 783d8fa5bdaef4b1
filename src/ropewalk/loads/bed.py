r"""The sea bed: elastic, damped contact of lines and bodies with a plane or a relief, and its friction.

The bed is a plane :math:`n \cdot x = b`, n out of the soil, or a smooth surface through depths on a grid
(physics/terrain.py). Under a place it is then taken as the plane that touches it there, with a normal that turns from
place to place; the height over that plane differs from the distance by the square of the slope's change over it.
Contact presses with the law of :func:`pressure`. Friction
is Coulomb's, in two forms. Where it has a memory, a spring of the bed's shear stiffness holds a node where it grips and
slips when its force reaches the coefficient times the normal force (:func:`grip_pull`); the grip moves once per
accepted step (:func:`moved_grip`). Without a memory it depends on the speed of sliding (:func:`contact`), and what is
pulled steadily creeps.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Records, put, records
from ropewalk.numerics.blockelimination import (
    FUSED,
    UNCOUNTED,
    ZERO9,
    add3,
    add9,
    dot,
    outer,
    plus_unit,
    row_onto,
    scale3,
    scale9,
    sub3,
    sub9,
)
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import any_of, where
from ropewalk.physics.terrain import Terrain, relief, reliefs

BED = np.dtype(
    [
        ("normal", "f8", (3,)),  # unit, out of the soil
        ("level", "f8"),  # b of the plane, m
        ("stiffness", "f8"),  # normal, N/m3 (Pa per metre of penetration)
        ("damping", "f8"),  # normal, N s/m3
        ("friction", "f8"),  # coefficient of friction without memory
        ("ramp", "f8"),  # m of penetration over which the damping grows to its full value
        ("slip", "f8"),  # m/s: sliding speed at which friction without memory has 1/sqrt(2) of its full value
        ("shear", "f8"),  # N/m3, with which friction with a memory holds before it slips
    ],
    align=True,
)


class Bed(NamedTuple):
    """The bed as kernels read it."""

    law: Records  # (1,) of BED
    x: Array  # of `physics.terrain.Terrain`, without entries for a plane
    y: Array
    table: Array


# Damping that switches on at contact makes the force jump with the speed of touchdown, and Newton fails.
DAMPING_RAMP = 0.03  # m
# A speed far below that of a line in waves, far above that of a line creeping to rest.
SLIP_SPEED = 0.01  # m/s


def build_bed(sea: Any) -> Bed:
    """From a `model.environment.Sea`."""
    bed = records(1, BED)
    depth = sea.depth if sea.has_seabed and math.isfinite(sea.depth) else 0.0
    normal = sea.bed_normal / np.linalg.norm(sea.bed_normal)
    put(
        bed, normal=normal, level=-depth * normal[2], stiffness=sea.bed_stiffness, damping=sea.bed_damping,
        friction=sea.bed_friction, ramp=DAMPING_RAMP, slip=SLIP_SPEED, shear=sea.bed_shear,
    )  # fmt: skip
    return Bed(bed, *sea.bed_terrain)


def heights_over(bed: Bed, r: Array) -> tuple[Array, Array]:
    """Unit normals (n, 3) of the bed under places r (n, 3), m, and their heights over it (n,), m; as `ground`."""
    if not bed.x.size:
        normal = bed.law.normal[0]
        return np.broadcast_to(normal, np.shape(r)), r @ normal - bed.law.level[0]
    z, zx, zy = reliefs(Terrain(bed.x, bed.y, bed.table), r[..., 0], r[..., 1])
    s = 1.0 / np.sqrt(1.0 + zx**2 + zy**2)
    return s[..., None] * np.stack([-zx, -zy, np.ones_like(zx)], axis=-1), s * (r[..., 2] - z)


def rest_pressure(bed: Bed, depth: Array) -> Array:
    """Pressure (Pa) of the bed at rest at depths (m) in it, negative above it; as `pressure`."""
    p: Array = bed.law.stiffness[0] * np.maximum(depth, 0.0)
    return p


@kernel(separate=True, fastmath=FUSED, **UNCOUNTED)
def _tangent_plane(bed, x):
    r"""Unit normal of a bed on a grid under x, and the height (m) of x above the plane that touches the bed there.

    .. math:: n = s\,(-z_x,\, -z_y,\, 1), \qquad h = s\,(x_3 - z), \qquad s = (1 + z_x^2 + z_y^2)^{-1/2}

    Source: docs/theory/morison.md, Seabed.    bed : `Bed`    x : 3 numbers, m
    """
    z, zx, zy, _, _, _ = relief(x[0], x[1], bed.x, bed.y, bed.table)
    s = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    return (-s * zx, -s * zy, s), s * (x[2] - z)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def ground(bed, x):
    """Unit normal of the bed under x, 3 numbers, and the height of x above it (m): h = n . x - b for a plane.

    Source: docs/theory/morison.md, Seabed; a bed on a grid by :func:`_tangent_plane`.    bed : `Bed`    x : m
    """
    if bed.x.size > 0:
        return _tangent_plane(bed, x)
    law = bed.law[0]
    n = (law.normal[0], law.normal[1], law.normal[2])
    return n, dot(n, x) - law.level


@kernel(separate=True, fastmath=FUSED, **UNCOUNTED)
def _bend(bed, x):
    r"""Derivative of the normal by the place, 9 numbers (1/m).

    Source: derivative of the normal in docs/theory/morison.md, Seabed.    bed : `Bed`    x : 3 numbers, m

    .. math:: \frac{\partial n}{\partial x_j} = -s\,(z_{xj},\, z_{yj},\, 0) - s^2 (z_x z_{xj} + z_y z_{yj})\, n,
              \qquad s = (1 + z_x^2 + z_y^2)^{-1/2}
    """
    _, zx, zy, zxx, zxy, zyy = relief(x[0], x[1], bed.x, bed.y, bed.table)
    s = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    n = (-s * zx, -s * zy, s)
    p, q = s * s * (zx * zxx + zy * zxy), s * s * (zx * zxy + zy * zyy)
    return (
        -s * zxx - p * n[0], -s * zxy - q * n[0], 0.0, -s * zxy - p * n[1], -s * zyy - q * n[1], 0.0,
        -p * n[2], -q * n[2], 0.0,
    )  # fmt: skip


@kernel(forceinline=True, **UNCOUNTED)
def bend(bed, x):
    """As :func:`_bend`, and 0 for a plane."""
    if bed.x.size > 0:
        return _bend(bed, x)
    return ZERO9


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def penetration(bed, x, radius):
    """Depth (m) of the underside of a line at x in the bed, a - h; negative above it.

    Source: docs/theory/morison.md, Seabed: delta = a - h.

    bed : `Bed`    x : 3 numbers, m    radius : a, from the line's centre to its underside, m
    """
    return radius - ground(bed, x)[1]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pressure(bed, delta, rate):
    r"""Pressure (Pa) of the bed on what sinks into it, and its derivatives by depth and by rate of sinking.

    .. math:: p = \max\left(0,\; k \delta + c\, s(\delta/\varepsilon)\, \dot\delta\right), \qquad
              s(u) = u^2 (3 - 2u) \text{ on } [0, 1]

    Source: linear spring and damper as in [Hall2015]; the ramp s and the limit at 0 are ours. The bed never pulls.
    Continuous in depth and rate; the derivatives jump where contact and suction begin.

    bed : of `Bed`    delta : penetration, m    rate : of penetration, m/s
    """
    if not any_of(delta > 0.0):
        return 0.0, 0.0, 0.0
    law = bed.law[0]
    u = min(delta / law.ramp, 1.0)
    damping = law.damping * u * u * (3.0 - 2.0 * u)
    p = law.stiffness * delta + damping * rate
    by_depth = law.stiffness + law.damping * 6.0 * u * (1.0 - u) / law.ramp * rate
    acts = (delta > 0.0) & (p > 0.0)
    return where(acts, p, 0.0), where(acts, by_depth, 0.0), where(acts, damping, 0.0)


@kernel(fastmath=FUSED, **UNCOUNTED)
def contact(bed, x, v, friction, area, radius):
    r"""Force of the bed (N) with friction that depends on speed, and its derivatives by position and velocity.

    .. math:: f = p\, A \left(n - \mu \frac{v_t}{q}\right), \qquad v_t = v - (v \cdot n)\, n, \quad
              q = \sqrt{|v_t|^2 + v_s^2}

    .. math::
        \frac{\partial f}{\partial x} = -p_\delta A\, m\, n^T + p A\, \frac{\partial n}{\partial x}, \qquad
        \frac{\partial f}{\partial v} = -p_{\dot\delta} A\, m\, n^T
        - \frac{\mu p A}{q}\left(I - n n^T - \frac{v_t v_t^T}{q^2}\right), \qquad m = n - \mu v_t / q

    Source: Coulomb friction made smooth at rest; it holds nothing in place without sliding.

    On a relief it leaves out how friction turns with the normal.

    bed : of `Bed`    x, v : m, m/s    friction : coefficient    area : of contact, m2 (per length: the width, m)
    radius : from the centre to the underside, m; 0 if the centre line lies on the bed
    Returns f, and both matrices of 9 numbers.
    """
    n, height = ground(bed, x)
    vn = dot(n, v)
    p, by_depth, by_rate = pressure(bed, radius - height, -vn)
    vt = add3(v, scale3(-vn, n))
    slip = bed.law[0].slip
    q = np.sqrt(dot(vt, vt) + slip * slip)
    mu = friction / q
    slide = area * p * mu
    m = scale3(area, add3(n, scale3(-mu, vt)))
    across = add3(scale3(slide, n), scale3(-by_rate, m))
    by_v = plus_unit(add9(outer(across, n), scale9(slide / (q * q), outer(vt, vt))), -slide)
    by_x = scale9(-by_depth, outer(m, n))
    if p > 0.0:
        by_x = add9(by_x, scale9(p * area, bend(bed, x)))
    return scale3(p, m), by_x, by_v


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def press(bed, surface, v, area, radius, gp):
    r"""Normal force of the bed (N), and its increase per metre into the bed (N/m) for Newton's method.

    .. math:: N = p A, \qquad \frac{dN}{d\delta} = A \left(p_\delta + \gamma' p_{\dot\delta}\right)

    Source: :func:`pressure`, docs/theory/morison.md, Seabed. For a node on its way down the slope is at least that of
    the chord p/delta.

    bed : `Bed`    surface : of :func:`ground`    v : m/s    area : of contact, m2    radius : m
    gp : dv/dr of the time step, 1/s
    """
    n, height = surface
    delta, rate = radius - height, -dot(n, v)
    p, by_depth, by_rate = pressure(bed, delta, rate)
    slope = by_depth + gp * by_rate
    # Beyond the ramp of the damping the tangent of a node coming down points above the bed, where nothing holds it:
    # Newton would turn in circles. The chord to the point of first contact does not.
    slope = where((rate > 0.0) & (delta > 0.0), max(slope, p / delta), slope)
    return p * area, area * slope


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def slid(n, x, hold):
    r"""Displacement along the bed from where a node grips it (m), and its length.

    .. math:: d = (1 - n n^T)(r - r_\mathrm{grip})

    Source: docs/theory/morison.md, Friction.    n : the bed's normal    x, hold : r and its grip, m
    """
    d = sub3(x, hold)
    d = add3(d, scale3(-dot(d, n), n))
    return d, np.sqrt(dot(d, d))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def grip_pull(k, n, d, length, pushed, friction):
    r"""Friction force with a memory (N), and minus its derivative with respect to position.

    .. math:: f = -\min\left(k,\ \frac{\mu N}{|d|}\right) d

    Source: elastic-plastic law of docs/theory/morison.md, Friction.

    k : shear stiffness, N/m    n : the bed's normal    d, length : of :func:`slid`    pushed : of :func:`press`
    friction : coefficient
    """
    N, slope = pushed
    across = plus_unit(scale9(-1.0, outer(n, n)), 1.0)
    slips = k * length > friction * N
    if not any_of(slips):
        return scale3(-k, d), scale9(k, across)
    e = scale3(where(slips, 1.0 / length, 0.0), d)
    hold = where(slips, friction * N / length, k)
    by_depth = outer(scale3(friction, e), row_onto(n, scale9(slope, outer(n, n))))
    along = outer(scale3(where(slips, hold, 0.0), e), e)
    return scale3(-hold, d), sub9(sub9(scale9(hold, across), along), by_depth)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def moved_grip(bed, x, v, hold, friction, radius):
    r"""Grip of a node after an accepted step (m): at the node itself off the bed, dragged behind it where it slips.

    .. math:: r_\mathrm{grip} = r - \frac{\mu p}{k_t} \frac{d}{|d|} \quad \text{where } |d| > \frac{\mu p}{k_t}

    Source: return to the limit of the law of docs/theory/morison.md, Friction.

    bed : `Bed`    x, v : position and velocity of the node, m, m/s    hold : its grip so far, m
    friction : coefficient    radius : from the centre to the underside, m
    """
    n, height = ground(bed, x)
    delta, keep = radius - height, 0.0
    if delta > 0.0:
        keep = friction * pressure(bed, delta, -dot(n, v))[0] / bed.law[0].shear
    return dragged(n, x, hold, keep)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def dragged(n, x, hold, keep):
    r"""Grip (m) that is no farther than `keep` (m) behind its node, along the bed.

    .. math:: r_\mathrm{grip} = r - q \frac{d}{|d|} \quad \text{where } |d| > q

    Source: return to the limit of the law of docs/theory/morison.md, Friction; q is `keep`.

    n : the bed's normal    x, hold : the node, and its grip so far, m
    """
    d, length = slid(n, x, hold)
    if length <= keep:
        return hold
    return add3(x, scale3(-keep / length, d))
