"""Random runs that begin with a jolt: platforms set aside, weights that fall into their ropes, overloaded lines.

Tolerances from 1e-2 to 1e-6, several systems in one case, and bar solvers with the steps that they choose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Case = dict[str, Any]
Rng = np.random.Generator
KINDS = ("platforms", "falling", "bars", "overload", "jump")


def random_jolt(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([seed, 61])
    kind = str(rng.choice(KINDS))
    make = {"platforms": _platforms, "falling": _falling, "bars": _bars, "overload": _overload, "jump": _jump}[kind]
    return {"title": f"{kind} of seed {seed}", **make(rng)}


def _log(rng: Rng, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _rope(rng: Rng, **more: Any) -> Case:
    """A wire with some internal damping."""
    d = _log(rng, 0.01, 0.1)
    return {"diameter": d, "mass": 4000 * d * d, "axial_stiffness": 4e10 * d * d,
            "damping": _log(rng, 0.003, 0.1), **more}  # fmt: skip


def _platforms(rng: Rng) -> Case:
    """Two or three buoys on two lines each that share nothing, one of them set aside; and a span of held ends."""
    depth, points, bodies, lines = float(rng.uniform(20, 80)), {}, {}, {}
    for k in range(int(rng.integers(2, 4))):
        name, x, r = f"b{k}", 500.0 * k, float(rng.uniform(0.8, 3))
        mass = float(rng.uniform(0.3, 0.6)) * 1025 * 4.19 * r**3
        bodies[name] = {"mass": mass, "inertia": [0.4 * mass * r * r] * 3, "hull": {"kind": "sphere", "radius": r},
                        "position": [x, 0, 0], "centre_of_mass": [0, 0, -0.4 * r],
                        "attachments": {"e": [0.5 * r, 0, -0.8 * r], "w": [-0.5 * r, 0, -0.8 * r]}}  # fmt: skip
        for end, side in (("e", 1), ("w", -1)):
            points[name + end] = {"position": [x + side * 1.5 * depth, 0, -depth]}
            lines[name + end] = {"from": name + end, "to": f"{name}.{end}", "elements": int(rng.integers(8, 20)),
                                 "pieces": [{"section": "rope", "length": 1.85 * depth}]}  # fmt: skip
    points |= {"left": {"position": [-300, 0, -5]}, "right": {"position": [-260, 0, -5]}}
    lines["span"] = {"from": "left", "to": "right", "elements": 8, "pieces": [{"section": "rope", "length": 42}]}
    aside = {"attitude": rng.uniform(-20, 20, 3).tolist(), "velocity": rng.uniform(-1, 1, 3).tolist()}
    sea = {"depth": depth, "waves": {"kind": "regular", "height": float(rng.uniform(0.3, 2)), "period": 6.0}}
    return {"environment": sea, "sections": {"rope": _rope(rng)}, "points": points, "bodies": bodies, "lines": lines,
            "run": {"duration": 5.0, "start": {"bodies": {"b0": aside}}}, "record": {"every": 0.1}}  # fmt: skip


def _hung(rng: Rng, air: bool, heaviest: float = 20.0, **rope: Any) -> Case:
    """A line with a weight at its free end, of up to so many times its own."""
    length = _log(rng, 1, 100)
    section = _rope(rng, **rope)
    mass = section["mass"] * length * _log(rng, 0.1, heaviest)
    end = {"position": [0, 0, -10 - length], "joint": "free", "mass": mass}
    line = {"from": "top", "to": "end", "elements": int(rng.integers(5, 25)),
            "pieces": [{"section": "rope", "length": length}]}  # fmt: skip
    return {
        "environment": {"seabed": {"kind": "none"}, **({"water_density": 0} if air else {})},
        "sections": {"rope": section},
        "points": {"top": {"position": [0, 0, -10]}, "end": end},
        "lines": {"l": line},
        "run": {"duration": float(rng.uniform(1, 3)) * np.sqrt(length)},
        "record": {"every": 0.02 * np.sqrt(length)},
    }


def _let_go(rng: Rng, case: Case) -> Case:
    """The weight begins beside the top, on a rope that hangs slack."""
    length = case["lines"]["l"]["pieces"][0]["length"]
    case["points"]["end"]["position"] = [float(rng.uniform(0.6, 0.97)) * length, 0, -10]
    case["run"]["start"] = {"state": "as_given", "lines": {"l": {"shape": "catenary"}}}
    return case


def _falling(rng: Rng) -> Case:
    case = _let_go(rng, _hung(rng, False))
    return {**case, "run": {**case["run"], "solver": "mixed_fem"}}


def _bars(rng: Rng) -> Case:
    rigid = {"axial_stiffness": "inextensible", "damping": 0.0}
    case = _let_go(rng, _hung(rng, bool(rng.random() < 0.5), 100.0, **rigid))
    solver = str(rng.choice(["recursive", "projection", "constrained"]))
    return {**case, "run": {**case["run"], "solver": solver}}


def _overload(rng: Rng) -> Case:
    """The load alone is beyond the tension at which the line parts, at a place or anywhere."""
    case = _hung(rng, bool(rng.random() < 0.5))
    line, mass = case["lines"]["l"], case["points"]["end"]["mass"]
    line["break"] = {"tension": float(rng.uniform(0.2, 0.9)) * mass * 9.8}
    if rng.random() < 0.5:
        line["break"]["s"] = float(rng.uniform(0.1, 0.9)) * line["pieces"][0]["length"]
    return case


def _jump(rng: Rng) -> Case:
    """The top moves at once, without a ramp."""
    case = _hung(rng, False)
    length = case["lines"]["l"]["pieces"][0]["length"]
    term = {"direction": rng.normal(size=3).tolist(), "amplitude": 0.1 * length, "omega": 1.5 / np.sqrt(length),
            "phase": float(rng.uniform(0, 6))}  # fmt: skip
    case["points"]["top"] |= {"joint": "moving", "motion": {"kind": "harmonic", "terms": [term]}}
    case["run"]["tolerance"] = _log(rng, 1e-6, 1e-2)
    return case
