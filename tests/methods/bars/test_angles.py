"""The two-angle forms against the articulated bars and against the multipliers."""

import numpy as np
import pytest
from bars_cases import chain, run
from numpy.testing import assert_allclose

from ropewalk.methods.bars.joint_angles import (
    angle_kinematics,
    angles_of,
    dense_accelerations,
    recursive_accelerations,
    shift,
)
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.tree import build_tree
from ropewalk.methods.bars.work import start_bars
from ropewalk.model.state import initial_state

INNER = np.array([-1, 0, 1, 1, 3, 0])  # a branched tree of six bars


def tree_state(rng):
    q = rng.uniform(-1.0, 1.0, (6, 2))
    dq = rng.normal(size=(6, 2))
    length = rng.uniform(0.5, 1.5, 6)
    root = rng.normal(size=(6, 3, 3))
    mass = np.eye(3) + 0.2 * root @ np.swapaxes(root, 1, 2)
    return q, dq, length, mass, rng.normal(size=(6, 3))


def node_accelerations(q, dq, ddq, length, inner_bar):
    """Cartesian accelerations (b, 3) of the outer nodes (m/s2)."""
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner_bar, rho, joint, product)
    total = np.zeros((n, 6))
    for i in range(n):
        total[i] = product[i] + joint[i] @ ddq[i]
        if inner_bar[i] >= 0:
            total[i] += shift(rho[i]) @ total[inner_bar[i]]
    return total[:, :3].copy()


def test_recursive_and_dense_form_agree_on_a_tree():
    """The same equations, O(n) and O(n^3)."""
    q, dq, length, mass, force = tree_state(np.random.default_rng(5))
    a = recursive_accelerations(q, dq, length, INNER, mass, force)
    b = dense_accelerations(q, dq, length, INNER, mass, force)
    # 2 x 2 to 12 x 12 systems with condition numbers of some hundred
    assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_two_angle_form_gives_the_accelerations_of_the_constraints():
    """(G W G^T) T = G W f + kappa with anisotropic masses, by numpy."""
    q, dq, length, mass, force = tree_state(np.random.default_rng(6))
    ddq = recursive_accelerations(q, dq, length, INNER, mass, force)
    found = node_accelerations(q, dq, ddq, length, INNER)
    position, h = [], 1e-6
    for s in (q, q + h * dq, q - h * dq):
        position.append(_nodes(s, length))
    velocity = (position[1] - position[2]) / (2.0 * h)
    g, kappa = np.zeros((6, 18)), np.zeros(6)
    for k in range(6):
        p = INNER[k]
        d = position[0][k] - (position[0][p] if p >= 0 else 0.0)
        dv = velocity[k] - (velocity[p] if p >= 0 else 0.0)
        g[k, 3 * k : 3 * k + 3] = d / length[k]
        if p >= 0:
            g[k, 3 * p : 3 * p + 3] = -d / length[k]
        kappa[k] = dv @ dv / length[k]
    w = np.zeros((18, 18))
    for k in range(6):
        w[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = np.linalg.inv(mass[k])
    tension = np.linalg.solve(g @ w @ g.T, g @ w @ force.ravel() + kappa)
    exact = (w @ (force.ravel() - g.T @ tension)).reshape(6, 3)
    # velocities by differences: h^2 and round-off over h, 1e-10
    assert_allclose(found, exact, atol=1e-8)


def _nodes(q, length):
    position = np.zeros((6, 3))
    frames = []
    for k in range(6):
        frame = frames[INNER[k]] if INNER[k] >= 0 else np.eye(3)
        sa, ca, sb, cb = np.sin(q[k, 0]), np.cos(q[k, 0]), np.sin(q[k, 1]), np.cos(q[k, 1])
        turn = np.array([[cb, 0, sb], [sa * sb, ca, -sa * cb], [-ca * sb, sa, ca * cb]])
        frames.append(frame @ turn)
        position[k] = (position[INNER[k]] if INNER[k] >= 0 else 0.0) - length[k] * frames[k][:, 2]
    return position


def test_angles_give_back_their_directions():
    """angles_of undoes the kinematics."""
    q = np.random.default_rng(7).uniform(-1.2, 1.2, (6, 2))
    length = np.ones(6)
    p = _nodes(q, length)
    inner = np.array([p[i] if i >= 0 else np.zeros(3) for i in INNER])
    assert_allclose(angles_of(p - inner, INNER), q, atol=1e-13)


def test_the_solver_and_the_two_angle_form_agree_on_a_chain():
    """Articulated bars with 3 x 3 masses are the same mechanics."""
    model = chain(8, end=(0.6, 0.3, -0.5))
    state, _, work = run(Recursive(step=1e-3), model, 0.2)
    turns = work.own["turns"]
    tree = build_tree(work.bars)
    inner = np.arange(8) - 1
    q = angles_of(turns.direction, inner)
    h = 1e-7
    ahead = turns.direction + h * np.cross(turns.omega, turns.direction)
    behind = turns.direction - h * np.cross(turns.omega, turns.direction)
    unit = lambda d: d / np.linalg.norm(d, axis=1)[:, None]  # noqa: E731
    dq = (angles_of(unit(ahead), inner) - angles_of(unit(behind), inner)) / (2.0 * h)
    outer = tree.outer
    ddq = recursive_accelerations(q, dq, work.bars.length[tree.bar], inner, work.field.inertia[outer],
                                  work.field.force[outer])  # fmt: skip
    a = node_accelerations(q, dq, ddq, work.bars.length[tree.bar], inner)
    # rates by differences with h = 1e-7: 1e-9 of 10 rad/s, squared into accelerations of 100 m/s2
    assert_allclose(a, turns.a[outer], atol=1e-5)
    assert state.time == 0.2


def test_the_pole_of_the_angles_is_no_pole_of_the_bars():
    """A double pendulum folded by 90 degrees in be: al'' is huge, the bars' accelerations are not."""
    model = chain(2, length=2.0, end=(1.0, 0.0, -1.0))
    state = initial_state(model)
    corner = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, -1.0]])
    state = state._replace(start=np.array([0, 3]), s=np.array([0.0, 1.0, 2.0]), position=corner,
                           velocity=np.zeros((3, 3)), tension=np.zeros(3), point_position=corner[[0, 2]])  # fmt: skip
    work = Recursive().start(model, state)
    assert np.all(np.isfinite(work.own["turns"].a)) and np.abs(work.own["turns"].a).max() < 20.0
    near = np.array([[0.0, 0.0], [0.0, -np.pi / 2 + 1e-6]])
    with np.errstate(all="ignore"):
        side = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        found = recursive_accelerations(
            near, np.zeros((2, 2)), np.ones(2), np.array([-1, 0]), np.tile(np.eye(3), (2, 1, 1)), side
        )
    assert np.abs(found[1, 0]) > 1e4


@pytest.mark.parametrize("axis", [0, 1])
def test_a_single_bar_is_a_pendulum(axis):
    """al'' = -g sin(al) / l about x, and the same about y."""
    q = np.zeros((1, 2))
    q[0, axis] = 0.3
    force = np.array([[0.0, 0.0, -9.81 * 2.0]])
    found = recursive_accelerations(q, np.zeros((1, 2)), np.array([1.5]), np.array([-1]), 2.0 * np.eye(3)[None], force)
    assert_allclose(found[0, axis], -9.81 / 1.5 * np.sin(0.3), rtol=1e-12)


def test_masses_are_lumped_as_asked():
    """Half a bar to each end, or all of it to the outer one."""
    model = chain(4)
    halves = start_bars(model, initial_state(model), 0.0, "halves").bars.mass
    outer = start_bars(model, initial_state(model), 0.0, "outer").bars.mass
    assert_allclose(np.sort(halves), [0.125, 0.125, 0.25, 0.25, 0.25], rtol=1e-12)
    assert_allclose(np.sort(outer), [0.0, 0.25, 0.25, 0.25, 0.25], atol=1e-15)
