"""Records on disk: whatever is torn, turned or missing, the good ones before it are read and no bad one is."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ropewalk.errors import InputError
from ropewalk.results import Recorder, RunFolder, RunReader, lock, part_folder, segments
from ropewalk.results.checkpoint import Checkpoint
from ropewalk.results.layout import Layout

LAYOUT = Layout(lines=(), points=("a", "b"), bodies=(), terms=(), start=(0,), s=())
STRIDE = 8 * (LAYOUT.width + 1)


def row(k: int) -> np.ndarray:
    return np.arange(LAYOUT.width, dtype="<f8") + 1000.0 * k


def fill(folder: RunFolder, count: int, per_segment: int = 4) -> None:
    """`count` records with a checkpoint after every `per_segment`."""
    folder.begin(LAYOUT, {"version": "0"})
    for k in range(count):
        folder.append(row(k))
        if folder.rows % per_segment == 0:
            folder.next_segment(Checkpoint(folder.rows, {"k": k}))


def read(reader: RunReader) -> list[list[float]]:
    return [values.tolist() for _, rows in reader.blocks() for values in rows]


@pytest.fixture
def folder(tmp_path):
    folder = RunFolder.create(tmp_path / "a.nc")
    yield folder
    folder.close()


def test_records_come_back_in_order(folder):
    fill(folder, 11)
    folder.flush()
    reader = RunReader(folder.path)
    assert reader.rows == 11
    assert not reader.trouble
    assert read(reader) == [row(k).tolist() for k in range(11)]
    assert sorted(p.name for p in folder.path.glob("rows-*")) == [f"rows-{k:012d}.seg" for k in (0, 4, 8)]


def test_only_the_last_checkpoints_are_kept(folder):
    fill(folder, 21)
    assert sorted(p.name for p in folder.path.glob("checkpoint-*")) == [f"checkpoint-{k:012d}.bin" for k in (16, 20)]


def test_records_are_read_a_bounded_number_at_a_time(folder, monkeypatch):
    monkeypatch.setattr(segments, "READ_BYTES", 3 * STRIDE)
    fill(folder, 50, per_segment=50)
    sizes = [len(rows) for _, rows in RunReader(folder.path).blocks()]
    assert max(sizes) == 3
    assert sum(sizes) == 50


def test_slow_records_are_passed_on_at_once(folder, monkeypatch):
    """A record that took longer than HAND_OVER_SECONDS must be safe from a kill as soon as it is taken."""
    monkeypatch.setattr(segments, "HAND_OVER_SECONDS", 0.0)
    folder.begin(LAYOUT, {})
    for k in range(5):
        folder.append(row(k))
        assert RunReader(folder.path).rows == k + 1


def test_segments_end_by_size_and_by_time(folder):
    folder.segment_bytes, folder.segment_seconds = 3 * STRIDE, 1e9
    folder.begin(LAYOUT, {})
    folder.append(row(0))
    assert folder.is_due  # the first record is always followed by a checkpoint
    folder.next_segment(None)
    due = []
    for k in range(1, 5):
        folder.append(row(k))
        due.append(folder.is_due)
    assert due == [False, False, True, True]
    folder.next_segment(None)
    folder.segment_seconds = 0.0
    assert folder.is_due


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_turned_bit_ends_the_good_records(tmp_path_factory, data):
    """CRC-32 finds every single turned bit."""
    folder = RunFolder.create(tmp_path_factory.mktemp("run") / "a.nc")
    fill(folder, 10)
    folder.close()
    bad = data.draw(st.integers(0, 9), label="record")
    at = (bad % 4) * STRIDE + data.draw(st.integers(0, STRIDE - 1), label="byte")
    path = folder.path / f"rows-{bad - bad % 4:012d}.seg"
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << data.draw(st.integers(0, 7), label="bit")
    path.write_bytes(content)
    reader = RunReader(folder.path)
    assert reader.rows == bad
    assert reader.trouble == f"record {bad} is damaged; it and all after it are dropped"
    assert read(reader) == [row(k).tolist() for k in range(bad)]


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(0, 3 * STRIDE))
def test_any_cut_keeps_the_whole_records(tmp_path_factory, cut):
    folder = RunFolder.create(tmp_path_factory.mktemp("run") / "a.nc")
    fill(folder, 7)
    folder.close()
    os.truncate(folder.path / "rows-000000000004.seg", cut)
    reader = RunReader(folder.path)
    assert reader.rows == 4 + cut // STRIDE
    assert bool(reader.trouble) == bool(cut % STRIDE)
    assert read(reader) == [row(k).tolist() for k in range(reader.rows)]


def test_missing_segment_ends_the_good_records(folder):
    fill(folder, 12)
    (folder.path / "rows-000000000004.seg").unlink()
    reader = RunReader(folder.path)
    assert reader.rows == 4
    assert reader.trouble == "records 4 to 7 are missing; all after them are dropped"


def test_records_of_another_place_are_not_taken(folder):
    """The checksum is seeded with the record's number: a segment under a wrong name is not believed."""
    fill(folder, 8)
    shutil.copy(folder.path / "rows-000000000000.seg", folder.path / "rows-000000000004.seg")
    assert RunReader(folder.path).rows == 4


# --- going back ---


def test_rewind_drops_what_came_after_the_checkpoint(folder):
    fill(folder, 10)
    folder.flush()
    saved = folder.rewind()
    assert saved is not None
    assert saved.rows == folder.rows == 8
    assert saved.snapshot == {"k": 7}
    assert RunReader(folder.path).rows == 8


def test_rewind_passes_over_a_checkpoint_whose_records_are_lost(folder):
    fill(folder, 10)
    folder.close()
    os.truncate(folder.path / "rows-000000000004.seg", 3 * STRIDE)
    saved = folder.rewind()
    assert saved is not None
    assert saved.rows == 4
    assert RunReader(folder.path).rows == 4
    assert [p.name for p in folder.path.glob("checkpoint-*")] == ["checkpoint-000000000004.bin"]


def test_rewind_without_a_checkpoint_starts_over(folder):
    folder.begin(LAYOUT, {})
    folder.append(row(0))
    folder.close()
    assert folder.rewind() is None
    assert folder.rows == 0
    assert not list(folder.path.glob("rows-*"))


def test_records_go_on_after_a_rewind(folder):
    fill(folder, 10)
    folder.flush()
    folder.close()
    again = RunFolder.open(folder.path.with_suffix(""))
    again.rewind()
    for k in range(8, 13):
        again.append(row(k))
    again.close()
    reader = RunReader(folder.path)
    assert read(reader) == [row(k).tolist() for k in range(13)]


# --- refusals ---


def test_damaged_header_is_refused(folder):
    fill(folder, 1)
    (folder.path / "header.json").write_text("{")
    with pytest.raises(InputError, match=r"header.json is damaged"):
        RunReader(folder.path)


def test_folder_of_another_format_is_refused(folder, monkeypatch):
    fill(folder, 1)
    monkeypatch.setattr(segments, "FORMAT", segments.FORMAT + 1)
    with pytest.raises(InputError, match="was written by ropewalk 0 in a form that this version does not read"):
        RunReader(folder.path)


def test_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "a.nc.part").write_text("a file is in the way")
    with pytest.raises(InputError, match=r"a.nc.part cannot be made"):
        RunFolder.create(tmp_path / "a.nc")


def test_folder_without_records_is_taken_over(tmp_path):
    """A run killed before its first record left nothing worth keeping."""
    part_folder(tmp_path / "a.nc").mkdir()
    RunFolder.create(tmp_path / "a.nc").remove()
    assert not list(tmp_path.iterdir())


def test_recorder_without_a_folder_has_nothing_to_resume():
    names = SimpleNamespace(points=(), bodies=(), lines=(), sections=())
    with pytest.raises(ValueError, match="nothing to resume"):
        Recorder(names, {}).resume()


def test_half_removed_folder_spoils_nothing(tmp_path):
    """Killed while removing: the header goes first, and what else is left is not taken for records of the next run."""
    folder = RunFolder.create(tmp_path / "a.nc")
    fill(folder, 10)
    folder.close()
    (folder.path / "header.json").unlink()
    (folder.path / "rows-000000000000.seg").unlink()
    again = RunFolder.create(tmp_path / "a.nc")
    fill(again, 4, per_segment=100)
    again.flush()
    reader = RunReader(again.path)
    again.close()
    assert reader.rows == 4
    assert not reader.trouble


# --- the lock ---


def test_lock_is_held_against_another_process_and_given_back(tmp_path):
    code = (
        "import sys, pathlib\n"
        "from ropewalk.results import lock\n"
        "try:\n"
        "    lock.acquire(pathlib.Path(sys.argv[1]))\n"
        "except lock.HeldError as error:\n"
        "    sys.exit(f'held by {error.holder}')\n"
    )

    def try_it() -> str:
        return subprocess.run(
            [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True
        ).stderr.strip()

    descriptor = lock.acquire(tmp_path)
    assert try_it() == f"held by {os.getpid()}"
    os.close(descriptor)
    assert try_it() == ""


def test_lock_of_a_removed_folder_does_not_count(tmp_path, monkeypatch):
    """If the holder removed its file while we waited, we must lock the new one."""
    taken = lock._take
    calls = []

    def removed_meanwhile(descriptor):
        taken(descriptor)
        calls.append(descriptor)
        if len(calls) == 1:
            (tmp_path / lock.LOCK).unlink()

    monkeypatch.setattr(lock, "_take", removed_meanwhile)
    descriptor = lock.acquire(tmp_path)
    assert len(calls) == 2
    assert os.path.samestat((tmp_path / lock.LOCK).stat(), os.fstat(descriptor))
    os.close(descriptor)


# --- links that somebody else laid ---


def test_links_in_the_folder_are_refused_and_their_targets_kept(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("lock", "header.json.tmp", "rows-000000000000.seg", "checkpoint-000000000000.bin.tmp"):
        part = tmp_path / f"{name}.nc.part"
        part.mkdir()
        (part / name).symlink_to(victim)
        with pytest.raises(InputError, match=f"{name} is a link or a special file"):
            RunFolder.create(tmp_path / f"{name}.nc")
        assert victim.read_text() == "precious"


def test_a_hard_link_is_no_better(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    part = tmp_path / "a.nc.part"
    part.mkdir()
    (part / "lock").hardlink_to(victim)
    with pytest.raises(InputError, match="lock is a link"):
        RunFolder.create(tmp_path / "a.nc")
    assert victim.read_text() == "precious"


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a.nc.part").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"a.nc.part is a link"):
        RunFolder.create(tmp_path / "a.nc")


def test_links_laid_while_a_run_is_on_are_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = RunFolder.create(tmp_path / "a.nc")
    (folder.path / "header.json.tmp").symlink_to(victim)
    (folder.path / "rows-000000000000.seg").symlink_to(victim)
    folder._replace("header.json", b"{}")
    folder.append(np.zeros(3))
    folder.flush()
    folder.remove()
    assert victim.read_text() == "precious"
