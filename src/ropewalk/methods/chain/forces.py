"""Forces between links and energies of a chain at one moment, from positions, velocities and accelerations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ropewalk.methods.chain.arrays import Array, Chain, Series
from ropewalk.methods.chain.drag import GAUSS_POINT
from ropewalk.numerics.series import add_term


def link_end_forces(chain: Chain, r: Array, v: Array, a: Array, axial: Array, t: float) -> Array:
    r"""Internal force n at the two ends of every link, (n, 2, 3) in N: of the part beyond on the part before.

    .. math:: n_0 = N t + F_0 - \tfrac{m}{6}(2 a_0 + a_1), \qquad n_1 = N t - F_1 + \tfrac{m}{6}(a_0 + 2 a_1)

    with F the link's shares of its loads; [Filipich2007], eqs. (13), in space. Loads and masses on a node
    itself make n jump there.

    r, v, a : (n + 1, 3) m, m/s, m/s2    axial : (n,) N    t : s
    """
    direction = np.diff(r, axis=0) / chain.length[:, None]
    load = _link_loads(chain, v, direction, t)
    whole = ((chain.mass + chain.added_normal) / 6.0)[:, None]
    less = ((chain.added_normal - chain.added_tangential) / 6.0)[:, None]
    pull = axial[:, None] * direction
    forces: Array = np.empty((chain.length.size, 2, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        mean = (2.0 - side) * a[:-1] + (1.0 + side) * a[1:]
        inertia = whole * mean - less * direction * np.sum(direction * mean, axis=1, keepdims=True)
        forces[:, side] = pull + sign * (load[:, side] - inertia)
    return forces


def _link_loads(chain: Chain, v: Array, direction: Array, t: float) -> Array:
    """Shares (n, 2, 3) of the loads on each link at its two ends, N."""
    n = chain.length.size
    load: Array = chain.link_load.copy()
    if np.any(chain.pressure):
        load += 0.5 * (chain.length[:, None] * np.cross(chain.pressure, direction))[:, None, :]
    one = np.zeros((3, 1))
    for term in chain.load_terms:
        if int(term[0]) > n:
            one[:] = 0.0
            add_term(term, t, 1.0, one)
            load[int(term[0]) - n - 1] += 0.5 * one[:, 0]
    for side in range(2):
        mean = (2.0 - side) * v[:-1] + (1.0 + side) * v[1:]
        load[:, side] -= (chain.damping * chain.mass / 6.0)[:, None] * mean
        load[:, side] += (chain.linear_drag / 6.0)[:, None] * (3.0 * chain.current - mean)
    if not (np.any(chain.drag_normal) or np.any(chain.drag_tangential)):
        return load
    for right in (GAUSS_POINT, 1.0 - GAUSS_POINT):
        flow = chain.current - (1.0 - right) * v[:-1] - right * v[1:]
        along = np.sum(flow * direction, axis=1)
        normal = flow - along[:, None] * direction
        force = (chain.drag_normal * np.sqrt(np.sum(normal**2, axis=1) + chain.smoothing**2))[:, None] * normal
        force += (chain.drag_tangential * np.abs(along) * along)[:, None] * direction
        load[:, 0] += 0.5 * (1.0 - right) * force
        load[:, 1] += 0.5 * right * force
    return load


def node_tension(forces: Array, axial: Array) -> Array:
    """Tension at the nodes (n + 1,) in N: size of the force between links, negative where the link pushes."""
    size = np.linalg.norm(forces, axis=2) * np.where(axial < 0.0, -1.0, 1.0)[:, None]
    tension: Array = np.empty(axial.size + 1)
    tension[0], tension[-1] = size[0, 0], size[-1, 1]
    tension[1:-1] = 0.5 * (size[:-1, 1] + size[1:, 0])
    return tension


class BodyState(NamedTuple):
    """A body at the end of a chain at one moment."""

    record: Any  # of END_BODY
    eye: Array  # (3,) place of its eye, m
    velocity: Array  # (3,) of its eye, m/s
    attitude: Array  # (3, 3) body to world
    rate: Array  # (3,) body frame, rad/s


def body_states(chain: Chain, series: Series, tau: float, r: Array, v: Array) -> list[BodyState]:
    """The bodies of a chain at the scaled time tau.  r, v : (n + 1, 3) of the nodes there, m and m/s"""
    powers = tau ** np.arange(series.bodies.attitude.shape[1], dtype=float)
    found = []
    for k, body in enumerate(chain.bodies):
        attitude = (powers @ series.bodies.attitude[k]).reshape(3, 3)
        rate = powers[:-1] @ series.bodies.rate[k]
        found.append(BodyState(body, r[body.node], v[body.node], attitude, rate))
    return found


def energy(chain: Chain, r: Array, v: Array, bodies: Sequence[BodyState] = ()) -> tuple[float, float]:
    r"""Kinetic energy, and potential of the constant loads with its zero at the origin, J.

    .. math:: K = \sum \tfrac{m}{6} (v_0^2 + v_0 \cdot v_1 + v_1^2) + \sum \tfrac12 m_i v_i^2
              + \sum \tfrac12 (m v_G^2 + w \cdot J w), \qquad \Pi = -\sum F_i \cdot r_i
    """
    left, right = v[:-1], v[1:]
    kinetic = np.sum(chain.mass / 6.0 * np.sum(left**2 + left * right + right**2, axis=1))
    kinetic += 0.5 * np.sum(chain.node_mass * np.sum(v**2, axis=1))
    potential = -np.sum(chain.node_load * r) - np.sum(chain.link_load[:, 0] * r[:-1] + chain.link_load[:, 1] * r[1:])
    for body in bodies:
        own, R, w = body.record, body.attitude, body.rate
        centre = body.eye - R @ own.eye
        velocity = body.velocity - R @ np.cross(w, own.eye)
        kinetic += 0.5 * own.mass * velocity @ velocity + 0.5 * w @ own.inertia.reshape(3, 3) @ w
        potential -= own.weight @ centre + own.lift @ (centre + R @ own.origin) + own.force @ (centre + R @ own.at)
    return float(kinetic), float(potential)
