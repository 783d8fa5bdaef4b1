"""Solutions and the determinant of a sparse matrix by one factorisation, without threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu

IN_ORDER: dict[str, Any] = {"permc_spec": "NATURAL", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}


class Factors:
    """P A Q = L U of a square matrix; raises numpy's LinAlgError for one that is singular or not finite."""

    def __init__(self, matrix: Any, *, ordered: bool = False) -> None:
        """matrix : (n, n), dense or sparse    ordered : without pivoting, for a matrix that is in a good order"""
        A = csc_array(matrix)
        if not np.all(np.isfinite(A.data)):
            raise np.linalg.LinAlgError("the matrix is not finite")
        try:
            self._lu: Any = splu(A, **(IN_ORDER if ordered else {}))
        except RuntimeError:  # exactly singular, as scipy has it
            raise np.linalg.LinAlgError("the matrix is singular") from None

    def solve(self, right: Any, *, transposed: bool = False) -> Any:
        """x with A x = right, or A^T x = right, real or complex; right : (n,) or (n, k)."""
        x = self._lu.solve(right, trans="T" if transposed else "N")
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
