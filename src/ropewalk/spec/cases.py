"""What to compute and what to keep."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive
from ropewalk.spec.options import RUN_OPTIONS, STATIC_OPTIONS, check_options
from ropewalk.spec.start import Start


class Record(Part):
    """What is recorded of a run."""

    every: Positive = 0.1
    """s of simulated time between records"""
    start: NotNegative = 0.0
    """Time of the first record, s."""


class Run(Part):
    """A time-domain run."""

    duration: Positive
    """s"""
    solver: str = "auto"
    tolerance: Annotated[float, Field(gt=0.0, le=0.1)] | None = None
    """Relative error per step, for automatic steps."""
    step: Positive | None = None
    """Fixed step, s, in place of a tolerance."""
    integrator: Literal["generalised_alpha", "backward_euler", "leapfrog"] | None = None
    """Time integration of the mixed elements: generalised_alpha unless given; leapfrog for snap loads."""
    start: Literal["equilibrium", "as_given"] | Start = "equilibrium"
    """The equilibrium, the positions of the file with straight lines, or a state given by shapes and velocities."""
    damping: NotNegative = 0.0
    """Mass-proportional damping, 1/s."""
    options: dict[str, Any] = {}
    """Settings of the solver named above; see the options of each solver."""

    @model_validator(mode="after")
    def _one_of(self) -> Run:
        if self.tolerance is not None and self.step is not None:
            raise ValueError("give tolerance or step, not both")
        check_options("solver", self.solver, self.options, RUN_OPTIONS)
        return self


class Statics(Part):
    """How the equilibrium is found."""

    method: str = "auto"
    """A static method, or a bar solver, which then integrates in time until at rest."""
    ramp: NotNegative | None = None
    """Time over which the loads are ramped up if the equilibrium is found by time integration, s; 0 for no ramp."""
    damping: Positive | None = None
    """Mass-proportional damping of that time integration, 1/s."""
    duration: Positive | None = None
    """Simulated time within which it must come to rest, s."""
    accuracy: Positive | None = None
    """Required relative discretisation error of end tensions; 0.01 unless given. For lines without `elements`, the
    number of elements is chosen to meet it (methods with elements)."""
    options: dict[str, Any] = {}
    """Settings of the method named above; see the options of each method."""

    @model_validator(mode="after")
    def _known_options(self) -> Statics:
        check_options("method", self.method, self.options, STATIC_OPTIONS)
        order = self.options.get("order") if self.method == "fem" else None
        if order is not None and order[1] >= order[0]:
            raise ValueError(f"order [{order[0]}, {order[1]}]: the tension must have a lower degree than the positions")
        return self
