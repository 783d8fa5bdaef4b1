"""Reader of MAP++ files: quasi-static lines between fixed nodes, nodes of a vessel and free nodes.

Format as in the manual of MAP++ [Masciola2013]. Files hold neither depth nor gravity nor density. Nodes of type Vessel
are attachments of one body `vessel` at the origin, which is held; move it to find restoring forces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ropewalk.io.attitudes import turn
from ropewalk.io.columns import Row, Word, read_rows
from ropewalk.io.conversion import Conversion, Ledger, Wishes, coupled_joint
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_case import GRAVITY, WATER_DENSITY
from ropewalk.io.moordyn_tables import Section, number_of, sections_of, table_rows

TYPE_COLUMNS = ("LineType", "Diam", "MassDenInAir", "EA", "CB", "CIntDamp", "Ca", "Cdn", "Cdt")
NODE_COLUMNS = ("Node", "Type", "X", "Y", "Z", "M", "B", "FX", "FY", "FZ")
LINE_COLUMNS = ("Line", "LineType", "UnstrLen", "NodeAnch", "NodeFair", "Flags")
KINDS = {"fix": "fix", "fixed": "fix", "vessel": "vessel", "connect": "connect"}
ITERATED = "#"  # before a number: a first guess; alone: nothing given
CHANNELS = frozenset(
    {
        "gx_pos", "gy_pos", "gz_pos", "gx_a_pos", "gy_a_pos", "gz_a_pos", "gx_force", "gy_force", "gz_force", "h_fair",
        "h_anch", "v_fair", "v_anch", "tension_fair", "tension_anch", "x_excursion", "z_excursion", "azimuth",
        "altitude", "altitude_a", "line_tension", "lay_length", "damage_time", "diagnostic", "segment_size",
        "plot",
    }
)  # fmt: skip
MOST_REPEATS = 360


@dataclass(frozen=True)
class Kind:
    """A row of the line dictionary."""

    row: Row
    diameter: float
    mass: float
    stiffness: float
    friction: float
    drag: tuple[float, float]
    added_mass: float


@dataclass(frozen=True)
class Node:
    """A row of the nodes."""

    row: Row
    kind: str
    position: tuple[float, ...]  # NaN where not given
    mass: float
    volume: float
    force: tuple[float, ...]


@dataclass(frozen=True)
class Rope:
    """A row of the lines."""

    row: Row
    kind: str
    length: float
    ends: tuple[int, int]
    flags: tuple[str, ...]


def read_map(path: Path, wishes: Wishes) -> Conversion:
    """Convert a MAP++ input file."""
    ledger = Ledger(one_line(str(path)))
    sections = sections_of(read_rows(path, comment=""), ledger)
    sea = _sea(ledger, wishes)
    kinds: dict[str, Kind] = {}
    nodes: dict[int, Node] = {}
    ropes: dict[int, Rope] = {}
    for key in ("line types", "points", "lines"):
        if key not in sections:
            ledger.refuse(1, f"no section of {key}; this is not a MAP++ file")
            sections[key] = Section(key, Row(1, (), "", ledger.file), [])
    for row in _data(sections["line types"], 9, ledger):
        with ledger.row():
            kind = _kind(row, ledger)
            if row[0].text in kinds:
                raise row[0].refuse(f"line type {shown(row[0].text)} is given twice", "LineType")
            kinds[row[0].text] = kind
    for row in _data(sections["points"], 10, ledger):
        with ledger.row():
            number = number_of(row, nodes, "node")
            nodes[number] = _node(row, sea["depth"])
    for row in _data(sections["lines"], 5, ledger):
        with ledger.row():
            number = number_of(row, ropes, "line")
            ropes[number] = _rope(row, kinds, nodes)
    turns = _options(sections.get("options"), ledger)
    _guess(nodes, ropes, ledger)
    _seabed(sea, kinds, ropes, ledger)
    for name, kind in kinds.items():
        ledger.put("sections", ledger.name("section", name, kind.row.line), _section(kind), kind.row.line)
    _put(nodes, ropes, turns, ledger)
    return ledger.done("MAP++")


def _data(section: Section, columns: int, ledger: Ledger) -> list[Row]:
    """Rows below names and units; rows that begin with ! are comments."""
    rows = table_rows(section, columns, ledger)
    return [row for row in rows if not row[0].text.startswith("!")]


def _sea(ledger: Ledger, wishes: Wishes) -> dict[str, Any]:
    if wishes.depth is None:
        ledger.refuse(0, "MAP++ files contain no water depth; give --depth")
    gravity = GRAVITY if wishes.gravity is None else wishes.gravity
    density = WATER_DENSITY if wishes.water_density is None else wishes.water_density
    if wishes.gravity is None:
        ledger.note("assumed", 0, f"gravity {gravity:g} m/s2; or give --gravity")
    if wishes.water_density is None:
        ledger.note("assumed", 0, f"water density {density:g} kg/m3; or give --water-density")
    sea = {"depth": wishes.depth or 1.0, "gravity": gravity, "water_density": density}
    ledger.data["environment"] = sea
    return sea


def _kind(row: Row, ledger: Ledger) -> Kind:
    if len(row) != 9:
        raise row.refuse(f"{len(row)} columns where 9 are expected: {' '.join(TYPE_COLUMNS)}")
    if row[5].number("CIntDamp") != 0.0:
        ledger.note("left out", row.line, f"CIntDamp {row[5].text} Pa s, which MAP++ does not use")
    coefficients = []
    for k in (6, 7, 8):
        value = row[k].number(TYPE_COLUMNS[k])
        if value < 0.0:
            ledger.note("left out", row.line, f"{TYPE_COLUMNS[k]} {row[k].text}, which is not a valid coefficient")
        coefficients.append(max(value, 0.0))
    return Kind(
        row,
        row[1].number("Diam", above=0.0),
        row[2].number("MassDenInAir", least=0.0),
        row[3].number("EA", above=0.0),
        row[4].number("CB", least=0.0),
        (coefficients[1], coefficients[2]),
        coefficients[0],
    )


def _node(row: Row, depth: float) -> Node:
    if len(row) != 10:
        raise row.refuse(f"{len(row)} columns where 10 are expected: {' '.join(NODE_COLUMNS)}")
    kind = KINDS.get(row[1].text.lower())
    if kind is None:
        raise row[1].refuse(f"{shown(row[1].text)} is not a type of node; use Fix, Vessel or Connect", "Type")
    position = tuple(_given(row[k], NODE_COLUMNS[k], depth) for k in (2, 3, 4))
    if kind != "connect" and any(math.isnan(c) for c in position):
        raise row.refuse(f"a {kind} node needs a position")
    mass, volume = (_given(row[k], NODE_COLUMNS[k], depth) for k in (5, 6))
    force = tuple(_given(row[k], NODE_COLUMNS[k], depth) for k in (7, 8, 9))
    if kind == "connect" and (math.isnan(mass) or math.isnan(volume) or any(math.isnan(f) for f in force)):
        raise row.refuse("a free node needs its mass, volume and forces; MAP++ would solve for them, ropewalk does not")
    if min(mass, volume) < 0.0:
        raise row[5].refuse("mass and volume of a node must not be negative", "M")
    if math.isnan(mass) or math.isnan(volume):
        mass = volume = 0.0  # of a node that is held, where they do not matter
    return Node(row, kind, position, mass, volume, force)


def _given(word: Word, name: str, depth: float) -> float:
    """A number, `depth`, or a first guess behind #; NaN for # alone."""
    text = word.text
    if text.lower() == "depth" and name == "Z":
        return -depth
    if text == ITERATED:
        return math.nan
    if text.startswith(ITERATED):
        return Word(text[1:], word.line, word.column + 1, word.file).number(name)
    return word.number(name)


def _rope(row: Row, kinds: dict[str, Kind], nodes: dict[int, Node]) -> Rope:
    if len(row) < 5:
        raise row.refuse(f"{len(row)} columns where 5 are expected: {' '.join(LINE_COLUMNS[:5])}")
    if row[1].text not in kinds:
        raise row[1].refuse(f"there is no line type {shown(row[1].text)}", "LineType")
    ends = []
    for k in (3, 4):
        number = row[k].whole(LINE_COLUMNS[k], least=1)
        if number not in nodes:
            raise row[k].refuse(f"there is no node {number}", LINE_COLUMNS[k])
        ends.append(number)
    flags = tuple(word.text.lower() for word in row.words[5:])
    for word in row.words[5:]:
        if word.text.lower() == "linear_spring":
            raise word.refuse("linear_spring: lines without weight are not converted", "Flags")
        if word.text.lower() not in CHANNELS | {"omit_contact"} and not word.is_number:
            raise word.refuse(f"flag {shown(word.text)} is not known", "Flags")
    return Rope(row, row[1].text, row[2].number("UnstrLen", above=0.0), (ends[0], ends[1]), flags)


def _options(section: Section | None, ledger: Ledger) -> list[float]:
    """Angles by which the system is repeated, degrees; the first is its own."""
    turns = [0.0]
    for row in (section.rows if section else [])[2:]:
        with ledger.row():
            key = row[0].text.lower()
            if key.startswith("!"):
                continue
            if key == "repeat":
                turns += [word.number("repeat") for word in row.words[1:] if not word.text.startswith("!")]
                if len(turns) > MOST_REPEATS:
                    raise row.refuse(f"{len(turns)} repeats; at most {MOST_REPEATS}")
                ledger.note(
                    "converted", row.line, f"repeat: nodes and lines are repeated {len(turns)} times, rotated about z"
                )
            elif key in ("ref_position", "wave_heading") and any(word.is_number for word in row.words[1:]):
                if any(word.number(key) != 0.0 for word in row.words[1:]):
                    raise row.refuse(f"{key} other than 0 is not converted")
            else:
                ledger.note("left out", row.line, f"{shown(row.text.strip())}, a setting of MAP++'s own solver")
    return turns


def _guess(nodes: dict[int, Node], ropes: dict[int, Rope], ledger: Ledger) -> None:
    """First guesses of free nodes that have none: amid the nodes that lines lead to."""
    for number, node in list(nodes.items()):
        if not any(math.isnan(c) for c in node.position):
            continue
        others = [nodes[e].position for rope in ropes.values() if number in rope.ends for e in rope.ends if e != number]
        known = [place for place in others if not any(math.isnan(c) for c in place)]
        if not known:
            ledger.refuse(node.row.line, f"node {number} has no first guess, and none of its neighbours has a position")
            continue
        middle = np.mean(known, axis=0)
        place = tuple(float(m) if math.isnan(c) else c for c, m in zip(node.position, middle, strict=True))
        nodes[number] = replace(node, position=place)
        ledger.note("assumed", node.row.line, f"node {number} starts at the mean position of its neighbours")


def _seabed(sea: dict[str, Any], kinds: dict[str, Kind], ropes: dict[int, Rope], ledger: Ledger) -> None:
    """One friction for all lines, or no contact for all."""
    used = {rope.kind: kinds[rope.kind] for rope in ropes.values()}
    frictions = sorted({kind.friction for kind in used.values()})
    if len(frictions) > 1:
        line = next(kind.row.line for kind in used.values() if kind.friction != frictions[0])
        listed = ", ".join(f"{value:g}" for value in frictions)
        ledger.refuse(line, f"line types with CB {listed}; a case has one coefficient of friction")
    sea["seabed"] = {"friction": frictions[0] if frictions else 0.0}
    without = [rope for rope in ropes.values() if "omit_contact" in rope.flags]
    if without and len(without) < len(ropes):
        ledger.refuse(
            without[0].row.line, "omit_contact on some lines only; a case has a bed for all lines or for none"
        )
    elif without:
        sea["seabed"] = {"kind": "none"}


def _section(kind: Kind) -> dict[str, Any]:
    return {
        "diameter": kind.diameter,
        "mass": kind.mass,
        "axial_stiffness": kind.stiffness,
        "drag": {"normal": kind.drag[0], "tangential": kind.drag[1]},
        "added_mass": {"normal": kind.added_mass},
    }


def _put(nodes: dict[int, Node], ropes: dict[int, Rope], turns: list[float], ledger: Ledger) -> None:
    """Nodes and lines, once for each turn; numbers go on where those of the file end."""
    vessel: dict[str, Any] = {"mass": 0.0, "position": [0.0, 0.0, 0.0], "joint": coupled_joint(), "attachments": {}}
    first = next((node.row.line for node in nodes.values() if node.kind == "vessel"), 0)
    most_nodes, most_ropes = max(nodes, default=0), max(ropes, default=0)
    for k, angle in enumerate(turns):
        matrix = turn(2, angle)
        names = {}
        for number, node in nodes.items():
            name = f"node{number + k * most_nodes}"
            place = [float(c) for c in matrix @ np.array(node.position)] if angle else list(node.position)
            names[number] = name
            if node.kind == "vessel":
                vessel["attachments"][name] = place
                names[number] = f"vessel.{name}"
                continue
            part: dict[str, Any] = {"position": place, "joint": "fixed" if node.kind == "fix" else "free"}
            if node.kind == "connect":
                force = [float(c) for c in matrix @ np.array(node.force)]
                part |= {"mass": node.mass, "volume": node.volume, "force": force}
            ledger.put("points", name, part, node.row.line)
        for number, rope in ropes.items():
            section = ledger.name("section", rope.kind, rope.row.line)
            a, b = (names[end] for end in rope.ends)
            part = {"from": a, "to": b, "pieces": [{"section": section, "length": rope.length}]}
            comment = f"line {number}, rotated by {angle:g} degrees" if angle else ""
            ledger.put("lines", f"line{number + k * most_ropes}", part, rope.row.line, comment)
    if vessel["attachments"]:
        ledger.put("bodies", "vessel", vessel, first, "the vessel with its nodes; move it to find restoring forces")
