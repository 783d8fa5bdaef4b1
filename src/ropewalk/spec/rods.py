"""Floating rods: shape and section along s."""

from __future__ import annotations

from ropewalk.spec.base import Part, Positive


class Rod(Part):
    """A rod that floats."""

    length: Positive
