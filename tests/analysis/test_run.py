"""The loop in time: what it records, how it fails, how it goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from ropewalk.analysis import run_files
from ropewalk.analysis.check import pulled_apart, refuse_pulled_apart, refuse_unsolvable
from ropewalk.analysis.record_times import record_times
from ropewalk.analysis.run import InterruptedRunError, RunFailedError, run, simulate
from ropewalk.analysis.statics import statics
from ropewalk.errors import ConvergenceError, InputError, OutputError
from ropewalk.io.load import load
from ropewalk.io.netcdf import recover, system_of
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.post.events import ATTRIBUTE
from ropewalk.results import Recorder, files, segments
from ropewalk.results.segments import RunReader, part_folder
from ropewalk.spec.system import System

sys.path.insert(0, str(Path(__file__).parent))
from swing import ResumableSwing, Swing, swing_system

PATIENCE = 60.0  # s that a child process may need on a busy machine


class CtrlC(ResumableSwing):
    """Interrupted on its way to t = 5 s."""

    def advance(self, model, work, t):
        report = super().advance(model, work, t)
        if t > 5.0:
            raise KeyboardInterrupt
        return report


def assert_same_bits(a: xr.Dataset, b: xr.Dataset) -> None:
    assert set(a.variables) == set(b.variables)
    for name in a.variables:
        left, right = a[name].values, b[name].values
        assert left.dtype == right.dtype or left.dtype.kind in "OUT", name
        assert left.tolist() == right.tolist(), name


def test_records_every_interval_and_both_ends():
    """101 records of 10 s at 0.1 s; times are the nearest numbers to their decimals."""
    data = simulate(swing_system(), solver=Swing())
    assert data.sizes["time"] == 101
    assert data.time.values.tolist() == [k / 10 for k in range(101)]
    assert data.attrs["status"] == "done"


def test_values_are_those_of_the_solver():
    """Energy of the leapfrog is kept to its order, position is the start plus the swing."""
    system = swing_system()
    data = simulate(system, solver=Swing())
    x = data.position.values[:, 0, 0]
    np.testing.assert_array_equal(data.position.values[:, :, 1], 0.0)  # straight lines in the plane y = 0
    total = data.energy.sum("term")
    # leapfrog with h <= 0.011 s, frequency below 2 rad/s: error (omega h)^2 / 8 = 6e-5, 1e-3 leaves a margin of 16
    np.testing.assert_allclose(total, 0.75, rtol=1e-3)
    np.testing.assert_allclose(data.energy.sel(term="spring"), 0.5 * x**2 + 0.25 * x**4, rtol=1e-14)
    assert x.min() < -0.99
    assert x.max() == 1.0


def test_elevation_is_that_of_the_wave_at_the_origin():
    """Regular wave, H = 2 m, T = 8 s: eta = cos(2 pi t / 8) with the crest at t = 0."""
    data = simulate(swing_system(), solver=Swing())
    np.testing.assert_allclose(data.elevation, np.cos(2.0 * np.pi * data.time / 8.0), atol=1e-12)


def test_nothing_is_kept_before_the_start_of_the_record():
    data = simulate(swing_system(record={"every": 0.5, "start": 3.2}), solver=Swing())
    whole = simulate(swing_system(record={"every": 0.1}), solver=Swing())
    assert data.time.values[0] == pytest.approx(3.2)
    assert data.time.values[-1] == pytest.approx(9.7)
    # the steps are not the same, so only to the integrator's error
    np.testing.assert_allclose(data.position[0, 0, 0], whole.position[32, 0, 0], atol=1e-3)


@pytest.mark.parametrize(
    ("duration", "every", "start", "expected"),
    [
        (1.0, 0.25, 0.0, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (1.0, 0.3, 0.0, [0.0, 0.3, 0.6, 0.9]),
        (0.7, 0.1, 0.3, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]),
        (1.0, 0.4, 0.5, [0.1, 0.5, 0.9]),
        (0.05, 0.1, 0.0, [0.0]),
    ],
)
def test_record_times(duration, every, start, expected):
    np.testing.assert_allclose(record_times(duration, every, start), expected, atol=1e-15)


def test_more_records_than_any_memory_holds_are_refused():
    with pytest.raises(InputError, match=r"1e\+300 s with a record every 0\.1 s are 1e\+301 records, at most 1e\+08"):
        record_times(1e300, 0.1)


def test_report_sums_the_run_up():
    system = swing_system()
    model = build(system)
    recorder = Recorder(model.names, {})
    seen = []
    report = run(model, Swing(), initial_state(model), [0.0, 1.0, 2.0], recorder, seen.append)
    assert report.good
    assert report.residual_force == 1e-3 * 2.0
    assert report.iterations > 190  # 2 s in steps of at most 0.011 s
    assert seen == [0.0, 1.0, 2.0]
    assert recorder.rows == 3


def test_records_do_not_depend_on_how_times_are_shared_out(monkeypatch):
    """One time in each call of compiled code, a few, or as many as there is time for: the same bits."""
    system = System.model_validate(
        {
            "environment": {"depth": 20, "waves": {"kind": "regular", "height": 1.0, "period": 4.0}},
            "sections": {"rope": {"diameter": 0.05, "mass": 8.0, "axial_stiffness": 2e7}},
            "points": {"a": {"position": [0, 0, -20]}, "b": {"position": [20, 0, -1]}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 5, "pieces": [{"section": "rope", "length": 30}]}},
            "record": {"every": 0.1, "start": 0.35},
            "run": {"duration": 3.0, "solver": "mixed_fem"},
        }
    )
    whole = simulate(system)
    assert whole.sizes["time"] == 27
    for most in (1, 3):
        monkeypatch.setattr("ropewalk.analysis.run.MOST_IN_PASSAGE", most)
        assert_same_bits(simulate(system), whole)


def test_file_and_memory_hold_the_same(tmp_path):
    memory = simulate(swing_system(), solver=Swing())
    with simulate(swing_system(), solver=Swing(), output=tmp_path / "a.nc") as file:
        assert_same_bits(memory, file)
        assert dict(memory.attrs) == dict(file.attrs)
        assert system_of(file) == swing_system()
        assert json.loads(file.attrs["settings"])["solver"] == "swing"
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]


@pytest.mark.parametrize("in_memory", [0, 1 << 26])
def test_results_of_a_run_are_those_of_its_file(tmp_path, monkeypatch, in_memory):
    """Whether they fit into memory or are read back from the file: events and all other attributes too."""
    monkeypatch.setattr(run_files, "IN_MEMORY", in_memory)
    with simulate(swing_system(), output=tmp_path / "a.nc") as results, load(tmp_path / "a.nc") as kept:
        assert ATTRIBUTE in kept.attrs
        xr.testing.assert_identical(results.load(), kept.load())


def test_same_input_gives_the_same_file(tmp_path):
    for name in ("a.nc", "b.nc"):
        simulate(swing_system(), solver=Swing(), output=tmp_path / name).close()
    assert (tmp_path / "a.nc").read_bytes() == (tmp_path / "b.nc").read_bytes()


def test_failure_keeps_what_came_before(tmp_path):
    output = tmp_path / "a.nc"
    with pytest.raises(
        RunFailedError, match=r"failed before t = 4 s \(duration 10 s\): residual 3 N .* kept 40 records"
    ) as error:
        simulate(swing_system(), solver=Swing(fails_at=3.95), output=output)
    assert isinstance(error.value, ConvergenceError)
    assert error.value.report.iterations == 20
    error.value.results.close()
    with xr.open_dataset(output) as data:
        assert data.sizes["time"] == 40
        assert "residual 3 N" in data.attrs["status"]
    assert not part_folder(output).exists()


def test_failure_in_memory_keeps_what_came_before():
    with pytest.raises(RunFailedError) as error:
        simulate(swing_system(), solver=Swing(fails_at=3.95))
    assert error.value.results.sizes["time"] == 40


def test_failure_of_the_first_step_leaves_nothing(tmp_path):
    with pytest.raises(RunFailedError, match="nothing was kept"):
        simulate(swing_system(), solver=Swing(fails_at=0.0), output=tmp_path / "a.nc")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("at", [0.0, 2.0])
def test_what_is_not_a_number_stops_the_run_with_its_place(tmp_path, at):
    sentence = r"tension of line 'm1' at s = 0 m is not finite"
    with pytest.raises(RunFailedError, match=sentence) as error:
        simulate(swing_system(), solver=Swing(breaks_at=at), output=tmp_path / "a.nc")
    assert error.value.report.status.name == "NOT_FINITE"
    if at > 0.0:
        with error.value.results as data:
            assert data.sizes["time"] == 20
            assert np.isfinite(data.tension).all()
    else:
        assert not list(tmp_path.iterdir())


def test_interrupt_keeps_results_and_can_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "SEGMENT_SECONDS", 0.0)
    output = tmp_path / "a.nc"
    with pytest.raises(
        InterruptedRunError, match=r"interrupted at t = 5 s of 10 s; 51 records are in .*--resume"
    ) as error:
        simulate(swing_system(), solver=CtrlC(), output=output)
    with error.value.results as data:
        assert data.sizes["time"] == 51
    whole = simulate(swing_system(), solver=ResumableSwing())
    with simulate(swing_system(), solver=ResumableSwing(), output=output, resume=True) as data:
        assert_same_bits(whole, data)


def test_interrupt_in_memory_carries_the_results():
    with pytest.raises(InterruptedRunError) as error:
        simulate(swing_system(), solver=CtrlC())
    assert error.value.results.sizes["time"] == 51
    assert isinstance(error.value, KeyboardInterrupt)


def test_run_starts_from_the_equilibrium():
    """style.md section 1: statics hands its State to dynamics."""
    system = swing_system(environment={"depth": 50}, run={"duration": 0.2})
    data = simulate(system, solver=Swing(amplitude=0.0))
    state = statics(system).state
    np.testing.assert_array_equal(data.position.values[0], state.position)
    np.testing.assert_array_equal(data.s, state.s)


def test_static_solver_gives_a_quasi_static_history():
    """style.md section 1: its advance finds the equilibrium under the loads at t, so no other code is needed."""
    top = {
        "position": [30, 0, 0],
        "joint": "moving",
        "motion": {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 2, "omega": 1.5, "phase": 0}]},
    }
    points = {"anchor": {"position": [0, 0, -50]}, "top": top}
    system = swing_system(environment={"depth": 50, "water_density": 0}, points=points, run={"duration": 1.0})
    data = simulate(system, solver="catenary")
    end = int(np.flatnonzero(data.node_line.values == "m1")[-1])  # end B of the first line
    np.testing.assert_allclose(data.position[:, end, 0], 30.0 + 2.0 * np.cos(1.5 * data.time), rtol=1e-9)
    assert data.tension[0, end] > data.tension[-1, end]
    later = statics(system, "catenary", time=1.0).state
    first, same = slice(later.start[0], later.start[1]), data.node_line.values == "m1"
    _, at, there = np.intersect1d(later.s[first], data.s.values[same], return_indices=True)
    assert at.size > 40  # but for nodes where the line touches down, which move
    np.testing.assert_allclose(data.tension.values[-1][same][there], later.tension[first][at], rtol=1e-9)


# --- killed runs ---

CHILD = textwrap.dedent(
    """
    import sys, time
    sys.path.insert(0, {tests!r})
    from swing import ResumableSwing, swing_system
    from ropewalk.analysis.run import simulate
    from ropewalk.results import files, segments
    segments.HAND_OVER_SECONDS, segments.SEGMENT_SECONDS = 0.002, {segment}

    class Slow(ResumableSwing):
        def advance(self, model, work, t):
            time.sleep({pause} if t > 4.0 else 0.0)
            return super().advance(model, work, t)

    simulate(swing_system(), solver=Slow(), output=sys.argv[1])
    """
)


def start_child(output: Path, pause: float, segment: float = 0.02) -> subprocess.Popen:
    code = CHILD.format(tests=str(Path(__file__).parent), pause=pause, segment=segment)
    return subprocess.Popen([sys.executable, "-c", code, str(output)], stderr=subprocess.PIPE, text=True)


def wait_for_rows(output: Path, child: subprocess.Popen, rows: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if child.poll() is not None:
            pytest.fail(f"the child ended early: {child.stderr.read()}")
        try:
            if RunReader(part_folder(output)).rows >= rows:
                return
        except InputError:
            pass
        time.sleep(0.01)
    pytest.fail("the child wrote nothing in time")


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory):
    """The output of a run that SIGKILL ended after 45 records or a few more."""
    output = tmp_path_factory.mktemp("killed") / "a.nc"
    child = start_child(output, pause=0.02)
    wait_for_rows(output, child, 45)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stderr.close()
    return output


@pytest.fixture
def killed(killed_once, tmp_path):
    """A copy of it, to be used up."""
    shutil.copytree(part_folder(killed_once), tmp_path / "a.nc.part")
    return tmp_path / "a.nc"


def test_killed_run_is_recovered_and_resumed_to_the_same_bits(killed):
    """design.md section 5: readable up to the last record, and going on gives the numbers of a run never stopped."""
    whole = simulate(swing_system(), solver=ResumableSwing())
    saved = recover(part_folder(killed), killed.with_name("saved.nc"))
    assert 45 <= saved.rows < 101
    assert saved.time == (saved.rows - 1) / 10
    with xr.open_dataset(saved.path) as data:
        assert data.attrs["status"].startswith("recovered")
        assert_same_bits(whole.isel(time=slice(saved.rows)), data)

    class Counting(ResumableSwing):
        advanced = 0

        def advance(self, model, work, t):
            type(self).advanced += 1
            return super().advance(model, work, t)

    with simulate(swing_system(), solver=Counting(), output=killed, resume=True) as data:
        assert_same_bits(whole, data)
        assert data.attrs["status"] == "done"
    assert Counting.advanced < 101 - 20  # it did go on from a checkpoint
    assert not part_folder(killed).exists()


def test_torn_record_is_dropped_with_a_sentence(killed):
    segment = sorted(part_folder(killed).glob("rows-*.seg"))[-1]
    with segment.open("ab") as file:
        file.write(b"\0" * 100)
    before = RunReader(part_folder(killed))
    saved = recover(killed)
    assert saved.trouble == f"record {before.rows} was only half written; it is dropped"
    with xr.open_dataset(killed) as data:
        assert data.sizes["time"] == saved.rows


def test_spoiled_checkpoint_is_passed_over(killed):
    """The one before it serves, and the numbers are the same."""
    last = sorted(part_folder(killed).glob("checkpoint-*.bin"))[-1]
    data = bytearray(last.read_bytes())
    data[-1] ^= 1
    last.write_bytes(data)
    with simulate(swing_system(), solver=ResumableSwing(), output=killed, resume=True) as data:
        assert_same_bits(simulate(swing_system(), solver=ResumableSwing()), data)


def test_spoiled_record_is_computed_again(killed):
    """A bit turned in the first segment: no checkpoint is good, so the run starts over."""
    first = sorted(part_folder(killed).glob("rows-*.seg"))[0]
    data = bytearray(first.read_bytes())
    data[100] ^= 1
    first.write_bytes(data)
    assert RunReader(part_folder(killed)).trouble == "record 0 is damaged; it and all after it are dropped"
    with simulate(swing_system(), solver=ResumableSwing(), output=killed, resume=True) as data:
        assert_same_bits(simulate(swing_system(), solver=ResumableSwing()), data)


def test_new_run_does_not_write_over_a_stopped_one(killed):
    with pytest.raises(InputError, match=r"a.nc.part holds the records of a run that was stopped; .*--resume"):
        simulate(swing_system(), solver=ResumableSwing(), output=killed)
    assert RunReader(part_folder(killed)).rows >= 45


@pytest.mark.parametrize(
    ("system", "solver", "what"),
    [
        (swing_system(title="other"), ResumableSwing(), "case"),
        (swing_system(), ResumableSwing(amplitude=2.0), "solver, duration or record"),
    ],
)
def test_another_case_is_not_resumed(killed, system, solver, what):
    with pytest.raises(InputError, match=f"belongs to another {what}"):
        simulate(system, solver=solver, output=killed, resume=True)
    assert RunReader(part_folder(killed)).rows >= 45


def test_solver_without_checkpoints_is_not_resumed(killed):
    with pytest.raises(InputError, match="solver 'swing' cannot resume from a checkpoint"):
        simulate(swing_system(), solver=Swing(), output=killed, resume=True)


def test_finished_run_is_not_run_again(tmp_path):
    output = tmp_path / "a.nc"
    simulate(swing_system(), solver=ResumableSwing(), output=output).close()
    before = output.stat().st_mtime_ns
    part_folder(output).mkdir()  # as left by a kill in the very last moment
    simulate(swing_system(), solver=ResumableSwing(), output=output, resume=True).close()
    assert output.stat().st_mtime_ns == before
    assert not part_folder(output).exists()
    with pytest.raises(InputError, match=r"a.nc belongs to another run and there is no stopped run to resume"):
        simulate(swing_system(), 5.0, solver=ResumableSwing(), output=output, resume=True)


def test_resume_with_nothing_there_starts_at_the_beginning(tmp_path):
    with simulate(swing_system(), solver=ResumableSwing(), output=tmp_path / "a.nc", resume=True) as data:
        assert_same_bits(simulate(swing_system(), solver=ResumableSwing()), data)


def test_file_is_replaced_while_an_older_one_is_open(tmp_path):
    with simulate(swing_system(), 2.0, solver=Swing(), output=tmp_path / "a.nc") as old:
        with simulate(swing_system(), 3.0, solver=Swing(), output=tmp_path / "a.nc") as new:
            assert new.tension.shape[0] == new.tension.values.shape[0] == 31
        assert old.tension.values.shape[0] == 21


def test_full_disk_ends_the_run_with_a_sentence(tmp_path, monkeypatch):
    output = tmp_path / "a.nc"
    monkeypatch.setattr(segments, "HAND_OVER_SECONDS", 0.0)
    monkeypatch.setattr(segments, "SEGMENT_SECONDS", 0.0)
    write_all, calls = files.write_all, []

    def full(descriptor, data):
        calls.append(len(data))
        if len(calls) > 30:
            write_all(descriptor, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        write_all(descriptor, data)

    monkeypatch.setattr(files, "write_all", full)
    with pytest.raises(OutputError, match=r"a.nc.part cannot be written: the disk is full; .*--resume"):
        simulate(swing_system(), solver=ResumableSwing(), output=output)
    monkeypatch.setattr(files, "write_all", write_all)
    assert RunReader(part_folder(output)).rows == 15  # every segment is a head and, here, one record
    with simulate(swing_system(), solver=ResumableSwing(), output=output, resume=True) as data:
        assert_same_bits(simulate(swing_system(), solver=ResumableSwing()), data)


def test_second_run_to_the_same_output_refuses(tmp_path):
    output = tmp_path / "a.nc"
    child = start_child(output, pause=0.1)
    wait_for_rows(output, child, 5)
    try:
        for resume in (False, True):
            with pytest.raises(InputError, match=f"a.nc is being written by process {child.pid}; wait for it"):
                simulate(swing_system(), solver=ResumableSwing(), output=output, resume=resume)
        with pytest.raises(InputError, match="is being written"):
            recover(output)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stderr.close()


# --- refusals ---


def test_case_without_a_run_needs_a_duration():
    with pytest.raises(InputError, match="the case has no run"):
        simulate(swing_system(run=None), solver=Swing())


@pytest.mark.parametrize("duration", [0.0, -1.0, np.inf, np.nan])
def test_duration_must_be_positive(duration):
    with pytest.raises(InputError, match=r"it must be positive and finite|must be a finite number"):
        simulate(swing_system(), duration, solver=Swing())


def test_record_that_starts_after_the_end_is_refused():
    with pytest.raises(InputError, match="nothing would be kept"):
        simulate(swing_system(record={"start": 20}), solver=Swing())


def test_unknown_solver_is_refused(tmp_path):
    with pytest.raises(InputError, match="no solver 'swnig'"):
        simulate(swing_system(), solver="swnig", output=tmp_path / "a.nc")
    assert not list(tmp_path.iterdir())


def test_output_in_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        simulate(swing_system(), solver=Swing(), output=tmp_path / "none" / "a.nc")
    with pytest.raises(InputError, match="it is a folder"):
        simulate(swing_system(), solver=Swing(), output=tmp_path)


def test_resume_needs_an_output():
    with pytest.raises(InputError, match="resume needs an output"):
        simulate(swing_system(), solver=ResumableSwing(), resume=True)


def test_progress_bar_shows_time_and_speed(capfd, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    simulate(swing_system(), solver=Swing(), progress=True)
    shown = capfd.readouterr()
    assert "of 10.0 s" in shown.err
    assert "x real time" in shown.err
    assert not shown.out


def test_no_bar_off_a_terminal(capfd):
    simulate(swing_system(), solver=Swing())
    assert capfd.readouterr() == ("", "")


TOO_SHORT = {
    "environment": {"seabed": {"kind": "none"}},
    "sections": {"s": {"diameter": 0.05, "mass": 10.0, "axial_stiffness": "inextensible"}},
    "points": {
        "a": {"position": [0, 0, -10]},
        "b": {"position": [10, 0, -10], "joint": "moving",
              "motion": {"kind": "tow", "velocity": [0.5, 0, 0], "ramp": 0.0}},
    },
    "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "s", "length": 10.1, "elements": 6}]}},
    "run": {"duration": 1.0}, "record": {"every": 0.1},
}  # fmt: skip


def test_run_that_would_pull_an_inextensible_line_apart_is_refused():
    """Ends 10.0 m apart at first, 10.5 m at t = 1 s, on a line of 10.1 m: a run of 0.1 s can be had, one of 1 s not."""
    system = System.model_validate(TOO_SHORT)
    words = (
        r"at t = 0.21 s the ends of line 'l' are 10.105 m apart, more than its 10.1 m; lengthen it .* or end the run"
    )
    with pytest.raises(InputError, match=words):
        simulate(system, progress=False)
    with pytest.raises(InputError, match=words):
        refuse_unsolvable(system, build(system))
    refuse_pulled_apart(build(system), 0.1)


def test_run_that_would_haul_in_too_much_of_an_inextensible_line_is_refused():
    """0.2 m hauled in of 10.1 m between held ends 10 m apart: it ended with steps of 1e-7 s at 1e6 N."""
    points = {"a": {"position": [0, 0, -10]}, "b": {"position": [10, 0, -10]}}
    line = {**TOO_SHORT["lines"]["l"], "payout": {"end": "B", "time": [0.0, 1.0], "length": [0.0, -0.2], "ramp": 0.0}}
    system = System.model_validate({**TOO_SHORT, "points": points, "lines": {"l": line}})
    with pytest.raises(InputError, match=r"at t = 0.51 s the ends of line 'l' are 10 m apart, more than its 9.998 m"):
        simulate(system, progress=False)
    refuse_pulled_apart(build(system), 0.5)


def test_ends_that_motions_bring_too_far_apart_are_named():
    model = build(System.model_validate(TOO_SHORT))
    assert pulled_apart(model, 0.1) == ""
    assert pulled_apart(model, 1.0).startswith("at t = 1 s the ends of line 'l' are 10.5 m apart, more than its 10.1 m")
