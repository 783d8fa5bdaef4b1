"""The manual says what is: its examples run, its tables are whole, its sources exist."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numpy.testing import assert_allclose

from ropewalk import InputError
from ropewalk.cli.main import app, main
from ropewalk.io.native import read_text
from ropewalk.results.schema import VARIABLES
from ropewalk.spec.catalogue import CATALOGUE
from ropewalk.spec.system import System

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def blocks(page: Path, language: str) -> list[str]:
    """Code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def run_page(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Save the case of a page as case.yaml, run its Python blocks one after the other; their names."""
    (folder / "case.yaml").write_text(blocks(page, "yaml")[0], encoding="utf-8")
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    return names


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    """docs/generate.py, which finds its neighbours as Sphinx lets it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield importlib.import_module("generate")


def test_first_case_gives_its_printed_numbers(tmp_path, monkeypatch):
    """Numbers in the text and comments of docs/first_case.md."""
    names = run_page(DOCS / "first_case.md", tmp_path, monkeypatch)
    assert_allclose(names["tension"], 168290.0, atol=0.5)  # printed to 1 N
    assert_allclose(names["on_the_bed"], 317.4, atol=0.05)  # printed to 0.1 m
    assert_allclose([t / 1e3 for t in names["table"].values()], [168, 217, 321, 607], atol=0.5)  # printed to 1 kN
    assert names["upper_half"].size == 51  # nodes every 4.5 m, those beyond 225 m, and the touchdown point
    assert (names["many"].status > 0).all()


def test_first_case_table_is_what_the_command_prints(tmp_path, monkeypatch, capsys):
    """The table of `ropewalk static`, without its last lines, which hold round-off."""
    (tmp_path / "case.yaml").write_text(blocks(DOCS / "first_case.md", "yaml")[0], encoding="utf-8")
    shown = next(block for block in blocks(DOCS / "first_case.md", "text") if "declination" in block)
    printed = command(["static", str(tmp_path / "case.yaml")], monkeypatch, capsys)
    expected = [line for line in shown.splitlines() if line.strip() and not line.startswith(("done", "audit"))]
    assert [line.split() for line in expected if "─" not in line] == [
        line.split() for line in printed.splitlines() if line.strip() and not re.match("done|audit| ─", line)
    ]


def test_first_case_mistakes_are_reported_as_shown():
    """The two sentences of docs/first_case.md."""
    text = blocks(DOCS / "first_case.md", "yaml")[0].replace("depth: 100", "depth: -100").replace("pieces", "pices")
    shown = next(block for block in blocks(DOCS / "first_case.md", "text") if "pices" in block)
    with pytest.raises(InputError) as error:
        read_text(text, "case.yaml")
    assert str(error.value) == shown.strip()


def test_python_page_runs_and_gives_what_it_shows(tmp_path, monkeypatch):
    """Every block of docs/guide/python.md in turn, on the case that it shows; the sentence of its comment."""
    page = DOCS / "guide" / "python.md"
    (tmp_path / "mooring.yaml").write_bytes((DOCS / "guide" / "mooring.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    assert names["largest"] == names["run"].end_tension.max()
    assert names["message"] in page.read_text(encoding="utf-8")
    assert names["longer"] == System.from_file("longer.yaml")
    assert (tmp_path / "rest.html").is_file()


def test_python_page_names_variables_as_they_are_declared():
    """The table of names against the schema."""
    rows = re.findall(
        r"^\| (`.*?`) \| `(.*?)` \|", (DOCS / "guide" / "python.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) >= 10
    for variables, dims in rows:
        for name in re.findall(r"`(\w+)`", variables):
            assert VARIABLES[name].dims == tuple(dims.split(", ")), name


def test_seas_of_the_guide_are_right():
    """Every `environment` of docs/guide/sea.md is one, and the last three have what their text says."""
    seas = [read_text(block, "sea.md").environment for block in blocks(DOCS / "guide" / "sea.md", "yaml")]
    assert [sea.waves.kind if sea.waves else None for sea in seas] == ["jonswap", "components", None, None, None]
    assert seas[-1].seabed.kind == "grid"
    assert [sea.current.profile.kind for sea in seas if sea.current][-2:] == ["table", "grid"]


def test_readme_runs(tmp_path, monkeypatch, capsys):
    """The platform stays in the plane of its chains and is in balance to round-off of 1e6 N."""
    names = run_page(ROOT / "README.md", tmp_path, monkeypatch)
    x, y, _ = names["rest"].summary["bodies"]["platform"]["position"]
    assert 0.0 < x < 20.0
    assert_allclose(y, 0.0, atol=1e-9)
    assert names["rest"].report.residual_force < 1e-5


def test_readme_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert targets
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert not missing


def test_every_command_is_on_the_command_page(generate):
    page = "\n".join(generate.commands_page())
    names = [entry.name for entry in app.registered_commands]
    assert "static" in names
    assert [name for name in names if f"\n## {name}\n" not in page] == []
    assert "generated/commands.md" in (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")


def test_every_key_of_a_case_is_in_the_file_reference(generate):
    """Each object of the JSON Schema has a section, each of its keys a row."""
    page = "\n".join(generate.file_page())
    for name, schema in System.model_json_schema(by_alias=True)["$defs"].items():
        if not schema.get("properties"):
            continue
        found = re.search(rf"\(file-{name.lower()}\)=\n(.*?)(?=\n\(file-|\Z)", page, re.DOTALL)
        assert found, name
        assert not [key for key in schema["properties"] if f"| `{key}` |" not in found[1]], name


def test_every_cited_source_is_in_the_literature():
    """Keys in brackets in the code, and those of the catalogue."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    key = r"[A-Z][A-Za-z]+(?:[0-9]{4}[a-z]?|C205|_W22|_OS_E301)"
    groups = re.findall(rf"\[({key}(?:[;,][^\]\n]*)?)\]", text)
    cited = {found for group in groups for found in re.findall(rf"\b{key}\b", group)}
    cited |= {part.partition(":")[0].strip() for entry in CATALOGUE.values() for part in entry.source.split(";")}
    assert len(cited) > 20
    known = set(re.findall(r"^@\w+\{([^,]+),", (DOCS / "references.bib").read_text(encoding="utf-8"), re.MULTILINE))
    assert sorted(cited - known) == []


def test_pages_named_in_the_code_exist():
    """Docstrings point to pages of the manual."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in sources for name in re.findall(r"docs/[\w/]+\.(?:md|bib)", text)}
    assert "docs/theory/assemblies.md" in named
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def codes_in(page: str) -> dict[str, str]:
    """Codes of doubts in the tables of a page, and what stands beside them."""
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \| .* \|$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    return {code: meaning for code, meaning in rows if code not in ("force", "length", "position", "bed", "push")}


def test_every_doubt_stands_in_one_table():
    """Those of answers in docs/audit.md, those of cases on a page that it links."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    used = set(re.findall(r"\bDoubt\(\s*\"([a-z-]+)\"", text))
    used |= {importlib.import_module(f"ropewalk.analysis.{name}").CODE for name in ("soft_bed", "thickness")}
    used |= {importlib.import_module("ropewalk.analysis.repeat").REPEATED}
    assert {"soft-bed", "repeated", "friction", "net-twisted"} <= used
    of_answers, of_cases = codes_in("audit.md"), codes_in("guide/doubts_of_cases.md")
    assert sorted(of_answers.keys() & of_cases.keys()) == []
    assert sorted(used ^ (of_answers.keys() | of_cases.keys())) == []
    assert "guide/doubts_of_cases.md" in (DOCS / "audit.md").read_text(encoding="utf-8")


LIMITS = {
    "case_doubts": {"breaking-waves": "STEEPEST", "below-bed": "FALLS", "motion-ends": "SUDDEN",
                    "diameter": "THICKEST"},
    "audit_run": {"energy-numerics": "NUMERICS", "energy-closure": "CLOSURE", "length-drift": "DRIFT",
                  "leaves-rest": "AT_REST", "start-moved": "BEGUN", "pushes": "PUSH"},
    "static_doubts": {"slack": "SLACK", "heeled": "HEEL", "discretisation": "DISCRETISATION"},
    "soft_bed": {"soft-bed": "SOFT"},
    "thickness": {"surface-thickness": "FELT"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("module", "code", "limit"), [(module, *pair) for module, pairs in LIMITS.items() for pair in pairs.items()]
)
def test_limits_of_doubts_are_those_of_the_code(module, code, limit):
    meaning = (codes_in("audit.md") | codes_in("guide/doubts_of_cases.md"))[code]
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", meaning)]
    assert getattr(importlib.import_module(f"ropewalk.analysis.{module}"), limit) in numbers


def sentences() -> list[str]:
    """The first column of the tables of docs/errors.md."""
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    tables = re.findall(r"\| message \|.*?\n\|[-|]+\n((?:\|.*\n)+)", text)
    return [row.split(" | ")[0].removeprefix("| ") for table in tables for row in table.splitlines()]


@pytest.fixture(scope="module")
def said() -> str:
    """The source, with string literals that stand next to each other joined and spaces made single."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    return " ".join(re.sub(r"[\"']\s*\n\s*f?[\"']", "", text).split())


@pytest.mark.parametrize("sentence", sentences())
def test_catalogue_quotes_what_ropewalk_says(sentence, said):
    """Every part of a sentence between what varies (in italics) stands in the source."""
    parts = [part.strip(" .:;,'()?") for part in re.split(r"\*(?:\\\*|[^*])*\*|; ", sentence)]
    assert any(len(part) > 3 for part in parts)
    assert [part for part in parts if part not in said] == []


@pytest.mark.slow
def test_manual_builds_without_warnings(tmp_path):
    """As `make docs`."""
    call = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(DOCS), str(tmp_path / "html")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "html" / "first_case.html").exists()


def command(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints on a wide terminal."""
    monkeypatch.setattr(sys, "argv", ["ropewalk", *arguments])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, None)
    return capsys.readouterr().out


def test_figures_of_surmont_are_drawn_from_public_calls(tmp_path, monkeypatch):
    """Every figure of the paper with a line in it: those of its numbers agree with its closed forms elsewhere."""
    monkeypatch.syspath_prepend(str(DOCS))
    figures = importlib.import_module("surmont_figures")
    monkeypatch.setattr(figures, "OUT", tmp_path)
    figures.main()
    drawn = {path.name for path in tmp_path.glob("surmont_*.png")}
    assert drawn == {f"surmont_{name}.png" for name in ("principle", "catenary", "velaria", "assembly")}
    numbers = set(re.findall(r"figures? ([\d, ]+)", Path(figures.__file__).read_text()))
    shown = {int(word) for text in numbers for word in re.findall(r"\d+", text)}
    assert shown >= set(range(1, 21)) - {3, 6, 8}  # a flow chart and block diagrams; 21 is a free body
