"""Jobs of `ropewalk warmup`: each solver in time is reached, also one that takes no loops."""

from __future__ import annotations

import pytest

from ropewalk.analysis.warmup import jobs
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import SOLVERS, solver_class

IN_TIME = [name for name in SOLVERS if Claim.DYNAMICS in solver_class(name).claims]


@pytest.mark.parametrize("solver", IN_TIME)
def test_every_solver_in_time_has_a_job_that_it_takes(solver):
    job = dict(jobs())[f"time domain by {solver}"]
    job()  # raises where the solver refuses its case
