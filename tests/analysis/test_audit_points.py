"""Audit of points on the bed that a joint holds in some directions: the push of the bed acts in the others alone."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw

TILTED = np.array([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]])


def weight_on(seabed: dict, joint: dict) -> rw.System:
    """A weight of 500 kg on a chain, lowered to the bed along its joint."""
    return rw.System.model_validate(
        {
            "environment": {"depth": 20.0, "seabed": seabed},
            "sections": {"chain": {"diameter": 0.03, "mass": 12.0, "axial_stiffness": 1e8}},
            "points": {"top": {"position": [15, 0, -2]},
                       "weight": {"position": [0, 0, -15], "joint": joint, "mass": 500.0}},
            "lines": {"l": {"from": "top", "to": "weight", "pieces": [{"section": "chain", "length": 40.0}]}},
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("seabed", "joint"),
    [
        ({}, {"axes": {"x": "free"}, "frame": [TILTED[2].tolist(), TILTED[1].tolist(), (-TILTED[0]).tolist()]}),
        ({"normal": [0.1, 0.2, 1.0]}, {"axes": {"z": "free"}}),
        ({"normal": [0.1, 0.2, 1.0], "friction": 0.3}, {"axes": {"x": "free", "z": {"force": -100.0}}}),
    ],
    ids=["sloping rail", "upright rail on a slope", "plane on a rough slope"],
)
def test_a_weight_comes_down_to_the_bed_along_its_joint(seabed, joint):
    """The audit took the push of the bed along its whole normal, held directions included, and rejected each answer."""
    answer = rw.statics(weight_on(seabed, joint))
    place = np.array(answer.summary["points"]["weight"]["position"])
    normal = np.array(seabed.get("normal", [0.0, 0.0, 1.0]))
    height = (place - (0, 0, -20)) @ normal / np.linalg.norm(normal)
    # a footing gives way by a tenth of the diameter of its ball of steel, 0.5 m, and more under chain that it carries
    assert -0.06 <= height <= 0.0
    assert answer.audit.passed


def test_what_the_bed_cannot_hold_is_left_over():
    """A rail along the slope of a bed without friction: the push of the bed does nothing along it."""
    from ropewalk.analysis.audit_parts import _left_by_bed
    from ropewalk.model.model import build

    system = weight_on({}, {"axes": {"x": "free"}})
    model = build(system)
    along = np.array([[1.0, 0.0, 0.0]])
    place = np.array([0.0, 0.0, -20.1])
    assert _left_by_bed(model, place, along, np.array([70.0]), (1e-3, 4000.0)) == 70.0
    rough = build(system.replace("environment.seabed.friction", 0.01))
    # 1 % of 4,000 N, and the 0.25 % that the audit allows on top
    assert _left_by_bed(rough, place, along, np.array([70.0]), (1e-3, 4000.0)) == pytest.approx(70.0 - 40.1)
