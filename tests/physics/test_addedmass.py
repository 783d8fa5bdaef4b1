"""Added mass and fluid inertia."""

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.physics.addedmass import added_mass, water_inertia

T = (2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0)
A = (0.4, 1.1, -0.7)
REST = (0.0, 0.0, 0.0)


def matrix(cn, ct, displaced=30.0):
    return np.reshape(added_mass(T, displaced * cn, displaced * ct), (3, 3))


def force(aw, a, cn, ct, displaced=30.0):
    return np.array(water_inertia(T, aw, a, displaced, displaced * cn, displaced * ct))


def test_eigenvalues_are_normal_twice_and_tangential():
    m = matrix(1.0, 0.25)
    assert_allclose(m, m.T, rtol=1e-15)
    assert_allclose(np.linalg.eigvalsh(m), [7.5, 30.0, 30.0], rtol=1e-13)
    assert_allclose(m @ T, 7.5 * np.array(T), rtol=1e-14)


def test_fluid_inertia_is_froude_krylov_plus_added_mass():
    """f = rho A a_w + M_a (a_w - a)."""
    assert_allclose(force(A, REST, 1.0, 0.25), 30.0 * np.array(A) + matrix(1.0, 0.25) @ A, rtol=1e-14)
    assert_allclose(force(REST, A, 1.0, 0.25), -matrix(1.0, 0.25) @ A, rtol=1e-14)


def test_without_added_mass_the_force_is_the_whole_froude_krylov_vector():
    """Its part along the tangent included."""
    assert_allclose(force(A, REST, 0.0, 0.0), 30.0 * np.array(A), rtol=1e-15)


def test_member_of_water_moving_with_the_water_needs_no_force():
    """m a = f with m = rho A and a = a_w, for any coefficients."""
    assert_allclose(force(A, A, 0.8, 0.3), 30.0 * np.array(A), rtol=1e-14)
