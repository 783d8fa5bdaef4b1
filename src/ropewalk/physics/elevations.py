"""Elevation of the sea surface at many places and times."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel
from ropewalk.physics.waves import elevation


@kernel
def elevations(wave, x, y, t):
    """As :func:`ropewalk.physics.waves.surface`: elevations (n,) m at places and times one by one.

    wave : (ROWS, m) wave table    x, y : (n,) m    t : (n,) s
    """
    out = np.zeros(t.size)
    if wave.shape[1] > 0:
        for i in range(t.size):
            out[i] = elevation(wave, x[i], y[i], t[i], 1.0)
    return out
