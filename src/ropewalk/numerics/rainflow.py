"""Rainflow counting: the closed cycles of a history, and what is left of it as half cycles."""

from __future__ import annotations

import numpy as np

from ropewalk.numerics.compile import kernel

HALF, FULL = 0.5, 1.0


@kernel
def count_cycles(x, stack, ranges, means, counts):
    r"""Rainflow cycles of a history; gives their number.

    The three-point method of [ASTM_E1049], sec. 5.4.4: of three reversals in a row a, b, c the range :math:`|b - a|` is
    a cycle if :math:`|c - b| \ge |b - a|`; a full one, unless a is where the history begins, and then a half one. What
    is left at the end counts as half cycles. The first and the last point count as reversals. One pass, one look at
    each point.

    x : (n,) history    stack : (n,) memory    ranges, means, counts : (n,) filled with cycles in the order they close
    """
    found = 0
    depth = 0
    n = x.size
    if n == 0:
        return 0
    last = x[0]  # the newest extreme on the way, pushed once the history turns
    rising = 0
    for i in range(n):
        value = x[i]
        if i == 0:
            stack[0] = value
            depth = 1
            continue
        if value == last:
            continue
        way = 1 if value > last else -1
        if rising != 0 and way != rising:
            stack[depth] = last
            depth += 1
            depth, found = _close(stack, depth, ranges, means, counts, found)
        rising = way
        last = value
    if rising != 0:
        stack[depth] = last
        depth += 1
        depth, found = _close(stack, depth, ranges, means, counts, found)
    for i in range(depth - 1):
        ranges[found] = abs(stack[i + 1] - stack[i])
        means[found] = 0.5 * (stack[i + 1] + stack[i])
        counts[found] = HALF
        found += 1
    return found


@kernel(inline="always")
def _close(stack, depth, ranges, means, counts, found):
    """Take all cycles off the top of the stack that its newest reversal closes.

    Source: [ASTM_E1049], sec. 5.4.4: a cycle of range = |b - a| where |c - b| >= |b - a|.
    """
    while depth >= 3:
        a, b, c = stack[depth - 3], stack[depth - 2], stack[depth - 1]
        if abs(c - b) < abs(b - a):
            break
        ranges[found] = abs(b - a)
        means[found] = 0.5 * (a + b)
        if depth == 3:
            counts[found] = HALF
            stack[0], stack[1] = b, c
            depth = 2
        else:
            counts[found] = FULL
            stack[depth - 3] = c
            depth -= 2
        found += 1
    return depth, found


def rainflow(x):
    """Ranges, means and counts (1 or 0.5) of the rainflow cycles of a history (n,), in the order they close."""
    x = np.ascontiguousarray(x, dtype=np.float64)
    memory = np.empty((4, x.size))
    n = count_cycles(x, memory[0], memory[1], memory[2], memory[3])
    return memory[1, :n].copy(), memory[2, :n].copy(), memory[3, :n].copy()
