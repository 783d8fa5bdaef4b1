r"""Lines in a rotating frame: which of several equilibria is stable, and where to start for it.

A load that grows with the distance from an axis lets a line hang in one loop, in two that balance each other, and so
on; only one loop is stable. With both ends held, an equilibrium is stable as long as no place s has another
equilibrium of the part before it near by, that is, as long as

.. math:: \det \frac{\partial r(s)}{\partial n(0)} > 0 \qquad (0 < s \le L)

(Jacobi's condition; [Gelfand1963], sec. 28). Without such loads the matrix is an integral of positive ones.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.assembly.string import FORCE_ONLY, STATE
from ropewalk.methods.shooting.assembly import evaluate, result_memory
from ropewalk.methods.shooting.build import build_problem
from ropewalk.methods.shooting.plan import LinePlan
from ropewalk.methods.shooting.read import SolvedShape
from ropewalk.methods.shooting.report import Attempt
from ropewalk.methods.shooting.shape import KnottedShape, end_place
from ropewalk.model.arrays import Array
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import BODY, ROTATING
from ropewalk.model.model import Model

LOOKS = 24  # places along a line where the condition is looked at
KNOTS = 13  # of a loop to start from
ROOMY = 0.98  # of its length that a loop to start from has
UPRIGHT = 1.0e-6  # of a chord: gravity across it below this gives the loop no direction


def turning(model: Model) -> list[int]:
    """Lines with loads of a rotating frame, both ends held."""
    lines = model.lines
    found = []
    for i in range(lines.length.size):
        own = slice(lines.load_start[i], lines.load_start[i + 1])
        held = all(
            _held(model, int(kind), int(k)) for kind, k in zip(lines.end_kind[i], lines.end_index[i], strict=True)
        )
        if held and np.any(lines.load_kind[own] == ROTATING) and lines.over_start[i] == lines.over_start[i + 1]:
            found.append(i)
    return found


def _held(model: Model, kind: int, k: int) -> bool:
    """True if point or body k is held in every way, or moved."""
    if kind == BODY:
        return bool(model.bodies.joint[k] != LOOSE)
    return bool(np.all(model.points.joint[k] == HELD) or model.points.motion[k] >= 0)


def is_stable(model: Model, attempt: Attempt, integrator: tuple[float, int]) -> bool:
    """True if no line in a rotating frame has a conjugate place between its ends."""
    cuts = {i: tuple(float(model.lines.length[i]) * k / LOOKS for k in range(1, LOOKS)) for i in turning(model)}
    plan = tuple(
        LinePlan(cuts[i], (False,) * LOOKS, (False,) * (LOOKS - 1)) if i in cuts else line
        for i, line in enumerate(attempt.plan)
    )
    shape = SolvedShape(model, attempt.problem, attempt.out)
    problem = build_problem(model, attempt.place, plan, shape)
    arcs, nodes, rigid = problem.arcs, problem.nodes, problem.rigid
    out = result_memory(problem.x.size, arcs.line.size, nodes.body.size, rigid.body.size)
    evaluate(arcs, nodes, rigid, model.sea, problem.x, problem.quaternions, *integrator, True, out)
    for i in cuts:
        whole: Array = np.eye(6)
        for a in np.flatnonzero(arcs.line == i):
            whole = _transition(out.end_state[a]) @ whole
            if not float(np.linalg.det(whole[:3, 3:])) > 0.0:
                return False
    return True


def _transition(y: Array) -> Array:
    """(6, 6) derivative of position and force at an arc's end by those at its start."""
    by_force = y[STATE:FORCE_ONLY].reshape(3, 6).T
    by_position = y[FORCE_ONLY:].reshape(3, 6).T
    return np.hstack([by_position, by_force])


def loops(model: Model, place: Place) -> Iterator[KnottedShape]:
    """Starts with every line in a rotating frame in one loop: downwards, outwards, and across both."""
    for way in range(4):
        knots = {}
        for i in range(model.lines.length.size):
            a, b = end_place(model, place, i, 0), end_place(model, place, i, 1)
            length = float(model.lines.length[i])
            if i in turning(model):
                knots[i] = _loop(a, b, length, _directions(model, i, a, b)[way])
            else:
                knots[i] = np.array([0.0, length]), np.array([a, b])
        yield KnottedShape(model, place, knots)


def _directions(model: Model, i: int, a: Array, b: Array) -> list[Array]:
    """Unit vectors across the chord of line i: down, away from the axis, and to either side of them."""
    lines = model.lines
    j = next(k for k in range(lines.load_start[i], lines.load_start[i + 1]) if lines.load_kind[k] == ROTATING)
    axis, origin = lines.load_axis[j], lines.load_origin[j]
    chord = (b - a) / max(float(np.linalg.norm(b - a)), 1e-300)
    arm = 0.5 * (a + b) - origin
    wanted = np.array([[0.0, 0.0, -1.0], arm - (arm @ axis) * axis, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    size = np.maximum(np.linalg.norm(wanted, axis=1), 1e-300)
    across = wanted - np.outer(wanted @ chord, chord)
    best = across[np.linalg.norm(across, axis=1) > UPRIGHT * size]
    first = best[0] / np.linalg.norm(best[0])
    side = np.cross(chord, first)
    out = best[1] / np.linalg.norm(best[1]) if len(best) > 1 else -first
    return [first, out, side, -side]


def _loop(a: Array, b: Array, length: float, way: Array) -> tuple[Array, Array]:
    """s (m) and places (m) of an arc of a circle of about this length from a to b, bowed along `way`."""
    chord = float(np.linalg.norm(b - a))
    low, high = 1e-3, np.pi - 1e-3  # half the angle of the arc: chord / length = sin(x) / x
    for _ in range(60):
        x = 0.5 * (low + high)
        low, high = (x, high) if np.sin(x) / x > chord / (ROOMY * length) else (low, x)
    radius = 0.5 * ROOMY * length / x
    angle = np.linspace(-x, x, KNOTS)
    along = (b - a) / chord if chord > 0.0 else np.cross(way, [way[1], way[2], way[0]])
    middle = 0.5 * (a + b)
    rise = radius * (np.cos(angle) - np.cos(x))
    places: Array = middle + np.outer(radius * np.sin(angle), along) + np.outer(rise, way)
    places[0], places[-1] = a, b
    return np.linspace(0.0, length, KNOTS), places
