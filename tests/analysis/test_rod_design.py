"""Inverse design: exact sensitivities, walks that hold the head, targets."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import boxed, build, helix_fields, snake_fields
from ropewalk.analysis.rod_design import (
    _changed,
    balance,
    basis_functions,
    curvature_norm,
    curvature_of,
    reach_shape,
    reach_stiffness,
    reach_trim,
    uncoil,
)
from ropewalk.analysis.stability import all_equilibria
from ropewalk.methods.rods.afloat import equilibrium
from ropewalk.model.rods import RodFields


@pytest.fixture(scope="module")
def helix():
    rod = build(helix_fields())
    return rod, [state.pose for state in all_equilibria(rod).states if state.stable]


def with_ballast() -> RodFields:
    plain = snake_fields()
    return RodFields(plain.length, plain.kappa, plain.sections, plain.line_mass, point_masses=((0.3, 0.2), (1.0, 0.1)))


CASES = {
    "helix": (helix_fields(), True),
    "snake in slices": (snake_fields(), False),
    "ballasted": (with_ballast(), True),
    "box": (boxed(snake_fields()), True),
}


@pytest.mark.parametrize(("fields", "curved"), CASES.values(), ids=list(CASES))
def test_sensitivity_is_the_derivative_of_the_balance(fields, curved):
    """Every parameter of five functions, fourth-order differences, at a pose that is no equilibrium."""
    rod = build(fields, curved=curved)
    up = np.array([0.2, -0.3, 0.933])
    up /= np.linalg.norm(up)
    heave = -float(up @ rod.centre)
    basis = basis_functions(rod, 5)
    exact = balance(rod, up, heave, basis).jacobian
    h = 1e-4
    for parameter in range(15):
        e = np.zeros(15)
        e[parameter] = h
        one, two = (
            balance(_changed(rod, basis, k * e), up, heave, basis).residual
            - balance(_changed(rod, basis, -k * e), up, heave, basis).residual
            for k in (1, 2)
        )
        # h^4 terms, and quadrature noise of 1e-12 over h
        assert_allclose((8 * one - two) / (12 * h), exact[:, parameter], rtol=0, atol=1e-7 * np.abs(exact).max())


def test_basis_is_orthonormal_along_the_rod():
    rod = build(snake_fields())
    basis = basis_functions(rod, 6)
    ds = rod.panels.weight * rod.panels.half[:, None] / rod.length
    assert_allclose(np.einsum("jkq,ikq,kq->ji", basis, basis, ds), np.eye(6), rtol=0, atol=1e-13)


def test_uncoiling_the_helix_by_three_holds_the_head(helix):
    """Herault 2020, sec. 6.3: 6000 steps and 1e-4 there; at most 60 steps and 1e-10 here."""
    rod, poses = helix
    walk = uncoil(rod, poses[0], 3.0, most=60)
    assert walk.reached
    assert curvature_norm(walk.rod) <= curvature_norm(rod) / 3
    assert len(walk.steps) <= 60
    assert max(step.residual for step in walk.steps) < 1e-12
    assert min(step.stability for step in walk.steps) > 0.0
    # found again from a pose half a degree off, by the search that knows nothing of the walk
    again = equilibrium(walk.rod, poses[0].up + np.array([0.006, -0.005, 0.0]))
    assert_allclose(again.up, poses[0].up, rtol=0, atol=1e-10)
    assert_allclose(again.heave, poses[0].heave, rtol=0, atol=1e-10 * rod.length)


def test_the_other_stable_state_cannot_be_uncoiled_that_far(helix):
    """A real end of the branch: reported, with the head still held."""
    rod, poses = helix
    walk = uncoil(rod, poses[1], 3.0)
    assert not walk.reached
    assert "the walk ends at |kappa| L = 5.6" in walk.message
    assert walk.steps[-1].residual < 1e-12


def test_reach_shape_comes_back_to_the_start(helix):
    """After a partial uncoiling the old curvature is a shape that floats with the same head."""
    rod, poses = helix
    bent = uncoil(rod, poses[0], 1.2).rod
    back = reach_shape(bent, poses[0], curvature_of(rod), step=0.5)
    gap = curvature_norm(rod, curvature_of(back.rod) - curvature_of(rod))
    first = curvature_norm(rod, curvature_of(bent) - curvature_of(rod))
    assert gap < 0.02 * first
    assert back.steps[-1].residual < 1e-12


def test_reach_trim_puts_the_head_where_it_is_wished():
    rod = build(snake_fields())
    pose = equilibrium(rod)
    up = pose.up + np.array([0.05, 0.03, 0.0])
    walk = reach_trim(rod, pose, up, pose.heave + 0.01)
    assert walk.reached
    assert_allclose(walk.pose.up, up / np.linalg.norm(up), rtol=0, atol=1e-10)
    assert_allclose(walk.pose.heave, pose.heave + 0.01, rtol=0, atol=1e-10)


def test_an_impossible_trim_is_told():
    rod = build(snake_fields())
    pose = equilibrium(rod)
    walk = reach_trim(rod, pose, pose.up, pose.heave + 5.0)
    assert not walk.reached
    assert "of the way to the new trim" in walk.message


def test_reach_stiffness_makes_the_rod_stiffer_without_moving_the_head():
    rod = build(snake_fields())
    pose = equilibrium(rod)
    walk = reach_stiffness(rod, pose, 1.1 * float(pose.curvature[0]))
    assert walk.reached
    assert_allclose(walk.pose.curvature[0], 1.1 * pose.curvature[0], rtol=2e-6)
    assert_allclose(walk.pose.up, pose.up, rtol=0, atol=1e-10)
