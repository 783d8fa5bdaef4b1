"""The audit of nets finds what is wrong with a knot, a twine or a tension."""

from dataclasses import replace

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.analysis.audit import audit
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
