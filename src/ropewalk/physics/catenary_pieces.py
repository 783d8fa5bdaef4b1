r"""Sums of closed forms along a line of several pieces, with point loads at the junctions.

Conventions: see :mod:`ropewalk.physics.catenary`. Piece i has unstretched length L[i], flexibility
1/EA[i] and net weight w[i] per metre, of either sign; load[i] is the net weight (N, down) of what hangs
at the junction after piece i, so `load` is one shorter than `L`.

For given H the vertical force at an end determines the rest. The distances are the gradient of a convex
complementary energy of (H, V), so each height grows with V, and the span at given heights grows with H.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ropewalk.numerics.bracket import bracketed, bracketed_positive
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.catenary_free import arc, hyperbolic

ONE_DIRECTION = 0.1  # spread of V over T under which the determinant of the compliance is integrated
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)  # error (0.1/4)^12 at that spread
GAUSS_POINT = 0.5 + 0.5 * _NODES  # on (0, 1)
GAUSS_WEIGHT = 0.5 * _WEIGHTS
WEIGHTLESS = 1.0e-60  # weight over tension under which a piece is a straight bar and lambda^3 could underflow
TIGHT = 1.0e-15  # of the line's length: sums over pieces are not computed closer than this
PATIENCE = 30  # Newton steps before the bracket is halved instead; smooth cases need fewer than ten
GROWTH = 9.0  # largest relative growth of H in one step


class Pieces(NamedTuple):
    """A line from A to B; n pieces."""

    L: Any  # (n,) unstretched length, m
    flexibility: Any  # (n,) 1/EA, 1/N
    w: Any  # (n,) net weight, N/m
    load: Any  # (n - 1,) net weight at the junctions, N


class Hanging(NamedTuple):
    """Distances from A to B of a line that hangs free (m), and their derivatives (m/N); z_H = x_V."""

    x: float
    z: float
    x_H: float
    x_V: float
    z_V: float


class Leg(NamedTuple):
    """Span, unstretched length and height of the part between an end and the bed (m), and derivatives (m/N)."""

    X: float
    S: float
    Z: float
    X_H: float
    X_V: float
    S_V: float
    Z_H: float
    Z_V: float


@kernel(**UNCOUNTED)
def piece(s, H, u, w, flexibility):
    r"""Distances (m) along s metres of hanging line and their derivatives (m/N) by H and by u.

    Returns x, z, x_H, x_u = z_H and z_u; in the terms of :mod:`ropewalk.physics.catenary` and with
    :math:`t = \tanh\mu`, :math:`r = \operatorname{sech}\mu`, :math:`d = t^2 + r^2\cosh^2\lambda`

    .. math:: x_H = \frac{2}{|w| d}\bigl(\lambda t^2 + r^2\cosh\lambda(\lambda\cosh\lambda - \sinh\lambda)\bigr)
              + \frac{s}{EA}, \quad x_u = -\frac{2 t r \sinh\lambda}{|w| d}, \quad
              z_u = \frac{2 r^2 \sinh\lambda\cosh\lambda}{|w| d} + \frac{s}{EA}

    Source: derivatives of the closed form of [Irvine1981], ch. 1. At H = 0 the first is infinite if V
    changes sign along the piece.
    """
    x, z = arc(s, H, u, w, flexibility)
    v = u + w * s
    tu = math.hypot(H, u)
    tv = math.hypot(H, v)
    slope = s * flexibility
    if s <= 0.0:
        return x, z, 0.0, 0.0, 0.0
    weight = abs(w) * s
    if weight <= WEIGHTLESS * (tu + tv):
        if tu == 0.0:
            return x, z, math.inf, 0.0, math.inf
        return x, z, s * (u / tu) ** 2 / tu + slope, -s * (H / tu) * (u / tu) / tu, s * (H / tu) ** 2 / tu + slope
    if H == 0.0:
        if u * v <= 0.0:
            return x, z, math.inf, 0.0, (2.0 / abs(w) if u * v < 0.0 else 0.0) + slope
        return x, z, abs(math.log(v / u)) / abs(w) + slope, 0.0, slope
    q = 0.5 * weight * (x / (H * s) - flexibility)
    sinh, cosh, _, qc_s = hyperbolic(q)
    tc = (u + v) / (tu + tv) / cosh
    r = 2.0 * H * sinh / weight
    den = (tc * tc + r * r) * abs(w)
    x_H = 2.0 * (q * tc * tc + r * r * (qc_s / cosh)) / den + slope
    z_u = 2.0 * r * r * (sinh / cosh) / den + slope
    return x, z, x_H, -2.0 * tc * r * (sinh / cosh) / den, z_u


@kernel(**UNCOUNTED)
def hang(H, V, pieces):
    r"""Distances (m) from A to B of pieces that hang free, V at A; returns `Hanging`.

    .. math:: x = \sum_i x_i(H, V_i), \qquad V_{i+1} = V_i + w_i L_i + P_i

    Source: docs/theory/catenary.md, Several pieces.
    """
    L, flexibility, w, load = pieces
    x = z = x_H = x_V = z_V = 0.0
    for i in range(L.size):
        a, b, c, d, e = piece(L[i], H, V, w[i], flexibility[i])
        x += a
        z += b
        x_H += c
        x_V += d
        z_V += e
        V += w[i] * L[i]
        if i < load.size:
            V += load[i]
    return Hanging(x, z, x_H, x_V, z_V)


@kernel(**UNCOUNTED)
def compliance_determinant(H, V, state, pieces):
    r"""Determinant (m2/N2) of the compliance in the `state` that :func:`hang` returns, positive also when nearly taut.

    Source: own derivation from docs/theory/catenary.md, Suspended (compliance as a sum of integrals along s).

    Where all of the line has nearly one direction the products cancel; then, with
    :math:`p = (V, -H)/T` the unit normal and :math:`F = \sum L/EA`,

    .. math:: \det = F^2 + F \int \frac{ds}{T} + H^2 (m_0 m_2 - m_1^2), \qquad
              m_k = \int \frac{(V - V_A)^k}{T^3}\, ds

    by Gauss's rule, exact to round-off there.
    """
    L, flexibility, w, load = pieces
    low = high = here = V
    for i in range(L.size):
        here += w[i] * L[i]
        low = min(low, here)
        high = max(high, here)
        if i < load.size:
            here += load[i]
            low = min(low, here)
            high = max(high, here)
    if high - low > ONE_DIRECTION * math.hypot(H, V):
        return state.x_H * state.z_V - state.x_V * state.x_V
    m0 = m1 = m2 = m3 = give = 0.0
    here = V
    for i in range(L.size):
        give += L[i] * flexibility[i]
        for k in range(GAUSS_POINT.size):
            v = here + w[i] * L[i] * GAUSS_POINT[k]
            T = math.hypot(H, v)
            weight = GAUSS_WEIGHT[k] * L[i] / T**3
            m0 += weight
            m1 += weight * (v - V)
            m2 += weight * (v - V) * (v - V)
            m3 += weight * T * T
        here += w[i] * L[i]
        if i < load.size:
            here += load[i]
    return give * give + give * m3 + H * H * (m0 * m2 - m1 * m1)


@kernel(**UNCOUNTED)
def leg_of_pieces(H, V, from_b, n_free, pieces):
    r"""The part of a line that hangs between one end, where the vertical force is V, and the bed.

    .. math:: V - \sum w_i L_i - \sum P_i = 0 \quad \text{at the touchdown}

    Source: docs/theory/catenary.md, On a flat bed, summed over pieces.

    Walks from the end (B if `from_b`) until V is used up. The first `n_free` pieces are taken as
    hanging whatever V is; the others must not be buoyant.

    Returns `Leg` (m, m/N).
    """
    L, flexibility, w, load = pieces
    X = S = Z = X_H = X_V = Z_H = Z_V = 0.0
    n = L.size
    for j in range(n):
        if V <= 0.0 and j >= n_free:
            break
        i = n - 1 - j if from_b else j
        f = flexibility[i]
        bottom = V - w[i] * L[i]
        if bottom < 0.0 and j >= n_free:
            s = V / w[i]
            x, z, x_H, x_u, _ = piece(s, H, 0.0, w[i], f)
            T = math.hypot(H, V)
            return Leg(
                X + x,
                S + s,
                Z + z,
                X_H + x_H,
                X_V + H * (1.0 / T + f) / w[i],
                1.0 / w[i],
                Z_H + x_u,
                Z_V + V * (1.0 / T + f) / w[i],
            )
        x, z, x_H, x_u, z_u = piece(L[i], H, bottom, w[i], f)
        X += x
        S += L[i]
        Z += z
        X_H += x_H
        X_V += x_u
        Z_H += x_u
        Z_V += z_u
        V = bottom
        if j < n - 1:
            V -= load[i - 1] if from_b else load[i]
    return Leg(X, S, Z, X_H, X_V, 0.0, Z_H, Z_V)


@kernel(**UNCOUNTED)
def lowest(start, H, V_start, rise, pieces):
    r"""Lowest height (m, not above zero) that the line has beyond s = `start`, from that point on, hanging free.

    .. math:: z_\mathrm{min} = z - \frac{V^2}{w} \left(\frac{1}{T + H} + \frac{1}{2EA}\right) \quad
              \text{where } V < 0 < V + wL

    Source: docs/theory/catenary.md, On a flat bed.

    V_start : V at s = 0 if all of the line hung, N    rise : dz/ds of weightless pieces that carry nothing
    """
    L, flexibility, w, load = pieces
    first = z = least = weight = 0.0
    for i in range(L.size):
        lo = max(first, start)
        length = first + L[i] - lo
        if length > 0.0:
            u = V_start + weight + w[i] * (lo - first)
            if u < 0.0 < u + w[i] * length:
                least = min(least, z - u * u / w[i] * (1.0 / (math.hypot(H, u) + H) + 0.5 * flexibility[i]))
            if w[i] == 0.0 and u == 0.0 and H == 0.0:
                z += rise * length
            else:
                z += arc(length, H, u, w[i], flexibility[i])[1]
            least = min(least, z)
        first += L[i]
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return least


@kernel(**UNCOUNTED)
def slack_gap(dx, dz, V_start, pieces):
    """Gap bridged by weightless pieces without tension when all others hang straight down from V at A.

    Source: docs/theory/catenary.md, Terms: (dx, dz - sum z_i), with z_i of pieces that hang straight down, H = 0.

    Returns the gap's two components and the length of those pieces (m).
    """
    L, flexibility, w, load = pieces
    slack = weight = 0.0
    for i in range(L.size):
        V = V_start + weight
        if w[i] == 0.0 and V == 0.0:
            slack += L[i]
        else:
            dz -= arc(L[i], 0.0, V, w[i], flexibility[i])[1]
        weight += w[i] * L[i]
        if i < load.size:
            weight += load[i]
    return dx, dz, slack


@kernel(**UNCOUNTED)
def whole_length(pieces):
    """Unstretched length of all pieces (m).

    Source: L = sum L_i, docs/theory/catenary.md, Several pieces.
    """
    L = pieces.L
    length = 0.0
    for i in range(L.size):
        length += L[i]
    return length


@kernel(**UNCOUNTED)
def compliance(pieces):
    """Elongation of all pieces under one newton (m/N); 0 if none can stretch.

    Source: C = sum L_i/EA_i, docs/theory/catenary.md, Several pieces.
    """
    L, flexibility = pieces.L, pieces.flexibility
    give = 0.0
    for i in range(L.size):
        give += L[i] * flexibility[i]
    return give


@kernel(**UNCOUNTED)
def net_weight(pieces):
    """Net weight of the line (N).

    Source: W = sum w_i L_i + sum P_i, docs/theory/catenary.md, Several pieces.
    """
    L, w, load = pieces.L, pieces.w, pieces.load
    total = 0.0
    for i in range(L.size):
        total += w[i] * L[i]
        if i < load.size:
            total += load[i]
    return total


@kernel(**UNCOUNTED)
def gross_weight(pieces):
    """Sum of the magnitudes of the weights of the line (N).

    Source: W = sum |w_i| L_i + sum |P_i|: a scale of forces.
    """
    L, w, load = pieces.L, pieces.w, pieces.load
    total = 0.0
    for i in range(L.size):
        total += abs(w[i]) * L[i]
        if i < load.size:
            total += abs(load[i])
    return total


@kernel(**UNCOUNTED)
def flexibility_at(s, pieces):
    """1/EA (1/N) of the piece that holds s (m). Bookkeeping."""
    L, flexibility = pieces.L, pieces.flexibility
    first = 0.0
    for i in range(L.size - 1):
        first += L[i]
        if s < first:
            return flexibility[i]
    return flexibility[-1]


@kernel(**UNCOUNTED)
def force_step(V, f, slope, reach, lo, hi, k):
    """One bracketed step towards f = 0: returns (V, reach, lo, hi); the search is over if V is an end of the bracket.

    Source: Newton's method with a bracket, V = V - f/f', and bisection, [Press2007], sec. 9.4; V stays within `reach`
    of where it was, and the bracket is halved after PATIENCE steps.

    V : N    f, slope : what is to vanish, rising with V, and its derivative    reach : longest step, N, doubled if used
    lo, hi : bracket, N    k : number of the step
    """
    step = min(max(-f / slope, -reach), reach) if slope > 0.0 else -math.copysign(reach, f)
    new, lo, hi = bracketed(V, f, math.nan if k > PATIENCE and not math.isinf(hi - lo) else step, lo, hi)
    if not abs(new) < math.inf:
        new = V - math.copysign(reach, f)
    return new, (2.0 * reach if abs(new - V) >= reach else reach), lo, hi


@kernel(**UNCOUNTED)
def tension_step(H, f, slope, lo, hi, k):
    """One bracketed step towards f = 0: returns (H, relative step, lo, hi); arguments as `force_step`, H > 0.

    Source: as :func:`force_step`, with a step relative to H = exp(ln H).
    """
    step = -f / (H * slope) if slope > 0.0 else -math.copysign(1.0, f)
    patient = not (k > PATIENCE and lo > 0.0 and hi < math.inf)
    new, lo, hi = bracketed_positive(H, f, min(step, GROWTH) if patient else math.nan, lo, hi, 1.0 + GROWTH)
    return new, step, lo, hi
