"""Pulls on free parts and cuts, while a coupled simulation is under way."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import ropewalk as rw
from ropewalk.coupling import Coupled
from ropewalk.errors import InputError
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.spec.system import System

ROPE = {"diameter": 0.05, "mass": 4.0, "axial_stiffness": 1.0e6, "drag": {"normal": 1.2}, "added_mass": {"normal": 1.0}}


def case(force=(0.0, 0.0, 0.0), **section):
    """A buoy on a rope from the bed."""
    return System.model_validate(
        {
            "ropewalk": 1,
            "environment": {"depth": 40},
            "sections": {"r": {**ROPE, **section}},
            "points": {
                "anchor": {"position": [0, 0, -40]},
                "buoy": {
                    "position": [0, 0, -10], "joint": "free", "mass": 300, "volume": 0.6, "drag_area": 2.0,
                    "force": force,
                },
            },
            "lines": {
                "leg": {"from": "anchor", "to": "buoy", "elements": 6, "pieces": [{"section": "r", "length": 30}]}
            },
        }
    )  # fmt: skip


def test_a_pull_ends_in_the_equilibrium_under_that_force():
    """The same force in the file gives the rest that the pulled buoy comes to."""
    pull = np.array([800.0, 0.0, 0.0])
    c = Coupled(case())
    c.pull("buoy", pull)
    for _ in range(200):
        c.step(1.0, {})
    rest = rw.statics(case(tuple(pull)), method="fem").state.point_position[1]
    # under quadratic drag a swing dies as 1/t: 0.024 m are left of 8 m after 60 s, a third of it after 200 s
    assert_allclose(c.state.point_position[1], rest, atol=0.02)
    c.pull("buoy", np.zeros(3))
    c.step(0.5, {})
    assert c.state.point_velocity[1, 0] < 0.0


@pytest.mark.parametrize(("solver", "stiffness"), [("mixed_fem", 1.0e6), ("constrained", "inextensible")])
def test_pulls_replace_each_other(solver, stiffness):
    c = Coupled(case(axial_stiffness=stiffness), solver=solver)
    for force in ([5000.0, 0.0, 0.0], [5000.0, 0.0, 0.0], [0.0, 0.0, 0.0]):
        c.pull("buoy", force)
    c.step(0.05, {})
    # no force is left, so nothing starts: 5 kN would give 5000/300 x 0.05 = 0.8 m/s
    assert np.abs(c.state.point_velocity[1]).max() < 1e-3


@pytest.mark.parametrize("force", [[1.0, 2.0], [np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0]])
def test_a_pull_must_be_a_force(force):
    c = Coupled(case())
    with pytest.raises(InputError, match="three finite numbers"):
        c.pull("buoy", force)
    with pytest.raises(InputError, match="no point or body 'x'"):
        c.pull("x", [0.0, 0.0, 0.0])


def test_a_cut_is_that_of_the_case_file():
    """`break` at the same time and place gives the same fall; steps differ, so to their tolerance."""
    data = case().model_dump(by_alias=True, exclude_unset=True)
    data["lines"]["leg"]["break"] = {"s": 15.0, "time": 0.0}
    data["run"] = {"duration": 2.0, "tolerance": 1e-4}
    given = Coupled(System.model_validate(data))
    data["lines"]["leg"].pop("break")
    c = Coupled(System.model_validate(data))
    c.cut("leg", 15.0)
    for _ in range(20):
        c.step(0.1, {})
        given.step(0.1, {})
    # the break of a file has an element of its own around s: the stubs differ by half an element of 5 m, 10 kg of 300
    assert_allclose(c.state.point_position[1, 2], given.state.point_position[1, 2], atol=0.15)
    assert c.state.point_position[1, 2] > -8.0


def test_a_cut_of_one_of_several_lines_is_the_same_side_by_side_and_one_by_one():
    """Lines in vector registers have copies of their elements: of a buoy on three legs one is cut, the others hold."""
    data = case().model_dump(by_alias=True, exclude_unset=True)
    for k, name in enumerate(("one", "two", "three")):
        angle = 2.0 * np.pi * k / 3.0
        data["points"][name] = {"position": [15.0 * np.cos(angle), 15.0 * np.sin(angle), -40.0]}
        data["lines"][name] = {**data["lines"]["leg"], "from": name, "pieces": [{"section": "r", "length": 33}]}
    del data["lines"]["leg"], data["points"]["anchor"]
    places = []
    for lanes in (True, False):
        c = Coupled(System.model_validate(data), solver=MixedFem(step=0.02, lanes=lanes))
        for k in range(15):
            if k == 5:
                c.cut("two", 15.0)
            c.step(0.1, {})
        places.append(c.state.point_position.copy())
    assert_allclose(places[0], places[1], atol=1e-6)  # m; fixed steps, solved in another order
    buoy = places[0][0]
    assert buoy[1] < -0.2  # m in 1 s, away from the leg that was cut


def test_cuts_are_saved_and_restored():
    c = Coupled(case())
    c.step(0.1, {})
    whole = c.save()
    c.cut("leg", 15.0)
    for _ in range(3):
        c.step(0.1, {})
    saved, place = c.save(), c.state.point_position.copy()
    c.step(0.3, {})
    after = c.state.point_position.copy()
    c.restore(whole)
    assert c.cuts == ()
    c.restore(saved)
    assert c.cuts == (("leg", 15.0),)
    assert_array_equal(c.state.point_position, place)
    c.step(0.3, {})
    assert_array_equal(c.state.point_position, after)


@pytest.mark.parametrize(
    ("line", "s", "told"),
    [("no", 1.0, "no line to cut 'no'"), ("leg", -1.0, "outside its 30 m"), ("leg", 31.0, "outside its")],
)
def test_cuts_that_cannot_be_are_refused(line, s, told):
    with pytest.raises(InputError, match=told):
        Coupled(case()).cut(line, s)


def test_bars_cannot_be_cut():
    c = Coupled(case(axial_stiffness="inextensible"), solver="constrained")
    assert not c.can_cut
    with pytest.raises(InputError, match="only solver mixed_fem parts lines"):
        c.cut("leg", 10.0)


def test_a_change_of_the_sea_needs_no_new_mesh_and_gives_the_same_as_one():
    """Current set while running, against the case that had it in its file from the same state on."""
    c, other = Coupled(case()), Coupled(case())
    c.set("environment.current", {"speed": 1.0})
    other._begin(other.system.replace("environment.current", {"speed": 1.0}), other.state)
    for _ in range(20):
        c.step(0.25, {})
        other.step(0.25, {})
    # both to the tolerance of the steps, 3e-3 of the speed, over 5 s
    assert_allclose(c.state.point_position, other.state.point_position, atol=0.02)
