r"""Friction of the bed in an equilibrium of bars: that of assembly/pulled.py for lines, none for nets.

As with elements, the equilibrium under given shares :math:`\rho` of the normal forces is found by Newton's method, the
shares anew from its tensions, until they stay; then the grips are put where their springs pull just so. Netting on the
bed was pulled from nowhere in particular: its friction has two directions at each knot and no history, and is left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.pulled import Chains, Lain, along_bed, tangents, wanted
from ropewalk.loads.bed import heights_over
from ropewalk.loads.grip import SOFT
from ropewalk.methods.bars.begin import place_grips
from ropewalk.methods.bars.slopes import loads_at_rest
from ropewalk.methods.bars.work import BarsWork
from ropewalk.model.arrays import Array, Flags, Ints, floats

MOST_ROUNDS, MOST_STRAIGHTENING = 60, 8  # the latter without friction along the lines
# of the force scale, change of friction at a node: that ends the rounds; that is good enough after all of them; the
# same of friction across the lines
SETTLED, LOOSE, STRAIGHT = 1e-9, 1e-4, 1e-4
PATIENCE, STANDS = 10, 0.5  # rounds in which the change falls to this of itself, where there is an end to them
SLIGHT = 1e-6  # of the force scale: tension of a line that is as good as slack

Settle = Callable[[BarsWork], bool]  # brings bars to rest from where they are; False if it does not


class Ground(NamedTuple):
    """How nodes of lines lie on the bed; a node that lines share has a row in each."""

    chains: Chains
    node: Ints  # (k,) of the bars
    normal: Array  # (k, 3) of the bed
    pressed: Array  # (k,) N, normal force on the half bars of that line, and on what hangs there
    part: Array  # (k,) of all the normal force on the node
    near: Flags  # (k,) of nodes no higher over the bed than their line is thick
    on_bed: Flags  # (n_lines, 2) ends


def rub_on_bed(work: BarsWork, friction: float, settle: Settle) -> None:
    """Bring an equilibrium without friction to one with it; if none is found, it stays, with no friction in force."""
    s, bars = work.steps, work.bars
    if not _lies(work):
        return
    before = s.r.copy(), s.tension.copy()
    if work.medium.current_speed != 0.0 or work.medium.current_table.size:
        _straighten(work, settle)
    force = _share_out(work, friction, settle)
    work.bars = bars
    if force is not None:
        loads_at_rest(work, s.r)
        place_grips(work, force, friction)
        _rule(work, friction, is_sought=False)
        if settle(work):
            return
    s.r[:], s.tension[:] = before
    _rule(work, 0.0, is_sought=False)
    settle(work)


def _rule(work: BarsWork, friction: float, *, is_sought: bool) -> None:
    rule = work.field.grip.friction[0]
    rule.coefficient, rule.is_sought = friction, is_sought


def _lies(work: BarsWork) -> bool:
    """Whether a node of a line bears on the bed."""
    loads_at_rest(work, work.steps.r)
    return bool(np.any(work.field.pressed.normal[work.places.line_node] > 0.0))


def _straighten(work: BarsWork, settle: Settle) -> None:
    """Lay what is on the bed straight, as it lies where friction holds it against the current.

    Without friction the current blows it into a bow, which friction would keep. The state stays if that fails.
    """
    s, bars, last = work.steps, work.bars, None
    before = s.r.copy(), s.tension.copy()
    for _ in range(MOST_STRAIGHTENING):
        loads_at_rest(work, s.r)
        lies = (work.field.pressed.normal > 0.0) | bars.held
        lies = np.all(lies[bars.node], axis=1) & ~np.all(bars.held[bars.node], axis=1)
        if last is not None and np.array_equal(lies, last):
            break
        last, member = lies, bars.member.copy()
        member.drag_normal[lies] = 0.0
        member.drag_tangential[lies] = 0.0
        work.bars = bars._replace(member=member)
        if not settle(work):
            s.r[:], s.tension[:] = before
            break
    work.bars = bars


def _share_out(work: BarsWork, friction: float, settle: Settle) -> Array | None:
    """(n, 3) friction at the nodes, N; None if it does not settle."""
    s, hold = work.steps, work.field.grip.hold
    _rule(work, friction, is_sought=True)
    hold.share, hold.place = 0.0, s.r
    loads_at_rest(work, s.r)
    scale = max(float(np.abs(s.tension).max(initial=0.0)), float(work.field.pressed.normal.max()))
    work.bars = work.bars._replace(push=_firm(work, scale))
    straightens, lain, change = True, None, np.inf
    recent: deque[float] = deque(maxlen=PATIENCE)
    for k in range(MOST_ROUNDS):
        current, ground = _present(work), _ground(work)
        if straightens or lain is None:  # friction across taut line first: without tension a bow would stay
            lain = _lain(work, ground, friction, current)
            asked, shares = wanted(ground.chains, lain, None)
            change = float(np.max(np.abs(_at_nodes(work, ground, asked) - current), initial=0.0))
            straightens = change > STRAIGHT * scale and k < MOST_STRAIGHTENING
            hold.place = s.r
        if not straightens:
            lain = _now(work, ground, lain)
            asked, shares = wanted(ground.chains, lain, ground.part[:, None] * current[ground.node])
            _follow(work, ground, lain.tangent)
            along = (_at_nodes(work, ground, asked) - current)[ground.node]
            change = float(np.max(np.abs(np.sum(along * lain.tangent, axis=1)), initial=0.0))
            if change <= SETTLED * scale or (len(recent) == PATIENCE and change > STANDS * recent[0]):
                break
            recent.append(change)
        hold.share = _node_shares(work, ground, asked, shares)
        if not settle(work):
            return None
    return _at_nodes(work, ground, asked) if not straightens and change <= LOOSE * scale else None


def _firm(work: BarsWork, scale: float) -> Array:
    """(m,) 1 for bars that can push, taut ones on the bed among them: too much friction on the way would fold these."""
    bears = work.field.pressed.normal > 0.0
    lies = np.any(bears[work.bars.node], axis=1) & (work.steps.tension > SLIGHT * scale)
    return floats(np.where(lies, 1.0, work.bars.push))


def _ground(work: BarsWork) -> Ground:
    """How the lines lie at present; the loads must be those of the present places."""
    bars, places, node = work.bars, work.places, work.places.line_node
    chains = Chains(places.line_start, places.bar_start, node[_ends(places.line_start)], ~bars.held)
    normal, height = heights_over(work.medium.bed, work.steps.r)
    rows = np.delete(np.arange(node.size), places.line_start[1:] - 1)  # first node of each bar of the lines
    law, m = work.medium.bed.law[0], int(places.bar_start[-1])
    pressed = np.zeros(node.size)
    for side in range(2):
        own = bars.node[:m, side]
        depth = np.where(bars.held[own], 0.0, np.maximum(bars.contact_radius[:m] - height[own], 0.0))
        pressed[rows + side] += law.stiffness * 0.5 * bars.length[:m] * bars.contact_width[:m] * depth
    first = np.full(bars.mass.size, -1)
    first[node[::-1]] = np.arange(node.size)[::-1]
    for foot in bars.footing:
        if first[foot.node] >= 0:
            sunk = max(foot.radius - float(height[foot.node]), 0.0)
            pressed[first[foot.node]] += law.stiffness * foot.area * sunk
    total = work.field.pressed.normal[node]
    part = np.divide(pressed, total, out=np.zeros(node.size), where=total > 0.0)
    on_bed = (total[_ends(places.line_start)] > 0.0) | bars.held[chains.junction]
    thick = np.maximum.reduceat(bars.contact_radius[:m], places.bar_start[:-1])
    near = height[node] <= 2.0 * np.repeat(thick, np.diff(places.line_start))
    return Ground(chains, node, np.ascontiguousarray(normal[node]), pressed, part, near, on_bed)


def _ends(start: Ints) -> Ints:
    """(n_lines, 2) rows of the first and the last node of each line."""
    ends: Ints = np.stack([start[:-1], start[1:] - 1], axis=1)
    return ends


def _lain(work: BarsWork, ground: Ground, friction: float, current: Array) -> Lain:
    """What friction follows from at present.  current : (n, 3) friction in force, N"""
    tangent = tangents(ground.chains, ground.normal, work.steps.r[ground.node])
    load = (work.field.force - current)[ground.node] * np.where(ground.part > 0.0, ground.part, 1.0)[:, None]
    load = along_bed(ground.normal, load)
    across = load - np.sum(load * tangent, axis=1)[:, None] * tangent
    return _now(work, ground, Lain(friction, np.zeros(0), ground.pressed, ground.near, ground.on_bed, tangent, across))


def _now(work: BarsWork, ground: Ground, lain: Lain) -> Lain:
    """The same with the present tensions and normal forces."""
    m = int(work.places.bar_start[-1])
    tension = np.where(work.bars.push[:m] > 0.0, work.steps.tension[:m], np.maximum(work.steps.tension[:m], 0.0))
    return lain._replace(tension=tension, pressed=ground.pressed, near=ground.near, on_bed=ground.on_bed)


def _present(work: BarsWork) -> Array:
    """(n, 3) N, friction on the nodes while the equilibrium is sought; fills the loads of the present places."""
    s, hold, pressed = work.steps, work.field.grip.hold, work.field.pressed
    loads_at_rest(work, s.r)
    normal = heights_over(work.medium.bed, s.r)[0]
    spring = SOFT * work.medium.bed.law.shear[0] * pressed.area[:, None]
    force: Array = pressed.normal[:, None] * hold.share - spring * along_bed(normal, s.r - hold.place)
    return force


def _follow(work: BarsWork, ground: Ground, tangent: Array) -> None:
    """Move the grips of the soft springs along the lines to their nodes."""
    place, way = work.field.grip.hold.place.copy(), work.steps.r[ground.node]
    place[ground.node] += np.sum((way - place[ground.node]) * tangent, axis=1)[:, None] * tangent
    work.field.grip.hold.place = place


def _at_nodes(work: BarsWork, ground: Ground, force: Array) -> Array:
    """(n, 3) forces on nodes of lines, added up at the nodes of the bars."""
    total: Array = np.zeros_like(work.steps.r)
    np.add.at(total, ground.node, force)
    return total


def _node_shares(work: BarsWork, ground: Ground, force: Array, shares: Array) -> Array:
    """(n, 3) friction over the normal force; off the bed that of the line beside it."""
    N = work.field.pressed.normal[:, None]
    out: Array = np.zeros_like(work.steps.r)
    out[ground.node] = shares
    return np.divide(_at_nodes(work, ground, force), N, out=out, where=N > 0.0)
