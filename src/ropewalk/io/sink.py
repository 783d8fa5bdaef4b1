"""A file for HDF5 that keeps its first error to itself.

HDF5 cannot recover from a write that fails: what it holds in memory is flushed again at every close, and a process on a
full disk ends in a segmentation fault. Here a write that fails is remembered and the rest is let pass, so that the
library closes in order; the caller looks at `error` afterwards.
"""

from __future__ import annotations

import io
import os
from typing import Any

from ropewalk.results.files import write_all


class Sink(io.RawIOBase):
    """Reads and writes a descriptor, which stays open; `error` is the first OSError of a write."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self.error: OSError | None = None

    def readable(self) -> bool:
        """Part of the interface of files."""
        return True

    def writable(self) -> bool:
        """Part of the interface of files."""
        return True

    def seekable(self) -> bool:
        """Part of the interface of files."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place; gives it."""
        return os.lseek(self._descriptor, offset, whence)

    def tell(self) -> int:
        """The place."""
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the file goes."""
        view = memoryview(buffer).cast("B")
        data = os.read(self._descriptor, len(view))
        view[: len(data)] = data
        return len(data)

    def write(self, data: Any) -> int:
        """Write all of it, or remember why not."""
        if self.error is None:
            try:
                write_all(self._descriptor, data)
            except OSError as error:
                self.error = error
        return memoryview(data).nbytes

    def truncate(self, size: int | None = None) -> int:
        """Cut or lengthen, or remember why not."""
        size = self.tell() if size is None else size
        if self.error is None:
            try:
                os.ftruncate(self._descriptor, size)
            except OSError as error:
                self.error = error
        return size

    def settle(self) -> None:
        """Raise the error, if there was one."""
        if self.error is not None:
            raise self.error
