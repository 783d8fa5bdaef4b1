"""Arrays of rigid bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Ints, Records, floats, frozen, ints, joined, offsets
from ropewalk.model.foils import FOIL_ROW, foil_rows, given_angles
from ropewalk.model.in_time import steady_vector
from ropewalk.model.joints import FIXED, LOOSE, MOVING, UPRIGHT, MotionBook
from ropewalk.spec import bodies as spec
from ropewalk.spec.foils import Foil
from ropewalk.spec.hulls import Displacing, DragArea, SphereHull, Windage

HULL_WINDAGE, HULL_FOIL, HULL_DRAG = 1, 2, 3  # areas
HULL_AXISYMMETRIC, HULL_SPHERE = 4, 5  # displace water
LAST_AREA = HULL_DRAG  # hulls of all later kinds displace water
FEET_AROUND = 8  # feet on a section of a hull
SPHERE_RINGS = 16  # of a sphere from pole to pole

_JOINTS = {"fixed": FIXED, "free": LOOSE, "moving": MOVING, "coupled": MOVING}


class Hulls(NamedTuple):
    """Hulls, windage and drag areas, foils of all bodies, those of a body one after another; vectors in its frame."""

    body: Ints  # (h,) whose it is
    kind: Ints  # (h,) HULL_AXISYMMETRIC, HULL_SPHERE, HULL_WINDAGE, HULL_FOIL or HULL_DRAG
    foot_start: Ints  # (h + 1,)
    foot: Array  # (k, 3) places on which hulls stand; none of a sphere, which touches below its centre
    place: Array  # (h, 3) origin of a profile, centre of a sphere, or where wind, lift or drag act, m
    axis: Array  # (h, 3) unit, of a profile; to the leading edge of a foil
    radius: Array  # (h,) of a sphere, or of that which stands for a drag area at the surface, m
    profile_start: Ints  # (h + 1,)
    profile: Array  # (m, 2) z along the axis, radius, m; of sections that are not round, the circle of the same area
    drag_normal: Array  # (h,)
    drag_axial: Array  # (h,) a sphere has its one coefficient in both
    added_normal: Array  # (h,)
    added_axial: Array  # (h,)
    end_drag: Array  # (h, 2) of the discs at the first and last entry of a profile
    end_added: Array  # (h, 2)
    wind_drag: Array  # (h,)
    areas: Array  # (h, 3) of windage and drag areas, across x, y and z of the body, m2
    turning: Array  # (h, 3) of drag areas, about x, y and z of the body, m5
    normal: Array  # (h, 3) unit, to the side of a foil's lift
    area: Array  # (h,) of a foil, m2
    chord: Array  # (h,) its length, m
    given: Array  # (h, 2) angles of attack from which and to which its table goes, rad
    foil_start: Ints  # (h + 1,)
    foil: Records  # (f,) of FOIL_ROW of model/foils.py

    def shape(self, h: int) -> Array:
        """(m, 2) profile of hull h; without entries where it has none."""
        return self.profile[self.profile_start[h] : self.profile_start[h + 1]]

    def feet(self, h: int) -> Array:
        """(k, 3) places in the frame of its body on which hull h stands, m."""
        return self.foot[self.foot_start[h] : self.foot_start[h + 1]]

    def reach(self, h: int) -> float:
        """Distance from its place within which hull h lies, m."""
        ways = np.concatenate([np.hypot(*self.shape(h).T), np.linalg.norm(self.feet(h) - self.place[h], axis=1)])
        return max(float(self.radius[h]), float(ways.max(initial=0.0)))


class Bodies(NamedTuple):
    """Rigid bodies; vectors in the body frame unless noted otherwise."""

    position: Array  # (n, 3) of the origin, world, m
    quaternion: Array  # (n, 4) scalar first, body to world
    joint: Ints  # (n,) FIXED, LOOSE or MOVING
    motion: Ints  # (n,) index into Motions, -1 for none
    mass: Array  # (n,) point masses included, kg
    centre: Array  # (n, 3) of mass, point masses included, m
    inertia: Array  # (n, 3, 3) about the centre of mass, kg m2
    volume: Array  # (n,) of bodies without a hull, m3
    hull_start: Ints  # (n + 1,) into `hulls`
    hulls: Hulls
    load_force: Array  # (n, 3) world, N
    load_moment: Array  # (n, 3) world, about the origin, N m
    load_at: Array  # (n, 3) m
    stiffness: Array  # (n, 6, 6) world, about `position`
    damping: Array  # (n, 6, 6) world
    quadratic: Array  # (n, 6, 6) damping by the square of the velocities, world
    added_mass: Array  # (n, 6, 6)

    def hulls_of(self, k: int, *, windage: bool = False) -> list[int]:
        """Indices of the hulls of body k, on request with its windage and drag areas and foils."""
        own = range(int(self.hull_start[k]), int(self.hull_start[k + 1]))
        return [h for h in own if windage or self.hulls.kind[h] > LAST_AREA]

    def hull_size(self, k: int) -> float:
        """Largest dimension of the hulls of body k and of their distances from its origin, m; 0 without hulls."""
        hulls = self.hulls
        sizes = [
            (math.hypot(*hulls.place[h].tolist()), hulls.radius[h], np.abs(hulls.shape(h)).max(initial=0.0))
            for h in self.hulls_of(k, windage=True)
        ]
        return float(max((size for each in sizes for size in each), default=0.0))


def build_bodies(bodies: Mapping[str, spec.Body], motions: MotionBook) -> Bodies:
    """Arrays of all bodies, in the order of the file."""
    parts = list(bodies.values())
    masses = [_mass(body) for body in parts]
    rows, zero6 = [_parts(body) for body in parts], np.zeros((6, 6))
    return Bodies(
        position=floats([b.position for b in parts], (-1, 3)),
        quaternion=floats([quaternion_of(b.attitude) for b in parts], (-1, 4)),
        joint=ints([_JOINTS[b.joint] for b in parts]),
        motion=ints([motions.add(b.motion, b.joint) for b in parts]),
        mass=floats([m for m, _, _ in masses]),
        centre=floats([c for _, c, _ in masses], (-1, 3)),
        inertia=floats([i for _, _, i in masses], (-1, 3, 3)),
        volume=floats([b.volume for b in parts]),
        hull_start=offsets([len(own) for own in rows]),
        hulls=_hulls(rows),
        load_force=floats([steady_vector(b.loads.force) for b in parts], (-1, 3)),
        load_moment=floats([steady_vector(b.loads.moment) for b in parts], (-1, 3)),
        load_at=floats([b.loads.at for b in parts], (-1, 3)),
        stiffness=floats([zero6 if b.stiffness is None else b.stiffness for b in parts], (-1, 6, 6)),
        damping=floats([zero6 if b.damping is None else b.damping for b in parts], (-1, 6, 6)),
        quadratic=floats([zero6 if b.quadratic_damping is None else b.quadratic_damping for b in parts], (-1, 6, 6)),
        added_mass=floats([zero6 if b.added_mass is None else b.added_mass for b in parts], (-1, 6, 6)),
    )


def quaternion_of(attitude: tuple[float, float, float]) -> Array:
    """Quaternion of roll, pitch, yaw in degrees: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = (0.5 * math.radians(angle) for angle in attitude)
    cr, sr, cp, sp, cy, sy = (
        math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw),
    )  # fmt: skip
    quaternion: Array = np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )
    return quaternion


def axes_across(axis: Array) -> Array:
    """(2, 3) unit vectors across a hull's axis (3,) and each other; x and y for an upright one."""
    x = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) <= abs(axis[2]) else np.array([0.0, 0.0, -1.0])
    x = x - (x @ axis) * axis
    x = x / np.linalg.norm(x)
    across: Array = np.array([x, np.cross(axis, x)])
    return across


def hull_frame(axis: tuple[float, float, float] | Array) -> Array:
    """(3, 3) rotation from the frame of a profile, with z along the axis (3 numbers, of any length), to the body's."""
    if axis[0] == axis[1] == 0.0 and axis[2] > 0.0:
        return UPRIGHT
    unit = np.array(axis) / np.linalg.norm(axis)
    return np.column_stack([*axes_across(unit), unit])


def _hulls(by_body: list[list[dict[str, Any]]]) -> Hulls:
    """Hulls, windage and drag areas, foils of all bodies."""
    rows = [{"body": k} | row for k, own in enumerate(by_body) for row in own]

    def column(name: str, width: int = 1) -> Array:
        zero = 0.0 if width == 1 else (0.0,) * width
        return floats([row.get(name, zero) for row in rows], (-1,) if width == 1 else (-1, width))

    profiles: list[Any] = [row.get("profile", ()) for row in rows]
    feet = [row.get("feet", np.zeros((0, 3))) for row in rows]
    tables: list[Any] = [row.get("table", ()) for row in rows]
    return Hulls(
        body=ints([row["body"] for row in rows]),
        kind=ints([row["kind"] for row in rows]),
        foot_start=offsets([len(own) for own in feet]),
        foot=floats(np.concatenate([np.zeros((0, 3)), *feet])),
        place=column("place", 3),
        axis=column("axis", 3),
        radius=column("radius"),
        profile_start=offsets([len(profile) for profile in profiles]),
        profile=floats([entry for profile in profiles for entry in profile], (-1, 2)),
        drag_normal=column("drag_normal"),
        drag_axial=column("drag_axial"),
        added_normal=column("added_normal"),
        added_axial=column("added_axial"),
        end_drag=column("end_drag", 2),
        end_added=column("end_added", 2),
        wind_drag=column("wind_drag"),
        areas=column("areas", 3),
        turning=column("turning", 3),
        normal=column("normal", 3),
        area=column("area"),
        chord=column("chord"),
        given=column("given", 2),
        foil_start=offsets([len(table) for table in tables]),
        foil=frozen(joined([table for table in tables if len(table)], FOIL_ROW)),
    )


def _parts(body: spec.Body) -> list[dict[str, Any]]:
    """Rows of `Hulls` of one body."""
    return [*map(_hull, body.all_hulls), *map(_windage, body.windage), *map(_drag_area, body.drag_areas),
            *map(_foil, body.foils)]  # fmt: skip


def hull_rings(hull: Displacing, around: int) -> Array:
    """(k, around, 3) sections of a hull from its keel up, closed, in the frame of its body, m."""
    if isinstance(hull, SphereHull):
        rise = np.linspace(0.0, math.pi, SPHERE_RINGS + 1)
        z, r, place, frame = -hull.radius * np.cos(rise), hull.radius * np.sin(rise), hull.centre, UPRIGHT
    else:
        (z, r), place, frame = np.array(hull.profile).T, hull.position, hull_frame(hull.axis)
    turn = 2.0 * math.pi * np.arange(around) / around
    rings = np.stack([np.outer(r, np.cos(turn)), np.outer(r, np.sin(turn)), np.outer(z, np.ones(around))], axis=-1)
    turned: Array = rings @ frame.T + np.array(place)
    return turned


def _feet(hull: Displacing) -> Array:
    """(k, 3) places on the sections of a hull, one on those that are points, m."""
    rings = hull_rings(hull, FEET_AROUND)
    is_foot = np.ones(rings.shape[:2], dtype=bool)
    is_foot[:, 1:] = np.any(rings[:, 0] != rings[:, 1], axis=1)[:, None]
    feet: Array = rings[is_foot]
    return feet


def _hull(hull: Displacing) -> dict[str, Any]:
    """Row of `Hulls` by field names; omitted fields are zero."""
    if isinstance(hull, SphereHull):
        return {"kind": HULL_SPHERE, "place": hull.centre, "axis": (0.0, 0.0, 1.0), "radius": hull.radius,
                "drag_normal": hull.drag, "drag_axial": hull.drag, "added_normal": hull.added_mass,
                "added_axial": hull.added_mass, "wind_drag": hull.wind_drag}  # fmt: skip
    axis = np.array(hull.axis)
    row: dict[str, Any] = {"kind": HULL_AXISYMMETRIC, "place": hull.position, "axis": axis / np.linalg.norm(axis),
           "profile": hull.profile, "feet": _feet(hull), "drag_normal": hull.drag.normal, "drag_axial": hull.drag.axial,
           "added_normal": hull.added_mass.normal, "added_axial": hull.added_mass.axial,
           "wind_drag": hull.wind_drag}  # fmt: skip
    if hull.ends is not None:
        discs = (hull.ends.bottom, hull.ends.top)
        row["end_drag"], row["end_added"] = [d.drag for d in discs], [d.added_mass for d in discs]
    return row


def _windage(windage: Windage) -> dict[str, Any]:
    """As `_hull`, of an area that the wind acts on."""
    return {"kind": HULL_WINDAGE, "place": windage.position, "axis": (0.0, 0.0, 1.0),
            "wind_drag": windage.coefficient, "areas": windage.areas}  # fmt: skip


def _drag_area(drag: DragArea) -> dict[str, Any]:
    """As `_hull`, of a drag area."""
    return {"kind": HULL_DRAG, "place": drag.position, "axis": (0.0, 0.0, 1.0), "radius": drag.radius,
            "areas": drag.areas, "turning": drag.turnings}  # fmt: skip


def _foil(foil: Foil) -> dict[str, Any]:
    """As `_hull`, of a foil."""
    chord = np.array(foil.chord) / np.linalg.norm(foil.chord)
    normal = np.array(foil.normal) - (np.array(foil.normal) @ chord) * chord
    return {"kind": HULL_FOIL, "place": foil.position, "axis": chord, "normal": normal / np.linalg.norm(normal),
            "area": foil.area,
            "chord": foil.area / foil.breadth, "table": foil_rows(foil),
            "given": given_angles(foil.table)}  # fmt: skip


def _mass(body: spec.Body) -> tuple[float, Array, Array]:
    """Mass, centre and inertia about it, of the body with its point masses."""
    xx, yy, zz, xy, xz, yz = (*(body.inertia or (0.0, 0.0, 0.0)), 0.0, 0.0, 0.0)[:6]
    parts = [(body.mass, np.array(body.centre_of_mass), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))]
    parts += [(p.mass, np.array(p.position), np.zeros((3, 3))) for p in body.point_masses]
    total = sum(m for m, _, _ in parts)
    if total == 0.0:
        return 0.0, np.array(body.centre_of_mass), parts[0][2]
    centre: Array = np.sum([m * c for m, c, _ in parts], axis=0) / total
    inertia: Array = np.zeros((3, 3))
    for m, c, own in parts:
        d = c - centre
        inertia += own + m * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
    return total, centre, inertia
