"""Arrays of the links between bodies for the mixed elements.

A link has two rows after those of all bodies in the arrays of positions: the force and the moment of its multipliers on
its second end, in units of the link's force scale (so that they are of the size of lengths, as all of these rows are).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Records, records
from ropewalk.model.joints import HELD
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BALL, LINK_BAR, LINK_HINGE, LINK_RIGID
from ropewalk.model.model import Model

LINK = np.dtype(
    [
        ("kind", "i8"),  # of model/links.py
        ("end", "i8", (2,)),  # junction of either end, as lines count them
        ("body", "i8", (2,)),  # of either end, -1 on a point
        ("first_row", "i8"),  # of its equations
        ("n_rows", "i8"),
        ("arm", "f8", (2, 3)),  # of either end, in the body frame, m
        ("triad", "f8", (2, 3, 3)),  # three directions in the frame of either end
        ("length", "f8"),  # of a bar, m
        ("stiffness", "f8"),  # of a hinge, N m/rad
        ("damping", "f8"),  # of a hinge, N m s/rad
        ("turning", "f8", (3,)),  # of a ball, constants of `ball_moment` of loads/springs.py, N m
        ("friction", "f8"),  # of a joint, coefficient
        ("force_scale", "f8"),  # N
        ("extent", "f8"),  # m: a turn times it is a way
    ],
    align=True,
)

ROWS = {LINK_RIGID: 6, LINK_HINGE: 5, LINK_BALL: 3, LINK_BAR: 1}  # equations of each kind; of a joint its held axes


class LinkScratch(NamedTuple):
    """Room for one link at a time, filled by `link_terms`.

    Moves and turns of both ends are 12 numbers: p_A, theta_A, p_B, theta_B.
    """

    own: Array  # (12, 12) derivative of `wrench` by the moves and turns of both ends
    wrench: Array  # (12,) minus the forces (N) and moments (N m) on both ends
    hold: Array  # (6, 12) derivative of the equations by the same moves and turns
    gap: Array  # (6,) residuals of the equations, m
    lever: Array  # (12, 12) moves and turns of both ends per degree of freedom of their junctions


class LinkMesh(NamedTuple):
    """Links as kernels read them."""

    link: Records  # (n,) of LINK
    axis: Records  # (3 n,) of AXIS_LAW of model/springs.py, of joints
    scratch: LinkScratch
    miss: Array  # (1,) largest miss of an equation when the balance was last looked at, m; filled by `link_unbalance`


def link_rows(links: LinkMesh) -> int:
    """Number of equations of all links."""
    return int(np.sum(links.link.n_rows))


def build_link_mesh(model: Model, weight: Any, size: Any) -> LinkMesh:
    """Arrays of all links.

    weight, size : (n_bodies,) scales of the forces on (N) and the extent of (m) the bodies
    """
    links, n = model.links, len(model.links.names)
    made = records(n, LINK)
    if n:
        _fill_links(model, weight, size, made)
    return LinkMesh(
        link=made,
        axis=links.axis.copy(),
        scratch=LinkScratch(
            own=np.zeros((12, 12)),
            wrench=np.zeros(12),
            hold=np.zeros((6, 12)),
            gap=np.zeros(6),
            lever=np.zeros((12, 12)),
        ),
        miss=np.zeros(1),
    )


def _fill_links(model: Model, weight: Any, size: Any, made: Records) -> None:
    """What links are made of, into their rows (n,) of LINK."""
    links, n_points, n = model.links, len(model.names.points), made.size
    held = np.sum(links.axis.hold.reshape(-1, 3) == HELD, axis=1)
    rows = np.array([ROWS.get(int(kind), int(own)) for kind, own in zip(links.kind, held, strict=True)], dtype=np.int64)
    on_body = links.end_kind == BODY
    made.kind, made.first_row, made.n_rows = links.kind, np.cumsum(rows) - rows, rows
    made.end = links.end_index + np.where(on_body, n_points, 0)
    made.body = np.where(on_body, links.end_index, -1)
    made.arm, made.triad, made.length = links.offset.reshape(n, 2, 3), links.frame.reshape(n, 2, 3, 3), links.length
    made.stiffness, made.damping, made.friction = links.stiffness, links.damping, links.friction
    made.turning = links.turning
    for own in made:
        mine = [int(b) for b in own.body if b >= 0]
        own.force_scale, own.extent = max(weight[b] for b in mine), max(size[b] for b in mine)
