"""Winches: line paid out or hauled in at one end."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part
from ropewalk.spec.from_file import NOT_READ
from ropewalk.spec.in_time import ConstantValue, HarmonicValue, InTime, TableValue, Value, check_table


class Payout(Part):
    """Line paid out or hauled in by a winch at one end, against time; mixed elements only."""

    end: Literal["A", "B"] = "B"
    """End of the line at which the winch is."""
    time: Annotated[tuple[NotNegative, ...], Field(min_length=2)] | None = None
    """s; before the first entry and after the last the winch is stopped"""
    length: Annotated[tuple[Finite, ...], Field(min_length=2)] | None = None
    """Unstretched length paid out (+) or hauled in (-) since the start, m; the speed is constant between entries."""
    rate: Value | None = None
    """Speed of the winch, m/s, out (+) or in (-), in place of `time` and `length`; may vary in time."""
    file: str | None = None
    """A CSV file beside the case with the columns t and length, in place of `time` and `length`."""
    ramp: NotNegative = 1.0
    """The speed changes within this time after each entry, s, and after the start of a constant rate; with 0 it changes
    abruptly, which excites the line."""

    @model_validator(mode="after")
    def _matching(self) -> Payout:
        if self.file is not None:
            raise ValueError(NOT_READ)
        if self.rate is not None:
            return self._check_rate()
        if self.time is None or self.length is None:
            raise ValueError("a winch needs time and length, or a rate")
        check_table(self.time, len(self.length), "lengths")
        if self.length[0] != 0.0:
            raise ValueError(
                f"length begins with {self.length[0]:g} m; the pieces give the length at the start: begin with 0"
            )
        return self

    def _check_rate(self) -> Payout:
        if self.time is not None or self.length is not None:
            raise ValueError("give a winch its rate, or time and length, not both")
        if isinstance(self.rate, InTime) and self.rate.ramp > 0.0:
            raise ValueError("a rate has no ramp of its own; payout.ramp rounds its start, or begin a table with 0")
        if isinstance(self.rate, TableValue) and (self.rate.time[0] < 0.0 or self.rate.after == "continue"):
            raise ValueError("a table of rates begins at t = 0 or later, and its last entry holds")
        if self.hauled == math.inf:
            raise ValueError("the winch never stops hauling in; give the rate as a table that ends with 0")
        return self

    @property
    def hauled(self) -> float:
        """Largest length hauled in, m; an upper bound where the rate is harmonic."""
        rate = self.rate
        if self.length is not None:
            return max(0.0, -min(self.length))
        if isinstance(rate, HarmonicValue):
            steady = [term for term in rate.terms if term.omega == 0.0]
            mean = rate.mean + sum(term.amplitude * math.cos(term.phase) for term in steady)
            swings = sum(2.0 * abs(term.amplitude) / term.omega for term in rate.terms if term.omega > 0.0)
            return math.inf if mean < 0.0 else swings
        if isinstance(rate, TableValue):
            if rate.value[-1] < 0.0:
                return math.inf
            points, length, least = list(zip(rate.time, rate.value, strict=True)), 0.0, 0.0
            for (t0, r0), (t1, r1) in pairwise(points):
                if r0 < 0.0 < r1 or r1 < 0.0 < r0:
                    least = min(least, length + 0.5 * r0 * (t1 - t0) * r0 / (r0 - r1))
                length += 0.5 * (r0 + r1) * (t1 - t0)
                least = min(least, length)
            return -least
        speed = rate.value if isinstance(rate, ConstantValue) else rate
        return math.inf if isinstance(speed, float) and speed < 0.0 else 0.0
