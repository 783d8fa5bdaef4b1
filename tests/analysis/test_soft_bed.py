"""A soft bed changes end forces as a rigid one moved by half the sinking does, and is doubted by methods without it."""

from __future__ import annotations

import numpy as np
import pytest

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


def test_a_stiff_bed_is_not_doubted():
    assert doubted(rw.statics(mooring(1e7), "catenary")) == []


def test_sinking_is_weight_over_stiffness_and_width():
    model = rw.statics(mooring(2e4), "catenary").model
    weight = (60.0 - 1025.0 * np.pi * 0.05**2) * 9.81
    np.testing.assert_allclose(sinking(model), weight / (2e4 * 0.1), rtol=1e-12)
