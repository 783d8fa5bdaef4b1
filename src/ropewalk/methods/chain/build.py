"""From a Model to chains of rigid links: cut the lines, gather masses and loads, turn motions into terms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.chain.arrays import Array, Chain, chain
from ropewalk.methods.chain.bodies import END_BODY
from ropewalk.model.arrays import Records, records
from ropewalk.model.given import ON_ATTACHMENT, ON_BODY, ON_POINT, TURN_BODY, without_changes
from ropewalk.model.in_time import products_of
from ropewalk.model.joints import FREE, HELD, LOOSE
from ropewalk.model.lines import BODY, FORCE_TABLE, PRESSURE
from ropewalk.model.model import Model
from ropewalk.model.state import rotation_matrix
from ropewalk.numerics.series import TERM_HEAD
from ropewalk.physics.current import UNIFORM

DEFAULT_LINKS = 20  # of a line without a given number; the cable limit is then within about 0.2 % in shape
POLYNOMIAL = 9  # coefficients of a term: the smooth ramp is a polynomial of degree 5, pieces of tables are cubics
SAME_PLACE = 1e-9  # of the line's length: an attachment this near a cut is on it
GAUSS3 = np.array([0.5 - np.sqrt(0.15), 0.5, 0.5 + np.sqrt(0.15)]), np.array([5.0, 8.0, 5.0]) / 18.0


def cut(model: Model, line: int) -> tuple[Array, Array]:
    """Arc lengths (m) of the nodes of a line, from end A, and the section of each link.

    Nodes stand at the joints of pieces and at attachments; links are equal between them.
    """
    lines = model.lines
    pieces = slice(lines.piece_start[line], lines.piece_start[line + 1])
    length, section, asked = lines.piece_length[pieces], lines.piece_section[pieces], lines.piece_elements[pieces]
    total = float(length.sum())
    attached = lines.attachment_s[lines.attachment_start[line] : lines.attachment_start[line + 1]]
    nodes, sections, begin = [0.0], [], 0.0
    for i in range(length.size):
        end = begin + float(length[i])
        inside = attached[(attached > begin + SAME_PLACE * total) & (attached < end - SAME_PLACE * total)]
        n = int(asked[i]) or max(1, round(DEFAULT_LINKS * float(length[i]) / total))
        for stop in [*np.unique(inside), end]:
            share = max(1, round(n * (stop - nodes[-1]) / float(length[i])))
            nodes.extend(np.linspace(nodes[-1], stop, share + 1)[1:])
            sections.extend([int(section[i])] * share)
        begin = end
    return np.array(nodes), np.array(sections)


def build_chain(model: Model, line: int, wet: bool, damping: float, smoothing: float) -> tuple[Chain, Array]:
    """The chain that stands for a line, and the arc lengths of its nodes (m).

    wet : in the water, else in air    damping : 1/s, mass-proportional    smoothing : m/s, in quadratic drag
    """
    s, section = cut(model, line)
    model, length = without_changes(model), np.diff(s)
    sections, sea = model.sections, model.sea
    density = sea.water_density if wet else 0.0
    mass = sections.mass[section] * length
    displaced = density * sections.area[section] * length
    weight = np.zeros((length.size, 3))
    weight[:, 2] = -sea.gravity * (mass - displaced)
    tables = _table_loads(model, s, [k for k in _loads(model, line) if model.given.load_factor[k] < 0])
    link_load = np.stack([0.5 * weight, 0.5 * weight], axis=1) + tables
    node_mass, node_load, node_drag = _node_loads(model, line, s, density)
    held = [_is_held(model, line, side) for side in range(2)]
    dynamic = 0.5 * density * length
    return (
        chain(
            length,
            mass,
            gravity=sea.gravity,
            link_load=link_load,
            node_mass=node_mass,
            node_load=node_load,
            pressure=np.broadcast_to(_pressure(model, line), (length.size, 3)),
            load_terms=_load_terms(model, line, s),
            held=(held[0], held[1]),
            added_normal=sections.added_normal[section] * displaced,
            added_tangential=sections.added_tangential[section] * displaced,
            damping=damping,
            drag_normal=dynamic * sections.drag_normal[section],
            drag_tangential=dynamic * sections.drag_tangential[section],
            node_drag=node_drag,
            bodies=_end_bodies(model, line, length.size, density),
            body_terms=_body_terms(model, line),
            current=_current(model) if wet else (0.0, 0.0, 0.0),
            smoothing=smoothing,
            **({"motion_terms": end_terms(model, line, length.size)} if any(held) else {}),
        ),
        s,
    )


def check_case(model: Model) -> None:
    """Refuse what a chain of rigid links cannot model, beyond the claims."""
    lines, names = model.lines, model.names
    for i in range(len(names.lines)):
        for side in range(2):
            k = int(lines.end_index[i, side])
            if lines.end_kind[i, side] == BODY:
                _check_body(model, k)
                continue
            shared = int(np.sum((lines.end_index == k) & (lines.end_kind != BODY)))
            if np.any(model.points.joint[k] == FREE) and shared > 1:
                raise InputError(
                    f"point '{names.points[k]}' is free and joins {shared} lines; chain_series moves each line "
                    "by itself; use solver 'mixed_fem'"
                )
    for kind in lines.load_kind:
        if kind not in (PRESSURE, FORCE_TABLE):
            raise InputError("chain_series does not support loads of a rotating frame; use 'mixed_fem'")
    if np.any(model.given.load_factor[lines.load_kind == PRESSURE] >= 0):
        raise InputError("chain_series does not support a pressure that varies in time; use solver 'mixed_fem'")
    if model.sea.water_density > 0.0 and model.sea.current_speed > 0.0 and model.sea.current_kind != UNIFORM:
        raise InputError(
            "chain_series supports a uniform current only; a profile changes as the links move through it: use solver "
            "'mixed_fem'"
        )


def _check_body(model: Model, k: int) -> None:
    """Refuse a body that is more than mass, weight, constant buoyancy and given loads at the end of one line."""
    bodies, name = model.bodies, model.names.bodies[k]
    if bodies.joint[k] != LOOSE:
        i = int(bodies.motion[k])
        if i >= 0 and np.any(model.motions.function[i, 3:] >= 0):
            raise InputError(
                f"body '{name}' has a prescribed rotation; chain_series supports prescribed translations only: use "
                "'mixed_fem'"
            )
        return
    shared = int(np.sum((model.lines.end_index == k) & (model.lines.end_kind == BODY)))
    if shared > 1:
        raise InputError(
            f"body '{name}' is free and joins {shared} lines; chain_series moves each line by itself: use 'mixed_fem'"
        )
    matrices = {"stiffness": bodies.stiffness[k], "damping": bodies.damping[k], "added_mass": bodies.added_mass[k]}
    given = [word for word, matrix in matrices.items() if np.any(matrix)]
    if bodies.hull_start[k + 1] > bodies.hull_start[k]:
        given.append("hulls or windage")
    if given:
        raise InputError(
            f"body '{name}' has {', '.join(given)}; chain_series supports bodies with mass, inertia, volume and given "
            "loads: use solver 'mixed_fem'"
        )
    least = float(np.linalg.eigvalsh(bodies.inertia[k])[0])
    if not (bodies.mass[k] > 0.0 and least > 0.0):
        raise InputError(
            f"body '{name}': mass {bodies.mass[k]:.6g} kg and smallest moment of inertia {least:.6g} kg m2 must be "
            "positive for chain_series; give it inertia, or a free point with mass in its place"
        )


def _end_bodies(model: Model, line: int, n_links: int, density: float) -> Records:
    """Free bodies at the ends of a line; records of END_BODY.  density : of the water around it, kg/m3"""
    lines, bodies, gravity = model.lines, model.bodies, model.sea.gravity
    found = []
    for side, node in ((0, 0), (1, n_links)):
        k = int(lines.end_index[line, side])
        if lines.end_kind[line, side] != BODY or bodies.joint[k] != LOOSE:
            continue
        row, centre = records(1, END_BODY), bodies.centre[k]
        row.node, row.mass = node, bodies.mass[k]
        row.inertia, row.inverse = bodies.inertia[k].ravel(), np.linalg.inv(bodies.inertia[k]).ravel()
        row.eye, row.at, row.origin = lines.end_offset[line, side] - centre, bodies.load_at[k] - centre, -centre
        row.weight = 0.0, 0.0, -gravity * bodies.mass[k]
        row.lift = 0.0, 0.0, gravity * density * bodies.volume[k]
        row.force, row.moment = bodies.load_force[k], bodies.load_moment[k]
        found.append(row)
    return np.concatenate([records(0, END_BODY), *found]).view(np.recarray)


def free_bodies(model: Model, line: int) -> list[int]:
    """Which bodies hang on the ends of a line, in the order of its records."""
    ends = zip(model.lines.end_kind[line], model.lines.end_index[line], strict=True)
    return [int(k) for kind, k in ends if kind == BODY and model.bodies.joint[k] == LOOSE]


def _body_terms(model: Model, line: int) -> Array | None:
    """Forces and moments in time on the bodies of a line, as numerics.series.add_term reads them; None without any."""
    own = free_bodies(model, line)
    rows = [
        _term(2 * own.index(int(p.part)) + int(p.kind == TURN_BODY), *made.span, p.direction, made.polynomial,
              made.omega, made.phase)
        for p in model.given.push
        if p.kind in (ON_BODY, TURN_BODY) and int(p.part) in own
        for made in products_of(model.functions, int(p.function))
    ]  # fmt: skip
    return np.array(rows) if rows else None


def free_end_loads(model: Model, point: int, density: float) -> tuple[float, Array, float]:
    """Mass (kg), constant force (3,) (N) and drag coefficient (N s2/m2) that a point brings to a chain's end."""
    points, gravity = model.points, model.sea.gravity
    mass = float(points.mass[point])
    force = points.force[point] + points.frame[point].T @ points.axis[point]["pull"]
    force = force + np.array([0.0, 0.0, gravity * (density * points.volume[point] - mass)])
    added = float(points.added_mass[point]) if density > 0.0 else 0.0
    return mass + added, force, 0.5 * density * float(points.drag_area[point])


def _is_held(model: Model, line: int, side: int) -> bool:
    k = model.lines.end_index[line, side]
    if model.lines.end_kind[line, side] == BODY:
        return bool(model.bodies.joint[k] != LOOSE)
    return bool(np.all(model.points.joint[k] == HELD))


def is_free_point(model: Model, line: int, side: int) -> bool:
    """True if a line ends at a point that moves by its loads."""
    return bool(model.lines.end_kind[line, side] != BODY) and not _is_held(model, line, side)


def _current(model: Model) -> tuple[float, float, float]:
    speed, heading = model.sea.current_speed, model.sea.current_heading
    return speed * float(np.cos(heading)), speed * float(np.sin(heading)), 0.0


def _node_loads(model: Model, line: int, s: Array, density: float) -> tuple[Array, Array, Array]:
    """Masses, constant loads and drag of attachments, and of points at ends that are free."""
    lines, gravity = model.lines, model.sea.gravity
    mass, load, drag = np.zeros(s.size), np.zeros((s.size, 3)), np.zeros(s.size)
    for k in range(lines.attachment_start[line], lines.attachment_start[line + 1]):
        i = int(np.argmin(np.abs(s - lines.attachment_s[k])))
        mass[i] += lines.attachment_mass[k] + (lines.attachment_added_mass[k] if density > 0.0 else 0.0)
        load[i] += lines.attachment_force[k]
        load[i, 2] += gravity * (density * lines.attachment_volume[k] - lines.attachment_mass[k])
        drag[i] += 0.5 * density * lines.attachment_drag_area[k]
    for side, i in ((0, 0), (1, s.size - 1)):
        if is_free_point(model, line, side):
            own = free_end_loads(model, int(lines.end_index[line, side]), density)
            mass[i] += own[0]
            load[i] += own[1]
            drag[i] += own[2]
    return mass, load, drag


def _loads(model: Model, line: int) -> range:
    return range(int(model.lines.load_start[line]), int(model.lines.load_start[line + 1]))


def _pressure(model: Model, line: int) -> Array:
    total: Array = np.zeros(3)
    for i in _loads(model, line):
        if model.lines.load_kind[i] == PRESSURE:
            total += model.lines.load_value[i] * model.lines.load_axis[i]
    return total


def _load_terms(model: Model, line: int, s: Array) -> Array | None:
    """Loads in time as terms on nodes, as numerics.series.add_term reads them; None if there are none."""
    lines, given = model.lines, model.given
    first, last = int(lines.attachment_start[line]), int(lines.attachment_start[line + 1])
    node_of = {(ON_ATTACHMENT, a): int(np.argmin(np.abs(s - lines.attachment_s[a]))) for a in range(first, last)}
    for side, node in ((0, 0), (1, s.size - 1)):
        if is_free_point(model, line, side):
            node_of[ON_POINT, int(lines.end_index[line, side])] = node
    pushes = [(node_of[int(p.kind), int(p.part)], p.direction, int(p.function))
              for p in given.push if (int(p.kind), int(p.part)) in node_of]  # fmt: skip
    for k in given.of_line(line, lines.load_start):
        shares = _table_loads(model, s, [k])
        total: Array = np.zeros((s.size, 3))
        total[:-1] += shares[:, 0]
        total[1:] += shares[:, 1]
        loaded = np.flatnonzero(np.any(total, axis=1)).tolist()
        pushes += [(node, total[node], int(given.load_factor[k])) for node in loaded]
    rows = [
        _term(int(node), *own.span, direction, own.polynomial, own.omega, own.phase)
        for node, direction, function in pushes
        for own in products_of(model.functions, function)
    ]
    return np.array(rows) if rows else None


def _table_loads(model: Model, s: Array, loads: list[int]) -> Array:
    """Shares (n, 2, 3) at the ends of each link of some loads given by tables over s (N)."""
    shares: Array = np.zeros((s.size - 1, 2, 3))
    point, weight = GAUSS3
    for i in loads:
        if model.lines.load_kind[i] != FORCE_TABLE:
            continue
        table = model.lines.load_table[model.lines.table_start[i] : model.lines.table_start[i + 1]]
        # linear load times linear share is a quadratic between knots: three Gauss points are exact
        knots = np.unique(np.concatenate([s, table[(table[:, 0] > s[0]) & (table[:, 0] < s[-1]), 0]]))
        for a, b in pairwise(knots):
            k = int(np.searchsorted(s, 0.5 * (a + b))) - 1
            x = a + (b - a) * point
            q = np.stack([np.interp(x, table[:, 0], table[:, 1 + j]) for j in range(3)], axis=1)
            right = (x - s[k]) / (s[k + 1] - s[k])
            shares[k, 0] += (b - a) * (weight * (1.0 - right)) @ q
            shares[k, 1] += (b - a) * (weight * right) @ q
    return shares


def _term(node: int, begin: float, end: float, vector: Array, polynomial: Array, omega: float = 0.0,
          phase: float = 0.0) -> Array:  # fmt: skip
    row = np.zeros(TERM_HEAD + POLYNOMIAL)
    row[:TERM_HEAD] = node, begin, end, omega, phase, *vector
    row[TERM_HEAD : TERM_HEAD + len(polynomial)] = polynomial
    return row


def end_terms(model: Model, line: int, n_links: int, until: float = np.inf) -> Array:
    """Motion terms of the held ends of a line; those of driven parts change at time `until` (s)."""
    sides = [side for side in range(2) if _is_held(model, line, side)]
    return np.concatenate([_end_terms(model, line, side, n_links, until) for side in sides])


def end_at_rest(model: Model, line: int, side: int) -> tuple[Array, int]:
    """Place (3,) of a held end (m) without its motion, and that motion (-1 for none)."""
    k = int(model.lines.end_index[line, side])
    if model.lines.end_kind[line, side] == BODY:
        arm = rotation_matrix(model.bodies.quaternion[k]) @ model.lines.end_offset[line, side]
        return model.bodies.position[k] + arm, int(model.bodies.motion[k])
    return np.array(model.points.position[k]), int(model.points.motion[k])


def _end_terms(model: Model, line: int, side: int, n_links: int, until: float) -> Array:
    """Motion terms of a held end, as numerics.series.add_term reads them; the same laws as physics/motion.py."""
    node = 0 if side == 0 else n_links
    place, i = end_at_rest(model, line, side)
    one = np.array([1.0])
    rows = [_term(node, -np.inf, np.inf, place, one)]
    if i < 0:
        return np.array(rows)
    motions = model.motions
    for axis in range(3):
        k = int(motions.function[i, axis])
        rows.extend(_term(node, *own.span, np.eye(3)[axis], own.polynomial, own.omega, own.phase)
                    for own in products_of(motions.functions, k))  # fmt: skip
        if motions.is_driven[i] and until < np.inf:
            rows[-1:] = _cut(rows[-1], until)
    return np.array(rows)


def _cut(row: Array, until: float) -> list[Array]:
    """A cubic that ends at `until` (s) and then goes on: a break in name, where the series must stop."""
    head, c = np.split(row, [TERM_HEAD])
    node, begin, _, _, _, *vector = head
    x = until - begin
    later = [((c[3] * x + c[2]) * x + c[1]) * x + c[0], (3 * c[3] * x + 2 * c[2]) * x + c[1], 3 * c[3] * x + c[2], c[3]]
    axis: Array = np.array(vector)
    return [_term(int(node), begin, until, axis, c[:4]), _term(int(node), until, np.inf, axis, np.array(later))]
