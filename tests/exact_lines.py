"""The elastic catenary on a rigid flat bed without friction, solved here apart from the program."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import root

import ropewalk as rw
from ropewalk.spec.system import System


class Ends(NamedTuple):
    horizontal: float  # N
    vertical_a: float  # N, upward pull of the line's tension at A on what is beyond, i.e. T_z at A
    vertical_b: float

    @property
    def tensions(self) -> tuple[float, float]:
        return float(np.hypot(self.horizontal, self.vertical_a)), float(np.hypot(self.horizontal, self.vertical_b))


def exact(w: float, EA: float, L: float, a: np.ndarray, b: np.ndarray, depth: float) -> Ends:
    """Forces at the ends of a uniform line that hangs between a and b, partly on the bed if a lies on it."""
    x, z = float(np.hypot(*(b - a)[:2])), float(b[2] - a[2])

    def spans(H: float, V: float) -> tuple[float, float]:
        Va = V - w * L
        if Va < 0.0 and abs(a[2] + depth) < 1e-9 and w > 0.0:  # part of it lies on the bed
            lifted = V / w
            return (
                L - lifted + H / w * np.arcsinh(V / H) + H * L / EA,
                H / w * (np.hypot(1.0, V / H) - 1.0) + V * V / (2.0 * EA * w),
            )
        return (
            H / w * (np.arcsinh(V / H) - np.arcsinh(Va / H)) + H * L / EA,
            H / w * (np.hypot(1.0, V / H) - np.hypot(1.0, Va / H)) + (V * V - Va * Va) / (2.0 * EA * w),
        )

    def miss(q: np.ndarray) -> list[float]:
        H, V = np.exp(q[0]), q[1] * abs(w) * L
        sx, sz = spans(H, V)
        return [(sx - x) / L, (sz - z) / L]

    best = None
    for guess in np.geomspace(1e-2, 1e3, 60):
        for lift in (0.2, 0.5, 1.0, 1.5):
            found = root(miss, [np.log(guess * abs(w) * L), lift * np.sign(w)], tol=1e-14)
            size = float(np.abs(found.fun).max())
            if best is None or size < best[0]:
                best = size, found.x
        if best is not None and best[0] < 1e-13:
            break
    assert best is not None and best[0] < 1e-12, f"the reference did not converge: {best}"
    H, V = float(np.exp(best[1][0])), float(best[1][1] * abs(w) * L)
    on_bed = V - w * L < 0.0 and abs(a[2] + depth) < 1e-9 and w > 0.0
    return Ends(H, 0.0 if on_bed else V - w * L, V)


def weight(system: System, line: str) -> tuple[float, float, float]:
    """Submerged weight per metre, EA and length of a line of one piece."""
    piece = system.lines[line].pieces[0]
    section, sea = system.sections[piece.section], system.environment
    w = (section.mass - sea.water_density * math.pi / 4.0 * section.diameter**2) * sea.gravity
    return w, section.axial_stiffness, piece.length


def compare_lines(system: System) -> None:
    """Every line of the equilibrium is the exact catenary between its ends."""
    equilibrium = rw.statics(system, "catenary")
    for name in system.lines:
        line = equilibrium.summary["lines"][name]
        a, b = (np.array(line[end]["position"]) for end in ("end_a", "end_b"))
        reference = exact(*weight(system, name), a, b, system.environment.depth)
        tensions = [line[end]["tension"] for end in ("end_a", "end_b")]
        # both solve to round-off of the closure, 1e-13 of the length, and dT/T is up to 1e3 dL/L here
        np.testing.assert_allclose(tensions, reference.tensions, rtol=1e-8)
