"""Every case runs on all solvers that claim it, and they must agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from reference import OC3, between, platform, spar, surmont_buoy, surmont_line
from ropewalk.analysis.statics import NOT_STATIC, static_methods
from ropewalk.methods.claims import demands
from ropewalk.methods.registry import solver_class
from ropewalk.model.model import build
from ropewalk.spec.system import System

# relative to the largest end force: closed forms and shooting work to round-off, elements and bars to their mesh;
# there an anchor on the bed carries up to half an element's weight on top
TOLERANCE = {"catenary": 1e-9, "shooting": 1e-8}
MESH_TOLERANCE = 5e-3
RIGID = {"bars_statics"}  # cannot stretch to a span longer than the line
STRETCHED = {"taut"}

CASES: dict[str, System] = {
    "suspended": between(60.0, 25.0, 80.0, 1e6, 30.0),
    "level": between(80.0, 0.0, 100.0, 1e7, 50.0),
    "taut": between(102.0, 0.0, 100.0, 1e6, 30.0),
    "inextensible": between(60.0, 25.0, 80.0, "inextensible", 30.0),
    "grounded": between(400.0, 200.0, 500.0, 7.51e9, 800.0, depth=300.0),
    "two pieces": between(60.0, 25.0, 80.0, 1e6, 30.0,
                          pieces=[{"section": "line", "length": 30}, {"section": "line", "length": 50}]),
    "clump": between(80.0, 0.0, 100.0, 1e7, 50.0, attachments=[{"s": 50.0, "mass": 200}]),
    "slider": surmont_line({"axes": {"x": {"force": 105.2}}}),
    "spring": surmont_line({"axes": {"x": {"spring": 105.2}, "y": {"spring": 105.2}, "z": {"spring": 105.2}}}),
    "three lines and a buoy": surmont_buoy(),
    "platform": platform(OC3),
    "free spar": spar(),
}  # fmt: skip


def claiming(system: System) -> list[str]:
    asked = demands(build(system)) - NOT_STATIC
    named = {solver_class(name): name for name in reversed(static_methods())}  # one name of each solver
    return [name for cls, name in reversed(named.items()) if asked <= cls.claims]


def pairs() -> list[Any]:
    return [
        pytest.param(system, method, id=f"{name}-{method}")
        for name, system in CASES.items()
        for method in claiming(system)
        if not (name in STRETCHED and method in RIGID)
    ]


def element_weight(answer: rw.Equilibrium) -> float:
    """Weight (N) of the heaviest element or bar of the mesh, in air."""
    lines, state = answer.model.lines, answer.state
    mass = answer.model.sections.mass[lines.piece_section].max() * lines.length
    return float((mass * answer.model.sea.gravity / (np.diff(state.start) - 1)).max())


@pytest.mark.parametrize(("system", "method"), pairs())
def test_methods_agree_with_the_most_exact(system, method):
    """End forces and free points of `method` against the first that claims the case."""
    reference, answer = rw.statics(system), rw.statics(system, method)
    scale = abs(reference.state.end_force).max()
    tolerance = TOLERANCE.get(method, MESH_TOLERANCE)
    half = 0.0 if method in TOLERANCE else 0.55 * element_weight(answer)
    assert_allclose(answer.state.end_force, reference.state.end_force, atol=tolerance * scale + half)
    length = reference.model.lines.length.max()
    assert_allclose(answer.state.point_position, reference.state.point_position, atol=tolerance * length)
    assert_allclose(answer.state.body_position, reference.state.body_position, atol=tolerance * length)


def test_every_case_is_claimed():
    """No case of this file goes unsolved."""
    assert all(claiming(system) for system in CASES.values())
