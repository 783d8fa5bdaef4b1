"""Solutions and the determinant of a sparse matrix by one factorisation, without threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

Array = NDArray[np.float64]


class Factors:
    """P A Q = L U of a square matrix; raises numpy's LinAlgError for one that is singular or not finite."""

    def __init__(self, matrix: Array) -> None:
        if not np.all(np.isfinite(matrix)):
            raise np.linalg.LinAlgError("the matrix is not finite")
        try:
            self._lu: Any = splu(csc_array(matrix))
        except RuntimeError:  # exactly singular, as scipy has it
            raise np.linalg.LinAlgError("the matrix is singular") from None

    def solve(self, right: Array) -> Array:
        """x with A x = right."""
        x: Array = self._lu.solve(right)
        if not np.all(np.isfinite(x)):
            raise np.linalg.LinAlgError("the matrix is singular")
        return x

    def determinant(self) -> tuple[float, float]:
        """Sign of the determinant, and the logarithm of its size."""
        pivots = self._lu.U.diagonal()
        sign = float(np.prod(np.sign(pivots))) * _parity(self._lu.perm_r) * _parity(self._lu.perm_c)
        return sign, float(np.sum(np.log(np.abs(pivots))))


def _parity(order: NDArray[np.int32]) -> float:
    """1 for an even permutation, -1 for an odd one."""
    seen, sign = np.zeros(order.size, dtype=bool), 1.0
    for first in range(order.size):
        k, length = first, 0
        while not seen[k]:
            seen[k] = True
            k, length = int(order[k]), length + 1
        if length and length % 2 == 0:
            sign = -sign
    return sign
