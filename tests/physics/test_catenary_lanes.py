"""Lines side by side against the same lines one by one."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from ropewalk.physics.catenary import (
    GROUNDED,
    NOT_CONVERGED,
    SOLUTION,
    SUSPENDED,
    solve_lines,
    solve_many,
)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="lanes are of compiled code")

N = 4003  # not a multiple of the lanes


def _lines(seed, n=N):
    """Lines of all kinds: taut and slack, sinking and floating, with and without bed, wrong numbers among them."""
    rng = np.random.default_rng(seed)
    dx = 10.0 ** rng.uniform(-3.0, 3.0, n)
    dz = rng.uniform(-300.0, 300.0, n) * 10.0 ** rng.uniform(-3.0, 0.0, n)
    dz[rng.random(n) < 0.02] = 0.0
    longer, shorter = 1.0 + 10.0 ** rng.uniform(-6.0, 1.0, n), 1.0 - 10.0 ** rng.uniform(-6.0, -1.0, n)
    L = np.hypot(dx, dz) * np.where(rng.random(n) < 0.8, longer, shorter)
    EA = np.where(rng.random(n) < 0.1, np.inf, 10.0 ** rng.uniform(4.0, 12.0, n))
    w = 10.0 ** rng.uniform(-1.0, 4.0, n) * np.where(rng.random(n) < 0.2, -1.0, 1.0)
    w[rng.random(n) < 0.02] = 0.0
    CB = np.where(rng.random(n) < 0.5, 0.0, rng.uniform(0.0, 2.0, n))
    lowest = np.maximum(-dz, 0.0)
    height = np.where(rng.random(n) < 0.5, lowest, lowest + rng.uniform(0.0, 50.0, n))
    height[rng.random(n) < 0.3] = np.inf
    for column in (dx, dz, L, EA, CB):
        wrong = rng.random(n) < 0.003
        column[wrong] = rng.choice([0.0, np.nan, np.inf, -1.0], wrong.sum())
    return dx, dz, L, EA, w, CB, height


def _one_by_one(lines):
    n = lines[0].size
    status, out = np.empty(n, dtype=np.int64), np.empty(n, SOLUTION)
    solve_many(tuple(np.ascontiguousarray(column) for column in lines), status, out)
    return status, out.view(float).reshape(n, 19)


@pytest.mark.parametrize("seed", range(5))
def test_side_by_side_is_one_by_one(seed):
    """What becomes of a line, and its forces to what its stiffness makes of round-off in the lengths."""
    lines = _lines(seed)
    status, out = _one_by_one(lines)
    found = solve_lines(*lines)
    np.testing.assert_array_equal(found.status, status)
    assert {SUSPENDED, GROUNDED} < set(status.tolist())
    assert NOT_CONVERGED not in status
    good = status > 0
    force, stiffness = out[good, :4], out[good, 7:]
    largest, stiffest = np.abs(force).max(axis=1), np.abs(stiffness).max(axis=1)
    round_off = 1e-14 * (lines[2] + lines[0])[good]  # m; 5e-15 measured over two million lines
    error = np.abs(found.force.reshape(-1, 4)[good] - force).max(axis=1)
    assert np.all(error <= 1e-13 * largest + stiffest * round_off)
    assert np.all(found.miss[good] <= 1e-9 * (lines[2] + lines[0])[good])


def test_stiffness_side_by_side_is_that_of_differences():
    """Derivatives of the forces by span and heights, in all that hang or rest under tension."""
    rng = np.random.default_rng(7)
    n = 500
    dz, dx = rng.uniform(50.0, 300.0, n) * rng.choice([-1.0, 1.0], n), rng.uniform(300.0, 900.0, n)
    L, height = np.hypot(dx, dz) * rng.uniform(1.005, 1.15, n), np.maximum(-dz, 0.0)
    given = (L, 10.0 ** rng.uniform(7.0, 8.5, n), rng.uniform(300.0, 3000.0, n), rng.uniform(0.0, 1.0, n))
    h = 1e-3  # m
    at = solve_lines(dx, dz, *given, height)
    for column, by_x, by_z in ((0, h, 0.0), (2, 0.0, h)):
        up, down = (solve_lines(dx + k * by_x, dz + k * by_z, *given, height) for k in (1.0, -1.0))
        # where B is the lower end the bed moves with it, so that only raised ends are compared
        same = (up.status == at.status) & (down.status == at.status) & ((column == 0) | (dz > 0.0))
        slope = (up.force - down.force) / (2.0 * h)
        scale = np.abs(at.stiffness).max(axis=(1, 2, 3))[:, None, None]
        # central differences: h^2 over the square of a length of about 30 m over which stiffness changes
        assert np.abs((slope - at.stiffness[..., column]) / scale)[same].max() < 1e-5
        assert same.sum() > n // 3


def test_bits_of_a_line_are_its_own():
    """Another order, and other lines beside it, change nothing."""
    lines = _lines(11)
    found = solve_lines(*lines)
    order = np.random.default_rng(1).permutation(N)[: N // 2]
    other = solve_lines(*(column[order] for column in lines))
    for name in found._fields:
        np.testing.assert_array_equal(getattr(other, name), getattr(found, name)[order])
