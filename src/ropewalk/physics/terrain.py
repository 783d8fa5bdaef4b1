r"""Beds given by depths on a grid: a smooth surface through them, with its slope and curvature.

On every cell the height is a bicubic Hermite polynomial of the heights, slopes and twists at its corners
([Press2007], sec. 3.6.3). Slopes are those of the parabola through three neighbours of the grid, which need not be
even (one-sided at its edges), so height and slope are continuous, planes and parabolas along the axes are met exactly,
and a bed does not swing far beyond its depths. Beyond the grid each row goes on straight, with the slope of the edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel

Array = NDArray[np.float64]


class Terrain(NamedTuple):
    """A bed on a grid; without rows where the bed is a plane."""

    x: Array  # (nx,) m, rising
    y: Array  # (ny,) m, rising
    table: Array  # (nx, ny, 4) height z (m), dz/dx, dz/dy, d2z/dxdy (1/m)


def no_terrain() -> Terrain:
    """That of a plane."""
    return _frozen(np.zeros(0), np.zeros(0), np.zeros((0, 0, 4)))


def terrain(x: ArrayLike, y: ArrayLike, depth: ArrayLike) -> Terrain:
    """From depths (m below still water) on a grid: x (nx,) and y (ny,) rising, depth (ny, nx), a row for each y."""
    gx, gy, z = np.array(x, float), np.array(y, float), -np.array(depth, float).T
    zx, zy = _slopes(gx, z), _slopes(gy, z.T).T
    return _frozen(gx, gy, np.stack([z, zx, zy, _slopes(gx, zy)], axis=2))


def _frozen(x: Array, y: Array, table: Array) -> Terrain:
    table = np.ascontiguousarray(table)
    for array in (x, y, table):
        array.flags.writeable = False
    return Terrain(x, y, table)


def _slopes(x: Array, z: Array) -> Array:
    """Of the columns of z (nx, m) at the places x, by the parabola through three neighbours; a chord where two are."""
    step, chord = np.diff(x)[:, None], np.diff(z, axis=0) / np.diff(x)[:, None]
    slope: Array = np.empty_like(z)
    slope[0], slope[-1] = chord[0], chord[-1]
    if x.size > 2:
        bend = np.diff(chord, axis=0) / (step[1:] + step[:-1])
        slope[1:-1] = chord[:-1] + bend * step[:-1]
        slope[0] = chord[0] - bend[0] * step[0]
        slope[-1] = chord[-1] + bend[-1] * step[-1]
    return slope


@kernel(fastmath=FUSED, **UNCOUNTED)
def _cell(x, places):
    """Index of the interval of the rising `places` (m) that x lies in, or is nearest to.

    Source: bisection for x_i <= x < x_{i+1}, [Press2007], ch. 3; i = 0 or the last one beyond the grid.
    """
    low, high = 0, places.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < places[middle]:
            high = middle
        else:
            low = middle
    return low


@kernel(fastmath=FUSED, **UNCOUNTED)
def _weights(x, x0, x1):
    r"""Cubic Hermite functions of the interval (x0, x1) at x, their derivatives and second derivatives; 3 x 4 numbers.

    .. math:: h_{00} = (1 - u)^2 (1 + 2u), \quad h_{10} = h\, u (1 - u)^2, \quad h_{01} = u^2 (3 - 2u), \quad
              h_{11} = -h\, u^2 (1 - u)

    Source: cubic Hermite interpolation, [Press2007], sec. 3.6.

    Of the value at x0, the slope there (m), the value at x1 and the slope there; straight beyond the interval.
    """
    h = x1 - x0
    if x <= x0:
        return (1.0, x - x0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)
    if x >= x1:
        return (0.0, 0.0, 1.0, x - x1), (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0)
    u = (x - x0) / h
    w = 1.0 - u
    value = (w * w * (1.0 + 2.0 * u), h * u * w * w, u * u * (3.0 - 2.0 * u), -h * u * u * w)
    first = (-6.0 * u * w / h, w * (1.0 - 3.0 * u), 6.0 * u * w / h, u * (3.0 * u - 2.0))
    q = 1.0 / h
    second = ((12.0 * u - 6.0) * q * q, (6.0 * u - 4.0) * q, (6.0 - 12.0 * u) * q * q, (6.0 * u - 2.0) * q)
    return value, first, second


@kernel(fastmath=FUSED, **UNCOUNTED)
def _sum(table, i, j, wx, wy):
    r"""A bicubic polynomial (m) on cell i, j by the functions of both axes.

    .. math:: z = \sum_{ab} \left(f_a f_b\, z + g_a f_b\, z_x + f_a g_b\, z_y + g_a g_b\, z_{xy}\right)_{ab}

    Source: bicubic Hermite interpolation, [Press2007], sec. 3.6.
    """
    total = 0.0
    for a in range(2):
        for b in range(2):
            fx, gx, fy, gy = wx[2 * a], wx[2 * a + 1], wy[2 * b], wy[2 * b + 1]
            p, q = i + a, j + b
            total += fy * (fx * table[p, q, 0] + gx * table[p, q, 1]) + gy * (fx * table[p, q, 2] + gx * table[p, q, 3])
    return total


@kernel(fastmath=FUSED, **UNCOUNTED)
def relief(x, y, grid_x, grid_y, table):
    r"""Height z of a bed (m), its slopes dz/dx and dz/dy, and its second derivatives by xx, xy, yy (1/m).

    .. math:: z = \sum_{a,b} \left(z\, \phi_a \phi_b + z_x\, \psi_a \phi_b + z_y\, \phi_a \psi_b
              + z_{xy}\, \psi_a \psi_b\right)

    over the corners of a cell. Source: the head of this file; the second derivatives jump from cell to cell.

    x, y : m    grid_x, grid_y, table : of `Terrain`
    """
    i, j = _cell(x, grid_x), _cell(y, grid_y)
    X, dX, ddX = _weights(x, grid_x[i], grid_x[i + 1])
    Y, dY, ddY = _weights(y, grid_y[j], grid_y[j + 1])
    return (
        _sum(table, i, j, X, Y),
        _sum(table, i, j, dX, Y),
        _sum(table, i, j, X, dY),
        _sum(table, i, j, ddX, Y),
        _sum(table, i, j, dX, dY),
        _sum(table, i, j, X, ddY),
    )


def reliefs(ground: Terrain, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Heights (m) and slopes dz/dx and dz/dy of a bed at many places, as :func:`relief`."""
    X, i = _weights_of(np.asarray(x, float), ground.x)
    Y, j = _weights_of(np.asarray(y, float), ground.y)
    z, zx, zy = np.zeros((3, *np.shape(x)))
    for a, b in np.ndindex(2, 2):
        corner = ground.table[i + a, j + b]
        for k, m in np.ndindex(2, 2):
            term = corner[..., k + 2 * m]
            z += X[0, 2 * a + k] * Y[0, 2 * b + m] * term
            zx += X[1, 2 * a + k] * Y[0, 2 * b + m] * term
            zy += X[0, 2 * a + k] * Y[1, 2 * b + m] * term
    return z, zx, zy


def _weights_of(x: Array, places: Array) -> tuple[Array, NDArray[np.int64]]:
    """(2, 4, ...) Hermite functions and their derivatives at many places, and the interval of each."""
    i = np.clip(np.searchsorted(places, x, side="right") - 1, 0, places.size - 2)
    h, inside = places[i + 1] - places[i], np.clip(x, places[0], places[-1])
    u, out = (inside - places[i]) / h, x - inside
    value = np.array([1 - 3 * u**2 + 2 * u**3, h * (u - 2 * u**2 + u**3), 3 * u**2 - 2 * u**3, h * (u**3 - u**2)])
    slope = np.array([(6 * u**2 - 6 * u) / h, 1 - 4 * u + 3 * u**2, (6 * u - 6 * u**2) / h, 3 * u**2 - 2 * u])
    weights: Array = np.array([value + out * slope, slope])
    return weights, i
