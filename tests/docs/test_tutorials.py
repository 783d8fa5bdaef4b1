"""README and tutorials run from an empty folder and print what their pages show."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted((DOCS / "tutorials").glob("*.md"))]


@pytest.fixture
def tutorials(monkeypatch):
    """docs/tutorial_output.py, and the width of a plain terminal."""
    monkeypatch.syspath_prepend(DOCS)
    monkeypatch.setenv("COLUMNS", "80")
    return importlib.import_module("tutorial_output")


def test_there_is_a_tutorial_for_every_kind_of_user():
    names = {"floating_wind", "oceanography", "aquaculture", "towing", "floating_rods"}
    assert names <= {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorial_prints_what_it_shows(page, tutorials, tmp_path):
    """Words equal, figures to 0.2 % or two units of their last digit: the bounds of docs/tutorial_output.py."""
    shown = tutorials.run_page(page, tmp_path)
    assert len(shown) >= 3
    assert [line for each in shown for line in tutorials.differences(each.shown, each.printed)] == []


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("tension 168.3 kN", "tension 169.3 kN"),
        ("tension 168.3 kN", "tension 168.3 N"),
        ("one line", "one line\nanother"),
        ("uplift 0.0 deg", "uplift 0.9 deg"),
    ],
)
def test_what_differs_is_found(shown, printed, tutorials):
    assert tutorials.differences(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("tension 1,561.0 kN", "tension  1,561.3 kN"),
        ("done: 3 iterations; residual force 2e-9 N", "done: 4 iterations; residual force < 1e-06 N"),
    ],
)
def test_round_off_and_spacing_do_not_differ(shown, printed, tutorials):
    assert not tutorials.differences(shown, printed)
