"""Nets: panels of twine."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive, Vector

HangingRatio = Annotated[float, Field(gt=0.0, lt=1.0)]
Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=2000)]
MOST_KNOTS = 250_000  # of a net: some 200 MB; several twines share a bar where there would be more
Corner = Literal["upper_left", "upper_right", "lower_right", "lower_left"]

KNOT_BYTES = 900  # of the model per knot, measured
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
    """A cylinder or a cone, open at the ends; an upright one with an optional bottom."""

    kind: Literal["cylinder"]
    centre: Vector
    """Of the upper rim, m."""
    radius: Positive
    """Of the upper rim, m."""
    lower_radius: Positive | None = None
    """Of the lower rim of a cone, m; that of the upper one unless given."""
    height: Positive
    """From rim to rim along the axis, m."""
    axis: Vector = (0.0, 0.0, -1.0)
    """From the upper rim to the lower one; straight down unless given."""
    bottom: bool = False
    """A flat bottom of the same netting."""

    @model_validator(mode="after")
    def _shape(self) -> CylinderPanel:
        if not any(self.axis):
            raise ValueError("axis: it needs a direction from the upper rim to the lower one")
        if self.bottom and (not self.is_upright or self.lower_radius is not None):
            raise ValueError("bottom is for upright cylinders; leave axis and lower_radius out")
        return self

    @property
    def is_upright(self) -> bool:
        """Whether the axis points straight down."""
        return self.axis[0] == 0.0 and self.axis[1] == 0.0 and self.axis[2] < 0.0


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
    """Corners of a rectangle that are points of the case (`NAME`: lines that end there hold the net) or attachments of
    bodies (`BODY.ATTACHMENT`)."""
    rim: tuple[str, ...] = ()
    """Points of the case or attachments of bodies that are knots of the upper rim of a cylinder, each the knot nearest
    to where it is given."""
    hoop_mass: NotNegative = 0.0
    """Of a stiff hoop that holds the upper rim of a cylinder open, kg; none unless given."""
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
        if self.cells is not None and (knots := (self.cells[0] + 1) * (self.cells[1] + 1)) > MOST_KNOTS:
            raise ValueError(
                f"cells {self.cells[0]} x {self.cells[1]} make {knots:.2g} knots, about {1e-6 * knots * KNOT_BYTES:.2g}"
                f" MB; at most {MOST_KNOTS}: give fewer cells, several twines then share a bar"
            )
        if self.fastened and self.panel.kind != "rectangle":
            raise ValueError("fastened names corners; a cylinder has none")
        if isinstance(self.panel, RectanglePanel):
            if self.wake == "auto":
                raise ValueError("wake: auto is for cylinders; give a panel behind others a number")
            if self.rim or self.hoop_mass:
                raise ValueError("rim and hoop_mass are for cylinders; fasten the corners of a panel")
        else:
            if self.wake == "auto" and not self.panel.is_upright:
                raise ValueError("wake: auto is for upright cylinders; give a number")
            if self.mesh == "rhombic" and (self.panel.lower_radius is not None or not self.panel.is_upright):
                raise ValueError("rhombic mesh is for upright cylinders; leave axis and lower_radius out")
        return self
