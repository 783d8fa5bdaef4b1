"""A case as a unit of FMI: fmpy drives it to the forces of Coupled, forwards and back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ropewalk.coupling import Coupled
from ropewalk.coupling.fmu import export_fmu
from ropewalk.errors import InputError
from ropewalk.spec.system import System

STEP = 0.2


def case(joint):
    """A chain from the bed in 60 m to a point."""
    return System.model_validate({
        "ropewalk": 1,
        "environment": {"depth": 60},
        "sections": {"c": {"diameter": 0.09, "mass": 77.7, "axial_stiffness": 3.8e8}},
        "points": {"a": {"position": [150, 0, -60]}, "f": {"position": [0, 0, -10], "joint": joint}},
        "lines": {"m": {"from": "a", "to": "f", "elements": 10, "pieces": [{"section": "c", "length": 165}]}},
        "run": {"duration": 4, "step": 0.02},
    })  # fmt: skip


def moved(t):
    """From rest with no jump in acceleration."""
    return [0.7 * (t - np.sin(t)), 0.0, -10.0], [0.7 * (1 - np.cos(t)), 0.0, 0.0]


def test_unit_gives_the_forces_of_coupled_and_goes_back_to_a_saved_state(tmp_path):
    path = export_fmu(case("coupled"), tmp_path / "mooring.fmu")
    times = STEP * np.arange(1, 6)
    given = json.dumps({"step": STEP, "states": [[*moved(t)[0], *moved(t)[1]] for t in times]})
    script = Path(__file__).with_name("drive_unit.py")
    done = subprocess.run(
        [sys.executable, str(script), str(path), str(tmp_path / "unit")],
        input=given, capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    found = json.loads(done.stdout)
    c = Coupled(case("coupled"))
    forces = [c.step(STEP, {"f": moved(t)})["f"][0] for t in times]
    assert_array_equal(found["forces"], forces)
    assert_array_equal(found["again"], forces[-2:])
    assert found["tension"] == pytest.approx(np.linalg.norm(forces[-1]), rel=1e-12)  # the point has no weight


def test_unit_logs_each_doubt_once(tmp_path):
    """As a warning, when the equilibrium is found and at the end."""
    from pythonfmu.enums import Fmi2Status

    from ropewalk.coupling.fmu import CASE, Unit

    (tmp_path / CASE).write_text(case("coupled").model_dump_json(by_alias=True, exclude_unset=True))
    unit, logged = Unit(instance_name="unit", resources=str(tmp_path)), []
    unit.log = lambda text, status: logged.append((text.partition(":")[0], status))
    unit.exit_initialization_mode()
    assert ("doubt defaulted-coefficients", Fmi2Status.warning) in logged
    before = list(logged)
    unit.terminate()
    assert logged == before


def test_case_without_coupled_parts_is_refused(tmp_path):
    with pytest.raises(InputError, match="no part with 'joint: coupled'"):
        export_fmu(case("fixed"), tmp_path / "mooring.fmu")


def test_file_must_end_in_fmu(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.fmu"):
        export_fmu(case("coupled"), tmp_path / "mooring.zip")
    with pytest.raises(InputError, match="is not a folder; make it first"):
        export_fmu(case("coupled"), tmp_path / "not there" / "mooring.fmu")


def test_convert_writes_a_unit(tmp_path):
    from typer.testing import CliRunner

    from ropewalk.cli.main import app

    source, target = tmp_path / "case.yaml", tmp_path / "case.fmu"
    case("coupled").to_file(source)
    done = CliRunner().invoke(app, ["convert", str(source), str(target)])
    assert done.exit_code == 0, done.output
    assert target.is_file()
