"""The live page in a real browser: the hand moves the state, and nothing that it does ends the simulation."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.spec.system import System
from ropewalk.viewer.live.page import prepare
from ropewalk.viewer.live.server import LiveServer, running
from ropewalk.viewer.live.session import Session
from viewer.browsing import browser, colours, opened, picture, until
from viewer.live.test_engine import case

RUNNING = "window.ropewalk !== undefined && ropewalk.live.head !== null && ropewalk.live.head.time > 0"


@pytest.fixture(scope="module")
def chrome():
    with browser() as it:
        yield it


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    it = Session(case(), tmp_path_factory.mktemp("live"), "buoy")
    server = LiveServer(it)
    prepare(it, server)
    it.address = server.address
    with running(it, server):
        yield it


@pytest.fixture(scope="module")
def tab(chrome, session):
    with opened(chrome, session.address, ready=RUNNING) as it:
        yield it


def place(session, name):
    engine = session.engine
    return engine.state.point_position[engine.model.names.points.index(name)].copy()


def pixel(tab, name):
    return tab.evaluate("(name) => ropewalk.places().find((p) => p.name === name).at", name)


def settled(tab):
    """Back at the beginning."""
    tab.click("#live-reset")
    until(tab, "ropewalk.live.head.time < 5 && ropewalk.live.head.held === ''")


def test_it_runs_and_is_drawn(tab, session):
    assert colours(picture(tab)) > 300
    before = tab.evaluate("ropewalk.live.head.time")
    until(tab, f"ropewalk.live.head.time > {before} + 0.2")
    shown = np.array(tab.evaluate("Array.from(ropewalk.viewer.state.points)")).reshape(-1, 3)
    origin = np.array(tab.evaluate("ropewalk.scene.origin"))
    # at rest, so that the moments of page and engine need not be the same
    assert_allclose(shown + origin, session.engine.state.point_position, atol=1e-3)


def test_dragging_pulls_the_buoy_and_moves_the_pier(tab, session):
    for name in ("buoy", "pier"):
        settled(tab)
        before = place(session, name)
        x, y = pixel(tab, name)
        tab.mouse.move(x, y)
        tab.mouse.down()
        for k in range(1, 9):
            tab.mouse.move(x - 8 * k, y + 3 * k)
            tab.wait_for_timeout(30)
        until(tab, f"ropewalk.live.head.held === '{name}'")
        goal = np.array(tab.evaluate("ropewalk.viewer.hand")) + tab.evaluate("ropewalk.scene.origin")
        start = session.engine.time
        while session.engine.time < start + 2.0:
            tab.wait_for_timeout(50)
        now = place(session, name)
        tab.mouse.up()
        until(tab, "ropewalk.live.head.held === ''")
        assert np.linalg.norm(now - goal) < 0.7 * np.linalg.norm(before - goal)
        assert np.linalg.norm(now - before) > 0.5


def test_controls_reach_the_simulation(tab, session):
    settled(tab)
    tab.evaluate(
        """() => { for (const [id, value] of [['current-speed', 1], ['current-heading', 90]]) {
        const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('input')); } }"""
    )
    until(tab, "ropewalk.live.head.sea.current[0] > 0.3")
    tab.click("#play")
    until(tab, "ropewalk.live.head.paused")
    stopped = session.engine.time
    tab.wait_for_timeout(200)
    assert session.engine.time == stopped
    tab.click("#play")
    until(tab, "!ropewalk.live.head.paused")
    tab.select_option("#speed", "2")
    until(tab, "ropewalk.live.head.speed === 2")
    tab.select_option("#speed", "1")


def test_a_line_is_cut_where_it_was_clicked(tab, session):
    settled(tab)
    tab.evaluate("ropewalk.choosePart('line:0')")
    tab.click("#cut")
    until(tab, "ropewalk.live.head.cuts.leg !== undefined")
    assert session.engine.cuts["leg"] == pytest.approx(15.0, abs=5.1)  # the middle node of six elements on 30 m
    until(tab, "ropewalk.live.head.notes.some((note) => note[1].includes('cut'))")


def pester(tab, session, seconds, seed):
    """Random pointer events with cuts and other seas; the largest gap between pictures (s) and all that was seen."""
    rng = np.random.default_rng(seed)
    end, pictures, gap, last = time.monotonic() + seconds, 0, 0.0, time.monotonic()
    while time.monotonic() < end:
        name = str(rng.choice(["anchor", "buoy", "pier"]))
        x, y = pixel(tab, name)
        tab.mouse.move(x, y)
        tab.mouse.down()
        for _ in range(int(rng.integers(2, 12))):
            tab.mouse.move(float(rng.uniform(0, 1100)), float(rng.uniform(0, 700)))
        tab.mouse.up()
        do = rng.integers(8)
        if do == 0:
            tab.evaluate("(s) => ropewalk.live.send({do: 'cut', line: s[0], s: s[1]})",
                         [str(rng.choice(["leg", "stern"])), float(rng.uniform(0, 30))])  # fmt: skip
        elif do == 1:
            tab.evaluate("(v) => ropewalk.live.send({do: 'current', speed: v[0], heading: v[1]})",
                         [float(rng.uniform(0, 3)), float(rng.uniform(-180, 180))])  # fmt: skip
        elif do == 2:
            tab.evaluate("(v) => ropewalk.live.send({do: 'waves', kind: 'regular', height: v, period: 7})",
                         float(rng.uniform(0, 6)))  # fmt: skip
        elif do == 3:
            tab.evaluate("(v) => ropewalk.live.send({do: 'length', line: 'stern', length: v})",
                         float(rng.uniform(25, 40)))  # fmt: skip
        elif do == 4 and rng.random() < 0.3:
            tab.evaluate("ropewalk.live.send({do: 'reset'})")
        assert np.isfinite(session.engine.state.position).all()
        assert np.isfinite(session.engine.state.tension).all()
        shown = tab.evaluate("[ropewalk.live.pictures, ropewalk.viewer.state.position.every(Number.isFinite)]")
        assert shown[1]
        if shown[0] != pictures:
            pictures, last = shown[0], time.monotonic()
        gap = max(gap, time.monotonic() - last)
    return gap, pictures


def test_wild_dragging_ends_in_numbers(tab, session):
    settled(tab)
    pester(tab, session, 4.0, 1)
    shown = tab.evaluate("ropewalk.live.pictures")
    until(tab, f"ropewalk.live.pictures > {shown} + 2")  # they keep coming
    before = session.engine.time
    settled(tab)
    until(tab, "ropewalk.live.head.time > 0.1")
    assert np.isfinite(before)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
def test_a_minute_of_wild_dragging_never_freezes(tab, session, seed):
    settled(tab)
    gap, pictures = pester(tab, session, 60.0, seed)
    assert gap < 20.0  # s without a picture: a simulation that has stopped has none for the rest of the minute
    assert pictures > 60


def latency(chrome, folder):
    """From sending a command to the end of drawing the picture that answers it, ms, at 200 elements."""
    data = case().model_dump(by_alias=True, exclude_unset=True)
    for line in data["lines"].values():
        line["elements"] = 100
    session = Session(System.model_validate(data), folder, "fine")
    server = LiveServer(session)
    prepare(session, server)
    with running(session, server), opened(chrome, server.address, ready=RUNNING) as tab:
        x, y = pixel(tab, "buoy")
        tab.mouse.move(x, y)
        tab.mouse.down()
        for k in range(120):
            tab.mouse.move(x + 40 * np.sin(0.1 * k), y + 20 * np.cos(0.1 * k))
            tab.wait_for_timeout(30)
        tab.mouse.up()
        until(tab, "document.body.dataset.latency !== undefined")
        return float(tab.evaluate("document.body.dataset.latency"))


@pytest.mark.slow
def test_the_hand_is_seen_at_200_elements(chrome, tmp_path):
    assert 0.0 < latency(chrome, tmp_path) < np.inf  # `python -m benchmarks viewer` holds it to its bar
