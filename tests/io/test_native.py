"""Case files to System and back, on the whole spec, and the paths that a case may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ropewalk.errors import InputError
from ropewalk.io.native import read_case, read_text, resolve, write_case
from ropewalk.spec.bodies import Body
from ropewalk.spec.environment import Current, Environment, PowerProfile
from ropewalk.spec.joints import Joint
from ropewalk.spec.lines import Line, Piece, Point
from ropewalk.spec.sections import Section
from ropewalk.spec.system import System

CASES = {path.stem: path for path in sorted((Path(__file__).parent / "cases").glob("*.yaml"))}
BUOY = CASES["buoy"].read_text(encoding="utf-8")
BUOY_LINES = BUOY.splitlines()


def line_of(part: str) -> int:
    (number,) = [i for i, line in enumerate(BUOY_LINES, 1) if part in line]
    return number


def test_numbers_of_the_design_case_arrive() -> None:
    system = read_text(BUOY)
    assert system.environment.depth == 20.0
    assert system.sections["rope"].axial_stiffness == 2.3e8
    assert system.lines["tether"].from_ == "anchor"
    assert system.lines["tether"].pieces == (Piece(section="rope", length=22.0),)
    assert system.bodies["buoy"].attachments == {"eye": (0.0, 0.0, -1.0)}


@pytest.mark.parametrize("name", CASES)
def test_written_case_reads_back_equal(name: str) -> None:
    system = read_case(CASES[name])
    text = write_case(system)
    assert read_text(text) == system
    assert write_case(read_text(text)) == text
    assert max(map(len, text.splitlines())) <= 110


def test_system_built_in_code_reads_back_equal() -> None:
    """Tags that were not given, and values that equal their defaults, must not get lost."""
    system = System(
        title="no\n\t# 'quoted' \"text\": ünïcode {",
        environment=Environment(depth=50, current=Current(speed=1.0, profile=PowerProfile())),
        sections={"no": Section(diameter=0.1, mass=1.0, axial_stiffness="inextensible")},
        points={
            "true": Point(position=(0, 0, -50)),
            "a" * 100: Point(position=(1e-300, -0.0, 1.2345678901234567e99), joint=Joint.slider(force=0.1)),
        },
        bodies={"null": Body(mass=1, position=(0, 0, 0), attachments={"x y": (0.1 + 0.2, 1 / 3, 5e-324)})},
        lines={"l": Line(from_="true", to="null.x y", pieces=(Piece(section="no", length=60.0),))},
    )
    assert read_text(write_case(system)) == system


def test_default_system_is_written_as_its_version() -> None:
    assert write_case(System()) == "ropewalk: 1\n"
    assert read_text("ropewalk: 1\n") == System()


def test_what_a_file_cannot_hold_is_not_written() -> None:
    with pytest.raises(InputError, match=r"title: .* control character"):
        write_case(System(title="bell\x07"))


MISTAKES = [  # what stands in the case, what is put there, and the one sentence that follows
    (
        "length: 22",
        "lenght: 22",
        "lines.tether.pieces[0].lenght: unknown key; did you mean 'length'? Allowed: section, ",
    ),
    ("joint: fixed", "joint: fixd", "points.anchor.joint: 'fixd' is not known; did you mean 'fixed'?"),
    (
        "joint: fixed",
        "joint: {axes: {x: {forec: 1}}}",
        "points.anchor.joint.axes.x.forec: unknown key; did you mean 'force'?",
    ),
    (
        "kind: regular",
        "kind: reglar",
        "environment.waves.kind: 'reglar' is not known; did you mean 'regular'? Allowed: ",
    ),
    ("kind: regular, ", "", "environment.waves.kind: required key is missing. Allowed: regular, jonswap, "),
    ("to: buoy.eye", "to: buoy.eys", "lines.tether.to: no point or attachment 'buoy.eys'; did you mean 'buoy.eye'?"),
    ("section: rope", "section: rpe", "lines.tether.pieces[0].section: no section 'rpe'; did you mean 'rope'?"),
    (
        "2.3e8",
        "inextensibel",
        "sections.rope.axial_stiffness: 'inextensibel' is not known; did you mean 'inextensible'?",
    ),
    ("2.3e8", "{kind: tabel}", "sections.rope.axial_stiffness.kind: 'tabel' is not known; did you mean 'table'?"),
    ("2.3e8", "-1", "sections.rope.axial_stiffness: must be greater than 0, not -1"),
    (
        "mass: 27.6",
        "mass: 27,6",
        "sections.rope.6: key 6 is not text; put a name in quotes; a number takes a decimal point",
    ),
    ("[4, 0, 0.2]", "[4, 0]", "bodies.buoy.position: 3 entries are needed, not 2"),
    ("[4, 0, 0.2]", "[4, 0, top]", "bodies.buoy.position[2]: must be a number, not 'top'"),
    ("mass: 700", "mass: 700 kg", "bodies.buoy.mass: must be a number, not '700 kg'; write the number alone"),
    ("mass: 700", "mass: .inf", "bodies.buoy.mass: must be a finite number, not .inf"),
    ("ropewalk: 1", "ropewalk: 2", "ropewalk: must be 1, not 2"),
    ("run: {", "run: {step: 1, tolerance: 0.01, ", "run: give tolerance or step, not both"),
    ("environment:", "enviroment:", "enviroment: unknown key; did you mean 'environment'?"),
]


@pytest.mark.parametrize(("right", "wrong", "sentence"), MISTAKES, ids=[wrong for _, wrong, _ in MISTAKES])
def test_a_mistake_is_named_with_its_line(right: str, wrong: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read_text(BUOY.replace(right, wrong, 1), "case.yaml")
    assert str(caught.value).splitlines()[0].startswith(f"case.yaml:{line_of(right)}: {sentence}")
    assert len(caught.value.problems) == 1


def test_mistakes_in_many_places_come_out_together() -> None:
    text = BUOY.replace("length: 22", "lenght: 22").replace("mass: 700", "mass: heavy").replace("depth:", "deep:")
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert [problem.path for problem in caught.value.problems] == [
        "environment.deep",
        "bodies.buoy.mass",
        "lines.tether.pieces[0].lenght",
    ]


def test_all_dangling_references_come_out_together() -> None:
    text = BUOY.replace("from: anchor", "from: ancor").replace("to: buoy.eye", "to: eye")
    with pytest.raises(InputError) as caught:
        read_text(text)
    assert [problem.path for problem in caught.value.problems] == ["lines.tether.from", "lines.tether.to"]


def test_numbers_too_large_to_work_with_are_refused() -> None:
    with pytest.raises(InputError):
        read_text("sections: {c: {catalogue: studless_chain, diameter: 1.0e200}}")


def test_file_is_read_by_path_and_by_system(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(BUOY, encoding="utf-8")
    assert read_case(file) == read_case(str(file)) == System.from_file(file) == read_text(BUOY)


def test_paths_inside_the_folder_of_the_case_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "law.csv").write_text("0,0\n")
    (tmp_path / "link.csv").symlink_to("tables/law.csv")
    inside = (tmp_path / "tables" / "law.csv").resolve()
    assert resolve(tmp_path, "tables/law.csv") == inside
    assert resolve(tmp_path, "./tables//law.csv") == inside
    assert resolve(tmp_path, "link.csv") == inside


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x.csv",
        "a/../../x.csv",
        "a/..",
        "..",
        "C:\\x.csv",
        "c:x.csv",
        "\\\\host\\x",
        "a\\..\\..\\x",
        "//h/x",
    ],
)
def test_paths_that_leave_the_folder_are_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is absolute|contains '\.\.'"):
        resolve(tmp_path, path)


@pytest.mark.parametrize("path", ["", "a\0b", "a\nb"])
def test_what_is_no_path_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a path"):
        resolve(tmp_path, path)


def test_links_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("1")
    (folder / "file.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "up").symlink_to(tmp_path)
    (folder / "nowhere").symlink_to(tmp_path / "missing")
    for path in ("file.csv", "up/secret.csv", "nowhere"):
        with pytest.raises(InputError, match="link that leaves the folder"):
            resolve(folder, path)
    (folder / "circle").symlink_to(folder / "circle")
    with pytest.raises(InputError, match="cannot be followed"):
        resolve(folder, "circle/x.csv")
