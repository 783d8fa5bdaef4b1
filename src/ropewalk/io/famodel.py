"""Reader of the mooring in a FAModel ontology: an array of platforms, each with a system of lines.

Headings are compass headings, clockwise from north (+y), those of lines relative to their platform's [FAModel2025].
Platforms are bodies that are held. Connectors between sections are lumps on the line. Sections given by family and
nominal diameter take the coefficients of MoorPy's default library [MoorProps]. Bridles and parallel lines are
refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.io.attitudes import turn
from ropewalk.io.conversion import Conversion, Ledger, Wishes, coupled_joint
from ropewalk.io.foreign_yaml import Place, open_yaml
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_case import MOORPY_GRAVITY, WATER_DENSITY
from ropewalk.model.arrays import Array

NOTHING = frozenset({"none", "na", "0", ""})
MOST_PLATFORMS = 10_000
IGNORED = ("array_cables", "cables", "dynamic_cable_configs", "cable_types", "cable_appendages", "topsides", "turbines",
           "anchor_types", "marine_growth")  # fmt: skip


@dataclass(frozen=True)
class Family:
    """Coefficients of a family of lines: per nominal diameter squared (and cubed)."""

    mass: float  # kg/m per m2
    breaking: tuple[float, float, float]  # N per m, m2, m3
    stiffness: tuple[float, float]  # N per m2, m3
    stiffness_breaking: float  # EA over the breaking load
    volume: float  # volume-equivalent over nominal diameter
    drag: tuple[float, float]
    added_mass: tuple[float, float]


MOST_DIAMETER = 10.0  # m, of sections by family: their cubics mean nothing beyond
FAMILIES = {
    "chain": Family(20.0e3, (9.11e2, 1.21e9, -2.19e9), (85.6e9, -3.93e7), 0.0, 1.80, (1.333, 0.639), (1.0, 0.5)),
    "chain_studlink": Family(21.9e3, (9.11e2, 1.21e9, -2.19e9), (88.0e9, 0.0), 0.0, 1.89, (1.376, 0.741), (1.0, 0.5)),
    "polyester": Family(
        679.0, (0.0, 308e6, 0.0), (0.0, 0.0), 14.0, math.sqrt(679.0 / 1380.0 * 4.0 / math.pi), (2.021, 0.0), (1.1, 0.15)
    ),
}


class Cells(dict[str, Place]):
    """A row of a table by column; the row itself stands below the empty name."""

    def __missing__(self, name: str) -> Place:
        raise self[""].refuse(f"column {name} is missing")


@dataclass
class Platform:
    """A platform of the array."""

    name: str
    position: list[float]
    heading: float  # degrees, compass
    fairleads: list[list[float]]  # in the platform's frame
    radius: float
    height: float
    part: dict[str, Any]
    line: int
    lines: int = 0


def read_famodel(path: Path, wishes: Wishes) -> Conversion:
    """Convert the mooring of a FAModel ontology."""
    ledger = Ledger(one_line(str(path)))
    root = open_yaml(path)
    with ledger.row():
        _sea(root, ledger, wishes)
        for key in IGNORED:
            if root.has(key):
                ledger.note("left out", root.at(key).line, f"{key}: a mooring case contains none")
        platforms = _platforms(root, ledger)
        for row, platform in platforms:
            with ledger.row():
                _own_lines(root, row, platform, ledger)
        if root.has("array_mooring"):
            _array_lines(root, {platform.name: platform for _, platform in platforms}, ledger)
        for _, platform in platforms:
            ledger.put("bodies", platform.name, platform.part, platform.line)
        if platforms:
            ledger.note("converted", platforms[0][1].line, "platforms are bodies held at their array positions")
    return ledger.done("FAModel")


def _sea(root: Place, ledger: Ledger, wishes: Wishes) -> None:
    site = root.at("site") if root.has("site") else root
    general = site.at("general") if site.has("general") else site
    depth, density = wishes.depth, wishes.water_density
    if depth is None and general.has("water_depth"):
        depth = general.at("water_depth").number(above=0.0)
    if depth is None:
        raise root.refuse("site.general.water_depth is missing; give it, or --depth")
    if site.has("bathymetry") and wishes.depth is None:
        ledger.note("left out", site.at("bathymetry").line, f"bathymetry: the bed is flat at the depth of {depth:g} m")
    if density is None:
        density = general.optional("rho_water", WATER_DENSITY, least=0.0)
    gravity = wishes.gravity
    if gravity is None:
        gravity = general.optional("g", MOORPY_GRAVITY, least=0.0)
        if not general.has("g"):
            ledger.note("assumed", 0, f"gravity {gravity:g} m/s2; or give --gravity")
    bed = {"friction": 0.0}
    ledger.data["environment"] = {"depth": depth, "gravity": gravity, "water_density": density, "seabed": bed}


def _table(place: Place, keys: str = "keys", data: str = "data") -> list[Cells]:
    """Rows of a table that has its column names beside it; a row may be longer by what is no number."""
    names = [entry.text() for entry in place.at(keys).entries()]
    rows = place.at(data).entries() if place.has(data) else []
    found = []
    for row in rows:
        cells = row.entries()
        if len(cells) < len(names):
            raise row.refuse(f"{len(cells)} entries where {len(names)} are expected: {', '.join(names)}")
        found.append(Cells({**dict(zip(names, cells, strict=False)), "": row}))
    return found


def _platforms(root: Place, ledger: Ledger) -> list[tuple[Cells, Platform]]:
    types = _platform_types(root)
    if root.has("uniform_array"):
        rows = _uniform(root.at("uniform_array"))
    else:
        rows = _table(root.at("array"))
    found = []
    for row in rows:
        with ledger.row():
            found.append((row, _platform(row, types, ledger)))
    return found


def _platform_types(root: Place) -> list[Place]:
    if root.has("platforms"):
        return root.at("platforms").entries()
    return [root.at("platform")]


def _uniform(place: Place) -> list[Cells]:
    """Rows of an array in rows and columns."""
    counts = [place.at(key).number(above=0.0) for key in ("n_rows", "n_cols")]
    if counts[0] * counts[1] > MOST_PLATFORMS:
        raise place.refuse(f"{counts[0] * counts[1]:g} platforms; at most {MOST_PLATFORMS} are converted")
    start = place.at("west_start").number(), place.at("north_start").number()
    spacing = place.at("spacing_x").number(), place.at("spacing_y").number()
    rows = []
    for i in range(int(counts[0]) * int(counts[1])):
        column, row = i % int(counts[1]), i // int(counts[1])
        values: dict[str, Any] = {
            "ID": f"fowt{i}",
            "x_location": start[0] + column * spacing[0],
            "y_location": start[1] + row * spacing[1],
        }
        cells = {key: Place(place.document, place.path, value) for key, value in values.items()}
        cells |= {key: place.at(key) for key in ("platformID", "mooringID", "heading_adjust")} | {"": place}
        rows.append(Cells(cells))
    return rows


def _platform(row: Cells, types: list[Place], ledger: Ledger) -> Platform:
    number = int(row["platformID"].number())
    if not 1 <= number <= len(types):
        raise row["platformID"].refuse(f"there is no platform {number}; the file has {len(types)}")
    kind = types[number - 1]
    fairleads: list[list[float]] = []
    if kind.has("fairleads"):
        for entry in kind.at("fairleads").entries():
            place = entry.at("r_rel").vector()
            headings = [h.number() for h in entry.at("headings").entries()] if entry.has("headings") else []
            turned = [[float(c) for c in turn(2, 90.0 - h) @ np.array(place)] for h in headings]
            fairleads += turned or [place]
    z = row["z_location"].number() if "z_location" in row else kind.optional("z_location", 0.0)
    position = [row["x_location"].number(), row["y_location"].number(), z]
    heading = row["heading_adjust"].number()
    name = ledger.name("platform", row["ID"].text(), row[""].line)
    part = {"mass": 0.0, "position": position, "attitude": [0.0, 0.0, -heading], "joint": coupled_joint()}
    radius, height = kind.optional("rFair", 0.0), kind.optional("zFair", 0.0)
    return Platform(name, position, heading, fairleads, radius, height, part, row[""].line)


def _own_lines(root: Place, row: Cells, platform: Platform, ledger: Ledger) -> None:
    """Lines of the platform's mooring system, from anchors that lie where headings and spans put them."""
    which = row["mooringID"].text() if "mooringID" in row else ""
    if which.lower() in NOTHING:
        return
    if not root.has("mooring_systems") or not root.at("mooring_systems").has(which):
        raise row["mooringID"].refuse(f"there is no mooring system {shown(which)}")
    depth = ledger.data["environment"]["depth"]
    for k, line in enumerate(_table(root.at("mooring_systems").at(which))):
        with ledger.row():
            config = _config(root, line["MooringConfigID"])
            compass = platform.heading + line["heading"].number()
            direction = np.array([math.sin(math.radians(compass)), math.cos(math.radians(compass))])
            index = line.get("fairlead")
            if index is None and platform.fairleads:
                local = _fairlead(platform, k + 1, line[""])
            elif index is not None:
                local = _fairlead(platform, index.value, index)
            else:
                local = _at_radius(platform, line["heading"].number())
            end, world = _grip(platform, local)
            span = config.at("span").number(above=0.0)
            place = [float(world[0] + span * direction[0]), float(world[1] + span * direction[1]), -depth]
            anchor = f"{platform.name}_anchor{k + 1}"
            ledger.put("points", anchor, {"position": place, "joint": "fixed"}, line[""].line)
            _adjust(line)
            _line(root, config, f"{platform.name}_line{k + 1}", (anchor, end), ledger)


def _adjust(row: Cells) -> None:
    given = row.get("lengthAdjust")
    if given is not None and isinstance(given.value, int | float) and given.value != 0:
        raise given.refuse("lengthAdjust other than 0 is not converted; change the lengths")


def _array_lines(root: Place, platforms: dict[str, Platform], ledger: Ledger) -> None:
    """Lines of the array: shared lines and lines to shared anchors."""
    table = root.at("array_mooring")
    depth = ledger.data["environment"]["depth"]
    anchors: dict[str, tuple[float, float, int]] = {}
    for row in _table(table, "anchor_keys", "anchor_data") if table.has("anchor_data") else []:
        with ledger.row():
            anchors[row["ID"].text()] = (row["x"].number(), row["y"].number(), row[""].line)
    for k, row in enumerate(_table(table, "line_keys", "line_data") if table.has("line_data") else []):
        with ledger.row():
            config = _config(root, row["MooringConfigID"])
            ends = []
            for end in ("A", "B"):
                cell = row.get(f"end{end}", row.get(f"end {end}"))
                if cell is None:
                    raise row[""].refuse(f"column end{end} is missing")
                where = row.get(f"fairlead{end}"), row.get(f"heading{end}")
                ends.append(_array_end(cell, where, platforms, anchors, depth, ledger))
            _adjust(row)
            _line(root, config, f"shared{k + 1}", (ends[0], ends[1]), ledger)


def _array_end(
    cell: Place,
    where: tuple[Place | None, Place | None],
    platforms: dict[str, Platform],
    anchors: dict[str, tuple[float, float, int]],
    depth: float,
    ledger: Ledger,
) -> str:
    name = cell.text()
    if name in anchors:
        x, y, line = anchors[name]
        point = ledger.name("anchor", name, line)
        if point not in ledger.data.get("points", {}):
            ledger.put("points", point, {"position": [x, y, -depth], "joint": "fixed"}, line)
        return point
    platform = platforms.get(ledger.name("platform", name, cell.line))
    if platform is None:
        raise cell.refuse(f"there is no platform or anchor {shown(name)}")
    index, heading = where
    if index is not None:
        return _grip(platform, _fairlead(platform, index.value, index))[0]
    if heading is None:
        raise cell.refuse(
            "a line of the array needs a fairlead or a heading at its platforms; give fairleadA, fairleadB"
        )
    return _grip(platform, _at_radius(platform, heading.number()))[0]


def _at_radius(platform: Platform, heading: float) -> list[float]:
    """A fairlead at the platform's radius and a compass heading relative to it."""
    angle = math.radians(90.0 - heading)
    return [platform.radius * math.cos(angle), platform.radius * math.sin(angle), platform.height]


def _fairlead(platform: Platform, index: Any, place: Place) -> list[float]:
    if isinstance(index, list):
        raise place.refuse("bridles (several fairleads for one line) are not converted")
    if isinstance(index, bool) or not isinstance(index, int) or not 1 <= index <= len(platform.fairleads):
        count = len(platform.fairleads)
        raise place.refuse(f"there is no fairlead {shown(index)} on {platform.name}; it has {count}")
    return platform.fairleads[index - 1]


def _grip(platform: Platform, local: list[float]) -> tuple[str, Array]:
    """An attachment of a platform, and where it is in the world."""
    platform.lines += 1
    name = f"fairlead{platform.lines}"
    platform.part.setdefault("attachments", {})[name] = local
    world = np.array(platform.position) + turn(2, -platform.heading) @ np.array(local)
    return f"{platform.name}.{name}", world


def _config(root: Place, cell: Place) -> Place:
    name = cell.text()
    configs = root.at("mooring_line_configs")
    if not configs.has(name):
        raise cell.refuse(f"there is no line configuration {shown(name)}")
    return configs.at(name)


def _line(root: Place, config: Place, name: str, ends: tuple[str, str], ledger: Ledger) -> None:
    """Sections in order from end A; connectors between them are lumps."""
    entries = config.at("sections").entries()
    if config.has("symmetric") and config.value["symmetric"] is True:
        raise config.at("symmetric").refuse("symmetric: half of a line is given; write all its sections out")
    pieces: list[dict[str, Any]] = []
    lumps: list[dict[str, Any]] = []
    for entry in entries:
        if entry.has("subsections"):
            raise entry.refuse("subsections (bridles and parallel lines) are not converted")
        if entry.has("connectorType"):
            lump = _connector(root, entry.at("connectorType"), ledger)
            lumps.append({"s": sum(piece["length"] for piece in pieces), **lump})
            continue
        length = entry.at("length").number(above=0.0)
        pieces.append({"section": _section(root, entry, ledger), "length": length})
    part: dict[str, Any] = {"from": ends[0], "to": ends[1], "pieces": pieces}
    total = sum(piece["length"] for piece in pieces)
    inner = [lump for lump in lumps if 0.0 < lump["s"] < total and (lump["mass"] or lump["volume"])]
    if len(inner) < len(lumps):
        ledger.note("left out", config.line, "connectors at the ends of a line, which anchors and platforms hold")
    if inner:
        part["attachments"] = inner
    ledger.put("lines", name, part, config.line)


def _connector(root: Place, cell: Place, ledger: Ledger) -> dict[str, float]:
    name = cell.text()
    if not root.has("mooring_connector_types"):
        ledger.note(
            "assumed", cell.line, f"connector {shown(name)} has no mass: the file has no mooring_connector_types"
        )
        return {"mass": 0.0, "volume": 0.0}
    types = root.at("mooring_connector_types")
    if not types.has(name):
        raise cell.refuse(f"there is no connector {shown(name)}")
    kind = types.at(name)
    return {"mass": kind.optional("m", 0.0, least=0.0), "volume": kind.optional("v", 0.0, least=0.0)}


def _section(root: Place, entry: Place, ledger: Ledger) -> str:
    """The section of an entry, by its type or its family and diameter."""
    if entry.has("type"):
        name = entry.at("type").text()
        if not root.has("mooring_line_types") or not root.at("mooring_line_types").has(name):
            raise entry.at("type").refuse(f"there is no line type {shown(name)}")
        kind = root.at("mooring_line_types").at(name)
        section = ledger.name("section", name, kind.line)
        if section not in ledger.data.get("sections", {}):
            ledger.put("sections", section, _typed(kind, ledger), kind.line)
        return section
    family, d = entry.at("mooringFamily").text(), entry.at("d_nom").number(above=0.0)
    if family not in FAMILIES:
        known = ", ".join(FAMILIES)
        raise entry.at("mooringFamily").refuse(
            f"family {shown(family)} is not known ({known}); give a type with its numbers"
        )
    if d > MOST_DIAMETER:
        raise entry.at("d_nom").refuse(
            f"{d:g} m is not a plausible diameter of a mooring line; the limit is {MOST_DIAMETER:g} m"
        )
    section = ledger.name("section", f"{family} {1e3 * d:g} mm".replace(".", "_"), entry.line)
    if section not in ledger.data.get("sections", {}):
        ledger.put("sections", section, _of_family(FAMILIES[family], d), entry.line, "by MoorPy's default library")
    return section


def _typed(kind: Place, ledger: Ledger) -> dict[str, Any]:
    nominal = kind.optional("d_nom", 0.0, least=0.0)
    volume = kind.optional("d_vol", nominal, least=0.0)
    part: dict[str, Any] = {
        "diameter": volume,
        "mass": kind.at("m").number(least=0.0),
        "axial_stiffness": kind.at("EA").number(above=0.0),
    }
    if kind.has("MBL") and kind.at("MBL").number(least=0.0) > 0.0:
        part["breaking_load"] = kind.at("MBL").number()
    drag = {"normal": kind.optional("Cd", 0.0, least=0.0), "tangential": kind.optional("CdAx", 0.0, least=0.0)}
    added = {"normal": kind.optional("Ca", 0.0, least=0.0), "tangential": kind.optional("CaAx", 0.0, least=0.0)}
    if not (kind.has("Cd") or kind.has("Ca")):
        ledger.note("assumed", kind.line, "no drag and no added mass: the line type has neither Cd nor Ca")
    for key in ("EAd", "EAd_Lm"):
        if kind.has(key):
            ledger.note("left out", kind.at(key).line, f"{key}: the static stiffness EA is used")
    return part | {"drag": drag, "added_mass": added}


def _of_family(family: Family, d: float) -> dict[str, Any]:
    breaking = sum(c * d ** (k + 1) for k, c in enumerate(family.breaking))
    stiffness = family.stiffness[0] * d**2 + family.stiffness[1] * d**3 + family.stiffness_breaking * breaking
    return {
        "diameter": family.volume * d,
        "mass": family.mass * d**2,
        "axial_stiffness": stiffness,
        "breaking_load": breaking,
        "drag": {"normal": family.drag[0], "tangential": family.drag[1]},
        "added_mass": {"normal": family.added_mass[0], "tangential": family.added_mass[1]},
    }
