"""The power-series chain against the other solvers of rigid bars, on the chain whose inertia they take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chain_drive import drive, held_at, term
from numpy.testing import assert_allclose

from ropewalk.analysis.run import simulate
from ropewalk.io.native import read_text
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.chain.arrays import chain
from ropewalk.methods.chain.solver import ChainSeries
from ropewalk.model.model import build
from ropewalk.model.state import initial_state

CASE = (Path(__file__).parents[3] / "examples" / "chain.yaml").read_text()
UNTIL = 2.0  # s


def test_bars_with_half_their_mass_at_each_end_move_alike() -> None:
    """Recursive and constrained bars are massless with half of the mass at either end: no rotary inertia."""
    model = build(read_text(CASE))
    first = ChainSeries(tolerance=1e-12)
    state = first.read(model, first.start(model, initial_state(model)))._replace(velocity=np.zeros((11, 3)))
    lump = 235.0 / 9.81
    ends = [held_at(0, (0, 0, 0)), held_at(10, (30, 0, 20)), term(10, (5, 0, 0), 0.5), term(10, (0, 0, 3), 1.25)]
    made = chain(np.full(10, 4.7), np.zeros(10), node_mass=np.full(11, lump), motion_terms=np.stack(ends))
    exact = drive(made, state.position, state.velocity, UNTIL).position
    rods = drive(chain(np.full(10, 4.7), np.full(10, lump), motion_terms=np.stack(ends)), state.position,
                 state.velocity, UNTIL).position  # fmt: skip
    assert np.abs(rods - exact).max() > 1e-2  # rotary inertia matters at ten links
    for solver_of in (lambda h: Recursive(step=h), lambda h: Constrained(step=h)):
        miss = []
        for h in (4e-3, 2e-3):
            solver = solver_of(h)
            work = solver.start(model, state)
            assert solver.advance(model, work, UNTIL).good
            miss.append(np.abs(solver.read(model, work).position - exact).max())
        # both are of second order in the step; 2 ms against accelerations of some 10 m/s2
        assert miss[1] < 2e-4, miss
        assert miss[0] / miss[1] == pytest.approx(4.0, rel=0.15), miss


def test_links_and_mixed_elements_meet_in_the_cable() -> None:
    """Rigid links and inextensible mixed elements are second-order pictures of one cable: differences fall by 4."""
    gentle = CASE.replace("amplitude: 5,", "amplitude: 1,").replace("amplitude: 3,", "amplitude: 1,")
    gentle = gentle.replace("kind: harmonic", "kind: harmonic\n      ramp: 2").replace("every: 0.1", "every: 1")
    miss = []
    for n in (40, 80):
        middle = []
        for solver, tolerance in (("chain_series", "1.0e-8"), ("mixed_fem", "1.0e-5")):
            text = gentle.replace("elements: 10", f"elements: {n}").replace("duration: 10", "duration: 5")
            text = text.replace("solver: chain_series, tolerance: 1.0e-12", f"solver: {solver}, tolerance: {tolerance}")
            middle.append(simulate(read_text(text)).position.values[-1, n // 2])
        miss.append(np.linalg.norm(middle[1] - middle[0]))
    # 5.9 mm and 1.4 mm of 47 m measured; the tolerance of the elements leaves some 1e-4 m
    assert miss[1] < 3e-3
    assert miss[0] / miss[1] > 3.0


def test_massless_links_with_a_mass_swing_as_a_point_pendulum() -> None:
    """No link mass at all: a point on a massless rod, conical pendulum at cos(theta) = g / (l w^2)."""
    omega = 4.0
    cosine = 9.81 / (2.0 * omega**2)
    sine = np.sqrt(1.0 - cosine**2)
    made = chain(np.array([2.0]), np.zeros(1), node_mass=np.array([0.0, 5.0]), held=(True, False),
                 motion_terms=held_at(0, (0, 0, 0))[None])  # fmt: skip
    r = np.array([[0.0, 0.0, 0.0], [2.0 * sine, 0.0, -2.0 * cosine]])
    v = np.array([[0.0, 0.0, 0.0], [0.0, 2.0 * sine * omega, 0.0]])
    out = drive(made, r, v, 3.0)
    turned = 2.0 * np.array([sine * np.cos(12.0), sine * np.sin(12.0), -cosine])
    assert_allclose(out.position[1], turned, atol=1e-11)
