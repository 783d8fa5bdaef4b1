"""Input files of MoorDyn, versions 1 and 2 of both programs (C++ and Fortran), as records with their lines.

Sections and columns as in MoorDyn's manual, "Input Files" [MoorDyn2025]. MoorDyn reads by position and passes over the
rows of names and units; here those rows are looked at, so that a missing one or another order of columns is found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from ropewalk.io.columns import Row, Word
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import shown

RULE = "---"  # any line that holds it is a heading

# phrases in headings, and the section they open
SECTIONS: dict[str, tuple[str, ...]] = {
    "line types": ("LINE TYPES", "LINE DICTIONARY"),
    "rod types": ("ROD TYPES", "ROD DICTIONARY"),
    "bodies": ("BODIES", "BODY LIST", "BODY PROPERTIES"),
    "rods": ("RODS", "ROD LIST", "ROD PROPERTIES"),
    "points": ("POINTS", "POINT LIST", "POINT PROPERTIES", "CONNECTION PROPERTIES", "NODE PROPERTIES"),
    "lines": ("LINES", "LINE LIST", "LINE PROPERTIES"),
    "syrope": ("SYROPE IC",),
    "failure": ("FAILURE",),
    "control": ("CONTROL",),
    "loads": ("EXTERNAL LOADS",),
    "options": ("OPTIONS",),
    "outputs": ("OUTPUT",),
}

TYPE_COLUMNS = ("TypeName", "Diam", "Mass/m", "EA", "BA/-zeta", "EI", "Cd", "Ca", "CdAx", "CaAx", "Cl", "dF", "cF")
LIFT_CENTRE, LIFT_WIDTH = 0.18, 0.08  # cF and dF where a line type gives Cl alone
TYPE_COLUMNS_1 = ("LineType", "Diam", "MassDen", "EA", "BA/-zeta", "Can", "Cat", "Cdn", "Cdt")
ROD_TYPE_COLUMNS = ("TypeName", "Diam", "Mass/m", "Cd", "Ca", "CdEnd", "CaEnd")
BODY_COLUMNS = (
    "ID", "Attachment", "X0", "Y0", "Z0", "r0", "p0", "y0", "Mass", "CG", "I", "Volume", "CdA", "Ca",
)  # fmt: skip
ROD_COLUMNS = ("ID", "RodType", "Attachment", "Xa", "Ya", "Za", "Xb", "Yb", "Zb", "NumSegs", "RodOutputs")
POINT_COLUMNS = ("ID", "Attachment", "X", "Y", "Z", "Mass", "Volume", "CdA", "Ca")
POINT_COLUMNS_1 = ("Node", "Type", "X", "Y", "Z", "M", "V", "FX", "FY", "FZ", "CdA", "CA")
LINE_COLUMNS = ("ID", "LineType", "AttachA", "AttachB", "UnstrLen", "NumSegs", "LineOutputs")
LINE_COLUMNS_1 = ("Line", "LineType", "UnstrLen", "NumSegs", "NodeAnch", "NodeFair", "Flags/Outputs")
FAILURE_COLUMNS = ("FailureID", "Point", "Line(s)", "FailTime", "FailTen")
SYROPE_COLUMNS = ("Line(s)", "Tmax0", "Tmean0")
LOAD_COLUMNS = ("ID", "Object", "Fext", "Blin", "Bquad", "CSys")

# words of attachments, by what they mean; MoorDyn's Point, Rod and Body readers and MoorPy's take these
ATTACHMENTS: dict[str, str] = {
    **dict.fromkeys(("FIXED", "FIX", "ANCHOR"), "fixed"),
    **dict.fromkeys(("COUPLED", "CPLD", "VESSEL", "VES", "FAIRLEAD", "FAIR"), "coupled"),
    **dict.fromkeys(("FREE", "CONNECT", "CON", "CONNECTION", "POINT"), "free"),
    **dict.fromkeys(("PINNED", "PIN"), "pinned"),
    **dict.fromkeys(("COUPLEDPINNED", "CPLDPIN", "VESSELPINNED", "VESPIN"), "coupled pinned"),
}
_ATTACHED = re.compile(r"(BODY|TURBINE)(\d{1,6})(PINNED|PIN)?", re.IGNORECASE | re.ASCII)
_LINE_END = re.compile(r"(?:(?:POINT|CON|P|C)?(\d{1,6})|(?:ROD|R)(\d{1,6})([AB]))", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Attachment:
    """What a point, rod or body is fastened to."""

    kind: str  # fixed, coupled, free, pinned, coupled pinned, body, body pinned, turbine, turbine pinned
    number: int = 0


@dataclass(frozen=True)
class LineType:
    """A row of the line types."""

    row: Row
    name: str
    diameter: float
    mass: float
    stiffness: Word
    damping: Word
    bending: float
    drag: tuple[float, float]  # normal, axial
    added_mass: tuple[float, float]
    lift: tuple[float, float, float]  # Cl, cF, dF


@dataclass(frozen=True)
class SyropeRow:
    """What a Syrope line has carried before."""

    row: Row
    highest_mean: float  # N


@dataclass(frozen=True)
class RodType:
    """A row of the rod types."""

    row: Row
    diameter: float
    mass: float
    drag: tuple[float, float]  # normal, on the end faces
    added_mass: tuple[float, float]


@dataclass(frozen=True)
class BodyRow:
    """A row of the bodies."""

    row: Row
    attachment: Attachment
    position: tuple[float, ...]
    angles: tuple[float, ...]  # degrees
    mass: float
    centre: tuple[float, ...]
    inertia: tuple[float, ...]
    volume: float
    drag: tuple[float, ...]  # six
    added_mass: tuple[float, ...]  # three


@dataclass(frozen=True)
class RodRow:
    """A row of the rods."""

    row: Row
    type: str
    attachment: Attachment
    a: tuple[float, ...]
    b: tuple[float, ...]
    segments: int


@dataclass(frozen=True)
class PointRow:
    """A row of the points."""

    row: Row
    attachment: Attachment
    position: tuple[float, ...]
    mass: float
    volume: float
    force: tuple[float, ...]
    drag_area: float
    added_mass: float


@dataclass(frozen=True)
class LineRow:
    """A row of the lines."""

    row: Row
    type: str
    ends: tuple[tuple[str, int], tuple[str, int]]  # ("point", 3), ("rod a", 1)
    length: float
    segments: int


@dataclass(frozen=True)
class FailureRow:
    """A row of the failures."""

    row: Row
    at: tuple[str, int]
    lines: tuple[int, ...]
    time: float
    tension: float


@dataclass(frozen=True)
class LoadRow:
    """A row of the external loads."""

    row: Row
    part: str  # point, body or rod
    number: int
    force: tuple[float, ...]
    linear: tuple[float, ...]
    quadratic: tuple[float, ...]
    local: bool


@dataclass(frozen=True)
class Option:
    """A value and its key."""

    row: Row
    value: Word


@dataclass
class Tables:
    """A whole file."""

    version: int = 2
    moorpy: bool = False  # read as MoorPy does: its gravity, and of visco-elastic ropes the static stiffness
    title: str = ""
    line_types: dict[str, LineType] = field(default_factory=dict)
    rod_types: dict[str, RodType] = field(default_factory=dict)
    bodies: dict[int, BodyRow] = field(default_factory=dict)
    rods: dict[int, RodRow] = field(default_factory=dict)
    points: dict[int, PointRow] = field(default_factory=dict)
    lines: dict[int, LineRow] = field(default_factory=dict)
    syrope: dict[int, SyropeRow] = field(default_factory=dict)  # by line
    failures: list[FailureRow] = field(default_factory=list)
    loads: list[LoadRow] = field(default_factory=list)
    options: dict[str, Option] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A heading and the rows below it."""

    key: str
    heading: Row
    rows: list[Row]


def sections_of(rows: Sequence[Row], ledger: Ledger) -> dict[str, Section]:
    """The sections of a file by key; text before the first and after `need this line` is free."""
    found: dict[str, Section] = {}
    current: Section | None = None
    for row in rows:
        if RULE not in row.text:
            if current is not None:
                current.rows.append(row)
            continue
        upper = " ".join(row.text.upper().split())
        key = next((key for key, phrases in SECTIONS.items() if any(phrase in upper for phrase in phrases)), "")
        if not key or (not found and "INPUT FILE" in upper):
            if found and "NEED THIS LINE" not in upper and not _ends(upper):
                current = Section("", row, [])
                found[f"? line {row.line}"] = current
            else:
                current = None
            continue
        if key in found:
            ledger.refuse(row.line, f"a second section of {key}; the first is at line {found[key].heading.line}")
        current = Section(key, row, [])
        found[key] = current
    for section in found.values():
        if not section.key and section.rows:
            title = section.heading.text.strip(" -\t")
            ledger.refuse(section.heading.line, f"section {shown(title)} is not known; its rows would be lost")
    return {key: section for key, section in found.items() if section.key}


def _ends(heading: str) -> bool:
    """Whether a rule closes the file: bare, or saying so."""
    return not heading.strip(" -=\t") or "END" in heading


def table_rows(section: Section, columns: int, ledger: Ledger) -> list[Row]:
    """The rows of data of a table: those below the row of names and the row of units."""
    rows = section.rows
    if not rows:
        return []
    if rows[0].numbers > len(rows[0]) // 3:
        ledger.refuse(rows[0].line, "the row of column names is missing; it and a row of units come before the data")
        return []
    if len(rows) == 1:
        return []
    units = rows[1]
    if units.numbers > min(columns, len(units)) // 3 and "(" not in units.text:
        ledger.note(
            "converted", units.line, "the row of units is missing; this row was read as data (MoorDyn skips it)"
        )
        return list(rows[1:])
    return list(rows[2:])


def attachment_of(word: Word, ledger: Ledger) -> Attachment:
    """What an attachment word means."""
    attached = _ATTACHED.fullmatch(word.text)
    if attached:
        return Attachment(attached[1].lower() + (" pinned" if attached[3] else ""), int(attached[2]))
    bare = word.text.rstrip("0123456789")
    kind = ATTACHMENTS.get(bare.upper())
    if kind is not None and bare != word.text:
        ledger.note("left out", word.line, f"the number in {word.text}, which MoorDyn ignores, too")
    if kind is None:
        near = get_close_matches(word.text.upper(), [*ATTACHMENTS, "BODY1", "TURBINE1"], 1)
        hint = f"; did you mean {near[0].capitalize()}?" if near else "; use Fixed, Coupled, Free, Body1, ..."
        raise word.refuse(f"{shown(word.text)} is not an attachment{hint}", "Attachment")
    return Attachment(kind)


def line_end(word: Word, name: str) -> tuple[str, int]:
    """What the end of a line is fastened to: ("point", 2) for 2, P2 or Con2; ("rod a", 1) for R1A."""
    found = _LINE_END.fullmatch(word.text)
    if not found:
        raise word.refuse(f"{shown(word.text)} is not a line end; examples are 2, P2, Con2, R1A, R1B", name)
    if found[1]:
        return "point", int(found[1])
    return f"rod {found[3].lower()}", int(found[2])


def vector(row: Row, first: int, names: Sequence[str]) -> tuple[float, ...]:
    """Three numbers side by side."""
    return tuple(row[first + k].number(names[first + k]) for k in range(3))


def exactly(row: Row, names: Sequence[str], ledger: Ledger, *, least: int | None = None) -> None:
    """Refuse a row that has too few columns, or numbers beyond the last; words beyond it are listed."""
    need = len(names) if least is None else least
    if len(row) < need:
        raise row.refuse(f"{len(row)} columns where {need} are expected: {' '.join(names[:need])}")
    extra = row.words[len(names) :]
    if any(word.is_number for word in extra):
        raise extra[0].refuse(f"{len(row)} columns where {len(names)} are expected: {' '.join(names)}")
    if extra:
        text = " ".join(word.text for word in extra)
        ledger.note("left out", row.line, f"{shown(text)}, which is after the last column")


def several(word: Word, name: str, allowed: Mapping[int, Sequence[int]], *, least: float | None = None) -> list[float]:
    """Numbers between bars, spread by their count: {1: (0, 0, 0)} uses one for all three."""
    parts = word.parts(name)
    order = allowed.get(len(parts))
    if order is None:
        counts = " or ".join(str(count) for count in allowed)
        raise word.refuse(f"{len(parts)} numbers between bars; {counts} are allowed", name)
    values = [part.number(name, least=least) for part in parts]
    return [values[k] if k >= 0 else 0.0 for k in order]


def number_of(row: Row, known: Mapping[int, object], kind: str) -> int:
    """The number that a row gives its part, once; letters may stand before it, as in P2."""
    digits = row[0].text.lstrip("PpLlBbRrCcOoNn")
    number = Word(digits or row[0].text, row.line, row[0].column, row.file).whole("ID", least=1)
    if number in known:
        raise row[0].refuse(f"{kind} {number} is given twice", "ID")
    return number
