r"""Friction of the bed in an equilibrium: that of lines which were drawn taut from their lifted parts.

Coulomb friction balances much; what it does balance depends on how a line came to lie. As in the closed form
([Jonkman2007], eq. 2-38), a line is taken to have been laid slack and pulled from where it leaves the bed. Along the
bed the tension then falls from there by all that friction can take, not below zero; where it was pulled from both
sides, the larger of both is in force:

.. math:: T_i = \max(L_i, R_i), \quad L_i = \max(0,\, L_{i-1} - q_i - \mu N_i), \quad
          R_{i-1} = \max(0,\, R_i + q_i - \mu N_i),

T in the elements, q the other forces along the line on the node between elements i - 1 and i. Loads across the line
are held as far as friction allows, and what they take of it is missing along the line.

The equilibrium under given shares :math:`\rho` of the normal forces is found by Newton's method, the shares anew from
its tensions, until they stay. In the end the grips of the nodes are put where their springs pull just so; with
them the state is at rest under the very law that friction follows in time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.loads.bed import heights_over
from ropewalk.methods.mixed.equilibrium import CONVERGED, STUCK, find_equilibrium, unbalance
from ropewalk.methods.mixed.nodes import SOFT, Grip, no_grip
from ropewalk.methods.mixed.steps import Work
from ropewalk.model.arrays import Array
from ropewalk.model.environment import Sea
from ropewalk.model.joints import Motions

MOST_ROUNDS, MOST_STRAIGHTENING = 60, 8  # the latter without friction along the lines
# of the force scale, change of friction at a node: that ends the rounds; that is good enough after all of them; the
# same of friction across the lines
SETTLED, LOOSE, STRAIGHT = 1e-9, 1e-4, 1e-4
SLIGHT = 1e-6  # of the force scale: tension of a line that is as good as slack
EDGE = 4  # nodes beyond a stretch that are told the friction they would find if they came down
SHORTEST = 1e-300  # m; what has no length lies nowhere


class Lie(NamedTuple):
    """How lines lie on the bed."""

    tangent: Array  # (n_nodes, 3) along the bed, in the order of the mesh
    across: Array  # (n_nodes, 3) N, loads along the bed and across the lines


class Stretch(NamedTuple):
    """Nodes of a line that lie on the bed one after the other."""

    line: int
    first: int  # node of the mesh
    last: int
    reaches: tuple[bool, bool]  # the line's ends, which lie on the bed
    pulled: tuple[bool, bool]  # from the side of the first and the last node


class Case(NamedTuple):
    """What an equilibrium is sought for."""

    t: float  # s
    mesh: Mesh
    sea: Sea
    motions: Motions
    force_scale: float  # N
    length_scale: float  # m

    def settle(self, mesh: Mesh, work: Work, misses: Array) -> tuple[int, int, float, float]:
        """As `find_equilibrium`, with the grips of `work`."""
        scales = (self.force_scale, self.length_scale)
        return find_equilibrium(  # type: ignore[no-any-return]
            self.t, mesh, self.sea, self.motions, work, scales, misses, mesh.friction
        )


def rub(case: Case, work: Work, misses: Array) -> tuple[int, int, float, float]:
    """Bring an equilibrium without friction in `work.trial` to one with it; as `find_equilibrium`.

    If there is none to be found, the state is left as it was, without friction.
    """
    mesh, attitude = case.mesh, case.mesh.bodies.memory.attitude
    X, T, attitudes = work.trial.X.copy(), work.trial.T.copy(), attitude.copy()
    friction, iterations = _share_out(case, work, misses)
    if friction is not None:
        preload(mesh, work, friction)
        outcome, used, force, miss = case.settle(mesh, work, misses)
        iterations += used
        if outcome == CONVERGED:
            return outcome, iterations, force, miss
    work.trial.X[...], work.trial.T[...], attitude[...] = X, T, attitudes
    work.memory.grip.friction[0].coefficient = 0.0
    return STUCK, iterations, 0.0, 0.0


def _share_out(case: Case, work: Work, misses: Array) -> tuple[Array | None, int]:
    """Friction at the nodes (n_nodes, 3), N, None if it does not settle; and the iterations used."""
    mesh, scale = case.mesh, case.force_scale
    n, grip = mesh.s.size, _seeking(mesh)
    place, share = grip.hold.place, grip.hold.share
    held = work._replace(memory=work.memory._replace(grip=grip))
    firm = _firm(mesh, work, scale)
    iterations, straightens, lie = 0, True, _lie(mesh, case.sea, work)
    for k in range(MOST_ROUNDS):
        r, current = work.trial.X[0], _present(mesh, work, grip)
        if straightens:  # friction across taut line first: without tension a bow would stay
            lie = _lie(mesh, case.sea, work)
            wanted, shares = _wanted(firm, work, lie, None)
            change = float(np.max(np.abs(wanted - current), initial=0.0))
            straightens = change > STRAIGHT * scale and k < MOST_STRAIGHTENING
            place[:] = r
        if not straightens:
            wanted, shares = _wanted(firm, work, lie, current)
            d = r[:n] - place[:n]
            place[:n] += np.sum(d * lie.tangent, axis=1)[:, None] * lie.tangent
            change = float(np.max(np.abs(np.sum((wanted - current) * lie.tangent, axis=1)), initial=0.0))
            if change <= SETTLED * scale:
                return wanted, iterations
        share[:n] = shares
        outcome, used, _, _ = case.settle(firm, held, misses)
        iterations += used
        if outcome != CONVERGED:
            return None, iterations
    return (wanted if change <= LOOSE * scale else None), iterations


def _firm(mesh: Mesh, work: Work, force_scale: float) -> Mesh:
    """The mesh with taut line on the bed that can push: too much friction on the way would else fold it."""
    n0 = np.repeat(mesh.node_start[:-1] - mesh.element_start[:-1], np.diff(mesh.element_start))
    first = n0 + np.arange(mesh.element.shape[0])
    on_bed, tension = _depth(mesh, work.trial.X[0]) > 0.0, work.trial.T
    element = mesh.element.copy()
    element.slack[(on_bed[first] | on_bed[first + 1]) & (tension > SLIGHT * force_scale)] = 0.0
    return mesh._replace(element=element)


def sheltered(mesh: Mesh, r: Array) -> Mesh:
    """The mesh without drag on what lies on the bed, where friction holds the line against the current.

    r : (n_rows, 3) m
    """
    n0 = np.repeat(mesh.node_start[:-1] - mesh.element_start[:-1], np.diff(mesh.element_start))
    first, on_bed = n0 + np.arange(mesh.element.shape[0]), _depth(mesh, r) > 0.0
    element = mesh.element.copy()
    lies = on_bed[first] & on_bed[first + 1]
    element.drag_normal[lies] = 0.0
    element.drag_tangential[lies] = 0.0
    return mesh._replace(element=element)


def preload(mesh: Mesh, work: Work, friction: Array) -> None:
    """Put the grips where they pull with the forces `friction` (n_nodes, 3), N, on the nodes of `work.trial`."""
    n, grip, r = mesh.s.size, work.memory.grip, work.trial.X[0]
    grip.friction[0].coefficient, grip.friction[0].is_sought = mesh.friction, 0
    grip.hold.place = r
    stiffness = mesh.bed.law.shear[0] * mesh.node.bed_area[:n, None]
    grip.hold.place[:n] += np.divide(friction, stiffness, out=np.zeros((n, 3)), where=stiffness > 0.0)


def hold(mesh: Mesh, sea: Sea, work: Work) -> Work:
    """`work` with the friction that holds the state in its `trial`, as far as it can: for tangents there.

    Its shares of the normal forces stay as they are: like the closed form, lines on the bed then follow where they are
    pulled, also to the side.
    """
    if not (mesh.has_bed and sea.bed_rest_friction > 0.0):
        return work
    n, r = mesh.s.size, work.trial.X[0]
    needed = _in_plane(mesh, r, -_loads(mesh, sea, work, work.trial.T))
    N = _normal_force(mesh, r)
    size = np.sqrt(np.sum(needed * needed, axis=1))
    needed *= np.minimum(1.0, mesh.friction * N / np.maximum(size, SHORTEST))[:, None]
    grip = _seeking(mesh)
    grip.hold.place = r
    np.divide(needed, N[:, None], out=grip.hold.share[:n], where=N[:, None] > 0.0)
    return work._replace(memory=work.memory._replace(grip=grip))


def _seeking(mesh: Mesh) -> Grip:
    """Empty grips while an equilibrium is sought."""
    return no_grip(mesh.node.shape[0], mesh.friction, is_sought=True)


def _depth(mesh: Mesh, r: Array) -> Array:
    """(n_nodes,) m below where the bed begins to bear"""
    n = mesh.s.size
    depth: Array = mesh.node[:n].radius - heights_over(mesh.bed, r[:n])[1]
    return depth


def _normal_force(mesh: Mesh, r: Array) -> Array:
    """(n_nodes,) N, at rest"""
    force: Array = mesh.bed.law.stiffness[0] * mesh.node[: mesh.s.size].bed_area * np.maximum(_depth(mesh, r), 0.0)
    return force


def _in_plane(mesh: Mesh, r: Array, x: Array) -> Array:
    """Vectors x (n, 3) at the nodes, which are at r (m), without what they have across the bed."""
    normal = heights_over(mesh.bed, r[: mesh.s.size])[0]
    flat: Array = x - np.sum(x * normal, axis=1)[:, None] * normal
    return flat


def _present(mesh: Mesh, work: Work, grip: Grip) -> Array:
    """(n_nodes, 3) N, friction on the nodes while the equilibrium is sought."""
    n, r = mesh.s.size, work.trial.X[0]
    N = _normal_force(mesh, r)
    spring = SOFT * mesh.bed.law.shear[0] * mesh.node[:n].bed_area * (N > 0.0)
    slid = _in_plane(mesh, r, r[:n] - grip.hold.place[:n])
    force: Array = N[:, None] * grip.hold.share[:n] - spring[:, None] * slid
    return force


def _lie(mesh: Mesh, sea: Sea, work: Work) -> Lie:
    """How the lines lie at present."""
    n, r = mesh.s.size, work.trial.X[0]
    before, after = np.arange(n) - 1, np.arange(n) + 1
    before[mesh.node_start[:-1]] += 1
    after[mesh.node_start[1:] - 1] -= 1
    chord = _in_plane(mesh, r, r[after] - r[before])
    tangent = chord / np.maximum(np.sqrt(np.sum(chord * chord, axis=1)), SHORTEST)[:, None]
    load = _in_plane(mesh, r, _loads(mesh, sea, work, np.zeros_like(work.trial.T)))
    return Lie(tangent, load - np.sum(load * tangent, axis=1)[:, None] * tangent)


def _wanted(mesh: Mesh, work: Work, lie: Lie, current: Array | None) -> tuple[Array, Array]:
    """Friction that the present tensions ask for (n_nodes, 3), N, and as a share of the normal force.

    current : (n_nodes, 3) N, what there is of it; None if only what holds lines across is asked for
    """
    r, n = work.trial.X[0], mesh.s.size
    N = _normal_force(mesh, r)
    limit = mesh.friction * N
    size = np.sqrt(np.sum(lie.across * lie.across, axis=1))
    force = -np.minimum(1.0, limit / np.maximum(size, SHORTEST))[:, None] * lie.across
    left = np.sqrt(np.maximum(limit**2 - size**2, 0.0))
    shares = np.zeros((n, 3))
    stretches = _stretches(mesh, N, _depth(mesh, r)) if current is not None else []
    there = np.sum(current * lie.tangent, axis=1) if current is not None else np.zeros(n)
    slack = (work.trial.T < 0.0) & (mesh.element["slack"] > 0.0)
    T = np.where(slack, 0.0, work.trial.T)
    for stretch in stretches:
        i, tangent = slice(stretch.first, stretch.last + 1), lie.tangent
        own = _along(mesh, T, stretch, left[i], there[i])
        force[i] += own[:, None] * tangent[i]
        n0, n1 = mesh.node_start[stretch.line], mesh.node_start[stretch.line + 1]
        if stretch.pulled[0]:
            shares[max(n0, stretch.first - EDGE) : stretch.first] = mesh.friction * tangent[stretch.first]
        if stretch.pulled[1]:
            shares[stretch.last + 1 : min(n1, stretch.last + 1 + EDGE)] = -mesh.friction * tangent[stretch.last]
    return force, np.divide(force, N[:, None], out=shares, where=N[:, None] > 0.0)


def _loads(mesh: Mesh, sea: Sea, work: Work, T: Array) -> Array:
    """(n_nodes, 3) N: all forces on the nodes but friction, the tensions being T."""
    nodes, misses = np.zeros_like(work.nodes), np.zeros(mesh.element.shape[0])
    X = work.trial.X
    grip = no_grip(mesh.node.shape[0])
    unbalance(X, T, work.flow, mesh, (sea.water_density, sea.gravity), grip, nodes, misses)
    loads: Array = -nodes[: mesh.s.size]
    return loads


def _along(mesh: Mesh, T: Array, stretch: Stretch, limit: Array, current: Array) -> Array:
    """Friction along the nodes of a stretch (N), towards its last one.

    T : (n_elements,) N    limit, current : (n,) most friction, and what there is of it, N
    """
    n0, n1 = mesh.node_start[stretch.line], mesh.node_start[stretch.line + 1] - 1
    shift = mesh.element_start[stretch.line] - n0
    wanted = np.zeros(limit.size)
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
        wanted[i] = np.clip(profile[:-1] - profile[1:] - q, -limit[i], limit[i])
    if stretch.first == n0 and limit[0] > 0.0:  # on a free junction: what arrives here is held as far as may be
        arrives = T[n0 + shift] if not stretch.pulled[0] else -max(T[n0 + shift] + current[0], 0.0)
        wanted[0] = -np.clip(arrives, -limit[0], limit[0])
    if stretch.last == n1 and limit[-1] > 0.0:
        arrives = T[n1 + shift - 1] if not stretch.pulled[1] else -max(T[n1 + shift - 1] - current[-1], 0.0)
        wanted[-1] = np.clip(arrives, -limit[-1], limit[-1])
    return wanted


def _fall(start: float, change: Array) -> Array:
    """x_0 = start, x_i = max(0, x_{i-1} + change_i)."""
    walk = np.concatenate([[max(start, 0.0)], change]).cumsum()
    fallen: Array = walk - np.minimum(np.minimum.accumulate(walk), 0.0)
    return fallen


def _stretches(mesh: Mesh, N: Array, depth: Array) -> list[Stretch]:
    """All stretches on the bed, and from where they were pulled.

    A stretch was pulled from where it leaves the bed. One that ends in a free point on the bed was pulled from there
    if another line pulls at that point, or if nothing else pulls at it, like one that lies between two anchors.
    """
    found = []
    for line in range(mesh.line.shape[0]):
        n0, n1 = mesh.node_start[line], mesh.node_start[line + 1] - 1
        ends = [depth[k] > 0.0 or mesh.node[k].bed_area == 0.0 for k in (n0, n1)]
        on_bed = np.concatenate([[False], N[n0 : n1 + 1] > 0.0, [False]])
        edges = np.flatnonzero(on_bed[1:] != on_bed[:-1])
        for a, b in zip(n0 + edges[::2], n0 + edges[1::2] - 1, strict=True):
            reaches = (bool(a <= n0 + 1 and ends[0]), bool(b >= n1 - 1 and ends[1]))
            found.append(Stretch(line, int(a), int(b), reaches, (not reaches[0], not reaches[1])))
    pulled: set[int] = set()
    while True:
        before = len(pulled)
        found = [_passed_on(mesh, stretch, pulled) for stretch in found]
        if len(pulled) == before:
            break
    return [s if any(s.pulled) else s._replace(pulled=(True, True)) for s in found]


def _passed_on(mesh: Mesh, stretch: Stretch, pulled: set[int]) -> Stretch:
    """The stretch with what is known of the pull at its ends; free junctions that it pulls at are added to `pulled`."""
    sides = list(stretch.pulled)
    junctions = [int(mesh.line[stretch.line].junction[side]) for side in (0, 1)]
    for side in (0, 1):
        if stretch.reaches[side] and not sides[1 - side] and junctions[side] in pulled:
            sides[side] = True
    for side in (0, 1):
        j = junctions[side]
        if stretch.reaches[side] and sides[1 - side] and not sides[side] and mesh.dof_start[j] < mesh.dof_start[j + 1]:
            pulled.add(j)
    return stretch._replace(pulled=(sides[0], sides[1]))
