"""From the memory of the mixed elements to a State, and the names of places in messages."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.solvers import mixed_steps as steps
from ropewalk.solvers.mixed_anchor import carried
from ropewalk.solvers.mixed_bodies import body_attitudes
from ropewalk.solvers.mixed_ledger import BED, DAMPING, DRAG, ENDS, LOADS, WATER, WORK, stored_energy
from ropewalk.solvers.mixed_mesh import BED_AREA, FIRST, FLIPPED, RADIUS, Mesh
from ropewalk.solvers.mixed_statics import unbalance
from ropewalk.solvers.mixed_steps import Work, water_at


class FemWork(NamedTuple):
    """Memory of a run by mixed elements."""

    mesh: Mesh
    steps: Work
    misses: Array  # (n_elements,) m
    static: Array  # (4,) outcome, iterations, force, miss of the equilibrium the run starts from
    first: Array  # (3,) J, kinetic, elastic and potential energy at the start


def energies(model: Model, work: FemWork) -> dict[str, float]:
    """The ledger (J): what is held, relative to the start for the closure; work done; losses; what does not add up."""
    kinetic, elastic, potential = stored_energy(work.steps.now.X, work.steps.now.T, work.mesh, model.sea.gravity)
    done = work.steps.ledger[:, WORK]
    gain = kinetic + elastic + potential - float(np.sum(work.first))
    given = float(done[ENDS] + done[WATER] + done[LOADS])
    lost = float(done[DRAG] + done[DAMPING] + done[BED])
    return {
        "kinetic": kinetic,
        "elastic": elastic,
        "potential": potential,
        "work_ends": float(done[ENDS]),
        "work_water": float(done[WATER]),
        "work_loads": float(done[LOADS]),
        "loss_drag": float(done[DRAG]),
        "loss_damping": float(done[DAMPING]),
        "loss_seabed": float(done[BED]),
        "closure": gain - given + lost,
    }


def closure(energy: dict[str, float], work: FemWork) -> float:
    """What does not add up, as a share of the energy that was turned over."""
    held = (energy["kinetic"], energy["elastic"], energy["potential"])
    change = sum(abs(now - before) for now, before in zip(held, work.first, strict=True))
    turned = change + sum(abs(energy[name]) for name in energy if name.startswith(("work", "loss")))
    return float(abs(energy["closure"]) / turned) if turned > 0.0 else 0.0


def place(model: Model, mesh: Mesh, element: int) -> str:
    """Line and arc length of an element, for messages."""
    line = int(np.searchsorted(mesh.element_start, element, side="right") - 1)
    node = element - mesh.element_start[line] + mesh.node_start[line]
    s = 0.5 * (mesh.s[node] + mesh.s[node + 1])
    return f"line '{model.names.lines[line]}' at s = {s:.4g} m"


def worst_place(model: Model, work: FemWork) -> str:
    """Line and arc length of the node with the largest force out of balance."""
    mesh = work.mesh
    inner = np.linalg.norm(work.steps.nodes[: mesh.s.size], axis=1)
    inner[mesh.node_start[:-1]] = 0.0
    inner[mesh.node_start[1:] - 1] = 0.0
    node = int(np.argmax(inner))
    line = int(np.searchsorted(mesh.node_start, node, side="right") - 1)
    return f"line '{model.names.lines[line]}' at s = {mesh.s[node]:.4g} m"


def read_state(model: Model, work: FemWork) -> State:
    """The State of the present nodes, with reactions from their balance."""
    mesh, now = work.mesh, work.steps.now
    sea, time = model.sea, float(work.steps.clock[steps.TIME])
    water_at(now.X[0], time, sea, work.steps.flow)
    unbalance(now.X, now.T, work.steps.flow, mesh, sea.water_density, sea.gravity, work.steps.memory.grip,
              work.steps.nodes, work.misses)  # fmt: skip
    n_nodes, n_lines = mesh.s.size, mesh.line.shape[0]
    points = slice(n_nodes, n_nodes + len(model.names.points))
    bodies = slice(points.stop, n_nodes + mesh.motion.size)
    attitude, rate = body_attitudes(now.X, mesh)
    s, position, velocity = mesh.s.copy(), now.X[0, :n_nodes].copy(), now.X[1, :n_nodes].copy()
    tension = np.zeros(s.size)
    end_force = np.zeros((n_lines, 2, 3))
    grounded = np.zeros(n_lines)
    for line in range(n_lines):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        T = now.T[mesh.element_start[line] : mesh.element_start[line + 1]]
        ends = -work.steps.nodes[[n.start, n.stop - 1]]
        for side, node in ((0, n.start), (1, n.stop - 1)):
            if mesh.has_bed and mesh.node[node, BED_AREA] == 0.0:
                pressed = carried(ends[side], mesh.bed[:3])
                ends[side] -= pressed
                work.steps.nodes[n_nodes + mesh.line[line, FIRST + side]] += pressed
        tension[n] = _nodal_tension(T, mesh.s[n], now.X[0, n], ends)
        if mesh.line[line, FLIPPED]:
            for array in (s, position, velocity, tension):
                array[n] = array[n][::-1].copy()
            ends = ends[::-1]
        end_force[line] = ends
        if mesh.has_bed:
            depth = mesh.bed[3] + mesh.node[n, RADIUS] - now.X[0, n] @ mesh.bed[:3]
            share = np.abs(np.gradient(mesh.s[n])) * np.where([True, *[False] * (len(depth) - 2), True], 0.5, 1.0)
            grounded[line] = float(np.sum(share[depth > 0.0]))
    return State(
        time=time,
        point_position=now.X[0, points].copy(),
        point_velocity=now.X[1, points].copy(),
        point_force=_held_forces(mesh, -work.steps.nodes[n_nodes:])[: len(model.names.points)],
        body_position=now.X[0, bodies].copy(),
        body_quaternion=attitude,
        body_velocity=now.X[1, bodies].copy(),
        body_rate=rate,
        start=mesh.node_start.copy(),
        s=s,
        position=position,
        velocity=velocity,
        tension=tension,
        end_force=end_force,
        grounded=grounded,
    )


def _held_forces(mesh: Mesh, force: Any) -> Any:
    """What is left of the junctions' forces across their free components."""
    for j in range(mesh.motion.size):
        for d in range(mesh.dof_start[j], mesh.dof_start[j + 1]):
            axis = mesh.dof[d, :3]
            force[j] -= (force[j] @ axis) * axis
    return force


def _nodal_tension(T: Any, s: Any, r: Any, ends: Any) -> Any:
    """Tension at the nodes: mean of the elements around, at the ends the reaction along the line."""
    length = np.abs(np.diff(s))
    tension = np.empty(s.size)
    tension[1:-1] = (T[:-1] * length[1:] + T[1:] * length[:-1]) / (length[1:] + length[:-1])
    for end, inner, force in ((0, 1, ends[0]), (-1, -2, ends[1])):
        d = r[inner] - r[end]
        tension[end] = force @ d / max(float(np.linalg.norm(d)), 1e-300)
    return tension
