"""How each line is shot."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LinePlan:
    """How one line is shot: cuts, the direction of each arc between them, and what rests on the bed."""

    cuts: tuple[float, ...] = ()  # m from end A, rising
    backward: tuple[bool, ...] = (False,)  # of each arc, towards end A
    bed: tuple[bool, ...] = ()  # of each cut
    pegs: tuple[int, ...] = ()  # of each cut, index into the model's `over` arrays, -1 for none; empty if there is none
    ends: tuple[bool, bool] = (
        True,
        True,
    )  # A and B, where held on the bed: the line lies there, or leaves upwards
    laid: bool = False  # on a bed without friction too, what rests on it lies straight and slack, and nothing moves it

    @property
    def peg_of(self) -> tuple[int, ...]:
        """`pegs` in full."""
        return self.pegs or (-1,) * len(self.cuts)


Plan = tuple[LinePlan, ...]
