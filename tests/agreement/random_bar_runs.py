"""Random runs of ropes and nets by the solvers of bars: at rest where nothing drives them, or in waves, or pulled."""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any

import numpy as np
from random_nets import random_net
from random_systems import random_case

import ropewalk as rw
from ropewalk.errors import ConvergenceError, InputError

SOLVERS = ("constrained", "recursive", "projection", "constrained_implicit")
DURATION = 5.0  # s
STILL = 1e-6  # of the size of the case: how far nodes may move in that time where nothing drives them
FINE = 1e-3  # s, of steps that are short for any of these cases
SAME_RATE = 0.3  # of a rate of growth: times are those of records, three decades take about ten of them
ROPES = ("lines", "node", "joints", "body")
SPARE = 0.02  # of the distance between its ends, by which an inextensible rope is longer at least
ELEMENTS = 12  # of a piece
# Doubts that leave a case free to move, or to be moved by its first step: no stable equilibrium of these bars
MAY_MOVE = {"unstable", "neutral", "several-equilibria", "pushes", "start-moved", "sunk"}


def random_bar_run(seed: int) -> dict[str, Any]:
    """The case of a seed; its title begins with 'still' where nothing drives it."""
    rng = np.random.default_rng([seed, 11])
    inner = int(rng.integers(10**9))
    case = random_net(inner) if rng.random() < 0.5 else _ropes(rng, inner)
    solver = str(rng.choice(SOLVERS))
    if solver != "constrained_implicit":
        for section in case["sections"].values():
            section["axial_stiffness"] = "inextensible"
    case["run"], case["record"] = {"duration": DURATION, "solver": solver}, {"every": 0.25}
    what = "still" if rng.random() < 0.5 else _driven(rng, case)
    case["title"] = f"{what} {case['title'].split(' ')[0]} by {solver}, seed {seed}"
    return case


def _ropes(rng: np.random.Generator, seed: int) -> dict[str, Any]:
    """A system of random_systems.py with ropes that do not stretch or do so linearly, longer than their chords."""
    while True:
        case = random_case(seed)
        if case["title"].split(" ")[0] in ROPES:
            break
        seed += 1
    for section in case["sections"].values():
        if isinstance(section["axial_stiffness"], dict):
            section["axial_stiffness"] = "inextensible"
    for line in case["lines"].values():
        apart = math.dist(*(_place(case, line[side]) for side in ("from", "to")))
        length = sum(piece["length"] for piece in line["pieces"])
        for piece in line["pieces"]:
            piece["length"] *= max(1.0, (1.0 + SPARE) * apart / length)
        for hung in line.get("attachments", ()):
            hung["s"] *= max(1.0, (1.0 + SPARE) * apart / length)
        line["elements"] = int(rng.integers(4, ELEMENTS + 1)) * len(line["pieces"])
    return case


def _place(case: dict[str, Any], name: str) -> list[float]:
    body, _, attachment = name.partition(".")
    if attachment:
        held = case["bodies"][body]
        return [a + b for a, b in zip(held["position"], held["attachments"][attachment], strict=True)]
    return list(case["points"][name]["position"])


def _driven(rng: np.random.Generator, case: dict[str, Any]) -> str:
    """Let waves or a moving point drive the case; what it is."""
    sea, points = case["environment"], case.get("points", {})
    fixed = sorted(name for name, point in points.items() if "joint" not in point)
    if fixed and rng.random() < 0.5:
        terms = [{"direction": [0, 0, 1], "amplitude": float(rng.uniform(0.05, 0.3)), "omega": 0.8}]
        motion = {"kind": "harmonic", "ramp": 2.0, "terms": terms}
        points[str(rng.choice(fixed))] |= {"joint": "moving", "motion": motion}
        return "pulled"
    if not sea.get("water_density", 1025.0):
        return "still"
    height = float(rng.uniform(0.1, min(2.0, 0.05 * sea.get("depth", 50.0))))
    sea["waves"] = {"kind": "regular", "height": height, "period": float(rng.uniform(4, 12)),
                    "heading": float(rng.uniform(-180, 180))}  # fmt: skip
    return "waved"


def moved(result: Any) -> float:
    """Largest way of a node from where it began, over the size of the case."""
    parts = [result[name].values for name in ("position", "net_position") if name in result and result[name].size]
    first = np.concatenate([part[0] for part in parts])
    size = float(np.linalg.norm(np.ptp(first, axis=0)))
    return max(float(np.abs(part - part[0]).max()) for part in parts) / size


def named_solver(text: str, own: str) -> str:
    """The first solver that a refusal names as a way out, other than its own; empty if none."""
    return next((name for name in re.findall(r"'(\w+)'", text) if name in (*SOLVERS, "mixed_fem") and name != own), "")


def ends_well(case: dict[str, Any], solver: str) -> bool:
    """Whether the run of a case passes its audit by another solver."""
    other = {**case, "run": {**case["run"], "solver": solver}}
    try:
        rw.simulate(rw.System.model_validate(other), progress=False)
    except (InputError, ConvergenceError):
        return False
    return True


def is_unstable(case: dict[str, Any], told: list[dict[str, Any]]) -> bool:
    """Whether motion from rest grows, and does so at the same rate by 'constrained' with steps of 1 ms."""
    rates = {doubt["code"]: doubt["value"] for doubt in told}
    if "grows" not in rates:
        return False
    fine = {**case, "run": {**case["run"], "solver": "constrained", "step": FINE}}
    doubts = json.loads(rw.simulate(rw.System.model_validate(fine), progress=False).attrs["doubts"])
    again = {doubt["code"]: doubt["value"] for doubt in doubts}
    return "grows" in again and abs(again["grows"] - rates["grows"]) < SAME_RATE * rates["grows"]


def bar_run_outcome(seed: int) -> dict[str, Any]:
    """How the run of a seed ends: done, refused, failed or crashed, with its doubts; moves, if it shall not.

    A refusal that names a solver by which the run ends well is `passed on`.
    """
    begin = time.process_time()
    case = random_bar_run(seed)
    way, doubts = 0.0, []
    try:
        result = rw.simulate(rw.System.model_validate(case), progress=False)
    except InputError as error:
        outcome, text = "refused", str(error)
        named = named_solver(text, case["run"]["solver"])
        if named and ends_well(case, named):
            outcome, text = "passed on", f"to {named}: {text}"
    except ConvergenceError as error:
        outcome, text = "failed", str(error)
    except Exception as error:
        outcome, text = "crashed", f"{type(error).__name__}: {error}"
    else:
        told = json.loads(result.attrs["doubts"])
        doubts = sorted({doubt["code"] for doubt in told})
        outcome, text, way = "done", ", ".join(doubts), moved(result)
        moves = case["title"].startswith("still") and way > STILL and not MAY_MOVE & set(doubts)
        if moves and not is_unstable(case, told):
            outcome, text = (
                "failed",
                f"moves by {way:.2g} of its size where nothing drives it; doubts: {text or 'none'}",
            )
    return {"seed": seed, "kind": case["title"], "outcome": outcome, "text": text, "methods": {}, "moved": way,
            "time": time.process_time() - begin}  # fmt: skip
