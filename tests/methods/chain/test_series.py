"""ChainSeries as a solver: cases in, states and reports out, orders, refusals and failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chain_drive import drive, held_at, term
from chain_reference import integrate
from numpy.testing import assert_allclose

from ropewalk.analysis.run import simulate
from ropewalk.errors import InputError
from ropewalk.io.native import read_text
from ropewalk.methods.chain.arrays import Chain, chain
from ropewalk.methods.chain.build import build_chain
from ropewalk.methods.chain.equations import prescribe
from ropewalk.methods.chain.solver import ChainSeries, Work
from ropewalk.methods.chain.statics import equilibrium
from ropewalk.methods.protocol import Report, Status
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.physics.motion import motion

HEAD = """
ropewalk: 1
environment: {gravity: 9.81, water_density: 0, seabed: {kind: none}}
sections:
  links: {diameter: 0.03, mass: 5.0, axial_stiffness: inextensible, compression: true}
  heavy: {diameter: 0.05, mass: 9.0, axial_stiffness: inextensible, compression: true}
"""
MOVED = "{kind: harmonic, terms: [{direction: [1, 0, 0], amplitude: 5, omega: 0.5}]}"


def _case(top: str = f"joint: moving, motion: {MOVED}", place: str = "[30, 0, 20]", line: str = "elements: 10",
          head: str = HEAD) -> Model:  # fmt: skip
    text = f"""{head}
points:
  anchor: {{position: [0, 0, 0], joint: fixed}}
  top: {{position: {place}, {top}}}
lines:
  chain: {{from: anchor, to: top, pieces: [{{section: links, length: 47}}], {line}}}
"""
    return build(read_text(text))


def _start(model: Model, **settings: Any) -> tuple[ChainSeries, Work]:
    solver = ChainSeries(**settings)
    return solver, solver.start(model, initial_state(model))


def _run(model: Model, t: float, **settings: Any) -> tuple[State, Report]:
    solver, work = _start(model, **settings)
    report = solver.advance(model, work, t)
    return solver.read(model, work), report


def test_solver_is_registered_after_those_that_auto_should_choose() -> None:
    """auto takes the first solver that claims a case; this one is for those who ask for it."""
    assert solver_class("chain_series") is ChainSeries
    names = list(SOLVERS)
    assert names.index("chain_series") > names.index("mixed_fem")


def test_case_runs_by_name() -> None:
    """simulate() with the solver and the settings of the case, and the energies recorded."""
    text = f"""{HEAD}
points:
  anchor: {{position: [0, 0, 0], joint: fixed}}
  top: {{position: [30, 0, 20], joint: moving, motion: {MOVED}}}
lines:
  chain: {{from: anchor, to: top, elements: 6, pieces: [{{section: links, length: 47}}]}}
run: {{duration: 1, solver: chain_series, tolerance: 1.0e-9}}
record: {{every: 0.25}}
"""
    results = simulate(read_text(text))
    assert results.position.shape == (5, 7, 3)
    total = results.energy.sel(term=["kinetic", "potential"]).sum("term")
    done = results.energy.sel(term=["work_of_ends", "work_of_loads"]).sum("term")
    assert_allclose(total - total[0], done, atol=1e-7)  # of some 10 kJ


# -- order ------------------------------------------------------------------------------------------------------------


def _filipich(shift: float) -> Chain:
    """Example 1 of Filipich and Rosales with its clock set on by `shift` seconds."""
    ends = [held_at(0, (0, 0, 0)), held_at(10, (30, 0, 20))]
    moves = [term(10, (5, 0, 0), 0.5, -0.5 * shift), term(10, (0, 0, 3), 1.25, -1.25 * shift)]
    return chain(np.full(10, 4.7), np.full(10, 235.0 / 9.81), motion_terms=np.stack([*ends, *moves]))


@pytest.mark.parametrize("order", range(4, 21))
def test_one_step_errs_by_the_order_plus_one(order: int) -> None:
    """Velocity after a step h is wrong by h^(p + 1): observed order = series order, 4 to 20."""
    r, _, _ = equilibrium(_filipich(0.0), np.zeros(3), np.array([35.0, 0.0, 23.0]))
    start = drive(_filipich(0.0), r, np.zeros((11, 3)), 2.0)  # a state in full motion, without symmetry in time
    made = _filipich(2.0)
    largest = 0.16 if order < 8 else 0.27  # s, below the radius of convergence of some 0.4 s
    errors = []
    for h in (largest, largest / 1.1):
        exact = drive(made, start.position, start.velocity, h, order=30, tolerance=1e-16)
        one = drive(made, start.position, start.velocity, h, order=order, step=h)
        errors.append(np.abs(one.velocity - exact.velocity).max())
    observed = np.log(errors[0] / errors[1]) / np.log(1.1) - 1.0
    # the next term changes the slope by about h / radius
    assert abs(observed - order) < 0.7


@pytest.mark.parametrize("order", [4, 5, 7])
def test_error_of_a_run_falls_with_the_order(order: int) -> None:
    """Many steps: error proportional to h^p, here over 0.6 s of a double pendulum in space."""
    made = chain(
        np.array([1.0, 1.3]), np.array([2.0, 1.0]), held=(True, False), motion_terms=held_at(0, (0, 0, 0))[None]
    )
    direction = np.array([[0.5, 0.3, -0.8], [0.8, -0.4, -0.9]])
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    r = np.vstack([np.zeros(3), np.cumsum(made.length[:, None] * direction, axis=0)])
    v = np.cross([0.3, -0.8, 0.5], r)
    exact = drive(made, r, v, 0.6, order=30, tolerance=1e-16)
    error = [
        np.abs(drive(made, r, v, 0.6, order=order, step=0.6 / n).velocity - exact.velocity).max() for n in (24, 32)
    ]
    assert abs(np.log(error[0] / error[1]) / np.log(32 / 24) - order) < 0.4


def test_tighter_tolerance_errs_less() -> None:
    """The tolerance is per step; the error of a 5 s run stays within some ten times of it."""
    exact, _ = _run(_case(), 5.0, tolerance=1e-15)
    for tolerance in (1e-4, 1e-7, 1e-10):
        state, _ = _run(_case(), 5.0, tolerance=tolerance)
        assert np.abs(state.position - exact.position).max() < 100.0 * tolerance
        size = np.abs(exact.end_force).max()
        assert np.abs(state.end_force - exact.end_force).max() < 100.0 * tolerance * size


# -- what a model becomes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "law",
    [
        "{kind: harmonic, ramp: 2.0, terms: [{direction: [3, 4, 0], amplitude: 2, omega: 1.3, phase: 0.4}]}",
        "{kind: tow, velocity: [0.5, -0.2, 0.1], ramp: 1.5}",
        "{kind: table, time: [0, 1, 2.5, 4], displacement: [[0, 0, 0], [1, 0, 0.5], [0, 1, 0], [-1, 0, 0]]}",
    ],
)
def test_end_follows_the_motion_of_the_model(law: str) -> None:
    """Series of the ends against physics/motion.py, at times before, within and after each piece."""
    model = _case(top=f"joint: moving, motion: {law}")
    made, _ = build_chain(model, 0, False, 0.0, 0.0)
    expected = np.empty((3, 3))
    for t in (0.0, 0.7, 1.5, 2.0, 3.1, 5.0):
        motion(t, model.points.motion[1], model.motions, expected)
        got = np.zeros((3, 3, 11))
        prescribe(made, t, 1.0, got)
        assert_allclose(got[:, 0, 10], [30, 0, 20] + expected[0], atol=1e-13)
        if t not in (0.0, 1.5):  # a tow's acceleration jumps there
            assert_allclose(got[:, 1, 10], expected[1], atol=1e-13)
            assert_allclose(2.0 * got[:, 2, 10], expected[2], atol=1e-12)


def test_steps_stop_where_a_motion_changes() -> None:
    """A ramped tow: the acceleration jumps at the end of the ramp; the run agrees with one of tiny fixed steps."""
    model = _case(top="joint: moving, motion: {kind: tow, velocity: [0.5, -0.2, 0.1], ramp: 1.5}")
    state, report = _run(model, 3.0, tolerance=1e-12)
    fixed, _ = _run(model, 3.0, step=0.01, order=12)
    assert report.good
    assert_allclose(state.position, fixed.position, atol=1e-10)


def test_links_are_cut_at_pieces_and_attachments() -> None:
    """Nodes at 12 m (piece) and 20 m (float); masses and weights add up."""
    line = "attachments: [{s: 20, mass: 3, force: [1, 2, 0]}]"
    text = f"""{HEAD}
points:
  anchor: {{position: [0, 0, 0], joint: fixed}}
  top: {{position: [30, 0, 20], joint: fixed}}
lines:
  chain:
    from: anchor
    to: top
    pieces: [{{section: heavy, length: 12, elements: 3}}, {{section: links, length: 35, elements: 7}}]
    {line}
"""
    made, s = build_chain(build(read_text(text)), 0, False, 0.0, 0.0)
    assert_allclose(s[[3, 5]], [12.0, 20.0], rtol=1e-14)
    assert made.mass.sum() == pytest.approx(12 * 9.0 + 35 * 5.0)
    assert made.node_mass[5] == 3.0
    assert_allclose(made.node_load[5], [1.0, 2.0, -3.0 * 9.81])
    assert made.link_load[:, :, 2].sum() == pytest.approx(-9.81 * made.mass.sum())


def test_table_load_is_shared_by_its_moment() -> None:
    """A load rising linearly from 0 to 6 N/m over one link of 2 m: 1/3 to the first end, 2/3 to the second."""
    line = "elements: 1, loads: [{kind: table, s: [0, 47], force: [[0, 0, 0], [0, 6, 0]]}]"
    made, _ = build_chain(_case(line=line), 0, False, 0.0, 0.0)
    assert_allclose(made.link_load[0, :, 1], [47.0, 94.0], rtol=1e-14)


def test_water_brings_buoyancy_drag_and_added_mass() -> None:
    """Per link: rho A l of water; 1/2 rho Cd d l."""
    head = HEAD.replace("water_density: 0", "water_density: 1000").replace(
        "links: {", "links: {drag: {normal: 1.2, tangential: 0.1}, added_mass: {normal: 1.0, tangential: 0.5}, "
    )
    model = _case(head=head, place="[30, 0, -20]")
    made, _ = build_chain(model, 0, True, 0.1, 0.02)
    water = 1000.0 * 0.25 * np.pi * 0.03**2 * 4.7
    assert_allclose(made.added_normal, water)
    assert_allclose(made.added_tangential, 0.5 * water)
    assert_allclose(made.link_load.sum(axis=(0, 1)), [0, 0, -9.81 * 10 * (5.0 * 4.7 - water)])
    assert_allclose(made.drag_normal, 0.5 * 1000.0 * 1.2 * 0.03 * 4.7)
    assert_allclose(made.drag_tangential, 0.5 * 1000.0 * 0.1 * np.pi * 0.03 * 4.7)
    assert (made.damping, made.smoothing) == (0.1, 0.02)


def test_mass_on_a_free_end_swings_as_on_a_stiff_chain() -> None:
    """A heavy mass on a light chain of ten links: a quarter of 2 pi sqrt(L/g), to the chain's share of mass."""
    head = HEAD.replace("mass: 5.0", "mass: 1.0e-4")
    model = _case(top="joint: free, mass: 100", place="[0.1, 0, -47]", head=head)
    solver = ChainSeries(tolerance=1e-9, start_from="as_given")
    state = initial_state(model)
    scale = 47.0 / np.hypot(0.1, 47.0)
    work = solver.start(model, state._replace(position=state.position * scale))
    period = 2.0 * np.pi * np.sqrt(47.0 / 9.81)
    assert solver.advance(model, work, 0.25 * period).good
    end = solver.read(model, work)
    # a quarter of a period: at the lowest place; the chain is 5e-5 of the mass
    assert abs(end.point_position[1, 0]) < 1e-4
    assert end.tension[-1] == pytest.approx(100 * 9.81, rel=1e-4)
    assert_allclose(end.end_force[0, 1], [0.0, 0.0, 981.0], atol=0.1)


def test_force_on_a_fixed_point_includes_its_own_weight() -> None:
    """point_force: what the point does to what holds it."""
    model = _case(top="joint: fixed, mass: 7, force: [1, 2, 3]")
    state, _ = _run(model, 0.0)
    assert_allclose(state.point_force[1], state.end_force[0, 1] + [1.0, 2.0, 3.0 - 7 * 9.81], rtol=1e-13)
    assert_allclose(state.point_force[0] + state.end_force[0, 1], [0, 0, -47 * 5.0 * 9.81], atol=1e-8)


def test_smoothing_speed_tends_to_the_exact_drag() -> None:
    """In a strong current both run; the difference falls with the square of the smoothing speed."""
    head = HEAD.replace("water_density: 0", "water_density: 1000, current: {speed: 2, heading: 90}").replace(
        "links: {", "links: {drag: {normal: 1.2}, "
    )
    model = _case(top=f"joint: moving, motion: {MOVED}", head=head, place="[30, 0, -2]")
    head_down = model._replace(points=model.points._replace(position=model.points.position - [0, 0, 60]))
    exact, report = _run(head_down, 1.0, tolerance=1e-11)
    assert report.good, report.message
    miss = []
    for speed in (0.2, 0.1):
        state, _ = _run(head_down, 1.0, tolerance=1e-11, smoothing_speed=speed)
        miss.append(np.abs(state.position - exact.position).max())
    assert miss[0] / miss[1] == pytest.approx(4.0, rel=0.1)


def test_tangential_drag_across_a_current_runs_from_rest() -> None:
    """A chain in a plane across the current: the flow along every link is 0 at t = 0, then takes either sign."""
    head = HEAD.replace("water_density: 0", "water_density: 1000, current: {speed: 1.5, heading: 90}").replace(
        "links: {", "links: {drag: {normal: 1.2, tangential: 0.3}, added_mass: {normal: 1.0}, "
    )
    model = _case(head=head, place="[30, 0, -20]", line="elements: 4")
    low = model._replace(points=model.points._replace(position=model.points.position - [0, 0, 60]))
    solver, work = _start(low, tolerance=1e-12)
    begin = solver.read(low, work)
    assert solver.advance(low, work, 1.5).good
    end = solver.read(low, work)
    made, _ = build_chain(low, 0, True, 0.0, 0.0)
    top = low.points.position[1] + [5.0, 0.0, 0.0]

    def moved(t: float) -> tuple[np.ndarray, ...]:
        x, along = 5.0 * np.cos(0.5 * t), np.array([1.0, 0.0, 0.0])
        speed, jolt = -2.5 * np.sin(0.5 * t) * along, -0.25 * x * along
        return low.points.position[1] + x * along, speed, jolt

    rest = (begin.position[0], np.zeros(3), np.zeros(3))
    assert_allclose(begin.position[-1], top, atol=1e-12)
    expected, _ = integrate(made, begin.position, begin.velocity, 1.5, lambda t: rest, moved, tolerance=1e-10)
    # the Runge-Kutta run errs by its 1e-10 times some ten steps, and by the jumps in the third derivative
    assert_allclose(end.position, expected, atol=1e-8)
    figures = solver.advance(low, work, 1.5).figures
    assert abs(figures["lines"]["chain"]["energy_balance"]) < 1e-10 * abs(figures["energy"]["work_of_loads"])


# -- refusals and failures --------------------------------------------------------------------------------------------

TOW = "joint: moving, motion: {kind: tow, velocity: [1.0, 0, 0.3], ramp: 2}"


def test_too_large_a_fixed_step_is_told() -> None:
    """The last terms of the series do not fall: status and sentence with link, time and radius."""
    _, report = _run(_case(), 5.0, step=1.5, order=16)
    assert report.status is Status.NOT_CONVERGED
    assert "link " in report.message and "of 10, t = " in report.message
    assert "radius of convergence" in report.message


def test_end_motion_out_of_reach_is_told() -> None:
    """A tow passes the 47 m that the links reach at t = 11.8446 s: |(30, 20) + (1, 0.3)(t - 1)| = 47."""
    state, report = _run(_case(top=TOW), 30.0, tolerance=1e-10)
    assert report.status is Status.TOO_SHORT
    x = np.roots([1.09, 2 * (30 + 0.3 * 20), 30**2 + 20**2 - 47**2])
    when = x[x > 0][0] + 1.0
    assert f"from t = {when:.6g} s" in report.message
    assert "link " in report.message and "cannot be followed" in report.message
    assert state.time == pytest.approx(when, rel=1e-4)
    assert np.all(np.isfinite(state.position)) and np.all(np.isnan(state.tension))


def test_taut_chain_is_told() -> None:
    """Ends that come to exactly 47 m: the axial force has no bound there."""
    top = "joint: moving, motion: {kind: harmonic, terms: [{direction: [1, 0, 0], amplitude: -7, omega: 0.5}]}"
    _, report = _run(_case(top=top, place="[40, 0, 0]"), 14.0, tolerance=1e-10)
    assert report.status is Status.TOO_SHORT
    assert "is taut" in report.message and "link 5 of 10" in report.message and "t = 6.2" in report.message


def test_straight_chain_at_the_start_is_refused() -> None:
    with pytest.raises(InputError, match="taut"):
        _start(_case(top="joint: fixed", place="[47, 0, 0]"), start_from="as_given")
    with pytest.raises(InputError, match="links reach 47 m"):
        _start(_case(top="joint: fixed", place="[48, 0, 0]"), start_from="as_given")
    with pytest.raises(InputError, match="start from equilibrium"):
        _start(_case(top="joint: fixed", place="[40, 0, 0]"), start_from="as_given")
    with pytest.raises(InputError, match="48 m apart"):
        _start(_case(top="joint: fixed", place="[48, 0, 0]"))


DRAG = HEAD.replace("water_density: 0", "water_density: 1000").replace("links: {", "links: {drag: {normal: 1.2}, ")


def test_drag_at_rest_is_refused_and_smoothed_drag_is_not() -> None:
    """|u| u has no power series at u = 0."""
    model = _case(head=DRAG, place="[30, 0, -20]")
    low = model._replace(points=model.points._replace(position=model.points.position - [0, 0, 50]))
    with pytest.raises(InputError, match=r"link 1 of 10, t = 0 s.*smoothing_speed"):
        _start(low)
    _, report = _run(low, 0.5, tolerance=1e-6, smoothing_speed=0.1)
    assert report.good


def test_speed_that_vanishes_later_ends_the_run() -> None:
    """A weak current and a swinging chain: the run ends before the link's speed changes sign."""
    model = _case(head=DRAG.replace("water_density: 1000", "water_density: 1000, current: {speed: 0.3, heading: 0}"))
    low = model._replace(points=model.points._replace(position=model.points.position - [0, 0, 70]))
    _, report = _run(low, 5.0)
    assert report.status is Status.UNSUPPORTED
    assert "quadratic drag has no power series" in report.message


def test_line_through_the_surface_is_refused() -> None:
    model = _case(head=HEAD.replace("water_density: 0", "water_density: 1000"))
    with pytest.raises(InputError, match="wholly in the water or wholly in air"):
        _start(model)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"line": "elements: 1"}, "more elements"),
        ({"line": "loads: [{kind: rotating, axis: [0, 0, 1], rate: 1}]"}, "rotating"),
        ({"head": HEAD.replace("inextensible", "1.0e8")}, "linear elastic lines"),
        ({"head": HEAD.replace("seabed: {kind: none}", "depth: 30")}, "seabed"),
        ({"head": HEAD.replace("water_density: 0", "depth: 90, current: {speed: 1, profile: {kind: power}}"),
          "place": "[30, 0, -20]"}, "uniform current"),
        ({"top": "joint: {axes: {x: free, y: held, z: held}}"}, "joints by component"),
    ],
)  # fmt: skip
def test_what_a_chain_cannot_do_is_refused(changes: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _start(_case(**changes))


@pytest.mark.parametrize(
    ("settings", "words"), [({"step": -1.0}, "step"), ({"tolerance": 1e-20}, "tolerance"), ({"order": 99}, "order")]
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        _start(_case(), **settings)


def test_time_does_not_run_back() -> None:
    model = _case()
    solver, work = _start(model)
    solver.advance(model, work, 1.0)
    with pytest.raises(InputError, match="go back"):
        solver.advance(model, work, 0.5)


def test_free_point_between_two_lines_is_refused() -> None:
    text = f"""{HEAD}
points:
  a: {{position: [0, 0, 0], joint: fixed}}
  b: {{position: [10, 0, 0], joint: free, mass: 5}}
  c: {{position: [20, 0, 0], joint: fixed}}
lines:
  one: {{from: a, to: b, pieces: [{{section: links, length: 12}}]}}
  two: {{from: b, to: c, pieces: [{{section: links, length: 12}}]}}
"""
    with pytest.raises(InputError, match="'b' is free and joins 2 lines"):
        _start(build(read_text(text)))


def test_two_hundred_links_run() -> None:
    """N = 200: lengths and energy as for ten links."""
    state, report = _run(_case(line="elements: 200"), 0.5, tolerance=1e-11)
    assert report.good
    assert_allclose(np.linalg.norm(np.diff(state.position, axis=0), axis=1), 0.235, rtol=1e-12)
    balance = report.figures["lines"]["chain"]["energy_balance"]
    assert abs(balance) < 1e-10 * abs(report.figures["energy"]["potential"])


def test_restored_run_goes_on_to_the_same_bits() -> None:
    """A snapshot within a step, restored into fresh memory."""
    model = _case()
    solver, work = _start(model)
    solver.advance(model, work, 1.03)
    other = solver.restore(model, solver.snapshot(work))
    for t in (1.03, 1.1, 4.0):
        reports = [solver.advance(model, w, t) for w in (work, other)]
        one, two = solver.read(model, work), solver.read(model, other)
        assert all(np.array_equal(getattr(one, name), getattr(two, name)) for name in State._fields)
        assert reports[0] == reports[1]
