"""Random nets, each from one whole number: panels, cages and cones, held, hung up slack or fastened to lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Case = dict[str, Any]
NEARER = 0.97  # of its way to the corner: where a rhombic panel is fastened
KINDS = ("hung", "slack", "bridled", "cage", "cone", "rhombic")


def random_net(seed: int) -> Case:
    """The case of a seed, as a file would give it; each has an equilibrium."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(KINDS))
    case: Case = {
        "environment": {
            "seabed": {"kind": "none"},
            "current": {"speed": _between(rng, 0.05, 1.0), "heading": float(rng.uniform(-180, 180))},
        },
        "sections": {"t": _twine(rng)},
    }
    if rng.random() < 0.15:
        del case["environment"]["current"]
    net = {"hung": _hung, "slack": _slack, "bridled": _bridled, "cage": _cage, "cone": _cone, "rhombic": _rhombic}[kind]
    case["nets"] = {"n": net(rng, case)}
    return {"ropewalk": 1, "title": f"{kind} net of seed {seed}", **case}


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    """Equally likely on a logarithmic scale."""
    return float(math.exp(rng.uniform(math.log(low), math.log(high))))


def _twine(rng: np.random.Generator) -> Case:
    diameter = _between(rng, 0.001, 0.006)
    stiff: Any = "inextensible" if rng.random() < 0.7 else 1e9 * diameter**2 * float(rng.uniform(0.3, 3.0))
    mass = 1025.0 * math.pi / 4.0 * diameter**2 * float(rng.uniform(1.05, 1.5))
    return {
        "diameter": diameter,
        "mass": mass,
        "axial_stiffness": stiff,
        "added_mass": 0,
        "drag": {"normal": float(rng.uniform(0.8, 1.4)), "tangential": float(rng.choice([0.0, 0.05]))},
    }


def _netting(rng: np.random.Generator, case: Case) -> Case:
    """What all nets have."""
    net: Case = {
        "section": "t",
        "bar_length": float(rng.uniform(5, 15)) * case["sections"]["t"]["diameter"],
        "cells": [int(rng.integers(3, 12)), int(rng.integers(2, 10))],
    }
    if rng.random() < 0.7:
        net["lower_sinker"] = _between(rng, 0.2, 10.0)
    if rng.random() < 0.4:
        net["force_model"] = str(rng.choice(["loland", "aarsnes", "kristiansen_faltinsen"]))
        net["solidity"] = float(rng.uniform(0.12, 0.32))
    return net


def _corners(rng: np.random.Generator, top: float) -> list[list[float]]:
    wide, high, turn = _between(rng, 1.0, 10.0), _between(rng, 1.0, 8.0), float(rng.uniform(0, math.pi))
    x, y = 0.5 * wide * math.cos(turn), 0.5 * wide * math.sin(turn)
    return [[-x, -y, top], [x, y, top], [x, y, top - high], [-x, -y, top - high]]


def _hung(rng: np.random.Generator, case: Case) -> Case:
    """A panel that hangs from its upper edge."""
    return {"panel": {"kind": "rectangle", "corners": _corners(rng, -2.0)}, "held": "upper", **_netting(rng, case)}


def _slack(rng: np.random.Generator, case: Case) -> Case:
    """A panel fastened by two or four corners that are nearer to one another than the twines are long."""
    corners = _corners(rng, -3.0)
    middle = np.mean(corners, axis=0)
    names = ["upper_left", "upper_right", "lower_right", "lower_left"][: 2 if rng.random() < 0.4 else 4]
    nearer = float(rng.uniform(0.6, 0.97))
    case["points"] = {
        name: {"position": (middle + nearer * (np.array(corner) - middle)).tolist()}
        for name, corner in zip(names, corners, strict=False)
    }
    return {
        "panel": {"kind": "rectangle", "corners": corners},
        "held": "none",
        "fastened": {name: name for name in names},
        **_netting(rng, case),
    }


def _bridled(rng: np.random.Generator, case: Case) -> Case:
    """A panel between two lines or four."""
    corners = _corners(rng, -4.0)
    names = ["upper_left", "upper_right", "lower_right", "lower_left"][: 2 if rng.random() < 0.5 else 4]
    case["sections"]["rope"] = {
        "diameter": 0.01,
        "mass": 0.1,
        "axial_stiffness": "inextensible",
        "drag": {"normal": 1.2},
        "added_mass": 0,
    }
    case["points"], case["lines"] = {}, {}
    for name, corner in zip(names, corners, strict=False):
        length = _between(rng, 1.0, 10.0)
        away = np.array([*(np.array(corner[:2]) / max(math.hypot(*corner[:2]), 1e-9)), 0.0])
        away[2] = 0.3 if corner[2] == corners[0][2] else -0.3
        place = np.array(corner) + 0.9 * length * away / np.linalg.norm(away)
        case["points"] |= {
            f"a {name}": {"position": place.tolist()},
            name: {"position": corner, "joint": "free", "mass": 0.5},
        }
        case["lines"][name] = {
            "from": f"a {name}",
            "to": name,
            "elements": int(rng.integers(2, 8)),
            "pieces": [{"section": "rope", "length": length}],
        }
    return {
        "panel": {"kind": "rectangle", "corners": corners},
        "held": "none",
        "fastened": {name: name for name in names},
        **_netting(rng, case),
    }


def _cage(rng: np.random.Generator, case: Case) -> Case:
    """A cylinder that hangs from a held rim."""
    radius = _between(rng, 0.5, 10.0)
    net = {
        "panel": {
            "kind": "cylinder",
            "centre": [0, 0, -1.0],
            "radius": radius,
            "height": radius * _between(rng, 0.5, 3.0),
            "bottom": bool(rng.random() < 0.4),
        },
        "held": "upper",
        **_netting(rng, case),
    }
    net["cells"][0] = max(net["cells"][0], 5) * 2
    net.setdefault("lower_sinker", _between(rng, 0.2, 10.0))
    if "force_model" in net and rng.random() < 0.5:
        net["wake"] = "auto"
    return net


def _cone(rng: np.random.Generator, case: Case) -> Case:
    """A cone behind a hoop on a bridle of three legs."""
    radius, cells = _between(rng, 0.3, 2.0), 6 * int(rng.integers(1, 4))
    heading = math.radians(case["environment"].get("current", {"heading": 0.0})["heading"])
    flow, side = (
        np.array([math.cos(heading), math.sin(heading), 0.0]),
        np.array([-math.sin(heading), math.cos(heading), 0.0]),
    )
    case["sections"]["rope"] = {
        "diameter": 0.008,
        "mass": 0.06,
        "axial_stiffness": "inextensible",
        "drag": {"normal": 1.2},
        "added_mass": 0,
    }
    centre = np.array([0.0, 0.0, -8.0])
    ring = centre - 1.5 * radius * flow
    case["points"] = {
        "ring": {"position": ring.tolist(), "joint": "free", "mass": float(rng.uniform(1.0, 20.0))},
        "ship": {"position": (ring - 5.0 * flow + [0, 0, 6.0]).tolist()},
    }
    case["lines"] = {
        "tow": {"from": "ship", "to": "ring", "elements": 8, "pieces": [{"section": "rope", "length": 8.5}]}
    }
    for k in range(3):
        angle = 2.0 * math.pi * k / 3.0
        place = centre + radius * (math.cos(angle) * np.array([0.0, 0.0, 1.0]) + math.sin(angle) * side)
        case["points"][f"p{k}"] = {"position": place.tolist(), "joint": "free"}
        case["lines"][f"leg{k}"] = {
            "from": "ring",
            "to": f"p{k}",
            "elements": 1,
            "pieces": [{"section": "rope", "length": 1.02 * math.hypot(1.5, 1.0) * radius}],
        }
    net = {
        "panel": {
            "kind": "cylinder",
            "centre": centre.tolist(),
            "radius": radius,
            "lower_radius": 0.3 * radius,
            "height": 3.0 * radius,
            "axis": flow.tolist(),
        },
        "held": "none",
        "rim": ["p0", "p1", "p2"],
        "hoop_mass": _between(rng, 1.0, 10.0),
        **_netting(rng, case),
    }
    net["cells"][0] = cells
    return net


def _rhombic(rng: np.random.Generator, case: Case) -> Case:
    """A panel of rhombic mesh on its upper edge, or fastened by its corners to points that are nearer together.

    Held at its corners, twines that run from one to another were stretched out, and nothing across them at rest.
    """
    held = str(rng.choice(["upper", "corners"]))
    corners = _corners(rng, -2.0)
    ratio = float(rng.uniform(0.4, 0.85))
    net: Case = {
        "panel": {"kind": "rectangle", "corners": corners},
        "held": held,
        "mesh": "rhombic",
        "hanging_ratio": ratio,
        **_netting(rng, case),
    }
    if held == "corners":
        # how far such a panel hangs down follows from its width and the ratio, not from its lower corners
        across, down = net["cells"]
        wide = float(np.linalg.norm(np.subtract(corners[1], corners[0])))
        low = corners[0][2] - wide * down / across * math.sqrt(1.0 - ratio**2) / ratio
        places = np.array([*corners[:2], *([x, y, low] for x, y, _ in corners[2:])])
        names = ("upper_left", "upper_right", "lower_right", "lower_left")
        nearer = places.mean(axis=0) + NEARER * (places - places.mean(axis=0))
        case["points"] = {name: {"position": place} for name, place in zip(names, nearer.tolist(), strict=True)}
        net |= {"held": "none", "fastened": {name: name for name in names}}
    return net


def random_joined_net(seed: int) -> Case:
    """Trapezoids, panels sewn together and knots given one by one, held or tied to points."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["trapezoid", "sewn", "sewn bag", "knots"]))
    sea: Case = {"seabed": {"kind": "none"}}
    if rng.random() < 0.85:
        sea["current"] = {"speed": _between(rng, 0.05, 1.0), "heading": float(rng.uniform(-180, 180))}
    case: Case = {"environment": sea, "sections": {"t": _twine(rng)}}
    make = {"trapezoid": _trapezoid, "sewn": _sewn, "sewn bag": _sewn_bag, "knots": _knots}[kind]
    case["nets"] = make(rng, case)
    return {"ropewalk": 1, "title": f"{kind} of seed {seed}", **case}


def _slanted(rng: np.random.Generator, corners: list[list[float]]) -> list[list[float]]:
    """Corners whose lower edge is shorter or longer, and shifted."""
    a, b, c, d = (np.array(corner) for corner in corners)
    middle, half = 0.5 * (c + d), 0.5 * (c - d) * float(rng.uniform(0.4, 1.3))
    shift = float(rng.uniform(-0.2, 0.2)) * (b - a)
    return [x.tolist() for x in (a, b, middle + half + shift, middle - half + shift)]


def _trapezoid(rng: np.random.Generator, case: Case) -> Case:
    corners = _slanted(rng, _corners(rng, -2.0))
    return {"n": {"panel": {"kind": "trapezoid", "corners": corners}, "held": "upper", **_netting(rng, case)}}


def _sewn(rng: np.random.Generator, case: Case) -> Case:
    """Two or three panels side by side or below one another, the first row held."""
    a, b, c, d = (np.array(x) for x in _slanted(rng, _corners(rng, -2.0)))
    count, net = int(rng.integers(2, 4)), _netting(rng, case)
    below = rng.random() < 0.4
    nets: Case = {}
    for k in range(count):
        p, q = k / count, (k + 1) / count
        if below:
            own = [a + (d - a) * p, b + (c - b) * p, b + (c - b) * q, a + (d - a) * q]
        else:
            own = [a + (b - a) * p, a + (b - a) * q, d + (c - d) * q, d + (c - d) * p]
        panel = {"kind": "trapezoid", "corners": [x.tolist() for x in own]}
        nets[f"n{k}"] = {"panel": panel, "held": "upper" if k == 0 or not below else "none", **net}
        if below and k < count - 1:
            nets[f"n{k}"].pop("lower_sinker", None)
        if k:
            nets[f"n{k}"]["sewn"] = {"upper": f"n{k - 1}.lower"} if below else {"left": f"n{k - 1}.right"}
    return nets


def _sewn_bag(rng: np.random.Generator, case: Case) -> Case:
    """Four sides round a square, each sewn to the next, the last to the first as well; the rim is held."""
    side, high, net = _between(rng, 1.0, 6.0), _between(rng, 1.0, 5.0), _netting(rng, case)
    net.setdefault("lower_sinker", _between(rng, 0.2, 10.0))
    foot = float(rng.uniform(0.6, 1.0))
    rim = [np.array([x, y, -1.0]) for x, y in ((0, 0), (side, 0), (side, side), (0, side))]
    middle = np.array([0.5 * side, 0.5 * side, 0.0])
    low = [middle + foot * (x - middle) for x in rim]
    for x in low:
        x[2] = -1.0 - high
    nets: Case = {}
    for k in range(4):
        n = (k + 1) % 4
        corners = [x.tolist() for x in (rim[k], rim[n], low[n], low[k])]
        nets[f"n{k}"] = {"panel": {"kind": "trapezoid", "corners": corners}, "held": "upper", **net}
        if k:
            nets[f"n{k}"]["sewn"] = {"left": f"n{k - 1}.right"} | ({"right": "n0.left"} if k == 3 else {})
    return nets


def _knots(rng: np.random.Generator, case: Case) -> Case:
    """A ragged grid: knots moved at random, some twines left out, some longer than their distance."""
    nx, nz, step = int(rng.integers(2, 7)), int(rng.integers(2, 7)), _between(rng, 0.1, 1.0)
    place = [[step * i, 0.0, -2.0 - step * j] for j in range(nz + 1) for i in range(nx + 1)]
    knots = (np.array(place) + 0.15 * step * rng.uniform(-1, 1, (len(place), 3))).tolist()
    at = lambda i, j: j * (nx + 1) + i  # noqa: E731
    twines = [[at(i, j), at(i, j + 1)] for j in range(nz) for i in range(nx + 1)]
    twines += [[at(i, j), at(i + 1, j)] for j in range(nz + 1) for i in range(nx) if rng.random() < 0.7]
    for twine in twines:
        if rng.random() < 0.2:
            twine.append(float(np.linalg.norm(np.subtract(knots[twine[0]], knots[twine[1]]))) * rng.uniform(1.0, 1.2))
    panel = {"kind": "knots", "knots": knots, "twines": twines, "upper": list(range(nx + 1))}
    panel["lower"] = [at(i, nz) for i in range(nx + 1)]
    net = {"panel": panel, "section": "t", "bar_length": step, "lower_sinker": _between(rng, 0.2, 10.0)}
    if rng.random() < 0.4:
        case["points"] = {"p": {"position": knots[at(nx, nz)]}}
        panel["ties"] = [{"knot": at(nx, nz), "to": "p"}]
    return {"n": net}
