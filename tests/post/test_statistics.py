"""Statistics of histories with known ones, after the start-up ramp."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.post.ranges import range_graph
from ropewalk.post.statistics import cycles_of, figures_of, statistics, weibull_fit, weibull_maximum
from ropewalk.post.utilisation import codes, utilisation
from ropewalk.post.window import after_ramp, ramp_end

SURGE = {"direction": [1, 0, 0], "amplitude": 1.0, "omega": 0.5}
CASE = {
    "environment": {"depth": 100.0},
    "sections": {"chain": {"diameter": 0.1, "mass": 200.0, "axial_stiffness": 8e8, "breaking_load": 5e6}},
    "points": {
        "a": {"position": [0, 0, -100.0]},
        "b": {"position": [150.0, 0, 0], "joint": "moving",
              "motion": {"kind": "harmonic", "ramp": 20.0, "terms": [SURGE]}},
    },
    "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 200.0}]}},
}  # fmt: skip


def system():
    return rw.System.model_validate(CASE)


def result(values, time):
    both = np.stack([values, 2.0 * values], axis=-1)[:, None]
    along = np.stack([values, 1.5 * values, 2.0 * values], axis=-1)
    return xr.Dataset(
        {"end_tension": (("time", "line", "end"), both), "tension": (("time", "node"), along)},
        {"time": time, "line": ["l"], "end": ["A", "B"], "node_line": ("node", ["l"] * 3),
         "s": ("node", [0.0, 100.0, 200.0])},
        {"system": system().model_dump_json(by_alias=True, exclude_unset=True)},
    )  # fmt: skip


def test_ramp_is_left_out_of_everything():
    """Values before the end of the ramp of the motion would change every figure."""
    time = np.arange(0.0, 100.0, 0.5)
    values = np.where(time < 20.0, 1e9, 1e6 + 1e5 * np.sin(time))
    data = result(values, time)
    assert ramp_end(system()) == 20.0
    assert float(after_ramp(data).time[0]) == 20.0
    found = statistics(data)
    assert float(found.end_tension_max.sel(line="l", end="A")) < 1.2e6
    assert found.attrs["statistics_start"] == 20.0
    assert float(range_graph(data, "l")["max"].max()) < 2.4e6
    assert float(utilisation(data).safety_factor[0]) > 2.0
    assert float(statistics(data, start=0.0).end_tension_max.max()) == 2e9


def test_run_within_its_ramp_is_refused():
    time = np.arange(0.0, 10.0, 0.5)
    with pytest.raises(InputError, match=r"ends at t = 9.5 s, within its start-up ramp of 20 s"):
        statistics(result(np.ones_like(time), time))


def test_sine_has_the_figures_of_a_sine():
    """Amplitude a, period T: std a / sqrt 2, significant range 2 a, Tz = T."""
    time = np.linspace(0.0, 600.0, 6001)
    found = figures_of(5.0 + 2.0 * np.sin(2.0 * np.pi * time / 8.0 + 0.3), time)
    # a record of 75 periods, ended within a sample of a whole number of them; 80 points a period miss 8e-4 of a peak
    assert_allclose(found["mean"], 5.0, atol=1e-3)
    assert_allclose(found["std"], 2.0 / math.sqrt(2.0), rtol=1e-3)
    assert_allclose([found["max"], found["min"]], [7.0, 3.0], rtol=1e-3)
    assert_allclose(found["significant"], 4.0, rtol=1e-3)
    assert_allclose(found["tz"], 8.0, rtol=1e-4)  # crossings between records by straight lines
    assert_allclose(found["time_of_max"] % 8.0, (math.pi / 2 - 0.3) * 8.0 / (2 * math.pi), atol=0.1)
    assert_allclose(found["mpm"], 5.0 + math.sqrt(2.0) * math.sqrt(2.0 * math.log(10800.0 / 8.0)), rtol=1e-3)


def test_significant_range_of_rayleigh_heights():
    """Mean of the highest third of Rayleigh distributed ranges: 4.00 sigma."""
    from ropewalk.post.statistics import significant

    ranges = 2.0 * np.sqrt(-2.0 * np.log(np.random.default_rng(1).random(300_000)))
    assert_allclose(significant(ranges), 4.004, rtol=4e-3)  # Longuet-Higgins 1952; scatter of 1e5 ranges


def test_weibull_fit_finds_shape_and_scale():
    sample = 3.0 * np.random.default_rng(2).weibull(1.4, 200_000)
    # standard errors 0.78 k / sqrt(n) and 1.05 a / (k sqrt(n)); 4 of them
    assert_allclose(weibull_fit(sample), [1.4, 3.0], rtol=4 * 1.05 / math.sqrt(sample.size))


def test_weibull_maximum_of_rayleigh_peaks_is_the_rayleigh_one():
    peaks = np.sqrt(-2.0 * np.log(np.random.default_rng(3).random(50_000)))
    x = np.empty(100_000)
    x[0::2], x[1::2] = peaks, -peaks
    time = 5.0 * np.arange(x.size)
    assert_allclose(weibull_maximum(x, time), math.sqrt(2.0 * math.log(1080.0)), rtol=0.01)


def test_history_without_crossings_has_no_cycles():
    found = cycles_of(np.linspace(0.0, 1.0, 10), np.arange(10.0))
    assert found.ranges.size == 0
    assert math.isnan(found.period)


@pytest.mark.parametrize(("state", "factor"), [("intact", 1.67), ("one_line_broken", 1.25), ("transient", 1.05)])
def test_utilisation_is_tension_times_factor_over_strength(state, factor):
    time = np.arange(0.0, 60.0, 0.5)
    data = result(1e6 + 1e5 * np.sin(time), time)
    largest = float(data.end_tension.sel(end="B").isel(time=slice(40, None)).max())
    found = utilisation(data, state)
    assert_allclose(float(found.utilisation[0]), factor * largest / 5e6)
    assert_allclose(float(found.safety_factor[0]), 5e6 / largest)
    assert found.attrs["note"] == "not a certified check"


def test_partial_factors_act_on_mean_and_dynamic_tension():
    time = np.arange(0.0, 60.0, 0.5)
    data = result(1e6 + 1e5 * np.sin(time), time)
    kept = data.end_tension.sel(end="B").isel(time=slice(40, None))
    mean, largest = float(kept.mean()), float(kept.max())
    found = utilisation(data, code="dnv_os_e301_class_1")
    assert_allclose(float(found.utilisation[0]), (1.1 * mean + 1.5 * (largest - mean)) / (0.95 * 5e6))


def test_limit_states_of_a_sweep_follow_its_broken_lines():
    values = np.array([[1e6, 2e6], [3e6, np.nan]])
    data = xr.Dataset(
        {"end_tension_max": (("case", "line", "end"), np.stack([values, values], axis=-1)),
         "end_tension_mean": (("case", "line", "end"), np.stack([values, values], axis=-1)),
         "breaking_load": (("case", "line"), np.array([[5e6, 5e6], [5e6, np.nan]]))},
        {"line": ["l", "m"], "end": ["A", "B"], "broken": ("case", ["", "m"])},
        {"system": system().model_dump_json(by_alias=True, exclude_unset=True),
         "sweep": '{"vary": [{"broken": "each"}]}'},
    )  # fmt: skip
    found = utilisation(data)
    assert list(found.limit_state.values) == ["intact", "one_line_broken"]
    assert_allclose(found.utilisation.values, [[0.334, 0.668], [0.75, np.nan]])
    data.attrs["sweep"] = '{"vary": [{"broken": "each", "time": 50.0}]}'
    assert list(utilisation(data).limit_state.values) == ["intact", "transient"]


def test_unknown_names_are_told():
    time = np.arange(0.0, 60.0, 0.5)
    data = result(1e6 + np.sin(time), time)
    with pytest.raises(InputError, match="did you mean 'api_rp_2sk'"):
        utilisation(data, code="api_rp2sk")
    with pytest.raises(InputError, match="no limit state 'broken'"):
        utilisation(data, "broken")
    with pytest.raises(InputError, match="no line 'm'"):
        range_graph(data, "m")
    with pytest.raises(InputError, match="no history 'tensoin'"):
        statistics(data, ["tensoin"])
    with pytest.raises(InputError, match="unknown statistic 'median'"):
        statistics(data, figures=["median"])


def test_every_code_cites_edition_and_clause():
    for code in codes().values():
        assert any(year in code["source"] for year in ("2005", "2010"))
        assert "section" in code["source"] or "Sec." in code["source"]
