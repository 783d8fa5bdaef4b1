"""Keys of a case by path: `environment.waves.seed`, `lines.west.pieces.0.length`."""

from __future__ import annotations

from typing import Any, get_origin

from ropewalk.io.messages import nearest, shown
from ropewalk.spec.system import System

MOST_NAMES = 12  # listed in a message


class PathError(ValueError):
    """A path that leads nowhere; the message is the end of a sentence that starts with the path."""


def steps_of(path: str) -> tuple[str, ...]:
    """The parts of a path; `pieces[0]` is read as `pieces.0`."""
    steps = tuple(path.replace("[", ".").replace("]", "").split("."))
    if not all(steps):
        raise PathError("is not a path; give the keys that lead to it with a dot between them")
    return steps


def assign(data: dict[str, Any], path: str, value: Any) -> None:
    """Set what stands at a path in the plain data of a case.

    Parts by name (lines, bodies, ...) and entries of lists must be there. Other keys on the way are made where they
    are missing; whether they mean anything is for the check of the case to find. PathError if the path leads nowhere.
    """
    steps = steps_of(path)
    at: Any = data
    for depth, step in enumerate(steps[:-1]):
        at = _enter(at, steps, depth, step)
    last = steps[-1]
    if isinstance(at, list):
        at[_index(at, steps, len(steps) - 1)] = value
        return
    _check_name(at, steps, len(steps) - 1)
    at[last] = value


def _enter(at: Any, steps: tuple[str, ...], depth: int, step: str) -> Any:
    if isinstance(at, list):
        at = at[_index(at, steps, depth)]
    else:
        _check_name(at, steps, depth)
        if at.get(step) is None:
            at[step] = {}
        at = at[step]
    if not isinstance(at, dict | list):
        here = ".".join(steps[: depth + 1])
        raise PathError(f"leads nowhere: '{here}' is {shown(at)} in the base case and has no parts")
    return at


def _index(at: list[Any], steps: tuple[str, ...], depth: int) -> int:
    step, here = steps[depth], ".".join(steps[:depth])
    if not step.isdecimal() or int(step) >= len(at):
        there = f"entries 0 to {len(at) - 1}" if at else "no entries"
        raise PathError(f"leads nowhere: '{here}' is a list with {there}, and '{step}' is none of them")
    return int(step)


def _check_name(at: dict[str, Any], steps: tuple[str, ...], depth: int) -> None:
    """Refuse a top key that is none, and a part that is not in the case."""
    step = steps[depth]
    if depth == 0 and step not in System.model_fields:
        raise PathError(f"does not exist: {_unknown('key', step, list(System.model_fields))}")
    if depth == 1 and get_origin(System.model_fields[steps[0]].annotation) is dict and step not in at:
        raise PathError(f"does not exist: {_unknown(f'entry of {steps[0]}', step, list(at))}")


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = nearest(name, known)
    guess = f"; did you mean '{near}'?" if near else ""
    there = ", ".join(known[:MOST_NAMES]) + (", ..." if len(known) > MOST_NAMES else "")
    return f"'{name}' is no {kind}{guess or '.'} There are: {there or 'none'}"
