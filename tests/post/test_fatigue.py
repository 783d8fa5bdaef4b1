"""Damage against closed forms, and curves as they are printed."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.post.fatigue import (
    NOT_CERTIFIED,
    Cycles,
    curve_named,
    curves,
    cycles_of,
    damage,
    orq_breaking_load,
)

CASE = {
    "environment": {"depth": 100.0},
    "sections": {"chain": {"diameter": 0.1, "mass": 200.0, "axial_stiffness": 8e8, "breaking_load": 8e6}},
    "points": {"a": {"position": [0, 0, -100.0]}, "b": {"position": [150.0, 0, 0]}},
    "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": 200.0}]}},
}


def result(tension, time):
    """A run with this tension at end B and a steady one at end A."""
    system = rw.System.model_validate(CASE)
    both = np.stack([np.full_like(tension, 1e6), tension], axis=-1)[:, None]
    return xr.Dataset(
        {"end_tension": (("time", "line", "end"), both)},
        {"time": time, "line": ["l"], "end": ["A", "B"]},
        {"system": system.model_dump_json(by_alias=True, exclude_unset=True)},
    )


@pytest.mark.parametrize("key", [key for key, curve in curves().items() if curve.log_K is None])
def test_regular_tension_gives_cycles_over_cycles_to_failure(key):
    """n cycles of one range: D = n / N(range)."""
    curve = curve_named(key)
    n, tension_range = 50, 3e5
    time = np.linspace(0.0, 500.0, 20 * n + 1)
    found = damage(result(1e6 + 0.5 * tension_range * np.cos(2.0 * np.pi * time / 10.0), time), key)
    strength = 21.1 * 100.0**2 * (44.0 - 0.08 * 100.0) if curve.orq else 8e6  # of ORQ chain of 100 mm, or as given
    area = curve.bars * 0.25 * math.pi * 0.1**2
    x = tension_range / strength if curve.kind == "tension" else tension_range / area / 1e6
    assert_allclose(float(found.damage.sel(line="l", end="B")), n / (curve.K * x**-curve.m), rtol=1e-9)
    assert float(found.damage.sel(line="l", end="A")) == 0.0
    life = 500.0 / float(found.damage.sel(line="l", end="B")) / (365.25 * 86400.0)
    assert_allclose(float(found.life.sel(line="l", end="B")), life)
    assert found.attrs["note"] == NOT_CERTIFIED
    assert curve.source in found.attrs["curves"]


@pytest.mark.parametrize(("key", "K"), [("api_stranded_rope", 231.0), ("api_spiral_rope", 166.0)])
def test_mean_load_enters_curves_of_wire(key, K):
    """K at a mean load of 0.3 of the strength, which the standard prints in whole numbers."""
    cycles = Cycles(np.array([1.0]), np.array([0.3]), np.array([1.0]))
    assert_allclose(1.0 / curve_named(key).damage(cycles, 1.0), K, atol=0.5)


def rayleigh_damage(std, cycles, curve, reference):
    r"""Damage of a narrow-banded Gaussian process, in closed form.

    .. math:: D = \frac{n}{K} (2\sqrt2\,\sigma)^m\, \Gamma(1 + m/2)

    Source: [Miles1954].  std : of the tension, N    cycles : n    reference : as for `Curve.damage`
    """
    scale = 1.0 / (reference * 1e6) if curve.kind == "stress" else 1.0 / reference
    return cycles / curve.K * (2.0 * math.sqrt(2.0) * std * scale) ** curve.m * math.gamma(1.0 + 0.5 * curve.m)


def test_narrow_banded_damage_is_that_of_rayleigh_ranges():
    """Cycles with Rayleigh distributed amplitudes against the closed form with the gamma function."""
    curve = curve_named("dnv_studless_chain")
    n, std = 200_000, 1e5
    amplitude = std * np.sqrt(-2.0 * np.log(np.random.default_rng(1).random(n)))
    cycles = Cycles(2.0 * amplitude, np.zeros(n), np.ones(n))
    area = 0.0157
    # a^3 of a Rayleigh variable has a standard deviation of 1.18 of its mean: 3 sigma over sqrt(n) is 0.8 %
    assert_allclose(curve.damage(cycles, area), rayleigh_damage(std, n, curve, area), rtol=8e-3)


def test_rainflow_of_a_narrow_banded_process_gives_the_same_damage():
    """A Gaussian process of a 2 % band, counted by rainflow: slow change of amplitude makes ranges nearly 2 a."""
    rng = np.random.default_rng(5)
    time = np.arange(0.0, 40_000.0, 0.25)
    omega = 2.0 * np.pi / 8.0 * (1.0 + 0.02 * rng.normal(size=100))
    phase = rng.uniform(0.0, 2.0 * np.pi, 100)
    x = np.zeros_like(time)
    for w, p in zip(omega, phase, strict=True):
        x += np.cos(w * time + p)
    x *= 1e5 / x.std()
    curve = curve_named("dnv_stud_chain")
    found = curve.damage(cycles_of(x), 0.0157)
    expected = rayleigh_damage(1e5, time[-1] / 8.0, curve, 0.0157)
    # 100 components and a record of 800 correlation times leave 5 %; 32 points a period cut 0.5 % of peaks cubed
    assert_allclose(found, expected, rtol=0.08)


def test_unknown_curve_and_missing_breaking_load_are_told():
    time = np.linspace(0.0, 10.0, 50)
    with pytest.raises(InputError, match="did you mean 'api_stud_chain'"):
        damage(result(np.cos(time), time), "api_studchain")
    data = result(np.cos(time), time)
    data.attrs["system"] = data.attrs["system"].replace('"breaking_load":8000000.0', '"breaking_load":null')
    with pytest.raises(InputError, match="section 'chain' has no breaking_load"):
        damage(data, "api_spiral_rope")


def test_curves_of_chain_refer_to_oil_rig_quality_whatever_the_grade():
    """Breaking load 0.0211 d^2 (44 - 0.08 d) kN; a stronger grade lasts no longer under the same tension."""
    time = np.linspace(0.0, 100.0, 2000)
    weak = result(1e5 * np.cos(time), time)
    strong = weak.copy()
    strong.attrs["system"] = weak.attrs["system"].replace('"breaking_load":8000000.0', '"breaking_load":1.0e7')
    one, other = (damage(each, "api_studless_chain") for each in (weak, strong))
    assert_allclose(one.damage, other.damage, rtol=1e-15)
    # 0.0211 x 5776 x 37.92 by hand, to the four digits of it
    assert_allclose(orq_breaking_load(0.076), 4.621e6, rtol=2e-4)


def test_every_curve_cites_edition_and_clause():
    for curve in curves().values():
        assert any(year in curve.source for year in ("2005", "2010", "2018"))
        assert "section" in curve.source or "Sec." in curve.source
        assert "confirmed" in curve.checked or "agree" in curve.checked
