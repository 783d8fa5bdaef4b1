"""The same sweep on a Dask cluster: same bits, and a Dask worker that dies takes nothing with it."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from sweep_cases import FAULTY, mooring

from ropewalk.errors import InputError
from ropewalk.sweep.journal import JOURNAL, journal_folder
from ropewalk.sweep.local import Crew
from ropewalk.sweep.run import make_plan, run_plan

distributed = pytest.importorskip("distributed")
SURGE = "bodies.platform.position.0"


@pytest.fixture(scope="module")
def cluster():
    """Two Dask workers on loopback, without a dashboard."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
        worker_dashboard_address=None, silence_logs=50,
    ) as cluster:  # fmt: skip
        yield cluster


def plan_of_titles(titles, **options):
    return make_plan(mooring(), {("title", SURGE): [[t, k] for k, t in enumerate(titles)]}, {"do": "static", **options})


def test_cluster_gives_the_same_bits(cluster):
    """And isolates bad cases as one machine does."""
    plan = plan_of_titles(["good", "kill", "good", "hang", "good"], limits={"time": 4.0})
    there = run_plan(plan, scheduler=cluster.scheduler_address, crew=Crew(None, FAULTY))
    here = run_plan(plan, crew=Crew(1, FAULTY))
    assert list(there.status.values) == ["done", "crashed", "done", "time limit", "done"]
    assert there.identical(here)


def test_killed_dask_worker_loses_nothing(cluster, tmp_path):
    """Its cases are done again by the other, and the result is the same."""
    plan = plan_of_titles(["slow 0.3"] * 8)
    out = tmp_path / "a.nc"
    victim = next(iter(cluster.workers.values())).pid

    def kill():
        journal = journal_folder(out) / JOURNAL
        limit = time.monotonic() + 60.0
        while time.monotonic() < limit and not (journal.exists() and journal.read_bytes().count(b"\n") >= 2):
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    result = run_plan(plan, scheduler=cluster.scheduler_address, crew=Crew(None, FAULTY), output=out)
    killer.join()
    assert list(result.status.values) == ["done"] * 8
    assert result.load().drop_attrs().identical(run_plan(plan, crew=Crew(2, FAULTY)).drop_attrs())
    result.close()


@pytest.mark.parametrize(
    ("address", "words"),
    [("localhost:1", "give its address as tcp://"), ("tcp://127.0.0.1:9", "cannot be reached")],
)
def test_scheduler_that_is_none_is_told(address, words, monkeypatch):
    monkeypatch.setattr("ropewalk.sweep.dask.CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match=words):
        run_plan(plan_of_titles(["good"]), scheduler=address, crew=Crew(None, FAULTY))
