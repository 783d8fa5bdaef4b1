"""What a converter gives back: the case, and an account of how it came about, line by line.

Nothing is dropped in silence. Each thing that a reader finds in a file ends in one of three ways: it stands in the
case, it stands in the notes (converted by a rule, assumed, or left out), or the file is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from ropewalk.errors import Problem
from ropewalk.io.columns import Refused, raise_all
from ropewalk.io.locations import Step
from ropewalk.io.messages import checked, one_line
from ropewalk.io.native import write_case
from ropewalk.spec.system import System

Kind = Literal["converted", "assumed", "left out"]
KINDS: tuple[Kind, ...] = ("converted", "assumed", "left out")
HEADS = {
    "converted": "Converted by rule:",
    "assumed": "Assumed, because the file does not contain it:",
    "left out": "Left out, because a case cannot contain it:",
}
COMMENT_WIDTH = 110  # characters
COUPLED = "coupled"  # how a part is held that the calling program moves: where it is given, as long as nobody calls


def coupled_joint() -> str:
    """The joint of points and bodies that a calling program moves (MoorDyn's Coupled, Vessel, Fairlead)."""
    return COUPLED


@dataclass(frozen=True)
class Note:
    """One thing that a reader did, with the line of the file that gave rise to it (0: the file as a whole)."""

    kind: Kind
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.sentence}" if self.line else self.sentence


@dataclass(frozen=True)
class Wishes:
    """What the user gives beside the file."""

    depth: float | None = None
    """m"""
    gravity: float | None = None
    """m/s2"""
    water_density: float | None = None
    """kg/m3"""
    ignore_bending: bool = False
    still_water: bool = False
    """Leave waves and currents out."""
    turbines: Mapping[int, tuple[float, float, float]] = field(default_factory=dict)
    """Places of the turbines of a farm, m, by number."""
    driven: bool = False
    """A caller takes the force of rods on coupled bodies: they are bodies of the case."""


@dataclass(frozen=True)
class Conversion:
    """A case made of another program's file."""

    system: System
    source: str
    """What the file was, e.g. MoorDyn v2."""
    file: str
    notes: tuple[Note, ...]
    comments: dict[tuple[str, ...], str]
    """By place in the case: where it came from."""

    def text(self) -> str:
        """The case file, with what was converted and how as comments."""
        head = [f"# Converted by ropewalk from {self.file} ({self.source})."]
        for kind in KINDS:
            chosen = [note for note in self.notes if note.kind == kind]
            if chosen:
                head += ["#", f"# {HEADS[kind]}"]
                head += [line for note in chosen for line in _wrapped(str(note))]
        return "\n".join(head) + "\n" + write_case(self.system, self.comments)


def _wrapped(sentence: str) -> Iterator[str]:
    from textwrap import wrap

    lines = wrap(one_line(sentence), COMMENT_WIDTH - 6) or [""]
    yield f"#   - {lines[0]}"
    yield from (f"#     {line}" for line in lines[1:])


class Ledger:
    """What a reader writes while it reads: parts of the case, notes, problems, and where each part stood."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.data: dict[str, Any] = {}
        self.notes: list[Note] = []
        self.problems: list[Problem] = []
        self.comments: dict[tuple[str, ...], str] = {}
        self._lines: dict[tuple[str, ...], int] = {}
        self._names: dict[str, dict[str, str]] = {}

    def note(self, kind: Kind, line: int, sentence: str) -> None:
        """Keep a sentence about the file; the same one is kept once."""
        note = Note(kind, line, sentence)
        if note not in self.notes:
            self.notes.append(note)

    def refuse(self, line: int, message: str) -> None:
        """Keep a reason why the file cannot be converted."""
        self.problems.append(Problem(message, self.file, line or None))

    @contextmanager
    def row(self) -> Iterator[None]:
        """Within it a refused row is kept as a problem, and reading goes on behind it."""
        try:
            yield
        except Refused as refused:
            self.problems.append(refused.problem)

    def put(self, kind: str, name: str, part: dict[str, Any], line: int, comment: str = "") -> None:
        """Add a part to the case; a second one of that name is refused."""
        parts = self.data.setdefault(kind, {})
        if name in parts:
            self.refuse(line, f"{kind}: '{name}' is given twice; the first is at line {self._lines[(kind, name)]}")
            return
        parts[name] = part
        self._lines[(kind, name)] = line
        if comment:
            self.comments[(kind, name)] = comment

    def name(self, kind: str, given: str, line: int) -> str:
        """A name that a case can have, made of the one that the file has."""
        known = self._names.setdefault(kind, {})
        if given in known:
            return known[given]
        name = re.sub(r"[^A-Za-z0-9_ \-]", "_", given)[:90]
        if not re.match(r"[A-Za-z_]", name):
            name = f"{kind}_{name}"
        taken, base, k = set(known.values()), name, 2
        while name in taken:
            name, k = f"{base}_{k}", k + 1
        if name != given:
            self.note("converted", line, f"{kind} {given!r} is named '{name}': names have letters, digits, - and _")
        known[given] = name
        return name

    def system(self) -> System:
        """The checked case; InputError with every problem if there is one, each with its line in the file."""
        raise_all(self.problems)
        self.data.setdefault("ropewalk", 1)
        return checked(System, self.data, self.file, self)

    def nearest(self, path: Sequence[Step]) -> tuple[int, int]:
        """Line and column of the part that a path of the case lies in."""
        for length in range(len(path), 0, -1):
            line = self._lines.get(tuple(str(step) for step in path[:length]))
            if line is not None:
                return line, 1
        return 1, 1

    def done(self, source: str) -> Conversion:
        """The conversion, whole."""
        system = self.system()
        order = {kind: i for i, kind in enumerate(KINDS)}
        notes = sorted(self.notes, key=lambda note: (order[note.kind], note.line))
        return Conversion(system, source, self.file, tuple(notes), self.comments)


def damping_time(ba: float, stiffness: float, mass: float, segment: float) -> float:
    """Internal damping time, s, of MoorDyn's BA (N s), or of -zeta: a share of critical damping of one segment.

    MoorDyn takes zeta (L/N) sqrt(EA m) for BA, with the mass in air m (kg/m) and the length of a segment L/N (m).
    """
    if ba >= 0.0:
        return ba / stiffness
    return -ba * segment * math.sqrt(mass / stiffness)
