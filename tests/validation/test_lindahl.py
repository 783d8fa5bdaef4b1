"""Chain tests of Lindahl 1984, published in Bergdahl, Palm, Eskilsson and Lindahl, J. Mar. Sci. Eng. 3 (2015)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

PERIOD = 3.5  # s
MEAN, HIGHEST, LOWEST = 25.19, 51.43, 0.95  # N, measured
EVERY = 0.05  # s, of the phase average
PHASE_AVERAGE = np.array([
    51.41, 51.08, 50.34, 49.25, 47.99, 46.41, 44.31, 42.40, 40.33, 37.87, 34.97, 31.60, 28.38, 25.21, 21.78, 18.21,
    14.87, 10.94, 7.85, 5.46, 3.05, 1.47, 1.36, 1.54, 1.48, 1.29, 1.74, 1.56, 1.61, 1.67, 1.80, 2.16, 2.42, 2.31, 2.46,
    2.78, 3.11, 3.80, 4.59, 6.24, 7.91, 9.49, 10.88, 12.67, 14.52, 17.00, 18.96, 21.19, 23.30, 25.21, 27.54, 29.32,
    30.84, 32.22, 33.73, 35.10, 36.40, 38.00, 39.72, 41.28, 42.71, 44.12, 45.59, 46.85, 48.03, 49.02, 49.81, 50.62,
    51.16, 51.40,
])  # fmt: skip


def chain() -> Model:
    """33 m of chain, upper end on a circle of 0.2 m in air, anchor on the floor 3 m under water."""
    area = 0.0818 / 7800.0
    omega = 2.0 * np.pi / PERIOD
    terms = [
        {"direction": [1, 0, 0], "amplitude": 0.2, "omega": omega},
        {"direction": [0, 0, 1], "amplitude": -0.2, "omega": omega, "phase": 0.5 * np.pi},
    ]
    section = {
        "diameter": 0.0022, "volume_diameter": float(np.sqrt(4.0 * area / np.pi)), "mass": 0.0818,
        "axial_stiffness": 1e4, "damping": 0.003, "added_mass": {"normal": 3.8},
        "drag": {"normal": 2.5, "tangential": 0.5, "tangential_reference": "diameter"},
    }  # fmt: skip
    end = {
        "position": [32.554, 0, 0.3],
        "joint": "moving",
        "motion": {"kind": "harmonic", "ramp": PERIOD, "terms": terms},
    }
    bed = {"stiffness": 1e6, "damping": 1e4, "friction": 0.3, "pulled": False}
    return build(
        System.model_validate(
            {
                "environment": {"depth": 3.0, "gravity": 9.81, "water_density": 1000, "seabed": bed},
                "sections": {"chain": section},
                "points": {"anchor": {"position": [0, 0, -3]}, "end": end},
                "lines": {
                    "m": {
                        "from": "anchor",
                        "to": "end",
                        "pieces": [{"section": "chain", "length": 33}],
                    }
                },
            }
        )
    )


@pytest.fixture(scope="module")
def history() -> tuple[np.ndarray, np.ndarray]:
    """Static force at the end, and its tension over the last three of six periods, every 0.01 s."""
    model = chain()
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    rest = solver.read(model, work).end_force[0, 1]
    tension = []
    for t in np.arange(1, 2101) * 0.01:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        tension.append(np.linalg.norm(solver.read(model, work).end_force[0, 1]))
    return rest, np.array(tension)[-1050:].reshape(3, 350)


def test_static_force(history: tuple[np.ndarray, np.ndarray]) -> None:
    """H 20.3830 N, top tension 22.6866 N."""
    rest, _ = history
    # the default mesh of 50 elements, second order: 0.3 % of the tension
    assert_allclose([-rest[0], np.linalg.norm(rest)], [20.3830, 22.6866], rtol=3e-3)


def test_maximum_and_mean(history: tuple[np.ndarray, np.ndarray]) -> None:
    """Measured cycle maximum 51.43 (0.08) N and mean 25.19 N; printed accuracy demanded: 3 % and 2 %."""
    _, cycles = history
    assert_allclose(cycles.max(axis=1), HIGHEST, rtol=0.03)
    assert_allclose(cycles.mean(), MEAN, rtol=0.02)


def test_printed_mean_and_phase_average_differ() -> None:
    """The phase average as printed has a mean of 24.20 N, not the 25.19 N printed beside it.

    A computation that met the mean and the shape without any error would miss the phase average by 1 N (rms), 3.9 % of
    half the range. So the two are compared apart: the mean with the mean, the shape with the shape.
    """
    # printed to 0.01 N
    assert_allclose(MEAN - PHASE_AVERAGE.mean(), 0.994, atol=0.005)


def test_phase_average(history: tuple[np.ndarray, np.ndarray]) -> None:
    """Root mean square difference to the measured phase average, at the best phase: 4 % of half the range, means apart.

    The measured cycle is a little narrower than the computed one on both sides of its maximum.
    """
    _, cycles = history
    cycle = cycles.mean(axis=0)
    misses = np.array([np.roll(cycle, -k)[::5] - PHASE_AVERAGE for k in range(cycle.size)])
    # 0.75 N, 3.0 %, measured
    assert misses.std(axis=1).min() < 0.04 * 0.5 * (HIGHEST - LOWEST)
    # with the means: 1.26 N, 5.0 % of half the range, of which 1.0 N is the contradiction above; neither mesh, steps,
    # friction (0 to 1), bed (1e5 to 1e7 Pa/m), axial drag (0 to pi times) nor added mass (1 to 3.8) brings it below
    # 4.8 %
    assert np.sqrt(np.mean(misses**2, axis=1)).min() < 0.03 * (HIGHEST - LOWEST)
