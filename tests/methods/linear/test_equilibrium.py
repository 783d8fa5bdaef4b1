"""Rest on the mesh of the frequency analyses."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.analysis.statics import statics
from ropewalk.methods.linear.equilibrium import find_rest
from ropewalk.methods.linear.unknowns import number
from ropewalk.model.state import rotation_matrix
from ropewalk.spec.system import System


def buoy_on_one_line(push: float) -> System:
    """An axisymmetric buoy on a slack chain, pushed (N) so that it lists."""
    return System.model_validate(
        {
            "environment": {"depth": 40},
            "sections": {"chain": {"diameter": 0.04, "mass": 11.0, "axial_stiffness": 3e7}},
            "points": {"anchor": {"position": [0, 0, -40]}},
            "bodies": {
                "buoy": {
                    "mass": 2600, "inertia": [1500, 1500, 1200], "centre_of_mass": [0, 0, -0.5],
                    "position": [55, 0, 0], "attachments": {"eye": [0, 0, -1.2]},
                    "hull": {"kind": "axisymmetric", "profile": [[-1.2, 0.9], [0.8, 0.9]]},
                    "loads": {"force": [push, 0, 0]},
                }
            },
            "lines": {
                "m": {"from": "anchor", "to": "buoy.eye", "elements": 40,
                      "pieces": [{"section": "chain", "length": 80}]}
            },
        }
    )  # fmt: skip


def test_rest_is_found_where_nothing_holds_a_body_about_its_axis() -> None:
    """The stiffness has no inverse: turns about the axis of the buoy, which lists, meet no moment. It does not turn."""
    for push in np.linspace(1000.0, 2500.0, 7):
        found = statics(buoy_on_one_line(float(push)))
        rest = find_rest(found.model, number(found.model), found.state)
        assert rest.force < 1e-9 * 3e4  # N; the buoy weighs 26 kN
        values = np.linalg.svd(rest.assembled.K.toarray(), compute_uv=False)
        assert values[-1] < 1e-12 * values[0]
        # where the solver with a rigid bed and a continuous line has it, to what 40 elements leave
        assert_allclose(rest.place.body_position, found.state.body_position, atol=0.05)
        turned = rotation_matrix(rest.place.quaternion[0])
        assert_allclose(turned[1], [0.0, 1.0, 0.0], atol=1e-6)  # its y axis stays level and across the push
