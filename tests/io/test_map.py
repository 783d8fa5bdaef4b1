"""MAP++ files to cases."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from exact_lines import compare_lines
from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.map import read_map

FOREIGN = Path(__file__).parent / "foreign"
TEXT = (FOREIGN / "map.dat").read_text()
SEA = Wishes(depth=190.0, gravity=9.81, water_density=1025.0)


def test_nodes_of_the_vessel_are_attachments_of_a_body_that_is_held() -> None:
    system = read_map(FOREIGN / "map.dat", SEA).system
    vessel = system.bodies["vessel"]
    assert vessel.joint == "coupled"
    assert vessel.attachments["node2"] == (38.0, 0.0, -12.0)
    assert system.points["node1"].position == (820.0, 0.0, -190.0)
    assert system.points["node4"].joint == "free"
    assert (system.points["node4"].mass, system.points["node4"].volume) == (800.0, 40.0)


def test_repeat_turns_nodes_and_lines_about_z() -> None:
    system = read_map(FOREIGN / "map.dat", SEA).system
    assert len(system.lines) == 9
    c, s = math.cos(math.radians(120.0)), math.sin(math.radians(120.0))
    np.testing.assert_allclose(system.points["node6"].position, (820 * c, 820 * s, -190), rtol=1e-14)
    assert system.lines["line4"].from_ == "node6"


def test_lines_are_exact_catenaries() -> None:
    compare_lines(read_map(FOREIGN / "map.dat", SEA).system)


def test_coefficients_that_are_none_are_listed() -> None:
    notes = [str(note) for note in read_map(FOREIGN / "map.dat", SEA).notes]
    assert any("Cdn -1.0" in note for note in notes)
    assert any("CIntDamp" in note for note in notes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2    Vessel    38.0", "2    Ship    38.0", "'Ship' is not a type of node"),
        ("depth    0     0     #     #     #\n2", "depht    0     0     #     #     #\n2", "column 33, Z: 'depht'"),
        ("tension_fair tension_anch", "tension_fiar", "flag 'tension_fiar' is not known"),
        ("gx_pos", "omit_contact", "omit_contact on some lines only"),
        ("gx_pos", "linear_spring", "linear_spring"),
        ("main      330.0         3         4", "main      330.0         3         7", "there is no node 7"),
        ("800    40    0     0     0", "#    40   0     0     0", "a free node needs its mass"),
        ("0.6  -1.0  0.05", "0.6  -1.0", "8 columns where 9 are expected"),
    ],
)
def test_what_cannot_be_converted_is_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in TEXT
    path = tmp_path / "lines.dat"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        read_map(path, SEA)
    assert words in str(error.value)
    assert "lines.dat:" in str(error.value)


def test_depth_must_be_given() -> None:
    with pytest.raises(InputError, match="give --depth"):
        read_map(FOREIGN / "map.dat", Wishes())


def test_lines_with_friction_of_their_own_are_refused(tmp_path: Path) -> None:
    row = "main         0.14     118.5          7.9E8     0.0   1.0E8     0.6  -1.0  0.05\n"
    text = TEXT.replace(row, row + row.replace("main ", "rope ").replace("0.0   1.0E8", "0.5   0"))
    path = tmp_path / "lines.dat"
    path.write_text(text.replace("3       main", "3       rope"))
    with pytest.raises(InputError, match=r"line types with CB 0, 0\.5"):
        read_map(path, SEA)
