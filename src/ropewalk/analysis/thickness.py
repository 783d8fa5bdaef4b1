r"""Where the thickness of a line at the water surface matters to methods that give it none: closed forms and shooting.

Their load jumps where the axis of a line passes the surface; elements let a section of thickness D pass it over a
height of D (loads/member.py). Along a line that passes right through, both have the same sum. They differ where it
ends within half its thickness of the surface, or turns back there: a line that ends at the surface at an angle
:math:`\theta` has :math:`f D / (8 \sin\theta)` less load, f per length.
"""

from __future__ import annotations

import numpy as np

from ropewalk.analysis.audit_loads import Wetness, submerged
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State

THIN = ("catenary", "shooting")  # methods that give lines no thickness at the surface
FELT = 5e-4  # of the largest end force: half of what methods may differ by


def cut_by_surface(model: Model, state: State, method: str) -> str:
    """A sentence if the thickness of a line at the surface would change its load by more than FELT; else empty."""
    sea, sections = model.sea, model.sections
    z = state.position[:, 2]
    if method not in THIN or sea.water_density == 0.0 or not z.size:
        return ""
    width = np.maximum(np.sqrt(4.0 * sections.area / np.pi), 2.0 * sections.contact_radius)
    if float(z.max()) < -0.5 * float(width.max(initial=0.0)):
        return ""
    most = max(float(np.abs(state.end_force).max(initial=0.0)), 1e-300)
    drag = 0.5 * sea.water_density * sections.drag_normal * sea.current_speed**2
    load = sea.water_density * sea.gravity * sections.area + drag
    for i, name in enumerate(model.names.lines):
        own = slice(int(state.start[i]), int(state.start[i + 1]))
        pieces = slice(int(model.lines.piece_start[i]), int(model.lines.piece_start[i + 1]))
        k = model.lines.piece_section[pieces]
        ends = np.cumsum(model.lines.piece_length[pieces])
        s = state.s[own]
        k = k[np.minimum(np.searchsorted(ends, 0.5 * (s[1:] + s[:-1])), k.size - 1)]
        change = _change(z[own], np.diff(s), width[k], load[k])
        if change > FELT * most:
            return (
                f"line '{name}' ends or turns at the water surface, within its thickness of {width[k].max():.3g} m, "
                f"which changes its load by {change:.2g} N ({100.0 * change / most:.2g} % of the largest end force); "
                f"method '{method}' neglects the thickness of lines there; use method 'fem'"
            )
    return ""


def _change(z: Array, ds: Array, width: Array, load: Array) -> float:
    """Load that the thickness of one line takes from it or adds (N): the sum over each stay near the surface, added up.

    z : (n,) heights of nodes, m    ds : (n - 1,) between them, m    width : m    load : under water, N/m
    """
    low, high = z[:-1], z[1:]
    thick = submerged(low, Wetness(low, high, width))
    thin = submerged(low, Wetness(low, high, 0.0))
    sums = np.concatenate([[0.0], np.cumsum((thick - thin) * load * ds)])
    half = 0.5 * np.concatenate([width[:1], np.maximum(width[1:], width[:-1]), width[-1:]])
    away = np.flatnonzero(np.abs(z) >= half)  # between them are the stays
    marks = np.concatenate([[0], away, [z.size - 1]])
    return float(np.abs(np.diff(sums[marks])).sum())
