"""Lengths of bars over a run."""

from pathlib import Path

import pytest

from ropewalk.analysis.run import simulate
from ropewalk.methods.bars.implicit import ConstrainedImplicit
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


@pytest.mark.parametrize(("slack", "moved", "drift"), [(True, -0.01, 0.0), (True, 0.01, 0.02), (False, -0.01, 0.02)])
def test_a_bar_that_may_go_slack_is_only_ever_too_long(slack, moved, drift):
    """The free end of a level rope of two bars of 0.5 m, moved along it by a centimetre in the last record."""
    system = System.model_validate(
        {
            "environment": {"water_density": 0, "gravity": 0},
            "sections": {"rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": "inextensible"}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [1, 0, 0], "joint": "free", "mass": 1.0}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 2, "pieces": [{"section": "rope", "length": 1.0}]}},
            "run": {"duration": 0.1, "start": "as_given"},
        }
    )
    data = simulate(system, solver=ConstrainedImplicit(step=0.05, slack=slack))
    data["position"][-1, -1, 0] += moved
    assert constraint_drift(data) == pytest.approx(drift, abs=1e-9)


def test_twines_that_go_slack_may_be_shorter_than_they_are_long():
    """In `constrained` the bars of a net keep their length to 1e-10 where they are taut; slack ones fold."""
    data = simulate(System.from_file(EXAMPLES / "trawl_panel.yaml"), 4.0)
    drift = constraint_drift(data)
    assert drift is not None
    assert drift < 1e-9  # ten times the tolerance of the solver
