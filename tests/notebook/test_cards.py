"""Cards, pictures, files and views of every kind of result, and names that are markup."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr

import ropewalk as rw
from ropewalk.analysis.doubts import of_attributes
from ropewalk.analysis.verify import Verification
from ropewalk.notebook.cards import card, kind_of
from ropewalk.notebook.sketch import chart, drawing

EXAMPLES = Path(__file__).parents[2] / "examples"
CASE = {
    "title": "one chain",
    "environment": {"depth": 100},
    "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.084}},
    "points": {"anchor": {"position": [-400, 0, -100]}, "top": {"position": [0, 0, 0], "joint": "moving",
               "motion": {"kind": "harmonic", "terms": [{"direction": [1, 0, 0], "amplitude": 1.0, "omega": 1.0}]}}},
    "lines": {"west": {"from": "anchor", "to": "top", "elements": 8, "pieces": [{"section": "chain", "length": 430}]}},
    "run": {"duration": 1.0},
    "record": {"every": 0.5},
}  # fmt: skip
ROD = {
    "title": "a stick",
    "environment": {"water_density": 1000},
    "rods": {"stick": {"length": 1.0, "density": 500, "section": {"kind": "ellipse", "a": 0.05, "b": 0.1},
             "curvature": {"kind": "pieces", "pieces": [{"length": 1.0, "kappa": [0, 0.3, 0]}]}}},
}  # fmt: skip
ROW = {"method": "catenary", "status": "done", "message": "", "time": 0.1, "position_difference": 0.0,
       "force_difference": 2.0}  # fmt: skip
EVIL = "<script>alert(1)</script>\x1b[31m\"'&"


@pytest.fixture(scope="module")
def system():
    return rw.System.model_validate(CASE)


@pytest.fixture(scope="module")
def results(system):
    """One of every kind."""
    rest = rw.statics(system)
    return {
        "case": system,
        "equilibrium": rest,
        "run": rw.simulate(system, progress=False),
        "modes": rw.modes(rest, 3),
        "response": rw.response(rest, [0.5, 1.0, 1.5], "motion:top:x"),
        "state space": rw.state_space(rest, ["motion:top:x"], ["tension:west:A"], modes=2),
        "floating": rw.float_rods(rw.System.model_validate(ROD)),
        "verification": Verification(reference="catenary", largest_force=1e5, methods=[ROW, {**ROW, "method": "fem"}]),
    }


class Strict(HTMLParser):
    """Elements must nest; scripts and handlers must not be there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "object", "embed", "link")
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in ("line", "circle", "br", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in ("line", "circle")

    def handle_endtag(self, tag):
        if tag != "line":
            assert self.open.pop() == tag


def checked(text: str) -> str:
    parser = Strict()
    parser.feed(text)
    assert parser.open == []
    for svg in re.findall(r"<svg.*?</svg>", text, re.S):
        ElementTree.fromstring(svg)
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched
    return text


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("case", ["one chain", "2 points, 1 line; 100 m of water", "as given", "430", "<svg"]),
        ("equilibrium", ["one chain", "tension A", "west", "closure error", "<svg"]),
        ("run", ["one chain", "west A", "west B", "0 to 1 s in 3 records", "<svg"]),
        ("modes", ["one chain", "period (s)", "<svg"]),
        ("response", ["omega (rad/s)", "top x", "<svg"]),
        ("state space", ["state space"]),
        ("floating", ["a stick", "minimum", "pitch (deg)", "<svg"]),
        ("verification", ["differences from", "catenary", "end force (N)"]),
    ],
)
def test_the_card_of_every_result_holds_what_it_is_about(results, kind, found):
    result = results[kind]
    text = checked(result.rw._repr_html_() if isinstance(result, xr.Dataset) else result._repr_html_())
    for piece in found:
        assert piece in text


def test_numbers_of_the_card_are_those_of_the_result(results):
    rest = results["equilibrium"]
    assert f"{1e-3 * rest.line('west')['end_b']['tension']:.4g} kN" in rest._repr_html_()
    run = results["run"]
    largest = float(run.end_tension.sel(line="west", end="B").max())
    assert f"{1e-3 * largest:.4g} kN" in run.rw._repr_html_()


@pytest.mark.parametrize("kind", ["run", "modes", "response", "state space"])
def test_datasets_know_what_they_answer(results, kind):
    assert kind_of(results[kind]) == kind
    assert results[kind].rw.kind == kind
    assert kind in repr(results[kind].rw)


def test_an_equilibrium_in_a_file_is_one(results, tmp_path):
    results["equilibrium"].to_file(tmp_path / "rest.nc")
    with rw.load(tmp_path / "rest.nc") as rest:
        assert rest.rw.kind == "equilibrium"
        assert rest.rw.system == results["equilibrium"].system
        assert [d.as_dict() for d in rest.rw.doubts] == [d.as_dict() for d in results["equilibrium"].doubts]


@pytest.mark.parametrize("kind", ["run", "modes", "response", "state space"])
def test_what_is_written_is_opened_as_it_was(results, tmp_path, kind):
    """Shapes and amplitudes are complex; files hold them as two variables."""
    results[kind].rw.to_file(tmp_path / "a.nc")
    with rw.load(tmp_path / "a.nc") as again:
        assert set(again.data_vars) == set(results[kind].data_vars)
        for name, variable in results[kind].data_vars.items():
            np.testing.assert_array_equal(again[name].values, variable.values, err_msg=name)


def test_tables_are_written_as_json(results, tmp_path):
    for kind in ("floating", "verification"):
        results[kind].to_file(tmp_path / "a.json")
        assert json.loads((tmp_path / "a.json").read_text()) == json.loads(json.dumps(results[kind].as_dict()))
        with pytest.raises(rw.InputError, match=r"this result is written as \.json"):
            results[kind].to_file(tmp_path / "a.nc")
    with pytest.raises(rw.InputError, match=r"this result is written as \.nc"):
        results["run"].rw.to_file(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["case", "equilibrium", "run", "modes", "floating"])
def test_views_are_whole_pages_in_a_frame_of_their_own(results, kind, tmp_path):
    result = results[kind]
    view = (result.rw if isinstance(result, xr.Dataset) else result).view(height=300)
    frame = view._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts')
    assert "allow-same-origin" not in frame
    assert 'height="300"' in frame
    inside = re.fullmatch(r'<iframe [^>]*srcdoc="([^"]*)"[^>]*></iframe>', frame, re.S)
    assert inside is not None  # no quote of the page ends the attribute
    assert "Content-Security-Policy" in inside.group(1)
    view.to_file(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == view.page
    with pytest.raises(rw.InputError, match=r"the name of a page must end in \.html"):
        view.to_file(tmp_path / "a.nc")


@pytest.mark.parametrize("kind", ["case", "equilibrium", "run", "modes", "response", "floating"])
def test_pictures_show_themselves_in_a_notebook(results, kind):
    pytest.importorskip("matplotlib")
    result = results[kind]
    figure = (result.rw if isinstance(result, xr.Dataset) else result).plot()
    assert figure.axes
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_what_has_no_picture_or_view_is_refused_in_a_sentence(results):
    for ask in (results["verification"].plot, results["state space"].rw.plot):
        with pytest.raises(rw.InputError, match="this result cannot be plotted"):
            ask()
    for ask in (results["verification"].view, results["response"].rw.view):
        with pytest.raises(rw.InputError, match="no 3D view of this result"):
            ask()
    with pytest.raises(rw.InputError, match="height must be 100 to 4000 pixels"):
        results["equilibrium"].view(height="tall")
    with pytest.raises(rw.InputError, match="invalid argument for this plot"):
        results["run"].rw.plot(colour="red")


@pytest.mark.parametrize("kind", ["run", "modes", "response"])
def test_names_that_are_markup_are_text(results, kind):
    """Datasets may come from anywhere; names in cases are letters and digits only, titles are not."""
    data = results[kind].assign_attrs(title=EVIL, status=EVIL, doubts=json.dumps(
        [{"code": EVIL, "part": EVIL, "value": 1.0, "limit": 0.5, "sentence": EVIL}]))  # fmt: skip
    for name in ("line", "node_line", "point", "dominant"):
        if name in data.coords:
            data = data.assign_coords({name: (data[name].dims, [EVIL] * data[name].size)})
        elif name in data:
            data = data.assign({name: (data[name].dims, [EVIL] * data[name].size)})
    if kind == "run":
        data = data.assign_coords(line=[EVIL])
    text = checked(data.rw._repr_html_())
    assert "&lt;script&gt;" in text
    assert "\x1b" not in repr(data.rw)


def test_titles_that_are_markup_are_text(system):
    text = checked(rw.statics(system.replace(title=EVIL))._repr_html_())
    assert "&lt;script&gt;" in text
    assert "\x1b" not in repr(rw.statics(system.replace(title=EVIL)))


def test_doubts_that_cannot_be_read_are_one():
    (doubt,) = of_attributes({"doubts": "[{]"})
    assert "cannot be read" in str(doubt)
    assert of_attributes({}) == []


def test_empty_results_have_a_card():
    checked(card(xr.Dataset()))
    checked(card(xr.Dataset(coords={"time": []})))
    checked(card(xr.Dataset({"status": ("case", ["done", "done", "failed"])}, coords={"height": ("case", [1, 2, 3])})))


def test_drawings_keep_one_scale_and_leave_out_what_is_not_finite():
    """A square stays a square."""
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [0, 0], [np.nan, 1]], dtype=float)
    root = ElementTree.fromstring(drawing({"a": square[:5]}, square[5:], {}))
    points = np.array([p.split(",") for p in root[0].get("points").split()], dtype=float)
    # coordinates are written to 0.1 pixel
    np.testing.assert_allclose(np.ptp(points, axis=0)[0], np.ptp(points, axis=0)[1], atol=0.11)
    assert len(root) == 1


def test_charts_of_nothing_are_empty():
    assert chart(np.array([1.0]), {"a": np.array([1.0])}, "x") == ""
    assert chart(np.array([1.0, 2.0]), {}, "x") == ""
    checked(chart(np.array([1.0, 2.0]), {"a": np.zeros(2)}, EVIL))


def test_reports_are_pages_without_programs(results, tmp_path):
    run = results["run"].rw.report(height=200, start=0.0)
    assert run._repr_html_().startswith('<iframe sandbox="" srcdoc="')
    assert run.data["lines"]["west"]["B"]["max"] == float(results["run"].end_tension.sel(line="west", end="B").max())
    run.to_file(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == run.page
    with pytest.raises(rw.InputError, match="a report does not take colour"):
        results["run"].rw.report(colour="red")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_has_a_card(path):
    """Nets, links, bodies that are driven, rods: the card of a case computes nothing and takes them all."""
    system = rw.load(path)
    text = checked(system._repr_html_())
    for line in list(system.lines)[:3]:
        assert line in text


def test_a_case_that_cannot_hang_together_has_a_card_and_a_reason_instead_of_a_view():
    far = rw.System.model_validate({
        "sections": {"rope": {"mass": 1.0, "diameter": 0.01, "axial_stiffness": "inextensible"}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [20, 0, 0]},
                   "knot": {"position": [10, 0, -1], "joint": "free", "mass": 1.0}},
        "lines": {f"rope {end}": {"from": end, "to": "knot", "pieces": [{"section": "rope", "length": 5.0}]}
                  for end in "ab"},
    })  # fmt: skip
    assert "lines straight between their ends" in far._repr_html_()
    with pytest.raises(rw.InputError, match="shorter than the 20 m between 'a' and 'b'"):
        far.view()
