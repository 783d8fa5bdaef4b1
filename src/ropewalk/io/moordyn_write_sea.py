"""Water, bed, waves and current of a case as options of a MoorDyn file and files beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.moordyn_write_rows import PointLine, Written, number
from ropewalk.model.environment import build_sea
from ropewalk.model.in_time import steady
from ropewalk.physics.waves import WaveRows
from ropewalk.spec.environment import PowerProfile, TableProfile
from ropewalk.spec.system import System

DEEP = 10.0  # times the lowest point: a bed that nothing reaches
LEAST_DEPTH = 1000.0  # m, of that bed
LAYERS = 41  # of a profile that is not a table
WAVES, CURRENT = "wave_frequencies.txt", "current_profile.txt"  # the names that MoorDyn-C looks for


def sea_files(system: System, points: Sequence[PointLine], out: Written) -> list[str]:
    """Options of the file; waves and current go to files beside it."""
    sea = system.environment
    options = [f"{number(sea.gravity)} g gravity (m/s^2)", f"{number(sea.water_density)} rho water density (kg/m^3)"]
    depth = _depth(system, points, out)
    bed = sea.seabed
    options += [
        f"{number(depth)} WtrDpth water depth (m)",
        f"{number(bed.stiffness)} kBot bottom stiffness (Pa/m)",
        f"{number(bed.damping)} cBot bottom damping (Pa-s/m)",
    ]
    if bed.friction and sea.has_seabed:
        options.append(f"{number(bed.friction)} FrictionCoefficient")
        if bed.pulled:
            out.note("friction in the equilibrium (pulled): MoorDyn has no friction at rest")
    if sea.waves is not None:
        options.append("7 WaveKin sum of components")
        out.files[WAVES] = _waves(system)
    if sea.current is not None and steady(sea.current.speed) > 0.0:
        options.append("1 Currents steady profile")
        out.files[CURRENT] = _current(system, depth)
    if bed.friction_stiffness is not None:
        out.note("friction_stiffness of the bed: not supported by MoorDyn")
    if sea.wind is not None:
        out.note("wind: not supported by MoorDyn")
    if "every" in system.record.model_fields_set:
        options.append(f"{number(system.record.every)} dtOut (s)")
    return options


def _depth(system: System, points: Sequence[PointLine], out: Written) -> float:
    sea = system.environment
    if sea.has_seabed and sea.depth is not None:
        if sea.seabed.kind == "grid":
            raise InputError("environment.seabed: beds on a grid are not written; give a level one for MoorDyn")
        if sea.seabed.normal[2] != math.dist(sea.seabed.normal, (0.0, 0.0, 0.0)):
            raise InputError("environment.seabed.normal: sloping beds are not written; MoorDyn takes grids")
        return sea.depth
    lowest = -min(
        (float(point.position[2]) for point in points if not point.attachment.startswith("Body")), default=0.0
    )
    depth = max(LEAST_DEPTH, DEEP * lowest)
    out.note(f"no bed: MoorDyn always has one, here at {depth:g} m, which nothing reaches")
    return depth


def _waves(system: System) -> str:
    """Components as MoorDyn sums them: |A| sin(omega t - k x + arg A), so that arg A = pi/2 - phase."""
    row = WaveRows(*build_sea(system.environment).wave)
    rows = ["0.0 0.0 0.0 0.0"]
    order = np.argsort(row.omega, kind="stable")
    for k in order:
        angle = 0.5 * math.pi - float(row.phase[k])
        amplitude = float(row.amplitude[k])
        heading = math.atan2(float(row.dy[k]), float(row.dx[k]))
        values = (float(row.omega[k]), amplitude * math.cos(angle), amplitude * math.sin(angle), heading)
        rows.append(" ".join(number(value) for value in values))
    return "\n".join(rows) + "\n"


def _current(system: System, depth: float) -> str:
    current = system.environment.current
    assert current is not None
    profile = current.profile
    if isinstance(profile, TableProfile):
        turns = profile.turn or (0.0,) * len(profile.z)
        layers = sorted(zip(profile.z, profile.factor, turns, strict=True))
    elif isinstance(profile, PowerProfile):
        heights = np.linspace(-depth, 0.0, LAYERS)
        layers = [(float(z), float((1.0 + z / depth) ** profile.exponent), 0.0) for z in heights]
    else:
        layers = [(-depth, 1.0, 0.0), (0.0, 1.0, 0.0)]
    rows = [
        "--------------------- steady current ---------------------",
        "written by ropewalk",
        "z (m), ux, uy, uz (m/s)",
    ]
    for z, factor, turn in layers:
        angle, speed = math.radians(steady(current.heading) + turn), steady(current.speed) * factor
        rows.append(" ".join(map(number, (z, speed * math.cos(angle), speed * math.sin(angle), 0.0))))
    return "\n".join(rows) + "\n"
