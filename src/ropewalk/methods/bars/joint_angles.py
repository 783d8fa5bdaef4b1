r"""Ropes of rigid bars in the joint angles of [Otto2022], as published: two angles per bar, and their pole.

The mechanics are those of `recursive`, in other coordinates and with the same steps, eqs. (4.4)-(4.5). Each bar has a
frame; that of bar i is that of its predecessor turned by al about x, then by be about y, and the bar points along its
-z. Accelerations follow from the O(n) recursion of sec. 4.5.2 (6 x 6 articulated masses) or from the dense system
:math:`(\sum J^T M J)\, \ddot q = \sum J^T (F - M c)`. Both are singular at be = +-90 degrees, where tree.py, which the
solver `recursive` uses, is not.

A reference to compare with: it is not compiled, and bars must stay away from the pole of their angles, where they lie
along the x axis of the frame of the bar before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import energies
from ropewalk.methods.bars.ledger import book_step, kept, put_back
from ropewalk.methods.bars.loads import loads, supports
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.time import BarsInTime
from ropewalk.methods.bars.tree import Tree, build_tree
from ropewalk.methods.bars.work import BarsWork, refresh, strains
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.joints import HELD
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import State

POLE = 0.02  # cosine of be: accelerations of al grow as its inverse, and their error as its square
STATE_ARRAYS = ("angle", "rate")


@dataclass(frozen=True)
class JointAngles(BarsInTime):
    """Rigid bars in two joint angles each, the form as published.

    step : s; unless given, `step_share` of a third of the stability bound    damping : 1/s, mass-proportional
    lumping : of a bar's mass, 'halves' to its ends or all to the 'outer' one
    form : 'recursive', in O(n), [Otto2022], sec. 4.5.2; or 'dense', the non-recursive one of sec. 4.5.1
    """

    step: float | None = None
    step_share: float = 1.0
    damping: float = 0.0
    lumping: Lumping = "halves"
    form: Literal["recursive", "dense"] = "recursive"

    name: ClassVar[str] = "joint_angles"
    claims: ClassVar[frozenset[Claim]] = Recursive.claims - {
        Claim.BODIES, Claim.HULL_LOADS, Claim.LINKS, Claim.NETS,
    }  # fmt: skip

    @staticmethod
    def check(model: Model) -> None:
        """Refuse lines that are held at both ends, which close a loop: the claims are too coarse for that."""
        lines, held = model.lines, np.all(model.points.joint == HELD, axis=1)
        for i, name in enumerate(model.names.lines):
            ends = [
                kind == BODY or bool(held[k]) for kind, k in zip(lines.end_kind[i], lines.end_index[i], strict=True)
            ]
            if all(ends):
                raise InputError(f"joint_angles: line '{name}' is held at both ends; use the solver 'recursive'")

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines into bars, lay a tree through them and find its angles."""
        work = self._begin(model, state)
        self.check(model)
        tree, bars = build_tree(work.bars), work.bars
        if tree.loop.size:
            raise InputError(f"joint_angles: {tree.loop.size} bars close loops; use the solver 'recursive'")
        if not np.all(bars.held[tree.root]):
            raise InputError("joint_angles: a line is not attached to a support; use the solver 'recursive'")
        inner = _bars_before(tree)
        direction = tree.sign[:, None] * work.field.direction[tree.bar]
        angle = angles_of(direction, inner)
        speed = work.steps.v[tree.outer] - work.steps.v[tree.inner]
        work.own = {"tree": tree, "inner": inner, "angle": angle, "steps": 0,
                    "rate": _rates_of(angle, speed, bars.length[tree.bar], inner)}  # fmt: skip
        if _nearest_pole(angle) < POLE:
            raise InputError(
                f"joint_angles: {self._where(work)} at the start; use the solver 'recursive', without poles"
            )
        self._place(work, work.time)
        self._accelerations(work)
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Step to t."""
        own, n = work.own, self._steps_to(work, t)
        h = (t - work.time) / n if n else 0.0
        end = self._accelerations(work)
        for _ in range(n):
            q, dq, first = own["angle"].copy(), own["rate"].copy(), end
            for mean in (None, first):  # predictor, corrector
                a = first if mean is None else 0.5 * (first + self._accelerations(work))
                own["angle"], own["rate"] = q + h * dq + 0.5 * h * h * a, dq + h * a
                self._place(work, work.time + h)
            work.time += h
            own["steps"] += 1
            if not np.all(np.isfinite(own["rate"])) or _nearest_pole(own["angle"]) < POLE:
                message = (
                    f"{self._where(work)} at t = {work.time:.6g} s; use the solver 'recursive', which has no poles"
                )
                return Report(status=Status.NOT_CONVERGED, message=message, iterations=own["steps"])
            end = self._accelerations(work)
            book_step(work.bars, work.field, work.steps.tension, work.steps.r, work.steps.v)
        work.time = t
        figures: dict[str, Any] = {
            "energy": energies(work),
            "steps": own["steps"],
            "largest_strain": float(np.abs(strains(work)).max()),
        }
        return Report(iterations=own["steps"], figures=figures)

    def _where(self, work: BarsWork) -> str:
        """Where the angles fail, in words."""
        k = int(np.argmin(np.abs(np.cos(work.own["angle"][:, 1]))))
        bend = np.degrees(work.own["angle"][k, 1])
        limit = np.degrees(np.arcsin(POLE))
        return (
            f"the second angle of bar {k} of the tree is {bend:.4g} deg, within {limit:.2g} deg of the pole at 90 deg"
        )

    def _place(self, work: BarsWork, t: float) -> None:
        """Positions and velocities of the nodes from the angles, supports and water at time t (s)."""
        tree, s, own = work.own["tree"], work.steps, work.own
        supports(work.bars, work.motions, t, s.r, s.v, s.acceleration)
        rho, joint, _ = _kinematics(own["angle"], own["rate"], work.bars.length[tree.bar], own["inner"])
        twist = _twists(rho, joint, own["rate"], own["inner"])
        for k, (i, p) in enumerate(zip(tree.outer, tree.inner, strict=True)):
            s.r[i] = s.r[p] + rho[k]
            s.v[i] = s.v[_root(tree, k)] + twist[k, :3]
        now = work.time
        work.time = t
        refresh(work)
        work.time = now

    def _accelerations(self, work: BarsWork) -> Array:
        """(b, 2) of the angles at the present state; tensions and accelerations of the nodes into `work`."""
        tree, s, field, own = work.own["tree"], work.steps, work.field, work.own
        loads(work.bars, work.medium, field, s.r, s.v)
        length, inner = work.bars.length[tree.bar], own["inner"]
        root = np.array([_root(tree, k) for k in range(tree.bar.size)])
        # in the frame of a support that accelerates, the inertia of the nodes is a force
        mass, base = field.inertia[tree.outer], s.acceleration[root]
        force = field.force[tree.outer] - np.einsum("kij,kj->ki", mass, base)
        form = recursive_accelerations if self.form == "recursive" else dense_accelerations
        found = form(own["angle"], own["rate"], length, inner, mass, force)
        rho, joint, product = _kinematics(own["angle"], own["rate"], length, inner)
        s.old_force[work.bars.held] = s.acceleration[work.bars.held]
        s.old_force[tree.outer] = base + _twists(rho, joint, found, inner, product)[:, :3]
        pull = field.force[tree.outer] - np.einsum("kij,kj->ki", mass, s.old_force[tree.outer])
        for k in range(tree.bar.size - 1, -1, -1):  # what hangs on a bar pulls at it, less its inertia
            s.tension[tree.bar[k]] = pull[k] @ rho[k] / length[k]
            if inner[k] >= 0:
                pull[inner[k]] += pull[k]
        return found

    def snapshot(self, work: BarsWork) -> dict[str, np.ndarray | float | int]:
        """What a run needs to go on to the same bits."""
        arrays = {name: work.own[name].copy() for name in STATE_ARRAYS} | kept(work.field.book)
        return {**arrays, "time": work.time, "steps": work.own["steps"], "mobility": work.steps.mobility.copy()}

    def restore(self, model: Model, snapshot: dict[str, np.ndarray | float | int]) -> BarsWork:
        """Memory from a snapshot."""
        work = self._anew(model, float(snapshot["time"]))
        work.time, work.own["steps"] = float(snapshot["time"]), int(snapshot["steps"])
        for name in STATE_ARRAYS:
            work.own[name] = np.array(snapshot[name])
        work.steps.mobility[:] = snapshot["mobility"]
        put_back(work.field.book, snapshot)
        self._place(work, work.time)
        self._accelerations(work)
        return work


def _bars_before(tree: Tree) -> Ints:
    """(b,) position in the tree of the bar before each, -1 at a support."""
    at = {int(node): k for k, node in enumerate(tree.outer)}
    return np.array([at.get(int(node), -1) for node in tree.inner], dtype=np.int64)


def _root(tree: Tree, k: int) -> int:
    """Node of the support that bar k of the tree hangs on."""
    at = {int(node): j for j, node in enumerate(tree.outer)}
    node = int(tree.inner[k])
    while node in at:
        node = int(tree.inner[at[node]])
    return node


def _kinematics(q: Array, dq: Array, length: Array, inner: Ints) -> tuple[Array, Array, Array]:
    """Vectors of the bars (b, 3), joint matrices (b, 6, 2) and velocity products (b, 6)."""
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner, rho, joint, product)
    return rho, joint, product


def _twists(rho: Array, joint: Array, rate: Array, inner: Ints, product: Array | None = None) -> Array:
    """(b, 6) linear and angular velocities of the outer nodes relative to their support, or accelerations."""
    out: Array = np.zeros((rho.shape[0], 6))
    for k, p in enumerate(inner):
        out[k] = joint[k] @ rate[k] + (0.0 if product is None else product[k])
        if p >= 0:
            out[k] += shift(rho[k]) @ out[p]
    return out


def _rates_of(q: Array, speed: Array, length: Array, inner: Ints) -> Array:
    """(b, 2) rates of the angles from the velocity (b, 3) of the outer end of each bar relative to its inner one."""
    rho, joint, _ = _kinematics(q, np.zeros_like(q), length, inner)
    rate, spin = np.zeros_like(q), np.zeros((length.size, 3))
    for k, p in enumerate(inner):
        before = spin[p] if p >= 0 else np.zeros(3)
        rate[k] = np.linalg.lstsq(joint[k, :3], speed[k] - np.cross(before, rho[k]), rcond=None)[0]
        spin[k] = before + joint[k, 3:] @ rate[k]
    return rate


def _nearest_pole(q: Array) -> float:
    """Smallest cosine of the second angles."""
    return float(np.abs(np.cos(q[:, 1])).min(initial=1.0))


def angles_of(direction: Array, inner_bar: Ints) -> Array:
    """Angles (b, 2) of bars with unit directions (b, 3) from the roots outwards.

    inner_bar : (b,) bar before each, -1 at a support
    """
    frames: list[Array] = []
    angles: Array = np.zeros((direction.shape[0], 2))
    for k, d in enumerate(direction):
        frame = frames[int(inner_bar[k])] if inner_bar[k] >= 0 else np.eye(3)
        x, y, z = frame.T @ -d
        # -bar = (sin be, -sin al cos be, cos al cos be), with cos be positive
        angles[k] = np.arctan2(-y, z), np.arcsin(np.clip(x, -1.0, 1.0))
        frames.append(frame @ _turn(*angles[k]))
    return angles


def _turn(al: float, be: float) -> Array:
    sa, ca, sb, cb = np.sin(al), np.cos(al), np.sin(be), np.cos(be)
    turn: Array = np.array([[cb, 0.0, sb], [sa * sb, ca, -sa * cb], [-ca * sb, sa, ca * cb]])
    return turn


def _cross(a: Array, b: Array) -> Array:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def angle_kinematics(
    q: Array, dq: Array, length: Array, inner_bar: Ints, rho: Array, joint: Array, product: Array
) -> None:
    r"""Vectors of the bars (b, 3), joint matrices J (b, 6, 2) and velocity products c (b, 6), linear part first.

    .. math::
        A_i = X_i A_p + J_i \ddot q_i + c_i, \qquad X_i = \begin{pmatrix} 1 & -\tilde\rho \\ 0 & 1 \end{pmatrix}, \qquad
        J_i = \begin{pmatrix} a_1 \times \rho & a_2 \times \rho \\ a_1 & a_2 \end{pmatrix}

    Source: [Otto2022], secs. 4.3 and 4.5, restated.  q, dq : (b, 2) rad, rad/s    length : (b,) m
    """
    n = length.size
    frames = np.zeros((n, 3, 3))
    omega = np.zeros((n, 3))
    for i in range(n):
        frame = np.eye(3)
        before = np.zeros(3)
        if inner_bar[i] >= 0:
            frame = frames[inner_bar[i]].copy()
            before = omega[inner_bar[i]].copy()
        sa, ca, sb, cb = np.sin(q[i, 0]), np.cos(q[i, 0]), np.sin(q[i, 1]), np.cos(q[i, 1])
        turn = np.array([[cb, 0.0, sb], [sa * sb, ca, -sa * cb], [-ca * sb, sa, ca * cb]])
        frames[i] = frame @ turn
        a1 = frame[:, 0].copy()
        a2 = ca * frame[:, 1] + sa * frame[:, 2]
        omega[i] = before + a1 * dq[i, 0] + a2 * dq[i, 1]
        rho[i] = -length[i] * frames[i, :, 2]
        spin = _cross(before, a1) * dq[i, 0] + _cross(before + a1 * dq[i, 0], a2) * dq[i, 1]
        joint[i, :3, 0] = _cross(a1, rho[i])
        joint[i, :3, 1] = _cross(a2, rho[i])
        joint[i, 3:, 0] = a1
        joint[i, 3:, 1] = a2
        product[i, :3] = _cross(spin, rho[i]) + _cross(omega[i], _cross(omega[i], rho[i]))
        product[i, 3:] = spin


def shift(rho: Array) -> Array:
    """X: acceleration of the outer end from that of the inner one."""
    x = np.eye(6)
    x[0, 4], x[0, 5] = rho[2], -rho[1]
    x[1, 3], x[1, 5] = -rho[2], rho[0]
    x[2, 3], x[2, 4] = rho[1], -rho[0]
    return x


def recursive_accelerations(q: Array, dq: Array, length: Array, inner_bar: Ints, mass: Array, force: Array) -> Array:
    """Angular accelerations (b, 2) by the O(n) recursion, [Otto2022], sec. 4.5.2; supports at rest.

    mass : (b, 3, 3) of the outer node of each bar, kg    force : (b, 3) on it, N
    """
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner_bar, rho, joint, product)
    m = np.zeros((n, 6, 6))
    f = np.zeros((n, 6))
    d = np.zeros((n, 2, 2))
    m[:, :3, :3] = mass
    f[:, :3] = force
    for i in range(n - 1, -1, -1):
        u = m[i] @ joint[i]
        d[i] = np.linalg.inv(joint[i].T @ u)
        p = inner_bar[i]
        if p >= 0:
            x = shift(rho[i])
            m[p] += x.T @ (m[i] - u @ d[i] @ u.T) @ x
            rest = f[i] - m[i] @ product[i]
            f[p] += x.T @ (rest - u @ (d[i] @ (joint[i].T @ rest)))
    out = np.zeros((n, 2))
    total = np.zeros((n, 6))
    for i in range(n):
        a0 = product[i].copy()
        if inner_bar[i] >= 0:
            a0 += shift(rho[i]) @ total[inner_bar[i]]
        out[i] = d[i] @ (joint[i].T @ (f[i] - m[i] @ a0))
        total[i] = a0 + joint[i] @ out[i]
    return out


def dense_accelerations(q: Array, dq: Array, length: Array, inner_bar: Ints, mass: Array, force: Array) -> Array:
    """As :func:`recursive_accelerations` by the dense (non-recursive) system, [Otto2022], sec. 4.5.1; O(n^3)."""
    n = length.size
    rho, joint, product = np.zeros((n, 3)), np.zeros((n, 6, 2)), np.zeros((n, 6))
    angle_kinematics(q, dq, length, inner_bar, rho, joint, product)
    jacobian = np.zeros((n, 6, 2 * n))
    bias = np.zeros((n, 6))
    matrix = np.zeros((2 * n, 2 * n))
    right = np.zeros(2 * n)
    for i in range(n):
        bias[i] = product[i]
        if inner_bar[i] >= 0:
            x = shift(rho[i])
            jacobian[i] = x @ jacobian[inner_bar[i]]
            bias[i] += x @ bias[inner_bar[i]]
        jacobian[i, :, 2 * i : 2 * i + 2] += joint[i]
        j = np.ascontiguousarray(jacobian[i, :3])
        matrix += j.T @ mass[i] @ j
        right += j.T @ (force[i] - mass[i] @ np.ascontiguousarray(bias[i, :3]))
    answer: Array = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64).reshape(n, 2)
    return answer
