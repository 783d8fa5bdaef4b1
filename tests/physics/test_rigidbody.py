"""Inertia of rigid bodies: identities of mechanics, and the derivatives that Newton's method needs."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.numerics.blockelimination import onto
from ropewalk.numerics.rotations import exp_so3, quaternion_exp, quaternion_to_matrix, tangent_so3_inverse
from ropewalk.physics.rigidbody import (
    about_origin,
    arm_derivatives,
    arm_rates,
    attitude,
    inertia_terms,
    kinetic_energy,
    nine,
    turned,
)

MASSES = np.array([2.0, 1.0, 3.0, 0.5])
PLACES = np.array([[1.0, 0.2, -0.3], [-0.4, 0.9, 0.1], [0.3, -0.8, 0.7], [0.0, 0.5, -1.2]])
MASS = float(MASSES.sum())
CENTRE = MASSES @ PLACES / MASS
BASE = quaternion_exp(np.array([0.4, -0.7, 0.2]))


def own_inertia() -> np.ndarray:
    """Of the point masses about their centre."""
    d = PLACES - CENTRE
    return sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(MASSES, d, strict=True))


INERTIA = about_origin(MASS, CENTRE, own_inertia())
BODY = (tuple(CENTRE), tuple(INERTIA.ravel()))


def pose(psi: np.ndarray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return attitude(BASE, psi)


def test_inertia_about_the_origin_is_that_of_its_points():
    """J = sum m (r^2 1 - r r^T)."""
    points = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(MASSES, PLACES, strict=True))
    assert_allclose(INERTIA, points, rtol=1e-14, atol=1e-14)  # a few roundings


def test_kinetic_energy_is_that_of_the_points():
    """T = sum m v^2 / 2."""
    R, _ = pose(np.zeros(3))
    v, omega = np.array([0.3, -1.2, 0.5]), np.array([0.7, 0.4, -0.9])
    world = PLACES @ np.array(R).reshape(3, 3).T
    speeds = v + np.cross(omega, world)
    expected = 0.5 * MASSES @ np.sum(speeds**2, axis=1)
    energy = kinetic_energy(MASS, *BODY, tuple(v), tuple(omega), R)
    assert_allclose(energy, expected, rtol=1e-13)


def test_inertia_force_is_that_of_the_points():
    """Force sum m a and moment sum r x m a of points that move with the body."""
    R, Z = pose(np.zeros(3))
    a, omega, alpha = np.array([0.1, 0.8, -0.4]), np.array([0.7, 0.4, -0.9]), np.array([-0.2, 1.1, 0.6])
    world = PLACES @ np.array(R).reshape(3, 3).T
    forces = MASSES[:, None] * (a + np.cross(alpha, world) + np.cross(omega, np.cross(omega, world)))
    block = np.zeros((6, 7))
    zero = (0.0, 0.0, 0.0)
    inertia_terms(MASS, *BODY, zero, tuple(a), tuple(omega), tuple(alpha), R, Z, 0.0, 0.0,
                  0.0, block)  # fmt: skip
    assert_allclose(block[:3, 6], forces.sum(axis=0), rtol=1e-12)
    assert_allclose(block[3:, 6], np.cross(world, forces).sum(axis=0), rtol=1e-12)


def step(theta: np.ndarray, psi: np.ndarray, rate: np.ndarray, spin: np.ndarray, bp: float, gp: float):
    """Turn, angular velocity and acceleration (world) after Newton's world rotation theta."""
    R = np.array(pose(psi)[0]).reshape(3, 3)
    d = tangent_so3_inverse(psi) @ (R.T @ theta)
    R, Z = pose(psi + d)
    return R, Z, onto(R, tuple(rate + gp * d)), onto(R, tuple(spin + bp * d))


def differences(function, size: int = 3) -> np.ndarray:
    """Central differences of a vector function at zero."""
    e = 1e-5  # truncation e^2 and round-off 1e-16/e meet near 1e-10 of the derivative
    columns = [(function(e * row) - function(-e * row)) / (2.0 * e) for row in np.eye(size)]
    return np.stack(columns, axis=1)


PSI, RATE, SPIN = np.array([0.3, -0.2, 0.4]), np.array([0.5, 0.9, -0.3]), np.array([1.2, -0.4, 0.8])


def test_arm_derivatives_are_those_by_differences():
    arm = np.array([0.4, -0.3, 1.1])
    bp, gp = 30.0, 7.0

    def rates(theta: np.ndarray) -> np.ndarray:
        R, _, omega, alpha = step(theta, PSI, RATE, SPIN, bp, gp)
        return np.concatenate(arm_rates(onto(R, tuple(arm)), omega, alpha))

    R, Z, omega, alpha = step(np.zeros(3), PSI, RATE, SPIN, bp, gp)
    dv, da = arm_derivatives(onto(R, tuple(arm)), omega, alpha, Z, bp, gp)
    found = np.concatenate([np.array(dv).reshape(3, 3), np.array(da).reshape(3, 3)])
    assert_allclose(found, differences(rates), rtol=1e-7, atol=1e-7)


def test_inertia_derivatives_are_those_by_differences():
    """Of force and moment by position and world rotation, with mass-proportional damping."""
    v, a = np.array([0.6, -0.1, 0.3]), np.array([0.2, 1.4, -0.7])
    bp, gp, damping = 30.0, 7.0, 0.4

    def terms(x: np.ndarray, theta: np.ndarray) -> np.ndarray:
        R, Z, omega, alpha = step(theta, PSI, RATE, SPIN, bp, gp)
        block = np.zeros((6, 7))
        inertia_terms(MASS, *BODY, tuple(v + gp * x), tuple(a + bp * x), omega, alpha, R, Z,
                      damping, bp, gp, block)  # fmt: skip
        return block

    found = terms(np.zeros(3), np.zeros(3))[:, :6]
    by_x = differences(lambda x: terms(x, np.zeros(3))[:, 6])
    by_theta = differences(lambda theta: terms(np.zeros(3), theta)[:, 6])
    assert_allclose(found, np.concatenate([by_x, by_theta], axis=1), rtol=1e-7, atol=1e-6)


def test_turns_compose_as_rotations():
    """R exp(psi), and a quaternion of unit length."""
    q = turned(BASE, PSI)
    assert_allclose(quaternion_to_matrix(q), quaternion_to_matrix(BASE) @ exp_so3(PSI), atol=1e-14)
    assert_allclose(np.linalg.norm(q), 1.0, atol=1e-15)
    assert_allclose(pose(PSI)[0], nine(quaternion_to_matrix(q)), atol=1e-14)
