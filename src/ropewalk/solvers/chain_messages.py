"""Why a power series stopped, as a status and one sentence with link, time and a way out."""

from __future__ import annotations

import numpy as np

from ropewalk.solvers import chain_steps as steps
from ropewalk.solvers.chain_arrays import Array, Chain
from ropewalk.solvers.chain_equations import prescribe
from ropewalk.solvers.protocol import Status

NEARLY_TAUT = 1e-3  # slack as a fraction of the length below which a failure is put down to a taut chain
SCAN = 400  # times at which the distance of moving ends is looked at between a failure and the time asked for


def explain(
    name: str, chain: Chain, clock: Array, code: int, link: int, value: float, until: float, step: float
) -> tuple[Status, str]:
    """Status and sentence for the code, link and number of `chain_steps.integrate`.

    name : of the line    until : time asked for, s    step : fixed step, s, or 0
    """
    t = float(clock[steps.BEGIN])
    where = f"line '{name}', link {link + 1} of {chain.length.size}, t = {t:.6g} s"
    reach = float(chain.length.sum())
    distance = end_distance(chain, t)
    if code == steps.DRAG:
        return Status.UNSUPPORTED, (
            f"{where}: the water's speed past the link vanishes at t = {value:.6g} s, where quadratic drag has no "
            "power series; give a smoothing_speed, or take a solver that does not need series"
        )
    late = _out_of_reach(chain, t, max(until, t + (step or 0.0)))
    if distance is not None and (late is not None or distance > (1.0 - NEARLY_TAUT) * reach):
        if late is not None and code != steps.DIVERGED:
            when, far = late
            return Status.TOO_SHORT, (
                f"{where}: the end motion cannot be followed: it asks for {far:.6g} m between the ends at "
                f"t = {when:.6g} s, and the links reach {reach:.6g} m; lengthen the line or lessen the motion"
            )
        if code in (steps.TAUT, steps.UNREACHABLE, steps.STEP_FLOOR):
            return Status.TOO_SHORT, (
                f"{where}: the chain is taut: its ends are {distance:.9g} m apart and its links {reach:.9g} m long, so "
                "the axial force has no bound; lengthen the line or give it axial_stiffness in another solver"
            )
    if code == steps.DIVERGED:
        return Status.NOT_CONVERGED, (
            f"{where}: the series does not converge over the step of {step:.4g} s: its radius of convergence is about "
            f"{value:.3g} s; take a smaller step, or leave step out and give a tolerance"
        )
    if code == steps.STEP_FLOOR:
        return Status.STEP_TOO_SMALL, (
            f"{where}: the series allows a step of {value:.3g} s only, below the limit of {chain.time_floor:.3g} s; "
            "the motion is close to a collision or a jump: loosen the tolerance, or take a solver with damping"
        )
    return Status.NOT_CONVERGED, (
        f"{where}: the links do not fit between the ends (relative length error {value:.3g}); they are straight in one "
        "line or too far from their lengths"
    )


def end_distance(chain: Chain, t: float) -> float | None:
    """Distance of the ends at t, m; None if one of them is not held."""
    if not np.all(chain.held):
        return None
    position = np.zeros((3, 1, chain.length.size + 1))
    prescribe(chain, t, 1.0, position)
    return float(np.linalg.norm(position[:, 0, -1] - position[:, 0, 0]))


def _out_of_reach(chain: Chain, t: float, until: float) -> tuple[float, float] | None:
    """First time of a scan at which the ends are farther apart than the links reach, and that distance."""
    if not np.all(chain.held):
        return None
    for at in np.linspace(t, until, SCAN + 1):
        far = end_distance(chain, float(at))
        if far is not None and far > chain.length.sum():
            return float(at), far
    return None
