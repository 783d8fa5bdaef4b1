r"""Sparse block elimination with a pattern that stays the same, for systems of joints between chains.

Unknowns come in groups (a body's six with the multipliers that go with it). The order of the groups is that of minimum
degree, which on trees takes leaves before roots and leaves no fill; loops fill as little as that order allows. Inside a
group rows are exchanged, between groups not: multipliers belong to the group of the later of the parts they connect,
where their own block is no longer zero, so that every group has a regular pivot. The matrix need not be symmetric
(rotations and drag make it unsymmetric), its pattern is.

Source: [Davis2006], chapters 4 and 7, for orders and fill; block form ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.numerics.blockelimination import TINY_PIVOT
from ropewalk.numerics.compile import UNCOUNTED, kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

WORTH_FROM = 80  # unknowns from which this is faster than one dense elimination (measured: equal at 60 to 90)


class BlockFactor(NamedTuple):
    """Pattern and memory. Groups are numbered in the order of elimination; no groups: not worth it."""

    start: Ints  # (n + 1,) into `member`
    member: Ints  # (m,) unknowns, group by group
    later_start: Ints  # (n + 1,) into `later`
    later: Ints  # groups coupled to each group after it, rising
    own: Ints  # (n,) where the block of each group stands in `value`
    ahead: Ints  # as `later`: where the block (group, later) stands
    below: Ints  # as `later`: where the block (later, group) stands
    target_start: Ints  # (n,) into `target`
    target: Ints  # where the block (later i, later j) stands, for all pairs of each group
    value: Floats  # all blocks, row by row
    right: Floats  # (m,) in the order of `member`
    front: Floats  # (largest group, largest front + 1)


def no_factor() -> BlockFactor:
    """Where a dense elimination is faster."""
    none = np.zeros(0, dtype=np.int64)
    return BlockFactor(none, none, none, none, none, none, none, none, none, np.zeros(0), np.zeros(0), np.zeros((0, 0)))


def order_by_degree(n: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Groups 0 to n - 1 in an order of minimum degree; ties by number.

    pairs : of coupled groups
    """
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in pairs:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    left, order = set(range(n)), []
    buckets: dict[int, set[int]] = {}
    for i in range(n):
        buckets.setdefault(len(near[i]), set()).add(i)
    while left:
        degree = next(d for d in range(n) if buckets.get(d))
        i = min(buckets[degree])
        order.append(i)
        left.discard(i)
        buckets[degree].discard(i)
        for j in near[i]:
            buckets[len(near[j])].discard(j)
            near[j] |= near[i]
            near[j] -= {i, j}
            buckets.setdefault(len(near[j]), set()).add(j)
    return order


def analyse(groups: Sequence[Sequence[int]], pairs: Sequence[tuple[int, int]]) -> BlockFactor:
    """Pattern for groups of unknowns in their order of elimination.

    groups : unknowns of each, all of 0 to m - 1 once    pairs : of coupled groups
    """
    n = len(groups)
    size = [len(group) for group in groups]
    after: list[set[int]] = [set() for _ in range(n)]
    for i, j in pairs:
        if i != j:
            after[min(i, j)].add(max(i, j))
    for k in range(n):  # eliminating k couples all that come after it
        if after[k]:
            first = min(after[k])
            after[first] |= after[k] - {first}
    later = [sorted(s) for s in after]
    place: dict[tuple[int, int], int] = {}
    total = 0
    for k in range(n):
        for pair in [(k, k), *((k, j) for j in later[k]), *((j, k) for j in later[k])]:
            place[pair] = total
            total += size[pair[0]] * size[pair[1]]
    target = [[place[(i, j)] for i in later[k] for j in later[k]] for k in range(n)]
    widest = max((size[k] + sum(size[j] for j in later[k]) for k in range(n)), default=0)
    return BlockFactor(
        start=_offsets(size),
        member=_flat(groups),
        later_start=_offsets([len(s) for s in later]),
        later=_flat(later),
        own=_flat([[place[(k, k)] for k in range(n)]]),
        ahead=_flat([[place[(k, j)] for j in later[k]] for k in range(n)]),
        below=_flat([[place[(j, k)] for j in later[k]] for k in range(n)]),
        target_start=_offsets([len(t) for t in target])[:-1],
        target=_flat(target),
        value=np.zeros(total),
        right=np.zeros(sum(size)),
        front=np.zeros((max(size, default=0), widest + 1)),
    )


def _flat(lists: Any) -> Ints:
    return np.array([i for part in lists for i in part], dtype=np.int64)


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@kernel(**UNCOUNTED)
def _take(matrix, f, i, j, at):
    """Move the block of groups i and j out of the matrix, leaving zeros there. Bookkeeping."""
    for p in range(f.start[i], f.start[i + 1]):
        for q in range(f.start[j], f.start[j + 1]):
            f.value[at] = matrix[f.member[p], f.member[q]]
            matrix[f.member[p], f.member[q]] = 0.0
            at += 1


@kernel(**UNCOUNTED)
def _reduce(front, size, width):
    """Turn the first `size` columns into the unit matrix by row operations with row exchange; False if singular.

    Source: Gauss-Jordan elimination with partial pivoting, D^-1 (U, f) = (U', f'), [Golub2013], ch. 3.
    """
    for c in range(size):
        p = c
        for i in range(c + 1, size):
            if abs(front[i, c]) > abs(front[p, c]):
                p = i
        if not abs(front[p, c]) > TINY_PIVOT:  # true for NaN
            return False
        if p != c:
            for j in range(c, width):
                front[c, j], front[p, j] = front[p, j], front[c, j]
        inverse = 1.0 / front[c, c]
        for j in range(c + 1, width):
            front[c, j] *= inverse
        for i in range(size):
            factor = front[i, c]
            if i != c and factor != 0.0:
                for j in range(c + 1, width):
                    front[i, j] -= factor * front[c, j]
    return True


@kernel(**UNCOUNTED)
def _eliminate(k, f):
    r"""Eliminate group k: its row of blocks becomes that of its unknowns by the later ones; False if singular.

    .. math:: x_k = D_k^{-1} \left(f_k - \sum_{j > k} U_{kj} x_j\right)

    Source: [Davis2006], ch. 4 and 7, in block form.
    """
    s0, size = f.start[k], f.start[k + 1] - f.start[k]
    front, width = f.front, size
    for p in range(size):
        for q in range(size):
            front[p, q] = f.value[f.own[k] + p * size + q]
    for m in range(f.later_start[k], f.later_start[k + 1]):
        n = f.start[f.later[m] + 1] - f.start[f.later[m]]
        for p in range(size):
            for q in range(n):
                front[p, width + q] = f.value[f.ahead[m] + p * n + q]
        width += n
    for p in range(size):
        front[p, width] = f.right[s0 + p]
    if not _reduce(front, size, width + 1):
        return False
    for p in range(size):
        f.right[s0 + p] = front[p, width]
    column = size
    for m in range(f.later_start[k], f.later_start[k + 1]):
        n = f.start[f.later[m] + 1] - f.start[f.later[m]]
        for p in range(size):
            for q in range(n):
                f.value[f.ahead[m] + p * n + q] = front[p, column + q]
        column += n
    _spread(k, f)
    return True


@kernel(**UNCOUNTED)
def _spread(k, f):
    r"""What the elimination of group k leaves on the later ones.

    .. math:: A_{ij} \to A_{ij} - L_{ik} D_k^{-1} U_{kj}

    Source: Schur complement, [Davis2006], ch. 4.
    """
    size, front, at = f.start[k + 1] - f.start[k], f.front, f.target_start[k]
    width = size
    for m in range(f.later_start[k], f.later_start[k + 1]):
        width += f.start[f.later[m] + 1] - f.start[f.later[m]]
    for a in range(f.later_start[k], f.later_start[k + 1]):
        i0 = f.start[f.later[a]]
        rows = f.start[f.later[a] + 1] - i0
        for p in range(rows):
            for c in range(size):
                factor = f.value[f.below[a] + p * size + c]
                if factor == 0.0:
                    continue
                f.right[i0 + p] -= factor * front[c, width]
                column, t = size, at
                for b in range(f.later_start[k], f.later_start[k + 1]):
                    n = f.start[f.later[b] + 1] - f.start[f.later[b]]
                    for q in range(n):
                        f.value[f.target[t] + p * n + q] -= factor * front[c, column + q]
                    column += n
                    t += 1
        at += f.later_start[k + 1] - f.later_start[k]


@kernel(**UNCOUNTED)
def solve_blocks(matrix, right, f):
    r"""Solve by sparse block elimination; False if a group has no regular pivot.

    .. math:: A x = b, \qquad A = L U \text{ by groups}

    Source: [Davis2006], ch. 4 and 7, in block form.

    matrix : (m, m), of which only the pattern is looked at; left all zeros    right : (m,), replaced by the solution
    """
    n = f.own.size
    for k in range(n):
        _take(matrix, f, k, k, f.own[k])
        for m in range(f.later_start[k], f.later_start[k + 1]):
            _take(matrix, f, k, f.later[m], f.ahead[m])
            _take(matrix, f, f.later[m], k, f.below[m])
    for p in range(right.size):
        f.right[p] = right[f.member[p]]
    for k in range(n):
        if not _eliminate(k, f):
            return False
    for k in range(n - 1, -1, -1):
        size = f.start[k + 1] - f.start[k]
        for m in range(f.later_start[k], f.later_start[k + 1]):
            j0 = f.start[f.later[m]]
            n_j = f.start[f.later[m] + 1] - j0
            for p in range(size):
                total = 0.0
                for q in range(n_j):
                    total += f.value[f.ahead[m] + p * n_j + q] * f.right[j0 + q]
                f.right[f.start[k] + p] -= total
    for p in range(right.size):
        right[f.member[p]] = f.right[p]
    return True
