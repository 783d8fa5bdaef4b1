"""Winches: line paid out or hauled in at one end."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part


class Payout(Part):
    """Line paid out or hauled in by a winch at one end, against time; mixed elements only."""

    end: Literal["A", "B"] = "B"
    """Where the winch is."""
    time: Annotated[tuple[NotNegative, ...], Field(min_length=2)]
    """s; before the first entry and after the last the winch stands"""
    length: Annotated[tuple[Finite, ...], Field(min_length=2)]
    """Unstretched length paid out (+) or hauled in (-) since the start, m; the speed is constant between entries."""
    ramp: NotNegative = 1.0
    """The speed changes within this time after each entry, s; 0 lets it jump, which shakes the line."""

    @model_validator(mode="after")
    def _matching(self) -> Payout:
        if len(self.time) != len(self.length):
            raise ValueError(f"{len(self.time)} times but {len(self.length)} lengths")
        if any(b <= a for a, b in pairwise(self.time)):
            raise ValueError("time must rise from entry to entry")
        if self.length[0] != 0.0:
            raise ValueError(
                f"length begins with {self.length[0]:g} m; the pieces are the line at the start: begin with 0"
            )
        return self

    @property
    def hauled(self) -> float:
        """Largest length hauled in, m."""
        return max(0.0, -min(self.length))
