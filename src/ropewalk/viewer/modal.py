"""Natural modes to scenes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.viewer.build import from_equilibrium
from ropewalk.viewer.packing import Array
from ropewalk.viewer.scene import Facts, Frames, Mode, Named, Quantity, Scene, Variant

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.analysis.statics import Equilibrium
    from ropewalk.spec.system import System

SHAPES = {"position": "position", "tension": "tension", "points": "point_position", "bodies": "body_motion"}


def modes_of(system: System, count: int) -> Scene:
    """The `count` lowest modes of a case about its equilibrium; the last of them is shown first."""
    from ropewalk.analysis.modes import modes
    from ropewalk.analysis.statics import statics

    equilibrium = statics(system)
    scene = _scene(modes(equilibrium, count), equilibrium)
    return replace(scene, first=len(scene.variants) - 1)


def from_modes(dataset: xr.Dataset) -> Scene:
    """Mode shapes of a file; the equilibrium they belong to is solved again."""
    from ropewalk.analysis.statics import statics
    from ropewalk.io.netcdf import system_of

    return _scene(joined_complex(dataset), statics(system_of(dataset)))


def joined_complex(dataset: xr.Dataset) -> xr.Dataset:
    """Variables that were written as a real and an imaginary part, as complex ones again."""
    for name in [str(name) for name in dataset.data_vars if str(name).endswith("_real")]:
        base = name.removesuffix("_real")
        dataset = dataset.assign({base: dataset[name] + 1j * dataset[f"{base}_imaginary"]})
    return dataset


def _scene(dataset: xr.Dataset, equilibrium: Equilibrium) -> Scene:
    rest = from_equilibrium(equilibrium)
    frames = rest.variants[0].frames
    scene = rest
    if "rest_position" in dataset:  # the modes have a mesh of their own
        place = dataset["rest_position"].values[None]
        frames = replace(frames, position=place, tension=np.zeros(place.shape[:2]))
        lines = dataset["line"].values.astype(str)
        counts = [int(np.count_nonzero(lines == part.name)) for part in rest.lines]
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        scene = replace(rest, line_start=start, s=dataset["s"].values)
    variants = tuple(_variant(dataset, k, frames, rest.bodies) for k in range(int(dataset.sizes["mode"])))
    told = f"about the equilibrium, which is {dataset.attrs['stability']}; the size of a mode is arbitrary"
    return replace(
        scene,
        variants=variants,
        quantity=Quantity("dynamic tension over its largest", "", -1.0, 1.0, diverging=True),
        notes=(told, *rest.notes),
    )


def _variant(dataset: xr.Dataset, k: int, frames: Frames, bodies: tuple[Named, ...]) -> Variant:
    omega, growth = float(dataset["omega"][k]), float(dataset["growth"][k])
    period = float(dataset["period"][k])
    name = f"{period:.4g} s" if math.isfinite(period) else ("grows" if growth > 0.0 else "does not swing")
    facts: Facts = (
        ("period", f"{period:.5g} s" if math.isfinite(period) else "–"),
        ("frequency", f"{omega:.5g} rad/s"),
        ("damping", f"{100.0 * float(dataset['damping'][k]):.3g} % of critical"),
        ("equilibrium", "holds" if growth <= 0.0 else f"left at {growth:.3g} 1/s"),
    )
    return Variant(f"mode {k + 1}: {name}", frames, facts, mode=_mode(dataset, k, frames, bodies, omega, growth))


def _mode(dataset: xr.Dataset, k: int, frames: Frames, bodies: tuple[Named, ...], omega: float, growth: float) -> Mode:
    empty = {
        "position": frames.position[0],
        "tension": frames.tension[0],
        "points": frames.points[0],
        "bodies": np.zeros((len(bodies), 6)),
    }
    shape: dict[str, Any] = {
        name: dataset[source].values[k] if source in dataset else np.zeros_like(empty[name])
        for name, source in SHAPES.items()
    }
    largest = float(np.max(np.abs(shape["tension"]), initial=0.0))
    shape["tension"] = shape["tension"] / (largest or 1.0)
    reach = max((_motion(shape["position"]), _motion(shape["points"]), *_hulls(shape["bodies"], bodies)))
    turn = float(np.max(np.linalg.norm(np.abs(shape["bodies"][:, 3:]), axis=1), initial=0.0))
    return Mode(
        omega,
        growth,
        1.0 / (reach or 1.0),
        turn,
        {name: np.real(values) for name, values in shape.items()},
        {name: np.imag(values) for name, values in shape.items()},
    )


def _motion(shape: Array) -> float:
    """Largest amplitude of the places of a shape, m."""
    return float(np.max(np.linalg.norm(np.abs(shape), axis=-1), initial=0.0))


def _hulls(motion: Array, bodies: tuple[Named, ...]) -> list[float]:
    """Largest amplitude of each hull, m; translation and rotation added."""
    reach = [0.0 if b.shape is None else float(np.max(np.linalg.norm(b.shape.vertices, axis=1))) for b in bodies]
    size = np.linalg.norm(np.abs(motion[:, :3]), axis=1) + np.linalg.norm(np.abs(motion[:, 3:]), axis=1) * reach
    return [float(x) for x in size]
