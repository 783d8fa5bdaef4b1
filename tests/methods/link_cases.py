"""Linked bodies for the tests of links: a double pendulum in angles, and what free bodies keep."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state, rotation_matrix
from ropewalk.spec.system import System

VACUUM = {"gravity": 0.0, "water_density": 0.0, "air_density": 0.0}
G = 9.81
IN_AIR = {**VACUUM, "gravity": G}
RHO = 1000.0
CALM = {"gravity": G, "water_density": RHO, "air_density": 0.0, "seabed": {"kind": "none"}}


def model_of(environment: dict[str, Any], **parts: Any) -> Model:
    return build(System.model_validate({"environment": environment, **parts}))


ARM, MASS, INERTIA = (1.2, 0.8), (3.0, 2.0), (0.4, 0.25)  # m to the next hinge, kg, kg m2 about the mass centre
CENTRE = (0.5, 0.35)  # m, of mass below the hinge


def double_pendulum(angles: tuple[float, float]) -> Model:
    """Two bodies that hang below each other on hinges about y; angles from the vertical, rad."""
    elbow = ARM[0] * np.array([np.sin(angles[0]), 0.0, -np.cos(angles[0])])
    own = [0.3, 0.0, 0.3]  # across the axis it does not matter
    bodies = {
        "a": {"mass": MASS[0], "inertia": [own[0], INERTIA[0], own[2]], "centre_of_mass": [0, 0, -CENTRE[0]],
              "position": [0, 0, 0], "attitude": [0, -np.degrees(angles[0]), 0],
              "attachments": {"top": [0, 0, 0], "end": [0, 0, -ARM[0]]}},
        "b": {"mass": MASS[1], "inertia": [own[0], INERTIA[1], own[2]], "centre_of_mass": [0, 0, -CENTRE[1]],
              "position": elbow.tolist(), "attitude": [0, -np.degrees(angles[1]), 0],
              "attachments": {"top": [0, 0, 0]}},
    }  # fmt: skip
    links = {
        "shoulder": {"kind": "hinge", "between": ["a.top", "roof"]},
        "elbow": {"kind": "hinge", "between": ["b.top", "a.end"]},
    }
    return model_of(IN_AIR, bodies=bodies, links=links, points={"roof": {"position": [0, 0, 0]}})


def pendulum_angles(angles: tuple[float, float], duration: float) -> Any:
    """The same in two angles, by an explicit method of order 8.

    Lagrange: (J1 + m2 l^2) p'' + m2 l c2 cos(p - q) q'' + m2 l c2 sin(p - q) q'^2 + (m1 c1 + m2 l) g sin p = 0 and
    J2 q'' + m2 l c2 cos(p - q) p'' - m2 l c2 sin(p - q) p'^2 + m2 c2 g sin q = 0, J about the hinges.
    """
    m1, m2 = MASS
    arm, (c1, c2) = ARM[0], CENTRE
    J1, J2 = INERTIA[0] + m1 * c1**2, INERTIA[1] + m2 * c2**2

    def rate(_: float, y: Any) -> Any:
        p, q, dp, dq = y
        k, s = m2 * arm * c2 * np.cos(p - q), m2 * arm * c2 * np.sin(p - q)
        M = np.array([[J1 + m2 * arm**2, k], [k, J2]])
        f = [-s * dq**2 - (m1 * c1 + m2 * arm) * G * np.sin(p), s * dp**2 - m2 * c2 * G * np.sin(q)]
        return [dp, dq, *np.linalg.solve(M, f)]

    return solve_ivp(rate, (0.0, duration), [*angles, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-12).y[:2, -1]


def hanging_angles(state: State) -> Any:
    axes = [-rotation_matrix(q)[:, 2] for q in state.body_quaternion]
    return np.array([np.arctan2(axis[0], -axis[2]) for axis in axes])


def momenta(model: Model, state: State) -> tuple[Any, Any, float]:
    """Linear and angular momentum about the world's origin, and kinetic energy."""
    P, L, E = np.zeros(3), np.zeros(3), 0.0
    for k, m in enumerate(model.bodies.mass):
        R = rotation_matrix(state.body_quaternion[k])
        J, c, w = R @ model.bodies.inertia[k] @ R.T, R @ model.bodies.centre[k], state.body_rate[k]
        v = state.body_velocity[k] + np.cross(w, c)
        P, L = P + m * v, L + m * np.cross(state.body_position[k] + c, v) + J @ w
        E += 0.5 * m * v @ v + 0.5 * w @ J @ w
    return P, L, E


def tumblers(kind: str, **more: Any) -> tuple[Model, State]:
    """Two bodies linked in space, and a state in which they tumble as the link allows."""
    arm, other, between = np.array([0.8, 0.1, 0.0]), np.array([-0.7, 0.0, -0.2]), np.zeros(3)
    if kind == "bar":
        between = np.array([0.5, 0.0, 0.0])
    bodies = {
        "a": {"mass": 3.0, "inertia": [1.0, 2.0, 2.5], "position": [0, 0, 0], "attachments": {"e": arm.tolist()}},
        "b": {"mass": 2.0, "inertia": [0.7, 1.2, 1.0], "centre_of_mass": [0.1, 0, 0.05],
              "position": (arm + between - other).tolist(), "attachments": {"e": other.tolist()}},
    }  # fmt: skip
    model = model_of(VACUUM, bodies=bodies, links={"l": {"kind": kind, "between": ["a.e", "b.e"], **more}})
    extra = {"ball": [0.4, -0.6, 0.9], "hinge": [0.0, -0.8, 0.0], "rigid": [0.0, 0.0, 0.0], "bar": [0.2, 0.0, 0.3]}
    rates = np.array([[0.5, 1.0, -0.7]] * 2)
    rates[1] += extra[kind]
    va = np.array([0.3, 0.0, 0.1])
    vb = va + np.cross(rates[0], arm + between) - np.cross(rates[1], other)
    return model, initial_state(model)._replace(body_rate=rates, body_velocity=np.array([va, vb]))
