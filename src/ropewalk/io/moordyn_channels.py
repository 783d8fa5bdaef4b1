"""Results as MoorDyn writes them: a main output file with its channel names and units [MoorDyn2025].

Lines, points and bodies are numbered as in the case; those named `line3`, as converted files have them, keep their
numbers where all do. FAIRTEN is the tension at end B, ANCHTEN at end A: here the true end forces, with the half segment
of weight that MoorDyn leaves out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.attitudes import to_moordyn
from ropewalk.io.vtk import rotation_matrix
from ropewalk.model.arrays import Array
from ropewalk.results.files import whole

if TYPE_CHECKING:
    import xarray as xr

TIME_WIDTH, WIDTH = 10, 20  # characters of a column, as MoorDyn's
AXES = ("X", "Y", "Z")


def write_out(dataset: xr.Dataset, path: Path) -> list[Path]:
    """Time, and the channels of lines, points and bodies, in columns."""
    if "time" not in dataset.dims:
        raise InputError("the result has no records over time; MoorDyn's output files hold those")
    channels = list(channels_of(dataset))
    head = "Time".rjust(TIME_WIDTH) + "".join(name.rjust(WIDTH) for name, _, _ in channels)
    units = "(s)".rjust(TIME_WIDTH) + "".join(f"({unit})".rjust(WIDTH) for _, unit, _ in channels)
    times = dataset["time"].values
    table = np.column_stack([values for _, _, values in channels]) if channels else np.zeros((times.size, 0))
    with whole(path) as descriptor, os.fdopen(descriptor, "w", encoding="ascii", newline="\n", closefd=False) as stream:
        stream.write(f"{head}\n{units}\n")
        for time, row in zip(times, table, strict=True):
            numbers = "".join(f"{value:{WIDTH}.7e}" for value in row)
            stream.write(f"{time:{TIME_WIDTH}.4f}{numbers}\n")
    return [path]


def channels_of(dataset: xr.Dataset) -> Iterator[tuple[str, str, Array]]:
    """Name, unit and values of each channel."""
    if "end_tension" in dataset:
        for number, k in _numbers(dataset, "line"):
            for name, end in (("FAIRTEN", "B"), ("ANCHTEN", "A")):
                yield f"{name}{number}", "N", dataset["end_tension"].isel(line=k).sel(end=end).values
    for part, letter, unit, variable in (
        ("point", "P", "m", "point_position"),
        ("point", "V", "m/s", "point_velocity"),
        ("point", "F", "N", "point_force"),
        ("body", "P", "m", "body_position"),
        ("body", "V", "m/s", "body_velocity"),
    ):
        if variable in dataset:
            for number, k in _numbers(dataset, part):
                for axis, label in enumerate(AXES):
                    values = dataset[variable].isel({part: k, "axis": axis}).values
                    yield f"{part.upper()}{number}{letter}{label}", unit, values
    if "body_quaternion" in dataset:
        for number, k in _numbers(dataset, "body"):
            quaternions = dataset["body_quaternion"].isel(body=k).values
            angles = np.array([to_moordyn(rotation_matrix(q)) for q in quaternions]).reshape(-1, 3)
            for axis, label in enumerate(AXES):
                yield f"BODY{number}R{label}", "deg", angles[:, axis]


def _numbers(dataset: xr.Dataset, part: str) -> list[tuple[int, int]]:
    """Number and place of each part: the number of its name where all names have one, else its place from 1."""
    names = [str(name) for name in dataset[part].values] if part in dataset.coords else []
    found = [re.fullmatch(rf"{part}(\d{{1,9}})", name) for name in names]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) < len(names) or len(set(numbers)) < len(names):
        numbers = list(range(1, len(names) + 1))
    return list(zip(numbers, range(len(names)), strict=True))
