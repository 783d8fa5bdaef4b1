"""Random webs: free points and buoys in chains, trees and loops, from one whole number each.

What random_systems.py leaves out: lines between free points, ends that hang loose, points on the bed and at the
surface, two buoys on one line, many legs at one point, lines without weight in water, long slack loops.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_runs import as_run
from random_systems import WATER, _between, _environment, _line, _on_bed, _one_in, _sections, _slack

Case = dict[str, Any]
HEIGHTS = ("column", "bed", "surface")  # where a free point begins


def random_web(seed: int) -> Case:
    """The case of a seed, as a file would give it."""
    rng = np.random.default_rng([seed, 41])
    depth = _between(rng, 15.0, 600.0)
    case: Case = {"environment": _environment(rng, depth), "sections": _sections(rng), "points": {}, "lines": {}}
    places: dict[str, list[float]] = {}
    if _one_in(rng, 3):
        _add_buoys(rng, case, places)
    for i in range(int(rng.integers(1 if places else 2, 6))):
        name = f"p{i}"
        case["points"][name], places[name] = _free_point(rng, case, depth)
    names = list(places)
    for i, name in enumerate(names):  # a tree: each to one before it or to an anchor, the first to an anchor
        other = names[int(rng.integers(i))] if i and not _one_in(rng, 2.5) else _anchor(rng, case, places, name, depth)
        _join(rng, case, places, other, name)
    for _ in range(int(rng.integers(0, 4))):  # and some more: loops, second anchors
        name = str(rng.choice(names))
        others = [n for n in names if n != name]
        other = str(rng.choice(others)) if others and _one_in(rng, 2) else _anchor(rng, case, places, name, depth)
        _join(rng, case, places, other, name)
    return {"ropewalk": 1, "title": f"web of seed {seed}", **case}


def random_web_run(seed: int) -> Case:
    """A web with a run of five seconds."""
    return as_run(np.random.default_rng([seed, 43]), random_web(seed), f"web run of seed {seed}")


def _free_point(rng: np.random.Generator, case: Case, depth: float) -> tuple[Case, list[float]]:
    x, y = (float(v) for v in rng.normal(0, 0.5 * depth, 2))
    where = str(rng.choice(HEIGHTS, p=[0.7, 0.15, 0.15]))
    place = [x, y, float(-depth * rng.uniform(0.05, 0.95))] if where == "column" else [x, y, 0.0]
    if where == "bed":
        place = _on_bed(case, x, y)
    weight = _between(rng, 1.0, 3000.0)
    point: Case = {"joint": "free", "position": place, "mass": weight}
    point["volume"] = weight / WATER * float(rng.choice([0.0, 0.3, 1.0, 2.5, 8.0]))
    if where == "surface":
        point["volume"] = weight / WATER * 6.0
    if _one_in(rng, 4):
        point["drag_area"] = _between(rng, 0.01, 2.0)
    if _one_in(rng, 6):
        point["force"] = [float(v) for v in rng.normal(0, 4.0 * weight, 3)]
    return point, place


def _add_buoys(rng: np.random.Generator, case: Case, places: dict[str, list[float]]) -> None:
    """One or two floating or submerged buoys; places are those of their eyes."""
    case["environment"]["water_density"] = WATER
    depth = case["environment"]["depth"]
    case["bodies"] = {}
    for i in range(int(rng.integers(1, 3))):
        radius = _between(rng, 0.3, 3.0)
        mass = WATER * 4.0 / 3.0 * math.pi * radius**3 * float(rng.uniform(0.2, 0.7))
        z = 0.0 if _one_in(rng, 2) else float(-depth * rng.uniform(0.1, 0.6))
        position = [float(12.0 * i + rng.normal(0, 1)), float(rng.normal(0, 1)), z]
        case["bodies"][f"b{i}"] = {
            "mass": mass,
            "inertia": [0.4 * mass * radius**2] * 3,
            "centre_of_mass": [0, 0, -0.3 * radius],
            "position": position,
            "hull": {"kind": "sphere", "radius": radius, "drag": float(rng.choice([0.0, 0.6]))},
            "attachments": {"low": [0, 0, -radius], "side": [radius, 0, 0]},
        }
        eye = str(rng.choice(["low", "side"]))
        out = [radius, 0.0, 0.0] if eye == "side" else [0.0, 0.0, -radius]
        places[f"b{i}.{eye}"] = [p + o for p, o in zip(position, out, strict=True)]


def _anchor(rng: np.random.Generator, case: Case, places: dict[str, list[float]], of: str, depth: float) -> str:
    """A new held point: on the bed, sometimes in the water or above it."""
    name = f"a{len(case['points'])}"
    span, angle = depth * _between(rng, 0.2, 3.0), float(rng.uniform(0, 2 * math.pi))
    x, y = places[of][0] + span * math.cos(angle), places[of][1] + span * math.sin(angle)
    place = _on_bed(case, x, y)
    if _one_in(rng, 4):
        place = [x, y, float(rng.choice([2.0, 0.0, -0.1 * depth, -0.5 * depth]))]
    case["points"][name] = {"position": place}
    places[name] = place
    return name


def _join(rng: np.random.Generator, case: Case, places: dict[str, list[float]], a: str, b: str) -> None:
    apart = max(math.dist(places[a], places[b]), 0.02 * case["environment"]["depth"])
    case["lines"][f"l{len(case['lines'])}"] = _line(rng, case["sections"], (a, b), apart, max(_slack(rng), 0.002))
