"""Sizes of nets from the places of their knots: mouth, projected area, volume."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints
from ropewalk.model.environment import Sea
from ropewalk.model.nets import Nets

STILL = 1e-6  # m/s: a net that moves no faster through still water has no flow to be projected along


class Measures(NamedTuple):
    """Sizes of every net."""

    mouth_area: Array  # (n_nets,) of the polygon of the upper edge, m2
    mouth_width: Array  # (n_nets,) between the ends of a panel's upper edge, or the widest across a cylinder's, m; 0 if
    # the net has no upper edge
    projected_area: Array  # (n_nets,) on a plane across the flow, every layer counted, m2
    volume: Array  # (n_nets,) inside a cylinder, its open ends closed by fans to their middle; 0 for panels, m3


def measure(nets: Nets, position: Array, flow: Array) -> Measures:
    """Measure all nets.  position : (k, 3) of the knots, m    flow : (n_nets, 3) unit vectors of the flow"""
    n = len(nets.names)
    out = Measures(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))
    for i in range(n):
        screens = nets.screen[nets.screen_start[i] : nets.screen_start[i + 1]]
        last = np.where(screens[:, 3] >= 0, screens[:, 3], screens[:, 2])
        a, b, c, d = (position[k] for k in (screens[:, 0], screens[:, 1], screens[:, 2], last))
        out.projected_area[i] = np.abs(0.5 * np.cross(c - a, d - b) @ flow[i]).sum()
        mouth = position[nets.mouth[nets.mouth_start[i] : nets.mouth_start[i + 1]]]
        out.mouth_area[i] = np.linalg.norm(0.5 * np.cross(mouth, np.roll(mouth, -1, axis=0)).sum(axis=0))
        edges = slice(int(nets.rim_start[i]), int(nets.rim_start[i + 1]))
        if nets.rim[edges].size:
            out.mouth_width[i] = max(float(np.linalg.norm(mouth - knot, axis=1).max()) for knot in mouth)
            sides = float((_six_volumes(a, b, c) + _six_volumes(a, c, d)).sum())
            ends = _six_volumes_of_lids(position[nets.rim[edges]], nets.rim_loop[edges])
            out.volume[i] = abs(sides + ends) / 6.0
        elif mouth.size:
            out.mouth_width[i] = np.linalg.norm(mouth[-1] - mouth[0])
    return out


def flow_direction(sea: Sea, velocity: Array | None = None) -> Array:
    """Unit vector of the flow past a net: along the current, else against its mean velocity, else +x.

    velocity : (k, 3) of its knots, m/s; the vertical part is left out
    """
    if sea.current_speed > 0.0:
        return np.array([math.cos(sea.current_heading), math.sin(sea.current_heading), 0.0])
    if velocity is not None:
        mean = velocity[:, :2].mean(axis=0)
        speed = float(np.linalg.norm(mean))
        if speed > STILL:
            return np.array([-mean[0] / speed, -mean[1] / speed, 0.0])
    return np.array([1.0, 0.0, 0.0])


def _six_volumes(a: Array, b: Array, c: Array) -> Array:
    """Six times the signed volumes between triangles and the origin, m3."""
    volumes: Array = np.einsum("ij,ij->i", a, np.cross(b, c))
    return volumes


def _six_volumes_of_lids(edges: Array, loop: Ints) -> float:
    """As `_six_volumes`, of open ends: triangles from their free edges to the middle of each.  edges : (e, 2, 3)"""
    total = 0.0
    for k in range(int(loop.max()) + 1):
        a, b = edges[loop == k].transpose(1, 0, 2)
        total += float(_six_volumes(b, a, np.broadcast_to(a.mean(axis=0), a.shape)).sum())
    return total
