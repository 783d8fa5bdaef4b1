"""Bodies of a case as bodies, rods and points of a MoorDyn file.

MoorDyn lets the volume of a body act at its centre of mass, a case at its origin: volumes go onto points of the body.
A hull that is one cylinder becomes a rod without mass on the body.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.attitudes import from_case, to_moordyn
from ropewalk.io.moordyn_write_rows import PointLine, Written, number
from ropewalk.model.in_time import steady_vector
from ropewalk.spec.bodies import Body
from ropewalk.spec.hulls import AxisymmetricHull, Displacing
from ropewalk.spec.system import System

ROD_SEGMENTS = 20  # of a cylinder


@dataclass
class BodyTables:
    """Rows of the tables of bodies."""

    bodies: list[list[str]] = field(default_factory=list)
    rods: list[list[str]] = field(default_factory=list)
    rod_types: list[list[str]] = field(default_factory=list)
    loads: list[list[str]] = field(default_factory=list)


def body_tables(system: System, points: list[PointLine], ends: dict[str, str], out: Written) -> BodyTables:
    """Rows of all bodies; their attachments, masses and volumes go to the points."""
    tables = BodyTables()
    for name, body in system.bodies.items():
        _refuse(name, body)
        number_of = len(tables.bodies) + 1
        tables.bodies.append(_body(number_of, name, body, out))
        word = f"Body{number_of}"
        for attachment, place in body.attachments.items():
            points.append(PointLine(word, place, name=f"{name}.{attachment}"))
            ends[f"{name}.{attachment}"] = str(len(points))
        for mass in body.point_masses:
            points.append(PointLine(word, mass.position, mass.mass, name=f"mass on {name}"))
        if any(body.loads.at):
            _lift(name, word, body, system, points)
        _loads(name, word, body, tables, out)
        if body.volume:
            points.append(PointLine(word, (0.0, 0.0, 0.0), volume=body.volume, name=f"volume of {name}"))
        for hull in body.all_hulls:
            _cylinder(name, word, hull, tables)
    return tables


def _refuse(name: str, body: Body) -> None:
    """What MoorDyn has no place for."""
    for hull in body.all_hulls:
        if not isinstance(hull, AxisymmetricHull):
            raise InputError(
                f"body '{name}': MoorDyn has no hulls of kind {hull.kind}; give a cylinder, or a volume without a hull"
            )
    if body.foils:
        raise InputError(f"body '{name}': MoorDyn has no foils; leave them out")
    if body.windage:
        raise InputError(f"body '{name}': MoorDyn has no wind; leave windage out")
    if len(body.drag_areas) > 1 or any(any(drag.position) for drag in body.drag_areas):
        raise InputError(f"body '{name}': MoorDyn takes one drag area, at the origin of a body; leave drag_areas out")
    if body.stiffness is not None:
        raise InputError(f"body '{name}': MoorDyn has no stiffness matrices; leave it out")
    if body.inertia is not None and any(body.inertia[3:]):
        raise InputError(f"body '{name}': MoorDyn takes principal moments only; turn the body's frame")
    if any(steady_vector(body.loads.moment)):
        raise InputError(f"body '{name}': MoorDyn has no moments on bodies; leave loads.moment out")
    if any(body.loads.at) and (any(steady_vector(body.loads.force)[:2]) or steady_vector(body.loads.force)[2] < 0.0):
        raise InputError(f"body '{name}': MoorDyn's forces act at the origin of a body; leave loads.at out")


def _body(k: int, name: str, body: Body, out: Written) -> list[str]:
    words = {"fixed": "Fixed", "free": "Free"}
    if body.joint == "moving":
        out.note(f"motion of body '{name}': it is Coupled, and the calling program moves it")
    if body.added_mass is not None:
        out.note(f"added_mass of body '{name}': MoorDyn takes it as multiples of the displaced mass only")
    angles = to_moordyn(from_case(body.attitude))
    centre = "|".join(number(c) for c in body.centre_of_mass)
    inertia = "|".join(number(c) for c in (body.inertia or (0.0, 0.0, 0.0))[:3])
    pose = map(number, (*body.position, *angles, body.mass))
    drag = "0.0"
    if body.drag_areas:
        drag = "|".join(number(c) for c in (*body.drag_areas[0].areas, *body.drag_areas[0].turnings))
    return [str(k), words.get(body.joint, "Coupled"), *pose, centre, inertia, "0.0", drag, "0.0", f"# {name}"]


def _loads(name: str, word: str, body: Body, tables: BodyTables, out: Written) -> None:
    """Force at the origin and damping of a body, as external loads."""
    force = (0.0, 0.0, 0.0) if any(body.loads.at) else steady_vector(body.loads.force)
    rows = [force]
    for key in ("damping", "quadratic_damping"):
        matrix = np.array(getattr(body, key) or np.zeros((6, 6)))
        if np.any(matrix != np.diag([*np.diag(matrix)[:3], 0.0, 0.0, 0.0])):
            out.note(f"{key} of body '{name}': MoorDyn-F takes that of translations along x, y and z only")
            matrix = np.zeros((6, 6))
        rows.append(tuple(np.diag(matrix)[:3]))
    if np.any(rows):
        columns = ["|".join(number(float(value)) for value in row) for row in rows]
        tables.loads.append([str(len(tables.loads) + 1), word, *columns, "G"])
        out.note(f"loads and damping of body '{name}' for MoorDyn-C, which reads no EXTERNAL LOADS; MoorDyn-F does")


def _lift(name: str, word: str, body: Body, system: System, points: list[PointLine]) -> None:
    """An upward force that acts away from the origin, as the volume that gives it."""
    lift, sea = steady_vector(body.loads.force)[2], system.environment
    per_volume = sea.water_density * sea.gravity
    if lift and per_volume == 0.0:
        raise InputError(f"body '{name}': an upward force needs water and gravity to be written as a volume")
    if lift:
        points.append(PointLine(word, body.loads.at, volume=lift / per_volume, name=f"upward force on {name}"))


def _cylinder(name: str, word: str, hull: Displacing, tables: BodyTables) -> None:
    """A rod without mass along the axis of a hull."""
    assert isinstance(hull, AxisymmetricHull)
    radii = {radius for _, radius in hull.profile}
    if len(radii) > 1:
        raise InputError(
            f"body '{name}': of hulls only a cylinder can be written, as a rod; its profile has {len(radii)} radii"
        )
    low, high = hull.profile[0][0], hull.profile[-1][0]
    d, length = 2.0 * radii.pop(), high - low
    kind = name.replace(" ", "_") + (f"_{len(tables.rods) + 1}" if tables.rods else "")
    ends = [0.5 * hull.drag.axial, hull.added_mass.axial * 1.5 * length / d]
    if hull.ends is not None:
        if hull.ends.bottom != hull.ends.top:
            raise InputError(f"body '{name}': MoorDyn has the same drag and added mass at both ends of a rod")
        ends = [ends[0] + hull.ends.top.drag, ends[1] + hull.ends.top.added_mass]
    values = (d, 0.0, hull.drag.normal, hull.added_mass.normal, *ends)
    tables.rod_types.append([kind, *map(number, values)])
    axis = np.array(hull.axis) / np.linalg.norm(hull.axis)
    places = map(number, (*(np.array(hull.position) + low * axis), *(np.array(hull.position) + high * axis)))
    tables.rods.append([str(len(tables.rods) + 1), kind, word, *places, str(ROD_SEGMENTS), "p", f"# hull of {name}"])
