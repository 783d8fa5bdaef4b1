r"""Control of bars whose length no constraint holds: springs, integrals and dampers of their gaps.

Of a gap :math:`e = |d| - l`, [Otto2022], eqs. (4.103)-(4.106) with the sign of the D term made a damping,

.. math:: T = k_P e + k_I \int e\,dt + k_D \dot e .
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ropewalk.methods.bars.arrays import Bars
from ropewalk.numerics.compile import kernel

# strain at which control pulls with the largest tension, and at which a run with sweeps is given up; about 5 %
# reproduces the printed ratios of step limits ([Otto2022], sec. 6.2)
CRITICAL_STRAIN = 0.05


class Gains(NamedTuple):
    """Gains of the control; all 0 without it."""

    spring: float  # k_P, N/m
    integral: float  # k_I, N/(m s)
    damper: float  # k_D, N s/m


NO_GAINS = Gains(0.0, 0.0, 0.0)


def gains_of(bars: Bars, length: float, tension: float, weight: float) -> Gains:
    """Gains of bars of a length (m) that pull with a tension (N) at the critical strain.

    [Otto2022], eqs. (6.6)-(6.8); the prefactor of D, which is not printed, is 1.    weight : of all three
    """
    spring = weight * tension / (length * CRITICAL_STRAIN)
    mass = float(bars.mass[~bars.held].min())
    return Gains(spring, weight * spring, weight * math.sqrt(spring * mass))


@kernel(forceinline=True)
def controlled_pull(gains, gap, integral, rate):
    r"""Tension (N) of a bar with a gap (m), its integral (m s) and its rate (m/s).

    .. math:: T = k_P e + k_I \int e\,dt + k_D \dot e

    Source: [Otto2022], eqs. (4.103)-(4.106).

    gains : `Gains`
    """
    return gains.spring * gap + gains.integral * integral + gains.damper * rate
