"""What the solvers of bars in time have in common: how they begin, how long their steps are, what is read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

from ropewalk.assembly.link_start import close_links, refuse_open_links
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.bars.begin import begin
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import open_book
from ropewalk.methods.bars.work import BarsWork, Yielding, read_bars, stable_step, start_bars
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

SAFETY = 0.35  # of the bound on stable steps: tensions grow during a run
LARGEST_STEP = 0.05  # s, where nothing bounds it
FINER = 0.25  # of the step, of a run that is repeated
MOST_STEPS = 1e8  # from one time to the next: minutes, of a motion that overflows soon
WHOLE = 1e-9  # of a step: times that are a whole number of steps apart are so with round-off


class BarsInTime(ABC):
    """Base of the solvers of bars in time, which are frozen dataclasses with these settings."""

    step: float | None  # s
    step_share: float = 1.0  # of the step that is chosen where none is given
    damping: float  # 1/s, mass-proportional
    lumping: Lumping

    name: ClassVar[str]
    claims: ClassVar[frozenset[Claim]]

    def finer(self, repeats: int) -> tuple[Any, str, str]:
        """With shorter steps, for a run that is repeated; see analysis/repeat.py."""
        dataclass: Any = self
        share = FINER**repeats
        if self.step is not None:
            return replace(dataclass, step=self.step * share), f"run.step {self.step * share:g}", "run.step"
        how_long = f"steps of {share:g} of the chosen length" if repeats else "the steps that were chosen"
        return replace(dataclass, step_share=share), how_long, "run.options.step_share"

    @abstractmethod
    def start(self, model: Model, state: State) -> BarsWork:
        """Memory of a run from a state."""

    def read(self, model: Model, work: BarsWork) -> State:
        """The state at the time reached."""
        return read_bars(model, work)

    def at_rest(self) -> Any:
        """The static solver on the same bars, with their error: what is at rest for other methods swings on these."""
        from ropewalk.methods.bars.equilibrium import BarsStatics  # it is made of one of these solvers' parts

        return BarsStatics(lumping=self.lumping, accuracy=math.inf)

    def _yielding(self) -> Yielding:
        """Which of the bars that cannot push go slack; the others keep their length both ways."""
        return "none"

    def _begin(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars."""
        refuse_unclaimed(self, model)  # type: ignore[arg-type]
        refuse_open_links(model, state)
        work = start_bars(model, state, self.damping, self.lumping, yielding=self._yielding())
        begin(work, state, model.sea.bed_friction)
        open_book(work)
        return work

    def _anew(self, model: Model, time: float) -> BarsWork:
        """Memory that a snapshot of some time (s) is put into."""
        state = close_links(model, initial_state(model))
        try:
            return self.start(model, state)
        except InputError:  # what another program drives is where it is at that time only
            return self.start(model, state._replace(time=time))

    def _steps_to(self, work: BarsWork, t: float) -> int:
        """Equal steps from here to t, none longer than that given or chosen."""
        if t < work.time:
            raise InputError(f"{self.name} cannot go back from {work.time} s to {t} s")
        if t == work.time:
            return 0
        step = self._step(work)
        count = (t - work.time) / step if step > 0.0 else math.inf
        if not count <= MOST_STEPS and self.step is None:
            text = (
                f"the motion at t = {work.time:.6g} s needs steps of {step:.2g} s, {count:.2g} to t = {t:.6g} s "
                f"(limit {MOST_STEPS:g}); it has grown without bounds: give a smaller step from the start"
            )
            raise ConvergenceError(text, Report(Status.STEP_TOO_LONG, text))
        return max(1, math.ceil(count - WHOLE))

    def _step(self, work: BarsWork) -> float:
        return self.step or self.step_share * min(SAFETY * stable_step(work), LARGEST_STEP)
