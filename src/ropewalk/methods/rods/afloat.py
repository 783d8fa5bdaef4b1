"""Where a rod of given shape floats: Newton with a trust region on the sphere of up-vectors.

Only three of the six freedoms matter: heave and the direction of up in the body. The heave is eliminated
(`physics.rod_energy`), to the precision that the step deserves; what is left is a minimisation on the unit sphere
with the exact curvature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ropewalk.errors import ConvergenceError
from ropewalk.model.arrays import floats
from ropewalk.model.rods import Array, RodModel
from ropewalk.numerics.bracket import bracketed
from ropewalk.numerics.compile import kernel
from ropewalk.numerics.quadrature import gauss_legendre
from ropewalk.numerics.rotations import tangent_basis
from ropewalk.physics.rod_energy import (
    VOLUME_TOLERANCE,
    float_at,
    reduced_energy,
    rough_heave,
    upright_frame,
    whole_volume,
    wrench_and_stiffness,
)
from ropewalk.physics.rod_integrals import Integrals

FIRST_RADIUS = 1.0  # of the trust region, rad
LARGEST_RADIUS = 1.4  # rad; half a turn would overshoot every basin
SMALLEST_RADIUS = 1e-14  # rad; below it no step changes u
ACCEPT = 0.05  # share of the predicted gain that a step must bring
LONG_STEP = 0.15  # rad; beyond it the heave is guessed again in place of following the waterplane
LOOSE = 0.02  # relative volume error that the second-order elimination of the heave bears far from the solution
NEUTRAL = 1e-11  # curvature over the largest one below which plain Newton leaves a direction alone
WEAK = 1e-6  # the same for the trust region; quadrature noise of a rod that is round about its axis stays below it
SHIFT_STEPS = 60  # of the boundary solution; Newton takes about five
SHIFT_TOLERANCE = 1e-12  # of the shift, relative to the curvature
ENERGY_NOISE = 1e-14  # of V0 times the length; gains below it cannot be distinguished from round-off

MINIMUM = 1  # what `seek` looks for
ANY = 0
MAXIMUM = -1
Goal = Literal["minimum", "maximum", "any"]
GOALS = {"minimum": MINIMUM, "maximum": MAXIMUM, "any": ANY}

TOLERANCE = 1e-13  # of the moment over weight times length
GOOD_ENOUGH = 1e-12  # of the same, where quadrature noise stops the search before
MOST_STEPS = 100  # about 7 are usual; needles take up to 40

FINE = gauss_legendre(48)  # for split intervals where the usual rule is too coarse

FOUND = 0  # how `seek` ends
TOO_MANY_STEPS = 1
STALLED = 2


@kernel
def eigen_2x2(a, b, c):
    r"""Eigenvalues of [[a, b], [b, c]], smaller first, and the unit vector (x, y) of the smaller.

    .. math:: \lambda = \tfrac12 (a + c) \mp \sqrt{\tfrac14 (a - c)^2 + b^2}

    Source: characteristic equation of a symmetric 2 x 2 matrix.
    """
    mean = 0.5 * (a + c)
    half = 0.5 * (a - c)
    radius = math.hypot(half, b)
    if radius == 0.0:
        return mean, mean, 1.0, 0.0
    # the larger of two forms of the eigenvector, to divide by no small number
    if half <= 0.0:
        x, y = radius - half, -b
    else:
        x, y = -b, radius + half
    norm = math.hypot(x, y)
    return mean - radius, mean + radius, x / norm, y / norm


@kernel
def trust_step(l1, l2, g1, g2, radius):
    r"""Minimiser of g.p + p.H p/2 over |p| <= radius in the eigenbasis of H (exact, hard case included).

    .. math:: (H + \mu)\, p = -g, \qquad |p| = r \text{ or } \mu = 0

    Source: trust-region subproblem with Newton's method on 1/|p| - 1/r; docs/theory/rods.md, Energy, force, stiffness.

    l1, l2 : eigenvalues, l1 <= l2    g1, g2 : gradient along their vectors    returns (p1, p2)
    """
    scale = max(abs(l1), abs(l2))
    if scale == 0.0:
        norm = math.hypot(g1, g2)
        return (0.0, 0.0) if norm == 0.0 else (-radius * g1 / norm, -radius * g2 / norm)
    if abs(l1) <= WEAK * scale and abs(g1) <= WEAK * abs(g2) and l2 > 0.0:
        return 0.0, max(-radius, min(radius, -g2 / l2))  # first the stiff direction, the weak one may be only noise
    if l1 > 0.0 and math.hypot(g1 / l1, g2 / l2) <= radius:
        return -g1 / l1, -g2 / l2
    # on the boundary: find the shift mu with |p| = radius; the norm falls as mu grows
    low = max(0.0, -l1)
    high = low + math.hypot(g1, g2) / radius
    mu = high
    for _ in range(SHIFT_STEPS):
        d1, d2 = l1 + mu, l2 + mu
        norm = math.hypot(g1 / d1, g2 / d2)
        slope = g1 * g1 / d1**3 + g2 * g2 / d2**3
        step = (norm - radius) / radius * norm * norm / slope if slope > 0.0 else math.nan
        new, low, high = bracketed(mu, radius - norm, step, low, high)
        if abs(new - mu) <= SHIFT_TOLERANCE * scale:
            break
        mu = new
    p2 = max(-radius, min(radius, -g2 / (l2 + mu)))
    p1 = math.sqrt((radius - p2) * (radius + p2))  # exact also where g1 vanishes, the hard case
    return (-p1 if g1 > 0.0 else p1), p2


@kernel
def turn(u, basis, p1, p2):
    r"""Move u along a geodesic of the sphere by the tangent vector p1 basis[0] + p2 basis[1] (rad).

    .. math:: u' = \cos|p|\; u + \frac{\sin|p|}{|p|}\, p

    Source: geodesic of the unit sphere.
    """
    angle = math.hypot(p1, p2)
    c = math.cos(angle)
    s = math.sin(angle) / angle if angle > 0.0 else 1.0
    v = np.empty(3)
    norm = 0.0
    for i in range(3):
        v[i] = c * u[i] + s * (p1 * basis[0, i] + p2 * basis[1, i])
        norm += v[i] * v[i]
    return v / math.sqrt(norm)


@kernel
def choose_step(model, goal, radius):
    """Step in the tangent basis towards a minimum, a maximum or the nearest stationary point of any kind.

    Source: docs/theory/rods.md, Energy, force, stiffness: H p = -g within the trust region.

    Returns (p1, p2, predicted gain); the gain counts in the goal's own direction, and is 0 for any kind.
    """
    l1, l2, x, y = eigen_2x2(model.h11, model.h12, model.h22)
    g1 = x * model.g1 + y * model.g2
    g2 = -y * model.g1 + x * model.g2
    if goal == ANY:
        floor = NEUTRAL * max(abs(l1), abs(l2), 1e-300)
        q1 = -g1 / l1 if abs(l1) > floor else 0.0
        q2 = -g2 / l2 if abs(l2) > floor else 0.0
        shrink = min(1.0, radius / max(math.hypot(q1, q2), 1e-300))
        q1, q2 = shrink * q1, shrink * q2
    elif goal == MINIMUM:
        q1, q2 = trust_step(l1, l2, g1, g2, radius)
    else:
        q2, q1 = trust_step(-l2, -l1, -g2, -g1, radius)
    gain = -goal * (g1 * q1 + g2 * q2 + 0.5 * (l1 * q1 * q1 + l2 * q2 * q2))
    return x * q1 - y * q2, y * q1 + x * q2, gain


@kernel
def seek(panels, centre, volume, length, u, z, goal, tolerance, most, path):
    """Equilibrium from a start pose. Returns (status, steps, evaluations, u, z, integrals).

    Source: docs/theory/rods.md, Energy, force, stiffness: grad E = 0 on the sphere. Not numerics/newton.py: the loop is
    compiled, the merit is an energy that may have either sign, and a trust region takes the place of the line search so
    that it can go along negative curvature.

    panels : `Panels`    centre : (3,) of mass, m    volume : that carries the mass, m3    length : of the rod, m
    u : (3,) up in head axes    z : height of the head, m    goal : MINIMUM, MAXIMUM, or ANY (plain Newton)
    tolerance : of the moment over weight times length    most : largest number of steps
    path : (most + 1, 4) filled with E (m4), moment over weight times length, radius (rad), evaluations

    Ten arguments: the body (4), the start (2), what is sought (3), and the path.
    """
    scale = volume * length
    loose = LOOSE * min(1.0, (whole_volume(panels) - volume) / volume)  # a nearly drowned rod bears little
    z, acc, used = float_at(panels, u, rough_heave(panels, u, z, volume, 0.5 * loose), volume, loose)
    basis = tangent_basis(u)
    now = reduced_energy(acc, centre, volume, z, u, basis)
    radius = FIRST_RADIUS
    step = 0
    while True:
        size = math.hypot(now.g1, now.g2) / scale
        if size <= tolerance and abs(now.excess) > tolerance * volume:
            z, acc, more = float_at(panels, u, z, volume, VOLUME_TOLERANCE)
            used += more
            now = reduced_energy(acc, centre, volume, z, u, basis)
            size = math.hypot(now.g1, now.g2) / scale
        note(path[step], now.energy, size, radius, used)
        if size <= tolerance:
            status = FOUND
            break
        if step == most:
            status = FOUND if size <= GOOD_ENOUGH else TOO_MANY_STEPS
            break
        step += 1
        p1, p2, gain = choose_step(now, goal, radius)
        moved = turn(u, basis, p1, p2)
        guess = z + (now.excess / acc.area if acc.area > 0.0 else 0.0)
        for i in range(3):  # the heave follows from the waterplane, to first order
            guess -= acc.area_moment[i] / max(acc.area, 1e-300) * (moved[i] - u[i])
        if math.hypot(p1, p2) > LONG_STEP:
            guess = rough_heave(panels, moved, guess, volume, 0.5 * loose)
        new_z, new_acc, more = float_at(panels, moved, guess, volume, max(VOLUME_TOLERANCE, min(loose, size)))
        used += more
        new_basis = tangent_basis(moved)
        trial = reduced_energy(new_acc, centre, volume, new_z, moved, new_basis)
        accepted = True
        if goal != ANY:
            closer = math.hypot(trial.g1, trial.g2) < math.hypot(now.g1, now.g2)
            real = goal * (now.energy - trial.energy)
            stride = math.hypot(p1, p2)
            ahead = goal * slope_at_end(u, moved, stride, new_basis, trial)
            behind = goal * (now.g1 * p1 + now.g2 * p2) / stride
            kink = kink_share(-real, behind * stride, ahead * stride)
            accepted, radius = judge(real, gain, ENERGY_NOISE * scale, closer, stride, radius, kink)
        if accepted:
            u, z, acc, basis, now = moved, new_z, new_acc, new_basis, trial
        if radius < SMALLEST_RADIUS:
            status = FOUND if math.hypot(now.g1, now.g2) <= GOOD_ENOUGH * scale else STALLED
            note(path[step], now.energy, math.hypot(now.g1, now.g2) / scale, radius, used)
            break
    return status, step, used, u, z, acc


@kernel
def note(entry, energy, size, radius, used):
    """Fill one entry of the path: energy (m4), moment over weight times length, radius (rad), evaluations.

    Bookkeeping.
    """
    entry[0] = energy
    entry[1] = size
    entry[2] = radius
    entry[3] = used


@kernel
def slope_at_end(u, moved, stride, basis, model):
    """Derivative of E along a geodesic step at its end, from the gradient there.

    Source: dE/ds = grad E . t at the end of a geodesic.

    u, moved : (3,) start and end    stride : length, rad    basis, model : of `reduced_energy` at the end
    """
    sine = math.sin(stride)
    cosine = math.cos(stride)
    slope = 0.0
    for i in range(3):
        along = (cosine * moved[i] - u[i]) / sine if sine != 0.0 else 0.0
        slope += along * (model.g1 * basis[0, i] + model.g2 * basis[1, i])
    return slope


@kernel
def kink_share(rise, behind, ahead):
    """Where, as a share of a step, the tangents at its ends meet; 0 if the energy still falls at the end.

    Source: b x = E + a (x - 1) gives x = (E - a)/(b - a), here kept within 0.05 to 0.95.

    A slender rod has an energy like |x| with a rounded tip, and the tip lies there.

    rise : E, energy at the end less that at the start    behind, ahead : b, a, slopes times the length of the step
    """
    if not (behind < 0.0 < ahead):
        return 0.0
    return min(0.95, max(0.05, (rise - ahead) / (behind - ahead)))


@kernel
def judge(real, gain, noise, closer, step, radius, kink):
    """Whether to take a step, and the next trust radius (rad).

    Source: trust-region rule on rho = real/predicted gain; own choice of the radius at a kink.

    real, gain : energy won and predicted    noise : gains below it mean nothing, then `closer` decides
    closer : the gradient shrank    step : length of the step, rad    kink : of `kink_share`
    """
    if gain < noise:
        return closer, radius if closer else 0.25 * step
    if real < ACCEPT * gain:
        return False, (kink if kink > 0.0 else 0.25) * step
    if real > 0.75 * gain and step > 0.8 * radius:
        return True, min(2.0 * radius, LARGEST_RADIUS)
    if real < 0.25 * gain:
        return True, (1.0 - kink if kink > 0.0 else 0.5) * step
    return True, radius


UNSOUGHT = np.zeros((1, 4))  # path of a pose that no search led to


@dataclass(frozen=True)
class FloatingPose:
    """A rod at rest, or as near as the search came; wrench and stiffness at the mass centre, world axes, yaw zero."""

    up: Array  # (3,) in head axes
    heave: float  # height of the head, m
    roll: float  # rad
    pitch: float  # rad
    energy: float  # J, above the centre of mass at the surface
    wrench: Array  # (6,) N and N m
    stiffness: Array  # (6, 6) N/m, N, N m
    curvature: Array  # (2,) eigenvalues of the roll and pitch stiffness with the heave free, N m
    iterations: int
    evaluations: int
    path: Array = field(
        repr=False
    )  # (iterations + 1, 4): energy (m4), moment over weight times length, radius, evaluations

    @classmethod
    def at(
        cls, rod: RodModel, u: Array, z: float, acc: Integrals, path: Array = UNSOUGHT, counts: tuple[int, int] = (0, 1)
    ) -> FloatingPose:
        """The pose with up u in head axes and the head at height z, from its integrals.

        path : of the search    counts : its iterations and evaluations
        """
        _, roll, pitch = upright_frame(u)
        weight_density = rod.water_density * rod.gravity
        wrench, stiffness = wrench_and_stiffness(acc, rod.centre, rod.float_volume, u, weight_density)
        model = reduced_energy(acc, rod.centre, rod.float_volume, z, u, tangent_basis(u))
        low, high, _, _ = eigen_2x2(model.h11, model.h12, model.h22)
        return cls(
            up=u,
            heave=z,
            roll=roll,
            pitch=pitch,
            energy=weight_density * model.energy,
            wrench=wrench,
            stiffness=stiffness,
            curvature=weight_density * np.array([low, high]),
            iterations=counts[0],
            evaluations=counts[1],
            path=path.copy(),
        )

    @property
    def residual(self) -> float:
        """Residual moment over weight times length."""
        return float(self.path[-1, 1])


def equilibrium(
    rod: RodModel,
    up: Array | None = None,
    heave: float | None = None,
    *,
    goal: Goal = "minimum",
    tolerance: float = TOLERANCE,
    most: int = MOST_STEPS,
) -> FloatingPose:
    """Equilibrium of `rod` from a start pose: a stable one, unless another `goal` is given.

    up : direction of up in head axes to start from    heave : height of the head, m; left out, the centre of mass
    starts at the surface. Raises ConvergenceError with the pose reached if the search fails.
    """
    start = np.array([0.0, 0.0, 1.0]) if up is None else np.array(up, dtype=float)
    start /= np.linalg.norm(start)
    z = -float(start @ rod.centre) if heave is None else float(heave)
    path = np.zeros((most + 1, 4))
    status, steps, used, u, z, acc = seek(
        rod.panels, rod.centre, rod.float_volume, rod.length, start, z, GOALS[goal], tolerance, most, path
    )
    if status == STALLED:  # the pose sits where the quadrature changes its rule: finer points make the jump small
        fine = rod.panels._replace(sub_x=floats(FINE.x), sub_w=floats(FINE.weight))
        status, steps, used, u, z, acc = seek(
            fine, rod.centre, rod.float_volume, rod.length, u, z, GOALS[goal], tolerance, most, path
        )
    pose = FloatingPose.at(rod, u, z, acc, path[: steps + 1], (steps, used))
    if status != FOUND:
        why = "the trust region shrank to nothing" if status == STALLED else f"{most} steps were not enough"
        raise ConvergenceError(
            f"rod: no equilibrium: {why}; moment {pose.residual:.2e} of weight x length, limit {tolerance:.1e}. "
            "Start from another up direction",
            pose,
        )
    return pose


def traced_equilibrium(
    rod: RodModel, up: Array, heave: float | None
) -> tuple[FloatingPose, list[tuple[float, float, float, float]]]:
    """The stable equilibrium from a start; energy (J), residual force (N), roll and pitch moments (N m) on the way.

    The search is repeated with one step more, which gives the same poses.
    """
    trace = []
    for most in range(MOST_STEPS + 1):
        try:
            pose, done = equilibrium(rod, up, heave, most=most), True
        except ConvergenceError as error:
            assert isinstance(error.report, FloatingPose)
            pose, done = error.report, False
        trace.append((pose.energy, float(pose.wrench[2]), float(pose.wrench[3]), float(pose.wrench[4])))
        if done:
            return pose, trace
    raise ConvergenceError(f"rod: no equilibrium after {MOST_STEPS} steps; start from another up direction")
