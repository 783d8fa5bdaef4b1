r"""One uniform line in gravity, between two given ends, by closed forms.

The line runs from A to B with unstretched arc length s; x is horizontal from A towards B and z is
up, both from A. ``n(s) = (H, V)`` is the force of the part beyond s on the part before it, w the net
weight per unstretched length, EA the axial stiffness. Without a bed H is constant and V grows by w
per metre ([Irvine1981], ch. 1; [Jonkman2007], mooring model):

.. math:: x = \int \Bigl(\frac{H}{T} + \frac{H}{EA}\Bigr) ds, \qquad
          z = \int \Bigl(\frac{V}{T} + \frac{V}{EA}\Bigr) ds, \qquad T = \sqrt{H^2 + V^2}.

Both problems are here reduced to one monotone scalar equation, so that they cannot fail:

* suspended: with :math:`\operatorname{asinh}(V_{B,A}/H) = \mu \pm \lambda` and
  :math:`\varepsilon = wL/2EA`,
  :math:`z/L = \tanh\mu\,(1 + \varepsilon\coth\lambda)` and
  :math:`x/L = \operatorname{sech}\mu\,(\lambda + \varepsilon)/\sinh\lambda`; eliminating :math:`\mu` leaves
  an equation in :math:`\lambda` whose terms all grow with it;
* resting on a flat bed in its middle or at one end: the vertical force of each hanging leg is explicit
  in H, and the span grows with H.

A line of negative w is solved upside down. A neutral line (w = 0) is straight when taut; when slack
its shape is arbitrary, so it is reported as slack, with no tension and no stiffness, drawn straight.

Friction on the bed is Coulomb's, CB times the weight on the bed. An end that rests on the bed is taken
as the anchor of a line pulled from its other end: the tension falls by CB w per metre from the
touchdown towards it, not below zero. Where both ends hang above the bed, or both lie on it, the bed
part has been pulled from both sides: the tension falls from both touchdowns towards the middle, and
the two ends have the same H. Either way the friction opposes a line being drawn out of the bed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.catenary_bed import bed_stretch, on_bed
from ropewalk.physics.catenary_free import (
    BAD_INPUT,
    GROUNDED,
    MEANING,
    NOT_CONVERGED,
    SLACK_HANGING,
    SLACK_NEUTRAL,
    SLACK_ON_BED,
    SOLUTION,
    SUSPENDED,
    TOO_SHORT,
    arc,
    clear,
    hanging,
)
from ropewalk.physics.catenary_lanes import FOUND, GIVEN, MISS_LIMIT, Queue, solve_abreast

__all__ = [
    "BAD_INPUT",
    "GROUNDED",
    "MEANING",
    "NOT_CONVERGED",
    "SLACK_HANGING",
    "SLACK_NEUTRAL",
    "SLACK_ON_BED",
    "SOLUTION",
    "SUSPENDED",
    "TOO_SHORT",
    "Lines",
    "line_shape",
    "point_on_line",
    "solve_line",
    "solve_lines",
    "solve_many",
]


@kernel(**UNCOUNTED)
def fill_hanging(H, va, vb, kxx, kxz, kzz, out):
    """Write forces (N) and stiffness (N/m) of a line without contact into `out`.

    Source: docs/theory/catenary.md, Suspended: H_A = H_B = H, dH = k_xx dx + k_xz (dz_B - dz_A), and dV likewise.

    H, va, vb : horizontal force, vertical ones at A and B, N    kxx, kxz, kzz : stiffness, N/m
    out : record of SOLUTION
    """
    out.h_a = H
    out.v_a = va
    out.h_b = H
    out.v_b = vb
    out.ground_start = 0.0
    out.ground_end = 0.0
    k = out.stiffness
    for row in (0, 2):
        k[row, 0], k[row, 1], k[row, 2] = kxx, -kxz, kxz
        k[row + 1, 0], k[row + 1, 1], k[row + 1, 2] = kxz, -kzz, kzz


@kernel(**UNCOUNTED)
def weightless(dx, dz, L, EA, out):
    r"""Fill `out` for w = 0: a straight bar when taut, nothing when slack; returns the status.

    .. math:: T = EA\, \frac{c - L}{L}, \qquad K = \frac{EA}{L}\, t t^T + \frac{T}{c}\, (1 - t t^T)

    Source: a straight elastic bar of chord c and direction t, docs/theory/catenary.md, Terms.

    dx, dz, L : distances of the ends and unstretched length, m    EA : axial stiffness, N    out : record of SOLUTION
    """
    chord = math.hypot(dx, dz)
    if chord <= L:
        clear(out)
        return SLACK_NEUTRAL
    if math.isinf(EA):
        return TOO_SHORT
    T = EA * (chord - L) / L
    cx = dx / chord
    cz = dz / chord
    axial = EA / L
    cross = T / chord
    fill_hanging(
        T * cx,
        T * cz,
        T * cz,
        axial * cx * cx + cross * cz * cz,
        (axial - cross) * cx * cz,
        axial * cz * cz + cross * cx * cx,
        out,
    )
    return SUSPENDED


@kernel(**UNCOUNTED)
def _lies_on_bed(dx, h, L, EA, w):
    r"""True if a line with one end on the bed and the other h above it has more than a point on the bed.

    .. math:: V = wL, \quad \tau = wh - \frac{V^2}{2EA}, \quad H = \frac{V^2 - \tau^2}{2\tau}, \qquad
              x < \frac{H}{w} \ln\left(1 + \frac{\tau + V}{H}\right) + \frac{HL}{EA}

    Source: state at lift-off, docs/theory/catenary.md, On a flat bed.

    dx, h, L : distance of the ends, height of the upper one and unstretched length, m    EA : N    w : N/m
    """
    V = w * L
    tau = w * h - 0.5 * V * (V / EA)
    if tau <= 0.0:
        return True
    if tau >= V:
        return False
    H = 0.5 * (V - tau) * (V + tau) / tau
    return dx < H / w * math.log1p((tau + V) / H) + H * L / EA


@kernel(**UNCOUNTED)
def solve_line(dx, dz, L, EA, w, CB, height, out):
    r"""Forces, stiffness and touchdown of one line in gravity, in any regime; returns the status.

    .. math:: x(H, V) = \Delta x, \qquad z(H, V) = \Delta z

    Source: the closed forms of [Irvine1981] and [Jonkman2007], with the unknowns of the module's docstring. A suspended
    line is one equation in lambda, one on the bed one equation in H, each solved by a bracketed Newton iteration.

    dx : horizontal distance of the ends, not negative, m    dz : height of B above A, m
    L : unstretched length, m    EA : axial stiffness, N, may be infinite
    w : net weight per unstretched length, N/m, any sign    CB : friction coefficient of the bed
    height : of A above the bed, m; infinite without a bed. If the lower end lies below the bed, the
    bed is taken at that end.
    out : record of SOLUTION, filled; all zero when the line is refused
    """
    finite = math.isfinite(dx) and math.isfinite(dz) and math.isfinite(L) and math.isfinite(w) and math.isfinite(CB)
    if not (finite and dx >= 0.0 and L > 0.0 and EA > 0.0 and CB >= 0.0) or math.isnan(height):
        clear(out)
        return BAD_INPUT
    if w == 0.0:
        status = weightless(dx, dz, L, EA, out)
    else:
        status = _heavy_or_light(dx, dz, L, EA, w, CB, height, out)
    if status < 0:
        clear(out)
    elif status in (SUSPENDED, SLACK_HANGING):
        x, z = arc(L, out.h_a, out.v_a, w, 1.0 / EA)
        out.miss = math.hypot(x - dx, z - dz)
    if not out.miss <= MISS_LIMIT * (L + dx):
        clear(out)
        return NOT_CONVERGED
    return status


@kernel(**UNCOUNTED)
def _heavy_or_light(dx, dz, L, EA, w, CB, height, out):
    r"""The part of `solve_line` for w != 0 (N/m); the closure error of a line without contact is left to the caller.

    .. math:: \frac{V_A^2}{w} \left(\frac{1}{T_A + H} + \frac{1}{2EA}\right) > h_A \quad \text{touches the bed}

    Source: lowest point of the suspended line, docs/theory/catenary.md, On a flat bed; w < 0 is solved with z = -z.

    Arguments as :func:`solve_line`.
    """
    h_a = height
    h_b = height + dz
    bed = w > 0.0 and height < math.inf
    flat = bed and dz == 0.0 and height <= 0.0 and dx <= L
    if math.isinf(EA) and dx > 0.0 and math.hypot(dx, dz) >= L and not flat:
        return TOO_SHORT
    if bed and min(h_a, h_b) <= 0.0:
        h_a = max(-dz, 0.0)
        h_b = max(dz, 0.0)
        if _lies_on_bed(dx, h_a + h_b, L, EA, w):
            return on_bed(dx, L, EA, w, CB, h_a, h_b, out)
    up = 1.0 if w > 0.0 else -1.0
    status, H, va, vb, kxx, kxz, kzz = hanging(dx, up * dz, L, EA, up * w)
    if status > 0 and bed and va < 0.0 < vb and min(h_a, h_b) > 0.0:
        depth = va * va / w * (1.0 / (math.hypot(H, va) + H) + 0.5 / EA)
        if depth > h_a:
            return on_bed(dx, L, EA, w, CB, h_a, h_b, out)
    fill_hanging(H, up * va, up * vb, kxx, up * kxz, kzz, out)
    return status


@kernel(**UNCOUNTED)
def _stretch_up_to(s, H, g, friction, pulled_at_start, pulled_at_end, flexibility):
    r"""Elongation (m) of the first s metres of a bed part of length g; see :func:`bed_stretch`.

    .. math:: \delta(s) = \int_0^s \frac{\max(n, 0)}{EA}\, ds'

    Source: :func:`bed_stretch`, docs/theory/catenary.md, Friction.

    H : tension at the touchdown, N    friction : C_B w, N/m
    pulled_at_start, pulled_at_end : ends at which a leg rises
    flexibility : 1/EA, 1/N
    """
    rest = bed_stretch(H, g - s, friction, False, flexibility)[0]
    if pulled_at_start == pulled_at_end:
        if s <= 0.5 * g:
            return bed_stretch(H, s, friction, False, flexibility)[0]
        return bed_stretch(H, g, friction, True, flexibility)[0] - rest
    if pulled_at_end:
        return bed_stretch(H, g, friction, False, flexibility)[0] - rest
    return bed_stretch(H, s, friction, False, flexibility)[0]


@kernel(**UNCOUNTED)
def point_on_line(s, dx, dz, L, EA, w, CB, status, solution):
    r"""Position and force at s: x, z from A (m), and H, V (N) of n(s).

    .. math:: x = \int_0^s \left(\frac{H}{T} + \frac{H}{EA}\right) ds', \qquad z = \int_0^s \left(\frac{V}{T}
              + \frac{V}{EA}\right) ds'

    Source: as :func:`solve_line`, whose `status` and filled row `solution` it reads. The tension is
    the length of (H, V). The slack part of a line on the bed is drawn straight and even between the
    feet of its legs, a weightless slack line likewise between its ends.

    Nine arguments: the place, the numbers of one line as :func:`solve_line` takes them, and its solution.
    """
    flexibility = 1.0 / EA
    if status == SLACK_NEUTRAL:
        return dx * s / L, dz * s / L, 0.0, 0.0
    H = max(solution.h_a, solution.h_b)
    if status in (SUSPENDED, SLACK_HANGING):
        x, z = arc(s, H, solution.v_a, w, flexibility)
        return x, z, H, solution.v_a + w * s
    start = solution.ground_start
    end = solution.ground_end
    if s <= start and start > 0.0:
        x, z = arc(s, H, solution.v_a, w, flexibility)
        return x, z, H, solution.v_a + w * s
    x, z = arc(start, H, solution.v_a, w, flexibility)
    g = end - start
    here = min(s, end) - start
    n = H
    if status == SLACK_ON_BED:
        x += dx * here / g if g > 0.0 else 0.0
    else:
        x += here + _stretch_up_to(here, H, g, CB * w, start > 0.0, end < L, flexibility)
        near = g - here if end < L else here
        if (start > 0.0) == (end < L):
            near = min(here, g - here)
        n = max(H - CB * w * near, 0.0)
    if s <= end:
        return x, z, n, 0.0
    leg_x, leg_z = arc(s - end, H, 0.0, w, flexibility)
    return x + leg_x, z + leg_z, H, w * (s - end)


@kernel
def line_shape(s, dx, dz, L, EA, w, CB, status, solution):
    """As :func:`point_on_line` at every s (n,); returns (n, 4) with x, z (m) and H, V (N).

    Nine arguments: those of :func:`point_on_line`.
    """
    rows = np.empty((s.size, 4))
    for i in range(s.size):
        x, z, H, V = point_on_line(s[i], dx, dz, L, EA, w, CB, status, solution)
        rows[i, 0] = x
        rows[i, 1] = z
        rows[i, 2] = H
        rows[i, 3] = V
    return rows


@kernel
def solve_many(lines, status, out):
    """As :func:`solve_line`; `lines` : its arguments, (n,) each; fills `status` (n,) and `out` (n,) of SOLUTION."""
    dx, dz, L, EA, w, CB, height = lines
    for i in range(dx.size):
        status[i] = solve_line(dx[i], dz[i], L[i], EA[i], w[i], CB[i], height[i], out[i])


@kernel
def solve_side_by_side(lines, queue, groups, status, out):
    """As `solve_many`, with lines side by side in vector registers.

    lines, queue : of `solve_abreast`    groups : its `given` and `found`    out : (n,) of SOLUTION
    """
    dx, dz, L, EA, w, CB, height = lines
    for k in range(solve_abreast(lines, queue, groups[0], groups[1], status, out)):
        i = queue.odd[k]
        status[i] = solve_line(dx[i], dz[i], L[i], EA[i], w[i], CB[i], height[i], out[i])


class Lines(NamedTuple):
    """Solutions of n lines; the arrays are views of one block."""

    status: NDArray[np.int64]  # (n,), see MEANING
    force: NDArray[np.float64]  # (n, 2, 2), N, end A or B by (H, V) of n(s)
    ground: NDArray[np.float64]  # (n, 2), m, first and last s on the bed; equal when there is none
    miss: NDArray[np.float64]  # (n,), m
    stiffness: NDArray[np.float64]  # (n, 2, 2, 3), N/m, the derivative of `force` by (dx, z_A, z_B)


def solve_lines(
    span: ArrayLike,
    rise: ArrayLike,
    length: ArrayLike,
    axial_stiffness: ArrayLike,
    weight: ArrayLike,
    friction: ArrayLike = 0.0,
    height: ArrayLike = np.inf,
) -> Lines:
    """Solve many independent lines; the arguments are broadcast and mean what they do in :func:`solve_line`."""
    given = (span, rise, length, axial_stiffness, weight, friction, height)
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in given))
    flat = [np.ascontiguousarray(c).reshape(-1) for c in columns]
    n = flat[0].size
    status = np.empty(n, dtype=np.int64)
    out = np.empty(n, SOLUTION)
    if numba.config.DISABLE_JIT:
        solve_many(tuple(flat), status, out)
    else:
        queue, groups = Queue(*(np.empty(n, np.int64) for _ in range(4))), (np.zeros(1, GIVEN), np.zeros(1, FOUND))
        solve_side_by_side(tuple(flat), queue, groups, status, out)
    block = out.view(np.float64).reshape(n, -1)  # in the order of SOLUTION
    return Lines(
        status,
        block[:, :4].reshape(n, 2, 2),
        block[:, 4:6],
        out["miss"],
        out["stiffness"].reshape(n, 2, 2, 3),
    )
