"""Visco-elastic and Syrope ropes and vortex-induced lift in MoorDyn files, read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ropewalk.errors import InputError
from ropewalk.io.conversion import Wishes
from ropewalk.io.moordyn import read_moordyn
from ropewalk.io.moordyn_write import write_moordyn
from ropewalk.spec.ropes import SyropeLaw, ViscoelasticLaw

LINE = """taut rope
--- LINE TYPES ---
TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx{names}
(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-){units}
rope 0.15 20 {EA} {BA} 0 1.2 1.0 0.1 0.0{lift}
--- POINTS ---
ID Attachment X Y Z Mass Volume CdA Ca
(#) (-) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 0 0 -100 0 0 0 0
2 Coupled 60 0 -20 0 0 0 0
--- LINES ---
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (#) (#) (m) (-) (-)
1 rope 1 2 99.5 10 p
{ic}--- OPTIONS ---
100 WtrDpth
--- need this line ---
"""
CURVE = "Strain Tension\n(-) (N)\n0 0\n0.01 1e6\n0.03 4e6\n"
SYROPE = "curve.dat OWC table\nQUADRATIC WCType form\n0.3 k1 first\n0.4 k2 second\n"
IC = "--- SYROPE IC ---\nLine(s) Tmax0 Tmean0\n(-) (N) (N)\n1 1.5e6 1e6\n"


def text_of(EA: str, BA: str, lift: str = "", ic: str = "") -> str:
    """A file with one line of these properties."""
    names, units = (" Cl dF cF", " (-) (-) (-)") if lift.count(" ") == 3 else (" Cl", " (-)") if lift else ("", "")
    return LINE.format(EA=EA, BA=BA, lift=lift, ic=ic, names=names, units=units)


def converted(folder: Path, text: str):
    """The conversion of a file."""
    path = folder / "lines.txt"
    path.write_text(text)
    return read_moordyn(path, Wishes())


def back_and_forth(folder: Path, system):
    """The case after it was written as a MoorDyn file and read again."""
    written = write_moordyn(system, "again.txt")
    for name, text in written.files.items():
        (folder / name).write_text(text)
    (folder / "again.txt").write_text(written.text)
    return read_moordyn(folder / "again.txt", Wishes()).system


def test_viscoelastic_rope_with_a_constant_dynamic_stiffness(tmp_path: Path) -> None:
    system = converted(tmp_path, text_of("1e8|3e8", "4e9|1e7")).system
    law = system.sections["rope"].axial_stiffness
    assert isinstance(law, ViscoelasticLaw)
    assert (law.static, law.dynamic, law.dynamic_slope) == (1e8, 3e8, 0.0)
    assert (law.viscosity, law.dynamic_viscosity) == (4e9, 1e7)
    assert back_and_forth(tmp_path, system).sections["rope"].axial_stiffness == law.replace(dynamic_slope=0.0)


def test_viscoelastic_rope_whose_stiffness_grows_with_the_mean_load(tmp_path: Path) -> None:
    law = converted(tmp_path, text_of("1e8|1.5e8|20", "4e9")).system.sections["rope"].axial_stiffness
    assert (law.dynamic, law.dynamic_slope, law.dynamic_viscosity) == (1.5e8, 20.0, 0.0)


def test_syrope_rope_with_its_files_and_its_past(tmp_path: Path) -> None:
    (tmp_path / "curve.dat").write_text(CURVE)
    (tmp_path / "rope.dat").write_text(SYROPE)
    conversion = converted(tmp_path, text_of("SYROPE:rope.dat|1.6e8|20", "5e10|1e5", ic=IC))
    law = conversion.system.sections["rope"].axial_stiffness
    assert isinstance(law, SyropeLaw)
    assert (law.strain, law.tension) == ((0.0, 0.01, 0.03), (0.0, 1e6, 4e6))
    assert (law.working_curve, law.residual, law.bend, law.highest_mean) == ("quadratic", 0.3, 0.4, 1.5e6)
    assert any("Tmean0" in note.sentence for note in conversion.notes)
    assert back_and_forth(tmp_path, conversion.system).sections["rope"].axial_stiffness == law


def test_linear_working_curves_take_a_slope_from_one_on(tmp_path: Path) -> None:
    (tmp_path / "curve.dat").write_text("-- head --\n" + CURVE)
    (tmp_path / "rope.dat").write_text(SYROPE.replace("QUADRATIC", "LINEAR").replace("0.3", "1.9e8"))
    law = converted(tmp_path, text_of("SYROPE:rope.dat|2.6e8|20", "5e10|1e5")).system.sections["rope"].axial_stiffness
    assert (law.slope, law.residual, law.highest_mean) == (1.9e8, None, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("QUADRATIC", "CUBIC", "'CUBIC' is not LINEAR, QUADRATIC or EXP"),
        ("0.3 k1", "3 k1", "k1 3 of QUADRATIC working curves is a share below 1"),
        ("0.4 k2 second\n", "", "has no K2"),
        ("curve.dat", "none.dat", "EA names a file"),
    ],
)
def test_bad_files_of_working_curves_are_refused(old: str, new: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "curve.dat").write_text(CURVE)
    (tmp_path / "rope.dat").write_text(SYROPE.replace(old, new))
    with pytest.raises(InputError) as info:
        converted(tmp_path, text_of("SYROPE:rope.dat|1.6e8|20", "5e10|1e5", ic=IC))
    assert words in str(info.value)


def test_lift_of_vortices(tmp_path: Path) -> None:
    section = converted(tmp_path, text_of("1e8", "-1", lift=" 0.7")).system.sections["rope"]
    assert (section.lift.coefficient, section.lift.centre, section.lift.width) == (0.7, 0.18, 0.08)
    system = converted(tmp_path, text_of("1e8", "-1", lift=" 0.7 0.05 0.2")).system
    assert (system.sections["rope"].lift.centre, system.sections["rope"].lift.width) == (0.2, 0.05)
    assert back_and_forth(tmp_path, system).sections["rope"].lift == system.sections["rope"].lift
