"""The power series of a chain of rigid links against closed forms and independent mechanics."""

from __future__ import annotations

import numpy as np
import pytest
from chain_drive import drive, held_at, polyline, term
from chain_reference import accelerations, integrate
from numpy.testing import assert_allclose
from scipy.special import ellipk

from ropewalk.methods.chain import steps
from ropewalk.methods.chain.arrays import Chain, chain
from ropewalk.methods.chain.forces import energy, link_end_forces
from ropewalk.methods.chain.statics import equilibrium

G = 9.81


def _rod(**changes: object) -> Chain:
    """One link of 2 m and 3 kg, pinned at the origin, free at the other end."""
    return chain(
        np.array([2.0]), np.array([3.0]), held=(True, False), motion_terms=held_at(0, (0, 0, 0))[None], **changes
    )


def _uneven(**changes: object) -> tuple[Chain, np.ndarray, np.ndarray]:
    """Four different links in space with masses on their nodes, pinned at one end, turning and stretched out."""
    length, mass = np.array([1.0, 0.7, 1.3, 0.9]), np.array([2.0, 1.0, 3.0, 0.5])
    node_mass = np.array([0.0, 0.4, 0.0, 1.1, 0.6])
    settings = {"held": (True, False), "motion_terms": held_at(0, (0, 0, 0))[None], "node_mass": node_mass, **changes}
    made = chain(length, mass, **settings)  # type: ignore[arg-type]
    r = polyline(length, np.array([[1.0, 0.3, -0.2], [0.8, -0.4, 0.5], [0.2, 1.0, -0.3], [-0.3, 0.6, 0.9]]))
    spin = np.array([0.4, -0.7, 1.1])
    return made, r, np.cross(spin, r)  # a rigid rotation keeps all lengths


@pytest.mark.parametrize("degrees", [30.0, 90.0, 150.0])
def test_rod_pendulum_returns_after_its_period(degrees: float) -> None:
    """T = 4 K(sin^2(theta/2)) sqrt(2 l / 3 g) for a thin rod: the rotary inertia of the link is m l^2 / 3."""
    angle = np.radians(degrees)
    r = polyline(np.array([2.0]), np.array([[np.sin(angle), 0.0, -np.cos(angle)]]))
    period = 4.0 * ellipk(np.sin(0.5 * angle) ** 2) * np.sqrt(2.0 * 2.0 / (3.0 * G))
    out = drive(_rod(), r, np.zeros((2, 3)), period)
    # 1e-13 per step, some 30 steps, growth linear in time
    assert_allclose(out.position, r, atol=2e-11)
    assert_allclose(out.velocity, 0.0, atol=2e-11)


def test_added_mass_across_a_pendulum_slows_it() -> None:
    """Its motion is across the link only: the period grows as sqrt((m + m_normal) / m), whatever is added along."""
    r = polyline(np.array([2.0]), np.array([[1.0, 0.0, 0.0]]))
    period = 4.0 * ellipk(0.5) * np.sqrt(2.0 * 2.0 / (3.0 * G) * (3.0 + 1.2) / 3.0)
    out = drive(_rod(added_normal=1.2, added_tangential=0.7), r, np.zeros((2, 3)), period)
    assert_allclose(out.position, r, atol=2e-11)


def test_conical_rod_keeps_its_angle() -> None:
    """A rod circling at the angle cos(theta) = 3 g / (2 l w^2) stays there: three dimensions, closed form."""
    omega = 4.0
    cosine = 3.0 * G / (2.0 * 2.0 * omega**2)
    sine = np.sqrt(1.0 - cosine**2)
    r = polyline(np.array([2.0]), np.array([[sine, 0.0, -cosine]]))
    v = np.array([[0.0, 0.0, 0.0], [0.0, 2.0 * sine * omega, 0.0]])
    out = drive(_rod(), r, v, 3.0)
    where = 2.0 * np.array([sine * np.cos(3.0 * omega), sine * np.sin(3.0 * omega), -cosine])
    assert_allclose(out.position[1], where, atol=1e-11)


def test_free_rod_has_different_inertia_along_and_across() -> None:
    """Loads along and across a free rod: a = F / (m + added mass of that direction)."""
    r = polyline(np.array([2.0]), np.array([[1.0, 0.0, 0.0]]))
    load = np.array([[6.0, 0.0, 9.0]])
    made = chain(np.array([2.0]), np.array([3.0]), held=(False, False), link_load=load,
                 added_normal=1.2, added_tangential=0.5)  # fmt: skip
    out = drive(made, r, np.zeros((2, 3)), 0.7)
    assert_allclose(out.position - r, np.tile(0.5 * 0.49 * np.array([6.0 / 3.5, 0.0, 9.0 / 4.2]), (2, 1)), atol=1e-13)


VARIANTS = {
    "weight": {},
    "damping and linear drag": {"damping": 0.3, "linear_drag": 0.8, "current": (0.5, 0.2, 0.0)},
    "pressure": {"pressure": np.tile([0.0, 2.0, 1.0], (4, 1))},
    "added mass": {"added_normal": np.array([1.0, 0.2, 2.0, 0.4]), "added_tangential": np.array([0.1, 0.2, 0.0, 0.9])},
    "drag in a current": {"drag_normal": 1.5, "drag_tangential": 0.3, "node_drag": np.full(5, 0.4), "smoothing": 0.5,
                          "current": (6.0, 4.0, 3.0)},
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_first_coefficients_are_newton_and_euler(variant: str) -> None:
    """Accelerations at t = 0 from momentum and moment balance of every link, an independent dense system."""
    made, r, v = _uneven(**VARIANTS[variant])
    out = drive(made, r, v, 0.0)
    rest = (np.zeros(3), np.zeros(3), np.zeros(3))
    expected = accelerations(made, r, v, 0.0, lambda t: rest, None)
    # condition number of the dense system about 1e2, accelerations about 30 m/s2
    assert_allclose(out.series.acceleration[:, 0].T, expected, atol=1e-11)


@pytest.mark.parametrize("variant", VARIANTS)
def test_motion_is_that_of_a_runge_kutta_method(variant: str) -> None:
    """DOP853 on the same mechanics, written as momentum and moment balance of every link."""
    made, r, v = _uneven(**VARIANTS[variant])
    rest = (np.zeros(3), np.zeros(3), np.zeros(3))
    until = 0.25
    expected, _ = integrate(made, r, v, until, lambda t: rest, None, tolerance=1e-10)
    out = drive(made, r, v, until, tolerance=1e-12)
    assert out.code == steps.DONE
    # the Runge-Kutta run errs by its 1e-10 times some ten steps
    assert_allclose(out.position, expected, atol=2e-9)


def test_swapped_ends_give_the_same_motion() -> None:
    """Numbering from end B instead of end A is the same chain."""
    made, r, v = _uneven()
    n = 4
    turned = chain(made.length[::-1], made.mass[::-1], node_mass=made.node_mass[::-1], held=(False, True),
                   motion_terms=held_at(n, (0, 0, 0))[None])  # fmt: skip
    there = drive(made, r, v, 1.0)
    back = drive(turned, r[::-1].copy(), v[::-1].copy(), 1.0)
    # a chaotic multiple pendulum: 1e-13 per step grows to some 1e-11 in 1 s
    assert_allclose(back.position[::-1], there.position, atol=1e-10)


def test_turned_about_the_vertical_gives_the_turned_motion() -> None:
    """Gravity does not see a rotation about z."""
    made, r, v = _uneven()
    c, s = np.cos(0.8), np.sin(0.8)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    there, turned = drive(made, r, v, 1.0), drive(made, r @ turn.T, v @ turn.T, 1.0)
    assert_allclose(turned.position, there.position @ turn.T, atol=1e-10)


def test_free_fall_keeps_momentum_angular_momentum_and_energy() -> None:
    """A chain with both ends free, turning: the middle of mass falls, the rest is conserved."""
    made, r, v = _uneven(held=(False, False), motion_terms=None)
    out = drive(made, r, v, 1.0)

    def momenta(r: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p = made.node_mass[:, None] * v
        spin = np.cross(r, p).sum(axis=0)
        for k in range(4):
            for x in (0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)):  # exact for the quadratic r x v
                at, rate = (1 - x) * r[k] + x * r[k + 1], (1 - x) * v[k] + x * v[k + 1]
                spin = spin + 0.5 * made.mass[k] * np.cross(at, rate)
                p[k] += 0.5 * made.mass[k] * rate
        return p.sum(axis=0), spin

    mass = made.mass.sum() + made.node_mass.sum()
    first, last = momenta(r, v), momenta(out.position, out.velocity)
    assert_allclose(last[0] - first[0], [0.0, 0.0, -mass * G], atol=1e-10)
    # seen from the middle of mass, which moves by v t - g t^2 / 2, nothing turns the chain
    drift = first[0] / mass
    fallen = out.position - drift + np.array([0.0, 0.0, 0.5 * G])
    moving = out.velocity - drift + np.array([0.0, 0.0, G])
    still = momenta(fallen, moving)[1]
    begun = momenta(r, v - drift)[1]
    assert_allclose(still, begun, atol=1e-9)
    assert sum(energy(made, out.position, out.velocity)) == pytest.approx(sum(energy(made, r, v)), abs=1e-9)


def test_sudden_start_of_an_end_is_the_least_impulse() -> None:
    """Velocities after a jump of an end: momentum given through the links only, so the work is v_end . impulse / 2."""
    length, mass = np.full(3, 1.0), np.full(3, 2.0)
    row = held_at(3, (0.0, 0.0, 0.0))
    r = polyline(length, np.array([[1.0, 0.0, -1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]))
    made = chain(length, mass, held=(False, True), gravity=0.0,
                 motion_terms=np.stack([np.append(held_at(3, tuple(r[3])), 0.0), np.append(row, 1.0)]))  # fmt: skip
    made.motion_terms[1, 5:8] = 1.0, 0.0, 0.0
    made.motion_terms[1, 8:] = 0.0, 1.0  # x = t from t = 0 on, the chain at rest before
    out = drive(made, r, np.zeros((4, 3)), 0.0)
    v = out.velocity
    assert_allclose(v[3], [1.0, 0.0, 0.0], atol=1e-14)
    assert_allclose(np.sum(np.diff(v, axis=0) * np.diff(r, axis=0), axis=1), 0.0, atol=1e-14)
    momentum = 2.0 * 0.5 * (v[:-1] + v[1:]).sum(axis=0)
    # an impulse p at the end gives the kinetic energy p . v_end / 2 to a body at rest
    assert energy(made, r, v)[0] == pytest.approx(0.5 * momentum @ v[3], rel=1e-13)


def test_load_in_time_moves_a_free_rod() -> None:
    """m a = F cos(w t), spread over a free link; work equals kinetic energy."""
    row = term(2, (0.0, 6.0, 0.0), 3.0)  # target n + 1 + 0: the whole of link 0
    made = chain(np.array([2.0]), np.array([3.0]), held=(False, False), gravity=0.0, load_terms=row[None])
    r = polyline(np.array([2.0]), np.array([[1.0, 0.0, 0.0]]))
    out = drive(made, r, np.zeros((2, 3)), 1.3)
    assert_allclose(out.velocity[:, 1], 6.0 / 3.0 / 3.0 * np.sin(3.0 * 1.3), rtol=1e-13)
    assert out.ledger[2] == pytest.approx(energy(made, out.position, out.velocity)[0], rel=1e-12)


def test_forces_between_links_balance_every_node() -> None:
    """Force of the link before less that of the link beyond is mass times acceleration less load, at each node."""
    made, r, v = _uneven(**VARIANTS["drag in a current"])
    out = drive(made, r, v, 0.0)
    a, axial = out.series.acceleration[:, 0].T, out.series.tension[0]
    forces = link_end_forces(made, r, v, a, axial, 0.0)
    flow = made.current - v
    load = made.node_load + made.node_drag[:, None] * np.sqrt((flow**2).sum(axis=1) + 0.25)[:, None] * flow
    for i in range(1, 5):
        beyond = forces[i, 0] if i < 4 else 0.0
        assert_allclose(beyond - forces[i - 1, 1] + load[i], made.node_mass[i] * a[i], atol=1e-11)
    assert_allclose(-out.series.reaction[:, 0, 0] + made.node_load[0], forces[0, 0] + load[0], atol=1e-11)


@pytest.mark.parametrize(
    "changes",
    [
        {**VARIANTS["drag in a current"], "damping": 0.2, "pressure": np.full((4, 3), 0.7)},
        VARIANTS["added mass"],
        {"added_normal": 0.8, "added_tangential": 0.8},
    ],
    ids=["damping, drag and pressure", "added mass", "added mass alike in all directions"],
)
def test_change_of_energy_is_the_work_that_is_booked(changes: dict[str, object]) -> None:
    """Structural kinetic energy and potential against the work of all other loads, the water's inertia among them."""
    made, r, v = _uneven(**changes)
    out = drive(made, r, v, 1.0)
    change = sum(energy(made, out.position, out.velocity)) - sum(energy(made, r, v))
    # energies of some 100 J, work integrals exact to the tolerance of the forces
    assert change == pytest.approx(out.ledger.sum(), abs=1e-9)
    assert abs(out.ledger[2]) > 0.1


def test_equilibrium_stays_at_rest() -> None:
    """A chain between fixed ends, started from its equilibrium."""
    length, mass = np.linspace(0.5, 1.5, 12), np.linspace(3.0, 1.0, 12)
    ends = np.array([0.0, 0.0, 0.0]), np.array([7.0, 2.0, 3.0])
    made = chain(length, mass, motion_terms=np.stack([held_at(0, (0, 0, 0)), held_at(12, (7, 2, 3))]))
    r, _, miss = equilibrium(made, *ends)
    assert miss < 1e-13
    out = drive(made, r, np.zeros((13, 3)), 2.0)
    assert_allclose(out.position, r, atol=1e-11)  # 1e-14 m of misfit, grown by the links' own oscillation


@pytest.mark.parametrize("held", [(True, False), (False, True)])
def test_hanging_chain_is_vertical(held: tuple[bool, bool]) -> None:
    """A free end below: the force at the held end is the weight."""
    made = chain(
        np.full(5, 2.0), np.full(5, 1.0), held=held, motion_terms=held_at(0 if held[0] else 5, (1, 2, 3))[None]
    )
    r, force, _ = equilibrium(made, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    fixed, loose = (r[0], r[-1]) if held[0] else (r[-1], r[0])
    assert_allclose(fixed, [1.0, 2.0, 3.0], atol=1e-14)
    assert_allclose(loose, [1.0, 2.0, -7.0], atol=1e-14)
    assert_allclose(force, [0.0, 0.0, 0.0 if held[0] else 5.0 * G], atol=1e-12)


@pytest.mark.parametrize(
    ("held", "far", "words"),
    [
        ((False, False), 3.0, "both ends"),
        ((True, True), 11.0, "11 m apart"),
        ((True, True), 1.0, "link 3 would be in compression"),
    ],
)
def test_no_equilibrium_says_why(held: tuple[bool, bool], far: float, words: str) -> None:
    """Both ends free; ends out of reach; a middle link that would be in compression."""
    made = chain(np.full(5, 2.0), np.full(5, 1.0), held=held)
    with pytest.raises(ValueError, match=words):
        equilibrium(made, np.zeros(3), np.array([far, 0.0, 0.0]))
