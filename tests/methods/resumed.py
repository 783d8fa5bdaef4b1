"""What every solver that can be stopped must do, shared by the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.model.model import Model
from ropewalk.model.state import State


def assert_goes_on_to_the_same_bits(solver: Any, model: Model, state: State, stop: float, end: float) -> Any:
    """A run to `end` (s), and one that was stopped at `stop` and restored, read the same State; gives both memories."""
    work = solver.start(model, state)
    assert solver.advance(model, work, stop).good
    saved = {name: np.array(value, copy=True) for name, value in solver.snapshot(work).items()}
    assert solver.advance(model, work, end).good
    again = solver.restore(model, saved)
    assert solver.advance(model, again, end).good
    whole, resumed = solver.read(model, work), solver.read(model, again)
    for name, value in whole._asdict().items():
        np.testing.assert_array_equal(getattr(resumed, name), value, err_msg=name)
    return work, again
