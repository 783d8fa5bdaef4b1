"""Lift of vortices: a taut string in uniform current locks on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError

CASE = Path(__file__).resolve().parents[3] / "examples" / "singing_string.yaml"
LENGTH, DIAMETER, MASS, RHO, TENSION = 20.0, 0.02, 0.7, 1000.0, 800.0


def test_taut_string_locks_on_to_its_natural_frequency():
    """f = sqrt(T/(m + m_a))/(2 L) at the speed at which vortices are shed with it: U = f d/0.18."""
    inertia = MASS + RHO * 0.25 * np.pi * DIAMETER**2
    f1 = np.sqrt(TENSION / inertia) / (2.0 * LENGTH)
    run = rw.simulate(CASE)
    late = run.time.values > 15.0
    z = run.position.values[late, 8, 2] + 50.0
    t = run.time.values[late]
    up = np.flatnonzero((z[:-1] < 0.0) & (z[1:] >= 0.0))
    crossings = t[up] - z[up] * (t[up + 1] - t[up]) / (z[up + 1] - z[up])
    found = 1.0 / np.diff(crossings).mean()
    amplitude = np.sqrt(2.0) * z.std()
    assert 0.2 * DIAMETER < amplitude < 2.0 * DIAMETER  # it vibrates across the flow, and drag limits it
    T = run.end_tension.sel(line="string", end="B").values[late].mean()
    # The current bows the string, and vibration lengthens it: its tension grows. Its own velocity, half that of the
    # current, makes the flow past it some 10 % faster, so that it vibrates at 0.16 of that flow and not at 0.18: the
    # lift turns by asin(0.02/0.08) against the velocity; a quarter of it acts as a spring: 1.2 % of the frequency.
    assert_allclose(found, f1 * np.sqrt(T / TENSION), rtol=0.02)
    energy = run.energy
    turned = float(energy.sel(term="work_loads").values[-1])
    assert turned > 0.0  # the lift drives the string
    assert abs(float(energy.sel(term="closure").values[-1])) < 1e-4 * turned


def test_bars_name_the_solver_that_sheds_vortices():
    with pytest.raises(InputError, match=r"vortex-induced lift.*'mixed_fem'"):
        rw.simulate(CASE, solver="constrained_implicit")


def test_lift_does_not_go_with_a_winch():
    system = rw.System.from_file(CASE).replace("lines.string.payout", {"end": "B", "rate": 0.01})
    with pytest.raises(InputError, match="cannot be combined with a winch"):
        rw.simulate(system)
