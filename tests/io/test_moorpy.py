"""MoorPy's YAML, RAFT designs and FAModel ontologies to cases."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw
from exact_lines import compare_lines
from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.convert import kind_of, read_any
from ropewalk.io.famodel import read_famodel
from ropewalk.io.moorpy import read_moorpy

FOREIGN = Path(__file__).parent / "foreign"


def test_content_tells_whose_file_it_is() -> None:
    kinds = {path.name: kind_of(path) for path in FOREIGN.iterdir()}
    assert kinds == {
        "platform.txt": "moordyn",
        "platform_v1.txt": "moordyn",
        "lumps.txt": "moordyn",
        "rods.txt": "moordyn",
        "map.dat": "map",
        "moorpy.yaml": "moorpy",
        "raft.yaml": "raft",
        "famodel.yaml": "famodel",
    }


def test_moorpy_lines_are_exact_catenaries_about_a_float() -> None:
    system = read_moorpy(FOREIGN / "moorpy.yaml", Wishes()).system
    assert system.lines["high"].to == "vessel.lead 1"
    assert system.sections["main"].breaking_load == 9e6
    compare_lines(system)


def test_raft_design_gives_its_mooring() -> None:
    conversion = read_any(FOREIGN / "raft.yaml", Wishes())
    assert conversion.system.environment.gravity == 9.81
    assert any("cost" in note.sentence and note.kind == "left out" for note in conversion.notes)
    compare_lines(conversion.system)


def test_raft_design_may_name_a_moordyn_file(tmp_path: Path) -> None:
    (tmp_path / "lines.dat").write_text((FOREIGN / "platform.txt").read_text())
    (tmp_path / "design.yaml").write_text("mooring: {water_depth: 190, file: lines.dat}\n")
    assert len(read_any(tmp_path / "design.yaml", Wishes()).system.lines) == 3


def test_raft_array_puts_turbines_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "lines.dat").write_text((FOREIGN / "platform.txt").read_text().replace("4     Vessel", "4 Turbine2"))
    (tmp_path / "design.yaml").write_text(
        "array:\n  keys: [mooringID, x_location, y_location]\n  data: [[0, 1, 2], [0, 30, 40]]\n"
        "array_mooring: {file: lines.dat}\nmooring: {water_depth: 190}\n"
    )
    system = read_any(tmp_path / "design.yaml", Wishes()).system
    assert system.bodies["turbine2"].position == (30.0, 40.0, 0.0)


def test_moorpy_takes_the_static_stiffness_of_a_rope(tmp_path: Path) -> None:
    path = tmp_path / "lines.dat"
    path.write_text((FOREIGN / "platform.txt").read_text().replace("7.9e8 ", "7.9e8|9e8 ").replace("-190.0", "seabed"))
    text = path.read_text()
    path.write_text(text.replace("9.81      g\n", ""))
    system = read_any(path, Wishes(), "moorpy").system
    assert system.environment.gravity == 9.81  # MoorPy's default; MoorDyn's is 9.80665
    assert system.sections["chain"].axial_stiffness == 7.9e8
    assert system.points["point1"].position[2] == -190.0


def test_famodel_anchors_lie_at_compass_headings() -> None:
    """Heading 60 of a platform that is turned by 30: 90 by compass, so towards +x."""
    system = read_famodel(FOREIGN / "famodel.yaml", Wishes()).system
    np.testing.assert_allclose(system.points["fowt0_anchor1"].position, (-800 + 58 + 642, 0, -200), atol=1e-9)
    np.testing.assert_allclose(system.points["fowt0_anchor2"].position, (-800 - 58 - 642, 0, -200), atol=1e-9)
    line = system.lines["fowt0_line1"]
    assert [piece.length for piece in line.pieces] == [497.7, 199.8]
    assert (line.attachments[0].s, line.attachments[0].mass) == (497.7, 140.0)
    assert system.bodies["fowt1"].attachments["fairlead1"] == pytest.approx((58.0, 0.0, -14.0))
    summary = rw.statics(system).summary
    np.testing.assert_allclose(summary["lines"]["fowt0_line1"]["end_b"]["position"], (-742, 0, -14), atol=1e-9)


def test_families_have_the_coefficients_of_moorpy() -> None:
    system = read_famodel(FOREIGN / "famodel.yaml", Wishes()).system
    d = 0.182
    polyester = system.sections["polyester 182 mm"]
    assert polyester.mass == pytest.approx(679 * d**2)
    assert polyester.axial_stiffness == pytest.approx(14 * 308e6 * d**2)
    # the volume-equivalent diameter goes with the density of the fibre, 1380 kg/m3
    assert polyester.mass / (math.pi / 4 * polyester.diameter**2) == pytest.approx(1380.0)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("moorpy.yaml", "length: 460", "length: -4", "must be above 0"),
        ("moorpy.yaml", "length: 460", "length: 4m", "'4m' is not a number"),
        ("moorpy.yaml", "length: 460", "length: .nan", ".nan is not a number"),
        ("moorpy.yaml", "type: free", "type: loose", "'loose' is not a type of point"),
        ("moorpy.yaml", "endA: anchor 1", "endA: anchor 2", "there is no point 'anchor 2'"),
        ("moorpy.yaml", "[400, 0, -100]", "[400, 0]", "2 entries where x, y and z"),
        ("moorpy.yaml", "water_depth: 190\n", "", "water_depth is missing"),
        ("raft.yaml", "type: main, length", "type: chain, length", "there is no line type 'chain'"),
        ("famodel.yaml", "- connectorType: h_link", "- connectorType: g_link", "there is no connector 'g_link'"),
        ("famodel.yaml", "fowt1, NONE, 1]", "fowt1, NONE, [1, 2]]", "bridles"),
        ("famodel.yaml", "[fowt0, 0, 1, ms1", "[fowt0, 0, 3, ms1", "there is no platform 3"),
        ("famodel.yaml", "d_nom: 0.1549", "d_nom: 1e200", "not a plausible diameter of a mooring line"),
        ("famodel.yaml", "mooringFamily: chain", "mooringFamily: steel", "family 'steel' is not known"),
        ("famodel.yaml", "- [semi, 60, drag, 0]", "- [semi, 60]", "2 entries where 4 are expected"),
    ],
)
def test_what_cannot_be_converted_is_refused(file: str, old: str, new: str, words: str, tmp_path: Path) -> None:
    text = (FOREIGN / file).read_text()
    assert old in text
    path = tmp_path / file
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read_any(path, Wishes())
    assert words in str(error.value)
    assert f"{file}:" in str(error.value)
