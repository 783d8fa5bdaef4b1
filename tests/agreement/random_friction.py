"""Random systems with friction of the bed, from one whole number each: much line there, across currents and slopes.

Friction is what statics leave open most, so that methods are compared on it apart from all else: single lines, taut to
very slack; lines that meet in a free point on or over the bed; buoys.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_systems import WATER, _between, _on_bed, _one_in

Case = dict[str, Any]
KINDS, SHARES = ("line", "knot", "spread", "buoy"), (0.4, 0.25, 0.15, 0.2)
DRY_WEIGHT = (1.5, 8.0)  # mass of a section over that of the water it displaces: few are swept sideways


def random_friction(seed: int) -> Case:
    """The case of a seed, as a file would give it."""
    rng = np.random.default_rng([seed, 53])
    kind = str(rng.choice(KINDS, p=SHARES))
    depth = _between(rng, 15.0, 600.0)
    case: Case = {"environment": _sea(rng, depth), "sections": {}, "points": {}, "lines": {}}
    case["sections"] = {f"s{i}": _section(rng) for i in range(int(rng.integers(1, 3)))}
    {"line": _single, "knot": _knot, "spread": _spread, "buoy": _buoy}[kind](rng, case, depth)
    return {"ropewalk": 1, "title": f"{kind} of seed {seed}", **case}


def _sea(rng: np.random.Generator, depth: float) -> Case:
    bed: Case = {"stiffness": _between(rng, 1e4, 1e6), "friction": float(rng.choice([0.2, 0.3, 0.5, 1.0]))}
    if _one_in(rng, 2):
        tilt, way = math.radians(rng.uniform(0.5, 10.0)), rng.uniform(0.0, 2.0 * math.pi)
        bed["normal"] = [math.sin(tilt) * math.cos(way), math.sin(tilt) * math.sin(way), math.cos(tilt)]
    sea: Case = {"depth": depth, "gravity": 9.81, "water_density": WATER, "seabed": bed}
    if not _one_in(rng, 4):
        sea["current"] = {"speed": _between(rng, 0.05, 1.5), "heading": float(rng.uniform(-180, 180))}
        if _one_in(rng, 2):
            sea["current"]["profile"] = {"kind": "power", "exponent": float(rng.uniform(0.1, 0.4))}
    return sea


def _section(rng: np.random.Generator) -> Case:
    diameter = _between(rng, 0.02, 0.2)
    section: Case = {"diameter": diameter, "mass": WATER * math.pi / 4.0 * diameter**2 * _between(rng, *DRY_WEIGHT),
                     "axial_stiffness": diameter**2 * _between(rng, 3e8, 8e10),
                     "drag": {"normal": float(rng.uniform(0.8, 2.4)),
                              "tangential": float(rng.choice([0.0, 0.1]))}}  # fmt: skip
    if _one_in(rng, 5):
        section["axial_stiffness"] = "inextensible"
    return section


def _length(rng: np.random.Generator, a: list[float], b: list[float]) -> float:
    """From taut to longer than straight down and along the bed."""
    straight = math.dist(a, b)
    down = abs(a[2] - b[2]) + math.dist(a[:2], b[:2])
    return float(straight * 1.002 + rng.uniform(0.0, 1.15) ** 2 * (down - straight))


def _join(rng: np.random.Generator, case: Case, ends: tuple[str, str], places: tuple[list[float], list[float]]) -> None:
    length, names = _length(rng, *places), list(case["sections"])
    count = int(rng.integers(1, 3))
    shares = rng.dirichlet(np.full(count, 4.0))
    pieces = [{"section": str(rng.choice(names)), "length": float(length * share)} for share in shares]
    line: Case = {"from": ends[0], "to": ends[1], "pieces": pieces}
    if _one_in(rng, 6):
        line["attachments"] = [{"s": float(rng.uniform(0.05, 0.8) * length), "mass": _between(rng, 10.0, 1000.0)}]
    case["lines"][f"l{len(case['lines'])}"] = line


def _anchor(rng: np.random.Generator, case: Case, around: list[float], depth: float) -> tuple[str, list[float]]:
    span, angle = depth * _between(rng, 0.5, 5.0), rng.uniform(0.0, 2.0 * math.pi)
    place = _on_bed(case, around[0] + span * math.cos(angle), around[1] + span * math.sin(angle))
    name = f"a{len(case['points'])}"
    case["points"][name] = {"position": place}
    return name, place


def _single(rng: np.random.Generator, case: Case, depth: float) -> None:
    """One or two lines from the bed up to held points."""
    for i in range(int(rng.integers(1, 3))):
        top = [float(rng.normal(0, 5)), float(rng.normal(0, 5)), -depth * float(rng.uniform(0.0, 0.4))]
        case["points"][f"t{i}"] = {"position": top}
        anchor, place = _anchor(rng, case, top, depth)
        _join(rng, case, (anchor, f"t{i}"), (place, top))


def _knot(rng: np.random.Generator, case: Case, depth: float) -> None:
    """Lines along the bed to a heavy free point there, and one from it to a held point at the surface."""
    top = [0.0, 0.0, -float(rng.uniform(0.0, 2.0))]
    at, angle = depth * _between(rng, 0.3, 2.0), rng.uniform(0.0, 2.0 * math.pi)
    knot = _on_bed(case, at * math.cos(angle), at * math.sin(angle))
    mass = _between(rng, 20.0, 5000.0)
    case["points"] |= {"top": {"position": top}, "knot": {"position": knot, "joint": "free", "mass": mass,
                                                          "volume": mass / 7850.0}}  # fmt: skip
    for _ in range(int(rng.integers(1, 4))):
        _join(rng, case, *_ends(_anchor(rng, case, knot, depth), ("knot", knot)))
    _join(rng, case, ("knot", "top"), (knot, top))


def _ends(a: tuple[str, list[float]], b: tuple[str, list[float]]) -> Any:
    return (a[0], b[0]), (a[1], b[1])


def _spread(rng: np.random.Generator, case: Case, depth: float) -> None:
    """A free point in the water on three or four grounded lines, with a float or without."""
    node = [0.0, 0.0, -depth * float(rng.uniform(0.1, 0.6))]
    mass = _between(rng, 20.0, 3000.0)
    case["points"]["node"] = {"position": node, "joint": "free", "mass": mass,
                              "volume": mass / WATER * float(rng.choice([0.1, 3.0, 10.0]))}  # fmt: skip
    for _ in range(int(rng.integers(3, 5))):
        _join(rng, case, *_ends(_anchor(rng, case, node, depth), ("node", node)))


def _buoy(rng: np.random.Generator, case: Case, depth: float) -> None:
    """A floating ball on three lines."""
    weights = [case["sections"][name]["mass"] for name in case["sections"]]
    radius = max(0.8, (depth * max(weights) / WATER) ** (1.0 / 3.0))
    mass = WATER * 4.0 / 3.0 * math.pi * radius**3 * float(rng.uniform(0.2, 0.5))
    eyes = {f"e{i}": [radius * math.cos(2.1 * i), radius * math.sin(2.1 * i), 0.0] for i in range(3)}
    case["bodies"] = {"buoy": {"mass": mass, "inertia": [0.4 * mass * radius**2] * 3, "position": [0.0, 0.0, 0.0],
                               "centre_of_mass": [0, 0, -0.3 * radius], "attachments": eyes,
                               "hull": {"kind": "sphere", "radius": radius, "drag": 0.5}}}  # fmt: skip
    for i in range(3):
        span = depth * _between(rng, 0.7, 4.0) + radius
        place = _on_bed(case, span * math.cos(2.1 * i), span * math.sin(2.1 * i))
        case["points"][f"a{i}"] = {"position": place}
        _join(rng, case, (f"a{i}", f"buoy.e{i}"), (place, eyes[f"e{i}"]))
