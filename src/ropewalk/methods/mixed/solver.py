"""Lines in time by mixed finite elements: positions and tension as unknowns, implicit steps, no step to tune.

The method is that of [Montano2005] with lumped mass, generalised-alpha steps and block elimination; the theory
page of the documentation has the equations and what was corrected in them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ropewalk.assembly.link_start import refuse_open_links
from ropewalk.assembly.mesh import build_mesh, lying
from ropewalk.assembly.ropes import wake_ropes
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.mixed import steps
from ropewalk.methods.mixed.accuracy import ACCURACY, mesh_for_run
from ropewalk.methods.mixed.body_start import calm_start, first_grounded, grounded_body
from ropewalk.methods.mixed.equilibrium import CONVERGED, guess
from ropewalk.methods.mixed.events import (
    compiled_for,
    copy_state,
    find_acceleration,
    has_events,
    loosen,
    march_to,
    meet_lengths,
    restart_ledger,
    step_to,
    take_blow,
)
from ropewalk.methods.mixed.leapfrog import BLEW_UP, UNSTABLE, leapfrog_message, refuse_leapfrog
from ropewalk.methods.mixed.ledger import stored_energy
from ropewalk.methods.mixed.memory import fill, restored_mesh, snapshot_of
from ropewalk.methods.mixed.nested import settle_nested, with_elements
from ropewalk.methods.mixed.payout import with_winches
from ropewalk.methods.mixed.reading import fields_of, new_tape
from ropewalk.methods.mixed.report import (
    FemWork,
    energies,
    energy_terms,
    parted_lines,
    place,
    read_now,
    read_state,
    reading_for,
    shares,
)
from ropewalk.methods.mixed.scheme import BACKWARD_EULER, GENERALISED_ALPHA
from ropewalk.methods.mixed.settle import (
    LINE_CLAIMS,
    body_positions,
    fresh_memory,
    make_work,
    rub_on_bed,
    scales,
    settle,
    still_water,
)
from ropewalk.methods.mixed.steps import allocate, move_junctions
from ropewalk.methods.protocol import Claim, Figures, Passage, Pulls, Report, Status
from ropewalk.model.arrays import Array
from ropewalk.model.in_time import pieces_of
from ropewalk.model.model import Model
from ropewalk.model.moments import Moments
from ropewalk.model.state import State

FINER = 0.1  # of the tolerance, of a run that is repeated
LEAST_STEP = 1e-7  # s; below it a run is given up
LONGEST_STEP = 2.0  # s, where nothing periodic drives the lines
STEPS_PER_PERIOD = 12  # at least, of the shortest period of motions and waves that matters
STEPS_PER_SHEDDING = 40  # at least, of the shortest period in which vortices leave: phases are integrated with them
RAMP_PERIODS = 2.0  # periods for which the ramp of a winch counts
SHORTEST_SHARE = 0.02  # of the waves' energy may have shorter periods than the one that matters
STILL = 1e-3  # of the speed sqrt(g L): the least speed that errors are measured against
SLACK_SHARE = 0.02  # of a line's weight: tension below which slack is near
FIRST_STEP = 0.02  # of the longest


@dataclass(frozen=True)
class MixedFem:
    """Dynamics by mixed elements."""

    name: ClassVar[str] = "mixed_fem"
    claims: ClassVar[frozenset[Claim]] = LINE_CLAIMS | {Claim.DYNAMICS}

    tolerance: float = 3e-3  # velocity error of a step, as a share of the largest mean speed of a line
    step: float | None = None  # s, fixed
    integrator: Literal["generalised_alpha", "backward_euler", "leapfrog"] = "generalised_alpha"
    spectral_radius: float | None = None  # chosen by whether slack can occur
    damping: float = 0.0  # mass-proportional, 1/s
    start_at: Literal["equilibrium", "as_given"] = "equilibrium"
    ledger: bool = True  # keep the energy balance
    accuracy: float = ACCURACY  # wanted discretisation error of end tensions at rest, where elements are not given
    lanes: bool = True  # lines, or the halves of one, go side by side in vector registers where they can

    def finer(self, repeats: int) -> tuple[MixedFem, str, str]:
        """With a smaller tolerance, for a run that is repeated; see analysis/repeat.py."""
        tolerance = float(f"{self.tolerance * FINER**repeats:.6g}")  # as its decimals are read
        return replace(self, tolerance=tolerance), f"run.tolerance {tolerance:g}", "run.tolerance"

    def start(self, model: Model, state: State) -> FemWork:
        """Mesh, memory, and the equilibrium or the given state on it."""
        return self.begin(model, self.settled(model, state))

    def settled(self, model: Model, state: State) -> FemWork:
        """The first part of `start`: all that waves and motions have nothing to do with."""
        refuse_unclaimed(self, model, frozenset({Claim.DYNAMICS}))
        if self.integrator == "leapfrog":
            refuse_leapfrog(model)
        settled = self.start_at == "equilibrium"
        if model.links.names and not settled:
            refuse_open_links(model, state)
        if settled and not np.any(state.tension > 0.0):
            state = calm_start(model, state)
        work = make_work(model, state, self.damping, settles=settled)
        if settled:
            self._settle(model, work, state)
            if work.rest[0].outcome == CONVERGED:
                counts, error = mesh_for_run(model, work, state.time, self.accuracy)
                if not np.array_equal(counts, work.counts):
                    found = read_state(model._replace(sea=still_water(model.sea)), work)
                    work.take(make_work(with_elements(model, counts), found, self.damping))
                    self._settle(with_elements(model, counts), work, found)
                work.rest[0].mesh_error = error
        else:
            copy_state(work.steps.trial, work.steps.now)
        return work

    def begin(self, model: Model, work: FemWork) -> FemWork:
        """The second part of `start`, on the memory of the first."""
        work.take_functions(model.functions)
        work.lanes = self.lanes
        self._set(model, work)
        if self.start_at == "as_given":
            loosen(work)
            meet_lengths(model, work)
            take_blow(model, work)
            find_acceleration(model, work)
        compiled_for(model, work, self.integrator == "leapfrog")
        restart_ledger(model, work)  # with lines side by side, if they are
        return work

    def _settle(self, model: Model, work: FemWork, state: State) -> None:
        """Put `work` at rest, friction included."""
        if not np.any(state.tension > 0.0):
            guess(model, work.mesh, work.steps)
        report = settle_nested(model, work, state)
        if not report.good:
            guess(model, work.mesh, work.steps)
            report = rub_on_bed(model, work, state.time, settle(model, work, state.time))
        work.start_remark = report.message

    def _set(self, model: Model, work: FemWork) -> None:
        """Fill the settings that the kernels read."""
        clock, settings = work.steps.clock[0], work.steps.settings[0]
        force_scale, length_scale = scales(model)
        longest = longest_step(model)
        settings.scheme = BACKWARD_EULER if self.integrator == "backward_euler" else GENERALISED_ALPHA
        settings.tolerance = self.tolerance
        settings.fixed_step = self.step or 0.0
        settings.least_step = LEAST_STEP
        settings.most_step = longest
        settings.has_radius, settings.radius = float(self.spectral_radius is not None), self.spectral_radius or 0.0
        settings.speed_floor = STILL * np.sqrt(max(model.sea.gravity, 1.0) * length_scale)
        settings.tension_scale = max(force_scale, float(np.max(work.steps.now.T, initial=0.0)))
        settings.slack_level = SLACK_SHARE * force_scale
        clock.step = FIRST_STEP * longest
        clock.smallest = np.inf
        copy_state(work.steps.now, work.steps.last)
        copy_state(work.steps.now, work.steps.trial)
        settings.ledger = 1.0 if self.ledger else 0.0
        now = work.steps.now
        if work.mesh.rope.shape[0]:
            wake_ropes(now.T, work.mesh)
        move_junctions(float(clock.time), work.mesh, model.motions, now.X)
        grip = work.steps.memory.grip
        if grip.friction[0].coefficient == 0.0:  # the bed holds nothing yet
            grip.hold.place = now.X[0]
        grip.friction[0].coefficient = work.mesh.friction
        work.first[:] = stored_energy(now.X, work.mesh, model.sea.gravity)

    def advance(self, model: Model, work: FemWork, t: float) -> Report:
        """Step to time t."""
        if work.rest[0].outcome != CONVERGED:
            return _no_start(work)
        before = int(work.steps.count[0].iterations)
        outcome = step_to(model, work, t, self.integrator == "leapfrog")
        report = self._report(model, work, outcome, int(work.steps.count[0].iterations) - before)
        sunk = grounded_body(model, body_positions(work)) if model.bodies.mass.size else ""
        return _grounded(report, float(work.steps.clock[0].time), sunk) if sunk else report

    def march(self, model: Model, work: FemWork, times: Array, more: int = 0) -> Passage:
        """Step to each of `times` in one call of compiled code; one by one where the mesh may change or links hold."""
        if work.rest[0].outcome != CONVERGED:
            return Passage(_no_start(work), None, {})
        if has_events(model, work) or model.links.names:
            return self._walk(model, work, times)
        tape = work.tape_for(times.size, more)
        reached, outcome, iterations = march_to(model, work, times, tape, self.integrator == "leapfrog")
        report = self._report(model, work, outcome, iterations)
        sunk = first_grounded(model, tape.body_position[:reached]) if model.bodies.mass.size else None
        if sunk is not None:
            reached = sunk
            text = grounded_body(model, tape.body_position[reached])
            report = _grounded(report, float(tape.time[reached]), text)
        if reached == 0:
            return Passage(report, None, {})
        energy = energy_terms(tape.stored[:reached], tape.work[:reached], work.first) if self.ledger else {}
        reading = reading_for(model, work)
        moments = Moments(tape.time[:reached], work.mesh.node_start, reading.s, fields_of(tape, reached))
        return Passage(report, moments, energy)

    def advance_pulling(self, model: Model, work: FemWork, t: float) -> tuple[Report, Pulls]:
        """Step to time t, and the forces on points and bodies there; in one compiled call if nothing interrupts."""
        if work.forces is None or work.forces.position.shape[1] != work.mesh.s.size:
            work.forces = new_tape(1, work.mesh, work.worst_miss)
        tape = work.forces
        if work.rest[0].outcome != CONVERGED or has_events(model, work):
            report = self.advance(model, work, t)
            if report.good:
                tape = work.forces = new_tape(1, work.mesh, work.worst_miss)
                read_now(model, work, tape)
        else:
            _, outcome, iterations = march_to(model, work, np.array([t]), tape, self.integrator == "leapfrog")
            report = self._report(model, work, outcome, iterations)
            has_free = work.mesh.dof.shape[0] > 0
            if has_free and model.bodies.mass.size and (sunk := grounded_body(model, tape.body_position[0])):
                report = _grounded(report, t, sunk)
        return report, Pulls(tape.point_force[0], tape.wrench[0])

    def _walk(self, model: Model, work: FemWork, times: Array) -> Passage:
        """As `march`, one time after the other."""
        states: list[State] = []
        terms: list[dict[str, float]] = []
        report, iterations = Report(), 0
        for t in times.tolist():
            report = self.advance(model, work, t)
            iterations += report.iterations
            if not report.good:
                break
            states.append(read_state(model, work))
            terms += [energies(model, work)] if self.ledger else []
        energy = {name: np.array([term[name] for term in terms]) for name in terms[0]} if terms else {}
        return Passage(replace(report, iterations=iterations), Moments.of(states) if states else None, energy)

    def _report(self, model: Model, work: FemWork, outcome: int, iterations: int) -> Report:
        """How an advance ended."""
        figures = Figures(lambda: self._figures(model, work))
        if outcome == steps.REACHED:
            return Report(figures=figures, iterations=iterations)
        count, clock = work.steps.count[0], work.steps.clock[0]
        if outcome in (BLEW_UP, UNSTABLE):
            text = f"at t = {clock.time:.6g} s {leapfrog_message(outcome, clock, self.step)}"
            return Report(Status.NOT_FINITE, text, iterations, figures=figures)
        where = place(model, work.mesh, int(count.fail_element))
        text = f"at t = {clock.time:.6g} s the step fell below {LEAST_STEP:g} s, worst in {where}"
        if outcome == steps.STALLED:
            text = (
                f"at t = {clock.time:.6g} s the run advances by less than {clock.last_step:.1g} s per step: Newton's "
                f"method fails at longer ones, worst in {where}; give the lines another number of elements or damping"
            )
        return Report(Status.STEP_TOO_SMALL, text, iterations, figures=figures)

    def _figures(self, model: Model, work: FemWork) -> dict[str, Any]:
        """Figures of the run so far."""
        count, clock = work.steps.count[0], work.steps.clock[0]
        figures: dict[str, Any] = {
            "steps": int(count.steps),
            "rejected": int(count.rejected),
            "newton_failures": int(count.failed),
            "newton_iterations": int(count.iterations),
            "smallest_step": float(clock.smallest),
            "largest_step": float(clock.largest),
            "parted": parted_lines(model, work) if work.parted.size else [],
            "start": work.start_remark,
        }
        if self.step is not None:
            figures["fixed_step"] = self.step
        if np.isfinite(error := float(work.rest[0].mesh_error)):
            figures |= {"discretisation_error": error, "accuracy": self.accuracy}
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
        work = fresh_memory(model, mesh, allocate(mesh), lying(model, mesh, snapshot["now_x"][0]))
        fill(work, snapshot)
        work.lanes = self.lanes
        return work


def _no_start(work: FemWork) -> Report:
    """There is no equilibrium to start from."""
    _, iterations, force, miss, _ = work.rest[0].tolist()
    text = (
        f"the run has no equilibrium to start from: residual force {force:.3g} N, length error {miss:.3g} m; "
        "start it with start: as_given, or inspect the case with 'ropewalk static'"
    )
    return Report(Status.NOT_CONVERGED, text, iterations, force, miss)


def _grounded(report: Report, t: float, why: str) -> Report:
    """A body has sunk through the bed."""
    return replace(report, status=Status.NO_EQUILIBRIUM, message=f"at t = {t:.6g} s {why}")


def _shedding_period(model: Model) -> float:
    """Shortest period in which vortices leave lines in the current, s; infinite where none do."""
    lift, speed = model.sections.lift, model.sea.current_speed
    if speed <= 0.0:
        return np.inf
    shed = lift[np.unique(model.lines.piece_section[lift.coefficient[model.lines.piece_section] > 0.0])]
    if not shed.size or model.sea.water_density <= 0.0:
        return np.inf
    return float(np.min(shed.diameter / ((shed.centre + shed.width) * speed)))


def longest_step(model: Model) -> float:
    """Steps must see the periods that drive the lines (s)."""
    shortest = STEPS_PER_PERIOD * LONGEST_STEP
    terms, functions = model.functions.term, model.functions
    rates = terms.omega[(terms.amplitude != 0.0) & (terms.omega > 0.0)]
    if rates.size:
        shortest = min(shortest, 2.0 * np.pi / float(np.max(rates)))
    driving = range(functions.function.size) if functions.knot.size else ()
    tables = set(driving) - set(model.lines.winches.function.tolist())
    gaps = [np.diff(pieces_of(functions, i).time[1:]) for i in tables]  # the first piece is what holds before a table
    shortest = min(shortest, 3.0 * min((float(gap.min()) for gap in gaps if gap.size), default=np.inf))
    ramps = model.lines.winches.ramp
    shortest = min(shortest, RAMP_PERIODS * float(np.min(ramps[ramps > 0.0], initial=np.inf)))
    shortest = min(shortest, STEPS_PER_PERIOD / STEPS_PER_SHEDDING * _shedding_period(model))
    wave = model.sea.wave
    if wave.shape[1] and model.sea.water_density > 0.0:
        energy = np.cumsum(wave[0] ** 2)
        if energy[-1] > 0.0:
            last = int(np.searchsorted(energy, (1.0 - SHORTEST_SHARE) * energy[-1]))
            shortest = min(shortest, 2.0 * np.pi / wave[1, last])
    return shortest / STEPS_PER_PERIOD
