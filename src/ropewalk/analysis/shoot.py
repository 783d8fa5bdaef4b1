r"""The question `shoot`: where a line goes that leaves one end with a given force.

It is the initial value problem :math:`r' = \nu t, n' = -f` from one end to the other; the shooting method solves for
the force with which the far end is met ([Surmont2025], sec. 2.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ropewalk.assembly.spans import line_spans, reversed_spans
from ropewalk.assembly.string import FORCE_ONLY, STATE
from ropewalk.errors import InputError
from ropewalk.methods.shooting import shoot_line
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model, build
from ropewalk.model.state import end_positions, initial_state
from ropewalk.numerics.rungekutta import DORMAND_PRINCE, FEHLBERG
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

PAIRS = {"dormand_prince": DORMAND_PRINCE, "fehlberg": FEHLBERG}
ENDS = ("A", "B")
PLACES = 101  # along the line, where its shape is wanted
TOLERANCE = 1e-12  # of the integrator per step, relative to the line's length and load


@dataclass(frozen=True)
class Shot:
    """A line that leaves one end with a given force, and how far it misses the other."""

    line: str
    end: str  # where it starts: A or B
    s: Array = field(repr=False)  # (n,) unstretched length from end A, m
    position: Array = field(repr=False)  # (n, 3) m
    force: Array = field(repr=False)  # (n, 3) n(s) of the part towards B on that towards A, N
    tension: Array = field(repr=False)  # (n,) N
    miss: Array  # (3,) where the line ends minus where the case holds that end, m
    end_force: Array  # (3,) of the line on what holds the far end, N
    miss_by_force: Array = field(repr=False)  # (3, 3) derivative of the miss by the force at the start, m/N
    end_force_by_force: Array = field(repr=False)  # (3, 3) derivative of `end_force` by the force at the start
    steps: int  # of the integrator, rejected ones included

    @property
    def end_position(self) -> Array:
        """(3,) where the line arrives, m."""
        return self.position[-1] if self.end == "A" else self.position[0]


def shoot(
    system: Source,
    line: str,
    force: Sequence[float],
    *,
    end: str = "A",
    tolerance: float = TOLERANCE,
    pair: str = "dormand_prince",
    places: int = PLACES,
) -> Shot:
    """Integrate a line once from `end`, where it exerts `force` (3 numbers, N) on its support.

    The force is that of the line on its support, as `end_force` of an equilibrium, with which the closure error
    is zero. Loads act as in statics; the bed is left out. Parts are at their positions in the case.
    tolerance : of the integrator per step, relative to the line's length and load
    pair : of Runge-Kutta formulas, 'dormand_prince' (order 8) or 'fehlberg' (order 5)    places : kept along the line

    >>> import ropewalk as rw
    >>> rest = rw.statics("mooring.yaml")
    >>> shot = rw.shoot("mooring.yaml", "west", rest.line("west")["end_b"]["force"], end="B")
    >>> shot.position.shape
    (101, 3)
    """
    system = System.of(system)
    model, i = build(system), _index(system, line)
    if arguments.text("end", end, "A") not in ENDS:
        raise InputError(f"end must be 'A' or 'B', not {end!r}")
    if arguments.text("pair", pair, next(iter(PAIRS))) not in PAIRS:
        raise InputError(f"unknown pair {pair!r}; choose {' or '.join(PAIRS)}")
    if arguments.number("tolerance", tolerance) <= 0.0:
        raise InputError(f"tolerance must be above 0, not {tolerance!r}")
    pull = _three(force)
    s = np.linspace(0.0, float(model.lines.length[i]), arguments.count("places", places, 2))
    held = _held(model, i, line)
    far = held[1] if end == "A" else held[0]
    spans = line_spans(model, i, np.zeros(0))
    if end == "B":
        spans = reversed_spans(spans, float(model.lines.length[i]))
    begin = held[0] if end == "A" else held[1]
    y, steps, table = shoot_line(model, i, spans, (begin, pull, s), (tolerance, PAIRS[pair]))
    if end == "B":
        table = table[::-1] * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    by_force = y[STATE:FORCE_ONLY].reshape(3, 6).T
    return Shot(
        line, end, s, table[:, :3].copy(), table[:, 3:].copy(), np.linalg.norm(table[:, 3:], axis=1), y[:3] - far,
        -y[3:STATE], by_force[:3].copy(), -by_force[3:], steps,
    )  # fmt: skip


def _index(system: System, line: str) -> int:
    """Number of a line of the case that can be shot along."""
    names = list(system.lines)
    arguments.name_of("line", line, names)
    if system.lines[line].over:
        raise InputError(
            f"line '{line}' runs over {', '.join(system.lines[line].over)}; shoot along a line without pegs"
        )
    return names.index(line)


def _held(model: Model, i: int, line: str) -> Array:
    """(2, 3) where the case has the ends of line i, m."""
    state = initial_state(model)
    ends: Array = end_positions(model, state.point_position, state.body_position, state.body_quaternion)[i]
    if not np.all(np.isfinite(ends)):
        raise InputError(
            f"line '{line}' ends on a rod, which has no position until it floats; end it at a point or a body"
        )
    return ends


def _three(force: Sequence[float]) -> Array:
    try:
        pull = np.array(force, dtype=np.float64)
    except (TypeError, ValueError):
        pull = np.zeros(0)
    if pull.shape != (3,) or not np.all(np.isfinite(pull)):
        raise InputError(f"force must be three finite numbers in N, as in [50, 0, -100], not {force!r}")
    return pull
