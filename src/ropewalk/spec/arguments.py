"""Arguments of the questions, checked at the door: InputError for what is not a number, in a sentence."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from ropewalk.errors import InputError

SHOWN = 40  # characters of a value in a sentence


def number(name: str, value: Any) -> float:
    """A finite number.  name : of the argument, for the sentence"""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, not {_shown(value)}")
    return float(value)


def count(name: str, value: Any, least: int = 1) -> int:
    """A whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InputError(f"{name} must be a whole number, {least} or more, not {_shown(value)}")
    return int(value)


def text(name: str, value: Any, example: str) -> str:
    """A piece of text.  example : of one that would do, for the sentence"""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, as in '{example}', not {_shown(value)}")
    return value


def texts(name: str, value: Any, example: str) -> list[str]:
    """Several pieces of text."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InputError(f"{name} must be a list of texts, as in ['{example}'], not {_shown(value)}")
    return [text(f"an entry of {name}", entry, example) for entry in value]


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN and shown.isprintable() else type(value).__name__
