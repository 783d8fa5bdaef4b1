"""Energy ledger of the bar solvers: against closed forms, and of second order in the step."""

from __future__ import annotations

import numpy as np
import pytest
from bars_cases import chain, netted, panel, run, total
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.joint_angles import JointAngles
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.model.state import initial_state

SOLVERS = {
    "constrained": Constrained,
    "projection": Projection,
    "implicit": ConstrainedImplicit,
    "recursive": Recursive,
    "joint_angles": JointAngles,
}
ANGLED = (0.6, 0.0, -0.8)  # bars of joint angles must not lie along x


def energy(solver, model, t, before=0.0):
    """Terms of the ledger at t; the total at the start, J."""
    work = solver.start(model, initial_state(model))
    first = total(solver.advance(model, work, before))
    report = solver.advance(model, work, t)
    assert report.good, report.message
    return report.figures["energy"], first, total(report)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_chain_in_air_loses_what_its_energy_lacks(name):
    """Nothing does work on a chain let go in air, so what is missing of kinetic and potential energy is the loss."""
    model = chain(4, end=ANGLED)
    lost = []
    for step in (4e-3, 2e-3):
        terms, first, last = energy(SOLVERS[name](step=step), model, 1.0)
        # round-off of sums of 20 J; projections leave lengths off by up to 1e-7
        assert abs(terms["work"]) < 1e-5
        assert terms["loss_numerics"] == pytest.approx(first - last, abs=1e-5)
        assert terms["loss_impact"] == 0.0
        lost.append(abs(terms["loss_numerics"]))
    # of second order; the least that a ratio of errors far from round-off showed was 3.2
    assert lost[0] / lost[1] > 3.0


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "joint_angles"])
def test_a_moved_end_does_the_work_that_the_ledger_has(name):
    """Energy gained is work less losses, the work converges, and what the steps lose of it does with h^2."""
    motion = {"kind": "harmonic", "ramp": 0.5, "terms": [{"direction": [1, 0, 1], "amplitude": 0.1, "omega": 5.0}]}
    model = chain(6, end=(0.6, 0.0, 0.0), point={"joint": "moving", "motion": motion})
    results = [energy(SOLVERS[name](step=step, damping=1.0), model, 2.0) for step in (4e-3, 2e-3)]
    for terms, first, last in results:
        assert last - first == pytest.approx(terms["work"] - terms["loss_numerics"], abs=1e-12)
        # -0.31269 J by all solvers with steps of 0.5 ms, which differ by 2e-6
        assert terms["work"] == pytest.approx(-0.31269, rel=1e-3)
    coarse, fine = (abs(terms["loss_numerics"]) for terms, _, _ in results)
    assert coarse < 6e-4 * 0.31269
    assert coarse / fine > 3.5


@pytest.mark.parametrize("name", ["constrained", "projection", "implicit"])
def test_a_blow_takes_the_energy_along_the_bar(name):
    """Knots thrown up at 2 m/s come down at 2 m/s and are stopped by their twines: m v^2 / 2 is lost to the impact."""
    model = netted(panel(1, 1, environment={"water_density": 0.0, "gravity": 10.0, "current": None}))
    state = initial_state(model)
    up = np.zeros_like(state.net_position)
    up[state.net_position[:, 2] < -2.0, 2] = 2.0
    _, report, work = run(SOLVERS[name](step=1e-3), model, 0.5, state._replace(net_velocity=up))
    low = work.places.knot[state.net_position[:, 2] < -2.0]
    thrown = 0.5 * float(work.bars.mass[low].sum()) * 2.0**2
    terms = report.figures["energy"]
    # the step in which they come taut moves on by up to g h = 0.01 m/s of 2 m/s
    assert terms["loss_impact"] == pytest.approx(thrown, rel=2e-2)
    assert abs(terms["loss_numerics"]) < 2e-2 * thrown


def test_long_implicit_steps_are_doubted_with_what_they_lose(tmp_path):
    """The doubt's figure is the loss over the energy exchanged; a hundredth of the step leaves none."""
    case = tmp_path / "pendulum.yaml"
    case.write_text(
        "ropewalk: 1\n"
        "environment: {water_density: 0, gravity: 9.81}\n"
        "sections: {bar: {diameter: 0.01, mass: 0.5, axial_stiffness: inextensible}}\n"
        "points: {top: {position: [0, 0, 0]}, end: {position: [0, 1.2, -1.6], joint: free}}\n"
        "lines: {pendulum: {from: top, to: end, elements: 2, pieces: [{section: bar, length: 2}]}}\n"
        "record: {every: 0.1}\n"
        "run: {duration: 2, solver: constrained_implicit, step: 0.05, start: as_given}\n"
    )
    data = rw.simulate(case)
    (doubt,) = [d for d in data.rw.doubts if d.code == "energy-numerics"]
    terms = {str(name): data["energy"].sel(term=name).values for name in data["term"].values}
    missing = sum(terms[name][0] - terms[name][-1] for name in ("kinetic", "potential"))
    assert terms["loss_numerics"][-1] == pytest.approx(missing, abs=1e-9)
    assert doubt.value == pytest.approx(missing / np.ptp(terms["potential"]), rel=0.3)
    case.write_text(case.read_text().replace("0.05", "0.0005"))
    assert not [d for d in rw.simulate(case).rw.doubts if d.code == "energy-numerics"]
    assert_allclose(rw.simulate(case)["energy"].sel(term="loss_numerics").values[-1], 0.0, atol=1e-5)
