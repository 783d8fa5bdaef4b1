"""Statistics of responses to many frequencies at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.analysis.response import STORM

if TYPE_CHECKING:
    import xarray as xr


def statistics(result: xr.Dataset, duration: float = STORM) -> xr.Dataset:
    r"""Standard deviation, zero-crossing period and most probable maximum of every variable.

    .. math:: \sigma^2 = m_0, \quad T_z = 2\pi \sqrt{m_0/m_2}, \quad
              x_{max} = \sigma \sqrt{2 \ln(t/T_z)}, \qquad m_n = \sum \tfrac12 \omega^n |X|^2

    for a narrow-banded Gaussian process [LonguetHiggins1952].  duration : t, s
    """
    import xarray as xr

    out = {}
    for name in result.data_vars:
        power: xr.DataArray = 0.5 * abs(result[name]) ** 2
        m0, m2 = power.sum("frequency"), (power * result.frequency**2).sum("frequency")
        std, unit = np.sqrt(m0), result[name].attrs["units"]
        period = 2.0 * math.pi * np.sqrt(m0 / m2.where(m2 > 0.0))
        peak = std * np.sqrt(2.0 * np.log(np.maximum(duration / period, math.e)))
        for suffix, values, units in (("std", std, unit), ("tz", period, "s"), ("maximum", peak, unit)):
            out[f"{name}_{suffix}"] = xr.DataArray(values).assign_attrs({"units": units})
    return xr.Dataset(out, attrs={**result.attrs, "duration": duration})
