"""Currents and sea states that MoorDyn files name."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.moordyn import read_moordyn

FILE = """one line
--- LINE TYPES ---
TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)
rope 0.15 20 1e7 -1 0 1.2 1.0 0.1 0.0
--- POINTS ---
ID Attachment X Y Z Mass Volume CdA Ca
(#) (-) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 0 0 -100 0 0 0 0
2 Coupled 60 0 -20 0 0 0 0
--- LINES ---
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (#) (#) (m) (-) (-)
1 rope 1 2 101 10 p
--- OPTIONS ---
100 WtrDpth
{option}
--- need this line ---
"""
DYNAMIC = "-- currents\nnames\n2\n3\n-100 -50 0\n\n{rows}\n"
SEA = """------- SeaState Input File ----------
a sea
------ WAVES ------
{mode} WaveMod - model
{st} WaveStMod - stretching
0.5 WaveDT
4.0 WaveHs - height
9.0 WaveTp - period
"DEFAULT" WavePkShp
30 WaveDir
0 WaveDirMod
-77 WaveSeed(1)
"rec" WvKinFile
100 WtrDpth
------ CURRENT -----
{current} CurrMod
0.7 CurrSSV0
0 CurrSSDir
10 CurrNSRef
0.5 CurrNSV0
90 CurrNSDir
0.2 CurrDIV
180 CurrDIDir
"""


def environment(folder: Path, option: str, **files: str):
    """Of the case that a file with an option and files beside it becomes."""
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    (folder / "lines.txt").write_text(FILE.format(option=option))
    return read_moordyn(folder / "lines.txt", Wishes()).system.environment


def test_layers_that_change_alike_are_a_profile_with_a_speed_in_time(tmp_path: Path) -> None:
    rows = "0 0 0 0 0 0 0\n10 0.5 1.0 2.0 0 0 0\n20 -0.25 -0.5 -1.0 0 0 0"
    current = environment(tmp_path, "2 Currents", current_profile_dynamic=DYNAMIC.format(rows=rows)).current
    assert current.profile.kind == "table"
    assert current.profile.factor == pytest.approx((0.25, 0.5, 1.0))
    assert current.speed.value == pytest.approx((0.0, 2.0, -1.0))


def test_layers_that_change_by_themselves_are_a_grid(tmp_path: Path) -> None:
    rows = "0 0 0 1\n10 0.5 1.0 2.0"
    current = environment(tmp_path, "2 Currents", current_profile_dynamic=DYNAMIC.format(rows=rows)).current
    assert current.profile.kind == "grid"
    assert current.profile.time == (0.0, 10.0)
    assert current.profile.velocity[3:] == ((0.5, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))


def test_four_dimensional_grid_is_read_in_any_order(tmp_path: Path) -> None:
    head = "2 1 2 1\n-1 1\n0\n-3 0\n0\n"
    body = ["-1 0 -3 0 1 0 0", "-1 0 0 0 2 0 0", "1 0 -3 0 3 0 0", "1 0 0 0 4 0 0.5"]
    for rows in (body, body[::-1]):
        current = environment(tmp_path, "5 Currents", current_profile_4d=head + "\n".join(rows)).current
        assert [row[0] for row in current.profile.velocity] == [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(InputError, match="1 grid points have no velocity"):
        environment(tmp_path, "5 Currents", current_profile_4d=head + "\n".join(body[:3]))
    with pytest.raises(InputError, match="not a point of the grid"):
        environment(tmp_path, "5 Currents", current_profile_4d=head + "7 0 -3 0 1 0 0")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("0 1 2", "3 columns; a time and 1, 2 or 3 velocities at each of 3 heights"),
        ("0 1 2 x", "'x' is not a number"),
        ("5 1 1 1\n5 1 1 1", "time must increase"),
    ],
)
def test_currents_in_time_that_do_not_fit_are_refused_with_line(tmp_path: Path, rows: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        environment(tmp_path, "2 Currents", current_profile_dynamic=DYNAMIC.format(rows=rows))


def test_water_of_a_calling_program_is_left_out_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text(FILE.format(option="1 WaveKin"))
    conversion = read_moordyn(tmp_path / "lines.txt", Wishes())
    assert conversion.system.environment.waves is None
    assert any("WaveKin 1" in note.sentence and note.kind == "left out" for note in conversion.notes)


def test_sea_state_beside_the_file_gives_waves_and_current(tmp_path: Path) -> None:
    (tmp_path / "My_SeaState.dat").write_text(SEA.format(mode=2, st=3, current=1))
    sea = environment(tmp_path, "SEASTATE WaterKin")
    assert (sea.waves.kind, sea.waves.significant_height, sea.waves.peak_period) == ("jonswap", 4.0, 9.0)
    assert sea.waves.gamma == pytest.approx(math.exp(5.75 - 1.15 * 9.0 / 2.0))
    assert (sea.waves.heading, sea.waves.seed, sea.waves.stretching) == (30.0, 77, "wheeler")
    # at the surface the three parts add up: 0.7 - 0.2 along x, 0.5 along y; below 10 m no near-surface part is left
    profile, heading = sea.current.profile, sea.current.heading
    top = max(range(len(profile.z)), key=lambda k: profile.z[k])
    assert sea.current.speed * profile.factor[top] == pytest.approx(math.hypot(0.5, 0.5))
    assert heading + profile.turn[top] == pytest.approx(45.0)
    k = profile.z.index(-50.0)
    assert sea.current.speed * profile.factor[k] == pytest.approx(0.7 * 0.5 ** (1 / 7) - 0.2)
    assert heading + profile.turn[k] == pytest.approx(0.0, abs=1e-9)


def test_regular_waves_and_elevations_of_a_sea_state(tmp_path: Path) -> None:
    (tmp_path / "SeaState.dat").write_text(SEA.format(mode="1P30", st=0, current=0))
    waves = environment(tmp_path, "SEASTATE WaterKin").waves
    assert (waves.kind, waves.height, waves.phase) == ("regular", 4.0, pytest.approx(-math.radians(30)))
    (tmp_path / "SeaState.dat").write_text(SEA.format(mode=5, st=0, current=0))
    series = "\n".join(f"{0.5 * k} {1.5 * math.cos(math.tau * 0.5 * k / 8.0)}" for k in range(64))
    (tmp_path / "rec.Elev").write_text(series)
    waves = environment(tmp_path, "SEASTATE WaterKin").waves
    largest = max(waves.components, key=lambda c: c.amplitude)
    assert largest.period == pytest.approx(8.0)
    assert largest.amplitude == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("mode", "current", "words"), [(7, 0, "WaveMod 7 is not converted"), (0, 2, "CurrMod '2' is not converted")]
)
def test_other_sea_states_are_refused(tmp_path: Path, mode: int, current: int, words: str) -> None:
    (tmp_path / "SeaState.dat").write_text(SEA.format(mode=mode, st=0, current=current))
    with pytest.raises(InputError, match=words):
        environment(tmp_path, "SEASTATE WaterKin")


def test_missing_sea_state_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"must be beside this file; there is none. --still-water"):
        environment(tmp_path, "SEASTATE WaterKin")


def test_files_beside_and_above_the_input_are_read(tmp_path: Path) -> None:
    inner = tmp_path / "Mooring"
    inner.mkdir()
    (inner / "stretch.dat").write_text("strain tension\n(-) (N)\n---\n0 0\n0.1 1e6\n")
    text = FILE.format(option="").replace("1e7 -1 0", "{} 0 0")
    for name in ("stretch.dat", "./stretch.dat", "../Mooring/stretch.dat", "Mooring/stretch.dat"):
        (inner / "lines.txt").write_text(text.format(name))
        conversion = read_moordyn(inner / "lines.txt", Wishes())
        assert conversion.system.sections["rope"].axial_stiffness.tension[-1] == 1e6
    (inner / "lines.txt").write_text(text.format("/etc/stretch.dat"))
    with pytest.raises(InputError, match="absolute"):
        read_moordyn(inner / "lines.txt", Wishes())
