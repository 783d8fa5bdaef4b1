"""Tables on the terminal, or the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ropewalk.results.record import Recorded


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
WIDTH = 80  # columns of a table where no terminal is wider
GAP = 2  # spaces between columns
LEAST_HEAD = 9  # characters of a header that are not broken
LEAST_TEXT, MOST_TEXT = 24, 30  # characters of a column of text: the least that a last one gets, the most of others


def plain_text(text: str) -> str:
    """Text of a file or a file's name as a terminal may have it: control characters written out, not obeyed."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def say(text: str, *, err: bool = False) -> None:
    """A sentence on standard output, or on standard error."""
    typer.echo(plain_text(text), err=err)


def print_json(data: Any) -> None:
    """Compact, strict JSON on standard output."""
    typer.echo(json.dumps(data, allow_nan=False, indent=2))


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, keys: int = 1, text: Sequence[int] = ()
) -> None:
    """A plain table; the key columns and those named in `text` to the left, the rest to the right.

    A header "name (unit)" takes two lines. A table that is too wide for the terminal is continued below with its `keys`
    first columns repeated; a last column of text is wrapped.
    """
    if title:
        typer.echo(plain_text(title))
        typer.echo()
    for line in table_lines(columns, list(rows), table_width(), keys=keys, text=text):
        typer.echo(line)


def table_width() -> int:
    """Columns that a table may take: the terminal's, and 80 where there is none or a narrower one."""
    import sys
    from shutil import get_terminal_size

    return max(WIDTH, get_terminal_size().columns if sys.stdout.isatty() else WIDTH)


def table_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, keys: int = 1, text: Sequence[int] = ()
) -> list[str]:
    """The lines of a table that `print_table` prints."""
    body = [[plain_text(cell) for cell in row] for row in rows]
    widest = [max((len(row[i]) for row in body), default=0) for i in range(len(columns))]
    heads = [_head(plain_text(name), size) for name, size in zip(columns, widest, strict=True)]
    size = [max([w, *map(len, head)]) for w, head in zip(widest, heads, strict=True)]
    for i in text:
        size[i] = min(size[i], MOST_TEXT) if i < len(columns) - 1 else size[i]
    left = {*range(keys), *text}
    lines: list[str] = []
    for block in _blocks(size, width, keys, set(text)):
        sizes = [size[i] for i in block]
        if block[-1] in text:  # what is left of the width, at least a word's
            sizes[-1] = min(sizes[-1], max(LEAST_TEXT, width - 1 - sum(sizes[:-1]) - GAP * (len(block) - 1)))
        is_left = [i in left for i in block]
        tall = max(len(heads[i]) for i in block)
        shown = [[*[""] * (tall - len(heads[i])), *heads[i]] for i in block]
        lines += [_joined([head[k] for head in shown], sizes, is_left) for k in range(tall)]
        lines.append(" " + "─" * (sum(sizes) + GAP * (len(sizes) - 1)))
        for row in body:
            lines += _row_lines([row[i] for i in block], sizes, is_left)
        lines.append("")
    return lines


def _head(name: str, size: int) -> list[str]:
    """The lines of a column's header: its name, broken where the cells below are narrower, and its unit."""
    from textwrap import wrap

    words, bracket, unit = name.partition(" (")
    return [*(wrap(words, max(size, LEAST_HEAD), break_long_words=False) or [""]), *([f"({unit}"] if bracket else [])]


def _blocks(size: Sequence[int], width: int, keys: int, text: set[int]) -> list[list[int]]:
    """Which columns stand beside each other; the first `keys` in every block."""
    first = list(range(min(keys, len(size))))
    blocks, block = [], list(first)
    for i in range(len(first), len(size)):
        needed = 1 + sum(min(size[k], LEAST_TEXT) if k in text else size[k] for k in [*block, i]) + GAP * len(block)
        if needed > width and len(block) > len(first):
            blocks.append(block)
            block = list(first)
        block.append(i)
    return [*blocks, block]


def _row_lines(cells: Sequence[str], sizes: Sequence[int], is_left: Sequence[bool]) -> list[str]:
    """A row; cells that are longer than their column go on in the next line."""
    from textwrap import wrap

    parts = [wrap(cell, size) if len(cell) > size else [cell] for cell, size in zip(cells, sizes, strict=True)]
    tall = max(len(part) for part in parts)
    return [_joined([part[k] if k < len(part) else "" for part in parts], sizes, is_left) for k in range(tall)]


def _joined(cells: Sequence[str], sizes: Sequence[int], is_left: Sequence[bool]) -> str:
    shown = [c.ljust(n) if to_left else c.rjust(n) for c, n, to_left in zip(cells, sizes, is_left, strict=True)]
    return (" " + (" " * GAP).join(shown)).rstrip()


def print_answer_doubts(doubts: Iterable[object]) -> None:
    """What is doubtful about an answer, on stderr: `doubt CODE: SENTENCE`."""
    for doubt in doubts:
        say(str(doubt), err=True)


def print_result_doubts(results: Recorded) -> None:
    """The doubts that a result carries, on stderr."""
    from ropewalk.analysis.doubts import of_attributes

    print_answer_doubts(of_attributes(results.attrs))


def counted(number: int, things: str) -> str:
    """A number of things, in the singular if it is one: '1 line', '2 bodies'."""
    one = f"{things[:-3]}y" if things.endswith("ies") else things[:-1]
    return f"{number} {one if number == 1 else things}"


def plain(value: float) -> str:
    """Three decimals, without the sign of a zero."""
    return f"{round(value, 3) + 0.0:.3f}"


def newtons(value: float) -> str:
    """A force with six digits."""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def small(value: float, unit: str, least: float) -> str:
    """An error with two digits; below `least` only that it is less, as the digits of round-off mean nothing."""
    return f"< {least:g} {unit}" if value < least else f"{value:.2g} {unit}"


class Forces:
    """The unit in which a table shows its forces, kN from 10 kN on, and as many decimals as five digits need."""

    def __init__(self, values: Iterable[float]) -> None:
        largest = max((abs(value) for value in values if value == value), default=0.0)
        self.scale, self.unit = (1e-3, "kN") if largest >= 1e4 else (1.0, "N")
        whole = len(f"{self.scale * largest:.0f}")
        self.decimals = max(0, 5 - whole)

    def __call__(self, value: float) -> str:
        """A force without its unit; no sign and no digits of what is round-off."""
        return f"{round(self.scale * value, self.decimals) + 0.0:,.{self.decimals}f}"
