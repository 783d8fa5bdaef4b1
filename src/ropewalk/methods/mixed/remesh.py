"""Elements at winches split and joined, in the memory of a run."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ropewalk.assembly.element import slack_strain
from ropewalk.assembly.mesh import Mesh
from ropewalk.assembly.winches import JOIN, SPLIT
from ropewalk.methods.mixed.payout import pay_out
from ropewalk.methods.mixed.steps import Work, allocate
from ropewalk.model.arrays import Array, floats, ints
from ropewalk.model.in_time import corners_of
from ropewalk.numerics.compile import kernel
from ropewalk.physics.elasticity import LINEAR
from ropewalk.physics.in_time import value_at

SAMPLES = 32  # of each stretch of a winch's motion, among which the next split or join is looked for
BISECTIONS = 40  # that locate it
HAPPENED = 1e-6  # of an ordinary element: what counts as having reached a limit
MADE_GOOD = 0.5  # of an ordinary element paid out or hauled in: after that a joined element has its true length
LONGEST_REPAIR, SHORTEST_REPAIR = 10.0, 0.5  # s


def end_length(mesh: Mesh, i: int, t: float) -> float:
    """Length of the element at winch i at time t (m)."""
    row = mesh.winches.winch[i]
    return float(row.unpaid + value_at(t, row.function, mesh.winches.functions)[0])


def next_remesh(mesh: Mesh, now: float, end: float) -> float:
    """When the first element is to be split or joined in (now, end], infinity if none is (s)."""
    first = np.inf
    for i in range(mesh.winches.winch.shape[0]):
        row = mesh.winches.winch[i]
        limits = JOIN * row.usual if row.stretch > 1 else -np.inf, SPLIT * row.usual
        law = float(row.unpaid), int(row.function), mesh.winches.functions
        for a, b in pairwise(corners_of(law[2], law[1], now, end)):
            times = np.linspace(a, b, SAMPLES + 1)
            length = end_lengths(times, *law)
            over = (length <= limits[0]) | (length >= limits[1])
            if np.any(over):
                k = int(np.argmax(over))
                low, high = (times[k - 1], times[k]) if k > 0 else (a, a)
                for _ in range(BISECTIONS):
                    middle = 0.5 * (low + high)
                    is_due = not limits[0] < end_lengths(np.array([middle]), *law)[0] < limits[1]
                    low, high = (low, middle) if is_due else (middle, high)
                first = min(first, float(high))
                break
    return first


@kernel
def end_lengths(times, unpaid, function, functions):
    """Lengths (n,) of the element at a winch (m) at times (n,), s: l = l_0 + u(t).

    Source: docs/guide/inputs_in_time.md; u of :func:`ropewalk.physics.in_time.value_at`.

    unpaid : l_0, without what is paid out, m
    """
    length = np.empty(times.size)
    for k in range(times.size):
        length[k] = unpaid + value_at(times[k], function, functions)[0]
    return length


def remesh(mesh: Mesh, work: Work, t: float) -> tuple[Mesh, Work]:
    """Split and join what is due at time t; the mesh and memory to go on with."""
    for i in range(mesh.winches.winch.shape[0]):
        usual = mesh.winches.winch[i].usual
        while end_length(mesh, i, t) >= (SPLIT - HAPPENED) * usual:
            mesh, work = _split(mesh, work, i, t)
        while end_length(mesh, i, t) <= (JOIN + HAPPENED) * usual and mesh.winches.winch[i].stretch > 1:
            mesh, work = _join(mesh, work, i, t)
    return mesh, work


def _sense(mesh: Mesh, i: int) -> float:
    """1 if s grows towards winch i, -1 if it falls."""
    row = mesh.winches.winch[i]
    return 1.0 if (row.end > row.inner) != bool(mesh.line[row.line].flipped) else -1.0


def _motion(work: Work, mesh: Mesh, i: int, share: float, t: float) -> tuple[Array, Array]:
    """Position, velocity and both accelerations (4, 3) of the line at a share of the winch's element, now and before.

    The line moves past the winch: at a fixed piece of line the share falls as the element grows.
    """
    row = mesh.winches.winch[i]
    _, rate, second = value_at(t, row.function, mesh.winches.functions)
    length = mesh.element[row.element].length
    X = work.now.X
    k, end = row.inner, row.end
    d, dd = X[0, end] - X[0, k], X[1, end] - X[1, k]
    falls = -share * rate / length
    falls_faster = share * (2.0 * rate * rate / length - second) / length
    new = (1.0 - share) * X[:, k] + share * X[:, end]
    new[1] += falls * d
    new[2:] += falls_faster * d + 2.0 * falls * dd
    before = (1.0 - share) * work.last.X[:, k] + share * work.last.X[:, end]
    before[2:] += falls_faster * d + 2.0 * falls * dd
    return new, before


def _split(mesh: Mesh, work: Work, i: int, t: float) -> tuple[Mesh, Work]:
    """Cut an ordinary element off the one at winch i."""
    row = mesh.winches.winch[i]
    e, k, end, usual = int(row.element), int(row.inner), int(row.end), row.usual
    at_last = end > k
    share = usual / mesh.element[e].length
    new, before = _motion(work, mesh, i, share, t)
    place = end if at_last else k  # row of the new node
    node = mesh.node[k].copy()
    node.mass, node.bed_area = 0.5 * row.line_mass * usual, 0.5 * row.inner_width * usual
    for name in ("volume", "drag_area", "added", "force"):  # attachments stay where they are
        node[name] = 0.0
    kept = mesh.element[e].copy()
    part = usual / kept.length
    for name in ("half_volume", "half_added_normal", "half_added_tangential"):
        kept[name] *= part
    kept.length, kept.length_rate = usual, 0.0
    s = mesh.s[k] + usual * _sense(mesh, i)
    inner_mass, inner_bed = row.inner_mass + node.mass, row.inner_bed + node.bed_area
    mesh2 = _with_rows(mesh, place, int(row.line), node, float(s), e if at_last else e + 1, kept)
    _renumber(mesh2, int(row.line), 1)
    row = mesh2.winches.winch[i]
    row.element, row.inner, row.end = (e + 1, place, place + 1) if at_last else (e, place, end)
    row.stretch += 1
    inner = k if at_last else k + 1
    mesh2.node.mass[inner], mesh2.node.bed_area[inner] = inner_mass, inner_bed
    row.unpaid -= usual
    row.inner_mass, row.inner_bed = node.mass, node.bed_area
    work2 = _moved(mesh2, work, lambda X: np.insert(X, place, 0.0, axis=-2), lambda T: np.insert(T, e, T[e]))
    work2.now.X[:, place], work2.trial.X[:, place], work2.last.X[:, place] = new, new, before
    # the bed holds the new node as it holds the one beside it
    work2.memory.grip.hold.place[place] = new[0] + work.memory.grip.hold.place[k] - work.now.X[0, k]
    pay_out(t, mesh2, work2.now.X)
    return mesh2, work2


def _join(mesh: Mesh, work: Work, i: int, t: float) -> tuple[Mesh, Work]:
    """Join the element at winch i to its neighbour; its node goes."""
    row = mesh.winches.winch[i]
    e, k, end, line = int(row.element), int(row.inner), int(row.end), int(row.line)
    at_last = end > k
    next_e, inner = (e - 1, k - 1) if at_last else (e + 1, k + 1)
    usual, length = mesh.element[next_e].length, end_length(mesh, i, t)
    X = work.now.X
    d, dd = X[0, end] - X[0, inner], X[1, end] - X[1, inner]
    span = float(np.linalg.norm(d))
    T = (usual * work.now.T[next_e] + length * work.now.T[e]) / (usual + length)
    own = mesh.element[e]
    own.slow_load = (usual * mesh.element[next_e].slow_load + length * own.slow_load) / (usual + length)
    own.peak = max(own.peak, mesh.element[next_e].peak)
    stretch = 1.0 + (slack_strain(T, own, mesh.law_data, 0.0)[0] if T > 0.0 else 0.0)
    rate = value_at(t, row.function, mesh.winches.functions)[1]
    repair = min(LONGEST_REPAIR, max(SHORTEST_REPAIR, MADE_GOOD * usual / max(abs(rate), 1e-12)))
    data = row.copy()
    data.unpaid += usual
    is_parted = [each.law == LINEAR and each.law_start == mesh.law_data.size - 1 for each in mesh.element[[e, next_e]]]
    if any(is_parted):  # what holds nothing has no length to be made good
        T = 0.0
        keeps = e if is_parted[0] else next_e
        mesh.element[e] = mesh.element[keeps].copy()
        data.shift_span = 0.0
    else:
        data.shift, data.shift_rate = span / stretch - usual - length, (d @ dd) / span / stretch - rate
        data.shift_time, data.shift_span = t, repair
    half_mass, half_bed = 0.5 * row.line_mass * usual, 0.5 * row.inner_width * usual
    data.inner_mass, data.inner_bed = mesh.node[inner].mass - half_mass, mesh.node[inner].bed_area - half_bed
    mesh2 = _without_rows(mesh, k, next_e)
    _renumber(mesh2, line, -1)
    mesh2.winches.winch[i] = data
    row = mesh2.winches.winch[i]
    row.element, row.inner, row.end = (e - 1, k - 1, end - 1) if at_last else (e, k, end)
    row.stretch -= 1
    work2 = _moved(mesh2, work, lambda X: np.delete(X, k, axis=-2), lambda T: np.delete(T, next_e))
    for moving in (work2.now, work2.trial, work2.last):
        moving.T[row.element] = T
    pay_out(t, mesh2, work2.now.X)
    return mesh2, work2


def _renumber(mesh: Mesh, line: int, by: int) -> None:
    """Rows of winches on later lines after a node and an element came or went."""
    later = np.flatnonzero(mesh.winches.winch.line > line)
    for name in ("element", "inner", "end"):
        mesh.winches.winch[name][later] += by


def _with_rows(mesh: Mesh, place: int, line: int, node: Any, s: float, e: int, element: Any) -> Mesh:
    """The mesh with a node before row `place` and an element before row e."""
    later = np.arange(mesh.node_start.size) > line
    return mesh._replace(
        node_start=ints(mesh.node_start + later),
        element_start=ints(mesh.element_start + later),
        s=floats(np.insert(mesh.s, place, s)),
        node=np.insert(mesh.node, place, node).view(np.recarray),
        element=np.insert(mesh.element, e, element).view(np.recarray),
        load=np.insert(mesh.load, e, mesh.load[e]).view(np.recarray) if mesh.load.shape[0] else mesh.load,
    )


def _without_rows(mesh: Mesh, place: int, e: int) -> Mesh:
    """The mesh without node row `place` and element row e."""
    line = int(np.searchsorted(mesh.node_start, place, side="right") - 1)
    later = np.arange(mesh.node_start.size) > line
    return mesh._replace(
        node_start=ints(mesh.node_start - later),
        element_start=ints(mesh.element_start - later),
        s=floats(np.delete(mesh.s, place)),
        node=np.delete(mesh.node, place).view(np.recarray),
        element=np.delete(mesh.element, e).view(np.recarray),
        load=np.delete(mesh.load, e).view(np.recarray) if mesh.load.shape[0] else mesh.load,
    )


def _moved(mesh: Mesh, work: Work, rows: Any, elements: Any) -> Work:
    """Memory for the new mesh that goes on from the old one."""
    new = allocate(mesh)
    for old_moving, moving in ((work.now, new.now), (work.last, new.last), (work.trial, new.trial)):
        moving.X[...] = rows(old_moving.X)
        moving.T[...] = elements(old_moving.T)
    grip = work.memory.grip
    new.memory.grip.friction[...] = grip.friction
    new.memory.grip.hold.place, new.memory.grip.hold.share = rows(grip.hold.place), rows(grip.hold.share)
    new.memory.relief[...] = work.memory.relief
    new.ledger.table[...] = work.ledger.table
    for name in ("clock", "count", "settings"):
        getattr(new, name)[...] = getattr(work, name)
    return new
