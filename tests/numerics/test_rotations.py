"""Rotations against scipy, matrix exponentials, differences and the group laws."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from ropewalk.numerics import rotations as rot

EPS = np.finfo(float).eps
AXIS = np.array([0.36, -0.48, 0.8])
# zero, deep in the series, both sides of its bound 0.5, ordinary, next to pi
ANGLES = [0.0, 1e-9, 1e-3, 0.4999, 0.5001, 1.3, 3.0, np.pi - 1e-7]


def twist(angle: float) -> np.ndarray:
    return np.concatenate([[0.7, -1.1, 0.4], angle * AXIS])


def wedge(xi: np.ndarray) -> np.ndarray:
    m = np.zeros((4, 4))
    m[:3, :3] = rot.hat(xi[3:])
    m[:3, 3] = xi[:3]
    return m


def test_hat_is_the_cross_product():
    a, b = np.array([1.0, 2.0, -3.0]), np.array([0.5, -1.0, 4.0])
    assert_allclose(rot.hat(a) @ b, np.cross(a, b), rtol=0, atol=4 * EPS)
    assert_allclose(rot.cross(a, b), np.cross(a, b), rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("t", [1e-3, 0.3, 0.4999, 0.5001, 2.0, 7.0])
def test_angle_functions_against_rational_arithmetic(t):
    """The defining series, sum of (-t^2)^k / (2k + n)!, n = 1..5, in exact fractions."""
    x = Fraction(t * t)  # the double itself, no rounding
    exact = [float(sum((-x) ** k / factorial(2 * k + n) for k in range(30))) for n in (1, 2, 3, 4, 5)]
    # the chained divisions by t^2 > 0.25 amplify round-off by at most 6 * 20 in the last function
    assert_allclose(rot.angle_functions(t * t), exact, rtol=300 * EPS)


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_is_the_matrix_exponential(angle):
    w = angle * AXIS
    # expm squares and adds: some tens of round-offs
    assert_allclose(rot.exp_so3(w), expm(rot.hat(w)), rtol=0, atol=50 * EPS)
    assert_allclose(rot.exp_se3(twist(angle)), expm(wedge(twist(angle))), rtol=0, atol=100 * EPS)


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm_undoes_the_exponential(angle):
    w = angle * AXIS
    # next to pi the quaternion still gives the angle to round-off
    assert_allclose(rot.quaternion_log(rot.quaternion_from_matrix(rot.exp_so3(w))), w, rtol=0, atol=20 * EPS)


@pytest.mark.parametrize("angle", [0.0, 1e-3, 0.4999, 0.5001, 1.3, 3.0])
def test_inverse_tangent_map_takes_the_body_velocity_back(angle):
    """R^T dR/dt of R = exp(w) by central differences of fourth order is the skew matrix of the body velocity."""
    w, rate = angle * AXIS, np.array([-0.6, 0.4, 0.9])
    h = 1e-3

    def R(t: float) -> np.ndarray:
        return rot.exp_so3(w + t * rate)

    dR = (8 * (R(h) - R(-h)) - (R(2 * h) - R(-2 * h))) / (12 * h)
    skew = R(0.0).T @ dR
    body = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    # h^4 = 1e-12 times fifth derivatives of order 1, plus round-off eps/h; the inverse map is of order 1 below pi
    assert_allclose(rot.tangent_so3_inverse(w) @ body, rate, rtol=0, atol=1e-11)


def test_adjoint_carries_twists():
    """g exp(xi) g^-1 = exp(Ad_g xi)."""
    g, xi = rot.exp_se3(np.array([1.0, -2.0, 0.5, 0.3, 0.9, -1.2])), twist(0.8)
    moved = g @ rot.exp_se3(xi) @ rot.inverse_se3(g)
    assert_allclose(moved, rot.exp_se3(rot.adjoint_se3(g) @ xi), rtol=0, atol=50 * EPS)
    assert_allclose(rot.rigid(g[:3, :3], g[:3, 3]), g, rtol=0, atol=0)


def test_quaternions_agree_with_scipy_in_every_quarter():
    """scipy's Rotation, scalar last; random rotations and half turns about each axis."""
    rng = np.random.default_rng(7)
    samples = [*rng.normal(size=(50, 4)), *np.eye(4), *(np.eye(4) + 1e-9)]
    for raw in samples:
        q = rot.quaternion_normalise(np.asarray(raw, dtype=float))
        reference = Rotation.from_quat(q[[1, 2, 3, 0]])
        R = rot.quaternion_to_matrix(q)
        assert_allclose(R, reference.as_matrix(), rtol=0, atol=10 * EPS)
        back = rot.quaternion_from_matrix(R)
        assert back[0] >= 0.0
        assert_allclose(rot.quaternion_to_matrix(back), R, rtol=0, atol=20 * EPS)
        v = np.array([0.2, -1.0, 3.0])
        assert_allclose(rot.quaternion_rotate(q, v), R @ v, rtol=0, atol=30 * EPS)


def test_quaternion_product_is_the_matrix_product():
    a, b = (
        rot.quaternion_exp(np.array([0.3, 2.0, -0.4])),
        rot.quaternion_exp(np.array([-1.0, 0.1, 0.7])),
    )
    assert_allclose(
        rot.quaternion_to_matrix(rot.quaternion_product(a, b)),
        rot.quaternion_to_matrix(a) @ rot.quaternion_to_matrix(b),
        rtol=0,
        atol=20 * EPS,
    )
    one = rot.quaternion_product(a, rot.quaternion_conjugate(a))
    assert_allclose(one, [1, 0, 0, 0], rtol=0, atol=10 * EPS)


@pytest.mark.parametrize("angle", ANGLES)
def test_quaternion_exponential_and_logarithm(angle):
    w = angle * AXIS
    q = rot.quaternion_exp(w)
    assert_allclose(rot.quaternion_to_matrix(q), rot.exp_so3(w), rtol=0, atol=20 * EPS)
    assert_allclose(rot.quaternion_log(q), w, rtol=0, atol=20 * EPS)
    assert_allclose(rot.quaternion_log(-q), w, rtol=0, atol=20 * EPS)
