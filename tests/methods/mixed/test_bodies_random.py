"""Random bodies, moorings and seas by default settings: none ends in NaN, and none fails."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ropewalk.analysis.run import simulate
from ropewalk.post.events import find_events
from ropewalk.spec.system import System

DURATION = 120.0  # s

KINDS = {"capsized", "sunk", "dry", "overload", "slack", "snap", "touchdown"}  # of events


def random_hull(rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any], float]:
    """A hull, the mass and inertia that go with it, and its radius, m."""
    r = 10 ** rng.uniform(-0.5, 0.5)
    height, share = r * rng.uniform(1.0, 6.0), rng.uniform(0.2, 0.9)
    if rng.random() < 0.3:
        mass = 1025.0 * 4.0 / 3.0 * np.pi * r**3 * share
        low = -r * rng.uniform(0.05, 0.25)
        hull: dict[str, Any] = {"kind": "sphere", "radius": r, "drag": rng.uniform(0.3, 1.0)}
    else:
        profile = [[0.0, r * rng.uniform(0.3, 1.0)], [0.3 * height, r], [height, r * rng.uniform(0.5, 1.0)]]
        frusta = [np.pi / 3 * (z1 - z0) * (a * a + a * b + b * b) for (z0, a), (z1, b) in pairwise(profile)]
        mass, low = 1025.0 * sum(frusta) * share, height * rng.uniform(0.1, 0.5)
        hull = {"kind": "axisymmetric", "profile": profile,
                "drag": {"normal": rng.uniform(0.3, 1.5), "axial": rng.uniform(0.3, 2.0)},
                "added_mass": {"normal": rng.uniform(0.2, 1.0), "axial": rng.uniform(0.0, 1.0)}}  # fmt: skip
    across = mass * (3.0 * r * r + height * height) / 12.0
    inert = {"mass": mass, "inertia": [across, across, 0.5 * mass * r * r], "centre_of_mass": [0, 0, low]}
    return hull, inert, r


def random_sea(rng: np.random.Generator, depth: float, seed: int) -> dict[str, Any]:
    """Waves below breaking, current, wind, and a bed with friction."""
    period = rng.uniform(4.0, 14.0)
    steepest = min(rng.uniform(0.2, 6.0), 0.15 * period**2, 0.5 * depth)  # a tenth of the deep-water length at most
    if rng.random() < 0.5:
        waves: dict[str, Any] = {"kind": "regular", "ramp": 0.0, "height": steepest, "period": period}
    else:
        waves = {
            "kind": "jonswap",
            "ramp": 0.0,
            "significant_height": 0.4 * steepest,
            "peak_period": period,
            "seed": seed,
            "components": 40,
        }
    profile = {"kind": "power", "exponent": 0.143}
    return {
        "depth": depth,
        "waves": {**waves, "heading": rng.uniform(0, 360)},
        "current": {"speed": rng.uniform(0, 1.5), "heading": rng.uniform(0, 360), "profile": profile},
        "wind": {"speed": rng.uniform(0, 25), "heading": rng.uniform(0, 360)},
        "seabed": {"stiffness": 1e5, "damping": 1e4, "friction": rng.uniform(0, 1)},
    }  # fmt: skip


def random_case(seed: int) -> System:
    """One body on one to four lines."""
    rng = np.random.default_rng(seed)
    depth = 10 ** rng.uniform(1.0, 2.7)
    hull, inert, r = random_hull(rng)
    diameter, lines = 10 ** rng.uniform(-2.0, -1.0), int(rng.integers(1, 5))
    area, length = 0.25 * np.pi * diameter**2, depth * rng.uniform(1.05, 2.0)
    stiffness: Any = "inextensible" if rng.random() < 0.2 else 10 ** rng.uniform(8.0, 10.5) * area
    radius = np.sqrt(length**2 - depth**2) * rng.uniform(0.5, 0.95)
    angles = rng.uniform(0.0, 2.0 * np.pi) + 2.0 * np.pi * np.arange(lines) / lines
    rope = {"diameter": diameter, "mass": rng.uniform(1100, 6000) * area, "axial_stiffness": stiffness, "damping": 0.01,
            "drag": {"normal": 1.2, "tangential": 0.1}, "added_mass": {"normal": 1.0}}  # fmt: skip
    eyes = {f"e{i}": [0.5 * r * np.cos(a), 0.5 * r * np.sin(a), 0.0] for i, a in enumerate(angles)}
    case = {
        "environment": random_sea(rng, depth, seed),
        "sections": {"rope": rope},
        "points": {f"a{i}": {"position": [radius * np.cos(a), radius * np.sin(a), -depth]}
                   for i, a in enumerate(angles)},
        "bodies": {"body": {**inert, "hull": hull, "position": [0, 0, -0.5 * r], "attachments": eyes}},
        "lines": {f"l{i}": {"from": f"a{i}", "to": f"body.e{i}", "elements": 30,
                            "pieces": [{"section": "rope", "length": length}]} for i in range(lines)},
        "statics": {"method": "fem"},
        "record": {"every": 0.5},
        "run": {"duration": DURATION, "solver": "mixed_fem"},
    }  # fmt: skip
    return System.model_validate(json.loads(json.dumps(case, default=float)))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(30))
def test_random_bodies_run_to_the_end(block: int) -> None:
    """Ten cases a block, 300 in all; events are found without an error."""
    for seed in range(10 * block, 10 * block + 10):
        dataset = simulate(random_case(seed))
        assert np.all(np.isfinite(dataset["position"].values)), seed
        assert np.all(np.isfinite(dataset["body_quaternion"].values)), seed
        assert {event.kind for event in find_events(dataset)} <= KINDS
