"""The OC3-Hywind mooring under the motions of a spar in many sea states, for ropewalk and for MoorDyn."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import ropewalk as rw
from benchmarks.timing import quiet

DURATION = 120.0  # s of each sea state unless given; those of certification last 600 to 10800 s
RAMP = 20.0  # s
EVERY = 0.5  # s between records
COUPLING = 0.25  # s between the positions that MoorDyn is given: its cheapest of 0.02 to 0.25 s, all within 1 %
TERMS = 12  # of the motion of a sea state
HEIGHTS = np.linspace(2.0, 8.0, 10)  # m; a motion of 0.3 m/m in surge and 0.15 m/m in heave
SEEDS = 10
ANCHORS = {"1": (853.87, 0.0), "2": (-426.935, 739.4731), "3": (-426.935, -739.4731)}
FAIRLEADS = {"1": (5.2, 0.0), "2": (-2.6, 4.5033), "3": (-2.6, -4.5033)}

Term = tuple[tuple[float, float, float], float, float, float]  # direction, amplitude (m), omega (rad/s), phase


def motion(height: float, seed: int) -> list[Term]:
    """Surge and heave of the spar: a sum of waves around a peak period of 3.6 sqrt(H) s, phases by the seed."""
    rng = np.random.default_rng(seed)
    peak = 2.0 * np.pi / max(8.0, 3.6 * np.sqrt(height))
    omega = peak * np.linspace(0.7, 1.6, TERMS)
    shape = np.exp(-(((omega / peak) - 1.0) ** 2) / 0.08)
    amplitude = 0.5 * height * shape / np.sqrt(np.sum(shape**2))
    phases = rng.uniform(0.0, 2.0 * np.pi, (2, TERMS))
    surge: list[Term] = [((1.0, 0.0, 0.0), 0.3 * a, w, p) for a, w, p in zip(amplitude, omega, phases[0], strict=True)]
    heave: list[Term] = [((0.0, 0.0, 1.0), 0.15 * a, w, p) for a, w, p in zip(amplitude, omega, phases[1], strict=True)]
    return surge + heave


def case(
    height: float, seed: int, elements: int = 10, tolerance: float = 3e-2, duration: float = DURATION
) -> rw.System:
    """One sea state for ropewalk."""
    terms = [{"direction": d, "amplitude": a, "omega": w, "phase": p} for d, a, w, p in motion(height, seed)]
    return rw.System.model_validate(
        {
            "environment": {"depth": 320.0, "seabed": {"stiffness": 3e6, "damping": 3e5}},
            "sections": {"chain": {"diameter": 0.09, "mass": 77.7066, "axial_stiffness": 384.243e6, "damping": 0.01,
                                   "drag": {"normal": 1.6, "tangential": 0.1}, "added_mass": {"normal": 1.0}}},
            "points": {f"anchor {k}": {"position": (*xy, -320.0)} for k, xy in ANCHORS.items()},
            "bodies": {"spar": {"mass": 8e6, "inertia": (1.9e10, 1.9e10, 1.9e8), "position": (0, 0, 0),
                                "joint": "moving",
                                "motion": {"kind": "harmonic", "ramp": RAMP, "terms": terms},
                                "attachments": {f"fairlead {k}": (*xy, -70.0) for k, xy in FAIRLEADS.items()}}},
            "lines": {f"line {k}": {"from": f"anchor {k}", "to": f"spar.fairlead {k}", "elements": elements,
                                    "pieces": [{"section": "chain", "length": 902.2}]} for k in ANCHORS},
            "record": {"every": EVERY},
            "run": {"duration": duration, "tolerance": tolerance},
        }
    )  # fmt: skip


def fairlead_force(result: Any) -> np.ndarray:
    """(n, 9) N after the ramp"""
    force = result["end_force"].sel(end="B").values.reshape(result.sizes["time"], -1)
    return force[round(RAMP / EVERY) :]


def place(terms: list[Term], t: float) -> np.ndarray:
    """(3,) of the spar, m"""
    x = min(t / RAMP, 1.0)
    ramp = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    return ramp * sum(a * np.cos(w * t - p) * np.array(d) for d, a, w, p in terms)


def moordyn_text(segments: int, step: float) -> str:
    """The same mooring as a MoorDyn v2 input."""
    lines = ["--- MoorDyn", "---- LINE TYPES ----", "Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx",
             "(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)",
             "rope 0.09 77.7066 384.243e6 3.84243e6 0 1.6 1.0 0.1 0",
             "---- POINTS ----", "ID Type X Y Z Mass Volume CdA Ca",
             "(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)"]  # fmt: skip
    lines += [f"{k} Fixed {x} {y} -320 0 0 0 0" for k, (x, y) in ANCHORS.items()]
    lines += [f"{int(k) + 3} Coupled {x} {y} -70 0 0 0 0" for k, (x, y) in FAIRLEADS.items()]
    lines += [
        "---- LINES ----",
        "ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs",
        "(-) (-) (-) (-) (m) (-) (-)",
    ]
    lines += [f"{k} rope {k} {int(k) + 3} 902.2 {segments} -" for k in ANCHORS]
    lines += ["---- OPTIONS ----", "0 writeLog", "RK2 tScheme", f"{step} dtM", "9.80665 g", "1025 WtrDens",
              "320 WtrDpth", "3e6 kBot", "3e5 cBot", "100.0 TmaxIC", "0.0001 threshIC", "---- OUTPUTS ----",
              "--- END", ""]  # fmt: skip
    return "\n".join(lines)


def moordyn_run(
    height: float, seed: int, segments: int, step: float, duration: float = DURATION
) -> tuple[np.ndarray, float, float]:
    """Force on the fairleads (n, 9) after the ramp, N, and processor time of the start and of the run, s."""
    import moordyn

    terms = motion(height, seed)
    rest = np.array([(*xy, -70.0) for xy in FAIRLEADS.values()])
    forces = []
    with tempfile.TemporaryDirectory() as folder, quiet():
        file = Path(folder) / "mooring.txt"
        file.write_text(moordyn_text(segments, step))
        begin = time.thread_time()
        system = moordyn.Create(str(file))
        moordyn.Init(system, rest.ravel().tolist(), [0.0] * 9)
        start = time.thread_time() - begin
        spent = 0.0
        for i in range(round(duration / COUPLING)):
            t = i * COUPLING
            here, there = place(terms, t), place(terms, t + COUPLING)
            velocity = np.tile((there - here) / COUPLING, 3).tolist()
            begin = time.thread_time()
            force = moordyn.Step(system, (rest + here).ravel().tolist(), velocity, t, COUPLING)
            spent += time.thread_time() - begin
            forces.append(force)
        moordyn.Close(system)
    every = round(EVERY / COUPLING)
    kept = np.array(forces)[every - 1 :: every]
    return kept[round(RAMP / EVERY) - 1 :], start, spent


def error(forces: np.ndarray, exact: np.ndarray) -> float:
    """Relative L2 difference"""
    n = min(len(forces), len(exact))
    return float(np.linalg.norm(forces[:n] - exact[:n]) / np.linalg.norm(exact[:n]))
