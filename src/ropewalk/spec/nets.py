"""Nets: panels of twine."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive, Vector

HangingRatio = Annotated[float, Field(gt=0.0, lt=1.0)]
Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=2000)]
Corner = Literal["upper_left", "upper_right", "lower_right", "lower_left"]

FLAT = 1e-6  # of the panel's size: how far a corner may lie off the parallelogram of the others


class RectanglePanel(Part):
    """A flat panel; its corners run round the edge."""

    kind: Literal["rectangle"]
    corners: tuple[Vector, Vector, Vector, Vector]
    """Upper left, upper right, lower right, lower left, m; a parallelogram."""

    @model_validator(mode="after")
    def _parallelogram(self) -> RectanglePanel:
        a, b, c, d = self.corners
        size = max(math.dist(a, b), math.dist(a, d))
        if min(math.dist(a, b), math.dist(a, d)) <= FLAT * size:
            raise ValueError("two corners of the panel lie on one another; it has no area")
        gap = math.dist([p - q for p, q in zip(b, a, strict=True)], [p - q for p, q in zip(c, d, strict=True)])
        if gap > FLAT * size:
            raise ValueError(f"the corners do not make a parallelogram: opposite sides differ by {gap:.4g} m")
        return self


class CylinderPanel(Part):
    """A cylinder with a vertical axis, open at the ends, with an optional bottom."""

    kind: Literal["cylinder"]
    centre: Vector
    """Of the upper rim, m."""
    radius: Positive
    height: Positive
    bottom: bool = False
    """A flat bottom of the same netting."""


Panel = Annotated[RectanglePanel | CylinderPanel, Field(discriminator="kind")]


class Net(Part):
    """A net of one twine."""

    panel: Panel
    section: str
    """Of the twine."""
    mesh: Literal["square", "rhombic"] = "square"
    bar_length: Positive
    """Knot to knot, m."""
    hanging_ratio: HangingRatio = 0.7071067811865476
    """Mounted width over stretched width of a rhombic mesh."""
    cells: tuple[Count, Count] | None = None
    """Meshes along the upper edge and down; several twines share a bar where these are fewer than in the net."""
    held: Literal["none", "corners", "upper", "edges"] = "upper"
    """Which knots are fixed."""
    fastened: dict[Corner, str] = {}
    """Corners of a rectangle that are points of the case, by name: lines that end there hold the net."""
    upper_float: NotNegative = 0.0
    """Buoyancy per metre of the upper edge when under water, N/m."""
    lower_sinker: NotNegative = 0.0
    """Mass per metre of the lower edge, kg/m."""
    sinker_density: Positive = 7850.0
    """kg/m3"""
    force_model: Literal["morison", "loland", "aarsnes", "kristiansen_faltinsen"] = "morison"
    """Drag of each twine by its section, or drag and lift of the netting as a screen."""
    solidity: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    """Twine area over outline area; 2 d/bar_length - (d/bar_length)^2 unless given. Read by screens."""
    wake: Fraction | Literal["auto"] = 1.0
    """Factor on the speed of the water at screens; `auto`: the lee half of a cylinder is in the wake of the rest."""

    @model_validator(mode="after")
    def _fits(self) -> Net:
        if self.fastened and self.panel.kind != "rectangle":
            raise ValueError("fastened names corners; a cylinder has none")
        if self.wake == "auto" and self.panel.kind != "cylinder":
            raise ValueError("wake: auto is for cylinders; give a panel behind others a number")
        return self
