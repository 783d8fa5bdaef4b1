r"""Equilibria of bars that are one of many, or not stable: the softest motion, and whether anything resists it.

The matrix of Newton's method (kkt.py) with :math:`H` at rest and a little mass is factorised once more; inverse
iteration with it gives the motion x of the lowest frequency. Its H leaves out how drag turns with the bars, so the
frequency is measured with the forces themselves, out of balance at :math:`r \pm \delta x`:

.. math:: \omega^2 = -\frac{x \cdot (R(r + \delta x) - R(r - \delta x))}{2 \delta\, x \cdot M x} .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.methods.bars.kkt import fill, residuals
from ropewalk.methods.bars.settling_loads import natural_time
from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, flags
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.numerics.ldl import factorise, solve

SHIFT = 1e-6  # of 1 / natural time^2: mass in the matrix, so that it can be factorised where nothing resists
ITERATIONS = 6  # of inverse iteration; each takes out motions of ten times the shift by a factor of ten
WAY = 1e-6  # of the size of the case, by which it is moved: turns are of second order, and rods carry much
FREE = 1e-4  # of 1 / natural time^2: squared frequency below which nothing resists


class Soft(NamedTuple):
    """The motion that is resisted least."""

    square: float  # squared frequency over that of the natural time
    way: Array  # (n, 3) of the nodes, the largest 1


def softest(work: BarsWork, rho: Array) -> Soft | None:
    """The softest motion about the equilibrium in `work`; None if it is not found.  rho : (m,) N/m, see kkt.py"""
    bars, s, kkt = work.bars, work.steps, work.own["kkt"]
    n, still, pace = bars.mass.size, np.zeros_like(s.r), natural_time(work) ** -2
    mass = np.einsum("nij,njk,nkl->nil", kkt.free, work.field.inertia, kkt.free)

    def unbalance(share: float, x: Array, change: Array) -> Array:
        tension = s.tension + share * change
        none = np.zeros_like(tension)
        residuals(bars, work.medium, work.field, kkt, s.r + share * x, still, still, tension, none, work.time)
        return np.array(kkt.out)

    unbalance(0.0, still, np.zeros_like(s.tension))
    with_push = bars._replace(rod=flags(bars.rod | bars.push))  # what pushes counts with its sign
    fill(with_push, work.field, kkt, s.r, s.tension, SHIFT * pace, 0.0, rho)
    if factorise(kkt.factor) >= 0:
        return None
    x: Array = np.random.default_rng(0).standard_normal((n, 3))
    for _ in range(ITERATIONS):
        kkt.right[:] = 0.0
        kkt.right[: 3 * n] = np.einsum("nij,nj->ni", mass, x).ravel()
        solve(kkt.factor, kkt.right, kkt.answer)
        size = float(np.abs(kkt.answer[: 3 * n]).max())
        if not (np.isfinite(size) and size > 0.0):
            return None
        kkt.answer[:] = kkt.answer / size
        x = kkt.answer[: 3 * n].reshape(n, 3).copy()
    change, way = kkt.answer[3 * n :].copy(), WAY * float(np.ptp(s.r, axis=0).max())
    pushed = unbalance(way, x, change) - unbalance(-way, x, change)
    unbalance(0.0, still, np.zeros_like(s.tension))
    inertia = float(np.einsum("ni,nij,nj->", x, mass, x))
    return Soft(-float(np.sum(x * pushed)) / (2.0 * way * inertia * pace), x) if inertia > 0.0 else None


def freedom_note(model: Model, work: BarsWork, rho: Array) -> str:
    """A sentence where nothing resists a motion, or a push grows; empty where all are resisted.

    The stability of free bodies is computed separately, so nothing is reported with these.
    """
    soft = None if np.any(model.bodies.joint == LOOSE) else softest(work, rho)
    if soft is None or soft.square > FREE:
        return ""
    node = int(np.argmax(np.linalg.norm(soft.way, axis=1)))
    where = f"largest in {_part(model, work, node)}"
    if soft.square < -FREE:
        return f"unstable equilibrium: the growing mode is {where}"
    return f"neutral mode, {where}: the equilibrium is not unique"


def _part(model: Model, work: BarsWork, node: int) -> str:
    """The net, line or point that a node belongs to."""
    places, names = work.places, model.names
    for kind, owners, start, nodes in (
        ("net", model.nets.names, places.knot_start, places.knot),
        ("line", names.lines, places.line_start, places.line_node),
    ):
        found = np.flatnonzero(nodes == node)
        if found.size:
            return f"{kind} '{owners[int(np.searchsorted(start, found[0], side='right')) - 1]}'"
    points = np.flatnonzero(places.point == node)
    return f"point '{names.points[int(points[0])]}'" if points.size else "a part of a hoop"
