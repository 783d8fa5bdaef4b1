"""The closed forms of lines in gravity: the solver `Catenary`."""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.catenary.solver import Catenary as Catenary

__all__ = [
    "Catenary",
]

__getattr__ = face(
    __name__,
    {
        "solver": ("Catenary",),
    },
)
