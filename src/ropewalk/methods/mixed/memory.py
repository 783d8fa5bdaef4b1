"""Checkpoints of the mixed elements: all that the next step depends on, as arrays by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.methods.mixed.events import copy_state
from ropewalk.methods.mixed.report import FemWork
from ropewalk.model.arrays import Records, floats, ints
from ropewalk.numerics.pointers import addresses_of, tokens_of

ADDRESSES = ("function", "slopes", "drag_law")  # fields of records that hold addresses of this run of the program
CHANGING = ("node", "element", "load", "shed")  # records of the mesh that winches, breaks and memory change
FIXED_FLOATS, FIXED_INTS = ("s", "end_offset"), ("node_start", "element_start")  # replaced as a whole


def snapshot_of(work: FemWork) -> dict[str, Any]:
    """The memory of a run, by name."""
    return {
        **_arrays(work),
        **(_booked(work) if work.steps.memory.walks.allowed[0] else {}),
        **{f"mesh_{name}": getattr(work.mesh, name) for name in (*FIXED_FLOATS, *FIXED_INTS)},
        **{f"mesh_{name}": _bytes(_with_tokens(getattr(work.mesh, name))) for name in CHANGING},
    }


def restored_mesh(mesh: Mesh, snapshot: dict[str, Any]) -> Mesh:
    """The mesh as it was when the snapshot was taken."""
    changes: dict[str, Any] = {
        name: _with_addresses(snapshot[f"mesh_{name}"].copy().view(getattr(mesh, name).dtype).view(np.recarray))
        for name in CHANGING
    }
    changes.update({name: floats(snapshot[f"mesh_{name}"]) for name in FIXED_FLOATS})
    changes.update({name: ints(snapshot[f"mesh_{name}"]) for name in FIXED_INTS})
    return mesh._replace(**changes)


def _with_tokens(rows: Records) -> Records:
    """Records whose addresses of functions and tables, which hold in one run of the program only, became tokens."""
    return _mapped(rows, tokens_of)


def _with_addresses(rows: Records) -> Records:
    """Undo `_with_tokens`."""
    return _mapped(rows, addresses_of)


def _mapped(rows: Records, change: Any) -> Records:
    for name in ADDRESSES:
        if name in rows.dtype.names and np.any(rows[name]):
            rows = rows.copy()
            rows[name] = change(rows[name])
    return rows


def _bytes(table: Any) -> Any:
    """Records as plain bytes in the same memory, which a checkpoint can keep."""
    return np.ascontiguousarray(table).view(np.ndarray).view(np.uint8)


def fill(work: FemWork, snapshot: dict[str, Any]) -> None:
    """Put a snapshot into fresh memory."""
    for name, array in {**_arrays(work), **_booked(work)}.items():
        if name in snapshot:
            array[...] = snapshot[name]
    copy_state(work.steps.now, work.steps.trial)


def _arrays(work: FemWork) -> dict[str, Any]:
    kept, mesh = work.steps, work.mesh
    return {
        "now_x": kept.now.X, "now_t": kept.now.T, "last_x": kept.last.X, "last_t": kept.last.T,
        "ledger": kept.ledger.table, "forces": _bytes(kept.forces), "grip": _bytes(kept.memory.grip.hold),
        "friction": _bytes(kept.memory.grip.friction), "relief": kept.memory.relief, "clock": _bytes(kept.clock),
        "count": _bytes(kept.count), "settings": _bytes(kept.settings), "rest": _bytes(work.rest), "first": work.first,
        "parted": work.parted, "worst_miss": work.worst_miss, "attitude": mesh.bodies.memory.attitude,
        "winch": _bytes(mesh.winches.winch), "halves": kept.halves, "elastic": kept.ledger.elastic,
    }  # fmt: skip


def _booked(work: FemWork) -> dict[str, Any]:
    """Of lines that go side by side. Memory for a mesh with a line that has parted has no room for them."""
    booked = work.steps.memory.walks.booked
    return {
        "booked": booked.in_use, "booked_halves": booked.halves, "booked_bed": booked.bed, "on_bed": booked.on_bed,
    }  # fmt: skip
