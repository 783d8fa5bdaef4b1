"""Random runs that start as they are given: straight lines, taut, slack or on the bed, with shapes and velocities.

What is recorded at t = 0 is held to the file: ends where they are, straight lines straight, and tensions by the law.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from random_runs import run_outcome
from random_systems import random_case

import ropewalk as rw
from ropewalk.errors import ConvergenceError, InputError

Case = dict[str, Any]
DURATION = 2.0  # s
PLACE = 1e-9  # of the size of the case: how far nodes may be from where the file puts them
LAW = 1e-6  # of EA: strain by which a tension may miss the law at t = 0
SLACK = 0.1  # of the weight of an element: tension that slack ones may have
LOW = 0.9  # of the depth: ends below may lie on the bed


def random_given(seed: int) -> Case:
    """A case whose run starts as it is given, with shapes and velocities of some parts."""
    rng = np.random.default_rng([seed, 23])
    inner = int(rng.integers(10**9))
    while (case := random_case(inner))["title"].split(" ")[0] not in ("lines", "node", "body"):
        inner += 1
    start: Case = {"state": "as_given", "lines": {}}
    if rng.random() < 0.3:
        start["velocity"] = rng.normal(0, 0.5, 3).tolist()
    for name in case["lines"]:
        what = rng.random()
        if what < 0.3:
            start["lines"][name] = {"shape": "catenary"}
        elif what < 0.5:
            start["lines"][name] = {"shape": "straight", "velocity": rng.normal(0, 0.5, 3).tolist()}
    if "node" in case["points"] and rng.random() < 0.4:
        start["points"] = {"node": {"velocity": rng.normal(0, 1.0, 3).tolist()}}
    if "bodies" in case and rng.random() < 0.4:
        start["bodies"] = {"buoy": {"velocity": rng.normal(0, 0.3, 3).tolist(), "attitude": [5.0, 0.0, 0.0]}}
    plain = not any(start[key] for key in start if key != "state") and rng.random() < 0.5
    case["run"] = {"duration": DURATION, "solver": "mixed_fem", "start": "as_given" if plain else start}
    case["record"] = {"every": 0.25}
    return {**case, "title": f"given {case['title'].split(' ')[0]} of seed {seed}"}


def wrong_at_start(case: Case, result: Any) -> list[str]:
    """What the first record of a run has other than the file."""
    found: list[str] = []
    first = result.isel(time=0)
    if not np.all(np.isfinite(first["tension"].values)) or not np.all(np.isfinite(first["position"].values)):
        return ["not finite"]
    start, sea = case["run"]["start"], case["environment"]
    depth = 0.0 if "normal" in sea["seabed"] else -sea["depth"]  # on a slope any end may lie on the bed
    given = start.get("lines", {}) if isinstance(start, dict) else {}
    moved = isinstance(start, dict) and bool(start.get("bodies"))
    for name, line in case["lines"].items():
        own = first["node_line"].values == name
        r, T, s = (first[key].values[own] for key in ("position", "tension", "s"))
        ends = [case["points"][line[side]]["position"] if line[side] in case["points"] else None
                for side in ("from", "to")]  # fmt: skip
        for end, node in zip(ends, (r[0], r[-1]), strict=True):
            if (
                end is not None
                and end[2] > LOW * depth
                and math.dist(end, node) > PLACE * (1.0 + float(np.abs(r).max()))
            ):
                found.append(f"{name} ends {math.dist(end, node):.3g} m away")
        is_low = any(end is not None and end[2] <= LOW * depth for end in ends)  # ends on the bed rest in it
        if given.get(name, {}).get("shape", "straight") != "straight" or (moved and None in ends) or is_low:
            continue
        chord = r[-1] - r[0]
        size = float(np.linalg.norm(chord))
        off = float(np.linalg.norm(np.cross(r - r[0], chord / size), axis=1).max())
        if off > PLACE * (1.0 + float(np.abs(r).max())):
            found.append(f"{name} is {off:.3g} m off the straight")
        EA = case["sections"][line["pieces"][0]["section"]]["axial_stiffness"]
        if len({p["section"] for p in line["pieces"]}) == 1 and isinstance(EA, float) and s.size > 4:
            strain = np.linalg.norm(np.diff(r, axis=0), axis=1) / np.diff(s) - 1.0
            law = EA * 0.5 * (np.maximum(strain[1:], 0.0) + np.maximum(strain[:-1], 0.0))
            worst = float(np.abs(T[1:-1] - law).max())
            weight = 9.81 * case["sections"][line["pieces"][0]["section"]]["mass"] * float(np.diff(s).max())
            if worst > LAW * EA + SLACK * weight:
                found.append(f"{name} has {worst:.3g} N off its law, of {law.max():.3g} N")
    return found


def given_outcome(seed: int) -> dict[str, Any]:
    """How the run of a seed ends, with what its first record has wrong."""
    case, begin = random_given(seed), time.perf_counter()
    try:
        result = rw.simulate(rw.System.model_validate(case), progress=False)
    except (InputError, ConvergenceError):
        return run_outcome(seed, random_given)
    except Exception as error:
        return {"seed": seed, "kind": case["title"], "outcome": "crashed", "text": f"{type(error).__name__}: {error}",
                "methods": {}, "time": time.perf_counter() - begin}  # fmt: skip
    wrong = wrong_at_start(case, result)
    return {"seed": seed, "kind": case["title"], "outcome": "failed" if wrong else "done",
            "text": "at t = 0 " + ", ".join(wrong) if wrong else "", "methods": {},
            "time": time.perf_counter() - begin}  # fmt: skip
