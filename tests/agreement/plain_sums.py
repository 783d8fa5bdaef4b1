r"""A second look at equilibria that shares nothing with the program: sums over the places that an answer gives.

They start from the case as a file gives it, in plain numpy.

Only `position`, `s`, `tension` and `end_force` of an answer are read. Of every line between held or free points: ends
where its points are; as long as its law makes it; the end forces carry weight, buoyancy, drag and attachments, and, if
it touches no bed, their moment, too; nothing deep below a level bed; no compression. Of every free point: balance.
Sums by trapezoids over the nodes err by :math:`h^2`: what they find is good to a thousandth, not to a millionth.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Case = dict[str, Any]
Array = NDArray[np.float64]
ROOM = 2e-3  # of the largest force, moment or length: second order in elements of a fiftieth of the line
SUNK = 1.5  # times the depth to which the weight of a line presses it into the bed
DEEP = 0.02  # of the depth: beside it, what weights on lines do
LEVEL = 1e-3  # of the distance of two nodes: elements have a section at least this high (docs/theory/mixed_elements.md)
SLACK = (
    1e-3  # of a line's weight: what elements of a line that is stated to be slack may push with, to keep their shape
)
ELEMENTS = ("fem", "relax", "bars_statics")
LAYER = 1e-4  # of the depth: a power law is linear below, so that its slope stays finite
CYLINDER = {"normal": 1.2, "tangential": 0.008}  # drag of sections that give none


def plain_misses(case: Case, answer: Any, error: float = 0.0) -> list[str]:
    """What does not add up, one sentence each.  error : that the answer states, of the largest force"""
    state, names = answer.state, list(case.get("lines", {}))
    if list(answer.model.names.lines) != names:
        return [f"lines {names} are called {list(answer.model.names.lines)}"]
    biggest = float(np.abs(state.end_force).max(initial=0.0))
    if not np.all(np.isfinite(state.position)) or not np.isfinite(biggest):
        return ["not finite"]
    room = ROOM + 2.0 * error
    found: list[str] = []
    points = {name: np.array(state.point_position[k]) for k, name in enumerate(answer.model.names.points)}
    pulls = {name: np.zeros(3) for name in points}
    for i, name in enumerate(names):
        own = slice(int(state.start[i]), int(state.start[i + 1]))
        line = case["lines"][name]
        for end, j in (("from", 0), ("to", 1)):
            if line[end] in pulls:
                pulls[line[end]] += state.end_force[i, j]
        level = LEVEL if answer.method in ELEMENTS else 0.0
        slack = any(d.code == "slack" and d.part == name for d in answer.doubts)
        misses = _line_misses(case, line, state, own, i, (room, biggest, level), points, slack)
        push = _pushing(case, line, state.tension[own], slack)
        if push > room * max(biggest, 1e-12):
            misses.append(f"compression of {push:.3g} N")
        found += [f"line '{name}': {text}" for text in misses]
    for name, point in case.get("points", {}).items():
        if point.get("joint") == "free":
            left = pulls[name] + _lump(case, point, points[name])
            if _height(case, points[name]) <= _deep(case):
                left = _without_bed(case, left)
            if np.linalg.norm(left) > room * max(biggest, 9.81 * point["mass"]):
                found.append(f"point '{name}' has {np.linalg.norm(left):.3g} N left over of {biggest:.3g} N")
    return found


def _pushing(case: Case, line: Case, tension: Array, slack: bool) -> float:
    """Largest compression of a line beyond what its doubt grants it, N.  slack : whether it has that doubt

    A hook at an end that is shorter than an element is part of it: the weight of half of one may push there.
    """
    weight = sum(case["sections"][piece["section"]]["mass"] * piece["length"] for piece in line["pieces"])
    weight *= float(case["environment"].get("gravity", 9.80665))
    ends = max(-float(tension[0]), -float(tension[-1])) - slack * 0.5 * weight / (tension.size - 1)
    return max(-float(tension[1:-1].min(initial=0.0)) - slack * SLACK * weight, ends)


def _line_misses(
    case: Case, line: Case, state: Any, own: slice, i: int, limits: tuple[float, float, float],
    points: dict[str, Array], slack: bool,
) -> list[str]:  # fmt: skip
    """Of one line.  own : its nodes    limits : share left free, largest force (N), LEVEL    points : where they are

    slack : whether a doubt states that its shape is not unique; nodes may then lie nearer than it is long
    """
    room, biggest, level = limits
    r, s, T = np.array(state.position[own]), np.array(state.s[own]), np.array(state.tension[own])
    pull = np.array(state.end_force[i])
    length = sum(piece["length"] for piece in line["pieces"])
    found = []
    low = np.array([_height(case, place) for place in r])
    deep = _deep(case)
    if low.min() < -deep:
        found.append(f"{-low.min():.3g} m below the bed")
    for end, k in (("from", 0), ("to", -1)):
        if line[end] in points and np.linalg.norm(points[line[end]] - r[k]) > room * length + (low[k] < deep) * deep:
            found.append(f"end '{line[end]}' is off by {np.linalg.norm(points[line[end]] - r[k]):.3g} m")
    middle = 0.5 * (s[1:] + s[:-1])
    mean = np.maximum(0.5 * (T[1:] + T[:-1]), 0.0)
    chord = np.diff(r, axis=0)
    size = np.linalg.norm(chord, axis=1)
    sections = _sections_at(case, line, middle)
    stretch = np.array([1.0 + _strain(section, t) for section, t in zip(sections, mean, strict=True)])
    should = float(np.sum(np.diff(s) * stretch))
    slack = slack or mean.min() < 1e-2 * max(float(mean.max()), 1e-12)
    if float(size.sum()) > should * (1.0 + room) or (not slack and float(size.sum()) < should * (1.0 - room)):
        found.append(f"{size.sum():.6g} m long, should be {should:.6g} m")
    places = 0.5 * (r[1:] + r[:-1])
    loads = np.array([_load(case, section, place, c / max(d, 1e-300), d / h, (a[2], b[2], level * h)) * h for
                      section, place, c, d, h, a, b in
                      zip(sections, places, chord, size, np.diff(s), r[:-1], r[1:], strict=True)])  # fmt: skip
    lumps = [(_lump(case, hung, at), at) for hung in line.get("attachments", ())
             for at in [np.array([np.interp(hung["s"], s, r[:, c]) for c in range(3)])]]  # fmt: skip
    left = loads.sum(axis=0) + sum((load for load, _ in lumps), np.zeros(3)) - pull.sum(axis=0)
    scale = max(biggest, float(np.abs(loads).sum(axis=0).max()))
    touches = low.min() <= deep
    rest = _without_bed(case, left) if touches else left
    if np.linalg.norm(rest) > room * scale:
        found.append(f"{np.linalg.norm(rest):.3g} N left over of {scale:.3g} N")
    if not touches:
        arms = places - r[0]
        moment = np.cross(arms, loads).sum(axis=0) + sum((np.cross(at - r[0], f) for f, at in lumps), np.zeros(3))
        moment -= np.cross(r[-1] - r[0], pull[1])
        if np.linalg.norm(moment) > room * scale * length:
            found.append(f"a moment of {np.linalg.norm(moment):.3g} N m left over of {scale * length:.3g} N m")
    return found


def _sections_at(case: Case, line: Case, s: Array) -> list[Case]:
    ends = np.cumsum([piece["length"] for piece in line["pieces"]])
    which = np.minimum(np.searchsorted(ends, s), len(ends) - 1)
    return [case["sections"][line["pieces"][k]["section"]] for k in which]


def _strain(section: Case, tension: float) -> float:
    law = section["axial_stiffness"]
    if law == "inextensible":
        return 0.0
    if not isinstance(law, dict):
        return tension / float(law)
    if law["kind"] == "table":
        e, t = law["strain"], law["tension"]
        last = (e[-1] - e[-2]) / (t[-1] - t[-2])
        return float(np.interp(tension, t, e)) + max(0.0, tension - t[-1]) * last
    low, high = 0.0, 1.0

    def force(x: float) -> float:
        return float(law["stiffness"] * (x + sum(k * x ** (n + 2) for n, k in enumerate(law["coefficients"]))))

    while force(high) < tension:
        high *= 2.0
    for _ in range(80):
        low, high = (0.5 * (low + high), high) if force(0.5 * (low + high)) < tension else (low, 0.5 * (low + high))
    return 0.5 * (low + high)


def _current(case: Case, z: float) -> Array:
    flow, depth = case["environment"].get("current"), case["environment"].get("depth", math.inf)
    if flow is None:
        return np.zeros(3)
    speed, profile = float(flow["speed"]), flow.get("profile", {"kind": "uniform"})
    if profile["kind"] == "power":
        share = min(max((z + depth) / depth, 0.0), 1.0)
        n = profile["exponent"]
        speed *= share * LAYER ** (n - 1.0) if share < LAYER else share**n
    elif profile["kind"] == "table":
        speed *= float(np.interp(min(z, 0.0), profile["z"], profile["factor"]))
    angle = math.radians(flow.get("heading", 0.0))
    return speed * np.array([math.cos(angle), math.sin(angle), 0.0])


def _wet(low: float, high: float, diameter: float) -> float:
    """Share under water of a piece between two heights: mean of its sections, which sink in linearly."""
    if abs(high - low) < 1e-9 * diameter:
        return min(max(0.5 - low / diameter, 0.0), 1.0)

    def below(z: float) -> float:  # integral of clip(1/2 - z/d, 0, 1) over z, m
        x = min(max(z, -0.5 * diameter), 0.5 * diameter)
        return min(z, -0.5 * diameter) + 0.5 * (x + 0.5 * diameter) - (x * x - 0.25 * diameter**2) / (2.0 * diameter)

    return (below(high) - below(low)) / (high - low)


def _load(case: Case, section: Case, place: Array, t: Array, stretch: float, ends: tuple[float, float, float]) -> Array:
    """Per unstretched length, N/m.  t : unit tangent    ends : heights, and least height of a section, m"""
    sea, d = case["environment"], section["diameter"]
    g, rho = sea.get("gravity", 9.80665), sea.get("water_density", 1025.0)
    wet = _wet(*ends[:2], max(d, ends[2]))
    load = np.array([0.0, 0.0, -section["mass"] * g + wet * rho * g * math.pi / 4.0 * d**2])
    drag = section.get("drag", CYLINDER)
    drag = {"normal": 0.0, "tangential": 0.0} if drag == 0 else {"tangential": 0.0, **drag}
    u = _current(case, float(place[2]))
    along = float(u @ t) * t
    across = u - along
    force = 0.5 * rho * d * (drag["normal"] * np.linalg.norm(across) * across
                             + math.pi * drag["tangential"] * np.linalg.norm(along) * along)  # fmt: skip
    return np.asarray(load + wet * stretch * force)


def _lump(case: Case, thing: Case, place: Array) -> Array:
    """Weight, buoyancy as of a ball, drag and given force, N."""
    sea = case["environment"]
    g, rho = sea.get("gravity", 9.80665), sea.get("water_density", 1025.0)
    volume = thing.get("volume", 0.0)
    share = 1.0 if place[2] < 0.0 else 0.0
    if volume > 0.0:
        radius = (0.75 * volume / math.pi) ** (1.0 / 3.0)
        x = min(max(-place[2] / radius, -1.0), 1.0)
        share = 0.25 * (1.0 + x) ** 2 * (2.0 - x)
    up = -thing.get("mass", 0.0) * g + rho * g * volume * share
    u = _current(case, float(place[2]))
    drag = 0.5 * rho * share * thing.get("drag_area", 0.0) * np.linalg.norm(u) * u
    return np.asarray(np.array([0.0, 0.0, up]) + drag + np.array(thing.get("force", [0.0, 0.0, 0.0])))


def _normal(case: Case) -> Array:
    normal = np.array(case["environment"]["seabed"].get("normal", [0.0, 0.0, 1.0]), dtype=float)
    return np.asarray(normal / np.linalg.norm(normal))


def _height(case: Case, place: Array) -> float:
    """Over the bed; infinite without one."""
    sea = case["environment"]
    if "depth" not in sea or sea["seabed"].get("kind", "elastic") == "none":
        return math.inf
    return float((place + np.array([0.0, 0.0, sea["depth"]])) @ _normal(case))


def _deep(case: Case) -> float:
    """How far below the bed things may be, and how near to it they may touch it, m."""
    sea = case["environment"]
    g, rho = sea.get("gravity", 9.80665), sea.get("water_density", 1025.0)
    stiffness = sea["seabed"].get("stiffness", 1e5)
    sinks = [(one["mass"] - rho * math.pi / 4.0 * one["diameter"] ** 2) * g / (stiffness * one["diameter"])
             for one in case["sections"].values()]  # fmt: skip
    return DEEP * sea.get("depth", 0.0) + SUNK * max(0.0, *sinks)


def _without_bed(case: Case, left: Array) -> Array:
    """What is left over after the bed has pushed up, and held within its friction."""
    normal, mu = _normal(case), case["environment"]["seabed"].get("friction", 0.0)
    push = max(0.0, -float(left @ normal))
    flat = left - (left @ normal) * normal
    size = float(np.linalg.norm(flat))
    held = flat * max(0.0, 1.0 - mu * push / max(size, 1e-300))
    return np.asarray(held + max(0.0, float(left @ normal)) * normal)
