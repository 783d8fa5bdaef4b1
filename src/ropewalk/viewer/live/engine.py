"""The simulation behind a live page: takes hold, changes, cuts, and never loses its footing.

A step that fails, or gives anything but numbers, is undone: the engine goes back to a state that it saved, lets go of
the part in the hand, and damps the motion for a while. Should that fail again it goes back further, damps harder, then
starts from rest, and in the end from the beginning.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, fields, replace
from time import thread_time
from typing import Any

import numpy as np

from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.run import solver_for
from ropewalk.coupling.coupled import Coupled
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.mixed import FemRun
from ropewalk.methods.protocol import Claim, Solver
from ropewalk.model.arrays import Array
from ropewalk.model.model import build
from ropewalk.model.state import State
from ropewalk.spec.system import System
from ropewalk.viewer.live.changes import EVERY, Changes, Flow, Length, Sea
from ropewalk.viewer.live.driving import Movers, drivable
from ropewalk.viewer.live.pulling import Pull, pull_on

CHUNK = 1.0 / 60.0  # s simulated between two looks at the hand
SAVE_EVERY = 0.5  # s simulated between two saved states
KEPT = 8  # saved states
SHORTEST_STEP = 2e-5  # s: a solver that needs shorter ones for a chunk has failed
FURTHEST = 50.0  # extents of the scene: what is further away has flown off
CALM = (0.5, 2.0, 10.0)  # 1/s: mass-proportional damping after the first, second and further failures in a row
CALM_TIME = 3.0  # s simulated with damping after a failure
GENTLE = 0.3  # share of the hand's speed and strength while it is damped
SLOW_CHUNK = 0.4  # s of processor time for one chunk: the solver struggles
MOST_IN_A_ROW = 5  # failures without a calm time between them: then back to the beginning
WILDEST = 1e4  # times weights and first tensions: a tension beyond is a step that went wrong


@dataclass
class Saved:
    """A state to go back to."""

    data: bytes
    time: float
    hand: list[tuple[Array, Array]]


class Engine:
    """A case that is moved by hand. `advance` it; between calls `grab`, `move`, `release`, change and cut."""

    def __init__(self, system: System) -> None:
        if system.rods:
            raise InputError("rods float in statics only; a live simulation needs lines, bodies or nets")
        self.given = system
        self.case = drivable(system)
        self._solver = live_solver(self.case)
        self.notes: deque[tuple[float, str]] = deque(maxlen=40)  # time (s) and sentence
        self.failures = 0
        self._first: bytes = b""
        self._begin()
        self._rehearse()

    def _rehearse(self) -> None:
        """Take a step and undo it, so that whatever has to be compiled is compiled before the page opens."""
        self.advance(CHUNK)
        self._back_to_first()
        self.notes.clear()
        self.failures = 0

    def _begin(self) -> None:
        """At the equilibrium of the case."""
        self._coupled = Coupled(self.case, solver=self._solver)
        self._coupled.system = self._on_its_mesh(self._coupled.system)
        self._first = self._coupled.save()
        self._reset_hand()

    def _on_its_mesh(self, system: System) -> System:
        """The case with the elements that the equilibrium was found on, so that changes keep the nodes."""
        run = FemRun.of(self._coupled._work)
        if run is None:
            return system
        counts = run.elements
        changes, k = {}, 0
        for name, line in system.lines.items():
            for i in range(len(line.pieces)):
                changes[f"lines.{name}.pieces.{i}.elements"] = int(counts[k])
                k += 1
        return system.replace(changes)

    def _reset_hand(self) -> None:
        self.state: State = self._coupled.state
        self._movers = Movers(self.given, self.case)
        self.changes = Changes(self._coupled.system)
        self.cuts: dict[str, float] = {}
        self._pull: Pull | None = None
        self._place: Array = np.zeros(3)
        self._saved: deque[Saved] = deque(maxlen=KEPT)
        self.doubts: tuple[Doubt, ...] = ()  # as of the state saved last
        self._row = 0  # failures without a calm time between them
        self._calm_until, self._changed_at, self._saved_at = -np.inf, 0.0, -np.inf
        self._rest = self.state
        self._limits = self._scales()
        self._give_up_soon()
        self._save()

    def _scales(self) -> tuple[float, float]:
        """Distance from the origin (m) and tension (N) beyond which a state is wrong."""
        state, model = self.state, self._coupled.model
        places = np.concatenate([state.position, state.point_position, state.body_position, state.net_position])
        size = float(np.ptp(places, axis=0).max()) if places.size else 1.0
        far = float(np.abs(places).max(initial=0.0)) + FURTHEST * max(size, 1.0)
        sections, lines = model.sections, model.lines
        weight = float(sections.mass[lines.piece_section] @ lines.piece_length + model.bodies.mass.sum()) * 10.0
        return far, WILDEST * max(float(state.tension.max(initial=0.0)), weight, 1.0)

    # --- what is known ---

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._coupled.time

    @property
    def system(self) -> System:
        """The case as it now is."""
        return self._coupled.system

    @property
    def model(self) -> Any:
        """Its arrays."""
        return self._coupled.model

    @property
    def solver_name(self) -> str:
        """Name of the solver."""
        return self._solver.name

    @property
    def is_calming(self) -> bool:
        """Whether extra damping acts."""
        return self.time < self._calm_until

    @property
    def can_cut(self) -> bool:
        """Whether lines can be cut."""
        return self._coupled.can_cut

    @property
    def held(self) -> str:
        """Name of the part in the hand, empty without."""
        if self._pull is not None:
            return self._pull.name
        return next((part.name for part in self._movers.parts if part.target is not None), "")

    def grips_of(self) -> dict[str, str]:
        """How each part answers to the hand: 'pull' for free ones, 'move' for held ones; others are not listed."""
        model = self._coupled.model
        found = {part.name: "move" for part in self._movers.parts}
        for kind, names in (("point", model.names.points), ("body", model.names.bodies)):
            for k, name in enumerate(names):
                if name not in found and pull_on(model, self._rest, kind, k, np.zeros(3)) is not None:
                    found[name] = "pull"
        return found

    @property
    def steps(self) -> int:
        """Steps that the audit has followed since the beginning."""
        return self._coupled.audited_steps

    def doubts_now(self) -> tuple[Doubt, ...]:
        """What is doubtful about the equilibrium at the beginning and about the motion since, up to now."""
        self.doubts = self._coupled.doubts
        return self.doubts

    # --- what the hand does ---

    def grab(self, kind: str, which: int, place: Array) -> bool:
        """Take hold of a point or body; False for one that cannot be moved."""
        self.release()
        names = self._coupled.model.names
        known = names.points if kind == "point" else names.bodies if kind == "body" else ()
        if not 0 <= which < len(known):
            return False
        mover = self._movers.find(known[which])
        if mover is not None:
            mover.target = place
        else:
            now = self.state.body_position if kind == "body" else self.state.point_position
            self._pull = pull_on(self._coupled.model, self._rest, kind, which, now[which])
        self._place = place
        return bool(self.held)

    def move(self, place: Array) -> None:
        """Where the hand is, m."""
        self._place = place
        for part in self._movers.parts:
            if part.target is not None:
                part.target = place

    def release(self) -> None:
        """Let go: a free part moves on, a held part stays where it is."""
        for part in self._movers.parts:
            part.target = None
        if self._pull is not None:
            name, self._pull = self._pull.name, None
            self._coupled.pull(name, np.zeros(3))

    def current(self, flow: Flow) -> None:
        """Turn the current towards another."""
        self.changes.flow("current", flow)
        self.say(f"current {flow.speed:g} m/s towards {flow.heading:g}°")

    def wind(self, flow: Flow) -> None:
        """Turn the wind towards another."""
        self.changes.flow("wind", flow)
        self.say(f"wind {flow.speed:g} m/s towards {flow.heading:g}°")

    def waves(self, sea: Sea) -> None:
        """Let the waves fall and others rise."""
        self.changes.waves(sea)
        told = {"none": "no waves", "regular": f"waves {sea.height:g} m, {sea.period:g} s towards {sea.heading:g}°"}
        irregular = f"waves Hs {sea.height:g} m, Tp {sea.period:g} s towards {sea.heading:g}°"
        self.say(told.get(sea.kind, irregular))

    def length(self, change: Length) -> None:
        """Pay out or haul in."""
        self.changes.length(change, self.cuts)
        self.say(f"line '{change.line}' to {change.length:g} m")

    def cut(self, line: str, s: float) -> None:
        """Cut a line at s (m from end A)."""
        if line in self.cuts:
            raise InputError(f"line '{line}' is cut already")
        if not np.isfinite(s):
            raise InputError(f"line '{line}': a cut needs a position; {s} m is not one")
        self._coupled.cut(line, s)
        self.cuts[line] = s
        self.say(f"line '{line}' cut at s = {s:g} m")

    def reset(self) -> None:
        """Back to the beginning."""
        self._back_to_first()
        self.say("reset")

    def say(self, sentence: str) -> None:
        """Note what happened."""
        self.notes.append((self.time, sentence))

    # --- time ---

    def advance(self, dt: float) -> None:
        """Simulate dt (s), at most a chunk. What fails is undone; time may then be earlier than before."""
        started = thread_time()
        try:
            self._change()
            self._step(min(dt, CHUNK))
        except (ConvergenceError, InputError, FloatingPointError, ZeroDivisionError) as error:
            self._recover(str(error))
            return
        if thread_time() - started > SLOW_CHUNK and not self.is_calming:
            self._settle_down("the steps converge slowly", self.time, 0)
        if self.time >= self._calm_until and np.isfinite(self._calm_until):
            self._calm_until, self._row = -np.inf, 0
            self._go_on_with(self._solver)
            self.say("damping off")
        if self.time >= self._saved_at + SAVE_EVERY:
            self._save()

    def _step(self, dt: float) -> None:
        pace = GENTLE if self.is_calming else 1.0
        if self._pull is not None:
            self._coupled.pull(self._pull.name, self._pull.force(self.state, self._place, dt, pace))
        self._coupled.step(dt, self._movers.states(self.time + dt, dt, pace))
        state = self._coupled.state
        self._check(state)
        self.state = state

    def _check(self, state: State) -> None:
        """ConvergenceError for a state that cannot be."""
        far, most = self._limits
        for name in ("position", "point_position", "body_position", "net_position"):
            values = getattr(state, name)
            if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > far:
                raise ConvergenceError(f"{name.replace('_', ' ')} is not finite at t = {state.time:.4g} s")
        for name in ("tension", "net_tension", "body_quaternion", "velocity"):
            values = getattr(state, name)
            if not np.isfinite(values).all() or (name == "tension" and values.max(initial=0.0) > most):
                raise ConvergenceError(f"{name.replace('_', ' ')} is not finite at t = {state.time:.4g} s")

    def _change(self) -> None:
        if self.changes.is_idle or self.time < self._changed_at + EVERY:
            return
        since = min(self.time - self._changed_at, 2.0 * EVERY)
        self._changed_at = self.time
        found = self.changes.due(self._coupled.system, self.time, since)
        if found:
            self._coupled.set(found)
            self._give_up_soon()

    def _save(self) -> None:
        self._saved.append(Saved(self._coupled.save(), self.time, self._movers.keep()))
        self._saved_at = self.time
        self.doubts_now()

    # --- when it fails ---

    def _recover(self, why: str) -> None:
        """Back to a sound state; further and calmer with every failure in a row."""
        self.failures += 1
        self._row += 1
        short = why.partition("\n")[0][:200]
        for attempt in range(KEPT):
            if len(self._saved) > 1 and (attempt or self._row > 1):
                self._saved.pop()  # the last one was not good enough
            if self._row + attempt > MOST_IN_A_ROW or not self._saved:
                break
            try:
                self._go_back(self._saved[-1])
                self._settle_down(f"a step failed ({short}): back to t = {self.time:.2f} s", self.time, self._row - 1)
                return
            except (ConvergenceError, InputError) as error:
                short = str(error).partition("\n")[0][:200]
        self._back_to_first()
        self.say("the motion could not be continued: back to the beginning")

    def _go_back(self, saved: Saved) -> None:
        self._pull = None
        self._coupled.restore(saved.data)
        self._movers.put_back(saved.hand)
        self._check(self._coupled.state)
        self.state = self._coupled.state
        self.cuts = dict(self._coupled.cuts)
        self._changed_at = self._saved_at = self.time

    def _settle_down(self, why: str, since: float, grade: int) -> None:
        """Damp the motion for a while; from rest if that was not enough before."""
        damping = CALM[min(grade, len(CALM) - 1)]
        self._go_on_with(damped(self._solver, damping), still=grade >= len(CALM) - 1)
        self._calm_until = since + CALM_TIME
        told = " from rest" if grade >= len(CALM) - 1 else ""
        self.say(f"{why}; damped{told} for {CALM_TIME:g} s")

    def _go_on_with(self, solver: Solver, *, still: bool = False) -> None:
        self._coupled.calm(solver, still=still)
        self._give_up_soon()
        self.state = self._coupled.state

    def _give_up_soon(self) -> None:
        """Let a failure show soon, in steps that are too short for real time."""
        run = FemRun.of(self._coupled._work)
        if run is not None:
            run.give_up_below(SHORTEST_STEP)

    def _back_to_first(self) -> None:
        self._coupled._choice = self._solver
        self._coupled.restore(self._first)
        self._reset_hand()


def live_solver(system: System) -> Solver:
    """Mixed elements where they claim the case; else the solver of the case."""
    from ropewalk.methods.claims import demands
    from ropewalk.methods.mixed import MixedFem  # loads compiled code

    model = build(system)
    fits = demands(model) | {Claim.DYNAMICS} <= MixedFem.claims
    return solver_for(system, model, "mixed_fem" if fits else None)


def damped(solver: Solver, rate: float) -> Solver:
    """The solver with mass-proportional damping (1/s) added; unchanged if it has no such setting."""
    settings: Any = solver
    if "damping" not in {field.name for field in fields(settings)}:
        return solver
    made: Solver = replace(settings, damping=settings.damping + rate)
    return made
