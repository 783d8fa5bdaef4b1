"""The question `equilibria`: all the equilibria of a case that a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.doubts import Doubt, in_turn
from ropewalk.analysis.energy import potential_energy
from ropewalk.analysis.lobes import Lobes, across, lobes_of, waves
from ropewalk.analysis.spectrum import Spectrum, spectrum
from ropewalk.analysis.statics import BREAKDOWNS, Equilibrium, attempt, refuse_only_rods, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import solver_class
from ropewalk.methods.shooting import Equations, Unknowns, shaped_state
from ropewalk.model.arrays import Array
from ropewalk.model.joints import FREE, LOOSE
from ropewalk.model.lines import BODY, FORCE_TABLE
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, end_positions, initial_state, resample, rotation_matrix
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product
from ropewalk.spec import arguments
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

SHOOTING = "shooting"
LOBES, RANDOM = 4, 12  # defaults: bends of a line tried, random starts
AGAIN = 2  # more solutions sought from a start, those found deflated
SAME = 1e-6  # of the longest line, and rad: equilibria nearer than this are one
LOOKS = 41  # places of a line at which two shapes are compared
TURNS = ((0.0, 0.0), (np.pi, 0.0), (0.0, np.pi), (np.pi / 2, 0.0), (0.0, np.pi / 2))  # of bodies about x and y, rad


@dataclass(frozen=True, repr=False)
class FoundEquilibrium:
    """One equilibrium, with its stability and energy."""

    equilibrium: Equilibrium
    spectrum: Spectrum | None  # None if it cannot be had
    energy: float | None  # J; None where forces have no potential

    def __repr__(self) -> str:
        return f"<{self.label}; {'stability unknown' if self.spectrum is None else self.spectrum.sentence}>"

    @cached_property
    def lobes(self) -> dict[str, Lobes]:
        """Bends of every line to either side of its chord."""
        names = self.equilibrium.model.names.lines
        return {name: lobes_of(self.equilibrium.state, i) for i, name in enumerate(names)}

    @property
    def stable(self) -> bool | None:
        """Whether no small displacement grows; None if it is not known. See `Spectrum` for what that means."""
        return None if self.spectrum is None else self.spectrum.stable

    @property
    def label(self) -> str:
        """Lobes of the lines and attitudes of free bodies, in words."""
        lines = [f"{name}: {lobes.words}" for name, lobes in self.lobes.items()]
        model, summary = self.equilibrium.model, self.equilibrium.summary
        for k, name in enumerate(model.names.bodies):
            if model.bodies.joint[k] == LOOSE:
                roll, pitch, yaw = summary["bodies"][name]["attitude"]
                lines.append(f"{name}: roll {roll:.1f}, pitch {pitch:.1f}, yaw {yaw:.1f} deg")
        return "; ".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        found = self.spectrum
        return {
            "label": self.label,
            "stable": self.stable,
            "unstable_directions": None if found is None else found.unstable,
            "neutral_directions": None if found is None else found.neutral,
            "smallest_eigenvalue": None if found is None or not np.isfinite(found.smallest) else found.smallest,
            "energy": self.energy,
            "lobes": {name: lobes.number for name, lobes in self.lobes.items()},
            **self.equilibrium.summary,
        }


@dataclass(frozen=True, repr=False)
class EquilibriumSet(Shown):
    """Equilibria of one case, stable ones first, then by how unstable they are and by energy."""

    system: System
    found: tuple[FoundEquilibrium, ...]
    starts: int  # tried

    def __repr__(self) -> str:
        stable = sum(1 for one in self.found if one.stable)
        return f"<EquilibriumSet {self.system.title!r}: {len(self.found)} found, {stable} stable, {self.starts} starts>"

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[FoundEquilibrium]:
        return iter(self.found)

    def __getitem__(self, k: int) -> FoundEquilibrium:
        return self.found[k]

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is doubtful about the equilibria, one of each kind and part; `as_dict` lists those of each."""
        of_case = case_doubts(self.system, "static")
        numbered = [
            [replace(doubt, sentence=f"equilibrium {k}: {doubt.sentence}") for doubt in one.equilibrium.doubts]
            for k, one in enumerate(self.found, start=1)
        ]
        return tuple(in_turn([of_case, *numbered]))

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `ropewalk static --all --json` prints."""
        doubts = [doubt.as_dict() for doubt in self.doubts]
        return {"equilibria": [one.as_dict() for one in self.found], "starts": self.starts, "doubts": doubts}


def equilibria(
    system: Source, *, lobes: int = LOBES, starts: int = RANDOM, seed: int = 0, time: float = 0.0
) -> EquilibriumSet:
    """All equilibria of `system` that a search finds, each audited, with its stability and potential energy.

    Newton's method on the equations of shooting is started from the usual guess, from every slack line in 1 to `lobes`
    half waves in four directions, from capsized bodies, and from `starts` random shapes (drawn with `seed`);
    known solutions are deflated. Of a neutral family (yaw of a buoy) one is kept. The search is not exhaustive:
    there may be more. Stability comes from the eigenvalues of the exact tangent; `Spectrum` describes what it covers in
    rotating frames and currents.
    Raises InputError for a case that shooting does not support, ConvergenceError if nothing is found.

    >>> import ropewalk as rw
    >>> found = rw.equilibria("mooring.yaml", starts=2)
    >>> len(found), found[0].stable
    (1, True)
    """
    system, time = System.of(system), arguments.number("time", time)
    lobes, starts = arguments.count("lobes", lobes), arguments.count("starts", starts, 0)
    model = build(system)
    refuse_only_rods(system)
    solver = solver_class(SHOOTING)()
    refuse_unclaimed(solver, model, ignored=frozenset({Claim.WAVES}))
    if not model.names.lines:
        raise InputError("the case has no lines; floating bodies and rods are solved by 'ropewalk float'")
    search = _Search(system, model, time)
    search.begin()
    tried = 1
    begin = search.found[0].equilibrium.state if search.found else initial_state(model)._replace(time=time)
    for state in _starts(model, begin, lobes, starts, arguments.count("seed", seed, 0)):
        search.from_state(state)
        tried += 1
    if not search.found:
        raise ConvergenceError(f"no equilibrium was found from {tried} starts; inspect the case with 'ropewalk static'")
    ordered = sorted(search.found, key=_rank)
    return EquilibriumSet(system, tuple(ordered), tried)


def _rank(one: FoundEquilibrium) -> tuple[float, float]:
    unstable = np.inf if one.spectrum is None else one.spectrum.unstable
    return float(unstable), 0.0 if one.energy is None else one.energy


class _Search:
    """What is known so far."""

    def __init__(self, system: System, model: Model, time: float) -> None:
        self.system, self.model, self.time = system, model, time
        self.solver = solver_class(SHOOTING)()
        self.found: list[FoundEquilibrium] = []

    def begin(self) -> None:
        """The equilibrium that statics gives."""
        try:
            rest = statics(self.system, SHOOTING, time=self.time)
        except (ConvergenceError, InputError):
            return
        self._keep(rest)

    def from_state(self, state: State) -> None:
        """Solutions from one start; those that are known are deflated where they fit its plan."""
        try:
            equations = Equations.near(self.model, state, self.time)
            known = [x for x in (self._unknowns(equations, one.equilibrium.state) for one in self.found) if x]
            begin = equations.start()
            plain = equations.solved(begin)
            if plain is not None:
                self._polish(equations, plain)
                known.append(plain)
            for _ in range(AGAIN):
                other = equations.solved(begin, known)
                if other is None:
                    break
                known.append(other)
                self._polish(equations, other)
        except BREAKDOWNS:
            return  # numbers of a wild start: others will do

    def _unknowns(self, equations: Equations, state: State) -> Unknowns | None:
        """Values of a known equilibrium in the plan of `equations`; None if it has another plan."""
        other = Equations.near(self.model, state, self.time)
        return other.start() if other.plan == equations.plan else None

    def _polish(self, equations: Equations, at: Unknowns) -> None:
        """Solve again from a solution, in contact with the bed and audited; keep it if it is new."""
        rest = attempt(self.system, self.model, SHOOTING, self.solver, self.time, equations.state(at))
        if isinstance(rest, Equilibrium):
            self._keep(rest)

    def _keep(self, rest: Equilibrium) -> None:
        if any(_same(self.model, rest.state, one.equilibrium.state) for one in self.found):
            return
        if any(_alike(rest.state, one) for one in self.found):
            return
        equations = Equations.near(self.model, rest.state, self.time)
        solved = equations.solved(equations.start())
        seen = None if solved is None else spectrum(equations, solved, rest.state)
        self.found.append(FoundEquilibrium(rest, seen, potential_energy(self.model, rest.state)))


def _same(model: Model, a: State, b: State) -> bool:
    """Whether two states are one equilibrium: lines, points and bodies within SAME."""
    scale = SAME * float(np.max(model.lines.length))
    gaps = [np.abs(a.point_position - b.point_position).max(initial=0.0)]
    gaps.append(np.abs(a.body_position - b.body_position).max(initial=0.0))
    for i in range(model.lines.length.size):
        s = np.linspace(0.0, float(model.lines.length[i]), LOOKS)
        gaps.append(np.abs(_smooth(a, i, s) - _smooth(b, i, s)).max())
    turned = 1.0 - np.abs(np.sum(a.body_quaternion * b.body_quaternion, axis=1))
    return bool(max(gaps) <= scale and np.all(turned <= SAME**2))


def _alike(state: State, known: FoundEquilibrium) -> bool:
    """Whether a state is a known one moved along a direction that nothing resists: the same tensions and heights."""
    if known.spectrum is None or known.spectrum.neutral == 0:
        return False
    other = known.equilibrium.state
    scale = SAME * max(float(np.max(np.linalg.norm(other.end_force, axis=2), initial=0.0)), 1e-300)
    pulls = np.linalg.norm(state.end_force, axis=2) - np.linalg.norm(other.end_force, axis=2)
    heights = state.body_position[:, 2] - other.body_position[:, 2]
    longest = float(np.max(known.equilibrium.model.lines.length))
    return bool(np.abs(pulls).max(initial=0.0) <= scale and np.abs(heights).max(initial=0.0) <= SAME * longest)


def _smooth(state: State, i: int, s: Array) -> Array:
    """(k, 3) position of line i, m."""
    return resample(state, i, s)[0]


def _starts(model: Model, begin: State, lobes: int, random: int, seed: int) -> Iterator[State]:
    """States to start from, most likely first.  begin : with points and bodies where they may be at rest"""
    ends = end_positions(model, begin.point_position, begin.body_position, begin.body_quaternion)
    bent = [i for i in range(len(model.names.lines)) if _may_bend(model, i)]
    for chosen in _choices(bent):
        for count in range(1, lobes + 1):
            for way in range(4):
                shapes = {model.names.lines[i]: _wave(model, ends, i, count, way) for i in chosen}
                if all(shape is not None for shape in shapes.values()):
                    yield shaped_state(model, begin, {name: r for name, r in shapes.items() if r is not None})
    loose = np.flatnonzero(model.bodies.joint == LOOSE)
    for chosen in _choices([int(k) for k in loose]):
        for turn in TURNS[1:]:
            yield shaped_state(model, _turned(model, begin, {k: _turn(*turn) for k in chosen}), {})
    draw = np.random.default_rng(seed)
    for _ in range(random if bent or loose.size or np.any(model.points.joint == FREE) else 0):
        yield _random(model, begin, bent, [int(k) for k in loose], lobes, draw)


def _choices(parts: list[int]) -> list[list[int]]:
    """Each part alone, and all together."""
    return [[k] for k in parts] + ([parts] if len(parts) > 1 else [])


def _may_bend(model: Model, i: int) -> bool:
    """Whether line i may hang in more than one way: loads of its own that are not given forces, or floats."""
    lines = model.lines
    own = slice(lines.load_start[i], lines.load_start[i + 1])
    floats = slice(lines.attachment_start[i], lines.attachment_start[i + 1])
    return bool(np.any(lines.load_kind[own] != FORCE_TABLE) or np.any(lines.attachment_volume[floats] > 0.0))


def _wave(model: Model, ends: Array, i: int, count: int, way: int) -> Array | None:
    a, b = ends[i]
    return waves(a, b, float(model.lines.length[i]), count, across(a, b)[way])


def _turn(roll: float, pitch: float) -> Array:
    """(4,) quaternion of a turn about the world's x and y axes, rad."""
    turn: Array = quaternion_exp(np.array([roll, pitch, 0.0]))
    return turn


def _turned(model: Model, state: State, turns: dict[int, Array]) -> State:
    """The state with bodies turned about the middle of the ends of their lines.  turns : quaternions by body"""
    position, quaternion, lines = state.body_position.copy(), state.body_quaternion.copy(), model.lines
    for k, turn in turns.items():
        held = lines.end_offset[(lines.end_kind == BODY) & (lines.end_index == k)]
        middle = held.mean(axis=0) if held.size else np.zeros(3)
        before = rotation_matrix(quaternion[k]) @ middle
        quaternion[k] = quaternion_normalise(quaternion_product(turn, quaternion[k]))
        position[k] += before - rotation_matrix(quaternion[k]) @ middle
    return state._replace(body_position=position, body_quaternion=quaternion)


def _random(
    model: Model, begin: State, bent: list[int], loose: list[int], lobes: int, draw: np.random.Generator
) -> State:
    """Random places of free points, attitudes of free bodies and waves of lines."""
    longest = float(np.max(model.lines.length))
    points = begin.point_position.copy()
    for k in np.flatnonzero(np.any(model.points.joint == FREE, axis=1)):
        shift = 0.3 * longest * draw.normal(size=3)
        free = model.points.frame[k].T @ np.diag(model.points.joint[k] == FREE) @ model.points.frame[k]
        points[k] += free @ shift
        if model.sea.has_seabed:
            points[k, 2] = max(points[k, 2], -model.sea.depth)
    turns = {k: quaternion_normalise(draw.normal(size=4)) for k in loose}
    state = _turned(model, begin._replace(point_position=points), turns)
    ends = end_positions(model, points, state.body_position, state.body_quaternion)
    shapes = {}
    for i in bent:
        a, b = ends[i]
        down, _, side, _ = across(a, b)
        angle = draw.uniform(0.0, 2.0 * np.pi)
        way = np.cos(angle) * down + np.sin(angle) * side
        shape = waves(a, b, float(model.lines.length[i]), int(draw.integers(1, lobes + 1)), way)
        if shape is not None:
            shapes[model.names.lines[i]] = shape
    return shaped_state(model, state, shapes)
