"""Levels of a factor: from values, a range, a table, a Latin hypercube, or the lines that break."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError, Problem
from ropewalk.io.messages import nearest, shown
from ropewalk.io.native import resolve
from ropewalk.io.scalars import resolve_plain
from ropewalk.spec.sweep import MOST_CASES, Factor

BROKEN = "broken"  # the key of the line that is broken; a case has no such key
EACH = "each"
INTACT = ""  # level of `broken` without a break
ROUND_OFF = 1e-9  # of a step by which the last value of a range may be passed
MOST_TABLE_BYTES = 100_000_000

Where = Callable[..., Problem]  # a message and the steps below the factor, to a problem with its place in the file


@dataclass(frozen=True)
class Block:
    """Factors that change together: rows of values, one for each key."""

    keys: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    factor: int  # which of the sweep's

    def __len__(self) -> int:
        return len(self.rows)


def levels(factor: Factor, number: int, folder: Path | None, lines: Sequence[str], where: Where) -> Block:
    """The block of one factor that is not uniform.

    folder : that tables are relative to    lines : names of the lines of the base case
    """
    if factor.values is not None:
        return Block(factor.keys, tuple(_spread(factor, value) for value in factor.values), number)
    if factor.range is not None:
        return Block(factor.keys, tuple((value,) * len(factor.keys) for value in _range(factor.range, where)), number)
    if factor.broken is not None:
        return Block((BROKEN,), tuple((name,) for name in _broken(factor.broken, lines, where)), number)
    assert factor.table is not None
    return _table(factor, number, folder, where)


def latin_hypercube(bounds: Mapping[tuple[str, ...], tuple[float, float]], samples: int, seed: int) -> Block:
    """One point in each of `samples` slices of every factor, the slices paired at random.

    bounds : by the keys of each uniform factor
    """
    rng = np.random.default_rng(seed)
    columns: list[Any] = []
    for keys, (low, high) in bounds.items():
        place = (rng.permutation(samples) + rng.random(samples)) / samples
        columns += [(low + place * (high - low)).tolist()] * len(keys)
    keys = tuple(key for group in bounds for key in group)
    return Block(keys, tuple(zip(*columns, strict=True)), -1)


def _spread(factor: Factor, value: Any) -> tuple[Any, ...]:
    """The value of each key."""
    n = len(factor.keys)
    if n > 1 and isinstance(value, list | tuple) and len(value) == n:
        return tuple(value)
    return (value,) * n


def _range(given: tuple[float, ...], where: Where) -> list[float | int]:
    first, last, step = given if len(given) == 3 else (*given, 1.0)
    if step == 0.0 or (last - first) * step < 0.0:
        text = f"range [{', '.join(f'{value:g}' for value in given)}] contains no values;  "
        raise InputError(where(text + "the step must lead from the first to the last", "range"))
    count = math.floor((last - first) / step + ROUND_OFF) + 1
    if count > MOST_CASES:
        raise InputError(where(f"the range contains {count} values; a sweep has at most {MOST_CASES} cases", "range"))
    if all(float(value).is_integer() for value in (first, step)):
        return [int(first) + k * int(step) for k in range(count)]
    return [first + k * step for k in range(count)]


def _broken(given: str | tuple[str | None, ...], lines: Sequence[str], where: Where) -> list[str]:
    if given == EACH:
        return [INTACT, *lines]
    for j, name in enumerate(given):
        if name is not None and name not in lines:
            near = nearest(name, lines)
            guess = f"; did you mean '{near}'?" if near else "."
            text = f"the base case has no line '{name}' to break{guess} Available: {', '.join(lines)}"
            raise InputError(where(text, "broken", j))
    return [INTACT if name is None else name for name in given]


# --- tables ---


def _table(factor: Factor, number: int, folder: Path | None, where: Where) -> Block:
    assert factor.table is not None
    try:
        path = Path(factor.table) if folder is None else resolve(folder, factor.table)
        rows = _excel(path, factor.sheet) if path.suffix.lower() == ".xlsx" else _csv(path)
    except InputError as error:
        raise InputError(where(f"table '{factor.table}': {error}", "table")) from None
    if not rows:
        raise InputError(where(f"table '{factor.table}' is empty; its first row names the keys", "table"))
    heads = [str(head).strip() for head in rows[0][1]]
    wanted = factor.columns or {head: head for head in heads}
    at = []
    for key, head in wanted.items():
        if not head:
            text = f"table '{factor.table}': column {heads.index(head) + 1} has no heading; name the key that it sets"
            raise InputError(where(text, "table"))
        if heads.count(head) != 1:
            near = nearest(head, heads)
            what = "no column" if head not in heads else "more than one column"
            guess = f"; did you mean '{near}'?" if near and head not in heads else "."
            text = f"table '{factor.table}' has {what} '{head}'{guess} Available: {', '.join(heads)}"
            raise InputError(where(text, "columns" if factor.columns else "table", key))
        at.append(heads.index(head))
    levels = []
    for line, cells in rows[1:]:
        if all(cell in ("", None) for cell in cells):
            continue
        for j in at:
            if j >= len(cells) or cells[j] in ("", None):
                raise InputError(Problem(f"no value in column '{heads[j]}'; every row needs one", str(path), line))
        levels.append(tuple(cells[j] for j in at))
    if not levels:
        raise InputError(where(f"table '{factor.table}' has no rows below its headings, so no cases", "table"))
    return Block(tuple(wanted), tuple(levels), number)


def _csv(path: Path) -> list[tuple[int, list[Any]]]:
    """(line of the file, cells) of every row; cells below the headings are read as in a case file."""
    try:
        if path.stat().st_size > MOST_TABLE_BYTES:
            raise InputError(f"it has more than {MOST_TABLE_BYTES / 1e6:g} MB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text; save it as CSV in UTF-8, or as .xlsx") from None
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(), delimiter=max(",;\t", key=first.count))
    rows: list[tuple[int, list[Any]]] = []
    try:
        for cells in reader:
            rows.append((reader.line_num, [_cell(cell) for cell in cells] if rows else list(cells)))
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} is not CSV: {error}") from None
    return rows


def _cell(text: str) -> Any:
    try:
        return resolve_plain(text.strip())
    except ValueError:
        return text.strip()


def _excel(path: Path, sheet: str | None) -> list[tuple[int, list[Any]]]:
    try:
        import openpyxl
    except ImportError:
        raise InputError("Excel files need the package openpyxl: pip install ropewalk[excel]") from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None
    except Exception as error:  # openpyxl lets out what zipfile and its parser raise on files that are not Excel's
        raise InputError(f"is not an Excel file: {shown(str(error))}") from None
    try:
        if sheet is not None and sheet not in book.sheetnames:
            raise InputError(f"it has no sheet '{sheet}'. Available: {', '.join(book.sheetnames)}")
        page = book[sheet] if sheet is not None else book.worksheets[0]
        rows = [
            (i + 1, ["" if v is None else v for v in row]) for i, row in enumerate(page.iter_rows(values_only=True))
        ]
    finally:
        book.close()
    return rows
