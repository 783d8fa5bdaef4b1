"""Loads and inertia of rigid bodies for the mixed elements: one 6 x 6 block per body, with its right-hand side."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.bodies import (
    ADDED_ACROSS,
    ADDED_ALONG,
    BODY_MASS,
    BODY_VOLUME,
    CENTRE,
    DRAG_ACROSS,
    DRAG_ALONG,
    FOOT,
    FOOT_STOP,
    HAS_MATRICES,
    HULL,
    INERTIA,
    IS_FREE,
    LOAD_AT,
    LOAD_FORCE,
    LOAD_MOMENT,
    PROFILE,
    PROFILE_STOP,
    REACH,
    SIZE,
    SPHERE,
    STRIP,
    STRIP_STOP,
    WEIGHT_SCALE,
    WIND_DRAG,
)
from ropewalk.assembly.body_bed import add_feet
from ropewalk.assembly.body_matrices import add_matrices
from ropewalk.model.bodies import HULL_AXISYMMETRIC, HULL_NONE, HULL_SPHERE
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED, ZERO3, add3, dot, onto, scale3
from ropewalk.numerics.compile import kernel
from ropewalk.physics import hydrostatics
from ropewalk.physics.current import current
from ropewalk.physics.hull_loads import (
    ACROSS,
    RADIUS,
    STRIP_VOLUME,
    THICK,
    WATER0,
    WATER1,
    WET,
    WIND,
    ZETA,
    add_strips,
    buoyancy_terms,
    cap_depth,
    centre_pressure,
    drag_terms,
    force_terms,
    inertia_of_water,
    point_terms,
    pressure_gradient,
    sphere_share,
    surface_plane,
    uneven_water,
    wall_cut,
    wet_share,
)
from ropewalk.physics.rigidbody import add_column, arm_rates, attitude, inertia_terms
from ropewalk.physics.waves import COLUMNS, STRETCHING_WHEELER, kinematics_at
from ropewalk.physics.wind import wind

STATIC_FLOOR = 1e-6  # of weight over size: stiffness added in statics, so that a free drift or yaw has a pivot


@kernel(forceinline=True)
def body_rows(k, mesh):
    """Rows of body k: of its position and of its rotation."""
    n_junctions = mesh.motion.size
    n_bodies = mesh.bodies.table.shape[0]
    return mesh.s.size + n_junctions - n_bodies + k, mesh.s.size + n_junctions + k


@kernel(forceinline=True)
def three(a, n):
    """Row n of an array as a tuple."""
    return a[n, 0], a[n, 1], a[n, 2]


@kernel(forceinline=True)
def three_of(X, c, n):
    """Row n of X[c] as a tuple; no view is made, whose references the compiler would count."""
    return X[c, n, 0], X[c, n, 1], X[c, n, 2]


@kernel(forceinline=True)
def body_motion(k, X, mesh):
    """World attitude R, map Z of physics/rigidbody.py, angular velocity and acceleration in the world."""
    return turn_motion(k, body_rows(k, mesh)[1], X, mesh.bodies.memory.attitude)


@kernel(forceinline=True)
def turn_motion(k, turn, X, start):
    """As `body_motion`, from the row of the rotation and the attitudes at the start of the step."""
    R, Z = attitude((start[k, 0], start[k, 1], start[k, 2], start[k, 3]), three_of(X, 0, turn))
    return R, Z, onto(R, three_of(X, 1, turn)), onto(R, three_of(X, 2, turn))


@kernel
def _water_at_point(x, t, sea, out):
    """Water (columns of physics/waves.py) with the current at one point x (3,)."""
    for c in range(COLUMNS):
        out[c] = 0.0
    if sea.wave.shape[1] > 0:
        kinematics_at(sea.wave, x, t, sea.depth, STRETCHING_WHEELER, 1.0, out[:COLUMNS])
    if sea.current_speed > 0.0:
        ux, uy, uz = current(
            x[2], sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth,
            sea.current_table,
        )  # fmt: skip
        out[0] += ux
        out[1] += uy
        out[2] += uz


@kernel(**COUNTED)
def water_on_bodies(X, t, sea, mesh):
    """Surface plane, water, wet shares and wind of all hulls at their places in X and time t."""
    bodies = mesh.bodies
    index, data, strip, memory = bodies.table, bodies.data, bodies.strip, bodies.memory
    at = np.zeros(3)
    for k in range(index.shape[0]):
        if index[k, IS_FREE] == 0 or index[k, HULL] == HULL_NONE:
            continue
        row, _ = body_rows(k, mesh)
        x = three(X[0], row)
        R = body_motion(k, X, mesh)[0]
        plane = memory.plane[k]
        surface_plane(sea.wave, x[0], x[1], t, plane)
        up = (plane[0], plane[1], plane[2])
        axis = (R[2], R[5], R[8])
        cosine = dot(axis, up)
        is_sphere = index[k, HULL] == HULL_SPHERE
        displaced = memory.displaced[k]
        for p in range(displaced.size):
            displaced[p] = 0.0
        for i in range(index[k, STRIP], index[k, STRIP_STOP]):
            arm = (
                onto(R, (data[k, SPHERE], data[k, SPHERE + 1], data[k, SPHERE + 2]))
                if is_sphere
                else scale3(strip[i, ZETA], axis)
            )
            for p in range(3):
                at[p] = x[p] + arm[p]
            height = up[0] * (at[0] - plane[3]) + up[1] * (at[1] - plane[4]) + up[2] * (at[2] - plane[5])
            water = memory.water[i]
            if is_sphere:
                share = sphere_share(height, data[k, SPHERE + 3])
            else:
                share = wet_share(height, strip[i, THICK], strip[i, RADIUS], cosine)
            if sea.water_density <= 0.0:
                share = 0.0
            water[WET] = share
            if share > 0.0:
                if is_sphere:
                    depth = cap_depth(height, data[k, SPHERE + 3])
                    for p in range(3):
                        at[p] -= depth * up[p]
                _water_at_point(at, t, sea, water)
                mass = sea.water_density * share * strip[i, STRIP_VOLUME]
                zeta = strip[i, ZETA]
                displaced[0] += mass
                displaced[1] += mass * zeta
                displaced[2] += mass * zeta * zeta
                displaced[ACROSS] += 0.25 * mass * strip[i, RADIUS] ** 2
                for p in range(3):
                    displaced[WATER0 + p] += mass * water[3 + p]
                    displaced[WATER1 + p] += mass * zeta * water[3 + p]
            if share < 1.0:
                water[WIND], water[WIND + 1], water[WIND + 2] = wind(height, sea.wind_speed, sea.wind_heading)
        uneven_water(k, memory.displaced)


@kernel(forceinline=True, **UNCOUNTED)
def _strips(k, x_rates, t, table, data, strip, water, displaced, rho, sums):
    """Morison and wind forces of the strips of body k into the sums.

    x_rates : velocity and acceleration of the origin, angular velocity and acceleration; tuples    t : axis
    """
    v, a, omega, alpha = x_rates
    first, stop = table[k, STRIP], table[k, STRIP_STOP]
    spin, bend = arm_rates(t, omega, alpha)
    mass = displaced[k, 0]
    if mass > 0.0:
        inertia_of_water(t, a, bend, k, displaced, data[k, ADDED_ACROSS], data[k, ADDED_ALONG], sums)
    across, along, in_wind = 0.5 * rho * data[k, DRAG_ACROSS], 0.0, data[k, WIND_DRAG]
    if data[k, DRAG_ALONG] > 0.0 and mass > 0.0:
        largest = 0.0
        for i in range(first, stop):
            largest = max(largest, water[i, WET] * np.pi * strip[i, RADIUS] ** 2)
        along = 0.5 * rho * data[k, DRAG_ALONG] * largest * rho / mass
    if across == 0.0 and along == 0.0 and in_wind == 0.0:
        return
    for i in range(first, stop):
        zeta, width, wet = strip[i, ZETA], 2.0 * strip[i, RADIUS] * strip[i, THICK], water[i, WET]
        vs = add3(v, scale3(zeta, spin))
        if wet > 0.0:
            u = (water[i, 0] - vs[0], water[i, 1] - vs[1], water[i, 2] - vs[2])
            drag_terms(t, u, across * width * wet, along * wet * strip[i, STRIP_VOLUME], zeta, sums)
        if wet < 1.0 and in_wind > 0.0:
            u = (water[i, WIND] - vs[0], water[i, WIND + 1] - vs[1], water[i, WIND + 2] - vs[2])
            drag_terms(t, u, in_wind * width * (1.0 - wet), 0.0, zeta, sums)


@kernel(**UNCOUNTED)
def _sphere(k, x_rates, arm, i, data, water, rho, sums):
    """Forces on the sphere of body k into the sums; arguments as `_strips`, arm : of its centre, world, m.

    i : row of the sphere in water
    """
    v, a, omega, alpha = x_rates
    radius, wet = data[k, SPHERE + 3], water[i, WET]
    dv, da = arm_rates(arm, omega, alpha)
    vs, acceleration = add3(v, dv), add3(a, da)
    disc, displaced = np.pi * radius**2, rho * 4.0 / 3.0 * np.pi * radius**3 * wet
    zeta = np.sqrt(dot(arm, arm))
    if wet > 0.0:
        aw = (water[i, 3], water[i, 4], water[i, 5])
        u = (water[i, 0] - vs[0], water[i, 1] - vs[1], water[i, 2] - vs[2])
        relative = (aw[0] - acceleration[0], aw[1] - acceleration[1], aw[2] - acceleration[2])
        added = data[k, ADDED_ACROSS] * displaced
        point_terms(u, relative, 0.5 * rho * data[k, DRAG_ACROSS] * disc * wet, added, zeta, sums)
    if wet < 1.0 and data[k, WIND_DRAG] > 0.0:
        u = (water[i, WIND] - vs[0], water[i, WIND + 1] - vs[1], water[i, WIND + 2] - vs[2])
        point_terms(u, ZERO3, data[k, WIND_DRAG] * disc * (1.0 - wet), 0.0, zeta, sums)


@kernel(**COUNTED)
def _cut_profile(first, stop, profile, axis, up, height, cut):
    """Cut of the hull of revolution in rows first to stop of the profiles, by quadrature; tuples axis and up."""
    hydrostatics.axisymmetric(profile[first:stop], np.array(axis), np.array(up), height, cut)


@kernel(**COUNTED)
def _cut_sphere(arm, radius, up, height, cut):
    """Cut of a sphere; tuples arm and up."""
    hydrostatics.sphere(np.array(arm), radius, np.array(up), height, cut)
    centre_pressure(cut, arm)


@kernel(forceinline=True, **UNCOUNTED)
def add_hull(k, x, x_rates, R, Z, table, data, profile, strip, plane, water, displaced, cut, sums, rho, g, bp, gp,
             block):  # fmt: skip
    """Adds buoyancy, Morison and wind forces of the hull of body k to its block.

    table to sums : of mixed_body_arrays.py
    """
    _, _, omega, alpha = x_rates
    axis = (R[2], R[5], R[8])
    up = (plane[k, 0], plane[k, 1], plane[k, 2])
    height = up[0] * (x[0] - plane[k, 3]) + up[1] * (x[1] - plane[k, 4]) + up[2] * (x[2] - plane[k, 5])
    for i in range(sums.size):
        sums[i] = 0.0
    if table[k, HULL] == HULL_AXISYMMETRIC:
        if rho > 0.0:
            i, j = table[k, PROFILE], table[k, PROFILE_STOP]
            radius = profile[i, 1]
            is_wall = j - i == 2 and radius == profile[i + 1, 1]
            if not (is_wall and wall_cut(profile[i, 0], profile[i + 1, 0], radius, axis, up, height, cut)):
                _cut_profile(i, j, profile, axis, up, height, cut)
            buoyancy_terms(cut, up, pressure_gradient(k, displaced, rho, g), block)
        _strips(k, x_rates, axis, table, data, strip, water, displaced, rho, sums)
        add_strips(sums, axis, axis, omega, alpha, Z, bp, gp, block)
        return
    _add_sphere(k, height, x_rates, R, Z, up, table[k, STRIP], data, water, displaced, cut, sums, rho, g, bp, gp, block)


@kernel(**UNCOUNTED)
def _add_sphere(k, height, x_rates, R, Z, up, i, data, water, displaced, cut, sums, rho, g, bp, gp, block):
    """As `add_hull`, for a sphere.  height : of the origin above the water, m    i : row of the sphere in water"""
    _, _, omega, alpha = x_rates
    axis = (R[2], R[5], R[8])
    arm = onto(R, (data[k, SPHERE], data[k, SPHERE + 1], data[k, SPHERE + 2]))
    if rho > 0.0:
        _cut_sphere(arm, data[k, SPHERE + 3], up, height, cut)
        buoyancy_terms(cut, up, pressure_gradient(k, displaced, rho, g), block)
    _sphere(k, x_rates, arm, i, data, water, rho, sums)
    length = np.sqrt(dot(arm, arm))
    direction = scale3(1.0 / length, arm) if length > 0.0 else axis
    add_strips(sums, axis, direction, omega, alpha, Z, bp, gp, block)


@kernel(forceinline=True)
def is_near_bed(k, x, plane, data):
    """True if feet of body k may touch the bed.  x : tuple, m    plane : of the bed"""
    return plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] - plane[3] < data[k, REACH]


@kernel
def on_bed(k, x, x_rates, R, Z, plane, table, data, foot, bed_law, scratch, gp, block):
    """Adds the forces of the bed on body k to its block if it is near; returns the power lost to it (W).

    plane : of the bed, `Mesh.bed`    table to scratch : of mixed_body_arrays.py
    """
    if not is_near_bed(k, x, plane, data):
        return 0.0
    feet = foot[table[k, FOOT] : table[k, FOOT_STOP]]
    return add_feet(feet, x, x_rates, R, Z, plane[:4], bed_law, gp, scratch, block)


@kernel(forceinline=True)
def body_inertia(k, data):
    """Mass, centre of mass and inertia about the origin of body k, in its frame."""
    j = INERTIA
    J = (
        data[k, j], data[k, j + 1], data[k, j + 2], data[k, j + 3], data[k, j + 4], data[k, j + 5], data[k, j + 6],
        data[k, j + 7], data[k, j + 8],
    )  # fmt: skip
    return data[k, BODY_MASS], (data[k, CENTRE], data[k, CENTRE + 1], data[k, CENTRE + 2]), J


@kernel(forceinline=True)
def body_block(k, X, flow, mesh, rho, g, bp, gp):
    """Inertia minus forces of body k, apart from its lines, and the derivative, into memory.block (6, 7)."""
    bodies, memory = mesh.bodies, mesh.bodies.memory
    row, turn = body_rows(k, mesh)
    fill_block(
        k, row, turn, X, flow, bodies.table, bodies.data, bodies.matrix, bodies.profile, bodies.strip, bodies.foot,
        bodies.bed_law, mesh.bed, memory.attitude, memory.plane, memory.water, memory.displaced, memory.cut,
        memory.sums, memory.bed, mesh.mass_damping, rho, g, bp, gp, memory.block,
    )  # fmt: skip


@kernel(**COUNTED)
def _add_rare(k, turn, X, x, rates, R, Z, table, data, matrix, foot, bed_law, bed, start, scratch, bp, gp, block):
    """What few bodies have, apart from `fill_block`, which must not make arrays."""
    if table[k, HAS_MATRICES] == 1:
        add_matrices(x, rates, R, Z, X[0, turn], data[k], matrix[k], start[k], bp, gp, block)
    on_bed(k, x, rates, R, Z, bed, table, data, foot, bed_law, scratch, gp, block)


@kernel(forceinline=True, **UNCOUNTED)
def fill_block(k, row, turn, X, flow, table, data, matrix, profile, strip, foot, bed_law, bed, start, plane, water,
               displaced, cut, sums, scratch, damping, rho, g, bp, gp, block):  # fmt: skip
    """As `body_block`, for arrays, to which references are not counted: that took as long as the block itself.

    row, turn : of the body's position and rotation    start : attitudes at the start of the step
    """
    for i in range(6):
        for j in range(7):
            block[i, j] = 0.0
    R, Z, omega, alpha = turn_motion(k, turn, X, start)
    x, v, a = three_of(X, 0, row), three_of(X, 1, row), three_of(X, 2, row)
    rates = (v, a, omega, alpha)
    m, centre, J = body_inertia(k, data)
    inertia_terms(m, centre, J, v, a, omega, alpha, R, Z, damping, bp, gp, block)
    force_terms((0.0, 0.0, -m * g), onto(R, centre), block)
    pull = (data[k, LOAD_FORCE], data[k, LOAD_FORCE + 1], data[k, LOAD_FORCE + 2])
    force_terms(pull, onto(R, (data[k, LOAD_AT], data[k, LOAD_AT + 1], data[k, LOAD_AT + 2])), block)
    add_column(block, 3, (-data[k, LOAD_MOMENT], -data[k, LOAD_MOMENT + 1], -data[k, LOAD_MOMENT + 2]))
    if table[k, HULL] != HULL_NONE:
        add_hull(
            k, x, rates, R, Z, table, data, profile, strip, plane, water, displaced, cut, sums, rho, g, bp, gp, block
        )
    elif data[k, BODY_VOLUME] > 0.0 and rho > 0.0:
        mass = rho * data[k, BODY_VOLUME]
        add_column(block, 0, (-mass * flow[row, 3], -mass * flow[row, 4], -mass * (g + flow[row, 5])))
    if table[k, HAS_MATRICES] == 1 or is_near_bed(k, x, bed, data):
        _add_rare(k, turn, X, x, rates, R, Z, table, data, matrix, foot, bed_law, bed, start, scratch, bp, gp, block)
    if gp == 0.0:
        floor = STATIC_FLOOR * data[k, WEIGHT_SCALE] / data[k, SIZE]
        for i in range(3):
            block[i, i] += floor
            block[3 + i, 3 + i] += floor * data[k, SIZE] ** 2
