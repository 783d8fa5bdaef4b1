r"""Equilibria by the family P_mu-P_nu of mixed elements, for any lines between points.

[Montano2005], eqs. (11) to (14): positions are continuous polynomials of degree mu on each element, tensions
discontinuous ones of degree nu < mu,

.. math::
    \int \frac{T}{1+e}\, r' \cdot v' = \int f \cdot v + \sum F \cdot v, \qquad
    \int \Bigl(\frac{|r'|^2}{1+e} - (1+e)\Bigr) q = 0, \qquad e = e(T),

with the strain e of the section's law and the load f of assembly/string.py at every Gauss point; forces, weights and
springs at points and attachments. Newton's method on sparse matrices; the derivatives of f are taken by differences.
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
from ropewalk.assembly.spans import LineSpans, line_spans
from ropewalk.assembly.string import float_force, span_load, strain_at
from ropewalk.errors import InputError
from ropewalk.loads.given import spring_pull
from ropewalk.methods.protocol import Report, Status
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.joints import HELD
from ropewalk.model.model import Model
from ropewalk.model.state import NO_PLACES, NONE, State, resample
from ropewalk.numerics.blockelimination import add3, dot, scale3, sub3
from ropewalk.numerics.compile import UNCOUNTED, kernel

ITERATIONS = 60  # of Newton
TOLERANCE = 1e-11  # of the corrections, relative to the longest line and the largest tension
FORCE_TOLERANCE = 1e-9  # of the residual forces, relative to the largest load or tension
LARGEST_MOVE = 0.2  # of the longest line, in one iteration
DIFFERENCE = 1e-6  # of an element's length or of r', for derivatives of loads
SPLIT = 1e-9  # of a line's length: cuts nearer than this are one
POINT_WIDTH = 23  # numbers at a Gauss point: strain, its slope, load (3), derivatives by place (9) and by slope (9)
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
    spans: LineSpans  # (n,) one per element
    lumps: Records  # (k,) of SPAN, at whose `stop` forces act


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


@kernel(**UNCOUNTED)
def at_points(s, state, span, law, law_data, sea, wet, out):
    r"""Strain and its slope (1/N), load (N/m) and its derivatives by place and by r' at points of an element, into out.

    .. math:: \frac{\partial f_i}{\partial x_j} \approx \frac{f_i(x + h e_j) - f_i(x - h e_j)}{2 h}

    Source: central differences, [Press2007], sec. 5.7, with steps h of DIFFERENCE times the element's length and of
    DIFFERENCE for r'; :func:`ropewalk.assembly.string.strain_at`, :func:`ropewalk.assembly.string.span_load`.

    s : (q,) m from the start of the element    state : tensions (q,) N, places (q, 3) m, slopes r' (q, 3)
    span, law, law_data, sea : as there    wet : under water    out : (q, POINT_WIDTH), filled
    """
    tension, place, slope = state
    step = DIFFERENCE * (span.stop - span.start)
    for q in range(s.size):
        strain, by_tension = strain_at(tension[q], s[q], span, law, law_data)
        r, d = (place[q, 0], place[q, 1], place[q, 2]), (slope[q, 0], slope[q, 1], slope[q, 2])
        out[q, 0], out[q, 1] = strain, by_tension
        f = _load(s[q], r, d, 1.0 + strain, span, wet, law_data, sea)
        for i in range(3):
            out[q, 2 + i] = f[i]
        for j in range(3):
            h = (step if j == 0 else 0.0, step if j == 1 else 0.0, step if j == 2 else 0.0)
            k = scale3(DIFFERENCE / step, h)
            after = _load(s[q], add3(r, h), d, 1.0 + strain, span, wet, law_data, sea)
            before = _load(s[q], sub3(r, h), d, 1.0 + strain, span, wet, law_data, sea)
            turned = _load(s[q], r, add3(d, k), 1.0 + strain, span, wet, law_data, sea)
            back = _load(s[q], r, sub3(d, k), 1.0 + strain, span, wet, law_data, sea)
            for i in range(3):
                out[q, 5 + 3 * i + j] = 0.5 * (after[i] - before[i]) / step
                out[q, 14 + 3 * i + j] = 0.5 * (turned[i] - back[i]) / DIFFERENCE


@kernel(**UNCOUNTED)
def _load(s, r, d, nu, span, wet, law_data, sea):
    """Load at a place (N/m), 3 numbers: f of the string with t = d/|d|.

    Source: :func:`ropewalk.assembly.string.span_load`.    d : r'    others as there
    """
    t = scale3(1.0 / np.sqrt(dot(d, d)), d)
    return span_load(s, r, t, nu, span, wet, law_data, sea)[0]


class HighOrder:
    """One equilibrium by elements of degrees mu and nu."""

    def __init__(self, model: Model, state: State, order: tuple[int, int]) -> None:
        self.lay = _lay(model, order)
        self.r, self.T = _start(self.lay, state)
        self.time = state.time
        self.wet = np.array([self.r[nodes, 2].mean() < 0.0 for nodes in self.lay.nodes])  # lines under water
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
                if text := self._at_surface():
                    return Report(Status.NOT_CONVERGED, text, k, miss)
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

    def _at_surface(self) -> str:
        """A sentence about the first line that crosses the water surface, where its load has a jump."""
        model, (mu, nu) = self.lay.model, self.lay.order
        if model.sea.water_density == 0.0:
            return ""
        for name, nodes, is_wet, length in zip(
            model.names.lines, self.lay.nodes, self.wet, model.lines.length, strict=True
        ):
            beyond = float(np.max(self.r[nodes, 2] if is_wet else -self.r[nodes, 2]))
            if beyond > SPLIT * length:
                side = "above" if is_wet else "below"
                return (
                    f"line '{name}' crosses the water surface, with nodes up to {beyond:.3g} m {side} it; elements "
                    f"of order [{mu}, {nu}] support lines on one side of it, use order [1, 0]"
                )
        return ""

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
            for e in range(lay.cuts[line].s.size - 1):
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
        h = float(cut.s[e + 1] - cut.s[e])
        nodes = lay.nodes[line][mu * e : mu * e + mu + 1]
        first = lay.tension[line] + (nu + 1) * e
        cols = np.arange(first, first + nu + 1)
        where = np.concatenate([(3 * nodes[:, None] + np.arange(3)).ravel(), 3 * lay.n_rows + cols])
        slope, weight = self.slope / h, h * self.w
        d, T = slope @ self.r[nodes], self.tension @ self.T[cols]
        place = self.value @ self.r[nodes]
        found, along = np.empty((self.x.size, POINT_WIDTH)), h * self.x
        row, law, data = cut.spans.rows[e], cut.spans.laws[e], lay.model.sections.law_data
        at_points(along, (T, place, d), row, law, data, lay.model.sea, bool(self.wet[line]), found)
        s, by_T, load = 1.0 + found[:, 0], found[:, 1], found[:, 2:5]
        by_place, by_slope = found[:, 5:14].reshape(-1, 3, 3), found[:, 14:].reshape(-1, 3, 3)
        pull = T / s
        by_pull = (1.0 / s - T * by_T / s**2)[:, None] * self.tension
        square = np.einsum("qc,qc->q", d, d)
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

    def _points(self, R: Array, rows: list[Array], cols: list[Array], data: list[Array]) -> float:
        """Forces, weights and springs at points and attachments into the equations; the largest force."""
        lay, largest = self.lay, 0.0

        def put(row: int, force: Array, by_place: Array) -> None:
            nonlocal largest
            where = np.arange(3 * row, 3 * row + 3)
            R[where] -= force
            largest = max(largest, float(np.abs(force).max()))
            rows.append(np.repeat(where, 3))
            cols.append(np.tile(where, 3))
            data.append(-by_place.ravel())

        points = lay.model.points
        for k in range(len(lay.model.names.points)):
            force, by_place = self._on_point(k)
            way = tuple(self.r[k] - points.position[k])
            for row, axis in zip(points.axis[k], points.frame[k], strict=True):
                pull, stiffness = spring_pull(row, way)
                force += (pull - row["pull"]) * axis
                by_place -= stiffness * np.outer(axis, axis)
            put(k, force, by_place)
        for line, cut in enumerate(lay.cuts):
            for lump in cut.lumps:
                node = int(lay.nodes[line][lay.order[0] * int(np.argmin(np.abs(cut.s - lump.stop)))])
                put(node, *self._in_water(node, lump.jump.copy(), lump.float_volume, lump.float_drag))
        return largest

    def _in_water(self, row: int, force: Array, volume: float, drag_area: float) -> tuple[Array, Array]:
        """A force (N) with that of the water on a float at a row of positions, and its derivative by place (N/m)."""
        by_place: Array = np.zeros((3, 3))
        by_place[:, 2] = float_force(self.r[row], volume, drag_area, self.lay.model.sea, force)
        return force, by_place

    def _on_point(self, k: int) -> tuple[Array, Array]:
        """Force on a point without that of lines and springs (N), and its derivative by place (N/m)."""
        points = self.lay.model.points
        force = points.force[k] + points.frame[k].T @ points.axis[k]["pull"]
        force[2] -= points.mass[k] * self.lay.model.sea.gravity
        return self._in_water(k, force, points.volume[k], points.drag_area[k])

    # --- what is read ---

    def state(self) -> State:
        """Positions at all nodes, tensions there, and forces at the ends."""
        lay, (mu, nu) = self.lay, self.lay.order
        model = lay.model
        n_points = len(model.names.points)
        pull = lagrange(0.5 + 0.5 * leggauss(nu + 1)[0], np.linspace(0.0, 1.0, mu + 1))[0]
        counts, s, position, tension, ends = [], [], [], [], np.zeros((len(lay.cuts), 2, 3))
        for line, cut in enumerate(lay.cuts):
            n = cut.s.size - 1
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
        force = [self._on_point(k)[0] + ends[model.lines.end_index == k].sum(axis=0) for k in range(n_points)]
        nodes = int(start[-1])
        return State(
            time=self.time, point_position=self.r[:n_points].copy(), point_velocity=np.zeros((n_points, 3)),
            point_force=np.reshape(force, (-1, 3)), body_position=model.bodies.position,
            body_quaternion=model.bodies.quaternion, body_velocity=np.zeros_like(model.bodies.position),
            body_rate=np.zeros_like(model.bodies.position), start=start, s=np.concatenate(s),
            position=np.concatenate(position), velocity=np.zeros((nodes, 3)), tension=np.concatenate(tension),
            end_force=ends, grounded=np.zeros(len(lay.cuts)), node_force=NO_PLACES, element_tension=NONE,
        )  # fmt: skip

    def _end_forces(self, line: int) -> Array:
        """(2, 3) force of the line on what holds its ends: the nodal forces of the elements there, exact in balance."""
        mu = self.lay.order[0]
        _, first, _, _ = self._element(line, 0)
        _, last, _, _ = self._element(line, self.lay.cuts[line].s.size - 2)
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
        inner = mu * (cut.s.size - 1) - 1
        a, b = (int(k) for k in lines.end_index[line])
        cuts.append(cut)
        nodes.append(np.concatenate([[a], np.arange(row, row + inner), [b]]).astype(np.int64))
        tension.append(unknown)
        row += inner
        unknown += (nu + 1) * (cut.s.size - 1)
    return Lay(model, order, cuts, nodes, row, tension, unknown)


def _cut(model: Model, line: int, counts: Ints) -> Cut:
    """Elements of a line: as many as for order [1, 0], with ends at attachments and at corners of its properties."""
    lines = model.lines
    own = slice(int(lines.piece_start[line]), int(lines.piece_start[line + 1]))
    ends, cuts = np.cumsum(lines.piece_length[own]), []
    for row in line_spans(model, line, NONE).rows:
        p = own.start + min(int(np.searchsorted(ends, 0.5 * (row.start + row.stop))), ends.size - 1)
        n = max(1, round(int(counts[p]) * float(row.stop - row.start) / float(lines.piece_length[p])))
        cuts.append(np.linspace(row.start, row.stop, n + 1)[1:-1])
    spans = line_spans(model, line, np.concatenate(cuts))
    is_element = spans.rows.stop - spans.rows.start > SPLIT * float(lines.length[line])
    rows = spans.rows[is_element]
    s = np.concatenate([[0.0], rows.stop[:-1], lines.length[line : line + 1]])
    return Cut(s, LineSpans(rows, spans.laws[is_element]), spans.rows[spans.rows.bound > 0.0])


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
