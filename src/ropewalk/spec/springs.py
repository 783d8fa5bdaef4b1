"""What acts along an axis of a joint between two parts: springs of any law, stops, dampers, friction."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive

MOST_ENTRIES = 10  # of a table: with a spring's rest and two stops a law has 14 corners, room for which records keep


class AxisLaw(Part):
    """The axis is free; these forces add up along it on the second end, displaced by x from the first."""

    force: Finite = 0.0
    """A given force, N."""
    spring: NotNegative = 0.0
    """Stiffness, N/m: the force -spring (x - rest)."""
    rest: Finite = 0.0
    """Rest position of the spring, m."""
    acts: Literal["both", "pull", "push"] = "both"
    """One-sided springs: pull acts only beyond `rest` (x > rest), push only before it."""
    table: Annotated[tuple[tuple[Finite, Finite], ...], Field(min_length=2, max_length=MOST_ENTRIES)] | None = None
    """[x (m), restoring force (N)]: the force -table(x), straight between the entries and beyond them."""
    stops: tuple[Finite, Finite] | None = None
    """Positions of the end stops, m."""
    stop_stiffness: Positive | None = None
    """Stiffness of the end stops, N/m."""
    damping: NotNegative = 0.0
    """N s/m"""
    friction: NotNegative = 0.0
    """Dry friction, N; time domain only: it carries no load at rest."""

    @model_validator(mode="after")
    def _sound(self) -> AxisLaw:
        for (x0, _), (x1, _) in pairwise(self.table or ()):
            if x1 <= x0:
                raise ValueError(f"the table folds back at x = {x1} m; x must increase from entry to entry")
        if (self.stops is None) != (self.stop_stiffness is None):
            raise ValueError("stops and stop_stiffness go together; give both")
        if self.stops is not None and self.stops[1] <= self.stops[0]:
            raise ValueError(f"stops {self.stops[0]} and {self.stops[1]} m leave no distance between them")
        return self


LinkAxis = Literal["held", "free"] | AxisLaw


class LinkAxes(Part):
    """Condition along each axis of a joint between two parts."""

    x: LinkAxis = "held"
    y: LinkAxis = "held"
    z: LinkAxis = "held"
