"""Arrays of nets: knots, the bars between them, and the screens they span.

One bar stands for several twines where the cells are larger than the meshes: as many twines as meshes fit across
the cell. The length of twine, so its mass, volume and drag, is then that of the real net; stiffness too, because
the bars carry what their twines carry. Only waves shorter than a cell are lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Flags, Ints, flags, floats, ints, offsets
from ropewalk.physics.screens import AARSNES, KRISTIANSEN_FALTINSEN, LOLAND, screen_coefficients, wake_factor
from ropewalk.spec import nets as spec
from ropewalk.spec.environment import Environment
from ropewalk.spec.sections import Section

MORISON = -1  # kind of a net whose twines carry their own drag
KINDS = {"morison": MORISON, "loland": LOLAND, "aarsnes": AARSNES, "kristiansen_faltinsen": KRISTIANSEN_FALTINSEN}
MOST_CELLS = 200  # along an edge, unless the file gives cells


class Nets(NamedTuple):
    """Nets; knots, bars and screens of all nets lie end to end and count through."""

    names: tuple[str, ...]
    knot_start: Ints  # (n + 1,)
    knot: Array  # (k, 3) m
    row: Ints  # (k,) of the knot, 0 at the upper edge; rings of a bottom count on
    column: Ints  # (k,) of the knot in its row
    held: Flags  # (k,)
    point: Ints  # (k,) point of the case that the knot is, or -1
    sinker_mass: Array  # (k,) kg
    sinker_volume: Array  # (k,) m3
    float_force: Array  # (k,) buoyancy under water, N
    bar_start: Ints  # (n + 1,)
    bar: Ints  # (m, 2)
    length: Array  # (m,) m
    twines: Array  # (m,) that the bar stands for
    section: Ints  # (m,)
    kind: Ints  # (n,) MORISON or a screen
    screen_start: Ints  # (n + 1,)
    screen: Ints  # (q, 4) corners in order, the last -1 for triangles
    solidity: Array  # (q,)
    twine: Array  # (q,) diameter, m
    wake: Array  # (q,)
    mouth: Ints  # knots of the upper edge, in order
    mouth_start: Ints  # (n + 1,)
    rim_start: Ints  # (n + 1,)
    rim: Ints  # (e, 2) free edges of the screens of a cylinder, in the sense of their screen; none of panels
    rim_loop: Ints  # (e,) which of the closed loops of its net the edge is of


@dataclass
class Layout:
    """Knots and bars of one net while it is laid out."""

    knots: list[Array] = field(default_factory=list)
    place: list[tuple[int, int]] = field(default_factory=list)  # row, column of each knot
    bars: list[tuple[int, int, float, float]] = field(default_factory=list)  # a, b, length, twines
    screens: list[tuple[int, int, int, int]] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    corners: dict[str, int] = field(default_factory=dict)
    edge: set[int] = field(default_factory=set)
    ring: bool = False  # the edges close on themselves

    def add_row(self, row: int, knots: Sequence[Array]) -> list[int]:
        """Knots from left to right; their numbers."""
        first = len(self.knots)
        self.knots.extend(knots)
        self.place.extend((row, column) for column in range(len(knots)))
        return list(range(first, len(self.knots)))


def build_nets(nets: Mapping[str, spec.Net], sections: Mapping[str, Section], points: Sequence[str],
               environment: Environment) -> Nets:  # fmt: skip
    """Lay out all nets.  points : names of the points of the case"""
    layouts = [_lay_out(net) for net in nets.values()]
    first_knot = offsets([len(lay.knots) for lay in layouts])
    rows = [_rows(name, net, lay, points) for (name, net), lay in zip(nets.items(), layouts, strict=True)]
    twine_of = [list(sections).index(net.section) for net in nets.values()]
    screens = [[[int(k + first_knot[i]) if k >= 0 else -1 for k in s] for s in lay.screens]
               for i, lay in enumerate(layouts)]  # fmt: skip
    wakes = [
        _wakes(net, lay, sections[net.section], environment) for net, lay in zip(nets.values(), layouts, strict=True)
    ]
    solid = [
        [_solidity(net, sections[net.section])] * len(lay.screens)
        for net, lay in zip(nets.values(), layouts, strict=True)
    ]
    diameters = [
        [sections[net.section].diameter] * len(lay.screens) for net, lay in zip(nets.values(), layouts, strict=True)
    ]
    rims = [_rim(lay) for lay in layouts]
    return Nets(
        names=tuple(nets),
        knot_start=first_knot,
        knot=floats([k for lay in layouts for k in lay.knots], (-1, 3)),
        row=ints([row for lay in layouts for row, _ in lay.place]),
        column=ints([column for lay in layouts for _, column in lay.place]),
        held=flags([bool(x) for r in rows for x in r[:, 0]]),
        point=ints([int(x) for r in rows for x in r[:, 1]]),
        sinker_mass=floats([x for r in rows for x in r[:, 2]]),
        sinker_volume=floats([x for r in rows for x in r[:, 3]]),
        float_force=floats([x for r in rows for x in r[:, 4]]),
        bar_start=offsets([len(lay.bars) for lay in layouts]),
        bar=ints([[a + first_knot[i], b + first_knot[i]] for i, lay in enumerate(layouts) for a, b, _, _ in lay.bars],
                 (-1, 2)),
        length=floats([length for lay in layouts for _, _, length, _ in lay.bars]),
        twines=floats([twines for lay in layouts for _, _, _, twines in lay.bars]),
        section=ints([index for index, lay in zip(twine_of, layouts, strict=True) for _ in lay.bars]),
        kind=ints([KINDS[net.force_model] for net in nets.values()]),
        screen_start=offsets([len(s) for s in screens]),
        screen=ints([s for rows in screens for s in rows], (-1, 4)),
        solidity=floats([x for s in solid for x in s]),
        twine=floats([x for s in diameters for x in s]),
        wake=floats([x for w in wakes for x in w]),
        mouth=ints([k + first_knot[i] for i, lay in enumerate(layouts) for k in lay.upper]),
        mouth_start=offsets([len(lay.upper) for lay in layouts]),
        rim_start=offsets([len(rim) for rim in rims]),
        rim=ints([[a + first_knot[i], b + first_knot[i]] for i, rim in enumerate(rims) for a, b, _ in rim], (-1, 2)),
        rim_loop=ints([loop for rim in rims for _, _, loop in rim]),
    )  # fmt: skip


def _lay_out(net: spec.Net) -> Layout:
    if isinstance(net.panel, spec.RectanglePanel):
        return _rhombic(net, False) if net.mesh == "rhombic" else _square_panel(net, net.panel)
    return _rhombic(net, True) if net.mesh == "rhombic" else _square_cylinder(net, net.panel)


def _frame(net: spec.Net) -> tuple[float, float]:
    """Width along the upper edge and height, m."""
    if isinstance(net.panel, spec.RectanglePanel):
        a, b, _, d = net.panel.corners
        return math.dist(a, b), math.dist(a, d)
    return 2.0 * math.pi * net.panel.radius, net.panel.height


def _cells(net: spec.Net, across: float, down: float) -> tuple[int, int]:
    """Cells asked for, or one for each mesh of the given size as far as that is not too many."""
    if net.cells is not None:
        return net.cells
    width, height = _frame(net)
    return min(MOST_CELLS, max(1, round(width / across))), min(MOST_CELLS, max(1, round(height / down)))


def _square_panel(net: spec.Net, panel: spec.RectanglePanel) -> Layout:
    lay = Layout()
    width, height = _frame(net)
    nx, nz = _cells(net, net.bar_length, net.bar_length)
    a, b, _, d = (np.array(c) for c in panel.corners)
    for j in range(nz + 1):
        row = lay.add_row(j, [a + (b - a) * i / nx + (d - a) * j / nz for i in range(nx + 1)])
        lay.edge.update(row if j in (0, nz) else (row[0], row[-1]))
    dx, dz = width / nx, height / nz
    _square_bars(lay, nx, nz, False, dx, dz, net.bar_length)
    _name_corners(lay, nx + 1, nz)
    return lay


def _square_bars(lay: Layout, nx: int, nz: int, ring: bool, dx: float, dz: float, mesh: float) -> None:
    """Bars and screens of a grid of knots, row by row; bars on an open edge stand for half as many twines."""
    per_row = nx if ring else nx + 1
    at = lambda i, j: j * per_row + (i % nx if ring else i)  # noqa: E731
    for j in range(nz + 1):
        for i in range(nx):
            lay.bars.append((at(i, j), at(i + 1, j), dx, dz / mesh * (0.5 if j in (0, nz) else 1.0)))
    for j in range(nz):
        for i in range(per_row):
            half = not ring and i in (0, nx)
            lay.bars.append((at(i, j), at(i, j + 1), dz, dx / mesh * (0.5 if half else 1.0)))
        lay.screens.extend((at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(nx))
    lay.upper, lay.lower, lay.ring = list(range(per_row)), [nz * per_row + i for i in range(per_row)], ring


def _square_cylinder(net: spec.Net, panel: spec.CylinderPanel) -> Layout:
    lay = Layout()
    nx, nz = _cells(net, net.bar_length, net.bar_length)
    nx = max(nx, 3)
    angle = 2.0 * math.pi * np.arange(nx) / nx
    for j in range(nz + 1):
        ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(nx)], axis=1) * panel.radius
        lay.add_row(j, list(np.array(panel.centre) + ring - [0.0, 0.0, panel.height * j / nz]))
    chord = 2.0 * panel.radius * math.sin(math.pi / nx)
    _square_bars(lay, nx, nz, True, chord, panel.height / nz, net.bar_length)
    lay.edge = set(lay.upper) | set(lay.lower)
    if panel.bottom:
        _bottom(lay, net, panel, nx, nz)
    return lay


def _bottom(lay: Layout, net: spec.Net, panel: spec.CylinderPanel, nx: int, nz: int) -> None:
    """A disc of rings and spokes below the lowest ring of knots; twines by the area that each bar stands for."""
    rings = max(1, round(panel.radius / (2.0 * math.pi * panel.radius / nx)))
    outer, base = list(lay.lower), np.array(panel.centre) - [0.0, 0.0, panel.height]
    angle = 2.0 * math.pi * np.arange(nx) / nx
    step = panel.radius / rings
    for q in range(1, rings):
        radius = panel.radius - q * step
        ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(nx)], axis=1) * radius
        inner = lay.add_row(nz + q, list(base + ring))
        middle = radius + 0.5 * step
        for i in range(nx):
            lay.bars.append((outer[i], inner[i], step, 2.0 * math.pi * middle / nx / net.bar_length))
            chord = 2.0 * radius * math.sin(math.pi / nx)
            lay.bars.append((inner[i], inner[(i + 1) % nx], chord, step / net.bar_length))
            lay.screens.append((outer[i], outer[(i + 1) % nx], inner[(i + 1) % nx], inner[i]))
        outer = inner
    (centre,) = lay.add_row(nz + rings, [base])
    for i in range(nx):
        lay.bars.append((outer[i], centre, step, math.pi * step / nx / net.bar_length))
        lay.screens.append((outer[i], outer[(i + 1) % nx], centre, -1))


def _rhombic(net: spec.Net, ring: bool) -> Layout:
    """Rows of knots shifted by half a mesh: a mesh is 2 c E wide and 2 c sqrt(1 - E^2) high, c the bar, E the ratio."""
    lay = Layout(ring=ring)
    ratio = net.hanging_ratio
    width, height = _frame(net)
    tall = math.sqrt(1.0 - ratio * ratio)
    nx, nz = _cells(net, 2.0 * net.bar_length * ratio, 2.0 * net.bar_length * tall)
    nx = max(nx, 3) if ring else nx
    across = width / nx
    bar = 0.5 * across / ratio
    down = bar * tall  # from row to row; the height follows from the meshes
    rows: list[list[int]] = []
    for j in range(2 * nz + 1):
        shift = 0.5 * (j % 2)
        count = nx if ring or j % 2 else nx + 1
        rows.append(lay.add_row(j, [_on_panel(net, (i + shift) / nx, j * down, height) for i in range(count)]))
    if ring:  # the straight bar between two knots of the cylinder
        bar = float(np.linalg.norm(lay.knots[rows[0][0]] - lay.knots[rows[1][0]]))
    twines = bar / net.bar_length
    for j in range(2 * nz):
        for i, k in enumerate(rows[j]):
            for other in _below(i, j, nx, ring):
                if 0 <= other < len(rows[j + 1]):
                    lay.bars.append((k, rows[j + 1][other], bar, twines))
    for j in range(2 * nz - 1):
        lay.screens.extend(_rhombs(rows, j, nx, ring))
    lay.upper, lay.lower = rows[0], rows[-1]
    lay.edge = {k for row in rows[::2] for k in (row[0], row[-1])} | set(rows[0]) | set(rows[-1])
    if not ring:
        lay.corners = {"upper_left": rows[0][0], "upper_right": rows[0][-1], "lower_right": rows[-1][-1],
                       "lower_left": rows[-1][0]}  # fmt: skip
    return lay


def _below(i: int, j: int, nx: int, ring: bool) -> tuple[int, int]:
    """Places in the next row of the two knots below knot i of row j."""
    if j % 2:
        return (i, (i + 1) % nx if ring else i + 1)
    return ((i - 1) % nx if ring else i - 1, i)


def _rhombs(rows: list[list[int]], j: int, nx: int, ring: bool) -> list[tuple[int, int, int, int]]:
    """Meshes whose upper knot is in row j."""
    found = []
    for i, top in enumerate(rows[j]):
        left, right = _below(i, j, nx, ring)
        if 0 <= left < len(rows[j + 1]) and 0 <= right < len(rows[j + 1]):
            found.append((top, rows[j + 1][right], rows[j + 2][i], rows[j + 1][left]))
    return found


def _on_panel(net: spec.Net, part: float, depth: float, height: float) -> Array:
    """A place on the panel: `part` of the way along the upper edge, `depth` m below it."""
    if isinstance(net.panel, spec.RectanglePanel):
        a, b, _, d = (np.array(c) for c in net.panel.corners)
        return a + (b - a) * part + (d - a) * depth / height
    angle = 2.0 * math.pi * part
    offset = np.array([math.cos(angle) * net.panel.radius, math.sin(angle) * net.panel.radius, -depth])
    place: Array = np.array(net.panel.centre) + offset
    return place


def _name_corners(lay: Layout, per_row: int, nz: int) -> None:
    last = nz * per_row
    lay.corners = {"upper_left": 0, "upper_right": per_row - 1, "lower_left": last, "lower_right": last + per_row - 1}


def _rows(name: str, net: spec.Net, lay: Layout, points: Sequence[str]) -> Array:
    """Held, point, sinker mass, sinker volume, float force of each knot."""
    rows = np.zeros((len(lay.knots), 5))
    rows[:, 1] = -1.0
    held = {"none": [], "corners": list(lay.corners.values()), "upper": lay.upper, "edges": sorted(lay.edge)}[net.held]
    rows[held, 0] = 1.0
    for corner, point in net.fastened.items():
        if point not in points:
            raise InputError(f"net '{name}': {corner} is fastened to '{point}', but there is no such point")
        rows[lay.corners[corner], :2] = 0.0, list(points).index(point)
    for knots, weight, column in ((lay.lower, net.lower_sinker, 2), (lay.upper, net.upper_float, 4)):
        rows[knots, column] += weight * _shares(lay, knots)
    rows[:, 3] = rows[:, 2] / net.sinker_density
    return rows


def _rim(lay: Layout) -> list[tuple[int, int, int]]:
    """Free edges of the screens of a cylinder, a to b in the sense of the screen, and the loop that each is of."""
    if not lay.ring:
        return []
    edges: set[tuple[int, int]] = set()
    for screen in lay.screens:
        corners = [k for k in screen if k >= 0]
        edges.update(zip(corners, [*corners[1:], corners[0]], strict=True))
    after = {a: b for a, b in edges if (b, a) not in edges}
    found, loop = [], 0
    while after:
        a = min(after)
        while a in after:
            b = after.pop(a)
            found.append((a, b, loop))
            a = b
        loop += 1
    return found


def _shares(lay: Layout, knots: list[int]) -> Array:
    """Length of edge beside each knot, m."""
    place = np.array([lay.knots[k] for k in knots])
    ahead = np.linalg.norm(np.roll(place, -1, axis=0) - place, axis=1)
    if not lay.ring:
        ahead[-1] = 0.0
    shares: Array = 0.5 * (ahead + np.roll(ahead, 1))
    return shares


def _solidity(net: spec.Net, section: Section) -> float:
    ratio = section.diameter / net.bar_length
    plain = 2.0 * ratio - ratio * ratio
    if net.mesh == "rhombic":  # the same twine on the mounted area
        plain /= 2.0 * net.hanging_ratio * math.sqrt(1.0 - net.hanging_ratio**2)
    return net.solidity if net.solidity is not None else plain


def _wakes(net: spec.Net, lay: Layout, section: Section, environment: Environment) -> list[float]:
    if net.wake != "auto" or not isinstance(net.panel, spec.CylinderPanel) or net.force_model == "morison":
        return [float(net.wake) if net.wake != "auto" else 1.0] * len(lay.screens)
    current = environment.current
    if current is None or current.speed == 0.0:
        return [1.0] * len(lay.screens)
    solidity = _solidity(net, section)
    re = section.diameter * current.speed / (1.05e-6 * (1.0 - solidity))
    drag, _ = screen_coefficients(KINDS[net.force_model], 0.0, solidity, re)
    factor, heading = float(wake_factor(drag)), math.radians(current.heading)
    flow = np.array([math.cos(heading), math.sin(heading), 0.0])
    centre = np.array(net.panel.centre)
    middle = [np.mean([lay.knots[k] for k in s if k >= 0], axis=0) - centre for s in lay.screens]
    return [factor if m @ flow > 0.0 else 1.0 for m in middle]
