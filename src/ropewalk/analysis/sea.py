"""The sea of a case by itself: what it is made of, and its surface in time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ropewalk.loads.sea import current_here
from ropewalk.model.arrays import Array
from ropewalk.model.environment import Sea, build_sea
from ropewalk.physics import waves
from ropewalk.physics.current import FUNCTION, current
from ropewalk.spec.system import System


def sea_summary(system: System) -> dict[str, Any]:
    """Depth, wave statistics, current and wind, and every wave component; plain data."""
    sea = build_sea(system.environment)
    wave = sea.wave
    row = waves.WaveRows(*wave)
    amplitude, omega = row.amplitude, row.omega
    m0, m2 = 0.5 * float(np.sum(amplitude**2)), 0.5 * float(np.sum(amplitude**2 * omega**2))
    text = {
        "depth": "deep" if math.isinf(sea.depth) else f"{sea.depth:g} m",
        "water_density": f"{sea.water_density:g} kg/m3",
        "wave_components": str(amplitude.size),
    }
    if m0 > 0.0:
        text["significant_height"] = f"{4.0 * math.sqrt(m0):.3f} m"
        text["zero_crossing_period"] = f"{2.0 * math.pi * math.sqrt(m0 / m2):.3f} s"
    if sea.current_speed > 0.0:
        text["surface_current"] = f"{sea.current_speed:g} m/s towards {math.degrees(sea.current_heading):g} deg"
    if sea.wind_speed > 0.0:
        text["wind_at_10_m"] = f"{sea.wind_speed:g} m/s towards {math.degrees(sea.wind_heading):g} deg"
    return {"text": text, "components": _components(wave)}


def surface(sea: Sea, times: Array, x: float = 0.0, y: float = 0.0) -> Array:
    """Elevation (m) at one place and given times (s)."""
    eta: Array = np.array([waves.elevation(sea.wave, x, y, float(t), 1.0) for t in times])
    return eta


def current_profile(sea: Sea, z: Array) -> Array:
    """(n, 2) horizontal current velocity (m/s) at heights z (m)."""
    arguments = (
        sea.current_kind, sea.current_speed, sea.current_heading, sea.current_exponent, sea.depth, sea.current_table,
    )  # fmt: skip
    if sea.current_kind == FUNCTION:
        return np.array([current_here((0.0, 0.0, float(height)), sea)[:2] for height in z])
    velocity: Array = np.array([current(float(height), *arguments)[:2] for height in z])
    return velocity


def _components(wave: Array) -> list[dict[str, float]]:
    return [
        {
            "amplitude": float(own.amplitude),
            "omega": float(own.omega),
            "period": 2.0 * math.pi / float(own.omega),
            "length": 2.0 * math.pi / float(own.wavenumber),
            "heading": math.degrees(math.atan2(own.dy, own.dx)),
            "phase": float(own.phase),
        }
        for own in (waves.WaveRows(*column) for column in wave.T)
    ]
