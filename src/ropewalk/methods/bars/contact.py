"""The bed under nodes of bars: its pressure on half bars and footings, and the friction of a node as a whole.

The pressure is that of each contact, with its own radius. Friction is one spring for each node, with the shear
stiffness of all the area in contact and Coulomb's limit of all the normal force there: the law of the elements
(loads/bed.py), with the memory of loads/grip.py.
"""

from __future__ import annotations

from ropewalk.assembly.anchor import held_end_friction
from ropewalk.assembly.element import three
from ropewalk.loads.bed import contact, dragged, grip_pull, ground, penetration, pressure, slid
from ropewalk.loads.cut import vector
from ropewalk.loads.grip import friction_of, sought_pull
from ropewalk.numerics.blockelimination import UNCOUNTED, dot, sub3
from ropewalk.numerics.compile import kernel


@kernel(forceinline=True, **UNCOUNTED)
def add9_to(out, f, A):
    """Adds f times a matrix A of 9 numbers (N/m) to a (3, 3) array: out_ij = out_ij + f A_(3i+j).

    Source: definition.
    """
    for i in range(3):
        for j in range(3):
            out[i, j] += f * A[3 * i + j]


@kernel(inline="always")
def clear(pressed):
    """Set the normal forces (N) and areas (m2) of all contacts to 0. Bookkeeping."""
    for i in range(pressed.size):
        pressed[i].normal = 0.0
        pressed[i].area = 0.0


@kernel(forceinline=True, **UNCOUNTED)
def press_node(bed, field, i, r, v, area, radius):
    """Adds the pressure of the seabed on a contact of node i, and its derivatives.  area : m2    radius : m

    Source: F = p A n, :func:`ropewalk.loads.bed.contact` without friction; N and area of all contacts into
    field.pressed.
    """
    if not penetration(bed, three(r, i), radius) > 0.0:  # most nodes are off the bed
        return
    F, by_x, by_v = contact(bed, three(r, i), three(v, i), 0.0, area, radius)
    if F[0] == 0.0 and F[1] == 0.0 and F[2] == 0.0:
        return
    add9_to(field.damping[i], -1.0, by_v)
    add9_to(field.stiffness[i], -1.0, by_x)
    n, _ = ground(bed, three(r, i))
    pressed = field.pressed[i]
    pressed.area += area
    for j in range(3):
        field.force[i, j] += F[j]
        pressed.normal += n[j] * F[j]


@kernel(**UNCOUNTED)
def press_footings(bars, medium, field, r, v):
    """Adds the pressure of the seabed under what hangs on nodes, F = p A n (N).

    Source: :func:`press_node`; docs/theory/morison.md, Seabed.
    """
    for k in range(bars.footing.size):
        foot = bars.footing[k]
        press_node(medium.bed, field, foot.node, r, v, foot.area, foot.radius)


@kernel(**UNCOUNTED)
def press_bars(bars, medium, field, r, v):
    """Adds the pressure of the seabed on the half bars beside each node that is not held, F = p w l/2 n (N).

    Source: :func:`press_node`; assembly/anchor.py for held ends; docs/theory/morison.md, Seabed.
    """
    for k in range(bars.length.size):
        if bars.contact_width[k] <= 0.0:
            continue
        area = 0.5 * bars.length[k] * bars.contact_width[k]
        for side in range(2):
            if not bars.held[bars.node[k, side]]:
                press_node(medium.bed, field, bars.node[k, side], r, v, area, bars.contact_radius[k])


@kernel(**UNCOUNTED)
def rub(bed, field, r):
    r"""Adds the friction (N) of the nodes that field.pressed has on the bed, by their grips.

    .. math:: f = -\min\left(k_t A,\ \frac{\mu N}{|d|}\right) d

    Source: docs/theory/morison.md, Friction: one law; :func:`ropewalk.loads.bed.grip_pull`, and
    :func:`ropewalk.loads.grip.sought_pull` while an equilibrium is sought. The derivative leaves out how friction
    changes with the normal force: kkt.py needs a matrix that is symmetric.
    """
    grip, pressed, mu = field.grip, field.pressed, friction_of(field.grip)
    if mu <= 0.0:
        return
    is_sought = grip.friction[0].is_sought == 1
    for i in range(r.shape[0]):
        N = pressed[i].normal
        if N <= 0.0:
            continue
        n, _ = ground(bed, three(r, i))
        d, length = slid(n, three(r, i), vector(grip.hold[i].place))
        k, pushed = bed.law[0].shear * pressed[i].area, (N, 0.0)
        if is_sought:
            f, stiffness = sought_pull(k, n, d, pushed, vector(grip.hold[i].share))
        else:
            f, stiffness = grip_pull(k, n, d, length, pushed, mu)
        add9_to(field.stiffness[i], 1.0, stiffness)
        for j in range(3):
            field.force[i, j] += f[j]


@kernel(**UNCOUNTED)
def rub_end(bed, held, r, nodes, area, pull):
    """Friction (N) on the half bar at a held end, by that on the node next to it.

    Source: :func:`ropewalk.assembly.anchor.held_end_friction` by areas; f_n = -min(k_t A, mu N/|d|) d of
    :func:`ropewalk.loads.bed.grip_pull`.

    held : grips and contacts of the field    nodes : that of the end, and the next    area : of the half bar, m2
    pull : of the line on its anchor, N
    """
    (grip, pressed), (end, near) = held, nodes
    n, _ = ground(bed, three(r, near))
    d, length = slid(n, three(r, near), vector(grip.hold[near].place))
    k, pushed = bed.law[0].shear * pressed[near].area, (pressed[near].normal, 0.0)
    f, _ = grip_pull(k, n, d, length, pushed, friction_of(grip))
    along = sub3(three(r, near), three(r, end))
    return held_end_friction(f, area / pressed[near].area, along, pull, ground(bed, three(r, end))[0])


@kernel(forceinline=True, **UNCOUNTED)
def _bear(bed, pressed, x, v, area, radius):
    """Adds normal force and area of a contact to `pressed`.  x, v : of the node, m, m/s    area : m2    radius : m

    Source: N = p A, :func:`ropewalk.loads.bed.pressure`.
    """
    n, height = ground(bed, x)
    p, _, _ = pressure(bed, radius - height, -dot(n, v))
    if p > 0.0:
        pressed.normal += p * area
        pressed.area += area


@kernel(**UNCOUNTED)
def move_grips(bars, medium, field, r, v):
    r"""After a step: nodes off the bed grip where they are; nodes that slip drag their grip behind them.

    .. math:: r_\mathrm{grip} = r - \frac{\mu N}{k_t A} \frac{d}{|d|} \quad \text{where } |d| > \frac{\mu N}{k_t A}

    Source: docs/theory/morison.md, Friction: one law.  r, v : (n, 3) at the end of the step, m, m/s
    """
    mu, bed, pressed = friction_of(field.grip), medium.bed, field.pressed
    if mu <= 0.0 or not medium.has_bed:
        return
    clear(pressed)
    for k in range(bars.footing.size):
        foot = bars.footing[k]
        _bear(bed, pressed[foot.node], three(r, foot.node), three(v, foot.node), foot.area, foot.radius)
    for k in range(bars.length.size):
        area = 0.5 * bars.length[k] * bars.contact_width[k]
        for side in range(2):
            i = bars.node[k, side]
            if area > 0.0 and not bars.held[i]:
                _bear(bed, pressed[i], three(r, i), three(v, i), area, bars.contact_radius[k])
    for i in range(r.shape[0]):
        place, keep = field.grip.hold[i].place, 0.0
        if pressed[i].normal > 0.0:
            keep = mu * pressed[i].normal / (bed.law[0].shear * pressed[i].area)
        n, _ = ground(bed, three(r, i))
        place[0], place[1], place[2] = dragged(n, three(r, i), vector(place), keep)
