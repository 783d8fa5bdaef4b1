"""Drag coefficients by angle and Reynolds number: elements, bars and shooting at rest and in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import modes, simulate, statics
from ropewalk.io.native import read_text

EXAMPLE = (Path(__file__).resolve().parents[2] / "examples" / "drag_by_angle.yaml").read_text()
MOORED = """
ropewalk: 1
environment: {gravity: 9.81, water_density: 1025, depth: 60, seabed: {kind: none}, current: {speed: 1.1, heading: 35}}
sections:
  cable:
    diameter: 0.05
    mass: 4.0
    axial_stiffness: 4.0e6
    drag:
      normal: {angle: [0, 30, 90], reynolds: [1.0e+4, 1.0e+6], value: [[1.3, 0.7], [1.3, 0.6], [1.2, 0.4]]}
      tangential: {reynolds: [1.0e+4, 1.0e+6], value: [0.06, 0.02]}
      along_flow: {law: sine, value: 0.3}
points:
  a: {position: [0, 0, -50]}
  b: {position: [60, 10, -5]}
lines:
  cable: {from: a, to: b, elements: 40, pieces: [{section: cable, length: 90}]}
run: {duration: 1}
"""


def test_example_hangs_at_its_angle_by_every_method() -> None:
    """Straight at sin^2/cos = w / (1/2 rho d C U^2): shooting to 1e-9, elements and bars exactly as straight."""
    w = 9.81 * (0.9 - 1025.0 * np.pi * 1e-4)
    k = w / (0.5 * 1025.0 * 0.02 * 1.2 * 1.5**2)
    cosine = 0.5 * (np.sqrt(k * k + 4.0) - k)  # of the angle of attack: 1 - c^2 = k c
    found = {}
    for method in ("shooting", "fem", "bars_statics"):
        tail = statics(read_text(EXAMPLE), method).state.point_position[1]
        found[method] = np.arctan2(tail[0], -1.0 - tail[2])
    for method, angle in found.items():
        assert_allclose(np.sin(angle), cosine, atol=1e-7, err_msg=method)


def test_elements_tend_to_shooting_with_second_order() -> None:
    exact = statics(read_text(MOORED), "shooting").state.end_force[0]
    miss = [
        np.abs(statics(read_text(MOORED.replace("elements: 40", f"elements: {n}")), "fem").state.end_force[0] - exact)
        for n in (20, 40)
    ]
    scale = np.abs(exact).max()
    assert miss[1].max() < 2e-3 * scale
    assert miss[0].max() / miss[1].max() == pytest.approx(4.0, rel=0.25)


def test_a_run_stays_at_the_rest_of_statics() -> None:
    """The equilibrium of elements under the law is one of the time steps too."""
    text = MOORED.replace("run: {duration: 1}", "run: {duration: 1, start: equilibrium}")
    rest = statics(read_text(text), "fem").state
    run = simulate(read_text(text), solver="mixed_fem", duration=2.0)
    # it starts at rest and stays there: what moves it is the tolerance of the steps
    assert_allclose(run.end_force.values[-1], rest.end_force, atol=1e-4 * np.abs(rest.end_force).max())


def test_modes_take_the_slope_of_the_law_at_rest() -> None:
    """A law of constants C_n = 1.2, C_t = 0.05 has the modes of the constants."""
    plain = MOORED[: MOORED.index("    drag:")] + "    drag: {normal: 1.2, tangential: 0.05}\n" + MOORED[
        MOORED.index("points:") :]  # fmt: skip
    table = plain.replace("normal: 1.2,", "normal: {reynolds: [1.0e+4, 1.0e+6], value: [1.2, 1.2]},")
    one, two = (modes(read_text(text), 4) for text in (plain, table))
    assert_allclose(two.damping, one.damping, rtol=1e-6)
    assert_allclose(two.omega, one.omega, rtol=1e-8)


def test_a_section_with_a_law_may_leave_its_added_mass_out() -> None:
    """The doubt about what was not given quotes numbers only: a drag that is a table has none."""
    (doubt,) = (one for one in statics(read_text(MOORED), "fem").start_doubts if one.code == "defaulted-coefficients")
    assert "added_mass normal 1" in doubt.sentence and "drag" not in doubt.sentence
