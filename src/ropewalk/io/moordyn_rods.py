"""Bodies and rigid rods of MoorDyn as bodies of a case.

A rod is a cylinder: a body with an axisymmetric hull along its own axis, origin at end A. A rod on a free body is
linked to it rigidly, a pinned one by a ball at end A; on a body that is held it is only where lines are fastened.
Drag and added mass along the axis are those of the two end faces, CdEnd on pi d^2/4 and CaEnd of a half sphere each
[MoorDyn2025].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ropewalk.io.attitudes import along
from ropewalk.io.conversion import Ledger, coupled_joint
from ropewalk.io.messages import shown
from ropewalk.io.moordyn_tables import PointRow, RodRow, RodType, Tables
from ropewalk.model.arrays import Array

SMALLEST = 1e-9  # m; a rod shorter than this is a point


@dataclass
class Carrier:
    """A body in the making: what is fastened to it adds masses, volumes and attachments."""

    name: str
    part: dict[str, Any]
    line: int
    volume: float
    moment: Array  # (3,) sum of volumes times places, m4
    rotation: Array  # (3, 3) body to world
    driven: bool = False  # by a caller who takes the force of its rods
    added: Array = field(default_factory=lambda: np.zeros((6, 6)))
    force: Array = field(default_factory=lambda: np.zeros(3))
    damping: Array = field(default_factory=lambda: np.zeros(3))
    quadratic: Array = field(default_factory=lambda: np.zeros(3))

    @property
    def held(self) -> bool:
        """Whether nothing can move it, and nobody takes the force on it."""
        return bool(self.part["joint"] != "free") and not self.driven

    @property
    def position(self) -> Array:
        """Of its origin, m."""
        return np.array(self.part["position"], dtype=float)

    def attach(self, name: str, place: Array) -> str:
        """Fasten something; gives the name of the end for lines."""
        self.part.setdefault("attachments", {})[name] = [float(c) for c in place]
        return f"{self.name}.{name}"

    def lump(self, name: str, place: Array, point: PointRow, sea: dict[str, Any]) -> None:
        """A point on the body: an attachment with its mass, volume and added mass."""
        self.attach(name, place)
        if point.mass:
            masses = self.part.setdefault("point_masses", [])
            masses.append({"mass": point.mass, "position": [float(c) for c in place]})
        self.volume += point.volume
        self.moment = self.moment + point.volume * place
        added = point.added_mass * sea["water_density"] * point.volume
        if added:
            self.added += added * _about(place)

    def put(self, ledger: Ledger, sea: dict[str, Any]) -> None:
        """Write the body into the case."""
        part = self.part
        self._buoyancy(ledger, sea)
        if np.any(self.added):
            part["added_mass"] = _rows(self.added)
        for key, values in (("damping", self.damping), ("quadratic_damping", self.quadratic)):
            if np.any(values):
                part[key] = _rows(np.diag([*values, 0.0, 0.0, 0.0]))
        for key in ("attitude", "centre_of_mass", "inertia"):
            if key in part and not any(part[key]):
                del part[key]
        ledger.put("bodies", self.name, part, self.line)

    def _buoyancy(self, ledger: Ledger, sea: dict[str, Any]) -> None:
        """Volumes that are always submerged act as one upward force where they have their centre."""
        part = self.part
        if self.volume == 0.0 or (self.held and part.get("hull") is None and not np.any(self.force)):
            if np.any(self.force):
                part["loads"] = {"force": [float(f) for f in self.force]}
            return
        centre = self.moment / self.volume
        if np.all(np.abs(centre) <= SMALLEST):
            part["volume"] = self.volume
            if np.any(self.force):
                part["loads"] = {"force": [float(f) for f in self.force]}
            return
        if np.any(self.force):
            ledger.refuse(self.line, f"{self.name} has a force at its origin and buoyancy elsewhere; a case has one")
            return
        lift = sea["water_density"] * sea["gravity"] * self.volume
        part["loads"] = {"force": [0.0, 0.0, lift], "at": [float(c) for c in centre]}
        sentence = f"{self.volume:g} m3 of {self.name} as an upward force where they have their centre (MoorDyn: at CG)"
        ledger.note("converted", self.line, sentence)


def put_rods(
    tables: Tables,
    ledger: Ledger,
    carriers: dict[tuple[str, int], Carrier],
    ends: dict[tuple[str, int], str],
) -> None:
    """Put every rod into the case."""
    for number, rod in tables.rods.items():
        with ledger.row():
            a, b = np.array(rod.a), np.array(rod.b)
            if rod.segments == 0 or float(np.linalg.norm(b - a)) < SMALLEST:
                _short_rod(number, rod, ledger, carriers, ends)
            elif rod.attachment.kind.split()[0] in ("body", "turbine"):
                _rod_on_body(number, rod, tables.rod_types[rod.type], ledger, carriers, ends)
            else:
                _rod(number, rod, tables.rod_types[rod.type], ledger, carriers, ends)


def _carrier(rod: RodRow, carriers: dict[tuple[str, int], Carrier]) -> Carrier:
    kind = rod.attachment.kind.split()[0]
    carrier = carriers.get((kind, rod.attachment.number))
    if carrier is None:
        raise rod.row[2].refuse(f"there is no {kind} {rod.attachment.number}", "Attachment")
    return carrier


def _short_rod(
    number: int,
    rod: RodRow,
    ledger: Ledger,
    carriers: dict[tuple[str, int], Carrier],
    ends: dict[tuple[str, int], str],
) -> None:
    """A rod without length, which clamps lines that bend: a point, as ropes do not bend."""
    kind, name = rod.attachment.kind, f"rod{number}"
    if kind.split()[0] in ("body", "turbine"):
        place = _carrier(rod, carriers).attach(name, np.array(rod.a))
    else:
        joint = "free" if kind == "free" else "fixed" if kind in ("fixed", "pinned") else coupled_joint()
        ledger.put("points", name, {"position": list(rod.a), "joint": joint}, rod.row.line)
        place = name
    ends["rod a", number] = ends["rod b", number] = place
    ledger.note("converted", rod.row.line, f"rod {number}, which has no length, is a point: ropes carry no moment")


def _rod_on_body(
    number: int,
    rod: RodRow,
    kind: RodType,
    ledger: Ledger,
    carriers: dict[tuple[str, int], Carrier],
    ends: dict[tuple[str, int], str],
) -> None:
    carrier, pinned = _carrier(rod, carriers), rod.attachment.kind.endswith("pinned")
    a, b, line = np.array(rod.a), np.array(rod.b), rod.row.line
    if carrier.held and not pinned:
        ends["rod a", number] = carrier.attach(f"rod{number}a", a)
        ends["rod b", number] = carrier.attach(f"rod{number}b", b)
        sentence = f"mass, buoyancy and drag of rod {number}: {carrier.name} is held, so they do not affect the lines"
        ledger.note("left out", line, sentence)
        return
    name = f"rod{number}"
    world_a = carrier.position + carrier.rotation @ a
    world_b = carrier.position + carrier.rotation @ b
    made = _cylinder(name, world_a, world_b, kind, line)
    carriers["rod", number] = made
    ends["rod a", number], ends["rod b", number] = f"{name}.a", f"{name}.b"
    grip = carrier.attach(name, a)
    link = {"kind": "ball" if pinned else "rigid", "between": [f"{name}.a", grip]}
    ledger.put("links", name, link, line)
    how = "by a ball at end A" if pinned else "rigidly"
    ledger.note("converted", line, f"rod {number} is a body with a cylindrical hull, linked {how} to {carrier.name}")


def _rod(
    number: int,
    rod: RodRow,
    kind: RodType,
    ledger: Ledger,
    carriers: dict[tuple[str, int], Carrier],
    ends: dict[tuple[str, int], str],
) -> None:
    how, name, line = rod.attachment.kind, f"rod{number}", rod.row.line
    if how not in ("fixed", "coupled", "free", "pinned", "coupled pinned"):
        raise rod.row[2].refuse(f"a rod cannot be {shown(rod.row[2].text)}", "Attachment")
    made = _cylinder(name, np.array(rod.a), np.array(rod.b), kind, line)
    made.part["joint"] = {"fixed": "fixed", "coupled": coupled_joint()}.get(how, "free")
    carriers["rod", number] = made
    ends["rod a", number], ends["rod b", number] = f"{name}.a", f"{name}.b"
    if how.endswith("pinned"):
        joint = "fixed" if how == "pinned" else coupled_joint()
        ledger.put("points", f"{name}_pin", {"position": list(rod.a), "joint": joint}, line)
        ledger.put("links", name, {"kind": "ball", "between": [f"{name}.a", f"{name}_pin"]}, line)
    ledger.note("converted", line, f"rod {number} is a body with a cylindrical hull, origin at end A")


def _cylinder(name: str, a: Array, b: Array, kind: RodType, line: int) -> Carrier:
    length = float(np.linalg.norm(b - a))
    radius, mass = 0.5 * kind.diameter, kind.mass * length
    across = mass * (length**2 / 12.0 + radius**2 / 4.0)
    part: dict[str, Any] = {
        "mass": mass,
        "inertia": [across, across, 0.5 * mass * radius**2],
        "centre_of_mass": [0.0, 0.0, 0.5 * length],
        "position": [float(c) for c in a],
        "attitude": along(b - a),
        "joint": "free",
        "attachments": {"a": [0.0, 0.0, 0.0], "b": [0.0, 0.0, length]},
    }
    if radius > 0.0:
        part["hull"] = {
            "kind": "axisymmetric",
            "profile": [[0.0, radius], [length, radius]],
            "drag": {"normal": kind.drag[0]},
            "added_mass": {"normal": kind.added_mass[0]},
        }
        face = {"drag": kind.drag[1], "added_mass": kind.added_mass[1]}
        if any(face.values()):
            part["hull"]["ends"] = {"bottom": face, "top": dict(face)}
    return Carrier(name, part, line, 0.0, np.zeros(3), np.eye(3))


def _about(place: Array) -> Array:
    """The 6 x 6 mass matrix of a unit mass at a place, about the origin."""
    x, y, z = place
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[np.eye(3), -cross], [cross, -cross @ cross]])


def _rows(matrix: Array) -> list[list[float]]:
    return [[float(value) if math.isfinite(value) else 0.0 for value in row] for row in matrix]
