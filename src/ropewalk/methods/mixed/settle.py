"""Memory of the mixed elements with a state on it, and the way from there to equilibrium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ropewalk.assembly.anchor import laid_ends, lying_ends
from ropewalk.assembly.mesh import Mesh, build_mesh, elements_of, laid_again, lying
from ropewalk.assembly.mesh_error import FRICTION_CHANGE, friction_change
from ropewalk.methods.mixed.body_start import grounded_body
from ropewalk.methods.mixed.breakage import arm
from ropewalk.methods.mixed.equilibrium import CONVERGED, find_equilibrium, with_inertia
from ropewalk.methods.mixed.events import copy_state
from ropewalk.methods.mixed.friction import Case, preload, rub, sheltered
from ropewalk.methods.mixed.payout import lengthened, with_winches
from ropewalk.methods.mixed.report import REST, FemWork, place, read_state, worst_place
from ropewalk.methods.mixed.steps import Work, allocate
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Flags, flags, floats, records
from ropewalk.model.environment import Sea, field_held, share_of_current
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State, resample, rotation_matrix

UNBOUNDED = 1e6  # of the force scale: forces beyond it mean lengths that cannot be met
MOST_TURNS = 2  # of an end between lying on the bed and rising from it
MOST_STRAIGHTENING = 6  # rounds in which what lies on the bed is laid straight; 2 to 4 are usual
AS_IT_LIES = "bed friction holds lines where they lie without the current: no equilibrium was found without friction"
LOAD_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # shares of current and wind where the whole at once is too much

LINE_CLAIMS = frozenset(Claim) - {Claim.STATICS, Claim.DYNAMICS, Claim.OVER, Claim.RODS, Claim.NETS}


def make_work(model: Model, state: State, damping: float, *, settles: bool = True, lanes: bool = True) -> FemWork:
    """Mesh and memory, with the given state on the mesh.

    settles : it is the start of a search for the equilibrium    lanes : False where no steps will be taken
    """
    given_model, model = model, lengthened(model, state.time)
    lies = lying_ends(model, state) if settles else laid_ends(model, state)
    mesh = with_winches(model, build_mesh(model, damping, lies), state.time)
    arm(model, mesh)
    work = allocate(mesh, lanes)
    x = work.trial
    junctions = slice(mesh.s.size, mesh.s.size + mesh.motion.size)
    x.X[0, junctions] = np.concatenate([state.point_position, state.body_position])
    x.X[1, junctions] = np.concatenate([state.point_velocity, state.body_velocity])
    is_free = (model.bodies.joint == LOOSE)[:, None]  # the motions of the others turn them from the given attitude
    mesh.bodies.memory.attitude[:] = np.where(is_free, state.body_quaternion, model.bodies.quaternion)
    for k in range(state.body_quaternion.shape[0]):
        x.X[1, junctions.stop + k] = rotation_matrix(state.body_quaternion[k]).T @ state.body_rate[k]
    for line in range(mesh.line.shape[0]):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        given = state.s[state.start[line + 1] - 1]
        x.X[0, n], x.X[1, n], T = resample(state, line, mesh.s[n] * (given / model.lines.length[line]))
        x.T[e] = 0.5 * (T[1:] + T[:-1])
    work.clock[0].time = state.time
    return fresh_memory(given_model, mesh, work, lies)


def fresh_memory(model: Model, mesh: Mesh, work: Work, lies: Flags) -> FemWork:
    """Fresh memory around that of the steps."""
    first = build_mesh(model) if model.lines.winches.line.size else mesh
    rest = records(1, REST)
    rest.mesh_error = np.nan
    s = first.s.copy()
    for line in np.flatnonzero(first.line.flipped):
        n = slice(first.node_start[line], first.node_start[line + 1])
        s[n] = s[n][::-1].copy()
    return FemWork(
        mesh=mesh,
        steps=work,
        misses=np.zeros(mesh.element.shape[0]),
        rest=rest,
        first=np.zeros(3),
        parted=np.full((model.lines.breaks.line.size, 2), -1.0),
        worst_miss=np.full(1, -1.0),
        start=first.node_start,
        s=s,
        lies=lies,
        counts=elements_of(model),
        focus=model.lines.focus,
    )


def scales(model: Model) -> tuple[float, float]:
    """A force (N) and a length (m) typical of the case."""
    lines, sections = model.lines, model.sections
    k = lines.piece_section
    g = max(model.sea.gravity, 1.0)
    weight = float(np.sum(sections.mass[k] * lines.piece_length)) * g / max(1, lines.length.size)
    lift = (
        model.sea.water_density * float(np.sum(sections.area[k] * lines.piece_length)) * g / max(1, lines.length.size)
    )
    lumps = (model.bodies.mass, model.points.mass, lines.attachment_mass)
    body = float(max(np.max(mass, initial=0.0) for mass in lumps)) * g
    longest = float(np.max(lines.length, initial=0.0))
    return max(weight, lift, body, 1e-3), longest or float(np.max(np.abs(model.bodies.hulls.profile), initial=1.0))


def settle(model: Model, work: FemWork, t: float) -> Report:
    """Put `work.steps.trial` and `now` at rest under the loads at time t, with the ends that then lie on the bed.

    An end that comes to lie and rises again stays where it is given.
    """
    iterations, turned = 0, np.zeros(work.lies.shape, dtype=int)
    while True:
        report = _settle_as_laid(model, work, t)
        iterations += report.iterations
        lies = lying(model, work.mesh, work.steps.trial.X[0])
        turned += lies != work.lies
        lies &= turned < MOST_TURNS
        if not report.good or np.array_equal(lies, work.lies):
            return replace(report, iterations=iterations)
        work.mesh, work.lies = laid_again(model, work.mesh, work.lies, lies), lies


def _settle_as_laid(model: Model, work: FemWork, t: float) -> Report:
    """As `_settle`, on the mesh as it is."""
    force_scale, length_scale = scales(model)
    mesh = with_inertia(work.mesh, model.sea.gravity, force_scale)
    outcome, iterations, force, miss = find_equilibrium(
        t, mesh, still_water(model.sea), model.motions, work.steps, (force_scale, length_scale), work.misses, 0.0
    )
    copy_state(work.steps.trial, work.steps.now)
    work.note_rest(outcome, iterations, force, miss)
    if outcome == CONVERGED:
        return Report(Status.DONE, "", iterations, force, miss)
    where = worst_place(model, work)
    if work.misses.size and not force <= UNBOUNDED * force_scale:
        where = place(model, work.mesh, int(np.argmax(np.abs(work.misses))))
        message = (
            f"no shape satisfies the lengths of the lines: length error {miss:.3g} m in {where}, and forces grow "
            "without bound; lengthen the line, or give it axial_stiffness"
        )
        return Report(Status.TOO_SHORT, message, iterations, force, miss)
    if work.misses.size and miss / length_scale > force / force_scale:
        where = place(model, work.mesh, int(np.argmax(np.abs(work.misses))))
    message = (
        f"no equilibrium after {iterations} iterations: residual force {force:.3g} N, length error {miss:.3g} m, "
        f"largest in {where}"
    )
    return Report(Status.NOT_CONVERGED, message, iterations, force, miss)


def settle_gradually(model: Model, work: FemWork, state: State) -> Report:
    """As `_settle`; if that fails on free bodies, from `state` with current and wind brought on in steps.

    Lines that can push have equilibria with folded elements, too: with a free body they are settled slack first.
    """
    sea, sections = model.sea, model.sections
    has_bodies = bool(np.any(model.bodies.joint == LOOSE))
    if has_bodies and np.any(sections.compression):
        limp = model._replace(sections=sections._replace(compression=flags(np.zeros(sections.mass.size, dtype=bool))))
        mesh = work.mesh._replace(element=build_mesh(limp).element)
        first = settle(limp, replace(work, mesh=mesh), state.time)
    else:
        first = Report()
    report = settle(model, work, state.time)
    report = replace(report, iterations=report.iterations + first.iterations)
    if report.good or not has_bodies:
        return report
    lay(model, state, work)
    for share in LOAD_STEPS:
        part = share_of_current(sea._replace(wind_speed=share * sea.wind_speed), share)
        report = settle(model._replace(sea=part), work, state.time)
        if not report.good:
            break
    return report


def rubs(work: FemWork) -> bool:
    """Whether friction of the bed takes part in an equilibrium."""
    return bool(work.steps.memory.grip.friction[0].coefficient > 0.0)


def rub_on_bed(model: Model, work: FemWork, t: float, report: Report) -> Report:
    """After `settle`: the same with friction of the bed, and with the ends that then lie on it."""
    has_friction = work.mesh.has_bed and model.sea.bed_rest_friction > 0.0 and work.mesh.s.size > 0
    if not has_friction or (report.good and rubs(work)):
        return report
    if not report.good:
        held = _held_as_it_lies(model, work, t)
        iterations = report.iterations + held.iterations
        return replace(held if held.good else report, iterations=iterations)
    iterations, kept, attitude = report.iterations, work.steps, work.mesh.bodies.memory.attitude
    X, T, turns = kept.trial.X.copy(), kept.trial.T.copy(), attitude.copy()  # without friction
    smooth, without = (work.mesh, work.lies), _read(model, work)
    report = rub_from(model, work, t, None)
    iterations += report.iterations
    if not report.good:
        kept.trial.X[...], kept.trial.T[...], attitude[...] = X, T, turns
        work.mesh, work.lies = smooth
        report = settle(model, work, t)
        text = "bed friction is left out: no equilibrium was found with it, or only one far from that without"
        iterations += report.iterations
        report = replace(report, message=text if report.good else report.message)
    else:
        report = replace(report, figures={FRICTION_CHANGE: friction_change(without, _read(model, work))})
    return replace(report, iterations=iterations)


def _read(model: Model, work: FemWork) -> State:
    """The state in `work.steps.now`, in still water."""
    return read_state(model._replace(sea=still_water(model.sea)), work)


def rub_from(model: Model, work: FemWork, t: float, shares: Array | None) -> Report:
    """The equilibrium with friction near the state of `work`, and with the ends that then lie on the bed.

    shares : (n_nodes, 3) friction over the normal force in that state; None without friction
    """
    iterations, turned = 0, np.zeros(work.lies.shape, dtype=int)
    while True:
        case = Case(t, work.mesh, still_water(model.sea), model.motions, *scales(model))
        outcome, used, force, miss = rub(case, work.steps, work.misses, shares)
        iterations += used
        if outcome != CONVERGED:
            return Report(Status.NOT_CONVERGED, "", iterations)
        copy_state(work.steps.trial, work.steps.now)
        lies = lying(model, work.mesh, work.steps.trial.X[0])
        turned += lies != work.lies
        lies &= turned < MOST_TURNS
        if np.array_equal(lies, work.lies):
            break
        work.mesh, work.lies, shares = laid_again(model, work.mesh, work.lies, lies), lies, None
        report = _settle_as_laid(model, work, t)
        iterations += report.iterations
        if not report.good:
            return replace(report, iterations=iterations)
    work.note_rest(outcome, iterations, force, miss)
    return Report(Status.DONE, "", iterations, force, miss)


def _held_as_it_lies(model: Model, work: FemWork, t: float) -> Report:
    """The equilibrium of lines that friction holds where they lie without the current, if there is none without it.

    In a current, slack line on a bed without friction may have no stable place. The state stays if none is found.
    """
    kept, attitude = work.steps, work.mesh.bodies.memory.attitude
    X, T, turns, smooth = kept.trial.X.copy(), kept.trial.T.copy(), attitude.copy(), (work.mesh, work.lies)
    iterations, before = 0, None
    for _ in range(MOST_STRAIGHTENING):
        calm = replace(work, mesh=sheltered(work.mesh, kept.trial.X[0]))
        if before is not None and np.array_equal(calm.mesh.element, before):
            break
        before = calm.mesh.element
        report = settle(model, calm, t)
        iterations += report.iterations
        if not report.good:
            break
        work.mesh, work.lies = calm.mesh._replace(element=work.mesh.element), calm.lies
    if report.good:
        preload(work.mesh, kept, np.zeros((work.mesh.s.size, 3)))
        case = Case(t, work.mesh, still_water(model.sea), model.motions, *scales(model))
        outcome, used, force, miss = case.settle(work.mesh, kept, work.misses)
        iterations += used
        if outcome == CONVERGED:
            copy_state(kept.trial, kept.now)
            work.note_rest(outcome, iterations, force, miss)
            return Report(Status.DONE, AS_IT_LIES, iterations, force, miss)
    kept.trial.X[...], kept.trial.T[...], attitude[...] = X, T, turns
    work.mesh, work.lies = smooth
    kept.memory.grip.friction[0].coefficient = 0.0
    copy_state(kept.trial, kept.now)
    return Report(Status.NOT_CONVERGED, "", iterations)


def body_positions(work: FemWork) -> Array:
    """(n_bodies, 3) m"""
    mesh = work.mesh
    last = mesh.s.size + mesh.motion.size
    positions: Array = work.steps.now.X[0, last - mesh.bodies.body.shape[0] : last]
    return positions


def off_the_bed(model: Model, work: FemWork, report: Report) -> Report:
    """The report, or one with the body that would lie below the bed."""
    grounded = grounded_body(model, body_positions(work))
    return replace(report, status=Status.NO_EQUILIBRIUM, message=grounded) if grounded else report


def lay(model: Model, state: State, work: FemWork) -> None:
    """Put a state on the mesh of `work`."""
    laid = make_work(model, state, 0.0)
    copy_state(laid.steps.trial, work.steps.trial)
    work.mesh.bodies.memory.attitude[:] = laid.mesh.bodies.memory.attitude


def still_water(sea: Sea) -> Sea:
    """The sea without its waves, and with a current by a function as it is at its time: what statics are for."""
    sea = sea._replace(wave=floats(np.zeros((sea.wave.shape[0], 0))))
    return field_held(sea)
