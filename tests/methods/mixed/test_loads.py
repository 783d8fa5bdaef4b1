"""Distributed loads on the mixed elements, against shooting, by order, by tangent and in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import march, settle
from numpy.testing import assert_allclose

from ropewalk.analysis.statics import statics
from ropewalk.loads.given import LINE_LOAD, load_on_half
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.arrays import records
from ropewalk.model.model import build
from ropewalk.spec.system import System

LOADS = {
    "pressure": {"kind": "pressure", "axis": [0, 1, 0], "value": 300.0},
    "table": {"kind": "table", "s": [0, 10, 20], "force": [[0, 100, 0], [0, 200, 50], [100, 0, 0]]},
    "rotating": {"kind": "rotating", "axis": [0, 0, 1], "rate": 1.0, "origin": [1, 2, 0]},
}


def loaded(load: dict[str, Any], elements: int, backwards: bool = False) -> System:
    """30 m of line in air between (0, 0, 0) and (25, 3, 4)."""
    ends = {"from": "b", "to": "a"} if backwards else {"from": "a", "to": "b"}
    return System.model_validate(
        {
            "environment": {"gravity": 9.81, "water_density": 0},
            "sections": {"rope": {"diameter": 0.05, "mass": 10.0, "axial_stiffness": 1e7}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [25, 3, 4]}},
            "lines": {
                "l": {**ends, "elements": elements, "pieces": [{"section": "rope", "length": 30}], "loads": [load]}
            },
        }
    )


@pytest.mark.parametrize("kind", LOADS)
def test_statics_approach_shooting_with_second_order(kind: str) -> None:
    """End forces of 30 and 60 elements against the shooting method: errors 1e-3 and a quarter of it.

    The table bends and ends at nodes of both meshes. Within an element its end would leave an error that depends on
    where: still of second order, but ratios go from 3.7 to 4.2.
    """
    exact = statics(loaded(LOADS[kind], 1), method="shooting").state.end_force
    errors = []
    for elements in (30, 60):
        report, state = settle(build(loaded(LOADS[kind], elements)))
        assert report.good, report.message
        assert report.iterations < 12  # Newton with its exact tangent; 5 to 7 measured
        errors.append(np.abs(state.end_force - exact).max() / np.abs(exact).max())
    assert errors[0] < 2e-3
    assert_allclose(errors[0] / errors[1], 4.0, rtol=0.02)


def test_tables_that_begin_and_end_anywhere_pass_the_audit() -> None:
    """Bends and ends of a table between the nodes of an answer are no unbalance; both methods agree."""
    load = {"kind": "table", "s": [5.3, 11.9, 17.1], "force": [[0, 300, 0], [0, -900, 400], [700, 0, 0]]}
    exact = statics(loaded(load, 1), method="shooting").state.end_force
    found = statics(loaded(load, 60), method="fem").state.end_force
    # second order: 60 elements leave 5e-4 or less
    assert_allclose(found, exact, atol=1e-3 * np.abs(exact).max())


def test_pressure_on_the_line_turned_round_pushes_the_other_way() -> None:
    """e x t changes sign with t: the line from b to a with minus the pressure is the same line."""
    there = settle(build(loaded(LOADS["pressure"], 20)))[1].end_force[0]
    back = settle(build(loaded({**LOADS["pressure"], "value": -300.0}, 20, backwards=True)))[1].end_force[0]
    assert_allclose(back[::-1], there, rtol=1e-8, atol=1e-6)


def test_tangent_of_a_half_element() -> None:
    """Derivatives by position, velocity and chord against central differences."""
    rng = np.random.default_rng(3)
    load = records(1, LINE_LOAD)
    for name in LINE_LOAD.names:
        load[name] = rng.normal(size=load[name].shape)
    r, v, gp, L, h = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), 7.0, 1.3, 1e-6

    def force(r: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array(on_half(r, v)[0])

    def on_half(r: np.ndarray, v: np.ndarray) -> Any:
        d = r[1] - r[0]
        span = float(np.linalg.norm(d))
        return load_on_half(load[0], 0, 0.5 * L, tuple(d / span), span, tuple(r[0]), tuple(v[0]), gp)

    _, own, by_chord = on_half(r, v)
    for j in range(3):
        step = np.zeros((2, 3))
        step[0, j] = h
        change = (force(r + step, v + gp * step) - force(r - step, v - gp * step)) / (2.0 * h)
        mine = -np.array(own).reshape(3, 3)[:, j] - np.array(by_chord).reshape(3, 3)[:, j]
        # h^2 and round-off over h
        assert_allclose(change, mine, rtol=1e-6, atol=1e-8)


def test_a_line_at_rest_under_its_load_stays_at_rest() -> None:
    """Dynamics have the loads of statics: a run from the equilibrium does not move, and Coriolis has no part in it."""
    states, report = march(build(loaded(LOADS["rotating"], 20)), MixedFem(), [0.0, 5.0])
    assert_allclose(states[1].position, states[0].position, atol=1e-6)
    assert_allclose(states[1].end_force, states[0].end_force, rtol=1e-6, atol=1e-3)
    assert report.good


def test_a_free_point_in_a_turning_frame_keeps_its_energy() -> None:
    """Centrifugal force has a potential and Coriolis none: the ledger closes, and the Coriolis force does no work."""
    system = System.model_validate(
        {
            "environment": {"gravity": 0, "water_density": 0},
            "sections": {"rope": {"diameter": 0.05, "mass": 10.0, "axial_stiffness": 1e5}},
            "points": {
                "hub": {"position": [0, 0, 0]},
                "tip": {"position": [0, 10, 0], "joint": {"axes": {"x": {"force": 50.0}, "y": "free", "z": "free"}}},
            },
            "lines": {
                "l": {
                    "from": "hub",
                    "to": "tip",
                    "elements": 5,
                    "pieces": [{"section": "rope", "length": 10}],
                    "loads": [{"kind": "rotating", "axis": [0, 0, 1], "rate": 1.5}],
                }
            },
        }
    )
    model = build(system)
    _, report = march(model, MixedFem(tolerance=3e-4, start_at="as_given"), [2.0])
    energy = report.figures["energy"]
    assert abs(energy["work_loads"]) > 100.0
    # 300 steps, each solved to a thousandth of the tolerance, which loses 2e-4 itself
    assert report.figures["energy_closure"] < 1e-6
    assert report.figures["energy_numerics"] < 1e-3
