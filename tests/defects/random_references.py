"""Tensions at the ends of the lines of the cases beside, by references.py: N, (n_lines, 2) for ends A and B."""

from __future__ import annotations

import numpy as np
from references import UP, Array, Piece, Water, footing, hanging, laid, lumps_of, march, pieces_of, solved
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import ropewalk as rw

size = np.linalg.norm


def place(system: rw.System, point: str) -> Array:
    return np.array(system.points[point].position, dtype=float)


def slack_to_bed(system: rw.System, line: str, height: float) -> float:
    """At the upper end of a line that hangs slack from a height (m) to the bed, lifted by its contact radius."""
    pieces = pieces_of(system, line)[::-1]
    whole = sum(piece.length for piece in pieces)
    lumps = [(whole - s, weight) for s, weight in lumps_of(system, line)]
    low = Water(system).bed + 0.5 * (pieces[-1].section.contact_diameter or 0.0)
    return float(size(hanging(pieces, low, height, lumps)[0]))


def pulled_across(system: rw.System) -> Array:
    """Chain across a current: straight from its anchor to where it lifts off, its friction used along what is left.

    Unknown are where it lifts off, with which tension, and in which direction it lies.
    """
    (piece,), rise = pieces_of(system, "l"), 0.5 * system.sections["c"].contact_diameter
    anchor, fairlead, mu = place(system, "a"), place(system, "f"), system.environment.seabed.friction
    force = np.zeros(3)

    def miss(x: Array) -> Array:
        s, tension, direction = x
        d, low = np.array([np.cos(direction), np.sin(direction), 0.0]), Water(system).bed + rise
        q = piece.load(low, d) + piece.weight * UP
        along = float(q @ d)
        drop = np.sqrt((mu * piece.weight) ** 2 - size(q - along * d) ** 2) + along  # N/m, from there to the anchor
        taut = min(s, tension / drop)
        mean = 0.5 * (piece.strain(tension) + piece.strain(tension - drop * taut))
        r = np.array([*(anchor + d * (s + taut * mean))[:2], low])
        end, force[:] = march([piece], r, tension * d, span=(s, np.inf))
        return end - fairlead

    chord = fairlead - anchor
    x = solved(miss, np.array([0.8 * piece.length, 1e5, np.arctan2(chord[1], chord[0])]), np.array([1e2, 1e4, 1e-2]))
    assert x[1] > 0.0
    return np.array([[0.0, size(force)]])


def string_on_bed(system: rw.System) -> Array:
    """Two anchors further apart than the line between them is long; the other line has more length than it needs.

    Lying between two anchors it was pulled equally from both: friction lets the tension fall from either end until both
    meet. The current is 8 degrees off the line and takes 1e-4 of the friction of its heaviest piece.
    """
    pieces, mu = pieces_of(system, "m0"), system.environment.seabed.friction
    apart = float(size(place(system, "b") - place(system, "a0")))
    edges = np.cumsum([0.0, *(piece.length for piece in pieces)])
    held = np.cumsum([0.0, *(mu * piece.weight * piece.length for piece in pieces)])  # N, by friction from end A on

    def excess(tension: float) -> float:
        whole = -apart
        for piece, a, b in zip(pieces, edges[:-1], edges[1:], strict=True):
            s = np.linspace(a, b, 2001)  # the law is straight between kinks: second order leaves 1e-7
            friction = np.interp(s, edges, held)
            strains = [piece.strain(tension - f) for f in np.minimum(friction, held[-1] - friction)]
            whole += piece.length + float(np.trapezoid(strains, s))
        return whole

    tension = brentq(excess, 0.6 * held[-1], 1e5, xtol=1e-6)
    return np.array([[0.0, 0.0], [tension, tension]])


def node_over_two_slack_lines(system: rw.System) -> Array:
    """The height of the node alone decides: slack lines hang from it, the third must reach the top."""
    node, water, top = system.points["node"], Water(system), place(system, "top")

    def forces(z: float) -> tuple[list[Array], Array, Array, Array]:
        slack = [hanging(pieces_of(system, name)[::-1], water.bed, z)[0] for name in ("l0", "l1")]
        lower = -(sum(slack) + np.array(node.force) - node.mass * water.g * UP)
        end, upper = march(pieces_of(system, "u"), np.array([0.0, 0.0, z]), lower)
        return slack, lower, upper, end

    z = brentq(lambda z: forces(z)[3][2] - top[2], water.bed + 0.5, water.bed + 2.5, xtol=1e-9)
    slack, lower, upper, _ = forces(float(z))
    return np.array([[0.0, size(slack[0])], [0.0, size(slack[1])], [size(lower), size(upper)]])


def weight_on_slack_lines(system: rw.System) -> Array:
    """Without a current nothing pulls to the side: the weight hangs below the point above it."""
    water, node, top = Water(system), system.points["node"], place(system, "top")
    upper = pieces_of(system, "u")
    z = top[2] - sum(piece.length for piece in upper)
    slack = [slack_to_bed(system, name, z) for name in ("l0", "l1")]
    lower = (node.mass - water.rho * node.volume) * water.g + sum(slack)
    whole = lower + sum(piece.weight * piece.length for piece in upper)
    return np.array([[0.0, slack[0]], [0.0, slack[1]], [lower, whole]])


def buoy_over_slack_lines(system: rw.System) -> Array:
    """A sunk buoy carries what hangs to the bed: heave, and two angles, as its lines are unlike."""
    buoy, water = system.bodies["buoy"], Water(system)
    lift = 4.0 / 3.0 * np.pi * buoy.hull.radius**3 * water.rho * water.g
    arms = [np.array(buoy.attachments[f"e{i}"]) for i in range(4)]
    pulls = np.zeros(4)

    def miss(x: Array) -> Array:
        R = Rotation.from_rotvec([x[1], x[2], 0.0]).as_matrix()
        pulls[:] = [slack_to_bed(system, f"l{i}", x[0] + (R @ arm)[2]) for i, arm in enumerate(arms)]
        moment = np.cross(R @ np.array(buoy.centre_of_mass), -buoy.mass * water.g * UP)
        moment = moment - sum(np.cross(R @ arm, pull * UP) for arm, pull in zip(arms, pulls, strict=True))
        return np.array([lift - buoy.mass * water.g - pulls.sum(), *moment[:2]]) / 1e5

    solved(miss, np.array([0.5 * water.bed, 0.0, 0.0]), np.array([1.0, 0.1, 0.1]))
    return np.stack([np.zeros(4), pulls], axis=1)


def buoy_in_current(system: rw.System) -> Array:
    """Six unknowns of the buoy around those of each line: the force at its anchor, and where it lies on the bed.

    Lines 1 and 2 begin with buoyant pieces: they come down to the bed and leave it again; line 3 lies at its anchor.
    """
    buoy, water = system.bodies["buoy"], Water(system)
    lift = (4.0 / 3.0 * np.pi * buoy.hull.radius**3 * water.rho - buoy.mass) * water.g
    lines = [pieces_of(system, f"l{i}") for i in range(4)]
    scales = [np.full(3, 1e4), *[np.array([1e4, 1e4, 1e4, 1e2, 1e2])] * 2, np.array([1e3, 1e3, 1e2])]
    # where Newton's method begins
    own = [np.array([-8e4, -2.8e4, 5.5e4]), np.array([1.7e3, -2.7e4, 8e3, 1400.0, 1640.0]),
           np.array([5.2e4, -3.9e3, 4.9e3, 820.0, 1040.0]), np.array([-2.8e3, 9.5e3, 1060.0])]  # fmt: skip
    ends = [np.zeros(3)] * 4

    def line(i: int, x: Array) -> tuple[Array, Array, list[float]]:
        lies = [] if i == 0 else [(0.0, x[2])] if i == 3 else [(x[3], x[4])]
        return laid(lines[i], place(system, f"a{i}"), np.array([x[0], x[1], 0.0 if i == 3 else x[2]]), lies)

    def reach(i: int, target: Array) -> None:
        def miss(x: Array) -> Array:
            end, ends[i], low = line(i, x)
            return np.array([*(end - target), *low])

        own[i] = solved(miss, own[i], scales[i])

    def unbalanced(x: Array) -> Array:
        R = Rotation.from_rotvec(x[3:]).as_matrix()
        force = lift * UP + np.array(buoy.loads.force)
        moment = np.cross(R @ np.array(buoy.centre_of_mass), -buoy.mass * water.g * UP)
        for i in range(4):
            arm = R @ np.array(buoy.attachments[f"e{i}"])
            reach(i, x[:3] + arm)
            force, moment = force - ends[i], moment - np.cross(arm, ends[i])
        return np.array([*force, *moment]) / 1e5

    solved(unbalanced, np.array([-230.0, -71.0, -187.0, 0.0, 0.0, 0.0]), np.array([10.0] * 3 + [0.1] * 3))
    return np.array([[size(x[: 2 if i == 3 else 3]), size(ends[i])] for i, x in enumerate(own)])


def node_on_bed(system: rw.System) -> Array:
    """A free point on its footing: line 0 is an arch, line 1 lies at its anchor and once more on the way."""
    node, water = system.points["node"], Water(system)
    area, _ = footing(system, node)
    stiffness, ends = system.environment.seabed.stiffness, [np.zeros(3)] * 2
    arch, other = pieces_of(system, "l0"), pieces_of(system, "l1")
    anchor, low = place(system, "a0"), np.array([*place(system, "a1")[:2], water.bed])
    chord = np.array([-19.5, -0.7, water.bed]) - anchor
    # where Newton's method begins
    own = [15600.0 * chord / size(chord) + 1000.0 * UP, np.array([836.0, 40.0, 43.0, 120.0, 121.5])]

    def arched(x: Array) -> Array:
        end, ends[0] = march(arch, anchor, x, lumps_of(system, "l0"), bed="soft")
        return end

    def unbalanced(n: Array) -> Array:
        def miss(x: Array) -> Array:
            end, ends[1], more = laid(other, low, np.array([x[0], x[1], 0.0]), [(0.0, x[2]), (x[3], x[4])], "soft")
            return np.array([*(end - n), *more])

        own[0] = solved(lambda x: arched(x) - n, own[0], np.array([1e3, 1e3, 1e2]))
        own[1] = solved(miss, own[1], np.array([1e2, 1e2, 10.0, 10.0, 10.0]))
        push = stiffness * area * max(0.0, water.bed - n[2]) - (node.mass - water.rho * node.volume) * water.g
        return (np.array(node.force) + push * UP - ends[0] - ends[1]) / 1e5

    solved(unbalanced, np.array([-19.53, -0.71, water.bed - 0.031]), np.array([0.1, 1.0, 0.01]))
    return np.array([[size(own[0]), size(ends[0])], [size(own[1][:2]), size(ends[1])]])


def weight_on_two_ropes(system: rw.System) -> Array:
    """The force at one anchor is unknown; what it leads to must end at the other."""
    water, node, ends = Water(system), system.points["node"], [np.zeros(3)] * 3

    def miss(x: Array) -> Array:
        r, ends[0] = march(pieces_of(system, "l"), place(system, "a"), x)
        ends[1] = ends[0] + (node.mass - water.rho * node.volume) * water.g * UP
        end, ends[2] = march(pieces_of(system, "u"), r, ends[1])
        return end - place(system, "top")

    x = solved(miss, np.array([-1.0, 0.0, -2.0]), np.ones(3))
    return np.array([[size(x), size(ends[0])], [size(ends[1]), size(ends[2])]])


def piece_weight(system: rw.System, name: str) -> float:
    """N/m in water."""
    return Piece(1.0, system.sections[name], Water(system)).weight
