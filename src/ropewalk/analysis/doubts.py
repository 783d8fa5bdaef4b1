"""What is not wrong but doubtful about an answer: a name, a number and its limit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Doubt:
    """One reason to look twice at an answer that passed its audit."""

    code: str  # short, kebab-case, one per kind of doubt: docs/audit.md lists them
    part: str  # name of the line, point, body or net; empty for the whole system
    value: float  # the figure, in the unit that the sentence gives
    limit: float  # beyond which it is doubtful
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `--json` and in the attributes of results."""
        return {
            "code": self.code,
            "part": self.part,
            "value": self.value,
            "limit": self.limit,
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return f"doubt {self.code}: {self.sentence}"


def percent(share: float) -> str:
    """A share in per cent, to two digits and never in powers of ten: 110 %, 44 %, 1.3 %."""
    return f"{float(f'{100.0 * share:.2g}'):g} %"


def as_json(doubts: Iterable[Doubt]) -> str:
    """A JSON list: the attribute `doubts` of a result."""
    return json.dumps([doubt.as_dict() for doubt in doubts])


def of_attributes(attrs: Mapping[Any, Any]) -> list[Doubt]:
    """The doubts in the attributes of a result, for whoever shows it; a damaged list is a doubt itself."""
    try:
        return [Doubt(**entry) for entry in json.loads(attrs.get("doubts", "[]"))]
    except (TypeError, ValueError):
        return [Doubt("damaged", "", 0.0, 0.0, "the doubts of this result cannot be read")]


def in_turn(several: Iterable[Iterable[Doubt]]) -> list[Doubt]:
    """The doubts of several answers, one of each kind and part: the figures are those of the first that has it."""
    found: dict[tuple[str, str], Doubt] = {}
    for doubts in several:
        for doubt in doubts:
            found.setdefault((doubt.code, doubt.part), doubt)
    return list(found.values())
