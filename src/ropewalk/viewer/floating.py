"""Rods that float, to scenes: every equilibrium is one thing to look at."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ropewalk.analysis.doubts import in_turn
from ropewalk.viewer.build import extent, from_equilibrium, tension_range, with_hulls
from ropewalk.viewer.packing import Array
from ropewalk.viewer.parts import rod_parts
from ropewalk.viewer.scene import Facts, Frames, Quantity, Scene, Variant
from ropewalk.viewer.shapes import Shape, rod_surface
from ropewalk.viewer.surroundings import surroundings

if TYPE_CHECKING:
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.moored import MooredState
    from ropewalk.analysis.stability import Equilibria, FloatingState
    from ropewalk.spec.system import System


def from_floating(system: System, found: Floating | None = None) -> Scene:
    """Every way the rods of a case float, with their lines where they have some.  found : if it is known already"""
    from ropewalk.analysis.moored import float_all
    from ropewalk.model.rod_lines import rods_on_lines
    from ropewalk.model.rods import RodWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RodWarning)  # it is among the doubts
        found = float_all(system) if found is None else found
    held = rods_on_lines(system)
    notes = [f"rod '{name}': {result.message}" for name, result in found.items()]
    free = {name: result for name, result in found.items() if name not in held}
    scene = _moored(system, {name: found[name] for name in held}) if held else None
    variants = [] if scene is None else list(scene.variants)
    empty = no_frames() if scene is None else _nowhere(scene.variants[0].frames)
    for name, result in free.items():
        variants += _free(list(system.rods).index(name), name, result, empty, len(found) > 1)
    low, high = _extent(variants)
    around = surroundings(system.environment, low, high, waves=False)
    if scene is None:
        scene = Scene(system.title, (), Quantity("", "", 0.0, 0.0), around)
    return replace(
        scene,
        variants=tuple(variants),
        surroundings=around,
        rods=rod_parts(system),
        notes=(*scene.notes, *notes, *around.notes),
        doubts=tuple(in_turn([found.doubts, scene.doubts])),
    )


def no_frames() -> Frames:
    """One moment of nothing."""
    places = np.zeros((1, 0, 3))
    one = np.zeros((1, 0))
    return Frames(np.zeros(1), places, one, places, places, np.zeros((1, 0, 4)), places, one, np.zeros((1, 0, 2)))


def _nowhere(frames: Frames) -> Frames:
    """The same parts, at no place: a rod on no line is looked at by itself."""
    return Frames(**{
        name: values if name == "time" else np.full_like(values, np.nan)
        for name, values in frames.arrays().items()
    })  # fmt: skip


def _free(index: int, name: str, result: Equilibria, frames: Frames, several: bool) -> list[Variant]:
    """Equilibria of a rod on no line; its head is above the origin, its yaw zero."""
    from ropewalk.physics.rod_energy import upright_frame

    variants = []
    for k, state in enumerate(result.states, start=1):
        R, _, _ = upright_frame(state.pose.up)
        shape = rod_surface(state.rod).moved(np.array([0.0, 0.0, state.pose.heave]), np.asarray(R))
        label = f"{name + ' ' if several else ''}{k}: {_kind(state)}"
        variants.append(Variant(label, frames, _facts(state), rods=((index, shape),)))
    return variants


def _moored(system: System, found: dict[str, Equilibria]) -> Scene:
    """Equilibria of the rods on lines, entry i of every rod at once; the lines are solved between their ends."""
    scenes: list[Scene] = []
    variants: list[Variant] = []
    names = list(found)
    for k, states in enumerate(zip(*(result.states for result in found.values()), strict=True), start=1):
        scene = _lines(system, dict(zip(names, states, strict=True)))
        rods = tuple((list(system.rods).index(name), _placed(state)) for name, state in zip(names, states, strict=True))
        facts = tuple(fact for state in states for fact in _facts(state))
        variants.append(Variant(f"{k}: {_kind(states[0])}", scene.variants[0].frames, facts, rods=rods))
        scenes.append(scene)
    frames = [variant.frames for variant in variants]
    low, high = extent(frames)
    for one in frames:
        low, high = with_hulls(low, high, one, [part.shape for part in scenes[0].bodies])
    return replace(scenes[0], variants=tuple(variants), quantity=tension_range(frames), notes=scenes[0].notes[:1])


def _lines(system: System, states: dict[str, MooredState]) -> Scene:
    """The case with its rods held where they float, at rest."""
    from ropewalk.analysis.static_summary import attitude
    from ropewalk.analysis.statics import statics
    from ropewalk.model.rod_lines import rods_as_bodies
    from ropewalk.numerics.rotations import quaternion_from_matrix

    held = rods_as_bodies(
        system.replace(rods={n: system.rods[n] for n in states}), {n: s.rod for n, s in states.items()}
    )
    bodies = dict(held.bodies)
    for name, state in states.items():
        angles = attitude(quaternion_from_matrix(_rotation(state)))
        bodies[name] = bodies[name].replace(
            position=tuple(state.position.tolist()), attitude=tuple(angles), joint="fixed"
        )
    scene = from_equilibrium(statics(held.replace(bodies=bodies)))
    n = len(system.bodies)  # the rods that stood in as bodies go again
    frames = scene.variants[0].frames
    frames = replace(frames, body_position=frames.body_position[:, :n], body_quaternion=frames.body_quaternion[:, :n])
    return replace(scene, bodies=scene.bodies[:n], variants=(replace(scene.variants[0], frames=frames),))


def _placed(state: MooredState) -> Shape:
    return rod_surface(state.rod).moved(state.position, _rotation(state))


def _rotation(state: MooredState) -> Array:
    """(3, 3) head axes to world."""
    from ropewalk.physics.rod_energy import upright_frame

    c, s = np.cos(state.yaw), np.sin(state.yaw)
    R, _, _ = upright_frame(state.pose.up)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ R


def _kind(state: FloatingState) -> str:
    """What sort of equilibrium, in words."""
    told = {"minimum": "stable", "saddle": "saddle", "maximum": "maximum"}.get(state.kind, state.kind)
    return f"{told}, {np.degrees(state.pose.roll):.1f}° roll, {np.degrees(state.pose.pitch):.1f}° pitch"


def _facts(state: FloatingState) -> Facts:
    pose = state.pose
    facts = [
        ("kind", state.kind),
        ("heave of the head", f"{pose.heave:.5g} m"),
        ("roll", f"{np.degrees(pose.roll):.4f}°"),
        ("pitch", f"{np.degrees(pose.pitch):.4f}°"),
        ("energy", f"{pose.energy:.5g} J"),
        ("softest stiffness", f"{pose.curvature[0]:.4g} N m/rad"),
    ]
    if state.copies > 1:
        facts.append(("symmetric copies", str(state.copies)))
    return tuple(facts)


def _extent(variants: list[Variant]) -> tuple[Array, Array]:
    """Least and largest coordinates over all variants, m."""
    low, high = extent([variant.frames for variant in variants])
    clouds = [shape.vertices for variant in variants for _, shape in variant.rods]
    if all(not np.isfinite(f.frames.position).any() and not np.isfinite(f.frames.points).any() for f in variants):
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for cloud in clouds:
        low, high = np.minimum(low, cloud.min(axis=0)), np.maximum(high, cloud.max(axis=0))
    return low, high
