"""Bodies linked to bodies: pendulums in angles, rafts in closed form, what free linked bodies keep."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from link_cases import (
    CALM,
    IN_AIR,
    RHO,
    VACUUM,
    G,
    double_pendulum,
    hanging_angles,
    model_of,
    momenta,
    pendulum_angles,
    tumblers,
)
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.methods.catenary.solver import Catenary
from ropewalk.methods.mixed.bodies import turn_bodies
from ropewalk.methods.mixed.links import add_links, link_unbalance, multiplier_row
from ropewalk.methods.mixed.report import place, worst_place
from ropewalk.methods.mixed.settle import make_work
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state, rotation_matrix
from ropewalk.numerics.blocksparse import WORTH_FROM
from ropewalk.spec.system import System


def run(model: Model, times: Any, start: State | None = None, **settings: Any) -> tuple[list[State], Any, Any]:
    """States at `times`, the last report, and the memory."""
    solver = MixedFem(**{"start_at": "as_given", "ledger": False, **settings})
    work = solver.start(model, initial_state(model) if start is None else start)
    states = []
    for t in times:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        states.append(solver.read(model, work))
    return states, report, work


def gap(work: Any) -> float:
    """Largest miss of an equation of the links (m)."""
    link_unbalance(work.steps.now.X, work.mesh, work.steps.nodes)
    return float(work.mesh.bodies.links.miss[0])


# --- equations ---

PAIR = {
    "a": {"mass": 1, "inertia": [1, 1.5, 1.2], "position": [0, 0, 0], "attitude": [10, 20, 30],
          "attachments": {"e": [1, 0.3, 0.2]}},
    "b": {"mass": 2, "inertia": [1, 2, 1.3], "position": [2, 0.4, 0.1], "attitude": [5, -10, 15],
          "attachments": {"e": [-1, 0.1, 0]}},
}  # fmt: skip
LINKS = {
    "ball": {"kind": "ball"},
    "hinge": {"kind": "hinge", "axis": [0.3, 1, 0.2], "stiffness": 3.0, "damping": 2.0},
    "rigid": {"kind": "rigid"},
    "bar": {"kind": "bar", "length": 1.3},
    "sprung ball": {"kind": "ball", "stiffness": [3.0, 2.0, 4.0], "frame": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
    "slider": {
        "kind": "joint",
        "axes": {"x": {"spring": 3.0, "damping": 2.0, "friction": 0.1}, "y": "held", "z": "free"},
    },
    "sprung joint": {"kind": "joint", "axes": {"x": {"damping": 2.0}, "y": {"spring": 4.0}, "z": {"damping": 1.5}}},
}


@pytest.mark.parametrize("kind", LINKS)
def test_tangent_of_a_link_is_the_derivative_of_its_forces(kind):
    """Central differences over positions, turns and multipliers, with the velocities that follow them in a step."""
    model = model_of(IN_AIR, bodies=PAIR, links={"l": {**LINKS[kind], "between": ["a.e", "b.e"]}})
    work = make_work(model, initial_state(model), 0.0)
    mesh, X, n, gp, h = work.mesh, work.steps.trial.X, work.steps.memory.matrix.shape[0], 7.0, 1e-6
    rng = np.random.default_rng(1)
    X[:2] += 0.05 * rng.standard_normal(X[:2].shape)
    if kind == "hinge":  # the turn of a hinge is defined only where the hinge holds
        X[0, 2:4] = 0.0

    def system(X: Any) -> tuple[Any, Any]:
        A, b = np.zeros((n, n)), np.zeros(n)
        add_links(X, mesh, gp, A, b)
        return A, b

    def moved(change: Any) -> Any:
        Y = X.copy()
        for j in range(2):
            Y[0, j] += change[6 * j : 6 * j + 3]
            Y[1, j] += gp * change[6 * j : 6 * j + 3]
        turn_bodies(Y, mesh, change, 1.0, (0.0, gp))
        for r in range(n - 12):
            Y[0, multiplier_row(0, mesh) + r // 3, r % 3] += change[12 + r]
        return system(Y)[1]

    found = np.stack([-(moved(h * e) - moved(-h * e)) / (2.0 * h) for e in np.eye(n)], axis=1)
    # entries up to 30; differences of 1e-6 leave h^2 and 1e-16 / h = 1e-10 of them
    assert_allclose(found, system(X)[0], atol=1e-8)


# --- pendulums ---


def test_double_pendulum_follows_its_ordinary_differential_equation():
    """Two bodies, two hinges, large angles: second order towards the equations in angles; the hinges stay closed."""
    angles, duration = (1.0, 1.6), 2.0
    exact = pendulum_angles(angles, duration)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        states, _, work = run(double_pendulum(angles), [duration], step=step)
        errors.append(np.abs(hanging_angles(states[-1]) - exact).max())
        # the equations are of position, so nothing drifts: what is left is Newton's last correction, squared
        assert gap(work) < 1e-12
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.1)
    assert errors[-1] < 2e-4


def test_bar_swings_as_a_pendulum():
    """A body at the end of a bar of 2 m: T = 2 pi sqrt(L / g) (1 + a^2 / 16)."""
    length, amplitude = 2.0, 1e-3
    body = {"mass": 5.0, "inertia": [1, 1, 1], "position": [length * np.sin(amplitude), 0, -length * np.cos(amplitude)],
            "attachments": {"eye": [0, 0, 0]}}  # fmt: skip
    model = model_of(IN_AIR, bodies={"bob": body}, links={"bar": {"kind": "bar", "between": ["bob.eye", "roof"]}},
                     points={"roof": {"position": [0, 0, 0]}})  # fmt: skip
    period = 2.0 * np.pi * np.sqrt(length / G)
    states, _, work = run(model, [0.25 * period, period], step=period / 2000)
    assert_allclose(states[0].body_position[0, 0], 0.0, atol=2e-6 * amplitude * length * 1000)
    # (2 pi / 2000)^2 / 12 of a turn is 1e-6 rad of phase, times 6; at the extreme it enters squared
    assert_allclose(states[1].body_position[0, 0], length * np.sin(amplitude), rtol=1e-6)
    assert gap(work) < 1e-12


# --- free in space ---


def tumbling(kind: str, step: float) -> tuple[float, float, float]:
    """Relative changes of both momenta and of the energy of two linked bodies that tumble freely for 1 s."""
    model, start = tumblers(kind)
    states, _, work = run(model, [1.0], start, step=step, spectral_radius=0.8)
    assert gap(work) < 1e-10
    (P0, L0, E0), (P1, L1, E1) = momenta(model, start), momenta(model, states[-1])
    size = np.linalg.norm
    return float(size(P1 - P0) / size(P0)), float(size(L1 - L0) / size(L0)), abs(E1 / E0 - 1.0)


@pytest.mark.parametrize("kind", ["ball", "hinge", "rigid"])
def test_free_linked_bodies_keep_momentum_and_energy(kind):
    """Forces of a link are opposite and do no work: what the scheme changes is of second order."""
    coarse, fine = tumbling(kind, 1e-2), tumbling(kind, 5e-3)
    assert_allclose(np.log2(np.array(coarse) / np.array(fine)), 2.0, atol=0.02)
    assert max(fine) < 1e-5


def test_hinge_with_spring_and_damper_swings_as_a_damped_oscillator():
    """A body on a hinge to a fixed point: J q'' + c q' + k q = 0; and the ledger takes both into account."""
    J, k, c, start = 2.0, 50.0, 1.5, 0.1
    body = {"mass": 4.0, "inertia": [1.0, J, 1.5], "position": [0, 0, 0], "attachments": {"hub": [0, 0, 0]}}
    links = {"hub": {"kind": "hinge", "between": ["rotor.hub", "wall"], "stiffness": k, "damping": c}}
    model = model_of(VACUUM, bodies={"rotor": body}, links=links, points={"wall": {"position": [0, 0, 0]}})
    turned = np.array([[np.cos(0.5 * start), 0.0, np.sin(0.5 * start), 0.0]])
    states, report, _ = run(model, [0.7], initial_state(model)._replace(body_quaternion=turned), step=1e-3, ledger=True)
    R = rotation_matrix(states[-1].body_quaternion[0])
    decay, omega = 0.5 * c / J, np.sqrt(k / J - (0.5 * c / J) ** 2)
    angle = start * np.exp(-decay * 0.7) * (np.cos(omega * 0.7) + decay / omega * np.sin(omega * 0.7))
    # (omega h)^2 / 12 = 2e-6 of a phase of 3.5 rad
    assert_allclose(np.arctan2(R[0, 2], R[0, 0]), angle, atol=2e-5 * start)
    assert report.figures["energy_closure"] < 1e-4
    # spring and damper pull at the wall, too: nothing else does, because the mass centre is in the hinge
    moment = k * angle + c * states[-1].body_rate[0, 1]
    assert_allclose(states[-1].link_moment, [[0.0, moment, 0.0]], atol=1e-4 * k * start)
    assert_allclose(states[-1].link_force, 0.0, atol=1e-9)


def test_links_carry_what_hangs_on_them_over_time():
    """Force of a pendulum on its hinge, m (g - a) of the mass centre; recorded by name at every moment."""
    body = {"mass": 4.0, "inertia": [1.0, 0.5, 1.5], "centre_of_mass": [0, 0, -0.8], "position": [0, 0, 0],
            "attitude": [0, 40, 0], "attachments": {"top": [0, 0, 0]}}  # fmt: skip
    links = {"top": {"kind": "hinge", "between": ["bob.top", "post"]}}
    system = System.model_validate(
        {
            "environment": IN_AIR,
            "bodies": {"bob": body},
            "links": links,
            "points": {"post": {"position": [0, 0, 0]}},
            "run": {"duration": 1.0, "start": "as_given", "step": 2e-3},
            "record": {"every": 0.25},
        }
    )
    dataset = rw.simulate(system)
    assert dataset["link_force"].dims == ("time", "link", "axis")
    assert list(dataset["link"].values) == ["top"]
    J = 0.5 + 4.0 * 0.8**2
    for i in range(dataset.sizes["time"]):
        axis = -rotation_matrix(dataset["body_quaternion"].values[i, 0])[:, 2]
        rate = dataset["body_rate"].values[i, 0, 1]
        across = np.array([-axis[2], 0.0, axis[0]])  # the way of a growing angle from the vertical
        swing = 4.0 * 0.8 * G * axis[0] / J  # against that way
        acceleration = -0.8 * (swing * across + rate**2 * axis)
        expected = 4.0 * (np.array([0.0, 0.0, -G]) - acceleration)
        # the equations hold at the end of each step; what is carried at the start is that of a tiny step
        assert_allclose(dataset["link_force"].values[i, 0], expected, atol=1e-5 * 4.0 * G)
        assert_allclose(dataset["link_moment"].values[i, 0], 0.0, atol=1e-5 * 4.0 * G)


def test_moving_hinge_does_the_work_of_its_reaction():
    """A pendulum whose hinge is shaken: what the ledger misses falls with the square of the step."""
    shake = {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 0.3, "omega": 3.0}]}
    body = {"mass": 4.0, "inertia": [1.0, 0.5, 1.5], "centre_of_mass": [0, 0, -0.8], "position": [0.3, 0, 0],
            "attachments": {"top": [0, 0, 0]}}  # fmt: skip
    links = {"top": {"kind": "hinge", "between": ["bob.top", "car"]}}
    points = {"car": {"position": [0, 0, 0], "joint": "moving", "motion": shake}}
    model = model_of(IN_AIR, bodies={"bob": body}, links=links, points=points)
    missed = []
    for step in (4e-3, 2e-3):
        report = run(model, [3.0], step=step, ledger=True)[1]
        assert abs(report.figures["energy"]["work_ends"]) > 1.0
        missed.append(report.figures["energy_closure"])
    assert missed[1] < 1e-4
    assert missed[1] < 0.4 * missed[0]


# --- at rest ---


def float_at(x: float, **more: Any) -> dict[str, Any]:
    """A cylinder of 1 m radius, 2 m high, half submerged, at (x, 0)."""
    mass = RHO * np.pi
    return {"mass": mass, "inertia": [mass, mass, mass], "centre_of_mass": [0, 0, -0.3], "position": [x, 0, 0],
            "hull": {"drag": 0, "added_mass": 0,
                     "kind": "axisymmetric", "profile": [[-1, 1], [1, 1]]}, **more}  # fmt: skip


def rest(model: Model) -> tuple[State, Any]:
    solver = MixedFemStatics()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert report.good, report.message
    return solver.read(model, work), report


WATERPLANE = RHO * G * np.pi  # N/m, in heave
OWN = (
    RHO * G * np.pi * (0.25 - 0.5 + 0.3)
)  # N m/rad: displacement times GM = BM - (draught/2 - depth of the mass centre)


def test_hinged_raft_sinks_and_folds_as_its_waterplanes_say():
    """Two floats with arms to a hinge in the middle, loaded there: sinkage F/2k, and each tilts by F d/2C."""
    F, d = 5.0, 2.0
    bodies = {"a": float_at(-d, attachments={"arm": [d, 0, 0]}, loads={"force": [0, 0, -F], "at": [d, 0, 0]}),
              "b": float_at(d, attachments={"arm": [-d, 0, 0]})}  # fmt: skip
    model = model_of(CALM, bodies=bodies, links={"hinge": {"kind": "hinge", "between": ["a.arm", "b.arm"]}})
    state, _ = rest(model)
    tilt = 0.5 * F * d / OWN  # 3e-3 rad: the draught along the axis changes by its square, 5e-6 of 8e-5 m
    assert_allclose(state.body_position[:, 2], -0.5 * F / WATERPLANE, rtol=0.05)
    axes = np.array([rotation_matrix(q)[:, 2] for q in state.body_quaternion])
    assert_allclose(axes[:, 0], [tilt, -tilt], rtol=1e-3)


def test_rigid_raft_heels_as_one_body():
    """Moment M on two floats 2d apart, held rigidly: angle M / (2 C + 2 k d^2)."""
    M, d = 20.0, 2.0
    bodies = {"a": float_at(-d, attachments={"arm": [d, 0, 0]}, loads={"moment": [0, M, 0]}),
              "b": float_at(d, attachments={"arm": [-d, 0, 0]})}  # fmt: skip
    model = model_of(CALM, bodies=bodies, links={"weld": {"kind": "rigid", "between": ["a.arm", "b.arm"]}})
    state, _ = rest(model)
    axes = np.array([rotation_matrix(q)[:, 2] for q in state.body_quaternion])
    assert_allclose(axes[:, 0], M / (2.0 * OWN + 2.0 * WATERPLANE * d**2), rtol=1e-6)


def test_statics_put_together_what_the_file_leaves_apart():
    """The same raft from floats 0.4 m too far apart and turned: the same rest; a run as given is refused."""
    d, F = 2.0, 5.0
    bodies = {"a": float_at(-d, attachments={"arm": [d, 0, 0]}, loads={"force": [0, 0, -F], "at": [d, 0, 0]}),
              "b": float_at(d + 0.4, attachments={"arm": [-d, 0, 0]}, attitude=[0, 3, 0])}  # fmt: skip
    model = model_of(CALM, bodies=bodies, links={"ball": {"kind": "ball", "between": ["a.arm", "b.arm"]}})
    state, report = rest(model)
    assert_allclose(np.linalg.norm(state.body_position[1, :2] - state.body_position[0, :2]), 2.0 * d, atol=1e-4)
    assert_allclose(report.figures["links"]["ball"], [0.0, 0.0, -0.5 * F], atol=1e-2)
    # 0.4 m and the turn of the arm of 2 m by 3 degrees
    with pytest.raises(InputError, match=re.escape("link 'ball': its ends are 0.4027 m apart")):
        MixedFem(start_at="as_given").start(model, initial_state(model))


# --- what cannot be ---


def test_links_that_cannot_be_are_refused():
    """Names, ends on one body, points that cannot turn, nothing that moves."""
    point = {"p": {"position": [0, 0, 0]}, "free": {"position": [0, 0, 0], "joint": "free"}}
    for link, sentence in (
        ({"kind": "ball", "between": ["a.e", "a.e"]}, "both ends are on 'a'"),
        ({"kind": "ball", "between": ["p", "a.e"]}, "a link begins at a body's attachment"),
        ({"kind": "ball", "between": ["a.e", "b.f"]}, "no point or attachment 'b.f'; did you mean 'b.e'?"),
        ({"kind": "hinge", "between": ["a.e", "free"]}, "point 'free' cannot turn"),
        ({"kind": "ball", "between": ["held.e", "p"]}, "is free to move"),
    ):
        bodies = {**PAIR, "held": {**PAIR["a"], "joint": "fixed"}}
        with pytest.raises(InputError, match=re.escape(sentence)):
            model_of(IN_AIR, bodies=bodies, points=point, links={"l": link})


def test_other_methods_refuse_links():
    model = model_of(CALM, bodies=PAIR, links={"l": {"kind": "ball", "between": ["a.e", "b.e"]}})
    with pytest.raises(InputError, match="does not support links between bodies"):
        Catenary().start(model, initial_state(model))


# --- many of them ---


def test_long_chain_of_bodies_is_solved_sparsely_and_right():
    """Thirty bodies on balls hang as a chain of weights does: slopes from the moments about each ball."""
    n, a, pull = 30, 0.5, 40.0
    names = [f"b{k}" for k in range(n)]
    bodies = {
        name: {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [2 * a * k + a, 0, -0.1 * k],
               "attachments": {"l": [-a, 0, 0], "r": [a, 0, 0]}}
        for k, name in enumerate(names)
    }  # fmt: skip
    bodies[names[-1]]["loads"] = {"force": [pull, 0, 0], "at": [a, 0, 0]}
    links = {"top": {"kind": "ball", "between": ["b0.l", "roof"]}}
    links |= {f"j{k}": {"kind": "ball", "between": [f"b{k}.l", f"b{k - 1}.r"]} for k in range(1, n)}
    model = model_of(IN_AIR, bodies=bodies, links=links, points={"roof": {"position": [0, 0, 0]}})
    assert 6 * n + 3 * n > WORTH_FROM
    state, _ = rest(model)
    # at the middle of body k hangs its own weight and all that is below it at its end: tan = (W_below + W/2) / pull
    slope = (np.arange(n)[::-1] + 0.5) * G / pull
    axes = np.array([rotation_matrix(q)[:, 0] for q in state.body_quaternion])
    assert_allclose(-axes[:, 2] / axes[:, 0], slope, rtol=1e-8)


def test_places_without_lines_are_bodies_and_links():
    """The message of a run that stops names the worst element, of which bodies and links alone have none."""
    system = System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "bodies": {
                "bob": {"mass": 1, "inertia": [1, 1, 1], "position": [1, 0, 0], "attachments": {"a": [-1, 0, 0]}},
            },
            "points": {"p": {"position": [0, 0, 0]}},
            "links": {"k": {"kind": "ball", "between": ["bob.a", "p"]}},
        }
    )  # fmt: skip
    model = build(system)
    work = MixedFem().start(model, initial_state(model))
    assert place(model, work.mesh, 0) == worst_place(model, work) == "a body or a link"
