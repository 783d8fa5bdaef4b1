r"""Wave spectra of the JONSWAP family and their split into components.

One family, given by significant height, peak period and peakedness; gamma = 1 is the
Pierson-Moskowitz spectrum. The scale is set by numerical integration so that
:math:`4 \sqrt{m_0}` is the given height, not by a fitted formula in gamma.

Everything random comes from the generator that the caller seeds.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

SIGMA_BELOW = 0.07  # width of the peak below the peak frequency [Hasselmann1973]
SIGMA_ABOVE = 0.09  # and above it
PEAK_DECAY = 1.25  # exponent 5/4 of the Pierson-Moskowitz form [Pierson1964]
LOWEST = 0.5  # omega/omega_p where components begin: below lie 2e-9 of the energy for gamma = 1
HIGHEST = 5.0  # omega/omega_p where they end: above lie 0.2 % of the energy for gamma = 1
BAND_POINTS = 12  # Gauss points for the energy of a band of at most (HIGHEST - LOWEST) / FEWEST_BANDS
FEWEST_BANDS = 50  # wider bands are cut for the quadrature: the peak is only 0.07 omega_p wide
CUMULATIVE_CELLS = 400  # of the running integral of energy
BISECTIONS = 45  # halvings of one such cell: to 3e-16 omega_p
BEGIN = 1.0 / 2.7**2  # omega/omega_p where the form rises from 0: exp(-5/4 2.7^8) is below 1e-300

Bands = Literal["frequency", "energy"]


class Components(NamedTuple):
    """What :func:`ropewalk.physics.waves.wave_table` takes, each (n,)."""

    amplitude: NDArray[np.float64]  # m
    omega: NDArray[np.float64]  # rad/s, ascending
    heading: NDArray[np.float64]  # rad
    phase: NDArray[np.float64]  # rad


def _peak(x: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """The factor that heightens the peak, over x = omega/omega_p."""
    sigma = np.where(x <= 1.0, SIGMA_BELOW, SIGMA_ABOVE)
    return np.asarray(gamma ** np.exp(-0.5 * ((x - 1.0) / sigma) ** 2))


def _shape(x: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """The spectrum's form over x = omega/omega_p, not scaled; 0 where it is below 1e-300."""
    present = x > BEGIN
    inverse = 1.0 / np.where(present, x, 1.0)
    return np.where(present, inverse**5 * np.exp(-PEAK_DECAY * inverse**4) * _peak(x, gamma), 0.0)


def _energy_between(low: NDArray[np.float64], high: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Integrals of the form from low to high, pair by pair (in omega/omega_p)."""
    node, weight = np.polynomial.legendre.leggauss(BAND_POINTS)
    half = 0.5 * (high - low)[:, None]
    return np.asarray((_shape(low[:, None] + half * (node + 1.0), gamma) * weight * half).sum(axis=1))


def _band_energy(edges: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Integral of the form over each band between `edges` (in omega/omega_p)."""
    return _energy_between(edges[:-1], edges[1:], gamma)


def _fractions_to_x(fraction: NDArray[np.float64], gamma: float, low: float, high: float) -> NDArray[np.float64]:
    """omega/omega_p below which the given fractions of the energy between low and high lie."""
    grid = np.union1d(np.linspace(low, high, CUMULATIVE_CELLS + 1), 1.0 if low < 1.0 < high else low)
    energy = np.r_[0.0, np.cumsum(_band_energy(grid, gamma))]
    target = fraction * energy[-1]
    cell = np.clip(np.searchsorted(energy, target, side="right") - 1, 0, grid.size - 2)
    left, right = grid[cell], grid[cell + 1]
    for _ in range(BISECTIONS):
        middle = 0.5 * (left + right)
        below = energy[cell] + _energy_between(grid[cell], middle, gamma) < target
        left, right = np.where(below, middle, left), np.where(below, right, middle)
    return np.asarray(0.5 * (left + right))


def spread_headings(n: int, heading: float, spreading: float, rng: np.random.Generator) -> NDArray[np.float64]:
    r"""Headings (rad) drawn from the cosine-2s distribution about the mean `heading`.

    .. math:: D(\beta) \propto \cos^{2s}\left(\tfrac12 (\beta - \beta_0)\right)

    Source: [LonguetHiggins1963]. With y = sin((beta - beta_0)/2) the density is (1 - y^2)^(s - 1/2), so
    (1 + y)/2 follows the beta distribution of both parameters s + 1/2: no table is needed.
    """
    y = 2.0 * rng.beta(spreading + 0.5, spreading + 0.5, n) - 1.0
    return np.asarray(heading + 2.0 * np.arcsin(y))


def components(
    height: float,
    period: float,
    gamma: float,
    n: int,
    rng: np.random.Generator,
    *,
    heading: float = 0.0,
    spreading: float | None = None,
    bands: Bands = "frequency",
) -> Components:
    """A sea of `n` components whose summed energy is exactly height**2 / 16.

    The range LOWEST to HIGHEST times the peak frequency is cut into `n` bands, of equal width
    (``frequency``, the default: the tail, which makes the accelerations, and the flanks, where lines
    resonate, get their share of components) or of equal energy (``energy``: crowded at the peak, few
    in the tail). A component has the energy of its band, found by quadrature, so the height does not
    depend on the draw; its frequency is drawn within the band (evenly, or in proportion to energy), so
    the record does not repeat after 2 pi / (band width). Phases are even over a turn. Amplitudes are
    not random: the sea is Gaussian, and its groups right, only as `n` grows [Tucker1984].

    With `spreading` (s of the cosine-2s law) every component gets one heading of its own: components of
    one frequency in several directions would stand in a fixed pattern [Jefferys1987].

    Drawn in the order frequencies, phases, headings: adding spreading leaves the rest as it was.

    height : Hs, m    period : Tp, s    gamma : peakedness    heading, spreading : rad, -
    """
    if n < 1:
        raise ValueError(f"a sea needs at least 1 component, not {n}")
    draw = rng.random(n)
    phase = 2.0 * np.pi * rng.random(n)
    if bands == "frequency":
        edges = np.linspace(LOWEST, HIGHEST, n + 1)
        x = edges[:-1] + draw * np.diff(edges)
        pieces = -(-FEWEST_BANDS // n)
        fine = np.interp(np.arange(n * pieces + 1) / pieces, np.arange(n + 1), edges)
        energy = _band_energy(fine, gamma).reshape(n, pieces).sum(axis=1)
    else:
        x = _fractions_to_x((np.arange(n) + draw) / n, gamma, LOWEST, HIGHEST)
        energy = np.full(n, 1.0 / n)
    amplitude = np.sqrt(2.0 * height**2 / 16.0 * energy / energy.sum())
    headings = np.full(n, heading) if spreading is None else spread_headings(n, heading, spreading, rng)
    return Components(amplitude, 2.0 * np.pi / period * x, headings, phase)
