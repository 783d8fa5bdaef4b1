"""`ropewalk sweep`, `report` and `plot` of sweeps, as a user types them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xarray as xr
from commandline import ropewalk
from sweep_cases import FAULTY, write_sweep

from ropewalk.sweep import run as sweeping
from ropewalk.sweep.local import Crew

VARY = "  - {key: bodies.platform.position.0, values: [0, 5, 10]}\n"


@pytest.fixture
def quick(monkeypatch):
    """Workers that make rows up: solvers take seconds to load."""

    monkeypatch.setattr(sweeping, "early_crew", lambda jobs, scheduler: Crew(1, FAULTY))


def test_sweep_writes_its_result_and_prints_the_worst(tmp_path, capsys, quick):
    path = write_sweep(tmp_path, VARY)
    code, out, err = ropewalk("sweep", path, capsys=capsys)
    assert code == 0
    assert "3 cases of static" in err
    assert "3 cases, 3 done, 0 failed" in out
    assert "east" in out
    with xr.open_dataset(tmp_path / "sweep.nc", engine="h5netcdf") as result:
        assert result.sizes["case"] == 3


def test_json_counts_cases(tmp_path, capsys, quick):
    vary = '  - {key: title, values: ["good", "kill", "good"]}\n'
    code, out, _ = ropewalk("sweep", write_sweep(tmp_path, vary), "-o", tmp_path / "a.nc", "--json", capsys=capsys)
    assert code == 0
    assert json.loads(out) == {"cases": 3, "done": 2, "failed": 1, "file": str(tmp_path / "a.nc"), "doubts": []}


def test_sweep_in_which_every_case_fails_is_exit_1(tmp_path, capsys, quick):
    code, _, err = ropewalk("sweep", write_sweep(tmp_path, "  - {key: title, values: [kill]}\n"), capsys=capsys)
    assert code == 1
    assert "all 1 cases failed" in err


def test_dry_run_lists_cases_and_writes_nothing(tmp_path, capsys):
    path = write_sweep(tmp_path, VARY)
    before = sorted(tmp_path.iterdir())
    code, out, _ = ropewalk("sweep", path, "--dry-run", capsys=capsys)
    assert code == 0
    assert "3 cases of static" in out
    assert "position.0" in out
    assert "on disk" in out
    assert sorted(tmp_path.iterdir()) == before
    code, out, _ = ropewalk("sweep", path, "--dry-run", "--json", capsys=capsys)
    found = json.loads(out)
    assert found["list"] == [{"position.0": 0}, {"position.0": 5}, {"position.0": 10}]
    assert found["seconds"] > 0.0
    assert found["bytes"] > 0.0


def test_bad_sweep_is_exit_2_with_one_sentence(tmp_path, capsys):
    path = write_sweep(tmp_path, "  - {key: environment.dpeth, values: [1]}\n")
    code, out, err = ropewalk("sweep", path, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"{path}:5: environment.dpeth: unknown key; did you mean 'depth'?")
    assert err.count("\n") == 1
    assert not (tmp_path / "sweep.nc.sweep").exists()


def test_result_does_not_overwrite_its_input(tmp_path, capsys):
    path = write_sweep(tmp_path, VARY)
    path.rename(tmp_path / "sweep.nc")
    code, _, err = ropewalk("sweep", tmp_path / "sweep.nc", capsys=capsys)
    assert code == 2
    assert "would overwrite its input" in err


SYSTEM = {
    "environment": {"depth": 100.0},
    "sections": {
        "chain": {
            "drag": 0,
            "added_mass": 0,
            "diameter": 0.1,
            "mass": 200.0,
            "axial_stiffness": 8e8,
            "breaking_load": 5e6,
        }
    },
    "points": {"a": {"position": [0, 0, -100.0]}, "b": {"position": [150.0, 0, 0]}},
    "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 200.0}]}},
}


def run_file(folder):
    """A run of 100 s with a tension of 1 MN that swings by 0.1 MN."""
    time = np.linspace(0.0, 100.0, 1001)
    tension = 1e6 + 1e5 * np.sin(time)
    both = np.stack([tension, 2.0 * tension], axis=-1)[:, None]
    places = {"time": time, "line": ["l"], "end": ["A", "B"]}
    attrs = {"system": json.dumps(SYSTEM), "title": "swing", "events": "[]"}
    data = xr.Dataset({"end_tension": (("time", "line", "end"), both)}, places, attrs)
    data.to_netcdf(folder / "run.nc", engine="h5netcdf")
    return folder / "run.nc"


def sweep_file(folder):
    """Two sea states by five seeds."""
    rng = np.random.default_rng(1)
    values = rng.gumbel(1e6, 1e4, (10, 1, 2))
    names = {"environment.waves.significant_height": "significant_height", "environment.waves.seed": "seed"}
    data = xr.Dataset(
        {"end_tension_max": (("case", "line", "end"), values, {"units": "N"}),
         "end_tension_mean": (("case", "line", "end"), 0.9 * values),
         "status": ("case", ["done"] * 10), "reason": ("case", [""] * 10)},
        {"case": np.arange(10), "line": ["l"], "end": ["A", "B"], "seed": ("case", list(range(5)) * 2),
         "significant_height": ("case", [4.0] * 5 + [8.0] * 5)},
        {"system": json.dumps(SYSTEM), "factors": json.dumps(names), "title": "seas"},
    )  # fmt: skip
    data.to_netcdf(folder / "seas.nc", engine="h5netcdf")
    return folder / "seas.nc"


def test_report_of_a_run(tmp_path, capsys):
    file = run_file(tmp_path)
    code, out, _ = ropewalk("report", file, "--curve", "dnv_studless_chain", capsys=capsys)
    assert code == 0
    for words in ("l, end B", "Utilisation", "0.7348", "damage in", "table F1", "not a certified check"):
        assert words in out  # 1.67 x 2.2 MN / 5 MN
    code, out, _ = ropewalk("report", file, "--json", capsys=capsys)
    found = json.loads(out)
    end = found["lines"]["l"]["B"]
    assert end["max"] == pytest.approx(2.2e6, rel=1e-5)
    assert end["tz"] == pytest.approx(2.0 * np.pi, rel=1e-3)
    assert found["doubts"] == []
    assert found["utilisation"]["lines"]["l"]["utilisation"] == pytest.approx(1.67 * 2.2e6 / 5e6, rel=1e-5)


def test_report_and_plot_of_a_sweep(tmp_path, capsys):
    file = sweep_file(tmp_path)
    code, out, _ = ropewalk("report", file, capsys=capsys)
    assert code == 0
    assert "10 cases, 10 done, 0 failed" in out
    assert "probable" in out
    assert max(map(len, out.splitlines()[:20])) <= 80
    code, out, _ = ropewalk("report", file, "--json", capsys=capsys)
    found = json.loads(out)
    assert [row["factors"]["significant_height"] for row in found["extremes"]] == [4.0, 8.0]
    assert found["utilisation"]["lines"]["l"]["limit_state"] == "intact"
    code, _, _ = ropewalk("plot", file, "-o", tmp_path / "seas.png", capsys=capsys)
    assert code == 0
    assert (tmp_path / "seas.png").stat().st_size > 5000
    code, _, err = ropewalk("plot", file, "--variable", "tensoin", capsys=capsys)
    assert code == 2
    assert "no output 'tensoin'" in err


def test_report_lists_curves_and_codes(tmp_path, capsys):
    code, out, _ = ropewalk("report", "any.nc", "--curve", "list", capsys=capsys)
    assert code == 0
    assert "api_spiral_rope" in out
    assert "dnv_os_e301_class_2" in out
