"""Rainflow counting against the standard's example, the package of that name, and identities."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ropewalk.numerics.rainflow import rainflow

EXAMPLE = [-2, 1, -3, 5, -1, 3, -4, 4, -2]


def table(x):
    ranges, _, counts = rainflow(np.array(x, dtype=float))
    found = Counter()
    for size, count in zip(ranges, counts, strict=True):
        found[float(size)] += float(count)
    return dict(found)


def test_example_of_the_standard():
    """ASTM E1049-85, figure 6."""
    assert table(EXAMPLE) == {3.0: 0.5, 4.0: 1.5, 6.0: 0.5, 8.0: 1.0, 9.0: 0.5}


SHORT = [([], {}), ([1.0], {}), ([2.0, 2.0], {}), ([0, 1], {1.0: 0.5}), ([0, 0, 1, 1, 0], {1.0: 1.0}),
         ([0, 1, 2, 3, 1], {3.0: 0.5, 2.0: 0.5})]  # fmt: skip


@pytest.mark.parametrize(("x", "cycles"), SHORT)
def test_short_and_flat_histories(x, cycles):
    assert table(x) == cycles


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=2, max_size=60))
def test_agrees_with_the_package_rainflow(x):
    """An independent program, on histories with many ties."""
    peer = pytest.importorskip("rainflow")
    steps = np.sign(np.diff(x))
    assume(np.unique(steps[steps != 0.0]).size == 2)  # of a history that never turns the package counts nothing
    found = Counter()
    for size, _, count, _, _ in peer.extract_cycles(x):
        if size > 0.0:
            found[float(size)] += count
    assert table(x) == dict(found)


def test_long_history_agrees_with_the_package_rainflow():
    peer = pytest.importorskip("rainflow")
    x = np.random.default_rng(3).normal(size=20_000).cumsum()
    theirs = np.array([(size, mean, count) for size, mean, count, _, _ in peer.extract_cycles(x)])
    ours = np.array(rainflow(x)).T
    assert ours.shape == theirs.shape
    # sorted by range and mean, as the order of half cycles at the end is free; sums of two numbers to a last bit
    assert_allclose(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)], rtol=1e-12, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=80), st.floats(0.1, 10.0))
def test_counts_are_as_many_as_the_reversals_and_scale_with_the_history(x, factor):
    """Every stretch between reversals is half of one cycle; signs and factors change ranges only."""
    x = np.array(x)
    ranges, means, counts = rainflow(x)
    steps = np.diff(x)
    steps = np.sign(steps[steps != 0.0])
    turns = (steps.size > 0) + int(np.sum(steps[1:] != steps[:-1]))
    assert 2.0 * counts.sum() == turns
    mirrored, _, _ = rainflow(-x)
    assert_allclose(mirrored, ranges)
    scaled, moved, _ = rainflow(factor * x)
    assert_allclose(scaled, factor * ranges, rtol=1e-12, atol=1e-9)
    assert_allclose(moved, factor * means, rtol=1e-12, atol=1e-9)
