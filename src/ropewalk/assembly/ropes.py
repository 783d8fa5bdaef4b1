"""Ropes with memory on a mesh: their law in the coming step, and their memory after it.

The memory of an element, its mean tension and the highest one so far, stands in its record; so do the two numbers of
the law of the present step. Statics reads the static law until `wake_ropes` gives the elements their memory.
"""

from __future__ import annotations

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.ropes import MEMORY, dynamic_stiffness, static_strain, step_law


@kernel(**UNCOUNTED)
def set_ropes(h, T, mesh):
    """Give the elements with memory their law of a step of length h (s).  T : (n_elements,) at its start, N

    Source: :func:`ropewalk.physics.ropes.step_law`: e = e_0 + give T over the step.
    """
    for e in range(T.size):
        el = mesh.element[e]
        if el.law == MEMORY:
            law = step_law(h, el.slow_load, el.peak, T[e], mesh.rope[el.rope], mesh.law_data)
            el.rest, el.give, el.damping = law[0], law[1], law[4]


@kernel(**UNCOUNTED)
def move_ropes(h, before, after, mesh):
    """Move the memory over a step of length h (s) that was accepted.  before, after : (n_elements,) tensions, N

    Source: :func:`ropewalk.physics.ropes.step_law`: q_1 = q_0' + (dq/dT) T_1, q_m = max(q_m, q_1).
    """
    for e in range(after.size):
        el = mesh.element[e]
        if el.law == MEMORY:
            law = step_law(h, el.slow_load, el.peak, before[e], mesh.rope[el.rope], mesh.law_data)
            el.slow_load = max(law[2] + law[3] * max(after[e], 0.0), 0.0)
            el.peak = max(el.peak, el.slow_load)


@kernel
def wake_ropes(T, mesh):
    """Set the mean tensions of the ropes of a run to the tensions at its start.  T : (n_elements,) N

    Source: slow load = max(T, 0), peak = max(peak, slow load); docs/guide/ropes.md.
    """
    for e in range(T.size):
        el = mesh.element[e]
        if el.rope >= 0:
            el.law, el.slow_load = MEMORY, max(T[e], 0.0)
            el.peak = max(mesh.rope[el.rope].peak, el.slow_load)
    set_ropes(0.0, T, mesh)


@kernel
def freeze_ropes(T, mesh):
    """Let ropes follow small fast changes about the tensions T (n_elements,), N: with their dynamic stiffness.

    Source: [Falkenberg2017]: e = x(q) + (T - q)/E_d about T = q.
    """
    for e in range(T.size):
        el = mesh.element[e]
        if el.rope >= 0:
            rope, q = mesh.rope[el.rope], max(T[e], 0.0)
            stiffness = dynamic_stiffness(q, rope)
            el.law, el.slow_load, el.peak = MEMORY, q, max(rope.peak, q)
            el.give, el.damping = 1.0 / stiffness, rope.dynamic_viscosity / stiffness
            el.rest = static_strain(q, el.peak, rope, mesh.law_data)[0] - q / stiffness
