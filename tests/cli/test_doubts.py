"""Every answer of the command line comes with its doubts, an empty list where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import ropewalk

ROPE = """\
ropewalk: 1
environment: {depth: 50, waves: {kind: regular, height: 1.0, period: 8.0}}
sections: {rope: {diameter: 0.05, mass: 3.0, axial_stiffness: 1.0e+6, breaking_load: 10.0}}
points: {a: {position: [0, 0, -30]}, b: {position: [40, 0, -2]}}
lines: {l: {from: a, to: b, elements: 8, pieces: [{section: rope, length: 52}]}}
run: {duration: 1}
"""  # a rope that would part at rest
RING = """\
ropewalk: 1
rods:
  ring: {length: 2, density: 500, section: {kind: ellipse, a: 0.05, b: 0.05},
         curvature: {kind: constant, kappa: [0, 0, 3.2]}}
"""  # a rod that intersects itself
BREAKER = ROPE.replace("height: 1.0", "height: 20.0")  # a wave that would have broken
SWEEP = "ropewalk_sweep: 1\nbase: case.yaml\ndo: static\nvary: [{key: sections.rope.mass, values: [3.0, 3.1]}]\n"
ANSWERS = [
    (ROPE, ("static", "case.yaml"), "breaking-load"),
    (ROPE, ("static", "case.yaml", "--all"), "breaking-load"),
    (ROPE, ("run", "case.yaml"), "breaking-load"),
    (ROPE, ("report", "case.nc"), "breaking-load"),
    (ROPE, ("convert", "case.nc", "case.csv"), "breaking-load"),
    (ROPE, ("modes", "case.yaml"), "breaking-load"),
    (ROPE, ("response", "case.yaml"), "breaking-load"),
    (ROPE, ("response", "case.yaml", "--drive", "force:b:x", "--method", "time", "-n", "1"), None),
    (ROPE, ("sweep", "sweep.yaml"), "breaking-load"),
    (ROPE, ("sweep", "sweep.yaml", "--dry-run"), "breaking-load"),
    (ROPE, ("verify", "case.yaml"), "breaking-load"),
    (BREAKER, ("waves", "case.yaml"), "breaking-waves"),
    (RING, ("float", "case.yaml"), "rod-overlap"),
]


@pytest.mark.parametrize(("case", "arguments", "code"), ANSWERS, ids=[" ".join(row[1]) for row in ANSWERS])
def test_json_of_every_answer_has_its_doubts(case, arguments, code, tmp_path, monkeypatch, capsys):
    """Under `doubts`, as the design has it; `code` is one that the case must have."""
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(case)
    Path("sweep.yaml").write_text(SWEEP)
    if arguments[0] in ("report", "convert"):
        assert ropewalk("static", "case.yaml", "-o", "case.nc", capsys=capsys)[0] == 0
    done, out, err = ropewalk(*arguments, "--json", capsys=capsys)
    assert done == 0, err
    answer = json.loads(out)
    for each in [answer, *answer.get("equilibria", [])] if "--all" in arguments else [answer]:
        assert code is None or code in [doubt["code"] for doubt in each["doubts"]]
        known = {"code", "part", "value", "limit", "sentence"} | ({"methods"} if arguments[0] == "verify" else set())
        assert all(set(doubt) == known for doubt in each["doubts"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("plot", "case.yaml"),
        ("plot", "case.nc", "-o", "case.svg"),
        ("view", "case.nc", "--html", "page.html"),
        ("view", "case.yaml", "--html", "page.html"),
        ("view", "case.yaml", "--modes", "1", "--html", "page.html"),
        ("convert", "case.nc", "case.pvd"),
        ("static", "case.yaml", "--all", "--starts", "1"),
        ("sweep", "sweep.yaml", "--dry-run"),
    ],
    ids=" ".join,
)
def test_pictures_and_pages_come_with_their_doubts_on_stderr(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(ROPE)
    Path("sweep.yaml").write_text(SWEEP)
    assert ropewalk("static", "case.yaml", "-o", "case.nc", capsys=capsys)[0] == 0
    code, _, err = ropewalk(*arguments, capsys=capsys)
    assert code == 0
    assert err.count("doubt breaking-load: ") == 1
    for shown in (path for path in map(Path, arguments) if path.suffix in (".html", ".pvd")):
        assert "breaking-load" in shown.read_text()


def test_a_rod_that_intersects_itself_has_its_doubt_on_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(RING)
    code, _, err = ropewalk("view", "case.yaml", "--html", "page.html", capsys=capsys)
    assert code == 0
    assert err.count("doubt rod-overlap: ") == 1
    assert '"doubts":[["rod-overlap"' in Path("page.html").read_text()
