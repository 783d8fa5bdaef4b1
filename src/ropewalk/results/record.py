"""States to results: rows kept in memory, or in a folder on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ropewalk.results.checkpoint import Checkpoint, Snapshot
from ropewalk.results.derived import Fastenings, end_tension, line_length, mooring_force
from ropewalk.results.layout import Array, Layout
from ropewalk.results.schema import DONE, VARIABLES

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.lines import Lines
    from ropewalk.model.model import Names
    from ropewalk.model.moments import Moments
    from ropewalk.model.nets import Nets
    from ropewalk.model.state import State
    from ropewalk.results.segments import RunFolder, RunReader

MANY = 64  # records: so many smaller pieces in memory are made into one
_GIVEN = ("time", "elevation", "energy")  # columns that do not come from the State
_DERIVED = ("end_tension", "mooring_force")  # columns that follow from others


class NotFiniteError(Exception):
    """A state contains a value that is not finite; the message gives what and where, `time` (s) when."""

    def __init__(self, message: str, time: float) -> None:
        super().__init__(message)
        self.time = time


class Variable(NamedTuple):
    """A variable of a Table."""

    name: str
    held: Any  # its values, as an array or a list

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of its dimensions."""
        return VARIABLES[self.name].dims

    @property
    def values(self) -> Any:
        """Its values, as an array."""
        return np.asarray(self.held)


class Recorded(Protocol):
    """A result: a Dataset, or a Table, which has so much of a Dataset. xarray takes longer to load than a small run."""

    @property
    def attrs(self) -> Mapping[Any, Any]:
        """What rides in the result, see schema.ATTRIBUTES."""

    @property
    def sizes(self) -> Mapping[Any, int]:
        """Lengths of the dimensions."""

    @property
    def variables(self) -> Mapping[Any, Any]:
        """Variables and coordinates by name, with `dims` and `values` each."""


@dataclass(frozen=True)
class Table:
    """Records as plain arrays."""

    layout: Layout
    columns: Mapping[str, Array]  # variables by name, with the record as first axis
    attrs: Mapping[str, str] = field(default_factory=dict)

    @property
    def time(self) -> Array:
        """(n,) s"""
        return self.columns["time"]

    @property
    def sizes(self) -> dict[str, int]:
        """Lengths of the dimensions."""
        return {"time": self.time.size, **self.layout.sizes}

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Variables and coordinates by name."""
        labels = {name: Variable(name, values) for name, (_, values) in self.layout.coordinates.items()}
        return labels | {name: Variable(name, values) for name, values in self.columns.items()}

    def since(self, first: int) -> Table:
        """The records from number `first` on."""
        return replace(self, columns={name: values[first:] for name, values in self.columns.items()})

    def to_dataset(self) -> xr.Dataset:
        """The same as a Dataset."""
        import xarray as xr

        variables = {
            name: (VARIABLES[name].dims, values, VARIABLES[name].attrs) for name, values in self.columns.items()
        }
        coordinates = {"time": variables.pop("time")} | {
            name: (dims, np.array(values), VARIABLES[name].attrs)
            for name, (dims, values) in self.layout.coordinates.items()
        }
        return xr.Dataset(variables, coordinates, dict(self.attrs))


class Recorder:
    """Takes States and keeps them. With a `folder` they go to disk and memory stays bounded.

    names : of the parts, from the Model    attrs : what rides in the result, see schema.ATTRIBUTES
    start : s, states before it are not kept    saved : the checkpoint to go on from, else None
    nets, lines : of the Model; without them nothing is kept of nets, and no sums of the lines on bodies
    """

    def __init__(
        self,
        names: Names,
        attrs: Mapping[str, str],
        folder: RunFolder | None = None,
        *,
        start: float = -np.inf,
        nets: Nets | None = None,
        lines: Lines | None = None,
    ) -> None:
        self.names = names
        self.nets = nets
        self.fastenings = None if lines is None else Fastenings.of(lines)
        self.attrs = dict(attrs)
        self.folder = folder
        self.start = start
        self.saved: Checkpoint | None = None
        self.layout: Layout | None = None
        self.rows = 0
        self.last_time = -np.inf
        self._memory = _Pieces()
        self._s: Array = np.zeros(0)

    def resume(self) -> None:
        """Go back to the last checkpoint of the folder."""
        if self.folder is None:
            raise ValueError("a recorder without a folder has nothing to resume")
        from ropewalk.results.segments import RunReader

        self.saved = self.folder.rewind()
        if self.saved is not None:
            self.rows = self.saved.rows
            reader = RunReader(self.folder.path)
            self.last_time = reader.last_time
            self._set_layout(reader.layout)

    def restart(self) -> None:
        """Drop all records, for a run that is repeated."""
        self.saved, self.layout, self.rows, self.last_time = None, None, 0, -np.inf
        self._memory, self._s = _Pieces(), np.zeros(0)
        if self.folder is not None:
            self.folder.restart()

    def add(self, state: State, elevation: float = 0.0, energy: Mapping[str, float] | None = None) -> None:
        """Keep a state. NotFiniteError if it holds anything but numbers; nothing is then kept of it."""
        from ropewalk.model.moments import Moments  # when used: results are opened without a compiler

        terms = {name: np.array([value]) for name, value in (energy or {}).items()}
        self.take(Moments.of([state]), np.array([elevation]), terms)

    def take(self, moments: Moments, elevation: Array, energy: Mapping[str, Array]) -> None:
        """Keep moments. NotFiniteError at the first that holds anything but numbers; those before it are kept.

        elevation : (n,) m    energy : terms by name, (n,) J
        """
        early = int(np.searchsorted(moments.time, self.start))
        if early:
            moments, elevation = moments.cut(early, moments.time.size), elevation[early:]
            energy = {name: values[early:] for name, values in energy.items()}
        if not moments.time.size:
            return
        layout = self.layout or self._set_layout(
            Layout.of(self.names, moments.state(0), tuple(energy), self.nets, self.fastenings)
        )
        columns = self._columns(layout, moments, elevation, energy)
        n, good = moments.time.size, _finite(columns)
        kept = columns if good == n else {name: values[:good] for name, values in columns.items()}
        if good and self.folder is None:
            self._memory.extend(kept)
        elif good and self.folder is not None:
            if self.rows == 0:
                self.folder.begin(layout, self.attrs)
            whole = [values.reshape(good, -1) for values in self._with_derived(layout, kept).values()]
            for row in np.concatenate(whole, axis=1, dtype="<f8"):
                self.folder.append(row)
        self.rows += good
        if good:
            self.last_time = float(moments.time[good - 1])
        if good < n:
            bad = {name: values[good] for name, values in columns.items()}
            raise NotFiniteError(_what_is_not_finite(layout, bad), float(moments.time[good]))

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due. Never in memory, nor before the first record."""
        return self.folder is not None and self.rows > 0 and self.folder.is_due

    def save(self, snapshot: Snapshot | None, loop: Mapping[str, Any]) -> None:
        """Begin a new segment, with a checkpoint if the solver gives a snapshot."""
        if self.folder is not None:
            self.folder.next_segment(None if snapshot is None else Checkpoint(self.rows, snapshot, dict(loop)))

    def dataset(self) -> xr.Dataset:
        """All that was kept in memory."""
        import xarray as xr

        table = self.table()
        return xr.Dataset(attrs={**self.attrs, "status": DONE}) if table is None else table.to_dataset()

    def table(self) -> Table | None:
        """All that was kept in memory, as it stands there; None if nothing was."""
        if self.folder is not None:
            raise ValueError("the records are in a folder; ropewalk.io.netcdf turns it into a file")
        if self.layout is None or not self.rows:
            return None
        return Table(
            self.layout, self._with_derived(self.layout, self._memory.joined()), {**self.attrs, "status": DONE}
        )

    def _set_layout(self, layout: Layout) -> Layout:
        self.layout = layout
        self._s = np.array(layout.s)
        return layout

    def _columns(
        self, layout: Layout, moments: Moments, elevation: Array, energy: Mapping[str, Array]
    ) -> dict[str, Array]:
        """The variables of moments by name, (n, *shape) each, but those that follow from others."""
        if moments.s is not self._s:
            if not np.array_equal(moments.s, self._s):
                raise ValueError("the nodes of the State changed during the run; solvers must not change s")
            self._s = moments.s
        terms: Array = np.full((moments.time.size, len(layout.terms)), np.nan)
        for k, term in enumerate(layout.terms):
            if term in energy:
                terms[:, k] = energy[term]
        found = {**moments.fields, "time": moments.time, "elevation": elevation, "energy": terms}
        return {column.name: found[column.name] for column in layout.columns if column.name not in _DERIVED}

    def _with_derived(self, layout: Layout, columns: Mapping[str, Array]) -> dict[str, Array]:
        """All variables in the order of a record, with those that follow from others."""
        found = {**columns}
        if layout.lines:
            found["end_tension"] = end_tension(columns)
        if layout.winches:
            found["line_length"] = line_length(layout, columns["line_length"])
        if layout.moored and self.fastenings is not None:
            found["mooring_force"] = mooring_force(self.fastenings, columns)
        return {column.name: found[column.name] for column in layout.columns}


def _finite(columns: Mapping[str, Array]) -> int:
    """How many records, from the first on, hold nothing but numbers."""
    good = columns["time"].size
    found = {name: values for name, values in columns.items() if name not in _GIVEN}
    with np.errstate(invalid="ignore", over="ignore"):
        # a sum is finite if all its terms are, short of overflow, and quickly found
        totals = [np.add.reduce(values, axis=None) for values in found.values()]
    for values, is_fine in zip(found.values(), np.isfinite(totals).tolist(), strict=True):
        if not is_fine:
            finite = np.isfinite(values.reshape(len(values), -1)).all(axis=1)
            good = good if finite.all() else min(good, int(np.argmin(finite)))
    return good


def _what_is_not_finite(layout: Layout, columns: Mapping[str, Array]) -> str:
    """A sentence about the first variable of a record that holds something else than numbers."""
    for column in layout.columns:
        values = columns.get(column.name)
        if values is None or column.name in _GIVEN or np.isfinite(values).all():
            continue
        where = np.argwhere(~np.isfinite(values))[0]
        dim, i = column.dims[1], int(where[0])
        if dim == "node":
            line = int(np.searchsorted(layout.start, i, side="right")) - 1
            return f"{column.name} of line '{layout.lines[line]}' at s = {layout.s[i]:g} m is not finite"
        owners = {"link": layout.links, "body": layout.bodies, "point": layout.points,
                  "line": layout.lines, "net": layout.nets}  # fmt: skip
        if dim in ("knot", "twine"):
            net = layout.coordinates[f"{dim}_net"][1][i]
            return f"{column.name} of net '{net}', {dim} {i}, is not finite"
        return f"{column.name} of '{owners[dim][i]}' is not finite"
    return "a number is not finite"


def dataset_of(
    names: Names,
    states: Iterable[State],
    attrs: Mapping[str, str],
    nets: Nets | None = None,
    lines: Lines | None = None,
) -> xr.Dataset:
    """A Dataset of given states, one moment each.  nets, lines : of the Model"""
    recorder = Recorder(names, attrs, nets=nets, lines=lines)
    for state in states:
        recorder.add(state)
    return recorder.dataset()


def table_in(reader: RunReader) -> Table:
    """The records in a folder."""
    blocks = [rows for _, rows in reader.blocks()]
    rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return Table(reader.layout, {column.name: column.of(rows) for column in reader.layout.columns}, reader.attrs)


class _Pieces:
    """Variables in memory, in pieces so that growing never copies what is large."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Array]] = {}  # by name, each with the record as first axis
        self._small = 0  # pieces at the end with few records

    def extend(self, columns: Mapping[str, Array]) -> None:
        """Take records, which must not be changed after."""
        for name, values in columns.items():
            self._pieces.setdefault(name, []).append(values)
        self._small = self._small + 1 if columns["time"].size < MANY else 0
        if self._small == MANY:
            for parts in self._pieces.values():
                parts[-MANY:] = [np.concatenate(parts[-MANY:])]
            self._small = 0

    def joined(self) -> dict[str, Array]:
        """All records by variable."""
        for parts in self._pieces.values():
            if len(parts) > 1:
                parts[:] = [_end_to_end(parts)]
        return {name: parts[0] for name, parts in self._pieces.items()}


def _end_to_end(parts: list[Array]) -> Array:
    """Arrays joined along their first axis; those that lie so in the memory of one array are not copied."""
    whole, first = parts[0].base, parts[0]
    if isinstance(whole, np.ndarray) and all(part.base is whole and part.flags.c_contiguous for part in parts):
        places, ends = [part.ctypes.data for part in parts], [part.ctypes.data + part.nbytes for part in parts]
        if places[1:] == ends[:-1]:
            shape = (sum([len(part) for part in parts]), *first.shape[1:])
            return np.ndarray(shape, first.dtype, whole, places[0] - whole.ctypes.data)
    return np.concatenate(parts)
