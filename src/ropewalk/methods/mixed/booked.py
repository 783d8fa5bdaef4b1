"""Memory of the energy ledger for lines side by side: their forces as they were measured last.

Numbers are those of `Walks` (walks.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.model.arrays import Array, Flags, Ints, Records
from ropewalk.numerics.lanes import WIDTH, lane_dtype
from ropewalk.physics.elasticity import LINEAR

# columns of the forces of an element on its nodes, N: its tension, water with drag and drag on the first half and on
# the second
PULL, WATER, DRAG, NEXT_WATER, NEXT_DRAG = 0, 3, 6, 9, 12
HALVES = 15
# sums over lines side by side, lane by lane
SUMS = lane_dtype(
    np.dtype(
        [
            ("taken", "f8"),  # work of the tension of elements with damping, J
            ("bare", "f8"),  # that of the others, J
            ("stored", "f8"),  # elastic energy of elements with damping, J
            ("bare_stored", "f8"),  # that of the others, J
            ("water", "f8"),  # work of the water, drag included, J
            ("drag", "f8"),  # J
            ("carried", "f8"),  # power of drag on the moving water, W
            ("loads", "f8"),  # J
            ("bed", "f8"),  # J
            ("damped", "f8"),  # work of damping by mass, J
            ("lost", "f8"),  # what the scheme takes, J
        ]
    ),
    WIDTH,
)
# end of a line
END = np.dtype(
    [
        ("node", "i8"),  # row of the mesh
        ("number", "i8"),  # of its element
        ("is_last", "i8"),  # 1 where a walk ends
        ("is_held", "i8"),
    ],
    align=True,
)


class Booked(NamedTuple):
    """What the ledger keeps of the walks."""

    in_use: Ints  # (1,) 1 if the ledger began with lines side by side
    stale: Ints  # (1,) 1 while the lanes do not have the state that is to be booked
    X: Array  # (3, 3, n) of the walks, as they were booked last
    T: Array  # (n,) N
    halves: Array  # (HALVES, n) N, by the columns above
    bed: Array  # (3, n) N, force of the bed
    on_bed: Ints  # (n_batches,) 1 where the bed bears a node of a batch
    is_element: Array  # (n,) 1 where elements are such, 0 where they only fill a row
    is_moved: Array  # (n,) 1 for nodes between the ends of lines, each once
    stiffness: Array  # (n,) axial, N; 0 for inextensible elements
    ends: Records  # (n_ends,) of END, those that may move
    sums: Records  # (1,) of SUMS
    numbers: Array  # (n,) the same memory


def plan_booked(mesh: Mesh, element: Ints, is_element: Flags, is_moved: Flags, batches: int, ends: Records) -> Booked:
    """Memory for walks.  element, is_element, is_moved : (n,), of `Walks`    ends : of `moving_ends`"""
    n, own = element.size, mesh.element[element]
    is_linear = own["law"] == LINEAR
    sums = np.zeros(1, SUMS)
    known = mesh.law_data[np.where(is_linear, own["law_start"], 0)] if mesh.law_data.size else np.zeros(n)
    return Booked(
        in_use=np.zeros(1, np.int64), stale=np.zeros(1, np.int64), X=np.zeros((3, 3, n)), T=np.zeros(n),
        halves=np.zeros((HALVES, n)), bed=np.zeros((3, n)), on_bed=np.zeros(batches, np.int64),
        is_element=is_element.astype(float), is_moved=is_moved.astype(float),
        stiffness=np.where(is_linear, known, 0.0), ends=ends, sums=sums.view(np.recarray),
        numbers=sums.view(np.float64),
    )  # fmt: skip


def moving_ends(mesh: Mesh, found: Iterable[tuple[int, int, int, int]]) -> Records:
    """(n_ends,) of END: those ends of lines that may move.

    found : of each end of a line its junction, the row of its node, the number of its element, and 1 where a walk ends
    """
    rows = []
    for j, node, number, is_last in found:
        is_held = mesh.dof_start[j] == mesh.dof_start[j + 1]
        if not is_held or mesh.motion[j] >= 0:  # no force works at an anchor
            rows.append((node, number, is_last, int(is_held)))
    return np.array(rows, dtype=END).view(np.recarray)
