"""The sweep: cases made, done and kept, and one result of them all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ropewalk.analysis.interrupts import termination
from ropewalk.errors import InputError
from ropewalk.io import netcdf
from ropewalk.post.window import ramp_end
from ropewalk.spec.system import System
from ropewalk.sweep.expand import Plan, plan_of, read_sweep
from ropewalk.sweep.frames import DONE, Outcome
from ropewalk.sweep.journal import Journal, is_begun, journal_folder
from ropewalk.sweep.local import Crew, Job
from ropewalk.sweep.progress import Progress, duration, size, sweep_bar
from ropewalk.sweep.result import to_dataset

if TYPE_CHECKING:
    import xarray as xr

TYPICAL_SECONDS = 20.0  # of a case that is long beside what its worker loads
IDENTITY = "identity"  # attribute of a result: the hash of the plan that it came from


class InterruptedSweepError(KeyboardInterrupt):
    """Ctrl-C or SIGTERM; the message gives what is kept and how to continue."""


def sweep(
    source: System | str | os.PathLike[str],
    vary: Mapping[Any, Any] | Sequence[Any] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> xr.Dataset:
    """Many load cases of a system; one Dataset over `case` with the factors as coordinates.

    source : a System, a case file with `vary`, or a sweep file without
    vary : values by key (a tuple of keys for several), or a list of factors as in the file
    output : result file, with a journal beside it that survives a crash; without it the result stays in memory
    jobs : cases at a time, as many as cores unless given    scheduler : address of a Dask cluster to run on
    resume : compute only the missing cases of a stopped sweep    progress : show a bar; by default on a terminal
    options : `do`, `combine`, `samples`, `seed`, `keep` and `limits` as in the file

    A case that fails is a row of NaN with its `status` and `reason`. Raises InputError, before
    anything runs or is written, if a case is invalid.

    >>> import ropewalk as rw
    >>> found = rw.sweep("mooring.yaml", {"lines.west.pieces.0.length": [425.0, 430.0]}, do="static", jobs=1)
    >>> (1e-3 * found.end_tension.sel(line="west", end="B")).values.round(1)  # kN
    array([432.5, 319. ])
    """
    with early_crew(jobs, scheduler) as crew:
        plan = make_plan(source, vary, options)
        return run_plan(plan, output=output, scheduler=scheduler, crew=crew, resume=resume, progress=progress)


def early_crew(jobs: int | None, scheduler: str | None) -> Crew:
    """Workers that start while the cases are expanded and checked; none for a cluster, which has its own."""
    crew = Crew(jobs)
    return crew if scheduler is not None else crew.start()


def make_plan(
    source: System | str | os.PathLike[str], vary: Mapping[Any, Any] | Sequence[Any] | None, options: dict[str, Any]
) -> Plan:
    """The checked plan of a sweep."""
    if vary is None:
        if isinstance(source, System) or options:
            raise InputError("a sweep of a system needs the factors to vary; give vary, or a sweep file alone")
        if not isinstance(source, str | os.PathLike):
            raise InputError(f"a sweep file, or a System and what to vary, is needed, not {type(source).__name__}")
        plan = read_sweep(Path(source))
    else:
        plan = plan_of(System.of(source), vary, **options)
    _check_question(plan)
    return plan


def run_plan(
    plan: Plan,
    *,
    output: str | os.PathLike[str] | None = None,
    crew: Crew | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    progress: bool | None = None,
    tell: Callable[[str], None] | None = None,
) -> xr.Dataset:
    """Do the cases of a plan.

    crew : workers that do them, one for each core unless given
    tell : takes a sentence with the estimated time and disk once it can be judged
    """
    crew = crew or Crew()
    if output is None:
        if resume or plan.sweep.keep == "files":
            raise InputError("--resume and 'keep: files' need an output, the file that the sweep writes")
        with tempfile.TemporaryDirectory(prefix="ropewalk-sweep-") as folder:
            return run_plan(plan, output=Path(folder) / "sweep.nc", scheduler=scheduler, crew=crew,
                            progress=progress).load()  # fmt: skip
    target = Path(output)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise InputError(f"{target} cannot be written: {'it is a folder' if target.is_dir() else 'no such folder'}")
    if resume and (finished := _finished(plan, target)) is not None:
        return finished
    is_stopped = resume and is_begun(target)
    journal = Journal.resume(target, plan.identity) if is_stopped else _new_journal(plan, target)
    try:
        journal.forget_lost()
        if plan.sweep.keep == "files":
            cases_folder(target).mkdir(exist_ok=True)
        _do_all(plan, journal, target, _engine(plan, crew, scheduler), progress, tell)
        netcdf.write(to_dataset(plan, journal).assign_attrs({IDENTITY: plan.identity}), target)
        if not journal.is_worth_keeping:
            journal.remove()
    finally:
        journal.close()
    return netcdf.open_results(target)


def cases_folder(output: Path) -> Path:
    """Where the whole results of cases are kept."""
    return output.with_name(output.stem + "_cases")


def case_file(output: Path, case: int, cases: int) -> Path:
    """The whole result of one case."""
    return cases_folder(output) / f"case_{case:0{len(str(cases - 1))}d}.nc"


def _new_journal(plan: Plan, target: Path) -> Journal:
    return Journal.create(target, plan.identity, len(plan))


def _check_question(plan: Plan) -> None:
    """Refuse before anything runs what no case could answer."""
    if plan.sweep.keep == "files" and plan.sweep.do == "float":
        raise InputError(plan.source.problem("do: float has no result files; keep summary", ("keep",)))
    if plan.sweep.do != "run":
        return
    for case in range(len(plan)):
        system = plan.system(case)
        if system.run is None:
            text = "do: run needs 'run: {duration: ...}' in the base case"
            raise InputError(plan.source.problem(text, ("do",)))
        ramp = ramp_end(system)
        if system.run.duration <= ramp:
            text = f"case {case} ends at {system.run.duration:g} s, within its start-up ramp of {ramp:g} s; run longer"
            raise InputError(plan.source.problem(text, ("vary",)))


def _finished(plan: Plan, target: Path) -> xr.Dataset | None:
    """The result that this very sweep has written already, if it has and no case is left to try again."""
    if is_begun(target) or not target.is_file():
        return None
    results = netcdf.open_results(target)
    if results.attrs.get(IDENTITY) == plan.identity:
        if journal_folder(target).is_dir():  # killed while it removed its journal
            _new_journal(plan, target).remove()
        return results
    results.close()
    raise InputError(f"{target} belongs to another sweep and there is no stopped one to resume; run without --resume")


def _engine(plan: Plan, crew: Crew, scheduler: str | None) -> Any:
    """What does jobs and gives outcomes."""
    limit = plan.sweep.limits.time
    if scheduler is not None:
        from ropewalk.sweep.dask import run_dask

        return lambda work: run_dask(work, scheduler, limit, command=crew.command)
    return lambda work: crew.run(work, limit)


def _jobs(plan: Plan, journal: Journal, target: Path) -> Iterator[Job]:
    """What each case that has not ended needs, made one by one."""
    for case in range(len(plan)):
        if case in journal.ended:
            continue
        output = case_file(target, case, len(plan)) if plan.sweep.keep == "files" else None
        yield {
            "case": case,
            "do": plan.sweep.do,
            "system": plan.system(case).model_dump_json(by_alias=True, exclude_unset=True),
            "output": None if output is None else str(output.absolute()),
            "memory": plan.sweep.limits.memory,
        }


def _do_all(
    plan: Plan,
    journal: Journal,
    target: Path,
    engine: Any,
    progress: bool | None,
    tell: Callable[[str], None] | None = None,
) -> None:
    """Do every case that has not ended; the journal takes each at once."""
    counts = Progress(total=len(plan), done=len(journal.ended), failed=_failures(journal), begun=time.monotonic())
    try:
        with termination(), sweep_bar(progress, counts) as show:
            for outcome in engine(_jobs(plan, journal, target)):
                journal.add(outcome)
                _count(counts, outcome)
                show()
                if tell is not None and outcome.status == DONE and _is_typical(outcome):
                    tell(_estimate(plan, target, counts, outcome))
                    tell = None
    except KeyboardInterrupt:
        ended = len(journal.ended)
        how = f"the same command with --resume continues; completed cases are in {journal.path}"
        raise InterruptedSweepError(f"stopped after {ended} of {len(plan)} cases; {how}") from None


def _estimate(plan: Plan, target: Path, counts: Progress, outcome: Outcome) -> str:
    """Time and disk that the rest takes, judged by one case."""
    whole = case_file(target, outcome.case, len(plan))
    per_case = len(outcome.summary) + (whole.stat().st_size if whole.is_file() else 0)
    left = counts.total - counts.done
    time_left = duration(outcome.seconds * left)
    disk = size(per_case * counts.total)
    return f"a case takes {outcome.seconds:.2g} s; {left} to go, about {time_left} of one core; {disk} on disk"


def _is_typical(outcome: Outcome) -> bool:
    """Whether the time of a case is typical: the first of a worker has kernels to load, or to compile."""
    return not outcome.is_first or outcome.seconds > TYPICAL_SECONDS


def _count(counts: Progress, outcome: Outcome) -> None:
    counts.done += 1
    counts.failed += outcome.status != DONE


def _failures(journal: Journal) -> int:
    return sum(status != DONE for status in journal.ended.values())
