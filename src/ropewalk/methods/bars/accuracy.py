r"""How good the bars of lines are: the same equilibrium on bars of twice the length, or of half.

What doubling the bars changes, :math:`\Delta`, is the error of the finer ones where it is of first order and three
times it where it is of second, as that of a hanging line is. It is stated a quarter larger: the order is first only on
the whole, and with a touchdown within the first bar the error was 1.05 of it. Where a line lifts off the bed the
error goes to and fro with the place of the touchdown between two nodes, and nodes of doubled bars lie at the same
places: bars of other lengths are compared, too. The twines of nets are no mesh: there are as many as the net is given.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from ropewalk.assembly.mesh_error import MARGIN, UNJUDGED, MeshError, change_of_mesh
from ropewalk.methods.bars.build import bar_counts
from ropewalk.methods.bars.work import BarsWork, read_bars
from ropewalk.model.arrays import Array, Ints, ints
from ropewalk.model.model import Model
from ropewalk.model.state import State

ACCURACY = 1e-2  # wanted relative error of end forces, unless given
OTHER = 0.7  # of the bars: as many as put nodes elsewhere
MOST_BARS = 160  # of a line, that a mesh is refined to
MOST_IN_ALL = 1_000  # bars of lines, beyond which no finer mesh is tried

Resolve = Callable[[Model, State], BarsWork | None]  # the equilibrium on the bars of a model, from a state near it


def with_bars(model: Model, counts: Array | Ints) -> Model:
    """The model with these numbers of bars (n_pieces,)."""
    return model._replace(lines=model.lines._replace(piece_elements=ints(np.maximum(1, np.rint(counts)))))


def judge(model: Model, work: BarsWork, wanted: float, resolve: Resolve) -> dict[str, float]:
    """Shorten the bars in `work` until their error is as wanted, where their number is left open; figures of a report.

    wanted : relative error of end forces
    """
    free, counts = model.lines.piece_elements == 0, bar_counts(model)
    state = read_bars(model, work)
    coarse = resolve(with_bars(model, np.ceil(0.5 * counts)), state) if np.any(counts > 1) else None
    error = None if coarse is None else change_of_mesh(read_bars(model, coarse), state)
    error = _with_touchdown(model, counts, state, error, resolve)
    while error is None or MARGIN * error.force > wanted:
        finer = ints(np.where(free, 2 * counts, counts)) if error is not None else ints(2 * counts)
        if (error is not None and not np.any(free)) or not _may_be(finer):
            break
        found = resolve(with_bars(model, finer), state)
        if found is None:
            break
        there = read_bars(model, found)
        first, error = error is None, change_of_mesh(state, there)
        if first and not np.all(free):
            break
        counts, state = finer, there
        error = _with_touchdown(model, counts, state, error, resolve)
        for own in dataclasses.fields(work):
            setattr(work, own.name, getattr(found, own.name))
    return {UNJUDGED: 1.0} if error is None else {**error.times(MARGIN).figures(), "accuracy": wanted}


def _with_touchdown(
    model: Model, counts: Ints, state: State, error: MeshError | None, resolve: Resolve
) -> MeshError | None:
    """The larger of an error and what bars change whose nodes are at other places, if a line lifts off the bed."""
    lifts = np.any((state.grounded > 0.0) & (state.grounded < model.lines.length))
    other = resolve(with_bars(model, np.ceil(OTHER * counts)), state) if error is not None and lifts else None
    return error if error is None or other is None else error.or_more(change_of_mesh(read_bars(model, other), state))


def _may_be(counts: Ints) -> bool:
    """Whether so many bars are tried."""
    return int(np.max(counts)) <= MOST_BARS and int(np.sum(counts)) <= MOST_IN_ALL
