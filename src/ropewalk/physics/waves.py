r"""Waves: dispersion of Airy's, surface and kinematics of a sum of given components.

A sea is one table of shape (ROWS, n), made once by :func:`wave_table`, with the rows of :class:`WaveRows`; they lie one
after the other so that the sums over components run in vector registers. With
:math:`\theta = k (x \cos\beta + y \sin\beta) - \omega t + \varphi` component *j* is the real part of
:math:`a\, e^{i (k \cdot x + \varphi)} e^{-i \omega t}` and travels towards the heading
:math:`\beta`. Sums of free components are first order in the wave steepness; the bound harmonics of a steady wave
(steady_waves.py) are summed alike. Neither carries a current.

The sines, cosines and exponentials are polynomials written out here, because calls into the C library
keep the compiler from vectorising (15 times slower, measured). Their errors stand at each of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.physics.in_time import ramp as smooth_start
from ropewalk.physics.steady_waves import Steady


class WaveRows(NamedTuple):
    """Rows of a wave table by name, each (n,): of an array in Python ``WaveRows(*table)``, in kernels :func:`rows`."""

    amplitude: NDArray[np.float64]  # a, m
    omega: NDArray[np.float64]  # rad/s
    wavenumber: NDArray[np.float64]  # k, rad/m, ascending
    kx: NDArray[np.float64]  # k cos(heading), rad/m
    ky: NDArray[np.float64]  # k sin(heading), rad/m
    phase: NDArray[np.float64]  # rad
    dx: NDArray[np.float64]  # cos(heading)
    dy: NDArray[np.float64]  # sin(heading)
    image: NDArray[np.float64]  # exp(-2 k h): the wave's image below the bed
    rate: NDArray[np.float64]  # velocity per amplitude over e^{k z} + image: omega / (1 - exp(-2 k h)) if free, rad/s
    celerity: NDArray[np.float64]  # omega / k, m/s
    turns_x: NDArray[np.float64]  # the phase is summed in turns, not radians: kx / (2 pi), 1/m
    turns_y: NDArray[np.float64]  # ky / (2 pi), 1/m
    turns_t: NDArray[np.float64]  # omega / (2 pi), 1/s
    turns: NDArray[np.float64]  # phase / (2 pi)
    ramp: NDArray[np.float64]  # s over which the waves are brought on from t = 0, the same in every column
    stretching: NDArray[np.float64]  # one of the kinds below, the same in every column
    crest: NDArray[np.float64]  # m above still water from where heights are measured, the same in every column


ROWS = len(WaveRows._fields)

# kinds of stretching
STRETCHING_NONE = 0  # the formulas up to still water; above it the values at z = 0
STRETCHING_WHEELER = 1
STRETCHING_EXTRAPOLATED = 2  # above still water along the tangents at z = 0
STRETCHING_EXACT = 3  # the formulas up to the surface, for steady waves

# columns of kinematics
VELOCITY = 0  # 0, 1, 2: m/s
ACCELERATION = 3  # 3, 4, 5: m/s2
PRESSURE = 6  # dynamic pressure over density, m2/s2
ELEVATION = 7  # m
COLUMNS = 8

DISPERSION_ITERATIONS = 10  # Newton from a guess good to 0.75 % needs 3; more is a defect
DISPERSION_TOLERANCE = 1e-15  # relative; the last step is squared by Newton's convergence
DEEPEST = 32.0  # k |z| where a component is left out: exp(-32) = 1e-14 of its surface value
BED_FADE = 0.05  # m below the bed over which the motion fades to nothing: a line that settles sees no jump

SUM = {"reassoc", "nsz", "contract"}  # lets the compiler sum in vector registers; no NaN or inf is assumed away
FMA = {"contract"}

TURN = 2.0 * np.pi  # rad


@kernel
def wavenumber(omega, depth, g):
    r"""Wave number of a free wave (rad/m), to a few units of the last place.

    .. math:: \omega^2 = g k \tanh(k h)

    Source: [Dean1991], eq. (3.34); starting value [Guo2002], then Newton on
    :math:`y \tanh y = \omega^2 h / g` with :math:`y = k h`.

    omega : rad/s, not negative    depth : h, m; infinite for deep water    g : m/s2

    Not numerics/newton.py: scalar, from a guess so near that no step goes astray.
    """
    deep = omega * omega / g
    if deep == 0.0 or np.isinf(depth):
        return deep
    kappa = deep * depth
    beta = 2.4901  # exponent of Guo's fit
    y = kappa / (-np.expm1(-(kappa ** (0.5 * beta)))) ** (1.0 / beta)
    for _ in range(DISPERSION_ITERATIONS):
        tanh = np.tanh(y)
        step = (y * tanh - kappa) / (tanh + y * (1.0 - tanh) * (1.0 + tanh))
        y -= step
        if abs(step) <= DISPERSION_TOLERANCE * y:
            break
    return y / depth


def wave_table(
    amplitude: ArrayLike,
    omega: ArrayLike,
    heading: ArrayLike,
    phase: ArrayLike,
    depth: float,
    g: float,
    ramp: float = 0.0,
    stretching: int = STRETCHING_WHEELER,
) -> NDArray[np.float64]:
    """The table of free components that the kernels of this file read: (ROWS, n), sorted by wave number, read-only.

    amplitude : (n,) m    omega : (n,) rad/s, positive    heading : (n,) rad    phase : (n,) rad
    depth : m or infinite    g : m/s2    ramp : s over which the waves are brought on from t = 0; 0: at once
    stretching : STRETCHING_...
    """
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(v, float)) for v in (amplitude, omega, heading, phase)))
    order = np.argsort(columns[1], kind="stable")
    a, w, beta, phi = (c[order] for c in columns)
    if w.size and not w[0] > 0.0:
        raise ValueError(f"wave components need a positive omega; the lowest is {w[0]} rad/s")
    k = np.array([wavenumber(wi, depth, g) for wi in w])
    table, row = _table(a, w, k, beta, phi)
    row.image[:] = np.exp(-2.0 * k * depth)
    row.rate[:] = w / -np.expm1(-2.0 * k * depth)
    row.ramp[:], row.stretching[:], row.crest[:] = ramp, stretching, 0.0
    table.flags.writeable = False
    return table


def steady_table(wave: Steady, heading: float, phase: float, depth: float, ramp: float = 0.0) -> NDArray[np.float64]:
    """The table of a steady wave: its harmonics as columns, heights measured from the crest.

    heading, phase : rad    depth : m or infinite    ramp : s
    """
    j = np.arange(1, wave.elevation.size + 1)
    k = j * wave.wavenumber
    amplitude = np.where(wave.elevation == 0.0, np.finfo(float).tiny, wave.elevation)  # velocities are per amplitude
    table, row = _table(amplitude, j * wave.omega, k, np.full(j.size, heading), j * phase)
    row.image[:] = np.exp(-2.0 * k * (depth + wave.crest))
    row.rate[:] = wave.velocity / amplitude * np.exp(k * wave.crest) / (1.0 + np.exp(-2.0 * k * depth))
    row.ramp[:], row.stretching[:], row.crest[:] = ramp, STRETCHING_EXACT, wave.crest
    table.flags.writeable = False
    return table


def _table(a: Any, w: Any, k: Any, beta: Any, phi: Any) -> tuple[NDArray[np.float64], WaveRows]:
    """A table and its rows, filled as far as amplitude, frequency, wave number, heading and phase give them."""
    table = np.empty((ROWS, w.size))
    row = WaveRows(*table)
    row.amplitude[:], row.omega[:], row.wavenumber[:], row.phase[:] = a, w, k, phi
    row.dx[:], row.dy[:] = np.cos(beta), np.sin(beta)
    row.kx[:], row.ky[:] = k * row.dx, k * row.dy
    row.celerity[:] = w / k
    row.turns_x[:], row.turns_y[:] = row.kx / TURN, row.ky / TURN
    row.turns_t[:], row.turns[:] = w / TURN, phi / TURN
    return table, row


@kernel(inline="always")
def rows(wave):
    """`WaveRows` of a table (ROWS, n), as views: the one place where the order of its rows is written out.

    Bookkeeping.
    """
    return WaveRows(
        wave[0], wave[1], wave[2], wave[3], wave[4], wave[5], wave[6], wave[7], wave[8], wave[9], wave[10], wave[11],
        wave[12], wave[13], wave[14], wave[15], wave[16], wave[17],
    )  # fmt: skip


@kernel(fastmath=FMA)
def _sincos(turns):
    r"""Sine and cosine of an angle in turns. Absolute error below 2.5e-14, besides that of the argument.

    .. math:: \sin 2x = 2 \sin x \cos x, \qquad \cos 2x = 1 - 2 \sin^2 x

    Source: argument reduction and polynomials through Chebyshev's points as in [Muller2016]. Whole turns are taken off,
    which is exact. A quarter of the angle that is left, at most pi/4, has sine and cosine by polynomials good to 4e-15;
    they are doubled twice. That is a third less work than longer polynomials on half a turn with the sign sorted out.
    """
    f = turns - np.rint(turns)
    x = f * f
    s = -3.556386260704784e-06 * x + 0.00016042926504495616
    s = s * x - 0.004681752591458209
    s = s * x + 0.07969262615574603
    s = s * x - 0.645964097504309
    s = (s * x + 1.57079632679489) * f
    c = 4.6632053886903437e-07 * x - 2.5200703761965414e-05
    c = c * x + 0.0009192601014426249
    c = c * x - 0.02086348075319688
    c = c * x + 0.2536695079008304
    c = c * x - 1.233700550136169
    c = c * x + 1.0
    twice = s + s
    c2 = 1.0 - twice * s
    s2 = twice * c
    twice = s2 + s2
    return twice * c2, 1.0 - twice * s2


@kernel(fastmath=FMA)
def _decay(x):
    r"""exp(x) for -DEEPEST <= x <= 0. Absolute error below 2e-14, relative below 5e-13.

    .. math:: e^x = \left(e^{x/128}\right)^{128}

    Source: polynomial through Chebyshev's points (relative error 7e-15 x/128), squared seven times, as in
    [Muller2016]: no bit operations, which would keep the loop around it from being vectorised.
    """
    y = x * 0.0078125
    e = 2.1599734416801006e-05 * y + 0.00019682617050857461
    e = e * y + 0.0013884743497424579
    e = e * y + 0.008333273019646245
    e = e * y + 0.04166666188858484
    e = e * y + 0.16666666648047845
    e = e * y + 0.4999999999972328
    e = e * y + 0.9999999999999932
    e = e * y + 1.0
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    return e * e


@kernel
def brought_on(wave, t):
    """Fraction of the waves present at time t (s), 0 to 1: smooth in time.

    As :func:`ropewalk.physics.in_time.ramp`.
    """
    return smooth_start(t, rows(wave).ramp[0])[0] if wave.shape[1] > 0 else 1.0


@kernel(fastmath=SUM)
def surface(wave, x, y, t, ramp):
    r"""Elevation (m), its slopes in x and y, and its rate (m/s), as four numbers.

    .. math:: \eta = \sum a \cos\theta, \quad \nabla\eta = -\sum a k \sin\theta, \quad
              \dot\eta = \sum a \omega \sin\theta

    Source: [Dean1991], ch. 3.

    wave : (ROWS, n) wave table    x, y : m    t : s    ramp : factor on all amplitudes, beside the table's own ramp
    """
    ramp *= brought_on(wave, t)
    row = rows(wave)
    eta = 0.0
    eta_x = 0.0
    eta_y = 0.0
    eta_t = 0.0
    for j in range(wave.shape[1]):
        s, c = _sincos(row.turns_x[j] * x + row.turns_y[j] * y + (row.turns[j] - row.turns_t[j] * t))
        s *= row.amplitude[j]
        eta += row.amplitude[j] * c
        eta_x -= row.kx[j] * s
        eta_y -= row.ky[j] * s
        eta_t += row.omega[j] * s
    return ramp * eta, ramp * eta_x, ramp * eta_y, ramp * eta_t


@kernel
def elevation(wave, x, y, t, ramp):
    """As :func:`surface`: elevation of the surface alone (m)."""
    return surface(wave, x, y, t, ramp)[0]


@kernel(inline="always")
def stretched(z, eta, depth, stretching, crest):
    r"""Height over the crest reference at which the formulas are evaluated for a point at z (m), never above 0.

    .. math:: z' = h \frac{z - \eta}{h + \eta} \;\text{(Wheeler)}, \qquad z' = z - z_c \;\text{(others)}

    Source: [Wheeler1970]; deep water is the limit z - eta.

    z, eta : m from still water    depth : h, m or infinite    stretching : STRETCHING_...
    crest : z_c, m, zero unless the formulas hold up to the surface
    """
    if stretching == STRETCHING_WHEELER:
        z = z - eta if np.isinf(depth) else depth * (z - eta) / (depth + eta)
    return min(z - crest, 0.0)


@kernel(fastmath=SUM)
def _clocks(wave, t, clocks):
    r"""Phase of each component (turns) at the origin at time t, which all points share: clocks (n,), filled.

    .. math:: \frac{\varphi - \omega t}{2\pi}

    Source: docs/theory/waves.md, Cost of the sums; theta = k . x - omega t + phi.

    wave : (ROWS, n) wave table    t : s
    """
    row = rows(wave)
    for j in range(wave.shape[1]):
        clocks[j] = row.turns[j] - row.turns_t[j] * t
        clocks[j] -= np.rint(clocks[j])


@kernel(fastmath=SUM)
def _kinematics(wave, x, y, height, depth, ramp, scratch):
    r"""One point of :func:`kinematics`, its columns as eight numbers (m/s, m/s2, m).

    .. math:: u = \sum a\omega\,\frac{\cosh k(z+h)}{\sinh kh}\cos\vartheta\,(\cos\beta, \sin\beta), \qquad
              w = \sum a\omega\,\frac{\sinh k(z+h)}{\sinh kh}\sin\vartheta

    Source: [Dean1991], ch. 3 and 4; docs/theory/waves.md, Airy waves.

    scratch : (3, n) the phases of :func:`_clocks`, and room for a cos(theta), a sin(theta)
    wave : (ROWS, n) wave table    x, y, height : place, m from still water    depth : m    ramp : factor on the waves
    """
    n = wave.shape[1]
    clocks, cosines, sines = scratch[0], scratch[1], scratch[2]
    row = rows(wave)
    stretching, crest = row.stretching[0], row.crest[0]
    eta = 0.0
    for j in range(n):
        s, c = _sincos(row.turns_x[j] * x + row.turns_y[j] * y + clocks[j])
        cosines[j] = row.amplitude[j] * c
        sines[j] = row.amplitude[j] * s
        eta += cosines[j]
    eta *= ramp
    fade = 1.0 if np.isinf(depth) else max(0.0, min(1.0, 1.0 + (height + depth) / BED_FADE))
    z = max(stretched(height, eta, depth, stretching, crest), -depth - crest)
    above = max(0.0, min(height, eta)) if stretching == STRETCHING_EXTRAPOLATED else 0.0
    # components too short to be felt at this depth are the last ones: wave numbers ascend
    felt = 0
    for j in range(n):
        felt += -z * row.wavenumber[j] <= DEEPEST
    u = v = w = ax = ay = az = p = 0.0
    for j in range(felt):
        e = _decay(row.wavenumber[j] * z)
        image = row.image[j] / e
        rise = above * row.wavenumber[j]
        horizontal = ((e + image) + rise * (e - image)) * row.rate[j]
        vertical = ((e - image) + rise * (e + image)) * row.rate[j]
        uc = horizontal * cosines[j]
        us = horizontal * sines[j] * row.omega[j]
        u += uc * row.dx[j]
        v += uc * row.dy[j]
        w += vertical * sines[j]
        ax += us * row.dx[j]
        ay += us * row.dy[j]
        az -= vertical * cosines[j] * row.omega[j]
        p += uc * row.celerity[j]
    fade *= ramp
    return u * fade, v * fade, w * fade, ax * fade, ay * fade, az * fade, p * fade, eta


@kernel
def kinematics(wave, positions, t, depth, out):
    r"""Velocity (m/s), acceleration (m/s2), pressure over density (m2/s2) and elevation (m) at many points.

    .. math::
        u &= \sum a \omega \frac{\cosh k(z+h)}{\sinh kh} \cos\theta \,(\cos\beta, \sin\beta), \qquad
        w = \sum a \omega \frac{\sinh k(z+h)}{\sinh kh} \sin\theta, \\
        \dot u &= \sum a \omega^2 \frac{\cosh k(z+h)}{\sinh kh} \sin\theta \,(\cos\beta, \sin\beta), \qquad
        \dot w = -\sum a \omega^2 \frac{\sinh k(z+h)}{\sinh kh} \cos\theta, \\
        p/\rho &= \sum a \frac{\omega^2}{k} \frac{\cosh k(z+h)}{\sinh kh} \cos\theta

    Source: [Dean1991], ch. 4; the ratios as
    :math:`(e^{kz} \pm e^{-2kh} e^{-kz}) / (1 - e^{-2kh})`, which cannot overflow. Accelerations are
    local (no convective part, none from the ramp or the stretching). Zero from BED_FADE below the bed.
    Whether a point is wet is for the caller to decide: above the surface the values at the surface stand.
    Relative error about 5e-14 of the sum of the components' magnitudes; w and its rate lose the factor
    1/(kh) of that in shallow water.

    wave : (ROWS, n) wave table, which holds ramp and stretching    positions : (m, 3) m    t : s
    depth : that of the table, m or infinite
    out : (m, COLUMNS), filled; columns VELOCITY, ACCELERATION, PRESSURE, ELEVATION
    """
    if wave.shape[1] == 0:
        out[:, :] = 0.0
        return
    scratch = np.empty((3, wave.shape[1]))
    _clocks(wave, t, scratch[0])
    ramp = brought_on(wave, t)
    for i in range(positions.shape[0]):
        row = _kinematics(wave, positions[i, 0], positions[i, 1], positions[i, 2], depth, ramp, scratch)
        for c in range(COLUMNS):
            out[i, c] = row[c]


@kernel
def kinematics_at(wave, position, t, depth, out):
    """As :func:`kinematics` at one point: position (3,) m, out (COLUMNS,)."""
    if wave.shape[1] == 0:
        out[:] = 0.0
        return
    scratch = np.empty((3, wave.shape[1]))
    _clocks(wave, t, scratch[0])
    ramp = brought_on(wave, t)
    row = _kinematics(wave, position[0], position[1], position[2], depth, ramp, scratch)
    for c in range(COLUMNS):
        out[c] = row[c]
