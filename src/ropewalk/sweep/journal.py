"""The journal of a sweep: a folder that holds what came of every case, so that nothing is done twice or lost.

``OUT.nc.sweep/`` holds ``plan.json`` (what the sweep is), ``journal.jsonl`` (one line per case that has ended, with a
checksum), ``rows/`` (one file of checked arrays per case that is done) and a lock. The row of a case is written before
its line, whole or not at all, and a line counts only if its checksum and that of its row are right: whatever is torn
or turned costs its case only, which is then done again.

Lines pass to the system at once, so they outlive the process; they are forced to the disk at most every SYNC_SECONDS,
which is what a power cut can cost.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ropewalk.errors import InputError
from ropewalk.results import files, lock
from ropewalk.results.checkpoint import DamagedError
from ropewalk.sweep.frames import DONE, LOST, Outcome, unpack_summary
from ropewalk.sweep.job import Summary

PLAN, JOURNAL, ROWS = "plan.json", "journal.jsonl", "rows"
FORMAT = 1
SYNC_SECONDS = 1.0
GO_ON = "all completed cases are safe, and --resume continues when there is room"
PER_FOLDER = 1000  # rows in one folder: some file systems are slow with more


def journal_folder(output: str | os.PathLike[str]) -> Path:
    """The folder beside `output` that holds a sweep under way."""
    output = Path(output)
    return output.with_name(output.name + ".sweep")


def is_begun(output: str | os.PathLike[str]) -> bool:
    """Whether a sweep of `output` has begun and its journal has not been removed, of which a folder may be left."""
    return (journal_folder(output) / PLAN).exists()


class Journal(lock.HeldFolder):
    """The journal of one sweep."""

    HEAD = PLAN

    def __init__(self, path: Path, descriptor: int) -> None:
        super().__init__(path, descriptor)
        self.trouble = 0  # lines and rows that were damaged
        self.ended: dict[int, str] = {}  # status by case
        self._file = -1
        self._synced = time.monotonic()

    @classmethod
    def create(cls, output: str | os.PathLike[str], identity: str, cases: int) -> Journal:
        """A new journal; InputError if a sweep is writing there or left its cases there."""
        path = journal_folder(output)
        journal = cls(path, _locked(path, lock.enter))
        if (path / PLAN).exists():
            journal.close()
            raise InputError(
                f"{path} holds the cases of a sweep that was stopped; continue it with --resume, or delete it"
            )
        try:
            (path / ROWS).mkdir(exist_ok=True)
            (path / JOURNAL).unlink(missing_ok=True)  # of a sweep killed while it removed its folder
            plan = {"format": FORMAT, "identity": identity, "cases": cases}
            _whole(path / PLAN, json.dumps(plan).encode())
            journal._open()
        except OSError as error:
            journal.close()
            raise files.not_written(path, error) from None
        return journal

    @classmethod
    def resume(cls, output: str | os.PathLike[str], identity: str) -> Journal:
        """The journal that a stopped sweep left; InputError if it still runs or is of another sweep."""
        path = journal_folder(output)
        if not path.is_dir():
            raise InputError(f"{path} does not exist: there is no stopped sweep to resume")
        journal = cls(path, _locked(path))
        try:
            plan = json.loads((path / PLAN).read_bytes())
        except FileNotFoundError:
            journal.close()
            raise InputError(f"{path} is not a sweep: it has no {PLAN}; delete it") from None
        except ValueError:
            plan = {}
        if plan.get("format") != FORMAT or plan.get("identity") != identity:
            journal.close()
            raise InputError(
                f"{path} belongs to another sweep, case or version of ropewalk, so its cases do not belong here; "
                "give another output, or delete it"
            )
        journal._read()
        journal._open()
        return journal

    def add(self, outcome: Outcome) -> None:
        """Keep what came of a case."""
        entry: dict[str, Any] = {
            "case": outcome.case, "status": outcome.status, "reason": outcome.reason,
            "seconds": outcome.seconds, "attempts": outcome.attempts,
        }  # fmt: skip
        try:
            if outcome.status == DONE:
                entry["row"] = hashlib.sha256(outcome.summary).hexdigest()
                target = self._row(outcome.case)
                target.parent.mkdir(exist_ok=True)
                _whole(target, outcome.summary)
            files.write_all(self._file, _line(entry))
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            raise files.not_written(self.path, error, GO_ON) from None
        self.ended[outcome.case] = outcome.status

    @property
    def is_worth_keeping(self) -> bool:
        """Whether cases ran into limits, which --resume tries again."""
        return any(status in LOST for status in self.ended.values())

    def forget_lost(self) -> None:
        """Take cases that ran into limits or crashed as not ended."""
        self.ended = {case: status for case, status in self.ended.items() if status not in LOST}

    def outcomes(self) -> Iterator[tuple[dict[str, Any], Summary | None]]:
        """The last entry of every case that has ended, and the row of those done, in the order of cases."""
        entries = {entry["case"]: entry for entry in self._entries() if entry["case"] in self.ended}
        for case in sorted(entries):
            entry = entries[case]
            yield entry, self._summary(entry) if entry["status"] == DONE else None

    def _finish(self) -> None:
        if self._file >= 0:
            os.fsync(self._file)
            os.close(self._file)
            self._file = -1

    def _row(self, case: int) -> Path:
        return self.path / ROWS / f"{case // PER_FOLDER:05d}" / f"{case:08d}.bin"

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | files.PLAIN
        self._file = os.open(self.path / JOURNAL, flags, 0o644)

    def _read(self) -> None:
        """Find which cases have ended, and end a half-written last line so that the next begins on its own."""
        for entry in self._entries():
            case = entry["case"]
            if entry["status"] != DONE or self._summary(entry) is not None:
                self.ended[case] = entry["status"]
            else:
                self.ended.pop(case, None)
                self.trouble += 1
        journal = self.path / JOURNAL
        if journal.exists():
            with journal.open("rb+") as file:
                size = file.seek(0, os.SEEK_END)
                if size:
                    file.seek(size - 1)
                    if file.read(1) != b"\n":
                        file.write(b"\n")

    def _entries(self) -> Iterator[dict[str, Any]]:
        """Good lines of the journal, in the order they were written."""
        self.trouble = 0
        journal = self.path / JOURNAL
        if not journal.exists():
            return
        with journal.open("rb") as file:
            for line in file:
                check, _, text = line.strip().partition(b" ")
                if check != b"%08x" % zlib.crc32(text):
                    self.trouble += bool(line.strip())
                    continue
                yield json.loads(text)

    def _summary(self, entry: dict[str, Any]) -> Summary | None:
        """The row of a case that is done; None if it does not match its line."""
        try:
            data = self._row(entry["case"]).read_bytes()
            if hashlib.sha256(data).hexdigest() != entry.get("row"):
                return None
            case, summary = unpack_summary(data)
        except (OSError, DamagedError, ValueError, KeyError):
            return None
        return summary if case == entry["case"] else None


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry).encode()
    return b"%08x " % zlib.crc32(text) + text + b"\n"


def _whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    descriptor = files.create(temporary)
    try:
        files.write_all(descriptor, data)
    finally:
        os.close(descriptor)
    temporary.replace(path)


def _locked(path: Path, hold: Callable[[Path], int] = lock.acquire) -> int:
    try:
        return hold(path)
    except lock.HeldError as error:
        by = f" (process {error.holder})" if error.holder else ""
        raise InputError(f"{path.stem} is in use by another sweep{by}; wait for it, or give another output") from None
    except OSError as error:
        raise InputError(f"{path} cannot be made or locked: {error.strerror}") from None
