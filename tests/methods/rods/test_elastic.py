"""Elastic rods afloat: beam on elastic foundation, stiff and soft limits, exact gradient."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rod_bodies import FRESH, GRAVITY, build, snake_fields, uniform_fields
from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods import elastic as rod_elastic
from ropewalk.methods.rods.afloat import equilibrium
from ropewalk.methods.rods.elastic import BendingProblem, Hold, bend
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rods import RodFields, place
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.spec.environment import Environment
from ropewalk.spec.rods import Rod

R, LENGTH, EI = 0.05, 6.0, 200.0


def loaded(at: float, mass: float, density: float = 500.0) -> RodFields:
    plain = uniform_fields(LENGTH, R, R, density)
    return RodFields(LENGTH, plain.kappa, plain.sections, plain.line_mass, point_masses=((at, mass),))


def beam(at: float, load: float, curved: bool, s: np.ndarray) -> np.ndarray:
    """Half-drowned round beam on the water under a point load, small deflection, free ends.

    Energy per length: EI w''^2/2 + k w^2/2 - b w'^2/2 with k = rho g 2 r and b = (2/3) rho g r^3 from the tilted
    section, and for the exact volume element - b w w'' in addition. Hence EI w'''' - d w'' + k w = 0 with d = -b for
    slices and d = +b for the exact element, and the ends free of EI w'' - b w and EI w''' (exact), or of w'' and
    EI w''' + b w' (slices).
    """
    k, b = FRESH * GRAVITY * 2 * R, 2 / 3 * FRESH * GRAVITY * R**3
    d = b if curved else -b
    roots = np.roots([EI, 0, -d, 0, k]).astype(complex)

    def row(x: float, order: int) -> np.ndarray:
        return roots**order * np.exp(roots * x)

    A, rhs = np.zeros((8, 8), complex), np.zeros(8, complex)
    for i, (x, part) in enumerate(((0.0, slice(0, 4)), (LENGTH, slice(4, 8)))):
        A[2 * i, part] = EI * row(x, 2) - (b * row(x, 0) if curved else 0)
        A[2 * i + 1, part] = EI * row(x, 3) + (0 if curved else b * row(x, 1))
    for order in range(3):
        A[4 + order] = np.concatenate([row(at, order), -row(at, order)])
    A[7], rhs[7] = np.concatenate([-EI * row(at, 3), EI * row(at, 3)]), -load
    scale = np.abs(A).max(axis=0)
    c = np.linalg.solve(A / scale, rhs) / scale
    wave = np.exp(np.outer(s, roots))
    return np.where(s <= at, (wave @ c[:4]).real, (wave @ c[4:]).real)


@pytest.mark.parametrize("curved", [True, False], ids=["exact element", "slices"])
@pytest.mark.parametrize("at", [3.0, 1.0])
def test_small_deflection_is_that_of_a_beam_on_elastic_foundation(at, curved):
    mass = 5e-4
    rod = build(loaded(at, mass), curved=curved, n_panels=6)
    bent = bend(rod, (0.8 * EI, EI, EI), equilibrium(rod, np.array([0.0, 0.0, 1.0])))
    s = np.linspace(0.0, LENGTH, 13)
    height = np.array([bent.pose.heave + place(bent.rod, x).position @ bent.pose.up for x in s])
    expected = beam(at, mass * GRAVITY, curved, s)
    # deflection 2e-6 m of a radius of 0.05 m, gradient to 1e-11; 12 polynomials per piece resolve the shape to 1e-5
    assert_allclose(height, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("hold", [Hold(), Hold(springs=((0.4, 0.3, 50.0), (1.0, -0.1, 20.0)))], ids=["free", "springs"])
def test_gradient_of_the_energy_is_exact(hold):
    """Fourth-order differences in a random direction, at a pose that is no equilibrium, with point mass and taper."""
    plain = snake_fields()
    rod = build(RodFields(1.0, plain.kappa, plain.sections, plain.line_mass, point_masses=((0.4, 0.3),)))
    problem = BendingProblem(rod, np.array([2.0, 3.0, 4.0]), 5, hold)
    pose = equilibrium(rod)
    rng = np.random.default_rng(1)
    unknown = 0.3 * rng.normal(size=3 * len(problem.basis))
    up = pose.up + np.array([0.1, 0.05, 0.0])
    up /= np.linalg.norm(up)
    tangents = tangent_basis(up)
    gradient = problem.value(unknown, pose.heave + 0.01, up, tangents).gradient
    step = rng.normal(size=gradient.size)

    def energy(t: float) -> float:
        n = unknown.size
        p = t * step[n + 1 :] @ tangents
        angle = np.linalg.norm(p)
        turned = np.cos(angle) * up + np.sinc(angle / np.pi) * p
        return problem.value(
            unknown + t * step[:n], pose.heave + 0.01 + t * step[n] * rod.length, turned, tangents
        ).value

    h = 1e-4
    slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    # round-off of the energy, 1e-15, over h, and h^4
    assert_allclose(slope, step @ gradient, rtol=0, atol=1e-9 * np.abs(gradient).max() * np.abs(step).sum())


def test_a_soft_spring_far_away_bends_the_rod_as_a_load_does():
    """A spring with a force of 5 mN that hardly changes, against the beam on the water under a point load."""
    at, load = 2.0, 5e-3
    plain = uniform_fields(LENGTH, R, R, 500.0)
    rod = build(RodFields(LENGTH, plain.kappa, plain.sections, plain.line_mass, breaks=(at,)), n_panels=6)
    spring = Hold(springs=((at, -1.0, load),))
    bent = bend(rod, (0.8 * EI, EI, EI), equilibrium(rod, np.array([0.0, 0.0, 1.0])), hold=spring)
    s = np.linspace(0.0, LENGTH, 13)
    height = np.array([bent.pose.heave + place(bent.rod, x).position @ bent.pose.up for x in s])
    expected = beam(at, load, True, s)
    # as for the point mass
    assert_allclose(height, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    assert_allclose(bent.spring_force, [-load], rtol=1e-5)
    assert bent.lowest > -1e-9  # round, so neutral in roll


def test_a_very_stiff_rod_floats_as_a_rigid_one():
    rod = build(snake_fields())
    rigid = equilibrium(rod)
    bent = bend(rod, (1e8, 1e8, 1e8), rigid, functions=6)
    # bending of the order of weight x length^2 / EI = 1e-7
    assert_allclose(bent.pose.up, rigid.up, rtol=0, atol=1e-6)
    assert bent.elastic_energy < 1e-6 * rod.mass * GRAVITY * rod.length


def test_a_softer_rod_has_less_energy():
    rod = build(snake_fields())
    energies = [bend(rod, (ei, ei, ei), functions=6).energy for ei in (1000.0, 100.0, 20.0)]
    assert energies[0] > energies[1] > energies[2]


def test_clamped_head_keeps_its_pose_and_the_rod_sags_as_a_cantilever():
    """Head high and level, light and short enough to stay dry: w = q L^4/(8 EI) at the tip, small deflection."""
    ei = 2e5
    plain = uniform_fields(1.0, 0.05, 0.05, 500.0)
    rod = build(plain)
    pose = equilibrium(rod, np.array([0.0, 0.0, 1.0]))
    high = type(pose)(**{**pose.__dict__, "heave": 5.0, "up": np.array([0.0, 0.0, 1.0])})
    bent = bend(rod, (ei, ei, ei), high, clamped=True, functions=6)
    tip = place(bent.rod, 1.0)
    q = 500.0 * np.pi * 0.05**2 * GRAVITY
    assert bent.pose.heave == 5.0
    # second order in the slope q L^3/(6 EI) = 3e-5, and the weight of the bent section's offset, (r/L)^2
    assert_allclose(tip.position[2], -q / (8 * ei), rtol=5e-3)
    assert_allclose(tip.t1[2], -q / (6 * ei), rtol=5e-3)
    assert np.abs(bent.rod.panels.rows["bend3"]).max() < 1e-9 * np.abs(bent.rod.panels.rows["bend2"]).max()


def test_failure_tells_what_to_try(monkeypatch):
    monkeypatch.setattr(rod_elastic, "MOST_STEPS", 1)
    with pytest.raises(ConvergenceError, match="the bent shape was not found"):
        bend(build(snake_fields()), (5.0, 5.0, 5.0), functions=4)


def test_a_spar_over_its_buckling_load_leaves_the_upright():
    """A thin spar with 15 kg at one end and 0.5 kg at the other, upright: straight is in balance at every stiffness.

    With 40 N m2 it is a minimum, with 10 N m2 it is none: the spar bends, in any plane (round, so neutral), and has
    less energy than straight, bending counted.
    """
    spar = Rod.model_validate(
        {
            "length": 4.0,
            "density": 100,
            "section": {"kind": "ellipse", "a": 0.05, "b": 0.05},
            "masses": [{"s": 0.0, "mass": 15.0}, {"s": 4.0, "mass": 0.5}],
        }
    )
    rod = build_rod(spar, Environment(gravity=9.81, water_density=1000.0), "spar")
    upright = equilibrium(rod, np.array([1.0, 0.01, 0.0]))
    stiff, soft = (bend(rod, (k, k, k), upright, functions=6) for k in (40.0, 10.0))
    assert stiff.lowest > 1e-4
    assert stiff.elastic_energy == 0.0
    assert abs(soft.lowest) < 1e-6
    assert soft.elastic_energy > 1.0
    assert soft.energy < stiff.energy - 5.0
