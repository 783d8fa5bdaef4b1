"""Elastic collars: closed forms of rings, bars against elements, and the example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
R, EI, GJ, MASS = 5.0, 2.0e4, 1.5e4, 30.0


def collar(n: int, **more: Any) -> dict[str, Any]:
    return {"radius": R, "diameter": 0.1, "mass": MASS, "bending_stiffness": EI, "torsional_stiffness": GJ,
            "segments": n, **more}  # fmt: skip


def widening(n: int, force: float = 1.0) -> float:
    """Growth of the diameter of a floating ring of n segments that two opposite forces pull at (m)."""
    points = {
        "e": {"position": [R, 0, 0], "joint": {"axes": {"x": {"force": force}, "y": "held", "z": "free"}}},
        "w": {"position": [-R, 0, 0], "joint": {"axes": {"x": "held", "y": "held", "z": "free"}}},
    }
    ring = collar(n, diameter=0.3, points=["e", "w"])
    system = rw.System(environment={"depth": 20, "seabed": {"kind": "none"}}, points=points, collars={"ring": ring})
    return float(rw.statics(system, method="fem").summary["points"]["e"]["position"][0] - R)


def test_pulled_ring_widens_as_castigliano_says():
    """delta = (pi/4 - 2/pi) F R^3 / EI of a thin ring; segments err by n^-2."""
    exact = (np.pi / 4 - 2 / np.pi) * R**3 / EI
    errors = [abs(widening(n) / exact - 1.0) for n in (16, 32, 64)]
    assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.15)
    assert errors[-1] < 0.01  # 2.8 (pi / n)^2


def test_free_ring_swings_in_and_out_of_its_plane_as_love_says():
    r"""omega^2 = EI/(m R^4) n^2 (n^2 - 1)^2 / (n^2 + 1), and out of the plane / (n^2 + EI/GJ); order 2 in segments.

    Rings that cannot stretch and have no inertia against twisting, [Love1927], art. 293; under water, as heavy as that.
    """
    exact = np.sqrt(EI / (MASS * R**4) * 36.0 / np.array([4.0 + EI / GJ, 5.0]))
    errors = []
    for n in (16, 32):
        ring = collar(n, centre=[0, 0, -10], diameter=np.sqrt(4.0 * MASS / (np.pi * 1000.0)), drag=0, added_mass=0)
        sea = {"water_density": 1000.0, "depth": 20.0, "seabed": {"kind": "none"}}
        omega = rw.modes(rw.System(environment=sea, collars={"ring": ring}), count=14).omega.values
        errors.append([np.abs(omega / one - 1.0).min() for one in exact])
    # twisting and turning have (d / 2 R)^2 = 4e-4 of the inertia: 1e-3 of the frequency, a fifth of the error at n = 32
    assert_allclose(np.log2(np.array(errors[0]) / errors[1]), 2.0, atol=0.25)
    assert np.max(errors[1]) < 0.01


def test_bars_and_elements_bend_a_moored_collar_alike():
    """The same segments and balls by two methods: one law of turning, written in angles and as springs of nodes."""
    points = {"anchor": {"position": [-20, 0, -10]}, "w": {"position": [-R, 0, 0], "joint": "free"},
              "e": {"position": [R, 0, 0], "joint": "free", "force": [300.0, 0, 0]}}  # fmt: skip
    system = rw.System(
        environment={"depth": 20, "current": {"speed": 0.5, "heading": 0}, "seabed": {"kind": "none"}},
        sections={"rope": {"diameter": 0.03, "mass": 1.0, "axial_stiffness": "inextensible", "drag": {"normal": 1.2},
                           "added_mass": 0}},
        points=points,
        lines={"l": {"from": "anchor", "to": "w", "elements": 8, "pieces": [{"section": "rope", "length": 20.0}]}},
        collars={"ring": collar(12, diameter=0.3, points=["w", "e"])},
    )  # fmt: skip
    bars, fem = (rw.statics(system, method=name) for name in ("bars_statics", "fem"))
    assert_allclose(bars.state.body_position, fem.state.body_position, atol=1e-4 * R)  # lines are meshed alike
    length, width, _ = np.ptp(fem.state.body_position, axis=0)
    assert length > 1.05 * width  # an oval
    assert_allclose(bars.state.link_moment, fem.state.link_moment, atol=1e-3 * np.abs(fem.state.link_moment).max())


def test_cage_below_a_collar_stretches_it_across_the_current():
    """The collar carries the drag of the cage: what anchors take is what the water gives, and the ring is an oval."""
    eq = rw.statics(EXAMPLES / "cage_collar.yaml")
    x = eq.state.body_position
    assert np.ptp(x[:, 0]) > 1.02 * np.ptp(x[:, 1])
    top = rw.statics(rw.System.from_file(EXAMPLES / "cage_collar.yaml").replace("collars.ring.bending_stiffness", 1e9))
    stiff = top.state.body_position
    assert_allclose(np.ptp(stiff[:, 0]), np.ptp(stiff[:, 1]), rtol=1e-3)  # a hundredth of a per cent at this EI


def test_twines_along_a_collar_carry_nothing():
    """Segments keep their length; their tension once grew without bound, and half of such cages had no answer."""
    system = rw.System.from_file(EXAMPLES / "cage_collar.yaml")
    for key, value in (("environment.current.speed", 0.15), ("nets.cage.force_model", "morison")):
        system = system.replace(key, value)
    eq = rw.statics(system)
    nets, tension = eq.model.nets, eq.state.net_tension
    tied = np.all(nets.body[nets.bar] >= 0, axis=1)
    assert np.count_nonzero(tied) == 16
    assert np.abs(tension[tied]).max() < 1e-3  # N, where others carry some ten
    assert tension[~tied].max() > 10.0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"torsional_stiffness": 5e4}, "exceeds twice the bending_stiffness"),
        ({"points": ["far"]}, "too far from the ring"),
        ({"points": ["nobody"]}, "no point 'nobody'"),
        ({"segments": 3}, "segments"),
    ],
)
def test_wrong_collars_are_refused_in_a_sentence(change, sentence):
    points = {"far": {"position": [0, 0, 0], "joint": "free"}}
    with pytest.raises(rw.InputError, match=sentence):
        rw.System(points=points, collars={"ring": collar(8, **change)})


def test_names_of_segments_are_taken():
    with pytest.raises(rw.InputError, match="that of a part of a collar"):
        rw.System(bodies={"ring 1": {"mass": 1.0, "position": [0, 0, 0]}}, collars={"ring": collar(8)})


def test_files_and_variations_have_the_collar_and_not_its_segments(tmp_path):
    system = rw.System.from_file(EXAMPLES / "cage_collar.yaml")
    assert len(system.bodies) == 16
    system.to_file(tmp_path / "again.yaml")
    assert "ring 1" not in (tmp_path / "again.yaml").read_text()
    assert rw.System.from_file(tmp_path / "again.yaml") == system
    assert rw.System.model_validate_json(system.model_dump_json(by_alias=True, exclude_unset=True)) == system
    assert len(system.replace("collars.ring.segments", 20).bodies) == 20
    assert len(system.replace(title="other").bodies) == 16
