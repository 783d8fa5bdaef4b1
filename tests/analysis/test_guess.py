"""Equilibria from a first guess of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import ropewalk as rw

G, RATE, LENGTH = 9.81, 20.0, 3.0
ROPE = {
    "environment": {"gravity": G, "water_density": 0, "seabed": {"kind": "none"}},
    "sections": {"c": {"diameter": 0.05, "mass": 1.0, "axial_stiffness": "inextensible"}},
    "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [2, 0, 0]}},
    "lines": {
        "l": {
            "from": "a",
            "to": "b",
            "elements": 100,
            "pieces": [{"section": "c", "length": LENGTH}],
            "loads": [{"kind": "rotating", "axis": [1, 0, 0], "rate": RATE}],
        }
    },
}


def case(data):
    return rw.System.model_validate(data)


def waves(lobes, way):
    """Places along a sine of so many half waves between the ends."""
    x = np.linspace(0.0, 2.0, 41)
    return np.column_stack([x, 0 * x, 0 * x]) + 0.75 / lobes * np.outer(np.sin(0.5 * np.pi * lobes * x), way)


def arrival(force):
    """Where the rope ends that leaves the origin with a force, by an integration of its own."""

    def slope(_s, y):
        n = y[3:]
        return np.concatenate([n / np.linalg.norm(n), [0.0, -(RATE**2) * y[1], -(RATE**2) * y[2] + G]])

    return solve_ivp(slope, (0.0, LENGTH), [0, 0, 0, *force], rtol=1e-11, atol=1e-12).y[:3, -1]


@pytest.mark.parametrize(("lobes", "way"), [(1, (0, 0, 1)), (2, (0, 1, 0)), (3, (0, 0, -1))])
def test_a_guess_chooses_the_equilibrium_next_to_it(lobes, way):
    """An upward loop, two loops to the sides and three: unstable all, and all met by an integration of their own."""
    rest = rw.statics(case(ROPE), "shooting", guess={"l": waves(lobes, way)})
    # errors of the start grow by |dr/dn| n, about 20 per loop
    assert_allclose(arrival(rest.line("l")["end_a"]["force"]), [2, 0, 0], atol=1e-7)
    inner = rest.state.position[5:-5] @ np.array(way)
    assert np.sum(np.diff(np.sign(inner[np.abs(inner) > 0.05])) != 0) == lobes - 1


def test_elements_take_the_same_guess():
    """100 elements of order 2 are within 0.1 % of the force of shooting."""
    shape = {"l": waves(2, (0, 0, 1))}
    exact = rw.statics(case(ROPE), "shooting", guess=shape).line("l")["end_a"]["force"]
    assert_allclose(rw.statics(case(ROPE), "fem", guess=shape).line("l")["end_a"]["force"], exact, rtol=1e-3)


def test_an_equilibrium_and_its_file_are_guesses(tmp_path):
    """Two loops stay two loops when started from themselves; the default start gives the stable loop."""
    rest = rw.statics(case(ROPE), "shooting", guess={"l": waves(2, (0, 0, 1))})
    rest.to_file(tmp_path / "two.nc")
    for guess in (rest, rest.state, tmp_path / "two.nc", rest.to_dataset()):
        again = rw.statics(case(ROPE), "shooting", guess=guess)
        assert_allclose(again.line("l")["end_a"]["force"], rest.line("l")["end_a"]["force"], rtol=1e-9)
    assert rw.statics(case(ROPE), "shooting").line("l")["end_a"]["force"][2] < -300.0  # N: one loop, downwards


def test_bars_start_from_a_guess():
    """A rope without rotation laid upwards falls to its catenary: half the weight at each end."""
    still = {**ROPE, "lines": {"l": {**ROPE["lines"]["l"], "loads": []}}}
    rest = rw.statics(case(still), "bars_statics", guess={"l": waves(1, (0, 0, 1))})
    assert_allclose(rest.line("l")["end_a"]["force"][2], -0.5 * LENGTH * G, rtol=1e-9)


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        ({"rope": [[0, 0, 0]]}, "no part is named 'rope'. Available: l, a, b"),
        ({"l": [[0, 0]]}, "'l' must be a list of positions"),
        ({"a": "here"}, "'a' must be a position"),
        (7, "guess must be a State, an equilibrium"),
    ],
)
def test_what_is_no_guess_is_refused(guess, words):
    with pytest.raises(rw.InputError, match="guess") as refused:
        rw.statics(case(ROPE), guess=guess)
    assert words in str(refused.value)


def test_the_guess_of_another_case_is_refused():
    other = {**ROPE, "points": {**ROPE["points"], "c": {"position": [5, 0, 0]}}}
    rest = rw.statics(case(ROPE), "shooting")
    with pytest.raises(rw.InputError, match="it has 1 lines, 2 points and 0 bodies, the case has 1, 3 and 0"):
        rw.statics(case(other), guess=rest)
    with pytest.raises(rw.InputError, match="use one of this case"):
        rw.statics(case(other), guess=rest.to_dataset())


def test_the_closed_form_takes_no_guess():
    still = {**ROPE, "lines": {"l": {**ROPE["lines"]["l"], "loads": []}}}
    with pytest.raises(rw.InputError, match="uses no guess; use shooting, fem or bars_statics"):
        rw.statics(case(still), "catenary", guess={"l": waves(1, (0, 0, -1))})
