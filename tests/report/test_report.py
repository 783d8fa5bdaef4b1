"""Reports: the numbers of a run after its ramp, on a page that is text and pictures and nothing else."""

from __future__ import annotations

import html.parser
import json

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.post.fatigue import curves
from ropewalk.report import report_data, report_page
from ropewalk.spec.system import System

NAME = "west chain"


@pytest.fixture(scope="module")
def run():
    """A short line whose top heaves; ramp of two seconds."""
    motion = {"kind": "harmonic", "ramp": 2, "terms": [{"direction": [0, 0, 1], "amplitude": 0.03, "omega": 3.0}]}
    system = System.model_validate(
        {
            "ropewalk": 1,
            "title": "<script>alert(1)</script>",
            "environment": {"depth": 20, "current": {"speed": 0.3}},
            "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.05}},
            "points": {
                "a": {"position": [0, 0, -20]},
                "b": {"position": [20, 0, -1], "joint": "moving", "motion": motion},
            },
            "lines": {NAME: {"from": "a", "to": "b", "elements": 6, "pieces": [{"section": "c", "length": 30}]}},
            "run": {"duration": 12},
            "record": {"every": 0.1},
        }
    )
    return rw.simulate(system)


def test_statistics_are_those_of_the_records_after_the_ramp(run):
    data = report_data(run)
    kept = run.end_tension.sel(line=NAME, end="B").values[run.time.values >= 2.0]
    found = data["lines"][NAME]["B"]
    assert data["time"]["statistics_start"] == 2.0
    assert_allclose([found["mean"], found["std"], found["max"]], [kept.mean(), kept.std(), kept.max()], rtol=1e-12)
    assert found["time_of_max"] >= 2.0
    assert_allclose(found["tz"], 2 * np.pi / 3.0, rtol=0.02)  # a harmonic drive; records are 0.1 s apart
    json.dumps(data, allow_nan=False)


def test_utilisation_is_the_largest_tension_over_the_breaking_load(run):
    used = report_data(run)["utilisation"]["lines"][NAME]
    system = System.model_validate_json(run.attrs["system"])
    largest = max(report_data(run)["lines"][NAME][end]["max"] for end in "AB")
    load = next(iter(system.sections.values())).breaking_load
    assert_allclose(used["safety_factor"], load / largest, rtol=1e-2)  # the whole line may have a little more


class Page(html.parser.HTMLParser):
    """Tags, addresses and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.addresses, self.text = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.addresses += [value for key, value in attrs if key in ("src", "href")]

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_whole_and_names_are_text(run):
    page = Page(report_page(run))
    assert "script" not in page.tags
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)
    assert len(page.addresses) >= 4  # system, tensions, ranges, spectra
    text = " ".join(page.text)
    for heading in ("End tensions", "Events", "How it was computed", "Environment", "<script>alert(1)</script>"):
        assert heading in text


def test_the_page_gives_units_and_one_part_in_the_singular(run):
    text = " ".join(Page(report_page(run)).text)
    assert "1 line, 2 points; simulated from 0 to 12 s" in text
    assert "speed 0.3 m/s, heading 0 deg" in text


def test_what_does_not_change_has_no_time_of_its_maximum():
    """The largest of equal values is the first by chance."""
    from ropewalk.report.page import MOTION_COLUMNS, _cells

    still = {"mean": 1e-17, "std": 0.0, "min": 0.0, "max": 0.0, "time_of_min": 3.0, "time_of_max": 7.0, "tz": 1.9}
    cells = dict(zip([key for key, _ in MOTION_COLUMNS], _cells(still, MOTION_COLUMNS, 1.0), strict=True))
    assert {cells[key] for key in ("time_of_min", "time_of_max", "tz")} == {"–"}
    moved = {**still, "max": 0.5}
    assert "7.0" in _cells(moved, MOTION_COLUMNS, 1.0)


def test_the_page_claims_no_audit_that_never_ran(run):
    """Nor do live recordings of earlier versions, which carry an empty list of doubts."""
    plain = run.copy()
    plain.attrs["doubts"] = "[]"
    live = plain.assign_attrs(live="[]")
    none = plain.copy()
    del none.attrs["doubts"]
    now = live.assign_attrs(audit='{"steps": 9}')
    for data, audited in ((plain, True), (live, False), (now, True), (none, False)):
        page = report_page(data)
        assert report_data(data)["audited"] == audited
        assert ("passed every check of the audit" in page) == audited
        assert ("Not audited" in page) != audited


def test_an_equilibrium_has_a_report():
    system = System.model_validate(
        {
            "ropewalk": 1,
            "environment": {"depth": 20},
            "sections": {"c": {"catalogue": "studless_chain", "diameter": 0.05}},
            "points": {"a": {"position": [0, 0, -20]}, "b": {"position": [20, 0, -1]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "c", "length": 30}]}},
        }
    )
    rest = rw.statics(system)
    data = report_data(rest.to_dataset())
    assert data["kind"] == "static"
    assert_allclose(data["lines"]["l"]["B"]["mean"], rest.line("l")["end_b"]["tension"], rtol=1e-12)
    assert "End tensions" in report_page(rest.to_dataset())


def test_a_sweep_has_its_failures_and_factors():
    sweep = xr.Dataset(
        {
            "status": ("case", ["done", "failed", "done"]),
            "reason": ("case", ["", "no <b>equilibrium</b>", ""]),
            "end_tension_max": (("case", "line", "end"), [[[1.0, 2.0]], [[np.nan] * 2], [[3.0, 5.0]]], {"units": "N"}),
        },
        {"case": [0, 1, 2], "line": ["l"], "end": ["A", "B"], "speed": ("case", [0.1, 0.2, 0.3])},
    )
    data = report_data(sweep)
    assert (data["cases"], data["done"], len(data["failed"])) == (3, 2, 1)
    assert data["outputs"]["end_tension_max"] == {"min": 1.0, "mean": 2.75, "max": 5.0, "unit": "N"}
    page = Page(report_page(sweep))
    assert "b" not in page.tags
    assert any("no <b>equilibrium</b>" in text for text in page.text)


def test_modes_have_no_report():
    with pytest.raises(InputError, match="ropewalk plot"):
        report_data(xr.Dataset(coords={"mode": [1, 2]}))


def test_the_page_of_a_sweep_has_extremes_and_utilisation():
    """The most probable maximum over ten seeds and the largest utilisation, as in the numbers."""
    seeds = np.arange(1, 11)
    tension = np.stack([900e3 + 1e3 * seeds, 1000e3 + 5e3 * seeds], axis=1)[:, None, :]
    sweep = xr.Dataset(
        {
            "status": ("case", ["done"] * 10),
            "end_tension_max": (("case", "line", "end"), tension, {"units": "N"}),
            "tension_max": (("case", "line"), tension[:, :, 1], {"units": "N"}),
            "breaking_load": (("case", "line"), np.full((10, 1), 4e6), {"units": "N"}),
        },
        {"case": np.arange(10), "line": ["west"], "end": ["A", "B"], "seed": ("case", seeds)},
        {"factors": json.dumps({"environment.waves.seed": "seed"})},
    )
    data = report_data(sweep)
    text = " ".join(Page(report_page(sweep)).text)
    assert "Extremes over the seeds (Gumbel)" in text
    assert f"{1e-3 * data['extremes'][0]['value']:.4g}" in text.replace(",", "")
    assert f"Largest utilisation ({data['utilisation']['code']})" in text
    assert data["utilisation"]["note"] in text


def test_the_page_of_a_run_has_its_fatigue(run):
    """With a curve, damage and life at both ends and where the curve comes from."""
    curve = next(key for key, each in curves().items() if each.kind == "tension" and "chain" in key)
    text = " ".join(Page(report_page(run, curve=curve)).text)
    assert "Fatigue" in text
    assert report_data(run, curve=curve)["fatigue"]["note"] in text
