"""The audit of floating rods: its integrals against closed forms, and poses that are wrong by a little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.audit_poses import BENDING, CURVATURE, FORCE, Audited, refuse_unsound
from ropewalk.analysis.audit_rods import cut, dry, stations, wet
from ropewalk.errors import ConvergenceError
from ropewalk.model.rod_fields import build_rod

LOG = {"length": 2.0, "density": 600, "section": {"kind": "ellipse", "a": 0.2, "b": 0.1}}
BEAM = {"length": 2.0, "density": 600, "section": {"kind": "rectangle", "width": 0.4, "height": 0.2}}
RING = {**LOG, "section": {"kind": "ellipse", "a": 0.1, "b": 0.05},
        "curvature": {"kind": "pieces", "pieces": [{"length": 2.0, "kappa": [0.3, 0.5, 1.2]}]}}  # fmt: skip


def built(rod):
    system = rw.System(rods={"log": rod})
    return build_rod(system.rods["log"], system.environment, "log")


@pytest.mark.parametrize(("rod", "area"), [(LOG, np.pi * 0.2 * 0.1), (BEAM, 0.4 * 0.2)])
def test_a_drowned_straight_rod_is_a_cylinder(rod, area):
    model = built(rod)
    sums = wet(model, stations(model), -5.0, np.array([0.0, 0.6, 0.8]))
    assert_allclose(sums.volume, 2.0 * area, rtol=1e-12)
    assert_allclose(sums.moment, [2.0 * area, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("rod", [LOG, BEAM])
@pytest.mark.parametrize("level", [-0.13, 0.0, 0.04])
def test_a_cut_section_is_the_sum_of_its_strips(rod, level):
    """Moments of the wet part of a section, against a million points; 1e-3 of the section's own."""
    model = built(rod)
    along, u = stations(model), np.array([0.0, 0.6, 0.8])
    n = 1000
    y, w = np.meshgrid(0.2 * (np.arange(n) + 0.5 - n / 2) * 2 / n, 0.1 * (np.arange(n) + 0.5 - n / 2) * 2 / n)
    inside = (level + 0.6 * y + 0.8 * w < 0.0) & ((y / 0.2) ** 2 + (w / 0.1) ** 2 < 1.0 if rod is LOG else True)
    cell = 0.4 * 0.2 / n**2
    area, first, second = cut(model, along, level, u)
    assert_allclose(area[7], cell * inside.sum(), atol=1e-3 * 0.08)
    assert_allclose(first[7], [cell * (inside * x).sum() for x in (y, w)], atol=1e-3 * 0.08 * 0.2)
    assert_allclose(second[7], [cell * (inside * x).sum() for x in (y * y, y * w, w * w)], atol=1e-3 * 0.08 * 0.04)


def test_a_helix_ends_where_its_closed_form_does():
    """Constant curvature k in the frame of the rod: x = integral of exp(s K) e1; mass and its centre likewise."""
    model = built(RING)
    along = stations(model)
    k = np.array([0.3, 0.5, 1.2])
    size = np.linalg.norm(k)
    K = np.cross(k / size, np.eye(3)).T
    whole = 2.0 * size
    end = 2.0 * np.eye(3) + (1 - np.cos(whole)) / size * K + (2.0 - np.sin(whole) / size) * K @ K
    assert_allclose(along.position[-1], end[:, 0], atol=1e-9)
    mass, first = dry(model, along)
    assert_allclose(mass, model.mass, rtol=1e-12)
    assert_allclose(first / mass, model.centre, atol=1e-9)


@pytest.mark.parametrize("rod", [LOG, BEAM, RING], ids=["log", "beam", "ring"])
def test_poses_pass_and_those_that_are_a_little_off_fail(rod):
    """Every equilibrium; then with the head 1e-5 of the length higher, and heeled by 1e-5."""
    system = rw.System(rods={"log": rod})
    found = rw.float_rods(system)
    assert len(found.audit["log"]) == len(found["log"].states)
    for state, figures in zip(found["log"].states, found.audit["log"], strict=True):
        assert max(figures["force"], figures["moment"]) < FORCE
        audited, pose = Audited(state.rod), state.pose
        assert audited.figures(pose.heave + 2e-5, pose.up)["force"] > FORCE
        side = np.cross(pose.up, [0.3, -0.5, 0.8])
        tilted = pose.up + 1e-4 * side / np.linalg.norm(side)
        off = audited.figures(pose.heave, tilted / np.linalg.norm(tilted))
        assert max(off["force"], off["moment"]) > FORCE
        with pytest.raises(ConvergenceError, match="fails its audit: force"):
            refuse_unsound("rod 'log'", audited.figures(pose.heave + 2e-5, pose.up))


def test_a_kind_that_the_energy_contradicts_fails():
    """A saddle or a maximum that is called stable, and the other way round."""
    system = rw.System(rods={"log": LOG})
    states = {state.kind: state for state in rw.float_rods(system)["log"].states}
    audited = Audited(states["minimum"].rod)
    for kind, state in states.items():
        if kind == "neutral":
            continue
        for other in {"minimum", "maximum"} - {kind}:
            assert audited.figures(state.pose.heave, state.pose.up, other)["stability"] > CURVATURE
        assert audited.figures(state.pose.heave, state.pose.up, kind)["stability"] == 0.0


def test_bending_that_misses_the_moment_of_the_loads_fails():
    """An elastic rod with a mass; a tenth more stiffness than its shape is an equilibrium of."""
    elastic = {"length": 2.0, "density": 600, "section": {"kind": "ellipse", "a": 0.04, "b": 0.03},
               "elasticity": {"torsion": 60, "bending": [60, 40]}, "masses": [{"s": 0.6, "mass": 0.5}]}  # fmt: skip
    system = rw.System(rods={"log": elastic})
    found = rw.float_rods(system)
    (state, *_), (figures, *_) = found["log"].states, found.audit["log"]
    assert figures["bending"] < BENDING
    audited, rest = Audited(state.rod), built(elastic)
    pose = (state.pose.heave, state.pose.up)
    from ropewalk.analysis.audit_poses import FREE

    assert audited.bending(rest, (66.0, 66.0, 44.0), pose, FREE) > BENDING


def test_moored_rods_are_balanced_with_the_forces_of_their_lines(monkeypatch):
    import ropewalk.analysis.moored as moored

    system = rw.System.from_file("examples/rod_moored.yaml")
    found = moored.float_all(system)
    assert all(figures["force"] < FORCE for each in found.audit.values() for figures in each)
    plain = moored.moored_balance
    monkeypatch.setattr(
        moored, "moored_balance", lambda *given: replace(plain(*given), end_force=1.001 * plain(*given).end_force)
    )
    with pytest.raises(ConvergenceError, match="on its lines fails its audit"):
        moored.float_all(system)
