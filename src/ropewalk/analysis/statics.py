"""The question `statics`: where a system comes to rest."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.audit import CONTINUOUS, Audit, audit
from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.check import refuse_unreachable
from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.parts import independent_parts, joined_state
from ropewalk.analysis.reach import refuse_impossible, refuse_straight, shortage
from ropewalk.analysis.soft_bed import soft_bed
from ropewalk.analysis.static_doubts import static_doubts
from ropewalk.analysis.static_summary import summary_of
from ropewalk.analysis.thickness import cut_by_surface, thin_at_surface
from ropewalk.analysis.turning import overturned
from ropewalk.analysis.verdict import Verdict, pushes, verdict
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.protocol import Claim, Report, Solver, Status
from ropewalk.methods.registry import BAR_SOLVERS, SOLVERS, solver_class
from ropewalk.model.arrays import Array
from ropewalk.model.environment import is_grid
from ropewalk.model.fields import forget_trouble, trouble
from ropewalk.model.given import still
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model, build
from ropewalk.model.state import State, initial_state
from ropewalk.spec import arguments
from ropewalk.spec.fields import NO_FIELDS, Fields
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

AUTO = "auto"
FIELDS = "fields"  # in the attributes of results: paths of functions that were given
SETTLE = "settle"  # how a solver that goes through time finds an equilibrium
SETTINGS = ("ramp", "damping", "duration")  # of the case, for methods that take them
MESH_SETTINGS = ("accuracy",)  # the same, for methods of elements; others have no mesh to choose
# exact where it applies, then the most accurate, then the most general; nets, and what is slow but arrives, last
PREFERENCE = ("catenary", "shooting", "fem", "bars_statics", "relax")
# what numbers do to code that expects others: a failure of the method, not of the program
BREAKDOWNS = (ArithmeticError, LookupError, ValueError, RuntimeError, AssertionError)
GENERAL = "fem"  # the method that starts anew from the equilibria of independent parts if it finds none of the whole
GUESSLESS = "catenary"  # the method that has no use for a guess
# how elements lump loads; others at nodes
QUADRATURE = {
    **dict.fromkeys((*BAR_SOLVERS, "bars_statics", SETTLE), "bars"),
    **dict.fromkeys((GUESSLESS, "shooting"), CONTINUOUS),
}
HAVE_BED = ("fem", "relax", *BAR_SOLVERS)  # methods in which bodies stand on the bed
CLOSEST = 2  # methods named where none supports a case
NOT_STATIC = frozenset({Claim.WAVES, Claim.DAMPING, Claim.MEMORY, Claim.LIFT})  # what does not act on a system at rest


@dataclass(frozen=True, repr=False)
class Equilibrium(Shown):
    """An equilibrium, with its residuals and audit.

    >>> import ropewalk as rw
    >>> rest = rw.statics("mooring.yaml")
    >>> rest.method, rest.audit.passed
    ('catenary', True)
    >>> sorted(rest.line("west"))[:3]
    ['end_a', 'end_b', 'grounded_length']
    >>> rest.to_file("rest.nc")
    """

    system: System
    model: Model
    state: State
    report: Report
    method: str
    solved: tuple[Any, Any]  # the solver, and what it worked on
    audit: Audit = field(default_factory=lambda: Audit(()))
    sensitivities: dict[str, dict[str, float]] = field(default_factory=dict)  # by output, then by parameter
    given: tuple[str, ...] = ()  # functions of the user's own, by path

    def __repr__(self) -> str:
        names, report = self.model.names, self.report
        many = ((names.lines, "line", "lines"), (names.points, "point", "points"), (names.bodies, "body", "bodies"))
        parts = ", ".join(f"{len(n)} {one if len(n) == 1 else several}" for n, one, several in many)
        parts += f", {len(self.model.nets.names)} nets" * bool(self.model.nets.names)
        return (
            f"<Equilibrium {self.system.title!r}: {parts}; {report.status.value} by {self.method}, "
            f"residual {report.residual_force:.2g} N, {report.residual_position:.2g} m>"
        )

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Plain data: what `ropewalk static --json` prints."""
        return summary_of(self)

    @cached_property
    def stiffness(self) -> Array | None:
        """(n_bodies, 6, 6) of the lines about each body's origin, free points following; None if it is not known."""
        solver, work = self.solved
        try:
            return solver.stiffness(self.model, work) if hasattr(solver, "stiffness") else None
        except BREAKDOWNS:
            return None

    @property
    def stiffness_error(self) -> float | None:
        """Relative scatter of the stiffness over the meshes that it is the mean of; None if there are none."""
        return None if self.stiffness is None else getattr(self.solved[1], "stiffness_error", None)

    @cached_property
    def stability(self) -> Verdict | None:
        """Whether the bodies come back after a push, and which way they would go if not; lines in compression that
        give way; None without either."""
        if pushes(self.model, self.state):
            from ropewalk.analysis.compression import buckled  # takes the modules of the frequency analyses

            if (found := buckled(self)) is not None:
                return found
        return verdict(self.model, self.state, None if self.method == GENERAL else self.stiffness)

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is not wrong but doubtful, each with its figure and limit."""
        answer = self.model, self.state, self.method
        own = (*self.rest_doubts, *soft_bed(*answer), *thin_at_surface(*answer))
        return (*case_doubts(self.system, "static"), *own)

    @cached_property
    def start_doubts(self) -> tuple[Doubt, ...]:
        """Those of a run that begins here: it settles this state on its own mesh, bed and thickness of lines."""
        return (*case_doubts(self.system, "run"), *self.rest_doubts)

    @cached_property
    def rest_doubts(self) -> tuple[Doubt, ...]:
        """Those of `start_doubts` that waves and motions have nothing to do with."""
        return tuple(static_doubts(self.model, self.state, self.report, self.stability))

    def line(self, name: str) -> dict[str, Any]:
        """Ends, tensions and lengths of one line."""
        return dict(self.summary["lines"][arguments.name_of("line", name, self.model.names.lines)])

    def body_stiffness(self, name: str) -> Array:
        """(6, 6) stiffness of the lines on one body, about its origin; N/m, N, N m."""
        arguments.name_of("body", name, self.model.names.bodies)
        if self.stiffness is None:
            raise InputError(f"method '{self.method}' gives no stiffness; use method 'catenary' or 'shooting'")
        return self.stiffness[self.model.names.bodies.index(name)]

    def to_dataset(self) -> xr.Dataset:
        """The equilibrium as a result with one instant."""
        from ropewalk import __version__
        from ropewalk.results.derived import with_sheaves
        from ropewalk.results.record import dataset_of

        attrs = {
            "title": self.system.title,
            "system": self.system.model_dump_json(by_alias=True, exclude_unset=True),
            "settings": json.dumps({"method": self.method}),
            "version": __version__,
            "created_by": "ropewalk statics",
            "doubts": doubts_as_json(self.doubts),
            "audit": json.dumps(self.audit.as_dict()),
            **({FIELDS: json.dumps(self.given)} if self.given else {}),
        }
        found = dataset_of(self.model.names, [self.state], attrs, self.model.nets, self.model.lines)
        return with_sheaves(found, self.system, self.report.figures.get("over", {}))


def statics(
    system: Source,
    method: str | Solver | None = None,
    *,
    time: float = 0.0,
    sensitivities: Sequence[str] = (),
    guess: Any = None,
    fields: Fields | Mapping[str, Any] | None = None,
) -> Equilibrium:
    """Equilibrium of `system` under the motions and loads at `time` (s).

    `method` is a solver's name or 'auto' (the default, and what the case file can set): the closed form
    where it is exact, otherwise the next one that supports the case. A bar solver, which integrates in time,
    runs under ramped loads until at rest. A static solver with its settings can be given, too.
    Raises InputError if no method supports the case, ConvergenceError with the residual if none is found.

    `sensitivities` names parameters of the case by their path, e.g. ``lines.m1.pieces.0.length``; the result
    then has the exact derivative of every end tension and free position with respect to each of them.

    `guess` is the start: an equilibrium, a result or its file, or positions by name of lines, points and bodies, as
    in ``{"west": [[-400, 0, -50], [-100, 0, -50], [0, 0, 0]]}``. Shooting returns the equilibrium that Newton finds
    from there, stable or not; elements and bars start from it; the closed form uses none.

    `fields` are user functions: loads on lines, a current, axial laws, properties along s (`ropewalk.Fields`).

    >>> import ropewalk as rw
    >>> rest = rw.statics("mooring.yaml")
    >>> round(rest.line("west")["end_b"]["tension"] / 1e3, 1)  # kN
    432.5
    """
    system, time = System.of(system), arguments.number("time", time)
    sensitivities = arguments.texts("sensitivities", sensitivities, "lines.m1.pieces.0.length")
    given = Fields.of(fields)
    if sensitivities and given.names():
        raise InputError("sensitivities cannot be combined with fields; leave one of the two out")
    answer = equilibrium_of_model(system, build(system, given), method, time, guess, given)
    if given.names():
        answer = replace(answer, given=given.names())
    if sensitivities:
        return replace(answer, sensitivities=_sensitivities(system, sensitivities, time))
    return answer


def equilibrium_of_model(
    system: System,
    model: Model,
    method: str | Solver | None = None,
    time: float = 0.0,
    guess: Any = None,
    given: Fields = NO_FIELDS,
) -> Equilibrium:
    """As `statics`, of a case whose model is built.  model : of `system` and `given`"""
    model = still(model, time)
    forget_trouble(model.fields)
    refuse_only_rods(system)
    refuse_unreachable(model, time)
    refuse_impossible(model, time)
    refuse_straight(model, time)
    begin, by = (
        None if guess is None else _guessed(model, guess, time),
        system.statics.method if method is None else method,
    )
    is_plain = begin is None and not given.names()
    tries: list[Try] = []
    for name, solver in _solvers(system, model, by):
        found = attempt(system, model, name, solver, time, begin)
        if isinstance(found, Try) and name == GENERAL and is_plain:
            found = _by_parts(system, model, solver, by, time) or found
        if isinstance(found, Equilibrium):
            rejected = tuple((one.method, one.sentence) for one in tries if guess is None or one.method != GUESSLESS)
            return replace(found, audit=replace(found.audit, rejected=rejected)) if rejected else found
        tries.append(found)
    spares = [one.spare for one in tries if one.spare is not None]
    if spares and by == AUTO:
        return spares[0]
    raise with_trouble(model, _failure(model, tries, time))


@dataclass(frozen=True)
class Try:
    """A method that gave no answer, or one that did not pass the audit."""

    method: str
    sentence: str
    report: Report
    refused: InputError | None = None  # the method does not do the case
    audit: Audit | None = None
    spare: Equilibrium | None = None  # an answer with a doubt, for `auto` if no other method has one


def attempt(
    system: System, model: Model, name: str, solver: Any, time: float, guess: State | None = None
) -> Equilibrium | Try:
    """The equilibrium by one method if it passes its audit; otherwise why not.  guess : the state to start from"""
    try:
        if guess is None:
            work = solver.start(model, initial_state(model))
        elif name == GUESSLESS:
            raise InputError(f"method '{name}' is a closed form and uses no guess; use shooting, fem or bars_statics")
        else:
            work = getattr(solver, "start_from", solver.start)(model, guess)
        report = solver.advance(model, work, time)
        if not report.good:
            return Try(name, report.message or report.status.value, report)
        if report.figures.get("crosses_surface"):
            return Try(name, report.message, replace(report, status=Status.UNSUPPORTED))
        state = solver.read(model, work)._replace(time=time)  # motions towards rest end later
    except InputError as error:
        return Try(name, str(error), Report(Status.UNSUPPORTED, str(error)), refused=error)
    except BREAKDOWNS as error:
        text = f"method '{name}' broke down ({type(error).__name__}: {error}); try another method"
        return Try(name, text, Report(Status.NOT_CONVERGED, text))
    below = _below_bed(model, state, name)
    if below:
        text = f"{below}; method '{name}' does not model bodies on the bed; use method 'fem'"
        return Try(name, text, replace(report, status=Status.UNSUPPORTED, message=text))
    checked = audit(model, state, time, report.figures, QUADRATURE.get(name, "nodes"))
    text = overturned(model, state) if guess is None and checked.passed else ""
    if text:
        return Try(name, text, replace(report, status=Status.NO_EQUILIBRIUM, message=text))
    if checked.passed:
        found = Equilibrium(system, model, state, report, name, (solver, work), checked)
        cut = cut_by_surface(model, state, name)
        unsupported = replace(report, status=Status.UNSUPPORTED, message=cut)
        return Try(name, cut, unsupported, spare=found) if cut else found
    text = f"method '{name}' reports an equilibrium that the audit rejects: {'; '.join(checked.sentences)}"
    failed = replace(report, status=Status.NOT_CONVERGED, message=text)
    return Try(name, text, failed, audit=checked)


def _by_parts(system: System, model: Model, solver: Any, method: str | Solver, time: float) -> Equilibrium | Try | None:
    """The equilibrium by elements from those of the independent parts; None if there is one part, or a part has none.

    Under `auto` a part without an equilibrium is the failure of the system: other methods were tried on it.
    """
    parts = independent_parts(system)
    if len(parts) < 2:
        return None
    try:
        answers = [statics(part, method, time=time) for part in parts]
    except (InputError, ConvergenceError) as failure:
        if method == AUTO and isinstance(failure, ConvergenceError):
            raise
        return None
    return attempt(system, model, GENERAL, solver, time, joined_state(model, answers))


def _guessed(model: Model, guess: Any, time: float) -> State:
    """The state that a guess gives."""
    from ropewalk.analysis.guess import guessed_state

    return guessed_state(model, guess, time)


def _failure(model: Model, tries: list[Try], time: float) -> Exception:
    """What to raise when no method has an answer: bad input if none does the case, otherwise the numbers of all."""
    refused = [one.refused for one in tries if one.refused is not None]
    if len(refused) == len(tries):
        return refused[0]
    short = shortage(model, time)
    if short:
        return InputError(short)
    computed = [one for one in tries if one.refused is None]
    telling = [t for t in computed if t.report.status in (Status.NO_EQUILIBRIUM, Status.TOO_SHORT)]
    first = (telling or computed)[0]
    others = [f"{one.method}: {one.sentence}" for one in computed if one is not first]
    text = first.sentence + (f". Other methods: {'; '.join(others)}" if others else "")
    return ConvergenceError(text, first.report)


def with_trouble(model: Model, failure: Exception) -> Exception:
    """The failure, or what went wrong in a function of the user's that may well be why."""
    names = {"lines": model.names.lines, "sections": model.names.sections}
    found = trouble(model.fields, names)
    if not found:
        return failure
    return InputError(f"{found}; no equilibrium was found with it: {failure}")


def refuse_only_rods(system: System) -> None:
    """Raise InputError for a case that is nothing but rods, which another question is for."""
    if system.rods and not (system.lines or system.bodies or system.nets):
        raise InputError("the case contains only rods; 'ropewalk float' finds their equilibria")


def _ignores_bed(model: Model, method: str) -> bool:
    """Whether there are free bodies and a bed that the method does not know."""
    return method not in HAVE_BED and model.sea.has_seabed and bool(np.any(model.bodies.joint == LOOSE))


def _below_bed(model: Model, state: State, method: str) -> str:
    """A sentence if a free body would lie below the bed, which most methods do not know."""
    if not _ignores_bed(model, method) or _far_from_bed(model, state):
        return ""
    from ropewalk.assembly.body_bed import body_below_bed

    return body_below_bed(model, state)


def _far_from_bed(model: Model, state: State) -> bool:
    """Whether every body is higher above a level bed than it is large."""
    bodies = model.bodies
    if model.sea.bed_normal[2] < 1.0 or is_grid(model.sea):
        return False
    reach = [2.0 * math.sqrt(2.0) * bodies.hull_size(k) for k in range(bodies.mass.size)]  # place and size of a hull
    return bool(np.all(state.body_position[:, 2] - reach > -model.sea.depth))


def _sensitivities(system: System, parameters: Sequence[str], time: float) -> dict[str, dict[str, float]]:
    """Derivatives of end tensions and of loose points and bodies."""
    from ropewalk.analysis.sensitivity import sensitivities

    outputs = [f"lines.{name}.{end}.tension" for name in system.lines for end in ("end_a", "end_b")]
    loose = [
        f"points.{name}" for name, point in system.points.items() if point.joint not in ("fixed", "moving", "coupled")
    ]
    loose += [f"bodies.{name}" for name, body in system.bodies.items() if body.joint == "free"]
    outputs += [f"{part}.position.{axis}" for part in loose for axis in range(3)]
    return sensitivities(system, outputs, parameters, time=time)


def _solvers(system: System, model: Model, method: str | Solver) -> Iterator[tuple[str, Any]]:
    """Names and solvers to try in turn, with the settings of the case."""
    if not isinstance(method, str):
        if not hasattr(method, "advance"):
            raise InputError(f"method must be a name, as in 'catenary', or a solver, not {type(method).__name__}")
        yield method.name, method
        return
    asked = {name: getattr(system.statics, name) for name in SETTINGS}
    given = {name: value for name, value in asked.items() if value is not None}
    for name in candidates(model, method):
        cls = solver_class(SETTLE if name in BAR_SOLVERS else name)
        for setting in given.keys() - {known.name for known in fields(cls)} if given else ():
            how = "set statics.method to a bar solver" if method == AUTO else "leave it out"
            raise InputError(f"statics.{setting} {given[setting]:g}: method '{name}' has no such setting; {how}")
        wanted = {name: getattr(system.statics, name) for name in MESH_SETTINGS if hasattr(cls, name)}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        own = system.statics.options if system.statics.method == name else {}
        if name in BAR_SOLVERS:
            own = {"by": solver_class(name)(**own) if own else name}
        yield name, cls(**given, **wanted, **own)


def candidates(model: Model, method: str) -> Iterator[str]:
    """Names of the solvers for `method`: itself, or all that claim the case, most exact first, if it is 'auto'.

    Lazy, because looking at a solver imports it.
    """
    if not (model.names.lines or model.names.bodies or model.nets.names):
        raise InputError("the case has no lines, bodies or nets; there is nothing to solve")
    if method != AUTO:
        cls = solver_class(method)
        if Claim.STATICS not in cls.claims and method not in BAR_SOLVERS:
            names = ", ".join((*static_methods(), *BAR_SOLVERS, AUTO))
            raise InputError(f"method '{method}' does not support statics. Available: {names}")
        yield method
        return
    asked = demands(model) - NOT_STATIC
    found = False
    for name in _by_preference():
        if asked | {Claim.STATICS} <= solver_class(name).claims:
            found = True
            yield name
    if not found:
        raise InputError(_unsupported(asked))


def _unsupported(asked: frozenset[Claim]) -> str:
    """What no static method supports, or what the methods that come closest lack."""
    lacks = {name: sorted(claim.value for claim in asked - solver_class(name).claims) for name in static_methods()}
    never = sorted(set.intersection(*map(set, lacks.values())))
    if never:
        return f"no method supports statics with {', '.join(never)}"
    first = {tuple(lack): name for name, lack in reversed(lacks.items())}  # of those that lack the same, the best
    closest = sorted(first, key=len)[:CLOSEST]
    each = "; ".join(f"method '{first[lack]}' does not support {', '.join(lack)}" for lack in sorted(closest))
    return f"no method supports everything in this case: {each}"


def static_methods() -> list[str]:
    """Names of the solvers that do statics, the most exact first."""
    return [name for name in _by_preference() if Claim.STATICS in solver_class(name).claims]


@cache
def _by_preference() -> tuple[str, ...]:
    rest = [name for name in SOLVERS if name not in PREFERENCE]
    return tuple(name for name in (*PREFERENCE, *rest) if name in SOLVERS)
