"""Functions of time: rates belong to values, sums of products to both, and a model holds the loads of its time."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.model.given import at_time, still
from ropewalk.model.in_time import FunctionBook, corners_of, products_of
from ropewalk.model.model import build
from ropewalk.physics.in_time import value_at
from ropewalk.spec.in_time import HarmonicValue, TableValue
from ropewalk.spec.payout import Payout
from ropewalk.spec.system import System


def random_value(rng):
    ramp = float(rng.choice([0.0, 3.0]))
    if rng.random() < 0.5:
        terms = [{"amplitude": a, "omega": w, "phase": p} for a, w, p in rng.normal(size=(3, 3)) ** 2]
        return HarmonicValue(kind="harmonic", mean=float(rng.normal()), terms=terms, ramp=ramp)
    time = np.cumsum(rng.random(5)) + rng.normal()
    after = str(rng.choice(["hold", "continue"]))
    return TableValue(kind="table", time=tuple(time), value=tuple(rng.normal(size=5)), after=after, ramp=ramp)


def test_products_sum_up_to_the_function():
    """What chains read, term by term, is what kernels evaluate: 200 random functions at 20 times."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        book = FunctionBook()
        i = book.add_value(random_value(rng))
        functions = book.build()
        for t in rng.uniform(0.0, 6.0, 20):
            total = 0.0
            for (begin, end), polynomial, omega, phase in products_of(functions, i):
                if begin <= t < end:
                    x = t - begin if begin > -np.inf else t
                    total += np.polynomial.polynomial.polyval(x, polynomial) * np.cos(omega * t - phase)
            assert_allclose(total, value_at(t, i, functions)[0], atol=1e-10)  # shifted polynomials of degree 8


def test_rates_are_derivatives_of_values():
    rng = np.random.default_rng(4)
    h = 1e-6
    for _ in range(100):
        book = FunctionBook()
        i = book.add_value(random_value(rng))
        functions = book.build()
        corners = np.array(corners_of(functions, i, -2.0, 8.0))
        for t in rng.uniform(-1.0, 7.0, 10):
            if np.min(np.abs(corners - t)) > 2 * h:
                low, high = value_at(t - h, i, functions), value_at(t + h, i, functions)
                # central differences of values of order 1: round-off over h
                assert_allclose(value_at(t, i, functions)[1], (high[0] - low[0]) / (2 * h), atol=1e-7)
                assert_allclose(value_at(t, i, functions)[2], (high[1] - low[1]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize(
    ("rate", "length"),
    [
        ({"kind": "table", "time": [2, 4, 6], "value": [1, 3, 0]}, lambda t: 2.0 + 4.0 + 3.0 if t >= 6 else None),
        ({"kind": "harmonic", "mean": 0.5, "terms": [{"amplitude": 2, "omega": 3, "phase": 0.4}]},
         lambda t: 0.5 * t + 2.0 / 3.0 * (np.sin(3 * t - 0.4) + np.sin(0.4))),
        (0.7, lambda t: 0.7 * (t - 0.5)),
    ],
)  # fmt: skip
def test_a_winch_pays_out_the_integral_of_its_rate(rate, length):
    line = {"from": "a", "to": "b", "pieces": [{"section": "r", "length": 20}], "payout": {"rate": rate, "ramp": 1.0}}
    system = System(
        sections={"r": {"diameter": 0.01, "mass": 1, "axial_stiffness": 1e6}},
        points={"a": {"position": [0, 0, 0]}, "b": {"position": [10, 0, 0]}},
        lines={"l": line},
    )
    model = build(system)
    paid = value_at(8.0, model.lines.winches.function[0], model.functions)
    assert_allclose(paid[0], length(8.0), rtol=1e-14)
    assert_allclose(value_at(0.0, model.lines.winches.function[0], model.functions)[0], 0.0, atol=1e-15)


def test_a_winch_does_not_haul_without_end():
    with pytest.raises(InputError, match="never stops hauling in"):
        Payout(rate=-1.0)
    assert Payout(rate={"kind": "table", "time": [0, 2], "value": [-1, 0]}).hauled == 1.0


GROWING, TWO = {"kind": "table", "time": [0, 10]}, {"kind": "constant", "value": 2}
CHANGING = {
    "environment": {"current": {"speed": {"kind": "table", "time": [0, 10], "value": [-1, 1]}, "heading": 30}},
    "sections": {"r": {"diameter": 0.01, "mass": 1, "axial_stiffness": 1e6}},
    "points": {
        "a": {"position": [0, 0, -50]},
        "b": {"position": [0, 0, -30], "joint": "free", "force": [5, {**GROWING, "value": [0, 8]}, 1]},
        "c": {"position": [9, 0, -30], "joint": {"axes": {"x": {"spring": 10, "rest": TWO}}}},
    },
    "lines": {
        "l": {"from": "a", "to": "b", "pieces": [{"section": "r", "length": 20}],
              "loads": [{"kind": "pressure", "axis": [0, 1, 0], "value": {**GROWING, "value": [1, 3]}}]},
        "m": {"from": "a", "to": "c", "pieces": [{"section": "r", "length": 25}]},
    },
}  # fmt: skip


def test_a_model_has_the_loads_of_its_time():
    model = build(System.model_validate(CHANGING))
    assert_allclose(model.points.force, [[0, 0, 0], [5, 0, 1], [20, 0, 0]])  # a spring that rests 2 m off pulls 20 N
    later = at_time(model, 5.0)
    assert_allclose(later.points.force[1], [5, 4, 1])
    assert_allclose(later.lines.load_value, [2.0])
    assert later.given.changes and not still(model, 5.0).given.changes
    assert_allclose([still(model, t).sea.current_speed for t in (0.0, 5.0, 10.0)], [1.0, 0.0, 1.0])
    turned = still(model, 0.0).sea.current_heading - still(model, 10.0).sea.current_heading
    assert_allclose(np.cos(turned), -1.0)  # the other way
