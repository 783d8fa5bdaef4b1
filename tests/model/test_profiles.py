"""Properties along s as series: tables exactly, functions to round-off, jumps where they are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.model.model import build
from ropewalk.model.profiles import means_between, properties_at
from ropewalk.spec.fields import Fields
from ropewalk.spec.system import System

ROUND_OFF = 1e-12  # relative: sums of nine terms of a series


def case(pieces, **sections):
    points = {"a": {"position": [0, 0, 0]}, "b": {"position": [10, 0, 0]}}
    line = {"from": "a", "to": "b", "pieces": [{"section": name, "length": length} for name, length in pieces]}
    return System.model_validate({"sections": sections, "points": points, "lines": {"l": line}})


def at(model, piece, s):
    k = np.full(len(s), model.lines.piece_section[piece])
    return properties_at(model.sections, model.profiles, k, np.asarray(s, dtype=float))


@pytest.mark.parametrize("seed", range(5))
def test_series_are_the_tables(seed):
    """Random tables with jumps, on a second piece: linear columns, the square of the diameter, E times A."""
    rng = np.random.default_rng(seed)
    s = np.concatenate([[0.0], np.sort(rng.uniform(1.0, 19.0, 4)), [20.0]])
    s = np.insert(s, 3, s[2])  # a jump
    columns = {name: rng.uniform(0.5, 2.0, s.size) for name in ("diameter", "mass", "modulus", "area", "drag_normal")}
    table = {"s": s.tolist(), **{name: values.tolist() for name, values in columns.items()}}
    plain = {"diameter": 0.1, "mass": 1.0, "axial_stiffness": 1e6}
    model = build(case([("plain", 7.0), ("own", 20.0)], plain=plain, own={"drag": {"normal": 1.0}, "along": table}))
    x = np.sort(rng.uniform(0.0, 20.0, 50))
    own = at(model, 1, 7.0 + x)
    row = np.searchsorted(s, x, side="right") - 1

    def linear(y):
        return y[row] + (y[row + 1] - y[row]) / (s[row + 1] - s[row]) * (x - s[row])

    value = {name: linear(y) for name, y in columns.items()}
    assert_allclose(own.mass, value["mass"], rtol=ROUND_OFF)
    assert_allclose(own.area, 0.25 * np.pi * value["diameter"] ** 2, rtol=ROUND_OFF)
    assert_allclose(own.drag_normal, value["drag_normal"] * value["diameter"], rtol=ROUND_OFF)
    assert_allclose(own.stiffness, value["modulus"] * value["area"], rtol=ROUND_OFF)
    assert np.all(np.isnan(at(model, 0, [1.0]).stiffness))


def test_means_over_elements_add_up_to_the_whole():
    """Mass of a table with a jump inside an element, by the trapezium rule."""
    table = {"s": [0, 3.3, 3.3, 10], "mass": [1, 2, 5, 4]}
    model = build(case([("own", 10.0)], own={"diameter": 0.1, "axial_stiffness": 1e6, "along": table}))
    edges = np.linspace(0.0, 10.0, 8)
    k = np.full(7, model.lines.piece_section[0])
    mass = means_between(model.sections, model.profiles, k, edges[:-1], edges[1:]).mass * np.diff(edges)
    whole = 3.3 * 1.5 + 6.7 * 4.5
    assert_allclose(mass.sum(), whole, rtol=ROUND_OFF)
    assert_allclose(model.sections.mass[k[0]] * 10.0, whole, rtol=ROUND_OFF)


def test_function_with_a_jump_is_resolved_on_both_sides():
    """A function of s becomes series that differ from it by round-off."""

    def mass(s):
        return 2.0 + np.sin(3.0 * s) if s < np.pi else 5.0 * np.exp(-0.1 * s)

    fields = Fields(properties={"own": {"mass": mass}})
    system = case([("own", 10.0)], own={"diameter": 0.1, "mass": 1.0, "axial_stiffness": 1e6})
    model = build(system, fields)
    x = np.concatenate([np.linspace(0.0, np.pi - 1e-9, 40), np.linspace(np.pi + 1e-9, 10.0, 40)])
    assert_allclose(at(model, 0, x).mass, [mass(s) for s in x], rtol=ROUND_OFF)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda s: 1.0 / (s - s), "raised ZeroDivisionError at s = .* it must return a number"),
        (lambda s: -1.0, "is -1 at s = .* 0 or more"),
        (lambda s: float("nan"), "is nan"),
        (lambda s: (1.0, 2.0), "raised TypeError"),
    ],
)
def test_what_is_no_property_is_refused(function, words):
    """With the place where it was seen."""
    system = case([("own", 10.0)], own={"diameter": 0.1, "mass": 1.0, "axial_stiffness": 1e6})
    with pytest.raises(InputError, match=words):
        build(system, Fields(properties={"own": {"mass": function}}))


def test_noise_is_refused():
    """What no series resolves is no property of a rope."""
    rng = np.random.default_rng(1)
    system = case([("own", 10.0)], own={"diameter": 0.1, "mass": 1.0, "axial_stiffness": 1e6})
    with pytest.raises(InputError, match="needs more than 2000 series"):
        build(system, Fields(properties={"own": {"mass": lambda s: 1.0 + rng.random()}}))


def test_table_must_reach_the_end_of_its_piece():
    """The message has both lengths."""
    own = {"diameter": 0.1, "axial_stiffness": 1e6, "along": {"s": [0, 8], "mass": [1, 2]}}
    with pytest.raises(InputError, match="ends at 8 m, but the piece is 10 m long"):
        build(case([("own", 10.0)], own=own))
