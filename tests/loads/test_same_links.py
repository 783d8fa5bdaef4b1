"""Same state, same force of a link: every method gets from a random state what a plain reference gives.

A link is a force F and a moment M on the second part where its end is, and their opposites on the first part in the
same place. The reference shares no code with the program; it knows turn and rate of a hinge because it sets them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from ropewalk.assembly.body_loads import body_rows
from ropewalk.assembly.mesh import build_mesh
from ropewalk.methods.bars.hinges import hinge_energy, hinge_loads
from ropewalk.methods.bars.links import link_loads
from ropewalk.methods.bars.ties import PAIRS, tie_energy, tie_loads
from ropewalk.methods.bars.work import start_bars
from ropewalk.methods.linear.links import link_matrices
from ropewalk.methods.linear.unknowns import Place, number
from ropewalk.methods.mixed.body_ledger import link_powers, measure_bodies
from ropewalk.methods.mixed.ledger_forces import FORCES, new_ledger
from ropewalk.methods.mixed.links import link_unbalance, multiplier_row
from ropewalk.model.arrays import records
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.physics.waves import COLUMNS
from ropewalk.spec.system import System

G = 9.81
TIGHT = 1e-12  # of the largest: round-off of sums of ten terms
K, C, CONSTANTS = 30.0, 5.0, np.array([3.0, 4.0, 2.0])  # N m/rad, N m s/rad; of a ball, N m
SPRING, REST, DAMPER, PULL = 40.0, 0.3, 6.0, -7.0  # of a joint: N/m, m, N s/m; N
KINDS = {
    "ball": {"kind": "ball"},
    "sprung ball": {"kind": "ball", "stiffness": [6.0, 5.0, 7.0], "frame": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
    "hinge": {"kind": "hinge", "axis": [0.3, 1, 0.2], "stiffness": K, "damping": C},
    "rigid": {"kind": "rigid"},
    "bar": {"kind": "bar", "length": 1.3},
    "joint": {"kind": "joint", "axes": {"x": {"spring": SPRING, "rest": REST, "damping": DAMPER, "force": PULL},
                                        "y": "held", "z": "free"}},
}  # fmt: skip
ROWS = {"ball": 3, "sprung ball": 3, "hinge": 5, "rigid": 6, "bar": 1, "joint": 1}
ARMS = np.array([[1.0, 0.3, 0.2], [-1.0, 0.1, 0.0]])  # m
EXTRA = {"damping": np.diag([2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).tolist(),
         "quadratic_damping": (np.arange(36.0).reshape(6, 6) / 10.0).tolist()}  # fmt: skip


class Posed(NamedTuple):
    """Two linked bodies in a state that the link allows."""

    kind: str
    model: Model
    state: State
    turn: Any  # (3, 3, 3) attitudes of both
    angle: float  # of a hinge, rad
    rate: float  # rad/s
    forces: Any  # (6,) multipliers, N


def posed(kind: str, seed: int, **more: Any) -> Posed:
    """Any pose of the first body; the second where the link holds it, moving as the link allows."""
    rng = np.random.default_rng(seed)
    apart = {"bar": np.array([1.3, 0.0, 0.0]), "joint": np.array([0.2, 0.0, 0.4])}.get(kind, np.zeros(3))
    body = {"a": {"mass": 1.0, "inertia": [1.0, 1.5, 1.2], "position": (-ARMS[0]).tolist()},
            "b": {"mass": 2.0, "inertia": [1.0, 2.0, 1.3], "position": (apart - ARMS[1]).tolist()}}  # fmt: skip
    for name, arm in zip("ab", ARMS, strict=True):
        body[name] |= {"attachments": {"e": arm.tolist()}, **more}
    model = build(System.model_validate({
        "environment": {"gravity": G, "water_density": 0.0, "air_density": 0.0, "seabed": {"kind": "none"}},
        "bodies": body, "links": {"l": {**KINDS[kind], "between": ["a.e", "b.e"]}},
    }))  # fmt: skip
    first, angle, rate = Rotation.random(random_state=rng), float(rng.uniform(-1.0, 1.0)), float(rng.normal())
    axis = model.links.frame[0, 0, 2]
    second = {"hinge": first * Rotation.from_rotvec(angle * axis), "rigid": first}.get(
        kind, first * Rotation.from_rotvec(rng.uniform(-1.0, 1.0, 3))
    )
    R = np.array([first.as_matrix(), second.as_matrix()])
    omega = rng.normal(size=(2, 3))
    if kind in ("hinge", "rigid"):
        omega[1] = omega[0] + (rate * R[0] @ axis if kind == "hinge" else 0.0)
    arms = np.einsum("kij,kj->ki", R, ARMS)
    x, v = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    x[1] = x[0] + arms[0] + R[0] @ apart - arms[1]
    if kind not in ("bar", "joint"):
        v[1] = v[0] + np.cross(omega[0], arms[0]) - np.cross(omega[1], arms[1])
    q = np.roll([first.as_quat(), second.as_quat()], 1, axis=1)
    state = initial_state(model)._replace(body_position=x, body_quaternion=q, body_velocity=v, body_rate=omega)
    forces = np.where(np.arange(6) < ROWS[kind], 10.0 * rng.normal(size=6), 0.0)
    return Posed(kind, model, state, R, angle, rate, forces)


def still(case: Posed) -> Posed:
    """The same at rest."""
    zero = np.zeros((2, 3))
    return case._replace(state=case.state._replace(body_velocity=zero, body_rate=zero), rate=0.0)


def reference(case: Posed) -> Any:
    """(2, 6) forces and moments of the link on both bodies about their origins."""
    R, (x, v, omega) = case.turn, (case.state.body_position, case.state.body_velocity, case.state.body_rate)
    arms = np.einsum("kij,kj->ki", R, ARMS)
    (pa, pb), (va, vb) = x + arms, v + np.cross(omega, arms)
    a, b = (case.model.links.frame[0, k] @ R[k].T for k in range(2))  # directions, in rows
    size = build_mesh(case.model).bodies.links.link[0].extent
    F, M = np.zeros(3), np.zeros(3)
    if case.kind == "bar":
        F = case.forces[0] * (pa - pb) / np.linalg.norm(pa - pb)
    elif case.kind == "joint":
        way = a[0] @ (pb - pa)
        rate = a[0] @ (vb - va - np.cross(omega[0], pb - pa))
        F = (PULL - SPRING * (way - REST) - DAMPER * rate) * a[0] + case.forces[0] * a[1]
    else:
        F = case.forces[:3]
    if case.kind in ("hinge", "rigid"):
        for force, (i, j) in zip(case.forces[3:], ((2, 0), (2, 1), (0, 1)), strict=True):
            M = M + size * force * np.cross(a[i], b[j])
    if case.kind == "hinge":
        M = M - (K * case.angle + C * case.rate) * a[2]
    if case.kind == "sprung ball":
        M = sum(c * np.cross(w, u) for c, u, w in zip(CONSTANTS, a, b, strict=True))
    return np.array([np.r_[-F, -M - np.cross(pb - x[0], F)], np.r_[F, M + np.cross(pb - x[1], F)]])


def rows_of(case: Posed) -> tuple[Any, Any]:
    """The mesh of the mixed elements and its array of positions and velocities."""
    mesh = build_mesh(case.model)
    X = np.zeros((4, multiplier_row(0, mesh) + 2, 3))
    mesh.bodies.memory.attitude[:] = case.state.body_quaternion
    for k in range(2):
        row, turn = body_rows(k, mesh)
        X[0, row], X[1, row] = case.state.body_position[k], case.state.body_velocity[k]
        X[1, turn] = case.turn[k].T @ case.state.body_rate[k]
    X[0, multiplier_row(0, mesh) :] = case.forces.reshape(2, 3) / mesh.bodies.links.link[0].force_scale
    return mesh, X


def mixed(case: Posed, change: Any = None, speed: Any = None) -> Any:
    """(12,) forces and moments of the mixed elements, after moves and turns (12,) and with added velocities (12,)."""
    mesh, X = rows_of(case)
    nodes = np.zeros(X.shape[1:])
    rows = [body_rows(k, mesh) for k in range(2)]
    for c, added in ((0, change), (1, speed)):
        if added is not None:
            for k, (row, turn) in enumerate(rows):
                X[c, row] += added[6 * k : 6 * k + 3]
                X[c, turn] += case.turn[k].T @ added[6 * k + 3 : 6 * k + 6]
    link_unbalance(X, mesh, nodes)
    return -np.concatenate([nodes[row] for pair in rows for row in pair])


BY_KIND = pytest.mark.parametrize("kind", KINDS)
SEEDS = pytest.mark.parametrize("seed", range(3))


@BY_KIND
@SEEDS
def test_mixed_elements_feel_the_link(kind: str, seed: int) -> None:
    """Springs, dampers and multipliers on moving bodies."""
    case = posed(kind, seed)
    expected = reference(case).ravel()
    assert_allclose(mixed(case), expected, rtol=0.0, atol=TIGHT * np.abs(expected).max())


@BY_KIND
@SEEDS
def test_linear_method_feels_the_link_and_its_changes(kind: str, seed: int) -> None:
    """Force at rest; stiffness, damping and equations against differences of the force of the mixed elements."""
    case = still(posed(kind, seed))
    unknowns, n = number(case.model), ROWS[kind]
    place = Place(np.zeros((0, 3)), np.zeros(0), case.state.body_position, case.state.body_quaternion, case.forces[:n])
    found = link_matrices(case.model, unknowns, place)
    body, rows = unknowns.body.ravel(), unknowns.link
    expected = reference(case).ravel()
    scale = np.abs(expected).max()
    assert_allclose(-found.residual[body], expected, rtol=0.0, atol=TIGHT * scale)
    h, units = 1e-6, np.eye(12)
    by_place = np.stack([mixed(case, h * e) - mixed(case, -h * e) for e in units], axis=1) / (2.0 * h)
    # h^2, and round-off over h
    assert_allclose(
        -found.K.toarray()[np.ix_(body, body)], by_place, rtol=0.0, atol=1e-8 * max(scale, np.abs(by_place).max())
    )
    # laws are linear in the velocities, and forces in the multipliers
    by_speed = np.stack([mixed(case, speed=e) - mixed(case) for e in units], axis=1)
    assert_allclose(-found.B.toarray()[np.ix_(body, body)], by_speed, rtol=0.0, atol=TIGHT * max(scale, C, DAMPER))
    for e, row in zip(np.eye(6), rows, strict=False):
        pull = mixed(case._replace(forces=case.forces + e)) - mixed(case)
        assert_allclose(-found.K.toarray()[body, row], pull, rtol=0.0, atol=TIGHT * scale)
        assert_allclose(-found.K.toarray()[row, body], pull, rtol=0.0, atol=TIGHT * scale)


@BY_KIND
@SEEDS
def test_the_ledger_books_force_times_velocity(kind: str, seed: int) -> None:
    """Power of springs, and with it what dampers lose, of what acts on both bodies; multipliers do no work."""
    case = posed(kind, seed)._replace(forces=np.zeros(6))
    mesh, X = rows_of(case)
    speed = np.concatenate([case.state.body_velocity, case.state.body_rate], axis=1)
    springs, ends, lost = link_powers(X, mesh)
    total, kept = float(np.sum(reference(case) * speed)), float(np.sum(reference(still(case)) * speed))
    scale = max(np.abs(reference(case)).max() * np.abs(speed).max(), 1.0)
    assert_allclose([springs, springs - lost, ends], [kept, total, 0.0], rtol=0.0, atol=TIGHT * scale)


@SEEDS
def test_the_ledger_books_the_given_damping_as_it_acts(seed: int) -> None:
    """P = w . (C + Q |w|) w of both bodies, the drop of the power of the forces on them."""
    case = posed("ball", seed, **EXTRA)
    mesh, X = rows_of(case)
    ledger, n = new_ledger(), X.shape[1]
    measure_bodies(X, np.zeros((n, COLUMNS)), mesh, 0.0, G, ledger, records(n, FORCES))
    w = np.concatenate([case.state.body_velocity, case.state.body_rate], axis=1)
    force = w @ np.array(EXTRA["damping"]).T + np.einsum("ij,kj->ki", EXTRA["quadratic_damping"], np.abs(w) * w)
    assert_allclose(ledger.now[0].damping, np.sum(force * w), rtol=TIGHT)


@SEEDS
def test_hinges_of_bars_feel_the_law(seed: int) -> None:
    """Couples about the axis from the forces on nodes, and in the load of the link; no resultant; k phi^2 / 2."""
    case = posed("hinge", seed)
    work = start_bars(case.model, case.state, 0.0, "halves")
    bars, s = work.bars, work.steps
    force = np.zeros_like(s.r)
    hinge_loads(bars.hinge, bars.hinge_law, s.r, s.v, force)
    axis, moment = case.turn[0] @ case.model.links.frame[0, 0, 2], K * case.angle + C * case.rate
    arms = np.cross(s.r - s.r[bars.hinge[0, 1]], force)
    # angles come from places of nodes 1 m from the axis: 1e-15 of 1 rad, a few times
    scale = 10.0 * TIGHT * K
    assert_allclose(arms[bars.hinge[0, [0, 3]]] @ axis, [moment, -moment], rtol=0.0, atol=scale)
    assert_allclose([force.sum(axis=0), arms.sum(axis=0)], 0.0, rtol=0.0, atol=scale)
    assert_allclose(hinge_energy(bars, s.r), 0.5 * K * case.angle**2, rtol=0.0, atol=scale)
    s.tension[:], s.old_force[:] = 0.0, [0.0, 0.0, -work.medium.gravity]  # in free fall links bear no weight
    assert_allclose(link_loads(work)["link_moment"][0] @ axis, -moment, rtol=0.0, atol=scale)


@SEEDS
def test_balls_of_bars_feel_the_law(seed: int) -> None:
    """The couple on the second part from the forces on its corners; no resultant; sum c (1 - a . b)."""
    case = posed("sprung ball", seed)
    work = start_bars(case.model, case.state, 0.0, "halves")
    bars, r = work.bars, work.steps.r
    corner = [bars.tie[PAIRS.index((min(i, 7 - i), max(i, 7 - i))), int(i > 3)] for i in range(8)]
    force, places = np.zeros((8, 3)), r[corner]
    tie_loads(np.array(PAIRS), bars.tie_stiffness, places, force)
    expected = reference(case._replace(forces=np.zeros(6)))[:, 3:]
    moments = np.cross(places, force).reshape(2, 4, 3).sum(axis=1)
    scale = 100.0 * TIGHT * bars.tie_stiffness.max()  # springs of some 100 N/m hold each other in balance
    assert_allclose(moments, expected, rtol=0.0, atol=scale)
    assert_allclose(force.reshape(2, 4, 3).sum(axis=1), 0.0, rtol=0.0, atol=scale)
    a, b = (case.model.links.frame[0, k] @ case.turn[k].T for k in range(2))
    assert_allclose(tie_energy(bars, r), CONSTANTS @ (1.0 - np.sum(a * b, axis=1)), rtol=0.0, atol=scale)


@SEEDS
def test_bars_of_bars_pull_alike(seed: int) -> None:
    """The tension of a bar link on the second end, from places of nodes."""
    case = posed("bar", seed)
    work = start_bars(case.model, case.state, 0.0, "halves")
    work.steps.tension[work.places.links[0].bar] = case.forces[0]
    assert_allclose(link_loads(work)["link_force"][0], reference(case)[1, :3], rtol=0.0, atol=10.0 * TIGHT)
