"""Modes and responses of nets: chains, membranes, and runs in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import jn_zeros

from ropewalk import modes, response, simulate
from ropewalk.errors import InputError
from ropewalk.spec.system import System

G = 9.81
TWINE = {"diameter": 0.004, "mass": 0.01, "axial_stiffness": "inextensible", "drag": 0, "added_mass": 0}
DRY = {"gravity": G, "water_density": 0.0, "seabed": {"kind": "none"}}
HEIGHT = 2.0  # m


def curtain(cells: int, **more: Any) -> System:
    """A strip of netting one mesh wide that hangs from its upper edge."""
    panel = {"kind": "rectangle", "corners": [[0, 0, 0], [0.2, 0, 0], [0.2, 0, -HEIGHT], [0, 0, -HEIGHT]]}
    net = {"panel": panel, "section": "twine", "bar_length": 0.2, "cells": [1, cells], "held": "upper"}
    return System.model_validate({"environment": DRY, "sections": {"twine": TWINE}, "nets": {"net": net | more}})


def test_curtain_swings_as_a_hanging_chain():
    r"""\omega = j_{0,k}/2 \sqrt{g/L}, three times each: both columns to and fro, alike and opposed, and along."""
    exact = np.repeat(jn_zeros(0, 2) / 2.0 * np.sqrt(G / HEIGHT), 3)
    errors = [np.abs(modes(curtain(n), 6).omega.values - exact) / exact for n in (10, 20, 40)]
    # elements of a chain are of second order; the second mode has eight times the curvature
    assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.1)
    assert_allclose(np.log2(errors[1] / errors[2]), 2.0, atol=0.05)
    assert errors[2].max() < 3e-3


def membrane(n: int, strain: float = 1e-3) -> System:
    """A square of 1 m between held edges, n cells wide, of twine that is stretched by `strain`."""
    h = 1.0 / n
    ends = {0, n}
    places = [(i, j) for i in range(n + 1) for j in range(n + 1) if not {i, j} <= ends]
    number = {place: k for k, place in enumerate(places)}
    edge = [k for (i, j), k in number.items() if {i, j} & ends]
    steps = [((i, j), (i + a, j + b)) for i, j in places for a, b in ((1, 0), (0, 1)) if (i + a, j + b) in number]
    inner = [(number[p], number[q]) for p, q in steps if number[p] not in edge or number[q] not in edge]
    twines = [[a, b, h / (1.0 + strain)] for a, b in inner]
    panel = {"kind": "knots", "knots": [[i * h, j * h, 0] for i, j in number], "twines": twines, "upper": edge}
    section = TWINE | {"axial_stiffness": 1e5}
    net = {"panel": panel, "section": "twine", "bar_length": h, "held": "upper"}
    return System.model_validate(
        {"environment": DRY | {"gravity": 0.0}, "sections": {"twine": section}, "nets": {"net": net}}
    )


def test_taut_net_is_a_membrane():
    r"""\omega^2 = T/(2 m h^2) 4 (\sin^2(p\pi/2n) + \sin^2(q\pi/2n)); as n grows T/(2m) \pi^2 (p^2 + q^2)/a^2."""
    tension, limit = 1e5 * 1e-3, np.sqrt(100.0 / 0.02 * np.pi**2 * np.array([2.0, 5.0, 5.0, 8.0]))
    errors = []
    for n in (6, 12):
        found = modes(membrane(n), 4)
        waves = np.sin(np.pi * np.array([[1, 1], [1, 2], [2, 1], [2, 2]]) / (2.0 * n)) ** 2
        mass = 2.0 * 0.01 / (n * 1.001)  # of the twines at a knot, unstretched
        exact = np.sqrt(4.0 * tension * n / mass * waves.sum(axis=1))
        assert_allclose(found.omega, exact, rtol=1e-6)  # eigenvalues by shifts: 1e-8 of the stiff directions
        assert set(found.dominant.values) == {"net z"}
        errors.append(np.abs(found.omega.values - limit * np.sqrt(1.001)) / limit)
    assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.1)


def shaken(cells: int) -> System:
    """A curtain on two points that shake it across by 2 mm."""
    motion = {"kind": "harmonic", "terms": [{"direction": [0, 1, 0], "amplitude": 0.002, "omega": 4.0}]}
    points = {name: {"position": [x, 0, 0], "joint": "moving", "motion": motion} for name, x in (("a", 0), ("b", 0.2))}
    data = curtain(cells).model_dump(mode="json", by_alias=True, exclude_unset=True) | {"points": points}
    data["nets"]["net"] |= {"held": "none", "fastened": {"upper_left": "a", "upper_right": "b"}}
    data["run"] = {"duration": 40, "damping": 0.6, "solver": "constrained", "step": 0.01}
    return System.model_validate(data)


def test_response_is_that_of_a_run_with_small_motions():
    """Amplitude of the lower edge, after 40 s at a damping of 0.3 1/s, by the Fourier sum of the last ten periods."""
    system = shaken(6)
    direct = response(system)
    lower = direct.sizes["knot"] - 1  # the last knot of the last row
    run = simulate(system)
    time, y = run.time.values, run.net_position.values[:, lower, 1]
    own = time >= time[-1] - 10 * 2.0 * np.pi / 4.0
    amplitude = 2.0 * np.trapezoid(y[own] * np.exp(4.0j * time[own]), time[own]) / np.ptp(time[own])
    expected = direct.net_position.values[0, lower, 1]
    # the first 40 s leave exp(-12) of the start; steps of 10 ms err by (omega h)^2/12 of the highest mode that counts
    assert abs(amplitude - expected) < 5e-3 * abs(expected)


def test_nets_with_screens_are_refused():
    with pytest.raises(InputError, match="force_model: morison"):
        modes(curtain(3, force_model="loland"))


def test_net_modes_are_drawn_and_written(tmp_path: Path):
    from ropewalk.io.netcdf import open_results, write
    from ropewalk.plot.modes import draw_modes

    found = modes(curtain(4), 3)
    assert found.sizes["knot"] == 10
    assert len(draw_modes(found).axes) == 3
    write(found, tmp_path / "modes.nc")
    assert_allclose(open_results(tmp_path / "modes.nc").net_position, found.net_position)
