"""Water on halves of members: derivatives against differences, for constant coefficients and for laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.loads.member import MEMBER, Sizes, fill_members, water_on_half
from ropewalk.model.arrays import records
from ropewalk.numerics.compile import kernel
from ropewalk.physics.drag_law import CONSTANT, SINE, TABLE, Coefficient, pack_law

RHO, G = 1025.0, 9.81
SMOOTH = Coefficient(TABLE, 0.0, (0.0, 2.0), (1e2, 1e8), ((0.6, 1.1), (1.4, 0.3)))  # one cell: no kinks within
BP, GP = 3.0, 2.0  # of a step: 1/s2, 1/s


@kernel
def on_half(members, t, span, heights, water, motion, step):
    return water_on_half(members[0], t, span, heights, water, motion, (RHO, G), step)


def member(law: bool, coefficient: float = 1.0) -> Any:
    rows = records(1, MEMBER)
    address = pack_law(SMOOTH, Coefficient(CONSTANT, 0.07), Coefficient(SINE, 0.9), 2.0 / (RHO * 1e-6)) if law else 0
    fill_members(rows, Sizes(3.0, 0.008, 0.1, 0.1 * coefficient, 0.3 * coefficient, 1.0, 0.2, address), RHO)
    return rows


def force(rows: Any, chord: Any, v: Any, a: Any, heights: Any = (-4.0, -5.0)) -> Any:
    span = float(np.linalg.norm(chord))
    water, motion = ((0.9, -0.4, 0.3), (0.2, 0.1, -0.5)), (tuple(v), tuple(a))
    return on_half(rows, tuple(chord / span), span, heights, water, motion, (BP, GP))


@pytest.mark.parametrize("law", [False, True], ids=["constant", "by flow"])
@pytest.mark.parametrize("seed", range(4))
def test_derivatives_are_those_of_differences(law: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, chord, v, a = member(law), rng.normal(size=3) * 2.0, rng.normal(size=3), rng.normal(size=3)
    _, _, resistance, by_chord, _, _, _ = force(rows, chord, v, a)
    h, unit = 1e-5, np.eye(3)
    moved = [(np.array(force(rows, chord, v + GP * h * e, a + BP * h * e)[0])
              - force(rows, chord, v - GP * h * e, a - BP * h * e)[0]) / (2.0 * h) for e in unit]  # fmt: skip
    turned = [(np.array(force(rows, chord + h * e, v, a)[0]) - force(rows, chord - h * e, v, a)[0]) / (2.0 * h)
              for e in unit]  # fmt: skip
    # central differences err by h^2 and by round-off over h: 1e-9 of forces of some 100 N
    scale = np.abs(resistance).max()
    assert_allclose(np.reshape(resistance, (3, 3)), -np.transpose(moved), atol=1e-7 * scale)
    assert_allclose(np.reshape(by_chord, (3, 3)), np.transpose(turned), atol=1e-7 * scale)


def test_a_law_of_constants_is_the_constant_law() -> None:
    """C_n = 1.2 and C_t = 1.2 by a table of one value against the plain coefficients, wet and half wet."""
    own = member(False, 1.2)
    rows = member(False)
    rows.drag_law = pack_law(Coefficient(CONSTANT, 1.2), Coefficient(CONSTANT, 1.2), Coefficient(), 1e3)
    rng = np.random.default_rng(3)
    for heights in ((-4.0, -5.0), (-0.01, 0.3), (2.0, 3.0)):
        chord, v, a = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
        for one, two in zip(force(rows, chord, v, a, heights), force(own, chord, v, a, heights), strict=True):
            assert_allclose(one, two, atol=1e-12 * max(1.0, np.abs(two).max()))
