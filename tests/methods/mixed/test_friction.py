"""Friction of the bed: equilibria of lines that were pulled, and what sticks and slips in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import settle
from numpy.testing import assert_allclose

from reference import between
from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import statics
from ropewalk.assembly import pulled
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

MOORING: dict[str, Any] = {"dx": 560.0, "dz": 200.0, "length": 650.0, "weight": 1000.0, "depth": 200.0}
W, L, WIDTH, MU, SHEAR = 100.0, 20.0, 0.1, 0.5, 1e5  # N/m, m, m, -, Pa/m: a line laid out on the bed


@pytest.mark.parametrize("friction", [0.1, 1.0])
def test_line_pulled_from_both_ends_is_loosest_in_the_middle(friction: float) -> None:
    """Both ends on the bed, 1 m of stretch: T falls from both, [Jonkman2007] as the catenary has it."""
    system = between(100.0, 0.0, 99.0, 1e6, 1000.0, depth=200.0, friction=friction, elements=99)
    exact, found = statics(system, "catenary").state, statics(system, "fem").state
    # second order in the element, 1 m of a tension that falls over 50 m or 32 m
    assert_allclose(found.end_force, exact.end_force, rtol=1e-4, atol=1e-3)
    assert_allclose(found.tension, found.tension[::-1], atol=1e-3)


def test_walking_the_line_the_other_way_changes_nothing() -> None:
    """Ends swapped."""
    system = between(**MOORING, stiffness=1e9, friction=0.5, elements=40)
    data = system.model_dump(by_alias=True, exclude_unset=True)
    data["lines"]["line"].update({"from": "B", "to": "A"})
    swapped = System.model_validate(data)
    a, b = statics(system, "fem").state, statics(swapped, "fem").state
    assert_allclose(a.end_force, b.end_force[:, ::-1], atol=1e-4)
    assert_allclose(a.tension, b.tension[::-1], atol=1e-4)


def test_loads_across_are_held_as_shooting_holds_them() -> None:
    """Cross current of 1 m/s: the part on the bed lies straight, by [Surmont2025]'s method with our convention."""
    system = System.model_validate(
        {
            "environment": {"depth": 200, "current": {"speed": 1.0, "heading": 90}, "seabed": {"friction": 0.6}},
            "sections": {"c": {"added_mass": 0,
                               "diameter": 0.08, "mass": 60.0, "axial_stiffness": 1e8, "drag": {"normal": 1.2}}},
            "points": {"anchor": {"position": [0, 0, -200]}, "top": {"position": [390, 0, -20]}},
            "lines": {"m": {"from": "anchor", "to": "top", "elements": 120,
                            "pieces": [{"section": "c", "length": 480}]}},
        }
    )  # fmt: skip
    model, solver = build(system), Shooting()
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 0.0).good
    straight, found = solver.read(model, work), statics(system, "fem").state
    # 0.5 % of the sideways force: what holds the line across is found to 1e-4 of its weight; the rest is mesh and bed
    assert_allclose(found.end_force[0, 1], straight.end_force[0, 1], rtol=6e-3)
    assert_allclose(found.end_force[0, 0], 0.0, atol=1.0)


def test_a_thicker_piece_on_the_bed_does_not_part_what_was_pulled() -> None:
    """Friction takes mu w from the tension over each metre: of 2.6 kN nothing is left after 13.6 m of the 43 m there.

    Beside the thicker piece the line is off the bed over some nodes; nothing pulls there.
    """
    system = System.model_validate(
        {
            "environment": {"depth": 60, "seabed": {"friction": 1.0, "stiffness": 1e6}},
            "sections": {name: {"diameter": d, "contact_diameter": d, "mass": 20.0, "axial_stiffness": 1e7,
                                "drag": 0, "added_mass": 0} for name, d in (("thick", 0.06), ("thin", 0.02))},
            "points": {"anchor": {"position": [0, 0, -60]}, "top": {"position": [75, 0, 0]}},
            "lines": {"m": {"from": "anchor", "to": "top", "elements": 800,
                            "pieces": [{"section": "thick", "length": 15}, {"section": "thin", "length": 100}]}},
        }
    )  # fmt: skip
    found = statics(system, "fem").state
    # the rounds of friction end at 1e-4 of the weight of the line
    assert_allclose(found.tension[found.s < 25.0], 0.0, atol=1e-4 * 115 * 20 * 9.81)


def test_a_chain_across_a_current_lies_straight_where_friction_holds_it() -> None:
    """584 kN by shooting, whose part on the bed is straight; 643 kN without friction, in a bow of 190 m."""
    depth = 323.79486930419347
    system = System.model_validate(
        {
            "environment": {
                "depth": depth,
                "current": {"speed": 0.489, "heading": 108.06},
                "seabed": {"friction": 0.5},
            },
            "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.1}},
            "points": {"a": {"position": [2334.09, 0, -depth]}, "f": {"position": [0, 0, -1.0]}},
            "lines": {"l": {"from": "a", "to": "f", "elements": 400, "pieces": [{"section": "c", "length": 2603.31}]}},
        }
    )
    straight, found = statics(system, "shooting").state, statics(system, "fem")
    error = found.report.figures["discretisation_error"]
    assert error < 2e-3
    top = np.linalg.norm(straight.end_force[0, 1])
    assert_allclose(found.state.end_force[0, 1], straight.end_force[0, 1], atol=max(error, 1e-3) * top)
    assert np.abs(found.state.position[:, 1]).max() < 20.0


@pytest.mark.parametrize("friction", [0.0, 0.3, 1.0])
def test_stiffness_on_a_body_is_that_of_the_closed_form(friction: float) -> None:
    """Three chains on a body 8 m off their middle; with mu = 1 one has no tension left at its anchor."""
    arms = [[np.cos(a), np.sin(a)] for a in 2.0 * np.pi / 3.0 * np.arange(3)]
    eyes = {f"e{i}": [2.0 * x, 2.0 * y, 0.0] for i, (x, y) in enumerate(arms)}
    body = {"mass": 1e5, "inertia": [1e6, 1e6, 1e6], "position": [8, 0, -1], "joint": "fixed", "attachments": eyes}
    system = System.model_validate(
        {
            "environment": {"depth": 100, "seabed": {"friction": friction, "stiffness": 1e6}},
            "sections": {"c": {"drag": 0, "added_mass": 0, "diameter": 0.1, "mass": 80.0, "axial_stiffness": 4e8}},
            "points": {f"a{i}": {"position": [260.0 * x, 260.0 * y, -100.0]} for i, (x, y) in enumerate(arms)},
            "bodies": {"b": body},
            "lines": {f"l{i}": {"from": f"a{i}", "to": f"b.e{i}", "elements": 60,
                                "pieces": [{"section": "c", "length": 300}]} for i in range(3)},
        }
    )  # fmt: skip
    exact, found = statics(system, "catenary").stiffness, statics(system, "fem").stiffness
    assert exact is not None and found is not None
    # without friction 2.2 %, of the touchdown within an element; 1 % more as friction does not turn with the line
    assert_allclose(found[0, :3, :3], exact[0, :3, :3], atol=0.04 * np.abs(exact[0, :3, :3]).max())


def test_friction_that_is_not_found_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The equilibrium is then that without friction."""
    system = between(**MOORING, stiffness=1e9, friction=0.5, elements=40)
    _, free = settle(build(between(**MOORING, stiffness=1e9, elements=40)))
    monkeypatch.setattr(pulled, "MOST_ROUNDS", 1)
    report, state = settle(build(system))
    assert report.good and "bed friction is left out" in report.message
    assert_allclose(state.end_force, free.end_force, rtol=1e-12)
    assert "bed friction is left out" in simulate(system, 0.1).attrs["start"]


def test_friction_that_is_not_found_leaves_the_equilibrium_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a current, too, which then blows the line on the bed into a bow."""
    data = between(**MOORING, stiffness=1e9, friction=0.5, elements=40).model_dump(by_alias=True, exclude_unset=True)
    data["environment"]["current"] = {"speed": 1.0, "heading": 90}
    data["sections"]["line"]["drag"] = {"normal": 1.2}
    system = System.model_validate(data)
    data["environment"]["seabed"]["friction"] = 0.0
    _, free = settle(build(System.model_validate(data)))
    monkeypatch.setattr(pulled, "MOST_ROUNDS", 1)
    report, state = settle(build(system))
    assert report.good and "bed friction is left out" in report.message
    assert_allclose(state.end_force, free.end_force, atol=1e-8 * np.abs(free.end_force).max())


@pytest.mark.parametrize("integrator", ["generalised_alpha", "backward_euler", "leapfrog"])
def test_run_begins_at_rest(integrator: Any) -> None:
    """The grips hold what the equilibrium asks for: nothing moves."""
    model = build(between(**MOORING, stiffness=1e9, friction=0.5, elements=40))
    solver = MixedFem(integrator=integrator)
    work = solver.start(model, initial_state(model))
    first = solver.read(model, work)
    assert solver.advance(model, work, 5.0).good
    then = solver.read(model, work)
    assert np.abs(then.position - first.position).max() < 1e-8  # of 650 m: round-off
    # N of 3e5: leapfrog's tensions follow from lengths, 1e9 N times 1e-12
    assert_allclose(then.tension, first.tension, atol=5e-3)


def laid(bed: dict[str, Any], a: dict[str, Any], b: dict[str, Any], elements: int = 4) -> Model:
    """A line in air that can push, sunk into the bed along x until that carries it, with points at its ends."""
    z = -10.0 - W / (1e5 * WIDTH)
    return build(
        System.model_validate(
            {
                "environment": {
                    "gravity": 10.0,
                    "water_density": 0.0,
                    "depth": 10.0,
                    "seabed": {"stiffness": 1e5, "damping": 1e4, "friction": MU, **bed},
                },
                "sections": {
                    "line": {"diameter": WIDTH, "mass": W / 10.0, "axial_stiffness": 1e10, "compression": True}
                },
                "points": {"a": {"position": [0.0, 0.0, z], **a}, "b": {"position": [L, 0.0, z], **b}},
                "lines": {
                    "l": {"from": "a", "to": "b", "elements": elements, "pieces": [{"section": "line", "length": L}]}
                },
            }
        )
    )


def drawn(way: list[float], **bed: float) -> Model:
    """The line is drawn 3 cm one way, 1 cm back and left there; by both ends of one element if that is across it."""
    knots = np.array([0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 40.0])
    distance = np.array([0.0, 0.004, 0.03, 0.03, 0.02, 0.02, 0.02])
    times = np.arange(0.0, 40.1, 0.25)  # so dense that the curve through them begins and turns at rest
    k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, knots.size - 2)
    u = (times - knots[k]) / np.diff(knots)[k]
    table = np.outer(distance[k] + np.diff(distance)[k] * u * u * (3.0 - 2.0 * u), way)
    motion = {"kind": "table", "time": times.tolist(), "displacement": table.tolist()}
    moving = {"joint": "moving", "motion": motion}
    return laid(bed, {"joint": "free"}, moving) if way[0] else laid(bed, moving, moving, 1)


@pytest.mark.parametrize(
    ("way", "shear", "integrator"),
    [([1.0, 0, 0], 1e5, "generalised_alpha"), ([0, 1.0, 0], 3e5, "backward_euler"), ([1.0, 0, 0], 3e5, "leapfrog")],
)
def test_block_on_a_bed_sticks_and_slips(way: list[float], shear: float, integrator: Any) -> None:
    """F = k (x - x_grip), at most mu W, the grip dragged along: a block on a bed, drawn out and back."""
    model = drawn(way, friction_stiffness=shear)
    solver = MixedFem(integrator=integrator, damping=1.0, start_at="as_given")
    work = solver.start(model, initial_state(model))
    grip, k, held, expected = 0.0, shear * WIDTH * L, [], []
    for t in np.linspace(0.0, 20.0, 201)[1:]:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        state = solver.read(model, work)
        x = float((state.point_position[1] - model.points.position[1]) @ way)
        grip = float(np.clip(grip, x - MU * W * L / k, x + MU * W * L / k))
        expected.append(k * (x - grip))
        held.append(-float(state.end_force[0].sum(axis=0) @ way))
    # inertia of 200 kg at 3 mm/s2, damping of 1/s at 1 cm/s (2 N), and leapfrog's undamped stretching of the line
    assert_allclose(held, expected, atol=0.01 * MU * W * L)
    assert max(expected) == pytest.approx(MU * W * L) and min(expected) == pytest.approx(-MU * W * L)
    assert (
        report.figures["energy_closure"] < 3e-3
    )  # steps of up to 1 mm across the corner between sticking and slipping


def test_steady_pull_below_the_limit_moves_nothing_and_above_it_drags() -> None:
    """F / k for as long as one looks; (F - mu W) / m beyond mu W = 1000 N."""
    places = []
    for pull, until in ((400.0, (20.0, 120.0)), (1500.0, (1.0, 2.0))):
        model = laid({}, {"joint": "free"}, {"joint": "free", "force": [pull, 0, 0]})
        # above critical, 63/s: the pull is there at once, and nodes by the end must not swing over their limit
        solver = MixedFem(damping=100.0 if pull < 1000.0 else 0.0, start_at="as_given", step=0.05)
        work = solver.start(model, initial_state(model))
        places.append([])
        for t in until:
            assert solver.advance(model, work, t).good
            places[-1].append(solver.read(model, work).position[0, 0])
    assert_allclose(places[0][0], 400.0 / (SHEAR * WIDTH * L), rtol=1e-2)  # and the stretch of the line, 0.04 mm
    assert abs(places[0][1] - places[0][0]) < 1e-9  # m in 100 s: round-off
    # 2.5 m/s2 for 200 kg; the spring of the bed, 5 mm long, is drawn within the first twentieth of a second
    assert_allclose(places[1][1] - 2.0 * places[1][0], 2.5, rtol=0.02)


def test_line_stays_on_a_slope_below_the_angle_of_friction() -> None:
    """tan = 0.2 for mu = 0.5, over 100 s."""
    model = laid({"normal": [-0.2, 0.0, 1.0]}, {"joint": "free"}, {"joint": "free"})
    state = initial_state(model)
    up = np.array([1.0, 0.0, 0.2]) / np.hypot(1.0, 0.2)
    lay = np.array([0.0, 0.0, -10.0]) + np.outer(np.linspace(0.0, L, state.s.size), up)
    state = state._replace(position=lay, point_position=lay[[0, -1]])
    solver = MixedFem(damping=1.0, start_at="as_given", step=0.05)
    work = solver.start(model, state)
    places = []
    for t in (40.0, 140.0):
        assert solver.advance(model, work, t).good
        places.append(solver.read(model, work).position)
    assert_allclose((places[1] - places[0]) @ up, 0.0, atol=1e-8)  # its ends bounce by 1e-6 m across the bed
    down = W * L * 0.2 / np.hypot(1.0, 0.2) / (SHEAR * WIDTH * L)  # m
    # held elastically; 5 % for what slipped while it sank in
    assert_allclose((places[0] - np.array([0.0, 0.0, -10.0])) @ up, np.linspace(0.0, L, 5) - down, atol=0.05 * down)


def test_generalised_alpha_is_of_second_order_while_the_bed_holds() -> None:
    """A line whose end goes to and fro by 2 mm, held by the bed all along."""
    terms = [{"direction": [1, 0, 0], "amplitude": 0.002, "omega": 3.0, "phase": 1.5707963267948966}]
    moving = {"joint": "moving", "motion": {"kind": "harmonic", "ramp": 2.0, "terms": terms}}
    model = laid({}, {"joint": "free"}, moving)
    found = []
    for step in (0.02, 0.01, 0.005, 0.00125):
        solver = MixedFem(step=step, spectral_radius=0.5, start_at="as_given")
        work = solver.start(model, initial_state(model))
        assert solver.advance(model, work, 2.4).good
        state = solver.read(model, work)
        found.append([state.position[0, 0], state.velocity[0, 0], state.end_force[0, 1, 0]])
    errors = np.abs(np.array(found[:-1]) - found[-1])
    # the reference has a sixteenth of the finest error: log2 (1 - 1/64) / (1 - 1/16) = 0.07
    assert_allclose(np.log2(errors[:-1] / errors[1:]), 2.0, atol=0.2)


def test_grips_are_kept_in_a_checkpoint() -> None:
    """Stopped while it slips and resumed: the same bits."""
    model = drawn([1.0, 0, 0])
    solver = MixedFem(damping=1.0)
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 7.0).good
    kept = {name: np.array(value) for name, value in solver.snapshot(work).items()}
    other = solver.restore(model, kept)
    for each in (work, other):
        assert solver.advance(model, each, 13.0).good
    a, b = solver.read(model, work), solver.read(model, other)
    np.testing.assert_array_equal(a.position, b.position)
    np.testing.assert_array_equal(a.end_force, b.end_force)


def test_friction_holds_slack_line_that_wanders_without_it():
    """Current up a slope, weight down it: a slack line has no stable place on a smooth bed, and rests on a rough one.

    Friction may carry 179 N/m (mu times the weight in water), current and slope together are at most 20 + 13 N/m.
    """

    def bed(x: float, y: float) -> list[float]:
        return [x, y, -22.0 - 0.07 * x]

    case = {
        "environment": {
            "depth": 22.0,
            "seabed": {"stiffness": 5e4, "friction": 1.0, "normal": [0.07, 0, 1]},
            "current": {"speed": 0.36, "heading": -164},
        },
        "sections": {
            "rope": {
                "diameter": 0.23,
                "mass": 61.0,
                "axial_stiffness": 1e8,
                "drag": {"normal": 1.26, "tangential": 0.2},
            }
        },
        "points": {"a": {"position": bed(-9, 35)}, "b": {"position": bed(-27, 0)}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 53.6}]}},
    }
    system = System.model_validate(case)
    rest = statics(system, "fem")
    assert rest.audit.passed  # every node is held within mu N
    assert "bed friction holds lines where they lie" in rest.report.message
    assert any("laid without the current" in doubt.sentence for doubt in rest.doubts if doubt.code == "friction")
    run = simulate(system, 5.0)
    moved = np.linalg.norm(run.position - run.position.isel(time=0), axis=-1)
    assert moved.max() < 1e-6 * 53.6  # at rest under the law that friction follows in time
