"""Markdown from plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
    yield ""


def prose(text: str) -> str:
    """A docstring as Markdown on one line: formulas with ^, <, * must not become markup."""
    plain = " ".join(text.split())
    plain = re.sub(r"(?<!`)([*<>_])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", plain)
    return plain.replace("[", "\\[").replace("]", "\\]")
