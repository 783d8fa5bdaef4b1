"""An equilibrium as plain data: ends and lengths of lines, places of points and bodies, what the audit found."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.hydrostatics import hydrostatic_stiffness, metacentric_heights
from ropewalk.methods.protocol import Report
from ropewalk.model.arrays import Array
from ropewalk.model.joints import LOOSE
from ropewalk.model.model import Model
from ropewalk.model.profiles import properties_at
from ropewalk.model.state import State, net_summary

if TYPE_CHECKING:
    from ropewalk.analysis.statics import Equilibrium

EDGE = 1e-12  # of an interval: just inside it, where properties along s may jump


def summary_of(equilibrium: Equilibrium) -> dict[str, Any]:
    """Plain data of an equilibrium: `Equilibrium.summary`."""
    model, state, report = equilibrium.model, equilibrium.state, equilibrium.report
    links = {name: {"force": force} for name, force in report.figures.get("links", {}).items()}
    return {
        **({"links": links} if links else {}),
        "status": report.status.name.lower(),
        "method": equilibrium.method,
        "iterations": report.iterations,
        "residual_force": report.residual_force,
        "residual_position": report.residual_position,
        **({"settling": report.figures["settling"]} if "settling" in report.figures else {}),
        **_quality(equilibrium),
        "points": {
            name: {"position": state.point_position[k].tolist(), "force": state.point_force[k].tolist()}
            for k, name in enumerate(model.names.points)
        },
        "bodies": {name: _body(equilibrium, k) for k, name in enumerate(model.names.bodies)},
        "lines": {name: {**_line(model, state, k), **_over(report, name)} for k, name in enumerate(model.names.lines)},
        **({"nets": net_summary(model, state)} if model.nets.names else {}),
    }


def shape_summary(model: Model, state: State) -> dict[str, Any]:
    """Plain data of points, bodies and lines of a state, as in `Equilibrium.summary`, without what has to be solved."""
    return {
        "points": {
            name: {"position": state.point_position[k].tolist(), "force": state.point_force[k].tolist()}
            for k, name in enumerate(model.names.points)
        },
        "bodies": {
            name: {"position": state.body_position[k].tolist(), "attitude": attitude(state.body_quaternion[k])}
            for k, name in enumerate(model.names.bodies)
        },
        "lines": {name: _line(model, state, k) for k, name in enumerate(model.names.lines)},
    }


def _quality(equilibrium: Equilibrium) -> dict[str, Any]:
    """What the audit found, what is doubtful, and the error of the mesh where there is one."""
    figures, scatter = equilibrium.report.figures, equilibrium.stiffness_error
    error = {name: figures[name] for name in ("discretisation_error", "force_error") if name in figures}
    error |= {} if scatter is None else {"stiffness_error": scatter}
    doubts = [doubt.as_dict() for doubt in equilibrium.doubts]
    return {"audit": equilibrium.audit.as_dict(), "doubts": doubts, **error}


def _body(equilibrium: Equilibrium, k: int) -> dict[str, Any]:
    model, state = equilibrium.model, equilibrium.state
    return {
        "position": state.body_position[k].tolist(),
        "attitude": attitude(state.body_quaternion[k]),
        "stiffness": None if equilibrium.stiffness is None else equilibrium.stiffness[k].tolist(),
        "hydrostatic_stiffness": hydrostatic_stiffness(model, state, k).tolist(),
        **_afloat(equilibrium, k),
    }


def _afloat(equilibrium: Equilibrium, k: int) -> dict[str, Any]:
    """What only free bodies have: metacentric heights, and whether they are stable where they are."""
    model, judged = equilibrium.model, equilibrium.stability
    if model.bodies.joint[k] != LOOSE:
        return {}
    heights = metacentric_heights(model, equilibrium.state, k)
    found: dict[str, Any] = {"metacentric_heights": None if heights is None else list(heights)}
    if judged is None:
        return found
    found["stable"] = judged.stable
    return found if judged.stable else {**found, "instability": judged.direction[model.names.bodies[k]]}


def _over(report: Report, name: str) -> dict[str, Any]:
    """What a line runs over, if anything: name, s (m), tension and force of the line on it (N)."""
    over = report.figures.get("over", {}).get(name)
    return {"over": over} if over else {}


def _line(model: Model, state: State, k: int) -> dict[str, Any]:
    nodes = slice(state.start[k], state.start[k + 1])
    position, tension = state.position[nodes], state.tension[nodes]
    ends = {}
    for j, (key, sign) in enumerate((("end_a", 1.0), ("end_b", -1.0))):
        force = state.end_force[k, j]
        ends[key] = {
            "position": position[-j].tolist(),
            "force": force.tolist(),
            "tension": float(np.linalg.norm(force)),
            "declination": math.degrees(math.atan2(sign * force[2], math.hypot(force[0], force[1]))),
        }
    return {
        **ends,
        "max_tension": float(max(tension.max(), ends["end_a"]["tension"], ends["end_b"]["tension"])),
        "min_tension": float(tension.min()),
        "stretched_length": stretched_length(model, state, k),
        "grounded_length": float(state.grounded[k]),
    }


def stretched_length(model: Model, state: State, k: int) -> float:
    """Length of line k under its tension, m: strain of its laws summed by Simpson's rule in each piece."""
    from ropewalk.physics.elasticity import strain

    lines, sections = model.lines, model.sections
    nodes = slice(state.start[k], state.start[k + 1])
    s, tension = state.s[nodes], state.tension[nodes]
    total, begin = 0.0, 0.0
    for piece in range(lines.piece_start[k], lines.piece_start[k + 1]):
        length, section = lines.piece_length[piece], lines.piece_section[piece]
        inside = np.unique(np.concatenate([[begin, begin + length], s[(s > begin) & (s < begin + length)]]))
        law = (sections.law[section], sections.law_data, sections.law_start[section], sections.law_start[section + 1])
        edges = model.profiles.edges(np.array([section]))
        inside = np.union1d(inside, edges[(edges > begin) & (edges < begin + length)])
        for a, b in pairwise(inside):
            at = np.array([a + EDGE * (b - a), 0.5 * (a + b), b - EDGE * (b - a)])
            stiffness = properties_at(sections, model.profiles, np.full(3, section), at).stiffness
            forces = np.interp(at, s, tension)
            strains = [
                T / EA if math.isfinite(EA) else strain(float(T), *law)[0]
                for T, EA in zip(forces, stiffness, strict=True)
            ]
            total += (b - a) * (1.0 + (strains[0] + 4.0 * strains[1] + strains[2]) / 6.0)
        begin += length
    return float(total)


def attitude(quaternion: Array) -> list[float]:
    """Roll, pitch, yaw in degrees of a unit quaternion: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    w, x, y, z = quaternion
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(min(1.0, max(-1.0, 2.0 * (w * y - z * x))))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return [math.degrees(angle) for angle in (roll, pitch, yaw)]
