"""Pydantic's errors as sentences: where, what is wrong, what is allowed, and the nearest right spelling."""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, Protocol, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ropewalk.errors import InputError, Problem

Step: TypeAlias = str | int

MAX_PROBLEMS = 50  # reported at once; more would scroll the first ones away
SHOWN_TEXT = 40  # characters of a value shown in a sentence
SHOWN_CHOICES = 30  # names listed after "Allowed:"


def shortened(text: str) -> str:
    """Text cut to what fits in a sentence."""
    return text if len(text) <= SHOWN_TEXT else text[: SHOWN_TEXT - 3] + "..."


def shown(value: object) -> str:
    """A value as it may stand in a sentence: one line, short, control characters escaped."""
    if isinstance(value, dict):
        return f"a mapping of {len(value)} keys" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)} entries" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if not isinstance(value, str):
        return shortened(str(value))
    return f"'{shortened(value)}'" if value.isprintable() else f"'{shortened(ascii(value)[1:-1])}'"


def path_text(path: Sequence[Step]) -> str:
    """`('lines', 'm1', 'pieces', 0)` as `lines.m1.pieces[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            step = shortened(step) if step.isprintable() and step else shown(step)
            text += f".{step}" if text else step
    return text


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that is spelled most like the word, if one is."""
    by_lower = {choice.lower(): choice for choice in choices}
    found = get_close_matches(shortened(word.lower()), by_lower, 1)
    return by_lower[found[0]] if found else None


class Places(Protocol):
    """Where things stand in a file."""

    def nearest(self, path: Sequence[Step]) -> tuple[int, int]:
        """Line and column of the path, or of the nearest part around it."""


def input_error(error: ValidationError, model: type[BaseModel], data: Any, name: str, places: Places) -> InputError:
    """Every mistake that pydantic found while making `model` of `data`, as read from the file `name`."""
    faults = []
    for raw in error.errors(include_url=False):
        trail, kinds = _read_location(model, raw["loc"])
        faults.append(_Fault(raw["type"], trail, kinds, raw["input"], raw.get("ctx", {}), raw["msg"]))
    found = []
    for fault in _without_echoes(_settle(faults), data):
        path, message = _sentence(fault, data)
        line, column = places.nearest(path)
        found.append(Problem(message, name, line, column, path_text(path)))
    found = sorted(dict.fromkeys(found), key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(found) > MAX_PROBLEMS:
        found[MAX_PROBLEMS:] = [Problem(f"(+{len(found) - MAX_PROBLEMS} more)", name)]
    return InputError(found)


@dataclass(frozen=True)
class _Label:
    """In a pydantic location: which branch of a union was tried. Not a step in the file."""

    text: str


@dataclass(frozen=True)
class _Fault:
    """One pydantic error."""

    kind: str
    trail: tuple[Step | _Label, ...]
    types: tuple[Any, ...]  # of what holds the last step: where the allowed keys are found
    value: Any
    context: dict[str, Any]
    text: str

    @property
    def path(self) -> tuple[Step, ...]:
        return tuple(step for step in self.trail if not isinstance(step, _Label))


# --- locations: what is a step in the file and what names a branch of a union ---


def _branches(kind: Any) -> list[Any]:
    """The alternatives of a type, None left out; the type itself where there are none."""
    origin = get_origin(kind)
    if origin is typing.Annotated:
        return _branches(get_args(kind)[0])
    if origin in (typing.Union, types.UnionType):
        inner = [branch for branch in get_args(kind) if branch is not types.NoneType]
        return _branches(inner[0]) if len(inner) == 1 else inner
    return [kind]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _tags(model: Any) -> list[str]:
    """Values of `kind` and other fields that are one of a few words."""
    fields = model.model_fields.values() if _is_model(model) else ()
    literals = (get_args(field.annotation) for field in fields if get_origin(field.annotation) is Literal)
    return [value for values in literals for value in values if isinstance(value, str)]


def _has_label(branch: Any, label: str) -> bool:
    """Whether pydantic means this branch by this label."""
    if label.startswith(("tagged-union[", "union[", "function-", "nullable[")):
        return get_origin(branch) is typing.Annotated
    for kind in _branches(branch):
        origin = get_origin(kind)
        if _is_model(kind):
            fits = label == kind.__name__ or label in _tags(kind)
        elif origin is not None:
            fits = label.startswith(("literal[",) if origin is Literal else (f"{origin.__name__}[",))
        else:
            fits = label in (getattr(kind, "__name__", ""), f"constrained-{getattr(kind, '__name__', '')}")
        if fits:
            return True
    return False


def _enter(kind: Any, step: Step) -> list[Any]:
    """Types of what a step leads to."""
    branches = _branches(kind)
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


def _read_location(
    model: type[BaseModel], location: Sequence[Step]
) -> tuple[tuple[Step | _Label, ...], tuple[Any, ...]]:
    """The trail of a pydantic location, and the types of what its last step stands in."""
    kinds: list[Any] = [model]
    holders: list[Any] = [model]
    trail: list[Step | _Label] = []
    for element in location:
        branches = [branch for kind in kinds for branch in _branches(kind)]
        named = (
            [b for b in branches if isinstance(element, str) and _has_label(b, element)] if len(branches) > 1 else []
        )
        if named or element == "[key]":
            trail.append(_Label(str(element)))
            kinds = named or kinds
        else:
            trail.append(element)
            holders = [inner for branch in branches for inner in _branches(branch)]
            kinds = [inner for branch in branches for inner in _enter(branch, element)]
    return tuple(trail), tuple(holders if trail and not isinstance(trail[-1], _Label) else kinds)


def _keys(kinds: Iterable[Any]) -> list[str]:
    """The keys that a mapping may have, in the order of the class."""
    models = [kind for kind in kinds if _is_model(kind)]
    return list(dict.fromkeys(field.alias or name for model in models for name, field in model.model_fields.items()))


# --- unions: one branch is reported, not all ---

_EXPECTED = {
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _settle(faults: list[_Fault]) -> list[_Fault]:
    """Of each union keep the errors of the branch that was meant."""
    settled: list[_Fault] = []
    unions: dict[tuple[Step | _Label, ...], dict[str, list[_Fault]]] = {}
    for fault in faults:
        first = next((i for i, step in enumerate(fault.trail) if isinstance(step, _Label)), None)
        if first is None:
            settled.append(fault)
            continue
        before, label, after = fault.trail[:first], fault.trail[first], fault.trail[first + 1 :]
        assert isinstance(label, _Label)
        inner = _Fault(fault.kind, before + after, fault.types, fault.value, fault.context, fault.text)
        unions.setdefault(before, {}).setdefault(label.text, []).append(inner)
    for before, tried in unions.items():
        settled.extend(_settle(_meant(before, list(tried.values()))))
    return settled


def _meant(before: tuple[Step | _Label, ...], tried: list[list[_Fault]]) -> list[_Fault]:
    """The errors of the branch that fits best; those of all branches as one where none fits."""
    if len(tried) == 1:
        return tried[0]

    def mismatched(faults: list[_Fault]) -> bool:
        return any(fault.trail == before and _is_mismatch(fault) for fault in faults)

    def other_tag(faults: list[_Fault]) -> bool:
        return any(len(fault.trail) == len(before) + 1 and fault.kind == "literal_error" for fault in faults)

    fitting = [faults for faults in tried if not mismatched(faults)]
    if not fitting:
        return [_merged([fault for faults in tried for fault in faults if _is_mismatch(fault)])]
    same_tag = [faults for faults in fitting if not other_tag(faults)]
    if not same_tag:
        tags = [
            f for faults in fitting for f in faults if f.kind == "literal_error" and len(f.trail) == len(before) + 1
        ]
        return [_merged(tags)] if len({fault.trail for fault in tags}) == 1 else min(fitting, key=_misfit)
    return min(same_tag, key=_misfit)


def _is_mismatch(fault: _Fault) -> bool:
    return fault.kind in _EXPECTED or fault.kind in ("literal_error", "alternatives")


def _merged(faults: list[_Fault]) -> _Fault:
    """Several mismatches of one value as one error that lists what would do."""
    words = [word for fault in faults for word in _words(fault)]
    kinds = [_EXPECTED[fault.kind] for fault in faults if fault.kind in _EXPECTED]
    kinds += [kind for fault in faults for kind in fault.context.get("kinds", ())]
    context = {"words": list(dict.fromkeys(words)), "kinds": list(dict.fromkeys(kinds))}
    return _Fault("alternatives", faults[0].trail, faults[0].types, faults[0].value, context, faults[0].text)


def _misfit(faults: list[_Fault]) -> float:
    """How badly a branch fits: its errors, an unknown key counting less the nearer it is to a missing one."""
    missing = [str(fault.trail[-1]) for fault in faults if fault.kind == "missing"]
    unknown = [str(fault.trail[-1]) for fault in faults if fault.kind == "extra_forbidden"]
    near = sum(1 for key in unknown if nearest(key, missing))
    return len(faults) - near


def _words(fault: _Fault) -> list[str]:
    """The words allowed by a literal error."""
    if "words" in fault.context:
        return list(fault.context["words"])
    text = str(fault.context.get("expected", ""))
    return re.findall(r"'([^']*)'", text) or ([text] if text else [])


# --- sentences ---


def _look_up(data: Any, path: Sequence[Step]) -> Any:
    """What stands at a path in the data as read; None where nothing does."""
    for step in path:
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def _without_echoes(faults: list[_Fault], data: Any) -> list[_Fault]:
    """Without the missing keys that are there in another spelling, and with one error for a list too short."""
    meant = set()
    for fault in faults:
        if fault.kind == "extra_forbidden":
            near = nearest(str(fault.path[-1]), _free_keys(fault, data))
            meant.add((*fault.path[:-1], near))
    kept: dict[Any, _Fault] = {}
    for fault in faults:
        if fault.kind == "missing" and fault.path in meant:
            continue
        short = fault.kind == "missing" and isinstance(fault.path[-1], int)
        kept.setdefault(("short", fault.path[:-1]) if short else id(fault), fault)
    return list(kept.values())


def _free_keys(fault: _Fault, data: Any) -> list[str]:
    """The allowed keys beside an unknown one that are not given yet."""
    given = _look_up(data, fault.path[:-1])
    return [key for key in _keys(fault.types) if not isinstance(given, dict) or key not in given]


def _sentence(fault: _Fault, data: Any) -> tuple[tuple[Step, ...], str]:
    """Path and sentence of an error."""
    path, value, context = fault.path, fault.value, fault.context
    if fault.kind == "extra_forbidden":
        near = nearest(str(path[-1]), _free_keys(fault, data))
        allowed = f"Allowed: {_listed(_keys(fault.types))}."
        return path, f"unknown key; did you mean '{near}'? {allowed}" if near else f"unknown key. {allowed}"
    if fault.kind == "missing":
        if isinstance(path[-1], int):
            sizes = [len(get_args(kind)) for kind in fault.types if get_origin(kind) is tuple]
            needed = f"{sizes[0]} entries are needed" if sizes else "more entries are needed"
            return path[:-1], f"{needed}, not {len(value) if isinstance(value, list | tuple) else 'fewer'}"
        return path, "required key is missing"
    if fault.kind == "union_tag_not_found":
        key = context.get("discriminator", "'kind'").strip("'")
        tags = [tag for kind in fault.types for tag in _tags_at(kind, path)]
        return (*path, key), "required key is missing." + (f" Allowed: {_listed(tags)}." if tags else "")
    if fault.kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        return (*path, key), _not_one_of(context["tag"], re.findall(r"'([^']*)'", context["expected_tags"]))
    if fault.kind in ("literal_error", "alternatives"):
        return path, _not_one_of(value, _words(fault), context.get("kinds", ()))
    if fault.kind in _EXPECTED:
        return path, _must_be(_EXPECTED[fault.kind], value)
    return path, _other_sentence(fault)


def _tags_at(kind: Any, path: Sequence[Step]) -> list[str]:
    """The tags of the tagged union that the last step leads to."""
    return (
        [tag for inner in _enter(kind, path[-1]) for branch in _branches(inner) for tag in _tags(branch)]
        if path
        else []
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN_CHOICES]) + (", ..." if len(names) > SHOWN_CHOICES else "") if names else "none"


def _must_be(expected: str, value: Any) -> str:
    if value is None:
        return f"must be {expected}; the value is empty"
    hint = ""
    if isinstance(value, str) and "number" in expected and re.match(r"[-+]?\.?[0-9]", value):
        hint = "; write the number alone, in SI units, with a decimal point"
    return f"must be {expected}, not {shown(value)}{hint}"


def _not_one_of(value: Any, words: Sequence[str], kinds: Sequence[str] = ()) -> str:
    """A value that is none of the allowed words, nor of the other kinds allowed."""
    near = nearest(value, words) if isinstance(value, str) else None
    hint = f"; did you mean '{near}'?" if near else "."
    return f"{shown(value)} is not known{hint} Allowed: {_listed([*words, *kinds])}."


_LIMITS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def _other_sentence(fault: _Fault) -> str:
    context, value = fault.context, fault.value
    if fault.kind in _LIMITS:
        key, words = _LIMITS[fault.kind]
        return f"must be {words} {context[key]:g}, not {shown(value)}"
    if fault.kind in ("too_short", "too_long"):
        limit = "at least" if fault.kind == "too_short" else "at most"
        size = context.get("min_length", context.get("max_length"))
        return f"must have {limit} {size} {'entry' if size == 1 else 'entries'}, not {context.get('actual_length')}"
    if fault.kind == "finite_number":
        return f"must be a finite number, not {shown(value)}"
    if fault.kind in ("value_error", "assertion_error") and "error" in context:
        return _one_line(str(context["error"]))
    if "text" in context:  # a sentence of the spec's own
        return _one_line(str(context["text"]))
    said = fault.text.replace("Input should be", "must be").replace("String should", "must")
    return _one_line(f"{said[:1].lower()}{said[1:]}, not {shown(value)}")


def _one_line(text: str) -> str:
    """A sentence without line breaks and control characters, whatever the file put into it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
