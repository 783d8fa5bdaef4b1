"""A system about rest: its matrices, its modes and its answers to harmonic causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_matrix

from ropewalk.methods.linear.assembly import Assembled
from ropewalk.methods.linear.equilibrium import Rest, find_rest
from ropewalk.methods.linear.links import refuse_friction
from ropewalk.methods.linear.pencil import Factor, Pencil
from ropewalk.methods.linear.unknowns import Place, Unknowns, number
from ropewalk.model.arrays import Records
from ropewalk.model.model import Model
from ropewalk.model.state import State

if TYPE_CHECKING:
    from ropewalk.methods.linear.direct import Answer, Excitation

ASYMMETRY = 1e-9  # of the largest stiffness of its two unknowns: what round-off leaves at rest is below


@dataclass(frozen=True)
class LinearSystem:
    """A model about rest: M x'' + B x' + K x = f, tensions among the unknowns.

    Rows of M, B, K of a tension are its length equation; there `f` is a length. Only the positions have mass.
    """

    model: Model
    unknowns: Unknowns
    rest: Rest

    @classmethod
    def about(
        cls,
        model: Model,
        state: State,
        mass_damping: float = 0.0,
        screens: Callable[[Unknowns], Records] | None = None,
    ) -> LinearSystem:
        """The system about the equilibrium next to `state`; ConvergenceError if there is none.

        mass_damping : 1/s    screens : of nets, by the rows of their corners among the unknowns
        """
        refuse_friction(model)
        unknowns = number(model)
        if screens is not None:
            unknowns = unknowns._replace(screen=screens(unknowns))
        return cls(model, unknowns, find_rest(model, unknowns, state, mass_damping))

    @property
    def place(self) -> Place:
        """Where everything is at rest, on the mesh."""
        return self.rest.place

    @property
    def assembled(self) -> Assembled:
        """All matrices."""
        return self.rest.assembled

    @property
    def M(self) -> csc_matrix:
        """(n, n) inertia, kg."""
        return self.assembled.M

    @property
    def B(self) -> csc_matrix:
        """(n, n) damping, N s/m: drag about the current, bed, internal and given damping."""
        return self.assembled.B

    @property
    def K(self) -> csc_matrix:
        """(n, n) stiffness, N/m, with the length equations."""
        return self.assembled.K

    @cached_property
    def is_symmetric(self) -> bool:
        """True if the forces have a potential: no current, no constant moments."""
        difference = abs(self.K - self.K.T).tocoo()
        diagonal = np.sqrt(np.maximum(np.abs(self.K).max(axis=1).toarray().ravel(), 1e-300))
        return bool(np.all(difference.data <= ASYMMETRY * diagonal[difference.row] * diagonal[difference.col]))

    @cached_property
    def pencil(self) -> Pencil:
        """K and M in coordinates of unit mass; for forces that have a potential."""
        return Pencil(self.K, self.M, self.assembled.P)

    @cached_property
    def is_damped(self) -> bool:
        """True if anything takes energy away from small motions."""
        return bool(self.B.nnz and np.max(np.abs(self.B.data)) > 0.0)

    @property
    def free_count(self) -> int:
        """Number of modes: moving unknowns with mass, less what inextensible lines take."""
        moving = int(np.count_nonzero(self.M.diagonal() > 0.0))
        rigid = int(np.count_nonzero(self.assembled.local.give == 0.0)) + self.unknowns.link.size
        return min(max(0, moving - rigid), max(0, self.K.shape[0] - 2))

    def static_factor(self) -> Factor:
        """K factorised: `solve` gives the displacements of static forces."""
        return Factor(self.K.tocsc(), self.assembled.P)

    def response(self, excitation: Excitation, *, together: bool, drag: bool = True) -> Answer:
        """See :meth:`Direct.response`."""
        from ropewalk.methods.linear.direct import Direct  # modes need none of it

        return Direct(self.model, self.unknowns, self.rest).response(excitation, together=together, drag=drag)
