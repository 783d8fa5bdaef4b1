"""Arrays of the sea: water, bed, current, wind, wave components."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Records, floats, frozen, put, records
from ropewalk.model.in_time import FunctionBook, Functions
from ropewalk.numerics.pointers import handle_of
from ropewalk.physics import spectra, steady_waves, waves
from ropewalk.physics.current import FIELD, FUNCTION, POWER, TABLE, UNIFORM, current_table
from ropewalk.physics.current_grid import grid_field
from ropewalk.physics.in_time import value_at
from ropewalk.physics.terrain import Terrain, no_terrain, reliefs, terrain
from ropewalk.spec import environment as spec
from ropewalk.spec.in_time import ConstantValue, HarmonicValue, InTime, TableValue, Value

BOUND_SHARE = 0.5  # second harmonic over first, up to which Stokes' expansions converge in practice

FIELD_SHAPE = (3, 0)  # what a current by a function is given: a place and a time
SHALLOWEST = 0.01  # m, water over a bed whose grid lies above the surface
NO_FIELD = frozen(records(0, FIELD))  # of currents that are no function


class Sea(NamedTuple):
    """The environment as arrays for kernels. Angles in rad."""

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
    bed_normal: Array  # (3,) unit, up; of a plane
    bed_terrain: Terrain  # the bed if it is given on a grid
    current_kind: int  # UNIFORM, POWER, TABLE or FUNCTION of physics/current.py
    current_speed: float  # m/s
    current_heading: float
    current_exponent: float
    current_table: Array  # (n, 3) z rising (m), speed (m/s), heading; no rows for other kinds
    current_field: Records  # (1,) of FIELD of physics/current.py; no rows for other kinds
    wave: Array  # (ROWS, n) table of physics/waves.py
    wind_speed: float  # m/s at 10 m
    wind_heading: float
    # functions of time, -1 for what does not change: on the speeds, and added to the headings (rad)
    current_factor: int
    current_turn: int
    wind_factor: int
    wind_turn: int
    functions: Functions  # all functions of the case


class Flow(NamedTuple):
    """Largest speed of a current or wind, and its variation in time."""

    speed: float  # m/s, the largest that it can have
    heading: float  # rad; 0 where it changes
    factor: int  # function on the speed, -1 for none
    turn: int  # function added to the heading (rad), -1 for none


CALM = Flow(0.0, 0.0, -1, -1)


def build_flow(given: spec.Current | spec.Wind | None, book: FunctionBook) -> Flow:
    """Speed and heading of a current or wind with their functions of time."""
    if given is None:
        return CALM
    speed, factor, heading, turn = _largest(given.speed), -1, 0.0, -1
    if isinstance(given.speed, InTime) and speed > 0.0:
        factor = book.add_value(given.speed, 1.0 / speed)
    if isinstance(given.heading, InTime):
        turn = book.add_value(given.heading, math.radians(1.0))
    else:
        heading = math.radians(given.heading)
    return Flow(speed, heading, factor, turn)


def _largest(speed: Value) -> float:
    """Upper bound of a speed, m/s."""
    if isinstance(speed, HarmonicValue):
        return abs(speed.mean) + sum(abs(term.amplitude) for term in speed.terms)
    if isinstance(speed, TableValue):
        return max(map(abs, speed.value))
    return abs(speed.value) if isinstance(speed, ConstantValue) else float(speed)  # type: ignore[arg-type]


def build_sea(environment: spec.Environment) -> Sea:
    """The sea without the rest of the model, with its own functions of time."""
    book = FunctionBook()
    current, wind = build_flow(environment.current, book), build_flow(environment.wind, book)
    return fill_sea(environment, current, wind, book.build())


def fill_sea(environment: spec.Environment, current: Flow, wind: Flow, functions: Functions) -> Sea:
    """Fill the arrays; random phases are drawn here, from the seed in the file."""
    depth = math.inf if environment.depth is None else environment.depth
    normal = floats(environment.seabed.normal)
    kind, exponent, table = _profile(environment.current, current)
    speed, grid, field = current.speed, grid_function(environment), NO_FIELD
    if grid is not None:
        kind, field = FUNCTION, field_row(handle_of(grid, FIELD_SHAPE, 3).address, 0.0)
        speed *= float(np.linalg.norm(environment.current.profile.velocity, axis=1).max())  # type: ignore[union-attr]
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
        bed_terrain=ground_of(environment.seabed),
        current_kind=kind,
        current_speed=speed,
        current_heading=current.heading,
        current_exponent=exponent,
        current_table=floats(table, (-1, 3)),
        current_field=field,
        wave=_wave_table(environment, depth),
        wind_speed=wind.speed,
        wind_heading=wind.heading,
        current_factor=current.factor,
        current_turn=current.turn,
        wind_factor=wind.factor,
        wind_turn=wind.turn,
        functions=functions,
    )


def field_row(address: int, time: float, *, slope: int = 0, still: bool = False) -> Records:
    """A current by a function as `Sea.current_field`; arguments as the fields of FIELD."""
    row = records(1, FIELD)
    put(row, address=address, slope=slope, share=1.0, time=time, still=still)
    return frozen(row)


def field_held(sea: Sea) -> Sea:
    """The sea with a current by a function as it is at its time, for statics."""
    field = sea.current_field.copy()
    field["still"] = 1
    return sea._replace(current_field=frozen(field))


def share_of_current(sea: Any, share: float) -> Any:
    """The sea, or something else with its fields for the current, with a share of its current."""
    table, field = sea.current_table.copy(), sea.current_field.copy()
    table[:, 1] *= share
    field["share"] *= share
    return sea._replace(
        current_speed=share * sea.current_speed, current_table=floats(table, (-1, 3)), current_field=frozen(field)
    )


def weight_in_water(sea: Sea, mass: Any, volume: Any) -> Any:
    """Weight less buoyancy of what is under water, N; of mass (kg/m) and area (m2) of a line, N/m."""
    return (mass - sea.water_density * volume) * sea.gravity


def sea_at(sea: Sea, t: float) -> Sea:
    """The sea with the current and the wind of time t (s), constant from then on."""
    functions = sea.functions
    if sea.current_factor < 0 and sea.current_turn < 0 and sea.wind_factor < 0 and sea.wind_turn < 0:
        return sea
    factor = value_at(t, sea.current_factor, functions)[0] if sea.current_factor >= 0 else 1.0
    wind = value_at(t, sea.wind_factor, functions)[0] if sea.wind_factor >= 0 else 1.0
    turn, veer = (value_at(t, i, functions)[0] for i in (sea.current_turn, sea.wind_turn))
    back, gust_back = (np.pi if share < 0.0 else 0.0 for share in (factor, wind))  # speeds are not negative
    sea = share_of_current(sea, abs(factor))
    table = sea.current_table.copy()
    table[:, 2] += turn + back
    return sea._replace(
        current_heading=sea.current_heading + turn + back,
        current_table=floats(table, (-1, 3)),
        wind_speed=abs(wind) * sea.wind_speed,
        wind_heading=sea.wind_heading + veer + gust_back,
        current_factor=-1,
        current_turn=-1,
        wind_factor=-1,
        wind_turn=-1,
    )


_STRETCHING = {
    None: waves.STRETCHING_WHEELER,
    "wheeler": waves.STRETCHING_WHEELER,
    "extrapolated": waves.STRETCHING_EXTRAPOLATED,
    "none": waves.STRETCHING_NONE,
}


def _wave_table(environment: spec.Environment, depth: float) -> Array:
    """The wave table of kernels, of free components or of a steady wave."""
    sea, g, ramp = environment.waves, environment.gravity, environment.wave_ramp
    if isinstance(sea, spec.RegularWaves) and sea.is_steady and sea.height > 0.0:
        wave = _steady_wave(sea, depth, g)
        return waves.steady_table(wave, math.radians(sea.heading), sea.phase, depth, ramp)
    if sea is None:
        return _calm(depth, g, ramp)
    return waves.wave_table(*_components(sea), depth, g, ramp, _STRETCHING[sea.stretching])


@lru_cache(maxsize=64)
def _calm(depth: float, g: float, ramp: float) -> Array:
    """The table without waves, shared by the statics of many cases."""
    return waves.wave_table(*_components(None), depth, g, ramp, _STRETCHING[None])


@cache
def _plane() -> Terrain:
    """The bed without a grid."""
    return no_terrain()


def _steady_wave(sea: spec.RegularWaves, depth: float, g: float) -> steady_waves.Steady:
    """Table of a steady wave; InputError for one beyond breaking or outside the range of the theory."""
    what = f"environment.waves: {sea.height:g} m at {sea.period:g} s"
    try:
        if sea.theory == "stream":
            return steady_waves.stream(sea.height, sea.period, depth, g)
        wave = steady_waves.stokes(sea.height, sea.period, depth, g, 5 if sea.theory == "stokes5" else 2)
    except ValueError as error:
        raise InputError(f"{what} by the stream function: {error}") from None
    highest = steady_waves.highest(wave.wavenumber, depth)
    if sea.height > highest:
        raise InputError(f"{what} is higher than the highest wave of its length, {highest:.3g} m; reduce its height")
    if wave.elevation.size > 1 and not abs(wave.elevation[1]) < BOUND_SHARE * wave.elevation[0]:
        share = abs(wave.elevation[1]) / wave.elevation[0]
        raise InputError(
            f"{what} is outside the range of {sea.theory} in {depth:g} m of water: its second harmonic is {share:.2g} "
            f"of the first, above {BOUND_SHARE}; use theory: stream"
        )
    return wave


def ground_of(seabed: spec.Seabed) -> Terrain:
    """The bed on its grid; without rows if it is a plane."""
    if seabed.x is None or seabed.y is None or seabed.depth is None:
        return _plane()
    return terrain(seabed.x, seabed.y, seabed.depth)


def bed_under(environment: spec.Environment, place: tuple[float, float, float]) -> float:
    """z of the bed (m) above or below a place, for checks of a case; -inf for deep water."""
    ground, (x, y, _), (nx, ny, nz) = ground_of(environment.seabed), place, environment.seabed.normal
    if ground.x.size:
        return float(reliefs(ground, np.array(x), np.array(y))[0])
    return -math.inf if environment.depth is None else -environment.depth - (nx * x + ny * y) / nz


def is_grid(sea: Sea) -> bool:
    """Whether the bed is given on a grid."""
    return sea.bed_terrain.x.size > 0


def bed_normals(sea: Sea, r: Array) -> Array:
    """(..., 3) unit normals of the bed, upwards, under places r (..., 3), m."""
    if not is_grid(sea):
        return np.broadcast_to(sea.bed_normal, np.shape(r))
    _, zx, zy = reliefs(sea.bed_terrain, r[..., 0], r[..., 1])
    normals = np.stack([-zx, -zy, np.ones_like(zx)], axis=-1)
    unit: Array = normals / np.sqrt(1.0 + zx**2 + zy**2)[..., None]
    return unit


def bed_heights(sea: Sea, r: Array) -> Array:
    """(...,) heights over the bed (m) of places r (..., 3), along its normal: those over the plane that touches it."""
    if not is_grid(sea):
        over: Array = r @ sea.bed_normal + sea.depth * sea.bed_normal[2]
        return over
    z, zx, zy = reliefs(sea.bed_terrain, r[..., 0], r[..., 1])
    height: Array = (r[..., 2] - z) / np.sqrt(1.0 + zx**2 + zy**2)
    return height


def bed_levels(sea: Sea, r: Array) -> Array:
    """(...,) z of the bed (m) above or below places r (..., 2 or 3), m."""
    if not is_grid(sea):
        level: Array = -sea.depth - r[..., :2] @ sea.bed_normal[:2] / sea.bed_normal[2]
        return level
    return reliefs(sea.bed_terrain, r[..., 0], r[..., 1])[0]


def level_bed(sea: Sea) -> Sea:
    """The sea over a level bed at the largest depth of a grid, for first guesses by closed forms."""
    flat = floats([0.0, 0.0, 1.0])
    if not is_grid(sea):
        return sea._replace(bed_normal=flat)
    deepest = max(float(-sea.bed_terrain.table[:, :, 0].min()), SHALLOWEST)
    return sea._replace(bed_normal=flat, bed_terrain=no_terrain(), depth=deepest)


def _components(sea: spec.Waves | None) -> tuple[Array, Array, Array, Array]:
    """Amplitude (m), omega (rad/s), heading and phase (rad) of the wave components."""
    if sea is None:
        return (np.zeros(0),) * 4
    if isinstance(sea, spec.RegularWaves | spec.ComponentWaves):
        rows: Array = np.array([(a, 2.0 * math.pi / period, math.radians(heading), phase)
                                for a, period, heading, phase in _given(sea)])  # fmt: skip
        return rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    assert not isinstance(sea, spec.FileWaves)  # there are none in a checked case
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
    """Amplitude (m), period (s), heading and phase (degrees) as given in the file."""
    if isinstance(sea, spec.RegularWaves):
        return [(0.5 * sea.height, sea.period, sea.heading, sea.phase)]
    return [(c.amplitude, c.period, c.heading, c.phase) for c in sea.components]


def grid_function(environment: spec.Environment) -> Callable[..., Any] | None:
    """The current as a function u(r, t), m/s, where it is given on a grid; None where it is not."""
    given = environment.current
    if given is None or not isinstance(given.profile, spec.GridProfile):
        return None
    grid, speed, heading = given.profile, float(given.speed), math.radians(float(given.heading))  # type: ignore[arg-type]
    axes = (np.array(grid.x), np.array(grid.y), np.array(grid.z), np.array(grid.time))
    c, s = math.cos(heading), math.sin(heading)
    rows: Array = speed * np.array(grid.velocity) @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    nx, ny, nz, nt = (axis.size for axis in axes)
    return grid_field(axes, rows.reshape(nt, nx, ny, nz, 3))


def _profile(current: spec.Current | None, flow: Flow) -> tuple[int, float, Array]:
    """Kind, exponent and table of the profile of a current."""
    none: Array = np.zeros((0, 3))
    profile = None if current is None else current.profile
    if isinstance(profile, spec.PowerProfile):
        return POWER, profile.exponent, none
    if isinstance(profile, spec.TableProfile):
        turn = np.radians(profile.turn or 0.0)
        return TABLE, 1.0, current_table(profile.z, np.array(profile.factor) * flow.speed, flow.heading + turn)
    return UNIFORM, 1.0, none
