"""A session takes commands as text from anybody and keeps going; what it records is a result."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.viewer.live.engine import CHUNK
from ropewalk.viewer.live.session import Session
from viewer.live.test_engine import case


@pytest.fixture
def session(tmp_path):
    return Session(case(), tmp_path, "buoy")


@pytest.fixture(scope="module")
def pestered(tmp_path_factory):
    """One for all that is nonsense."""
    return Session(case(), tmp_path_factory.mktemp("live"), "buoy")


def decoded(frame):
    """Head and arrays of a picture, as the page reads them."""
    (length,) = struct.unpack_from("<I", frame)
    head, at, arrays = json.loads(frame[4 : 4 + length]), 4 + length, {}
    for name, shape in head["shapes"].items():
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(frame, "<f4", count, at).reshape(shape)
        at += 4 * count
    assert at == len(frame)
    return head, arrays


def go(session, seconds):
    session._carry_out()
    for _ in range(round(seconds / CHUNK)):
        session._simulate(CHUNK, np.inf)


def test_a_picture_holds_the_state(session):
    session.page_of(np.array([10.0, 0.0, 0.0]), 100.0)
    head, arrays = decoded(session.frame())
    state = session.engine.state
    # single precision: 6e-8 of 40 m
    assert_allclose(arrays["points"], state.point_position - [10.0, 0.0, 0.0], atol=4e-6)
    assert_allclose(arrays["position"], state.position - [10.0, 0.0, 0.0], atol=4e-6)
    assert_allclose(arrays["end_tension"], np.linalg.norm(state.end_force, axis=2), rtol=1e-6)
    assert head["time"] == 0.0
    assert head["surface"] is None
    assert "surface" not in decoded(session.frame())[0]


def test_commands_are_carried_out_and_counted(session):
    session.page_of(np.array([10.0, 0.0, 0.0]), 100.0)
    session.handle(json.dumps({"do": "grab", "kind": "point", "index": 2, "place": [18.0, 0.0, -5.0], "n": 5}))
    session.handle(json.dumps({"do": "current", "speed": 0.5, "heading": 45.0, "n": 6}))
    go(session, 2.0)
    head, _ = decoded(session.frame())
    assert head["seen"] == 6
    assert head["held"] == "pier"
    assert_allclose(session.engine.state.point_position[2], [28.0, 0.0, -5.0], atol=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "3", '"x"', "{}", '{"do": 3}', '{"do": "nothing"}', '{"do": "grab"}', b"\xff\xfe",
        '{"do": "grab", "kind": "point", "index": true, "place": [0, 0, 0]}',
        '{"do": "grab", "kind": "point", "index": 1e9, "place": [0, 0, 0]}',
        '{"do": "grab", "kind": "point", "index": -1, "place": [0, 0, 0]}',
        '{"do": "move", "place": [1, 2]}', '{"do": "move", "place": [NaN, 0, 0]}', '{"do": "move", "place": "abc"}',
        '{"do": "move", "place": [1e400, 0, 0]}', '{"do": "move", "place": [{}, [], null]}',
        '{"do": "current", "speed": -1}', '{"do": "current", "speed": "fast"}', '{"do": "current"}',
        '{"do": "current", "speed": 1, "heading": 1e999}', '{"do": "wind", "speed": 1, "extra": 2}',
        '{"do": "waves", "kind": "tsunami"}', '{"do": "waves", "kind": "regular", "height": 1e9}',
        '{"do": "length", "line": "leg"}', '{"do": "length", "line": ["leg"], "length": 31}',
        '{"do": "cut", "line": "leg"}', '{"do": "cut", "line": "no", "s": 3}', '{"do": "cut", "line": "leg", "s": -3}',
        '{"do": "speed", "value": "x"}', '{"do": "speed", "value": null}', '{"do": "__init__"}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_nonsense_does_no_harm(pestered, text):
    before = pestered.engine.time
    pestered.handle(text)
    go(pestered, 0.05)
    assert pestered.engine.time > before
    assert pestered.engine.failures == 0
    assert pestered.engine.changes.is_idle
    decoded(pestered.frame())


def test_speeds_are_limited(session):
    for given, kept in ((1e9, 50.0), (0.0, 0.05), (2.0, 2.0)):
        session.handle(json.dumps({"do": "speed", "value": given}))
        session._carry_out()
        assert session.speed == kept


def test_a_recording_is_a_result_that_report_and_plot_read(session, tmp_path):
    session.handle('{"do": "record", "on": true}')
    session.handle('{"do": "grab", "kind": "point", "index": 2, "place": [28, 0, -5]}')
    go(session, 1.0)
    session.handle('{"do": "cut", "line": "leg", "s": 15}')
    session.handle('{"do": "length", "line": "stern", "length": 33.3}')
    go(session, 1.0)
    session.handle('{"do": "record", "on": false}')
    go(session, 0.0)
    path = tmp_path / "buoy-live.nc"
    assert session.recorded == [f"{path}: 21 records"]
    with rw.load(path) as run:
        assert_allclose(run.time.values, np.arange(21) * 0.1, atol=CHUNK)
        assert_allclose(run.point_position.sel(point="pier").values[-1], [28.0, 0.0, -5.0], atol=0.05)
        assert "line 'leg' was cut at s = 15 m" in run.attrs["parted"]
        assert "cut at s = 15 m" in run.attrs["live"]
        assert json.loads(run.attrs["audit"]) == {"steps": 120}
        assert "doubts" in run.attrs
    from ropewalk.post.overview import overview

    with rw.load(path) as run:
        assert set(overview(run)["lines"]) == {"leg", "stern"}


def test_recordings_never_overwrite_each_other(session, tmp_path):
    for _ in range(2):
        session.handle('{"do": "record", "on": true}')
        go(session, 0.2)
        session.handle('{"do": "record", "on": false}')
        go(session, 0.0)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["buoy-live-2.nc", "buoy-live.nc"]


def test_a_reset_ends_the_recording(session, tmp_path):
    session.handle('{"do": "record", "on": true}')
    go(session, 0.3)
    session.handle('{"do": "reset"}')
    go(session, 0.0)
    assert len(session.recorded) == 1
    assert session.engine.time == 0.0


def test_doubts_are_in_pictures_and_recordings(tmp_path):
    """Of the equilibrium at the beginning; the steps recorded since are audited."""
    system = case()
    section = next(iter(system.sections))
    system = system.replace(f"sections.{section}.breaking_load", 1.0)
    session = Session(system, tmp_path, "buoy")
    assert "breaking-load" in [code for code, _ in decoded(session.frame())[0]["doubts"]]
    session.handle('{"do": "record", "on": true}')
    go(session, 0.3)
    session.handle('{"do": "record", "on": false}')
    go(session, 0.0)
    with rw.load(tmp_path / "buoy-live.nc") as dataset:
        assert "breaking-load" in [doubt.code for doubt in dataset.rw.doubts]
        assert json.loads(dataset.attrs["audit"])["steps"] > 0
