"""The paper's gradient method against the trust region."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import build, helix_fields, snake_fields
from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods.afloat import equilibrium
from ropewalk.methods.rods.descent import descend


@pytest.mark.parametrize("fields", [helix_fields(), snake_fields()], ids=["helix", "snake"])
def test_both_methods_find_the_same_pose_and_the_trust_region_needs_fewer_steps(fields):
    rod = build(fields)
    there = equilibrium(rod)
    start = there.up + np.array([0.1, -0.05, 0.0])
    slow, quick = descend(rod, start), equilibrium(rod, start)
    # the gradient method stops when energy differences drown in round-off: sqrt(1e-16) of the angle at best
    assert_allclose(slow.up, quick.up, rtol=0, atol=1e-6)
    assert_allclose(slow.heave, quick.heave, rtol=0, atol=1e-6 * rod.length)
    assert quick.iterations < slow.iterations
    assert quick.residual < 1e-12 < slow.residual < 1e-6
    assert np.all(np.diff(slow.path[:, 0]) <= 0.0)  # the energy falls at every step
    assert np.all(np.diff(slow.path[:, 2]) <= 0.0)  # the step only shrinks


def test_gradient_method_says_when_it_has_not_arrived():
    rod = build(snake_fields())
    with pytest.raises(ConvergenceError, match="the gradient method has made 3 steps and is still at"):
        descend(rod, np.array([1.0, 0.2, 0.1]), most=3)
