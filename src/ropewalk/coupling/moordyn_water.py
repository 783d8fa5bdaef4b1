"""Motion of the water given by the caller of the `moordyn` functions (WaveKin 1), at nodes in MoorDyn's order.

Nodes are those of lines, of rods, then points and bodies. What is given holds from its time on, the velocity changing
with the acceleration, until it is given anew; in between nodes it is linear along lines and rods, and a place beside
them has the water of the nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ropewalk.coupling.moordyn_instance import (
    SUCCESS,
    Instance,
    body_place,
    number,
    point_place,
    rod_nodes,
    takes,
)
from ropewalk.errors import InputError
from ropewalk.loads.sea import current_here
from ropewalk.model.arrays import Array
from ropewalk.physics.current_nodes import COLUMNS, nodes_field


class CallersWater:
    """Nodes at which a caller gives the motion of the water, and the field that it makes."""

    def __init__(self, instance: Instance) -> None:
        self.place, chains = nodes(instance)
        pairs = [(first + i, first + min(i + 1, n - 1)) for first, n in chains for i in range(max(1, n - 1))]
        self._ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self.function, self._table = nodes_field(len(pairs))
        self._sea = instance.running().model.sea  # with the current of the file, which acts beside the caller's water
        still = np.zeros_like(self.place)
        self.put(self.place, still, still, instance.running().time)

    def put(self, place: Array, velocity: Array, acceleration: Array, t: float) -> None:
        """What holds from t (s) on, at all nodes (n, 3)."""
        rows = self._table[1:].reshape(-1, COLUMNS)
        if self._sea.current_speed > 0.0:
            velocity = velocity + np.array([current_here(tuple(x), self._sea) for x in place])
        for column, values in enumerate((place, velocity, acceleration)):
            rows[:, 6 * column : 6 * column + 6] = values[self._ends].reshape(-1, 6)
        self._table[0] = t


def nodes(instance: Instance) -> tuple[Array, list[tuple[int, int]]]:
    """(n, 3) places of all nodes, m, and first node and number of each line, rod, point and body."""
    state = instance.state()
    rows = [state.position[state.start[k] : state.start[k + 1]] for k in range(len(instance.system.lines))]
    rows += [rod_nodes(instance, name)[0] for name in instance.rods]
    rows += [point_place(instance, place)[0][None] for _, place in sorted(instance.points.items())]
    rows += [body_place(instance, name)[None] for name in instance.bodies]
    first = np.cumsum([0, *(len(own) for own in rows)])
    chains = [(int(start), len(own)) for start, own in zip(first, rows, strict=False)]
    return np.concatenate([np.zeros((0, 3)), *rows]), chains


@takes("system")
def external_waves_init(instance: Instance) -> int:
    """Number of nodes at which the caller gives the motion of the water from now on; 0 without WaveKin 1."""
    coupled = instance.running()
    if not instance.takes_water:
        return 0
    if instance.water is None:
        instance.water = CallersWater(instance)
        coupled.flow(instance.water.function)
    return len(instance.water.place)


@takes("system")
def external_waves_number(instance: Instance) -> int:
    """That number; 0 before `external_waves_init`."""
    instance.running()
    return 0 if instance.water is None else len(instance.water.place)


@takes("system")
def external_waves_places(instance: Instance) -> list[list[float]]:
    """Where the nodes are, m."""
    if external_waves_number(instance) == 0:
        return []
    found: list[list[float]] = nodes(instance)[0].tolist()
    return found


@takes("system")
def external_waves_set(instance: Instance, velocity: Sequence[Any], acceleration: Sequence[Any], t: float) -> int:
    """Velocity (m/s) and acceleration (m/s2) of the water at the nodes, from t (s) on."""
    n = external_waves_number(instance)
    if n == 0:
        raise InputError(
            "the motion of the water cannot be given: call ExternalWaveKinInit first, of a file with WaveKin 1"
        )
    try:
        given = [np.array(rows, dtype=np.float64).ravel() for rows in (velocity, acceleration)]
    except (TypeError, ValueError):
        raise InputError("velocities and accelerations of the water must be lists of numbers") from None
    for what, values in zip(("velocities", "accelerations"), given, strict=True):
        if values.size != 3 * n:
            raise InputError(f"{values.size} numbers for {what} of the water were given; {n} nodes take {3 * n}")
        if not np.isfinite(values).all():
            raise InputError(f"{what} of the water are not all finite")
    assert instance.water is not None
    u, a = (values.reshape(-1, 3) for values in given)
    instance.water.put(nodes(instance)[0], u, a, number(t, "time"))
    return SUCCESS
