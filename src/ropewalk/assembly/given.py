"""Loads that change in time as the mixed elements read them: put into the records of nodes, bodies and elements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.load_arrays import line_loads, loads_of
from ropewalk.loads.given import LINE_LOAD, PUSHED, SPREAD, push_on, spread_on
from ropewalk.model.arrays import Array, Flags, Ints, Records, joined, records
from ropewalk.model.given import ON_ATTACHMENT, ON_BODY, ON_POINT, TURN_BODY, Given
from ropewalk.model.in_time import Functions
from ropewalk.model.model import Model
from ropewalk.numerics.blockelimination import COUNTED
from ropewalk.numerics.compile import kernel
from ropewalk.physics.in_time import value_at


class GivenMesh(NamedTuple):
    """What changes in time."""

    push: Records  # (n,) of PUSHED
    spread: Records  # (m,) of SPREAD
    share: Records  # (k,) of LINE_LOAD
    functions: Functions


def build_given_mesh(model: Model, s: list[Array], sections: list[Ints], flipped: Flags) -> GivenMesh:
    """Forces by the rows of their nodes, and distributed loads by element; arguments as `build_loads`."""
    lines, given = model.lines, model.given
    local = {}
    for line in range(lines.length.size):
        for a in range(int(lines.attachment_start[line]), int(lines.attachment_start[line + 1])):
            node = int(np.argmin(np.abs(s[line] - lines.attachment_s[a])))
            local[a] = (line, s[line].size - 1 - node if flipped[line] else node)
    push = pushed(given, local)
    spread: list[Records] = []
    share: list[Records] = []
    whole = model._replace(lines=lines._replace(load_value=given.load_value, load_table=given.load_table))
    for line in range(lines.length.size if given.push.size or given.load_factor.size else 0):
        changing = given.of_line(line, lines.load_start)
        if not changing:
            continue
        rest = [k for k in loads_of(model, line) if k not in changing]
        for k, loads in enumerate([rest, *([load] for load in changing)]):
            row = records(1, SPREAD)
            row.line, row.share, row.is_first = line, sum(part.size for part in share), int(k == 0)
            row.function = given.load_factor[loads[0]] if k > 0 else -1
            spread.append(row)
            share.append(line_loads(whole, loads, s[line], sections[line], bool(flipped[line])))
    return GivenMesh(push, joined(spread, SPREAD), joined(share, LINE_LOAD), model.functions)


def pushed(given: Given, local: dict[int, tuple[int, int]]) -> Records:
    """(n,) of PUSHED.  local : line and row of the attachments"""
    base = {
        ON_POINT: given.point_force,
        ON_BODY: given.body_force,
        TURN_BODY: given.body_moment,
        ON_ATTACHMENT: given.attachment_force,
    }
    rows, seen = records(given.push.size, PUSHED), set()
    for row, own in zip(rows, given.push, strict=True):
        line, place = local[int(own.part)] if own.kind == ON_ATTACHMENT else (-1, int(own.part))
        target = (int(own.kind), line, place)
        row.kind, row.line, row.row, row.function = own.kind, line, place, own.function
        row.direction, row.is_first = own.direction, int(target not in seen)
        row.steady = _shared_base(given, local, own, base) if target not in seen else 0.0
        seen.add(target)
    return rows


def _shared_base(given: Given, local: dict[int, tuple[int, int]], own: Records, base: dict[int, Array]) -> Array:
    """What does not change on the row of a push; attachments at one node share it."""
    if own.kind != ON_ATTACHMENT:
        return base[int(own.kind)][own.part]
    same = [a for a, place in local.items() if place == local[int(own.part)]]
    total: Array = np.sum([given.attachment_force[a] for a in same], axis=0)
    return total


@kernel(**COUNTED)
def put_given(t, mesh):
    """Give nodes, bodies and elements of a mesh the loads that act at time t (s).

    Source: F = F_0 + f(t) e, docs/guide/inputs_in_time.md.
    """
    given = mesh.given
    for k in range(given.push.shape[0]):
        push = given.push[k]
        f = value_at(t, push.function, given.functions)[0]
        if push.kind == ON_POINT:
            push_on(mesh.node[mesh.s.size + push.row].force, push, f)
        elif push.kind == ON_ATTACHMENT:
            push_on(mesh.node[mesh.node_start[push.line] + push.row].force, push, f)
        elif push.kind == ON_BODY:
            push_on(mesh.bodies.body[push.row].load_force, push, f)
        else:
            push_on(mesh.bodies.body[push.row].load_moment, push, f)
    for e in range(mesh.load.shape[0]):
        mesh.load[e].time = t
    for k in range(given.spread.shape[0]):
        spread = given.spread[k]
        factor = 1.0 if spread.function < 0 else value_at(t, spread.function, given.functions)[0]
        first, stop = mesh.element_start[spread.line], mesh.element_start[spread.line + 1]
        for e in range(first, stop):
            spread_on(mesh.load[e], given.share[spread.share + e - first], factor, spread.is_first)
