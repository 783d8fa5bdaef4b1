"""`ropewalk convert`: files of other programs to cases and back; results to other formats."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ropewalk.cli.tables import JsonOption, counted, print_json
from ropewalk.errors import InputError

if TYPE_CHECKING:
    from ropewalk.io.conversion import Conversion, Note, Wishes

CASES = (".yaml", ".yml")
MOORDYN = (".txt", ".dat", ".inp")
RESULTS = ".nc"
_TURBINE = re.compile(r"(\d{1,6})=([^,]+),([^,]+)(?:,([^,]+))?")


class Source(StrEnum):
    """Whose file it is."""

    auto = "auto"
    moordyn = "moordyn"
    moorpy = "moorpy"
    map = "map"
    raft = "raft"
    famodel = "famodel"


IN_HELP = "A file of MoorDyn, MoorPy, MAP++, RAFT or FAModel; a case; or a result (.nc)."
OUT_HELP = "A case (.yaml); of a case a MoorDyn file (.txt, .dat); of a result .pvd, .vtp, .csv, .xlsx, .parquet, .out."
NONE_HELD = "where the file holds none."


def convert_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help=IN_HELP)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help=OUT_HELP)],
    kind: Annotated[
        Source, typer.Option("--from", help="Whose file IN is; found by its content unless given.")
    ] = Source.auto,
    depth: Annotated[float | None, typer.Option(min=0.0, help=f"Water depth, m, {NONE_HELD}")] = None,
    gravity: Annotated[float | None, typer.Option(min=0.0, help=f"m/s2, {NONE_HELD}")] = None,
    water_density: Annotated[float | None, typer.Option(min=0.0, help=f"kg/m3, {NONE_HELD}")] = None,
    turbine: Annotated[list[str] | None, typer.Option(help="Place of a turbine, N=X,Y or N=X,Y,Z, m.")] = None,
    ignore_bending: Annotated[
        bool, typer.Option("--ignore-bending", help="Convert lines with bending stiffness as ropes.")
    ] = False,
    still_water: Annotated[bool, typer.Option("--still-water", help="Leave waves and currents out.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace OUT if it exists.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Convert files of other programs to cases and back, and results to other formats."""
    from ropewalk.io.conversion import Wishes

    _writable(source, target, overwrite)
    ending = target.suffix.lower()
    if ending in CASES:
        wishes = Wishes(depth, gravity, water_density, ignore_bending, still_water, _turbines(turbine or []))
        _to_case(source, target, kind, wishes, as_json)
    else:
        raise InputError(f"{target}: '{target.suffix}' is no format that is written; give .yaml")


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
            raise InputError(f"--turbine {text!r} is not a number and a place, as in 1=0,0 or 2=1600,0,0") from None
    return places


def _to_case(source: Path, target: Path, kind: Source, wishes: Wishes, as_json: bool) -> None:
    from ropewalk.io.convert import read_any

    conversion = read_any(source, wishes, kind.value)
    target.write_text(conversion.text(), encoding="utf-8")
    _report(conversion, target, as_json)


def _report(conversion: Conversion, target: Path, as_json: bool) -> None:
    """What was read and written, and everything that is not in the case as it was in the file."""
    system, notes = conversion.system, conversion.notes
    if as_json:
        parts = {name: len(getattr(system, name)) for name in ("points", "bodies", "links", "lines", "sections")}
        print_json({"file": str(target), "source": conversion.source, **parts, "notes": [_as_data(n) for n in notes]})
        return
    for note in notes:
        typer.echo(f"{conversion.file}: {note.kind}: {note}", err=True)
    counts = ", ".join(
        counted(len(parts), name) for name in ("points", "bodies", "links", "lines") if (parts := getattr(system, name))
    )
    typer.echo(f"{target}: written from {conversion.source} ({counts}); try 'ropewalk static {target}'")


def _as_data(note: Note) -> dict[str, str | int]:
    return {"kind": note.kind, "line": note.line, "sentence": note.sentence}
