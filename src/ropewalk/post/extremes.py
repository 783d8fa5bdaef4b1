"""Extremes: what a sample of maxima, or the peaks of a history, say of the largest value to be expected."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.errors import InputError
from ropewalk.post.statistics import STORM, cycles_of

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.arrays import Array

LEAST_MAXIMA = 3  # of a Gumbel fit
LEAST_EXCESSES = 10  # of peaks over a threshold
DRAWS = 2000  # of the distribution of an estimate; 90 % bounds are then known to 1 % of their distance
SEED = 20_240  # of the draws, fixed: same sample, same bounds
STEPS, EXIT = 100, 1e-13  # of Newton's method for the scale of a Gumbel distribution; relative change
PLAIN_SHAPE = 1e-9  # of a generalised Pareto distribution: nearer to zero it is exponential
QUANTILE = 0.95  # of peaks, the threshold unless given


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence bounds."""

    value: float
    low: float
    high: float
    confidence: float  # probability that the bounds hold the true value


@dataclass(frozen=True)
class Gumbel:
    r"""Largest values that follow :math:`P(X \le x) = \exp(-\exp(-(x - \mu)/\beta))`, fitted to a sample."""

    mode: float  # mu: the most probable maximum
    scale: float  # beta
    n: int  # maxima it was fitted to

    def quantile(self, probability: float) -> float:
        """The value that a maximum stays below with this probability."""
        return self.mode - self.scale * math.log(-math.log(probability))

    def estimate(self, probability: float = math.exp(-1.0), confidence: float = 0.9) -> Estimate:
        """A quantile with its bounds; the most probable maximum unless a probability is given.

        The bounds are exact for samples that are Gumbel distributed, however small: (estimate - true) / scale has the
        same distribution whatever mode and scale are, which is drawn here.
        """
        y = -math.log(-math.log(probability))
        draws = np.random.default_rng(SEED).gumbel(size=(DRAWS, self.n))
        mode, scale = _gumbel(draws)
        pivot = np.sort((mode + scale * y - y) / scale)
        low, high = np.quantile(pivot, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
        value = self.quantile(probability)
        return Estimate(value, value - float(high) * self.scale, value - float(low) * self.scale, confidence)


def gumbel(maxima: Array) -> Gumbel:
    """Gumbel distribution of maxima of independent histories of the same length, by maximum likelihood."""
    sample: Array = np.asarray(maxima, dtype=float).ravel()
    sample = sample[np.isfinite(sample)]
    if sample.size < LEAST_MAXIMA:
        raise InputError(f"{sample.size} maxima are too few for a distribution; give {LEAST_MAXIMA} or more seeds")
    if np.ptp(sample) <= 0.0:
        raise InputError(f"all {sample.size} maxima are {sample[0]:g}; without scatter there is no distribution")
    mode, scale = _gumbel(sample[None])
    return Gumbel(float(mode[0]), float(scale[0]), sample.size)


def _gumbel(samples: Array) -> tuple[Array, Array]:
    r"""Mode and scale by row of (rows, n) samples, by maximum likelihood.

    .. math:: \beta = \bar x - \frac{\sum x e^{-x/\beta}}{\sum e^{-x/\beta}}, \qquad
              \mu = -\beta \ln\Bigl(\frac1n \sum e^{-x/\beta}\Bigr)

    The first by Newton's method from the scale of the moments.

    Not numerics/newton.py: one scalar equation for each of many rows, all at once.
    """
    shift = samples.min(axis=1, keepdims=True)
    x = samples - shift
    mean = x.mean(axis=1)
    scale = np.maximum(x.std(axis=1) * math.sqrt(6.0) / math.pi, 1e-300)
    for _ in range(STEPS):
        weight = np.exp(-x / scale[:, None])
        s0, s1, s2 = weight.sum(axis=1), (x * weight).sum(axis=1), (x * x * weight).sum(axis=1)
        value = scale - mean + s1 / s0
        slope = 1.0 + (s2 * s0 - s1 * s1) / (s0 * scale) ** 2
        new = np.maximum(scale - value / slope, 0.1 * scale)
        if np.all(np.abs(new - scale) <= EXIT * scale):
            scale = new
            break
        scale = new
    mode = -scale * np.log(np.exp(-x / scale[:, None]).mean(axis=1))
    return mode + shift[:, 0], scale


@dataclass(frozen=True)
class PeaksOverThreshold:
    r"""Excesses of peaks over a threshold, with a generalised Pareto distribution.

    .. math:: P(X > u + y) = (1 + \xi y/\sigma)^{-1/\xi}
    """

    threshold: float
    scale: float  # sigma
    shape: float  # xi; 0 is exponential, below 0 the peaks have a largest value
    excesses: int
    duration: float  # s, of the history

    def quantile(self, probability: float, duration: float = STORM) -> float:
        """The value that the maximum in `duration` (s) stays below with this probability."""
        rate = self.excesses / self.duration
        return float(self.threshold + _excess(self.scale, self.shape, -math.log(probability) / (rate * duration)))

    def estimate(
        self, probability: float = math.exp(-1.0), duration: float = STORM, confidence: float = 0.9
    ) -> Estimate:
        """A quantile of the maximum in `duration` with bounds; the most probable maximum unless a probability is given.

        Bounds by parametric bootstrap: numbers of peaks are Poisson distributed and excesses drawn from the fit.
        """
        rng = np.random.default_rng(SEED)
        counts = np.maximum(rng.poisson(self.excesses, DRAWS), LEAST_EXCESSES)
        found = np.empty(DRAWS)
        for i, n in enumerate(counts):
            scale, shape = _pareto(_excess(self.scale, self.shape, rng.random(n)))
            share = -math.log(probability) * self.duration / (n * duration)
            found[i] = self.threshold + _excess(scale, shape, share)
        value = self.quantile(probability, duration)
        low, high = np.quantile(found, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
        return Estimate(value, float(low), float(high), confidence)


def peaks_over_threshold(values: Array, time: Array, threshold: float | None = None) -> PeaksOverThreshold:
    """The distribution of the peaks of a history over a threshold, the 95 % quantile of all peaks unless given.

    Peaks are the largest values between up-crossings of the mean, so that neighbours are nearly independent. Scale and
    shape by probability-weighted moments [HoskingWallis1987].
    """
    peaks = cycles_of(np.asarray(values, dtype=float), np.asarray(time, dtype=float)).peaks
    if threshold is None:
        threshold = float(np.quantile(peaks, QUANTILE)) if peaks.size else 0.0
    excess = peaks[peaks > threshold] - threshold
    if excess.size < LEAST_EXCESSES:
        raise InputError(
            f"{excess.size} peaks of {peaks.size} are above {threshold:g}, too few for a distribution; lower the "
            f"threshold until there are {LEAST_EXCESSES}, or run longer"
        )
    scale, shape = _pareto(excess)
    return PeaksOverThreshold(float(threshold), scale, shape, int(excess.size), float(time[-1] - time[0]))


def _pareto(excess: Array) -> tuple[float, float]:
    """Scale and shape of a generalised Pareto distribution by probability-weighted moments."""
    x = np.sort(excess)
    n = x.size
    above = 1.0 - (np.arange(1, n + 1) - 0.35) / n
    a0, a1 = float(x.mean()), float((x * above).mean())
    return 2.0 * a0 * a1 / (a0 - 2.0 * a1), 2.0 - a0 / (a0 - 2.0 * a1)


def _excess(scale: float, shape: float, share: Array | float) -> Array:
    """The excess that a share of all excesses is above."""
    logs = -np.log(share)
    if abs(shape) < PLAIN_SHAPE:
        plain: Array = np.asarray(scale * logs)
        return plain
    found: Array = np.asarray(scale / shape * np.expm1(shape * logs))
    return found


def seed_extremes(
    sweep: xr.Dataset,
    variable: str = "end_tension_max",
    *,
    over: str = "seed",
    probability: float = math.exp(-1.0),
    confidence: float = 0.9,
) -> xr.Dataset:
    """Gumbel distribution over the seeds of a sweep, for each combination of the other factors.

    sweep : result of a sweep    variable : maxima by case    over : the factor that holds the seeds
    probability : of the quantile, that of the most probable maximum unless given

    Gives `mode`, `scale`, `value`, `low`, `high` and `seeds` over `group` and the dimensions of the variable but
    `case`; the other factors are coordinates of `group`. NaN where a group has too few seeds.
    """
    import xarray as xr

    groups, factors = group_cases(sweep, over)
    values = sweep[variable]
    rest = values.dims[1:]
    shape = (len(groups), *values.shape[1:])
    names = ("mode", "scale", "value", "low", "high", "seeds")
    found = {name: np.full(shape, np.nan) for name in names}
    for g, cases in enumerate(groups):
        block = values.values[cases]
        for place in np.ndindex(shape[1:]):
            sample = block[(slice(None), *place)]
            sample = sample[np.isfinite(sample)]
            found["seeds"][(g, *place)] = sample.size
            if sample.size < LEAST_MAXIMA or np.ptp(sample) <= 0.0:
                continue
            fit = gumbel(sample)
            estimate = fit.estimate(probability, confidence)
            row = (fit.mode, fit.scale, estimate.value, estimate.low, estimate.high)
            for name, number in zip(names, row, strict=False):
                found[name][(g, *place)] = number
    unit = values.attrs.get("units", "")
    variables = {name: (("group", *rest), array, {"units": "1" if name == "seeds" else unit})
                 for name, array in found.items()}  # fmt: skip
    labels = {str(dim): sweep[dim].values for dim in rest if dim in sweep.coords}
    coordinates = {**labels, **{name: ("group", column) for name, column in factors.items()}}
    return xr.Dataset(variables, coordinates, {"probability": probability, "confidence": confidence})


def group_cases(sweep: xr.Dataset, over: str) -> tuple[list[Array], dict[str, Array]]:
    """Cases that differ in the factor `over` only, and the other factors of each group."""
    import json

    factors = list(json.loads(sweep.attrs.get("factors", "{}")).values())
    if over not in factors:
        raise InputError(f"the sweep has no factor '{over}'. Available: {', '.join(factors) or 'none'}")
    others = [name for name in factors if name != over]
    keys: dict[tuple[object, ...], list[int]] = {}
    for case in range(sweep.sizes["case"]):
        keys.setdefault(tuple(sweep[name].values[case].item() for name in others), []).append(case)
    columns = {name: np.array([key[i] for key in keys]) for i, name in enumerate(others)}
    return [np.array(cases) for cases in keys.values()], columns


def seed_convergence(maxima: Array, confidence: float = 0.9) -> dict[str, Array]:
    """The most probable maximum and its bounds from the first n seeds, for every n: whether more seeds are needed.

    Gives `seeds`, `value`, `low`, `high`, and `mean` of the maxima.
    """
    sample: Array = np.asarray(maxima, dtype=float).ravel()
    sample = sample[np.isfinite(sample)]
    numbers = np.arange(LEAST_MAXIMA, sample.size + 1)
    rows = [gumbel(sample[:n]).estimate(confidence=confidence) for n in numbers]
    return {
        "seeds": numbers,
        "value": np.array([row.value for row in rows]),
        "low": np.array([row.low for row in rows]),
        "high": np.array([row.high for row in rows]),
        "mean": np.array([sample[:n].mean() for n in numbers]),
    }
