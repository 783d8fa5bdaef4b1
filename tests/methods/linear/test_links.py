"""Modes of linked bodies: pendulums, oscillators, and one body made of two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from ropewalk import modes, response
from ropewalk.errors import InputError
from ropewalk.spec.system import System

G, MASS, LENGTH = 9.81, 3.0, 1.2
ROD = {"mass": MASS, "inertia": [MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12, 0.01],
       "attachments": {"top": [0, 0, 0.5 * LENGTH], "low": [0, 0, -0.5 * LENGTH]}}  # fmt: skip


def hanging(links: dict[str, Any], **more: Any) -> System:
    """Two rods in air, one under the other."""
    bodies = {"a": ROD | {"position": [0, 0, -0.5 * LENGTH]}, "b": ROD | {"position": [0, 0, -1.5 * LENGTH]}}
    return System.model_validate({
        "environment": {"gravity": G, "water_density": 0.0, "seabed": {"kind": "none"}},
        "points": {"hook": {"position": [0, 0, 0]}}, "bodies": bodies, "links": links, **more,
    })  # fmt: skip


UPPER = {"kind": "hinge", "between": ["a.top", "hook"], "axis": [0, 1, 0]}
LOWER = {"kind": "hinge", "between": ["b.top", "a.low"], "axis": [0, 1, 0]}
M = MASS * LENGTH**2 * np.array([[4.0 / 3.0, 0.5], [0.5, 1.0 / 3.0]])
K = MASS * G * LENGTH * np.array([[1.5, 0.0], [0.0, 0.5]])


def test_double_pendulum_of_hinged_rods():
    """Angles of uniform rods: M = m l^2 ((4/3, 1/2), (1/2, 1/3)), K = m g l (3/2, 1/2)."""
    found = modes(hanging({"upper": UPPER, "lower": LOWER}), 5)
    assert found.sizes["mode"] == 2
    assert_allclose(found.omega, np.sqrt(eigh(K, M)[0]), rtol=1e-9)
    assert found.attrs["stability"] == "stable"


def test_springs_and_dampers_of_hinges():
    """A torsion spring adds k ((1, -1), (-1, 1)) to K; damping by the modes of the damped pair."""
    k, c = 12.0, 0.4
    found = modes(hanging({"upper": UPPER, "lower": LOWER | {"stiffness": k, "damping": c}}), 4, damped=True)
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    inverse = np.linalg.inv(M)
    rates = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (K + k * pair), -c * inverse @ pair]])
    s = np.linalg.eigvals(rates)
    s = s[s.imag > 0.0]
    s = s[np.argsort(np.abs(s))]
    kept = found.isel(mode=np.argsort(found.omega.values)[: s.size])
    assert_allclose(kept.omega, np.abs(s), rtol=1e-8)
    assert_allclose(kept.growth, s.real, rtol=1e-6)


def test_balls_swing_both_ways():
    """Each frequency of the double pendulum twice, and both rods turn about themselves freely."""
    ends = {"upper": ["a.top", "hook"], "lower": ["b.top", "a.low"]}
    balls = {name: {"kind": "ball", "between": between} for name, between in ends.items()}
    found = modes(hanging(balls), 6).omega.values
    assert_allclose(found[:2], 0.0, atol=1e-3)
    assert_allclose(found[2:], np.repeat(np.sqrt(eigh(K, M)[0]), 2), rtol=1e-8)


def test_rigid_links_make_one_body():
    """A rod of twice the length on a hinge: omega^2 = 3 g / (2 L)."""
    found = modes(hanging({"upper": UPPER, "lower": {"kind": "rigid", "between": ["b.top", "a.low"]}}), 3)
    assert_allclose(found.omega, [np.sqrt(3.0 * G / (4.0 * LENGTH))], rtol=1e-9)


def test_bar_links_carry_a_pendulum():
    """A ball-like mass on a massless bar of 2 m: sqrt(g/l) twice, and its own turns."""
    body = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, -2], "attachments": {"o": [0, 0, 0]}}
    system = System.model_validate({
        "environment": {"gravity": G, "water_density": 0.0, "seabed": {"kind": "none"}},
        "points": {"hook": {"position": [0, 0, 0]}}, "bodies": {"bob": body},
        "links": {"bar": {"kind": "bar", "between": ["bob.o", "hook"]}},
    })  # fmt: skip
    found = modes(system, 5).omega.values
    assert_allclose(found[-2:], np.sqrt(G / 2.0), rtol=1e-9)


def slider(**axis: Any) -> System:
    """Two bodies on a rail along x, the first held by a spring of its own, joined along x by a law."""
    body = {"mass": 4.0, "inertia": [1.0, 1.0, 1.0], "attachments": {"o": [0, 0, 0]}}
    axes = {"x": {"spring": 500.0, "rest": 0.0, **axis}, "y": "held", "z": "held"}
    K6 = np.diag([200.0, 1e5, 1e5, 1e4, 1e4, 1e4]).tolist()
    soft = np.diag([0.0, 0.0, 0.0, 1e4, 1e4, 1e4]).tolist()
    return System.model_validate({
        "environment": {"gravity": 0.0, "water_density": 0.0, "seabed": {"kind": "none"}},
        "bodies": {"a": body | {"position": [0, 0, 0], "stiffness": K6},
                   "b": body | {"position": [0, 0, 0], "mass": 1.0, "stiffness": soft}},
        "links": {"slide": {"kind": "joint", "between": ["a.o", "b.o"], "axes": axes}},
    })  # fmt: skip


def test_joint_with_a_spring_is_an_oscillator():
    """Masses of 4 and 1 kg, springs of 200 N/m to the ground and 500 N/m between them."""
    values = eigh(np.array([[700.0, -500.0], [-500.0, 500.0]]), np.diag([4.0, 1.0]))[0]
    assert_allclose(modes(slider(), 2).omega, np.sqrt(values), rtol=1e-9)


def test_response_of_a_joint_with_spring_and_damper():
    """(K - i w C - w^2 M) x = f."""
    omega, c = np.array([3.0, 20.0, 40.0]), 6.0
    found = response(slider(damping=c), omega, "force:b:x").body_motion.sel(dof="surge").values
    pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for w, x in zip(omega, found, strict=True):
        A = np.diag([200.0, 0.0]) + (500.0 - 1j * w * c) * pair - w**2 * np.diag([4.0, 1.0])
        assert_allclose(x, np.linalg.solve(A, [0.0, 1.0]), rtol=1e-8)


def test_dry_friction_is_refused():
    with pytest.raises(InputError, match="dry friction"):
        modes(slider(friction=2.0))
