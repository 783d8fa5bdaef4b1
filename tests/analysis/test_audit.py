"""The audit passes what is right and rejects what is not: answers are taken and spoiled, one quantity at a time."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.audit import CONTINUOUS, audit
from ropewalk.analysis.audit_hulls import bed_wrench, hull_wrenches
from ropewalk.analysis.audit_loads import Wetness, current_at, drag, strain_of, submerged
from ropewalk.analysis.statics import QUADRATURE
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.model.model import build
from ropewalk.physics import drag as drag_law
from ropewalk.physics.current import current
from ropewalk.physics.elasticity import strain

ROPE = {
    "added_mass": 0,
    "diameter": 0.1,
    "mass": 20.0,
    "axial_stiffness": 1e8,
    "drag": {"normal": 1.2, "tangential": 0.05},
}


def moored(**more) -> rw.System:
    """A line from the bed to a float on a free point, with a weight on it, in a current."""
    return rw.System.model_validate(
        {
            "environment": {"depth": 60, "current": {"speed": 0.5}, "seabed": {"friction": 0.3}},
            "sections": {"rope": ROPE, "light": {"drag": 0, "added_mass": 0,
                                                 "diameter": 0.2, "mass": 15.0, "axial_stiffness": 2e7}},
            "points": {
                "a": {"position": [0, 0, -60]},
                "float": {"position": [50, 0, -10], "joint": "free", "mass": 500, "volume": 3},
                "b": {"position": [90, 10, -60]},
            },
            "lines": {
                "west": {"from": "a", "to": "float", "pieces": [{"section": "rope", "length": 90}],
                         "attachments": [{"s": 60, "mass": 100, "volume": 0.02}]},
                "east": {"from": "b", "to": "float", "pieces": [{"section": "rope", "length": 50},
                                                                {"section": "light", "length": 35}]},
            },
            **more,
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def solved():
    return rw.statics(moored(), "fem")


def kinds(checked) -> set[str]:
    return {finding.kind for finding in checked.findings if finding.share > 1.0}


def test_right_answer_passes_with_room(solved):
    # fem stops at 1e-10 of the forces: four digits below the limit of the audit
    assert solved.audit.passed
    assert solved.audit.largest("force").share < 1e-2
    assert solved.audit.largest("length").share < 1e-2


@pytest.mark.parametrize("stiffness", [2e4, "inextensible"])
@pytest.mark.parametrize("top", [-1.0, 3.0])
def test_bars_that_stretch_in_a_current_and_pass_the_surface_are_in_balance(stiffness, top):
    """Loads of the audit are those of the bars: drag on the stretched length (12 % more), the exact wet share."""
    case = {
        "environment": {"depth": 60, "current": {"speed": 1.0, "heading": 30}},
        "sections": {"rope": {**ROPE, "axial_stiffness": stiffness}},
        "points": {"a": {"position": [0, 0, -8]}, "b": {"position": [25, 0, top]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 30, "elements": 12}]}},
    }
    checked = rw.statics(rw.System.model_validate(case), "bars_statics").audit
    # bars_statics stops at 1e-9 of the forces, three digits below the limit of the audit
    assert checked.largest("force").share < 1e-2


@pytest.mark.parametrize(
    ("field", "at", "by", "kind"),
    [
        ("position", (20, 2), 1e-3, "force"),  # a node 1 mm too high bends the line there
        ("element_tension", (20,), 1.0, "force"),
        ("end_force", (0, 1, 0), 0.1, "force"),
        ("point_position", (0, 0), 0.01, "position"),
        ("position", (0, 0), 0.01, "position"),
    ],
)
def test_spoiled_answers_are_rejected(solved, field, at, by, kind):
    values = np.array(getattr(solved.state, field))
    values[at] += by
    checked = audit(solved.model, solved.state._replace(**{field: values}), 0.0)
    assert kind in kinds(checked)
    assert checked.sentences
    assert not checked.passed


def test_taut_line_of_the_wrong_stiffness_is_rejected():
    """A tendon 90 m long pulled out by 0.1 m: 1 % of its stiffness is 1 mm of its stretch, and 1 % of its pull."""
    case = {
        "environment": {"seabed": {"kind": "none"}},
        "sections": {"tendon": {"drag": 0, "added_mass": 0, "diameter": 0.2, "mass": 60, "axial_stiffness": 1.5e9}},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [0, 0, -10]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "tendon", "length": 89.9}]}},
    }
    state = rw.statics(rw.System.model_validate(case), "fem").state
    case["sections"]["tendon"]["axial_stiffness"] = 1.515e9
    assert "length" in kinds(audit(build(rw.System.model_validate(case)), state, 0.0))


def test_not_finite_is_rejected(solved):
    position = np.array(solved.state.position)
    position[3] = np.nan
    checked = audit(solved.model, solved.state._replace(position=position), 0.0)
    assert not checked.passed
    assert "line 'west'" in checked.sentences[0]


def test_pushing_rope_is_rejected():
    """A rope standing on its lower end: only one that can push does that."""
    case = {
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.1, "mass": 20.0, "axial_stiffness": "inextensible", "compression": True}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [0, 0, 10], "joint": "free", "mass": 10}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 4, "pieces": [{"section": "rope", "length": 10}]}},
    }
    standing = rw.System.model_validate(case)
    case["sections"]["rope"]["compression"] = False
    rope = rw.System.model_validate(case)
    s = np.linspace(0.0, 10.0, 5)
    weight = 20.0 * 9.80665
    push = -(98.0665 + weight * (10.0 - 0.5 * (s[1:] + s[:-1])))
    state = rw.statics(standing, "fem").state._replace(
        position=np.stack([0 * s, 0 * s, s], axis=1),
        element_tension=np.append(push, 0.0),
        point_position=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 10.0]]),
        end_force=np.array([[[0, 0, push[0] - 1.25 * weight], [0, 0, 98.0665]]]),
    )
    assert audit(build(standing), state, 0.0).passed
    assert "push" in kinds(audit(build(rope), state, 0.0))


def test_a_method_named_that_fails_its_audit_ends_with_the_numbers(monkeypatch):
    fem = solver_class("fem")
    read = fem.read

    def spoiled(self, model, work):
        state = read(self, model, work)
        position = np.array(state.position)
        position[20, 2] += 0.01
        return state._replace(position=position)

    monkeypatch.setattr(fem, "read", spoiled)
    with pytest.raises(
        ConvergenceError, match=r"method 'fem' .* audit rejects: line 'west' at s = .* out of balance by"
    ):
        rw.statics(moored(), "fem")


def test_auto_goes_on_to_the_next_method_when_one_breaks_down(monkeypatch):
    def broken(self, model, work, t):
        raise IndexError("index 0 is out of bounds")

    monkeypatch.setattr(solver_class("shooting"), "advance", broken)
    answer = rw.statics(moored())
    assert answer.method == "fem"
    assert "broke down (IndexError" in dict(answer.audit.rejected)["shooting"]
    with pytest.raises(ConvergenceError, match="'shooting' broke down"):
        rw.statics(moored(), "shooting")


def test_doubts_and_audit_are_in_json_and_in_results(solved):
    summary = solved.summary
    assert summary["audit"]["passed"] is True
    assert {"value", "limit", "part", "unit"} <= set(summary["audit"]["force"])
    assert [doubt["code"] for doubt in summary["doubts"]] == [doubt.code for doubt in solved.doubts]
    assert json.loads(solved.to_dataset().attrs["doubts"]) == summary["doubts"]


def test_ropes_that_cannot_reach_are_refused_with_their_names():
    """Two ropes of 40 m between anchors 100 m apart."""
    case = {
        "environment": {"seabed": {"kind": "none"}},
        "sections": {"c": {"drag": 0, "added_mass": 0,
                           "diameter": 0.05, "mass": 10, "axial_stiffness": "inextensible"}},
        "points": {"p": {"position": [1, 0.5, -5], "joint": "free", "mass": 100},
                   "a": {"position": [50, 0, 0]}, "b": {"position": [-50, 0, 0]}},
        "lines": {"l0": {"from": "a", "to": "p", "pieces": [{"section": "c", "length": 40}]},
                  "l1": {"from": "b", "to": "p", "pieces": [{"section": "c", "length": 40}]}},
    }  # fmt: skip
    with pytest.raises(InputError, match=r"lines 'l0' and 'l1' are 80 m long together, shorter than the 100 m between"):
        rw.statics(rw.System.model_validate(case))


def test_three_ropes_that_reach_in_pairs_but_not_together_are_refused():
    """Anchors 60 m apart at the corners of a triangle, its centre 34.64 m away: ropes of 33 m reach in pairs only."""
    corners = [(0, 0, 0), (60, 0, 0), (30, 30 * 3**0.5, 0)]
    case = {
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"c": {"diameter": 0.05, "mass": 10, "axial_stiffness": "inextensible"}},
        "points": {"p": {"position": [30, 17, -5], "joint": "free", "mass": 100},
                   **{f"a{i}": {"position": c} for i, c in enumerate(corners)}},
        "lines": {f"l{i}": {"from": f"a{i}", "to": "p", "pieces": [{"section": "c", "length": 33}]} for i in range(3)},
    }  # fmt: skip
    with pytest.raises(InputError, match="cannot all reach"):
        rw.statics(rw.System.model_validate(case))


def test_loads_of_the_audit_agree_with_the_laws():
    """Drag, current and strain in plain numpy against the kernels that the methods read."""
    rng = np.random.default_rng(1)
    u, t = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    t /= np.linalg.norm(t, axis=1)[:, None]
    ours = drag(u, t, np.full(20, 0.12), np.full(20, 0.01), 1025.0)
    for i in range(20):
        force, _ = drag_law.drag(tuple(u[i]), tuple(t[i]), 0.5 * 1025.0 * 0.12, 0.5 * 1025.0 * 0.01)
        assert_allclose(ours[i], force, rtol=1e-12, atol=1e-9)  # round-off
    profiles = ({"kind": "power", "exponent": 0.2}, {"kind": "table", "z": [-60, -20, 0], "factor": [0.2, 0.7, 1.0]})
    for profile in profiles:
        sea = build(moored(environment={"depth": 60, "current": {"speed": 0.9, "heading": 30, "profile": profile}})).sea
        z = np.array([-60.0, -59.999, -33.0, -10.0, 0.0, 2.0])
        args = (sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth)
        for height, velocity in zip(z, current_at(sea, z), strict=True):
            assert_allclose(velocity, current(height, *args, sea.current_table), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "law",
    [
        1e7,
        "inextensible",
        {"kind": "table", "strain": [0, 0.01, 0.1], "tension": [0, 1e5, 3e6]},
        {"kind": "polynomial", "stiffness": 1e7, "coefficients": [3.0, 40.0]},
    ],
)
def test_strain_of_the_audit_agrees_with_the_laws(law):
    model = build(moored(sections={"rope": {**ROPE, "axial_stiffness": law}, "light": ROPE}))
    sections = model.sections
    tension = np.array([-2e4, 0.0, 5e3, 1e5, 4e6])
    ours = strain_of(model, np.zeros(5, dtype=np.int64), tension)
    theirs = [strain(T, sections.law[0], sections.law_data, sections.law_start[0], sections.law_start[1])[0]
              for T in tension]  # fmt: skip
    assert_allclose(ours, theirs, rtol=1e-12, atol=1e-16)


def test_share_under_water_is_the_mean_over_the_stretch():
    low, high = np.array([-2.0, -1.0, 0.0, 1.0]), np.array([-1.0, 3.0, 4.0, 2.0])
    assert_allclose(submerged(low, Wetness(low, high)), [1.0, 0.25, 0.0, 0.0], atol=1e-15)
    assert_allclose(submerged(np.zeros(1), Wetness(np.zeros(1), np.zeros(1), 0.5)), [0.5])


def test_every_way_to_lump_loads_belongs_to_a_solver():
    assert set(QUADRATURE) <= set(SOLVERS)


@pytest.mark.parametrize(
    ("seabed", "end"),
    [({"normal": [0.05, 0, 1]}, [60, 50, 0]), ({"friction": 0.8}, [90, 0, -5])],
    ids=["slope", "friction"],
)
def test_weights_on_the_bed_pass(seabed, end):
    """What lies on the bed with a line turns it on a slope, and changes its tension by friction, at one place."""
    section = {"diameter": 0.05, "mass": 40.0, "axial_stiffness": 2e6, "contact_diameter": 0}
    bed = -25.0 if "friction" in seabed else -25.0 - 0.05 * -60.0
    case = rw.System.model_validate(
        {
            "environment": {"depth": 25.0, "seabed": seabed},
            "sections": {"chain": section},
            "points": {"a": {"position": [0 if "friction" in seabed else -60, 0, bed]}, "b": {"position": end}},
            "lines": {"l": {"from": "a", "to": "b",
                            "pieces": [{"section": "chain", "length": 110 if "friction" in seabed else 140}],
                            "attachments": [{"s": 20, "mass": 150}, {"s": 31, "mass": 60, "volume": 0.01}]}},
        }
    )  # fmt: skip
    answer = rw.statics(case, "shooting")
    assert answer.audit.passed
    state = answer.state
    k = int(np.argmin(np.abs(state.s - 20.0)))
    assert state.grounded[0] > 31.0
    moved = state.position.copy()
    moved[k, 0] += 1e-3
    assert not audit(answer.model, state._replace(position=moved), 0.0, answer.report.figures).passed


def test_friction_holds_half_an_element_at_a_held_end_as_that_beside_it():
    """A rope whose end is held on the bed at a height that is not that of its rest; more than friction is rejected."""
    case = {
        "environment": {"depth": 40.0, "water_density": 0, "seabed": {"stiffness": 6e4, "friction": 0.5}},
        "sections": {
            "thin": {**ROPE, "diameter": 0.036, "mass": 3.5, "axial_stiffness": 6e5, "contact_diameter": 0.036},
            "thick": {**ROPE, "diameter": 0.13, "mass": 23.0, "axial_stiffness": 1.6e7},
        },
        "points": {"a": {"position": [0, 0, -40]}, "b": {"position": [121, 0, -15]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "thin", "length": 11.6},
                                                           {"section": "thick", "length": 114}]}},
    }  # fmt: skip
    rest = rw.statics(rw.System.model_validate(case), "fem")
    assert rest.audit.passed
    pulled = rest.state.end_force.copy()
    pulled[0, 0, 0] -= 25.0  # friction of half an element is some 20 N
    spoiled = rest.state._replace(end_force=pulled)
    assert "force" in kinds(audit(rest.model, spoiled, 0.0, rest.report.figures))


HULL = {"kind": "axisymmetric", "profile": [[-8, 2], [9, 3]], "drag": {"normal": 1.0}, "wind_drag": 1.0}


def afloat(**environment):
    """A body with one hull of revolution, which is placed by hand."""
    body = {"mass": 1e5, "inertia": [1e6, 1e6, 1e6], "position": [0, 0, 0], "hulls": [HULL]}
    return build(rw.System.model_validate({"environment": {"depth": 100, **environment}, "bodies": {"b": body}}))


@pytest.mark.parametrize("tilt", [0.0, 20.0, 50.0, 70.0, 140.0])
@pytest.mark.parametrize("acts", [{"current": {"speed": 1.0, "heading": 90}}, {"wind": {"speed": 20, "heading": 90}}])
def test_flow_on_hulls_begins_and_ends_without_a_jump(tilt, acts):
    """Hulls for which the audit sums up nothing are wholly wet or dry: force across them is continuous in height."""
    model, (c, s) = afloat(**acts), (np.cos(np.radians(tilt)), np.sin(np.radians(tilt)))
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    heights = np.linspace(-16.0, 16.0, 3201)
    force = np.array([hull_wrenches(model, R, np.array([0.0, 0.0, z]), 0)[1][1] for z in heights])
    assert force.max() > 0.0 and np.any(force == 0.0)
    # steps of 0.01 m; the least ramp of a strip is its length of 1.4 m, or its diameter: 0.7 % of a strip a step, more
    # near the surface, where the wind rises from zero at once. A strip left out would be 8 %
    assert np.abs(np.diff(force)).max() <= 0.02 * force.max()


def test_a_body_on_the_bed_is_pushed_and_one_above_it_is_not():
    """The lowest rim decides: 8 m below the origin of an upright hull in 100 m of water."""
    model = afloat()
    assert not np.any(bed_wrench(model, np.eye(3), np.array([0.0, 0.0, -91.99]), 0))
    assert bed_wrench(model, np.eye(3), np.array([0.0, 0.0, -92.01]), 0)[2] > 0.0


@pytest.mark.parametrize(("method", "friction"), [("catenary", 0.0), ("catenary", 0.6), ("shooting", 0.6)])
def test_audit_rejects_a_force_across_the_bed_in_a_line_that_lies_on_it(method, friction):
    """A string pulls along itself: 1e-5 of the largest force (limit: 1e-6), much less than its weight between nodes."""
    rest = _lying(method, friction)
    force = np.array(rest.state.node_force)
    force[3, 2] += 1e-5 * np.abs(rest.state.end_force).max()
    spoiled = rest.state._replace(node_force=force)
    assert rest.audit.passed
    assert not audit(rest.model, spoiled, 0.0, rest.report.figures, CONTINUOUS).passed


def test_audit_rejects_a_force_across_the_bed_at_an_anchor_that_the_line_lies_at():
    """The bed, not the anchor, carries the half element there: 1e-5 of the largest force (limit: 1e-6)."""
    rest = _lying("fem", 0.6)
    for sign in (1.0, -1.0):
        force = np.array(rest.state.end_force)
        force[0, 0, 2] += sign * 1e-5 * np.abs(force).max()
        assert not audit(rest.model, rest.state._replace(end_force=force), 0.0, rest.report.figures, "nodes").passed


def _lying(method, friction):
    """A chain of which 300 m lie on the bed."""
    case = {
        "environment": {"depth": 100, "seabed": {"friction": friction}},
        "sections": {"chain": {"mass": 100.0, "diameter": 0.1, "axial_stiffness": 4e8}},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [400, 0, 0]}},
        "lines": {"m": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 440.0}]}},
    }
    return rw.statics(rw.System.model_validate(case), method)


def test_lines_that_bend_on_a_smooth_bed_are_integrated_in_its_plane():
    """A nearly slack line in a cross current: one step from node to node missed by more than the limit.

    The equilibrium meets the string's equations in the plane of the bed to 1e-11 m where they are integrated finely.
    """
    case = {
        "environment": {"depth": 100, "current": {"speed": 0.2, "heading": 90}},
        "sections": {"r": {"diameter": 0.0162, "mass": 0.3, "axial_stiffness": 3.1e5, "drag": {"normal": 1.1}}},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [30, 0, -10]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "r", "length": 430}]}},
    }
    found = rw.statics(rw.System.model_validate(case), "shooting")
    assert found.line("l")["grounded_length"] > 250.0
    state = found.state
    moved = state.position.copy()
    moved[20] += [0.01, 0.0, 0.0]
    wrong = audit(found.model, state._replace(position=moved), 0.0)
    assert not wrong.passed


@pytest.mark.parametrize(("other", "length"), [("rope", 520.0), ("thin", 700.0)])
def test_lines_of_bars_may_end_at_one_anchor_as_they_lie(other, length):
    """Bars share the node of an anchor: a rope that rises beside a chain that lies, two chains of unlike thickness.

    The bed's push on both is that of the node, and its height lies between those of the two at rest.
    """
    case = {
        "environment": {"depth": 346.0, "seabed": {"stiffness": 7.6e6}},
        "sections": {"chain": {"diameter": 0.725, "mass": 573.7, "axial_stiffness": 4.5e8},
                     "thin": {"diameter": 0.2, "mass": 150.0, "axial_stiffness": 4.5e8, "contact_diameter": 0.3},
                     "rope": {"diameter": 0.31, "mass": 40.0, "axial_stiffness": 2e9, "contact_diameter": 0.31}},
        "points": {"a": {"position": [300, 0, -346]}, "b": {"position": [0, 0, 0]}},
        "lines": {"l0": {"from": "b", "to": "a", "pieces": [{"section": "chain", "length": 600.0}]},
                  "l1": {"from": "a", "to": "b", "pieces": [{"section": other, "length": length}]}},
    }  # fmt: skip
    system = rw.System.model_validate(case)
    bars, elements = (rw.statics(system, method).line("l0")["end_a"]["tension"] for method in ("bars_statics", "fem"))
    # the stated discretisation errors are 3e-2 together
    assert bars == pytest.approx(elements, rel=3e-2)
