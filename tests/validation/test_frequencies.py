"""Natural frequencies with closed forms: hanging chains, strings, Irvine's cable, pendulums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import jn_zeros

from ropewalk.analysis.modes import modes
from ropewalk.spec.system import System

GRAVITY = 9.81


def hanging_chain(elements: int, length: float = 10.0) -> System:
    """An inextensible chain in air, held at the top, free at the bottom."""
    return System.model_validate(
        {
            "environment": {"gravity": GRAVITY, "water_density": 0.0},
            "sections": {"chain": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}},
            "points": {"top": {"position": [0, 0, 0]}, "end": {"position": [0, 0, -length], "joint": "free"}},
            "lines": {
                "chain": {
                    "from": "top", "to": "end", "elements": elements,
                    "pieces": [{"section": "chain", "length": length}],
                }
            },
        }
    )  # fmt: skip


def extrapolated(coarse: Any, fine: Any) -> Any:
    """Richardson's value from meshes n and 2 n of a second-order method."""
    return fine + (fine - coarse) / 3.0


def observed_order(values: list[Any]) -> Any:
    """Order of convergence from three meshes, each half as coarse as the last."""
    a, b, c = (np.asarray(value) for value in values)
    return np.log2((b - a) / (c - b))


def test_hanging_chain_swings_at_the_zeros_of_j0() -> None:
    """omega sqrt(L/g) = j_0k / 2 (D. Bernoulli; Lamb, Hydrodynamics, art. 170), in both planes."""
    found = [modes(hanging_chain(n), 8).omega.values * math.sqrt(10.0 / GRAVITY) for n in (400, 800, 1600)]
    exact = 0.5 * jn_zeros(0, 4)
    assert_allclose(exact, [1.2024127788, 2.7600390551, 4.3268639565, 5.8957672195], rtol=1e-10)
    assert_allclose(found[-1][::2], found[-1][1::2], rtol=1e-9)  # pairs: round-off times omega_max^2/omega_1^2
    # second order; the fourth mode has 4e-5 at 800 elements, and its h^4 term 1e-8 is what extrapolation leaves
    assert_allclose(extrapolated(found[1], found[2])[::2], exact, rtol=2e-8)
    assert_allclose(observed_order(found)[::2], 2.0, atol=0.01)
    # by mesh alone: 1e-6 on the first mode
    assert_allclose(found[-1][0], exact[0], rtol=1e-6)


@pytest.mark.slow
def test_four_chain_modes_by_mesh_alone() -> None:
    """All four modes to 1e-6 without extrapolation need 6400 elements."""
    found = modes(hanging_chain(6400), 8).omega.values[::2] * math.sqrt(10.0 / GRAVITY)
    assert_allclose(found, 0.5 * jn_zeros(0, 4), rtol=1.1e-6)  # 9.7e-6 at 2000 elements, second order
