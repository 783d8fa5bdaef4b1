"""Types of kernel arguments as plain lists, so that a list of kernels to compile can be kept in a text file.

Records and named tuples go by the name of their dtype or class: a new field needs no new list.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import Any

import numba
import numpy as np
from numba import types

from ropewalk.numerics.held import Held
from ropewalk.numerics.sources import PACKAGE

PLAIN = (types.Number, types.Boolean, types.NoneType)


def encode(kind: Any) -> Any:
    """A type as lists, strings and numbers; None for one that cannot be found again by name."""
    coded = _encode(kind)
    try:
        return coded if coded is not None and decode(coded) == kind else None
    except (AttributeError, KeyError, TypeError):
        return None


def _encode(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return ["array", _encode(kind.dtype), kind.ndim, kind.layout, kind.mutable, kind.aligned]
    if isinstance(kind, types.Record):
        return ["record", _dtype_names().get(kind)]
    if isinstance(kind, types.BaseNamedTuple):
        cls = kind.instance_class
        return ["named", f"{cls.__module__}:{cls.__qualname__}", [_encode(part) for part in kind]]
    if isinstance(kind, types.BaseTuple):
        return ["tuple", [_encode(part) for part in kind]]
    if isinstance(kind, types.Omitted):
        return ["omitted", kind.value]
    if isinstance(kind, Held):
        return ["held", _encode(kind.of)]
    return ["plain", str(kind)] if isinstance(kind, PLAIN) else None


def decode(coded: Any) -> Any:
    """The type that :func:`encode` made this of."""
    what, *rest = coded
    if what == "array":
        dtype, ndim, layout, mutable, aligned = rest
        return types.Array(decode(dtype), ndim, layout, readonly=not mutable, aligned=aligned)
    if what == "record":
        return numba.from_dtype(found(rest[0]))
    if what == "named":
        return types.BaseTuple.from_types([decode(part) for part in rest[1]], found(rest[0]))
    if what == "tuple":
        return types.BaseTuple.from_types([decode(part) for part in rest[0]])
    if what == "omitted":
        return types.Omitted(rest[0])
    if what == "held":
        return Held(decode(rest[0]))
    return types.none if rest[0] == "none" else types.boolean if rest[0] == "bool" else getattr(types, rest[0])


def found(name: str) -> Any:
    """What is called `name`, module and qualified name with a colon between."""
    module, _, inside = name.partition(":")
    value: Any = import_module(module)
    for part in inside.split("."):
        value = getattr(value, part)
    return value


@cache
def _dtype_names() -> dict[Any, str]:
    """Record types of the modules imported so far, with the name of their dtype."""
    return {
        numba.from_dtype(value): f"{module}:{name}"
        for module, content in sorted(sys.modules.items())
        if module.split(".")[0] == PACKAGE.name
        for name, value in vars(content).items()
        if isinstance(value, np.dtype) and value.names
    }
