r"""Work in the energy ledger: forces averaged over a step, times the displacement in it.

With F all forces on a node, and r, v, a what the steps make of them,

.. math:: \Delta\left(\tfrac12 m v^2\right) = \frac{F_0 + F_1}{2} \cdot (r_1 - r_0) - D, \qquad
          D = m \left(\frac{a_0 + a_1}{2} \cdot (r_1 - r_0) - \frac{v_0 + v_1}{2} \cdot (v_1 - v_0)\right)

holds for every step of any scheme to the last digit, because F = m a at both ends of it; D is what the scheme takes
(ledger.py). So each kind of force is given its share by that product. Powers at the ends of steps are not
enough: where an element comes taut its damper stops the nodes within one step, and what that takes is seen at neither
end of it; and where axial waves are not resolved, velocities go to and fro from step to step, and with them a power.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.element import SHORTEST, axis_of, three, water_on_node_half
from ropewalk.loads.bed import penetration
from ropewalk.loads.given import load_on_half, spring_pull
from ropewalk.loads.point import is_bare
from ropewalk.loads.sea import velocity
from ropewalk.methods.mixed.booked import DRAG, NEXT_DRAG, NEXT_WATER, PULL, WATER
from ropewalk.methods.mixed.nodes import Lumps, lump, lumps_of, node_terms
from ropewalk.model.arrays import Array, Records
from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, ZERO3, add3, dot, scale3, sub3
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.lanes import where
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR, strain_energy, tension
from ropewalk.physics.ropes import MEMORY, rope_energy

# what a ledger counts, in J or W
KIND = np.dtype(
    [
        ("ends", "f8"),  # work of what holds or moves ends
        ("water", "f8"),
        ("loads", "f8"),
        ("drag", "f8"),  # losses from here on, but for winches
        ("damping", "f8"),
        ("seabed", "f8"),
        ("winch", "f8"),
        ("parting", "f8"),
        ("numerics", "f8"),
        ("impact", "f8"),
    ],
    align=True,
)
POWERS = len(KIND.names or ())
KINDS = tuple("break" if name == "parting" else name for name in KIND.names or ())  # as results call them


class Ledger(NamedTuple):
    """Work and energy by kind. `step`, `now` and `held` are measured again at each step."""

    table: Array  # (7, POWERS), of which the records are rows; in the order of `columns`
    work: Records  # (1,) of KIND, J, since the start
    step: Records  # (1,) of KIND, J, since it was measured last
    now: Records  # (1,) of KIND, W
    held: Records  # (1,) of KIND, J, that is taken off `work`
    elastic: Array  # (1,) J, energy of all elements, as it was measured last


def new_ledger() -> Ledger:
    """An empty ledger."""
    table = np.zeros((7, POWERS))
    work, step, now, held = (row.view(KIND).view(np.recarray) for row in table[:4])
    return Ledger(table, work, step, now, held, np.zeros(1))


@kernel(inline="always")
def columns(table):
    """Rows of a ledger's table: work, step, now, held; held and now as they were before; now before that.

    Bookkeeping.
    """
    return table[0], table[1], table[2], table[3], table[4], table[5], table[6]


# Forces on a row, N, as they were measured last; moments (N m, in its own frame) in the rows of a body's rotation.
FORCES = np.dtype(
    [
        ("water", "f8", (3,)),  # with drag, on what is lumped there; on elements see booked.py
        ("drag", "f8", (3,)),
        ("loads", "f8", (3,)),
        ("bed", "f8", (3,)),
        ("damping", "f8", (3,)),
        # inertia minus all of them, where a line ends at what is held or moved; minus inertia of a body
        ("hold", "f8", (3,)),
        ("place", "f8", (3,)),  # m
        ("wound", "f8", (2,)),  # at a winch, at the inner node: force of winding (N), and the length wound to (m)
        ("wound_mass", "f8", (2,)),  # energy per mass that is brought in (J/kg), and the mass (kg)
    ],
    align=True,
)

AT_REST = (0.0, 0.0)  # da/dr and dv/dr where no derivative is used


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def spring_energy(stretch, L, stiffness, slack):
    r"""Elastic energy (J) of an element by its stretch x (m), with k_s for k where it is slack.

    .. math:: E = \frac{k x^2}{2 L}

    Source: docs/theory/mixed_elements.md, Elements.

    L : unstretched length, m    stiffness : axial, N    slack : k_s, stiffness in compression (N), 0 if it can push
    """
    k = where((stretch < 0.0) & (slack > 0.0), slack, stiffness)
    return 0.5 * k * stretch * stretch / L


@kernel
def elastic_energy(e, span, element, law_data, rope):
    r"""Elastic energy of an element by its present length (J); damping stores nothing, nor do inextensible elements.

    .. math:: E = L \int_0^{e} T\,de, \qquad E = \tfrac12 k_s e^2 L \text{ where slack}

    Source: :func:`ropewalk.physics.elasticity.strain_energy`, :func:`ropewalk.physics.ropes.rope_energy`.

    element, law_data, rope : of the mesh
    """
    L = element[e].length
    stretch = span / L - 1.0
    slack = element[e].slack
    if element[e].law == MEMORY:
        el = element[e]
        return L * rope_energy(stretch, el.slow_load, el.peak, slack, rope[el.rope], law_data)
    kind, start, stop = element[e].law, element[e].law_start, element[e].law_stop
    if kind in (LINEAR, INEXTENSIBLE) or (slack > 0.0 and stretch < 0.0):
        return spring_energy(span - L, L, law_data[start] if kind == LINEAR else 0.0, slack)
    return L * strain_energy(tension(stretch, kind, law_data, start, stop)[0], kind, law_data, start, stop)


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def book(kept, force, way):
    """Work (J) of a force along the displacement since it was measured last: W = (F_0 + F_1)/2 . dr.

    Source: docs/theory/mixed_elements.md, Energy.    kept : (3,) field of FORCES, made the force
    """
    total = (kept[0] + force[0]) * way[0] + (kept[1] + force[1]) * way[1] + (kept[2] + force[2]) * way[2]
    kept[0], kept[1], kept[2] = force[0], force[1], force[2]
    return 0.5 * total


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def book_at(kept, e, c, force, way):
    """As `book`, of the force in three columns of row e, from column c on: W = (F_0 + F_1)/2 . dr.

    Source: docs/theory/mixed_elements.md, Energy.
    """
    total = dot(add3(_force_at(kept, e, c), force), way)
    kept[e, c], kept[e, c + 1], kept[e, c + 2] = force[0], force[1], force[2]
    return 0.5 * total


@kernel(**UNCOUNTED)
def book_along(kept, force, place):
    """As `book`, in one dimension.  kept : (2,) force and place"""
    total = 0.5 * (kept[0] + force) * (place - kept[1])
    kept[0], kept[1] = force, place
    return total


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _way(F, n, r):
    """Displacement of row n since it was measured last, d = r - r_kept, m.  Source: definition."""
    place = F[n].place
    return r[n, 0] - place[0], r[n, 1] - place[1], r[n, 2] - place[2]


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _acts(kept):
    """Whether a force (3,) is not zero. Bookkeeping."""
    return kept[0] != 0.0 or kept[1] != 0.0 or kept[2] != 0.0


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def book_element(e, i, now, chord, ways, element, fluid, kept):
    """Work (J) of the tension of an element from row i to the next, of the water on its halves and of the drag in it.

    Also the power (W) of this drag on the moving water.

    Source: docs/theory/mixed_elements.md, Energy: W = (F_0 + F_1)/2 . dr at both nodes.

    now : `Instant`; the tension is in row e    chord : tangent and length (m)    ways : of both nodes, m
    element : record    fluid : rho, g    kept : forces in row e (N), by the columns of booked.py, changed
    """
    (t, _), (way, ahead) = chord, ways
    taken = book_at(kept, e, PULL, scale3(now.T[e], t), sub3(ahead, way))
    if not fluid[0] > 0.0:
        return taken, 0.0, 0.0, 0.0
    on = water_on_node_half(element, i, i + 1, chord, now, fluid, AT_REST)
    water, drag = book_at(kept, e, WATER, on[0], way), book_at(kept, e, DRAG, on[1], way)
    power = dot(on[1], velocity(now.flow, i))
    on = water_on_node_half(element, i + 1, i, chord, now, fluid, AT_REST)
    water, drag = water + book_at(kept, e, NEXT_WATER, on[0], ahead), drag + book_at(kept, e, NEXT_DRAG, on[1], ahead)
    return taken, water, drag, power + dot(on[1], velocity(now.flow, i + 1))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def pull_of(kept, e, sign, water):
    """Force (N) of the element of row e on its first node (sign 1, column WATER) or on its second (-1, NEXT_WATER).

    Source: F_1 = T t + F_w1, F_2 = -T t + F_w2, docs/theory/mixed_elements.md, Elements.
    """
    return add3(scale3(sign, _force_at(kept, e, PULL)), _force_at(kept, e, water))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _force_at(kept, e, c):
    """The force in three columns of row e, from column c on: F = (k_c, k_{c+1}, k_{c+2}), N.

    Source: the columns of booked.py.
    """
    return kept[e, c], kept[e, c + 1], kept[e, c + 2]


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def _book_lump(n, now, node, fluid, way, F):
    """Work (J) of the water on what is lumped at row n and of the drag in it; power (W) of this drag on the water.

    Source: docs/theory/mixed_elements.md, Energy: W = (F_0 + F_1)/2 . dr.
    """
    R, _, drag = lump(n, now, node, fluid, AT_REST)
    water, lost = book(F[n].water, scale3(-1.0, R), way), book(F[n].drag, drag, way)
    return water, lost, dot(drag, velocity(now.flow, n))


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def _book_bed(n, now, lumps, fluid, way, F):
    """Work of the bed on node n (J): what is left of all that acts on what is lumped there, and of its inertia.

    Source: F_bed = m (a + g e_z) - F_other, docs/theory/mixed_elements.md, Energy.
    """
    a, here, m = now.a, lumps.node[n], lumps.node[n].mass
    bare = Lumps(lumps.node, 0.0, lumps.has_bed, lumps.bed, lumps.grip)
    R = node_terms(n, now, bare, fluid, AT_REST)[0]
    rest = sub3(lump(n, now, lumps.node, fluid, AT_REST)[0], (here.force[0], here.force[1], here.force[2]))
    inertia = (m * a[n, 0], m * a[n, 1], m * (a[n, 2] + fluid[1]))
    return book(F[n].bed, sub3(add3(inertia, rest), R), way)


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def book_hold(n, now, lumps, fluid, force, F):
    """Work of what holds or moves the node at an end (J).  force : of its element on it, N

    Source: reaction F = R - f of the end's node, docs/theory/mixed_elements.md, Energy.
    """
    R = node_terms(n, now, lumps, fluid, AT_REST)[0]
    return book(F[n].hold, sub3(R, force), _way(F, n, now.r))


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _book_row(n, now, lumps, fluid, given, F):
    """Work (J) of loads, of the bed and of damping by mass on row n, of water on what is lumped there and of its drag.

    Also the power (W) of this drag on the water.

    Source: docs/theory/mixed_elements.md, Energy: W = (F_0 + F_1)/2 . dr for each kind of force.

    given : load of the elements at the row, N
    """
    node, r, v, way = lumps.node[n], now.r, now.v, _way(F, n, now.r)
    water, drag, power, ground, damped, loads = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if not is_bare(node):
        water, drag, power = _book_lump(n, now, lumps.node, fluid, way, F)
    load = (given[0] + node.force[0], given[1] + node.force[1], given[2] + node.force[2])
    if load != ZERO3 or _acts(F[n].loads):
        loads = book(F[n].loads, load, way)
    if lumps.has_bed and node.bed_area != 0.0:
        if penetration(lumps.bed, three(r, n), node.radius) > 0.0:
            ground = _book_bed(n, now, lumps, fluid, way, F)
        elif _acts(F[n].bed):
            ground = book(F[n].bed, ZERO3, way)
    if lumps.mass_damping > 0.0:
        m = lumps.mass_damping * node.mass
        damped = book(F[n].damping, (m * v[n, 0], m * v[n, 1], m * v[n, 2]), way)
    place = F[n].place
    place[0], place[1], place[2] = r[n, 0], r[n, 1], r[n, 2]
    return loads, ground, damped, water, drag, power


@kernel(forceinline=False, **UNCOUNTED)
def book_row(n, now, lumps, fluid, given, F, ledger):
    """As `_book_row`, into a ledger: W = W + (F_0 + F_1)/2 . dr for each kind of force.

    Source: docs/theory/mixed_elements.md, Energy.
    """
    _add_row(ledger, _book_row(n, now, lumps, fluid, given, F))


@kernel(forceinline=True, **UNCOUNTED)
def _add_row(ledger, works):
    """Add what `_book_row` returns to a ledger (J, W): water = W_w - W_d + int P dt, loss by drag = int P dt - W_d.

    Source: docs/theory/mixed_elements.md, Energy; W_w, W_d : work of the water and of its drag    P : power of the drag
    """
    loads, ground, damped, water, drag, carried = works
    step, now = ledger.step[0], ledger.now[0]
    step.water += water - drag
    step.drag -= drag
    step.loads += loads
    step.seabed -= ground
    step.damping += damped
    now.water += carried
    now.drag += carried


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def _sum6(x, y):
    """Sum of two tuples of six, in their units: z_i = x_i + y_i.  Source: definition."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5]


@kernel(forceinline=False, fastmath=FUSED, **UNCOUNTED)
def measure_line(line, now, mesh, fluid, grip, ledger, F, kept):
    """Book all forces on the nodes of a line: adds to what a `Ledger` measures.

    Source: docs/theory/mixed_elements.md, Energy; damping of an element W = (T_0 t_0 + T_1 t_1)/2 . dd - dE.

    What an element takes of the motion and does not store is a loss by damping if it has any, else one of the scheme.
    Where an element comes taut its tension is mostly that of the damping, and neither its elastic part nor the rest is
    resolved; but what both together take is known, and so is what is stored.

    now : `Instant`    fluid : rho, g    grip : of `Elimination`    F : (n_rows,) of FORCES
    kept : (n_elements, HALVES) N, by the columns of booked.py
    """
    r, v, n0, e0 = now.r, now.v, mesh.node_start[line], mesh.element_start[line]
    n_elements, element, load, lumps = mesh.element_start[line + 1] - e0, mesh.element, mesh.load, lumps_of(mesh, grip)
    first, last, dof_start = mesh.line[line].junction[0], mesh.line[line].junction[1], mesh.dof_start
    works = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    damped, bare, damped_energy, bare_energy = 0.0, 0.0, 0.0, 0.0
    given, way, ends = ZERO3, _way(F, n0, r), 0.0
    for k in range(n_elements):
        e, i, j = e0 + k, n0 + k, n0 + k + 1
        d = (r[j, 0] - r[i, 0], r[j, 1] - r[i, 1], r[j, 2] - r[i, 2])
        L, ahead = element[e].length, _way(F, j, r)
        span = max(np.sqrt(dot(d, d)), SHORTEST * L)
        t = scale3(1.0 / span, d)
        taken, water, drag, power = book_element(e, i, now, (t, span), (way, ahead), element[e], fluid, kept)
        if element[e].law == LINEAR:  # most are, and the call takes as long as all the rest of this
            stored = spring_energy(span - L, L, mesh.law_data[element[e].law_start], element[e].slack)
        else:
            stored = elastic_energy(e, span, element, mesh.law_data, mesh.rope)
        if element[e].damping > 0.0 or element[e].law == MEMORY:
            damped, damped_energy = damped + taken, damped_energy + stored
        else:
            bare, bare_energy = bare + taken, bare_energy + stored
        here, given = given, ZERO3
        if load.shape[0] > 0:
            here = add3(here, load_on_half(load[e], 0, 0.5 * L, t, span, three(r, i), three(v, i), 0.0)[0])
            given = load_on_half(load[e], 1, 0.5 * L, t, span, three(r, j), three(v, j), 0.0)[0]
        if k == 0 and dof_start[first] == dof_start[first + 1]:
            ends += book_hold(i, now, lumps, fluid, add3(pull_of(kept, e, 1.0, WATER), here), F)
        works = _sum6(works, (0.0, 0.0, 0.0, water, drag, power))
        works, way = _sum6(works, _book_row(i, now, lumps, fluid, here, F)), ahead
    n1, e1 = n0 + n_elements, e0 + n_elements - 1
    if dof_start[last] == dof_start[last + 1]:
        ends += book_hold(n1, now, lumps, fluid, add3(pull_of(kept, e1, -1.0, NEXT_WATER), given), F)
    _add_row(ledger, _sum6(works, _book_row(n1, now, lumps, fluid, given, F)))
    ledger.step[0].ends += ends
    add_elements(ledger, damped, bare, damped_energy, bare_energy)


@kernel(forceinline=True, **UNCOUNTED)
def add_elements(ledger, damped, bare, damped_energy, bare_energy):
    """Put work of tensions and elastic energy (J) of elements with damping and of those without into a ledger.

    Source: docs/theory/mixed_elements.md, Energy: lost = work of the tension - dE.
    """
    step, held = ledger.step[0], ledger.held[0]
    step.damping += damped
    step.numerics += bare
    held.damping += damped_energy
    held.numerics += bare_energy
    ledger.elastic[0] += damped_energy + bare_energy


@kernel(**UNCOUNTED)
def clear(ledger):
    """Reset a ledger: W = 0, P = 0, E = 0 (J, W).  Source: docs/theory/mixed_elements.md, Energy."""
    _, step, power, held, _, _, _ = columns(ledger.table)
    for k in range(POWERS):
        step[k], power[k], held[k] = 0.0, 0.0, 0.0
    ledger.elastic[0] = 0.0


@kernel(fastmath=FUSED, **UNCOUNTED)
def measure_points(now, mesh, fluid, grip, ledger, F):
    """Book all forces on free points but those of lines: adds to what a `Ledger` measures.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dr.

    now : `Instant`    fluid : rho, g    grip : of `Elimination`    F : (n_rows,) of FORCES
    """
    dof, dof_start, r, reference = mesh.dof, mesh.dof_start, now.r, mesh.reference
    lumps = lumps_of(mesh, grip)
    for j in range(mesh.motion.size - mesh.bodies.body.shape[0]):
        if dof_start[j] < dof_start[j + 1]:
            n, load_on_row = mesh.s.size + j, ZERO3
            for c in range(dof_start[j], dof_start[j + 1]):
                axis = axis_of(dof[c])
                way = (r[n, 0] - reference[j, 0], r[n, 1] - reference[j, 1], r[n, 2] - reference[j, 2])
                load_on_row = add3(load_on_row, scale3(spring_pull(dof[c], way)[0], axis))
            book_row(n, now, lumps, fluid, load_on_row, F, ledger)


@kernel(**UNCOUNTED)
def measure_lines(now, mesh, fluid, grip, ledger, F, kept):
    """Book all forces on lines, one by one, and on free points: fills what a `Ledger` measures.

    Source: docs/theory/mixed_elements.md, Energy: W = sum (F_0 + F_1)/2 . dr.

    Arguments of `measure_line`.
    """
    clear(ledger)
    for line in range(mesh.line.shape[0]):
        measure_line(line, now, mesh, fluid, grip, ledger, F, kept)
    measure_points(now, mesh, fluid, grip, ledger, F)


@kernel(**UNCOUNTED)
def add_step(h, h_before, ledger):
    r"""Add what has been measured at the end of a step to the work since the start, and what its powers integrate to.

    Source: quadrature of the interpolating parabola with unequal steps.

    .. math:: \int_0^h P = h \left(\frac{3 + w}{6} P_0 + \frac{3 + 2w}{6 (1 + w)} P_1 - \frac{w^2}{6 (1 + w)} P_{-1}
              \right), \qquad w = h / h_{-1},

    the parabola through three powers.  h, h_before : the step and the one before it, s; the latter 0 if there is none
    """
    w = h / h_before if h_before > 0.0 else 0.0
    work, step, now, held, held_before, before, before_last = columns(ledger.table)
    for k in range(POWERS):
        p0, p1, pm = before[k], now[k], before_last[k]
        power = 0.5 * (p0 + p1)
        if h_before > 0.0:
            power = (3.0 + w) / 6.0 * p0 + (3.0 + 2.0 * w) / (6.0 * (1.0 + w)) * p1 - w * w / (6.0 * (1.0 + w)) * pm
        work[k] += h * power + step[k] - held[k] + held_before[k]
        before_last[k] = p0
        before[k], held_before[k] = p1, held[k]


@kernel(**UNCOUNTED)
def begin(ledger):
    """Make what has been measured that from which the next step begins: at the start, and where things jump.

    Bookkeeping.
    """
    _, _, now, held, held_before, before, _ = columns(ledger.table)
    for k in range(POWERS):
        before[k], held_before[k] = now[k], held[k]
