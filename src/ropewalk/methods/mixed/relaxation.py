"""Damped motion of mixed elements to a stable equilibrium: the method of last resort.

First without inertia (`descend` of equilibrium.py), to wherever that comes to rest. Then everything is pushed a little
to the side and moves on with inertia and with damping in proportion to mass, by the very steps of runs: what was
balanced on a knife's edge falls over, the rest comes back. Then again without inertia. Newton's method only takes the
last digits.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from ropewalk.assembly.link_start import close_links
from ropewalk.methods.mixed.equilibrium import CONVERGED, MOST_STEPS, MOST_UPDATES, descend, unbalance, with_inertia
from ropewalk.methods.mixed.events import copy_state
from ropewalk.methods.mixed.payout import stand_still
from ropewalk.methods.mixed.report import FemWork, read_state
from ropewalk.methods.mixed.settle import lay, scales, settle, still_water
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.mixed.steps import move_junctions
from ropewalk.methods.mixed.sweep import join_ends
from ropewalk.methods.protocol import Report
from ropewalk.model.lines import without_memory
from ropewalk.model.model import Model
from ropewalk.model.state import State

PUSH = 1e-3  # of a line's length, by which its middle and free points are pushed to the side
FOLDED = 1e-6  # of an element's length: what is shorter has no direction
RATES = (1.0, 0.3)  # damping over sqrt(g/L), in turn
DECAYS = 20.0  # time times damping, of each: an instability of sqrt(g/L) grows by e^7 in it
PARTS = 40  # of that time, after each of which the work that it took is looked at
MOST_MOVED = 1.5e7  # elements times iterations: some 6 s, beyond which a motion is left as it is
RELAXED = 3e-2  # tolerance of these steps: only where they end matters


def relax(model: Model, work: FemWork, state: State) -> Report:
    """Bring `work.steps.trial` to a stable equilibrium under the loads at the time of `state`."""
    report, used = _descended(model, work, state.time)
    for rate in RATES:
        push_aside(work)
        lay(model, _moved(model, work, state.time, rate), work)
        report, more = _descended(model, work, state.time)
        used += more
        if report.good:
            break
    return replace(report, iterations=used)


def push_aside(work: FemWork) -> None:
    """Push lines and free points a little to the side, one this and the next the other way."""
    mesh, r = work.mesh, work.steps.now.X[0]
    n_nodes, n_points = mesh.s.size, mesh.motion.size - mesh.bodies.body.shape[0]
    longest = max((float(np.ptp(mesh.s[a:b])) for a, b in pairwise(mesh.node_start)), default=0.0)
    for j in range(n_points):
        axes = mesh.dof.axis[mesh.dof_start[j] : mesh.dof_start[j + 1]]
        way = PUSH * longest * np.array([0.6, 0.8, 0.0]) * (-1.0) ** j
        r[n_nodes + j] += axes.T @ (axes @ way) if axes.size else 0.0
    for line in range(mesh.line.shape[0]):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        first, last = (r[n_nodes + mesh.line[line].junction[k]] for k in (0, 1))
        across = np.array([first[1] - last[1], last[0] - first[0], 0.0])
        length = float(np.ptp(mesh.s[n]))
        size = float(np.linalg.norm(across))
        across = across / size if size > PUSH * length else np.array([0.6, 0.8, 0.0])
        bow = np.sin(np.pi * (mesh.s[n] - mesh.s[n].min()) / length)
        r[n] += (PUSH * length * (-1.0) ** line) * bow[:, None] * across
    join_ends(work.steps.now.X, mesh)


def is_folded(work: FemWork) -> bool:
    """Whether elements lie in one place, as those of a slack line below its upper end do in the closed form."""
    mesh, r = work.mesh, work.steps.now.X[0]
    for a, b in pairwise(mesh.node_start):
        chord = np.linalg.norm(np.diff(r[a:b], axis=0), axis=1)
        if np.any(chord < FOLDED * np.abs(np.diff(mesh.s[a:b]))):
            return True
    return False


def _descended(model: Model, work: FemWork, t: float) -> tuple[Report, int]:
    """Damped motion without inertia, then Newton's method; the report and all iterations."""
    kept, sea = work.steps, still_water(model.sea)
    mesh = with_inertia(work.mesh, sea.gravity, scales(model)[0])
    kept.memory.grip.friction[0].coefficient = 0.0
    move_junctions(t, mesh, model.motions, kept.trial.X)
    stand_still(mesh)
    kept.trial.X[1:] = 0.0
    copy_state(kept.trial, kept.now)
    most = int(min(MOST_STEPS, MOST_UPDATES / max(1, mesh.element.shape[0])))
    outcome, used = descend(t, mesh, sea, kept, scales(model), work.misses, most)
    copy_state(kept.now, kept.trial)
    if outcome != CONVERGED:
        fluid = (sea.water_density, sea.gravity)
        unbalance(kept.now.X, kept.now.T, kept.flow, mesh, fluid, kept.memory.grip, kept.nodes, work.misses)
    report = settle(model, work, t)
    return report, used + report.iterations


def _moved(model: Model, work: FemWork, t: float, rate: float) -> State:
    """Where the state of `work` comes to in calm water by motion with damping of this rate over sqrt(g/L)."""
    calm = model._replace(sea=still_water(model.sea), sections=without_memory(model.sections))
    damping = rate * float(np.sqrt(max(model.sea.gravity, 1.0) / scales(model)[1]))
    solver = MixedFem(
        start_at="as_given", damping=damping, ledger=False, tolerance=RELAXED, integrator="backward_euler"
    )
    begin = close_links(calm, read_state(calm, work)._replace(time=t))  # points of joints were pushed off their slides
    moving = solver.start(calm, begin)
    for k in range(PARTS):
        solver.advance(calm, moving, t + (k + 1) / PARTS * DECAYS / damping)
        if int(moving.steps.count[0].iterations) * work.mesh.element.shape[0] > MOST_MOVED:
            break
    return read_state(calm, moving)._replace(time=t)
