r"""Exponential, logarithm and cube root of floats or lanes, in the operations that both have.

What a mathematical library does by branches is done here without: the argument is brought near 0 or 1 by taking its
power of two apart, a polynomial does the rest. Errors are below 2 units in the last place over the ranges given, for
floats and lanes alike, which tests hold to multiple precision.

.. math::
    e^x = 2^n e^r,\ |r| \le \tfrac12 \ln 2, \qquad
    \ln x = e \ln 2 + 2 \operatorname{artanh} \frac{m - 1}{m + 1},\ x = 2^e m,\ \tfrac1{\sqrt2} \le m < \sqrt2.

Source: [Muller2016], additive range reduction in two parts.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel
from ropewalk.numerics.lanes import Lanes

WHOLE = 6755399441055744.0  # 1.5 x 2^52: added to x and taken off again it leaves the nearest whole number
WHOLE_BITS = 0x4338000000000000  # its bits: those of WHOLE + n are n more
LOW_BITS = 0x3FE6A09E667F3BCD  # of 1/sqrt 2
EXPONENT_BITS = 0xFFF << 52
MANTISSA = 52  # bits
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # ln 2; times n the first is exact
LOG2_E = 1.4426950408889634
LOWEST, HIGHEST = -700.0, 700.0  # arguments of the exponential


def _bits(typing: Any, x: Any) -> Any:
    """Type of whole numbers with the bits of x, as LLVM has it; None of what is neither float nor lanes."""
    if isinstance(x, Lanes):
        return ir.VectorType(ir.IntType(64), x.width)
    return ir.IntType(64) if x == types.float64 else None


def _constant(kind: Any, value: int) -> Any:
    value = value - (1 << 64) if value >= 1 << 63 else value
    return ir.Constant(kind, [value] * kind.count if isinstance(kind, ir.VectorType) else value)


def _float_of(context: Any, x: Any) -> Any:
    return context.get_value_type(x)


@intrinsic  # type: ignore[untyped-decorator]
def exponent(typing: Any, x: Any) -> Any:
    """The whole number e of x = 2^e m with 1/sqrt 2 <= m < sqrt 2, as a float; x positive and not denormal."""
    kind = _bits(typing, x)
    if kind is None:
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        above = builder.sub(builder.bitcast(args[0], kind), _constant(kind, LOW_BITS))
        n = builder.ashr(above, _constant(kind, MANTISSA))
        shifted = builder.bitcast(builder.add(n, _constant(kind, WHOLE_BITS)), _float_of(context, x))
        whole = builder.bitcast(_constant(kind, WHOLE_BITS), _float_of(context, x))
        return builder.fsub(shifted, whole)

    return signature(x, x), generate


@intrinsic  # type: ignore[untyped-decorator]
def mantissa(typing: Any, x: Any) -> Any:
    """The number m of :func:`exponent`."""
    kind = _bits(typing, x)
    if kind is None:
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], kind)
        above = builder.sub(bits, _constant(kind, LOW_BITS))
        power = builder.and_(above, _constant(kind, EXPONENT_BITS))
        return builder.bitcast(builder.sub(bits, power), _float_of(context, x))

    return signature(x, x), generate


@intrinsic  # type: ignore[untyped-decorator]
def times_power(typing: Any, x: Any, shifted: Any) -> Any:
    """x 2^n of x near 1, with `shifted` = n + WHOLE."""
    kind = _bits(typing, x)
    if kind is None or x != shifted:
        return None

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        power = builder.shl(builder.bitcast(args[1], kind), _constant(kind, MANTISSA))
        return builder.bitcast(builder.add(builder.bitcast(args[0], kind), power), _float_of(context, x))

    return signature(x, x, shifted), generate


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def exp_of(x):
    r"""Exponential of LOWEST to HIGHEST; what is beyond counts as these.

    .. math:: e^x = 2^n e^r, \qquad n = \mathrm{round}(x/\ln 2), \quad r = x - n \ln 2

    Source: [Muller2016]: argument reduction in two parts of ln 2, then Taylor's series.
    """
    x = max(min(x, HIGHEST), LOWEST)
    shifted = x * LOG2_E + WHOLE
    n = shifted - WHOLE
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 / 6.0 + r * (1.0 / 24.0)) + r2 * (1.0 / 120.0 + r * (1.0 / 720.0))
    middle = (1.0 / 5040.0 + r * (1.0 / 40320.0)) + r2 * (1.0 / 362880.0 + r * (1.0 / 3628800.0))
    high = (1.0 / 39916800.0 + r * (1.0 / 479001600.0)) + r2 * (1.0 / 6227020800.0)
    y = 1.0 + (r + r2 * (0.5 + r * (low + r4 * (middle + r4 * high))))
    return times_power(y, shifted)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def log_of(x):
    r"""Natural logarithm of positive numbers that are neither denormal nor infinite.

    .. math:: \ln x = e \ln 2 + 2 \left(s + \tfrac13 s^3 + \dots\right), \qquad s = \frac{m - 1}{m + 1}, \quad x = 2^e m

    Source: [Muller2016].
    """
    e, m = exponent(x), mantissa(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    z2 = z * z
    odd = z * (2.0 / 5.0 + z2 * (2.0 / 9.0 + z2 * (2.0 / 13.0 + z2 * (2.0 / 17.0 + z2 * (2.0 / 21.0)))))
    even = 2.0 / 3.0 + z2 * (2.0 / 7.0 + z2 * (2.0 / 11.0 + z2 * (2.0 / 15.0 + z2 * (2.0 / 19.0))))
    half = 0.5 * f * f
    return e * LN2_HIGH - ((half - (s * (half + z * (even + odd)) + e * LN2_LOW)) - f)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def log1p_of(x):
    """ln(1 + x) of x > -1/2, with the relative error of :func:`log_of` also near 0.

    Source: ln(1 + x) = ln u + (x - (u - 1))/u with u = 1 + x as rounded, [Muller2016].
    """
    u = 1.0 + x
    return log_of(u) + (x - (u - 1.0)) / u


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def cube_root(x):
    """Cube root of positive numbers as :func:`log_of` takes them, to some 1e-14 of it.

    Source: x^(1/3) = exp(ln(x)/3).
    """
    return exp_of(log_of(x) / 3.0)
