"""Every example is right, and those that take seconds are run."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import statics
from ropewalk.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SLOW = {
    "chain_series.py",
    "rod_pictures.py",
    "rod_rolls_over.py",
    "sea_states.py",
    "turning_rope.py",
}  # take more than some seconds: `make validate` runs them
SCRIPTS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.name in SLOW else [])
    for path in sorted(EXAMPLES.glob("*.py"))
]


@pytest.mark.parametrize("case", sorted(EXAMPLES.rglob("*.yaml")), ids=lambda path: path.stem)
def test_case_is_right(case, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ropewalk", "check", str(case)])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, None)
    assert f"{case.name}: valid" in capsys.readouterr().out


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_runs(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_mooring_statics_stiffness_is_the_slope_of_its_force():
    """dF/dx by central differences of the restoring force."""
    example = runpy.run_path(str(EXAMPLES / "mooring_statics.py"))
    step = 0.01  # m: differences then err by 2.2e-7, which falls as step^2
    low, middle, high = example["offset_table"](example["mooring"](), [10.0 - step, 10.0, 10.0 + step])
    assert_allclose((high[1] - low[1]) / (2.0 * step), middle[2], rtol=1e-6)


def test_turning_rope_folds_where_three_loops_meet_one():
    """4.339623 rad/s by an integration of its own, tests/analysis/test_continuation.py."""
    example = runpy.run_path(str(EXAMPLES / "turning_rope.py"))
    assert_allclose(example["fold"](), 4.339623, rtol=1e-6)  # as many digits as are printed


def test_offset_curve_passes_the_published_stiffness():
    """Surge stiffness of the OC3-Hywind mooring at rest: 41 180 N/m, NREL/TP-500-47535 table 5-2."""
    from ropewalk.sweep.run import make_plan

    plan = make_plan(EXAMPLES / "sweeps" / "offset_curve.yaml", None, {})
    rest = next(case for case in range(len(plan)) if plan.changes(case)["bodies.spar.position.0"] == 0)
    stiffness = statics(plan.system(rest)).body_stiffness("spar")[0, 0]
    assert_allclose(stiffness, 41180.0, rtol=1e-4)  # as many digits as are printed


def test_crest_of_the_example_of_high_swell_is_that_of_another_program():
    """raschii's stream function wave of 3 m and 12 s in 8 m, g = 9.80665: crest at 2.2393 m (25 harmonics)."""
    from ropewalk.analysis.run import simulate

    run = simulate(EXAMPLES / "shoaling_buoy.yaml")
    after = run["elevation"].sel(time=slice(12.0, None))
    # records every 0.1 s miss the crest by at most 0.05 s of a crest whose curvature is 1.6 m/s2: 2 mm
    assert_allclose(float(after.max()), 2.2393, atol=3e-3)


def test_semisubmersible_heels_and_heaves_as_its_columns_tell():
    """Balance of tilted columns, pontoons, weight and wind by hand; heave of waterplane, mass, discs and pontoons."""
    from scipy.optimize import fsolve

    from ropewalk import modes

    rho, g, mass, low = 1025.0, 9.81, 3.305e6 + 2.5e5, (3.305e6 * -4.0 + 2.5e5 * 60.0) / (3.305e6 + 2.5e5)
    area, pontoon = np.pi * 16.0, np.pi * 1.5**2 * 32.0

    def balance(y):
        x, z, turn = y
        s, c = np.sin(turn), np.cos(turn)
        force, moment = -mass * g, low * s * mass * g
        for place in (20.0, 20.0, -20.0, -20.0):
            at = -(z - place * s) / c  # height of the water on the axis
            volume, tangent = area * (at + 15.0), s / c
            along = 0.5 * area * (at**2 - 225.0) + area * 2.0 * tangent**2
            centre = (volume * place * c + along * s + area * 4.0 * tangent * c) / volume
            force, moment = force + rho * g * volume, moment - centre * rho * g * volume
        force, moment = force + 2.0 * rho * g * pontoon, moment - (-13.0 * s) * 2.0 * rho * g * pontoon
        wind = 0.5 * 1.225 * 1.2 * 500.0 * (15.0 * ((z + 45.0 * c) / 10.0) ** (1.0 / 7.0)) ** 2
        return (wind - 5.0e4 * x) / 1e5, force / 1e7, (moment + wind * 45.0 * c) / 1e7

    rest = statics(EXAMPLES / "semisubmersible.yaml").state
    found = [rest.body_position[0, 0], rest.body_position[0, 2], 2.0 * np.arcsin(rest.body_quaternion[0, 2])]
    # the balance is found to 1e-9 of a weight of 3.5e7 N, over a stiffness of 5e4 N/m
    assert_allclose(found, fsolve(balance, [3.0, 0.0, 0.01], xtol=1e-13), atol=1e-6)
    moved = mass + rho * (4.0 * 2.0 * 2.0 / 3.0 * np.pi * 64.0 + 2.0 * pontoon)
    heave = 2.0 * np.pi * np.sqrt(moved / (rho * g * 4.0 * area))
    # heeled by 0.012 rad: the waterplane is 1/cos larger, and surge and pitch take part by that squared
    assert_allclose(float(modes(EXAMPLES / "semisubmersible.yaml")["period"][5]), heave, rtol=1e-3)


def test_joint_angles_swing_as_the_equations_of_the_double_pendulum_say():
    """Masses of 0.5 and 0.25 kg on bars of 1 m from 45 degrees, by scipy in absolute angles."""
    from scipy.integrate import solve_ivp

    from ropewalk import simulate

    def slope(_, y):
        a, b, u, v = y
        M = np.array([[0.75, 0.25 * np.cos(a - b)], [0.25 * np.cos(a - b), 0.25]])
        f = [-0.25 * v * v * np.sin(a - b) - 0.75 * 9.81 * np.sin(a),
             0.25 * u * u * np.sin(a - b) - 0.25 * 9.81 * np.sin(b)]  # fmt: skip
        return [u, v, *np.linalg.solve(M, f)]

    y = solve_ivp(slope, (0.0, 1.0), [0.25 * np.pi, 0.25 * np.pi, 0.0, 0.0], rtol=1e-11, atol=1e-12).y[:2, -1]
    end = simulate(EXAMPLES / "joint_angles.yaml").point_position.sel(point="end").values[-1]
    # steps of 2 ms, second order: h^2 omega^3 t with omega near 5 rad/s
    assert_allclose(end, [0.0, np.sin(y).sum(), -np.cos(y).sum()], atol=2e-4)


def test_tapered_rod_stretches_by_its_closed_form():
    r"""Modulus and area linear in s: \int (P + \rho g \int_s^L A) / (E A) ds."""
    from scipy.integrate import quad

    def stretch(s: float) -> float:
        area, modulus = 1e-3 - 1e-5 * s, (210.0 - 70.0 / 60.0 * s) * 1e9
        return (5e4 + 7850.0 * 9.81 * 0.5 * (area + 4e-4) * (60.0 - s)) / (modulus * area)

    found = -float(statics(EXAMPLES / "tapered_rod.yaml").state.point_position[1, 2]) - 60.0
    assert_allclose(found, quad(stretch, 0.0, 60.0, epsabs=0.0, epsrel=1e-12)[0], rtol=1e-9)


def test_cable_with_drag_by_angle_hangs_at_its_critical_angle():
    """Along the resultant of weight and drag: sin^2/cos = w/k, so cos = sqrt(1 + (w/2k)^2) - w/2k."""
    weight = 9.81 * (0.9 - 1025.0 * 0.25 * np.pi * 0.02**2)
    k = 0.5 * 1025.0 * 0.02 * 1.2 * 1.5**2
    angle = np.degrees(np.arccos(np.hypot(1.0, 0.5 * weight / k) - 0.5 * weight / k))
    found = statics(EXAMPLES / "drag_by_angle.yaml").line("cable")["end_a"]["declination"]
    assert_allclose(-found, angle, rtol=1e-8)  # the angle is the same all along, so nothing is lost by integration


def test_own_fields_are_the_same_by_both_methods():
    """Shooting and elements, which differ by the mesh; the current passes the float where the formula has it."""
    example = runpy.run_path(str(EXAMPLES / "own_fields.py"))
    fields = example["rw"].Fields(
        current=example["eddy"], loads={"tether": example["push"]}, laws={"rope": example["nylon"]}
    )
    one, other = (statics(example["CASE"], method, fields=fields) for method in ("shooting", "fem"))
    assert_allclose(other.state.point_position[1], one.state.point_position[1], atol=2e-2)  # 50 elements of 1.2 m
    push = one.state.end_force[0, 0, 0] - 20.0 * 30.0  # along x: what the load gives, and the drag of the eddy
    assert 0.0 < abs(push) < 60.0


def test_load_on_a_chain_hangs_by_its_weight_and_that_of_the_links():
    """Tension at the tip at t = 0: (800 + 12 x 15) g; at its end B 800 g."""
    from ropewalk import simulate

    tension = simulate(EXAMPLES / "chain_body.yaml", duration=0.1).end_tension.values[0, 0]
    assert_allclose(tension, [980.0 * 9.80665, 800.0 * 9.80665], rtol=1e-12)


def test_line_in_a_turning_current_on_a_grid_swings_north():
    """At first the buoy lies east of its anchor; after a minute the flow at mid-depth goes north-east."""
    from ropewalk import simulate

    run = simulate(EXAMPLES / "eddy_mooring.yaml")
    x, y = (run.point_position.sel(point="buoy").isel(axis=k).values for k in (0, 1))
    assert x[0] > 3.0
    assert abs(y[0]) < 1e-6
    assert 0.5 < y[-1] < x[-1]


def test_depressor_trims_where_lift_drag_and_weight_pull_through_its_eye():
    """The moment about the eye vanishes, whatever the cable does; coefficients by scipy from the rows of the file."""
    from scipy.interpolate import PchipInterpolator
    from scipy.optimize import brentq

    from ropewalk import System

    body = System.from_file(EXAMPLES / "depressor.yaml").bodies["depressor"]
    wing, fin, pressure = body.foils[0].table, body.foils[1], 0.5 * 1025.0 * 3.0**2
    lift, drag = (PchipInterpolator(wing.angle, values) for values in (wing.lift, wing.drag))
    weight = np.array([0.0, 0.0, (1025.0 * 0.02 - 120.0) * 9.81])

    def load(pitch: float):
        turn = np.array([[np.cos(pitch), 0.0, np.sin(pitch)], [0.0, 1.0, 0.0], [-np.sin(pitch), 0.0, np.cos(pitch)]])
        chord = turn @ body.foils[0].chord
        angle = np.degrees(np.arctan2(-chord[2], chord[0]))
        force = pressure * 0.8 * np.array([-drag(angle), 0.0, -lift(angle)])
        tail = pressure * 0.15 * 0.02 * np.cos(pitch) ** 2 * np.array([-np.cos(pitch), 0.0, np.sin(pitch)])
        return force, tail, turn @ body.attachments["eye"], turn @ fin.position

    def moment(pitch: float) -> float:
        force, tail, eye, aft = load(pitch)
        return float(np.cross(-eye, force + weight)[1] + np.cross(aft - eye, tail)[1])

    pitch = brentq(moment, np.radians(-8.0), np.radians(2.0), xtol=1e-14)
    force, tail, _, _ = load(pitch)
    rest = statics(EXAMPLES / "depressor.yaml")
    # the fin meets the flow along its span, too, of which only the part along its chord counts
    assert_allclose(2.0 * np.arcsin(rest.state.body_quaternion[0, 2]), pitch, atol=1e-9)
    assert_allclose(rest.state.end_force[0, 1], -(force + tail + weight), rtol=1e-8, atol=1e-6)
    assert rest.stability is not None
    assert rest.stability.stable
