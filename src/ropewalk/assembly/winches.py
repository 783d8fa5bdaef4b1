"""Arrays of winches for the mixed elements: what kernels read, and what they change.

Nodes are pieces of line, so only the element at the winch changes its length. It is split when it has grown to
SPLIT times the length of its neighbours, and joined to its neighbour when it has shrunk to JOIN times that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints

SPLIT, JOIN = (
    1.2,
    0.1,
)  # of an ordinary element; apart, so that a winch to and fro does not remesh each time

# columns of `table`
LINE = 0
ELEMENT = 1  # at the winch
INNER, END = 2, 3  # its nodes
STRETCH = 4  # elements of one section from the winch on
KNOT, KNOT_STOP = 5, 6  # rows of `knots`
TABLE_COLUMNS = 7

# columns of `data`
RAMP = 0  # s
BASE = 1  # length of the element with nothing paid out, m
USUAL = 2  # length of an ordinary element, m
LINE_MASS = 3  # kg/m
AREA = 4  # m2
ADDED_NORMAL, ADDED_TANGENTIAL = 5, 6  # kg/m
INNER_WIDTH, END_WIDTH = 7, 8  # of contact with the bed at the nodes, m
INNER_MASS, END_MASS = 9, 10  # of all else at the nodes, kg
INNER_BED, END_BED = 11, 12  # contact area of all else at the nodes, m2
END_FORCE = 13  # 13, 14, 15: given at the end, N
# a joined element is a little off its true length, which is made good in time
SHIFT, SHIFT_RATE = 16, 17  # m, m/s, when it was joined
SHIFT_TIME, SHIFT_SPAN = 18, 19  # s, when it was joined, and until it is true
# filled by `pay_out`
RATE = 20  # of the line paid out, m/s
FLUX = 21  # force of the line that enters or leaves, along the element, N
DATA_COLUMNS = 22


class WinchMesh(NamedTuple):
    """Winches as kernels read them; the table and the data change when elements are split or joined."""

    table: Ints  # (n, TABLE_COLUMNS)
    data: Array  # (n, DATA_COLUMNS)
    knots: Array  # (m, 2) time (s), change of speed (m/s)


def no_winches() -> WinchMesh:
    """Of lines that keep their length."""
    return WinchMesh(np.zeros((0, TABLE_COLUMNS), dtype=np.int64), np.zeros((0, DATA_COLUMNS)), np.zeros((0, 2)))
