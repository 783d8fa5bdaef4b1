"""Modes and responses of nets: chains, membranes, and runs in time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import jn_zeros

from ropewalk import modes, response, simulate
from ropewalk.spec.system import System

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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


WET = {"gravity": G, "water_density": 1025.0, "depth": 50.0, "seabed": {"kind": "none"},
       "current": {"speed": 0.3, "heading": 70, "profile": {"kind": "power"}}}  # fmt: skip
SCREENED = {"force_model": "loland", "solidity": 0.25, "lower_sinker": 0.5}


def screened(cells: int, **more: Any) -> System:
    """The curtain 5 m deep in a sheared current, its drag by screens."""
    data = curtain(cells, **SCREENED).model_dump(mode="json", by_alias=True, exclude_unset=True)
    data["sections"]["twine"] = TWINE | {"mass": 0.03}
    down = [[x, y, z - 5.0] for x, y, z in data["nets"]["net"]["panel"]["corners"]]
    data["nets"]["net"]["panel"]["corners"] = down
    data["environment"] = WET
    return System.model_validate(data | more)


@pytest.mark.parametrize("model", ["loland", "aarsnes", "kristiansen_faltinsen"])
def test_stiffness_of_screens_is_the_slope_of_their_residual(model):
    """Central differences of the assembled residual; damping by that of a velocity of all nodes."""
    from ropewalk.analysis.linearise import linearise
    from ropewalk.methods.linear.assembly import assemble
    from ropewalk.methods.linear.equilibrium import moved

    system = screened(4).replace("nets.net.force_model", model)
    linear = linearise(system)
    case, unknowns, at = linear.model, linear.unknowns, linear.assembled
    assert at.screens is not None
    assert np.linalg.norm(at.screens.force) > 0.5  # N
    rng, h = np.random.default_rng(1), 1e-5
    step = np.where(np.isin(np.arange(unknowns.size), unknowns.tension), 0.0, rng.normal(size=unknowns.size))
    high, low = (
        assemble(case, unknowns, moved(case, unknowns, linear.place, at.S, sign * h * step)).residual
        for sign in (1, -1)
    )
    # h^2 of the third derivative, and round-off of forces of some newton over h
    assert_allclose((high - low) / (2 * h), at.K @ step, atol=1e-6 * np.abs(at.K @ step).max())
    v = (at.S @ step).reshape(-1, 3)
    high, low = (assemble(case, unknowns, linear.place, velocity=sign * h * v).residual for sign in (1, -1))
    force = np.setdiff1d(np.arange(unknowns.size), unknowns.tension)
    assert_allclose((high - low)[force] / (2 * h), (at.B @ step)[force], atol=1e-6 * np.abs(at.B @ step).max())


def test_response_of_screens_in_a_current_is_that_of_a_run():
    """As above, of points moved by 2 mm along the current; drag about it is all the damping there is."""
    motion = {"kind": "harmonic", "terms": [{"direction": [0, 1, 0], "amplitude": 0.002, "omega": 2.0}]}
    points = {name: {"position": [x, 0, -5], "joint": "moving", "motion": motion} for name, x in (("a", 0), ("b", 0.2))}
    data = screened(6).model_dump(mode="json", by_alias=True, exclude_unset=True) | {"points": points}
    data["nets"]["net"] |= {"held": "none", "fastened": {"upper_left": "a", "upper_right": "b"}}
    data["run"] = {"duration": 40, "solver": "constrained", "step": 0.005}
    system = System.model_validate(data)
    direct, run = response(system), simulate(system)
    lower = direct.sizes["knot"] - 1
    time, y = run.time.values, run.net_position.values[:, lower, 1]
    own = time >= time[-1] - 6 * np.pi  # six periods
    amplitude = 2.0 * np.trapezoid((y[own] - y[own].mean()) * np.exp(2.0j * time[own]), time[own]) / np.ptp(time[own])
    expected = direct.net_position.values[0, lower, 1]
    # the run shares the screens' drag as the elements do, but its twines hang from knots by halves: 1e-3 here
    assert abs(amplitude - expected) < 5e-3 * abs(expected)
    assert abs(expected) < 0.0019


def test_drag_of_screens_in_still_water_is_that_of_equal_work():
    r"""Least squares of b |u| u is 8/(3 pi) b |u|, of Gaussian motions sqrt(8/pi) b sigma, along the normal."""
    from ropewalk.analysis.linearise import linearise
    from ropewalk.methods.linear.drag import gaussian_screens, harmonic_screens
    from ropewalk.methods.linear.wet import wet_parts

    calm = {key: value for key, value in WET.items() if key != "current"}
    linear = linearise(screened(1).replace("environment", calm))
    panels = wet_parts(linear.model, linear.unknowns, linear.place, linear.assembled).panels
    s = 0.25
    b = 0.5 * 1025.0 * 0.2 * HEIGHT * (0.33 * s + 6.54 * s**2 - 4.88 * s**3)  # Loland's C_D along the normal
    speed = np.array([[0.0, 0.4, 0.0]])
    assert_allclose(harmonic_screens(panels, speed)[0, 1, 1], 8.0 / (3.0 * np.pi) * b * 0.4, rtol=1e-3)  # 32 phases
    spread = np.diag([0.0, 0.04, 0.0])[None]
    # the rule of the plane leaves 4e-3 where motions are in one direction
    assert_allclose(gaussian_screens(panels, spread)[0, 1, 1], np.sqrt(8.0 / np.pi) * b * 0.2, rtol=6e-3)


def test_cage_below_a_collar_has_modes():
    """Slack twines push with 1e-3 of their weight, those along the collar carry nothing: neither had an answer once."""
    from ropewalk import statics
    from ropewalk.analysis.linearise import linearise

    system = System.from_file(EXAMPLES / "cage_collar.yaml")
    eq = statics(system)
    assert np.count_nonzero(eq.state.net_tension == 0.0) > 5
    linear = linearise(eq)
    assert linear.rest.force < 1e-5  # N, of moorings that pull with some kN
    # drag of twines and bars is lumped in another way: 1e-3 of the radius
    assert_allclose(linear.place.body_position, eq.state.body_position, atol=0.0125)
    found = modes(linear, 6)
    assert np.all(found.stable)


def test_net_modes_are_drawn_and_written(tmp_path: Path):
    from ropewalk.io.netcdf import open_results, write
    from ropewalk.plot.modes import draw_modes

    found = modes(curtain(4), 3)
    assert found.sizes["knot"] == 10
    assert len(draw_modes(found).axes) == 3
    write(found, tmp_path / "modes.nc")
    assert_allclose(open_results(tmp_path / "modes.nc").net_position, found.net_position)
