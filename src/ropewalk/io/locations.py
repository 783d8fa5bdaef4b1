"""Pydantic's error locations: which parts are steps in the file and which name a branch of a union."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args, get_origin

from pydantic import BaseModel

Step: TypeAlias = str | int


@dataclass(frozen=True)
class Label:
    """In a pydantic location: which branch of a union was tried. Not a step in the file."""

    text: str


def alternatives(kind: Any) -> list[Any]:
    """The branches of a union, None left out; the type itself where it is no union."""
    origin = get_origin(kind)
    if origin is typing.Annotated:
        return alternatives(get_args(kind)[0])
    if origin in (typing.Union, types.UnionType):
        inner = [branch for branch in get_args(kind) if branch is not types.NoneType]
        return alternatives(inner[0]) if len(inner) == 1 else inner
    return [kind]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _tags(model: Any, key: str | None = None) -> list[str]:
    """The words allowed for the field `key`, or for any field that is one of a few words."""
    fields = model.model_fields.items() if _is_model(model) else ()
    wanted = [field for name, field in fields if key in (None, name) and get_origin(field.annotation) is Literal]
    return [value for field in wanted for value in get_args(field.annotation) if isinstance(value, str)]


def _has_label(branch: Any, label: str) -> bool:
    """Whether pydantic means this branch by this label, e.g. `Joint`, `function-after[check(), Joint]`, `float`."""
    if label.startswith(("tagged-union[", "union[", "nullable[")):
        return get_origin(branch) is typing.Annotated
    for kind in alternatives(branch):
        origin, name = get_origin(kind), getattr(kind, "__name__", "")
        if _is_model(kind):
            fits = label.endswith(f", {name}]") or label == name or label in _tags(kind)
        elif origin is not None:
            fits = label.startswith("literal[" if origin is Literal else f"{origin.__name__}[")
        else:
            fits = label in (name, f"constrained-{name}")
        if fits:
            return True
    return False


def _enter(kind: Any, step: Step) -> list[Any]:
    """Types of what a step leads to."""
    branches = alternatives(kind)
    if len(branches) > 1:
        return [inner for branch in branches for inner in _enter(branch, step)]
    kind, arguments = branches[0], get_args(branches[0])
    origin = get_origin(kind)
    if _is_model(kind):
        return [field.annotation for key, field in kind.model_fields.items() if step in (field.alias, key)]
    if origin is dict:
        return [arguments[1]]
    if origin in (list, tuple) and isinstance(step, int):
        if origin is list or arguments[1:] == (...,):
            return [arguments[0]]
        return [arguments[step]] if step < len(arguments) else []
    return []


def read_location(model: type[BaseModel], location: Sequence[Step]) -> tuple[tuple[Step | Label, ...], tuple[Any, ...]]:
    """The trail of a pydantic location, and the types of what its last step stands in."""
    kinds: list[Any] = [model]
    holders: list[Any] = [model]
    trail: list[Step | Label] = []
    for element in location:
        branches = [branch for kind in kinds for branch in alternatives(kind)]
        is_union = len(branches) > 1 and isinstance(element, str)
        named = [branch for branch in branches if _has_label(branch, str(element))] if is_union else []
        if named or element == "[key]":
            trail.append(Label(str(element)))
            kinds = named or kinds
        else:
            trail.append(element)
            holders = [inner for branch in branches for inner in alternatives(branch)]
            kinds = [inner for branch in branches for inner in _enter(branch, element)]
    return tuple(trail), tuple(holders)


def allowed_keys(kinds: Iterable[Any]) -> list[str]:
    """The keys that a mapping may have, in the order of the class."""
    models = [kind for kind in kinds if _is_model(kind)]
    return list(dict.fromkeys(field.alias or name for model in models for name, field in model.model_fields.items()))


def tags_at(kinds: Iterable[Any], path: Sequence[Step], key: str) -> list[str]:
    """The words allowed for `key` in the union that the last step of the path leads to."""
    inner = [entered for kind in kinds for step in path[-1:] for entered in _enter(kind, step)]
    outer = [branch for kind in inner for branch in alternatives(kind)]
    return [tag for branch in outer for model in alternatives(branch) for tag in _tags(model, key)]
