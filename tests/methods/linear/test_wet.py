"""Hulls of the frequency domain against the loads of the time domain at the same place: nothing but the limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.assembly.body_loads import body_block, body_rows, water_on_bodies
from ropewalk.assembly.mesh import build_mesh
from ropewalk.loads.cut import HULL_WATER, surface_plane
from ropewalk.methods.linear.assembly import Assembled, assemble
from ropewalk.methods.linear.equilibrium import place_of
from ropewalk.methods.linear.unknowns import Place, Unknowns, number
from ropewalk.methods.linear.wet import Wet, drag_matrices, water_motion, wave_force, wet_parts
from ropewalk.model.arrays import Array, records
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state, rotation_matrix
from ropewalk.physics.waves import (
    ACCELERATION,
    COLUMNS,
    ELEVATION,
    STRETCHING_NONE,
    VELOCITY,
    WaveRows,
    kinematics,
    wave_table,
)
from ropewalk.spec.system import System

STEP = 1e-6  # m, rad: truncation and round-off of a central difference are then both below 1e-8 of the stiffness
PHASES = 8  # of a period: enough for a first harmonic beside the second
CELLS = (120, 20, 48)  # of a hull: along its axis, across and around it
HULLS = {
    "can": {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[-1.2, 0.9], [0.8, 0.9]]},
    "cone": {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[-1.5, 0.2], [-0.2, 1.0], [0.9, 1.0]]},
    "ball": {"drag": 0, "kind": "sphere", "radius": 0.9, "centre": [0.1, 0, -0.3]},
}


def tilted(hull: str, *, drag: bool = False, **environment: Any) -> System:
    """A free hull that floats with a tilt of 17 degrees, its centre of buoyancy beside its axis."""
    coefficients: dict[str, Any] = {"added_mass": {"normal": 0.8, "axial": 0.5}}
    if drag:
        coefficients["drag"] = {"normal": 0.8, "axial": 1.0}
    if hull == "ball":
        coefficients = {"added_mass": 0.5, "drag": 0.6 if drag else 0.0}
    body = {
        "mass": 2600, "inertia": [1500, 1500, 1200], "centre_of_mass": [0, 0, -0.5], "position": [3, 1, 0.01],
        "attitude": [4, 17, 10], "hull": {**HULLS[hull], **coefficients},
    }  # fmt: skip
    return System.model_validate({"environment": {"depth": 40, **environment}, "bodies": {"buoy": body}})


class TimeDomain:
    """Wrench (6,) on the hull as the steps in time compute it, about a place, in world axes."""

    def __init__(self, model: Model, place: Place) -> None:
        self.model, self.mesh = model, build_mesh(model)
        self.position, self.quaternion = place.body_position[0], place.quaternion[0]

    def __call__(self, t: float, x: Array, v: Array, a: Array) -> Array:
        mesh, sea = self.mesh, self.model.sea
        row, turn = body_rows(0, mesh)
        mesh.bodies.memory.attitude[0] = self.quaternion
        R = rotation_matrix(self.quaternion)
        X = np.zeros((3, turn + 1, 3))
        for derivative, rates in enumerate((x, v, a)):
            X[derivative, row], X[derivative, turn] = rates[:3], R.T @ rates[3:]
        X[0, row] += self.position
        water_on_bodies(X, t, sea, mesh)
        body_block(0, X, np.zeros((turn + 1, COLUMNS)), mesh, (sea.water_density, sea.gravity), (1.0, 1.0))
        wrench: Array = -mesh.bodies.memory.block[:, 6]
        return wrench


def at_rest(system: System) -> tuple[Model, Unknowns, Place, Assembled, Wet]:
    """The linear system at the place given in the case."""
    model = build(system)
    unknowns = number(model)
    place = place_of(model, unknowns, initial_state(model))
    at = assemble(model, unknowns, place)
    return model, unknowns, place, at, wet_parts(model, unknowns, place, at)


@pytest.mark.parametrize("hull", HULLS)
def test_small_waves_push_a_tilted_hull_as_in_the_time_domain(hull: str) -> None:
    """First harmonic of the wrench on a held hull, amplitude to zero; pitch is a small difference of large moments."""
    system = tilted(hull, waves={"kind": "regular", "ramp": 0.0, "height": 2e-5, "period": 6.3, "heading": 30})
    model, unknowns, place, at, wet = at_rest(system)
    wave, still = model.sea.wave[:, 0], np.zeros(6)
    row = WaveRows(*wave)
    omega, amplitude = float(row.omega), row.amplitude * np.exp(1j * row.phase)
    load, times = TimeDomain(model, place), 2.0 * np.pi / omega * np.arange(PHASES) / PHASES
    harmonic = sum(load(t, still, still, still) * np.exp(1j * omega * t) for t in times) * 2.0 / PHASES
    C = drag_matrices(wet)
    force = wave_force(model, unknowns, place, at, wet, C, omega, np.radians(30))[0][unknowns.body[0]]
    # forces of 2e4 N/m times 1e-5 m beside a weight of 3e4 N: round-off 1e-7, the second order of the wave 1e-5
    for part in (slice(0, 3), slice(3, 5)):
        size = np.abs(force[part]).max()
        assert_allclose(harmonic[part] / amplitude, force[part], atol=1e-4 * size)


def displaced_water(model: Model, place: Place, t: float) -> tuple[Array, Array, Array]:
    """Arms (n, 3) of cells of a hull under the tangent plane, their volumes and the acceleration of their water."""
    bodies, x, R = model.bodies, place.body_position[0], rotation_matrix(place.quaternion[0])
    if bodies.hulls.radius[0] > 0.0:
        centre, radius = bodies.hulls.place[0], float(bodies.hulls.radius[0])
        low, high = -radius, radius
        wide = lambda z: np.sqrt(radius**2 - z**2)  # noqa: E731
    else:
        centre, (low, high) = np.zeros(3), bodies.hulls.profile[[0, -1], 0]
        wide = lambda z: np.interp(z, *bodies.hulls.profile.T)  # noqa: E731
    n_z, n_r, n_a = CELLS
    z = low + (high - low) * (np.arange(n_z) + 0.5) / n_z
    Z, Q, A = np.meshgrid(z, (np.arange(n_r) + 0.5) / n_r, 2.0 * np.pi * (np.arange(n_a) + 0.5) / n_a, indexing="ij")
    r = Q * wide(Z)
    arm = (np.stack([r * np.cos(A), r * np.sin(A), Z], axis=-1).reshape(-1, 3) + centre) @ R.T
    volume = (r * wide(Z) * 2.0 * np.pi * (high - low) / (n_z * n_r * n_a)).ravel()
    around = records(1, HULL_WATER)[0]
    over = x + R @ bodies.hulls.place[0]
    surface_plane(model.sea.wave, over[0], over[1], t, around)
    wet = (x + arm - around.point) @ around.up < 0.0
    arm, volume = arm[wet], volume[wet]
    flow = np.zeros((volume.size, COLUMNS))
    kinematics(model.sea.wave, x + arm, t, model.sea.depth, flow)
    return arm, volume, flow[:, 3:6]


@pytest.mark.parametrize(("hull", "left"), [("can", 0.01), ("cone", 0.025), ("ball", 0.01)])
def test_waves_push_a_tilted_hull_as_the_pressure_gradient_on_its_volume_does(hull: str, left: float) -> None:
    """rho (g + du/dt) summed over cells of the hull under the surface: force and moment of a wave of 2 m.

    With the strips alone, on the axis, the moment was 7 % off for the can, 21 % for the cone.
    """
    system = tilted(hull, waves={"kind": "regular", "ramp": 0.0, "height": 2.0, "period": 6.3, "heading": 30})
    given = system.bodies["buoy"].hull
    bare = given.replace(added_mass=0.0) if hull == "ball" else given.replace(added_mass={"normal": 0, "axial": 0})
    model, _, place, _, _ = at_rest(system.replace(bodies={"buoy": system.bodies["buoy"].replace(hull=bare)}))
    load, still, rho = TimeDomain(model, place), np.zeros(6), model.sea.water_density
    found, expected = [], []
    weight = np.array([0.0, 0.0, -2600 * model.sea.gravity])
    own = np.concatenate([weight, np.cross(rotation_matrix(place.quaternion[0]) @ model.bodies.centre[0], weight)])
    for t in np.arange(4) * 6.3 / 4 + 0.3:
        arm, volume, acceleration = displaced_water(model, place, t)
        force = rho * volume[:, None] * (acceleration + np.array([0.0, 0.0, model.sea.gravity]))
        expected.append([*force.sum(axis=0), *np.cross(arm, force).sum(axis=0)])
        found.append(load(t, still, still, still) - own)
    calm = np.mean(expected, axis=0)
    # 1e-3 of the force and 0.6, 1.8 and 0.4 % of the moment are left: discs cut obliquely are taken as if square
    for part, share in ((slice(0, 3), 2e-3), (slice(3, 6), left)):
        size = np.linalg.norm((expected - calm)[:, part])
        assert np.linalg.norm((np.array(found) - expected)[:, part]) < share * size


@pytest.mark.parametrize("hull", HULLS)
def test_inertia_and_stiffness_of_a_tilted_hull_are_those_of_the_time_domain(hull: str) -> None:
    """Differences of the wrench by acceleration, exact, and by place, with the coupling of surge, heave and pitch."""
    model, _, place, at, _ = at_rest(tilted(hull))
    load, still = TimeDomain(model, place), np.zeros(6)
    terms = at.bodies[0]
    rest = load(0.0, still, still, still)
    assert_allclose(rest, terms.wrench, atol=1e-9 * 2600 * 9.81)  # the weight
    M = np.stack([rest - load(0.0, still, still, e) for e in np.eye(6)], axis=1)
    assert_allclose(M, terms.M, atol=1e-9 * np.abs(terms.M).max())
    ends = [[load(0.0, sign * STEP * e, still, still) for e in np.eye(6)] for sign in (1.0, -1.0)]
    K = -(np.array(ends[0]) - np.array(ends[1])).T / (2.0 * STEP)
    assert_allclose(K, terms.K, atol=1e-6 * np.abs(terms.K).max())


@pytest.mark.parametrize("hull", HULLS)
def test_drag_on_a_tilted_hull_is_that_of_the_time_domain(hull: str) -> None:
    """A current's wrench, and b |u| u of all members when the hull moves and turns in still water."""
    model, _, place, at, _ = at_rest(tilted(hull, drag=True, current={"speed": 1.5, "heading": 40}))
    still = np.zeros(6)
    found = TimeDomain(model, place)(0.0, still, still, still)
    bare = at_rest(tilted(hull, drag=True))
    calm = TimeDomain(bare[0], place)
    drag = found - calm(0.0, still, still, still)
    assert_allclose(found, at.bodies[0].wrench, atol=1e-9 * np.abs(drag).max())
    v = np.array([0.7, -0.2, 0.5, 0.1, 0.4, -0.3])
    model, unknowns, place, _, wet = bare
    motion = np.zeros(unknowns.size)
    motion[unknowns.body[0]] = v
    u = -(wet.Q @ motion).reshape(-1, 3)
    along = np.sum(u * wet.members.tangent, axis=1)[:, None] * wet.members.tangent * ~wet.is_ball[:, None]
    across = u - along
    force = (wet.members.normal * np.linalg.norm(across, axis=1))[:, None] * across
    force += (wet.members.tangential * np.linalg.norm(along, axis=1))[:, None] * along
    wrench = (wet.Q.T @ force.ravel())[unknowns.body[0]]
    bare_hull = TimeDomain(at_rest(tilted(hull))[0], place)  # what spins without drag has gyroscopic forces
    found = calm(0.0, still, v, still) - bare_hull(0.0, still, v, still)
    assert_allclose(found, wrench, atol=1e-9 * np.abs(wrench).max())


@pytest.mark.parametrize("depth", [25.0, np.inf])
def test_water_motion_of_a_response_is_the_wave_of_the_time_domain(depth):
    """u(t) = Re(U exp(-i omega t)) at any time; the columns are those of the time domain."""
    omega, heading, t = 0.9, 0.6, 1.7
    place = np.array([[0.0, 0.0, -3.0], [40.0, -25.0, -12.0], [7.0, 3.0, 0.4]])
    found = water_motion(omega, heading, depth, 9.81, place)
    out = np.empty((3, COLUMNS))
    kinematics(wave_table(1.0, omega, heading, 0.0, depth, 9.81, stretching=STRETCHING_NONE), place, t, depth, out)
    turn = np.exp(-1j * omega * t)
    # 5e-14 of the sum of the components, physics/waves.py
    assert_allclose((found.velocity * turn).real, out[:, VELOCITY : VELOCITY + 3], rtol=0, atol=1e-13)
    assert_allclose((found.acceleration * turn).real, out[:, ACCELERATION : ACCELERATION + 3], rtol=0, atol=1e-13)
    assert_allclose((found.elevation * turn).real, out[:, ELEVATION], rtol=0, atol=1e-13)
