"""Random runs in time: the systems of random_systems.py with waves, winches, breaks and moving ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from random_systems import random_case

import ropewalk as rw
from ropewalk.errors import ConvergenceError, InputError

DURATION = 5.0  # s
HAULED = 0.9  # of the slack of an inextensible line
# Doubts that leave a case free to move: no stable equilibrium, or none of a shape of its own
MAY_MOVE = {"unstable", "neutral", "several-equilibria", "slack"}


def random_run(seed: int) -> dict[str, Any]:
    """A case with a run of five seconds."""
    rng = np.random.default_rng([seed, 7])
    while True:
        case = random_case(int(rng.integers(10**9)))
        if "nets" not in case:
            break
    return as_run(rng, case, f"run of seed {seed}")


def as_run(rng: np.random.Generator, case: dict[str, Any], title: str) -> dict[str, Any]:
    """The case with a run of five seconds, in which waves, a winch, a break or a motion may drive it."""
    case["run"] = {"duration": DURATION, "solver": "mixed_fem"}
    case["record"] = {"every": 0.25}
    sea = case["environment"]
    if sea["water_density"] and rng.random() < 0.6:
        height = float(rng.uniform(0.2, min(4.0, 0.1 * sea["depth"])))
        sea["waves"] = {"kind": "regular", "height": height, "period": float(rng.uniform(5, 12)),
                        "heading": float(rng.uniform(-180, 180))}  # fmt: skip
    line = case["lines"][str(rng.choice(list(case["lines"])))]
    what = rng.random()
    if what < 0.2:
        line["break"] = {"time": 2.0, "s": 0.5 * sum(piece["length"] for piece in line["pieces"])}
    elif what < 0.4 and not line.get("attachments"):
        last = line["pieces"][-1]["length"]
        line["payout"] = {
            "end": "B",
            "time": [1.0, 4.0],
            "length": [0.0, float(rng.uniform(-0.05, 0.1)) * last],
            "ramp": 1.0,
        }
        line["payout"]["length"][1] = max(line["payout"]["length"][1], -_most_hauled(case, line))
    elif what < 0.6 and line["to"] in case["points"] and "joint" not in case["points"][line["to"]]:
        there = [other for other in case["lines"].values() if line["to"] in (other["from"], other["to"])]
        amplitude = min(0.5, *(_most_hauled(case, other) for other in there))
        term = {"direction": [0, 0, 1], "amplitude": amplitude, "omega": 0.8}
        motion = {"kind": "harmonic", "ramp": 2.0, "terms": [term]}
        case["points"][line["to"]] |= {"joint": "moving", "motion": motion}
    case["title"] = title
    return case


def _most_hauled(case: dict[str, Any], line: dict[str, Any]) -> float:
    """How much of a line can be hauled in, or its end moved (m): of an inextensible one, most of its slack."""
    if any(case["sections"][piece["section"]]["axial_stiffness"] != "inextensible" for piece in line["pieces"]):
        return float("inf")
    ends = [case["points"].get(line[end], {}).get("position") for end in ("from", "to")]
    if None in ends:
        return float("inf")
    spare = sum(piece["length"] for piece in line["pieces"]) - float(np.linalg.norm(np.subtract(*ends)))
    return HAULED * max(spare, 0.0)


def run_outcome(seed: int, make: Callable[[int], dict[str, Any]] = random_run) -> dict[str, Any]:
    """How the run of a seed ends: done, refused, failed or crashed, with its doubts.  make : the case of a seed"""
    begin = time.process_time()
    try:
        result = rw.simulate(rw.System.model_validate(make(seed)), progress=False)
    except InputError as error:
        outcome, text = "refused", str(error)
    except ConvergenceError as error:
        outcome, text = "failed", str(error)
    except Exception as error:
        outcome, text = "crashed", f"{type(error).__name__}: {error}"
    else:
        doubts = [doubt["code"] for doubt in json.loads(result.attrs["doubts"])]
        outcome, text = "done", ", ".join(doubts)
        if {"leaves-rest", "grows"} & set(doubts) and not MAY_MOVE & set(doubts):
            outcome, text = "failed", f"moves where nothing drives it; doubts: {text}"
    return {"seed": seed, "kind": "run", "outcome": outcome, "text": text, "methods": {},
            "time": time.process_time() - begin}  # fmt: skip


def at_rest(system: rw.System, duration: float) -> float:
    """Largest way of a node in a run that nothing drives, over the longest line."""
    run = {"duration": duration, "solver": "mixed_fem"}
    still = rw.System.model_validate({**system.model_dump(by_alias=True, exclude_unset=True), "run": run,
                                      "record": {"every": 0.5}})  # fmt: skip
    places = rw.simulate(still, progress=False)["position"].values
    longest = max(sum(piece.length for piece in line.pieces) for line in system.lines.values())
    return float(np.abs(places - places[0]).max()) / longest
