"""`Coupled`: a simulation whose caller moves some of its parts and takes the forces on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ropewalk.analysis.condensed import Condensed, condensed
from ropewalk.analysis.run import first_state, solver_for
from ropewalk.analysis.start import START_SETTINGS
from ropewalk.coupling import grips
from ropewalk.coupling.driven import Driven, with_private_motions
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.protocol import Pulling, Pulls, Report, Solver
from ropewalk.model.arrays import Array
from ropewalk.model.environment import build_sea
from ropewalk.model.in_time import steady_vector
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, rotation_matrix
from ropewalk.results.checkpoint import Checkpoint, DamagedError, Resumable, decode, encode
from ropewalk.spec.paths import NOT_GIVEN
from ropewalk.spec.system import Source, System

Forces = dict[str, tuple[Array, ...]]
_WEATHER = ("environment.current", "environment.waves", "environment.wind")  # read from the sea at every step
_RATES = ("point_velocity", "body_velocity", "body_rate", "velocity", "net_velocity")  # of a State


class Coupled:
    """A system in time, driven by another program.

    Parts with ``joint: coupled`` follow the caller. A body takes ``(position, quaternion, velocity, rate)`` and gives
    ``(force, moment)`` about its origin; a point takes ``(position, velocity)`` and gives ``(force,)``; all in
    world axes, SI units, quaternions scalar first. The force on a body is that of its lines: weight, hull and
    inertia of a coupled body are the caller's own. The steps inside are as short as the tolerance needs.

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

    def __init__(self, system: Source, *, solver: str | Solver | None = None) -> None:
        """system : a case with coupled parts    solver : name, or one with its settings; the case's unless given"""
        self._choice = solver
        self._driven: Driven
        self._work: Any = None  # memory of the solver
        self._cuts: tuple[tuple[str, float], ...] = ()  # lines that were cut, and where
        self._begin(System.of(system), None)

    def _begin(self, system: System, state: State | None) -> None:
        """Fresh memory, at the equilibrium of the case or at `state`, with the lines cut that were."""
        model, driven, solver = self._prepared(system)
        if state is not None:
            driven.follow(self._driven, state.time)
            solver = _as_given(solver)
        work = solver.start(model, first_state(system, model, solver) if state is None else state)
        if state is not None:
            grips.carry_memory(model, self._work, work)
        self._take(system, model, driven, solver)
        self._work, self._report = work, Report()
        self._time = 0.0 if state is None else state.time
        self._cuts = () if state is None else self._cuts
        for line, s in self._cuts:
            grips.cut(model, work, model.names.lines.index(line), s)

    def _prepared(self, system: System) -> tuple[Model, Driven, Solver]:
        """Arrays, driven parts and solver of a case."""
        model = with_private_motions(build(system))
        driven = Driven(system, model)
        _refuse(model, driven)
        return model, driven, solver_for(system, model, self._choice)

    def _take(self, system: System, model: Model, driven: Driven, solver: Solver) -> None:
        self.system, self.model, self.solver, self._driven = system, model, solver, driven
        self._ends = _body_ends(model)
        self._is_pulling = isinstance(solver, Pulling)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self._time

    @property
    def state(self) -> State:
        """Where everything is."""
        return self.solver.read(self.model, self._work)

    @property
    def report(self) -> Report:
        """What the solver reported of the last step."""
        return self._report

    def step(self, dt: float, states: Mapping[str, Sequence[Any]]) -> Forces:
        """Move to time + dt, where the driven parts have `states`; the forces on them at that time.

        ConvergenceError if the solver fails; `restore` what was saved before, or go on with another motion.
        """
        if not 0.0 < dt < np.inf:
            raise InputError(f"step of {dt:g} s: it must be positive and finite")
        before = self._driven.position, self._driven.velocity
        self._driven.drive(self._time, dt, states)
        if hasattr(self.solver, "redrive"):
            self.solver.redrive(self.model, self._work, self._time + dt)
        pulls = None
        if self._is_pulling:
            self._report, pulls = self.solver.advance_pulling(self.model, self._work, self._time + dt)  # type: ignore[attr-defined]
        else:
            self._report = self.solver.advance(self.model, self._work, self._time + dt)
        if not self._report.good:
            self._driven.position, self._driven.velocity = before
            raise ConvergenceError(self._report.message or self._report.status.value, self._report)
        self._time += dt
        return self.forces() if pulls is None else self._taken(pulls)

    def _taken(self, pulls: Pulls) -> Forces:
        """Those of the driven parts."""
        point_force, wrench = pulls
        return {
            part.name: (wrench[part.which, :3].copy(), wrench[part.which, 3:].copy())
            if part.is_body
            else (point_force[part.which].copy(),)
            for part in self._driven.parts
        }

    def forces(self) -> Forces:
        """Forces (N) and moments (N m) on the driven parts now."""
        state = self.state
        out: Forces = {}
        for part in self._driven.parts:
            if part.is_body:
                out[part.name] = self._wrench(state, part.which)
            else:
                out[part.name] = (state.point_force[part.which].copy(),)
        return out

    def _wrench(self, state: State, body: int) -> tuple[Array, Array]:
        """Force and moment of lines and nets about the origin of a body."""
        force, moment = np.zeros(3), np.zeros(3)
        turn = rotation_matrix(state.body_quaternion[body])
        for line, end, offset in self._ends[body]:
            pull = state.end_force[line, end]
            force += pull
            moment += np.cross(turn @ offset, pull)
        return force, moment

    def linearised(self) -> Condensed:
        """Mass, damping and stiffness of the lines on the driven parts now: for partners that step implicitly.

        The forces change by ``-(stiffness @ dx + damping @ dv + mass @ da)``, rows in the order of ``dofs``: points
        first, then bodies (translations, rotation vectors about world axes). Lines follow as if slowly; see
        `analysis/condensed.py`.
        """
        state = self.state
        points = [part.which for part in self._driven.parts if not part.is_body]
        bodies = [part.which for part in self._driven.parts if part.is_body]
        return condensed(self.model, state, points, bodies)

    def save(self) -> bytes:
        """All that the next step depends on; `restore` goes on from it to the same bits."""
        if not isinstance(self.solver, Resumable):
            raise InputError(f"solver '{self.solver.name}' cannot be saved")
        snapshot = {**self.solver.snapshot(self._work), **self._driven.snapshot()}
        loop = {"time": self._time, "system": self._text(), "cuts": [list(cut) for cut in self._cuts]}
        return encode(Checkpoint(0, snapshot, loop))

    def restore(self, saved: bytes) -> None:
        """Go back to a moment that was saved with the same case."""
        try:
            checkpoint = decode(saved)
        except DamagedError as error:
            raise InputError(f"the saved state cannot be restored: {error}") from None
        if checkpoint.loop["system"] != self._text():
            system = System.model_validate_json(checkpoint.loop["system"])
            self._take(system, *self._prepared(system))
        assert isinstance(self.solver, Resumable)
        self._driven.restore(checkpoint.snapshot)
        own = {key: value for key, value in checkpoint.snapshot.items() if not key.startswith("driven.")}
        self._work = self.solver.restore(self.model, own)
        self._time = float(checkpoint.loop["time"])
        self._cuts = tuple((str(line), float(s)) for line, s in checkpoint.loop["cuts"])

    def set(self, path: str | Mapping[str, Any], value: Any = NOT_GIVEN) -> None:
        """Change the case from now on: ``set("lines.west.pieces.0.length", 455)``; parts go on from where they are.

        Several values at once: ``set({"environment.current.speed": 1.2, "environment.wind.speed": 20})``.
        """
        system = self.system.replace(path, value)
        paths = [path] if isinstance(path, str) else list(path)
        if grips.can_cut(self._work) and all(one.startswith(_WEATHER) for one in paths):
            self.system, self.model = system, self.model._replace(sea=build_sea(system.environment))
            grips.change_sea(self.model, self._work)
        else:
            self._begin(system, self.state)

    def pull(self, name: str, force: Sequence[float] | Array) -> None:
        """Pull at the mass centre of a free part with `force` (N, world) beside its other loads, until another pull."""
        given = np.asarray(force, dtype=np.float64)
        if given.shape != (3,) or not np.isfinite(given).all():
            raise InputError(f"pull on '{name}': {force!r} N is not a force; give three finite numbers")
        names = self.model.names
        if name in names.points:
            which = names.points.index(name)
            if grips.can_cut(self._work):
                grips.pull_point(self.model, self._work, which, given)
            else:
                self._reload(f"points.{name}.force", steady_vector(self.system.points[name].force), given)
        elif name in names.bodies:
            self._pull_body(names.bodies.index(name), given)
        else:
            raise InputError(f"no point or body '{name}' to pull")

    def _pull_body(self, which: int, force: Array) -> None:
        bodies = self.model.bodies
        arm = bodies.centre[which] - bodies.load_at[which]
        moment = np.cross(rotation_matrix(self.state.body_quaternion[which]) @ arm, force)
        if grips.can_cut(self._work):
            grips.pull_body(self.model, self._work, which, force, moment)
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
        return grips.can_cut(self._work)

    @property
    def cuts(self) -> tuple[tuple[str, float], ...]:
        """Lines that were cut, and where (m from end A)."""
        return self._cuts

    def cut(self, line: str, s: float) -> None:
        """Cut a line at s (m from end A) now; both stubs fall free. With solver mixed_fem only."""
        if line not in self.model.names.lines:
            raise InputError(f"no line '{line}' to cut; there are {', '.join(self.model.names.lines)}")
        grips.cut(self.model, self._work, self.model.names.lines.index(line), float(s))
        self._cuts = (*self._cuts, (line, float(s)))

    def calm(self, solver: Solver, *, still: bool = False) -> None:
        """Go on by `solver` from where everything is.  still : from rest"""
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
    names = {field.name for field in fields(settings)} & set(START_SETTINGS)
    return replace(settings, **dict.fromkeys(names, "as_given"))  # type: ignore[no-any-return]


def _refuse(model: Model, driven: Driven) -> None:
    """InputError for what would pull at a driven body without being counted."""
    bodies = {part.which: part.name for part in driven.parts if part.is_body}
    if held := [bodies[int(k)] for k in model.nets.body if int(k) in bodies]:
        raise InputError(f"body '{held[0]}' is coupled and has a net fastened to it; fasten the net to coupled points")
    linked = model.links.end_index[model.links.end_kind == BODY]
    if held := [bodies[int(k)] for k in linked if int(k) in bodies]:
        raise InputError(f"body '{held[0]}' is coupled and linked; make one body of what is linked to it")


def _body_ends(model: Model) -> dict[int, list[tuple[int, int, Array]]]:
    """Line, end and place in the body frame of all line ends on each body."""
    lines = model.lines
    found: dict[int, list[tuple[int, int, Array]]] = {k: [] for k in range(len(model.names.bodies))}
    for line, end in zip(*np.nonzero(lines.end_kind == BODY), strict=True):
        found[int(lines.end_index[line, end])].append((int(line), int(end), lines.end_offset[line, end]))
    return found
