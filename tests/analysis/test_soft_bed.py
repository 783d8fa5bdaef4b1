"""A soft bed changes end forces as a rigid one moved by half the sinking does, and is doubted by methods without it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import ropewalk as rw
from ropewalk.analysis.soft_bed import CODE, sinking

SECTION = {"diameter": 0.1, "mass": 60.0, "axial_stiffness": 1e8, "drag": 0, "added_mass": 0}


def mooring(stiffness):
    return rw.System.model_validate({
        "environment": {"depth": 30.0, "gravity": 9.81, "seabed": {"stiffness": stiffness}},
        "sections": {"chain": SECTION},
        "points": {"a": {"position": [0, 0, -30]}, "b": {"position": [92, 0, -2]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 100.0}], "elements": 200}},
    })  # fmt: skip


def doubted(answer):
    return [doubt for doubt in answer.doubts if doubt.code == CODE]


@pytest.mark.parametrize("method", ["catenary", "shooting"])
def test_doubt_gives_the_difference_to_the_elements_on_a_soft_bed(method):
    system = mooring(2e4)
    rigid, soft = rw.statics(system, method), rw.statics(system, "fem")
    (doubt,) = doubted(rigid)
    largest = np.abs(rigid.state.end_force).max()
    apart = np.abs(soft.state.end_force - rigid.state.end_force).max() / largest
    assert apart > doubt.limit
    # the shift is of first order in slopes of up to 0.1 where the line lifts off
    np.testing.assert_allclose(doubt.value, apart, rtol=0.15)
    assert doubted(soft) == []


@pytest.mark.parametrize(("stiffness", "grounded"), [(1e4, 0.5), (1e4, 1.5), (1e4, 4.0), (1e5, 1.5)])
def test_doubt_counts_the_uplift_at_an_anchor_near_the_lift_off(stiffness, grounded):
    """120 m of chain in 50 m of water; without that uplift it was a quarter of the difference, or missing."""

    def hung(span):
        return rw.System.model_validate({
            "environment": {"depth": 50.0, "seabed": {"stiffness": stiffness}},
            "sections": {"chain": {**SECTION, "mass": 20.0}},
            "points": {"a": {"position": [0, 0, -50]}, "b": {"position": [span, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 120.0}]}},
            "statics": {"accuracy": 1e-4},
        })  # fmt: skip

    def excess(span):
        return rw.statics(hung(span), "catenary").line("l")["grounded_length"] - grounded

    system = hung(brentq(excess, 80.0, 108.9, xtol=1e-6))
    rigid, soft = rw.statics(system, "catenary"), rw.statics(system, "fem")
    largest = np.abs(rigid.state.end_force).max()
    apart = np.abs(soft.state.end_force - rigid.state.end_force).max() / largest
    (doubt,) = doubted(rigid)
    # small slopes, and one soft layer: measured 1.1 to 1.4 of the difference
    assert apart <= doubt.value <= 1.5 * apart


def test_a_stiff_bed_is_not_doubted():
    assert doubted(rw.statics(mooring(1e7), "catenary")) == []


def test_sinking_is_weight_over_stiffness_and_width():
    model = rw.statics(mooring(2e4), "catenary").model
    weight = (60.0 - 1025.0 * np.pi * 0.05**2) * 9.81
    np.testing.assert_allclose(sinking(model), weight / (2e4 * 0.1), rtol=1e-12)


def with_clump():
    """A line that lifts off at the clump that it carries."""
    rope = {"diameter": 0.01, "mass": 0.14, "axial_stiffness": 4e6, "drag": 0, "added_mass": 0}
    return rw.System.model_validate({
        "environment": {"depth": 180.0, "gravity": 9.81, "water_density": 0.0, "seabed": {"stiffness": 1.5e5}},
        "sections": {"rope": rope},
        "points": {"a": {"position": [0, 0, -180]}, "b": {"position": [245, 0, -68]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 280.0}], "elements": 400,
                        "attachments": [{"s": 83.0, "mass": 183.0}]}},
    })  # fmt: skip


def test_doubt_counts_how_far_a_clump_sinks():
    system = with_clump()
    rigid, soft = rw.statics(system, "shooting"), rw.statics(system, "fem")
    (doubt,) = doubted(rigid)
    apart = np.abs(soft.state.end_force - rigid.state.end_force).max() / np.abs(rigid.state.end_force).max()
    assert apart > doubt.limit
    # the element's own width bears beside the footing of 0.3 m2: 0.7 m of 1 cm, 2 %; first order in 3 cm of 1 m of give
    np.testing.assert_allclose(doubt.value, apart, rtol=0.1)
    assert "a weight or end of line 'l'" in doubt.sentence


def test_doubt_counts_how_far_a_free_point_sinks():
    """By its lines' stretch and sag in a row (Ernst), which is the right size, no more."""
    chain = {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e7, "drag": 0, "added_mass": 0}
    system = rw.System.model_validate({
        "environment": {"depth": 30.0, "gravity": 9.81, "seabed": {"stiffness": 1e4}},
        "sections": {"chain": chain},
        "points": {"a": {"position": [0, 0, -30]}, "b": {"position": [88, 0, -2]},
                   "w": {"position": [60, 0, -29.9], "joint": "free", "mass": 4000.0}},
        "lines": {"l": {"from": "a", "to": "w", "pieces": [{"section": "chain", "length": 60.0}]},
                  "u": {"from": "w", "to": "b", "pieces": [{"section": "chain", "length": 40.0}]}},
    })  # fmt: skip
    rigid, soft = rw.statics(system, "catenary"), rw.statics(system, "fem")
    (doubt,) = doubted(rigid)
    apart = np.abs(soft.state.end_force - rigid.state.end_force).max() / np.abs(rigid.state.end_force).max()
    assert apart > doubt.limit
    assert 0.5 < doubt.value / apart < 3.0


def test_a_slack_line_in_a_sheared_current_is_doubted_for_the_depth_at_which_it_lies():
    """The current at the true depth of a line on the bed differs; the elements, which lie there, show the change."""
    section = {
        "diameter": 0.13,
        "mass": 110.0,
        "axial_stiffness": 6e8,
        "contact_diameter": 0.2,
        "drag": {"normal": 1.2},
    }
    current = {"speed": 0.15, "heading": -120, "profile": {"kind": "power", "exponent": 0.1}}
    system = rw.System.model_validate({
        "environment": {"depth": 10.0, "current": current},
        "sections": {"chain": section},
        "points": {"a": {"position": [0, 0, -10]}, "b": {"position": [20, 0, -10]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 28.0}]}},
    })  # fmt: skip
    rigid, soft = rw.statics(system, "shooting"), rw.statics(system, "fem")
    (doubt,) = doubted(rigid)
    apart = np.abs(soft.state.end_force - rigid.state.end_force).max() / np.abs(rigid.state.end_force).max()
    # end forces are proportional to the drag; the shape changes a little, too
    np.testing.assert_allclose(doubt.value, apart, rtol=0.15)
