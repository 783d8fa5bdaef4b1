r"""Where the thickness of a line at the water surface matters to methods that give it none: closed forms and shooting.

Their load jumps where the axis of a line passes the surface; elements let a section of thickness D pass it over a
height of D (loads/member.py). Along a line that passes right through, both have the same sum. They differ where it
ends within half its thickness of the surface, or turns back there: a line that ends at the surface at an angle
:math:`\theta` has :math:`f D / (8 \sin\theta)` less load, f per length. Such cases are left to the elements; where
these do not take the case, as with lines that run over free points, or find nothing, the answer stands with a doubt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_loads import Wetness, submerged
from ropewalk.analysis.doubts import Doubt, percent
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.pegs import all_stay
from ropewalk.model.state import State

THIN = ("catenary", "shooting")  # methods that give lines no thickness at the surface
FELT = 5e-4  # of the largest end force: half of what methods may differ by


CODE = "surface-thickness"


class Cut(NamedTuple):
    """A line whose load depends on its thickness at the surface."""

    line: str
    share: float  # of the largest end force by which the load changes
    sentence: str


def cut_by_surface(model: Model, state: State, method: str) -> str:
    """A sentence if thickness at the surface changes the load by more than FELT and elements can take the case."""
    found = _cut(model, state, method)
    return f"{found.sentence}; use method 'fem'" if found is not None and not _alone(model) else ""


def thin_at_surface(model: Model, state: State, method: str) -> Iterator[Doubt]:
    """The doubt about an answer that stands because no method of elements takes the case, or has one."""
    found = _cut(model, state, method)
    if found is not None:
        yield Doubt(CODE, found.line, found.share, FELT, f"{found.sentence} (limit {percent(FELT)})")


def _alone(model: Model) -> bool:
    """Whether only methods without thickness take the case."""
    return not all_stay(model)


def _cut(model: Model, state: State, method: str) -> Cut | None:
    """The first line whose thickness at the surface would change its load by more than FELT; None if there is none."""
    sea, sections = model.sea, model.sections
    z = state.position[:, 2]
    if method not in THIN or sea.water_density == 0.0 or not z.size:
        return None
    width = np.maximum(np.sqrt(4.0 * sections.area / np.pi), 2.0 * sections.contact_radius)
    if float(z.max()) < -0.5 * float(width.max(initial=0.0)):
        return None
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
            text = (
                f"line '{name}' ends or turns at the water surface, within its thickness of {width[k].max():.3g} m, "
                f"which changes its load by {change:.2g} N ({percent(change / most)} of the largest end force); "
                f"method '{method}' neglects the thickness of lines there"
            )
            return Cut(name, change / most, text)
    return None


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
