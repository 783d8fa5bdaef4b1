"""Where the records of a run go: memory, or a folder that becomes a file; and the attributes of its result."""

from __future__ import annotations

import functools
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ropewalk import __version__
from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.static_doubts import mesh_doubts
from ropewalk.errors import InputError
from ropewalk.io import netcdf
from ropewalk.methods.protocol import Report, Solver
from ropewalk.model.model import Model
from ropewalk.results.checkpoint import Resumable
from ropewalk.results.record import Recorded, Recorder, Table, table_in
from ropewalk.results.schema import DONE
from ropewalk.results.segments import HEADER, RunFolder, RunReader, part_folder
from ropewalk.spec.fields import NO_FIELDS, Fields
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

FIELDS = "fields"  # in the attributes of results: functions of the user's own, with a hash of each
IN_MEMORY = 1 << 26  # bytes of results that are kept in memory, beside their file
DOUBTS = "doubts"  # in the figures of a report and in the attributes of results


Happened = Callable[[Recorded], dict[str, str]]


def attributes(system: System, solver: Solver, duration: float, functions: Fields = NO_FIELDS) -> dict[str, str]:
    """What rides in the result; a run resumes only if all of it is the same."""
    options: dict[str, Any] = asdict(solver) if is_dataclass(solver) and not isinstance(solver, type) else {}
    settings = {"solver": solver.name, "options": options, "duration": duration, "record": system.record.model_dump()}
    return {
        "title": system.title,
        "system": system.model_dump_json(by_alias=True, exclude_unset=True),
        "settings": json.dumps(settings, default=repr),
        "version": __version__,
        "created_by": f"ropewalk {__version__} simulate, {_platform()}",
        **({FIELDS: json.dumps(functions.fingerprints())} if functions.names() else {}),
    }


@functools.cache
def _platform() -> str:
    parts = [f"Python {platform.python_version()}", f"{platform.system()} {platform.machine()}"]
    for package in ("numpy", "numba"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:  # a frozen application carries no metadata
            continue
    return ", ".join(parts)


def kept_doubts(recorder: Recorder) -> Sequence[Doubt]:
    """Doubts of the equilibrium that a stopped run began from."""
    assert recorder.folder is not None
    kept = RunReader(recorder.folder.path).attrs.get(DOUBTS, "[]")
    return [Doubt(**doubt) for doubt in json.loads(kept)]


@contextmanager
def recorder_for(
    model: Model, attrs: dict[str, str], output: str | os.PathLike[str] | None, resume: bool, start: float
) -> Iterator[Recorder]:
    """A recorder in memory or on a folder that is let go at the end, and removed if nothing came of it."""
    if output is None:
        if resume:
            raise InputError("resume needs an output: the file that the stopped run was writing")
        yield Recorder(model.names, attrs, start=start, nets=model.nets, lines=model.lines)
        return
    if Path(output).is_dir() or not Path(output).absolute().parent.is_dir():
        raise InputError(
            f"{output} cannot be written: {'it is a folder' if Path(output).is_dir() else 'no such folder'}"
        )
    folder = RunFolder.open(output) if resume and part_folder(output).is_dir() else RunFolder.create(output)
    try:
        recorder = Recorder(model.names, attrs, folder, start=start, nets=model.nets, lines=model.lines)
        yield recorder
    finally:
        if folder.is_held and not (folder.path / HEADER).exists():
            folder.remove()
        folder.close()


def finished(output: str | os.PathLike[str], attrs: dict[str, str]) -> xr.Dataset | None:
    """The file that this very run has written already, if it has."""
    if (part_folder(output) / HEADER).exists() or not Path(output).is_file():
        return None
    results = netcdf.open_results(output)
    if {**attrs, "status": DONE}.items() <= results.attrs.items():
        if part_folder(output).is_dir():  # killed while it removed its folder
            RunFolder.create(output).remove()
        return results
    results.close()
    raise InputError(f"{output} belongs to another run and there is no stopped run to resume; run without --resume")


def check_resumable(recorder: Recorder, solver: Solver) -> None:
    """Go back to the last checkpoint, or refuse: the same numbers come only from the same case and program."""
    assert recorder.folder is not None
    if not isinstance(solver, Resumable):
        raise InputError(f"solver '{solver.name}' cannot resume from a checkpoint; run without --resume")
    if (recorder.folder.path / HEADER).exists():
        before = RunReader(recorder.folder.path).attrs
        _refuse_other_functions(str(recorder.folder.path), before.get(FIELDS), recorder.attrs.get(FIELDS))
        for key, what in (
            ("system", "case"),
            ("settings", "solver, duration or record"),
            ("version", "version"),
            ("created_by", "platform"),
        ):
            if before.get(key) != recorder.attrs.get(key):
                raise InputError(
                    f"{recorder.folder.path} belongs to another {what}, so resuming would not give the same numbers; "
                    "keep it with 'ropewalk recover', or delete it"
                )
    recorder.resume()


def _refuse_other_functions(path: str, before: str | None, now: str | None) -> None:
    """Raise InputError if a stopped run had other functions of the user's, which a file cannot hold."""
    if before == now:
        return
    names = ", ".join(json.loads(before)) if before is not None else "none"
    raise InputError(
        f"{path} belongs to a run with other functions (fields: {names}), so resuming would not give the same numbers; "
        "resume from Python with the same fields, keep it with 'ropewalk recover', or delete it"
    )


def facts_of(report: Any, at_rest: Sequence[Doubt] = ()) -> dict[str, str]:
    """What is known of the whole run, for the attributes of its result.  at_rest : doubts of its equilibrium"""
    figures = report.figures if isinstance(report, Report) else {}
    if "discretisation_error" in figures:  # of the mesh of the run, which is another than that of its equilibrium
        at_rest = [*(doubt for doubt in at_rest if doubt.code != "discretisation"), *mesh_doubts(report)]
    doubts = {DOUBTS: doubts_as_json([*at_rest, *figures.get(DOUBTS, ())])}
    facts = doubts | ({"parted": "; ".join(figures["parted"])} if figures.get("parted") else {})
    if figures.get("start"):
        facts["start"] = figures["start"]
    if "discretisation_error" in figures:
        facts["discretisation_error"] = f"{figures['discretisation_error']:.3g}"
    if "constraint_drift" in figures:
        facts["constraint_drift"] = f"{figures['constraint_drift']:.3g}"
    return facts


def finish(
    recorder: Recorder,
    output: str | os.PathLike[str] | None,
    status: str,
    keep: bool = False,
    facts: dict[str, str] | None = None,
    happened: Happened | None = None,
) -> Recorded | None:
    """The results so far, in memory or as the file; the folder goes unless it is to be kept. None if there are none.

    Results that fit into memory are not read back from the file.  happened : attributes to add, from the results
    """
    happened = happened or (lambda results: {})
    if recorder.folder is None or output is None:
        table = recorder.table()
        return None if table is None else _told(table, {"status": status, **(facts or {})}, happened)
    recorder.folder.flush()
    if recorder.rows == 0:
        return None
    reader = RunReader(recorder.folder.path)
    if reader.trouble:
        keep, status = True, f"{status}; {reader.trouble}"
    attrs = {**reader.attrs, "status": status, **(facts or {})}
    results: Recorded
    if reader.rows * reader.stride <= IN_MEMORY:
        results = _told(table_in(reader), attrs, happened)
        netcdf.write_records(reader, output, results.attrs)
    else:
        netcdf.write_records(reader, output, attrs)
        with netcdf.open_results(output) as written:
            more = happened(written)
        if more:
            netcdf.add_attributes(output, more)
        results = netcdf.open_results(output)
    if not keep:
        recorder.folder.remove()
    return results


def _told(table: Table, facts: Mapping[str, str], happened: Happened) -> Table:
    """Records with attributes added."""
    table = replace(table, attrs={**table.attrs, **facts})
    return replace(table, attrs={**table.attrs, **happened(table)})


def to_dataset(results: Recorded | None) -> xr.Dataset | None:
    """Results as a Dataset."""
    return cast("xr.Dataset | None", results.to_dataset() if isinstance(results, Table) else results)


def events_of(results: Recorded, system: System, model: Model) -> dict[str, str]:
    """What happened on the way, as an attribute."""
    from ropewalk.post.events import ATTRIBUTE, find_events, to_text

    return {ATTRIBUTE: to_text(find_events(results, system, model))}
