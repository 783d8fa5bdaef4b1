"""Arrays of the places where lines part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints
from ropewalk.spec.lines import Line


class Breaks(NamedTuple):
    """One entry per line that may part."""

    line: Ints  # (n,) which line
    s: Array  # (n,) m from end A, NaN for anywhere
    time: Array  # (n,) s, inf for none
    tension: Array  # (n,) N, inf for none


def build_breaks(lines: Mapping[str, Line]) -> Breaks:
    """Arrays of all breaks, in the order of their lines."""
    given = [(i, line.break_) for i, line in enumerate(lines.values()) if line.break_ is not None]
    return Breaks(
        line=ints([i for i, _ in given]),
        s=floats([np.nan if b.s is None else b.s for _, b in given]),
        time=floats([np.inf if b.time is None else b.time for _, b in given]),
        tension=floats([np.inf if b.tension is None else b.tension for _, b in given]),
    )
