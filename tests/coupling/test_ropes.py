"""Ropes with memory in `Coupled`: saved, restored and carried over a change of the case."""

from __future__ import annotations

import pytest

import ropewalk as rw

CASE = {
    "ropewalk": 1,
    "environment": {"gravity": 0.0, "water_density": 0.0, "seabed": {"kind": "none"}},
    "sections": {
        "rope": {
            "diameter": 0.1,
            "mass": 1.0,
            "axial_stiffness": {
                "kind": "viscoelastic", "static": 1e6, "dynamic": 3e6, "viscosity": 3e7, "dynamic_viscosity": 6e4,
            },
        }
    },
    "points": {"a": {"position": [0, 0, -5]}, "b": {"position": [10.1, 0, -5], "joint": "coupled"}},
    "lines": {"rope": {"from": "a", "to": "b", "elements": 4, "pieces": [{"section": "rope", "length": 10.0}]}},
}  # fmt: skip


def pulled(c: rw.Coupled, x: float) -> float:
    """Force on the end after a tenth of a second at x (m)."""
    return float(c.step(0.1, {"b": ([x, 0, -5], [0, 0, 0])})["b"][0][0])


def test_restore_goes_on_to_the_same_bits():
    c = rw.Coupled(rw.System.model_validate(CASE))
    for k in range(10):
        pulled(c, 10.1 + 0.01 * k)
    saved = c.save()
    first = [pulled(c, 10.2) for _ in range(5)]
    c.restore(saved)
    assert [pulled(c, 10.2) for _ in range(5)] == first


def test_memory_outlives_a_change_of_the_case():
    """A rope that was stretched a second ago is still stiff after `set`; without memory it would have crept."""
    both = [rw.Coupled(rw.System.model_validate(CASE)) for _ in range(2)]
    for c in both:
        for k in range(10):
            pulled(c, 10.1 + 0.01 * k)
        for _ in range(10):
            pulled(c, 10.2)
    both[1].set("sections.rope.breaking_load", 1e9)
    plain, changed = (abs([pulled(c, 10.2) for _ in range(10)][-1]) for c in both)
    assert plain > 1.2 * 2e4  # static: EA e = 2e4 N
    assert changed == pytest.approx(plain, rel=3e-3)  # the new start leaves axial waves
