"""The question `modes`: natural frequencies, damping and mode shapes about the equilibrium."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.linearise import Linearised, linearise
from ropewalk.analysis.mode_names import dominant_motion
from ropewalk.analysis.statics import Equilibrium
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.linear.ldl import SymmetricFactor
from ropewalk.methods.linear.pencil import complex_modes, real_modes
from ropewalk.model.arrays import Array
from ropewalk.results.layout import QUATERNION
from ropewalk.spec import arguments
from ropewalk.spec.system import Source

if TYPE_CHECKING:
    import xarray as xr

COUNT = 10  # modes unless asked otherwise
SHIFT = 1e-2  # of the pendulum frequency squared, below zero: drifting parts leave the matrix regular
# s (1/s), shapes, damping and the number of unstable modes if it is known
Found = tuple[Any, Any, Array, int | None]

MOST_SHIFTS, SHIFT_GROWTH = 30, 8.0  # on the way below all growing modes
ABOVE = 1.001  # of an undamped rate of growth: damping only lowers it
SAME = 1e-9  # relative: two rates of growth that are one

# of the pendulum frequency: slower than this is drift, neither stable nor unstable; round-off of 1e-10 in omega^2
STILL = 1e-4


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
    found: Found = _complex(linear, count, near, scale) if damped else _real(linear, count, near, scale)
    return _dataset(linear, *found, scale)


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


def _real(linear: Linearised, count: int, near: float, scale: float) -> Found:
    """Undamped modes."""
    shift = near**2 - SHIFT * scale**2
    pencil = linear.pencil
    factor = pencil.factor(shift)
    available = free_count(linear)
    if available == 0:
        raise InputError("nothing is free to move; there are no modes")
    values, shapes = real_modes(pencil, min(count, available), shift, factor)
    unstable = _unstable_count(linear, factor) if near == 0.0 else None
    if unstable is not None and unstable > np.sum(values < shift):  # they are not the nearest to zero
        growing = _growing(linear, min(unstable, count), scale)
        kept = values >= shift
        values = np.concatenate([growing[0], values[kept]])[:count]
        shapes = np.concatenate([growing[1], shapes[:, kept]], axis=1)[:, :count]
    s = np.where(values < 0.0, np.sqrt(np.abs(values)), 0.0) + 1j * np.sqrt(np.maximum(values, 0.0))
    power = np.einsum("ij,ij->j", shapes, linear.B @ shapes)
    magnitude = np.maximum(np.abs(s), STILL * scale)
    damping = np.where(values < 0.0, -1.0, power / (2.0 * magnitude))
    damping = np.where(np.abs(s) <= STILL * scale, 0.0, damping)  # of drift
    order = np.argsort(np.where(s.real > 0.0, -s.real, np.abs(s)))  # fastest growing first, then by frequency
    return s[order], shapes[:, order], damping[order], unstable


def _unstable_count(linear: Linearised, factor: SymmetricFactor) -> int | None:
    """Number of growing modes by the signs of the pivots; every tension and multiplier has a negative one."""
    if factor.negative is None:
        return None
    return factor.negative - linear.unknowns.tension.size - linear.unknowns.link.size


def _growing(linear: Linearised, count: int, scale: float) -> tuple[Array, Array]:
    """The `count` fastest growing modes: those nearest to a shift below them all."""
    shift = -(scale**2)
    for _ in range(MOST_SHIFTS):
        factor = linear.pencil.factor(shift)
        if _unstable_count(linear, factor) == 0:
            return real_modes(linear.pencil, count, shift, factor)
        shift *= SHIFT_GROWTH
    raise ConvergenceError(f"{count} growing modes are faster than {np.sqrt(-shift):.3g} 1/s; is the case in SI units?")


def free_count(linear: Linearised) -> int:
    """Number of modes: moving unknowns with mass, less what inextensible lines take."""
    moving = int(np.count_nonzero(linear.M.diagonal() > 0.0))
    rigid = int(np.count_nonzero(linear.assembled.local.give == 0.0)) + linear.unknowns.link.size
    return min(max(0, moving - rigid), max(0, linear.K.shape[0] - 2))


def _complex(linear: Linearised, count: int, near: float, scale: float) -> Found:
    shift = complex(SHIFT * scale, near) if near > 0.0 else SHIFT * scale
    s, shapes = complex_modes(linear.K, linear.B, linear.M, linear.assembled.P, count, shift)
    unstable = None
    if near == 0.0 and linear.is_symmetric:
        # damping that only takes energy away leaves their number as it is (Kelvin and Tait)
        unstable = _unstable_count(linear, linear.pencil.factor(-SHIFT * scale**2))
        if unstable is not None and unstable > np.sum(s.real > STILL * scale):
            s, shapes = _with_growing(linear, s, shapes, min(unstable, count), scale)
            s, shapes = s[:count], shapes[:, :count]
    order = np.lexsort((np.abs(s), s.real <= STILL * scale))
    s, shapes = s[order], shapes[:, order]
    shapes = shapes / shapes[np.argmax(np.abs(linear.M @ shapes), axis=0), np.arange(shapes.shape[1])]
    drifts = np.abs(s) <= STILL * scale
    return s, shapes, np.where(drifts, 0.0, -s.real / np.maximum(np.abs(s), STILL * scale)), unstable


def _with_growing(linear: Linearised, s: Any, shapes: Any, unstable: int, scale: float) -> tuple[Any, Any]:
    """The `unstable` fastest growing modes, each searched for from above its undamped rate, before the others."""
    found: list[complex] = []
    vectors: list[Any] = []
    for value in _growing(linear, unstable, scale)[0]:
        shift = ABOVE * float(np.sqrt(-value))
        more = complex_modes(linear.K, linear.B, linear.M, linear.assembled.P, unstable, shift)
        for k in np.flatnonzero(more[0].real > STILL * scale):
            if len(found) < unstable and all(abs(more[0][k] - other) > SAME * abs(other) for other in found):
                found.append(more[0][k])
                vectors.append(more[1][:, k])
    if not found:
        return s, shapes
    kept = s.real <= STILL * scale
    return np.concatenate([found, s[kept]]), np.concatenate([np.stack(vectors, axis=1), shapes[:, kept]], axis=1)


def _dataset(linear: Linearised, s: Any, x: Any, damping: Array, unstable: int | None, scale: float) -> xr.Dataset:
    place, n = linear.place, linear.unknowns.mesh.s.size
    oscillates = np.abs(s.imag) > STILL * scale
    growth = np.where(np.abs(s.real) > STILL * scale, s.real, 0.0)
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
