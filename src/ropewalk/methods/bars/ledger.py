r"""Energy ledger of the bar solvers: work of the loads and supports against the energy of the nodes, step by step.

With loads :math:`f_n`, inertia :math:`M_n` (added mass included), positions :math:`r_n` and velocities :math:`v_n` at
the ends of a step,

.. math::
    \Delta W = \tfrac12 (f_n + f_{n+1}) \cdot (r_{n+1} - r_n), \qquad
    \Delta K = \tfrac12 (v_{n+1} + v_n) \cdot \tfrac12 (M_n + M_{n+1}) (v_{n+1} - v_n) .

The work is exact for weight and for forces linear in position, and of second order for drag, as the steps are. Bars
that keep their length do no work; those that pull at held nodes bring the work of the supports, in each half of a step
with the tensions of that half. What :math:`\Delta W` leaves over
:math:`\Delta K` and the strain energy of elastic bars was lost by the step: to an impact where a slack bar came taut in
it, else to the numerics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Flags, Records, records
from ropewalk.numerics.compile import kernel

SUMS = np.dtype(
    [
        ("work", "f8"),  # of loads and supports, J
        ("supports", "f8"),  # of supports in the present step, J
        ("kinetic", "f8"),  # gained, J
        ("elastic", "f8"),  # held by bars that stretch, J
        ("impact", "f8"),  # lost in steps with an impact, J
        ("first_kinetic", "f8"),  # of masses, at the start, J
        ("first_potential", "f8"),  # J
        ("first_elastic", "f8"),  # J
    ],
    align=True,
)


class Book(NamedTuple):
    """The ledger, and the state that it was last brought up to."""

    r: Array  # (n, 3) m
    v: Array  # (n, 3) m/s
    force: Array  # (n, 3) loads, N
    inertia: Array  # (n, 3, 3) kg
    direction: Array  # (m, 3) of the bars
    tension: Array  # (m,) N
    yields: Flags  # (m,) bars that go slack instead of pushing
    sums: Records  # (1,) of SUMS


def make_book(n: int, m: int) -> Book:
    """Room for n nodes and m bars."""
    r, v, force = np.zeros((3, n, 3))
    yields = np.zeros(m, dtype=bool)
    return Book(r, v, force, np.zeros((n, 3, 3)), np.zeros((m, 3)), np.zeros(m), yields, records(1, SUMS))


@kernel
def stretch(bars, direction, r, k):
    r"""Elongation of bar k, m; not negative for bars that cannot carry compression.  direction : (3,)

    .. math:: \max(t \cdot (r_b - r_a) - l, 0)

    Source: docs/theory/ropes_and_nets.md, Energy.
    """
    a, b = bars.node[k, 0], bars.node[k, 1]
    over = -bars.length[k]
    for j in range(3):
        over += direction[j] * (r[b, j] - r[a, j])
    return over if bars.push[k] else max(over, 0.0)


@kernel
def book_loads(bars, field, tension, r, v):
    r"""Brings the ledger to the state r, v, to which loads and inertia in `field` belong.  tension : (m,) N

    .. math:: \Delta W = \tfrac12 (f_n + f_{n+1}) \cdot \Delta r, \qquad
              \Delta K = \tfrac12 (v_{n+1} + v_n) \cdot \tfrac12 (M_n + M_{n+1}) \Delta v

    Source: work of forces on point masses; the heading of this file.
    """
    b = field.book
    has_impact = False
    elastic = 0.0
    for k in range(tension.size):
        if bars.compliance[k] > 0.0:
            elastic += 0.5 * stretch(bars, field.direction[k], r, k) ** 2 / bars.compliance[k]
        has_impact |= b.yields[k] and b.tension[k] <= 0.0 and tension[k] > 0.0
        b.tension[k] = tension[k]
        for j in range(3):
            b.direction[k, j] = field.direction[k, j]
    work, kinetic, before = 0.0, 0.0, 0.0
    for i in range(r.shape[0]):
        if not bars.held[i]:
            for j in range(3):
                work += 0.5 * (b.force[i, j] + field.force[i, j]) * (r[i, j] - b.r[i, j])
                mean = 0.5 * (v[i, j] + b.v[i, j])
                for q in range(3):
                    before += 0.5 * b.v[i, j] * b.inertia[i, j, q] * b.v[i, q]
                    kinetic += mean * 0.5 * (b.inertia[i, j, q] + field.inertia[i, j, q]) * (v[i, q] - b.v[i, q])
                    b.inertia[i, j, q] = field.inertia[i, j, q]
        for j in range(3):
            b.force[i, j], b.r[i, j], b.v[i, j] = field.force[i, j], r[i, j], v[i, j]
    sums = b.sums[0]
    work += sums.supports
    sums.supports = 0.0
    sums.work += work
    sums.kinetic += kinetic
    if has_impact:  # which takes no more than was in motion
        sums.impact += min(max(work - kinetic - (elastic - sums.elastic), -before), before)
    sums.elastic = elastic


@kernel
def book_supports(bars, book, direction, tension, r, old_r):
    r"""Adds the work of the supports in half a step: bars with a tension (m,), N, pull at held nodes that move.

    .. math:: \Delta W = \tfrac12 \sum T\, t \cdot (r_{n+1} - r_n)

    Source: the heading of this file.

    direction : (m, 3) of the bars, at the start of the step for its first half    r, old_r : (n, 3) at its ends, m
    """
    work = 0.0
    for k in range(tension.size):
        a, b = bars.node[k, 0], bars.node[k, 1]
        if bars.held[a] or bars.held[b]:
            for j in range(3):
                if bars.held[a]:
                    work -= tension[k] * direction[k, j] * (r[a, j] - old_r[a, j])
                if bars.held[b]:
                    work += tension[k] * direction[k, j] * (r[b, j] - old_r[b, j])
    book.sums[0].supports += 0.5 * work


@kernel
def book_step(bars, field, tension, r, v):
    r"""Adds a step to the state r, v to the ledger (J); the forces of its bars at both ends of the step are known.

    .. math:: \Delta W = \tfrac12 (f_n + f_{n+1}) \cdot \Delta r
              + \tfrac12 \sum (T_n t_n + T_{n+1} t_{n+1}) \cdot \Delta r

    Source: the heading of this file.
    """
    b = field.book
    book_supports(bars, b, b.direction, b.tension, r, b.r)
    book_supports(bars, b, field.direction, tension, r, b.r)
    book_loads(bars, field, tension, r, v)


KEPT = ("r", "v", "force", "inertia", "tension", "direction")  # in snapshots, beside the sums


def kept(book: Book) -> dict[str, Array]:
    """What a snapshot holds of the ledger."""
    arrays = {f"book_{name}": getattr(book, name).copy() for name in KEPT}
    return {**arrays, "book_sums": book.sums.view(np.float64).copy()}


def put_back(book: Book, snapshot: dict[str, np.ndarray | float | int]) -> None:
    """The ledger of a snapshot, of :func:`kept`."""
    for name in KEPT:
        getattr(book, name)[:] = snapshot[f"book_{name}"]
    book.sums.view(np.float64)[:] = snapshot["book_sums"]
