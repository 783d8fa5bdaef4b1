"""Arrays of a chain of rigid links and of its power series.

Arrays of series are (axis, power, node or link), so that sums over powers run over contiguous memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.methods.chain.bodies import END_BODY, BodySeries, allocate_bodies
from ropewalk.methods.chain.drag import DragSeries, allocate_drag
from ropewalk.model.arrays import Records, records
from ropewalk.numerics.series import TERM_HEAD

Array = NDArray[np.float64]

FLOOR_ACCELERATION = 1e-3  # m/s2, where there is neither weight nor load: only sets the step floor
STEP_FLOOR = 1e-7  # of the time in which the shortest link falls its own length; a tenth of that is 1e-8 of a swing


class Chain(NamedTuple):
    """A chain as kernels read it: n links between n + 1 nodes, from end A to end B."""

    length: Array  # (n,) m
    mass: Array  # (n,) kg, uniform along each link
    added_normal: Array  # (n,) kg, added mass of a link across its axis
    added_tangential: Array  # (n,) kg, along its axis
    node_mass: Array  # (n + 1,) kg, point masses (their own added mass included)
    link_load: Array  # (n, 2, 3) N, shares at the two ends of the constant load on a link: weight less buoyancy, ...
    node_load: Array  # (n + 1, 3) N, constant load on a node itself
    pressure: Array  # (n, 3) N/m, load q x t per metre of a link of direction t: stays normal to the link
    load_terms: Array  # (m, TERM_HEAD + degree + 1) loads in time: target node i, or link n + 1 + i
    held: NDArray[np.bool_]  # (2,) whether end A, end B follow a prescribed motion
    motion_terms: Array  # (m, TERM_HEAD + degree + 1) positions of the held ends: target 0 (A) or n (B)
    bodies: Records  # (k,) of END_BODY: on ends that are not held
    body_terms: Array  # (m, TERM_HEAD + degree + 1) loads on bodies in time: target 2 k (force) or 2 k + 1 (moment)
    damping: float  # 1/s, mass-proportional
    linear_drag: Array  # (n,) N s/m, of a whole link, same in all directions
    drag_normal: Array  # (n,) N s2/m2, of a whole link: force = k |u_n| u_n
    drag_tangential: Array  # (n,) N s2/m2, along the link
    node_drag: Array  # (n + 1,) N s2/m2, of a node: force = k |u| u
    current: Array  # (3,) m/s, uniform and steady
    smoothing: float  # m/s, |u| is sqrt(u^2 + smoothing^2) in quadratic drag across links and of nodes
    reference_mass: float  # kg, makes the equations dimensionless
    time_floor: float  # s, steps below this mean that the series has no useful radius left


class Series(NamedTuple):
    """The power series of one step, in tau = (t - t0) / T; filled by `expand`."""

    position: Array  # (3, order + 2, n + 1) m
    link: Array  # (3, order + 2, n) unit vectors along the links
    acceleration: Array  # (3, order, n + 1) m/s2
    tension: Array  # (order, n) N, axial force that keeps the length, positive when pulling
    force: Array  # (3, order, n + 1) N, loads on the nodes; tension and inertia apart
    along: Array  # (2, order, n) m/s2, t . (2 a0 + a1) and t . (a0 + 2 a1), for added mass
    reaction: Array  # (3, order, 2) N, force of what holds end A, end B on the chain
    drag: DragSeries
    bodies: BodySeries
    lower: Array  # (n + 1, 4, 4) factors of the matrix; `assemble` and `factorise` fill them
    diagonal: Array  # (n + 1, 4, 4)
    upper: Array  # (n + 1, 4, 4)
    unknowns: Array  # (n + 1, 4) right-hand side, then solution: acceleration of node i, N / mass of link i - 1
    scratch: Array  # (4, n)


def allocate(n_links: int, order: int, n_bodies: int = 0) -> Series:
    """Memory for series of the given order: positions to power order + 1, forces to order - 1."""
    n = n_links
    return Series(
        position=np.zeros((3, order + 2, n + 1)),
        link=np.zeros((3, order + 2, n)),
        acceleration=np.zeros((3, order, n + 1)),
        tension=np.zeros((order, n)),
        force=np.zeros((3, order, n + 1)),
        along=np.zeros((2, order, n)),
        reaction=np.zeros((3, order, 2)),
        drag=allocate_drag(n, order),
        bodies=allocate_bodies(n_bodies, order),
        lower=np.zeros((n + 1, 4, 4)),
        diagonal=np.zeros((n + 1, 4, 4)),
        upper=np.zeros((n + 1, 4, 4)),
        unknowns=np.zeros((n + 1, 4)),
        scratch=np.zeros((4, n)),
    )


def chain(length: Array, mass: Array, *, gravity: float = 9.81, **given: Any) -> Chain:
    """A `Chain` from what differs from the default: weight m g downwards, nothing else.

    `given` are fields of `Chain`. `link_load` (n, 3), spread evenly, or (n, 2, 3), shared between the ends, and
    `node_load`, where given, are whole loads: the weight is then no longer added.
    """
    if strange := given.keys() - set(Chain._fields):
        raise TypeError(f"a chain has no {', '.join(sorted(strange))}")
    given = {name: value for name, value in given.items() if value is not None}
    length, mass = _fresh(length), _fresh(mass)
    n, down = length.size, np.array([0.0, 0.0, -gravity])
    node_mass = _filled(given.get("node_mass"), n + 1)
    reference = (mass.sum() + node_mass.sum()) / n
    if reference == 0.0 and "bodies" in given:
        reference = float(np.sum(given["bodies"].mass))
    link_load = _fresh(given.get("link_load", np.outer(mass, down)))
    if link_load.ndim == 2:
        link_load = np.stack([0.5 * link_load, 0.5 * link_load], axis=1)
    fall = max(np.abs(link_load).sum() / (n * reference), abs(gravity), FLOOR_ACCELERATION)
    no_terms = np.zeros((0, TERM_HEAD + 1))
    per_link = ("added_normal", "added_tangential", "linear_drag", "drag_normal", "drag_tangential")
    return Chain(
        length=length,
        mass=mass,
        node_mass=node_mass,
        link_load=link_load,
        node_load=_fresh(given.get("node_load", np.outer(node_mass, down))),
        pressure=_fresh(given.get("pressure", np.zeros((n, 3)))),
        load_terms=_fresh(given.get("load_terms", no_terms)),
        held=np.array(given.get("held", (True, True)), dtype=np.bool_),
        motion_terms=_fresh(given.get("motion_terms", no_terms)),
        bodies=given.get("bodies", records(0, END_BODY)),
        body_terms=_fresh(given.get("body_terms", no_terms)),
        damping=float(given.get("damping", 0.0)),
        **{name: _filled(given.get(name), n) for name in per_link},
        node_drag=_filled(given.get("node_drag"), n + 1),
        current=np.array(given.get("current", (0.0, 0.0, 0.0)), dtype=float),
        smoothing=float(given.get("smoothing", 0.0)),
        reference_mass=float(reference),
        time_floor=float(STEP_FLOOR * np.sqrt(length.min() / fall)),
    )


def _filled(values: Array | None, n: int) -> Array:
    return np.zeros(n) if values is None else _fresh(np.broadcast_to(values, (n,)))


def _fresh(values: Array) -> Array:
    """A contiguous, writeable copy: kernels are compiled once for each kind of array, read-only ones apart."""
    return np.array(values, dtype=float, order="C")
