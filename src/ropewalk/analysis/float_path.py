"""Steps of a search for the pose of a rod: Newton's method beside the gradient method of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.audit_poses import Audited, refuse_unsound
from ropewalk.analysis.case_doubts import case_doubts
from ropewalk.analysis.doubts import as_json
from ropewalk.analysis.rod_time import rod_of
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.rods import FloatingPose, descend, traced_equilibrium
from ropewalk.model.rod_fields import build_rod
from ropewalk.results.schema import DONE, described
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

METHODS = ("newton", "gradient")


def float_path(
    system: Source,
    name: str | None = None,
    *,
    method: str = "newton",
    up: Sequence[float] = (0.1, 0.3, 1.0),
    heave: float | None = None,
) -> xr.Dataset:
    """The iterations of one search for a stable pose of a rigid rod, from an up direction in head axes.

    method : "newton" (with a trust region, the heave eliminated at each step), or "gradient": steps along the wrench on
    SE(3) with Armijo's rule ([Herault2020], algorithm 1; figures 9 and 13 draw what this returns)
    heave : height of the head to start from, m    name : of the rod, if there are several

    Variables over `iteration`: energy_total (J), force (N, vertical) and moment_x, moment_y (N m) out of balance about
    the centre of mass. Attributes: `status`, "done" or a sentence; evaluations, heave, roll, pitch (deg) at the end.

    >>> import ropewalk as rw
    >>> log = {"length": 2.0, "density": 500, "section": {"kind": "ellipse", "a": 0.1, "b": 0.2}}
    >>> path = rw.float_path(rw.System(rods={"log": log}))
    >>> bool(abs(path.moment_x[-1]) < 1e-9 * abs(path.moment_x[0]))
    True
    """
    import xarray as xr

    if arguments.text("method", method, METHODS[0]) not in METHODS:
        raise InputError(f"unknown method '{method}'; choose {' or '.join(METHODS)}")
    system = System.of(system)
    key, rod = rod_of(system, name)
    if rod.elasticity is not None or rod.held is not None:
        raise InputError(f"rod '{key}' is elastic or held; paths are available for rigid rods that float freely")
    start = arguments.numbers("up", up)
    if start.shape != (3,) or not np.any(start):
        raise InputError(f"up must be three numbers, not all zero; it is {up!r}")
    heave = None if heave is None else arguments.number("heave", heave)
    model, status = build_rod(rod, system.environment, key), DONE
    if method == "gradient":
        trace: list[tuple[float, float, float, float]] = []
        try:
            end: FloatingPose | None = descend(model, start, heave, trace=trace)
        except ConvergenceError as error:  # its way down is what was wanted
            end, status = None, str(error)
    else:
        end, trace = traced_equilibrium(model, start, heave)
    rows = np.array(trace)
    variables = {
        "energy_total": ("iteration", rows[:, 0]),
        "force": ("iteration", rows[:, 1]),
        "moment_x": ("iteration", rows[:, 2]),
        "moment_y": ("iteration", rows[:, 3]),
    }
    attrs: dict[str, Any] = {"title": system.title, "rod": key, "method": method, "status": status}
    attrs["doubts"] = as_json(case_doubts(system, "static"))
    if end is not None:
        try:
            refuse_unsound(f"rod '{key}': the end of the path", Audited(model).figures(end.heave, end.up))
        except ConvergenceError as error:
            attrs["status"] = str(error)
        attrs |= {"evaluations": end.evaluations, "heave": end.heave}
        attrs |= {"roll": float(np.degrees(end.roll)), "pitch": float(np.degrees(end.pitch))}
    found: xr.Dataset = described(xr.Dataset(variables, {"iteration": np.arange(len(rows))}, attrs), "float_path")
    return found
