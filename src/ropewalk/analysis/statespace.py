r"""The question `state_space`: a linear system as A, B, C, D, for controllers.

Positions and tensions are written with the modes :math:`\Phi` and what follows the inputs without delay,

.. math:: x = \Phi \eta + X_f f + X_u u, \qquad X_f = K^{-1} - \Phi \Omega^{-2} \Phi^T, \quad X_u = -K^{-1} K_u,

so that few modes carry the dynamics and the rest is there as its static part; the tension of an inextensible line,
which answers a force at once, is in it. A motion enters by its acceleration: the states hold its velocity and
displacement too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.modes import COUNT, frequency_scale
from ropewalk.analysis.response import Drive, drive_excitation
from ropewalk.analysis.statics import Equilibrium
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.linear import undamped_basis
from ropewalk.model.arrays import Array
from ropewalk.results.schema import described
from ropewalk.spec import arguments
from ropewalk.spec.system import Source

if TYPE_CHECKING:
    import xarray as xr

DRIFT = 1e-8  # of the largest: eigenvalues below have no static answer
_AXES = ("x", "y", "z")


def state_space(
    system: Source | Equilibrium | Linearised,
    inputs: Sequence[Drive | str],
    outputs: Sequence[str],
    *,
    modes: int = COUNT,
    mass_damping: float = 0.0,
) -> xr.Dataset:
    """A, B, C, D of the system about its equilibrium: z' = A z + B u, y = C z + D u.

    inputs : `force:PART:DIRECTION` (N, N m) or `motion:PART:DIRECTION`, whose input is the acceleration (m/s2)
    outputs : `position:PART:DIRECTION` (m, rad) of a point or body, `tension:LINE:A` or `:B` (N)
    modes : number of modes that carry the dynamics

    >>> import ropewalk as rw
    >>> found = rw.state_space("mooring.yaml", ["motion:fairlead:x"], ["tension:west:B"], modes=4)
    >>> found.A.shape, found.C.shape
    ((10, 10), (1, 10))
    """
    modes = arguments.count("modes", modes)
    outputs = arguments.texts("outputs", outputs, "position:buoy:z")
    given = arguments.items("inputs", inputs, "force:buoy:x")
    linear = system if isinstance(system, Linearised) else linearise(system, mass_damping=mass_damping)
    drives = [Drive.of(d) for d in given]
    if not (drives and outputs):
        raise InputError("a state space needs at least one input and one output")
    if any(d.kind == "waves" for d in drives):
        raise InputError("a state space has forces and motions as inputs; a wave is not a single input")
    values, shapes = undamped_basis(linear, modes, frequency_scale(linear))
    K = linear.K.tocsc()
    factor = _static_factor(linear, values)
    excitation = [drive_excitation(linear, np.ones(1), d) for d in drives]
    n = values.size
    moved = [i for i, d in enumerate(drives) if d.kind == "motion"]
    size = 2 * n + 2 * len(moved)
    A, B = np.zeros((size, size)), np.zeros((size, len(drives)))
    rows = np.array([_output(linear, text) for text in outputs])  # (n_out, n + n_inputs)
    at_x, at_u = rows[:, : linear.unknowns.size], rows[:, linear.unknowns.size :]
    C, D = np.zeros((len(outputs), size)), np.zeros((len(outputs), len(drives)))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n] = -(shapes.T @ (K @ shapes))
    A[n : 2 * n, n : 2 * n] = -(shapes.T @ (linear.B @ shapes))
    C[:, :n] = at_x @ shapes

    def at_once(f: Any) -> Any:
        """Outputs of a force by all that the modes leave out, X_f f."""
        return at_x @ (factor.solve(f) - shapes @ ((shapes.T @ f).T / values).T)

    C[:, n : 2 * n] = -at_once(linear.B @ shapes)
    for i, found in enumerate(excitation):
        if drives[i].kind == "force":
            f = found.force[:, 0].real
            B[n : 2 * n, i] = shapes.T @ f
            D[:, i] = at_once(f)
            continue
        place, speed = 2 * n + 2 * moved.index(i), 2 * n + 2 * moved.index(i) + 1
        u = found.inputs[:, 0].real
        at = linear.assembled
        follow = -factor.solve(at.K_in @ u)
        inertia, drag = -(at.M_in @ u + linear.M @ follow), -(at.B_in @ u + linear.B @ follow)
        B[n : 2 * n, i], D[:, i] = shapes.T @ inertia, at_once(inertia)
        A[n : 2 * n, speed], C[:, speed] = shapes.T @ drag, at_once(drag)
        A[place, speed], B[speed, i] = 1.0, 1.0
        C[:, place] = at_x @ follow + at_u @ u
    return _dataset(linear, A, B, C, D, [_name(d) for d in drives], list(outputs))


def _static_factor(linear: Linearised, values: Array) -> Any:
    if np.min(np.abs(values)) <= DRIFT * np.max(np.abs(values)):
        raise ConvergenceError("a part drifts without any stiffness, so forces have no static response; moor it")
    return linear.static_factor()


def _output(linear: Linearised, text: str) -> Array:
    """Row over unknowns and inputs of one output."""
    kind, *rest = text.split(":")
    unknowns, names = linear.unknowns, linear.model.names
    size = unknowns.size
    row: Array = np.zeros(size + unknowns.n_inputs)
    if kind == "tension" and len(rest) == 2 and rest[0] in names.lines and rest[1] in ("A", "B"):
        node = linear.unknowns.mesh.node_start[names.lines.index(rest[0])]
        last = linear.unknowns.mesh.node_start[names.lines.index(rest[0]) + 1] - 1
        chosen = int(node if rest[1] == "A" else last)
        elements = unknowns.tension
        unit = np.zeros((size, elements.size))
        unit[elements, np.arange(elements.size)] = 1.0
        row[elements] = linear.node_tension(unit)[chosen]
        return row
    if kind == "position" and len(rest) == 2 and rest[1] in (*_AXES, "roll", "pitch", "yaw"):
        axis = (*_AXES, "roll", "pitch", "yaw").index(rest[1])
        if rest[0] in names.bodies:
            k = names.bodies.index(rest[0])
            column = unknowns.body[k, axis]
            row[column if column >= 0 else size + unknowns.body_input[k, axis]] = 1.0
            return row
        if rest[0] in names.points and axis < len(_AXES):
            place = 3 * (unknowns.mesh.s.size + names.points.index(rest[0])) + axis
            row[:size] = linear.assembled.S[place].toarray().ravel()
            row[size:] = linear.assembled.S_in[place].toarray().ravel()
            return row
    raise InputError(f"unknown output '{text}'; choose position:PART:DIRECTION, tension:LINE:A or tension:LINE:B")


def _name(drive: Drive) -> str:
    return f"{drive.kind}:{drive.part}:{drive.direction}"


def _dataset(linear: Linearised, A: Array, B: Array, C: Array, D: Array, inputs: list[str], outputs: list[str]) -> Any:
    import xarray as xr

    from ropewalk import __version__

    attrs = {
        "title": linear.system.title,
        "system": linear.system.model_dump_json(by_alias=True, exclude_unset=True),
        "settings": json.dumps({"method": linear.equilibrium.method}),
        "version": __version__,
        "created_by": "ropewalk state_space",
        "doubts": doubts_as_json(linear.equilibrium.doubts),
    }
    matrices = {
        "A": (("state", "state_from"), A),
        "B": (("state", "input"), B),
        "C": (("output", "state_from"), C),
        "D": (("output", "input"), D),
    }
    return described(xr.Dataset(matrices, {"input": inputs, "output": outputs}, attrs), "state space")


def to_scipy(result: xr.Dataset) -> Any:
    """The same as a scipy.signal.StateSpace, in continuous time."""
    from scipy.signal import StateSpace

    return StateSpace(result.A.values, result.B.values, result.C.values, result.D.values)
