"""Closed-form statics: lines under gravity alone between points and bodies, balanced by Newton."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ropewalk.assembly.balance_newton import Newton, Path, Place, Scales, moved
from ropewalk.assembly.catenary import Assembly, Balance, balance, gather, highest_end, line_rows, place_end
from ropewalk.assembly.catenary_build import build_assembly, free_dofs, prescribed, scales
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Ints, floats
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics import catenary
from ropewalk.physics.catenary_free import PENETRATES

AFLOAT = 1e-6  # m above still water where a line counts as out of it
NODES = 101  # per line in the State: enough to draw and to start dynamics from
SOFTER = (1e3, 1e6, 1e8)  # EA over the force scale that stands in for an inextensible line: the last leaves
# 1e-8 of its length, and turns the round-off of positions into 1e-8 of the forces
SLACK = frozenset({catenary.SLACK_HANGING, catenary.SLACK_NEUTRAL})
RUN_AWAY = 100.0  # lengths from the origin where a part has been lost
NUDGE = 1e-3  # of the length scale: leaves an unstable balance along its lowest mode
MOST_NUDGES = 6  # of a body: each leaves one saddle or maximum
UNSTABLE = 1e-9  # of the largest stiffness: a smaller negative one is round-off of a part that can drift


@dataclass
class Work:
    """Memory of the solver."""

    assembly: Assembly
    place: Place
    time: float
    free: Ints
    floor: Ints
    scales: Scales
    out: Balance
    exact: Array  # (n_pieces,) true EA of the pieces, inf for inextensible ones
    buoyant: bool  # part of a line pulls up, so that it may rise above its ends


@dataclass(frozen=True)
class Catenary:
    """Exact to round-off for uniform pieces under gravity, on a flat rigid bed with friction."""

    most_iterations: int = 400

    name: ClassVar[str] = "catenary"
    claims: ClassVar[frozenset[Claim]] = frozenset(
        {
            Claim.STATICS,
            Claim.SUSPENDED,
            Claim.GROUNDED,
            Claim.FRICTION,
            Claim.INEXTENSIBLE,
            Claim.ELASTIC,
            Claim.PIECES,
            Claim.ATTACHMENTS,
            Claim.JOINTS,
            Claim.MOTIONS,
            Claim.FREE_POINTS,
            Claim.BODIES,
        }
    )

    def start(self, model: Model, state: State) -> Work:
        """Check the case and lay out the assembly."""
        refuse_unclaimed(self, model, ignored=frozenset({Claim.WAVES}))
        assembly = build_assembly(model)
        free, floor = free_dofs(model)
        return Work(
            assembly=assembly,
            place=Place(state.point_position.copy(), state.body_position.copy(), state.body_quaternion.copy()),
            time=state.time,
            free=free,
            floor=floor,
            scales=scales(model, assembly),
            out=balance(len(model.names.points), len(model.names.bodies), len(model.names.lines)),
            exact=assembly.piece_stiffness,
            buoyant=bool(np.any(assembly.piece_weight < 0.0) or np.any(assembly.piece_load < 0.0)),
        )

    def advance(self, model: Model, work: Work, t: float) -> Report:
        """Find the balance with the prescribed motions at time t."""
        work.place = prescribed(model, work.place, t)
        work.time = t
        soft = np.isinf(work.exact) if work.free.size else np.zeros(work.exact.size, dtype=np.bool_)
        path = self._solve(work, work.exact)
        if not path.converged and np.any(soft):
            for factor in SOFTER:
                path = self._solve(work, np.where(soft, factor * work.scales.force, work.exact))
                if not path.converged:
                    break
            else:
                path = self._polish(work, path)
        return _with_surface(model, work, _report(model, work, path))

    def read(self, model: Model, work: Work) -> State:
        """Shapes and tensions from the closed form."""
        return _state(model, work)

    def stiffness(self, model: Model, work: Work) -> Array:
        """(n_bodies, 6, 6) of the lines on each body, about its origin; free points follow, other bodies stay."""
        n_points, n_bodies = len(model.names.points), len(model.names.bodies)
        n = 3 * n_points + 6 * n_bodies
        if n_bodies == 0:
            return np.zeros((0, 6, 6))
        K = np.zeros((n, n))
        gather(work.assembly, work.out._replace(own=_springs_only(work.out.own, n_points)), K)
        points = work.free[work.free < 3 * n_points]
        result: Array = np.zeros((n_bodies, 6, 6))
        for k in range(n_bodies):
            own = 3 * n_points + 6 * k + np.arange(6)
            result[k] = K[np.ix_(own, own)]
            if points.size:
                follow = np.linalg.lstsq(K[np.ix_(points, points)], K[np.ix_(points, own)], rcond=None)[0]
                result[k] -= K[np.ix_(own, points)] @ follow
        return result

    def _solve(self, work: Work, stiffness: Array) -> Path:
        first = work.assembly.piece_start[:-1]
        work.assembly = work.assembly._replace(piece_stiffness=floats(stiffness), stiffness=floats(stiffness[first]))
        newton = Newton(work.assembly, work.free, work.floor, work.scales, work.out)
        work.place, path = newton.run(work.place, self.most_iterations)
        if path.stable or work.place.bodies.shape[0] == 0:  # the energy of lines alone is convex
            return path
        path.lowest, mode = newton.lowest_mode()
        for _ in range(MOST_NUDGES):
            if not path.converged or path.lowest >= -UNSTABLE:
                break
            place = moved(work.place, work.assembly.frame, NUDGE * work.scales.length * mode)
            before = path
            work.place, path = newton.run(place, self.most_iterations)
            path.iterations += before.iterations
            path.lowest, mode = newton.lowest_mode()
        return path

    def _polish(self, work: Work, path: Path) -> Path:
        """Try the true inextensible lines from the nearly inextensible balance; keep that if they cannot reach."""
        stand_in, place = work.assembly.piece_stiffness, work.place
        better = self._solve(work, work.exact)
        if better.converged:
            better.iterations += path.iterations
            return better
        work.place = place
        return self._solve(work, stand_in)


def _springs_only(own: Array, n_points: int) -> Array:
    kept: Array = own.copy()
    kept[n_points:] = 0.0
    return kept


def _report(model: Model, work: Work, path: Path) -> Report:
    """Status and figures of what `work` holds."""
    out, names = work.out, model.names.lines
    kinds = out.status.tolist()
    failed = min(kinds, default=1) <= 0
    figures = {
        "step_lengths": path.steps,
        "residuals": path.residuals,
        "evaluations": path.evaluations,
        "shifted": path.shifts,
        "stable": path.stable or path.lowest >= -UNSTABLE,
        "lines": {name: catenary.MEANING[kind] for name, kind in zip(names, kinds, strict=True)},
    }
    miss = float(np.max(out.solution[:, catenary.MISS], initial=0.0)) if not failed else float("inf")
    residual = path.residuals[-1] if path.residuals else float("inf")
    if failed:
        i = kinds.index(min(kinds))
        status = {catenary.TOO_SHORT: Status.TOO_SHORT, PENETRATES: Status.UNSUPPORTED}.get(
            kinds[i], Status.NOT_CONVERGED
        )
        return Report(status, _line_failure(model, work, i), path.iterations, residual, miss, figures)
    if not path.converged:
        return Report(*_imbalance(model, work, path), path.iterations, residual, miss, figures)
    if path.lowest < -UNSTABLE:
        text = f"the balance found is not stable (lowest stiffness {path.lowest:.2g} of the largest); try another start"
        return Report(Status.NOT_CONVERGED, text, path.iterations, residual, miss, figures)
    slack = [name for name, kind in zip(names, kinds, strict=True) if kind in SLACK]
    if slack:
        message = f"slack: {', '.join(repr(name) for name in slack[:8])}{', …' if len(slack) > 8 else ''}"
        return Report(Status.SLACK, message, path.iterations, residual, miss, figures)
    return Report(Status.DONE, "", path.iterations, residual, miss, figures)


def _with_surface(model: Model, work: Work, report: Report) -> Report:
    """Say so where a line rises out of the water, because its weight is taken as in water all along."""
    if not report.good or model.sea.water_density == 0.0 or not model.names.lines:
        return report
    assembly = work.assembly
    if (
        not work.buoyant
        and highest_end(assembly.end_kind, assembly.end_index, assembly.end_offset, *work.place) <= AFLOAT
    ):
        return report
    tops = [float(_shape(work, i, np.linspace(0.0, assembly.length[i], NODES))[0][:, 2].max())
            for i in range(assembly.length.size)]  # fmt: skip
    top = max(tops)
    if top <= AFLOAT:
        return report
    name = model.names.lines[tops.index(top)]
    text = f"line '{name}' rises {top:.4g} m above the water; its weight there is taken as in water"
    return replace(report, message=text, figures={**report.figures, "crosses_surface": True})


def _line_failure(model: Model, work: Work, i: int) -> str:
    ends = _ends(work, i)
    apart = float(np.linalg.norm(ends[1] - ends[0]))
    name, length = model.names.lines[i], float(work.assembly.length[i])
    if work.out.status[i] == catenary.TOO_SHORT:
        return (
            f"line '{name}': length {length:.6g} m is shorter than the {apart:.6g} m between its ends; "
            "lengthen it or give it axial_stiffness"
        )
    return f"line '{name}': {catenary.MEANING[int(work.out.status[i])]} ({length:.6g} m, ends {apart:.6g} m apart)"


def _imbalance(model: Model, work: Work, path: Path) -> tuple[Status, str]:
    """Which part is out of balance, and by how much."""
    dof = int(work.free[int(np.argmax(np.abs(work.out.force[work.free])))])
    n_points = len(model.names.points)
    if dof < 3 * n_points:
        part, where = f"point '{model.names.points[dof // 3]}'", work.place.points[dof // 3]
    else:
        k = (dof - 3 * n_points) // 6
        part, where = f"body '{model.names.bodies[k]}'", work.place.bodies[k]
    place = ", ".join(f"{x:.4g}" for x in where)
    text = f"{part} at ({place}) m is out of balance by {path.residuals[-1]:.3g} N after {path.iterations} iterations"
    if np.max(np.abs(where)) > RUN_AWAY * work.scales.length:
        return Status.NO_EQUILIBRIUM, f"{text}; nothing holds it"
    return Status.NOT_CONVERGED, f"{text}; try a position nearer the equilibrium"


def _ends(work: Work, i: int) -> Array:
    ends: Array = np.zeros((2, 3))
    assembly, arm = work.assembly, np.zeros(3)
    for a in range(2):
        kind, index, offset = assembly.end_kind[i, a], assembly.end_index[i, a], assembly.end_offset[i, a]
        place_end(kind, index, offset, *work.place, arm, ends[a])
    return ends


def _state(model: Model, work: Work) -> State:
    """The closed form sampled at NODES places of each line."""
    n_lines, assembly, out = len(model.names.lines), work.assembly, work.out
    n_points, n_bodies = len(model.names.points), len(model.names.bodies)
    s = np.zeros((n_lines, NODES))
    position = np.zeros((n_lines, NODES, 3))
    tension = np.zeros((n_lines, NODES))
    for i in range(n_lines):
        s[i] = np.linspace(0.0, assembly.length[i], NODES)
        position[i], tension[i] = _shape(work, i, s[i])
    frame = assembly.frame
    lines_on_points = out.line_force[: 3 * n_points].reshape(-1, 3)
    return State(
        time=work.time,
        point_position=work.place.points,
        point_velocity=np.zeros((n_points, 3)),
        point_force=np.einsum("kmj,km->kj", frame, lines_on_points) + assembly.force,
        body_position=work.place.bodies,
        body_quaternion=work.place.quaternions,
        body_velocity=np.zeros((n_bodies, 3)),
        body_rate=np.zeros((n_bodies, 3)),
        start=np.arange(n_lines + 1, dtype=np.int64) * NODES,
        s=s.ravel(),
        position=position.reshape(-1, 3),
        velocity=np.zeros((n_lines * NODES, 3)),
        tension=tension.ravel(),
        end_force=out.end_force.copy(),
        grounded=out.solution[:, catenary.GROUND_END] - out.solution[:, catenary.GROUND_START],
    )


def _shape(work: Work, i: int, s: Array) -> tuple[Array, Array]:
    """Position (n, 3) and tension (n,) of line i at the arc lengths s."""
    assembly, out = work.assembly, work.out
    ends = _ends(work, i)
    ends[:, 2] = np.maximum(ends[:, 2], assembly.bed[i])
    across = ends[1, :2] - ends[0, :2]
    span = float(np.hypot(*across))
    direction = across / span if span > 0.0 else np.array([1.0, 0.0])
    rows = line_rows(assembly, i, s, span, ends[1, 2] - ends[0, 2], out.status[i], out.solution[i])
    position: Array = np.empty((s.size, 3))
    position[:, :2] = ends[0, :2] + rows[:, :1] * direction
    position[:, 2] = ends[0, 2] + rows[:, 1]
    return position, np.hypot(rows[:, 2], rows[:, 3])
