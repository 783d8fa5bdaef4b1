r"""Newton for bars at the end of an implicit step: positions and tensions together.

Velocities and accelerations follow the positions, :math:`v = v_0 + c_v (r - r_0)`, :math:`a = w_0 + c_a (r - r_0)`.
With the residuals :math:`R = f(r, v) + \sum T t - M a` of the nodes and :math:`g = |d| - l - C T` of the bars,

.. math::
    \begin{pmatrix} H + \rho G^T G & G^T \\ G & -C \end{pmatrix}
    \begin{pmatrix} \delta r \\ \delta T \end{pmatrix} =
    \begin{pmatrix} R - \rho G^T g \\ -g \end{pmatrix}, \qquad
    H = c_a M + c_v D + \sum \frac{T^+}{|d|} (1 - t t^T).

The term in :math:`\rho`, which is the second row times :math:`\rho G^T`, changes nothing (for soft bars G is
multiplied by :math:`1 - \rho C`, in both places); it makes the upper block positive
definite, so that the factorisation needs no pivoting. Drag is differentiated by velocity, not by the turning of the
bars, and tension only where it pulls: the iteration then converges linearly, and fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.arrays import Bars
from ropewalk.methods.bars.hinges import PAIRS, stiffen_hinges
from ropewalk.methods.bars.hulls import stiffen_corners
from ropewalk.methods.bars.loads import directions, loads, surroundings
from ropewalk.methods.bars.ties import stiffen_ties
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.ldl import Factor, analyse, factorise, solve

# Compliance added to a bar, over that of its ends. It may be the first pivot, so it costs six digits of the solve, and
# as many of Newton's rate, which leaves both good. It also lets redundant bars be factorised.
WEAK = 1e-6

STIFF_RODS = 30.0  # times that of other bars: the rods of a body hold it against those of them that push


class Kkt(NamedTuple):
    """Pattern and memory of the Newton iteration."""

    free: Array  # (n, 3, 3) projector on the components that can move
    block: Ints  # (n, 6) places of xx, yy, zz, xy, xz, yz of the node blocks
    cross: Ints  # (m, 9) places of the blocks between the ends of bars, row of a, column of b
    between: Ints  # (h, 6, 9) places of the blocks between the nodes of hinges with a law
    tied: Ints  # (t, 3) places of the diagonals of the blocks between the nodes of ties
    border: Ints  # (m, 2, 3) places of G
    corner: Ints  # (m,) places of -C
    factor: Factor
    right: Array  # (3 n + m,)
    answer: Array  # (3 n + m,)
    nodes: Array  # (n, 3, 3) H by nodes
    links: Array  # (m, 3, 3) H between the ends of bars
    hinges: Array  # (h, 6, 3, 3) H between the nodes of hinges
    out: Array  # (n, 3) residual of the nodes, N
    gap: Array  # (m,) residual of the bars, m
    slack: Flags  # (m,) bars that are slack
    frozen: Flags  # (1,) while the slack bars stay those that they are


def build_kkt(bars: Bars) -> Kkt:
    """Pattern for these bars."""
    n, m = bars.mass.size, bars.length.size
    i = 3 * np.arange(n)
    first, second = [], []
    for p, q in ((0, 1), (0, 2), (1, 2)):
        first.append(i + p)
        second.append(i + q)
    a, b, k = 3 * bars.node[:, 0], 3 * bars.node[:, 1], 3 * n + np.arange(m)
    for p in range(3):
        for q in range(3):
            first.append(a + p)
            second.append(b + q)
    for end in (a, b):
        for p in range(3):
            first.append(end + p)
            second.append(k)
    h = 3 * bars.hinge
    for one, other in PAIRS:
        for p in range(3):
            for q in range(3):
                first.append(h[:, one] + p)
                second.append(h[:, other] + q)
    for p in range(3):
        first.append(3 * bars.tie[:, 0] + p)
        second.append(3 * bars.tie[:, 1] + p)
    factor, where = analyse(3 * n + m, np.concatenate(first), np.concatenate(second))
    size = 3 * n + m
    node_off = where[size : size + 3 * n].reshape(3, n)
    cross = where[size + 3 * n : size + 3 * n + 9 * m].reshape(9, m)
    border = where[size + 3 * n + 9 * m : size + 3 * n + 15 * m].reshape(2, 3, m)
    after = size + 3 * n + 15 * m + 9 * len(PAIRS) * len(h)
    between = where[size + 3 * n + 15 * m : after].reshape(len(PAIRS), 9, len(h))
    block = np.stack([where[i], where[i + 1], where[i + 2], *node_off], axis=1)
    projector = np.einsum("nij,ni,nik->njk", bars.axes, bars.loose, bars.axes)
    return Kkt(
        free=projector,
        block=np.ascontiguousarray(block),
        cross=np.ascontiguousarray(cross.T),
        between=np.ascontiguousarray(np.moveaxis(between, 2, 0)),
        tied=np.ascontiguousarray(where[after:].reshape(3, len(bars.tie)).T),
        border=np.ascontiguousarray(np.moveaxis(border, 2, 0)),
        corner=np.ascontiguousarray(where[k]),
        factor=factor,
        right=np.zeros(size),
        answer=np.zeros(size),
        nodes=np.zeros((n, 3, 3)),
        links=np.zeros((m, 3, 3)),
        hinges=np.zeros((len(h), len(PAIRS), 3, 3)),
        out=np.zeros((n, 3)),
        gap=np.zeros(m),
        slack=np.zeros(m, dtype=bool),
        frozen=np.zeros(1, dtype=bool),
    )


@kernel
def residuals(bars, medium, field, kkt, r, v, a, tension, rho, t):
    r"""Residuals into kkt.out and kkt.gap; the largest force (N) and relative gap.

    .. math:: R = f(r, v) + \sum T t - M a, \qquad g = |d| - l - C T

    Source: the heading of this file.

    A bar that cannot push is slack where T + rho g <= 0; its tension is then set to zero. Where kkt.frozen is set, the
    slack bars are those of the call before.

    Ten arguments: the case (2), the memory of the method (2), the state (4), the penalty and the time.
    """
    directions(bars.node, r, field.direction)
    surroundings(medium, field, r, t)
    loads(bars, medium, field, r, v)
    n = r.shape[0]
    for i in range(n):
        w = field.inertia[i]
        for c in range(3):
            kkt.out[i, c] = field.force[i, c] - (w[c, 0] * a[i, 0] + w[c, 1] * a[i, 1] + w[c, 2] * a[i, 2])
    worst_gap = 0.0
    for k in range(tension.size):
        p, q = bars.node[k, 0], bars.node[k, 1]
        size = 0.0
        for c in range(3):
            size += field.direction[k, c] * (r[q, c] - r[p, c])
        kkt.gap[k] = size - bars.length[k] - bars.compliance[k] * tension[k]
        if not kkt.frozen[0]:
            kkt.slack[k] = not bars.push[k] and tension[k] + rho[k] * kkt.gap[k] <= 0.0
        if kkt.slack[k]:
            kkt.gap[k] = 0.0
            tension[k] = 0.0
            continue
        for c in range(3):
            pull = tension[k] * field.direction[k, c]
            kkt.out[p, c] += pull
            kkt.out[q, c] -= pull
        worst_gap = max(worst_gap, abs(kkt.gap[k]) / bars.length[k])
    worst = 0.0
    for i in range(n):
        f = kkt.free[i]
        x, y, z = kkt.out[i, 0], kkt.out[i, 1], kkt.out[i, 2]
        for c in range(3):
            kkt.out[i, c] = f[c, 0] * x + f[c, 1] * y + f[c, 2] * z
            e = abs(kkt.out[i, c])
            if not e <= worst:
                worst = e
    return worst, worst_gap


@kernel
def fill(bars, field, kkt, r, tension, ca, cv, wanted):
    r"""Values of the matrix (N/m, no unit, m/N) and the right-hand side (N, m) at the present residuals.

    .. math:: H = c_a M + c_v D + \sum \frac{T^+}{|d|} (1 - t t^T) + \rho\, G^T G

    Source: the heading of this file.
    """
    n, m = r.shape[0], tension.size
    value = kkt.factor.value
    value[:] = 0.0
    rho = wanted.copy()
    for k in range(m):  # soft bars need less of it, and no more than half of what would turn the sign of G
        if wanted[k] * bars.compliance[k] > 0.5:
            rho[k] = 0.5 / bars.compliance[k]
        rho[k] *= STIFF_RODS if bars.rod[k] else 1.0
    for i in range(n):
        for p in range(3):
            for q in range(3):
                d = 0.5 * (field.damping[i, p, q] + field.damping[i, q, p])
                held = 0.5 * (field.stiffness[i, p, q] + field.stiffness[i, q, p])
                kkt.nodes[i, p, q] = ca * field.inertia[i, p, q] + cv * d + held
            kkt.right[3 * i + p] = kkt.out[i, p]
    for k in range(m):
        a, b = bars.node[k, 0], bars.node[k, 1]
        t = field.direction[k]
        s = tension[k] / bars.length[k]
        if not bars.rod[k]:
            s = max(s, 0.0)
        kkt.links[k] = 0.0
        kkt.right[3 * n + k] = -(1.0 - rho[k] * bars.compliance[k]) * kkt.gap[k]
        if kkt.slack[k]:
            continue
        for p in range(3):
            for q in range(3):
                x = (rho[k] - s) * t[p] * t[q]
                if p == q:
                    x += s
                kkt.links[k, p, q] = -x
                kkt.nodes[a, p, q] += x
                kkt.nodes[b, p, q] += x
            kkt.right[3 * a + p] += rho[k] * kkt.gap[k] * t[p]
            kkt.right[3 * b + p] -= rho[k] * kkt.gap[k] * t[p]
    if field.hulls.body.size > 0:
        stiffen_corners(field.hulls, cv, kkt.nodes, kkt.links)
    if bars.hinge.shape[0] > 0:
        stiffen_hinges(bars.hinge, bars.hinge_law, r, cv, kkt.nodes, kkt.hinges)
    if bars.tie.shape[0] > 0:
        stiffen_ties(bars.tie, bars.tie_stiffness, kkt.nodes)
    _store(bars, field, kkt, rho)


@kernel
def _store(bars, field, kkt, rho):
    r"""Put the blocks (N/m, no unit, m/N), projected on what can move, in their places.

    .. math:: E H E + 1 - E, \qquad (1 - \rho C)\, G E, \qquad -(1 - \rho C)\, C

    Source: the heading of this file, with the projection E on the free components of each node.
    """
    n, m = kkt.nodes.shape[0], kkt.links.shape[0]
    value = kkt.factor.value
    for i in range(n):
        f = kkt.free[i]
        if bars.held[i]:
            h = np.eye(3)
            kkt.right[3 * i : 3 * i + 3] = 0.0
        elif f[0, 0] + f[1, 1] + f[2, 2] > 2.5:
            h = kkt.nodes[i]
        else:
            h = f @ kkt.nodes[i] @ f + np.eye(3) - f
            kkt.right[3 * i : 3 * i + 3] = f @ kkt.right[3 * i : 3 * i + 3].copy()
        e = kkt.block[i]
        value[e[0]], value[e[1]], value[e[2]] = h[0, 0], h[1, 1], h[2, 2]
        value[e[3]], value[e[4]], value[e[5]] = h[0, 1], h[0, 2], h[1, 2]
        kkt.nodes[i] = h
    for k in range(m):
        a, b = bars.node[k, 0], bars.node[k, 1]
        if kkt.slack[k] or (bars.held[a] and bars.held[b]):  # between held nodes its law alone gives a tension
            own = -(1.0 - rho[k] * bars.compliance[k]) * bars.compliance[k]
            value[kkt.corner[k]] = own if own < 0.0 and not kkt.slack[k] else -1.0
            continue
        x = kkt.free[a] @ kkt.links[k] @ kkt.free[b]
        for p in range(3):
            for q in range(3):
                value[kkt.cross[k, 3 * p + q]] += x[p, q]
        soft = 0.0
        rest = 1.0 - rho[k] * bars.compliance[k]
        for side in range(2):
            i = a if side == 0 else b
            t = kkt.free[i] @ field.direction[k]
            sign = -1.0 if side == 0 else 1.0
            for p in range(3):
                value[kkt.border[k, side, p]] += rest * sign * t[p]
            if not bars.held[i]:
                soft += 1.0 / (kkt.nodes[i, 0, 0] + kkt.nodes[i, 1, 1] + kkt.nodes[i, 2, 2])
        value[kkt.corner[k]] = -rest * bars.compliance[k] - WEAK * soft
    for k in range(bars.hinge.shape[0]):
        for e, (i, j) in enumerate(PAIRS):
            x = kkt.free[bars.hinge[k, i]] @ kkt.hinges[k, e] @ kkt.free[bars.hinge[k, j]]
            for p in range(9):
                value[kkt.between[k, e, p]] += x[p // 3, p % 3]
    for k in range(bars.tie.shape[0]):
        if not (bars.held[bars.tie[k, 0]] or bars.held[bars.tie[k, 1]]):  # corners of bodies are free, or held
            for p in range(3):
                value[kkt.tied[k, p]] -= bars.tie_stiffness[k]


@kernel
def newton_step(bars, field, kkt, r, tension, ca, cv, rho, turn):
    """One Newton step on r and tension, no bar turning by more than `turn` (rad); the share of it made, or -1.

    Source: the system of the heading of this file, A x = b by LDL^T; the step is cut to `turn`.

    Nine arguments: the case, the memory of the method (2), the unknowns (2), and the numbers of the scheme (4).
    """
    fill(bars, field, kkt, r, tension, ca, cv, rho)
    if factorise(kkt.factor) >= 0:
        return -1.0
    solve(kkt.factor, kkt.right, kkt.answer)
    n = r.shape[0]
    most = 0.0
    for k in range(tension.size):
        square = 0.0
        for c in range(3):
            square += (kkt.answer[3 * bars.node[k, 1] + c] - kkt.answer[3 * bars.node[k, 0] + c]) ** 2
        e = np.sqrt(square) / bars.length[k]
        if not e <= most:
            most = e
    if not np.isfinite(most):
        return -1.0
    scale = min(1.0, turn / most) if most > 0.0 else 1.0
    for i in range(n):
        for c in range(3):
            r[i, c] += scale * kkt.answer[3 * i + c]
    for k in range(tension.size):
        tension[k] += scale * kkt.answer[3 * n + k]
    return scale
