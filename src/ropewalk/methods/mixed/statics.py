"""Equilibria by mixed elements: by Newton's method, and by damped motion alone; on a mesh of known error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ropewalk.assembly.mesh import elements_of
from ropewalk.assembly.mesh_error import UNJUDGED, UNKNOWN
from ropewalk.methods.claims import refuse_unclaimed
from ropewalk.methods.mixed import accuracy as meshes
from ropewalk.methods.mixed.body_start import calm_start
from ropewalk.methods.mixed.body_stiffness import all_free, full_tangent, line_stiffness
from ropewalk.methods.mixed.equilibrium import guess
from ropewalk.methods.mixed.events import copy_state
from ropewalk.methods.mixed.friction import hold
from ropewalk.methods.mixed.links import link_loads
from ropewalk.methods.mixed.nested import meshed_as, resettled, settle_nested, with_elements, with_mesh_times
from ropewalk.methods.mixed.over import OverWork, advance_over, read_over, start_over
from ropewalk.methods.mixed.payout import lengthened
from ropewalk.methods.mixed.relaxation import is_folded, push_aside, relax
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import LINE_CLAIMS, make_work, off_the_bed, rub_on_bed, still_water
from ropewalk.methods.protocol import Claim, Report
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

LOWEST = (1, 0)  # degrees of positions and tensions of the elements that all else is made for


@dataclass(frozen=True)
class MixedFemStatics:
    """Equilibrium by mixed elements.

    Lines without a given number of elements have as many as `accuracy` requires.
    """

    name: ClassVar[str] = "fem"
    claims: ClassVar[frozenset[Claim]] = LINE_CLAIMS | {Claim.STATICS, Claim.OVER}

    accuracy: float = meshes.ACCURACY  # wanted discretisation error of end tensions, relative
    order: tuple[int, int] = LOWEST  # degrees of positions and tensions on an element

    def start(self, model: Model, state: State) -> FemWork | OverWork:
        """Mesh and memory; a state with tension is taken as the guess, else catenaries are."""
        refuse_unclaimed(self, model, frozenset({Claim.STATICS}))
        if tuple(self.order) != LOWEST:
            from ropewalk.methods.mixed.high_order import refuse_high_order  # loads scipy.sparse

            refuse_high_order(model, self.order)
        if model.lines.over_index.size:
            return start_over(model)
        return self._start(model, state)

    def _start(self, model: Model, state: State) -> FemWork:
        """As `start`, of lines that end where they are held."""
        if not np.any(state.tension > 0.0):
            state = calm_start(model, state)
        model = with_elements(model, elements_of(model))
        work = make_work(model, state, 0.0)
        if not np.any(state.tension > 0.0):
            guess(model, work.mesh, work.steps)
        copy_state(work.steps.trial, work.steps.now)
        if is_folded(work):
            push_aside(work)
            copy_state(work.steps.now, work.steps.trial)
        return work

    def advance(self, model: Model, work: FemWork | OverWork, t: float) -> Report:
        """The equilibrium under the loads at time t."""
        if isinstance(work, OverWork):
            return advance_over(model, work, t, self._at_rest, self.accuracy)
        meshed = meshed_as(model, work)
        state = read_state(model, work)._replace(time=t)
        if model.lines.winches.line.size:
            fresh = make_work(meshed, state, 0.0)
            work.mesh, work.steps, work.misses, work.lies = fresh.mesh, fresh.steps, fresh.misses, fresh.lies
            guess(lengthened(meshed, t), work.mesh, work.steps)
        report = self._settle(meshed, work, state)
        report = off_the_bed(model, work, report)
        if report.good and work.mesh.element.size:
            report = replace(report, figures={**report.figures, **self._refine(model, work, t)})
        if model.links.names:
            forces = dict(zip(model.links.names, link_loads(work.steps.now.X, work.mesh)[0].tolist(), strict=True))
            report = replace(report, figures={**report.figures, "links": forces})
        work.steps.clock[0].time = t
        if tuple(self.order) != LOWEST and report.good:
            return self._raise_order(meshed_as(model, work), work, t)
        return report

    def _at_rest(self, model: Model, t: float) -> tuple[FemWork, Report]:
        """The equilibrium on the mesh of the model, which is not refined."""
        work = self._start(model, initial_state(model))
        report = self._settle(model, work, read_state(model, work)._replace(time=t))
        report = off_the_bed(model, work, report)
        work.steps.clock[0].time = t
        return work, report

    def _raise_order(self, model: Model, work: FemWork, t: float) -> Report:
        """The equilibrium by elements of higher order, from that of the lowest."""
        from ropewalk.methods.mixed.high_order import HighOrder  # as above

        found = HighOrder(model, read_state(model, work), (int(self.order[0]), int(self.order[1])))
        report = found.solve(t)
        work.high = found if report.good else None
        return report

    def _settle(self, model: Model, work: FemWork, state: State) -> Report:
        return settle_nested(model, work, state)

    def _refine(self, model: Model, work: FemWork, t: float) -> dict[str, float]:
        """Refine the mesh to the required error, where the case does not give the number of elements; the error.

        If it never is, the mesh with the least error remains.
        """
        best, least = work, UNKNOWN
        finer: FemWork | None = replace(work)
        while finer is not None:
            work.take(finer)
            meshed, finer = meshed_as(model, work), None
            found = meshes.finer(meshed, work, t)
            error = meshes.error_by_coarser(meshed, work, t) if found is None else found.error
            if error is not None and error.force <= least.force:
                best, least = replace(work), error
            if error is None or error.force > self.accuracy:
                finer = self._focused(model, work, t) or (
                    None if found is None else self._halved(model, work, found, t)
                )
        work.take(best)
        return {**least.figures(), "accuracy": self.accuracy} if least.force < np.inf else {UNJUDGED: 1.0}

    def _focused(self, model: Model, work: FemWork, t: float) -> FemWork | None:
        """The equilibrium on a mesh with shorter elements at single places that need them; None if there are none."""
        model = model._replace(lines=model.lines._replace(focus=work.focus))
        focus = meshes.refocused(model, self.read(model, work), self.accuracy)
        if focus is None:
            return None
        finer = with_elements(model._replace(lines=model.lines._replace(focus=focus)), work.counts)
        return resettled(finer, work, t)

    def _halved(self, model: Model, work: FemWork, found: meshes.Finer, t: float) -> FemWork | None:
        """The equilibrium on elements of half the length, where they are left to the program; None beyond the most."""
        free = meshes.chosen_here(model)
        most = meshes.MOST_ELEMENTS if self.accuracy >= meshes.ACCURACY else meshes.MOST_ASKED_FOR
        if not np.any(free) or int(np.max(found.work.counts[free])) > most:
            return None
        if np.all(free):
            return found.work
        counts = np.where(free, found.work.counts, work.counts)
        return resettled(with_elements(with_mesh_times(meshed_as(model, work), 2.0), counts), work, t)

    def read(self, model: Model, work: FemWork | OverWork) -> State:
        """The State found last."""
        if isinstance(work, OverWork):
            return read_over(model, work)
        if work.high is not None:
            state: State = work.high.state()
            return state
        return read_state(model._replace(sea=still_water(model.sea)), work)

    def stiffness(self, model: Model, work: FemWork | OverWork) -> Array:
        """(n_bodies, 6, 6) of the lines on each body, about its origin; free points follow, other bodies stay.

        Where lines lie on the bed it is the mean over several meshes, whose scatter is kept in `work.stiffness_error`.
        """
        if isinstance(work, OverWork):
            return np.zeros((0, 6, 6))  # such lines are not for systems with free bodies
        meshed, state = meshed_as(model, work), self.read(model, work)
        found = [self._stiffness(meshed, state)]
        if np.any(state.grounded > 0.0) and model.bodies.mass.size and not model.lines.winches.line.size:
            for counts in meshes.shifted_meshes(meshed):
                case = with_elements(meshed, counts)
                other = resettled(case, work, state.time)
                if other is not None:
                    found.append(self._stiffness(case, self.read(case, other)))
            work.stiffness_error = meshes.scatter(np.array(found)) if len(found) > 1 else None
        mean: Array = np.mean(found, axis=0)
        return mean

    def _stiffness(self, model: Model, state: State) -> Array:
        """As `stiffness`, on one mesh."""
        calm = all_free(model._replace(sea=still_water(model.sea)))
        free = make_work(calm, state, 0.0)
        return line_stiffness(calm, free.mesh, hold(free.mesh, calm.sea, free.steps))

    def tangent(self, model: Model, state: State) -> tuple[Array, Array]:
        """Tangent at the equilibrium `state` by all degrees of freedom, and what links hold; see `full_tangent`."""
        calm = model._replace(sea=still_water(model.sea))
        laid = make_work(calm, state, 0.0)
        return full_tangent(calm, laid.mesh, hold(laid.mesh, calm.sea, laid.steps))


@dataclass(frozen=True)
class Relaxation(MixedFemStatics):
    """Equilibrium by damped motion of mixed elements: slower than `fem`, and not caught in unstable equilibria."""

    name: ClassVar[str] = "relax"
    claims: ClassVar[frozenset[Claim]] = LINE_CLAIMS | {Claim.STATICS}

    def _settle(self, model: Model, work: FemWork, state: State) -> Report:
        return rub_on_bed(model, work, state.time, relax(model, work, state))
