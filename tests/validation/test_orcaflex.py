"""Chain in 200 m, prescribed heave, computed by OrcaFlex: series in the public test data of MoorDyn."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

# kN at t = 0 .. 9 s of a period, fairlead and anchor, by amplitude in m
SERIES = {
    2.0: (
        [2270.3, 2126.5, 1933.9, 1854.7, 1832.4, 1858.4, 1993.5, 2182.1, 2275.0, 2296.6],
        [1479.0, 1442.9, 1371.3, 1337.1, 1326.5, 1323.9, 1357.4, 1419.2, 1465.4, 1477.5],
    ),
    5.0: (
        [3048.0, 2780.8, 1907.9, 1414.7, 1278.2, 1027.8, 1366.9, 2043.6, 2613.8, 2892.1],
        [1947.7, 1883.3, 1536.9, 1198.4, 1094.9, 904.7, 932.3, 1140.7, 1516.6, 1776.0],
    ),
}
# Of the range; measured 1.9 % and 3.3 to 3.4 % with the default mesh and tolerance.
FAIRLEAD, ANCHOR = 0.03, 0.06


def chain(amplitude: float) -> Model:
    """760 m of chain to an anchor 700 m off; the axis rests 0.2345 m above the bed, without friction at the start.

    The axial drag coefficient 0.64 acts on the diameter: for chain of bar diameter d OrcaFlex takes 1.15 on the
    circumference of a cylinder of d/pi [OrcaFlexChain], and 1.15 d = 0.64 x 1.8 d. (On the circumference of 1.8 d the
    fairlead's miss is 5 to 8 % of the range.)
    """
    heave = {"direction": [0, 0, 1], "amplitude": amplitude, "omega": 0.2 * np.pi, "phase": 0.5 * np.pi}
    section = {
        "diameter": 0.252, "mass": 390.0, "axial_stiffness": 1.674e9, "contact_diameter": 0.469, "damping": 0.005,
        "drag": {"normal": 1.37, "tangential": 0.64, "tangential_reference": "diameter"}, "added_mass": {"normal": 1.0},
    }  # fmt: skip
    motion = {"kind": "harmonic", "ramp": 10.0, "terms": [heave]}
    return build(
        System.model_validate(
            {
                "environment": {
                    "depth": 200,
                    "gravity": 9.81,
                    "seabed": {"stiffness": 1e5, "damping": 1e4, "friction": 0.5, "pulled": False},
                },
                "sections": {"chain": section},
                "points": {
                    "anchor": {"position": [700, 0, -200]},
                    "fairlead": {"position": [0, 0, 0], "joint": "moving", "motion": motion},
                },
                "lines": {
                    "m": {
                        "from": "anchor",
                        "to": "fairlead",
                        "pieces": [{"section": "chain", "length": 760}],
                    }
                },
            }
        )
    )


@pytest.mark.parametrize("amplitude", [2.0, 5.0])
def test_heave_series(amplitude: float) -> None:
    """Static 2065.4 / 1402.2 kN; ten values of the first period after the lead-in at both ends."""
    model = chain(amplitude)
    solver = MixedFem()
    work = solver.start(model, initial_state(model))
    rest = np.linalg.norm(solver.read(model, work).end_force[0], axis=1) / 1e3
    # exact with the raised bed: 2064.09 / 1400.90; the default mesh leaves 0.1 %
    assert_allclose(rest, [1402.2, 2065.4], rtol=2e-3)
    forces = []
    for t in range(1, 20):
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        forces.append(np.linalg.norm(solver.read(model, work).end_force[0], axis=1) / 1e3)
    anchor, fairlead = np.array(forces)[9:19].T
    for mine, theirs, share in ((fairlead, SERIES[amplitude][0], FAIRLEAD), (anchor, SERIES[amplitude][1], ANCHOR)):
        assert np.abs(mine - theirs).max() < share * np.ptp(theirs)
