"""Lines in a rotating frame: no method returns an equilibrium that the line leaves at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import ropewalk as rw
from ropewalk.errors import ConvergenceError

G, LENGTH, DROP = 9.81, 3.0, 2.0


def rope(rate: float, upwards: bool = False) -> rw.System:
    """3 m of rope between two points 2 m apart on a vertical axis about which it turns."""
    turning = {"kind": "rotating", "axis": [0, 0, 1], "rate": rate}
    return rw.System.model_validate({
        "environment": {"gravity": G, "water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"c": {"diameter": 0.05, "mass": 1.0, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [0, 0, DROP if upwards else -DROP]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "c", "length": LENGTH}], "loads": [turning]}},
    })  # fmt: skip


def force_at_top(rate: float, guess: tuple[float, float]) -> tuple[float, float]:
    """Radial and vertical force at the upper end of the bulged rope, by scipy."""

    def miss(n):
        def slope(_s, y):
            T = np.hypot(y[2], y[3])
            return [y[2] / T, y[3] / T, -(rate**2) * y[0], G]

        end = solve_ivp(slope, (0.0, LENGTH), [0.0, 0.0, *n], rtol=1e-10, atol=1e-12).y[:, -1]
        return end[0], end[1] + DROP

    return tuple(fsolve(miss, guess))


@pytest.mark.parametrize("upwards", [False, True])
@pytest.mark.parametrize(("rate", "guess"), [(4.0, (14.0, -26.0)), (6.0, (34.0, -34.0))])
def test_a_rope_on_its_axis_bulges(rate, guess, upwards):
    """Folded on the axis it carries 24.4 N at any rate, and no longer stays there above 2.4 rad/s."""
    line = rw.statics(rope(rate, upwards)).line("l")
    n = np.array(line["end_b" if upwards else "end_a"]["force"])
    # 4e-4 by elements, whose stated error is 2e-4; shooting finds it from one side to round-off
    assert_allclose([np.hypot(n[0], n[1]), n[2]], np.abs(force_at_top(rate, guess)) * [1, -1], rtol=1e-3)


def test_a_slow_rope_stays_folded_on_its_axis():
    """The longer part, 2.5 m, hangs as a chain: stable up to 1.2024 sqrt(g / 2.5 m) = 2.38 rad/s."""
    n = rw.statics(rope(1.5)).line("l")["end_a"]["force"]
    assert_allclose(n, [0.0, 0.0, -2.5 * G], atol=0.02 * 2.5 * G)  # the fold lies within two elements


def test_elements_by_name_refuse_the_unstable_answer():
    with pytest.raises(ConvergenceError, match="line 'l' in its rotating frame: the equilibrium found is unstable"):
        rw.statics(rope(4.0), "fem")
