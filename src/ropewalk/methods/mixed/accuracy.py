r"""How good a mesh is: the same equilibrium on elements of half the length.

Tensions converge with second order, so that of what halving the elements changes, :math:`\Delta`, the mesh itself has
:math:`\tfrac43 \Delta` as its error. Stiffness does not: it steps whenever a node is laid down on the bed or lifted,
and so is wrong by the share of an element that the touchdown has passed, whichever way. It is the mean over meshes
whose nodes lie elsewhere, and its error what the mean of so many numbers scatters by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import elements_of
from ropewalk.assembly.mesh_error import SMALL, largest_change
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import make_work, rub_on_bed, settle, still_water
from ropewalk.model.arrays import Array, Flags, Ints, ints
from ropewalk.model.model import Model
from ropewalk.model.state import State

ACCURACY = 1e-2  # wanted relative error of end tensions, unless given
SECOND_ORDER = 4.0 / 3.0  # error over the change by halving elements
MOST_ELEMENTS = 400  # of a line, that a mesh is refined to
MOST_IN_ALL = 4_000  # elements of a system, beyond which no finer mesh is tried
MESHES = 8  # from which stiffness is taken where lines lie on the bed


MOST_IN_RUNS = 200  # elements of a line that a run chooses by itself: its cost grows with them at every step
MOMENTS = 4  # of the longest period of prescribed motions, at which a mesh for a run is judged, beside its start


class Finer(NamedTuple):
    """The equilibrium on a finer mesh, and what it says of the coarser one."""

    error: float  # relative, of end tensions
    counts: Ints  # (n_pieces,) elements
    work: FemWork


def with_elements(model: Model, counts: Array | Ints) -> Model:
    """The model with these numbers of elements (n_pieces,) asked for."""
    return model._replace(lines=model.lines._replace(piece_elements=ints(np.maximum(1, np.rint(counts)))))


def chosen_here(model: Model) -> Flags:
    """(n_pieces,) whether the number of elements is left to the program."""
    return np.asarray(model.lines.piece_elements == 0)


def can_be_refined(model: Model, counts: Ints) -> bool:
    """Whether a mesh of half the elements' length may be tried."""
    return not model.lines.winches.line.size and 0 < int(np.sum(counts)) <= MOST_IN_ALL


def finer(model: Model, work: FemWork, t: float) -> Finer | None:
    """The equilibrium of `work` on half as long elements; None if it is not found.

    model : with the elements of `work` asked for
    """
    calm = model._replace(sea=still_water(model.sea))
    coarse = read_state(calm, work)
    counts = 2 * elements_of(model)
    found = resettled(model, coarse, counts, t)
    if found is None:
        return None
    return Finer(SECOND_ORDER * largest_change(coarse, read_state(calm, found)), counts, found)


def resettled(model: Model, state: State, counts: Array | Ints, t: float) -> FemWork | None:
    """The equilibrium near `state` on a mesh with other numbers of elements."""
    other = with_elements(model, counts)
    work = make_work(other, state._replace(time=t), 0.0)
    report = rub_on_bed(other, work, t, settle(other, work, t))
    return work if report.good else None


def mesh_for_run(model: Model, state: State, wanted: float) -> tuple[Ints, float]:
    """Elements (n_pieces,) for a run from `state`, and the error of end tensions at rest on them; below 0 if unknown.

    Where the case leaves elements to the program there are as many as `wanted` asks for, at rest where the prescribed
    motions of a period put the ends.
    """
    counts, free = elements_of(model), chosen_here(model)
    if not can_be_refined(model, counts):
        return counts, -1.0
    times = _moments(model, state.time) if np.any(free) else [state.time]
    while True:
        error = max(_error_at(with_elements(model, counts), state, t) for t in times)
        if error <= wanted or not np.any(free) or 2 * int(np.max(counts[free])) > MOST_IN_RUNS:
            return counts, error
        counts = ints(np.where(free, 2 * counts, counts))


def _error_at(model: Model, state: State, t: float) -> float:
    """Of end tensions at rest at time t, relative; below 0 if it is not found."""
    work = resettled(model, state, elements_of(model), t)
    found = finer(model, work, t) if work is not None else None
    return -1.0 if found is None else found.error


def _moments(model: Model, t: float) -> list[float]:
    """The start, and times over the longest period of what changes in time after its ramp, s."""
    terms = model.functions.term
    rates = terms.omega[(terms.amplitude != 0.0) & (terms.omega > 0.0)]
    if not rates.size:
        return [t]
    begin, period = t + float(np.max(model.functions.function.ramp)), 2.0 * np.pi / float(np.min(rates))
    return [t, *(begin + period * np.arange(MOMENTS) / MOMENTS)]


def shifted_meshes(model: Model) -> list[Array]:
    """Numbers of elements (n_pieces,) of meshes whose nodes lie at other places; all have as many, up to twice that."""
    counts = elements_of(model)
    return [np.asarray(counts * (1.0 + k / MESHES), dtype=np.float64) for k in range(1, MESHES)]


def scatter(stiffness: Array) -> float:
    """Relative error of the mean over meshes of stiffness matrices (n_meshes, n_bodies, 6, 6), of their diagonals."""
    mean, spread = stiffness.mean(axis=0), stiffness.std(axis=0) / np.sqrt(stiffness.shape[0])
    worst = 0.0
    for k in range(mean.shape[0]):
        for part in (slice(0, 3), slice(3, 6)):
            own, off = np.abs(np.diag(mean[k])[part]), np.diag(spread[k])[part]
            scale = np.maximum(own, SMALL * np.max(own, initial=0.0))
            worst = max(worst, float(np.max(np.divide(off, scale, out=np.zeros_like(off), where=scale > 0.0))))
    return worst
