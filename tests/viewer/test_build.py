"""Cases and results to scenes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.results.record import dataset_of
from ropewalk.spec.system import System
from ropewalk.viewer.build import as_given, from_dataset, from_equilibrium, from_system
from ropewalk.viewer.packing import packed
from ropewalk.viewer.page import page
from ropewalk.viewer.parts import point_parts
from ropewalk.viewer.scene import PAGE_BYTES, frame_stride
from unpacking import unpacked

FAR = (512_000.0, 6_200_000.0)  # m, as a chart counts them


def mooring(x: float = 0.0, y: float = 0.0, **changes: object) -> System:
    case = {
        "title": "one line",
        "environment": {"depth": 100.0, "current": {"speed": 0.5}},
        "sections": {"chain": {"diameter": 0.05, "mass": 60.0, "axial_stiffness": 2.0e8}},
        "points": {
            "anchor": {"position": (x, y, -100.0)},
            "eye": {"position": (x + 200.0, y, -10.0)},
        },
        "bodies": {"buoy": {"mass": 5e3, "position": (x + 250.0, y, 0.0), "joint": "fixed",
                            "hull": {"kind": "sphere", "radius": 2.0}}},
        "lines": {"mooring": {"from": "anchor", "to": "eye", "pieces": [{"section": "chain", "length": 240.0}]}},
        **changes,
    }  # fmt: skip
    return System.model_validate(case)


@pytest.fixture(scope="module")
def rest():
    return rw.statics(mooring(environment={"depth": 100.0}))


def moving(system: System, n: int):
    """A result of n moments in which the buoy rises steadily and the tension grows."""
    model = build(system)
    state = initial_state(model)
    states = [
        state._replace(
            time=0.1 * k,
            body_position=state.body_position + np.array([0.0, 0.0, 0.01 * k]),
            tension=state.tension + 10.0 * k,
        )
        for k in range(n)
    ]
    attrs = {"title": "moved", "system": system.model_dump_json(by_alias=True, exclude_unset=True), "status": "done"}
    return dataset_of(model.names, states, attrs)


def test_an_array_is_read_back_as_it_was():
    values = np.random.default_rng(1).normal(size=(3, 4, 3)).astype("f4")
    assert np.array_equal(unpacked(packed(values)), values)
    assert packed(np.zeros((0, 3)))["shape"] == [0, 3]


def test_the_scene_of_an_equilibrium_is_the_equilibrium(rest):
    scene = from_equilibrium(rest)
    frames = scene.variants[0].frames
    assert np.array_equal(frames.position[0], rest.state.position)
    assert np.array_equal(frames.tension[0], rest.state.tension)
    assert_allclose(frames.end_tension[0, 0], [rest.line("mooring")[end]["tension"] for end in ("end_a", "end_b")])
    assert scene.line_start.tolist() == rest.state.start.tolist()
    assert "residual force" in scene.notes[0]
    assert (scene.quantity.low, scene.quantity.high) == (rest.state.tension.min(), rest.state.tension.max())


def test_joints_are_told_apart():
    joints = ["fixed", "free", {"axes": {"x": {"spring": 1e6}}}, {"axes": {"x": {"force": 5.0}}}, {"axes": {}}]
    points = {f"p{k}": {"position": (float(k), 0.0, 0.0), "joint": joint} for k, joint in enumerate(joints)}
    parts = point_parts(System.model_validate({"points": points}))
    assert [part.kind for part in parts] == ["fixed", "free", "sprung", "sliding", "fixed"]
    assert ("along x", "spring 1e+06 N/m") in parts[2].facts
    assert ("along x", "force 5 N") in parts[3].facts


def test_everything_is_inside_the_box(rest):
    scene = from_equilibrium(rest)
    frames = scene.variants[0].frames
    places = np.concatenate([frames.position[0], frames.points[0], frames.body_position[0] + [[2.0, 2.0, 2.0]]])
    assert (places >= scene.low - 1e-9).all() and (places <= scene.high + 1e-9).all()
    assert scene.low[2] == -100.0  # the floor is the bed


def test_far_from_the_origin_of_the_chart_nothing_is_lost():
    """Single precision of 6e6 m alone would move nodes by 0.25 m."""
    here, there = (as_given(mooring(*at), "").to_json() for at in ((0.0, 0.0), FAR))
    near, far = (unpacked(told["variants"][0]["frames"]["position"]) for told in (here, there))
    shift = np.array(there["origin"]) - np.array(here["origin"])
    assert_allclose(shift[:2], FAR, atol=1.0)
    # 1e-9 m of round-off in double, 8e-6 m in single precision of 130 m, and whole metres of the two origins
    assert_allclose(far - near, np.broadcast_to([*FAR, 0.0] - shift, far.shape), atol=3e-5)


def test_where_statics_fail_the_case_is_shown_as_given_with_the_sentence():
    stone = System.model_validate({"bodies": {"stone": {"mass": 1000.0, "position": (0.0, 0.0, 0.0)}}})
    scene = from_system(stone)
    assert "body 'stone'" in scene.trouble
    assert any("as the file gives it" in note for note in scene.notes)
    assert len(scene.bodies) == 1
    assert "body 'stone'" in page(scene)


def test_bad_input_is_not_shown_but_refused():
    with pytest.raises(InputError, match="nothing to solve"):
        from_system(System.model_validate({"points": {"alone": {"position": (0.0, 0.0, 0.0)}}}))


def test_colours_keep_one_range_over_time():
    scene = from_dataset(moving(mooring(), 21))
    assert (scene.quantity.low, scene.quantity.high) == (0.0, 200.0)
    assert scene.variants[0].frames.time[-1] == pytest.approx(2.0)


def test_records_are_left_out_evenly_and_said():
    """The first and the last stay; the page keeps below its size."""
    dataset = moving(mooring(), 400)
    whole = len(page(from_dataset(dataset)).encode())
    budget = 1_500_000 + (whole - 1_500_000 if whole > 1_500_000 else whole // 4)
    scene = from_dataset(dataset, budget=budget)
    frames = scene.variants[0].frames
    assert 1 < frames.time.size < 400
    assert (frames.time[0], frames.time[-1]) == (0.0, pytest.approx(39.9))
    steps = np.diff(frames.time)
    assert_allclose(steps[:-1], steps[0], rtol=1e-9)
    assert f"{frames.time.size} of 400 records" in scene.notes[0]
    assert len(page(scene).encode()) < budget


@pytest.mark.parametrize(("frames", "numbers"), [(100_000, 2000), (10, 5_000_000), (1, 1), (3_000_000, 10)])
def test_a_page_stays_below_its_size(frames, numbers):
    """Base64 takes 4/3 bytes for each, single precision 4 bytes for each number; one frame is always kept."""
    stride = frame_stride(frames, numbers)
    kept = -(-frames // stride)
    assert kept == 1 or kept * numbers * 4 * 4 / 3 < PAGE_BYTES
    assert stride == 1 or (frames // (stride - 1)) * numbers * 16 / 3 > 0.4 * PAGE_BYTES  # not more than needed


def test_waves_pass_only_where_time_does():
    system = mooring(
        environment={"depth": 100.0, "waves": {"kind": "regular", "ramp": 0, "height": 2.0, "period": 8.0}}
    )
    assert from_dataset(moving(system, 3)).surroundings.waves is not None
    assert from_dataset(moving(system, 1)).surroundings.waves is None


def test_a_run_that_ended_early_says_so():
    dataset = moving(mooring(), 3)
    dataset.attrs["status"] = "stopped by a wave"
    assert "the run ended early: stopped by a wave" in from_dataset(dataset).notes


def test_a_file_without_positions_is_refused():
    with pytest.raises(InputError, match="has no positions over time"):
        from_dataset(moving(mooring(), 3)[["elevation"]])


def test_a_result_that_does_not_fit_its_case_is_refused():
    dataset = moving(mooring(), 3)
    with pytest.raises(InputError, match="along 'body' where its case has 1"):
        from_dataset(dataset.isel(body=slice(0, 0)))


@pytest.mark.parametrize("name", ["time", "position", "body_quaternion"])
def test_a_result_with_holes_is_refused(name):
    dataset = moving(mooring(), 3)
    values = dataset[name].values.copy()
    values[1] = np.nan
    with pytest.raises(InputError, match="not finite"):
        from_dataset(dataset.assign({name: (dataset[name].dims, values)}))


def test_nets_are_drawn_twine_by_twine():
    """Each bar of the model with its knots; the net hangs on its upper edge."""
    system = System.model_validate({
        "sections": {"twine": {"diameter": 0.002, "mass": 0.004, "axial_stiffness": 5e3}},
        "nets": {"panel": {"panel": {"kind": "rectangle", "corners": ((0, 0, -1), (1, 0, -1), (1, 0, -2), (0, 0, -2))},
                           "section": "twine", "bar_length": 0.05, "cells": (3, 3)}},
    })  # fmt: skip
    scene = as_given(system, "")
    assert scene.bars.shape == (24, 2)  # a grid of 4 x 4 knots
    frames = scene.variants[0].frames
    ends = frames.knots[0][scene.bars]
    assert_allclose(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1), 1.0 / 3.0)
    assert scene.nets[0].name == "panel"
