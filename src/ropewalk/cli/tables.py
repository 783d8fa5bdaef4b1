"""Tables on the terminal, or the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON in place of a table.")]
PIPE_WIDTH = 120  # columns of a table that goes to a file or a pipe


def print_json(data: Any) -> None:
    """Compact, strict JSON on standard output."""
    typer.echo(json.dumps(data, allow_nan=False, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A plain table; the first column to the left, the rest to the right."""
    import sys

    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    console.print(table)


def metres(values: Sequence[float]) -> str:
    """A position, to the millimetre."""
    return ", ".join(f"{value:.3f}" for value in values)


def newtons(value: float) -> str:
    """A force with six digits."""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
