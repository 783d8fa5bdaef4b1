"""Closed-form assemblies: balance, stiffness, arrival from anywhere."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import OC3, between, lattice, platform, spar, string_of_lines, surmont_buoy
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.catenary.solver import Catenary
from ropewalk.methods.protocol import Status
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System


def test_balance_is_found_from_anywhere():
    """Three lines at a buoy have a convex energy, so every start must lead to the one balance."""
    start_three_lines(200, 7, (-1, 4))


def start_three_lines(count: int, seed: int, decades: tuple[int, int]) -> None:
    """Starts of the node at distances of 10^decades m, each of which must lead to the balance."""
    model = build(surmont_buoy())
    solver, state = Catenary(), initial_state(model)
    rng = np.random.default_rng(seed)
    for _ in range(count):
        start = state.point_position.copy()
        start[0] = rng.normal(size=3) * 10.0 ** rng.uniform(*decades)
        work = solver.start(model, state._replace(point_position=start))
        report = solver.advance(model, work, 0.0)
        assert report.good, report.message
        assert_allclose(work.place.points[0], [-6.18267496342912, 2.88401845650973, 8.83865067971082], atol=1e-9)


def test_lines_through_free_points_make_one_line():
    """Twenty lines joined at weightless points hang as one line of their summed length."""
    whole = rw.statics(between(200.0, 0.0, 240.0, 1e9, 50.0)).line("line")
    parts = rw.statics(string_of_lines(20))
    # positions of 200 m are known to 3e-14 m, which a stiffness EA/L of 1e8 N/m turns into 3e-6 N
    assert_allclose(parts.line("l0")["end_a"]["force"], whole["end_a"]["force"], rtol=1e-9, atol=3e-6)
    assert parts.report.residual_force < 3e-6


@pytest.mark.parametrize("n", [4, 10])
def test_net_of_lines_balances(n):
    """Weight of all lines and knots is carried by the frame."""
    system = lattice(n)
    equilibrium = rw.statics(system)
    fixed = [name for name, point in system.points.items() if point.joint == "fixed"]
    carried = sum(np.array(equilibrium.summary["points"][name]["force"]) for name in fixed)
    weight = 9.80665 * (5.0 * n * n + 0.3 * 10.5 * len(system.lines))
    assert_allclose(carried, [0, 0, -weight], rtol=1e-10, atol=1e-9 * weight)


def test_stiffness_is_the_derivative_of_the_force():
    """6 x 6 stiffness of a held platform against central differences of its mooring force."""
    position, turn = np.array([12.0, -7.0, 1.5]), np.array([2.0, -3.0, 5.0])

    def wrench(p, attitude):
        equilibrium = rw.statics(platform(OC3, position=p.tolist(), attitude=attitude.tolist()))
        origin, total = p, np.zeros(6)
        for i in (1, 2, 3):
            end = equilibrium.line(f"line{i}")["end_b"]
            total[:3] += end["force"]
            total[3:] += np.cross(np.array(end["position"]) - origin, end["force"])
        return total, equilibrium

    _, equilibrium = wrench(position, turn)
    K = equilibrium.body_stiffness("platform")
    for j in range(3):
        step = 1e-3 * np.eye(3)[j]
        slope = -(wrench(position + step, turn)[0] - wrench(position - step, turn)[0]) / 2e-3
        # differences of 1e6 N over 2 mm: round-off 1e-10 / 2e-3 N/m, truncation h^2
        assert_allclose(K[:, j], slope, rtol=1e-6, atol=1e-6 * abs(K[:, j]).max())
    # a yaw of the whole platform is a rotation about world z, whatever roll and pitch are
    step = np.array([0.0, 0.0, 1e-3])
    slope = -(wrench(position, turn + step)[0] - wrench(position, turn - step)[0]) / np.radians(2e-3)
    assert_allclose(K[:, 5], slope, rtol=1e-6, atol=1e-6 * abs(K[:, 5]).max())


def test_platform_returns_from_offset():
    """A free spar 30 m off station comes back to the axis of its three lines."""
    at_rest = rw.statics(spar(position=[0, 0, 0])).summary["bodies"]["platform"]
    offset = rw.statics(spar(position=[30, -11, 4], attitude=[3, -4, 20])).summary["bodies"]["platform"]
    assert_allclose(offset["position"], at_rest["position"], atol=1e-7)
    assert_allclose(offset["attitude"], [0, 0, 0], atol=1e-7)


def test_capsized_body_rights_itself():
    """An exactly inverted spar is in balance but not stable; the answer is the stable one."""
    body = rw.statics(spar(position=[0, 0, 0], attitude=[180, 0, 0])).summary["bodies"]["platform"]
    assert_allclose(body["attitude"][:2], [0, 0], atol=1e-6)


def test_buoy_on_inextensible_weightless_tether():
    """The tether is straight and its tension is the net buoyancy, 1025 g V - m g."""
    system = System.model_validate(
        {
            "environment": {"gravity": 10.0, "water_density": 1000.0, "depth": 50},
            "sections": {
                "rope": {
                    "drag": 0,
                    "added_mass": 0,
                    "diameter": 0.02,
                    "mass": 0.1 * np.pi,
                    "axial_stiffness": "inextensible",
                }
            },
            "points": {
                "anchor": {"position": [0, 0, -50]},
                "float": {"position": [3, 1, -10], "joint": "free", "mass": 100.0, "volume": 0.5},
            },
            "lines": {"tether": {"from": "anchor", "to": "float", "pieces": [{"section": "rope", "length": 30}]}},
        }
    )
    equilibrium = rw.statics(system)
    # a neutrally buoyant inextensible line is stood in for by one of EA 1e8 times the forces
    assert_allclose(equilibrium.summary["points"]["float"]["position"], [0, 0, -20], atol=1e-6)
    assert_allclose(equilibrium.line("tether")["end_a"]["tension"], 4000.0, rtol=1e-7)


def test_heavy_knot_rests_on_the_bed():
    """A clump too heavy for its slack lines lies on the bed and presses on it."""
    system = System.model_validate(
        {
            "environment": {"depth": 30.0},
            "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.03, "contact_diameter": 0}},
            "points": {
                "a": {"position": [0, 0, -30]},
                "clump": {"position": [20, 0, -25], "joint": "free", "mass": 5000, "volume": 1.0},
                "b": {"position": [50, 0, 0]},
            },
            "lines": {
                "lower": {"from": "a", "to": "clump", "pieces": [{"section": "chain", "length": 25}]},
                "upper": {"from": "clump", "to": "b", "pieces": [{"section": "chain", "length": 48}]},
            },
        }
    )
    equilibrium = rw.statics(system)
    assert equilibrium.summary["points"]["clump"]["position"][2] == -30.0
    assert equilibrium.line("lower")["grounded_length"] == pytest.approx(25.0)


def test_swapped_ends_give_the_mirrored_line():
    """Which end is A does not matter."""
    one = rw.statics(between(60.0, 25.0, 80.0, 1e6, 30.0)).line("line")
    system = between(60.0, 25.0, 80.0, 1e6, 30.0)
    turned = system.replace(lines={"line": system.lines["line"].replace(from_="B", to="A")})
    other = rw.statics(turned).line("line")
    assert_allclose(other["end_a"]["force"], one["end_b"]["force"], rtol=1e-12)
    assert_allclose(other["end_b"]["force"], one["end_a"]["force"], rtol=1e-12)


def test_line_too_short_is_refused_before_computing():
    with pytest.raises(
        InputError, match=r"line 'line': length 9 m is shorter than the 10 m between its ends; lengthen"
    ):
        rw.statics(between(10.0, 0.0, 9.0, "inextensible", 10.0))


def test_body_that_nothing_holds_has_no_equilibrium():
    """A heavy body on no line sinks for ever: said so, with its name."""
    system = System.model_validate(
        {
            "bodies": {
                "stone": {"mass": 1000.0, "position": [0, 0, 0], "hull": {"drag": 0, "kind": "sphere", "radius": 0.1}}
            }
        }
    )
    with pytest.raises(ConvergenceError, match="body 'stone'") as caught:
        rw.statics(system)
    assert caught.value.report.status is Status.NO_EQUILIBRIUM


def test_current_is_refused_by_the_closed_form():
    system = between(60.0, 25.0, 80.0, 1e6, 30.0)
    sea = system.environment.replace(water_density=1000.0, current={"speed": 1.0})
    with pytest.raises(InputError, match="method 'catenary' does not support current"):
        rw.statics(system.replace(environment=sea), "catenary")


@pytest.mark.slow
def test_thousand_starts_of_the_three_line_node():
    """As `test_balance_is_found_from_anywhere`, the whole study."""
    start_three_lines(1000, 11, (-2, 5))


def test_weight_on_slack_ropes_is_balanced():
    """Ropes that cannot stretch, one nearly straight on the way: forces and weight sum to zero, lengths hold."""
    data = {
        "environment": {"gravity": 9.81, "seabed": {"kind": "none"}},
        "sections": {"r": {"diameter": 0.01155, "mass": 0.0888, "axial_stiffness": "inextensible"}},
        "points": {
            "node": {"position": [-1.0, -0.2, -13.0], "joint": "free", "mass": 3.84},
            "a": {"position": [17.8, 3.1, -12.7]},
            "top": {"position": [3.0, 0, -1.0]},
        },
        "lines": {
            "l": {"from": "a", "to": "node", "pieces": [{"section": "r", "length": 20.1}]},
            "u": {"from": "node", "to": "top", "pieces": [{"section": "r", "length": 17.6}]},
        },
    }
    answer = rw.statics(System.model_validate(data), "catenary")
    state = answer.state
    total = state.end_force[0, 1] + state.end_force[1, 0] + [0, 0, -3.84 * 9.81]
    # residuals are judged by 1e-9 of all weights, 50 N
    assert_allclose(total, 0.0, atol=1e-7)
    assert_allclose(np.linalg.norm(state.end_force, axis=2).max(), 35.2325, rtol=1e-4)
    for i, length in enumerate((20.1, 17.6)):
        way = np.diff(state.position[state.start[i] : state.start[i + 1]], axis=0)
        # chords of a hundred parts of a curve: 1e-3 where it is bent, at most its length
        assert length * (1 - 2e-3) < np.linalg.norm(way, axis=1).sum() < length * (1 + 1e-12)


def test_inextensible_ropes_that_cannot_meet_are_refused_by_name():
    """Three ropes of 0.55 of the sides of a triangle reach each other in pairs, but not all three the middle."""
    corners = {f"a{k}": {"position": [np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0.0]} for k in range(3)}
    rope = [{"section": "r", "length": 0.55 * np.sqrt(3.0)}]
    data = {
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"r": {"diameter": 0.01, "mass": 0.1, "axial_stiffness": "inextensible"}},
        "points": {**corners, "p": {"position": [0, 0, -0.1], "joint": "free", "mass": 1.0}},
        "lines": {f"l{k}": {"from": f"a{k}", "to": "p", "pieces": rope} for k in range(3)},
    }
    model = build(System.model_validate(data))
    solver = Catenary()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert report.status is Status.TOO_SHORT
    assert "'l0' (0.952628 m long, would have to span 1 m)" in report.message


def test_nodes_follow_a_fold():
    """A slack line turns back within its own thickness: the chords between its nodes are as long as the line to 1e-4.

    A chord over an angle of 0.3 rad is shorter than its arc by 0.3^2/24, and the fold takes a hundredth of the line.
    """
    system = between(0.05, 0.0, 20.0, "inextensible", 50.0)
    state = rw.statics(system, method="catenary").state
    chords = np.linalg.norm(np.diff(state.position, axis=0), axis=1).sum()
    assert_allclose(chords, 20.0, rtol=1e-4)
    assert state.s.size < 160
