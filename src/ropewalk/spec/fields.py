"""Fields: loads, current, axial laws and properties that a user gives as Python functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any

from ropewalk.errors import InputError

Function = Callable[..., Any]
DEPTH = 4  # of functions in functions that a hash looks into
PROPERTIES = ("diameter", "mass", "axial_stiffness", "drag_normal", "drag_tangential", "added_mass_normal",
              "added_mass_tangential")  # fmt: skip


@dataclass(frozen=True)
class Fields:
    """User functions, plain or compiled by ``numba.njit``, in addition to the case.

    >>> import ropewalk as rw
    >>> fields = rw.Fields(current=lambda r, t: (0.5 + 0.01 * r[2], 0.0, 0.0))
    >>> fields.names()
    ('current',)
    """

    loads: Mapping[str, Function] = field(default_factory=dict)
    """By line, f(s, r, tangent, t): force per unstretched length, 3 numbers, N/m; s (m) and tangent from end A."""
    load_slopes: Mapping[str, Function] = field(default_factory=dict)
    """By line with a load, g(s, r, tangent, t): (3, 6) derivatives of its load, three columns by r (N/m2) and three by
    the tangent (N/m); differences unless given."""
    current: Function | None = None
    """u(r, t): velocity of the water, 3 numbers, m/s, in place of the case's current."""
    current_slope: Function | None = None
    """g(r, t): (3, 3) derivative of `current` by r, 1/s; differences unless given."""
    laws: Mapping[str, Function] = field(default_factory=dict)
    """By section, T(strain): tension, N, increasing from T(0) = 0; or T and dT/dstrain, two numbers."""
    properties: Mapping[str, Mapping[str, Function]] = field(default_factory=dict)
    """By section, then by property, y(s) with s (m) from the start of the piece."""

    def __post_init__(self) -> None:
        """Refuse what is no function, and properties that there are not."""
        for kind in ("loads", "load_slopes", "laws", "properties"):
            if not isinstance(getattr(self, kind), Mapping):
                raise InputError(f"fields.{kind} must be a mapping of names to functions")
        for path, function in self.functions().items():
            if not callable(function):
                raise InputError(f"fields.{path} must be a function, not {type(function).__name__}")
        for name in self.load_slopes:
            if name not in self.loads:
                raise InputError(f"fields.load_slopes.{name}: line '{name}' has no load in fields.loads; give both")
        if self.current_slope is not None and self.current is None:
            raise InputError("fields.current_slope is the derivative of fields.current, which is not given; give both")
        for section, given in self.properties.items():
            for name in given:
                if name not in PROPERTIES:
                    raise InputError(f"fields.properties.{section}: {_unknown('property', str(name), PROPERTIES)}")

    @classmethod
    def of(cls, given: Fields | Mapping[str, Any] | None) -> Fields:
        """Fields from a mapping, as in ``{"loads": {"tether": f}}``, or as they are."""
        if given is None:
            return NO_FIELDS
        if isinstance(given, Fields):
            return given
        if not isinstance(given, Mapping):
            raise InputError(f"fields must be ropewalk.Fields or a mapping, not {type(given).__name__}")
        known = [one.name for one in fields(cls)]
        for key in given:
            if key not in known:
                raise InputError(f"fields: {_unknown('field', str(key), known)}")
        return cls(**given)

    def functions(self) -> dict[str, Any]:
        """All functions by path, as in loads.tether."""
        found = {f"loads.{name}": f for name, f in self.loads.items()}
        found |= {f"load_slopes.{name}": f for name, f in self.load_slopes.items()}
        found |= {} if self.current is None else {"current": self.current}
        found |= {} if self.current_slope is None else {"current_slope": self.current_slope}
        found |= {f"laws.{name}": f for name, f in self.laws.items()}
        for section, given in self.properties.items():
            if not isinstance(given, Mapping):
                raise InputError(f"fields.properties.{section} must be a mapping of properties to functions")
            found |= {f"properties.{section}.{name}": f for name, f in given.items()}
        return found

    def fingerprints(self) -> dict[str, str]:
        """A hash of the code of every function by path: two runs with the same have the same functions."""
        return {path: fingerprint(function) for path, function in self.functions().items()}

    def names(self) -> tuple[str, ...]:
        """Paths of all functions."""
        return tuple(self.functions())


NO_FIELDS = Fields()


def fingerprint(function: Any) -> str:
    """Hash of what a function computes with: its code, defaults, and the values that it encloses."""
    digest = hashlib.sha256()
    _digest(function, digest, DEPTH)
    return digest.hexdigest()[:16]


def _digest(value: Any, digest: Any, depth: int) -> None:
    function = getattr(value, "py_func", value)
    code = getattr(function, "__code__", None)
    if code is None or depth == 0:
        plain = getattr(value, "tobytes", lambda: repr(value).encode())()
        digest.update(type(value).__name__.encode() + (plain if code is None else b""))
        return
    digest.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        digest.update(constant.co_code if hasattr(constant, "co_code") else repr(constant).encode())
    for inner in (*(function.__defaults__ or ()), *(cell.cell_contents for cell in function.__closure__ or ())):
        _digest(inner, digest, depth - 1)
    for name in code.co_names:
        inner = function.__globals__.get(name)
        if isinstance(inner, int | float | str | tuple) or hasattr(inner, "py_func") or hasattr(inner, "tobytes"):
            _digest(inner, digest, depth - 1)


def _unknown(kind: str, name: str, known: Any) -> str:
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return f"no {kind} '{name}'{hint} Available: {', '.join(known)}."
