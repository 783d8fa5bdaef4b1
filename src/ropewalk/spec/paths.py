"""Values inside a case by their path: ``lines.west.pieces.0.length``, or ``lines.west.pieces[0].length``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import BaseModel

from ropewalk.errors import InputError

NOT_GIVEN: Final = object()  # in place of a value: None is one
SHOWN_NAMES = 12  # listed after "Available:"
STEP = re.compile(r"([^.\[\]]+)|\[([0-9]+)\]")


def as_plain(value: Any) -> Any:
    """Numbers and arrays of numpy as Python's own; everything else as it is."""
    return value.tolist() if type(value).__module__ == "numpy" and hasattr(value, "tolist") else value


def changed(part: BaseModel, values: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a part, as a file would give it, with other values at some paths. Nothing is checked yet."""
    data = given(part)
    assert isinstance(data, dict)
    for path, value in values.items():
        _put(data, part, path, given(as_plain(value)))
    return data


def given(value: Any) -> Any:
    """What was given of a part, as plain data that can be changed: defaults are left out."""
    if isinstance(value, BaseModel):
        return given(value.model_dump(by_alias=True, exclude_unset=True))
    if isinstance(value, Mapping):
        return {key: given(inner) for key, inner in value.items()}
    return [given(inner) for inner in value] if isinstance(value, list | tuple) else value


def steps(path: str) -> list[str]:
    """The steps of a path; InputError for what is none."""
    if not isinstance(path, str):
        raise InputError(f"{path!r} is not a path; give text, as in 'lines.west.pieces.0.length'")
    found = [name or number for name, number in STEP.findall(path)]
    if not found or ".".join(found) != re.sub(r"\[([0-9]+)\]", r".\1", path):
        raise InputError(f"'{path}' is not a path; write names with dots between them: 'lines.west.pieces.0.length'")
    return found


def _put(data: Any, part: Any, path: str, value: Any) -> None:
    """Set the value at a path, in place.  part : the object that `data` came from, None where there is none"""
    *way, last = steps(path)
    done: list[str] = []
    for step in way:
        key, inner = _key(data, part, step, path, done), _inner(part, step)
        if isinstance(data, dict) and data.get(key) is None:
            if isinstance(part, Mapping):
                raise InputError(_no_name(path, done, step, part))
            data[key] = {} if inner is None else given(inner)
        data, part = data[key], inner
        done.append(step)
        if not isinstance(data, dict | list):
            raise InputError(f"'{path}': {'.'.join(done)} is {data!r} and has no parts; give it as a whole")
    data[_key(data, part, last, path, done)] = value


def _key(data: Any, part: Any, step: str, path: str, done: list[str]) -> Any:
    """The step as `data` has it; InputError for an entry that a list does not have."""
    if isinstance(data, list):
        if not (step.isdecimal() and int(step) < len(data)):
            there = f"0 to {len(data) - 1}" if data else "none"
            raise InputError(f"'{path}': {'.'.join(done)} has no entry '{step}'. Available: {there}.")
        return int(step)
    field = type(part).model_fields.get(step) if isinstance(part, BaseModel) else None
    return step if field is None else field.alias or step


def _inner(part: Any, step: str) -> Any:
    """The object one step further, None where there is none."""
    if isinstance(part, BaseModel):
        names = {field.alias or name: name for name, field in type(part).model_fields.items()}
        return getattr(part, names.get(step, step), None) if step in names or step in names.values() else None
    if isinstance(part, Mapping):
        return part.get(step)
    if isinstance(part, list | tuple) and step.isdecimal() and int(step) < len(part):
        return part[int(step)]
    return None


def _no_name(path: str, done: list[str], step: str, part: Mapping[str, Any]) -> str:
    """A name that is not there, with the nearest that is."""
    names = list(part)
    near = get_close_matches(step, names, 1)
    guess = f"; did you mean '{near[0]}'?" if near else "."
    listed = ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")
    return f"'{path}': no '{step}' in {'.'.join(done)}{guess} Available: {listed or 'none'}."
