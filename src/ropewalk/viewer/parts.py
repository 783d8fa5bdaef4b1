"""Texts on the parts of a case, shown when they are picked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ropewalk.viewer.scene import Attached, Facts, Named
from ropewalk.viewer.shapes import hull

if TYPE_CHECKING:
    from ropewalk.spec.lines import Point
    from ropewalk.spec.system import System

ROUND_OFF = 1e-9  # of a length
GLYPH = 0.02  # of the picture: half size of a body that the file gives no size


def line_parts(system: System) -> tuple[Named, ...]:
    """Lines with their ends and pieces."""
    parts = []
    for name, line in system.lines.items():
        pieces = ", ".join(f"{piece.length:g} m {piece.section}" for piece in line.pieces)
        parts.append(Named(name, "line", (("from", line.from_), ("to", line.to), ("pieces", pieces))))
    return tuple(parts)


def attached(system: System) -> tuple[Attached, ...]:
    """What is fastened along lines, with a name: that of the file, or what it is."""
    rho, found = system.environment.water_density, []
    for k, line in enumerate(system.lines.values()):
        for item in line.attachments:
            kind = "float" if rho * item.volume > item.mass else "clump"
            label = getattr(item, "name", None) or f"{kind} {item.mass:g} kg"
            found.append(Attached(k, item.s, label, kind))
    return tuple(found)


def strength(system: System, line: str, s: float) -> float:
    """Breaking load (N) of a line at s (m from end A); 0 where its section gives none."""
    end = 0.0
    for piece in system.lines[line].pieces:
        end += piece.length
        if s <= end * (1.0 + ROUND_OFF):
            break
    return system.sections[piece.section].breaking_load or 0.0


def tracked(system: System) -> tuple[tuple[str, int], ...]:
    """Towed parts, whose paths are drawn: those with a tow or a table of motion, and the free parts of their lines."""
    towed = {
        name
        for parts in (system.points, system.bodies)
        for name, part in parts.items()  # type: ignore[attr-defined]
        if part.motion is not None and part.motion.kind in ("tow", "table")
    }
    if not towed:
        return ()
    ends = [{line.from_.partition(".")[0], line.to.partition(".")[0]} for line in system.lines.values()]
    wanted = towed.union(*(pair for pair in ends if pair & towed))
    return tuple(
        [("point", k) for k, name in enumerate(system.points) if name in wanted]
        + [("body", k) for k, name in enumerate(system.bodies) if name in wanted]
    )


def point_parts(system: System) -> tuple[Named, ...]:
    """Points; the kind is how they are held: fixed, free, moving, or a joint by components."""
    return tuple(Named(name, _joint(point), _point_facts(point)) for name, point in system.points.items())


def body_parts(system: System, size: float) -> tuple[Named, ...]:
    """Bodies with their hulls.  size : m, of the picture"""
    found = []
    for name, body in system.bodies.items():
        kinds = ", ".join(own.kind for own in body.all_hulls) or "none"
        facts = (("mass", f"{body.mass:g} kg"), ("hull", kinds))
        found.append(Named(name, body.joint, facts, hull(body, GLYPH * size)))
    return tuple(found)


def net_parts(system: System) -> tuple[Named, ...]:
    """Nets with their meshes."""
    return tuple(
        Named(name, "net", (("mesh", f"{net.mesh}, {net.bar_length:g} m"), ("twine", net.section)))
        for name, net in system.nets.items()
    )


def rod_parts(system: System) -> tuple[Named, ...]:
    """Rods."""
    return tuple(Named(name, "rod", (("section", rod.section.kind),)) for name, rod in system.rods.items())


def _joint(point: Point) -> str:
    if isinstance(point.joint, str):
        return point.joint
    axes = {kind if isinstance(kind, str) else type(kind).__name__ for kind in _axes(point)}
    return "sprung" if axes - {"held", "free", "AxisForce"} else ("fixed" if axes == {"held"} else "sliding")


def _axes(point: Point) -> list[object]:
    assert not isinstance(point.joint, str)
    return [point.joint.axes.x, point.joint.axes.y, point.joint.axes.z]


def _point_facts(point: Point) -> Facts:
    facts = [("held", _joint(point))]
    if not isinstance(point.joint, str):
        facts += [(f"along {axis}", _axis(kind)) for axis, kind in zip("xyz", _axes(point), strict=True)]
    if point.mass > 0.0:
        facts.append(("mass", f"{point.mass:g} kg"))
    if point.volume > 0.0:
        facts.append(("volume", f"{point.volume:g} m³"))
    return tuple(facts)


def _axis(kind: object) -> str:
    from ropewalk.spec.joints import AxisForce, AxisSpring

    if isinstance(kind, AxisForce):
        return f"force {kind.force:g} N"
    return f"spring {kind.spring:g} N/m" if isinstance(kind, AxisSpring) else str(kind)
