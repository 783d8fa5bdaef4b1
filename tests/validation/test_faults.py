"""Runs and sweeps killed at 50 random moments: nothing recorded is lost, and the bits are those of one never killed."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import xarray as xr

from ropewalk.io.netcdf import open_results
from ropewalk.results import RunReader, part_folder
from ropewalk.results.segments import HEADER
from ropewalk.sweep.journal import JOURNAL, journal_folder

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KILLS = 50
PATIENCE = 120.0  # s for a start on a loaded machine
SWEEP = """\
ropewalk_sweep: 1
base: {base}
do: static
vary:
  - {{key: environment.current.speed, range: [0, 1.998, 0.002]}}
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ropewalk", *map(str, arguments)]


def killed_until_done(start, kept, look, longest):
    """Start, kill at a random moment, look at what is kept, and again; at last let it end. Gives the kills under way.

    kept : a number that changes when more is kept. Two of three kills wait for that, so that not all fall into the
    seconds of starting.    longest : s after that
    """
    rng = random.Random(1)
    hits = 0
    for k in range(KILLS):
        before = kept()
        process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        begun = time.monotonic()
        while k % 3 and kept() == before and process.poll() is None and time.monotonic() - begun < PATIENCE:
            time.sleep(0.005)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=rng.uniform(0.0, longest))
        process.kill()
        told = process.communicate()[1].decode()
        if process.returncode == 0:  # quicker than the kill
            break
        assert process.returncode == -9, told
        hits += kept() != before
        look()
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL)
    return hits


@pytest.mark.slow
def test_killed_run_gives_the_same_bits(tmp_path):
    """A mooring line in irregular waves by mixed elements, with checkpoints every 0.2 s instead of 20."""
    script = tmp_path / "run.py"
    script.write_text(
        "from ropewalk.results import segments\nsegments.SEGMENT_SECONDS = 0.2\n"
        "from ropewalk.cli.main import main\nmain()\n"
    )
    case, whole, parts = EXAMPLES / "mooring_waves.yaml", tmp_path / "whole.nc", tmp_path / "parts.nc"
    long = ("--duration", "40000")
    subprocess.run(command("run", case, "-o", whole, *long), check=True, stdout=subprocess.DEVNULL)
    reached = []

    def kept():
        return max((path.stat().st_mtime_ns for path in part_folder(parts).glob("rows-*.seg")), default=0)

    def look():
        if (part_folder(parts) / HEADER).exists():
            reached.append(RunReader(part_folder(parts)).last_time)

    start = [sys.executable, str(script), "run", str(case), "-o", str(parts), "--resume", *long]
    assert killed_until_done(start, kept, look, 1.0) >= KILLS // 3
    assert max(reached) > 2.0 * min(reached)  # it did go on
    with open_results(whole) as one, open_results(parts) as other:
        xr.testing.assert_identical(one.load(), other.load())


@pytest.mark.slow
def test_killed_sweep_gives_the_same_bits(tmp_path):
    """Equilibria at 1,000 currents; cases that have ended never get fewer."""
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(base=EXAMPLES / "sweeps" / "subsurface.yaml"))
    whole, parts = tmp_path / "whole.nc", tmp_path / "parts.nc"
    subprocess.run(command("sweep", tmp_path / "sweep.yaml", "-o", whole), check=True, stdout=subprocess.DEVNULL)
    journal = journal_folder(parts) / JOURNAL
    ended = [0]

    def kept():
        return journal.stat().st_size if journal.exists() else 0

    def look():
        if journal.exists():
            ended.append(journal.read_bytes().count(b"\n"))
            assert ended[-1] >= ended[-2]

    start = command("sweep", tmp_path / "sweep.yaml", "-o", parts, "--resume")
    assert killed_until_done(start, kept, look, 0.5) >= 5  # most of them, unless it is done before
    assert ended[-1] > 0
    with open_results(whole) as one, open_results(parts) as other:
        xr.testing.assert_identical(one.load(), other.load())
