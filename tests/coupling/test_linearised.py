"""Coupled.linearised: closed forms of a taut rod, and differences of equilibria."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.coupling import Coupled
from ropewalk.spec.system import System

LENGTH, EA, MASS = 10.0, 1e6, 1.0  # m, N, kg/m
STRETCH = 1.01
ELEMENTS = 20
# sum over lumped nodes of (i/n)^2 h = L/3 (1 + 1/(2 n^2)): the linear mode on nodes
LUMPED = LENGTH / 3.0 * (1.0 + 0.5 / ELEMENTS**2)


def taut(environment, **section):
    """A weightless rod from the origin along x to a driven point."""
    rod = {"diameter": 0.02, "mass": MASS, "axial_stiffness": EA, "drag": {}, "added_mass": {}, **section}
    return System.model_validate({
        "ropewalk": 1,
        "environment": {"gravity": 1e-6, "seabed": {"kind": "none"}, **environment},
        "sections": {"r": rod},
        "points": {"a": {"position": [0, 0, -50]},
                   "f": {"position": [STRETCH * LENGTH, 0, -50], "joint": "coupled"}},
        "lines": {"m": {"from": "a", "to": "f", "elements": ELEMENTS, "pieces": [{"section": "r", "length": LENGTH}]}},
        "run": {"duration": 1},
    })  # fmt: skip


def test_taut_rod_has_stiffness_ea_over_l_along_and_tension_over_length_across():
    found = Coupled(taut({"water_density": 0})).linearised()
    tension = EA * (STRETCH - 1.0)
    assert found.dofs == (("f", "x"), ("f", "y"), ("f", "z"))
    # the sag under a millionth of gravity is far below these digits
    assert_allclose(
        np.diag(found.stiffness), [EA / LENGTH, tension / LENGTH / STRETCH, tension / LENGTH / STRETCH], rtol=1e-7
    )
    assert_allclose(found.mass, MASS * LUMPED * np.eye(3), rtol=1e-7, atol=1e-6)


def test_added_mass_acts_across_only():
    rho = 1000.0
    found = Coupled(taut({"water_density": rho}, added_mass={"normal": 1.0})).linearised()
    added = rho * np.pi / 4.0 * 0.02**2
    assert_allclose(np.diag(found.mass), np.array([MASS, MASS + added, MASS + added]) * LUMPED, rtol=1e-6)


def test_drag_in_a_current_damps_twice_as_much_along_it():
    """d(|u| u)/du = |u| (1 + u u / u^2)."""
    rho, speed, drag = 1000.0, 0.5, 1.2
    current = {"water_density": rho, "current": {"speed": speed, "heading": 90}}
    # a hundred times the tension holds the rod straight in the current to 1e-4 rad
    found = Coupled(taut(current, drag={"normal": drag}, axial_stiffness=100.0 * EA)).linearised()
    b = 0.5 * rho * drag * 0.02 * speed * LUMPED * STRETCH  # drag acts on the stretched length
    assert_allclose(np.diag(found.damping), [0.0, 2.0 * b, b], rtol=2e-3, atol=1e-3 * b)


def test_stiffness_of_a_moored_body_is_the_difference_of_equilibria_on_the_same_elements():
    chain = {"diameter": 0.09, "mass": 77.7, "axial_stiffness": 3.8e8, "drag": {}, "added_mass": {}}
    places = {
        "a": ([150, 0, -60], [5, 0, -10]),
        "b": ([-80, 130, -60], [-3, 4, -10]),
        "c": ([-80, -130, -60], [-3, -4, -10]),
    }
    case = {
        "ropewalk": 1,
        "environment": {"depth": 200},  # lines hang free: no kink of the bed
        "sections": {"c": chain},
        "points": {name: {"position": place} for name, (place, _) in places.items()},
        "bodies": {"p": {"mass": 1e6, "inertia": [1e7, 1e7, 1e7], "position": [0, 0, 0], "joint": "coupled",
                         "attachments": {name: arm for name, (_, arm) in places.items()}}},
        "lines": {name: {"from": name, "to": f"p.{name}", "elements": 12, "pieces": [{"section": "c", "length": 170}]}
                  for name in places},
        "statics": {"method": "fem"},
        "run": {"duration": 1},
    }  # fmt: skip
    c = Coupled(System.model_validate(case))
    case["bodies"]["p"]["joint"] = "fixed"
    step = 1e-3

    def pull(axis, way):
        position = np.zeros(3)
        position[axis] = way * step
        case["bodies"]["p"]["position"] = position.tolist()
        state = rw.statics(System.model_validate(case)).state
        force, moment = np.zeros(3), np.zeros(3)
        for (_, arm), ends in zip(places.values(), state.end_force, strict=True):
            force, moment = force + ends[1], moment + np.cross(arm, ends[1])
        return np.concatenate([force, moment])

    K = -np.stack([(pull(axis, 1) - pull(axis, -1)) / (2 * step) for axis in range(3)], axis=1)
    # equilibria to 1e-9 of 1e5 N over 2 mm, and the driver's lines rest to 1e-6: 1e-4 of the largest stiffness
    assert_allclose(c.linearised().stiffness[:, :3], K, atol=1e-4 * np.max(np.abs(K)))
