"""Bathymetry files of MoorDyn as the bed of a case.

MoorDyn-C (SeafloorFile): the numbers of places along x and y, the places along x, those along y, then rows of x, y and
height z of the bed. MoorDyn-F and MoorPy (in place of the depth): a heading, `nGridX n`, `nGridY n`, the places along
x, then for each place along y a row of it and the depths along x ([MoorDyn2025], "Seafloor/Bathymetry File").
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.beside import beside
from ropewalk.io.columns import Row, read_rows
from ropewalk.io.conversion import Ledger
from ropewalk.io.moordyn_tables import Option
from ropewalk.spec.environment import MOST_DEPTHS

FORTRAN_HEAD = 4  # rows above the depths: heading, two counts, places along x
C_HEAD = 3  # rows above the heights: counts, places along x and y
EDGE = 2  # rows added on each side: level beyond the grid, as MoorDyn takes it


def read_bed(option: Option, ledger: Ledger, folder: Path) -> dict[str, Any]:
    """x, y and depths for the seabed of a case."""
    name = option.value.text
    try:
        rows = read_rows(beside(folder, name, ledger, option.row.line))
    except InputError as error:
        raise option.value.refuse(f"bathymetry {error}") from None
    if len(rows) < 1:
        raise option.value.refuse("the bathymetry file is empty")
    is_c = len(rows[0]) >= 2 and rows[0].numbers == len(rows[0])
    x, y, depth = _of_c(rows) if is_c else _of_fortran(rows)
    for axis, places in (("x", x), ("y", y)):
        if any(b <= a for a, b in pairwise(places)):
            raise rows[0].refuse(f"grid values along {axis} do not increase; a grid needs them in ascending order")
    ledger.note(
        "converted", option.row.line,
        f"bathymetry of {len(x)} by {len(y)} depths as a smooth bed; MoorDyn's is piecewise linear. Beyond the grid "
        "it is level, as in MoorDyn",
    )  # fmt: skip
    flat: Any = np.pad(depth, EDGE, mode="edge")
    return {"kind": "grid", "x": _padded(x), "y": _padded(y), "depth": flat.tolist()}


def mean_depth(bed: dict[str, Any]) -> float:
    """Of the grid of a file, m."""
    inner = slice(EDGE, -EDGE)
    return float(np.mean(np.array(bed["depth"])[inner, inner]))


def _padded(places: list[float]) -> list[float]:
    """With places beyond both ends, as far apart as the last ones."""
    first, last = places[1] - places[0], places[-1] - places[-2]
    before = [places[0] - k * first for k in range(EDGE, 0, -1)]
    return [*before, *places, *(places[-1] + k * last for k in range(1, EDGE + 1))]


def _numbers(row: Row, name: str, count: int) -> list[float]:
    if len(row) != count:
        raise row.refuse(f"{len(row)} numbers where {count} {name} are expected")
    return [word.number(name) for word in row.words]


def _count(row: Row, k: int, name: str) -> int:
    count = row[k].whole(name, least=2)
    if count > MOST_DEPTHS:
        raise row[k].refuse(f"{count} places are more than {MOST_DEPTHS}", name)
    return count


def _of_c(rows: list[Row]) -> tuple[list[float], list[float], Any]:
    """Rows of x, y, z in any order; each place of the grid once."""
    if len(rows) < C_HEAD:
        raise rows[-1].refuse("the bathymetry file ends before the grid values along x and y")
    nx, ny = _count(rows[0], 0, "num_x_points"), _count(rows[0], 1, "num_y_points")
    x, y = _numbers(rows[1], "places along x", nx), _numbers(rows[2], "places along y", ny)
    _, _, _, *body = rows
    if nx * ny > MOST_DEPTHS or len(body) != nx * ny:
        raise rows[-1].refuse(f"{len(body)} rows of x, y, z where the grid has {nx} times {ny} places")
    at_x, at_y = {value: i for i, value in enumerate(x)}, {value: j for j, value in enumerate(y)}
    depth: Any = np.full((ny, nx), np.nan)
    for row in body:
        place = _numbers(row, "columns x, y, z", 3)
        i, j = at_x.get(place[0]), at_y.get(place[1])
        if i is None or j is None:
            raise row.refuse(f"x = {place[0]:g}, y = {place[1]:g} is not a point of the grid")
        if np.isfinite(depth[j, i]):
            raise row.refuse(f"x = {place[0]:g}, y = {place[1]:g} is given twice")
        depth[j, i] = -place[2]
    if float(depth.max()) <= 0.0:
        raise body[0].refuse("the whole bed is above still water; z of MoorDyn-C's file is negative below it")
    return x, y, depth


def _of_fortran(rows: list[Row]) -> tuple[list[float], list[float], Any]:
    """A row of depths for each place along y."""
    if len(rows) < FORTRAN_HEAD:
        raise rows[-1].refuse("the bathymetry file ends before its depths")
    counts = []
    for row, name in ((rows[1], "nGridX"), (rows[2], "nGridY")):
        if len(row) < 2 or row[0].text.lower() != name.lower():
            raise row.refuse(f"{name} and its number are expected here")
        counts.append(_count(row, 1, name))
    nx, ny = counts
    x = _numbers(rows[3], "places along x", nx)
    _, _, _, _, *body = rows
    if nx * ny > MOST_DEPTHS or len(body) != ny:
        raise rows[-1].refuse(f"{len(body)} rows of depths where nGridY is {ny}")
    table = [_numbers(row, "numbers, y and its depths,", nx + 1) for row in body]
    depth: Any = np.array([row[1:] for row in table])
    if float(depth.max()) <= 0.0:
        raise body[0].refuse("the whole bed is above still water; depths are positive below it")
    return x, [row[0] for row in table], depth
