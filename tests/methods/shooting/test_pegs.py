"""Lines that run over points without friction: closed forms, exact derivative, stability, refusals."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from shooting_cases import solve
from test_shooting import FLOW, ROPE, bed, check_jacobian, moored_body, sheared

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.methods.catenary.solver import Catenary
from ropewalk.methods.protocol import Claim, Status
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.spec.system import System

G, MASS = 9.81, 10.0
W = G * MASS  # N/m in air


def over(points, length, pegs, stiffness="inextensible", environment=None, section=None, **more):
    """One line from a to b over pegs, in air unless an environment is given."""
    air = {"gravity": G, "water_density": 0}
    return {
        "environment": {"gravity": G, **(environment or air)},
        "sections": {"c": section or {"drag": 0, "added_mass": 0,
                                      "diameter": 0.05, "mass": MASS, "axial_stiffness": stiffness}},
        "points": {name: p if isinstance(p, dict) else {"position": p} for name, p in points.items()},
        "lines": {"l": {"from": "a", "to": "b", "over": pegs, "pieces": [{"section": "c", "length": length}], **more}},
    }  # fmt: skip


def free(position, mass=0.0):
    return {"position": position, "joint": "free", "mass": mass}


def places(solved):
    return [peg["s"] for peg in solved.report.figures["over"]["l"]]


def split(data, at):
    """The same case with the line cut at its pegs into lines that end there."""
    data = copy.deepcopy(data)
    line = data["lines"].pop("l")
    names = [line["from"], *line["over"], line["to"]]
    ends = [0.0, *at, line["pieces"][0]["length"]]
    for k in range(len(names) - 1):
        piece = [{"section": "c", "length": ends[k + 1] - ends[k]}]
        data["lines"][f"part{k}"] = {"from": names[k], "to": names[k + 1], "pieces": piece}
    return data


LEVEL = {"a": [-10, 0, 0], "p": [0, 0, 0], "b": [10, 0, 0]}
HILLS = {"a": [-10, 0, 0], "p": [3, 0, 5], "q": [20, 5, 8], "b": [30, 2, 0]}


def test_rope_with_free_ends_hangs_level():
    """Both ends at the same height: each side carries w L/2, the peg w L; the rest is not stable, and that is said."""
    solved = solve(over({"a": free([-0.1, 0, -10]), "p": [0, 0, 5], "b": free([0.2, 0, 0])}, 40.0, ["p"]))
    assert solved.report.good
    assert "unstable equilibrium" in solved.report.message
    # Newton stops at 1e-12 of length and weight
    assert_allclose(places(solved), [20.0], rtol=1e-11)
    # the smallest force, 1e-11 of the weight, rounds the tips off
    assert_allclose(solved.state.point_position[[0, 2], 2], -15.0, rtol=1e-10)
    assert_allclose(solved.state.point_force[1], [0, 0, -40.0 * W], atol=1e-9 * 40 * W)


def test_two_weights_balance():
    """m1 + m s = m2 + m (L - s), Atwood at rest."""
    m1, m2, length = 120.0, 70.0, 30.0
    solved = solve(over({"a": free([-0.1, 0, -9], m1), "p": [0, 0, 5], "b": free([0.1, 0, -8], m2)}, length, ["p"]))
    assert_allclose(places(solved), [0.5 * (length + (m2 - m1) / MASS)], rtol=1e-11)


def test_two_equal_spans_are_two_catenaries():
    """sinh(a/c) = s/c for half span a = 5 m and s = 5.25 m; T = w sqrt(c^2 + s^2) at all supports."""
    solved = solve(over(LEVEL, 21.0, ["p"]))
    c = brentq(lambda c: c * math.sinh(5.0 / c) - 5.25, 1.0, 100.0, xtol=1e-13)
    tension = W * math.hypot(c, 5.25)
    assert_allclose(places(solved), [10.5], rtol=1e-10)
    # dT/T = -5.5 dL/L on so tight a line
    assert_allclose(np.linalg.norm(solved.state.end_force, axis=2), tension, rtol=1e-10)
    assert_allclose(solved.report.figures["over"]["l"][0]["tension"], tension, rtol=1e-6)
    assert_allclose(solved.state.point_force[1], [0, 0, -10.5 * W], atol=1e-9 * tension)


@pytest.mark.parametrize("stiffness", ["inextensible", 2.0e5])
def test_all_spans_share_one_directrix(stiffness):
    """T + T^2/2EA = w (z - z0) along one rope, whatever it runs over (a first integral of the string equations)."""
    solved = solve(over(HILLS, 58.0, ["p", "q"], stiffness))
    assert solved.report.good
    z, T = solved.state.position[:, 2], solved.state.tension
    energy = T + (0.0 if stiffness == "inextensible" else T * T / (2 * stiffness)) - W * z
    assert_allclose(energy, energy[0], rtol=1e-9)
    peg = solved.report.figures["over"]["l"]
    # what a peg takes is the difference of the two sides, so all forces on points balance the weight
    assert_allclose(solved.state.point_force.sum(axis=0), [0, 0, -58.0 * W], atol=1e-9 * 58 * W)
    assert 0.0 < peg[0]["s"] < peg[1]["s"] < 58.0


def test_pegs_are_nodes_of_the_result():
    solved = solve(over(HILLS, 58.0, ["p", "q"]))
    for place, peg in zip(places(solved), (1, 2), strict=True):
        k = int(np.flatnonzero(solved.state.s == place)[0])
        assert_allclose(solved.state.position[k], solved.state.point_position[peg], atol=1e-9)


CURRENT = over({"a": [0, 0, -190], "p": [150, 20, -60], "b": [300, 20, 10]}, 350.0, ["p"], environment=sheared(),
               section=ROPE)  # fmt: skip
PULLEY = over({"a": [-10, 0, -50], "p": {"position": [0, 1, -60], "joint": "free", "mass": 300.0}, "b": [20, 4, -45]},
              50.0, ["p"], environment={"water_density": 1025, "current": FLOW}, section=ROPE)  # fmt: skip
WINCH = over({"a": [0, 0, -200], "p": [420, 0, -12], "b": [424, 0, -11]}, 500.0, ["p"], environment=bed(0.3, FLOW),
             section=ROPE)  # fmt: skip
TAIL = over({"a": [0, 0, -50], "p": [30, 0, -48], "b": free([30, 0, -70], 300.0)}, 55.0, ["p"],
            environment={"water_density": 1025, "current": FLOW}, section=ROPE)  # fmt: skip


def shoe():
    """A moored body with one line that runs over its hull to a point above."""
    data = moored_body(FLOW)
    data["points"]["winch"] = {"position": [30.0, 0.0, 10.0]}
    data["lines"]["m0"].update(to="winch", over=["hull.e0"], pieces=[{"section": "c", "length": 520.0}])
    return data


DERIVATIVES = {"two pegs": over(HILLS, 58.0, ["p", "q"], 2e5), "current, shear and surface": CURRENT,
               "free pulley": PULLEY, "anchor to winch": WINCH, "free tail": TAIL, "on a body": shoe()}  # fmt: skip


@pytest.mark.parametrize("name", DERIVATIVES)
def test_derivative_equals_differences(name):
    """Places of pegs among the unknowns, on points and bodies, from the bed, the surface and a tail."""
    check_jacobian(DERIVATIVES[name])


CALM_WINCH = WINCH | {"environment": {"gravity": G, **bed(0.3)}}


@pytest.mark.parametrize("data", [over(HILLS, 58.0, ["p", "q"], 2e5), CALM_WINCH], ids=["two pegs", "anchor to winch"])
def test_cut_lines_of_the_lengths_found_agree_with_the_closed_form(data):
    """The same line as separate lines that end at the pegs, by the catenary: end forces, and equal tensions there."""
    solved = solve(data)
    other = rw.statics(System.model_validate(split(data, places(solved))), Catenary.name)
    forces = other.state.end_force
    scale = np.abs(forces).max()
    assert_allclose(solved.state.end_force[0, 0], forces[0, 0], atol=1e-8 * scale)
    assert_allclose(solved.state.end_force[0, 1], forces[-1, 1], atol=1e-8 * scale)
    for before, after in zip(forces[:-1, 1], forces[1:, 0], strict=True):
        assert_allclose(np.linalg.norm(before), np.linalg.norm(after), rtol=1e-8)


def test_pulley_settles_where_its_weight_turns_both_sides_alike():
    """A free pulley on a light rope: both sides stand at the same angle, 2 T sin = weight."""
    points = {"a": [0, 0, 0], "p": free([4, 0, -5], 500.0), "b": [10, 0, 1]}
    data = over(
        points,
        14.0,
        ["p"],
        section={"drag": 0, "added_mass": 0, "diameter": 0.01, "mass": 1e-4, "axial_stiffness": "inextensible"},
    )
    peg = solve(data).report.figures["over"]["l"][0]
    sine = math.sqrt(14.0**2 - 10.0**2) / 14.0  # ellipse with foci a and b: legs of total length L over a span of 10 m
    # the rope weighs 3e-6 of the pulley
    assert_allclose(peg["tension"], 500.0 * G / (2 * sine), rtol=1e-5)
    assert_allclose(peg["force"], [0, 0, 500.0 * G], atol=1e-5 * 500 * G)


def test_order_of_the_ends_does_not_matter():
    one = solve(CURRENT)
    data = copy.deepcopy(CURRENT)
    data["lines"]["l"].update({"from": "b", "to": "a"})
    two = solve(data)
    assert_allclose(350.0 - places(two)[0], places(one)[0], rtol=1e-9)
    assert_allclose(two.state.end_force[0, ::-1], one.state.end_force[0], atol=1e-8 * np.abs(one.state.end_force).max())


def test_an_unstable_rest_is_left_for_a_stable_one():
    """Between held ends the tensions agree at three places here; a push ends the middle one."""
    solved = solve(over({"a": [-10, 0, 0], "p": [3, 0, 5], "b": [10, 2, 0]}, 40.0, ["p"]))
    assert solved.report.good
    assert solved.report.message == ""
    place = places(solved)[0]
    apart = []
    for shift in (-0.01, 0.01):
        parts = solve(split(over({"a": [-10, 0, 0], "p": [3, 0, 5], "b": [10, 2, 0]}, 40.0, ["p"]), [place + shift]))
        force = np.linalg.norm(parts.state.end_force, axis=2)
        apart.append(force[1, 0] - force[0, 1])
    assert apart[0] < 0.0 < apart[1]  # more line before the peg: the pull beyond it takes it back


def test_sensitivity_equals_differences_of_solutions():
    """dT/dL and dx/dL of a line over a pulley by the implicit function theorem."""
    system = System.model_validate(PULLEY)
    name, step = "lines.l.pieces.0.length", 1e-3
    exact = rw.statics(system, sensitivities=[name]).sensitivities
    tension = []
    for sign in (-1, 1):
        data = copy.deepcopy(PULLEY)
        data["lines"]["l"]["pieces"][0]["length"] += sign * step
        tension.append(rw.statics(System.model_validate(data)).line("l")["end_a"]["tension"])
    # second-order differences over 2e-5 of the length
    assert_allclose(exact["lines.l.end_a.tension"][name], (tension[1] - tension[0]) / (2 * step), rtol=1e-6)


def test_stiffness_on_a_body_equals_differences():
    """Surge stiffness of a held body with a line running over it."""
    data = shoe()
    data["bodies"]["hull"]["joint"] = "fixed"

    def pull(x):
        moved = copy.deepcopy(data)
        moved["bodies"]["hull"]["position"] = [x, 0, 0]
        rest = rw.statics(System.model_validate(moved), "shooting")
        lines = sum(np.array(rest.line(f"m{k}")["end_b"]["force"]) for k in (1, 2))
        return rest, lines[0] + rest.line("m0")["over"][0]["force"][0]

    step = 1e-3
    stiffness = pull(0.0)[0].body_stiffness("hull")[0, 0]
    assert_allclose(stiffness, -(pull(step)[1] - pull(-step)[1]) / (2 * step), rtol=1e-6)


def test_line_too_short_for_its_way_is_said():
    data = over({"a": [-10, 0, 0], "p": [3, 0, 5], "b": [10, 2, 0]}, 20.0, ["p"])
    assert solve(data).report.status is Status.TOO_SHORT
    with pytest.raises(InputError, match=r"length 20 m is shorter than the 22\.7601 m between its ends"):
        rw.statics(System.model_validate(data))


def test_line_without_a_rest_is_said():
    """A short free end cannot hold the span on the other side of the peg."""
    report = solve(over({"a": [-10, 0, 0], "p": [0, 0, 5], "b": free([0.1, 0, -5])}, 16.0, ["p"])).report
    assert not report.good
    assert "line 'l' does not come to rest over 'p'" in report.message or "slides off" in report.message


def test_methods_that_do_not_claim_it_refuse():
    system = System.model_validate(over(LEVEL, 21.0, ["p"]))
    claiming = [name for name in SOLVERS if Claim.OVER in solver_class(name).claims]
    assert claiming == ["shooting", "fem"]
    with pytest.raises(InputError, match="method 'relax' does not support lines that run over points"):
        rw.statics(system, "relax")
    with pytest.raises(InputError, match=r"lacks .*lines that run over points"):
        rw.simulate(system, duration=1.0)
    with pytest.raises(InputError, match="frequency analyses do not support lines that run over points"):
        rw.modes(system)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"over": ["x"]}, "no point or attachment 'x'"),
        ({"over": ["p", "p"]}, "the line runs from 'p' to 'p'; list each point between them once"),
        ({"over": ["a"]}, "the line runs from 'a' to 'a'"),
        ({"attachments": [{"s": 3.0, "mass": 1.0}]}, "a line that runs over points cannot have attachments"),
    ],
)
def test_wrong_input_is_said(change, sentence):
    data = over(LEVEL, 21.0, ["p"])
    data["lines"]["l"].update(change)
    with pytest.raises(InputError, match=sentence):
        System.model_validate(data)


def test_buoyant_line_over_points_that_comes_to_lie_at_the_surface_ends_with_that_reason():
    """Deep enough the same line comes to rest; at the surface elements have it, over held points only."""

    def system(depth: float, joint: str = "fixed") -> rw.System:
        places = {"a": [0, 0, -10], "peg": [60, 0, -15], "b": [120, 0, -10]}
        return rw.System.model_validate(
            {
                "ropewalk": 1,
                "environment": {"seabed": {"kind": "none"}},
                "sections": {"rope": {"mass": 2.0, "diameter": 0.06, "axial_stiffness": 1e7}},
                "points": {
                    name: {"position": [x, y, z - depth], "joint": joint if name == "peg" else "fixed"}
                    for name, (x, y, z) in places.items()
                },
                "lines": {
                    "l": {"from": "a", "to": "b", "over": ["peg"], "pieces": [{"section": "rope", "length": 160.0}]}
                },
            }
        )

    assert rw.statics(system(100.0)).method == "shooting"
    with pytest.raises(rw.ConvergenceError, match=r"along the water surface, .* use method 'fem'"):
        rw.statics(system(0.0), "shooting")
    assert rw.statics(system(0.0)).method == "fem"
    with pytest.raises(rw.ConvergenceError) as failure:
        rw.statics(system(0.0, "free"))
    assert "use method" not in str(failure.value)


def test_a_cut_at_the_very_end_of_a_line_over_points_is_within_it():
    """The second of two pieces falls to the bed; a cut beyond the last one ended in an IndexError."""
    system = {
        "environment": {"depth": 31.045919839288107},
        "sections": {"s": {"diameter": 0.012732668469670935, "mass": 0.6366470748922347,
                           "axial_stiffness": 30099642.01500744}},
        "points": {"a": {"position": [-16.119454308199938, 0, -31.045919839288107]},
                   "g0": {"position": [0.0, -0.42427567323839366, 2]},
                   "g1": {"position": [9.313775951786432, -2.195809032513375, 5]},
                   "w": {"position": [37.9616112422342, 0, 2.209499142825619]}},
        "lines": {"l": {"from": "a", "to": "w", "over": ["g0", "g1"],
                        "pieces": [{"section": "s", "length": 41.2024376127237},
                                   {"section": "s", "length": 38.14513587479963}]}},
    }  # fmt: skip
    with pytest.raises(rw.ConvergenceError, match="would have to be held down by the seabed"):
        rw.statics(System.model_validate(system), "shooting")
    assert rw.statics(System.model_validate(system)).method == "fem"
