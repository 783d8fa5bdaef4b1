"""What a case itself makes doubtful, whatever the method: units, nets, laws, coefficients that nobody gave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, islice
from typing import Literal

import numpy as np

from ropewalk.analysis.doubts import Doubt
from ropewalk.model.bodies import quaternion_of
from ropewalk.model.environment import bed_under
from ropewalk.model.state import rotation_matrix
from ropewalk.physics.elasticity import POLYNOMIAL, polynomial_law, tension
from ropewalk.physics.waves import wavenumber
from ropewalk.spec.environment import ComponentWaves, Environment, JonswapWaves, PiersonMoskowitzWaves, RegularWaves
from ropewalk.spec.joints import TableMotion
from ropewalk.spec.nets import KnotsPanel, Net, RectanglePanel, TrapezoidPanel
from ropewalk.spec.sections import PolynomialLaw
from ropewalk.spec.system import System

Question = Literal["static", "run"]

PLAUSIBLE_DENSITY = (500.0, 2000.0)  # kg/m3, of water and brines: others are given in another unit
STEEPEST = 0.142  # height over length of a wave that breaks in deep water: Miche's limit, [DNVC205], sec. 3.4.6
MOST_RECORDS = 1e6  # a gigabyte at 40 nodes
THICKEST = 3.0  # m: no rope, chain, tendon or hose is thicker
PLAUSIBLE_STRAIN = 0.1  # to which a law is expected to hold where no breaking load is given
FASTENED = 0.1  # of a panel's longer edge: how far a corner may be fastened from its place
SWAPPED = 0.5  # of the distances: by how much another order of the corners must shorten them
CORNERS = ("upper_left", "upper_right", "lower_right", "lower_left")
FALLS = 1e-9  # of the depth: round-off of a point on the bed
SUDDEN = 1e-3  # m/s at which a tabled motion may stop
# of the tests behind the fits, physics/screens.py; the last grows as (1 - S)^-2, beyond nets in use without any test
SOLIDITIES = {"loland": (0.13, 0.32), "aarsnes": (0.0, 0.35), "kristiansen_faltinsen": (0.0, 0.5)}
# beyond these a number is probably in another unit: m/s2, Jupiter has 24.8; m/s, the fastest tidal streams have 10
MOST_GRAVITY, FASTEST, LARGEST = 30.0, 12.0, 1e3  # the last in m, of a hull
# kg/m3, mass over the area of the diameter: foams have 30; studded chain has 28,000 with its nominal diameter
SECTION_DENSITY = (5.0, 60e3)
OTHER_SCREEN = "choose kristiansen_faltinsen"
MOST_DRAG = 20.0  # of a coefficient: 2.6 with a chain's nominal diameter and growth


def case_doubts(system: System, question: Question | None = None) -> list[Doubt]:
    """All doubts of a case, those about what acts in the question that is asked; None: in any.

    question : a static equilibrium has no added mass, and drag in a current only
    """
    return [
        *sea_doubts(system),
        *_units(system),
        *_below_bed(system),
        *_records(system),
        *_sections(system),
        *_nets(system),
        *_motions(system, question),
        *_defaulted(system, question),
    ]


def sea_doubts(system: System) -> Iterator[Doubt]:
    """Density in another unit, and waves that would have broken."""
    sea = system.environment
    low, high = PLAUSIBLE_DENSITY
    if sea.water_density and not low <= sea.water_density <= high:
        text = f"environment.water_density {sea.water_density:g} kg/m3 is not plausible for water; 0 means in air"
        yield Doubt("water-density", "", sea.water_density, low if sea.water_density < low else high, text)
    if isinstance(sea.waves, RegularWaves):
        yield from _broken(sea, sea.waves.height, sea.waves.period)
    elif isinstance(sea.waves, JonswapWaves | PiersonMoskowitzWaves):
        yield from _broken(sea, sea.waves.significant_height, sea.waves.peak_period)
    elif isinstance(sea.waves, ComponentWaves):
        yield from islice(_broken_components(sea, sea.waves), 1)


def _broken_components(sea: Environment, waves: ComponentWaves) -> Iterator[Doubt]:
    """Components that would have broken alone, or all of them together with the period of their mean energy."""
    energies = [0.5 * one.amplitude**2 for one in waves.components]
    if (whole := sum(energies)) > 0.0:
        period = sum(m * one.period for m, one in zip(energies, waves.components, strict=True)) / whole
        yield from _broken(sea, 4.0 * math.sqrt(whole), period)
    for one in waves.components:
        yield from _broken(sea, 2.0 * one.amplitude, one.period)


def _units(system: System) -> Iterator[Doubt]:
    """Numbers that are hardly in SI units."""
    sea = system.environment
    speeds = [speed for speed in (getattr(sea.current, "speed", None),) if isinstance(speed, int | float)]
    checks = [("gravity", "environment.gravity", sea.gravity, "m/s2", 0.0, MOST_GRAVITY)]
    checks += [("current", "environment.current.speed", speed, "m/s", 0.0, FASTEST) for speed in speeds]
    for name, section in system.sections.items():
        mass, drag = section.mass, getattr(section.drag, "normal", None)
        is_plain = section.catalogue is None and section.diameter <= THICKEST  # beyond, the diameter is doubted
        if is_plain and isinstance(mass, int | float) and mass > 0.0:
            density = mass / (0.25 * math.pi * section.diameter**2)
            checks.append((name, f"section '{name}': its mean density", density, "kg/m3", *SECTION_DENSITY))
        if isinstance(drag, int | float):
            checks.append((name, f"section '{name}': its normal drag coefficient", drag, "", 0.0, MOST_DRAG))
    for name, body in system.bodies.items():
        for hull in body.all_hulls:
            size = max(abs(float(x)) for row in getattr(hull, "profile", ((0.0,),)) for x in row)
            checks.append((name, f"body '{name}': its hull", size, "m", 0.0, LARGEST))
    for part, what, value, unit, low, high in checks:
        if not low <= value <= high:
            limit = low if value < low else high
            text = f"{what} is {value:.4g} {unit}".rstrip() + f" (limit {limit:g}); give kg, m, s and N"
            yield Doubt("units", part, value, limit, text)


def _broken(sea: Environment, height: float, period: float) -> Iterator[Doubt]:
    """Waves of this height (m) and period (s) that would have broken."""
    if sea.gravity == 0.0:
        return
    depth = sea.depth or math.inf
    k = float(wavenumber(math.tau / period, depth, sea.gravity))
    highest = STEEPEST * math.tau / k * math.tanh(k * depth)
    if height > highest:
        text = (
            f"environment.waves: {height:g} m at {period:g} s is above the breaking limit of "
            f"{highest:.3g} m; reduce the height, or increase the period"
        )
        yield Doubt("breaking-waves", "", height, highest, text)


def _below_bed(system: System) -> Iterator[Doubt]:
    sea = system.environment
    if not sea.has_seabed or sea.depth is None:
        return
    for name, point in system.points.items():
        bed = bed_under(sea, point.position)
        under = bed - point.position[2]
        if under > FALLS * sea.depth:
            text = (
                f"point '{name}' is {under:.4g} m below the seabed, where methods differ; put it at z = {bed:.6g}, or "
                "remove the bed (seabed: {kind: none})"
            )
            yield Doubt("below-bed", name, under, 0.0, text)


def _records(system: System) -> Iterator[Doubt]:
    """Records so far apart that the run is missed, or so near that they fill the disk."""
    if system.run is None:
        return
    every, kept = system.record.every, system.run.duration - system.record.start
    if every > kept > 0.0:
        text = (
            f"record.every {every:g} s is longer than the recorded time, {kept:g} s: only the first record will be kept"
        )
        yield Doubt("records", "", every, kept, text)
    elif (count := kept / every) > MOST_RECORDS:
        yield Doubt("records", "", count, MOST_RECORDS, f"record.every {every:g} s makes {count:.2g} records")


def _sections(system: System) -> Iterator[Doubt]:
    """Diameters in millimetres, and laws that fall before the section breaks."""
    for name, section in system.sections.items():
        if section.diameter > THICKEST:
            text = (
                f"section '{name}' is {section.diameter:g} m thick; lengths are in metres: is it "
                f"{1e-3 * section.diameter:g} m ({section.diameter:g} mm)?"
            )
            yield Doubt("diameter", name, section.diameter, THICKEST, text)
        if isinstance(section.axial_stiffness, PolynomialLaw):
            law = section.axial_stiffness
            parameters = polynomial_law(law.stiffness, law.coefficients)[1]
            limit = float(parameters[1])
            if not math.isfinite(limit):
                continue
            most = float(tension(limit, POLYNOMIAL, parameters, 0, parameters.size)[0])
            asked = section.breaking_load or law.stiffness * PLAUSIBLE_STRAIN
            if limit < PLAUSIBLE_STRAIN and most < asked:
                text = (
                    f"section '{name}': its polynomial law increases only to {most:.4g} N at a strain of {limit:.3g} "
                    "and "
                    "is linear beyond it; give a law that increases up to the breaking load, or a table"
                )
                yield Doubt("falling-law", name, most, asked, text)


def _nets(system: System) -> Iterator[Doubt]:
    """Corners fastened far from their places or in another order, and numbers that the force model does not read."""
    grips = {name: point.position for name, point in system.points.items()}
    for body_name, body in system.bodies.items():
        turn = rotation_matrix(quaternion_of(body.attitude))
        for place, at in body.attachments.items():
            x, y, z = (np.array(body.position) + turn @ np.array(at)).tolist()
            grips[f"{body_name}.{place}"] = (x, y, z)
    for name, net in system.nets.items():
        yield from _fastenings(name, net, grips)
        idle = sorted({"solidity", "wake"} & net.model_fields_set) if net.force_model == "morison" else []
        if idle:
            text = (
                f"net '{name}': {' and '.join(idle)} act on screens only, and force_model morison uses the drag of "
                "each twine; leave them out, or choose a screen (loland, aarsnes, kristiansen_faltinsen)"
            )
            yield Doubt("unused-coefficients", name, float(len(idle)), 0.0, text)
        if net.force_model in SOLIDITIES:
            solidity = net.solidity_with(system.sections[net.section].diameter)
            low, high = SOLIDITIES[net.force_model]
            if not low <= solidity <= high:
                text = (
                    f"net '{name}': its solidity {solidity:.3g} is outside the range of tests that force_model "
                    f"{net.force_model} was fitted to, {low:g} to {high:g}; "
                    + ("check twine and meshes" if net.force_model == "kristiansen_faltinsen" else OTHER_SCREEN)
                )
                yield Doubt("screen-range", name, solidity, low if solidity < low else high, text)


def _fastenings(name: str, net: Net, grips: dict[str, tuple[float, float, float]]) -> Iterator[Doubt]:
    """Corners and tied knots that are fastened far from where the panel has them, or in another order."""
    if isinstance(net.panel, KnotsPanel):
        knots, low, high = net.panel.knots, np.min(net.panel.knots, axis=0), np.max(net.panel.knots, axis=0)
        size = math.dist(low, high)
        held = {f"knot {tie.knot}": (knots[tie.knot], tie.to) for tie in net.panel.ties if tie.to in grips}
    elif isinstance(net.panel, RectanglePanel | TrapezoidPanel):
        places = dict(zip(CORNERS, net.panel.corners, strict=True))
        size = max(math.dist(net.panel.corners[0], net.panel.corners[k]) for k in (1, 3))
        held = {f"corner {corner}": (places[corner], to) for corner, to in net.fastened.items() if to in grips}
    else:  # points of a rim off their knots are refused
        return
    away = {part: math.dist(place, grips[to]) for part, (place, to) in held.items()}
    for one, other in combinations(held, 2) if net.fastened else ():
        (here, to), (there, at) = held[one], held[other]
        as_given, swapped = away[one] + away[other], math.dist(here, grips[at]) + math.dist(there, grips[to])
        if as_given > FASTENED * size and swapped < SWAPPED * as_given:
            text = (
                f"net '{name}': {one} is fastened at '{to}' and {other} at '{at}', {as_given:.3g} m from their places "
                f"in all; the other way round it would be {swapped:.3g} m: the panel is twisted"
            )
            yield Doubt("net-twisted", name, as_given, swapped, text)
            return
    for part, distance in away.items():
        if distance <= FASTENED * size:
            continue
        text = (
            f"net '{name}': its {part} is fastened at '{held[part][1]}', {distance:.3g} m from its nominal position on "
            f"a panel {size:.3g} m long; check the point"
        )
        yield Doubt("net-fastened-far", name, distance, FASTENED * size, text)


def _motions(system: System, question: Question | None) -> Iterator[Doubt]:
    """Tabled motions that end in full motion before the run does."""
    if system.run is None or question == "static":
        return
    moved = {name: point.motion for name, point in system.points.items()}
    moved |= {name: body.motion for name, body in system.bodies.items()}
    for name, motion in moved.items():
        if isinstance(motion, TableMotion) and motion.time[-1] < system.run.duration:
            step = motion.time[-1] - motion.time[-2]
            speed = math.dist(motion.displacement[-1], motion.displacement[-2]) / step
            if speed > SUDDEN:
                text = (
                    f"the motion of '{name}' ends at t = {motion.time[-1]:g} s with {speed:.3g} m/s and stops abruptly "
                    f"there; the run continues to {system.run.duration:g} s"
                )
                yield Doubt("motion-ends", name, speed, SUDDEN, text)


def _defaulted(system: System, question: Question | None) -> Iterator[Doubt]:
    """Drag and added mass that nobody gave, where they act."""
    sea = system.environment
    moves = question == "run" or (question is None and system.run is not None)
    drags = moves or sea.current is not None
    if sea.water_density == 0.0 or not drags:
        return
    used = {piece.section for line in system.lines.values() for piece in line.pieces}
    used |= {net.section for net in system.nets.values() if net.force_model == "morison"}
    acting = ["drag"] * drags + ["added_mass"] * moves
    found = []
    for name in sorted(used):
        section = system.sections[name]
        if section.catalogue is None and (gone := [key for key in acting if key not in section.model_fields_set]):
            words = {"drag": ("normal", "tangential"), "added_mass": ("normal",)}
            values = {key: ", ".join(f"{one} {getattr(getattr(section, key), one):g}" for one in words[key])
                      for key in gone}  # what is given may be a table, which has no plain number  # fmt: skip
            found.append(f"sections.{name}: " + ", ".join(f"{key} {values[key]}" for key in gone))
    for name, body in system.bodies.items():
        if body.joint == "fixed" and not drags:
            continue
        if body.volume and not body.all_hulls:
            found.append(f"bodies.{name}: {' and '.join(acting)} 0, as its volume has no hull")
        for i, hull in enumerate(body.all_hulls):
            if gone := [key for key in acting if key not in hull.model_fields_set]:
                where = f"hulls[{i}]" if body.hulls else "hull"
                found.append(f"bodies.{name}.{where}: {' and '.join(gone)}")
    if found:
        text = f"coefficients not given, defaults used: {'; '.join(found)}; give them, or 0 for none"
        yield Doubt("defaulted-coefficients", "", float(len(found)), 0.0, text)
