"""Chains of rigid links by power series in time: the solver `ChainSeries`."""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.chain.solver import ChainSeries as ChainSeries

__all__ = [
    "ChainSeries",
]

__getattr__ = face(
    __name__,
    {
        "solver": ("ChainSeries",),
    },
)
