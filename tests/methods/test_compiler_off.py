"""Kernels are plain Python under NUMBA_DISABLE_JIT=1: every solver must run so, for debuggers and coverage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest

from ropewalk.methods.registry import IN_TIME, SOLVERS

SCRIPT = """
    import json
    import ropewalk as rw
    from ropewalk.methods.registry import IN_TIME, SOLVERS

    def case(stiffness="inextensible", **run):
        return {
            "environment": {"depth": 20.0, "current": {"speed": 0.4}},
            "sections": {"rope": {"diameter": 0.05, "mass": 4.0, "axial_stiffness": stiffness}},
            "points": {"a": {"position": [0, 0, -15.0]}, "b": {"position": [10, 0, -5.0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 15.0, "elements": 3}]}},
            "run": {"duration": 0.02, "step": 0.01, **run},
        }

    found = {}
    for name in SOLVERS.keys() - set(IN_TIME):
        given = case()
        if name == "catenary":
            del given["environment"]["current"]
        found[name] = rw.statics(rw.System.model_validate(given), name).line("l")["max_tension"]
    for name in IN_TIME:
        given = case(solver=name)
        if name == "chain_series":
            given["environment"]["seabed"] = {"kind": "none"}
        if name == "joint_angles":
            given["points"]["b"] |= {"joint": "free", "mass": 50.0}
        found[name] = float(rw.simulate(rw.System.model_validate(given)).tension.max())
    for name in ("backward_euler", "leapfrog"):
        given = case(1e5, solver="mixed_fem", integrator=name)
        if name == "leapfrog":
            given["run"] |= {"step": 1e-3, "duration": 3e-3}
        found[name] = float(rw.simulate(rw.System.model_validate(given)).tension.max())
    buoy = {"mass": 300, "inertia": [50, 50, 30], "position": [10, 0, 0], "attachments": {"eye": [0, 0, -0.5]},
            "hull": {"kind": "axisymmetric", "profile": [[-0.5, 0.6], [0.5, 0.6]]}}
    given = case(1e5, start="as_given") | {"bodies": {"buoy": buoy}}
    given["environment"]["depth"] = 15.0  # the line lies on the bed
    given["environment"]["waves"] = {"kind": "regular", "height": 0.5, "period": 5.0}
    del given["points"]["b"]
    given["lines"]["l"] |= {"to": "buoy.eye", "pieces": [{"section": "rope", "length": 18.0, "elements": 3}]}
    found["buoy"] = float(rw.simulate(rw.System.model_validate(given)).tension.max())
    found["modes"] = float(rw.modes(rw.System.model_validate(given)).omega.max())
    print(json.dumps(found))
"""


def test_all_solvers_run_with_the_compiler_off():
    """Tensions of one line by every method, to the error of three elements; a buoy in waves, and modes, are finite."""
    script = [sys.executable, "-W", "error::RuntimeWarning", "-c", textwrap.dedent(SCRIPT)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(script, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() >= SOLVERS.keys()
    for name in SOLVERS.keys() - {"catenary", "joint_angles"} | {"backward_euler", "leapfrog"}:
        assert found[name] == pytest.approx(found["fem"], rel=0.1), name
    assert all(0.0 < found[name] < 1e5 for name in ("buoy", "modes", *IN_TIME))
