"""Ropes with memory in runs by mixed elements, against the closed forms of springs and dashpots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError

LENGTH = 10.0  # m
STATIC, DYNAMIC = 1.0e6, 3.0e6  # N
SLOW = STATIC * DYNAMIC / (DYNAMIC - STATIC)  # N, of the slow spring
VISCOSITY, FAST_VISCOSITY = 3.0e6, 6.0e4  # N s
ROPE = {
    "kind": "viscoelastic",
    "static": STATIC,
    "dynamic": DYNAMIC,
    "viscosity": VISCOSITY,
    "dynamic_viscosity": FAST_VISCOSITY,
}


def rope_case(end: dict[str, Any], law: dict[str, Any] = ROPE, **settings: Any) -> dict[str, Any]:
    """A rope along x without weight, from a fixed point to one that is given."""
    return {
        "ropewalk": 1,
        "environment": {"gravity": 0.0, "water_density": 0.0, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.1, "mass": 1.0, "axial_stiffness": law}},
        "points": {"a": {"position": [0, 0, -5], "joint": "fixed"}, "b": {"position": [LENGTH * 1.01, 0, -5], **end}},
        "lines": {"rope": {"from": "a", "to": "b", "elements": 4, "pieces": [{"section": "rope", "length": LENGTH}]}},
        "record": {"every": settings.pop("every", 0.1)},
        "run": {"duration": 10.0, **settings},
    }


def sliding(force: Any) -> dict[str, Any]:
    """An end that slides along the rope under a force."""
    return {"joint": {"axes": {"x": {"force": force}, "y": "held", "z": "held"}}, "mass": 1.0}


def test_creep_under_a_constant_load():
    """e = F/E_d + (F/E_1) (1 - exp(-t E_1/B)) after a jump of the force: [Findley1976], sec. 5.6, standard solid."""
    F0, F1, jump = 1.0e4, 3.0e4, 1e-3
    force = {"kind": "table", "time": [0.0, jump, 100.0], "value": [F0, F1, F1]}
    case = rope_case(sliding(force), step=2e-3)
    run = rw.simulate(rw.System.model_validate(case))
    e = run.position.values[:, -1, 0] / LENGTH - 1.0
    t = run.time.values
    slow = F1 + (F0 - F1) * np.exp(-t * SLOW / VISCOSITY)
    late = t >= 0.5  # the mass at the end swings for 0.02 s after the jump, and the fast dashpot damps it
    closed = F1 / DYNAMIC + slow / SLOW
    # within the step of the jump the tension counts as half as high: a delay of at most one step
    assert_allclose(e[late], closed[late], rtol=0.0, atol=2e-3 * (F1 - F0) / VISCOSITY)


def moved(terms: list[dict[str, Any]]) -> dict[str, Any]:
    """An end that is moved along the rope."""
    return {"joint": "moving", "motion": {"kind": "harmonic", "terms": terms}}


def ramp(by: float, until: float) -> dict[str, Any]:
    """An end that is moved by a distance, in a time, and then held."""
    table = {"kind": "table", "time": [0.0, until, 1000.0], "displacement": [[0, 0, 0], [by, 0, 0], [by, 0, 0]]}
    return {"joint": "moving", "motion": table}


def test_relaxation_at_constant_length():
    """T = E_s e + (T1 - E_s e) exp(-t (E_1 + E_d)/B) after a stretch, with the fast dashpot at rest."""
    law = {**ROPE, "dynamic_viscosity": 0.0}
    case = rope_case(ramp(0.05, 0.4), law, tolerance=1e-3)
    run = rw.simulate(rw.System.model_validate(case))
    T, t = run.tension.values.mean(axis=1), run.time.values
    held = t > 0.75
    rate = (SLOW + DYNAMIC) / VISCOSITY
    final = STATIC * (0.01 + 0.05 / LENGTH)
    first = T[held][0]
    assert first > 1.2 * final  # it is the dynamic stiffness that meets the stretch
    closed = final + (first - final) * np.exp(-rate * (t[held] - t[held][0]))
    # axial waves of the stretch go on without damping; they are some 1e-3 of the tension, and the first value has one
    assert_allclose(T[held], closed, rtol=3e-3)


@pytest.mark.parametrize("omega", [0.3, 1.5, 6.0])
def test_storage_and_loss_modulus(omega):
    """E* = 1/(1/(E_d + i w B_d) + 1/(E_1 + i w B_s)) at three frequencies, and the energy that each cycle takes."""
    strain = 2e-3
    end = moved([{"direction": [1, 0, 0], "amplitude": strain * LENGTH, "omega": omega, "phase": 0.5 * np.pi}])
    period, cycles = 2.0 * np.pi / omega, 6
    case = rope_case(end, every=period / 40.0, duration=cycles * period, step=period / 400.0)
    run = rw.simulate(rw.System.model_validate(case))
    t, T = run.time.values, run.end_tension.sel(line="rope", end="B").values
    last = t > (cycles - 1) * period + 1e-6
    found = 2.0 * np.mean(T[last] * np.exp(1j * omega * t[last])) / strain / 1j  # of sin(wt) = cos(wt - pi/2)
    exact = 1.0 / (1.0 / (DYNAMIC - 1j * omega * FAST_VISCOSITY) + 1.0 / (SLOW - 1j * omega * VISCOSITY))
    # inertia of the rope, m w^2 L^2/3 = 1200 N at most beside 2e6 N; the steps give 1e-4; start decays as exp(-6 T)
    assert_allclose(found, exact, rtol=1.5e-3)
    lost = run.energy.sel(term="loss_damping").values
    whole = lost[-1] - np.interp((cycles - 1) * period, t, lost)
    assert_allclose(whole, np.pi * -exact.imag * strain**2 * LENGTH, rtol=5e-3)
    assert abs(run.energy.sel(term="closure").values[-1]) < 1e-4 * lost[-1]


def test_statics_reads_the_static_stiffness():
    """Equilibrium under a force: e = F/E_s, by every method that claims it."""
    system = rw.System.model_validate(rope_case(sliding(2.0e4)))
    x = rw.statics(system).state.point_position[1, 0]
    assert_allclose(x, LENGTH * (1.0 + 2.0e4 / STATIC), rtol=1e-9)


def test_memory_survives_a_checkpoint_to_the_same_bits():
    """Snapshot and restore in the middle: the rest of the run is the same."""
    from ropewalk.methods.mixed.solver import MixedFem
    from ropewalk.model.model import build
    from ropewalk.model.state import initial_state

    end = moved([{"direction": [1, 0, 0], "amplitude": 0.05, "omega": 1.0, "phase": 0.5 * np.pi}])
    model = build(rw.System.model_validate(rope_case(end, {**ROPE, "dynamic_slope": 20.0})))
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 2.0)
    kept = {name: np.copy(value) for name, value in solver.snapshot(work).items()}
    solver.advance(model, work, 4.0)
    again = solver.restore(model, kept)
    solver.advance(model, again, 4.0)
    assert np.array_equal(work.steps.now.T, again.steps.now.T)
    assert np.array_equal(work.mesh.element.slow_load, again.mesh.element.slow_load)
    assert work.mesh.element.slow_load[0] != kept["now_t"][0]


def test_other_solvers_name_the_one_that_can():
    """Bars refuse a rope with memory in time, and so does leapfrog."""
    case = rope_case(moved([{"direction": [1, 0, 0], "amplitude": 0.05, "omega": 1.0, "phase": 0.0}]))
    system = rw.System.model_validate(case)
    with pytest.raises(InputError, match=r"ropes with memory.*'mixed_fem'"):
        rw.simulate(system, solver="constrained_implicit")
    with pytest.raises(InputError, match=r"rope with memory.*generalised_alpha"):
        rw.simulate(system.replace({"run.solver": "mixed_fem", "run.integrator": "leapfrog"}))


SYROPE = {
    "kind": "syrope",
    "strain": [0.0, 0.005, 0.012, 0.02, 0.03],
    "tension": [0.0, 5.0e3, 1.1e4, 2.0e4, 3.4e4],
    "working_curve": "quadratic",
    "residual": 0.4,
    "bend": 0.5,
    "dynamic": 3.0e6,
    "dynamic_slope": 20.0,
    "viscosity": 1.0e6,
    "dynamic_viscosity": 3.0e4,
}


def test_syrope_rope_goes_up_the_original_curve_and_down_the_working_one():
    """Held long enough, the strains are those of the original curve at the highest load, then of its working curve."""
    loads, pause = [1.0e4, 2.4e4, 8.0e3, 2.0e4], 12.0
    t = [x for k in range(len(loads)) for x in (k * pause + 0.1, (k + 1) * pause)]
    force = {"kind": "table", "time": t, "value": [F for F in loads for _ in range(2)]}
    case = rope_case(sliding(force), SYROPE, duration=pause * len(loads), every=pause, tolerance=1e-3)
    run = rw.simulate(rw.System.model_validate(case))
    e = run.position.values[1:, -1, 0] / LENGTH - 1.0
    original = np.interp(loads, SYROPE["tension"], SYROPE["strain"])
    top = original[1]
    share = np.array(loads[2:]) / loads[1]
    k, foot = 0.5, 0.4 * top
    xi = (k - 1.0 + np.sqrt((1.0 - k) ** 2 + 4.0 * k * share)) / (2.0 * k)
    expected = np.concatenate([original[:2], foot + (top - foot) * xi])
    # relaxation times are below 1 s, so 12 of them are left out: exp(-12) of the changes
    assert_allclose(e, expected, rtol=2e-4)
