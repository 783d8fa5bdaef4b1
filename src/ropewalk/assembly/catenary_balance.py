"""The balance of an assembly of closed-form lines: the solve itself, for every method that needs one.

Lines that cannot stretch have a balance of their own, but Newton may not find it from afar; then lines that
stretch a little, less and less, stand in for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ropewalk.assembly.balance_newton import Newton, Path, Place, Scales, moved
from ropewalk.assembly.catenary import Assembly, Balance, balance
from ropewalk.assembly.catenary_build import build_assembly, free_dofs, prescribed, scales
from ropewalk.model.arrays import Array, Flags, Ints, floats
from ropewalk.model.model import Model

MOST_ITERATIONS = 400
SOFTER = (1e3, 1e6, 1e8)  # EA over the force scale that stands in for an inextensible line: the last leaves
# 1e-8 of its length, and turns the round-off of positions into 1e-8 of the forces
NUDGE = 1e-3  # of the length scale: leaves an unstable balance along its lowest mode
MOST_NUDGES = 6  # of a body: each leaves one saddle or maximum
UNSTABLE = 1e-9  # of the largest stiffness: a smaller negative one is round-off of a part that can drift
OVERSTRETCHED = 1e-6  # strain of the stiffest stand-in beyond which inextensible lines cannot all reach


@dataclass
class Work:
    """Memory of the balance."""

    assembly: Assembly
    place: Place
    time: float
    free: Ints
    floor: Ints
    scales: Scales
    out: Balance
    exact: Array  # (n_pieces,) true EA of the pieces, inf for inextensible ones
    overstretched: Flags  # (n_lines,) inextensible lines that cannot reach, whose stand-ins are stretched


def begin(model: Model, place: Place, time: float) -> Work:
    """Lay out the assembly with points and bodies at `place`."""
    assembly = build_assembly(model)
    free, floor = free_dofs(model)
    return Work(
        assembly=assembly,
        place=place,
        time=time,
        free=free,
        floor=floor,
        scales=scales(model, assembly),
        out=balance(len(model.names.points), len(model.names.bodies), len(model.names.lines)),
        exact=assembly.piece_stiffness,
        overstretched=np.zeros(len(model.names.lines), dtype=np.bool_),
    )


def find_balance(model: Model, work: Work, t: float, most: int = MOST_ITERATIONS) -> Path:
    """Balance with the prescribed motions at time t, from where `work` is; the answer is left in `work`."""
    work.place = prescribed(model, work.place, t)
    work.time = t
    path = _solve(work, work.exact, most)
    work.overstretched[:] = False
    soft = np.isinf(work.exact)
    if not path.converged and work.free.size and np.any(soft):
        for factor in SOFTER:
            path = _solve(work, np.where(soft, factor * work.scales.force, work.exact), most)
            if not path.converged:
                break
        else:
            path = _polish(work, path, most)
    return path


def balanced(work: Work, path: Path) -> bool:
    """True if the forces balance, every line reaches and the balance is stable."""
    reach = bool(np.all(work.out.status > 0)) and not np.any(work.overstretched)
    return path.converged and reach and path.lowest >= -UNSTABLE


def _solve(work: Work, stiffness: Array, most: int) -> Path:
    if work.assembly.piece_stiffness is not stiffness:
        own = floats(stiffness)
        work.assembly = work.assembly._replace(
            piece_stiffness=own, stiffness=floats(own[work.assembly.piece_start[:-1]])
        )
    newton = Newton(work.assembly, work.free, work.floor, work.scales, work.out)
    work.place, path = newton.run(work.place, most)
    if path.stable or work.place.bodies.shape[0] == 0:  # the energy of lines alone is convex
        return path
    work.place, path = nudged(newton, work.place, path, most)
    return path


def nudged(newton: Newton, place: Place, path: Path, most: int) -> tuple[Place, Path]:
    """A balance that is stable, from one that may not be: nudges along the lowest mode leave what is not."""
    path.lowest, mode = newton.lowest_mode()
    for _ in range(MOST_NUDGES):
        if not path.converged or path.lowest >= -UNSTABLE:
            break
        before = path.iterations
        place, path = newton.run(moved(place, newton.assembly.frame, NUDGE * newton.scales.length * mode), most)
        path.iterations += before
        path.lowest, mode = newton.lowest_mode()
    return place, path


def _polish(work: Work, path: Path, most: int) -> Path:
    """Try the true inextensible lines from the nearly inextensible balance; keep that if they cannot reach."""
    stand_in, place = work.assembly.piece_stiffness, work.place
    better = _solve(work, work.exact, most)
    if better.converged:
        better.iterations += path.iterations
        return better
    work.place = place
    path = _solve(work, stand_in, most)
    work.overstretched[:] = _strains(work, stand_in) > OVERSTRETCHED
    return path


def _strains(work: Work, stand_in: Array) -> Array:
    """(n_lines,) largest strain of the pieces that stand in for inextensible ones."""
    start = work.assembly.piece_start
    tension = np.linalg.norm(work.out.end_force, axis=2).max(axis=1)
    found: Array = np.zeros(tension.size)
    for i in range(tension.size):
        own = slice(start[i], start[i + 1])
        rigid = np.isinf(work.exact[own])
        if np.any(rigid):
            found[i] = tension[i] / float(stand_in[own][rigid].min())
    return found
