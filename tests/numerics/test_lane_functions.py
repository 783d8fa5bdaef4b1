"""Functions of floats and lanes against the longer floats of the machine."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from ropewalk.numerics.lane_functions import HIGHEST, LOWEST, cube_root, exp_of, log1p_of, log_of
from ropewalk.numerics.lanes import lane_array

pytestmark = [
    pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="lanes are of compiled code"),
    pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no longer floats to compare with"),
]

WIDTH = 4
N = 4000

# not `kernel`: its cache would keep what an older lane_functions.py made of these
compiled = numba.njit(error_model="numpy")


@compiled
def _floats(x, out):
    for i in range(x.size):
        out[0, i], out[1, i], out[2, i], out[3, i] = exp_of(x[i]), log_of(x[i]), log1p_of(x[i]), cube_root(x[i])


@compiled
def _lanes(x, out):
    X, to = lane_array(x, WIDTH), lane_array(out, WIDTH)
    for i in range(X.size):
        to[0, i], to[1, i], to[2, i], to[3, i] = exp_of(X[i]), log_of(X[i]), log1p_of(X[i]), cube_root(X[i])


def _values(x):
    out = np.empty((4, x.size))
    _floats(x, out)
    return out


def _units(found, exact):
    """Largest error in units of the last place."""
    return float(np.max(np.abs(found - exact) / np.spacing(np.abs(exact.astype(np.float64)))))


def _arguments(seed):
    rng = np.random.default_rng(seed)
    wide, near = 10.0 ** rng.uniform(-300.0, 300.0, N), rng.uniform(0.5, 2.0, N)
    return rng, wide, near


def test_exponential_errs_by_less_than_two_units():
    """Over its whole range and near 0."""
    rng, _, _ = _arguments(1)
    x = np.concatenate([rng.uniform(LOWEST, HIGHEST, N), rng.uniform(-1.0, 1.0, N), [0.0, LOWEST, HIGHEST]])
    # 0.94 units measured; the polynomial's last sum and one product round
    assert _units(_values(x)[0], np.exp(x.astype(np.longdouble))) < 2.0
    assert _values(np.zeros(1))[0, 0] == 1.0


def test_arguments_beyond_the_range_of_the_exponential_count_as_its_ends():
    """No overflow to other signs or to zero."""
    ends = _values(np.array([LOWEST, HIGHEST, -np.inf, np.inf, -1e4, 1e4]))[0]
    np.testing.assert_array_equal(ends[2:], np.tile(ends[:2], 2))


def test_logarithms_err_by_less_than_two_units():
    """Near 1, where the result is small, as anywhere else."""
    rng, wide, near = _arguments(2)
    x = np.concatenate([wide, near, [1.0, np.sqrt(0.5), np.sqrt(2.0)]])
    assert _units(_values(x)[1], np.log(x.astype(np.longdouble))) < 2.0  # 0.75 units measured
    small = np.concatenate([10.0 ** rng.uniform(-20.0, 3.0, N), -0.5 * rng.random(N)])
    assert _units(_values(small)[2], np.log1p(small.astype(np.longdouble))) < 2.0  # 1.2 units measured


def test_cube_roots_are_their_own_cubes():
    """Through logarithm and exponential: relative errors of the logarithm grow by its size over three."""
    _, wide, near = _arguments(3)
    for x, limit in ((wide, 1e-13), (near, 1e-15)):  # 230 x 1.1e-16 x 2, and a few units
        np.testing.assert_allclose(_values(x)[3], np.cbrt(x), rtol=limit)


def test_lanes_have_the_bits_of_floats():
    """Each lane as if it were alone."""
    _, wide, near = _arguments(4)
    x = np.concatenate([wide, near])
    out = np.empty((4, x.size // WIDTH, WIDTH))
    _lanes(x.reshape(-1, WIDTH).copy(), out)
    np.testing.assert_array_equal(out.reshape(4, -1), _values(x))
