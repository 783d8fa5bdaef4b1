"""Arrays of nets: knots, the bars between them, and the screens they span.

One bar represents several twines where the cells are larger than the meshes: as many twines as meshes fit across
the cell. The length of twine, so its mass, volume and drag, is then that of the real net; stiffness too, because
a bar carries the load of its twines. Only waves shorter than a cell are not resolved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Array, Flags, Ints, flags, floats, ints, offsets
from ropewalk.model.environment import build_sea, sea_at
from ropewalk.model.net_layout import Layout, free_edges, lay_out
from ropewalk.model.net_seams import sew
from ropewalk.physics.screens import AARSNES, KRISTIANSEN_FALTINSEN, LOLAND, screen_coefficients, wake_factor
from ropewalk.spec import nets as spec
from ropewalk.spec.collars import Collar
from ropewalk.spec.environment import Environment
from ropewalk.spec.sections import Section

MORISON = -1  # kind of a net whose twines carry their own drag
KINDS = {"morison": MORISON, "loland": LOLAND, "aarsnes": AARSNES, "kristiansen_faltinsen": KRISTIANSEN_FALTINSEN}
HUB_MASS = 0.1  # part of the hoop's mass in each of its two hubs


class Grip(NamedTuple):
    """A point of the case or an attachment of a body, to which a net can be fastened."""

    point: int  # -1 for an attachment
    body: int  # -1 for a point
    place: tuple[float, float, float]  # of an attachment, in the frame of the body, m
    position: Array  # (3,) in the world as the case gives it, m


class Ring(NamedTuple):
    """A collar: segments that the rim of a net can be fastened to."""

    collar: Collar
    first: int  # body that is its first segment


class Nets(NamedTuple):
    """Nets; knots, bars and screens of all nets lie end to end and are numbered consecutively."""

    names: tuple[str, ...]
    knot_start: Ints  # (n + 1,)
    knot: Array  # (k, 3) m
    row: Ints  # (k,) of the knot, 0 at the upper edge; rings of a bottom count on
    column: Ints  # (k,) of the knot in its row
    held: Flags  # (k,)
    sewn: Ints  # (k,) the first knot, of a net before, that the knot is one with; its own number if it is not sewn
    point: Ints  # (k,) point of the case that the knot is, or -1
    body: Ints  # (k,) body that the knot is fastened to, or -1
    place: Array  # (k, 3) where on that body, in its frame, m
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


def build_nets(nets: Mapping[str, spec.Net], sections: Mapping[str, Section], environment: Environment,
               grips: Mapping[str, Grip | Ring]) -> Nets:  # fmt: skip
    """Lay out all nets.  grips : points and attachments that they can be fastened to, by name"""
    layouts = [lay_out(net) for net in nets.values()]
    first_knot = offsets([len(lay.knots) for lay in layouts])
    same = sew(list(nets), list(nets.values()), layouts, first_knot)
    found = [_holds(name, net, lay, grips) for (name, net), lay in zip(nets.items(), layouts, strict=True)]
    rows = [_rows(net, lay, own) for net, lay, own in zip(nets.values(), layouts, found, strict=True)]
    holds = [grip for own in found for grip in own]
    fixed = np.array([bool(x) for r in rows for x in r[:, 0]], dtype=bool)
    _share_holds(same, holds, fixed)
    twine_of = [list(sections).index(net.section) for net in nets.values()]
    screens = [[[int(k + first_knot[i]) if k >= 0 else -1 for k in s] for s in lay.screens]
               for i, lay in enumerate(layouts)]  # fmt: skip
    wakes = [
        _wakes(net, lay, sections[net.section], environment) for net, lay in zip(nets.values(), layouts, strict=True)
    ]
    solid = [
        [net.solidity_with(sections[net.section].diameter)] * len(lay.screens)
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
        held=flags(fixed),
        sewn=same,
        point=ints([-1 if grip is None else grip.point for grip in holds]),
        body=ints([-1 if grip is None else grip.body for grip in holds]),
        place=floats([(0.0, 0.0, 0.0) if grip is None else grip.place for grip in holds], (-1, 3)),
        sinker_mass=floats([x for r in rows for x in r[:, 1]]),
        sinker_volume=floats([x for r in rows for x in r[:, 2]]),
        float_force=floats([x for r in rows for x in r[:, 3]]),
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


def _share_holds(same: Ints, holds: list[Grip | None], fixed: Flags) -> None:
    """The support of one of several knots sewn together supports them all."""
    for k in np.flatnonzero(same != np.arange(same.size)):
        first = int(same[k])
        holds[first] = holds[first] if holds[first] is not None else holds[k]
        fixed[first] |= fixed[k]
    for k in np.flatnonzero(same != np.arange(same.size)):
        holds[k], fixed[k] = holds[int(same[k])], fixed[int(same[k])]
    fixed[[grip is not None for grip in holds]] = False


def _rows(net: spec.Net, lay: Layout, holds: Sequence[Grip | None]) -> Array:
    """Held, sinker mass, sinker volume, float force of each knot.  holds : supports of the knots"""
    rows = np.zeros((len(lay.knots), 4))
    held = {"none": [], "corners": list(lay.corners.values()), "upper": lay.upper, "edges": sorted(lay.edge)}[net.held]
    rows[held, 0] = 1.0
    rows[[k for k, grip in enumerate(holds) if grip is not None], 0] = 0.0
    rows[lay.upper, 1] += (1.0 - 2.0 * HUB_MASS) * net.hoop_mass / max(1, len(lay.upper))
    rows[lay.hubs, 1] += HUB_MASS * net.hoop_mass
    for knots, weight, column in ((lay.lower, net.lower_sinker, 1), (lay.upper, net.upper_float, 3)):
        rows[knots, column] += weight * _shares(lay, knots)
    rows[:, 2] = rows[:, 1] / net.sinker_density
    return rows


def _holds(name: str, net: spec.Net, lay: Layout, grips: Mapping[str, Grip | Ring]) -> list[Grip | None]:
    """Supports of the knots."""
    found: list[Grip | None] = [None] * len(lay.knots)
    single = {key: grip for key, grip in grips.items() if isinstance(grip, Grip)}
    fastened = [(lay.corners[corner], f"{corner} is fastened to", key) for corner, key in net.fastened.items()]
    fastened += [(tie.knot, f"knot {tie.knot} is tied to", tie.to) for tie in getattr(net.panel, "ties", ())]
    for k, what, key in fastened:
        if key not in single:
            raise InputError(f"net '{name}': {what} '{key}', but there is no such point")
        found[k] = single[key]
    for key in net.rim:
        if key not in grips:
            raise InputError(f"net '{name}': its rim refers to '{key}', but there is no such point")
        if key not in single:
            continue
        k = _nearest(name, lay, key, single[key].position)
        if (other := found[k]) is not None:
            taken = next(key for key, value in single.items() if value is other)
            raise InputError(f"net '{name}': '{key}' and '{taken}' are at the same knot of its rim")
        found[k] = single[key]
    for key in net.rim:
        if isinstance(ring := grips[key], Ring):
            for k in lay.upper:
                found[k] = found[k] or _on_ring(name, key, ring, lay.knots[k])
    return found


def _on_ring(name: str, key: str, ring: Ring, knot: Array) -> Grip:
    """The segment of a collar that holds a knot (3,) of a rim, m."""
    x, y, z = (float(c) for c in knot)
    i, place = ring.collar.nearest((x, y, z))
    if (off := ring.collar.strays(place)) > 0.0:
        raise InputError(f"net '{name}': its rim lies {off:.3g} m off collar '{key}'; place it on the ring")
    return Grip(-1, ring.first + i, place, knot)


def _nearest(name: str, lay: Layout, point: str, place: Array) -> int:
    """The knot of the upper rim at a point of the case."""
    way = np.linalg.norm(np.array([lay.knots[k] for k in lay.upper]) - place, axis=1)
    found = lay.upper[int(np.argmin(way))]
    apart = float(np.linalg.norm(lay.knots[lay.upper[0]] - lay.knots[lay.upper[1]]))
    if float(way.min()) > 0.5 * apart:
        raise InputError(
            f"net '{name}': point '{point}' of its rim lies {way.min():.3g} m from the nearest knot, and knots are "
            f"{apart:.3g} m apart; place it on the rim"
        )
    return found


def _shares(lay: Layout, knots: list[int]) -> Array:
    """Length of edge beside each knot, m."""
    if len(knots) < 2:
        return np.ones(len(knots))  # a single knot counts as a metre
    place = np.array([lay.knots[k] for k in knots])
    ahead = np.linalg.norm(np.roll(place, -1, axis=0) - place, axis=1)
    if not lay.ring:
        ahead[-1] = 0.0
    shares: Array = 0.5 * (ahead + np.roll(ahead, 1))
    return shares


def _wakes(net: spec.Net, lay: Layout, section: Section, environment: Environment) -> list[float]:
    """Wake factor of each screen; in a varying current by its largest speed and its heading at t = 0."""
    if net.wake != "auto" or not isinstance(net.panel, spec.CylinderPanel) or net.force_model == "morison":
        return [float(net.wake) if net.wake != "auto" else 1.0] * len(lay.screens)
    sea = build_sea(environment)
    heading = sea_at(sea, 0.0).current_heading
    if sea.current_speed == 0.0:
        return [1.0] * len(lay.screens)
    solidity = net.solidity_with(section.diameter)
    re = section.diameter * sea.current_speed / (1.05e-6 * (1.0 - solidity))
    drag, _ = screen_coefficients(KINDS[net.force_model], 0.0, solidity, re)
    factor = float(wake_factor(drag))
    flow = np.array([math.cos(heading), math.sin(heading), 0.0])
    centre = np.array(net.panel.centre)
    middle = [np.mean([lay.knots[k] for k in s if k >= 0], axis=0) - centre for s in lay.screens]
    return [factor if m @ flow > 0.0 else 1.0 for m in middle]
