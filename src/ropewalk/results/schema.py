"""Every variable of a result, declared once: name, dimensions, unit, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DIMENSIONS: dict[str, str] = {
    "time": "moments kept, s",
    "case": "load cases of a sweep; of a response by both methods: direct, time",
    "node": "nodes of all lines end to end; coordinates node_line (name) and s",
    "axis": "x, y, z",
    "body": "rigid bodies by name",
    "dof": "surge, sway, heave, roll, pitch, yaw",
    "frequency": "angular frequencies, rad/s",
    "mode": "natural modes",
    "line": "lines by name",
    "end": "ends of a line: A, B",
    "link": "links between bodies by name",
    "quaternion": "w, x, y, z: scalar first, body to world",
    "term": "terms of an energy balance by name",
    "point": "points by name",
    "harmonic": "multiples of the driving frequency, from 1",
    "state": "states of a state space",
    "state_from": "the same states, as columns",
    "input": "inputs of a state space: force:PART:DIRECTION or motion:PART:DIRECTION",
    "output": "outputs of a state space: position:PART:DIRECTION or tension:LINE:END; paths of a continuation",
    "step": "points of a path through equilibria, folds and branch points among them",
    "joint": "joints of a rod, by arc length",
    "iteration": "steps of a search for an equilibrium",
    "net": "nets by name",
    "knot": "knots of all nets end to end; coordinates knot_net (name), knot_row and knot_column",
    "twine": "bars between knots, each for one twine or several; coordinates twine_net, and its knots twine_a, twine_b",
}

DOFS = ("surge", "sway", "heave", "roll", "pitch", "yaw")  # labels of the dimension dof


@dataclass(frozen=True)
class Variable:
    """One variable of a result."""

    name: str
    dims: tuple[str, ...]
    unit: str
    meaning: str

    @property
    def attrs(self) -> dict[str, str]:
        """Its attributes in the file."""
        return {"units": self.unit, "long_name": self.meaning}


# What a run records, in the order of a record. The first three are given with the State, those of results/derived.py
# follow from it, and each of the others is its field of that name.
SERIES: tuple[Variable, ...] = (
    Variable("time", ("time",), "s", "time"),
    Variable("elevation", ("time",), "m", "elevation of the water surface at x = y = 0"),
    Variable("energy", ("time", "term"), "J", "terms of the energy balance"),
    Variable("point_position", ("time", "point", "axis"), "m", "position of points"),
    Variable("point_velocity", ("time", "point", "axis"), "m/s", "velocity of points"),
    Variable("point_force", ("time", "point", "axis"), "N", "force of points on their supports"),
    Variable("body_position", ("time", "body", "axis"), "m", "position of the origins of bodies"),
    Variable("body_quaternion", ("time", "body", "quaternion"), "1", "attitude of bodies, body to world"),
    Variable("body_velocity", ("time", "body", "axis"), "m/s", "velocity of the origins of bodies"),
    Variable("body_rate", ("time", "body", "axis"), "rad/s", "angular velocity of bodies, in the world frame"),
    Variable("position", ("time", "node", "axis"), "m", "position of line nodes"),
    Variable("velocity", ("time", "node", "axis"), "m/s", "velocity of line nodes"),
    Variable("tension", ("time", "node"), "N", "effective tension at line nodes"),
    Variable("end_force", ("time", "line", "end", "axis"), "N", "force of lines on the supports of their ends"),
    Variable("end_tension", ("time", "line", "end"), "N", "effective tension at the ends of lines"),
    Variable("line_length", ("time", "line"), "m", "unstretched length, in cases with winches; s is that at the start"),
    Variable("link_force", ("time", "link", "axis"), "N", "force of links on their second ends"),
    Variable("link_moment", ("time", "link", "axis"), "N m", "moment of links on the parts at their second ends"),
    Variable("grounded", ("time", "line"), "m", "unstretched length on the seabed"),
    Variable("mooring_force", ("time", "body", "dof"), "N, N m",
             "force of all lines on a body and moment about its origin, world frame"),
    Variable("net_position", ("time", "knot", "axis"), "m", "position of the knots of nets"),
    Variable("net_velocity", ("time", "knot", "axis"), "m/s", "velocity of the knots of nets"),
    Variable("net_tension", ("time", "twine"), "N", "tension in all twines that a bar of a net represents"),
    Variable("net_force", ("time", "net", "axis"), "N", "force of the water on a net, without buoyancy"),
    Variable("net_mouth_area", ("time", "net"), "m2", "area of the polygon of the upper edge of a net"),
    Variable("net_mouth_width", ("time", "net"), "m", "between the ends of a panel's upper edge, or across a rim"),
    Variable("net_projected_area", ("time", "net"), "m2", "projected area normal to the flow, every layer counted"),
    Variable("net_volume", ("time", "net"), "m3", "volume inside a cylinder of netting, 0 for panels"),
)  # fmt: skip

COORDINATES: tuple[Variable, ...] = (
    Variable("axis", ("axis",), "1", "axis of the world frame, z up"),
    Variable("quaternion", ("quaternion",), "1", "component of a quaternion, scalar first"),
    Variable("node_line", ("node",), "1", "line of a node"),
    Variable("s", ("node",), "m", "unstretched length from end A"),
    Variable("line", ("line",), "1", "line"),
    Variable("end", ("end",), "1", "which end: A or B"),
    Variable("link", ("link",), "1", "link between bodies, or a body and a point"),
    Variable("body", ("body",), "1", "body"),
    Variable("dof", ("dof",), "1", "surge, sway, heave (m, N); roll, pitch, yaw (rad, N m)"),
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

# Of `modes`. Shapes are complex for modes with damping; files hold them as two variables, _real and _imaginary.
MODES: tuple[Variable, ...] = (
    Variable("omega", ("mode",), "rad/s", "angular frequency, magnitude of the eigenvalue"),
    Variable("period", ("mode",), "s", "period of oscillation, NaN if the mode does not oscillate"),
    Variable("damping", ("mode",), "1", "fraction of critical damping, negative if the mode grows"),
    Variable("growth", ("mode",), "1/s", "rate of growth, negative if the mode decays"),
    Variable("stable", ("mode",), "1", "true unless the mode grows"),
    Variable("dominant", ("mode",), "1", "part and direction with most of the kinetic energy"),
    Variable("dominant_share", ("mode",), "1", "its share of the kinetic energy"),
    Variable("position", ("mode", "node", "axis"), "m", "shape: displacement of line nodes"),
    Variable("tension", ("mode", "node"), "N", "shape: change of tension at line nodes"),
    Variable("point_position", ("mode", "point", "axis"), "m", "shape: displacement of points"),
    Variable("body_motion", ("mode", "body", "dof"), "m, rad", "shape: translation and rotation about world axes"),
    Variable("net_position", ("mode", "knot", "axis"), "m", "shape: displacement of the knots of nets"),
    Variable("net_tension", ("mode", "twine"), "N", "shape: change of tension in the bars of nets"),
    Variable("rest_position", ("node", "axis"), "m", "position of line nodes at rest"),
    Variable("rest_net_position", ("knot", "axis"), "m", "position of the knots of nets at rest"),
    Variable("rest_point_position", ("point", "axis"), "m", "position of points at rest"),
    Variable("rest_body_position", ("body", "axis"), "m", "position of the origins of bodies at rest"),
    Variable("rest_body_quaternion", ("body", "quaternion"), "1", "attitude of bodies at rest, body to world"),
)

# Of `response`: complex amplitudes with exp(-i omega t). With both methods `case` comes first.
RESPONSE: tuple[Variable, ...] = (
    Variable("position", ("frequency", "node", "axis"), "m", "complex amplitude, motion of line nodes"),
    Variable("tension", ("frequency", "node"), "N", "complex amplitude, change of tension at line nodes"),
    Variable("point_position", ("frequency", "point", "axis"), "m", "complex amplitude, motion of points"),
    Variable("body_motion", ("frequency", "body", "dof"), "m, rad",
             "complex amplitude, translation and rotation about world axes"),
    Variable("net_position", ("frequency", "knot", "axis"), "m", "complex amplitude, motion of the knots of nets"),
    Variable("net_tension", ("frequency", "twine"), "N", "complex amplitude, change of tension in the bars of nets"),
    Variable("wave", ("frequency",), "m", "complex amplitude of the wave at x = y = 0"),
    Variable("tension_mean", ("frequency", "node"), "N", "mean tension; method time"),
    Variable("tension_harmonics", ("frequency", "harmonic", "node"), "N", "amplitudes of the harmonics; method time"),
    Variable("tension_distortion", ("frequency", "node"), "1", "higher harmonics over the first; method time"),
    Variable("settled_periods", ("frequency",), "1", "periods simulated before those that were kept; method time"),
    Variable("settled_change", ("frequency",), "1", "last change between batches of periods; method time"),
)  # fmt: skip

# Of `state_space`: z' = A z + B u, y = C z + D u. Units go with those of the inputs and outputs.
STATE_SPACE: tuple[Variable, ...] = (
    Variable("A", ("state", "state_from"), "1/s", "rates of the states by the states, in modal coordinates"),
    Variable("B", ("state", "input"), "SI", "rates of the states by the inputs: N or N m; m/s2 or rad/s2 of motions"),
    Variable("C", ("output", "state_from"), "SI", "outputs by the states: m, rad or N"),
    Variable("D", ("output", "input"), "SI", "direct effect of the inputs on the outputs"),
)

# Of `continuation`: a path through equilibria.
CONTINUATION: tuple[Variable, ...] = (
    Variable("parameter", ("step",), "SI", "value of the parameter that is varied"),
    Variable("arc", ("step",), "1", "length of the path from its start; the whole range of the parameter is 1"),
    Variable("value", ("step", "output"), "SI", "outputs of the equilibria"),
    Variable("event", ("step",), "1", "fold, branch point, or nothing"),
    Variable("determinant_sign", ("step",), "1", "sign of the tangent's determinant; 0 at folds and branch points"),
    Variable("unstable", ("step",), "1", "unstable directions; -1 where not known"),
    Variable("smallest_eigenvalue", ("step",), "1/s2 or 1", "smallest eigenvalue of the tangent: by mass, of rods over "
             "weight times length"),
    Variable("audit", ("step",), "1", "largest figure of the audit over its limit: 1 or less if all are within"),
)  # fmt: skip

# Of `float_in_time` and `float_path`: poses of a rod.
POSES: tuple[Variable, ...] = (
    Variable("heave", ("time",), "m", "height of the rod's head above still water"),
    Variable("roll_angle", ("time",), "deg", "roll of the head"),
    Variable("pitch_angle", ("time",), "deg", "pitch of the head"),
    Variable("turn", ("time",), "deg", "rotation from the previous pose"),
    Variable("up", ("time", "axis"), "1", "direction of up in head axes"),
    Variable("angle", ("time", "joint"), "deg", "angle of each joint"),
    Variable("energy_total", ("time",), "J", "potential energy, that of bending included"),
    Variable("joint", ("joint",), "m", "arc length of each joint"),
    Variable("time", ("time",), "s", "of the angles"),
    Variable("axis", ("axis",), "1", "x, y or z of the head"),
)
SEARCH: tuple[Variable, ...] = (
    Variable("energy_total", ("iteration",), "J", "potential energy"),
    Variable("force", ("iteration",), "N", "residual vertical force"),
    Variable(
        "moment_x", ("iteration",), "N m", "residual moment about the horizontal axis x through the centre of mass"
    ),
    Variable(
        "moment_y", ("iteration",), "N m", "residual moment about the horizontal axis y through the centre of mass"
    ),
    Variable("iteration", ("iteration",), "1", "steps of the search"),
)

FREQUENCY_COORDINATES: tuple[Variable, ...] = (
    Variable("mode", ("mode",), "1", "number of a mode, from 1"),
    Variable("frequency", ("frequency",), "rad/s", "angular frequency"),
    Variable("harmonic", ("harmonic",), "1", "multiple of the driving frequency"),
    Variable("case", ("case",), "1", "method: direct or time"),
    Variable("input", ("input",), "1", "what drives"),
    Variable("output", ("output",), "1", "requested output"),
)

# Results by the question that gave them.
KINDS: dict[str, tuple[Variable, ...]] = {
    "run and static": SERIES,
    "modes": MODES,
    "response": RESPONSE,
    "state space": STATE_SPACE,
    "continuation": CONTINUATION,
    "float_in_time": POSES,
    "float_path": SEARCH,
}

VARIABLES: dict[str, Variable] = {variable.name: variable for variable in (*SERIES, *COORDINATES)}

_ASKED: dict[str, dict[str, Variable]] = {
    kind: {v.name: v for v in (*variables, *FREQUENCY_COORDINATES, *COORDINATES)} for kind, variables in KINDS.items()
}


def described(dataset: Any, kind: str) -> Any:
    """The Dataset with units and meanings of all its variables and coordinates, as declared for its kind."""
    for name in (*dataset.data_vars, *dataset.coords):
        dataset[name].attrs = _ASKED[kind][str(name)].attrs
    return dataset


# Attributes of a result: what made it and how it ended. No date: same input, same file.
ATTRIBUTES: dict[str, str] = {
    "title": "title of the case",
    "system": "the case, as JSON that System reads back",
    "settings": "solver and its settings, and what was kept, as JSON",
    "version": "version of ropewalk",
    "created_by": "program, version and platform that wrote the file",
    "constraint_drift": "largest relative error of an element's length over the run; only for solvers that report it",
    "parted": "lines that parted, each with time and position; only if there are any",
    "start": "remark on the equilibrium that the run starts from, if any",
    "doubts": "of audited results: doubts, as JSON: code, part, value, limit, sentence",
    "audit": "of equilibria: the largest errors that the audit found; of live recordings: steps audited; as JSON",
    "status": "'done', or the reason why the run ended early",
    "events": "events of the run (capsizing, slack, ...), as JSON: time in s, part, kind, sentence",
    "folds": "of continuations: folds and branch points, as JSON: kind, value, signs of the determinant around it",
    "stability": "of modes: stable, or how many modes grow",
}

DONE = "done"
