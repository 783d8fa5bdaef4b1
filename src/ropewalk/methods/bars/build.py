"""Point masses and rigid bars from a Model: lines are cut, nets laid out, ends joined."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from ropewalk.errors import InputError
from ropewalk.loads.bed import build_bed
from ropewalk.loads.footing import attachment_footings, end_radii, point_footings
from ropewalk.loads.member import MEMBER, Sizes, fill_members
from ropewalk.loads.screen import screen_records
from ropewalk.methods.bars.anchors import laid_points
from ropewalk.methods.bars.arrays import FOOTING, SPRUNG, Bars, Medium, Places
from ropewalk.methods.bars.bodies import BodyNodes
from ropewalk.methods.bars.draft import BAR, NODE, OWN, Draft, Lumping
from ropewalk.methods.bars.hull_arrays import Packed, build_hulls
from ropewalk.methods.bars.ties import turning_square
from ropewalk.model.arrays import Array, Ints, Records, flags, floats, ints, offsets, records
from ropewalk.model.joints import AXIS, HELD, SPRING
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.nets import MORISON, Nets
from ropewalk.model.state import State, end_positions, initial_state, resample
from ropewalk.physics.elasticity import LINEAR

BED_WIDTH = 0.1  # m, contact width of a line without a diameter: the bed must carry it all the same
DEFAULT_BARS = 40  # of a line without a number of elements
TOO_SHORT = 1e-6  # relative: a chord longer than its line by less is the rounding of the state it comes from
SAG = 1e-6  # relative slack below which a line counts as straight
SHORTER = 1e-2  # relative: a shape that bars cut from a curve may be shorter by, and still is that curve
LARGEST_SAG_TURN = 0.999 * math.pi  # rad, half opening of the arc in which a very slack line starts


def build_bars(model: Model, state: State, lumping: Lumping = "halves") -> tuple[Bars, Places, Packed, Array, Array]:
    """Bars of all lines and nets, the loads of bodies, and the position and velocity of the nodes.

    lumping : where the mass of a bar goes. 'halves', to both ends, is second order in the number of bars;
    'outer', all to the end nearer to B, is that of [Otto2022] and first order.
    """
    draft = Draft(model, state)
    ends = end_positions(model, state.point_position, state.body_position, state.body_quaternion)
    bodies = BodyNodes(draft, model, state)
    chains: list[list[int]] = []
    places: list[Array] = []
    bar_counts = []
    for i in range(len(model.names.lines)):
        nodes, s = _add_line(draft, model, state, i, ends[i], lumping, bodies)
        chains.append(nodes)
        places.append(s)
        bar_counts.append(s.size - 1)
    first_net_bar = len(draft.ends)
    nets = model.nets
    knots = _add_nets(draft, model, state, lumping, bodies)
    links = bodies.join()
    _check_masses(draft, model)
    bars = _finish(draft, model, nets, knots, bodies)
    with_loads = [own.hull for own in bodies.points if own.hull is not None]
    hulls = build_hulls(model, with_loads, bars.node)
    place = Places(
        line_start=offsets([len(nodes) for nodes in chains]),
        line_node=ints([k for nodes in chains for k in nodes]),
        line_s=floats(np.concatenate(places) if places else []),
        bar_start=offsets(bar_counts),
        point=ints([draft.of_point.get(k, -1) for k in range(len(model.names.points))]),
        bar_mass=floats(draft.bar_mass),
        knot=knots,
        knot_start=nets.knot_start,
        net_bar_start=ints(nets.bar_start + first_net_bar),
        body_start=offsets([len(own.nodes) for own in bodies.points]),
        body_node=ints([k for own in bodies.points for k in own.nodes]),
        body_place=floats([place for own in bodies.points for place in own.places], (-1, 3)),
        links=links,
        attachment=ints([draft.of_attachment[a] for a in range(model.lines.attachment_s.size)]),
        turning=turning_square(model) if model.links.names else 0.0,
    )
    r = np.array(draft.position).reshape(-1, 3)
    return bars, place, hulls, np.ascontiguousarray(r), np.array(draft.velocity).reshape(-1, 3)


def build_medium(model: Model, damping: float) -> Medium:
    """The sea for the load kernels.  damping : 1/s"""
    sea = model.sea
    return Medium(
        gravity=sea.gravity,
        water_density=sea.water_density,
        depth=sea.depth,
        current_kind=sea.current_kind,
        current_speed=sea.current_speed,
        current_heading=sea.current_heading,
        current_exponent=sea.current_exponent,
        current_table=sea.current_table,
        current_field=sea.current_field,
        wave=sea.wave,
        wind_speed=sea.wind_speed,
        wind_heading=sea.wind_heading,
        current_factor=sea.current_factor,
        current_turn=sea.current_turn,
        wind_factor=sea.wind_factor,
        wind_turn=sea.wind_turn,
        functions=sea.functions,
        has_bed=sea.has_seabed,
        bed=build_bed(sea),
        damping=float(damping),
    )


def bar_counts(model: Model) -> Ints:
    """(n_pieces,) bars as given, or chosen by the length of the pieces; joints and attachments may make it more."""
    lines = model.lines
    total = np.repeat(lines.length, np.diff(lines.piece_start))
    chosen = np.maximum(1, np.rint(DEFAULT_BARS * lines.piece_length / total))
    return ints(np.where(lines.piece_elements > 0, lines.piece_elements, chosen))


def cuts(model: Model, line: int) -> tuple[Array, Ints]:
    """Arc lengths of the nodes of a line, with one at every joint of pieces and every attachment, and the pieces."""
    lines = model.lines
    pieces = range(int(lines.piece_start[line]), int(lines.piece_start[line + 1]))
    given = slice(int(lines.attachment_start[line]), int(lines.attachment_start[line + 1]))
    total, counts = float(lines.length[line]), bar_counts(model)
    at, section, begin = [np.zeros(1)], [], 0.0
    for p in pieces:
        length = float(lines.piece_length[p])
        inside = [s for s in lines.attachment_s[given] if begin < s < begin + length]
        stops = [begin, *sorted(set(inside)), begin + length]
        wanted = int(counts[p])
        for a, b in pairwise(stops):
            n = max(1, round(wanted * (b - a) / length))
            at.append(np.linspace(a, b, n + 1)[1:])
            section.extend([int(lines.piece_section[p])] * n)
        begin += length
    s = np.concatenate(at)
    s[-1] = total
    return s, ints(section)


def _add_line(draft: Draft, model: Model, state: State, line: int, ends: Array, lumping: Lumping,
              bodies: BodyNodes) -> tuple[list[int], Array]:  # fmt: skip
    s, section = cuts(model, line)
    name = model.names.lines[line]
    position, velocity, _ = resample(state, line, s)
    stretches = bool(np.any(model.sections.law[section] == LINEAR))
    sec, rho = model.sections, model.sea.water_density
    floats_up = float(np.diff(s) @ (sec.mass[section] - rho * sec.area[section])) < 0.0
    if not _is_of_bars(state, line, s):
        position = _of_length(name, position, s, ends, (stretches, floats_up))
    nodes = []
    for k in range(s.size):
        side = {0: 0, s.size - 1: 1}.get(k)
        if side is None:
            nodes.append(draft.add_node(position[k], velocity[k], f"line '{name}'"))
        else:
            point = int(model.lines.end_index[line, side])
            on_body = model.lines.end_kind[line, side] == BODY
            nodes.append(bodies.end[line, side] if on_body else draft.point_node(point))
    for k in range(s.size - 1):
        row, mass = _bar_row(model, int(section[k]), float(s[k + 1] - s[k]))
        draft.add_bar(nodes[k], nodes[k + 1], row, mass, lumping)
    lines = model.lines
    for side, k in ((0, nodes[0]), (1, nodes[-1])):
        draft.footing.append((k, point_footings(model)[line, side], end_radii(model)[line, side]))
    under = attachment_footings(model)
    for a in range(int(lines.attachment_start[line]), int(lines.attachment_start[line + 1])):
        i = int(np.argmin(np.abs(s - lines.attachment_s[a])))
        k, beside = nodes[i], slice(max(i - 1, 0), i + 1)
        radius = np.average(model.sections.contact_radius[section[beside]], weights=np.diff(s)[beside])
        draft.footing.append((k, under[a], float(radius)))
        values = (lines.attachment_mass[a], lines.attachment_volume[a], lines.attachment_drag_area[a],
                  lines.attachment_added_mass[a])  # fmt: skip
        draft.node[k] = [old + float(new) for old, new in zip(draft.node[k], values, strict=True)]
        draft.force[k] = draft.force[k] + lines.attachment_force[a]
        draft.of_attachment[a] = k
    return nodes, s


def _is_of_bars(state: State, line: int, s: Array) -> bool:
    """Whether the state is one of these very bars, some of which may be slack and so shorter than they are long."""
    own = slice(int(state.start[line]), int(state.start[line + 1])) if line + 1 < len(state.start) else slice(0)
    return bool(state.element_tension.size) and np.array_equal(state.s[own], s)


def _bar_row(model: Model, section: int, length: float) -> tuple[list[float], float]:
    """BAR columns and the mass (kg) of a bar of one section."""
    sec = model.sections
    kind = int(sec.law[section])
    stiffness = float(sec.law_data[sec.law_start[section]]) if kind == LINEAR else math.inf
    radius = float(sec.contact_radius[section])
    width = max(2.0 * math.sqrt(float(sec.area[section]) / math.pi), 2.0 * radius) or BED_WIDTH
    row = [
        length,
        length / stiffness,
        float(sec.compression[section]),
        0.0,
        float(sec.area[section]),
        max(2.0 * math.sqrt(float(sec.area[section]) / math.pi), 2.0 * radius),
        float(sec.drag_normal[section]),
        float(sec.drag_tangential[section]),
        float(sec.added_normal[section]),
        float(sec.added_tangential[section]),
        radius,
        width,
        float(sec.drag_law[section]),
    ]
    return row, float(sec.mass[section]) * length


def _of_length(name: str, position: Array, s: Array, ends: Array, kind: tuple[bool, bool]) -> Array:
    """The given shape, or an arc that hangs between the ends if that shape is a straight line too short.

    kind : whether the line stretches, whether it floats and so the arc goes up
    """
    length, (stretches, floats_up) = float(s[-1]), kind
    chord = float(np.linalg.norm(ends[1] - ends[0]))
    if chord > length * (1.0 + TOO_SHORT) and np.allclose(position[-1], ends[1]) and not stretches:
        raise InputError(
            f"line '{name}': length {length:.6g} m is shorter than the {chord:.6g} m between its ends; lengthen it"
        )
    given = float(np.sum(np.linalg.norm(np.diff(position, axis=0), axis=1)))
    curved = given > chord * (1.0 + SAG) and given > length * (1.0 - SHORTER)
    if curved or given > length * (1.0 - SAG) or chord > length * (1.0 - SAG):
        return position
    return _arc(ends[0], ends[1], s, 1.0 if floats_up else -1.0)


def _arc(a: Array, b: Array, s: Array, up: float) -> Array:
    """Points on a circular arc of the line's length from a to b.  up : -1 where it hangs down, 1 where it rises"""
    length, chord = float(s[-1]), float(np.linalg.norm(b - a))
    low, high = 0.0, LARGEST_SAG_TURN
    while high - low > 1e-12 * math.pi:  # chord / length = sin(x) / x falls with the half opening x
        x = 0.5 * (low + high)
        low, high = (x, high) if math.sin(x) / x > chord / length else (low, x)
    radius = 0.5 * length / low
    along = (b - a) / chord if chord > 0.0 else np.array([1.0, 0.0, 0.0])
    down = up * (np.array([0.0, 0.0, 1.0]) - along[2] * along)
    if np.linalg.norm(down) < SAG:
        down = np.array([1.0, 0.0, 0.0])
    down = down / np.linalg.norm(down)
    angle = (2.0 * s / length - 1.0) * low
    out: Array = (
        a
        + np.outer(0.5 * chord + radius * np.sin(angle), along)
        + np.outer(radius * (np.cos(angle) - math.cos(low)), down)
    )
    out[0], out[-1] = a, b
    return out


def _check_masses(draft: Draft, model: Model) -> None:
    for k, row in enumerate(draft.node):
        point = draft.point[k]
        held = draft.fixed[k] or (point >= 0 and bool(np.all(model.points.joint[point] == HELD)))
        if not held and not row[0] > 0.0:
            raise InputError(f"{draft.owner[k]}: a node has no mass; give its section a mass, or the point one")


def _add_nets(draft: Draft, model: Model, state: State, lumping: Lumping, bodies: BodyNodes) -> Ints:
    """Knots and bars of all nets; the node of each knot."""
    nets = model.nets
    weight = model.sea.water_density * model.sea.gravity
    nodes = np.zeros(nets.held.size, dtype=np.int64)
    given = state.net_position.shape == nets.knot.shape
    position, speed = (state.net_position, state.net_velocity) if given else (nets.knot, np.zeros_like(nets.knot))
    for i, name in enumerate(nets.names):
        for k in range(int(nets.knot_start[i]), int(nets.knot_start[i + 1])):
            if nets.sewn[k] != k:
                nodes[k] = nodes[nets.sewn[k]]
            elif nets.point[k] >= 0:
                nodes[k] = draft.point_node(int(nets.point[k]))
            elif nets.body[k] >= 0:
                nodes[k] = bodies.fasten(int(nets.body[k]), nets.place[k])
            else:
                fixed = bool(nets.held[k])
                place, velocity = (nets.knot[k], np.zeros(3)) if fixed else (position[k], speed[k])
                nodes[k] = draft.add_node(place, velocity, f"net '{name}'", fixed=fixed)
            row = draft.node[nodes[k]]
            row[0] += float(nets.sinker_mass[k])
            row[1] += float(nets.sinker_volume[k]) + (float(nets.float_force[k]) / weight if weight > 0.0 else 0.0)
        for m in range(int(nets.bar_start[i]), int(nets.bar_start[i + 1])):
            row, mass = _bar_row(model, int(nets.section[m]), float(nets.length[m]))
            a, b = nodes[nets.bar[m]]
            twines = float(nets.twines[m])
            if twines == 0.0:
                draft.add_rod(int(a), int(b), float(nets.length[m]))
                continue
            draft.add_bar(int(a), int(b), _twines(row, twines, nets.kind[i] != MORISON), twines * mass, lumping)
    return ints(nodes)


def _twines(row: list[float], count: float, screen: bool) -> list[float]:
    """BAR columns of `count` twines side by side; those of a screen have no drag of their own."""
    out = dict(zip(BAR, row, strict=True))
    out["compliance"] /= count
    for name in ("area", "contact_width"):
        out[name] *= count
    for name in ("drag_normal", "drag_tangential"):
        out[name] *= 0.0 if screen else count
    return list(out.values())


def _finish(draft: Draft, model: Model, nets: Nets, knots: Ints, bodies: BodyNodes) -> Bars:
    n = len(draft.position)
    point = np.array(draft.point, dtype=np.int64)
    known = point >= 0
    loose = np.ones((n, 3))
    axes = np.tile(np.eye(3), (n, 1, 1))
    home = np.array(draft.position).reshape(-1, 3).copy()
    motion = np.array(draft.motion, dtype=np.int64)
    loose[np.array(draft.fixed, dtype=bool)] = 0.0
    if np.any(known):
        p = point[known]
        loose[known] = model.points.joint[p] != HELD
        axes[known] = model.points.frame[p]
        home[known] = model.points.position[p] + laid_points(model, initial_state(model))[p]
        motion[known] = model.points.motion[p]
    table = np.array(draft.bar).reshape(-1, len(BAR))
    node = np.array(draft.node).reshape(-1, len(NODE))
    stands = [row for row in draft.footing if row[1] > 0.0]
    footing = records(len(stands), FOOTING)
    footing[:] = stands
    return Bars(
        **{name: floats(node[:, j]) for j, name in enumerate(NODE)},
        force=floats(draft.force, (-1, 3)),
        held=flags(np.all(loose == 0.0, axis=1)),
        axes=floats(axes),
        loose=floats(loose),
        spring=_springs(model, point),
        home=floats(home),
        motion=ints(motion),
        arm=floats(draft.arm, (-1, 3)),
        footing=footing,
        node=ints(draft.ends, (-1, 2)),
        **{name: floats(table[:, BAR.index(name)]) for name in OWN},
        push=flags(table[:, BAR.index("push")] > 0.0),
        rod=flags(table[:, BAR.index("rod")] > 0.0),
        member=_members(table, model.sea.water_density),
        screen=screen_records(nets, knots),
        hinge=bodies.links.hinge,
        hinge_law=bodies.links.hinge_law,
        tie=bodies.links.tie,
        tie_stiffness=bodies.links.tie_stiffness,
    )


def _springs(model: Model, point: Ints) -> Records:
    """Springs of the nodes that stand for points.  point : (n,) of each node, -1 for none"""
    known = np.flatnonzero(point >= 0)
    at, component = np.nonzero(model.points.joint[point[known]] == SPRING)
    spring = records(at.size, SPRUNG)
    spring.node = known[at]
    for name in AXIS.names or ():
        spring[name] = model.points.axis[name][point[known[at]], component]
    return spring


def _members(table: Array, rho: float) -> Records:
    """What the water acts on of each bar.  table : (m, len(BAR))    rho : of the water, kg/m3"""
    rows = records(table.shape[0], MEMBER)
    fill_members(rows, Sizes(*(table[:, BAR.index(name)] for name in Sizes._fields)), rho)
    return rows
