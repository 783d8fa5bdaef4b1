"""Same state, same force: every method gets from a random state the load that a plain reference gives.

The references are numpy formulas in this file and share no code with the program. Quadrature along a line is each
method's own, so lines move as a whole here; where a method lumps, each half is compared.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import RegularGridInterpolator

import rod_bodies
from ropewalk.analysis import rod_design
from ropewalk.analysis.energy import _point
from ropewalk.analysis.rod_joints import _out_of_balance
from ropewalk.assembly.body_loads import fill_block, water_on_bodies
from ropewalk.assembly.catenary import balance, evaluate
from ropewalk.assembly.catenary_build import build_assembly
from ropewalk.assembly.element import Elements, Instant, element_system
from ropewalk.assembly.mesh import build_mesh
from ropewalk.assembly.pulled import along_bed
from ropewalk.assembly.spans import line_spans
from ropewalk.assembly.string import float_force, span_load
from ropewalk.loads.grip import SOFT, no_grip, sought_friction
from ropewalk.loads.sea import water_at, water_at_place
from ropewalk.methods.bars.arrays import make_field
from ropewalk.methods.bars.bed import carried
from ropewalk.methods.bars.begin import place_grips
from ropewalk.methods.bars.build import build_bars, build_medium
from ropewalk.methods.bars.contact import move_grips, press_bars, rub, rub_end
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.friction import Sharing as BarsSharing
from ropewalk.methods.bars.hulls import hull_loads, hull_water
from ropewalk.methods.bars.loads import bar_loads, directions, node_loads, screen_loads
from ropewalk.methods.bars.slopes import loads_at_rest
from ropewalk.methods.bars.work import start_bars
from ropewalk.methods.chain.arrays import allocate, chain
from ropewalk.methods.chain.drag import add_drag
from ropewalk.methods.linear.assembly import evaluate_local
from ropewalk.methods.linear.body import body_terms
from ropewalk.methods.linear.unknowns import Place, number
from ropewalk.methods.mixed import booked
from ropewalk.methods.mixed.friction import Case as MixedCase
from ropewalk.methods.mixed.friction import Sharing as MixedSharing
from ropewalk.methods.mixed.ledger_forces import FORCES, measure_lines, new_ledger
from ropewalk.methods.mixed.nodes import Lumps, node_terms
from ropewalk.methods.mixed.reading import bed_on_node
from ropewalk.methods.mixed.settle import make_work
from ropewalk.methods.mixed.tensions import _node as leap_node
from ropewalk.methods.rods.descent import _energy_and_wrench
from ropewalk.methods.rods.elastic import BendingProblem
from ropewalk.methods.rods.moored import add_buoyancy
from ropewalk.methods.shooting.bed import load_on_bed
from ropewalk.model.arrays import records
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state, rotation_matrix
from ropewalk.numerics.rotations import exp_se3, inverse_se3, rigid, tangent_basis
from ropewalk.physics.hydrostatics import force_terms
from ropewalk.physics.rigidbody import arm_matrix
from ropewalk.physics.rod_energy import upright_frame, wrench_and_stiffness
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.waves import COLUMNS
from ropewalk.spec.system import System

RHO, G = 1025.0, 9.81
D, MASS, CN, CT, AN, AT = 0.1, 20.0, 1.2, 0.05, 1.0, 0.2  # section: m, kg/m, drag and added mass coefficients
LENGTH = 3.0  # m
TIME = 1.7  # s
SEA = {
    "waves": {"kind": "regular", "height": 1.2, "period": 6.0, "heading": 20},
    "current": {"speed": 0.8, "heading": 130, "profile": {"kind": "power", "exponent": 0.3}},
}
CALM = {"current": SEA["current"]}
TIGHT = 1e-12  # of the largest: round-off of sums of ten terms
DRAG = {"normal": CN, "tangential": CT}
BY_FLOW = {  # coefficients by angle of attack (deg) and Reynolds number, and a drag along the flow
    "normal": {"angle": [0, 20, 60, 90], "reynolds": [2e3, 4e4, 5e5],
               "value": [[0.9, 0.8, 0.4], [1.1, 0.9, 0.5], [1.3, 1.2, 0.6], [1.2, 1.1, 0.3]]},
    "tangential": {"reynolds": [1e3, 1e6], "value": [0.08, 0.02]},
    "along_flow": {"law": "sine", "value": 0.7},
}  # fmt: skip
VISCOSITY = 1.05e-6  # m2/s
POINT = {"mass": 40.0, "volume": 0.09, "drag_area": 0.4, "added_mass": 30.0}


def case(a: Any, b: Any, sea: Any, **more: Any) -> Model:
    """A line of one element from a to b (m), and what is given besides."""
    points = {"a": {"position": list(a)}, "b": {"position": list(b)}} | more.pop("points", {})
    section = {"diameter": D, "mass": MASS, "axial_stiffness": 1e9, "compression": True,
               "drag": more.pop("drag", DRAG), "added_mass": {"normal": AN, "tangential": AT}}  # fmt: skip
    line = {"from": "a", "to": "b", "elements": 1, "pieces": [{"section": "rope", "length": LENGTH}]}
    environment = {"depth": 30, "gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, **sea}
    return build(System.model_validate({
        "environment": environment, "sections": {"rope": section}, "points": points, "lines": {"l": line}, **more,
    }))  # fmt: skip


def ends_of(rng: np.random.Generator, straight: bool = True) -> tuple[Any, Any]:
    """Ends of a line of any attitude that may be in the water, out of it, or cut by the surface."""
    t = rng.normal(size=3)
    a = rng.uniform(-3.0, 3.0, 3)
    span = LENGTH if straight else LENGTH * rng.uniform(1.0, 1.01)
    return a, a + span * t / np.linalg.norm(t)


def water(model: Model, r: Any) -> Any:
    flow = np.zeros((len(r), COLUMNS))
    water_at(np.ascontiguousarray(r), TIME, model.sea, flow)
    return flow


def without_bodies(r: Any) -> Place:
    """Rows of positions of a system of one element without bodies."""
    return Place(r, np.zeros(1), np.zeros((0, 3)), np.zeros((0, 4)))


# references


def wet_share(z1: float, z2: float, thickness: float) -> float:
    """Mean over a straight stretch of the wet share of its sections, a ramp of the thickness: exact by its corners."""
    corners = [0.0, 1.0]
    corners += [x for level in (-0.5, 0.5) if z1 != z2 and 0.0 < (x := (level * thickness - z1) / (z2 - z1)) < 1.0]
    total = 0.0
    for x0, x1 in pairwise(sorted(corners)):
        z = z1 + 0.5 * (x0 + x1) * (z2 - z1)
        total += (x1 - x0) * min(1.0, max(0.0, 0.5 - z / thickness))
    return total


def by_flow(u: Any, t: Any) -> Any:
    """Drag per metre with the coefficients of BY_FLOW."""
    along = (u @ t) * t
    across = u - along
    p, q, speed = (float(np.linalg.norm(x)) for x in (across, along, u))
    angle = np.degrees(np.arctan2(p, q))
    table = BY_FLOW["normal"]
    at = np.log(np.clip(p * D / VISCOSITY, table["reynolds"][0], table["reynolds"][-1]))
    grid = RegularGridInterpolator((table["angle"], np.log(table["reynolds"])), np.array(table["value"]))
    cn = float(grid((angle, at))[()])
    ct = np.interp(np.log(max(q * D / VISCOSITY, 1e-9)), np.log([1e3, 1e6]), [0.08, 0.02])
    cd = 0.7 * np.sin(np.radians(angle))
    return 0.5 * RHO * D * (cn * p * across + ct * np.pi * q * along + cd * speed * u)


def morison(u: Any, t: Any, drag: Any = DRAG) -> Any:
    """Drag per metre."""
    if drag is BY_FLOW:
        return by_flow(u, t)
    along = (u @ t) * t
    across = u - along
    return 0.5 * RHO * D * (CN * np.linalg.norm(across) * across + CT * np.pi * np.linalg.norm(along) * along)


def half_force(r: Any, v: Any, a: Any, flow: Any, side: int, law: Any = DRAG) -> tuple[Any, Any]:
    """Force of the water on the half of a line at one end, and the drag in it."""
    d = r[1] - r[0]
    span = float(np.linalg.norm(d))
    t, z = d / span, r[:, 2] - flow[:, 7]
    w = wet_share(z[side], 0.5 * (z[0] + z[1]), max(D, 1e-3 * LENGTH))
    mass = RHO * 0.25 * np.pi * D**2 * 0.5 * LENGTH
    aw, da = flow[side, 3:6], flow[side, 3:6] - a[side]
    along = (da @ t) * t
    drag = w * 0.5 * span * morison(flow[side, :3] - v[side], t, law)
    return drag + w * mass * (aw + AN * (da - along) + AT * along + np.array([0.0, 0.0, G])), drag


def point_force(z: float, u: Any, aw: Any, a: Any) -> Any:
    """Force of the water on POINT with its centre at z over the surface."""
    R = (0.75 * POINT["volume"] / np.pi) ** (1 / 3)
    h = min(2.0 * R, max(0.0, R - z))
    share = np.pi * h * h * (3.0 * R - h) / 3.0 / POINT["volume"]
    drag = 0.5 * RHO * POINT["drag_area"] * np.linalg.norm(u) * u
    lift = RHO * POINT["volume"] * (aw + np.array([0.0, 0.0, G]))
    return share * (drag + lift + POINT["added_mass"] * (aw - a))


# lines


LAWS = pytest.mark.parametrize("law", [DRAG, BY_FLOW], ids=["constant", "by flow"])


@LAWS
@pytest.mark.parametrize("seed", range(8))
def test_water_on_a_moving_line_in_waves(seed: int, law: Any) -> None:
    """Mixed elements, bars and the ledger: halves of a line of any attitude, in and out of the water."""
    rng = np.random.default_rng(seed)
    r = np.array(ends_of(rng))
    model = case(r[0], r[1], SEA, drag=law)
    v, a = np.tile(rng.normal(size=3), (2, 1)), np.tile(rng.normal(size=3), (2, 1))
    flow = water(model, r)
    expected = np.array([half_force(r, v, a, flow, side, law)[0] for side in (0, 1)])
    scale = max(np.abs(expected).max(), 1.0)
    mesh = build_mesh(model)
    elements = Elements(mesh.element, mesh.law_data, mesh.load, False)
    part = element_system(0, 0, Instant(r, v, a, np.zeros(1), flow), elements, (RHO, G), (0.0, 0.0))
    assert_allclose(-np.array(part[:2]), expected, rtol=0.0, atol=TIGHT * scale)
    # bars: drag at Gauss points, which is that of the nodes for a line that moves as a whole in even water
    bars, _, hulls, _, _ = build_bars(model, initial_state(model))
    field, medium = make_field(2, 1, hulls), build_medium(model, 0.0)
    even = np.tile(flow[:1], (2, 1))
    field.flow[:] = even
    directions(bars.node, r, field.direction)
    bar_loads(bars, medium, field, r, v)
    expected = np.array([half_force(r, v, a, even, side, law)[0] for side in (0, 1)])
    ours = field.force - np.einsum("nij,nj->ni", field.inertia, a)
    wet = [np.linalg.norm(half_force(r, v, a, even, side, law)[1]) for side in (0, 1)]
    if abs(wet[0] - wet[1]) > TIGHT * scale:  # of a line cut by the surface each half gives a share to the other end
        expected, ours = expected.sum(axis=0), ours.sum(axis=0)
    assert_allclose(ours, expected, rtol=0.0, atol=TIGHT * scale)


@LAWS
@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_books_the_force_times_the_way(seed: int, law: Any) -> None:
    """Forces kept by the ledger are those of the reference: their work over a way is force times way."""
    rng = np.random.default_rng(100 + seed)
    r = np.array(ends_of(rng))
    model = case(r[0], r[1], SEA, drag=law)
    mesh = build_mesh(model)
    n = mesh.node.shape[0]
    X = np.zeros((4, n, 3))
    X[0, :2], X[0, 2:4] = r, r
    X[1, :2], X[2, :2] = rng.normal(size=3), rng.normal(size=3)
    flow = water(model, X[0])
    F, ledger = records(n, FORCES), new_ledger()
    grip, kept = no_grip(n), np.zeros((1, booked.HALVES))
    measure_lines(Instant(X[0], X[1], X[2], np.zeros(1), flow), mesh, (RHO, G), grip, ledger, F, kept)
    expected = [half_force(r, X[1], X[2], flow[:2], side, law) for side in (0, 1)]
    scale = max(np.abs(expected).max(), 1.0)
    water_kept, drag_kept = (
        [kept[0, c : c + 3] for c in columns]
        for columns in ((booked.WATER, booked.NEXT_WATER), (booked.DRAG, booked.NEXT_DRAG))
    )
    assert_allclose(water_kept, [force for force, _ in expected], rtol=0.0, atol=TIGHT * scale)
    assert_allclose(drag_kept, [drag for _, drag in expected], rtol=0.0, atol=TIGHT * scale)
    assert_allclose(F.place[:2], r, rtol=0.0)


@LAWS
@pytest.mark.parametrize("seed", range(6))
def test_current_on_a_line_at_rest(seed: int, law: Any) -> None:
    """The linear method by halves; shooting per length at a place, away from the surface, which it takes as sharp."""
    rng = np.random.default_rng(200 + seed)
    r = np.array(ends_of(rng, straight=False))
    model = case(r[0], r[1], CALM, drag=law)
    unknowns, rest = number(model), np.zeros((2, 3))
    flow = water(model, r)
    local = evaluate_local(model, unknowns, without_bodies(np.concatenate([r, r])))
    expected = np.array([half_force(r, rest, rest, flow, side, law)[0] for side in (0, 1)])
    weight = np.array([0.0, 0.0, -0.5 * MASS * LENGTH * G])
    scale = max(np.abs(expected).max(), abs(weight[2]))
    assert_allclose(-local.R[:2], expected + weight, rtol=0.0, atol=TIGHT * scale)
    span = line_spans(model, 0, np.zeros(0)).rows[0]
    x, t = rng.uniform(-5.0, 5.0, 3), (r[1] - r[0]) / np.linalg.norm(r[1] - r[0])
    x[2] += np.sign(x[2]) * D
    nu, wet = 1.003, bool(x[2] < 0.0)
    load = span_load(0.7, tuple(x), tuple(t), nu, span, wet, model.sections.law_data, model.sea)[0]
    u = water(model, x[None])[0, :3]
    lift = np.array([0.0, 0.0, RHO * G * 0.25 * np.pi * D**2])
    assert_allclose(
        load, [0.0, 0.0, -MASS * G] + wet * (lift + nu * morison(u, t, law)), rtol=0.0, atol=TIGHT * MASS * G
    )


def test_first_power_of_the_drag_of_a_chain() -> None:
    """Power series have their own arithmetic; at the start of a step it is the law of all others, in all water."""
    rng = np.random.default_rng(5)
    t, v, current = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)
    t /= np.linalg.norm(t)
    own = chain(np.array([LENGTH]), np.array([MASS]), drag_normal=np.array([0.5 * RHO * CN * D * LENGTH]),
                drag_tangential=np.array([0.5 * RHO * CT * np.pi * D * LENGTH]), current=tuple(current))  # fmt: skip
    series = allocate(1, 4)
    series.position[:, 0], series.position[:, 1] = np.outer(t, [0.0, LENGTH]), np.outer(v, [1.0, 1.0])
    series.link[:, 0, 0] = t
    add_drag(own, series, 0, 1.0)
    expected = LENGTH * morison(current - v, t)
    assert_allclose(series.force[:, 0].sum(axis=1), expected, rtol=0.0, atol=TIGHT * np.abs(expected).max())


# points, springs, bed


@pytest.mark.parametrize("z", [-3.0, -0.15, 0.02, 0.2, 4.0])
def test_water_on_a_point_at_any_height(z: float) -> None:
    """Mixed elements and bars in waves; linear, shooting and the closed form at rest."""
    rng = np.random.default_rng(7)
    x = np.array([1.0, -2.0, z])
    free = {"p": {"position": list(x), "joint": "free", **POINT}}
    line = {"q": {"from": "a", "to": "p", "elements": 1, "pieces": [{"section": "rope", "length": 9.0}]}}
    model = case([0, 0, -5], [2, 0, -5], SEA, points=free)
    mesh = build_mesh(model)
    row, n = mesh.s.size + 2, mesh.node.shape[0]
    r, v, a = np.tile(x, (n, 1)), np.tile(rng.normal(size=3), (n, 1)), np.tile(rng.normal(size=3), (n, 1))
    flow, weight = water(model, r), np.array([0.0, 0.0, -POINT["mass"] * G])
    expected = point_force(z - flow[row, 7], flow[row, :3] - v[row], flow[row, 3:6], a[row])
    scale = np.abs(weight).max()
    lumps = Lumps(mesh.node, 0.0, mesh.has_bed, mesh.bed, no_grip(n))
    R, _ = node_terms(row, Instant(r, v, a, np.zeros(1), flow), lumps, (RHO, G), (0.0, 0.0))
    assert_allclose(-np.array(R), expected + weight - POINT["mass"] * a[row], rtol=0.0, atol=TIGHT * scale)
    assert_the_same_inertia(mesh, row, Instant(r, v, a, np.zeros(1), flow))
    system = case([0, 0, -5], [2, 0, -5], SEA, points=free)
    bars, places, hulls, at, _ = build_bars(_with_line(line, free), initial_state(_with_line(line, free)))
    k, field = int(places.point[2]), make_field(bars.mass.size, bars.length.size, hulls)
    field.flow[:] = flow[row]
    at[k] = x
    node_loads(bars, build_medium(system, 0.0), field, at, np.tile(v[row], (bars.mass.size, 1)))
    ours = field.force[k] - (field.inertia[k] - bars.mass[k] * np.eye(3)) @ a[row] + bars.mass[k] * np.array([0, 0, G])
    assert_allclose(ours, expected, rtol=0.0, atol=TIGHT * scale)
    # at rest
    calm = case([0, 0, -5], [2, 0, -5], CALM, points=free)
    u = water(calm, x[None])[0, :3]
    still = point_force(z, u, np.zeros(3), np.zeros(3))
    local = evaluate_local(calm, number(calm), without_bodies(r[: mesh.s.size + 3]))
    assert_allclose(-local.R[row], still + weight, rtol=0.0, atol=TIGHT * scale)
    force = np.zeros(3)
    float_force(x, POINT["volume"], POINT["drag_area"], calm.sea, force)
    assert_allclose(force, still, rtol=0.0, atol=TIGHT * scale)
    slack = case([0, 0, -5], [2, 0, -5], {}, points=free)
    out = balance(3, 0, 1)
    evaluate(build_assembly(slack), np.array([[0, 0, -5.0], [2, 0, -5.0], x]), np.zeros((0, 3)), np.zeros((0, 4)), out)
    lift = point_force(z, np.zeros(3), np.zeros(3), np.zeros(3))
    assert_allclose(out.force[6:9], lift + weight, rtol=0.0, atol=TIGHT * scale)
    # the slope of the energy, by central differences of 1e-4 m: their square by the square of the radius, 0.28 m
    low, high = (_energy_at(slack, x + way * np.eye(3)[2]) for way in (-1e-4, 1e-4))
    assert_allclose((low - high) / 2e-4, (lift + weight)[2], atol=1e-6 * scale)
    if z < -1.0:  # a weight on the bed: under water
        span = line_spans(_clump(), 0, np.zeros(0)).rows[0]
        pressed = load_on_bed(span, calm.sea, np.array([0.0, 0.0, 1.0]), np.zeros(3))
        assert_allclose(-pressed, (lift + weight)[2], rtol=0.0, atol=TIGHT * scale)


def _energy_at(model: Model, place: Any) -> float:
    """Energy of the last point of a model at a place (m), J, as equilibria are compared by it."""
    state = initial_state(model)
    return _point(model, state._replace(point_position=np.vstack([state.point_position[:2], place])), 2)


def _clump() -> Model:
    """A line of two pieces with POINT between them."""
    piece = {"section": "rope", "length": LENGTH}
    line = {"from": "a", "to": "b", "pieces": [piece, piece], "attachments": [{"s": LENGTH, **POINT}]}
    section = {"diameter": D, "mass": MASS, "axial_stiffness": 1e9}
    return build(System.model_validate({
        "environment": {"depth": 30, "gravity": G, "water_density": RHO}, "sections": {"rope": section},
        "points": {"a": {"position": [0, 0, -30]}, "b": {"position": [5, 0, -30]}}, "lines": {"l": line},
    }))  # fmt: skip


def assert_the_same_inertia(mesh: Any, row: int, now: Any) -> None:
    """Leapfrog has the inertia, weight and damping of a bare node that implicit steps have."""
    node, h, damping = mesh.node.copy(), 0.05, 0.7
    node[row].volume = node[row].drag_area = node[row].added = 0.0
    lumps = Lumps(node, damping, False, mesh.bed, no_grip(mesh.node.shape[0]))
    R, M, _, _ = leap_node(row, h, now, lumps, (RHO, G))
    expected = POINT["mass"] * (now.a[row] + damping * now.v[row] + [0.0, 0.0, G])
    assert_allclose(R, expected, rtol=1e-13)
    assert_allclose(node_terms(row, now, lumps, (RHO, G), (0.0, 0.0))[0], expected, rtol=1e-13)
    assert_allclose(np.reshape(M, (3, 3)), POINT["mass"] * (1.0 + 0.5 * h * damping) * np.eye(3), rtol=1e-13)


def _with_line(line: Any, points: Any) -> Model:
    """The case of bars: a point that a line holds."""
    section = {"diameter": D, "mass": MASS, "axial_stiffness": "inextensible"}
    line["q"]["pieces"] = [{"section": "rope", "length": 20.0}]
    environment = {"depth": 30, "gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, **SEA}
    fixed = {"a": {"position": [0, 0, -5]}, "b": {"position": [2, 0, -5]}}
    return build(System.model_validate({
        "environment": environment, "sections": {"rope": section}, "points": fixed | points, "lines": line,
    }))  # fmt: skip


def test_a_point_without_volume_feels_no_water_above_the_surface() -> None:
    """It is wet below the surface and dry above it; bars once took it as wet everywhere."""
    for z, wet in ((10.0, False), (-10.0, True)):
        point = {"p": {"position": [1, 0, z], "joint": "free", "mass": 3.0, "drag_area": 0.5}}
        model = _with_line({"q": {"from": "a", "to": "p", "elements": 1}}, point)
        bars, places, hulls, r, v = build_bars(model, initial_state(model))
        field, medium = make_field(bars.mass.size, bars.length.size, hulls), build_medium(model, 0.0)
        water_at(r, TIME, medium, field.flow)
        node_loads(bars, medium, field, r, v)
        push = float(np.abs(field.force[int(places.point[2]), :2]).max())
        assert (push > 0.0) == wet


def test_springs_of_joints_pull_alike() -> None:
    """f_0 - k e.(r - r_0) along an axis of a turned joint: closed form, mixed elements, bars, linear."""
    frame = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]
    joint = {"axes": {"x": {"spring": 700.0}, "y": "free", "z": {"force": 30.0}}, "frame": frame}
    point = {"p": {"position": [1.0, 2.0, 0.0], "joint": joint, "mass": 5.0}}
    x = np.array([1.4, 1.7, 0.2])
    expected = np.array([-700.0 * (0.6 * 0.4 - 0.8 * 0.3), 0.0, 30.0 - 5.0 * G])
    model = case([0, 0, -5], [2, 0, -5], {"water_density": 0}, points=point)
    out = balance(3, 0, 1)
    evaluate(build_assembly(model), np.array([[0, 0, -5.0], [2, 0, -5.0], x]), np.zeros((0, 3)), np.zeros((0, 4)), out)
    assert_allclose(out.force[6:9], expected, rtol=0.0, atol=TIGHT * 100.0)
    line = {"q": {"from": "a", "to": "p", "elements": 1}}
    held = _with_line(line, point)
    bars, places, hulls, r, v = build_bars(held, initial_state(held))
    k, field = int(places.point[2]), make_field(bars.mass.size, bars.length.size, hulls)
    r[k] = x
    node_loads(bars, build_medium(held, 0.0)._replace(water_density=0.0), field, r, v)
    own = bars.axes[k] @ (field.force[k] + np.array([0.0, 0.0, (bars.mass[k] - 5.0) * G]))
    assert_allclose(own, expected, rtol=0.0, atol=TIGHT * 1000.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_bed_presses_alike(seed: int) -> None:
    """p A n for a node of a line in a sloping bed: mixed elements, bars and, at rest, linear."""
    rng = np.random.default_rng(seed)
    bed = {"seabed": {"kind": "elastic", "stiffness": 2e5, "damping": 1e4, "friction": 0.0}, "water_density": 0}
    r = np.array([[0.0, 0.0, -30.0], [LENGTH, 0.0, -30.0]]) - np.array([0.0, 0.0, 1.0]) * rng.uniform(0.0, 0.1, (2, 1))
    v = 0.1 * rng.normal(size=(2, 3))
    model = case([0, 0, -28], [LENGTH, 0, -28], bed)
    mesh, n = build_mesh(model), 2
    depth, ramp = -30.0 - r[:, 2], 0.03
    u = np.minimum(depth / ramp, 1.0)
    pressure = np.maximum(0.0, 2e5 * depth + 1e4 * u * u * (3.0 - 2.0 * u) * -v[:, 2])
    expected = np.outer(pressure * D * 0.5 * LENGTH, [0.0, 0.0, 1.0])
    weight = np.array([0.0, 0.0, -0.5 * MASS * LENGTH * G])
    zero, grip = np.zeros((4, 3)), no_grip(4)
    for i in range(n):
        now = Instant(r, v, zero, np.zeros(1), np.zeros((4, 8)))
        R, _ = node_terms(i, now, Lumps(mesh.node, 0.0, True, mesh.bed, grip), (0.0, G), (0.0, 0.0))
        # depths of 0.1 m at 30 m: 4e-15 / 0.1
        assert_allclose(-np.array(R), expected[i] + weight, rtol=1e-11, atol=1e-9)
    bars, _, hulls, _, _ = build_bars(model, initial_state(model))
    field = make_field(2, 1, hulls)
    bars = bars._replace(held=np.zeros_like(bars.held))  # what is held lies as assembly/anchor.py lays it
    press_bars(bars, build_medium(model, 0.0), field, r, v)
    assert_allclose(field.force, expected, rtol=1e-11, atol=1e-9)
    local = evaluate_local(model, number(model), without_bodies(np.concatenate([r, r])))
    at_rest = np.outer(2e5 * depth * D * 0.5 * LENGTH, [0.0, 0.0, 1.0])
    assert_allclose(-local.R[:2], at_rest + weight, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize(("reach", "slips"), [(1e-4, False), (0.1, True)])
def test_the_bed_holds_alike_by_friction(reach: float, slips: bool) -> None:
    """-min(k A, mu N / |d|) d by hand, for a node held at its grip and for one that slips: elements and bars.

    A grip that slips follows to mu N / (k A) behind the node, which leaves the force as it is.
    """
    stiffness, mu, depth = 2e5, 0.4, 0.02
    bed = {"seabed": {"kind": "elastic", "stiffness": stiffness, "damping": 0.0, "friction": mu}, "water_density": 0}
    r = np.array([[0.0, 0.0, -30.0 - depth], [LENGTH, 0.0, -30.0 - depth]])
    v = np.zeros_like(r)
    model = case([0, 0, -28], [LENGTH, 0, -28], bed)
    mesh, d = build_mesh(model), np.array([0.6, 0.8, 0.0]) * reach
    area = D * 0.5 * LENGTH
    N = stiffness * area * depth
    assert (stiffness * area * reach > mu * N) is slips
    push = -min(stiffness * area, mu * N / reach) * d + np.array([0.0, 0.0, N])
    grip = no_grip(4, mu)
    grip.hold.place[:2] = r - d
    now = Instant(r, v, np.zeros((4, 3)), np.zeros(1), np.zeros((4, 8)))
    R, _ = node_terms(0, now, Lumps(mesh.node, 0.0, True, mesh.bed, grip), (0.0, 0.0), (0.0, 0.0))
    # depths of 0.02 m at 30 m: 4e-15 / 0.02
    assert_allclose(-np.array(R), push, rtol=1e-11)
    bars, _, hulls, _, _ = build_bars(model, initial_state(model))
    field, medium = make_field(2, 1, hulls), build_medium(model, 0.0)
    bars = bars._replace(held=np.zeros_like(bars.held))  # what is held lies as assembly/anchor.py lays it
    field.grip.friction[0].coefficient, field.grip.hold.place = mu, r - d
    for _ in range(2):  # before and after the grip has moved
        field.force[:], field.pressed.normal, field.pressed.area = 0.0, 0.0, 0.0
        press_bars(bars, medium, field, r, v)
        rub(medium.bed, field, r)
        assert_allclose(field.force, [push] * 2, rtol=1e-11)
        move_grips(bars, medium, field, r, v)
    behind = np.linalg.norm(r - field.grip.hold.place, axis=1)
    assert_allclose(behind, mu * depth if slips else reach, rtol=1e-11)


def test_screens_of_a_net_feel_their_own_water() -> None:
    """Loland's screen by hand: drag along the mean relative velocity, lift across it, shared by four corners."""
    net = {"panel": {"kind": "rectangle", "corners": [(0, 0, -1), (2, 0, -1), (2, 0.5, -3), (0, 0.5, -3)]},
           "section": "twine", "bar_length": 0.025, "cells": (1, 1), "force_model": "loland"}  # fmt: skip
    section = {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": "inextensible"}
    model = build(System.model_validate({
        "environment": {"depth": 30, "gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, **SEA},
        "sections": {"twine": section}, "nets": {"n": net},
    }))  # fmt: skip
    bars, _, hulls, r, _ = build_bars(model, initial_state(model))
    field, medium = make_field(bars.mass.size, bars.length.size, hulls), build_medium(model, 0.0)
    rng = np.random.default_rng(2)
    v = 0.3 * rng.normal(size=r.shape)
    water_at(r, TIME, medium, field.flow)
    screen_loads(bars, medium, field, r, v)
    total = np.zeros(3)
    for screen in bars.screen:
        corner = screen.corner
        a, b, c, d = r[corner]
        area = 0.5 * np.cross(c - a, d - b)
        u = np.mean(screen.wake * field.flow[corner, :3] - v[corner], axis=0)
        speed, size = np.linalg.norm(u), np.linalg.norm(area)
        normal = area / size * np.sign(area @ u)
        cosine, s = float(normal @ u / speed), float(screen.solidity)
        sine = np.sqrt(1.0 - cosine**2)
        drag = 0.04 + (-0.04 + 0.33 * s + 6.54 * s**2 - 4.88 * s**3) * cosine
        lift = (-0.05 * s + 2.3 * s**2 - 1.76 * s**3) * 2.0 * sine * cosine
        across = (normal - cosine * u / speed) / sine
        total += 0.5 * RHO * size * speed**2 * (drag * u / speed + lift * across)
    assert_allclose(field.force.sum(axis=0), total, rtol=0.0, atol=TIGHT * np.abs(total).max())


@pytest.mark.parametrize("seed", range(3))
def test_friction_is_sought_alike(seed: int) -> None:
    """k A d of the bed at rest, and N share - SOFT k_t A d by hand on a sloping bed: elements and bars, and what
    their rounds take it to be.
    """
    rng, stiffness, mu, n = np.random.default_rng(seed), 2e5, 0.4, 2
    normal = np.array([0.1, -0.2, 1.0]) / np.sqrt(1.05)
    bed = {"seabed": {"stiffness": stiffness, "damping": 0.0, "friction": mu, "friction_stiffness": 3e5,
                      "normal": normal.tolist()}, "water_density": 0}  # fmt: skip
    ends = {k: {"position": [x, 0.0, -28.0], "joint": "free"} for k, x in (("a", 0.0), ("b", LENGTH))}
    model = case([0, 0, -28], [LENGTH, 0, -28], bed, points=ends)
    depth, flat = rng.uniform(0.005, 0.05, n), np.eye(3) - np.outer(normal, normal)
    r = np.array([[0.0, 0.0, -30.0], [LENGTH, 0.0, -30.0 - 0.1 * LENGTH]]) - depth[:, None] * normal
    share, place, area = 0.3 * rng.normal(size=(n, 3)) @ flat, r + rng.normal(size=(n, 3)), D * 0.5 * LENGTH
    N = stiffness * area * depth
    expected = N[:, None] * share - SOFT * 3e5 * area * (r - place) @ flat
    pushed = expected + np.outer(N, normal)
    # elements
    work = make_work(model, initial_state(model), 0.0)
    work.steps.trial.X[0, :n] = r
    sought = MixedCase(0.0, work.mesh, model.sea, model.motions, 1.0, 1.0)
    elements = MixedSharing(sought, work.steps, np.zeros(1), None)
    grip = elements.held.memory.grip
    grip.friction[0].coefficient = mu
    now = Instant(r, np.zeros((n, 3)), np.zeros((4, 3)), np.zeros(1), np.zeros((4, 8)))
    elements.hold.place, elements.hold.share = place, share
    for i in range(n):
        lumps = Lumps(work.mesh.node, 0.0, True, work.mesh.bed, grip)
        # depths of 0.005 m at 30 m: 4e-15 / 0.005
        assert_allclose(-np.array(node_terms(i, now, lumps, (0.0, 0.0), (0.0, 0.0))[0]), pushed[i], rtol=1e-10)
    # bars
    start = start_bars(model, initial_state(model), 0.0, BarsStatics().lumping, strict=False)
    bars = BarsSharing(start, mu, lambda work: True)
    bars.work.steps.r[:] = r
    bars.hold.place, bars.hold.share = place, share
    bars.present()
    weight = np.array([0.0, 0.0, -0.5 * MASS * LENGTH * G])
    assert_allclose(bars.work.field.force, pushed + weight, rtol=1e-10, atol=1e-9)
    # what they share out
    for sharing in (elements, bars):
        _, lain, spots = sharing.present()
        assert_allclose(lain.pressed, N, rtol=1e-10)
        assert_allclose(spots.pressed, N, rtol=1e-10)
        way = along_bed(spots.normal, spots.r - sharing.hold.place)
        assert_allclose(sought_friction(spots.shear, way, spots.pressed, sharing.hold.share), expected, rtol=1e-10)


@pytest.mark.parametrize("reach", [1e-4, 0.1])
@pytest.mark.parametrize("pull", [1e4, 1.0])
def test_the_half_element_at_an_anchor_rubs_alike(reach: float, pull: float) -> None:
    """Friction on half an element at a held end, that of the next node by length, and no more than the line pulls.

    By hand, in results of mixed elements and of bars.
    """
    stiffness, mu, depth = 2e5, 0.4, 0.02
    bed = {"seabed": {"stiffness": stiffness, "damping": 0.0, "friction": mu}, "water_density": 0}
    ends = {"a": {"position": [0.0, 0.0, -30.0]}, "b": {"position": [2 * LENGTH, 0.0, -30.0], "joint": "free"}}
    line = {"l": {"from": "a", "to": "b", "elements": 2, "pieces": [{"section": "rope", "length": 2 * LENGTH}]}}
    section = {"diameter": D, "mass": MASS, "axial_stiffness": 1e9, "compression": True}
    model = build(System.model_validate({
        "environment": {"depth": 30, "gravity": G, **bed}, "points": ends, "lines": line, "sections": {"rope": section},
    }))  # fmt: skip
    r = np.array([[0.0, 0.0, -30.0], [LENGTH, 0.0, -30.0], [2 * LENGTH, 0.0, -30.0]])
    r[:, 2] -= depth
    area = D * LENGTH
    held = min(stiffness * area, mu * stiffness * area * depth / reach) * reach  # on the next node, towards the anchor
    away = np.array([1.0, 0.0, 0.0])
    taken = min(0.5 * held, pull) * away  # along the line: what friction leaves is not below zero
    # bars
    work = BarsStatics().start(model, initial_state(model))
    work.steps.r[:] = r
    loads_at_rest(work, r)
    place_grips(work, np.array([[0.0] * 3, -held * away, [0.0] * 3]), mu)
    work.field.grip.friction[0].coefficient = mu
    found = rub_end(work.medium.bed, (work.field.grip, work.field.pressed), r, (0, 1), 0.5 * area, (pull, 0.0, 0.0))
    assert_allclose(found, -taken, rtol=1e-9)
    assert_allclose(carried(model, work, (0, 0), pull * away), taken, rtol=1e-9, atol=1e-9)
    # elements
    mesh = build_mesh(model)
    grip, X = no_grip(mesh.node.shape[0], mu), np.zeros((4, mesh.node.shape[0], 3))
    X[0, :3], X[0, 3:5] = r, r[[0, 2]]
    grip.hold.place = X[0]
    grip.hold[1].place = r[1] - reach * away
    force, friction = bed_on_node(1, X, mesh, grip)
    assert_allclose(friction, -held * away, rtol=1e-9, atol=1e-9)
    assert_allclose(force, [0.0, 0.0, stiffness * area * depth], rtol=1e-9)


# hulls

CONE = {"kind": "axisymmetric", "profile": [(-1.2, 0.3), (-0.4, 0.7), (0.9, 0.6)],
        "drag": {"normal": 0.8, "axial": 0.5}, "added_mass": {"normal": 0.9, "axial": 0.4}}  # fmt: skip
BALL = {"kind": "sphere", "centre": (0.1, -0.2, 0.1), "radius": 0.8, "drag": 0.5, "added_mass": 0.5}
PLATE = CONE | {"ends": {"bottom": {"drag": 3.0, "added_mass": 0.6}, "top": {"drag": 1.5, "added_mass": 0.3}}}
HULLS = {
    "cone": [CONE],
    "ball": [BALL],
    "plate": [PLATE],
    "raft": [PLATE | {"position": (1.5, 0.4, -0.1)}, CONE | {"position": (-1.2, 0.8, 0.2), "axis": (0.6, 0.3, 0.5)},
             BALL | {"centre": (0.2, -2.0, -0.3)}],
}  # fmt: skip


def floating(hull: str, pose: Any, sea: Any) -> Model:
    """A body with a hull, loads and matrices at a pose (position, roll pitch yaw)."""
    matrix = np.diag([50.0, 60.0, 70.0, 80.0, 90.0, 30.0])
    body = {"mass": 900.0, "inertia": (300.0, 280.0, 200.0), "centre_of_mass": (0.02, 0.01, -0.2), "position": pose[0],
            "attitude": pose[1], "hulls": HULLS[hull], "attachments": {"eye": (0, 0, -1.0)},
            "loads": {"force": (100.0, 20.0, -50.0), "moment": (5.0, 7.0, -9.0), "at": (0.1, 0.0, 0.4)},
            "stiffness": matrix.tolist()}  # fmt: skip
    section = {"diameter": 1e-6, "mass": 1e-6, "axial_stiffness": "inextensible"}
    line = {"from": "a", "to": "buoy.eye", "elements": 2, "pieces": [{"section": "rope", "length": 40.0}]}
    environment = {"depth": 30, "gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, **sea}
    return build(System.model_validate({
        "environment": environment, "sections": {"rope": section}, "points": {"a": {"position": [0, 0, -20]}},
        "bodies": {"buoy": body}, "lines": {"l": line},
    }))  # fmt: skip


def strips_of(spec: Any) -> list[tuple[float, float, float, float, float]]:
    """zeta, thickness, radius, volume and height of the ramp: twelve strips, shared among the stretches by length."""
    profile, rows = spec["profile"], []
    total = profile[-1][0] - profile[0][0]
    for (z0, r0), (z1, r1) in pairwise(profile):
        n = max(1, round(12 * (z1 - z0) / total))
        for k in range(n):
            low, high = r0 + k / n * (r1 - r0), r0 + (k + 1) / n * (r1 - r0)
            thick = (z1 - z0) / n
            rows.append((z0 + (k + 0.5) * thick, thick, 0.5 * (low + high),
                         np.pi / 3.0 * thick * (low * low + low * high + high * high), thick))  # fmt: skip
    return rows


def drag_wrench(model: Model, hull: str, x: Any, R: Any, v: Any, omega: Any) -> Any:
    """Drag of the water on the hulls of a body about its origin, by hand; calm surface."""
    return sum(drag_on_hull(model, spec, x, R, (v, omega)) for spec in HULLS[hull])


def drag_on_hull(model: Model, spec: Any, x: Any, R: Any, motion: Any) -> Any:
    """Drag of the water on strips and end discs, or a sphere, about the origin, by hand."""
    v, omega = motion
    out = np.zeros(6)
    if spec["kind"] == "sphere":
        arm, radius = R @ np.array(spec["centre"]), spec["radius"]
        z = x[2] + arm[2]
        h = min(2.0 * radius, max(0.0, radius - z))
        share = h * h * (3.0 * radius - h) / (4.0 * radius**3)
        low = min(1.0, max(-1.0, z / radius))
        place = x + arm - [0.0, 0.0, 0.75 * radius * (1.0 + low) ** 2 / (2.0 + low)]
        row = np.zeros(COLUMNS)
        water_at_place(place, TIME, model.sea, row)
        u = row[:3] - v - np.cross(omega, arm)
        f = 0.5 * RHO * spec["drag"] * np.pi * radius**2 * share * np.linalg.norm(u) * u
        return np.concatenate([f, np.cross(arm, f)]) if share > 0.0 else out
    axis = np.array(spec.get("axis", (0.0, 0.0, 1.0)))
    axis, e = R @ axis / np.linalg.norm(axis), R @ np.array(spec.get("position", (0.0, 0.0, 0.0)))
    rows, profile = strips_of(spec), spec["profile"]
    discs = [0.0] * len(rows)
    for end, i in (("bottom", 0), ("top", -1)):
        disc = spec.get("ends", {}).get(end)
        if disc is not None:
            rows.append((profile[i][0], 0.0, profile[i][1], 0.0, rows[0 if i == 0 else len(strips_of(spec)) - 1][4]))
            discs.append(disc["drag"] * np.pi * profile[i][1] ** 2)
    wet = [min(1.0, max(0.0, 0.5 - (x[2] + e[2] + zeta * axis[2]) / (abs(axis[2]) * ramp
           + 2.0 * radius * np.sqrt(max(0.0, 1.0 - axis[2] ** 2))))) for zeta, _, radius, _, ramp in rows]  # fmt: skip
    volume = sum(w * row[3] for w, row in zip(wet, rows, strict=True))
    section = max(w * np.pi * row[2] ** 2 for w, row in zip(wet, rows, strict=True) if row[3] > 0.0)
    for w, (zeta, thick, radius, own, _), disc in zip(wet, rows, discs, strict=True):
        if w == 0.0:
            continue
        row, arm = np.zeros(COLUMNS), e + zeta * axis
        water_at_place(x + arm, TIME, model.sea, row)
        u = row[:3] - v - np.cross(omega, arm)
        along = (u @ axis) * axis
        across = u - along
        f = 0.5 * RHO * spec["drag"]["normal"] * 2.0 * radius * thick * w * np.linalg.norm(across) * across
        share = spec["drag"]["axial"] * section * w * own / volume + disc * w
        f = f + 0.5 * RHO * share * np.linalg.norm(along) * along
        out += np.concatenate([f, np.cross(arm, f)])
    return out


def wrench_of(model: Model, v: Any, omega: Any) -> Any:
    """Wrench of all but lines and weight on the body of the mixed elements, moving without acceleration."""
    mesh = build_mesh(model)
    bodies, n = mesh.bodies, mesh.node.shape[0]
    X = np.zeros((4, n, 3))
    row, turn = mesh.s.size + 1, mesh.s.size + 2
    X[0, row], X[1, row] = model.bodies.position[0], v
    X[1, turn] = rotation_matrix(model.bodies.quaternion[0]).T @ omega
    massless = bodies.body.copy()
    massless.mass, massless.inertia = 0.0, 0.0
    bodies = bodies._replace(body=massless)
    water_on_bodies(X, TIME, model.sea, mesh)
    fill_block(0, (row, turn), X, np.zeros((n, COLUMNS)), bodies, 0.0, (RHO, G), (0.0, 0.0))
    return -bodies.memory.block[:, 6]


@pytest.mark.parametrize("hull", HULLS)
@pytest.mark.parametrize("seed", range(3))
def test_one_wrench_on_tilted_hulls(hull: str, seed: int) -> None:
    """Mixed elements and bars in waves; closed form, shooting and linear at rest; drag by hand."""
    rng = np.random.default_rng(seed)
    pose = ((*rng.uniform(-2.0, 2.0, 2), rng.uniform(-0.6, 0.6)), tuple(rng.uniform(-40.0, 40.0, 3)))
    v, omega = 0.5 * rng.normal(size=3), 0.5 * rng.normal(size=3)
    model = floating(hull, pose, SEA)
    ours = wrench_of(model, v, omega)
    scale = np.abs(ours).max()
    # bars put the wrench on points, without the weight, which the points have
    state = initial_state(model)._replace(body_velocity=v[None], body_rate=omega[None])
    bars, _, hulls, r, _ = build_bars(model, state)
    field, medium = make_field(bars.mass.size, bars.length.size, hulls), build_medium(model, 0.0)
    from ropewalk.methods.bars.hull_arrays import opened

    corner, inverse = opened(hulls).corner[0], opened(hulls).inverse[0]
    speed = np.zeros_like(r)
    speed[:] = v + np.cross(omega, r - model.bodies.position[0])
    hull_water(hulls, medium, r, TIME)
    hull_loads(hulls, medium, r, speed, field.force, field.inertia)
    assert corner.size == inverse.shape[0] == 4
    # points that carry added mass hold their part of omega x (omega x x) themselves
    held = np.zeros(6)
    for i in np.flatnonzero(np.abs(field.inertia).max(axis=(1, 2)) > 0.0):
        arm = r[i] - model.bodies.position[0]
        f = field.inertia[i] @ np.cross(omega, np.cross(omega, arm))
        held += np.concatenate([f, np.cross(arm, f)])
    f = field.force
    total = np.concatenate([f.sum(axis=0), np.cross(r - model.bodies.position[0], f).sum(axis=0)])
    # attitudes go through the corners and a polar decomposition: 1e-12 of a few turns
    assert_allclose(total - held, ours, rtol=0.0, atol=1e-10 * scale)
    # drag: the difference that the velocity makes, by hand, in a current without waves
    calm = floating(hull, pose, CALM)
    x, R = model.bodies.position[0], rotation_matrix(model.bodies.quaternion[0])
    rest = wrench_of(calm, np.zeros(3), np.zeros(3))
    with_drag = wrench_of(calm, v, np.zeros(3))
    by_hand = [drag_wrench(calm, hull, x, R, u, np.zeros(3)) for u in (v, np.zeros(3))]
    assert_allclose(with_drag - rest, by_hand[0] - by_hand[1], rtol=0.0, atol=TIGHT * scale)
    # at rest in still water: closed form, shooting (both by `still_block`) and linear
    still = floating(hull, pose, {})
    ours = wrench_of(still, np.zeros(3), np.zeros(3))
    ours += np.concatenate([[0.0, 0.0, -900.0 * G], np.cross(R @ still.bodies.centre[0], [0.0, 0.0, -900.0 * G])])
    out = balance(1, 1, 1)
    evaluate(
        build_assembly(still),
        still.points.position,
        still.bodies.position,
        still.bodies.quaternion,
        out,
    )
    assert_allclose((out.force - out.line_force)[3:], ours, rtol=0.0, atol=TIGHT * scale)
    terms = body_terms(still, build_mesh(still).bodies, 0, x, still.bodies.quaternion[0])
    assert_allclose(terms.wrench, ours, rtol=0.0, atol=TIGHT * scale)
    moving = body_terms(calm, build_mesh(calm).bodies, 0, x, calm.bodies.quaternion[0])
    assert_allclose(moving.wrench - terms.wrench, by_hand[1], rtol=0.0, atol=TIGHT * scale)


# rods


@pytest.mark.parametrize("seed", range(4))
def test_one_wrench_on_a_rod(seed: int) -> None:
    """Weight and water on a bent rod that the surface cuts, in any pose: in every search for its rest.

    By hand from the integrals of its wet part, and by the slopes of the energy in all six motions.
    """
    rng = np.random.default_rng(seed)
    rod, u = rod_bodies.build(rod_bodies.helix_fields()), rod_bodies.directions(4)[seed]
    z = -float(u @ rod.centre) + 0.05 * rng.normal() * rod.length
    acc, g, length = hydrostatics(rod.panels, z, u), rod.gravity, rod.length
    net, about = rod.water_density * acc.volume - rod.mass, rod.water_density * acc.moment - rod.mass * rod.centre
    R, place, up = upright_frame(u)[0], np.array([0.3, -0.2, z]), np.array([0.0, 0.0, 1.0])
    arm, tangents = R @ rod.centre, tangent_basis(u)
    wrench = g * np.concatenate([net * up, np.cross(R @ about, up)])  # about the head, world
    scale = rod.mass * g
    tight = TIGHT * scale * length
    # trust region: about the centre of mass
    weight_density = rod.water_density * g
    W, K = wrench_and_stiffness(acc, rod.centre, rod.float_volume, u, weight_density)
    assert_allclose(W, np.concatenate([wrench[:3], wrench[3:] - np.cross(arm, wrench[:3])]), atol=tight)
    # descent: about the origin, also by differences of 1e-5: their square by that of length over radius, 1e3
    pose, back = rigid(R, place) @ rigid(np.eye(3), rod.centre), inverse_se3(rigid(np.eye(3), rod.centre))
    expected = np.concatenate([wrench[:3], wrench[3:] + np.cross(place, wrench[:3])])
    assert_allclose(_energy_and_wrench(rod, pose, back)[1], expected, atol=tight)
    for k, twist in enumerate(1e-5 * np.eye(6)):
        ahead, behind = (_energy_and_wrench(rod, exp_se3(way * twist) @ pose, back)[0] for way in (1.0, -1.0))
        assert_allclose((behind - ahead) / 2e-5, expected[k], atol=1e-6 * scale * length)
    # elastic: slopes by the height of the head and by u
    problem = BendingProblem(rod, np.ones(3), 3)
    held = problem.value(np.zeros(3 * len(problem.basis)), z, u, tangents)
    assert_allclose(held.lift * problem.scale / length, -g * net, atol=tight)
    assert_allclose(held.by_up * problem.scale, -g * about, atol=tight)
    # joints and design
    moment = tangents @ (about - net * rod.centre) / (rod.mass * length)
    assert_allclose(_out_of_balance(rod, u, z), [*moment, net / rod.mass], rtol=0.0, atol=TIGHT)
    residual = rod_design.balance(rod, u, z, rod_design.basis_functions(rod, 2)).residual
    assert_allclose(residual, [net / rod.mass, *tangents @ about / (rod.mass * length)], rtol=0.0, atol=TIGHT)
    # on lines: the weight is that of a body
    total, stiffness, block = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 7))
    add_buoyancy(acc, R, weight_density, total, stiffness)
    force_terms((0.0, 0.0, -scale), tuple(arm.tolist()), block)
    assert_allclose(total - block[:, 6], wrench, atol=tight)
    heave = (stiffness + block[:, :6])[2] @ np.vstack([arm_matrix(-arm), np.eye(6)[3:]])  # about the centre of mass
    assert_allclose(heave[2:5], K[2, 2:5], rtol=0.0, atol=TIGHT * float(np.abs(K).max()))
