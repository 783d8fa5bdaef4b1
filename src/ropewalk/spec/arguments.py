"""Arguments of the questions, checked at the door: InputError for what is not a number, in a sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ropewalk.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def items(name: str, value: Any, example: str) -> list[Any]:
    """The entries of a list.  example : of one that would do, for the sentence"""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InputError(f"{name} must be a list, as in ['{example}'], not {_shown(value)}")
    return list(value)


def name_of(kind: str, value: Any, known: Iterable[str]) -> str:
    """One of the names that a case has.  kind : of the part, for the sentence"""
    if not isinstance(value, str) or value not in known:
        raise InputError(f"no {kind} {_shown(value)}. Available: {', '.join(known) or 'none'}")
    return value


def numbers(name: str, value: Any) -> NDArray[np.float64]:
    """A list of finite numbers, one or more."""
    import numpy as np

    try:
        found = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 1 or found.size == 0 or not np.all(np.isfinite(found)):
        raise InputError(f"{name} must be a list of finite numbers, not {_shown(value)}")
    return found


def path(value: Any) -> Path:
    """A path of a file."""
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"a path is needed, not {type(value).__name__}")
    return Path(value)


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN and shown.isprintable() else type(value).__name__
