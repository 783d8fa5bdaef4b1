"""What a solver is: settings, claims, and three methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.moments import Moments
from ropewalk.model.state import State


class Claim(Enum):
    """Features that a case can require. A solver accepts a case if it claims all that the case requires."""

    STATICS = "statics"
    DYNAMICS = "dynamics"
    SUSPENDED = "lines clear of the seabed"
    GROUNDED = "lines on a flat seabed"
    SLOPE = "a sloping seabed"
    GRID = "a seabed on a grid"
    FRICTION = "seabed friction"
    INEXTENSIBLE = "inextensible lines"
    ELASTIC = "linear elastic lines"
    NONLINEAR = "table and polynomial laws"
    MEMORY = "ropes with memory"
    LIFT = "vortex-induced lift"
    PIECES = "several pieces in a line"
    ATTACHMENTS = "weights and floats on a line"
    ATTACHMENT_FORCES = "sideways forces on a line"
    CURRENT = "current"
    WAVES = "waves"
    LOADS = "distributed loads"
    OVER = "lines that run over points"
    PAYOUT = "winches"
    BREAK = "lines that part"
    SURFACE = "lines that cross the water surface"
    JOINTS = "joints by component"
    MOTIONS = "prescribed motions"
    FREE_POINTS = "free points"
    BODIES = "rigid bodies"
    HULL_LOADS = "current or wind on bodies"
    COMPRESSION = "sections that carry compression"
    DAMPING = "internal damping"
    RODS = "floating rods"
    NETS = "nets"
    LINKS = "links between bodies"
    JOINT_LINKS = "links by component (kind: joint)"
    CHANGING = "loads that vary in time"
    CHANGING_FLOW = "current or wind that varies in time"
    VARYING = "sections that vary along s"
    DRAG_LAWS = "drag coefficients by angle or Reynolds number"
    FUNCTIONS = "loads or currents given as functions, or a current on a grid"


class Status(Enum):
    """How an advance ended; the value is the sentence."""

    DONE = "done"
    SLACK = "done; part of a line is slack, so its shape is not unique"
    TOO_SHORT = "an inextensible line is shorter than the distance between its ends"
    NOT_CONVERGED = "the iteration did not converge"
    NOT_FINITE = "a number overflowed"
    STEP_TOO_SMALL = "the step fell below its limit"
    STEP_TOO_LONG = "the steps are too long for the motion"
    UNSUPPORTED = "the solver does not support this case"
    NO_EQUILIBRIUM = "there is no equilibrium: something is not held"


class Figures(Mapping[str, Any]):
    """Figures that are computed when they are first looked at, from the memory as it is then.

    A run of short steps between records would spend more on them than on the steps. Look before the next advance.
    """

    __slots__ = ("_make", "_values")

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make
        self._values: dict[str, Any] | None = None

    def _all(self) -> dict[str, Any]:
        if self._values is None:
            self._values = self._make()
        return self._values

    def __getitem__(self, name: str) -> Any:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


@dataclass(frozen=True)
class Report:
    """What an advance did. `message` names what tripped, with numbers; empty when all is well."""

    status: Status = Status.DONE
    message: str = ""
    iterations: int = 0
    residual_force: float = 0.0  # largest residual force, N
    residual_position: float = 0.0  # largest closure error of a line, m
    figures: Mapping[str, Any] = field(default_factory=dict)  # further figures of the method: paths, errors, energy

    @property
    def good(self) -> bool:
        """True if there is an answer."""
        return self.status is Status.DONE or self.status is Status.SLACK  # no look-up: evaluated at every step


class Passage(NamedTuple):
    """What a march through several times gave. Where it did not reach them all, the report is of the next one."""

    report: Report
    moments: Moments | None  # those reached; None if none was
    energy: Mapping[str, Array]  # terms of the energy balance, (n,) J each
    shares: tuple[Mapping[str, Array], ...] = ()  # of parts that exchange no energy, if they are told apart


@runtime_checkable
class Marching(Protocol):
    """A solver that passes through several times in one call and gives the states there. Optional.

    The states are those that `advance` and `read` give one by one, to the last bit.
    """

    def march(self, model: Model, work: Any, times: Array, more: int = 0) -> Passage:
        """Move to each of `times` (s, rising).  more : times that will follow, to be kept in memory with these"""
        ...


class Pulls(NamedTuple):
    """Forces on parts at the time reached; the arrays change with the next advance."""

    point_force: Array  # (n_points, 3) of State, N
    wrench: Array  # (n_bodies, 6) force (N) of the lines on each body and their moment (N m) about its origin, world


@runtime_checkable
class Pulling(Protocol):
    """A solver that gives the forces on parts without a whole State. Optional."""

    def advance_pulling(self, model: Model, work: Any, t: float) -> tuple[Report, Pulls]:
        """Move to time t (s), and the forces there."""
        ...


class Solver(Protocol):
    """A frozen dataclass of settings with these members.

    ``start`` refuses with InputError what the solver does not claim and makes its memory; ``advance``
    moves that memory to time t (a static solver finds the equilibrium under the loads at t); ``read``
    gives the State it holds.
    """

    name: ClassVar[str]
    claims: ClassVar[frozenset[Claim]]

    def start(self, model: Model, state: State) -> Any:
        """Memory for a computation that begins at `state`."""
        ...

    def advance(self, model: Model, work: Any, t: float) -> Report:
        """Move to time t (s)."""
        ...

    def read(self, model: Model, work: Any) -> State:
        """The state at the time reached."""
        ...
