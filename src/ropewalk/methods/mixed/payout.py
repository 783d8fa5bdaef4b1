r"""Winches: the element at the end of a line changes its unstretched length in time.

Nodes are pieces of line, so they know nothing of the winch; only the element between the last of them and the
winch, of length :math:`\ell(t)`, does. Its length equation has :math:`\ell(t)` in place of L, its inner node the mass
of half of it. What enters has the velocity of the line at the winch, so the inner node's equation is m a = F, not
:math:`\dot{(m v)} = F`. At the winch the line moves past the node; the piece of line that is there has the acceleration

.. math:: a = \ddot r_B + \left(\frac{2 \dot\ell^2}{\ell^2} - \frac{\ddot\ell}{\ell}\right) d
          - \frac{2 \dot\ell}{\ell} \dot d, \qquad d = r_B - r_k,

and what comes to rest in the winch, or leaves it, pushes it with :math:`m \dot\ell^2 r'`.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.mesh import FLIPPED, Mesh, contact_width
from ropewalk.assembly.winches import (
    ADDED_NORMAL,
    ADDED_TANGENTIAL,
    AREA,
    BASE,
    DATA_COLUMNS,
    ELEMENT,
    END,
    END_BED,
    END_FORCE,
    END_MASS,
    END_WIDTH,
    FLUX,
    FUNCTION,
    INNER,
    INNER_BED,
    INNER_MASS,
    INNER_WIDTH,
    LINE,
    LINE_MASS,
    RATE,
    SHIFT,
    SHIFT_RATE,
    SHIFT_SPAN,
    SHIFT_TIME,
    TABLE_COLUMNS,
    USUAL,
    WinchMesh,
)
from ropewalk.methods.mixed.ledger_forces import WOUND, WOUND_MASS, book_along, elastic_energy
from ropewalk.model.arrays import floats
from ropewalk.model.model import Model
from ropewalk.model.payout import lengths_at
from ropewalk.numerics.blockelimination import COUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.in_time import value_at


@kernel
def _shift(t, row):
    """What a joined element is longer than it should be (m), and its rate (m/s): a cubic that ends in rest.

    row : of the winch's data
    """
    span = row[SHIFT_SPAN]
    if span <= 0.0 or t >= row[SHIFT_TIME] + span:
        return 0.0, 0.0
    x = max(0.0, (t - row[SHIFT_TIME]) / span)
    a, b = row[SHIFT], row[SHIFT_RATE] * span
    value = a * (1.0 + x * x * (2.0 * x - 3.0)) + b * x * (1.0 + x * (x - 2.0))
    return value, (a * 6.0 * x * (x - 1.0) + b * (1.0 + x * (3.0 * x - 4.0))) / span


@kernel(**COUNTED)
def pay_out(t, mesh, X):
    """Give the elements at winches their length at time t, their nodes the mass, and the winch what it feels.

    X : (4, n, 3) predicted positions, velocities and accelerations
    """
    winches = mesh.winches
    for i in range(winches.table.shape[0]):
        row, entry = winches.data[i], winches.table[i]
        e, k, end = entry[ELEMENT], entry[INNER], entry[END]
        paid, rate, second = value_at(t, entry[FUNCTION], winches.functions)
        shift, shift_rate = _shift(t, row)
        length = row[BASE] + paid
        element, node = mesh.element[e], mesh.node
        element.length = length + shift
        element.length_rate = rate + shift_rate
        element.half_volume = 0.5 * row[AREA] * length
        element.half_added_normal = 0.5 * row[ADDED_NORMAL] * length
        element.half_added_tangential = 0.5 * row[ADDED_TANGENTIAL] * length
        half = 0.5 * row[LINE_MASS] * length
        node[k].mass = row[INNER_MASS] + half
        node[end].mass = row[END_MASS] + half
        node[k].bed_area = row[INNER_BED] + 0.5 * row[INNER_WIDTH] * length
        node[end].bed_area = row[END_BED] + 0.5 * row[END_WIDTH] * length
        row[RATE] = rate
        along, across = (2.0 * rate * rate / length - second) / length, 2.0 * rate / length
        push = row[LINE_MASS] * rate * rate / length
        flux = 0.0
        for p in range(3):
            d = X[0, end, p] - X[0, k, p]
            passing = along * d - across * (X[1, end, p] - X[1, k, p])
            node[end].force[p] = row[END_FORCE + p] + push * d - half * passing
            flux += (push * d) ** 2
        row[FLUX] = np.sqrt(flux)


@kernel
def stand_still(mesh):
    """Take the motion of the winches away: statics know the length of a line, not its rate."""
    winches = mesh.winches
    for i in range(winches.table.shape[0]):
        row = winches.data[i]
        mesh.element[winches.table[i, ELEMENT]].length_rate = 0.0
        row[RATE] = 0.0
        row[FLUX] = 0.0
        for p in range(3):
            mesh.node[winches.table[i, END]].force[p] = row[END_FORCE + p]


@kernel(**COUNTED)
def book_winches(X, T, mesh, g, F):
    r"""Work done at the winches since it was booked last (J): on the line, and what the line brings with it.

    .. math:: dW = \left(u - T |r'|\right) d\ell
              + \left(\tfrac14 (v_k^2 + v_B^2) + \tfrac12 g (z_k + z_B)\right) m\, d\ell

    with u the elastic energy per length: the balance of the elements as they are, mass lumped at the nodes. Also
    returns the first term by itself, of elements with damping and of those without: what these take of the work of
    their tension and do not store is more by that.

    F : (n_rows, FORCE_COLUMNS) of mixed_ledger_forces.py
    """
    total, damped, bare = 0.0, 0.0, 0.0
    winches = mesh.winches
    for i in range(winches.table.shape[0]):
        row, entry = winches.data[i], winches.table[i]
        e, k, end = entry[ELEMENT], entry[INNER], entry[END]
        square = 0.0
        squares = 0.0
        for p in range(3):
            square += (X[0, end, p] - X[0, k, p]) ** 2
            squares += X[1, k, p] ** 2 + X[1, end, p] ** 2
        span, length = np.sqrt(square), mesh.element[e].length
        stored = elastic_energy(e, span, mesh.element, mesh.law_data)
        entering = book_along(F, k, WOUND, (stored - T[e] * span) / length, length)
        brought = 0.25 * squares + 0.5 * g * (X[0, k, 2] + X[0, end, 2])
        total += entering + book_along(F, k, WOUND_MASS, brought, 2.0 * (mesh.node[k].mass - row[INNER_MASS]))
        if mesh.element[e].damping > 0.0:
            damped += entering
        else:
            bare += entering
    return total, damped, bare


def lengthened(model: Model, t: float) -> Model:
    """The model with its lines as long as they are at time t (s)."""
    lines = model.lines
    if lines.winches.line.size == 0:
        return model
    length = lengths_at(lines.winches, model.functions, lines.length, t)
    paid = length - lines.length
    piece, place = np.array(lines.piece_length), np.array(lines.attachment_s)
    for line, end in zip(lines.winches.line, lines.winches.end, strict=True):
        piece[lines.piece_start[line] if end == 0 else lines.piece_start[line + 1] - 1] += paid[line]
        if end == 0:
            place[lines.attachment_start[line] : lines.attachment_start[line + 1]] += paid[line]
    changed = lines._replace(length=floats(length), piece_length=floats(piece), attachment_s=floats(place))
    return model._replace(lines=changed)


def with_winches(model: Model, mesh: Mesh, t: float) -> Mesh:
    """The mesh with its winches; model and mesh have the lines at time t (s)."""
    given = model.lines.winches
    n = given.line.size
    if n == 0:
        return mesh
    table, data = np.zeros((n, TABLE_COLUMNS), dtype=np.int64), np.zeros((n, DATA_COLUMNS))
    for i, line in enumerate(given.line):
        at_last = (given.end[i] == 1) != bool(mesh.line[line, FLIPPED])
        table[i] = _entry(model, mesh, i, at_last)
        data[i] = _row(model, mesh, i, t, table[i])
    return mesh._replace(winches=WinchMesh(table, data, model.functions))


def _entry(model: Model, mesh: Mesh, i: int, at_last: bool) -> list[int]:
    """Row of `table` of winch i at the first or the last element of the walk."""
    given = model.lines.winches
    line = int(given.line[i])
    first, last = int(mesh.element_start[line]), int(mesh.element_start[line + 1]) - 1
    a, b = int(mesh.node_start[line]), int(mesh.node_start[line + 1]) - 1
    e, inner, end = (last, b - 1, b) if at_last else (first, a + 1, a)
    lengths = mesh.element[first : last + 1].length[:: -1 if at_last else 1]
    places = model.lines.attachment_s[model.lines.attachment_start[line] : model.lines.attachment_start[line + 1]]
    piece = model.lines.piece_start[line] if given.end[i] == 0 else model.lines.piece_start[line + 1] - 1
    free = min([model.lines.piece_length[piece],
                *(s if given.end[i] == 0 else model.lines.length[line] - s for s in places)])  # fmt: skip
    stretch = int(np.searchsorted(np.cumsum(lengths), free * (1.0 - 1e-9))) + 1
    return [line, e, inner, end, stretch, int(given.function[i])]


def _row(model: Model, mesh: Mesh, i: int, t: float, entry: list[int]) -> list[float]:
    """Row of `data` of winch i at time t."""
    given, lines, sections = model.lines.winches, model.lines, model.sections
    line, e, inner, end = entry[LINE], entry[ELEMENT], entry[INNER], entry[END]
    piece = lines.piece_start[line] if given.end[i] == 0 else lines.piece_start[line + 1] - 1
    k = lines.piece_section[piece]
    element, node = mesh.element[e], mesh.node
    length = element.length
    row = np.zeros(DATA_COLUMNS)
    row[BASE] = length - value_at(t, entry[FUNCTION], model.functions)[0]
    row[USUAL] = length
    row[LINE_MASS] = sections.mass[k]
    row[AREA] = 2.0 * element.half_volume / length
    row[ADDED_NORMAL] = 2.0 * element.half_added_normal / length
    row[ADDED_TANGENTIAL] = 2.0 * element.half_added_tangential / length
    half = 0.5 * row[LINE_MASS] * length
    row[INNER_MASS], row[END_MASS] = node[inner].mass - half, node[end].mass - half
    width = float(contact_width(model, k))
    row[INNER_WIDTH], row[END_WIDTH] = width, width if node[end].bed_area > 0.0 else 0.0
    row[INNER_BED] = node[inner].bed_area - 0.5 * width * length
    row[END_BED] = node[end].bed_area - 0.5 * row[END_WIDTH] * length
    row[END_FORCE : END_FORCE + 3] = node[end].force
    return list(row)
