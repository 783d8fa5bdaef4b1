"""`Coupled`: a simulation whose caller moves some of its parts and takes the forces on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as settings_of
from dataclasses import replace
from typing import Any

import numpy as np

from ropewalk.analysis.audit_steps import StepAudit, is_finite
from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.run import solver_for
from ropewalk.analysis.start import START_SETTINGS, first_state
from ropewalk.coupling.driven import Driven, with_private_motions
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.linear import Condensed, condensed
from ropewalk.methods.mixed import FemRun
from ropewalk.methods.protocol import Pulling, Pulls, Report, Solver, Status
from ropewalk.model.arrays import Array
from ropewalk.model.environment import build_sea
from ropewalk.model.in_time import steady_vector
from ropewalk.model.lines import BODY, POINT
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, rotation_matrix
from ropewalk.results.checkpoint import Checkpoint, DamagedError, Resumable, decode, encode
from ropewalk.spec import arguments
from ropewalk.spec.base import LARGEST
from ropewalk.spec.fields import Fields
from ropewalk.spec.paths import NOT_GIVEN
from ropewalk.spec.system import Source, System

Forces = dict[str, tuple[Array, ...]]
_WEATHER = ("environment.current", "environment.waves", "environment.wind")  # read from the sea at every step
_PARTS = ("points", "bodies", "lines", "links", "nets")  # of a System
LONGEST_STEP = 1e4  # s
_NUMBERS = (float, int, np.floating, np.integer)
REELS = 4  # parts of a step in which a line is brought to a length that was set: 2 leave twice the error
_LENGTH = re.compile(r"lines\.([^.]+)\.pieces\.0\.length")
_RATES = ("point_velocity", "body_velocity", "body_rate", "velocity", "net_velocity")  # of a State


class Coupled:
    """A system in time, driven by another program.

    Parts with ``joint: coupled`` follow the caller. A body takes ``(position, quaternion, velocity, rate)`` and returns
    ``(force, moment)`` about its origin; a point takes ``(position, velocity)`` and returns ``(force,)``; all in
    world axes, SI units, quaternions scalar first. The force on a body is that of its lines: weight, hull and
    inertia of a coupled body are the caller's own. Internal steps are chosen by the tolerance.

    >>> import ropewalk as rw
    >>> system = rw.System.model_validate({
    ...     "ropewalk": 1,
    ...     "environment": {"depth": 50},
    ...     "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.05}},
    ...     "points": {"anchor": {"position": [0, 0, -50]},
    ...                "fairlead": {"position": [120, 0, 0], "joint": "coupled"}},
    ...     "lines": {"m": {"from": "anchor", "to": "fairlead", "pieces": [{"section": "chain", "length": 135}]}},
    ... })
    >>> c = rw.Coupled(system)
    >>> force, = c.step(0.1, {"fairlead": ([120.05, 0, 0], [1.0, 0, 0])})["fairlead"]
    >>> bool(force[0] < 0)
    True
    """

    def __init__(
        self,
        system: Source,
        *,
        solver: str | Solver | None = None,
        fields: Fields | Mapping[str, Any] | None = None,
    ) -> None:
        """Take a case with coupled parts.

        solver : name, or one with its settings; the case's unless given    fields : functions of one's own, `Fields`
        """
        self._choice, self._fields = solver, Fields.of(fields)
        self._driven: Driven
        self._system: System
        self._reeled: dict[str, float] = {}  # lengths set since the case was written anew, by path
        self._work: Any = None  # memory of the solver
        self._cuts: tuple[tuple[str, float], ...] = ()  # lines that were cut, and where
        self._audit: StepAudit
        self._report: Report
        self._begin(System.of(system), None)

    def _begin(self, system: System, state: State | None) -> None:
        """Fresh memory, at the equilibrium of the case or at `state`, with the lines cut that were."""
        model, driven, solver = self._prepared(system)
        if state is not None:
            driven.follow(self._driven, state.time)
            solver = _as_given(solver)
        first, doubts = first_state(system, model, solver, self._fields) if state is None else (state, ())
        work = solver.start(model, first)
        if state is None:
            begun = solver.read(model, work) if hasattr(solver, "at_rest") else None  # it is on its own bars
            self._audit = StepAudit(model, doubts, first, begun)
        else:
            old, new = FemRun.of(self._work), FemRun.of(work)
            if old is not None and new is not None:
                new.carry_memory(model, old)
            self._audit.anew(model, self._report)
        self._take(system, model, driven, solver)
        self._work, self._report = work, Report()
        self._time = 0.0 if state is None else state.time
        self._cuts = () if state is None else self._cuts
        for line, s in self._cuts:
            self._part(work, line, s)

    def _prepared(self, system: System) -> tuple[Model, Driven, Solver]:
        """Arrays, driven parts and solver of a case."""
        model = with_private_motions(build(system, self._fields))
        driven = Driven(system, model)
        _refuse(model, driven)
        return model, driven, solver_for(system, model, self._choice)

    def _take(self, system: System, model: Model, driven: Driven, solver: Solver) -> None:
        self.system, self.model, self.solver, self._driven = system, model, solver, driven
        self._ends = _body_ends(model)
        self._reelable: dict[int, bool] = {}
        self._reeling: dict[int, float] = {}  # lengths (m) that lines have at the end of the next step, by line
        self._is_pulling = isinstance(solver, Pulling)
        links = model.links
        ends = [(bool(kind == BODY), int(k)) for kind, k in zip(links.end_kind.flat, links.end_index.flat, strict=True)]
        self._is_linked = any((part.is_body, part.which) in ends for part in driven.parts)

    @property
    def system(self) -> System:
        """The case as it is now."""
        if self._reeled:
            self._system, self._reeled = self._system.replace(self._reeled), {}
        return self._system

    @system.setter
    def system(self, system: System) -> None:
        self._system, self._reeled = system, {}

    def length(self, line: str) -> float:
        """Unstretched length of a line, m; one that was set is reached at the end of the next step."""
        arguments.name_of("line", line, self.model.names.lines)
        which = self.model.names.lines.index(line)
        return self._reeling.get(which, float(self.model.lines.length[which]))

    def _reel_through(self, dt: float) -> None:
        """Bring lines to the lengths that were set in REELS parts of a step of dt (s), up to before the last one."""
        for k in range(1, REELS):
            self._reel_by(1.0 / (REELS + 1 - k))
            self._report = self.solver.advance(self.model, self._work, self._time + dt * k / REELS)
            if not self._report.good:
                break
        self._reel_by(1.0)
        self._reeling = {}

    def _reel_by(self, share: float) -> None:
        """Change lengths by a share of what is left to do."""
        if self._reeling:
            self._audit.changes(self._report)
        for line, target in self._reeling.items():
            now = float(self.model.lines.length[line])
            self.model = FemRun(self._work).reel(self.model, line, now + share * (target - now))

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self._time

    @property
    def state(self) -> State:
        """The state at that time."""
        return self.solver.read(self.model, self._work)

    @property
    def report(self) -> Report:
        """The solver's report on the last step."""
        return self._report

    def step(self, dt: float, states: Mapping[str, Sequence[Any]]) -> Forces:
        """Move to time + dt, where the driven parts have `states`; the forces on them at that time.

        ConvergenceError if the solver fails; `restore` what was saved before, or continue with another motion.
        """
        if not isinstance(dt, _NUMBERS) or not 0.0 < dt < np.inf:
            raise InputError(f"step of {dt!r} s: it must be positive and finite")
        if dt > LONGEST_STEP:
            raise InputError(f"step of {dt:g} s: at most {LONGEST_STEP:g} s; take shorter ones")
        dt = float(dt)
        before = self._driven.position, self._driven.velocity
        self._driven.drive(self._time, dt, states)
        if hasattr(self.solver, "redrive"):
            self.solver.redrive(self.model, self._work, self._time + dt)
        if self._reeling:
            self._reel_through(dt)
        pulls = None
        if self._is_pulling:
            self._report, pulls = self.solver.advance_pulling(self.model, self._work, self._time + dt)  # type: ignore[attr-defined]
        else:
            self._report = self.solver.advance(self.model, self._work, self._time + dt)
        if not self._report.good:
            self._driven.position, self._driven.velocity = before
            raise ConvergenceError(self._report.message or self._report.status.value, self._report)
        self._time += dt
        forces = self.forces() if pulls is None else self._taken(pulls)
        if not is_finite(forces):
            self._report = replace(self._report, status=Status.NOT_FINITE)
            raise ConvergenceError(f"forces at t = {self._time:.4g} s are not finite", self._report)
        self._audit.step(self.model, self._report, lambda: self.state)
        return forces

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is doubtful about the equilibrium at the start and about the steps so far, each with its figure.

        The figures are those of a run; figures with which a run fails its audit are doubts here that say so.
        """
        self._audit.look(self.model, self.state, self._report)
        return tuple(self._audit.doubts(self.model, self._report))

    @property
    def audited_steps(self) -> int:
        """Steps since the start that `doubts` are about."""
        return self._audit.steps

    def _taken(self, pulls: Pulls) -> Forces:
        """Those of the driven parts."""
        point_force, wrench = pulls
        found: Forces = {
            part.name: (wrench[part.which, :3].copy(), wrench[part.which, 3:].copy())
            if part.is_body
            else (point_force[part.which].copy(),)
            for part in self._driven.parts
        }
        if self._is_linked:
            state = self.state
            for part in self._driven.parts:
                if part.is_body:
                    add_links(self.model, state, part.which, *found[part.name])
                else:
                    add_links_at(self.model, state, part.which, *found[part.name])
        return found

    def forces(self) -> Forces:
        """Forces (N) and moments (N m) on the driven parts now."""
        state = self.state
        out: Forces = {}
        for part in self._driven.parts:
            if part.is_body:
                out[part.name] = self._wrench(state, part.which)
            else:
                out[part.name] = (state.point_force[part.which].copy(),)
                if self._is_linked:
                    add_links_at(self.model, state, part.which, *out[part.name])
        return out

    def _wrench(self, state: State, body: int) -> tuple[Array, Array]:
        """Force and moment of lines and links about the origin of a body."""
        force, moment = np.zeros(3), np.zeros(3)
        turn = rotation_matrix(state.body_quaternion[body])
        for line, end, offset in self._ends[body]:
            pull = state.end_force[line, end]
            force += pull
            moment += np.cross(turn @ offset, pull)
        if self._is_linked:
            add_links(self.model, state, body, force, moment)
        return force, moment

    def linearised(self) -> Condensed:
        """Mass, damping and stiffness of the lines on the driven parts now, for programs with implicit steps.

        The forces change by ``-(stiffness @ dx + damping @ dv + mass @ da)``, rows in the order of ``dofs``: points
        first, then bodies (translations, rotation vectors about world axes). Lines respond quasi-statically; see
        `methods/linear/condense.py`.
        """
        state = self.state
        points = [part.which for part in self._driven.parts if not part.is_body]
        bodies = [part.which for part in self._driven.parts if part.is_body]
        return condensed(self.model, state, points, bodies)

    def save(self) -> bytes:
        """Everything that the next step depends on; `restore` continues from it with bit-identical results."""
        if not isinstance(self.solver, Resumable):
            raise InputError(f"solver '{self.solver.name}' cannot be saved")
        self._reel_by(1.0)  # what was set is part of the case
        self._reeling = {}
        snapshot = {**self.solver.snapshot(self._work), **self._driven.snapshot()}
        loop = {
            "time": self._time,
            "system": self._text(),
            "cuts": [list(cut) for cut in self._cuts],
            "audit": self._audit.saved(),
        }
        return encode(Checkpoint(0, snapshot, loop))

    def restore(self, saved: bytes) -> None:
        """Return to a state saved with the same case."""
        if not isinstance(saved, bytes | bytearray | memoryview):
            raise InputError(f"a saved state is bytes, not {type(saved).__name__}")
        try:
            checkpoint = decode(saved)
        except DamagedError as error:
            raise InputError(f"the saved state cannot be restored: {error}") from None
        if not {"time", "system", "cuts", "audit"} <= set(checkpoint.loop):
            raise InputError("the saved state cannot be restored: it is that of a run, not of Coupled")
        self._reel_by(1.0)
        self._reeling = {}
        if checkpoint.loop["system"] != self._text():
            system = System.model_validate_json(checkpoint.loop["system"])
            if any(set(getattr(system, kind)) != set(getattr(self.system, kind)) for kind in _PARTS):
                raise InputError("the saved state cannot be restored: it is that of another case, with other parts")
            self._take(system, *self._prepared(system))
        assert isinstance(self.solver, Resumable)
        self._driven.restore(checkpoint.snapshot)
        own = {key: value for key, value in checkpoint.snapshot.items() if not key.startswith("driven.")}
        self._work = self.solver.restore(self.model, own)
        self._time = float(checkpoint.loop["time"])
        self._audit, self._report = StepAudit.restored(self.model, checkpoint.loop["audit"]), Report()
        self._cuts = tuple((str(line), float(s)) for line, s in checkpoint.loop["cuts"])

    def set(self, path: str | Mapping[str, Any], value: Any = NOT_GIVEN) -> None:
        """Change the case from now on: ``set("lines.west.pieces.0.length", 455)``; the motion continues unchanged.

        Several values at once: ``set({"environment.current.speed": 1.2, "environment.wind.speed": 20})``.
        """
        if not isinstance(path, str | Mapping):
            raise InputError(f"set takes the path of a key, or a mapping of paths to values, not {type(path).__name__}")
        if isinstance(path, str) and self._reel(path, value):
            return
        system = self.system.replace(path, value)
        paths = [path] if isinstance(path, str) else list(path)
        fixed_flow = self._fields.current is None and all(one.startswith(_WEATHER) for one in paths)
        run = FemRun.of(self._work)
        if fixed_flow and run is not None:
            self.system, self.model = system, self.model._replace(sea=build_sea(system.environment))
            run.change_sea(self.model)
        else:
            self._reel_by(1.0)
            self._begin(system, self.state)

    def _reel(self, path: str, value: Any) -> bool:
        """Give a line another length without building anything anew; False where that cannot be done."""
        found = _LENGTH.fullmatch(path)
        names = self.model.names.lines
        if found is None or found[1] not in names or self._cuts or isinstance(value, bool):
            return False
        line = names.index(found[1])
        if not isinstance(value, int | float) or not 0.0 < value < LARGEST or not self._can_reel(line):
            return False
        self._reeling[line] = self._reeled[path] = float(value)
        return True

    def _can_reel(self, line: int) -> bool:
        if line not in self._reelable:
            run = FemRun.of(self._work)
            self._reelable[line] = run is not None and run.can_reel(self.model, line)
        return self._reelable[line]

    def flow(self, velocity: Callable[..., Any]) -> None:
        """Replace the case's current by a function u(r, t), three numbers in m/s, from now on.

        Its time derivative is the acceleration of the water. The waves of the case are kept.
        """
        self._fields = replace(self._fields, current=velocity)
        self._reel_by(1.0)
        system = self.system
        if system.environment.current is not None:
            system = system.replace("environment.current", None)
        self._begin(system, self.state)

    def pull(self, name: str, force: Sequence[float] | Array) -> None:
        """Apply `force` (N, world) at the centre of mass of a free part, on top of its loads, until the next call."""
        try:
            given = np.asarray(force, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.full(3, np.nan)
        if given.shape != (3,) or not np.isfinite(given).all():
            raise InputError(f"pull on '{name}': {force!r} N is not a force; give three finite numbers")
        names, run = self.model.names, FemRun.of(self._work)
        if name in names.points:
            if run is not None:
                run.pull_point(self.model, names.points.index(name), given)
            else:  # other solvers copy loads when they start
                self._reload(f"points.{name}.force", steady_vector(self.system.points[name].force), given)
        elif name in names.bodies:
            self._pull_body(names.bodies.index(name), given)
        else:
            raise InputError(f"no point or body '{name}' to pull")

    def _pull_body(self, which: int, force: Array) -> None:
        bodies = self.model.bodies
        arm = bodies.centre[which] - bodies.load_at[which]
        moment = np.cross(rotation_matrix(self.state.body_quaternion[which]) @ arm, force)
        if (run := FemRun.of(self._work)) is not None:
            run.pull_body(self.model, which, force, moment)
        else:  # the moment of the arm is left out: loads of the case act at one place
            name = self.model.names.bodies[which]
            self._reload(f"bodies.{name}.loads.force", steady_vector(self.system.bodies[name].loads.force), force)

    def _reload(self, path: str, own: Sequence[float], force: Array) -> None:
        """A pull as a change of the case, taken back by the next."""
        kept = self.system
        self._begin(kept.replace(path, tuple(np.asarray(own) + force)), self.state)
        self.system = kept

    @property
    def can_cut(self) -> bool:
        """Whether `cut` is possible with the solver of this case."""
        return FemRun.of(self._work) is not None

    @property
    def cuts(self) -> tuple[tuple[str, float], ...]:
        """Lines that were cut, and where (m from end A)."""
        return self._cuts

    def cut(self, line: str, s: float) -> None:
        """Cut a line at s (m from end A) now; both stubs fall free. With solver mixed_fem only."""
        arguments.name_of("line to cut", line, self.model.names.lines)
        if not isinstance(s, _NUMBERS):
            raise InputError(f"a line is cut at a length from its end A in m, not at {s!r}")
        self._audit.changes(self._report)
        self._part(self._work, line, float(s))
        self._cuts = (*self._cuts, (line, float(s)))

    def _part(self, work: Any, line: str, s: float) -> None:
        """Part a line of the run with the memory `work`; InputError for solvers that cannot."""
        run = FemRun.of(work)
        if run is None:
            raise InputError(f"line '{line}' cannot be cut: only solver mixed_fem parts lines")
        run.cut(self.model, self.model.names.lines.index(line), s)

    def calm(self, solver: Solver, *, still: bool = False) -> None:
        """Continue with `solver` from the present state.  still : from rest"""
        state = self.state
        if still:
            at_rest = {name: np.zeros_like(getattr(state, name)) for name in _RATES}
            state = state._replace(**at_rest)
        self._choice = solver
        self._begin(self.system, state)

    def _text(self) -> str:
        return self.system.model_dump_json(by_alias=True, exclude_unset=True)


def _as_given(solver: Solver) -> Solver:
    """The solver without an equilibrium of its own at the start."""
    settings: Any = solver
    names = {field.name for field in settings_of(settings)} & set(START_SETTINGS)
    return replace(settings, **dict.fromkeys(names, "as_given"))  # type: ignore[no-any-return]


def _refuse(model: Model, driven: Driven) -> None:
    """InputError for what would pull at a driven body without being counted."""
    bodies = {part.which: part.name for part in driven.parts if part.is_body}
    if held := [bodies[int(k)] for k in model.nets.body if int(k) in bodies]:
        raise InputError(f"body '{held[0]}' is coupled and has a net fastened to it; fasten the net to coupled points")


def add_links(model: Model, state: State, body: int, force: Array, moment: Array) -> None:
    """Add what links put on a body to its force (N) and moment (N m) about its origin, in place.

    A link holds its second end with `link_force` there; what it does to its first end is the reverse of that.
    """
    links = model.links
    for link, end in zip(*np.nonzero((links.end_kind == BODY) & (links.end_index == body)), strict=True):
        sign = 1.0 if end == 1 else -1.0
        pull, twist = sign * state.link_force[link], sign * state.link_moment[link]
        force += pull
        moment += twist + np.cross(_link_end(model, state, int(link)) - state.body_position[body], pull)


def add_links_at(model: Model, state: State, point: int, force: Array) -> None:
    """Add what links put on a point, which is always their second end, to its force (N) in place."""
    links = model.links
    for link in np.flatnonzero((links.end_kind[:, 1] == POINT) & (links.end_index[:, 1] == point)):
        force += state.link_force[link]


def _link_end(model: Model, state: State, link: int) -> Array:
    """Where the second end of a link is, m."""
    links, k = model.links, int(model.links.end_index[link, 1])
    place: Array
    if links.end_kind[link, 1] != BODY:
        place = state.point_position[k]
        return place
    place = state.body_position[k] + rotation_matrix(state.body_quaternion[k]) @ links.offset[link, 1]
    return place


def _body_ends(model: Model) -> dict[int, list[tuple[int, int, Array]]]:
    """Line, end and place in the body frame of all line ends on each body."""
    lines = model.lines
    found: dict[int, list[tuple[int, int, Array]]] = {k: [] for k in range(len(model.names.bodies))}
    for line, end in zip(*np.nonzero(lines.end_kind == BODY), strict=True):
        found[int(lines.end_index[line, end])].append((int(line), int(end), lines.end_offset[line, end]))
    return found
