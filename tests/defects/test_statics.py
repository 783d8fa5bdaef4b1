"""Cases that once ended with a wrong answer, a traceback or none: each against its closed form or by two methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import ropewalk as rw
from ropewalk.analysis.statics import NOT_STATIC, static_methods
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.registry import solver_class
from ropewalk.model.model import build

HERE = Path(__file__).parent
GRAVITY = 9.80665  # m/s2, of cases that do not give it
SLOW = {"settle"}  # the bars of bars_statics, through time


def case(name: str) -> rw.System:
    return rw.System.from_file(HERE / f"{name}.yaml")


def claiming(system: rw.System) -> list[str]:
    asked = demands(build(system)) - NOT_STATIC
    return [name for name in static_methods() if name not in SLOW and asked <= solver_class(name).claims]


def answers(system: rw.System) -> dict[str, rw.Equilibrium]:
    """By every method that claims the case and has an answer; all of them have passed the audit."""
    found = {}
    for name in claiming(system):
        try:
            found[name] = rw.statics(system, name)
        except (ConvergenceError, InputError):
            continue
    return found


def wet_weight(section) -> float:
    """N/m in sea water."""
    return (section.mass - 1025.0 * section.displaced_area) * GRAVITY


def elastic_catenary(span: float, rise: float, length: float, weight: float, stiffness: float) -> tuple[float, float]:
    """Tension at the lower and the upper end, N: the elastic catenary between two points, [Irvine1981], ch. 1."""

    def ends(x):
        H, V = np.exp(x[0]), x[1]  # V at the upper end
        low = V - weight * length
        across = H * length / stiffness + H / weight * (np.arcsinh(V / H) - np.arcsinh(low / H))
        up = (V**2 - low**2) / (2.0 * weight * stiffness) + (np.hypot(H, V) - np.hypot(H, low)) / weight
        return across - span, up - rise

    strain = np.hypot(span, rise) / length - 1.0
    guess = max(stiffness * strain, weight * length)
    x = fsolve(ends, [np.log(guess * span / np.hypot(span, rise)), guess * rise / np.hypot(span, rise)], xtol=1e-13)
    H, V = np.exp(x[0]), x[1]
    return float(np.hypot(H, V - weight * length)), float(np.hypot(H, V))


def test_tendon_by_every_method():
    """T = EA (l/L - 1) + w L/2 at the top, upright; also where it stands on the bed with its thickness."""
    system = case("tlp")
    section = system.sections["tendon"]
    top = 1.5e9 * (90.0 / 89.9 - 1.0) + 0.5 * wet_weight(section) * 89.9
    found = answers(system)
    assert set(found) >= {"catenary", "shooting", "fem", "bars_statics"}
    for answer in found.values():
        assert_allclose(answer.line("l")["end_b"]["tension"], top, rtol=1e-3)


def test_taut_wire_by_every_method():
    system = case("taut")
    section = system.sections["wire"]
    low, high = elastic_catenary(60.0, 100.0, 116.5, wet_weight(section), section.axial_stiffness)
    found = answers(system)
    assert set(found) >= {"catenary", "shooting", "fem", "bars_statics"}
    for answer in found.values():
        assert_allclose(answer.line("l")["end_b"]["tension"], high, rtol=1e-3)
        if answer.method != "bars_statics":  # whose knot at the anchor is pressed into the bed by half the thickness
            assert_allclose(answer.line("l")["end_a"]["tension"], low, rtol=1e-3)


def test_clump_rests_on_the_bed():
    """80 m of rope in 50 m of water: what hangs is 50 m of it, and the clump stands on the bed, not at z = -80 m.

    A ball of 500 kg of steel is 0.495 m thick and sinks a tenth of that by its weight of 4,903 N in air.
    """
    system = case("clump_on_bed")
    weight = wet_weight(system.sections["c"])
    found = answers(system)
    assert set(found) >= {"fem", "relax", "bars_statics"}
    for answer in found.values():
        # the rope that lies beside it takes a little of its weight
        assert_allclose(answer.state.point_position[1, 2], -50.0495, atol=2e-3)
        # elements of 1.6 m; a current of 0.2 m/s adds a thousandth
        assert_allclose(answer.line("l")["end_a"]["tension"], 50.0 * weight, rtol=0.025)
        # the bed holds the clump, not the rope, of which half an element lies there
        assert answer.line("l")["end_b"]["tension"] < 0.04 * 500.0 * 9.80665
        assert "sunk" not in {doubt.code for doubt in answer.doubts}


@pytest.mark.parametrize(
    ("name", "line", "height", "tolerance"),
    [
        # what hangs slack from above the bed pulls with its weight; elements of 2.4 m and 17 m see it to 3 %
        ("sagging_onto_bed", "l", 20.0, 0.03),
        ("slack_current", "l", 200.0, 0.03),
    ],
)
def test_slack_lines_hang_to_the_bed(name, line, height, tolerance):
    system = case(name)
    section = next(iter(system.sections.values()))
    for answer in answers(system).values():
        assert_allclose(answer.line(line)["end_b"]["tension"], height * wet_weight(section), rtol=tolerance)
        assert answer.state.position[:, 2].min() > -system.environment.depth - 1.0


def test_weight_on_slack_ropes_by_every_method():
    """The weight hangs under the point above it; the other rope carries itself. The closed form decides."""
    system = case("slack_weight")
    found = answers(system)
    assert set(found) >= {"catenary", "shooting", "fem", "bars_statics"}
    reference = found["catenary"]
    for answer in found.values():
        assert_allclose(answer.state.end_force, reference.state.end_force, atol=1e-3 * 3.84 * 9.81)
        assert_allclose(answer.state.point_position, reference.state.point_position, atol=1e-2)


def test_ropes_that_cannot_reach_are_refused():
    with pytest.raises(InputError, match=r"'l0' and 'l1' are 80 m long together, shorter than the 100 m"):
        rw.statics(case("impossible_ropes"))


def test_turning_rope_takes_the_branch_that_lasts():
    """H = T cos(theta) is constant, and V' = -(m omega^2 y + m g) in the plane of gravity: solved by shooting here."""

    def miss(x):
        def slope(_, y):
            T = np.hypot(x[0], y[2])
            return [x[0] / T, y[2] / T, -(400.0 * y[1] + 9.81)]

        end = solve_ivp(slope, (0.0, 3.0), [0.0, 0.0, x[1]], rtol=1e-11, atol=1e-12).y[:, -1]
        return end[0] - 2.0, end[1]

    H, V = fsolve(miss, [200.0, 380.0])
    answer = rw.statics(case("rotating_rope"), "fem")
    force = answer.state.end_force[0, 0]
    # 100 elements: second order in their length leaves 1e-4
    assert_allclose([force[0], np.hypot(force[1], force[2])], [H, V], rtol=2e-3)


@pytest.mark.parametrize(
    "name",
    ["end_below_anchor", "fairlead_above_water", "random_1", "random_115", "seed0", "seed574", "seed627", "seed690"],
)
def test_random_cases_have_an_audited_answer(name):
    """Once an IndexError, a singular factor, an end 22 m under its anchor: now an answer that passes, above the bed."""
    system = case(name)
    answer = rw.statics(system)
    assert answer.audit.passed
    assert answer.state.position[:, 2].min() > -1.02 * system.environment.depth
    others = [found for method, found in answers(system).items() if method != answer.method]
    scale = np.abs(answer.state.end_force).max()
    told = {doubt.code for doubt in answer.doubts}
    for other in others:
        apart = np.abs(other.state.end_force - answer.state.end_force).max() / scale
        # meshes of 50 elements leave 3 %; where friction or slack leave forces undetermined, a doubt says so
        assert apart < 0.03 or told & {"friction", "slack", "several-equilibria"}


def test_volume_without_a_hull_does_not_fly():
    """A buoy of 2 m3 on 180 m of wire in 100 m of water: it floats at the surface, or there is no answer."""
    try:
        answer = rw.statics(case("air"))
    except ConvergenceError as error:
        assert "body 'b' is out of balance" in str(error)
        return
    assert abs(answer.state.body_position[0, 2]) < 1.0
