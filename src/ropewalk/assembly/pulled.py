r"""Friction of the bed in an equilibrium: that of lines which were drawn taut from their lifted parts.

Coulomb friction balances much; what it does balance depends on how a line came to lie. As in the closed form
([Jonkman2007], eq. 2-38), a line is taken to have been laid slack and pulled from where it leaves the bed. Along the
bed the tension then falls from there by all that friction can take, not below zero; where it was pulled from both
sides, the larger of both is in force:

.. math:: T_i = \max(L_i, R_i), \quad L_i = \max(0,\, L_{i-1} - q_i - \mu N_i), \quad
          R_{i-1} = \max(0,\, R_i + q_i - \mu N_i),

T in the elements, q the other forces along the line on the node between elements i - 1 and i. Loads across the line
are held as far as friction allows, and what they take of it is missing along the line.

Elements and bars are both lines of nodes with a tension between each two of them, so that the rule is one, and so is
the way to an equilibrium with it (:func:`share_out`): each method finds equilibria under given shares :math:`\rho` of
the normal forces, and the shares are taken anew from its tensions until they stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ropewalk.loads.grip import sought_friction
from ropewalk.model.arrays import Array, Flags, Ints, Records

# of the shear stiffness of the soft springs while lines are laid straight: springs would hold the bow of the
# frictionless start, so that there are none, but where slack lines have no place without them
EASES = (0.0, 1e-2, 1.0)
MOST_ROUNDS, MOST_STRAIGHTENING = 60, 8
# of the force scale, change of friction at a node: that ends the rounds; that ends those of laying lines straight
SETTLED, STRAIGHT = 1e-9, 1e-6
# of the largest tension: by how much the friction at a node may miss the rule after all rounds. Slack tails that meet
# in a free point go to and fro by 1e-3 of it for ever; the state is at rest with friction within its limit all the same
LOOSE = 1e-2
GROWN = 100.0  # times the least change so far: rounds that lead away from it
# Friction holds what comes to rest, and moves nothing. Where lines were drawn taut from their lifted parts, free points
# end within 0.16 of the longest line of where they would be without it (500 random systems). Beyond, friction of tails
# on the bed has drawn points away from their anchors, up to where lines are taut the other way round.
FARTHEST = 0.25  # of the longest line
SLIGHT = 1e-6  # of the force scale: tension of a line that is as good as slack
EDGE = 4  # nodes beyond a stretch that have the friction that would act if they came down
SHORTEST = 1e-300  # m; what has no length lies nowhere


class Chains(NamedTuple):
    """Lines of nodes, one after the other, and what they end in."""

    node_start: Ints  # (n_lines + 1,)
    element_start: Ints  # (n_lines + 1,)
    junction: Ints  # (n_lines, 2) at the first and the last node
    free: Flags  # (n_junctions,) those that can move


class Lain(NamedTuple):
    """How lines lie on the bed."""

    friction: float
    tension: Array  # (n_elements,) N, 0 in slack elements that cannot push
    pressed: Array  # (n_nodes,) N, normal force of the bed
    near: Flags  # (n_nodes,) of nodes no higher over the bed than their line is thick
    on_bed: Flags  # (n_lines, 2) ends that lie on the bed, or that it does not touch because they are held


class Lie(NamedTuple):
    """Which way lines lie on the bed, and what blows across them."""

    tangent: Array  # (n_nodes, 3) along the bed, in the order of the nodes
    along: Array  # (n_nodes, 3) loads along the bed and the lines, over the normal force that they come with
    across: Array  # (n_nodes, 3) the same across the lines


class Spots(NamedTuple):
    """What nodes do on the bed; one that lines share has several places in their chains."""

    node: Ints  # (k,) of each place in the chains
    r: Array  # (n, 3) m
    normal: Array  # (n, 3) of the bed
    pressed: Array  # (n,) N, normal force of the bed, that of all lines
    shear: Array  # (n,) N/m, with which the bed holds what lies on it


class Patience(NamedTuple):
    """How long rounds go on: they end where in so many the change of friction has not fallen to this share of it."""

    rounds: int
    share: float


class Rubbed(Protocol):
    """Lines whose friction is shared out, as a method has them."""

    @property
    def hold(self) -> Records:
        """(n,) of HOLD of loads/grip.py, with which the method seeks equilibria."""

    def present(self) -> tuple[Chains, Lain, Spots]:
        """How the lines lie."""

    def loads(self, friction: Array) -> Array:
        """(k, 3) N, what acts on the places in the chains besides tension and `friction` (n, 3)."""

    def settle(self) -> bool:
        """Bring the lines to rest from where they are, with the shares in `hold`; False if that fails."""

    def ease(self, share: float) -> None:
        """Give the soft springs, in `present` and `settle`, this share of their stiffness."""

    def shelter(self) -> None:
        """Take the drag off what lies on the bed at present, and off nothing else; lines push by their law only."""

    def expose(self) -> None:
        """Give all drag back; line that is taut may push from now on, so that too much friction does not fold it."""

    def kept(self) -> Callable[[], None]:
        """Note where the lines are, for the function returned to bring them back there."""

    def free_places(self) -> Array:
        """(m, 3) m, of free points and bodies."""


class Stretch(NamedTuple):
    """Nodes of a line that lie on the bed one after the other."""

    line: int
    first: int
    last: int
    reaches: tuple[bool, bool]  # the line's ends, which lie on the bed
    pulled: tuple[bool, bool]  # from the side of the first and the last node


def share_out(
    case: Rubbed, scale: float, longest: float, patience: Patience, *, straightens: bool = True
) -> Array | None:
    """(n, 3) friction at the nodes, N, in an equilibrium that the lines are left in; None if there is none to be found.

    scale : of forces, N    longest : of the lines, m    straightens : False if the lines were at rest with friction
    """
    hold, begun = case.hold, case.free_places()
    if straightens and not any(_straighten(case, scale, ease) for ease in EASES):
        return None
    lie: Lie | None = None
    friction, restore, least, loose = np.zeros(0), case.kept(), [np.inf], 0.0
    for _ in range(MOST_ROUNDS):
        if np.max(np.abs(case.free_places() - begun), initial=0.0) > FARTHEST * longest:
            return None
        chains, lain, spots = case.present()
        way = along_bed(spots.normal, spots.r - hold.place)
        current = sought_friction(spots.shear, way, spots.pressed, hold.share)
        if lie is None:
            lie = _lie(case, chains, lain, spots, current)
        asked, shares = wanted(chains, lain, lie, _part(lain, spots)[:, None] * current[spots.node])
        hold.place = _followed(spots, hold.place, lie.tangent)
        whole = _at_nodes(spots, asked)
        along = np.sum((whole - current)[spots.node] * lie.tangent, axis=1)
        change = float(np.max(np.abs(along), initial=0.0))
        if change <= least[-1]:
            friction, restore = whole, case.kept()
        least.append(min(change, least[-1]))
        stands = len(least) > patience.rounds and least[-1] >= patience.share * least[-1 - patience.rounds]
        loose = LOOSE * float(np.max(lain.tension, initial=0.0))
        if change <= SETTLED * scale or change > loose >= GROWN * least[-1] or stands:
            break
        hold.share = _node_shares(spots, asked, shares)
        if not case.settle():
            break
    if least[-1] > max(loose, SETTLED * scale):
        return None
    restore()
    return friction


def _straighten(case: Rubbed, scale: float, ease: float) -> bool:
    """Lay the lines as if nothing acted on them along the bed, as far as friction can hold that.

    Drag depends on how they lie: shares alone would hold a bow against that of its own.

    False, and the lines as they were, if they do not come to rest.

    scale : of forces, N    ease : of the stiffness of the soft springs
    """
    hold, restore = case.hold, case.kept()
    place, share, rests = hold.place.copy(), hold.share.copy(), True
    case.ease(ease)
    for k in range(MOST_STRAIGHTENING):
        case.shelter()
        chains, lain, spots = case.present()
        way = along_bed(spots.normal, spots.r - hold.place)
        current = sought_friction(spots.shear, way, spots.pressed, hold.share)
        lie = _lie(case, chains, lain, spots, current)
        asked, shares = _held(lain, lie.along + lie.across)
        change = np.max(np.abs(_at_nodes(spots, asked) - current), initial=0.0)
        hold.place, hold.share = spots.r, _node_shares(spots, asked, shares)
        if k > 0 and change <= STRAIGHT * scale:
            break
        rests = case.settle()
        if not rests:
            break
    if not rests:
        restore()
        hold.share = share
    case.ease(1.0)
    case.expose()
    hold.place = case.present()[2].r if rests else place
    return rests


def _held(lain: Lain, load: Array) -> tuple[Array, Array]:
    """Friction that balances loads (n, 3) per normal force as far as it can: N, and as a share of the normal force."""
    size = np.sqrt(np.sum(load * load, axis=1))
    shares = -np.minimum(1.0, lain.friction / np.maximum(size, SHORTEST))[:, None] * load
    return lain.pressed[:, None] * shares, shares


def _part(lain: Lain, spots: Spots) -> Array:
    """(k,) of all the normal force on a node, that on each place in the chains."""
    total = spots.pressed[spots.node]
    return np.divide(lain.pressed, total, out=np.zeros(total.size), where=total > 0.0)


def _lie(case: Rubbed, chains: Chains, lain: Lain, spots: Spots, friction: Array) -> Lie:
    """How the lines lie at present.  friction : (n, 3) in force, N

    What partly hangs presses less on the bed than it weighs, and the bed holds as much less of what acts along it.
    """
    normal = spots.normal[spots.node]
    tangent = tangents(chains, normal, spots.r[spots.node], lain.pressed)
    load = case.loads(friction)
    weight = np.maximum(-np.sum(load * normal, axis=1), spots.pressed[spots.node])[:, None]
    ratio = np.divide(along_bed(normal, load), weight, out=np.zeros_like(load), where=weight > 0.0)
    along = np.sum(ratio * tangent, axis=1)[:, None] * tangent
    return Lie(tangent, along, ratio - along)


def _followed(spots: Spots, place: Array, tangent: Array) -> Array:
    """(n, 3) grips of the soft springs (m), moved along the lines to their nodes."""
    moved = place.copy()
    way = spots.r[spots.node] - place[spots.node]
    moved[spots.node] += np.sum(way * tangent, axis=1)[:, None] * tangent
    return moved


def _at_nodes(spots: Spots, force: Array) -> Array:
    """(n, 3) forces on places in the chains, added up at the nodes."""
    total: Array = np.zeros_like(spots.r)
    np.add.at(total, spots.node, force)
    return total


def _node_shares(spots: Spots, force: Array, shares: Array) -> Array:
    """(n, 3) friction over the normal force; off the bed that of the line beside it."""
    N = spots.pressed[:, None]
    out: Array = np.zeros_like(spots.r)
    out[spots.node] = shares
    return np.divide(_at_nodes(spots, force), N, out=out, where=N > 0.0)


def wanted(chains: Chains, lain: Lain, lie: Lie, current: Array) -> tuple[Array, Array]:
    """Friction required by the present tensions (n_nodes, 3), N, and as a share of the normal force.

    current : (n_nodes, 3) N, what there is of it
    """
    N, mu, tangent = lain.pressed, lain.friction, lie.tangent
    force, shares = _held(lain, lie.across)
    spare = np.sqrt(np.maximum(mu**2 - np.sum(shares * shares, axis=1), 0.0))
    there = np.sum(current * tangent, axis=1)
    for stretch in _stretches(chains, lain):
        i = slice(stretch.first, stretch.last + 1)
        own = _along(chains, lain.tension, stretch, spare[i] * N[i], there[i])
        force[i] += own[:, None] * tangent[i]
        n0, n1 = chains.node_start[stretch.line], chains.node_start[stretch.line + 1]
        before = slice(max(n0, stretch.first - EDGE), stretch.first)
        after = slice(stretch.last + 1, min(n1, stretch.last + 1 + EDGE))
        if stretch.pulled[0]:
            shares[before] += spare[before, None] * tangent[stretch.first]
        if stretch.pulled[1]:
            shares[after] -= spare[after, None] * tangent[stretch.last]
    return force, np.divide(force, N[:, None], out=shares, where=N[:, None] > 0.0)


def along_bed(normal: Array, x: Array) -> Array:
    """Vectors x (n, 3) without what they have along the normals (n, 3) of the bed."""
    flat: Array = x - np.sum(x * normal, axis=1)[:, None] * normal
    return flat


def tangents(chains: Chains, normal: Array, r: Array, pressed: Array) -> Array:
    """(n, 3) unit vectors along the lines and the bed at nodes r (n, 3), m, by the chords between their neighbours.

    Where a line lifts off, by the chord on the bed only: with little tension the next element may point anywhere.

    pressed : (n,) normal force of the bed, N
    """
    n = r.shape[0]
    before, after = np.arange(n) - 1, np.arange(n) + 1
    before[chains.node_start[:-1]] += 1
    after[chains.node_start[1:] - 1] -= 1
    lies = pressed > 0.0
    from_bed, to_bed = lies & lies[before] & ~lies[after], lies & lies[after] & ~lies[before]
    after[from_bed], before[to_bed] = np.arange(n)[from_bed], np.arange(n)[to_bed]
    chord = along_bed(normal, r[after] - r[before])
    unit: Array = chord / np.maximum(np.sqrt(np.sum(chord * chord, axis=1)), SHORTEST)[:, None]
    return unit


def _along(chains: Chains, T: Array, stretch: Stretch, limit: Array, current: Array) -> Array:
    """Friction along the nodes of a stretch (N), towards its last one.

    T : (n_elements,) N    limit, current : (n,) most friction, and what there is of it, N
    """
    n0, n1 = chains.node_start[stretch.line], chains.node_start[stretch.line + 1] - 1
    shift = chains.element_start[stretch.line] - n0
    held = np.zeros(limit.size)
    a, b = max(stretch.first, n0 + 1), min(stretch.last, n1 - 1)  # those between two elements
    if a <= b:
        i = slice(a - stretch.first, b + 1 - stretch.first)
        before, after = T[a + shift - 1 : b + shift], T[a + shift : b + shift + 1]
        q = before - after - current[i]
        first, last = before[0], after[-1]
        if all(stretch.pulled):  # alike: friction as a whole then carries nothing
            first, last = (0.5 * (first + last + sign * np.sum(q)) for sign in (1.0, -1.0))
        left = _fall(first, -q - limit[i]) if stretch.pulled[0] else np.zeros(q.size + 1)
        right = _fall(last, (q - limit[i])[::-1])[::-1] if stretch.pulled[1] else np.zeros(q.size + 1)
        profile = np.maximum(left, right)
        held[i] = np.clip(profile[:-1] - profile[1:] - q, -limit[i], limit[i])
    if stretch.first == n0 and limit[0] > 0.0:  # on a free junction: what arrives here is held as far as may be
        arrives = T[n0 + shift] if not stretch.pulled[0] else -max(T[n0 + shift] + current[0], 0.0)
        held[0] = -np.clip(arrives, -limit[0], limit[0])
    if stretch.last == n1 and limit[-1] > 0.0:
        arrives = T[n1 + shift - 1] if not stretch.pulled[1] else -max(T[n1 + shift - 1] - current[-1], 0.0)
        held[-1] = np.clip(arrives, -limit[-1], limit[-1])
    return held


def _fall(start: float, change: Array) -> Array:
    """x_0 = start, x_i = max(0, x_{i-1} + change_i)."""
    walk = np.concatenate([[max(start, 0.0)], change]).cumsum()
    fallen: Array = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
    return fallen


def _stretches(chains: Chains, lain: Lain) -> list[Stretch]:
    """All stretches on the bed, and from where they were pulled.

    What hardly leaves the bed and comes down again, as beside a thicker piece, pulls nothing: it is part of it.
    A stretch was pulled from where it leaves the bed. One that ends in a free point on the bed was pulled from there
    if another line pulls at that point, or if nothing else pulls at it, like one that lies between two anchors.
    """
    found = []
    for line in range(chains.junction.shape[0]):
        n0, n1 = chains.node_start[line], chains.node_start[line + 1] - 1
        for a, b in _runs(lain.pressed[n0 : n1 + 1] > 0.0, lain.near[n0 : n1 + 1]) + n0:
            reaches = (bool(a <= n0 + 1 and lain.on_bed[line, 0]), bool(b >= n1 - 1 and lain.on_bed[line, 1]))
            found.append(Stretch(line, int(a), int(b), reaches, (not reaches[0], not reaches[1])))
    pulled: set[int] = set()
    while True:
        found = [_drawn(chains, stretch, pulled) for stretch in found]
        more = pulled.union(*(_passed_on(chains, stretch) for stretch in found))
        if more == pulled:
            break
        pulled = more
    return [s if any(s.pulled) else s._replace(pulled=(True, True)) for s in found]


def _runs(bears: Flags, near: Flags) -> Ints:
    """(k, 2) first and last of the nodes of a line that bear one after the other, or are near between two that do."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], bears.astype(np.int64), [0]])))
    runs = np.stack([edges[::2], edges[1::2] - 1], axis=1)
    apart = np.array([not np.all(near[a + 1 : b]) for a, b in zip(runs[:-1, 1], runs[1:, 0], strict=True)], dtype=bool)
    begins, ends = np.concatenate([[True], apart]), np.concatenate([apart, [True]])
    return np.stack([runs[begins, 0], runs[ends, 1]], axis=1) if runs.size else runs


def _drawn(chains: Chains, stretch: Stretch, pulled: set[int]) -> Stretch:
    """The stretch, pulled from those of its ends on the bed that are among the junctions `pulled`.

    Both ends at once, if both are; not from one, if it is pulled from the other already. So it does not matter which
    line, and which of its ends, comes first.
    """
    a, b = (stretch.reaches[side] and int(chains.junction[stretch.line, side]) in pulled for side in (0, 1))
    return stretch._replace(pulled=(a, b)) if not any(stretch.pulled) else stretch


def _passed_on(chains: Chains, stretch: Stretch) -> set[int]:
    """The free junctions that a stretch, itself pulled from its other end, pulls at."""
    ends = ((int(chains.junction[stretch.line, side]), side) for side in (0, 1))
    return {
        j
        for j, side in ends
        if stretch.reaches[side] and stretch.pulled[1 - side] and not stretch.pulled[side] and chains.free[j]
    }
