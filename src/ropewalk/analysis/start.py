"""Where a run begins: an equilibrium, perhaps under other loads, with shapes and velocities that are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.reach import STRAIGHT
from ropewalk.analysis.shared_start import equilibrium_of
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.protocol import Solver
from ropewalk.model.arrays import Array
from ropewalk.model.bodies import quaternion_of
from ropewalk.model.given import still
from ropewalk.model.joints import FREE, HELD, LOOSE
from ropewalk.model.model import Model, build
from ropewalk.model.state import NO_PLACES, NONE, State, end_positions, initial_state
from ropewalk.physics.elasticity import INEXTENSIBLE, strain
from ropewalk.spec.fields import NO_FIELDS, Fields
from ropewalk.spec.start import LineStart, Start
from ropewalk.spec.system import System

Shape = tuple[Array, Array, Array]  # of a line: s (n,) m, positions (n, 3) m, tensions (n,) N
START_SETTINGS = ("start_from", "start_at")  # fields that say whether the first state is settled on the solver's mesh
AS_GIVEN, EQUILIBRIUM = "as_given", "equilibrium"
ANY_ERROR = 1e6  # accuracy of elements that keeps their number as it is


def start_setting(system: System) -> str:
    """Whether a solver settles its first state by itself, or takes it as it is given."""
    start = EQUILIBRIUM if system.run is None else system.run.start
    return start if isinstance(start, str) else AS_GIVEN


def first_state(
    system: System, model: Model, solver: Solver, functions: Fields = NO_FIELDS
) -> tuple[State, Sequence[Doubt]]:
    """The state that a run begins from, on the nodes of the solver where it has its own, and what is doubtful."""
    start = EQUILIBRIUM if system.run is None else system.run.start
    if start == AS_GIVEN:
        return _straightened(model), ()
    if start == EQUILIBRIUM:
        return _at_rest(system, model, solver, functions, settle=False)
    assert isinstance(start, Start)
    doubts: Sequence[Doubt] = ()
    if start.state == AS_GIVEN:
        state = _straightened(model)
    else:
        other = _under(system, start)
        under = build(other, functions)
        _refuse_other_parts(model, under)
        state, doubts = _at_rest(other, under, solver, functions, settle=True)
    return _moved(system, model, state, start), doubts


def refuse_start(system: System, model: Model) -> None:
    """Raise InputError for a start whose other values are wrong, or that moves what a joint holds."""
    start = EQUILIBRIUM if system.run is None else system.run.start
    if isinstance(start, str):
        return
    _refuse_other_parts(model, build(_under(system, start)))
    for name in start.points:
        _free_point(model, name)
    for name in start.bodies:
        _free_body(model, name)


def _under(system: System, start: Start) -> System:
    """The case with the other values under which it begins."""
    alone = _without_start(system)
    if not start.under:
        return alone
    try:
        return alone.replace(start.under)
    except InputError as error:
        raise InputError(
            [replace(problem, path=f"run.start.under: {problem.path}".removesuffix(": ")) for problem in error.problems]
        ) from None


SAME = 1e-9  # relative, of lengths and places


def _refuse_other_parts(model: Model, under: Model) -> None:
    """Raise InputError if the other values change what a run cannot take over: parts, lengths, places that are held."""
    for kind in ("points", "bodies", "lines"):
        if getattr(model.names, kind) != getattr(under.names, kind):
            raise InputError(f"run.start.under: its {kind} differ from those of the run; keep the same parts")
    for name, length, other in zip(model.names.lines, model.lines.length, under.lines.length, strict=True):
        if abs(other - length) > SAME * length:
            raise InputError(
                f"run.start.under: line '{name}' is {other:g} m long and {length:g} m in the run; give it a winch"
            )
    held = [*np.flatnonzero(np.all(model.points.joint == HELD, axis=1))]
    places = [(model.names.points[k], model.points.position[k], under.points.position[k]) for k in held]
    fixed = np.flatnonzero(model.bodies.joint != LOOSE)
    places += [(model.names.bodies[k], model.bodies.position[k], under.bodies.position[k]) for k in fixed]
    for name, place, other in places:
        if np.linalg.norm(other - place) > SAME * (1.0 + np.linalg.norm(place)):
            raise InputError(
                f"run.start.under: '{name}' is held at {np.round(place, 6).tolist()} m in the run and cannot begin at "
                f"{np.round(other, 6).tolist()} m; move it by a motion, or free it"
            )


def _without_start(system: System) -> System:
    """The case that begins from its own equilibrium."""
    assert system.run is not None
    return system.replace(run=system.run.replace(start=EQUILIBRIUM))


def _at_rest(
    system: System, model: Model, solver: Solver, functions: Fields, *, settle: bool
) -> tuple[State, Sequence[Doubt]]:
    """Equilibrium on the bars of a solver of bars; with `settle` on the mesh of any solver."""
    from ropewalk.analysis.static_doubts import FRICTIONLESS
    from ropewalk.analysis.statics import statics
    from ropewalk.assembly.mesh_error import MESH_FIGURES

    has_functions = bool(functions.names())
    equilibrium = statics(system, fields=functions) if has_functions else equilibrium_of(system, model)
    state, doubts = equilibrium.state, equilibrium.start_doubts
    model = still(model, state.time)
    if hasattr(solver, "at_rest"):
        static = solver.at_rest()
    elif settle:
        static = settling(solver)
    else:
        return state, doubts
    work = static.start(model, state)
    report = static.advance(model, work, state.time)
    if not report.good:
        text = f"'{solver.name}' has no equilibrium to start from: {report.message or report.status.value}"
        raise ConvergenceError(f"{text}; start the run 'as_given'", report)
    if hasattr(solver, "at_rest"):
        own = {name: report.figures[name] for name in MESH_FIGURES if name in report.figures}
        figures = {name: value for name, value in equilibrium.report.figures.items() if name not in MESH_FIGURES} | own
        message = report.message if FRICTIONLESS in report.message else equilibrium.report.message
        known = replace(equilibrium.report, message=message, figures=figures)
        doubts = replace(equilibrium, report=known).start_doubts
    return static.read(model, work), doubts


def settling(solver: Solver) -> Any:
    """The solver so set that it settles its first state on the mesh that it has."""
    if not is_dataclass(solver) or isinstance(solver, type):
        return solver
    names = {field.name for field in fields(solver)}
    changes: dict[str, Any] = dict.fromkeys(names & set(START_SETTINGS), EQUILIBRIUM)
    changes |= {"accuracy": ANY_ERROR} if "accuracy" in names else {}
    return replace(solver, **changes)  # type: ignore[return-value]


# --- what is given of single parts ---


def _moved(system: System, model: Model, state: State, start: Start) -> State:
    """A state with the positions and velocities that are given."""
    point, body = np.array(state.point_position), np.array(state.body_position)
    quaternion = np.array(state.body_quaternion)
    for name, own in start.points.items():
        k = _free_point(model, name)
        point[k] = point[k] if own.position is None else own.position
    for name, given in start.bodies.items():
        k = _free_body(model, name)
        body[k] = body[k] if given.position is None else given.position
        quaternion[k] = quaternion[k] if given.attitude is None else quaternion_of(given.attitude)
    placed = state._replace(time=0.0, point_position=point, body_position=body, body_quaternion=quaternion)
    return _set_off(model, _reshaped(system, model, state, placed, start), start)


def _free_point(model: Model, name: str) -> int:
    k = model.names.points.index(name)
    if not np.any(model.points.joint[k] == FREE):
        raise InputError(f"run.start.points.{name}: the point is held: its joint gives its position and velocity")
    return k


def _free_body(model: Model, name: str) -> int:
    k = model.names.bodies.index(name)
    if model.bodies.joint[k] != LOOSE:
        raise InputError(f"run.start.bodies.{name}: the body is held: its joint gives its position and velocity")
    return k


def _reshaped(system: System, model: Model, before: State, state: State, start: Start) -> State:
    """The lines in the shapes that are given; where an end was moved and no shape is given, as catenaries."""
    now = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    then = end_positions(model, before.point_position, before.body_position, before.body_quaternion)
    parts = []
    for i, name in enumerate(model.names.lines):
        own = start.lines.get(name, LineStart())
        nodes = slice(state.start[i], state.start[i + 1])
        shape = own.shape or ("catenary" if np.any(now[i] != then[i]) else None)
        if shape is None:
            parts.append((state.s[nodes], state.position[nodes], state.tension[nodes]))
        else:
            parts.append(_line(system, model, i, now[i], shape, own))
    return _with_lines(state, parts)


def _with_lines(state: State, parts: list[Shape]) -> State:
    """A state with other nodes of the lines, at rest."""
    counts = [s.size for s, _, _ in parts]
    return state._replace(
        start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        s=_joined([s for s, _, _ in parts], 0),
        position=_joined([r for _, r, _ in parts], 3),
        velocity=np.zeros((sum(counts), 3)),
        tension=_joined([T for _, _, T in parts], 0),
        node_force=NO_PLACES,
        element_tension=NONE,  # of the nodes before
    )


def _straightened(model: Model) -> State:
    """The state as the file gives it, with lines straight between their ends."""
    state = initial_state(model)
    ends = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    return _with_lines(state, [_straight(model, i, pair) for i, pair in enumerate(ends)])


def _straight(model: Model, i: int, ends: Array) -> Shape:
    """Line i straight between its ends: its pieces stretched by one tension, or all of it shorter than it is.

    Stretched evenly, inextensible pieces beside elastic ones would be longer than they are.
    """
    lines, sections = model.lines, model.sections
    own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
    length, section = lines.piece_length[own], lines.piece_section[own]
    s = np.concatenate([[0.0], np.cumsum(length)])
    span = float(np.linalg.norm(ends[1] - ends[0]))

    def stretched(T: float) -> Array:
        """(n_pieces,) lengths under a tension, m."""
        laws = ((sections.law[k], sections.law_data, sections.law_start[k], sections.law_start[k + 1]) for k in section)
        e: Array = np.array([strain(T, *law)[0] for law in laws])
        return length * (1.0 + e)

    way: Array = length
    T = 0.0
    if span > length.sum() and np.any(sections.law[section] != INEXTENSIBLE):
        from scipy.optimize import brentq  # when used: it takes long to load

        high = 1.0
        while (longest := float(stretched(high).sum())) < span and high < STRONGEST:
            high *= 2.0
        T = high if longest < span else float(brentq(lambda T: float(stretched(T).sum()) - span, 0.0, high))
        way = stretched(T)
    share = np.concatenate([[0.0], np.cumsum(way)]) / way.sum()
    return s, ends[0] + share[:, None] * (ends[1] - ends[0]), np.full(s.size, T)


STRONGEST = 1e15  # N: no line in the sea has it


def _joined(parts: list[Array], columns: int) -> Array:
    return np.concatenate(parts) if parts else np.zeros((0, columns) if columns else 0)


def _line(system: System, model: Model, i: int, ends: Array, shape: Any, own: LineStart) -> Shape:
    """s, positions and tensions at the points of a line in a given shape."""
    length, name = float(model.lines.length[i]), model.names.lines[i]
    if shape == "catenary" and not _is_taut(model, i, ends):
        return _hung(system, name, ends)
    if shape in ("catenary", "straight"):
        return _straight(model, i, ends)
    points: Array = np.array(shape)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    if way[-1] <= 0.0:
        raise InputError(f"run.start.lines.{name}: all points of the shape coincide")
    s = np.array(own.s) if own.s is not None else length * way / way[-1]
    if abs(s[0]) > 1e-9 * length or abs(s[-1] - length) > 1e-6 * length:
        raise InputError(
            f"run.start.lines.{name}: s goes from {s[0]:g} to {s[-1]:g} m; the line goes from 0 to {length:g} m"
        )
    for side, end in ((0, "A"), (-1, "B")):
        gap = float(np.linalg.norm(points[side] - ends[side]))
        if gap > GAP * length:
            raise InputError(
                f"run.start.lines.{name}: the shape ends {gap:.3g} m from end {end}, which is at "
                f"{np.round(ends[side], 6).tolist()}; start and end it where the line does"
            )
    return s, points, np.zeros(s.size) if own.tension is None else np.array(own.tension)


GAP = 1e-3  # of a line's length: how far a given shape may end from the line's ends


def _is_taut(model: Model, i: int, ends: Array) -> bool:
    """Whether line i cannot sag between its ends."""
    lines = model.lines
    own = lines.piece_section[lines.piece_start[i] : lines.piece_start[i + 1]]
    rigid = bool(np.all(model.sections.law[own] == INEXTENSIBLE))
    return rigid and abs(float(np.linalg.norm(ends[1] - ends[0])) / float(lines.length[i]) - 1.0) <= STRAIGHT


def _hung(system: System, name: str, ends: Array) -> Shape:
    """A line alone between fixed ends, at rest in still water."""
    from ropewalk.analysis.statics import statics

    line = system.lines[name].replace(from_="a", to="b", payout=None, break_=None)
    points = {key: {"position": end.tolist()} for key, end in zip("ab", ends, strict=True)}
    sea = system.environment.replace(current=None, waves=None, wind=None)
    alone = System(environment=sea, sections=system.sections, points=points, lines={name: line})
    rest = statics(alone).state
    return rest.s, rest.position, rest.tension


def _set_off(model: Model, state: State, start: Start) -> State:
    """The state with the velocities that are given."""
    drift: Array = np.array(start.velocity)

    def carried(place: Array) -> Array:
        """Velocity of all that is free at places (n, 3)."""
        flow: Array = np.tile(drift, (place.shape[0], 1))
        if start.spin is not None:
            flow += np.cross(np.array(start.spin.rate), place - np.array(start.spin.about))
        return flow

    loose = (model.bodies.joint == LOOSE)[:, None]
    point = carried(state.point_position)
    body = np.where(loose, carried(state.body_position), 0.0)
    rate: Array = np.zeros_like(body)
    if start.spin is not None:
        rate = np.where(loose, np.array(start.spin.rate), rate)
    line = carried(state.position)
    for name, own in start.points.items():
        point[model.names.points.index(name)] += own.velocity
    point = _along_free_axes(model, point)
    for name, given in start.bodies.items():
        k = model.names.bodies.index(name)
        body[k] += given.velocity
        rate[k] += given.rate
    for name, along in start.lines.items():
        i = model.names.lines.index(name)
        line[state.start[i] : state.start[i + 1]] += np.array(along.velocity)
    return state._replace(point_velocity=point, body_velocity=body, body_rate=rate, velocity=line)


def _along_free_axes(model: Model, velocity: Array) -> Array:
    """Velocities (n, 3) of points without what their joints hold; springs let a point go."""
    frame = model.points.frame
    parts = np.einsum("nij,nj->ni", frame, velocity)
    left: Array = np.einsum("nij,ni->nj", frame, np.where(model.points.joint == HELD, 0.0, parts))
    return left
