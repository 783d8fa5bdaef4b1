"""`ropewalk new`: a commented case to start from."""

from __future__ import annotations

from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from ropewalk.cli.tables import say
from ropewalk.errors import InputError


class Kind(StrEnum):
    """Kind of starting case."""

    mooring = "mooring"
    buoy = "buoy"
    tow = "tow"
    chain = "chain"
    net = "net"
    rod = "rod"


def template(kind: Kind) -> str:
    """Text of the starting case."""
    return files("ropewalk.cli").joinpath("templates", f"{kind.value}.yaml").read_text(encoding="utf-8")


def new_command(
    kind: Annotated[Kind, typer.Argument(help="Kind of case.")],
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
) -> None:
    """Write a commented starting case."""
    from ropewalk.results.files import write_whole

    if file.exists() or file.is_symlink():
        raise InputError(f"{file} exists; give another name or remove it first")
    write_whole(file, template(kind))
    say(f"{file}: written; try 'ropewalk check {file}'")
