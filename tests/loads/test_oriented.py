"""Forces that turn with their body: by hand, by mixed elements, bars and the linear method, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.assembly.body_loads import fill_block, water_on_bodies
from ropewalk.assembly.mesh import build_mesh
from ropewalk.loads.sea import water_at_place
from ropewalk.methods.bars.arrays import make_field
from ropewalk.methods.bars.build import build_bars, build_medium
from ropewalk.methods.bars.hulls import hull_loads, hull_water
from ropewalk.methods.linear.body import body_terms
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state, rotation_matrix
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.waves import COLUMNS
from ropewalk.spec.system import System

RHO, AIR, G, TIME = 1025.0, 1.25, 9.81, 1.7
ANGLES = np.array([-180.0, -90.0, -20.0, 0.0, 15.0, 40.0, 90.0, 180.0])
LIFT = np.array([0.0, -0.1, -0.8, 0.2, 1.1, 0.9, 0.1, 0.0])
FOILS = [
    {"area": 2.0, "span": 2.5, "position": (0.4, -0.2, 0.1), "chord": (1.0, 0.2, 0.0), "normal": (0.0, 0.0, 2.0),
     "coefficients": {"angle": ANGLES.tolist(), "lift": LIFT.tolist(),
                      "drag": [0.1, 1.2, 0.3, 0.03, 0.1, 0.8, 1.2, 0.1],
                      "moment": [0.0, 0.1, 0.05, -0.02, -0.1, -0.2, -0.1, 0.0]}},
    {"area": 0.7, "position": (-0.5, 0.0, 0.3), "chord": (0.0, 1.0, 0.0), "normal": (1.0, 0.0, 0.0),
     "coefficients": {"angle": [0, 30, 90, 180], "lift": [0, 0.7, 0, 0], "drag": [0.02, 0.4, 1.1, 0.05],
                      "symmetric": True}},
]  # fmt: skip
AREAS = [{"area": [3.0, 8.0, 1.0], "coefficient": 0.9, "position": (0.1, 0.3, 6.0)},
         {"area": 2.0, "position": (0.0, 0.0, 5.0)}]  # fmt: skip

DRAGS = [{"area": [0.5, 2.0, 3.0], "position": (0.2, 0.1, -0.4)}, {"area": 0.3, "turning": [4.0, 1.0, 2.5]}]
DAMPING = np.random.default_rng(3).normal(scale=200.0, size=(6, 6))


def model_of(position: Any, attitude: Any, **sea: Any) -> Model:
    """A body with foils, windage, drag areas and quadratic damping at a pose, on a line."""
    body = {"mass": 900.0, "inertia": (300.0, 280.0, 200.0), "position": position, "attitude": attitude,
            "attachments": {"eye": (0, 0, -1.0)}, "foils": FOILS, "windage": AREAS, "drag_areas": DRAGS,
            "quadratic_damping": DAMPING.tolist()}  # fmt: skip
    anchor = (position[0], position[1], position[2] - 10.0)
    return build(System.model_validate({
        "environment": {"gravity": G, "water_density": RHO, "air_density": AIR, "depth": 60,
                        "seabed": {"kind": "none"}, **sea},
        "sections": {"rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6, "drag": 0, "added_mass": 0}},
        "points": {"anchor": {"position": anchor}}, "bodies": {"kite": body},
        "lines": {"l": {"from": "anchor", "to": "kite.eye", "elements": 1,
                        "pieces": [{"section": "rope", "length": 9.0}]}},
    }))  # fmt: skip


FLOW = {"current": {"speed": 1.3, "heading": 30}, "waves": {"kind": "regular", "height": 1.5, "period": 6.0, "ramp": 0},
        "wind": {"speed": 12.0, "heading": 200}}  # fmt: skip
STEADY = {"current": FLOW["current"], "wind": FLOW["wind"]}


def block_of(model: Model, x: Any, q: Any, v: Any, omega: Any, step: Any = (0.0, 0.0), water: bool = True) -> Any:
    """(6, 7) of the body without mass; the water is that of the model's own place unless it is to be found."""
    mesh = build_mesh(model)
    bodies, n = mesh.bodies, mesh.node.shape[0]
    X = np.zeros((4, n, 3))
    row, turn = mesh.s.size + 1, mesh.s.size + 2
    massless = bodies.body.copy()
    massless.mass, massless.inertia = 0.0, 0.0
    bodies = bodies._replace(body=massless)
    X[0, row] = model.bodies.position[0]
    if water:
        X[0, row], bodies.memory.attitude[0] = x, q
    water_on_bodies(X, TIME, model.sea, mesh)
    X[0, row], bodies.memory.attitude[0] = x, q
    X[1, row], X[1, turn] = v, rotation_matrix(q).T @ omega
    fill_block(0, (row, turn), X, np.zeros((n, COLUMNS)), bodies, 0.0, (RHO, G), step)
    return bodies.memory.block.copy()


def by_hand(model: Model, v: Any, omega: Any) -> Any:
    """Wrench on foils and areas by plain formulas, coefficients by the rows of the tables and their cubics."""
    x, R = model.bodies.position[0], rotation_matrix(model.bodies.quaternion[0])
    hulls, total = model.bodies.hulls, np.zeros(6)
    h = len(AREAS) + len(DRAGS)
    for k, foil in enumerate(FOILS):
        c = np.array(foil["chord"]) / np.linalg.norm(foil["chord"])
        n = np.array(foil["normal"]) / np.linalg.norm(foil["normal"])
        e, c, n = R @ np.array(foil["position"]), R @ c, R @ n
        row = np.zeros(COLUMNS)
        water_at_place(x + e, TIME, model.sea, row)
        u = row[:3] - v - np.cross(omega, e)
        angle = np.arctan2(u @ n, -(u @ c))
        rows = hulls.foil[hulls.foil_start[h + k] : hulls.foil_start[h + k + 1]]
        i = int(np.searchsorted(rows["angle"], angle, side="right") - 1)
        cl, cd, cm = (np.polyval(rows[name][i], angle - rows["angle"][i]) for name in ("lift", "drag", "moment"))
        span = np.cross(c, n)
        flat = u - (u @ span) * span
        q = 0.5 * RHO * foil["area"] * (flat @ flat)
        along = flat / np.linalg.norm(flat)
        f = q * (cd * along + cl * np.cross(along, span))
        length = foil["area"] / foil.get("span", np.sqrt(foil["area"]))
        total += np.concatenate([f, np.cross(e, f) + q * length * cm * span])
    for one in DRAGS:
        e, row = R @ np.array(one.get("position", np.zeros(3))), np.zeros(COLUMNS)
        water_at_place(x + e, TIME, model.sea, row)
        u = row[:3] - v - np.cross(omega, e)
        f = 0.5 * RHO * np.linalg.norm(u) * R @ (np.broadcast_to(one["area"], 3) * (R.T @ u))
        turning = np.broadcast_to(one.get("turning", 0.0), 3)
        n = -0.5 * RHO * np.linalg.norm(omega) * R @ (turning * (R.T @ omega))
        total += np.concatenate([f, np.cross(e, f) + n])
    return total + damped(v, omega)


def damped(v: Any, omega: Any) -> Any:
    """Quadratic damping, by components of the world."""
    rates = np.concatenate([v, omega])
    return -DAMPING @ (np.abs(rates) * rates)


def wind_by_hand(model: Model, v: Any, omega: Any) -> Any:
    """Wrench of the wind, each area times the whole speed and its own component, and quadratic damping."""
    x, R, total = model.bodies.position[0], rotation_matrix(model.bodies.quaternion[0]), np.zeros(6)
    for one in AREAS:
        e = R @ np.array(one["position"])
        speed = 12.0 * ((x + e)[2] / 10.0) ** (1.0 / 7.0)
        u = speed * np.array([np.cos(np.radians(200)), np.sin(np.radians(200)), 0.0]) - v - np.cross(omega, e)
        f = 0.5 * AIR * one.get("coefficient", 1.0) * np.linalg.norm(u) * (
            R @ (np.broadcast_to(one["area"], 3) * (R.T @ u)))  # fmt: skip
        total += np.concatenate([f, np.cross(e, f)])
    return total + damped(v, omega)


@pytest.mark.parametrize("seed", range(4))
def test_same_state_same_force_on_foils_and_drag_areas(seed: int) -> None:
    """Mixed elements and bars in waves, the linear method in the current; each by hand, far below the surface."""
    rng = np.random.default_rng(seed)
    pose = ((*rng.uniform(-2.0, 2.0, 2), rng.uniform(-25.0, -12.0)), tuple(rng.uniform(-180.0, 180.0, 3)))
    v, omega = 0.5 * rng.normal(size=3), 0.5 * rng.normal(size=3)
    model = model_of(*pose, **FLOW)
    x, q = model.bodies.position[0], model.bodies.quaternion[0]
    ours = -block_of(model, x, q, v, omega)[:, 6]
    expected = by_hand(model, v, omega)
    scale = np.abs(expected).max()
    assert_allclose(ours, expected, atol=1e-12 * scale)  # round-off of sums of ten terms
    state = initial_state(model)._replace(body_velocity=v[None], body_rate=omega[None])
    bars, _, hulls, r, _ = build_bars(model, state)
    field, medium = make_field(bars.mass.size, bars.length.size, hulls), build_medium(model, 0.0)
    speed = v + np.cross(omega, r - x)
    hull_water(hulls, medium, r, TIME)
    hull_loads(hulls, medium, r, speed, field.force, field.inertia)
    total = np.concatenate([field.force.sum(axis=0), np.cross(r - x, field.force).sum(axis=0)])
    assert_allclose(total, ours, atol=1e-10 * scale)  # attitudes go through corners and a polar decomposition
    calm = model_of(*pose, current=FLOW["current"])
    terms = body_terms(calm, build_mesh(calm).bodies, 0, x, q)
    still = np.concatenate([[0.0, 0.0, -900.0 * G], np.zeros(3)])
    assert_allclose(terms.wrench - still, by_hand(calm, np.zeros(3), np.zeros(3)), atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(4))
def test_wind_on_areas_that_differ_by_direction(seed: int) -> None:
    """Force by hand; along an axis of the body it is that of the one area."""
    rng = np.random.default_rng(seed)
    model = model_of((0.0, 0.0, 20.0), tuple(rng.uniform(-50.0, 50.0, 3)), **STEADY)
    x, q = model.bodies.position[0], model.bodies.quaternion[0]
    v, omega = rng.normal(size=3), 0.3 * rng.normal(size=3)
    expected = wind_by_hand(model, v, omega)
    assert_allclose(-block_of(model, x, q, v, omega)[:, 6], expected, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("height", [-20.0, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_blocks_are_the_derivatives_of_the_wrench(height: float, seed: int) -> None:
    """By position, world rotation and their rates, with the water as it is; foils below the water, areas above it."""
    rng = np.random.default_rng(seed)
    model = model_of((0.0, 0.0, height), tuple(rng.uniform(-60.0, 60.0, 3)), **STEADY)
    x, q = model.bodies.position[0], model.bodies.quaternion[0]
    v, omega, gp = 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3), 2.5

    def moved(step: Any) -> Any:
        """Velocities follow the step as in physics/rigidbody.py, at the start of a step: Z = 1."""
        turned = quaternion_product(quaternion_exp(step[3:]), q)
        rate = omega + np.cross(step[3:], omega) + gp * step[3:]
        return block_of(model, x + step[:3], turned, v + gp * step[:3], rate, water=False)[:, 6]

    exact = block_of(model, x, q, v, omega, (0.0, gp), water=False)[:, :6]
    e = 1e-6  # truncation e^2 times third derivatives, and the jumps of second derivatives at rows, e
    found = np.stack([(moved(e * row) - moved(-e * row)) / (2.0 * e) for row in np.eye(6)], axis=1)
    assert_allclose(exact, found, atol=1e-6 * np.abs(found).max())
