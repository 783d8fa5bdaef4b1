"""Metacentric heights and the verdict on stability, against closed forms."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose

from ropewalk.analysis.hydrostatics import metacentric_heights
from ropewalk.analysis.statics import statics
from ropewalk.analysis.verdict import verdict
from ropewalk.cli.main import main
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

RHO, G = 1000.0, 10.0
CALM = {"gravity": G, "water_density": RHO, "seabed": {"kind": "none"}, "depth": 50}
RADIUS, DRAUGHT = 0.5, 2.0
MASS = RHO * np.pi * RADIUS**2 * DRAUGHT


def spar(low: float, **parts: Any) -> System:
    """A cylinder of 3 m floating upright with 2 m in the water; its mass centre `low` above the keel, its origin."""
    body = {"mass": MASS, "inertia": [MASS, MASS, MASS], "centre_of_mass": [0, 0, low], "position": [0, 0, -DRAUGHT],
            "hull": {"drag": 0, "added_mass": 0, "kind": "axisymmetric", "profile": [[0, RADIUS], [3, RADIUS]]},
            "attachments": {"keel": [0, 0, 0]}}  # fmt: skip
    return System.model_validate({"environment": CALM, "bodies": {"spar": body}, **parts})


def height(low: float) -> float:
    """GM = r^2 / (4 T) + T / 2 - KG of an upright cylinder."""
    return RADIUS**2 / (4.0 * DRAUGHT) + 0.5 * DRAUGHT - low


@pytest.mark.parametrize("method", ["catenary", "fem"])
@pytest.mark.parametrize("low", [0.6, 1.3])
def test_upright_spar_is_stable_if_its_metacentre_is_above_its_mass(low, method):
    """GM to round-off; what grows of an upset one grows with sqrt(g m |GM| / I) about its mass centre."""
    model = build(spar(low))
    upright = initial_state(model)
    assert_allclose(metacentric_heights(model, upright, 0), height(low), rtol=1e-10)
    found = verdict(model, upright, np.zeros((1, 6, 6)) if method == "catenary" else None)
    assert found.stable == (height(low) > 0.0)
    assert found.neutral == 3  # surge, sway, yaw
    if height(low) < 0.0:
        assert_allclose(found.smallest, G * height(low), rtol=1e-6)  # I = m
        assert "roll of 'spar'" in found.sentence or "pitch of 'spar'" in found.sentence
    else:
        assert found.sentence == "stable equilibrium; 3 neutral modes"


@pytest.mark.parametrize("method", ["auto", "fem"])
def test_equilibrium_says_its_heights_and_its_verdict(method):
    """In the summary, beside the stiffness."""
    found = statics(spar(0.6), method)
    body = found.summary["bodies"]["spar"]
    assert_allclose(body["metacentric_heights"], height(0.6), rtol=1e-10)
    assert body["stable"]
    assert "instability" not in body


def test_tension_at_the_keel_rights_what_would_capsize():
    """A taut tether acts as ballast at the keel: the spar that leans by itself stands upright on it."""
    tether = {"tether": {"from": "a", "to": "spar.keel", "pieces": [{"section": "wire", "length": 47.2}]}}
    moored = spar(1.1, points={"a": {"position": [0, 0, -50]}}, lines=tether,
                  sections={"wire": {"drag": 0, "added_mass": 0,
                                     "diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e8}})  # fmt: skip
    lean = statics(spar(1.1)).summary["bodies"]["spar"]["attitude"]
    assert np.abs(lean[:2]).max() > 5.0  # degrees, to any side
    for method in ("auto", "fem"):
        found = statics(moored, method)
        assert found.stability.stable
        assert found.stability.neutral == 1  # yaw
        assert_allclose(found.summary["bodies"]["spar"]["attitude"], 0.0, atol=1e-6)


def test_slow_sway_is_resisted():
    """Two lines pull a body of 1e6 kg with 100 kN each over 500 m: 400 N/m across them, a period of 5 minutes.

    Its yaw, on two arms of 5 m, has 2 x 100 kN x 5 m x (1 + 5 / 500).
    """
    model = build(spar(0.6))
    model = model._replace(bodies=model.bodies._replace(mass=np.array([1e6])))
    K = np.diag([1e5, 400.0, 0.0, 0.0, 0.0, 1.01e6])[None]
    found = verdict(model, initial_state(model), K)
    assert found.neutral == 0


def test_raft_of_two_is_judged_as_one():
    """Held rigidly side by side, two spars that would capsize are stiff in pitch but roll about their common line."""
    body = spar(1.3).model_dump(by_alias=True)["bodies"]["spar"]
    pair = {name: {**body, "position": [x, 0, -DRAUGHT], "attachments": {"arm": [-x, 0, 1]}}
            for name, x in (("a", -2.0), ("b", 2.0))}  # fmt: skip
    links = {"weld": {"kind": "rigid", "between": ["a.arm", "b.arm"]}}
    model = build(System.model_validate({"environment": CALM, "bodies": pair, "links": links}))
    found = verdict(model, initial_state(model), None)
    assert_allclose(found.smallest, G * height(1.3), rtol=1e-6)  # both about the line of their mass centres: as one
    for six in found.direction.values():
        assert_allclose(six[1] / six[3], 1.3, rtol=1e-6)  # the keel swings about the mass centre: sway = low x roll
        assert abs(six[4]) < 1e-6 * abs(six[3])


def test_static_command_prints_heights_and_verdict(tmp_path, monkeypatch, capsys):
    """A table of what floats, and one sentence."""
    case = json.loads(spar(0.6).model_dump_json(by_alias=True, exclude_unset=True))
    (tmp_path / "spar.yaml").write_text(yaml.safe_dump(case))
    monkeypatch.setattr(sys, "argv", ["ropewalk", "static", str(tmp_path / "spar.yaml")])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, None)
    printed = capsys.readouterr().out
    assert "GM_T" in printed
    assert f"{height(0.6):.3f}" in printed
    assert "stable equilibrium; 3 neutral modes" in printed


def test_a_body_that_sinks_to_the_bed_is_doubted():
    """30 t that displace 29 t: on its side on the bed at 30 m, the hull of 3 m diameter is 27 m under water."""
    hull = {"kind": "axisymmetric", "profile": [[-2, 1.5], [2, 1.5]]}
    chain = {"section": "chain", "length": 70}
    system = System.model_validate({
        "environment": {"depth": 30}, "sections": {"chain": {"catalogue": "studless_chain", "diameter": 0.05}},
        "points": {"a": {"position": [60, 0, -30]}},
        "bodies": {"p": {"mass": 30000, "inertia": [1e5, 1e5, 1e5], "position": [0, 0, 0], "hull": hull,
                         "attachments": {"a": [1.5, 0, 0]}}},
        "lines": {"l": {"from": "a", "to": "p.a", "pieces": [chain]}},
    })  # fmt: skip
    rest = statics(system)
    (found,) = [doubt for doubt in rest.doubts if doubt.code == "submerged"]
    assert found.part == "p" and 26.9 < found.value < 27.1
    afloat = statics(system.replace("bodies.p.mass", 20000))
    assert "submerged" not in [doubt.code for doubt in afloat.doubts]


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_growth_rates_of_small_models_follow_froude(scale):
    """An upset spar of 3 m, and one of 3 mm and 1.6 mg: rates grow as the root of the scale."""
    case = spar(1.3).model_dump(by_alias=True, exclude_unset=True)
    body = case["bodies"]["spar"]
    body |= {"mass": MASS * scale**3, "inertia": [MASS * scale**5] * 3, "centre_of_mass": [0, 0, 1.3 * scale],
             "position": [0, 0, -DRAUGHT * scale]}  # fmt: skip
    body["hull"]["profile"] = [[0, RADIUS * scale], [3 * scale, RADIUS * scale]]
    model = build(System.model_validate(case))
    for stiffness in (np.zeros((1, 6, 6)), None):
        found = verdict(model, initial_state(model), stiffness)
        assert not found.stable
        assert_allclose(found.smallest * scale, G * height(1.3), rtol=1e-6)
