r"""Winches: the element at the end of a line changes its unstretched length in time.

Nodes are material points of the line, independent of the winch; only the element between the last of them and the
winch, of length :math:`\ell(t)`, does. Its length equation has :math:`\ell(t)` in place of L, its inner node the mass
of half of it. What enters has the velocity of the line at the winch, so the inner node's equation is m a = F, not
:math:`\dot{(m v)} = F`. At the winch the line moves past the node; the piece of line that is there has the acceleration

.. math:: a = \ddot r_B + \left(\frac{2 \dot\ell^2}{\ell^2} - \frac{\ddot\ell}{\ell}\right) d
          - \frac{2 \dot\ell}{\ell} \dot d, \qquad d = r_B - r_k,

and what comes to rest in the winch, or leaves it, pushes it with :math:`m \dot\ell^2 r'`.
"""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.mesh import Mesh, contact_width
from ropewalk.assembly.winches import WINCH, WinchMesh
from ropewalk.methods.mixed.ledger_forces import book_along, elastic_energy
from ropewalk.model.arrays import Records, floats, records
from ropewalk.model.model import Model
from ropewalk.model.payout import lengths_at
from ropewalk.numerics.blockelimination import COUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.in_time import value_at
from ropewalk.physics.ropes import MEMORY


@kernel
def _shift(t, row):
    r"""What a joined element is longer than it should be (m), and its rate (m/s): a cubic that ends in rest.

    .. math:: s = a\,(1 - 3x^2 + 2x^3) + b\,(x - 2x^2 + x^3)

    Source: cubic Hermite polynomial that ends with value and slope zero; docs/theory/mixed_elements.md, Winches.

    row : of the winch's data
    """
    span = row.shift_span
    if span <= 0.0 or t >= row.shift_time + span:
        return 0.0, 0.0
    x = max(0.0, (t - row.shift_time) / span)
    a, b = row.shift, row.shift_rate * span
    value = a * (1.0 + x * x * (2.0 * x - 3.0)) + b * x * (1.0 + x * (x - 2.0))
    return value, (a * 6.0 * x * (x - 1.0) + b * (1.0 + x * (3.0 * x - 4.0))) / span


@kernel(**COUNTED)
def pay_out(t, mesh, X):
    """Give the elements at winches their length (m) at time t, their nodes the mass, and the winch the force on it.

    Source: docs/theory/mixed_elements.md, Winches: L = l(t); :func:`push_back`.

    X : (4, n, 3) predicted positions, velocities and accelerations
    """
    winches = mesh.winches
    for i in range(winches.winch.shape[0]):
        row = winches.winch[i]
        e, k, end = row.element, row.inner, row.end
        paid, rate, second = value_at(t, row.function, winches.functions)
        shift, shift_rate = _shift(t, row)
        length = row.unpaid + paid
        element, node = mesh.element[e], mesh.node
        element.length = length + shift
        element.length_rate = rate + shift_rate
        element.half_volume = 0.5 * row.area * length
        element.half_added_normal = 0.5 * row.added_normal * length
        element.half_added_tangential = 0.5 * row.added_tangential * length
        half = 0.5 * row.line_mass * length
        node[k].mass = row.inner_mass + half
        node[end].mass = row.end_mass + half
        node[k].bed_area = row.inner_bed + 0.5 * row.inner_width * length
        node[end].bed_area = row.end_bed + 0.5 * row.end_width * length
        row.length, row.rate, row.second = length, rate, second
    push_back(mesh, X)


@kernel(**COUNTED)
def push_back(mesh, X):
    r"""Put the force (N) of the passing line on the winches, in the state X.

    .. math:: F = \tfrac12 m \ddot\ell\, d + m \dot\ell\, \dot d

    Source: docs/theory/mixed_elements.md, Winches: :math:`m \dot\ell^2 r'` less half the element's mass times what the
    line there is accelerated more than the winch.

    On a winch that is free to move the velocities are those of the step, not predicted: the force falls behind them
    else, and drives a light winch that swings.
    """
    winches, node = mesh.winches, mesh.node
    for i in range(winches.winch.shape[0]):
        row = winches.winch[i]
        k, end, square = row.inner, row.end, 0.0
        for p in range(3):
            d = X[0, end, p] - X[0, k, p]
            passing = 0.5 * row.second * d + row.rate * (X[1, end, p] - X[1, k, p])
            node[end].force[p] = row.end_force[p] + row.line_mass * passing
            square += d * d
        row.flux = row.line_mass * row.rate * row.rate / row.length * np.sqrt(square)


@kernel
def stand_still(mesh):
    """Set the speeds of the winches to 0: statics use the length of a line, not its rate. Bookkeeping."""
    winches = mesh.winches
    for i in range(winches.winch.shape[0]):
        row = winches.winch[i]
        mesh.element[winches.winch[i].element].length_rate = 0.0
        row.rate = 0.0
        row.flux = 0.0
        for p in range(3):
            mesh.node[winches.winch[i].end].force[p] = row.end_force[p]


@kernel(**COUNTED)
def book_winches(X, T, mesh, g, F):
    r"""Work done at the winches since it was booked last (J): on the line, and what the line brings with it.

    Source: docs/theory/mixed_elements.md, Winches and Energy.

    .. math:: dW = \left(u - T |r'|\right) d\ell
              + \left(\tfrac14 (v_k^2 + v_B^2) + \tfrac12 g (z_k + z_B)\right) m\, d\ell

    with u the elastic energy per length: the balance of the elements as they are, mass lumped at the nodes. Also
    returns the first term by itself, of elements with damping and of those without: what these take of the work of
    their tension and do not store is more by that.

    F : (n_rows,) of FORCES of ledger_forces.py
    """
    total, damped, bare = 0.0, 0.0, 0.0
    winches = mesh.winches
    for i in range(winches.winch.shape[0]):
        row = winches.winch[i]
        e, k, end = row.element, row.inner, row.end
        square = 0.0
        squares = 0.0
        for p in range(3):
            square += (X[0, end, p] - X[0, k, p]) ** 2
            squares += X[1, k, p] ** 2 + X[1, end, p] ** 2
        span, length = np.sqrt(square), mesh.element[e].length
        stored = elastic_energy(e, span, mesh.element, mesh.law_data, mesh.rope)
        entering = book_along(F[k].wound, (stored - T[e] * span) / length, length)
        brought = 0.25 * squares + 0.5 * g * (X[0, k, 2] + X[0, end, 2])
        total += entering + book_along(F[k].wound_mass, brought, 2.0 * (mesh.node[k].mass - row.inner_mass))
        if mesh.element[e].damping > 0.0 or mesh.element[e].law == MEMORY:
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
    winch = records(n, WINCH)
    for i, line in enumerate(given.line):
        at_last = (given.end[i] == 1) != bool(mesh.line[line].flipped)
        _place(model, mesh, i, at_last, winch[i])
        _weigh(model, mesh, i, t, winch[i])
    return mesh._replace(winches=WinchMesh(winch, model.functions))


def _place(model: Model, mesh: Mesh, i: int, at_last: bool, row: Records) -> None:
    """Where winch i is in the mesh: at the first or the last element of the walk.  row : its record, filled"""
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
    row.line, row.element, row.inner, row.end = line, e, inner, end
    row.stretch, row.function = stretch, given.function[i]


def _weigh(model: Model, mesh: Mesh, i: int, t: float, row: Records) -> None:
    """What hangs at winch i at time t.  row : its record, of `_place`, filled"""
    given, lines, sections = model.lines.winches, model.lines, model.sections
    line, e, inner, end = row.line, row.element, row.inner, row.end
    piece = lines.piece_start[line] if given.end[i] == 0 else lines.piece_start[line + 1] - 1
    k = lines.piece_section[piece]
    element, node = mesh.element[e], mesh.node
    length = element.length
    row.unpaid = length - value_at(t, row.function, model.functions)[0]
    row.usual = length
    row.line_mass = sections.mass[k]
    row.area = 2.0 * element.half_volume / length
    row.added_normal = 2.0 * element.half_added_normal / length
    row.added_tangential = 2.0 * element.half_added_tangential / length
    half = 0.5 * row.line_mass * length
    row.inner_mass, row.end_mass = node[inner].mass - half, node[end].mass - half
    width = float(contact_width(model, k))
    row.inner_width, row.end_width = width, width if node[end].bed_area > 0.0 else 0.0
    row.inner_bed = node[inner].bed_area - 0.5 * width * length
    row.end_bed = node[end].bed_area - 0.5 * row.end_width * length
    row.end_force = node[end].force
