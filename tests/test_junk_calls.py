"""Wrong calls of public functions, found by random ones: each is an InputError, in a sentence, before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from reference import between
from ropewalk.analysis.linearise import linearise
from ropewalk.errors import InputError

LINE = between(60.0, 25.0, 80.0, 1e6, 30.0)
LOG = rw.System(rods={"log": {"length": 2.0, "density": 500, "section": {"kind": "ellipse", "a": 0.1, "b": 0.2}}})
JUNK = [np.zeros(3), np.array([]), {}, object(), [1.0], 1j]
CALLS = {
    "jobs": lambda x: rw.sweep(LINE, {"environment.depth": [50.0]}, do="static", jobs=x),
    "method of statics": lambda x: rw.statics(LINE, x),
    "method of modes": lambda x: rw.modes(LINE, method=x),
    "method of response": lambda x: rw.response(LINE, [1.0], method=x),
    "method of a path": lambda x: rw.float_path(LOG, method=x),
    "end": lambda x: rw.shoot(LINE, next(iter(LINE.lines)), [0.0, 0.0, 1.0], end=x),
    "damping": lambda x: linearise(LINE, mass_damping=x),
    "functions": lambda x: rw.design.reach_trim(LOG, None, np.array([0.0, 0.0, 1.0]), 0.0, functions=x),
}


@pytest.mark.parametrize("junk", JUNK, ids=lambda x: type(x).__name__ + str(np.size(x)))
@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_junk_is_refused_in_a_sentence(call, junk):
    with pytest.raises(InputError):
        call(junk)


@pytest.mark.parametrize("jobs", [0, -1, 10**30, True, 2.5])
def test_numbers_of_workers_that_no_machine_has_are_refused(jobs):
    with pytest.raises(InputError, match="jobs"):
        rw.sweep(LINE, {"environment.depth": [50.0]}, do="static", jobs=jobs)
