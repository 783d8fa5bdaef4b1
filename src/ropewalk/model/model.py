"""Model: the input of kernels, as nested named tuples of read-only arrays."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ropewalk.model.bodies import Bodies, build_bodies
from ropewalk.model.environment import Sea, build_flow, fill_sea
from ropewalk.model.fields import UserFields, build_fields, build_laws, field_sea
from ropewalk.model.given import NOTHING, Given, at_time, build_given, build_pushes
from ropewalk.model.in_time import FunctionBook, Functions
from ropewalk.model.joints import MotionBook, Motions, Points, build_points
from ropewalk.model.lines import Lines, Sections, build_lines, build_sections
from ropewalk.model.links import Links, build_links
from ropewalk.model.nets import Grip, Nets, Ring, build_nets
from ropewalk.model.profiles import Profiles
from ropewalk.model.varying import vary_sections
from ropewalk.spec.collars import segment_name
from ropewalk.spec.environment import Environment
from ropewalk.spec.fields import NO_FIELDS, Fields
from ropewalk.spec.system import System


class Names(NamedTuple):
    """Names of the parts, in the order of the arrays."""

    points: tuple[str, ...]
    bodies: tuple[str, ...]
    lines: tuple[str, ...]
    sections: tuple[str, ...]
    winches: tuple[str, ...] = ()  # lines that have one
    links: tuple[str, ...] = ()


class Model(NamedTuple):
    """A case as arrays. No mesh, no step size, no solver choice."""

    names: Names
    sea: Sea
    sections: Sections
    profiles: Profiles  # of the sections that vary along s
    points: Points
    bodies: Bodies
    lines: Lines
    links: Links
    motions: Motions
    nets: Nets
    functions: Functions  # of time
    given: Given  # what changes in time of the loads in the arrays above, which are those at t = 0
    fields: UserFields  # functions of the user's own


def build(system: System, fields: Fields = NO_FIELDS) -> Model:
    """Turn the user's input into arrays for kernels.  fields : functions of the user"""
    book = FunctionBook()
    motions = MotionBook(book)
    points = build_points(system.points, motions)
    bodies = build_bodies(system.bodies, motions) if system.bodies else _no_bodies()
    lines = build_lines(system.lines, system.sections, system.points, system.bodies, system.rods, book)
    laws = build_laws(system, fields)
    by_section = {name: law for name, (law, _) in laws.items()}
    sections = build_sections(system.sections, system.environment.water_density, by_section)
    sections, lines, profiles, owner = vary_sections(system, sections, lines, fields.properties)
    functions_given = build_fields(system, fields, laws, owner)
    current, wind = build_flow(system.environment.current, book), build_flow(system.environment.wind, book)
    push, load_factor = build_pushes(system, book)
    functions = book.build()
    sea = field_sea(fill_sea(system.environment, current, wind, functions), system, functions_given)
    model = Model(
        names=Names(
            points=tuple(system.points),
            bodies=tuple(system.bodies),
            lines=tuple(system.lines),
            sections=tuple(system.sections),
            winches=tuple(name for name, line in system.lines.items() if line.payout is not None),
            links=tuple(system.links),
        ),
        sea=sea,
        sections=sections,
        profiles=profiles,
        points=points,
        bodies=bodies,
        lines=lines,
        links=build_links(system.links, system.bodies, points, bodies, list(system.points))
        if system.links
        else _no_links(),
        motions=motions.build(functions),
        nets=build_nets(system.nets, system.sections, system.environment, _grips(system, points, bodies))
        if system.nets
        else _no_nets(),
        functions=functions,
        given=NOTHING,
        fields=functions_given,
    )
    return at_time(model._replace(given=build_given(model, push, load_factor)), 0.0)


# What most cases have none of is built once: empty arrays are read-only like all others.


@cache
def _no_bodies() -> Bodies:
    return build_bodies({}, MotionBook(FunctionBook()))


@cache
def _no_links() -> Links:
    return build_links({}, {}, build_points({}, MotionBook(FunctionBook())), _no_bodies(), [])


@cache
def _no_nets() -> Nets:
    return build_nets({}, {}, Environment(), {})


def _grips(system: System, points: Points, bodies: Bodies) -> dict[str, Grip | Ring]:
    """Points, attachments of bodies and collars by their names in the file."""
    from ropewalk.model.state import rotation_matrix  # State is built of the Model, so it is looked up when used

    found: dict[str, Grip | Ring] = {
        name: Grip(k, -1, (0.0, 0.0, 0.0), points.position[k]) for k, name in enumerate(system.points)
    }
    for k, (name, body) in enumerate(system.bodies.items()):
        turn = rotation_matrix(bodies.quaternion[k])
        for key, at in body.attachments.items():
            found[f"{name}.{key}"] = Grip(-1, k, at, bodies.position[k] + turn @ np.array(at))
    names = list(system.bodies)
    for name, collar in system.collars.items():
        found[name] = Ring(collar, names.index(segment_name(name, 0)))
    return found
