r"""Hulls cut by the surface: tangent plane of a wave, displaced volume, lift and its derivatives.

The wave surface is replaced by its tangent plane at the hull. Under it the pressure gradient is
:math:`-\rho (g e_z + \dot u)`: with the mean :math:`\dot u` of the displaced water it acts on the exactly cut volume,
buoyancy and Froude-Krylov force in one. The plane is that at the predicted position of a step; what depends on the
body's motion within the step has exact derivatives, by position and world rotation of the body, see
physics/rigidbody.py.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_SPHERE
from ropewalk.numerics.blockelimination import (
    COUNTED,
    FUSED,
    UNCOUNTED,
    add3,
    onto,
)
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.waves import surface

UPRIGHT = 0.2  # cosine of the tilt, below which a cylinder is not taken as cut through its wall alone
UP = (0.0, 0.0, 1.0)

# water about a hull, filled by `water_on_hull` of loads/hull.py
HULL_WATER = np.dtype(
    [
        ("up", "f8", (3,)),  # unit normal of the surface's tangent plane
        ("point", "f8", (3,)),  # of that plane, m
        ("mass", "f8", (3,)),  # displaced by the wet strips, by powers 0, 1, 2 of their height: kg, kg m, kg m2
        ("force", "f8", (3,)),  # that times the water's acceleration, N
        ("moment", "f8", (3,)),  # and times the height, N m
        ("across", "f8"),  # displaced mass times a quarter of the radius squared, kg m2
        ("rest", "f8", (3,)),  # what the mean acceleration leaves of the moment, over the axis, N m; by `uneven_water`
    ],
    align=True,
)


@kernel(forceinline=True, **UNCOUNTED)
def vector(a):
    """Three numbers of an array as a tuple. Bookkeeping."""
    return a[0], a[1], a[2]


@kernel(**COUNTED)
def surface_plane(wave, x, y, t, around):
    r"""Tangent plane of the wave surface over (x, y), m, at time t (s): fills `up` and `point` of HULL_WATER.

    .. math:: n = \frac{(-\eta_x,\, -\eta_y,\, 1)}{\sqrt{1 + \eta_x^2 + \eta_y^2}} \quad \text{through } (x, y, \eta)

    Source: docs/theory/bodies.md, Buoyancy.    wave : wave table    around : record of HULL_WATER
    """
    around.up[0], around.up[1], around.up[2] = 0.0, 0.0, 1.0
    around.point[0], around.point[1], around.point[2] = x, y, 0.0
    if wave.shape[1] == 0:
        return
    eta, eta_x, eta_y, _ = surface(wave, x, y, t, 1.0)
    norm = 1.0 / np.sqrt(1.0 + eta_x * eta_x + eta_y * eta_y)
    around.up[0], around.up[1], around.up[2] = -eta_x * norm, -eta_y * norm, norm
    around.point[2] = eta


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def height_over_plane(x, around):
    """Height (m) of x above the tangent plane of the surface, along its normal: h = n . (x - p), docs/theory/bodies.md.

    x : 3 numbers, m    around : record of HULL_WATER
    """
    up, point = around.up, around.point
    return up[0] * (x[0] - point[0]) + up[1] * (x[1] - point[1]) + up[2] * (x[2] - point[2])


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pressure_gradient(around, fluid):
    r"""Minus the mean pressure gradient in the water that a hull displaces, :math:`\rho (g e_z + \bar u)`, N/m3.

    Source: docs/theory/bodies.md, Froude-Krylov force: w = rho (g e_z + mean acceleration of the displaced water).

    around : record of HULL_WATER    fluid : rho, g; kg/m3, m/s2
    """
    rho, g = fluid
    mass = around.mass[0]
    f = rho / mass if mass > 0.0 else 0.0
    return f * around.force[0], f * around.force[1], rho * g + f * around.force[2]


@kernel(forceinline=True, **UNCOUNTED)
def centre_pressure(cut, centre):
    r"""Moves the volume and the waterplane of a sphere's cut to its centre, through which all pressure on it acts.

    .. math:: m = V e, \qquad \int p\,dA = A e, \qquad \int p p^T dA = A\, e e^T

    Source: docs/theory/bodies.md, Froude-Krylov force.

    cut : (1,) of CUT of physics/hydrostatics.py    centre : e, from the body's origin, world, m
    """
    own = cut[0]
    volume, area = own.volume, own.area
    for i in range(3):
        own.moment[i] = volume * centre[i]
        own.area_moment[i] = area * centre[i]
        for j in range(3):
            own.area_second[i, j] = area * centre[i] * centre[j]


@kernel(forceinline=True, **UNCOUNTED)
def wall_cut(bottom, top, radius, axis, up, height, cut):
    r"""Cut of a cylinder whose wall alone meets the plane, in closed form; returns False if a lid does.

    Source: volume and moments of a cylinder cut at a slant; docs/theory/hydrostatics.md.

    .. math::
        V = \pi r^2 (\zeta_c - \zeta_0), \quad \int \zeta\,dV = \frac{\pi r^2}{2} (\zeta_c^2 - \zeta_0^2)
        + \frac{\pi r^4}{8} \tan^2\theta, \quad \int q\,dV = -\frac{\pi r^4}{4} \tan\theta

    with the plane's height zeta_c on the axis and q across it. Twenty times faster than the quadrature.

    bottom, top, radius : m    axis, up, height, cut : as in `hydrostatics.axisymmetric`
    """
    c = axis[0] * up[0] + axis[1] * up[1] + axis[2] * up[2]
    if c <= UPRIGHT:
        return False
    n = (up[0] - c * axis[0], up[1] - c * axis[1], up[2] - c * axis[2])  # sin(theta) times the direction of q
    tangent = np.sqrt(max(0.0, 1.0 - c * c)) / c
    at = -height / c
    if at - radius * tangent < bottom or at + radius * tangent > top:
        return False
    area = np.pi * radius * radius
    fourth = 0.25 * area * radius * radius
    along = 0.5 * area * (at * at - bottom * bottom) + 0.5 * fourth * tangent * tangent
    cut[0].volume = area * (at - bottom)
    cut[0].area = area / c
    for i in range(3):
        cut[0].moment[i] = along * axis[i] - fourth / c * n[i]
        cut[0].area_moment[i] = area / c * at * axis[i]
        for j in range(3):
            # ellipse about its centre: r^2/4 (1 - axis axis^T) sheared into the plane, zeta = at - (n.p)/c
            same = 1.0 if i == j else 0.0
            own = same - axis[i] * axis[j] - (axis[i] * n[j] + n[i] * axis[j]) / c
            own += axis[i] * axis[j] * tangent * tangent
            cut[0].area_second[i, j] = area / c * at * at * axis[i] * axis[j] + fourth / c * own
    return True


@kernel(**COUNTED)
def _cut_profile(first, stop, profile, axis, up, height, cut):
    """Cut of the hull of revolution in rows first to stop of the profiles, by quadrature; tuples axis and up.

    As :func:`ropewalk.physics.hydrostatics.axisymmetric`.
    """
    hydrostatics.axisymmetric(profile[first:stop], np.array(axis), np.array(up), height, cut)


@kernel(**COUNTED)
def _cut_sphere(radius, up, height, cut):
    """As :func:`ropewalk.physics.hydrostatics.sphere`, about its centre; up : tuple"""
    hydrostatics.sphere(np.zeros(3), radius, np.array(up), height, cut)


@kernel(**UNCOUNTED)
def cut_hull(hull, R, up, height, profile, cut):
    """Cut of a hull by a plane about its own place, into cut (1,) of CUT: V, int p dV, and int (1, p, p p^T) dA.

    Source: docs/theory/hydrostatics.md; for a sphere V = pi/3 t^2 (3 R - t), t the draught. Zero for windage.

    hull : record    R : attitude    up : unit normal of the plane    height : of the hull's place above it, m
    profile : (m, 2) of all hulls
    """
    hydrostatics.clear_cut(cut)
    if hull.kind == HULL_SPHERE:
        _cut_sphere(hull.radius, up, height, cut)
    elif hull.kind == HULL_AXISYMMETRIC:
        i, j, axis = hull.profile, hull.profile_stop, onto(R, vector(hull.axis))
        radius = profile[i, 1]
        is_wall = j - i == 2 and radius == profile[i + 1, 1]
        if not (is_wall and wall_cut(profile[i, 0], profile[i + 1, 0], radius, axis, up, height, cut)):
            _cut_profile(i, j, profile, axis, up, height, cut)


@kernel(**UNCOUNTED)
def shift_cut(cut, e):
    r"""Makes the moments of a cut count from the body's origin, from which the hull's place is at the arm e (m, world).

    Source: parallel-axis (Steiner's) theorem.

    .. math:: m \to m + V e, \qquad \int p\,dA \to \int p\,dA + A e, \qquad
              \int p p^T dA \to \int p p^T dA + e\, s^T + s\, e^T + A e e^T, \quad s = \int p\,dA

    cut : (1,) of CUT of physics/hydrostatics.py
    """
    volume, area, first = cut[0].volume, cut[0].area, vector(cut[0].area_moment)
    for i in range(3):
        cut[0].moment[i] += volume * e[i]
        cut[0].area_moment[i] += area * e[i]
        for j in range(3):
            cut[0].area_second[i, j] += e[i] * first[j] + first[i] * e[j] + area * e[i] * e[j]


@kernel(**COUNTED)
def still_buoyancy(hull, x, R, fluid, profile, block):
    r"""Adds minus the buoyancy of a hull in still water, and its derivative, to its body's block.

    .. math:: F = \rho g V e_z, \qquad M = m \times \rho g\, e_z

    Source: docs/theory/hydrostatics.md, Force and stiffness.

    hull : record    x, R : position (m) and attitude of the body    fluid : rho, g    profile : (m, 2) of all hulls
    """
    e, cut = onto(R, vector(hull.place)), np.zeros(1, hydrostatics.CUT)
    cut_hull(hull, R, UP, x[2] + e[2], profile, cut)
    shift_cut(cut, e)
    hydrostatics.buoyancy_terms(cut, UP, (0.0, 0.0, fluid[0] * fluid[1]), block)


@kernel(**UNCOUNTED)
def buoyancy_in_waves(hull, pose, around, profile, fluid, cut, block):
    r"""Adds minus buoyancy and Froude-Krylov force of a hull in waves, and its derivative, to its body's block.

    .. math:: F = V w, \qquad M = m \times w, \qquad w = \rho (g\, e_z + \bar u)

    Source: docs/theory/bodies.md, Loads; the pressure on a sphere acts through its centre.

    hull : record    pose : position x (m) and attitude R of the body    around : record of HULL_WATER
    profile : (m, 2) of all hulls    fluid : rho, g    cut : (1,) of CUT, scratch    block : (6, 7) of the body
    """
    x, R = pose
    e, up = onto(R, vector(hull.place)), vector(around.up)
    cut_hull(hull, R, up, height_over_plane(add3(x, e), around), profile, cut)
    if hull.kind == HULL_SPHERE:
        centre_pressure(cut, e)
    else:
        shift_cut(cut, e)
    hydrostatics.buoyancy_terms(cut, up, pressure_gradient(around, fluid), block)
