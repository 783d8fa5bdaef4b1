r"""What the bed's softness would change where a method takes it as rigid: closed forms and shooting do.

A line of weight w per length lies :math:`\delta = w/(k b)` below the height at which a bed of stiffness k begins to
bear on its width b. Where it lifts off, :math:`H y'' = k b\, y` holds below that height and :math:`H y'' = w` above it;
with small slopes the hanging part is that of a rigid bed at :math:`\delta/2`, halfway. So a bed moved by as much shows
the change to first order; it is moved up, for then ends and anchors stay on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ropewalk.analysis.audit_lines import contact_width
from ropewalk.analysis.audit_loads import strain_of
from ropewalk.analysis.doubts import Doubt
from ropewalk.errors import InputError
from ropewalk.methods.registry import solver_class
from ropewalk.model.arrays import Array, floats
from ropewalk.model.model import Model
from ropewalk.model.state import State, initial_state

RIGID = ("catenary", "shooting")  # methods whose bed is
SOFT = 1e-3  # of the largest end force: change that is worth a doubt
LIKELY = 0.1  # of that: what a rough estimate has to reach for the change to be computed
CODE = "soft-bed"


def soft_bed(model: Model, state: State, method: str) -> Iterator[Doubt]:
    """The doubt, if the bed is soft enough for it."""
    if method not in RIGID or not model.sea.has_seabed or not np.any(state.grounded > 0.0):
        return
    sink = sinking(model)
    lying = np.flatnonzero(state.grounded > 0.0)
    shares = [_rough_change(model, state, int(i), sink) for i in lying]
    if max(shares) < LIKELY * SOFT:
        return
    change = _change(model, state, method, sink)
    if change is None:  # pieces of one line at different heights
        change = _change(model, state, method, np.full_like(sink, max(_of_line(model, int(i), sink) for i in lying)))
    change = min(1.0, max(shares)) if change is None else change
    if change <= SOFT:
        return
    i = int(lying[int(np.argmax(shares))])
    text = (
        f"to method '{method}' the bed is rigid; as soft as it is given, line '{model.names.lines[i]}' sinks "
        f"{_of_line(model, i, sink):.2g} m into it, which changes end forces by about {100.0 * change:.2g} % of the "
        f"largest (limit {100.0 * SOFT:.2g} %); use method 'fem', or give seabed.stiffness"
    )
    yield Doubt(CODE, model.names.lines[i], change, SOFT, text)


def sinking(model: Model) -> Array:
    """(n_sections,) depth to which a line's own weight presses it into the bed, m."""
    sections, sea = model.sections, model.sea
    weight = np.maximum((sections.mass - sea.water_density * sections.area) * sea.gravity * sea.bed_normal[2], 0.0)
    found: Array = weight / (sea.bed_stiffness * contact_width(model, np.arange(weight.size)))
    return found


def _of_line(model: Model, i: int, sink: Array) -> float:
    """Largest of the sections of a line, m."""
    lines = model.lines
    return float(sink[lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]].max())


def _rough_change(model: Model, state: State, i: int, sink: Array) -> float:
    """Of the tension of a line, relative, by its stretch and sag in a row (Ernst)."""
    lines, sections, sea = model.lines, model.sections, model.sea
    own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
    k, pieces = lines.piece_section[own], lines.piece_length[own]
    tension = float(np.max(np.abs(state.tension[int(state.start[i]) : int(state.start[i + 1])]), initial=0.0))
    if tension <= 0.0:
        return 0.0
    stretch = float(np.sum(pieces * strain_of(model, k, np.full(k.size, tension))))
    weight = float(np.sum(np.abs(sections.mass[k] - sea.water_density * sections.area[k]) * pieces)) * sea.gravity
    give = stretch + weight**2 * float(np.sum(pieces)) / (12.0 * tension**2)
    return 0.5 * _of_line(model, i, sink) / max(give, 1e-300)


def _change(model: Model, state: State, method: str, sink: Array) -> float | None:
    """Of end forces, relative to the largest, when the bed is moved; None if there is no equilibrium then."""
    sections = model.sections._replace(contact_radius=floats(model.sections.contact_radius + 0.5 * sink))
    moved, solver = model._replace(sections=sections), solver_class(method)()
    try:
        work = solver.start(moved, initial_state(moved))
        if not solver.advance(moved, work, state.time).good:
            return None
        there = solver.read(moved, work)
    except (ArithmeticError, LookupError, ValueError, RuntimeError, AssertionError, InputError):
        return None
    largest = float(np.max(np.abs(state.end_force), initial=0.0))
    return float(np.max(np.abs(there.end_force - state.end_force))) / max(largest, 1e-300)
