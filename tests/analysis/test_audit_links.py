"""The audit of links: what every method gives passes, and a link that is moved or pulls otherwise does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.analysis.audit_lines import scales_of
from ropewalk.analysis.audit_links import check_links, law_force
from ropewalk.loads.springs import spring_law

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
UPPER = {"mass": 50, "inertia": [5, 5, 5], "position": [0, 0, 0]}
LOWER = {"mass": 30, "inertia": [5, 5, 5]}
TWO = {
    "environment": {"water_density": 0, "gravity": 9.81},
    "sections": {"rope": {"diameter": 0.01, "mass": 0.5, "axial_stiffness": 1e6, "drag": 0, "added_mass": 0}},
    "points": {"a": {"position": [-1, 0, 5]}, "hook": {"position": [0, 0, 1]}},
    "lines": {"l": {"from": "a", "to": "lower.side", "pieces": [{"section": "rope", "length": 8.2}]}},
}
KINDS = {
    "ball": {"kind": "ball"},
    "hinge": {"kind": "hinge", "axis": [0, 1, 0], "stiffness": 40.0},
    "rigid": {"kind": "rigid"},
    "bar": {"kind": "bar", "length": 0.5},
    "joint": {"kind": "joint", "axes": {"z": {"spring": 2e3, "rest": 0.1}, "x": {"spring": 5e3}}},
}


def linked(kind):
    below = -2.5 if kind == "bar" else -2.0
    bodies = {
        "upper": {**UPPER, "attachments": {"top": [0, 0, 1], "low": [0.3, 0, -1]}},
        "lower": {**LOWER, "position": [0.3, 0, below], "attachments": {"eye": [0, 0, 1], "side": [0.5, 0, 0]}},
    }
    hang = {"kind": "ball", "between": ["upper.top", "hook"]}
    links = {"hang": hang, "l": {**KINDS[kind], "between": ["upper.low", "lower.eye"]}}
    return rw.System.model_validate({**TWO, "bodies": bodies, "links": links})


def shares(model, state):
    """Of the limit, by kind of figure, the worst of all links."""
    found = check_links(model, state, scales_of(model, state))
    return {kind: max(f.share for f in found if f.kind == kind) for kind in ("position", "force")}


@pytest.mark.parametrize("kind", KINDS)
def test_links_of_an_equilibrium_pass_and_moved_ones_do_not(kind):
    rest = rw.statics(linked(kind), "fem")
    state, model = rest.state, rest.model
    good = shares(model, state)
    assert good["position"] <= 1.0 and good["force"] <= 1.0
    moved = state.body_position.copy()
    moved[1] += [0.0, 1e-3, 0.0] if kind != "bar" else [0.0, 0.0, 1e-3]
    assert shares(model, state._replace(body_position=moved))["position"] > 1.0


OFF = {
    "bar": ([0.0, 5.0, 0.0], [0.0, 0.0, 0.0]),
    "joint": ([3.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    "hinge": ([0.0, 0.0, 0.0], [0.0, 2.0, 0.0]),
    "ball": ([0.0, 0.0, 0.0], [2.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("kind", OFF)
def test_forces_off_the_law_of_a_link_are_found(kind):
    rest = rw.statics(linked(kind), "fem")
    state = rest.state
    link_force, link_moment = state.link_force.copy(), state.link_moment.copy()
    link_force[1] += OFF[kind][0]
    link_moment[1] += OFF[kind][1]
    assert shares(rest.model, state._replace(link_force=link_force, link_moment=link_moment))["force"] > 1.0


def test_law_of_an_axis_is_that_of_the_loads():
    """Evaluated by other code, between its corners and beyond them."""
    model = rw.statics(EXAMPLES / "traveller.yaml").model
    law = model.links.axis[int(np.argmax(model.links.axis.count))]
    for way in np.linspace(float(law.way[0]) - 3.0, float(law.way[int(law.count) - 1]) + 3.0, 41):
        np.testing.assert_allclose(law_force(law, float(way)), spring_law(law, way)[0], rtol=1e-12, atol=1e-9)
