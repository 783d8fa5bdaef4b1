"""Cases for the response by simulation: the drive in place of the case's own motions and waves."""

from __future__ import annotations

import math
from typing import Any

from ropewalk.analysis.response import Drive
from ropewalk.errors import InputError
from ropewalk.spec.environment import RegularWaves
from ropewalk.spec.in_time import is_steady
from ropewalk.spec.system import System

RAMP_PERIODS = 2  # over which a motion or force is brought in
TRANSLATIONS, ROTATIONS = ("x", "y", "z"), ("roll", "pitch", "yaw")


def driven(system: System, omega: float, drive: Drive) -> System:
    """The case with its drive in place of its own motions and waves.  omega : rad/s"""
    if drive.kind == "waves":
        wave = RegularWaves(
            kind="regular", height=2.0 * drive.amplitude, period=2.0 * math.pi / omega, heading=drive.heading
        )
        return system.replace(environment=system.environment.replace(waves=wave))
    if drive.part not in system.points and drive.part not in system.bodies:
        raise InputError(f"no point or body '{drive.part}'. Available: {', '.join((*system.points, *system.bodies))}")
    if drive.part in system.points and drive.direction in ROTATIONS:
        raise InputError(f"point '{drive.part}' cannot rotate; choose {', '.join(TRANSLATIONS)}")
    calm = system.replace(environment=system.environment.replace(waves=None))
    return _moved(calm, omega, drive) if drive.kind == "motion" else _pushed(calm, omega, drive)


def _harmonic(omega: float, key: str, way: str, direction: list[float], amplitude: float) -> dict[str, Any]:
    """A harmonic motion or force, brought in smoothly.  key, way : of its terms and of their directions"""
    term = {way: direction, "amplitude": amplitude, "omega": omega}
    return {"kind": "harmonic", "ramp": RAMP_PERIODS * 2.0 * math.pi / omega, key: [term]}


def _moved(system: System, omega: float, drive: Drive) -> System:
    if drive.direction in ROTATIONS:
        axis = _unit(ROTATIONS, drive.direction)
        motion = _harmonic(omega, "rotations", "axis", axis, math.degrees(drive.amplitude))
    else:
        motion = _harmonic(omega, "terms", "direction", _unit(TRANSLATIONS, drive.direction), drive.amplitude)
    change = {"joint": "moving", "motion": motion}
    if drive.part in system.points:
        return system.replace(points={**system.points, drive.part: system.points[drive.part].replace(**change)})
    return system.replace(bodies={**system.bodies, drive.part: system.bodies[drive.part].replace(**change)})


def _pushed(system: System, omega: float, drive: Drive) -> System:
    """A harmonic force or moment beside the constant one of the case; it acts at a body's origin."""
    turns = drive.direction in ROTATIONS
    push = _harmonic(omega, "terms", "direction", _unit(ROTATIONS if turns else TRANSLATIONS, drive.direction),
                     drive.amplitude)  # fmt: skip
    part = system.points.get(drive.part) or system.bodies[drive.part]
    loads = part if drive.part in system.points else part.loads  # type: ignore[union-attr]
    key = "moment" if turns else "force"
    own = getattr(loads, key)
    if not isinstance(own, tuple) or not is_steady(own):
        raise InputError(f"'{drive.part}': its {key} already varies in time; leave that out for a {drive.kind} drive")
    changed: dict[str, Any] = {key: {**push, "ramp": 0.0, "mean": own}} if any(own) else {key: push}
    if drive.part in system.points:
        return system.replace(points={**system.points, drive.part: part.replace(**changed)})
    if key == "force" and any(loads.at):  # type: ignore[union-attr]
        if any(own):
            raise InputError(
                f"body '{drive.part}': with the method time, a force drive needs loads.at at the body's origin"
            )
        changed["at"] = (0.0, 0.0, 0.0)
    pushed = part.replace(loads=loads.replace(**changed))
    return system.replace(bodies={**system.bodies, drive.part: pushed})


def _unit(names: tuple[str, ...], name: str) -> list[float]:
    return [1.0 if other == name else 0.0 for other in names]
