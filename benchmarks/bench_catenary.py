"""Single lines by closed form: microseconds of processor time per line, MoorPy and pycatenary beside them, in one run.

Run as ``python -m benchmarks.bench_catenary``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.compile import kernel
from ropewalk.physics.catenary import SOLUTION, solve_lines
from ropewalk.physics.catenary_line import solve_pieces

N_LINES = 10_000  # of the batch
N_PEER = 300  # lines given to the peers, which take a thousand times as long
REPEATS = 5  # the fastest counts


def moorings(n: int) -> dict[str, NDArray[np.float64]]:
    """Chain moorings of usual proportions, half of them partly on the bed, anchors on the bed."""
    rng = np.random.default_rng(0)
    dz = rng.uniform(100.0, 300.0, n)
    dx = rng.uniform(300.0, 900.0, n)
    return {
        "span": dx,
        "rise": dz,
        "length": np.hypot(dx, dz) * rng.uniform(1.005, 1.15, n),
        "axial_stiffness": 10.0 ** rng.uniform(8, 9.5, n),
        "weight": rng.uniform(300.0, 3000.0, n),
        "friction": np.zeros(n),
        "height": np.zeros(n),
    }


def _batch(lines: dict[str, NDArray[np.float64]]) -> tuple[float, Any]:
    """Best time per line (s) of the batch, and its solutions."""
    best = np.inf
    result = solve_lines(**lines)
    for _ in range(REPEATS):
        start = time.process_time()
        result = solve_lines(**lines)
        best = min(best, time.process_time() - start)
    return best / lines["span"].size, result


@kernel
def solve_many_pieces(dx, dz, first, L, EA, w, load, CB, height, status, out):  # type: ignore[no-untyped-def]
    """As `solve_pieces` for n lines whose pieces lie end to end, those of line i in first[i]:first[i + 1]."""
    for i in range(dx.size):
        a, b = first[i], first[i + 1]
        line = (L[a:b], EA[a:b], w[a:b], load[a : b - 1])
        status[i] = solve_pieces(dx[i], dz[i], line, CB[i], height[i], out[i])


def _pieces(lines: dict[str, NDArray[np.float64]]) -> tuple[float, int]:
    """Best time per line (s) for chain, rope and chain with a clump weight between, and how many were solved."""
    n = lines["span"].size
    parts = np.array([0.4, 0.4, 0.2])
    length = np.outer(lines["length"], parts).ravel()
    stiffness = np.outer(lines["axial_stiffness"], [1.0, 0.3, 1.0]).ravel()
    weight = np.outer(lines["weight"], [1.0, 0.2, 1.0]).ravel()
    load = np.tile([20e3, 0.0, 0.0], n)
    status = np.empty(n, dtype=np.int64)
    out = np.empty(n, SOLUTION)
    first = 3 * np.arange(n + 1)
    given = (length, stiffness, weight, load, lines["friction"], lines["height"], status, out)
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        solve_many_pieces(lines["span"], lines["rise"], first, *given)
        best = min(best, time.process_time() - start)
    return best / n, int((status > 0).sum())


def _moorpy(lines: dict[str, NDArray[np.float64]], force: NDArray[np.float64]) -> tuple[float, float, int]:
    """Time per line (s), largest relative difference of the tension at B, and how many lines failed."""
    from moorpy.Catenary import catenary
    from moorpy.helpers import CatenaryError

    given = [lines[k] for k in ("span", "rise", "length", "axial_stiffness", "weight")]
    worst = 0.0
    failed = 0
    start = time.process_time()
    for i in range(N_PEER):
        try:
            _, _, H, V, _ = catenary(*(float(column[i]) for column in given), CB=0.0, Tol=1e-6)
        except CatenaryError:
            failed += 1
            continue
        worst = max(worst, float(np.hypot(H + force[i, 1, 0], V + force[i, 1, 1]) / np.hypot(*force[i, 1])))
    return (time.process_time() - start) / N_PEER, worst, failed


def _pycatenary(lines: dict[str, NDArray[np.float64]]) -> float:
    """Time per line (s); its defaults, anchored on the bed."""
    from pycatenary.cable import MooringLine  # type: ignore[import-untyped]

    start = time.process_time()
    for i in range(N_PEER):
        line = MooringLine(
            L=float(lines["length"][i]),
            w=float(lines["weight"][i]),
            EA=float(lines["axial_stiffness"][i]),
            anchor=[0.0, 0.0, 0.0],
            fairlead=[float(lines["span"][i]), 0.0, float(lines["rise"][i])],
            floor=True,
        )
        line.compute_solution()
    return (time.process_time() - start) / N_PEER


def main() -> None:
    """Print the table."""
    lines = moorings(N_LINES)
    ours, result = _batch(lines)
    moorpy, worst, failed = _moorpy(lines, result.force)
    rows = [("ropewalk, batch of 10,000", ours, ""), ("MoorPy catenary", moorpy, f"{failed} of {N_PEER} failed")]
    pieces, solved = _pieces(lines)
    rows.insert(1, ("ropewalk, three pieces", pieces, f"{solved} of {N_LINES} solved"))
    try:
        rows.append(("pycatenary", _pycatenary(lines), ""))
    except (ImportError, TypeError, ValueError, RuntimeError) as error:
        rows.append(("pycatenary", np.nan, f"not run: {error}"))
    print(f"{'single lines':<28}{'us per line':>12}{'ratio':>10}")
    for name, seconds, note in rows:
        print(f"{name:<28}{1e6 * seconds:>12.3f}{seconds / ours:>10.1f}  {note}")
    print(f"solved {int((result.status > 0).sum())} of {N_LINES}, largest miss {result.miss.max():.1e} m")
    print(f"largest relative difference of the tension at B from MoorPy: {worst:.1e}")


if __name__ == "__main__":
    main()
