"""Why a power series stopped, as a status and one sentence with link, time and a way out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.methods.chain import steps
from ropewalk.methods.chain.arrays import Chain
from ropewalk.methods.chain.equations import prescribe
from ropewalk.methods.protocol import Status
from ropewalk.model.arrays import Records

NEARLY_TAUT = 1e-3  # slack as a fraction of the length below which a failure is put down to a taut chain
TIME_DIGITS = 1e-9  # relative, of distances and of the time at which the ends pass the reach of the links
SCAN = 400  # times at which the distance of moving ends is checked between a failure and the end time


def explain(
    name: str, chain: Chain, clock: Records, code: int, link: int, value: float, until: float, step: float
) -> tuple[Status, str]:
    """Status and sentence for the code, link and number of `integrate` of steps.py.

    name : of the line    until : end time, s    step : fixed step, s, or 0
    """
    t = float(clock[0].begin)
    where = f"line '{name}', link {link + 1} of {chain.length.size}, t = {t:.6g} s"
    reach = float(chain.length.sum())
    distance = end_distance(chain, t)
    if code == steps.DRAG:
        return Status.UNSUPPORTED, (
            f"{where}: the water's speed across the link vanishes at t = {value:.6g} s, where quadratic drag has no "
            "power series; give options: {smoothing_speed: ...} (m/s, a tenth of typical speeds), or use solver "
            "'mixed_fem'"
        )
    if distance is not None and distance > (1.0 - NEARLY_TAUT) * reach:
        if distance > (1.0 + TIME_DIGITS) * reach:
            return Status.TOO_SHORT, (
                f"{where}: the ends are {distance:.6g} m apart and the links reach {reach:.6g} m; lengthen the line"
            )
        late = _out_of_reach(chain, t, max(until, t + step))
        if late is not None:
            when, far = late
            return Status.TOO_SHORT, (
                f"{where}: the end motion cannot be followed: from t = {when:.6g} s on the ends are farther apart "
                f"than the {reach:.6g} m of the links, soon {far:.6g} m; lengthen the line or reduce the motion"
            )
        return Status.TOO_SHORT, (
            f"{where}: the chain is taut: its ends are {distance:.9g} m apart and its links {reach:.9g} m long, so "
            "the axial force is unbounded; lengthen the line, or give it axial_stiffness and use solver 'mixed_fem'"
        )
    if code == steps.DIVERGED:
        return Status.NOT_CONVERGED, (
            f"{where}: the series does not converge over the step of {step:.4g} s: its radius of convergence is about "
            f"{value:.3g} s; use a smaller step, or leave step out and give a tolerance"
        )
    if code == steps.STEP_FLOOR:
        return Status.STEP_TOO_SMALL, (
            f"{where}: the series allows a step of {value:.3g} s only, below the limit of {chain.time_floor:.3g} s; "
            "the motion is close to a collision or a jump: loosen the tolerance, or use solver 'mixed_fem'"
        )
    return Status.NOT_CONVERGED, (
        f"{where}: the links cannot be brought to their lengths from this shape (relative error {value:.3g}): it is "
        "straight, or too far from the ends; start from equilibrium or give a shape that fits"
    )


def end_distance(chain: Chain, t: float) -> float | None:
    """Distance of the ends at t, m; None if one of them is not held."""
    if not np.all(chain.held):
        return None
    position = np.zeros((3, 1, chain.length.size + 1))
    prescribe(chain, t, 1.0, position)
    return float(np.linalg.norm(position[:, 0, -1] - position[:, 0, 0]))


def _out_of_reach(chain: Chain, t: float, until: float) -> tuple[float, float] | None:
    """When the ends first pass the reach of the links (s), and a distance soon after (m); None if they do not."""
    reach = float(chain.length.sum())
    times = np.linspace(t, until, SCAN + 1)
    for before, after in pairwise(times):
        far = end_distance(chain, float(after))
        if far is not None and far > reach:
            low, high = float(before), float(after)
            while high - low > TIME_DIGITS * max(abs(high), 1.0):
                middle = 0.5 * (low + high)
                if (end_distance(chain, middle) or 0.0) > reach:
                    high = middle
                else:
                    low = middle
            return high, far
    return None
