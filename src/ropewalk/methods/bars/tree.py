r"""Articulated bars: O(n) accelerations of a tree of rigid bars, free of singular angles.

A massless bar only carries axial force, so what hangs on a bar acts on its inner end as a mass along the bar
alone. From the tips inwards, then outwards, for the bar from p to i with direction t:

.. math::
    \mu &= \frac{1}{t^T M_i^{-1} t}, \qquad M_p \mathrel{+}= \mu\, t t^T, \qquad
    F_p \mathrel{+}= \mu\, (t^T M_i^{-1} F_i + \kappa_i)\, t, \\
    T &= \mu\, (t^T M_i^{-1} F_i + \kappa_i - t \cdot a_p), \qquad a_i = M_i^{-1} (F_i - T t),
    \qquad \kappa = l\, \omega^2 .

This is the articulated-body algorithm [Featherstone2008] with 3 x 3 masses, and gives what the two-angle form
of [Otto2022], sec. 4.5.2, gives, without its singularity. The coordinates are the bars' directions and angular
velocities (across the bars); directions turn by rotations, so that lengths are kept to round-off.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.arrays import Bars
from ropewalk.methods.bars.control import NO_GAINS, Gains
from ropewalk.methods.bars.loads import inverse3
from ropewalk.model.arrays import Array, Ints
from ropewalk.numerics.compile import kernel


class Tree(NamedTuple):
    """A spanning tree of the bars, parents before children, and the bars left over, which close loops."""

    root: Ints  # (r,) nodes without a parent
    bar: Ints  # (b,) bars of the tree in order
    inner: Ints  # (b,) node nearer to the root
    outer: Ints  # (b,)
    sign: Array  # (b,) +1 where the bar runs from inner to outer
    loop: Ints  # (c,) bars that close loops


class Turns(NamedTuple):
    """State and memory of the recursion."""

    direction: Array  # (b, 3) unit, from inner to outer
    omega: Array  # (b, 3) rad/s, across the bar
    r: Array  # (n, 3) m
    v: Array  # (n, 3) m/s
    a: Array  # (n, 3) m/s2
    support: Array  # (n, 3) acceleration of held nodes
    tension: Array  # (m,) N
    mass: Array  # (n, 3, 3) articulated
    inverse: Array  # (n, 3, 3) its inverse
    force: Array  # (n, 3) articulated
    mu: Array  # (b,) kg
    alpha: Array  # (b, 3) rad/s2
    first_alpha: Array  # (b, 3)
    old_direction: Array  # (b, 3)
    old_omega: Array  # (b, 3)
    old_r: Array  # (n, 3)
    old_v: Array  # (n, 3)
    first_a: Array  # (n, 3)
    reply: Array  # (c, n, 3) accelerations under unit tension in each loop bar, 1/kg
    turn: Array  # (c, b, 3) angular accelerations of those
    loop_matrix: Array  # (c, c) 1/kg
    is_controlled: bool  # loops are closed by control, not by constraints
    gains: Gains  # of that control
    integral: Array  # (c,) m s, of the gaps of such loops
    ridge: Array  # (1,) share of the diagonal added to loop_matrix, 0 unless loops are redundant


def build_tree(bars: Bars) -> Tree:
    """Breadth first from the held nodes, then from any node of a part that is held nowhere."""
    beside: list[list[tuple[int, int]]] = [[] for _ in range(bars.mass.size)]
    for k, (a, b) in enumerate(bars.node.tolist()):
        beside[a].append((k, b))
        beside[b].append((k, a))
    seen, used = bars.held.copy(), np.zeros(bars.length.size, dtype=bool)
    queue, roots = [int(i) for i in np.flatnonzero(bars.held)], [int(i) for i in np.flatnonzero(bars.held)]
    rows: list[tuple[int, int, int]] = []
    while True:
        for i in queue:  # grows while it is read
            for k, j in beside[i]:
                if not seen[j]:
                    seen[j] = used[k] = True
                    rows.append((k, i, j))
                    queue.append(j)
        left = np.flatnonzero(~seen)
        if left.size == 0:
            break
        seen[left[0]] = True
        queue = [int(left[0])]
        roots.append(int(left[0]))
    table: Ints = np.array(rows, dtype=np.int64).reshape(-1, 3)
    loop = np.flatnonzero(~used & ~(bars.held[bars.node[:, 0]] & bars.held[bars.node[:, 1]]))
    return Tree(
        root=np.array(roots, dtype=np.int64),
        bar=np.ascontiguousarray(table[:, 0]),
        inner=np.ascontiguousarray(table[:, 1]),
        outer=np.ascontiguousarray(table[:, 2]),
        sign=np.where(bars.node[table[:, 0], 0] == table[:, 1], 1.0, -1.0),
        loop=loop.astype(np.int64),
    )


def make_turns(bars: Bars, tree: Tree, r: Array, v: Array, gains: Gains | None = None) -> Turns:
    """Directions and angular velocities of the bars at r, v; lengths that differ are given up.

    gains : of the control that closes loops; constraints close them unless given
    """
    n, m, b, c = r.shape[0], bars.length.size, tree.bar.size, tree.loop.size
    d = r[tree.outer] - r[tree.inner]
    direction = d / np.linalg.norm(d, axis=1)[:, None]
    rate = (v[tree.outer] - v[tree.inner]) / bars.length[tree.bar][:, None]
    return Turns(
        direction=direction, omega=np.cross(direction, rate), r=r.copy(), v=v.copy(), a=np.zeros((n, 3)),
        support=np.zeros((n, 3)), tension=np.zeros(m), mass=np.zeros((n, 3, 3)), inverse=np.zeros((n, 3, 3)),
        force=np.zeros((n, 3)), mu=np.zeros(b), alpha=np.zeros((b, 3)), first_alpha=np.zeros((b, 3)),
        old_direction=np.zeros((b, 3)), old_omega=np.zeros((b, 3)), old_r=np.zeros((n, 3)), old_v=np.zeros((n, 3)),
        first_a=np.zeros((n, 3)), reply=np.zeros((c, n, 3)), turn=np.zeros((c, b, 3)), loop_matrix=np.zeros((c, c)),
        is_controlled=gains is not None, gains=gains or NO_GAINS, integral=np.zeros(c), ridge=np.zeros(1),
    )  # fmt: skip


@kernel
def articulate(tree, field, s, held):
    r"""Articulated masses from the tips inwards: s.mass, s.inverse, s.mu.

    .. math:: \mu = \frac{1}{t^T M_i^{-1} t}, \qquad M_p \mathrel{+}= \mu\, t t^T

    Source: [Featherstone2008]; the heading of this file.
    """
    s.mass[:] = field.inertia
    zero = np.zeros((3, 3))
    for k in range(tree.bar.size - 1, -1, -1):
        i, p = tree.outer[k], tree.inner[k]
        inverse3(s.mass[i], zero, 0.0, s.inverse[i])
        t, w = s.direction[k], s.inverse[i]
        x = 0.0
        for a in range(3):
            x += t[a] * (w[a, 0] * t[0] + w[a, 1] * t[1] + w[a, 2] * t[2])
        mu = 1.0 / x
        s.mu[k] = mu
        if not held[p]:
            for a in range(3):
                for b in range(3):
                    s.mass[p, a, b] += mu * t[a] * t[b]
    for j in range(tree.root.size):
        i = tree.root[j]
        if not held[i]:
            inverse3(s.mass[i], zero, 0.0, s.inverse[i])


@kernel
def accelerate(tree, length, s, held, force, moving, a, tension):
    r"""Accelerations `a` (n, 3) under `force` (n, 3), which is changed; tensions of the tree's bars into `tension`.

    .. math:: T = \mu\, (t^T M_i^{-1} F_i + l\,\omega^2 - t \cdot a_p), \qquad a_i = M_i^{-1} (F_i - T t)

    Source: [Featherstone2008]; the heading of this file.

    moving : 1 with the velocity terms and the acceleration of supports (in s.support), 0 for the reply alone
    """
    for k in range(tree.bar.size - 1, -1, -1):
        i, p = tree.outer[k], tree.inner[k]
        t, w, o = s.direction[k], s.inverse[i], s.omega[k]
        x = moving * length[tree.bar[k]] * (o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
        for c in range(3):
            x += t[c] * (w[c, 0] * force[i, 0] + w[c, 1] * force[i, 1] + w[c, 2] * force[i, 2])
        x *= s.mu[k]
        tension[tree.bar[k]] = x
        for c in range(3):
            force[p, c] += x * t[c]
    for j in range(tree.root.size):
        i = tree.root[j]
        for c in range(3):
            if held[i]:
                a[i, c] = moving * s.support[i, c]
            else:
                w = s.inverse[i]
                a[i, c] = w[c, 0] * force[i, 0] + w[c, 1] * force[i, 1] + w[c, 2] * force[i, 2]
    for k in range(tree.bar.size):
        i, p = tree.outer[k], tree.inner[k]
        t, w = s.direction[k], s.inverse[i]
        x = tension[tree.bar[k]] - s.mu[k] * (t[0] * a[p, 0] + t[1] * a[p, 1] + t[2] * a[p, 2])
        tension[tree.bar[k]] = x
        f0 = force[i, 0] - x * t[0]
        f1 = force[i, 1] - x * t[1]
        f2 = force[i, 2] - x * t[2]
        for c in range(3):
            a[i, c] = w[c, 0] * f0 + w[c, 1] * f1 + w[c, 2] * f2


@kernel
def angular(tree, length, direction, a, alpha):
    """Angular accelerations (rad/s2) of the bars, t x (a_i - a_p) / l, into `alpha` (b, 3).

    Source: alpha = t x (a_i - a_p)/l, kinematics of a bar without spin about itself.
    """
    for k in range(tree.bar.size):
        i, p = tree.outer[k], tree.inner[k]
        over = 1.0 / length[tree.bar[k]]
        x = (a[i, 0] - a[p, 0]) * over
        y = (a[i, 1] - a[p, 1]) * over
        z = (a[i, 2] - a[p, 2]) * over
        t = direction[k]
        alpha[k, 0] = t[1] * z - t[2] * y
        alpha[k, 1] = t[2] * x - t[0] * z
        alpha[k, 2] = t[0] * y - t[1] * x


@kernel
def turned(t, psi, out):
    r"""The unit vector t turned by the rotation vector psi across it (rad), into `out`.

    .. math:: t' = \cos|\psi|\; t + \frac{\sin|\psi|}{|\psi|}\, \psi \times t

    Source: Rodrigues' formula with psi . t = 0, [Murray1994].
    """
    square = psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2]
    angle = np.sqrt(square)
    c = np.cos(angle)
    s = np.sin(angle) / angle if angle > 1e-8 else 1.0 - square / 6.0  # series below: its next term is 1e-34
    x = c * t[0] + s * (psi[1] * t[2] - psi[2] * t[1])
    y = c * t[1] + s * (psi[2] * t[0] - psi[0] * t[2])
    z = c * t[2] + s * (psi[0] * t[1] - psi[1] * t[0])
    over = 1.0 / np.sqrt(x * x + y * y + z * z)
    out[0] = x * over
    out[1] = y * over
    out[2] = z * over


@kernel
def place(tree, length, s):
    """Positions (m) and velocities (m/s) of the nodes from the roots outwards.

    Source: r_i = r_p + l t, v_i = v_p + l omega x t, the heading of this file.
    """
    for k in range(tree.bar.size):
        i, p = tree.outer[k], tree.inner[k]
        t, o, size = s.direction[k], s.omega[k], length[tree.bar[k]]
        for c in range(3):
            s.r[i, c] = s.r[p, c] + size * t[c]
        s.v[i, 0] = s.v[p, 0] + size * (o[1] * t[2] - o[2] * t[1])
        s.v[i, 1] = s.v[p, 1] + size * (o[2] * t[0] - o[0] * t[2])
        s.v[i, 2] = s.v[p, 2] + size * (o[0] * t[1] - o[1] * t[0])


@kernel
def bar_directions(tree, bars, field, s):
    """Unit vectors of all bars, from a to b, into field.direction (no unit).

    Source: definition, t = (r_b - r_a)/|r_b - r_a|; bars of the tree have theirs as unknowns.
    """
    for k in range(tree.bar.size):
        for c in range(3):
            field.direction[tree.bar[k], c] = tree.sign[k] * s.direction[k, c]
    for j in range(tree.loop.size):
        k = tree.loop[j]
        a, b = bars.node[k, 0], bars.node[k, 1]
        size = 0.0
        for c in range(3):
            field.direction[k, c] = s.r[b, c] - s.r[a, c]
            size += field.direction[k, c] ** 2
        for c in range(3):
            field.direction[k, c] /= np.sqrt(size)


@kernel
def across(s):
    """Takes the part along the bar out of every angular velocity (rad/s).

    Source: omega -> omega - (omega . t) t: a bar does not spin about itself.
    """
    for k in range(s.omega.shape[0]):
        t = s.direction[k]
        x = s.omega[k, 0] * t[0] + s.omega[k, 1] * t[1] + s.omega[k, 2] * t[2]
        for c in range(3):
            s.omega[k, c] -= x * t[c]
