"""What is read of nets: knots, tensions, drag, areas."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.nets import Nets
from ropewalk.solvers.bars_work import BarsWork


class NetState(NamedTuple):
    """One net at a moment; knots and bars in the order of model.nets."""

    position: Array  # (k, 3) of the knots, m
    velocity: Array  # (k, 3) m/s
    tension: Array  # (m,) of the bars, all their twines together, N
    load: Array  # (3,) weight, buoyancy and forces of the water on its knots, what is fastened there included, N
    drag: float  # of `load`, along the current (along x without one), N
    projected_area: float  # of the netting on a plane across the current, every layer counted, m2
    mouth_area: float  # of the polygon of the upper edge, m2


def read_nets(model: Any, work: BarsWork) -> dict[str, NetState]:
    """All nets by name."""
    nets = model.nets
    if nets is None:
        return {}
    heading = work.medium.current_heading if work.medium.current_speed > 0.0 else 0.0
    flow = np.array([math.cos(heading), math.sin(heading), 0.0])
    return {name: _read(nets, i, work, flow) for i, name in enumerate(nets.names)}


def net_figures(model: Any, work: BarsWork) -> dict[str, dict[str, float]]:
    """Drag, areas and largest tension of all nets, for reports."""
    return {
        name: {
            "drag": net.drag,
            "projected_area": net.projected_area,
            "mouth_area": net.mouth_area,
            "max_tension": float(net.tension.max()),
        }
        for name, net in read_nets(model, work).items()
    }


def _read(nets: Nets, i: int, work: BarsWork, flow: Array) -> NetState:
    node = work.places.knot
    own = node[nets.knot_start[i] : nets.knot_start[i + 1]]
    bars = slice(int(work.places.net_bar_start[i]), int(work.places.net_bar_start[i + 1]))
    load = work.field.force[own].sum(axis=0)
    screens = nets.screen[nets.screen_start[i] : nets.screen_start[i + 1]]
    last = np.where(screens[:, 3] >= 0, screens[:, 3], screens[:, 2])
    a, b, c, d = (work.steps.r[node[k]] for k in (screens[:, 0], screens[:, 1], screens[:, 2], last))
    area = 0.5 * np.cross(c - a, d - b)
    rim = work.steps.r[node[nets.mouth[nets.mouth_start[i] : nets.mouth_start[i + 1]]]]
    mouth = 0.5 * np.cross(rim, np.roll(rim, -1, axis=0)).sum(axis=0)
    return NetState(
        position=work.steps.r[own],
        velocity=work.steps.v[own],
        tension=work.steps.tension[bars].copy(),
        load=load,
        drag=float(load @ flow),
        projected_area=float(np.abs(area @ flow).sum()),
        mouth_area=float(np.linalg.norm(mouth)),
    )
