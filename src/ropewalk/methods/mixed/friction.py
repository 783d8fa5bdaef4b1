r"""Friction of the bed in an equilibrium of the mixed elements: that of assembly/pulled.py.

The equilibrium under given shares :math:`\rho` of the normal forces is found by Newton's method, the shares anew from
its tensions, until they stay. In the end the grips of the nodes are put where their springs pull just so; with
them the state is at rest under the very law that friction follows in time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.assembly.pulled import SHORTEST, Chains, Lain, along_bed, tangents, wanted
from ropewalk.loads.bed import heights_over
from ropewalk.loads.grip import SOFT, Grip, no_grip
from ropewalk.methods.mixed.equilibrium import CONVERGED, STUCK, find_equilibrium, unbalance
from ropewalk.methods.mixed.steps import Work
from ropewalk.model.arrays import Array
from ropewalk.model.environment import Sea
from ropewalk.model.joints import Motions

MOST_ROUNDS, MOST_STRAIGHTENING = 60, 8  # the latter without friction along the lines
# of the force scale, change of friction at a node: that ends the rounds; that is good enough after all of them; the
# same of friction across the lines
SETTLED, LOOSE, STRAIGHT = 1e-9, 1e-4, 1e-4
GROWN = 100.0  # times the least change so far: rounds that lead away from it
PATIENCE = 30  # rounds without a smaller change, after which there will be none
# Friction holds what comes to rest, and moves nothing. Where lines were drawn taut from their lifted parts, free points
# end within 0.16 of the longest line of where they would be without it (500 random systems). Beyond, friction of tails
# on the bed has drawn points away from their anchors, up to where lines are taut the other way round.
FARTHEST = 0.25  # of the longest line
SLIGHT = 1e-6  # of the force scale: tension of a line that is as good as slack
CRUMPLED = 1e-3  # strain by which line that lies slack is shorter than unstretched


class Lie(NamedTuple):
    """How lines lie on the bed."""

    tangent: Array  # (n_nodes, 3) along the bed, in the order of the mesh
    across: Array  # (n_nodes, 3) N, loads along the bed and across the lines


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


class Round:
    """What a round of sharing out friction ended with: rounds beyond the best may lead away again."""

    def __init__(self, change: float, friction: Array, work: Work, mesh: Mesh) -> None:
        self.change, self.friction = change, friction  # N, of friction at a node; (n_nodes, 3) N
        self.X, self.T = work.trial.X.copy(), work.trial.T.copy()
        self.attitude = mesh.bodies.memory.attitude.copy()

    def restore(self, work: Work, mesh: Mesh) -> None:
        """Put the state of the round back."""
        work.trial.X[...], work.trial.T[...], mesh.bodies.memory.attitude[...] = self.X, self.T, self.attitude


def rub(case: Case, work: Work, misses: Array, shares: Array | None = None) -> tuple[int, int, float, float]:
    """Bring an equilibrium without friction in `work.trial` to one with it; as `find_equilibrium`.

    If there is none to be found, the state is left as it was, without friction.

    shares : (n_nodes, 3) friction over the normal force, if the state was found with about as much of it
    """
    mesh = case.mesh
    smooth = Round(np.inf, np.zeros(0), work, mesh)
    friction, iterations = _share_out(case, work, misses, shares)
    if friction is not None:
        preload(mesh, work, friction)
        outcome, used, force, miss = case.settle(mesh, work, misses)
        iterations += used
        if outcome == CONVERGED:
            return outcome, iterations, force, miss
    smooth.restore(work, mesh)
    work.memory.grip.friction[0].coefficient = 0.0
    return STUCK, iterations, 0.0, 0.0


def _share_out(case: Case, work: Work, misses: Array, shares: Array | None) -> tuple[Array | None, int]:
    """Friction at the nodes (n_nodes, 3), N, None if it does not settle; and the iterations used.

    shares : of `rub`
    """
    mesh, scale = case.mesh, case.force_scale
    n, grip = mesh.s.size, _seeking(mesh)
    place, share = grip.hold.place, grip.hold.share
    held = work._replace(memory=work.memory._replace(grip=grip))
    firm = _firm(mesh, work, scale if shares is None else None)
    iterations, straightens = 0, shares is None
    if shares is not None:
        place[:], share[:n] = work.trial.X[0], shares
        outcome, iterations, _, _ = case.settle(firm, held, misses)
        if outcome != CONVERGED:
            return None, iterations
    lie = _lie(mesh, case.sea, work)
    best, begun, worse = Round(np.inf, place, work, mesh), _free_places(mesh, work), 0
    for k in range(MOST_ROUNDS):
        if np.max(np.abs(_free_places(mesh, work) - begun), initial=0.0) > FARTHEST * case.length_scale:
            return None, iterations
        r, current = work.trial.X[0], _present(mesh, work, grip)
        if straightens:  # friction across taut line first: without tension a bow would stay
            lie = _lie(mesh, case.sea, work)
            asked, shares = _wanted(firm, work, lie, None)
            change = float(np.max(np.abs(asked - current), initial=0.0))
            straightens = change > STRAIGHT * scale and k < MOST_STRAIGHTENING
            place[:] = r
        if not straightens:
            asked, shares = _wanted(firm, work, lie, current)
            d = r[:n] - place[:n]
            place[:n] += np.sum(d * lie.tangent, axis=1)[:, None] * lie.tangent
            change = float(np.max(np.abs(np.sum((asked - current) * lie.tangent, axis=1)), initial=0.0))
            worse = 0 if change <= best.change else worse + 1
            best = Round(change, asked, work, mesh) if worse == 0 else best
            if change <= SETTLED * scale or change > LOOSE * scale >= GROWN * best.change or worse > PATIENCE:
                break
        share[:n] = shares
        outcome, used, _, _ = case.settle(firm, held, misses)
        iterations += used
        if outcome != CONVERGED:
            break
    if best.change > LOOSE * scale:
        return None, iterations
    best.restore(work, mesh)
    return best.friction, iterations


def _free_places(mesh: Mesh, work: Work) -> Array:
    """(n, 3) m, of free points and bodies"""
    places: Array = work.trial.X[0, mesh.s.size :][: mesh.motion.size][np.diff(mesh.dof_start) > 0].copy()
    return places


def _firm(mesh: Mesh, work: Work, force_scale: float | None) -> Mesh:
    """The mesh with taut line on the bed that can push: too much friction on the way would else fold it.

    force_scale : N; None if friction is in force already, which takes the tension of taut line to zero
    """
    n0 = np.repeat(mesh.node_start[:-1] - mesh.element_start[:-1], np.diff(mesh.element_start))
    first = n0 + np.arange(mesh.element.shape[0])
    on_bed, tension = _depth(mesh, work.trial.X[0]) > 0.0, work.trial.T
    element = mesh.element.copy()
    least = -CRUMPLED * element.slack if force_scale is None else SLIGHT * force_scale
    element.slack[(on_bed[first] | on_bed[first + 1]) & (tension > least)] = 0.0
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


def shares_at(mesh: Mesh, work: Work, other: Mesh) -> Array:
    """(n_nodes, 3) friction over the normal force of an equilibrium of `rub` in `work`, on the nodes of another mesh.

    Beyond what lies on the bed it is that of the last node there, which a node would find if it came down.
    """
    n, r = mesh.s.size, work.now.X[0]
    N = _normal_force(mesh, r)
    stiffness = mesh.bed.law.shear[0] * mesh.node[:n].bed_area
    force = _in_plane(mesh, r, stiffness[:, None] * (work.memory.grip.hold.place[:n] - r[:n]))
    shares: Array = np.zeros((other.s.size, 3))
    for line in range(mesh.line.shape[0]):
        own = np.arange(mesh.node_start[line], mesh.node_start[line + 1])
        own = own[N[own] > 0.0]
        own = own[np.argsort(mesh.s[own])]
        to = slice(other.node_start[line], other.node_start[line + 1])
        if own.size:
            found = force[own] / N[own, None]
            shares[to] = np.stack([np.interp(other.s[to], mesh.s[own], found[:, p]) for p in range(3)], axis=1)
    return shares


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
    return along_bed(heights_over(mesh.bed, r[: mesh.s.size])[0], x)


def _present(mesh: Mesh, work: Work, grip: Grip) -> Array:
    """(n_nodes, 3) N, friction on the nodes while the equilibrium is sought."""
    n, r = mesh.s.size, work.trial.X[0]
    N = _normal_force(mesh, r)
    spring = SOFT * mesh.bed.law.shear[0] * mesh.node[:n].bed_area * (N > 0.0)
    slid = _in_plane(mesh, r, r[:n] - grip.hold.place[:n])
    force: Array = N[:, None] * grip.hold.share[:n] - spring[:, None] * slid
    return force


def _chains(mesh: Mesh) -> Chains:
    """The lines of the mesh, node by node."""
    return Chains(mesh.node_start, mesh.element_start, mesh.line.junction, np.diff(mesh.dof_start) > 0)


def _lie(mesh: Mesh, sea: Sea, work: Work) -> Lie:
    """How the lines lie at present."""
    r = work.trial.X[0]
    tangent = tangents(_chains(mesh), heights_over(mesh.bed, r[: mesh.s.size])[0], r[: mesh.s.size])
    load = _in_plane(mesh, r, _loads(mesh, sea, work, np.zeros_like(work.trial.T)))
    return Lie(tangent, load - np.sum(load * tangent, axis=1)[:, None] * tangent)


def _wanted(mesh: Mesh, work: Work, lie: Lie, current: Array | None) -> tuple[Array, Array]:
    """Friction required by the present tensions (n_nodes, 3), N, and as a share of the normal force; as `wanted`."""
    r, depth = work.trial.X[0], _depth(mesh, work.trial.X[0])
    slack = (work.trial.T < 0.0) & (mesh.element["slack"] > 0.0)
    thick = np.repeat(2.0 * np.maximum.reduceat(mesh.node.radius, mesh.node_start[:-1]), np.diff(mesh.node_start))
    ends = np.stack([mesh.node_start[:-1], mesh.node_start[1:] - 1], axis=1)
    lain = Lain(
        friction=mesh.friction,
        tension=np.where(slack, 0.0, work.trial.T),
        pressed=_normal_force(mesh, r),
        near=-depth <= thick,
        on_bed=(depth[ends] > 0.0) | (mesh.node.bed_area[ends] == 0.0),
        tangent=lie.tangent,
        across=lie.across,
    )
    return wanted(_chains(mesh), lain, current)


def _loads(mesh: Mesh, sea: Sea, work: Work, T: Array) -> Array:
    """(n_nodes, 3) N: all forces on the nodes but friction, the tensions being T."""
    nodes, misses = np.zeros_like(work.nodes), np.zeros(mesh.element.shape[0])
    X = work.trial.X
    grip = no_grip(mesh.node.shape[0])
    unbalance(X, T, work.flow, mesh, (sea.water_density, sea.gravity), grip, nodes, misses)
    loads: Array = -nodes[: mesh.s.size]
    return loads
