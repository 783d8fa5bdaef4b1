"""Reader of MoorDyn files (and MoorPy's, which have the same form): text to tables to a case."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from ropewalk.io import moordyn_tables as t
from ropewalk.io.columns import Row, read_rows
from ropewalk.io.conversion import Conversion, Ledger, Wishes
from ropewalk.io.messages import one_line, shown
from ropewalk.io.moordyn_case import build_case
from ropewalk.io.moordyn_tables import Section, Tables

# keys of options by their synonyms, lower case
SYNONYMS: dict[str, str] = {
    **dict.fromkeys(("wtrdpth", "wtrdepth", "depth"), "depth"),
    **dict.fromkeys(("g", "gravity"), "gravity"),
    **dict.fromkeys(("rho", "rhow", "wtrdnsty"), "water density"),
    **dict.fromkeys(("kbot", "kb"), "bottom stiffness"),
    **dict.fromkeys(("cbot", "cb"), "bottom damping"),
    **dict.fromkeys(("frictioncoefficient", "mu_ka"), "friction"),
    "mu_kt": "transverse friction",
    "wavekin": "waves",
    "currents": "currents",
    "waterkin": "water kinematics",
    "dtwave": "wave step",
    "seafloorfile": "bathymetry",
    "dtout": "output step",
    "inertialf": "inertia of coupled parts",
}
# settings of MoorDyn's own solution, which a case does not need
SETTINGS = frozenset(
    {
        "dtm", "dt", "cfl", "tscheme", "dtic", "icdt", "tmaxic", "ictmax", "cdscaleic", "icdfac", "threshic",
        "icthresh", "icgendynamic", "gendynamicic", "fileic", "icfile", "unifycurrentgrid", "writelog", "writeunits",
        "disableoutput", "disableouttime", "outswitch", "fricdamp", "cv", "statdynfricscale", "mc", "inertialf_rampt",
    }
)  # fmt: skip
NO_LIFT = (0.0, t.LIFT_CENTRE, t.LIFT_WIDTH)
CLOSE = 0.75  # likeness of an unknown key to a known one that makes it a slip of the pen


def read_moordyn(path: Path, wishes: Wishes, *, moorpy: bool = False) -> Conversion:
    """Convert a MoorDyn input file; with `moorpy` as MoorPy reads it: of a visco-elastic rope the static stiffness."""
    ledger = Ledger(one_line(str(path)))
    tables = read_tables(path, ledger)
    tables.moorpy = moorpy
    build_case(tables, ledger, wishes, path.parent)
    return ledger.done("MoorPy" if moorpy else f"MoorDyn v{tables.version}")


def read_tables(path: Path, ledger: Ledger) -> Tables:
    """All tables of a file; rows that cannot be read are in the ledger's problems."""
    rows = read_rows(path)
    sections = t.sections_of(rows, ledger)
    tables = Tables(title=_title(rows))
    if "line types" not in sections and "lines" not in sections:
        ledger.refuse(1, "no LINE TYPES and no LINES section; this is not a MoorDyn file")
    tables.version = _version(sections, ledger)
    readers: dict[str, Callable[[Section, Tables, Ledger], None]] = {
        "line types": _line_types,
        "rod types": _rod_types,
        "bodies": _bodies,
        "rods": _rods,
        "points": _points,
        "lines": _lines,
        "failure": _failures,
        "loads": _loads,
        "options": _options,
        "outputs": _outputs,
        "control": _control,
        "syrope": _syrope,
    }
    for key, section in sections.items():
        readers[key](section, tables, ledger)
    if sections.get("lines") is None and not tables.bodies and not tables.rods:
        ledger.refuse(rows[-1].line if rows else 1, "no LINES section, and no body or rod that could do without lines")
    return tables


def _title(rows: list[Row]) -> str:
    """The free text above the first section."""
    for row in rows:
        if t.RULE in row.text:
            if any(phrase in row.text.upper() for phrase in t.SECTIONS["line types"]):
                return ""
            continue
        return one_line(row.text.strip())[:200]
    return ""


def _version(sections: dict[str, Section], ledger: Ledger) -> int:
    """1 where line types have nine columns, 2 where they have ten or more; the names of columns must not contradict."""
    kinds = sections.get("line types")
    if kinds is None:
        return 2
    rows = t.table_rows(kinds, len(t.TYPE_COLUMNS_1), Ledger(ledger.file))
    version = 1 if rows and all(len(row) == len(t.TYPE_COLUMNS_1) for row in rows) else 2
    lines = sections.get("lines")
    if lines is not None and lines.rows:
        names = [word.text.lower() for word in lines.rows[0].words]
        place = next((i for i, name in enumerate(names) if name.startswith(("unstr", "length"))), None)
        expected = t.LINE_COLUMNS_1 if version == 1 else t.LINE_COLUMNS
        if place is not None and place != expected.index("UnstrLen"):
            ledger.refuse(
                lines.rows[0].line,
                f"UnstrLen stands in column {place + 1}, but the line types have the columns of version {version}, "
                f"where it is in column {expected.index('UnstrLen') + 1}; bring the columns into one order",
            )
    return version


def _line_types(section: Section, tables: Tables, ledger: Ledger) -> None:
    columns = t.TYPE_COLUMNS_1 if tables.version == 1 else t.TYPE_COLUMNS
    if tables.version == 2 and section.rows:
        _check_names(section.rows[0], ledger)
    for row in t.table_rows(section, len(columns), ledger):
        with ledger.row():
            entry = _line_type_1(row) if tables.version == 1 else _line_type(row, ledger)
            if entry.name in tables.line_types:
                raise row[0].refuse(f"line type {shown(entry.name)} is given twice", "TypeName")
            tables.line_types[entry.name] = entry


def _check_names(header: Row, ledger: Ledger) -> None:
    """MoorDyn 2 reads line types by position; names in the order of version 1 are pointed out."""
    names = [word.text.lower() for word in header.words]
    if "cdn" in names and "can" in names and names.index("can") < names.index("cdn"):
        ledger.note(
            "converted",
            header.line,
            "the names of columns are in the order of version 1 (added mass first); columns were read by position, as "
            "MoorDyn 2 does: Cd, Ca, CdAx, CaAx",
        )


def _line_type(row: Row, ledger: Ledger) -> t.LineType:
    names = t.TYPE_COLUMNS
    numbers = next((k for k in range(5, len(row)) if not row[k].is_number), len(row))
    if numbers not in (10, 11, 13) or len(row) < 10:
        raise row.refuse(f"{numbers} columns; line types have 10, with Cl 11, with Cl, dF and cF 13: {' '.join(names)}")
    if numbers < len(row):
        text = " ".join(word.text for word in row.words[numbers:])
        ledger.note("left out", row.line, f"{shown(text)}, which is after the last column")
    return t.LineType(
        row,
        row[0].text,
        row[1].number("Diam", least=0.0),
        row[2].number("Mass/m", least=0.0),
        row[3],
        row[4],
        row[5].number("EI", least=0.0),
        (row[6].number("Cd", least=0.0), row[8].number("CdAx", least=0.0)),
        (row[7].number("Ca", least=0.0), row[9].number("CaAx", least=0.0)),
        _lift(row, numbers),
    )


def _lift(row: Row, numbers: int) -> tuple[float, float, float]:
    """Cl, cF and dF of a line type."""
    if numbers <= 10:
        return 0.0, t.LIFT_CENTRE, t.LIFT_WIDTH
    coefficient = row[10].number("Cl", least=0.0)
    if numbers == 11:
        return coefficient, t.LIFT_CENTRE, t.LIFT_WIDTH
    return coefficient, row[12].number("cF", least=0.0), row[11].number("dF", least=0.0)


def _line_type_1(row: Row) -> t.LineType:
    can, cat, cdn, cdt = (row[5 + k].number(t.TYPE_COLUMNS_1[5 + k], least=0.0) for k in range(4))
    diameter, mass = row[1].number("Diam", least=0.0), row[2].number("MassDen", least=0.0)
    return t.LineType(row, row[0].text, diameter, mass, row[3], row[4], 0.0, (cdn, cdt), (can, cat), NO_LIFT)


def _rod_types(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.ROD_TYPE_COLUMNS
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger)
            if row[0].text in tables.rod_types:
                raise row[0].refuse(f"rod type {shown(row[0].text)} is given twice", "TypeName")
            values = [row[k].number(names[k], least=0.0) for k in range(1, 7)]
            tables.rod_types[row[0].text] = t.RodType(
                row, values[0], values[1], (values[2], values[4]), (values[3], values[5])
            )


def _bodies(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.BODY_COLUMNS
    three = {1: (0, 0, 0), 3: (0, 1, 2)}
    drags = {1: (0,) * 6, 2: (0, 0, 0, 1, 1, 1), 3: (0, 1, 2, 0, 1, 2), 6: (0, 1, 2, 3, 4, 5)}
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger)
            number = t.number_of(row, tables.bodies, "body")
            tables.bodies[number] = t.BodyRow(
                row,
                t.attachment_of(row[1], ledger),
                t.vector(row, 2, names),
                t.vector(row, 5, names),
                row[8].number("Mass", least=0.0),
                tuple(t.several(row[9], "CG", {1: (-1, -1, 0), 3: (0, 1, 2)})),
                tuple(t.several(row[10], "I", three, least=0.0)),
                row[11].number("Volume", least=0.0),
                tuple(t.several(row[12], "CdA", drags, least=0.0)),
                tuple(t.several(row[13], "Ca", {**three, 6: (0, 1, 2)}, least=0.0)),
            )


def _rods(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.ROD_COLUMNS
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger, least=10)
            number = t.number_of(row, tables.rods, "rod")
            if row[1].text not in tables.rod_types:
                raise row[1].refuse(f"there is no rod type {shown(row[1].text)}", "RodType")
            ends = t.vector(row, 3, names), t.vector(row, 6, names)
            segments = row[9].whole("NumSegs", least=0)
            tables.rods[number] = t.RodRow(row, row[1].text, t.attachment_of(row[2], ledger), *ends, segments)


def _points(section: Section, tables: Tables, ledger: Ledger) -> None:
    for row in t.table_rows(section, len(t.POINT_COLUMNS), ledger):
        with ledger.row():
            numbers = 2 + next((k for k, w in enumerate(row.words[2:]) if not w.is_number and k != 2), len(row) - 2)
            names = t.POINT_COLUMNS_1 if numbers == len(t.POINT_COLUMNS_1) else t.POINT_COLUMNS
            t.exactly(row, names, ledger)
            number = t.number_of(row, tables.points, "point")
            force = t.vector(row, 7, names) if names is t.POINT_COLUMNS_1 else (0.0, 0.0, 0.0)
            tables.points[number] = t.PointRow(
                row,
                t.attachment_of(row[1], ledger),
                (*(row[2 + k].number(names[2 + k]) for k in range(2)), _height(row)),
                row[5].number("Mass", least=0.0),
                row[6].number("Volume", least=0.0),
                force,
                row[len(names) - 2].number("CdA", least=0.0),
                row[len(names) - 1].number("Ca", least=0.0),
            )


def _height(row: Row) -> float:
    """z of a point; MoorPy takes the word `seabed`, which stands for minus infinity until the depth is known."""
    return float("-inf") if row[4].text.lower() == "seabed" else row[4].number("Z")


def _lines(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.LINE_COLUMNS_1 if tables.version == 1 else t.LINE_COLUMNS
    length, segments, a, b = (2, 3, 4, 5) if tables.version == 1 else (4, 5, 2, 3)
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            if len(row) < 6:
                raise row.refuse(f"{len(row)} columns where 6 are expected: {' '.join(names[:6])}")
            number = t.number_of(row, tables.lines, "line")
            if row[1].text not in tables.line_types:
                near = get_close_matches(row[1].text, tables.line_types, 1)
                hint = f"; did you mean {shown(near[0])}?" if near else ""
                raise row[1].refuse(f"there is no line type {shown(row[1].text)}{hint}", "LineType")
            tables.lines[number] = t.LineRow(
                row,
                row[1].text,
                (t.line_end(row[a], names[a]), t.line_end(row[b], names[b])),
                row[length].number("UnstrLen", above=0.0),
                row[segments].whole("NumSegs", least=1),
            )
            if len(row) > 7 and any(word.is_number for word in row.words[7:]):
                raise row[7].refuse(f"{len(row)} columns where 7 are expected: {' '.join(names)}")


def _failures(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.FAILURE_COLUMNS
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger)
            lines = _numbers(row, 2)
            time, tension = (row[k].number(names[k], least=0.0) for k in (3, 4))
            tables.failures.append(t.FailureRow(row, t.line_end(row[1], "Point"), lines, time, tension))


def _numbers(row: Row, column: int) -> tuple[int, ...]:
    words = row[column].text.split(",")
    if not all(word.isascii() and word.isdigit() for word in words):
        raise row[column].refuse(f"{shown(row[column].text)} is not a list of line numbers, as in 1,2,3", "Line(s)")
    return tuple(int(word) for word in words)


def _loads(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.LOAD_COLUMNS
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger)
            part = row[1].text.lower().rstrip("0123456789")
            if part not in ("body", "point", "rod"):
                raise row[1].refuse(f"{shown(row[1].text)} is not Body1, Point1 or Rod1", "Object")
            number = t.Word(row[1].text[len(part) :], row.line, row[1].column, row.file).whole("Object", least=1)
            counts = {1: (0, 0, 0), 2: (0, 0, 1)} if part == "rod" else {1: (0, 0, 0), 3: (0, 1, 2)}
            force = t.several(row[2], "Fext", {1: (0, 0, 0), 3: (0, 1, 2)})
            if row[2].text.count("|") == 0 and any(force):
                raise row[2].refuse("a force takes three numbers, as in 0|0|1e4, or is 0", "Fext")
            if row[5].text.upper() not in ("G", "L", "-"):
                raise row[5].refuse(f"{shown(row[5].text)} is not G, L or -", "CSys")
            tables.loads.append(
                t.LoadRow(
                    row,
                    part,
                    number,
                    tuple(force),
                    tuple(t.several(row[3], "Blin", counts, least=0.0)),
                    tuple(t.several(row[4], "Bquad", counts, least=0.0)),
                    row[5].text.upper() == "L",
                )
            )


def _options(section: Section, tables: Tables, ledger: Ledger) -> None:
    for row in section.rows:
        with ledger.row():
            if len(row) < 2:
                raise row.refuse(f"{shown(row.text.strip())} is not a value and a key, as in 200 WtrDpth")
            value, key = row[0], row[1].text.strip("\"'").lower()
            if key not in SYNONYMS and key not in SETTINGS:
                first = value.text.strip("\"'").lower()
                if (first in SYNONYMS or first in SETTINGS) and row[1].is_number:
                    ledger.note("converted", row.line, f"value and key are in reverse order; read as {first} = {key}")
                    value, key = row[1], first
                else:
                    _unknown_option(row, key, ledger)
                    continue
            if key in SETTINGS:
                sentence = f"{key} = {value.text}, a setting of MoorDyn's own solver"
                ledger.note("left out", row.line, sentence)
                continue
            first_value = tables.options.get(SYNONYMS[key])
            if first_value is not None and first_value.value.text != value.text:
                first_line = first_value.row.line
                raise row[1].refuse(f"{SYNONYMS[key]} is given twice; first at line {first_line}")
            tables.options[SYNONYMS[key]] = t.Option(row, value)


def _unknown_option(row: Row, key: str, ledger: Ledger) -> None:
    """A slip of the pen is refused, since a default would act in its place; another key is listed."""
    near = get_close_matches(key, [*SYNONYMS, *SETTINGS], 1, CLOSE) if len(key) > 1 else []
    if near:
        raise row[1].refuse(f"there is no option {shown(row[1].text)}; did you mean {near[0]}?")
    if not row[0].is_number and not row[1].is_number:
        raise row.refuse(f"{shown(row.text.strip())} is not a value and a key, as in 200 WtrDpth")
    ledger.note("left out", row.line, f"option {shown(row[1].text)} = {shown(row[0].text)}, which is not known")


def _outputs(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = [word.text for row in section.rows for word in row.words if word.text.upper() != "END"]
    if names:
        listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        sentence = f"output channels {shown(listed)[1:-1]}: results contain every line, point and body"
        ledger.note("left out", section.heading.line, sentence)


def _control(section: Section, tables: Tables, ledger: Ledger) -> None:
    for row in t.table_rows(section, 2, ledger):
        channel = shown(row.text.strip())
        ledger.note("left out", row.line, f"control channel {channel}: lines keep their lengths; winches are `payout`")


def _syrope(section: Section, tables: Tables, ledger: Ledger) -> None:
    names = t.SYROPE_COLUMNS
    for row in t.table_rows(section, len(names), ledger):
        with ledger.row():
            t.exactly(row, names, ledger)
            highest, mean = (row[k].number(names[k], least=0.0) for k in (1, 2))
            if mean > highest:
                raise row[2].refuse(f"Tmean0 {mean:g} N is larger than Tmax0 {highest:g} N", "Tmean0")
            for number in _numbers(row, 0):
                if number in tables.syrope:
                    raise row[0].refuse(f"line {number} is given twice", "Line(s)")
                tables.syrope[number] = t.SyropeRow(row, highest)
            ledger.note(
                "left out", row.line, f"Tmean0 {mean:g} N: a run begins with the mean tensions of its equilibrium"
            )
