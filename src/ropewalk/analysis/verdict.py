"""Whether an equilibrium of bodies is stable: the smallest eigenvalue of its tangent, and the way it would go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_loads import current_on
from ropewalk.analysis.hydrostatics import hydrostatic_stiffness
from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_FOIL
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix
from ropewalk.physics.rigidbody import arm_matrix

# of gravity per metre: eigenvalues nearer to zero (periods above an hour and a half) are of motions that nothing
# resists, such as yaw and drift
NEUTRAL = 1e-7
# 1/s, of bodies with foils: a motion that nothing resists is a double eigenvalue, which small errors of a tangent split
SLOW = 0.02
# of a point, whose mass does not change the sign of an eigenvalue: kg, or this share of the heaviest free body if that
# is less: of buoys in a tank all masses are smaller
LIGHTEST, LIGHTER = 1e-3, 1e-3
THIN = 1e-4  # radius of gyration squared, least, of the size of a body squared, or m2 if it is larger than 1 m
NOTHING = 1e-300  # m, m/s: keeps ratios finite
PUSHES = 1e-6  # of the largest tension or compression: less is what Newton's method leaves
SHOWN = 0.3  # of the largest: smaller parts of a motion are not named
MOTIONS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


class Verdict(NamedTuple):
    """How an equilibrium answers to a push."""

    stable: bool  # no motion grows; one that nothing resists does not count
    neutral: int  # number of motions that nothing resists
    smallest: float  # eigenvalue of the tangent by the mass, 1/s2; that of the neutral motions left out
    direction: dict[str, list[float]]  # by body: surge to yaw of the motion with it, m and rad, the largest 1
    buckles: str = ""  # of lines in compression that give way: which, and what moves; see compression.py

    @property
    def sentence(self) -> str:
        """In words."""
        if self.buckles:
            return f"unstable: {self.buckles}, growth rate {np.sqrt(-self.smallest):.3g} 1/s"
        if not self.stable:
            return f"unstable in {self._way()}: growth rate {np.sqrt(-self.smallest):.3g} 1/s"
        modes = "mode" if self.neutral == 1 else "modes"
        rest = f"; {self.neutral} neutral {modes}" if self.neutral else ""
        return f"stable equilibrium{rest}"

    def _way(self) -> str:
        parts = [
            (abs(v), f"{MOTIONS[i]} of '{name}'") for name, six in self.direction.items() for i, v in enumerate(six)
        ]
        return ", ".join(text for size, text in sorted(parts, reverse=True) if size >= SHOWN)


def verdict(model: Model, state: State, stiffness: Array | None) -> Verdict | None:
    """Stability of the equilibrium `state`; None if no body can move, and with nets, whose tangent is not known.

    One body alone: stiffness of its lines (n_bodies, 6, 6), hull and weight. Without that, several, or linked ones:
    the tangent of the mixed elements on that state. Drag is taken as it is at rest. Lift has no potential, so where
    foils meet a current the damping of the bodies by the flow counts too.
    """
    free = np.flatnonzero(model.bodies.joint == LOOSE)
    if free.size == 0 or model.nets.names:
        return None
    if free.size == 1 and stiffness is not None and not model.links.names and not _flies(model):
        k = int(free[0])
        K: Array = stiffness[k] + hydrostatic_stiffness(model, state, k) + model.bodies.stiffness[k]
        return _judge(model, K, body_mass(model, state, k), [k], 0)
    from ropewalk.methods.mixed import MixedFemStatics

    K, hold = MixedFemStatics().tangent(model, state)
    n = K.shape[0] - 6 * free.size
    M = np.zeros(K.shape)
    M[:n, :n] = least_mass(model) * np.eye(n)
    for i, body in enumerate(free):
        own = slice(n + 6 * i, n + 6 * i + 6)
        M[own, own] = body_mass(model, state, int(body))
    if _flies(model) and not hold.size:
        return _judge_in_flow(model, state, K, M, n)
    return _judge(model, K, M, [int(body) for body in free], n, hold)


def _flies(model: Model) -> bool:
    """True if a foil of a free body meets a current."""
    hulls, sea = model.bodies.hulls, model.sea
    own = (hulls.kind == HULL_FOIL) & (model.bodies.joint[hulls.body] == LOOSE)
    return bool(np.any(own)) and sea.current_speed > 0.0 and sea.water_density > 0.0


def _judge_in_flow(model: Model, state: State, K: Array, M: Array, n: int) -> Verdict:
    """By the fastest growing motion of the bodies, with their drag and added mass.

    Lines follow without delay, so they are damped as if they moved in proportion to s from their other end.
    """
    from ropewalk.assembly.mesh import build_mesh
    from ropewalk.methods.linear import body_terms

    free, B, M = np.flatnonzero(model.bodies.joint == LOOSE), np.zeros(K.shape), M.copy()
    bodies = build_mesh(model).bodies
    for i, k in enumerate(free):
        own = slice(n + 6 * i, n + 6 * i + 6)
        terms = body_terms(model, bodies, int(k), state.body_position[k], state.body_quaternion[k])
        B[own, own], M[own, own] = terms.B + terms.drag, terms.M + least_mass(model) * np.eye(6)
        B[own, own] += _line_damping(model, state, int(k))
    size = K.shape[0]
    rates = np.block([[np.zeros((size, size)), np.eye(size)], [-np.linalg.solve(M, K), -np.linalg.solve(M, B)]])
    values, vectors = np.linalg.eig(rates)
    worst = int(np.argmax(values.real))
    growth = float(values[worst].real)
    motion = vectors[n:size, worst].real
    motion = motion / max(float(np.abs(motion).max(initial=0.0)), 1e-300)
    names = model.names.bodies
    return Verdict(
        stable=growth <= SLOW,
        neutral=int(np.count_nonzero(np.abs(values) <= np.sqrt(NEUTRAL * max(model.sea.gravity, 1.0)))),
        smallest=-growth * abs(growth),
        direction={names[k]: motion[6 * i : 6 * i + 6].tolist() for i, k in enumerate(free)},
    )


def _line_damping(model: Model, state: State, k: int) -> Array:
    """(6, 6) drag of the lines on body k about the current, by its own motion, N s/m and so on."""
    lines, sections, rho = model.lines, model.sections, model.sea.water_density
    R, total = rotation_matrix(state.body_quaternion[k]), np.zeros((6, 6))
    for i, side in np.argwhere((lines.end_kind == BODY) & (lines.end_index == k)):
        nodes = slice(int(state.start[i]), int(state.start[i + 1]))
        r, s = state.position[nodes], state.s[nodes]
        t = np.diff(r, axis=0) / np.maximum(np.linalg.norm(np.diff(r, axis=0), axis=1), NOTHING)[:, None]
        middle, length = 0.5 * (s[1:] + s[:-1]), float(s[-1])
        ends = np.cumsum(lines.piece_length[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])])
        piece = np.minimum(np.searchsorted(ends, middle), ends.size - 1)
        section = lines.piece_section[int(lines.piece_start[i]) + piece]
        share = (middle if side == 1 else length - middle) / length
        u = current_on(model, 0.5 * (r[1:] + r[:-1])) * (0.5 * (r[1:, 2:] + r[:-1, 2:]) < 0.0)
        along = np.sum(u * t, axis=1)
        across = u - along[:, None] * t
        speed = np.linalg.norm(across, axis=1)
        weight = 0.5 * rho * np.diff(s) * share**2
        P = np.eye(3) - t[:, :, None] * t[:, None, :]
        slant = across[:, :, None] * across[:, None, :] / np.maximum(speed, NOTHING)[:, None, None]
        D = (weight * sections.drag_normal[section])[:, None, None] * (speed[:, None, None] * P + slant)
        D += (2.0 * weight * sections.drag_tangential[section] * np.abs(along))[:, None, None] * (np.eye(3) - P)
        J = arm_matrix(R @ lines.end_offset[i, side])
        total += J.T @ D.sum(axis=0) @ J
    return total


def pushes(model: Model, state: State) -> bool:
    """Whether a line is in compression, so that it may give way (compression.py); not known of systems with nets."""
    return (
        bool(np.any(model.sections.compression)) and not model.nets.names and bool(np.any(largest_push(model, state)))
    )


def largest_push(model: Model, state: State) -> Array:
    """(n_lines,) largest compression of the lines whose sections carry it, N; 0 of others, and of round-off."""
    lines = model.lines
    own = state.element_tension if state.element_tension.size else state.tension
    least = PUSHES * float(np.abs(own).max(initial=0.0))
    push = np.zeros(lines.length.size)
    for i in range(push.size):
        sections = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
        if np.any(model.sections.compression[sections]):
            most = -float(own[int(state.start[i]) : int(state.start[i + 1])].min(initial=0.0))
            push[i] = most if most > least else 0.0
    return push


def least_mass(model: Model) -> float:
    """Of a point or a body without mass, kg."""
    heaviest = float(np.max(model.bodies.mass, initial=0.0, where=model.bodies.joint == LOOSE))
    return min(LIGHTEST, LIGHTER * heaviest) if heaviest > 0.0 else LIGHTEST


def body_mass(model: Model, state: State, k: int) -> Array:
    """(6, 6) of body k about its origin, world axes."""
    bodies = model.bodies
    R = rotation_matrix(state.body_quaternion[k])
    m, (x, y, z) = max(float(bodies.mass[k]), least_mass(model)), R @ bodies.centre[k]
    S = m * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    c = np.array([x, y, z])
    J = R @ bodies.inertia[k] @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    size = bodies.hull_size(k)
    # a body given without inertia about an axis turns all the same
    least = THIN * m * (min(size, 1.0) ** 2 if size > 0.0 else 1.0)
    J = J + max(0.0, least - float(np.linalg.eigvalsh(J)[0])) * np.eye(3)
    return np.block([[m * np.eye(3), -S], [S, J]])


def _judge(model: Model, K: Array, M: Array, free: list[int], n: int, hold: Array | None = None) -> Verdict | None:
    """n : degrees of freedom before those of the bodies    hold : (rows, dofs) what links forbid"""
    basis = np.eye(K.shape[0])
    if hold is not None and hold.size:
        _, singular, vectors = np.linalg.svd(hold)
        rank = int(np.sum(singular > 1e-9 * singular[0]))  # a loop of links may say the same twice
        basis = vectors[rank:].T
    if not basis.shape[1]:  # links hold all
        return None
    values, vectors = np.linalg.eig(np.linalg.solve(basis.T @ M @ basis, basis.T @ K @ basis))
    real = values.real
    round_off = real.size * np.finfo(float).eps * float(np.abs(real).max(initial=0.0))
    floor = max(NEUTRAL * max(model.sea.gravity, 1.0), round_off)
    resisted = np.flatnonzero(np.abs(real) > floor)
    worst = int(resisted[np.argmin(real[resisted])]) if resisted.size else 0
    motion = (basis @ vectors[:, worst]).real[n:]
    motion = motion / max(float(np.abs(motion).max(initial=0.0)), 1e-300)
    names = model.names.bodies
    return Verdict(
        stable=bool(np.all(real > -floor)),
        neutral=int(real.size - resisted.size),
        smallest=float(real[worst]),
        direction={names[k]: motion[6 * i : 6 * i + 6].tolist() for i, k in enumerate(free)},
    )
