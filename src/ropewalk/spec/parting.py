"""Lines that part, at a time or at a tension, whichever comes first."""

from __future__ import annotations

from pydantic import model_validator

from ropewalk.spec.base import NotNegative, Part, Positive


class Break(Part):
    """The line parts at a given time or where its tension first reaches a limit, whichever comes first. Mixed elements
    only."""

    s: NotNegative | None = None
    """Where the line parts: initial unstretched length from end A, m. With a tension limit it may be left out; the line
    then parts wherever the limit is reached."""
    time: NotNegative | None = None
    """s"""
    tension: Positive | None = None
    """N"""

    @model_validator(mode="after")
    def _one_of(self) -> Break:
        if self.time is None and self.tension is None:
            raise ValueError("a break needs a time or a tension; with both, the first to occur counts")
        if self.time is not None and self.s is None:
            raise ValueError("a break at a given time needs s, the position where the line parts")
        return self
