"""Drag linearised for large motions against closed forms and random sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.methods.linear.drag import (
    Members,
    gaussian_drag,
    gaussian_drag_ball,
    harmonic_drag,
    harmonic_drag_ball,
    plain_members,
)
from ropewalk.physics.drag_law import CONSTANT, Coefficient, pack_law

B, BT = 7.0, 2.0


def member(flow: Any = (0.0, 0.0, 0.0)) -> Members:
    return plain_members(np.array([flow], float), np.array([[0.0, 0.0, 1.0]]), np.array([B]), np.array([BT]))


def test_harmonic_motion_in_one_direction() -> None:
    """8/(3 pi) b u along the motion, the same energy; the mean of b |u|, 2/pi, across it."""
    C = harmonic_drag(member(), np.array([[1.5j, 0.0, 0.0]]))[0]
    assert_allclose(C[0, 0], 8.0 / (3.0 * np.pi) * B * 1.5, rtol=2e-3)  # 32 phases of |cos|^3
    assert_allclose(C[1, 1], 2.0 / np.pi * B * 1.5, rtol=5e-3)
    assert_allclose(C[2, 2], 0.0, atol=1e-12)
    along = harmonic_drag(member(), np.array([[0.0, 0.0, 2.0]]))[0]
    assert_allclose(along[2, 2], 8.0 / (3.0 * np.pi) * BT * 2.0, rtol=2e-3)


def test_gaussian_motion_in_one_direction() -> None:
    """sqrt(8/pi) b sigma [Borgman1967]; sqrt(2/pi) b sigma across."""
    C = gaussian_drag(member(), np.diag([0.8**2, 0.0, 0.3**2])[None])[0]
    assert_allclose(C[0, 0], np.sqrt(8.0 / np.pi) * B * 0.8, rtol=1e-2)
    assert_allclose(C[1, 1], np.sqrt(2.0 / np.pi) * B * 0.8, rtol=1e-2)
    assert_allclose(C[2, 2], np.sqrt(8.0 / np.pi) * BT * 0.3, rtol=1e-9)


def test_round_gaussian_motion() -> None:
    """3/2 sqrt(pi/2) b sigma in both directions of the plane: half of three times the mean radius."""
    C = gaussian_drag(member(), np.diag([0.25, 0.25, 0.0])[None])[0]
    assert_allclose(C[0, 0], 1.5 * np.sqrt(np.pi / 2.0) * B * 0.5, rtol=1e-3)
    assert_allclose(C[1, 1], C[0, 0], rtol=1e-9)


def test_small_motions_feel_the_slope_about_the_current() -> None:
    """2 b U along the current, b U across it, for both kinds of motion and for a ball."""
    flow = (0.6, 0.0, 0.0)
    exact = np.diag([2.0 * B * 0.6, B * 0.6, 0.0])
    assert_allclose(harmonic_drag(member(flow), np.array([[1e-4, 2e-4j, 0.0]]))[0], exact, atol=1e-3 * B)
    assert_allclose(gaussian_drag(member(flow), 1e-8 * np.eye(3)[None])[0], exact, atol=1e-3 * B)
    ball = np.diag([2.0, 1.0, 1.0]) * B * 0.6
    assert_allclose(gaussian_drag_ball(member(flow).flow, np.array([B]), 1e-8 * np.eye(3)[None])[0], ball, atol=1e-2)
    small = np.array([[1e-4, 1e-4j, 1e-4]])
    assert_allclose(harmonic_drag_ball(member(flow).flow, np.array([B]), small)[0], ball, atol=1e-2)


def test_gaussian_motion_with_current_by_random_sampling() -> None:
    """Least squares over 4e5 draws of an elliptic motion on a current."""
    rng = np.random.default_rng(5)
    root = np.array([[0.5, 0.0], [0.2, 0.3]])
    u = rng.standard_normal((400_000, 2)) @ root.T
    whole = u + np.array([0.3, -0.2])
    f = B * np.linalg.norm(whole, axis=1)[:, None] * whole
    exact = (f - f.mean(axis=0)).T @ u @ np.linalg.inv(u.T @ u)
    covariance = np.zeros((1, 3, 3))
    covariance[0, :2, :2] = root @ root.T
    C = gaussian_drag(member((0.3, -0.2, 0.0)), covariance)[0]
    assert_allclose(C[:2, :2], exact, atol=0.01 * exact[0, 0])  # scatter of the draws 0.3 %


def lawful(flow: Any = (0.0, 0.0, 0.0)) -> Members:
    """The member with the same coefficients as a law of constants: C_n = 1, C_t = 1."""
    law = pack_law(Coefficient(CONSTANT, 1.0), Coefficient(CONSTANT, 1.0), Coefficient(), 1.0)
    return member(flow)._replace(law=np.array([law]), width=np.array([1.0]))


def test_a_law_of_constants_is_linearised_as_the_constants() -> None:
    """Harmonic motion across and along, with and without current; Gaussian by its own samples in space."""
    for flow in ((0.0, 0.0, 0.0), (0.7, -0.2, 0.4)):
        amplitude = np.array([[0.5 + 0.2j, -0.3j, 0.4]])
        one, two = harmonic_drag(lawful(flow), amplitude), harmonic_drag(member(flow), amplitude)
        # least squares in space see the couplings between across and along that the two parts alone leave out
        S = np.real(amplitude[0][:, None] * np.conj(amplitude[0])) / 2.0
        phase = np.exp(-2j * np.pi * (np.arange(4096) + 0.5) / 4096)
        u = np.real(amplitude * phase[:, None])
        f = exact(u + flow)
        best = (f.T @ u / 4096) @ np.linalg.pinv(S, rcond=1e-9)
        # in the plane of the motion: 32 phases leave 1e-4
        plane = S @ np.linalg.pinv(S, rcond=1e-9)
        assert_allclose(one[0] @ plane, best, atol=2e-3 * np.abs(two).max())
        spread = np.array([np.diag([0.3, 0.2, 0.25])])
        one, two = gaussian_drag(lawful(flow), spread), gaussian_drag(member(flow), spread)
        # rules in a plane with 4e-3 and along with a kink that a mean flow moves off the middle
        assert_allclose(one, two, atol=2e-2 * np.abs(two).max())


def exact(u: np.ndarray) -> np.ndarray:
    """b_n |u_n| u_n + b_t |u_t| u_t about the axis z."""
    across = u * [1.0, 1.0, 0.0]
    along = u * [0.0, 0.0, 1.0]
    return B * np.linalg.norm(across, axis=1)[:, None] * across + BT * np.abs(u[:, 2])[:, None] * along
