"""Shooting: exact derivatives for every load and joint, contact, surface, direction, failures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from shooting_cases import case, line, section, solve

from ropewalk.assembly.balance_newton import Place
from ropewalk.methods.catenary.solver import Catenary
from ropewalk.methods.protocol import Status
from ropewalk.methods.shooting.assembly import evaluate, gather, result_memory
from ropewalk.methods.shooting.build import build_problem
from ropewalk.methods.shooting.multiple import first_plan
from ropewalk.methods.shooting.newton import CONVERGED, Newton, move
from ropewalk.methods.shooting.shape import GuessedShape
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.methods.shooting.sound import sideways
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.numerics.rungekutta import DORMAND_PRINCE
from ropewalk.spec.system import System

ROPE = section(300.0, 0.05, 1e8, drag={"normal": 1.2, "tangential": 0.1})
DEEP = {"water_density": 1025}
FLOW = {"speed": 1.0, "heading": 60}
SHEAR = {"speed": 1.2, "heading": 20, "profile": {"kind": "power", "exponent": 1.0}}
TILTED = [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]


def bed(friction, current=None, normal=None):
    environment = {"water_density": 1025, "depth": 200.0, "seabed": {"friction": friction}}
    if normal is not None:
        environment["seabed"]["normal"] = normal
    return environment if current is None else {**environment, "current": current}


def sheared(**more):
    return {"water_density": 1025, "depth": 400.0, "seabed": {"kind": "none"}, "current": SHEAR, **more}


def joint_case(joint, **more):
    return case(DEEP, ROPE, [0, 0, -100], {"position": [60, 5, -90], "joint": joint, **more}, line(80.0))


CASES = {
    "ball": joint_case("fixed"),
    "imposed force": joint_case({"axes": {"x": {"force": 9e3}, "y": {"force": 2e3}, "z": {"force": 1e3}}}),
    "slider in a frame": joint_case({"axes": {"x": {"force": 9e3}}, "frame": TILTED}),
    "plane": joint_case({"axes": {"x": {"force": 9e3}, "y": {"force": 1e3}}}),
    "spring": joint_case({"axes": {a: {"spring": 4e3} for a in "xyz"}}),
    "spring on a slider in a frame": joint_case({"axes": {"x": {"spring": 4e3}}, "frame": TILTED}),
    "float below the surface": joint_case("free", volume=5.0, mass=100.0, drag_area=2.0),
    "shear": case(sheared(), ROPE, [0, 0, -190], [300, 20, -20], line(370.0)),
    "surface": case(sheared(), ROPE, [0, 0, -190], [300, 20, 40], line(420.0)),
    "clump with drag": case(sheared(), ROPE, [0, 0, -190], [300, 20, -20],
                            line(370.0, attachments=[{"s": 100, "mass": 500, "volume": 1.0, "drag_area": 3.0}])),
    "loads": case(sheared(), ROPE, [0, 0, -190], [300, 20, -20], line(370.0, loads=[
        {"kind": "rotating", "axis": [0, 0.2, 1], "rate": 0.05, "origin": [10, 5, 0]},
        {"kind": "pressure", "axis": [1, 1, 0], "value": 50.0},
        {"kind": "table", "s": [0, 100, 370], "force": [[0, 10, 0], [50, 0, 20], [0, 0, 0]]}])),
    "bed": case(bed(0.0), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "bed with friction": case(bed(0.3), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "bed in current": case(bed(0.0, FLOW), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "bed in current with friction": case(bed(0.3, FLOW), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "slope in current": case(bed(0.0, FLOW, [0.1, 0.05, 1]), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "slope with friction": case(bed(0.3, FLOW, [0.1, 0.05, 1]), ROPE, [0, 0, -200], [400, 0, -20], line(500.0)),
    "hanging over the bed": case(bed(0.3, FLOW), ROPE, [0, 0, -150], [400, 0, -100], line(500.0)),
}  # fmt: skip


def problem_of(data):
    model = build(System.model_validate(data))
    state = initial_state(model)
    place = Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy())
    shape = GuessedShape(model, place)
    return model, build_problem(model, place, first_plan(model, place, shape), shape)


def solved_problem(data, tolerance=1e-13):
    model, p = problem_of(data)
    parts = (p.arcs, p.nodes, p.rigid, model.sea)
    out = result_memory(p.x.size, p.arcs.line.size, p.nodes.body.size, p.rigid.body.size)
    path = Newton(parts, p.x, p.quaternions, p.scales, (tolerance, DORMAND_PRINCE), out).solve(1e-12)
    assert path.ending == CONVERGED
    return p, parts, out


def check_jacobian(data, step=1e-4):
    p, parts, out = solved_problem(data)
    n, settings = p.x.size, (1e-13, DORMAND_PRINCE)
    exact = np.zeros((n, n))
    evaluate(*parts, p.x, p.quaternions, *settings, True, out)
    gather(*parts[:3], out, exact)
    differences = np.zeros((n, n))
    x, q = np.empty(n), p.quaternions.copy()
    for j in range(n):
        unit = np.eye(n)[j]
        h = step * p.scales.column[j]
        for k, weight in ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12)):
            move(p.x, p.quaternions, unit, k * h, p.nodes, p.rigid, x, q)
            evaluate(*parts, x, q, *settings, False, out)
            differences[:, j] += weight * out.residual / h
    scale = p.scales.column / p.scales.row[:, None]
    size = np.abs(exact * scale).max()
    # fourth-order differences over 1e-4 of the scale: 1e-13/1e-4 from the integrator, less from truncation
    assert_allclose(exact * scale, differences * scale, atol=1e-7 * size)


@pytest.mark.parametrize("name", CASES)
def test_derivative_equals_differences(name):
    """The variational equations give the derivative of the computed residual, events and contact included."""
    check_jacobian(CASES[name])


def moored_body(current=None, joint="free"):
    headings = [math.radians(h) for h in (10, 130, 250)]
    hull = {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[-12.0, 4.0], [6.0, 4.0]]}
    environment = {"water_density": 1025, "depth": 200.0, "gravity": 9.81}
    if current:
        environment["current"] = current
    return {
        "environment": environment,
        "sections": {"c": ROPE},
        "points": {f"a{i}": {"position": [420 * math.cos(h), 420 * math.sin(h), -200]} for i, h in enumerate(headings)},
        "bodies": {"hull": {"mass": 5.0e5, "centre_of_mass": [0, 0, -7.0], "position": [0, 0, 0], "joint": joint,
                            "hull": hull, "loads": {"force": [3e4, 1e4, 0], "at": [0, 0, 3.0]},
                            "attachments": {f"e{i}": [4 * math.cos(h), 4 * math.sin(h), -8]
                                            for i, h in enumerate(headings)}}},
        "lines": {f"m{i}": line(480.0, f"a{i}", f"hull.e{i}") for i in range(3)},
    }  # fmt: skip


def test_derivative_of_a_moored_body_equals_differences():
    """Six degrees of freedom, hull, weight and levers of the lines."""
    check_jacobian(moored_body(FLOW))


def closed_form(data):
    model = build(System.model_validate(data))
    solver = Catenary()
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 0.0).good
    return solver.read(model, work), solver.stiffness(model, work)


@pytest.mark.parametrize("name", ["bed", "bed with friction"])
def test_grounded_line_agrees_with_the_closed_form(name):
    got, (want, _) = solve(CASES[name]), closed_form(CASES[name])
    assert_allclose(got.state.end_force, want.end_force, atol=1e-9 * 1.5e5)
    assert_allclose(got.state.grounded, want.grounded, rtol=1e-10)
    assert_allclose(got.state.position, want.position, atol=1e-8)
    assert_allclose(got.state.tension, want.tension, atol=1e-9 * 1.5e5)


def test_line_that_touches_the_bed_in_its_middle_agrees_with_the_closed_form():
    """No end on the bed: cut on the bed and shot both ways."""
    data = case(bed(0.0), ROPE, [0, 0, -150], [400, 0, -100], line(500.0))
    got, (want, _) = solve(data), closed_form(data)
    assert got.report.figures["backward"] == 1
    assert_allclose(got.state.end_force, want.end_force, atol=1e-9 * 1.5e5)
    assert_allclose(got.state.grounded, want.grounded, rtol=1e-9)


def test_moored_body_agrees_with_the_closed_form():
    """Position, attitude and the 6 x 6 stiffness of the lines."""
    data = moored_body()
    got, (want, stiffness) = solve(data), closed_form(data)
    assert_allclose(got.state.body_position, want.body_position, atol=1e-8)
    assert_allclose(np.abs(got.state.body_quaternion), np.abs(want.body_quaternion), atol=1e-9)
    assert_allclose(Shooting().stiffness(got.model, got.work), stiffness, atol=1e-8 * np.abs(stiffness).max())


REFERENCE_MOORINGS = {
    "OC3": ((320, 853.87, 5.2, -70, (0, 120, 240), 902.2, 0.09, 77.7066, 384.243e6),
            (736938.851, 535727.850, 134.785529), (41181.20446, 11941.51492, 1.156668628e7)),
    "OC4": ((200, 837.6, 40.868, -14, (60, 180, 300), 835.35, 0.0766, 113.35, 753.6e6),
            (907498.806, 631106.727, 242.906870), (70836.04509, 19140.46953, 1.169701670e8)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFERENCE_MOORINGS)
def test_reference_moorings(name):
    """OC3-Hywind and OC4 DeepCwind: fairlead forces, grounded length, K11, K33, K66 as printed."""
    (depth, anchor, fairlead, z, headings, length, d, mass, EA), forces, stiffness = REFERENCE_MOORINGS[name]
    around = [(math.cos(math.radians(h)), math.sin(math.radians(h))) for h in headings]
    data = {
        "environment": {"gravity": 9.80665, "water_density": 1025, "depth": depth},
        "sections": {"c": {"drag": 0, "added_mass": 0, "diameter": d, "mass": mass, "axial_stiffness": EA}},
        "points": {f"a{i}": {"position": [anchor * x, anchor * y, -depth]} for i, (x, y) in enumerate(around)},
        "bodies": {"p": {"mass": 1.0, "position": [0, 0, 0], "joint": "fixed",
                         "attachments": {f"f{i}": [fairlead * x, fairlead * y, z] for i, (x, y) in enumerate(around)}}},
        "lines": {f"l{i}": line(length, f"a{i}", f"p.f{i}") for i in range(3)},
    }  # fmt: skip
    got = solve(data)
    force = got.state.end_force[0, 1]
    printed = (np.hypot(force[0], force[1]), -force[2], got.state.grounded[0])
    assert_allclose(printed, forces, atol=6e-4)
    K = Shooting().stiffness(got.model, got.work)[0]
    assert_allclose(np.diag(K)[[0, 2, 5]], stiffness, rtol=6e-10)


def test_order_of_the_ends_does_not_matter():
    """Swapped ends: the same forces, shot from the other side."""
    for name in ("shear", "surface", "bed in current"):
        data = CASES[name]
        swapped = {**data, "lines": {"l": {**data["lines"]["l"], "from": "b", "to": "a"}}}
        one, two = solve(data), solve(swapped)
        assert_allclose(one.state.end_force, two.state.end_force[:, ::-1], atol=1e-9 * 1.5e5)


def test_growth_is_limited_by_cuts():
    """A neutral line in strong cross flow with a low limit is cut, and the answer stays."""
    rope = section(0.0, 0.05, 1e8, drag={"normal": 1.2, "tangential": 0.05})
    data = case({"water_density": 1025, "current": FLOW}, rope, [0, 0, -100], [60, 0, -20], line(150.0))
    whole, cut = solve(data), solve(data, growth_limit=10.0)
    assert cut.report.figures["intervals"] > whole.report.figures["intervals"]
    assert cut.report.figures["growth"] <= 10.0
    assert_allclose(cut.state.end_force, whole.state.end_force, rtol=1e-9, atol=1e-6)


def test_vertical_slack_loop_is_said():
    """Both ends in one place: two vertical legs, wL/2 each, and a status that says so."""
    got = solve(case({"water_density": 0}, section(20.0, 0.02, 1e7, 0.0), [0, 0, 0], [0, 0, 0], line(50.0)))
    assert got.report.status in (Status.SLACK, Status.NOT_CONVERGED)
    assert got.report.message


def test_line_that_cannot_reach_is_said():
    rope = section(20.0, 0.02, "inextensible", 0.0)
    report = solve(case({"water_density": 0}, rope, [0, 0, 0], [60, 0, 0], line(50.0))).report
    assert report.status is Status.TOO_SHORT
    assert "length 50 m is shorter than the 60 m between its ends" in report.message


def test_runaway_is_said():
    """Nothing holds a point that is pushed along a frictionless slider without end."""
    joint = {"axes": {"x": "free", "y": "free", "z": {"force": 500.0}}}
    data = case({"water_density": 0}, section(1.0, 0.02, 1e7, 0.0), {"position": [0, 0, 0], "joint": joint},
                {"position": [30, 0, 0], "joint": joint}, line(50.0))  # fmt: skip
    report = solve(data).report
    assert report.status in (Status.NO_EQUILIBRIUM, Status.NOT_CONVERGED)
    assert "point" in report.message or "line" in report.message


def test_not_a_number_is_said():
    """Numbers that slipped past the checks of the file end in a status, not in a hang."""
    model = build(System.model_validate(CASES["ball"]))
    position = model.points.position.copy()
    position[1, 0] = np.nan
    bad = model._replace(points=model.points._replace(position=position))
    solver = Shooting()
    report = solver.advance(bad, solver.start(bad, initial_state(bad)), 0.0)
    assert report.status is Status.NOT_FINITE
    assert "not a finite number" in report.message


def wave_case(a, environment):
    """Heavy, buoyant, heavy: hangs in two bights that may both reach the bed."""
    data = case(environment, ROPE, a, [500, 0, -60], line(700.0))
    data["sections"]["lift"] = section(-200.0, 0.3, 1e8, drag={"normal": 1.2, "tangential": 0.1})
    data["lines"]["l"]["pieces"] = [
        {"section": "c", "length": 280}, {"section": "lift", "length": 120}, {"section": "c", "length": 300}
    ]  # fmt: skip
    return data


@pytest.mark.parametrize("start", [[0, 0, -120], [0, 0, -200]])
def test_line_that_rests_on_the_bed_in_two_places(start):
    """Each stretch on the bed lifts off flat, and no force but the bed's is left over."""
    got = solve(wave_case(start, bed(0.0)))
    assert got.report.status is Status.DONE
    height = got.state.position[:, 2] + 200.0
    assert height.min() > -1e-9
    resting = height < 1e-9
    # without friction, along a flat bed, the horizontal force is the same everywhere
    horizontal = np.abs(got.state.end_force[0, :, 0])
    assert_allclose(horizontal[0], horizontal[1], rtol=1e-9)
    assert_allclose(got.state.tension[resting], horizontal[0], rtol=1e-8)
    middle = got.state.s > 340.0
    assert np.any(resting & middle) and np.any(resting & ~middle)


def test_contact_in_current_balances_the_drag():
    """The bed without friction takes normal forces only, so the ends carry all drag along it."""
    got = solve(wave_case([0, 0, -200], bed(0.0, FLOW)))
    assert got.report.status is Status.DONE
    assert got.state.position[:, 2].min() >= -200.0 - 1e-9
    step = np.diff(got.state.position, axis=0)
    length = np.linalg.norm(step, axis=1)
    t = step / length[:, None]
    u = np.array([math.cos(math.radians(60)), math.sin(math.radians(60)), 0.0])
    along = t @ u
    across = u - along[:, None] * t
    s = 0.5 * (got.state.s[1:] + got.state.s[:-1])
    d = np.where((s > 280) & (s < 400), 0.3, 0.05)
    normal = 1.2 * np.linalg.norm(across, axis=1)[:, None] * across
    drag = 0.5 * 1025 * d[:, None] * (normal + 0.1 * math.pi * (np.abs(along) * along)[:, None] * t)
    total = (length[:, None] * drag).sum(axis=0)
    # straight chords of 7 m: the nodes at 280 and 400 m fit, bends of a few degrees per chord leave 1 %
    assert_allclose(got.state.end_force[0].sum(axis=0)[:2], total[:2], rtol=0.02)


def test_a_net_agrees_with_the_closed_form():
    """36 knots, 60 lines: sparse path, all positions."""
    n = 6
    points, lines = {}, {}
    for i in range(n):
        for j in range(n):
            points[f"p{i}_{j}"] = {"position": [float(i), float(j), -10.0 - 0.1 * ((i + 2 * j) % 3)]}
            if not (i in (0, n - 1) and j in (0, n - 1)):
                points[f"p{i}_{j}"].update(joint="free", mass=2.0)
            for di, dj in ((1, 0), (0, 1)):
                if i + di < n and j + dj < n:
                    lines[f"l{i}_{j}_{di}"] = line(1.05, f"p{i}_{j}", f"p{i + di}_{j + dj}")
    data = {
        "environment": {"gravity": 9.81, "water_density": 0},
        "sections": {"c": {"diameter": 0.01, "mass": 0.1, "axial_stiffness": 1e5}},
        "points": points,
        "lines": lines,
    }
    got, (want, _) = solve(data), closed_form(data)
    assert got.report.figures["unknowns"] > 150
    assert_allclose(got.state.point_position, want.point_position, atol=1e-9)


@pytest.mark.parametrize("name", ["imposed force", "slider in a frame", "float below the surface", "spring"])
def test_points_pass_on_only_what_holds_them(name):
    """Free components carry nothing; a spring carries its stretch."""
    got = solve(CASES[name])
    joint = CASES[name]["points"]["b"]["joint"]
    frame = np.array(TILTED) if isinstance(joint, dict) and "frame" in joint else np.eye(3)
    along = frame @ got.state.point_force[1]
    if name == "spring":
        stretch = got.state.point_position[1] - np.array([60, 5, -90])
        assert_allclose(along, 4e3 * stretch, atol=1e-8 * 2e4)
    else:
        free = [0] if "slider" in name else [0, 1, 2]
        assert_allclose(along[free], 0.0, atol=1e-8 * 5e4)


def test_second_advance_starts_from_the_first():
    """A moved point: the next equilibrium needs few steps and equals one found afresh."""
    motion = {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 5.0, "omega": 0.5, "phase": 1.5708}]}
    data = case(bed(0.3, FLOW), ROPE, [0, 0, -200], {"position": [400, 0, -20], "joint": "moving", "motion": motion},
                line(500.0))  # fmt: skip
    model = build(System.model_validate(data))
    solver = Shooting()
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 0.0).good
    warm = solver.advance(model, work, 2.0)
    fresh_work = solver.start(model, initial_state(model))
    assert solver.advance(model, fresh_work, 2.0).good
    assert warm.good
    one, two = solver.read(model, work), solver.read(model, fresh_work)
    assert_allclose(one.end_force, two.end_force, atol=1e-8 * 1.5e5)


def test_sideways_push_beyond_friction_is_said():
    """Half density times coefficient, diameter and speed squared across a line on the bed, against mu w."""
    data = case(bed(0.3, {"speed": 1.0, "heading": 90}), ROPE, [0, 0, -200], [400, 0, -20], line(500.0))
    friction = 0.3 * 300.0  # N/m; the section weighs 300 N/m in water
    for speed, held in ((1.0, True), (2.0, False)):
        data["environment"]["current"]["speed"] = speed
        solved = solve(data)
        assert solved.report.good is held
        (push,) = sideways(solved.model, solved.work.problem, solved.work.out)
        angle = math.atan2(*solved.work.problem.x[solved.work.problem.arcs.dof[0, 13:11:-1]])
        # drag on the part of the flow across the line, which the current has turned a little
        assert_allclose(push.push, 0.5 * 1025 * 1.2 * 0.05 * (speed * math.cos(angle)) ** 2, rtol=1e-9)
        assert_allclose(push.limit, friction, rtol=1e-9)
        assert ("is swept sideways" in solved.report.message) is not held
        assert (push.push < push.limit) is held


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_random_starts_arrive(name):
    """|n0| from 0.01 to 100 times the load, any direction: 5600 starts for each of 18 cases, at least 99.9 % arrive."""
    model, p = problem_of(CASES[name])
    parts = (p.arcs, p.nodes, p.rigid, model.sea)
    random = np.random.default_rng(1)
    own = p.arcs.dof[:, 12:15]
    tries, arrived = 5600, 0
    for _ in range(tries):
        x = p.x.copy()
        for a in range(own.shape[0]):
            direction = random.normal(size=3)
            x[own[a]] = direction / np.linalg.norm(direction) * p.arcs.force[a] * 10 ** random.uniform(-2, 2)
        out = result_memory(x.size, p.arcs.line.size, p.nodes.body.size, p.rigid.body.size)
        newton = Newton(parts, x, p.quaternions.copy(), p.scales, (1e-12, DORMAND_PRINCE), out)
        arrived += newton.solve(1e-11).ending == CONVERGED
    assert arrived >= 0.999 * tries
