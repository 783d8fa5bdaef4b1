"""Functions of the user for kernels and for the audit; drag laws as given in the case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.environment import FIELD_SHAPE, Sea, field_row, grid_function
from ropewalk.numerics.pointers import RAISED, Handle, arguments, handle_of, register
from ropewalk.physics.current import FUNCTION
from ropewalk.physics.elasticity import Law, function_law
from ropewalk.spec.drag import Drag
from ropewalk.spec.fields import Fields
from ropewalk.spec.system import System

LOAD_SHAPE, CURRENT_SHAPE, LAW_SHAPE = (0, 3, 3, 0), FIELD_SHAPE, (0,)  # what functions are given
SECANT = 1e-4  # strain at which a law's stiffness near zero is taken
PROBES = (0.0, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # strains between which a law must rise
SLOPE_ERROR = 1e-2  # relative, of a slope that a law gives, against differences; a law may have kinks
PROBE_STEP = 1e-5  # m, or of a unit vector: of the differences that given derivatives are checked by
NO_TENSION = 1e-9  # of the tension at the largest of them: what a law may give at strain 0
GRID_CURRENT = "environment.current.profile"  # name of the function of a current on a grid
LEAST_SPEED = 1e-3  # m/s: scale of a current that vanishes where it is first looked at


class UserFields(NamedTuple):
    """Functions of the user, and drag laws as given in the case."""

    loads: tuple[tuple[int, Handle], ...] = ()  # line and load
    load_slopes: Mapping[int, Handle] = {}  # by line, derivatives of its load
    current: Handle | None = None
    current_slope: Handle | None = None
    laws: Mapping[int, Handle] = {}  # by section
    drag: Mapping[int, Drag] = {}  # by section, those that depend on the flow
    time: float = 0.0  # s, at which statics take them

    @property
    def acts(self) -> bool:
        """True if there is a load or a current by a function."""
        return bool(self.loads) or self.current is not None

    def load_addresses(self, line: int) -> tuple[int, int]:
        """Addresses of the load on a line and of its derivatives, 0 if not given."""
        slopes = self.load_slopes.get(line)
        return next((handle.address for i, handle in self.loads if i == line), 0), slopes.address if slopes else 0

    @property
    def slope_address(self) -> int:
        """Address of the derivative of the current, 0 if it is not given."""
        return 0 if self.current_slope is None else self.current_slope.address

    def handles(self) -> dict[str, Handle]:
        """Functions that can fail in a run, by their names in messages."""
        found = {f"the load on line {i}": handle for i, handle in self.loads}
        found |= {f"the slopes of the load on line {i}": handle for i, handle in self.load_slopes.items()}
        found |= {} if self.current is None else {"the current": self.current}
        found |= {} if self.current_slope is None else {"the slope of the current": self.current_slope}
        return found | {f"the law of section {i}": handle for i, handle in self.laws.items()}


def build_laws(system: System, given: Fields) -> dict[str, tuple[Law, Handle]]:
    """Axial laws given as functions, by section."""
    found = {}
    for name, function in given.laws.items():
        _known("section", f"fields.laws.{name}", name, system.sections)
        count = 2 if _gives_slope(function) else 1
        tension = [_numbers(function, [e], f"fields.laws.{name}", count)[0] for e in PROBES]
        if abs(tension[0]) > NO_TENSION * abs(tension[-1]):
            raise InputError(f"fields.laws.{name}: T(0) is {tension[0]:g} N; an axial law must have T(0) = 0")
        for k in range(1, len(PROBES)):
            if tension[k] <= tension[k - 1]:
                raise InputError(
                    f"fields.laws.{name}: T({PROBES[k]:g}) is {tension[k]:g} N, not above T({PROBES[k - 1]:g}) = "
                    f"{tension[k - 1]:g} N; a law must increase"
                )
        if count == 2:
            _check_slope(function, f"fields.laws.{name}")
        handle = _handle(function, LAW_SHAPE, 1 if count == 1 else 3, f"fields.laws.{name}")
        secant = _numbers(function, [SECANT], name, count)[0] / SECANT
        found[name] = function_law(secant, handle.address, count == 2), handle
    return found


def _gives_slope(function: Callable[..., Any]) -> bool:
    """Whether a law returns its slope along with the tension."""
    try:
        return bool(np.shape(function(SECANT)) == (2,))
    except Exception:
        return False  # what is wrong is found by the first try


def _check_slope(function: Callable[..., Any], where: str) -> None:
    """Raise InputError if the slope that a law returns is not the derivative of its tension."""
    h = 1e-3 * SECANT
    for e in PROBES[1:]:
        slope = _numbers(function, [e], where, 2)[1]
        low, high = (_numbers(function, [x], where, 2)[0] for x in (e - h, e + h))
        steep = (high - low) / (2.0 * h)
        if not abs(slope - steep) <= SLOPE_ERROR * abs(steep):
            raise InputError(
                f"{where}: dT/de at {e:g} is given as {slope:g} N, but T rises by {steep:g} N there; give the "
                "derivative of T, or T alone"
            )


def _listed(numbers: Array) -> str:
    return f"[{', '.join(f'{x:.6g}' for x in numbers)}]"


def _check_slopes(function: Callable[..., Any], slopes: Callable[..., Any], at: list[Any], by: tuple[int, ...],
                  where: str) -> None:  # fmt: skip
    """Raise InputError if given derivatives are not those of the function, which has three components.

    at : arguments of both    by : which of them, vectors of three, the columns belong to
    """
    given = np.array(_numbers(slopes, at, where, 3, 3 * len(by))).reshape(3, -1)
    for block, k in enumerate(by):
        for j in range(3):
            ends = []
            for sign in (1.0, -1.0):
                moved = [np.array(x, dtype=float) if i == k else x for i, x in enumerate(at)]
                moved[k][j] += sign * PROBE_STEP
                ends.append(np.array(_numbers(function, moved, where, 3)))
            steep, column = (ends[0] - ends[1]) / (2.0 * PROBE_STEP), given[:, 3 * block + j]
            size = float(np.abs(ends[0]).max() + np.abs(steep).max())
            if np.abs(column - steep).max() > SLOPE_ERROR * size:
                raise InputError(
                    f"{where}: column {3 * block + j + 1} is {_listed(column)}, but differences of the function give "
                    f"{_listed(steep)}; give its derivative, or leave {where.split('.')[1]} out"
                )


def build_fields(system: System, given: Fields, laws: Mapping[str, tuple[Law, Handle]], owner: Mapping[int, str]
                 ) -> UserFields:  # fmt: skip
    """Functions and drag laws.  owner : names of the sections in the arrays, those of varying pieces included"""
    middle: Array = np.mean(_places(system), axis=0) if given.loads or given.current is not None else np.zeros(3)
    loads = []
    for name, function in given.loads.items():
        where = f"fields.loads.{name}"
        _known("line", where, name, system.lines)
        if system.lines[name].payout is not None:
            raise InputError(f"{where}: line '{name}' has a winch, so s is not fixed to it; remove the winch")
        _numbers(function, [0.5 * system.lines[name].length, middle, np.array([1.0, 0.0, 0.0]), 0.0], where, 3)
        loads.append((list(system.lines).index(name), _handle(function, LOAD_SHAPE, 3, where)))
    slopes = {}
    for name, function in given.load_slopes.items():
        where, along = f"fields.load_slopes.{name}", 0.5 * system.lines[name].length
        tangent = np.array([0.6, -0.48, 0.64])  # any unit vector
        _check_slopes(given.loads[name], function, [along, middle, tangent, 0.0], (1, 2), where)
        slopes[list(system.lines).index(name)] = _handle(function, LOAD_SHAPE, 18, where)
    current, current_slope = None, None
    if given.current is not None:
        if system.environment.current is not None:
            raise InputError("fields.current replaces environment.current; remove one of them")
        _numbers(given.current, [middle, 0.0], "fields.current", 3)
        current = _handle(given.current, CURRENT_SHAPE, 3, "fields.current")
        if given.current_slope is not None:
            _check_slopes(given.current, given.current_slope, [middle, 0.0], (0,), "fields.current_slope")
            current_slope = _handle(given.current_slope, CURRENT_SHAPE, 9, "fields.current_slope")
    elif (grid := grid_function(system.environment)) is not None:
        current = _handle(grid, CURRENT_SHAPE, 3, GRID_CURRENT)
    for section in given.properties:
        _known("section", f"fields.properties.{section}", section, system.sections)
    return UserFields(
        loads=tuple(loads),
        load_slopes=slopes,
        current=current,
        current_slope=current_slope,
        laws={k: laws[name][1] for k, name in owner.items() if name in laws},
        drag={k: system.sections[name].drag for k, name in owner.items() if system.sections[name].drag.has_law},
    )


def field_sea(sea: Sea, system: System, fields: UserFields) -> Sea:
    """The sea with a current by a function."""
    if fields.current is None or sea.current_kind == FUNCTION:
        return sea
    deep = -sea.depth if math.isfinite(sea.depth) else -100.0
    places = np.concatenate([_places(system), [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5 * deep]]])
    speeds = [_speed(fields.current.function, place) for place in places]
    field = field_row(fields.current.address, fields.time, slope=fields.slope_address)
    return sea._replace(current_kind=FUNCTION, current_speed=max(LEAST_SPEED, *speeds), current_field=field)


def _places(system: System) -> Array:
    """(n, 3) points and bodies of the case, m; its origin if it has none."""
    points, bodies = list(system.points.values()), list(system.bodies.values())
    found = [*(point.position for point in points), *(body.position for body in bodies)]
    return np.array(found or [(0.0, 0.0, 0.0)], dtype=float)


def _speed(function: Callable[..., Any], place: Array) -> float:
    """Speed at a place where no line may be, m/s; 0 where the field is undefined."""
    try:
        speed = float(np.linalg.norm(np.asarray(function(place, 0.0), dtype=float)))
    except Exception:
        return 0.0
    return speed if math.isfinite(speed) else 0.0


def trouble(fields: UserFields, names: Mapping[str, tuple[str, ...]]) -> str:
    """A sentence if a function raised or returned numbers that are not finite; empty if none did.

    names : of the lines and sections
    """
    for handle, what, shape in _named(fields, names):
        if handle.trouble[0] == 0.0:
            continue
        given = arguments(handle.trouble[1:], shape)
        at = ", ".join(np.array2string(np.asarray(x), precision=6) for x in given)
        if handle.trouble[0] == RAISED:
            return f"{what} raised {_raised(handle.function, given)} at ({at})"
        return f"{what} is not finite at ({at})"
    return ""


def _named(fields: UserFields, names: Mapping[str, tuple[str, ...]]) -> list[tuple[Handle, str, tuple[int, ...]]]:
    found: list[tuple[Handle, str, tuple[int, ...]]] = [
        (handle, f"the load function of line '{names['lines'][i]}'", LOAD_SHAPE) for i, handle in fields.loads
    ]
    if fields.current is not None:
        found.append((fields.current, "the current function", CURRENT_SHAPE))
    if fields.current_slope is not None:
        found.append((fields.current_slope, "the function current_slope", CURRENT_SHAPE))
    for i, handle in fields.load_slopes.items():
        found.append((handle, f"the slopes of the load of line '{names['lines'][i]}'", LOAD_SHAPE))
    sections = names["sections"]
    for i, handle in fields.laws.items():
        if i < len(sections):
            found.append((handle, f"the law of section '{sections[i]}'", LAW_SHAPE))
    return found


def _raised(function: Callable[..., Any], given: list[Any]) -> str:
    """The error that a function raises when it is called again."""
    try:
        function(*given)
    except Exception as error:
        return f"{type(error).__name__} ({error})"
    return "an exception"


def forget_trouble(fields: UserFields) -> None:
    """Clear the record of errors in functions."""
    for handle in fields.handles().values():
        handle.reset()


def _handle(function: Callable[..., Any], shape: tuple[int, ...], n_found: int, label: str) -> Handle:
    try:
        handle = handle_of(function, shape, n_found)
    except Exception as error:
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"{label}: numba cannot compile the function as it is called here: {text}") from None
    register(label, handle.address)
    return handle


def _numbers(function: Callable[..., Any], given: list[Any], where: str, count: int, columns: int = 0) -> list[float]:
    """Values of a function at a first call; InputError if these are not `count` finite numbers, or as many rows."""
    what = f"{count} x {columns} numbers" if columns else "a number" if count == 1 else f"{count} numbers"
    try:
        value = function(*given)
    except Exception as error:
        raise InputError(f"{where} raised {type(error).__name__}: {error}; it must return {what}") from None
    try:
        found = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"{where} returned {type(value).__name__}; it must return {what}") from None
    if found.shape != ((count, columns) if columns else (count,)):
        raise InputError(f"{where} returned an array of shape {np.shape(value)}; it must return {what}")
    if not np.all(np.isfinite(found)):
        at = ", ".join(np.array2string(np.asarray(x), precision=6) for x in given)
        raise InputError(f"{where} returned {found.tolist()} at ({at}); it must return finite numbers")
    return [float(x) for x in found.ravel()]


def _known(kind: str, where: str, name: str, parts: Mapping[str, Any]) -> None:
    if name not in parts:
        raise InputError(f"{where}: no {kind} '{name}'. Available: {', '.join(parts) or 'none'}")
