"""Properties of sections along s: tables and functions as Chebyshev series over intervals of the line.

A piece whose section varies has a section of its own in the arrays, after those of the file, with the means of its
properties; methods that support varying sections use the series instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Ints, floats, ints, offsets
from ropewalk.physics.profiles import HEAD, PROPERTIES, SIZE, TERMS
from ropewalk.spec import along as spec
from ropewalk.spec.sections import Section

Function = Callable[[float], float]

RESOLVED = 1e-13  # of the largest value: what a series may miss
SHORTEST = 1e-12  # of a piece: an interval this short holds a jump
LONG_ENOUGH = 1e-9  # of a piece, by which a table may end before it: round-off of lengths
MOST_INTERVALS = 2000  # of a piece
NODES = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)  # where series are fitted
TO_SERIES = (2.0 / TERMS) * np.cos(np.pi * np.outer(np.arange(TERMS), np.arange(TERMS) + 0.5) / TERMS)
TO_SERIES[0] *= 0.5
BETWEEN = np.array([-0.9971, -0.61, -0.1234, 0.377, 0.81, 0.9937])  # where they are compared with a function
_EA = PROPERTIES.index("stiffness")
GAUSS = np.polynomial.legendre.leggauss(6)  # means over elements: exact to degree 11
MEAN_GAUSS = np.polynomial.legendre.leggauss(20)  # means over intervals, of one over a series too


class Profiles(NamedTuple):
    """Intervals of the sections that vary, end to end."""

    start: Ints  # (n_sections + 1,) into the intervals
    low: Array  # (k,) m from end A
    high: Array  # (k,)
    at: Ints  # (k,) offsets of their series in law_data
    stretches: Ints  # (n_sections,) 1 if the axial stiffness varies

    @property
    def any(self) -> bool:
        """True if some section varies."""
        return bool(self.low.size)

    def edges(self, sections: Ints) -> Array:
        """Ends of the intervals of some sections, m from end A."""
        own = [j for k in sections for j in range(self.start[k], self.start[k + 1])]
        return np.unique(np.concatenate([self.low[own], self.high[own]])) if own else np.zeros(0)


class Varying(NamedTuple):
    """Series along a piece of a line."""

    low: Array  # (k,) m from end A
    high: Array
    series: Array  # (k, n properties, TERMS)
    stretches: bool

    def means(self) -> Array:
        """(n properties,) over the piece; of the stiffness one over the mean of its inverse."""
        x, w = MEAN_GAUSS
        value = np.polynomial.chebyshev.chebval(x, np.moveaxis(self.series, 2, 0))  # (k, n properties, points)
        value[:, _EA] = 1.0 / value[:, _EA] if self.stretches else 0.0
        share = (self.high - self.low) / np.sum(self.high - self.low)
        mean: Array = np.einsum("k,kpx,x->p", 0.5 * share, value, w)
        mean[_EA] = 1.0 / mean[_EA] if self.stretches else math.nan
        return mean


@cache
def no_profiles(n: int) -> Profiles:
    """Profiles of n sections that do not vary."""
    return Profiles(offsets(np.zeros(n)), floats([]), floats([]), ints([]), ints(np.zeros(n)))


def pack_profiles(varying: Sequence[Varying | None], law_data: Array) -> tuple[Profiles, Array]:
    """Intervals of all sections, and law_data with their series at its end."""
    parts = [one for one in varying if one is not None]
    low, high = (np.concatenate([np.zeros(0), *(getattr(one, name) for one in parts)]) for name in ("low", "high"))
    blocks = [[a, b, *row.ravel()] for one in parts for a, b, row in zip(one.low, one.high, one.series, strict=True)]
    at = law_data.size + SIZE * np.arange(low.size)
    profiles = Profiles(
        start=offsets([0 if one is None else one.low.size for one in varying]),
        low=floats(low),
        high=floats(high),
        at=ints(at),
        stretches=ints([int(one is not None and one.stretches) for one in varying]),
    )
    return profiles, floats(np.concatenate([law_data, *blocks])) if blocks else law_data


def varying_piece(
    section: Section, functions: Mapping[str, Function], begin: float, length: float, where: str
) -> Varying | None:
    """Series of a piece that begins at `begin` (m from end A); None if nothing in its section varies.

    functions : properties by name as functions of s from the start of the piece    where : the piece in messages
    """
    table = section.along if isinstance(section.along, spec.Along) else None
    if table is None and not functions:
        return None
    rows: Sequence[float] = table.s if table is not None else (0.0, length)
    if rows[-1] < length * (1.0 - LONG_ENOUGH):
        raise InputError(
            f"{where}: its section's table along s ends at {rows[-1]:g} m, but the piece is {length:g} m long; "
            "give the table rows up to there"
        )
    pieces = [k for k, (a, b) in enumerate(pairwise(rows)) if b > a and a < length * (1.0 - LONG_ENOUGH)]
    found: list[tuple[float, float, Array]] = []
    for k in pieces:
        a, b = rows[k], min(rows[k + 1], length) if k != pieces[-1] else length

        def values(s: Array, k: int = k) -> Array:
            return _properties(section, table, k, functions, s, where)

        found += _resolved(values, a, b, length, where) if functions else [(a, b, _series(values, a, b))]
    stretches = (table is not None and table.stiffness is not None) or "axial_stiffness" in functions
    low, high = (np.array([row[j] for row in found]) + begin for j in (0, 1))
    return Varying(low, high, np.array([row[2] for row in found]), stretches)


def _series(values: Callable[[Array], Array], a: float, b: float) -> Array:
    """(n properties, TERMS) of the properties between a and b."""
    series: Array = values(0.5 * (a + b) + 0.5 * (b - a) * NODES) @ TO_SERIES.T
    return series


def _resolved(
    values: Callable[[Array], Array], a: float, b: float, length: float, where: str
) -> list[tuple[float, float, Array]]:
    """Intervals between a and b, halved until their series represent the functions."""
    found: list[tuple[float, float, Array]] = []
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        series = _series(values, a, b)
        own = values(0.5 * (a + b) + 0.5 * (b - a) * BETWEEN)
        miss = np.abs(np.polynomial.chebyshev.chebval(BETWEEN, series.T) - own)
        if b - a <= SHORTEST * length or np.all(miss <= RESOLVED * np.max(np.abs(own), axis=1, keepdims=True)):
            found.append((a, b, series))
        else:
            todo += [(0.5 * (a + b), b), (a, 0.5 * (a + b))]
        if len(found) + len(todo) > MOST_INTERVALS:
            raise InputError(
                f"{where}: a property given as a function of s needs more than {MOST_INTERVALS} series of {TERMS} "
                "terms; give a smoother function"
            )
    return found


def _properties(
    section: Section, table: spec.Along | None, row: int, functions: Mapping[str, Function], s: Array, where: str
) -> Array:
    """(n properties, n) at places between two rows of the table, in the order of PROPERTIES."""

    def column(name: str, value: float) -> Array:
        if name in functions:
            return _called(functions[name], name, s, where)
        own = getattr(table, name, None)
        if own is None or table is None:
            return np.full(s.shape, value)
        a, b = table.s[row], table.s[row + 1]
        return own[row] + (own[row + 1] - own[row]) / (b - a) * (s - a)

    drag, added = section.drag, section.added_mass
    normal, tangential = (1.0, 1.0) if drag.has_law else drag.numbers
    d = column("diameter", section.diameter)
    displaced = d if section.volume_diameter is None else np.full(s.shape, section.volume_diameter)
    width = d if section.drag_diameter is None else np.full(s.shape, section.drag_diameter)
    around = math.pi if drag.tangential_reference == "circumference" else 1.0
    if table is not None and table.modulus is not None and "axial_stiffness" not in functions:
        stiffness = column("modulus", 0.0) * column("area", 0.0)
    else:
        stiffness = column("axial_stiffness", 1.0)
    found = {
        "mass": column("mass", section.mass or 0.0),
        "area": 0.25 * math.pi * displaced**2,
        "drag_normal": column("drag_normal", normal) * width,
        "drag_tangential": column("drag_tangential", tangential) * width * around,
        "stiffness": stiffness,
        "added_normal": column("added_mass_normal", added.normal),
        "added_tangential": column("added_mass_tangential", added.tangential),
    }
    return np.array([found[name] for name in PROPERTIES])


def _called(function: Function, name: str, s: Array, where: str) -> Array:
    """Values of a user's function; InputError for values outside the range of the property."""
    found = np.empty(s.shape)
    least = "positive" if name in ("diameter", "axial_stiffness") else "0 or more"
    for k, place in enumerate(s):
        try:
            value = float(function(float(place)))
        except Exception as error:
            raise InputError(
                f"{where}: {name}(s) raised {type(error).__name__} at s = {place:g} m: {error}; it must return a number"
            ) from None
        if not math.isfinite(value) or value < 0.0 or (value == 0.0 and least == "positive"):
            raise InputError(f"{where}: {name}(s) is {value:g} at s = {place:g} m; it must be finite and {least}")
        found[k] = value
    return found


class Along(NamedTuple):
    """Properties at places of lines, one entry each; `stiffness` (N) where it varies, else nan."""

    mass: Array
    area: Array
    drag_normal: Array
    drag_tangential: Array
    stiffness: Array
    added_normal: Array
    added_tangential: Array


def properties_at(sections: Any, profiles: Profiles, k: Ints, s: Array) -> Along:
    """Properties of the sections k at s (m from end A); both of one shape. At a jump, those beyond it."""
    constant = (sections.mass, sections.area, sections.drag_normal, sections.drag_tangential,
                np.full(sections.mass.size, np.nan), sections.added_normal, sections.added_tangential)  # fmt: skip
    if not profiles.any:
        return Along(*(column[k] for column in constant))
    found = np.array([column[k] for column in constant])
    for section in np.unique(k[np.diff(profiles.start)[k] > 0]):
        own = k == section
        first, last = profiles.start[section], profiles.start[section + 1]
        row = first + np.clip(np.searchsorted(profiles.high[first:last], s[own], side="right"), 0, last - first - 1)
        a, b = profiles.low[row], profiles.high[row]
        series = _blocks(sections.law_data, profiles.at[row])
        x = (2.0 * s[own] - a - b) / (b - a)
        value = np.polynomial.chebyshev.chebval(x, np.moveaxis(series, 2, 0)[..., :].transpose(0, 2, 1), tensor=False)
        if not profiles.stretches[section]:
            value[_EA] = np.nan
        found[:, own] = value
    return Along(*found)


def _blocks(law_data: Array, at: Ints) -> Array:
    """(n, n properties, TERMS) series at offsets."""
    rows = at[:, None] + HEAD + np.arange(SIZE - HEAD)
    return law_data[rows].reshape(at.size, len(PROPERTIES), TERMS)


def means_between(sections: Any, profiles: Profiles, k: Ints, low: Array, high: Array) -> Along:
    """Means of the sections k between low and high (n,), m from end A; of the stiffness that of its inverse."""
    if not profiles.any:
        return properties_at(sections, profiles, k, low)
    edges = np.unique(np.concatenate([profiles.low, profiles.high]))
    parts = [
        (i, a, b)
        for i, (begin, end) in enumerate(zip(low, high, strict=True))
        for a, b in pairwise([begin, *edges[(edges > begin) & (edges < end)], end])
    ]
    own, first, last = (np.array([part[j] for part in parts]) for j in range(3))
    own = own.astype(np.int64)
    x, w = GAUSS
    at = [properties_at(sections, profiles, k[own], 0.5 * (first + last) + 0.5 * y * (last - first)) for y in x]
    share = (last - first) / np.where(high > low, high - low, 1.0)[own]
    share[(high <= low)[own]] = 1.0
    found = []
    for name in Along._fields:
        values = np.array([getattr(one, name) for one in at])
        values = 1.0 / values if name == "stiffness" else values
        mean = np.zeros(low.size)
        np.add.at(mean, own, share * np.einsum("x,xk->k", 0.5 * w, values))
        found.append(1.0 / mean if name == "stiffness" else mean)
    return Along(*found)
