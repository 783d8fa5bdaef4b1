"""Currents of MoorDyn's files as the current of a case: a profile, a profile in time, a grid in space and time.

Currents 1 (`current_profile.txt`), 2 (`current_profile_dynamic.txt`) and 5 (`current_profile_4d.txt`) of the C dialect
[MoorDyn2025], "Water Kinematics". A profile in time whose layers all change alike is a profile with a speed in time,
which every method takes; others become a grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

import numpy as np

from ropewalk.io.columns import Row, Word
from ropewalk.io.conversion import Ledger

STEADY_HEAD = 3  # rows above the numbers of current_profile.txt
DYNAMIC_HEAD = 4  # lines above the heights of current_profile_dynamic.txt
GRID_HEAD = 5  # rows above the velocities of current_profile_4d.txt
ALIKE = 1e-9  # of the largest velocity: what is left of a product of a profile and a function of time
MOST_PLACES = 200_000  # of a grid that is copied into a case


def steady_current(rows: Sequence[Row], line: int, ledger: Ledger) -> dict[str, Any] | None:
    """Rows of z and three velocities."""
    body = list(islice(rows, STEADY_HEAD, None))
    table = []
    for row in body:
        if len(row) != 4:
            raise row.refuse(f"{len(row)} columns; a current profile has z and three velocities")
        table.append(tuple(row[k].number(("z", "ux", "uy", "uz")[k]) for k in range(4)))
    if any(row[3] != 0.0 for row in table):
        table.sort()
        z, flow = [row[0] for row in table], np.array([row[1:] for row in table])
        _check_rising(z, "z", body[0])
        return _grid({"z": z}, flow)
    return profile([row[:3] for row in table], line, ledger)


def dynamic_current(rows: Sequence[Row], line: int, ledger: Ledger) -> dict[str, Any] | None:
    """Heights, then rows of a time and the velocities of all heights: all ux, then all uy, then all uz."""
    body = [row for row in rows if row.line > DYNAMIC_HEAD]
    if len(body) < 2:
        raise rows[-1].refuse("a time-varying current has a row of heights and rows of time and velocities")
    z = [word.number("z") for word in body[0].words]
    times, flow = [], np.zeros((len(body) - 1, len(z), 3))
    for k, row in enumerate(body[1:]):
        parts, rest = divmod(len(row) - 1, len(z))
        if rest or not 1 <= parts <= 3:
            raise row.refuse(
                f"{len(row)} columns; a time and 1, 2 or 3 velocities at each of {len(z)} heights are expected"
            )
        times.append(row[0].number("time"))
        numbers = np.array([word.number("velocity") for word in row.words[1:]])
        flow[k, :, :parts] = numbers.reshape(parts, len(z)).T
    _check_rising(times, "time", body[1])
    order = np.argsort(z)
    z, flow = [z[k] for k in order], flow[:, order]
    _check_rising(z, "z", body[0])
    if len(times) == 1:
        return _grid({"z": z}, flow[0])
    alike = _alike(z, times, flow, line, ledger)
    if alike is not None:
        ledger.note(
            "converted", line, "a current whose layers all change in the same way: a profile and a time-varying speed"
        )
        return alike
    ledger.note("converted", line, f"a current of {len(z)} heights and {len(times)} times, as a grid")
    return _grid({"z": z, "time": times}, flow.reshape(-1, 3))


def _alike(
    z: list[float], times: list[float], flow: Any, line: int, ledger: Ledger
) -> dict[str, Any] | None:  # fmt: skip
    """A horizontal current u(z, t) = f(t) p(z) as a profile with a speed in time; None if it is no such product."""
    largest = float(np.abs(flow).max())
    if largest == 0.0 or np.any(flow[:, :, 2]):
        return None
    strongest = int(np.argmax(np.abs(flow).max(axis=(1, 2))))
    shape = flow[strongest]
    share = np.tensordot(flow, shape, axes=([1, 2], [0, 1])) / float(np.sum(shape**2))
    if np.abs(flow - share[:, None, None] * shape).max() > ALIKE * largest:
        return None
    found = profile([(z[k], *map(float, shape[k, :2])) for k in range(len(z))], line, ledger)
    if found is not None:
        speed = found["speed"]
        found["speed"] = {"kind": "table", "time": times, "value": [float(speed * f) for f in share]}
    return found


def grid_current(rows: Sequence[Row], line: int, ledger: Ledger) -> dict[str, Any] | None:
    """Numbers of places, the places along x, y, z and t, then rows of x, y, z, t and three velocities."""
    if len(rows) <= GRID_HEAD or len(rows[0]) != 4:
        raise rows[0].refuse("a current on a grid begins with the numbers of grid points along x, y, z and t")
    counts = [word.whole("number of places", least=1) for word in rows[0].words]
    if math.prod(counts) > MOST_PLACES:
        raise rows[0].refuse(f"{math.prod(counts)} grid points and times; at most {MOST_PLACES} are converted")
    axes = []
    for row, count, name in zip(islice(rows, 1, GRID_HEAD), counts, "xyzt", strict=True):
        if len(row) != count:
            raise row.refuse(f"{len(row)} numbers where {count} places along {name} are expected")
        axes.append([word.number(name) for word in row.words])
        _check_rising(axes[-1], name, row)
    index = [{value: k for k, value in enumerate(axis)} for axis in axes]
    nx, ny, nz, nt = counts
    flow: Any = np.full((nt, nx, ny, nz, 3), np.nan)
    for row in islice(rows, GRID_HEAD, None):
        if len(row) != 7:
            raise row.refuse(f"{len(row)} columns; x, y, z, t and three velocities are expected")
        at = [known.get(_on(row[k], "xyzt"[k])) for k, known in enumerate(index)]
        if None in at:
            raise row.refuse("this is not a point of the grid above")
        flow[at[3], at[0], at[1], at[2]] = [row[4 + k].number(("ux", "uy", "uz")[k]) for k in range(3)]
    if np.isnan(flow).any():
        missing = int(np.isnan(flow[..., 0]).sum())
        raise rows[0].refuse(f"{missing} grid points have no velocity")
    if not flow.any():
        return None
    ledger.note("converted", line, f"a current on a grid of {nx} x {ny} x {nz} places and {nt} times")
    return _grid(dict(zip(("x", "y", "z", "time"), axes, strict=True)), flow.reshape(-1, 3))


def _on(word: Word, name: str) -> float:
    return word.number(name)


def _check_rising(values: Sequence[float], name: str, row: Row) -> None:
    if any(b <= a for a, b in pairwise(values)):
        raise row.refuse(f"{name} must increase from entry to entry, and no value may appear twice")


def _grid(axes: dict[str, list[float]], flow: Any) -> dict[str, Any]:
    return {"speed": 1.0, "profile": {"kind": "grid", **axes, "velocity": flow.tolist()}}


def profile(table: Sequence[tuple[float, ...]], line: int, ledger: Ledger) -> dict[str, Any] | None:
    """A current of a case from rows of z, ux, uy: speed of the fastest layer, factors and turns of the others."""
    speeds = [math.hypot(ux, uy) for _, ux, uy in table]
    if not table or max(speeds) == 0.0:
        return None
    fastest = max(range(len(table)), key=lambda k: speeds[k])
    heading = math.degrees(math.atan2(table[fastest][2], table[fastest][1]))
    turns = [
        math.remainder(math.degrees(math.atan2(uy, ux)) - heading, 360.0) if speed > 0.0 else 0.0
        for (_, ux, uy), speed in zip(table, speeds, strict=True)
    ]
    part: dict[str, Any] = {
        "kind": "table",
        "z": [row[0] for row in table],
        "factor": [speed / speeds[fastest] for speed in speeds],
    }
    # layers that flow straight back have a negative factor, as between them the flow passes through zero
    for k, turn in enumerate(turns):
        if abs(abs(turn) - 180.0) < 1e-9:
            part["factor"][k] *= -1.0
            turns[k] = 0.0
    if any(abs(turn) > 1e-12 for turn in turns):
        part["turn"] = turns
        ledger.note(
            "converted", line, "a current that turns: speed and direction are linear in z, MoorDyn's components are"
        )
    return {"speed": speeds[fastest], "heading": heading, "profile": part}
