"""Platforms that share nothing, each with its own steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits

import ropewalk as rw
from ropewalk.analysis import run as run_module
from ropewalk.analysis.in_parts import InParts, in_parts, joined_moments, part_state
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.protocol import Passage, Report, Solver, Status
from ropewalk.model.model import build
from ropewalk.model.moments import Moments
from ropewalk.model.state import initial_state

CHAIN = {"diameter": 0.03, "mass": 12.0, "axial_stiffness": 4e6, "drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}


def farm(**run: Any) -> rw.System:
    """Two buoys on two chains each, with a weight on a rope between fixed points, in waves; names out of order."""
    hull = {"kind": "sphere", "radius": 1.2, "drag": 0.5, "added_mass": 0.5}
    points, bodies, lines = {}, {}, {}
    for name, x in (("b", 300.0), ("a", 0.0)):
        eyes = {"e": [0.5, 0, -1], "w": [-0.5, 0, -1]}
        bodies[name] = {"mass": 3000.0, "inertia": [2000.0] * 3, "hull": hull, "position": [x, 0, 0],
                        "centre_of_mass": [0, 0, -0.4], "attachments": eyes}  # fmt: skip
        for end, dx in (("e", 60.0), ("w", -60.0)):
            points[f"{name}{end}"] = {"position": [x + dx, 0, -30]}
            lines[f"{end} of {name}"] = {"from": f"{name}{end}", "to": f"{name}.{end}", "elements": 9 + (name == "a"),
                                         "pieces": [{"section": "chain", "length": 70}]}  # fmt: skip
    points |= {"left": {"position": [-200, 0, -5]}, "right": {"position": [-150, 0, -5]}}
    lines["span"] = {"from": "left", "to": "right", "elements": 8, "pieces": [{"section": "chain", "length": 52}]}
    return rw.System.model_validate(
        {"environment": {"depth": 30, "waves": {"kind": "regular", "height": 1.5, "period": 6.0, "heading": 20}},
         "sections": {"chain": CHAIN}, "points": points, "bodies": bodies, "lines": lines,
         "run": {"duration": 6.0, **run}, "record": {"every": 0.5}}
    )  # fmt: skip


def apart(system: rw.System, solver: Solver, threads: int) -> InParts:
    """The solver in parts, on a number of threads."""
    found = in_parts(system, build(system), solver)
    assert isinstance(found, InParts)
    return InParts(found.solver, found.parts, threads)


def test_only_platforms_that_share_nothing_are_taken_apart() -> None:
    """Two buoys and what is left; a common anchor, or one buoy alone, stays whole."""
    system, solver = farm(), MixedFem()
    found = in_parts(system, build(system), solver)
    assert isinstance(found, InParts)
    assert sorted(part.model.names.lines for part in found.parts) == [
        ("e of a", "w of a"),
        ("e of b", "w of b"),
        ("span",),
    ]
    data = system.model_dump(by_alias=True, exclude_unset=True)
    data["lines"]["w of b"]["from"] = "ae"
    shared = rw.System.model_validate(data)
    assert in_parts(shared, build(shared), solver) is solver


def test_states_of_parts_make_the_whole() -> None:
    """Taken apart and joined again, every field is what it was."""
    system = farm()
    model = build(system)
    parts = apart(system, MixedFem(), 1).parts
    state = rw.statics(system).state
    again = joined_moments(parts, [Moments.of([part_state(part, state)]) for part in parts]).state(0)
    for name, value in state._asdict().items():
        if name != "time":
            assert_allclose(getattr(again, name), value, err_msg=name)
    assert initial_state(model).point_position.shape == again.point_position.shape


def test_steps_of_the_same_size_give_the_same_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixed step: what shares nothing moves as it does in one system; energies are the sums."""
    system = farm(step=0.05)
    found = rw.simulate(system)
    monkeypatch.setattr(run_module, "in_parts", lambda system, model, solver: solver)
    whole = rw.simulate(system)
    assert found.attrs["settings"] == whole.attrs["settings"]
    for name in ("position", "body_position", "body_quaternion", "end_force", "energy", "point_force"):
        largest = float(np.abs(whole[name]).max())
        # Newton's method stops at a share of the largest tension and speed, which each part has of its own
        assert_allclose(found[name].values, whole[name].values, atol=1e-5 * largest, err_msg=name)


def test_a_platform_may_start_elsewhere() -> None:
    """Its lines get other nodes there; tensions of the elements before stayed, and ended in an IndexError."""
    tilt = {"bodies": {"a": {"attitude": [10, 0, 0], "position": [1, 0, 0]}}}
    run = rw.simulate(farm(start=tilt, duration=0.5))
    assert_allclose(run.body_position.sel(body="a").values[0], [1, 0, 0], atol=1e-12)
    assert run.body_position.sel(body="b").values[0, 0] == pytest.approx(300.0, abs=0.1)


def test_each_part_has_its_own_ledger() -> None:
    """A platform must not hide in the energy of the others what the steps take from one."""
    system = farm(step=0.05)
    model, solver = build(system), apart(farm(step=0.05), MixedFem(step=0.05), 1)
    passage = solver.march(model, solver.start(model, rw.statics(system).state), np.array([1.0, 2.0]))
    assert len(passage.shares) == 3
    for name, total in passage.energy.items():
        assert_allclose(sum(share[name] for share in passage.shares), total, err_msg=name)


def test_bits_do_not_depend_on_the_number_of_threads() -> None:
    """One, two, and more than there are parts."""
    system = farm()
    model = build(system)
    times, rest = np.arange(0.5, 4.1, 0.5), rw.statics(system).state
    passages = []
    for threads in (1, 2, 5):
        solver = apart(system, MixedFem(), threads)
        passages.append(solver.march(model, solver.start(model, rest), times))
    for other in passages[1:]:
        assert other.moments is not None and passages[0].moments is not None
        for name, values in passages[0].moments.fields.items():
            assert np.array_equal(other.moments.fields[name], values), name
    assert passages[0].report.figures["steps"] > 0


def test_memories_of_parts_are_kept_in_a_checkpoint() -> None:
    """Restored half way, the run goes on to the same bits."""
    system = farm()
    model, solver = build(system), apart(farm(), MixedFem(), 2)
    assert_goes_on_to_the_same_bits(solver, model, rw.statics(system).state, 2.0, 4.0)


def test_a_part_that_fails_ends_the_run_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of all parts up to there are kept, and its sentence is the message."""
    march = MixedFem.march

    def failing(self: MixedFem, model: Any, work: Any, times: Any) -> Passage:
        before = times[times < 2.2]
        if model.names.bodies != ("a",) or before.size == times.size:
            return march(self, model, work, times)
        reached = march(self, model, work, before) if before.size else Passage(Report(), None, {})
        return reached._replace(report=Report(Status.STEP_TOO_SMALL, "at t = 2.2 s it is enough"))

    monkeypatch.setattr(MixedFem, "march", failing)
    with pytest.raises(run_module.RunFailedError, match="it is enough") as failure:
        rw.simulate(farm())
    assert failure.value.results is not None
    assert float(failure.value.results.time[-1]) == 2.0
