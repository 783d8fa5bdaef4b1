"""Mode shapes to scenes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.analysis.modes import modes
from ropewalk.spec.system import System
from ropewalk.viewer.modal import from_modes, modes_of
from ropewalk.viewer.page import page

HANGING = System.model_validate({
    "title": "hanging chain",
    "environment": {"water_density": 0.0, "seabed": {"kind": "none"}},
    "sections": {"chain": {"diameter": 0.02, "mass": 8.0, "axial_stiffness": "inextensible"}},
    "points": {"top": {"position": (0.0, 0.0, 0.0)},
               "bob": {"position": (0.0, 0.0, -10.0), "joint": "free", "mass": 5.0}},
    "lines": {"chain": {"from": "top", "to": "bob", "elements": 40, "pieces": [{"section": "chain", "length": 10.0}]}},
})  # fmt: skip


@pytest.fixture(scope="module")
def scene():
    return modes_of(HANGING, 4)


@pytest.fixture(scope="module")
def shapes():
    return modes(rw.statics(HANGING), 4)


def test_each_mode_is_one_thing_to_look_at(scene, shapes):
    """The last one asked for is shown first; periods are those of `modes`."""
    assert len(scene.variants) == 4
    assert scene.first == 3
    for variant, period in zip(scene.variants, shapes["period"].values, strict=True):
        assert dict(variant.facts)["period"] == f"{period:.5g} s"


def test_the_shape_is_scaled_to_one_metre(scene):
    for variant in scene.variants:
        mode = variant.mode
        moved = np.hypot(mode.real["position"], mode.imaginary["position"])
        largest = mode.amplitude * np.linalg.norm(moved, axis=1).max()
        assert_allclose(largest, 1.0, rtol=1e-12)  # no bodies here, and the free end is a node too


def test_a_hanging_chain_swings_about_the_vertical(scene):
    """The equilibrium is straight and the lowest modes move across it; the top stays."""
    variant = scene.variants[0]
    rest, shape = variant.frames.position[0], variant.mode.real["position"]
    assert_allclose(rest[:, :2], 0.0, atol=1e-9)
    assert_allclose(shape[0], 0.0, atol=1e-12)
    assert np.abs(shape[:, 2]).max() < 1e-6 * np.abs(shape[:, :2]).max()
    assert scene.line_start.tolist() == [0, rest.shape[0]]


def test_what_is_round_off_is_not_coloured(scene):
    """A chain that swings sideways about the vertical has no dynamic tension to first order."""
    assert not scene.variants[0].mode.real["tension"].any()
    assert dict(scene.variants[0].facts)["largest tension"] == "none"


def test_a_file_of_modes_is_shown_like_its_case(scene, shapes, tmp_path):
    from ropewalk.io.netcdf import open_results, write

    write(shapes, tmp_path / "modes.nc")
    with open_results(tmp_path / "modes.nc") as dataset:
        read = from_modes(dataset)
    assert [v.label for v in read.variants] == [v.label for v in scene.variants]
    assert_allclose(read.variants[1].frames.position, scene.variants[1].frames.position, atol=1e-9)
    assert "mode 1" in page(read)
