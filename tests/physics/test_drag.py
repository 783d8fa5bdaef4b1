"""Morison drag and its derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics.drag import drag, drag_by_tangent, drag_by_velocity

T = np.array([2.0, -1.0, 2.0]) / 3.0
BN, BT = 37.0, 11.0


def force(u, t, bn=BN, bt=BT):
    return np.array(drag(_tuple(u), _tuple(t), bn, bt)[0])


def derivatives(u, t):
    """Force, and its derivatives by relative velocity and by tangent."""
    u, t = _tuple(u), _tuple(t)
    f, parts = drag(u, t, BN, BT)
    return np.array(f), *(np.reshape(A, (3, 3)) for A in (drag_by_velocity(t, parts), drag_by_tangent(u, t, parts)))


def _tuple(x):
    return tuple(float(value) for value in x)


def test_cross_flow_and_axial_flow_by_hand():
    """0.5 rho c d u^2 across, 0.5 rho c pi d u^2 along."""
    bn, bt = 0.5 * 1025.0 * 1.2 * 0.1, 0.5 * 1025.0 * 0.05 * np.pi * 0.1
    assert_allclose(force([2.0, 0, 0], [0, 0, 1.0], bn, bt), [0.5 * 1025 * 1.2 * 0.1 * 4, 0, 0], rtol=1e-15)
    assert_allclose(force([0, 0, -3.0], [0, 0, 1.0], bn, bt), [0, 0, -0.5 * 1025 * 0.05 * np.pi * 0.1 * 9], rtol=1e-15)


def test_inclined_flow_splits_by_angle():
    """Normal part b_n u^2 sin^2, tangential part b_t u^2 cos^2."""
    angle = 0.7
    f = force([0.0, 1.5, 0.0], [0.0, np.cos(angle), np.sin(angle)])
    normal, along = f @ [0, np.sin(angle), -np.cos(angle)], f @ [0, np.cos(angle), np.sin(angle)]
    assert_allclose([normal, along], [BN * 2.25 * np.sin(angle) ** 2, BT * 2.25 * np.cos(angle) ** 2], rtol=1e-14)


def test_reversing_the_tangent_changes_nothing_and_reversing_the_flow_the_sign():
    u = np.array([0.3, -1.2, 0.8])
    assert_allclose(force(u, -T), force(u, T), rtol=1e-15)
    assert_allclose(force(-u, T), -force(u, T), rtol=1e-15)


def test_force_turns_with_the_frame():
    """f(R u, R t) = R f(u, t)."""
    rotation, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
    u = np.array([0.3, -1.2, 0.8])
    assert_allclose(force(rotation @ u, rotation @ T), rotation @ force(u, T), rtol=1e-13)


@pytest.mark.parametrize("u", [(0.3, -1.2, 0.8), (-2.0, 0.1, 0.4), (1e-3, 2e-3, -1e-3)])
def test_derivatives_match_differences(u):
    """Central differences; the tangent is moved as a unit vector, so only that part is compared."""
    u = np.array(u)
    f, du, dt = derivatives(u, T)
    assert_allclose(f, force(u, T), rtol=1e-14)
    h = 1e-6 * np.linalg.norm(u)
    by_u = np.stack([(force(u + e, T) - force(u - e, T)) / (2 * h) for e in h * np.eye(3)], axis=1)
    # h^2 of the third derivative over the value: 1e-12; round-off 1e-16 / 1e-6
    assert_allclose(du, by_u, atol=1e-8 * np.abs(du).max())

    def unit(e):
        return (T + e) / np.linalg.norm(T + e)

    step = 1e-6
    by_t = np.stack([(force(u, unit(e)) - force(u, unit(-e))) / (2 * step) for e in step * np.eye(3)], axis=1)
    assert_allclose(dt @ (np.eye(3) - np.outer(T, T)), by_t, atol=1e-8 * np.abs(dt).max())


@pytest.mark.parametrize("u", [np.zeros(3), 2.0 * T])
def test_derivatives_are_finite_without_cross_flow(u):
    _, du, dt = derivatives(u, T)
    assert np.isfinite(du).all()
    assert np.isfinite(dt).all()
    # cross flow of round-off size is allowed: 1e-16 of bn |u|
    assert_allclose(du, 2 * BT * abs(u @ T) * np.outer(T, T), atol=1e-12)
