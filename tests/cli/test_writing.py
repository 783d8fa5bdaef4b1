"""Every command that writes: whole or not at all, and never through a link that lies under the name."""

from __future__ import annotations

import errno
import importlib.util
from pathlib import Path

import pytest
from commandline import ropewalk

EXPORTS = ("csv", "xlsx", "pvd", "vtp", "parquet", "out")


@pytest.fixture(scope="module")
def result(tmp_path_factory) -> Path:
    """A short run."""
    import ropewalk as rw

    path = tmp_path_factory.mktemp("run") / "r.nc"
    rw.simulate(Path(__file__).with_name("mooring.yaml"), 0.2, output=path)
    return path


def words(kind: str, result: Path, target: Path, case: Path) -> list[object]:
    """The command that writes the target."""
    if kind in EXPORTS:
        return ["convert", result, target]
    given = {
        "report": ["report", result, "--html", target],
        "view": ["view", result, "--html", target],
        "plot": ["plot", result, "-o", target],
        "new": ["new", "buoy", target],
        "txt": ["convert", case, target],
        "fmu": ["convert", case, target],
        "yaml": ["convert", result.with_name("lines.txt"), target],
    }
    return given[kind]


SUFFIXES = {"report": "html", "view": "html", "plot": "png", "new": "yaml"}


def is_there(kind: str) -> bool:
    needs = {"xlsx": "openpyxl", "parquet": "pyarrow", "fmu": "pythonfmu"}
    return kind not in needs or importlib.util.find_spec(needs[kind]) is not None


KINDS = [kind for kind in (*EXPORTS, "report", "view", "plot", "new", "txt", "yaml") if is_there(kind)]


@pytest.fixture
def given(tmp_path, result, mooring, capsys):
    """A MoorDyn file to read beside the result, and the folder that is written to."""
    if not result.with_name("lines.txt").exists():
        assert ropewalk("convert", mooring, result.with_name("lines.txt"), capsys=capsys)[0] == 0
    (tmp_path / "out").mkdir()
    return tmp_path / "out", mooring


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_exit_1_with_the_name_and_leaves_nothing(kind, given, result, capsys, monkeypatch):
    """Pages of the system that take no more: every write that reaches a descriptor fails with ENOSPC."""
    folder, case = given
    target = folder / f"out.{SUFFIXES.get(kind, kind)}"
    monkeypatch.setattr("os.write", no_room)
    monkeypatch.setattr("os.fsync", no_room)
    code, _, err = ropewalk(*words(kind, result, target, case), capsys=capsys)
    assert code == 1, err
    assert "Traceback" not in err and "Exception ignored" not in err
    assert "cannot be written: the disk is full; make room and run again" in err
    assert list(folder.iterdir()) == []


def no_room(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_link_is_not_written_through(kind, given, result, tmp_path, capsys):
    folder, case = given
    target, victim = folder / f"out.{SUFFIXES.get(kind, kind)}", tmp_path / "victim"
    victim.write_text("mine")
    for name in (target, folder / f"{target.name}.part"):
        name.symlink_to(victim)
    inside = folder / "out"
    if kind == "pvd":
        inside.mkdir()
        (inside / "lines_000000.vtp").symlink_to(victim)
    ropewalk(*words(kind, result, target, case), *(["--overwrite"] if kind in (*EXPORTS, "txt", "yaml") else []),
             capsys=capsys)  # fmt: skip
    assert victim.read_text() == "mine"
    assert target.is_symlink() == (kind == "new")  # which writes over nothing


def test_a_folder_of_pictures_is_not_a_link(given, result, tmp_path, capsys):
    folder, _ = given
    (tmp_path / "elsewhere").mkdir()
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    code, _, err = ropewalk("convert", result, folder / "out.pvd", capsys=capsys)
    assert code == 2 and "out is a link or no folder; give another name" in err
    assert list((tmp_path / "elsewhere").iterdir()) == []
