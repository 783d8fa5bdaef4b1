"""Foils in a plane: closed forms at the rows of a table, and derivatives."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.model.foils import foil_rows
from ropewalk.physics.foil import coefficients, foil_force
from ropewalk.spec.foils import Foil

TABLE = {"angle": [-10, 0, 8, 14, 20, 40], "lift": [-0.6, 0.1, 0.7, 1.0, 0.9, 0.8],
         "drag": [0.06, 0.03, 0.05, 0.1, 0.3, 0.7], "moment": [0.02, -0.05, -0.06, -0.1, -0.2, -0.2]}  # fmt: skip
ROWS = foil_rows(Foil(area=2.0, coefficients=TABLE))
K, CHORD = 700.0, 0.8  # kg/m, m


def forces(a: float, b: float) -> np.ndarray:
    """Along, across and moment."""
    laws = coefficients(np.arctan2(b, a), ROWS, 0, ROWS.size)
    return np.array(foil_force(a, b, laws, K, CHORD))[:, 0]


def test_coefficients_are_those_of_the_table_at_its_rows():
    for k, angle in enumerate(TABLE["angle"]):
        found = coefficients(np.radians(angle), ROWS, 0, ROWS.size)
        for (value, _), name in zip(found, ("lift", "drag", "moment"), strict=True):
            assert_allclose(value, TABLE[name][k], atol=1e-14)  # round-off of the angle in radians


def test_lift_is_across_the_flow_and_drag_along_it():
    """At 14 deg and 3 m/s: F.u / |u| = k s^2 C_D, and C_L at right angles, towards the side that b counts to."""
    s, angle = 3.0, np.radians(14.0)
    along, across, moment = forces(s * np.cos(angle), s * np.sin(angle))
    assert_allclose(along * np.cos(angle) + across * np.sin(angle), K * s**2 * 0.1, rtol=1e-13)
    assert_allclose(across * np.cos(angle) - along * np.sin(angle), K * s**2 * 1.0, rtol=1e-13)
    assert_allclose(moment, K * CHORD * s**2 * -0.1, rtol=1e-13)


def test_no_flow_makes_no_force():
    assert np.array_equal(forces(0.0, 0.0), np.zeros(3))


def test_derivatives_are_those_of_the_forces():
    rng = np.random.default_rng(1)
    e = 1e-6  # m/s: truncation e^2 and round-off 1e-16/e meet near 1e-9 of the derivative
    for angle in rng.uniform(-np.pi, np.pi, 50):
        a, b = 2.0 * np.cos(angle), 2.0 * np.sin(angle)
        exact = np.array(foil_force(a, b, coefficients(np.arctan2(b, a), ROWS, 0, ROWS.size), K, CHORD))[:, 1:]
        by_a = (forces(a + e, b) - forces(a - e, b)) / (2.0 * e)
        by_b = (forces(a, b + e) - forces(a, b - e)) / (2.0 * e)
        assert_allclose(
            exact, np.stack([by_a, by_b], axis=1), atol=1e-6 * K
        )  # cubics have jumps of the second derivative
