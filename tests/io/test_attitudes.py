"""Angles of MoorDyn and of a case describe the same rotation."""

from __future__ import annotations

import numpy as np
import pytest

from ropewalk.io.attitudes import along, from_case, from_moordyn, to_case, to_moordyn
from ropewalk.model.bodies import quaternion_of
from ropewalk.numerics.rotations import quaternion_to_matrix


@pytest.mark.parametrize("angles", [(0, 0, 0), (10, -20, 130), (170, 89, -60), (0, 90, 30), (5, -90, 0), (-180, 0, 90)])
def test_both_ways_give_the_rotation_back(angles) -> None:
    # angles are rounded to 1e-12 degrees; at 90 degrees of pitch the sine has no slope, so 1e-8 is left
    atol = 3e-8 if abs(angles[1]) == 90 else 1e-12
    np.testing.assert_allclose(from_case(to_case(from_moordyn(angles))), from_moordyn(angles), atol=atol)
    np.testing.assert_allclose(from_moordyn(to_moordyn(from_case(angles))), from_case(angles), atol=atol)


def test_attitude_of_a_case_is_that_of_the_model() -> None:
    attitude = (20.0, -35.0, 110.0)
    np.testing.assert_allclose(from_case(attitude), quaternion_to_matrix(np.array(quaternion_of(attitude))), atol=1e-14)


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0, -2), (3, 0, 0), (1, -2, 0.5), (-1, -1, -1)])
def test_along_turns_z_into_the_direction(direction) -> None:
    unit = np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(from_case(tuple(along(np.array(direction, dtype=float)))) @ [0, 0, 1], unit, atol=1e-14)
