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


def taut(**start) -> rw.System:
    """10 m of inextensible wire and 10 m of rope, EA 1e6 N, between ends 20.1 m apart."""
    rope = {"diameter": 0.02, "mass": 1.0}
    return rw.System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"wire": {**rope, "axial_stiffness": "inextensible"}, "rope": {**rope, "axial_stiffness": 1e6}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [20.1, 0, 0]}},
            "lines": {
                "l": {"from": "a", "to": "b", "pieces": [{"section": name, "length": 10} for name in ("wire", "rope")]}
            },
            "run": {"duration": 0.01, "tolerance": 1e-6, "start": {"state": "as_given", **start}},
            "record": {"every": 0.01},
        }
    )  # fmt: skip


def test_pieces_of_a_straight_line_are_stretched_by_one_tension():
    """The rope takes all of the stretch, e = 0.01, T = EA e = 10 kN; the wire keeps its 10 m."""
    first = rw.simulate(taut(), progress=False).isel(time=0)
    place = first["position"].values[:, 0]
    # round-off of places that are sums of fifty elements
    assert np.interp(10.0, first["s"].values, place) == pytest.approx(10.0, abs=1e-11)
    # at rest its nodes begin to fall, which changes tensions by the square of 1e-5 s of it
    assert first["tension"].values == pytest.approx(1e4, rel=1e-9)


def test_a_blow_at_the_start_takes_energy():
    """All 20 kg with 3 m/s along the line: none of the wire's may stay."""
    energy = rw.simulate(taut(velocity=[3.0, 0.0, 0.0]), progress=False)["energy"].isel(time=0)
    # elements of 0.4 kg: 24 nodes of the wire and the one where the pieces meet stop, 24 of the rope go on; the step
    # that finds it takes 1e-7 s
    assert float(energy.sel(term="loss_impact")) == pytest.approx(0.5 * 25 * 0.4 * 9.0, rel=1e-6)
    assert float(energy.sel(term="kinetic")) == pytest.approx(0.5 * 24 * 0.4 * 9.0, rel=1e-6)


def test_a_shape_with_gaps_begins_where_lengths_allow():
    """Points 1 mm too far apart for a wire: the gap is no velocity of gap over step (70 kJ in the first step)."""
    shape = [[0, 0, 0], [10.001, 0, 0], [20.1, 0, 0]]
    run = rw.simulate(taut(lines={"l": {"shape": shape, "s": [0, 10, 20]}}), progress=False)
    assert np.interp(10.0, run["s"].values, run["position"].values[0, :, 0]) == pytest.approx(10.0, abs=1e-9)
    # what the stretch of the rope beside the gap gives, EA (1 mm)^2 / (2 L) of one element at most
    assert float(run["energy"].sel(term="kinetic").max()) < 5.0
