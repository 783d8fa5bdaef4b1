"""Rods held at the head or on springs, from the case file."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.floating import float_rods
from ropewalk.analysis.moored import float_all
from ropewalk.analysis.rod_held import HeldState
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import elastic as rod_elastic
from ropewalk.spec.system import System

SEA = {"water_density": 1000.0, "gravity": 9.81}


def held(**rod) -> tuple[HeldState, ...]:
    system = System.model_validate({"ropewalk": 1, "environment": SEA, "rods": {"it": rod}})
    return float_rods(system)["it"].states


def test_a_thin_rod_pinned_above_the_water_dips_as_far_as_its_density_says():
    """Moments about the pin: of a length L the part (L - l) is dry with (L - l)^2 = L^2 (1 - r), for a thin rod."""
    length, ratio, height, radius = 2.0, 0.6, 0.5, 1e-3
    section = {"kind": "ellipse", "a": radius, "b": radius}
    states = held(length=length, density=1000.0 * ratio, section=section, held={"head": {"heave": height}})
    dry = length * np.sqrt(1.0 - ratio)
    state = states[0]
    assert state.kind == "neutral"  # round about its axis
    # the section cut at a slant shifts the centre of buoyancy by r^2/(8 l), here 1e-7 m
    assert_allclose(np.sin(state.pose.pitch), height / dry, rtol=1e-5)
    weight = 9.81 * 1000.0 * np.pi * radius**2
    assert_allclose(state.head_force, weight * (ratio * length - (length - dry)), rtol=1e-5)
    assert state.head_moment == (0.0, 0.0)


def test_a_clamped_cantilever_in_the_air_asks_for_its_weight_and_moment():
    """F = q L, M = q L^2/2 on the head, w = q L^4/(8 EI) at the tip, small deflection."""
    length, side, density, ei = 1.0, 0.02, 500.0, 1e4
    states = held(
        length=length,
        density=density,
        section={"kind": "rectangle", "width": side, "height": side},
        elasticity={"torsion": ei, "bending": [ei, ei]},
        held={"head": {"heave": 5.0, "roll": 0.0, "pitch": 0.0}},
    )
    assert len(states) == 1
    q = density * side**2 * 9.81
    assert_allclose(states[0].head_force, q * length, rtol=1e-12)
    # slopes of 2e-5: their squares, and the offset of a bent section's mass, (side/L)^2
    assert_allclose(states[0].head_moment, [0.0, -q * length**2 / 2], rtol=1e-4, atol=1e-9)
    assert_allclose(states[0].tip - 5.0, -q * length**4 / (8 * ei), rtol=1e-3)


def test_a_clamped_stiff_rod_tells_what_it_takes_to_hold_it():
    """A flat board pushed down level by 2 cm below the height at which it floats: rho g times the area more."""
    length, width, height = 3.0, 0.5, 0.1
    section = {"kind": "rectangle", "width": width, "height": height}
    afloat = 0.0  # centre at the surface: half of it wet at half the density
    head = {"heave": afloat - 0.02, "roll": 0.0, "pitch": 0.0}
    (state,) = held(length=length, density=500.0, section=section, held={"head": head})
    extra = 9810.0 * width * length * 0.02
    assert_allclose(state.head_force, -extra, rtol=1e-12)
    assert_allclose(state.head_moment, [0.0, extra * length / 2], rtol=1e-12, atol=1e-10)  # down on the head, nose up


def test_a_board_on_two_springs_shares_its_weight_with_the_water():
    """Wall-sided and level: W = rho g A (h/2 - z) + 2 k (z_0 - z)."""
    length, width, height, k, top = 3.0, 0.5, 0.1, 2000.0, 0.06
    states = held(
        length=length,
        density=500.0,
        section={"kind": "rectangle", "width": width, "height": height},
        held={"supports": [{"s": s, "height": top, "stiffness": k} for s in (0.5, 2.5)]},
    )
    water = 9810.0 * width * length
    z = (water * height / 2 + 2 * k * top - 500.0 * 9.81 * width * height * length) / (water + 2 * k)
    state = states[0]
    assert_allclose(state.pose.heave, z, rtol=1e-9)
    assert_allclose(state.spring_force, [k * (top - z)] * 2, rtol=1e-9)
    assert_allclose(state.tip, z, rtol=1e-9)
    assert state.kind == "minimum"
    assert len(states) == 2  # either side up


def test_a_soft_rod_sags_between_its_springs():
    rod = {
        "length": 4.0,
        "density": 500.0,
        "section": {"kind": "rectangle", "width": 0.4, "height": 0.05},
        "held": {"supports": [{"s": s, "height": 0.3, "stiffness": 500.0} for s in (0.5, 3.5)]},
    }
    stiff = held(**rod)[0]
    soft = held(**rod, elasticity={"torsion": 2000.0, "bending": [500.0, 8000.0]})[0]
    assert soft.pose.energy < stiff.pose.energy
    assert soft.pose.pitch > np.radians(1.0)  # the head's axis points down towards the middle
    assert_allclose(soft.tip, soft.pose.heave, rtol=1e-9)  # the same at both ends
    assert soft.spring_force[0] == pytest.approx(soft.spring_force[1], rel=1e-9)


def test_a_rod_that_is_held_and_on_lines_is_refused():
    rod = {
        "length": 2.0,
        "density": 500.0,
        "section": {"kind": "ellipse", "a": 0.1, "b": 0.1},
        "attachments": {"eye": {"s": 0.0}},
        "held": {"head": {"heave": 0.0}},
    }
    system = System.model_validate(
        {
            "ropewalk": 1,
            "environment": SEA | {"depth": 5.0},
            "sections": {"rope": {"drag": 0, "added_mass": 0, "diameter": 0.02, "mass": 0.3, "axial_stiffness": 1e6}},
            "points": {"anchor": {"position": [0, 0, -5], "joint": "fixed"}},
            "rods": {"it": rod},
            "lines": {"tether": {"from": "anchor", "to": "it.eye", "pieces": [{"section": "rope", "length": 6.0}]}},
        }
    )
    with pytest.raises(InputError, match="lines end on it and it is held too; leave out `held`, or its lines"):
        float_all(system)


def test_a_support_beyond_a_centreline_is_refused():
    points = [[0.5 * k, 0, 0] for k in range(5)]
    support = {"s": 2.5, "height": 0.0, "stiffness": 10.0}
    with pytest.raises(InputError, match=r"a support at s = 2.5 m lies beyond its length 2 m"):
        held(
            density=500.0,
            section={"kind": "ellipse", "a": 0.1, "b": 0.1},
            curvature={"kind": "centreline", "points": points},
            held={"supports": [support]},
        )


def test_no_rest_found_is_told(monkeypatch):
    monkeypatch.setattr(rod_elastic, "MOST_STEPS", 1)
    with pytest.raises(ConvergenceError, match="no stable equilibrium within its supports, from"):
        held(length=2.0, density=500.0, section={"kind": "ellipse", "a": 0.1, "b": 0.2}, held={"head": {"heave": 0.4}})
