"""Quadratic drag on rigid links and nodes as power series: analytic where the relative speed does not vanish.

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
    """Series of the flow past the two Gauss points g of each link, and past the nodes; filled by `add_drag`."""

    flow: NDArray[np.float64]  # (2, 3, order, n) m/s, water minus link
    normal: NDArray[np.float64]  # (2, 3, order, n) m/s, its part across the link
    along: NDArray[np.float64]  # (2, order, n) m/s, its part along the link
    square: NDArray[np.float64]  # (2, 2, order, n) m2/s2, [normal, along] speed squared, smoothed
    speed: NDArray[np.float64]  # (2, 2, order, n) m/s, the roots
    pull: NDArray[np.float64]  # (2, order, n) m2/s2, speed along times flow along
    node_flow: NDArray[np.float64]  # (3, order, n + 1) m/s, water minus node
    node_square: NDArray[np.float64]  # (order, n + 1) m2/s2
    node_speed: NDArray[np.float64]  # (order, n + 1) m/s


def allocate_drag(n_links: int, order: int) -> DragSeries:
    """Memory for the drag series of a chain."""
    return DragSeries(
        flow=np.zeros((2, 3, order, n_links)),
        normal=np.zeros((2, 3, order, n_links)),
        along=np.zeros((2, order, n_links)),
        square=np.zeros((2, 2, order, n_links)),
        speed=np.zeros((2, 2, order, n_links)),
        pull=np.zeros((2, order, n_links)),
        node_flow=np.zeros((3, order, n_links + 1)),
        node_square=np.zeros((order, n_links + 1)),
        node_speed=np.zeros((order, n_links + 1)),
    )


@kernel(no_cpython_wrapper=True)
def has_drag(chain):
    """Whether any link, and any node, has quadratic drag."""
    links, nodes = False, False
    for k in range(chain.length.shape[0]):
        links = links or chain.drag_normal[k] != 0.0 or chain.drag_tangential[k] != 0.0
    for i in range(chain.node_drag.shape[0]):
        nodes = nodes or chain.node_drag[i] != 0.0
    return links, nodes


@kernel(no_cpython_wrapper=True)
def add_drag(chain, series, j, scale):
    r"""Add power j of the quadratic drag to the nodal loads `series.force` (N).

    .. math:: f = k_n |u_n| u_n + k_t |u_t| u_t t, \qquad u = U - \dot r, \quad u_t = u \cdot t, \quad u_n = u - u_t t

    Source: [Morison1950] for each half of a link at its Gauss point; f = k |u| u for a node. Velocities to
    power j are known when power j + 2 of the positions is sought, so drag never enters the matrix.

    j : power    scale : T, s
    """
    links, nodes = has_drag(chain)
    if links:
        for g in range(2):
            _add_link_drag(chain, series, g, j, scale)
    if nodes:
        w = series.drag
        n = chain.node_drag.shape[0]
        w.node_square[j] = chain.smoothing**2 if j == 0 else 0.0
        for axis in range(3):
            steady = chain.current[axis] if j == 0 else 0.0
            for i in range(n):
                w.node_flow[axis, j, i] = steady - (j + 1) / scale * series.position[axis, j + 1, i]
            add_product(w.node_flow[axis], w.node_flow[axis], j, 0, j, w.node_square[j])
        next_square_root(w.node_square, w.node_speed, j)
        out = np.empty(n)
        for axis in range(3):
            out[:] = 0.0
            add_product(w.node_speed, w.node_flow[axis], j, 0, j, out)
            for i in range(n):
                series.force[axis, j, i] += chain.node_drag[i] * out[i]


@kernel(no_cpython_wrapper=True)
def _add_link_drag(chain, series, g, j, scale):
    """Power j of the drag of the halves of all links that Gauss point g stands for (N)."""
    n = chain.length.shape[0]
    t, w, force = series.link, series.drag, series.force
    right = GAUSS_POINT if g == 0 else 1.0 - GAUSS_POINT
    out = np.empty(n)
    w.along[g, j] = 0.0
    for axis in range(3):
        r = series.position[axis, j + 1]
        steady = chain.current[axis] if j == 0 else 0.0
        for k in range(n):
            w.flow[g, axis, j, k] = steady - (j + 1) / scale * ((1.0 - right) * r[k] + right * r[k + 1])
        add_product(w.flow[g, axis], t[axis], j, 0, j, w.along[g, j])
    w.square[g, :, j] = chain.smoothing**2 if j == 0 else 0.0
    for axis in range(3):
        out[:] = 0.0
        add_product(w.along[g], t[axis], j, 0, j, out)
        for k in range(n):
            w.normal[g, axis, j, k] = w.flow[g, axis, j, k] - out[k]
        add_product(w.normal[g, axis], w.normal[g, axis], j, 0, j, w.square[g, 0, j])
    add_product(w.along[g], w.along[g], j, 0, j, w.square[g, 1, j])
    next_square_root(w.square[g, 0], w.speed[g, 0], j)
    next_square_root(w.square[g, 1], w.speed[g, 1], j)
    w.pull[g, j] = 0.0
    add_product(w.speed[g, 1], w.along[g], j, 0, j, w.pull[g, j])
    for axis in range(3):
        for kind in range(2):
            coefficient = chain.drag_normal if kind == 0 else chain.drag_tangential
            out[:] = 0.0
            if kind == 0:
                add_product(w.speed[g, 0], w.normal[g, axis], j, 0, j, out)
            else:
                add_product(w.pull[g], t[axis], j, 0, j, out)
            for k in range(n):
                f = 0.5 * coefficient[k] * out[k]
                force[axis, j, k] += (1.0 - right) * f
                force[axis, j, k + 1] += right * f


@kernel(no_cpython_wrapper=True)
def vanishing_speed(chain, series, tau):
    """First link or node whose speed reaches zero within the scaled step tau, and the scaled time.

    The series of a speed is positive where drag is analytic; where it is not, the series runs through
    zero to negative values and the drag of the polynomial would push the wrong way.

    Returns (link, time), the last link for the last node; (-1, 0) if no speed vanishes.
    """
    links, nodes = has_drag(chain)
    n = chain.length.shape[0]
    w = series.drag
    for m in range(SAMPLES + 1):
        at = tau * m / SAMPLES
        for k in range(n):
            for g in range(2):
                if links and chain.drag_normal[k] != 0.0 and not _value(w.speed[g, 0], k, at) > 0.0:
                    return k, at
                if links and chain.drag_tangential[k] != 0.0 and not _value(w.speed[g, 1], k, at) > 0.0:
                    return k, at
        for i in range(n + 1):
            if nodes and chain.node_drag[i] != 0.0 and not _value(w.node_speed, i, at) > 0.0:
                return min(i, n - 1), at
    return -1, 0.0


@kernel(no_cpython_wrapper=True)
def _value(coefficients, k, tau):
    """Value of series k of a family at tau, by Horner's rule."""
    value = 0.0
    for j in range(coefficients.shape[0] - 1, -1, -1):
        value = value * tau + coefficients[j, k]
    return value
