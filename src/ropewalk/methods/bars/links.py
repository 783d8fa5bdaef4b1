r"""Links between bodies of bars: what two bodies have in common are nodes.

A ball is one node that belongs to both parts, a hinge two on its axis, a rigid link three; a bar is a bar. A node has
the mass that either body puts there (bodies.py), so no solver needs a concept of links. The first part, the host, holds
such a node by three bars; the second, the guest, by three, two and one: distances between nodes in common are kept by
the host already, and redundant bars would leave tensions undetermined. Springs and dampers of hinges:
hinges.py; springs of balls: ties.py.

The force of a link on its guest is what the guest's part of these nodes needs beside its weight and its own bars,

.. math:: F = \sum_i \mu_i (a_i - g) - \sum T t .
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ropewalk.loads.springs import hinge_law
from ropewalk.methods.bars.arrays import LinkNodes
from ropewalk.methods.bars.draft import Draft
from ropewalk.methods.bars.hinges import HINGE_LAW, hinge_turn
from ropewalk.methods.bars.ties import PAIRS, Corners, tie_rows
from ropewalk.model.arrays import Array, Ints, Records, floats, frozen, ints, records
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BAR, LINK_HINGE, LINK_RIGID
from ropewalk.model.state import rotation_matrix

if TYPE_CHECKING:
    from ropewalk.methods.bars.work import BarsWork
    from ropewalk.model.model import Model

DIRECTIONS = {LINK_HINGE: (2,), LINK_RIGID: (2, 0)}  # of a link's triad: where its nodes beside the first are


class Grip(NamedTuple):
    """A point of a free body that a link needs."""

    place: Array  # (3,) in its frame, m
    node: int  # that of the other part; -1 for a new one
    firm: int  # how many of the grips just before hold it already, through the other part


class LinkDraft:
    """Links while bodies are made of nodes.

    hold : makes a node at a place of the world (m) that a body holds which is not free
    """

    def __init__(self, draft: Draft, model: Model, hold: Callable[[int, Array], int]) -> None:
        self.draft, self.model, self.hold = draft, model, hold
        self.nodes: dict[tuple[int, int], list[int]] = {}  # of a link's side
        self.masses: dict[tuple[int, int], list[float]] = {}  # of a free body at them, kg
        self.corner: dict[tuple[int, int], tuple[int, Array]] = {}  # node off the axis of a hinge, and its place, m
        self.hinge: Ints = ints([], (-1, 4))  # of Bars
        self.hinge_law: Records = frozen(records(0, HINGE_LAW))
        self.corners: dict[int, Corners] = {}  # of free bodies
        self.tie: Ints = ints([], (-1, 2))  # of Bars
        self.tie_stiffness: Array = floats([])

    def grips(self, k: int) -> list[Grip]:
        """What the links of free body k need, in the order of the file."""
        found = []
        for link, side in self._sides(k):
            shared = self.model.links.kind[link] != LINK_BAR and self._guest(link) == side
            there = self._nodes(link, 1 - side) if shared else []
            for i, place in enumerate(self._places(link, side)):
                found.append(Grip(place, there[i] if shared else -1, i if shared else 0))
        return found

    def keep(self, k: int, nodes: list[int], masses: list[float], corners: tuple[list[int], Array]) -> None:
        """Take note of the nodes and masses (kg) of the grips of body k, and of the corners of its tetrahedron."""
        begin = 0
        self.corners[k] = Corners(*corners)
        for link, side in self._sides(k):
            own = slice(begin, begin + len(self._places(link, side)))
            begin = own.stop
            self.nodes[link, side], self.masses[link, side] = nodes[own], masses[own]
            if self.model.links.kind[link] == LINK_HINGE:
                axis, offset = self.model.links.frame[link, side, 2], self.model.links.offset[link, side]
                off = np.linalg.norm(np.cross(corners[1] - offset, axis), axis=1)
                far = int(np.argmax(off))
                self.corner[link, side] = (corners[0][far], corners[1][far])

    def finish(self) -> tuple[LinkNodes, ...]:
        """Bars and laws of links; where the loads of links are read."""
        self.hinge, self.hinge_law = self._hinges()
        ties = self._ties()
        links, found = self.model.links, []
        for link in range(len(links.names)):
            if links.kind[link] == LINK_BAR:
                a, b = (self._nodes(link, side)[0] for side in range(2))
                bar = self.draft.add_rod(a, b, float(links.length[link]))
                found.append(LinkNodes((a, b), (0.0, 0.0), -1, 1.0, bar, -1))
                continue
            side = self._guest(link)
            guest, sign = int(links.end_index[link, side]), 1.0 if side == 1 else -1.0
            row = self._sprung().index(link) if link in self._sprung() else -1
            found.append(
                LinkNodes(
                    tuple(self.nodes[link, side]),
                    tuple(self.masses[link, side]),
                    guest,
                    sign,
                    -1,
                    row,
                    ties.get(link, slice(0, 0)),
                )
            )
        return tuple(found)

    def _hinges(self) -> tuple[Ints, Array]:
        """Nodes (k, 4) and laws (k,) of the hinges with a spring or a damper, the guest's corner last."""
        links, rows, laws = self.model.links, [], []
        for link in self._sprung():
            guest = self._guest(link)
            axis = self.nodes[link, guest]
            (a, first), (b, second) = self._off_axis(link, 1 - guest), self._off_axis(link, guest)
            rows.append([a, axis[0], axis[1], b])
            laws.append((links.stiffness[link], links.damping[link], second - first))
        return ints(rows, (-1, 4)), frozen(np.array(laws, dtype=HINGE_LAW).view(np.recarray))

    def _ties(self) -> dict[int, slice]:
        """Fills nodes and stiffness of the springs of balls; the rows of each."""
        links, found = self.model.links, {}
        rows: list[tuple[Ints, Array]] = []
        for link in np.flatnonzero(np.any(links.turning > 0.0, axis=1)):
            sides = (self._corners(int(link), 0), self._corners(int(link), 1))
            found[int(link)] = slice(len(PAIRS) * len(rows), len(PAIRS) * (len(rows) + 1))
            rows.append(tie_rows(sides, links.frame[link], links.turning[link]))
        self.tie = ints([pair for nodes, _ in rows for pair in nodes], (-1, 2))
        self.tie_stiffness = floats([k for _, stiffness in rows for k in stiffness])
        return found

    def _corners(self, link: int, side: int) -> Corners:
        """Nodes that move with a side of a ball; those of what is not free are made here."""
        if self._is_free(link, side):
            return self.corners[int(self.model.links.end_index[link, side])]
        places = self.model.links.offset[link, side] + self._size(link) * np.vstack([np.zeros(3), np.eye(3)])
        return Corners([self._hold(link, side, place) for place in places], places)

    def _sprung(self) -> list[int]:
        links = self.model.links
        return [int(k) for k in np.flatnonzero((links.stiffness > 0.0) | (links.damping > 0.0))]

    def _sides(self, k: int) -> list[tuple[int, int]]:
        """Links and sides of them on body k."""
        links = self.model.links
        return [(int(i), int(s)) for i, s in np.argwhere((links.end_kind == BODY) & (links.end_index == k))]

    def _is_free(self, link: int, side: int) -> bool:
        links, bodies = self.model.links, self.model.bodies
        return bool(links.end_kind[link, side] == BODY and bodies.joint[links.end_index[link, side]] == LOOSE)

    def _guest(self, link: int) -> int:
        """The side whose body comes to nodes that are there: a free one, and the later of two."""
        if not self._is_free(link, 1):
            return 0
        ends = self.model.links.end_index[link]
        return 1 if not self._is_free(link, 0) or ends[1] > ends[0] else 0

    def _size(self, link: int) -> float:
        """Distance of the nodes of a link from the first, m: the largest radius of gyration of what it connects."""
        links, bodies = self.model.links, self.model.bodies
        free = [int(links.end_index[link, side]) for side in range(2) if self._is_free(link, side)]
        return max(math.sqrt(float(np.trace(bodies.inertia[k])) / (2.0 * float(bodies.mass[k]))) for k in free) or 1.0

    def _places(self, link: int, side: int) -> list[Array]:
        """Places (3,) of the nodes of a link in the frame of a side, m."""
        links, size = self.model.links, self._size(link)
        offset, triad = links.offset[link, side], links.frame[link, side]
        return [offset, *(offset + size * triad[i] for i in DIRECTIONS.get(int(links.kind[link]), ()))]

    def _nodes(self, link: int, side: int) -> list[int]:
        """Nodes of a side; those on a point or on a body that is not free are made here."""
        if (link, side) not in self.nodes:
            places = self._places(link, side)
            links = self.model.links
            if links.end_kind[link, side] == BODY:
                self.nodes[link, side] = [self._hold(link, side, place) for place in places]
            else:
                first = self.draft.point_node(int(links.end_index[link, side]))
                self.nodes[link, side] = [first, *(self._hold(link, side, place) for place in places[1:])]
        return self.nodes[link, side]

    def _hold(self, link: int, side: int, place: Array) -> int:
        """A node held at a place of the frame of a point or of a body that is not free."""
        model = self.model
        k = int(model.links.end_index[link, side])
        if model.links.end_kind[link, side] == BODY:
            return self.hold(k, model.bodies.position[k] + rotation_matrix(model.bodies.quaternion[k]) @ place)
        owner, motion = f"point '{model.names.points[k]}'", int(model.points.motion[k])
        return self.draft.add_node(model.points.position[k] + place, np.zeros(3), owner, fixed=True, motion=motion)

    def _off_axis(self, link: int, side: int) -> tuple[int, float]:
        """A node of a side that is not on the axis, and its angle in the triad of that side, rad."""
        links = self.model.links
        offset, triad = links.offset[link, side], links.frame[link, side]
        if not self._is_free(link, side):
            return self._hold(link, side, offset + self._size(link) * triad[0]), 0.0
        node, place = self.corner[link, side]
        return node, math.atan2(float((place - offset) @ triad[1]), float((place - offset) @ triad[0]))


def link_loads(work: BarsWork) -> dict[str, Array]:
    """Force (N) of every link on its second end and moment (N m) on the part there: the link fields of a State."""
    links = work.places.links
    if not links:
        return {}
    pairs = [_bar_load(work, link) if link.bar >= 0 else _guest_load(work, link) for link in links]
    return {"link_force": np.array([force for force, _ in pairs]), "link_moment": np.array([turn for _, turn in pairs])}


def link_figures(model: Model, work: BarsWork) -> dict[str, Any]:
    """Forces of links by name for a report of statics; nothing where there are no links."""
    found = link_loads(work)
    return {"links": dict(zip(model.links.names, found["link_force"].tolist(), strict=True))} if found else {}


def _bar_load(work: BarsWork, link: LinkNodes) -> tuple[Array, Array]:
    force: Array = -work.steps.tension[link.bar] * work.field.direction[link.bar]
    return force, np.zeros(3)


def _guest_load(work: BarsWork, link: LinkNodes) -> tuple[Array, Array]:
    """Force and moment about the first node of a link that is no bar, on its second end."""
    bars, s, places = work.bars, work.steps, work.places
    own = places.body_node[int(places.body_start[link.guest]) : int(places.body_start[link.guest + 1])][:4]
    force, moment = np.zeros(3), np.zeros(3)
    for node, mass in zip(link.nodes, link.masses, strict=True):
        part = mass * (s.old_force[node] + work.medium.damping * s.v[node] + [0.0, 0.0, work.medium.gravity])
        for end, sign in ((0, 1.0), (1, -1.0)):
            mine = (bars.node[:, end] == node) & np.isin(bars.node[:, 1 - end], own)
            part = part - sign * s.tension[mine] @ work.field.direction[mine]
        force += part
        moment += np.cross(s.r[node] - s.r[link.nodes[0]], part)
    if link.hinge >= 0:
        row, law, gradient = bars.hinge[link.hinge], bars.hinge_law[link.hinge], np.zeros((4, 3))
        turn, rate = hinge_turn(row, law.zero, s.r, s.v, gradient)
        push = -hinge_law(law.stiffness, law.damping, turn, rate)[0] * gradient[3]
        force += push
        moment += np.cross(s.r[row[3]] - s.r[link.nodes[0]], push)
    for (a, b), k in zip(bars.tie[link.ties], bars.tie_stiffness[link.ties], strict=True):
        for node, other in ((a, b), (b, a)):
            if node in own:
                moment += np.cross(s.r[node] - s.r[link.nodes[0]], k * (s.r[other] - s.r[node]))
    return link.sign * force, link.sign * moment
