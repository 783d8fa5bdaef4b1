r"""Drag linearised for motions that are not small: one matrix C per member, :math:`f \approx \bar f + C u'`.

C makes the mean square of what is left smallest [Borgman1967; Roberts1990],

.. math:: C = \langle f u'^T \rangle \langle u' u'^T \rangle^{-1},

with :math:`u'` the motion of the water relative to the member about its mean. In one direction and without
current this is :math:`8/(3\pi)\, b\, \hat u` for a harmonic motion, which takes the same energy per cycle, and
:math:`\sqrt{8/\pi}\, b\, \sigma` for a Gaussian one. Across a direction that does not move C is the mean
slope, so that a small cross motion is damped by the large one.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import erf, gamma

from ropewalk.loads.screen import SCREEN
from ropewalk.methods.linear.screens import screen_samples
from ropewalk.model.arrays import Array, Ints, Records, records
from ropewalk.physics.drag_law import law_samples

PHASES = 32  # of a harmonic motion; |u| u then has 1e-4
SIZES = 4  # of the motion along a member with a law
RADII, ANGLES = 6, 24  # of a Gaussian motion in a plane: 4e-3 where it moves in one direction only
FAINT = 1e-6  # of the mean square: directions that move less take the mean slope
NOTHING = 1e-30  # m2/s2


class Members(NamedTuple):
    """Slender members in water."""

    flow: Array  # (h, 3) mean velocity of the water, m/s
    tangent: Array  # (h, 3) unit
    normal: Array  # (h,) drag per speed squared across, kg/m
    tangential: Array  # (h,) and along, kg/m; with a law both are those of coefficients of 1
    law: Ints  # (h,) address of a law of physics/drag_law.py, 0 for constant coefficients
    width: Array  # (h,) normal without the length of the member, kg/m2: for the Reynolds number of a law


def plain_members(flow: Array, tangent: Array, normal: Array, tangential: Array) -> Members:
    """Members with constant coefficients."""
    return Members(flow, tangent, normal, tangential, np.zeros(normal.size, np.int64), np.zeros(normal.size))


class Panels(NamedTuple):
    """Screens of nets in water."""

    screen: Records  # (s,) of SCREEN of loads/screen.py
    corners: Array  # (s, 4, 3) m
    flow: Array  # (s, 3) mean velocity of the water past them, m/s
    density: float  # of the water, kg/m3


NO_PANELS = Panels(records(0, SCREEN), np.zeros((0, 4, 3)), np.zeros((0, 3)), 0.0)


@cache
def _polar() -> tuple[Array, Array]:
    """(q, 2) points and (q,) weights of the standard normal distribution in a plane.

    Gauss's rule for the density r exp(-r^2/2) of the radius, from its moments [Golub1969], and equal angles: exact
    for polynomials in r, so also for |u|, which is none in the coordinates.
    """
    radius, weight = _rule(np.array([2.0 ** (k / 2) * gamma(k / 2 + 1) for k in range(2 * RADII + 1)]))
    angle = 2.0 * np.pi * (np.arange(ANGLES) + 0.5) / ANGLES
    points = radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return points.reshape(-1, 2), np.repeat(weight / ANGLES, ANGLES)


@cache
def _in_space() -> tuple[Array, Array]:
    """(q, 3) points and (q,) weights of the standard normal distribution in space: those of a plane, and a third.

    The third takes both signs of Gauss's rule for its size, exact for polynomials in |z|.
    """
    size, share = _rule(np.array([2.0 ** (k / 2) * gamma((k + 1) / 2) / np.sqrt(np.pi) for k in range(2 * SIZES + 1)]))
    plane, weight = _polar()
    third = np.concatenate([size, -size])
    points = np.concatenate([np.repeat(plane, third.size, axis=0), np.tile(third, weight.size)[:, None]], axis=1)
    return points, np.repeat(weight, third.size) * np.tile(np.concatenate([share, share]) / 2.0, weight.size)


def _rule(moments: Array) -> tuple[Array, Array]:
    """Points and weights of Gauss's rule from the moments 0 to 2 n of a density [Golub1969]."""
    n = (moments.size - 1) // 2
    hankel = moments[np.add.outer(np.arange(n + 1), np.arange(n + 1))]
    R = np.linalg.cholesky(hankel).T
    ratio = np.append(0.0, np.diag(R, 1)[:n] / np.diag(R)[:n])
    off = np.diag(R)[1:n] / np.diag(R)[: n - 1]
    points, axes = np.linalg.eigh(np.diag(np.diff(ratio)) + np.diag(off, 1) + np.diag(off, -1))
    return points, axes[0] ** 2


def _slope(u: Array, weight: Array, P: Array, b: Array) -> Array:
    """(h, 3, 3) mean derivative of b |u| u over samples u (h, q, 3) that lie in the planes P."""
    speed = np.linalg.norm(u, axis=2)
    direction = u / np.maximum(speed, 1e-150)[:, :, None]
    slant = np.einsum("hq,q,hqi,hqj->hij", speed, weight, direction, direction)
    return b[:, None, None] * (np.einsum("hq,q->h", speed, weight)[:, None, None] * P + slant)


def _across(tangent: Array) -> Array:
    return np.eye(3) - tangent[:, :, None] * tangent[:, None, :]


def harmonic_drag(members: Members, amplitude: Any) -> Array:
    """(h, 3, 3) drag matrices (N s/m) for harmonic motions of complex amplitude (h, 3), m/s."""
    t = members.tangent
    P = _across(t)
    phase = np.exp(-2j * np.pi * (np.arange(PHASES) + 0.5) / PHASES)
    moving = np.real(amplitude[:, None, :] * phase[None, :, None])
    along = np.einsum("hqi,hi->hq", moving, t)
    across = moving - along[:, :, None] * t[:, None, :]
    C = _harmonic(members.flow - np.sum(members.flow * t, axis=1)[:, None] * t, across, P, members.normal)
    s = np.sum(members.flow * t, axis=1)[:, None] + along
    square = np.mean(along**2, axis=1)
    faint = FAINT * square + NOTHING
    c = members.tangential * (np.mean(np.abs(s) * s * along, axis=1) + 2.0 * faint * np.mean(np.abs(s), axis=1))
    C = C + (c / (square + faint))[:, None, None] * t[:, :, None] * t[:, None, :]
    own = np.flatnonzero(members.law)
    if own.size:
        u = members.flow[own][:, None, :] + moving[own]
        f, slope = _law(members, own, u)
        C[own] = _least_squares(f, moving[own], np.mean(slope, axis=1))
    return C


def _law(members: Members, own: Ints, u: Array) -> tuple[Array, Array]:
    """Drag (h, q, 3) N and its slopes (h, q, 3, 3) N s/m of members with laws at velocities u (h, q, 3), m/s."""
    scale = np.stack([members.normal, members.tangential, members.width], axis=1)[own]
    force, slope = np.empty(u.shape), np.empty((*u.shape[:2], 9))
    law_samples(np.ascontiguousarray(u), np.ascontiguousarray(members.tangent[own]), scale, members.law[own], force,
                slope)  # fmt: skip
    return force, slope.reshape(*u.shape, 3)


def _harmonic(mean: Array, moving: Array, P: Array, b: Array) -> Array:
    """Least squares for b |u| u, u = mean (h, 3) + moving (h, q, 3), in the spaces of the projectors P."""
    u = mean[:, None, :] + moving
    q = moving.shape[1]
    f = b[:, None, None] * np.linalg.norm(u, axis=2)[:, :, None] * u
    return _least_squares(f, moving, _slope(u, np.full(q, 1.0 / q), P, b))


def _least_squares(f: Array, moving: Array, J: Array) -> Array:
    """(h, 3, 3) C of the forces f (h, q, 3) by the motions (h, q, 3); directions that hardly move take the slope J."""
    q = moving.shape[1]
    S = np.einsum("hqi,hqj->hij", moving, moving) / q
    X = np.einsum("hqi,hqj->hij", f, moving) / q
    faint = (FAINT * np.trace(S, axis1=1, axis2=2) + NOTHING)[:, None, None]
    return np.asarray(np.linalg.solve(S + faint * np.eye(3), np.swapaxes(X + faint * J, 1, 2)).swapaxes(1, 2))


def gaussian_drag(members: Members, covariance: Array) -> Array:
    """(h, 3, 3) drag matrices (N s/m) for Gaussian motions of given covariance (h, 3, 3), m2/s2.

    For these least squares gives the mean slope, so the planes across and the direction along part exactly.
    """
    t = members.tangent
    P = _across(t)
    mean_t = np.sum(members.flow * t, axis=1)
    across = members.flow - mean_t[:, None] * t
    values, axes = np.linalg.eigh(P @ covariance @ P)
    root = axes[:, :, 1:] * np.sqrt(np.maximum(values[:, None, 1:], 0.0))  # the largest two span the plane
    points, weight = _polar()
    C = _slope(across[:, None, :] + np.einsum("hik,qk->hqi", root, points), weight, P, members.normal)
    sigma = np.sqrt(np.maximum(np.einsum("hi,hij,hj->h", t, covariance, t), NOTHING))
    x = mean_t / (np.sqrt(2.0) * sigma)
    folded = sigma * np.sqrt(2.0 / np.pi) * np.exp(-(x**2)) + mean_t * erf(x)
    C = C + (2.0 * members.tangential * folded)[:, None, None] * t[:, :, None] * t[:, None, :]
    own = np.flatnonzero(members.law)
    if own.size:
        points, weight = _in_space()
        e = np.concatenate([axes[own][:, :, 1:], t[own][:, :, None]], axis=2)  # two across, and along
        spread = np.swapaxes(e, 1, 2) @ covariance[own] @ e
        faint = (FAINT * np.trace(spread, axis1=1, axis2=2) + NOTHING)[:, None, None]
        moving = np.einsum("hik,hkl,ql->hqi", e, np.linalg.cholesky(spread + faint * np.eye(3)), points)
        C[own] = np.einsum("hqij,q->hij", _law(members, own, members.flow[own][:, None, :] + moving)[1], weight)
    return C


def harmonic_drag_ball(flow: Array, b: Array, amplitude: Any) -> Array:
    """As :func:`harmonic_drag`, for b |u| u in all directions: flow (h, 3), b (h,) kg/m."""
    phase = np.exp(-2j * np.pi * (np.arange(PHASES) + 0.5) / PHASES)
    moving = np.real(amplitude[:, None, :] * phase[None, :, None])
    return _harmonic(flow, moving, np.broadcast_to(np.eye(3), (b.size, 3, 3)), b)


def gaussian_drag_ball(flow: Array, b: Array, covariance: Array) -> Array:
    """As :func:`gaussian_drag`, for b |u| u in all directions.

    Samples are the plane of the two largest motions twice, with the third put in at plus and minus its deviation.
    """
    values, axes = np.linalg.eigh(covariance)
    root = axes * np.sqrt(np.maximum(values[:, None, :], 0.0))
    points, weight = _polar()
    plane = np.einsum("hik,qk->hqi", root[:, :, 1:], points)
    third = root[:, None, :, 0]
    u = flow[:, None, :] + np.concatenate([plane + third, plane - third], axis=1)
    P = np.broadcast_to(np.eye(3), (b.size, 3, 3))
    return _slope(u, np.concatenate([weight, weight]) / 2.0, P, b)


def harmonic_screens(panels: Panels, amplitude: Any) -> Array:
    """As :func:`harmonic_drag`, for screens, whose attitude stays that of rest."""
    phase = np.exp(-2j * np.pi * (np.arange(PHASES) + 0.5) / PHASES)
    moving = np.real(amplitude[:, None, :] * phase[None, :, None])
    force, slope = _on_panels(panels, moving)
    return _least_squares(force, moving, np.mean(slope, axis=1))


def gaussian_screens(panels: Panels, covariance: Array) -> Array:
    """As :func:`gaussian_drag`, for screens: the mean slope."""
    points, weight = _in_space()
    faint = (FAINT * np.trace(covariance, axis1=1, axis2=2) + NOTHING)[:, None, None]
    moving = np.einsum("hkl,ql->hqk", np.linalg.cholesky(covariance + faint * np.eye(3)), points)
    return np.asarray(np.einsum("hqij,q->hij", _on_panels(panels, moving)[1], weight))


def _on_panels(panels: Panels, moving: Array) -> tuple[Array, Array]:
    """Forces (s, q, 3) N and slopes (s, q, 3, 3) N s/m of screens in their mean flow and a motion (s, q, 3), m/s."""
    u = np.ascontiguousarray(panels.flow[:, None, :] + moving)
    force, slope = np.zeros(u.shape), np.zeros((*u.shape, 3))
    screen_samples(panels.screen, panels.corners, u, panels.density, force, slope)
    return force, slope
