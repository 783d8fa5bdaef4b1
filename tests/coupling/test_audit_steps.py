"""Coupled simulations are audited on their way: the figures of a run, as doubts that can be read at any time."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
import ropewalk.analysis.audit_steps as audit_steps
from ropewalk.analysis.audit_run import WORST_CLOSURE, WORST_NUMERICS
from ropewalk.methods.mixed.solver import MixedFem

CASE = {
    "ropewalk": 1,
    "environment": {"depth": 40, "seabed": {"stiffness": 1e6}},
    "sections": {
        "rope": {"diameter": 0.1, "mass": 20.0, "axial_stiffness": 1e7, "drag": {"normal": 1.2}, "added_mass": {}}
    },
    "points": {"anchor": {"position": [0, 0, -40]}, "top": {"position": [60, 0, 0], "joint": "coupled"}},
    "lines": {"l": {"from": "anchor", "to": "top", "elements": 12, "pieces": [{"section": "rope", "length": 78}]}},
}


def coupled(tolerance=1e-3, **changes):
    system = rw.System.model_validate(CASE).replace(changes)
    return rw.Coupled(system, solver=MixedFem(tolerance=tolerance))


def swing(c, n, dt=0.05):
    """n steps of a top that moves 1 m to either side with a period of 5 s."""
    for _ in range(n):
        t, w = c.time + dt, 2.0 * np.pi / 5.0
        c.step(dt, {"top": ([60.0 + 1.0 - np.cos(w * t), 0.0, 0.0], [w * np.sin(w * t), 0.0, 0.0])})
    return c


def codes(c):
    return {doubt.code for doubt in c.doubts}


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Look after every fourth step: these simulations are short."""
    monkeypatch.setattr(audit_steps, "LOOK", 4)


def test_fine_steps_have_no_doubts_and_coarse_ones_lose_energy_with_a_doubt():
    assert codes(swing(coupled(), 50)) == set()
    (lost,) = (d for d in swing(coupled(tolerance=100.0), 150).doubts if d.code == "energy-numerics")
    assert lost.value > WORST_NUMERICS
    assert lost.sentence.endswith("a run with this figure fails its audit")


def test_doubts_of_the_start_are_kept():
    """In a bed so soft that the line sinks at rest."""
    assert "sunk" in codes(coupled(**{"environment.seabed": {"stiffness": 1.0}}))


def test_what_passes_between_two_calls_is_seen():
    """The top is pushed 3 m into the bed and comes back."""
    c = coupled()
    assert codes(c) == set()
    for z in np.r_[np.linspace(0.0, -43.0, 60), np.linspace(-43.0, 0.0, 60)]:
        c.step(0.5, {"top": ([60.0, 0.0, z], [0.0, 0.0, 0.0])})
    (sunk,) = (doubt for doubt in c.doubts if doubt.code == "sunk")
    assert sunk.value == pytest.approx(3.0, rel=1e-9)


def test_lengths_set_from_outside_are_not_taken_for_errors_of_the_steps():
    """Their work stands in no ledger; the steps before and after still count."""
    c = swing(coupled(), 40)
    for k in range(20):
        c.set("lines.l.pieces.0.length", 78.0 - 0.005 * (k + 1))
        swing(c, 1)
    energy = c.report.figures["energy"]
    assert codes(c) == set()
    exchanged = abs(energy["potential"] - c._audit.seen.books[0].first["potential"])
    assert abs(energy["closure"]) > 2.0 * WORST_CLOSURE * exchanged  # a run that misses as much fails


def test_changes_that_make_fresh_memory_keep_what_was_doubtful():
    c = swing(coupled(tolerance=100.0), 100)
    found = codes(c)
    assert "energy-numerics" in found
    c.set("sections.rope.diameter", 0.11)  # rebuilds the arrays
    assert found <= codes(swing(c, 5))


def test_a_saved_state_holds_its_audit():
    c = swing(coupled(tolerance=100.0), 70)
    saved, doubts = c.save(), c.doubts
    later = swing(c, 30).doubts
    assert later != doubts
    c.restore(saved)
    assert c.doubts == doubts
    assert swing(c, 30).doubts == later


def test_forces_that_are_no_numbers_are_an_error(monkeypatch):
    c = coupled()
    monkeypatch.setattr(c, "_taken", lambda pulls: {"top": (np.array([np.nan, 0.0, 0.0]),)})
    with pytest.raises(rw.ConvergenceError, match="not finite"):
        swing(c, 1)


def test_a_restored_state_keeps_its_doubts_of_energy():
    c = swing(coupled(tolerance=100.0), 150)
    assert "energy-numerics" in codes(c)
    c.restore(c.save())
    assert "energy-numerics" in codes(c)


def test_closure_counts_from_where_the_energy_exchanged_does():
    """A change that makes fresh memory parts cut lines anew; what that does is in the ledger before the first look."""
    system = rw.System.model_validate(CASE).replace({"lines.l.attachments": [{"s": 40.0, "mass": 50.0}]})
    c = swing(rw.Coupled(system), 4)
    c.cut("l", 60.0)
    c = swing(c, 100)
    for k in range(6):
        c.set("lines.l.pieces.0.length", 78.0 - 0.02 * (k + 1))  # rebuilds the arrays
        swing(c, 1)
    assert "energy-closure" not in codes(c)


def test_inextensible_lines_that_were_shortened_are_not_too_long():
    """A line of 78 m is reeled in by 0.1 m; it was never longer than it was then."""
    system = rw.System.model_validate(CASE).replace({"sections.rope.axial_stiffness": "inextensible"})
    c = swing(rw.Coupled(system), 10)
    for k in range(40):
        c.set("lines.l.pieces.0.length", 78.0 - 0.1 * (k + 1) / 40)
        swing(c, 1)
    assert c.length("l") == pytest.approx(77.9, rel=1e-12)
    assert "length-drift" not in codes(c)


def test_doubts_between_a_change_and_the_next_step_are_those_before_it():
    c = swing(coupled(), 40)
    before = codes(c)
    c.cut("l", 40.0)
    assert codes(c) == before
    assert "energy-closure" not in codes(swing(c, 20))
