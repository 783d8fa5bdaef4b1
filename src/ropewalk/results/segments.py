"""A run on disk while it is computed: a folder of checksummed records that no crash can spoil.

An HDF5 file that is being written when its process dies cannot be opened, so records go here first:
``FILE.nc.part/`` holds ``header.json`` (names, nodes, attributes), segments ``rows-N.seg`` (N: number of
their first record), checkpoints ``checkpoint-N.bin`` (N: records written before them) and a lock. A
record is a row of little-endian float64 and its CRC-32, seeded with its number.

What is safe when: records pass to the system when HAND_OVER_BYTES have gathered or HAND_OVER_SECONDS
have passed; from then on they outlive the process. A new segment begins with each checkpoint, every
SEGMENT_BYTES or SEGMENT_SECONDS. Files are forced to the disk at most every SYNC_SECONDS; what a power
cut takes after that, the checksums find.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.results import files, lock
from ropewalk.results.checkpoint import Checkpoint, DamagedError, decode, encode
from ropewalk.results.layout import Array, Layout

HEADER = "header.json"
FORMAT = 2  # of the folder and of its records
HAND_OVER_BYTES = 1 << 17  # measured: larger writes are no cheaper per record
HAND_OVER_SECONDS = 0.05  # work lost at most when the process is killed, apart from the records under way
SEGMENT_BYTES = 1 << 24  # about 600 records of 500 nodes
SEGMENT_SECONDS = 20.0  # work to be done again at most by a resumed run
SYNC_SECONDS = 30.0  # as often as Linux writes back by itself
KEPT_CHECKPOINTS = 2  # the last, and one before it should that be damaged
READ_BYTES = 1 << 24  # memory used for reading back
NUMBER = 8  # bytes of a float64
RESUME = "earlier records are safe, and --resume continues when there is room"


def part_folder(output: str | os.PathLike[str]) -> Path:
    """The folder beside `output` that holds a run under way."""
    output = Path(output)
    return output.with_name(output.name + ".part")


class RunFolder(lock.HeldFolder):
    """The folder of one run; closed, it keeps the records for `recover` and for going on."""

    HEAD = HEADER

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.segment_bytes = SEGMENT_BYTES
        self.segment_seconds = SEGMENT_SECONDS
        self._file = -1
        self._passed = 0  # records passed to the system
        self._pending: list[bytes] = []  # records not yet passed on
        self._pending_bytes = self._segment_written = 0
        self._handed_over = self._synced = time.monotonic()
        self._segment_begun = -float("inf")  # the first record is followed by a checkpoint at once

    @classmethod
    def create(cls, output: str | os.PathLike[str]) -> RunFolder:
        """A new folder for `output`; InputError if a run is writing there or left its records there."""
        path = part_folder(output)
        folder = cls(path, _locked(path, lock.enter))
        if (path / HEADER).exists():
            folder.close()
            raise InputError(
                f"{path} holds the records of a run that was stopped; continue it with --resume, "
                "keep it with 'ropewalk recover', or delete it"
            )
        folder.rewind()  # a run killed while it removed its folder may have left some of it
        return folder

    @classmethod
    def open(cls, output: str | os.PathLike[str]) -> RunFolder:
        """The folder that a stopped run left for `output`; InputError if it still runs."""
        path = part_folder(output)
        if not path.is_dir():
            raise InputError(f"{path} does not exist: there is no stopped run to resume")
        return cls(path, _locked(path))

    def begin(self, layout: Layout, attrs: Mapping[str, str]) -> None:
        """Say what the records will be. Called once, before the first."""
        header = {"format": FORMAT, "width": layout.width, "layout": layout.to_json(), "attrs": dict(attrs)}
        self._replace(HEADER, json.dumps(header).encode())

    @property
    def rows(self) -> int:
        """Records taken."""
        return self._passed + len(self._pending)

    def append(self, row: Array) -> None:
        """Take one record, little-endian."""
        data = row.tobytes()
        self._pending.append(data + zlib.crc32(data, self.rows).to_bytes(NUMBER, "little"))
        self._pending_bytes += len(data) + NUMBER
        if self._pending_bytes >= HAND_OVER_BYTES or time.monotonic() - self._handed_over >= HAND_OVER_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Pass all records to the system."""
        if self._pending:
            # taken before writing: after a Ctrl-C in here nothing is written twice
            pending, self._pending, self._pending_bytes = self._pending, [], 0
            data = b"".join(pending)
            try:
                if self._file < 0:
                    name = f"rows-{self._passed:012d}.seg"
                    self._file = files.create(self.path / name)
                self._passed += len(pending)
                files.write_all(self._file, data)
            except OSError as error:
                raise files.not_written(self.path, error, RESUME) from None
            self._segment_written += len(data)
        self._handed_over = time.monotonic()

    @property
    def is_due(self) -> bool:
        """Whether it is time for a checkpoint and a new segment."""
        return (
            self._segment_written + self._pending_bytes >= self.segment_bytes
            or time.monotonic() - self._segment_begun >= self.segment_seconds
        )

    def next_segment(self, checkpoint: Checkpoint | None) -> None:
        """End the segment; a checkpoint is written after it, so that it never refers to records that are missing."""
        self.flush()
        now = time.monotonic()
        is_sync = now - self._synced >= SYNC_SECONDS
        self._close_segment(is_sync)
        if checkpoint is not None:
            self._replace(f"checkpoint-{checkpoint.rows:012d}.bin", encode(checkpoint), is_sync)
            for old in _numbered(self.path, "checkpoint-*.bin")[:-KEPT_CHECKPOINTS]:
                old.unlink()
        if is_sync:
            self._synced = now
        self._segment_begun, self._segment_written = now, 0

    def rewind(self) -> Checkpoint | None:
        """Go back to the last good checkpoint and drop all records after it; None drops all."""
        checkpoint = None
        reader = RunReader(self.path) if (self.path / HEADER).exists() else None
        if reader is not None:
            for path in reversed(_numbered(self.path, "checkpoint-*.bin")):
                try:
                    candidate = decode(path.read_bytes())
                except DamagedError:
                    continue
                if candidate.rows <= reader.rows:
                    checkpoint = candidate
                    break
        self._passed = 0 if checkpoint is None else checkpoint.rows
        stride = 0 if reader is None else reader.stride
        for path in _numbered(self.path, "checkpoint-*.bin"):
            if _number(path) > self.rows or checkpoint is None:
                path.unlink()
        for path in _numbered(self.path, "rows-*.seg"):
            if _number(path) >= self.rows:
                path.unlink()
            elif path.stat().st_size > (self.rows - _number(path)) * stride:
                descriptor = os.open(path, os.O_WRONLY | files.PLAIN)
                os.ftruncate(descriptor, (self.rows - _number(path)) * stride)
                os.close(descriptor)
        return checkpoint

    def restart(self) -> None:
        """Drop all records and checkpoints."""
        self._pending, self._pending_bytes = [], 0
        self._close_segment(is_sync=False)
        (self.path / HEADER).unlink(missing_ok=True)  # first: what is left of a run that is killed here begins anew
        self.rewind()
        self._segment_begun, self._segment_written = -float("inf"), 0

    def _finish(self) -> None:
        self.flush()
        self._close_segment(is_sync=False)

    def remove(self) -> None:
        """Delete the folder, and the records that are not yet in it."""
        self._pending, self._pending_bytes = [], 0
        super().remove()

    def _close_segment(self, is_sync: bool) -> None:
        if self._file >= 0:
            if is_sync:
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    def _replace(self, name: str, data: bytes, is_sync: bool = False) -> None:
        """Write a file whole or not at all."""
        temporary = self.path / (name + ".tmp")
        try:
            descriptor = files.create(temporary)
            try:
                files.write_all(descriptor, data)
                if is_sync:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            temporary.replace(self.path / name)
        except OSError as error:
            raise files.not_written(self.path, error, RESUME) from None


class RunReader:
    """Records of a run folder, up to the last whole one. `trouble` is a sentence if some had to be dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            files.refuse_links(path)
            header: dict[str, Any] = json.loads((path / HEADER).read_bytes())
            self.attrs: dict[str, str] = header["attrs"]
            if header["format"] != FORMAT:
                raise self._foreign()
            self.layout = Layout.from_json(header["layout"])
        except FileNotFoundError:
            raise InputError(f"{path} holds no records: it has no {HEADER}") from None
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path / HEADER} is damaged") from None
        if header["width"] != self.layout.width:
            raise self._foreign()
        self.stride = (self.layout.width + 1) * NUMBER
        self.trouble = ""
        self.last_time = -np.inf  # s, of the last good record
        self.rows = self._count()

    def _foreign(self) -> InputError:
        version = self.attrs.get("version", "unknown")
        return InputError(
            f"{self.path} was written by ropewalk {version} in a form that this version does not read; use that one, "
            "or delete the folder and start the run again"
        )

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """(number of the first, rows) for all good records, a bounded number at a time."""
        gathered: list[Array] = []
        first, count = 0, 0
        for _, rows, _ in self._scan(self.rows):
            gathered.append(rows)
            count += len(rows)
            if count * self.stride >= READ_BYTES:  # small segments together: each write to a file has its price
                yield first, np.concatenate(gathered)
                first, count, gathered = first + count, 0, []
        if gathered:
            yield first, np.concatenate(gathered)

    def _count(self) -> int:
        end = 0
        for first, rows, good in self._scan(None):
            end = first + good
            if good:
                self.last_time = float(rows[good - 1, 0])
            if good < len(rows):
                self.trouble = f"record {end} is damaged; it and all after it are dropped"
        return end

    def _scan(self, limit: int | None) -> Iterator[tuple[int, Array, int]]:
        """(first, rows, how many of them are good), ending after the first bad one."""
        at = 0
        chunk = max(1, READ_BYTES // self.stride)
        for path in _numbered(self.path, "rows-*.seg"):
            if _number(path) != at:
                self.trouble = f"records {at} to {_number(path) - 1} are missing; all after them are dropped"
                return
            with path.open("rb") as file:
                while data := file.read(chunk * self.stride):
                    if limit is not None:
                        data = data[: (limit - at) * self.stride]
                    whole = len(data) // self.stride
                    table = np.frombuffer(data, dtype="<f8", count=whole * (self.layout.width + 1))
                    table = table.reshape(whole, self.layout.width + 1)
                    good = whole if limit is not None else _good(table, at)
                    yield at, table[:, :-1], good
                    at += good
                    if good == whole and len(data) % self.stride:
                        self.trouble = f"record {at} was only half written; it is dropped"
                    if good < whole or len(data) % self.stride or at == limit:
                        return


def _locked(path: Path, hold: Callable[[Path], int] = lock.acquire) -> int:
    try:
        with contextlib.suppress(FileNotFoundError):  # it is still to be made
            files.refuse_links(path)
        return hold(path)
    except lock.HeldError as error:
        by = f" by process {error.holder}" if error.holder else ""
        raise InputError(f"{path.stem} is being written{by}; wait for it, or give another output") from None
    except OSError as error:
        raise InputError(f"{path} cannot be made or locked: {error.strerror}") from None


def _number(path: Path) -> int:
    return int(path.stem.partition("-")[2])


def _numbered(folder: Path, pattern: str) -> list[Path]:
    return sorted((p for p in folder.glob(pattern) if p.stem.partition("-")[2].isdecimal()), key=_number)


def _good(table: Array, first: int) -> int:
    """How many rows from the first on have the checksum they should have."""
    checks = table.view("<u8")[:, -1]
    for i, row in enumerate(table):
        if zlib.crc32(row[:-1], first + i) != checks[i]:
            return i
    return len(table)
