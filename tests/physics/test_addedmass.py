"""Added mass and fluid inertia."""

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.physics.addedmass import added_mass, fluid_inertia

T = np.array([2.0, -1.0, 2.0]) / 3.0
A = np.array([0.4, 1.1, -0.7])


def matrix(cn, ct, displaced=30.0):
    m = np.empty((3, 3))
    added_mass(T, displaced, cn, ct, m)
    return m


def test_eigenvalues_are_normal_twice_and_tangential():
    m = matrix(1.0, 0.25)
    assert_allclose(m, m.T, rtol=1e-15)
    assert_allclose(np.linalg.eigvalsh(m), [7.5, 30.0, 30.0], rtol=1e-13)
    assert_allclose(m @ T, 7.5 * T, rtol=1e-14)


def test_fluid_inertia_is_froude_krylov_plus_added_mass():
    """f = rho A a_w + M_a a_w."""
    f = np.empty(3)
    fluid_inertia(T, A, 30.0, 1.0, 0.25, f)
    assert_allclose(f, 30.0 * A + matrix(1.0, 0.25) @ A, rtol=1e-14)


def test_without_added_mass_the_force_is_the_whole_froude_krylov_vector():
    """Its part along the tangent included."""
    f = np.empty(3)
    fluid_inertia(T, A, 30.0, 0.0, 0.0, f)
    assert_allclose(f, 30.0 * A, rtol=1e-15)


def test_member_of_water_moving_with_the_water_needs_no_force():
    """m a = f - M_a a with m = rho A and a = a_w, for any coefficients."""
    f = np.empty(3)
    fluid_inertia(T, A, 30.0, 0.8, 0.3, f)
    assert_allclose(f - matrix(0.8, 0.3) @ A, 30.0 * A, rtol=1e-14)
