"""Files without a seal are looked into by a process of its own before they are opened."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

import ropewalk as rw
import ropewalk.io.probe as probe
from reference import between
from ropewalk.errors import InputError
from ropewalk.io.netcdf import open_results, reading, write
from ropewalk.io.seal import SEAL

SLOWEST = 10.0  # s


@pytest.fixture(scope="module")
def result():
    return rw.statics(between(60.0, 25.0, 80.0, 1e6, 30.0)).to_dataset()


@pytest.fixture
def unsealed(result, tmp_path):
    path = tmp_path / "plain.nc"
    write(result, path)
    path.write_bytes(path.read_bytes()[: -SEAL.size])
    return path


def test_a_sound_file_without_a_seal_is_opened(unsealed):
    with open_results(unsealed) as found:
        assert "position" in found


def test_a_file_that_holds_the_library_is_refused(unsealed, monkeypatch):
    """Where looking does not end: the child is stopped by the limit, on its processor time or the clock."""
    monkeypatch.setattr(probe, "MOST_SECONDS", 1)
    monkeypatch.setattr(probe, "PATIENCE", 3.0)
    for stuck in (lambda path: [None for _ in iter(int, 1)], lambda path: time.sleep(60.0), lambda path: os.abort()):
        monkeypatch.setattr(probe, "look_into", stuck)
        begun = time.monotonic()
        with pytest.raises(InputError, match="is damaged"):
            open_results(unsealed)
        assert time.monotonic() - begun < SLOWEST


def test_sealed_files_are_not_looked_into(result, tmp_path, monkeypatch):
    write(result, tmp_path / "sealed.nc")
    monkeypatch.setattr(probe, "look_into", lambda path: os.abort())
    open_results(tmp_path / "sealed.nc").close()


def test_programs_that_collect_children_themselves_open_files(unsealed):
    """With SIGCHLD ignored, as in some servers, there is no child left to wait for."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        open_results(unsealed).close()
    finally:
        signal.signal(signal.SIGCHLD, before)


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_ends_in_a_sentence(seed, unsealed):
    """Bits, blocks and the end of the file: what can be read is read, the rest is one InputError, soon."""
    rng, data = random.Random(seed), bytearray(unsealed.read_bytes())
    kind = seed % 4
    for _ in range(rng.choice([1, 5, 40])):
        i = rng.randrange(len(data) - 64)
        if kind == 0:
            data[i] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[i : i + 8] = b"\xff" * 8
        elif kind == 2:
            j = rng.randrange(len(data) - 64)
            data[i : i + 64], data[j : j + 64] = data[j : j + 64], data[i : i + 64]
        else:
            data = data[: max(i, 96)] + bytes(64)
    Path(unsealed).write_bytes(data)
    begun = time.monotonic()
    try:
        with reading(unsealed) as found:
            found.load()
    except InputError as error:
        assert str(unsealed) in str(error)
    assert time.monotonic() - begun < SLOWEST
