"""The question `modes`: natural frequencies, damping and mode shapes about the equilibrium."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.mode_names import dominant_motion
from ropewalk.analysis.statics import Equilibrium
from ropewalk.errors import InputError
from ropewalk.methods.linear import FoundModes, find_modes
from ropewalk.results.layout import QUATERNION
from ropewalk.spec import arguments
from ropewalk.spec.system import Source

if TYPE_CHECKING:
    import xarray as xr

COUNT = 10  # modes unless asked otherwise


def modes(
    system: Source | Equilibrium | Linearised,
    count: int = COUNT,
    *,
    damped: bool | None = None,
    near: float = 0.0,
    method: str | None = None,
) -> xr.Dataset:
    """The `count` modes nearest to the frequency `near` (rad/s), the lowest unless given.

    damped : True for complex modes with all damping; False for undamped ones, whose `damping` is then the fraction
    of critical damping of each mode by itself. By default complex modes are computed where the forces have no
    potential (current), because there are no others.

    Variables: `omega` (rad/s, of the undamped or complex eigenvalue's magnitude), `period` (s, NaN for a mode
    that does not oscillate), `damping` (fraction of critical, negative if the mode grows), `growth` (1/s) and
    `stable`; `dominant` motion; shapes `position`, `point_position`, `body_motion`, `tension`, scaled to unit
    modal mass (undamped) or to a largest motion of 1 (complex); `rest_...`, the equilibrium.

    >>> import ropewalk as rw
    >>> found = rw.modes("mooring.yaml", 2)
    >>> found.period.values.round(1), found.dominant.values.tolist()
    (array([18. ,  9.2]), ['west y', 'west y'])
    """
    count, near = arguments.count("count", count), arguments.number("near", near)
    linear = system if isinstance(system, Linearised) else linearise(system, method)
    n = int(np.count_nonzero(linear.M.diagonal()))
    if n == 0:
        raise InputError("nothing is free to move; there are no modes")
    if damped is None:
        damped = not linear.is_symmetric
    if not damped and not linear.is_symmetric:
        raise InputError("undamped modes need forces with a potential; with current or moments compute damped ones")
    linear.refuse_size(count, "modes")
    scale = frequency_scale(linear)
    return _dataset(linear, find_modes(linear, count, near, scale, damped=damped), scale)


def frequency_scale(linear: Linearised) -> float:
    """Frequency of a pendulum as long as the longest line or net; without gravity of a string of the mass, rad/s."""
    model = linear.model
    net = float(np.linalg.norm(np.ptp(linear.rest_knots, axis=0))) if linear.nets is not None else 0.0
    length = max(float(np.max(model.lines.length, initial=0.0)), net) or 1.0
    rate = model.sea.gravity
    if rate == 0.0:
        mass = float(np.sum(linear.assembled.local.node_M[:, 0, 0])) or 1.0
        rate = float(np.max(linear.place.T, initial=0.0)) / mass
    return float(np.sqrt((rate or 1.0) / length))


def _dataset(linear: Linearised, found: FoundModes, scale: float) -> xr.Dataset:
    s, x, damping, unstable = found
    place, n = linear.place, linear.unknowns.mesh.s.size
    oscillates, growth = found.oscillates(scale), found.growth(scale)
    dominant, share = dominant_motion(linear, x)
    variables: dict[str, tuple[tuple[str, ...], Any]] = {
        "omega": (("mode",), np.abs(s)),
        "period": (("mode",), np.where(oscillates, 2.0 * np.pi / np.where(oscillates, np.abs(s.imag), 1.0), np.nan)),
        "damping": (("mode",), damping),
        "growth": (("mode",), growth),
        "stable": (("mode",), growth <= 0.0),
        "dominant": (("mode",), np.array(dominant, dtype=str)),
        "dominant_share": (("mode",), share),
        "position": (("mode", "node", "axis"), _last_first(linear.node_motion(x))),
        "tension": (("mode", "node"), _last_first(linear.node_tension(x))),
        "point_position": (("mode", "point", "axis"), _last_first(linear.point_motion(x))),
        "body_motion": (("mode", "body", "dof"), _last_first(linear.body_motion(x))),
        "net_position": (("mode", "knot", "axis"), _last_first(linear.knot_motion(x))),
        "net_tension": (("mode", "twine"), _last_first(linear.twine_tension(x))),
        "rest_position": (("node", "axis"), place.r[:n][linear.node_order]),
        "rest_point_position": (("point", "axis"), place.r[n : n + linear.n_points]),
        "rest_net_position": (("knot", "axis"), linear.rest_knots),
        "rest_body_position": (("body", "axis"), place.body_position),
        "rest_body_quaternion": (("body", "quaternion"), place.quaternion),
    }
    growing = int(np.sum(growth > 0.0))
    return linear.dataset(
        "modes",
        variables,
        {
            "mode": (("mode",), np.arange(1, s.size + 1)),
            "quaternion": (("quaternion",), list(QUATERNION)),
        },
        {"method": linear.equilibrium.method, "complex": bool(np.iscomplexobj(x))},
        stability=_stability(growing if unstable is None else max(growing, unstable), unstable is not None),
    )


def _last_first(array: Any) -> Any:
    return np.moveaxis(array, -1, 0)


def _stability(growing: int, counted: bool) -> str:
    if growing == 0:
        return "stable" if counted else "stable in its lowest modes"
    return f"unstable: {growing} growing mode{'s' if growing > 1 else ''}"


def summary(result: xr.Dataset) -> dict[str, Any]:
    """Plain data: what `ropewalk modes --json` prints."""
    rows = []
    for k in range(result.sizes["mode"]):
        period = float(result.period[k])
        rows.append(
            {
                "omega": float(result.omega[k]),
                "period": period if np.isfinite(period) else None,
                "damping": float(result.damping[k]),
                "growth": float(result.growth[k]),
                "stable": bool(result.stable[k]),
                "dominant": str(result.dominant.values[k]),
                "dominant_share": float(result.dominant_share[k]),
            }
        )
    return {"stability": result.attrs["stability"], "modes": rows, "doubts": json.loads(result.attrs["doubts"])}
