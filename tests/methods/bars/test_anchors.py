"""Bars at ends held on the bed: the bed does not press the anchor, lines that lie there lie at the height of rest."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw

CHAIN = {"diameter": 0.1, "contact_diameter": 0.2, "mass": 120.0, "axial_stiffness": 5e8, "drag": 0, "added_mass": 0}
DEPTH = 60.0


def leg(length, span, **line):
    """A leg from an anchor on the bed to a fairlead at 10 m below the surface."""
    return rw.System.model_validate({
        "environment": {"depth": DEPTH, "gravity": 9.81, "seabed": {"stiffness": 4e6}},
        "sections": {"chain": CHAIN},
        "points": {"anchor": {"position": [0, 0, -DEPTH]}, "fairlead": {"position": [span, 0, -10]}},
        "lines": {"leg": {"from": "anchor", "to": "fairlead", "pieces": [{"section": "chain", "length": length}],
                          **line}},
    })  # fmt: skip


@pytest.mark.parametrize(("length", "span"), [(104.0, 90.0), (180.0, 160.0)], ids=["rises", "lies"])
def test_anchor_force_is_that_of_the_catenary(length, span):
    """Whether the leg rises steeply from its anchor or reaches it along the bed."""
    exact, bars = (rw.statics(leg(length, span), method) for method in ("catenary", "bars_statics"))
    largest = np.abs(exact.state.end_force).max()
    error = bars.report.figures["discretisation_error"]
    assert 0.0 < error < 1e-2
    # the stated error of the bars; a bed that gives way by a millimetre adds less than 1e-4
    assert np.abs(bars.state.end_force - exact.state.end_force).max() < (error + 1e-4) * largest


def test_a_leg_that_lies_pulls_along_the_bed():
    answer = rw.statics(leg(180.0, 160.0), "bars_statics")
    pull = answer.state.end_force[0, 0]
    assert pull[2] == 0.0 and pull[0] > 0.0
    # the axis is at half the contact diameter less what the weight of 1,098 N/m presses into 4e6 * 0.2 N/m2: 1.4 mm
    weight = (120.0 - 1025.0 * np.pi * 0.05**2) * 9.81
    np.testing.assert_allclose(answer.state.position[0, 2] + DEPTH, 0.1 - weight / (4e6 * 0.2), atol=1e-12)
    np.testing.assert_allclose(answer.state.point_position[0], [0.0, 0.0, -DEPTH], atol=1e-12)


def test_stated_error_falls_with_the_bars_and_covers_what_they_miss():
    """End forces by 20 and 80 bars against the closed form of a hanging leg."""
    exact = rw.statics(leg(104.0, 90.0), "catenary").state.end_force
    errors = []
    for count in (20, 80):
        answer = rw.statics(leg(104.0, 90.0, elements=count), "bars_statics")
        assert answer.state.s.size == count + 1
        errors.append(answer.report.figures["discretisation_error"])
        assert np.abs(answer.state.end_force - exact).max() < errors[-1] * np.abs(exact).max()
    # second order: 16 times as good, or nearly so
    assert errors[1] < errors[0] / 10.0


def test_bars_are_shortened_until_they_are_as_good_as_asked_for():
    system = leg(180.0, 160.0)
    system = system.replace(statics=system.statics.replace(accuracy=1e-3))
    answer = rw.statics(system, "bars_statics")
    assert answer.report.figures["discretisation_error"] < 1e-3 or "discretisation" in {d.code for d in answer.doubts}
    assert answer.state.s.size > 41
