"""Arrays of the sea: water, bed, current, wind, wave components."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, floats
from ropewalk.physics import waves
from ropewalk.spec import environment as spec


class Sea(NamedTuple):
    """What the environment is to kernels. Angles in rad."""

    depth: float  # m, inf for deep water
    gravity: float  # m/s2
    water_density: float  # kg/m3
    air_density: float  # kg/m3
    has_seabed: bool
    bed_stiffness: float  # Pa/m
    bed_damping: float  # Pa s/m
    bed_friction: float
    bed_normal: Array  # (3,) unit, up
    current_kind: int  # UNIFORM, POWER, TABLE of physics/current.py
    current_speed: float  # m/s
    current_heading: float
    current_exponent: float
    current_table: Array  # (n, 3) z rising (m), factor, turn
    wave: Array  # (ROWS, n) table of physics/waves.py
    wind_speed: float  # m/s at 10 m
    wind_heading: float


def build_sea(environment: spec.Environment) -> Sea:
    """Fill the arrays; random phases are drawn here, from the seed in the file."""
    depth = math.inf if environment.depth is None else environment.depth
    amplitude, omega, heading, phase = _components(environment.waves)
    normal = floats(environment.seabed.normal)
    kind, speed, current_heading, exponent, table = _current(environment.current)
    wind = environment.wind
    return Sea(
        depth=depth,
        gravity=environment.gravity,
        water_density=environment.water_density,
        air_density=environment.air_density,
        has_seabed=environment.has_seabed,
        bed_stiffness=environment.seabed.stiffness,
        bed_damping=environment.seabed.damping,
        bed_friction=environment.seabed.friction,
        bed_normal=floats(normal / np.linalg.norm(normal)),
        current_kind=kind,
        current_speed=speed,
        current_heading=current_heading,
        current_exponent=exponent,
        current_table=table,
        wave=waves.wave_table(amplitude, omega, heading, phase, depth, environment.gravity),
        wind_speed=wind.speed if wind else 0.0,
        wind_heading=math.radians(wind.heading) if wind else 0.0,
    )
