"""What moves in a mode: the part and direction that hold most of its kinetic energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ropewalk.analysis.linearise import Linearised
from ropewalk.model.arrays import Array
from ropewalk.results.layout import AXES
from ropewalk.results.schema import DOFS


def dominant_motion(linear: Linearised, x: Any) -> tuple[list[str], Array]:
    """Per mode of x (n, k) what moves most ("buoy surge", "line 2 y"), and its share of the kinetic energy.

    Bodies count by their six motions about their origin, points by axes of the world, lines as wholes by axis.
    """
    names, groups = _groups(linear)
    energy = np.real(np.conj(x) * (linear.M @ x))
    sums = np.zeros((len(names) + 1, x.shape[1]))  # the last row is of unknowns without a group: tensions
    np.add.at(sums, groups, energy)
    sums = np.maximum(sums[:-1], 0.0)  # coupled motions of a body can have negative shares
    total = np.maximum(sums.sum(axis=0), np.finfo(float).tiny)
    largest = np.argmax(sums, axis=0) if names else np.zeros(x.shape[1], dtype=int)
    share: Array = sums[largest, np.arange(x.shape[1])] / total
    return [names[k] for k in largest], share


def _groups(linear: Linearised) -> tuple[list[str], Any]:
    """Names of all that can move, and for each unknown the number of its name; -1 for tensions."""
    unknowns, names = linear.unknowns, linear.model.names
    labels: list[str] = []
    group = np.full(unknowns.size, -1)

    def put(label: str, rows: Any) -> None:
        rows = np.asarray(rows)
        rows = rows[rows >= 0]
        if rows.size:
            group[rows] = len(labels)
            labels.append(label)

    for k, body in enumerate(names.bodies):
        for i, dof in enumerate(DOFS):
            put(f"{body} {dof}", unknowns.body[k, i])
    _put_nets(linear, put)
    for j, point in enumerate(names.points[: linear.n_points]):
        for i in range(len(AXES)):
            along = linear.model.points.frame[j, i]
            put(f"{point} {AXES[int(np.argmax(np.abs(along)))]}", unknowns.point[j, i])
    for k, line in enumerate(linear.equilibrium.model.names.lines):
        nodes = slice(unknowns.mesh.node_start[k], unknowns.mesh.node_start[k + 1])
        for i, axis in enumerate(AXES):
            put(f"{line} {axis}", unknowns.inner[nodes, i])
    return labels, group


def _put_nets(linear: Linearised, put: Callable[[str, Any], None]) -> None:
    """Nets as wholes by axis; knots that are points count with these."""
    if linear.nets is None:
        return
    nets, knot = linear.equilibrium.model.nets, linear.nets.knot
    for k, name in enumerate(nets.names):
        own = knot[int(nets.knot_start[k]) : int(nets.knot_start[k + 1])]
        own = own[own >= linear.n_points]
        for i, axis in enumerate(AXES):
            put(f"{name} {axis}", linear.unknowns.point[own, i])
