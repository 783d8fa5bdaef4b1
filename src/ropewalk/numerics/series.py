"""Arithmetic of power series in time, truncated after some power.

A series is its coefficients in the scaled time tau = (t - t0) / T, so that a well chosen T keeps them
of one size. Series of many parts at once lie as ``(power, part)``: sums over powers then run over
contiguous memory.
"""

from __future__ import annotations

import math

import numpy as np

from ropewalk.numerics.compile import kernel

TERM_HEAD = 8  # columns of a motion term before its polynomial: target, begin, end, omega, phase, vector (3)

ORDER_FACTOR = 0.85  # c of `order_for`


@kernel
def add_product(a, b, j, low, high, out):
    r"""Add a slice of the Cauchy product of two families of series to `out`.

    .. math:: e_j \leftarrow e_j + \sum_{r=\text{low}}^{\text{high}} a_r b_{j-r}

    Source: [Filipich2007], eq. (31).

    a, b : (powers, n) coefficients    j : power of the product    low, high : first and last r, both counted
    out : (n,)
    """
    n = out.shape[0]
    for r in range(low, high + 1):
        for k in range(n):
            out[k] += a[r, k] * b[j - r, k]


@kernel
def next_square_root(square, root, j):
    r"""Coefficient j of the square roots of a family of series, the lower ones being known.

    .. math:: s_0 = \sqrt{q_0}, \qquad s_j = \frac{1}{2 s_0} \left( q_j - \sum_{r=1}^{j-1} s_r s_{j-r} \right)

    Source: [Jorba2005], sec. 2.1.  The root is not analytic where its argument vanishes: where q_0 = 0 all
    coefficients are set to 0, and the caller must not use them.

    square : (powers, n) q    root : (powers, n) s, row j is filled
    """
    for k in range(root.shape[1]):
        root[j, k] = square[j, k]
    if j == 0:
        for k in range(root.shape[1]):
            root[0, k] = np.sqrt(root[0, k])
        return
    for r in range(1, j):
        for k in range(root.shape[1]):
            root[j, k] -= root[r, k] * root[j - r, k]
    for k in range(root.shape[1]):
        root[j, k] = root[j, k] / (2.0 * root[0, k]) if root[0, k] > 0.0 else 0.0


@kernel
def evaluate(coefficients, tau, out):
    """Values of a family of series at the scaled time tau, by Horner's rule.

    Source: x = sum x_j tau^j.

    coefficients : (powers, n)    out : (n,)
    """
    powers, n = coefficients.shape
    for k in range(n):
        out[k] = coefficients[powers - 1, k]
    for j in range(powers - 2, -1, -1):
        for k in range(n):
            out[k] = out[k] * tau + coefficients[j, k]


@kernel
def evaluate_rate(coefficients, tau, out):
    """Derivatives with respect to tau of a family of series, by Horner's rule.

    Source: x' = sum j x_j tau^(j - 1).

    coefficients : (powers, n)    out : (n,)
    """
    powers, n = coefficients.shape
    for k in range(n):
        out[k] = (powers - 1) * coefficients[powers - 1, k]
    for j in range(powers - 2, 0, -1):
        for k in range(n):
            out[k] = out[k] * tau + j * coefficients[j, k]


@kernel
def work_integral(force, position, tau):
    r"""Integral of force times rate of position from 0 to tau, of the polynomials as they are.

    Source: term-by-term integration.

    .. math:: W = \sum_i \sum_{j \ge 1} f_i\, j\, x_j\, \frac{\tau^{i+j}}{i+j}

    force : (powers,)    position : (powers,)
    """
    total = 0.0
    left = 1.0
    for i in range(force.shape[0]):
        right = left
        for j in range(1, position.shape[0]):
            right *= tau
            total += force[i] * position[j] * right * j / (i + j)
        left *= tau
    return total


@kernel
def add_term(term, t, scale, out):
    r"""Add the Taylor coefficients at t of a polynomial times a cosine along a vector.

    Source: Taylor shift and Cauchy product, docs/theory/chain_series.md, The series.

    .. math:: x(t) = v\; \left( \sum_m c_m (t - t_b)^m \right) \cos(\omega t - \varphi), \qquad t_b \le t < t_e

    A polynomial that begins at minus infinity counts its time from 0.

    A harmonic motion, a ramp, a constant speed, a piece of a spline are all of this kind; outside its
    interval the term is nothing. The series belongs to the piece that begins at or before t.

    term : (TERM_HEAD + m,) target (not read here), begin, end (s), omega (rad/s), phase (rad), v (3), c_0 ...
    t : expansion time, s    scale : T, s    out : (3, powers) coefficients in (t' - t) / T, added to
    """
    if t < term[1] or t >= term[2]:
        return
    powers = out.shape[1]
    degree = term.shape[0] - TERM_HEAD
    shift = t - term[1] if term[1] > -np.inf else t
    # Taylor shift of the polynomial to t, in scaled time
    c = np.zeros(degree)
    for m in range(degree):
        c[m] = term[TERM_HEAD + m]
    for m in range(degree):
        for k in range(degree - 2, m - 1, -1):
            c[k] += shift * c[k + 1]
    factor = 1.0
    for m in range(degree):
        c[m] *= factor
        factor *= scale
    angle = term[3] * t - term[4]
    cosine, sine = np.cos(angle), np.sin(angle)
    wave = np.empty(powers)
    factor = 1.0
    for j in range(powers):
        quarter = j % 4
        turn = cosine if quarter == 0 else -sine if quarter == 1 else -cosine if quarter == 2 else sine
        wave[j] = factor * turn
        factor *= term[3] * scale / (j + 1)
    for j in range(powers):
        total = 0.0
        for m in range(min(degree, j + 1)):
            total += c[m] * wave[j - m]
        for axis in range(3):
            out[axis, j] += term[5 + axis] * total


@kernel
def next_break(terms, t):
    """First time after t at which a term begins or ends (s); infinity if there is none. Bookkeeping.

    A series must not be used across it.

    terms : (n, TERM_HEAD + m) as for `add_term`
    """
    found = np.inf
    for i in range(terms.shape[0]):
        for column in (1, 2):
            if t < terms[i, column] < found:
                found = terms[i, column]
    return found


@kernel
def step_from_decay(size_before, size_last, power, target):
    r"""Scaled step at which the last two terms of a series are down to a target.

    .. math:: \tau = \min \left( (\epsilon / |a_{p-1}|)^{1/(p-1)},\ (\epsilon / |a_p|)^{1/p} \right)

    Source: [Jorba2005], sec. 3.2, with the target kept explicit, so that it holds for any order: with
    their order it is the radius of convergence over e^2. Two terms, because one of them may be small by
    symmetry.

    size_before, size_last : norms of the coefficients p - 1 and p    power : p    target : same unit as the norms
    """
    step = np.inf
    if size_before > 0.0:
        step = (target / size_before) ** (1.0 / (power - 1))
    if size_last > 0.0:
        step = min(step, (target / size_last) ** (1.0 / power))
    return step


@kernel
def radius_of_convergence(size_before, size_last, power, size_first):
    r"""Estimate of the radius of convergence, in scaled time, from the last two terms.

    .. math:: \rho = \min_{j = p-1, p} (|a_0| / |a_j|)^{1/j}

    Source: [Jorba2005], sec. 3.2.

    size_before, size_last, size_first : norms of the coefficients p - 1, p and 0    power : p
    """
    return step_from_decay(size_before, size_last, power, size_first)


def order_for(tolerance: float) -> int:
    r"""Order of a Taylor series that reaches a relative tolerance with about the least work.

    .. math:: p = \lceil -c \ln \epsilon \rceil + 1

    Source: [Jorba2005], sec. 3.2, where c = 1/2 because work per step grows as p^2 and the best step is
    the radius of convergence over e^2. Where work grows as p, c = 1; here the solves grow as p and the
    products as p^2, and c between 0.75 and 1 measured the same for 10 to 200 links.
    """
    return math.ceil(-ORDER_FACTOR * math.log(tolerance)) + 1
