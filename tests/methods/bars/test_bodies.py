"""Rigid bodies in the solvers of bars."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from bars_cases import run, total
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits
from scipy.integrate import solve_ivp

from reference import body_pendulum
from ropewalk.analysis.run import simulate
from ropewalk.errors import InputError
from ropewalk.methods.bars.bodies import equal_masses
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.model.model import build
from ropewalk.model.state import initial_state, rotation_matrix
from ropewalk.spec.system import System

AIR = {"gravity": 9.81, "water_density": 0.0}
STICK = {"drag": 0, "added_mass": 0, "diameter": 0.01, "mass": 1e-9, "axial_stiffness": "inextensible"}


def system(body, environment=None, length=1.0, top=(0, 0, 0), elements=1, section=None, **more):
    """A body on one line."""
    return System.model_validate({
        "environment": environment or AIR,
        "sections": {"stick": {**STICK, **(section or {})}},
        "points": {"top": {"position": top}},
        "bodies": {"b": {"mass": 10.0, "attachments": {"eye": (0, 0, 0)}, **body}},
        "lines": {"l": {"from": "top", "to": "b.eye", "elements": elements,
                        "pieces": [{"section": "stick", "length": length}]}},
        **more,
    })  # fmt: skip


def test_the_point_masses_have_the_moments_of_the_body():
    """Mass, centre and inertia of a body at random with three attachments."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=(3, 3))
    second = a @ a.T + 0.1 * np.eye(3)
    inertia, centre = np.trace(second) * np.eye(3) - second, rng.normal(size=3)
    hulls = {"hulls": SimpleNamespace(radius=np.zeros(0)), "hulls_of": lambda _: []}
    bodies = SimpleNamespace(mass=[7.0], centre=[centre], inertia=[inertia], **hulls)
    places = rng.normal(size=(3, 3))
    corners, mass = equal_masses(SimpleNamespace(bodies=bodies), 0, places)
    x = np.concatenate([corners, places])
    assert np.all(mass > 0.0)
    d = x - centre
    found = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(mass, d, strict=True))
    # a few operations on 4 x 4 matrices
    assert_allclose(mass.sum(), 7.0, rtol=1e-13)
    assert_allclose(mass @ d, 0.0, atol=1e-12)
    assert_allclose(found, inertia, rtol=1e-11, atol=1e-11)


def test_a_free_body_turns_as_euler_says():
    """Torque-free rotation of a body with three different moments, about none of its axes, by Euler's equations."""
    inertia, omega = np.array([2.0, 3.0, 4.0]), np.array([1.0, 2.0, 0.3])

    def rates(_, y):
        w, q = y[:3], y[3:]
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return [*(-np.cross(w, inertia * w) / inertia), *dq]

    exact = solve_ivp(rates, (0.0, 2.0), [*omega, 1.0, 0.0, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[3:, -1]
    case = system({"inertia": tuple(inertia), "position": (0, 0, -1)}, {"gravity": 0.0, "water_density": 0.0})
    model = build(case)
    first = initial_state(model)._replace(body_rate=omega[None])
    state = run(Constrained(step=1e-3), model, 2.0, first)[0]
    # second order at 1 ms; the line pulls at the centre of mass, so it gives no moment
    assert_allclose(state.body_quaternion[0], exact * np.sign(exact @ state.body_quaternion[0]), atol=2e-5)
    body = rotation_matrix(state.body_quaternion[0])
    assert_allclose(body @ (inertia * (body.T @ state.body_rate[0])), inertia * omega, atol=2e-4)


@pytest.mark.parametrize("solver", [Constrained, Recursive, Projection, ConstrainedImplicit])
def test_rigid_body_pendulum(solver):
    """[Otto2022], sec. 6.3.4, as completed: 10 kg, 10 kg m2 on a stick of 1 m with 1 kg, hinged 1 m off centre."""
    a, b, p, q = body_pendulum(2.0)
    model = build(system(
        {"inertia": (10, 10, 10), "centre_of_mass": (1, 0, 0), "point_masses": [{"mass": 1.0, "position": (0, 0, 0)}],
         "position": (0, 0, -1)},
    ))  # fmt: skip
    state = run(solver(step=1e-3), model, 2.0)[0]
    hinge = np.array([math.sin(a), 0.0, -math.cos(a)])
    centre = hinge + np.array([math.sin(b), 0.0, -math.cos(b)])
    # second order at 1 ms: measured 2e-6 to 3e-5 m
    assert_allclose(state.body_position[0], hinge, atol=1e-4)
    found = state.body_position[0] + rotation_matrix(state.body_quaternion[0]) @ [1.0, 0.0, 0.0]
    assert_allclose(found, centre, atol=1e-4)
    speed = np.array([math.cos(a), 0.0, math.sin(a)]) * p
    assert_allclose(state.body_velocity[0], speed, atol=1e-3)
    assert_allclose(state.body_rate[0], [0.0, -q, 0.0], atol=1e-3)


def test_energy_of_the_rigid_body_pendulum_is_kept():
    """The case above, 5 s: what RATTLE loses is bounded and falls with h^2."""
    body = {"inertia": (10, 10, 10), "centre_of_mass": (1, 0, 0), "position": (0, 0, -1)}
    lost = []
    for step in (4e-3, 2e-3):
        solver, model = Constrained(step=step), build(system(body))
        work = solver.start(model, initial_state(model))
        first = total(solver.advance(model, work, step))
        ends = [total(solver.advance(model, work, t)) for t in np.arange(0.5, 5.1, 0.5)]
        lost.append(np.abs(np.array(ends) - first).max())
    # of 10 kg that fall by up to 2 m, 196 J
    assert lost[1] < 196.0 * 1e-4
    assert lost[0] / lost[1] > 3.0


def test_a_body_and_a_mass_on_a_line_keep_their_momentum():
    """Nothing acts from outside: momentum and its moment are those of the start, by multipliers to round-off."""
    case = system({"inertia": (2, 3, 4), "position": (0, 0, -1), "attachments": {"eye": (0.3, 0.1, 0.2)}},
                  {"gravity": 0.0, "water_density": 0.0}, length=1.2, elements=3, section={"mass": 0.5})  # fmt: skip
    case = case.replace(points={"top": {"position": (0.3, 0.1, 0.4), "joint": "free", "mass": 3.0}})
    model = build(case)
    first = initial_state(model)._replace(
        body_rate=np.array([[1.0, 2.0, 0.3]]), body_velocity=np.array([[0.2, -0.1, 0.4]])
    )
    solver = Constrained(step=2e-3)
    work = solver.start(model, first)
    kept = []
    for t in (0.0, 1.0, 2.0):
        solver.advance(model, work, t)
        p = work.bars.mass[:, None] * work.steps.v
        kept.append(np.concatenate([p.sum(axis=0), np.cross(work.steps.r, p).sum(axis=0)]))
    # 1000 steps with lengths met to 1e-10
    assert_allclose(kept[1:], [kept[0], kept[0]], atol=1e-7)


SEA = {"gravity": 9.81, "water_density": 1000.0, "depth": 20.0, "seabed": {"kind": "none"}}
BUOY = {"mass": 200.0, "inertia": (12, 12, 12), "position": (3, 0, -10.5), "attachments": {"eye": (0, 0, -0.5)},
        "hull": {"kind": "sphere", "radius": 0.5, "drag": 0.5}}  # fmt: skip


def tethered(**more):
    """A submerged sphere let go aside on an inextensible tether that is fastened at its lower pole."""
    rope = {"diameter": 0.02, "mass": 0.5, "drag": {"normal": 1.0}, "added_mass": {"normal": 1.0}}
    return system(BUOY, SEA, length=math.hypot(3.0, 9.0), top=(0, 0, -20), elements=10, section=rope,
                  run={"duration": 3.0, "start": "as_given", **more}, record={"every": 0.5})  # fmt: skip


def test_a_buoy_on_a_tether_agrees_with_the_elements():
    """Sphere with drag and added mass 0.5, tether off its centre, 3 s: position, attitude and end force."""
    bars = simulate(tethered(solver="constrained"))
    elements = simulate(tethered(solver="mixed_fem", tolerance=1e-5))
    # both second order in the ten elements of the tether, with drag at nodes there and along the bars here
    assert_allclose(bars.body_position, elements.body_position, atol=5e-3)
    assert_allclose(bars.body_quaternion[-1], elements.body_quaternion[-1], atol=5e-3)
    force = elements.end_force.values[-1, 0, 1]
    assert_allclose(bars.end_force.values[-1, 0, 1], force, atol=0.02 * np.linalg.norm(force))


def test_a_stopped_run_with_a_body_goes_on_to_the_same_bits():
    """Snapshot and restore half-way."""
    model = build(tethered())
    assert_goes_on_to_the_same_bits(Constrained(step=0.01), model, initial_state(model), 0.5, 1.0)


@pytest.mark.parametrize("solver", [Constrained, ConstrainedImplicit])
def test_a_body_that_is_towed_carries_its_line_along(solver):
    """A prescribed motion of a body: the end of the line is where the motion puts it."""
    body = {"position": (0, 0, -2), "joint": "moving", "motion": {"kind": "tow", "velocity": (1, 0, 0), "ramp": 0.5}}
    case = system(body, SEA, length=1.0, top=(0, 0, -3), section={"mass": 1.0})
    case = case.replace(points={"top": {"position": (0, 0, -3), "joint": "free", "mass": 5.0}})
    state = run(solver(step=2e-3), build(case), 1.0)[0]
    # ramp: v t^2/(2 T) up to T, then v t
    assert_allclose(state.body_position[0], state.position[-1], atol=1e-12)
    assert_allclose(state.body_velocity[0], [1.0, 0.0, 0.0], atol=1e-12)
    assert state.position[-1, 0] > 0.5


def test_a_body_that_is_turned_carries_its_line_round():
    """A pitch of 30 cos(2 t) degrees about y: the end of the line is on the circle, with its speed."""
    turn = {"kind": "harmonic", "rotations": [{"axis": (0, 1, 0), "amplitude": 30.0, "omega": 2.0}]}
    body = {"position": (0, 0, -2), "joint": "moving", "motion": turn, "attachments": {"eye": (1, 0, 0)}}
    case = system(body, SEA, length=1.0, section={"mass": 1.0}, top=(1, 0, -3))
    case = case.replace(points={"top": {"position": (1.0, 0, -3), "joint": "free", "mass": 5.0}})
    state = run(Constrained(step=2e-3), build(case), 1.0)[0]
    angle, rate = math.radians(30) * math.cos(2.0), -2.0 * math.radians(30) * math.sin(2.0)
    c, s = math.cos(angle), math.sin(angle)
    assert_allclose(state.position[-1], [c, 0.0, -2.0 - s], atol=1e-12)
    assert_allclose(state.velocity[-1], [-s * rate, 0.0, -c * rate], atol=1e-12)
    assert_allclose(state.body_quaternion[0], [math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0], atol=1e-12)
    assert_allclose(state.body_rate[0], [0.0, rate, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"mass": 0.0}, "it has no mass"),
        ({"added_mass": np.diag([0.0, 1, 1, 1, 1, 1]) + 5.0 * np.eye(6, k=3) + 5.0 * np.eye(6, k=-3)},
         "its added_mass matrix is not one of point masses"),
    ],
)  # fmt: skip
def test_bodies_that_no_points_stand_for_are_refused(body, words):
    if "added_mass" in body:
        body = {"added_mass": body["added_mass"].tolist()}
    model = build(system({"position": (0, 0, -1), "inertia": (1, 1, 1), **body}))
    with pytest.raises(InputError, match=words):
        Constrained().start(model, initial_state(model))


def test_links_are_refused():
    case = system(
        {"position": (0, 0, -1), "inertia": (1, 1, 1)}, links={"k": {"kind": "ball", "between": ("b.eye", "top")}}
    )
    model = build(case)
    with pytest.raises(InputError, match="link"):
        Constrained().start(model, initial_state(model))
