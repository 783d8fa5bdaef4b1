r"""Steady waves of finite height: Stokes' expansions and the stream function, as bound harmonics.

In the frame of the wave, :math:`\theta = k x - \omega t`, surface and velocity are

.. math:: \eta = \sum_j E_j \cos j\theta, \qquad
          u = \sum_j U_j \frac{\cosh jk(z+h)}{\cosh jkh} \cos j\theta, \qquad
          w = \sum_j U_j \frac{\sinh jk(z+h)}{\cosh jkh} \sin j\theta,

with zero mean of the velocity at any point below the troughs (Stokes' first definition of celerity). They hold up
to the surface: nothing is stretched.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEEP = 15.0  # kh from where the formulas of deep water hold to round-off: 1 - tanh = 2e-13
NEWTON = 60  # iterations; 3 to 6 are used
TOLERANCE = 1e-13  # of the last step, in units of g/omega^2
SMALL_STEP = 1e-30  # of the complex step: the derivative is exact
ORDERS = (8, 12, 18, 27, 40)  # of the stream function, tried in turn
TRUNCATION = 1e-7  # of the height: last harmonics below it end the search for an order
LOW = 1e-6  # of g/omega^2: lower waves are linear to a millionth of themselves
STEP_OF_HEIGHT = 0.08  # of the highest wave: steps of the continuation
MOST_OF_HIGHEST = 0.97  # of the highest wave: above it the crest sharpens faster than harmonics follow


class Steady(NamedTuple):
    """A steady wave. The arrays have one entry per harmonic j = 1, 2, ..."""

    omega: float  # rad/s
    wavenumber: float  # rad/m
    elevation: Array  # E_j, m
    velocity: Array  # U_j, m/s, at z = 0
    crest: float  # m above still water


def highest(wavenumber: float, depth: float) -> float:
    r"""Height of the highest steady wave of that length, m.

    .. math:: \frac{H_m}{h} = \frac{0.141063\,\lambda/h + 0.0095721\,(\lambda/h)^2 + 0.0077829\,(\lambda/h)^3}
                                  {1 + 0.0788340\,\lambda/h + 0.0317567\,(\lambda/h)^2 + 0.0093407\,(\lambda/h)^3}

    Source: [Fenton1990], eq. (32), fitted to [Williams1981].
    """
    length = 2.0 * math.pi / wavenumber
    if math.isinf(depth):
        return 0.141063 * length
    x = length / depth
    over = 1.0 + x * (0.0788340 + x * (0.0317567 + x * 0.0093407))
    return depth * x * (0.141063 + x * (0.0095721 + x * 0.0077829)) / over


def stokes(height: float, period: float, depth: float, g: float, order: int) -> Steady:
    """Stokes' wave of second or fifth order.

    Source: [Fenton1985], table 1 and eqs. (1), (14) and (20). The second order leaves out what is of third order
    and above.

    height : crest to trough, m    period : s    depth : m or infinite    g : m/s2    order : 2 or 5

    Not numerics/newton.py: scalar, with the slope from a difference and steps of half the wave number at most.
    """
    omega = 2.0 * math.pi / period
    k = omega**2 / g
    if not math.isinf(depth):
        k /= math.sqrt(math.tanh(min(k * depth, DEEP))) if k * depth > 0.0 else 1.0
    for _ in range(NEWTON):
        step = 1e-6 * k
        miss, up = (_celerity(q, height, depth, g, order) * q - omega for q in (k, k + step))
        change = -miss * step / (up - miss)
        k += max(-0.5 * k, min(0.5 * k, change))
        if abs(change) < TOLERANCE * k:
            break
    E, A = _harmonics(k, height, depth, order)
    U = A * np.arange(1, order + 1) * math.sqrt(g / k) * math.sqrt(math.tanh(_kh(k, depth)))
    return _steady(omega, k, E / k, U)


def _kh(k: float, depth: float) -> float:
    return min(k * depth, DEEP)


def _celerity(k: float, height: float, depth: float, g: float, order: int) -> float:
    """m/s, mean velocity zero below the troughs."""
    kh, e = _kh(k, depth), 0.5 * k * height
    S = 1.0 / math.cosh(2.0 * kh)
    C0 = math.sqrt(math.tanh(kh))
    c = C0
    if order == 5:
        C2 = C0 * (2 + 7 * S**2) / (4 * (1 - S) ** 2)
        C4 = C0 * (4 + 32 * S - 116 * S**2 - 400 * S**3 - 71 * S**4 + 146 * S**5) / (32 * (1 - S) ** 5)
        c += e**2 * C2 + e**4 * C4
    return c * math.sqrt(g / k)


def _harmonics(k: float, height: float, depth: float, order: int) -> tuple[Array, Array]:
    """k E_j, and A_j cosh(j k h) of the potential C0 sqrt(g/k^3) sum A_j cosh jk(z+h) sin j theta."""
    kh, e = _kh(k, depth), 0.5 * k * height
    S, sinh, coth = 1.0 / math.cosh(2.0 * kh), math.sinh(kh), 1.0 / math.tanh(kh)
    q = 1.0 - S
    E, A = np.zeros(order), np.zeros(order)
    E[0], A[0] = e, e / sinh
    E[1] = e**2 * coth * (1 + 2 * S) / (2 * q)
    A[1] = e**2 * 3 * S**2 / (2 * q**2)
    if order == 5:
        three, four = 3 + 2 * S, 4 + S
        B31 = -3 * (1 + 3 * S + 3 * S**2 + 2 * S**3) / (8 * q**3)
        B42 = coth * (6 - 26 * S - 182 * S**2 - 204 * S**3 - 25 * S**4 + 26 * S**5) / (6 * three * q**4)
        B44 = coth * (24 + 92 * S + 122 * S**2 + 66 * S**3 + 67 * S**4 + 34 * S**5) / (24 * three * q**4)
        B53 = 132 + 17 * S - 2216 * S**2 - 5897 * S**3 - 6292 * S**4 - 2687 * S**5 + 194 * S**6 + 467 * S**7 + 82 * S**8
        B53 *= 9 / (128 * three * four * q**6)
        B55 = 300 + 1579 * S + 3176 * S**2 + 2949 * S**3 + 1188 * S**4 + 675 * S**5 + 1326 * S**6 + 827 * S**7
        B55 = 5 * (B55 + 130 * S**8) / (384 * three * four * q**6)
        E += [e**3 * B31 - e**5 * (B53 + B55), e**4 * B42, -(e**3) * B31 + e**5 * B53, e**4 * B44, e**5 * B55]
        A31 = (-4 - 20 * S + 10 * S**2 - 13 * S**3) / (8 * sinh * q**3)
        A33 = (-2 * S**2 + 11 * S**3) / (8 * sinh * q**3)
        A42 = (12 * S - 14 * S**2 - 264 * S**3 - 45 * S**4 - 13 * S**5) / (24 * q**5)
        A44 = (10 * S**3 - 174 * S**4 + 291 * S**5 + 278 * S**6) / (48 * three * q**5)
        A51 = -1184 + 32 * S + 13232 * S**2 + 21712 * S**3 + 20940 * S**4 + 12554 * S**5 - 500 * S**6 - 3341 * S**7
        A51 = (A51 - 670 * S**8) / (64 * sinh * three * four * q**6)
        A53 = 4 * S + 105 * S**2 + 198 * S**3 - 1376 * S**4 - 1302 * S**5 - 117 * S**6 + 58 * S**7
        A53 /= 32 * sinh * three * q**6
        A55 = -6 * S**3 + 272 * S**4 - 1552 * S**5 + 852 * S**6 + 2029 * S**7 + 430 * S**8
        A55 /= 64 * sinh * three * four * q**6
        A += [e**3 * A31 + e**5 * A51, e**4 * A42, e**3 * A33 + e**5 * A53, e**4 * A44, e**5 * A55]
    return E, A * np.cosh(kh * np.arange(1, order + 1))


def _steady(omega: float, k: float, E: Array, U: Array) -> Steady:
    return Steady(omega, k, E, U, float(np.sum(E)))


@lru_cache(maxsize=64)
def stream(height: float, period: float, depth: float, g: float) -> Steady:
    """Wave by the stream function: exact to the harmonics kept, at any depth up to near the highest wave.

    Source: [Rienecker1981], [Fenton1988]; Newton on surface and coefficients, heights followed from a low wave up.
    ValueError where the wave is too high or harmonics do not converge.

    height : crest to trough, m    period : s    depth : m or infinite    g : m/s2
    """
    omega = 2.0 * math.pi / period
    unit = g / omega**2  # length; with 1/omega for time, g = omega = 1
    if height < LOW * unit:
        k = _low_wavenumber(depth / unit)
        speed = 0.5 * omega * height / (math.tanh(k * depth / unit) if depth < math.inf else 1.0)
        return _steady(omega, k / unit, np.array([0.5 * height]), np.array([speed]))
    found: Steady | None = None
    for order in ORDERS:
        k, E, B = _follow(height / unit, depth / unit, order)
        found = _steady(omega, k / unit, unit * E, unit * omega * k * np.arange(1, order + 1) * B)
        if max(abs(E[-2:])) * unit < TRUNCATION * height:
            return found
    raise ValueError(
        f"{ORDERS[-1]} harmonics in {depth:g} m of water omit {max(abs(E[-2:])) * unit / height:.1g} of the height; "
        "such long waves are solitary: give a shorter period, or use theory: airy"
    )


def _follow(height: float, depth: float, order: int) -> tuple[float, Array, Array]:
    """Wave number, E_j and B_j in units of g/omega^2 and 1/omega; from small heights up."""
    k = _low_wavenumber(depth)
    steps = max(2, math.ceil(height / (STEP_OF_HEIGHT * highest(k, depth))))
    heights = height * np.arange(1, steps + 1) / steps
    x: Any = None
    last: Any = None
    for H in heights:
        if x is None:
            guess = _low_wave(H, k, depth, order)
        elif last is None:
            guess = x
        else:
            guess = 2.0 * x - last
        last, x = x, _newton(guess, H, depth, order)
        if MOST_OF_HIGHEST * highest(x[0], depth) < H:
            raise ValueError(
                f"its height is {H / highest(x[0], depth):.3g} of the highest wave of its length, above "
                f"{MOST_OF_HIGHEST}; reduce it, or give a longer period"
            )
    eta = x[3 + order :]
    weight = np.ones(order + 1)
    weight[[0, -1]] = 0.5
    angle = np.pi * np.arange(order + 1) / order
    E = np.array([2.0 / order * np.sum(weight * eta * np.cos(j * angle)) for j in range(1, order + 1)])
    E[-1] *= 0.5
    return float(x[0]), E, x[3 : 3 + order]


def _low_wavenumber(depth: float) -> float:
    """Of k tanh k h = 1, in units of g/omega^2."""
    k = 1.0
    for _ in range(NEWTON):
        t = math.tanh(k * depth) if depth < math.inf else 1.0
        k = 0.5 * (k + 1.0 / t)
    return k


def _low_wave(H: float, k: float, depth: float, order: int) -> Array:
    """Unknowns of a linear wave: k, Q, R, B_1..B_N, eta_0..eta_N."""
    angle = np.pi * np.arange(order + 1) / order
    B = np.zeros(order)
    tanh = math.tanh(k * depth) if depth < math.inf else 1.0
    B[0] = 0.5 * H / k / tanh
    return np.concatenate([[k, 0.0, 0.5 / k**2], B, 0.5 * H * np.cos(angle)])


def _newton(x: Array, H: float, depth: float, order: int) -> Array:
    """Unknowns of the wave of height H, from those of a lower one, by full Newton steps: [Fenton1988].

    Not numerics/newton.py: the start is near by continuation in height, and the iteration ends by the size of its step,
    since the equations have no common scale.
    """
    for _ in range(NEWTON):
        r = _residual(x, H, depth, order)
        J = np.stack(
            [_residual(x + 1j * SMALL_STEP * e, H, depth, order).imag / SMALL_STEP for e in np.eye(x.size)], axis=1
        )
        step = np.linalg.lstsq(J, -r, rcond=None)[0] if np.linalg.cond(J) > 1e14 else np.linalg.solve(J, -r)
        x = x + step
        if np.max(np.abs(step)) < TOLERANCE * max(1.0, np.max(np.abs(x))):
            return x
    if np.max(np.abs(step)) < math.sqrt(TOLERANCE):
        return x
    raise ValueError("Newton's method does not converge: the wave is close to breaking; reduce its height")


def _residual(x: Any, H: float, depth: float, order: int) -> Any:
    """Surface a streamline, pressure on it constant, mean level zero, height: 2 N + 4 equations; g = omega = 1."""
    k, Q, R, B, eta = x[0], x[1], x[2], x[3 : 3 + order], x[3 + order :]
    j = np.arange(1, order + 1)
    up = np.exp(np.multiply.outer(eta, j * k))
    image = np.exp(-2.0 * j * k * depth) if depth < math.inf else np.zeros(order)
    over = 1.0 + image
    C, S = (up + image / up) / over, (up - image / up) / over
    angle = np.multiply.outer(np.pi * np.arange(order + 1) / order, j)
    c = 1.0 / k
    psi = -c * eta + (S * np.cos(angle)) @ B + Q
    u = -c + (C * np.cos(angle)) @ (j * k * B)
    w = (S * np.sin(angle)) @ (j * k * B)
    weight = np.ones(order + 1)
    weight[[0, -1]] = 0.5
    return np.concatenate([psi, 0.5 * (u * u + w * w) + eta - R, [weight @ eta], [eta[0] - eta[-1] - H]])
