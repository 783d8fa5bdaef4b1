r"""Sparse M, B, K of lines, points and bodies about rest, with tensions as unknowns.

.. math:: \begin{pmatrix} M & 0 \\ 0 & 0 \end{pmatrix} \ddot x + \begin{pmatrix} B & 0 \\ \tau G & 0 \end{pmatrix}
          \dot x + \begin{pmatrix} K & G^T \\ G & -C \end{pmatrix} x = f

G is the derivative of the elements' lengths by position and C their compliance: zero for an inextensible line,
so that nothing is infinite.

A straight taut line has no stiffness of its own along itself, so elimination from node to node would divide by
nearly nothing. With the tensions :math:`T = T' + W G r`, W the geometric stiffness of each element, the matrix
:math:`P^T A P` has regular pivots, and by Sylvester as many negative ones as before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import bsr_matrix, coo_matrix, csc_matrix, csr_matrix, diags, identity

from ropewalk.loads.given import spring_pull
from ropewalk.loads.sea import current_gradient, current_here
from ropewalk.methods.linear.body import BodyTerms, body_terms
from ropewalk.methods.linear.element import elements, nodes
from ropewalk.methods.linear.links import link_matrices
from ropewalk.methods.linear.screens import ScreenTerms, screen_terms
from ropewalk.methods.linear.unknowns import Place, Unknowns, movement
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.joints import LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix


class Local(NamedTuple):
    """Elements and nodes one by one; the arrays of element.py."""

    R: Array  # (n_rows, 3) N
    miss: Array  # (n_elements,) m
    tangent: Array  # (n_elements, 3)
    give: Array  # (n_elements,) m/N
    wet: Array  # (n_elements, 2)
    K: Array  # (n_elements, 2, 2, 3, 3) N/m
    B: Array  # (n_elements, 2, 3, 3) N s/m, drag about the current
    M: Array  # (n_elements, 2, 3, 3) kg, added
    node_wet: Array  # (n_rows,)
    node_K: Array  # (n_rows, 3, 3)
    node_B: Array  # (n_rows, 3, 3) bed and damping by mass
    node_drag: Array  # (n_rows, 3, 3) of attachments, about the current
    node_M: Array  # (n_rows, 3, 3)
    flow: Array  # (n_rows, 3) current, m/s


class Assembled(NamedTuple):
    """The system about a place. Rows are equations: forces (N, N m), then lengths (m)."""

    residual: Array  # (n,) minus forces; lengths missed
    M: csc_matrix  # (n, n)
    B: csc_matrix
    K: csc_matrix
    M_in: csc_matrix  # (n, n_inputs) by the held and moved components
    B_in: csc_matrix
    K_in: csc_matrix
    P: csc_matrix  # (n, n) change of the tensions that lets elimination do without pivoting
    S: csr_matrix  # (3 n_rows, n) rows of positions by unknowns
    S_in: csr_matrix
    local: Local
    bodies: tuple[BodyTerms, ...]
    screens: ScreenTerms | None  # of nets, if there are any in water


def evaluate_local(
    model: Model, unknowns: Unknowns, place: Place, mass_damping: float = 0.0, velocity: Array | None = None
) -> Local:
    """Forces and tangents of every element and node.

    velocity : (n_rows, 3) of the nodes, m/s, for drag about a motion; at rest unless given
    """
    mesh, sea = unknowns.mesh, model.sea
    n, m = place.r.shape[0], place.T.size
    flow, slope = _current(model, place.r)
    if velocity is not None:
        flow -= velocity
    node = mesh.node[:n]  # rows of bodies follow
    local = Local(
        np.zeros((n, 3)), np.zeros(m), np.zeros((m, 3)), np.zeros(m), np.zeros((m, 2)), np.zeros((m, 2, 2, 3, 3)),
        np.zeros((m, 2, 3, 3)), np.zeros((m, 2, 3, 3)), np.zeros(n), np.zeros((n, 3, 3)), np.zeros((n, 3, 3)),
        np.zeros((n, 3, 3)), np.zeros((n, 3, 3)), flow,
    )  # fmt: skip
    fluid = (sea.water_density, sea.gravity)
    elements(unknowns.first, place.r, place.T, slope, mesh.element, mesh.law_data, fluid, local)
    nodes(place.r, slope, node, mass_damping, mesh.has_bed, mesh.bed, fluid, local)
    return local


def _current(model: Model, r: Array) -> tuple[Array, Array]:
    """Current (n, 3) at r (n, 3), m/s, and its derivative by height (n, 3), 1/s."""
    sea, flow, slope = model.sea, np.zeros(r.shape), np.zeros(r.shape)
    if sea.current_speed > 0.0 and sea.water_density > 0.0:
        for i in range(r.shape[0]):
            flow[i] = current_here(tuple(r[i]), sea)
            slope[i] = current_gradient(tuple(r[i]), sea)[2::3]
    return flow, slope


def _screens(model: Model, unknowns: Unknowns, r: Array, velocity: Array | None, out: Local) -> ScreenTerms | None:
    """Screens at r (n_rows, 3), m, whose force is added to the residual of `out`."""
    if not unknowns.screen.size or model.sea.water_density <= 0.0:
        return None
    still = np.zeros(r.shape) if velocity is None else velocity
    terms = screen_terms(unknowns.screen, r, (*_current(model, r), still), model.sea.water_density)
    out.R[:] -= terms.force
    return terms


def assemble(
    model: Model, unknowns: Unknowns, place: Place, mass_damping: float = 0.0, velocity: Array | None = None
) -> Assembled:
    """Residual and matrices at a place; drag about the velocity of the nodes (m/s) where it is given."""
    mesh = unknowns.mesh
    local = evaluate_local(model, unknowns, place, mass_damping, velocity)
    screens = _screens(model, unknowns, place.r, velocity, local)
    S, S_in = movement(model, unknowns, place.quaternion)
    n = unknowns.size
    nodal_M = nodal(unknowns.first, local.M, local.node_M)
    nodal_B = nodal(unknowns.first, local.B, local.node_B + local.node_drag)
    nodal_K = _stiffness(unknowns.first, local)
    if screens is not None:
        nodal_K, nodal_B = nodal_K + screens.K, nodal_B + screens.B
    G = _length_rows(unknowns.first, local.tangent, S.shape[0])
    m = unknowns.tension.size
    E = csr_matrix((np.ones(m), (np.arange(m), unknowns.tension)), shape=(m, n))
    GS, GS_in = G @ S, G @ S_in
    # lengths that cannot change have nothing to damp; what the mesh gives them is for snaps in time
    tau = diags(np.where(local.give > 0.0, unknowns.mesh.element["damping"], 0.0))
    bodies = tuple(
        body_terms(model, mesh.bodies, k, place.body_position[k], place.quaternion[k], mass_damping)
        for k in range(len(model.names.bodies))
    )
    own_K, own_B, own_M, own_R = _own(model, unknowns, place, local, bodies)
    links = link_matrices(model, unknowns, place) if unknowns.link.size or model.links.names else None
    K = S.T @ nodal_K @ S + E.T @ GS + GS.T @ E - E.T @ diags(local.give) @ E + own_K
    residual: Array = S.T @ local.R.reshape(-1) + E.T @ local.miss + own_R
    B = S.T @ nodal_B @ S + E.T @ tau @ GS + own_B
    K_in, B_in = S.T @ nodal_K @ S_in + E.T @ GS_in, S.T @ nodal_B @ S_in + E.T @ tau @ GS_in
    if links is not None:
        K, B, residual = K + links.K, B + links.B, residual + links.residual
        K_in, B_in = K_in + links.K_in, B_in + links.B_in
    return Assembled(
        residual=residual,
        M=(S.T @ nodal_M @ S + own_M).tocsc(),
        B=B.tocsc(),
        K=K.tocsc(),
        M_in=(S.T @ nodal_M @ S_in).tocsc(),
        B_in=B_in.tocsc(),
        K_in=K_in.tocsc(),
        P=(identity(n) + E.T @ diags(np.abs(place.T) / unknowns.mesh.element["length"]) @ GS).tocsc(),
        S=S,
        S_in=S_in,
        local=local,
        bodies=bodies,
        screens=screens,
    )


def nodal(first: Ints, halves: Array, own: Array) -> bsr_matrix:
    """Block-diagonal matrix of the rows from (n_elements, 2, 3, 3) halves and (n_rows, 3, 3) nodes."""
    blocks = own.copy()
    np.add.at(blocks, first, halves[:, 0])
    np.add.at(blocks, first + 1, halves[:, 1])
    n = blocks.shape[0]
    return bsr_matrix((blocks, np.arange(n), np.arange(n + 1)), shape=(3 * n, 3 * n)).tocsr()


def _stiffness(first: Ints, local: Local) -> csr_matrix:
    n = local.node_K.shape[0]
    m = first.size
    node = np.stack([first, first + 1], axis=1)
    row = 3 * np.broadcast_to(node[:, :, None, None, None], (m, 2, 2, 3, 3)) + np.arange(3)[:, None]
    column = 3 * np.broadcast_to(node[:, None, :, None, None], (m, 2, 2, 3, 3)) + np.arange(3)
    K = coo_matrix((local.K.ravel(), (row.ravel(), column.ravel())), shape=(3 * n, 3 * n)).tocsr()
    own = bsr_matrix((local.node_K, np.arange(n), np.arange(n + 1)), shape=(3 * n, 3 * n)).tocsr()
    return K + own


def _length_rows(first: Ints, tangent: Array, n: int) -> csr_matrix:
    """(n_elements, n) derivative of the lengths by the rows of positions."""
    m = first.size
    row = np.repeat(np.arange(m), 6)
    column = np.concatenate([3 * first[:, None] + np.arange(3), 3 * first[:, None] + np.arange(3, 6)], axis=1)
    return csr_matrix((np.concatenate([-tangent, tangent], axis=1).ravel(), (row, column.ravel())), shape=(m, n))


def _own(
    model: Model, unknowns: Unknowns, place: Place, local: Local, bodies: tuple[BodyTerms, ...]
) -> tuple[csr_matrix, csr_matrix, csr_matrix, Array]:
    """Springs and forces of joints, and bodies: K, B, M and residual over the unknowns."""
    points, n = model.points, unknowns.size
    residual: Array = np.zeros(n)
    place_of = place.r[unknowns.mesh.s.size :]
    spring = np.zeros(n)
    for j, axis in zip(*np.nonzero(unknowns.point >= 0), strict=True):
        row = unknowns.point[j, axis]
        pull, spring[row] = spring_pull(points.axis[j, axis], tuple(place_of[j] - points.position[j]))
        residual[row] = -pull
    K: list[Any] = [diags(spring)]
    B: list[Any] = [csr_matrix((n, n))]
    M: list[Any] = [csr_matrix((n, n))]
    for k in np.flatnonzero(model.bodies.joint == LOOSE):
        rows, terms = unknowns.body[k], bodies[k]
        residual[rows] -= terms.wrench
        stiffness = terms.K + _turning_ends(model, unknowns, place, local, int(k))
        for target, block in ((K, stiffness), (B, terms.B + terms.drag), (M, terms.M)):
            target.append(placed(block, rows, n))
    return sum(K[1:], K[0]), sum(B[1:], B[0]), sum(M[1:], M[0]), residual


def placed(block: Array, rows: Ints, n: int) -> csr_matrix:
    """(n, n) matrix with one dense block on given rows and columns."""
    i, j = np.meshgrid(rows, rows, indexing="ij")
    return csr_matrix((block.ravel(), (i.ravel(), j.ravel())), shape=(n, n))


def _turning_ends(model: Model, unknowns: Unknowns, place: Place, local: Local, k: int) -> Array:
    """(6, 6) stiffness of line ends that turn with body k while the lines' forces keep their direction."""
    lines = model.lines
    block: Array = np.zeros((6, 6))
    R = rotation_matrix(place.quaternion[k])
    for line, side in zip(*np.nonzero((lines.end_kind == BODY) & (lines.end_index == k)), strict=True):
        arm, f = R @ lines.end_offset[line, side], local.R[unknowns.ends[line, side]]
        block[3:, 3:] += np.outer(arm, f) - (arm @ f) * np.eye(3)
    return block
