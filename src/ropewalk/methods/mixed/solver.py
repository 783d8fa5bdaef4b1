"""Lines in time by mixed finite elements: positions and tension as unknowns, implicit steps, no step to tune.

The method is that of [Montano2005] with lumped mass, generalised-alpha steps and block elimination; the theory
page of the documentation has the equations and what was corrected in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ropewalk.assembly.anchor import lying_ends
from ropewalk.assembly.link_start import refuse_open_links
from ropewalk.assembly.mesh import FLIPPED, Mesh, build_mesh, laid_again, lying
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.mixed import steps
from ropewalk.methods.mixed.body_start import calm_start, grounded_body
from ropewalk.methods.mixed.body_stiffness import all_free, full_tangent, line_stiffness
from ropewalk.methods.mixed.breakage import arm
from ropewalk.methods.mixed.equilibrium import CONVERGED, find_equilibrium, guess
from ropewalk.methods.mixed.events import compiled_for, copy_state, find_acceleration, restart_ledger, step_to
from ropewalk.methods.mixed.friction import Case, hold, rub
from ropewalk.methods.mixed.leapfrog import BLEW_UP, UNSTABLE, leapfrog_message, refuse_leapfrog
from ropewalk.methods.mixed.ledger import stored_energy
from ropewalk.methods.mixed.links import link_loads
from ropewalk.methods.mixed.memory import fill, restored_mesh, snapshot_of
from ropewalk.methods.mixed.nodes import FRICTION_ROW, GRIP
from ropewalk.methods.mixed.payout import lengthened, with_winches
from ropewalk.methods.mixed.report import (
    FemWork,
    energies,
    parted_lines,
    place,
    read_state,
    shares,
    worst_place,
)
from ropewalk.methods.mixed.scheme import BACKWARD_EULER, GENERALISED_ALPHA
from ropewalk.methods.mixed.steps import Work, allocate, move_junctions
from ropewalk.methods.protocol import Claim, Figures, Report, Status
from ropewalk.model.arrays import Array, Flags, flags, floats
from ropewalk.model.environment import Sea
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.state import State, resample, rotation_matrix

LEAST_STEP = 1e-7  # s; below it a run is given up
LONGEST_STEP = 2.0  # s, where nothing periodic drives the lines
STEPS_PER_PERIOD = 12  # at least, of the shortest period of motions and waves that matters
RAMP_PERIODS = 2.0  # periods for which the ramp of a winch counts
SHORTEST_SHARE = 0.02  # of the waves' energy may have shorter periods than the one that matters
STILL = 1e-3  # of the speed sqrt(g L): the least speed that errors are measured against
SLACK_SHARE = 0.02  # of a line's weight: tension below which slack is near
FIRST_STEP = 0.02  # of the longest
RELAXATION, RELAXATION_TIME = 1.0, 40.0  # damping over sqrt(g/L); time times damping
RELAXED = 1e-2  # tolerance of the damped motion
UNBOUNDED = 1e6  # of the force scale: forces beyond it mean lengths that cannot be met
MOST_TURNS = 2  # of an end between lying on the bed and rising from it
LOAD_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # shares of current and wind where the whole at once is too much

_LINE_CLAIMS = frozenset(Claim) - {
    Claim.STATICS, Claim.DYNAMICS, Claim.OVER, Claim.RODS, Claim.NETS,
}  # fmt: skip


def _make_work(model: Model, state: State, damping: float) -> FemWork:
    """Mesh and memory, with the given state on the mesh."""
    given_model, model = model, lengthened(model, state.time)
    lies = lying_ends(model, state)
    mesh = with_winches(model, build_mesh(model, damping, lies), state.time)
    arm(model, mesh)
    work = allocate(mesh)
    x = work.trial
    junctions = slice(mesh.s.size, mesh.s.size + mesh.motion.size)
    x.X[0, junctions] = np.concatenate([state.point_position, state.body_position])
    x.X[1, junctions] = np.concatenate([state.point_velocity, state.body_velocity])
    mesh.bodies.memory.attitude[:] = state.body_quaternion
    for k in range(state.body_quaternion.shape[0]):
        x.X[1, junctions.stop + k] = rotation_matrix(state.body_quaternion[k]).T @ state.body_rate[k]
    for line in range(mesh.line.shape[0]):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        given = state.s[state.start[line + 1] - 1]
        x.X[0, n], x.X[1, n], T = resample(state, line, mesh.s[n] * (given / model.lines.length[line]))
        x.T[e] = 0.5 * (T[1:] + T[:-1])
    work.clock[steps.TIME] = state.time
    return _memory(given_model, mesh, work, lies)


def _memory(model: Model, mesh: Mesh, work: Work, lies: Flags) -> FemWork:
    """Fresh memory around that of the steps."""
    first = build_mesh(model) if model.lines.winches.line.size else mesh
    s = first.s.copy()
    for line in np.flatnonzero(first.line[:, FLIPPED]):
        n = slice(first.node_start[line], first.node_start[line + 1])
        s[n] = s[n][::-1].copy()
    return FemWork(
        mesh=mesh,
        steps=work,
        misses=np.zeros(mesh.element.shape[0]),
        static=np.zeros(4),
        first=np.zeros(3),
        parted=np.full((model.lines.breaks.line.size, 2), -1.0),
        worst_miss=np.full(1, -1.0),
        start=first.node_start,
        s=s,
        lies=lies,
    )


def _scales(model: Model) -> tuple[float, float]:
    """A force (N) and a length (m) typical of the case."""
    lines, sections = model.lines, model.sections
    k = lines.piece_section
    g = max(model.sea.gravity, 1.0)
    weight = float(np.sum(sections.mass[k] * lines.piece_length)) * g / max(1, lines.length.size)
    lift = (
        model.sea.water_density * float(np.sum(sections.area[k] * lines.piece_length)) * g / max(1, lines.length.size)
    )
    body = float(np.max(model.bodies.mass, initial=0.0)) * g
    longest = float(np.max(lines.length, initial=0.0))
    return max(weight, lift, body, 1e-3), longest or float(np.max(np.abs(model.bodies.profile), initial=1.0))


def _settle(model: Model, work: FemWork, t: float) -> Report:
    """Put `work.steps.trial` and `now` at rest under the loads at time t, with the ends that then lie on the bed.

    An end that comes to lie and rises again stays where it is given.
    """
    iterations, turned = 0, np.zeros(work.lies.shape, dtype=int)
    while True:
        report = _settle_as_laid(model, work, t)
        iterations += report.iterations
        lies = lying(work.mesh, work.steps.trial.X[0])
        turned += lies != work.lies
        lies &= turned < MOST_TURNS
        if not report.good or np.array_equal(lies, work.lies):
            return replace(report, iterations=iterations)
        work.mesh, work.lies = laid_again(model, work.mesh, lies), lies


def _settle_as_laid(model: Model, work: FemWork, t: float) -> Report:
    """As `_settle`, on the mesh as it is."""
    force_scale, length_scale = _scales(model)
    outcome, iterations, force, miss = find_equilibrium(
        t, work.mesh, still_water(model.sea), model.motions, work.steps, force_scale, length_scale, work.steps.nodes,
        work.misses, 0.0,
    )  # fmt: skip
    copy_state(work.steps.trial, work.steps.now)
    work.static[:] = outcome, iterations, force, miss
    if outcome == CONVERGED:
        return Report(Status.DONE, "", iterations, force, miss)
    where = worst_place(model, work)
    if not force <= UNBOUNDED * force_scale:
        where = place(model, work.mesh, int(np.argmax(np.abs(work.misses))))
        message = (
            f"no shape meets the lengths of the lines: {miss:.3g} m are missed in {where}, and forces grow without "
            "bound; lengthen the line, or give it axial_stiffness"
        )
        return Report(Status.TOO_SHORT, message, iterations, force, miss)
    if miss / length_scale > force / force_scale:
        where = place(model, work.mesh, int(np.argmax(np.abs(work.misses))))
    message = (
        f"no equilibrium after {iterations} iterations: {force:.3g} N out of balance and {miss:.3g} m of length "
        f"missed, worst in {where}"
    )
    return Report(Status.NOT_CONVERGED, message, iterations, force, miss)


def _settle_gradually(model: Model, work: FemWork, state: State) -> Report:
    """As `_settle`; if that fails on free bodies, from `state` with current and wind brought on in steps.

    Lines that can push have equilibria with folded elements, too: with a free body they are settled slack first.
    """
    sea, sections = model.sea, model.sections
    has_bodies = bool(np.any(model.bodies.joint == LOOSE))
    if has_bodies and np.any(sections.compression):
        limp = model._replace(sections=sections._replace(compression=flags(np.zeros(sections.mass.size, dtype=bool))))
        mesh = work.mesh._replace(element=build_mesh(limp).element)
        first = _settle(limp, replace(work, mesh=mesh), state.time)
    else:
        first = Report()
    report = _settle(model, work, state.time)
    report = replace(report, iterations=report.iterations + first.iterations)
    if report.good or not has_bodies:
        return report
    _lay(model, state, work)
    for share in LOAD_STEPS:
        part = sea._replace(current_speed=share * sea.current_speed, wind_speed=share * sea.wind_speed)
        report = _settle(model._replace(sea=part), work, state.time)
        if not report.good:
            break
    if not report.good:
        _lay(model, _relaxed(model, state), work)
        report = _settle(model, work, state.time)
    return report


def _rub(model: Model, work: FemWork, t: float, report: Report) -> Report:
    """After `_settle`: the same with friction of the bed."""
    if not (report.good and work.mesh.has_bed and model.sea.bed_rest_friction > 0.0 and work.mesh.s.size):
        return report
    case = Case(t, work.mesh, still_water(model.sea), model.motions, *_scales(model))
    outcome, iterations, force, miss = rub(case, work.steps, work.misses)
    copy_state(work.steps.trial, work.steps.now)
    if outcome != CONVERGED:
        text = "friction of the bed is left out of the equilibrium: none was found with it"
        return replace(report, message=text, iterations=report.iterations + iterations)
    work.static[:] = outcome, report.iterations + iterations, force, miss
    return replace(report, iterations=report.iterations + iterations, residual_force=force, residual_position=miss)


def _body_positions(work: FemWork) -> Array:
    """(n_bodies, 3) m"""
    mesh = work.mesh
    last = mesh.s.size + mesh.motion.size
    positions: Array = work.steps.now.X[0, last - mesh.bodies.table.shape[0] : last]
    return positions


def _off_the_bed(model: Model, work: FemWork, report: Report) -> Report:
    """The report, or one that says which body would lie below the bed."""
    grounded = grounded_body(model, _body_positions(work))
    return replace(report, status=Status.NO_EQUILIBRIUM, message=grounded) if grounded else report


def _relaxed(model: Model, state: State) -> State:
    """Where a case comes to from `state` in still water by damped motion: nearly at rest, whatever the start."""
    calm = model._replace(sea=still_water(model.sea))
    rate = RELAXATION * np.sqrt(max(model.sea.gravity, 1.0) / _scales(model)[1])
    solver = MixedFem(start_at="as_given", damping=float(rate), ledger=False, tolerance=RELAXED)
    work = solver.start(calm, state)
    solver.advance(calm, work, state.time + RELAXATION_TIME / float(rate))
    return read_state(calm, work)._replace(time=state.time)


def _lay(model: Model, state: State, work: FemWork) -> None:
    """Put a state on the mesh of `work`."""
    copy_state(_make_work(model, state, 0.0).steps.trial, work.steps.trial)
    work.mesh.bodies.memory.attitude[:] = state.body_quaternion


@dataclass(frozen=True)
class MixedFem:
    """Dynamics by mixed elements."""

    name: ClassVar[str] = "mixed_fem"
    claims: ClassVar[frozenset[Claim]] = _LINE_CLAIMS | {Claim.DYNAMICS}

    tolerance: float = 3e-3  # velocity error of a step, as a share of the largest mean speed of a line
    step: float | None = None  # s, fixed
    integrator: Literal["generalised_alpha", "backward_euler", "leapfrog"] = "generalised_alpha"
    spectral_radius: float | None = None  # chosen by whether slack can occur
    damping: float = 0.0  # mass-proportional, 1/s
    start_at: Literal["equilibrium", "as_given"] = "equilibrium"
    ledger: bool = True  # keep the energy balance

    def start(self, model: Model, state: State) -> FemWork:
        """Mesh, memory, and the equilibrium or the given state on it."""
        refuse_unclaimed(self, model, frozenset({Claim.DYNAMICS}))
        if self.integrator == "leapfrog":
            refuse_leapfrog(model)
        settled = self.start_at == "equilibrium"
        if model.links.names and not settled:
            refuse_open_links(model, state)
        if settled and not np.any(state.tension > 0.0):
            state = calm_start(model, state)
        work = _make_work(model, state, self.damping)
        if settled:
            if not np.any(state.tension > 0.0):
                guess(model, work.mesh, work.steps)
            report = _settle_gradually(model, work, state)
            if not report.good:
                guess(model, work.mesh, work.steps)
                report = _settle(model, work, state.time)
            work.start_remark = _rub(model, work, state.time, report).message
        else:
            copy_state(work.steps.trial, work.steps.now)
        self._set(model, work)
        if self.start_at == "as_given":
            find_acceleration(model, work)
        restart_ledger(model, work)
        compiled_for(model, work, self.integrator == "leapfrog")
        return work

    def _set(self, model: Model, work: FemWork) -> None:
        """Fill the settings that the kernels read."""
        clock, settings = work.steps.clock, work.steps.settings
        force_scale, length_scale = _scales(model)
        longest = _longest_step(model)
        settings[steps.SCHEME] = BACKWARD_EULER if self.integrator == "backward_euler" else GENERALISED_ALPHA
        settings[steps.TOLERANCE] = self.tolerance
        settings[steps.FIXED_STEP] = self.step or 0.0
        settings[steps.LEAST_STEP] = LEAST_STEP
        settings[steps.MOST_STEP] = longest
        settings[steps.RADIUS] = -1.0 if self.spectral_radius is None else self.spectral_radius
        settings[steps.SPEED_FLOOR] = STILL * np.sqrt(max(model.sea.gravity, 1.0) * length_scale)
        settings[steps.TENSION_SCALE] = max(force_scale, float(np.max(work.steps.now.T, initial=0.0)))
        settings[steps.SLACK_LEVEL] = SLACK_SHARE * force_scale
        clock[steps.STEP] = FIRST_STEP * longest
        clock[steps.SMALLEST] = np.inf
        copy_state(work.steps.now, work.steps.last)
        copy_state(work.steps.now, work.steps.trial)
        settings[steps.LEDGER] = 1.0 if self.ledger else 0.0
        now = work.steps.now
        move_junctions(float(clock[steps.TIME]), work.mesh, model.motions, now.X)
        grip = work.steps.memory.grip
        if grip[FRICTION_ROW, 0] == 0.0:  # the bed holds nothing yet
            grip[GRIP:] = now.X[0]
        grip[FRICTION_ROW, 0] = work.mesh.friction
        work.first[:] = stored_energy(now.X, now.T, work.mesh, model.sea.gravity)

    def advance(self, model: Model, work: FemWork, t: float) -> Report:
        """Step to time t."""
        if work.static[0] != CONVERGED:
            _, iterations, force, miss = work.static
            text = (
                f"the run has no equilibrium to start from: {force:.3g} N out of balance, {miss:.3g} m missed; "
                "start it as_given, or look at the case by 'ropewalk static'"
            )
            return Report(Status.NOT_CONVERGED, text, int(iterations), float(force), float(miss))
        before = int(work.steps.count[steps.ITERATIONS])
        outcome = step_to(model, work, t, self.integrator == "leapfrog")
        count, clock = work.steps.count, work.steps.clock
        figures = Figures(lambda: self._figures(model, work))
        iterations = int(count[steps.ITERATIONS]) - before
        grounded = grounded_body(model, _body_positions(work)) if model.bodies.mass.size else ""
        if grounded:
            return Report(
                Status.NO_EQUILIBRIUM, f"at t = {clock[steps.TIME]:.6g} s {grounded}", iterations, figures=figures
            )
        if outcome == steps.REACHED:
            return Report(figures=figures, iterations=iterations)
        if outcome in (BLEW_UP, UNSTABLE):
            text = f"at t = {clock[steps.TIME]:.6g} s {leapfrog_message(outcome, clock, self.step)}"
            return Report(Status.NOT_FINITE, text, iterations, figures=figures)
        where = place(model, work.mesh, int(count[steps.FAIL_ELEMENT]))
        text = f"at t = {clock[steps.TIME]:.6g} s the step fell below {LEAST_STEP:g} s, worst in {where}"
        return Report(Status.STEP_TOO_SMALL, text, iterations, figures=figures)

    def _figures(self, model: Model, work: FemWork) -> dict[str, Any]:
        """What a run can tell of itself so far."""
        count, clock = work.steps.count.tolist(), work.steps.clock.tolist()
        figures: dict[str, Any] = {
            "steps": count[steps.STEPS],
            "rejected": count[steps.REJECTED],
            "newton_failures": count[steps.FAILED],
            "newton_iterations": count[steps.ITERATIONS],
            "smallest_step": clock[steps.SMALLEST],
            "largest_step": clock[steps.LARGEST],
            "parted": parted_lines(model, work) if work.parted.size else [],
            "start": work.start_remark,
        }
        if work.worst_miss[0] >= 0.0:
            figures["constraint_drift"] = float(work.worst_miss[0])
        if self.ledger:
            energy = energies(model, work)
            figures["energy"] = energy
            figures.update(shares(energy, work))
        return figures

    def read(self, model: Model, work: FemWork) -> State:
        """The State at the present time."""
        return read_state(model, work)

    def snapshot(self, work: FemWork) -> dict[str, Any]:
        """All that the next step depends on."""
        return snapshot_of(work)

    def restore(self, model: Model, snapshot: dict[str, Any]) -> FemWork:
        """The memory of which `snapshot` was taken."""
        mesh = restored_mesh(with_winches(model, build_mesh(model, self.damping), 0.0), snapshot)
        work = _memory(model, mesh, allocate(mesh), lying(mesh, snapshot["now_x"][0]))
        fill(work, snapshot)
        return work


@dataclass(frozen=True)
class MixedFemStatics:
    """Equilibrium by mixed elements."""

    name: ClassVar[str] = "fem"
    claims: ClassVar[frozenset[Claim]] = _LINE_CLAIMS | {Claim.STATICS}

    def start(self, model: Model, state: State) -> FemWork:
        """Mesh and memory; a state with tension is taken as the guess, else catenaries are."""
        refuse_unclaimed(self, model, frozenset({Claim.STATICS}))
        if not np.any(state.tension > 0.0):
            state = calm_start(model, state)
        work = _make_work(model, state, 0.0)
        if not np.any(state.tension > 0.0):
            guess(model, work.mesh, work.steps)
        copy_state(work.steps.trial, work.steps.now)
        return work

    def advance(self, model: Model, work: FemWork, t: float) -> Report:
        """The equilibrium under the loads at time t."""
        state = read_state(model, work)._replace(time=t)
        if model.lines.winches.line.size:
            fresh = _make_work(model, state, 0.0)
            work.mesh, work.steps, work.misses = fresh.mesh, fresh.steps, fresh.misses
            guess(lengthened(model, t), work.mesh, work.steps)
        report = _rub(model, work, t, _settle_gradually(model, work, state))
        report = _off_the_bed(model, work, report)
        if model.links.names:
            forces = dict(zip(model.links.names, link_loads(work.steps.now.X, work.mesh)[0].tolist(), strict=True))
            report = replace(report, figures={**report.figures, "links": forces})
        work.steps.clock[steps.TIME] = t
        return report

    def read(self, model: Model, work: FemWork) -> State:
        """The State found last."""
        return read_state(model._replace(sea=still_water(model.sea)), work)

    def stiffness(self, model: Model, work: FemWork) -> Array:
        """(n_bodies, 6, 6) of the lines on each body, about its origin; free points follow, other bodies stay."""
        calm = all_free(model._replace(sea=still_water(model.sea)))
        free = _make_work(calm, self.read(model, work), 0.0)
        return line_stiffness(calm, free.mesh, hold(free.mesh, calm.sea, free.steps))

    def tangent(self, model: Model, state: State) -> tuple[Array, Array]:
        """Tangent at the equilibrium `state` by all degrees of freedom, and what links hold; see `full_tangent`."""
        calm = model._replace(sea=still_water(model.sea))
        laid = _make_work(calm, state, 0.0)
        return full_tangent(calm, laid.mesh, hold(laid.mesh, calm.sea, laid.steps))


def still_water(sea: Sea) -> Sea:
    """The sea without its waves: what statics are for."""
    return sea._replace(wave=floats(np.zeros((sea.wave.shape[0], 0))))


def _longest_step(model: Model) -> float:
    """Steps must see the periods that drive the lines (s)."""
    shortest = STEPS_PER_PERIOD * LONGEST_STEP
    terms = model.motions.terms
    for omega in terms[terms[:, 3] != 0.0, 4]:
        if omega > 0.0:
            shortest = min(shortest, 2.0 * np.pi / omega)
    if model.motions.knots.size > 1:
        gaps = np.diff(model.motions.knots)
        shortest = min(shortest, 3.0 * float(np.min(gaps[gaps > 0.0], initial=np.inf)))
    ramps = model.lines.winches.ramp
    shortest = min(shortest, RAMP_PERIODS * float(np.min(ramps[ramps > 0.0], initial=np.inf)))
    wave = model.sea.wave
    if wave.shape[1] and model.sea.water_density > 0.0:
        energy = np.cumsum(wave[0] ** 2)
        if energy[-1] > 0.0:
            last = int(np.searchsorted(energy, (1.0 - SHORTEST_SHARE) * energy[-1]))
            shortest = min(shortest, 2.0 * np.pi / wave[1, last])
    return shortest / STEPS_PER_PERIOD
