"""Jobs of `ropewalk warmup`: each solver in time is reached, also one that takes no loops; tasks of the plan."""

from __future__ import annotations

import pytest

from ropewalk.analysis.warmup import in_one_piece, jobs, planned_tasks, spread, static_tasks
from ropewalk.methods.protocol import Claim
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.numerics.kernel_plan import read_plan

IN_TIME = [name for name in SOLVERS if Claim.DYNAMICS in solver_class(name).claims]


@pytest.mark.parametrize("solver", IN_TIME)
def test_every_solver_in_time_has_a_job_that_it_takes(solver):
    job = dict(jobs())[f"time domain by {solver}"]
    job()  # raises where the solver refuses its case


def test_plan_lists_every_planned_task_by_the_name_that_its_case_is_given():
    """A task under another name is compiled without the plan, on one core (``make plan`` after a new one)."""
    assert set(planned_tasks()) == set(read_plan()[1])


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("flows", [False, True])
def test_cases_by_shooting_prepare_what_they_have(several, flows):
    """Lines of several pieces and a current have kernels of their own, which a case without them need not compile."""
    system = spread() if several else in_one_piece(spread())
    system = system.replace("environment.current", {"speed": 0.5}) if flows else system
    (task,) = static_tasks(system, "shooting")
    kernels, needed = read_plan()
    names = {kernels[number].name for number in needed[task]}
    assert ("ropewalk.physics.catenary_line:solve_pieces" in names) == several
    assert ("ropewalk.audit.flow:drag_of" in names) == flows
