"""Ends of lines held on the seabed: what the anchor feels, against the closed form."""

from __future__ import annotations

import pytest
from mixed_cases import settle
from numpy.testing import assert_allclose

from ropewalk.analysis.statics import statics
from ropewalk.model.model import build
from ropewalk.spec.system import System


def mooring(span: float, anchor: str = "a", elements: int = 40, contact: float = 0.3) -> System:
    """A chain of 400 m in 100 m of water; it lies on the bed at 350 m and rises from its anchor at 386 m."""
    ends = {"from": "a", "to": "f"} if anchor == "a" else {"from": "f", "to": "a"}
    section = {"diameter": 0.16, "mass": 162.0, "axial_stiffness": 7e8, "contact_diameter": contact}
    return System.model_validate(
        {
            "environment": {"depth": 100},
            "sections": {"chain": section},
            "points": {"a": {"position": [0, 0, -100]}, "f": {"position": [span, 0, 0]}},
            "lines": {"l": {**ends, "elements": elements, "pieces": [{"section": "chain", "length": 400}]}},
        }
    )


@pytest.mark.parametrize("anchor", ["a", "b"])
@pytest.mark.parametrize("contact", [0.0, 0.3])
def test_a_line_along_the_bed_does_not_lift_its_anchor(anchor: str, contact: float) -> None:
    """Rigid bed: the force at the anchor is horizontal. It must not depend on mesh, thickness or sinking."""
    report, state = settle(build(mooring(350.0, anchor, contact=contact)))
    assert report.good
    end = 0 if anchor == "a" else 1
    exact = statics(mooring(350.0, anchor, contact=contact), method="catenary").state
    assert state.end_force[0, end, 2] == 0.0
    # 0.6 %: 40 elements of 10 m and a bed that gives 4 cm, against a rigid one
    assert_allclose(state.end_force[0, end], exact.end_force[0, end], rtol=6e-3, atol=1e-6)
    assert_allclose(state.point_force[0], state.end_force[0, end], atol=1e-9)


def test_a_line_that_rises_pulls_at_its_anchor_with_its_full_force() -> None:
    """Closed form of the hanging elastic line: 99.2 kN up, of which half an element's weight would be 7 kN."""
    exact = statics(mooring(386.0), method="catenary").state.end_force[0, 0]
    assert exact[2] > 9e4
    _, state = settle(build(mooring(386.0)))
    # the end lies as deep as the line would rest, 4 cm below the rigid bed, which makes the chord 1 cm longer
    assert_allclose(state.end_force[0, 0], exact, rtol=1e-2, atol=1e-6)
