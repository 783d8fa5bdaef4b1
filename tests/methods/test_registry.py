"""The list of solvers: what it holds of them without importing them is true."""

from __future__ import annotations

import subprocess
import sys

from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import IN_TIME, SOLVERS, solver_class


def test_solvers_that_run_in_time_are_those_that_claim_it():
    """In the order of the registry, which is the order in which `auto` takes them."""
    assert list(IN_TIME) == [name for name in SOLVERS if Claim.DYNAMICS in solver_class(name).claims]


def test_choosing_the_solver_of_a_run_imports_no_static_method():
    """Shooting alone brings a third of a second of scipy."""
    program = (
        "import sys\n"
        "import ropewalk as rw\n"
        "from ropewalk.analysis.run import solver_for\n"
        "from ropewalk.model.model import build\n"
        "system = rw.System(\n"
        "    sections={'rope': {'mass': 10.0, 'diameter': 0.05, 'axial_stiffness': 1e7}},\n"
        "    points={'a': {'position': [0, 0, -10]}, 'b': {'position': [50, 0, -10]}},\n"
        "    lines={'m': {'from': 'a', 'to': 'b', 'pieces': [{'section': 'rope', 'length': 60.0}]}},\n"
        ")\n"
        "print(solver_for(system, build(system), 'auto').name)\n"
        "print([m for m in ('ropewalk.methods.shooting', 'scipy.sparse', 'scipy.linalg') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["mixed_fem", "[]"]
