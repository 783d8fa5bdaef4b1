"""Quadratic drag on rigid links and nodes as power series: analytic where the relative speed does not vanish.

Across a link |u| u has no power series where u = 0. Each link is sampled at two Gauss points, so that a link turning
about its middle is damped too. With a smoothing speed e, |u| becomes sqrt(u^2 + e^2), which is analytic
at every real time.

Along a link |u| u is u^2 or -u^2: two power series that meet where u changes its sign, with a jump in the third
derivative. A step takes the sign that u has just after its begin and ends where u has lost it; nothing is smoothed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.series import add_product, next_square_root

GAUSS_POINT = 0.5 - 0.5 / np.sqrt(3.0)  # first of the two Gauss points on a link, as a fraction of its length
SAMPLES = 8  # times in a step at which the speeds are checked to stay positive
SLIDES = 1e-12  # of the speed past a link: slower along it has no sign; its drag is 1e-24 of that across
WRONG_WAY = 1e-8  # of the speed past a link: so far it may go on with a sign it has lost
HALVINGS = 60  # of an interval in which a sign is lost


class DragSeries(NamedTuple):
    """Series of the flow past the two Gauss points g of each link, and past the nodes; filled by `add_drag`."""

    flow: NDArray[np.float64]  # (2, 3, order, n) m/s, water minus link
    normal: NDArray[np.float64]  # (2, 3, order, n) m/s, its part across the link
    along: NDArray[np.float64]  # (2, order, n) m/s, its part along the link
    square: NDArray[np.float64]  # (2, order, n) m2/s2, speed across the link squared, smoothed
    speed: NDArray[np.float64]  # (2, order, n) m/s, the root
    sign: NDArray[np.float64]  # (2, n) of the flow along the link from the start of the step on; 0 if there is none
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
        square=np.zeros((2, order, n_links)),
        speed=np.zeros((2, order, n_links)),
        sign=np.zeros((2, n_links)),
        pull=np.zeros((2, order, n_links)),
        node_flow=np.zeros((3, order, n_links + 1)),
        node_square=np.zeros((order, n_links + 1)),
        node_speed=np.zeros((order, n_links + 1)),
    )


@kernel(no_cpython_wrapper=True)
def has_drag(chain):
    """Whether any link, and any node, has quadratic drag. Bookkeeping."""
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
    r"""Power j of the drag of the halves of all links that Gauss point g stands for (N).

    .. math:: f = \tfrac12 \left(b_n \sqrt{u_n^2 + e^2}\; u_n + b_t\, \operatorname{sgn}(u_t)\, u_t^2\, t\right)

    with b of a whole link.

    Source: Morison's drag, docs/theory/chain_series.md, Quadratic drag; products and roots of series as in [Jorba2005].
    """
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
    w.square[g, j] = chain.smoothing**2 if j == 0 else 0.0
    for axis in range(3):
        out[:] = 0.0
        add_product(w.along[g], t[axis], j, 0, j, out)
        for k in range(n):
            w.normal[g, axis, j, k] = w.flow[g, axis, j, k] - out[k]
        add_product(w.normal[g, axis], w.normal[g, axis], j, 0, j, w.square[g, j])
    next_square_root(w.square[g], w.speed[g], j)
    w.pull[g, j] = 0.0
    add_product(w.along[g], w.along[g], j, 0, j, w.pull[g, j])
    for k in range(n):
        if j == 0:
            w.sign[g, k] = 0.0
        if w.sign[g, k] == 0.0 and abs(w.along[g, j, k]) > SLIDES * _swiftness(w.flow[g], k, j):
            w.sign[g, k] = np.sign(w.along[g, j, k])
        w.pull[g, j, k] *= w.sign[g, k]
    for axis in range(3):
        for kind in range(2):
            coefficient = chain.drag_normal if kind == 0 else chain.drag_tangential
            out[:] = 0.0
            if kind == 0:
                add_product(w.speed[g], w.normal[g, axis], j, 0, j, out)
            else:
                add_product(w.pull[g], t[axis], j, 0, j, out)
            for k in range(n):
                f = 0.5 * coefficient[k] * out[k]
                force[axis, j, k] += (1.0 - right) * f
                force[axis, j, k + 1] += right * f


@kernel(no_cpython_wrapper=True)
def _swiftness(flow, k, j):
    """Size of the flow past link k, from its first two powers as far as they are known (m/s).  flow : (3, order, n)

    Source: own choice of a scale: |u_0|_1 + |u_1|_1 with |u|_1 = |u_x| + |u_y| + |u_z|.
    """
    size = abs(flow[0, 0, k]) + abs(flow[1, 0, k]) + abs(flow[2, 0, k])
    if j > 0:
        size += abs(flow[0, 1, k]) + abs(flow[1, 1, k]) + abs(flow[2, 1, k])
    return size


@kernel(no_cpython_wrapper=True)
def sign_lost(chain, series, tau):
    """First scaled time within the step tau at which the flow along a link goes against its sign; tau if none does.

    Source: docs/theory/chain_series.md, Quadratic drag: first root of u_t(tau) = 0 by samples, turning points and
    bisection.

    Between samples the flow along a link is looked at where it turns, so that a short excursion is seen too.
    """
    links, _ = has_drag(chain)
    w, found = series.drag, tau
    if not links:
        return found
    for g in range(2):
        for k in range(chain.length.shape[0]):
            sign = w.sign[g, k]
            if chain.drag_tangential[k] == 0.0 or sign == 0.0:
                continue
            along, least = w.along[g], -WRONG_WAY * _swiftness(w.flow[g], k, 1)
            before, fell = 0.0, sign * _rate(along, k, 0.0) < 0.0
            for m in range(1, SAMPLES + 1):
                at = tau * m / SAMPLES
                if before >= found:
                    break
                falls = sign * _rate(along, k, at) < 0.0
                low = at
                if fell and not falls:
                    low = _turn(along, k, before, at, sign)
                if sign * _value(along, k, low) < least:
                    found = min(found, _last_right(along, k, before, low, sign, least))
                    break
                if sign * _value(along, k, at) < least:
                    found = min(found, _last_right(along, k, low, at, sign, least))
                    break
                before, fell = at, falls
    return found


@kernel(no_cpython_wrapper=True)
def _turn(along, k, low, high, sign):
    """Scaled time between low and high at which series k of a family stops falling: sign u'(tau) = 0.

    Source: bisection.
    """
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if sign * _rate(along, k, middle) < 0.0:
            low = middle
        else:
            high = middle
    return high


@kernel(no_cpython_wrapper=True)
def _last_right(along, k, low, high, sign, least):
    """Scaled time between low and high at which series k of a family falls to `least`: sign u(tau) = least.

    Source: bisection.
    """
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if sign * _value(along, k, middle) < least:
            high = middle
        else:
            low = middle
    return high


@kernel(no_cpython_wrapper=True)
def _rate(coefficients, k, tau):
    """Derivative of series k of a family by tau: sum_j j a_j tau^(j-1) = a_1 + tau (2 a_2 + ...).

    Source: Horner's rule.
    """
    value = 0.0
    for j in range(coefficients.shape[0] - 1, 0, -1):
        value = value * tau + j * coefficients[j, k]
    return value


@kernel(no_cpython_wrapper=True)
def vanishing_speed(chain, series, tau):
    """First link or node whose speed reaches zero within the scaled step tau, and the scaled time.

    Source: docs/theory/chain_series.md, Quadratic drag: first sample with |u| = 0 or below.

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
                if links and chain.drag_normal[k] != 0.0 and not _value(w.speed[g], k, at) > 0.0:
                    return k, at
        for i in range(n + 1):
            if nodes and chain.node_drag[i] != 0.0 and not _value(w.node_speed, i, at) > 0.0:
                return min(i, n - 1), at
    return -1, 0.0


@kernel(no_cpython_wrapper=True)
def _value(coefficients, k, tau):
    """Value of series k of a family at tau: sum_j a_j tau^j = a_0 + tau (a_1 + tau (a_2 + ...)).

    Source: Horner's rule.
    """
    value = 0.0
    for j in range(coefficients.shape[0] - 1, -1, -1):
        value = value * tau + coefficients[j, k]
    return value
