"""Nets: panels of twine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ropewalk.spec.base import NotNegative, Part, Positive, Vector

HangingRatio = Annotated[float, Field(gt=0.0, lt=1.0)]


class RectanglePanel(Part):
    """A flat panel; its corners run round the edge."""

    kind: Literal["rectangle"]
    corners: tuple[Vector, Vector, Vector, Vector]
    """Upper left, upper right, lower right, lower left, m."""


class CylinderPanel(Part):
    """A cylinder with a vertical axis, open at the ends, with an optional bottom."""

    kind: Literal["cylinder"]
    centre: Vector
    """Of the upper rim, m."""
    radius: Positive
    height: Positive
    bottom: bool = False


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
    cells: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]] | None = None
    """Meshes along the upper edge and down; several twines share a bar where these are fewer than in the net."""
    held: Literal["corners", "upper", "edges"] = "upper"
    """Which knots are fixed."""
    upper_float: NotNegative = 0.0
    """Buoyancy per metre of the upper edge, N/m."""
    lower_sinker: NotNegative = 0.0
    """Mass per metre of the lower edge, kg/m."""
