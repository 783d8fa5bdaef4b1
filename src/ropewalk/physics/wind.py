"""Steady wind over the height."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel

REFERENCE_HEIGHT = 10.0  # m above still water at which wind speeds are given
EXPONENT = 1.0 / 7.0  # of the power law over open sea


@kernel
def wind(z, speed, heading):
    r"""Wind velocity (m/s) at height z, as three numbers (x, y, z); zero at and below still water.

    .. math:: V(z) = V_{10} \left(\frac{z}{10\,\mathrm{m}}\right)^{1/7}

    Source: [Montano2005], sec. 2.1.

    z : m from still water    speed : at 10 m, m/s    heading : towards which, rad
    """
    if z <= 0.0:
        return 0.0, 0.0, 0.0
    value = speed * (z / REFERENCE_HEIGHT) ** EXPONENT
    return value * np.cos(heading), value * np.sin(heading), 0.0
