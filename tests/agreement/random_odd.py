"""Random systems near the edge of what has an equilibrium, from one whole number each.

What the other generators leave out: threads without mass, in air and water, slack and taut; lines exactly as long as
they span, exactly upright or level, with ends exactly at the surface or on the bed; several lines of unlike sections
between the same two points; free points that begin where another is; cells of nets smaller than their meshes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_systems import WATER, _between, _environment, _line, _one_in, _sections, _slack

Case = dict[str, Any]
KINDS = ("thread", "exact", "pair", "net")
EXACT = (1.0, 1.0, 0.999, 1.0001, 1.02, 1.6)  # lengths over spans


def random_odd(seed: int) -> Case:
    """The case of a seed, as a file would give it."""
    rng = np.random.default_rng([seed, 53])
    kind = str(rng.choice(KINDS, p=[0.3, 0.3, 0.25, 0.15]))
    case = {"thread": _thread, "exact": _exact, "pair": _pair, "net": _fine_net}[kind](rng)
    return {"ropewalk": 1, "title": f"{kind} of seed {seed}", **case}


def _start(rng: np.random.Generator, depth: float) -> Case:
    return {"environment": _environment(rng, depth), "sections": _sections(rng), "points": {}, "lines": {}}


def _weight(rng: np.random.Generator) -> Case:
    mass = _between(rng, 1.0, 1000.0)
    return {"joint": "free", "mass": mass, "volume": mass / WATER * float(rng.choice([0.0, 0.4, 3.0]))}


def _thread(rng: np.random.Generator) -> Case:
    """Weights on lines, some of which have neither mass nor, mostly, volume."""
    depth = _between(rng, 3.0, 100.0)
    case = _start(rng, depth)
    diameter = _between(rng, 1e-3, 1e-2)
    thread: Case = {"diameter": diameter, "mass": 0.0, "axial_stiffness": diameter**2 * _between(rng, 1e9, 1e11)}
    if not _one_in(rng, 3):
        thread["volume_diameter"] = 0.0
    case["sections"] = {"thread": thread} | ({"s0": case["sections"]["s0"]} if _one_in(rng, 2) else {})
    places = {"a": [0.0, 0.0, -0.1 * depth], "b": [depth, 0.0, -float(rng.uniform(0, 0.5)) * depth]}
    case["points"] = {name: {"position": place} for name, place in places.items()}
    for i in range(int(rng.integers(1, 4))):
        name, first = f"p{i}", list(places)
        places[name] = [float(x) for x in depth * np.array([*rng.uniform(-0.3, 0.8, 2), rng.uniform(-0.9, -0.1)])]
        case["points"][name] = {"position": places[name], **_weight(rng)}
        for other in rng.choice(first, int(rng.integers(1, 3)), replace=False):
            apart = math.dist(places[str(other)], places[name])
            line = _line(rng, case["sections"], (str(other), name), apart, abs(_slack(rng)) + 1e-3)
            case["lines"][f"l{len(case['lines'])}"] = line
    return case


def _exact(rng: np.random.Generator) -> Case:
    """A line whose ends stand exactly over, beside or upon one another, with or without a free point in it."""
    depth = _between(rng, 2.0, 1000.0)
    case = _start(rng, depth)
    case["environment"]["seabed"].pop("normal", None)
    for section in case["sections"].values():  # straight lines that do not stretch have no equilibrium
        if section["axial_stiffness"] == "inextensible":
            section["axial_stiffness"] = 1e9 * section["diameter"] ** 2
    a = [0.0, 0.0, -depth]
    b = [[0.0, 0.0, 0.0], [depth, 0.0, -depth], [depth, 0.0, 0.0], [0.0, 0.0, -depth]][int(rng.integers(4))]
    span = math.dist(a, b) or 0.3 * depth
    case["points"] = {"a": {"position": a}, "b": {"position": b}}
    over = float(rng.choice(EXACT)) - 1.0
    if _one_in(rng, 2):
        case["lines"]["l0"] = _line(rng, case["sections"], ("a", "b"), span, over)
        return case
    middle = [0.5 * (x + y) for x, y in zip(a, b, strict=True)]
    case["points"]["p"] = {"position": a if _one_in(rng, 4) else middle, **_weight(rng)}
    case["lines"]["l0"] = _line(rng, case["sections"], ("a", "p"), 0.5 * span, over)
    if not _one_in(rng, 4):
        case["lines"]["l1"] = _line(rng, case["sections"], ("p", "b"), 0.5 * span, float(rng.choice(EXACT)) - 1.0)
    return case


def _pair(rng: np.random.Generator) -> Case:
    """Two or three lines of unlike sections and slack between the same two points, in either direction."""
    depth = _between(rng, 5.0, 1000.0)
    case = _start(rng, depth)
    case["environment"]["seabed"].pop("normal", None)
    places = {"a": [depth * _between(rng, 0.1, 2.0), 0.0, -depth], "b": [0.0, 0.0, -float(rng.uniform(0, 0.3)) * depth]}
    case["points"] = {name: {"position": place} for name, place in places.items()}
    for i in range(int(rng.integers(2, 4))):
        ends = ("a", "b") if _one_in(rng, 2) else ("b", "a")
        case["lines"][f"l{i}"] = _line(rng, case["sections"], ends, math.dist(*places.values()), _slack(rng))
    return case


def _fine_net(rng: np.random.Generator) -> Case:
    """A hung panel whose bars stand for less than one twine, soft or stiff."""
    width, height = _between(rng, 0.5, 20.0), _between(rng, 0.3, 10.0)
    diameter = _between(rng, 1e-3, 5e-3)
    twine: Case = {"diameter": diameter, "mass": 1140.0 * math.pi / 4.0 * diameter**2}
    twine["axial_stiffness"] = "inextensible" if _one_in(rng, 3) else diameter**2 * _between(rng, 1e8, 1e10)
    sea: Case = {"seabed": {"kind": "none"}, "water_density": WATER}
    if _one_in(rng, 2):
        sea["current"] = {"speed": _between(rng, 0.05, 0.6), "heading": float(rng.uniform(60.0, 120.0))}
    corners = [[0, 0, -1.0], [width, 0, -1.0], [width, 0, -1.0 - height], [0, 0, -1.0 - height]]
    net: Case = {"panel": {"kind": "rectangle", "corners": corners}, "section": "twine", "held": "upper",
                 "bar_length": max(width, height) * float(rng.uniform(0.3, 1.0)),
                 "cells": [int(n) for n in rng.integers(3, 8, 2)], "lower_sinker": _between(rng, 0.1, 5.0)}  # fmt: skip
    return {"environment": sea, "sections": {"twine": twine}, "nets": {"n": net}}
