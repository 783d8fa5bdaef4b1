"""Loads of bodies on points and bars: hulls of revolution, matrices, moments, wind; nets on bodies."""

import math
from pathlib import Path

import numpy as np
import pytest
from bars_cases import order, panel, run
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits
from scipy.integrate import solve_ivp

from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import statics
from ropewalk.assembly.body_loads import fill_block
from ropewalk.methods.bars.added import point_tensors
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.hull_arrays import opened
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.loads import loads
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.work import refresh, stable_step
from ropewalk.model.model import build
from ropewalk.model.state import end_positions, initial_state, rotation_matrix
from ropewalk.physics.rigidbody import arm_matrix
from ropewalk.spec.system import System

SEA = {
    "depth": 20,
    "seabed": {"kind": "none"},
    "current": {"speed": 0.7, "heading": 144},
    "wind": {"speed": 8, "heading": 144},
    "waves": {"kind": "regular", "ramp": 0.0, "height": 2.0, "period": 5.0, "heading": 29},
}
EXAMPLES = Path(__file__).parents[3] / "examples"
BARE = {
    "drag": 0,
    "added_mass": 0,
    "diameter": 0.001,
    "mass": 1.0,
    "axial_stiffness": "inextensible",
}  # a tether on which the sea does not act
HULL = {"kind": "axisymmetric", "profile": [(-1.0, 0.65), (1.0, 0.65)], "drag": {"normal": 0.8, "axial": 1.0},
        "added_mass": {"normal": 0.5, "axial": 0.2}}  # fmt: skip
ADDED = np.diag([100.0, 120.0, 200.0, 30.0, 40.0, 5.0])
ADDED[0, 4] = ADDED[4, 0] = -20.0
ADDED[1, 3] = ADDED[3, 1] = 20.0
MORE = {
    "added_mass": ADDED.tolist(),
    "damping": np.diag([50.0, 50.0, 100.0, 80.0, 80.0, 20.0]).tolist(),
    "stiffness": np.diag([200.0, 200.0, 0.0, 0.0, 0.0, 50.0]).tolist(),
    "loads": {"force": (300, 0, 0), "moment": (20, 50, 10), "at": (0, 0, 0.8)},
}


def buoy(environment=None, section=None, slack=0.0, elements=4, body=None, **run):
    """A tilted cylinder on a tether that is straight at the start, or longer by `slack` (m)."""
    case = System.model_validate({
        "environment": {"gravity": 9.81, "water_density": 1025.0, **(SEA if environment is None else environment)},
        "sections": {"rope": section or BARE},
        "points": {"anchor": {"position": (0, 0, -20)}},
        "bodies": {"buoy": {"mass": 700, "inertia": (220, 220, 120), "centre_of_mass": (0, 0, -0.3),
                            "position": (6, 1, 0.1), "attitude": (5, -8, 10), "hull": HULL,
                            "attachments": {"eye": (0, 0, -1.0)}, **(body or {})}},
        "lines": {"t": {"from": "anchor", "to": "buoy.eye", "elements": elements,
                        "pieces": [{"section": "rope", "length": 1.0}]}},
    })  # fmt: skip
    model = build(case)
    ends = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)[0]
    length = float(np.linalg.norm(ends[1] - ends[0])) + slack
    line = {"from": "anchor", "to": "buoy.eye", "elements": elements, "pieces": [{"section": "rope", "length": length}]}
    end = run.get("duration", 0.5)
    return case.replace(
        lines={"t": line}, run={"duration": end, "start": "as_given", **run}, record={"every": 0.5 * end}
    )


def moving(body=None):
    """Work of the constrained solver for the buoy, with a velocity and a spin."""
    model = build(buoy(section={**BARE, "diameter": 1e-6}, body=body))
    first = initial_state(model)._replace(
        body_velocity=np.array([[0.4, -0.3, 0.5]]), body_rate=np.array([[0.2, -0.5, 0.3]])
    )
    work = Constrained(step=0.01).start(model, first)
    refresh(work)
    loads(work.bars, work.medium, work.field, work.steps.r, work.steps.v)
    return work


def block_of(hulls, a):
    """Inertia minus forces of the mixed elements (6,) for an acceleration a (6,), angular in the world."""
    X = hulls.X.copy()
    X[2, 0], X[2, 1] = a[:3], hulls.turn[0].T @ a[3:]
    fill_block(0, (0, 1), X, hulls.flow, hulls.bodies, 0.0, (1025.0, 9.81), (0.0, 0.0))
    return hulls.bodies.memory.block[:, 6].copy()


@pytest.mark.parametrize("body", [{}, MORE])
def test_the_nodes_have_the_added_mass_and_the_forces_of_the_mixed_elements(body):
    """Forces less inertia, with nodes that move as a body, are those of `fill_block` for any acceleration."""
    work = moving(body)
    hulls, nodes = opened(work.field.hulls), work.places.body_node
    x = (work.steps.r[nodes] - hulls.X[0, 0]).copy()
    w = hulls.turn[0] @ hulls.X[1, 1]
    weight = work.bars.mass[nodes, None] * [0.0, 0.0, -9.81]
    rng = np.random.default_rng(2)
    for _ in range(3):
        a = rng.normal(size=6)
        accelerations = a[:3] + np.cross(a[3:], x) + np.cross(w, np.cross(w, x))
        added = work.field.inertia[nodes] - work.bars.mass[nodes, None, None] * np.eye(3)
        out = np.einsum("nij,nj->ni", added, accelerations) - (work.field.force[nodes] - weight)
        found = np.concatenate([out.sum(axis=0), np.cross(x, out).sum(axis=0)])
        expected = block_of(hulls, a)
        # sums of forces of 1e4 N that nearly balance, shared and summed again
        assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_the_stiffness_of_the_corners_is_the_derivative_of_their_forces():
    """Central differences over rigid motions of the buoy, water standing still; symmetric part, which Newton uses."""
    work = moving(MORE)
    hulls, steps = opened(work.field.hulls), work.steps
    work.steps.v[:] = 0.0
    nodes = work.places.body_node
    start = steps.r.copy()

    def wrench(q):
        arms = start[nodes] - hulls_origin
        steps.r[nodes] = hulls_origin + q[:3] + arms @ _turn(q[3:]).T
        loads(work.bars, work.medium, work.field, steps.r, steps.v)
        return hulls.wrench[0].copy()

    hulls_origin = hulls.X[0, 0].copy()
    step = 1e-5
    found = np.zeros((6, 6))
    for j in range(6):
        e = step * np.eye(6)[j]
        found[:, j] = -(wrench(e) - wrench(-e)) / (2.0 * step)
    wrench(np.zeros(6))
    # differences of 1e4 N over 1e-5: round-off 1e-7, curvature 1e-10; the plane of the water is kept
    scale = np.abs(found).max()
    assert_allclose(hulls.stiffness[0], found, atol=2e-4 * scale)


def _turn(v):
    angle = np.linalg.norm(v)
    if angle == 0.0:
        return np.eye(3)
    k = -arm_matrix(v / angle)[:, 3:]
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def test_masses_that_depend_on_the_direction_make_up_a_matrix():
    """sum J^T N J is the matrix, and what is left of the points' own masses is positive."""
    model = build(buoy(body=MORE))
    work = Constrained(step=0.01).start(model, initial_state(model))
    hulls = opened(work.field.hulls)
    parts = hulls.row < 0
    J = [arm_matrix(x) for x in hulls.place[parts]]
    total = sum(j.T @ n @ j for j, n in zip(J, hulls.tensor[parts], strict=True))
    assert_allclose(total, ADDED, atol=1e-6 * ADDED.max())
    own = work.bars.mass[hulls.point[parts]]
    assert min(np.linalg.eigvalsh(m * np.eye(3) + n)[0] for m, n in zip(own, hulls.tensor[parts], strict=True)) > 0.0


def test_a_matrix_that_turns_what_it_moves_has_no_masses():
    """A_14 + A_25 + A_36 of any points is zero: the trace of hat(x) N with N symmetric."""
    rng = np.random.default_rng(1)
    screw = np.eye(6)
    screw[0, 3] = screw[3, 0] = 0.5
    assert point_tensors(screw, np.ones(12), rng.normal(size=(12, 3))) is None


def test_a_constant_moment_turns_a_free_body():
    """omega = M t / I about a principal axis, nothing else acting; the line pulls at the centre of mass."""
    case = System.model_validate({
        "environment": {"gravity": 0.0, "water_density": 0.0},
        "sections": {"stick": {**BARE, "mass": 1e-9}},
        "points": {"top": {"position": (0, 0, 0)}},
        "bodies": {"b": {"mass": 10, "inertia": (2, 3, 4), "position": (0, 0, -1), "attachments": {"eye": (0, 0, 0)},
                         "loads": {"moment": (0, 0, 2)}}},
        "lines": {"l": {"from": "top", "to": "b.eye", "elements": 1, "pieces": [{"section": "stick", "length": 1}]}},
    })  # fmt: skip
    state = run(Constrained(step=2e-3), build(case), 1.0)[0]
    # the scheme is exact for a constant rate of spin but for h^2 of the turning directions
    assert_allclose(state.body_rate[0], [0.0, 0.0, 0.5], atol=1e-5)
    assert_allclose(state.body_quaternion[0], [math.cos(0.125), 0.0, 0.0, math.sin(0.125)], atol=1e-5)


@pytest.mark.parametrize("body", [{}, MORE])
def test_a_buoy_in_waves_wind_and_current_agrees_with_the_elements(body):
    """Half a second of the tilted cylinder, tether without drag: position, attitude, end force."""
    bars = simulate(buoy(body=body, solver="constrained", step=2.5e-3))
    other = simulate(buoy(body=body, solver="mixed_fem", step=2.5e-3))
    # both converge to one answer with h^2; measured 2e-5 m and 6e-5 in the quaternion, 1e-4 of the force
    assert_allclose(bars.body_position[-1], other.body_position[-1], atol=6e-5)
    assert_allclose(bars.body_quaternion[-1], other.body_quaternion[-1], atol=2e-4)
    force = other.end_force.values[-1, 0, 1]
    assert_allclose(bars.end_force.values[-1, 0, 1], force, atol=5e-4 * np.linalg.norm(force))


def test_the_solvers_of_bars_agree_on_a_hull():
    """Recursion and multipliers, second order both; order of the latter with smooth loads."""
    still = {"depth": 20, "seabed": {"kind": "none"}}
    deep = {"position": (6, 1, -5), "damping": MORE["damping"], "added_mass": MORE["added_mass"],
            "hull": {**HULL, "drag": {"normal": 0.0}}}  # fmt: skip
    answers = []
    for h in (0.01, 0.005, 0.0025):
        state = run(Constrained(step=h), build(buoy(still, body=deep)), 0.2)[0]
        answers.append(np.concatenate([state.body_position[0], state.body_quaternion[0]]))
    assert 1.9 < order(answers) < 2.1
    other = run(Recursive(step=0.0025), build(buoy(still, body=deep)), 0.2)[0]
    # h^2 at 2.5 ms: a third of the last difference of the three, for each of the two
    miss = np.abs(answers[-2] - answers[-1]).max()
    assert_allclose(other.body_position[0], answers[-1][:3], atol=2.0 * miss)


@pytest.mark.parametrize("solver", [Constrained(step=2e-3), Recursive(step=2e-3), Projection(step=2e-3, sweeps=60)],
                         ids=lambda solver: solver.name)  # fmt: skip
def test_a_cylinder_swings_in_water_as_its_strips_say(solver):
    """A cylinder of 1 m on a stick of 0.5 m, let go at 30 degrees: Lagrange's equations with drag and added mass."""
    d, length, stick, rho = 0.05, 1.0, 0.5, 1000.0
    mass = 0.25 * math.pi * d**2 * length * 7500.0
    zeta = (np.arange(12) + 0.5) / 12 * length
    shown = rho * 0.25 * math.pi * d**2 * length / 12

    def rates(_, y):
        a, b, p, q = y
        M, f = np.zeros((2, 2)), np.zeros(2)
        ea, eb = np.array([math.cos(a), math.sin(a)]), np.array([math.cos(b), math.sin(b)])
        na, nb = np.array([-math.sin(a), math.cos(a)]), np.array([-math.sin(b), math.cos(b)])
        for z in [*zeta, None]:
            arm = 0.5 * length if z is None else z
            J = np.stack([stick * ea, arm * eb], axis=1)
            bend = stick * na * p * p + arm * nb * q * q  # acceleration by the rates
            if z is None:
                inertia = mass * np.eye(2)
                M[1, 1] += mass * length**2 / 12
                force = np.array([0.0, -mass * 9.81 + 12 * shown * 9.81])
            else:
                inertia = shown * np.outer(eb, eb)
                u = float(eb @ J @ [p, q])
                force = -0.5 * rho * 1.2 * d * length / 12 * abs(u) * u * eb
            M += J.T @ inertia @ J
            f += J.T @ (force - inertia @ bend)
        return [p, q, *np.linalg.solve(M, f)]

    start = math.radians(30)
    end = solve_ivp(rates, (0.0, 1.0), [start, start, 0.0, 0.0], rtol=1e-9, atol=1e-11).y[:, -1]
    s, c = math.sin(start), math.cos(start)
    case = System.model_validate({
        "environment": {"gravity": 9.81, "water_density": rho, "seabed": {"kind": "none"}},
        "sections": {"stick": {**BARE, "mass": 1e-6, "diameter": 1e-6}},
        "points": {"top": {"position": (0, 0, -1)}},
        "bodies": {"b": {"mass": mass, "inertia": (mass / 12, mass / 12, 1e-3 * mass), "centre_of_mass": (0, 0, -0.5),
                         "position": (0.5 * s, 0, -1 - 0.5 * c), "attitude": (0, -30, 0),
                         "attachments": {"eye": (0, 0, 0)},
                         "hull": {"kind": "axisymmetric", "profile": [(-1.0, 0.5 * d), (0.0, 0.5 * d)],
                                  "drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}}},
        "lines": {"l": {"from": "top", "to": "b.eye", "elements": 1,
                        "pieces": [{"section": "stick", "length": stick}]}},
    })  # fmt: skip
    state = run(solver, build(case), 1.0)[0]
    eye = np.array([math.sin(end[0]), 0.0, -math.cos(end[0])]) * stick + [0, 0, -1]
    tip = eye + np.array([math.sin(end[1]), 0.0, -math.cos(end[1])])
    # second order at 2 ms; 1e-3 of the mass about the axis is not in the equations
    assert_allclose(state.body_position[0], eye, atol=3e-4)
    found = state.body_position[0] + rotation_matrix(state.body_quaternion[0]) @ [0.0, 0.0, -1.0]
    assert_allclose(found, tip, atol=3e-4)


@pytest.mark.parametrize("body", [{}, {**MORE, "stiffness": np.diag([200.0, 200.0, 0.0, 0.0, 0.0, 50.0]).tolist()}])
def test_statics_of_a_buoy_agree_with_the_elements(body):
    """Six degrees of freedom under current and wind, slack tether."""
    section = {
        "added_mass": 0,
        "diameter": 0.08,
        "mass": 6.0,
        "axial_stiffness": "inextensible",
        "drag": {"normal": 0.8},
    }
    case = buoy({key: value for key, value in SEA.items() if key != "waves"}, section, 0.6, 6, body)
    model = build(case)
    state, report, _ = run(BarsStatics(), model, 0.0)
    other = statics(case, "fem").state
    # drag at nodes there and along bars here: measured 2e-8 m, as the drag of straight parts is the same
    assert_allclose(state.body_position[0], other.body_position[0], atol=1e-3)
    assert_allclose(rotation_matrix(state.body_quaternion[0])[:, 2], rotation_matrix(other.body_quaternion[0])[:, 2],
                    atol=1e-3)  # fmt: skip
    assert_allclose(state.end_force[0, 1], other.end_force[0, 1], atol=2.0)
    assert report.iterations < 300


@pytest.mark.parametrize("solver", [Constrained(step=0.01), Recursive(step=0.01)], ids=lambda solver: solver.name)
def test_a_stopped_run_with_a_hull_goes_on_to_the_same_bits(solver):
    """Snapshot and restore in waves; the recursion closes loops along replies that it keeps."""
    model = build(buoy())
    assert_goes_on_to_the_same_bits(solver, model, initial_state(model), 0.07, 0.13)


def test_strong_damping_shortens_the_step():
    """1e5 N s/m on 700 kg and its added mass: the explicit limit 2 m / c is what the bound says, and it holds."""
    damping = np.diag([1e5, 1e5, 1e5, 1e4, 1e4, 1e4]).tolist()
    model = build(buoy(body={"damping": damping, "hull": {**HULL, "added_mass": {}}}))
    solver = Constrained()
    work = solver.start(model, initial_state(model))
    # of the turns, too: 1e4 N m s on 120 kg m2 about the axis decay at 83 1/s, the ways at 143 1/s
    assert stable_step(work) <= 2.0 * 700.0 / 1e5
    assert solver.advance(model, work, 0.2).good
    assert np.abs(solver.read(model, work).body_velocity).max() < 0.5


TWINE = {"added_mass": 0, "diameter": 0.002, "mass": 0.0036, "axial_stiffness": 5e3, "drag": {"normal": 1.2}}


def on_body(joint="fixed", **more):
    """A panel whose upper corners are fastened to a body."""
    corners = [(0, 0, -1), (3, 0, -1), (3, 0, -4), (0, 0, -4)]
    body = {"mass": 3000.0, "inertia": (4000, 3000, 4000), "position": (1.5, 0, -1), "joint": joint,
            "attachments": {"left": (-1.5, 0, 0), "right": (1.5, 0, 0), "top": (0, 0, 0.5)}, **more}  # fmt: skip
    return panel(4, 3, net={"panel": {"kind": "rectangle", "corners": corners}, "held": "none",
                            "fastened": {"upper_left": "b.left", "upper_right": "b.right"}},
                 bodies={"b": body}, points={"a": {"position": (0, 0, -1)}, "c": {"position": (3, 0, -1)}})  # fmt: skip


def test_a_net_on_a_fixed_body_hangs_as_on_points():
    """The same knots held by an attachment or by a point: the same run."""
    first = on_body().replace(sections={"twine": TWINE})
    net = first.nets["n"].model_dump() | {"fastened": {"upper_left": "a", "upper_right": "c"}}
    ends = [run(ConstrainedImplicit(step=0.02), build(case), 0.4)[0].net_position
            for case in (first, first.replace(nets={"n": net}))]  # fmt: skip
    assert_allclose(ends[0], ends[1], atol=1e-12)


def test_a_net_on_a_body_that_hangs_is_in_balance_with_it():
    """Equilibrium of line, body and panel in a current: the support carries the weight and the drag of all."""
    case = on_body("free").replace(
        sections={"twine": TWINE, "rope": {**BARE, "mass": 0.01}},
        points={"top": {"position": (1.5, 0, 0.5)}},
        lines={"l": {"from": "top", "to": "b.top", "elements": 2, "pieces": [{"section": "rope", "length": 1.0}]}},
    )  # fmt: skip
    model = build(case)
    state, report, work = run(BarsStatics(), model, 0.0)
    # all that is not held: its loads, summed, are what the line carries
    carried = work.field.force[~work.bars.held].sum(axis=0)
    assert_allclose(state.point_force[0], carried, atol=1e-6 * np.abs(carried).max() + 0.1)
    assert_allclose(report.figures["reaction"], work.field.force.sum(axis=0), atol=1e-6 * 3e4)
    corners = (
        state.body_position[0] + np.array([[-1.5, 0, 0], [1.5, 0, 0]]) @ rotation_matrix(state.body_quaternion[0]).T
    )
    knots = state.net_position[[int(k) for k in np.flatnonzero(model.nets.body >= 0)]]
    assert_allclose(knots, corners, atol=1e-8)
    assert state.net_force[0, 1] > 10.0


def test_the_buoy_of_the_example_carries_its_cage():
    """Draught from weight, sinkers in water and the pull of the mooring; the run begins there."""
    case = System.from_file(EXAMPLES / "buoy_cage.yaml")
    found = statics(case)
    state = found.state
    assert found.method == "bars_statics"
    rim = 4.0 * 8 * 2.0 * 0.5 * math.sin(math.pi / 8) * (1.0 - 1025.0 / 7850.0)
    carried = 90.0 + rim - float(state.end_force[0, 1, 2]) / 9.80665
    draught = -0.3 + float(state.body_position[0, 2])
    # twine in water weighs 0.4 kg, drag lifts the net by 0.5 kg, and the buoy is tilted by 7 degrees
    assert_allclose(-draught * math.pi * 0.16 * 1025.0, carried, rtol=0.02)
    assert found.stability is None
    run = simulate(case.replace(run={**case.run.model_dump(exclude_unset=True), "duration": 0.2}))
    assert_allclose(run.body_position[0], state.body_position, atol=1e-6)
    assert np.abs(run.body_position[-1] - state.body_position).max() < 0.2
