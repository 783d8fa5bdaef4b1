"""Tables in CSV files: named columns with units in the header, as numbers in SI units.

The first line that is neither empty nor a comment (`#`) is the header: ``t (s), F_x (kN)``. Cells are separated by
commas. Angles are given back in degrees, as in the case file.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ropewalk.errors import InputError, Problem
from ropewalk.io.messages import shown
from ropewalk.spec.base import LARGEST

MAX_BYTES = 20_000_000  # of a file
MAX_ROWS = 500_000  # of a table
MAX_COLUMNS = 100
HEADER = re.compile(r"\s*([^()\[\]]*?)\s*(?:[(\[]([^()\[\]]*)[)\]])?\s*")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
KNOT_SPEED = 1852.0 / 3600.0  # m/s in a knot

UNITS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0},
    "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3},
    "speed": {"m/s": 1.0, "mm/s": 1e-3, "cm/s": 1e-2, "km/h": 1.0 / 3.6, "kn": KNOT_SPEED},
    "angle": {"deg": 1.0, "rad": math.degrees(1.0)},
    "phase": {"rad": 1.0, "deg": math.radians(1.0)},
    "rate": {"rad/s": 1.0, "deg/s": math.radians(1.0)},
    "force": {"N": 1.0, "kN": 1e3, "MN": 1e6},
    "moment": {"N m": 1.0, "Nm": 1.0, "kN m": 1e3, "kNm": 1e3, "MN m": 1e6, "MNm": 1e6},
    "load": {"N/m": 1.0, "kN/m": 1e3},
    "mass per length": {"kg/m": 1.0, "g/m": 1e-3, "t/m": 1e3},
    "pressure": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9},
    "area": {"m2": 1.0, "cm2": 1e-4, "mm2": 1e-6},
    "number": {"": 1.0, "-": 1.0, "1": 1.0, "%": 1e-2},
}
"""Factors to the unit of the case file, by kind of quantity."""


@dataclass(frozen=True)
class Column:
    """A column that a table may have."""

    name: str
    kind: str  # of UNITS
    other_names: tuple[str, ...] = ()

    def is_called(self, word: str) -> bool:
        """True if a header's word is a name of this column; case and underscores do not matter."""
        return _plain(word) in {_plain(name) for name in (self.name, *self.other_names)}


@dataclass(frozen=True)
class Table:
    """What a file holds: columns of numbers by name, and where its lines stand."""

    file: str
    columns: Mapping[str, tuple[float, ...]]
    lines: tuple[int, ...]  # line in the file of each row

    def __getitem__(self, name: str) -> tuple[float, ...]:
        return self.columns[name]


def read_table(path: Path, name: str, choices: Sequence[Sequence[Column]]) -> Table:
    """The table in a file, with the columns of the first choice whose names are all in its header.

    name : of the file in messages    choices : sets of columns; InputError with file, line and column for what is wrong
    """
    text = _text(path, name)
    rows = _cells(text, name)
    if not rows:
        raise InputError(Problem("the file is empty; its first line names the columns", name))
    line, header = rows[0]
    if len(header) > MAX_COLUMNS:
        raise InputError(Problem(f"{len(header)} columns; at most {MAX_COLUMNS}", name, line))
    wanted, places, factors = _matched(header, line, name, choices)
    if len(rows) - 1 > MAX_ROWS:
        raise InputError(Problem(f"{len(rows) - 1} rows; at most {MAX_ROWS}", name))
    if len(rows) < 2:
        raise InputError(Problem("there are no rows below the header", name, line))
    numbers = [_numbers(row, k, name, places, len(header)) for k, row in rows[1:]]
    columns = {
        column.name: tuple(factor * row[j] for row in numbers)
        for j, (column, factor) in enumerate(zip(wanted, factors, strict=True))
    }
    return Table(name, columns, tuple(k for k, _ in rows[1:]))


def columns_in(path: Path, name: str, known: Sequence[Column]) -> list[Column]:
    """Those of the known columns that the header of a file names."""
    rows = _cells(_text(path, name), name)
    words = [match[1] for cell in (rows[0][1] if rows else []) if (match := HEADER.fullmatch(cell))]
    return [column for column in known if any(column.is_called(word) for word in words)]


def _wrong(text: str, name: str, line: int, column: int) -> InputError:
    return InputError(Problem(text, name, line, column, f"column {column}"))


def _text(path: Path, name: str) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem(f"the file has {path.stat().st_size} bytes; at most {MAX_BYTES}", name))
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror or error}", name)) from None
    except UnicodeDecodeError:
        raise InputError(Problem("is not UTF-8 text; save the table as CSV, UTF-8", name)) from None
    if "\0" in text:
        raise InputError(Problem("is not text; save the table as CSV, UTF-8", name))
    return text


def _cells(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Rows of cells with their lines; empty ones and comments are passed over."""
    reader = csv.reader(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    rows = []
    try:
        for row in reader:
            if _says_something(row):
                rows.append((reader.line_num, row))
    except csv.Error as error:
        raise InputError(Problem(f"is not a table of cells with commas between them: {error}", name,
                                 reader.line_num)) from None  # fmt: skip
    return rows


def _says_something(row: Sequence[str]) -> bool:
    return any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")


def _plain(word: str) -> str:
    return word.replace("_", "").replace(" ", "").lower()


def _matched(
    header: Sequence[str], line: int, name: str, choices: Sequence[Sequence[Column]]
) -> tuple[Sequence[Column], list[int], list[float]]:
    """The set of columns that the header has, where they are, and the factors of their units."""
    words = [(match[1], match[2]) if (match := HEADER.fullmatch(cell)) else (cell.strip(), None) for cell in header]
    found: list[tuple[Sequence[Column], list[int]]] = []
    for columns in choices:
        places = [next((k for k, (word, _) in enumerate(words) if c.is_called(word)), -1) for c in columns]
        if -1 not in places:
            found.append((columns, places))
    if not found:
        raise _no_match(words, line, name, choices)
    wanted, places = max(found, key=lambda one: len(one[0]))
    spare = [k for k in range(len(words)) if k not in places]
    if spare:
        allowed = ", ".join(column.name for column in wanted)
        word = words[spare[0]][0]
        known = "is given twice" if any(column.is_called(word) for column in wanted) else "is not known"
        text = f"column {shown(word)} {known}; the columns of this table are {allowed}"
        raise _wrong(text, name, line, spare[0] + 1)
    return wanted, places, [_factor(c, words[k][1], line, k, name) for c, k in zip(wanted, places, strict=True)]


def _no_match(
    words: Sequence[tuple[str, str | None]], line: int, name: str, choices: Sequence[Sequence[Column]]
) -> InputError:
    """What is missing in a header, by the choice that comes nearest."""
    nearest = max(choices, key=lambda columns: sum(any(c.is_called(word) for word, _ in words) for c in columns))
    missing = [c.name for c in nearest if not any(c.is_called(word) for word, _ in words)]
    unknown = [word for word, _ in words if not any(c.is_called(word) for c in nearest)]
    column = next((k for k, (word, _) in enumerate(words, 1) if word in unknown), 1)
    close = get_close_matches(missing[0], unknown, 1)
    hint = f" (is it {shown(close[0])}?)" if close else ""
    other = next((word for sign, word in OTHER_SEPARATORS.items() if any(sign in one for one, _ in words)), None)
    if other is not None:
        return InputError(Problem(f"cells are separated by {other}; put commas between them", name, line))
    or_else = " or ".join(_listed(choices))
    text = f"no column '{missing[0]}'{hint} in the header; the first line names the columns with units: {or_else}"
    return _wrong(text, name, line, column)


def _listed(choices: Sequence[Sequence[Column]]) -> list[str]:
    """The sets of columns in words; what may be left out stands after the rest."""
    sets = [[c.name for c in columns] for columns in choices]
    least = [one for one in sets if not any(set(other) < set(one) for other in sets)]
    found = []
    for one in least:
        more = [name for other in sets if set(one) < set(other) for name in other if name not in one]
        found.append(", ".join(one) + (f" (and, if known, {', '.join(dict.fromkeys(more))})" if more else ""))
    return found


def _factor(column: Column, unit: str | None, line: int, place: int, name: str) -> float:
    units = UNITS[column.kind]
    word = "" if unit is None else " ".join(unit.replace("·", " ").replace("*", " ").split())
    if word in units:
        return units[word]
    example = next(iter(units))
    if unit is None:
        text = f"column '{column.name}' has no unit; write '{column.name} ({example})'"
    else:
        text = f"unit {shown(unit)} of column '{column.name}' is not known. Allowed: {', '.join(filter(None, units))}"
    raise _wrong(text, name, line, place + 1)


def _numbers(row: Sequence[str], line: int, name: str, places: Sequence[int], width: int) -> list[float]:
    """The cells of a row under the given headings, as numbers."""
    if len(row) != width:
        raise InputError(Problem(f"{len(row)} cells, but the header has {width} columns", name, line))
    found = []
    for k in places:
        cell = row[k].strip()
        if not NUMBER.fullmatch(cell):
            raise _wrong(f"{shown(cell)} is not a number; write it as 1.5 or 1.5e3", name, line, k + 1)
        if abs(float(cell)) > LARGEST:
            raise _wrong(f"{shown(cell)} is too large; at most {LARGEST:g}", name, line, k + 1)
        found.append(float(cell))
    return found
