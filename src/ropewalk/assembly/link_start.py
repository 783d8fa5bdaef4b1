"""Before a run with links: bodies put together where statics begin, refused where a run begins as given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.assembly.links import MOST_ROWS, LinkMesh, build_link_mesh, link_terms
from ropewalk.errors import InputError, Problem
from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.links import LINK_JOINT
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.numerics.blockelimination import ZERO3
from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
from ropewalk.physics.motion import motion
from ropewalk.physics.rigidbody import arm_matrix

OPEN = 1e-6  # of the size of what is linked: printed digits pass
SWEEPS = 60  # of putting together, each a Newton step
CLOSED = 1e-12  # m
NO_FORCES = (0.0,) * MOST_ROWS  # multipliers of a link, N


def refuse_open_links(model: Model, state: State) -> None:
    """Raise InputError for links whose ends are apart in `state`, or whose parts are turned as they must not be."""
    if not model.links.names:
        return
    problems, links = [], _plain_links(model)
    state = _moved(model, state)
    for k, name in enumerate(model.links.names):
        if any(model.bodies.motion[b] >= 0 for b, kind in zip(*_ends(model, k), strict=True) if kind == BODY):
            continue  # turned by its motion as well; the first step brings it there
        miss = float(np.abs(_equations(model, state, links, k)[0]).max(initial=0.0))
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
    state, links = _moved(model, state), _plain_links(model)
    free = [int(k) for k in np.flatnonzero(model.bodies.joint == LOOSE)]
    column = {k: 6 * i for i, k in enumerate(free)}
    slid = _sliding_points(model)
    at = {k: 6 * len(free) + 3 * i for i, k in enumerate(slid)}
    ease = np.concatenate([np.repeat(1.0 / np.maximum(model.bodies.mass[free], 1e-3), 6),
                           np.repeat(1.0 / np.maximum(model.points.mass[slid], 1e-3), 3)])  # fmt: skip
    for _ in range(SWEEPS if ease.size else 0):
        rows, misses = [], []
        for link in range(len(model.links.names)):
            c, by_end = _equations(model, state, links, link)
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


def _plain_links(model: Model) -> LinkMesh:
    """Links whose equations for turns are in radians."""
    one = np.ones(len(model.names.bodies))
    return build_link_mesh(model, one, one)


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


def _equations(model: Model, state: State, links: LinkMesh, k: int) -> tuple[Array, tuple[Array, Array]]:
    """Closure error of link k (m) and its derivatives (rows, 6) by the moves and turns of the parts at its ends."""
    ends, arms, link = [], [], links.link[k]
    for index, kind, offset in zip(*_ends(model, k), model.links.offset[k], strict=True):
        R = rotation_matrix(state.body_quaternion[index]) if kind == BODY else np.eye(3)
        origin = state.body_position[index] if kind == BODY else state.point_position[index]
        arm = R @ offset
        ends.append((tuple(R.ravel().tolist()), tuple((origin + arm).tolist()), tuple(arm.tolist()), ZERO3, ZERO3))
        arms.append(arm)
    link_terms(link, links.axis[3 * k : 3 * k + 3], tuple(ends), NO_FORCES, links.scratch)
    hold = links.scratch.hold[: link.n_rows].reshape(-1, 2, 2, 3)  # rows, ends, moves and turns of the end itself
    by = [own[:, 0] @ arm_matrix(arm) for own, arm in zip(hold.swapaxes(0, 1), arms, strict=True)]
    for side in range(2):
        by[side][:, 3:] += hold[:, side, 1]
    return links.scratch.gap[: link.n_rows].copy(), (by[0], by[1])
