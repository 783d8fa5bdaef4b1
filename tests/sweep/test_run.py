"""Sweeps that really run: the same bits whoever does them, and one bad case costs that case only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sweep_cases import FAULTY, mooring, write_sweep

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.io.netcdf import open_results
from ropewalk.sweep.expand import plan_of
from ropewalk.sweep.journal import JOURNAL, ROWS, Journal, journal_folder
from ropewalk.sweep.local import Crew
from ropewalk.sweep.run import InterruptedSweepError, make_plan, run_plan

OFFSETS = [-20.0, -10.0, 0.0, 10.0, 20.0]
SURGE = "bodies.platform.position.0"


def faulty_plan(titles, **options):
    return plan_of(
        mooring(), {("title", SURGE): [[title, k] for k, title in enumerate(titles)]}, do="static", **options
    )


def test_a_case_without_lines_has_its_row():
    body = {"mass": 1000.0, "inertia": [100, 100, 100], "position": [0, 0, 0],
            "hull": {"kind": "sphere", "radius": 1.0}}  # fmt: skip
    system = rw.System.model_validate({"environment": {"depth": 320.0}, "bodies": {"buoy": body}})
    result = rw.sweep(system, {"environment.depth": [320.0, 321.0]}, do="static", jobs=1)
    assert list(result["status"].values) == ["done", "done"]
    assert np.isfinite(result["body_position"].values).all()


def test_sweep_gives_what_statics_gives():
    """Every row is the equilibrium of its case, to the last bit."""
    result = rw.sweep(mooring(), {SURGE: OFFSETS}, do="static", jobs=1)
    assert list(result["position.0"].values) == OFFSETS
    for case, offset in enumerate(OFFSETS):
        platform = mooring().bodies["platform"].replace(position=(offset, 0.0, 0.0))
        rest = rw.statics(mooring().replace(bodies={"platform": platform}))
        for line in ("east", "west"):
            assert float(result.end_tension.sel(line=line, end="B")[case]) == rest.line(line)["end_b"]["tension"]

    # mirrored offsets give mirrored forces
    force = result.mooring_force.sel(body="platform", dof="surge").values
    # closed forms to round-off of 1e-12 times the tension of 1e6 N
    assert_allclose(force, -force[::-1], atol=1e-5)


def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    for jobs in (1, 3):
        run_plan(plan, output=tmp_path / f"{jobs}.nc", crew=Crew(jobs, FAULTY)).close()
    with open_results(tmp_path / "1.nc") as one, open_results(tmp_path / "3.nc") as three:
        assert one.identical(three)
    assert not journal_folder(tmp_path / "1.nc").exists()


def test_rows_of_cases_with_other_lines_are_put_by_name():
    """A case without a line has NaN for it."""
    plan = make_plan(mooring(), [{"broken": ["west", None]}], {"do": "static"})
    result = run_plan(plan, crew=Crew(1, FAULTY))
    tension = result.end_tension.sel(end="B")
    assert np.isnan(float(tension.sel(line="west")[0]))
    assert float(tension.sel(line="east")[0]) == float(tension.sel(line="east")[1])
    assert list(result.broken.values) == ["west", ""]


def test_bad_cases_cost_themselves_only():
    """A hang, a kill, an abort and one that takes 80 GB, among good ones, with one retry each."""
    titles = ["good", "hang", "kill", "good", "abort", "hog", "noise", "good"]
    plan = faulty_plan(titles, limits={"time": 4.0, "memory": 5e8})
    result = run_plan(plan, crew=Crew(2, FAULTY))
    assert list(result.status.values) == [
        "done", "time limit", "crashed", "done", "crashed", "memory limit", "done", "done",
    ]  # fmt: skip
    reasons = result.reason.values
    assert "raise limits.time" in reasons[1]
    assert "SIGKILL" in reasons[2]
    assert "SIGABRT" in reasons[4]
    assert "5e+08 bytes" in reasons[5]
    good = result.status.values == "done"
    assert np.isfinite(result.end_tension.values[good]).all()
    assert np.isnan(result.end_tension.values[~good]).all()


def test_short_cases_that_wait_in_a_worker_outlive_it():
    """A worker of short cases has the next one waiting; those behind a kill or a hang are done by the next worker."""
    titles = ["good"] * 30
    for case, title in ((3, "kill"), (4, "kill"), (11, "hang"), (20, "noise"), (29, "kill")):
        titles[case] = title
    result = run_plan(faulty_plan(titles, limits={"time": 2.0}), crew=Crew(1, FAULTY))
    bad = {3: "crashed", 4: "crashed", 11: "time limit", 29: "crashed"}
    assert list(result.status.values) == [bad.get(case, "done") for case in range(30)]
    alone = run_plan(faulty_plan(["good"] * 30), crew=Crew(3, FAULTY))
    good = result.status.values == "done"
    assert np.array_equal(result.end_tension.values[good], alone.end_tension.values[good])


def test_workers_started_early_end_with_a_bad_plan():
    """They start while cases are expanded; a plan that is refused leaves none behind."""
    with pytest.raises(InputError, match="unknown key"), Crew(2, FAULTY).start() as crew:
        started = [slot.pid for slot in crew.slots]
        make_plan(mooring(), {"environment.dpeth": [1.0]}, {})
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)


def test_lost_case_is_tried_once_more(tmp_path):
    plan = faulty_plan([f"once {tmp_path / 'mark'}", "good"])
    result = run_plan(plan, crew=Crew(1, FAULTY), output=tmp_path / "a.nc")
    assert list(result.status.values) == ["done", "done"]


def test_case_that_does_not_balance_is_a_row_with_its_reason():
    """A line shorter than the distance of its ends, which no strain can make up for."""
    system = mooring().replace(
        sections={
            "chain": {"drag": 0, "added_mass": 0, "diameter": 0.084, "mass": 140.0, "axial_stiffness": "inextensible"}
        }
    )
    vary = {"lines.east.pieces.0.length": [450.0, 300.0]}
    result = rw.sweep(system, vary, do="static", jobs=1)
    assert list(result.status.values) == ["done", "refused"]
    assert "300" in str(result.reason.values[1])


def test_resume_does_only_what_is_missing_and_gives_the_same_bits(tmp_path):
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    whole = run_plan(plan, output=tmp_path / "whole.nc", crew=Crew(1, FAULTY))
    out = tmp_path / "parts.nc"
    journal = Journal.create(out, plan.identity, len(plan))
    for outcome in _outcomes(plan):
        if outcome.case in (1, 3):
            journal.add(outcome)
    journal.close()
    seen = (journal_folder(out) / JOURNAL).read_bytes()
    assert seen.count(b"\n") == 2
    resumed = run_plan(plan, output=out, resume=True, crew=Crew(2, FAULTY))
    assert resumed.identical(whole)
    again = run_plan(plan, output=out, resume=True)
    assert again.identical(whole)
    for each in (whole, resumed, again):
        each.close()


def _outcomes(plan):
    from ropewalk.sweep.run import _jobs

    class Nothing:
        ended = ()

    with Crew(1, FAULTY) as crew:
        return list(crew.run(_jobs(plan, Nothing(), Path("x.nc"))))


@pytest.mark.parametrize("damage", ["line", "row", "torn", "missing row"])
def test_damage_costs_its_case_only(tmp_path, damage):
    """A flipped bit in a line or a row, a half-written line, a row that is gone: that case is done again."""
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    outcomes = _outcomes(plan)
    out = tmp_path / "a.nc"
    journal = Journal.create(out, plan.identity, len(plan))
    for outcome in outcomes:
        journal.add(outcome)
    journal.close()
    path = journal_folder(out)
    lines = (path / JOURNAL).read_bytes().splitlines(keepends=True)
    if damage == "line":
        lines[2] = lines[2].replace(b'"done"', b'"dome"')
        (path / JOURNAL).write_bytes(b"".join(lines))
    elif damage == "torn":
        (path / JOURNAL).write_bytes(b"".join(lines)[:-20])
    else:
        row = path / ROWS / "00000" / "00000002.bin"
        data = bytearray(row.read_bytes())
        data[len(data) // 2] ^= 1
        row.unlink() if damage == "missing row" else row.write_bytes(data)
    resumed = Journal.resume(out, plan.identity)
    missing = 4 if damage == "torn" else 2
    assert sorted(resumed.ended) == [k for k in range(5) if k != missing]
    assert resumed.trouble == 1
    resumed.close()
    whole = run_plan(plan, crew=Crew(1, FAULTY))
    with run_plan(plan, output=out, resume=True, crew=Crew(1, FAULTY)) as result:
        assert result.drop_attrs().identical(whole.drop_attrs())


def test_two_sweeps_in_one_folder(tmp_path):
    """The second is refused while the first holds the journal, also with --resume."""
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    held = Journal.create(tmp_path / "a.nc", plan.identity, len(plan))
    for resume in (False, True):
        with pytest.raises(InputError, match=rf"a.nc is in use by another sweep \(process {os.getpid()}\)"):
            run_plan(plan, output=tmp_path / "a.nc", resume=resume)
    held.close()
    with pytest.raises(InputError, match="continue it with --resume"):
        run_plan(plan, output=tmp_path / "a.nc")


def test_journal_of_another_sweep_is_refused(tmp_path):
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    Journal.create(tmp_path / "a.nc", "another", 5).close()
    with pytest.raises(InputError, match="another sweep"):
        run_plan(plan, output=tmp_path / "a.nc", resume=True)


def test_clock_set_back_changes_nothing(tmp_path, monkeypatch):
    """Only the monotonic clock decides about limits and syncs."""
    monkeypatch.setattr(time, "time", lambda: 0.0)
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static", "limits": {"time": 60.0}})
    result = run_plan(plan, crew=Crew(1, FAULTY))
    assert set(result.status.values) == {"done"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_sweep_goes_on_to_the_same_bits(tmp_path, number):
    """Ctrl-C, a batch system's notice and kill -9 in the middle."""
    vary = "  - {key: environment.depth, values: [100, 100.5, 101, 101.5, 102, 102.5]}\n"
    path = write_sweep(tmp_path, vary + "  - {key: title, values: [slow 0.3]}\n")
    script = tmp_path / "go.py"
    script.write_text(
        "import signal\nimport sys\nfrom pathlib import Path\nfrom ropewalk.sweep.local import Crew\n"
        "from ropewalk.sweep.run import make_plan, run_plan\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored where the tests run in the background
        f"try:\n    run_plan(make_plan(Path({str(path)!r}), None, {{}}), output={str(tmp_path / 'a.nc')!r},\n"
        f"             crew=Crew(1, {FAULTY!r}))\n"
        "except KeyboardInterrupt as stop:\n    sys.exit(str(stop))\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True)
    journal = journal_folder(tmp_path / "a.nc") / JOURNAL
    limit = time.monotonic() + 120.0
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < limit
        time.sleep(0.02)
    process.send_signal(number)
    told = process.communicate(timeout=60)[1]
    if number != signal.SIGKILL:
        assert "of 6 cases; the same command with --resume continues" in told
    kept = journal.read_bytes().count(b"\n")
    assert 2 <= kept < 6
    plan = make_plan(path, None, {})
    with run_plan(plan, output=tmp_path / "a.nc", resume=True, crew=Crew(1, FAULTY)) as result:
        whole = run_plan(plan, crew=Crew(1, FAULTY))
        assert result.drop_attrs().identical(whole.drop_attrs())


def test_interrupt_in_this_process_tells_how_to_go_on(tmp_path):
    def engine(work):
        yield from ()
        raise KeyboardInterrupt

    from ropewalk.sweep import run as module

    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    journal = Journal.create(tmp_path / "a.nc", plan.identity, len(plan))
    with pytest.raises(InterruptedSweepError, match="stopped after 0 of 5 cases; the same command with --resume"):
        module._do_all(plan, journal, tmp_path / "a.nc", lambda work: engine(work), False)
    journal.close()


def test_cases_that_ran_into_limits_are_tried_again_by_resume(tmp_path):
    """With a larger limit, which is no part of what the sweep is."""
    out = tmp_path / "a.nc"
    short = faulty_plan(["good", "slow 4"], limits={"time": 2.0})
    with run_plan(short, crew=Crew(1, FAULTY), output=out) as result:
        assert list(result.status.values) == ["done", "time limit"]
    long = faulty_plan(["good", "slow 4"], limits={"time": 60.0})
    with run_plan(long, crew=Crew(1, FAULTY), output=out, resume=True) as result:
        assert list(result.status.values) == ["done", "done"]
    assert not journal_folder(out).exists()


def test_whole_results_are_kept_on_request(tmp_path):
    rw.sweep(mooring(), {SURGE: [0.0, 5.0]}, do="static", jobs=1, keep="files", output=tmp_path / "a.nc").close()
    files = sorted((tmp_path / "a_cases").iterdir())
    assert [file.name for file in files] == ["case_0.nc", "case_1.nc"]
    with open_results(files[1]) as result:
        assert json.loads(result.attrs["system"])["bodies"]["platform"]["position"] == [5.0, 0.0, 0.0]


def test_workers_that_do_not_start_end_the_sweep():
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    with pytest.raises(InputError, match=r"workers do not start: .*exit code 1: .*no_such_module"):
        run_plan(plan, crew=Crew(1, (sys.executable, "-m", "no_such_module")))


def test_output_that_cannot_be_written_is_refused_before_anything_runs(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        rw.sweep(mooring(), {SURGE: OFFSETS}, do="static", output=tmp_path / "none" / "a.nc")


def test_full_disk_ends_the_sweep_and_resume_goes_on(tmp_path):
    """A limit of file size in place of a full disk; what ended before is kept."""
    script = tmp_path / "go.py"
    script.write_text(
        "import resource, sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from sweep_cases import FAULTY, mooring\nfrom ropewalk.sweep.local import Crew\n"
        "from ropewalk.errors import InputError, OutputError\nfrom ropewalk.sweep.run import make_plan, run_plan\n"
        f"plan = make_plan(mooring(), {{{SURGE!r}: {OFFSETS!r}}}, {{'do': 'static'}})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\n"
        f"try:\n    run_plan(plan, output={str(tmp_path / 'a.nc')!r}, crew=Crew(1, FAULTY))\n"
        "except (InputError, OutputError) as error:\n    sys.exit(str(error))\n"
    )
    done = subprocess.run([sys.executable, str(script)], stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert "a.nc.sweep cannot be written: " in done.stderr
    assert "all completed cases are safe, and --resume continues" in done.stderr
    plan = make_plan(mooring(), {SURGE: OFFSETS}, {"do": "static"})
    with run_plan(plan, output=tmp_path / "a.nc", resume=True, crew=Crew(1, FAULTY)) as result:
        assert result.drop_attrs().identical(run_plan(plan, crew=Crew(1, FAULTY)).drop_attrs())


def test_workers_end_with_a_killed_sweep(tmp_path):
    """A worker whose sweep is gone does not go on in secret."""
    script = tmp_path / "go.py"
    script.write_text(
        "import sys, time\nfrom ropewalk.sweep.slot import Slot\n"
        f"slot = Slot(command={FAULTY!r})\nslot.start()\nprint(slot.pid, flush=True)\ntime.sleep(600)\n"
    )
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    worker = int(process.stdout.readline())
    process.kill()
    process.communicate()
    limit = time.monotonic() + 60.0
    while time.monotonic() < limit and Path(f"/proc/{worker}").exists():
        if Path(f"/proc/{worker}/stat").read_text().split()[2] == "Z":
            break  # ended, and nobody has asked for its exit code
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{worker}").exists()
