"""Rods held by lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.check import remarks
from ropewalk.analysis.floating import float_rods
from ropewalk.analysis.moored import float_all, float_moored, start_place
from ropewalk.analysis.stability import all_equilibria
from ropewalk.analysis.statics import statics
from ropewalk.assembly import catenary as catenary_assembly
from ropewalk.assembly.balance_newton import Place, moved
from ropewalk.assembly.catenary_build import build_assembly, scales
from ropewalk.errors import InputError
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.methods.rods.moored import RodNewton, moored_balance
from ropewalk.model.model import Model, build
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rod_lines import rods_as_bodies, rods_on_lines
from ropewalk.model.rods import RodModel
from ropewalk.spec.system import System

EXAMPLE = Path(__file__).parents[2] / "examples" / "rod_moored.yaml"
WATER, GRAVITY, DEPTH = 1025.0, 9.81, 12.0
BALANCED = 1e-10  # of the weight: the bar for the balance of forces
LENGTH, A, B, DENSITY = 4.0, 0.3, 0.2, 500.0
LIFT = (WATER - DENSITY) * np.pi * A * B * LENGTH * GRAVITY  # N, of the log under water
NEUTRAL_ROPE = WATER * np.pi * 0.01**2  # kg/m: no weight in water

LOG: dict[str, Any] = {"length": LENGTH, "density": DENSITY, "section": {"kind": "ellipse", "a": A, "b": B}}
BENT = {**LOG, "curvature": {"kind": "constant", "kappa": [0.0, 0.05, 0.02]}}
MIDDLE = {"eye": {"s": 0.5 * LENGTH}}


def case(lines: dict[str, Any], attachments: dict[str, Any], rod: dict[str, Any] = LOG, **more: Any) -> System:
    whole = {
        "environment": {"gravity": GRAVITY, "water_density": WATER, "depth": DEPTH, "seabed": {}},
        "sections": {
            "chain": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 3.0, "axial_stiffness": 1e7},
            "rope": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": NEUTRAL_ROPE, "axial_stiffness": 1e5},
            "rigid": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 3.0, "axial_stiffness": "inextensible"},
        },
        "points": {"anchor": {"position": [0, 0, -DEPTH]}, "far": {"position": [20, 5, -DEPTH]}},
        "lines": lines,
        "rods": {"log": {**rod, "attachments": attachments}},
    }
    return System.model_validate({**whole, **more})


def line(section: str, length: float, to: str = "log.eye", start: str = "anchor") -> dict[str, Any]:
    return {"from": start, "to": to, "pieces": [{"section": section, "length": length}]}


def spread(section: str = "chain") -> System:
    """A bent log between two anchors, on catenaries."""
    lines = {"near": line(section, 17.0, "log.bow"), "off": line(section, 18.0, "log.stern", "far")}
    return case(lines, {"bow": {"s": 0.0}, "stern": {"s": 3.5, "offset": [0.1, -0.1]}}, BENT)


def parts(system: System) -> tuple[Model, tuple[RodModel, ...], Place]:
    """The model of a case with one or more rods, and the first start of the search."""
    rods = {name: build_rod(system.rods[name], system.environment, name) for name in rods_on_lines(system)}
    model = build(rods_as_bodies(system, rods))
    poses = tuple(all_equilibria(rod).states[0].pose for rod in rods.values())
    return model, tuple(rods.values()), start_place(model, tuple(rods.values()), poses)


def test_buoyancy_weight_and_line_forces_add_up_to_nothing():
    """Summed here from the wet volume and the end forces, apart from the sum that the solver drives to zero."""
    model, rods, start = parts(spread())
    found = moored_balance(model, rods, start)
    weight = rods[0].mass * GRAVITY
    on_rod = found.end_force[:, 1].sum(axis=0)
    on_rod[2] += WATER * GRAVITY * found.rods[0].integrals.volume - weight
    assert_allclose(on_rod, 0.0, rtol=0, atol=BALANCED * weight)
    assert_allclose(found.rods[0].wrench, 0.0, rtol=0, atol=BALANCED * weight * LENGTH)
    assert found.stable


def test_stiffness_is_the_slope_of_the_wrench():
    """Central differences of the wrench about the head, in all six freedoms."""
    model, rods, start = parts(spread())
    found = moored_balance(model, rods, start)
    assembly = build_assembly(model)
    newton = RodNewton(
        assembly, model, rods, scales(model, assembly), catenary_assembly.balance(len(model.names.points), 1, 2)
    )
    free, step = newton.free, 1e-5
    slope = np.empty((6, 6))
    for j in range(6):
        force = []
        for sign in (1.0, -1.0):
            shift = np.zeros(newton.out.force.size)
            shift[free[j]] = sign * step
            there = moved(found.place, assembly.frame, shift)
            newton.evaluate(there, 0.0, there)
            force.append(newton.out.force[free].copy())
        slope[:, j] = (force[1] - force[0]) / (2.0 * step)
    # differences err by step^2 times the third derivative, some 1e-8 of the largest entry, and by round-off / step
    assert_allclose(slope, found.rods[0].stiffness, rtol=0, atol=1e-6 * np.abs(slope).max())


def test_rod_on_a_slack_weightless_line_floats_as_the_free_rod():
    system = case({"slack": line("rope", 14.0)}, MIDDLE, BENT)
    free = [s.pose for s in float_rods(system)["log"].states if s.stable]
    held = float_moored(system)["log"]
    assert len(held.states) == len(free)
    for state in held.states:
        # Newton leaves 1e-12 of weight x length; the softest roll stiffness is 1e-3 of it
        assert min(np.abs(state.pose.up - pose.up).max() + abs(state.pose.heave - pose.heave) for pose in free) < 1e-8
        assert max(state.tensions["slack"]) < 1e-10 * LIFT
        assert state.kind == "neutral"  # nothing keeps it from drifting
    assert "motions free" in held.message


def test_tether_of_a_drowned_rod_carries_its_net_lift():
    """T = (rho - rho_b) V g; the rod stands on its end, the rope stretches by T L / EA."""
    (state,) = float_moored(case({"tether": line("rope", 6.0)}, {"eye": {"s": 0.0}}))["log"].states
    assert_allclose(state.tensions["tether"], LIFT, rtol=1e-10)
    assert_allclose(state.position, [0.0, 0.0, -DEPTH + 6.0 * (1.0 + LIFT / 1e5)], rtol=0, atol=1e-8)
    assert_allclose(np.degrees(state.pose.pitch), -90.0, rtol=0, atol=1e-5)


def test_log_pulled_down_level_sinks_as_its_segment_says():
    """Elliptic cylinder, tether at its middle: T + m g = rho g L a b (arccos(-d) + d sqrt(1 - d^2))."""
    found = float_moored(case({"tether": line("rope", 11.7)}, MIDDLE))["log"]
    state = found.states[0]
    d = -state.position[2] / B
    wet = A * B * LENGTH * (np.arccos(-d) + d * np.sqrt(1.0 - d * d))
    assert_allclose(state.tensions["tether"], GRAVITY * (WATER * wet - DENSITY * np.pi * A * B * LENGTH), rtol=1e-10)
    assert_allclose(state.tensions["tether"], 1e5 * ((DEPTH + state.position[2]) / 11.7 - 1.0), rtol=1e-9)
    assert state.tensions["tether"][0] > 0.1 * LIFT


def test_inextensible_lines_are_the_limit_of_stiff_ones():
    stiff = spread()
    stiff = stiff.replace(sections={**stiff.sections, "chain": stiff.sections["chain"].replace(axial_stiffness=1e12)})
    for rigid, elastic in zip(*(float_moored(s)["log"].states for s in (spread("rigid"), stiff)), strict=True):
        # strain 1e-9 times a length of 18 m
        assert_allclose(rigid.position, elastic.position, rtol=0, atol=1e-6)
        assert_allclose(rigid.tensions["near"], elastic.tensions["near"], rtol=1e-6)


def test_short_inextensible_tether_drowns_the_rod():
    (state,) = float_moored(case({"tether": line("rigid", 6.0)}, {"eye": {"s": 0.0}}))["log"].states
    # a taut rigid line is told as one that stretches by 1e-8, which turns the last digit of a height into 1e-8 of T
    assert_allclose(state.position[2], -6.0, rtol=0, atol=1e-6)
    assert_allclose(state.tensions["tether"][1], LIFT, rtol=1e-7)


def test_turning_the_anchors_turns_the_answer():
    system, angle = spread(), 0.7
    c, s = np.cos(angle), np.sin(angle)
    points = {
        name: point.replace(position=(c * point.position[0] - s * point.position[1],
                                      s * point.position[0] + c * point.position[1], point.position[2]))
        for name, point in system.points.items()
    }  # fmt: skip
    turned = float_moored(system.replace(points=points))["log"].states
    for before, after in zip(float_moored(system)["log"].states, turned, strict=True):
        x, y, _ = before.position
        assert_allclose(after.position[:2], [c * x - s * y, s * x + c * y], rtol=0, atol=1e-8)
        assert_allclose(after.pose.up, before.pose.up, rtol=0, atol=1e-8)
        assert_allclose((after.yaw - before.yaw + np.pi) % (2 * np.pi) - np.pi, angle, rtol=0, atol=1e-8)
        scale = np.abs(before.pose.stiffness).max()
        assert_allclose(after.pose.stiffness, before.pose.stiffness, rtol=0, atol=1e-7 * scale)


def test_spar_as_a_rod_and_as_a_body_of_revolution_hang_alike():
    """The hull of a body is cut by code of its own (`physics.hydrostatics`) and balanced by the solver of lines."""
    radius, height, density, ballast = 0.3, 8.0, 300.0, 900.0
    mass = density * np.pi * radius**2 * height
    lines = {"near": line("chain", 8.0, "spar.low"), "off": line("chain", 19.0, "spar.high", "far")}
    rod = {"length": height, "density": density, "section": {"kind": "ellipse", "a": radius, "b": radius},
           "masses": [{"s": 0.5, "mass": ballast}], "attachments": {"low": {"s": 1.0}, "high": {"s": 5.0}}}  # fmt: skip
    (state,) = float_moored(case(lines, {}, rods={"spar": rod}))["spar"].states
    body = {"mass": mass, "centre_of_mass": [0, 0, 0.5 * height], "position": [1.0, 0.0, -5.0],
            "point_masses": [{"mass": ballast, "position": [0, 0, 0.5]}],
            "hull": {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[0.0, radius], [height, radius]]},
            "attachments": {"low": [0, 0, 1.0], "high": [0, 0, 5.0]}}  # fmt: skip
    result = statics(case(lines, {}, rods={}, bodies={"spar": body}), "catenary")
    assert 5.0 < np.degrees(state.pose.pitch) + 90.0 < 45.0  # well off the upright, or little would be shown
    # both solvers stop at round-off of the forces; the softest direction multiplies it by some 1e3
    assert_allclose(state.position, result.state.body_position[0], rtol=0, atol=1e-9 * height)
    tensions = np.linalg.norm(result.state.end_force, axis=2)
    assert_allclose([state.tensions["near"], state.tensions["off"]], tensions, rtol=1e-9)


def test_two_rods_a_free_point_and_a_buoy_come_to_rest_together():
    system = case(
        {
            "leg": line("chain", 13.0, "knot"),
            "bridle 1": line("rope", 3.0, "log.bow", "knot"),
            "bridle 2": line("rope", 3.0, "log.stern", "knot"),
            "link": line("rope", 5.0, "twin.eye", "log.stern"),
            "stay": line("chain", 16.0, "twin.eye", "far"),
            "pick up": line("rope", 2.0, "buoy.eye", "twin.eye"),
        },
        {"bow": {"s": 1.0}, "stern": {"s": 3.0}},
        points={
            "anchor": {"position": [0, 0, -DEPTH]},
            "far": {"position": [20, 5, -DEPTH]},
            "knot": {"position": [2, 0, -3], "joint": "free", "mass": 20.0},
        },
        bodies={"buoy": {"mass": 40.0, "position": [9, 1, 0], "hull": {"drag": 0, "kind": "sphere", "radius": 0.4},
                         "attachments": {"eye": [0, 0, -0.4]}}},
        rods={"log": {**LOG, "attachments": {"bow": {"s": 1.0}, "stern": {"s": 3.0}}},
              "twin": {**BENT, "attachments": {"eye": {"s": 0.1}}}, "loose": LOG},
    )  # fmt: skip
    found = float_all(system)
    assert list(found) == ["log", "twin", "loose"]
    assert len(found["log"].states) == len(found["twin"].states) >= 1
    for name in ("log", "twin"):
        assert all(state.pose.residual < BALANCED for state in found[name].states)
    assert found["loose"].complete


@pytest.mark.parametrize("seed", range(8))
def test_random_rods_on_random_lines_come_to_rest(seed):
    rng = np.random.default_rng(seed)
    lines, attachments, points = {}, {}, {}
    for i in range(1 + seed % 4):
        angle, reach = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(3.0, 25.0)
        points[f"p{i}"] = {"position": [reach * np.cos(angle), reach * np.sin(angle), -DEPTH]}
        attachments[f"a{i}"] = {
            "s": rng.uniform(0.0, LENGTH),
            "offset": [rng.uniform(-A, A) / 2, rng.uniform(-B, B) / 2],
        }
        lines[f"l{i}"] = line("chain", np.hypot(reach, DEPTH) * rng.uniform(0.98, 1.2), f"log.a{i}", f"p{i}")
    kappa = (rng.uniform(-1.0, 1.0, 3) / LENGTH).tolist()
    rod = {**LOG, "density": rng.uniform(100.0, 800.0), "curvature": {"kind": "constant", "kappa": kappa}}
    states = float_moored(case(lines, attachments, rod, points=points))["log"].states
    for state in states:
        assert state.pose.residual < BALANCED
        # nothing falls away from it; yaw and drift may be neutral, to round-off
        assert np.linalg.eigvalsh(state.pose.stiffness)[0] > -1e-9 * np.abs(state.pose.stiffness).max()


def test_ends_out_of_the_water_are_told():
    system = case({"stay": line("chain", 13.0)}, {"eye": {"s": 0.0, "offset": [0.0, 0.19]}})
    found = float_moored(system)["log"]
    heights = [state.dry["stay"] for state in found.states if state.dry]
    assert heights
    assert all(height < 0.2 for height in heights)
    assert "ends of lines above the water" in found.message


def test_example_floats_where_its_page_says():
    found = float_moored(System.from_file(EXAMPLE))["log"]
    assert [state.kind for state in found.states] == ["minimum", "minimum"]
    assert all(state.pose.residual < BALANCED for state in found.states)
    # six digits, printed
    assert_allclose(found.states[0].tensions["tether"], [1794.88, 1794.65], rtol=3e-6)


def test_every_other_solver_refuses_lines_on_rods():
    model = build(spread())
    for name in SOLVERS:
        with pytest.raises(InputError, match="floating rods"):
            refuse_unclaimed(solver_class(name)(), model)
    with pytest.raises(InputError, match="no method supports statics with floating rods"):
        statics(spread())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rod": {**LOG, "elasticity": {"torsion": 1.0, "bending": [1.0, 1.0]}}}, "an elastic rod cannot be held"),
        ({"environment": {"depth": DEPTH, "seabed": {}, "current": {"speed": 1.0}}}, "without current"),
        ({"rod": {"density": DENSITY, "section": LOG["section"],
                  "curvature": {"kind": "pieces", "pieces": [{"length": 1.0, "kappa": [0, 0, 0]}]}}},
         "rod 'log', attachment 'eye': s = 2.0 m lies beyond the rod's length 1 m"),
        ({"lines": {}}, "no line ends on a rod"),
    ],
)  # fmt: skip
def test_what_cannot_be_balanced_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        float_moored(case(**{"lines": {"tether": line("rope", 11.7)}, "attachments": MIDDLE, **change}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"attachments": {"eye": {"s": 4.5}}}, "attachment 'eye' at s = 4.5 m lies beyond the rod's length 4.0 m"),
        ({"lines": {"tether": line("rope", 11.7, "log.ear")}}, "no point or attachment 'log.ear'; did you"),
        ({"points": {"anchor": {"position": [0, 0, -DEPTH]}, "log": {"position": [0, 0, 0]}}}, "a point is named"),
        ({"bodies": {"log": {"mass": 1.0, "position": [0, 0, 0]}}}, "a body is named 'log' too"),
    ],
)  # fmt: skip
def test_wrong_names_and_places_are_refused_when_read(change, message):
    with pytest.raises(InputError, match=message):
        case(**{"lines": {"tether": line("rope", 11.7)}, "attachments": MIDDLE, **change})


def test_check_remarks_on_a_rod_that_runs_into_itself():
    ring = {"length": 2.0, "density": 500.0, "section": {"kind": "ellipse", "a": 0.05, "b": 0.05},
            "curvature": {"kind": "constant", "kappa": [0, 0, 3.2]}}  # fmt: skip
    system = System.model_validate({"rods": {"ring": ring}})
    assert any("rod 'ring': it intersects itself" in remark for remark in remarks(system))
    with pytest.raises(InputError, match="so it sinks"):
        remarks(System.model_validate({"rods": {"ring": {**ring, "density": 2000.0}}}))
