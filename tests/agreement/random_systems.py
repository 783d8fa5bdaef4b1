"""Random physical systems, each from one whole number: lines, points, bodies, joints and nets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ropewalk.spec.system import System

KINDS = ("lines", "node", "body", "joints", "net")
SHARES = (0.3, 0.3, 0.2, 0.12, 0.08)  # of the kinds among the cases
WATER = 1025.0  # kg/m3

Case = dict[str, Any]


def random_case(seed: int) -> Case:
    """The case of a seed, as a file would give it."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(KINDS, p=SHARES))
    case = {"lines": _lines, "node": _node, "body": _body, "joints": _joints, "net": _net}[kind](rng)
    return {"ropewalk": 1, "title": f"{kind} of seed {seed}", **case}


def random_system(seed: int) -> System:
    """The same, checked."""
    return System.model_validate(random_case(seed))


def _one_in(rng: np.random.Generator, n: float) -> bool:
    return bool(rng.random() < 1.0 / n)


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """Equally likely on a logarithmic scale."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _environment(rng: np.random.Generator, depth: float) -> Case:
    sea: Case = {"depth": depth, "gravity": 9.81, "water_density": 0.0 if _one_in(rng, 12) else WATER}
    bed: Case = {"stiffness": _between(rng, 3e3, 1e6)}
    if _one_in(rng, 6):
        bed = {"kind": "none"}
    else:
        if _one_in(rng, 2.5):
            bed["friction"] = float(rng.choice([0.2, 0.5, 1.0]))
        if _one_in(rng, 8):
            tilt = math.radians(rng.uniform(1.0, 12.0))
            bed["normal"] = [math.sin(tilt), 0.0, math.cos(tilt)]
    sea["seabed"] = bed
    if not _one_in(rng, 2.5):
        current: Case = {"speed": _between(rng, 0.05, 1.8), "heading": float(rng.uniform(-180, 180))}
        if _one_in(rng, 2):
            current["profile"] = {"kind": "power", "exponent": float(rng.uniform(0.1, 0.8))}
        elif _one_in(rng, 3):
            current["profile"] = {"kind": "table", "z": [-depth, -0.5 * depth, 0.0],
                                  "factor": [float(x) for x in (*rng.uniform(0.2, 0.8, 2), 1.0)]}  # fmt: skip
        sea["current"] = current
    return sea


def _section(rng: np.random.Generator, buoyant: bool = False) -> Case:
    diameter = _between(rng, 0.01, 0.25)
    displaced = WATER * math.pi / 4.0 * diameter**2
    mass = displaced * (float(rng.uniform(0.5, 0.95)) if buoyant else _between(rng, 1.1, 8.0))
    section: Case = {"diameter": diameter, "mass": mass}
    stiffness = diameter**2 * _between(rng, 1e8, 8e10)
    kind = rng.choice(["linear", "inextensible", "polynomial", "table"], p=[0.6, 0.2, 0.1, 0.1])
    if kind == "inextensible":
        section["axial_stiffness"] = "inextensible"
    elif kind == "polynomial":
        curve = [float(rng.uniform(0, 5)), float(rng.uniform(5, 50))]
        section["axial_stiffness"] = {"kind": "polynomial", "stiffness": stiffness, "coefficients": curve}
    elif kind == "table":
        section["axial_stiffness"] = {"kind": "table", "strain": [0, 0.01, 0.03, 0.1],
                                      "tension": [0, 0.01 * stiffness, 0.04 * stiffness, 0.2 * stiffness]}  # fmt: skip
    else:
        section["axial_stiffness"] = stiffness
    if _one_in(rng, 1.4):
        section["drag"] = {"normal": float(rng.uniform(0.5, 1.6)), "tangential": float(rng.choice([0.0, 0.05, 0.2]))}
    if _one_in(rng, 3):
        section["contact_diameter"] = diameter
    return section


def _sections(rng: np.random.Generator) -> dict[str, Case]:
    count = int(rng.integers(1, 4))
    return {f"s{i}": _section(rng, buoyant=i > 0 and _one_in(rng, 5)) for i in range(count)}


def _line(
    rng: np.random.Generator, sections: dict[str, Case], ends: tuple[str, str], apart: float, slack: float
) -> Case:
    """A line of some pieces between ends `apart` m from one another, longer than that by the share `slack`."""
    length = apart * (1.0 + slack)
    shares = rng.dirichlet(np.full(int(rng.integers(1, 4)), 3.0))
    names = list(sections)
    pieces = [{"section": str(rng.choice(names)), "length": float(length * share)} for share in shares]
    stiff = all(sections[p["section"]]["axial_stiffness"] == "inextensible" for p in pieces)
    if slack < 0.0 and stiff:
        pieces[0]["length"] += float(0.02 * apart - slack * apart)
    line: Case = {"from": ends[0], "to": ends[1], "pieces": pieces}
    whole = sum(p["length"] for p in pieces)
    if _one_in(rng, 4):
        hung = []
        for s in rng.uniform(0.05, 0.95, int(rng.integers(1, 4))) * whole:
            weight = _between(rng, 1.0, 500.0)
            hung.append({"s": float(s), "mass": weight, "volume": weight / WATER * float(rng.choice([0.0, 0.2, 2.0]))})
        line["attachments"] = hung
    return line


def _slack(rng: np.random.Generator) -> float:
    """Taut, hanging or lying: how much longer than straight a line is."""
    return float(
        rng.choice([rng.uniform(-0.01, 0.0), rng.uniform(0.001, 0.05), rng.uniform(0.05, 0.6)], p=[0.15, 0.45, 0.4])
    )


def _on_bed(case: Case, x: float, y: float) -> list[float]:
    sea = case["environment"]
    normal = sea["seabed"].get("normal", [0.0, 0.0, 1.0])
    return [x, y, -sea["depth"] - (normal[0] * x + normal[1] * y) / normal[2]]


def _lines(rng: np.random.Generator) -> Case:
    """One to three lines between held points."""
    depth = _between(rng, 10.0, 900.0)
    case: Case = {"environment": _environment(rng, depth), "sections": _sections(rng), "points": {}, "lines": {}}
    for i in range(int(rng.integers(1, 4))):
        span = depth * _between(rng, 0.2, 5.0)
        angle = float(rng.uniform(0, 2 * math.pi))
        a = _on_bed(case, span * math.cos(angle), span * math.sin(angle))
        if _one_in(rng, 4):
            a[2] += float(rng.uniform(0.1, 0.9)) * depth
        b = [float(rng.normal(0, 2)), float(rng.normal(0, 2)), float(-depth * rng.uniform(0.0, 0.6))]
        if _one_in(rng, 8):
            b[2] = float(rng.uniform(0.0, 10.0))
        case["points"] |= {f"a{i}": {"position": a}, f"b{i}": {"position": b}}
        case["lines"][f"l{i}"] = _line(rng, case["sections"], (f"a{i}", f"b{i}"), math.dist(a, b), _slack(rng))
    return case


def _node(rng: np.random.Generator) -> Case:
    """A free point on two to four lines."""
    depth = _between(rng, 10.0, 500.0)
    case: Case = {"environment": _environment(rng, depth), "sections": _sections(rng), "points": {}, "lines": {}}
    node = [float(rng.normal(0, 3)), float(rng.normal(0, 3)), float(-depth * rng.uniform(0.1, 0.9))]
    weight = _between(rng, 10.0, 3000.0)
    case["points"]["node"] = {"position": node, "joint": "free", "mass": weight,
                              "volume": weight / WATER * float(rng.choice([0.0, 0.5, 3.0]))}  # fmt: skip
    if _one_in(rng, 2):
        case["points"]["node"]["force"] = [float(x) for x in rng.normal(0, 9.81 * weight, 3)]
    for i in range(int(rng.integers(1, 4))):
        span, angle = depth * _between(rng, 0.3, 4.0), float(rng.uniform(0, 2 * math.pi))
        a = _on_bed(case, span * math.cos(angle), span * math.sin(angle))
        case["points"][f"a{i}"] = {"position": a}
        case["lines"][f"l{i}"] = _line(rng, case["sections"], (f"a{i}", "node"), math.dist(a, node), _slack(rng))
    if _one_in(rng, 2) or len(case["lines"]) == 1:
        top = [float(rng.normal(0, 5)), 0.0, float(-rng.uniform(0.0, 2.0))]
        case["points"]["top"] = {"position": top}
        case["lines"]["u"] = _line(rng, case["sections"], ("node", "top"), math.dist(node, top), _slack(rng))
    return case


def _body(rng: np.random.Generator) -> Case:
    """A buoy or a platform moored by three or four lines."""
    depth = _between(rng, 20.0, 900.0)
    case: Case = {"environment": _environment(rng, depth), "sections": _sections(rng), "points": {}, "lines": {}}
    case["environment"]["water_density"] = WATER
    radius = _between(rng, 0.5, 10.0)
    count = int(rng.integers(3, 5))
    if _one_in(rng, 3):
        hull: Case = {"drag": 0, "kind": "sphere", "radius": radius}
        volume = 4.0 / 3.0 * math.pi * radius**3
    else:
        draught = radius * _between(rng, 0.5, 8.0)
        hull = {
            "drag": 0,
            "added_mass": 0,
            "kind": "axisymmetric",
            "profile": [[-draught, radius], [0.6 * radius, radius]],
        }
        volume = math.pi * radius**2 * draught
    if _one_in(rng, 2):
        hull["drag"] = 0.6 if hull["kind"] == "sphere" else {"normal": 0.8, "axial": 0.5}
    bottom = -radius if hull["kind"] == "sphere" else hull["profile"][0][0]
    mass = WATER * volume * float(rng.uniform(0.3, 0.8))
    position = [0.0, 0.0, float(rng.uniform(-0.3, 0.3)) * radius]
    attachments = {}
    for i in range(count):
        angle = 2 * math.pi * i / count
        low = 0.5 * bottom
        out = radius if hull["kind"] != "sphere" else math.sqrt(radius**2 - low**2)
        attachments[f"e{i}"] = [out * math.cos(angle), out * math.sin(angle), low]
        span = depth * _between(rng, 0.3, 4.0) + 2.0 * radius
        turn = angle + float(rng.normal(0, 0.1))
        a = _on_bed(case, span * math.cos(turn), span * math.sin(turn))
        end = [position[j] + attachments[f"e{i}"][j] for j in range(3)]
        case["points"][f"a{i}"] = {"position": a}
        slack = max(_slack(rng), 0.002)
        case["lines"][f"l{i}"] = _line(rng, case["sections"], (f"a{i}", f"buoy.e{i}"), math.dist(a, end), slack)
    inertia = 0.4 * mass * max(radius, -bottom) ** 2
    case["bodies"] = {"buoy": {"mass": mass, "inertia": [inertia] * 3, "centre_of_mass": [0, 0, 0.6 * bottom],
                               "position": position, "hull": hull, "attachments": attachments}}  # fmt: skip
    if _one_in(rng, 2):
        push = 0.02 * mass * 9.81
        case["bodies"]["buoy"]["loads"] = {"force": [float(rng.normal(0, push)), float(rng.normal(0, push)), 0.0]}
    return case


def _joints(rng: np.random.Generator) -> Case:
    """A line whose upper end slides, is sprung or runs in a plane."""
    case = _lines(rng)
    end = case["lines"]["l0"]["to"]
    axes: Case = {}
    pull = _between(rng, 10.0, 1e4)
    for axis in rng.permutation(["x", "y", "z"])[: int(rng.integers(1, 4))]:
        axes[str(axis)] = {"spring": pull} if _one_in(rng, 1.5) else {"force": float(rng.normal(0, pull))}
    case["points"][end]["joint"] = {"axes": {axis: axes.get(axis, "held") for axis in ("x", "y", "z")}}
    return case


def _net(rng: np.random.Generator) -> Case:
    """A panel of netting held by its corners or its upper edge, in a current."""
    wide, high = _between(rng, 2.0, 8.0), _between(rng, 1.0, 5.0)
    cells = [int(rng.integers(3, 8)), int(rng.integers(3, 7))]
    twine = {
        "added_mass": 0,
        "diameter": 0.003,
        "mass": 0.008,
        "axial_stiffness": "inextensible",
        "drag": {"normal": 1.2, "tangential": 0.05},
    }
    current = {"speed": _between(rng, 0.1, 0.8), "heading": float(rng.uniform(-60, 60))}
    corners = [[0, -0.5 * wide, -2], [0, 0.5 * wide, -2], [0, 0.5 * wide, -2 - high], [0, -0.5 * wide, -2 - high]]
    net: Case = {"panel": {"kind": "rectangle", "corners": corners}, "section": "t", "bar_length": 0.03,
                 "cells": cells, "held": str(rng.choice(["upper", "corners"])),
                 "lower_sinker": _between(rng, 0.5, 5.0)}  # fmt: skip
    case: Case = {"environment": {"seabed": {"kind": "none"}, "current": current}, "sections": {"t": twine}}
    if net["held"] == "corners":  # nearer than the twines are long: straight ones carry nothing across
        net["held"], names = "none", ("upper_left", "upper_right", "lower_right", "lower_left")
        middle = [0.0, 0.0, -2 - 0.5 * high]
        places = [[m + 0.95 * (x - m) for x, m in zip(corner, middle, strict=True)] for corner in corners]
        case["points"] = {name: {"position": place} for name, place in zip(names, places, strict=True)}
        net["fastened"] = {name: name for name in names}
    return {**case, "nets": {"panel": net}}
