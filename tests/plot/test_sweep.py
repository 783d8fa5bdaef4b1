"""Pictures of sweeps show what is in them."""

from __future__ import annotations

import json

import numpy as np
import xarray as xr
from numpy.testing import assert_allclose

from ropewalk.plot.sweep import draw_sweep


def sweep(heights, headings, seeds=(1,)):
    """A tension of height times (1 + heading), the same for all seeds but for +- seed."""
    grid = [(h, d, s) for h in heights for d in headings for s in seeds]
    h, d, s = (np.array(column) for column in zip(*grid, strict=True))
    values = (h * (1.0 + d) + s)[:, None, None] * np.array([1.0, 2.0])
    names = {"a.height": "height", "a.heading": "heading", "a.seed": "seed"}
    return xr.Dataset(
        {"end_tension_max": (("case", "line", "end"), values, {"units": "N"}), "status": ("case", ["done"] * h.size)},
        {"case": np.arange(h.size), "line": ["l"], "end": ["A", "B"], "height": ("case", h), "heading": ("case", d),
         "seed": ("case", s)},
        {"factors": json.dumps(names)},
    )  # fmt: skip


def test_one_factor_is_a_curve_for_every_end():
    figure = draw_sweep(sweep([1.0, 2.0, 4.0], [0.0]))
    curves = [line for line in figure.axes[0].lines if line.get_linestyle() == "-"]
    assert len(curves) == 2
    assert_allclose(curves[1].get_xdata(), [1.0, 2.0, 4.0])
    assert_allclose(curves[1].get_ydata(), [4.0, 6.0, 10.0])
    assert figure.axes[0].get_ylabel() == "end tension max (N)"


def test_seeds_are_scatter_around_their_mean():
    figure = draw_sweep(sweep([1.0, 2.0], [0.0], seeds=(-1, 0, 1)))
    curves = [line for line in figure.axes[0].lines if line.get_linestyle() == "-"]
    assert_allclose(curves[0].get_ydata(), [1.0, 2.0])
    dots = [line for line in figure.axes[0].lines if line.get_linestyle() != "-"]
    assert_allclose(dots[0].get_ydata(), [0.0, 1.0, 2.0, 1.0, 2.0, 3.0])


def test_two_factors_are_a_matrix_of_the_largest():
    figure = draw_sweep(sweep([1.0, 2.0], [0.0, 1.0, 2.0]))
    table = figure.axes[0].images[0].get_array()
    assert_allclose(table, [[4.0, 6.0, 8.0], [6.0, 10.0, 14.0]])
