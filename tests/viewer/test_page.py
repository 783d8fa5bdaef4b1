"""The page: one file, data that stays data, a program that asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from ropewalk.spec.system import System
from ropewalk.viewer.build import from_system
from ropewalk.viewer.page import PROGRAM, embedded, page, page_policy
from ropewalk.viewer.scene import Scene

HOSTILE = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&@PROGRAM@"
CASE = {
    "title": HOSTILE,
    "environment": {"depth": 100.0},
    "sections": {"chain": {"diameter": 0.05, "mass": 60.0, "axial_stiffness": 2.0e8}},
    "points": {"anchor": {"position": (0.0, 0.0, -100.0)}, "top": {"position": (200.0, 0.0, 0.0)}},
    "lines": {"mooring": {"from": "anchor", "to": "top", "pieces": [{"section": "chain", "length": 250.0}]}},
}


@pytest.fixture(scope="module")
def scene() -> Scene:
    return from_system(System.model_validate(CASE))


@pytest.fixture(scope="module")
def html(scene) -> str:
    return page(scene)


def element(html: str, opening: str) -> str:
    """Text of the one element that starts so."""
    assert html.count(opening) == 1
    tag = re.match(r"<(\w+)", opening)
    assert tag is not None
    return html.split(opening)[1].split(f"</{tag[1]}>")[0]


def test_a_hostile_title_stays_text(html):
    """It is in the data block, read back as it was, and nowhere else; the page has its own two script elements only."""
    data = json.loads(element(html, '<script type="application/json" id="data">'))
    assert data["title"] == HOSTILE
    assert len(re.findall("<script", html)) == 2
    assert "<img" not in html
    assert html.count("alert(1)") == 1


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "\u2028", 'a"b\\c', "<SCRIPT"])
def test_embedded_json_cannot_end_its_block(text):
    told = embedded({"name": text})
    assert "<" not in told and ">" not in told
    assert told.isascii()
    assert json.loads(told) == {"name": text}


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded({"x": float("nan")})


def test_only_this_program_and_this_style_may_run(html):
    """The policy of the page names both by their hashes, and nothing else can be loaded from anywhere."""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    for kind, opening in (("script-src", "<script>"), ("style-src", "<style>")):
        digest = hashlib.sha256(element(html, opening).encode()).digest()
        assert rules[kind] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1] and "*" not in policy[1]
    assert policy[1] in page_policy()


def test_the_page_asks_for_nothing(html):
    """No address, no loading element, no attribute that runs code."""
    program, style = element(html, "<script>"), element(html, "<style>")
    assert not re.search(r"https?:|url\(|@import", style)
    assert not re.search(r"https?://", program)
    frame = html.replace(program, "").replace(style, "")
    frame = frame.replace(element(html, '<script type="application/json" id="data">'), "")
    assert not re.search(r"\ssrc=|https?:|\son\w+=|\sstyle=|<iframe|<object|<embed|javascript:", frame)
    assert re.findall(r'href="([^"]*)"', frame) == ["data:,"]


FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttp",
    "WebSocket", "import(", "sendBeacon", "localStorage", "cookie", 'setTimeout("', 'setAttribute("style', "srcdoc",
)  # fmt: skip


@pytest.mark.parametrize("word", FORBIDDEN)
def test_the_program_makes_no_markup_and_no_requests(word):
    for name in PROGRAM:
        text = files("ropewalk.viewer").joinpath("static", name).read_text(encoding="utf-8")
        assert word not in text, name


def test_the_page_finds_every_element_it_names(html):
    """An id in the program that the page lacks would stop it."""
    program = element(html, "<script>")
    named = set(re.findall(r'byId\("([\w-]+)"\)', program))
    named |= {f"view-{name}" for name in ("home", "side", "end", "top")}
    named |= {f"show-{name}" for name in ("labels", "axes", "water", "bed", "arrows")}
    assert len(named) > 30
    assert {name for name in named if f'id="{name}"' not in html} == set()


def test_same_scene_same_page(scene, html):
    assert page(scene) == html


node = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")


def run_node(html: str, folder: Path, script: str) -> str:
    """What a script prints that runs after the program, without a page."""
    program = element(html, "<script>").replace("\nmain();\n", f"\n{script}\n")
    (folder / "run.js").write_text(program, encoding="utf-8")
    (folder / "data.json").write_text(element(html, '<script type="application/json" id="data">'), encoding="utf-8")
    done = subprocess.run(["node", "run.js"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


@pytest.mark.slow
@node
def test_the_program_reads_back_what_python_packed(html, scene, tmp_path):
    script = """
      const scene = readScene(require("fs").readFileSync("data.json", "utf8"));
      const state = stateAt(scene.variants[0], 0), segments = lineSegments(scene, state);
      const first = Array.from(segments.slice(0, 4));
      console.log(JSON.stringify({ title: scene.title, first, n: segments.length / 8 }));
    """
    told = json.loads(run_node(html, tmp_path, script))
    frames = scene.variants[0].frames
    assert told["title"] == HOSTILE
    assert told["n"] == frames.position.shape[1] - 1
    expected = [*(frames.position[0, 0] - scene.origin), frames.tension[0, 0]]
    np.testing.assert_allclose(told["first"], expected, rtol=1e-6)  # single precision


@pytest.mark.slow
@node
def test_vectors_and_ticks_of_the_program(html, tmp_path):
    script = """
      const q = turned([1, 0, 0, 0], [0, 0, Math.PI / 2]);
      console.log(JSON.stringify({
        turned: rotationRows(q).map((row) => dot(row, [1, 0, 0])), yaw: attitude(q)[2],
        ticks: ticks(-3, 97, 1000, 5).map((tick) => [tick.at, tick.text]),
        frame: frameAt([0, 1, 3], 2), steps: [roundStep(10, 5), roundStep(0.7, 5)],
      }));
    """
    told = json.loads(run_node(html, tmp_path, script))
    np.testing.assert_allclose(told["turned"], [0.0, 1.0, 0.0], atol=1e-12)
    assert told["yaw"] == pytest.approx(90.0)
    assert told["ticks"] == [[0, "1000"], [20, "1020"], [40, "1040"], [60, "1060"], [80, "1080"]]
    assert told["frame"] == [1, 0.5]
    assert told["steps"] == [2, 0.1]


@pytest.mark.slow
@chromium
def test_a_browser_draws_the_page(html, tmp_path):
    """The hostile title is on the screen as text, no script but ours ran, and nothing was told to the console."""
    target = tmp_path / "page.html"
    target.write_text(html, encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
             "--disable-background-networking", "--enable-logging=stderr", "--virtual-time-budget=3000"]  # fmt: skip
    done = subprocess.run(
        ["chromium", *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", target.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in element(done.stdout, '<h1 id="title">')
    assert "tension (kN)" in done.stdout
