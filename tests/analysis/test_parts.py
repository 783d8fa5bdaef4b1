"""Independent parts of a system, and equilibria that start from theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis import statics as statics_module
from ropewalk.analysis.parts import independent_parts, joined_state
from ropewalk.model.model import build

ROPE = {"diameter": 0.03, "mass": 1.5, "axial_stiffness": 1e6, "drag": 0, "added_mass": 0}


def system(**changes: Any) -> rw.System:
    """Two buoys on legs to a common anchor, a span between fixed points, and a body that floats by itself."""
    hull = {"kind": "sphere", "radius": 1.0, "drag": 0, "added_mass": 0}
    body = {"mass": 800.0, "inertia": [300.0] * 3, "hull": hull, "attachments": {"low": [0, 0, -1]}}
    case: dict[str, Any] = {
        "environment": {"depth": 60},
        "sections": {"rope": ROPE},
        "points": {
            "anchor": {"position": [0, 0, -60]},
            "p": {"position": [30, 0, -20], "joint": "free", "volume": 0.2},
            "wall": {"position": [0, 40, -10]},
            "q": {"position": [20, 0, -60]},
        },
        "bodies": {
            "b": body | {"position": [-20, 0, 0]},
            "c": body | {"position": [-40, 0, 0]},
        },
        "lines": {
            "p leg": {"from": "anchor", "to": "p", "pieces": [{"section": "rope", "length": 50}]},
            "span": {"from": "anchor", "to": "wall", "pieces": [{"section": "rope", "length": 70}]},
            "b leg": {"from": "b.low", "to": "anchor", "pieces": [{"section": "rope", "length": 70}]},
        },
    }
    return rw.System.model_validate({**case, **changes})


def named(parts: tuple[rw.System, ...]) -> set[tuple[str, ...]]:
    """Names of lines and bodies of each part."""
    return {(*part.lines, *part.bodies) for part in parts}


def test_parts_share_only_what_is_fixed() -> None:
    """A common anchor ties nothing; links, free points and bodies do."""
    whole = system()
    assert named(independent_parts(whole)) == {("p leg",), ("span",), ("b leg", "b"), ("c",)}
    bar = {"kind": "bar", "between": ["b.low", "c.low"]}
    assert named(independent_parts(system(links={"bar": bar}))) == {("p leg",), ("span",), ("b leg", "b", "c")}
    tied = {**whole.model_dump(by_alias=True, exclude_unset=True)["lines"],
            "tie": {"from": "p", "to": "b.low", "pieces": [{"section": "rope", "length": 60}]}}  # fmt: skip
    assert named(independent_parts(system(lines=tied))) == {("p leg", "b leg", "tie", "b"), ("span",), ("c",)}


def test_the_system_is_at_rest_where_its_parts_are() -> None:
    """Forces and places of each part alone."""
    whole = system()
    answers = [rw.statics(part) for part in independent_parts(whole)]
    joined, exact = joined_state(build(whole), answers), rw.statics(whole, "catenary").state
    largest = np.abs(exact.end_force).max()
    assert_allclose(joined.end_force, exact.end_force, atol=1e-6 * largest)  # where Newton's method stops
    assert_allclose(joined.point_position, exact.point_position, atol=1e-5)
    assert_allclose(joined.body_position, exact.body_position, atol=1e-5)


def test_elements_that_find_no_equilibrium_start_from_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first try of the whole is made to fail; a part without equilibrium is the failure of the system."""
    tries: list[Any] = []
    attempt = statics_module.attempt

    def failing(system: Any, model: Any, name: str, solver: Any, time: float, guess: Any = None) -> Any:
        tries.append((len(model.names.lines), guess is not None))
        if guess is None and len(model.names.lines) == 3:
            return statics_module.Try(name, "not found", statics_module.Report(statics_module.Status.NOT_CONVERGED))
        return attempt(system, model, name, solver, time, guess)

    exact = rw.statics(system(), "fem").state.end_force
    monkeypatch.setattr(statics_module, "attempt", failing)
    found = rw.statics(system(), "fem")
    assert tries[-1] == (3, True)
    assert_allclose(found.state.end_force, exact, atol=1e-6 * np.abs(exact).max())  # where Newton's method stops
    monkeypatch.setattr(statics_module, "attempt", lambda *a: statics_module.Try(a[2], f"{len(a[1].names.lines)} lines",
                        statics_module.Report(statics_module.Status.NOT_CONVERGED)))  # fmt: skip
    with pytest.raises(rw.ConvergenceError, match=r"^1 lines"):
        rw.statics(system())


def test_parts_without_lines_are_joined() -> None:
    """Bodies that float by themselves."""
    alone = system(lines={})
    parts = independent_parts(alone)
    joined = joined_state(build(alone), [rw.statics(part) for part in parts])
    assert named(parts) == {("b",), ("c",)}
    # where Newton's method stops
    assert_allclose(joined.body_position, rw.statics(alone).state.body_position, atol=1e-6)


@pytest.mark.parametrize("method", ["catenary", "shooting", "fem"])
def test_a_line_that_folds_over_between_two_nodes_is_slack(method: str) -> None:
    """Two legs side by side, 0.02 m apart: H = w a with 2 a asinh(L/2a) nearly the span, far below a thousandth of w L.

    With a clump in the bend the legs are taut.
    """
    ends = {"a": {"position": [0, 0, -5]}, "b": {"position": [0.02, 0, -5]}}
    line = {"from": "a", "to": "b", "elements": 31, "pieces": [{"section": "rope", "length": 40}]}
    case = {"environment": {"depth": 60}, "sections": {"rope": ROPE}, "points": ends, "lines": {"l": line}}
    assert "slack" in {doubt.code for doubt in rw.statics(rw.System.model_validate(case), method).doubts}
    line["attachments"] = [{"s": 20.0, "mass": 50.0}]
    assert "slack" not in {doubt.code for doubt in rw.statics(rw.System.model_validate(case), method).doubts}
