"""Long results in blocks: the page requests the records around the time that it shows."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.viewer.build import TENSION, frames_of, from_dataset
from ropewalk.viewer.packing import Array
from ropewalk.viewer.scene import PAGE_BYTES, PLACES, Frames, Quantity, Scene, frame_stride

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.model import Model

CHUNK_BYTES = 2_000_000  # of records that are sent together
MOST_FRAMES = 500  # of them
SAMPLES = 48  # records that the box and the range of colours are taken from
SERIES = 1500  # moments of a curve over time
NAMES = re.compile(r"(chunk)/(\d{1,9})|(series)/(tension|position|points|body_position|end_tension)/(\d{1,9})")


def needs_stream(dataset: xr.Dataset) -> bool:
    """Whether a result is too long for one page."""
    from ropewalk.io.netcdf import system_of
    from ropewalk.model.model import build

    if "time" not in dataset.dims or int(dataset.sizes["time"]) == 0 or "mode" in dataset.dims:
        return False
    numbers = frames_of(dataset.isel(time=slice(0, 1)), build(system_of(dataset))).numbers
    return frame_stride(int(dataset.sizes["time"]), numbers, PAGE_BYTES) > 1


class Stream:
    """An open result, its scene, and its records by number."""

    def __init__(self, dataset: xr.Dataset) -> None:
        from ropewalk.io.netcdf import system_of
        from ropewalk.model.model import build

        self._dataset = dataset
        self._model: Model = build(system_of(dataset))
        self._lock = threading.Lock()  # HDF5 reads one thing at a time
        self.total = int(dataset.sizes["time"])
        every = max(1, self.total // SAMPLES)
        seen = np.unique(np.append(np.arange(0, self.total, every), self.total - 1))
        scene = from_dataset(dataset.isel(time=seen), moving=True)
        first = frames_of(dataset.isel(time=slice(0, 1)), self._model)
        self._shapes = {name: list(values.shape[1:]) for name, values in first.arrays().items() if name != "time"}
        self.chunk = max(1, min(MOST_FRAMES, CHUNK_BYTES // (4 * max(1, first.numbers))))
        self._origin = scene.origin
        self.scene = self._with_stream(scene, first, seen.size)

    def _with_stream(self, scene: Scene, first: Frames, seen: int) -> Scene:
        time = np.asarray(self._dataset["time"].values, dtype=float)
        if not np.isfinite(time).all():
            raise InputError("time of the result contains values that are not finite")
        variant = replace(scene.variants[0], frames=replace(first, time=time))
        quantity = scene.quantity
        if "end_tension" in self._dataset.variables:  # few numbers, so that all of them can be looked at
            ends = np.asarray(self._dataset["end_tension"].values)
            high = float(np.nanmax(ends, initial=quantity.high))
            quantity = Quantity(TENSION, "N", quantity.low, high)
        note = (
            f"all {self.total} records, loaded in blocks; bounding box and colours are based on {seen} of them and all "
            "end tensions"
        )
        told = {"chunk": self.chunk, "total": self.total, "shapes": self._shapes}
        notes = (note, *(text for text in scene.notes if "records are on this page" not in text))
        return replace(scene, variants=(variant,), quantity=quantity, notes=notes, stream=told)

    def answer(self, name: str) -> bytes | None:
        """What the page requests by name: `chunk/N`, or `series/QUANTITY/INDEX`; None for anything else."""
        found = NAMES.fullmatch(name)
        if found is None:
            return None
        if found[1]:
            return self._chunk(int(found[2]))
        return self._series(found[4], int(found[5]))

    def _chunk(self, number: int) -> bytes | None:
        begin = number * self.chunk
        if begin >= self.total:
            return None
        with self._lock:
            frames = frames_of(self._dataset.isel(time=slice(begin, begin + self.chunk)), self._model)
        arrays = frames.arrays()
        return b"".join(self._packed(name, arrays[name]) for name in self._shapes)

    def _packed(self, name: str, values: Array) -> bytes:
        told = values - self._origin if name in PLACES else values
        return np.ascontiguousarray(np.nan_to_num(told), dtype="<f4").tobytes()

    def _series(self, name: str, index: int) -> bytes | None:
        """Times, then the numbers of one node, point, body or line at them."""
        variable = {"points": "point_position"}.get(name, name)
        if variable not in self._dataset.variables:
            return None
        values: Any = self._dataset[variable]
        if index >= values.shape[1]:
            return None
        every = max(1, -(-self.total // SERIES))
        with self._lock:
            rows = np.asarray(values[::every, index].values)
        time = np.asarray(self._dataset["time"].values)[::every]
        return time.astype("<f4").tobytes() + self._packed(name, rows)
