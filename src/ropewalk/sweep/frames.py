"""Messages between a sweep and its workers: a line of JSON data and a block of bytes, with their lengths. No pickle."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any

from ropewalk.results.checkpoint import Checkpoint, DamagedError, decode, encode
from ropewalk.sweep.job import Summary

HEAD = struct.Struct("<QQ")  # bytes of the data and of the block
MOST_BYTES = 1 << 32  # of a message; more is noise on the line

# how a case ended
DONE = "done"
FAILED = "failed"  # the numbers failed; the same numbers fail again
REFUSED = "refused"  # the case is one that cannot be done
TIME = "time limit"
MEMORY = "memory limit"
CRASHED = "crashed"
ERROR = "error"  # a fault of the program
NOT_WRITTEN = "not written"  # no room for the whole result of a case
# nothing is known of the case itself: it is tried once more, and again by --resume
LOST = (TIME, MEMORY, CRASHED, NOT_WRITTEN)


@dataclass(frozen=True)
class Outcome:
    """What came of a case."""

    case: int
    status: str
    reason: str = ""
    seconds: float = 0.0  # of wall time
    attempts: int = 1
    summary: bytes = b""  # of a case that is done: its Summary, packed
    is_first: bool = False  # of its worker, which loads what it needs


def pack(data: dict[str, Any], block: bytes = b"") -> bytes:
    """A message as bytes."""
    text = json.dumps(data).encode()
    return HEAD.pack(len(text), len(block)) + text + block


def unpack(buffer: bytearray) -> tuple[dict[str, Any], bytes] | None:
    """The first whole message of a buffer, taken out of it; None if there is none yet."""
    if len(buffer) < HEAD.size:
        return None
    text, block = HEAD.unpack_from(buffer)
    if text + block > MOST_BYTES:
        raise DamagedError("a message of impossible length")
    end = HEAD.size + text + block
    if len(buffer) < end:
        return None
    data = json.loads(bytes(buffer[HEAD.size : HEAD.size + text]))
    found = bytes(buffer[HEAD.size + text : end])
    del buffer[:end]
    return data, found


def pack_summary(case: int, summary: Summary) -> bytes:
    """A row of the result as checked bytes; floats keep every bit."""
    dims = {name: list(dims) for name, (dims, _) in summary.variables.items()}
    arrays = {name: values for name, (_, values) in summary.variables.items()}
    rest = {"dims": dims, "labels": summary.labels, "attrs": summary.attrs, "doubts": summary.doubts}
    return encode(Checkpoint(case, dict(arrays), rest))


def unpack_summary(data: bytes) -> tuple[int, Summary]:
    """Undo `pack_summary`; DamagedError if the bytes are not whole."""
    found = decode(data)
    dims = found.loop["dims"]
    variables: Any = {name: (tuple(dims[name]), values) for name, values in found.snapshot.items()}
    return found.rows, Summary(variables, found.loop["labels"], found.loop["attrs"], found.loop["doubts"])
