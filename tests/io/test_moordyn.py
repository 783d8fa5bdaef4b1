"""MoorDyn files to cases: what each column becomes, and the statics of the case against the exact catenary."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw
from exact_lines import compare_lines
from ropewalk.errors import InputError
from ropewalk.io.conversion import Conversion, Wishes
from ropewalk.io.moordyn import read_moordyn
from ropewalk.io.native import read_text
from ropewalk.model.environment import bed_levels, build_sea
from ropewalk.spec.system import System

FOREIGN = Path(__file__).parent / "foreign"
PLATFORM = (FOREIGN / "platform.txt").read_text()


def convert(text: str, tmp_path: Path, **wishes) -> Conversion:
    path = tmp_path / "lines.txt"
    path.write_text(text)
    return read_moordyn(path, Wishes(**wishes))


def refusal(text: str, tmp_path: Path, **wishes) -> str:
    with pytest.raises(InputError) as error:
        convert(text, tmp_path, **wishes)
    return str(error.value)


def test_columns_of_version_2_become_sections_points_and_lines() -> None:
    conversion = read_moordyn(FOREIGN / "platform.txt", Wishes())
    system = conversion.system
    chain = system.sections["chain"]
    assert (chain.diameter, chain.mass, chain.axial_stiffness) == (0.14, 118.5, 7.9e8)
    assert (chain.drag.normal, chain.drag.tangential) == (1.4, 0.4)
    assert chain.drag.tangential_reference == "circumference"
    assert (chain.added_mass.normal, chain.added_mass.tangential) == (1.0, 0.1)
    assert [p.joint for p in system.points.values()] == ["fixed"] * 3 + ["coupled"] * 3
    assert (system.lines["line2"].from_, system.lines["line2"].to) == ("point2", "point5")
    assert [line.elements for line in system.lines.values()] == [40, 40, 25]
    sea = system.environment
    assert (sea.depth, sea.gravity, sea.water_density) == (190.0, 9.81, 1025.0)
    assert (sea.seabed.stiffness, sea.seabed.damping, sea.seabed.friction) == (1e5, 1e4, 0.0)
    assert system.record.every == 0.2


def test_damping_ratio_is_of_a_segment_with_the_mass_in_air() -> None:
    """BA = zeta (L/N) sqrt(EA m), so the damping time is zeta (L/N) sqrt(m/EA): one section for each L/N."""
    system = read_moordyn(FOREIGN / "platform.txt", Wishes()).system
    for line, segments in (("line1", 40), ("line3", 25)):
        section = system.sections[system.lines[line].pieces[0].section]
        assert section.damping == pytest.approx(0.8 * 812.5 / segments * math.sqrt(118.5 / 7.9e8), rel=1e-14)


def test_damping_in_newton_seconds_is_divided_by_the_stiffness() -> None:
    system = read_moordyn(FOREIGN / "lumps.txt", Wishes()).system
    assert system.sections["wire"].damping == 2.0e6 / 3.1e8


def test_version_1_gives_the_same_case_as_version_2() -> None:
    one, two = (read_moordyn(FOREIGN / f"{name}.txt", Wishes()) for name in ("platform_v1", "platform"))
    assert one.source == "MoorDyn v1"
    for parts in ("sections", "points", "lines", "environment"):
        assert getattr(one.system, parts) == getattr(two.system, parts)


def test_case_text_reads_back_equal_and_holds_the_notes() -> None:
    for name in ("platform", "lumps", "rods"):
        conversion = read_moordyn(FOREIGN / f"{name}.txt", Wishes())
        text = conversion.text()
        assert read_text(text) == conversion.system
        squeezed = " ".join(line.strip("# -") for line in text.splitlines())
        for note in conversion.notes:
            assert " ".join(note.sentence.split()[:6]) in squeezed


@pytest.mark.parametrize("where", ["at rest", "surged", "pitched"])
def test_platform_of_three_lines_has_the_exact_tensions(where: str, tmp_path: Path) -> None:
    text = PLATFORM
    leads = {4: (38.0, 0.0, -12.0), 5: (-19.0, 32.91, -12.0), 6: (-19.0, -32.91, -12.0)}
    for number, place in leads.items():
        x, y, z = place
        if where == "surged":
            moved = (x + 9.0, y, z)
        elif where == "pitched":
            c, s = math.cos(math.radians(6.0)), math.sin(math.radians(6.0))
            moved = (c * x + s * z, y, -s * x + c * z)
        else:
            moved = place
        row = next(line for line in text.splitlines() if line.startswith(f"{number}     ") and "-12.0" in line)
        word = row.split()[1]
        text = text.replace(row, f"{number} {word} {moved[0]!r} {moved[1]!r} {moved[2]!r} 0 0 0 0")
    compare_lines(convert(text, tmp_path).system)


def test_clump_weight_and_float_balance_the_exact_lines() -> None:
    system = read_moordyn(FOREIGN / "lumps.txt", Wishes()).system
    compare_lines(system)
    equilibrium = rw.statics(system, "catenary").summary
    sea = system.environment
    for name in ("point2", "point3"):
        point = system.points[name]
        own = (sea.water_density * point.volume - point.mass) * sea.gravity
        total = np.array(point.force) + np.array([0.0, 0.0, own])
        for line_name, line in system.lines.items():
            for end, place in (("end_a", line.from_), ("end_b", line.to)):
                if place == name:
                    total += equilibrium["lines"][line_name][end]["force"]
        # Newton stops where forces balance to 1e-9 of the largest, 2.7e5 N
        assert np.abs(total).max() < 1e-8 * 2.7e5


def test_single_hanging_line_has_the_exact_tensions(tmp_path: Path) -> None:
    text = PLATFORM.replace("812.5 ", "850.0 ").replace("190       WtrDpth", "400 WtrDpth")
    compare_lines(convert(text, tmp_path).system)


def test_rods_and_what_hangs_on_bodies() -> None:
    system = read_moordyn(FOREIGN / "rods.txt", Wishes()).system
    rod = system.bodies["rod1"]
    assert rod.mass == pytest.approx(1500.0 * 18.0)
    assert rod.hull.profile == ((0.0, 2.0), (18.0, 2.0))
    assert rod.hull.drag.axial == rod.hull.added_mass.axial == 0.0
    assert [(face.drag, face.added_mass) for face in (rod.hull.ends.bottom, rod.hull.ends.top)] == [(0.6, 0.7)] * 2
    assert system.links["rod1"].kind == "rigid"
    assert system.links["rod3"].kind == "ball"
    assert system.lines["line2"].to == "body1.rod4"  # a rod without length is a place
    assert system.lines["line4"].to == "body2.rod2b"  # a rod on a body that is held, too
    body = system.bodies["body1"]
    assert body.point_masses[0].mass == 500.0
    volume = 12.0 + 0.1
    centre = (np.array([0, 0, -11.0]) * 12.0 + np.array([-2.0, 0, -10.0]) * 0.1) / volume
    assert body.loads.force == pytest.approx((0.0, 0.0, 1025.0 * 9.81 * volume))
    assert body.loads.at == pytest.approx(tuple(centre))
    assert body.added_mass[2][2] == pytest.approx(1025.0 * (0.4 * 12.0 + 1.0 * 0.1))


def test_missing_depth_is_that_of_the_lowest_point(tmp_path: Path) -> None:
    conversion = convert(PLATFORM.replace("190       WtrDpth     water depth (m)\n", ""), tmp_path)
    assert conversion.system.environment.depth == 190.0
    assert any(note.kind == "assumed" and "lowest point" in note.sentence for note in conversion.notes)
    assert convert(PLATFORM, tmp_path, depth=200.0).system.environment.depth == 200.0


def test_missing_row_of_units_is_read_as_data(tmp_path: Path) -> None:
    text = PLATFORM.replace("(#)   (-)         (m)      (m)      (m)    (kg)   (m^3)  (m^2)  (-)\n", "")
    conversion = convert(text, tmp_path)
    assert len(conversion.system.points) == 6
    assert any("units is missing" in note.sentence for note in conversion.notes)


def test_reversed_option_is_read_and_listed() -> None:
    conversion = read_moordyn(FOREIGN / "lumps.txt", Wishes())
    assert conversion.system.environment.depth == 140.0
    assert any("reverse order" in note.sentence and note.line == 21 for note in conversion.notes)


def test_tabs_and_crlf_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "tabs.txt"
    path.write_bytes("\t".join(PLATFORM.split(" ")).replace("\n", "\r\n").encode())
    assert read_moordyn(path, Wishes()).system.lines == convert(PLATFORM, tmp_path).system.lines


def test_friction_is_written_and_acts_only_on_what_moves(tmp_path: Path) -> None:
    conversion = convert(PLATFORM.replace("0.001     dtM", "0.6 FrictionCoefficient"), tmp_path)
    bed = conversion.system.environment.seabed
    assert (bed.friction, bed.pulled) == (0.6, False)


def test_stiffness_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "rope.dat").write_text("----\nstrain tension\n(-) (N)\n0 0\n0.01 1e5\n0.03 4e5\n")
    system = convert(PLATFORM.replace("7.9e8", "rope.dat"), tmp_path).system
    law = system.sections["chain"].axial_stiffness
    assert (law.strain, law.tension) == ((0.0, 0.01, 0.03), (0.0, 1e5, 4e5))
    assert system.sections["chain"].damping == pytest.approx(0.8 * 812.5 / 40 * math.sqrt(118.5 / 1e7))


TYPE = "chain      0.14     118.5      7.9e8      -0.8        0    1.4    1.0   0.40   0.10"
REFUSED = [
    (
        TYPE,
        TYPE.replace("7.9e8", "7.9e8N"),
        r"lines.txt:6: column 32, EA: '7.9e8N' is not a number; did you mean 7.9e8?",
    ),
    (TYPE, TYPE.replace("118.5", "nan"), "column 21, Mass/m: nan is not usable as a number"),
    (TYPE, TYPE + " 0.3 0.1", "12 columns; line types have 10"),
    (TYPE, TYPE.replace("        0    ", "     3e4     "), "--ignore-bending"),
    (TYPE, TYPE.replace("7.9e8", "1e8|2e8"), "BA_s: -0.8 must be above 0"),
    (TYPE, TYPE.replace("7.9e8", "1e8|2e8|3|4").replace("-0.8", "1e9"), "4 numbers between bars"),
    (TYPE, TYPE.replace("7.9e8", "2e8|1e8").replace("-0.8", "1e9"), "must be above the static 2e+08 N"),
    (TYPE, TYPE.replace("-0.8", "1e9|1e7"), "two dampings"),
    (TYPE, TYPE.replace("7.9e8", "SYROPE:a.dat|1e8|2").replace("-0.8", "1e9"), "EA names a file"),
    (TYPE, TYPE.replace("7.9e8", "-1"), "must be above 0"),
    ("1     Fixed ", "1     Fixd ", "'Fixd' is not an attachment; did you mean Fixed?"),
    ("1     Fixed ", "1     Turbine2 ", "--turbine 2=X,Y,Z"),
    ("1     Fixed ", "1     Body1 ", "there is no body 1"),
    ("1     Fixed ", "2     Fixed ", "point 2 is given twice"),
    ("1        4        812.5", "1        9        812.5", "there is no point 9"),
    ("1        4        812.5", "1        X4       812.5", "'X4' is not a line end"),
    ("1        4        812.5", "1        4        0", "must be above 0"),
    ("1     chain      1 ", "1     chian      1 ", "there is no line type 'chian'; did you mean 'chain'?"),
    ("9.81      g", "9.81 grvity", "no option 'grvity'; did you mean gravity?"),
    ("9.81      g", "9.81", "is not a value and a key"),
    ("0.001     dtM", "4 WaveKin", "WaveKin 4 is not known"),
    ("0.001     dtM", "3 Currents", "Currents 3 is not known"),
    ("0.001     dtM", "bed.txt SeafloorFile", "bathymetry"),
    ("0.001     dtM", "0.3 MU_KT", "friction 0.3 across and 0 along"),
    ("0.001     dtM", "200 depth", "depth is given twice"),
    ("0.0    -12.0    0     0      0     0", "0.0    -12.0    0     0      0", "8 columns where 9 are expected"),
    ("---------------------- OUTPUTS", "---- ANCHORS ---\n1 2 3\n------ OUTPUTS", "section 'ANCHORS' is not known"),
    ("---------------------- OUTPUTS", "--- LINES ---\n--- OUTPUTS", "a second section of lines"),
    ("AttachA  AttachB  UnstrLen  NumSegs", "UnstrLen NumSegs NodeA NodeB", "UnstrLen stands in column 3"),
]


@pytest.mark.parametrize(("old", "new", "words"), REFUSED, ids=[words[:40] for _, _, words in REFUSED])
def test_what_cannot_be_converted_is_refused_with_its_line(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in PLATFORM
    text = refusal(PLATFORM.replace(old, new, 1), tmp_path)
    assert words in text.replace("\n", " ")
    assert "lines.txt:" in text


def test_bending_is_left_out_where_asked(tmp_path: Path) -> None:
    text = PLATFORM.replace(TYPE, TYPE.replace("        0    ", "     3e4     "))
    conversion = convert(text, tmp_path, ignore_bending=True)
    assert any(note.kind == "left out" and "30000 N m2" in note.sentence for note in conversion.notes)


def test_turbines_stand_where_the_user_puts_them(tmp_path: Path) -> None:
    text = PLATFORM.replace("4     Vessel ", "4     Turbine2 ")
    system = convert(text, tmp_path, turbines={2: (10.0, 0.0, 0.0)}).system
    assert system.lines["line1"].to == "turbine2.point4"
    assert system.bodies["turbine2"].position == (10.0, 0.0, 0.0)


def test_failures_become_breaks(tmp_path: Path) -> None:
    failure = "--- FAILURE ---\nID Point Line(s) FailTime FailTen\n() () (,) (s) (N)\n1 4 1 12 0\n2 2 2 0 9e5\n"
    text = PLATFORM.replace("---------------------- SOLVER", failure + "---- SOLVER")
    system = convert(text, tmp_path).system
    assert (system.lines["line1"].break_.s, system.lines["line1"].break_.time) == (812.5, 12.0)
    assert (system.lines["line2"].break_.s, system.lines["line2"].break_.tension) == (0.0, 9e5)


def test_external_loads_become_forces_and_damping(tmp_path: Path) -> None:
    text = (
        (FOREIGN / "rods.txt")
        .read_text()
        .replace("12.0     0    0.4", "0     0    0.4")
        .replace("500   0.1 ", "500 0 ")
    )
    rows = "--- EXTERNAL LOADS ---\nID Object Fext Blin Bquad CSys\n(#) (name) (N) () () (-)\n"
    rows += "1 Body1 1e4|0|-2e3 5|6|7 2|0|1 G\n2 Point1 1|2|3 0 0 -\n3 Body1 0 0 0.5 G\n"
    text = text.replace("---------------------- OPTIONS", rows + "--- OPTIONS")
    system = convert(text, tmp_path).system
    assert system.bodies["body1"].loads.force == (1e4, 0.0, -2e3)
    assert [system.bodies["body1"].damping[k][k] for k in range(6)] == [5.0, 6.0, 7.0, 0.0, 0.0, 0.0]
    assert [system.bodies["body1"].quadratic_damping[k][k] for k in range(6)] == [2.5, 0.5, 1.5, 0.0, 0.0, 0.0]
    assert system.points["point1"].force == (1.0, 2.0, 3.0)


def test_drag_of_bodies_is_that_of_their_areas(tmp_path: Path) -> None:
    """CdA has one, two (all directions, all turns), three or six numbers."""
    text = (FOREIGN / "rods.txt").read_text()
    row = next(line for line in text.splitlines() if line.split()[:2] == ["1", "free"])
    for given, wanted in {"3": [3.0] * 6, "3|4": [3.0] * 3 + [4.0] * 3, "1|2|3": [1.0, 2.0, 3.0] * 2,
                          "1|2|3|4|5|6": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}.items():  # fmt: skip
        words = row.split()
        words[12] = given  # CdA
        (drag,) = convert(text.replace(row, " ".join(words)), tmp_path).system.bodies["body1"].drag_areas
        assert [*drag.areas, *drag.turnings] == wanted


def test_angles_of_bodies_are_turned_over(tmp_path: Path) -> None:
    """MoorDyn turns about the axes of the body as they move, Rx Ry Rz; a case about those of the world, Rz Ry Rx."""
    text = (FOREIGN / "rods.txt").read_text().replace("-5     0      0      30", "-5   20     30      40")
    attitude = convert(text, tmp_path).system.bodies["body2"].attitude
    from scipy.spatial.transform import Rotation

    here = Rotation.from_euler("xyz", attitude, degrees=True)
    there = Rotation.from_euler("XYZ", (20, 30, 40), degrees=True)
    np.testing.assert_allclose(here.as_matrix(), there.as_matrix(), atol=1e-12)


def test_wave_components_are_sines_in_moordyn(tmp_path: Path) -> None:
    (tmp_path / "wave_frequencies.txt").write_text("0 0 0\n0.5 1.2 0.5 0.3\n0.8 0 -0.4\n")
    waves = convert(PLATFORM.replace("0.001     dtM", "7 WaveKin"), tmp_path).system.environment.waves
    t = np.linspace(0.0, 30.0, 50)
    here = sum(c.amplitude * np.cos(math.tau / c.period * t - c.phase) for c in waves.components)
    there = 1.3 * np.sin(0.5 * t + math.atan2(0.5, 1.2)) + 0.4 * np.sin(0.8 * t - 0.5 * math.pi)
    np.testing.assert_allclose(here, there, atol=1e-12)
    assert waves.components[0].heading == pytest.approx(math.degrees(0.3))


def test_elevation_becomes_its_fourier_components(tmp_path: Path) -> None:
    t = 0.5 * np.arange(120)
    z = 1.1 * np.cos(math.tau / 12.0 * t - 0.4) + 0.3 * np.sin(math.tau / 6.0 * t)
    rows = (f"{a!r} {b!r}" for a, b in zip(t.tolist(), z.tolist(), strict=True))
    (tmp_path / "wave_elevation.txt").write_text("\n".join(rows))
    text = PLATFORM.replace("0.001     dtM", "3 WaveKin\n0.5 dtWave")
    waves = convert(text, tmp_path).system.environment.waves
    here = sum(c.amplitude * np.cos(math.tau / c.period * t - c.phase) for c in waves.components)
    assert len(waves.components) == 2
    np.testing.assert_allclose(here, z, atol=1e-12)


def test_current_profile_is_kept_layer_by_layer(tmp_path: Path) -> None:
    head = "--- currents ---\ntable\nz ux uy uz\n"
    (tmp_path / "current_profile.txt").write_text(head + "-190 0 0 0\n-50 0.3 0 0\n0 0.6 0.8 0\n")
    current = convert(PLATFORM.replace("0.001     dtM", "1 Currents"), tmp_path).system.environment.current
    profile = current.profile
    for z, ux, uy in ((-190, 0, 0), (-50, 0.3, 0), (0, 0.6, 0.8)):
        k = profile.z.index(z)
        angle = math.radians(current.heading + profile.turn[k])
        speed = current.speed * profile.factor[k]
        assert (speed * math.cos(angle), speed * math.sin(angle)) == pytest.approx((ux, uy), abs=1e-14)


def test_water_kinematics_of_the_fortran_dialect(tmp_path: Path) -> None:
    (tmp_path / "water.dat").write_text(
        "MoorDyn Waves and Currents\n--- WAVES ---\n0 WaveKinMod\n--- CURRENT ---\n1 CurrentMod\n0 - z type\n"
        "0 - z data\nz-depth x-current y-current\n(m) (m/s) (m/s)\n0.0 0.9 0.0\n150 0.3 0.0\n--- need this line ---\n"
    )
    current = convert(PLATFORM.replace("0.001     dtM", '"water.dat" WaterKin'), tmp_path).system.environment.current
    assert (current.speed, current.profile.z, current.profile.factor) == (
        0.9,
        (0.0, -150.0),
        (1.0, pytest.approx(1 / 3)),
    )


def test_still_water_leaves_waves_and_currents_out(tmp_path: Path) -> None:
    conversion = convert(PLATFORM.replace("0.001     dtM", "1 WaveKin"), tmp_path, still_water=True)
    assert conversion.system.environment.waves is None
    assert any("--still-water" in note.sentence for note in conversion.notes)


def test_number_behind_an_attachment_word_is_listed(tmp_path: Path) -> None:
    conversion = convert(PLATFORM.replace("1     Fixed ", "1     Fixed7 "), tmp_path)
    assert conversion.system.points["point1"].joint == "fixed"
    assert any("the number in Fixed7" in note.sentence for note in conversion.notes)


def test_rod_on_a_body_floats_as_one_hull_would() -> None:
    """A cylinder linked rigidly to its body, against the same cylinder as the body's own hull."""
    system = read_moordyn(FOREIGN / "rods.txt", Wishes()).system
    data = system.model_dump(by_alias=True, exclude_unset=True, mode="json")
    del data["bodies"]["rod3"], data["points"]["rod3_pin"], data["links"]["rod3"]
    data["points"]["post"] = {"position": [60.0, 0.0, -38.0]}
    data["lines"]["line3"]["from"] = "post"
    linked = System.model_validate(data)
    rod, body = data["bodies"].pop("rod1"), data["bodies"]["body1"]
    del data["links"]
    data["lines"]["line3"]["to"] = "body1.rod1"
    masses, places = np.array([body["mass"], rod["mass"]]), np.array([[0.0, 0.0, -11.0], [0.0, 0.0, -3.0]])
    centre = masses @ places / masses.sum()
    inertia = np.array(body["inertia"]) + np.array(rod["inertia"])
    inertia[:2] += masses @ (places[:, 2] - centre[2]) ** 2
    body |= {"mass": masses.sum(), "centre_of_mass": list(centre), "inertia": list(inertia)}
    body["hull"] = {"kind": "axisymmetric", "profile": [[-12.0, 2.0], [6.0, 2.0]]}
    one = rw.statics(System.model_validate(data), "fem").summary
    two = rw.statics(linked, "fem").summary
    # both stop where forces balance to 1e-6 N of 1e6 N on a waterplane of 1.3e5 N/m
    np.testing.assert_allclose(two["bodies"]["body1"]["position"], one["bodies"]["body1"]["position"], atol=1e-6)
    np.testing.assert_allclose(two["bodies"]["body1"]["attitude"], one["bodies"]["body1"]["attitude"], atol=1e-5)
    for line in ("line1", "line2", "line3"):
        assert two["lines"][line]["max_tension"] == pytest.approx(one["lines"][line]["max_tension"], rel=1e-6)


C_BED = """2 3
-900 900
-800 0 800
-900 -800 -200
900 -800 -220
-900 0 -205
900 0 -225
-900 800 -210
900 800 -230
"""
FORTRAN_BED = """---- MoorDyn Bathymetry Input File ----
nGridX 2
nGridY 3
       -900 900
-800    200 220
0       205 225
800     210 230
"""


@pytest.mark.parametrize(("bed", "option"), [(C_BED, "SeafloorFile"), (FORTRAN_BED, "WtrDpth")])
def test_bathymetry_becomes_a_bed_on_a_grid_that_is_level_beyond_it(bed: str, option: str, tmp_path: Path) -> None:
    (tmp_path / "bed.txt").write_text(bed)
    old = next(line for line in PLATFORM.splitlines() if ("dtM" if option == "SeafloorFile" else "WtrDpth") in line)
    conversion = convert(PLATFORM.replace(old, f"bed.txt {option}"), tmp_path)
    sea = build_sea(conversion.system.environment)
    places = np.array([[-900.0, 0.0], [900.0, 800.0], [0.0, 0.0], [-5000.0, -5000.0], [5000.0, 0.0]])
    # on the grid; beyond it the nearest edge; in the middle of two depths the smooth bed is between them by symmetry
    assert bed_levels(sea, places) == pytest.approx([-205.0, -230.0, -215.0, -200.0, -225.0], rel=1e-12)
    assert any("bathymetry of 2 by 3 depths" in str(note) for note in conversion.notes)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("2 3\n", "2 4\n", "3 numbers where 4 places along y"),
        ("900 800 -230\n", "", "5 rows of x, y, z where the grid has 2 times 3"),
        ("900 800 -230", "900 801 -230", "is not a point of the grid"),
        ("900 800 -230", "900 0 -230", "x = 900, y = 0 is given twice"),
        ("900 800 -230", "900 800 -23o", "'-23o' is not a number"),
        ("-900 900\n", "900 -900\n", "grid values along x do not increase"),
    ],
)
def test_a_wrong_bathymetry_file_is_refused_with_its_line(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in C_BED
    (tmp_path / "bed.txt").write_text(new.join(C_BED.rsplit(old, 1)) if "800" in old else C_BED.replace(old, new, 1))
    sentence = refusal(PLATFORM.replace("0.001     dtM", "bed.txt SeafloorFile"), tmp_path)
    assert words in sentence
    assert "bed.txt:" in sentence


def test_a_depth_of_ones_own_takes_the_place_of_bathymetry(tmp_path: Path) -> None:
    text = PLATFORM.replace("0.001     dtM", "bed.txt SeafloorFile")
    assert convert(text, tmp_path, depth=300.0).system.environment.seabed.kind == "elastic"
