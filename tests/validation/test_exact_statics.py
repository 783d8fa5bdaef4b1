"""Closed-form statics: numbers computed independently to all digits printed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import OC3, OC4, between, platform, surmont_buoy, surmont_line

# dx, dz, length, EA, w, depth, friction
NEARLY_TAUT = (246.22420940032947, 263.55766330843164, 360.63566262396927, 7e8, 3.08735, None, 0.0)


@pytest.mark.parametrize(
    ("case", "H_A", "H_B", "V_B", "grounded"),
    [
        ((400, 200, 500, 7.51e12, 800, 300.0, 0.0), 96643.4535471, 96643.4535471, 237751.768034, 202.810289957),
        ((400, 200, 500, 7.51e12, 800, 300.0, 0.1), 80418.6310, 96643.4541591, 237751.768446, 202.810289442),
        ((400, 200, 500, 7.51e12, 200, None, 0.0), 43694.6046221, 43694.6046221, 77634.4105458, 0.0),
        (NEARLY_TAUT, 58377.2414227, 58377.2414227, 63044.4129559, 0.0),
    ],
)
def test_single_lines(case, H_A, H_B, V_B, grounded):
    """Suspended and grounded elastic catenary, with and without friction."""
    *line_data, depth, friction = case
    line = rw.statics(between(*line_data, depth=depth, friction=friction)).line("line")
    # printed to 12 digits (9 for the rubbed anchor force); the solver's own error is round-off
    assert_allclose(line["end_b"]["force"], [-H_B, 0.0, -V_B], rtol=1e-9, atol=1e-9 * V_B)
    assert_allclose(line["end_a"]["force"][0], H_A, rtol=1e-9)
    assert_allclose(line["grounded_length"], grounded, rtol=1e-9)


@pytest.mark.parametrize(
    ("data", "H", "V", "tension", "grounded", "K"),
    [
        (OC3, 736938.851, 535727.850, 911089.018, 134.785529, (41181.20446, 11941.51492, 1.156668628e7)),
        (OC4, 907498.806, 631106.727, 1105373.142, 242.906870, (70836.04509, 19140.46953, 1.169701670e8)),
    ],
    ids=["OC3", "OC4"],
)
def test_reference_platforms(data, H, V, tension, grounded, K):
    """OC3-Hywind and OC4 DeepCwind moorings: fairlead loads and exact stiffness."""
    equilibrium = rw.statics(platform(data))
    for name in ("line1", "line2", "line3"):
        line = equilibrium.line(name)
        force = line["end_b"]["force"]
        # printed to the mN of 1e6 N; grounded length to the micrometre of 1e2 m
        assert_allclose(math.hypot(force[0], force[1]), H, rtol=1e-9)
        assert_allclose(-force[2], V, rtol=1.1e-9)
        assert_allclose(line["end_b"]["tension"], tension, rtol=1e-9)
        assert_allclose(line["grounded_length"], grounded, rtol=5e-9)
    stiffness = equilibrium.body_stiffness("platform")
    assert_allclose(np.diag(stiffness)[[0, 2, 5]], K, rtol=1e-9)
    assert_allclose(stiffness[1, 1], stiffness[0, 0], rtol=1e-9)  # three-fold symmetry


@pytest.mark.parametrize(
    ("c", "x", "tension"), [(1, 48.1219757909130, 1176.21247188817), (10, 23.1244627412228, 536.435422056799)]
)
def test_surmont_slider(c, x, tension):
    """Surmont 2025, example 1: ball and driven slider, c = wL / F."""
    wL = 1052.03641725
    equilibrium = rw.statics(surmont_line({"axes": {"x": {"force": wL / c}}}))
    assert_allclose(equilibrium.summary["points"]["B"]["position"], [x, 0, 0], rtol=1e-12, atol=1e-12)
    assert_allclose(equilibrium.line("line")["max_tension"], tension, rtol=1e-11)  # wL above has 12 digits


@pytest.mark.parametrize("pieces", [[500.0], [100.0, 400.0]])
def test_rubbed_line_carries_its_anchor_force_to_the_anchor(pieces):
    """Tension along the line meets the end forces at both ends, also where friction has reduced it to zero."""
    system = between(400, 200, 500, 7.51e12, 800, depth=300.0, friction=0.1,
                     pieces=[{"section": "line", "length": length} for length in pieces])  # fmt: skip
    equilibrium = rw.statics(system)
    line = equilibrium.line("line")
    assert_allclose(equilibrium.state.tension[0], line["end_a"]["tension"], rtol=1e-12)
    assert_allclose(equilibrium.state.tension[-1], line["end_b"]["tension"], rtol=1e-12)


def test_surmont_joints():
    """Surmont 2025, example 2, cases a, b, c, e, f: the spring balances the line at its end."""
    wL = 1052.03641725
    a = rw.statics(surmont_line("fixed")).line("line")
    assert_allclose(a["end_a"]["force"][0], 120.794137814869, rtol=1e-12)
    c = rw.statics(surmont_line({"axes": {"x": {"force": wL / 10}}})).summary["points"]["B"]["position"]
    assert_allclose(c[0], 23.1244627412228, rtol=1e-12)
    f = rw.statics(surmont_line({"axes": {"x": {"spring": wL / 10}}}))
    assert_allclose(f.summary["points"]["B"]["position"][0], 23.9376002906043, rtol=1e-12)
    assert_allclose(f.line("line")["end_a"]["force"][0], 111.768318396007, rtol=1e-11)
    spring = {"spring": wL / 10}
    e = rw.statics(surmont_line({"axes": {"x": spring, "y": spring, "z": spring}}))
    position, force = (np.array(e.summary["points"]["B"]["position"]), np.array(e.line("line")["end_b"]["force"]))
    assert_allclose(wL / 10 * (position - [25, 0, 0]), force, rtol=1e-10, atol=1e-9)
    b = rw.statics(surmont_line({"axes": {"x": {"force": wL / 10}, "y": "free", "z": "free"}})).line("line")
    assert_allclose(b["end_b"]["force"], [-wL / 10, 0, 0], atol=1e-9)


def test_surmont_buoy_position():
    """Surmont 2025, example 4: three different lines meet at a buoy."""
    position = rw.statics(surmont_buoy()).summary["points"]["buoy"]["position"]
    assert_allclose(position, [-6.18267496342912, 2.88401845650973, 8.83865067971082], atol=1e-12)


def test_point_load_at_midspan():
    """2000 N at the middle of a 100 m line between level ends 80 m apart: H."""
    system = between(80.0, 0.0, 100.0, 1e7, 50.0, attachments=[{"s": 50.0, "force": [0, 0, -2000]}])
    line = rw.statics(system).line("line")
    assert_allclose(line["end_a"]["force"][0], 2992.11600645298, rtol=1e-12)
    assert_allclose(line["end_a"]["force"][2], -3500.0, rtol=1e-12)
