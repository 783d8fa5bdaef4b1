"""Runs through many times in one call of compiled code: steps, and a moment on the tape at each of the times."""

from __future__ import annotations

from ropewalk.methods.mixed.leapfrog import leap_to
from ropewalk.methods.mixed.reading import keep_energy, keep_moment
from ropewalk.methods.mixed.steps import REACHED, advance_booked, advance_to
from ropewalk.numerics.blockelimination import COUNTED, UNCOUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held

# One kernel for each way of stepping, each compiled when a run first needs it: what Python calls, and what it hands
# its tuples to by their addresses.


@kernel(**UNCOUNTED)
def march(times, mesh, sea, motions, work, reading, tape):
    """Step to each of `times` (s, rising) and keep the moment there.

    Returns how many were reached, the last outcome, and how many iterations Newton's method took.
    Bookkeeping: calls `_march` with addresses. A tape without room keeps nothing.

    mesh, sea, motions, work : of `advance_to`    reading, tape : of `keep_moment`
    """
    return _march(times, held(mesh), held(sea), held(motions), held(work), held(reading), held(tape))


@kernel(separate=True, **UNCOUNTED)
def _march(times, mesh, sea, motions, work, reading, tape):
    """As `march`, of held tuples."""
    before = work.count[0].iterations
    for i in range(times.size):
        outcome = advance_to(times[i], mesh, sea, motions, work)
        if outcome != REACHED:
            return i, outcome, work.count[0].iterations - before
        if i < tape.time.size:
            keep_moment(i, mesh, sea, work, reading, tape)
    return times.size, REACHED, work.count[0].iterations - before


@kernel(**UNCOUNTED)
def march_booked(times, mesh, sea, motions, work, reading, tape):
    """As `march`, with the energy ledger."""
    return _march_booked(times, held(mesh), held(sea), held(motions), held(work), held(reading), held(tape))


@kernel(separate=True, **UNCOUNTED)
def _march_booked(times, mesh, sea, motions, work, reading, tape):
    """As `march_booked`, of held tuples."""
    before = work.count[0].iterations
    for i in range(times.size):
        outcome = advance_booked(times[i], mesh, sea, motions, work)
        if outcome != REACHED:
            return i, outcome, work.count[0].iterations - before
        if i < tape.time.size:
            keep_moment(i, mesh, sea, work, reading, tape)
            keep_energy(i, mesh, sea.gravity, work, tape)
    return times.size, REACHED, work.count[0].iterations - before


@kernel(**UNCOUNTED)
def march_leaping(times, mesh, sea, motions, work, reading, tape):
    """As `march`, by leapfrog; with the energy ledger where it is kept."""
    return _march_leaping(times, held(mesh), held(sea), held(motions), held(work), held(reading), held(tape))


@kernel(separate=True, **COUNTED)
def _march_leaping(times, mesh, sea, motions, work, reading, tape):
    """As `march_leaping`, of held tuples."""
    before = work.count[0].iterations
    for i in range(times.size):
        outcome = leap_to(times[i], mesh, sea, motions, work)
        if outcome != REACHED:
            return i, outcome, work.count[0].iterations - before
        if i < tape.time.size:
            keep_moment(i, mesh, sea, work, reading, tape)
            if work.settings[0].ledger > 0.0:
                keep_energy(i, mesh, sea.gravity, work, tape)
    return times.size, REACHED, work.count[0].iterations - before
