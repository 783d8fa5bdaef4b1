"""Writer of MoorDyn v2 input files from a case [MoorDyn2025].

A line of several pieces, or with lumps on it, becomes several lines joined at free points. What MoorDyn cannot hold is
refused; what does not matter to the forces in lines is listed and left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ropewalk.errors import InputError, Problem
from ropewalk.io.messages import path_text
from ropewalk.io.moordyn_write_body import BodyTables, body_tables
from ropewalk.io.moordyn_write_rows import PointLine, Written, number
from ropewalk.io.moordyn_write_sea import sea_files
from ropewalk.model.in_time import steady_vector
from ropewalk.spec.in_time import changing
from ropewalk.spec.joints import Joint
from ropewalk.spec.lines import Line, LineAttachment, Point
from ropewalk.spec.ropes import RopeLaw, SyropeLaw, ViscoelasticLaw
from ropewalk.spec.sections import PolynomialLaw, Section, TableLaw
from ropewalk.spec.system import System

TYPE_COLUMNS = 10  # of line types without lift
SEGMENTS = 40  # of a line whose case leaves the mesh to the program
RULE = "-" * 22


def write_moordyn(system: System, name: str) -> Written:
    """The case as a MoorDyn v2 file called `name`."""
    _refuse(system)
    out = Written()
    points: list[PointLine] = []
    ends: dict[str, str] = {}
    for point_name, point in system.points.items():
        points.append(_point(point_name, point, out))
        ends[point_name] = str(len(points))
    bodies = body_tables(system, points, ends, out)
    words = _words(system)
    lines = [row for line in system.lines for row in _lines(line, (system, words), points, ends, out)]
    kinds = {section: _line_type(words[section], part, name, out) for section, part in _used(system)}
    _list_settings(system, points, out)
    options = sea_files(system, points, out)
    out.text = "\n".join(_text(system, name, (kinds, bodies, points, lines, options))) + "\n"
    return out


def _refuse(system: System) -> None:
    """What a MoorDyn file cannot hold."""
    problems = []
    for kind in ("nets", "rods", "links"):
        for name in getattr(system, kind):
            problems.append(Problem(f"MoorDyn files contain no {kind}", path=f"{kind}.{name}"))
    for name, line in system.lines.items():
        for key, what in (
            ("loads", "loads along lines"),
            ("over", "points that lines run over"),
            ("payout", "winches"),
        ):
            if getattr(line, key):
                problems.append(Problem(f"MoorDyn files contain no {what}", path=f"lines.{name}.{key}"))
    for name, point in system.points.items():
        if isinstance(point.joint, Joint):
            problems.append(Problem("MoorDyn holds points in all directions or in none", path=f"points.{name}.joint"))
    for path in changing(system):
        problems.append(Problem("MoorDyn has no time-varying input for this", path=path_text(path)))
    if (current := system.environment.current) is not None and current.profile.kind == "grid":
        problems.append(Problem("MoorDyn files contain no currents on grids", path="environment.current.profile"))
    if not system.lines:
        problems.append(Problem("the case has no lines; MoorDyn needs one"))
    if problems:
        raise InputError(problems)


def _point(name: str, point: Point, out: Written) -> PointLine:
    words = {"fixed": "Fixed", "free": "Free"}
    if point.joint == "moving":
        out.note(f"motion of point '{name}': it is Coupled, and the calling program moves it")
    return PointLine(
        words.get(str(point.joint), "Coupled"),
        point.position,
        point.mass,
        point.volume,
        steady_vector(point.force),
        point.drag_area,
        point.added_mass,
        name,
    )


# --- lines ---


def _words(system: System) -> dict[str, str]:
    """Names of sections as words without blanks, each its own."""
    words: dict[str, str] = {}
    for name in system.sections:
        word = name.replace(" ", "_")
        while word in words.values():
            word += "_"
        words[name] = word
    return words


def _list_settings(system: System, points: Sequence[PointLine], out: Written) -> None:
    """What belongs to the solution here, or has no column there."""
    used = {name for name, _ in _used(system)}
    if unused := [name for name in system.sections if name not in used]:
        out.note(f"sections that no line uses: {', '.join(unused)}")
    if system.run is not None:
        out.note("run: duration and solver are those of the program that calls MoorDyn")
    if "statics" in system.model_fields_set:
        out.note("statics: settings of ropewalk's own methods")
    for name, line in system.lines.items():
        if line.grading != 1.0:
            out.note(f"grading of line '{name}': segments of MoorDyn are of equal length")
    for point in points:
        if point.added_mass and not point.volume:
            out.note(f"added_mass of {point.name}: MoorDyn takes multiples of the displaced mass, and it has none")


def _lines(
    name: str, case: tuple[System, dict[str, str]], points: list[PointLine], ends: dict[str, str], out: Written
) -> Iterator[list[str]]:
    """Rows of a line: one for each stretch between its ends, its joints and its lumps."""
    system, words = case
    line = system.lines[name]
    if line.break_ is not None:
        out.note(f"break of line '{name}': MoorDyn-C does not support it; MoorDyn-F has a section FAILURE")
    stretches = _stretches(line)
    total = line.length
    count = line.elements or SEGMENTS
    a, b = _place(system, line.from_), _place(system, line.to)
    start, s = ends[line.from_], 0.0
    for k, (section, length, elements, lump) in enumerate(stretches):
        s += length
        if k == len(stretches) - 1:
            stop = ends[line.to]
        else:
            place = [p + (q - p) * s / total for p, q in zip(a, b, strict=True)]
            points.append(_joint(f"{name} at {s:g} m", place, lump))
            stop = str(len(points))
        segments = elements or max(1, round(count * length / total))
        yield [words[section], start, stop, number(length), str(segments), "p", f"# {name}"]
        start = stop


def _stretches(line: Line) -> list[tuple[str, float, int | None, LineAttachment | None]]:
    """Section, length, elements and the lump at the far end of each stretch of one section without lumps inside."""
    lumps: dict[float, list[LineAttachment]] = {}
    for lump in line.attachments:
        lumps.setdefault(lump.s, []).append(lump)
    found: list[tuple[str, float, int | None, LineAttachment | None]] = []
    begin = 0.0
    for piece in line.pieces:
        end = begin + piece.length
        inside = sorted(s for s in lumps if begin < s < end)
        places = [*inside, end]
        previous = begin
        for place in places:
            share = (place - previous) / piece.length
            elements = None if piece.elements is None else max(1, round(piece.elements * share))
            found.append((piece.section, place - previous, elements, _together(lumps.get(place, []))))
            previous = place
        begin = end
    return found


def _together(lumps: Sequence[LineAttachment]) -> LineAttachment | None:
    """Lumps at one place as one."""
    if len(lumps) < 2:
        return lumps[0] if lumps else None
    sums = {key: sum(getattr(lump, key) for lump in lumps) for key in ("mass", "volume", "drag_area", "added_mass")}
    force = tuple(sum(steady_vector(lump.force)[k] for lump in lumps) for k in range(3))
    return LineAttachment(s=lumps[0].s, force=force, **sums)


def _joint(name: str, place: list[float], lump: LineAttachment | None) -> PointLine:
    if lump is None:
        return PointLine("Free", place, name=name)
    return PointLine(
        "Free", place, lump.mass, lump.volume, steady_vector(lump.force), lump.drag_area, lump.added_mass, name
    )


def _place(system: System, end: str) -> list[float]:
    """Where an end of a line is in the case."""
    if "." not in end:
        return list(system.points[end].position)
    from ropewalk.io.attitudes import from_case

    body_name, _, attachment = end.partition(".")
    body = system.bodies[body_name]
    turned = from_case(body.attitude) @ list(body.attachments[attachment])
    return [float(p + q) for p, q in zip(body.position, turned, strict=True)]


# --- sections ---


def _used(system: System) -> Iterator[tuple[str, Section]]:
    used = {piece.section for line in system.lines.values() for piece in line.pieces}
    for name, section in system.sections.items():
        if name in used:
            yield name, section


def _line_type(name: str, section: Section, file: str, out: Written) -> list[str]:
    d = section.diameter if section.volume_diameter is None else section.volume_diameter
    if d == 0.0:
        raise InputError(f"section '{name}' has no displaced volume; MoorDyn's Diam must be above 0")
    stiffness, slope = _stiffness(name, section, file, out)
    scale = (section.drag_diameter or section.diameter) / d  # MoorDyn's drag is on the volume-equivalent diameter
    axial = scale if section.drag.tangential_reference == "circumference" else scale / math.pi
    if isinstance(section.axial_stiffness, SyropeLaw):
        out.note(f"initial mean tension of section '{name}': Tmean0 is written as the highest mean tension")
    normal, tangential = section.drag.numbers
    if section.drag.has_law:
        out.note(f"drag of section '{name}' by angle or Reynolds number: {normal:g} across and {tangential:g} along")
    if section.along is not None:
        out.note(f"properties along s of section '{name}': means, as MoorDyn's line types are uniform")
    if section.compression:
        out.note(f"compression of section '{name}': lines of MoorDyn carry no compression")
    if section.contact_diameter:
        out.note(f"contact_diameter of section '{name}': MoorDyn's lines rest on their axis")
    if section.breaking_load is not None and section.catalogue is None:
        out.note(f"breaking_load of section '{name}'")
    law = section.axial_stiffness
    damping = (
        f"{number(law.viscosity)}|{number(law.dynamic_viscosity)}"
        if isinstance(law, RopeLaw)
        else number(section.damping * slope)
    )
    values = [
        0.0,
        normal * scale,
        section.added_mass.normal,
        tangential * axial,
        section.added_mass.tangential,
    ]
    lift = section.lift
    if lift is not None:
        # MoorDyn's lift is on the volume-equivalent diameter; its frequencies are, too
        values += [lift.coefficient * scale, lift.width / scale, lift.centre / scale]
    return [name, number(d), number(section.mass or 0.0), stiffness, damping, *map(number, values)]


def _stiffness(name: str, section: Section, file: str, out: Written) -> tuple[str, float]:
    """EA or the name of a table, and the slope at zero strain."""
    law = section.axial_stiffness
    if isinstance(law, float | int):
        return number(law), float(law)
    if isinstance(law, TableLaw):
        table = f"{PurePath(file).stem}_{name}.dat"
        rows = "".join(f"{number(e)} {number(t)}\n" for e, t in zip(law.strain, law.tension, strict=True))
        out.files[table] = f"---- {name} ----\nStrain Tension\n(-) (N)\n{rows}"
        return table, (law.tension[1] - law.tension[0]) / (law.strain[1] - law.strain[0])
    if isinstance(law, ViscoelasticLaw):
        return f"{number(law.static)}|{number(law.dynamic)}|{number(law.dynamic_slope)}", law.dynamic
    if isinstance(law, SyropeLaw):
        return _syrope(name, law, file, out), law.dynamic
    what = "a polynomial" if isinstance(law, PolynomialLaw) else "inextensible"
    raise InputError(f"section '{name}': axial_stiffness is {what}; MoorDyn takes a number or a table")


def _syrope(name: str, law: SyropeLaw, file: str, out: Written) -> str:
    """EA of a Syrope rope, whose curves are put into two files."""
    stem = f"{PurePath(file).stem}_{name}"
    rows = "".join(f"{number(e)} {number(t)}\n" for e, t in zip(law.strain, law.tension, strict=True))
    out.files[f"{stem}_owc.dat"] = f"Strain Tension\n(-) (N)\n{rows}"
    form = {"linear": "LINEAR", "quadratic": "QUADRATIC", "exponential": "EXP"}[law.working_curve]
    first = law.residual if law.slope is None else law.slope
    out.files[f"{stem}_syrope.dat"] = (
        f"{stem}_owc.dat OWC\n{form} WCType\n{number(first or 0.0)} k1\n{number(law.bend)} k2\n"
    )
    return f"SYROPE:{stem}_syrope.dat|{number(law.dynamic)}|{number(law.dynamic_slope)}"


def _syrope_starts(system: System, lines: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of the highest and the present mean tension of Syrope lines, which begin at the highest."""
    words = {word: system.sections[name].axial_stiffness for name, word in _words(system).items()}
    laws = [(k, words[row[0]]) for k, row in enumerate(lines, 1)]
    return [
        [str(k), *[number(law.highest_mean or law.tension[1])] * 2] for k, law in laws if isinstance(law, SyropeLaw)
    ]


# --- text ---


def _text(system: System, name: str, parts: tuple[Any, ...]) -> Iterator[str]:
    kinds, bodies, points, lines, options = parts
    yield f"{RULE} MoorDyn Input File {RULE}"
    yield f"{system.title or PurePath(name).stem} (written by ropewalk)"
    sheds = any(len(row) > TYPE_COLUMNS for row in kinds.values())
    yield from _table(
        "LINE TYPES",
        "TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx" + " Cl dF cF" * sheds,
        "(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)" + " (-) (-) (-)" * sheds,
        list(kinds.values()),
    )
    yield from _body_text(bodies)
    forced = any(any(point.force) for point in points)
    yield from _table(
        "POINTS",
        f"ID Attachment X Y Z Mass Volume {'FX FY FZ ' if forced else ''}CdA Ca",
        f"(#) (-) (m) (m) (m) (kg) (m^3) {'(N) (N) (N) ' if forced else ''}(m^2) (-)",
        [_point_row(k, point, system, forced) for k, point in enumerate(points, 1)],
    )
    yield from _table(
        "LINES",
        "ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs",
        "(#) (name) (#) (#) (m) (-) (-)",
        [[str(k), *row] for k, row in enumerate(lines, 1)],
    )
    if starts := _syrope_starts(system, lines):
        yield from _table("SYROPE IC", "Line(s) Tmax0 Tmean0", "(-) (N) (N)", starts)
    if bodies.loads:
        yield from _table(
            "EXTERNAL LOADS", "ID Object Fext Blin Bquad CSys", "(#) (name) (N) (Ns/m) (Ns^2/m^2) (-)", bodies.loads
        )
    yield f"{RULE} OPTIONS {RULE}"
    yield from options
    yield f"{RULE} OUTPUTS {RULE}"
    for k in range(1, len(lines) + 1):
        yield f"FAIRTEN{k}"
        yield f"ANCHTEN{k}"
    yield f"{RULE} need this line {RULE}"


def _body_text(bodies: BodyTables) -> Iterator[str]:
    if bodies.rod_types:
        yield from _table(
            "ROD TYPES", "TypeName Diam Mass/m Cd Ca CdEnd CaEnd", "(name) (m) (kg/m) (-) (-) (-) (-)", bodies.rod_types
        )
    if bodies.bodies:
        yield from _table(
            "BODIES",
            "ID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG I Volume CdA Ca",
            "(#) (-) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m^2) (m^3) (m^2) (-)",
            bodies.bodies,
        )
    if bodies.rods:
        yield from _table(
            "RODS",
            "ID RodType Attachment Xa Ya Za Xb Yb Zb NumSegs RodOutputs",
            "(#) (name) (#/key) (m) (m) (m) (m) (m) (m) (-) (-)",
            bodies.rods,
        )


def _point_row(k: int, point: PointLine, system: System, forced: bool) -> list[str]:
    displaced = system.environment.water_density * point.volume
    added = point.added_mass / displaced if displaced else 0.0
    values = [*point.position, point.mass, point.volume, *(point.force if forced else ()), point.drag_area, added]
    return [str(k), point.attachment, *map(number, values), f"# {point.name}" if point.name else ""]


def _table(title: str, names: str, units: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A section with its columns in line."""
    cells = [names.split(), units.split(), *rows]
    columns = max(len(row) for row in cells)
    width = [max((len(row[k]) for row in cells if k < len(row)), default=0) for k in range(columns)]
    yield f"{RULE} {title} {RULE}"
    for row in cells:
        yield "  ".join(cell.ljust(width[k]) for k, cell in enumerate(row)).rstrip()
