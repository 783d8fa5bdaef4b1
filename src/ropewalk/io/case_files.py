"""Tables that a case has in files beside it: read, and put into the data of the case in their place.

A checked System holds the tables themselves, so that it, and every result, can be used without the files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ropewalk.errors import InputError, Problem
from ropewalk.io.attitudes import to_case
from ropewalk.io.csv_tables import Column, Table, columns_in, read_table
from ropewalk.io.locations import Step
from ropewalk.io.messages import Places, path_text, shown
from ropewalk.io.profiles import rows_of_components
from ropewalk.model.state import rotation_matrix

TIME = Column("t", "time", ("time",))
XYZ = [Column(axis, "length") for axis in "xyz"]
TURNS = [Column(f"r{axis}", "angle") for axis in "xyz"]
FORCE = [Column(f"F_{axis}", "force", (f"force_{axis}",)) for axis in "xyz"]
MOMENT = [Column(f"M_{axis}", "moment", (f"moment_{axis}",)) for axis in "xyz"]
LOAD = [Column(f"f_{axis}", "load", (f"force_{axis}",)) for axis in "xyz"]
START = ("run", "start")
STEP_OF_PATH = re.compile(r"[^.\[\]]+")
MOST_FILES = 1000  # of one case

Path_ = tuple[Step, ...]


def put_tables(data: Any, folder: Path, name: str, places: Places) -> None:
    """Replace every `kind: file` in the data of a case by the table in that file, in place.

    folder : of the case    name, places : of the case file, for messages
    """
    from ropewalk.io.native import resolve  # which reads cases with this

    found = list(_files(data))
    if len(found) > MOST_FILES:
        raise InputError(Problem(f"the case refers to {len(found)} files; at most {MOST_FILES}", name))
    for path, holder in found:
        file = holder.get("file")
        if not isinstance(file, str):
            continue  # the check of the case reports the error
        reader = _reader(_in_case(path), _at(data, path[:-1]))
        if reader is None:
            continue
        line, column = places.nearest((*path, "file"))
        try:
            reader(holder, resolve(folder, file), file, data)
        except InputError as error:
            if any(problem.file for problem in error.problems):
                raise
            text = "; ".join(problem.message for problem in error.problems)
            raise InputError(Problem(text, name, line, column, path_text((*path, "file")))) from None


def _files(data: Any, path: Path_ = ()) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Mappings with `kind: file`, or with a file in place of their numbers, and their paths."""
    if isinstance(data, dict):
        if data.get("kind") == "file" or (path and (path == START or path[-1] == "payout") and "file" in data):
            yield path, data
        for key, inner in data.items():
            yield from _files(inner, (*path, key))
    elif isinstance(data, list):
        for k, inner in enumerate(data):
            yield from _files(inner, (*path, k))


def _at(data: Any, path: Path_) -> Any:
    """What stands at a path of the data."""
    for step in path:
        data = data[step]
    return data


def _in_case(path: Path_) -> Path_:
    """The path itself, or that of the value which `run.start.under` puts in its place."""
    under = (*START, "under")
    if path[:3] != under or len(path) < 4 or not isinstance(path[3], str):
        return path
    return (*STEP_OF_PATH.findall(path[3]), *path[4:])


Reader = Callable[[dict[str, Any], Path, str, Any], None]


def _reader(path: Path_, around: Any) -> Reader | None:
    """What reads the file named at a path of the case.  around : the mapping or list that it stands in"""
    first, last = (path[0] if path else ""), path[-1] if path else ""
    if path == ("environment", "current", "profile"):
        return _profile(around)
    if path == ("environment", "waves"):
        return _waves
    if path == ("environment", "seabed"):
        return _seabed
    if last == "motion":
        return _motion
    if first == "nets" and last == "panel":
        return _knots
    if first == "sections" and last == "axial_stiffness":
        return _law
    if first == "sections" and last == "along":
        return _along
    if first == "bodies" and last == "coefficients":
        return _foil
    if first == "lines" and len(path) == 4 and path[2] == "loads":
        return _line_load
    if last == "payout":
        return _payout
    if path == START:
        return _state
    if path[:3] == (*START, "lines") and len(path) == 5 and last == "shape":
        return _shape(around)
    if path[:2] == START:
        return None
    if last in ("force", "moment") and "axes" not in path:
        return _vector(FORCE if last == "force" else MOMENT)
    return _value(_kind_of(path))


def _kind_of(path: Path_) -> str:
    """Kind of quantity of a single value that changes in time."""
    last = path[-1] if path else ""
    named = {
        "speed": "speed",
        "rate": "speed",
        "heading": "angle",
        "rest": "length",
        "factor": "number",
        "angle": "angle",
    }
    if isinstance(last, str) and last in named:
        return named[last]
    if last == "value":
        return "load"
    return "moment" if "moment" in path else "force"


def _become(holder: dict[str, Any], file: str, **values: Any) -> None:
    """Make a mapping that names a file one that holds its table."""
    kept = {key: value for key, value in holder.items() if key not in ("kind", "file")}
    holder.clear()
    holder.update({**values, **kept, "source": file})


def _rows(table: Table, columns: list[Column]) -> list[list[float]]:
    return [list(row) for row in zip(*(table[c.name] for c in columns), strict=True)]


def _rising(table: Table, name: str) -> None:
    """Refuse a column that does not rise."""
    values = table[name]
    for k in range(1, len(values)):
        if values[k] <= values[k - 1]:
            text = f"'{name}' must increase from row to row, but {values[k]:g} follows {values[k - 1]:g}"
            raise InputError(Problem(text, table.file, table.lines[k]))


def _monotone(table: Table, name: str) -> None:
    """Refuse a column that neither rises nor falls throughout."""
    values = table[name]
    for k in range(1, len(values)):
        if (values[k] - values[k - 1]) * (values[1] - values[0]) <= 0.0:
            text = f"'{name}' must increase or decrease from row to row, but {values[k]:g} follows {values[k - 1]:g}"
            raise InputError(Problem(text, table.file, table.lines[k]))


def _at_least_two(table: Table) -> None:
    if len(table.lines) < 2:
        raise InputError(Problem("one row only; this table needs two or more", table.file, table.lines[0]))


def _not_below(table: Table, name: str, least: float = 0.0, *, itself: bool = True) -> None:
    """Refuse entries below a bound, or at it unless `itself` is allowed."""
    for value, line in zip(table[name], table.lines, strict=True):
        if value < least or (value == least and not itself):
            limit = "at least" if itself else "greater than"
            raise InputError(Problem(f"'{name}' must be {limit} {least:g}, not {value:g}", table.file, line))


def _value(kind: str) -> Reader:
    def read(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
        table = read_table(path, file, [[TIME, Column("value", kind, NAMES[kind])]])
        _rising(table, "t")
        _become(holder, file, kind="table", time=list(table["t"]), value=list(table["value"]))

    return read


NAMES: dict[str, tuple[str, ...]] = {
    "speed": ("speed", "rate"),
    "angle": ("heading", "angle"),
    "length": ("rest", "length"),
    "number": ("factor",),
    "load": ("pressure", "load"),
    "force": ("F", "force"),
    "moment": ("M", "moment"),
}


def _vector(columns: list[Column]) -> Reader:
    def read(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
        table = read_table(path, file, [[TIME, *columns]])
        _rising(table, "t")
        _become(holder, file, kind="table", time=list(table["t"]), value=_rows(table, columns))

    return read


def _motion(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    table = read_table(path, file, [[TIME, *XYZ], [TIME, *XYZ, *TURNS]])
    _at_least_two(table)
    _rising(table, "t")
    turns = {"rotation": _rows(table, TURNS)} if "rx" in table.columns else {}
    _become(holder, file, kind="table", time=list(table["t"]), displacement=_rows(table, XYZ), **turns)


def _law(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    table = read_table(path, file, [[Column("strain", "number"), Column("tension", "force", ("T",))]])
    _at_least_two(table)
    _rising(table, "strain")
    _rising(table, "tension")
    _become(holder, file, kind="table", strain=list(table["strain"]), tension=list(table["tension"]))


ALONG = [
    Column("diameter", "length"), Column("mass", "mass per length"), Column("axial_stiffness", "force"),
    Column("modulus", "pressure"), Column("area", "area"), Column("drag_normal", "number"),
    Column("drag_tangential", "number"), Column("added_mass_normal", "number"),
    Column("added_mass_tangential", "number"),
]  # fmt: skip


def _along(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    """Properties of a section against s: every column that the file has."""
    s = Column("s", "length")
    there = columns_in(path, file, ALONG)
    if not there:
        names = ", ".join(column.name for column in ALONG)
        raise InputError(Problem(f"no column is a property; besides s, give one or more of {names}", file))
    table = read_table(path, file, [[s, *there]])
    _at_least_two(table)
    for k in range(1, len(table["s"])):
        if table["s"][k] < table["s"][k - 1]:
            text = f"'s' must not decrease from row to row, but {table['s'][k]:g} follows {table['s'][k - 1]:g}"
            raise InputError(Problem(text, table.file, table.lines[k]))
    _become(holder, file, **{name: list(values) for name, values in table.columns.items()})


def _foil(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    """Coefficients of a foil against its angle of attack."""
    needed = [
        Column("angle", "angle", ("alpha",)),
        Column("lift", "number", ("cl",)),
        Column("drag", "number", ("cd",)),
    ]
    table = read_table(path, file, [needed, [*needed, Column("moment", "number", ("cm",))]])
    _at_least_two(table)
    _rising(table, "angle")
    _not_below(table, "drag")
    _become(holder, file, **{name: list(values) for name, values in table.columns.items()})


def _line_load(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    table = read_table(path, file, [[Column("s", "length"), *LOAD]])
    _at_least_two(table)
    _not_below(table, "s")
    _rising(table, "s")
    _become(holder, file, kind="table", s=list(table["s"]), force=_rows(table, LOAD))


def _payout(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    table = read_table(path, file, [[TIME, Column("length", "length")]])
    _at_least_two(table)
    _not_below(table, "t")
    _rising(table, "t")
    kept = {key: value for key, value in holder.items() if key != "file"}
    holder.clear()
    holder.update({**kept, "time": list(table["t"]), "length": list(table["length"])})


def _profile(current: Any) -> Reader:
    """Of the mapping of the current, which gets its speed from the file."""

    def read(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
        z, speed, heading = Column("z", "length"), Column("speed", "speed"), Column("heading", "angle")
        east, north = Column("u", "speed"), Column("v", "speed")
        up, x, y = Column("w", "speed"), Column("x", "length"), Column("y", "length")
        places = [[x, y, z, TIME], [x, y, z], [z, TIME]]
        grids = [[*place, east, north, *more] for place in places for more in ([up], [])]
        profiles = [[z, east, north], [z, speed, heading], [z, speed]]
        table = read_table(path, file, grids if columns_in(path, file, [x, y, TIME]) else profiles)
        if current.get("profile") is not holder:
            raise InputError(f"{shown(file)} gives the speeds, too: write environment.current: {{profile: ...}}")
        if "speed" in current:
            raise InputError(f"{shown(file)} gives the speeds of the current; leave 'speed' out")
        if "t" in table.columns or "x" in table.columns:
            current["speed"] = 1.0
            _become(holder, file, **_grid(table, file))
            return
        _monotone(table, "z")
        if "u" in table.columns:
            rows = rows_of_components(table["z"], table["u"], table["v"])
        else:
            turns = table.columns.get("heading", (0.0,) * len(table.lines))
            rows = list(zip(table["z"], table["speed"], turns, strict=True))
        heights, speeds, headings = (list(column) for column in zip(*rows, strict=True))
        current["speed"] = largest = max(map(abs, speeds))
        factor = [value / largest if largest > 0.0 else 0.0 for value in speeds]
        _become(holder, file, kind="table", z=heights, factor=factor, turn=headings)

    return read


def _grid(table: Table, file: str) -> dict[str, Any]:
    """A current on a grid, from rows of places, times and velocities in any order."""
    none = (0.0,) * len(table.lines)
    columns = [table.columns.get(name, none) for name in ("x", "y", "z", "t")]
    axes = [sorted(set(column)) for column in columns]
    rows = dict(zip(zip(*columns, strict=True), zip(table["u"], table["v"], table.columns.get("w", none), strict=True),
                    strict=True))  # fmt: skip
    places = [(x, y, z, t) for t in axes[3] for x in axes[0] for y in axes[1] for z in axes[2]]
    if len(rows) < len(table.lines):
        raise InputError(Problem("a grid point and time is given twice", file, table.lines[0]))
    missing = next((place for place in places if place not in rows), None)
    if missing is not None:
        at = "x = {:g} m, y = {:g} m, z = {:g} m, t = {:g} s".format(*missing)
        raise InputError(Problem(f"the grid has no row at {at}; it needs one at each of its points and times", file))
    names = ("x", "y", "z", "time")
    return {"kind": "grid", **dict(zip(names, axes, strict=True)), "velocity": [list(rows[place]) for place in places]}


def _waves(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    amplitude, period, omega = Column("amplitude", "length", ("a",)), Column("period", "time"), Column("omega", "rate")
    heading, phase = Column("heading", "angle"), Column("phase", "phase")
    state = [Column("Hs", "length", ("significant_height",)), Column("Tp", "time", ("peak_period",))]
    gamma = Column("gamma", "number")
    sets = [[amplitude, by, *more] for by in (period, omega)
            for more in ([], [heading], [phase], [heading, phase])]  # fmt: skip
    states = [[*state, *more] for more in ([], [heading], [gamma], [heading, gamma])]
    table = read_table(path, file, [*sets, *states])
    for name in ("amplitude", "Hs", "period", "omega", "Tp"):
        if name in table.columns:
            _not_below(table, name, itself=name in ("amplitude", "Hs"))
    n = len(table.lines)
    if "Hs" in table.columns:
        if n > 1:
            text = f"{n} sea states; a case has one sea: keep one row, or vary the case by 'ropewalk sweep'"
            raise InputError(Problem(text, file, table.lines[1]))
        keys = {"Hs": "significant_height", "Tp": "peak_period", "heading": "heading", "gamma": "gamma"}
        values = {keys[name]: column[0] for name, column in table.columns.items()}
        kept = {key: value for key, value in holder.items() if key not in ("kind", "file")}
        holder.clear()
        holder.update({"kind": "jonswap", **values, **kept})
        return
    if "omega" in table.columns:
        periods = [2.0 * math.pi / omega for omega in table["omega"]]
    else:
        periods = list(table["period"])
    zeros = (0.0,) * n
    columns = (table["amplitude"], periods, table.columns.get("heading", zeros), table.columns.get("phase", zeros))
    names = ("amplitude", "period", "heading", "phase")
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    _become(holder, file, kind="components", components=rows)


def _seabed(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    """Depths of a grid, its places in any order."""
    table = read_table(path, file, [[Column("x", "length"), Column("y", "length"), Column("depth", "length")]])
    x, y = sorted(set(table["x"])), sorted(set(table["y"]))
    at: dict[tuple[float, float], float] = {}
    for a, b, depth, line in zip(table["x"], table["y"], table["depth"], table.lines, strict=True):
        if (a, b) in at:
            raise InputError(Problem(f"x = {a:g} m, y = {b:g} m is given twice", table.file, line))
        at[a, b] = depth
    missing = next(((a, b) for b in y for a in x if (a, b) not in at), None)
    if missing is not None:
        text = f"no depth at x = {missing[0]:g} m, y = {missing[1]:g} m; a grid has one for each pair of its x and y"
        raise InputError(Problem(text, table.file))
    _become(holder, file, kind="grid", x=x, y=y, depth=[[at[a, b] for a in x] for b in y])


def _knots(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    """Knots in one file, their twines in another."""
    from ropewalk.io.native import resolve

    other = holder.get("twines")
    if not isinstance(other, str):
        raise InputError(f"{shown(file)} contains the knots; give the file of the twines, too: twines: twines.csv")
    knots = read_table(path, file, [XYZ])
    a, b = Column("a", "number"), Column("b", "number")
    twines = read_table(resolve(path.parent, other), other, [[a, b], [a, b, Column("length", "length")]])
    for row, (one, two) in enumerate(zip(twines["a"], twines["b"], strict=True)):
        if one != int(one) or two != int(two):
            text = f"knots are whole numbers from 0, not {one:g} and {two:g}"
            raise InputError(Problem(text, other, twines.lines[row]))
    lengths = twines.columns.get("length")
    rows = [[int(p), int(q)] for p, q in zip(twines["a"], twines["b"], strict=True)]
    holder.pop("twines")
    joined = rows if lengths is None else [[*row, size] for row, size in zip(rows, lengths, strict=True)]
    _become(holder, f"{file}, {other}", kind="knots", knots=_rows(knots, XYZ), twines=joined)


# --- where a run begins ---

SAME_TIME = 1e-6  # s, between a record and the time that the case gives


def _shape(own: Any) -> Reader:
    """Of the mapping of a line, in which the mapping that names the file becomes the list of points."""

    def read(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
        table = read_table(path, file, [XYZ, [Column("s", "length"), *XYZ]])
        if len(table.lines) < 2:
            raise InputError(Problem("a shape needs two points or more", file, table.lines[0]))
        own["shape"] = _rows(table, XYZ)
        if "s" in table.columns:
            _rising(table, "s")
            own["s"] = list(table["s"])

    return read


def _state(holder: dict[str, Any], path: Path, file: str, data: Any) -> None:
    """The state of a result at a time, as shapes and velocities of its parts."""
    from ropewalk.io.netcdf import open_results

    with open_results(path) as results:
        row = _record(results, holder.get("time"), file)
        at = results.isel(time=row).load()
    kept = {key: value for key, value in holder.items() if key not in ("file", "time")}
    lines = {str(name): _line_state(at, str(name)) for name in at.line.values} if "line" in at.dims else {}
    holder.clear()
    holder.update({
        "state": "as_given", "source": f"{file} at {float(at.time):g} s", "lines": lines,
        "points": _free_parts(at, data, "points", ("position", "velocity")),
        "bodies": _free_parts(at, data, "bodies", ("position", "velocity", "rate")), **kept,
    })  # fmt: skip


def _record(results: Any, time: Any, file: str) -> int:
    """The record at a time; the last one if none is given."""
    times = results.time.values
    if time is None:
        return len(times) - 1
    if not isinstance(time, int | float) or isinstance(time, bool):
        raise InputError(f"time must be a number, not {shown(time)}")
    k = int(abs(times - float(time)).argmin())
    if abs(times[k] - float(time)) > SAME_TIME:
        near = sorted({float(times[max(k - 1, 0)]), float(times[k]), float(times[min(k + 1, len(times) - 1)])})
        raise InputError(
            f"{shown(file)} has no record at {time:g} s; near it are {', '.join(f'{t:g}' for t in near)} s"
        )
    return k


def _line_state(at: Any, name: str) -> dict[str, Any]:
    own = at.isel(node=(at.node_line.values == name).nonzero()[0])
    return {
        "shape": own.position.values.tolist(),
        "s": own.s.values.tolist(),
        "velocity": own.velocity.values.tolist(),
        "tension": own.tension.values.clip(min=0.0).tolist(),
    }


def _free_parts(at: Any, data: Any, kind: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Positions and velocities of the points or bodies that are free in the case."""
    part, found = kind.removesuffix("s") if kind == "points" else "body", {}
    parts = data.get(kind)
    for name, given in parts.items() if isinstance(parts, dict) else ():
        joint = given.get("joint", "free" if kind == "bodies" else "fixed") if isinstance(given, dict) else "fixed"
        if joint in ("fixed", "moving", "coupled") or part not in at.dims or name not in at[part].values:
            continue
        own = at.sel({part: name})
        found[name] = {word: own[f"{part}_{word}"].values.tolist() for word in names}
        if kind == "bodies":
            found[name]["attitude"] = to_case(rotation_matrix(own.body_quaternion.values))
    return found
