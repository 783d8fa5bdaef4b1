"""Floating rods to scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.io.native import read_text
from ropewalk.viewer.build import from_system
from ropewalk.viewer.page import page

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LOG = """
ropewalk: 1
environment: {water_density: 1000, gravity: 9.81}
rods: {log: {length: 4, density: 700, section: {kind: ellipse, a: 0.3, b: 0.2}}}
"""


def wet_volume(shape) -> float:
    """Below z = 0: the depth integrated over the downward facets, at the middles of their edges."""
    corners = shape.vertices[shape.triangles]
    area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2]
    middles = 0.5 * (corners + np.roll(corners, 1, axis=1))[:, :, 2]
    return float(np.sum(area * np.maximum(-middles, 0.0).mean(axis=1) * -1.0))


@pytest.fixture(scope="module")
def log():
    return read_text(LOG, "log.yaml")


def test_every_equilibrium_is_one_thing_to_look_at(log):
    found = rw.float_rods(log)["log"]
    scene = from_system(log)
    assert len(scene.variants) == len(found.states)
    assert [dict(variant.facts)["kind"] for variant in scene.variants] == [state.kind for state in found.states]
    assert scene.variants[0].label.startswith("1: stable")
    assert found.message in scene.notes[0]
    assert scene.surroundings.water


def test_the_drawn_rod_displaces_its_weight(log):
    """Archimedes, on the triangles of the page: polygons of 40 sides have 0.9959 of an ellipse."""
    scene = from_system(log)
    for variant in scene.variants:
        ((_, shape),) = variant.rods
        # the cut facets, 1/40 of the girth high, and the polygon: 1 %
        assert_allclose(wet_volume(shape), 0.7 * np.pi * 0.3 * 0.2 * 4.0, rtol=1e-2)


def test_rods_on_lines_are_shown_with_them():
    """The moored log of the examples: lines end on it, and their tensions are those of `float`."""
    from ropewalk.analysis.moored import float_all

    system = rw.System.from_file(EXAMPLES / "rod_moored.yaml")
    state = float_all(system)["log"].states[0]
    scene = from_system(system)
    frames = scene.variants[0].frames
    ((_, shape),) = scene.variants[0].rods
    for k, name in enumerate(system.lines):
        # the balance of the rod stops at 1e-9 of the forces; the lines are closed forms
        assert_allclose(frames.end_tension[0, k], state.tensions[name], rtol=1e-5)
        end = frames.position[0, scene.line_start[k + 1] - 1]
        assert np.min(np.linalg.norm(shape.vertices - end, axis=1)) < 0.3  # its attachment lies in the rod
    assert scene.bodies == ()
    assert "log" in page(scene)
