"""What a right case may still get wrong: remarks, not errors."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.model.model import build
from ropewalk.model.state import end_positions
from ropewalk.spec.bodies import AxisymmetricHull, SphereHull
from ropewalk.spec.system import System

LONGEST_PLAUSIBLE_STRETCH = 0.1  # of the length: more between fixed ends is more likely a slip of the pen


def remarks(system: System) -> list[str]:
    """Sentences about things that are allowed but look wrong."""
    return [*_unused(system), *_lengths(system), *_below_bed(system), *_outside_hull(system)]


def _unused(system: System) -> list[str]:
    used = {piece.section for line in system.lines.values() for piece in line.pieces}
    used |= {net.section for net in system.nets.values()}
    ends = {end for line in system.lines.values() for end in (line.from_, line.to)}
    return [
        *(f"section '{name}' is not used" for name in system.sections if name not in used),
        *(f"point '{name}' has no line" for name in system.points if name not in ends),
    ]


def _lengths(system: System) -> list[str]:
    model = build(system)
    ends = end_positions(model, model.points.position, model.bodies.position, model.bodies.quaternion)
    found = []
    for k, (name, line) in enumerate(system.lines.items()):
        held = all(system.points[e].joint == "fixed" for e in (line.from_, line.to) if e in system.points)
        held = held and all(
            system.bodies[e.partition(".")[0]].joint == "fixed" for e in (line.from_, line.to) if "." in e
        )
        apart = float(np.linalg.norm(ends[k, 1] - ends[k, 0]))
        stiff = all(system.sections[p.section].axial_stiffness == "inextensible" for p in line.pieces)
        if held and stiff and apart > line.length:
            found.append(
                f"line '{name}': length {line.length:.6g} m is shorter than the {apart:.6g} m between its ends; "
                "lengthen it or give it axial_stiffness"
            )
        elif held and apart > (1.0 + LONGEST_PLAUSIBLE_STRETCH) * line.length:
            found.append(f"line '{name}' is stretched from {line.length:.6g} m to {apart:.6g} m between its ends")
    return found


def _is_fixed(system: System, end: str) -> bool:
    part = system.points[end] if end in system.points else system.bodies[end.partition(".")[0]]
    return part.joint == "fixed"


def _below_bed(system: System) -> list[str]:
    if not system.environment.has_seabed:
        return []
    depth = system.environment.depth or math.inf
    return [
        f"point '{name}' is {-depth - point.position[2]:.4g} m below the seabed"
        for name, point in system.points.items()
        if point.position[2] < -depth * (1.0 + 1e-12)
    ]


def _outside_hull(system: System) -> list[str]:
    found = []
    for name, body in system.bodies.items():
        for attachment, (x, y, z) in body.attachments.items():
            radius = math.hypot(x, y)
            if isinstance(body.hull, AxisymmetricHull):
                zs, rs = zip(*body.hull.profile, strict=True)
                outside = not zs[0] - 1e-9 <= z <= zs[-1] + 1e-9 or radius > np.interp(z, zs, rs) + 1e-9
            elif isinstance(body.hull, SphereHull):
                outside = math.dist((x, y, z), body.hull.centre) > body.hull.radius * (1.0 + 1e-9)
            else:
                continue
            if outside:
                found.append(f"body '{name}': attachment '{attachment}' lies outside the hull")
    return found
