"""Chains of rigid links by power series in time: a Taylor method whose dense output is its own polynomial.

Method: [Filipich2007] with the corrections of docs/theory/chain_series.md, order and step by [Jorba2005].
Each line of the model is a chain by itself; its ends are held (fixed or moving) or free.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.errors import InputError
from ropewalk.loads.float import radius_of
from ropewalk.methods.chain import steps
from ropewalk.methods.chain.arrays import Array, Chain, Series, allocate
from ropewalk.methods.chain.build import (
    build_chain,
    check_case,
    end_at_rest,
    end_terms,
    free_bodies,
    free_end_loads,
)
from ropewalk.methods.chain.equations import state_at
from ropewalk.methods.chain.forces import BodyState, body_states, energy, link_end_forces, node_tension
from ropewalk.methods.chain.messages import explain
from ropewalk.methods.chain.statics import equilibrium
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Records, records
from ropewalk.model.given import still
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import State, resample, rotation_matrix
from ropewalk.numerics.rotations import quaternion_from_matrix
from ropewalk.numerics.series import order_for
from ropewalk.physics.motion import motion

FIRST_SCALE = 1e6  # times the step floor: a tenth of the fall time of a link, a usual first step
LOWEST_ORDER, HIGHEST_ORDER = 2, 60  # of series; beyond, the last terms are all rounding
TIGHTEST = 1e-16  # tolerance: double precision ends here
FIXED_STEP_ORDER = 5  # of a fixed step without an order: the M of [Filipich2007], sec. 5
ENERGIES = ("kinetic", "potential", "work_of_ends", "work_of_loads")  # J, in the order of the report
KEPT = (
    "position",
    "acceleration",
    "tension",
    "force",
    "reaction",
    "link",
    "along",
)  # of the series, all that is read after a step
KEPT_OF_BODIES = ("attitude", "rate", "pull", "force", "moment")  # the same, of the series of bodies


class EndForces(NamedTuple):
    """Forces of a chain on what holds its ends as polynomials: sum of c_j (t - begin)^j, begin <= t <= end."""

    begin: float  # s
    end: float  # s
    coefficients: Array  # (2, 3, order) N / s^j, for ends A and B


@dataclass
class ChainWork:
    """Memory of one line."""

    name: str
    chain: Chain
    s: Array  # (n + 1,) m, of the nodes from end A
    series: Series
    clock: Records  # (1,) of steps.CLOCK
    ledger: Array  # (3,) J, work of end A, of end B, of loads without a potential, in finished steps
    energy: float  # J, at the start
    wet: bool
    failure: tuple[int, int, float] | None = None  # why the current series is not to be used: code, link, number


@dataclass
class Work:
    """Memory of a run."""

    time: float  # s
    lines: list[ChainWork]


@dataclass(frozen=True)
class ChainSeries:
    """Rigid links, power series in time.

    tolerance : relative, per step, of directions and axial forces; gives order and steps    step : s, fixed
    instead    order : of the series, in place of the one that the tolerance gives (5 for a fixed step)
    damping : 1/s, mass-proportional    smoothing_speed : m/s, quadratic drag across links takes |u| as
    sqrt(u^2 + smoothing_speed^2); with 0 the drag is exact and a run ends where a speed vanishes
    start_from : the chain's own equilibrium between the ends of the given state, or that state
    """

    tolerance: float = 1e-10
    step: float | None = None
    order: int | None = None
    damping: float = 0.0
    smoothing_speed: float = 0.0
    start_from: Literal["equilibrium", "as_given"] = "equilibrium"

    name: ClassVar[str] = "chain_series"
    claims: ClassVar[frozenset[Claim]] = frozenset(
        {
            Claim.DYNAMICS,
            Claim.CHANGING,
            Claim.SUSPENDED,
            Claim.INEXTENSIBLE,
            Claim.PIECES,
            Claim.ATTACHMENTS,
            Claim.ATTACHMENT_FORCES,
            Claim.CURRENT,
            Claim.LOADS,
            Claim.MOTIONS,
            Claim.FREE_POINTS,
            Claim.BODIES,
            Claim.COMPRESSION,
        }
    )

    check = staticmethod(check_case)  # what the claims are too coarse for

    def start(self, model: Model, state: State) -> Work:
        """Cut the lines into links and bring the state to their lengths."""
        self._check_settings()
        refuse_unclaimed(self, model)
        self.check(model)
        return Work(state.time, [self._start_line(model, state, i) for i in range(len(model.names.lines))])

    def advance(self, model: Model, work: Work, t: float) -> Report:
        """Step until the series of every line covers t; iterations are the steps taken for it."""
        if t < work.time:
            raise InputError(f"chain_series cannot go back from {work.time} s to {t} s")
        before = _steps(work)
        for line in work.lines:
            self._integrate(line, t)
            if line.failure is not None:
                work.time = float(line.clock[0].begin)
                status, message = explain(line.name, line.chain, line.clock, *line.failure, t, self.step or 0.0)
                return Report(status, message, _steps(work) - before, figures=self._figures(work))
        work.time = t
        status, message = Status.DONE, ""
        for i, line in enumerate(work.lines):
            said = _at_surface(model, line.name, line.wet, _values(line, t)[0], t)
            if said := said or _bodies_at_surface(model, i, line, t):
                status, message = Status.UNSUPPORTED, said
        return Report(status, message, _steps(work) - before, figures=self._figures(work))

    def redrive(self, model: Model, work: Work, until: float) -> None:
        """Read the motions of driven ends again; they are known up to time `until` (s)."""
        for i, line in enumerate(work.lines):
            terms = end_terms(model, i, line.s.size - 1, until)
            clock = line.clock[0]
            if clock.end > work.time:  # the current series was made with another motion
                r, v, _, _ = _values(line, work.time)
                for k, body in enumerate(_bodies(line, work.time)):
                    line.series.bodies.attitude[k, 0] = body.attitude.ravel()
                    line.series.bodies.rate[k, 0] = body.rate
                line.series.position[:, 0] = r.T
                line.series.position[:, 1] = v.T * clock.scale
                clock.begin = clock.end = work.time
            line.chain = line.chain._replace(motion_terms=terms)

    def read(self, model: Model, work: Work) -> State:
        """The state at the time reached. After a failure the tensions are NaN."""
        n_points = len(model.names.points)
        point_position, point_velocity = model.points.position.copy(), np.zeros((n_points, 3))
        point_acceleration, point_force = np.zeros((n_points, 3)), np.zeros((n_points, 3))
        out = np.empty((3, 3))
        for i in range(n_points):
            motion(work.time, model.points.motion[i], model.motions, out)
            point_position[i] += out[0]
            point_velocity[i], point_acceleration[i] = out[1], out[2]
        pose = _body_poses(model, work)
        nodes, rates, tensions, ends = [], [], [], np.zeros((len(work.lines), 2, 3))
        for i, line in enumerate(work.lines):
            r, v, a, axial = _values(line, work.time)
            forces = link_end_forces(line.chain, r, v, a, axial, work.time)
            ends[i] = forces[0, 0], -forces[-1, 1]
            nodes.append(r)
            rates.append(v)
            tensions.append(node_tension(forces, axial))
            for side, node in ((0, 0), (1, -1)):
                k = int(model.lines.end_index[i, side])
                if model.lines.end_kind[i, side] == BODY:
                    continue
                point_force[k] += ends[i, side]
                if not line.chain.held[side]:
                    point_position[k], point_velocity[k], point_acceleration[k] = r[node], v[node], a[node]
                    point_force[k] = 0.0
        for k in range(n_points):
            if np.all(model.points.joint[k] == 0):
                mass, force, _ = free_end_loads(model, k, _density_at(model, point_position[k]))
                point_force[k] += force - mass * point_acceleration[k]
        return State(
            time=work.time,
            point_position=point_position,
            point_velocity=point_velocity,
            point_force=point_force,
            body_position=pose.position,
            body_quaternion=pose.quaternion,
            body_velocity=pose.velocity,
            body_rate=pose.rate,
            start=np.cumsum([0, *(r.shape[0] for r in nodes)]),
            s=np.concatenate([line.s for line in work.lines]),
            position=np.concatenate(nodes),
            velocity=np.concatenate(rates),
            tension=np.concatenate(tensions),
            end_force=ends,
            grounded=np.zeros(len(work.lines)),
        )

    def end_forces(self, work: Work, line: int = 0) -> EndForces:
        """Polynomials of the end forces over the current step, for coupling to another body."""
        own = work.lines[line]
        clock = own.clock[0]
        powers = clock.scale ** -np.arange(own.series.tension.shape[0], dtype=float)
        return EndForces(float(clock.begin), float(clock.end), -np.moveaxis(own.series.reaction, 2, 0) * powers)

    def snapshot(self, work: Work) -> dict[str, NDArray[Any] | float | int]:
        """All that the memory holds beyond the model."""
        saved: dict[str, NDArray[Any] | float | int] = {"time": work.time}
        for i, line in enumerate(work.lines):
            saved.update({f"{i}.{name}": getattr(line.series, name).copy() for name in KEPT})
            saved.update({f"{i}.bodies.{name}": getattr(line.series.bodies, name).copy() for name in KEPT_OF_BODIES})
            saved.update({f"{i}.clock": line.clock.view(np.float64).copy(), f"{i}.ledger": line.ledger.copy()})
            saved.update({f"{i}.energy": line.energy, f"{i}.wet": int(line.wet)})
        return saved

    def restore(self, model: Model, snapshot: Mapping[str, Any]) -> Work:
        """The memory of which a snapshot was taken; it advances to the same bits."""
        lines = []
        for i, name in enumerate(model.names.lines):
            wet = bool(snapshot[f"{i}.wet"])
            chain, s = build_chain(model, i, wet, self.damping, self.smoothing_speed)
            series = allocate(s.size - 1, self._order(), chain.bodies.size)
            for kept in KEPT:
                getattr(series, kept)[:] = snapshot[f"{i}.{kept}"]
            for kept in KEPT_OF_BODIES:
                getattr(series.bodies, kept)[:] = snapshot[f"{i}.bodies.{kept}"]
            clock, ledger = records(1, steps.CLOCK), snapshot[f"{i}.ledger"].copy()
            clock.view(np.float64)[:] = snapshot[f"{i}.clock"]
            lines.append(ChainWork(name, chain, s, series, clock, ledger, float(snapshot[f"{i}.energy"]), wet))
        return Work(float(snapshot["time"]), lines)

    def _check_settings(self) -> None:
        if self.step is not None and not self.step > 0.0:
            raise InputError(f"chain_series: step is {self.step} s; it must be positive")
        if not TIGHTEST <= self.tolerance < 1.0:
            raise InputError(f"chain_series: tolerance is {self.tolerance}; it must be from {TIGHTEST} to 1")
        if self.order is not None and not LOWEST_ORDER <= self.order <= HIGHEST_ORDER:
            raise InputError(f"chain_series: order is {self.order}; it must be {LOWEST_ORDER} to {HIGHEST_ORDER}")

    def _order(self) -> int:
        if self.order is not None:
            return self.order
        return max(LOWEST_ORDER, order_for(self.tolerance)) if self.step is None else FIXED_STEP_ORDER

    def _start_line(self, model: Model, state: State, i: int) -> ChainWork:
        name = model.names.lines[i]
        ends = state.position[[state.start[i], state.start[i + 1] - 1]]
        wet = model.sea.water_density > 0.0 and bool(np.all(ends[:, 2] <= 0.0))
        chain, s = build_chain(model, i, wet, self.damping, self.smoothing_speed)
        position, velocity, _ = resample(state, i, s)
        if self.start_from == "equilibrium":
            velocity = np.zeros_like(velocity)
            rest, _ = build_chain(still(model, state.time), i, wet, self.damping, self.smoothing_speed)
            position = _own_equilibrium(name, rest, model, i, state.time, position)
        if message := _at_surface(model, name, wet, position, state.time):
            raise InputError(message)
        series = allocate(s.size - 1, self._order(), chain.bodies.size)
        clock = records(1, steps.CLOCK)
        clock.begin = clock.end = state.time
        clock.scale = self.step or FIRST_SCALE * chain.time_floor
        clock.smallest = np.inf
        series.position[:, 0] = position.T
        series.position[:, 1] = velocity.T * clock[0].scale
        for row, k in enumerate(free_bodies(model, i)):
            attitude = rotation_matrix(state.body_quaternion[k])
            series.bodies.attitude[row, 0] = attitude.ravel()
            if self.start_from != "equilibrium":
                series.bodies.rate[row, 0] = attitude.T @ state.body_rate[k]
        line = ChainWork(name, chain, s, series, clock, np.zeros(3), 0.0, wet)
        self._integrate(line, state.time)
        if line.failure is not None:
            code, _, value = line.failure
            # other failures belong to the step that would follow: advance reports them
            if code in (steps.TAUT, steps.UNREACHABLE) or (code == steps.DRAG and value == state.time):
                raise InputError(explain(name, chain, clock, *line.failure, state.time, self.step or 0.0)[1])
        if line.failure is None and (message := _bodies_at_surface(model, i, line, state.time)):
            raise InputError(message)
        r, v, _, _ = _values(line, state.time)
        line.energy = sum(energy(chain, r, v, _bodies(line, state.time)))
        return line

    def _integrate(self, line: ChainWork, t: float) -> None:
        if line.failure is None:
            code, link, value = steps.integrate(
                line.chain, line.series, line.clock, line.ledger, t, self.tolerance, self.step or 0.0
            )
            if code != steps.DONE:
                line.failure = code, link, value

    def _figures(self, work: Work) -> dict[str, Any]:
        """Order, energies of all lines together, and of each line its steps, drift, error and energy balance."""
        lines: dict[str, dict[str, float]] = {}
        total = dict.fromkeys((*ENERGIES, "closure"), 0.0)
        for line in work.lines:
            clock = line.clock[0]
            own = lines[line.name] = {
                "steps": int(clock.steps),
                "smallest_step": float(clock.smallest),
                "length_drift": float(clock.drift),
                "error_estimate": float(clock.tail * line.chain.length.sum()),
            }
            if line.failure is not None:
                continue
            r, v, _, axial = _values(line, work.time)
            ledger = line.ledger.copy()
            tau = (work.time - clock.begin) / clock.scale
            steps.work_until(line.chain, line.series, tau, clock.scale, ledger)
            now = (*energy(line.chain, r, v, _bodies(line, work.time)), float(ledger[0] + ledger[1]), float(ledger[2]))
            for name, value in zip(ENERGIES, now, strict=True):
                total[name] += value
            own["lowest_axial_force"] = float(axial.min())
            own["energy_balance"] = now[0] + now[1] - line.energy - now[2] - now[3]
            total["closure"] += own["energy_balance"]
        return {"order": self._order(), "energy": total, "lines": lines}


def _steps(work: Work) -> int:
    return sum(int(line.clock[0].steps) for line in work.lines)


def _at_surface(model: Model, name: str, wet: bool, position: Array, t: float) -> str:
    """Message for a line that is not on one side of the water surface; empty if it is."""
    low, high = float(position[:, 2].min()), float(position[:, 2].max())
    if model.sea.water_density == 0.0 or (high <= 0.0 if wet else low >= 0.0):
        return ""
    return (
        f"line '{name}' reaches from z = {low:.4g} m to {high:.4g} m at t = {t:.6g} s; chain_series supports a line "
        "wholly in the water or wholly in air (water_density: 0), because weight and drag jump at the surface; use "
        "solver 'mixed_fem'"
    )


def _density_at(model: Model, position: Array) -> float:
    return model.sea.water_density if position[2] <= 0.0 else 0.0


def _values(line: ChainWork, t: float) -> tuple[Array, Array, Array, Array]:
    """Position, velocity, acceleration (n + 1, 3) and axial force (n,) at a time the series covers."""
    n = line.s.size
    position, velocity = np.empty((n, 3)), np.empty((n, 3))
    clock = line.clock[0]
    scale = float(clock.scale)
    if line.failure is not None:
        position[:] = line.series.position[:, 0].T
        velocity[:] = line.series.position[:, 1].T / scale
        return position, velocity, np.full((n, 3), np.nan), np.full(n - 1, np.nan)
    tau = (t - float(clock.begin)) / scale
    state_at(line.series, tau, scale, position, velocity)
    powers = tau ** np.arange(line.series.tension.shape[0], dtype=float)
    acceleration = np.tensordot(powers, line.series.acceleration, (0, 1)).T
    return position, velocity, acceleration, powers @ line.series.tension


def _bodies(line: ChainWork, t: float) -> list[BodyState]:
    """Attitudes, rates and eyes of the bodies of a line at a time the series covers."""
    if line.chain.bodies.size == 0:
        return []
    tau = 0.0 if line.failure is not None else (t - float(line.clock[0].begin)) / float(line.clock[0].scale)
    r, v, _, _ = _values(line, t)
    return body_states(line.chain, line.series, tau, r, v)


class Poses(NamedTuple):
    """Where all bodies of a model are; fields of State without `body_`."""

    position: Array
    quaternion: Array
    velocity: Array
    rate: Array


def _body_poses(model: Model, work: Work) -> Poses:
    """Free bodies from the series of their lines, the others where they are held."""
    bodies = model.bodies
    pose = Poses(bodies.position.copy(), bodies.quaternion.copy(), *np.zeros((2, *bodies.position.shape)))
    out = np.empty((3, 3))
    for k in range(bodies.mass.size):
        motion(work.time, bodies.motion[k], model.motions, out)
        pose.position[k] += out[0]
        pose.velocity[k] = out[1]
    for i, line in enumerate(work.lines):
        for k, body in zip(free_bodies(model, i), _bodies(line, work.time), strict=True):
            arm = bodies.centre[k] + body.record.eye  # of the eye, from the origin
            pose.position[k] = body.eye - body.attitude @ arm
            pose.velocity[k] = body.velocity - body.attitude @ np.cross(body.rate, arm)
            pose.rate[k] = body.attitude @ body.rate
            pose.quaternion[k] = quaternion_from_matrix(body.attitude)
    return pose


def _bodies_at_surface(model: Model, i: int, line: ChainWork, t: float) -> str:
    """Message for a body with volume that is not on the side of the surface on which its line is; empty if it is."""
    for k, body in zip(free_bodies(model, i), _bodies(line, t), strict=True):
        radius = radius_of(float(model.bodies.volume[k]))
        z = float((body.eye - body.attitude @ (model.bodies.centre[k] + body.record.eye))[2])
        dry = not line.wet
        if model.sea.water_density == 0.0 or radius == 0.0 or (z - radius >= 0.0 if dry else z + radius <= 0.0):
            continue
        return (
            f"body '{model.names.bodies[k]}' at z = {z:.4g} m, a sphere of radius {radius:.4g} m, touches the surface "
            f"at t = {t:.6g} s; chain_series supports bodies wholly in the water or in air: use solver 'mixed_fem'"
        )
    return ""


def _own_equilibrium(name: str, chain: Chain, model: Model, line: int, t: float, position: Array) -> Array:
    """Nodes at rest between where the ends are at t."""
    ends = position[[0, -1]].copy()
    out = np.empty((3, 3))
    for side in range(2):
        if chain.held[side]:
            place, moved = end_at_rest(model, line, side)
            motion(t, moved, model.motions, out)
            ends[side] = place + out[0]
    try:
        nodes, _, _ = equilibrium(chain, ends[0], ends[1])
    except ValueError as error:
        raise InputError(f"line '{name}': {error}") from None
    return nodes
