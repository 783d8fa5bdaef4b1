"""Rods of given or elastic shape that float at the surface: their poses at rest, alone or held by lines.

Poses: `FloatingPose`, found by `equilibrium` (Newton with a trust region), `traced_equilibrium` (the same with its way)
and `descend` (the gradient method of the literature). Elastic rods: `bend` gives a `BentRod`, with what a `Hold` holds;
`BendingProblem` is their energy. Rods on lines: `moored_balance` of a case that `refuse_unmoorable` lets pass gives a
`MooredBalance` with a `MooredRod` each.
"""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.rods.afloat import FloatingPose as FloatingPose
    from ropewalk.methods.rods.afloat import equilibrium as equilibrium
    from ropewalk.methods.rods.afloat import traced_equilibrium as traced_equilibrium
    from ropewalk.methods.rods.descent import descend as descend
    from ropewalk.methods.rods.elastic import BendingProblem as BendingProblem
    from ropewalk.methods.rods.elastic import BentRod as BentRod
    from ropewalk.methods.rods.elastic import Hold as Hold
    from ropewalk.methods.rods.elastic import bend as bend
    from ropewalk.methods.rods.moored import MooredBalance as MooredBalance
    from ropewalk.methods.rods.moored import MooredRod as MooredRod
    from ropewalk.methods.rods.moored import moored_balance as moored_balance
    from ropewalk.methods.rods.moored import refuse_unmoorable as refuse_unmoorable

__all__ = [
    "BendingProblem",
    "BentRod",
    "FloatingPose",
    "Hold",
    "MooredBalance",
    "MooredRod",
    "bend",
    "descend",
    "equilibrium",
    "moored_balance",
    "refuse_unmoorable",
    "traced_equilibrium",
]

__getattr__ = face(
    __name__,
    {
        "afloat": ("FloatingPose", "equilibrium", "traced_equilibrium"),
        "descent": ("descend",),
        "elastic": ("BendingProblem", "BentRod", "Hold", "bend"),
        "moored": ("MooredBalance", "MooredRod", "moored_balance", "refuse_unmoorable"),
    },
)
