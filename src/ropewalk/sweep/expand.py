"""A sweep file to its cases: all of them checked before anything is computed."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from ropewalk import __version__
from ropewalk.errors import InputError, Problem
from ropewalk.io.locations import Step
from ropewalk.io.messages import checked, path_text, shown
from ropewalk.io.native import read_case
from ropewalk.io.yaml import Positions, load_file
from ropewalk.spec.paths import changed, given, steps
from ropewalk.spec.sweep import MOST_CASES, Factor, Sweep
from ropewalk.spec.system import System
from ropewalk.sweep.breaks import break_line
from ropewalk.sweep.factors import BROKEN, INTACT, Block, latin_hypercube, levels

# names that a result has already, so that no factor can take them: of every sweep, and by what it does
RESERVED = frozenset(
    ("case", "status", "reason", "doubts", "seconds", "attempts", "line", "end", "body", "point", "axis", "turn", "dof",
     "dof_from", "mode", "rod")
)  # fmt: skip
OUTPUTS = {
    "run": frozenset(("breaking_load", "tension_max", "tension_min")),
    "static": frozenset(
        ("end_tension", "end_force", "declination", "max_tension", "min_tension", "grounded_length", "stretched_length",
         "breaking_load", "body_position", "body_attitude", "mooring_force", "stiffness", "point_position",
         "residual_force", "residual_position")
    ),
    "modes": frozenset(("omega", "period", "damping", "growth")),
    "response": frozenset[str](),
    "float": frozenset(("equilibria", "stable", "heave", "up", "energy")),
}  # fmt: skip
PYTHON = "sweep"  # stands for the file in messages of a sweep from Python


@dataclass(frozen=True)
class Plan:
    """The cases of a sweep. Only the levels are held; a case is made when it is needed."""

    sweep: Sweep
    base: System
    blocks: tuple[Block, ...]
    times: Mapping[int, float | None]  # s at which a line parts, by factor
    source: Source

    def __len__(self) -> int:
        counts = [len(block) for block in self.blocks]
        return math.prod(counts) if self.sweep.combine == "grid" else min(counts)

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that is varied."""
        return tuple(key for block in self.blocks for key in block.keys)

    @property
    def names(self) -> dict[str, str]:
        """Key to the name of its coordinate: the shortest tail that no other key shares."""
        return _names(self.keys, RESERVED | OUTPUTS[self.sweep.do])

    def rows(self, case: int) -> tuple[int, ...]:
        """Which row of each block makes a case; the last block changes fastest."""
        if self.sweep.combine == "zip":
            return (case,) * len(self.blocks)
        rows = []
        for block in reversed(self.blocks):
            case, row = divmod(case, len(block))
            rows.append(row)
        return tuple(reversed(rows))

    def changes(self, case: int) -> dict[str, Any]:
        """What sets a case apart: value by key."""
        rows = self.rows(case)
        return {
            key: value
            for block, row in zip(self.blocks, rows, strict=True)
            for key, value in zip(block.keys, block.rows[row], strict=True)
        }

    def data(self, case: int) -> dict[str, Any]:
        """The case as plain data, not checked."""
        changes = self.changes(case)
        # parts before what is inside them
        keys = sorted((key for key in changes if key != BROKEN), key=lambda key: len(steps(key)))
        data = changed(self.base, {key: changes[key] for key in keys})
        if changes.get(BROKEN, INTACT) != INTACT:
            factor = next(block.factor for block in self.blocks if BROKEN in block.keys)
            break_line(data, changes[BROKEN], self.times[factor])
        return data

    def system(self, case: int) -> System:
        """The checked case; InputError with the place in the sweep file."""
        try:
            data = self.data(case)
        except InputError as error:  # keys lead somewhere in the base case, but not in what this case puts there
            raise InputError(self.source.problem(f"case {case}: {error}", ("vary",))) from None
        # every allowed key is a candidate for what was meant, one that the base case has too
        return checked(System, data, self.source.name, _CasePlaces(self, case), beside={})

    @property
    def identity(self) -> str:
        """A hash of all that decides the results, of the program's version too. Limits are no part of it."""
        content = {
            "base": given(self.base),
            "do": self.sweep.do,
            "keep": self.sweep.keep,
            "combine": self.sweep.combine,
            "blocks": [[block.keys, block.rows] for block in self.blocks],
            "times": sorted(self.times.items()),
            "version": __version__,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode()).hexdigest()

    def _place(self, key: str, case: int | None = None) -> tuple[Step, ...]:
        """Path in the sweep file of what sets a key; with a case, of the value."""
        i = next(i for i, block in enumerate(self.blocks) if key in block.keys)
        factor = self.blocks[i].factor
        if factor < 0:  # uniform factors share a block
            factor = next(n for n, f in enumerate(self.sweep.vary) if key in f.keys)
        if case is not None and self.sweep.vary[factor].values is not None:
            return ("vary", factor, "values", self.rows(case)[i])
        return ("vary", factor)


@dataclass(frozen=True)
class Source:
    """Where a sweep was read from."""

    name: str = PYTHON
    folder: Path | None = None
    positions: Positions | None = None

    def mark(self, path: Sequence[Step]) -> tuple[int, int] | None:
        """Line and column of a path in the file; None without a file."""
        return None if self.positions is None else self.positions.nearest(path)

    def problem(self, message: str, path: Sequence[Step] = ()) -> Problem:
        """A message with its place."""
        mark = self.mark(path)
        line, column = mark if mark is not None else (None, None)
        return Problem(message, self.name, line, column, path_text(path))


class _CasePlaces:
    """Places of the parts of a case: the factor in the sweep file that set them, or came nearest to it."""

    def __init__(self, plan: Plan, case: int) -> None:
        self.plan, self.case = plan, case

    def nearest(self, path: Sequence[Step]) -> tuple[int, int]:
        """Line and column of the factor whose key shares most with the path."""
        wanted = [str(step) for step in path]

        def shared(key: str) -> int:
            pairs = list(zip(wanted, steps(key), strict=False))
            return next((i for i, (a, b) in enumerate(pairs) if a != b), len(pairs))

        key = max(self.plan.keys, key=shared)
        return self.plan.source.mark(self.plan._place(key, self.case)) or (0, 0)


def read_sweep(path: Path) -> Plan:
    """Read and check a sweep file and every one of its cases; InputError with every mistake that one reading finds."""
    document = load_file(path)
    sweep = checked(Sweep, document.data, document.name, document.positions)
    source = Source(document.name, path.absolute().parent, document.positions)
    base = path.parent / sweep.base
    if not base.is_file():
        raise InputError(source.problem(f"base case '{sweep.base}' does not exist beside the sweep file", ("base",)))
    return expand(sweep, read_case(base), source)


def plan_of(system: System, vary: Mapping[Any, Any] | Sequence[Any], **options: Any) -> Plan:
    """The plan of a sweep given in Python: `vary` as in the file, or values by key."""
    if isinstance(vary, str) or not isinstance(vary, Mapping | Sequence):
        raise InputError(
            f"vary must be a mapping of keys to values, or a list of factors as in a file, not {type(vary).__name__}"
        )
    listed = [{"key": key, "values": values} for key, values in vary.items()] if isinstance(vary, Mapping) else vary
    data = {"base": "", "vary": [_factor(entry) for entry in listed], **options}
    return expand(checked(Sweep, data, PYTHON), system, Source())


def expand(sweep: Sweep, base: System, source: Source) -> Plan:
    """The plan of a sweep, with every case checked."""
    lines = list(base.lines)
    blocks: list[Block] = []
    uniform: dict[tuple[str, ...], tuple[float, float]] = {}
    for i, factor in enumerate(sweep.vary):

        def where(message: str, *path: Step, i: int = i) -> Problem:
            return source.problem(message, ("vary", i, *path))

        if factor.uniform is None:
            blocks.append(levels(factor, i, source.folder, lines, where))
        else:
            uniform[factor.keys] = factor.uniform
    if uniform:
        assert sweep.samples is not None
        blocks.append(latin_hypercube(uniform, sweep.samples, sweep.seed))
    times = {i: factor.time for i, factor in enumerate(sweep.vary) if factor.broken is not None}
    plan = Plan(sweep, base, tuple(blocks), times, source)
    _check_keys(plan)
    _check_counts(plan)
    _check_cases(plan)
    return plan


def _check_keys(plan: Plan) -> None:
    """Refuse keys that are set twice or lead nowhere."""
    problems = []
    for (i, first), (j, second) in combinations(enumerate(plan.sweep.vary), 2):
        for key in set(_keys_of(plan, first, i)) & set(_keys_of(plan, second, j)):
            text = f"key '{key}' is set by two factors, vary[{i}] and vary[{j}]; keep one"
            problems.append(plan.source.problem(text, ("vary", j)))
    for i, factor in enumerate(plan.sweep.vary):
        keys = _keys_of(plan, factor, i)
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            problems.append(plan.source.problem(f"key '{key}' appears twice in one factor; keep one", ("vary", i)))
        if BROKEN in keys and factor.broken is None:
            text = "key 'broken' does not exist in a case; break lines by a factor such as {broken: each}"
            problems.append(plan.source.problem(text, ("vary", i)))
        for key in dict.fromkeys(keys):
            if key != BROKEN and (text := _fails(plan.base, key)):
                problems.append(plan.source.problem(f"key {text}", ("vary", i)))
    if problems:
        raise InputError(problems)


def _keys_of(plan: Plan, factor: Factor, number: int) -> tuple[str, ...]:
    return factor.keys or next((block.keys for block in plan.blocks if block.factor == number), ())


def _fails(base: System, key: str) -> str:
    """Why a key cannot be set in the base case; empty if it can."""
    try:
        changed(base, {key: None})
    except InputError as error:
        return str(error)
    return ""


def _check_counts(plan: Plan) -> None:
    counts = [len(block) for block in plan.blocks]
    if plan.sweep.combine == "zip" and len(set(counts)) > 1:
        text = f"combine: zip needs factors with equal numbers of levels; they have {', '.join(map(str, counts))}"
        raise InputError(plan.source.problem(text, ("combine",)))
    if len(plan) > MOST_CASES:
        text = f"the grid has {len(plan)} cases; a sweep takes at most {MOST_CASES}"
        raise InputError(plan.source.problem(text, ("vary",)))


def _check_cases(plan: Plan) -> None:
    """Every case must be one. Mistakes of the first wrong case are reported, with its number."""
    for case in range(len(plan)):
        try:
            plan.system(case)
        except InputError as error:
            told = ", ".join(f"{plan.names[key]} = {shown(value)}" for key, value in plan.changes(case).items())
            first, *rest = error.problems
            text = f"{first.message} (case {case}: {told})"
            raise InputError([Problem(text, first.file, first.line, first.column, first.path), *rest]) from None


def _names(keys: Sequence[str], reserved: frozenset[str]) -> dict[str, str]:
    """Key to the shortest tail that is unique, is no name of a result and does not start with a digit.

    With underscores for spaces: NetCDF files list the names of coordinates with spaces between them.
    """
    parts = {key: tuple(step.replace(" ", "_") for step in steps(key)) for key in keys}
    names = {}
    for key, way in parts.items():
        for n in range(1, len(way) + 1):
            tail = way[-n:]
            shared = sum(other[-n:] == tail for other in parts.values())
            if n == len(way) or (shared == 1 and not tail[0].isdecimal() and ".".join(tail) not in reserved):
                names[key] = ".".join(tail)
                break
    return names


def _factor(entry: Any) -> Any:
    """A factor from Python: arrays, ranges and numpy numbers as plain data."""
    return {key: _plain(value) for key, value in entry.items()} if isinstance(entry, Mapping) else entry


def _plain(value: Any) -> Any:
    """Plain dicts, lists and scalars of whatever holds numbers."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | range | Iterator):
        return [_plain(inner) for inner in value]
    return value
