"""Initial states: as they are given, in the solver's first record."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError

PENDULUM = {
    "environment": {"gravity": 9.81, "water_density": 0},
    "sections": {"rope": {"diameter": 0.01, "mass": 0.5, "axial_stiffness": "inextensible"}},
    "points": {"top": {"position": [0, 0, 0]}, "bob": {"position": [0, 0, -4], "joint": "free", "mass": 10}},
    "lines": {"rope": {"from": "top", "to": "bob", "elements": 4, "pieces": [{"section": "rope", "length": 4}]}},
    "record": {"every": 0.05},
}


DOWN = [[0, 0, 0], [0, 0, -4]]


def begun(start, solver="constrained", **changes):
    """First record of a run."""
    run = {"duration": 0.1, "solver": solver, "start": start}
    case = rw.System.model_validate({**PENDULUM, **changes, "run": run})
    return rw.simulate(case)


def test_velocities_are_those_given():
    first = begun({"points": {"bob": {"velocity": [0.2, 0, 0]}}}).isel(time=0)
    assert_allclose(first.point_velocity.sel(point="bob"), [0.2, 0, 0], atol=1e-12)


def test_spin_and_velocity_are_added():
    start = {"spin": {"rate": [0, 0, 2], "about": [1, 0, 0]}, "velocity": [0, 2, 0]}
    first = begun(start).isel(time=0)
    assert_allclose(first.point_velocity.sel(point="bob"), [0, 0, 0], atol=1e-12)  # 2 x (0 - 1) + 2


def test_pulled_aside_and_let_go():
    """Static lean under 20 N sideways at the bob; it then falls back."""
    run = begun({"under": {"points.bob.force": [20, 0, 0]}})
    x = run.point_position.sel(point="bob", axis="x").values
    statics = rw.statics(rw.System.model_validate({**PENDULUM}).replace("points.bob.force", [20, 0, 0]))
    assert_allclose(x[0], statics.summary["points"]["bob"]["position"][0], rtol=2e-3)  # bars for a catenary
    assert x[-1] < x[0]


def test_a_moved_end_takes_its_line_along():
    first = begun({"points": {"bob": {"position": [4 * np.sin(0.5), 0, -4 * np.cos(0.5)]}}}).isel(time=0)
    assert_allclose(first.position.sel(axis="x").values, np.linspace(0, 4 * np.sin(0.5), 5), atol=1e-6)


def test_a_state_is_taken_from_a_result(tmp_path):
    """The second half of a swing, begun from a record, is that of the whole swing."""
    start = {"points": {"bob": {"velocity": [1, 0, 0]}}, "lines": {"rope": {"velocity": [0.5, 0, 0]}}}
    run = {"duration": 0.4, "solver": "constrained", "step": 0.005, "start": start}
    case = rw.System.model_validate({**PENDULUM, "run": run})
    whole = rw.simulate(case, output=tmp_path / "whole.nc")
    case.replace("run", {"duration": 0.2, "solver": "constrained", "step": 0.005}).to_file(tmp_path / "half.yaml")
    text = (
        (tmp_path / "half.yaml")
        .read_text()
        .replace("duration: 0.2,", "duration: 0.2, start: {file: whole.nc, time: 0.2},")
    )
    (tmp_path / "half.yaml").write_text(text)
    system = rw.System.from_file(tmp_path / "half.yaml")
    assert system.run.start.source == "whole.nc at 0.2 s"
    half = rw.simulate(system)
    assert_allclose(half.position.values[-1], whole.position.values[-1], atol=1e-5)  # second-order steps begin anew
    whole.close()
    (tmp_path / "half.yaml").write_text(text.replace("time: 0.2}", "time: 0.21}"))
    with pytest.raises(InputError, match=r"no record at 0\.21 s; near it are 0\.15, 0\.2, 0\.25 s"):
        rw.System.from_file(tmp_path / "half.yaml")


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({"points": {"top": {"velocity": [1, 0, 0]}}}, "the point is held"),
        ({"lines": {"ropes": {"shape": "catenary"}}}, "no line 'ropes'; did you mean 'rope'"),
        ({"lines": {"rope": {"shape": [[0, 0, 0], [1, 0, 0]]}}}, r"from end B, which is at \[0\.0, 0\.0, -4\.0\]"),
        ({"lines": {"rope": {"shape": [[0, 0, 0], [0, 0, -4]], "s": [0, 3]}}}, "s goes from 0 to 3 m"),
        ({"lines": {"rope": {"shape": DOWN, "s": [0, 1, 4]}}}, "s has 3 entries, but the shape has 2"),
        ({"state": "as_given", "under": {"points.bob.force": [1, 0, 0]}}, "`under` belongs to an equilibrium"),
        ({"under": {"points.bib.force": [1, 0, 0]}}, "bib"),
    ],
)  # fmt: skip
def test_what_cannot_be_begun_is_refused(start, message):
    with pytest.raises(InputError, match=message):
        begun(start)


def test_a_joint_lets_go_only_along_its_free_axes():
    """A bob on a slide that is turned by 45 degrees keeps the part of the velocity along it."""
    half = 0.5**0.5
    joint = {"axes": {"x": "free", "y": "held", "z": "free"}, "frame": [[half, half, 0], [-half, half, 0], [0, 0, 1]]}
    points = {"top": {"position": [0, 0, 0]}, "bob": {"position": [0, 0, -4], "joint": joint, "mass": 10}}
    sections = {"rope": {"diameter": 0.01, "mass": 0.5, "axial_stiffness": 1e5}}
    first = begun({"velocity": [0.2, 0, 0]}, "mixed_fem", points=points, sections=sections).isel(time=0)
    assert_allclose(first.point_velocity.sel(point="bob"), [0.1, 0.1, 0], atol=1e-9)
