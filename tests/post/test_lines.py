"""Angles, uplift and touchdown against statics and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import ropewalk as rw
from ropewalk.post.lines import line_histories
from ropewalk.spec.system import System


def moored(first: str, second: str, **sea: object) -> rw.Equilibrium:
    """A chain from `first` to `second`, of an anchor on the bed and a fairlead 60 degrees from x."""
    points = {"anchor": {"position": [0, 0, -100]}, "fairlead": {"position": [200, 200 * np.sqrt(3.0), -6]}}
    return rw.statics(
        System.model_validate(
            {
                "environment": {"depth": 100, **sea},
                "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.084}},
                "points": points,
                "lines": {"m": {"from": first, "to": second, "pieces": [{"section": "chain", "length": 450}]}},
            }
        )
    )


@pytest.mark.parametrize(("first", "second"), [("anchor", "fairlead"), ("fairlead", "anchor")])
def test_histories_of_an_equilibrium(first, second):
    """Tension and declination are those of the summary; the chain leaves the anchor along the bed, at 60 degrees."""
    rest = moored(first, second)
    found = line_histories(rest.to_dataset()).isel(time=0, line=0)
    ends = [rest.line("m")["end_a"], rest.line("m")["end_b"]]
    assert_allclose(found["end_tension"], [end["tension"] for end in ends], rtol=1e-14)
    assert_allclose(found["declination"], [end["declination"] for end in ends], atol=1e-12)
    anchor, fairlead = (0, 1) if first == "anchor" else (1, 0)
    assert_allclose(found["azimuth"][anchor], 60.0, atol=1e-9)
    assert_allclose(found["azimuth"][fairlead], -120.0, atol=1e-9)
    assert_allclose(found["uplift"], 0.0, atol=1e-6)  # N, of 2e5: the fairlead is pulled down, the anchor along the bed
    # horizontally as far from the anchor as the part on the bed is long; strain T / EA of 1e-4
    way = float(np.hypot(*found["touchdown"].values[:2]))
    assert_allclose(way, rest.line("m")["grounded_length"], rtol=1e-3)
    # a chord between nodes h = 4.5 m apart lies up to w h^2 / 8 H = 0.055 m above the chain
    assert_allclose(found["touchdown"].values[2], ends[anchor]["position"][2], atol=0.06)


def test_a_line_off_the_bed_lifts_its_anchor_and_has_no_touchdown():
    """Half the chain's length: it hangs free and lifts the anchor by the vertical part of its tension there."""
    rest = moored("anchor", "fairlead", seabed={"kind": "none"})
    short = rest.system.lines["m"].replace(pieces=({"section": "chain", "length": 412.0},))
    taut = rw.statics(rest.system.replace(lines={"m": short}))
    found = line_histories(taut.to_dataset()).isel(time=0, line=0)
    assert np.isnan(found["touchdown"]).all()
    assert_allclose(found["uplift"][0], taut.line("m")["end_a"]["force"][2], rtol=1e-14)
    assert found["uplift"][0] > 0.0
