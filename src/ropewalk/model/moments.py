"""Moments: states of a run one after the other, on the same nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints
from ropewalk.model.state import State

CONSTANT = ("time", "start", "s")  # fields of State that are no rows of a series


class Moments(NamedTuple):
    """Fields of State with the moment as first axis."""

    time: Array  # (n,) s
    start: Ints  # (n_lines + 1,) of State
    s: Array  # (n_nodes,) of State, m
    fields: dict[str, Array]  # by name, (n, *shape of the field of State)

    @classmethod
    def of(cls, states: Sequence[State]) -> Moments:
        """Moments of at least one state, all on the same nodes; copied."""
        first = states[0]
        if len(states) == 1:
            fields = {name: getattr(first, name)[None].copy() for name in State._fields if name not in CONSTANT}
        else:
            fields = {
                name: np.stack([getattr(state, name) for state in states])
                for name in State._fields
                if name not in CONSTANT
            }
        return cls(np.array([state.time for state in states]), first.start, first.s, fields)

    @classmethod
    def joined(cls, parts: Sequence[Moments]) -> Moments:
        """Moments of several in sequence, at least one, all on the same nodes."""
        first = parts[0]
        fields = {name: np.concatenate([part.fields[name] for part in parts]) for name in first.fields}
        return cls(np.concatenate([part.time for part in parts]), first.start, first.s, fields)

    def singly(self) -> Iterator[Moments]:
        """One moment after the other."""
        for i in range(self.time.size):
            yield self.cut(i, i + 1)

    def cut(self, first: int, stop: int) -> Moments:
        """The moments first to stop - 1."""
        fields = {name: values[first:stop] for name, values in self.fields.items()}
        return Moments(self.time[first:stop], self.start, self.s, fields)

    def state(self, i: int) -> State:
        """Moment i alone."""
        return State(
            time=float(self.time[i]),
            start=self.start,
            s=self.s,
            **{name: values[i] for name, values in self.fields.items()},
        )
