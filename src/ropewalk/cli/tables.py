"""Tables on the terminal, or the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.spec.system import System

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON in place of a table.")]
PIPE_WIDTH = 120  # columns of a table that goes to a file or a pipe


def plain_text(text: str) -> str:
    """Text of a file or a file's name as a terminal may have it: control characters written out, not obeyed."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def say(text: str, *, err: bool = False) -> None:
    """A sentence on standard output, or on standard error."""
    typer.echo(plain_text(text), err=err)


def print_json(data: Any) -> None:
    """Compact, strict JSON on standard output."""
    typer.echo(json.dumps(data, allow_nan=False, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A plain table; the first column to the left, the rest to the right."""
    import sys

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(plain_text(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(Text(plain_text(column)), justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain_text(cell)) for cell in row))
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    console.print(table)


def print_doubts(system: System, case: Path) -> None:
    """What makes the numbers of a case doubtful, on stderr."""
    from ropewalk.analysis.check import doubts

    for doubt in doubts(system):
        say(f"{case}: {doubt}", err=True)


def print_answer_doubts(doubts: Iterable[object]) -> None:
    """What is doubtful about an answer, on stderr: `doubt CODE: SENTENCE`."""
    for doubt in doubts:
        say(str(doubt), err=True)


def print_result_doubts(dataset: xr.Dataset) -> None:
    """The doubts that a result carries, on stderr."""
    for doubt in json.loads(dataset.attrs.get("doubts", "[]")):
        say(f"doubt {doubt['code']}: {doubt['sentence']}", err=True)


def counted(number: int, things: str) -> str:
    """A number of things, in the singular if it is one: '1 line', '2 bodies'."""
    one = f"{things[:-3]}y" if things.endswith("ies") else things[:-1]
    return f"{number} {one if number == 1 else things}"


def plain(value: float) -> str:
    """Three decimals, without the sign of a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def metres(values: Sequence[float]) -> str:
    """A position, to the millimetre."""
    return ", ".join(plain(value) for value in values)


def newtons(value: float) -> str:
    """A force with six digits."""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
