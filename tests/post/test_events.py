"""Events of lines and of bodies on the bed, on records written by hand; and where they are kept."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest
import xarray as xr
import yaml

from ropewalk.cli.main import main
from ropewalk.io.netcdf import open_results
from ropewalk.post.events import events, find_events, to_text
from ropewalk.spec.system import System

TIME = np.arange(0.0, 20.0, 0.5)


def records(tension: np.ndarray, grounded: np.ndarray, height: np.ndarray) -> xr.Dataset:
    """A sphere of 1 m radius at the given heights over the bed (m) on a line of two nodes."""
    system = System.model_validate({
        "environment": {"depth": 30},
        "sections": {"rope": {"diameter": 0.05, "mass": 2.0, "axial_stiffness": 1e6}},
        "points": {"anchor": {"position": [0, 0, -30]}},
        "bodies": {"ball": {"mass": 500, "inertia": [100, 100, 50], "hull": {"kind": "sphere", "radius": 1.0},
                            "position": [0, 0, -1], "attachments": {"eye": [0, 0, 0]}}},
        "lines": {"tether": {"from": "anchor", "to": "ball.eye", "pieces": [{"section": "rope", "length": 31}]}},
    })  # fmt: skip
    n = TIME.size
    position = np.zeros((n, 1, 3))
    position[:, 0, 2] = height - 30.0
    return xr.Dataset(
        {
            "body_position": (("time", "body", "axis"), position),
            "body_quaternion": (("time", "body", "quaternion"), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1, 1))),
            "tension": (("time", "node"), np.stack([tension, tension], axis=1)),
            "grounded": (("time", "line"), grounded[:, None]),
        },
        coords={"time": TIME, "node_line": ("node", ["tether"] * 2), "line": ["tether"]},
        attrs={"system": system.model_dump_json(by_alias=True, exclude_unset=True)},
    )


def test_slack_then_a_jerk_is_a_snap():
    """Slack at 5 s, 50 kN against 1 kN in the mean one record later; a high pull long after slack is none."""
    tension = np.full(TIME.size, 1e3)
    tension[10], tension[11], tension[30] = -1.0, 5e4, 4e4
    found = find_events(records(tension, np.zeros(TIME.size), np.full(TIME.size, 29.5)))
    assert [(event.time, event.kind) for event in found] == [(5.0, "slack"), (5.5, "snap")]
    assert "up to 5e+04 N" in found[1].text


def test_touchdown_of_a_line_and_of_a_body_are_told():
    """The line at 3 s, the sphere when its centre is lower than 1 m over the bed; and it has sunk."""
    grounded = np.where(TIME >= 3.0, 2.0, 0.0)
    found = find_events(records(np.full(TIME.size, 1e3), grounded, 25.0 - 2.0 * TIME + 0.02))
    assert [(e.time, e.part, e.kind) for e in found] == [
        (0.0, "ball", "sunk"), (3.0, "tether", "touchdown"), (12.5, "ball", "touchdown")]  # fmt: skip


def test_events_kept_in_the_file_are_read_back():
    dataset = records(np.full(TIME.size, 1e3), np.zeros(TIME.size), 25.0 - 2.0 * TIME)
    found = find_events(dataset)
    assert found
    kept = dataset.drop_vars("tension").assign_attrs(events=to_text(found))
    assert events(kept) == found


def test_a_body_that_stays_at_its_depth_has_not_sunk():
    """A towfish is under water all the time, and means to be."""
    found = find_events(records(np.full(TIME.size, 1e3), np.zeros(TIME.size), np.full(TIME.size, 20.0)))
    assert [event.kind for event in found] == []


def test_run_prints_its_events_and_keeps_them(tmp_path, monkeypatch, capsys):
    """A ball heavier than water sinks in the first seconds: in the table, in --json, in the file."""
    case = {
        "ropewalk": 1,
        "environment": {"depth": 12.0},
        "bodies": {"ball": {"mass": 9000.0, "inertia": [2000.0] * 3, "position": [0, 0, -2.0],
                            "hull": {"kind": "sphere", "radius": 1.0, "drag": 0.5}}},
        "record": {"every": 0.5},
        "run": {"duration": 15.0, "start": "as_given"},
    }  # fmt: skip
    (tmp_path / "ball.yaml").write_text(yaml.safe_dump(case))

    def run(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["ropewalk", "run", str(tmp_path / "ball.yaml"), *options])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code in (0, None)
        return capsys.readouterr().out

    printed = run()
    assert "touchdown" in printed
    assert "sunk" in printed
    assert re.search(r"energy: \S+ J exchanged, numerical (dissipation|gain) \S+ J \(\S+\), ledger closes to ", printed)
    told = json.loads(run("--json"))
    assert [event["kind"] for event in told["events"]] == ["sunk", "touchdown"]
    assert told["energy"].keys() == {"turned_over", "missed", "share", "numerics", "numerics_share", "impact"}
    assert told["energy"]["share"] < told["energy"]["numerics_share"] < 1e-2
    with open_results(tmp_path / "ball.nc") as dataset:
        assert [event.kind for event in events(dataset)] == ["sunk", "touchdown"]
        assert "events" in dataset.attrs
