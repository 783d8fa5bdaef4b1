"""Screen forces on netting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.loads.screen import SCREEN, water_on_screen
from ropewalk.model.arrays import records
from ropewalk.physics.screens import AARSNES, KRISTIANSEN_FALTINSEN, LOLAND, screen_coefficients

SQUARE = [(0, 0, 0), (2, 0, 0), (2, 0, -1), (0, 0, -1)]


def force(kind, u, corners, solidity=0.25, twine=0.002, rho=1025.0):
    """Force, and the derivative of its drag by velocity."""
    screen = records(1, SCREEN)
    screen.kind, screen.solidity, screen.twine = kind, solidity, twine
    f, d = water_on_screen(screen[0], tuple(_tuple(c) for c in corners), _tuple(u), rho)
    return np.array(f), np.reshape(d, (3, 3))


def _tuple(x):
    return tuple(float(value) for value in x)


@pytest.mark.parametrize("kind", [LOLAND, AARSNES, KRISTIANSEN_FALTINSEN])
def test_flow_along_the_normal_gives_drag_alone(kind):
    """f = rho A CD u^2 / 2 along u, either way round."""
    drag, _ = screen_coefficients(kind, 0.0, 0.25, 0.002 * 0.7 / (1.05e-6 * 0.75))
    for sign in (1.0, -1.0):
        f, _ = force(kind, (0.0, 0.7 * sign, 0.0), SQUARE)
        assert_allclose(f, [0.0, sign * 0.5 * 1025.0 * 2.0 * drag * 0.49, 0.0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [LOLAND, AARSNES, KRISTIANSEN_FALTINSEN])
def test_lift_is_across_the_flow_towards_the_normal(kind):
    """In flow at 45 degrees to a screen the lift is across the flow, on the side of the lee normal."""
    u = np.array([0.5, 0.5, 0.0])
    f, _ = force(kind, u, SQUARE)
    along = f @ u / np.linalg.norm(u)
    lift = f - along * u / np.linalg.norm(u)
    drag, cl = screen_coefficients(kind, np.pi / 4, 0.25, 0.002 * np.linalg.norm(u) / (1.05e-6 * 0.75))
    assert_allclose(
        [along, lift[1] - lift[0]], 0.5 * 1025.0 * 2.0 * 0.5 * np.array([drag, np.sqrt(2.0) * cl]), rtol=1e-12
    )


def test_two_triangles_make_a_square_and_turning_it_turns_the_force():
    """Area by corners; the force turns with flow and screen."""
    whole, _ = force(LOLAND, (0.3, 0.6, 0.1), SQUARE)
    a, b, c, d = SQUARE
    halves = force(LOLAND, (0.3, 0.6, 0.1), (a, b, c, c))[0] + force(LOLAND, (0.3, 0.6, 0.1), (a, c, d, d))[0]
    assert_allclose(halves, whole, rtol=1e-12)
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turned, _ = force(LOLAND, turn @ [0.3, 0.6, 0.1], [turn @ p for p in SQUARE])
    assert_allclose(turned, turn @ whole, rtol=1e-11)


def test_the_derivative_is_that_of_the_drag_at_constant_angle():
    """Scaling the flow scales the force by the square: D u = 2 f along u."""
    u = np.array([0.1, 0.6, 0.2])
    f, d = force(LOLAND, u, SQUARE)
    assert_allclose(u @ d @ u, 2.0 * u @ f, rtol=1e-12)


def test_no_flow_and_no_area_give_no_force():
    assert_allclose(force(LOLAND, (0, 0, 0), SQUARE)[0], 0.0)
    assert_allclose(force(LOLAND, (0, 1, 0), [(0, 0, 0)] * 4)[0], 0.0)
