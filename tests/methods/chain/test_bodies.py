"""Rigid bodies at the ends of power-series chains against independent mechanics and closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chain_drive import drive, held_at, polyline, term
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from ropewalk.analysis.run import simulate
from ropewalk.errors import InputError
from ropewalk.io.native import read_text
from ropewalk.methods.chain.arrays import Chain, chain
from ropewalk.methods.chain.bodies import END_BODY, allocate_bodies
from ropewalk.methods.chain.forces import body_states, energy
from ropewalk.methods.chain.solver import ChainSeries
from ropewalk.model.arrays import records
from ropewalk.model.model import build
from ropewalk.model.state import State, initial_state

Array = np.ndarray
G = 9.81
INERTIA = np.array([[3.0, 0.2, -0.1], [0.2, 2.0, 0.3], [-0.1, 0.3, 1.5]])


def _body(node: int, mass: float = 4.0, inertia: Array = INERTIA, eye: tuple[float, ...] = (0.3, -0.2, 0.5),
          **loads: tuple[float, ...]) -> np.recarray:  # fmt: skip
    row = records(1, END_BODY)
    row.node, row.mass, row.eye = node, mass, eye
    row.inertia, row.inverse = inertia.ravel(), np.linalg.inv(inertia).ravel()
    row.weight = 0.0, 0.0, -mass * G
    for name, value in loads.items():
        row[name] = value
    return row


def _attitude(axis: tuple[float, float, float], angle: float) -> Array:
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * hat + (1 - np.cos(angle)) * hat @ hat


def _hat(a: Array) -> Array:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _reference(made: Chain, body: np.record, r: Array, v: Array, R: Array, w: Array, until: float, push=None):
    """Nodes, attitude and rate at `until`: all masses with multipliers for lengths and for the eye, DOP853.

    Unknowns of the dense system are the accelerations of the nodes, of the centre of mass and of the rotation, and the
    multipliers of n lengths, of 3 components of the eye and of 3 of the held first node: no elimination.
    """
    n = made.length.size
    nodes, size = 3 * (n + 1), 3 * (n + 1) + 6
    J = body.inertia.reshape(3, 3)

    def accelerations(t, r, v, R, w):
        M, Q = np.zeros((size, size)), np.zeros(size)
        for k in range(n):
            for i, j, share in ((k, k, 2), (k, k + 1, 1), (k + 1, k, 1), (k + 1, k + 1, 2)):
                M[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += made.mass[k] / 6.0 * share * np.eye(3)
            for i in (k, k + 1):
                Q[3 * i : 3 * i + 3] += made.link_load[k, i - k]
        M[nodes : nodes + 3, nodes : nodes + 3] = body.mass * np.eye(3)
        M[nodes + 3 :, nodes + 3 :] = J
        force, moment = push(t) if push else (np.zeros(3), np.zeros(3))
        given = body.force + force
        Q[nodes : nodes + 3] = body.weight + body.lift + given
        Q[nodes + 3 :] = np.cross(body.at, R.T @ given) + np.cross(body.origin, R.T @ body.lift)
        Q[nodes + 3 :] += R.T @ (body.moment + moment) - np.cross(w, J @ w)
        C, c = np.zeros((n + 6, size)), np.zeros(n + 6)
        for k in range(n):
            d, rate = r[k + 1] - r[k], v[k + 1] - v[k]
            C[k, 3 * k : 3 * k + 3], C[k, 3 * k + 3 : 3 * k + 6], c[k] = -d, d, -rate @ rate
        C[n : n + 3, :3] = np.eye(3)
        C[n + 3 :, 3 * n : 3 * n + 3], C[n + 3 :, nodes : nodes + 3] = np.eye(3), -np.eye(3)
        C[n + 3 :, nodes + 3 :] = R @ _hat(body.eye)
        c[n + 3 :] = R @ np.cross(w, np.cross(w, body.eye))
        whole = np.block([[M, C.T], [C, np.zeros((n + 6, n + 6))]])
        return np.linalg.solve(whole, np.concatenate([Q, c]))[:size]

    def rates(t, y):
        r, v = y[:nodes].reshape(-1, 3), y[nodes : 2 * nodes].reshape(-1, 3)
        R, w = y[2 * nodes : 2 * nodes + 9].reshape(3, 3), y[2 * nodes + 9 :]
        a = accelerations(t, r, v, R, w)
        return np.concatenate([v.ravel(), a[:nodes], (R @ _hat(w)).ravel(), a[nodes + 3 :]])

    start = np.concatenate([r.ravel(), v.ravel(), R.ravel(), w])
    y = solve_ivp(rates, (0.0, until), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return y[:nodes].reshape(-1, 3), y[2 * nodes : 2 * nodes + 9].reshape(3, 3), y[2 * nodes + 9 :]


LOADS = {
    "weight": {},
    "buoyancy and loads": {"lift": (0, 0, 25.0), "origin": (-0.1, 0.2, -0.4), "force": (3, -1, 2),
                           "at": (0.2, 0.1, 0.3), "moment": (0.5, -0.3, 0.8)},
}  # fmt: skip


@pytest.mark.parametrize("loads", LOADS)
@pytest.mark.parametrize("in_time", [False, True])
def test_body_moves_as_by_dense_mechanics(loads: str, in_time: bool) -> None:
    """Three links and a body in space, from a shape in motion; forces and moments that change in time."""
    body = _body(3, **LOADS[loads])
    length, mass = np.array([1.0, 0.7, 0.9]), np.array([2.0, 1.0, 1.5])
    terms = [term(0, (4.0, 2.0, -1.0), 3.0, 0.3), term(1, (0.5, 1.0, -0.7), 2.0, -0.4)] if in_time else None

    def push(t: float) -> tuple[Array, Array]:
        force, moment = np.array([4.0, 2.0, -1.0]), np.array([0.5, 1.0, -0.7])
        return force * np.cos(3.0 * t - 0.3), moment * np.cos(2.0 * t + 0.4)

    made = chain(length, mass, held=(True, False), motion_terms=held_at(0, (0, 0, 0))[None], bodies=body,
                 body_terms=None if terms is None else np.stack(terms))  # fmt: skip
    r = polyline(length, np.array([[1.0, 0.3, -0.2], [0.8, -0.4, 0.5], [0.2, 1.0, -0.3]]))
    spin = np.array([0.4, -0.7, 1.1])
    v, R = np.cross(spin, r), _attitude((1, 2, -1), 0.8)
    w = R.T @ spin + [0.5, -1.0, 0.7]
    out = drive(made, r, v, 0.6, poses=[(R, w)])
    nodes, attitude, rate = _reference(made, body[0], r, v, R, w, 0.6, push if in_time else None)
    clock = out.clock[0]
    (there,) = body_states(made, out.series, (0.6 - clock.begin) / clock.scale, out.position, out.velocity)
    # the Runge-Kutta run errs by its 1e-12 times some hundred steps; lengths drift as much
    assert_allclose(out.position, nodes, atol=2e-10)
    assert_allclose(there.attitude, attitude, atol=2e-10)
    assert_allclose(there.rate, rate, atol=1e-9)
    # energy: work of what has no potential
    (begin,) = body_states(made, out.series._replace(bodies=_at_rest(R, w)), 0.0, r, v)
    change = sum(energy(made, out.position, out.velocity, [there])) - sum(energy(made, r, v, [begin]))
    assert change == pytest.approx(out.ledger[2], abs=1e-10 * 100.0)  # 1e-10 of some 100 J


def _at_rest(R: Array, w: Array):
    made = allocate_bodies(1, 4)
    made.attitude[0, 0], made.rate[0, 0] = R.ravel(), w
    return made


@pytest.mark.parametrize("side", [0, 1])
def test_body_on_a_fixed_eye_is_a_physical_pendulum(side: int) -> None:
    """T = 4 K(sin^2(a/2)) sqrt((I + m c^2)/(m g c)) on a massless link of 1 mm."""
    angle, m, a = np.radians(60.0), 5.0, 1e-3
    own, c = 0.8, 0.5
    body = _body(1 - side, m, np.diag([own, own, 0.1]), (0.0, 0.0, c))
    held = (False, True) if side == 1 else (True, False)
    node = 1 if side == 1 else 0
    made = chain(np.array([a]), np.zeros(1), held=held, motion_terms=held_at(node, (0, 0, 0))[None], bodies=body)
    down = np.array([[np.sin(angle), 0.0, -np.cos(angle)]])
    r = polyline(np.array([a]), down)
    if side == 1:
        r = r[::-1].copy()
    period = 4.0 * ellipk(np.sin(0.5 * angle) ** 2) * np.sqrt((own + m * c**2) / (m * G * c))
    out = drive(made, r, np.zeros((2, 3)), period, tolerance=1e-10, poses=[(_attitude((0, 1, 0), -angle), np.zeros(3))])
    # the link of 1 mm gives the pendulum its length, and a fast small motion of its own of about that size
    assert_allclose(out.position, r, atol=2.5 * a)


def test_top_on_its_centre_precesses() -> None:
    """Without moments a symmetric body with I3 w3 turns in its frame at (I1 - I3)/I1 w3 [Goldstein, sec. 5.6]."""
    body = _body(1, 3.0, np.diag([2.0, 2.0, 0.5]), (0.0, 0.0, 0.0))
    made = chain(np.array([1.0]), np.array([1.0]), held=(True, False), motion_terms=held_at(0, (0, 0, 0))[None],
                 bodies=body)  # fmt: skip
    r = polyline(np.array([1.0]), np.array([[1.0, 0.0, 0.0]]))
    w = np.array([0.4, 0.0, 6.0])
    out = drive(made, r, np.zeros((2, 3)), 2.0, poses=[(np.eye(3), w)])
    clock = out.clock[0]
    (there,) = body_states(made, out.series, (2.0 - clock.begin) / clock.scale, out.position, out.velocity)
    turn = (2.0 - 0.5) / 2.0 * 6.0 * 2.0
    assert_allclose(there.rate, [0.4 * np.cos(turn), -0.4 * np.sin(turn), 6.0], atol=1e-11)
    assert_allclose(there.attitude @ there.attitude.T, np.eye(3), atol=1e-14)


def test_damping_slows_bodies_as_it_slows_links() -> None:
    """Free flight without gravity: velocity and spin about an axis fall as exp(-d t)."""
    body = _body(1, 3.0, np.diag([2.0, 2.0, 0.5]), (0.0, 0.0, 0.0))
    body.weight = 0.0
    made = chain(np.array([1.0]), np.array([1.0]), gravity=0.0, held=(False, False), bodies=body, damping=0.4)
    r = polyline(np.array([1.0]), np.array([[1.0, 0.0, 0.0]]))
    v = np.tile([0.0, 2.0, 0.0], (2, 1))
    out = drive(made, r, v, 1.5, poses=[(np.eye(3), np.array([0.0, 0.0, 6.0]))])
    clock = out.clock[0]
    (there,) = body_states(made, out.series, (1.5 - clock.begin) / clock.scale, out.position, out.velocity)
    assert_allclose(out.velocity, v * np.exp(-0.6), atol=1e-12)
    assert there.rate[2] == pytest.approx(6.0 * np.exp(-0.6), abs=1e-11)
    lost = (0.5 * 4.0 * 4.0 + 0.5 * 0.5 * 36.0) * (np.exp(-1.2) - 1.0)
    assert out.ledger[2] == pytest.approx(lost, rel=1e-11)


# -- cases ------------------------------------------------------------------------------------------------------------

EXAMPLE = (Path(__file__).parents[3] / "examples" / "chain_body.yaml").read_text()


def test_energy_of_the_example_balances() -> None:
    """Work of the tip and of the moment on the load against the change of energy, over 20 s."""
    run = simulate(read_text(EXAMPLE))
    held = run.energy.sel(term=["kinetic", "potential"]).sum("term")
    done = run.energy.sel(term=["work_of_ends", "work_of_loads"]).sum("term")
    # 1e-10 of the 30 kJ that the potential changes by; 3e-15 measured
    assert_allclose(held - held[0], done, atol=3e-6)


def test_body_on_links_and_on_mixed_elements_meet_in_the_cable() -> None:
    """Rigid links and mixed elements are second-order pictures of one cable with the same body."""
    gentle = EXAMPLE.replace("duration: 20", "duration: 6").replace("every: 0.1", "every: 6")
    miss = []
    for n in (12, 24):
        ends = []
        for solver in ("solver: chain_series, tolerance: 1.0e-9", "solver: mixed_fem, tolerance: 1.0e-6"):
            text = gentle.replace("solver: chain_series, tolerance: 1.0e-12, options: {order: 26}", solver)
            run = simulate(read_text(text.replace("elements: 12", f"elements: {n}")))
            ends.append(np.concatenate([run.body_position.values[-1, 0], run.body_quaternion.values[-1, 0]]))
        miss.append(np.abs(ends[1] - ends[0]).max())
    # 0.3 mm and 0.09 mm of 12 m: the steps of the elements leave some 1e-5 m
    assert miss[1] < 2e-4
    assert 3.0 < miss[0] / miss[1] < 5.0


def test_restored_run_with_a_body_goes_on_to_the_same_bits() -> None:
    model = build(read_text(EXAMPLE))
    solver = ChainSeries(tolerance=1e-8)
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 1.03)
    other = solver.restore(model, solver.snapshot(work))
    for t in (1.03, 2.0):
        reports = [solver.advance(model, w, t) for w in (work, other)]
        one, two = solver.read(model, work), solver.read(model, other)
        assert all(np.array_equal(getattr(one, name), getattr(two, name)) for name in State._fields)
        assert reports[0] == reports[1]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mass: 800", "mass: 800\n    hull: {kind: sphere, radius: 0.5}", "hulls or windage.*'mixed_fem'"),
        ("mass: 800", f"mass: 800\n    damping: {np.eye(6).tolist()}", "has damping.*'mixed_fem'"),
        ("inertia: [260, 320, 180]", "inertia: [0, 0, 0]", "give it inertia"),
        ("lines:", "lines:\n  other: {from: tip, to: load.eye, pieces: [{section: links, length: 14}]}",
         "joins 2 lines.*'mixed_fem'"),
    ],
)  # fmt: skip
def test_what_a_body_on_a_chain_cannot_have_is_refused(old: str, new: str, words: str) -> None:
    model = build(read_text(EXAMPLE.replace(old, new)))
    with pytest.raises(InputError, match=words):
        ChainSeries().start(model, initial_state(model))


def test_body_with_volume_stays_on_its_side_of_the_surface() -> None:
    """A float of 0.9 m3 that rises on a chain from the bottom reaches the surface: refused with name and height."""
    text = """
ropewalk: 1
environment: {depth: 30, seabed: {kind: none}, gravity: 9.81, water_density: 1025}
sections:
  links: {diameter: 0.03, mass: 15.0, axial_stiffness: inextensible, compression: true, drag: {normal: 0}}
points: {anchor: {position: [0, 0, -25], joint: fixed}}
bodies:
  buoy: {mass: 200, inertia: [30, 30, 30], volume: 0.9, position: [0, 0, -12.5], attachments: {eye: [0, 0, -0.5]}}
lines: {chain: {from: anchor, to: buoy.eye, elements: 6, pieces: [{section: links, length: 12}]}}
"""
    model = build(read_text(text))
    solver = ChainSeries(tolerance=1e-9)
    work = solver.start(model, initial_state(model))
    state = solver.read(model, work)
    # at rest: buoyancy less weights at the anchor
    net = 9.81 * (1025.0 * 0.9 - 200.0 - 12.0 * (15.0 - 1025.0 * np.pi * 0.015**2))
    assert state.tension[0] == pytest.approx(net, rel=1e-12)
    assert_allclose(state.body_position[0], [0.0, 0.0, -12.5], atol=1e-12)
    high = build(read_text(text.replace("-25]", "-13]").replace("-12.5]", "-0.5]")))
    with pytest.raises(InputError, match=r"body 'buoy' at z = -0.5 m.*'mixed_fem'"):
        ChainSeries(tolerance=1e-9).start(high, initial_state(high))
