"""Equilibrium of rods: closed forms, differences of the energy, random starts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from rod_bodies import (
    FRESH,
    GRAVITY,
    boxed,
    build,
    directions,
    helix_fields,
    snake_fields,
    twisted_fields,
    uniform_fields,
)
from ropewalk.errors import ConvergenceError
from ropewalk.methods.rods.afloat import MINIMUM, FloatingPose, equilibrium, seek, trust_step
from ropewalk.model.rods import RodModel
from ropewalk.numerics.rotations import exp_se3, rigid
from ropewalk.physics.rod_energy import float_at, upright_frame, wrench_and_stiffness
from ropewalk.physics.rod_hydrostatics import hydrostatics
from ropewalk.physics.rod_shape import RECTANGLE

BODIES = {
    "helix": helix_fields(),
    "twisted": twisted_fields(17),
    "snake": snake_fields(),
    "cylinder": uniform_fields(1.0, 0.05, 0.05, 500.0),
    "plank": uniform_fields(1.0, 0.02, 0.2, 300.0),
    "bent box": uniform_fields(1.0, 0.06, 0.04, 500.0, (0.0, 1.0, 4.0), RECTANGLE),
    "twisted board": uniform_fields(3.0, 0.15, 0.03, 450.0, (2.0, 0.3, 0.2), RECTANGLE),
    "tapered box": boxed(snake_fields()),
}


def energy(rod: RodModel, z: float, up: np.ndarray) -> float:
    """Potential energy of the pose, J: weight times height minus the work of the water (Herault 2020, eq. (38))."""
    acc = hydrostatics(rod.panels, z, up)
    lift = acc.volume * z + acc.moment @ up
    return GRAVITY * (rod.mass * (z + rod.centre @ up) - FRESH * lift)


def moved(rod: RodModel, pose: FloatingPose, twist: np.ndarray) -> tuple[float, np.ndarray]:
    """Height of the head and up after a world twist at the centre of mass."""
    R, _, _ = upright_frame(pose.up)
    centre = np.array([0.0, 0.0, pose.heave]) + R @ rod.centre
    there = rigid(np.eye(3), centre) @ exp_se3(twist) @ rigid(np.eye(3), -centre)
    g = there @ rigid(R, np.array([0.0, 0.0, pose.heave]))
    return float(g[2, 3]), np.ascontiguousarray(g[2, :3])


@pytest.mark.parametrize("density", [150.0, 500.0, 800.0])
def test_cylinder_lies_level_at_the_depth_of_its_segment(density):
    """Segment area over circle area equals the density ratio."""
    r, length = 0.05, 1.0
    pose = equilibrium(build(uniform_fields(length, r, r, density)), np.array([0.2, 0.5, 1.0]))
    share = density / FRESH
    level = brentq(lambda c: (np.arccos(c) - c * np.sqrt(1 - c * c)) / np.pi - share, -1, 1, xtol=1e-15)
    # moment and volume converge to 1e-13; the stiffness scales them by numbers of order 1
    assert_allclose(pose.up[0], 0.0, rtol=0, atol=1e-12)
    assert_allclose(pose.heave, level * r, rtol=0, atol=1e-12 * length)
    weight = density * np.pi * r**2 * length * GRAVITY
    beam = 2 * r * np.sqrt(1 - level**2)
    assert_allclose(pose.stiffness[2, 2], FRESH * GRAVITY * beam * length, rtol=1e-12)
    depth = -2 / 3 * r**3 * (1 - level**2) ** 1.5 / (share * np.pi * r**2)  # of the centre of buoyancy below the axis
    pitch = FRESH * GRAVITY * beam * length**3 / 12 + weight * depth
    assert_allclose(np.sort(np.linalg.eigvalsh(pose.stiffness[3:5, 3:5])), [0.0, pitch], rtol=1e-11, atol=1e-11 * pitch)


def test_spar_floats_upright_where_archimedes_says():
    """A short cylinder, ballasted by a point mass at its foot: draught and metacentric height in closed form."""
    r, length, mass = 0.1, 1.0, 12.0
    fields = uniform_fields(length, r, r, 300.0)
    rod = build(type(fields)(length, fields.kappa, fields.sections, fields.line_mass, point_masses=((0.0, mass),)))
    pose = equilibrium(rod, np.array([1.0, 0.1, 0.2]))
    area = np.pi * r**2
    draught = (300.0 * area * length + mass) / (FRESH * area)
    centre = 300.0 * area * length**2 / 2 / (300.0 * area * length + mass)
    height = draught / 2 - centre + r**2 / 4 / draught
    assert_allclose(pose.up, [1.0, 0.0, 0.0], rtol=0, atol=1e-12)
    assert_allclose(pose.heave, -draught, rtol=1e-12)
    assert_allclose(pose.curvature, rod.mass * GRAVITY * height, rtol=1e-11)


@pytest.mark.parametrize("name", ["helix", "snake", "plank"])
def test_stiffness_is_the_second_derivative_of_the_energy(name):
    """Along random screw motions in all six freedoms, at an equilibrium."""
    rod = build(BODIES[name])
    pose = equilibrium(rod, directions(1, 4)[0])
    rng = np.random.default_rng(8)
    for _ in range(4):
        twist = rng.normal(size=6) * np.array([rod.length] * 3 + [1.0] * 3)
        h = 1e-4

        def at(t, twist=twist):
            return energy(rod, *moved(rod, pose, t * twist))

        # sixth-order difference
        second = (
            -49 / 18 * at(0)
            + 3 / 2 * (at(h) + at(-h))
            - 3 / 20 * (at(2 * h) + at(-2 * h))
            + (at(3 * h) + at(-3 * h)) / 90
        ) / h**2
        exact = twist @ pose.stiffness @ twist
        # round-off 1e-16 of the energy over h^2 is 1e-8 of the stiffness; drying sections limit the smoothness
        assert_allclose(second, exact, rtol=0, atol=2e-6 * np.abs(pose.stiffness).max() * (twist @ twist))


@pytest.mark.parametrize("name", ["helix", "snake", "plank", "bent box", "twisted board", "tapered box"])
def test_stiffness_is_minus_the_derivative_of_the_wrench_to_1e_7(name):
    """Central differences of the wrench in heave, roll and pitch, at the centre of mass."""
    rod = build(BODIES[name])
    pose = equilibrium(rod, directions(1, 4)[0])
    weight_density = FRESH * GRAVITY
    scale = np.array([1.0, rod.length, rod.length])

    def wrench(twist):
        z, up = moved(rod, pose, twist)
        acc = hydrostatics(rod.panels, z, up)
        return wrench_and_stiffness(acc, rod.centre, rod.float_volume, up, weight_density)[0]

    K = pose.stiffness[2:5, 2:5] / np.outer(scale, scale)
    for column, freedom in enumerate((2, 3, 4)):
        h = 1e-5 * (rod.length if freedom == 2 else 1.0)
        twist = np.zeros(6)
        twist[freedom] = h
        # the yaw-free axes turn by the yaw that roll and pitch make together: second order, gone in the difference
        slope = -(8 * (wrench(twist) - wrench(-twist)) - (wrench(2 * twist) - wrench(-2 * twist)))[2:5] / (12 * h)
        # h^4 terms below 1e-12, round-off 1e-15/h = 1e-10
        assert_allclose(slope / scale / scale[column], K[:, column], rtol=0, atol=1e-7 * np.abs(K).max())


@pytest.mark.parametrize("name", list(BODIES))
def test_random_starts_all_converge_in_twenty_steps(name):
    """No failure, wrench below 1e-12 of weight times length; 10,000 starts in the slow study."""
    _start_everywhere(name, 300)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(BODIES))
def test_ten_thousand_random_starts_all_converge_in_twenty_steps(name):
    _start_everywhere(name, 10_000)


@pytest.mark.parametrize("density", [1.0, 300.0, 999.0])
@pytest.mark.parametrize("radius", [1e-4, 1e-2, 5.0])
def test_needles_and_discs_nearly_dry_or_nearly_drowned_converge_too(radius, density):
    """Energies like |x| with a rounded tip, and cut volumes of a thousandth: slower, but no failure."""
    rod = build(uniform_fields(1.0, radius, 1.3 * radius, density))
    for up in directions(40, 2):
        assert equilibrium(rod, up, most=60).residual <= 1e-13


def _start_everywhere(name: str, n: int) -> None:
    rod = build(BODIES[name])
    heights = np.random.default_rng(3).uniform(-1, 1, n) * 0.5 * rod.length
    most, path = 20, np.zeros((21, 4))
    for up, height in zip(directions(n, 11), heights, strict=True):
        status, steps, _, u, _, acc = seek(
            rod.panels,
            rod.centre,
            rod.float_volume,
            rod.length,
            up,
            height - up @ rod.centre,
            MINIMUM,
            1e-13,
            most,
            path,
        )
        assert status == 0, (up, height, path[: steps + 1, 1])
        W, _ = wrench_and_stiffness(acc, rod.centre, rod.float_volume, u, FRESH * GRAVITY)
        weight = rod.mass * GRAVITY
        assert max(abs(W[2]) / weight, abs(W[3]) / weight / rod.length, abs(W[4]) / weight / rod.length) < 1e-12
        assert path[steps, 0] <= path[0, 0] + 1e-12


def test_light_and_heavy_rods_are_mirror_images():
    """Density rho and rho_w - rho have the same energy at the inverted pose."""
    light, heavy = build(snake_fields(400.0)), build(snake_fields(600.0))
    for up in directions(5, 6):
        energies = []
        for rod, u in ((light, up), (heavy, -up)):
            _, acc, _ = float_at(rod.panels, u, -float(u @ rod.centre), rod.float_volume, 1e-15)
            energies.append(-u @ (acc.moment - acc.volume * rod.centre))
        # two sums of the same pieces: round-off, and quadrature error of the same size on both sides
        assert_allclose(energies[0], energies[1], rtol=0, atol=1e-12 * light.volume * light.length)


def test_converges_quadratically_near_the_end():
    rod = build(BODIES["snake"])
    path = equilibrium(rod, directions(1, 9)[0]).path[:, 1]
    last = path[path > 1e-12][-2:]
    # residual r_k+1 < c r_k^2 with c of the order of one over the section's share of the length
    assert last[1] < 1e3 * last[0] ** 2 or last[1] < 1e-9


def test_maximum_is_where_minus_the_energy_is_smallest():
    rod = build(BODIES["snake"])
    top = equilibrium(rod, goal="maximum")
    assert np.all(top.curvature < 0.0)
    assert top.energy > equilibrium(rod).energy


@pytest.mark.parametrize(
    ("l1", "l2", "g1", "g2", "radius"),
    [(1.0, 2.0, 0.3, -0.1, 1.0), (1.0, 2.0, 3.0, -1.0, 0.5), (-1.0, 2.0, 0.3, 1.0, 0.7), (-2.0, -1.0, 0.1, 0.2, 0.4),
     (-1.0, 1.0, 0.0, 0.1, 0.6), (0.0, 0.0, 1.0, 2.0, 0.3), (-1e-9, 1.0, 1e-3, 1.0, 0.5)],
)  # fmt: skip
def test_trust_step_beats_every_other_step(l1, l2, g1, g2, radius):
    """Compared with a fine grid over the disc."""
    p1, p2 = trust_step(l1, l2, g1, g2, radius)
    assert np.hypot(p1, p2) <= radius * (1 + 1e-12)
    r, a = np.meshgrid(np.linspace(0, radius, 200), np.linspace(0, 2 * np.pi, 400))
    x, y = r * np.cos(a), r * np.sin(a)
    grid = g1 * x + g2 * y + 0.5 * (l1 * x * x + l2 * y * y)
    assert g1 * p1 + g2 * p2 + 0.5 * (l1 * p1 * p1 + l2 * p2 * p2) <= grid.min() + 1e-9


def test_too_few_steps_are_told():
    with pytest.raises(ConvergenceError, match=r"2 steps were not enough; moment .* limit 1.0e-13"):
        equilibrium(build(BODIES["snake"]), np.array([1.0, 0.3, 0.2]), most=2)


def test_a_pose_where_the_quadrature_changes_its_rule_is_found():
    """The moment jumps by 2e-13 of weight times length there, more than the tolerance; pins a failure once seen."""
    plain = uniform_fields(1.0, 0.1077, 0.1077, 650.0)

    def kappa(s):
        return np.stack([0 * s, 2.695 + 0 * s, 6.905 * np.sin(2 * np.pi * s)], -1)

    rod = build(type(plain)(plain.length, kappa, plain.sections, plain.line_mass))
    for up in directions(30, 1):
        assert equilibrium(rod, up).residual < 1e-12
