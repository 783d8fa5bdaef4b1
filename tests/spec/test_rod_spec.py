"""Rods as the user gives them: what is refused, and with which words."""

from __future__ import annotations

import pytest

from ropewalk.errors import InputError
from ropewalk.spec.rods import Rod

ROUND = {"kind": "ellipse", "a": 0.1, "b": 0.1}


def test_a_straight_rod_needs_length_density_and_section():
    rod = Rod(length=2.0, density=500.0, section=ROUND)
    assert rod.curvature.kind == "constant"
    assert rod.replace(length=3.0).length == 3.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"length": None}, "length is missing"),
        ({"density": 0.0}, "greater than 0"),
        ({"curvature": {"kind": "pieces", "pieces": [{"length": 1.5, "kappa": [0, 0, 1]}]}}, "length is 2.0 m, but"),
        ({"curvature": {"kind": "table", "s": [0, 2], "kappa": [[0, 0, 1]]}}, "at least 2 entries, not 1"),
        ({"curvature": {"kind": "table", "s": [0, 1, 2], "kappa": [[0, 0, 1], [0, 0, 1]]}}, "3 values of s but 2"),
        ({"curvature": {"kind": "table", "s": [1, 1], "kappa": [[0, 0, 1], [0, 0, 1]]}}, "s must increase"),
        ({"curvature": {"kind": "twists", "twists": [{"s": 2.5, "angle": 10}]}}, "a twist at s = 2.5 m lies beyond"),
        ({"masses": [{"s": 3.0, "mass": 1.0}]}, "a mass at s = 3.0 m lies beyond the rod's length 2.0 m"),
        ({"section": {"kind": "pipe", "diameter": 0.2, "wall": 0.15}}, "wall 0.15 m is thicker than half the diameter"),
        ({"section": {"kind": "pipe", "wall": 0.01}}, "a pipe needs its diameter, or the semi-axes"),
        ({"section": {"kind": "pipe", "diameter": 0.2, "a": 0.1, "wall": 0.01}}, "a pipe is round, with a diameter"),
        ({"section": {"kind": "pipe", "a": 0.1, "b": {"s": [0, 2], "value": [0.1, 0.02]}, "wall": 0.03}},
         "wall 0.03 m is thicker than the semi-axis b allows: at most 0.02 m"),
        ({"section": {"kind": "rectangle", "width": 0.2, "height": 0.1, "wall": 0.06}},
         "wall 0.06 m is thicker than the height allows: at most 0.05 m"),
        ({"section": {"kind": "rectangle", "width": 0.2, "height": 0.1, "contents": 300.0}},
         "contents of 300.0 kg/m3, but no wall around them"),
        ({"section": {"kind": "box"}}, "'box' is not known. Allowed: ellipse, pipe, rectangle"),
        ({"held": {}}, "it has no effect; give it a head or supports"),
        ({"held": {"head": {"heave": 1.0, "roll": 0.0}}}, "give both roll and pitch to clamp the head, or neither"),
        ({"held": {"supports": [{"s": 2.5, "height": 0.0, "stiffness": 10.0}]}}, "a support at s = 2.5 m lies beyond"),
        ({"colour": "red"}, "colour: unknown key"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_with_the_number_that_tripped(change, message):
    with pytest.raises(InputError, match=message):
        Rod(**{"length": 2.0, "density": 500.0, "section": ROUND, **change})


def test_pieces_fix_the_length():
    pieces = [{"length": 0.5, "kappa": [0, 0, 1]}, {"length": 0.25, "kappa": [1, 0, 0]}]
    assert Rod(density=500.0, section=ROUND, curvature={"kind": "pieces", "pieces": pieces}).length is None
