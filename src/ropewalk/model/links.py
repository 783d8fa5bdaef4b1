"""Arrays of the links between bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, Records, floats, ints, joined, records
from ropewalk.model.bodies import Bodies
from ropewalk.model.joints import Points
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.springs import AXIS_LAW, build_law
from ropewalk.spec import links as spec
from ropewalk.spec.bodies import Body

LINK_RIGID, LINK_HINGE, LINK_BALL, LINK_BAR, LINK_JOINT = 0, 1, 2, 3, 4

_KINDS = {"rigid": LINK_RIGID, "hinge": LINK_HINGE, "ball": LINK_BALL, "bar": LINK_BAR, "joint": LINK_JOINT}


class Links(NamedTuple):
    """Rigid connections; the first end is always on a body."""

    names: tuple[str, ...]
    kind: Ints  # (n,) LINK_RIGID, LINK_HINGE, LINK_BALL, LINK_BAR or LINK_JOINT
    end_kind: Ints  # (n, 2) POINT or BODY
    end_index: Ints  # (n, 2) which point or body
    offset: Array  # (n, 2, 3) in the body frame, m; 0 on a point
    frame: Array  # (n, 2, 3, 3) rows: the same three directions in the frame of either end; the third is a hinge's axis
    length: Array  # (n,) of bars, m
    stiffness: Array  # (n,) of hinges, N m/rad
    damping: Array  # (n,) of hinges, N m s/rad
    turning: Array  # (n, 3) of balls with a spring: constants of `ball_moment` along the directions of `frame`, N m
    axis: Records  # (3 n,) of AXIS_LAW of model/springs.py: along the directions of `frame`, of joints
    friction: Array  # (n,) coefficient on the force across the slide of a joint


def build_links(
    links: Mapping[str, spec.Link], specs: Mapping[str, Body], points: Points, bodies: Bodies, point_names: list[str]
) -> Links:
    """Arrays of all links, in the order of the file."""
    from ropewalk.model.state import rotation_matrix  # State is built of the Model, so it is looked up when used

    body_names = list(specs)
    kinds, indices, offsets, frames, lengths = [], [], [], [], []
    for link in links.values():
        kind, index, offset, place, turn = [], [], [], [], []
        for end in link.between:
            part, _, attachment = end.partition(".")
            if attachment:
                k = body_names.index(part)
                kind.append(BODY)
                offset.append(specs[part].attachments[attachment])
                turn.append(rotation_matrix(bodies.quaternion[k]))
                place.append(bodies.position[k] + turn[-1] @ np.array(offset[-1]))
            else:
                k = point_names.index(part)
                kind.append(POINT)
                offset.append((0.0, 0.0, 0.0))
                turn.append(np.eye(3))
                place.append(points.position[k])
            index.append(k)
        axes = _triad(turn[0] @ np.array(link.axis)) if isinstance(link, spec.HingeLink) else np.eye(3)
        if isinstance(link, spec.JointLink | spec.BallLink):  # its directions are those of the first body
            axes = (np.eye(3) if link.frame is None else np.array(link.frame)) @ turn[0].T
        kinds.append(kind)
        indices.append(index)
        offsets.append(offset)
        frames.append([axes @ R for R in turn])
        given = link.length if isinstance(link, spec.BarLink) else None
        lengths.append(given if given is not None else float(np.linalg.norm(place[1] - place[0])))
    hinges = [link if isinstance(link, spec.HingeLink) else None for link in links.values()]
    return Links(
        names=tuple(links),
        kind=ints([_KINDS[link.kind] for link in links.values()]),
        end_kind=ints(kinds, (-1, 2)),
        end_index=ints(indices, (-1, 2)),
        offset=floats(offsets, (-1, 2, 3)),
        frame=floats(frames, (-1, 2, 3, 3)),
        length=floats(lengths),
        stiffness=floats([hinge.stiffness if hinge else 0.0 for hinge in hinges]),
        damping=floats([hinge.damping if hinge else 0.0 for hinge in hinges]),
        turning=floats([_turning(link) for link in links.values()], (-1, 3)),
        axis=joined([_laws(link) for link in links.values()], AXIS_LAW),
        friction=floats(
            [link.friction_coefficient if isinstance(link, spec.JointLink) else 0.0 for link in links.values()]
        ),
    )


def _turning(link: spec.Link) -> Array:
    """(3,) constants c_i of the spring of a ball joint, N m; those of the other two axes act about an axis."""
    k = np.array(link.stiffnesses if isinstance(link, spec.BallLink) else (0.0, 0.0, 0.0))
    constants: Array = np.maximum(0.5 * (k.sum() - 2.0 * k), 0.0)
    return constants


def _laws(link: spec.Link) -> Records:
    """(3,) of AXIS_LAW; unused for links other than joints by component."""
    if not isinstance(link, spec.JointLink):
        return records(3, AXIS_LAW)
    return joined([build_law(axis) for axis in (link.axes.x, link.axes.y, link.axes.z)], AXIS_LAW)


def _triad(axis: Array) -> Array:
    """(3, 3) rows: two directions across the axis, and the axis; right-handed."""
    n = axis / np.linalg.norm(axis)
    across = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    across /= np.linalg.norm(across)
    triad: Array = np.stack([across, np.cross(n, across), n])
    return triad
