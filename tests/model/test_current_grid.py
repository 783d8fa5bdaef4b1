"""Cases with a current on a grid against the same current as a profile."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.spec.system import System

CASE = {
    "ropewalk": 1,
    "environment": {"depth": 40, "seabed": {"kind": "none"}},
    "sections": {
        "rope": {"diameter": 0.05, "mass": 2.4, "axial_stiffness": 1e6, "drag": {"normal": 1.2, "tangential": 0.1}}
    },
    "points": {
        "a": {"position": [0, 0, -40]},
        "b": {"position": [8, 0, -5], "joint": "free", "mass": 20, "volume": 0.15},
    },
    "lines": {"l": {"from": "a", "to": "b", "elements": 12, "pieces": [{"section": "rope", "length": 36}]}},
    "record": {"every": 1.0},
    "run": {"duration": 8.0},
}
Z = [-40.0, -25.0, -10.0, 0.0]
FACTOR = [0.2, 0.5, 0.9, 1.0]


def case(current):
    """The case in a current."""
    data = copy.deepcopy(CASE)
    data["environment"]["current"] = current
    return System.model_validate(data)


def on_grid(time=(0.0,), share=(1.0,), **more):
    """The table above times a function of time, as a grid, along the heading."""
    rows = [[f * s, 0.0, 0.0] for s in share for f in FACTOR]
    return {"speed": 0.9, "heading": 30.0, "profile": {"kind": "grid", "z": Z, "time": list(time), "velocity": rows},
            **more}  # fmt: skip


def as_table(speed=0.9):
    """The same as a profile."""
    return {"speed": speed, "heading": 30.0, "profile": {"kind": "table", "z": Z, "factor": FACTOR}}


@pytest.mark.parametrize("method", ["shooting", "fem"])
def test_steady_grid_gives_the_equilibrium_of_the_table(method):
    grid, table = (rw.statics(case(c), method=method) for c in (on_grid(), as_table()))
    # derivatives of the grid are differences, so Newton ends elsewhere within its tolerance
    assert_allclose(grid.state.end_force, table.state.end_force, rtol=1e-6, atol=1e-4)


def test_grid_in_time_gives_the_run_of_a_speed_in_time():
    time, share = [0.0, 3.0, 9.0], [1.0, 0.4, 0.8]
    grid = rw.simulate(case(on_grid(time, share)))
    speed = {"kind": "table", "time": time, "value": [0.9 * s for s in share]}
    table = rw.simulate(case(as_table(speed)))
    # a speed in time turns smoothly round its corners within a step, the grid does not; steps are chosen to 1e-3
    assert_allclose(grid.end_tension.values, table.end_tension.values, rtol=5e-3)


def test_equilibrium_is_that_of_the_first_time():
    grid = rw.statics(case(on_grid([0.0, 10.0], [0.5, 1.0])), method="fem")
    half = rw.statics(case(as_table(0.45)), method="fem")
    assert_allclose(grid.state.end_force, half.state.end_force, rtol=1e-6, atol=1e-4)


def test_vertical_flow_lifts_the_line():
    rows = [[0.0, 0.0, w] for w in (0.0, 0.0, 0.8, 0.8)]
    up = rw.statics(case({"speed": 1.0, "profile": {"kind": "grid", "z": Z, "velocity": rows}}), method="fem")
    still = rw.statics(case({"speed": 0.0}), method="fem")
    assert up.state.end_force[0, 0, 2] > still.state.end_force[0, 0, 2]


def test_methods_without_functions_refuse_a_grid_by_name():
    with pytest.raises(InputError, match="current on a grid"):
        rw.statics(case(on_grid()), method="catenary")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"velocity": [[1, 0, 0]]}, r"velocity has 1 entries; a grid of 1 x 1 x 4 x 1 needs 4"),
        ({"z": [-40.0, -40.0, -10.0, 0.0]}, "z must increase"),
    ],
)
def test_grids_that_do_not_fit_are_refused(change, words):
    current = on_grid()
    current["profile"].update(change)
    with pytest.raises((InputError, ValueError), match=words):
        case(current)


def test_speed_in_time_is_refused_beside_a_grid():
    with pytest.raises((InputError, ValueError), match="has times of its own"):
        case(on_grid() | {"speed": {"kind": "table", "time": [0, 1], "value": [0, 1]}})


def test_grid_from_a_csv_file(tmp_path):
    rows = ["t (s),z (m),u (m/s),v (m/s)"]
    rows += [f"{t},{z},{0.9 * f * s},0" for s, t in ((1.0, 0), (0.5, 5)) for z, f in zip(Z, FACTOR, strict=True)]
    (tmp_path / "flow.csv").write_text("\n".join(rows))
    path = tmp_path / "case.yaml"
    case({"speed": 0.0}).to_file(path)
    text = path.read_text().replace("current: {speed: 0.0}", "current: {profile: {kind: file, file: flow.csv}}")
    path.write_text(text)
    profile = System.from_file(path).environment.current.profile
    assert profile.kind == "grid"
    assert profile.time == (0.0, 5.0)
    assert_allclose(np.array(profile.velocity)[:4, 0], 0.9 * np.array(FACTOR), rtol=1e-15)
