"""Shooting against scipy.integrate.solve_bvp at the same reached accuracy, and nets of growing size.

Run: python -m benchmarks.bench_shooting  (or `make bench`).  Times are the best of several runs,
those of a comparison taken in turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp

from ropewalk.methods.shooting import Shooting
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

RUNS = 5
ROUNDS, CALLS = 15, 10  # measurements in turn, and calls of ours in each
LENGTH = 50.0  # m, of every line of the examples
ACCURACY = 1e-9  # of the length, that both must reach along the lines


def best(function: Callable[[], Any], runs: int = RUNS) -> tuple[float, Any]:
    """Shortest time (s) of several runs, and the last result."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - begin)
    return min(times), result


def shooting(case: dict[str, Any], exact: Any) -> tuple[Callable[[], None], Any]:
    """`advance` from the default start at the loosest tolerance that reaches the accuracy, and the State.

    Each call takes one of ROUNDS * CALLS starts that are laid out before.
    """
    model = build(System.model_validate(case))
    start = initial_state(model)
    for tolerance in 10.0 ** -np.arange(7, 12):
        solver = Shooting(tolerance=float(tolerance), target=float(tolerance))
        work = solver.start(model, start)
        assert solver.advance(model, work, 0.0).good
        state = solver.read(model, work)
        if float(np.abs(state.position - exact.position).max()) <= ACCURACY * LENGTH:
            works = [solver.start(model, start) for _ in range(ROUNDS * CALLS)]
            return partial(_solve, solver, model, works), state
    raise RuntimeError("shooting does not reach the accuracy")


def _solve(solver: Shooting, model: Any, works: list[Any]) -> None:
    assert solver.advance(model, works.pop(), 0.0).good


def in_turn(ours: Callable[[], None], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Shortest times of both (s), measured in turn, so that what else the machine does meets both alike."""
    quick, slow = math.inf, math.inf
    for _ in range(ROUNDS):
        quick = min(quick, best(ours, CALLS)[0])
        slow = min(slow, best(theirs, 1)[0])
    return quick, slow


def exact_state(case: dict[str, Any]) -> Any:
    """The State at the tightest tolerance, which the tests hold against closed forms to 1e-10."""
    model = build(System.model_validate(case))
    solver = Shooting()
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 0.0)
    return solver.read(model, work)


def single_line() -> dict[str, Any]:
    """Example 2a of [Surmont2025]: a chain of 50 m between level ends 25 m apart."""
    area = 3.1426e-4
    chain = {"diameter": 2 * math.sqrt(area / math.pi), "mass": 7850 * area, "axial_stiffness": 2.11e11 * area}
    return {
        "environment": {"gravity": 9.81, "water_density": 1025},
        "sections": {"c": chain},
        "points": {"a": {"position": [0, 0, -100]}, "b": {"position": [25, 0, -100]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "c", "length": 50}]}},
    }


def three_lines() -> dict[str, Any]:
    """Example 4 of [Surmont2025]: a buoy on three lines."""
    area, rho, e = 3.1416e-4, 7850.0, 2.11e11
    kinds = [(2.0, 0.05), (0.5, 0.001), (1.0, 1.0)]
    angles = [0.0, 2 * math.pi / 3, -2 * math.pi / 3]
    points: dict[str, Any] = {
        f"a{i}": {"position": [-25 * math.cos(p), -25 * math.sin(p), 0]} for i, p in enumerate(angles)
    }
    points["b"] = {"position": [0, 0, 10], "joint": "free", "force": [0, 0, 2500]}
    return {
        "environment": {"gravity": 9.81, "water_density": 0},
        "sections": {
            f"s{i}": {"diameter": 0.02, "mass": k * rho * area, "axial_stiffness": f * e * area}
            for i, (k, f) in enumerate(kinds)
        },
        "points": points,
        "lines": {f"l{i}": {"from": f"a{i}", "to": "b", "pieces": [{"section": f"s{i}", "length": 50}]}
                  for i in range(3)},
    }  # fmt: skip


def net(n: int) -> dict[str, Any]:
    """n x n knots with weights, held at the four corners."""
    points, lines = {}, {}
    for i in range(n):
        for j in range(n):
            corner = i in (0, n - 1) and j in (0, n - 1)
            points[f"p{i}_{j}"] = {"position": [float(i), float(j), -10.0]}
            if not corner:
                points[f"p{i}_{j}"].update(joint="free", mass=2.0)
            for di, dj in ((1, 0), (0, 1)):
                if i + di < n and j + dj < n:
                    lines[f"l{i}_{j}_{di}"] = {"from": f"p{i}_{j}", "to": f"p{i + di}_{j + dj}",
                                               "pieces": [{"section": "c", "length": 1.05}]}  # fmt: skip
    return {
        "environment": {"gravity": 9.81, "water_density": 0},
        "sections": {"c": {"diameter": 0.01, "mass": 0.1, "axial_stiffness": 1e5}},
        "points": points,
        "lines": lines,
    }


def loosest(solve: Callable[[float], Any], error: Callable[[Any], float]) -> tuple[float, Any]:
    """The loosest tolerance at which solve_bvp reaches the accuracy, and its answer."""
    for tolerance in 10.0 ** -np.arange(3, 11):
        answer = solve(float(tolerance))
        if error(answer) <= ACCURACY:
            return float(tolerance), answer
    raise RuntimeError("solve_bvp does not reach the accuracy")


def bvp_lines(
    weights: list[float], stiffness: list[float], anchors: Any, top: Any, lift: float | None, tolerance: float
) -> Any:
    """The same by solve_bvp: all lines side by side, scaled; `lift` on a free top, or the top held."""
    n, L = len(weights), LENGTH
    w, EA = np.array(weights), np.array(stiffness)
    unit = float(w.max()) * L

    def slope(s: Any, y: Any) -> Any:
        y = y.reshape(n, 6, -1)
        force = y[:, 3:] * unit
        T = np.sqrt((force**2).sum(axis=1, keepdims=True))
        out = np.zeros_like(y)
        out[:, :3] = (1 + T / EA[:, None, None]) * force / T
        out[:, 5] = (w * L / unit)[:, None]
        return out.reshape(6 * n, -1)

    def ends(a: Any, b: Any) -> Any:
        a, b = a.reshape(n, 6), b.reshape(n, 6)
        parts = [(a[:, :3] - anchors / L).ravel()]
        if lift is None:
            parts.append((b[:, :3] - top / L).ravel())
        else:
            parts += [(b[1:, :3] - b[:1, :3]).ravel(), b[:, 3:].sum(axis=0) - np.array([0, 0, lift / unit])]
        return np.concatenate(parts)

    s = np.linspace(0.0, 1.0, 21)
    y = np.zeros((n, 6, s.size))
    for k in range(n):
        y[k, :3] = (anchors[k][:, None] + (top - anchors[k])[:, None] * s) / L
        chord = (top - anchors[k]) / np.linalg.norm(top - anchors[k])
        y[k, 3:] = 0.3 * chord[:, None] + np.array([[0.0], [0.0], [1.0]]) * (s - 0.5) * w[k] * L / unit
    return solve_bvp(slope, ends, s, y.reshape(6 * n, -1), tol=tolerance, max_nodes=200_000)


def field_error(state: Any, exact: Any, answer: Any) -> tuple[float, float]:
    """Largest error of shooting and of solve_bvp in position over the lines' length, along all lines."""
    x = np.linspace(0.0, 1.0, exact.s.size // (exact.start.size - 1))
    ours = float(np.abs(state.position - exact.position).max()) / LENGTH
    theirs = answer.sol(x).reshape(exact.start.size - 1, 6, -1)[:, :3]
    position = exact.position.reshape(exact.start.size - 1, -1, 3) / LENGTH
    return ours, float(np.abs(np.moveaxis(theirs, 1, 2) - position).max())


def compare() -> None:
    """Rows: case, time of shooting and solve_bvp (ms), ratio, and the largest error of each along the lines."""
    print(
        "times of `advance` (Newton on the arrays that `start` lays out, with its report), of `start` and `advance`, of"
    )
    print("solve_bvp at the loosest tolerance that reaches 1e-9 and at tol = 1e-9. `advance`, too, at the loosest that")
    print("does. Ratios of the last two to `advance`; largest position error over length of ours and of the former")
    print(f"{'case':<12} {'advance':>10} {'both':>10} {'loosest':>10} {'1e-9':>10} {'ratios':>12}")
    area = 3.1426e-4
    weight, EA = 9.81 * area * (7850 - 1025), 2.11e11 * area
    anchor, top = np.array([[0.0, 0.0, -100.0]]), np.array([25.0, 0.0, -100.0])
    row("example 2a", single_line(), lambda tol: bvp_lines([weight], [EA], anchor, top, None, tol))
    area = 3.1416e-4
    weights = [9.81 * k * 7850 * area for k in (2.0, 0.5, 1.0)]
    stiffness = [f * 2.11e11 * area for f in (0.05, 0.001, 1.0)]
    angles = np.array([0.0, 2 * math.pi / 3, -2 * math.pi / 3])
    anchors = -25.0 * np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], axis=1)
    guess = np.array([0.0, 0.0, 10.0])
    row("example 4", three_lines(), lambda tol: bvp_lines(weights, stiffness, anchors, guess, 2500.0, tol))


def row(name: str, case: dict[str, Any], bvp: Callable[[float], Any]) -> None:
    """One case."""
    exact = exact_state(case)
    advance, state = shooting(case, exact)
    tolerance, answer = loosest(bvp, lambda a: field_error(state, exact, a)[1])
    seconds, slow = in_turn(advance, lambda: bvp(tolerance))
    ours, theirs = field_error(state, exact, answer)
    both, strict = whole(case), best(lambda: bvp(ACCURACY), 2)[0]
    ratios = f"{slow / seconds:.0f}, {strict / seconds:.0f}"
    times = f"{1e3 * seconds:>8.3f}ms {1e3 * both:>8.3f}ms {1e3 * slow:>8.1f}ms {1e3 * strict:>8.1f}ms"
    print(f"{name:<12} {times} {ratios:>12}   {ours:.1e}, {theirs:.1e}")


def whole(case: dict[str, Any]) -> float:
    """Time of `start` and `advance` from the data of the model, at the default tolerance, s."""
    model = build(System.model_validate(case))
    solver, state = Shooting(), initial_state(model)

    def run() -> None:
        assert solver.advance(model, solver.start(model, state), 0.0).good

    run()  # compiled, or read from the cache
    return best(run, 3)[0]


def nets() -> None:
    """Time and growth of nets from 10 x 10 to 30 x 30, laid out and solved."""
    base = 0.0
    for n in (10, 20, 30):
        seconds = whole(net(n))
        lines = 2 * n * (n - 1)
        base = base or seconds / 180
        exponent = math.log(seconds / (180 * base)) / math.log(lines / 180) if lines > 180 else 1.0
        print(f"net {n:>2} x {n:<2}: {lines:>4} lines {seconds:>7.3f} s   exponent {exponent:.2f}")


def main() -> None:
    """Print both tables."""
    compare()
    nets()


if __name__ == "__main__":
    main()
