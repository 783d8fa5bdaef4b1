r"""How good a mesh is: the same equilibrium on elements of half the length.

Tensions converge with second order, so that of what halving the elements changes, :math:`\Delta`, the mesh itself has
:math:`\tfrac43 \Delta` as its error. With friction of the bed, and where free points stand on it, they do so with first
order only: the bed bears on half an element at the end of a line that begins to rise there, and friction is that of
whole elements. The error is then :math:`2 \Delta`. Where a line ends on the bed in a current that grows with a power
:math:`\alpha` of the height, drag grows from nothing along its first element, with :math:`2 \alpha`: the order is
:math:`p = 1 + 2 \alpha` at most, and the error :math:`\Delta / (1 - 2^{-p})`. Where no finer mesh can be compared, one
of twice the length is: what that changes is the error of the present one even if it is of first order. All of these
are stated a quarter larger, a factor of safety on what two meshes estimate [Roache1994].

Stiffness does not converge so: it steps whenever a node is laid down on the bed or lifted, and is wrong by the share of
an element that the touchdown has passed, whichever way. It is the mean over meshes whose nodes lie elsewhere, and its
error what the mean of so many numbers scatters by.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import elements_of
from ropewalk.assembly.mesh_error import MARGIN, SMALL, MeshError, bends, change_of_mesh, relative_force, stands
from ropewalk.loads.footing import end_radii, point_footings
from ropewalk.methods.mixed.nested import resettled, with_elements, with_mesh_times
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import rubs, still_water
from ropewalk.model.arrays import Array, Flags, Ints, Records, ints, joined, put, records
from ropewalk.model.environment import bed_heights
from ropewalk.model.lines import FOCUS
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics.current import POWER

ACCURACY = 1e-2  # wanted relative error of end tensions, unless given
MOST_ELEMENTS, MOST_ASKED_FOR = 400, 1_600  # of a line, that a mesh is refined to; where a smaller error is required
MOST_IN_ALL = 4_000  # elements of a system, beyond which no finer mesh is tried
SHORTEN = 0.0625  # by what elements at a focus are shorter than before, at most
FINEST = 1e-6  # of a line: no element at a focus is shorter
MESHES = 8  # from which stiffness is taken where lines lie on the bed


MOST_IN_RUNS = 200  # elements of a line that a run chooses by itself: its cost grows with them at every step
MOMENTS = 4  # of the longest period of prescribed motions, at which a mesh for a run is judged, beside its start
LEAST_RANGE = 0.05  # of the largest end force, that motions are taken to change it by: beneath, meshes would not pay


class Finer(NamedTuple):
    """The equilibrium on a finer mesh, and the error of the coarser one."""

    error: MeshError
    work: FemWork


def chosen_here(model: Model) -> Flags:
    """(n_pieces,) whether the number of elements is left to the program."""
    return np.asarray(model.lines.piece_elements == 0)


def can_be_refined(n_elements: int) -> bool:
    """Whether a mesh of half the elements' length may be tried."""
    return 0 < n_elements <= MOST_IN_ALL


def finer(model: Model, work: FemWork, t: float) -> Finer | None:
    """The equilibrium of `work` on half as long elements; None if it is not found, or not with the same friction.

    model : with the numbers of elements of `work`
    """
    calm = model._replace(sea=still_water(model.sea))
    coarse = read_state(calm, work)
    found = resettled(with_mesh_times(model, 2.0), work, t) if can_be_refined(work.mesh.element.size) else None
    if found is None or rubs(found) != rubs(work):
        return None
    error = change_of_mesh(coarse, read_state(calm, found)).times(MARGIN / (1.0 - 0.5 ** _order(model, work, coarse)))
    return Finer(error.or_bends(model, coarse), found)


def error_by_coarser(model: Model, work: FemWork, t: float) -> MeshError | None:
    """As that of `finer`, from elements of twice the length; None if no equilibrium is found on them."""
    calm = model._replace(sea=still_water(model.sea))
    state = read_state(calm, work)
    found = resettled(with_mesh_times(model, 0.5), work, t) if np.any(elements_of(model) > 1) else None
    if found is None or rubs(found) != rubs(work):
        return None
    return change_of_mesh(read_state(calm, found), state).times(MARGIN).or_bends(model, state)


def refocused(model: Model, state: State, wanted: float) -> Records | None:
    """Focuses of a mesh around single places that leave open more than `wanted`, beside those it has; None if none do.

    Only lines whose elements are left to the program have them, and none with winches or breaks, which cut elements.
    model : as given, with the focuses of the mesh of `state`
    """
    lines, own = model.lines, [chosen_here(model)[a:b].all() for a, b in pairwise(model.lines.piece_start)]
    fixed = set(lines.winches.line.tolist()) | set(lines.breaks.line.tolist())
    found = []
    for kink in (*bends(model, state), *stands(model, state)):
        error: Array = np.zeros(lines.length.size)
        error[kink.line] = MARGIN * kink.force
        share = 0.5 * wanted / max(float(np.max(relative_force(error, state))), 1e-300)
        size = kink.length * max(share, SHORTEN)
        if share < 1.0 and own[kink.line] and kink.line not in fixed and size > FINEST * lines.length[kink.line]:
            found.append((kink.line, kink.s, size, kink.length))
    if not found:
        return None
    new = records(len(found), FOCUS)
    put(new, **dict(zip(FOCUS.names or (), np.array(found).T, strict=True)))
    return joined([lines.focus, new], FOCUS)


def _order(model: Model, work: FemWork, state: State) -> float:
    """With which end forces converge: the first where lines with friction, or free points, lie on the bed."""
    sea, ends = model.sea, np.stack([state.position[state.start[:-1]], state.position[state.start[1:] - 1]], axis=1)
    on_bed = bed_heights(sea, ends) <= end_radii(model)
    if np.any((point_footings(model) > 0.0) & on_bed) or (rubs(work) and np.any(state.grounded > 0.0)):
        return 1.0
    if sea.current_kind == POWER and sea.current_speed > 0.0 and np.any(on_bed):
        return min(2.0, 1.0 + 2.0 * sea.current_exponent)
    return 2.0


def mesh_for_run(model: Model, work: FemWork, begin: float, wanted: float) -> tuple[Ints, float]:
    """Elements (n_pieces,) for a run, and the error of end tensions at rest on them; NaN if unknown.

    Where the case leaves elements to the program there are as many as `wanted` requires, at rest where the prescribed
    motions of a period put the ends. The error is then held against the range of end forces over these places, which is
    what a run is about, not against the forces themselves.

    work : equilibrium on the elements of the model at the start    begin : its time, s
    """
    counts, free = work.counts, chosen_here(model)
    if not np.any(counts):
        return counts, np.nan
    # winches add and take elements as long as those of the start
    if model.lines.winches.line.size or not can_be_refined(int(np.sum(counts))):
        return counts, _error_at(with_elements(model, counts), work, begin)
    times = _moments(model, begin) if np.any(free) else [begin]
    while True:
        case, same = with_elements(model, counts), np.array_equal(counts, work.counts)
        found = [work if same and t == begin else resettled(case, work, t) for t in times]
        errors = [_error_at(case, each, t) for each, t in zip(found, times, strict=True) if each is not None]
        error = max((each for each in errors if np.isfinite(each)), default=np.nan)
        if (
            not error > wanted * _range(model, [each for each in found if each is not None])
            or not np.any(free)
            or 2 * int(np.max(counts[free])) > MOST_IN_RUNS
        ):
            return counts, error
        counts = ints(np.where(free, 2 * counts, counts))


def _range(model: Model, found: list[FemWork]) -> float:
    """Of the end forces over equilibria at several times, relative to the largest; 1 if there is only one time."""
    if len(found) < 2:
        return 1.0
    calm = model._replace(sea=still_water(model.sea))
    forces = np.linalg.norm([read_state(calm, each).end_force for each in found], axis=-1)
    largest = float(np.max(forces))
    return float(np.clip(np.max(np.ptp(forces, axis=0)) / largest, LEAST_RANGE, 1.0)) if largest > 0.0 else 1.0


def _error_at(model: Model, work: FemWork, t: float) -> float:
    """Of the end tensions of `work` at time t, relative; NaN if it is not found."""
    found = finer(model, work, t)
    error = error_by_coarser(model, work, t) if found is None else found.error
    return np.nan if error is None else error.force


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
