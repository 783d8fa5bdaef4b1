"""The lock of an output: one holder at a time, also where the holder before deletes what it held."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ropewalk.results import lock

ROUNDS = 150  # of each process; before folders were renamed away, one of them met half a folder within 20

# hold the folder, find it empty but for its lock, fill it, delete it; refusals are counted and tried again
PROGRAM = """
import os, sys
from pathlib import Path
from ropewalk.results import lock
folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
done = 0
while done < rounds:
    try:
        descriptor = lock.enter(folder)
    except lock.HeldError:
        continue
    assert sorted(p.name for p in folder.iterdir()) == ["lock"], sorted(folder.iterdir())
    (folder / "rows").mkdir()
    for k in range(5):
        (folder / "rows" / str(k)).write_text("x")
    lock.dissolve(folder)
    os.close(descriptor)
    done += 1
"""


def test_two_processes_that_hold_fill_and_delete_one_folder_never_meet(tmp_path):
    """Each finds the folder new, whatever the other was about to delete."""
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "a.nc.sweep"), str(ROUNDS)]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_half_deleted_goes_with_the_next(tmp_path):
    folder = tmp_path / "a.nc.part"
    (tmp_path / "a.nc.part.123.gone").mkdir()
    (tmp_path / "a.nc.part.123.gone" / "rows").write_text("x")
    descriptor = lock.enter(folder)
    lock.dissolve(folder)
    os.close(descriptor)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        lock.enter(tmp_path / "none" / "a.nc.part")


def test_a_lock_that_another_puts_into_the_folder_being_deleted_does_no_harm(tmp_path, monkeypatch):
    """Opening a lock with O_CREAT may reach the folder after its rename and its emptying: it is emptied again."""
    folder, late = tmp_path / "a.nc.part", []

    def rmtree(path, **options):
        for entry in path.iterdir():
            entry.unlink()
        if late:
            path.rmdir()
        else:  # the other process is here now
            (path / lock.LOCK).touch()
            late.append(path)

    monkeypatch.setattr(lock.shutil, "rmtree", rmtree)
    for _ in range(2):
        descriptor = lock.enter(folder)
        lock.dissolve(folder)
        os.close(descriptor)
        assert list(tmp_path.iterdir()) == []
    assert late
