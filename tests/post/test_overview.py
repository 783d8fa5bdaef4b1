"""A run in a few numbers per part."""

from __future__ import annotations

import numpy as np
import xarray as xr

from ropewalk.post.overview import overview


def test_overview_has_every_end_and_net():
    """Two records: 5 and 0 N at the end of a line, 2 N on a net; and nothing of what is not there."""
    data = xr.Dataset(
        {
            "end_tension": (("time", "line", "end"), np.array([[[5.0]], [[0.0]]])),
            "net_force": (("time", "net", "axis"), [[[0, 0, 2.0]]] * 2),
        },
        coords={"time": [0.0, 0.1], "line": ["m"], "end": ["A"], "net": ["n"]},
    )
    end = {"mean": 2.5, "std": 2.5, "min": 0.0, "max": 5.0, "time_of_max": 0.0, "time_of_min": 0.1}
    net = {"mean": 2.0, "std": 0.0, "min": 2.0, "max": 2.0, "time_of_max": 0.0, "time_of_min": 0.0}
    assert overview(data) == {"start": 0.0, "lines": {"m": {"A": end}}, "nets": {"n": net}, "bodies": {}}
    assert overview(xr.Dataset()) == {"start": 0.0, "lines": {}, "nets": {}, "bodies": {}}
    assert overview(data, start=0.1)["lines"]["m"]["A"]["mean"] == 0.0
