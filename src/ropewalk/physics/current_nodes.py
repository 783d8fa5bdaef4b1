"""Motion of the water that is known at the nodes of lines, as a function of place and time for kernels.

The nodes stand in a table of segments (numerics/pointers.py), a point alone as one without length, which its owner
refills while kernels read it: first the time at which all holds, then COLUMNS numbers for each segment, places (m),
velocities (m/s) and accelerations (m/s2) of its two ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import Floats, live_table, number_at

COLUMNS = 18  # of a segment


def nodes_field(n_segments: int) -> tuple[Callable[..., Any], Floats]:
    """The function u(r, t) of a table, m/s, and the table (1 + COLUMNS n,), of zeros."""
    table, address = live_table(1 + COLUMNS * n_segments)

    @numba.njit  # type: ignore[untyped-decorator]
    def current_at_nodes(r, t):  # type: ignore[no-untyped-def]
        return nodes_velocity((r[0], r[1], r[2]), t, address, n_segments)

    return current_at_nodes, table


@kernel
def nodes_velocity(r, t, address, n_segments):
    r"""Velocity (m/s) on the segment nearest to a place, linear along it and in time: 3 numbers.

    .. math:: u = (1 - \sigma)\, (u_a + a_a \tau) + \sigma\, (u_b + a_b \tau), \qquad \tau = t - t_0

    Source: [MoorDyn2025], WaveKin 1, whose nodes have given velocities and accelerations.

    r : m    t : s    address : of the table    n_segments : in it
    """
    nearest, first, share = np.inf, 1, 0.0
    for i in range(n_segments):
        at = 1 + COLUMNS * i
        way, span, along = 0.0, 0.0, 0.0
        for p in range(3):
            a, b = number_at(address, at + p), number_at(address, at + 3 + p)
            span += (b - a) * (b - a)
            along += (r[p] - a) * (b - a)
        s = min(1.0, max(0.0, along / span)) if span > 0.0 else 0.0
        for p in range(3):
            a, b = number_at(address, at + p), number_at(address, at + 3 + p)
            way += (r[p] - a - s * (b - a)) ** 2
        if way < nearest:
            nearest, first, share = way, at, s
    since = t - number_at(address, 0)
    u = _moved(address, first + 6, share, since)
    return u, _moved(address, first + 7, share, since), _moved(address, first + 8, share, since)


@kernel
def _moved(address, at, share, since):
    """One component of u = (1 - s)(u_a + a_a tau) + s (u_b + a_b tau), m/s.  Source: :func:`nodes_velocity`.

    address : of the table    at : of u_a in it; u_b stands three, accelerations six further on    share : s
    since : tau, s
    """
    a = number_at(address, at) + since * number_at(address, at + 6)
    b = number_at(address, at + 3) + since * number_at(address, at + 9)
    return (1.0 - share) * a + share * b
