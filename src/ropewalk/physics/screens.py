r"""Drag and lift of a piece of netting as a screen, and the wake behind it.

:math:`\theta` is the angle between the flow and the normal of the netting, :math:`S_n` the solidity: twine area
over outline area. Drag acts along the relative velocity, lift across it, in the plane of velocity and normal.
"""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel

LOLAND, AARSNES, KRISTIANSEN_FALTINSEN = 0, 1, 2  # kinds of screen

VISCOSITY = 1.05e-6  # kinematic, m2/s: sea water at 20 degrees C
RE_LOW, RE_HIGH = 10.0**1.5, 1.0e4  # range of the drag curve of a cylinder; held beyond


@kernel
def cylinder_drag(re):
    r"""Drag coefficient (no unit) of a circular cylinder in cross flow from Re = 30 to 10^4, constant beyond.

    .. math:: C_d = \sum_{i=0}^{7} c_i (\log_{10} Re)^i

    Source: [Kristiansen2012], eq. (12), a fit to measured cylinders (1.36, 1.01, 1.09 at Re = 100, 1000, 10000).

    re : Reynolds number on the twine diameter
    """
    x = np.log10(min(max(re, RE_LOW), RE_HIGH))
    c = 0.12479 * x - 2.44894
    c = c * x + 20.00769
    c = c * x - 87.92234
    c = c * x + 223.64577
    c = c * x - 327.8864
    c = c * x + 254.73873
    return c * x - 78.46675


@kernel
def screen_coefficients(kind, theta, solidity, re):
    r"""Drag and lift coefficient of a screen on its outline area, as two numbers.

    .. math::
        \text{LOLAND:}\quad C_D &= 0.04 + (-0.04 + 0.33 S_n + 6.54 S_n^2 - 4.88 S_n^3) \cos\theta, \\
        C_L &= (-0.05 S_n + 2.3 S_n^2 - 1.76 S_n^3) \sin 2\theta \\
        \text{AARSNES:}\quad C_D &= 0.04 + (-0.04 + S_n - 1.24 S_n^2 + 13.7 S_n^3) \cos\theta, \\
        C_L &= (0.57 S_n - 3.54 S_n^2 + 10.1 S_n^3) \sin 2\theta \\
        \text{KRISTIANSEN\_FALTINSEN:}\quad C_D &= C_{D0} (0.9 \cos\theta + 0.1 \cos 3\theta), \qquad
        C_{D0} = C_d(Re) \frac{S_n (2 - S_n)}{2 (1 - S_n)^2}, \\
        C_L &= C_{L45} (\sin 2\theta + 0.1 \sin 4\theta), \qquad
        C_{L45} = \frac{1}{\sqrt 2}\left(\frac{C_{D0}}{2} - \frac{\pi c_N}{8 + c_N}\right), \quad
        c_N = \frac{C_d S_n}{2 (1 - S_n)^2}

    Source: [Loland1991]; [Aarsnes1990]; [Kristiansen2012], eqs. (8)-(12) with its Fourier coefficients.
    Loland's fit is valid for solidities from 0.13 to 0.32, that of Aarsnes up to 0.35.

    kind : LOLAND, AARSNES, KRISTIANSEN_FALTINSEN    theta : rad, 0 to pi/2    solidity : 0 to below 1
    re : twine diameter times speed over viscosity over (1 - solidity), read by the last kind only
    """
    s = solidity
    if kind == KRISTIANSEN_FALTINSEN:
        cd = cylinder_drag(re)
        cd0 = 0.5 * cd * s * (2.0 - s) / (1.0 - s) ** 2
        cn = 0.5 * cd * s / (1.0 - s) ** 2
        cl45 = (0.5 * cd0 - np.pi * cn / (8.0 + cn)) / np.sqrt(2.0)
        drag = cd0 * (0.9 * np.cos(theta) + 0.1 * np.cos(3.0 * theta))
        return drag, cl45 * (np.sin(2.0 * theta) + 0.1 * np.sin(4.0 * theta))
    if kind == AARSNES:
        drag = 0.04 + (-0.04 + s * (1.0 + s * (-1.24 + 13.7 * s))) * np.cos(theta)
        return drag, s * (0.57 + s * (-3.54 + 10.1 * s)) * np.sin(2.0 * theta)
    drag = 0.04 + (-0.04 + s * (0.33 + s * (6.54 - 4.88 * s))) * np.cos(theta)
    return drag, s * (-0.05 + s * (2.3 - 1.76 * s)) * np.sin(2.0 * theta)


@kernel
def wake_factor(drag):
    r"""Ratio of the speed in the wake of a screen to the speed before it.

    .. math:: r = 1 - 0.46\, C_D

    Source: [Loland1991].    drag : coefficient of the screen upstream in flow along its normal
    """
    return max(0.0, 1.0 - 0.46 * drag)
