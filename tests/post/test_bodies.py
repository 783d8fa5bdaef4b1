"""Histories and events of bodies, on records written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.model.model import build
from ropewalk.post.bodies import Kept, air_gaps, buoy_histories, events_of_bodies, system_of
from ropewalk.post.overview import overview
from ropewalk.spec.system import System

TIME = np.arange(0.0, 40.0, 1.0)


def records(heights: Any, rolls: Any, tension: float = 500.0) -> xr.Dataset:
    """A cylinder from z = 0 to 2 m, radius 0.5 m, at the given heights (m) and rolls (degrees), on one line."""
    hull = {"kind": "axisymmetric", "profile": [[0, 0.5], [2, 0.5]]}
    system = System.model_validate({
        "environment": {"depth": 30},
        "sections": {"rope": {"diameter": 0.05, "mass": 2.0, "axial_stiffness": 1e6, "breaking_load": 1000.0}},
        "points": {"anchor": {"position": [0, 0, -30]}},
        "bodies": {"buoy": {"mass": 500, "inertia": [100, 100, 50], "centre_of_mass": [0, 0, 0.4], "hull": hull,
                            "position": [0, 0, -1], "attachments": {"eye": [0, 0, 0]}}},
        "lines": {"tether": {"from": "anchor", "to": "buoy.eye", "pieces": [{"section": "rope", "length": 31}]}},
    })  # fmt: skip
    n = TIME.size
    half = 0.5 * np.radians(np.broadcast_to(rolls, n))
    position = np.zeros((n, 1, 3))
    position[:, 0, 2] = heights
    position[:, 0, 0] = 0.1 * TIME
    quaternion = np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)[:, None]
    return xr.Dataset(
        {
            "body_position": (("time", "body", "axis"), position),
            "body_quaternion": (("time", "body", "quaternion"), quaternion),
            "end_tension": (("time", "line", "end"), np.full((n, 1, 2), tension)),
            "tension": (("time", "node"), np.full((n, 2), tension)),
        },
        coords={
            "time": TIME,
            "end": ["A", "B"],
            "line": ["tether"],
            "node_line": ("node", ["tether"] * 2),
        },
        attrs={"system": system.model_dump_json(by_alias=True, exclude_unset=True)},
    )


def test_histories_are_those_of_the_geometry():
    """Heeled by 30 degrees: the rim's low point at 2 cos - 0.5 sin above the keel."""
    history = buoy_histories(records(-1.0, 30.0), "buoy")
    c, s = np.cos(np.radians(30.0)), np.sin(np.radians(30.0))
    assert_allclose(history["cone"], 30.0, rtol=1e-12)
    assert_allclose(history["freeboard"], -1.0 + 2.0 * c - 0.5 * s, rtol=1e-12)
    assert_allclose(history["centre"][0], [0.0, -0.4 * s, -1.0 + 0.4 * c], atol=1e-12)
    assert_allclose(history["offset"], 0.1 * TIME, atol=1e-12)
    assert_allclose(history["tension"], 500.0)


def test_air_gap_of_a_place_on_a_body():
    """The eye is at the keel, which keeps its height as the buoy heels about it."""
    assert_allclose(air_gaps(records(-1.0, 30.0), "buoy")["eye"], -1.0, rtol=1e-12)


def test_run_tells_the_range_of_what_bodies_do():
    """The buoy drifts to 3.9 m at a steady heel."""
    told = overview(records(-1.0, 30.0))["bodies"]["buoy"]
    steps = np.sqrt((40.0**2 - 1.0) / 12.0)  # standard deviation of 0 to 39
    line = {"min": 0.0, "mean": 1.95, "max": 3.9, "std": 0.1 * steps, "time_of_min": 0.0, "time_of_max": 39.0}
    assert told["offset"] == pytest.approx(line)
    assert [told["cone_angle"][word] for word in ("min", "mean", "max")] == pytest.approx([30.0] * 3)
    assert told["freeboard"]["min"] == pytest.approx(-1.0 + np.sqrt(3.0) - 0.25)


def test_unknown_body_is_named():
    with pytest.raises(InputError, match=r"no body 'bouy'\. Available: buoy"):
        buoy_histories(records(-1.0, 0.0), "bouy")


def body_events(results):
    system = system_of(results)
    return sorted(events_of_bodies(Kept(results), system, build(system)))


def test_quiet_run_has_no_events():
    assert body_events(records(-1.0, 20.0)) == []


@pytest.mark.parametrize(
    ("heights", "rolls", "tension", "kind", "time"),
    [
        (0.0, np.where(TIME < 7, 80.0, 100.0), 500.0, "capsized", 7.0),
        (np.where(TIME < 12, -1.0, -2.1), 0.0, 500.0, "sunk", 12.0),
        (np.where(TIME == 9, 0.1, -1.0), 0.0, 500.0, "dry", 9.0),
        (-1.0, 0.0, 1001.0, "overload", 0.0),
    ],
)
def test_events_are_found_where_they_begin(heights, rolls, tension, kind, time):
    events = body_events(records(heights, rolls, tension))
    assert [(event.kind, event.time) for event in events] == [(kind, time)]
    assert f"from t = {time:g} s" in events[0].text


def test_washed_over_is_not_sunk():
    """Under water for five seconds only."""
    assert body_events(records(np.where((TIME > 10) & (TIME < 16), -2.5, -1.0), 0.0)) == []
