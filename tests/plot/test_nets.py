"""Nets in pictures."""

from pathlib import Path

import numpy as np
import pytest

from ropewalk.analysis.run import simulate
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.plot.lines import draw, save
from ropewalk.results.record import dataset_of
from ropewalk.spec.system import System

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_every_twine_is_drawn_in_both_views():
    """The cage as given: one line per bar from the side and from above, within the axes."""
    system = System.from_file(EXAMPLES / "cage.yaml")
    model = build(system)
    data = dataset_of(
        model.names, [initial_state(model)], {"system": system.model_dump_json(by_alias=True)}, model.nets
    )
    figure = draw(data)
    side, above = figure.axes[:2]
    for axes, up in ((side, 2), (above, 1)):
        (lines,) = axes.collections
        segments = np.array(lines.get_segments())
        assert segments.shape == (data.sizes["twine"], 2, 2)
        assert segments[..., 1].min() == data.net_position.values[0, :, up].min()


@pytest.mark.parametrize("name", ["trawl_panel"])
def test_a_run_of_a_net_becomes_a_picture(name, tmp_path):
    """Example: warps and netting together; forces of the net over time."""
    data = simulate(System.from_file(EXAMPLES / f"{name}.yaml"), 0.3)
    figure = draw(data)
    assert "force of the water (kN)" in [axes.get_ylabel() for axes in figure.axes]
    save(figure, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 0
