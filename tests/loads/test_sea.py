"""The current as kernels read it."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.loads.sea import current_gradient, current_here
from ropewalk.model.environment import share_of_current
from ropewalk.model.model import build
from ropewalk.spec.fields import Fields
from ropewalk.spec.system import System


def test_a_share_of_a_current_by_functions_is_that_of_its_velocity_and_gradient():
    """Load steps scale what the functions return; both stay where they are."""
    slopes = np.array([[0.0, 0.0, 0.01], [0.02, 0.0, 0.0], [0.0, 0.0, 0.0]])
    mean, place = np.array([0.3, 0.0, 0.0]), (1.0, 2.0, -3.0)
    fields = Fields(current=lambda r, t: mean + slopes @ r, current_slope=lambda r, t: slopes)
    sea = build(System.model_validate({"environment": {"depth": 20.0}}), fields).sea
    for share in (1.0, 0.5, 0.3):
        part = share_of_current(sea, share)
        assert_allclose(current_here(place, part), share * (mean + slopes @ place), rtol=1e-14)
        assert_allclose(current_gradient(place, part), share * slopes.ravel(), rtol=1e-14)
