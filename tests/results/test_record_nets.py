"""Nets in results: knots, twines, which is which, and going on from a checkpoint."""

import numpy as np
import pytest

from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import statics
from ropewalk.io.netcdf import open_results, write
from ropewalk.model.model import build
from ropewalk.model.state import State, initial_state
from ropewalk.results.layout import Layout
from ropewalk.results.record import NotFiniteError, Recorder, dataset_of
from ropewalk.results.segments import RunFolder, part_folder
from ropewalk.spec.system import System

NET_FIELDS = [name for name in State._fields if name.startswith("net_")]


def case(**run):
    """A panel on a line, and a cylinder."""
    panel = {"kind": "rectangle", "corners": [(0, 0, -1), (2, 0, -1), (2, 0, -3), (0, 0, -3)]}
    ring = {"kind": "cylinder", "centre": (5, 0, 0), "radius": 1, "height": 1, "bottom": True}
    twine = {"section": "twine", "bar_length": 0.05, "lower_sinker": 1.0}
    return System.model_validate({
        "environment": {"current": {"speed": 0.3, "heading": 90}, "seabed": {"kind": "none"}},
        "sections": {"twine": {"diameter": 0.002, "mass": 0.0036, "axial_stiffness": 2000.0, "drag": {"normal": 1.2}}},
        "points": {"a": {"position": (-1, 0, 0)}, "b": {"position": (0, 0, -1), "joint": "free"}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 2, "pieces": [{"section": "twine", "length": 1.5}]}},
        "nets": {
            "panel": {**twine, "panel": panel, "cells": (3, 2), "held": "corners", "fastened": {"upper_left": "b"}},
            "ring": {**twine, "panel": ring, "cells": (4, 1)},
        },
        "record": {"every": 0.05},
        "run": {"duration": 0.3, "solver": "constrained_implicit", "start": "as_given", **run},
    })  # fmt: skip


def test_every_number_of_nets_is_kept():
    """States with random numbers, one after the other, against the Dataset."""
    model = build(case())
    rng = np.random.default_rng(3)
    states = []
    for t in range(3):
        state = initial_state(model)._replace(time=float(t))
        states.append(state._replace(**{name: rng.random(np.shape(getattr(state, name))) for name in NET_FIELDS}))
    data = dataset_of(model.names, states, {}, model.nets)
    for name in NET_FIELDS:
        np.testing.assert_array_equal(data[name], [getattr(state, name) for state in states], err_msg=name)


def test_knots_and_twines_say_where_they_belong():
    """Twines join the knots that their length says; rows and columns run along the panel."""
    model = build(case())
    data = dataset_of(model.names, [initial_state(model)], {}, model.nets)
    assert data.sizes["knot"] == 12 + 9
    assert list(data.net.values) == ["panel", "ring"]
    assert list(data.knot_net.values) == ["panel"] * 12 + ["ring"] * 9
    panel = data.isel(time=0, knot=slice(0, 12))
    # (x, z) of a knot is (2/3 column, -1 - row)
    np.testing.assert_allclose(panel.net_position.sel(axis="x"), 2.0 / 3.0 * panel.knot_column, atol=1e-15)
    np.testing.assert_allclose(panel.net_position.sel(axis="z"), -1.0 - panel.knot_row, atol=1e-15)
    r = data.net_position.values[0]
    size = np.linalg.norm(r[data.twine_b.values] - r[data.twine_a.values], axis=1)
    np.testing.assert_allclose(size, model.nets.length, rtol=1e-14)
    assert (data.knot_net.values[data.twine_a.values] == data.twine_net.values).all()
    # a prism over a square of diagonal 2
    np.testing.assert_allclose(data.net_given_volume, [0.0, 2.0], rtol=1e-14)


def test_statics_and_files_keep_nets(tmp_path):
    """The equilibrium written and read again; its numbers are in the summary too."""
    equilibrium = statics(case())
    write(equilibrium.to_dataset(), tmp_path / "a.nc")
    with open_results(tmp_path / "a.nc") as data:
        np.testing.assert_array_equal(data.net_position.values[0], equilibrium.state.net_position)
        np.testing.assert_array_equal(data.twine_a, build(case()).nets.bar[:, 0])
    ring = equilibrium.summary["nets"]["ring"]
    assert equilibrium.summary["nets"]["panel"]["volume"] is None
    assert 0.3 < ring["volume_fraction"] < 1.0
    # the current is along y
    assert ring["drag"] == pytest.approx(equilibrium.state.net_force[1, 1], rel=1e-12)


def test_dynamics_start_from_the_net_at_rest():
    """A run from equilibrium begins with the knots of statics and they stay."""
    rest = statics(case())
    data = simulate(case(start="equilibrium"))
    # the solver brings rigid bars to their lengths and elastic ones to their tension from the same shape
    np.testing.assert_allclose(data.net_position.values[0], rest.state.net_position, atol=1e-9)
    assert np.abs(data.net_velocity.values[-1]).max() < 1e-4


@pytest.mark.parametrize("solver", ["constrained_implicit"])
def test_a_stopped_run_with_nets_goes_on_to_the_same_bits(tmp_path, monkeypatch, solver):
    """Checkpoint after every record, stopped half-way."""
    from ropewalk.methods.bars.implicit import ConstrainedImplicit

    monkeypatch.setattr(RunFolder, "is_due", property(lambda self: True))
    whole = simulate(case(), output=tmp_path / "whole.nc")
    plain = ConstrainedImplicit.advance

    def dies(self, model, work, t):
        if t > 0.16:
            raise KeyboardInterrupt
        return plain(self, model, work, t)

    with monkeypatch.context() as patch:
        patch.setattr(ConstrainedImplicit, "advance", dies)
        with pytest.raises(KeyboardInterrupt):
            simulate(case(), output=tmp_path / "part.nc")
    assert part_folder(tmp_path / "part.nc").is_dir()
    (tmp_path / "part.nc").unlink(missing_ok=True)
    again = simulate(case(), output=tmp_path / "part.nc", resume=True)
    for name in (*NET_FIELDS, "tension"):
        np.testing.assert_array_equal(again[name], whole[name], err_msg=name)


def test_layout_of_nets_survives_json():
    model = build(case())
    layout = Layout.of(model.names, initial_state(model), (), model.nets)
    assert Layout.from_json(layout.to_json()) == layout


def test_a_knot_that_is_lost_is_named():
    """NaN in a knot and in a twine."""
    model = build(case())
    state = initial_state(model)
    for name, where, words in (("net_position", 14, "net 'ring', knot 14"), ("net_tension", 2, "net 'panel', twine 2")):
        values = getattr(state, name).copy()
        values[where] = np.nan
        with pytest.raises(NotFiniteError, match=f"{name} of {words}, is not finite"):
            Recorder(model.names, {}, nets=model.nets).add(state._replace(**{name: values}))
