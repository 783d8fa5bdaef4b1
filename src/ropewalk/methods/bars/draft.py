"""Nodes and bars while they are collected from a Model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE
from ropewalk.model.model import Model
from ropewalk.model.state import State

Lumping = Literal["halves", "outer"]

# columns of a node row and of a bar row while they are collected
NODE = ("mass", "volume", "drag_area", "added")
BAR = ("length", "compliance", "push", "rod", "area", "width", "drag_normal", "drag_tangential", "added_normal",
       "added_tangential", "contact_radius", "contact_width", "drag_law")  # fmt: skip
OWN = ("length", "compliance", "contact_radius", "contact_width")  # what is no part of a `Member`


@dataclass
class Draft:
    """Nodes and bars while they are collected."""

    model: Model
    state: State
    position: list[Array] = field(default_factory=list)
    velocity: list[Array] = field(default_factory=list)
    node: list[list[float]] = field(default_factory=list)  # NODE columns
    force: list[Array] = field(default_factory=list)
    point: list[int] = field(default_factory=list)  # point of the model that the node is, or -1
    fixed: list[bool] = field(default_factory=list)  # held without being a point
    motion: list[int] = field(default_factory=list)  # of nodes held by a body that moves, or -1
    arm: list[Array] = field(default_factory=list)  # of such nodes from the body's origin, m
    ends: list[tuple[int, int]] = field(default_factory=list)
    bar: list[list[float]] = field(default_factory=list)  # BAR columns
    owner: list[str] = field(default_factory=list)  # of each node, for messages
    bar_mass: list[float] = field(default_factory=list)  # of each node, kg
    footing: list[tuple[int, float, float]] = field(default_factory=list)  # columns of FOOTING
    of_point: dict[int, int] = field(default_factory=dict)  # node of a point of the model
    of_attachment: dict[int, int] = field(default_factory=dict)  # and of an attachment

    def add_node(self, position: Array, velocity: Array, owner: str, point: int = -1, fixed: bool = False,
                 motion: int = -1) -> int:  # fmt: skip
        """A node without mass; its number."""
        self.position.append(position)
        self.velocity.append(velocity)
        self.node.append([0.0] * len(NODE))
        self.force.append(np.zeros(3))
        self.point.append(point)
        self.fixed.append(fixed)
        self.motion.append(motion)
        self.arm.append(np.zeros(3))
        self.owner.append(owner)
        self.bar_mass.append(0.0)
        return len(self.position) - 1

    def point_node(self, k: int) -> int:
        """The node of point k, made at first use."""
        if k not in self.of_point:
            points, state = self.model.points, self.state
            node = self.add_node(state.point_position[k], state.point_velocity[k],
                                 f"point '{self.model.names.points[k]}'", point=k)  # fmt: skip
            values = (points.mass[k], points.volume[k], points.drag_area[k], points.added_mass[k])
            self.node[node] = [float(value) for value in values]
            self.force[node] = points.force[k] + (points.joint[k] == FREE) * points.axis[k]["pull"] @ points.frame[k]
            self.of_point[k] = node
        return self.of_point[k]

    def add_bar(self, a: int, b: int, row: list[float], mass: float, lumping: Lumping) -> None:
        """A bar from node a to b; `mass` (kg) goes to its ends, or to b alone."""
        self.ends.append((a, b))
        self.bar.append(row)
        for node, share in ((a, 0.5 if lumping == "halves" else 0.0), (b, 0.5 if lumping == "halves" else 1.0)):
            self.node[node][0] += share * mass
            self.bar_mass[node] += share * mass

    def add_rod(self, a: int, b: int, length: float) -> int:
        """A bar of a rigid body or a link: no mass, no volume, no drag, and it can push; its number.  length : m"""
        row = dict.fromkeys(BAR, 0.0) | {"length": length, "push": 1.0, "rod": 1.0}
        self.ends.append((a, b))
        self.bar.append(list(row.values()))
        return len(self.ends) - 1
