r"""Equilibrium of bars that can only pull: a damped motion in steps that grow until Newton's method is left.

The motion has no inertia. A step of pseudo-time h from :math:`r_0` solves

.. math:: f(r) + A T = B (r - r_0), \qquad B = M/h^2 + D/h,

with M the masses and D the damping by the water, for places r and tensions T together. Its solutions depend on the step
as those of backward Euler do: what is far away comes nearer, whatever the loads are, and with growing steps the
equations become those of rest. No potential is needed, which drag does not have (pseudo-transient continuation,
[Kelley1998]).

A twine is no longer than L, it does not push, and it pulls only where it is taut. The three are one equation in
:math:`a = T/F` and :math:`w = (L + C T - |d|)/L`, smoothed by :math:`\mu` ([Fischer1992], [Kanzow1996]),

.. math:: \phi = a + w - \sqrt{a^2 + w^2 + 2 \mu^2} = 0 \quad\Leftrightarrow\quad a\,w = \mu^2,\ a > 0,\ w > 0 .

:math:`\mu` falls with the residual forces. In the end bars with :math:`a < w` are slack, :math:`T = 0`, the others have
their length, and Newton's method without smoothing gives the last digits. The kink that the drag of a screen has where
it lies along the flow is rounded off with :math:`\mu` as well (loads/screen.py): netting that trails lies at it.

The loops are their own, not numerics/newton.py: the smoothing and the pseudo-time step change from one solve to the
next, steps are shortened by the rotation of the bars and by the norm of what is left, and a step that does not converge
is repeated shorter.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ropewalk.methods.bars.hull_arrays import opened
from ropewalk.methods.bars.matrix import Matrix
from ropewalk.methods.bars.settling_loads import pseudo_time_unit
from ropewalk.methods.bars.slopes import Pattern, build_pattern, load_slopes, loads_at_rest, loads_off_bed
from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, Flags, Ints

# s of pseudo-time, times `pseudo_time_unit`
FIRST_STEP = 0.3
LONGEST_STEP = 1e12  # there nothing is left of what resists a step
SHORTEST_STEP = 1e-7  # where shorter ones fail, there is no way on
SMOOTHEST = 1e-10  # last mu
FOLLOW = 0.3  # mu over the residual forces, relative
FALL_AT_LAST = 0.3  # of mu in a step, where steps are long
LONG = 1e5  # s, times that unit
SOLVED = 0.1  # of mu, to which a step is solved, and no better than ...
ROUND_OFF = 1e-11  # ... this
TINY = 1e-300  # keeps a root off 0
NEARLY = 10.0  # times the last mu: where a step fails there, round-off rules
BALANCED = 1e-9  # relative residual forces at the last mu
NEAR_REST, NEAR_BALANCE = 1e-7, 1e-8  # mu and forces of an equilibrium whose tensions have no more digits
EARLY = 1e-5  # mu from which the last digits are looked for without smoothing, and ...
EARLIER = 0.1  # ... again at this part of it
SHRINK = 0.2  # of the step where it fails
GENTLEST, EASED, STEEPER = 0.95, 0.5, 1.5  # fall of mu in a step: at most; its powers after failure and quick success
QUICK, FAIR, SLOW = 3, 5, 12  # iterations after which the step grows by ...
GROWTH = (10.0, 4.0, 1.5, 1.0)  # ... these factors, the last beyond SLOW
CAREFUL, CAREFUL_GROWTH = 4, 2.0  # steps after one that failed, and the most by which they grow
TURN = 0.3  # of its length, by which the ends of a bar may move against each other in an iteration
TRIES, PART = 6, 0.4  # of an iteration, each this part of the one before, ...
ENOUGH = 0.1  # ... until what is left falls by this share of what Newton's method promises, or is ...
SMALL = 1e-3  # ... no larger than this: lengths that bars miss by as they turn are met in the next iteration
INNER = 24  # iterations of a step before a shorter one is tried; good ones take 2 to 8
STALLS, STALLED = 4, 0.6  # iterations in which what is left must fall to this
# where a motion begins near its end: mu, the shortest step (s of pseudo-time), and factorisations that are spent
NEARBY, NEARBY_STEP, FEW = 1e-5, 1.0, 40
FARTHER, CLOSER = 10.0, 1e-2  # factors on its step after success and failure
WORK = 1.3e6  # unknowns times factorisations that are spent: some 8 s
PER_HULL = 30.0  # unknowns that take as long as the slopes of the loads on a hull, by one group of nodes
LAST = 8  # iterations without smoothing
TENSION_SHARE = 0.1  # of the largest tension in the scale of forces
FAR = 1.2  # times its length: a bar whose ends are farther apart is shortened before the motion begins ...
NEAR, SWEEPS = 1.02, 2000  # ... to this, in so many sweeps at most


class Pace(NamedTuple):
    """How a motion is followed."""

    smooth: float  # first mu
    blunt: float  # times mu: cosine below which the kink of screens is rounded off
    share: float  # of the work that may be spent
    searches: bool = True  # whether iterations are shortened where what is left does not fall
    follows: bool = True  # whether steps are shorter by `pseudo_time_unit`


# the first has longer steps where all happens faster: most cases of a tank then come to rest at once, but not all;
# nets come to rest by the first two; some bodies on bridles of rigid bars only where iterations are not shortened
PACES = (Pace(1e-2, 3.0, 0.5, follows=False), Pace(1e-1, 10.0, 0.5), Pace(1e-2, 0.0, 0.25, searches=False))
FALL = 0.1  # mu falls to no less of itself in a step


class Laws(NamedTuple):
    """The equation of each bar."""

    miss: Array  # (m,) phi, or what is missing to the length, relative
    by_length: Array  # (m,) 1/m
    by_tension: Array  # (m,) 1/N


class Rest(NamedTuple):
    """Where the motion ended."""

    found: bool
    r: Array  # (n, 3) m
    tension: Array  # (m,) N
    residual: float  # largest residual force, N
    factorisations: int


class Look(NamedTuple):
    """Forces and laws at a place."""

    force: Array  # (n, 3) loads, N
    direction: Array  # (m, 3)
    size: Array  # (m,) m
    left: Array  # (n, 3) loads and tensions, N
    laws: Laws


class Tried(NamedTuple):
    """Places and tensions within a step, and what is left of its equations."""

    r: Array  # (n, 3) m
    tension: Array  # (m,) N
    look: Look
    out: Array  # (n, 3) N
    error: float  # largest of the forces over their scale and of the laws
    norm: float  # of all of them


class Size(NamedTuple):
    """Of a step."""

    h: float  # s of pseudo-time
    mu: float
    blunt: float  # of the kink of screens
    searches: bool  # whether iterations are shortened where what is left does not fall


class Flow:
    """The motion of one case; nodes that are `fixed` stay where they are."""

    def __init__(self, work: BarsWork, fixed: Flags) -> None:
        bars = work.bars
        self.work = work
        self.pattern: Pattern = build_pattern(work)
        self.matrix = Matrix(bars, self.pattern, fixed)
        still = bars.held | fixed
        self.idle: Flags = still[bars.node[:, 0]] & still[bars.node[:, 1]]  # bars that nothing can stretch
        self.pulls_only: Flags = ~bars.push & ~self.idle
        self.of_bar, self.of_node = _parts(bars.node, still)
        groups = self.pattern.node_start.size - 1  # the nodes of a body are each in one of their own
        hulls = opened(work.field.hulls).body.size
        self.each = (self.matrix.size + PER_HULL * groups * hulls) / WORK  # share of the work, of a factorisation
        self.most = int(1.0 / self.each)
        self.count = 0
        self.least: Array = np.zeros(int(self.of_node.max()) + 1)  # (parts,) N: loads that the bed may carry

    def run(self, r: Array) -> Rest:
        """To the equilibrium from places r (m), at one pace after the other, or as far as the best of them gets."""
        r = self._within_reach(r)
        np.maximum.at(self.least, self.of_node, self._loose(loads_off_bed(self.work, r)))
        best: Rest | None = None
        for pace in PACES:
            rest = self._follow(r, pace, self.count + int(pace.share * self.most))
            if rest.found:
                return rest
            best = rest if best is None or rest.residual < best.residual else best
        self.work.bars.screen.blunt = 0.0
        assert best is not None
        return best._replace(factorisations=self.count)

    def near(self, r: Array, tension: Array) -> Rest | None:
        """To an equilibrium near another, at r (m) with tensions (N), under nearly the same loads; None if it fails."""
        np.maximum.at(self.least, self.of_node, self._loose(loads_off_bed(self.work, r)))
        scale = self._scale(loads_at_rest(self.work, r), tension)
        h, mu, most = LONG, NEARBY, self.count + FEW
        while self.count < most and h > NEARBY_STEP:
            made = self._step(r, tension, Size(h, mu, 0.0, searches=True), scale)
            if made is None:
                h *= CLOSER
                continue
            (r, tension, look, *_), _ = made
            scale = self._scale(look.force, tension)
            rest = self._finish(r, tension, scale)
            if rest is not None:
                return rest
            h, mu = min(FARTHER * h, LONGEST_STEP), max(FALL * mu, SMOOTHEST)
        return None

    def _follow(self, r: Array, pace: Pace, most: int) -> Rest:
        """The motion from places r (m) until so many factorisations are made."""
        tension: Array = np.zeros(self.work.bars.length.size)
        force = loads_at_rest(self.work, r)
        scale = self._scale(force, tension)
        unit = pseudo_time_unit(self.work, r) if pace.follows else 1.0
        h, mu, good_mu, fall, since = unit * FIRST_STEP, pace.smooth, pace.smooth, FALL, CAREFUL
        left, early = self._relative(force, scale), EARLY
        while self.count < most and h > unit * SHORTEST_STEP:
            made = self._step(r, tension, Size(h, mu, pace.blunt * mu if mu > SMOOTHEST else 0.0, pace.searches), scale)
            if made is None:
                if good_mu <= NEARLY * SMOOTHEST and left <= BALANCED:
                    return self._smoothed(r, tension, scale)
                fall = min(fall**EASED, GENTLEST) if mu < good_mu else fall
                h, mu, since = h * SHRINK, good_mu, 0
                continue
            (r, tension, look, *_), iterations = made
            scale = self._scale(look.force, tension)
            left = self._relative(look.left, scale)
            if mu <= early:
                early = EARLIER * mu
                rest = self._finish(r, tension, scale)
                if rest is not None:
                    return rest
            if mu <= SMOOTHEST and left <= BALANCED:
                return self._smoothed(r, tension, scale)
            fall = max(fall**STEEPER, FALL) if mu < good_mu and iterations <= FAIR else fall
            h, since, good_mu = min(h * _growth(iterations, since), unit * LONGEST_STEP), since + 1, mu
            wanted = max(FOLLOW * left, fall * mu)
            mu = max(min(mu, wanted, max(FALL_AT_LAST, fall) * mu if h >= unit * LONG else mu), SMOOTHEST)
        if good_mu <= NEAR_REST and left <= NEAR_BALANCE:
            return self._smoothed(r, tension, scale)
        return Rest(False, r, tension, left * float(scale.max(initial=0.0)), self.count)

    def _within_reach(self, r: Array) -> Array:
        """Places (m) with no bar much longer than it is, where one is FAR: each node goes the mean way of its bars.

        A net that is fastened far from where it was laid out begins with twines of several times their length, and
        Newton's method does not get on from there.
        """
        bars = self.work.bars
        a, b = bars.node[:, 0], bars.node[:, 1]
        most = FAR
        for _ in range(SWEEPS):
            way = r[b] - r[a]
            size = np.linalg.norm(way, axis=1)
            long = ~self.idle & (size > most * bars.length)
            if not np.any(long):
                break
            most = NEAR
            total, count = np.zeros_like(r), np.zeros(r.shape[0])
            pull = (0.5 * (1.0 - bars.length[long] / size[long]))[:, None] * way[long]
            for side, sign in ((a[long], 1.0), (b[long], -1.0)):
                np.add.at(total, side, sign * pull)
                np.add.at(count, side, 1.0)
            r = r + self.matrix.from_axes(self.matrix.along_axes(total / np.maximum(count, 1.0)[:, None]))
        return r

    def _scale(self, force: Array, tension: Array) -> Array:
        """(parts,) size of the forces in each part of the case that hangs together, N."""
        out: Array = self.least.copy()
        np.maximum.at(out, self.of_node, self._loose(force))
        np.maximum.at(out, self.of_bar, TENSION_SHARE * np.abs(tension))
        return np.where(out > 0.0, out, 1.0)

    def _loose(self, force: Array) -> Array:
        """(n,) size of forces (n, 3) in the directions that are free, N."""
        size: Array = np.linalg.norm(self.matrix.from_axes(self.matrix.along_axes(force)), axis=1)
        return size

    def _over(self, force: Array, scale: Array) -> Array:
        """Forces (n, 3) in the directions that are free, over the scale of their part."""
        return self.matrix.along_axes(force / scale[self.of_node][:, None])

    def _relative(self, force: Array, scale: Array) -> float:
        """Largest force (n, 3) in a direction that is free, over the scale of its part."""
        return float(np.abs(self._over(force, scale)).max(initial=0.0))

    def _look(self, r: Array, tension: Array, mu: float, scale: Array, slack: Flags | None = None) -> Look:
        """Forces and laws at r; with `slack` given, bars are slack or have their length."""
        bars = self.work.bars
        a, b = bars.node[:, 0], bars.node[:, 1]
        way = r[b] - r[a]
        size = np.linalg.norm(way, axis=1)
        t = way / np.where(size > 0.0, size, 1.0)[:, None]  # a bar folded to nothing has no direction
        force = loads_at_rest(self.work, r)
        left = force.copy()
        np.add.at(left, a, tension[:, None] * t)
        np.add.at(left, b, -tension[:, None] * t)
        return Look(force, t, size, left, self._laws(size, tension, mu, scale, slack))

    def _laws(self, size: Array, tension: Array, mu: float, scale: Array, slack: Flags | None) -> Laws:
        bars = self.work.bars
        w = (bars.length + bars.compliance * tension - size) / bars.length
        unit = scale[self.of_bar]
        a = tension / unit
        root = np.sqrt(np.maximum(a * a + w * w + 2.0 * mu * mu, TINY)) if slack is None else np.ones_like(a)
        smooth = self.pulls_only if slack is None else np.zeros_like(self.pulls_only)
        off = self.idle if slack is None else self.idle | slack
        by_w = np.where(smooth, 1.0 - w / root, 1.0)
        by_a = np.where(smooth, 1.0 - a / root, 0.0)
        miss = np.where(smooth, a + w - root, w)
        return Laws(
            miss=np.where(off, a, miss),
            by_length=np.where(off, 0.0, -by_w / bars.length),
            by_tension=np.where(off, 1.0 / unit, by_a / unit + by_w * bars.compliance / bars.length),
        )

    def _step(self, start: Array, tension: Array, size: Size, scale: Array) -> tuple[Tried, int] | None:
        """One step of the motion from places `start` (m): where it ends, and its iterations; None if it fails."""
        field, mu = self.work.field, size.mu
        damping = 0.5 * (field.damping + field.damping.transpose(0, 2, 1))
        shift = field.inertia / size.h**2 + damping / size.h
        self.work.bars.screen.blunt = size.blunt
        solved = max(SOLVED * mu if mu > SMOOTHEST else 0.0, ROUND_OFF)

        def tried(r: Array, tension: Array) -> Tried:
            look = self._look(r, tension, mu, scale)
            out = look.left - np.einsum("nij,nj->ni", shift, r - start)
            parts = np.concatenate([self._over(out, scale), look.laws.miss])
            return Tried(r, tension, look, out, float(np.abs(parts).max(initial=0.0)), float(np.linalg.norm(parts)))

        now = tried(start, tension)
        norms = deque([now.norm], STALLS + 1)
        for iteration in range(INNER):
            if now.error <= solved:
                return now, iteration
            stalls = size.searches and iteration >= STALLS and norms[-1] > STALLED * norms[0]
            change = None if stalls or not np.isfinite(now.error) else self._newton(now, shift)
            if change is None:
                return None
            best, share = None, 1.0
            for _ in range(TRIES if size.searches else 1):
                new = tried(now.r + share * change[0], now.tension + share * change[1])
                best = new if best is None or new.norm < best.norm else best
                if new.norm <= (1.0 - ENOUGH * share) * now.norm or new.error <= SMALL:
                    break
                share *= PART
            assert best is not None
            now = best
            norms.append(now.norm)
        return None

    def _newton(self, at: Tried, shift: Array) -> tuple[Array, Array] | None:
        """Changes of places and tensions, shortened where bars would turn too far; None if there are none."""
        self.count += 1
        look, laws = at.look, (at.look.laws.by_length, at.look.laws.by_tension)
        slopes = load_slopes(self.work, self.pattern, at.r, look.force)
        stretch = (look.direction, look.size, at.tension)
        try:
            right = np.concatenate([self.matrix.along_axes(at.out), -look.laws.miss])
            dr, dt = self.matrix.solve(slopes, shift, stretch, laws, right)
        except np.linalg.LinAlgError:
            return None
        node, length = self.work.bars.node, self.work.bars.length
        turn = float((np.linalg.norm(dr[node[:, 1]] - dr[node[:, 0]], axis=1) / length).max(initial=0.0))
        if not np.isfinite(turn) or not np.all(np.isfinite(dt)):
            return None
        share = min(1.0, TURN / turn) if turn > 0.0 else 1.0
        return share * dr, share * dt

    def _finish(self, r: Array, tension: Array, scale: Array) -> Rest | None:
        """The same without smoothing: slack bars have no tension and are no longer than they are, the others pull.

        None where bars that just carry nothing would have to push, or be longer: then the smoothed state is better.
        """
        bars, unit = self.work.bars, scale[self.of_bar]
        bars.screen.blunt = 0.0
        slack = self._slack(r, tension, scale)
        none, tension = np.zeros_like(self.work.field.damping), np.where(slack, 0.0, tension)
        for _ in range(LAST):
            look = self._look(r, tension, 0.0, scale, slack)
            error = max(self._relative(look.left, scale), float(np.abs(look.laws.miss).max(initial=0.0)))
            if error <= ROUND_OFF:
                pushes = self.pulls_only & (tension < -ROUND_OFF * unit)
                if np.any(pushes | (slack & (look.size > (1.0 + ROUND_OFF) * bars.length))):
                    return None
                return self._rest(r, tension, look)
            change = self._newton(Tried(r, tension, look, look.left, error, error), none)
            if change is None:
                return None
            r, tension = r + change[0], np.where(slack, 0.0, tension + change[1])
        return None

    def _smoothed(self, r: Array, tension: Array, scale: Array) -> Rest:
        """The smoothed state, its slack bars without tension."""
        self.work.bars.screen.blunt = 0.0
        tension = np.where(self._slack(r, tension, scale), 0.0, tension)
        return self._rest(r, tension, self._look(r, tension, 0.0, scale))

    def _slack(self, r: Array, tension: Array, scale: Array) -> Flags:
        """(m,) bars with a < w."""
        bars = self.work.bars
        size = np.linalg.norm(r[bars.node[:, 1]] - r[bars.node[:, 0]], axis=1)
        is_slack: Flags = self.pulls_only & (tension / scale[self.of_bar] < 1.0 - size / bars.length)
        return is_slack

    def _rest(self, r: Array, tension: Array, look: Look) -> Rest:
        """An equilibrium; bars that cannot push do not, by no digit; between held nodes their law rules."""
        bars = self.work.bars
        stretch = np.divide(look.size - bars.length, bars.compliance, out=tension.copy(), where=bars.compliance > 0.0)
        tension = np.where(self.idle, stretch, tension)
        pulled = np.where(bars.push, tension, np.maximum(tension, 0.0))
        return Rest(True, r, pulled, float(np.abs(self.matrix.along_axes(look.left)).max(initial=0.0)), self.count)


def _growth(iterations: int, since: int) -> float:
    """Factor on the step after one that took so many iterations, `since` steps after one that failed."""
    growth = next((g for most, g in zip((QUICK, FAIR, SLOW), GROWTH, strict=False) if iterations <= most), GROWTH[-1])
    return min(growth, CAREFUL_GROWTH) if since < CAREFUL else growth


def _parts(node: Ints, still: Flags) -> tuple[Ints, Ints]:
    """Number of the part that hangs together, nodes that are `still` apart, of each bar and of each node."""
    a, b = node[:, 0], node[:, 1]
    joined = ~still[a] & ~still[b]
    n = still.size
    graph = coo_array((np.ones(int(joined.sum())), (a[joined], b[joined])), shape=(n, n))
    of_node = connected_components(graph, directed=False)[1].astype(np.int64)
    return np.where(still[a], of_node[b], of_node[a]), of_node
