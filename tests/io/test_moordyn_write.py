"""Cases as MoorDyn files, and back: the same statics."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ropewalk as rw
from reference import OC3, OC4, platform
from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.moordyn import read_moordyn
from ropewalk.io.moordyn_write import write_moordyn
from ropewalk.spec.system import System

ROPE = {"diameter": 0.12, "volume_diameter": 0.1, "mass": 12.0, "axial_stiffness": 3.1e7, "damping": 0.02,
        "drag": {"normal": 1.5, "tangential": 0.3, "tangential_reference": "diameter"},
        "added_mass": {"normal": 1.1, "tangential": 0.15}}  # fmt: skip
CHAIN = {"diameter": 0.2, "mass": 190.0, "axial_stiffness": 9e8, "drag": {"normal": 1.2, "tangential": 0.4}}


def case(**changes: Any) -> System:
    return System.model_validate(
        {
            "environment": {"depth": 120.0, "gravity": 9.81, "water_density": 1020.0, "seabed": {"stiffness": 2e5}},
            "sections": {"my rope": ROPE, "chain": CHAIN},
            "points": {
                "anchor": {"position": [-400, 0, -120]},
                "low anchor": {"position": [300, 60, -120]},
                "float": {"position": [0, 0, -20], "joint": "free", "mass": 300, "volume": 22.0, "added_mass": 500.0,
                          "drag_area": 3.0, "force": [2000, -500, 0]},
            },
            "lines": {
                "long": {"from": "anchor", "to": "float",
                         "pieces": [{"section": "chain", "length": 230}, {"section": "my rope", "length": 190.0}],
                         "attachments": [{"s": 300.0, "mass": 200, "volume": 0.6}, {"s": 230.0, "mass": 900.0},
                                         {"s": 300.0, "volume": 0.3}]},
                "short": {"from": "low anchor", "to": "float", "elements": 33,
                          "pieces": [{"section": "my rope", "length": 320.0}]},
            },
            **changes,
        }
    )  # fmt: skip


def back(system: System, folder: Path) -> System:
    written = write_moordyn(system, "lines.txt")
    (folder / "lines.txt").write_text(written.text)
    for name, text in written.files.items():
        (folder / name).write_text(text)
    return read_moordyn(folder / "lines.txt", Wishes()).system


def end_tensions(system: System) -> list[float]:
    """Tensions at the ends of lines, those at joints between pieces left out."""
    lines = rw.statics(system, "catenary").summary["lines"].values()
    return [line[end]["tension"] for line in lines for end in ("end_a", "end_b")]


@pytest.mark.parametrize("data", [OC3, OC4], ids=["OC3", "OC4"])
def test_platform_goes_there_and_back_with_the_same_tensions(data: dict[str, Any], tmp_path: Path) -> None:
    system = platform(data)
    # numbers are written in full, and both find the same root to round-off
    np.testing.assert_allclose(end_tensions(back(system, tmp_path)), end_tensions(system), rtol=1e-9)


def test_pieces_and_lumps_become_lines_and_points_with_the_same_tensions(tmp_path: Path) -> None:
    system = case()
    returned = back(system, tmp_path)
    assert len(returned.lines) == 4
    there = rw.statics(system, "catenary").summary
    here = rw.statics(returned, "catenary").summary
    np.testing.assert_allclose(here["points"]["point3"]["position"], there["points"]["float"]["position"], rtol=1e-9)
    pairs = (
        ("line1", "long", "end_a"),
        ("line3", "long", "end_b"),
        ("line4", "short", "end_a"),
        ("line4", "short", "end_b"),
    )
    for mine, given, end in pairs:
        # Newton stops at 1e-9 of the largest force
        scale = there["lines"][given]["max_tension"]
        assert here["lines"][mine][end]["tension"] == pytest.approx(
            there["lines"][given][end]["tension"], abs=1e-9 * scale
        )


def test_coefficients_are_those_of_the_volume_equivalent_diameter(tmp_path: Path) -> None:
    rope = back(case(), tmp_path).sections["my_rope"]
    assert rope.diameter == 0.1
    assert rope.drag.normal * rope.diameter == pytest.approx(1.5 * 0.12)
    assert rope.drag.tangential * math.pi * rope.diameter == pytest.approx(0.3 * 0.12)
    assert rope.damping == pytest.approx(0.02)
    assert rope.added_mass.normal == 1.1


def test_bodies_keep_their_pose_masses_and_volumes(tmp_path: Path) -> None:
    body = {"mass": 4000.0, "inertia": [9e3, 8e3, 7e3], "centre_of_mass": [0, 0, -0.5], "position": [0, 0, -30],
            "attitude": [10, 20, 30], "volume": 12.0, "attachments": {"eye": [0, 0, -1], "ear": [1, 0, -1]},
            "point_masses": [{"mass": 100, "position": [0, 0, 1]}],
            "loads": {"force": [0, 0, 5e3], "at": [0, 0, 1.5]}}  # fmt: skip
    lines = {
        "a": {"from": "anchor", "to": "buoy.eye", "pieces": [{"section": "my rope", "length": 412}]},
        "b": {"from": "low anchor", "to": "buoy.ear", "pieces": [{"section": "my rope", "length": 322}]},
    }
    anchors = {"anchor": {"position": [-400, 0, -120]}, "low anchor": {"position": [300, 60, -120]}}
    system = case(points=anchors, bodies={"buoy": body}, lines=lines)
    returned = back(system, tmp_path)
    there, here = (rw.statics(s, "catenary").summary for s in (system, returned))
    np.testing.assert_allclose(here["bodies"]["body1"]["position"], there["bodies"]["buoy"]["position"], atol=1e-7)
    np.testing.assert_allclose(here["bodies"]["body1"]["attitude"], there["bodies"]["buoy"]["attitude"], atol=1e-6)
    for mine, given in (("line1", "a"), ("line2", "b")):
        assert here["lines"][mine]["max_tension"] == pytest.approx(there["lines"][given]["max_tension"], rel=1e-9)


def test_cylinder_becomes_a_rod_on_its_body(tmp_path: Path) -> None:
    hull = {"kind": "axisymmetric", "profile": [[-6, 1.5], [4, 1.5]], "drag": {"normal": 0.8, "axial": 1.0},
            "added_mass": {"normal": 1.0, "axial": 0.2}}  # fmt: skip
    buoy = {"mass": 30e3, "inertia": [4e5, 4e5, 4e4], "centre_of_mass": [0, 0, -4], "position": [0, 0, 0], "hull": hull,
            "attachments": {"eye": [0, 0, -6]}}  # fmt: skip
    line = {"from": "anchor", "to": "buoy.eye", "pieces": [{"section": "my rope", "length": 440}]}
    system = case(bodies={"buoy": buoy}, lines={"a": line})
    rod = back(system, tmp_path).bodies["rod1"]
    assert rod.mass == 0.0
    assert (rod.position, rod.hull.profile) == ((0.0, 0.0, -6.0), ((0.0, 1.5), (10.0, 1.5)))
    # the axial coefficients of the hull, shared by its two end faces: half the drag each; of the added mass
    # 0.2 rho pi d^2/4 L half each, of the half sphere rho pi d^3/12
    assert [face.drag for face in (rod.hull.ends.bottom, rod.hull.ends.top)] == pytest.approx([0.5] * 2)
    assert rod.hull.ends.top.added_mass == pytest.approx(0.2 * 1.5 * 10.0 / 3.0)


def test_waves_and_current_go_there_and_back(tmp_path: Path) -> None:
    profile = {"kind": "table", "z": [0, -60], "factor": [1, 0.5]}
    waves = {"kind": "jonswap", "significant_height": 3, "peak_period": 9, "components": 12, "heading": 20}
    current = {"speed": 0.8, "heading": 30, "profile": profile}
    system = case(environment={"depth": 120.0, "current": current, "waves": waves})
    returned = back(system, tmp_path).environment
    from ropewalk.model.environment import build_sea

    there, here = build_sea(system.environment), build_sea(returned)
    np.testing.assert_allclose(here.wave[:3], there.wave[:3], rtol=1e-12)
    np.testing.assert_allclose(np.exp(1j * here.wave[5]), np.exp(1j * there.wave[5]), atol=1e-12)
    assert returned.current.speed == pytest.approx(0.8)
    assert dict(zip(returned.current.profile.z, returned.current.profile.factor, strict=True)) == pytest.approx(
        {0.0: 1.0, -60.0: 0.5}
    )


def test_moordyn_itself_reads_the_file_and_agrees(tmp_path: Path) -> None:
    """MoorDyn's initial condition, dynamic relaxation on 40 segments, against the exact lines."""
    moordyn = pytest.importorskip("moordyn")
    system = platform(OC4)
    (tmp_path / "lines.txt").write_text(write_moordyn(system, "lines.txt").text)
    handle = moordyn.Create(str(tmp_path / "lines.txt"))
    try:
        moordyn.Init(handle, [], [])
        tension = moordyn.GetLineFairTen(moordyn.GetLine(handle, 1))
    finally:
        moordyn.Close(handle)
    # MoorDyn leaves the weight of half a segment out at its ends: 835 m/40/2 of 1065 N/m, and its own threshold 1e-3
    exact = rw.statics(system, "catenary").summary["lines"]["line1"]["end_b"]["tension"]
    assert tension == pytest.approx(exact, rel=0.015)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sections": {"my rope": {**ROPE, "axial_stiffness": "inextensible"}, "chain": CHAIN}}, "inextensible"),
        ({"points": {"a": {"position": [0, 0, -9], "joint": {"axes": {"x": "free"}}}}, "lines": {}}, "all directions"),
        ({"environment": {"depth": 100, "seabed": {"normal": [0.1, 0, 1]}}}, "sloping"),
        ({"lines": {}}, "no lines"),
    ],
)  # fmt: skip
def test_what_moordyn_cannot_hold_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        write_moordyn(case(**changes), "lines.txt")


def test_what_is_left_out_is_listed() -> None:
    points = {**{n: p.model_dump(exclude_unset=True) for n, p in case().points.items()}}
    points["anchor"] |= {"joint": "moving", "motion": {"kind": "tow", "velocity": [1, 0, 0]}}
    sections = {"my rope": ROPE, "my_rope": CHAIN, "chain": CHAIN}
    system = case(points=points, sections=sections, environment={"wind": {"speed": 5}}, run={"duration": 9})
    sentences = " ".join(note.sentence for note in write_moordyn(system, "lines.txt").notes)
    for words in ("motion of point 'anchor'", "wind", "no bed", "no line uses: my_rope", "run: duration"):
        assert words in sentences


def test_sections_whose_names_differ_by_a_blank_keep_apart(tmp_path: Path) -> None:
    lines = {
        "a": {"from": "anchor", "to": "float", "pieces": [{"section": "my rope", "length": 420}]},
        "b": {"from": "low anchor", "to": "float", "pieces": [{"section": "my_rope", "length": 330}]},
    }
    system = back(case(sections={"my rope": ROPE, "my_rope": CHAIN}, lines=lines), tmp_path)
    masses = [system.sections[line.pieces[0].section].mass for line in system.lines.values()]
    assert masses == [12.0, 190.0]
