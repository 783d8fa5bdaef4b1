"""Random physical cases at default settings: none may end in NaN or without an explanation."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

DURATION = 60.0  # s


def random_case(rng: np.random.Generator) -> System:
    """One or two lines, stiffness over eight decades, current, waves, beds and motions up to violent."""
    depth = float(10.0 ** rng.uniform(1.0, 2.7))
    d = float(10.0 ** rng.uniform(-2.0, -0.7))
    density = float(rng.choice([1100.0, 1500.0, 3000.0, 7850.0]))
    mass = density * np.pi * d * d / 4.0
    anchor = np.array([0.0, 0.0, -depth])
    top = np.array([depth * rng.uniform(0.1, 3.0), depth * rng.uniform(-0.5, 0.5), -depth * rng.uniform(0.0, 0.5)])
    length = float(np.linalg.norm(top - anchor) * rng.uniform(1.01, 1.6))
    weight = abs(mass - 1025.0 * np.pi * d * d / 4.0) * 9.81 * length
    stiffness: Any = float(weight * 10.0 ** rng.uniform(0.5, 8.5))
    if rng.random() < 0.15:
        stiffness = "inextensible"
    period = float(rng.uniform(3.0, 15.0))
    reach = (length - np.linalg.norm(top - anchor)) * rng.uniform(0.05, 0.9)
    directions = rng.normal(size=(2, 3))
    terms = [
        {"direction": list(v), "amplitude": float(0.5 * reach), "omega": 2.0 * np.pi / period, "phase": float(p)}
        for v, p in zip(directions, rng.uniform(0, 6, 2), strict=True)
    ]
    environment: dict[str, Any] = {
        "depth": depth,
        "seabed": {"stiffness": float(10.0 ** rng.uniform(4, 6.5)), "damping": float(10.0 ** rng.uniform(3, 5.5)),
                   "friction": float(rng.choice([0.0, 0.3, 1.0]))},
    }  # fmt: skip
    if rng.random() < 0.5:
        environment["current"] = {"speed": float(rng.uniform(0.1, 2.0)), "heading": float(rng.uniform(0, 360))}
    if rng.random() < 0.4:
        environment["waves"] = {"kind": "regular", "ramp": 0, "height": float(min(0.2 * depth, rng.uniform(0.5, 8.0))),
                                "period": float(rng.uniform(4, 14)), "heading": float(rng.uniform(0, 360))}  # fmt: skip
    section = {
        "diameter": d, "mass": mass, "axial_stiffness": stiffness, "damping": float(rng.choice([0.0, 0.01])),
        "drag": {"normal": 1.2, "tangential": 0.05}, "added_mass": {"normal": 1.0},
    }  # fmt: skip
    motion = {"kind": "harmonic", "ramp": period, "terms": terms}
    points: dict[str, Any] = {
        "anchor": {"position": list(anchor)},
        "top": {"position": list(top), "joint": "moving", "motion": motion},
    }
    lines: dict[str, Any] = {
        "m": {"from": "anchor", "to": "top", "elements": int(rng.integers(5, 60)),
              "pieces": [{"section": "rope", "length": length}]}
    }  # fmt: skip
    if rng.random() < 0.3:  # a float hangs on in the middle
        own = mass * length
        lines["m"]["attachments"] = [{"s": 0.4 * length, "mass": 0.1 * own, "volume": 0.2 * own / 1025.0}]
    return System.model_validate(
        {"environment": environment, "sections": {"rope": section}, "points": points, "lines": lines}
    )


def outcome(seed: int) -> str:
    """'done', or the sentence that explains the failure; AssertionError if a number is not finite."""
    model = build(random_case(np.random.default_rng(seed)))
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    for t in np.linspace(0.0, DURATION, 13)[1:]:
        report = solver.advance(model, work, float(t))
        state = solver.read(model, work)
        assert np.all(np.isfinite(state.position)) and np.all(np.isfinite(state.end_force)), seed
        if not report.good:
            return report.message
    # of 500 cases single ones were seen with 1.2e-3 and 1.7e-3: steps of recovery can make more energy than is put in
    assert report.figures["energy_closure"] < 2e-3, seed
    return "done"


def test_ten_random_cases_finish_or_say_where_they_stop() -> None:
    """Default settings; the whole study has 500, all of which finish.

    Should one stop, which hangs on the last digits, what it says must have time, line and place.
    """
    stopped = [message for message in map(outcome, range(10)) if message != "done"]
    assert len(stopped) <= 1, stopped
    assert all(re.search(r"t = [\d.]+ s .* line 'm' at s = [\d.]+ m", message) for message in stopped), stopped


@pytest.mark.slow
def test_five_hundred_random_cases() -> None:
    """At least 99 % finish, the rest say when, where and why (measured: all finish)."""
    messages = [outcome(seed) for seed in range(500)]
    failed = [m for m in messages if m != "done"]
    assert all("line 'm'" in m for m in failed), failed
    assert len(failed) <= 5, failed


@pytest.mark.parametrize("seed", [9, 138, 192, 349, 351, 357, 467])
def test_inextensible_lines_without_damping_pass_their_snaps(seed: int) -> None:
    """Cases that stopped, some with speeds of km/s, when nothing took the energy of coming taut."""
    assert outcome(seed) == "done"


def test_steps_of_a_fine_tolerance_end_above_the_least_step() -> None:
    """A damped rope let go along itself: at 1e-7 the step of a jump was below the least, and runs stopped at 0."""
    rope = {"diameter": 0.1, "mass": 10.0, "axial_stiffness": 1e8, "damping": 0.05}
    system = System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"rope": rope},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [9.9, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 20, "pieces": [{"section": "rope", "length": 10}]}},
        }
    )
    model = build(system)
    state = initial_state(model)
    state.velocity[1:-1, 0] = 1.0
    solver = MixedFem(start_at="as_given", tolerance=1e-7)
    report = solver.advance(model, solver.start(model, state), 0.05)
    assert report.good, report.message
