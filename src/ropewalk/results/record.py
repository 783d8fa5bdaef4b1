"""States to results: rows kept in memory, or in a folder on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from ropewalk.results.segments import RunFolder

BLOCK_BYTES = 1 << 22  # memory taken at a time by results in memory
_GIVEN = ("time", "elevation", "energy")  # columns that do not come from the State


class NotFiniteError(Exception):
    """A state contains something that is not a number; the message says what and where, `time` (s) when."""

    def __init__(self, message: str, time: float) -> None:
        super().__init__(message)
        self.time = time


class Table(NamedTuple):
    """Records as plain arrays, for statistics that need no Dataset."""

    layout: Layout
    rows: Array  # (n, layout.width)

    @property
    def time(self) -> Array:
        """(n,) s"""
        values: Array = self.rows[:, 0]
        return values

    def column(self, name: str) -> tuple[tuple[str, ...], Array] | None:
        """Dimensions and values of a variable; None if it is not kept."""
        for column in self.layout.columns:
            if column.name == name:
                return column.dims, column.of(self.rows)
        return None

    def names_along(self, dim: str) -> list[Any]:
        """Values of a coordinate."""
        return list(self.layout.coordinate(dim))

    def since(self, first: int) -> Table:
        """The records from number `first` on."""
        return self._replace(rows=self.rows[first:])


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
        self._memory = _Blocks()
        self._s: Array = np.zeros(0)
        self._fields: tuple[str, ...] = ()

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
        rows = self._rows(layout, moments, elevation, energy)
        finite = np.isfinite(rows[:, 2 + len(layout.terms) :]).all(axis=1)
        good = len(rows) if finite.all() else int(np.argmin(finite))
        if self.rows == 0 and good and self.folder is not None:
            self.folder.begin(layout, self.attrs)
        if self.folder is None:
            self._memory.extend(rows[:good])
            self.rows += good
        else:
            for row in rows[:good]:
                self.folder.append(row)
                self.rows += 1
        if good:
            self.last_time = float(moments.time[good - 1])
        if good < len(rows):
            raise NotFiniteError(self._what_is_not_finite(layout, rows[good]), float(moments.time[good]))

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due. Never in memory, nor before the first record."""
        return self.folder is not None and self.rows > 0 and self.folder.is_due

    def save(self, snapshot: Snapshot | None, loop: Mapping[str, Any]) -> None:
        """Begin a new segment, with a checkpoint if the solver gives a snapshot."""
        if self.folder is not None:
            self.folder.next_segment(None if snapshot is None else Checkpoint(self.rows, snapshot, dict(loop)))

    def dataset(self, status: str = DONE, facts: Mapping[str, str] | None = None) -> xr.Dataset:
        """All that was kept in memory.  facts : further attributes"""
        if self.folder is not None:
            raise ValueError("the records are in a folder; ropewalk.io.netcdf turns it into a file")
        return to_dataset(self.layout, self._memory, {**self.attrs, "status": status, **(facts or {})})

    def table(self) -> Table | None:
        """All that was kept in memory, as it stands there; None if nothing was."""
        if self.folder is not None:
            raise ValueError("the records are in a folder; ropewalk.io.netcdf turns it into a file")
        blocks = list(self._memory)
        if self.layout is None or not blocks:
            return None
        return Table(self.layout, blocks[0] if len(blocks) == 1 else np.concatenate(blocks))

    def _set_layout(self, layout: Layout) -> Layout:
        self.layout = layout
        self._s = np.array(layout.s)
        self._fields = tuple(column.name for column in layout.columns if column.name not in _GIVEN)
        return layout

    def _rows(self, layout: Layout, moments: Moments, elevation: Array, energy: Mapping[str, Array]) -> Array:
        """(n, width) the records of moments."""
        if moments.s is not self._s:
            if not np.array_equal(moments.s, self._s):
                raise ValueError("the nodes of a State changed during a run; a solver keeps to the s it began with")
            self._s = moments.s
        n, terms = moments.time.size, layout.terms
        rows: Array = np.empty((n, layout.width), dtype="<f8")
        rows[:, 0], rows[:, 1] = moments.time, elevation
        for k, term in enumerate(terms):
            rows[:, 2 + k] = energy.get(term, np.nan)
        fields = {**moments.fields, **self._derived(layout, moments.fields)}
        parts = [fields[name].reshape(n, -1) for name in self._fields]
        np.concatenate(parts, axis=1, out=rows[:, 2 + len(terms) :])
        return rows

    def _derived(self, layout: Layout, fields: Mapping[str, Array]) -> dict[str, Array]:
        """What follows from states and is kept with them."""
        found = {"end_tension": end_tension(fields)}
        if layout.winches:
            found["line_length"] = line_length(layout, fields)
        if layout.moored and self.fastenings is not None:
            found["mooring_force"] = mooring_force(self.fastenings, fields)
        return found

    def _what_is_not_finite(self, layout: Layout, row: Array) -> str:
        for column in layout.columns:
            values = column.of(row[None])[0]
            if column.name in _GIVEN or np.isfinite(values).all():
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


def to_dataset(layout: Layout | None, blocks: Iterable[Array], attrs: Mapping[str, str]) -> xr.Dataset:
    """A Dataset from rows in memory; `blocks` is gone through once per variable."""
    import xarray as xr

    if layout is None:  # the run ended before its first record
        return xr.Dataset(attrs=dict(attrs))
    variables = {
        column.name: (column.dims, np.concatenate([column.of(rows) for rows in blocks]), VARIABLES[column.name].attrs)
        for column in layout.columns
    }
    coordinates = {"time": variables.pop("time")} | {
        name: (dims, np.array(values), VARIABLES[name].attrs) for name, (dims, values) in layout.coordinates.items()
    }
    return xr.Dataset(variables, coordinates, dict(attrs))


class _Blocks:
    """Rows in memory, in blocks so that growing never copies."""

    def __init__(self) -> None:
        self._blocks: list[Array] = []
        self._used = 0  # rows of the last block

    def extend(self, rows: Array) -> None:
        done = 0
        while done < len(rows):
            if not self._blocks or self._used == len(self._blocks[-1]):
                self._blocks.append(np.empty((max(1, BLOCK_BYTES // rows[0].nbytes), rows.shape[1])))
                self._used = 0
            n = min(len(rows) - done, len(self._blocks[-1]) - self._used)
            self._blocks[-1][self._used : self._used + n] = rows[done : done + n]
            self._used, done = self._used + n, done + n

    def __iter__(self) -> Iterator[Array]:
        for i, block in enumerate(self._blocks):
            yield block[: self._used] if i == len(self._blocks) - 1 else block
