"""Floating rods: one equilibrium in compiled code beside the same in plain numpy, all equilibria, uncoiling."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from benchmarks.timing import best, show
from rod_bodies import build, directions, helix_fields, twisted_fields
from ropewalk.analysis.rod_design import uncoil
from ropewalk.analysis.stability import all_equilibria
from ropewalk.methods.rods.afloat import MINIMUM, seek
from ropewalk.model.rods import RodModel

STARTS = 10  # random directions of up, the same for both versions
TOLERANCE = 1e-12  # of weight times length


def numpy_integrals(rod: RodModel, z: float, up: np.ndarray) -> tuple[np.ndarray, ...]:
    """Wet volume and moment, waterplane area and moments, on the Gauss points, without splitting."""
    panels = rod.panels
    rows = panels.rows.ravel()
    ds = (panels.weight * panels.half[:, None]).ravel()
    p, t2, t3 = rows["position"], rows["t2"], rows["t3"]
    a, b, c2, c3 = rows["a"], rows["b"], -rows["bend3"], rows["bend2"]
    n2, n3 = a * (t2 @ up), b * (t3 @ up)
    w = np.hypot(n2, n3)
    n2, n3, d = n2 / w, n3 / w, np.clip(-(z + p @ up) / w, -1.0, 1.0)
    c, ab = np.sqrt(1.0 - d * d), a * b
    angle = np.arccos(-d)
    S, Sy = ab * (angle + d * c), -2.0 / 3.0 * ab * c**3
    Sxx, Syy = ab * (angle / 4 + d * c * (5 - 2 * d * d) / 12), ab * (angle - d * c * (1 - 2 * d * d)) / 4
    A2, A3 = a * n2 * Sy, b * n3 * Sy
    A22, A33 = a * a * (Syy * n2**2 + Sxx * n3**2), b * b * (Syy * n3**2 + Sxx * n2**2)
    A23 = a * b * n2 * n3 * (Syy - Sxx)
    volume, m2, m3 = S + c2 * A2 + c3 * A3, A2 + c2 * A22 + c3 * A23, A3 + c2 * A23 + c3 * A33
    V = ds @ volume
    X = (ds * volume) @ p + (ds * m2) @ t2 + (ds * m3) @ t3
    q2, q3, l2, l3 = a * d * n2, b * d * n3, -a * c * n3, b * c * n2
    J, Jl = 1 + c2 * q2 + c3 * q3, c2 * l2 + c3 * l3
    f0, f1 = 2 * ds * ab / w * c * J, 2 / 3 * ds * ab / w * c * Jl
    x, line = p + q2[:, None] * t2 + q3[:, None] * t3, l2[:, None] * t2 + l3[:, None] * t3
    B = f0 @ x + f1 @ line
    cross = (f1[:, None] * x).T @ line
    C = (f0[:, None] * x).T @ x + cross + cross.T + ((f0 / 3)[:, None] * line).T @ line
    return V, X, f0.sum(), B, C


def numpy_equilibrium(rod: RodModel, up: np.ndarray) -> tuple[np.ndarray, int]:
    """Heave eliminated at every step, trust region on the sphere with a full eigenvalue solve."""
    V0, radius, z, steps = rod.float_volume, 1.0, -float(up @ rod.centre), 0

    def model(u: np.ndarray, z: float) -> tuple[float, np.ndarray, np.ndarray, float, np.ndarray]:
        low, high = -np.inf, np.inf
        for _ in range(60):
            V, X, A, B, C = numpy_integrals(rod, z, u)
            if abs(V - V0) < 1e-13 * V0:
                break
            low, high = (z, high) if V > V0 else (low, z)
            step = (V - V0) / A if A > 0 else np.sign(V - V0) * 0.1 * rod.length
            z = z + step if low < z + step < high else 0.5 * (low + high)
        Y, B2 = X - V * rod.centre, B - A * rod.centre
        C2 = C - np.outer(B, rod.centre) - np.outer(rod.centre, B) + A * np.outer(rod.centre, rod.centre)
        P = np.linalg.svd(u[None])[2][1:]
        return -u @ Y, -P @ Y, P @ (C2 - np.outer(B2, B2) / A) @ P.T + (u @ Y) * np.eye(2), z, P

    E, g, H, z, P = model(up, z)
    while np.linalg.norm(g) > TOLERANCE * V0 * rod.length and steps < 200:
        steps += 1
        values, vectors = np.linalg.eigh(H)
        shift = max(0.0, -values[0] + 1e-3 * abs(values).max())
        while np.linalg.norm((vectors.T @ g) / (values + shift)) > radius:
            shift = 2 * shift + 1e-3 * abs(values).max()
        p = -(vectors @ ((vectors.T @ g) / (values + shift))) @ P
        angle = np.linalg.norm(p)
        moved = np.cos(angle) * up + np.sin(angle) / angle * p
        trial = model(moved, z)
        if trial[0] < E or np.linalg.norm(trial[1]) < np.linalg.norm(g):
            up, (E, g, H, z, P) = moved, trial
            radius = min(1.4, 1.5 * radius)
        else:
            radius *= 0.25
    return up, steps


def cpu_time(job: Callable[[], object], repeats: int = 7) -> float:
    """CPU seconds of one call, the least of several: other work on the machine does not count."""
    job()
    least = float("inf")
    for _ in range(repeats):
        begin = time.thread_time()
        job()
        least = min(least, time.thread_time() - begin)
    return least


def both(name: str, rod: RodModel, bar: float) -> list[tuple[str, str, str]]:
    """Mean time of one equilibrium from the same random starts in both versions."""
    n = rod.panels.rows.shape[0] * rod.panels.rows.shape[1]
    starts, path = directions(STARTS, 1), np.zeros((101, 4))

    def compiled() -> None:
        for up in starts:
            seek(
                rod.panels,
                rod.centre,
                rod.float_volume,
                rod.length,
                up,
                -up @ rod.centre,
                MINIMUM,
                TOLERANCE,
                100,
                path,
            )

    def plain() -> None:
        for up in starts:
            numpy_equilibrium(rod, up)

    quick, slow = cpu_time(compiled) / STARTS, cpu_time(plain, 2) / STARTS
    return [
        (f"{name}, N = {n}: compiled", f"{1e3 * quick:.3f} ms", f"bar {bar} ms"),
        (f"{name}, N = {n}: plain numpy", f"{1e3 * slow:.1f} ms", f"{slow / quick:.0f} times as long"),
    ]


def main() -> None:
    """Print times and ratios."""
    helix = build(helix_fields(), order=20, n_panels=5)
    rows = both("helix", helix, 0.2)
    rows += both("twisted cylinder", build(twisted_fields(17), order=10, n_panels=50), 0.6)
    fine = build(helix_fields())
    rows.append(("all equilibria of the helix", f"{best(lambda: all_equilibria(fine), 3):.2f} s", "bar 2 s"))
    pose = all_equilibria(fine).states[0].pose
    walk = uncoil(fine, pose)
    rows.append(("uncoiling by a factor 3", f"{len(walk.steps)} steps", "bar 60 (paper 6000)"))
    rows.append(("uncoiling, whole walk", f"{best(lambda: uncoil(fine, pose), 3):.2f} s", ""))
    show(rows)


if __name__ == "__main__":
    main()
