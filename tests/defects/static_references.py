"""Tensions at the ends of the lines of the cases beside, each by a closed form or by random_references.py."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import random_references as known
from references import Array
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import ropewalk as rw

HERE = Path(__file__).parent


@cache
def case(name: str) -> rw.System:
    return rw.System.from_file(HERE / f"{name}.yaml")


def elastic_catenary(span: float, rise: float, length: float, weight: float, stiffness: float) -> Array:
    """Tension at the lower and the upper end, N: the elastic catenary between two points, [Irvine1981], ch. 1."""

    def ends(x):
        H, V = np.exp(x[0]), x[1]  # V at the upper end
        low = V - weight * length
        across = H * length / stiffness + H / weight * (np.arcsinh(V / H) - np.arcsinh(low / H))
        up = (V**2 - low**2) / (2.0 * weight * stiffness) + (np.hypot(H, V) - np.hypot(H, low)) / weight
        return across - span, up - rise

    strain = np.hypot(span, rise) / length - 1.0
    guess = max(stiffness * strain, weight * length)
    x = fsolve(ends, [np.log(guess * span / np.hypot(span, rise)), guess * rise / np.hypot(span, rise)], xtol=1e-13)
    H, V = np.exp(x[0]), x[1]
    return np.array([[np.hypot(H, V - weight * length), np.hypot(H, V)]])


def tendon(system: rw.System) -> Array:
    """T = EA (l/L - 1) in the middle, and half the weight more and less at the ends; upright."""
    middle, half = 1.5e9 * (90.0 / 89.9 - 1.0), 0.5 * known.piece_weight(system, "tendon") * 89.9
    return np.array([[middle - half, middle + half]])


def taut_wire(system: rw.System) -> Array:
    return elastic_catenary(
        60.0, 100.0, 116.5, known.piece_weight(system, "wire"), system.sections["wire"].axial_stiffness
    )


def level_catenary(system: rw.System) -> Array:
    """47 m between ends 20 m apart: T = w a cosh(10/a) with 2 a sinh(10/a) = 47."""
    a = brentq(lambda a: 2.0 * a * np.sinh(10.0 / a) - 47.0, 1.0, 100.0)
    return np.full((1, 2), 5.0 * 9.81 * a * np.cosh(10.0 / a))


def two_weights_in_a_row(system: rw.System) -> Array:
    return np.array([[2.0, 2.0], [1.0, 1.0]]) * 9.81


def floating_ball(system: rw.System) -> Array:
    """A ball of 2 m3 and 1000 kg, wet by h^2 (3 - h) / 4 of it, carries the wire that hangs to the bed."""
    weight, radius = known.piece_weight(system, "wire"), np.cbrt(1.5 / np.pi)

    def excess(z: float) -> float:
        h = 1.0 - z / radius
        return 1025.0 * 9.80665 * 2.0 * 0.25 * h**2 * (3.0 - h) - 1000.0 * 9.80665 - weight * (100.0 + z)

    return np.array([[0.0, weight * (100.0 + brentq(excess, -radius, radius))]])


def hangs_from_air(system: rw.System) -> Array:
    """50 m in the water and 3 m above it; the rest lies on the bed."""
    return np.array([[0.0, 50.0 * known.piece_weight(system, "c") + 3.0 * 20.0 * 9.80665]])


def turning_rope(system: rw.System) -> Array:
    """H = T cos(theta) is constant, and V' = -(m omega^2 y + m g) in the plane of gravity."""

    def miss(x):
        def slope(_, y):
            T = np.hypot(x[0], y[2])
            return [x[0] / T, y[2] / T, -(400.0 * y[1] + 9.81)]

        end = solve_ivp(slope, (0.0, 3.0), [0.0, 0.0, x[1]], rtol=1e-11, atol=1e-12).y[:, -1]
        return end[0] - 2.0, end[1]

    return np.full((1, 2), np.hypot(*fsolve(miss, [200.0, 380.0])))


def clump_on_rope(system: rw.System) -> Array:
    """What hangs pulls at the top; the bed holds the clump, and the rope beside it is slack."""
    return np.array([[known.slack_to_bed(system, "l", 0.0), 0.0]])


def both_ends_down(system: rw.System) -> Array:
    return np.full((1, 2), known.slack_to_bed(system, "l", -30.0))


def upper_end_down(system: rw.System) -> Array:
    """What lies folded on the bed pulls at the anchor with a drag that its lie decides: not determined."""
    return np.array([[np.nan, known.slack_to_bed(system, "l", float(system.points["f"].position[2]))]])


# N: what the softness of the bed changes, which the references take as rigid. At the end that lies it is all of the
# difference of elements, on any mesh from 50 to 400
SOFT = {"end_below_anchor": 1.02}
REFERENCES = {
    "air": floating_ball,
    "bars_at_rest": level_catenary,
    "clump_on_bed": clump_on_rope,
    "det_seed45": known.weight_on_slack_lines,
    "double_pendulum_massless": two_weights_in_a_row,
    "end_below_anchor": known.string_on_bed,
    "fairlead_above_water": hangs_from_air,
    "random_1": known.pulled_across,
    "random_115": upper_end_down,
    "rotating_rope": turning_rope,
    "sagging_onto_bed": both_ends_down,
    "seed0": known.buoy_over_slack_lines,
    "seed574": known.node_over_two_slack_lines,
    "seed627": known.buoy_in_current,
    "seed690": known.node_on_bed,
    "slack_current": upper_end_down,
    "slack_weight": known.weight_on_two_ropes,
    "taut": taut_wire,
    "tlp": tendon,
}


@cache
def reference(name: str) -> Array:
    return REFERENCES[name](case(name))
