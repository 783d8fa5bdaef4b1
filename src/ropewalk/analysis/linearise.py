"""The question `linearise`: M, B and K of a system about its equilibrium."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.net_lines import NetParts, knot_rows, net_parts
from ropewalk.analysis.statics import Equilibrium, statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.loads.screen import screen_records
from ropewalk.methods.linear import LinearSystem, Unknowns
from ropewalk.model.arrays import Array, Ints, Records
from ropewalk.model.nets import Nets
from ropewalk.results.layout import AXES
from ropewalk.results.schema import DOFS, described
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

ELEMENTS = "fem"  # method of statics by Newton on forces, which stays at an unstable equilibrium
MOST_BYTES = 4e9  # of shapes or amplitudes and what their search holds
HELD = 64  # bytes per unknown of a shape or an amplitude: complex numbers, about four copies


@dataclass(frozen=True)
class Linearised(LinearSystem):
    """A case about its equilibrium; `model` are its arrays, nets as points and lines after its own."""

    system: System
    equilibrium: Equilibrium
    nets: NetParts | None = None

    def refuse_size(self, count: int, what: str) -> None:
        """Raise InputError where `count` modes or frequencies of this system do not fit into memory."""
        size = float(min(count, self.unknowns.size) if what == "modes" else count) * self.unknowns.size * HELD
        if size > MOST_BYTES:
            raise InputError(
                f"{count} {what} of {self.unknowns.size} unknowns need about {1e-9 * size:.3g} GB of memory, at most "
                f"{1e-9 * MOST_BYTES:g}; request fewer {what}, or give the lines fewer elements"
            )

    @property
    def n_points(self) -> int:
        """Number of points of the case, without knots."""
        return len(self.model.names.points) if self.nets is None else self.nets.n_points

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the lines of the case, without bars of nets."""
        n_lines = len(self.model.names.lines) if self.nets is None else self.nets.n_lines
        return int(self.unknowns.mesh.node_start[n_lines])

    @cached_property
    def node_order(self) -> Ints:
        """Nodes in the order of results: along each line of the case from end A."""
        mesh = self.unknowns.mesh
        order = np.arange(self.n_nodes)
        for line in np.flatnonzero(mesh.line.flipped[: int(np.searchsorted(mesh.node_start, self.n_nodes))]):
            n = slice(mesh.node_start[line], mesh.node_start[line + 1])
            order[n] = order[n][::-1].copy()
        return order

    def node_motion(self, x: Any, inputs: Any = None) -> Any:
        """(n_nodes, 3, k) motion of the line nodes, in the order of results, of solutions x (n, k)."""
        rows = self.assembled.S @ x
        if inputs is not None:
            rows = rows + self.assembled.S_in @ inputs
        return rows.reshape(-1, 3, x.shape[1])[self.node_order]

    def point_motion(self, x: Any, inputs: Any = None) -> Any:
        """(n_points, 3, k) motion of the points."""
        rows = self.assembled.S @ x
        if inputs is not None:
            rows = rows + self.assembled.S_in @ inputs
        first = self.unknowns.mesh.s.size
        return rows.reshape(-1, 3, x.shape[1])[first : first + self.n_points]

    def knot_motion(self, x: Any, inputs: Any = None) -> Any:
        """(n_knots, 3, k) motion of the knots of nets; none where there are no nets."""
        if self.nets is None:
            return np.zeros((0, 3, x.shape[1]))
        rows = self.assembled.S @ x
        if inputs is not None:
            rows = rows + self.assembled.S_in @ inputs
        return rows.reshape(-1, 3, x.shape[1])[self._knot_rows]

    @property
    def rest_knots(self) -> Array:
        """(n_knots, 3) of the knots of nets at rest, m."""
        return self.place.r[self._knot_rows] if self.nets is not None else np.zeros((0, 3))

    @property
    def _knot_rows(self) -> Ints:
        """(n_knots,) row of each knot."""
        assert self.nets is not None
        return knot_rows(self.nets, self.equilibrium.model.nets, self.unknowns)

    def twine_tension(self, x: Any) -> Any:
        """(n_twines, k) change of tension in the bars of nets."""
        if self.nets is None:
            return np.zeros((0, x.shape[1]))
        own, at = self.nets.bar >= 0, self.unknowns.mesh.element_start[self.nets.bar]
        change = x[self.unknowns.tension[np.where(own, at, 0)]]
        return np.where(own[:, None], change, 0.0)

    def body_motion(self, x: Any, inputs: Any = None) -> Any:
        """(n_bodies, 6, k) translations (m) and rotations about world axes (rad) of the bodies."""
        body, given = self.unknowns.body, self.unknowns.body_input
        motion = np.zeros((*body.shape, x.shape[1]), dtype=x.dtype)
        motion[body >= 0] = x[body[body >= 0]]
        if inputs is not None:
            motion[given >= 0] = inputs[given[given >= 0]]
        return motion

    def node_tension(self, x: Any) -> Any:
        """(n_nodes, k) change of tension at the nodes: mean of the elements around, extrapolated to the ends."""
        mesh = self.unknowns.mesh
        T = x[self.unknowns.tension]
        out = np.zeros((mesh.s.size, x.shape[1]), dtype=x.dtype)
        for line in range(int(np.searchsorted(mesh.node_start, self.n_nodes))):
            n = slice(mesh.node_start[line], mesh.node_start[line + 1])
            e = slice(mesh.element_start[line], mesh.element_start[line + 1])
            out[n] = nodal_mean(T[e], np.abs(np.diff(mesh.s[n])))
        return out[self.node_order]

    def dataset(
        self, kind: str, variables: dict[str, Any], over: dict[str, Any], settings: dict[str, Any], **attrs: str
    ) -> xr.Dataset:
        """A result about this equilibrium, with the coordinates and attributes that all kinds share.

        kind : of the result, as in `results/schema.py`    variables : dimensions and values by name
        over : coordinates of its own    attrs : attributes of its own. Parts that the case does not have are left out.
        """
        import xarray as xr

        from ropewalk import __version__

        case, mesh = self.equilibrium.model, self.unknowns.mesh
        names, counts = case.names, np.diff(mesh.node_start)[: len(case.names.lines)]
        there = {key: value for key, value in variables.items() if 0 not in np.shape(value[1])}
        coordinates: dict[str, Any] = {
            **over,
            "axis": (("axis",), list(AXES)),
            "node_line": (
                ("node",),
                np.repeat(np.array(names.lines, dtype=object), counts).astype(str),
            ),
            "s": (("node",), mesh.s[self.node_order]),
            "point": (("point",), list(names.points)),
            "body": (("body",), list(names.bodies)),
            "dof": (("dof",), list(DOFS)),
            **_net_coordinates(case.nets),
        }
        used = {dim for value in there.values() for dim in value[0]}
        about = {
            "title": self.system.title,
            "system": self.system.model_dump_json(by_alias=True, exclude_unset=True),
            "settings": json.dumps(settings),
            "version": __version__,
            "created_by": f"ropewalk {kind}",
            "doubts": doubts_as_json(self.equilibrium.doubts),
            **attrs,
        }
        kept = {key: value for key, value in coordinates.items() if value[0][0] in used}
        result: xr.Dataset = described(xr.Dataset(there, kept, about), kind)
        return result


def _net_coordinates(nets: Nets) -> dict[str, Any]:
    """Coordinates of knots and twines, as in the results of runs."""
    owners = {
        name: np.repeat(np.array(nets.names, dtype=object), np.diff(start)).astype(str)
        for name, start in (("knot_net", nets.knot_start), ("twine_net", nets.bar_start))
    }
    return {
        "knot_net": (("knot",), owners["knot_net"]), "knot_row": (("knot",), nets.row),
        "knot_column": (("knot",), nets.column), "twine_net": (("twine",), owners["twine_net"]),
        "twine_a": (("twine",), nets.bar[:, 0]), "twine_b": (("twine",), nets.bar[:, 1]),
    }  # fmt: skip


def nodal_mean(T: Any, length: Array) -> Any:
    """Values of elements (m, k) at their m + 1 nodes: weighted by nearness, linear to the ends."""
    out = np.empty((T.shape[0] + 1, T.shape[1]), dtype=T.dtype)
    w = (length[1:] / (length[1:] + length[:-1]))[:, None]
    out[1:-1] = w * T[:-1] + (1.0 - w) * T[1:]
    out[0], out[-1] = T[0], T[-1]
    if T.shape[0] > 1:
        out[0] += (T[0] - T[1]) * length[0] / (length[0] + length[1])
        out[-1] += (T[-1] - T[-2]) * length[-1] / (length[-1] + length[-2])
    return out


def linearise(system: Source | Equilibrium, method: str | None = None, *, mass_damping: float = 0.0) -> Linearised:
    """M, B, K of `system` about its equilibrium, on the mixed elements of the time domain.

    system : a case, or an equilibrium found before    method : of statics, for a case
    mass_damping : 1/s, damping force per mass and velocity

    Waves are left out; prescribed motions are at time 0. Drag is linear about the current; without current it
    has no slope at rest, and the response adds what belongs to its amplitude.
    """
    if not isinstance(system, Equilibrium):
        system = System.of(system)
    case = system.system if isinstance(system, Equilibrium) else system
    if case.rods:
        raise InputError(
            "frequency analyses support lines, points, bodies and nets; leave rods out of the case: floating rods are "
            "solved by ropewalk float"
        )
    if any(line.over for line in case.lines.values()):
        raise InputError("frequency analyses do not support lines that run over points; end them there")
    mass_damping = arguments.number("mass_damping", mass_damping)
    equilibrium = system if isinstance(system, Equilibrium) else _rest(system, method)
    if not case.nets:
        about, nets = LinearSystem.about(equilibrium.model, equilibrium.state, mass_damping), None
    else:
        nets, state = net_parts(equilibrium)
        parts, own = nets, equilibrium.model.nets

        def screens(unknowns: Unknowns) -> Records:
            return screen_records(own, knot_rows(parts, own, unknowns))

        about = LinearSystem.about(nets.model, state, mass_damping, screens)
    return Linearised(about.model, about.unknowns, about.rest, equilibrium.system, equilibrium, nets)


def _rest(system: System, method: str | None) -> Equilibrium:
    """The equilibrium. Methods that descend in energy leave an unstable one; where they fail, elements find it."""
    try:
        return statics(system, method)
    except ConvergenceError:
        if method is not None or system.statics.method != "auto":
            raise
        try:
            return statics(system, ELEMENTS)
        except (ConvergenceError, InputError):
            pass
        raise
