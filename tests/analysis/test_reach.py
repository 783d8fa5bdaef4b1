"""Inextensible lines that cannot reach, or that are exactly as long as the distance between their held ends."""

from __future__ import annotations

import math

import pytest

import ropewalk as rw
from ropewalk.analysis.reach import shortage
from ropewalk.model.model import build

AREA = math.pi / 4 * 0.1**2


def taut(ends: list[list[float]], length: float, mass: float = 30.0, **environment: object) -> rw.System:
    """An inextensible line of 0.1 m diameter between two held points."""
    return rw.System.model_validate(
        {
            "environment": {"depth": 200.0, **environment},
            "sections": {"s": {"diameter": 0.1, "mass": mass, "axial_stiffness": "inextensible"}},
            "points": {"a": {"position": ends[0]}, "b": {"position": ends[1]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "s", "length": length}]}},
        }
    )


SLOPE, UPRIGHT = [[0, 0, -100], [30, 0, -60]], [[0, 0, -100], [0, 0, -50]]


@pytest.mark.parametrize("method", ["auto", "shooting", "fem"])
@pytest.mark.parametrize(
    "system",
    [taut(SLOPE, 50.0), taut([[0, 0, -100], [50, 0, -100]], 50.0), taut(UPRIGHT, 50.0, current={"speed": 0.5})],
    ids=["sloping", "level", "upright in a current"],
)
def test_a_straight_inextensible_line_carries_no_load_across_it(system, method):
    """T = q d / sqrt(24 (L/d - 1)) has no finite value at L = d; methods gave 2.6e9 to 4e11 N, by round-off."""
    with pytest.raises(
        rw.InputError, match=r"line 'l' is inextensible and exactly as long as .* \(50 m\).*lengthen it"
    ):
        rw.statics(system, method)


@pytest.mark.parametrize(
    "system",
    [
        taut(UPRIGHT, 50.0),
        taut(SLOPE, 50.0, mass=1025.0 * AREA),
        taut([[0, 0, -200], [50, 0, -200]], 50.0, seabed={"friction": 0.0}),
    ],
    ids=["upright in still water", "neutral", "on the bed"],
)
def test_without_a_load_across_it_the_tension_is_indeterminate(system):
    """Any tension balances: the answer stands, with a doubt."""
    answer = rw.statics(system)
    assert "indeterminate" in {doubt.code for doubt in answer.doubts}


def tethered(tendons: int) -> rw.System:
    """A buoyant body on vertical inextensible tendons, evenly round its axis."""
    turn = [2.0 * math.pi * i / tendons for i in range(tendons)]
    arms = [[3.0 * math.cos(a), 3.0 * math.sin(a), 0.0] for a in turn]
    return rw.System.model_validate(
        {
            "environment": {"depth": 60.0},
            "sections": {"s": {"diameter": 0.1, "mass": 30.0, "axial_stiffness": "inextensible"}},
            "points": {f"a{i}": {"position": [x, y, -60.0]} for i, (x, y, _) in enumerate(arms)},
            "bodies": {"b": {"mass": 2e5, "inertia": [2e6, 2e6, 2e6], "position": [0, 0, -10],
                             "hull": {"kind": "axisymmetric", "profile": [[0, 3.5], [12, 3.5]]},
                             "centre_of_mass": [0, 0, 4],
                             "attachments": {f"e{i}": arm for i, arm in enumerate(arms)}}},
            "lines": {f"l{i}": {"from": f"a{i}", "to": f"b.e{i}", "pieces": [{"section": "s", "length": 50.0}]}
                      for i in range(tendons)},
        }
    )  # fmt: skip


@pytest.mark.parametrize(("tendons", "open_"), [(1, 0), (3, 0), (4, 1), (6, 3)])
def test_tendons_share_the_load_as_heave_roll_and_pitch_determine(tendons, open_):
    """Three equations: of more than three tendons the rest is open."""
    found = [doubt for doubt in rw.statics(tethered(tendons)).doubts if doubt.code == "indeterminate"]
    assert sum(doubt.value for doubt in found) == open_


def test_a_slightly_longer_line_has_the_tension_of_a_shallow_arc():
    """Closed form q d / sqrt(24 (L/d - 1)), q = w cos(slope): its next term is 1e-4 of it at this excess."""
    excess = 1e-8
    answer = rw.statics(taut(SLOPE, 50.0 * (1.0 + excess)))
    across = (30.0 - 1025.0 * AREA) * 9.80665 * 0.6
    middle = 0.5 * (answer.line("l")["end_a"]["tension"] + answer.line("l")["end_b"]["tension"])
    assert middle == pytest.approx(across * 50.0 / math.sqrt(24.0 * excess), rel=1e-3)
    assert not {"indeterminate"} & {doubt.code for doubt in answer.doubts}


def test_lines_in_a_row_are_refused_together():
    system = {
        "environment": {"seabed": {"kind": "none"}},
        "sections": {"s": {"diameter": 0.1, "mass": 30.0, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": [0, 0, 0]}, "m": {"position": [20, 0, -1], "joint": "free"},
                   "b": {"position": [50, 0, 0]}},
        "lines": {"one": {"from": "a", "to": "m", "pieces": [{"section": "s", "length": 20.0}]},
                  "two": {"from": "m", "to": "b", "pieces": [{"section": "s", "length": 30.0}]}},
    }  # fmt: skip
    with pytest.raises(
        rw.InputError, match="lines 'one' and 'two' form a row that is inextensible and exactly as long"
    ):
        rw.statics(rw.System.model_validate(system))


def test_the_arms_of_a_held_body_are_not_lines():
    """Two lines to places on one fixed body, which are as far apart as the body holds them."""
    system = {
        "environment": {"seabed": {"kind": "none"}},
        "sections": {"s": {"diameter": 0.1, "mass": 30.0, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [50, 0, 0]}},
        "bodies": {"post": {"mass": 1.0, "position": [25, 0, 0], "joint": "fixed",
                            "attachments": {"west": [-1, 0, 0], "east": [1, 0, 0]}}},
        "lines": {"one": {"from": "a", "to": "post.west", "pieces": [{"section": "s", "length": 25.0}]},
                  "two": {"from": "post.east", "to": "b", "pieces": [{"section": "s", "length": 25.0}]}},
    }  # fmt: skip
    assert "indeterminate" not in {doubt.code for doubt in rw.statics(rw.System.model_validate(system)).doubts}


def test_a_shortage_in_the_ninth_digit_is_given_with_that_digit():
    """'length 50 m is shorter than the 50 m' explains nothing."""
    with pytest.raises(rw.InputError, match=r"length 49\.9999999\d* m is shorter than the 50 m between"):
        rw.statics(taut(SLOPE, 50.0 * (1.0 - 1e-9)))


def test_lines_that_nothing_holds_are_not_short():
    """A rope between two free points; the other ends of the mooring stretch."""
    system = {
        "environment": {"depth": 100.0},
        "sections": {"rope": {"diameter": 0.1, "mass": 30.0, "axial_stiffness": "inextensible"},
                     "wire": {"diameter": 0.1, "mass": 30.0, "axial_stiffness": 1e8}},
        "points": {"a": {"position": [0, 0, -100]}, "m": {"position": [0, 0, -60], "joint": "free"},
                   "top": {"position": [0, 0, -20], "joint": "free", "volume": 10.0}},
        "lines": {"low": {"from": "a", "to": "m", "pieces": [{"section": "wire", "length": 40.0}]},
                  "high": {"from": "m", "to": "top", "pieces": [{"section": "rope", "length": 40.0}]}},
    }  # fmt: skip
    assert shortage(build(rw.System.model_validate(system))) == ""
