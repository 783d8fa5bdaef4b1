"""Arrays of winches for the mixed elements: what kernels read, and what they change.

Nodes are pieces of line, so only the element at the winch changes its length. It is split when it has grown to
SPLIT times the length of its neighbours, and joined to its neighbour when it has shrunk to JOIN times that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints
from ropewalk.model.in_time import Functions

SPLIT, JOIN = (
    1.2,
    0.1,
)  # of an ordinary element; apart, so that a winch to and fro does not remesh each time

# columns of `table`
LINE = 0
ELEMENT = 1  # at the winch
INNER, END = 2, 3  # its nodes
STRETCH = 4  # elements of one section from the winch on
FUNCTION = 5  # length paid out, m, against time
TABLE_COLUMNS = 6

# columns of `data`
BASE = 0  # length of the element with nothing paid out, m
USUAL = 1  # length of an ordinary element, m
LINE_MASS = 2  # kg/m
AREA = 3  # m2
ADDED_NORMAL, ADDED_TANGENTIAL = 4, 5  # kg/m
INNER_WIDTH, END_WIDTH = 6, 7  # of contact with the bed at the nodes, m
INNER_MASS, END_MASS = 8, 9  # of all else at the nodes, kg
INNER_BED, END_BED = 10, 11  # contact area of all else at the nodes, m2
END_FORCE = 12  # 12, 13, 14: given at the end, N
# a joined element is a little off its true length, which is made good in time
SHIFT, SHIFT_RATE = 15, 16  # m, m/s, when it was joined
SHIFT_TIME, SHIFT_SPAN = 17, 18  # s, when it was joined, and until it is true
# filled by `pay_out`
RATE = 19  # of the line paid out, m/s
FLUX = 20  # force of the line that enters or leaves, along the element, N
DATA_COLUMNS = 21


class WinchMesh(NamedTuple):
    """Winches as kernels read them; the table and the data change when elements are split or joined."""

    table: Ints  # (n, TABLE_COLUMNS)
    data: Array  # (n, DATA_COLUMNS)
    functions: Functions  # of time


def no_winches(functions: Functions) -> WinchMesh:
    """Of lines that keep their length."""
    return WinchMesh(np.zeros((0, TABLE_COLUMNS), dtype=np.int64), np.zeros((0, DATA_COLUMNS)), functions)
