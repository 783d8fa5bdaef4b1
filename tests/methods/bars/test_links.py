"""Links between bodies of bars: nodes in common, the angle of hinges, and what the mixed elements give."""

from __future__ import annotations

import re

import numpy as np
import pytest
from bars_cases import order, run, total
from link_cases import CALM, IN_AIR, G, double_pendulum, hanging_angles, model_of, momenta, pendulum_angles, tumblers
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.hinges import hinge_angle, hinge_turn
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.settling import Settling
from ropewalk.methods.bars.work import start_bars
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.state import initial_state

KINDS = {
    "ball": {},
    "hinge": {},
    "sprung": {"kind": "hinge", "stiffness": 30.0, "damping": 1.0},
    "rigid": {},
    "bar": {},
}
SOLVERS = {
    "constrained": Constrained(step=1e-3),
    "implicit": ConstrainedImplicit(step=1e-3, spectral_radius=0.8),
    "recursive": Recursive(step=1e-3),
    "projection": Projection(step=1e-3, sweeps=60),
}


def linked(kind):
    more = {"kind": kind, **KINDS[kind]}
    return tumblers(more.pop("kind"), **more)


# --- nodes ---


@pytest.mark.parametrize(("kind", "freedoms"), [("ball", 9), ("hinge", 7), ("rigid", 6), ("bar", 11)])
def test_bars_leave_the_freedoms_of_a_link(kind, freedoms):
    """Two bodies have twelve; no bar says what others say already, so that all tensions are determined."""
    model, state = linked(kind)
    bars = start_bars(model, state, 0.0, "halves").bars
    rows = np.zeros((bars.length.size, bars.mass.size, 3))
    for k, (a, b) in enumerate(bars.node):
        way = bars.home[b] - bars.home[a]
        rows[k, a], rows[k, b] = -way / bars.length[k], way / bars.length[k]
    assert 3 * bars.mass.size - bars.length.size == freedoms
    singular = np.linalg.svd(rows.reshape(bars.length.size, -1), compute_uv=False)
    assert singular[-1] > 1e-3 * singular[0]


def test_angle_of_a_hinge_and_its_derivatives():
    """Central differences over the four nodes; turned parts give the angle they are turned by."""
    rng = np.random.default_rng(3)
    r, nodes = rng.normal(size=(5, 3)), np.array([4, 0, 2, 3])
    gradient, spare, h = np.zeros((4, 3)), np.zeros((4, 3)), 1e-6
    hinge_angle(nodes, r, gradient)
    for i, node in enumerate(nodes):
        for j in range(3):
            found = 0.0
            for sign in (1.0, -1.0):
                x = r.copy()
                x[node, j] += sign * h
                found += sign * hinge_angle(nodes, x, spare) / (2.0 * h)
            # h^2 and round-off over h, of derivatives of order one
            assert_allclose(gradient[i, j], found, atol=1e-8)
    assert_allclose(gradient.sum(axis=0), 0.0, atol=1e-14)
    line = np.array([[1.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [np.cos(3.0), np.sin(3.0), 2.0]])
    turn, rate = hinge_turn(np.arange(4), -0.5, line, np.cross([0.0, 0.0, 0.7], line) * [[0], [0], [0], [1]], spare)
    assert_allclose(turn, 3.5 - 2.0 * np.pi, rtol=1e-14)  # from the attitudes of the file, below half a revolution
    assert_allclose(rate, 0.7, rtol=1e-14)


# --- motion ---


@pytest.mark.parametrize("solver", [Constrained, ConstrainedImplicit, Recursive])
def test_double_pendulum_follows_its_equation_in_angles(solver):
    """Two bodies on two hinges, large angles: second order towards a method of order 8."""
    angles, duration = (1.0, 1.6), 1.0
    model, exact = double_pendulum(angles), pendulum_angles(angles, duration)
    found = [hanging_angles(run(solver(step=step), model, duration)[0]) for step in (4e-3, 2e-3, 1e-3)]
    assert_allclose(order(found), 2.0, atol=0.1)
    assert_allclose(found[-1], exact, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_linked_bodies_move_as_in_the_mixed_elements(kind, solver):
    """Place, force and moment of every kind of link after half a second of tumbling, against equations of position."""
    model, start = linked(kind)
    other = MixedFem(step=1e-3, spectral_radius=0.8, start_at="as_given", ledger=False)
    work = other.start(model, start)
    assert other.advance(model, work, 0.5).good
    there, (state, _, _) = other.read(model, work), run(SOLVERS[solver], model, 0.5, start)
    # both of second order: (omega h)^2 / 12 = 1e-7 to 1e-6 of ways of 1 m, and of forces that change at 4 rad/s
    assert_allclose(state.body_position, there.body_position, atol=3e-6)
    assert_allclose(np.abs(np.sum(state.body_quaternion * there.body_quaternion, axis=1)), 1.0, atol=1e-10)
    scale = np.abs(there.link_force).max() + np.abs(there.link_moment).max()
    assert_allclose(state.link_force, there.link_force, atol=1e-4 * scale)
    assert_allclose(state.link_moment, there.link_moment, atol=1e-4 * scale)


@pytest.mark.parametrize("kind", ["ball", "hinge", "rigid", "bar"])
def test_links_do_no_work(kind):
    """Momentum and energy after five seconds of RATTLE: momentum by the tolerance of lengths, energy by h^2."""
    model, start = linked(kind)
    solver = Constrained(step=2e-3)
    before = run(solver, model, 0.0, start)[1]
    state, report, _ = run(solver, model, 5.0, start)
    (P0, L0, _), (P1, L1, _) = momenta(model, start), momenta(model, state)
    assert_allclose(P1, P0, atol=1e-6)
    assert_allclose(L1, L0, atol=1e-6)
    assert_allclose(total(report), total(before), rtol=2e-6)


def test_spring_of_a_hinge_keeps_energy():
    """The energy of the spring is counted."""
    model, start = tumblers("hinge", stiffness=30.0)
    solver = Constrained(step=1e-3)
    assert_allclose(total(run(solver, model, 2.0, start)[1]), total(run(solver, model, 0.0, start)[1]), rtol=1e-5)


def test_step_is_chosen_for_stiff_hinges():
    """Frequency of two bodies against each other about the axis, in a bound that is safe."""
    model, start = tumblers("hinge", stiffness=3e4)
    work = (solver := Constrained()).start(model, start)
    h = solver._step(work)
    # 1/J = 1/2.0 + 1/1.2 + what the arms add: less than 2 1/(kg m2), so omega > sqrt(3e4 * 1.3)
    assert h < 0.35 * 2.0 / np.sqrt(3e4 * 1.3)
    before = total(solver.advance(model, work, 0.0))
    assert_allclose(total(solver.advance(model, work, 1.0)), before, rtol=1e-2)


@pytest.mark.parametrize("holder", ["point", "fixed", "moving"])
def test_hinge_on_what_does_not_turn(holder):
    """The same pendulum on a point, on a body that is held, and on one that moves along as fast as both: one swing."""
    bob = {"mass": 4.0, "inertia": [0.6, 0.5, 0.4], "centre_of_mass": [0, 0, -0.8], "position": [0, 0, 0],
           "attitude": [0, 40, 0], "attachments": {"top": [0, 0, 0]}}  # fmt: skip
    wall = {"mass": 1.0, "position": [0.3, 0, 0], "attitude": [0, 0, 30],
            "attachments": {"eye": [-0.3 * np.cos(np.pi / 6), 0.15, 0]}}  # fmt: skip
    hinge = {"kind": "hinge", "stiffness": 5.0, "damping": 0.5}
    bodies, points, far, speed = {"bob": bob}, {}, "post", np.zeros(3)
    if holder == "point":
        points = {"post": {"position": [0, 0, 0]}}
    elif holder == "fixed":
        bodies, far = {"bob": bob, "wall": {**wall, "joint": "fixed"}}, "wall.eye"
    else:
        speed = np.array([0.5, 0.0, 0.0])
        motion = {"kind": "tow", "velocity": speed.tolist(), "ramp": 0.0}
        bodies, far = {"bob": bob, "wall": {**wall, "joint": "moving", "motion": motion}}, "wall.eye"
    model = model_of(IN_AIR, bodies=bodies, points=points, links={"top": {**hinge, "between": ["bob.top", far]}})
    start = initial_state(model)
    velocity = start.body_velocity.copy()
    velocity[0] = speed
    state = run(Constrained(step=1e-3), model, 0.8, start._replace(body_velocity=velocity))[0]
    # about the hinge J p'' + c p' + k (p - p0) + m g d sin p = 0, by the classical method of order four
    J, c, k, weight, y, h = 0.5 + 4.0 * 0.8**2, 0.5, 5.0, 4.0 * G * 0.8, np.array([np.radians(40.0), 0.0]), 1e-3

    def rate(y):
        return np.array([y[1], -(c * y[1] + k * (y[0] - np.radians(40.0)) + weight * np.sin(y[0])) / J])

    for _ in range(800):
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(y + h * k3))
    # (omega h)^2 / 24 per radian: 5e-7 of 2.6 rad of phase
    assert_allclose(hanging_angles(state)[0], -y[0], atol=5e-6)
    assert_allclose(state.body_position[0], 0.8 * speed, atol=1e-9)


def test_links_that_say_the_same_twice_are_shared():
    """A door on two hinges of one axis swings as on one, and together they carry it."""
    body = {"mass": 4.0, "inertia": [1.0, 1.0, 0.6], "centre_of_mass": [0.5, 0, 0], "position": [0, 0, 0],
            "attitude": [0, 0, 30],
            "attachments": {"low": [0, 0, -1], "high": [0, 0, 1], "middle": [0, 0, 0]}}  # fmt: skip
    points = {"a": {"position": [0, 0, -1]}, "b": {"position": [0, 0, 1]}, "c": {"position": [0, 0, 0]}}
    hinge = {"kind": "hinge", "axis": [0.0, 0.0, 1.0], "stiffness": 40.0}
    states = []
    for pairs in (("low", "a"), ("high", "b")), (("middle", "c"),):
        links = {name: {**hinge, "stiffness": 40.0 / len(pairs), "between": [f"door.{name}", to]} for name, to in pairs}
        model = model_of(IN_AIR, bodies={"door": body}, points=points, links=links)
        start = initial_state(model)._replace(body_rate=np.array([[0.0, 0.0, 1.0]]))
        states.append(run(Constrained(step=1e-3), model, 0.7, start)[0])
    assert_allclose(states[0].body_quaternion, states[1].body_quaternion, atol=1e-8)
    assert_allclose(states[0].link_force.sum(axis=0), states[1].link_force[0], atol=1e-5 * 4.0 * G)


def four_bars():
    """A linkage of three bodies on four hinges with parallel axes: three of its equations say what others say."""
    corner = np.array([[0.0, 0.0], [0.3, 1.0], [2.2, 1.3], [2.0, 0.0]])
    bodies = {}
    for name, p, q in zip("abc", corner[:-1], corner[1:], strict=True):
        half = 0.5 * float(np.linalg.norm(q - p))
        pitch = -np.degrees(np.arctan2(*(q - p)[::-1]))
        bodies[name] = {"mass": 2.0, "inertia": [0.2, 0.25, 0.2], "position": [*np.insert(0.5 * (p + q), 1, 0.0)],
                        "attitude": [0, pitch, 0], "attachments": {"l": [-half, 0, 0], "r": [half, 0, 0]}}  # fmt: skip
    pairs = [("a.l", "left"), ("a.r", "b.l"), ("b.r", "c.l"), ("c.r", "right")]
    return model_of(IN_AIR, bodies=bodies, points={"left": {"position": [0, 0, 0]}, "right": {"position": [2, 0, 0]}},
                    links={f"h{k}": {"kind": "hinge", "between": pair} for k, pair in enumerate(pairs)})  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS)
def test_closed_linkage_moves_as_in_the_mixed_elements(solver):
    """Redundant equations: the motion and the forces in its plane are determined all the same.

    The mixed elements leave it to round-off which of the equations they take, and are that much less exact in forces.
    """
    model = four_bars()
    other = MixedFem(step=1e-3, spectral_radius=0.8, start_at="as_given", ledger=False)
    work = other.start(model, initial_state(model))
    assert other.advance(model, work, 0.5).good
    there, (state, _, _) = other.read(model, work), run(SOLVERS[solver], model, 0.5)
    assert_allclose(state.body_position, there.body_position, atol=3e-6)
    # forces up to 100 N; those along the axes hang on what is not determined, so these stay small and no more
    assert_allclose(state.link_force[:, ::2], there.link_force[:, ::2], atol=1.0)
    same = run(SOLVERS["constrained" if solver != "constrained" else "implicit"], model, 0.5)[0]
    assert_allclose(state.link_force[:, ::2], same.link_force[:, ::2], atol=0.01)
    assert np.abs(state.link_force[:, 1]).max() < 2.0


def test_closed_linkage_keeps_its_energy_at_any_step():
    """Ten seconds and many turns: energy by h^2, lengths by the compliance of redundant bars; long steps are halved."""
    model, missed = four_bars(), []
    for step in (2e-3, 1e-3):
        solver = Constrained(step=step)
        work = solver.start(model, initial_state(model))
        before = total(solver.advance(model, work, 0.0))
        for t in (1.0, 5.0, 10.0):
            report = solver.advance(model, work, t)
            assert report.good, report.message
            assert report.figures["largest_strain"] < 1e-8
        missed.append(total(report) - before)
    assert_allclose(missed[0] / missed[1], 4.0, rtol=0.1)
    assert abs(missed[1]) < 1e-4 * 6.0 * G
    report = run(Constrained(step=0.05), model, 2.0)[1]
    assert report.figures["steps"] > 40  # some were halved


# --- at rest ---


def raft(far=0.0):
    """Two floats with arms to a hinge with a spring, held by a line at the first."""
    mass = 1000.0 * np.pi
    own = {"mass": mass, "inertia": [mass] * 3, "centre_of_mass": [0, 0, -0.3],
           "hull": {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[-1, 1], [1, 1]]}}  # fmt: skip
    rope = {"drag": 0, "added_mass": 0, "diameter": 0.05, "mass": 3.0, "axial_stiffness": "inextensible"}
    return {
        "environment": {**CALM, "depth": 20.0},
        "sections": {"rope": rope},
        "points": {"anchor": {"position": [-12, 1, -15]}},
        "bodies": {"a": {**own, "position": [-2, 0, 0], "attachments": {"arm": [2, 0, 0], "bow": [-1, 0, 0]},
                         "loads": {"force": [2000, 0, -500], "at": [2, 0, 0]}},
                   "b": {**own, "position": [2 + far, 0, 0], "attachments": {"arm": [-2, 0, 0]}}},
        "lines": {"m": {"from": "anchor", "to": "a.bow", "elements": 10,
                        "pieces": [{"section": "rope", "length": 18}]}},
        "links": {"hinge": {"kind": "hinge", "between": ["a.arm", "b.arm"], "stiffness": 2000.0}},
    }  # fmt: skip


def test_raft_at_rest_is_that_of_the_mixed_elements():
    """Place, attitude, force and what statics print, by both static methods; from floats that are apart as well."""
    model = model_of(**{k: v for k, v in raft().items() if k != "environment"}, environment=raft()["environment"])
    direct = run(BarsStatics(), model, 0.0)[0]
    there = rw.statics(rw.System.model_validate(raft()), "fem")
    # ten bars against ten elements of a line of 18 m: (1/10)^2 / 24 of its sag
    assert_allclose(direct.body_position, there.state.body_position, atol=5e-3)
    assert_allclose(np.abs(np.sum(direct.body_quaternion * there.state.body_quaternion, axis=1)), 1.0, atol=1e-6)
    told = rw.statics(rw.System.model_validate(raft(0.4)), "bars_statics").summary["links"]["hinge"]["force"]
    assert_allclose(told, there.summary["links"]["hinge"]["force"], atol=1e-3 * 2000.0)
    assert_allclose(told, direct.link_force[0], atol=1e-5 * 2000.0)


def test_chain_of_bodies_settles_as_weights_hang():
    """Five bodies on balls, pulled at the end: slopes from the moments about each ball; by time integration too."""
    n, a, pull = 5, 0.5, 40.0
    names = [f"b{k}" for k in range(n)]
    bodies = {name: {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [2 * a * k + a, 0, 0],
                     "attachments": {"l": [-a, 0, 0], "r": [a, 0, 0]}} for k, name in enumerate(names)}  # fmt: skip
    bodies[names[-1]]["loads"] = {"force": [pull, 0, 0], "at": [a, 0, 0]}
    links = {"top": {"kind": "ball", "between": ["b0.l", "roof"]}}
    links |= {f"j{k}": {"kind": "ball", "between": [f"b{k}.l", f"b{k - 1}.r"]} for k in range(1, n)}
    model = model_of(IN_AIR, bodies=bodies, links=links, points={"roof": {"position": [0, 0, 0]}})
    slope = (np.arange(n)[::-1] + 0.5) * G / pull
    for solver, tolerance in ((BarsStatics(), 1e-7), (Settling(), 1e-4)):
        state = run(solver, model, 0.0)[0]
        x, ball = state.body_position, np.zeros((n, 3))
        for k in range(1, n):  # every body is in the middle between two balls
            ball[k] = 2.0 * x[k - 1] - ball[k - 1]
        way = x - ball
        assert_allclose(-way[:, 2] / way[:, 0], slope, rtol=tolerance)
        assert_allclose(state.link_force[0], [pull, 0.0, -n * G], rtol=tolerance, atol=1e-4)


# --- a run ---


def test_links_apart_are_refused_as_given():
    model = model_of(**{k: v for k, v in raft(0.4).items() if k != "environment"}, environment=CALM)
    with pytest.raises(InputError, match=re.escape("link 'hinge': its ends are 0.4 m apart")):
        Constrained().start(model, initial_state(model))


@pytest.mark.parametrize("solver", SOLVERS)
def test_run_with_links_goes_on_to_the_same_bits(solver):
    """Explicit and implicit, with a law of the hinge."""
    model, start = linked("sprung")
    assert_goes_on_to_the_same_bits(SOLVERS[solver], model, start, 0.01, 0.02)
