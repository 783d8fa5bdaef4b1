"""`ropewalk convert`: files of other programs to cases and back; results to other formats."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.tables import JsonOption, counted, print_answer_doubts, print_json, say
from ropewalk.errors import InputError

if TYPE_CHECKING:
    from ropewalk.io.conversion import Conversion, Note, Wishes

CASES = (".yaml", ".yml")
MOORDYN = (".txt", ".dat", ".inp")
RESULTS = ".nc"
UNIT = ".fmu"  # co-simulation, FMI 2.0
EXPORTS = (".pvd", ".vtp", ".csv", ".xlsx", ".parquet", ".out")
_TURBINE = re.compile(r"(\d{1,6})=([^,]+),([^,]+)(?:,([^,]+))?")


class Source(StrEnum):
    """Program that wrote the file."""

    auto = "auto"
    moordyn = "moordyn"
    moorpy = "moorpy"
    map = "map"
    raft = "raft"
    famodel = "famodel"


IN_HELP = "A file of MoorDyn, MoorPy, MAP++, RAFT or FAModel; a case; or a result (.nc)."
OUT_HELP = (
    "A case (.yaml); from a case, a MoorDyn file (.txt, .dat) or an FMU (.fmu); "
    "from a result, .pvd, .vtp, .csv, .xlsx, .parquet or .out."
)
NONE_HELD = "if the file gives none."


def convert_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help=IN_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help=OUT_HELP)],
    kind: Annotated[
        Source, typer.Option("--from", help="Program that wrote IN; by default recognised from its content.")
    ] = Source.auto,
    depth: Annotated[float | None, typer.Option(min=0.0, help=f"Water depth, m, {NONE_HELD}")] = None,
    gravity: Annotated[float | None, typer.Option(min=0.0, help=f"Gravity, m/s2, {NONE_HELD}")] = None,
    water_density: Annotated[float | None, typer.Option(min=0.0, help=f"Water density, kg/m3, {NONE_HELD}")] = None,
    turbine: Annotated[list[str] | None, typer.Option(help="Position of a turbine, N=X,Y or N=X,Y,Z, m.")] = None,
    ignore_bending: Annotated[
        bool, typer.Option("--ignore-bending", help="Convert lines with bending stiffness as ropes.")
    ] = False,
    still_water: Annotated[bool, typer.Option("--still-water", help="Leave out waves and currents.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT if it exists.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Convert cases and results from and to other formats.

    Files of other programs become cases; cases become MoorDyn files or FMUs; results become VTK files or tables.
    """
    from ropewalk.io.conversion import Wishes

    _writable(source, target, overwrite)
    ending = target.suffix.lower()
    if source.suffix.lower() == RESULTS:
        _export(source, target, as_json)
    elif ending in CASES:
        wishes = Wishes(depth, gravity, water_density, ignore_bending, still_water, _turbines(turbine or []))
        _to_case(source, target, kind, wishes, as_json)
    elif ending in MOORDYN:
        _to_moordyn(source, target, overwrite, as_json)
    elif ending == UNIT:
        _to_unit(source, target, as_json)
    else:
        known = ", ".join((*CASES, *MOORDYN, UNIT))
        hint = f"; {', '.join(EXPORTS)} are written from results (.nc)" if ending in EXPORTS else ""
        raise InputError(
            f"{target}: '{target.suffix}' cannot be written from a case or another program's file; use {known}{hint}"
        )


def _writable(source: Path, target: Path, overwrite: bool) -> None:
    if not source.is_file():
        raise InputError(f"{source}: {'is not a file' if source.exists() else 'no such file'}")
    if not target.exists():
        return
    if target.resolve() == source.resolve():
        raise InputError(f"{target} is the file that is read; give another name")
    if not overwrite:
        raise InputError(f"{target} exists; give another name, or --overwrite")


def _turbines(given: list[str]) -> dict[int, tuple[float, float, float]]:
    places = {}
    for text in given:
        found = _TURBINE.fullmatch(text.replace(" ", ""))
        try:
            if found is None:
                raise ValueError
            places[int(found[1])] = (float(found[2]), float(found[3]), float(found[4] or 0.0))
        except ValueError:
            raise InputError(f"--turbine {text!r} is not a turbine and position, as in 1=0,0 or 2=1600,0,0") from None
    return places


def _to_case(source: Path, target: Path, kind: Source, wishes: Wishes, as_json: bool) -> None:
    from ropewalk.io.convert import read_any
    from ropewalk.results.files import write_whole

    conversion = read_any(source, wishes, kind.value)
    write_whole(target, conversion.text())
    _report(conversion, target, as_json)


def _export(source: Path, target: Path, as_json: bool) -> None:
    """A result in another format."""
    from ropewalk.analysis.doubts import of_attributes
    from ropewalk.io import moordyn_channels, tables, vtk
    from ropewalk.io.netcdf import reading

    writers = {
        ".pvd": vtk.write_pvd,
        ".vtp": vtk.write_vtp,
        ".csv": tables.write_csv,
        ".xlsx": tables.write_excel,
        ".parquet": tables.write_parquet,
        ".out": moordyn_channels.write_out,
    }
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise InputError(f"{target}: results are converted to {', '.join(EXPORTS)}, not to '{target.suffix}'")
    with reading(source) as dataset:
        written, doubts = writer(dataset, target), of_attributes(dataset.attrs)
    print_answer_doubts(doubts)
    if as_json:
        told = [doubt.as_dict() for doubt in doubts]
        print_json({"file": str(target), "files": [str(path) for path in written], "doubts": told})
    else:
        typer.echo(f"{target}: written" + (f", with {written[1]}" if len(written) > 1 else ""))


def _to_moordyn(source: Path, target: Path, overwrite: bool, as_json: bool) -> None:
    from ropewalk.io.moordyn_write import write_moordyn
    from ropewalk.results.files import write_whole
    from ropewalk.spec.system import System

    written = write_moordyn(System.from_file(source), target.name)
    others = [target.with_name(name) for name in written.files]
    for other in others:
        if other.exists() and not overwrite:
            raise InputError(f"{other} exists, and MoorDyn reads it beside {target.name}; give --overwrite")
    for name, text in written.files.items():
        write_whole(target.with_name(name), text)
    write_whole(target, written.text)
    if as_json:
        files = [str(other) for other in others]
        print_json({"file": str(target), "files": files, "notes": [_as_data(note) for note in written.notes]})
        return
    for note in written.notes:
        typer.echo(f"{source}: {note.kind}: {note}", err=True)
    beside = f", with {', '.join(other.name for other in others)}" if others else ""
    typer.echo(f"{target}: written{beside}")


def _to_unit(source: Path, target: Path, as_json: bool) -> None:
    from ropewalk.coupling.fmu import export_fmu
    from ropewalk.spec.system import System

    export_fmu(System.from_file(source), target)
    if as_json:
        print_json({"file": str(target)})
    else:
        typer.echo(f"{target}: written; it needs Python with ropewalk where it runs")


def _report(conversion: Conversion, target: Path, as_json: bool) -> None:
    """What was read and written, and everything that is not in the case as it was in the file."""
    system, notes = conversion.system, conversion.notes
    if as_json:
        parts = {name: len(getattr(system, name)) for name in ("points", "bodies", "links", "lines", "sections")}
        print_json({"file": str(target), "source": conversion.source, **parts, "notes": [_as_data(n) for n in notes]})
        return
    for note in notes:
        say(f"{conversion.file}: {note.kind}: {note}", err=True)
    counts = ", ".join(
        counted(len(parts), name) for name in ("points", "bodies", "links", "lines") if (parts := getattr(system, name))
    )
    say(f"{target}: written from {conversion.source} ({counts}); try 'ropewalk static {target}'")


def _as_data(note: Note) -> dict[str, str | int]:
    return {"kind": note.kind, "line": note.line, "sentence": note.sentence}
