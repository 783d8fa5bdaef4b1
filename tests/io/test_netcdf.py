"""Result files: what any reader finds in them, and what is recovered of a run that died."""

import gc
import os
import random
import subprocess
import sys
from types import SimpleNamespace

import h5netcdf
import numpy as np
import pytest
import xarray as xr
from typer import Typer
from typer.testing import CliRunner

from ropewalk.cli.recover import recover_command
from ropewalk.errors import InputError, OutputError
from ropewalk.io import netcdf
from ropewalk.io.netcdf import open_results, reading, recover, system_of, write, write_records
from ropewalk.model.state import State
from ropewalk.results import Recorder, RunFolder, RunReader, part_folder, segments
from ropewalk.spec.system import System

NAMES = SimpleNamespace(points=("p",), bodies=("buoy",), lines=("north", "south"), sections=())
ATTRS = {"title": "t", "system": "{}", "settings": "{}", "version": "0", "created_by": "a test"}


def state_at(t: float, n: int = 5) -> State:
    x = np.arange(2.0 * n) + t
    return State(
        time=t,
        point_position=np.full((1, 3), t),
        point_velocity=np.ones((1, 3)),
        point_force=np.array([[1.0, 2.0, t]]),
        body_position=np.array([[t, 0.0, 1.0]]),
        body_quaternion=np.array([[1.0, 0.0, 0.0, 0.0]]),
        body_velocity=np.zeros((1, 3)),
        body_rate=np.zeros((1, 3)),
        start=np.array([0, n, 2 * n]),
        s=np.tile(np.linspace(0.0, 30.0, n), 2),
        position=np.stack([x, np.sin(x), np.cos(x)], axis=1),
        velocity=np.zeros((2 * n, 3)),
        tension=np.exp(-x / n),
        end_force=np.arange(12.0).reshape(2, 2, 3) * t,
        grounded=np.array([t, 2.0 * t]),
    )


def record_into(recorder: Recorder, count: int) -> Recorder:
    for k in range(count):
        recorder.add(state_at(0.1 * k), 0.01 * k, {"kinetic": float(k), "bed": 0.0})
    return recorder


@pytest.fixture
def folder(tmp_path):
    folder = RunFolder.create(tmp_path / "a.nc")
    yield folder
    folder.close()


def test_streamed_file_is_the_dataset_in_memory(tmp_path, folder, monkeypatch):
    """The two ways to a file give the same; here over several reads of the segments."""
    monkeypatch.setattr(segments, "READ_BYTES", 4000)  # a record is about 1 kB
    record_into(Recorder(NAMES, ATTRS, folder), 23)
    folder.flush()
    write_records(RunReader(folder.path), tmp_path / "streamed.nc")
    memory = record_into(Recorder(NAMES, ATTRS), 23).dataset()
    write(memory, tmp_path / "written.nc")
    with open_results(tmp_path / "streamed.nc") as streamed, open_results(tmp_path / "written.nc") as written:
        xr.testing.assert_identical(streamed.load(), written.load())
        xr.testing.assert_equal(streamed, memory)
        assert streamed.attrs == {**ATTRS, "status": "done"}


def test_plain_xarray_opens_it_without_a_compiler(tmp_path, folder):
    record_into(Recorder(NAMES, ATTRS, folder), 3)
    folder.flush()
    write_records(RunReader(folder.path), tmp_path / "a.nc")
    code = (
        "import sys, xarray\n"
        "d = xarray.open_dataset(sys.argv[1])\n"
        "assert d.time.dtype == 'float64' and d.time.attrs['units'] == 's', d.time\n"
        "assert set(d.position.coords) == {'time', 'node_line', 's', 'axis'}, d.position.coords\n"
        "assert set(d.end_force.coords) == {'time', 'line', 'end', 'axis'}, d.end_force.coords\n"
        "assert d.node_line.values.tolist() == ['north'] * 5 + ['south'] * 5\n"
        "assert d.line.values.tolist() == ['north', 'south'] and d.end.values.tolist() == ['A', 'B']\n"
        "assert d.tension.sizes == {'time': 3, 'node': 10}\n"
        "d.close()\n"
        "assert not [m for m in sys.modules if m.split('.')[0] in ('numba', 'ropewalk')]\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code, str(tmp_path / "a.nc")], check=True)


def test_large_case_fits_into_the_file(tmp_path, folder):
    """HDF5 keeps attributes of fixed length below 64 kB; a case with tables is longer."""
    attrs = {**ATTRS, "system": "x" * 3_000_000}
    record_into(Recorder(NAMES, attrs, folder), 2)
    folder.flush()
    write_records(RunReader(folder.path), tmp_path / "a.nc")
    with open_results(tmp_path / "a.nc") as data:
        assert data.attrs["system"] == attrs["system"]


def test_case_comes_back_from_the_file(tmp_path):
    system = System.model_validate(
        {
            "title": "été ∞",
            "sections": {
                "chain": {"catalogue": "studless_chain", "diameter": 0.09},
                "stiff": {"diameter": 0.1, "mass": 5.0, "axial_stiffness": float("inf")},
            },
            "points": {"a": {"position": [0, 0, -10]}, "b": {"position": [9, 0, 0], "joint": "free"}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 12}]}},
        }
    )
    attrs = {**ATTRS, "title": system.title, "system": system.model_dump_json(by_alias=True, exclude_unset=True)}
    write(record_into(Recorder(NAMES, attrs), 1).dataset(), tmp_path / "a.nc")
    with open_results(tmp_path / "a.nc") as data:
        assert system_of(data) == system
        assert data.attrs["title"] == "été ∞"


def test_result_without_a_case_says_so():
    with pytest.raises(InputError, match="does not contain its case"):
        system_of(xr.Dataset())
    with pytest.raises(InputError, match="not one that this version reads"):
        system_of(xr.Dataset(attrs={"system": "{]"}))


def test_missing_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"does not exist$"):
        open_results(tmp_path / "a.nc")
    (tmp_path / "a.nc").write_bytes(b"not a result")
    with pytest.raises(InputError, match="is not a NetCDF-4 file, or is damaged"):
        open_results(tmp_path / "a.nc")


def test_missing_file_of_a_stopped_run_points_to_recover(folder):
    with pytest.raises(InputError, match=r"contains a stopped run: 'ropewalk recover .*a.nc.part'"):
        open_results(folder.path.with_suffix(""))


def test_failed_write_leaves_the_file_that_was_there(tmp_path, folder, monkeypatch):
    target = tmp_path / "old.nc"
    target.write_bytes(b"precious")
    record_into(Recorder(NAMES, ATTRS, folder), 2)
    folder.flush()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(netcdf, "_declare", full)
    with pytest.raises(OutputError, match=r"old.nc cannot be written: the disk is full; make room"):
        write_records(RunReader(folder.path), target)
    assert target.read_bytes() == b"precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc.part", "old.nc"]


FULL = """
import resource, sys
from pathlib import Path
import numpy as np, xarray as xr
from ropewalk.errors import OutputError
from ropewalk.io.netcdf import write
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
try:
    write(xr.Dataset({"a": ("time", np.arange(1e4))}), sys.argv[1])
except OutputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files there")
def test_no_room_is_a_sentence_and_no_file(tmp_path):
    """HDF5 itself ends in a segmentation fault when its file cannot grow."""
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path / "a.nc"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "a.nc cannot be written: the file would be larger than the system allows; make room" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_link_under_the_temporary_name_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".a.nc.{os.getpid()}.tmp").symlink_to(victim)
    write(xr.Dataset({"a": ("time", np.arange(3.0))}), tmp_path / "a.nc")
    assert victim.read_text() == "precious"
    with open_results(tmp_path / "a.nc") as dataset:
        assert dataset["a"].values.tolist() == [0.0, 1.0, 2.0]


def test_damaged_files_are_told_before_they_are_opened(tmp_path):
    """120 random changes of one to 200 bytes, cuts and blank stretches; each would be read as it is by HDF5."""
    path = tmp_path / "a.nc"
    write(xr.Dataset({"a": (("time", "axis"), np.arange(3e3).reshape(1000, 3))}, attrs=ATTRS), path)
    whole, draw = path.read_bytes(), random.Random(1)
    for k in range(120):
        data = bytearray(whole)
        if k % 3 == 0:
            del data[draw.randrange(len(data)) :]
        elif k % 3 == 1:
            at = draw.randrange(len(data) - 512)
            data[at : at + 512] = bytes(512)
        for _ in range(draw.choice([1, 4, 200])):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        with pytest.raises(InputError, match="damaged"):
            open_results(path)


def test_a_file_without_a_seal_that_cannot_be_opened_leaves_no_error_behind(tmp_path, folder, monkeypatch):
    """Headers of objects zeroed, superblock good: h5netcdf fails half open, and again when it is collected."""
    path = tmp_path / "r.nc"
    write(xr.Dataset({"x": ("time", np.arange(4.0))}, attrs={"system": "{}"}), path)
    data = bytearray(path.read_bytes()[:-20])  # the seal
    data[100:400] = bytes(300)
    path.write_bytes(data)
    left = []
    monkeypatch.setattr(sys, "unraisablehook", left.append)
    with pytest.raises(InputError, match="is not a NetCDF-4 file, or is damaged"):
        open_results(path)
    gc.collect()
    assert left == []


def test_changes_by_other_programs_drop_the_seal(tmp_path):
    """HDF5 cuts a file that it has changed where its own content ends."""
    path = tmp_path / "a.nc"
    write(xr.Dataset({"a": ("time", np.arange(3.0))}), path)
    with h5netcdf.File(path, "r+") as file:
        file.attrs["note"] = "by hand"
    with open_results(path) as dataset:
        assert dataset.attrs["note"] == "by hand"


def test_what_is_wrong_with_a_result_is_named(tmp_path):
    """A file without a seal, where the case is missing."""
    path = tmp_path / "a.nc"
    write(xr.Dataset({"time": ("time", np.arange(3.0))}), path)
    with pytest.raises(InputError, match=r"a.nc is damaged: its case is missing"), reading(path) as dataset:
        dataset.attrs["system"]


def test_faults_of_the_program_are_not_put_down_to_the_file(tmp_path):
    path = tmp_path / "a.nc"
    attrs = {**ATTRS, "system": System().model_dump_json()}
    series = {"time": ("time", np.arange(3.0)), "elevation": ("time", np.zeros(3))}
    write(xr.Dataset(series, attrs=attrs), path)
    with pytest.raises(ZeroDivisionError), reading(path):
        raise ZeroDivisionError


# --- recover ---


def test_recover_refuses_what_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"a.nc.part does not exist"):
        recover(tmp_path / "a.nc")


def test_recover_needs_the_name_of_a_file():
    with pytest.raises(InputError, match=r"does not belong to a stopped run; give its result file"):
        recover(".")


def test_recover_refuses_an_empty_folder(folder):
    folder.close()
    with pytest.raises(InputError, match=r"holds no records: it has no header.json"):
        recover(folder.path)


def test_recover_refuses_a_header_alone(folder):
    record_into(Recorder(NAMES, ATTRS, folder), 1)
    folder.close()
    next(folder.path.glob("rows-*.seg")).unlink()
    with pytest.raises(InputError, match="contains no complete record"):
        recover(folder.path)


def test_recover_does_not_write_over_a_file(tmp_path, folder):
    record_into(Recorder(NAMES, ATTRS, folder), 1)
    folder.close()
    (tmp_path / "a.nc").write_bytes(b"precious")
    with pytest.raises(InputError, match=r"a.nc exists; give another output"):
        recover(folder.path)
    assert (tmp_path / "a.nc").read_bytes() == b"precious"


def test_recover_command_says_what_it_saved(tmp_path, folder):
    record_into(Recorder(NAMES, ATTRS, folder), 7)
    folder.close()
    with next(folder.path.glob("rows-*.seg")).open("r+b") as file:
        file.truncate(file.seek(0, 2) - 1)
    app = Typer()
    app.command()(recover_command)
    result = CliRunner().invoke(app, [str(folder.path), "-o", str(tmp_path / "saved.nc")])
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "saved.nc: 6 records, the last at t = 0.5 s" in text
    assert "Record 6 was only half written; it is dropped." in text
    with open_results(tmp_path / "saved.nc") as data:
        assert data.time.values[-1] == 0.5
        assert data.attrs["status"] == (
            "recovered: the run was stopped after t = 0.5 s; record 6 was only half written; it is dropped"
        )
    assert part_folder(tmp_path / "a.nc").is_dir()


@pytest.mark.parametrize(
    "old",
    [
        {"end_line": ("end", ["m", "m"]), "end": ["A", "B"]},
        {"rope": ["m"]},
        {"line": ("node", ["m", "m"])},
    ],
    ids=["ends", "rope", "nodes"],
)
def test_results_with_former_names_are_refused_with_their_version_and_the_way_out(tmp_path, old):
    data = xr.Dataset({"tension": (("time", "node"), [[1.0, 2.0]])}, coords=old, attrs={"version": "0.0.9"})
    write(data, tmp_path / "old.nc")
    with pytest.raises(InputError, match=r"old\.nc was written by ropewalk 0\.0\.9 .* run its case again"):
        open_results(tmp_path / "old.nc")
