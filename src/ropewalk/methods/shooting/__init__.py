"""Lines as initial value problems whose far ends must meet what holds them.

The solver is `Shooting`; a `Solution` of it moves with parameters of the case. `Equations` are those of one plan over
its `Unknowns`. `shoot_line` goes along one line from an end, `shaped_state` puts lines along given places, with forces
that suit them.
"""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.shooting.equations import Equations as Equations
    from ropewalk.methods.shooting.equations import Unknowns as Unknowns
    from ropewalk.methods.shooting.given import shaped_state as shaped_state
    from ropewalk.methods.shooting.one_line import shoot_line as shoot_line
    from ropewalk.methods.shooting.solver import Shooting as Shooting
    from ropewalk.methods.shooting.tangent import Solution as Solution

__all__ = [
    "Equations",
    "Shooting",
    "Solution",
    "Unknowns",
    "shaped_state",
    "shoot_line",
]

__getattr__ = face(
    __name__,
    {
        "equations": (
            "Equations",
            "Unknowns",
        ),
        "given": ("shaped_state",),
        "one_line": ("shoot_line",),
        "solver": ("Shooting",),
        "tangent": ("Solution",),
    },
)
