"""Stiffness of the lines on each body at an equilibrium, from the same elimination that Newton's method uses."""

from __future__ import annotations

import numpy as np

from ropewalk.model.arrays import Array, ints
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.solvers.mixed_mesh import Mesh
from ropewalk.solvers.mixed_steps import Work, water_at
from ropewalk.solvers.mixed_sweep import add_line, eliminate_line, join_ends, junction_terms


def all_free(model: Model) -> Model:
    """The same case with every body free: held bodies have a stiffness of their lines, too."""
    joint = ints(np.full(model.bodies.joint.size, LOOSE))
    return model._replace(bodies=model.bodies._replace(joint=joint))


def line_stiffness(model: Model, mesh: Mesh, work: Work) -> Array:
    """(n_bodies, 6, 6) of the lines about each body's origin, world axes; free points follow, other bodies stay.

    mesh, work : of the model :func:`all_free`, with the equilibrium in `work.trial`
    """
    sea, X, T, memory = model.sea, work.trial.X, work.trial.T, work.memory
    join_ends(X, mesh)
    water_at(X[0], 0.0, sea, work.flow)
    junction_terms(X[0], X[1], X[2], work.flow, mesh, sea.water_density, sea.gravity, 0.0, 0.0, memory.matrix,
                   memory.right, memory.grip)  # fmt: skip
    n_dofs = mesh.dof.shape[0]
    for line in range(mesh.line.shape[0]):
        eliminate_line(line, X[0], X[1], X[2], T, work.flow, mesh, sea.water_density, sea.gravity, 0.0, 0.0, memory)
        add_line(line, mesh, n_dofs, memory)
    A = memory.matrix
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
