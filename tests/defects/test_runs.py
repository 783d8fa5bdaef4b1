"""Runs of these cases begin at the equilibrium of the references and stay there, by every solver that claims one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from static_references import REFERENCES, SOFT, case, reference

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import IN_TIME, solver_class
from ropewalk.model.model import build

LEAPFROG = "leapfrog"  # the explicit integrator of mixed_fem
AGREE = 1e-3  # of the largest end force, where a smaller discretisation error is stated
UNDOUBTED = 1e-2  # of that of each line: what a mesh leaves without a doubt where no error is stated
STEP = 1e-3  # s, for solvers that need one
INEXTENSIBLE = "section '.*' is inextensible, and explicit steps need a tension that follows from length"
FREE_BODY = "body '.*' is free, and leapfrog moves lines and points only"
JOINED = "point '.*' is free and joins 2 lines; chain_series moves each line by itself"
REFUSED = {
    **dict.fromkeys([("air", LEAPFROG), ("seed0", LEAPFROG), ("seed627", LEAPFROG)], FREE_BODY),
    **{(name, LEAPFROG): INEXTENSIBLE for name in ("bars_at_rest", "det_seed45", "double_pendulum_massless")},
    **{(name, LEAPFROG): INEXTENSIBLE for name in ("rotating_rope", "slack_weight")},
    **{(name, "chain_series"): JOINED for name in ("double_pendulum_massless", "slack_weight")},
    ("slack_weight", "joint_angles"): "joint_angles: 1 bars close loops; use the solver 'recursive'",
    ("bars_at_rest", "joint_angles"): "joint_angles: line 'rope' is held at both ends; use the solver 'recursive'",
    ("rotating_rope", "chain_series"): "chain_series does not support loads of a rotating frame; use 'mixed_fem'",
}


def claims() -> list[tuple[str, str]]:
    found = []
    for name in REFERENCES:
        asked = demands(build(case(name))) | {Claim.DYNAMICS}
        found += [(name, solver) for solver in IN_TIME if asked <= solver_class(solver).claims]
        found += [(name, LEAPFROG)] * (asked <= solver_class("mixed_fem").claims)
    return found


def at_rest(name: str, solver: str) -> rw.System:
    """Half a second from the equilibrium."""
    given: dict[str, Any] = {"duration": 0.5, "solver": "mixed_fem" if solver == LEAPFROG else solver}
    given |= {"integrator": LEAPFROG} if solver == LEAPFROG else {}
    given |= {"step": STEP} if solver not in ("mixed_fem", "chain_series", LEAPFROG) else {}
    return case(name).replace({"run": given, "record": {"every": 0.1}})


@pytest.mark.parametrize(("name", "solver"), claims())
def test_every_solver_starts_at_rest_and_stays_there(name, solver):
    """Nothing moves by 1e-6 of the longest line, and tensions are those of the references within the stated error."""
    if (name, solver) in REFUSED:
        with pytest.raises(InputError, match=REFUSED[name, solver]):
            rw.simulate(at_rest(name, solver))
        return
    run, wanted = rw.simulate(at_rest(name, solver)), reference(name)
    place = run.position.values
    longest = max(sum(piece.length for piece in line.pieces) for line in case(name).lines.values())
    assert np.abs(place - place[0]).max() < 1e-6 * longest
    doubts = {doubt["code"]: float(doubt["value"]) for doubt in json.loads(run.attrs["doubts"])}
    stated = doubts.get("discretisation", float(run.attrs.get("discretisation_error", UNDOUBTED)))
    assert ("discretisation" in doubts) == (stated > UNDOUBTED)
    found = run.end_tension.values[-1]
    own = np.maximum(found.max(axis=1), AGREE * found.max())
    allowed = np.maximum(AGREE * np.nanmax(wanted), stated * own + SOFT.get(name, 0.0))[:, None]
    assert_allclose(np.where(np.isnan(wanted), 0.0, found - wanted) / allowed, 0.0, atol=1.0)
