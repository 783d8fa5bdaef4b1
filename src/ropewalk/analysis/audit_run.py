"""Audit of runs in time: energy lost by the steps, closure of the ledger, lengths, bed, rejected steps.

States are looked at when they are recorded (audit_records.py), the rest once at the end. What is wrong fails the run,
whose results are kept; what is doubtful is a doubt. Limits stand in docs/audit.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import contact_width
from ropewalk.analysis.doubts import Doubt, percent
from ropewalk.audit.records import CLOSURE as UNBOOKED
from ropewalk.audit.records import HELD, LOSS, STEPS, turned_over
from ropewalk.loads.footing import footing_depths
from ropewalk.model.arrays import Array, Flags
from ropewalk.model.given import changes
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics.elasticity import INEXTENSIBLE

NUMERICS, WORST_NUMERICS = 1e-3, 1e-1  # of the energy exchanged: lost or gained by the steps, impacts apart
CLOSURE, WORST_CLOSURE = 1e-4, 1e-2  # of the energy exchanged: what the ledger misses
DRIFT, WORST_DRIFT = 1e-3, 1e-1  # of an element's length: how far it is from what its law makes it
AT_REST = 1e-6  # of the extent of a system: how far it may move where nothing drives it
# Motion that grows exponentially passes powers of ten at equal intervals: the last of three is a third of their sum,
# 0.71 for a constant acceleration, 0.90 for a constant velocity.
DECADES, LAST_SHARE = 3, 0.5
PARTS = ("position", "body_position", "net_position")  # fields of a state with the places of what may move
BEGUN = 1e-6  # of the extent: how far a solver may move lines and nets when it starts
WORST_LENGTH = 1e-2  # of the length of an inextensible line, by which it may not be longer
PUSH = 1e-3  # of the largest tension: with which bars that cannot push may do so
REJECTED = 0.5  # of all steps: rejected, or failed in their iteration
FEW_STEPS = 50  # below which a share of steps means nothing
SUNK = 2.0  # widths of a line, or times the depth under the weight of what it carries: how far it may sink
WORST_SUNK = 0.1  # of the depth: there it has fallen through, unless ...
DEEPER = 1.2  # ... its equilibrium is nearly as deep in a soft bed
# of the largest energy held: smaller changes are what an equilibrium to 1e-9 of the forces leaves, and arithmetic
STILL = 1e-10
# Chains that go slack, land and come taut with a blow: rms error of end tensions, of their range, for an element as
# long as the line. Against 240 graded elements it was 0.7 to 7 with 50 (chains in 50 m of water, heave of 3 and 5 m);
# one that stayed taut had 0.4. See docs/guide/dynamics.md.
BLOWS = 5.0
MESH = 0.05  # of the range of end tensions: error that such a mesh may leave
# Of its largest tension: an end below it is slack. With 50 elements against 240 the error was 2.3 to 4.5 % for ends
# that kept 0.002 to 0.007, 2.8 to 6 % for those that kept none; with more it is up to 4 %, but nothing snaps.
SLACK = 1e-2
STRONG = 0.1  # of a line's weight: range of tensions that counts
KINDS = {"closure": UNBOOKED, "loss_numerics": STEPS}  # terms of which a ledger has at least one
ONLY_LOST = {"loss_impact": LOSS, "loss_damping": LOSS}  # the seabed also holds energy


@dataclass
class Book:
    """What a ledger shows, J."""

    first: dict[str, float] = field(default_factory=dict)  # terms at the first record
    turned: float = 0.0  # energy exchanged: most of all records
    held: float = 0.0  # largest term of all records
    stepped: float = 0.0  # what the steps took, or gave (< 0), until the record where that is most
    missed: float = 0.0  # largest closure of all records


@dataclass
class RunAudit:
    """What a run shows on its way. Part of every checkpoint, as plain data."""

    books: list[Book] = field(default_factory=list)  # of the ledgers: one, or those of parts that share nothing
    home: list[list[list[float]]] = field(default_factory=list)  # m, PARTS at the first record of what nothing drives
    way: float = 0.0  # of the extent: how far that moved
    passed: list[list[float]] = field(default_factory=list)  # powers of ten of `way`, and when it passed them, s
    slack: float = 0.0  # J that elements which cannot push hold by being pushed, at the first record
    deepest: dict[str, float] = field(default_factory=dict)  # m below the bed, by line; those beyond their limit
    laid: dict[str, float] = field(default_factory=dict)  # m below the bed at the start, where that is an equilibrium
    longer: dict[str, float] = field(
        default_factory=dict
    )  # of their lengths, by inextensible line; most of all records
    pushed: dict[str, float] = field(default_factory=dict)  # N, by line or net whose sections cannot push
    pulled: float = 0.0  # N, largest tension of all
    begun: float = 0.0  # of the extent: how far the solver moved lines and nets from the state that it was given
    ends: dict[str, list[float]] = field(default_factory=dict)  # N, by line: least and most tension of each end
    touched: dict[str, float] = field(default_factory=dict)  # m, longest element, by line that touched the bed

    def __post_init__(self) -> None:
        self.books = [Book(**book) if isinstance(book, dict) else book for book in self.books]

    def look_at_start(self, given: State, begun: State) -> None:
        """Take into account where the solver begins, against the state that it was given on the same nodes."""
        pairs = [(given.net_position, begun.net_position)]
        if np.array_equal(given.s, begun.s):
            pairs.append((given.position, begun.position))
        for first, now in pairs:
            extent = max(float(np.ptp(first, axis=0).max(initial=0.0)), np.finfo(float).tiny) if first.size else 1.0
            self.begun = max(self.begun, float(np.abs(now - first).max(initial=0.0)) / extent)

    def note_ways(self, ways: Array, times: Array) -> None:
        """Take into account how far (of the extent) what nothing drives has moved at some times (s)."""
        if ways.max() > self.way:
            for way, time in zip(ways.tolist(), times.tolist(), strict=True):
                self._note_way(way, time)

    def _note_way(self, way: float, time: float) -> None:
        """How far (of the extent) what nothing drives has moved at a time (s)."""
        if way > self.way:
            power = math.floor(math.log10(way))
            if not self.passed or power > self.passed[-1][0]:
                self.passed.append([float(power), time])
            self.way = way

    def growth(self) -> float:
        """Rate (1/s) at which motion grew to AT_REST from a thousandth of it; 0 if that was not exponential."""
        times = [
            next((time for power, time in self.passed if power >= math.log10(AT_REST) + k), None)
            for k in range(-DECADES, 1)
        ]
        known = [time for time in times if time is not None]
        span = known[-1] - known[0] if len(known) == len(times) else 0.0
        if not span > 0.0 or known[-1] - known[-2] > LAST_SHARE * span:
            return 0.0
        return DECADES * math.log(10.0) / span

    def count_energy(self, terms: Sequence[str], energy: Array, ledger: int = 0) -> None:
        """Take terms of a ledger into account.  energy : (n_terms, n) J    ledger : its number"""
        if ledger == len(self.books):
            self.books.append(Book(dict(zip(terms, energy[:, 0].tolist(), strict=True))))
        book = self.books[ledger]
        now = exchanged(book.first, terms, energy)
        book.turned, book.held = max(book.turned, now.turned), max(book.held, now.held)
        book.stepped = max(book.stepped, now.stepped, key=abs)
        book.missed = max(book.missed, now.missed)


class Exchange(NamedTuple):
    """What a ledger shows of the energy of a run, J."""

    turned: float  # went from one term to another, at the record where that is most
    held: float  # largest term
    stepped: float  # taken by the steps, or given (< 0), at the record where that is most
    missed: float  # largest closure


def rigid_lines(model: Model) -> Flags:
    """(n_lines,) whether no piece stretches, and neither a winch nor a break makes the line longer."""
    lines = model.lines
    if not lines.length.size:
        return np.zeros(0, dtype=np.bool_)
    is_rigid = model.sections.law[lines.piece_section] == INEXTENSIBLE
    rigid: Flags = np.logical_and.reduceat(is_rigid, lines.piece_start[:-1])
    rigid[lines.winches.line] = rigid[lines.breaks.line] = False
    return rigid


def depth_limits(model: Model) -> Array:
    """(n_lines,) to which lines may sink into the bed without doubt, m."""
    lines = model.lines
    width = contact_width(model, lines.piece_section)
    if not lines.length.size:
        return np.zeros(0)
    limits: Array = SUNK * np.maximum(np.maximum.reduceat(width, lines.piece_start[:-1]), footing_depths(model))
    return limits


def resting_depths(model: Model) -> Array:
    """(n_lines,) to which the weight of a line's heaviest piece presses it into the bed at rest, m."""
    lines, sea, sections = model.lines, model.sea, model.sections
    k = lines.piece_section
    weight = (sections.mass[k] - sea.water_density * sections.area[k]) * sea.gravity
    depth = np.maximum(weight, 0.0) / (sea.bed_stiffness * contact_width(model, k))
    depths: Array = np.maximum.reduceat(depth, lines.piece_start[:-1])
    return depths


def run_findings(model: Model, audit: RunAudit, figures: Mapping[str, Any]) -> Iterator[tuple[Doubt, bool]]:
    """Doubts of a whole run, and whether each is so large that the run has failed.  figures : of its last report"""
    yield from _energy(model, audit, figures)
    yield from _drift(figures)
    yield from _lengths(model, audit)
    yield from _bed(model, audit)
    yield from _blows(model, audit)
    yield from _leaves(audit, figures)
    if "largest_strain" in figures:  # of the solvers of bars
        yield from _pushes(audit)
        yield from _begun(audit)
    yield from _steps(figures)


def exchanged(first: Mapping[str, float], terms: Sequence[str], energy: Array) -> Exchange:
    """Energy that went from one term of a ledger to another: half the sum of all changes since the first record, the
    most of all records, for what swings comes back.

    Velocities given at the start count as if they had come from rest: what spins freely exchanges nothing else.
    Impacts and damping only take energy: what they have given at a record was given by the steps.

    first : J, at the first record    energy : (n_terms, n) J
    """
    if not any(name != "closure" for name in terms):
        return Exchange(0.0, 0.0, 0.0, 0.0)
    begin = np.array([first.get(name, 0.0) for name in terms])
    kinds = np.array([(KINDS | ONLY_LOST).get(name, HELD) for name in terms])
    turned, held, stepped, missed = turned_over(np.ascontiguousarray(energy), begin, kinds)
    return Exchange(turned + 0.5 * first.get("kinetic", 0.0), held, stepped, missed)


def has_moved(turned: float, held: float) -> bool:
    """Whether an energy exchanged is more than an equilibrium leaves.  held : largest term of the ledger, J"""
    return turned > STILL * held


def _by_lengths(model: Model, audit: RunAudit, figures: Mapping[str, Any]) -> float:
    """Energy that rigid bars gave or took, whose lengths are met to a tolerance, J at most: `_drift` judges that."""
    strain = float(figures.get("largest_strain_so_far", figures.get("largest_strain", 0.0)))
    return strain * audit.pulled * float(model.lines.length.sum() + model.nets.length.sum()) if strain > 0.0 else 0.0


def _energy(model: Model, audit: RunAudit, figures: Mapping[str, Any]) -> Iterator[tuple[Doubt, bool]]:
    energy = figures.get("energy")
    taut = audit.pulled * float(model.lines.length.sum())  # J: round-off of lines at rest that nothing else acts on
    moving = [book for book in audit.books if has_moved(book.turned, max(book.held, taut))]
    if energy is None or not set(KINDS) & set(energy) or not moving:
        return
    finer = _finer(figures)
    of = "the energy exchanged" if len(audit.books) == 1 else "the energy exchanged in one of its independent parts"
    allowed = audit.slack + _by_lengths(model, audit, figures)
    lost, stepping = max((max(abs(book.stepped) - allowed, 0.0) / book.turned, book.stepped) for book in moving)
    if lost > NUMERICS:
        sign = "dissipates" if stepping >= 0.0 else "adds"
        text = (
            f"the time integration {sign} {lost:.2g} of {of}, impacts excluded (limit {NUMERICS:g}); "
            f"reduce {finer}, or give the lines damping"
        )
        yield Doubt("energy-numerics", "", lost, NUMERICS, text), lost > WORST_NUMERICS
    last = abs(float(energy.get("closure", 0.0))) if len(audit.books) == 1 else 0.0
    missed = max(max(book.missed, last) / book.turned for book in moving)
    if missed > CLOSURE:
        text = f"the imbalance of the energy ledger is {missed:.2g} of {of} (limit {CLOSURE:g}); reduce {finer}"
        yield Doubt("energy-closure", "", missed, CLOSURE, text), missed > WORST_CLOSURE


def _finer(figures: Mapping[str, Any]) -> str:
    """Settings that make the steps of a run shorter: bars have no tolerance, and fixed steps do not follow one."""
    return "run.step" if {"largest_strain", "fixed_step"} & set(figures) else "run.tolerance or run.step"


def _drift(figures: Mapping[str, Any]) -> Iterator[tuple[Doubt, bool]]:
    drift = figures.get("constraint_drift", figures.get("largest_strain_so_far", figures.get("largest_strain")))
    if drift is not None and float(drift) > DRIFT:
        off = f"{float(drift):.2g} of its length"
        text = f"the length of an element deviates from its law by {off} (limit {DRIFT:g}); use a smaller step"
        yield Doubt("length-drift", "", float(drift), DRIFT, text), float(drift) > WORST_DRIFT


def _lengths(model: Model, audit: RunAudit) -> Iterator[tuple[Doubt, bool]]:
    """Inextensible lines that were longer than they are."""
    for name, over in audit.longer.items():
        length = float(model.lines.length[model.names.lines.index(name)])
        text = (
            f"inextensible line '{name}' reaches {length * (1.0 + over):.6g} m during the run, more than its "
            f"{length:.6g} m: its supports pull it straight; lengthen it or give it axial_stiffness"
        )
        yield Doubt("length-drift", name, over, DRIFT, text), over > WORST_LENGTH


def _pushes(audit: RunAudit) -> Iterator[tuple[Doubt, bool]]:
    """Lines and nets of bars that pushed although their sections cannot."""
    limit = PUSH * audit.pulled
    for part, push in audit.pushed.items():
        if push > limit:
            text = (
                f"{part} carries a compression of up to {push:.3g} N (limit {limit:.3g} N, a thousandth of the largest "
                "tension), which its section cannot: bars of this solver also keep their length in compression, and "
                "fold instead of going slack; use solver 'mixed_fem' for lines, 'constrained' or 'projection' for nets"
            )
            yield Doubt("pushes", part, push, limit, text), False


def _begun(audit: RunAudit) -> Iterator[tuple[Doubt, bool]]:
    """Lines and nets that the solver straightened, so that the run does not begin at rest."""
    if audit.begun > BEGUN:
        text = (
            f"the run starts {audit.begun:.2g} of its extent away from the equilibrium (limit {BEGUN:g}): bars of this "
            "solver keep their length, so that slack ones were straightened; use solver 'constrained' or 'projection'"
        )
        yield Doubt("start-moved", "", audit.begun, BEGUN, text), False


def is_driven(model: Model) -> bool:
    """Whether anything moves a system that is at rest: waves, motions, winches, breaks, loads in time, vortices."""
    sea, lines = model.sea, model.lines
    if model.motions.function.size or lines.winches.line.size or lines.breaks.line.size:
        return True
    is_wet = sea.water_density > 0.0
    if (is_wet and sea.wave.shape[1] > 0) or changes(model):
        return True
    return bool(is_wet and np.any(model.sections.lift.coefficient > 0.0))


def _leaves(audit: RunAudit, figures: Mapping[str, Any]) -> Iterator[tuple[Doubt, bool]]:
    """What leaves its equilibrium although nothing drives it."""
    if audit.way <= AT_REST:
        return
    rate = audit.growth()
    text = (
        f"the run has no excitation but leaves its equilibrium by {audit.way:.2g} of its extent (limit {AT_REST:g}): "
    )
    if rate > 0.0:
        text += (
            f"small motions grow at a rate of {rate:.2g} 1/s; if the rate is the same with a smaller run.step, the "
            "equilibrium is unstable"
        )
        yield Doubt("grows", "", rate, 0.0, text), False
        return
    text += (
        "parts of it are slack or nearly slack, or the time steps are too long; compare with a smaller "
        f"{_finer(figures)}"
    )
    yield Doubt("leaves-rest", "", audit.way, AT_REST, text), False


def _bed(model: Model, audit: RunAudit) -> Iterator[tuple[Doubt, bool]]:
    if not audit.deepest:
        return
    limits = dict(zip(model.names.lines, zip(depth_limits(model), resting_depths(model), strict=True), strict=True))
    for name, depth in audit.deepest.items():
        limit, rest = (float(each) for each in limits[name])
        text = (
            f"line '{name}' sinks {depth:.3g} m into the bed, more than {limit:.3g} m; give seabed.stiffness or damping"
        )
        yield (
            Doubt("sunk", name, depth, limit, text),
            depth > max(WORST_SUNK * model.sea.depth, 2.0 * limit, 2.0 * rest, DEEPER * audit.laid.get(name, 0.0)),
        )


def _blows(model: Model, audit: RunAudit) -> Iterator[tuple[Doubt, bool]]:
    """Lines that went slack on the bed and came taut again, on a mesh too coarse for their blows."""
    for name, longest in audit.touched.items():
        i, ends = model.names.lines.index(name), audit.ends[name]
        range_ = STRONG * _weight(model, i)
        slack = any(least <= SLACK * most and most - least > range_ for least, most in (ends[:2], ends[2:]))
        error = BLOWS * longest / float(model.lines.length[i])
        if slack and error > MESH:
            text = (
                f"line '{name}' goes slack on the bed and snaps taut: elements of {longest:.3g} m leave an "
                f"error of about {percent(error)} of the range of its tensions (limit {percent(MESH)}); give "
                f"it {round(BLOWS / MESH)} elements or more"
            )
            yield Doubt("snap-mesh", name, error, MESH, text), False


def _weight(model: Model, line: int) -> float:
    """Of a line in water, N."""
    lines, sea = model.lines, model.sea
    own = slice(int(lines.piece_start[line]), int(lines.piece_start[line + 1]))
    k = lines.piece_section[own]
    wet = (model.sections.mass[k] - sea.water_density * model.sections.area[k]) * lines.piece_length[own]
    return abs(float(wet.sum())) * sea.gravity


def _steps(figures: Mapping[str, Any]) -> Iterator[tuple[Doubt, bool]]:
    taken, lost = figures.get("steps"), figures.get("rejected")
    if taken is None or lost is None:
        return
    failed = int(lost) + int(figures.get("newton_failures", 0))
    share = failed / max(int(taken) + failed, 1)
    if int(taken) + failed > FEW_STEPS and share > REJECTED:
        text = f"{100.0 * share:.0f} % of the time steps were rejected, more than {100.0 * REJECTED:.0f} %"
        yield Doubt("rejected-steps", "", share, REJECTED, text), False
