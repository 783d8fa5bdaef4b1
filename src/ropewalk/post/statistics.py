"""Statistics of the histories of a run, without its start-up ramp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.post.histories import History, histories
from ropewalk.post.window import after_ramp

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

STORM = 10800.0  # s, three hours: the duration that most probable maxima refer to
SIMPLE = ("mean", "std", "min", "max")
TIMES = ("time_of_max", "time_of_min")
CYCLES = ("significant", "tz", "mpm")
ALL = (*SIMPLE, *TIMES, *CYCLES)
MEANINGS = {
    "mean": "mean",
    "std": "standard deviation",
    "min": "smallest value",
    "max": "largest value",
    "time_of_max": "time of the largest value",
    "time_of_min": "time of the smallest value",
    "significant": "mean of the highest third of the ranges between up-crossings of the mean",
    "tz": "mean period between up-crossings of the mean",
    "mpm": "most probable maximum in three hours of a narrow-banded Gaussian process",
}
LEAST_PEAKS = 10  # for a distribution of peaks
NEWTON_STEPS, NEWTON_EXIT = 60, 1e-12  # of the shape of a Weibull distribution: relative change


class Cycles(NamedTuple):
    """Stretches between up-crossings of the mean."""

    ranges: Array  # largest less smallest value of each
    peaks: Array  # largest value of each
    period: float  # s, mean; NaN without two crossings


def statistics(
    dataset: xr.Dataset,
    variables: Sequence[str] | None = None,
    *,
    figures: Sequence[str] = ALL,
    start: float | None = None,
) -> xr.Dataset:
    """Statistics of the histories of a run: `end_tension_mean(line, end)`, `body_position_max(body, axis)`, ...

    variables : names of histories, all of ropewalk.post.histories unless given    figures : which statistics, see ALL
    start : s, in place of the end of the start-up ramp
    """
    import xarray as xr

    unknown = sorted(set(figures) - set(ALL))
    if unknown:
        raise InputError(f"unknown statistic '{unknown[0]}'; choose from {', '.join(ALL)}")
    kept = after_ramp(dataset, start)
    time = kept["time"].values
    found: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    for history in histories(kept, variables).values():
        labels |= history.labels
        for figure, values in figures_of(history.values, time, figures).items():
            found[f"{history.name}_{figure}"] = (history.dims[1:], values, attributes(history, figure))
    begin = float(time[0]) if time.size else float("nan")
    attrs = {key: dataset.attrs[key] for key in ("title", "system", "version") if key in dataset.attrs}
    return xr.Dataset(found, labels, {**attrs, "statistics_start": begin})


def attributes(history: History, figure: str) -> dict[str, str]:
    """Unit and meaning of a statistic of a history."""
    unit = "s" if figure in (*TIMES, "tz") else history.unit
    return {"units": unit, "long_name": f"{history.meaning}: {MEANINGS[figure]}"}


def figures_of(values: Array, time: Array, figures: Sequence[str] = ALL) -> dict[str, Array]:
    """Statistics over the first axis of `values`.  time : s, of the rows"""
    flat = values.reshape(values.shape[0], -1)
    mean = _mean(flat)
    spread = np.sqrt(_mean(np.square(flat - mean)))
    simple = {
        "mean": lambda: mean,
        "std": lambda: spread,
        "min": lambda: np.minimum.reduce(flat),
        "max": lambda: np.maximum.reduce(flat),
        "time_of_max": lambda: time[flat.argmax(axis=0)],
        "time_of_min": lambda: time[flat.argmin(axis=0)],
    }
    found = {name: simple[name]() for name in figures if name in simple}
    if not set(figures).isdisjoint(CYCLES):
        cycles = _all_cycles(flat, mean, time)
        found["significant"] = np.array([significant(each.ranges) for each in cycles])
        found["tz"] = np.array([each.period for each in cycles])
        found["mpm"] = rayleigh_maximum(mean, spread, found["tz"])
    return {name: found[name].reshape(values.shape[1:]) for name in figures}


def _mean(values: Array) -> Array:
    """As numpy's over the first axis, without its looks at what it is given: they take longer than short histories."""
    total: Array = np.add.reduce(values)
    return total / values.shape[0]


def cycles_of(values: Array, time: Array) -> Cycles:
    """The stretches of one history (n,) between up-crossings of its mean; what is before and after them is left out."""
    return _all_cycles(values[:, None], _mean(values[:, None]), time)[0]


def _all_cycles(values: Array, mean: Array, time: Array) -> list[Cycles]:
    """As `cycles_of`, of histories side by side.  values : (n, m)    mean : (m,)    time : (n,) s"""
    (n, m), side_by_side = values.shape, values.T
    level = side_by_side - mean[:, None]
    history, up = ((level[:, :-1] < 0.0) & (level[:, 1:] >= 0.0)).nonzero()
    up += 1
    if not up.size:
        return [Cycles(np.zeros(0), np.zeros(0), float("nan"))] * m
    # linear between the records on both sides of a crossing
    above, below = level[history, up], level[history, up - 1]
    crossing = time[up] - above / (above - below) * (time[up] - time[up - 1])
    end_to_end, begin = side_by_side.ravel(), n * history + up
    high = np.maximum.reduceat(end_to_end, begin)
    low = np.minimum.reduceat(end_to_end, begin)
    ranges, found, first = high - low, [], 0
    for count in np.bincount(history, minlength=m).tolist():
        last = first + max(count - 1, 0)  # what begins with the last crossing has no end
        period = float((crossing[last] - crossing[first]) / (last - first)) if last > first else float("nan")
        found.append(Cycles(ranges[first:last], high[first:last], period))
        first += count
    return found


def significant(ranges: Array) -> float:
    """Mean of the highest third; NaN for less than three."""
    n = ranges.size // 3
    return float(_mean(np.sort(ranges)[-n:])) if n else float("nan")


def rayleigh_maximum(mean: Array, std: Array, period: Array, duration: float = STORM) -> Array:
    r"""(n,) most probable maxima in `duration` (s) of narrow-banded Gaussian processes.

    .. math:: x = \mu + \sigma \sqrt{2 \ln (t / T_z)}

    Source: [LonguetHiggins1952].  mean, std : (n,) of the processes    period : (n,) T_z, s; NaN gives NaN
    """
    is_short = period < duration
    largest = mean + std * np.sqrt(2.0 * np.log(duration / np.where(is_short, period, duration)))
    return np.where(is_short, largest, np.nan)


def weibull_maximum(values: Array, time: Array, duration: float = STORM) -> float:
    r"""Most probable maximum in `duration` (s) from a Weibull distribution of the peaks above the mean.

    .. math:: P(x > p) = \exp(-((p - \mu)/a)^k), \qquad x = \mu + a (\ln N)^{1/k}, \quad N = t / T_z

    with scale a and shape k by maximum likelihood; k = 2 is the Rayleigh distribution. For tensions, whose peaks are
    rarely Rayleigh distributed. NaN for less than LEAST_PEAKS peaks.
    """
    cycles = cycles_of(values, time)
    mean = float(values.mean())
    peaks = cycles.peaks - mean
    peaks = peaks[peaks > 0.0]
    if peaks.size < LEAST_PEAKS or not duration > cycles.period:
        return float("nan")
    shape, scale = weibull_fit(peaks)
    return mean + scale * float(np.log(duration / cycles.period)) ** (1.0 / shape)


def weibull_fit(sample: Array) -> tuple[float, float]:
    """Shape and scale of a Weibull distribution of positive numbers, by maximum likelihood.

    Not numerics/newton.py: scalar; a step to a negative shape is replaced by half of the shape.
    """
    x = sample / sample.max()
    logs = np.log(x)
    k = 1.0
    for _ in range(NEWTON_STEPS):
        power = x**k
        s0, s1, s2 = power.sum(), (power * logs).sum(), (power * logs * logs).sum()
        value = 1.0 / k + logs.mean() - s1 / s0
        slope = -1.0 / k**2 - (s2 * s0 - s1 * s1) / s0**2
        step = -value / slope
        new = k + step if k + step > 0.0 else 0.5 * k
        done = abs(new - k) <= NEWTON_EXIT * k
        k = new
        if done:
            break
    return float(k), float(sample.max() * np.mean(x**k) ** (1.0 / k))
