"""The response by simulation: run until the periods repeat, Fourier transform over whole periods."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import as_json as doubts_as_json
from ropewalk.analysis.record_times import record_times
from ropewalk.analysis.response import Drive
from ropewalk.analysis.response_drive import RAMP_PERIODS, driven
from ropewalk.analysis.run import run, solver_for
from ropewalk.analysis.start import first_state
from ropewalk.errors import InputError
from ropewalk.methods.mixed import MixedFem
from ropewalk.methods.protocol import Solver
from ropewalk.model.arrays import Array
from ropewalk.model.model import build
from ropewalk.model.moments import Moments
from ropewalk.results.record import Recorder
from ropewalk.results.schema import DOFS, described
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

SAMPLES = 64  # per period: harmonics up to the tenth without folding
KEPT_PERIODS = 4  # transformed
MOST_PERIODS = 160  # simulated if the answer does not settle
SETTLED = 2e-3  # change of the amplitudes from one batch of periods to the next at which the start-up is over
STILL = 1e-9  # of a quantity's own size: amplitudes below this are round-off
HARMONICS = 5  # reported
TOLERANCE = 1e-5  # of the steps: amplitudes are compared to a percent and less
WATCHED = ("tension", "position", "body_position", "body_quaternion", "point_position")  # of a State


def time_response(
    system: System,
    omega: Sequence[float] | Array | None,
    drive: Drive | None,
    mass_damping: float | None = None,
    *,
    settle: int | None = None,
    kept: int = KEPT_PERIODS,
    solver: str | None = None,
) -> xr.Dataset:
    """As :func:`ropewalk.analysis.response.response`, from one simulation per frequency.

    Beside the first harmonic: `tension_mean` (N), the share of the higher harmonics `tension_distortion`,
    `tension_harmonics` (N), the amplitudes of the first few, and how many periods were discarded before the answer
    settled (`settled_periods`) and by how much it still changed (`settled_change`).

    settle : periods discarded; unless given, until two batches of `kept` periods give the same answer
    kept : periods transformed
    solver : that runs in time; mixed_fem unless given
    """
    import xarray as xr

    if drive is None or omega is None:
        raise InputError("the time method needs a drive and frequencies; to run the case's own sea use simulate")
    rates = np.atleast_1d(np.asarray(omega, float))
    if mass_damping is None:
        mass_damping = system.run.damping if system.run else 0.0
    at_rest = system if system.run is None else system.replace(run=system.run.replace(start="equilibrium"))
    parts = []
    for rate in rates:
        case = driven(at_rest, float(rate), drive)
        parts.append(_one(case, float(rate), time_solver(case, solver, mass_damping), settle, kept))
    result = xr.concat(parts, "frequency", combine_attrs="override")
    result = result.assign_coords(frequency=("frequency", rates))
    result.attrs["system"] = system.model_dump_json(by_alias=True, exclude_unset=True)
    result.attrs["settings"] = json.dumps(
        {"method": "time", "solver": solver or "mixed_fem", "drive": vars(drive), "settle": settle, "kept": kept}
    )
    told: xr.Dataset = described(result, "response")
    return told


class Settled(Exception):
    """The answer repeats; the run may end."""


class SettlingRecorder(Recorder):
    """Keeps all states, and ends the run when two batches of periods in a row have the same amplitudes."""

    def __init__(self, names: Any, attrs: Mapping[str, str], omega: float, kept: int) -> None:
        super().__init__(names, attrs)
        self.kept = kept
        self.change = math.inf
        self._times: list[float] = []
        self._watched: dict[str, list[Array]] = {name: [] for name in WATCHED}
        self._omega = omega
        self._last: dict[str, Any] = {}

    def take(self, moments: Moments, elevation: Array, energy: Mapping[str, Array]) -> None:
        """Keep moments; Settled at the end of a batch that repeats the one before."""
        for i, one in enumerate(moments.singly()):
            here = slice(i, i + 1)
            super().take(one, elevation[here], {name: values[here] for name, values in energy.items()})
            self._watch(one)

    def _watch(self, moment: Moments) -> None:
        self._times.append(float(moment.time[0]))
        for name, rows in self._watched.items():
            rows.append(moment.fields[name].ravel().copy())
        if self.rows % (self.kept * SAMPLES):
            return
        fit = harmonic_fit(np.array(self._times), self._omega)[0]
        found = {name: fit @ np.stack(rows) for name, rows in self._watched.items()}
        size = {name: float(np.max(np.abs(rows[-1]), initial=0.0)) for name, rows in self._watched.items()}
        if self._last:
            self.change = max(_change(self._last[name], found[name], size[name]) for name in WATCHED)
        self._last = found
        self._times.clear()
        for rows in self._watched.values():
            rows.clear()
        if self.change <= SETTLED and self.rows > (RAMP_PERIODS + self.kept) * SAMPLES:
            raise Settled


def _change(old: Any, new: Any, size: float) -> float:
    """Of amplitudes, over the largest of them; none where nothing moves."""
    largest = float(np.max(np.abs(new), initial=0.0))
    return 0.0 if largest <= STILL * size else float(np.max(np.abs(new - old))) / largest


def _one(system: System, omega: float, solver: Solver, settle: int | None, kept: int) -> xr.Dataset:
    """One frequency."""
    period = 2.0 * math.pi / omega
    model = build(system)
    attrs = {"title": system.title, "version": _version(), "created_by": "ropewalk response"}
    most = MOST_PERIODS if settle is None else settle + kept
    times = record_times(most * period, period / SAMPLES)[1:]
    recorder: Recorder = Recorder(model.names, attrs)
    if settle is None:
        recorder = SettlingRecorder(model.names, attrs, omega, kept)
    state, doubts = first_state(system, model, solver)
    with contextlib.suppress(Settled):
        run(model, solver, state, times, recorder)
    result = transformed(recorder.dataset(), omega, kept)
    result.attrs["doubts"] = doubts_as_json(doubts)
    result["settled_periods"] = ((), recorder.rows // SAMPLES - kept)
    result["settled_change"] = ((), recorder.change if isinstance(recorder, SettlingRecorder) else math.nan)
    return result


def time_solver(system: System, name: str | None, mass_damping: float) -> Solver:
    """The solver of that name with the settings of the case's run, its tolerance fit for comparing amplitudes."""
    if name is None:
        return MixedFem(tolerance=TOLERANCE, damping=mass_damping)
    solver = solver_for(system, build(system), name)
    has = {field.name for field in fields(solver)} if is_dataclass(solver) else set[str]()
    if mass_damping > 0.0 and "damping" not in has:
        raise InputError(f"solver '{name}' does not support mass-proportional damping; leave it out")
    wanted = {"damping": mass_damping, "tolerance": TOLERANCE}
    if system.run is not None and "tolerance" in system.run.model_fields_set:
        del wanted["tolerance"]
    chosen: Solver = replace(solver, **{key: value for key, value in wanted.items() if key in has})  # type: ignore[type-var]
    return chosen


def _version() -> str:
    from ropewalk import __version__

    return __version__


def harmonic_fit(time: Array, omega: float) -> Any:
    """(HARMONICS, n) weights that give the complex amplitudes, with exp(-i n omega t), of values at n times.

    A slow drift that has not died out would leak into all harmonics: they are fitted together with a parabola.
    """
    x = (time - time.mean()) / (time[-1] - time[0])
    waves = [np.exp(-1j * order * omega * time) for order in range(1, HARMONICS + 1)]
    columns = np.stack([np.ones_like(x), x, x * x, *(w.real for w in waves), *(-w.imag for w in waves)], axis=1)
    fit = np.linalg.pinv(columns)  # Re(X exp(-i n omega t)) = Re X cos + Im X sin
    return fit[3 : 3 + HARMONICS] + 1j * fit[3 + HARMONICS :]


def transformed(run: xr.Dataset, omega: float, kept: int) -> Any:
    """Complex amplitudes, with exp(-i omega t), of the last `kept` periods of a run."""
    import xarray as xr

    last = run.isel(time=slice(-kept * SAMPLES, None))
    fit = harmonic_fit(last.time.values, omega)

    def harmonic(values: Any, order: int) -> Any:
        return np.tensordot(fit[order - 1], values, axes=(0, 0))

    out: dict[str, Any] = {}
    for name in ("position", "tension", "point_position"):
        if name in last:
            out[name] = (last[name].dims[1:], harmonic(last[name].values, 1))
    if "body_position" in last:
        out["body_motion"] = (("body", "dof"), _body_motion(last, harmonic))
    if "tension" in last:
        higher = np.stack([np.abs(harmonic(last.tension.values, order)) for order in range(1, HARMONICS + 1)])
        first = np.maximum(higher[0], np.finfo(float).tiny)
        out["tension_mean"] = (("node",), last.tension.values.mean(axis=0))
        out["tension_distortion"] = (("node",), np.sqrt(np.sum(higher[1:] ** 2, axis=0)) / first)
        out["tension_harmonics"] = (("harmonic", "node"), higher)
    if "elevation" in last:
        out["wave"] = ((), harmonic(last.elevation.values, 1))
    coordinates: dict[str, Any] = {
        name: c.variable for name, c in last.coords.items() if name in ("axis", "node_line", "s", "point", "body")
    }
    coordinates["harmonic"] = np.arange(1, HARMONICS + 1)
    if "body_motion" in out:
        coordinates["dof"] = list(DOFS)
    return xr.Dataset(out, coordinates, dict(last.attrs))


def _body_motion(last: xr.Dataset, harmonic: Any) -> Any:
    """(n_bodies, 6) translation and small rotation about the mean attitude."""
    moved = harmonic(last.body_position.values, 1)
    q = last.body_quaternion.values
    mean = q.mean(axis=0)
    mean = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    w, v = mean[:, 0], mean[:, 1:]
    # vector part of q conj(mean), twice: the rotation about world axes for small angles
    turn = 2.0 * (w[:, None] * q[..., 1:] - q[..., :1] * v - np.cross(q[..., 1:], v))
    return np.concatenate([moved, harmonic(turn, 1)], axis=1)
