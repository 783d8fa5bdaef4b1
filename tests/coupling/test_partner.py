"""A platform that another program moves has the periods of one inside the simulation."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from ropewalk.coupling import Coupled
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.spec.system import System

MASS, INERTIA, VOLUME = 2.0e5, np.array([4.0e6, 4.0e6, 6.0e6]), 300.0
RHO, G = 1025.0, 9.81
PUSH = [6.0e4, 0.0, 0.0]  # N, before the release
PIECE = {"section": "rope", "length": 152.0}
STEP, N = 0.2, 210
LEGS = {"a": 0.0, "b": 120.0, "c": 240.0}  # degrees


def case(**body):
    """A buoyant platform 20 m under water on three taut ropes that sag a little."""
    rope = {
        "diameter": 0.15,
        "mass": 15.0,
        "axial_stiffness": 4.0e7,
        "drag": {"normal": 1.2},
        "added_mass": {"normal": 1.0},
    }
    way = {name: np.array([np.cos(np.radians(h)), np.sin(np.radians(h)), 0.0]) for name, h in LEGS.items()}
    up = np.array([0.0, 0.0, 1.0])
    return System.model_validate({
        "ropewalk": 1,
        "environment": {"depth": 150, "water_density": RHO, "gravity": G},
        "sections": {"rope": rope},
        "points": {name: {"position": (90.0 * e - 150.0 * up).tolist()} for name, e in way.items()},
        "bodies": {"p": {"mass": MASS, "inertia": INERTIA.tolist(), "position": [0, 0, -20],
                         "attachments": {name: (8.0 * e - 2.0 * up).tolist() for name, e in way.items()}, **body}},
        "lines": {name: {"from": name, "to": f"p.{name}", "elements": 8, "pieces": [PIECE]}
                  for name in LEGS},
        "run": {"duration": 25, "tolerance": 1e-3},
    })  # fmt: skip


OWN = {"volume": VOLUME}  # no hull: buoyancy at the origin, no drag of its own


def period(x):
    """Mean time between upward crossings of the mean, by linear interpolation."""
    x = x - 0.5 * (np.max(x) + np.min(x))
    i = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossing = STEP * (i - x[i] / (x[i + 1] - x[i]))
    assert crossing.size >= 3
    return np.mean(np.diff(crossing))


def released():
    """Surge and pitch of the platform inside the simulation, let go at t = 0."""
    c = Coupled(case(loads={"force": PUSH}, **OWN))
    at = c.state
    c.set("bodies.p.loads.force", [0, 0, 0])
    motion = []
    for _ in range(N):
        c.step(STEP, {})
        motion.append([c.state.body_position[0, 0], 2.0 * c.state.body_quaternion[0, 2]])
    return at, np.array(motion)


def partner(at):
    """The same with the rigid body in numpy: predicted, then corrected twice from a saved state."""
    q = at.body_quaternion[0]
    c = Coupled(case(joint="coupled"))
    x, v, w = at.body_position[0].copy(), np.zeros(3), np.zeros(3)
    for k in range(1, 11):  # slowly from the case's place to where it was pushed; the lines come to rest there
        share = k / 10
        turn = quaternion_exp(share * 2.0 * q[1:] / max(q[0], 1e-9))
        forces = c.step(2.0, {"p": ((1 - share) * np.array([0, 0, -20.0]) + share * x, turn, v, w)})
    q = turn
    motion = []
    lift = np.array([0.0, 0.0, G * (RHO * VOLUME - MASS)])

    def accelerations(forces, w):
        force, moment = forces["p"]
        return (force + lift) / MASS, moment / INERTIA  # small angles: the inertia keeps its axes

    a, b = accelerations(forces, w)
    for _ in range(N):
        saved = c.save()
        a1, b1 = a, b
        for _ in range(2):
            c.restore(saved)
            x1 = x + STEP * v + STEP**2 * (a / 3 + a1 / 6)
            v1 = v + 0.5 * STEP * (a + a1)
            w1 = w + 0.5 * STEP * (b + b1)
            q1 = quaternion_product(quaternion_exp(STEP * w + STEP**2 * (b / 3 + b1 / 6)), q)
            a1, b1 = accelerations(c.step(STEP, {"p": (x1, q1, v1, w1)}), w1)
        x, v, w, q, a, b = x1, v1, w1, q1, a1, b1
        motion.append([x[0], 2.0 * q[2]])
    return np.array(motion)


def test_free_decay_of_a_partner_in_numpy_has_the_periods_of_the_whole_system():
    at, whole = released()
    apart = partner(at)
    surge, pitch = ([period(m[:, j]) for m in (whole, apart)] for j in range(2))
    # the bar is 0.5 %; partner and solver are second order in steps far below the period
    assert_allclose(surge[1], surge[0], rtol=5e-3)
    assert_allclose(pitch[1], pitch[0], rtol=5e-3)
    assert_allclose(apart[:, 0], whole[:, 0], atol=0.03 * np.ptp(whole[:, 0]))
