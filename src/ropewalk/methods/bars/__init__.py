"""Rigid bars between nodes, for lines and nets.

Solvers in time: `Constrained`, `Recursive`, `Projection`, `ConstrainedImplicit` and `JointAngles`; of statics:
`BarsStatics` and `Settling`, whose criterion that all nodes stay slow is `Stillness`.
"""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.bars.constrained import Constrained as Constrained
    from ropewalk.methods.bars.equilibrium import BarsStatics as BarsStatics
    from ropewalk.methods.bars.implicit import ConstrainedImplicit as ConstrainedImplicit
    from ropewalk.methods.bars.joint_angles import JointAngles as JointAngles
    from ropewalk.methods.bars.projection import Projection as Projection
    from ropewalk.methods.bars.recursive import Recursive as Recursive
    from ropewalk.methods.bars.settling import Settling as Settling
    from ropewalk.methods.bars.settling import Stillness as Stillness

__all__ = [
    "BarsStatics",
    "Constrained",
    "ConstrainedImplicit",
    "JointAngles",
    "Projection",
    "Recursive",
    "Settling",
    "Stillness",
]

__getattr__ = face(
    __name__,
    {
        "constrained": ("Constrained",),
        "equilibrium": ("BarsStatics",),
        "implicit": ("ConstrainedImplicit",),
        "joint_angles": ("JointAngles",),
        "projection": ("Projection",),
        "recursive": ("Recursive",),
        "settling": (
            "Stillness",
            "Settling",
        ),
    },
)
