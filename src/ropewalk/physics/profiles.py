r"""Properties of a section along s: Chebyshev series over intervals of the line.

The series of an interval lie end to end in one flat array with others: at an offset `at` there are the ends of the
interval (m from end A), then `TERMS` coefficients of each property in the order of `PROPERTIES`,

.. math:: y(s) = \sum_k c_k T_k(x), \qquad x = \frac{2 s - a - b}{b - a}.
"""

from __future__ import annotations

from ropewalk.numerics.compile import FUSED, UNCOUNTED, kernel

PROPERTIES = ("mass", "area", "drag_normal", "drag_tangential", "stiffness", "added_normal", "added_tangential")
"""kg/m, displaced m2, coefficient times diameter (m, two), EA (N), multiples of the displaced mass (two)."""
TERMS = 9  # of a series: products of two straight lines need 3, smooth functions are halved until 9 do
HEAD = 2  # numbers before the coefficients: ends of the interval
SIZE = HEAD + len(PROPERTIES) * TERMS
MASS, AREA, DRAG_NORMAL, DRAG_TANGENTIAL, STIFFNESS = range(5)  # rows that equilibria need


@kernel(fastmath=FUSED, **UNCOUNTED)
def property_at(s, which, data, at):
    r"""Property `which` of PROPERTIES at s (m from end A), by Clenshaw's recurrence.  data, at : array and offset

    .. math:: y = c_0 + x b_1 - b_2, \qquad b_k = c_k + 2 x b_{k+1} - b_{k+2}

    Source: Clenshaw's recurrence, [Press2007], sec. 5.4.
    """
    a, b = data[at], data[at + 1]
    x = (2.0 * s - a - b) / (b - a)
    first = at + HEAD + which * TERMS
    late, later = 0.0, 0.0
    for k in range(TERMS - 1, 0, -1):
        late, later = data[first + k] + 2.0 * x * late - later, late
    return data[first] + x * late - later
