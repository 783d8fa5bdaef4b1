"""The question `response`: how a system answers harmonic motions, forces and waves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.statics import Equilibrium
from ropewalk.errors import InputError
from ropewalk.methods.linear import Answer, Excitation
from ropewalk.model.arrays import Array
from ropewalk.model.bodies import HULL_DRAG
from ropewalk.model.in_time import pieces_of
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.physics.waves import WaveRows
from ropewalk.results.layout import AXES
from ropewalk.results.schema import described
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

Kind = Literal["waves", "motion", "force"]
Method = Literal["direct", "time", "both"]

STORM = 10800.0  # s, three hours: the duration that most probable maxima refer to
_DIRECTIONS = (*AXES, "roll", "pitch", "yaw")


@dataclass(frozen=True)
class Drive:
    """One cause, swept over frequency."""

    kind: Kind = "waves"
    part: str = ""
    """The point or body that is moved or pulled."""
    direction: str = "x"
    """x, y, z; for bodies also roll, pitch, yaw."""
    amplitude: float = 1.0
    """m or rad of motion, N or N m of force, m of wave."""
    heading: float = 0.0
    """Degrees, of waves."""

    @classmethod
    def parse(cls, text: str, amplitude: float = 1.0, heading: float = 0.0) -> Drive:
        """A drive from `waves`, `motion:PART:DIRECTION` or `force:PART:DIRECTION`."""
        kind, *rest = text.split(":")
        if kind == "waves" and not rest:
            return cls(amplitude=amplitude, heading=heading)
        if kind in ("motion", "force") and len(rest) == 2 and rest[1] in _DIRECTIONS:
            return cls(kind, rest[0], rest[1], amplitude)  # type: ignore[arg-type]
        raise InputError(
            f"unknown drive '{text}'; choose waves, motion:PART:DIRECTION or force:PART:DIRECTION with "
            f"{', '.join(_DIRECTIONS)}"
        )

    @classmethod
    def of(cls, given: Any) -> Drive:
        """A drive as it is, or from its text."""
        if isinstance(given, str):
            return cls.parse(given)
        if not isinstance(given, Drive):
            raise InputError(f"drive must be a Drive or its text, as in 'force:buoy:x', not {type(given).__name__}")
        return given


def response(
    system: Source | Equilibrium | Linearised,
    omega: Sequence[float] | Array | None = None,
    drive: Drive | str | None = None,
    *,
    method: Method = "direct",
    drag: bool = True,
    mass_damping: float | None = None,
    solver: str | None = None,
) -> xr.Dataset:
    """Complex amplitudes, with exp(-i omega t), of positions, tensions and bodies at each frequency.

    omega : rad/s; with a `drive` (a :class:`Drive` or its text), each frequency by itself at the drive's amplitude.
    Without a drive the motions and waves of the case act together, at their own frequencies.
    method : direct (linear), time (simulation and Fourier transform), or both along `case`
    drag : False leaves drag linear about the current; True fits it to the motion: same energy per cycle for one
    frequency, least squares of a Gaussian process for many
    mass_damping : 1/s; that of the case's run unless given
    solver : of the time method; mixed_fem unless given

    >>> import ropewalk as rw
    >>> found = rw.response("mooring.yaml", [0.3, 0.6], "motion:fairlead:x")
    >>> abs(found.tension.isel(node=-1)).values.round(-2)  # N at end B, per metre of surge
    array([25500., 22500.])
    """
    if not isinstance(system, Equilibrium | Linearised):
        system = System.of(system)
    if arguments.text("method", method, "direct") not in ("direct", "time", "both"):
        raise InputError(f"unknown method {method!r}; choose direct, time or both")
    if solver is not None and method == "direct":
        raise InputError(f"solver '{solver}' is for the method time; the direct method runs no simulation")
    drive = None if drive is None else Drive.of(drive)
    if method in ("time", "both"):
        from ropewalk.analysis.response_time import time_response

        case = system.system if isinstance(system, Equilibrium | Linearised) else system
        by_time = time_response(case, omega, drive, mass_damping, solver=solver)
        if method == "time":
            return by_time
        import xarray as xr

        direct = response(system, omega, drive, drag=drag, mass_damping=mass_damping)
        shared = [name for name in direct.data_vars if name in by_time]
        both = xr.concat([direct[shared], by_time[shared]], "case", join="override", combine_attrs="drop_conflicts")
        only = [name for name in by_time.data_vars if name not in direct]
        both = both.assign_coords(case=["direct", "time"]).assign_attrs(direct.attrs).assign(by_time[only].data_vars)
        compared: xr.Dataset = described(both, "response")
        return compared
    linear = _linearised(system, mass_damping)
    if drag:
        _refuse_quadratic(linear.model)
    if drive is None:
        excitation, together = own_excitation(linear), True
        if omega is not None:
            raise InputError("omega goes with a drive; the case's own motions and waves have their own frequencies")
    else:
        rates = _checked(omega)
        linear.refuse_size(rates.size, "frequencies")
        excitation, together = drive_excitation(linear, rates, drive), False
    answer = linear.response(excitation, together=together, drag=drag)
    return _dataset(linear, excitation, answer, drive)


def _linearised(system: System | Equilibrium | Linearised, mass_damping: float | None) -> Linearised:
    if isinstance(system, Linearised):
        return system
    case = system.system if isinstance(system, Equilibrium) else system
    if mass_damping is None:
        mass_damping = case.run.damping if case.run else 0.0
    return linearise(system, mass_damping=mass_damping)


def _refuse_quadratic(model: Model) -> None:
    """Raise InputError for drag of free bodies that has no equivalent linear form here."""
    bodies, hulls = model.bodies, model.bodies.hulls
    for k, name in enumerate(model.names.bodies):
        areas = np.any((hulls.kind == HULL_DRAG) & (hulls.body == k))
        if bodies.joint[k] == LOOSE and (areas or np.any(bodies.quadratic[k])):
            raise InputError(
                f"body '{name}': the direct method does not support drag_areas and quadratic_damping; give it a hull, "
                "use drag=False (drag linearised about the current), or the method time"
            )


def _checked(omega: Sequence[float] | Array | None) -> Array:
    try:
        values: Array = np.atleast_1d(np.asarray([] if omega is None else omega, float))
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values) & (values > 0.0)):
        raise InputError("an excitation needs one or more positive frequencies omega, rad/s")
    return values


def _empty(linear: Linearised, omega: Array) -> Excitation:
    k = omega.size
    return Excitation(
        omega,
        np.zeros((linear.unknowns.n_inputs, k), dtype=complex),
        np.zeros(k, dtype=complex),
        np.zeros(k),
        np.zeros((linear.unknowns.size, k), dtype=complex),
    )


def drive_excitation(linear: Linearised, omega: Array, drive: Drive) -> Excitation:
    """A drive at each of the frequencies."""
    excitation = _empty(linear, omega)
    if drive.kind == "waves":
        if linear.model.sea.water_density <= 0.0:
            raise InputError("waves need water: water_density is 0")
        excitation.wave[:] = drive.amplitude
        excitation.heading[:] = math.radians(drive.heading)
        return excitation
    names, unknowns, axis = linear.model.names, linear.unknowns, _DIRECTIONS.index(drive.direction)
    moved = drive.kind == "motion"
    target = excitation.inputs if moved else excitation.force
    if drive.part in names.bodies:
        rows = (unknowns.body_input if moved else unknowns.body)[names.bodies.index(drive.part)]
        if rows[0] < 0:
            raise InputError(_wrong_joint(drive, "fixed or moving" if moved else "free"))
        target[rows[axis]] = drive.amplitude
    elif drive.part in names.points and axis < 3:
        j = names.points.index(drive.part)
        rows = (unknowns.point_input if moved else unknowns.point)[j]
        share = linear.model.points.frame[j][:, axis]
        if np.any(rows[np.abs(share) > 1e-9] < 0):
            raise InputError(_wrong_joint(drive, "held" if moved else "free"))
        target[rows[rows >= 0]] = drive.amplitude * share[rows >= 0, None]
    else:
        known = ", ".join((*names.points, *names.bodies))
        raise InputError(f"no point or body '{drive.part}' moves in {drive.direction}. Available: {known}")
    return excitation


def _wrong_joint(drive: Drive, needed: str) -> str:
    return f"'{drive.part}' must be {needed} in {drive.direction} for a {drive.kind} drive; change its joint"


def own_excitation(linear: Linearised) -> Excitation:
    """The harmonic motions and the waves of the case; motions and waves of one frequency share a column."""
    model, unknowns = linear.model, linear.unknowns
    sea = model.sea.wave if model.sea.water_density > 0.0 else model.sea.wave[:, :0]
    if linear.system.environment.waves is not None and linear.system.environment.waves.is_steady and sea.size:
        raise InputError("the response supports linear waves; set theory: airy, or simulate waves of finite height")
    moving = [int(i) for i in model.motions.function.ravel() if i >= 0]
    if any(pieces_of(model.functions, i).size for i in moving):
        raise InputError("the response supports harmonic motions; tables and tows need the time domain")
    terms: list[tuple[float, Array, complex]] = []
    for j, motion in enumerate(model.points.motion):
        for direction, omega_i, amplitude in _terms(model, motion, 0):
            rows = unknowns.point_input[j]
            vector = np.zeros(unknowns.n_inputs)
            vector[rows] = model.points.frame[j] @ direction
            terms.append((omega_i, vector, amplitude))
    for k, motion in enumerate(model.bodies.motion):
        for first in (0, 3):
            for direction, omega_i, amplitude in _terms(model, motion, first):
                vector = np.zeros(unknowns.n_inputs)
                vector[unknowns.body_input[k, first : first + 3]] = direction
                terms.append((omega_i, vector, amplitude))
    terms = [term for term in terms if term[0] > 0.0]
    row = WaveRows(*sea)
    only_terms = sorted({term[0] for term in terms} - set(row.omega))
    omega = np.concatenate([row.omega, only_terms])
    if omega.size == 0:
        raise InputError("the case has no waves and no harmonic motions; give a drive and frequencies")
    excitation = _empty(linear, omega)
    n = sea.shape[1]
    excitation.wave[:n] = row.amplitude * np.exp(1j * row.phase)
    excitation.heading[:n] = np.arctan2(row.dy, row.dx)
    for rate, vector, amplitude in terms:
        column = int(np.flatnonzero(omega == rate)[0])
        excitation.inputs[:, column] += amplitude * vector
    order = np.argsort(omega)
    return Excitation(omega[order], excitation.inputs[:, order], excitation.wave[order], excitation.heading[order],
                      excitation.force[:, order])  # fmt: skip


def _terms(model: Model, index: int, first: int) -> list[tuple[Array, float, complex]]:
    """Direction, omega (rad/s) and complex amplitude of the terms of a motion.  first : 0 for way, 3 for rotation"""
    found: list[tuple[Array, float, complex]] = []
    for j in range(3) if index >= 0 else ():
        i = int(model.motions.function[index, first + j])
        if i >= 0:
            own = model.functions.function[i]
            rows = model.functions.term[own.term : own.term_stop]
            found += [(np.eye(3)[j], float(t.omega), complex(t.amplitude * np.exp(1j * t.phase))) for t in rows]
    return found


def _dataset(linear: Linearised, excitation: Excitation, answer: Answer, drive: Drive | None) -> xr.Dataset:
    x, inputs = answer.x, answer.inputs
    values = {
        "position": (("frequency", "node", "axis"), linear.node_motion(x, inputs)),
        "tension": (("frequency", "node"), linear.node_tension(x)),
        "point_position": (("frequency", "point", "axis"), linear.point_motion(x, inputs)),
        "body_motion": (("frequency", "body", "dof"), linear.body_motion(x, inputs)),
        "net_position": (("frequency", "knot", "axis"), linear.knot_motion(x, inputs)),
        "net_tension": (("frequency", "twine"), linear.twine_tension(x)),
    }
    arrays = {name: (dims, np.moveaxis(value, -1, 0)) for name, (dims, value) in values.items()}
    settings = {
        "method": "direct", "drive": None if drive is None else vars(drive), "iterations": answer.iterations,
        "change_of_drag": answer.change,
    }  # fmt: skip
    over = {"frequency": (("frequency",), excitation.omega)}
    return linear.dataset("response", {**arrays, "wave": (("frequency",), excitation.wave)}, over, settings)
