"""Pictures of equilibria and runs: each draws in the axes it is given, and every line is identifiable."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.doubts import Doubt
from ropewalk.plot import histories, views
from ropewalk.plot.lines import draw
from ropewalk.plot.style import doubted, empty_figure, look, picture

LINES = 16


def sixteen() -> rw.System:
    """A fixed hull on sixteen chains."""
    angle = [2.0 * math.pi * k / LINES for k in range(LINES)]
    return rw.System.model_validate({
        "ropewalk": 1,
        "environment": {"depth": 100},
        "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.08}},
        "points": {f"a{k}": {"position": [400 * math.cos(a), 400 * math.sin(a), -100]} for k, a in enumerate(angle)}
        | {"hull": {"position": [0, 0, -5]}},
        "lines": {f"line {k}": {"from": f"a{k}", "to": "hull", "pieces": [{"section": "chain", "length": 425}],
                                "attachments": [{"s": 300, "mass": 500, "name": f"clump {k}"}]} for k in range(LINES)},
    })  # fmt: skip


@pytest.fixture(scope="module")
def rest():
    return rw.statics(sixteen()).to_dataset()


@pytest.fixture(scope="module")
def run():
    """A weight on a rope whose upper end moves, for 2 s."""
    case = {
        "ropewalk": 1,
        "sections": {"rope": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6}},
        "points": {
            "top": {"position": [0, 0, 0], "joint": "moving",
                    "motion": {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 1, "omega": 2}]}},
            "weight": {"position": [0, 0, -9], "joint": "free", "mass": 100},
        },
        "lines": {"rope": {"from": "top", "to": "weight", "elements": 5,
                           "pieces": [{"section": "rope", "length": 10}]}},
        "record": {"every": 0.05},
    }  # fmt: skip
    return rw.simulate(rw.System.model_validate(case), 2.0, progress=False)


def test_sixteen_lines_have_sixteen_looks_and_all_are_in_the_legend(rest):
    assert len({str(look(k)) for k in range(32)}) == 32
    side, above, along = draw(rest).axes[:3]
    names = [text.get_text() for text in side.get_legend().get_texts()]
    assert names == [f"line {k}" for k in range(LINES)]
    assert {text.get_text() for text in above.texts} == set(names)
    assert len(along.lines) == LINES


def test_named_attachments_are_labelled(rest):
    figure = views.side_view(rest)
    assert "clump 0" in {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.parametrize("view", [views.side_view, views.plan_view, histories.tension_along])
def test_pictures_of_equilibria_draw_in_given_axes(view, rest):
    axes = Figure().add_subplot()
    assert view(rest, axes) is axes.figure
    assert len(axes.lines) >= LINES


@pytest.mark.parametrize(
    "view", [views.tracks_view, histories.tension_history, histories.spectrum, histories.tension_along]
)
def test_pictures_of_runs_draw_in_given_axes(view, run):
    axes = Figure().add_subplot()
    assert view(run, axes) is axes.figure
    assert axes.lines


def test_a_thin_strip_states_its_exaggeration(tmp_path):
    """A rope of 1 km that sags by metres: equal scales would show a line."""
    case = {
        "ropewalk": 1,
        "environment": {"water_density": 0},
        "sections": {"rope": {"diameter": 0.05, "mass": 2.0, "axial_stiffness": 1e8}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [1000, 0, 0]}},
        "lines": {"rope": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 1000.1}]}},
    }
    axes = views.side_view(rw.statics(rw.System.model_validate(case)).to_dataset()).axes[0]
    (note,) = [text.get_text() for text in axes.texts]
    assert note == f"heights exaggerated {axes.get_aspect():g} times"
    assert axes.get_aspect() > 2


def test_phase_portrait_of_a_harmonic_motion_is_an_ellipse(run):
    """x = cos 2t, v = -2 sin 2t; differences over 0.05 s leave (omega h)^2/6 = 0.2 % inside, more at the ends."""
    (curve, _) = histories.phase_portrait(run, "top").axes[0].lines
    x, v = curve.get_data()
    assert_allclose((x - np.mean([x.min(), x.max()])) ** 2 + (v / 2.0) ** 2, 1.0, atol=0.12)


def test_motion_is_drawn_from_the_first_record(run):
    axes = histories.motion_history(run, "top").axes[0]
    assert [line.get_label() for line in axes.lines] == ["x", "y", "z"]
    assert all(line.get_ydata()[0] == 0.0 for line in axes.lines)


def test_ranges_of_tension_share_their_scale(run):
    axes = histories.range_graphs(run).axes[0]
    assert axes.get_ylim()[0] == 0.0
    assert axes.get_ylim()[1] >= 1e-3 * float(run.tension.max())


def test_offset_curve_takes_several_cases_in_one_picture():
    axes = Figure().add_subplot()
    histories.offset_curve([0.0, 5.0], [0.0, 1e5], axes, label="intact")
    histories.offset_curve([0.0, 5.0], [0.0, 6e4], axes, label="one line missing")
    assert_allclose(axes.lines[1].get_ydata(), [0.0, 60.0])  # kN
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["intact", "one line missing"]


def test_wrong_parts_are_refused(run):
    with pytest.raises(rw.InputError, match="Available: top, weight"):
        histories.motion_history(run, "buoy")
    with pytest.raises(rw.InputError, match="choose x, y or z"):
        histories.phase_portrait(run, "top", axis="w")
    with pytest.raises(rw.InputError, match="not 2 and 3"):
        histories.offset_curve([0, 1], [0, 1, 2])


def test_sweeps_have_a_picture_in_python(tmp_path: Path):
    rest = rw.sweep(sixteen(), {"environment.depth": [100.0, 101.0]}, do="static", jobs=1)
    assert isinstance(rest.rw.plot(), Figure)


def test_titles_are_text_whatever_they_hold(rest):
    """Escapes of terminals, formulas that do not parse, characters without a glyph; warnings are errors here."""
    evil = rest.assign_attrs(title="\x1b[31m $\\frac{ \U0001f600 \x07")
    figure = draw(evil)
    assert picture(figure, "png", 50).startswith(b"\x89PNG")
    assert figure.axes[0].get_title() == "\\x1b[31m $\\frac{ \U0001f600 \\x07"
    assert b"\x1b" not in picture(draw(evil), "svg", 50)


def test_a_figure_names_the_doubts_about_what_it_shows():
    """At its foot, each once, below a label that stands there."""
    doubts = [Doubt("slack", part, 0.0, 1.0, "") for part in ("west", "east")] + [Doubt("neutral", "", 1.0, 0.0, "")]
    figure = empty_figure(8.0, 3.0)
    figure.supxlabel("s (m)")
    assert doubted(figure, doubts).get_supxlabel() == "s (m)\ndoubts: slack (west, east); neutral"
    assert doubted(empty_figure(8.0, 3.0), []).get_supxlabel() == ""
