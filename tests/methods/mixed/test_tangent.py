"""The tangent and its elimination, for every kind of term and every kind of junction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.assembly.mesh import build_mesh
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.equilibrium import unbalance
from ropewalk.methods.mixed.steps import allocate
from ropewalk.methods.mixed.sweep import newton_iteration
from ropewalk.model.model import build
from ropewalk.spec.system import System

ROPE = {
    "diameter": 0.1,
    "mass": 20.0,
    "axial_stiffness": 1e6,
    "damping": 0.05,
    "drag": {"normal": 1.2, "tangential": 0.1},
    "added_mass": {"normal": 1.0, "tangential": 0.3},
}
RIGID = {**ROPE, "axial_stiffness": "inextensible", "mass": 5.0}


def case(points: dict[str, Any], lines: dict[str, Any], depth: float = 60.0) -> System:
    return System.model_validate(
        {
            "environment": {
                "depth": depth,
                "current": {"speed": 1.0, "heading": 30},
                "seabed": {"friction": 0.4, "stiffness": 1e4, "damping": 1e3},
            },
            "sections": {"rope": ROPE, "rigid": RIGID},
            "points": points,
            "lines": lines,
        }
    )


ANCHOR = {"position": [0, 0, -60]}
FLOAT = {"position": [30, 5, -10], "joint": "free", "mass": 300, "volume": 1.0, "drag_area": 0.5, "added_mass": 200}
TURNED = [[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]
WEIGHT = {"mass": 50, "volume": 0.2, "drag_area": 1, "added_mass": 9}
TOP = {"position": [60, 0, -1]}


def line(start: str, end: str, section: str = "rope", n: int = 5) -> dict[str, Any]:
    return {"from": start, "to": end, "elements": n, "pieces": [{"section": section, "length": 70.0}]}


CASES = {
    "held at both ends": case({"a": ANCHOR, "b": TOP}, {"l": line("a", "b")}),
    "free at its end": case({"a": ANCHOR, "f": FLOAT}, {"l": line("f", "a", "rigid")}),
    "slider and spring": case(
        {
            "a": {**ANCHOR, "joint": {"axes": {"x": {"spring": 500.0}}, "frame": TURNED}},
            "b": {**TOP, "joint": {"axes": {"x": "free", "y": {"force": 10.0}}}},
        },
        {"l": line("a", "b")},
    ),
    "tree": case(
        {"a": ANCHOR, "f": FLOAT, "b": TOP, "g": {**FLOAT, "position": [20, 30, -20]}},
        {"x": line("a", "f"), "y": line("f", "b", "rigid"), "z": line("f", "g")},
    ),
    "loop": case(
        {"a": ANCHOR, "f": FLOAT, "g": {**FLOAT, "position": [40, 30, -20]}},
        {"x": line("a", "f"), "y": line("f", "g", "rigid"), "z": line("g", "f"), "w": line("a", "g", "rope", 1)},
    ),
    "weights on the line": case(
        {"a": ANCHOR, "b": TOP},
        {"l": {**line("a", "b"), "attachments": [{"s": 30, **WEIGHT}]}},
    ),
    "across the surface": case({"a": ANCHOR, "b": {"position": [30, 0, 5.0]}}, {"l": line("b", "a")}, 60.0),
}


@pytest.mark.parametrize("name", CASES)
def test_newton_step_cancels_the_unbalance_to_first_order(name: str) -> None:
    """J x = -R: the derivative of the residual along the step that elimination gives is minus the residual."""
    model = build(CASES[name])
    mesh = build_mesh(model, mass_damping=0.1)
    work = allocate(mesh)
    rng = np.random.default_rng(1)
    X, T, sea = work.trial.X, work.trial.T, model.sea
    n = mesh.s.size
    X[0, n:] = mesh.reference
    for i in range(mesh.line.shape[0]):
        span = slice(mesh.node_start[i], mesh.node_start[i + 1])
        ends = mesh.reference[mesh.line[i].junction] + mesh.end_offset[i]
        x = np.linspace(0.0, 1.0, span.stop - span.start)[:, None]
        X[0, span] = ends[0] + x * (ends[1] - ends[0]) + 20.0 * np.sin(np.pi * x) * np.array([0.1, 0.3, -1.0])
    free = np.zeros((X.shape[1], 1))
    free[:n] = 1.0
    ends = np.concatenate([mesh.node_start[:-1], mesh.node_start[1:] - 1])
    free[ends] = 0.0
    X[1:3] = rng.normal(size=(2, X.shape[1], 3)) * free
    X[0] += 0.3 * rng.normal(size=X[0].shape) * free
    T[:] = rng.uniform(1e3, 2e4, T.size)
    water_at(X[0], 0.0, sea, work.flow)
    work.memory.grip.friction[0].coefficient = mesh.friction
    work.memory.grip.hold.place = X[0] + rng.normal(size=X[0].shape)
    bp, gp, fluid = 40.0, 9.0, (sea.water_density, sea.gravity)
    X0, T0 = X.copy(), T.copy()
    newton_iteration(X, T, work.flow, mesh, fluid, (bp, gp), 1.0, work.memory)
    dX, dT = X - X0, T - T0

    def residual(e: float) -> np.ndarray:
        nodes, misses = np.zeros((X.shape[1], 3)), np.zeros(T.size)
        unbalance(X0 + e * dX, T0 + e * dT, work.flow, mesh, fluid, work.memory.grip, nodes, misses)
        inner = nodes[:n][free[:n, 0] > 0.0]
        axes = [
            mesh.dof.axis[d] @ nodes[n + j]
            for j in range(mesh.motion.size)
            for d in range(mesh.dof_start[j], mesh.dof_start[j + 1])
        ]
        return np.concatenate([inner.ravel() / 1e4, np.array(axes) / 1e4, misses])

    e = 1e-5
    slope = (residual(e) - residual(-e)) / (2.0 * e)
    # central differences of smooth terms: e^2 of third derivatives, and round-off 1e-16/e
    assert_allclose(slope, -residual(0.0), atol=2e-7 * np.abs(residual(0.0)).max())
