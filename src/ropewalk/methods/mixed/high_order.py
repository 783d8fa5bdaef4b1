r"""Equilibria by the family P_mu-P_nu of mixed elements, for any lines between points.

[Montano2005], eqs. (11) to (14): positions are continuous polynomials of degree mu on each element, tensions
discontinuous ones of degree nu < mu,

.. math::
    \int \frac{T}{1+e}\, r' \cdot v' = \int f \cdot v + \sum F \cdot v, \qquad
    \int \Bigl(\frac{|r'|^2}{1+e} - (1+e)\Bigr) q = 0, \qquad e = e(T),

with the strain e of the section's law taken point by point. Loads are those of the case: weight less buoyancy, drag of
a current, pressure, tabled and centrifugal loads along lines; forces, weights and springs at points and attachments.
Newton's method on sparse matrices, in plain numpy; the loads' derivatives are taken by differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from ropewalk.assembly.catenary_build import prescribed
from ropewalk.assembly.mesh import elements_of
from ropewalk.errors import InputError
from ropewalk.loads.sea import current_here
from ropewalk.methods.protocol import Report, Status
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.joints import HELD
from ropewalk.model.lines import FORCE_TABLE, PRESSURE
from ropewalk.model.model import Model
from ropewalk.model.profiles import Along, properties_at
from ropewalk.model.state import NO_PLACES, NONE, State, resample
from ropewalk.physics.drag_law import any_drag
from ropewalk.physics.elasticity import strain

ITERATIONS = 60  # of Newton
TOLERANCE = 1e-11  # of the corrections, relative to the longest line and the largest tension
FORCE_TOLERANCE = 1e-9  # of the residual forces, relative to the largest load or tension
LARGEST_MOVE = 0.2  # of the longest line, in one iteration
DIFFERENCE = 1e-6  # of an element's length or tangent, for derivatives of loads
SPLIT = 1e-9  # of a line's length: cuts nearer than this are one
EXTRA_POINTS = 3  # of Gauss on an element, beyond mu: laws and drag are no polynomials


def lagrange(nodes: Array, x: Array) -> tuple[Array, Array]:
    """Values and derivatives (len(x), len(nodes)) of the Lagrange polynomials on `nodes`."""
    value = np.ones((x.size, nodes.size))
    slope = np.zeros((x.size, nodes.size))
    for i in range(nodes.size):
        for j in range(nodes.size):
            if j != i:
                factor = (x - nodes[j]) / (nodes[i] - nodes[j])
                slope[:, i] = slope[:, i] * factor + value[:, i] / (nodes[i] - nodes[j])
                value[:, i] *= factor
    return value, slope


class Cut(NamedTuple):
    """A line in elements."""

    s: Array  # (n + 1,) of their ends, m
    section: Ints  # (n,)


@dataclass
class Lay:
    """Unknowns: positions of points, then of nodes inside lines, then tensions."""

    model: Model
    order: tuple[int, int]
    cuts: list[Cut]
    nodes: list[Ints]  # of each line from end A: rows of positions
    n_rows: int  # of positions
    tension: list[int]  # first unknown tension of each line, counted from the first of all
    n_tensions: int


class HighOrder:
    """One equilibrium by elements of degrees mu and nu."""

    def __init__(self, model: Model, state: State, order: tuple[int, int]) -> None:
        self.lay = _lay(model, order)
        self.r, self.T = _start(self.lay, state)
        self.time = state.time
        mu, nu = order
        x, w = leggauss(mu + EXTRA_POINTS)
        self.x, self.w = 0.5 + 0.5 * x, 0.5 * w
        self.value, self.slope = lagrange(np.linspace(0.0, 1.0, mu + 1), self.x)
        self.tension = lagrange(0.5 + 0.5 * leggauss(nu + 1)[0], self.x)[0]

    # --- equations ---

    def solve(self, t: float) -> Report:
        """Newton's method to the equilibrium at time t (s).

        Not numerics/newton.py: steps are limited by displacement without a search, may raise the residual, and end the
        iteration by their own size, in positions and tensions.
        """
        model, lay = self.lay.model, self.lay
        self.time = t
        self._place(t)
        free = self._free()
        n = 3 * lay.n_rows
        length = float(np.max(model.lines.length, initial=1.0))
        move = miss = np.inf
        for k in range(ITERATIONS):
            residual, jacobian, scale = self._system()
            miss = float(np.max(np.abs(self._reduced(residual)), initial=0.0))
            if move <= 1.0 and miss <= FORCE_TOLERANCE * scale:
                return Report(iterations=k, residual_force=miss, residual_position=float(np.abs(residual[n:]).max()))
            try:
                step = np.zeros(residual.size)
                step[free] = _solved(jacobian[free][:, free].tocsc(), -residual[free])
            except MatrixRankWarning:
                return Report(Status.NOT_CONVERGED, "the equations of the elements are singular", k, miss)
            largest = float(np.abs(step[:n]).max(initial=0.0)) / length
            if not np.isfinite(largest):
                return Report(Status.NOT_FINITE, "a correction overflowed", k, miss)
            share = min(1.0, LARGEST_MOVE / largest) if largest > 0.0 else 1.0
            self.r += share * step[:n].reshape(-1, 3)
            self.T += share * step[n:]
            tension = float(np.abs(step[n:]).max(initial=0.0)) / max(float(np.abs(self.T).max(initial=0.0)), 1e-300)
            move = max(largest, tension) / TOLERANCE if share == 1.0 else np.inf
        mu, nu = lay.order
        text = (
            f"P{mu}-P{nu}: no equilibrium after {ITERATIONS} iterations, residual force {miss:.3g} N; use order [1, 0]"
        )
        return Report(Status.NOT_CONVERGED, text, ITERATIONS, miss)

    def _place(self, t: float) -> None:
        """Put held and moved points where they are at time t."""
        from ropewalk.assembly.balance_newton import Place

        model = self.lay.model
        n = len(model.names.points)
        bodies = model.bodies
        place = prescribed(model, Place(self.r[:n].copy(), bodies.position.copy(), bodies.quaternion.copy()), t)
        for k in range(n):
            held = (model.points.joint[k] == HELD) | (model.points.motion[k] >= 0)
            home = place.points[k] if model.points.motion[k] >= 0 else model.points.position[k]
            frame = model.points.frame[k]
            self.r[k] = self.r[k] + frame.T @ (held * (frame @ (home - self.r[k])))

    def _axes(self) -> tuple[Array, Array]:
        """(n_points, 3, 3) axes of the joints, and (n_points, 3) which components are free."""
        points = self.lay.model.points
        return points.frame, (points.joint != HELD) & (points.motion < 0)[:, None]

    def _free(self) -> Ints:
        """Unknowns that can change; positions of points are taken along the axes of their joints."""
        lay = self.lay
        loose = np.ones(3 * lay.n_rows + lay.n_tensions, dtype=bool)
        _, free = self._axes()
        loose[: free.size] = free.ravel()
        return np.flatnonzero(loose)

    def _reduced(self, residual: Array) -> Array:
        """Forces that are to vanish, N."""
        found: Array = residual[: 3 * self.lay.n_rows].copy()
        _, free = self._axes()
        found[: free.size] *= free.ravel()
        return found

    def _system(self) -> tuple[Array, Any, float]:
        """Residual, Jacobian and scale of the forces."""
        lay = self.lay
        n = 3 * lay.n_rows
        R = np.zeros(n + lay.n_tensions)
        rows: list[Array] = []
        cols: list[Array] = []
        data: list[Array] = []
        scale = 0.0
        for line in range(len(lay.cuts)):
            for e in range(lay.cuts[line].section.size):
                where, residual, block, size = self._element(line, e)
                R[where] += residual
                rows.append(np.repeat(where, where.size))
                cols.append(np.tile(where, where.size))
                data.append(block.ravel())
                scale = max(scale, size)
        scale = max(scale, self._points(R, rows, cols, data))
        frames, _ = self._axes()
        turn = [[frame] for frame in frames]
        J = coo_matrix((np.concatenate(data), (np.concatenate(rows), np.concatenate(cols))), shape=(R.size, R.size))
        matrix = J.tocsr()
        if frames.size and np.any(frames != np.eye(3)):
            Q = _blocks(turn, R.size)
            R, matrix = Q @ R, Q @ matrix @ Q.T
        return R, matrix, max(scale, 1e-300)

    def _element(self, line: int, e: int) -> tuple[Ints, Array, Array, float]:
        """Unknowns, residual and Jacobian of one element, and the largest force in it."""
        lay, (mu, nu) = self.lay, self.lay.order
        cut = lay.cuts[line]
        h, section = float(cut.s[e + 1] - cut.s[e]), int(cut.section[e])
        nodes = lay.nodes[line][mu * e : mu * e + mu + 1]
        first = lay.tension[line] + (nu + 1) * e
        cols = np.arange(first, first + nu + 1)
        where = np.concatenate([(3 * nodes[:, None] + np.arange(3)).ravel(), 3 * lay.n_rows + cols])
        slope, weight = self.slope / h, h * self.w
        d, T = slope @ self.r[nodes], self.tension @ self.T[cols]
        place = self.value @ self.r[nodes]
        e_T, by_T = self._strain(section, T, cut.s[e] + h * self.x)
        s = 1.0 + e_T
        pull = T / s
        by_pull = (1.0 / s - T * by_T / s**2)[:, None] * self.tension
        square = np.einsum("qc,qc->q", d, d)
        load, by_place, by_slope = self._load(line, section, cut.s[e] + h * self.x, place, d, s)
        n = 3 * (mu + 1)
        R, J = np.zeros(n + nu + 1), np.zeros((n + nu + 1, n + nu + 1))
        R[:n] = (np.einsum("q,qi,qc->ic", weight * pull, slope, d)
                 - np.einsum("q,qi,qc->ic", weight, self.value, load)).ravel()  # fmt: skip
        R[n:] = 0.5 * self.tension.T @ (weight * (square / s - s))
        stiff = np.einsum("q,qi,qj->ij", weight * pull, slope, slope)
        block = np.einsum("ij,cd->icjd", stiff, np.eye(3))
        block -= np.einsum("q,qi,qj,qcd->icjd", weight, self.value, self.value, by_place)
        block -= np.einsum("q,qi,qj,qcd->icjd", weight, self.value, slope, by_slope)
        J[:n, :n] = block.reshape(n, n)
        J[:n, n:] = np.einsum("q,qi,qc,ql->icl", weight, slope, d, by_pull).reshape(n, nu + 1)
        J[n:, :n] = np.einsum("q,ql,qj,qc->ljc", weight / s, self.tension, slope, d).reshape(nu + 1, n)
        J[n:, n:] = -0.5 * np.einsum("q,ql,qm->lm", weight * (square / s**2 + 1.0) * by_T, self.tension, self.tension)
        return where, R, J, float(np.abs(T).max(initial=0.0))

    def _made_of(self, section: int, s: Array) -> Along:
        """Properties of a section at s (m from end A)."""
        model = self.lay.model
        return properties_at(model.sections, model.profiles, np.full(s.size, section), s)

    def _strain(self, section: int, T: Array, s: Array) -> tuple[Array, Array]:
        """Strain of a section's law and its derivative by tension (1/N), at tensions T (N) and places s (m)."""
        own, profiles = self.lay.model.sections, self.lay.model.profiles
        if profiles.stretches[section]:
            stiffness = self._made_of(section, s).stiffness
            return T / stiffness, 1.0 / stiffness
        law = (own.law[section], own.law_data, own.law_start[section], own.law_start[section + 1])
        found = [strain(float(tension), *law)[:2] for tension in T]
        return np.array([e for e, _ in found]), np.array([slope for _, slope in found])

    # --- loads ---

    def _load(self, line: int, section: int, s: Array, place: Array, d: Array, stretch: Array) -> Any:
        """Load per unstretched length (q, 3) N/m, and its derivatives by place (q, 3, 3) and by slope (q, 3, 3)."""
        constant = self._given(line, section, s)
        f = constant + self._following(line, section, s, place, d, stretch)
        by_place, by_slope = np.zeros((s.size, 3, 3)), np.zeros((s.size, 3, 3))
        if not self._follows(line):
            return f, by_place, by_slope
        step = DIFFERENCE * float(self.lay.model.lines.length[line])
        for c in range(3):
            way = np.eye(3)[c]
            ahead, behind = (self._following(line, section, s, place + x * step * way, d, stretch)
                             for x in (1.0, -1.0))  # fmt: skip
            by_place[:, :, c] = (ahead - behind) / (2.0 * step)
            ahead, behind = (self._following(line, section, s, place, d + x * DIFFERENCE * way, stretch)
                             for x in (1.0, -1.0))  # fmt: skip
            by_slope[:, :, c] = (ahead - behind) / (2.0 * DIFFERENCE)
        return f, by_place, by_slope

    def _follows(self, line: int) -> bool:
        """True if a load depends on where the line is."""
        lines, sea = self.lay.model.lines, self.lay.model.sea
        own = lines.load_kind[lines.load_start[line] : lines.load_start[line + 1]]
        if self.lay.model.fields.load_addresses(line)[0]:
            return True
        return bool(np.any(own != FORCE_TABLE)) or (sea.water_density > 0.0 and sea.current_speed > 0.0)

    def _given(self, line: int, section: int, s: Array) -> Array:
        """Weight less buoyancy and tabled loads (q, 3), N/m."""
        model = self.lay.model
        sea, lines = model.sea, model.lines
        f: Array = np.zeros((s.size, 3))
        made = self._made_of(section, s)
        f[:, 2] = -sea.gravity * (made.mass - sea.water_density * made.area)
        for k in range(lines.load_start[line], lines.load_start[line + 1]):
            if lines.load_kind[k] == FORCE_TABLE:
                table = lines.load_table[lines.table_start[k] : lines.table_start[k + 1]]
                f += np.stack([np.interp(s, table[:, 0], table[:, 1 + c]) for c in range(3)], axis=1)
        return f

    def _following(self, line: int, section: int, s: Array, place: Array, d: Array, stretch: Array) -> Array:
        """Drag of the current, pressure, centrifugal force and a load by a function (q, 3), N/m."""
        model = self.lay.model
        sea, lines, made = model.sea, model.lines, self._made_of(section, s)
        t = d / np.linalg.norm(d, axis=1)[:, None]
        f: Array = np.zeros_like(place)
        if sea.water_density > 0.0 and sea.current_speed > 0.0:
            half, law = 0.5 * sea.water_density, int(model.sections.drag_law[section])
            for q in range(s.size):
                u, across, along = (
                    current_here(tuple(place[q]), sea),
                    half * made.drag_normal[q],
                    made.drag_tangential[q],
                )
                f[q] += stretch[q] * np.array(any_drag(u, tuple(t[q]), (across, half * along, across), law)[0])
        for function in (handle.function for i, handle in model.fields.loads if i == line):
            for q in range(s.size):
                f[q] += function(float(s[q]), place[q].copy(), t[q].copy(), model.fields.time)
        for k in range(lines.load_start[line], lines.load_start[line + 1]):
            axis, value = lines.load_axis[k], lines.load_value[k]
            if lines.load_kind[k] == PRESSURE:
                f += value * np.cross(axis, t)
            elif lines.load_kind[k] != FORCE_TABLE:
                arm = place - lines.load_origin[k]
                f += made.mass[:, None] * value**2 * (arm - np.outer(arm @ axis, axis))
        return f

    def _points(self, R: Array, rows: list[Array], cols: list[Array], data: list[Array]) -> float:
        """Forces, weights and springs at points and attachments into the equations; the largest force."""
        model, sea, largest = self.lay.model, self.lay.model.sea, 0.0
        points, lines = model.points, model.lines
        up = np.array([0.0, 0.0, 1.0])

        def put(row: int, force: Array, drag_area: float) -> float:
            if sea.water_density > 0.0 and drag_area > 0.0 and sea.current_speed > 0.0:
                u = np.array(current_here(tuple(self.r[row]), sea))
                force = force + 0.5 * sea.water_density * drag_area * np.linalg.norm(u) * u
            R[3 * row : 3 * row + 3] -= force
            return float(np.abs(force).max())

        for k in range(len(model.names.points)):
            lift = sea.gravity * (sea.water_density * points.volume[k] - points.mass[k])
            force = points.force[k] + points.frame[k].T @ points.axis_force[k] + lift * up
            off = points.frame[k] @ (self.r[k] - points.position[k])
            force = force - points.frame[k].T @ (points.axis_spring[k] * off)
            largest = max(largest, put(k, force, float(points.drag_area[k])))
            where = np.arange(3 * k, 3 * k + 3)
            rows.append(np.repeat(where, 3))
            cols.append(np.tile(where, 3))
            data.append((points.frame[k].T @ np.diag(points.axis_spring[k]) @ points.frame[k]).ravel())
        for line, cut in enumerate(self.lay.cuts):
            for a in range(lines.attachment_start[line], lines.attachment_start[line + 1]):
                node = self.lay.nodes[line][self.lay.order[0] * int(np.argmin(np.abs(cut.s - lines.attachment_s[a])))]
                lift = sea.gravity * (sea.water_density * lines.attachment_volume[a] - lines.attachment_mass[a])
                force = lines.attachment_force[a] + lift * up
                largest = max(largest, put(int(node), force, float(lines.attachment_drag_area[a])))
        return largest

    # --- what is read ---

    def state(self) -> State:
        """Positions at all nodes, tensions there, and forces at the ends."""
        lay, (mu, nu) = self.lay, self.lay.order
        model = lay.model
        n_points = len(model.names.points)
        pull = lagrange(0.5 + 0.5 * leggauss(nu + 1)[0], np.linspace(0.0, 1.0, mu + 1))[0]
        counts, s, position, tension, ends = [], [], [], [], np.zeros((len(lay.cuts), 2, 3))
        for line, cut in enumerate(lay.cuts):
            n = cut.section.size
            T, share = np.zeros(mu * n + 1), np.zeros(mu * n + 1)
            at = np.zeros(mu * n + 1)
            for e in range(n):
                inside = slice(mu * e, mu * e + mu + 1)
                first = lay.tension[line] + (nu + 1) * e
                T[inside] += pull @ self.T[first : first + nu + 1]
                share[inside] += 1.0
                at[inside] = np.linspace(cut.s[e], cut.s[e + 1], mu + 1)
            counts.append(at.size)
            s.append(at)
            position.append(self.r[lay.nodes[line]])
            tension.append(T / share)
            ends[line] = self._end_forces(line)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        force = np.array([self._point_force(k, ends) for k in range(n_points)]).reshape(-1, 3)
        nodes = int(start[-1])
        return State(
            time=self.time, point_position=self.r[:n_points].copy(), point_velocity=np.zeros((n_points, 3)),
            point_force=force, body_position=model.bodies.position, body_quaternion=model.bodies.quaternion,
            body_velocity=np.zeros_like(model.bodies.position), body_rate=np.zeros_like(model.bodies.position),
            start=start, s=np.concatenate(s), position=np.concatenate(position), velocity=np.zeros((nodes, 3)),
            tension=np.concatenate(tension), end_force=ends, grounded=np.zeros(len(lay.cuts)), node_force=NO_PLACES,
            element_tension=NONE,
        )  # fmt: skip

    def _point_force(self, k: int, ends: Array) -> Array:
        """Of a point on what holds it, N."""
        points, sea = self.lay.model.points, self.lay.model.sea
        force: Array = ends[self.lay.model.lines.end_index == k].sum(axis=0) + points.force[k]
        force = force + points.frame[k].T @ points.axis_force[k]
        force[2] += sea.gravity * (sea.water_density * points.volume[k] - points.mass[k])
        return force

    def _end_forces(self, line: int) -> Array:
        """(2, 3) force of the line on what holds its ends: the nodal forces of the elements there, exact in balance."""
        mu = self.lay.order[0]
        _, first, _, _ = self._element(line, 0)
        _, last, _, _ = self._element(line, self.lay.cuts[line].section.size - 1)
        found: Array = np.array([-first[:3], -last[3 * mu : 3 * mu + 3]])
        return found


def _solved(matrix: Any, right: Array) -> Array:
    """Solution of sparse equations; MatrixRankWarning if there is none."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", MatrixRankWarning)
        found: Array = spsolve(matrix, right)
    return found


def _blocks(turn: list[list[Array]], size: int) -> Any:
    """Matrix that turns the positions of points into the axes of their joints."""
    from scipy.sparse import block_diag, identity

    frames = [frame for own in turn for frame in own]
    return block_diag([*frames, identity(size - 3 * len(frames))], format="csr")


def refuse_high_order(model: Model, order: tuple[int, int]) -> None:
    """Raise InputError for what elements of higher order cannot do."""
    lines, sea = model.lines, model.sea
    missing = [
        what
        for what, there in (
            ("bodies", model.bodies.mass.size > 0),
            ("a seabed", bool(sea.has_seabed)),
            ("winches", lines.winches.line.size > 0),
            ("links", bool(model.links.names)),
        )
        if there
    ]
    if missing:
        raise InputError(
            f"elements of order [{order[0]}, {order[1]}] support lines between points, not {', '.join(missing)}; "
            "use order [1, 0]"
        )


def _lay(model: Model, order: tuple[int, int]) -> Lay:
    """Number the unknowns."""
    mu, nu = order
    counts, lines = elements_of(model), model.lines
    cuts, nodes, tension = [], [], []
    row, unknown = len(model.names.points), 0
    for line in range(lines.length.size):
        cut = _cut(model, line, counts)
        inner = mu * cut.section.size - 1
        a, b = (int(k) for k in lines.end_index[line])
        cuts.append(cut)
        nodes.append(np.concatenate([[a], np.arange(row, row + inner), [b]]).astype(np.int64))
        tension.append(unknown)
        row += inner
        unknown += (nu + 1) * cut.section.size
    return Lay(model, order, cuts, nodes, row, tension, unknown)


def _cut(model: Model, line: int, counts: Ints) -> Cut:
    """Elements of a line: as many as for order [1, 0], with ends at attachments and at the rows of tabled loads."""
    lines = model.lines
    total = float(lines.length[line])
    loads = range(int(lines.load_start[line]), int(lines.load_start[line + 1]))
    knots = [lines.load_table[lines.table_start[k] : lines.table_start[k + 1], 0] for k in loads]
    clumps = slice(int(lines.attachment_start[line]), int(lines.attachment_start[line + 1]))
    stops = np.concatenate([lines.attachment_s[clumps], *knots])
    s, section, begin = [0.0], [], 0.0
    for p in range(int(lines.piece_start[line]), int(lines.piece_start[line + 1])):
        length = float(lines.piece_length[p])
        inside = np.unique(stops[(stops > begin + SPLIT * total) & (stops < begin + length - SPLIT * total)])
        for a, b in pairwise([begin, *inside.tolist(), begin + length]):
            if b - a <= 10.0 * SPLIT * total:
                continue
            n = max(1, round(int(counts[p]) * (b - a) / length))
            s += np.linspace(s[-1], b, n + 1)[1:].tolist()
            section += [int(lines.piece_section[p])] * n
        begin += length
    return Cut(np.array(s), np.array(section, dtype=np.int64))


def _start(lay: Lay, state: State) -> tuple[Array, Array]:
    """Positions and tensions of a state at the nodes."""
    mu, nu = lay.order
    r: Array = np.zeros((lay.n_rows, 3))
    T: Array = np.zeros(lay.n_tensions)
    r[: len(lay.model.names.points)] = state.point_position
    inner = 0.5 + 0.5 * leggauss(nu + 1)[0]
    for line, cut in enumerate(lay.cuts):
        at = np.concatenate([np.linspace(a, b, mu + 1)[:-1] for a, b in pairwise(cut.s)] + [cut.s[-1:]])
        r[lay.nodes[line][1:-1]] = resample(state, line, at)[0][1:-1]
        inside = (cut.s[:-1, None] + np.diff(cut.s)[:, None] * inner).ravel()
        first = lay.tension[line]
        T[first : first + inside.size] = np.maximum(resample(state, line, inside)[2], 0.0)
    return r, T
