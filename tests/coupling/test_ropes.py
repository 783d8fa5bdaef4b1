"""Ropes with memory in `Coupled`: saved, restored and carried over a change of the case."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
import ropewalk.moordyn as md

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


FILE = """taut rope
--- LINE TYPES ---
TypeName Diam Mass/m EA BA/-zeta EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s/-) (N-m^2) (-) (-) (-) (-)
rope 0.15 20 {law} 0 1.2 1.0 0.1 0.0
--- POINTS ---
ID Attachment X Y Z Mass Volume CdA Ca
(#) (-) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 0 0 -100 0 0 0 0
2 Coupled 60 0 -20 0 0 0 0
--- LINES ---
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(#) (name) (#) (#) (m) (-) (-)
1 rope 1 2 99.5 20 -
{start}--- OPTIONS ---
100 WtrDpth
0.0002 dtM
0 writeLog
60 TmaxIC
1e-5 threshIC
1 ICgenDynamic
--- need this line ---
"""
START = "--- SYROPE IC ---\nLine(s) Tmax0 Tmean0\n(-) (N) (N)\n1 3e5 2e5\n"


def upper_end(t: float) -> np.ndarray:
    """Where the upper end is: pulled by 1 m within 20 s, cycled by 0.3 m, let back by half a metre."""
    way = min(max((t - 10.0) / 20.0, 0.0), 1.0) - 0.5 * min(max((t - 80.0) / 20.0, 0.0), 1.0)
    share = min(max((t - 30.0) / 10.0, 0.0), 1.0) * min(max((80.0 - t) / 10.0, 0.0), 1.0)
    return np.array([60.0, 0.0, -20.0]) + (way + 0.3 * share * np.sin(0.2 * np.pi * t)) * np.array([0.6, 0.0, 0.8])


def tensions(module, path, dt: float) -> np.ndarray:
    """At the upper end, N, over 120 s."""
    system = module.Create(path)
    module.Init(system, upper_end(0.0).tolist(), [0.0] * 3)
    found = []
    for i in range(round(120.0 / dt)):
        here, there = upper_end(i * dt), upper_end((i + 1) * dt)
        force = module.Step(system, here.tolist(), ((there - here) / dt).tolist(), i * dt, dt)
        found.append(float(np.linalg.norm(force)))
    module.Close(system)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "start"),
    [("4e7|8e7 2e9|1e5", ""), ("4e7|5e7|20 2e9|1e5", ""), ("SYROPE:syrope.dat|1e8|10 8e9|1e5", START)],
)
def test_ropes_with_memory_pull_as_in_moordyn(law: str, start: str, tmp_path, monkeypatch) -> None:
    """Spring and dashpot in series, with constant and load-dependent dynamic stiffness, and Syrope."""
    moordyn = pytest.importorskip("moordyn")
    monkeypatch.chdir(tmp_path)
    rows = [f"{e:.3f} {4e7 * e + 1e9 * e * e:.1f}" for e in 1e-3 * np.arange(29)]
    # MoorDyn skips three lines of a curve, and takes an empty line for an error
    (tmp_path / "curve.dat").write_text("\n".join(["original curve", "Strain Tension", "(-) (N)", *rows]))
    (tmp_path / "syrope.dat").write_text("curve.dat OWC\nQUADRATIC WCType\n0.3 k1\n0.4 k2")
    (tmp_path / "lines.txt").write_text(FILE.format(law=law, start=start))
    wanted, found = tensions(moordyn, "lines.txt", 0.02)[4::5], tensions(md, "lines.txt", 0.1)
    # found 6e-4 to 9e-4, most of it in the first 10 s, in which MoorDyn's ropes still creep from its initial state
    assert np.linalg.norm(found - wanted) < 2e-3 * np.linalg.norm(wanted)
