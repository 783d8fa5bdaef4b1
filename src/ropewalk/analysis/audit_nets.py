"""Audit of nets, knot by knot: loads of twines and screens summed again, lengths of twines, and that none pushes.

Knots that are points or parts of bodies are left to the audit of these, and those near the bed are not balanced: how
much of a net lies on it is a matter of the contact law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.analysis.audit_lines import FORCE, Finding, heights
from ropewalk.analysis.audit_loads import Wetness, current_at, lump_load, norm, section_drag, strain_of, submerged
from ropewalk.loads.screen import SCREEN, water_on_screen
from ropewalk.model.arrays import Array, Flags, Ints, records
from ropewalk.model.model import Model
from ropewalk.model.nets import MORISON
from ropewalk.model.state import State

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


def check_nets(model: Model, state: State) -> list[Finding]:
    """Balance of every free knot, length of every twine, and tension of those that cannot push."""
    nets = model.nets
    if not nets.names or state.net_position.shape != nets.knot.shape:
        return []
    r, tension = state.net_position, state.net_tension
    a, b = nets.bar[:, 0], nets.bar[:, 1]
    size = norm(r[b] - r[a])
    of = Twines(a, b, size, (r[b] - r[a]) / size[:, None], nets.section, nets.twines)
    total = _loads(model, r, of)
    largest = max(float(np.abs(total).max(initial=0.0)), float(np.abs(tension).max(initial=0.0)))
    np.add.at(total, a, tension[:, None] * of.direction)
    np.add.at(total, b, -tension[:, None] * of.direction)
    np.add.at(total, nets.sewn, np.where((nets.sewn != np.arange(nets.sewn.size))[:, None], total, 0.0))
    found = []
    left = np.where(_free(model, r), norm(total), 0.0)
    k = int(np.argmax(left))
    found.append(Finding("force", _knot(model, k), float(left[k]), FORCE * max(largest, 1e-12)))
    return found + _lengths(model, tension, of) + _pushes(model, tension, of, largest)


def _free(model: Model, r: Array) -> Flags:
    """(k,) knots that are balanced here."""
    nets = model.nets
    free: Flags = ~nets.held & (nets.point < 0) & (nets.body < 0) & (nets.sewn == np.arange(nets.sewn.size))
    if model.sea.has_seabed:
        free &= heights(model.sea, r) > 2.0 * float(model.sections.contact_radius.max(initial=0.0))
    return free


def _loads(model: Model, r: Array, of: Twines) -> Array:
    """(k, 3) weight, buoyancy and drag at the knots, N."""
    nets, sections, sea, k = model.nets, model.sections, model.sea, of.section
    volume = nets.sinker_volume.copy()
    if sea.water_density * sea.gravity > 0.0:
        volume = volume + nets.float_force / (sea.water_density * sea.gravity)
    total = lump_load(model, r, nets.sinker_mass, volume, np.zeros_like(volume))
    z = [r[of.a, 2], r[of.b, 2]]
    thick = np.maximum(2.0 * np.sqrt(sections.area[k] / np.pi), 2.0 * sections.contact_radius[k])
    thick = np.maximum(thick, LEVEL * nets.length)
    share = [submerged(height, Wetness(height, 0.5 * (z[0] + z[1]), thick)) for height in z]
    for side, knots in enumerate((of.a, of.b)):
        lift = share[side] * sea.water_density * sections.area[k] - sections.mass[k]
        np.add.at(total[:, 2], knots, 0.5 * of.number * nets.length * sea.gravity * lift)
    if sea.water_density > 0.0 and sea.current_speed > 0.0:
        _twine_drag(model, of, z, share, total)
        _screen_drag(model, r, total)
    return total


def _twine_drag(model: Model, of: Twines, z: list[Array], share: list[Array], total: Array) -> None:
    """Add the drag of twines that have their own, at two Gauss points of each."""
    nets, sections, sea = model.nets, model.sections, model.sea
    own = np.repeat(nets.kind == MORISON, np.diff(nets.bar_start)) * of.number
    water = [current_at(sea, height) for height in z]
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
        u = nets.wake[q] * current_at(sea, place[:, 2]).mean(axis=0)
        four = tuple(tuple(float(x) for x in place[i]) for i in (0, 1, 2, knots.size - 1))
        force, _ = water_on_screen(rows[q], four, tuple(float(x) for x in u), sea.water_density)
        total[knots] += np.array(force) / knots.size


def _lengths(model: Model, tension: Array, of: Twines) -> list[Finding]:
    """Twines that are longer than they are, or shorter although they pull or are stiff."""
    nets = model.nets
    count = np.maximum(of.number, 1.0)
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
    return [Finding("push", _knot(model, int(of.a[k])), float(value[k]), PUSH * max(largest, 1e-12))]


def _knot(model: Model, k: int) -> str:
    """A knot in words."""
    nets = model.nets
    i = int(np.searchsorted(nets.knot_start, k, side="right")) - 1
    return f"net '{nets.names[i]}' at knot {int(nets.column[k])} of row {int(nets.row[k])}"
