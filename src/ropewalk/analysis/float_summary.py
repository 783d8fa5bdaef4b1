"""How rods float, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ropewalk.analysis.doubts import Doubt
    from ropewalk.analysis.stability import Equilibria, FloatingState
    from ropewalk.spec.system import System

WHOLE = 2  # minima - saddles + maxima over all attitudes: the Euler characteristic of the sphere


def float_doubts(system: System, found: Mapping[str, Equilibria]) -> list[Doubt]:
    """What is doubtful about the poses that were found."""
    from ropewalk.analysis.audit_poses import COARSE
    from ropewalk.analysis.case_doubts import case_doubts
    from ropewalk.analysis.doubts import Doubt, percent
    from ropewalk.model.rods import overlap_of

    doubts = case_doubts(system, "static")
    for name, result in found.items():
        overlap = overlap_of(result.states[0].rod, name)
        if overlap is not None:
            doubts.append(Doubt("rod-overlap", name, overlap.overlap, 0.0, str(overlap)))
        error = max(state.shape_error for state in result.states)
        if error > COARSE:
            text = (
                f"rod '{name}' bends more sharply than its shape functions follow: the shape is known to "
                f"{percent(error)} of the length (limit {percent(COARSE)}); give it more bending stiffness"
            )
            doubts.append(Doubt("discretisation", name, error, COARSE, text))
        if result.complete is False:
            text = f"rod '{name}': {result.message}"
            doubts.append(Doubt("incomplete-search", name, float(result.euler), float(WHOLE), text))
    return doubts


def float_summary(found: Mapping[str, Equilibria], doubts: Iterable[Doubt] = ()) -> dict[str, Any]:
    """What `--json` prints. Angles in degrees; wrench and stiffness in heave, roll and pitch at the centre of mass.

    On lines also: position of the head (m), yaw, tensions of all lines at both ends (N), the stiffness in all six
    freedoms, and the residual over the weight. Held rods also: force (N, upwards) and moment (N m, about the horizontal
    world axes of zero yaw) on the head, force of each support, height of the far end (m).
    """
    return {
        "equilibria": [state_entry(name, state) for name, result in found.items() for state in result.states],
        "complete": {name: result.complete for name, result in found.items()},
        "doubts": [doubt.as_dict() for doubt in doubts],
    }


def state_entry(name: str, state: FloatingState) -> dict[str, Any]:
    """One equilibrium of one rod."""
    from math import degrees

    from ropewalk.analysis.moored import MooredState
    from ropewalk.analysis.rod_held import HeldState

    pose = state.pose
    told = {
        "kind": state.kind,
        "heave": float(pose.heave),
        "up": pose.up.tolist(),
        "roll": degrees(pose.roll),
        "pitch": degrees(pose.pitch),
        "energy": float(pose.energy),
        "stiffness": pose.stiffness[2:5, 2:5].tolist(),
        "wrench": pose.wrench[2:5].tolist(),
        "copies": state.copies,
        "rod": name,
    }
    if state.functions:
        told |= {"shape_functions": state.functions, "shape_error": state.shape_error}
    if isinstance(state, MooredState):
        told |= {
            "position": state.position.tolist(),
            "yaw": degrees(state.yaw),
            "tensions": {line: list(ends) for line, ends in state.tensions.items()},
            "full_stiffness": pose.stiffness.tolist(),
            "residual": pose.residual,
        }
    if isinstance(state, HeldState):
        told |= {
            "head_force": state.head_force,
            "head_moment": list(state.head_moment),
            "support_forces": list(state.spring_force),
            "tip_height": state.tip,
            "residual": pose.residual,
        }
    return told
