"""Joints by component between lines and bodies: closed forms, and the same joint to the ground by shooting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import simulate, statics
from ropewalk.errors import InputError
from ropewalk.spec.system import System

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
G, MASS, TILT = 9.81, 40.0, np.radians(30.0)
ALONG = np.array([np.cos(TILT), 0.0, -np.sin(TILT)])  # x of a body pitched by 30 degrees: downhill
UP = np.array([np.sin(TILT), 0.0, np.cos(TILT)])


def block(axes: dict[str, Any], run: dict[str, Any] | None = None, at: float = 0.0, **link: Any) -> System:
    """A block on a rail down a slope of 30 degrees, with a thread that weighs nothing beside it."""
    place = (at * ALONG).tolist()
    return System.model_validate({
        "environment": {"water_density": 0, "gravity": G},
        "sections": {"thread": {"diameter": 1e-4, "mass": 1e-6, "axial_stiffness": 1.0, "drag": 0, "added_mass": 0}},
        "points": {"top": {"position": [0, 0, 8.0]}, "block": {"position": place, "joint": "free", "mass": MASS}},
        "bodies": {"slope": {"mass": 0, "position": [0, 0, 0], "attitude": [0, 30, 0], "joint": "fixed",
                             "attachments": {"rail": [0, 0, 0]}}},
        "lines": {"t": {"from": "top", "to": "block", "elements": 2,
                        "pieces": [{"section": "thread", "length": 20.0}]}},
        "links": {"slide": {"kind": "joint", "between": ["slope.rail", "block"], "axes": axes, **link}},
        **({"run": {"solver": "mixed_fem", "start": "as_given", **run}, "record": {"every": 0.05}} if run else {}),
    })  # fmt: skip


def way(position: Any) -> Any:
    return np.asarray(position) @ ALONG


PULL = MASS * G * np.sin(TILT)


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ({"spring": 500.0, "rest": 0.2}, 0.2 + PULL / 500.0),
        ({"spring": 500.0, "rest": 0.1, "acts": "pull"}, 0.1 + PULL / 500.0),
        ({"spring": 300.0, "force": -50.0}, (PULL - 50.0) / 300.0),
        ({"table": [[0.0, 0.0], [0.5, 100.0], [1.0, 400.0]]}, 0.5 + (PULL - 100.0) / 600.0),
        ({"spring": 10.0, "stops": [-1.0, 0.6], "stop_stiffness": 1e4}, (PULL + 1e4 * 0.6) / (10.0 + 1e4)),
    ],
    ids=["spring", "one-sided", "force", "table", "stop"],
)
@pytest.mark.parametrize("method", ["fem", "relax"])
def test_block_rests_where_its_spring_holds_it(law: dict[str, Any], expected: float, method: str) -> None:
    """m g sin 30 against the law; the rail carries m g cos 30 across."""
    rest = statics(block({"x": law}), method)
    # the thread weighs 2e-4 N of 196 N
    assert_allclose(way(rest.state.point_position[1]), expected, rtol=1e-5)
    assert_allclose(rest.state.link_force[0] @ UP, MASS * G * np.cos(TILT), rtol=1e-5)


def test_spring_and_damper_swing_as_the_oscillator_does() -> None:
    """x'' + 2 z w x' + w^2 (x - x0) = 0 from rest at 0."""
    k, c = 2000.0, 80.0
    run = simulate(block({"x": {"spring": k, "damping": c}}, {"duration": 2.0, "step": 0.005}))
    w, z = np.sqrt(k / MASS), c / (2.0 * np.sqrt(k * MASS))
    d, t = w * np.sqrt(1.0 - z * z), run.time.values
    exact = PULL / k * (1.0 - np.exp(-z * w * t) * (np.cos(d * t) + z * w / d * np.sin(d * t)))
    # steps of 5 ms, second order: (w h)^2/12 of the phase
    assert_allclose(way(run.point_position.sel(point="block").values), exact, atol=2e-3 * PULL / k)


def test_friction_slows_a_block_by_its_share_of_the_weight() -> None:
    """x = t^2/2 g (sin 30 - mu cos 30): Coulomb's law."""
    run = simulate(block({"x": {"damping": 0.0}}, {"duration": 1.0, "step": 0.005}, friction_coefficient=0.2))
    t = run.time.values
    exact = 0.5 * t**2 * G * (np.sin(TILT) - 0.2 * np.cos(TILT))
    # at rest friction is nothing, so half of the first step of 5 ms has none: mu g cos 30 h/2 = 4.2 mm/s more
    assert_allclose(way(run.point_position.sel(point="block").values), exact, atol=5e-3)


def test_friction_that_is_larger_than_the_pull_holds() -> None:
    """mu = 1 > tan 30: the block creeps at a share of the slip speed."""
    run = simulate(block({"x": {}}, {"duration": 1.0, "step": 0.01}, friction_coefficient=1.0))
    assert abs(way(run.point_position.sel(point="block").values[-1])) < 3e-3


def test_traveller_rests_as_a_joint_to_the_ground_does() -> None:
    """The example by `fem`, and the same spring slider at a point, in the frame of the barge, by shooting."""
    system = System.from_file(EXAMPLES / "traveller.yaml")
    mine = statics(system, "fem")
    c, s = np.cos(np.radians(12.0)), np.sin(np.radians(12.0))
    frame = [[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]
    joint = {"axes": {"x": {"spring": 6000, "rest": 0.5}}, "frame": frame}
    home = [s, 0.0, 1.0 + c]
    data = system.model_dump(mode="json", by_alias=True, exclude_unset=True)
    data["points"]["ring"] = {"position": home, "joint": joint, "mass": 100}
    data.pop("links")
    data.pop("bodies")
    other = statics(System.model_validate(data), "shooting")
    # 120 elements: second order, 1e-4 of the length of an element
    assert_allclose(mine.state.point_position[1], other.state.point_position[1], atol=2e-3)
    assert_allclose(mine.state.end_force[0, 1], other.state.end_force[0, 1], rtol=2e-3, atol=2.0)


def test_slider_on_a_free_body_moves_with_it() -> None:
    """A slider on a buoy: force and moment on buoy and ring are opposite, and the ring stays on the buoy's axis."""
    system = System.model_validate({
        "environment": {"depth": 30, "seabed": {"kind": "none"}},
        "sections": {"rope": {"diameter": 0.03, "mass": 2.0, "axial_stiffness": 1e7}},
        "points": {"anchor": {"position": [-14, 3, -30]},
                   "ring": {"position": [0, 0, -1.0], "joint": "free", "mass": 5}},
        "bodies": {"buoy": {"mass": 2500, "inertia": [3000, 3000, 800], "centre_of_mass": [0, 0, -1.0],
                            "position": [0, 0, 0], "attachments": {"mid": [0, 0, -1.0]},
                            "hull": {"kind": "axisymmetric", "profile": [[-2.5, 0.8], [2.0, 0.8]]},
                            "stiffness": np.diag([100.0, 100.0, 0, 0, 0, 500.0]).tolist()}},
        "lines": {"m": {"from": "anchor", "to": "ring", "elements": 30,
                        "pieces": [{"section": "rope", "length": 32.5}]}},
        "links": {"slide": {"kind": "joint", "between": ["buoy.mid", "ring"], "axes": {"z": {"spring": 5e3}}}},
    })  # fmt: skip
    rest = statics(system, "fem")
    from ropewalk.model.state import rotation_matrix

    R = rotation_matrix(rest.state.body_quaternion[0])
    off = R.T @ (rest.state.point_position[1] - rest.state.body_position[0]) - [0.0, 0.0, -1.0]
    assert_allclose(off[:2], 0.0, atol=1e-8)
    force = R.T @ rest.state.link_force[0]
    assert_allclose(force[2], -5e3 * off[2], rtol=1e-6)
    assert rest.audit is not None  # balance of force and moment on the buoy, the ring's force at the ring


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"axes": {}}, "make the link a ball"),
        ({"axes": {"x": {"stops": [0.0, 1.0]}}}, "stops and stop_stiffness go together"),
        ({"axes": {"x": {"stops": [1.0, 0.0], "stop_stiffness": 1.0}}}, "leave no distance"),
        ({"axes": {"x": {"table": [[0.0, 0.0], [0.0, 1.0]]}}}, "folds back"),
        ({"axes": {"x": "free"}, "friction_coefficient": 0.3}, "needs an axis that is held and one with a law"),
        ({"axes": {"x": "free"}, "frame": [[1, 0, 0], [1, 0, 0], [0, 0, 1]]}, "three orthogonal rows"),
    ],
)
def test_joints_that_make_no_sense_are_refused(link: dict[str, Any], words: str) -> None:
    axes = link.pop("axes")
    with pytest.raises(InputError, match=words):
        block(axes, **link)


def test_methods_without_such_links_name_those_that_have_them() -> None:
    with pytest.raises(InputError, match=r"links by component.*use 'fem'"):
        statics(block({"x": "free"}), "bars_statics")


def test_energy_of_the_traveller_closes() -> None:
    """Pulled along its rail and let go: springs and dampers of the link are booked as work of loads."""
    run = simulate(System.from_file(EXAMPLES / "traveller.yaml"))
    last = run.energy.isel(time=-1)
    turned = abs(float(last.sel(term="work_loads")))
    assert turned > 1e3
    # steps of a relative 1e-4: measured 2.7e-5 and 3.0e-5
    assert abs(float(last.sel(term="closure"))) < 1e-4 * turned
    assert abs(float(last.sel(term="loss_numerics"))) < 1e-4 * turned
