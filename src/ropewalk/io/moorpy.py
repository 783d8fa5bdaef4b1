"""Reader of MoorPy's YAML and of the mooring in a RAFT design, which has the same form under the key `mooring`.

Points of type `vessel` are attachments of one body, which is held at the origin; MoorPy makes a body of them too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ropewalk.io.beside import beside
from ropewalk.io.conversion import Conversion, Ledger, Wishes, coupled_joint
from ropewalk.io.foreign_yaml import Place, open_yaml
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_case import GRAVITY, MOORPY_GRAVITY, WATER_DENSITY

VESSEL = "vessel"
KNOWN = frozenset({"name", "type", "location", "anchor_type", "mass", "volume"})
TYPE_KEYS = frozenset(
    {
        "name", "diameter", "mass_density", "stiffness", "breaking_load", "transverse_drag", "tangential_drag",
        "transverse_added_mass", "tangential_added_mass", "cost",
    }
)  # fmt: skip
LINE_KEYS = frozenset({"name", "endA", "endB", "type", "length"})
MOORING_KEYS = frozenset(
    {
        "water_depth", "rho", "water_density", "points", "lines", "line_types", "anchor_types", "file", "moorMod",
        "currentMod", "bodies",
    }
)  # fmt: skip


def read_moorpy(path: Path, wishes: Wishes) -> Conversion:
    """Convert MoorPy's YAML, or a RAFT design."""
    ledger = Ledger(one_line(str(path)))
    root = open_yaml(path)
    source = "RAFT" if root.has("mooring") else "MoorPy"
    with ledger.row():
        if root.has("array_mooring"):
            return _array(root, path, wishes)
        mooring = root.at("mooring") if source == "RAFT" else root
        if mooring.has("file"):
            return _other_file(mooring, path, wishes)
        if source == "RAFT":
            names = ", ".join(key for key in root.value if key not in ("mooring", "site"))
            ledger.note(
                "left out", 0, f"{names}: a case contains the mooring of a design, with its platform as a held body"
            )
        _sea(root, mooring, source, ledger, wishes)
        _unknown(mooring, MOORING_KEYS if source == "RAFT" else frozenset(root.value), ledger)
        _sections(mooring, ledger)
        ends = _points(mooring, ledger)
        _lines(mooring, ledger, ends)
    return ledger.done(source)


def _other_file(mooring: Place, path: Path, wishes: Wishes) -> Conversion:
    """A design that names a MoorDyn file instead of holding its mooring."""
    from ropewalk.io.moordyn import read_moordyn

    name = mooring.at("file").text()
    return read_moordyn(beside(path.parent, name), wishes, moorpy=True)


def _array(root: Place, path: Path, wishes: Wishes) -> Conversion:
    """The mooring of a RAFT array: a MoorDyn file whose turbines stand where the array has them."""
    from ropewalk.io.moordyn import read_moordyn

    names = [entry.text() for entry in root.at("array").at("keys").entries()]
    places: dict[int, tuple[float, float, float]] = {}
    for number, row in enumerate(root.at("array").at("data").entries(), start=1):
        cells = dict(zip(names, row.entries(), strict=False))
        if not {"x_location", "y_location"} <= cells.keys():
            raise row.refuse("x_location and y_location of a turbine are missing")
        if "mooringID" in cells and cells["mooringID"].value not in (0, None):
            raise cells["mooringID"].refuse(
                "an array whose turbines have moorings of their own is not converted; set 0"
            )
        places[number] = (cells["x_location"].number(), cells["y_location"].number(), 0.0)
    given = {**places, **wishes.turbines}
    name = root.at("array_mooring").at("file").text()
    return read_moordyn(beside(path.parent, name), replace(wishes, turbines=given), moorpy=True)


def _unknown(place: Place, known: frozenset[str], ledger: Ledger) -> None:
    for key, value in place.items():
        if key not in known:
            ledger.note("left out", value.line, f"{key}: {shown(value.value)}, which is not known")


def _sea(root: Place, mooring: Place, source: str, ledger: Ledger, wishes: Wishes) -> None:
    site = root.at("site") if source == "RAFT" and root.has("site") else root
    depth, gravity, density = wishes.depth, wishes.gravity, wishes.water_density
    for place, key in ((mooring, "water_depth"), (site, "water_depth")):
        if depth is None and place.has(key):
            depth = place.at(key).number(above=0.0)
    for place, key in ((mooring, "rho"), (mooring, "water_density"), (site, "rho_water")):
        if density is None and place.has(key):
            density = place.at(key).number(least=0.0)
    if gravity is None and site.has("g"):
        gravity = site.at("g").number(least=0.0)
    if depth is None:
        raise mooring.refuse("water_depth is missing; give it, or --depth")
    if gravity is None:
        gravity = MOORPY_GRAVITY if source == "MoorPy" else GRAVITY
        ledger.note("assumed", 0, f"gravity {gravity:g} m/s2; or give --gravity")
    if density is None:
        density = WATER_DENSITY
        ledger.note("assumed", 0, f"water density {density:g} kg/m3; or give --water-density")
    bed = {"friction": 0.0}
    ledger.data["environment"] = {"depth": depth, "gravity": gravity, "water_density": density, "seabed": bed}


def _sections(mooring: Place, ledger: Ledger) -> None:
    for entry in mooring.at("line_types").entries():
        with ledger.row():
            _unknown(entry, TYPE_KEYS, ledger)
            part: dict[str, Any] = {
                "diameter": entry.at("diameter").number(above=0.0),
                "mass": entry.at("mass_density").number(least=0.0),
                "axial_stiffness": entry.at("stiffness").number(above=0.0),
                "drag": {
                    "normal": entry.optional("transverse_drag", 0.0, least=0.0),
                    "tangential": entry.optional("tangential_drag", 0.0, least=0.0),
                },
                "added_mass": {
                    "normal": entry.optional("transverse_added_mass", 0.0, least=0.0),
                    "tangential": entry.optional("tangential_added_mass", 0.0, least=0.0),
                },
            }
            strength = entry.optional("breaking_load", 0.0, least=0.0)
            if strength > 0.0:
                part["breaking_load"] = strength
            if entry.has("cost"):
                ledger.note("left out", entry.at("cost").line, f"cost {shown(entry.value['cost'])}")
            name = entry.at("name").text()
            ledger.put("sections", ledger.name("section", name, entry.line), part, entry.line)


def _points(mooring: Place, ledger: Ledger) -> dict[str, str]:
    """Points into the case; gives the name of each for the ends of lines."""
    ends: dict[str, str] = {}
    vessel: dict[str, Any] = {"mass": 0.0, "position": [0.0, 0.0, 0.0], "joint": coupled_joint(), "attachments": {}}
    first = 0
    for entry in mooring.at("points").entries():
        with ledger.row():
            _unknown(entry, KNOWN, ledger)
            given, kind = entry.at("name").text(), entry.at("type").text().lower()
            name = ledger.name("point", given, entry.line)
            if given in ends:
                raise entry.refuse(f"point {shown(given)} is given twice")
            place = entry.at("location").vector()
            if kind.startswith(("ves", "fair", "coupled", "cpld")):
                vessel["attachments"][name] = place
                ends[given], first = f"{VESSEL}.{name}", first or entry.line
                continue
            part: dict[str, Any] = {"position": place}
            if kind.startswith(("fix", "anch")):
                part["joint"] = "fixed"
            elif kind.startswith(("free", "con")):
                mass, volume = (entry.optional(key, 0.0, least=0.0) for key in ("mass", "volume"))
                part |= {"joint": "free", "mass": mass, "volume": volume}
            else:
                raise entry.at("type").refuse(f"{shown(kind)} is not a type of point; use fixed, vessel or free")
            ends[given] = name
            ledger.put("points", name, part, entry.line)
    if mooring.has("anchor_types"):
        line = mooring.at("anchor_types").line
        ledger.note("left out", line, "anchor_types: anchors in ropewalk have unlimited capacity")
    if vessel["attachments"]:
        ledger.put("bodies", VESSEL, vessel, first, "the vessel with its points; move it to find restoring forces")
        ledger.note("converted", first, "points of the vessel are attachments of a body that is held at the origin")
    return ends


def _lines(mooring: Place, ledger: Ledger, ends: dict[str, str]) -> None:
    for entry in mooring.at("lines").entries():
        with ledger.row():
            _unknown(entry, LINE_KEYS, ledger)
            kind = entry.at("type").text()
            section = ledger.name("section", kind, entry.line)
            if section not in ledger.data.get("sections", {}):
                raise entry.at("type").refuse(f"there is no line type {shown(kind)}")
            part: dict[str, Any] = {}
            for key, name in (("endA", "from"), ("endB", "to")):
                end = entry.at(key)
                if end.text() not in ends:
                    raise end.refuse(f"there is no point {shown(end.text())}")
                part[name] = ends[end.text()]
            part["pieces"] = [{"section": section, "length": entry.at("length").number(above=0.0)}]
            ledger.put("lines", ledger.name("line", entry.at("name").text(), entry.line), part, entry.line)
