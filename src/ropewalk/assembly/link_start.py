"""Before a run with links: bodies put together where statics begin, refused where a run begins as given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.errors import InputError, Problem
from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, HELD, LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_BAR, LINK_HINGE, LINK_JOINT, LINK_RIGID
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.motion import motion
from ropewalk.physics.rigidbody import arm_matrix

OPEN = 1e-6  # of the size of what is linked: printed digits pass
SWEEPS = 60  # of putting together, each a Newton step
CLOSED = 1e-12  # m
ORDER = ((2, 0), (2, 1), (0, 1))  # pairs of directions that stay square, as in assembly/links.py


def refuse_open_links(model: Model, state: State) -> None:
    """Raise InputError for links whose ends are apart in `state`, or whose parts are turned as they must not be."""
    problems = []
    state = _moved(model, state)
    for k, name in enumerate(model.links.names):
        if any(model.bodies.motion[b] >= 0 for b, kind in zip(*_ends(model, k), strict=True) if kind == BODY):
            continue  # turned by its motion as well; the first step brings it there
        miss = float(np.abs(_equations(model, state, k)[0]).max(initial=0.0))
        size = float(np.abs(model.links.offset[k]).max()) + float(model.links.length[k])
        if miss > OPEN * max(size, 1.0):
            problems.append(
                Problem(
                    f"link '{name}': its ends are {miss:.4g} m apart, or rotated by as much, at the start; "
                    "move the bodies together or start the run from equilibrium"
                )
            )
    if problems:
        raise InputError(problems)


def close_links(model: Model, state: State) -> State:
    """The state with linked free bodies put together, each moved as little as its share of the mass allows.

    Free points go along in joints by component; the ends of other links stay where they are. Each sweep is a Newton
    step of least motion in the mass norm; not numerics/newton.py, which takes no step that raises the closure error, as
    steps between turned bodies may.
    """
    if not model.links.names:
        return state
    state = _moved(model, state)
    free = [int(k) for k in np.flatnonzero(model.bodies.joint == LOOSE)]
    column = {k: 6 * i for i, k in enumerate(free)}
    slid = _sliding_points(model)
    at = {k: 6 * len(free) + 3 * i for i, k in enumerate(slid)}
    ease = np.concatenate([np.repeat(1.0 / np.maximum(model.bodies.mass[free], 1e-3), 6),
                           np.repeat(1.0 / np.maximum(model.points.mass[slid], 1e-3), 3)])  # fmt: skip
    for _ in range(SWEEPS if ease.size else 0):
        rows, misses = [], []
        for link in range(len(model.links.names)):
            c, by_end = _equations(model, state, link)
            C = np.zeros((c.size, ease.size))
            for side in range(2):
                part = int(model.links.end_index[link, side])
                if model.links.end_kind[link, side] == BODY:
                    if part in column:
                        C[:, column[part] : column[part] + 6] += by_end[side]
                elif part in at:
                    C[:, at[part] : at[part] + 3] += by_end[side][:, :3]
            rows.append(C)
            misses.append(c)
        c, C = np.concatenate(misses), np.concatenate(rows)
        if np.abs(c).max(initial=0.0) < CLOSED:
            break
        weighted = ease[:, None] * C.T
        move = -weighted @ np.linalg.lstsq(C @ weighted, c, rcond=None)[0]
        position, quaternion = state.body_position.copy(), state.body_quaternion.copy()
        for body, d in column.items():
            position[body] += move[d : d + 3]
            quaternion[body] = quaternion_product(quaternion_exp(move[d + 3 : d + 6]), quaternion[body])
        moved = state.point_position.copy()
        for point, d in at.items():
            moved[point] += move[d : d + 3]
        state = state._replace(body_position=position, body_quaternion=quaternion, point_position=moved)
    return state


def _sliding_points(model: Model) -> list[int]:
    """Free points at the ends of joints by component."""
    links = model.links
    ends = links.end_index[(links.end_kind != BODY) & (links.kind == LINK_JOINT)[:, None]]
    return sorted({int(k) for k in ends if np.all(model.points.joint[k] == FREE)})


def _ends(model: Model, link: int) -> tuple[Any, Any]:
    return model.links.end_index[link], model.links.end_kind[link]


def _moved(model: Model, state: State) -> State:
    """The state with prescribed points where they are at its time."""
    position, out = state.point_position.copy(), np.zeros((3, 3))
    for k, index in enumerate(model.points.motion):
        if index >= 0:
            motion(state.time, index, model.motions, out)
            position[k] = model.points.position[k] + out[0]
    return state._replace(point_position=position)


def _equations(model: Model, state: State, link: int) -> tuple[Array, tuple[Array, Array]]:
    """Closure error of a link (m) and its derivatives (rows, 6) by the moves and turns of the parts at its ends."""
    links = model.links
    turn, arm, place = [], [], []
    for side in range(2):
        k = links.end_index[link, side]
        on_body = links.end_kind[link, side] == BODY
        R = rotation_matrix(state.body_quaternion[k]) if on_body else np.eye(3)
        origin = state.body_position[k] if on_body else state.point_position[k]
        turn.append(R)
        arm.append(R @ links.offset[link, side])
        place.append(origin + arm[-1])
    d = place[0] - place[1]
    by = [arm_matrix(e) for e in arm]
    if links.kind[link] == LINK_BAR:
        span = max(float(np.linalg.norm(d)), CLOSED)
        along = (d / span)[None]
        return np.array([span - links.length[link]]), (along @ by[0], -along @ by[1])
    if links.kind[link] == LINK_JOINT:
        held = np.flatnonzero(links.axis.hold[3 * link : 3 * link + 3] == HELD)
        u = (turn[0] @ links.frame[link, 0].T).T[held]
        turned = np.concatenate([u @ by[0][:, :3], u @ by[0][:, 3:] + np.cross(u, d)], axis=1)
        return u @ d, (turned, -u @ by[1])
    c, first, second = [*d], [by[0]], [-by[1]]
    pairs = {LINK_RIGID: 3, LINK_HINGE: 2}.get(int(links.kind[link]), 0)
    for i, j in ORDER[:pairs]:
        u, w = turn[0] @ links.frame[link, 0, i], turn[1] @ links.frame[link, 1, j]
        c.append(u @ w)
        across = np.concatenate([np.zeros(3), np.cross(u, w)])[None]
        first.append(across)
        second.append(-across)
    return np.array(c), (np.vstack(first), np.vstack(second))
