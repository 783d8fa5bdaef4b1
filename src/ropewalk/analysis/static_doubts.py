"""What is doubtful about an equilibrium that passed its audit: docs/audit.md lists the doubts and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ropewalk.analysis.audit_lines import contact_width, heights
from ropewalk.analysis.audit_loads import current_on
from ropewalk.analysis.doubts import Doubt, percent
from ropewalk.analysis.reach import indeterminate
from ropewalk.analysis.verdict import Verdict
from ropewalk.assembly.mesh_error import FRICTION_CHANGE
from ropewalk.loads.footing import footing_depths
from ropewalk.methods.protocol import Report, Status
from ropewalk.model.bodies import HULL_FOIL
from ropewalk.model.environment import weight_in_water
from ropewalk.model.joints import HELD, LOOSE
from ropewalk.model.lines import POINT
from ropewalk.model.model import Model
from ropewalk.model.state import State, rotation_matrix

STRETCH = 0.1  # strain beyond which a line is more likely too short than meant so
SLACK = 1e-3  # of a line's weight: tension below which it has no shape of its own
FRICTION = 1e-3  # of the largest end force: what friction may hold before the anchor's share is in doubt
DISCRETISATION = 1e-2  # relative error of end tensions that a mesh may leave, unless the case gives another
NEAR_BED = 1e-3  # of a line's length over the bed: what is attached there may as well stand on it
SUNK = 2.0  # widths of a line, or times the depth under the weight of what it carries: how far it may sink
SETTLES, STEADY = 0.05, 0.999  # fall over the size of a body, cosine of half its turn: of one that stays where it is
HEEL = 30.0  # degrees from the given attitude: beyond it a body has usually more than one equilibrium
FRICTIONLESS = "bed friction is left out"  # in the messages of methods that find an equilibrium without it
AS_IT_LIES = "bed friction holds lines where they lie"  # the same, of those that find none without it
MANY = 100.0  # times the largest end force: more is not told in per cent
DRY = 1e-300  # N: keeps ratios finite


def static_doubts(model: Model, state: State, report: Report, stability: Verdict | None) -> Iterator[Doubt]:
    """All doubts of an equilibrium, in the order of docs/audit.md."""
    yield from indeterminate(model, state)
    yield from _slack(model, state, report)
    yield from _stretched(model, state)
    yield from _breaking(model, state)
    yield from _friction(model, state, report)
    yield from _sunk(model, state)
    yield from _submerged(model, state)
    yield from _heeled(model, state)
    yield from _foils(model, state)
    yield from _stability(stability)
    yield from mesh_doubts(report)


def _slack(model: Model, state: State, report: Report) -> Iterator[Doubt]:
    lines, sections, sea = model.lines, model.sections, model.sea
    for i, name in enumerate(model.names.lines):
        own = slice(int(lines.piece_start[i]), int(lines.piece_start[i + 1]))
        k = lines.piece_section[own]
        if np.all(sections.compression[k]):
            continue
        weight = float(
            np.sum(np.abs(sections.mass[k] - sea.water_density * sections.area[k]) * lines.piece_length[own])
        )
        limit = SLACK * weight * sea.gravity
        least = _least_tension(model, state, i)
        if least < limit or (report.status is Status.SLACK and f"'{name}'" in report.message):
            text = (
                f"part of line '{name}' has a tension of {max(least, 0.0):.3g} N, below {limit:.3g} N (a thousandth of "
                "its weight): it is slack there, and its shape is not unique"
            )
            yield Doubt("slack", name, least, limit, text)


def _least_tension(model: Model, state: State, i: int) -> float:
    """Least tension of a line, at its nodes or between them (N): a line folds over within one element.

    Elements have theirs; where n(s) is known at the nodes, it is a straight line between two of them without a lump.
    """
    own = slice(int(state.start[i]), int(state.start[i + 1]))
    least = float(state.tension[own].min())
    if state.element_tension.size:
        least = min(least, float(state.element_tension[own][:-1].min()))
    if state.node_force.size:
        lines, s, n = model.lines, state.s[own], state.node_force[own]
        hung = lines.attachment_s[int(lines.attachment_start[i]) : int(lines.attachment_start[i + 1])]
        plain = np.ones(s.size - 1, dtype=bool)
        plain[[k - 1 for k in np.abs(s[:, None] - hung).argmin(axis=0) if k]] = False
        a, d = n[:-1][plain], np.diff(n, axis=0)[plain]
        part = np.clip(-np.einsum("ij,ij->i", a, d) / np.maximum(np.einsum("ij,ij->i", d, d), DRY), 0.0, 1.0)
        least = min(least, float(np.linalg.norm(a + part[:, None] * d, axis=1).min(initial=np.inf)))
    return least


def _stretched(model: Model, state: State) -> Iterator[Doubt]:
    for i, name in enumerate(model.names.lines):
        nodes = slice(int(state.start[i]), int(state.start[i + 1]))
        length = float(state.s[nodes.stop - 1])
        far = float(np.linalg.norm(np.diff(state.position[nodes], axis=0), axis=1).sum())
        if far > (1.0 + STRETCH) * length:
            text = f"line '{name}' is stretched from {length:.6g} m to {far:.6g} m at rest; is it long enough?"
            yield Doubt("stretched", name, far / length - 1.0, STRETCH, text)


def _breaking(model: Model, state: State) -> Iterator[Doubt]:
    lines = model.lines
    for i, name in enumerate(model.names.lines):
        most = float(state.tension[int(state.start[i]) : int(state.start[i + 1])].max(initial=0.0))
        sections = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
        limit = float(model.sections.breaking_load[sections].min())
        if most > limit:
            text = f"line '{name}' has a tension of {most:.4g} N, above its breaking load of {limit:.4g} N"
            yield Doubt("breaking-load", name, most, limit, text)


def _friction(model: Model, state: State, report: Report) -> Iterator[Doubt]:
    """Friction of the bed holds what it is assumed to hold: at rest nothing determines it."""
    sea, lines = model.sea, model.lines
    if not sea.has_seabed or sea.bed_friction == 0.0:
        return
    largest = float(np.max(np.abs(state.end_force), initial=DRY))
    for i, name in enumerate(model.names.lines):
        k = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
        weight = float(np.max(weight_in_water(sea, model.sections.mass[k], model.sections.area[k])))
        pressed = max(weight, 0.0) * float(state.grounded[i]) + _lumps_on_bed(model, state, i)
        held = sea.bed_friction * pressed
        if held > FRICTION * largest:
            how = "pulled taut" if sea.bed_rest_friction > 0.0 else "laid without pull"
            rest = f"the tension at its anchor assumes that it was {how}"
            if FRICTIONLESS in report.message:
                rest = "this equilibrium leaves it out"
            if AS_IT_LIES in report.message:
                rest = "this equilibrium assumes that it was laid without the current"
            if FRICTION_CHANGE in report.figures:
                change = percent(report.figures[FRICTION_CHANGE])
                rest += f"; without friction the end forces differ by up to {change} of the largest"
            share = f"{percent(held / largest)} of" if held < MANY * largest else f"more than {MANY:g} times"
            text = f"bed friction can carry {held:.3g} N of line '{name}' ({share} the largest end force); {rest}"
            yield Doubt("friction", name, held, FRICTION * largest, text)


def _lumps_on_bed(model: Model, state: State, i: int) -> float:
    """Weight in water (N) of what is attached to line i, and of the free points at its ends, that is on the bed."""
    lines, points, sea = model.lines, model.points, model.sea
    own = slice(int(state.start[i]), int(state.start[i + 1]))
    sections = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
    near = float(model.sections.contact_radius[sections].max()) + NEAR_BED * float(state.s[own][-1])
    on_bed = heights(sea, state.position[own]) <= near
    at = slice(int(lines.attachment_start[i]), int(lines.attachment_start[i + 1]))
    s = lines.attachment_s[at]
    weight = weight_in_water(sea, lines.attachment_mass[at], lines.attachment_volume[at])
    pressed = np.maximum(weight - lines.attachment_force[at] @ sea.bed_normal, 0.0)
    total = float(np.sum(pressed[np.interp(s, state.s[own], on_bed.astype(float)) > 0.0]))
    for side, node in ((0, 0), (1, -1)):
        p = int(lines.end_index[i, side])
        if lines.end_kind[i, side] == POINT and on_bed[node] and np.any(points.joint[p] != HELD):
            lump = weight_in_water(sea, points.mass[p], points.volume[p])
            total += max(0.0, float(lump - points.force[p] @ sea.bed_normal))
    return total


def _sunk(model: Model, state: State) -> Iterator[Doubt]:
    """Lines that the bed's stiffness lets sink far into it."""
    sea, lines = model.sea, model.lines
    if not sea.has_seabed:
        return
    under = footing_depths(model)
    for i, name in enumerate(model.names.lines):
        sections = lines.piece_section[int(lines.piece_start[i]) : int(lines.piece_start[i + 1])]
        limit = SUNK * max(float(contact_width(model, sections).max()), float(under[i]))
        depth = -float(heights(sea, state.position[int(state.start[i]) : int(state.start[i + 1])]).min())
        if depth > limit:
            text = (
                f"line '{name}' sinks {depth:.3g} m into the bed, more than {limit:.3g} m (twice its width or "
                "more): the bed is too soft for the load on it; give seabed.stiffness"
            )
            yield Doubt("sunk", name, depth, limit, text)


def _submerged(model: Model, state: State) -> Iterator[Doubt]:
    """Free bodies that are given at the surface and are wholly under water at rest."""
    bodies = model.bodies
    if model.sea.water_density == 0.0:
        return
    for k, name in enumerate(model.names.bodies):
        fall = float(bodies.position[k, 2] - state.body_position[k, 2])
        upright = abs(float(bodies.quaternion[k] @ state.body_quaternion[k]))
        stays = fall < SETTLES * bodies.hull_size(k) and upright > STEADY  # most do: a part of the start-up is saved
        if bodies.joint[k] != LOOSE or stays or not bodies.hulls_of(k):
            continue
        from ropewalk.post.bodies import vertical_extent

        given, now = (
            float(height + vertical_extent(model, k, rotation_matrix(quaternion)[None], highest=True)[0])
            for height, quaternion in (
                (bodies.position[k, 2], bodies.quaternion[k]),
                (state.body_position[k, 2], state.body_quaternion[k]),
            )
        )
        if given > 0.0 > now:
            text = (
                f"body '{name}' is given at the surface and is under water at rest, its highest point {-now:.3g} m "
                "deep: its weight and the pull on it exceed its buoyancy"
            )
            yield Doubt("submerged", name, -now, 0.0, text)


def _heeled(model: Model, state: State) -> Iterator[Doubt]:
    """Free bodies that lie far from the attitude they are given: they may as well lie another way."""
    for k in np.flatnonzero(model.bodies.joint == LOOSE):
        up = [rotation_matrix(q)[:, 2] for q in (model.bodies.quaternion[k], state.body_quaternion[k])]
        angle = float(np.degrees(np.arccos(np.clip(up[0] @ up[1], -1.0, 1.0))))
        if angle > HEEL:
            name = model.names.bodies[k]
            text = (
                f"body '{name}' is heeled by {angle:.3g} degrees from the attitude in the file (limit {HEEL:g}): other "
                "equilibria are likely; compare methods with 'ropewalk verify', or start from another attitude"
            )
            yield Doubt("heeled", name, angle, HEEL, text)


def _foils(model: Model, state: State) -> Iterator[Doubt]:
    """Foils whose angle of attack lies beyond their tables."""
    hulls, sea = model.bodies.hulls, model.sea
    if sea.current_speed == 0.0 or sea.water_density == 0.0:
        return
    for h in np.flatnonzero(hulls.kind == HULL_FOIL):
        k = int(hulls.body[h])
        R = rotation_matrix(state.body_quaternion[k])
        u = R.T @ current_on(model, (state.body_position[k] + R @ hulls.place[h])[None])[0]
        angle = float(np.degrees(np.arctan2(u @ hulls.normal[h], -(u @ hulls.axis[h]))))
        low, high = np.degrees(hulls.given[h])
        if not low <= angle <= high:
            name, limit = model.names.bodies[k], float(low if angle < low else high)
            text = (
                f"a foil of body '{name}' has an angle of attack of {angle:.3g} deg, beyond its table from {low:.3g} "
                f"to {high:.3g} deg: the coefficients are those of a flat plate"
            )
            yield Doubt("foil-angle", name, angle, limit, text)


def _stability(stability: Verdict | None) -> Iterator[Doubt]:
    if stability is None:
        return
    if not stability.stable:
        yield Doubt("unstable", "", stability.smallest, 0.0, stability.sentence)
    elif stability.neutral:
        count = "one neutral mode" if stability.neutral == 1 else f"{stability.neutral} neutral modes"
        text = f"the bodies have {count}: their rest position is not unique"
        yield Doubt("neutral", "", float(stability.neutral), 0.0, text)


def mesh_doubts(report: Report) -> Iterator[Doubt]:
    """Of an equilibrium on a mesh, or of a run that began with one."""
    figures: Any = report.figures
    error = figures.get("discretisation_error") if hasattr(figures, "get") else None
    limit = float(figures.get("accuracy", DISCRETISATION)) if error is not None else DISCRETISATION
    if hasattr(figures, "get") and figures.get("mesh_unjudged"):
        text = (
            "the discretisation error of the end tensions is not known: no equilibrium was found on another mesh to "
            "compare with; change the number of elements, or use another method"
        )
        yield Doubt("discretisation", "", 1.0, limit, text)
    if error is not None and float(error) > limit:
        overall = figures.get("force_error")
        of_all = "" if overall is None else f"; {percent(float(overall))} of the largest end force"
        text = (
            f"the discretisation error of the end tensions is about {percent(float(error))} (limit "
            f"{percent(limit)}{of_all}); give the lines more elements, or statics.accuracy"
        )
        yield Doubt("discretisation", "", float(error), limit, text)
