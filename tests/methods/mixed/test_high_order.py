"""Elements of higher order under all loads: the string's own load, so they agree with shooting to their order."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import ConvergenceError


def hawser(z, order, volume=0.0, elements=10, load=None):
    """Two lines with a clump on one, and a free point between, z m above the water, in a current of 2 m/s."""
    options = {"method": "fem", "options": {"order": order}} if order else {"method": "shooting"}
    section = {"diameter": 0.08, "mass": 5.0, "axial_stiffness": 2e6, "drag": {"normal": 1.2, "tangential": 0.02}}
    clump = {"s": 13, "mass": 20, "volume": 0.005}
    node = {"position": [30, 2, z - 5], "joint": "free", "mass": 40, "volume": volume, "drag_area": 0.5}
    joint = {"axes": {"x": "held", "y": "held", "z": {"spring": 5000}}}
    current = {"speed": 2, "heading": 30, "profile": {"kind": "power", "exponent": 0.143}}
    system = rw.System.model_validate({
        "environment": {"depth": 200, "gravity": 9.81, "current": current, "seabed": {"kind": "none"}},
        "sections": {"rope": section},
        "points": {"a": {"position": [0, 0, z]}, "b": {"position": [60, 0, z + 10], "joint": joint}, "m": node},
        "lines": {
            "first": {"from": "a", "to": "m", "elements": elements, "pieces": [{"section": "rope", "length": 40}],
                      "attachments": [clump], "loads": [load or {"kind": "pressure", "axis": [0, 1, 0], "value": 3}]},
            "second": {"from": "m", "to": "b", "elements": elements,
                       "pieces": [{"section": "rope", "length": 20}, {"section": "rope", "length": 15}]},
        },
        "statics": options,
    })  # fmt: skip
    return rw.statics(system)


ROTATING = {"kind": "rotating", "axis": [0, 0, 1], "rate": 0.4, "origin": [0, 1, 0]}
TABLE = {"kind": "table", "s": [0, 10, 30], "force": [[0, 0, 0], [5, 0, 9], [0, 4, 0]]}


@pytest.mark.parametrize("load", [None, ROTATING, TABLE], ids=["pressure", "rotating", "table"])
@pytest.mark.parametrize(("z", "volume"), [(20.0, 0.0), (-60.0, 0.0), (-60.0, 0.03)])
def test_end_forces_agree_with_shooting_in_air_and_under_water(z, volume, load):
    """A line and a point with drag in air feel neither the current nor buoyancy; under water they do."""
    exact = hawser(z, None, volume, load=load)
    found = hawser(z, [3, 2], volume, load=load)
    scale = np.abs(exact.state.end_force).max()
    # 2e-6 measured with ten elements of degree 3 and 2 over a current that is no polynomial of the depth
    assert_allclose(found.state.end_force, exact.state.end_force, atol=1e-5 * scale)
    assert_allclose(found.state.point_force, exact.state.point_force, atol=1e-5 * scale)


def test_order_in_a_current():
    """P2-P1: the error of the end tensions falls as h^4."""
    exact = hawser(-60.0, None).state.end_force
    errors = [np.abs(hawser(-60.0, [2, 1], elements=n).state.end_force - exact).max() for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) > 3.5


def test_a_line_that_crosses_the_surface_is_refused():
    """Its load jumps inside an element, which would lose the order."""
    with pytest.raises(ConvergenceError, match=r"line 'second' crosses the water surface, with nodes up to .* m above"):
        hawser(-3.0, [2, 1])
