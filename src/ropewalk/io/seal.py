"""A checksum behind the last byte of a result file.

HDF5 trusts what it reads: a damaged file can send it round in circles, where no signal reaches it. So every file that
ropewalk writes ends in a seal, which HDF5 takes no notice of, and is compared with it before it is opened. Files
without one, of other programs and older versions, are opened as they are; a program that changes a result drops it.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from ropewalk.results.files import write_all

MAGIC = b"RWSEAL01"
SEAL = struct.Struct("<8sQI")  # magic, bytes before the seal, CRC-32 of them
BLOCK = 1 << 24  # bytes read at a time


def seal(descriptor: int) -> None:
    """Put the seal behind what the file holds."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    check = _checksum(descriptor, size)
    os.lseek(descriptor, 0, os.SEEK_END)
    write_all(descriptor, SEAL.pack(MAGIC, size, check))


def is_whole(path: Path) -> bool | None:
    """Whether the seal of the file fits its content; None where it has no seal."""
    size = path.stat().st_size
    if size < SEAL.size:
        return None
    with path.open("rb") as file:
        file.seek(size - SEAL.size)
        magic, length, check = SEAL.unpack(file.read(SEAL.size))
        if magic != MAGIC and length != size - SEAL.size:  # either is enough: the seal may be hit as well
            return None
        return magic == MAGIC and length == size - SEAL.size and _checksum(file.fileno(), size - SEAL.size) == check


def _checksum(descriptor: int, size: int) -> int:
    os.lseek(descriptor, 0, os.SEEK_SET)
    check = 0
    while size > 0 and (data := os.read(descriptor, min(BLOCK, size))):
        check = zlib.crc32(data, check)
        size -= len(data)
    return check
