"""Bodies with foils: equilibrium in a current by closed forms, its stability, and energy of a run in waves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk import simulate, statics
from ropewalk.analysis.audit import audit
from ropewalk.errors import InputError
from ropewalk.io.native import read_case
from ropewalk.spec.system import System

RHO, G, U, AREA, MASS = 1025.0, 9.81, 2.0, 1.5, 120.0
ALPHA = np.radians(12.0)
TABLE = {"angle": [-10, 0, 5, 12, 16, 20, 30], "lift": [-0.6, 0.1, 0.5, 0.9, 1.05, 1.0, 0.95],
         "drag": [0.06, 0.04, 0.05, 0.09, 0.14, 0.2, 0.3]}  # fmt: skip
# at 12 deg, level: lift down, drag along the current, weight; the eye lies on the line of their sum
LOAD = 0.5 * RHO * U**2 * AREA * np.array([0.09, 0.0, -0.9]) - np.array([0.0, 0.0, MASS * G])
ARM = -0.8 * LOAD / np.linalg.norm(LOAD)
THIN = 0.01  # m, of a cable as heavy as water and without drag, so straight


def case(position: Any = (10.0, 0.0, -29.0), length: float = 30.0, **more: Any) -> dict[str, Any]:
    """A depressor that its foil, nose down by 12 deg, holds down in a current along x."""
    foil = {"area": AREA, "chord": [-np.cos(ALPHA), 0, -np.sin(ALPHA)], "normal": [np.sin(ALPHA), 0, -np.cos(ALPHA)],
            "coefficients": TABLE}  # fmt: skip
    cable = {"diameter": THIN, "mass": RHO * 0.25 * np.pi * THIN**2, "axial_stiffness": 1e7, "drag": 0, "added_mass": 0}
    return {
        "environment": {"gravity": G, "water_density": RHO, "current": {"speed": U, "heading": 0},
                        "seabed": {"kind": "none"}, **more},
        "sections": {"cable": cable},
        "points": {"ship": {"position": [0, 0, 0]}},
        "bodies": {"fin": {"mass": MASS, "inertia": [10, 20, 10], "position": list(position),
                           "attachments": {"eye": ARM.tolist()}, "foils": [foil]}},
        "lines": {"tow": {"from": "ship", "to": "fin.eye", "elements": 6,
                          "pieces": [{"section": "cable", "length": length}]}},
        "statics": {"method": "fem"},
    }  # fmt: skip


@pytest.fixture(scope="module")
def rest() -> Any:
    """The equilibrium."""
    return statics(System.model_validate(case()))


def test_towed_depressor_hangs_on_the_sum_of_lift_drag_and_weight(rest):
    """Level, with the cable along and as tight as the sum of its loads."""
    assert_allclose(rest.state.end_force[0, 1], -LOAD, rtol=1e-9)  # Newton stops at 1e-9 of the loads
    assert_allclose(rest.state.body_quaternion[0], [1.0, 0.0, 0.0, 0.0], atol=1e-9)
    way = rest.state.body_position[0] + ARM
    stretched = 30.0 * (1.0 + np.linalg.norm(LOAD) / 1e7)
    assert_allclose(way, stretched * LOAD / np.linalg.norm(LOAD), atol=1e-7)
    assert rest.summary["doubts"] == [] or {one["code"] for one in rest.summary["doubts"]} == {"neutral"}


def test_audit_sums_the_foil_again(rest):
    """A state turned by 0.1 deg, with everything else as it was, is out of balance."""
    half = 0.5 * np.radians(0.1)
    turned = rest.state._replace(body_quaternion=np.array([[np.cos(half), 0.0, np.sin(half), 0.0]]))
    good, bad = (audit(rest.model, state, 0.0) for state in (rest.state, turned))
    assert good.passed
    assert not bad.passed
    assert any("fin" in one.part and one.value > one.limit for one in bad.findings)


def test_depressor_pushed_out_of_trim_comes_back(rest):
    """The verdict, and a run that begins with a push along the current; aside nothing damps it."""
    assert rest.stability.stable
    push = {"velocity": [0.5, 0.0, 0.0]}
    data = case() | {"run": {"duration": 20, "start": {"bodies": {"fin": push}}}}
    run = simulate(System.model_validate(data))
    assert_allclose(
        run.body_position.values[-1, 0], rest.state.body_position[0], atol=0.01
    )  # 0.5 m/s is 0.6 m of swing, which decays at 0.6 1/s


def test_ledger_of_a_depressor_in_waves_closes(rest):
    """Lift does no work on the relative flow; drag and waves do."""
    data = case((2.0, 0.0, -8.0), 8.0, waves={"kind": "regular", "height": 1.0, "period": 6.0, "heading": 0})
    run = simulate(System.model_validate(data | {"run": {"duration": 12}}))
    last = {str(name): float(value) for name, value in zip(run.term.values, run.energy.values[-1], strict=True)}
    scale = abs(last["work_water"]) + last["loss_drag"]
    assert scale > 1000.0
    assert abs(last["closure"]) < 1e-5 * scale  # second order in the steps: 4e-7 at the default tolerance
    assert abs(last["loss_numerics"]) < 1e-3 * scale  # the time stepping, at its tolerance


def test_angles_beyond_the_table_are_doubted():
    data = case()
    data["bodies"]["fin"]["foils"][0]["coefficients"] = {name: values[:3] for name, values in TABLE.items()}
    doubts = statics(System.model_validate(data)).doubts
    assert "foil-angle" in {doubt.code for doubt in doubts}
    assert any("beyond its table from -10 to 5 deg" in doubt.sentence for doubt in doubts)


@pytest.mark.parametrize("method", ["catenary", "shooting"])
def test_methods_without_flow_on_bodies_refuse_foils(method):
    with pytest.raises(InputError, match="'fem'"):
        statics(System.model_validate(case()), method)


def test_coefficients_are_read_from_files(tmp_path: Path):
    """Angles in radians become degrees; the columns may be called alpha, cl, cd and cm."""
    rows = "\n".join(
        f"{float(np.radians(a))!r}, {cl}, {cd}, {0.1 * cl}" for a, cl, cd in zip(*TABLE.values(), strict=True)
    )
    (tmp_path / "fin.csv").write_text(f"alpha (rad), cl (-), cd (-), cm (-)\n{rows}\n")
    (tmp_path / "case.yaml").write_text(
        "ropewalk: 1\nbodies:\n  fin: {mass: 10, position: [0, 0, -5], volume: 0.02,\n"
        "        foils: [{area: 1.5, coefficients: {kind: file, file: fin.csv}}]}\n"
    )
    table = read_case(tmp_path / "case.yaml").bodies["fin"].foils[0].table
    assert_allclose(table.angle, TABLE["angle"], atol=1e-12)
    assert table.lift == tuple(TABLE["lift"])
    assert table.source == "fin.csv"


def test_ledger_of_several_hulls_and_directed_windage_in_waves_closes():
    """What waves, current and wind do on two floats and a sail is what the body gains and its drag loses."""
    float_ = {"kind": "axisymmetric", "profile": [[-1, 0.5], [1, 0.5]]}
    hulls = [float_ | {"position": [0, y, 0]} for y in (-1.5, 1.5)]
    body = {"mass": 1500.0, "inertia": [3000, 1500, 3500], "centre_of_mass": [0, 0, -0.3], "position": [10, 0, -0.1],
            "hulls": hulls, "attachments": {"eye": [0, 0, -1]},
            "windage": [{"area": [1.0, 4.0, 0.5], "position": [0.2, 0, 2.0]}]}  # fmt: skip
    data = case(
        waves={"kind": "regular", "height": 0.8, "period": 5.0, "heading": 30}, wind={"speed": 9, "heading": 70}
    )
    data |= {"bodies": {"fin": body}, "run": {"duration": 10}}
    data["sections"]["cable"] |= {"axial_stiffness": 1e5, "damping": 0.01}
    data["lines"]["tow"] = {
        "from": "ship",
        "to": "fin.eye",
        "elements": 6,
        "pieces": [{"section": "cable", "length": 9.5}],
    }
    run = simulate(System.model_validate(data))
    last = {str(name): float(value) for name, value in zip(run.term.values, run.energy.values[-1], strict=True)}
    scale = abs(last["work_water"]) + last["loss_drag"]
    assert scale > 100.0
    assert abs(last["closure"]) < 1e-4 * scale  # the limit of the doubt energy-closure
