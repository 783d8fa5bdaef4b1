"""What ropewalk raises: bad input before any computing, numbers that failed, and results that found no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One error in the input: a sentence and its location."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str = ""

    def __str__(self) -> str:
        where = self.file or ""
        if self.line is not None:
            where += f":{self.line}" if where else f"line {self.line}"
        return ": ".join(part for part in (where, self.path, self.message) if part)


class InputError(Exception):
    """Invalid input; nothing was computed and nothing was written.

    The message has a sentence for every error; `problems` lists them one by one, with file, line and path.

    >>> import ropewalk as rw
    >>> try:
    ...     rw.System(points={"anchor": {"position": [0, 0]}})
    ... except rw.InputError as error:
    ...     print(error)
    points.anchor.position: 3 entries are needed, not 2
    """

    def __init__(self, problems: str | Problem | Sequence[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        if isinstance(problems, Problem):
            problems = [problems]
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return (InputError, (self.problems,))


class OutputError(Exception):
    """A result was computed and cannot be written, as when the disk is full; what was there before is as it was."""


class ConvergenceError(Exception):
    """The computation failed; the message gives the part and a remedy. `report` contains the figures.

    >>> import ropewalk as rw
    >>> try:
    ...     rest = rw.statics("mooring.yaml")
    ... except rw.ConvergenceError as error:
    ...     print(error)
    """

    def __init__(self, message: str, report: object = None) -> None:
        super().__init__(message)
        self.report = report

    def __reduce__(self) -> tuple[type[ConvergenceError], tuple[str, object]]:
        return (ConvergenceError, (str(self), self.report))


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers for a sentence that compares them: six digits, or as many as it takes for them to differ.

    >>> told_apart(50.0, 50.00000004)
    ('50', '50.00000004')
    """
    for digits in range(6, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts
