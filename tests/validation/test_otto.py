"""Benchmarks of Otto 2022 (OCN-SIM Flex), as corrected: printed numbers, or recomputed ones where these differ.

Missing data as identified: 10 N for the static cases, chains of density 7500 kg/m3 and ten bars, m/n at every moving
node ("outer" lumping), damping SD mass-proportional.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from reference import body_pendulum
from ropewalk.analysis.step_limit import settling_time, step_limit
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.settling import Settling
from ropewalk.model.arrays import floats
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

sys.path.insert(0, str(Path(__file__).parents[1] / "solvers"))
from bars_cases import chain, run

CHAIN_MASS = 0.25 * math.pi * 0.02**2 * 7500.0  # kg, of 1 m, d = 20 mm
ROPE_MASS = 0.25 * math.pi * 0.002**2 * 7500.0  # kg, of 1 m, d = 2 mm


def hung(model, angles, length):
    """Rest with bars of `length` at absolute angles (degrees) from the downward vertical in the x-z plane."""
    a = np.radians(np.asarray(angles, float))
    steps = length * np.stack([np.sin(a), np.zeros_like(a), -np.cos(a)], axis=1)
    p = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    return initial_state(model)._replace(
        start=np.array([0, len(p)]), s=length * np.arange(len(p)), position=p, velocity=np.zeros_like(p),
        tension=np.zeros(len(p)), point_position=p[[0, -1]],
    )  # fmt: skip


def double_pendulum(**point):
    return chain(2, length=2.0, mass=2.0, end=(0.0, 0.0, -2.0), point=point)


def heavy_chain(**point):
    return chain(10, mass=CHAIN_MASS, end=(0.0, 0.0, -1.0), point=point)


def rope_pendulum():
    return chain(10, mass=ROPE_MASS, end=(0.0, 0.0, -1.0), point={"mass": 2.0})


def test_static_end_of_the_double_pendulum():
    """Fig. B.5: x = 1.168, y = 1.591 under 10 N; recomputed 1.16796, 1.59124."""
    end = run(BarsStatics(lumping="outer", tolerance=1e-12), double_pendulum(force=(10.0, 0.0, 0.0)), 0.0)[0].position[
        -1
    ]
    # five printed decimals
    assert_allclose(end, [1.16796, 0.0, -1.59124], atol=5e-6)


def test_static_end_of_the_heavy_chain():
    """Fig. B.6: 0.6509, 0.7010; recomputed 0.65090, 0.70102. With half an end mass (0.68146, 0.65785)."""
    model = heavy_chain(force=(10.0, 0.0, 0.0))
    outer = run(BarsStatics(lumping="outer", tolerance=1e-12), model, 0.0)[0].position[-1]
    halves = run(BarsStatics(tolerance=1e-12), model, 0.0)[0].position[-1]
    assert_allclose(outer, [0.65090, 0.0, -0.70102], atol=6e-6)
    assert_allclose(halves, [0.68146, 0.0, -0.65785], atol=6e-6)


SPAN, RISE, LENGTH, WEIGHT = 80.0, 10.0, 100.0, 50.0  # m, m, m, N/m of the catenary


def catenary_of_bars():
    mass = WEIGHT * LENGTH / 9.81
    return chain(20, length=LENGTH, mass=mass, end=(SPAN, 0.0, RISE), point={"joint": "fixed"})


def off_the_catenary(state, tension):
    """Largest distance of a node (m), and largest relative error of a bar's tension, from the exact catenary."""
    # sqrt(L^2 - h^2) = 2 a sinh(w / 2a); x_A = a artanh(h/L) - w/2
    chord = math.sqrt(LENGTH**2 - RISE**2)
    a = brentq(lambda a: 2.0 * a * math.sinh(0.5 * SPAN / a) - chord, 10.0, 1e3, xtol=1e-13)
    xa = a * math.atanh(RISE / LENGTH) - 0.5 * SPAN
    along = lambda s: a * np.arcsinh(s / a + math.sinh(xa / a))  # noqa: E731
    s = np.linspace(0.0, LENGTH, 21)
    exact = np.stack([along(s) - xa, a * (np.cosh(along(s) / a) - math.cosh(xa / a))], axis=1)
    off = np.linalg.norm(state.position[:, [0, 2]] - exact, axis=1).max()
    return off, np.abs(tension / (WEIGHT * a * np.cosh(along(s[:-1] + 2.5) / a)) - 1.0).max()


def test_catenary_of_twenty_bars():
    """Sec. 6.4.1: 100 m at 50 N/m, span 80 m, rise 10 m. Nodes 35.05 mm, tensions 0.069 % off the exact catenary."""
    state, _, work = run(BarsStatics(tolerance=1e-13), catenary_of_bars(), 0.0)
    # digits of the recomputation
    assert_allclose(off_the_catenary(state, work.steps.tension), [0.03505, 0.00069], atol=5e-6)


@pytest.mark.parametrize("closure", ["constraint", "pid"])
def test_catenary_by_recursion_in_time(closure):
    """Sec. 6.4.1 as it was computed: recursion, its loop closed by control. The I term closes the gap at rest.

    The only printed numbers that a control of loops went into: "no more than 30 mm", "the 10th of a percent".
    """
    state, report, work = run(Settling(by=Recursive(closure=closure)), catenary_of_bars(), 0.0)
    # digits of the recomputation; measured 35.052 mm and 0.0691 % with either closure, 35.051 mm by the direct solver
    assert_allclose(off_the_catenary(state, work.bars.steps.tension), [0.03505, 0.00069], atol=5e-6)
    assert report.figures["settling"]["strain"] < 1e-6


@pytest.mark.parametrize("by", [Recursive, Constrained, Projection])
@pytest.mark.parametrize(("case", "end"), [("double", (1.16796, -1.59124)), ("heavy", (0.65090, -0.70102))])
def test_static_ends_in_time(case, end, by):
    """Figs. B.5 and B.6 by time integration, as the source does it."""
    model = (double_pendulum if case == "double" else heavy_chain)(force=(10.0, 0.0, 0.0))
    state, _, _ = run(Settling(by=by(lumping="outer")), model, 0.0)
    # printed digits, and forces in balance to 1e-6: measured 2e-6 m
    assert_allclose(state.position[-1, [0, 2]], end, atol=1e-5)


@pytest.mark.parametrize(("still", "time"), [(1e-3, 17.23), (1e-4, 21.26)])
def test_settling_time_of_the_double_pendulum(still, time):
    """Fig. B.10: 17.2 s; recomputed 17.23 s with 1 mm/s held for 1 s, from relative angles 45 and 90 degrees.

    With the 0.1 mm/s of the text it is 21.26 s.
    """
    model = double_pendulum()
    solver = Recursive(step=0.005, damping=1.0, lumping="outer")
    start = hung(model, [45, 135], 1.0)
    # looked at every 0.05 s
    assert abs(settling_time(model, solver, start, 60.0, still) - time) < 0.06
    report = run(Settling(by=solver, ramp=0.0, still=still), model, 0.0, start)[1]
    assert abs(report.figures["settling"]["rest_after"] - time) < 0.06
    # [Otto2022] stops there; the forces are out of balance by up to 1e-3 of the weight then
    assert report.figures["settling"]["time"] > time + 1.0


def test_step_limit_of_the_double_pendulum():
    """Fig. B.1: 280 ms; recomputed 279.9 ms."""
    model = double_pendulum()
    found = step_limit(model, Recursive(step=0.05, damping=1.0, lumping="outer"), hung(model, [45, 135], 1.0))
    # near the limit the outcome depends on when one looks: measured 280.7 ms
    assert_allclose(found.step, 0.2799, rtol=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "first", "limit"), [(heavy_chain, 0.02, 0.0367), (rope_pendulum, 0.002, 0.003496)])
def test_step_limits_of_chains(model, first, limit):
    """Figs. B.2, B.3: 36.6 and 3.50 ms; recomputed 36.7 and 3.496 ms, 2 / omega_max."""
    made = model()
    found = step_limit(made, Recursive(step=first, damping=0.75, lumping="outer"), hung(made, [5] * 10, 0.1))
    assert_allclose(found.step, limit, rtol=2e-3)


def swing():
    """Two legs at 45 degrees, 1 m high, 4 kg below, turned by 5 degrees about the line through the supports."""
    leg = math.sqrt(2.0)
    c, s = math.cos(math.radians(5)), math.sin(math.radians(5))
    return build(System.model_validate({
        "environment": {"gravity": 9.81, "water_density": 0.0},
        "sections": {"rope": {"diameter": 0.002, "mass": ROPE_MASS, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": (-1, 0, 0)}, "b": {"position": (1, 0, 0)},
                   "end": {"position": (0, -s, -c), "joint": "free", "mass": 4.0}},
        "lines": {name: {"from": name, "to": "end", "elements": 10, "pieces": [{"section": "rope", "length": leg}]}
                  for name in ("a", "b")},
    }))  # fmt: skip


@pytest.mark.slow
def test_step_limit_of_the_swing_pendulum():
    """Fig. B.4: 4.16 ms; recomputed 4.17 ms. A closed loop."""
    model = swing()
    found = step_limit(model, Recursive(step=0.003, damping=0.75, lumping="outer"), initial_state(model))
    assert_allclose(found.step, 0.00417, rtol=5e-3)


def test_loops_closed_by_control_leave_gaps():
    """Eqs. (4.103)-(4.106), (6.6)-(6.8): beside constraints, which close the swing pendulum exactly."""
    model = swing()
    state, report, _ = run(Recursive(step=5e-4, lumping="outer"), model, 0.5, initial_state(model))
    held, other, _ = run(Recursive(step=5e-4, lumping="outer", closure="pid"), model, 0.5, initial_state(model))
    stiff = run(Recursive(step=1e-4, lumping="outer", closure="pid", pid=10.0), model, 0.5, initial_state(model))
    assert report.figures["largest_strain"] < 1e-11
    # the largest tension stretches a loop bar by 5 % with weight 1, 0.5 % with 10; put on at once, by twice that
    assert 1e-4 < other.figures["largest_strain"] < 0.1
    assert stiff[1].figures["largest_strain"] < 0.2 * other.figures["largest_strain"]
    off, less = (np.abs(s.position - state.position).max() for s in (held, stiff[0]))
    assert less < off < 0.05


@pytest.mark.parametrize(("closure", "step", "holds"), [("constraint", 0.0041, True), ("constraint", 0.0043, False),
                                                        ("pid", 0.0035, True), ("pid", 0.0039, False)])  # fmt: skip
def test_control_of_loops_shortens_the_step(closure, step, holds):
    """Fig. B.4 prints 4.16 ms for a loop closed by control, which is 2 / omega_max of the swing without one.

    With the gains as identified (their factors are not printed) control holds up to 3.65 ms: not reproducible.
    """
    model = swing()
    solver = Recursive(step=step, damping=0.75, lumping="outer", closure=closure)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 4.0)
    # the free swing reaches 0.27 m/s: sqrt(2 g l (1 - cos 5 deg))
    assert (report.good and bool(np.abs(work.steps.v).max() < 1.0)) == holds


def driven(model, solver, force, omega, duration, node):
    """Amplitude of x of `node` over the last two periods under force sin(omega t) along x at the end."""
    work = solver.start(model, initial_state(model))
    end = int(work.places.point[1])
    plain = work.bars.force.copy()
    xs, ts, n = [], [], round(duration / solver.step)
    for k in range(n):
        now = plain.copy()
        now[end, 0] += force * math.sin(omega * (k + 0.5) * solver.step)
        work.bars = work.bars._replace(force=floats(now))
        report = solver.advance(model, work, (k + 1) * solver.step)
        assert report.good
        xs.append(work.steps.r[node, 0])
        ts.append(work.time)
    t, x = np.array(ts), np.array(xs)
    last = t > duration - 4.0 * math.pi / omega
    basis = np.stack([np.sin(omega * t[last]), np.cos(omega * t[last]), np.ones(last.sum())], axis=1)
    fit = np.linalg.lstsq(basis, x[last], rcond=None)[0]
    return math.hypot(fit[0], fit[1]), work


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "sd", "force", "omega", "step", "node", "amplitude", "digits"),
    [
        (double_pendulum, 1.0, 0.1, 2.0, 0.01, 2, 32.50e-3, 5e-6),
        (heavy_chain, 0.75, 0.1, 1.84, 0.01, 1, 0.62941e-3, 1e-7),
        (rope_pendulum, 0.75, 1.0, 1.56, 0.002, 10, 66.381e-3, 1e-5),
    ],
)
def test_response_amplitudes(model, sd, force, omega, step, node, amplitude, digits):
    """Figs. B.11 to B.13, recomputed: 32.50 mm (the printed 26.6 is not reproducible), 0.62941 mm, 66.381 mm."""
    made = model()
    solver = Recursive(step=step, damping=sd, lumping="outer")
    first = solver.start(made, initial_state(made))
    place = int(first.places.line_node[node])
    found, _ = driven(made, solver, force, omega, 45.0, place)
    # printed digits, and h^2 of the step
    assert_allclose(found, amplitude, atol=digits)


def test_tension_leg_platform_turns_at_its_frequency():
    """Sec. 6.3.5: sqrt(f_v / (2 m l)) = 2.8284 rad/s for massless legs, 2.8273 with 0.01 kg per leg."""
    angle = 0.01
    x, y = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
    free = {"joint": "free", "mass": 5.0}
    low = -math.sqrt(25.0 - 4 * 0.25 * math.sin(0.5 * angle) ** 2)
    model = build(System.model_validate({
        "environment": {"gravity": 0.0, "water_density": 0.0},
        "sections": {"leg": {"diameter": 0.01, "mass": 0.002, "axial_stiffness": "inextensible"},
                     "deck": {"diameter": 0.01, "mass": 0.0, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": (-0.5, 0, low)}, "b": {"position": (0.5, 0, low)},
                   "c": {"position": (-x, -y, 0), "force": (0, 0, 200), **free},
                   "d": {"position": (x, y, 0), "force": (0, 0, 200), **free}},
        "lines": {"left": {"from": "a", "to": "c", "elements": 10, "pieces": [{"section": "leg", "length": 5}]},
                  "right": {"from": "b", "to": "d", "elements": 10, "pieces": [{"section": "leg", "length": 5}]},
                  "deck": {"from": "c", "to": "d", "elements": 1, "pieces": [{"section": "deck", "length": 1}]}},
    }))  # fmt: skip
    solver = Constrained(step=5e-4)
    work = solver.start(model, initial_state(model))
    times, ys = np.arange(1, 701) * 0.01, []
    for t in times:
        assert solver.advance(model, work, float(t)).good
        ys.append(solver.read(model, work).point_position[3, 1])
    basis = lambda w: np.stack([np.cos(w * times), np.sin(w * times)], axis=1)  # noqa: E731
    miss = lambda w: np.linalg.lstsq(basis(w), np.array(ys), rcond=None)[1][0]  # noqa: E731
    grid = np.linspace(2.80, 2.85, 501)
    best = grid[np.argmin([miss(w) for w in grid])]
    # the grid is 1e-4; the amplitude of 0.01 rad and the step leave less
    assert_allclose(best, 2.8273, atol=3e-4)


WATER = {"water_density": 1000.0, "gravity": 9.81}
RADIUS = (0.75 * 0.001 / math.pi) ** (1.0 / 3.0)  # m, of a sphere of one litre
CYLINDER = {"drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}


def test_cylindrical_pendulum_by_three_solvers():
    """Sec. 8.6, as completed: the heavy chain in still water with 0.1 sin(1.26 t) N at its end, from rest."""
    model = chain(10, mass=CHAIN_MASS, end=(0.0, 0.0, -1.0), environment=WATER, section=CYLINDER)
    ends = []
    for solver in (Constrained, Recursive, Projection):
        _, work = driven(model, solver(step=0.005, lumping="outer"), 0.1, 1.26, 6.0, 1)
        ends.append(work.steps.r.copy())
    # second order: measured 3.9e-5 m at twice the step
    assert_allclose(ends[1], ends[0], atol=2e-5)
    assert_allclose(ends[2], ends[0], atol=2e-5)


def towed(**buoy):
    """Sec. 8.7, as completed: tow at t/10 up to 1 m/s, Airy wave of 0.5 m and omega = 1, 20 m deep, 5 m of line."""
    point = {"position": (0, 0, -5), "joint": "free", "mass": 5.0, "volume": 0.001, "added_mass": 0.5,
             "drag_area": 0.5 * math.pi * RADIUS**2}  # fmt: skip
    end = "buoy.centre" if "bodies" in buoy else "buoy"
    return build(System.model_validate({
        "environment": {"gravity": 9.81, "water_density": 1000.0, "depth": 20.0, "seabed": {"kind": "none"},
                        "waves": {"kind": "regular", "ramp": 0.0, "height": 1.0, "period": 2.0 * math.pi}},
        "sections": {"tow": {"drag": 0, "added_mass": 0, "diameter": 0.005, "mass": 0.25 * math.pi * 0.005**2 * 7500.0,
                             "axial_stiffness": "inextensible", **CYLINDER}},
        "points": {"ship": {"position": (0, 0, 0), "joint": "moving",
                            "motion": {"kind": "tow", "velocity": (1, 0, 0), "ramp": 10}},
                   **({} if "bodies" in buoy else {"buoy": point})},
        "lines": {"tow": {"from": "ship", "to": end, "elements": 10, "pieces": [{"section": "tow", "length": 5}]}},
        **buoy,
    }))  # fmt: skip


def test_towed_buoy_in_waves_by_three_solvers():
    """The buoy as the sphere it is: a rigid body of 5 kg and 3 kg m2."""
    sphere = {"kind": "sphere", "radius": RADIUS, "drag": 0.5, "added_mass": 0.5}
    body = {"mass": 5.0, "inertia": (3, 3, 3), "position": (0, 0, -5), "attachments": {"centre": (0, 0, 0)}}
    model = towed(bodies={"buoy": {**body, "hull": sphere}})
    ends = [run(solver(step=2e-3), model, 12.0)[0] for solver in (Constrained, Recursive, Projection)]
    for other in ends[1:]:
        # second order at 2 ms; a line that cuts the surface has loads with kinks: measured below 1 mm
        assert_allclose(other.position, ends[0].position, atol=3e-3)
    assert 0.5 < ends[0].position[0, 0] - ends[0].position[-1, 0] < 5.0
    # pulled at its centre, it is the point of the case with the same mass, volume and drag, which does not turn
    point = run(Constrained(step=2e-3), towed(), 12.0)[0]
    assert_allclose(ends[0].position, point.position, atol=3e-4)
    assert_allclose(ends[0].body_quaternion[0], [1.0, 0.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("solver", [Constrained, Recursive, Projection])
def test_rigid_body_pendulum(solver):
    """Sec. 6.3.4, as completed: 10 kg and 10 kg m2 on a massless stick of 1 m with 1 kg, hinged 1 m from its centre.

    In the plane a body has the inertia of two masses m/2 at +-sqrt(I/m) = 1 m from its centre: a bar of 2 m.
    """
    exact = body_pendulum(2.0)
    model = build(System.model_validate({
        "environment": {"gravity": 9.81, "water_density": 0.0},
        "sections": {"stick": {"diameter": 0.01, "mass": 0.0, "axial_stiffness": "inextensible"}},
        "points": {"top": {"position": (0, 0, 0)}, "hinge": {"position": (0, 0, -1), "joint": "free", "mass": 6.0},
                   "far": {"position": (2, 0, -1), "joint": "free", "mass": 5.0}},
        "lines": {"stick": {"from": "top", "to": "hinge", "elements": 1, "pieces": [{"section": "stick", "length": 1}]},
                  "body": {"from": "hinge", "to": "far", "elements": 1, "pieces": [{"section": "stick", "length": 2}]}},
    }))  # fmt: skip
    state = run(solver(step=1e-3), model, 2.0)[0]
    hinge = np.array([math.sin(exact[0]), 0.0, -math.cos(exact[0])])
    far = hinge + 2.0 * np.array([math.sin(exact[1]), 0.0, -math.cos(exact[1])])
    # second order at 1 ms: measured 2e-6 to 2e-5 m
    assert_allclose(state.point_position[1:], [hinge, far], atol=1e-4)
