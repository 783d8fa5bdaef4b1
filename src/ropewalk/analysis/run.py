"""The loop in time: the only one. Statics at its start, records and checkpoints on its way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ropewalk.analysis import start
from ropewalk.analysis.audit_records import Watch
from ropewalk.analysis.audit_run import RunAudit, is_driven, run_findings
from ropewalk.analysis.check import pulled_apart, refuse_pulled_apart
from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.in_parts import in_parts
from ropewalk.analysis.interrupts import Notice, termination
from ropewalk.analysis.progress import time_bar
from ropewalk.analysis.record_times import ROUND_OFF, Times, record_times
from ropewalk.analysis.repeat import may_repeat, refined, repeated
from ropewalk.analysis.run_files import (
    DOUBTS,
    attributes,
    check_resumable,
    events_of,
    facts_of,
    finish,
    finished,
    kept_doubts,
    recorder_for,
    to_dataset,
)
from ropewalk.analysis.shared_start import keep_pace, pace, work_of
from ropewalk.analysis.start import START_SETTINGS
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.protocol import Claim, Marching, Passage, Report, Solver, Status
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.fields import forget_trouble, trouble
from ropewalk.model.model import Model, build
from ropewalk.model.moments import Moments
from ropewalk.results.checkpoint import Resumable
from ropewalk.results.record import NotFiniteError, Recorded, Recorder, Table
from ropewalk.results.schema import DONE
from ropewalk.spec import arguments
from ropewalk.spec.fields import NO_FIELDS, Fields
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.state import State


PASSAGE_SECONDS = 0.05  # wall time for which a solver is left alone: signals wait so long, and a kill costs so much
PASSAGE_GROWTH = 8  # at most, from one passage to the next
MOST_IN_PASSAGE = 512  # records: memory stays bounded
CLOCK = 1e-9  # s, resolution of the clock: no shorter time is divided by
RUN_SETTINGS = ("tolerance", "step", "damping", "integrator")  # keys of `run:` that solvers may have as fields


class RunFailedError(ConvergenceError):
    """The numbers failed on the way; `results` holds all that came before (None if there is nothing)."""

    results: xr.Dataset | None = None


class AuditError(ConvergenceError):
    """A run is complete but fails its audit; `wrong` holds the doubts that are failures."""

    wrong: Sequence[Doubt] = ()


class InterruptedRunError(KeyboardInterrupt):
    """Ctrl-C; the message gives what was kept, `results` contains it (None if there is nothing)."""

    results: xr.Dataset | None = None


@dataclass
class Tally:
    """Where the loop stands, and the worst of what the solver reported. Part of every checkpoint."""

    next: int = 0  # index of the next time
    iterations: int = 0
    residual_force: float = 0.0  # N
    residual_position: float = 0.0  # m
    audit: dict[str, Any] = field(default_factory=dict)  # of RunAudit

    def count(self, report: Report, reached: int) -> None:
        """Take one passage through `reached` times into account."""
        self.next += reached
        self.iterations += report.iterations
        self.residual_force = max(self.residual_force, report.residual_force)
        self.residual_position = max(self.residual_position, report.residual_position)


def run(
    model: Model,
    solver: Solver,
    state: State | None,
    times: Sequence[float] | Times,
    recorder: Recorder,
    progress: Callable[[float], None] | None = None,
    notice: Notice | None = None,
    is_at_rest: bool = False,
) -> Report:
    """Advance through `times` (s, rising) and record every one; the Report sums up.

    The first time may be that of `state`: a solver asked to advance to where it is moves nothing and
    reports (a static one finds the equilibrium there). If the recorder holds a checkpoint, the run goes
    on from it and `state` is not used. ConvergenceError if an advance fails or a state is not finite; what was
    recorded before stays in the recorder. When a `notice` to end is given, KeyboardInterrupt after the next record and
    a checkpoint. What is at rest by `is_at_rest`, and driven by nothing, shall stay so; else it carries a doubt.
    """
    saved, report = recorder.saved, Report()
    if saved is None:
        if state is None:
            raise ValueError("a run needs a state to start from")
        work, tally = work_of(_at(model, solver, state.time), solver, state), Tally()
    else:
        assert isinstance(solver, Resumable)
        work, tally = solver.restore(model, saved.snapshot), Tally(**saved.loop)
    seen = RunAudit(**tally.audit)
    watch = Watch(model, seen, is_at_rest and not is_driven(model), is_at_rest and saved is None)
    if saved is None and is_at_rest and state is not None and hasattr(solver, "at_rest"):  # it is on its own bars
        seen.look_at_start(state, solver.read(model, work))
    if notice is not None:
        notice.is_watched = True
    for passage, size in _passages(model, solver, work, times[tally.next :], recorder.folder is None):
        report, moments = passage.report, passage.moments
        if moments is not None:
            try:
                recorder.take(moments, _surface(model, moments.time), passage.energy)
            except NotFiniteError as error:
                report = replace(report, status=Status.NOT_FINITE, message=str(error))
                raise ConvergenceError(_stopped(recorder, error.time, times[-1], str(error)), report) from None
            watch.take(moments, passage.shares or (passage.energy,))
        reached = 0 if moments is None else moments.time.size
        tally.count(report, reached)
        if not report.good:
            t = float(times[tally.next])
            why = pulled_apart(model, t) or report.message or report.status.value
            raise ConvergenceError(_stopped(recorder, t, times[-1], why), report)
        assert reached == size
        is_ending = notice is not None and notice.is_given
        if recorder.is_due or is_ending:
            tally.audit = watch.saved()
            recorder.save(solver.snapshot(work) if isinstance(solver, Resumable) else None, asdict(tally))
        if is_ending:
            raise KeyboardInterrupt
        if progress is not None:
            progress(float(times[tally.next - 1]))
    watch.look()
    return _audited(
        model,
        seen,
        replace(
            report,
            iterations=tally.iterations,
            residual_force=tally.residual_force,
            residual_position=tally.residual_position,
        ),
    )


def _passages(
    model: Model, solver: Solver, work: Any, times: Sequence[float] | Times, in_memory: bool
) -> Iterator[tuple[Passage, int]]:
    """Passages through `times`, so many of them at once as take PASSAGE_SECONDS, and how many that are.

    What is computed does not depend on how the times are shared out.  in_memory : all moments are kept there
    """
    march = solver.march if isinstance(solver, Marching) else _one_by_one(model, solver)
    is_marching = isinstance(solver, Marching)
    size, done = min(max(int(PASSAGE_SECONDS * pace()), 1), MOST_IN_PASSAGE) if is_marching else 1, 0
    while done < len(times):
        batch = np.array(times[done : done + size], dtype=np.float64)
        begun = monotonic()
        yield march(model, work, batch, len(times) - done - batch.size if in_memory else 0), batch.size
        spent = max(monotonic() - begun, CLOCK)  # with the recording
        done += batch.size
        size = int(min(max(batch.size * PASSAGE_SECONDS / spent, 1), PASSAGE_GROWTH * batch.size, MOST_IN_PASSAGE))
        size = size if is_marching else 1
        keep_pace(batch.size / spent)


def _one_by_one(model: Model, solver: Solver) -> Callable[[Model, Any, Times, int], Passage]:
    """`march` of a solver that has none, for one time."""
    nodes: list[tuple[Ints, Array]] = []  # of the first record
    last: list[State] = []  # of statics under loads that change

    def march(model: Model, work: Any, times: Times, more: int) -> Passage:
        present = _at(model, solver, float(times[0]))
        if present is not model:  # an equilibrium under other loads than the last
            from ropewalk.model.state import initial_state

            work = solver.start(present, last[0] if last else initial_state(present))
        try:
            report = solver.advance(present, work, float(times[0]))
        except ConvergenceError as error:  # what was recorded before is kept, and the message of the run names it
            if not isinstance(error.report, Report) or error.report.good:
                raise
            report = replace(error.report, message=str(error))
        if not report.good:
            return Passage(report, None, {})
        now = solver.read(present, work)
        last[:] = [now]
        nodes.append((now.start, now.s))
        if Claim.STATICS in solver.claims:
            from ropewalk.model.state import on_nodes  # when used: it loads more than runs in time need

            now = on_nodes(now, *nodes[0])
        del nodes[1:]
        energy = report.figures.get("energy") or {}
        return Passage(report, Moments.of([now]), {name: np.array([value]) for name, value in energy.items()})

    return march


def _at(model: Model, solver: Solver, t: float) -> Model:
    """The model as a solver is to see it at time t (s): statics get the loads of that time."""
    from ropewalk.model.given import changes, still

    return still(model, t) if Claim.STATICS in solver.claims and changes(model) else model


def _audited(model: Model, seen: RunAudit, report: Report) -> Report:
    """The report with the doubts of the run; AuditError if it fails its audit."""
    found = list(run_findings(model, seen, report.figures))
    report = replace(report, figures={**report.figures, DOUBTS: [doubt for doubt, _ in found]})
    wrong = [doubt for doubt, failed in found if failed]
    if wrong:
        sentences = "; ".join(doubt.sentence for doubt in wrong)
        text = f"the run is complete but fails its audit: {sentences}; its results are kept"
        failed = AuditError(text, replace(report, status=Status.NOT_CONVERGED, message=text))
        failed.wrong = wrong
        raise failed
    return report


def simulate(
    system: Source,
    duration: float | None = None,
    *,
    solver: str | Solver | None = None,
    output: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    resume: bool = False,
    events: bool = True,
    fields: Fields | Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Simulate a case in time; returns a Dataset in memory, or one read from the file `output`.

    duration : s; that of the case unless given
    solver : a name, or a solver with its settings; that of the case unless given
    output : records go to a folder beside it while they are computed and become this file at the end
    progress : show a bar; unless given, on a terminal only
    resume : continue from the last checkpoint that a stopped run left for `output`
    events : search the records for events such as slack and snap loads; kept as an attribute
    fields : user functions: loads, a current, axial laws, properties along s (`ropewalk.Fields`)

    RunFailedError and InterruptedRunError contain the results up to the time at which the run stopped.

    >>> import ropewalk as rw
    >>> run = rw.simulate("mooring.yaml", 4.0)
    >>> run.end_tension.sel(line="west", end="B").sizes
    Frozen({'time': 9})
    >>> run.rw
    <ropewalk 'chain under a fairlead' run: 0 to 4 s in 9 records; 1 line>
    """
    results = to_dataset(simulated(system, duration, solver, output, resume, progress, events, Fields.of(fields)))
    assert results is not None
    return results


def simulated(
    system: Source,
    duration: float | None,
    solver: str | Solver | None,
    output: str | os.PathLike[str] | None,
    resume: bool = False,
    progress: bool | None = None,
    events: bool = True,
    functions: Fields = NO_FIELDS,
) -> Recorded:
    """As :func:`simulate`, without a Dataset where the results fit into memory."""
    output = None if output is None else arguments.path(output)
    case = _case(System.of(system), duration, solver, functions)
    attrs = attributes(case.system, case.method, case.duration, case.functions)
    if resume and output is not None and (done := finished(output, attrs)) is not None:
        return done
    with recorder_for(case.model, attrs, output, resume, case.first) as recorder:
        if resume:
            check_resumable(recorder, case.method)
        facts = _recorded(case, recorder, output, progress)
        happened = partial(events_of, system=case.system, model=case.model) if events else None
        results = finish(recorder, output, DONE, facts=facts, happened=happened)
        assert results is not None
        return results


def record(system: Source) -> tuple[Table, dict[str, str]]:
    """Run a case in time; its records as plain arrays, for statistics alone, and facts about the whole run.

    Fails as :func:`simulate` does.
    """
    case = _case(System.of(system), None, None, NO_FIELDS)
    with recorder_for(case.model, {}, None, False, case.first) as recorder:
        facts = _recorded(case, recorder, None, False)
        table = recorder.table()
        assert table is not None
        return table, facts


class _Case(NamedTuple):
    """What a run needs of its case."""

    system: System
    functions: Fields
    model: Model
    method: Solver
    duration: float  # s
    times: Times  # s
    first: float  # s, of the first record that is kept
    repeats: bool  # with finer steps, if the energies of the run fail its audit or its steps are too long


def _case(system: System, duration: float | None, solver: str | Solver | None, functions: Fields) -> _Case:
    duration = _duration(system, duration)
    model = build(system, functions)
    forget_trouble(model.fields)
    method = solver_for(system, model, solver)
    refuse_pulled_apart(model, duration)
    kept = system.record
    times = record_times(duration, kept.every, kept.start)
    first = kept.start - ROUND_OFF * kept.every  # the record at the start itself is kept
    repeats = may_repeat(system, solver, method)
    return _Case(system, functions, model, method, duration, times, first, repeats)


def _recorded(
    case: _Case, recorder: Recorder, output: str | os.PathLike[str] | None, progress: bool | None
) -> dict[str, str]:
    """Fill the recorder; facts about the whole run."""
    at_rest: Sequence[Doubt] = ()
    system, model, method, duration = case.system, case.model, case.method, case.duration
    try:
        with termination() as notice, time_bar(progress, duration) as show:
            state, at_rest = (None, kept_doubts(recorder)) if recorder.saved is not None else _first(case)
            is_at_rest = start.start_setting(system) == start.EQUILIBRIUM
            while True:
                recorder.attrs[DOUBTS] = doubts_as_json(at_rest)
                method = refined(case.method, at_rest)
                apart = method if case.functions.names() else in_parts(system, model, method)
                try:
                    report = run(model, apart, state, case.times, recorder, show, notice, is_at_rest)
                    break
                except ConvergenceError as error:
                    wrong = error.wrong if isinstance(error, AuditError) else ()
                    report = error.report if isinstance(error.report, Report) else Report()
                    again = repeated(case.method, at_rest, wrong, report) if case.repeats else None
                    if again is None:
                        raise
                    state, at_rest = _first(case)[0] if state is None else state, [*at_rest, again]
                    recorder.restart()
    except ConvergenceError as error:
        reason = run_trouble(model, str(error))
        failed = RunFailedError(reason, error.report)
        failed.results = to_dataset(finish(recorder, output, reason, facts=facts_of(error.report, at_rest)))
        raise failed from None
    except KeyboardInterrupt:
        raise _interrupted(recorder, method, output, duration) from None
    return facts_of(report, at_rest)


def _first(case: _Case) -> tuple[State, Sequence[Doubt]]:
    """Where a run begins, and the doubts of that."""
    return start.first_state(case.system, case.model, case.method, case.functions)


def run_trouble(model: Model, reason: str) -> str:
    """Why a run failed: that, or what went wrong in a function of the user's."""
    found = trouble(model.fields, {"lines": model.names.lines, "sections": model.names.sections})
    return f"{found}; {reason}" if found else reason


# --- what a run is made of ---


def _duration(system: System, duration: float | None) -> float:
    if duration is None:
        if system.run is None:
            raise InputError("the case has no run; give it 'run: {duration: ...}', or give a duration (--duration)")
        duration = system.run.duration
    duration = arguments.number("duration", duration)
    if not 0.0 < duration < np.inf:
        raise InputError(f"duration {duration:g} s: it must be positive and finite")
    if system.record.start > duration:
        raise InputError(
            f"record.start {system.record.start:g} s is after the end of the run, {duration:g} s; nothing would be kept"
        )
    return float(duration)


def solver_for(system: System, model: Model, solver: str | Solver | None) -> Solver:
    """The solver asked for, with the settings of the case; 'auto' is the first that claims the case."""
    if solver is not None and not isinstance(solver, str):
        if hasattr(solver, "advance"):
            return solver
        raise InputError(f"solver must be a name, as in 'mixed_fem', or a solver, not {type(solver).__name__}")
    from ropewalk.methods.claims import demands
    from ropewalk.methods.registry import IN_TIME, solver_class

    name = solver or (system.run.solver if system.run is not None else "auto")
    if name != "auto":
        return _with_settings(solver_class(name), system)
    asked = demands(model) | {Claim.DYNAMICS}
    missing: list[str] = []
    for name in IN_TIME:
        cls = solver_class(name)
        if asked <= cls.claims:
            return _with_settings(cls, system)
        missing.append(f"{name} lacks {', '.join(sorted(claim.value for claim in asked - cls.claims))}")
    raise InputError(f"no solver supports a simulation of this case: {'; '.join(missing)}")


def _with_settings(cls: Any, system: System) -> Solver:
    known = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
    given: dict[str, Any] = {}
    if system.run is not None:
        asked = {name: getattr(system.run, name) for name in RUN_SETTINGS if name in system.run.model_fields_set}
        given = {name: value for name, value in asked.items() if value is not None}
    for name, value in given.items():
        if name not in known and value != 0.0:
            shown = value if isinstance(value, str) else f"{value:g}"
            raise InputError(f"run.{name} {shown}: solver '{cls.name}' has no such setting; leave it out")
    if system.run is not None:
        given.update(dict.fromkeys(START_SETTINGS, start.start_setting(system)))
        if system.run.solver == cls.name:
            given.update(system.run.options)
    if system.statics.accuracy is not None:
        given["accuracy"] = system.statics.accuracy
    made: Solver = cls(**{name: value for name, value in given.items() if name in known})
    return made


def _surface(model: Model, times: Times) -> Array:
    """(n,) elevation at the origin, m."""
    if model.sea.wave.shape[1] == 0:
        return np.zeros(times.size)
    from ropewalk.physics.elevations import elevations

    origin = np.zeros(times.size)
    surface: Array = elevations(model.sea.wave, origin, origin, np.array(times))
    return surface


def _stopped(recorder: Recorder, t: float, end: float, why: str) -> str:
    kept = f"kept {recorder.rows} records up to t = {recorder.last_time:g} s" if recorder.rows else "nothing was kept"
    return f"the run failed before t = {t:g} s (duration {end:g} s): {why}; {kept}"


def _interrupted(
    recorder: Recorder, solver: Solver, output: str | os.PathLike[str] | None, duration: float
) -> InterruptedRunError:
    if recorder.rows == 0:
        return InterruptedRunError("interrupted before the first record; nothing was kept")
    can_resume = output is not None and isinstance(solver, Resumable)
    sentence = f"interrupted at t = {recorder.last_time:g} s of {duration:g} s"
    results = finish(recorder, output, sentence, keep=can_resume)
    where = f"; {recorder.rows} records are in {output}" if output is not None else ""
    error = InterruptedRunError(f"{sentence}{where}{'; --resume continues it' if can_resume else ''}")
    error.results = to_dataset(results)
    return error
