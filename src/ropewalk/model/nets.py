"""Arrays of nets: knots, the bars between them, and the screens they span.

One bar stands for several twines where the cells are larger than the meshes: as many twines as meshes fit across
the cell. The length of twine, so its mass, volume and drag, is then that of the real net; stiffness too, because
the bars carry what their twines carry. Only waves shorter than a cell are lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Flags, Ints, flags, floats, ints, offsets
from ropewalk.model.net_layout import Layout, free_edges, lay_out
from ropewalk.physics.screens import AARSNES, KRISTIANSEN_FALTINSEN, LOLAND, screen_coefficients, wake_factor
from ropewalk.spec import nets as spec
from ropewalk.spec.environment import Environment
from ropewalk.spec.sections import Section

MORISON = -1  # kind of a net whose twines carry their own drag
KINDS = {"morison": MORISON, "loland": LOLAND, "aarsnes": AARSNES, "kristiansen_faltinsen": KRISTIANSEN_FALTINSEN}
HUB_MASS = 0.1  # part of the hoop's mass in each of its two hubs


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
    twines: Array  # (m,) that the bar stands for; 0 for the spokes of a hoop, which are stiff and weigh nothing
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


def build_nets(nets: Mapping[str, spec.Net], sections: Mapping[str, Section], points: Sequence[str],
               environment: Environment, places: Array | None = None) -> Nets:  # fmt: skip
    """Lay out all nets.  points : names of the points of the case    places : (n, 3) where they are, m"""
    layouts = [lay_out(net) for net in nets.values()]
    first_knot = offsets([len(lay.knots) for lay in layouts])
    where = np.zeros((len(points), 3)) if places is None else places
    rows = [_rows(name, net, lay, points, where) for (name, net), lay in zip(nets.items(), layouts, strict=True)]
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
    rims = [free_edges(lay) for lay in layouts]
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


def _rows(name: str, net: spec.Net, lay: Layout, points: Sequence[str], places: Array) -> Array:
    """Held, point, sinker mass, sinker volume, float force of each knot."""
    rows = np.zeros((len(lay.knots), 5))
    rows[:, 1] = -1.0
    held = {"none": [], "corners": list(lay.corners.values()), "upper": lay.upper, "edges": sorted(lay.edge)}[net.held]
    rows[held, 0] = 1.0
    for corner, point in net.fastened.items():
        if point not in points:
            raise InputError(f"net '{name}': {corner} is fastened to '{point}', but there is no such point")
        rows[lay.corners[corner], :2] = 0.0, list(points).index(point)
    for point in net.rim:
        if point not in points:
            raise InputError(f"net '{name}': its rim names '{point}', but there is no such point")
        k = _nearest(name, lay, point, places[list(points).index(point)])
        if rows[k, 1] >= 0.0:
            raise InputError(f"net '{name}': '{point}' and '{points[int(rows[k, 1])]}' are at one knot of its rim")
        rows[k, :2] = 0.0, list(points).index(point)
    rows[lay.upper, 2] += (1.0 - 2.0 * HUB_MASS) * net.hoop_mass / len(lay.upper)
    rows[lay.hubs, 2] += HUB_MASS * net.hoop_mass
    for knots, weight, column in ((lay.lower, net.lower_sinker, 2), (lay.upper, net.upper_float, 4)):
        rows[knots, column] += weight * _shares(lay, knots)
    rows[:, 3] = rows[:, 2] / net.sinker_density
    return rows


def _nearest(name: str, lay: Layout, point: str, place: Array) -> int:
    """The knot of the upper rim at a point of the case."""
    way = np.linalg.norm(np.array([lay.knots[k] for k in lay.upper]) - place, axis=1)
    found = lay.upper[int(np.argmin(way))]
    apart = float(np.linalg.norm(lay.knots[lay.upper[0]] - lay.knots[lay.upper[1]]))
    if float(way.min()) > 0.5 * apart:
        raise InputError(
            f"net '{name}': point '{point}' of its rim lies {way.min():.3g} m from the nearest knot, and knots are "
            f"{apart:.3g} m apart; put it on the rim"
        )
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
