"""The audit of nets finds what is wrong with a knot, a twine or a tension."""

from dataclasses import replace

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.analysis.audit import audit
from ropewalk.model.model import build
from ropewalk.spec.system import System

NET = {"panel": {"kind": "rectangle", "corners": [[0, 0, -1], [3, 0, -1], [3, 0, -4], [0, 0, -4]]}, "section": "t",
       "bar_length": 0.025, "cells": [4, 3], "held": "upper", "lower_sinker": 1.0}  # fmt: skip


def panel(**more):
    twine = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible", "drag": {"normal": 1.2}}
    return System.model_validate({
        "environment": {"seabed": {"kind": "none"}, "current": {"speed": 0.5, "heading": 90}},
        "sections": {"t": twine}, "nets": {"n": NET | more},
    })  # fmt: skip


@pytest.mark.parametrize("force_model", ["morison", "loland"])
def test_audit_sums_the_loads_of_a_net_again(force_model):
    """Twines and screens by plain numpy: knots are balanced to what the method leaves, 1e-9 of the largest force."""
    found = rw.statics(panel(force_model=force_model, solidity=0.2 if force_model != "morison" else None))
    balance = found.audit.largest("force")
    assert balance.part.startswith("net 'n'")
    # the limit is 1e-6 of the largest force
    assert balance.share < 1e-2


def test_audit_rejects_wrong_nets():
    """A knot moved by 1 mm, a tension changed by 1 %, a twine that pushes."""
    found = rw.statics(panel())
    state, model = found.state, found.model
    moved, pulled, pushed = state.net_position.copy(), state.net_tension.copy(), state.net_tension.copy()
    moved[-1, 2] += 1e-3
    pulled[-1] *= 1.01
    pushed[-1] = -1.0
    for changed, kind in (
        ({"net_position": moved}, "length"), ({"net_tension": pulled}, "force"), ({"net_tension": pushed}, "push"),
    ):  # fmt: skip
        wrong = audit(model, replace_state(state, changed), 0.0)
        assert not wrong.passed
        assert wrong.largest(kind).share > 1.0


def test_bars_may_stand_for_less_than_a_twine():
    """Cells smaller than meshes: each bar is half a twine or less, and as soft; such nets were rejected."""
    twine = TWINE | {"axial_stiffness": 500.0}
    found = rw.statics(System.model_validate({
        "environment": {"seabed": {"kind": "none"}}, "sections": {"t": twine},
        "nets": {"n": NET | {"bar_length": 2.0, "lower_sinker": 10.0}},
    }))  # fmt: skip
    assert found.audit.passed
    # the whole weight hangs in 1.5 twines of the full width; that of the twines is left out
    hung = 3.0 * 10.0 * (1.0 - 1025.0 / 7850.0) * 9.80665
    height = np.ptp(found.state.net_position[:, 2])
    assert height == pytest.approx(3.0 * (1.0 + hung / (1.5 * 500.0)), rel=2e-2)


TWINE = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": 2e3, "drag": {"normal": 1.2}}
ROPE = {"diameter": 0.016, "mass": 0.6, "axial_stiffness": 2e5, "drag": {"normal": 1.2}}
BUOY = {"mass": 90, "inertia": [9, 9, 8], "centre_of_mass": [0, 0, -0.25], "position": [0, 0, 0],
        "hull": {"kind": "axisymmetric", "profile": [[-0.3, 0.4], [0.4, 0.4]]},
        "attachments": {"eye": [-0.4, 0, -0.2], "a": [0, 0.5, -0.5], "b": [0, -0.5, -0.5]}}  # fmt: skip
CORNERS = {"upper_left": "corner", "upper_right": "held"}


@pytest.fixture(scope="module")
def fastened():
    """Panels under a buoy, and between a corner on a rope and one that is held; screens, so that loads are shared."""
    return rw.statics(System.model_validate({
        "environment": {"depth": 20, "current": {"speed": 0.5, "heading": 20}, "seabed": {"kind": "none"}},
        "sections": {"t": TWINE, "rope": ROPE},
        "points": {"anchor": {"position": [-18, 0, -20]}, "pile": {"position": [-4, 10, -2]},
                   "corner": {"position": [0, 10, -2], "joint": "free", "mass": 5.0, "volume": 0.02},
                   "held": {"position": [3, 10, -2]}},
        "bodies": {"buoy": BUOY},
        "lines": {"mooring": {"from": "anchor", "to": "buoy.eye", "pieces": [{"section": "rope", "length": 33}]},
                  "tie": {"from": "pile", "to": "corner", "pieces": [{"section": "rope", "length": 4.5}]}},
        "nets": {
            "curtain": NET | {"held": "none", "fastened": {"upper_left": "buoy.a", "upper_right": "buoy.b"}, "panel": {
                "kind": "rectangle", "corners": [[0, 0.5, -0.5], [0, -0.5, -0.5], [0, -0.5, -2], [0, 0.5, -2]]}},
            "panel": NET | {"held": "none", "fastened": CORNERS, "force_model": "loland", "solidity": 0.2, "panel": {
                "kind": "rectangle", "corners": [[0, 10, -2], [3, 10, -2], [3, 10, -5], [0, 10, -5]]}},
        },
    }))  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "part"),
    [
        ("bodies.buoy.mass", 9000.0, "body 'buoy'"),
        ("bodies.buoy.mass", 90.01, "body 'buoy'"),
        ("bodies.buoy.loads", {"force": [1e6, 0, 1e6]}, "body 'buoy'"),
        ("bodies.buoy.loads", {"moment": [0, 1.0, 0]}, "body 'buoy' (moment)"),
        ("points.corner.mass", 5000.0, "point 'corner'"),
        ("points.corner.mass", 5.01, "point 'corner'"),
        ("points.held.position", [3, 10, -7], "point 'held'"),
        ("points.held.position", [3, 10, -2.0001], "point 'held'"),
    ],
)
def test_points_and_bodies_that_hold_nets_are_audited(fastened, path, value, part):
    """The answer to a case is none to another one: its loads, or the places of its supports, are different."""
    assert fastened.audit.passed
    other = audit(build(fastened.system.replace(path, value)), fastened.state, 0.0, fastened.report.figures, "bars")
    assert not other.passed
    assert part in {finding.part for finding in other.findings if finding.share > 1.0}


@pytest.mark.parametrize("of_body", [True, False])
def test_forces_of_nets_on_what_holds_them_are_found(fastened, of_body):
    """One twine at a fastened knot pulls by a thousandth more."""
    nets, pulled = fastened.model.nets, fastened.state.net_tension.copy()
    knots = np.flatnonzero(nets.body == 0 if of_body else nets.point == 2)
    k = int(np.flatnonzero(np.isin(nets.bar, knots).any(axis=1) & (pulled > 1.0))[0])
    pulled[k] *= 1.001
    found = audit(fastened.model, fastened.state._replace(net_tension=pulled), 0.0, fastened.report.figures, "bars")
    wrong = {one.part for one in found.found if one.share > 1.0}
    assert ("body 'buoy'" if of_body else "point 'corner'") in wrong


@pytest.mark.parametrize(("line", "end"), [(0, 1), (1, 1)])
def test_end_forces_at_what_holds_nets_are_audited(fastened, line, end):
    """Of the mooring of a buoy that holds a net elsewhere, and of a rope that shares loads with twines."""
    pulled = fastened.state.end_force.copy()
    pulled[line, end] *= 1.0 + 1e-4
    found = audit(fastened.model, fastened.state._replace(end_force=pulled), 0.0, fastened.report.figures, "bars")
    assert any(one.share > 10.0 for one in found.found if one.part.startswith(f"line '{('mooring', 'tie')[line]}'"))


@pytest.mark.parametrize("of", ["body", "point", "held"])
def test_knots_off_what_holds_them_are_found(fastened, of):
    """A corner a tenth of a millimetre from its body, its point, or its place."""
    rest = rw.statics(panel()) if of == "held" else fastened
    nets, places = rest.model.nets, rest.state.net_position.copy()
    k = np.flatnonzero(nets.held if of == "held" else getattr(nets, of) >= 0)[0]
    places[k, 1] += 1e-4
    found = audit(rest.model, rest.state._replace(net_position=places), 0.0, rest.report.figures, "bars")
    assert found.largest("position").part.startswith("net '")
    assert found.largest("position").share > 10.0


def replace_state(state, changed):
    """A copy of the state with other values."""
    return state._replace(**changed) if hasattr(state, "_replace") else replace(state, **changed)


def test_knots_are_named_by_column_and_row():
    """The sentence says which knot is out of balance."""
    found = rw.statics(panel())
    pulled = found.state.net_tension.copy()
    pulled[np.argmax(pulled)] *= 2.0
    text = " ".join(audit(found.model, replace_state(found.state, {"net_tension": pulled}), 0.0).sentences)
    assert "net 'n' at knot" in text
    assert "of row" in text
