r"""Friction of the bed in an equilibrium of bars: that of assembly/pulled.py for lines, none for nets.

As with elements, the equilibrium under given shares :math:`\rho` of the normal forces is found by Newton's method, the
shares anew from its tensions, until they stay; then the grips are put where their springs pull just so. Netting on the
bed was pulled from nowhere in particular: its friction has two directions at each knot and no history, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ropewalk.assembly.pulled import SLIGHT, Chains, Lain, Patience, Spots, share_out
from ropewalk.loads.bed import heights_over, rest_pressure
from ropewalk.methods.bars.begin import place_grips
from ropewalk.methods.bars.slopes import loads_at_rest
from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, Flags, Records, flags

PATIENCE = Patience(10, 0.5)  # where there is an end to the rounds, the change falls to less of itself; each takes long

Settle = Callable[[BarsWork], bool]  # brings bars to rest from where they are; False if it does not


class Sharing:
    """Bars whose friction is shared out, for assembly/pulled.py."""

    def __init__(self, work: BarsWork, friction: float, settle: Settle) -> None:
        self.work, self.friction, self._settle = work, friction, settle
        self.hold: Records = work.field.grip.hold
        self.law = work.medium.bed.law
        _rule(work, friction, is_sought=True)
        self.hold.share, self.hold.place = 0.0, work.steps.r
        loads_at_rest(work, work.steps.r)
        pressed = work.field.pressed.normal
        self.scale = max(float(np.abs(work.steps.tension).max(initial=0.0)), float(pressed.max()))
        self.bars = work.bars

    def present(self) -> tuple[Chains, Lain, Spots]:
        """How the lines lie; fills the loads of the present places."""
        work, bars, places = self.work, self.work.bars, self.work.places
        bed, r, T, pressed = work.medium.bed, work.steps.r, work.steps.tension, work.field.pressed
        loads_at_rest(work, r)
        node, m, start = places.line_node, int(places.bar_start[-1]), places.line_start
        ends = np.stack([start[:-1], start[1:] - 1], axis=1)
        chains = Chains(start, places.bar_start, node[ends], ~bars.held)
        normal, height = heights_over(bed, r)
        thick = np.maximum.reduceat(bars.contact_radius[:m], places.bar_start[:-1])
        lain = Lain(
            friction=self.friction,
            tension=np.where(bars.push[:m], T[:m], np.maximum(T[:m], 0.0)),
            pressed=_normal_forces(work, height),
            near=height[node] <= 2.0 * np.repeat(thick, np.diff(start)),
            on_bed=(pressed.normal[node][ends] > 0.0) | bars.held[chains.junction],
        )
        return chains, lain, Spots(node, r, normal, pressed.normal, bed.law.shear[0] * pressed.area)

    def loads(self, friction: Array) -> Array:
        """Those that `present` has filled, without the friction in them, N."""
        force: Array = (self.work.field.force - friction)[self.work.places.line_node]
        return force

    def settle(self) -> bool:
        """Bring the bars to rest with the shares in `hold`."""
        return self._settle(self.work)

    def ease(self, share: float) -> None:
        """Give the grips this share of their stiffness."""
        law = self.law.copy()
        law.shear *= share
        self.work.medium = self.work.medium._replace(bed=self.work.medium.bed._replace(law=law))

    def shelter(self) -> None:
        """Take the drag off the bars that lie on the bed, and give it back to the others."""
        work, bars, member = self.work, self.bars, self.bars.member.copy()
        loads_at_rest(work, work.steps.r)
        lies = np.all(((work.field.pressed.normal > 0.0) | bars.held)[bars.node], axis=1)
        lies &= ~np.all(bars.held[bars.node], axis=1)
        member.drag_normal[lies] = 0.0
        member.drag_tangential[lies] = 0.0
        work.bars = bars._replace(member=member, push=self.bars.push)

    def expose(self) -> None:
        """Give all drag back, and let taut line push."""
        self.work.bars = self.bars
        self.work.bars = self.bars._replace(push=_firm(self.work, self.scale))

    def kept(self) -> Callable[[], None]:
        """As `kept`."""
        return kept(self.work)

    def free_places(self) -> Array:
        """Of points and of bodies."""
        places = self.work.places
        point = places.point[places.point >= 0]
        found: Array = self.work.steps.r[np.concatenate([point[~self.work.bars.held[point]], places.body_node])]
        return found


def kept(work: BarsWork) -> Callable[[], None]:
    """A function that brings the bars back to where they are now."""
    s = work.steps
    before = s.r.copy(), s.tension.copy()

    def restore() -> None:
        s.r[:], s.tension[:] = before

    return restore


def rub_on_bed(work: BarsWork, friction: float, settle: Settle) -> None:
    """Bring an equilibrium without friction to one with it; if none is found, it stays, with no friction in force."""
    bars, restore = work.bars, kept(work)
    if not _lies(work):
        return
    sharing = Sharing(work, friction, settle)
    force = share_out(sharing, sharing.scale, _longest(work), PATIENCE)
    sharing.ease(1.0)
    work.bars = bars
    if force is not None:
        loads_at_rest(work, work.steps.r)
        place_grips(work, force, friction)
        _rule(work, friction, is_sought=False)
        if settle(work):
            return
    restore()
    _rule(work, 0.0, is_sought=False)
    settle(work)


def _rule(work: BarsWork, friction: float, *, is_sought: bool) -> None:
    rule = work.field.grip.friction[0]
    rule.coefficient, rule.is_sought = friction, is_sought


def _lies(work: BarsWork) -> bool:
    """Whether a node of a line bears on the bed."""
    loads_at_rest(work, work.steps.r)
    return bool(np.any(work.field.pressed.normal[work.places.line_node] > 0.0))


def _longest(work: BarsWork) -> float:
    """Length of the longest line, m."""
    places = work.places
    return float(np.add.reduceat(work.bars.length[: places.bar_start[-1]], places.bar_start[:-1]).max())


def _firm(work: BarsWork, scale: float) -> Flags:
    """(m,) bars that can push, taut ones on the bed among them: too much friction on the way would fold these."""
    bears = work.field.pressed.normal > 0.0
    lies = np.any(bears[work.bars.node], axis=1) & (work.steps.tension > SLIGHT * scale)
    return flags(lies | work.bars.push)


def _normal_forces(work: BarsWork, height: Array) -> Array:
    """(k,) N, of the bed on the half bars of each line at its nodes, and on what hangs there.

    height : (n,) of the nodes over the bed, m
    """
    bars, places, bed = work.bars, work.places, work.medium.bed
    node, m = places.line_node, int(places.bar_start[-1])
    rows = np.delete(np.arange(node.size), places.line_start[1:] - 1)  # first node of each bar of the lines
    half = 0.5 * bars.length[:m] * bars.contact_width[:m]
    pressed: Array = np.zeros(node.size)
    for side in range(2):
        own = bars.node[:m, side]
        depth = np.where(bars.held[own], 0.0, bars.contact_radius[:m] - height[own])
        pressed[rows + side] += rest_pressure(bed, depth) * half
    first = np.full(bars.mass.size, -1)
    first[node[::-1]] = np.arange(node.size)[::-1]
    for foot in bars.footing:
        if first[foot.node] >= 0:
            pressed[first[foot.node]] += rest_pressure(bed, foot.radius - height[foot.node]) * foot.area
    return pressed
