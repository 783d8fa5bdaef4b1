r"""Cases for the response by simulation: the drive in place of the case's own motions and waves.

A force that varies in time is applied as a machine would: by a long soft line without mass whose far end is moved,
stretched at rest so that it never goes slack, its pull at rest taken off the part by a constant load. The force is then
the tension of that line; it is read from the run, so that its softness costs no accuracy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.analysis.response import Drive
from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.model.state import rotation_matrix
from ropewalk.spec.environment import RegularWaves
from ropewalk.spec.system import System

RAMP_PERIODS = 2  # over which a motion is brought in
TRANSLATIONS, ROTATIONS = ("x", "y", "z"), ("roll", "pitch", "yaw")
SOFT = 0.1  # stiffness of a pulling line over force and displacement of its part: the case keeps its own dynamics
TAUT = 2.0  # tension at rest over the amplitude of the force
LONG = 300.0  # length over the motion of the far end: the direction of the pull stays
THIN = 1e-6  # m, diameter of a pulling line: neither weight nor buoyancy
ARM = 1.0  # m, of the two pulling lines that make a moment
NAME = "pull of the drive"  # of the lines, points and sections that are added


@dataclass(frozen=True)
class Driven:
    """A case with its drive, and how the force in it is read."""

    system: System
    pulls: tuple[str, ...] = ()
    """Lines whose tension is the drive; none for motions and waves."""
    arm: float = 1.0
    """m, of each for a moment; 1 for a force."""


@dataclass(frozen=True)
class Rest:
    """Where the driven part is, and how far the linear answer says it goes."""

    position: Array
    quaternion: Array
    amplitude: complex
    """m or rad per drive, with exp(-i omega t)."""


def driven(system: System, omega: float, drive: Drive, rest: Rest | None = None) -> Driven:
    """The case with its drive in place of its own motions and waves.

    rest : of the part, for a force
    """
    if drive.kind == "waves":
        wave = RegularWaves(
            kind="regular", height=2.0 * drive.amplitude, period=2.0 * math.pi / omega, heading=drive.heading
        )
        return Driven(system.replace(environment=system.environment.replace(waves=wave)))
    if drive.part not in system.points and drive.part not in system.bodies:
        raise InputError(f"no point or body '{drive.part}'. There are: {', '.join((*system.points, *system.bodies))}")
    if drive.part in system.points and drive.direction in ROTATIONS:
        raise InputError(f"point '{drive.part}' cannot turn; say {', '.join(TRANSLATIONS)}")
    calm = system.replace(environment=system.environment.replace(waves=None))
    if drive.kind == "motion":
        return Driven(_moved(calm, omega, drive))
    if rest is None:
        raise ValueError("a force needs the rest of its part")
    return _pulled(calm, omega, drive, rest)


def _harmonic(direction: Any, amplitude: complex, omega: float) -> dict[str, Any]:
    """A motion whose complex amplitude is given."""
    term = {
        "direction": [float(c) for c in direction], "amplitude": abs(amplitude), "omega": omega,
        "phase": float(np.angle(amplitude)),
    }  # fmt: skip
    return {"kind": "harmonic", "ramp": RAMP_PERIODS * 2.0 * math.pi / omega, "terms": [term]}


def _moved(system: System, omega: float, drive: Drive) -> System:
    if drive.direction in ROTATIONS:
        turn = {"axis": _unit(ROTATIONS, drive.direction), "amplitude": math.degrees(drive.amplitude), "omega": omega}
        motion = {"kind": "harmonic", "ramp": RAMP_PERIODS * 2.0 * math.pi / omega, "rotations": [turn]}
    else:
        motion = _harmonic(_unit(TRANSLATIONS, drive.direction), drive.amplitude, omega)
    change = {"joint": "moving", "motion": motion}
    if drive.part in system.points:
        return system.replace(points={**system.points, drive.part: system.points[drive.part].replace(**change)})
    return system.replace(bodies={**system.bodies, drive.part: system.bodies[drive.part].replace(**change)})


def _unit(names: tuple[str, ...], name: str) -> list[float]:
    return [1.0 if other == name else 0.0 for other in names]


def _pulled(system: System, omega: float, drive: Drive, rest: Rest) -> Driven:
    """A force by one pulling line, a moment by two."""
    if drive.direction in TRANSLATIONS:
        ways = [(np.zeros(3), np.array(_unit(TRANSLATIONS, drive.direction)))]
        force, moved, arm = drive.amplitude, rest.amplitude, 1.0
    else:
        turn = ROTATIONS.index(drive.direction)
        along, across = np.eye(3)[(turn + 1) % 3], np.eye(3)[(turn + 2) % 3]
        ways = [(ARM * along, across), (-ARM * along, -across)]
        force, moved, arm = drive.amplitude / (2.0 * ARM), ARM * rest.amplitude, ARM
    if force == 0.0 or moved == 0.0:
        raise InputError(f"'{drive.part}' does not answer a {drive.kind} in {drive.direction}; nothing to simulate")
    k = SOFT * abs(force / moved)
    far = force / k + moved  # motion of the far end
    length, tension = LONG * abs(far), TAUT * abs(force)
    own = length - tension / k  # unstretched
    sections = {**system.sections, NAME: _section(k * own)}
    points: dict[str, Any] = dict(system.points)
    lines: dict[str, Any] = dict(system.lines)
    R = rotation_matrix(rest.quaternion)
    names, attachments = [], {}
    for i, (place, way) in enumerate(ways):
        name = f"{NAME} {i + 1}"
        end = rest.position + place + length * way
        points[name] = {"position": end.tolist(), "joint": "moving", "motion": _harmonic(way, far, omega)}
        attachments[name] = (R.T @ place).tolist()
        target = f"{drive.part}.{name}" if drive.part in system.bodies else drive.part
        pieces = [{"section": NAME, "length": own}]
        lines[name] = {"from": target, "to": name, "elements": 1, "pieces": pieces}
        names.append(name)
    bodies: dict[str, Any] = dict(system.bodies)
    if drive.part in system.points:
        point = system.points[drive.part]
        points[drive.part] = point.replace(force=_sum(point.force, -tension * ways[0][1]))
    else:
        bodies[drive.part] = _held_back(system.bodies[drive.part], drive.part, ways, tension, attachments)
    changed = system.model_dump(by_alias=True, exclude_unset=True)
    parts: dict[str, dict[str, Any]] = {"sections": sections, "points": points, "lines": lines, "bodies": bodies}
    changed.update({key: {name: _plain(part) for name, part in value.items()} for key, value in parts.items()})
    return Driven(System.model_validate(changed), tuple(names), arm)


def _section(stiffness: float) -> dict[str, Any]:
    return {"diameter": THIN, "mass": 0.0, "axial_stiffness": stiffness}


def _held_back(body: Any, name: str, ways: list[tuple[Array, Array]], tension: float, attachments: Any) -> Any:
    """The body with the constant load that keeps it at rest, and where the lines pull."""
    loads = body.loads
    if len(ways) == 1:
        if any(loads.at) and any(loads.force):
            raise InputError(f"body '{name}': a force drive by time needs loads.at at the body's origin")
        loads = loads.replace(force=_sum(loads.force, -tension * ways[0][1]), at=(0.0, 0.0, 0.0))
    else:
        couple = sum(np.cross(place, way) for place, way in ways)
        loads = loads.replace(moment=_sum(loads.moment, -tension * couple))
    return body.replace(loads=loads, attachments={**body.attachments, **attachments})


def _sum(vector: Any, change: Any) -> tuple[float, ...]:
    return tuple(float(a + b) for a, b in zip(vector, change, strict=True))


def _plain(part: Any) -> Any:
    return part if isinstance(part, dict) else part.model_dump(by_alias=True, exclude_unset=True)
