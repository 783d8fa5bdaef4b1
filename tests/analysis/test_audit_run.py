"""The audit of runs: what it doubts, what fails a run, and that its results are kept."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.analysis.audit_records import Watch
from ropewalk.analysis.audit_run import RunAudit, run_findings
from ropewalk.analysis.run import RunFailedError
from ropewalk.analysis.verdict import Verdict
from ropewalk.model.model import Model, build
from ropewalk.model.moments import Moments
from ropewalk.model.state import initial_state


def pendulum(**more) -> rw.System:
    """A weight on 10 m of rope, let go 20 degrees from the vertical."""
    return rw.System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6}},
            "points": {"top": {"position": [0, 0, 0]},
                       "bob": {"position": [3.42, 0, -9.397], "joint": "free", "mass": 100}},
            "lines": {"l": {"from": "top", "to": "bob", "elements": 4, "pieces": [{"section": "rope", "length": 10}]}},
            "run": {"duration": 1.0, "start": "as_given", "tolerance": 1e-4},
            "record": {"every": 0.5},
            **more,
        }
    )  # fmt: skip


def ledger(numerics: float, closure: float) -> dict[str, float]:
    """100 J of potential energy turned into motion, less what was lost."""
    return {
        "kinetic": 100.0 - numerics,
        "elastic": 0.0,
        "potential": -100.0,
        "loss_numerics": numerics,
        "closure": closure,
    }


def seen(*moments: dict[str, float]) -> RunAudit:
    """The audit of a run with these ledgers at its records."""
    audit = RunAudit()
    terms = tuple(moments[-1])
    audit.count_energy(terms, np.array([[energy.get(name, 0.0) for energy in moments] for name in terms]))
    return audit


def look(model: Model, audit: RunAudit, *moments: Moments, is_still: bool = False) -> None:
    """Take passages of a run without ledger into the audit."""
    watch = Watch(model, audit, is_still)
    for passage in moments:
        watch.take(passage, ())
    watch.look()


START = {"kinetic": 0.0, "elastic": 0.0, "potential": 0.0, "loss_numerics": 0.0, "closure": 0.0}


@pytest.mark.parametrize(
    ("energy", "codes", "fails"),
    [
        (ledger(0.05, 1e-3), [], False),
        (ledger(0.5, 0.0), ["energy-numerics"], False),
        (ledger(-0.5, 0.0), ["energy-numerics"], False),
        (ledger(20.0, 0.0), ["energy-numerics"], True),
        (ledger(0.0, 0.1), ["energy-closure"], False),
        (ledger(0.0, 5.0), ["energy-closure"], True),
    ],
)
def test_energy_limits(energy, codes, fails):
    """Doubt above 1e-3 and failure above 1e-1 of what was exchanged for the steps; 1e-4 and 1e-2 for the ledger."""
    found = list(run_findings(build(pendulum()), seen(START, energy), {"energy": energy}))
    assert [doubt.code for doubt, _ in found] == codes
    assert any(failed for _, failed in found) == fails


@pytest.mark.parametrize(
    ("figures", "advice"),
    [({}, "reduce run.tolerance or run.step"), ({"fixed_step": 0.01}, "reduce run.step"),
     ({"largest_strain": 1e-9}, "reduce run.step")],
)  # fmt: skip
def test_what_is_advised_has_an_effect(figures, advice):
    """Neither fixed steps nor those of bars follow `run.tolerance`."""
    energy = ledger(0.5, 0.1)
    found = list(run_findings(build(pendulum()), seen(START, energy), {"energy": energy, **figures}))
    assert [doubt.code for doubt, _ in found] == ["energy-numerics", "energy-closure"]
    for doubt, _ in found:
        assert advice in doubt.sentence
        assert ("run.tolerance" in doubt.sentence) == ("tolerance" in advice)


def test_fixed_steps_are_among_the_figures_of_a_run():
    """Which the advice goes by; the lost energy of long ones is that of a pendulum on 0.05 s."""
    run = rw.simulate(pendulum(run={"duration": 4.0, "start": "as_given", "step": 0.05}), progress=False)
    told = [doubt["sentence"] for doubt in json.loads(run.attrs["doubts"]) if doubt["code"] == "energy-numerics"]
    assert told and "run.tolerance" not in told[0]


def test_a_membrane_at_rest_does_not_fail_for_round_off():
    """Half a circle under pressure, without weight and gravity: no energy but that of rounding."""
    case = rw.System.from_file(Path(__file__).parents[2] / "examples" / "shooting_velaria.yaml")
    run = rw.simulate(case, duration=10.0)
    assert np.abs(run.position.values - run.position.values[0]).max() < 1e-12
    assert json.loads(run.attrs["doubts"]) == []


def test_nothing_moved_is_no_loss():
    """A system at rest exchanges 1e-12 of what it holds; shares of that say nothing."""
    rest = {"kinetic": 1e-12, "elastic": 50.0, "potential": 1000.0, "loss_numerics": 1e-11, "closure": 1e-11}
    first = {**rest, "loss_numerics": 0.0, "closure": 0.0}
    assert not list(run_findings(build(pendulum()), seen(first, rest), {"energy": rest}))


def test_impacts_are_counted_apart():
    """What blows take is no error of the steps; what they or damping would give is, and a loss beside them fails."""
    model = build(pendulum())
    taken = ledger(0.0, 0.0) | {"loss_impact": 20.0}
    assert not list(run_findings(model, seen(START, taken), {"energy": taken}))
    beside = {**taken, "loss_numerics": 40.0}
    found = list(run_findings(model, seen(START, beside), {"energy": beside}))
    assert [(doubt.code, failed) for doubt, failed in found] == [("energy-numerics", True)]
    for given in ({"loss_impact": -40.0}, {"loss_impact": 40.0, "loss_damping": -40.0}):
        energy = ledger(0.0, 0.0) | given
        found = list(run_findings(model, seen(START, energy), {"energy": energy}))
        assert [(doubt.code, failed) for doubt, failed in found] == [("energy-numerics", True)]
        assert "the time integration adds" in found[0][0].sentence


def test_what_swings_back_was_exchanged():
    """100 J turned into motion and back: 0.5 J lost are 0.5 % of them, although kinetic energy ends at 0."""
    model, back = build(pendulum()), START | {"potential": -0.5, "loss_numerics": 0.5}
    found = list(run_findings(model, seen(START, ledger(0.2, 0.0), back), {"energy": back}))
    assert [(doubt.code, failed) for doubt, failed in found] == [("energy-numerics", False)]
    assert found[0][0].value == pytest.approx(0.5 / 100.0)


@pytest.mark.parametrize(("tolerance", "share", "tension"), [(1e-3, 0.6, 0.2), (1e-5, 0.02, 0.01)])
def test_a_smaller_tolerance_loses_less(tolerance, share, tension):
    """A rope let go along itself rings: tensions change by v sqrt(EA m) = 3 kN [d'Alembert], for ever without damping.

    Steps had a least length that no tolerance changed, and lost 17 % of it within two passages of the wave.
    """
    rope = {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6}
    case = {
        "environment": {"water_density": 0, "gravity": 0, "seabed": {"kind": "none"}},
        "sections": {"rope": rope},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [10.1, 0, 0]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 100, "pieces": [{"section": "rope", "length": 10}]}},
        "run": {"duration": 0.02, "tolerance": tolerance, "start": {"state": "as_given", "velocity": [3.0, 0.0, 0.0]}},
        "record": {"every": 0.001},
    }
    try:
        result = rw.simulate(rw.System.model_validate(case), progress=False)
    except RunFailedError as error:
        result = error.results
    energy = result["energy"].isel(time=-1)
    first = float(result["energy"].sel(term="kinetic")[0])
    assert abs(float(energy.sel(term="loss_numerics"))) < share * first
    # the front of the wave is spread over some elements of 0.1 m, its flat top is not
    middle = result["tension"].values[3, 10]
    assert middle == pytest.approx(1e4 + 3e3, abs=tension * 3e3)


def test_drift_and_rejected_steps():
    model = build(pendulum())
    figures = {"constraint_drift": 0.2, "steps": 100, "rejected": 120, "newton_failures": 30}
    found = {doubt.code: (doubt.value, failed) for doubt, failed in run_findings(model, RunAudit(), figures)}
    assert found == {"length-drift": (0.2, True), "rejected-steps": (0.6, False)}


@pytest.mark.parametrize(("stiffness", "depth", "fails"), [(1e5, 1.0, False), (1e5, 5.0, True), (66.5, 5.0, False)])
def test_lines_under_the_bed(stiffness, depth, fails):
    """Sunk by 1 m in 20 m of water: a doubt; by 5 m: it has fallen through, unless its weight presses it that far.

    6.65 N/m on a width of 0.02 m and 66.5 N/m3.
    """
    model = build(pendulum(environment={"depth": 20, "seabed": {"stiffness": stiffness}}))
    state = initial_state(model)
    seen = RunAudit()
    below = np.array(state.position)
    below[30, 2] = -20.0 - depth
    look(model, seen, Moments.of([state._replace(position=below)]))
    (doubt, failed), = run_findings(model, seen, {})  # fmt: skip
    assert (doubt.code, doubt.part, failed) == ("sunk", "l", fails)
    assert doubt.value == pytest.approx(depth)


def test_what_the_equilibrium_is_doubted_for_does_not_fail_the_run():
    """A point pulled down by 350 N stands metres deep in a soft bed: a run from there is as doubtful, not wrong."""
    case = rw.System.model_validate({
        "environment": {"depth": 13, "seabed": {"stiffness": 3000}},
        "sections": {"s": {"diameter": 0.03, "mass": 3.4, "axial_stiffness": 1.4e6}},
        "points": {
            "a": {"position": [0, 0, -13]},
            "b": {"position": [10, 0, -6], "joint": {"axes": {"x": "held", "y": "held", "z": {"force": -350}}}},
        },
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "s", "length": 18}]}},
        "run": {"duration": 1.0},
    })  # fmt: skip
    deep = [doubt.value for doubt in rw.simulate(case).rw.doubts if doubt.code == "sunk"]
    assert deep
    assert max(deep) > 1.3  # a tenth of the depth: more than a line may fall in a run


def test_watch_goes_on_from_what_was_saved():
    """Two halves of a run, with a checkpoint between, give the audit of the whole."""
    model = build(pendulum(environment={"depth": 9.0, "seabed": {"stiffness": 1e5}}))
    state, rng = initial_state(model), np.random.default_rng(1)
    states = [
        state._replace(
            time=float(k),
            position=state.position + rng.normal(0.0, 0.1, state.position.shape),
            tension=rng.normal(10.0, 100.0, state.s.size),
            element_tension=rng.normal(10.0, 100.0, state.s.size),
        )
        for k in range(4)
    ]
    ledger = [{"kinetic": rng.random(2), "closure": rng.random(2)} for _ in range(2)]
    passages = [Moments.of(states[:2]), Moments.of(states[2:])]
    whole, first = Watch(model, RunAudit(), True), Watch(model, RunAudit(), True)
    for passage, energy in zip(passages, ledger, strict=True):
        whole.take(passage, (energy,))
    first.take(passages[0], (ledger[0],))
    second = Watch(model, RunAudit(**json.loads(json.dumps(first.saved()))), True)
    second.take(passages[1], (ledger[1],))
    assert second.saved() == whole.saved()
    assert whole.seen.touched and whole.seen.pushed and whole.seen.way > 0.0


def test_results_carry_their_doubts(tmp_path):
    path = tmp_path / "run.nc"
    result = rw.simulate(pendulum(), output=path)
    assert json.loads(result.attrs["doubts"]) == []
    coarse = rw.simulate(pendulum(run={"duration": 8.0, "start": "as_given", "tolerance": 0.1}))
    codes = [doubt["code"] for doubt in json.loads(coarse.attrs["doubts"])]
    assert "energy-numerics" in codes


def test_a_run_that_fails_its_audit_keeps_its_results(monkeypatch):
    from ropewalk.methods.mixed import solver

    true = solver.energies

    def leaky(model, work):
        energy = true(model, work)
        return {**energy, "closure": 0.5 * abs(energy["potential"])}

    monkeypatch.setattr(solver, "energies", leaky)
    with pytest.raises(RunFailedError, match="fails its audit: the imbalance of the energy ledger is") as caught:
        rw.simulate(pendulum())
    assert caught.value.results.sizes["time"] == 3


@pytest.mark.parametrize(("heave", "elements", "doubted"), [(5.0, 40, True), (1.0, 40, False), (5.0, 120, False)])
def test_chains_that_come_taut_with_blows_need_a_finer_mesh(heave, elements, doubted):
    """5 m in 10 s throw a chain in 50 m of water slack, with no tension at its anchor, 1 m does not; 100 suffice."""
    case = rw.System.model_validate(
        {
            "environment": {"depth": 50},
            "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.04}},
            "points": {
                "anchor": {"position": [0, 0, -50]},
                "top": {
                    "position": [155, 0, 0],
                    "joint": "moving",
                    "motion": {
                        "kind": "harmonic",
                        "terms": [{"direction": [0, 0, 1], "amplitude": heave, "omega": 0.628}],
                        "ramp": 5,
                    },
                },
            },
            "lines": {
                "m": {
                    "from": "anchor",
                    "to": "top",
                    "elements": elements,
                    "pieces": [{"section": "chain", "length": 170}],
                }
            },
            "run": {"duration": 18},
            "record": {"every": 0.1},
        }
    )
    found = {doubt["code"]: doubt for doubt in json.loads(rw.simulate(case).attrs["doubts"])}
    assert ("snap-mesh" in found) is doubted
    if doubted:
        assert found["snap-mesh"]["value"] == pytest.approx(5.0 / 40)


@pytest.mark.parametrize(("least", "doubted"), [(0.0, True), (0.006, True), (0.02, False)])
def test_an_end_that_keeps_a_little_tension_has_gone_slack(least, doubted):
    """Chains that kept 0.6 % of their largest tension on the bed had the errors of those that kept none."""
    model = build(rw.System.from_file(Path(__file__).parents[2] / "examples" / "mooring_waves.yaml"))
    name = model.names.lines[0]
    seen = RunAudit(ends={name: [least * 1e9, 1e9, 0.5e9, 1e9]}, touched={name: float(model.lines.length[0]) / 40})
    codes = [doubt.code for doubt, _ in run_findings(model, seen, {})]
    assert codes == ["snap-mesh"] * doubted


def test_bars_that_push_although_they_cannot_are_doubtful():
    """A thousandth of the largest tension is let through; elements of other solvers have laws of their own."""
    model = build(pendulum())
    state = initial_state(model)
    figures = {"largest_strain": 0.0}
    for least, codes in ((-1.0, ["pushes"]), (-0.09, []), (1.0, [])):
        seen = RunAudit()
        tension = np.linspace(least, 100.0, state.s.size)
        look(model, seen, Moments.of([state._replace(element_tension=tension)]))
        assert [doubt.code for doubt, _ in run_findings(model, seen, figures)] == codes
        assert not list(run_findings(model, seen, {}))


def test_what_leaves_its_equilibrium_carries_a_doubt(monkeypatch):
    """A rope hung from both ends rests within round-off; a solver that moves it 1e-5 of its extent is found out."""
    from ropewalk.methods.mixed.solver import MixedFem

    hung = pendulum(points={"top": {"position": [0, 0, 0]}, "bob": {"position": [8, 0, 0]}}, run={"duration": 1.0})
    codes = [doubt["code"] for doubt in json.loads(rw.simulate(hung, progress=False).attrs["doubts"])]
    assert codes == ["discretisation"]  # of its few elements
    march = MixedFem.march

    def restless(self, model, work, times, more=0):
        passage = march(self, model, work, times, more)
        passage.moments.fields["position"][-1, 2, 2] += 1e-5 * 8.0
        return passage

    monkeypatch.setattr(MixedFem, "march", restless)
    _, doubt = json.loads(rw.simulate(hung, progress=False).attrs["doubts"])
    assert doubt["code"] == "leaves-rest"
    # the rope sags 2.6 m over 8 m: its extent is the diagonal of that
    assert doubt["value"] == pytest.approx(1e-5, rel=0.1)
    driven = {"kind": "harmonic", "terms": [{"direction": [0, 0, 1], "amplitude": 0.1, "omega": 1.0}]}
    pulled = pendulum(points={"top": {"position": [0, 0, 0], "joint": "moving", "motion": driven},
                              "bob": {"position": [8, 0, 0]}}, run={"duration": 1.0})  # fmt: skip
    assert "leaves-rest" not in rw.simulate(pulled, progress=False).attrs["doubts"]


@pytest.mark.parametrize(
    ("way", "code"),
    [
        (lambda t: 1e-14 * np.exp(6.0 * t), "grows"),
        (lambda t: 1e-6 * t, "leaves-rest"),
        (lambda t: 1e-6 * t * t, "leaves-rest"),
        (lambda t: 1e-5 * np.abs(np.sin(2.0 * t)), "leaves-rest"),
    ],
    ids=["exponential", "drift", "acceleration", "swing"],
)
def test_motion_that_grows_exponentially_is_told_from_drift(way, code):
    """exp(6 t) has the rate 6 1/s; a constant velocity, a constant acceleration and a swing have none."""
    seen, times, model = RunAudit(), np.linspace(0.0, 5.0, 41), build(pendulum())
    places = [np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, float(way(t)) if t > 0.0 else 0.0]]]) for t in times]
    fields = [{"position": np.zeros((1, 0, 3)), "body_position": place} for place in places]
    passages = [Moments(times[k : k + 1], np.zeros(2, dtype=int), np.zeros(0), own) for k, own in enumerate(fields)]
    look(model, seen, *passages, is_still=True)
    (doubt,) = [doubt for doubt, _ in run_findings(model, seen, {})]
    assert doubt.code == code
    if code == "grows":
        # times are those of records 0.125 s apart, over ln(1000)/6 = 1.15 s
        assert doubt.value == pytest.approx(6.0, rel=0.15)


def test_stretch_of_elastic_bars_excuses_no_loss_of_energy():
    """A cage let go in a current: twines stretch by 8e-4, which is their law, not an error of their lengths."""
    cage = rw.System.from_file(Path(__file__).parents[2] / "examples" / "cage.yaml")
    run = rw.simulate(cage, 1.0, progress=False)
    (doubt,) = (one for one in json.loads(run.attrs["doubts"]) if one["code"] == "energy-numerics")
    first, last = run["energy"].sel(term="loss_numerics").values[[0, -1]]
    assert first == 0.0
    assert 1e-3 < doubt["value"] < 0.1
    assert last > 0.0


def test_a_run_inherits_the_stability_of_its_equilibrium():
    """An upright spar, which drifts and turns freely; statics that end unstable are rare, so that verdict is given."""
    body = {"mass": 1610.0, "inertia": [1610.0] * 3, "centre_of_mass": [0, 0, 0.6], "position": [0, 0, -2],
            "hull": {"kind": "axisymmetric", "profile": [[0, 0.5], [3, 0.5]]}}  # fmt: skip
    spar = {"environment": {"depth": 50}, "bodies": {"spar": body}, "run": {"duration": 0.1}}
    system = rw.System.model_validate(spar)
    assert "neutral" in [doubt["code"] for doubt in json.loads(rw.simulate(system, progress=False).attrs["doubts"])]
    rest = rw.statics(system)
    vars(rest)["stability"] = Verdict(False, 0, -1.0, {"spar": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]})
    assert "unstable" in [doubt.code for doubt in rest.start_doubts]


def test_energy_is_judged_at_every_record():
    """30 J that damping gave and took back, and 2 J that the ledger missed for a while, do not show at the end."""
    model, end = build(pendulum()), ledger(0.0, 0.0) | {"loss_damping": 0.0}
    swollen = ledger(0.0, 2.0) | {"kinetic": 130.0, "loss_damping": -30.0}
    found = list(run_findings(model, seen(START, swollen, end), {"energy": end}))
    assert [(doubt.code, failed) for doubt, failed in found] == [("energy-numerics", True), ("energy-closure", True)]
    assert found[0][0].value == pytest.approx(30.0 / 130.0)
    assert found[1][0].value == pytest.approx(2.0 / 130.0)


def test_the_bed_gives_back_what_it_holds():
    """A line that lifts off a soft bed, in which it held 30 J: its term of the ledger holds these, too."""
    end = ledger(0.0, 0.0) | {"kinetic": 130.0, "loss_seabed": -30.0}
    assert not list(run_findings(build(pendulum()), seen(START, end), {"energy": end}))


def test_parts_that_share_nothing_are_judged_one_by_one():
    """1 J of 100 J lost by one of two platforms, of which the other exchanges 1 MJ."""
    audit, small, large = seen(START, ledger(1.0, 0.0)), ledger(1.0, 0.0), ledger(0.0, 0.0)
    large |= {"kinetic": 1e6, "potential": -1e6}
    audit.count_energy(tuple(large), np.array([[START[name], large[name]] for name in large]), 1)
    both = {name: small[name] + large[name] for name in large}
    audit = RunAudit(**json.loads(json.dumps(asdict(audit))))  # as in a checkpoint
    ((doubt, failed),) = run_findings(build(pendulum()), audit, {"energy": both})
    assert (doubt.code, failed) == ("energy-numerics", False)
    assert doubt.value == pytest.approx(0.01)
    assert "in one of its independent parts" in doubt.sentence


def test_what_damping_and_steps_pass_to_each_other_was_not_exchanged():
    """10 J in 100 that the steps add, while damping gives 1 kJ and the steps take 990 J of that."""
    model = build(pendulum())
    end = ledger(-10.0, 0.0) | {"loss_damping": -1000.0, "loss_numerics": 990.0}
    ((doubt, failed),) = run_findings(model, seen(START, end), {"energy": end})
    assert (doubt.code, failed) == ("energy-numerics", False)
    assert doubt.value == pytest.approx(10.0 / 110.0)


def test_a_support_that_starts_with_a_jump_of_velocity_is_no_drift_of_lengths():
    """0.5 m/s at t = 0 strains the damping of a rope at rest by 1 % of an element; its tension follows in the step."""
    case = pendulum().model_dump(mode="json", by_alias=True, exclude_unset=True)
    case["sections"]["rope"]["damping"] = 0.05
    case["points"]["bob"]["position"] = [0, 0, -10.0]
    case["points"]["top"] |= {
        "joint": "moving",
        "motion": {
            "kind": "harmonic",
            "terms": [{"direction": [0, 0, 1], "amplitude": 0.1, "omega": 5, "phase": 1.57}],
        },
    }
    case["run"] = {"duration": 0.5}
    run = rw.simulate(rw.System.model_validate(case))
    assert not {"length-drift"} & {doubt["code"] for doubt in json.loads(run.attrs["doubts"])}
    assert float(run.attrs["constraint_drift"]) < 1e-6
