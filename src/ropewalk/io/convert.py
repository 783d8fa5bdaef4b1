"""Which reader a file needs, found by its content."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from ropewalk.errors import InputError, Problem
from ropewalk.io.columns import read_text
from ropewalk.io.conversion import Conversion, Wishes
from ropewalk.io.messages import one_line

AUTO = "auto"
YAML_ENDINGS = (".yaml", ".yml")


def read_any(path: Path, wishes: Wishes, kind: str = AUTO) -> Conversion:
    """Convert a file of another program; `kind` is one of `READERS`, or auto."""
    if kind == AUTO:
        kind = kind_of(path)
    return READERS[kind](path, wishes)


def kind_of(path: Path) -> str:
    """The name of the reader for a file; InputError if nothing in it is known."""
    text = read_text(path)
    if path.suffix.lower() in YAML_ENDINGS:
        if re.search(r"^ropewalk\s*:", text, re.MULTILINE):
            raise InputError(
                Problem("is already a case; give OUT the extension .txt for a MoorDyn file", one_line(str(path)))
            )
        for name, pattern in _YAML_MARKS:
            if re.search(pattern, text, re.MULTILINE):
                return name
        raise InputError(
            Problem(
                "has none of the keys of a mooring (mooring, line_types, mooring_line_configs)", one_line(str(path))
            )
        )
    upper = re.sub(r"[ \t]+", " ", text.upper())
    if "LINE DICTIONARY" in upper and "NODE PROPERTIES" in upper and not re.search(r"NUMSEGS", upper):
        return "map"
    if "LEASTIFF" in upper and "LUNSTRLEN" in upper:
        raise InputError(
            Problem(
                "is a FEAMooring file, which is not supported; MoorDyn and MAP++ files of OpenFAST are",
                one_line(str(path)),
            )
        )
    if re.search(r"---.*(LINE TYPES|LINE DICTIONARY|LINES)", upper):
        return "moordyn"
    raise InputError(
        Problem("is not in a known format: it has no heading LINE TYPES or LINE DICTIONARY", one_line(str(path)))
    )


_YAML_MARKS = (
    ("famodel", r"^(mooring_line_configs|mooring_systems)\s*:"),
    ("raft", r"^(mooring|array_mooring)\s*:"),
    ("moorpy", r"^line_types\s*:"),
)


def _moordyn(path: Path, wishes: Wishes) -> Conversion:
    from ropewalk.io.moordyn import read_moordyn

    return read_moordyn(path, wishes)


def _moorpy(path: Path, wishes: Wishes) -> Conversion:
    if path.suffix.lower() in YAML_ENDINGS:
        from ropewalk.io.moorpy import read_moorpy

        return read_moorpy(path, wishes)
    from ropewalk.io.moordyn import read_moordyn

    return read_moordyn(path, wishes, moorpy=True)


def _map(path: Path, wishes: Wishes) -> Conversion:
    from ropewalk.io.map import read_map

    return read_map(path, wishes)


def _famodel(path: Path, wishes: Wishes) -> Conversion:
    from ropewalk.io.famodel import read_famodel

    return read_famodel(path, wishes)


READERS: dict[str, Callable[[Path, Wishes], Conversion]] = {
    "moordyn": _moordyn,
    "moorpy": _moorpy,
    "map": _map,
    "raft": _moorpy,
    "famodel": _famodel,
}
