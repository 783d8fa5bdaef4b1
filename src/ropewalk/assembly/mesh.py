"""Mesh of the mixed elements: nodes and elements of all lines end to end, and the junctions they meet in.

A line is walked from a held end if it has one, because elimination may then forget where it came from;
`flipped` marks that this is end B. Positions in these arrays follow the walk; `s` is always from end A.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.anchor import (
    beside,
    contact_width,
    dip,
    end_piece,
    end_section,
    is_on_bed,
    is_pulled_apart,
    laid,
    lying_ends,
    rest_at,
)
from ropewalk.assembly.bodies import BodyMesh, build_body_mesh
from ropewalk.assembly.given import GivenMesh, build_given_mesh
from ropewalk.assembly.grading import focused, lift_offs, shared_out
from ropewalk.assembly.lift import build_shed
from ropewalk.assembly.load_arrays import build_loads
from ropewalk.assembly.winches import WinchMesh, no_winches
from ropewalk.loads.bed import Bed, build_bed, heights_over
from ropewalk.loads.footing import attachment_footings, point_footings
from ropewalk.loads.member import DRAG_LAW, MEMBER_FIELDS, Sizes, fill_members
from ropewalk.loads.point import POINT_FIELDS
from ropewalk.model.arrays import Array, Flags, Ints, Records, flags, floats, ints, joined, offsets, put, records
from ropewalk.model.environment import bed_normals
from ropewalk.model.joints import AXIS, HELD, LOOSE
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.profiles import Along, means_between
from ropewalk.model.state import end_positions, initial_state
from ropewalk.physics.elasticity import INEXTENSIBLE, LINEAR, strain
from ropewalk.physics.ropes import NO_MEMORY, ROPE, SYROPE

ELEMENTS_PER_LINE = 50  # of a line without a given number; the fairlead force is then within about 0.2 %
LEAST_PER_STRETCH = 2  # elements between two breaks (piece ends, attachments) of such a line
SLACK_STIFFNESS = 1e-3  # axial stiffness in compression of a line that cannot push, in multiples of its weight
THREAD_WEIGHT = 1e-7  # of the heaviest part: what stands for the weight of a line that has none, in or out of the water
LOOSE_STIFFNESS = 1e-9  # of a line's weight: axial stiffness (N) of an element that has parted
SHORTEST_STUB = 1e-3  # of a line: breaks nearer to an end part the element there
SNAP_TIME = 1e-3  # s, least damping of inextensible lines that can go slack: coming taut is else a jump of velocity
NEARLY = 1.0 - 1e-9  # room for round-off in the last place of a line

# nodes: half elements, and what is attached there
NODE = np.dtype(
    [
        *POINT_FIELDS,  # mass with that of half elements; the rest of attachments
        ("bed_area", "f8"),  # contact width times length, with the footing of what is lumped there, m2
        ("radius", "f8"),  # height of the axis over the bed at rest, m
    ],
    align=True,
)

LINE = np.dtype(
    [
        ("flipped", "i8"),  # 1 if walked from end B
        ("two_sided", "i8"),  # 1 if the first node of the walk is not held
        ("junction", "i8", (2,)),  # of the first and the last node of the walk
    ]
)

ELEMENT = np.dtype(
    [
        *MEMBER_FIELDS,
        DRAG_LAW,
        ("damping", "f8"),  # s
        ("slack", "f8"),  # axial stiffness in compression, N; 0 for sections that carry compression
        ("length_rate", "f8"),  # of the unstretched length, m/s; of elements at winches
        ("limit", "f8"),  # tension at which the line parts, N
        ("law", "i8"),  # kind of physics/elasticity.py
        ("law_start", "i8"),  # of its numbers in law_data
        ("law_stop", "i8"),
        ("rest", "f8"),  # strain without tension, of ropes with memory
        ("give", "f8"),  # strain by tension in the present step of ropes with memory, 1/N
        ("slow_load", "f8"),  # tension of their slow springs, N
        ("peak", "f8"),  # highest of these so far, N
        ("rope", "i8"),  # which of `Mesh.rope`, -1 for elements without memory
    ],
    align=True,
)


class Mesh(NamedTuple):
    """What the kernels of this method read beside the sea and the motions.

    Only winches and breaks change nodes and elements.
    Few arrays of records, not one array per quantity: each array costs the compiler time at every call.
    Junctions have rows after the nodes in all arrays of positions, the rotations of bodies after those, and the
    multipliers of links at the end.
    """

    node_start: Ints  # (n_lines + 1,)
    element_start: Ints  # (n_lines + 1,)
    line: Records  # (n_lines,) of LINE
    end_offset: Array  # (n_lines, 2, 3) from the junction, in the world, m
    s: Array  # (n_nodes,) from end A, m
    node: Records  # (n_nodes + n_junctions + n_bodies,) of NODE
    element: Records  # (n_elements,) of ELEMENT
    law_data: Array  # numbers of the elastic laws
    shed: Records  # (n_nodes,) of SHED of assembly/lift.py, or no rows where no line sheds vortices
    rope: Records  # (n_sections,) of ROPE of physics/ropes.py, or no rows where no line has memory
    motion: Ints  # (n_junctions,) index into Motions, -1 for none
    reference: Array  # (n_junctions, 3) m
    dof_start: Ints  # (n_junctions + 1,)
    dof: Records  # (n_dofs,) of AXIS of model/joints.py
    bed: Bed
    has_bed: bool
    friction: float  # coefficient
    mass_damping: float  # 1/s
    bodies: BodyMesh
    load: Records  # (n_elements,) of LINE_LOAD of loads/given.py, or no rows
    winches: WinchMesh
    given: GivenMesh


Edges = tuple[Array, Ints]  # s of the nodes of a line from end A (m), and the section of each element


def build_mesh(model: Model, mass_damping: float = 0.0, lies: Flags | None = None) -> Mesh:
    """Cut the lines into elements and collect the junctions; winches are put on by methods/mixed/payout.py.

    lies : (n_lines, 2) whether ends A and B that are held on the bed lie there, of `lying_ends`; as in calm water
    """
    sea = model.sea
    dof_start, dof = _degrees_of_freedom(model)
    ends = _end_junctions(model)
    held = np.diff(dof_start)[ends] == 0
    flipped = ~held[:, 0] & held[:, 1]
    walked = np.where(flipped[:, None], ends[:, ::-1], ends)
    offset = _world_offsets(model)
    along = [_edges(model, i) for i in range(model.lines.length.size)]
    places, sections = [s for s, _ in along], [k for _, k in along]
    cuts = [_cut(model, i, edges, bool(flipped[i])) for i, edges in enumerate(along)]
    law_data = _own_laws(model, along, [e for _, _, e in cuts], flags(flipped))
    motion = np.concatenate([model.points.motion, model.bodies.motion])
    reference = np.concatenate([model.points.position, model.bodies.position])
    still, place = held & (motion[ends] < 0), reference[ends] + offset
    shift = _shifts(model, still, place)
    lies = lying_ends(model, initial_state(model)) if lies is None else lies
    moved = lies & np.any(shift != 0.0, axis=2)
    for i, end in zip(*np.nonzero(still), strict=True):
        if is_on_bed(sea, place[i, end], float(model.sections.contact_radius[end_section(model, i, end)])):
            cuts[i][1].bed_area[-(end ^ int(flipped[i]))] = 0.0
            if not moved[i, end]:
                cuts[i][1].radius -= dip(model, i, end, place[i, end], cuts[i][0])
    for (i, end), area in np.ndenumerate(point_footings(model)):
        cuts[i][1].bed_area[-(end ^ int(flipped[i]))] += area
    offset = _walked(offset + np.where(lies[:, :, None], shift, 0.0), flipped)
    node_start = offsets([s.size for s, _, _ in cuts])
    node = joined([*(n for _, n, _ in cuts), _junctions(model)], NODE)
    line = records(flipped.size, LINE)
    put(line, flipped=flipped, two_sided=~held[:, 0] & ~held[:, 1], junction=walked)
    return Mesh(
        node_start=node_start,
        element_start=offsets([e.shape[0] for _, _, e in cuts]),
        line=line,
        end_offset=floats(offset, (-1, 2, 3)),
        s=floats(np.concatenate([np.zeros(0), *(s for s, _, _ in cuts)])),
        node=node,
        element=joined([e for _, _, e in cuts], ELEMENT),
        law_data=floats(np.append(law_data, LOOSE_STIFFNESS * _weight_scale(model))),
        shed=_shed(model, along, flipped, node, node_start),
        rope=_ropes(model),
        motion=ints(motion),
        reference=floats(reference, (-1, 3)),
        dof_start=dof_start,
        dof=dof,
        bed=build_bed(sea),
        has_bed=sea.has_seabed,
        friction=sea.bed_friction,
        mass_damping=mass_damping,
        bodies=build_body_mesh(model, flipped, _levers(walked, dof_start, dof)),
        load=build_loads(model, places, sections, flags(flipped)),
        winches=no_winches(model.functions),
        given=build_given_mesh(model, places, sections, flags(flipped)),
    )


def _shed(model: Model, along: list[Edges], flipped: Flags, node: Records, node_start: Ints) -> Records:
    """Lift of vortices on the nodes."""
    walked = [(s[::-1], k[::-1]) if flip else (s, k) for (s, k), flip in zip(along, flipped, strict=True)]
    return build_shed(model, [s for s, _ in walked], [k for _, k in walked], node, node_start)


def _ropes(model: Model) -> Records:
    """Ropes with memory of the sections, if there are any among the lines."""
    rope = model.sections.rope
    return rope.copy() if np.any(rope.kind[model.lines.piece_section] != NO_MEMORY) else records(0, ROPE)


def _weight_scale(model: Model) -> float:
    """Largest weight of a line in air, N."""
    sections, lines = model.sections, model.lines
    return float(np.max(sections.mass[lines.piece_section] * lines.piece_length, initial=1.0)) * max(
        model.sea.gravity, 1.0
    )


def _heaviest(model: Model) -> float:
    """Largest weight of a body, point or attachment or given force on a point, N; of a line if it is more."""
    lumps = (model.points.mass, model.bodies.mass, model.lines.attachment_mass)
    mass = max(float(np.max(of, initial=0.0)) for of in lumps)
    force = float(np.max(np.abs(model.points.force), initial=0.0))
    return max(mass * max(model.sea.gravity, 1.0), force, _weight_scale(model))


def _end_junctions(model: Model) -> Ints:
    """(n_lines, 2) junction of each end: points come first, then bodies."""
    shift = np.where(model.lines.end_kind == BODY, len(model.names.points), 0)
    return ints(model.lines.end_index + shift, (-1, 2))


def _world_offsets(model: Model) -> Array:
    """(n_lines, 2, 3) from the origins of held and moved bodies to the line ends, m."""
    return end_positions(model, np.zeros_like(model.points.position), np.zeros_like(model.bodies.position),
                         model.bodies.quaternion)  # fmt: skip


def _degrees_of_freedom(model: Model) -> tuple[Ints, Records]:
    """Free and sprung components of the points; translations and (as empty rows) rotations of free bodies."""
    points = model.points
    is_free = model.bodies.joint == LOOSE
    moves = points.joint != HELD
    count = [*np.sum(moves, axis=1), *np.where(is_free, 6, 0)]
    of_bodies = records(6 * int(np.sum(is_free)), AXIS)
    of_bodies.axis.reshape(-1, 6, 3)[:] = np.eye(6, 3)
    return offsets(count), joined([points.axis[moves], of_bodies], AXIS)


def _junctions(model: Model) -> Records:
    """Rows of the junctions in `node`: what is lumped at the points. Bodies have their own terms: theirs are empty."""
    points = model.points
    n_rows = len(model.names.points) + 2 * len(model.names.bodies) + 2 * len(model.links.names)
    rows, n = records(n_rows, NODE), len(model.names.points)
    put(
        rows[:n], mass=points.mass, volume=points.volume, drag_area=points.drag_area, added=points.added_mass,
        force=points.force,
    )  # fmt: skip
    return rows


def _levers(walked: Ints, dof_start: Ints, dof: Records) -> Array:
    """(n_lines, 2, 6, 3) displacement of the walks' ends per degree of freedom of their junctions, as for points."""
    lever: Array = np.zeros((walked.shape[0], 2, 6, 3))
    for i, side in np.ndindex(*walked.shape):
        j = walked[i, side]
        lever[i, side, : dof_start[j + 1] - dof_start[j]] = dof.axis[dof_start[j] : dof_start[j + 1]]
    return lever


def _stretches(model: Model, line: int) -> list[tuple[float, float, int, int]]:
    """Stretches of one section between breaks: start, end (m), section, number of elements."""
    lines = model.lines
    pieces = range(lines.piece_start[line], lines.piece_start[line + 1])
    parted = _around_break(model, line)
    breaks = [*lines.attachment_s[lines.attachment_start[line] : lines.attachment_start[line + 1]], *parted]
    result = []
    begin = 0.0
    for p in pieces:
        end = begin + lines.piece_length[p]
        inner = sorted({s for s in breaks if begin < s < end})
        edges = [begin, *inner, end]
        lengths = np.array([0.0 if parted == pair else pair[1] - pair[0] for pair in itertools.pairwise(edges)])
        if lines.piece_elements[p]:
            counts = _shared_counts(int(lines.piece_elements[p]), lengths)
        else:
            counts = np.maximum(LEAST_PER_STRETCH, np.rint(ELEMENTS_PER_LINE * lengths / lines.length[line])).astype(
                int
            )
            counts[lengths == 0.0] = 1
        section = int(lines.piece_section[p])
        result += [(a, b, section, int(n)) for (a, b), n in zip(itertools.pairwise(edges), counts, strict=True)]
        begin = end
    return result


def _shared_counts(total: int, lengths: Array) -> Ints:
    """Elements of stretches of a piece: the given number in all, each at least one, the rest by length (m).

    One of no length is that in which a line parts: one element.
    """
    if lengths.size == 1:
        return np.full(1, max(total, 1), dtype=np.int64)
    counts = np.ones(lengths.size, dtype=np.int64)
    for _ in range(total - lengths.size):
        counts[np.argmax(lengths / counts)] += 1
    return counts


def elements_of(model: Model) -> Ints:
    """(n_pieces,) elements of the pieces of all lines."""
    lines = model.lines
    counts = np.zeros(lines.piece_section.size, dtype=np.int64)
    for line in range(lines.length.size):
        pieces = slice(lines.piece_start[line], lines.piece_start[line + 1])
        ends = np.cumsum(lines.piece_length[pieces])
        for a, b, _, n in _stretches(model, line):
            counts[pieces.start + min(int(np.searchsorted(ends, 0.5 * (a + b))), ends.size - 1)] += n
    return ints(counts)


def _around_break(model: Model, line: int) -> tuple[float, ...]:
    """Ends of the element in whose middle a line parts; it has the length of an ordinary one, or ends with the line."""
    lines = model.lines
    if not lines.breaks.line.size:
        return ()
    k = np.flatnonzero((lines.breaks.line == line) & np.isfinite(lines.breaks.s))
    if k.size == 0:
        return ()
    s, L = float(lines.breaks.s[k[0]]), float(lines.length[line])
    asked = int(np.sum(lines.piece_elements[lines.piece_start[line] : lines.piece_start[line + 1]]))
    half = min(0.5 * L / (asked or ELEMENTS_PER_LINE), s, L - s)
    return (s - half, s + half) if half > SHORTEST_STUB * L else ()


def _edges(model: Model, line: int) -> Edges:
    """s of the nodes and section of each element of one line, from end A."""
    section_of: list[int] = []
    edges = [0.0]
    grading, length = float(model.lines.grading[line]), float(model.lines.length[line])
    places = lift_offs(model, line) if grading > 1.0 else []
    winch = model.lines.winches.end[model.lines.winches.line == line]
    focus = model.lines.focus[model.lines.focus.line == line]
    for a, b, section, n in _stretches(model, line):
        at_winch = (a == 0.0 and 0 in winch) or (b >= NEARLY * length and 1 in winch)  # to be split and joined: equal
        own = shared_out(a, b, n, [] if at_winch else places, grading, length)
        own = focused(own, focus) if focus.size else own
        edges += list(own[1:])
        section_of += [section] * (own.size - 1)
    return np.array(edges), np.array(section_of)


def _cut(model: Model, line: int, edges: Edges, flipped: bool) -> tuple[Array, Records, Records]:
    """s, nodes and elements of one line, in the order of the walk."""
    (s, k), sections, sea = edges, model.sections, model.sea
    length, of = np.diff(s), _made_of(model, s, k)
    area = of.area
    displaced = sea.water_density * area * length
    width = np.maximum(np.sqrt(4.0 * area / np.pi), 2.0 * sections.contact_radius[k])
    weight = sea.gravity * float(np.sum(np.abs(of.mass * length - displaced)))
    weight = weight or max(sea.gravity, 1.0) * float(np.sum(of.mass * length)) or THREAD_WEIGHT * _heaviest(model)
    elements = records(length.size, ELEMENT)
    sizes = Sizes(
        length, area, width, of.drag_normal, of.drag_tangential, of.added_normal, of.added_tangential,
        sections.drag_law[k],
    )  # fmt: skip
    fill_members(elements, sizes, sea.water_density)
    snaps = (sections.law[k] == INEXTENSIBLE) & ~sections.compression[k]
    rest = {section: rest_strain(model, section) for section in set(k.tolist())}
    put(
        elements,
        damping=np.where(snaps, np.maximum(sections.damping[k], SNAP_TIME), sections.damping[k]),
        slack=np.where(sections.compression[k], 0.0, SLACK_STIFFNESS * weight),
        limit=np.inf,
        law=sections.law[k],
        law_start=sections.law_start[k],
        law_stop=sections.law_start[k + 1],
        rope=np.where(sections.rope.kind[k] != NO_MEMORY, k, -1),
        rest=[rest[section] for section in k.tolist()],
    )
    nodes = records(s.size, NODE)
    put(
        nodes,
        mass=_to_nodes(of.mass * length),
        bed_area=_to_nodes(contact_width(model, k) * length),
        radius=_to_nodes(sections.contact_radius[k] * length) / _to_nodes(length),
    )
    _add_attachments(model, line, s, nodes)
    if flipped:
        return s[::-1], nodes[::-1], elements[::-1]
    return s, nodes, elements


def rest_strain(model: Model, section: int) -> float:
    """Strain without tension of a section: that of a rope which has stretched for good."""
    own = model.sections
    if own.rope.kind[section] != SYROPE:
        return 0.0
    start, stop = own.law_start[section], own.law_start[section + 1]
    return float(strain(0.0, own.law[section], own.law_data, start, stop)[0])


def _made_of(model: Model, s: Array, k: Ints) -> Along:
    """Properties of the elements between nodes at s, of sections k: means over each."""
    return means_between(model.sections, model.profiles, k, s[:-1], s[1:])


def _own_laws(model: Model, along: list[Edges], elements: list[Records], flipped: Flags) -> Array:
    """law_data with the stiffness of each element whose section varies along s, which its law is then of."""
    data = model.sections.law_data
    if not model.profiles.any:
        return data
    own: list[float] = []
    for line, rows in enumerate(elements):
        stiffness = _made_of(model, *along[line]).stiffness[:: -1 if flipped[line] else 1]
        for row, value in zip(rows, stiffness, strict=True):
            if np.isfinite(value):
                row.law, row.law_start, row.law_stop = LINEAR, data.size + len(own), data.size + len(own) + 1
                own.append(float(value))
    return floats(np.concatenate([data, own]))


def _shifts(model: Model, still: Any, place: Array) -> Array:
    """(n_lines, 2, 3) how far (m) ends A and B that are held on the bed are moved where the line lies there.

    still : (n_lines, 2) whether ends are held for good    place : (n_lines, 2, 3) where they are given, m
    """
    shift: Array = np.zeros(place.shape)
    for i, end in zip(*np.nonzero(still), strict=True):
        depth = laid(model.sea, place[i, end], rest_at(model, i, end)) or 0.0
        shift[i, end] = depth * bed_normals(model.sea, place[i, end])
    far = np.all(still, axis=1) & is_pulled_apart(model, place, shift)
    return np.where(far[:, None, None], 0.0, shift)


def laid_again(model: Model, mesh: Mesh, before: Flags, lies: Flags) -> Mesh:
    """The mesh with other ends lying on the bed than before: (n_lines, 2) of ends A and B."""
    ends, offset, node = _end_junctions(model), _world_offsets(model), mesh.node.copy()
    still = (np.diff(mesh.dof_start)[ends] == 0) & (mesh.motion[ends] < 0)
    place = mesh.reference[ends] + offset
    shift = _shifts(model, still, place)
    turned = still & (lies != before) & np.any(shift != 0.0, axis=2)
    for i, end in zip(*np.nonzero(turned), strict=True):
        if is_on_bed(model.sea, place[i, end], float(model.sections.contact_radius[end_section(model, i, end)])):
            own = slice(mesh.node_start[i], mesh.node_start[i + 1])
            lower = dip(model, i, end, place[i, end], mesh.s[own])
            node.radius[own] += lower if lies[i, end] else -lower
    offset = _walked(offset + np.where(lies[:, :, None], shift, 0.0), mesh.line.flipped == 1)
    return mesh._replace(end_offset=floats(offset, (-1, 2, 3)), node=node)


def lying(model: Model, mesh: Mesh, r: Array) -> Flags:
    """(n_lines, 2) whether lines lie on the bed beside ends A and B that are held there; see `lying_ends`.

    r : (n_rows, 3) m
    """
    first, last = mesh.node_start[:-1], mesh.node_start[1:] - 1
    ends, near = np.stack([first, last], axis=1), np.stack([first, first], axis=1)
    for i, side in np.ndindex(*near.shape):
        piece = end_piece(model, i, side ^ int(mesh.line[i].flipped))
        near[i, side] += beside(mesh.s[first[i] : last[i] + 1], side, piece)
    above = heights_over(mesh.bed, r[near])[1] - mesh.node.radius[near]
    lies = mesh.has_bed & (mesh.node.bed_area[ends] == 0.0) & (above <= 0.0)
    return np.where(mesh.line.flipped[:, None] == 1, lies[:, ::-1], lies)


def _walked(ends: Array, flipped: Any) -> Array:
    """What belongs to ends A and B (n_lines, 2, 3) by the first and last nodes of the walks."""
    walked: Array = np.where(flipped[:, None, None], ends[:, ::-1], ends)
    return walked


def _to_nodes(per_element: Array) -> Array:
    """Half of each element's share to each of its nodes."""
    nodes: Array = np.zeros(per_element.size + 1)
    nodes[:-1] += 0.5 * per_element
    nodes[1:] += 0.5 * per_element
    return nodes


def _add_attachments(model: Model, line: int, s: Array, nodes: Records) -> None:
    lines = model.lines
    if lines.attachment_start[line] == lines.attachment_start[line + 1]:
        return
    footing = attachment_footings(model)
    for a in range(lines.attachment_start[line], lines.attachment_start[line + 1]):
        i = int(np.argmin(np.abs(s - lines.attachment_s[a])))
        nodes.mass[i] += lines.attachment_mass[a]
        nodes.volume[i] += lines.attachment_volume[a]
        nodes.drag_area[i] += lines.attachment_drag_area[a]
        nodes.added[i] += lines.attachment_added_mass[a]
        nodes.force[i] += lines.attachment_force[a]
        nodes.bed_area[i] += footing[a]
