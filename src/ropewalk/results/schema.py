"""Every variable of a result, declared once: name, dimensions, unit, meaning."""

from __future__ import annotations

from dataclasses import dataclass

DIMENSIONS: dict[str, str] = {
    "time": "moments kept, s",
    "case": "load cases of a sweep",
    "node": "nodes of all lines end to end; coordinates line (name) and s",
    "axis": "x, y, z",
    "body": "rigid bodies by name",
    "dof": "surge, sway, heave, roll, pitch, yaw",
    "frequency": "angular frequencies, rad/s",
    "mode": "natural modes",
    "end": "ends of all lines, A then B of each; coordinates end_line (name) and end (A or B)",
    "rope": "lines by name, for what belongs to a whole line",
    "quaternion": "w, x, y, z: scalar first, body to world",
    "term": "terms of an energy balance by name",
    "point": "points by name",
    "net": "nets by name",
    "knot": "knots of all nets end to end; coordinates knot_net (name), knot_row and knot_column",
    "twine": "bars between knots, each for one twine or several; coordinates twine_net, and its knots twine_a, twine_b",
}


@dataclass(frozen=True)
class Variable:
    """One variable of a result."""

    name: str
    dims: tuple[str, ...]
    unit: str
    meaning: str

    @property
    def attrs(self) -> dict[str, str]:
        """What the file says of it."""
        return {"units": self.unit, "long_name": self.meaning}


# What a run records, in the order of a record. Apart from the first three, each is the State's field of that name.
SERIES: tuple[Variable, ...] = (
    Variable("time", ("time",), "s", "time"),
    Variable("elevation", ("time",), "m", "elevation of the water surface at x = y = 0"),
    Variable("energy", ("time", "term"), "J", "terms of the energy balance"),
    Variable("point_position", ("time", "point", "axis"), "m", "position of points"),
    Variable("point_velocity", ("time", "point", "axis"), "m/s", "velocity of points"),
    Variable("point_force", ("time", "point", "axis"), "N", "force of points on what holds them"),
    Variable("body_position", ("time", "body", "axis"), "m", "position of the origins of bodies"),
    Variable("body_quaternion", ("time", "body", "quaternion"), "1", "attitude of bodies, body to world"),
    Variable("body_velocity", ("time", "body", "axis"), "m/s", "velocity of the origins of bodies"),
    Variable("body_rate", ("time", "body", "axis"), "rad/s", "angular velocity of bodies, in the world frame"),
    Variable("position", ("time", "node", "axis"), "m", "position of line nodes"),
    Variable("velocity", ("time", "node", "axis"), "m/s", "velocity of line nodes"),
    Variable("tension", ("time", "node"), "N", "effective tension at line nodes"),
    Variable("end_force", ("time", "end", "axis"), "N", "force of lines on what holds their ends"),
    Variable("grounded", ("time", "rope"), "m", "unstretched length on the seabed"),
    Variable("net_position", ("time", "knot", "axis"), "m", "position of the knots of nets"),
    Variable("net_velocity", ("time", "knot", "axis"), "m/s", "velocity of the knots of nets"),
    Variable("net_tension", ("time", "twine"), "N", "tension in all twines that a bar of a net stands for"),
    Variable("net_force", ("time", "net", "axis"), "N", "force of the water on a net, without buoyancy"),
    Variable("net_mouth_area", ("time", "net"), "m2", "area of the polygon of the upper edge of a net"),
    Variable("net_mouth_width", ("time", "net"), "m", "between the ends of a panel's upper edge, or across a rim"),
    Variable("net_projected_area", ("time", "net"), "m2", "area across the flow, every layer counted"),
    Variable("net_volume", ("time", "net"), "m3", "volume inside a cylinder of netting, 0 for panels"),
)

COORDINATES: tuple[Variable, ...] = (
    Variable("axis", ("axis",), "1", "axis of the world frame, z up"),
    Variable("quaternion", ("quaternion",), "1", "component of a quaternion, scalar first"),
    Variable("line", ("node",), "1", "line of a node"),
    Variable("s", ("node",), "m", "unstretched length from end A"),
    Variable("end_line", ("end",), "1", "line of an end"),
    Variable("end", ("end",), "1", "which end: A or B"),
    Variable("rope", ("rope",), "1", "line"),
    Variable("body", ("body",), "1", "body"),
    Variable("point", ("point",), "1", "point"),
    Variable("term", ("term",), "1", "term of the energy balance"),
    Variable("net", ("net",), "1", "net"),
    Variable("net_given_volume", ("net",), "m3", "volume inside a cylinder of netting as the case gives it"),
    Variable("knot_net", ("knot",), "1", "net of a knot"),
    Variable("knot_row", ("knot",), "1", "row of a knot, 0 at the upper edge"),
    Variable("knot_column", ("knot",), "1", "place of a knot in its row"),
    Variable("twine_net", ("twine",), "1", "net of a bar"),
    Variable("twine_a", ("twine",), "1", "knot where a bar begins, counted over all nets from 0"),
    Variable("twine_b", ("twine",), "1", "knot where a bar ends"),
)

VARIABLES: dict[str, Variable] = {variable.name: variable for variable in (*SERIES, *COORDINATES)}

# Attributes of a result: what made it and how it ended. No date: same input, same file.
ATTRIBUTES: dict[str, str] = {
    "title": "title of the case",
    "system": "the case, as JSON that System reads back",
    "settings": "solver and its settings, and what was kept, as JSON",
    "version": "version of ropewalk",
    "created_by": "what made the file, and on which platform",
    "status": "'done', or a sentence that says why the run ended early",
}

DONE = "done"
