"""Chain of rigid links, Filipich's example 1 over 10 s: power series against Runge-Kutta and plain numpy series.

Run as ``python -m benchmarks.bench_chain_series``.

The peers solve the same mechanics in the plane: scipy's DOP853 on the index-reduced equations, once with a
dense numpy right-hand side and once with a compiled O(N) one, which is this project's own first
coefficient; and the paper's scheme in numpy, degree 5 in positions and steps of 0.0125 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import lu_factor, lu_solve

from ropewalk.methods.chain import steps
from ropewalk.methods.chain.arrays import Chain, allocate, chain
from ropewalk.methods.chain.equations import assemble, expand, set_directions, state_at
from ropewalk.methods.chain.statics import equilibrium
from ropewalk.model.arrays import records
from ropewalk.numerics.series import TERM_HEAD, order_for

Array = NDArray[np.float64]

LENGTH, WEIGHT, GRAVITY = 47.0, 2350.0, 9.81  # m, N, m/s2: the whole chain
DURATION = 10.0  # s
TOLERANCE = 1e-12
REPEATS = 5  # the fastest counts
PEER_TOLERANCE = 1e-13  # of DOP853: no better result with 3e-14, the lowest that scipy takes
PAPER_STEP, PAPER_DEGREE = 0.0125, 5
COUNTS = (25, 50, 100, 200, 400)  # links, for the growth of the cost per step
GROWTH_STEPS = 40


def filipich(n: int) -> tuple[Chain, Array]:
    """The chain of example 1 cut into n links, and its nodes at rest."""
    rows = np.zeros((4, TERM_HEAD + 1))
    rows[:, 1], rows[:, 2], rows[:, TERM_HEAD] = -np.inf, np.inf, 1.0
    rows[1:, 0] = n
    rows[1, 5:8] = 30.0, 0.0, 20.0
    rows[2, [3, 5]] = 0.5, 5.0
    rows[3, [3, 7]] = 1.25, 3.0
    made = chain(np.full(n, LENGTH / n), np.full(n, WEIGHT / GRAVITY / n), gravity=GRAVITY, motion_terms=rows)
    nodes, _, _ = equilibrium(made, np.zeros(3), np.array([35.0, 0.0, 23.0]))
    return made, nodes


def power_series(made: Chain, nodes: Array, until: float, order: int, tolerance: float) -> tuple[Array, Array]:
    """Nodes at `until` and the clock of the run."""
    n = made.length.size
    series = allocate(n, order)
    clock = records(1, steps.CLOCK)
    clock[0].scale = 1e6 * made.time_floor
    clock[0].smallest = np.inf
    series.position[:, 0] = nodes.T
    code, _, _ = steps.integrate(made, series, clock, np.zeros(3), until, tolerance, 0.0)
    if code != steps.DONE:
        raise RuntimeError(f"power series stopped with code {code}")
    position, velocity = np.empty((n + 1, 3)), np.empty((n + 1, 3))
    state_at(series, (until - clock[0].begin) / clock[0].scale, clock[0].scale, position, velocity)
    return position, clock


def _end(t: float) -> tuple[Array, Array, Array]:
    """Position, velocity and acceleration of the moving end in the plane."""
    return (
        np.array([30.0 + 5.0 * np.cos(0.5 * t), 20.0 + 3.0 * np.cos(1.25 * t)]),
        np.array([-2.5 * np.sin(0.5 * t), -3.75 * np.sin(1.25 * t)]),
        np.array([-1.25 * np.cos(0.5 * t), -4.6875 * np.cos(1.25 * t)]),
    )


class DenseChain:
    """The chain in the plane as a dense index-1 system of nodes 1 ... n - 1 and link forces."""

    def __init__(self, n: int) -> None:
        self.n, self.a, self.mass = n, LENGTH / n, WEIGHT / GRAVITY / n
        self.matrix = np.zeros((3 * n - 2, 3 * n - 2))
        inner = np.arange(n - 1)
        for axis in range(2):
            i = 2 * inner + axis
            self.matrix[i, i] = 4.0 * self.mass / 6.0
            self.matrix[i[:-1], i[1:]] = self.matrix[i[1:], i[:-1]] = self.mass / 6.0
        self.force = np.zeros((n - 1, 2))
        self.force[:, 1] = -self.mass * GRAVITY

    def fill(self, t: Array) -> Array:
        """The matrix for link directions t (n, 2)."""
        n, matrix = self.n, self.matrix
        inner = np.arange(n - 1)
        for axis in range(2):
            i = 2 * inner + axis
            force = 2 * (n - 1) + inner
            matrix[i, force] = t[:-1, axis]  # link before the node
            matrix[i, force + 1] = -t[1:, axis]
            matrix[force, i] = t[:-1, axis]
            matrix[force + 1, i] = -t[1:, axis]
        return matrix

    def rates(self, t: float, y: Array) -> Array:
        """Right-hand side for scipy."""
        n = self.n
        end, speed, push = _end(t)
        r, v = np.zeros((n + 1, 2)), np.zeros((n + 1, 2))
        r[1:-1], v[1:-1] = y[: 2 * (n - 1)].reshape(-1, 2), y[2 * (n - 1) :].reshape(-1, 2)
        r[-1], v[-1] = end, speed
        direction, turn = np.diff(r, axis=0) / self.a, np.diff(v, axis=0)
        rhs = np.empty(3 * n - 2)
        load = self.force.copy()
        load[-1] -= self.mass / 6.0 * push
        rhs[: 2 * (n - 1)] = load.ravel()
        rhs[2 * (n - 1) :] = -np.sum(turn**2, axis=1) / self.a
        rhs[-1] -= direction[-1] @ push
        acceleration = np.linalg.solve(self.fill(direction), rhs)[: 2 * (n - 1)]
        return np.concatenate([y[2 * (n - 1) :], acceleration])


@numba.njit  # type: ignore[untyped-decorator]
def compiled_rates(made, series, t, y, out):
    """Right-hand side for scipy from the first coefficient of the series: O(N), three dimensions.

    made : Chain    series : memory of order 1    y, out : (6 (n - 1),) inner positions and velocities, and their rates
    """
    n = made.length.shape[0]
    half = 3 * (n - 1)
    for i in range(n - 1):
        for axis in range(3):
            series.position[axis, 0, i + 1] = y[3 * i + axis]
            series.position[axis, 1, i + 1] = y[half + 3 * i + axis]
    _place_ends(made, series, t)
    set_directions(made, series)
    assemble(made, series)
    expand(made, t, 1.0, series)
    for i in range(n - 1):
        for axis in range(3):
            out[3 * i + axis] = y[half + 3 * i + axis]
            out[half + 3 * i + axis] = series.acceleration[axis, 0, i + 1]


@numba.njit  # type: ignore[untyped-decorator]
def _place_ends(made, series, t):
    n = made.length.shape[0]
    series.position[:, :2, 0] = 0.0
    series.position[0, 0, n] = 30.0 + 5.0 * np.cos(0.5 * t)
    series.position[2, 0, n] = 20.0 + 3.0 * np.cos(1.25 * t)
    series.position[1, 0, n] = 0.0


def runge_kutta(rates: Callable[[float, Array], Array], start: Array) -> Array:
    """State at the end of the run by DOP853."""
    run = solve_ivp(rates, (0.0, DURATION), start, method="DOP853", rtol=PEER_TOLERANCE, atol=PEER_TOLERANCE)
    last: Array = run.y[:, -1]
    return last


def numpy_series(n: int, nodes: Array) -> Array:
    """The paper's scheme with numpy: one factorisation per step, Cauchy products over all links at once."""
    dense = DenseChain(n)
    h, degree = PAPER_STEP, PAPER_DEGREE
    x = np.zeros((degree + 1, n + 1, 2))
    x[0] = nodes[:, [0, 2]]
    for k in range(round(DURATION / h)):
        _end_coefficients(x, k * h, h)
        force = np.zeros((degree - 1, n))
        t = np.diff(x, axis=1) / dense.a
        factors = lu_factor(dense.fill(t[0]))
        for j in range(degree - 1):
            second = (j + 1) * (j + 2) / h**2
            known = np.zeros((n, 2))
            if j > 0:
                known = np.einsum("rk,rka->ka", force[:j], t[j:0:-1])
            load = known[1:] - known[:-1] + (dense.force if j == 0 else 0.0)
            load[-1] -= dense.mass / 6.0 * second * x[j + 2, n]
            squares = np.einsum("rka,rka->k", t[1 : j + 2], t[j + 1 : 0 : -1])
            lengths = -0.5 * dense.a * second * squares
            lengths[-1] -= t[0, -1] @ (second * x[j + 2, n])
            solution = lu_solve(factors, np.concatenate([load.ravel(), lengths]))
            x[j + 2, 1:-1] = solution[: 2 * (n - 1)].reshape(-1, 2) / second
            force[j] = solution[2 * (n - 1) :]
            t[j + 2] = np.diff(x[j + 2], axis=0) / dense.a
        position, rate = x.sum(axis=0), np.tensordot(np.arange(degree + 1.0), x, axes=1)
        x[0], x[1] = position, rate
    return x[0]


def _end_coefficients(x: Array, t: float, h: float) -> None:
    """Taylor coefficients of the moving end in (t' - t) / h; the fixed end is the origin."""
    turn = np.arange(x.shape[0]) * 0.5 * np.pi
    factor = np.cumprod(np.concatenate([[1.0], 1.0 / np.arange(1, x.shape[0])]))
    for axis, (amplitude, omega) in enumerate(((5.0, 0.5), (3.0, 1.25))):
        x[:, -1, axis] = amplitude * factor * (omega * h) ** np.arange(x.shape[0]) * np.cos(omega * t + turn)
    x[0, -1] += 30.0, 20.0
    x[:, 0] = 0.0


def best_time(action: Callable[[], Array], repeats: int = REPEATS) -> tuple[float, Array]:
    """Fastest of some runs (s) and the result."""
    fastest, result = np.inf, action()
    for _ in range(repeats):
        begin = time.perf_counter()
        result = action()
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest, result


def cost_growth(order: int) -> tuple[list[float], float]:
    """Time per step (s) for each number of links in COUNTS, and the exponent of its growth."""
    seconds = []
    for n in COUNTS:
        made, nodes = filipich(n)
        _, clock = power_series(made, nodes, 0.02, order, TOLERANCE)
        until = GROWTH_STEPS * float(clock[0].smallest)

        def run(made: Chain = made, nodes: Array = nodes, until: float = until) -> Array:
            return power_series(made, nodes, until, order, TOLERANCE)[1]

        whole, clock = best_time(run, 3)
        seconds.append(whole / float(clock[0].steps))
    return seconds, float(np.polyfit(np.log(COUNTS), np.log(seconds), 1)[0])


def main() -> None:
    """Print the tables."""
    n, order = 10, order_for(TOLERANCE)
    made, nodes = filipich(n)
    exact, _ = power_series(made, nodes, DURATION, 34, 1e-15)
    inner = nodes[1:-1]
    dense, memory, out = DenseChain(n), allocate(n, 1), np.empty(6 * (n - 1))

    def compiled(t: float, y: Array) -> Array:
        compiled_rates(made, memory, t, y, out)
        return out.copy()

    flat = np.concatenate([inner[:, [0, 2]].ravel(), np.zeros(2 * (n - 1))])
    space = np.concatenate([inner.ravel(), np.zeros(3 * (n - 1))])
    runs: list[tuple[str, tuple[float, Array], Callable[[Array], Array]]] = [
        ("ropewalk, tolerance 1e-12", best_time(lambda: power_series(made, nodes, DURATION, order, TOLERANCE)[0]),
         lambda position: position[1:-1, [0, 2]]),
        ("DOP853, compiled O(N) rates", best_time(lambda: runge_kutta(compiled, space), 1),
         lambda y: y[: 3 * (n - 1)].reshape(-1, 3)[:, [0, 2]]),
        ("DOP853, dense numpy rates", best_time(lambda: runge_kutta(dense.rates, flat), 1),
         lambda y: y[: 2 * (n - 1)].reshape(-1, 2)),
        ("numpy series, degree 5", best_time(lambda: numpy_series(n, nodes), 1), lambda x: x[1:-1]),
    ]  # fmt: skip
    print(f"{'chain of 10 links, 10 s':<30}{'ms':>10}{'ratio':>9}{'error, m':>12}")
    ours = runs[0][1][0]
    for name, (seconds, result), plane in runs:
        error = np.abs(plane(result) - exact[1:-1, [0, 2]]).max()
        print(f"{name:<30}{1e3 * seconds:>10.2f}{seconds / ours:>9.1f}{error:>12.1e}")
    seconds_per_step, exponent = cost_growth(order)
    row = ", ".join(f"{count}: {1e6 * s:.0f}" for count, s in zip(COUNTS, seconds_per_step, strict=True))
    print(f"us per step by links, order {order}: {row}; exponent {exponent:.2f}")


if __name__ == "__main__":
    main()
