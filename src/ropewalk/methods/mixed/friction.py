r"""Friction of the bed in an equilibrium of the mixed elements: that of assembly/pulled.py.

The equilibrium under given shares :math:`\rho` of the normal forces is found by Newton's method, the shares anew from
its tensions, until they stay. In the end the grips of the nodes are put where their springs pull just so; with
them the state is at rest under the very law that friction follows in time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.mesh import Mesh
from ropewalk.assembly.pulled import SHORTEST, SLIGHT, Chains, Lain, Patience, Spots, along_bed, share_out
from ropewalk.loads.bed import heights_over, rest_pressure
from ropewalk.loads.grip import Grip, no_grip, pulling_grips
from ropewalk.methods.mixed.equilibrium import CONVERGED, STUCK, find_equilibrium, unbalance
from ropewalk.methods.mixed.steps import Work
from ropewalk.model.arrays import Array, Records
from ropewalk.model.environment import Sea
from ropewalk.model.joints import Motions

PATIENCE = Patience(30, 1.0)  # a round takes little, and a change that falls no more may still be in a cycle
CRUMPLED = 1e-3  # strain by which line that lies slack is shorter than unstretched


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


class Sharing:
    """The lines of a mesh whose friction is shared out, for assembly/pulled.py; and the iterations that takes."""

    def __init__(self, case: Case, work: Work, misses: Array, shares: Array | None) -> None:
        mesh = case.mesh
        self.case, self.work, self.misses, self.iterations = case, work, misses, 0
        grip = _seeking(mesh)
        self.hold: Records = grip.hold[: mesh.s.size]
        self.hold.place, self.hold.share = work.trial.X[0, : mesh.s.size], 0.0 if shares is None else shares
        self.held = work._replace(memory=work.memory._replace(grip=grip))
        self.firm = _firm(mesh, work, case.force_scale if shares is None else None)  # or sheltered
        self.shear = float(mesh.bed.law.shear[0])

    def present(self) -> tuple[Chains, Lain, Spots]:
        """How the lines lie, by the tensions in `work`."""
        mesh, X, T = self.case.mesh, self.work.trial.X, self.work.trial.T
        n = mesh.s.size
        r, depth, N = X[0, :n], _depth(mesh, X[0]), _normal_force(mesh, X[0])
        slack = (T < 0.0) & (self.firm.element["slack"] > 0.0)
        thick = np.repeat(2.0 * np.maximum.reduceat(mesh.node.radius, mesh.node_start[:-1]), np.diff(mesh.node_start))
        ends = np.stack([mesh.node_start[:-1], mesh.node_start[1:] - 1], axis=1)
        lain = Lain(
            friction=mesh.friction,
            tension=np.where(slack, 0.0, T),
            pressed=N,
            near=-depth <= thick,
            on_bed=(depth[ends] > 0.0) | (mesh.node.bed_area[ends] == 0.0),
        )
        chains = Chains(mesh.node_start, mesh.element_start, mesh.line.junction, np.diff(mesh.dof_start) > 0)
        shear = self.shear * mesh.node[:n].bed_area * (N > 0.0)
        return chains, lain, Spots(np.arange(n), r, heights_over(mesh.bed, r)[0], N, shear)

    def loads(self, friction: Array) -> Array:
        """All forces on the nodes but friction and tension, N."""
        return _loads(self.firm, self.case.sea, self.work, np.zeros_like(self.work.trial.T))

    def settle(self) -> bool:
        """The equilibrium with the shares in `hold`."""
        outcome, used, _, _ = self.case.settle(self.firm, self.held, self.misses)
        self.iterations += used
        return outcome == CONVERGED

    def ease(self, share: float) -> None:
        """Give the grips this share of their stiffness."""
        law = self.case.mesh.bed.law.copy()
        law.shear *= share
        self.shear = float(law.shear[0])
        self.firm = self.firm._replace(bed=self.firm.bed._replace(law=law))

    def shelter(self) -> None:
        """Take the drag off the elements that lie on the bed, and give it back to the others."""
        self.firm = self.firm._replace(element=sheltered(self.case.mesh, self.work.trial.X[0]).element)

    def expose(self) -> None:
        """Give all drag back, and let taut line push."""
        self.firm = self.firm._replace(element=_firm(self.case.mesh, self.work, self.case.force_scale).element)

    def kept(self) -> Callable[[], None]:
        """As `kept`."""
        return kept(self.work, self.case.mesh)

    def free_places(self) -> Array:
        """Of points and bodies."""
        mesh = self.case.mesh
        places: Array = self.work.trial.X[0, mesh.s.size :][: mesh.motion.size][np.diff(mesh.dof_start) > 0].copy()
        return places


def kept(work: Work, mesh: Mesh) -> Callable[[], None]:
    """A function that puts the present state of `work` back."""
    x, attitude = work.trial, mesh.bodies.memory.attitude
    before = x.X.copy(), x.T.copy(), attitude.copy()

    def restore() -> None:
        x.X[...], x.T[...], attitude[...] = before

    return restore


def rub(case: Case, work: Work, misses: Array, shares: Array | None = None) -> tuple[int, int, float, float]:
    """Bring an equilibrium without friction in `work.trial` to one with it; as `find_equilibrium`.

    If there is none to be found, the state is left as it was, without friction.

    shares : (n_nodes, 3) friction over the normal force, if the state was found with about as much of it
    """
    mesh = case.mesh
    restore, sharing, friction = kept(work, mesh), Sharing(case, work, misses, shares), None
    if shares is None or sharing.settle():
        friction = share_out(sharing, case.force_scale, case.length_scale, PATIENCE, straightens=shares is None)
    iterations = sharing.iterations
    if friction is not None:
        preload(mesh, work, friction)
        outcome, used, force, miss = case.settle(mesh, work, misses)
        iterations += used
        if outcome == CONVERGED:
            return outcome, iterations, force, miss
    restore()
    work.memory.grip.friction[0].coefficient = 0.0
    return STUCK, iterations, 0.0, 0.0


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
    grip.hold.place[:n] = pulling_grips(r[:n], friction, mesh.bed.law.shear[0] * mesh.node[:n].bed_area)


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
    force: Array = rest_pressure(mesh.bed, _depth(mesh, r)) * mesh.node[: mesh.s.size].bed_area
    return force


def _in_plane(mesh: Mesh, r: Array, x: Array) -> Array:
    """Vectors x (n, 3) at the nodes, which are at r (m), without what they have across the bed."""
    return along_bed(heights_over(mesh.bed, r[: mesh.s.size])[0], x)


def _loads(mesh: Mesh, sea: Sea, work: Work, T: Array) -> Array:
    """(n_nodes, 3) N: all forces on the nodes but friction, the tensions being T."""
    nodes, misses = np.zeros_like(work.nodes), np.zeros(mesh.element.shape[0])
    X = work.trial.X
    grip = no_grip(mesh.node.shape[0])
    unbalance(X, T, work.flow, mesh, (sea.water_density, sea.gravity), grip, nodes, misses)
    loads: Array = -nodes[: mesh.s.size]
    return loads
