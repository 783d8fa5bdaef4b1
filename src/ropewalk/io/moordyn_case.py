"""Tables of a MoorDyn file to the parts of a case."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.io.attitudes import from_moordyn, to_case
from ropewalk.io.columns import Word
from ropewalk.io.conversion import Ledger, Wishes, coupled_joint, damping_time
from ropewalk.io.messages import shown
from ropewalk.io.moordyn_bed import mean_depth, read_bed
from ropewalk.io.moordyn_rods import Carrier, put_rods
from ropewalk.io.moordyn_ropes import is_rope, static_type, stiffness
from ropewalk.io.moordyn_tables import (
    Attachment,
    BodyRow,
    FailureRow,
    LineRow,
    LineType,
    LoadRow,
    Option,
    PointRow,
    RodRow,
    Tables,
)
from ropewalk.io.moordyn_water import water

GRAVITY, WATER_DENSITY = 9.80665, 1025.0  # m/s2, kg/m3: MoorDyn's defaults
MOORPY_GRAVITY = 9.81  # m/s2, the default of MoorPy
BOTTOM_STIFFNESS, BOTTOM_DAMPING = 3.0e6, 3.0e5  # Pa/m, Pa s/m: MoorDyn's defaults
LEAST_DEPTH = 1.0  # m, for waves over a grid whose mean lies above the surface
_BED = (("bottom stiffness", "stiffness", "Pa/m"), ("bottom damping", "damping", "Pa s/m"))


def build_case(tables: Tables, ledger: Ledger, wishes: Wishes, folder: Path) -> None:
    """Put every part of the file into the case."""
    if tables.title:
        ledger.data["title"] = tables.title
    sea = _environment(tables, ledger, wishes, folder)
    ends: dict[tuple[str, int], str] = {}
    carriers = _bodies(tables, ledger, wishes, sea)
    _turbines(tables, ledger, wishes, carriers)
    put_rods(tables, ledger, carriers, ends)
    _points(tables, ledger, sea, carriers, ends)
    for load in tables.loads:
        with ledger.row():
            _load(load, ledger, carriers)
    for carrier in carriers.values():
        carrier.put(ledger, sea)
    _lines(tables, ledger, wishes, folder, ends)
    for failure in tables.failures:
        with ledger.row():
            _failure(failure, tables, ledger)


# --- environment ---


def _environment(tables: Tables, ledger: Ledger, wishes: Wishes, folder: Path) -> dict[str, Any]:
    options = tables.options

    def option(key: str, default: float, *, least: float | None = None) -> float:
        given = options.get(key)
        if given is None:
            return default
        with ledger.row():
            return given.value.number(key, least=least)
        return default

    gravity, whose = (MOORPY_GRAVITY, "MoorPy") if tables.moorpy else (GRAVITY, "MoorDyn")
    sea: dict[str, Any] = {}
    for key, name, default, unit in (
        ("gravity", "gravity", gravity, "m/s2"),
        ("water density", "water_density", WATER_DENSITY, "kg/m3"),
    ):
        wished = getattr(wishes, name)
        sea[name] = option(key, default, least=0.0) if wished is None else wished
        if key not in options and wished is None:
            ledger.note("assumed", 0, f"{key} {default:g} {unit}, {whose}'s default")
    bed = _bathymetry(tables, ledger, wishes, folder)
    sea["depth"] = _depth(tables, ledger, wishes, bed)
    friction = option("friction", 0.0, least=0.0)
    if "transverse friction" in options:
        across = option("transverse friction", 0.0, least=0.0)
        line = options["transverse friction"].row.line
        if across != friction:
            ledger.refuse(line, f"friction {across:g} across and {friction:g} along lines; a case has one coefficient")
    sea["seabed"] = {
        "stiffness": option("bottom stiffness", BOTTOM_STIFFNESS, least=0.0),
        "damping": option("bottom damping", BOTTOM_DAMPING, least=0.0),
        "friction": friction,
        **bed,
    }
    defaults = [f"{key} {sea['seabed'][name]:g} {unit}" for key, name, unit in _BED if key not in options]
    if defaults:
        ledger.note("assumed", 0, f"{' and '.join(defaults)}, MoorDyn's default")
    if friction > 0.0:
        sea["seabed"]["pulled"] = False
        ledger.note(
            "converted",
            options["friction"].row.line if "friction" in options else 0,
            f"friction {friction:g}: in MoorDyn it increases with speed and vanishes at rest, so it does not act in "
            "equilibrium (pulled: false); give pulled: true for lines that were pulled in",
        )
    sea.update(water(tables, ledger, folder, still=wishes.still_water))
    every = option("output step", 0.0, least=0.0)
    if every > 0.0:
        ledger.data["record"] = {"every": every}
    if "inertia of coupled parts" in options:
        ledger.note("left out", options["inertia of coupled parts"].row.line, "inertialF: forces include all inertia")
    ledger.data["environment"] = sea
    return sea


def _names_file(option: Option) -> bool:
    return not option.value.is_number and "." in option.value.text


def _bathymetry(tables: Tables, ledger: Ledger, wishes: Wishes, folder: Path) -> dict[str, Any]:
    """The bed on a grid, if the file names one; a depth that the user gives is that of a level bed."""
    option, depth = tables.options.get("bathymetry"), tables.options.get("depth")
    if option is None and depth is not None and _names_file(depth):
        option = depth
    if option is None:
        return {}
    if wishes.depth is not None:
        text = f"bathymetry {shown(option.value.text)}: the bed is level at {wishes.depth:g} m"
        ledger.note("left out", option.row.line, text)
        return {}
    with ledger.row():
        return read_bed(option, ledger, folder)
    return {}


def _depth(tables: Tables, ledger: Ledger, wishes: Wishes, bed: dict[str, Any]) -> float:
    """Depth of the file or the user; of a grid its mean; MoorDyn lowers it to the lowest point."""
    given = tables.options.get("depth")
    depth = 0.0
    if wishes.depth is not None:
        depth = wishes.depth
    elif given is not None and _names_file(given) and not bed:
        return 1.0  # refused already
    elif bed and (given is None or _names_file(given)):
        depth = max(mean_depth(bed), LEAST_DEPTH)
        ledger.note("assumed", 0, f"depth {depth:g} m for waves and current, the mean of the bathymetry")
        return depth
    elif given is not None:
        with ledger.row():
            depth = given.value.number("WtrDpth", least=0.0)
    heights = [point.position[2] for point in tables.points.values() if point.attachment.kind != "body"]
    finite = [z for z in heights if math.isfinite(z)]
    lowest = -min(finite, default=0.0)
    if depth < lowest:
        if given is None and wishes.depth is None:
            ledger.note("assumed", 0, f"depth {lowest:g} m, that of the lowest point, as MoorDyn does; or give --depth")
        else:
            ledger.note(
                "converted", 0, f"depth {lowest:g} m in place of {depth:g} m: MoorDyn lowers it to the lowest point"
            )
        depth = lowest
    if depth <= 0.0:
        ledger.refuse(given.row.line if given else 1, "no water depth (WtrDpth) above 0 m; give --depth")
        return 1.0
    return depth


# --- bodies ---


def _bodies(tables: Tables, ledger: Ledger, wishes: Wishes, sea: dict[str, Any]) -> dict[tuple[str, int], Carrier]:
    carriers: dict[tuple[str, int], Carrier] = {}
    for number, body in tables.bodies.items():
        with ledger.row():
            carriers["body", number] = _body(number, body, ledger, wishes, sea)
    return carriers


def _body(number: int, body: BodyRow, ledger: Ledger, wishes: Wishes, sea: dict[str, Any]) -> Carrier:
    kind, name = body.attachment.kind, f"body{number}"
    joints = {"fixed": "fixed", "coupled": coupled_joint(), "free": "free", "coupled pinned": "free"}
    if kind not in joints:
        raise body.row[1].refuse(
            f"a body cannot be {shown(body.row[1].text)}; use Fixed, Coupled or Free", "Attachment"
        )
    rotation, driven = from_moordyn(body.angles), kind == "coupled" and wishes.driven
    if driven:  # as in MoorDyn, its own mass, volume and drag are the caller's
        nothing = (0.0, 0.0, 0.0)
        body = replace(body, mass=0.0, centre=nothing, inertia=nothing, volume=0.0, drag=nothing + nothing)
    part: dict[str, Any] = {
        "mass": body.mass,
        "inertia": list(body.inertia),
        "centre_of_mass": list(body.centre),
        "position": list(body.position),
        "attitude": to_case(rotation),
        "joint": joints[kind],
    }
    if kind.startswith("coupled"):
        ledger.note(
            "converted",
            body.row.line,
            f"body {number} is `joint: coupled`: held where it is given unless a program moves it",
        )
    if np.count_nonzero(np.array(body.angles)) > 1:
        ledger.note(
            "converted", body.row.line, f"angles {body.angles} of MoorDyn (Rx Ry Rz) as roll, pitch, yaw (Rz Ry Rx)"
        )
    moment = np.array(body.centre) * body.volume
    carrier = Carrier(name, part, body.row.line, body.volume, moment, rotation, driven)
    if body.volume > 0.0:
        carrier.added[:3, :3] += np.diag(body.added_mass) * sea["water_density"] * body.volume
    if any(body.drag) and not carrier.held:
        part["drag_areas"] = [{"area": list(body.drag[:3]), "turning": list(body.drag[3:])}]
    if kind == "coupled pinned":
        ledger.put("points", f"{name}_pin", {"position": list(body.position), "joint": coupled_joint()}, body.row.line)
        part.setdefault("attachments", {})["pin"] = [0.0, 0.0, 0.0]
        ledger.put("links", f"{name}_pin", {"kind": "ball", "between": [f"{name}.pin", f"{name}_pin"]}, body.row.line)
    return carrier


def _turbines(tables: Tables, ledger: Ledger, wishes: Wishes, carriers: dict[tuple[str, int], Carrier]) -> None:
    """Platforms of a farm, which the file only numbers: bodies that are held where the user puts them."""
    rows: list[PointRow | RodRow] = [*tables.points.values(), *tables.rods.values()]
    for row in rows:
        if not row.attachment.kind.startswith("turbine"):
            continue
        number, line = row.attachment.number, row.row.line
        if number not in wishes.turbines:
            ledger.refuse(line, f"turbine {number}: the file gives no position; give --turbine {number}=X,Y,Z")
        elif ("turbine", number) not in carriers:
            place = list(wishes.turbines[number])
            part = {"mass": 0.0, "position": place, "joint": coupled_joint()}
            carriers["turbine", number] = Carrier(f"turbine{number}", part, line, 0.0, np.zeros(3), np.eye(3))


# --- points ---


def _points(
    tables: Tables,
    ledger: Ledger,
    sea: dict[str, Any],
    carriers: dict[tuple[str, int], Carrier],
    ends: dict[tuple[str, int], str],
) -> None:
    held = []
    for number, point in tables.points.items():
        with ledger.row():
            kind, line, name = point.attachment.kind, point.row.line, f"point{number}"
            position = [z if math.isfinite(z) else -sea["depth"] for z in point.position]
            if kind in ("body", "turbine"):
                carrier = carrier_of(point.attachment, carriers, point.row[1])
                carrier.lump(name, np.array(position), point, sea)
                ends["point", number] = f"{carrier.name}.{name}"
                continue
            if kind not in ("fixed", "coupled", "free"):
                raise point.row[1].refuse(f"a point cannot be {shown(point.row[1].text)}", "Attachment")
            part: dict[str, Any] = {"position": position, "joint": kind}
            if kind == "coupled":
                part["joint"] = coupled_joint()
                held.append((number, line))
            for key, value in (
                ("mass", point.mass),
                ("volume", point.volume),
                ("drag_area", point.drag_area),
                ("added_mass", point.added_mass * sea["water_density"] * point.volume),
            ):
                if value:
                    part[key] = value
            if any(point.force):
                part["force"] = list(point.force)
            ledger.put("points", name, part, line)
            ends["point", number] = name
    if held:
        numbers = ", ".join(str(number) for number, _ in held)
        sentence = (
            f"coupled points ({numbers}) are `joint: coupled`: held where they are given unless a program moves them"
        )
        ledger.note("converted", held[0][1], sentence)


def carrier_of(attachment: Attachment, carriers: dict[tuple[str, int], Carrier], word: Word) -> Carrier:
    """The body that something is fastened to."""
    kind = attachment.kind.split()[0]
    carrier = carriers.get((kind, attachment.number))
    if carrier is None:
        raise word.refuse(f"there is no {kind} {attachment.number}", "Attachment")
    return carrier


# --- lines ---


def _lines(tables: Tables, ledger: Ledger, wishes: Wishes, folder: Path, ends: dict[tuple[str, int], str]) -> None:
    sections: dict[str, dict[tuple[float, float], str]] = {}
    laws: dict[str, tuple[Any, float] | None] = {}
    kinds = dict(tables.line_types)
    for number, line in tables.lines.items():
        kind = kinds[line.type]
        if kind.name not in laws:
            laws[kind.name] = None
            with ledger.row():
                kind = kinds[line.type] = static_type(kind, ledger) if tables.moorpy else kind
                _refuse_features(kind, ledger, wishes)
                laws[kind.name] = stiffness(kind, folder)
        law = laws[kind.name]
        if law is None:
            continue
        with ledger.row():
            name = _section(kind, _at_start(law, number, kind, tables, ledger), line, sections, ledger)
            part = {
                "from": _end(line, 0, tables.version, ends),
                "to": _end(line, 1, tables.version, ends),
                "elements": line.segments,
                "pieces": [{"section": name, "length": line.length}],
            }
            ledger.put("lines", f"line{number}", part, line.row.line)
    for kind in tables.line_types.values():
        if kind.name not in laws:
            ledger.note("left out", kind.row.line, f"line type {shown(kind.name)}, which no line uses")


def _end(line: LineRow, k: int, version: int, ends: dict[tuple[str, int], str]) -> str:
    place = ends.get(line.ends[k])
    if place is None:
        what, number = line.ends[k]
        word = line.row[(4 if version == 1 else 2) + k]
        raise word.refuse(
            f"there is no {what.split()[0]} {number} to fasten the line to", "AttachA" if k == 0 else "AttachB"
        )
    return place


def _refuse_features(kind: LineType, ledger: Ledger, wishes: Wishes) -> None:
    """What the model of a line does not have."""
    if kind.bending > 0.0:
        if not wishes.ignore_bending:
            raise kind.row[5].refuse(
                f"line type {shown(kind.name)} has bending stiffness {kind.bending:g} N m2, which lines of a case do "
                "not have; --ignore-bending converts it as a rope",
                "EI",
            )
        ledger.note(
            "left out", kind.row.line, f"bending stiffness {kind.bending:g} N m2 of {shown(kind.name)}, as requested"
        )


def _at_start(law: tuple[Any, float], number: int, kind: LineType, tables: Tables, ledger: Ledger) -> tuple[Any, float]:
    """The law of a line, with what a Syrope rope has carried before."""
    if not isinstance(law[0], dict) or law[0]["kind"] != "syrope":
        return law
    start = tables.syrope.get(number)
    if start is None:
        ledger.note(
            "assumed", kind.row.line, f"line {number} has no previous load: no SYROPE IC gives its highest mean tension"
        )
        return law
    return {**law[0], "highest_mean": start.highest_mean}, law[1]


def _section(
    kind: LineType,
    law: tuple[Any, float],
    line: LineRow,
    known: dict[str, dict[tuple[float, float], str]],
    ledger: Ledger,
) -> str:
    """The section of a line: one for each line type, damping time (by segments) and highest mean tension before."""
    rope = is_rope(kind)
    ba = 0.0 if rope else kind.damping.number("BA/-zeta")
    segment = line.length / line.segments
    time = 0.0 if rope else damping_time(ba, law[1], kind.mass, segment)
    mine, key = known.setdefault(kind.name, {}), (time, law[0].get("highest_mean", 0.0) if rope else 0.0)
    if key in mine:
        return mine[key]
    base = ledger.name("section", kind.name, kind.row.line)
    name = base if not mine else f"{base}_{len(mine) + 1}"
    while name in ledger.data.get("sections", {}):
        name += "_"
    mine[key] = name
    part = {
        "diameter": kind.diameter,
        "mass": kind.mass,
        "axial_stiffness": law[0],
        "drag": {"normal": kind.drag[0], "tangential": kind.drag[1]},
        "added_mass": {"normal": kind.added_mass[0], "tangential": kind.added_mass[1]},
    }
    if not rope:
        part["damping"] = time
    if kind.lift[0] > 0.0:
        part["lift"] = {"coefficient": kind.lift[0], "centre": kind.lift[1], "width": kind.lift[2]}
    if rope:
        how = f"rope with memory, EA {kind.stiffness.text}, BA {kind.damping.text} N s"
    elif ba < 0.0:
        how = f"damping ratio {-ba:g} of segments of {segment:.6g} m: {-ba:g} L/N sqrt(m/EA)"
    else:
        how = f"damping BA/EA, BA {ba:g} N s"
    ledger.put("sections", name, part, kind.row.line, f"line type {kind.name} (line {kind.row.line}); {how}")
    return name


# --- failures and loads ---


def _failure(failure: FailureRow, tables: Tables, ledger: Ledger) -> None:
    """A line that comes off its end at a time or a tension."""
    word = failure.row[2]
    if len(failure.lines) > 1:
        raise word.refuse("lines that detach together stay connected, which a case cannot represent", "Line(s)")
    name = f"line{failure.lines[0]}"
    row = tables.lines.get(failure.lines[0])
    if row is None:
        raise word.refuse(f"there is no line {failure.lines[0]}", "Line(s)")
    if failure.at not in row.ends:
        raise failure.row[1].refuse(f"{name} does not end there", "Point")
    if failure.time == 0.0 and failure.tension == 0.0:
        raise failure.row[3].refuse("a break takes a time or a tension above 0; both are 0", "FailTime")
    where = 0.0 if failure.at == row.ends[0] else row.length
    part = ledger.data.get("lines", {}).get(name)
    if part is None:
        return
    if "break" in part:
        raise word.refuse(f"{name} fails twice; a line of a case has one break", "Line(s)")
    limits = {"time": failure.time, "tension": failure.tension}
    part["break"] = {"s": where, **{key: limit for key, limit in limits.items() if limit > 0.0}}


def _load(load: LoadRow, ledger: Ledger, carriers: dict[tuple[str, int], Carrier]) -> None:
    """Constant forces on points and bodies, linear and quadratic damping of bodies."""
    if load.local and (any(load.force) or any(load.linear) or any(load.quadratic)):
        raise load.row[5].refuse("loads that rotate with a body are not supported; give CSys G", "CSys")
    if load.part == "point":
        part = ledger.data.get("points", {}).get(f"point{load.number}")
        if part is None:
            raise load.row[1].refuse(f"there is no point {load.number}", "Object")
        if any(load.linear):
            raise load.row[3].refuse("linear damping of a point is not supported; set Blin to 0", "Blin")
        if any(load.quadratic):
            raise load.row[4].refuse(
                "direction-dependent quadratic damping of a point is not supported; set Bquad to 0, or give CdA",
                "Bquad",
            )
        part["force"] = [a + b for a, b in zip(part.get("force", (0.0, 0.0, 0.0)), load.force, strict=True)]
        return
    carrier = carriers.get((load.part, load.number))
    if carrier is None:
        raise load.row[1].refuse(f"there is no {load.part} {load.number} to load", "Object")
    if load.part == "rod" and any(load.linear):
        raise load.row[3].refuse("damping that rotates with a rod is not supported; set Blin to 0", "Blin")
    if load.part == "rod" and any(load.quadratic):
        raise load.row[4].refuse("damping that rotates with a rod is not supported; set Bquad to 0", "Bquad")
    carrier.force += np.array(load.force)
    carrier.damping += np.array(load.linear)
    carrier.quadratic += np.array(load.quadratic)
