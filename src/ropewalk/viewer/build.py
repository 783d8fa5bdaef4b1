"""Cases and results to scenes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.doubts import of_attributes
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.viewer.packing import Array
from ropewalk.viewer.parts import attached, body_parts, line_parts, net_parts, point_parts, strength, tracked
from ropewalk.viewer.scene import PAGE_BYTES, Frames, Quantity, Scene, Variant, frame_stride
from ropewalk.viewer.surroundings import surroundings

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.model.model import Model
    from ropewalk.spec.system import System

TENSION = "tension"


def from_system(system: System) -> Scene:
    """The equilibrium of a case; the case as given, with the reason, where there is none.

    Cases with rods show every way they float.
    """
    from ropewalk.analysis.statics import statics

    if system.rods:
        from ropewalk.viewer.floating import from_floating

        return from_floating(system)
    try:
        return from_equilibrium(statics(system))
    except ConvergenceError as error:
        return as_given(system, str(error))


def from_equilibrium(equilibrium: Equilibrium) -> Scene:
    """A system at rest."""
    report = equilibrium.report
    told = (
        f"equilibrium by {equilibrium.method}, {report.iterations} iterations; residual force "
        f"{report.residual_force:.2g} N, closure error {report.residual_position:.2g} m"
    )
    scene = from_dataset(equilibrium.to_dataset(), moving=False)
    return replace(scene, notes=(told, *((report.message,) if report.message else ()), *scene.notes))


def as_given(system: System, trouble: str) -> Scene:
    """The case as the file gives it, lines straight between their ends.  trouble : why nothing better is shown"""
    from ropewalk.model.model import build
    from ropewalk.model.state import initial_state
    from ropewalk.results.record import dataset_of

    model = build(system)
    attrs = {"title": system.title, "system": system.model_dump_json(by_alias=True, exclude_unset=True)}
    scene = from_dataset(dataset_of(model.names, [initial_state(model)], attrs, model.nets, model.lines), moving=False)
    notes = ("shown as the file gives it, lines straight between their ends", *scene.notes)
    return replace(scene, trouble=trouble, notes=notes)


def from_dataset(dataset: xr.Dataset, *, moving: bool | None = None, budget: int = PAGE_BYTES) -> Scene:
    """A result of `run` or `static`.

    moving : whether waves pass; unless given, they do where the result has more than one moment
    budget : bytes of the page; records are left out evenly to keep below
    """
    from ropewalk.io.netcdf import system_of
    from ropewalk.model.model import build

    if "time" not in dataset.dims or not ({"position", "body_position", "net_position"} & set(dataset.variables)):
        raise InputError("the file has no positions over time; give a result of `run`, `static` or `modes`")
    system = system_of(dataset)
    model = build(system)
    _refuse_misfit(dataset, model)
    frames, notes = read_frames(dataset, model, budget)
    if moving is None:
        moving = frames.time.size > 1
    low, high = extent([frames])
    size = float(np.max(high - low))
    bodies = body_parts(system, size)
    low, high = with_hulls(low, high, frames, [part.shape for part in bodies])
    around = surroundings(system.environment, low, high, waves=moving)
    status = dataset.attrs.get("status", "done")
    return Scene(
        title=system.title,
        variants=(Variant("", frames),),
        quantity=tension_range([frames]),
        surroundings=around,
        lines=line_parts(system),
        line_start=model_start(dataset, model),
        s=dataset["s"].values if "s" in dataset.variables else np.zeros(0),
        points=point_parts(system),
        bodies=bodies,
        nets=net_parts(system),
        bars=model.nets.bar,
        bar_start=model.nets.bar_start,
        strength=node_strength(system, dataset),
        attachments=attached(system),
        tracks=tracked(system) if moving else (),
        notes=(*notes, *around.notes, *(() if status == "done" else (f"the run ended early: {status}",))),
        doubts=tuple(of_attributes(dataset.attrs)),
    )


def _refuse_misfit(dataset: xr.Dataset, model: Model) -> None:
    """A file whose numbers are not those of the case it carries is damaged, or was put together by hand."""
    names, nets = model.names, model.nets
    sizes = {
        "point": len(names.points), "body": len(names.bodies), "line": len(names.lines), "end": 2, "axis": 3,
        "quaternion": 4, "node": int(model_start(dataset, model)[-1]), "knot": nets.knot.shape[0],
        "twine": nets.length.size,
    }  # fmt: skip
    for dim, expected in sizes.items():
        if dim in dataset.dims and int(dataset.sizes[dim]) != expected:
            raise InputError(
                f"the result does not match the case stored in it: it has {int(dataset.sizes[dim])} along '{dim}' "
                f"where its case has {expected}"
            )


def node_strength(system: System, dataset: xr.Dataset) -> Array:
    """(n_nodes,) breaking load at each node, N; 0 where none is given."""
    if "node_line" not in dataset.variables:
        return np.zeros(0)
    lines, s = dataset["node_line"].values.astype(str), np.asarray(dataset["s"].values)
    return np.array([strength(system, str(name), float(at)) for name, at in zip(lines, s, strict=True)])


def model_start(dataset: xr.Dataset, model: Model) -> Array:
    """(n_lines + 1,) first node of each line."""
    if "node_line" not in dataset.variables:
        return np.zeros(1, dtype=np.int64)
    lines = dataset["node_line"].values.astype(str)
    counts = [int(np.count_nonzero(lines == name)) for name in model.names.lines]
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def read_frames(dataset: xr.Dataset, model: Model, budget: int) -> tuple[Frames, tuple[str, ...]]:
    """The records that fit, and a sentence about the others."""
    total = int(dataset.sizes["time"])
    if total == 0:
        raise InputError("the result has no records; there is nothing to show")
    stride = frame_stride(total, frames_of(dataset.isel(time=slice(0, 1)), model).numbers, budget)
    kept = np.unique(np.append(np.arange(0, total, stride), total - 1))
    frames = frames_of(dataset.isel(time=kept), model)
    for name, values in frames.arrays().items():
        if not np.isfinite(values).all():
            raise InputError(f"{name.replace('_', ' ')} of the result contains values that are not finite")
    if stride == 1:
        return frames, ()
    told = f"{kept.size} of {total} records are on this page, 1 in {stride}; peaks between them are not"
    return frames, (told,)


def frames_of(dataset: xr.Dataset, model: Model) -> Frames:
    """All moments of a result."""
    n = int(dataset.sizes["time"])

    def values(name: str, *shape: int) -> Array:
        return np.asarray(dataset[name].values) if name in dataset.variables else np.zeros((n, *shape))

    knots = values("net_position", 0, 3)
    if not knots.shape[1] and model.nets.knot.size:  # a result without knots shows the net as the file gives it
        knots = np.repeat(model.nets.knot[None], n, axis=0)
    return Frames(
        time=np.asarray(dataset["time"].values, dtype=float),
        position=values("position", 0, 3),
        tension=values("tension", 0),
        points=values("point_position", 0, 3),
        body_position=values("body_position", 0, 3),
        body_quaternion=values("body_quaternion", 0, 4),
        knots=knots,
        bar_tension=values("net_tension", 0),
        end_tension=values("end_tension", 0, 2),
    )


def extent(frames: list[Frames]) -> tuple[Array, Array]:
    """Least and largest coordinates of all that moves, (3,) and (3,), m."""
    clouds: list[Array] = []
    for one in frames:
        for places in (one.position, one.points, one.body_position, one.knots):
            flat = places.reshape(-1, 3)
            clouds.append(flat[np.isfinite(flat).all(axis=1)])
    cloud = np.concatenate(clouds) if clouds else np.zeros((0, 3))
    if not cloud.size:
        return np.zeros(3), np.zeros(3)
    return cloud.min(axis=0), cloud.max(axis=0)


def with_hulls(low: Array, high: Array, frames: Frames, shapes: list[Any]) -> tuple[Array, Array]:
    """The extent with room for the hulls, however they turn."""
    for k, shape in enumerate(shapes):
        if shape is not None:
            reach = float(np.max(np.linalg.norm(shape.vertices, axis=1)))
            places = frames.body_position[:, k]
            low, high = np.minimum(low, places.min(axis=0) - reach), np.maximum(high, places.max(axis=0) + reach)
    return low, high


def tension_range(frames: list[Frames]) -> Quantity:
    """One range for all moments, so that a colour means the same tension throughout."""
    values = [one.tension.ravel() for one in frames] + [one.bar_tension.ravel() for one in frames]
    cloud = np.concatenate([v[np.isfinite(v)] for v in values]) if values else np.zeros(0)
    low, high = (float(cloud.min()), float(cloud.max())) if cloud.size else (0.0, 0.0)
    return Quantity(TENSION, "N", low, high)
