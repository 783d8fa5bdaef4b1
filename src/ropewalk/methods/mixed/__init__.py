"""Mixed finite elements: positions at nodes, tensions in elements.

Solvers: `MixedFem` in time, `MixedFemStatics` and `Relaxation` of statics; cases that explicit steps and elements of
higher order cannot do are refused by `refuse_leapfrog` and `refuse_high_order`. `FemRun` pulls, cuts and changes what a
run moves while it is under way.
"""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.mixed.high_order import refuse_high_order as refuse_high_order
    from ropewalk.methods.mixed.leapfrog import refuse_leapfrog as refuse_leapfrog
    from ropewalk.methods.mixed.solver import MixedFem as MixedFem
    from ropewalk.methods.mixed.statics import MixedFemStatics as MixedFemStatics
    from ropewalk.methods.mixed.statics import Relaxation as Relaxation
    from ropewalk.methods.mixed.under_way import FemRun as FemRun

__all__ = [
    "FemRun",
    "MixedFem",
    "MixedFemStatics",
    "Relaxation",
    "refuse_high_order",
    "refuse_leapfrog",
]

__getattr__ = face(
    __name__,
    {
        "high_order": ("refuse_high_order",),
        "leapfrog": ("refuse_leapfrog",),
        "solver": ("MixedFem",),
        "statics": (
            "MixedFemStatics",
            "Relaxation",
        ),
        "under_way": ("FemRun",),
    },
)
