"""Matrices about rest against differences of the residual, and their symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.methods.linear.assembly import Assembled, assemble
from ropewalk.methods.linear.equilibrium import moved, place_of
from ropewalk.methods.linear.unknowns import Place, Unknowns, number
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

STEP = 1e-6  # m, rad: truncation and round-off of a central difference are then both below 1e-8 of the stiffness


def buoy_case(**environment: Any) -> System:
    """A tilted surface buoy on a line with a float, bed and current, and a second line to a sprung point."""
    return System.model_validate(
        {
            "environment": {"depth": 20.0, "seabed": {"friction": 0.4}, **environment},
            "sections": {
                "rope": {
                    "diameter": 0.05, "mass": 3.0, "axial_stiffness": 1e6, "damping": 0.2, "compression": True,
                    "drag": {"normal": 1.2, "tangential": 0.1}, "added_mass": {"normal": 1.0, "tangential": 0.2},
                },
                "wire": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 1.5, "axial_stiffness": "inextensible"},
            },
            "points": {
                "anchor": {"position": [0, 0, -20.0]},
                "rail": {
                    "position": [14, 3, 1.2], "mass": 5.0, "volume": 0.01, "drag_area": 0.2, "added_mass": 3.0,
                    "joint": {"axes": {"x": {"spring": 50.0}, "y": {"force": 20.0}, "z": "held"}},
                },
            },
            "bodies": {
                "buoy": {
                    "mass": 500.0, "inertia": [90, 90, 50], "centre_of_mass": [0, 0, -0.3], "position": [8, 1, 0.1],
                    "attitude": [5, -8, 20],
                    "hull": {"kind": "axisymmetric", "profile": [[-1, 0.6], [1, 0.6]],
                             "drag": {"normal": 0.8, "axial": 1.0},
                             "added_mass": {"normal": 0.9, "axial": 0.4}},
                    "attachments": {"keel": [0, 0, -1], "side": [0.6, 0, 0]}, "loads": {"force": [300, 0, 0]},
                },
            },
            "lines": {
                "tether": {"from": "anchor", "to": "buoy.keel", "elements": 6,
                           "pieces": [{"section": "rope", "length": 24}],
                           "attachments": [{"s": 12, "mass": 10, "volume": 0.03, "drag_area": 0.1}]},
                "link": {"from": "buoy.side", "to": "rail", "elements": 3,
                         "pieces": [{"section": "wire", "length": 7}]},
            },
        }
    )  # fmt: skip


def shaken(system: System) -> tuple[Model, Unknowns, Place, Assembled]:
    """The case at a place that is no equilibrium, with tension in everything."""
    model = build(system)
    unknowns = number(model)
    place = place_of(model, unknowns, initial_state(model))
    rng = np.random.default_rng(3)
    step = 0.2 * rng.standard_normal(unknowns.size)
    step[unknowns.tension] = 800.0 + 400.0 * rng.random(unknowns.tension.size)
    S = assemble(model, unknowns, place).S
    place = moved(model, unknowns, place, S, step)
    return model, unknowns, place, assemble(model, unknowns, place)


@pytest.mark.parametrize("current", [None, {"speed": 0.8, "heading": 30, "profile": {"kind": "power"}}])
def test_stiffness_is_the_derivative_of_the_residual(current: Any) -> None:
    """Bodies, bed, surface, attachments, joints and current over depth; central differences."""
    model, unknowns, place, at = shaken(buoy_case(current=current))
    dense = at.K.toarray()
    numeric = np.zeros_like(dense)
    for j in range(unknowns.size):
        ends = []
        for sign in (1.0, -1.0):
            step = np.zeros(unknowns.size)
            step[j] = sign * STEP
            ends.append(assemble(model, unknowns, moved(model, unknowns, place, at.S, step)).residual)
        numeric[:, j] = (ends[0] - ends[1]) / (2.0 * STEP)
    scale = np.sqrt(np.outer(np.abs(dense).max(axis=1), np.abs(dense).max(axis=0)))
    # residuals of 1e4 N differ by 1e-12 of that over 2e-6 m, against stiffnesses of 1e3 to 1e5 N/m
    assert_allclose((numeric - dense) / scale, 0.0, atol=3e-6)


def test_matrices_are_symmetric_without_current() -> None:
    """Inertia always; stiffness where forces have a potential, apart from the turning of an unbalanced body."""
    _, unknowns, _, at = shaken(buoy_case())
    M, K = at.M.toarray(), at.K.toarray()
    assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    turn = unknowns.body[0, 3:]
    K[np.ix_(turn, turn)] = 0.0
    assert_allclose(K, K.T, atol=1e-9 * np.abs(K).max())


def test_inertia_is_positive_and_moves_whole_masses() -> None:
    """Moving the buoy and all that is lumped at its ends feels their mass: M x = 0 would mean a forgotten one."""
    _, unknowns, _, at = shaken(buoy_case())
    M = at.M.toarray()
    moving = np.setdiff1d(np.arange(unknowns.size), unknowns.tension)
    assert np.min(np.linalg.eigvalsh(M[np.ix_(moving, moving)])) > 0.0
    assert np.all(M[unknowns.tension] == 0.0)


def test_damping_of_drag_is_its_slope_about_the_current() -> None:
    """The current lessened by a small velocity of the water is a small velocity of everything."""
    base = {"speed": 0.8, "heading": 30}
    _, unknowns, _, at = shaken(buoy_case(current=base, seabed={"damping": 0.0}))
    slower, faster = (
        shaken(buoy_case(current={**base, "speed": 0.8 + sign * 1e-5}, seabed={"damping": 0.0}))[3] for sign in (-1, 1)
    )
    by_speed = (faster.residual - slower.residual) / 2e-5
    velocity = np.array([np.cos(np.radians(30)), np.sin(np.radians(30)), 0.0])
    force = np.zeros_like(at.local.R)
    np.add.at(force, unknowns.first, at.local.B[:, 0] @ velocity)
    np.add.at(force, unknowns.first + 1, at.local.B[:, 1] @ velocity)
    force += at.local.node_drag @ velocity
    total = at.S.T @ force.ravel()
    total[unknowns.body[0]] += at.bodies[0].drag[:, :3] @ velocity
    assert_allclose(-total, by_speed, atol=1e-6 * np.abs(by_speed).max())
