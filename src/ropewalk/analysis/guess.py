"""First guesses of equilibria: from a State, an equilibrium, a result, or places along lines."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.shooting import shaped_state
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

if TYPE_CHECKING:
    import xarray as xr

SOURCES = (
    "a State, an equilibrium, a result or its file, or positions by name, as in {'west': [[0, 0, -50], [80, 0, -2]]}"
)


def guessed_state(model: Model, guess: Any, time: float) -> State:
    """The state that `guess` gives for the model, with a force along every line; InputError for what is no guess."""
    state = getattr(guess, "state", guess)
    if isinstance(state, State):
        _refuse_other(model, len(state.start) - 1, state.point_position.shape[0], state.body_position.shape[0])
        return state._replace(time=time)
    if isinstance(guess, Mapping) and not hasattr(guess, "data_vars"):
        return _from_places(model, guess, time)
    if isinstance(guess, str | os.PathLike):
        from ropewalk.io.load import load

        guess = load(guess)
    if hasattr(guess, "data_vars"):
        return _from_result(model, guess, time)
    raise InputError(f"guess must be {SOURCES}; not {type(guess).__name__}")


def _refuse_other(model: Model, lines: int, points: int, bodies: int) -> None:
    """Refuse a guess of another case."""
    has = (len(model.names.lines), len(model.names.points), len(model.names.bodies))
    if (lines, points, bodies) != has:
        raise InputError(
            f"guess: it has {lines} lines, {points} points and {bodies} bodies, the case has {has[0]}, {has[1]} and "
            f"{has[2]}; use one with the same parts"
        )


def _from_result(model: Model, result: xr.Dataset, time: float) -> State:
    """The last moment of a run or an equilibrium."""
    if "position" not in result or "time" not in result.dims:
        raise InputError("guess: the result has no shapes of lines in time; use that of `static` or `run`")
    names = model.names
    for dim, wanted in (("line", names.lines), ("point", names.points), ("body", names.bodies)):
        there = [str(name) for name in result[dim].values] if dim in result.coords else []
        if there != list(wanted):
            raise InputError(f"guess: the result has the {dim}s {there}, the case {list(wanted)}; use one of this case")
    last = result.isel(time=-1)
    counts = [int(np.sum(last["node_line"].values == name)) for name in names.lines]
    state = initial_state(model)
    bodies = {}
    if names.bodies:
        bodies = {"body_position": last["body_position"].values, "body_quaternion": last["body_quaternion"].values}
    return state._replace(
        time=time,
        point_position=np.asarray(last["point_position"].values, dtype=float) if names.points else state.point_position,
        start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        s=np.asarray(last["s"].values, dtype=float),
        position=np.asarray(last["position"].values, dtype=float),
        velocity=np.zeros(last["position"].shape),
        tension=np.asarray(last["tension"].values, dtype=float),
        end_force=np.asarray(last["end_force"].values, dtype=float),
        **bodies,
    )


def _from_places(model: Model, places: Mapping[str, Any], time: float) -> State:
    """Places along lines, and of points and bodies, by name; other lines hang as catenaries."""
    names = model.names
    known = (*names.lines, *names.points, *names.bodies)
    for name in places:
        if name not in known:
            raise InputError(f"guess: no part is named '{name}'. Available: {', '.join(known)}")
    begin = initial_state(model)
    points, bodies = begin.point_position.copy(), begin.body_position.copy()
    for k, name in enumerate(names.points):
        if name in places:
            points[k] = _numbers(name, places[name], 1)
    for k, name in enumerate(names.bodies):
        if name in places:
            bodies[k] = _numbers(name, places[name], 1)
    lines = {name: _numbers(name, places[name], 2) for name in names.lines if name in places}
    return shaped_state(model, begin._replace(time=time, point_position=points, body_position=bodies), lines)


def _numbers(name: str, value: Any, dims: int) -> Array:
    """Finite numbers: one place, or a list of them."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    good = array.ndim == dims and array.shape[-1] == 3 and array.size > 0 and bool(np.all(np.isfinite(array)))
    if not good:
        wanted = "a position [x, y, z]" if dims == 1 else "a list of positions [[x, y, z], ...]"
        raise InputError(f"guess: '{name}' must be {wanted} in m")
    return array
