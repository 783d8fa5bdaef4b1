"""Every feature with every method, at rest and in time: who refuses names one who takes it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.methods.claims import able, demands, refuse_unclaimed
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

Case = dict[str, Any]
BASE: Case = {
    "environment": {"depth": 60, "gravity": 9.81, "water_density": 1025, "seabed": {"kind": "none"}},
    "sections": {"rope": {"diameter": 0.05, "mass": 8.0, "axial_stiffness": "inextensible", "drag": {"normal": 0.0},
                          "added_mass": {"normal": 0.0}}},
    "points": {"a": {"position": [0, 0, -40]}, "b": {"position": [30, 0, -10]}},
    "lines": {"l": {"from": "a", "to": "b", "elements": 6, "pieces": [{"section": "rope", "length": 48}]}},
}  # fmt: skip
WEIGHT = {"mass": 300.0, "inertia": [40, 50, 60], "position": [30, 0, -10], "volume": 0.2,
          "attachments": {"eye": [0, 0, 0.4]}}  # fmt: skip
HARMONIC = {"kind": "harmonic", "terms": [{"amplitude": 20.0, "omega": 0.5}]}


def _put(path: str, value: Any) -> Callable[[Case], None]:
    def change(case: Case) -> None:
        *way, last = path.split(".")
        place = case
        for word in way:
            place = place[int(word)] if isinstance(place, list) else place.setdefault(word, {})
        place[last] = copy.deepcopy(value)

    return change


def _all(*changes: Callable[[Case], None]) -> Callable[[Case], None]:
    def change(case: Case) -> None:
        for one in changes:
            one(case)

    return change


def _body(**more: Any) -> Callable[[Case], None]:
    return _all(_put("bodies", {"w": {**WEIGHT, **more}}), _put("lines.l.to", "w.eye"), _put("points.b.mass", 0.0))


def _linked(**link: Any) -> Callable[[Case], None]:
    """The line ends at a free point that is linked to a body of its own."""
    eye = {"l": {"between": ["w.eye", "b"], **link}}
    free = {"position": [30, 0, -9.6], "joint": "free", "mass": 20.0}
    return _all(_put("bodies", {"w": WEIGHT}), _put("points.b", free), _put("links", eye))


def _ground(**seabed: Any) -> Callable[[Case], None]:
    longer = _put("lines.l.pieces", [{"section": "rope", "length": 75}])
    return _all(_put("environment.seabed", seabed), _put("points.a.position", [0, 0, -60]), longer)


DRAG = _put("sections.rope.drag", {"normal": 1.2})
CURRENT = _all(DRAG, _put("environment.current", {"speed": 0.4, "heading": 20}))
NET = {"panel": {"kind": "rectangle", "corners": [[0, 0, -5], [4, 0, -5], [4, 0, -9], [0, 0, -9]]}, "section": "rope",
       "bar_length": 0.5, "cells": [3, 2], "held": "upper"}  # fmt: skip
FEATURES: dict[str, Callable[[Case], None]] = {
    "nothing": lambda case: None,
    "elastic": _put("sections.rope.axial_stiffness", 1e7),
    "table law": _put("sections.rope.axial_stiffness", {"kind": "table", "strain": [0, 0.1, 0.2],
                                                        "tension": [0, 1e5, 3e5]}),
    "compression": _put("sections.rope.compression", True),
    "pieces": _put("lines.l.pieces", [{"section": "rope", "length": 20}, {"section": "rope", "length": 28}]),
    "float": _put("lines.l.attachments", [{"s": 24, "mass": 20, "volume": 0.05}]),
    "sideways force": _put("lines.l.attachments", [{"s": 24, "mass": 20, "force": [0, 50, 0]}]),
    "current": CURRENT,
    "current profile": _all(CURRENT, _put("environment.current.profile", {"kind": "power"})),
    "current in time": _all(CURRENT, _put("environment.current.speed", HARMONIC | {"mean": 0.5})),
    "waves": _all(DRAG, _put("environment.waves", {"kind": "regular", "height": 1.0, "period": 6.0})),
    "bed": _ground(friction=0.0),
    "bed with friction": _ground(friction=0.5),
    "slope": _ground(friction=0.0, normal=[0.05, 0.0, 1.0]),
    "pressure": _put("lines.l.loads", [{"kind": "pressure", "axis": [0, 1, 0], "value": 2.0}]),
    "pressure in time": _put("lines.l.loads", [{"kind": "pressure", "axis": [0, 1, 0], "value": HARMONIC}]),
    "table load": _put("lines.l.loads", [{"kind": "table", "s": [0, 48], "force": [[0, 1, 0], [0, 2, 0]]}]),
    "rotating": _put("lines.l.loads", [{"kind": "rotating", "axis": [0, 0, 1], "rate": 0.2}]),
    "moving end": _put("points.b", {"position": [30, 0, -10], "joint": "moving", "motion": {
        "kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 1, "omega": 0.5}]}}),
    "free point": _put("points.b", {"position": [30, 0, -10], "joint": "free", "mass": 500}),
    "force in time": _put("points.b", {"position": [30, 0, -10], "joint": "free", "mass": 500,
                                       "force": [HARMONIC, 0, 0]}),
    "slider": _put("points.b.joint", {"axes": {"x": {"force": 900.0}, "y": "held", "z": "held"}}),
    "body": _body(),
    "body with a hull": _body(position=[20, 0, 0], volume=0.0, hull={"kind": "sphere", "radius": 0.6}),
    "drag by angle": _all(CURRENT, _put("sections.rope.drag", {"along_flow": {"law": "sine"}})),
    "winch": _put("lines.l.payout", {"end": "B", "time": [1, 20], "length": [0, 2], "ramp": 1}),
    "breaks": _put("lines.l.break", {"tension": 1e6}),
    "over a point": _all(_put("points.c", {"position": [15, 0, -15]}), _put("lines.l.over", ["c"])),
    "varying": _put("sections.rope.mass", {"s": [0, 48], "value": [8.0, 10.0]}),
    "net": _put("nets", {"n": NET}),
    "ball link": _linked(kind="ball"),
    "joint link": _linked(kind="joint", axes={"x": {"spring": 500.0}}),
    "friction in a slide": _linked(kind="joint", axes={"x": {"spring": 500.0}}, friction_coefficient=0.1),
    "springs between body and line": _linked(kind="joint", axes={key: {"spring": 900.0} for key in "xyz"}),
    "collar": _all(
        _put("points.b", {"position": [30, 0, 0], "joint": "free"}),
        _put("lines.l.pieces", [{"section": "rope", "length": 55}]),
        _put("collars", {"ring": {"radius": 5.0, "centre": [25, 0, 0], "diameter": 0.3, "mass": 20.0, "segments": 8,
                                  "bending_stiffness": 1e4, "points": ["b"]}}),
    ),
    "foil": _body(foils=[{"area": 0.5, "chord": [1, 0, 0], "normal": [0, 0, 1],
                          "coefficients": {"angle": [-10, 0, 10], "lift": [-0.5, 0, 0.5], "drag": [0.1, 0.05, 0.1]}}]),
    "memory of a rope": _put("sections.rope.axial_stiffness", {"kind": "viscoelastic", "static": 1e6, "dynamic": 2e6,
                                                                "viscosity": 1e6}),
    "lift by vortices": _all(CURRENT, _put("sections.rope.lift", {"coefficient": 0.5}),
                             _put("sections.rope.axial_stiffness", 1e7)),
    "bed on a grid": _ground(friction=0.0, kind="grid", x=[-100, 100], y=[-100, 100],
                             depth=[[60, 60], [62, 62]]),
}  # fmt: skip
KINDS = {"statics": Claim.STATICS, "dynamics": Claim.DYNAMICS}


@cache
def model_of(*features: str) -> Any:
    """The model of a case with features; None where the spec refuses their combination."""
    case = copy.deepcopy(BASE)
    for name in features:
        FEATURES[name](case)
    try:
        return build(System.model_validate(case))
    except (ValueError, InputError, KeyError, TypeError, IndexError):
        if len(features) == 1:
            raise
        return None


@cache
def refusal(name: str, feature: str) -> str:
    """The sentence with which a method refuses a case; empty if it starts, or fails by its numbers."""
    model = model_of(feature)
    try:
        solver_class(name)().start(model, initial_state(model))
    except InputError as error:
        return str(error)
    except (rw.ConvergenceError, ArithmeticError, np.linalg.LinAlgError):
        return ""
    return ""


def solvers(kind: Claim) -> list[str]:
    return [name for name in SOLVERS if kind in solver_class(name).claims and name != "settle"]


def named(sentence: str) -> set[str]:
    return {name for name in SOLVERS if f"'{name}'" in sentence}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("feature", FEATURES)
def test_who_refuses_names_one_who_takes_it(feature: str, kind: str) -> None:
    methods = solvers(KINDS[kind])
    taking = {name for name in methods if not refusal(name, feature)}
    for name in methods:
        sentence = refusal(name, feature)
        if not sentence:
            continue
        others = named(sentence) - {name}
        if (
            not taking
        ):  # at rest only, in time only, or not at all: the sentence says so, or names one of the other kind
            assert "no method supports" in sentence or others, f"{name}: {sentence}"
            continue
        assert others & taking, f"{name}: {sentence} (takes it: {sorted(taking)})"
        wrong = {other for other in others if refusal(other, feature)}
        assert not wrong, f"{name}: {sentence} (refuse it too: {sorted(wrong)})"


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_features_are_refused_with_those_who_claim_both(kind: str) -> None:
    """By claims alone, which is where combinations are refused."""
    claim, checked = KINDS[kind], 0
    for pair in combinations(FEATURES, 2):
        model = model_of(*pair)
        if model is None:
            continue
        for name in solvers(claim):
            solver = solver_class(name)()
            try:
                refuse_unclaimed(solver, model)
            except InputError as error:
                checked += 1
                others = named(str(error)) - {name}
                assert others or "no method supports" in str(error), f"{pair}: {error}"
                for other in others:
                    refuse_unclaimed(solver_class(other)(), model)
                    getattr(solver_class(other), "check", lambda model: None)(model)
                ignored = {Claim.MEMORY, Claim.LIFT} if claim is Claim.STATICS else set()
                assert bool(others) == bool(able(demands(model) - ignored, claim, model)), f"{pair}: {error}"
    assert checked > 500
