"""Arrays of the sea: water, bed, current, wind, wave components."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, floats
from ropewalk.physics import spectra, waves
from ropewalk.physics.current import POWER, TABLE, UNIFORM, current_table
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
    bed_rest_friction: float  # in equilibria
    bed_shear: float  # Pa/m, with which friction holds before it slips
    bed_normal: Array  # (3,) unit, up
    current_kind: int  # UNIFORM, POWER, TABLE of physics/current.py
    current_speed: float  # m/s
    current_heading: float
    current_exponent: float
    current_table: Array  # (n, 3) z rising (m), speed (m/s), heading
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
        bed_rest_friction=environment.seabed.friction if environment.seabed.pulled else 0.0,
        bed_shear=environment.seabed.friction_stiffness or environment.seabed.stiffness,
        bed_normal=floats(normal / np.linalg.norm(normal)),
        current_kind=kind,
        current_speed=speed,
        current_heading=current_heading,
        current_exponent=exponent,
        current_table=floats(table, (-1, 3)),
        wave=waves.wave_table(amplitude, omega, heading, phase, depth, environment.gravity, environment.wave_ramp),
        wind_speed=wind.speed if wind else 0.0,
        wind_heading=math.radians(wind.heading) if wind else 0.0,
    )


def _components(sea: spec.Waves | None) -> tuple[Array, Array, Array, Array]:
    """Amplitude (m), omega (rad/s), heading and phase (rad) of the wave components."""
    if sea is None:
        return (np.zeros(0),) * 4
    if isinstance(sea, spec.RegularWaves | spec.ComponentWaves):
        rows: Array = np.array([(a, 2.0 * math.pi / period, math.radians(heading), phase)
                                for a, period, heading, phase in _given(sea)])  # fmt: skip
        return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    drawn = spectra.components(
        sea.significant_height,
        sea.peak_period,
        sea.gamma if isinstance(sea, spec.JonswapWaves) else 1.0,
        sea.components,
        np.random.default_rng(sea.seed),
        heading=math.radians(sea.heading),
        spreading=sea.spreading,
    )
    return drawn.amplitude, drawn.omega, drawn.heading, drawn.phase


def _given(sea: spec.RegularWaves | spec.ComponentWaves) -> list[tuple[float, float, float, float]]:
    """Amplitude, period, heading (degrees), phase as the file has them."""
    if isinstance(sea, spec.RegularWaves):
        return [(0.5 * sea.height, sea.period, sea.heading, sea.phase)]
    return [(c.amplitude, c.period, c.heading, c.phase) for c in sea.components]


def _current(current: spec.Current | None) -> tuple[int, float, float, float, Array]:
    """Kind, speed, heading, exponent and table of the profile."""
    none: Array = np.zeros((0, 3))
    if current is None:
        return UNIFORM, 0.0, 0.0, 1.0, none
    heading, profile = math.radians(current.heading), current.profile
    if isinstance(profile, spec.PowerProfile):
        return POWER, current.speed, heading, profile.exponent, none
    if isinstance(profile, spec.TableProfile):
        speed = np.array(profile.factor) * current.speed
        turn = np.radians(profile.turn or 0.0)
        return TABLE, current.speed, heading, 1.0, current_table(profile.z, speed, heading + turn)
    return UNIFORM, current.speed, heading, 1.0, none
