"""Runs and sweeps killed at 50 random moments: nothing recorded is lost, and the bits are those of one never killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
import xarray as xr

from ropewalk.errors import InputError
from ropewalk.io.netcdf import open_results
from ropewalk.results import RunReader, part_folder
from ropewalk.sweep.journal import JOURNAL, journal_folder

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
KILLS = 50
SWEEP = """\
ropewalk_sweep: 1
base: {base}
do: static
vary:
  - {{key: environment.current.speed, range: [0, 1.99, 0.01]}}
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ropewalk", *map(str, arguments)]


def killed_until_done(start, count, kills, longest):
    """Start, kill after a random time, look at what is kept, start again; gives how often it was killed."""
    rng = random.Random(1)
    kept = 0
    for k in range(1000):
        process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            process.wait(timeout=rng.uniform(0.0, longest) if k < kills else None)
        except subprocess.TimeoutExpired:
            process.kill()
        told = process.communicate()[1].decode()
        if process.returncode == 0:
            return k
        assert process.returncode == -9, told
        now = count()
        assert now is None or now >= kept
        kept = max(kept, now or 0)
    raise AssertionError("never done")


@pytest.mark.slow
def test_killed_run_gives_the_same_bits(tmp_path):
    """A mooring line in irregular waves by mixed elements, from start-up to the last write of the file."""
    case = EXAMPLES / "mooring_waves.yaml"
    whole, parts = tmp_path / "whole.nc", tmp_path / "parts.nc"
    begun = time.monotonic()
    long = ("--duration", 2000)  # s: most of the time is then in the loop, with several checkpoints
    subprocess.run(command("run", case, "-o", whole, *long), check=True, stdout=subprocess.DEVNULL)
    longest = time.monotonic() - begun

    def rows():
        try:
            return RunReader(part_folder(parts)).rows
        except InputError:
            return None

    seen = []

    def rows_kept():
        seen.append(rows())
        return  # a resumed run goes back to its checkpoint, so records may be fewer than before the kill

    start = command("run", case, "-o", parts, "--resume", *long)
    assert killed_until_done(start, rows_kept, KILLS, longest) >= 1
    assert any(seen)
    with open_results(whole) as one, open_results(parts) as other:
        xr.testing.assert_identical(one.load(), other.load())


@pytest.mark.slow
def test_killed_sweep_gives_the_same_bits(tmp_path):
    """200 equilibria; cases that ended never get fewer."""
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(base=EXAMPLES / "sweeps" / "subsurface.yaml"))
    whole, parts = tmp_path / "whole.nc", tmp_path / "parts.nc"
    begun = time.monotonic()
    subprocess.run(command("sweep", tmp_path / "sweep.yaml", "-o", whole), check=True, stdout=subprocess.DEVNULL)
    longest = time.monotonic() - begun
    journal = journal_folder(parts) / JOURNAL

    def ended():
        return journal.read_bytes().count(b"\n") if journal.exists() else None

    start = command("sweep", tmp_path / "sweep.yaml", "-o", parts, "--resume")
    assert killed_until_done(start, ended, KILLS, 0.5 * longest) >= 1
    with open_results(whole) as one, open_results(parts) as other:
        xr.testing.assert_identical(one.load(), other.load())
