"""How many mooring files of other programs convert and have an equilibrium here.

Run: python -m benchmarks.survey FOLDER [FOLDER ...] [--seconds 60] [--out FILE.csv]

Every MoorDyn, MoorPy, MAP++, RAFT and FAModel file below the folders is converted as `ropewalk convert` does, checked
out of public repositories beforehand (the survey reads files only; it fetches nothing), and its equilibrium found as
`ropewalk static` does, within a time limit. Files whose text is the same but for white space count once. Where a file
is refused for want of something that it cannot hold, the option that the message names is given: a depth for MAP++, the
places of turbines, `--ignore-bending`; the table lists them.
"""

from __future__ import annotations

import argparse
import collections
import csv
import hashlib
import multiprocessing as mp
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from multiprocessing.connection import Connection
from pathlib import Path

ENDINGS = (".dat", ".txt", ".inp", ".map", ".yaml", ".yml")
MOST_BYTES = 5_000_000  # larger files are results
TURBINE_SPACING = 1600.0  # m between turbines whose places a file does not hold
MAP_DEPTH = 200.0  # m, where a MAP++ file has no anchor below it
OUT_FOLDERS = {".git", "node_modules"}


@dataclass
class Row:
    """What became of one file."""

    file: str
    kind: str
    converted: bool
    solved: bool
    options: str
    reason: str
    seconds: float


def candidates(folders: list[Path]) -> Iterator[tuple[Path, str]]:
    """Distinct files that one of the readers is for, and its name."""
    from ropewalk.errors import InputError
    from ropewalk.io.convert import kind_of

    seen: set[str] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() not in ENDINGS or not path.is_file() or OUT_FOLDERS & set(path.parts):
                continue
            if path.stat().st_size > MOST_BYTES:
                continue
            text = path.read_bytes()
            digest = hashlib.sha256(b" ".join(text.split())).hexdigest()
            if digest in seen:
                continue
            try:
                kind = kind_of(path)
            except InputError:
                continue
            seen.add(digest)
            yield path, kind


def attempt(path: Path, target: Path) -> tuple[str, str, bool, str]:
    """Options, reason, whether converted, and the source of one file."""
    from ropewalk.errors import InputError
    from ropewalk.io.conversion import Wishes
    from ropewalk.io.convert import kind_of, read_any

    given: dict[str, object] = {}
    reason = ""
    for _ in range(6):
        try:
            conversion = read_any(path, Wishes(**given), kind_of(path))  # type: ignore[arg-type]
            target.write_text(conversion.text(), encoding="utf-8")
        except InputError as error:
            reason = str(error)
            if not _helped(reason, given):
                return ", ".join(given), reason, False, ""
            continue
        return ", ".join(given), "", True, conversion.source
    return ", ".join(given), reason, False, ""


def _helped(reason: str, given: dict[str, object]) -> bool:
    """Give what a refusal names; False if nothing more can be given."""
    if "--ignore-bending" in reason and "ignore_bending" not in given:
        given["ignore_bending"] = True
        return True
    turbines = {int(n) for n in re.findall(r"--turbine (\d+)=", reason)}
    if turbines and "turbines" not in given:
        most = max(turbines)
        given["turbines"] = {n: (TURBINE_SPACING * (n - 1), 0.0, 0.0) for n in range(1, most + 50)}
        return True
    if "--depth" in reason and "depth" not in given:
        given["depth"] = MAP_DEPTH
        return True
    return False


def work(pipe: Connection) -> None:
    """Convert and solve what comes through the pipe, one file after another."""
    warnings.simplefilter("ignore")
    while True:
        path = pipe.recv()
        if path is None:
            return
        try:
            pipe.send(_one(Path(path)))
        except Exception as error:  # a survey goes on, and a traceback is a finding
            pipe.send(("", f"TRACEBACK {type(error).__name__}: {error}", False, False))


def _one(path: Path) -> tuple[str, str, bool, bool]:
    import ropewalk as rw
    from ropewalk.errors import ConvergenceError, InputError

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "case.yaml"
        options, reason, converted, _ = attempt(path, target)
        if not converted:
            return options, reason, False, False
        try:
            rw.statics(rw.System.from_file(target))
        except (InputError, ConvergenceError) as error:
            return options, str(error), True, False
        return options, "", True, True


class Worker:
    """A process that can be ended when a file takes too long."""

    def __init__(self) -> None:
        self.process: mp.process.BaseProcess | None = None

    def ask(self, path: Path, seconds: float) -> tuple[str, str, bool, bool]:
        """What became of a file."""
        if self.process is None:
            context = mp.get_context("spawn")
            self.pipe, other = context.Pipe()
            self.process = context.Process(target=work, args=(other,), daemon=True)
            self.process.start()
        self.pipe.send(str(path))
        if self.pipe.poll(seconds):
            answer: tuple[str, str, bool, bool] = self.pipe.recv()
            return answer
        self.close()
        return "", f"no answer within {seconds:g} s", True, False

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None


def main(arguments: list[str]) -> None:
    """Print what became of every file, refusals by reason, and the share that converts and has an equilibrium."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    rows, worker = [], Worker()
    for path, kind in candidates(given.folders):
        begin = time.monotonic()
        options, reason, converted, solved = worker.ask(path, given.seconds)
        row = Row(str(path), kind, converted, solved, options, " / ".join(reason.split("\n")), time.monotonic() - begin)
        rows.append(row)
        state = "ok     " if solved else "static " if converted else "refused"
        print(f"{state} {row.seconds:6.1f} s {kind:8s} {path} {row.options} {row.reason[:160]}", flush=True)
    worker.close()
    if given.out:
        with given.out.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)
    _summary(rows)


def _summary(rows: list[Row]) -> None:
    for kind in sorted({row.kind for row in rows}):
        some = [row for row in rows if row.kind == kind]
        converted, solved = sum(row.converted for row in some), sum(row.solved for row in some)
        print(f"{kind:8s} {len(some):4d} distinct files, {converted} converted, {solved} with an equilibrium")
    solved = sum(row.solved for row in rows)
    print(f"all      {len(rows):4d} distinct files, {solved} convert and have an equilibrium: "
          f"{100.0 * solved / max(len(rows), 1):.1f} %")  # fmt: skip
    reasons = collections.Counter(
        re.sub(r"[\d.]+", "#", row.reason.split(": ", 1)[-1])[:110] for row in rows if not row.solved
    )
    for reason, count in reasons.most_common():
        print(f"  {count:4d}  {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
