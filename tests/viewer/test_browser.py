"""The viewer in a real browser: what is drawn, played, scrubbed and picked is what the file holds."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.doubts import Doubt
from ropewalk.spec.system import System
from ropewalk.viewer.build import from_dataset
from ropewalk.viewer.page import page, page_policy
from ropewalk.viewer.server import PageServer
from viewer.browsing import browser, colours, opened, picture, served, until

HOSTILE = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'
ESCAPES = "\x1b[31m"
CASE = {
    "ropewalk": 1,
    "title": HOSTILE,
    "environment": {
        "depth": 40, "current": {"speed": 0.5, "heading": 30},
        "waves": {"kind": "regular", "height": 2, "period": 6, "ramp": 0},
    },
    "sections": {
        "chain": {"diameter": 0.05, "mass": 50, "axial_stiffness": 1e8, "drag": {"normal": 1.2}, "breaking_load": 1e6}
    },
    "points": {
        "west": {"position": [-80, 0, -40]}, "east": {"position": [80, 0, -40]}, "north": {"position": [0, 80, -40]},
    },
    "bodies": {
        "buoy": {
            "mass": 8000, "inertia": [9000, 9000, 9000], "position": [0, 0, -0.5],
            "hull": {"kind": "axisymmetric", "profile": [[-2, 1.5], [2, 1.5]]},
            "attachments": {"w": [-1.5, 0, -1], "e": [1.5, 0, -1], "n": [0, 1.5, -1]},
        }
    },
    "lines": {
        name: {
            "from": name, "to": f"buoy.{name[0]}", "pieces": [{"section": "chain", "length": 95, "elements": 12}],
            "attachments": [{"s": 70, "mass": 20, "volume": 0.2}] if name == "north" else [],
        }
        for name in ("west", "east", "north")
    },
    "record": {"every": 0.25},
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run, as a file."""
    path = tmp_path_factory.mktemp("run") / "run.nc"
    rw.simulate(System.model_validate(CASE), 3.0, output=path, progress=False).close()
    with rw.load(path) as dataset:
        yield dataset


@pytest.fixture(scope="module")
def chrome():
    with browser() as it:
        yield it


@pytest.fixture(scope="module")
def address(run):
    scene = replace(from_dataset(run), title=HOSTILE + ESCAPES)
    with PageServer(page(scene), page_policy()) as server, served(server) as it:
        yield it


@pytest.fixture(scope="module")
def tab(chrome, address):
    """One page for all that only look at it."""
    with opened(chrome, address) as it:
        yield it


def state(tab, name):
    """An array of what is shown, in metres of the world."""
    return np.array(tab.evaluate(f"Array.from(ropewalk.viewer.state.{name})")).reshape(-1, 3) + np.array(
        tab.evaluate("ropewalk.scene.origin")
    )


def fact(tab, label):
    """Text of a fact of the picked part."""
    facts = tab.evaluate(
        "[...document.querySelectorAll('#picked-facts dt')].map((d) => [d.textContent, d.nextSibling.textContent])"
    )
    return dict(facts)[label]


def newtons(text):
    number, unit = text.split()
    return float(number) * {"N": 1.0, "kN": 1e3, "MN": 1e6}[unit]


def test_the_scene_is_drawn_and_all_of_it_is_in_the_window(tab, run):
    assert colours(picture(tab)) > 500  # a blank page has the background's gradient: fewer than 100
    places = tab.evaluate(
        """() => { const v = ropewalk.viewer, p = v.state.position, out = [];
        for (let i = 0; i < p.length; i += 3) out.push(v.camera.project([p[i], p[i + 1], p[i + 2]]).slice(0, 2));
        return [out, ropewalk.free]; }"""
    )
    x, y = np.array(places[0]).T
    left, top, right, bottom = places[1]
    assert x.size == run.sizes["node"]
    assert ((left <= x) & (x <= right) & (top <= y) & (y <= bottom)).all()


def test_names_from_the_file_are_text(tab):
    assert tab.evaluate("document.getElementById('title').textContent") == HOSTILE + ESCAPES
    assert tab.evaluate("window.harmed") is None


def test_doubts_are_named_and_their_sentences_are_a_click_away(chrome, run):
    """As text: their names at once, their sentences too where they are few."""
    doubts = [Doubt(f"code-{k}", "", 1.0, 0.5, f"sentence {k} {HOSTILE}") for k in range(4)]
    for shown in (doubts, doubts[:1], []):
        scene = replace(from_dataset(run), doubts=tuple(shown))
        with PageServer(page(scene), page_policy()) as server, served(server) as at, opened(chrome, at) as tab:
            box = tab.locator("#doubted")
            assert box.is_visible() == bool(shown)
            if len(shown) == 4:
                assert box.inner_text() == "4 doubts: code-0, code-1, code-2, code-3"
                tab.click("#doubted summary")
            for doubt in shown:
                assert f"{doubt.code}: {doubt.sentence}" in box.inner_text()
            assert not tab.evaluate("window.harmed")


def test_scrubbing_lands_on_the_record(tab, run):
    for k in (0, 5, run.sizes["time"] - 1):
        t = float(run.time[k])
        tab.evaluate(
            "(t) => { const s = document.querySelector('#time'); s.value = t; s.dispatchEvent(new Event('input')); }",
            t,
        )
        # single precision about an origin within 100 m: 4e-6 m; the slider keeps the time to the last digit
        assert_allclose(state(tab, "position"), run.position[k].values, atol=2e-5)
        assert_allclose(state(tab, "bodyPosition"), run.body_position[k].values, atol=2e-5)


def test_playing_moves_it(tab):
    tab.evaluate("ropewalk.seek(0)")
    before = picture(tab)
    tab.click("#play")
    until(tab, "ropewalk.viewer.time > 0.5")
    tab.click("#play")
    until(tab, "!ropewalk.playing")
    assert (np.abs(picture(tab) - before).max(axis=2) > 30).mean() > 1e-3


def test_a_picked_line_shows_its_numbers(tab, run):
    tab.evaluate("ropewalk.seek(1.25)")
    node = int(np.flatnonzero(run.node_line.values == "east")[5])
    x, y = tab.evaluate(
        "(i) => { const v = ropewalk.viewer, p = v.state.position;"
        " return v.camera.project([p[3 * i], p[3 * i + 1], p[3 * i + 2]]).slice(0, 2); }",
        node,
    )
    tab.mouse.click(x, y)
    tab.wait_for_selector("#picked:not([hidden])")
    assert tab.inner_text("#picked-name") == "east"
    until(tab, "document.querySelectorAll('#picked-facts dt').length > 6")
    at = run.isel(time=5)
    # four digits are shown
    assert newtons(fact(tab, "tension here")) == pytest.approx(float(at.tension[node]), rel=6e-4)
    assert newtons(fact(tab, "at end B")) == pytest.approx(float(at.end_tension.sel(line="east", end="B")), rel=6e-4)
    assert float(fact(tab, "at s").split()[0]) == pytest.approx(float(run.s[node]), rel=6e-4)
    told = [float(value) for value in fact(tab, "position (m)").split(", ")]
    assert_allclose(told, at.position[node].values, atol=6e-4)


def test_lines_are_coloured_by_what_is_chosen(tab, run):
    options = tab.evaluate("[...document.querySelectorAll('#colour option')].map((o) => o.value)")
    assert options == ["tension", "utilisation", "speed", "curvature"]
    legends = {"utilisation": "utilisation", "speed": "speed (m/s)", "curvature": "curvature (1/m)"}
    for name, legend in legends.items():
        tab.select_option("#colour", name)
        assert tab.inner_text("#legend-title") == legend
    tab.select_option("#colour", "utilisation")
    ticks = tab.inner_text("#legend-ticks").split()
    # of the 13 records at most 40 are looked at, so all; three digits are shown
    assert float(ticks[-1]) == pytest.approx(float(run.tension.max()) / 1e6, rel=6e-3)


def test_marks_stand_where_lines_leave_the_bed_and_floats_hang(tab, run):
    places = np.array(tab.evaluate("ropewalk.viewer.touchdowns()"))
    assert places.shape == (3, 3)
    assert_allclose(places[:, 2], -40.0, atol=0.5)
    assert tab.evaluate("ropewalk.scene.attachments.map((a) => [a.label, a.kind, a.s])") == [
        ["float 20 kg", "float", 70]
    ]


def test_on_a_phone_nothing_hangs_over_the_edge(chrome, address):
    with opened(chrome, address, 390, 780) as tab:
        boxes = tab.evaluate(
            """['panel', 'timebar', 'legend', 'head'].map((id) => { const b = document.getElementById(id)
            .getBoundingClientRect(); return [id, b.left, b.right, b.top, b.bottom]; })"""
        )
        for name, left, right, top, bottom in boxes:
            assert left >= 0 and right <= 390 and top >= 0 and bottom <= 780, name
        assert colours(picture(tab)) > 300


def test_long_results_come_in_pieces(chrome, run):
    from ropewalk.viewer import stream as streaming

    stream = streaming.Stream(run)
    stream.chunk = 4
    stream.scene.stream["chunk"] = 4
    text, policy = page(stream.scene, "'self'"), page_policy(stream.scene, "'self'")
    with PageServer(text, policy, source=stream.answer) as server, served(server) as at, opened(chrome, at) as tab:
        assert tab.evaluate("ropewalk.viewer.variant.time.length") == run.sizes["time"]
        for k in (11, 2):
            tab.evaluate("(t) => ropewalk.seek(t)", float(run.time[k]))
            until(tab, "ropewalk.viewer.variant.frames.position.isHere(ropewalk.viewer.time)")
            assert_allclose(state(tab, "position"), run.position[k].values, atol=2e-5)
        tab.evaluate("ropewalk.choosePart('line:1')")
        until(tab, "ropewalk.plot.time && ropewalk.plot.time.length > 0")
        assert tab.evaluate("ropewalk.plot.time.length") == run.sizes["time"]
        names = [url.rpartition(server.path)[2] for url in tab.requests if url.startswith(at)]
        assert "chunk/0" in names and "chunk/2" in names


def test_a_report_and_a_card_show_names_as_text_and_fetch_nothing(chrome, run, tmp_path):
    from ropewalk.report.page import report_page

    made = {"report": report_page(run), "card": run.rw._repr_html_()}
    for name, text in made.items():
        path = tmp_path / f"{name}.html"
        path.write_text(
            re.sub("^(?!<!DOCTYPE)", "<!DOCTYPE html><meta charset=utf-8>", text, count=1), encoding="utf-8"
        )
        with opened(chrome, path.as_uri(), ready="document.readyState === 'complete'") as tab:
            assert tab.evaluate("window.harmed") is None
            assert "window.harmed" in tab.evaluate("document.body.innerText")
            assert colours(picture(tab)) > 50
