"""Filipich & Rosales, Mecanica Computacional XXVI (2007) 2479: chains of rigid links, examples 1 and 2.

g is not printed; 9.81 m/s2. Numbers beyond the printed ones are from independent double-precision runs with other
series orders and steps, agreed to all digits given.
"""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.io.native import read_text
from ropewalk.methods.chain.solver import ChainSeries
from ropewalk.methods.protocol import Report
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state

EXAMPLES = Path(__file__).parents[2] / "examples"
CASE = (EXAMPLES / "chain.yaml").read_text()
FAST = CASE.replace("omega: 0.5}", "omega: 0.25}").replace("omega: 1.25}", "omega: 2.25}")  # example 2
LINK = 4.7  # m


def _model(case: str, links: int = 10) -> Model:
    return build(read_text(case.replace("elements: 10", f"elements: {links}")))


def _run(case: str, *times: float, links: int = 10, **settings: object) -> tuple[list[State], Report]:
    model = _model(case, links)
    solver = ChainSeries(**{"tolerance": 1e-13, **settings})  # type: ignore[arg-type]
    work = solver.start(model, initial_state(model))
    states = []
    for t in times:
        report = solver.advance(model, work, t)
        assert report.good, report.message
        states.append(solver.read(model, work))
    return states, report


# Table 1 with x_4 = 13.75 and x_7 = 25.16 for the misprints 13.72 and 25.14, which links of 4.7 m do not allow,
# and x_3, x_6, y_8 rounded where the paper cuts off
TABLE_1 = np.array(
    [
        [0, 4.45, 9.14, 13.75, 18.02, 21.83, 25.16, 28.08, 30.66, 32.95, 35],
        [0, -1.52, -1.87, -0.98, 0.98, 3.74, 7.05, 10.74, 14.67, 18.77, 23],
    ]
).T


def test_static_shape_is_table_1() -> None:
    """Table 1, corrected; the misprinted abscissae are 13.750506 and 25.160546."""
    (state,), _ = _run(CASE, 0.0)
    assert_allclose(state.position[:, [0, 2]], TABLE_1, atol=0.0051)  # printed to 0.01
    assert_allclose(state.position[[3, 6], 0], [13.750506, 25.160546], atol=5e-7)


def test_printed_abscissae_break_the_links() -> None:
    """The values as printed give links of 4.675 m and 4.726 m around node 4: a misprint, not another model."""
    printed = TABLE_1.copy()
    printed[3, 0] = 13.72
    lengths = np.linalg.norm(np.diff(printed, axis=0), axis=1)
    assert lengths[2] < 4.68 and lengths[3] > 4.72
    assert_allclose(np.linalg.norm(np.diff(TABLE_1, axis=0), axis=1), LINK, atol=0.01)


@pytest.mark.parametrize(
    ("case", "t", "node_4", "force"),
    [
        (CASE, 0.0, (13.7505056566, -0.9793235604), (448.6309154977, 1003.4752984628)),
        (CASE, 5.0, (11.5697370793, -5.9748560393), (332.8017535176, 1020.7697505980)),
        (FAST, 1.0, (12.6721383529, -4.7598026712), (1482.3520148677, 3195.9325787096)),
    ],
)
def test_motion_and_absolute_end_forces(
    case: str, t: float, node_4: tuple[float, float], force: tuple[float, float]
) -> None:
    """Node 4 and the right-end force. A missing 1/2 in eq. (35c) would leave the motion and shift V by 117.5 N."""
    (state,), _ = _run(case, t)
    # digits given: 10 decimals, so 5e-11 m and, with the force's own rounding, 2e-10 N
    assert_allclose(state.position[3, [0, 2]], node_4, rtol=0, atol=1e-10)
    assert_allclose(-state.end_force[0, 1, [0, 2]], force, rtol=0, atol=5e-10)


def test_static_end_force() -> None:
    """H and V_11 before the end moves; the moving end starts with a jump of acceleration, so H falls to half."""
    still = CASE.replace("omega: 0.5}", "omega: 0}").replace("omega: 1.25}", "omega: 0}")
    (state,), _ = _run(still, 0.0)
    assert_allclose(-state.end_force[0, 1], [880.755165040776, 0.0, 1931.91250229320], rtol=1e-13)


def test_links_push_while_the_end_falls_faster_than_gravity() -> None:
    """Example 2 starts with 15.2 m/s2 downwards: link forces reach -792 N at t = 0 and pull again just after 0.3 s."""
    states, _ = _run(FAST, 0.0, 0.3, 0.35)
    lowest = [float(state.tension.min()) for state in states]
    assert lowest[0] < -780.0
    assert lowest[1] < 0.0 < lowest[2]


@pytest.mark.parametrize("case", [CASE, FAST], ids=["example 1", "example 2"])
def test_work_of_the_end_is_the_change_of_energy(case: str) -> None:
    """Over 10 s, at every second; link lengths all along."""
    model = _model(case)
    solver = ChainSeries(tolerance=1e-12)
    work = solver.start(model, initial_state(model))
    for t in np.arange(1.0, 11.0):
        figures = solver.advance(model, work, float(t)).figures
        size = figures["energy"]["kinetic"] + abs(figures["energy"]["potential"])
        assert abs(figures["lines"]["chain"]["energy_balance"]) < 1e-10 * size
        state = solver.read(model, work)
        # drift within a step, before the correction at its end
        assert_allclose(np.linalg.norm(np.diff(state.position, axis=0), axis=1), LINK, rtol=1e-12)
    assert figures["lines"]["chain"]["length_drift"] < 1e-12


def test_paper_order_and_step_give_the_papers_accuracy() -> None:
    """M = 5 as the degree of x (order 4 of the velocity), 800 steps of 0.0125 s: 3e-7 m and 3e-4 N."""
    exact, _ = _run(CASE, 10.0)
    fixed, report = _run(CASE, 10.0, order=4, step=0.0125)
    assert report.figures["lines"]["chain"]["steps"] == 800
    miss = np.abs(fixed[0].position - exact[0].position).max()
    wrong = np.abs(fixed[0].end_force - exact[0].end_force).max()
    assert 1e-8 < miss < 1e-6
    assert 1e-6 < wrong < 1e-3


def test_records_do_not_disturb_the_run() -> None:
    """The polynomial is the dense output: reading often gives the same end as reading once, to the last bit."""
    once, _ = _run(CASE, 3.0)
    often, _ = _run(CASE, *np.linspace(0.0, 3.0, 40))
    assert np.array_equal(once[-1].position, often[-1].position)
    assert np.array_equal(once[-1].end_force, often[-1].end_force)


def test_end_forces_are_polynomials_over_the_step() -> None:
    """Their values are the forces read from the state, at any time of the step."""
    model = _model(CASE)
    solver = ChainSeries(tolerance=1e-12)
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 2.0)
    forces = solver.end_forces(work)
    assert forces.begin <= 2.0 <= forces.end
    for t in np.linspace(2.0, forces.end, 5):
        solver.advance(model, work, float(t))
        powers = (t - forces.begin) ** np.arange(forces.coefficients.shape[2])
        # two ways to the same polynomial: rounding of forces of 1000 N
        assert_allclose(forces.coefficients @ powers, solver.read(model, work).end_force[0], atol=1e-9)


def test_example_draws_both_chains(tmp_path: Path) -> None:
    """examples/chain_series.py; the largest vertical force of example 1 comes just before 7.6 s."""
    example = runpy.run_path(str(EXAMPLES / "chain_series.py"))
    largest = example["main"](tmp_path / "chain.png")
    assert largest["example 1"] == pytest.approx(2392.4, abs=0.1)
    assert largest["example 2"] == pytest.approx(3961.1, abs=0.1)
    assert (tmp_path / "chain.png").stat().st_size > 10_000
    same = read_text(FAST).model_dump(exclude={"title", "run", "record"})
    assert read_text((EXAMPLES / "chain_fast.yaml").read_text()).model_dump(exclude={"title", "run", "record"}) == same


def test_many_links_approach_the_inextensible_cable() -> None:
    """N to infinity, second order in 1/N: differences fall by 4 with each doubling, at t = 1 s of example 1."""
    middle = [_run(CASE, 1.0, links=n, tolerance=1e-10)[0][0].position[n // 2] for n in (20, 40, 80, 160)]
    steps = [np.linalg.norm(b - a) for a, b in pairwise(middle)]
    # corrections of fourth order leave the ratio within some per cent of 4
    assert_allclose([steps[0] / steps[1], steps[1] / steps[2]], 4.0, rtol=0.06)
    # next to the limit by Richardson's rule, 200 links are within 1e-4 m
    limit = middle[3] + (middle[3] - middle[2]) / 3.0
    near = _run(CASE, 1.0, links=200, tolerance=1e-10)[0][0].position[100]
    assert_allclose(near, limit, atol=1e-4)


MOVED = """
ropewalk: 1
environment: {gravity: 9.81, water_density: 0, seabed: {kind: none}}
sections: {k: {diameter: 0.02, mass: 3.0, axial_stiffness: inextensible, compression: true, drag: 0, added_mass: 0}}
points:
  a: {position: [0, 0, 0]}
  b: {position: [0, 0, -6], joint: free, mass: 1.0,
      force: {kind: harmonic, terms: [{direction: [0.8, 0.6, 0], amplitude: 5, omega: 1.7, phase: 1.5707963267948966}]}}
lines:
  l:
    from: a
    to: b
    elements: 6
    pieces: [{section: k, length: 6}]
    attachments:
      - {s: 3, mass: 2,
         force: {kind: harmonic, terms: [{direction: [1, 0, 0], amplitude: 5, omega: 2.3, phase: 1.5707963267948966}]}}
    loads:
      - {kind: table, s: [0, 6], force: [[0, 1.5, 0], [0, 1.5, 0]],
         factor: {kind: harmonic, terms: [{amplitude: 1, omega: 1.1, phase: 1.5707963267948966}]}}
record: {every: 3}
run: {duration: 3, solver: chain_series, tolerance: 1.0e-12}
"""


def _dense_rates(t: float, y: np.ndarray) -> np.ndarray:
    """Six rods of 3 kg and 1 m with multipliers, weights of 2 and 1 kg on nodes 3 and 6, and P(t), Q(t), F(t)."""
    n, g = 6, 9.81
    r, v = y.reshape(2, n + 1, 3)
    M, Q, C, c = np.zeros((21, 21)), np.zeros((n + 1, 3)), np.zeros((n + 3, 21)), np.zeros(n + 3)
    for k in range(n):
        for i, j, share in ((k, k, 2), (k, k + 1, 1), (k + 1, k, 1), (k + 1, k + 1, 2)):
            M[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += 0.5 * share * np.eye(3)
        Q[k : k + 2] += [0.0, 0.75 * np.sin(1.1 * t), -1.5 * g]
        d, rate = r[k + 1] - r[k], v[k + 1] - v[k]
        C[k, 3 * k : 3 * k + 6], c[k] = np.concatenate([-d, d]), -rate @ rate
    M[9:12, 9:12] += 2.0 * np.eye(3)
    M[18:, 18:] += np.eye(3)
    Q[3] += [5.0 * np.sin(2.3 * t), 0.0, -2.0 * g]
    Q[6] += [4.0 * np.sin(1.7 * t), 3.0 * np.sin(1.7 * t), -g]
    C[n:, :3] = np.eye(3)
    whole = np.block([[M, C.T], [C, np.zeros((n + 3, n + 3))]])
    return np.concatenate([v.ravel(), np.linalg.solve(whole, np.concatenate([Q.ravel(), c]))[:21]])


def test_loads_that_move_in_time_act_as_in_dense_mechanics() -> None:
    """Q(t) along the chain, P(t) on a link and a force at its end, from rest; DOP853 with multipliers."""
    from scipy.integrate import solve_ivp

    from ropewalk.analysis.run import simulate

    run = simulate(read_text(MOVED))
    rest = np.concatenate([run.position.values[0].ravel(), np.zeros(21)])
    end = solve_ivp(_dense_rates, (0.0, 3.0), rest, method="DOP853", rtol=1e-11, atol=1e-11).y[:21, -1].reshape(-1, 3)
    assert np.abs(end - run.position.values[0]).max() > 0.3
    assert_allclose(run.position.values[-1], end, atol=1e-9)  # 1e-11 a step over some hundred steps
