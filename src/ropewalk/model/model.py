"""Model: everything kernels read, as nested named tuples of read-only arrays."""

from __future__ import annotations

from typing import NamedTuple

from ropewalk.model.bodies import Bodies, build_bodies
from ropewalk.model.environment import Sea, build_sea
from ropewalk.model.joints import MotionBook, Motions, Points, build_points
from ropewalk.model.lines import Lines, Sections, build_lines, build_sections
from ropewalk.model.links import Links, build_links
from ropewalk.model.nets import Nets, build_nets
from ropewalk.spec.system import System


class Names(NamedTuple):
    """Names of the parts, in the order of the arrays."""

    points: tuple[str, ...]
    bodies: tuple[str, ...]
    lines: tuple[str, ...]
    sections: tuple[str, ...]
    winches: tuple[str, ...] = ()  # lines that have one


class Model(NamedTuple):
    """A case as arrays. No mesh, no step size, no solver choice."""

    names: Names
    sea: Sea
    sections: Sections
    points: Points
    bodies: Bodies
    lines: Lines
    links: Links
    motions: Motions
    nets: Nets


def build(system: System) -> Model:
    """Turn what the user says into what kernels read."""
    motions = MotionBook()
    points = build_points(system.points, motions)
    bodies = build_bodies(system.bodies, motions)
    return Model(
        names=Names(
            points=tuple(system.points),
            bodies=tuple(system.bodies),
            lines=tuple(system.lines),
            sections=tuple(system.sections),
            winches=tuple(name for name, line in system.lines.items() if line.payout is not None),
        ),
        sea=build_sea(system.environment),
        sections=build_sections(system.sections),
        points=points,
        bodies=bodies,
        lines=build_lines(system.lines, system.sections, system.points, system.bodies, system.rods),
        links=build_links(system.links, system.bodies, points, bodies, list(system.points)),
        motions=motions.build(),
        nets=build_nets(system.nets, system.sections, list(system.points), system.environment, points.position),
    )
