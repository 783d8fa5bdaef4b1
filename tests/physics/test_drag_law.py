"""Drag coefficients that depend on the flow: derivatives, and the constant law as a special case."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.physics.drag import drag, drag_by_tangent, drag_by_velocity
from ropewalk.physics.drag_law import (
    CONSTANT,
    SINE,
    TABLE,
    Coefficient,
    coefficient,
    law_by_tangent,
    law_by_velocity,
    law_drag,
    pack_law,
)

SCALE = (2.0, 3.0, 1.0)  # b_n and b_t over a length, b_n
STEP = 1e-6  # of differences, which then err by 1e-9


def table(rng):
    """Random coefficients by six angles and five Reynolds numbers."""
    angle = np.concatenate([[0.0], np.sort(rng.uniform(0.1, 1.5, 4)), [0.5 * np.pi]])
    return Coefficient(TABLE, 0.0, angle, np.sort(10.0 ** rng.uniform(0.0, 6.0, 5)), rng.uniform(0.2, 1.2, (6, 5)))


@pytest.mark.parametrize("seed", range(20))
def test_derivatives_are_those_of_differences(seed):
    """By the velocity, and by the direction of the member."""
    rng = np.random.default_rng(seed)
    law = pack_law(table(rng), table(rng), Coefficient(SINE, 1.2) if seed % 2 else table(rng), 1e3)
    u, t = rng.normal(size=3), rng.normal(size=3)
    t /= np.linalg.norm(t)

    def force(u, t):
        return np.array(law_drag(tuple(u), tuple(t / np.linalg.norm(t)), SCALE, law)[0])

    _, parts = law_drag(tuple(u), tuple(t), SCALE, law)
    by_u = [(force(u + STEP * e, t) - force(u - STEP * e, t)) / (2.0 * STEP) for e in np.eye(3)]
    by_t = [(force(u, t + STEP * e) - force(u, t - STEP * e)) / (2.0 * STEP) for e in np.eye(3)]
    across = np.eye(3) - np.outer(t, t)
    assert_allclose(np.reshape(law_by_velocity(tuple(t), parts), (3, 3)), np.transpose(by_u), atol=1e-7)
    assert_allclose(
        np.reshape(law_by_tangent(tuple(u), tuple(t), parts), (3, 3)) @ across, np.transpose(by_t), atol=1e-7
    )


def test_constant_coefficients_are_the_plain_law():
    """With its derivatives, to round-off."""
    rng = np.random.default_rng(1)
    u, t = tuple(rng.normal(size=3)), rng.normal(size=3)
    t /= np.linalg.norm(t)
    law = pack_law(Coefficient(CONSTANT, 1.2), Coefficient(CONSTANT, 0.3), Coefficient(), 1e3)
    force, parts = law_drag(u, tuple(t), SCALE, law)
    plain, own = drag(u, tuple(t), 2.4, 0.9)
    assert_allclose(force, plain, rtol=1e-14)
    assert_allclose(law_by_velocity(tuple(t), parts), drag_by_velocity(tuple(t), own), rtol=1e-13)
    across = np.eye(3) - np.outer(t, t)
    ours, theirs = law_by_tangent(u, tuple(t), parts), drag_by_tangent(u, tuple(t), own)
    assert_allclose(np.reshape(ours, (3, 3)) @ across, np.reshape(theirs, (3, 3)) @ across, atol=1e-14)


def test_flow_right_along_or_none_has_no_direction_across():
    """Nothing is divided by a speed that is zero."""
    law = pack_law(table(np.random.default_rng(2)), Coefficient(CONSTANT, 0.1), Coefficient(SINE, 1.2), 1e3)
    for u in ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0)):
        force, parts = law_drag(u, (1.0, 0.0, 0.0), SCALE, law)
        assert np.all(np.isfinite([*force, *law_by_velocity((1.0, 0.0, 0.0), parts)]))
        assert force[1] == force[2] == 0.0
    assert force[0] == pytest.approx(3.0 * 0.1 * 4.0)


def test_table_holds_its_ends():
    """Beyond the outer angles and Reynolds numbers the outer entries hold, with no slope."""
    one = Coefficient(TABLE, 0.0, (0.2, 1.0), (1e2, 1e4), ((1.0, 2.0), (3.0, 5.0)))
    law = pack_law(one, Coefficient(), Coefficient(), 1.0)
    assert coefficient(law, 0, 0.0, 1.0) == (1.0, 0.0, 0.0)
    assert coefficient(law, 0, 1.5, 1e9) == (5.0, 0.0, 0.0)
    value, by_angle, by_log = coefficient(law, 0, 0.6, 1e3)
    assert_allclose((value, by_angle), (2.75, 3.125), rtol=1e-12)  # half way in both
    assert_allclose(by_log, 0.5 * (1.0 + 2.0) / np.log(100.0), rtol=1e-12)
