"""Trapezoids, knots given one by one, and panels that are sewn together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_nets import random_joined_net

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.model.model import build

EXAMPLES = Path(__file__).parents[2] / "examples"
TWINE = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible", "drag": {"normal": 1.1}, "added_mass": 0}
TWO = {"kind": "knots", "knots": [[0, 0, 0], [1, 0, 0]], "twines": [[0, 1]]}
NET = {"section": "t", "bar_length": 0.02, "lower_sinker": 1.0}


def system(current=0.4, **nets):
    sea = {"seabed": {"kind": "none"}, "current": {"speed": current}}
    return rw.System.model_validate({"environment": sea, "sections": {"t": TWINE}, "nets": nets})


def corners(left, right, low=-2.5):
    return [[0, left, -0.5], [0, right, -0.5], [0, right, low], [0, left, low]]


def panel(kind, left, right, cells, **more):
    return {**NET, "panel": {"kind": kind, "corners": corners(left, right)}, "cells": cells, **more}


def test_a_rectangle_as_a_trapezoid_is_the_same_net():
    one, other = (build(system(n=panel(kind, -1, 1, [6, 5]))).nets for kind in ("rectangle", "trapezoid"))
    for name in ("knot", "bar", "length", "twines", "screen", "sinker_mass", "held"):
        assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-13, atol=1e-15, err_msg=name)


def test_twine_of_a_trapezoid_is_that_of_its_area():
    """A square mesh has 2/bar_length metres of twine per square metre; straight strips give it for parallel edges."""
    edges = [[0, -2, 0], [0, 2, 0], [0, 1, -3], [0, -1, -3]]
    nets = build(system(n={**NET, "panel": {"kind": "trapezoid", "corners": edges}, "cells": [40, 40]})).nets
    area = 0.5 * (4 + 2) * 3
    # slanted columns are longer than the height that they cover, by the mean of 1 / cos of their slant
    slant = np.mean(np.hypot(1.0, np.linspace(-1, 1, 401) / 3.0))
    assert_allclose(nets.length @ nets.twines, area / 0.02 * (1.0 + slant**2), rtol=5e-3)


def test_two_panels_sewn_hang_as_one_does():
    """A rectangle of 8 x 5 cells, and the same cut down its middle: the same places and tensions."""
    whole = rw.statics(system(n=panel("rectangle", -1, 1, [8, 5])))
    cut = system(
        a=panel("rectangle", -1, 0, [4, 5]),
        b=panel("trapezoid", 0, 1, [4, 5], sewn={"left": "a.right"}),
    )
    sewn = rw.statics(cut)
    assert len(build(cut).nets.bar) == len(whole.model.nets.bar)
    for place in sewn.state.net_position:
        # forces are balanced to 1e-9 of the largest
        assert np.linalg.norm(whole.state.net_position - place, axis=1).min() < 1e-6
    tensions = np.sort(sewn.state.net_tension)
    assert_allclose(tensions, np.sort(whole.state.net_tension), atol=1e-6 * tensions.max())


def test_knots_from_files_carry_a_clump():
    """A Y of 3-4-5 triangles: T = W / (2 x 4/5), with the clump's weight in water and that of the twines."""
    rest = rw.statics(EXAMPLES / "net_knots.yaml")
    weight = 25.0 * 9.80665 * (1.0 - 1025.0 / 7850.0)
    twine = (0.0129 - 1025.0 * np.pi / 4 * 0.004**2) * 9.80665
    foot = weight + twine * 1.0  # half of its own 2 m twine hangs on the clump
    assert_allclose(rest.state.net_tension[2], foot, rtol=1e-9)
    assert_allclose(rest.state.net_tension[:2], (foot + twine * (1.0 + 2.5 + 2.5)) / 1.6, rtol=1e-9)
    assert rest.system.nets["bridle"].panel.source == "tables/knots.csv, twines.csv"


def test_sewn_bag_holds_its_drag_and_weight():
    """What the held knots carry is the drag of the three panels: the balance of the whole, by the audit's own sum."""
    rest = rw.statics(EXAMPLES / "net_sewn.yaml")
    nets, state = rest.model.nets, rest.state
    pull = np.zeros(3)
    for (a, b), tension in zip(nets.bar, state.net_tension, strict=True):
        way = (state.net_position[b] - state.net_position[a]) / np.linalg.norm(
            state.net_position[b] - state.net_position[a]
        )
        pull += tension * way * (float(nets.held[a]) - float(nets.held[b]))
    drag = sum(state.net_force)
    # half the drag of the uppermost row of twines goes to the held knots at once
    assert 0.85 < pull[0] / drag[0] < 1.0
    assert abs(pull[1]) < 1e-6 * pull[0]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"sewn": {"left": "a.top"}}, "edge of a net above it"),
        ({"sewn": {"left": "b.right"}}, "edge of a net above it"),
        ({"sewn": {"left": "a.right"}, "cells": [4, 7]}, "the same number of cells along the seam"),
        ({"sewn": {"right": "a.left"}}, "so that the edges meet"),
        ({"mesh": "rhombic"}, "rhombic mesh is for rectangles"),
        ({"panel": {**TWO, "twines": [[0, 2]]}, "cells": None}, "names knot 2"),
        ({"panel": TWO}, "cells, and held"),
        ({"panel": TWO, "cells": None, "force_model": "loland"}, "has no screens"),
    ],
)
def test_what_cannot_be_sewn_or_tied_is_refused(more, words):
    given = {**panel("trapezoid", 0, 1, [4, 5]), **more}
    with pytest.raises((InputError, ValueError), match=words):
        build(system(a=panel("rectangle", -1, 0, [4, 5]), b={k: v for k, v in given.items() if v is not None}))


def test_floating_collar_carries_the_cage():
    """Archimedes: wet parts of the spheres on the rim carry hoop, netting, sinkers and the pull of the lines."""
    rest = rw.statics(EXAMPLES / "net_collar.yaml")
    nets, state, rho, g = rest.model.nets, rest.state, 1025.0, 9.80665
    volume = nets.sinker_volume + nets.float_force / (rho * g)
    rim = nets.float_force > 0.0
    r = np.cbrt(3.0 * volume[rim] / (4.0 * np.pi))
    h = r - state.net_position[rim, 2]  # depth of each sphere's lowest point
    lift = rho * g * np.sum(np.pi / 3.0 * h**2 * (3.0 * r - h))
    weight = g * np.sum(
        nets.sinker_mass - np.where(rim, 0.0, rho * nets.sinker_volume * (state.net_position[:, 2] < 0.0))
    )
    twine = (0.0056 - rho * np.pi / 4.0 * 0.0025**2) * g * float(nets.length @ nets.twines)
    pull = sum(line["end_b"]["force"][2] for line in rest.summary["lines"].values())
    # twines of the rim are dry at their upper half, and screens have some lift
    assert_allclose(lift + pull + state.net_force[0][2], weight + twine, rtol=3e-3)


@pytest.mark.parametrize("seed", [0, 1, 4, 9])
def test_random_nets_of_the_new_kinds_come_to_rest(seed):
    """Knots, sewn panels and bags; statics are audited knot by knot before they are returned."""
    rest = rw.statics(rw.System.model_validate(random_joined_net(seed)))
    assert rest.state.net_tension.min() >= 0.0
