"""Layout of the knots, bars and screens of a net without loads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ropewalk.model.arrays import Array
from ropewalk.spec import nets as spec

HUB = 0.3  # of the radius: distance of the hubs of a hoop from its plane
MOST_CELLS = 100  # along an edge, unless the file gives cells: an equilibrium of 10,000 knots takes some 10 s


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
    sides: dict[str, list[int]] = field(default_factory=dict)  # left and right edge, from above
    hubs: list[int] = field(default_factory=list)  # of a hoop
    ring: bool = False  # the edges close on themselves

    def side(self, name: str) -> list[int]:
        """Knots of an edge by name; none if there is no such edge."""
        return self.upper if name == "upper" else self.lower if name == "lower" else self.sides.get(name, [])

    def add_row(self, row: int, knots: Sequence[Array]) -> list[int]:
        """Knots from left to right; their numbers."""
        first = len(self.knots)
        self.knots.extend(knots)
        self.place.extend((row, column) for column in range(len(knots)))
        return list(range(first, len(self.knots)))


def lay_out(net: spec.Net) -> Layout:
    """Knots, bars and screens of a net."""
    if isinstance(net.panel, spec.RectanglePanel):
        return _rhombic(net, False) if net.mesh == "rhombic" else _square_panel(net, net.panel)
    if isinstance(net.panel, spec.TrapezoidPanel):
        return _trapezoid(net, net.panel)
    if isinstance(net.panel, spec.KnotsPanel):
        return _given_knots(net.panel)
    return _rhombic(net, True) if net.mesh == "rhombic" else _square_cylinder(net, net.panel)


def _frame(net: spec.Net) -> tuple[float, float]:
    """Width along the upper edge and height, m."""
    if isinstance(net.panel, spec.RectanglePanel):
        a, b, _, d = net.panel.corners
        return math.dist(a, b), math.dist(a, d)
    if isinstance(net.panel, spec.TrapezoidPanel):
        a, b, c, d = net.panel.corners
        return 0.5 * (math.dist(a, b) + math.dist(d, c)), 0.5 * (math.dist(a, d) + math.dist(b, c))
    assert isinstance(net.panel, spec.CylinderPanel)
    return 2.0 * math.pi * net.panel.radius, net.panel.height


def _cells(net: spec.Net, across: float, down: float) -> tuple[int, int]:
    """Number of cells as given, or one for each mesh of the given size up to a limit."""
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


def _trapezoid(net: spec.Net, panel: spec.TrapezoidPanel) -> Layout:
    """Rows from edge to edge; each bar has the length that it spans and the twines of the strip that it represents."""
    lay = Layout()
    nx, nz = _cells(net, net.bar_length, net.bar_length)
    a, b, c, d = (np.array(corner) for corner in panel.corners)
    for j in range(nz + 1):
        left, right = a + (d - a) * j / nz, b + (c - b) * j / nz
        row = lay.add_row(j, [left + (right - left) * i / nx for i in range(nx + 1)])
        lay.edge.update(row if j in (0, nz) else (row[0], row[-1]))
    _square_bars(lay, nx, nz, False, 1.0, 1.0, 1.0)
    place, mesh = np.array(lay.knots).reshape(nz + 1, nx + 1, 3), net.bar_length
    across, down = np.linalg.norm(np.diff(place, axis=1), axis=2), np.linalg.norm(np.diff(place, axis=0), axis=2)
    tall, wide = 0.5 * (down[:, 1:] + down[:, :-1]), 0.5 * (across[1:] + across[:-1])  # of each cell
    bars = []
    for first, second, _, _ in lay.bars:
        (j, i), (other, _) = lay.place[first], lay.place[second]
        if j == other:
            strip = 0.5 * sum(float(tall[k, i]) for k in (j - 1, j) if 0 <= k < nz)
            bars.append((first, second, float(across[j, i]), strip / mesh))
        else:
            strip = 0.5 * sum(float(wide[j, k]) for k in (i - 1, i) if 0 <= k < nx)
            bars.append((first, second, float(down[j, i]), strip / mesh))
    lay.bars = bars
    _name_corners(lay, nx + 1, nz)
    return lay


def _given_knots(panel: spec.KnotsPanel) -> Layout:
    """Knots and twines as they are given, each a bar of its own."""
    lay = Layout()
    lay.add_row(0, [np.array(knot) for knot in panel.knots])
    for twine in panel.twines:
        a, b = twine[:2]
        length = float(twine[2]) if len(twine) == 3 else float(np.linalg.norm(lay.knots[b] - lay.knots[a]))
        lay.bars.append((a, b, length, 1.0))
    lay.upper, lay.lower = list(panel.upper), list(panel.lower)
    return lay


def _square_bars(lay: Layout, nx: int, nz: int, ring: bool, dx: float, dz: float, mesh: float) -> None:
    """Bars and screens of a grid of knots, row by row; bars on an open edge represent half as many twines."""
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
    if not ring:
        lay.sides = {"left": [at(0, j) for j in range(nz + 1)], "right": [at(nx, j) for j in range(nz + 1)]}


def _square_cylinder(net: spec.Net, panel: spec.CylinderPanel) -> Layout:
    lay = Layout()
    nx, nz = _cells(net, net.bar_length, net.bar_length)
    nx = max(nx, 3)
    angle = 2.0 * math.pi * np.arange(nx) / nx
    right, ahead, along = _cylinder_axes(panel)
    ring = np.outer(np.cos(angle), right) + np.outer(np.sin(angle), ahead)
    last = panel.radius if panel.lower_radius is None else panel.lower_radius
    for j in range(nz + 1):
        radius = panel.radius + (last - panel.radius) * j / nz
        lay.add_row(j, list(np.array(panel.centre) + radius * ring + panel.height * j / nz * along))
    side = math.sin(math.pi / nx)
    slant = math.hypot(panel.height, (last - panel.radius)) / nz
    _square_bars(lay, nx, nz, True, 2.0 * panel.radius * side, slant, net.bar_length)
    if panel.lower_radius is not None:
        lay.bars = [_cone_bar(lay, row, net.bar_length) for row in lay.bars]
    lay.edge = set(lay.upper) | set(lay.lower)
    if panel.bottom:
        _bottom(lay, net, panel, nx, nz)
    if net.hoop_mass > 0.0:
        _hoop(lay, panel, along)
    return lay


def _cylinder_axes(panel: spec.CylinderPanel) -> tuple[Array, Array, Array]:
    """Unit vectors to knot 0, to the knot a quarter round, and along the axis; x, y and down for an upright one."""
    along = np.array(panel.axis) / np.linalg.norm(panel.axis)
    if panel.is_upright:
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), along
    ahead = np.cross(along, [0.0, 0.0, -1.0])
    if np.linalg.norm(ahead) == 0.0:  # straight up
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0]), along
    ahead /= np.linalg.norm(ahead)
    return np.cross(ahead, along), ahead, along


def _cone_bar(lay: Layout, bar: tuple[int, int, float, float], mesh: float) -> tuple[int, int, float, float]:
    """A bar of a cone with its own length; down the cone with as many twines as its own strip has."""
    a, b, _, twines = bar
    length = float(np.linalg.norm(lay.knots[b] - lay.knots[a]))
    if lay.place[a][0] == lay.place[b][0]:
        return a, b, length, twines
    n, column = len(lay.upper), lay.place[a][1]
    after = (column + 1) % n - column
    width = 0.5 * sum(float(np.linalg.norm(lay.knots[k + after] - lay.knots[k])) for k in (a, b))
    return a, b, length, width / mesh


def _hoop(lay: Layout, panel: spec.CylinderPanel, along: Array) -> None:
    """Stiff sides in place of the twines of the rim, two hubs on the axis, and a spoke from each to every knot.

    This is a polyhedron of triangles: rigid, without redundant bars.
    """
    last, rim = lay.place[-1][0], set(lay.upper)
    lay.bars = [(a, b, length, 0.0 if {a, b} <= rim else twines) for a, b, length, twines in lay.bars]
    for sign in (-1.0, 1.0):
        centre = np.array(panel.centre) + sign * HUB * panel.radius * along
        (hub,) = lay.add_row(last + 1, [centre])
        lay.place[hub] = (last + 1, len(lay.hubs))
        lay.hubs.append(hub)
        lay.bars.extend((hub, k, float(np.linalg.norm(lay.knots[k] - centre)), 0.0) for k in lay.upper)


def _bottom(lay: Layout, net: spec.Net, panel: spec.CylinderPanel, nx: int, nz: int) -> None:
    """A disc of rings and spokes below the lowest ring of knots; twines by the area that each bar represents."""
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
    """A place on the panel: at the fraction `part` of the upper edge, `depth` m below it."""
    if isinstance(net.panel, spec.RectanglePanel):
        a, b, _, d = (np.array(c) for c in net.panel.corners)
        return a + (b - a) * part + (d - a) * depth / height
    assert isinstance(net.panel, spec.CylinderPanel)
    angle = 2.0 * math.pi * part
    offset = np.array([math.cos(angle) * net.panel.radius, math.sin(angle) * net.panel.radius, -depth])
    place: Array = np.array(net.panel.centre) + offset
    return place


def _name_corners(lay: Layout, per_row: int, nz: int) -> None:
    last = nz * per_row
    lay.corners = {"upper_left": 0, "upper_right": per_row - 1, "lower_left": last, "lower_right": last + per_row - 1}


def free_edges(lay: Layout) -> list[tuple[int, int, int]]:
    """Free edges of the screens of a cylinder, a to b in the sense of the screen, and the loop that each belongs to."""
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
