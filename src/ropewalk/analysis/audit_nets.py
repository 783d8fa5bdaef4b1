"""Audit of nets, knot by knot: loads of twines and screens summed again, lengths of twines, and that none pushes.

What is left on knots that are points or parts of bodies goes to the balance of these (audit_parts.py). Knots near the
bed are not balanced: how much of a net lies on it is a matter of the contact law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_elements import bar_loads, elements_of, knots_at_ends, node_balance
from ropewalk.analysis.audit_lines import FORCE, PLACE, Finding, heights
from ropewalk.analysis.audit_loads import Wetness, current_on, lump_load, norm, section_drag, strain_of, submerged
from ropewalk.loads.screen import SCREEN, water_on_screen
from ropewalk.model.arrays import Array, Flags, Ints, records
from ropewalk.model.model import Model
from ropewalk.model.nets import MORISON
from ropewalk.model.state import State, rotation_matrix

TWINE = 1e-6  # of a twine's length, by which it may be longer than it is
LEVEL = 1e-3  # of a twine: least height over which it passes the surface
NEAR = 0.5 - 0.5 / np.sqrt(3.0)  # share of the farther knot at a Gauss point of a twine
PUSH = 1e-6  # of the largest tension in the net


class Twines(NamedTuple):
    """Bars of nets as the state has them."""

    a: Ints  # knots
    b: Ints
    size: Array  # m
    direction: Array  # (m, 3)
    section: Ints
    number: Array  # twines that each stands for; 0 for spokes of hoops, which are stiff and weigh nothing


class Netting(NamedTuple):
    """What nets leave on their knots, and lines on the nodes at their ends, N."""

    twines: Twines
    loads: Array  # (k, 3) of gravity and water on each knot
    left: Array  # (k, 3) sum of loads and twines; that of knots sewn together on the first of them
    ends: Array  # (n_lines, 2, 3) balance of the nodes; `end_force` has a share of the loads of nets, by length
    largest: float  # of the loads and tensions of nets

    def on_points(self, model: Model) -> Array:
        """(n_points, 3) N"""
        total, nets = np.zeros((len(model.names.points), 3)), model.nets
        own = (nets.point >= 0) & _first(model)
        np.add.at(total, nets.point[own], self.left[own])
        return total


def netting_of(model: Model, state: State, quadrature: str) -> Netting | None:
    """Loads and twines of nets summed again; None without nets.  quadrature : of lines, as of `check_lines`"""
    nets = model.nets
    if not nets.names or state.net_position.shape != nets.knot.shape:
        return None
    r, tension = state.net_position, state.net_tension
    a, b = nets.bar[:, 0], nets.bar[:, 1]
    size = norm(r[b] - r[a])
    of = Twines(a, b, size, (r[b] - r[a]) / size[:, None], nets.section, nets.twines)
    loads = _loads(model, r, of)
    largest = max(float(np.abs(loads).max(initial=0.0)), float(np.abs(tension).max(initial=0.0)), 1e-12)
    left = loads.copy()
    np.add.at(left, a, tension[:, None] * of.direction)
    np.add.at(left, b, -tension[:, None] * of.direction)
    np.add.at(left, nets.sewn, np.where(_first(model)[:, None], 0.0, left))
    ends = state.end_force
    if state.element_tension.size and state.element_tension.shape == state.tension.shape:
        balance, _ = node_balance(model, state, elements_of(model, state), quadrature)
        ends = np.stack([balance[state.start[:-1]], balance[state.start[1:] - 1]], axis=1)
    return Netting(of, loads, left, ends, largest)


def check_nets(model: Model, state: State, netting: Netting | None) -> list[Finding]:
    """Balance of every free knot, place of the others, length of every twine, and tension of those that cannot push."""
    if netting is None:
        return []
    r, of = state.net_position, netting.twines
    left = np.where(_free(model, r), norm(netting.left), 0.0)
    k = int(np.argmax(left))
    found = [Finding("force", _knot(model, k), float(left[k]), FORCE * netting.largest), _fastened(model, state)]
    found += _shared(model, state, netting)
    return found + _lengths(model, state.net_tension, of) + _pushes(model, state.net_tension, of, netting.largest)


def _shared(model: Model, state: State, netting: Netting) -> list[Finding]:
    """End forces of lines of bars at knots of nets: loads of all bars there are shared by their lengths."""
    at = knots_at_ends(model)
    if not at or not state.element_tension.size or state.element_tension.shape != state.tension.shape:
        return []
    nets, of = model.nets, elements_of(model, state)
    last = np.cumsum(np.diff(state.start) - 1) - 1
    element = np.stack([np.concatenate([[0], last[:-1] + 1]), last], axis=1)  # at each end of each line
    loads, of_nets = bar_loads(model, state, of), netting.loads - _lumps(model, state.net_position)
    limit, found = FORCE * max(netting.largest, float(np.abs(state.end_force).max())), []
    for (i, j), knots in at.items():
        if np.any(near_bed(model, state.net_position[knots])):
            continue
        here = [end for end, others in at.items() if np.array_equal(others, knots)]
        load = of_nets[knots].sum(axis=0) + sum(loads[end[1]][element[end]] for end in here)
        length = nets.length[np.isin(nets.bar, knots).any(axis=1)].sum() + sum(of.length[element[end]] for end in here)
        own = int(element[i, j])
        pull = (1.0 - 2.0 * j) * of.tension[own] * of.tangent[own]
        miss = state.end_force[i, j] - pull - of.length[own] / length * load
        part = f"line '{model.names.lines[i]}' at its end {'AB'[j]}"
        found.append(Finding("force", part, float(np.linalg.norm(miss)), limit))
    return found


def _first(model: Model) -> Flags:
    """(k,) knots that are not sewn to one of a net before."""
    first: Flags = model.nets.sewn == np.arange(model.nets.sewn.size)
    return first


def near_bed(model: Model, r: Array) -> Flags:
    """(k,) knots that are not balanced here, nor the points and bodies that they are fastened to."""
    if not model.sea.has_seabed:
        return np.zeros(r.shape[0], dtype=np.bool_)
    near: Flags = heights(model.sea, r) <= 2.0 * float(model.sections.contact_radius.max(initial=0.0))
    return near


def _free(model: Model, r: Array) -> Flags:
    """(k,) knots that are balanced here."""
    nets = model.nets
    free: Flags = ~nets.held & (nets.point < 0) & (nets.body < 0) & _first(model) & ~near_bed(model, r)
    return free


def _fastened(model: Model, state: State) -> Finding:
    """The knot that is farthest from where it is held, fastened or sewn."""
    nets, r = model.nets, state.net_position
    home = np.where(nets.held[:, None], nets.knot, r[nets.sewn])
    on_point = nets.point >= 0
    home[on_point] = state.point_position[nets.point[on_point]]
    for k in np.flatnonzero(nets.body >= 0):
        body = nets.body[k]
        home[k] = state.body_position[body] + rotation_matrix(state.body_quaternion[body]) @ nets.place[k]
    shortest = float(nets.length.min())
    held = PLACE * np.maximum(np.abs(nets.knot).max(axis=1), shortest)
    value, limit = norm(r - home), np.where(nets.held, held, TWINE * shortest)
    worst = int(np.argmax(value / limit))
    return Finding("position", _knot(model, worst), float(value[worst]), float(limit[worst]))


def _lumps(model: Model, r: Array) -> Array:
    """(k, 3) weight and buoyancy of sinkers and floats, N."""
    nets, sea = model.nets, model.sea
    volume = nets.sinker_volume.copy()
    if sea.water_density * sea.gravity > 0.0:
        volume = volume + nets.float_force / (sea.water_density * sea.gravity)
    return lump_load(model, r, nets.sinker_mass, volume, np.zeros_like(volume))


def _loads(model: Model, r: Array, of: Twines) -> Array:
    """(k, 3) weight, buoyancy and drag at the knots, N."""
    nets, sections, sea, k = model.nets, model.sections, model.sea, of.section
    total = _lumps(model, r)
    z = [r[of.a, 2], r[of.b, 2]]
    thick = np.maximum(2.0 * np.sqrt(sections.area[k] / np.pi), 2.0 * sections.contact_radius[k])
    thick = np.maximum(thick, LEVEL * nets.length)
    share = [submerged(height, Wetness(height, 0.5 * (z[0] + z[1]), thick)) for height in z]
    for side, knots in enumerate((of.a, of.b)):
        lift = share[side] * sea.water_density * sections.area[k] - sections.mass[k]
        np.add.at(total[:, 2], knots, 0.5 * of.number * nets.length * sea.gravity * lift)
    if sea.water_density > 0.0 and sea.current_speed > 0.0:
        _twine_drag(model, r, of, share, total)
        _screen_drag(model, r, total)
    return total


def _twine_drag(model: Model, r: Array, of: Twines, share: list[Array], total: Array) -> None:
    """Add the drag of twines that have their own, at two Gauss points of each."""
    nets, sections = model.nets, model.sections
    own = np.repeat(nets.kind == MORISON, np.diff(nets.bar_start)) * of.number
    water = [current_on(model, r[knots]) for knots in (of.a, of.b)]
    for side in (0, 1):
        far = NEAR if side == 0 else 1.0 - NEAR
        u = (1.0 - far) * water[0] + far * water[1]
        normal, along = sections.drag_normal[of.section], sections.drag_tangential[of.section]
        force = (0.5 * of.size * share[side] * own)[:, None] * section_drag(
            model, of.section, u, of.direction, normal, along
        )
        np.add.at(total, of.a, (1.0 - far) * force)
        np.add.at(total, of.b, far * force)


def _screen_drag(model: Model, r: Array, total: Array) -> None:
    """Add the forces on screens, shared equally by their corners."""
    nets, sea = model.nets, model.sea
    kind = np.repeat(nets.kind, np.diff(nets.screen_start))
    rows = records(kind.size, SCREEN)
    rows.corner, rows.kind, rows.solidity, rows.twine, rows.wake = (
        nets.screen,
        kind,
        nets.solidity,
        nets.twine,
        nets.wake,
    )
    for q in np.flatnonzero(kind != MORISON):
        corner = nets.screen[q]
        knots = corner[corner >= 0]
        place = r[knots]
        if place[:, 2].mean() >= 0.0:
            continue
        u = nets.wake[q] * current_on(model, place).mean(axis=0)
        four = tuple(tuple(float(x) for x in place[i]) for i in (0, 1, 2, knots.size - 1))
        force, _ = water_on_screen(rows[q], four, tuple(float(x) for x in u), sea.water_density)
        total[knots] += np.array(force) / knots.size


def _lengths(model: Model, tension: Array, of: Twines) -> list[Finding]:
    """Twines that are longer than they are, or shorter although they pull or are stiff."""
    nets = model.nets
    count = np.where(of.number > 0.0, of.number, 1.0)  # below 1 where cells are smaller than meshes
    strain = np.where(of.number > 0.0, strain_of(model, of.section, tension / count), 0.0)
    miss = of.size - nets.length * (1.0 + strain)
    taut = (tension > PUSH * float(np.abs(tension).max(initial=0.0))) | (of.number == 0.0)
    value = np.where(taut, np.abs(miss), np.maximum(miss, 0.0))
    k = int(np.argmax(value / nets.length))
    return [Finding("length", _knot(model, int(of.a[k])), float(value[k]), TWINE * float(nets.length[k]))]


def _pushes(model: Model, tension: Array, of: Twines, largest: float) -> list[Finding]:
    """Twines that push although their section cannot."""
    cannot = (of.number > 0.0) & ~model.sections.compression[of.section].astype(bool)
    value = np.where(cannot, np.maximum(-tension, 0.0), 0.0)
    k = int(np.argmax(value))
    return [Finding("push", _knot(model, int(of.a[k])), float(value[k]), PUSH * largest)]


def _knot(model: Model, k: int) -> str:
    """A knot in words."""
    nets = model.nets
    i = int(np.searchsorted(nets.knot_start, k, side="right")) - 1
    return f"net '{nets.names[i]}' at knot {int(nets.column[k])} of row {int(nets.row[k])}"
