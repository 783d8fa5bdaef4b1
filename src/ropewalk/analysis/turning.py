r"""Whether lines in a rotating frame are stable where a method has put them.

A load that grows with the distance from an axis has several equilibria, and statics must not return one that the line
leaves at once: a slack line on the axis, two loops that balance each other. With held ends, an equilibrium is a minimum
of the potential energy if

.. math:: \sum_e \frac{T_e}{L_e} |(1 - t t^T) \Delta u|^2 - \sum_k m_k \omega^2 |u_k - (e \cdot u_k)\, e|^2 > 0

for all displacements u that keep the lengths of the elements. The Coriolis force does no work. Shooting has a criterion
of its own (methods/shooting/branches.py); this one needs only the nodes and tensions of a state.
"""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, ROTATING
from ropewalk.model.model import Model
from ropewalk.model.profiles import means_between
from ropewalk.model.state import State

STIFF = 1e6  # times the largest tension over length, against changes of length
LESS = 0.99  # of the rotating load: a motion that nothing resists, such as that about the axis, does not count
REST = 1e-9  # of an element's stiffness, of a part that nothing holds


def overturned(model: Model, state: State) -> str:
    """A sentence about the first line in a rotating frame that is unstable, empty if there is none."""
    for i in range(model.lines.length.size):
        own = slice(int(model.lines.load_start[i]), int(model.lines.load_start[i + 1]))
        if np.any(model.lines.load_kind[own] == ROTATING) and _is_held(model, i) and _falls(model, state, i) > 0:
            return f"line '{model.names.lines[i]}' in its rotating frame: the equilibrium found is unstable"
    return ""


def _is_held(model: Model, i: int) -> bool:
    """True if both ends are held in every way, and the line runs over nothing."""
    lines, points = model.lines, model.points
    if lines.over_start[i] != lines.over_start[i + 1]:
        return False
    for kind, k in zip(lines.end_kind[i], lines.end_index[i], strict=True):
        held = model.bodies.joint[k] != LOOSE if kind == BODY else np.all(points.joint[k] == HELD)
        if not (held or (kind != BODY and points.motion[k] >= 0)):
            return False
    return True


def _falls(model: Model, state: State, i: int) -> int:
    """Number of independent displacements of line i that lower its energy, by the signs of pivots."""
    nodes = slice(int(state.start[i]), int(state.start[i + 1]))
    r, s, n = state.position[nodes], state.s[nodes], state.tension[nodes]
    long = np.diff(s)
    keep = np.append(True, long > 0.0)
    r, s, n, long = r[keep], s[keep], n[keep], long[long > 0.0]
    T = state.element_tension[nodes][: long.size] if state.element_tension.size == state.s.size else None
    T = 0.5 * (n[1:] + n[:-1]) if T is None or T.size != long.size else T
    load, turn = _mass_and_turn(model, i, s, r)
    T = np.maximum(T, 0.5 * load * long)  # what an element that hangs carries on the average
    chord = np.diff(r, axis=0)
    t = chord / np.maximum(np.linalg.norm(chord, axis=1), 1e-300)[:, None]
    along = t[:, :, None] * t[:, None, :]
    stiff = STIFF * max(float(T.max()), 1e-300) / long
    K = (T / long)[:, None, None] * (np.eye(3) - along) + stiff[:, None, None] * along
    share = 0.5 * long[:, None, None] * turn
    pivot: Array = np.zeros((3, 3))
    below = 0
    for k in range(1, long.size):  # inner nodes
        before = K[k - 1] @ np.linalg.solve(pivot, K[k - 1]) if k > 1 else 0.0
        pivot = K[k - 1] + K[k] - share[k - 1] - share[k] - before
        pivot = 0.5 * (pivot + pivot.T)
        values = np.linalg.eigvalsh(pivot)
        below += int(np.sum(values < -REST * stiff[k] / STIFF))
    return below


def _mass_and_turn(model: Model, i: int, s: Array, r: Array) -> tuple[Array, Array]:
    """Of the elements between nodes: size of their load (N/m), and the rotating load by place (n, 3, 3), N/m2."""
    lines, sea = model.lines, model.sea
    own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
    ends = np.cumsum(lines.piece_length[own])
    piece = np.minimum(np.searchsorted(ends, 0.5 * (s[1:] + s[:-1])), ends.size - 1)
    of = means_between(model.sections, model.profiles, lines.piece_section[own][piece], s[:-1], s[1:])
    turn: Array = np.zeros((s.size - 1, 3, 3))
    force: Array = np.zeros((s.size - 1, 3))
    force[:, 2] = -sea.gravity * (of.mass - sea.water_density * of.area * (0.5 * (r[1:, 2] + r[:-1, 2]) < 0.0))
    for k in range(int(lines.load_start[i]), int(lines.load_start[i + 1])):
        if lines.load_kind[k] == ROTATING:
            across = np.eye(3) - np.outer(lines.load_axis[k], lines.load_axis[k])
            one = LESS * of.mass[:, None, None] * lines.load_value[k] ** 2 * across
            turn += one
            force += np.einsum("nij,nj->ni", one, 0.5 * (r[1:] + r[:-1]) - lines.load_origin[k])
    return np.linalg.norm(force, axis=1), turn
