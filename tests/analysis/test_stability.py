"""All equilibria, their kinds, the Euler characteristic and restoring curves."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import FRESH, GRAVITY, build, snake_fields, uniform_fields
from ropewalk.analysis.stability import all_equilibria, bent_equilibria, restoring_curve, spread_directions
from ropewalk.methods.rods.afloat import equilibrium
from ropewalk.model.rods import RodFields
from ropewalk.physics.rod_shape import RECTANGLE


def test_square_like_plank_has_the_equilibria_of_an_ellipsoid():
    """An elliptical cylinder with three different extents: 2 minima, 2 saddles, 2 maxima, each one pair of copies."""
    found = all_equilibria(build(uniform_fields(1.0, 0.1, 0.2, 500.0)))
    kinds = {state.kind: state for state in found.states}
    assert [(state.kind, state.copies) for state in found.states] == [("minimum", 2), ("saddle", 2), ("maximum", 2)]
    assert found.complete
    assert found.euler == 2
    # flat side down, narrow side down, on end
    assert_allclose(np.abs(kinds["minimum"].pose.up), [0, 1, 0], atol=1e-10)
    assert_allclose(np.abs(kinds["saddle"].pose.up), [0, 0, 1], atol=1e-10)
    assert_allclose(np.abs(kinds["maximum"].pose.up), [1, 0, 0], atol=1e-10)


def roll_of_square_log(ratio: float) -> float:
    """Angle (rad, 0 to 45 degrees) between side and surface of a long square log that floats, by its density ratio.

    With two corners wet, tan^2 = 12 r (1 - r) - 2 (wall-sided formula); this holds until a corner comes out, tan = 2 r,
    at r = 1/4. With one corner wet, whose sides are cut at distances p and q from it, pq = 2 r, and balance asks for
    p + q = 3/2, or p = q: corner down. The other half by what is wet in one being dry in the other.
    """
    r = min(ratio, 1.0 - ratio)
    if r <= 0.25:
        return float(np.arctan(np.sqrt(max(0.0, 12 * r * (1 - r) - 2))))
    if r >= 9 / 32:
        return np.pi / 4
    p, q = np.roots([1.0, -1.5, 2 * r])
    return float(np.arctan(min(p / q, q / p)))


@pytest.mark.parametrize("ratio", [0.1, 0.205, 0.22, 0.249, 0.27, 0.29, 0.5, 0.715, 0.75, 0.79])
def test_square_log_floats_flat_tilted_or_corner_down_by_its_density(ratio):
    """[Erdos1992]: flat for r (1 - r) < 1/6, corner down for 9/32 < r < 23/32, tilted between."""
    rod = build(uniform_fields(3.0, 0.1, 0.1, 1000.0 * ratio, section=RECTANGLE))
    expected = roll_of_square_log(ratio)
    for start in (0.1, 0.7):
        pose = equilibrium(rod, np.array([0.02, np.sin(start), np.cos(start)]))
        roll = abs(pose.roll) % (np.pi / 2)
        # the moment converges to 1e-13 of weight x length, and near the limits of a range it is cubic in the angle
        assert_allclose(min(roll, np.pi / 2 - roll), expected, rtol=0, atol=1e-6)
        assert_allclose(pose.pitch, 0.0, atol=1e-9)
        assert pose.curvature[0] > 0.0


def test_all_equilibria_of_a_square_log_are_found():
    """Four sides and four corners, and two ends: at one half corners are stable, sides saddles, ends maxima."""
    found = all_equilibria(build(uniform_fields(1.0, 0.1, 0.1, 500.0, section=RECTANGLE)))
    assert [(state.kind, state.copies) for state in found.states] == [("minimum", 4), ("saddle", 4), ("maximum", 2)]
    assert found.complete


def test_copies_can_be_kept_apart():
    found = all_equilibria(build(uniform_fields(1.0, 0.1, 0.2, 500.0)), merge_copies=False)
    assert len(found.states) == 6


def test_round_cylinder_is_neutral_and_the_check_says_so():
    found = all_equilibria(build(uniform_fields(1.0, 0.05, 0.05, 500.0)))
    assert found.states[0].kind == "neutral"
    assert found.complete is None
    assert "neutral in rotation about an axis" in found.message


def test_short_cylinder_floats_upright():
    """Half density: a disc lies flat once its radius exceeds its height over sqrt(2).

    GM > 0 needs r^2/(4 d) > (h - d)/2 with draught d = h/2, that is r > h/sqrt(2).
    """
    for ratio, stable in ((0.72, True), (0.70, False)):
        rod = build(uniform_fields(1.0, ratio, ratio, 500.0))
        pose = equilibrium(rod, np.array([1.0, 0.0, 0.0]), goal="any")
        assert_allclose(pose.up, [1, 0, 0], atol=1e-12)
        assert (pose.curvature.min() > 0) == stable


def test_restoring_moment_is_minus_the_slope_of_the_energy():
    """Fourth-order differences over the heel; the arm at small angles is the metacentric height."""
    rod = build(snake_fields())
    pose = equilibrium(rod)
    curve = restoring_curve(rod, pose, np.array([1.0, 0.3, 0.0]), np.linspace(-0.02, 0.02, 41))
    h = curve.angle[1] - curve.angle[0]
    e = curve.energy
    slope = (8 * (e[3:-1] - e[1:-3]) - (e[4:] - e[:-4])) / (12 * h)
    # h = 1e-3: truncation 1e-12, round-off of the energy 1e-16 weight x length / h
    assert_allclose(-slope, curve.moment[2:-2], rtol=0, atol=1e-9 * rod.mass * GRAVITY * rod.length)
    assert_allclose(curve.moment[20], 0.0, atol=1e-11 * rod.mass * GRAVITY * rod.length)
    assert curve.moment[21] < 0.0  # rights itself
    assert_allclose(curve.arm, -curve.moment / (rod.mass * GRAVITY), rtol=1e-14)


def test_archimedes_volume_is_kept_over_the_heel():
    rod = build(snake_fields())
    assert_allclose(rod.float_volume * FRESH, rod.mass, rtol=1e-15)


@pytest.mark.parametrize("n", [1, 60])
def test_directions_are_unit_vectors(n):
    assert_allclose(np.linalg.norm(spread_directions(n), axis=1), 1.0, rtol=1e-14)


def test_elastic_rod_floats_near_the_stiff_one_and_lower():
    """Bending lowers the energy; with 1000 N m2 the pose moves by a small angle only."""
    rod = build(snake_fields())
    stiff, soft = all_equilibria(rod), bent_equilibria(rod, (1000.0, 1000.0, 1000.0))
    assert soft.states
    assert all(state.stable for state in soft.states)
    assert soft.message == "stable poses only"
    nearest = max(abs(float(state.pose.up @ stiff.states[0].pose.up)) for state in soft.states)
    assert 1.0 - nearest < 1e-3


def test_plane_slices_invent_stable_states_of_an_s_shaped_rod():
    """Three stable poses with the exact volume element, five with the slices of the paper; both counts add up.

    The softest of the invented ones has a restoring arm of 0.005 of the length per radian, far from a change of kind.
    """
    plain = uniform_fields(1.0, 0.0992, 0.0992, 650.0)

    def kappa(s: np.ndarray) -> np.ndarray:
        return np.stack([0 * s, 2.422 + 0 * s, 5.612 * np.sin(2 * np.pi * s)], -1)

    fields = RodFields(plain.length, kappa, plain.sections, plain.line_mass)
    counts = []
    for curved in (True, False):
        found = all_equilibria(build(fields, curved=curved))
        assert found.complete
        counts.append(sum(state.copies for state in found.states if state.stable))
    assert counts == [3, 5]
