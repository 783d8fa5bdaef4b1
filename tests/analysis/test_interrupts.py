"""SIGTERM: a run ends with its records and a checkpoint, and says how to go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
import xarray as xr
from swing import ResumableSwing, swing_system

from ropewalk.analysis.interrupts import termination
from ropewalk.analysis.run import simulate
from ropewalk.errors import InputError
from ropewalk.results import RunReader, part_folder

CHILD = textwrap.dedent(
    """
    import sys, time
    sys.path.insert(0, {tests!r})
    from swing import ResumableSwing, swing_system
    from ropewalk.analysis.run import simulate

    class Slow(ResumableSwing):
        def advance(self, model, work, t):
            time.sleep(0.02 if t > 3.0 else 0.0)
            return super().advance(model, work, t)

    try:
        simulate(swing_system(), solver=Slow(), output=sys.argv[1])
    except KeyboardInterrupt as stop:
        sys.exit(str(stop))
    """
)


def test_terminated_run_keeps_a_checkpoint_of_its_last_record(tmp_path):
    """So that going on repeats nothing and gives the same bits."""
    output = tmp_path / "a.nc"
    code = CHILD.format(tests=str(Path(__file__).parent))
    child = subprocess.Popen([sys.executable, "-c", code, str(output)], stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 120.0
    while time.monotonic() < limit:
        assert child.poll() is None, child.stderr.read()
        try:
            if RunReader(part_folder(output)).rows >= 40:
                break
        except InputError:
            pass
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    told = child.communicate(timeout=60)[1]
    assert "interrupted at t = " in told
    assert "--resume continues it" in told
    rows = RunReader(part_folder(output)).rows
    assert 40 <= rows < 101

    class Counting(ResumableSwing):
        advanced = 0

        def advance(self, model, work, t):
            type(self).advanced += 1
            return super().advance(model, work, t)

    with simulate(swing_system(), solver=Counting(), output=output, resume=True) as data:
        whole = simulate(swing_system(), solver=ResumableSwing())
        xr.testing.assert_identical(data.drop_attrs().load(), whole.drop_attrs())
    assert Counting.advanced == 101 - rows


def test_work_that_does_not_watch_is_interrupted_at_once():
    with pytest.raises(KeyboardInterrupt), termination():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5.0)


def test_work_that_watches_is_interrupted_by_the_second_notice():
    with pytest.raises(KeyboardInterrupt), termination() as notice:
        notice.is_watched = True
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
        assert notice.is_given
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(5.0)


def test_other_threads_leave_the_signal_alone():
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def work():
        with termination() as notice:
            seen.append((signal.getsignal(signal.SIGTERM), notice.is_given))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(before, False)]
