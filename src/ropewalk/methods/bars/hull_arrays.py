"""Arrays of the bodies with loads of their own in the solvers of bars: hulls.py has what is done with them."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ropewalk.assembly.bodies import build_body_mesh
from ropewalk.loads.strips import strips_of
from ropewalk.model.arrays import Array, Ints, Records, ints, offsets
from ropewalk.model.given import ON_BODY, TURN_BODY
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.numerics.compile import kernel
from ropewalk.physics.rigidbody import arm_matrix
from ropewalk.physics.waves import COLUMNS

SIZES = 4  # numbers at the head of `Packed.whole`: bodies, bodies with loads, points, rows of profiles
EDGES = tuple(combinations(range(4), 2))


class HullMemory(NamedTuple):
    """What changes with the bodies, by the names of `BodyMemory` in assembly/bodies.py."""

    attitude: Array  # (n, 4)
    around: Records  # (u,)
    water: Records  # (q,)
    block: Array  # (6, 7)
    cut: Records  # (1,)
    sums: Records  # (1,)


class HullBodies(NamedTuple):
    """All bodies of the model, by the names of `BodyMesh`, without mass: that is in the nodes."""

    body: Records  # (n,)
    hull: Records  # (u,)
    profile: Array  # (m, 2)
    strip: Records  # (q,)
    foil: Records  # (c,)
    foot: Records  # (f,)
    bed: Records  # (1,)
    memory: HullMemory


class Hulls(NamedTuple):
    """Free bodies that carry more than their weight, and the memory of their loads."""

    s: Array  # (0,) of the lines that the mixed elements have beside their bodies
    motion: Ints  # (n,) as many as there are bodies: their rows come first
    bodies: HullBodies
    density: float  # of the water, kg/m3
    gravity: float  # m/s2
    body: Ints  # (h,) which these are
    corner: Ints  # (h, 4) nodes of their tetrahedra
    edge: Ints  # (h, 6) bars between them, from the earlier to the later corner
    inverse: Array  # (h, 4, 4) of the rows (1, x) of the corners, m
    share: Array  # (h, 4, 3, 6) S in the frame of the body
    point_start: Ints  # (h + 1,) into the points with added mass
    point: Ints  # (p,) their nodes
    place: Array  # (p, 3) in the frame of the body, m
    row: Ints  # (p,) of the strip that the point is, -1 for a part of a matrix
    tensor: Array  # (p, 3, 3) in the frame of the body, kg, of such a part
    # filled by `place_hulls` and `hull_loads`
    X: Array  # (3, 2 n, 3) way, velocity and acceleration of origins and turns
    flow: Array  # (2 n, COLUMNS) water at the origins of bodies with a volume
    turn: Array  # (h, 3, 3) rotation, body to world
    wrench: Array  # (h, 6) force and moment about the origin, N, N m
    stiffness: Array  # (h, 6, 6) minus its derivative by position and turn
    damping: Array  # (h, 6, 6) minus that by the rates
    spread: Array  # (4, 3, 6) S in the world, of the current body


class Packed(NamedTuple):
    """All arrays of `Hulls` in a few: kernels that only hand them on are then not slowed down by forty of them."""

    body: Ints  # (h,)
    whole: Ints  # sizes (`SIZES` of them), then all that is whole numbers
    store: Array  # the rest but records
    table: Records  # these follow: `HullBodies.body`, and those of the same name
    hull: Records
    strip: Records
    foil: Records
    foot: Records
    bed: Records
    around: Records
    water: Records
    cut: Records
    sums: Records


class HullPoints(NamedTuple):
    """Input of `build_hulls` for one body: its nodes and their positions."""

    body: int
    nodes: list[int]  # corners first
    places: Array  # (len(nodes), 3) m
    strips: dict[int, int]  # of positions in `nodes`: the strip, of all hulls, whose point it is
    tensors: dict[int, Array]  # of positions in `nodes`: parts of an added mass matrix, kg


def loaded(model: Model, k: int) -> bool:
    """Whether body k is free and carries more than its weight and its lines."""
    bodies = model.bodies
    if bodies.joint[k] != LOOSE:
        return False
    given = (bodies.load_force[k], bodies.load_moment[k], bodies.stiffness[k], bodies.damping[k], bodies.added_mass[k])
    pushed = np.isin(model.given.push.kind, (ON_BODY, TURN_BODY)) & (model.given.push.part == k)
    return bool(
        np.any(pushed)
        or bodies.hull_start[k + 1] > bodies.hull_start[k]
        or bodies.volume[k] > 0.0
        or model.sea.has_seabed
        or any(np.any(value != 0.0) for value in given)
    )


def strip_places(model: Model, k: int) -> tuple[Array, list[int]]:
    """(n, 3) points of body k that have the added mass of its hulls, in its frame, m, and their strips among all."""
    hulls, first, places, strips = model.bodies.hulls, 0, [np.zeros((0, 3))], []
    for h in range(hulls.kind.size if model.sea.water_density > 0.0 else 0):
        own = strips_of(hulls, h)
        if hulls.body[h] == k:
            with_mass = np.flatnonzero((own.added_across > 0.0) | (own.added_along > 0.0))
            places.append(hulls.place[h] + np.outer(own.zeta[with_mass], hulls.axis[h]))
            strips += [first + int(i) for i in with_mass]
        first += own.size
    return np.concatenate(places), strips


def build_hulls(model: Model, points: list[HullPoints], node: Ints) -> Packed:
    """Arrays of the bodies with loads.  node : (m, 2) ends of all bars"""
    n, n_lines = len(model.names.bodies), len(model.names.lines)
    mesh = build_body_mesh(model, np.zeros(n_lines, dtype=np.int64), np.zeros((n_lines, 2, 6, 3)))
    table = mesh.body.copy()
    table.mass, table.inertia = 0.0, 0.0
    bar_of = {(int(a), int(b)): k for k, (a, b) in enumerate(node)}
    rows = [_row(own) for own in points]
    h, m, sea = len(points), mesh.memory, model.sea
    found = [point for row in rows for point in row]
    whole = [[own.body for own in points], [own.nodes[:4] for own in points],
             [[bar_of[own.nodes[a], own.nodes[b]] for a, b in EDGES] for own in points],
             offsets([len(row) for row in rows]), [point[0] for point in found],
             [point[2] for point in found]]  # fmt: skip
    rest = [mesh.profile, m.attitude, m.block, [sea.water_density, sea.gravity],
            [np.linalg.inv(np.column_stack([np.ones(4), own.places[:4]])) for own in points],
            [shares(own.places[:4]) for own in points], [point[1] for point in found], [point[3] for point in found],
            np.zeros((3, 2 * n, 3)), np.zeros((2 * n, COLUMNS)), np.tile(np.eye(3), (h, 1, 1)), np.zeros((h, 6)),
            np.zeros((h, 6, 6)), np.zeros((h, 6, 6)), np.zeros((4, 3, 6))]  # fmt: skip
    sizes = [n, h, len(found), mesh.profile.shape[0]]
    return Packed(
        body=ints([own.body for own in points]),
        whole=np.concatenate([np.asarray(part, dtype=np.int64).ravel() for part in [sizes, *whole]]),
        store=np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in rest]),
        table=table,
        hull=mesh.hull,
        strip=mesh.strip,
        foil=mesh.foil,
        foot=mesh.foot,
        bed=mesh.bed,
        around=m.around,
        water=m.water,
        cut=m.cut,
        sums=m.sums,
    )


@kernel
def opened(packed):
    """The arrays of `Hulls` as views of what is packed; changes in them are kept. Bookkeeping."""
    i, f = packed.whole, packed.store
    n, h, p, m = i[0], i[1], i[2], i[3]
    a = SIZES
    body = i[a : a + h]
    corner = i[a + h : a + 5 * h].reshape((h, 4))
    edge = i[a + 5 * h : a + 11 * h].reshape((h, 6))
    a += 11 * h
    point_start = i[a : a + h + 1]
    point = i[a + h + 1 : a + h + 1 + p]
    row = i[a + h + 1 + p : a + h + 1 + 2 * p]
    profile = f[: 2 * m].reshape((m, 2))
    b = 2 * m
    attitude = f[b : b + 4 * n].reshape((n, 4))
    b += 4 * n
    block = f[b : b + 42].reshape((6, 7))
    b += 42
    density, gravity = f[b], f[b + 1]
    b += 2
    inverse = f[b : b + 16 * h].reshape((h, 4, 4))
    share = f[b + 16 * h : b + 88 * h].reshape((h, 4, 3, 6))
    b += 88 * h
    place = f[b : b + 3 * p].reshape((p, 3))
    tensor = f[b + 3 * p : b + 12 * p].reshape((p, 3, 3))
    b += 12 * p
    X = f[b : b + 18 * n].reshape((3, 2 * n, 3))
    b += 18 * n
    flow = f[b : b + 2 * n * COLUMNS].reshape((2 * n, COLUMNS))
    b += 2 * n * COLUMNS
    turn = f[b : b + 9 * h].reshape((h, 3, 3))
    wrench = f[b + 9 * h : b + 15 * h].reshape((h, 6))
    stiffness = f[b + 15 * h : b + 51 * h].reshape((h, 6, 6))
    damping = f[b + 51 * h : b + 87 * h].reshape((h, 6, 6))
    b += 87 * h
    spread = f[b : b + 72].reshape((4, 3, 6))
    memory = HullMemory(attitude, packed.around, packed.water, block, packed.cut, packed.sums)
    bodies = HullBodies(packed.table, packed.hull, profile, packed.strip, packed.foil, packed.foot, packed.bed, memory)
    return Hulls(
        f[:0], i[:n], bodies, density, gravity, body, corner, edge, inverse, share, point_start, point, place, row,
        tensor, X, flow, turn, wrench, stiffness, damping, spread,
    )  # fmt: skip


def without(packed: Packed) -> Packed:
    """The same arrays with no bodies in them."""
    return packed._replace(body=ints([]))


def _row(own: HullPoints) -> list[tuple[int, Array, int, Array]]:
    """Node, place, strip and tensor of every point with added mass of one body."""
    zero = np.zeros((3, 3))
    found = [(own.nodes[p], own.places[p], strip, zero) for p, strip in own.strips.items()]
    return found + [(own.nodes[p], own.places[p], -1, tensor) for p, tensor in own.tensors.items()]


def shares(corners: Array) -> Array:
    """(4, 3, 6) S of the module's heading for four points (4, 3), m."""
    J = np.concatenate([arm_matrix(x) for x in corners])
    S: Array = (J @ np.linalg.inv(J.T @ J)).reshape(4, 3, 6)
    return S
