"""Random systems with what random_systems.py and random_extras.py never make.

Beds on grids, currents on grids, deep water, air, sheaves, loads and properties along lines, winches, bodies tied to
one another, foils, joints in oblique frames, one-sided springs, chains of free points; and all sizes from basins of
model tests to oceans.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from random_systems import WATER, random_case
from twins import scaled

Case = dict[str, Any]
KINDS = ("bed", "flow", "deep", "sheave", "loads", "along", "winch", "pair", "foil", "oblique", "springs", "chain",
         "stiff", "size")  # fmt: skip
SHARES = (0.1, 0.08, 0.06, 0.06, 0.08, 0.08, 0.06, 0.08, 0.05, 0.06, 0.06, 0.09, 0.06, 0.08)
OCEAN, BASIN = 20.0, 0.003  # scales between which whole systems are made larger or smaller


def random_wide(seed: int, only: str = "") -> Case:
    """The case of a seed, as a file would give it.  only : its kind, whichever is its turn"""
    rng = np.random.default_rng([seed, 23])
    drawn = str(rng.choice(KINDS, p=SHARES))
    kind = only or drawn
    make = {"bed": _bed, "flow": _flow, "deep": _deep, "sheave": _sheave, "loads": _loads, "along": _along,
            "winch": _winch, "pair": _pair, "foil": _foil, "oblique": _oblique, "springs": _springs, "chain": _chain,
            "stiff": _stiff, "size": _size}  # fmt: skip
    case = make[kind](rng)
    return {**case, "ropewalk": 1, "title": f"{kind} of seed {seed}"}


def _drawn(rng: np.random.Generator, *kinds: str) -> Case:
    """A case of random_systems.py of one of the kinds."""
    seed = int(rng.integers(10**9))
    while (case := random_case(seed))["title"].split(" ")[0] not in kinds:
        seed += 1
    return case


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _size(rng: np.random.Generator) -> Case:
    """Any system of random_systems.py, from a basin to an ocean."""
    return scaled(_drawn(rng, "lines", "node", "body", "joints"), _between(rng, BASIN, OCEAN))


def _bed(rng: np.random.Generator) -> Case:
    """A bed with hills and valleys, on a grid; anchors lie on it."""
    case = _drawn(rng, "lines", "node", "body")
    sea = case["environment"]
    depth = sea["depth"]
    far = max(max(abs(x) for x in point["position"][:2]) for point in case["points"].values()) * 1.2 + depth
    x = np.linspace(-far, far, int(rng.integers(3, 8)))
    y = np.linspace(-far, far, int(rng.integers(2, 6)))
    steep = float(rng.uniform(0.01, 0.1)) * min(far / x.size, depth)
    depths = depth + rng.uniform(-steep, steep, (y.size, x.size))
    bed = {key: value for key, value in sea["seabed"].items() if key in ("stiffness", "friction")}
    sea["seabed"] = {"kind": "grid", "x": x.tolist(), "y": y.tolist(), "depth": depths.tolist(), **bed}
    from ropewalk.model.environment import bed_heights
    from ropewalk.model.model import build
    from ropewalk.spec.system import System

    model = build(System.model_validate({"ropewalk": 1, **case}))
    for name, point in case["points"].items():
        if name.startswith("a") and point["position"][2] <= -0.99 * depth:
            for _ in range(3):  # the height is along the normal: nearly the vertical way
                point["position"][2] -= float(bed_heights(model.sea, np.array([point["position"]]))[0])
    return case


def _flow(rng: np.random.Generator) -> Case:
    """A current on a grid, or one that turns with depth."""
    case = _drawn(rng, "lines", "node", "body")
    depth, sea = case["environment"]["depth"], case["environment"]
    current: Case = {"speed": _between(rng, 0.1, 1.5), "heading": float(rng.uniform(-180, 180))}
    if rng.random() < 0.5:
        x, z = [-depth, depth], [-depth, -0.4 * depth, 0.0]
        velocity = [[float(rng.uniform(0.2, 1.0)), float(rng.normal(0, 0.3)), float(rng.normal(0, 0.02))]
                    for _ in range(len(x) * len(z))]  # fmt: skip
        current["profile"] = {"kind": "grid", "x": x, "z": z, "velocity": velocity}
    else:
        current["profile"] = {"kind": "table", "z": [-depth, -0.5 * depth, 0.0],
                              "factor": rng.uniform(0.1, 1.0, 3).tolist(),
                              "turn": rng.uniform(-120, 120, 3).tolist()}  # fmt: skip
    sea["current"] = current
    return case


def _deep(rng: np.random.Generator) -> Case:
    """No bed at all, in deep water or in air."""
    case = _drawn(rng, "lines", "node", "joints")
    sea = case["environment"]
    del sea["depth"]
    sea["seabed"] = {"kind": "none"}
    if rng.random() < 0.5:
        sea["water_density"] = 0.0
        sea.pop("current", None)
    elif "current" in sea:
        sea["current"].pop("profile", None)
    return case


def _sheave(rng: np.random.Generator) -> Case:
    """A line over one or two points that are held."""
    case = _drawn(rng, "lines")
    case["environment"]["seabed"] = {"kind": "none"}
    line = case["lines"]["l0"]
    line.pop("attachments", None)
    a, b = (np.array(case["points"][line[end]]["position"]) for end in ("from", "to"))
    count = int(rng.integers(1, 3))
    way, places = [a], []
    for k in range(count):
        place = a + (b - a) * (k + 1) / (count + 1) + rng.normal(0, 0.05 * np.linalg.norm(b - a), 3)
        case["points"][f"peg{k}"] = {"position": place.tolist()}
        places.append(f"peg{k}")
        way.append(place)
    way.append(b)
    long = sum(float(np.linalg.norm(q - p)) for p, q in pairwise(way))
    whole = sum(piece["length"] for piece in line["pieces"])
    line["pieces"] = [{**line["pieces"][0], "length": max(whole, long * float(rng.uniform(1.005, 1.3)))}]
    line["over"] = places
    case["lines"] = {"l0": line}
    return case


def _loads(rng: np.random.Generator) -> Case:
    """Loads along lines: tables, pressure, turning frames."""
    case = _drawn(rng, "lines", "node")
    for line in case["lines"].values():
        length = sum(piece["length"] for piece in line["pieces"])
        section = case["sections"][line["pieces"][0]["section"]]
        weight = 9.81 * section["mass"]
        what = rng.random()
        if what < 0.5:
            s = np.sort(rng.uniform(0, length, int(rng.integers(2, 5))))
            s = s[np.concatenate([[True], np.diff(s) > 1e-3 * length])]
            s = s if s.size > 1 else np.array([0.2, 0.8]) * length
            force = (weight * rng.normal(0, 0.7, (s.size, 3))).tolist()
            line["loads"] = [{"kind": "table", "s": s.tolist(), "force": force}]
        elif what < 0.75:
            axis = rng.normal(size=3).tolist()
            line["loads"] = [{"kind": "pressure", "axis": axis, "value": weight * float(rng.normal(0, 0.5))}]
    return case


def _along(rng: np.random.Generator) -> Case:
    """Properties that vary along pieces."""
    case = _drawn(rng, "lines", "node")
    longest = max(piece["length"] for line in case["lines"].values() for piece in line["pieces"])
    for section in case["sections"].values():
        if rng.random() < 0.3:
            continue
        s = [0.0, *np.sort(rng.uniform(0.05, 0.9, 2) * longest).tolist(), 1.01 * longest]
        taper = 1.0 + rng.uniform(-0.4, 0.8, len(s))
        along: Case = {"s": s, "mass": (section["mass"] * taper).tolist()}
        if rng.random() < 0.5:
            along["diameter"] = (section["diameter"] * np.sqrt(taper)).tolist()
        if rng.random() < 0.5 and isinstance(section["axial_stiffness"], float):
            along["axial_stiffness"] = (section["axial_stiffness"] * taper).tolist()
        section["along"] = along
    return case


def _winch(rng: np.random.Generator) -> Case:
    """A winch at an end, which has paid out or hauled in nothing yet."""
    case = _drawn(rng, "lines", "node", "body")
    line = case["lines"]["l0"]
    end = str(rng.choice(["A", "B"]))
    piece = line["pieces"][0 if end == "A" else -1]
    line.pop("attachments", None)
    line["payout"] = {"end": end, "time": [0.0, 10.0], "length": [0.0, 0.2 * piece["length"]]}
    return case


def _pair(rng: np.random.Generator) -> Case:
    """Two bodies, each moored, tied to one another by a line."""
    case = _drawn(rng, "body")
    first = case["bodies"]["buoy"]
    apart = 8.0 * max(first["hull"].get("radius", 0.0), *(abs(v) for v in first["attachments"]["e0"]))
    second = {**first, "position": [first["position"][0] + apart, first["position"][1], first["position"][2]]}
    second.pop("loads", None)
    case["bodies"]["mate"] = second
    for i in range(len(first["attachments"])):
        a = [x + d for x, d in zip(case["points"][f"a{i}"]["position"], (apart, 0.0, 0.0), strict=True)]
        if "normal" in case["environment"]["seabed"]:
            normal = case["environment"]["seabed"]["normal"]
            a[2] -= normal[0] * apart / normal[2]
        case["points"][f"m{i}"] = {"position": a}
        case["lines"][f"m{i}"] = {**case["lines"][f"l{i}"], "from": f"m{i}", "to": f"mate.e{i}"}
    ends = [np.array(b["position"]) + np.array(b["attachments"][e])
            for b, e in ((first, "e0"), (second, f"e{len(first['attachments']) // 2}"))]  # fmt: skip
    section = str(rng.choice(list(case["sections"])))
    length = float(np.linalg.norm(ends[1] - ends[0])) * float(rng.uniform(1.02, 1.4))
    case["lines"]["tie"] = {"from": "buoy.e0", "to": f"mate.e{len(first['attachments']) // 2}",
                            "pieces": [{"section": section, "length": length}]}  # fmt: skip
    return case


def _foil(rng: np.random.Generator) -> Case:
    """A depressor or a lifting body on a towed cable."""
    length, area = _between(rng, 20.0, 200.0), _between(rng, 0.1, 1.0)
    down = -1.0 if rng.random() < 0.7 else 1.0
    nose = math.radians(float(rng.uniform(3.0, 8.0)))
    chord = [math.cos(nose), 0.0, down * math.sin(nose)]
    normal = [-math.sin(nose) * down * down, 0.0, down * math.cos(nose)]
    wing = {"area": area, "span": 2.0 * math.sqrt(area), "chord": chord, "normal": normal,
            "coefficients": {"angle": [-20, -12, -6, 0, 4, 8, 12, 16, 20, 30],
                             "lift": [-0.8, -0.75, -0.4, 0.05, 0.35, 0.65, 0.88, 0.98, 0.9, 0.8],
                             "drag": [0.3, 0.11, 0.06, 0.045, 0.05, 0.07, 0.105, 0.16, 0.28, 0.48]}}  # fmt: skip
    tail = {"area": 0.2 * area, "position": [-1.0, 0.0, 0.0], "chord": [1, 0, 0], "normal": [0, 1, 0],
            "coefficients": {"symmetric": True, "angle": [0, 10, 20, 45, 90, 180],
                             "lift": [0, 0.55, 0.8, 0.75, 0, 0],
                             "drag": [0.02, 0.05, 0.25, 0.75, 1.15, 0.05]}}  # fmt: skip
    mass = _between(rng, 50.0, 300.0)
    body = {"mass": mass, "inertia": [0.08 * mass, 0.15 * mass, 0.2 * mass], "volume": 0.2 * mass / WATER,
            "position": [-0.6 * length, 0.0, -0.7 * length], "attachments": {"eye": [0.1, 0.0, 0.6 * -down]},
            "foils": [wing, tail]}  # fmt: skip
    cable = {"diameter": 0.012, "mass": 0.6, "axial_stiffness": 6.0e6, "drag": {"normal": 1.2, "tangential": 0.02}}
    return {"environment": {"gravity": 9.81, "water_density": WATER, "seabed": {"kind": "none"},
                            "current": {"speed": float(rng.uniform(1.0, 4.0)), "heading": 180.0}},
            "sections": {"cable": cable}, "points": {"ship": {"position": [0.0, 0.0, 0.0]}},
            "bodies": {"fish": body},
            "lines": {"tow": {"from": "ship", "to": "fish.eye",
                              "pieces": [{"section": "cable", "length": length}]}}}  # fmt: skip


def _oblique(rng: np.random.Generator) -> Case:
    """Ends that slide or are sprung along axes of any direction."""
    case = _drawn(rng, "joints")
    end = case["lines"]["l0"]["to"]
    frame, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    case["points"][end]["joint"]["frame"] = frame.tolist()
    return case


def _springs(rng: np.random.Generator) -> Case:
    """The upper end is a ring on a rail, held by one-sided springs, tables and stops."""
    case = _drawn(rng, "lines")
    end = case["lines"]["l0"]["to"]
    place = case["points"][end]["position"]
    case["points"][end] = {"position": place, "joint": "free", "mass": float(rng.uniform(10, 200))}
    rail = {"mass": 0.0, "position": place, "attitude": rng.uniform(-180, 180, 3).tolist(), "joint": "fixed",
            "attachments": {"eye": [0, 0, 0]}}  # fmt: skip
    k = _between(rng, 1e3, 1e6)
    law: Case = {"spring": k, "rest": float(rng.uniform(-1, 1)), "acts": str(rng.choice(["pull", "push"])),
                 "stops": [-3.0, 3.0], "stop_stiffness": 30.0 * k}  # fmt: skip
    if rng.random() < 0.5:
        law["table"] = [[-2.0, -0.5 * k], [-0.5, 0.0], [0.5, 0.0], [2.0, 0.5 * k]]
    axes = {str(axis): law for axis in rng.permutation(["x", "y", "z"])[: int(rng.integers(1, 3))]}
    case["bodies"] = {"rail": rail}
    case["links"] = {"ring": {"kind": "joint", "between": ["rail.eye", end], "axes": axes}}
    return case


def _chain(rng: np.random.Generator) -> Case:
    """Three to six free points between two held ones, with weights and floats, and a branch or a loop."""
    case = _drawn(rng, "lines")
    sea, sections = case["environment"], case["sections"]
    a, b = (np.array(case["points"][case["lines"]["l0"][end]]["position"]) for end in ("from", "to"))
    count = int(rng.integers(3, 7))
    case["points"] = {"a": {"position": a.tolist()}, "b": {"position": b.tolist()}}
    names, places = ["a"], [a]
    for k in range(count):
        place = a + (b - a) * (k + 1) / (count + 1) + rng.normal(0, 0.02 * np.linalg.norm(b - a), 3)
        place[2] = max(place[2], -0.95 * sea["depth"])
        mass = _between(rng, 1.0, 2000.0)
        case["points"][f"p{k}"] = {"position": place.tolist(), "joint": "free", "mass": mass,
                                   "volume": mass / WATER * float(rng.choice([0.0, 0.3, 1.0, 2.5]))}  # fmt: skip
        names.append(f"p{k}")
        places.append(place)
    names.append("b")
    places.append(b)
    case["lines"] = {}
    for k in range(count + 1):
        length = float(np.linalg.norm(places[k + 1] - places[k])) * (1.0 + float(rng.uniform(0.01, 0.4)))
        piece = {"section": str(rng.choice(list(sections))), "length": length}
        case["lines"][f"l{k}"] = {"from": names[k], "to": names[k + 1], "pieces": [piece]}
    if rng.random() < 0.5:
        i, j = sorted(int(x) for x in rng.choice(count + 2, 2, replace=False))
        length = float(np.linalg.norm(places[j] - places[i])) * (1.0 + float(rng.uniform(0.01, 0.3)))
        piece = {"section": str(rng.choice(list(sections))), "length": length}
        case["lines"]["loop"] = {"from": names[i], "to": names[j], "pieces": [piece]}
    return case


def _stiff(rng: np.random.Generator) -> Case:
    """Pieces whose stiffness or weight differ by many powers of ten."""
    case = _drawn(rng, "lines", "node", "body")
    for section in case["sections"].values():
        section["axial_stiffness"] = _between(rng, 1e3, 1e12)
        if rng.random() < 0.5:
            section["mass"] *= _between(rng, 1.0, 30.0)
    return case
