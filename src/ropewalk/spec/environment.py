"""Water, seabed, current, wind and waves. Headings in degrees, towards which things travel, from +x."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive, Vector
from ropewalk.spec.from_file import NOT_READ, FromFile
from ropewalk.spec.in_time import Changing, Value


class UniformProfile(Part):
    """The same speed at every depth."""

    kind: Literal["uniform"] = "uniform"


class PowerProfile(Part):
    """Speed falls from the surface to the bed as (height above the bed / depth) to the exponent."""

    kind: Literal["power"] = "power"
    exponent: Positive = 1.0 / 7.0
    """Exponent; 1/7 is common for tidal flow, 1 gives a linear profile."""


class TableProfile(Part):
    """Speed and direction interpolated linearly in z; constant beyond the ends of the table."""

    kind: Literal["table"]
    z: Annotated[tuple[Finite, ...], Field(min_length=1)]
    """Heights, m, in ascending or descending order."""
    factor: Annotated[tuple[Finite, ...], Field(min_length=1)]
    """Speed at each height as a multiple of `speed`."""
    turn: tuple[Finite, ...] | None = None
    """Degrees added to the heading at each height, counter-clockwise."""
    source: str | None = None
    """The file that the table was read from; not read again."""

    @model_validator(mode="after")
    def _same_length(self) -> TableProfile:
        n = len(self.z)
        if len(self.factor) != n or (self.turn is not None and len(self.turn) != n):
            raise ValueError(f"z has {n} entries; factor and turn need as many")
        steps = [b - a for a, b in pairwise(self.z)]
        if not (all(step > 0 for step in steps) or all(step < 0 for step in steps)):
            raise ValueError("z must increase or decrease from entry to entry")
        return self


class GridProfile(Part):
    """Velocities on a grid of positions and times: linear in x, y, z and time, constant beyond the grid."""

    kind: Literal["grid"]
    x: Annotated[tuple[Finite, ...], Field(min_length=1)] = (0.0,)
    """m, ascending; a single entry means no variation along x."""
    y: Annotated[tuple[Finite, ...], Field(min_length=1)] = (0.0,)
    """m"""
    z: Annotated[tuple[Finite, ...], Field(min_length=1)] = (0.0,)
    """Heights, m, ascending."""
    time: Annotated[tuple[Finite, ...], Field(min_length=1)] = (0.0,)
    """s, ascending; a single entry means a steady current."""
    velocity: Annotated[tuple[Vector, ...], Field(min_length=1)]
    """u, v, w at each grid point and time, as multiples of `speed`, rotated by the heading; z varies fastest, then y,
    x, time."""
    source: str | None = None
    """The file that the grid was read from; not read again."""

    @model_validator(mode="after")
    def _fits(self) -> GridProfile:
        for name in ("x", "y", "z", "time"):
            if any(b <= a for a, b in pairwise(getattr(self, name))):
                raise ValueError(f"{name} must increase from entry to entry")
        places = len(self.x) * len(self.y) * len(self.z) * len(self.time)
        if len(self.velocity) != places:
            counts = " x ".join(str(len(getattr(self, name))) for name in ("x", "y", "z", "time"))
            raise ValueError(f"velocity has {len(self.velocity)} entries; a grid of {counts} needs {places}")
        return self


class FileProfile(FromFile):
    """A profile in a CSV file beside the case: columns z, u, v or z, speed, heading; it gives the speeds themselves."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


CurrentProfile = Annotated[
    UniformProfile | PowerProfile | TableProfile | GridProfile | FileProfile, Field(discriminator="kind")
]


class Current(Part):
    """A current, steady unless its speed or heading varies in time."""

    speed: NotNegative | Changing
    """Speed at the surface (the reference of the profile), m/s; may vary in time."""
    heading: Value = 0.0
    """Direction of flow, degrees; may vary in time."""
    profile: CurrentProfile = UniformProfile()

    @model_validator(mode="after")
    def _grid_has_times(self) -> Current:
        changes = not (isinstance(self.speed, float) and isinstance(self.heading, float))
        if isinstance(self.profile, GridProfile) and changes:
            raise ValueError("a profile of kind: grid has times of its own; give speed and heading as numbers")
        return self


RAMP_PERIODS = 2.0  # peak periods over which waves are brought on unless the case gives a ramp


class _Waves(Part):
    ramp: NotNegative | None = None
    """Seconds over which the waves are ramped up smoothly from t = 0; two (peak) periods unless given; 0 for no ramp.
    Statistics and events exclude it."""
    stretching: Literal["none", "wheeler", "extrapolated"] | None = None
    """How linear kinematics continue above still water: `wheeler` (unless given) moves the profile up to the surface,
    `extrapolated` follows the tangent at still water, `none` uses the values at still water."""

    @property
    def is_steady(self) -> bool:
        """True for regular waves of finite height, whose harmonics are bound."""
        return False


class RegularWaves(_Waves):
    """One wave train."""

    kind: Literal["regular"]
    theory: Literal["airy", "stokes2", "stokes5", "stream"] = "airy"
    """`airy` is linear; Stokes' second and fifth order and the `stream` function (any depth short of solitary waves, up
    to 97 % of the highest wave) are for waves of finite height and are valid up to the surface."""
    height: NotNegative
    """Crest to trough, m."""
    period: Positive
    """s"""
    heading: Finite = 0.0
    phase: Finite = 0.0
    """rad; the elevation at the origin is (height/2) cos(omega t - phase), and a wave of finite height has a crest
    where that cosine is 1."""

    @property
    def is_steady(self) -> bool:
        """True for regular waves of finite height, whose harmonics are bound."""
        return self.theory != "airy"

    @model_validator(mode="after")
    def _not_stretched(self) -> RegularWaves:
        if self.is_steady and self.stretching is not None:
            raise ValueError(f"theory {self.theory} holds up to the surface; leave out stretching, or use airy")
        return self


class WaveComponent(Part):
    """One component of a given sea."""

    amplitude: NotNegative
    period: Positive
    heading: Finite = 0.0
    phase: Finite = 0.0
    """rad"""


class ComponentWaves(_Waves):
    """A sea given by its components."""

    kind: Literal["components"]
    components: Annotated[tuple[WaveComponent, ...], Field(min_length=1)]
    source: str | None = None
    """The file that the components were read from; not read again."""


class FileWaves(FromFile, _Waves):
    """Wave components in a CSV file beside the case: columns amplitude, period (or omega), heading, phase."""

    kind: Literal["file"]
    file: str
    """Path relative to the case file."""


class _Irregular(_Waves):
    significant_height: NotNegative
    """Four times the standard deviation of the elevation, m."""
    peak_period: Positive
    """s"""
    heading: Finite = 0.0
    """Mean direction, degrees."""
    spreading: Positive | None = None
    """Exponent s of cos^2s(theta/2) directional spreading; leave out for long-crested seas."""
    components: Annotated[int, Field(ge=1, le=20000)] = 200
    """Number of wave components."""
    seed: Annotated[int, Field(ge=0)] = 1
    """Seed of the random frequencies, phases and directions."""


class JonswapWaves(_Irregular):
    """JONSWAP spectrum."""

    kind: Literal["jonswap"]
    gamma: Annotated[float, Field(ge=1.0, le=20.0)] = 3.3
    """Peak enhancement."""


class PiersonMoskowitzWaves(_Irregular):
    """Pierson-Moskowitz spectrum of a fully developed sea."""

    kind: Literal["pierson_moskowitz"]


Waves = Annotated[
    RegularWaves | JonswapWaves | PiersonMoskowitzWaves | ComponentWaves | FileWaves, Field(discriminator="kind")
]


def peak_period(waves: Waves) -> float:
    """s; of the highest component where a sea is given by its components."""
    if isinstance(waves, RegularWaves):
        return waves.period
    if isinstance(waves, ComponentWaves):
        return max(waves.components, key=lambda component: component.amplitude).period
    assert not isinstance(waves, FileWaves)  # there are none in a checked case
    return waves.peak_period


class Wind(Part):
    """Wind, 1/7 power law; steady unless its speed or heading varies in time."""

    speed: NotNegative | Changing
    """Speed at 10 m above the water, m/s; may vary in time."""
    heading: Value = 0.0
    """Degrees; may vary in time."""


MOST_DEPTHS = 1_000_000  # of a grid of the bed: 40 MB as arrays


class Seabed(Part):
    """A bed at z = -depth, a plane through (0, 0, -depth) with the given normal, or depths on a grid."""

    kind: Literal["elastic", "grid", "file", "none"] = "elastic"
    """`grid`: a smooth surface through depths on a grid; `file`: the same, from a CSV file; `none`: no bed. The
    depth of the environment then only affects waves and current."""
    file: str | None = None
    """For kind: file, the path relative to the case file: columns x, y and depth, one row per grid point."""
    x: Annotated[tuple[Finite, ...], Field(min_length=2)] | None = None
    """Grid values along x, m, ascending. Beyond the grid the bed is extrapolated with the slope of its edge."""
    y: Annotated[tuple[Finite, ...], Field(min_length=2)] | None = None
    """m, ascending"""
    depth: Annotated[tuple[tuple[Finite, ...], ...], Field(min_length=2)] | None = None
    """Depths of the grid, m below still water: a row for each y, with a depth for each x."""
    source: str | None = None
    """The file that the grid was read from."""
    stiffness: Positive = 1.0e5
    """Normal stiffness per area, Pa/m. The closed-form catenary treats the bed as rigid."""
    damping: NotNegative = 1.0e4
    """Normal damping per area, Pa s/m."""
    friction: NotNegative = 0.0
    """Coulomb coefficient of lines on the bed."""
    pulled: bool = True
    """True if lines on the bed were pulled from their suspended part, so that friction acts in an equilibrium; if
    `false`, friction acts only once lines move."""
    friction_stiffness: Positive | None = None
    """Shear stiffness per area before slip, Pa/m; `stiffness` unless given."""
    normal: Vector = (0.0, 0.0, 1.0)
    """Upward normal of a sloping bed."""

    @model_validator(mode="after")
    def _upward(self) -> Seabed:
        if self.normal[2] <= 0.1 * math.dist(self.normal, (0, 0, 0)):
            raise ValueError("normal must point up, at most 84 degrees from the vertical")
        return self

    @model_validator(mode="after")
    def _whole_grid(self) -> Seabed:
        if self.kind == "file":
            raise ValueError(NOT_READ)
        given = [name for name in ("x", "y", "depth", "file", "source") if getattr(self, name) is not None]
        given = [name for name in given if self.kind != "grid" or name == "file"]
        if self.kind == "grid" and given:
            raise ValueError("file belongs to a bed of kind: file; a grid has x, y and depth")
        if self.kind != "grid":
            if given:
                raise ValueError(f"{' and '.join(given)} belong to a bed of kind: grid; this is of kind: {self.kind}")
            return self
        if self.x is None or self.y is None or self.depth is None:
            raise ValueError("a bed of kind: grid needs x, y and depth")
        if self.normal != (0.0, 0.0, 1.0):
            raise ValueError("the slope of a bed of kind: grid follows from its depths; leave out normal")
        for name, places in (("x", self.x), ("y", self.y)):
            if any(b <= a for a, b in pairwise(places)):
                raise ValueError(f"{name} must increase from entry to entry")
        if len(self.depth) != len(self.y):
            raise ValueError(f"depth has {len(self.depth)} rows; y has {len(self.y)} entries, and each needs a row")
        for k, row in enumerate(self.depth):
            if len(row) != len(self.x):
                raise ValueError(f"row {k + 1} of depth has {len(row)} depths; x has {len(self.x)} entries")
        if len(self.x) * len(self.y) > MOST_DEPTHS:
            count = len(self.x) * len(self.y)
            raise ValueError(f"the grid has {count} depths, above the limit of {MOST_DEPTHS}; give fewer")
        return self


class Environment(Part):
    """The sea around the lines."""

    depth: Positive | None = None
    """Water depth, m; leave out for deep water without a bed."""
    gravity: NotNegative = 9.80665
    """m/s2"""
    water_density: NotNegative = 1025.0
    """kg/m3; 0 means in air"""
    air_density: NotNegative = 1.225
    """kg/m3, for wind loads"""
    current: Current | None = None
    waves: Waves | None = None
    wind: Wind | None = None
    seabed: Seabed = Seabed()

    @model_validator(mode="after")
    def _deep(self) -> Environment:
        if self.seabed.kind == "grid" and self.depth is None:
            raise ValueError("a bed of kind: grid needs depth beside it, for waves and current: that of the site")
        return self

    @property
    def wave_ramp(self) -> float:
        """Seconds over which the waves are brought on; 0 without waves."""
        waves = self.waves
        if waves is None:
            return 0.0
        return RAMP_PERIODS * peak_period(waves) if waves.ramp is None else waves.ramp

    @property
    def has_seabed(self) -> bool:
        """True where lines can touch the bed."""
        return self.depth is not None and self.seabed.kind != "none"
