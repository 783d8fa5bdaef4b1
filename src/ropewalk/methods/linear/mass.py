r"""Coordinates in which all mass is one: :math:`W^T M W` has ones and zeros on its diagonal and nothing else.

Masses are lumped, so M falls into small blocks: three unknowns of a node, up to six of a body. In these
coordinates the inner product of M is the plain one, and a shifted matrix :math:`K - \sigma M` is K with its diagonal
changed.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix, csc_matrix
from scipy.sparse.csgraph import connected_components

from ropewalk.model.arrays import Array, Flags, Ints

MASSLESS = 1e-13  # of the diagonal of M, left of it after elimination: round-off of a direction without mass


def unit_mass(M: csc_matrix) -> tuple[csc_matrix, Flags]:
    """W (n, n), and which coordinates have mass (n,).

    M : symmetric, semidefinite, of small blocks; a direction of a block without mass is kept with its old scale
    """
    n = M.shape[0]
    _, label = connected_components(M, directed=False)
    order = np.argsort(label, kind="stable")
    size = np.bincount(label)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    inside = np.empty(n, dtype=np.int64)  # place of each unknown in its block
    inside[order] = np.arange(n) - np.repeat(first, size)
    entries = M.tocoo()  # of a csc matrix: every entry once
    parts: list[tuple[Ints, Ints, Array]] = []
    massive = np.zeros(n, dtype=bool)
    for width in np.unique(size):
        blocks = np.flatnonzero(size == width)
        number = np.full(size.size, -1)
        number[blocks] = np.arange(blocks.size)
        members = order[first[blocks][:, None] + np.arange(width)]
        own = number[label[entries.row]] >= 0
        dense = np.zeros((blocks.size, width, width))
        i, j, v = entries.row[own], entries.col[own], entries.data[own]
        dense[number[label[i]], inside[i], inside[j]] = v
        block, has_mass = _unit_blocks(dense)
        massive[members] = has_mass
        b, p, q = np.nonzero(block)
        parts.append((members[b, p], members[b, q], block[b, p, q]))
    row, column, value = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return coo_matrix((value, (row, column)), shape=(n, n)).tocsc(), massive


def _unit_blocks(M: Array) -> tuple[Array, Flags]:
    """W (m, b, b) of blocks M (m, b, b) by M = L D L^T and W = L^-T D^-1/2; and which of D are not zero (m, b)."""
    width = M.shape[1]
    rest, W = M.copy(), np.tile(np.eye(width), (M.shape[0], 1, 1))
    massive = np.zeros(M.shape[:2], dtype=bool)
    root = np.ones(M.shape[:2])
    for k in range(width):
        d = rest[:, k, k].copy()
        massive[:, k] = d > MASSLESS * M[:, k, k]
        pivot = np.where(massive[:, k], d, 1.0)
        root[:, k] = np.sqrt(pivot)
        column = np.where(massive[:, k, None], rest[:, :, k] / pivot[:, None], 0.0)
        for i in range(k + 1, width):
            rest[:, i, :] -= column[:, i, None] * rest[:, k, :]
            W[:, :, i] -= column[:, i, None] * W[:, :, k]
    return W / root[:, None, :], massive
