"""Paths through equilibria: folds and branch points where independent integrations have them."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import ropewalk as rw
from ropewalk.analysis.path_curves import LineCurve
from turning_rope import LENGTH, SPAN, G, rope

RATE_KEY = "lines.l.loads.0.rate"


def folds(path, kind="fold"):
    return [entry for entry in json.loads(path.attrs["folds"]) if entry["kind"] == kind]


def plane_end(force, rate):
    """Where a rope ends that leaves the origin with a force in the vertical plane, by scipy alone."""

    def slope(_s, y):
        T = np.hypot(y[2], y[3])
        return [y[2] / T, y[3] / T, 0.0, G - rate**2 * y[1]]

    return solve_ivp(slope, (0.0, LENGTH), [0.0, 0.0, *force], rtol=1e-10, atol=1e-12).y[:2, -1]


def plane_determinant(force, rate, h=1e-4):
    """Determinant of the derivative of that end by the force, by differences."""
    columns = [
        (plane_end(force + step, rate) - plane_end(force - step, rate)) / (2 * h)
        for step in h * np.linalg.norm(force) * np.eye(2)
    ]
    return float(np.linalg.det(np.array(columns)))


def test_the_rope_spins_up_without_a_fold():
    """From 2 to 20 rad/s one loop stays one loop, stable all the way; its end is that of an integration of its own."""
    path = rw.continuation(rope(2.0), RATE_KEY, 2.0, 20.0, outputs=["lines.l.end_a.force.0", "lines.l.end_a.force.2"])
    assert path.attrs["status"] == "done"
    assert path.parameter[0] == 2.0
    assert_allclose(path.parameter[-1], 20.0, rtol=1e-9)
    assert json.loads(path.attrs["folds"]) == []
    assert (path.unstable == 0).all()
    for k in (0, path.sizes["step"] // 2, -1):
        # points of the path are solved to 1e-10 of the loads, which the rope magnifies by some 20
        end = plane_end(path.value.values[k], float(path.parameter[k]))
        assert_allclose(end, [SPAN, 0.0], atol=1e-6)


def test_the_upper_loop_ends_in_a_fold():
    """Slowed down, the loop that stands up meets three loops in a fold, which an integration of its own finds, too."""
    x = np.linspace(0.0, SPAN, 41)
    upper = np.column_stack([x, 0 * x, 0.75 * np.sin(np.pi * x / SPAN)])
    path = rw.continuation(
        rope(), RATE_KEY, 20.0, 1.0, guess={"l": upper}, outputs=["lines.l.end_a.force.0", "lines.l.end_a.force.2"]
    )
    (fold,) = folds(path)
    assert fold["confirmed"]
    assert path.attrs["status"].startswith("turned back to 20")
    force = path.value.values[fold["step"]]

    def extended(v):
        n, rate = v[:2], v[2]
        return [*(plane_end(n, rate) - [SPAN, 0.0]), 1e2 * plane_determinant(n, rate)]

    root, _, status, words = fsolve(extended, [*force, fold["value"]], full_output=True, xtol=1e-10)
    assert status == 1, words
    # differences of 1e-4 in the determinant move the force by as much, and the rate, flat there, by its square
    assert_allclose(fold["value"], root[2], rtol=1e-6)
    # and the determinant of the plane rope changes sign between the points around it
    around = [
        plane_determinant(path.value.values[fold["step"] + k], float(path.parameter[fold["step"] + k])) for k in (-1, 1)
    ]
    assert around[0] * around[1] < 0.0
    # out of the plane loops branch off, where the determinant changes sign without a fold
    assert folds(path, "branch point")


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CASE = EXAMPLES / "pulled_under.yaml"


def test_a_buoy_is_pulled_under_at_the_speed_of_an_integration_of_its_own():
    """The float is just covered: its force is known, and the line from it must reach the anchor's depth."""
    rho, g, V, d, L = 1025.0, 9.81, 0.15, 0.02, 36.0
    R = (0.75 * V / np.pi) ** (1.0 / 3.0)

    def reached(speed):
        """Depth at the lower end, less that of the anchor."""
        w = (rho * np.pi / 4.0 * d**2 - 0.4) * g
        pull = [0.5 * rho * 0.3 * speed**2, (rho * V - 60.0) * g]

        def slope(_s, y):  # downwards from the buoy; y: x, z and the force of the part above on that below
            T = np.hypot(y[2], y[3])
            tx, tz = y[2] / T, y[3] / T
            across = speed * np.array([1.0 - tx * tx, -tx * tz])
            drag = 0.5 * rho * 1.2 * d * np.linalg.norm(across) * across
            return [-tx, -tz, drag[0], drag[1] + w]

        return solve_ivp(slope, (0.0, L), [0.0, -R, *pull], rtol=1e-11, atol=1e-12).y[1, -1] + 30.0

    speed = brentq(reached, 0.3, 3.0, xtol=1e-10)
    path = rw.continuation(CASE, "environment.current.speed", 0.1, 3.0, until={"points.buoy.position.2": -R})
    assert path.attrs["status"] == "done"
    # the height of the buoy is met to 1e-9 of a step
    assert_allclose(path.parameter[-1], speed, rtol=1e-6)
    assert (path.unstable == 0).all()
    assert (path.audit <= 1.0).all()
    assert json.loads(path.attrs["doubts"]) == []
    assert_allclose(runpy.run_path(str(EXAMPLES / "pulled_under.py"))["main"](), speed, rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": "lines.l.loads.0.speed"}, "speed"),
        ({"stop": 20.0}, "start and stop are both 20"),
        ({"outputs": ["lines.l.top"]}, "nothing at 'top'"),
        ({"until": {"lines.l.end_a.force": 1.0}}, "is not a number"),
        ({"most": 1}, "most must be a whole number, 2 or more"),
    ],
)
def test_what_cannot_be_followed_is_refused(options, words):
    with pytest.raises(rw.InputError) as refused:
        rw.continuation(rope(), **{"key": RATE_KEY, "start": 20.0, "stop": 19.0, **options})
    assert words in str(refused.value)


def landing(length=90.0):
    """A chain in a current that comes to lie on the bed as it is lengthened."""
    return rw.System.model_validate({
        "environment": {"depth": 50, "current": {"speed": 0.5}},
        "sections": {"chain": {"diameter": 0.1, "mass": 20, "axial_stiffness": 1e8}},
        "points": {"a": {"position": [60, 0, -50]}, "b": {"position": [0, 0, 0]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "chain", "length": length}]}},
    })  # fmt: skip


def test_a_path_goes_on_where_the_line_comes_to_lie_on_the_bed():
    """The equations of the first point have none of it on the bed: new ones are made; as statics of each length."""
    path = rw.continuation(landing(), "lines.l.pieces.0.length", 90.0, 102.0)
    assert path.attrs["status"] == "done" and float(path.audit.max()) <= 1.0
    assert np.all(np.diff(path.arc) > 0.0)
    for k in range(0, path.sizes["step"], 5):
        line = rw.statics(landing(float(path.parameter[k]))).line("l")
        found = [line["end_a"]["tension"], line["end_b"]["tension"]]
        assert_allclose(path.value.values[k], found, atol=1e-6 * found[1])


def test_a_path_ends_before_a_point_that_the_audit_rejects(monkeypatch):
    plain = LineCurve.seen

    def seen(self, at, p):
        return plain(self, at, p)._replace(audit=3.0 if p > 0.5 else 0.1)

    monkeypatch.setattr(LineCurve, "seen", seen)
    path = rw.continuation(landing(), "lines.l.pieces.0.length", 90.0, 92.0)
    assert float(path.parameter[-1]) <= 91.0
    assert "the audit rejects the next point" in path.attrs["status"]


def test_a_path_is_written_and_read(tmp_path):
    path = rw.continuation(rope(), RATE_KEY, 20.0, 19.0)
    assert (path.audit <= 1.0).all()
    path.rw.to_file(tmp_path / "path.nc")
    again = rw.load(tmp_path / "path.nc")
    assert_allclose(again.parameter, path.parameter)
    assert list(again.event.values) == list(path.event.values)


def test_a_path_is_drawn_with_its_fold():
    """Every output over the number, what is stable drawn over the rest, and a mark where the path turns."""
    path = rw.continuation(rope(), RATE_KEY, 20.0, 19.0)
    event = path.event.values.astype(object)
    event[1] = "fold"
    figure = path.assign(event=("step", event)).rw.plot()
    (axes,) = figure.axes
    assert axes.get_xlabel() == RATE_KEY
    labels = axes.get_legend_handles_labels()[1]
    assert [*path.output.values] == [label for label in labels if label != "fold"]
    assert "fold" in labels
    marked = next(line for line in axes.lines if line.get_label() == "fold")
    assert_allclose(marked.get_xdata(), [float(path.parameter[1])])
    with pytest.raises(rw.InputError, match="no output 'tension'"):
        path.rw.plot(variable="tension")
