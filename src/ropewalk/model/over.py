"""Lines cut at what they run over: parts that end there, and their state as that of the whole lines.

Methods that have no unknown for the place of a peg solve the parts, and search for the lengths of these.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.model.arrays import Array, Ints, floats, ints, offsets
from ropewalk.model.model import Model
from ropewalk.model.pegs import over_positions
from ropewalk.model.state import State, end_positions

SHORTEST = 1.0e-12  # of a line: a shorter piece is round-off
PER_NODE = ("position", "velocity", "tension", "node_force", "element_tension")


def even_places(model: Model) -> Array:
    """(p,) s of all pegs with every line shared out in proportion to the distances of its way, m."""
    places: Array = np.zeros(model.lines.over_index.size)
    for i, chord in enumerate(chords(model)):
        own = slice(int(model.lines.over_start[i]), int(model.lines.over_start[i + 1]))
        way = float(chord.sum())
        share = chord / way if way > 0.0 else np.full(chord.size, 1.0 / chord.size)
        places[own] = np.cumsum(share)[:-1] * model.lines.length[i]
    return places


def chords(model: Model) -> list[Array]:
    """Of each line the distances from end A over its pegs to end B, as the file gives them, m."""
    points, bodies, lines = model.points, model.bodies, model.lines
    ends = end_positions(model, points.position, bodies.position, bodies.quaternion)
    pegs = over_positions(model, points.position, bodies.position, bodies.quaternion)
    ways = [
        np.vstack([ends[i, 0], pegs[lines.over_start[i] : lines.over_start[i + 1]], ends[i, 1]])
        for i in range(lines.length.size)
    ]
    return [np.linalg.norm(np.diff(way, axis=0), axis=1) for way in ways]


def part_lengths(model: Model, places: Array) -> list[Array]:
    """Of each line the unstretched lengths of its parts, m.  places : (p,) s of all pegs"""
    lines = model.lines
    return [
        np.diff([0.0, *places[lines.over_start[i] : lines.over_start[i + 1]], lines.length[i]])
        for i in range(lines.length.size)
    ]


def part_start(model: Model) -> Ints:
    """(n_lines + 1,) first part of each line."""
    return ints(model.lines.over_start + np.arange(model.lines.over_start.size))


def cut_over(model: Model, places: Array) -> Model:
    """The model with lines that end at the pegs and go on there.  places : (p,) s of all pegs, m

    Lines that run over something have no attachments or loads, and no part of the model has winches or breaks.
    """
    lines = model.lines
    ends: list[list[tuple[int, int, Array]]] = []
    own: list[int] = []  # line of each part
    section, length, elements, counts = [], [], [], []
    for i, parts in enumerate(part_lengths(model, places)):
        over = range(lines.over_start[i], lines.over_start[i + 1])
        held = [(int(lines.over_kind[p]), int(lines.over_index[p]), lines.over_offset[p]) for p in over]
        a, b = ((int(lines.end_kind[i, j]), int(lines.end_index[i, j]), lines.end_offset[i, j]) for j in range(2))
        ends += [list(pair) for pair in pairwise([a, *held, b])]
        own += [i] * parts.size
        edges = np.concatenate([[0.0], np.cumsum(parts)])
        for low, high in pairwise(edges.tolist()):
            stretch = pieces_between(model, i, low, high)
            counts.append(len(stretch))
            section += [int(lines.piece_section[k]) for k, _ in stretch]
            length += [ds for _, ds in stretch]
            elements += [_share(int(lines.piece_elements[k]), ds / float(lines.piece_length[k])) for k, ds in stretch]
    first = np.diff(own, prepend=-1) > 0  # of the parts of a line: attachments and loads stay with it
    cut = lines._replace(
        length=floats(np.concatenate(part_lengths(model, places))),
        end_kind=ints([[kind for kind, _, _ in pair] for pair in ends], (-1, 2)),
        end_index=ints([[k for _, k, _ in pair] for pair in ends], (-1, 2)),
        end_offset=floats([[offset for _, _, offset in pair] for pair in ends], (-1, 2, 3)),
        piece_start=offsets(counts),
        piece_section=ints(section),
        piece_length=floats(length),
        piece_elements=ints(elements),
        grading=floats(lines.grading[own]),
        attachment_start=offsets(np.where(first, np.diff(lines.attachment_start)[own], 0).tolist()),
        load_start=offsets(np.where(first, np.diff(lines.load_start)[own], 0).tolist()),
        over_start=ints(np.zeros(len(own) + 1)),
        over_kind=ints([]),
        over_index=ints([]),
        over_offset=floats([], (-1, 3)),
    )
    names = tuple(model.names.lines[i] for i in own)
    return model._replace(names=model.names._replace(lines=names), lines=cut)


def joined_over(model: Model, places: Array, parts: State) -> State:
    """State of the lines of the model from that of their parts.  places : (p,) s of all pegs, m"""
    start, kept, s = part_start(model), [], parts.s.copy()
    for i, lengths in enumerate(part_lengths(model, places)):
        for k, before in zip(range(start[i], start[i + 1]), np.cumsum(lengths) - lengths, strict=True):
            s[parts.start[k] : parts.start[k + 1]] += before
            last = int(parts.start[k + 1]) - (0 if k == start[i + 1] - 1 else 1)  # a peg is the first node beyond it
            kept.append(np.arange(parts.start[k], last))
    nodes = np.concatenate(kept)
    counts = [sum(kept[k].size for k in range(start[i], start[i + 1])) for i in range(start.size - 1)]
    rows = {name: values[nodes] for name in PER_NODE if (values := getattr(parts, name)).size}
    ends = np.stack([parts.end_force[start[:-1], 0], parts.end_force[start[1:] - 1, 1]], axis=1)
    grounded = np.add.reduceat(parts.grounded, start[:-1])
    return parts._replace(**rows, s=s[nodes], start=offsets(counts), end_force=ends, grounded=grounded)


def _share(elements: int, share: float) -> int:
    """Of the elements of a piece; 0 remains 0: left to the method."""
    return max(1, round(elements * share)) if elements else 0


def pieces_between(model: Model, i: int, low: float, high: float) -> list[tuple[int, float]]:
    """Pieces of line i between two places, and the length of each there, m."""
    lines = model.lines
    found, begin = [], 0.0
    for k in range(lines.piece_start[i], lines.piece_start[i + 1]):
        end = begin + float(lines.piece_length[k])
        inside = min(end, high) - max(begin, low)
        if inside > SHORTEST * float(lines.length[i]):
            found.append((k, inside))
        begin = end
    return found
