"""Frequency analyses: small motions about rest on the mixed elements of the time domain.

A `LinearSystem` has the matrices over its `Unknowns` and answers an `Excitation` with an `Answer`; `find_modes` gives
its `FoundModes` and `undamped_basis` the slowest ones for few states. `condensed` gives what lines put on chosen parts
(`Condensed`), `body_terms` the forces on one body at rest with their derivatives.
"""

from typing import TYPE_CHECKING

from ropewalk.methods.face import face

if TYPE_CHECKING:
    from ropewalk.methods.linear.body import body_terms as body_terms
    from ropewalk.methods.linear.condense import Condensed as Condensed
    from ropewalk.methods.linear.condense import condensed as condensed
    from ropewalk.methods.linear.direct import Answer as Answer
    from ropewalk.methods.linear.direct import Excitation as Excitation
    from ropewalk.methods.linear.modes import FoundModes as FoundModes
    from ropewalk.methods.linear.modes import find_modes as find_modes
    from ropewalk.methods.linear.modes import undamped_basis as undamped_basis
    from ropewalk.methods.linear.system import LinearSystem as LinearSystem
    from ropewalk.methods.linear.unknowns import Unknowns as Unknowns

__all__ = [
    "Answer",
    "Condensed",
    "Excitation",
    "FoundModes",
    "LinearSystem",
    "Unknowns",
    "body_terms",
    "condensed",
    "find_modes",
    "undamped_basis",
]

__getattr__ = face(
    __name__,
    {
        "body": ("body_terms",),
        "condense": ("Condensed", "condensed"),
        "direct": ("Answer", "Excitation"),
        "modes": ("FoundModes", "find_modes", "undamped_basis"),
        "system": ("LinearSystem",),
        "unknowns": ("Unknowns",),
    },
)
