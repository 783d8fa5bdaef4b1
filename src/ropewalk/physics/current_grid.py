"""Current on a grid of places and times, as a function of place and time that kernels call by its address.

The grid stands in a table that is kept for as long as the program runs (numerics/pointers.py): x, y, z and t, each
rising, then the velocities, of which z runs fastest, then y, then x, then t. One kernel reads all grids, so that only a
wrapper of a few lines is compiled for each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.numerics.pointers import number_at, table_address

Floats = NDArray[np.float64]


def grid_field(axes: tuple[Floats, Floats, Floats, Floats], velocity: Floats) -> Callable[..., Any]:
    """The function u(r, t) of a grid, m/s; the same one for the same grid.

    axes : x, y, z (m) and t (s), rising    velocity : (nt, nx, ny, nz, 3) m/s
    """
    nx, ny, nz, nt = (axis.size for axis in axes)
    if velocity.shape != (nt, nx, ny, nz, 3):
        raise ValueError(f"velocities {velocity.shape} do not fit a grid of {(nt, nx, ny, nz)}")
    return _field(table_address(np.concatenate([*axes, velocity.ravel()])), (nx, ny, nz, nt))


@lru_cache(maxsize=64)
def _field(address: int, shape: tuple[int, int, int, int]) -> Callable[..., Any]:
    nx, ny, nz, nt = shape

    @numba.njit  # type: ignore[untyped-decorator]
    def current_on_grid(r, t):  # type: ignore[no-untyped-def]
        return grid_velocity((r[0], r[1], r[2], t), address, (nx, ny, nz, nt))

    function: Callable[..., Any] = current_on_grid
    return function


@kernel
def _cell(value, address, start, n):
    r"""Place of a value among n rising numbers from `start` of a table: index before it, share of the interval behind.

    .. math:: w = \frac{x - x_i}{x_{i+1} - x_i}

    Source: bisection and linear interpolation, [Press2007], ch. 3.

    Values beyond the ends count as the ends.

    address : of the table, numerics/pointers.py
    """
    if n == 1 or value <= number_at(address, start):
        return 0, 0.0
    low, high = 0, n - 1
    if value >= number_at(address, start + high):
        return high - 1, 1.0
    while high - low > 1:
        middle = (low + high) // 2
        if number_at(address, start + middle) <= value:
            low = middle
        else:
            high = middle
    a, b = number_at(address, start + low), number_at(address, start + high)
    return low, (value - a) / (b - a)


@kernel
def grid_velocity(place, address, shape):
    r"""Velocity (m/s) at a place and time, linear along each of x, y, z and t, held beyond the ends: 3 numbers.

    Source: multilinear interpolation, [Press2007], ch. 3.

    .. math:: u = \sum_{abcd \in \{0,1\}} w_a(x)\, w_b(y)\, w_c(z)\, w_d(t)\; u_{i+a,\,j+b,\,k+c,\,l+d}

    place : x, y, z (m), t (s)    address : of the table    shape : nx, ny, nz, nt
    """
    nx, ny, nz, nt = shape
    i, p = _cell(place[0], address, 0, nx)
    j, q = _cell(place[1], address, nx, ny)
    k, r = _cell(place[2], address, nx + ny, nz)
    m, s = _cell(place[3], address, nx + ny + nz, nt)
    first = nx + ny + nz + nt
    u, v, w = 0.0, 0.0, 0.0
    for corner in range(16):
        a, b, c, d = corner & 1, (corner >> 1) & 1, (corner >> 2) & 1, (corner >> 3) & 1
        share = (p if a else 1.0 - p) * (q if b else 1.0 - q) * (r if c else 1.0 - r) * (s if d else 1.0 - s)
        if share != 0.0:
            at = first + 3 * ((((m + d) * nx + i + a) * ny + j + b) * nz + k + c)
            u += share * number_at(address, at)
            v += share * number_at(address, at + 1)
            w += share * number_at(address, at + 2)
    return u, v, w
