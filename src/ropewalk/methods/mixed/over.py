r"""Lines of elements that run over held points: the lengths on both sides of each, found from outside.

The lines are cut at their pegs and come to rest with given lengths. Beyond and before a peg the tensions differ by

.. math:: D_p(s) = |n(s_p^+)| - |n(s_p^-)| = \frac{\partial E}{\partial s_p}

E is the energy of the parts at rest ([OReilly2017], ch. 1). Where it is least, D is zero and a push does not make the
lines slide on. Tensions of taut and of slack parts differ by orders of magnitude, so the search takes
:math:`\log(|n(s_p^+)| / |n(s_p^-)|)`, of the same sign, in place of D: by the quasi-Newton method of Broyden, Fletcher,
Goldfarb and Shanno with a line search that looks at the slope along the way alone ([Nocedal2006], sec. 3.1 and 6.1),
and by Newton's method with differences near the end, where the stiffness dD/ds must be positive. The loop is its own,
not numerics/newton.py: a residual is an equilibrium of all parts, and a root that is not stable is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.mesh_error import MARGIN, UNJUDGED, UNKNOWN, change_of_mesh
from ropewalk.errors import InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.mixed.nested import with_elements
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import still_water
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.model import Model
from ropewalk.model.over import chords, cut_over, even_places, joined_over, part_lengths, part_start
from ropewalk.model.pegs import over_names, stays
from ropewalk.model.state import State
from ropewalk.physics.elasticity import INEXTENSIBLE

# what the parts of a line that is cut would have to share
NOT_OVER = frozenset({Claim.BODIES, Claim.LOADS, Claim.PAYOUT, Claim.BREAK, Claim.VARYING})
FIRST_MESH, MOST_ELEMENTS = 50, 400  # of a part, where elements are left to the program
LAST_FIRST = 200  # elements of a part on the first mesh that has to have an equilibrium
EVEN, GOOD = 1.0e-8, 1.0e-6  # of the largest tension: difference at a peg that is wanted; that is good enough
MOST_RESTS = 150  # equilibria of parts in one search
FIRST_SLIDE = 0.02  # of a line
CLOSER = 0.4  # of its room that a part keeps in a step, so that none becomes shorter than its chord
OFF = 1.0e-3  # of a line: a part at its end that is shorter has left its peg
TIGHT = 1.0e-5  # of its chord: room that a part that does not stretch keeps
STRETCH = 0.5  # of its chord: shortest part of a line that stretches
PASSED = 0.5  # of the slope at the start of a step that may be there at its end with the other sign
SMALLEST, LARGEST = 0.1, 0.6  # by what a step is shortened
LEAST = 1.0e-4  # of the largest tension: added to those of which the logarithm is taken
NEAR, GAIN = 0.1, 0.5  # logarithm below which Newton's method is tried; what a step of it has to leave of it at most
DIFFERENCE = 1.0e-6  # of a line: how far a peg is moved for a derivative
TRIALS = 12  # of the length of a step

Settle = Callable[[Model, float], tuple[FemWork, Report]]


@dataclass
class OverWork:
    """Memory: the equilibrium of the parts."""

    places: Array  # (p,) s of all pegs, m
    cut: Model | None = None
    parts: State | None = None
    stiffness_error: float | None = None


class Rest(NamedTuple):
    """Parts at rest with given lengths."""

    cut: Model
    work: FemWork
    report: Report
    parts: State
    uneven: Array  # (p,) D, N
    ratio: Array  # (p,) logarithm of the tension beyond each peg over that before it


def start_over(model: Model) -> OverWork:
    """Refuse what parts of lines cannot have; the lengths to start from."""
    lines = model.lines
    for i, name in enumerate(model.names.lines):
        for p, peg in zip(range(lines.over_start[i], lines.over_start[i + 1]), over_names(model, i), strict=True):
            k = int(lines.over_index[p])
            if lines.over_kind[p] == BODY or not stays(model, k):
                raise InputError(
                    f"line '{name}' runs over '{peg}', which is free or on a body: method 'fem' supports lines that "
                    "run over held or moved points only; use 'shooting'"
                )
    refused = sorted(claim.value for claim in demands(model) & NOT_OVER)
    if refused or model.fields.acts:
        what = ", ".join(refused) or "loads or currents given as functions"
        raise InputError(f"method 'fem' does not support {what} together with lines that run over points")
    return OverWork(even_places(model))


def advance_over(model: Model, work: OverWork, t: float, settle: Settle, accuracy: float) -> Report:
    """The equilibrium at time t on a mesh of the wanted accuracy, or of the given number of elements."""
    free = not np.any(model.lines.piece_elements)
    meshes = [FIRST_MESH * 2**k for k in range(1 + int(np.log2(MOST_ELEMENTS / FIRST_MESH)))] if free else [1, 0]
    best: Rest | None = None
    error, places = UNKNOWN, work.places
    for number in meshes:
        found, ended, report = _even(model, places, t, settle, number)
        if found is None:
            again = number < LAST_FIRST and number != meshes[-1]
            if best is None and report.status is Status.NOT_CONVERGED and again:
                continue  # the force of few elements along the surface depends on which of them float
            if best is None:
                return report
            break
        places = ended
        if best is not None:
            shape = change_of_mesh(joined_over(model, work.places, best.parts), joined_over(model, places, found.parts))
            force = change_of_mesh(best.parts, found.parts)._replace(shape=0.0)
            error = force.or_more(shape).times(MARGIN).or_bends(found.cut, found.parts)
        best, last = found, report
        work.places, work.cut, work.parts = places, found.cut, found.parts
        if error.force <= accuracy:
            break
    assert best is not None
    judged = {**error.figures(), "accuracy": accuracy} if np.isfinite(error.force) else {UNJUDGED: 1.0}
    figures = {"over": _over(model, work), **judged}
    return Report(last.status, last.message, last.iterations, last.residual_force, last.residual_position, figures)


def read_over(model: Model, work: OverWork) -> State:
    """The State found last."""
    assert work.parts is not None
    return joined_over(model, work.places, work.parts)


def _even(model: Model, places: Array, t: float, settle: Settle, number: int) -> tuple[Rest | None, Array, Report]:
    """Parts whose tensions agree at the pegs, and s of these; None with the report of what failed.

    number : elements of a part; 0 of those as given, 1 of half of them
    """
    search = _Search(model, t, settle, number)
    now = search.rest(places)
    if not now.report.good:
        return None, places, now.report
    inverse = _first_inverse(model, now)
    for _ in range(MOST_RESTS):
        off = _slides_off(model, places)
        if off:
            return None, places, Report(Status.NO_EQUILIBRIUM, off, search.iterations)
        worst, scale = float(np.max(np.abs(now.uneven))), _largest(now.parts)
        if worst <= EVEN * scale:
            break
        near = search.newton(places, now) if float(np.max(np.abs(now.ratio))) < NEAR else None
        if near is not None:
            places, now = near
            continue
        way = -inverse @ now.ratio
        if not way @ now.ratio < 0.0:
            inverse = _first_inverse(model, now)
            way = -inverse @ now.ratio
        step = search.step(places, way, now)
        if step is None or search.count > MOST_RESTS:
            break
        moved, there = step
        inverse = _updated(model, inverse, moved - places, (now, there))
        places, now = moved, there
    worst, scale = float(np.max(np.abs(now.uneven))), _largest(now.parts)
    inner = now.report
    if worst > GOOD * scale:
        p = int(np.argmax(np.abs(now.uneven)))
        i = int(np.searchsorted(model.lines.over_start, p, side="right") - 1)
        peg = over_names(model, i)[p - int(model.lines.over_start[i])]
        text = (
            f"line '{model.names.lines[i]}' does not come to rest over '{peg}': tensions on its two sides differ by "
            f"{worst:.3g} N after {search.count} equilibria of its parts"
        )
        return None, places, Report(Status.NOT_CONVERGED, text, search.iterations, worst, inner.residual_position)
    residual = max(worst, inner.residual_force)
    return now, places, Report(Status.DONE, inner.message, search.iterations, residual, inner.residual_position)


class _Search:
    """Equilibria of parts on one mesh, counted."""

    def __init__(self, model: Model, t: float, settle: Settle, number: int) -> None:
        self.model, self.t, self.settle, self.number = model, t, settle, number
        self.count, self.iterations = 0, 0
        self.meshes: dict[Any, Array] = {}  # elements by the pieces of all parts, so that they do not change on the way
        self.least = _shortest(model)

    def rest(self, places: Array) -> Rest:
        """The parts at rest with pegs at these s (p,), m."""
        self.count += 1
        cut = cut_over(self.model, places)
        lines = cut.lines
        key = (tuple(lines.piece_start), tuple(lines.piece_section))
        if key not in self.meshes:
            self.meshes[key] = self._elements(cut)
        work, report = self.settle(with_elements(cut, self.meshes[key]), self.t)
        self.iterations += report.iterations
        parts = read_state(cut._replace(sea=still_water(cut.sea)), work)._replace(time=self.t)
        return Rest(cut, work, report, parts, *_uneven(self.model, parts))

    def _elements(self, cut: Model) -> Array:
        """(n_pieces,) of the parts."""
        lines = cut.lines
        share = lines.piece_length / np.repeat(lines.length, np.diff(lines.piece_start))
        if self.number > 1:
            return np.asarray(np.ceil(self.number * share))
        asked = np.where(lines.piece_elements > 0, lines.piece_elements, 2 * FIRST_MESH * share)
        return np.asarray(np.ceil(asked / (1 + self.number)))

    def step(self, places: Array, way: Array, now: Rest) -> tuple[Array, Rest] | None:
        """Where the energy is less along `way` (p,), and the parts there; None if it is not."""
        slope, share = float(way @ now.ratio), self._longest(places, way)
        for _ in range(TRIALS):
            moved = places + share * way
            there = self.rest(moved)
            if there.report.good:
                end = float(way @ there.ratio)
                if end <= -PASSED * slope:
                    return moved, there
                share *= min(LARGEST, max(SMALLEST, slope / (slope - end)))
            else:
                share *= SMALLEST
            if self.count > MOST_RESTS:
                break
        return None

    def newton(self, places: Array, now: Rest) -> tuple[Array, Rest] | None:
        """Where a step of Newton's method leads, by differences; None if that is hardly more even, or not stable."""
        p, lines = places.size, self.model.lines
        reach = DIFFERENCE * np.repeat(lines.length, np.diff(lines.over_start))
        slopes, stiffness = np.empty((p, p)), np.empty((p, p))
        for k in range(p):
            there = self.rest(places + reach[k] * np.eye(p)[k])
            if not there.report.good:
                return None
            slopes[:, k] = (there.ratio - now.ratio) / reach[k]
            stiffness[:, k] = (there.uneven - now.uneven) / reach[k]
        if not np.all(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)) > 0.0):
            return None
        way: Array = np.asarray(-np.linalg.solve(slopes, now.ratio), dtype=np.float64)
        moved = places + self._longest(places, way) * way
        there = self.rest(moved)
        better = there.report.good and np.max(np.abs(there.ratio)) < GAIN * np.max(np.abs(now.ratio))
        return (moved, there) if better else None

    def _longest(self, places: Array, way: Array) -> float:
        """Share of `way` (p,), at most 1, that leaves every part enough of its room."""
        share = 1.0
        lengths, after = part_lengths(self.model, places), part_lengths(self.model, places + way)
        for here, there, least in zip(lengths, after, self.least, strict=True):
            loss, room = here - there, (1.0 - CLOSER) * np.maximum(here - least, 0.0)
            taken = loss > 0.0
            share = min(share, float(np.min(room[taken] / loss[taken], initial=1.0)))
        return share


def _shortest(model: Model) -> list[Array]:
    """Of each line the lengths that its parts keep in the search, m; none beside an end that is free."""
    lines, found = model.lines, []
    for i, chord in enumerate(chords(model)):
        pieces = lines.piece_section[lines.piece_start[i] : lines.piece_start[i + 1]]
        least = chord * (1.0 + TIGHT if np.all(model.sections.law[pieces] == INEXTENSIBLE) else STRETCH)
        for j in range(2):
            k = int(lines.end_index[i, j])
            if lines.end_kind[i, j] == POINT and not stays(model, k):
                least[-j] = 0.0
        found.append(least)
    return found


def _slides_off(model: Model, places: Array) -> str:
    """Sentence about a line of which next to nothing is left beyond its first or last peg; empty if there is none."""
    for i, parts in enumerate(part_lengths(model, places)):
        short = parts[[0, -1]] < OFF * float(model.lines.length[i])
        if parts.size > 1 and np.any(short):
            end, over = "A" if short[0] else "B", ", ".join(over_names(model, i))
            return f"line '{model.names.lines[i]}' slides off '{over}' past its end {end}; nothing holds it"
    return ""


def _uneven(model: Model, parts: State) -> tuple[Array, Array]:
    """(p,) tension beyond each peg minus that before it, N, and the logarithm of their ratio."""
    tension, start = np.linalg.norm(parts.end_force, axis=2), part_start(model)
    beyond = np.concatenate([tension[start[i] + 1 : start[i + 1], 0] for i in range(start.size - 1)])
    before = np.concatenate([tension[start[i] : start[i + 1] - 1, 1] for i in range(start.size - 1)])
    least = LEAST * _largest(parts)
    return beyond - before, np.log((beyond + least) / (before + least))


def _over(model: Model, work: OverWork) -> dict[str, list[dict[str, Any]]]:
    """By line: what it runs over, where on the line (m), the tension there and the force on it (N)."""
    assert work.parts is not None
    found: dict[str, list[dict[str, Any]]] = {}
    start, force = part_start(model), work.parts.end_force
    for i, name in enumerate(model.names.lines):
        for j, peg in enumerate(over_names(model, i)):
            k = int(start[i]) + j
            both = force[k, 1], force[k + 1, 0]
            row = {"name": peg, "s": float(work.places[model.lines.over_start[i] + j]),
                   "tension": 0.5 * float(sum(np.linalg.norm(one) for one in both)),
                   "force": (both[0] + both[1]).tolist()}  # fmt: skip
            found.setdefault(name, []).append(row)
    return found


def _largest(parts: State) -> float:
    return max(float(np.max(np.linalg.norm(parts.end_force, axis=2))), 1e-300)


def _first_inverse(model: Model, now: Rest) -> Array:
    """(p, p) that moves the most uneven peg by FIRST_SLIDE of its line."""
    lines = model.lines
    long = np.repeat(lines.length, np.diff(lines.over_start))
    return np.diag(FIRST_SLIDE * long / max(float(np.max(np.abs(now.ratio))), 1e-300))


def _updated(model: Model, inverse: Array, moved: Array, rests: tuple[Rest, Rest]) -> Array:
    """The inverse after a step; as at first where the slope did not rise.  Source: [Nocedal2006], eq. 6.17.

    rests : before and after the step
    """
    change = rests[1].ratio - rests[0].ratio
    along = float(moved @ change)
    if along <= 0.0:
        return 2.0 * _first_inverse(model, rests[1])
    one, ratio = np.eye(moved.size), 1.0 / along
    turn = one - ratio * np.outer(moved, change)
    found: Array = turn @ inverse @ turn.T + ratio * np.outer(moved, moved)
    return found
