"""What the solvers of bars in time have in common: how they begin, how long their steps are, what is read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from ropewalk.assembly.link_start import close_links, refuse_open_links
from ropewalk.errors import InputError
from ropewalk.methods.bars.begin import begin
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import open_book
from ropewalk.methods.bars.work import BarsWork, Yielding, read_bars, stable_step, start_bars
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.protocol import Claim
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

SAFETY = 0.35  # of the bound on stable steps: tensions grow during a run
LARGEST_STEP = 0.05  # s, where nothing bounds it
WHOLE = 1e-9  # of a step: times that are a whole number of steps apart are so with round-off


class BarsInTime(ABC):
    """Base of the solvers of bars in time, which are frozen dataclasses with these settings."""

    step: float | None  # s
    damping: float  # 1/s, mass-proportional
    lumping: Lumping

    name: ClassVar[str]
    claims: ClassVar[frozenset[Claim]]

    @abstractmethod
    def start(self, model: Model, state: State) -> BarsWork:
        """Memory of a run from a state."""

    def read(self, model: Model, work: BarsWork) -> State:
        """The state at the time reached."""
        return read_bars(model, work)

    def at_rest(self) -> Any:
        """The static solver on the same bars: what is at rest for other methods swings on these."""
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

    def _anew(self, model: Model) -> BarsWork:
        """Memory that a snapshot is put into."""
        return self.start(model, close_links(model, initial_state(model)))

    def _steps_to(self, work: BarsWork, t: float) -> int:
        """Equal steps from here to t, none longer than that given or chosen."""
        if t < work.time:
            raise InputError(f"{self.name} cannot go back from {work.time} s to {t} s")
        if t == work.time:
            return 0
        return max(1, math.ceil((t - work.time) / self._step(work) - WHOLE))

    def _step(self, work: BarsWork) -> float:
        return self.step or min(SAFETY * stable_step(work), LARGEST_STEP)
