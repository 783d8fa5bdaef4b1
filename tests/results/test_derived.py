"""Variables that follow from a state: sums of the lines on bodies, lengths of lines with winches."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.results.derived import cross, rotated

ROPE = {"diameter": 0.05, "mass": 10.0, "axial_stiffness": 1e7}


def moored_body(joint: str = "fixed") -> rw.System:
    """A body, turned about all axes, with three lines on two places, one of them by its end A."""
    return rw.System.model_validate(
        {
            "ropewalk": 1,
            "environment": {"depth": 50, "seabed": {"kind": "none"}},
            "sections": {"rope": ROPE},
            "points": {
                "a": {"position": [-40, 0, -40]},
                "b": {"position": [40, 10, -45]},
                "c": {"position": [0, -60, -30]},
            },
            "bodies": {
                "hull": {
                    "mass": 1e4,
                    "inertia": [1e4, 1e4, 1e4],
                    "position": [1, 2, -3],
                    "attitude": [20, 30, 40],
                    "joint": joint,
                    "attachments": {"bow": [3, 0.5, -1], "stern": [-2, -0.5, 1]},
                },
                "free": {"mass": 1.0, "inertia": [1, 1, 1], "position": [90, 0, 0], "joint": "fixed"},
            },
            "lines": {
                "one": {"from": "a", "to": "hull.bow", "pieces": [{"section": "rope", "length": 62}]},
                "two": {"from": "hull.stern", "to": "b", "pieces": [{"section": "rope", "length": 63}]},
                "three": {"from": "c", "to": "hull.stern", "pieces": [{"section": "rope", "length": 75}]},
                "apart": {"from": "a", "to": "c", "pieces": [{"section": "rope", "length": 80}]},
            },
        }
    )


def test_mooring_force_is_the_sum_of_end_forces_and_their_moments_about_the_origin():
    """Moments with the places of the line ends themselves, which no rotation of the test gives."""
    data = rw.statics(moored_body()).to_dataset().isel(time=0)
    force, moment = np.zeros(3), np.zeros(3)
    origin = data.body_position.sel(body="hull").values
    for line, end in (("one", "B"), ("two", "A"), ("three", "B")):
        nodes = data.position.values[data.node_line.values == line]
        pull = data.end_force.sel(line=line, end=end).values
        force += pull
        moment += np.cross(nodes[0 if end == "A" else -1] - origin, pull)
    found = data.mooring_force.sel(body="hull").values
    # round-off of sums; line ends meet their places to 1e-9 m, with forces of 1e5 N
    assert_allclose(found[:3], force, atol=1e-9 * np.abs(force).max())
    assert_allclose(found[3:], moment, atol=1e-8 * np.abs(moment).max())
    assert_allclose(data.mooring_force.sel(body="free"), 0.0)
    assert data.mooring_force.sel(body="hull", dof="heave") < 0.0


def test_a_line_over_a_sheave_of_a_body_pulls_on_the_body():
    """A body that holds no end: the force is what the line's two ends leave, less its weight in water."""
    data = {
        "ropewalk": 1,
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"rope": ROPE},
        "points": {"a": {"position": [-10, 0, -5]}, "b": {"position": [10, 0, -5]}},
        "bodies": {
            "mast": {"mass": 1.0, "inertia": [1, 1, 1], "position": [0, 0, 0], "joint": "fixed",
                     "attachments": {"eye": [1, 0, 2]}}
        },
        "lines": {"l": {"from": "a", "to": "b", "over": ["mast.eye"], "pieces": [{"section": "rope", "length": 24.0}]}},
    }  # fmt: skip
    found = rw.statics(rw.System.model_validate(data)).to_dataset().isel(time=0)
    total = found.end_force.sel(line="l").sum("end").values + found.mooring_force.sel(body="mast").values[:3]
    # gravity of 9.80665 m/s2 on 24 m of 10 kg/m; shooting balances to 1e-8 of the tension of some kN
    assert_allclose(total, [0, 0, -9.80665 * 10.0 * 24.0], atol=1e-3)
    pull = found.mooring_force.sel(body="mast").values
    assert_allclose(pull[3:], np.cross([1, 0, 2], pull[:3]), rtol=1e-12)


def test_rotations_keep_lengths_and_follow_the_matrix():
    """Against the matrix of the quaternion."""
    from ropewalk.model.state import rotation_matrix

    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(20, 4)), rng.normal(size=(20, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    expected = [rotation_matrix(a) @ b for a, b in zip(q, v, strict=True)]
    assert_allclose(rotated(q, v), expected, atol=1e-14)  # round-off
    assert_allclose(cross(v, rotated(q, v)), np.cross(v, expected), atol=1e-14)


@pytest.mark.parametrize("n", [0, 1])
def test_cross_takes_no_rows_and_one(n):
    assert cross(np.ones((n, 3)), np.ones((n, 3))).shape == (n, 3)
