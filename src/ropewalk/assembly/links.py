"""Arrays of the links between bodies for the mixed elements.

A link has two rows after those of all bodies in the arrays of positions: the force and the moment of its multipliers on
its second end, in units of the link's force scale (so that they are of the size of lengths, as all of these rows are).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_RIGID
from ropewalk.model.model import Model

# columns of `table`
KIND = 0  # of model/links.py
END = 1  # 1, 2: junction of either end, as lines count them
END_BODY = 3  # 3, 4: body of either end, -1 on a point
FIRST_ROW = 5  # of its equations
N_ROWS = 6
LINK_INDICES = 7

# columns of `data`
ARM = 0  # 0 to 5: of either end, in the body frame, m
TRIAD = 6  # 6 to 23: three directions in the frame of either end
BAR_LENGTH = 24  # m
HINGE_STIFFNESS, HINGE_DAMPING = 25, 26  # N m/rad, N m s/rad
FORCE_SCALE = 27  # N
LINK_SIZE = 28  # m: a turn times it is a way
LINK_COLUMNS = 29

ROWS = {LINK_RIGID: 6, LINK_HINGE: 5, LINK_BALL: 3, LINK_BAR: 1}  # equations of each kind


class LinkMesh(NamedTuple):
    """Links as kernels read them, and scratch, filled for one link at a time by `link_terms`."""

    table: Ints  # (n, LINK_INDICES)
    data: Array  # (n, LINK_COLUMNS)
    own: Array  # (12, 13) tangent by the moves and turns of both ends and, last, minus the forces and moments on them
    hold: Array  # (6, 13) derivative of the equations by the same and, last, what they miss (m)
    lever: Array  # (12, 12) moves and turns of both ends per degree of freedom of their junctions
    miss: Array  # (1,) largest miss of an equation when the balance was last looked at, m; filled by `link_unbalance`


def link_rows(links: LinkMesh) -> int:
    """Number of equations of all links."""
    return int(np.sum(links.table[:, N_ROWS]))


def build_link_mesh(model: Model, weight: Any, size: Any) -> LinkMesh:
    """Arrays of all links.

    weight, size : (n_bodies,) scales of the forces on (N) and the extent of (m) the bodies
    """
    links, n_points = model.links, len(model.names.points)
    n = len(links.names)
    table = np.zeros((n, LINK_INDICES), dtype=np.int64)
    data = np.zeros((n, LINK_COLUMNS))
    rows = np.array([ROWS[int(kind)] for kind in links.kind], dtype=np.int64)
    on_body = links.end_kind == BODY
    table[:, KIND] = links.kind
    table[:, END : END + 2] = links.end_index + np.where(on_body, n_points, 0)
    table[:, END_BODY : END_BODY + 2] = np.where(on_body, links.end_index, -1)
    table[:, FIRST_ROW] = np.cumsum(rows) - rows
    table[:, N_ROWS] = rows
    data[:, ARM : ARM + 6] = links.offset.reshape(n, 6)
    data[:, TRIAD : TRIAD + 18] = links.frame.reshape(n, 18)
    data[:, BAR_LENGTH] = links.length
    data[:, HINGE_STIFFNESS], data[:, HINGE_DAMPING] = links.stiffness, links.damping
    for k in range(n):
        mine = [int(b) for b in table[k, END_BODY : END_BODY + 2] if b >= 0]
        data[k, FORCE_SCALE] = max(weight[b] for b in mine)
        data[k, LINK_SIZE] = max(size[b] for b in mine)
    return LinkMesh(
        table=ints(table, (-1, LINK_INDICES)),
        data=floats(data, (-1, LINK_COLUMNS)),
        own=np.zeros((12, 13)),
        hold=np.zeros((6, 13)),
        lever=np.zeros((12, 12)),
        miss=np.zeros(1),
    )
