"""Quadratic drag on rigid links as a power series: analytic where the relative speed does not vanish.

|u| u has no power series where u = 0. Each link is sampled at two Gauss points, so that a link turning
about its middle is damped too. With a smoothing speed e, |u| becomes sqrt(u^2 + e^2), which is analytic
at every real time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.series import add_product, next_square_root

GAUSS_POINT = 0.5 - 0.5 / np.sqrt(3.0)  # first of the two Gauss points on a link, as a fraction of its length
SAMPLES = 8  # times in a step at which the speeds are checked to stay positive


class DragSeries(NamedTuple):
    """Series of the flow past the two Gauss points g of each link; filled by `add_drag`."""

    flow: NDArray[np.float64]  # (2, 3, order, n) m/s, water minus link
    normal: NDArray[np.float64]  # (2, 3, order, n) m/s, its part across the link
    along: NDArray[np.float64]  # (2, order, n) m/s, its part along the link
    square: NDArray[np.float64]  # (2, 2, order, n) m2/s2, [normal, along] speed squared, smoothed
    speed: NDArray[np.float64]  # (2, 2, order, n) m/s, the roots
    pull: NDArray[np.float64]  # (2, order, n) m2/s2, speed along times flow along


def allocate_drag(n_links: int, order: int) -> DragSeries:
    """Memory for the drag series of a chain."""
    return DragSeries(
        flow=np.zeros((2, 3, order, n_links)),
        normal=np.zeros((2, 3, order, n_links)),
        along=np.zeros((2, order, n_links)),
        square=np.zeros((2, 2, order, n_links)),
        speed=np.zeros((2, 2, order, n_links)),
        pull=np.zeros((2, order, n_links)),
    )


@kernel
def has_drag(drag_normal, drag_tangential):
    """Whether any link has quadratic drag."""
    for k in range(drag_normal.shape[0]):
        if drag_normal[k] != 0.0 or drag_tangential[k] != 0.0:
            return True
    return False


@kernel
def add_drag(drag_normal, drag_tangential, current, smoothing, series, j, scale):
    r"""Add power j of the quadratic drag to the nodal loads `series.force` (N).

    .. math:: f = k_n |u_n| u_n + k_t |u_t| u_t t, \qquad u = U - \dot r, \quad u_t = u \cdot t, \quad u_n = u - u_t t

    Source: Morison's drag on each half of a link, [Filipich2007] having none. The speeds are taken at
    the Gauss points, half of the link each. Velocities to power j are known when power j + 2 of the
    positions is sought, so drag never enters the matrix.

    drag_normal, drag_tangential : (n,) k_n and k_t of whole links, N s2/m2    current : (3,) U, m/s
    smoothing : m/s    j : power    scale : T, s
    """
    if not has_drag(drag_normal, drag_tangential):
        return
    n = drag_normal.shape[0]
    t, w, force = series.link, series.drag, series.force
    out = np.empty(n)
    for g in range(2):
        right = GAUSS_POINT if g == 0 else 1.0 - GAUSS_POINT
        _flow(series.position, current, right, j, scale, w.flow[g])
        w.along[g, j] = 0.0
        for axis in range(3):
            add_product(w.flow[g, axis], t[axis], j, 0, j, w.along[g, j])
        for axis in range(3):
            out[:] = 0.0
            add_product(w.along[g], t[axis], j, 0, j, out)
            for k in range(n):
                w.normal[g, axis, j, k] = w.flow[g, axis, j, k] - out[k]
        w.square[g, :, j] = smoothing**2 if j == 0 else 0.0
        for axis in range(3):
            add_product(w.normal[g, axis], w.normal[g, axis], j, 0, j, w.square[g, 0, j])
        add_product(w.along[g], w.along[g], j, 0, j, w.square[g, 1, j])
        next_square_root(w.square[g, 0], w.speed[g, 0], j)
        next_square_root(w.square[g, 1], w.speed[g, 1], j)
        w.pull[g, j] = 0.0
        add_product(w.speed[g, 1], w.along[g], j, 0, j, w.pull[g, j])
        for axis in range(3):
            out[:] = 0.0
            add_product(w.speed[g, 0], w.normal[g, axis], j, 0, j, out)
            for k in range(n):
                f = 0.5 * drag_normal[k] * out[k]
                force[axis, j, k] += (1.0 - right) * f
                force[axis, j, k + 1] += right * f
            out[:] = 0.0
            add_product(w.pull[g], t[axis], j, 0, j, out)
            for k in range(n):
                f = 0.5 * drag_tangential[k] * out[k]
                force[axis, j, k] += (1.0 - right) * f
                force[axis, j, k + 1] += right * f


@kernel
def _flow(position, current, right, j, scale, flow):
    """Power j of the water's velocity relative to a point of each link (m/s).

    right : where on the link, as a fraction    flow : (3, order, n), row j is filled
    """
    rate = (j + 1) / scale
    for axis in range(3):
        r = position[axis, j + 1]
        steady = current[axis] if j == 0 else 0.0
        for k in range(flow.shape[2]):
            flow[axis, j, k] = steady - rate * ((1.0 - right) * r[k] + right * r[k + 1])


@kernel
def vanishing_speed(drag_normal, drag_tangential, series, tau):
    """First link whose speed reaches zero within the scaled step tau, and the scaled time; (-1, 0) if none.

    The series of a speed is positive where drag is analytic; where it is not, the series runs through
    zero to negative values and the drag of the polynomial would push the wrong way.
    """
    if not has_drag(drag_normal, drag_tangential):
        return -1, 0.0
    w = series.drag.speed
    order, n = w.shape[2], w.shape[3]
    for m in range(SAMPLES + 1):
        at = tau * m / SAMPLES
        for k in range(n):
            for g in range(2):
                for kind in range(2):
                    if (drag_normal[k] if kind == 0 else drag_tangential[k]) == 0.0:
                        continue
                    value = w[g, kind, order - 1, k]
                    for j in range(order - 2, -1, -1):
                        value = value * at + w[g, kind, j, k]
                    if not value > 0.0:
                        return k, at
    return -1, 0.0
