"""Lines in a rotating frame: of several equilibria the stable one."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from ropewalk.methods.shooting.solver import Shooting
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

G, RATE, MASS = 9.81, 20.0, 1.0


def test_turning_rope_hangs_in_one_loop():
    """3 m between points 2 m apart, about the line between them: one loop, 208 N along the axis.

    The rope is integrated here from the reported force: it must arrive, and carry what is reported at the far end.
    """
    model = build(
        System.model_validate(
            {
                "environment": {"gravity": G, "water_density": 0, "seabed": {"kind": "none"}},
                "sections": {"c": {"diameter": 0.05, "mass": MASS, "axial_stiffness": "inextensible"}},
                "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [2, 0, 0]}},
                "lines": {
                    "l": {
                        "from": "a",
                        "to": "b",
                        "pieces": [{"section": "c", "length": 3.0}],
                        "loads": [{"kind": "rotating", "axis": [1, 0, 0], "rate": RATE}],
                    }
                },
            }
        )
    )
    solver = Shooting()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert report.good, report.message
    state = solver.read(model, work)
    start, end = state.end_force[0]

    def slope(_s, y):
        n = y[3:]
        load = MASS * np.array([0.0, RATE**2 * y[1], RATE**2 * y[2] - G])
        return np.concatenate([n / np.linalg.norm(n), -load])

    there = solve_ivp(slope, (0.0, 3.0), [0, 0, 0, *start], rtol=1e-11, atol=1e-12).y[:, -1]
    # errors of the start grow by |dr/dn| n = 20 along the rope
    assert_allclose(there[:3], [2, 0, 0], atol=1e-8)
    assert_allclose(there[3:], -end, atol=1e-6)
    assert abs(start[0] - 208.0) < 0.5  # N, three digits
    assert np.all(state.position[1:-1, 2] < 0.0)  # one loop, downwards
