"""Text files of columns, as MoorDyn, MoorPy and MAP++ read them: words with their places, and strict numbers.

The readers of those programs take what C's `atof` or Python's `float` makes of a word: `12.5m` is 12.5 to the one,
`1_000` is 1000 to the other, and `nan` is a number to both. Here a word is a number as a whole or the row is refused,
with its line and column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ropewalk.errors import InputError, Problem
from ropewalk.io.messages import MAX_PROBLEMS, one_line, shown
from ropewalk.spec.base import LARGEST

MAX_BYTES = 10_000_000  # of a file; the largest public ones have some kilobytes
COMMENT = "#"

_WORD = re.compile(r"\S+")
# Fortran writes the exponent of a double with a d; a sign without a letter (1.0+3) is refused
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NOT_NUMBER = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)


class Refused(Exception):
    """A row that cannot be converted; the readers collect them and go on to the next row."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True)
class Word:
    """A word of a file and where it stands, both counted from 1."""

    text: str
    line: int
    column: int
    file: str

    def refuse(self, message: str, name: str = "") -> Refused:
        """The error that this word is; `name` is that of its column in the table."""
        where = f"column {self.column}" + (f", {name}" if name else "")
        return Refused(Problem(message, self.file, self.line, self.column, where))

    def number(
        self, name: str, *, least: float | None = None, above: float | None = None, most: float | None = None
    ) -> float:
        """The word as a number, within bounds."""
        value = self._parsed(name)
        if least is not None and value < least:
            raise self.refuse(f"{self.text} is below {least:g}", name)
        if above is not None and value <= above:
            raise self.refuse(f"{self.text} must be above {above:g}", name)
        if most is not None and value > most:
            raise self.refuse(f"{self.text} is above {most:g}", name)
        return value

    def _parsed(self, name: str) -> float:
        if not _NUMBER.fullmatch(self.text):
            if _NOT_NUMBER.fullmatch(self.text):
                raise self.refuse(f"{self.text} is not usable as a number; give a finite one", name)
            start = _NUMBER.match(self.text)
            hint = f"; did you mean {start.group()}?" if start else ""
            raise self.refuse(f"{shown(self.text)} is not a number{hint}", name)
        value = float(self.text.replace("d", "e").replace("D", "e"))
        if not math.isfinite(value) or abs(value) > LARGEST:
            raise self.refuse(f"{shown(self.text)} is too large; at most {LARGEST:g}", name)
        return value

    def whole(self, name: str, *, least: int) -> int:
        """The word as a whole number."""
        if not _WHOLE.fullmatch(self.text) or len(self.text) > 9:
            raise self.refuse(f"{shown(self.text)} is not a whole number", name)
        value = int(self.text)
        if value < least:
            raise self.refuse(f"{value} is below {least}", name)
        return value

    def parts(self, name: str) -> list[Word]:
        """The words between bars, as in 1.0|2.0|3.0."""
        words, column = [], self.column
        for piece in self.text.split("|"):
            if not piece:
                raise self.refuse(f"{shown(self.text)}: one side of a bar is empty", name)
            words.append(Word(piece, self.line, column, self.file))
            column += len(piece) + 1
        return words

    @property
    def is_number(self) -> bool:
        """Whether `number` would read it."""
        return bool(_NUMBER.fullmatch(self.text))


@dataclass(frozen=True)
class Row:
    """The words of a line, comments taken off."""

    line: int
    words: tuple[Word, ...]
    text: str
    file: str

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> Word:
        return self.words[index]

    def refuse(self, message: str) -> Refused:
        """The error that this row is."""
        return Refused(Problem(message, self.file, self.line))

    @property
    def numbers(self) -> int:
        """How many words are numbers."""
        return sum(word.is_number for word in self.words)


def read_rows(path: Path, *, comment: str = COMMENT) -> list[Row]:
    """The rows of a file that hold words; blank lines and comments are passed over."""
    return list(split_rows(read_text(path), one_line(str(path)), comment=comment))


def read_text(path: Path) -> str:
    """Text of a file: UTF-8, or Latin-1 as older files have in their units."""
    name = one_line(str(path))
    try:
        if not path.is_file():
            raise InputError(Problem("is not a file" if path.exists() else "no such file", name))
        if path.stat().st_size > MAX_BYTES:
            raise InputError(Problem(f"the file has more than {MAX_BYTES / 1e6:.0f} MB", name))
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(Problem(f"cannot be read: {reason}", name)) from None
    if b"\x00" in data:
        line = data[: data.index(b"\x00")].count(b"\n") + 1
        raise InputError(Problem("the file is not text: it contains a NUL", name, line))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def split_rows(text: str, file: str, *, comment: str = COMMENT) -> Iterator[Row]:
    """Rows of a text, counted from 1. Lines end in LF, CR or CRLF; tabs are blanks."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        body = line.split(comment, 1)[0] if comment else line
        words = tuple(Word(found.group(), number, found.start() + 1, file) for found in _WORD.finditer(body))
        if words:
            yield Row(number, words, body, file)


def raise_all(problems: Sequence[Problem]) -> None:
    """Raise what was collected as one InputError, in the order of the lines."""
    if not problems:
        return
    found = sorted(dict.fromkeys(problems), key=lambda problem: (problem.line or 0, problem.column or 0))
    more = len(found) - MAX_PROBLEMS
    if more > 0:
        found[MAX_PROBLEMS:] = [Problem(f"(+{more} more)", found[0].file)]
    raise InputError(found)
