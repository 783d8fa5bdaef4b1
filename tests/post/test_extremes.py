"""Extremes of known distributions: the estimates hit them, and the bounds hold them as often as they should."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.post.extremes import gumbel, peaks_over_threshold, seed_convergence, seed_extremes
from ropewalk.post.statistics import cycles_of


def test_gumbel_of_a_large_sample_has_its_mode_and_scale():
    sample = np.random.default_rng(1).gumbel(5.0, 2.0, 100_000)
    fit = gumbel(sample)
    # standard errors of maximum likelihood: 1.053 and 0.780 of the scale over sqrt(n); 4 of them
    assert_allclose(fit.mode, 5.0, atol=4 * 1.053 * 2.0 / math.sqrt(sample.size))
    assert_allclose(fit.scale, 2.0, atol=4 * 0.780 * 2.0 / math.sqrt(sample.size))


def test_gumbel_satisfies_the_likelihood_equations():
    """Both derivatives of the log-likelihood vanish."""
    x = np.random.default_rng(4).gumbel(1e6, 4e4, 10)
    fit = gumbel(x)
    z = (x - fit.mode) / fit.scale
    assert_allclose(np.exp(-z).mean(), 1.0, rtol=1e-9)
    assert_allclose((z * (1.0 - np.exp(-z))).mean(), 1.0, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 10])
def test_gumbel_bounds_hold_the_true_value_nine_times_of_ten(n):
    """Of the most probable maximum and of the 90 % quantile, from few seeds."""
    rng = np.random.default_rng(7)
    true = -math.log(-math.log(0.9))
    held = np.zeros(2)
    tries = 200
    for _ in range(tries):
        fit = gumbel(rng.gumbel(size=n))
        mode, high = fit.estimate(), fit.estimate(0.9)
        held += [mode.low <= 0.0 <= mode.high, high.low <= true <= high.high]
    # binomial scatter of 200 tries: 3 sigma is 6.4 %
    assert_allclose(held / tries, 0.9, atol=0.064)


def test_estimates_move_and_scale_with_the_sample():
    x = np.random.default_rng(2).gumbel(size=8)
    plain, moved = gumbel(x).estimate(0.9), gumbel(3.0 + 2.0 * x).estimate(0.9)
    assert_allclose([moved.value, moved.low, moved.high], 3.0 + 2.0 * np.array([plain.value, plain.low, plain.high]))


def narrow(seed, hours):
    """A history of Rayleigh distributed peaks, one every 10 s, and its time."""
    n = int(hours * 360)
    peaks = np.sqrt(-2.0 * np.log(np.random.default_rng(seed).random(n)))
    x = np.empty(2 * n)
    x[0::2], x[1::2] = peaks, -peaks
    return x, 5.0 * np.arange(2 * n)


def test_peaks_of_a_known_process_give_its_most_probable_maximum():
    """Rayleigh peaks: x = sqrt(2 ln N) in three hours."""
    x, time = narrow(3, 200.0)
    assert cycles_of(x, time).period == pytest.approx(10.0, rel=1e-3)
    true = math.sqrt(2.0 * math.log(10800.0 / 10.0))
    fit = peaks_over_threshold(x, time)
    estimate = fit.estimate()
    assert estimate.low < true < estimate.high
    assert_allclose(estimate.value, true, rtol=0.03)  # its bounds are 2 % apart
    assert abs(fit.shape) < 0.15  # the tail of a Rayleigh distribution is nearly exponential


def test_peaks_bounds_hold_the_true_value():
    true = math.sqrt(2.0 * math.log(10800.0 / 10.0))
    held = 0
    tries = 25
    for seed in range(tries):
        x, time = narrow(100 + seed, 24.0)
        estimate = peaks_over_threshold(x, time, 2.0).estimate()
        held += estimate.low <= true <= estimate.high
    # 3 sigma of 25 tries is 18 %; a bootstrap of 400 peaks holds some percent less than it says
    assert held / tries > 0.68


def sweep_of(maxima):
    """A sweep of two sea states by seeds."""
    states, seeds = maxima.shape
    height = np.repeat([2.0, 6.0], seeds)
    factors = {"environment.waves.significant_height": "significant_height", "environment.waves.seed": "seed"}
    both = np.stack([maxima.ravel()] * 2, axis=-1)[:, None]
    return xr.Dataset(
        {"end_tension_max": (("case", "line", "end"), both, {"units": "N"})},
        {"case": np.arange(maxima.size), "line": ["l"], "end": ["A", "B"], "significant_height": ("case", height),
         "seed": ("case", np.tile(np.arange(seeds), states))},
        {"factors": json.dumps(factors)},
    )  # fmt: skip


def test_seeds_of_a_sweep_are_taken_together_by_sea_state():
    maxima = np.random.default_rng(9).gumbel([[1.0], [5.0]], [[0.1], [0.5]], (2, 10))
    found = seed_extremes(sweep_of(maxima))
    assert list(found.significant_height.values) == [2.0, 6.0]
    for g in (0, 1):
        fit = gumbel(maxima[g])
        assert float(found["mode"][g, 0, 1]) == fit.mode
        assert float(found.low[g, 0, 0]) < fit.mode < float(found.high[g, 0, 0])
    assert set(found.seeds.values.ravel()) == {10.0}
    with pytest.raises(InputError, match="no factor 'sed'"):
        seed_extremes(sweep_of(maxima), over="sed")


def test_bounds_close_in_as_seeds_are_added():
    found = seed_convergence(np.random.default_rng(11).gumbel(size=40))
    width = found["high"] - found["low"]
    assert found["seeds"][0] == 3
    assert width[-1] < 0.35 * width[2]  # they fall as 1 / sqrt(n), and faster at first


@pytest.mark.parametrize(("maxima", "words"), [([1.0, 2.0], "too few"), ([2.0] * 5, "without scatter")])
def test_samples_without_a_distribution_are_refused(maxima, words):
    with pytest.raises(InputError, match=words):
        gumbel(np.array(maxima))


def test_too_few_peaks_are_refused():
    x, time = narrow(1, 1.0)
    with pytest.raises(InputError, match="lower the threshold"):
        peaks_over_threshold(x, time, 10.0)
