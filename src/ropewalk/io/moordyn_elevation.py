"""An elevation in time at the origin, as Fourier components of waves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ropewalk.io.columns import Row
from ropewalk.io.conversion import Ledger

SMALL_AMPLITUDE = 1e-6  # of the largest: Fourier components below it are left out
MOST_COMPONENTS = 20_000  # as many as a case takes


def from_elevation(
    rows: Sequence[Row], sampling: tuple[float, float], heading: float, line: int, ledger: Ledger
) -> dict[str, Any]:
    """Fourier components of an elevation at the origin, sampled as MoorDyn does: step, and shortest period kept, s."""
    dt, shortest = sampling
    data = [row for row in rows if row[0].is_number]
    times, heights = ([row[k].number(name) for row in data if _two(row)] for k, name in ((0, "time"), (1, "elevation")))
    if len(times) < 4 or any(b <= a for a, b in pairwise(times)):
        raise rows[0].refuse("an elevation has four rows or more, with increasing times")
    n = round((times[-1] - times[0]) / dt) + 1
    n -= n % 2
    if not 4 <= n <= 2 * MOST_COMPONENTS:
        raise rows[0].refuse(f"the elevation has {n} samples of {dt:g} s; 4 to {2 * MOST_COMPONENTS} can be converted")
    samples = np.interp(times[0] + dt * np.arange(n), times, heights)
    spectrum = np.fft.rfft(samples)[1:] * 2.0 / n
    spectrum[-1] *= 0.5
    omega = math.tau * np.arange(1, spectrum.size + 1) / (n * dt)
    size = np.abs(spectrum)
    kept = np.flatnonzero((size > SMALL_AMPLITUDE * float(size.max())) & (omega * shortest <= math.tau))
    components = [
        {
            "amplitude": float(size[k]),
            "period": float(math.tau / omega[k]),
            "heading": heading,
            "phase": float(-np.angle(spectrum[k]) + omega[k] * times[0]),
        }
        for k in kept
    ]
    mean = float(samples.mean())
    ledger.note("converted", line, f"an elevation of {n} samples as {len(components)} Fourier components; it repeats "
                f"after {n * dt:g} s; its mean {mean:.3g} m is left out")  # fmt: skip
    return {"kind": "components", "components": components} if components else {}


def _two(row: Row) -> bool:
    if len(row) < 2:
        raise row.refuse("a row of an elevation has a time and a height")
    return True
