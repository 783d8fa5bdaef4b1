"""What interrupts the steps of the mixed elements: elements at winches to be split or joined, lines that part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed import steps
from ropewalk.methods.mixed.breakage import element_at, part
from ropewalk.methods.mixed.control import passages
from ropewalk.methods.mixed.equilibrium import unbalance
from ropewalk.methods.mixed.ledger import begin_ledger, stored_energy
from ropewalk.methods.mixed.march import march, march_booked, march_leaping
from ropewalk.methods.mixed.reading import Tape, new_tape
from ropewalk.methods.mixed.remesh import next_remesh, remesh
from ropewalk.methods.mixed.report import Compiled, FemWork, arc_length, reading_for
from ropewalk.methods.mixed.steps import Moving, move_junctions
from ropewalk.methods.mixed.sweep import newton_iteration
from ropewalk.methods.mixed.walks import fill_walks
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.numerics.compile import entry_point, kernel
from ropewalk.numerics.held import held

TINY_STEP = 1e-5  # s, of the step that finds accelerations
BLOW_STEP = 1e-7  # s, of the step that shows velocities which are not allowed: accelerations do nothing in it
ALLOWED = 1e-3  # of the largest velocity: change in that step which is none
LEAST_GAP = 1e-13  # of the extent: round-off of the places
LARGEST_GAP = 1e-2  # of the extent: what is further from its lengths is no state of these lines
TINY_ITERATIONS = 8  # of Newton, in each
STEP_AFTER_BREAK = 1e-3  # of the longest step
LEAST_RECOIL = 1e-6  # s, of a step in a recoil
RECOILS = 2.0  # passages of an axial wave along a line that parted, for which its recoil is resolved
BRAKED = 0.1  # of its velocity: what a node at a winch may lose of it in the first step after its element was split
SAME_TIME = 1e-9  # s
FLAGS = 0x1 | 0x2 | 0x100 | 0x400  # C_CONTIGUOUS, F_CONTIGUOUS, ALIGNED and WRITEABLE of numpy

_entries: dict[Any, Callable[..., Any]] = {}


def kept_entry(function: Any, shape: Any, *arguments: Any) -> Callable[..., Any]:
    """`entry_point`, kept for the next call with arguments of the same types.  shape : `shape_of` these, or of more"""
    key = (function, shape)
    found = _entries.get(key)
    if found is None:
        found = _entries[key] = entry_point(function, *arguments)
    return found


def shape_of(value: Any) -> Any:
    """What numba makes the type of a tree of arrays and numbers from, as a key."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num & FLAGS
    if isinstance(value, tuple):
        return type(value), tuple([shape_of(part) for part in value])
    return type(value)


def copy_state(source: Moving, target: Moving) -> None:
    """Copy positions, motion and tensions."""
    target.X[:] = source.X
    target.T[:] = source.T


def find_acceleration(model: Model, work: FemWork) -> None:
    """Accelerations and tensions that go with the given positions and velocities: those of one tiny implicit step."""
    kept, mesh = work.steps, work.mesh
    now, trial = kept.now, kept.trial
    _tiny_step(model, work, TINY_STEP)
    now.X[2] = trial.X[2]
    now.X[3] = trial.X[2]
    now.T[:] = trial.T
    links = _first_link(mesh)
    now.X[0, links:] = trial.X[0, links:]  # what the links carry
    copy_state(now, trial)
    copy_state(now, kept.last)


def loosen(work: FemWork) -> None:
    """Give elements without tension that are shorter than their length, and cannot push, the tension of slack ones.

    A state without tensions leaves open whether they are taut, and Newton's method would try that first. Those with a
    tension are taut: chords of a curve are shorter than it.
    """
    mesh, now = work.mesh, work.steps.now
    for line in range(mesh.line.shape[0]):
        nodes = slice(int(mesh.node_start[line]), int(mesh.node_start[line + 1]))
        own = slice(int(mesh.element_start[line]), int(mesh.element_start[line + 1]))
        element, T = mesh.element[own], now.T[own]
        stretch = np.linalg.norm(np.diff(now.X[0, nodes], axis=0), axis=1) / element.length - 1.0
        is_slack = (element.slack > 0.0) & (stretch < 0.0) & (T == 0.0)
        T[is_slack] = (element.slack * stretch)[is_slack]


def meet_lengths(model: Model, work: FemWork) -> None:
    """Move the nodes of a state that is given to where lines and links have their lengths, if they are not there.

    The first step would else close such gaps at once, with a velocity of gap over step, or over the time of damping.
    """
    kept, mesh = work.steps, work.mesh
    now, trial = kept.now, kept.trial
    velocity, damping = now.X[1].copy(), mesh.element.damping.copy()
    now.X[1], mesh.element.damping = 0.0, 0.0
    _tiny_step(model, work, BLOW_STEP)
    now.X[1], mesh.element.damping = velocity, damping
    own = slice(_first_link(mesh))
    extent = float(np.ptp(now.X[0, own], axis=0).max(initial=0.0))
    gap = float(np.abs(trial.X[0, own] - now.X[0, own]).max(initial=0.0))
    if LEAST_GAP * extent < gap < LARGEST_GAP * extent:
        now.X[0, own] = trial.X[0, own]
        work.first[:] = stored_energy(now.X, mesh, model.sea.gravity)
    copy_state(now, trial)


def take_blow(model: Model, work: FemWork) -> None:
    """Take velocities that lines and links do not allow out of a state that is given, as a blow at once would.

    An inextensible line between ends at rest has no velocity along itself. The energy is booked as lost by impact.
    """
    kept, mesh, g = work.steps, work.mesh, model.sea.gravity
    now, trial = kept.now, kept.trial
    fastest = float(np.abs(now.X[1]).max(initial=0.0))
    if fastest == 0.0:
        return
    _tiny_step(model, work, BLOW_STEP)
    own = slice(_first_link(mesh))
    if float(np.abs(trial.X[1, own] - now.X[1, own]).max(initial=0.0)) > ALLOWED * fastest:
        before = stored_energy(now.X, mesh, g)[0]
        now.X[1, own] = trial.X[1, own]
        kept.ledger.work[0].impact += before - stored_energy(now.X, mesh, g)[0]
    copy_state(now, trial)


def _first_link(mesh: Mesh) -> int:
    """Row after those of nodes, junctions and bodies."""
    return int(mesh.s.size + mesh.motion.size + mesh.bodies.body.shape[0])


def _tiny_step(model: Model, work: FemWork, h: float) -> None:
    """One step of backward Euler of h (s) from `now` into `trial`."""
    kept, mesh, sea = work.steps, work.mesh, model.sea
    t, now, trial = float(kept.clock[0].time), kept.now, kept.trial
    trial.X[0] = now.X[0] + h * now.X[1]
    trial.X[1] = now.X[1]
    trial.T[:] = now.T
    trial.X[2:] = 0.0
    move_junctions(t + h, mesh, model.motions, trial.X)
    water_at(trial.X[0], t + h, sea, kept.flow)
    water_on_bodies(trial.X, t + h, sea, mesh)
    fluid, step = (sea.water_density, sea.gravity), (1.0 / (h * h), 1.0 / h)
    _iterate(trial.X, trial.T, kept.flow, mesh, fluid, step, kept.memory)


@kernel
def _iterate(X, T, flow, mesh, fluid, step, memory):
    """As `newton_iteration`, TINY_ITERATIONS times."""
    for _ in range(TINY_ITERATIONS):
        newton_iteration(X, T, flow, held(mesh), fluid, step, 1.0, held(memory))


def has_events(model: Model, work: FemWork) -> bool:
    """Whether something may interrupt the steps: a winch, or a line that may part."""
    return bool(work.mesh.winches.winch.shape[0] or model.lines.breaks.line.size)


def step_to(model: Model, work: FemWork, t: float, leaps: bool = False) -> int:
    """Step to time t (s) through all that happens on the way; REACHED or why not.

    leaps : by leapfrog
    """
    if not has_events(model, work):
        return _advance(model, work, t, leaps)
    breaks = model.lines.breaks
    while True:
        _part_overloaded(model, work)
        clock = work.steps.clock[0]  # another one after each change of the mesh
        whole = np.flatnonzero((work.parted[:, 0] < 0.0) & np.isfinite(breaks.time))
        due = float(np.min(breaks.time[whole], initial=np.inf))
        stop = min(t, max(due, float(clock.time)), next_remesh(work.mesh, float(clock.time), t))
        outcome = _advance(model, work, stop, leaps)
        if outcome not in (steps.REACHED, steps.PARTED):
            return outcome
        now = float(clock.time)
        if outcome == steps.PARTED:
            _part_element(model, work, int(work.steps.count[0].fail_element))
        elif due <= now + SAME_TIME:
            for i in whole[breaks.time[whole] <= now + SAME_TIME]:
                _part(model, work, int(i), element_at(work.mesh, int(breaks.line[i]), float(breaks.s[i])))
        _remesh(model, work, now)
        if now >= t - SAME_TIME:
            return outcome if outcome != steps.PARTED else steps.REACHED


def compiled_for(model: Model, work: FemWork, leaps: bool = False) -> Compiled:
    """The compiled code for a run; found again only when mesh, memory or model are others."""
    kept = work.compiled
    if kept is None or kept.leaps != leaps or not _is_for(kept, model, work):
        walk = march_booked if work.steps.settings[0].ledger > 0.0 else march
        empty = new_tape(0, work.mesh, work.worst_miss)
        arguments = (np.zeros(1), work.mesh, model.sea, model.motions, work.steps, reading_for(model, work), empty)
        shape = shape_of(arguments)
        entry = kept_entry(march_leaping if leaps else walk, shape, *arguments)
        begin = kept_entry(begin_ledger, shape, 0.0, work.mesh, model.sea, work.steps)
        parts = (work.mesh, work.steps, model.sea, model.motions)
        kept = work.compiled = Compiled(entry, begin, parts, leaps, empty)
        if work.lanes and not has_events(model, work):
            fill_walks(work.mesh, work.steps.now.X, work.steps.now.T, work.steps.memory.walks)
        work.forces = None
    return kept


def _is_for(kept: Compiled, model: Model, work: FemWork) -> bool:
    """Whether compiled code is for these very arrays."""
    mesh, steps, sea, motions = kept.parts
    return mesh is work.mesh and steps is work.steps and sea is model.sea and motions is model.motions


def march_to(model: Model, work: FemWork, times: Array, tape: Tape, leaps: bool = False) -> tuple[int, int, int]:
    """Step to each of `times` (s) and put the moments on the tape; returns as `march`.

    Only of runs that nothing interrupts.
    """
    march = compiled_for(model, work, leaps).march
    found = march(times, work.mesh, model.sea, model.motions, work.steps, reading_for(model, work), tape)
    return int(found[0]), int(found[1]), int(found[2])


def _advance(model: Model, work: FemWork, t: float, leaps: bool) -> int:
    """Step to time t (s) and keep nothing; the outcome."""
    compiled = compiled_for(model, work, leaps)
    return int(compiled.march(np.array([t]), work.mesh, model.sea, model.motions, work.steps, work.reading,
                              compiled.nothing)[1])  # fmt: skip


def _remesh(model: Model, work: FemWork, t: float) -> None:
    """Split and join what is due at winches; the work of the winch takes what the stored energy jumps by.

    The mass lumped at the winch rests there, and begins to move with the line when its element is split off.
    """
    if work.mesh.winches.winch.shape[0] == 0:
        return
    before = sum(stored_energy(work.steps.now.X, work.mesh, model.sea.gravity))
    size = work.mesh.s.size
    work.mesh, work.steps = remesh(work.mesh, work.steps, t)
    if work.mesh.s.size != size:
        work.misses = np.zeros(work.mesh.element.shape[0])
        after = sum(stored_energy(work.steps.now.X, work.mesh, model.sea.gravity))
        work.steps.ledger.work[0].winch += after - before
        _balance(model, work)
        restart_ledger(model, work)


def _balance(model: Model, work: FemWork) -> None:
    """Give the elements at winches the tension that goes with the mass their nodes now have, and these F / m.

    A node that was part of a straight element sags from it at once, and line that leaves a winch quickly is braked by
    the water: accelerations found between the nodes before fit none of that, and no ledger closes over a step that
    begins with forces other than m a.
    """
    mesh, kept, sea = work.mesh, work.steps, model.sea
    now, clock, fluid = kept.now, kept.clock[0], (sea.water_density, sea.gravity)
    water_at(now.X[0], float(kept.clock[0].time), sea, kept.flow)

    def unbalanced(node: int) -> Array:
        unbalance(now.X, now.T, kept.flow, mesh, fluid, kept.memory.grip, kept.nodes, work.misses)
        return np.array(kept.nodes[node])

    for winch in mesh.winches.winch:
        line, e, inner, end = winch.line, winch.element, winch.inner, winch.end
        ahead = 1 if end > inner else -1
        inside = range(mesh.node_start[line] + 1, mesh.node_start[line + 1] - 1)
        near = [(element, node) for element, node in ((e - ahead, inner - ahead), (e, inner)) if node in inside]
        for element, node in near:
            if now.T[element] > 0.0:
                d = now.X[0, node + ahead] - now.X[0, node]
                now.T[element] += unbalanced(node) @ d / np.linalg.norm(d)
        for _, node in near:
            jump = np.linalg.solve(_inertia(now.X, node, unbalanced), unbalanced(node))
            now.X[2, node] -= jump
            now.X[3, node] = now.X[2, node]
            longest = BRAKED * float(np.linalg.norm(now.X[1, node])) / max(float(np.linalg.norm(jump)), SAME_TIME)
            clock.step = min(clock.step, max(longest, STEP_AFTER_BREAK * kept.settings[0].most_step))


def _inertia(X: Array, node: int, unbalanced: Callable[[int], Array]) -> Array:
    """(3, 3) change of the residual force at a node by its acceleration, kg: forces are linear in it."""
    rest, columns = unbalanced(node), []
    for p in range(3):
        X[2, node, p] += 1.0
        columns.append(unbalanced(node) - rest)
        X[2, node, p] -= 1.0
    return np.array(columns).T


def _part_overloaded(model: Model, work: FemWork) -> None:
    """Lines part whose tension is at its limit already, as at the start of a run: no step leads there."""
    while True:
        overload = work.steps.now.T / work.mesh.element["limit"]
        e = int(np.argmax(overload))
        if overload[e] < 1.0:
            return
        _part_element(model, work, e)


def _part_element(model: Model, work: FemWork, e: int) -> None:
    """The line of element e parts there."""
    line = int(np.searchsorted(work.mesh.element_start, e, side="right") - 1)
    _part(model, work, int(np.flatnonzero(model.lines.breaks.line == line)[0]), e)


def _part(model: Model, work: FemWork, i: int, e: int) -> None:
    """Line of break i parts in element e."""
    mesh, kept = work.mesh, work.steps
    given = float(model.lines.breaks.s[i])
    work.parted[i] = kept.clock[0].time, arc_length(mesh, e) if np.isnan(given) else given
    before = sum(stored_energy(kept.now.X, mesh, model.sea.gravity))
    waves = passages(int(model.lines.breaks.line[i]), mesh, kept.now.T)
    part(mesh, kept.now.T, e, model.sea.water_density)
    kept.ledger.work[0].parting += before - sum(stored_energy(kept.now.X, mesh, model.sea.gravity))
    go_on_parted(model, work, waves)


def go_on_parted(model: Model, work: FemWork, waves: tuple[float, float]) -> None:
    """Let the steps begin anew where a line has parted, so short that its recoil is resolved.

    What it was stretched by becomes velocity: a wave that leaves no tension behind runs from the break to the ends.
    Longer steps would damp it away, or make more energy of it than there was. Fixed steps stay as they are.

    waves : of `passages`, before it parted
    """
    find_acceleration(model, work)
    clock, (least, whole) = work.steps.clock[0], waves
    clock.recoil_step, clock.recoil_end = max(least, LEAST_RECOIL), clock.time + RECOILS * whole
    clock.step = min(STEP_AFTER_BREAK * work.steps.settings[0].most_step, float(clock.recoil_step))
    clock.last_step, clock.last_shift, clock.curvature = 0.0, 0.0, 0.0
    restart_ledger(model, work)


def restart_ledger(model: Model, work: FemWork) -> None:
    """Let the ledger begin at the present state: at the start, and where forces or the mesh have jumped."""
    kept, begin = work.compiled, begin_ledger
    if kept is not None and _is_for(kept, model, work):
        begin = kept.begin_ledger
    begin(float(work.steps.clock[0].time), work.mesh, model.sea, work.steps)
