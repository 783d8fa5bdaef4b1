"""Friction of the bed on bars: the law of the elements in equilibria of lines, and grips in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits

import ropewalk as rw
from reference import between
from ropewalk.assembly import pulled
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.projection import Projection
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

MOORING: dict[str, Any] = {"dx": 560.0, "dz": 200.0, "length": 650.0, "weight": 1000.0, "depth": 200.0}
W, L, WIDTH, MU, SHEAR = 100.0, 20.0, 0.1, 0.5, 1e5  # N/m, m, m, -, Pa/m: a line laid out on the bed
SOLVERS = [Constrained(damping=1.0), Projection(damping=1.0, sweeps=60), ConstrainedImplicit(damping=1.0)]
NAMES = ["constrained", "projection", "constrained_implicit"]


def test_the_force_on_the_anchor_converges_with_the_square_of_the_bars() -> None:
    """H - mu w l of the catenary on a rigid bed, the bed so stiff that its depth of 1e-4 m does not count."""
    errors = []
    for n in (50, 100, 200):
        data = between(**MOORING, stiffness="inextensible", friction=0.1, elements=n)
        data = data.model_dump(by_alias=True, exclude_unset=True)
        data["environment"]["seabed"] |= {"stiffness": 1e8}
        system = System.model_validate(data | {"statics": {"accuracy": 1.0}})
        exact = rw.statics(system, "catenary").state.end_force[0, 0, 0]
        errors.append(abs(rw.statics(system, "bars_statics").state.end_force[0, 0, 0] - exact) / exact)
    # where the touchdown falls between two nodes changes the error by up to its own size: order 1.4 to 2.6 over 4
    assert 1.2 < np.log(errors[0] / errors[2]) / np.log(4.0) < 3.0, errors


@pytest.mark.parametrize("heading", [90.0, 30.0])
def test_a_chain_across_a_current_lies_as_with_elements(heading: float) -> None:
    """The same nodes and lengths: bars and elements have the same equilibrium, held across by the same friction."""
    system = System.model_validate(
        {"environment": {"depth": 100, "current": {"speed": 0.8, "heading": heading}, "seabed": {"friction": 0.5}},
         "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.1}},
         "points": {"a": {"position": [0, 0, -100]}, "f": {"position": [570, 0, -1]}},
         "lines": {"l": {"from": "a", "to": "f", "elements": 60, "pieces": [{"section": "c", "length": 600}]}}}
    )  # fmt: skip
    bars, elements = (rw.statics(system, method).state for method in ("bars_statics", "fem"))
    top = np.linalg.norm(elements.end_force[0, 1])
    # friction across is found to 1e-4 of the force scale in each
    assert_allclose(bars.end_force, elements.end_force, atol=2e-4 * top)
    assert np.abs(bars.position[:, 1]).max() < 5.0


def test_friction_that_is_not_found_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The equilibrium is then that without friction."""
    system = between(**MOORING, stiffness=1e9, friction=0.5, elements=40)
    free = rw.statics(between(**MOORING, stiffness=1e9, elements=40), "bars_statics").state
    monkeypatch.setattr(pulled, "MOST_ROUNDS", 1)
    found = rw.statics(system, "bars_statics")
    assert "bed friction is left out" in found.report.message
    assert_allclose(found.state.end_force, free.end_force, atol=1e-8 * np.abs(free.end_force).max())


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("current", [0.0, 0.8])
def test_a_line_on_a_rough_bed_stays_at_rest(solver: str, current: float) -> None:
    """The grips hold what the equilibrium has: no motion in 5 s."""
    system = System.model_validate(
        {"environment": {"depth": 100, "current": {"speed": current, "heading": 90}, "seabed": {"friction": 0.5}},
         "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.1, "axial_stiffness": "inextensible"}},
         "points": {"a": {"position": [0, 0, -100]}, "f": {"position": [570, 0, -1]}},
         "lines": {"l": {"from": "a", "to": "f", "elements": 30, "pieces": [{"section": "c", "length": 600}]}},
         "run": {"duration": 5.0, "solver": solver}, "record": {"every": 1.0}}
    )  # fmt: skip
    run = rw.simulate(system)
    # equilibria to 1e-9 of the forces: 2e-11 of the length was measured
    assert np.abs(run.position.values - run.position.values[0]).max() < 1e-9 * 600.0


def drawn() -> Model:
    """A line in air that can push, sunk into the bed until that carries it: drawn 3 cm, 1 cm back and left there."""
    knots = np.array([0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 40.0])
    distance = np.array([0.0, 0.004, 0.03, 0.03, 0.02, 0.02, 0.02])
    times = np.arange(0.0, 40.1, 0.25)  # so dense that the curve through them begins and turns at rest
    k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, knots.size - 2)
    u = (times - knots[k]) / np.diff(knots)[k]
    table = np.outer(distance[k] + np.diff(distance)[k] * u * u * (3.0 - 2.0 * u), [1.0, 0.0, 0.0])
    motion = {"kind": "table", "time": times.tolist(), "displacement": table.tolist()}
    z = -10.0 - W / (SHEAR * WIDTH)
    seabed = {"stiffness": SHEAR, "damping": 1e4, "friction": MU}
    section = {"diameter": WIDTH, "mass": W / 10.0, "axial_stiffness": "inextensible", "compression": True}
    line = {"from": "a", "to": "b", "elements": 4, "pieces": [{"section": "line", "length": L}]}
    return build(
        System.model_validate(
            {"environment": {"gravity": 10.0, "water_density": 0.0, "depth": 10.0, "seabed": seabed},
             "sections": {"line": section},
             "points": {"a": {"position": [0.0, 0.0, z], "joint": "free"},
                        "b": {"position": [L, 0.0, z], "joint": "moving", "motion": motion}},
             "lines": {"l": line}}
        )
    )  # fmt: skip


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_line_drawn_along_the_bed_sticks_and_slips(solver: Any) -> None:
    """F = k (x - x_grip), at most mu W, the grip dragged along: a block on a bed, drawn out and back.

    The half bar at the moving end is its support's, so that 7 of 8 half bars lie on the bed.
    """
    model = drawn()
    work = solver.start(model, initial_state(model))
    lying = 7.0 / 8.0 * L
    grip, k, held, expected = 0.0, SHEAR * WIDTH * lying, [], []
    for t in np.linspace(0.0, 20.0, 201)[1:]:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        state = solver.read(model, work)
        x = float(state.point_position[1, 0] - model.points.position[1, 0])
        grip = float(np.clip(grip, x - MU * W * lying / k, x + MU * W * lying / k))
        expected.append(k * (x - grip))
        held.append(-float(state.end_force[0, 1, 0]))
    # inertia of 200 kg at 3 mm/s2, and damping of 1/s at 1 cm/s (2 N)
    assert_allclose(held, expected, atol=0.01 * MU * W * L)
    assert max(expected) == pytest.approx(MU * W * lying) == -min(expected)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_grips_go_on_to_the_same_bits(solver: Any) -> None:
    """Stopped while the line slips, and resumed."""
    model = drawn()
    assert_goes_on_to_the_same_bits(solver, model, initial_state(model), 6.0, 10.0)


def test_a_net_on_a_rough_bed_has_no_friction_at_rest() -> None:
    """No history gives its direction: the equilibrium leaves it out, with a sentence that gives its size."""
    panel = {"kind": "rectangle", "corners": [[-1, 0, -2], [1, 0, -2], [1, 0, -6], [-1, 0, -6]]}
    net = {"panel": panel, "held": "upper", "section": "t", "bar_length": 0.1, "cells": [4, 8], "lower_sinker": 2.0}
    twine = {"diameter": 0.01, "mass": 0.12, "axial_stiffness": "inextensible", "added_mass": 0, "drag": 0}
    system = System.model_validate(
        {"ropewalk": 1, "environment": {"depth": 5, "seabed": {"friction": 0.5}}, "sections": {"t": twine},
         "nets": {"n": net}}
    )  # fmt: skip
    found = rw.statics(system, "bars_statics")
    assert "bed friction is left out: it could carry up to" in found.report.message


@pytest.mark.parametrize("solver", NAMES)
def test_chains_of_a_moored_body_start_with_their_friction(solver: str) -> None:
    """Tensions at the anchors as by elements, and no motion in 5 s: the bars of the body have tensions of their own."""
    eyes = {"e": [1, 0, 0], "w": [-1, 0, 0]}
    hull = {"kind": "axisymmetric", "profile": [[-2, 1.5], [2, 1.5]], "drag": 0, "added_mass": 0}
    buoy = {"mass": 9000.0, "inertia": [2e4, 2e4, 2e4], "centre_of_mass": [0, 0, -0.8], "position": [0, 0, -0.2],
            "hull": hull, "attachments": eyes}  # fmt: skip
    lines = {f"l{e}": {"from": f"a{e}", "to": f"buoy.{e}", "elements": 30, "pieces": [{"section": "c", "length": 240}]}
             for e in eyes}  # fmt: skip
    system = System.model_validate(
        {"environment": {"depth": 40, "seabed": {"friction": 0.4}},
         "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.03, "axial_stiffness": "inextensible"}},
         "points": {"ae": {"position": [230, 0, -40]}, "aw": {"position": [-228, 0, -40]}},
         "bodies": {"buoy": buoy}, "lines": lines, "run": {"duration": 5.0, "solver": solver}, "record": {"every": 1.0}}
    )  # fmt: skip
    run, exact = rw.simulate(system), rw.statics(system, "fem").state.end_force
    rough, free = np.linalg.norm(exact[:, 0], axis=1), np.abs(exact[:, 1, 0])
    assert np.all(rough < 0.6 * free)  # friction carries the better part of what reaches the bed
    # bars and elements of the same nodes differ at the touchdown
    assert_allclose(run.end_tension.sel(end="A").values[0], rough, atol=5e-3 * free.max())
    assert np.abs(run.position.values - run.position.values[0]).max() < 1e-6 * 240.0


def test_no_bow_of_the_frictionless_line_remains():
    """On a cross slope below the friction coefficient a line that is pulled lies straight: a plane catenary.

    Reference: grounded catenary in the plane of the slope, H 189,686 and V 274,269 N (scipy), to its own 0.1 %; meshes
    are chosen for 1 %.
    """
    case = {
        "environment": {"gravity": 1.62, "depth": 428.8183378491418, "seabed": {
            "stiffness": 2279220, "friction": 0.3, "normal": [0.10036721835, -0.1944624807, 0.9757616333]}},
        "sections": {"wire": {"catalogue": "wire", "diameter": 0.3}},
        "points": {"a": {"position": [-1391.21882, 342.273939, -217.504227]},
                   "b": {"position": [735.68263, 227.51334, -123.26291]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "wire", "length": 2245.9805257}]}},
    }  # fmt: skip
    system = System.model_validate(case)
    for method, allowed in (("shooting", 2e-3), ("fem", 1e-2), ("bars_statics", 1e-2)):
        force = rw.statics(system, method).state.end_force[0, 1]
        found = [np.hypot(force[0], force[1]), -force[2]]
        assert_allclose(found, [189686, 274269], rtol=allowed, err_msg=method)
