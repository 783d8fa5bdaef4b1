"""The response by simulation: run to a steady state, Fourier transform over whole periods."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.run import simulate
from ropewalk.errors import InputError
from ropewalk.model.arrays import Array
from ropewalk.results.schema import described
from ropewalk.spec.environment import RegularWaves
from ropewalk.spec.joints import HarmonicMotion
from ropewalk.spec.system import System

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.analysis.response import Drive

SOLVER = "mixed_fem"
SAMPLES = 64  # per period: harmonics up to the tenth without folding
RAMP_PERIODS = 2  # over which a motion is brought in
SETTLE_PERIODS = 8  # discarded, the ramp included
KEPT_PERIODS = 4  # transformed
HARMONICS = 5  # reported
TOLERANCE = 1e-5  # of the steps: amplitudes are compared to a percent and less


def time_response(
    system: System,
    omega: Sequence[float] | Array | None,
    drive: Drive | None,
    mass_damping: float | None = None,
    *,
    settle: int = SETTLE_PERIODS,
    kept: int = KEPT_PERIODS,
) -> xr.Dataset:
    """As :func:`ropewalk.analysis.response.response`, from one simulation per frequency.

    Beside the first harmonic: `tension_mean` (N), the share of the higher harmonics `tension_distortion`, and
    `tension_harmonics` (N), the amplitudes of the first few.

    settle, kept : periods discarded and transformed
    """
    import xarray as xr

    if drive is None or omega is None:
        raise InputError("the time method needs a drive and frequencies; to run the case's own sea use simulate")
    rates = np.atleast_1d(np.asarray(omega, float))
    parts = [_one(system, float(rate), drive, mass_damping, settle, kept) for rate in rates]
    result = xr.concat(parts, "frequency", combine_attrs="override")
    result = result.assign_coords(frequency=("frequency", rates))
    result.attrs["created_by"] = "ropewalk response"
    result.attrs["settings"] = json.dumps({"method": "time", "drive": vars(drive), "settle": settle, "kept": kept})
    described_result: xr.Dataset = described(result, "response")
    return described_result


def driven(system: System, omega: float, drive: Drive) -> System:
    """The case with its drive in place of its own motions and waves."""
    if drive.kind == "waves":
        wave = RegularWaves(
            kind="regular", height=2.0 * drive.amplitude, period=2.0 * math.pi / omega, heading=drive.heading
        )
        return system.replace(environment=system.environment.replace(waves=wave))
    if drive.kind == "force":
        raise InputError("the time method takes motions and waves; case files have no force that varies in time")
    directions = ("x", "y", "z")
    if drive.direction not in directions:
        raise InputError(f"the time method moves parts in {', '.join(directions)}, not in {drive.direction}")
    axis = [1.0 if name == drive.direction else 0.0 for name in directions]
    term = {"direction": axis, "amplitude": drive.amplitude, "omega": omega}
    ramp = RAMP_PERIODS * 2.0 * math.pi / omega
    motion = HarmonicMotion.model_validate({"kind": "harmonic", "ramp": ramp, "terms": [term]})
    change = {"joint": "moving", "motion": motion}
    calm = system.environment.replace(waves=None)
    if drive.part in system.points:
        point = system.points[drive.part].replace(**change)
        return system.replace(environment=calm, points={**system.points, drive.part: point})
    if drive.part in system.bodies:
        body = system.bodies[drive.part].replace(**change)
        return system.replace(environment=calm, bodies={**system.bodies, drive.part: body})
    raise InputError(f"no point or body '{drive.part}'. There are: {', '.join((*system.points, *system.bodies))}")


def _one(system: System, omega: float, drive: Drive, mass_damping: float | None, settle: int, kept: int) -> xr.Dataset:
    period = 2.0 * math.pi / omega
    case = driven(system, omega, drive)
    damping = mass_damping if mass_damping is not None else (case.run.damping if case.run else 0.0)
    run = {"duration": (settle + kept) * period, "solver": SOLVER, "tolerance": TOLERANCE, "damping": damping}
    record = {"every": period / SAMPLES, "start": settle * period}
    case = case.replace(run=run, record=record)
    return transformed(simulate(case, progress=False), omega, kept)


def transformed(run: xr.Dataset, omega: float, kept: int) -> xr.Dataset:
    """Complex amplitudes, with exp(-i omega t), of the last `kept` periods of a run."""
    last = run.isel(time=slice(-kept * SAMPLES, None))
    time = last.time.values

    # a slow drift that has not died out would leak into all harmonics: they are fitted together with a parabola
    x = (time - time.mean()) / (time[-1] - time[0])
    waves = [np.exp(-1j * order * omega * time) for order in range(1, HARMONICS + 1)]
    columns = np.stack([np.ones_like(x), x, x * x, *(w.real for w in waves), *(-w.imag for w in waves)], axis=1)
    fit = np.linalg.pinv(columns)

    def harmonic(values: Any, order: int) -> Any:
        """Re(X exp(-i n omega t)) = Re X cos + Im X sin, by least squares."""
        real, imaginary = fit[2 + order], fit[2 + HARMONICS + order]
        return np.tensordot(real + 1j * imaginary, values, axes=(0, 0))

    out: dict[str, Any] = {}
    for name in ("position", "tension", "point_position"):
        if name in last:
            value = last[name]
            attrs = {**value.attrs, "long_name": f"complex amplitude, {value.attrs['long_name']}"}
            out[name] = (value.dims[1:], harmonic(value.values, 1), attrs)
    if "body_position" in last:
        out["body_motion"] = (("body", "dof"), _body_motion(last, harmonic), {"units": "m"})
    higher = np.stack([np.abs(harmonic(last.tension.values, order)) for order in range(1, HARMONICS + 1)])
    first = np.maximum(higher[0], np.finfo(float).tiny)
    out["tension_mean"] = (("node",), last.tension.values.mean(axis=0), {"units": "N"})
    out["tension_distortion"] = (("node",), np.sqrt(np.sum(higher[1:] ** 2, axis=0)) / first, {"units": "1"})
    out["tension_harmonics"] = (("harmonic", "node"), higher, {"units": "N"})
    if "elevation" in last:
        out["wave"] = ((), harmonic(last.elevation.values, 1), {"units": "m"})
    import xarray as xr

    kept_coordinates = {name: c for name, c in last.coords.items() if "time" not in c.dims}
    coordinates = {**kept_coordinates, "harmonic": np.arange(1, HARMONICS + 1)}
    if "body_motion" in out:
        from ropewalk.solvers.linear_unknowns import DOFS

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
