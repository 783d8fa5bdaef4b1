"""Checkpoints: all a solver needs to go on to the same numbers, as checked bytes."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ropewalk.model.model import Model

MAGIC = b"RWCHECK1"
HEAD = struct.Struct("<8s32s")  # magic, SHA-256 of all that follows
LENGTH = struct.Struct("<Q")  # of the description, bytes

Snapshot = dict[str, NDArray[Any] | float | int]


@runtime_checkable
class Resumable(Protocol):
    """A solver that can be stopped and go on. Optional: a solver without these runs, but cannot resume.

    ``restore(model, snapshot(work))`` must give memory that advances to the same bits as ``work``
    itself; neither may change ``work``.
    """

    def snapshot(self, work: Any) -> Snapshot:
        """All that `work` holds, as arrays and numbers."""
        ...

    def restore(self, model: Model, snapshot: Snapshot) -> Any:
        """The `work` of which `snapshot` was taken."""
        ...


@dataclass(frozen=True)
class Checkpoint:
    """A moment between two records from which a run can go on."""

    rows: int  # records written before it
    snapshot: Snapshot
    loop: dict[str, Any] = field(default_factory=dict)  # where the loop in time stands, plain JSON data


class DamagedError(Exception):
    """Bytes that are not what was written."""


def encode(checkpoint: Checkpoint) -> bytes:
    """The checkpoint as bytes with a checksum; floats keep every bit."""
    entries, blobs, offset = [], [], 0
    for name, value in checkpoint.snapshot.items():
        kind, array = _as_array(name, value)
        blob = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        entries.append([name, kind, array.dtype.newbyteorder("<").str, list(array.shape), offset, len(blob)])
        blobs.append(blob)
        offset += len(blob)
    description = {"rows": checkpoint.rows, "loop": checkpoint.loop, "entries": entries}
    text = json.dumps(description).encode()
    body = LENGTH.pack(len(text)) + text + b"".join(blobs)
    return HEAD.pack(MAGIC, hashlib.sha256(body).digest()) + body


def decode(data: bytes) -> Checkpoint:
    """Undo `encode`; DamagedError if the bytes are not whole."""
    if len(data) < HEAD.size:
        raise DamagedError("too short")
    magic, digest = HEAD.unpack_from(data)
    body = data[HEAD.size :]
    if magic != MAGIC or hashlib.sha256(body).digest() != digest:
        raise DamagedError("the checksum does not match")
    first = LENGTH.size + LENGTH.unpack_from(body)[0]
    description = json.loads(body[LENGTH.size : first])
    snapshot: Snapshot = {}
    for name, kind, dtype, shape, offset, size in description["entries"]:
        blob = body[first + offset : first + offset + size]
        array = np.frombuffer(blob, dtype=dtype).reshape(shape)
        array = array.astype(array.dtype.newbyteorder("="))  # a copy of its own, writeable
        snapshot[name] = array if kind == "array" else array.item()
    return Checkpoint(rows=description["rows"], snapshot=snapshot, loop=description["loop"])


def _as_array(name: str, value: NDArray[Any] | float | int) -> tuple[str, NDArray[Any]]:
    if isinstance(value, np.ndarray):
        array, kind = np.ascontiguousarray(value).reshape(value.shape), "array"
    elif isinstance(value, bool | int | float | np.number | np.bool_):
        array, kind = np.array(value), "scalar"
    else:
        raise TypeError(f"snapshot['{name}'] is a {type(value).__name__}; give arrays and numbers")
    if array.dtype.kind not in "biufc":
        raise TypeError(f"snapshot['{name}'] has dtype {array.dtype}; give arrays of numbers")
    return kind, array
