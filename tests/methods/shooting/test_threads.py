"""The same bits whatever the number of threads of the linear algebra library."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.model.model import build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System
corners = [[60, 0], [-40, 50], [-30, -60], [20, 55]]
system = System.model_validate({
    "environment": {"depth": 40, "current": {"speed": 0.4}, "seabed": {"kind": "none"}},
    "sections": {"c": {"diameter": 0.05, "mass": 9, "axial_stiffness": 1e7, "drag": {"normal": 1.2}}},
    "points": {"node": {"position": [0, 0, -10], "joint": "free", "mass": 50, "volume": 0.4}}
    | {f"a{k}": {"position": [*xy, -40]} for k, xy in enumerate(corners)},
    "lines": {f"l{k}": {"from": f"a{k}", "to": "node", "pieces": [{"section": "c", "length": 75}]} for k in range(4)},
})
model = build(system)
solver = Shooting(growth_limit=2.0)  # cut into many arcs: a system of a hundred unknowns
work = solver.start(model, initial_state(model))
report = solver.advance(model, work, 0.0)
assert report.good, report.message
print(report.figures["unknowns"], solver.read(model, work).position.tobytes().hex())
"""


def test_bits_do_not_depend_on_the_number_of_threads():
    found = []
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        found.append(run.stdout)
    assert int(found[0].split()[0]) > 30
    assert found[0] == found[1]
