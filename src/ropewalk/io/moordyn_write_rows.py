"""Rows of a MoorDyn file to be written, and what goes with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ropewalk.io.conversion import Note


@dataclass
class Written:
    """A MoorDyn file, the files that go beside it, and what they do not hold."""

    text: str = ""
    files: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Keep a sentence about something that is not written as the case has it."""
        self.notes.append(Note("left out", 0, sentence))


@dataclass(frozen=True)
class PointLine:
    """A row of the points."""

    attachment: str
    position: Sequence[float]
    mass: float = 0.0
    volume: float = 0.0
    force: Sequence[float] = (0.0, 0.0, 0.0)
    drag_area: float = 0.0
    added_mass: float = 0.0  # kg
    name: str = ""


def number(value: float) -> str:
    """The shortest text that reads back to the same number."""
    return repr(float(value))
