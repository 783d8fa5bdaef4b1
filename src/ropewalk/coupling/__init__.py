"""ropewalk inside other programs: `Coupled`, where the caller moves some of the parts."""

from ropewalk.coupling.coupled import Coupled

__all__ = ["Coupled"]
