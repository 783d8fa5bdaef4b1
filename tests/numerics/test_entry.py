"""Kernels called without a look at types."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.entry import Entry


@kernel
def _sum_of(a, factor):
    total = 0.0
    for x in a:
        total += factor * x
    return total


def test_entry_gives_what_the_kernel_gives_for_other_sizes_and_whole_numbers():
    """Sizes may differ from call to call; a whole number stands for a real one."""
    entry = Entry(_sum_of)
    assert entry(np.arange(3.0), 2.0) == 6.0
    assert entry(np.arange(5.0), 2) == 20.0
    assert entry(np.zeros(0), 1.0) == 0.0


@kernel
def _number(x):
    if x is None:
        return 0.0
    return x


@kernel
def _sum_of_pair(pair):
    return pair[0] + _number(pair[1])


def test_entry_compiles_each_variant():
    """Code for a pair without its second number is not run on one that has it, in either order."""
    entry = Entry(_sum_of_pair, lambda pair: pair[1] is None)
    assert [entry((1.0, None)), entry((1.0, 2.0)), entry((3.0, None)), entry((3.0, 4.0))] == [1.0, 3.0, 3.0, 7.0]
