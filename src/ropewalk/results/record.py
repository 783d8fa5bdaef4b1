"""States to results: rows kept in memory, or in a folder on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.results.checkpoint import Checkpoint, Snapshot
from ropewalk.results.derived import Fastenings, end_tension, line_length, mooring_force
from ropewalk.results.layout import Array, Layout
from ropewalk.results.schema import DONE, VARIABLES

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.lines import Lines
    from ropewalk.model.model import Names
    from ropewalk.model.nets import Nets
    from ropewalk.model.state import State
    from ropewalk.results.segments import RunFolder

BLOCK_BYTES = 1 << 22  # memory taken at a time by results in memory
_GIVEN = ("time", "elevation", "energy")  # columns that do not come from the State


class NotFiniteError(Exception):
    """A state holds something that is not a number; the message says what and where."""


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
        self._row: Array = np.zeros(0)
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
        energy = energy or {}
        if state.time < self.start:
            return
        layout = self.layout or self._set_layout(
            Layout.of(self.names, state, tuple(energy), self.nets, self.fastenings)
        )
        self._fill(state, elevation, energy)
        if self.rows == 0 and self.folder is not None:
            self.folder.begin(layout, self.attrs)
        if self.folder is None:
            self._memory.append(self._row)
        else:
            self.folder.append(self._row)
        self.rows += 1
        self.last_time = state.time

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due. Never in memory, nor before the first record."""
        return self.folder is not None and self.rows > 0 and self.folder.is_due

    def save(self, snapshot: Snapshot | None, loop: Mapping[str, Any]) -> None:
        """Begin a new segment, with a checkpoint if the solver gives a snapshot."""
        if self.folder is not None:
            self.folder.next_segment(None if snapshot is None else Checkpoint(self.rows, snapshot, dict(loop)))

    def dataset(self, status: str = DONE) -> xr.Dataset:
        """All that was kept in memory."""
        if self.folder is not None:
            raise ValueError("the records are in a folder; ropewalk.io.netcdf turns it into a file")
        return to_dataset(self.layout, self._memory, {**self.attrs, "status": status})

    def _set_layout(self, layout: Layout) -> Layout:
        self.layout = layout
        self._s = np.array(layout.s)
        self._row = np.empty(layout.width, dtype="<f8")
        self._fields = tuple(column.name for column in layout.columns if column.name not in _GIVEN)
        return layout

    def _fill(self, state: State, elevation: float, energy: Mapping[str, float]) -> None:
        assert self.layout is not None
        row, terms = self._row, self.layout.terms
        if state.s is not self._s:
            if not np.array_equal(state.s, self._s):
                raise ValueError("the nodes of a State changed during a run; a solver keeps to the s it began with")
            self._s = state.s
        row[0], row[1] = state.time, elevation
        if terms:
            row[2 : 2 + len(terms)] = [energy.get(term, np.nan) for term in terms]
        values = row[2 + len(terms) :]
        derived = self._derived(state)
        fields = [derived[name] if name in derived else getattr(state, name) for name in self._fields]
        np.concatenate([field.reshape(-1) for field in fields], out=values)
        if not np.isfinite(values).all():
            raise NotFiniteError(self._what_is_not_finite())

    def _derived(self, state: State) -> dict[str, Array]:
        """What follows from a state and is kept with it."""
        assert self.layout is not None
        found = {"end_tension": end_tension(state)}
        if self.layout.winches:
            found["line_length"] = line_length(self.layout, state)
        if self.layout.moored and self.fastenings is not None:
            found["mooring_force"] = mooring_force(self.fastenings, state)
        return found

    def _what_is_not_finite(self) -> str:
        assert self.layout is not None
        for column in self.layout.columns:
            values = column.of(self._row[None])[0]
            if column.name in _GIVEN or np.isfinite(values).all():
                continue
            where = np.argwhere(~np.isfinite(values))[0]
            dim, i = column.dims[1], int(where[0])
            if dim == "node":
                line = int(np.searchsorted(self.layout.start, i, side="right")) - 1
                return f"{column.name} of line '{self.layout.lines[line]}' at s = {self.layout.s[i]:g} m is not finite"
            owners = {"link": self.layout.links, "body": self.layout.bodies, "point": self.layout.points,
                      "line": self.layout.lines, "net": self.layout.nets}  # fmt: skip
            if dim in ("knot", "twine"):
                net = self.layout.coordinates[f"{dim}_net"][1][i]
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
    coordinates = {
        name: (dims, np.array(values), VARIABLES[name].attrs) for name, (dims, values) in layout.coordinates.items()
    }
    return xr.Dataset(variables, coordinates, dict(attrs)).set_coords("time")


class _Blocks:
    """Rows in memory, in blocks so that growing never copies."""

    def __init__(self) -> None:
        self._blocks: list[Array] = []
        self._used = 0  # rows of the last block

    def append(self, row: Array) -> None:
        if not self._blocks or self._used == len(self._blocks[-1]):
            self._blocks.append(np.empty((max(1, BLOCK_BYTES // row.nbytes), row.size)))
            self._used = 0
        self._blocks[-1][self._used] = row
        self._used += 1

    def __iter__(self) -> Iterator[Array]:
        for i, block in enumerate(self._blocks):
            yield block[: self._used] if i == len(self._blocks) - 1 else block
