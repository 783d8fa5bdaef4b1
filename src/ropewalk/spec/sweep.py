"""The sweep file: a base case, what is varied and what is computed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive

MOST_CASES = 10_000_000  # of a sweep; more is a slip of the pen
SOURCES = ("values", "range", "uniform", "table", "broken")  # what a factor takes its levels from

Question = Literal["run", "static", "modes", "response", "float"]


class Factor(Part):
    """What is varied together: one key of the case, several, the columns of a table, or the line that is broken."""

    key: str | Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """Path into the case, as `environment.waves.seed` or `lines.west.pieces.0.length`; a list sets several keys."""
    values: tuple[Any, ...] | None = None
    """One level each. For several keys, a list with one entry per key gives each its own value; anything else applies
    to all."""
    range: Annotated[tuple[Finite, ...], Field(min_length=2, max_length=3)] | None = None
    """First, last (included) and step, 1 unless given."""
    uniform: tuple[Finite, Finite] | None = None
    """Bounds of a Latin hypercube with `samples` points, drawn together with all other uniform factors."""
    table: str | None = None
    """CSV or Excel file beside the sweep file, one level per row, columns named by key."""
    sheet: str | None = None
    """Sheet of an Excel file; the first unless given."""
    columns: dict[str, str] | None = None
    """Key to the heading of its column; all columns by their headings unless given."""
    broken: Literal["each"] | Annotated[tuple[str | None, ...], Field(min_length=1)] | None = None
    """Lines to break, one per level, and null for the intact system; `each` takes the intact system and every line."""
    time: NotNegative | None = None
    """With `broken`: when the line parts at its end B, s; unless given it is missing from the start."""

    @model_validator(mode="after")
    def _one_source(self) -> Factor:
        given = [name for name in SOURCES if getattr(self, name) is not None]
        if len(given) != 1:
            found = f"{' and '.join(given)} are given" if given else "none is given"
            raise ValueError(f"a factor needs exactly one of {', '.join(SOURCES)}; {found}")
        if (self.key is None) == (given[0] in ("values", "range", "uniform")):
            raise ValueError(f"'{given[0]}' {'needs a key to set' if self.key is None else 'has no key'}")
        if self.values is not None and not self.values:
            raise ValueError("'values' is empty, so there would be no cases; give one or more")
        for name, source in (("sheet", "table"), ("columns", "table"), ("time", "broken")):
            if getattr(self, name) is not None and given[0] != source:
                raise ValueError(f"'{name}' goes with '{source}'; leave it out")
        return self

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are set; empty where a table names them."""
        return () if self.key is None else (self.key,) if isinstance(self.key, str) else self.key


class Limits(Part):
    """What one case may use; it fails beyond."""

    time: Positive | None = None
    """s of wall time"""
    memory: Positive | None = None
    """bytes, beyond what the program itself takes"""


class Sweep(Part):
    """A whole sweep file."""

    model_config = ConfigDict(title="ropewalk sweep file")

    ropewalk_sweep: Literal[1] = 1
    """Version of the file format."""
    title: str = ""
    base: str
    """The case file, relative to the sweep file."""
    do: Question = "run"
    """What is computed of every case."""
    vary: Annotated[tuple[Factor, ...], Field(min_length=1)]
    """The factors."""
    combine: Literal["grid", "zip"] = "grid"
    """Every level of a factor with every level of all others, or all first levels, all second ones, and so on."""
    samples: Annotated[int, Field(ge=1, le=MOST_CASES)] | None = None
    """Points of the Latin hypercube of all uniform factors."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Seed of the Latin hypercube."""
    keep: Literal["summary", "files"] = "summary"
    """`files` keeps the whole result of every case, in a folder beside the result of the sweep."""
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _samples(self) -> Sweep:
        has_uniform = any(factor.uniform is not None for factor in self.vary)
        if has_uniform and self.samples is None:
            raise ValueError("uniform factors need 'samples', the number of points of the Latin hypercube")
        if not has_uniform and self.samples is not None:
            raise ValueError("'samples' goes with uniform factors; leave it out")
        return self
