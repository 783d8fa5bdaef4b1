"""Chains of rigid links as plain dense mechanics, for comparison: numpy matrices and scipy DOP853.

Written from Newton's and Euler's laws of each link, not from the nodal equations that the solver uses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from ropewalk.methods.chain.arrays import Chain
from ropewalk.methods.chain.drag import GAUSS_POINT

Array = np.ndarray
Motion = Callable[[float], tuple[Array, Array, Array]]  # position, velocity, acceleration at t


def accelerations(chain: Chain, r: Array, v: Array, t: float, end_a: Motion | None, end_b: Motion | None) -> Array:
    """Accelerations of the nodes by momentum and moment balance of every link; (n + 1, 3).

    Unknowns are node accelerations and hinge forces f_k at the left end, g_k at the right end of link k,
    acting on the link. Load terms are left out.
    """
    n = chain.length.size
    rows, rhs = [], []

    def unknown(kind: str, i: int, axis: int) -> int:
        return {"a": 0, "f": 3 * (n + 1), "g": 3 * (n + 1) + 3 * n}[kind] + 3 * i + axis

    size = 3 * (n + 1) + 6 * n

    def row(entries: dict[int, float], value: float) -> None:
        line = np.zeros(size)
        for column, entry in entries.items():
            line[column] += entry
        rows.append(line)
        rhs.append(value)

    for k in range(n):
        length = chain.length[k]
        m, less = chain.mass[k] + chain.added_normal[k], chain.added_normal[k] - chain.added_tangential[k]
        d = r[k + 1] - r[k]
        w = v[k + 1] - v[k]
        resultant, moment = _loads(chain, k, r, v)  # moment about node k
        inertia = m * np.eye(3) - less * np.outer(d, d) / length**2
        for axis in range(3):  # mass times acceleration of the middle
            entries = {unknown("a", i, b): 0.5 * inertia[axis, b] for i in (k, k + 1) for b in range(3)}
            entries[unknown("f", k, axis)] = -1.0
            entries[unknown("g", k, axis)] = -1.0
            row(entries, resultant[axis])
        # moment about node k of inertia (m/6 d x (a_k + 2 a_k+1)) less that of g and loads, across the link
        for e in _across(d):
            lever = np.cross(e, d)  # (d x y) . e = y . (e x d)
            entries = {}
            for axis in range(3):
                entries[unknown("a", k, axis)] = m / 6.0 * lever[axis]
                entries[unknown("a", k + 1, axis)] = m / 3.0 * lever[axis]
                entries[unknown("g", k, axis)] = -lever[axis]
            row(entries, moment @ e)
        entries = {}
        for axis in range(3):
            entries[unknown("a", k, axis)] = -d[axis] / length
            entries[unknown("a", k + 1, axis)] = d[axis] / length
        row(entries, -(w @ w) / length)
    for i in range(n + 1):  # nodes: hinge forces act back on them
        motion = end_a if i == 0 else end_b if i == n else None
        flow = chain.current - v[i]
        load = chain.node_load[i] - chain.damping * chain.node_mass[i] * v[i]
        load = load + chain.node_drag[i] * np.sqrt(flow @ flow + chain.smoothing**2) * flow
        for axis in range(3):
            if motion is not None:
                row({unknown("a", i, axis): 1.0}, motion(t)[2][axis])
                continue
            entries = {unknown("a", i, axis): chain.node_mass[i]}
            if i < n:
                entries[unknown("f", i, axis)] = 1.0
            if i > 0:
                entries[unknown("g", i - 1, axis)] = 1.0
            row(entries, load[axis])
    # held nodes leave their hinge force open; nothing else closes it, so the system is square
    solution = np.linalg.solve(np.array(rows), np.array(rhs))
    return solution[: 3 * (n + 1)].reshape(n + 1, 3)


def _across(d: Array) -> tuple[Array, Array]:
    least = np.eye(3)[np.argmin(np.abs(d))]
    e1 = np.cross(d, least)
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(d / np.linalg.norm(d), e1)
    return e1, e2


def _loads(chain: Chain, k: int, r: Array, v: Array) -> tuple[Array, Array]:
    """Resultant of the loads on a link and their moment about its first node."""
    d = r[k + 1] - r[k]
    resultant = chain.link_load[k].sum(axis=0) + np.cross(chain.pressure[k], d)
    moment = np.cross(d, chain.link_load[k, 1]) + np.cross(d, 0.5 * np.cross(chain.pressure[k], d))
    t = d / np.linalg.norm(d)
    # velocity is linear along the link: two Gauss points integrate the linear forces and their moments exactly
    for x in (GAUSS_POINT, 1.0 - GAUSS_POINT):
        speed = (1.0 - x) * v[k] + x * v[k + 1]
        u = chain.current - speed
        along = u @ t
        normal = u - along * t
        force = -chain.damping * chain.mass[k] * speed + chain.linear_drag[k] * u
        force = force + chain.drag_normal[k] * np.sqrt(normal @ normal + chain.smoothing**2) * normal
        force = force + chain.drag_tangential[k] * abs(along) * along * t
        resultant = resultant + 0.5 * force
        moment = moment + np.cross(x * d, 0.5 * force)
    return resultant, moment


def integrate(
    chain: Chain, r: Array, v: Array, until: float, end_a: Motion | None = None, end_b: Motion | None = None,
    tolerance: float = 1e-12,
) -> tuple[Array, Array]:  # fmt: skip
    """Positions and velocities (n + 1, 3) at `until` by DOP853 on the index-reduced equations."""
    n = chain.length.size

    def rates(t: float, y: Array) -> Array:
        position, velocity = y[: 3 * (n + 1)].reshape(-1, 3), y[3 * (n + 1) :].reshape(-1, 3)
        a = accelerations(chain, position, velocity, t, end_a, end_b)
        return np.concatenate([velocity.ravel(), a.ravel()])

    start = np.concatenate([r.ravel(), v.ravel()])
    solution = solve_ivp(rates, (0.0, until), start, method="DOP853", rtol=tolerance, atol=tolerance)
    y = solution.y[:, -1]
    return y[: 3 * (n + 1)].reshape(-1, 3), y[3 * (n + 1) :].reshape(-1, 3)
