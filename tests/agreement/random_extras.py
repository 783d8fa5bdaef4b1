"""Random systems with what those of random_systems.py leave out, and random bodies without lines.

Ropes with memory, lift of vortices, drag by angle, several hulls, windage, joints between bodies and lines, loads and
currents in time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from random_nets import random_joined_net
from random_runs import as_run
from random_systems import WATER, random_case

Case = dict[str, Any]
KINDS = ("ropes", "lift", "drag", "hulls", "slide", "in time", "net")
SHARES = (0.2, 0.15, 0.1, 0.15, 0.15, 0.15, 0.1)
IN_RUNS = ("ropes", "lift", "hulls", "slide", "in time")  # that mixed_fem takes


def random_extra(seed: int) -> Case:
    """The case of a seed, as a file would give it."""
    rng = np.random.default_rng([seed, 13])
    return _made(rng, str(rng.choice(KINDS, p=SHARES)), seed)


def random_extra_run(seed: int) -> Case:
    """A case of those that run, with a run of five seconds."""
    rng = np.random.default_rng([seed, 17])
    kind = str(rng.choice(IN_RUNS))
    return as_run(rng, _made(rng, kind, seed), f"{kind} run of seed {seed}")


def random_bodies(seed: int) -> Case:
    """One to three bodies that float or hang on links, held by matrices and by no line."""
    rng = np.random.default_rng([seed, 19])
    sea: Case = {"depth": float(rng.uniform(20, 200)), "seabed": {"stiffness": 1e5}}
    if rng.random() < 0.3:
        sea["wind"] = {"speed": float(rng.uniform(2, 25)), "heading": float(rng.uniform(-180, 180))}
    if rng.random() < 0.3:
        sea["current"] = {"speed": float(rng.uniform(0.1, 1.0)), "heading": float(rng.uniform(-180, 180))}
    bodies: Case = {}
    for k in range(int(rng.integers(1, 4))):
        bodies[f"b{k}"] = _floating(rng, f"b{k}", 3.0 * k)
    case: Case = {"ropewalk": 1, "title": f"bodies of seed {seed}", "environment": sea, "bodies": bodies, "points": {}}
    links = {f"j{k}": _link(rng, case, k) for k in range(1, len(bodies)) if rng.random() < 0.6}
    return {**case, "links": links} if links else case


def _made(rng: np.random.Generator, kind: str, seed: int) -> Case:
    if kind == "net":
        return random_joined_net(seed)
    wanted = {"hulls": ("body",), "slide": ("lines", "joints")}.get(kind, ("lines", "node", "body"))
    inner = int(rng.integers(10**9))
    while (case := random_case(inner))["title"].split(" ")[0] not in wanted:
        inner += 1
    {"ropes": _ropes, "lift": _lift, "drag": _drag, "hulls": _hulls, "slide": _slide, "in time": _in_time}[kind](
        rng, case
    )
    return {**case, "title": f"{kind} of seed {seed}"}


def _ropes(rng: np.random.Generator, case: Case) -> None:
    """Some sections get a memory."""
    for name in case["sections"]:
        section, what = case["sections"][name], rng.random()
        slow = section["diameter"] ** 2 * float(np.exp(rng.uniform(math.log(1e9), math.log(1e10))))
        fast = {"dynamic": slow * float(rng.uniform(1.5, 4.0)), "viscosity": slow * float(rng.uniform(1.0, 20.0))}
        if what < 0.4:
            section["axial_stiffness"] = {"kind": "viscoelastic", "static": slow, **fast}
        elif what < 0.7:
            section["axial_stiffness"] = {
                "kind": "syrope",
                "strain": [0.0, 0.02, 0.1],
                "tension": [0.0, 0.015 * slow, 0.1 * slow],
                "working_curve": str(rng.choice(["linear", "quadratic", "exponential"])),
                "residual": float(rng.uniform(0.1, 0.6)),
                "highest_mean": float(rng.uniform(0.0, 0.01)) * slow,
                **fast,
            }


def _lift(rng: np.random.Generator, case: Case) -> None:
    """Vortices in a current; a section that sheds them has drag and a stiffness."""
    case["environment"]["water_density"] = WATER
    case["environment"].setdefault("current", {"speed": float(rng.uniform(0.1, 1.0)), "heading": 0.0})
    for section in case["sections"].values():
        if rng.random() < 0.6:
            section["lift"] = {"coefficient": float(rng.uniform(0.2, 1.0))}
            section["drag"] = {"normal": 1.2}


def _drag(rng: np.random.Generator, case: Case) -> None:
    """Drag by the angle of attack, as a law or a table."""
    laws: list[Case] = [
        {"along_flow": {"law": "sine", "value": float(rng.uniform(0.5, 1.5))}},
        {"normal": {"angle": [0.0, 30.0, 90.0], "value": [0.2, 0.6, 1.2]}, "tangential": 0.05},
    ]
    for section in case["sections"].values():
        section["drag"] = laws[int(rng.integers(2))]


def _hulls(rng: np.random.Generator, case: Case) -> None:
    """The hull of a buoy in two parts, and a mast in the wind."""
    body = case["bodies"]["buoy"]
    hull = body["hull"]
    if hull["kind"] == "axisymmetric" and rng.random() < 0.7:
        (low, r), (high, _) = hull["profile"]
        middle = 0.5 * (low + high)
        parts = [[[low, r], [middle, r]], [[middle, r], [high, r]]]
        body["hulls"] = [{**hull, "profile": profile} for profile in parts]
        del body["hull"]
    height = float(rng.uniform(1.0, 10.0))
    size = float(rng.uniform(0.5, 20.0))
    area: Any = size if rng.random() < 0.5 else [size, 0.5 * size, 0.0]
    body["windage"] = [{"area": area, "coefficient": 1.2, "position": [0.0, 0.0, height]}]
    case["environment"]["wind"] = {"speed": float(rng.uniform(2, 20)), "heading": float(rng.uniform(-180, 180))}


def _law(rng: np.random.Generator, scale: float) -> Case:
    """Of a joint along an axis, with forces of the size `scale` (N)."""
    law: Case = {"spring": scale * float(rng.uniform(0.2, 2.0)), "damping": scale * float(rng.uniform(0.0, 1.0))}
    if rng.random() < 0.4:
        law |= {"stops": [-float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.5, 2.0))], "stop_stiffness": 50.0 * scale}
    if rng.random() < 0.3:
        law["friction"] = 0.1 * scale
    return law


def _slide(rng: np.random.Generator, case: Case) -> None:
    """The upper end of the first line is a ring on the rail of a body that is held."""
    end = case["lines"]["l0"]["to"]
    place = case["points"][end]["position"]
    case["points"][end] = {"position": place, "joint": "free", "mass": float(rng.uniform(10, 200))}
    attitude = [0.0, float(rng.uniform(-20, 20)), float(rng.uniform(-180, 180))]
    rail = {"mass": 0.0, "position": place, "attitude": attitude, "joint": "fixed", "attachments": {"eye": [0, 0, 0]}}
    case["bodies"] = {"rail": rail}
    axes = {"x": _law(rng, float(np.exp(rng.uniform(math.log(1e3), math.log(1e5)))))}
    case["links"] = {"slide": {"kind": "joint", "between": ["rail.eye", end], "axes": axes}}
    if rng.random() < 0.3:
        case["links"]["slide"]["friction_coefficient"] = float(rng.uniform(0.05, 0.3))


def _in_time(rng: np.random.Generator, case: Case) -> None:
    """Forces and currents that change."""
    sea = case["environment"]
    if "current" in sea:
        speed = sea["current"]["speed"]
        sea["current"]["speed"] = {"kind": "table", "time": [0.0, 2.0, 5.0], "value": [speed, 1.5 * speed, speed]}
    for part in (*case["points"].values(), *case.get("bodies", {}).values()):
        if part.get("joint", "fixed" if "mass" not in part else "free") != "free":
            continue
        push = 0.05 * 9.81 * part["mass"]
        term = {"direction": rng.normal(size=3).tolist(), "amplitude": push, "omega": float(rng.uniform(0.3, 2.0))}
        force = {"kind": "harmonic", "terms": [term]}
        if "inertia" in part:
            part.setdefault("loads", {})["force"] = force
        else:
            part["force"] = force


def _floating(rng: np.random.Generator, name: str, x: float) -> Case:
    """A body with one hull, several or none, that its water or its matrix bears."""
    r, kind = float(rng.uniform(0.4, 1.2)), str(rng.choice(["sphere", "axisymmetric", "several", "none"]))
    place = [x, 0.0, float(rng.uniform(-0.2, 0.2))]
    body: Case = {"position": place, "attachments": {"eye": [0.0, 0.0, 0.0], "arm": [-3.0, 0.0, 0.0]}}
    draught = r * float(rng.uniform(0.5, 3.0))
    if kind == "sphere":
        body["hull"], volume = {"kind": "sphere", "radius": r}, 4.0 / 3.0 * math.pi * r**3
    elif kind == "axisymmetric":
        body["hull"] = {"kind": "axisymmetric", "profile": [[-draught, r], [r, r]]}
        volume = math.pi * r**2 * (draught + r)
    elif kind == "several":
        body["hulls"] = [{"kind": "axisymmetric", "profile": [[-draught, 0.5 * r], [r, 0.5 * r]],
                          "position": [0.0, side * r, 0.0]} for side in (-1.5, 1.5)]  # fmt: skip
        volume = 2.0 * math.pi * (0.5 * r) ** 2 * (draught + r)
    else:
        volume = r**3
    body["mass"] = WATER * volume * float(rng.uniform(0.3, 0.7))
    body["inertia"] = [0.5 * body["mass"] * max(r, draught) ** 2] * 3
    body["centre_of_mass"] = [0.0, 0.0, -0.4 * (r if kind == "sphere" else draught)]
    k = float(rng.uniform(0.01, 1.0)) * 9.81 * body["mass"]
    held = [k, k, 20.0 * k if kind == "none" else 0.0, *([k] * 3 if kind == "none" else [0.0, 0.0, k])]
    body["stiffness"] = np.diag(held).tolist()
    if rng.random() < 0.3:
        body["loads"] = {"force": (0.05 * 9.81 * body["mass"] * rng.normal(size=3)).tolist()}
    if rng.random() < 0.3:
        body["windage"] = [{"area": r * r, "coefficient": 1.0, "position": [0.0, 0.0, 2.0 * r]}]
    return body


def _link(rng: np.random.Generator, case: Case, k: int) -> Case:
    """Of body k to the one before it, 3 m away."""
    kind = str(rng.choice(["rigid", "hinge", "ball", "bar", "joint"]))
    between = [f"b{k}.arm", f"b{k - 1}.eye"]
    if kind == "bar":
        between[0] = f"b{k}.eye"
    else:  # the ends of all others meet
        case["bodies"][f"b{k}"]["position"][2] = case["bodies"][f"b{k - 1}"]["position"][2]
    link: Case = {"kind": kind, "between": between}
    if kind == "joint":
        link["axes"] = {str(rng.choice(["x", "y", "z"])): _law(rng, 9.81 * case["bodies"][f"b{k}"]["mass"])}
    if kind == "hinge" and rng.random() < 0.5:
        link |= {"stiffness": float(rng.uniform(10, 1e4)), "damping": float(rng.uniform(0, 1e3))}
    return link
