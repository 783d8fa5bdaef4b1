"""Pictures of floating rods: the rod with the water plane, and sections with their waterline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.model.rods import Array, RodModel, place, places, section_outline
from ropewalk.physics.rod_energy import upright_frame
from ropewalk.plot.lines import empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ropewalk.analysis.stability import Equilibria
    from ropewalk.methods.rods import FloatingPose

DRY, WET, WATER = (0.85, 0.60, 0.25), (0.10, 0.30, 0.50), (0.3, 0.6, 0.8, 0.3)
ALONG, AROUND = 240, 41  # points of a rod's surface
OUTLINE = 361  # points of a section
SECTIONS = 5  # drawn along the rod
MARGIN = 0.1  # of the largest extent, around the rod


def rod_surface(rod: RodModel, pose: FloatingPose, along: int = ALONG, around: int = AROUND) -> Array:
    """Points of the surface in world axes of zero yaw, head above the origin, (along + 2, around, 3); ends closed."""
    R, _, _ = upright_frame(pose.up)
    s = np.linspace(0.0, rod.length, along)
    rows = places(rod, np.concatenate([[0.0], s, [rod.length]]))
    size = np.ones(along + 2)
    size[[0, -1]] = 0.0
    outline = size[:, None, None] * section_outline(rod, rows, around)
    body = rows["position"][:, None] + np.einsum("kai,kic->kac", outline, np.stack([rows["t2"], rows["t3"]], 1))
    return np.asarray(body @ R.T + np.array([0.0, 0.0, pose.heave]))


def draw_rod(axes: Any, rod: RodModel, pose: FloatingPose, title: str = "") -> None:
    """The rod on 3D axes, what is under water in a darker tone, with the water plane between."""
    points = rod_surface(rod, pose)
    middle = 0.25 * (points[:-1, :-1] + points[1:, 1:] + points[:-1, 1:] + points[1:, :-1])[:, :, 2]
    axes.computed_zorder = False
    low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
    for wet, colour, order in ((True, WET, 1), (False, DRY, 3)):
        shown = (middle < 0.0) == wet
        colours = np.concatenate([np.broadcast_to(colour, (*shown.shape, 3)), shown[:, :, None]], -1)
        axes.plot_surface(
            *np.moveaxis(points, -1, 0), facecolors=colours, rstride=1, cstride=1, shade=True, zorder=order, lw=0
        )
    margin = MARGIN * float((high - low).max())
    x, y = np.meshgrid([low[0] - margin, high[0] + margin], [low[1] - margin, high[1] + margin])
    axes.plot_surface(x, y, np.zeros_like(x), color=WATER, zorder=2)
    axes.set_box_aspect(high - low + margin)
    axes.set_title(title, fontsize=9)
    axes.set_axis_off()


def draw_sections(axes: Any, rod: RodModel, pose: FloatingPose, number: int = SECTIONS) -> None:
    """Sections along the rod in their own axes 2 and 3, side by side, wet part filled."""
    at = 0.0
    for s in np.linspace(0.0, rod.length, number):
        row = place(rod, s)
        a, b = row.a, row.b
        q2, q3 = section_outline(rod, row, OUTLINE).T
        at += 1.3 * a
        height = pose.heave + pose.up @ row.position + (pose.up @ row.t2) * q2 + (pose.up @ row.t3) * q3
        axes.plot(at + q2, q3, color=DRY)
        if np.any(height < 0.0):
            # a segment of a convex curve: its wet points in order, starting after a dry one
            first = int(np.argmax(height >= 0.0)) if np.any(height >= 0.0) else 0
            order = np.roll(np.arange(height.size - 1), -first)
            wet = order[height[order] < 0.0]
            axes.fill(at + q2[wet], q3[wet], color=WET)
        axes.text(at, -1.15 * b, f"{s:.3g} m", ha="center", va="top", fontsize=8)
        at += 1.3 * a
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_floating(found: dict[str, Equilibria]) -> Figure:
    """Every stable pose of every rod with its sections; the lowest one if none is stable."""
    drawn = []
    for name, result in found.items():
        stable = [state for state in result.states if state.stable] or list(result.states[:1])
        drawn += [(name, state) for state in stable]
    figure = empty_figure(4.5 * len(drawn), 5.5)
    for i, (name, state) in enumerate(drawn):
        roll, pitch = np.degrees(state.pose.roll), np.degrees(state.pose.pitch)
        title = f"{name}, {state.kind}: roll {roll:.2f}, pitch {pitch:.2f} deg"
        draw_rod(figure.add_subplot(2, len(drawn), i + 1, projection="3d"), state.rod, state.pose, title)
        draw_sections(figure.add_subplot(2, len(drawn), len(drawn) + i + 1), state.rod, state.pose)
    return figure
