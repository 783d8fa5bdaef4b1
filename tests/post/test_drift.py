"""Lengths of bars over a run."""

from pathlib import Path

import pytest

from ropewalk.analysis.run import simulate
from ropewalk.post.drift import constraint_drift
from ropewalk.spec.system import System

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_bars_of_lines_and_nets_keep_their_lengths():
    """Example: rigid warps and twines by exact multipliers, at the strain tolerance of 1e-10."""
    data = simulate(System.from_file(EXAMPLES / "trawl_panel.yaml"), 0.3)
    drift = constraint_drift(data)
    assert drift is not None and drift < 1e-9
    moved = data.copy(deep=True)
    moved["net_position"][1, 20, 2] += 0.01
    # a knot moved by 1 cm in the plane of the net: bars of 0.63 m
    assert 1e-3 < constraint_drift(moved) < 0.05


@pytest.mark.parametrize("change", [{"solver": "mixed_fem"}])
def test_other_solvers_have_no_bars(change):
    system = System.from_file(EXAMPLES / "hanging_chain.yaml")
    data = simulate(system.replace(run={"duration": 0.2, **change}))
    assert constraint_drift(data) is None
