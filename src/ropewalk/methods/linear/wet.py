"""All that the water drags and pushes, as members on one list: halves of elements, attachments, hulls, screens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, csr_matrix, vstack

from ropewalk.loads.cut import HULL_WATER, centre_pressure, pressure_gradient
from ropewalk.loads.float import radius_of, wet_sphere
from ropewalk.loads.hull import uneven_water
from ropewalk.loads.sea import current_here
from ropewalk.methods.linear.assembly import Assembled
from ropewalk.methods.linear.body import Hull
from ropewalk.methods.linear.drag import (
    NO_PANELS,
    Members,
    Panels,
    gaussian_drag,
    gaussian_drag_ball,
    gaussian_screens,
    harmonic_drag,
    harmonic_drag_ball,
    harmonic_screens,
    plain_members,
)
from ropewalk.methods.linear.screens import corners_of
from ropewalk.methods.linear.unknowns import Place, Unknowns
from ropewalk.model.arrays import Array, Flags, Records, records
from ropewalk.model.model import Model
from ropewalk.physics.rigidbody import arm_matrix
from ropewalk.physics.waves import (
    ACCELERATION,
    COLUMNS,
    ELEVATION,
    STRETCHING_NONE,
    VELOCITY,
    kinematics,
    wave_table,
    wavenumber,
)

Complex = NDArray[np.complex128]


class Wet(NamedTuple):
    """Members in water; h of them."""

    members: Members
    is_ball: Flags  # (h,) the same drag in all directions
    share: Array  # (h,) of the motion of waves that a member meets; less than 1 in the wake of a net
    added: Array  # (h, 3, 3) kg
    displaced: Array  # (h,) m3 of water; 0 for strips of hulls, whose volume is pressed as a whole
    place: Array  # (h, 3) m
    Q: csr_matrix  # (3 h, n) motion of the members by the unknowns
    Q_in: csr_matrix  # (3 h, n_inputs) and by the inputs
    panels: Panels  # the last of the members, which are screens


class _List:
    """Collects members."""

    def __init__(self) -> None:
        self.parts: list[tuple[Any, ...]] = []
        self.panels = NO_PANELS

    def add(self, members: Members, is_ball: bool, added: Array, displaced: Array, place: Array, Q: Any,
            Q_in: Any, share: Array | None = None) -> None:  # fmt: skip
        ball = np.full(members.normal.size, is_ball)
        share = np.ones(members.normal.size) if share is None else share
        self.parts.append((members, ball, share, added, displaced, place, Q, Q_in))

    def build(self, n: int, n_inputs: int) -> Wet:
        if not self.parts:
            none, blocks = np.zeros(0), np.zeros((0, 3, 3))
            members = plain_members(np.zeros((0, 3)), np.zeros((0, 3)), none, none)
            return Wet(members, np.zeros(0, dtype=bool), none, blocks, none, np.zeros((0, 3)), csr_matrix((0, n)),
                       csr_matrix((0, n_inputs)), NO_PANELS)  # fmt: skip
        members = Members(*(np.concatenate(field) for field in zip(*(part[0] for part in self.parts), strict=True)))
        ball, share, added, displaced, place = (np.concatenate([part[k] for part in self.parts]) for k in range(1, 6))
        Q, Q_in = (vstack([part[k] for part in self.parts], format="csr") for k in (6, 7))
        return Wet(members, ball, share, added, displaced, place, Q, Q_in, self.panels)


def wet_parts(model: Model, unknowns: Unknowns, place: Place, at: Assembled) -> Wet:
    """Every member in the water at rest."""
    found = _List()
    if model.sea.water_density > 0.0:
        _add_halves(found, unknowns, place, at)
        _add_lumps(found, model, unknowns, place, at)
        for k in range(len(model.names.bodies)):
            for hull in at.bodies[k].hulls:
                _add_hull(found, model, unknowns, place, hull, k)
        _add_screens(found, model, unknowns, place, at)
    return found.build(unknowns.size, unknowns.n_inputs)


def _rows(S: csr_matrix, nodes: Any) -> csr_matrix:
    return S[(3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()]


def _add_halves(found: _List, unknowns: Unknowns, place: Place, at: Assembled) -> None:
    local, element, first = at.local, unknowns.mesh.element, unknowns.first
    span = np.linalg.norm(place.r[first + 1] - place.r[first], axis=1)
    for side in range(2):
        wet = local.wet[:, side]
        e = np.flatnonzero(wet > 0.0)
        if e.size == 0:
            continue
        node, half = first[e] + side, 0.5 * span[e] * wet[e]
        displaced = element[e].half_volume * wet[e]
        width = element[e].drag_normal
        members = Members(local.flow[node], local.tangent[e], half * width, half * element[e].drag_tangential,
                          element[e].drag_law, width)  # fmt: skip
        found.add(members, False, local.M[e, side], displaced, place.r[node], _rows(at.S, node), _rows(at.S_in, node))


def _add_lumps(found: _List, model: Model, unknowns: Unknowns, place: Place, at: Assembled) -> None:
    node, wet = unknowns.mesh.node, at.local.node_wet
    rows = np.flatnonzero(wet > 0.0)
    if rows.size:
        share = wet[rows]
        drag = 0.5 * model.sea.water_density * node[rows].drag_area * share
        added = (node[rows].added * share)[:, None, None] * np.eye(3)
        upright = np.tile([0.0, 0.0, 1.0], (rows.size, 1))
        members = plain_members(at.local.flow[rows], upright, drag, np.zeros(rows.size))
        found.add(
            members, True, added, node[rows].volume * share, place.r[rows], _rows(at.S, rows), _rows(at.S_in, rows)
        )


def _add_hull(found: _List, model: Model, unknowns: Unknowns, place: Place, hull: Hull, k: int) -> None:
    strips, n = hull.strips, hull.strips.volume.size
    if n == 0:
        return
    sea = model.sea
    where = place.body_position[k] + hull.place + _water_arm(hull)
    flow = np.array([current_here(tuple(r), sea) for r in where]) * (sea.current_speed > 0.0)
    Q, Q_in = (
        csr_matrix(np.concatenate([arm_matrix(hull.place + arm) for arm in strips.arm])) @ _selection(columns, size)
        for columns, size in ((unknowns.body[k], unknowns.size), (unknowns.body_input[k], unknowns.n_inputs))
    )
    members = plain_members(flow, np.tile(hull.axis, (n, 1)), strips.drag_normal, strips.drag_axial)
    found.add(members, hull.is_ball, strips.added, np.zeros(n), where, Q, Q_in)


def _add_screens(found: _List, model: Model, unknowns: Unknowns, place: Place, at: Assembled) -> None:
    """Screens move as the mean of their corners; they come last."""
    if at.screens is None or not np.any(at.screens.wet):
        return
    own = unknowns.screen[at.screens.wet]
    n, corner, flow = own.size, own["corner"], at.screens.flow[at.screens.wet]
    four = corner >= 0
    row, column = 3 * np.nonzero(four)[0], 3 * corner[four]
    weight = np.repeat(1.0 / four.sum(axis=1), four.sum(axis=1))
    mean = sum(csr_matrix((weight, (row + p, column + p)), shape=(3 * n, at.S.shape[0])) for p in range(3))
    corners, none = corners_of(own, place.r), np.zeros(n)
    found.panels = Panels(own, corners, flow, model.sea.water_density)
    members = plain_members(flow, np.tile([0.0, 0.0, 1.0], (n, 1)), none, none)
    middle = (mean @ place.r.ravel()).reshape(n, 3)
    found.add(members, False, np.zeros((n, 3, 3)), none, middle, mean @ at.S, mean @ at.S_in, own["wake"])


def _selection(columns: Array, size: int) -> csr_matrix:
    """(6, size) that picks the body's six unknowns; rows of zeros where it has none."""
    used = np.flatnonzero(columns >= 0)
    return csr_matrix((np.ones(used.size), (used, columns[used])), shape=(6, size))


def drag_matrices(wet: Wet, *, amplitude: Any = None, covariance: Array | None = None) -> Array:
    """(h, 3, 3) linear drag (N s/m) for harmonic relative velocities, or Gaussian ones, of the members."""
    out: Array = np.zeros((wet.displaced.size, 3, 3))
    n = wet.panels.screen.size
    if n:  # the last rows, that are nothing as slender members
        moving = np.zeros((n, 3), dtype=complex) if amplitude is None else amplitude[-n:]
        by = (
            harmonic_screens(wet.panels, moving)
            if covariance is None
            else gaussian_screens(wet.panels, covariance[-n:])
        )
    for ball in (False, True):
        chosen = np.flatnonzero(wet.is_ball == ball)
        if chosen.size == 0:
            continue
        rows: list[Any] = [field[chosen] for field in wet.members]
        members = Members(*rows)
        if covariance is None:
            moving = np.zeros((chosen.size, 3), dtype=complex) if amplitude is None else amplitude[chosen]
            out[chosen] = (
                harmonic_drag_ball(members.flow, members.normal, moving) if ball else harmonic_drag(members, moving)
            )
        else:
            spread = covariance[chosen]
            out[chosen] = (
                gaussian_drag_ball(members.flow, members.normal, spread) if ball else gaussian_drag(members, spread)
            )
    if n:
        out[-n:] = by
    return out


def blocks(matrices: Array) -> csr_matrix:
    """Block-diagonal matrix of (h, 3, 3) blocks."""
    h = matrices.shape[0]
    if h == 0:
        return csr_matrix((0, 0))
    return bsr_matrix((matrices, np.arange(h), np.arange(h + 1)), shape=(3 * h, 3 * h)).tocsr()


class WaterMotion(NamedTuple):
    """Complex amplitudes of a wave of unit amplitude, with exp(-i omega t)."""

    velocity: Complex  # (h, 3) 1/s
    acceleration: Complex  # (h, 3) 1/s2
    elevation: Complex  # (h,)


def water_motion(omega: float, heading: float, depth: float, gravity: float, place: Array) -> WaterMotion:
    r"""Water motion at rest positions of members under a wave of unit amplitude, by the law of the time domain.

    With :math:`u = \mathrm{Re}(U e^{-i\omega t + i\varphi})` it is U = u at the phase 0, plus i times u at a quarter
    before it. Members above still water have the values at z = 0.

    omega : rad/s    heading : rad    depth : m or infinite    place : (h, 3) m
    """
    at = np.array(place, dtype=float)
    out = np.empty((2, at.shape[0], COLUMNS))
    for part, phase in zip(out, (0.0, -0.5 * np.pi), strict=True):
        wave = wave_table(1.0, omega, heading, phase, depth, gravity, stretching=STRETCHING_NONE)
        kinematics(wave, at, 0.0, depth, part)
    both = out[0] + 1j * out[1]
    velocity, acceleration = both[:, VELOCITY : VELOCITY + 3], both[:, ACCELERATION : ACCELERATION + 3]
    return WaterMotion(velocity, acceleration, both[:, ELEVATION])


def wave_force(model: Model, unknowns: Unknowns, place: Place, at: Assembled, wet: Wet, C: Array, omega: float,
               heading: float) -> tuple[Complex, Complex]:  # fmt: skip
    """Forces of a wave of unit amplitude over the unknowns (n,), and its velocity at the members (h, 3).

    Drag by the matrices C, added mass and Froude-Krylov force on every member; on hulls the lift under the tangent
    plane of the surface and the Froude-Krylov force on the volume as it is cut; on bodies without a hull that on their
    volume, and on foils lift and drag about the mean flow. Added mass that the file gives
    acts on the body's own acceleration only, as in the time domain.
    """
    sea = model.sea
    water = water_motion(omega, heading, sea.depth, sea.gravity, wet.place)
    rho = sea.water_density
    met = wet.share[:, None] * water.velocity
    force = np.einsum("hij,hj->hi", C, met) + np.einsum("hij,hj->hi", wet.added, water.acceleration)
    force += rho * wet.displaced[:, None] * water.acceleration
    total: Complex = np.asarray(wet.Q.T @ force.ravel())
    for k in np.flatnonzero(unknowns.body[:, 0] >= 0):
        origin = place.body_position[k]
        wrench = np.zeros(6, dtype=complex)
        for hull in at.bodies[k].hulls:
            push = _wave_on_hull(model, hull, origin + hull.place, omega, heading)
            wrench += push
            wrench[3:] += np.cross(hull.place, push[:3])
        for foil in at.bodies[k].foils:
            wrench += foil.by_flow @ water_motion(omega, heading, sea.depth, sea.gravity, foil.place[None]).velocity[0]
        volume = float(model.bodies.volume[k])
        share = wet_sphere(float(origin[2]), radius_of(volume))[0]
        at_body = water_motion(omega, heading, sea.depth, sea.gravity, origin[None])
        wrench[:3] += rho * volume * share * at_body.acceleration[0]
        total[unknowns.body[k]] += wrench
    return total, met


def _wave_on_hull(model: Model, hull: Hull, where: Array, omega: float, heading: float) -> Complex:
    """Wrench (6,) of the pressure in a wave of unit amplitude on a hull about its place.

    Lift under the tangent plane of the surface, and the Froude-Krylov force on the volume as it is cut.

    where : (3,) place of the hull, m
    """
    sea, strips, cut = model.sea, hull.strips, hull.cut.copy()
    rho, k_wave = sea.water_density, wavenumber(omega, sea.depth, sea.gravity)
    if hull.is_ball and strips.volume.size:
        centre_pressure(cut, (0.0, 0.0, 0.0))
    wrench = np.zeros(6, dtype=complex)
    lift = rho * sea.gravity * water_motion(omega, heading, sea.depth, sea.gravity, where[None]).elevation[0]
    slope_x, slope_y = 1j * k_wave * np.cos(heading), 1j * k_wave * np.sin(heading)
    first, second = cut[0].area_moment, cut[0].area_second
    wrench[2] = lift * (cut[0].area + slope_x * first[0] + slope_y * first[1])
    wrench[3] = lift * (first[1] + slope_x * second[0, 1] + slope_y * second[1, 1])
    wrench[4] = -lift * (first[0] + slope_x * second[0, 0] + slope_y * second[0, 1])
    if np.any(strips.volume > 0.0):
        along = water_motion(omega, heading, sea.depth, sea.gravity, where + _water_arm(hull))
        wrench += _froude_krylov(hull, cut, along.acceleration, rho)
    return wrench


def _water_arm(hull: Hull) -> Array:
    """(n, 3) from the hull's place to the water around strips: of a ball, the centroid of its wet part."""
    return hull.cut.moment / hull.cut.volume if hull.is_ball else hull.strips.arm


def _froude_krylov(hull: Hull, cut: Records, acceleration: Complex, rho: float) -> Complex:
    """Froude-Krylov wrench (6,) on the volume as it is cut: that of the time domain, which is linear in accelerations.

    cut : (1,) about the hull's place    acceleration : (n, 3) of the water at the strips    rho : kg/m3
    """
    around, wrench = records(1, HULL_WATER)[0], np.zeros(6, dtype=complex)
    mass, zeta = rho * hull.strips.volume, hull.strips.arm @ hull.axis
    around.mass[:], around.across = (mass.sum(), mass @ zeta, mass @ zeta**2), rho * hull.strips.across.sum()
    for unit, part in ((1.0, acceleration.real), (1j, acceleration.imag)):
        around.force[:], around.moment[:] = mass @ part, (mass * zeta) @ part
        uneven_water(around)
        mean = np.array(pressure_gradient(around, (rho, 0.0)))
        turning = np.cross(cut[0].moment, mean) + np.cross(hull.axis, around.rest)
        wrench += unit * np.concatenate([cut[0].volume * mean, turning])
    return wrench
