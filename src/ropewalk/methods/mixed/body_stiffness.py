"""Stiffness of the lines on each body at an equilibrium, from the same elimination that Newton's method uses."""

from __future__ import annotations

import numpy as np

from ropewalk.assembly.body_loads import water_on_bodies
from ropewalk.assembly.element import instant
from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.bodies import STATIC_FLOOR, add_bodies
from ropewalk.methods.mixed.links import add_links, pull_links
from ropewalk.methods.mixed.steps import Work
from ropewalk.methods.mixed.sweep import add_line, eliminate_line, join_ends, junction_terms
from ropewalk.model.arrays import Array, ints
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.held import held

AT_REST = (0.0, 0.0)  # da/dr, dv/dr


def all_free(model: Model) -> Model:
    """The same case with every body free: held bodies have a stiffness of their lines, too."""
    joint = ints(np.full(model.bodies.joint.size, LOOSE))
    return model._replace(bodies=model.bodies._replace(joint=joint))


def line_stiffness(model: Model, mesh: Mesh, work: Work) -> Array:
    """(n_bodies, 6, 6) of the lines about each body's origin, world axes; free points follow, other bodies stay.

    mesh, work : of the model :func:`all_free`, with the equilibrium in `work.trial`
    """
    sea, X, memory = model.sea, work.trial.X, work.memory
    _add_at_rest(X, work.trial.T, work.flow, mesh, sea, memory, False)
    n_dofs, A = mesh.dof.shape[0], memory.matrix
    n_points, n_bodies = len(model.names.points), len(model.names.bodies)
    bodies = np.arange(mesh.dof_start[n_points], n_dofs)
    follow = np.concatenate([np.arange(mesh.dof_start[n_points]), np.arange(n_dofs, A.shape[0])]).astype(np.int64)
    result: Array = np.zeros((n_bodies, 6, 6))
    for k in range(n_bodies):
        own = bodies[6 * k : 6 * k + 6]
        result[k] = A[np.ix_(own, own)]
        if follow.size:
            moved = np.linalg.lstsq(A[np.ix_(follow, follow)], A[np.ix_(follow, own)], rcond=None)[0]
            result[k] -= A[np.ix_(own, follow)] @ moved
    return result


def full_tangent(model: Model, mesh: Mesh, work: Work) -> tuple[Array, Array]:
    """Tangent by all degrees of freedom of points and bodies, lines following, and what links hold (rows, dofs).

    mesh, work : with the equilibrium in `work.trial`
    """
    sea, X, memory = model.sea, work.trial.X, work.memory
    n_dofs, n_lines = mesh.dof.shape[0], mesh.line.shape[0]
    for _ in range(2):  # the second time with the forces of the links, which a State does not hold
        _add_at_rest(X, work.trial.T, work.flow, mesh, sea, memory, True)
        if mesh.bodies.links.link.shape[0] > 0:
            add_links(X, mesh, 0.0, memory.matrix, memory.right)
        hold = memory.matrix[n_dofs + n_lines :, :n_dofs].copy()
        if hold.size == 0:
            break
        change = np.zeros(memory.right.size)
        pull = memory.matrix[:n_dofs, n_dofs + n_lines :]
        change[n_dofs + n_lines :] = np.linalg.lstsq(pull, memory.right[:n_dofs], rcond=None)[0]
        pull_links(X, mesh, change, 1.0)
    K = memory.matrix[:n_dofs, :n_dofs].copy()
    lines = slice(n_dofs, n_dofs + n_lines)
    if n_lines:
        follow = np.linalg.lstsq(memory.matrix[lines, lines], memory.matrix[lines, :n_dofs], rcond=None)[0]
        K -= memory.matrix[:n_dofs, lines] @ follow
    _take_floor(mesh, K)
    return K, hold


@kernel
def _add_at_rest(X, T, flow, mesh, sea, memory, has_bodies):
    """Fill the matrix of `memory` with that of the lines and junctions at rest (N/m, N, N m).

    Bookkeeping: calls `_add_held` with addresses.

    X, T, flow : as in `newton_iteration`    has_bodies : with the terms of bodies of their own
    """
    _add_held(X, T, flow, held(mesh), held(sea), held(memory), has_bodies)


@kernel(separate=True)
def _add_held(X, T, flow, mesh, sea, memory, has_bodies):
    """As `_add_at_rest`, of held tuples, as which Newton's iterations have them."""
    now, fluid = instant(X, T, flow), (sea.water_density, sea.gravity)
    join_ends(X, mesh)
    water_at(X[0], 0.0, sea, flow)
    junction_terms(now, mesh, fluid, AT_REST, memory)
    if has_bodies:
        water_on_bodies(X, 0.0, sea, mesh)
        add_bodies(X, flow, mesh, fluid, AT_REST, memory.matrix, memory.right)
    for line in range(mesh.line.shape[0]):
        eliminate_line(line, now, mesh, fluid, AT_REST, memory)
        add_line(line, mesh, memory)


def _take_floor(mesh: Mesh, K: Array) -> None:
    """Take away what statics add for a free drift or yaw to have a pivot."""
    bodies, n_bodies = mesh.bodies, mesh.bodies.body.shape[0]
    for k in range(n_bodies):
        d = mesh.dof_start[mesh.motion.size - n_bodies + k]
        if bodies.body[k].is_free == 1:
            size = bodies.body[k].extent
            floor = STATIC_FLOOR * bodies.body[k].weight_scale / size
            K[range(d, d + 6), range(d, d + 6)] -= floor * np.array([1.0, 1.0, 1.0, size**2, size**2, size**2])
