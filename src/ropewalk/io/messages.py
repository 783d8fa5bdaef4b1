"""Pydantic's errors as sentences: where, what is wrong, what is allowed, and the nearest right spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from ropewalk.errors import InputError, Problem
from ropewalk.io.locations import Label, Step, allowed_keys, read_location, tags_at

MAX_PROBLEMS = 50  # reported at once; more would scroll the first ones away
MAX_ERRORS = 1000  # of pydantic's looked at; spelling hints for a million would take minutes
SHOWN_TEXT = 40  # characters of a value shown in a sentence
SHOWN_SENTENCE = 400  # characters of a sentence of the spec, which may quote the file
SHOWN_CHOICES = 30  # names listed after "Allowed:"

M = TypeVar("M", bound=BaseModel)


def shortened(text: str) -> str:
    """Text cut to what fits in a sentence."""
    return text if len(text) <= SHOWN_TEXT else text[: SHOWN_TEXT - 3] + "..."


def shown(value: object) -> str:
    """A value as it may stand in a sentence: one line, short, control characters escaped."""
    if isinstance(value, dict):
        return f"a mapping of {counted(len(value), 'key', 'keys')}" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return f"a list of {counted(len(value), 'entry', 'entries')}" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if not isinstance(value, str):
        return shortened(one_line(str(value)))
    return f"'{shortened(value)}'" if value.isprintable() else f"'{shortened(ascii(value)[1:-1])}'"


def counted(number: int, one: str, many: str) -> str:
    """`1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else many}"


def one_line(text: str) -> str:
    """A sentence without line breaks and control characters, whatever the file put into it."""
    text = text if len(text) <= SHOWN_SENTENCE else text[: SHOWN_SENTENCE - 3] + "..."
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


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


def checked(
    model: type[M], data: Any, name: str | None = None, places: Places | None = None, *, beside: Any = None
) -> M:
    """`model` made of data read from a file; InputError with every mistake and its place.

    beside : the data in which keys are free to be meant by a misspelled one, if not `data`
    """
    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        raise input_error(error, model, data if beside is None else beside, name, places) from None
    except ArithmeticError:  # 1e200 squared, in a check of the spec
        raise InputError(Problem("a number is too large or too small to work with", name)) from None


def input_error(
    error: ValidationError, model: type[BaseModel], data: Any, name: str | None = None, places: Places | None = None
) -> InputError:
    """Every mistake that pydantic found while making `model` of `data`.

    name, places : of the file that the data were read from, if any
    """
    faults = []
    raws = error.errors(include_url=False)
    for raw in raws[:MAX_ERRORS]:
        trail, kinds = read_location(model, raw["loc"])
        faults.append(_Fault(raw["type"], trail, kinds, raw["input"], raw.get("ctx", {}), raw["msg"]))
    found = []
    for fault in _without_echoes(_settle(faults), data):
        path, message = _sentence(fault, data)
        line, column = (None, None) if places is None else places.nearest(path)
        found.append(Problem(message, name, line, column, path_text(path)))
    found = sorted(dict.fromkeys(found), key=lambda problem: (problem.line or 0, problem.column or 0))
    more = len(found[MAX_PROBLEMS:]) + len(raws[MAX_ERRORS:])
    if more:
        found[MAX_PROBLEMS:] = [Problem(f"(+{more} more)", name)]
    return InputError(found)


@dataclass(frozen=True)
class _Fault:
    """One pydantic error."""

    kind: str
    trail: tuple[Step | Label, ...]
    types: tuple[Any, ...]  # of what holds the last step: where the allowed keys are found
    value: Any
    context: dict[str, Any]
    text: str

    @property
    def path(self) -> tuple[Step, ...]:
        return tuple(step for step in self.trail if not isinstance(step, Label))


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
    unions: dict[tuple[Step | Label, ...], dict[str, list[_Fault]]] = {}
    for fault in faults:
        first = next((i for i, step in enumerate(fault.trail) if isinstance(step, Label)), None)
        if first is None:
            settled.append(fault)
            continue
        before, label, after = fault.trail[:first], fault.trail[first], fault.trail[first + 1 :]
        assert isinstance(label, Label)
        inner = _Fault(fault.kind, before + after, fault.types, fault.value, fault.context, fault.text)
        unions.setdefault(before, {}).setdefault(label.text, []).append(inner)
    for before, tried in unions.items():
        settled.extend(_settle(_meant(before, list(tried.values()))))
    return settled


def _meant(before: tuple[Step | Label, ...], tried: list[list[_Fault]]) -> list[_Fault]:
    """The errors of the branch that fits best; those of all branches as one where none fits."""
    if len(tried) == 1:
        return tried[0]

    def mismatched(faults: list[_Fault]) -> bool:
        return all(fault.path == before and _is_mismatch(fault) for fault in faults)

    def wrong_tags(faults: list[_Fault]) -> list[_Fault]:
        return [fault for fault in faults if fault.kind == "literal_error" and len(fault.trail) == len(before) + 1]

    fitting = [faults for faults in tried if not mismatched(faults)]
    if not fitting:
        return [_merged([f for faults in tried for f in faults if f.path == before and _is_mismatch(f)])]
    same_tag = [faults for faults in fitting if not wrong_tags(faults)]
    if same_tag:
        return min(same_tag, key=_misfit)
    tags = [fault for faults in fitting for fault in wrong_tags(faults)]
    return [_merged(tags)] if len({fault.path for fault in tags}) == 1 else min(fitting, key=_misfit)


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
        is_there = step in data if isinstance(data, dict) else isinstance(data, list) and step in range(len(data))
        if not is_there:
            return None
        data = data[step]
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
        if (fault.kind == "missing" and fault.path in meant) or _is_full(fault):
            continue
        short = fault.kind == "missing" and isinstance(fault.path[-1], int)
        kept.setdefault(("short", fault.path[:-1]) if short else id(fault), fault)
    return list(kept.values())


def _is_full(fault: _Fault) -> bool:
    """A list that pydantic calls too short because it left out the entries that are wrong themselves."""
    return fault.kind == "too_short" and len(fault.value) >= fault.context.get("min_length", 0)


def _free_keys(fault: _Fault, data: Any) -> list[str]:
    """The allowed keys beside an unknown one that are not given yet."""
    given = _look_up(data, fault.path[:-1])
    return [key for key in allowed_keys(fault.types) if not isinstance(given, dict) or key not in given]


def _sentence(fault: _Fault, data: Any) -> tuple[tuple[Step, ...], str]:
    """Path and sentence of an error."""
    path, value, context = fault.path, fault.value, fault.context
    if fault.kind == "extra_forbidden":
        near = nearest(str(path[-1]), _free_keys(fault, data))
        allowed = f"Allowed: {_listed(allowed_keys(fault.types))}."
        return path, f"unknown key; did you mean '{near}'? {allowed}" if near else f"unknown key. {allowed}"
    if fault.kind == "missing":
        if isinstance(path[-1], int):
            sizes = [len(get_args(kind)) for kind in fault.types if get_origin(kind) is tuple]
            needed = f"{sizes[0]} entries are needed" if sizes else "more entries are needed"
            return path[:-1], f"{needed}, not {len(value) if isinstance(value, list | tuple) else 'fewer'}"
        return path, "required key is missing"
    if fault.kind == "union_tag_not_found":
        key = context.get("discriminator", "'kind'").strip("'")
        tags = tags_at(fault.types, path, key)
        return (*path, key), "required key is missing." + (f" Allowed: {_listed(tags)}." if tags else "")
    if fault.kind == "union_tag_invalid":
        key = context["discriminator"].strip("'")
        return (*path, key), _not_one_of(_look_up(value, (key,)), re.findall(r"'([^']*)'", context["expected_tags"]))
    if fault.kind in ("literal_error", "alternatives"):
        return path, _not_one_of(value, _words(fault), context.get("kinds", ()))
    if fault.kind in _EXPECTED:
        return path, _must_be(_EXPECTED[fault.kind], value)
    return path, _other_sentence(fault)


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
    if not isinstance(value, str):
        return _must_be(" or ".join([*words, *kinds]), value)
    near = nearest(value, words)
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
        size = context["min_length"] if fault.kind == "too_short" else context["max_length"]
        return f"must have {limit} {counted(size, 'entry', 'entries')}, not {len(value)}"
    if fault.kind == "finite_number":
        return f"must be a finite number, not {shown(value)}"
    if fault.kind in ("value_error", "assertion_error") and "error" in context:
        return one_line(str(context["error"]))
    said = fault.text.replace("Input should", "must").replace("String should", "must")
    return one_line(f"{said}, not {shown(value)}" if said.startswith("must") else said)  # or the spec's own sentence
