"""Tables in CSV files beside a case: read with their units, refused with file, line and column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.io.native import read_case, read_text
from ropewalk.spec.system import System

CASE = """
environment: {depth: 20, current: {profile: {kind: file, file: current.csv}}, waves: {kind: file, file: sea.csv}}
sections:
  r: {diameter: 0.05, mass: 10, axial_stiffness: {kind: file, file: law.csv}}
points:
  a: {position: [0, 0, -20]}
  b: {position: [10, 0, 0], joint: moving, motion: {kind: file, file: track.csv, after: continue}}
lines:
  l: {from: a, to: b, pieces: [{section: r, length: 25}],
      loads: [{kind: file, file: load.csv, factor: {kind: file, file: factor.csv}}],
      attachments: [{s: 3, mass: 5, force: {kind: file, file: push.csv}}]}
  w: {from: a, to: b, pieces: [{section: r, length: 25}], payout: {file: winch.csv}}
"""
FILES = {
    "current.csv": "z (m), u (cm/s), v (m/s)\n0, 100, 0\n-10, 0, 0.5\n",
    "sea.csv": "amplitude (m),omega (rad/s),phase (deg)\n1,0.5,90\n0.5, 2, 0\n",
    "law.csv": "# rope\nstrain (%),tension (kN)\n0,0\n1,10\n",
    "track.csv": "\ufefftime (min), x (m), y (m), z (m)\n0,0,0,0\n1,5,0,0\n2,5,5,0\n",
    "load.csv": "s (m), f_x (N/m), f_y (N/m), f_z (kN/m)\n0,1,2,3\n10,1,2,3\n",
    "factor.csv": "t (s),factor\n0,0\n10,1\n",
    "push.csv": "t (s), F_x (kN), Fy (N), force_z (MN)\n0,1,2,3\n5,0,0,0\n",
    "winch.csv": "t (s), length (m)\n0, 0\n10, 5\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.yaml").write_text(CASE)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_numbers_come_in_the_units_of_the_case(folder: Path) -> None:
    system = read_case(folder / "case.yaml")
    current, line = system.environment.current, system.lines["l"]
    assert_allclose(current.speed, 1.0)
    assert_allclose(current.profile.factor[:: len(current.profile.z) - 1], [1.0, 0.5])
    assert_allclose(current.profile.turn[:: len(current.profile.z) - 1], [0.0, 90.0])
    assert_allclose([c.period for c in system.environment.waves.components], [4 * 3.141592653589793, 3.141592653589793])
    assert_allclose(system.environment.waves.components[0].phase, 0.5 * 3.141592653589793)
    assert system.sections["r"].axial_stiffness.strain == (0.0, 0.01)
    assert system.points["b"].motion.time == (0.0, 60.0, 120.0) and system.points["b"].motion.after == "continue"
    assert line.loads[0].force[0] == (1.0, 2.0, 3000.0) and line.loads[0].factor.value == (0.0, 1.0)
    assert line.attachments[0].force.value[0] == (1000.0, 2.0, 3e6)
    assert system.lines["w"].payout.length == (0.0, 5.0)


def test_a_case_read_from_files_needs_them_no_more(folder: Path, tmp_path: Path) -> None:
    system = read_case(folder / "case.yaml")
    for name in FILES:
        (folder / name).unlink()
    system.to_file(folder / "again.yaml")
    assert read_case(folder / "again.yaml") == system
    assert System.model_validate_json(system.model_dump_json(by_alias=True, exclude_unset=True)) == system


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("current.csv", "z (m), u, v (m/s)\n0,1,2\n", r"current\.csv:1: column 2: column 'u' has no unit"),
        ("current.csv", "z (m), u (m/s)\n0,1\n", r"current\.csv:1: column 1: no column 'v' in the header"),
        ("current.csv", "z (m), u (m/s), v (furlong)\n0,1,2\n", r":1: column 3: unit 'furlong' of column 'v'"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n0,1\n", r"current\.csv:2: 2 cells, but the header has 3 columns"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n0,1,x\n", r"current\.csv:2: column 3: 'x' is not a number"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n0,nan,2\n", r":2: column 2: 'nan' is not a number"),
        ("current.csv", "z (m), u (m/s), v (m/s), w (m/s)\n0,1,2,3\n", r"column 4: column 'w' is not known"),
        ("current.csv", "", "the file is empty"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n", "there are no rows below the header"),
        ("law.csv", "strain (-), tension (N)\n0,0\n1,1\n0.5,2\n", r"law\.csv:4: 'strain' must increase"),
        ("sea.csv", "Hs (m), Tp (s)\n1,2\n2,3\n", r"sea\.csv:3: 2 sea states; a case has one sea"),
        ("sea.csv", "amplitude (m), omega (rad/s)\n1,0\n", r"sea\.csv:2: 'omega' must be greater than 0, not 0"),
        ("sea.csv", "amplitude (m), period (s)\n1,5\n-1,5\n", r"sea\.csv:3: 'amplitude' must be at least 0, not -1"),
        ("sea.csv", "amplitud (m), period (s)\n1,5\n", r"amplitude, period \(and, if known, heading, phase\) or"),
        ("current.csv", "z (m); u (m/s); v (m/s)\n0;1;2\n", r":1: cells are separated by semicolons; put commas"),
        ("current.csv", f"z (m), u (m/s), v (m/s)\n0,{'1' * 200_000},2\n", r"current\.csv:2: is not a table of cells"),
        ("current.csv", 'z (m), u (m/s), v (m/s)\n0,"1",2\n-1,"\n",1\n', r"current\.csv:4: column 2: '' is not a num"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n0,1e300,2\n", r":2: column 2: '1e300' is too large; at most 1e\+100"),
        ("current.csv", "z (m), u (m/s), v (m/s)\n0,1,2\n-5,1,2\n-5,1,2\n", r"csv:4: 'z' must increase or decrease"),
        ("current.csv", "z (m), u (m/s), v (m/s), u (m/s)\n0,1,2,1\n", r":1: column 4: column 'u' is given twice"),
        ("law.csv", "strain (-), tension (N)\n0,0\n1,2\n2,1\n", r"law\.csv:4: 'tension' must increase"),
        ("track.csv", "t (s), x (m), y (m), z (m)\n0,0,0,0\n", r"track\.csv:2: one row only"),
        (
            "load.csv",
            "s (m), f_x (N/m), f_y (N/m), f_z (N/m)\n-1,0,0,0\n1,0,0,0\n",
            r"load\.csv:2: 's' must be",
        ),
        ("push.csv", "F_x (N)\n1\n", r"push\.csv:1: column 1: no column 't'"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_column(folder: Path, name: str, text: str, message: str) -> None:
    (folder / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_case(folder / "case.yaml")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../x.csv", r"case\.yaml:2: environment\.current\.profile\.file: path '\.\./x\.csv' contains"),
        ("/etc/passwd", "is absolute"),
        ("missing.csv", r"missing\.csv: cannot be read"),
    ],
)
def test_paths_stay_in_the_folder_of_the_case(folder: Path, path: str, message: str) -> None:
    (folder / "case.yaml").write_text(CASE.replace("current.csv", path))
    with pytest.raises(InputError, match=message):
        read_case(folder / "case.yaml")


def test_a_sea_state_in_a_file_is_a_jonswap_sea(folder: Path) -> None:
    (folder / "sea.csv").write_text("Hs (m), Tp (s), heading (rad), gamma (-)\n3, 9, 0.5, 2\n")
    waves = read_case(folder / "case.yaml").environment.waves
    assert (waves.kind, waves.significant_height, waves.peak_period, waves.gamma) == ("jonswap", 3.0, 9.0, 2.0)


def test_files_need_a_case_file(folder: Path) -> None:
    with pytest.raises(InputError, match="read together with its case file"):
        read_text("points: {a: {position: [0, 0, 0], joint: free, force: {kind: file, file: push.csv}}}")


def test_speeds_are_given_once(folder: Path) -> None:
    (folder / "case.yaml").write_text(CASE.replace("current: {profile", "current: {speed: 1, profile"))
    with pytest.raises(InputError, match="gives the speeds of the current; leave 'speed' out"):
        read_case(folder / "case.yaml")


def test_units_may_stand_in_square_brackets(folder: Path) -> None:
    before = read_case(folder / "case.yaml")
    (folder / "push.csv").write_text(FILES["push.csv"].replace("(", "[").replace(")", "]"))
    assert read_case(folder / "case.yaml") == before


START = """
run: {{duration: 1, start: {{{start}}}}}
"""


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("points: {b: {shape: {kind: file, file: push.csv}}}", "run.start.points.b.shape: unknown key"),
        ("shape: {kind: file, file: push.csv}", "run.start.shape: unknown key"),
        ("lines: [{shape: {kind: file, file: shape.csv}}]", "run.start.lines: must be a mapping"),
        ("lines: {k: 3, l: {shape: {kind: file, file: shape.csv}}}", "run.start.lines.k: must be a mapping, not 3"),
        (
            "under: {environment.current.profile: {kind: file, file: current.csv}}",
            "environment.current: {profile",
        ),
    ],
)
def test_files_where_none_belong_are_refused(folder: Path, start: str, message: str) -> None:
    (folder / "shape.csv").write_text("x (m), y (m), z (m)\n0,0,-20\n10,0,0\n")
    (folder / "case.yaml").write_text(CASE + START.format(start=start))
    with pytest.raises(InputError, match=re.escape(message)):
        read_case(folder / "case.yaml")


def test_values_under_which_a_run_begins_may_be_files(folder: Path) -> None:
    under = (
        "under: {lines.l.attachments.0.force: {kind: file, file: push.csv},"
        " environment.current: {profile: {kind: file, file: current.csv}}}"
    )
    (folder / "case.yaml").write_text(CASE + START.format(start=under))
    system = read_case(folder / "case.yaml")
    given = system.run.start.under
    assert given["lines.l.attachments.0.force"]["value"][0] == [1000.0, 2.0, 3e6]
    other = system.replace(run=None).replace(given)
    assert other.environment.current == system.environment.current


BED = "x (m), y (m), depth (m)\n0, 0, 40\n100, 0, 42\n100, 50, 45\n0, 50, 43\n"


def bed_case(tmp_path, table):
    """A line over a bed whose depths are in a file."""
    (tmp_path / "bed.csv").write_text(table)
    (tmp_path / "case.yaml").write_text("""
environment: {depth: 41, seabed: {kind: file, file: bed.csv, friction: 0.4}}
sections: {chain: {diameter: 0.1, mass: 100, axial_stiffness: 1.0e8}}
points: {a: {position: [0, 0, -40]}, b: {position: [60, 20, -5]}}
lines: {l: {from: a, to: b, pieces: [{section: chain, length: 90}]}}
""")
    return read_case(tmp_path / "case.yaml")


def test_depths_of_a_bed_come_from_a_file_in_any_order(tmp_path):
    bed = bed_case(tmp_path, BED).environment.seabed
    assert (bed.kind, bed.x, bed.y, bed.source) == ("grid", (0.0, 100.0), (0.0, 50.0), "bed.csv")
    assert bed.depth == ((40.0, 42.0), (43.0, 45.0))
    assert bed.friction == 0.4


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0, 50, 43\n", "", "bed.csv: no depth at x = 0 m, y = 50 m"),
        ("0, 50, 43", "0, 0, 43", "bed.csv:5: x = 0 m, y = 0 m is given twice"),
        ("depth (m)", "z (m)", "no column 'depth'"),
    ],
)
def test_a_file_that_is_no_grid_is_refused(old, new, words, tmp_path):
    with pytest.raises(InputError) as error:
        bed_case(tmp_path, BED.replace(old, new))
    assert words in str(error.value)
