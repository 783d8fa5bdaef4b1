"""Every example is right, and those that take seconds are run."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from ropewalk import statics
from ropewalk.cli.main import main

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SLOW = {
    "chain_series.py",
    "rod_pictures.py",
    "sea_states.py",
    "turning_rope.py",
}  # take more than some seconds: `make validate` runs them
SCRIPTS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.name in SLOW else [])
    for path in sorted(EXAMPLES.glob("*.py"))
]


@pytest.mark.parametrize("case", sorted(EXAMPLES.rglob("*.yaml")), ids=lambda path: path.stem)
def test_case_is_right(case, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ropewalk", "check", str(case)])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, None)
    assert f"{case.name}: right" in capsys.readouterr().out


@pytest.mark.parametrize("script", SCRIPTS)
def test_script_runs(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_mooring_statics_stiffness_is_the_slope_of_its_force():
    """dF/dx by central differences of the restoring force."""
    example = runpy.run_path(str(EXAMPLES / "mooring_statics.py"))
    step = 0.01  # m: differences then err by 2.2e-7, which falls as step^2
    low, middle, high = example["offset_table"](example["mooring"](), [10.0 - step, 10.0, 10.0 + step])
    assert_allclose((high[1] - low[1]) / (2.0 * step), middle[2], rtol=1e-6)


def test_turning_rope_folds_where_three_loops_meet_one():
    """4.339623 rad/s by an integration of its own, tests/analysis/test_continuation.py."""
    example = runpy.run_path(str(EXAMPLES / "turning_rope.py"))
    assert_allclose(example["fold"](), 4.339623, rtol=1e-6)  # as many digits as are printed


def test_offset_curve_passes_the_published_stiffness():
    """Surge stiffness of the OC3-Hywind mooring at rest: 41 180 N/m, NREL/TP-500-47535 table 5-2."""
    from ropewalk.sweep.run import make_plan

    plan = make_plan(EXAMPLES / "sweeps" / "offset_curve.yaml", None, {})
    rest = next(case for case in range(len(plan)) if plan.changes(case)["bodies.spar.position.0"] == 0)
    stiffness = statics(plan.system(rest)).body_stiffness("spar")[0, 0]
    assert_allclose(stiffness, 41180.0, rtol=1e-4)  # as many digits as are printed


def test_crest_of_the_example_of_high_swell_is_that_of_another_program():
    """raschii's stream function wave of 3 m and 12 s in 8 m, g = 9.80665: crest at 2.2393 m (25 harmonics)."""
    from ropewalk.analysis.run import simulate

    run = simulate(EXAMPLES / "shoaling_buoy.yaml")
    after = run["elevation"].sel(time=slice(12.0, None))
    # records every 0.1 s miss the crest by at most 0.05 s of a crest whose curvature is 1.6 m/s2: 2 mm
    assert_allclose(float(after.max()), 2.2393, atol=3e-3)
