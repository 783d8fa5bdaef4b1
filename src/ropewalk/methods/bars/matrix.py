r"""The matrix of Newton's method for bars at rest: places and tensions together, without symmetry.

.. math::
    \begin{pmatrix} B - \partial f/\partial r + \sum \frac{T}{|d|} (1 - t t^T) & -A \\
                    \phi_l A^T & \phi_T \end{pmatrix}
    \begin{pmatrix} \delta r \\ \delta T \end{pmatrix} = \begin{pmatrix} R \\ -\phi \end{pmatrix}

A holds :math:`t` and :math:`-t` at the ends of each bar, B what resists a step, :math:`\phi` the law of each bar with
its derivatives by length and tension. The derivative of the loads has no symmetry (drag turns with the bars), so the
matrix is factorised with pivots.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from ropewalk.methods.bars.arrays import Bars
from ropewalk.methods.bars.slopes import Pattern
from ropewalk.model.arrays import Array, Flags, Ints
from ropewalk.numerics.sparse_lu import Factors

HELD = -1  # number of a component that does not move


class Matrix:
    """Where each block goes, found once."""

    def __init__(self, bars: Bars, pattern: Pattern, fixed: Flags) -> None:
        """fixed : (n,) nodes that do not move, beside those that are held"""
        n, m = bars.mass.size, bars.length.size
        loose = (bars.loose > 0.0) & ~fixed[:, None]
        self.number: Ints = np.where(loose, np.cumsum(loose.ravel()).reshape(n, 3) - 1, HELD)
        self.axes = bars.axes
        self.n_places = int(loose.sum())
        self.size = self.n_places + m
        self.pattern = pattern
        self.a, self.b = bars.node[:, 0], bars.node[:, 1]
        rows, columns = [], []
        every = np.arange(n)
        for i, j in (
            (pattern.row, pattern.column),
            (self.a, self.a), (self.b, self.b), (self.a, self.b), (self.b, self.a), (every, every),
        ):  # fmt: skip
            rows.append(np.broadcast_to(self.number[i][:, :, None], (i.size, 3, 3)).ravel())
            columns.append(np.broadcast_to(self.number[j][:, None, :], (j.size, 3, 3)).ravel())
        tension = self.n_places + np.arange(m)
        for end in (self.a, self.b):
            rows += [self.number[end].ravel(), np.repeat(tension, 3)]
            columns += [np.repeat(tension, 3), self.number[end].ravel()]
        row, column = np.concatenate([*rows, tension]), np.concatenate([*columns, tension])
        self.kept = (row != HELD) & (column != HELD)
        keys, self.where = np.unique(column[self.kept] * self.size + row[self.kept], return_inverse=True)
        self.indices = (keys % self.size).astype(np.int32)
        self.indptr = np.searchsorted(keys // self.size, np.arange(self.size + 1)).astype(np.int32)

    def along_axes(self, vectors: Array) -> Array:
        """(n_places,) components of vectors (n, 3) that can move."""
        turned = np.einsum("nij,nj->ni", self.axes, vectors)
        out: Array = np.zeros(self.n_places)
        out[self.number[self.number != HELD]] = turned[self.number != HELD]
        return out

    def from_axes(self, components: Array) -> Array:
        """(n, 3) vectors of components (n_places,)."""
        turned: Array = np.zeros(self.number.shape)
        turned[self.number != HELD] = components[self.number[self.number != HELD]]
        vectors: Array = np.einsum("nij,ni->nj", self.axes, turned)
        return vectors

    def solve(self, slopes: Array, shift: Array, stretch: tuple[Array, Array, Array], law: tuple[Array, Array],
              right: Array) -> tuple[Array, Array]:  # fmt: skip
        """Steps of the places (n, 3) and tensions (m,).

        slopes : (p, 3, 3) of the loads    shift : (n, 3, 3) B, N/m    stretch : directions, lengths and tensions of the
        bars    law : (m,) derivatives of phi by length and by tension    right : R along the axes, and -phi
        """
        t, size, tension = stretch
        by_length, by_tension = law
        E = self.axes
        across = (tension / size)[:, None, None] * (np.eye(3) - t[:, :, None] * t[:, None, :])
        blocks = (
            (self.pattern.row, self.pattern.column, -slopes),
            (self.a, self.a, across), (self.b, self.b, across), (self.a, self.b, -across), (self.b, self.a, -across),
        )  # fmt: skip
        values = [np.einsum("pij,pjk,plk->pil", E[i], block, E[j]).ravel() for i, j, block in blocks]
        values.append(np.einsum("pij,pjk,plk->pil", E, shift, E).ravel())
        for end, sign in ((self.a, 1.0), (self.b, -1.0)):
            pull = sign * np.einsum("mij,mj->mi", E[end], t)
            values += [-pull.ravel(), (-by_length[:, None] * pull).ravel()]
        values.append(by_tension)
        data = np.bincount(self.where, weights=np.concatenate(values)[self.kept], minlength=self.indices.size)
        matrix = csc_array((data, self.indices, self.indptr), shape=(self.size, self.size))
        x = Factors(matrix).solve(right)
        return self.from_axes(x[: self.n_places]), x[self.n_places :]
