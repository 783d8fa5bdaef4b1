"""Arrays of winches for the mixed elements: what kernels read, and what they change.

Nodes are pieces of line, so only the element at the winch changes its length. It is split when it has grown to
SPLIT times the length of its neighbours, and joined to its neighbour when it has shrunk to JOIN times that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Records, records
from ropewalk.model.in_time import Functions

SPLIT, JOIN = 1.2, 0.1  # of an ordinary element; apart, so that a winch to and fro does not remesh each time

WINCH = np.dtype(
    [
        ("line", "i8"),
        ("element", "i8"),  # at the winch
        ("inner", "i8"),  # its node on the line
        ("end", "i8"),  # its node at the winch
        ("stretch", "i8"),  # elements of one section from the winch on
        ("function", "i8"),  # length paid out, m, against time
        ("unpaid", "f8"),  # length of the element with nothing paid out, m
        ("usual", "f8"),  # length of an ordinary element, m
        ("line_mass", "f8"),  # kg/m
        ("area", "f8"),  # m2
        ("added_normal", "f8"),  # kg/m
        ("added_tangential", "f8"),
        ("inner_width", "f8"),  # of contact with the bed at the nodes, m
        ("end_width", "f8"),
        ("inner_mass", "f8"),  # of all else at the nodes, kg
        ("end_mass", "f8"),
        ("inner_bed", "f8"),  # contact area of all else at the nodes, m2
        ("end_bed", "f8"),
        ("end_force", "f8", (3,)),  # given at the end, N
        # a joined element is a little off its true length, which is made good in time
        ("shift", "f8"),  # m, when it was joined
        ("shift_rate", "f8"),  # m/s
        ("shift_time", "f8"),  # s, when it was joined
        ("shift_span", "f8"),  # s, until it is true
        # filled by `pay_out`
        ("length", "f8"),  # of line between winch and inner node, m
        ("rate", "f8"),  # of the line paid out, m/s
        ("second", "f8"),  # rate of that, m/s2
        # filled by `push_back`
        ("flux", "f8"),  # force of the line that enters or leaves, along the element, N
    ],
    align=True,
)


class WinchMesh(NamedTuple):
    """Winches as kernels read them; their records change when elements are split or joined."""

    winch: Records  # (n,) of WINCH
    functions: Functions  # of time


def no_winches(functions: Functions) -> WinchMesh:
    """Of lines that keep their length."""
    return WinchMesh(records(0, WINCH), functions)
