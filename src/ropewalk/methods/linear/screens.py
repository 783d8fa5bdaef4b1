r"""Screens of nets about rest: their force, its derivatives, and its linear form for motions that are not small.

A screen takes the mean velocity of the water past its corners, and its force F is shared equally by its n corners, as
in the time domain (docs/theory/ropes_and_nets.md):

.. math:: u = \frac1n \sum_j (w\, U(r_j) - v_j), \qquad f_i = \frac1n F(r_1 \dots r_n, u)

The derivatives of F by the corners and by u are central differences of the one function loads/screen.py: its
coefficients are fits over angle and Reynolds number, each of which would need a derivative of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from ropewalk.loads.screen import water_on_screen
from ropewalk.model.arrays import Array, Flags, Records
from ropewalk.numerics.blockelimination import ZERO3, add3, scale3, sub3
from ropewalk.numerics.compile import kernel

STEP = 1e-5  # of the width of a screen and of the speed: differences then err by 1e-10 of the slope, round-off by 1e-11


class ScreenTerms(NamedTuple):
    """Screens at a place."""

    force: Array  # (n_rows, 3) N
    K: csr_matrix  # (3 n_rows, 3 n_rows) minus the derivative of the force by position, N/m
    B: csr_matrix  # minus that by velocity, N s/m
    wet: Flags  # (s,) screens whose middle is in the water
    flow: Array  # (s, 3) mean velocity of the water past the corners, m/s


@kernel
def corner_count(screen):
    """Number of corners of a screen: n = 3 or 4.  Source: SCREEN of loads/screen.py."""
    return 3 if screen.corner[3] < 0 else 4


@kernel
def _corners(screen, r):
    """Four places r_c (m), with r_4 = r_3 in a triangle.  Source: `water_on_screen` of loads/screen.py."""
    last = screen.corner[corner_count(screen) - 1]
    a, b, c = screen.corner[0], screen.corner[1], screen.corner[2]
    return (
        (r[a, 0], r[a, 1], r[a, 2]),
        (r[b, 0], r[b, 1], r[b, 2]),
        (r[c, 0], r[c, 1], r[c, 2]),
        (r[last, 0], r[last, 1], r[last, 2]),
    )


@kernel
def _moved(corners, c, n, by):
    """The corners after corner c of n has moved by h = `by`, m.  Source: `_corners`."""
    p, q, s, t = corners
    last = c == n - 1  # the third of a triangle is its fourth, too
    return (
        add3(p, by) if c == 0 else p,
        add3(q, by) if c == 1 else q,
        add3(s, by) if c == 2 else s,
        add3(t, by) if last else t,
    )


@kernel
def _unit(axis, size):
    """The vector h = size e_axis, in the unit of the size.  Source: central differences of the heading."""
    return (size if axis == 0 else 0.0, size if axis == 1 else 0.0, size if axis == 2 else 0.0)


@kernel
def slope_by_velocity(screen, corners, u, rho, out):
    """Derivative (3, 3) of the force of a screen by the velocity u (m/s) of the water past it, N s/m, into `out`.

    Source: central differences of :func:`ropewalk.loads.screen.water_on_screen`, dF/du = (F(u + h) - F(u - h)) / 2 h.
    """
    out[:, :] = 0.0
    h = STEP * np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)
    if h == 0.0:
        return
    for q in range(3):
        by = _unit(q, h)
        high, low = (
            water_on_screen(screen, corners, add3(u, by), rho),
            water_on_screen(screen, corners, sub3(u, by), rho),
        )
        for p in range(3):
            out[p, q] = (high[0][p] - low[0][p]) / (2.0 * h)


@kernel
def screens_at(screen, r, water, rho, out):
    r"""Force and derivatives of all screens at r (n, 3), m.

    .. math:: K_{ij} = -\frac1n \frac{\partial F}{\partial r_j} - \frac{w}{n^2} \frac{\partial F}{\partial u} U'(r_j),
              \qquad B_{ij} = \frac1{n^2} \frac{\partial F}{\partial u}

    Source: the heading of this file.

    screen : (s,) of SCREEN, corners are rows of r    water : current (n, 3) m/s, its slope by height (n, 3) 1/s and the
    velocity of the nodes (n, 3) m/s    rho : kg/m3
    out : force (n, 3), K and B (s, 4, 4, 3, 3), flow (s, 3), wet (s,)
    """
    current, slope, velocity = water
    force, K, B, flow, wet = out
    by_u = np.zeros((3, 3))
    for k in range(screen.shape[0]):
        own = screen[k]
        n = corner_count(own)
        u, height, width = ZERO3, 0.0, 0.0
        for c in range(n):
            i, j = own.corner[c], own.corner[(c + 1) % n]
            height += r[i, 2] / n
            width = max(width, np.sqrt((r[i, 0] - r[j, 0]) ** 2 + (r[i, 1] - r[j, 1]) ** 2 + (r[i, 2] - r[j, 2]) ** 2))
            past = (own.wake * current[i, 0] - velocity[i, 0], own.wake * current[i, 1] - velocity[i, 1],
                    own.wake * current[i, 2] - velocity[i, 2])  # fmt: skip
            u = add3(u, scale3(1.0 / n, past))
        flow[k, 0], flow[k, 1], flow[k, 2] = u
        wet[k] = height < 0.0
        if not wet[k]:
            continue
        corners, h = _corners(own, r), STEP * width
        F = water_on_screen(own, corners, u, rho)[0]
        slope_by_velocity(own, corners, u, rho, by_u)
        for c in range(n):
            for p in range(3):
                force[own.corner[c], p] += F[p] / n
        for c in range(n):
            node = own.corner[c]
            for q in range(3):
                by = _unit(q, h)
                high = water_on_screen(own, _moved(corners, c, n, by), u, rho)[0]
                low = water_on_screen(own, _moved(corners, c, n, scale3(-1.0, by)), u, rho)[0]
                for p in range(3):
                    change = (high[p] - low[p]) / (2.0 * h * n) if h > 0.0 else 0.0
                    if q == 2:
                        for m in range(3):
                            change += by_u[p, m] * own.wake * slope[node, m] / (n * n)
                    for i in range(n):
                        K[k, i, c, p, q] = -change
                        B[k, i, c, p, q] = by_u[p, q] / (n * n)


def screen_terms(screen: Records, r: Array, water: tuple[Array, Array, Array], rho: float) -> ScreenTerms:
    """All screens; arguments as :func:`screens_at`."""
    s, n = screen.size, r.shape[0]
    force, K, B = np.zeros((n, 3)), np.zeros((s, 4, 4, 3, 3)), np.zeros((s, 4, 4, 3, 3))
    flow, wet = np.zeros((s, 3)), np.zeros(s, dtype=np.bool_)
    screens_at(screen, r, water, rho, (force, K, B, flow, wet))
    node = np.maximum(screen["corner"], 0)  # of a triangle the fourth row and column are nothing
    row = 3 * np.broadcast_to(node[:, :, None, None, None], K.shape) + np.arange(3)[:, None]
    column = 3 * np.broadcast_to(node[:, None, :, None, None], K.shape) + np.arange(3)
    spread = [coo_matrix((x.ravel(), (row.ravel(), column.ravel())), shape=(3 * n, 3 * n)).tocsr() for x in (K, B)]
    return ScreenTerms(force, spread[0], spread[1], wet, flow)


def corners_of(screen: Records, r: Array) -> Array:
    """(s, 4, 3) corners, m; a triangle has its third corner twice."""
    corner = screen["corner"]
    last = np.where(corner[:, 3] < 0, corner[:, 2], corner[:, 3])
    four: Array = r[np.stack([corner[:, 0], corner[:, 1], corner[:, 2], last], axis=1)]
    return four


@kernel
def screen_samples(screen, corners, u, rho, force, slope):
    """Forces F = F(u) (s, q, 3) N and their slopes (s, q, 3, 3) N s/m of screens at velocities u (s, q, 3), m/s.

    Source: :func:`slope_by_velocity`; the screens stay as they are, docs/theory/frequency.md.

    corners : (s, 4, 3) m    rho : kg/m3
    """
    for k in range(u.shape[0]):
        own = corners[k]
        four = ((own[0, 0], own[0, 1], own[0, 2]), (own[1, 0], own[1, 1], own[1, 2]),
                (own[2, 0], own[2, 1], own[2, 2]), (own[3, 0], own[3, 1], own[3, 2]))  # fmt: skip
        for q in range(u.shape[1]):
            w = (u[k, q, 0], u[k, q, 1], u[k, q, 2])
            F = water_on_screen(screen[k], four, w, rho)[0]
            for p in range(3):
                force[k, q, p] = F[p]
            slope_by_velocity(screen[k], four, w, rho, slope[k, q])
