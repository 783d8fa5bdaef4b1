r"""Equilibrium on many elements from one on few.

Newton's method and damped motion need a start the closer, the shorter the elements are: what lies on the bed, hangs
slack or bends sharply is a matter of single elements. So lines of many elements come to rest on few first, and then on
twice as many each time, from the shape before; there Newton's method takes a few iterations.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from ropewalk.assembly.mesh import elements_of
from ropewalk.methods.mixed.events import copy_state
from ropewalk.methods.mixed.friction import shares_at
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import (
    make_work,
    rub_from,
    rub_on_bed,
    rubs,
    settle,
    settle_gradually,
    still_water,
)
from ropewalk.methods.protocol import Report
from ropewalk.model.arrays import Array, Ints, ints
from ropewalk.model.model import Model
from ropewalk.model.state import State

FEW = 100  # elements of a line that comes to rest from any start


def with_elements(model: Model, counts: Array | Ints) -> Model:
    """The model with these numbers of elements (n_pieces,), beside those around its focuses."""
    return model._replace(lines=model.lines._replace(piece_elements=ints(np.maximum(1, np.rint(counts)))))


def meshed_as(model: Model, work: FemWork) -> Model:
    """The model with the mesh of `work`."""
    lines = model.lines._replace(focus=work.focus)
    return with_elements(model._replace(lines=lines), work.counts)


def with_mesh_times(model: Model, factor: float) -> Model:
    """The model with elements of 1/factor of their length, everywhere."""
    focus = model.lines.focus.copy()
    focus.longest /= factor
    lines = model.lines._replace(focus=focus)
    return with_elements(model._replace(lines=lines), np.ceil(factor * elements_of(model)))


def resettled(model: Model, work: FemWork, t: float) -> FemWork | None:
    """The equilibrium at time t near that of `work` on the mesh of `model`; None if not found.

    It is not for steps.
    """
    found, report = _on_mesh(model, work, t, lanes=False)
    return found if report.good else None


def settle_nested(model: Model, work: FemWork, state: State) -> Report:
    """The equilibrium of `settle_gradually` with friction, on meshes from coarse to that of `work`.

    Meshes without an equilibrium are passed over; if the last one has none, it is sought from the state of `work`.
    """
    iterations, t, meshes = 0, state.time, _coarser(model)
    if meshes:
        first = with_elements(model, meshes[0])
        copy_state(work.steps.trial, work.steps.now)
        found = make_work(first, _read(model, work, t), work.mesh.mass_damping)
        report = rub_on_bed(first, found, t, settle_gradually(first, found, state))
        iterations += report.iterations
        for counts in (*meshes[1:], elements_of(model)) if report.good else ():
            finer, report = _on_mesh(with_elements(model, counts), found, t)
            iterations += report.iterations
            found = finer if report.good else found
        if report.good:
            work.take(found)
            return replace(report, iterations=iterations)
    report = rub_on_bed(model, work, t, settle_gradually(model, work, state))
    return replace(report, iterations=iterations + report.iterations)


def _on_mesh(model: Model, work: FemWork, t: float, lanes: bool = True) -> tuple[FemWork, Report]:
    """As `resettled`. If friction is not found from scratch, it is sought from that of `work`."""
    state, damping = _read(model, work, t), work.mesh.mass_damping
    found = make_work(model, state, damping, lanes=lanes)
    report = rub_on_bed(model, found, t, settle(model, found, t))
    if report.good and rubs(work) and not rubs(found):
        second = make_work(model, state, damping, lanes=lanes)
        rubbed = rub_from(model, second, t, shares_at(work.mesh, work.steps, second.mesh))
        if rubbed.good:
            return second, replace(rubbed, iterations=report.iterations + rubbed.iterations)
    return found, report


def _read(model: Model, work: FemWork, t: float) -> State:
    """The state of `work` in still water, at time t."""
    return read_state(model._replace(sea=still_water(model.sea)), work)._replace(time=t)


def _coarser(model: Model) -> list[Ints]:
    """Elements (n_pieces,) of meshes from the first to the last before that of the model, each twice as fine."""
    counts, lines = elements_of(model), model.lines
    most = max((int(np.sum(counts[a:b])) for a, b in pairwise(lines.piece_start)), default=0)
    halvings = max(0, int(np.ceil(np.log2(max(most, 1) / FEW))))
    return [ints(np.ceil(counts / 2**k)) for k in range(halvings, 0, -1)]
