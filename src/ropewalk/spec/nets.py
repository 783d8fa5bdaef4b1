"""Nets: panels of twine."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import NotNegative, Part, Positive, Vector

HangingRatio = Annotated[float, Field(gt=0.0, lt=1.0)]
Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
Count = Annotated[int, Field(ge=1, le=2000)]
MOST_KNOTS = 50_000  # of a net: 45 MB, and minutes to an equilibrium
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
            raise ValueError("two corners of the panel coincide, so it has no area")
        gap = math.dist([p - q for p, q in zip(b, a, strict=True)], [p - q for p, q in zip(c, d, strict=True)])
        if gap > FLAT * size:
            raise ValueError(f"the corners do not form a parallelogram: opposite sides differ by {gap:.4g} m")
        return self


class CylinderPanel(Part):
    """A cylinder or a cone, open at the ends; an upright one with an optional bottom."""

    kind: Literal["cylinder"]
    centre: Vector
    """Centre of the upper rim, m."""
    radius: Positive
    """Radius of the upper rim, m."""
    lower_radius: Positive | None = None
    """Radius of the lower rim of a cone, m; that of the upper rim unless given."""
    height: Positive
    """Distance from rim to rim along the axis, m."""
    axis: Vector = (0.0, 0.0, -1.0)
    """Direction from the upper rim to the lower one; straight down unless given."""
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


class TrapezoidPanel(Part):
    """A panel between two edges that may differ in length; its corners run round the edge."""

    kind: Literal["trapezoid"]
    corners: tuple[Vector, Vector, Vector, Vector]
    """Upper left, upper right, lower right, lower left, m; netting is laid straight between opposite edges."""

    @model_validator(mode="after")
    def _area(self) -> TrapezoidPanel:
        a, b, c, d = self.corners
        sides = {"upper": math.dist(a, b), "right": math.dist(b, c), "lower": math.dist(c, d), "left": math.dist(d, a)}
        short = next((name for name, length in sides.items() if length <= FLAT * max(sides.values())), None)
        if short is not None:
            raise ValueError(f"the {short} edge of the trapezoid has no length; give it a short one, as in 0.1 m")
        return self


class KnotTie(Part):
    """A knot that is a point of the case or an attachment of a body."""

    knot: Annotated[int, Field(ge=0)]
    to: str


class KnotsPanel(Part):
    """Knots and twines given one by one; knots are numbered from 0."""

    kind: Literal["knots"]
    knots: Annotated[tuple[Vector, ...], Field(min_length=2, max_length=MOST_KNOTS)]
    """Positions, m."""
    twines: Annotated[tuple[tuple[int, int] | tuple[int, int, Positive], ...], Field(min_length=1)]
    """Two knots each, and the length in m if it differs from their distance."""
    upper: tuple[int, ...] = ()
    """Knots of the upper edge, which `held: upper` fixes and `upper_float` carries."""
    lower: tuple[int, ...] = ()
    """Knots of the lower edge, which `lower_sinker` loads."""
    ties: tuple[KnotTie, ...] = ()
    source: str | None = None
    """Files it was read from."""

    @model_validator(mode="after")
    def _known(self) -> KnotsPanel:
        n = len(self.knots)
        named = [(f"twine {i}", k) for i, twine in enumerate(self.twines) for k in twine[:2]]
        named += [("upper", k) for k in self.upper] + [("lower", k) for k in self.lower]
        named += [("a tie", tie.knot) for tie in self.ties]
        for what, k in named:
            if not 0 <= k < n:
                raise ValueError(f"{what} names knot {k}, but the {n} knots are numbered from 0 to {n - 1}")
        seen: set[frozenset[int]] = set()
        for i, twine in enumerate(self.twines):
            pair = frozenset(twine[:2])
            if len(pair) == 1:
                raise ValueError(f"twine {i} runs from knot {twine[0]} to itself")
            if pair in seen:
                raise ValueError(f"twine {i}: knots {twine[0]} and {twine[1]} are joined already; give one twine")
            if len(twine) == 2 and math.dist(self.knots[twine[0]], self.knots[twine[1]]) == 0.0:
                raise ValueError(f"twine {i}: knots {twine[0]} and {twine[1]} coincide; give its length")
            seen.add(pair)
        loose = sorted(set(range(n)) - {k for pair in seen for k in pair})
        if loose:
            raise ValueError(f"knot {loose[0]} has no twine; leave it out or join it")
        return self


Panel = Annotated[RectanglePanel | CylinderPanel | TrapezoidPanel | KnotsPanel, Field(discriminator="kind")]
Edge = Literal["upper", "lower", "left", "right"]


class Net(Part):
    """A net made of one kind of twine."""

    panel: Panel
    section: str
    """Section of the twine."""
    mesh: Literal["square", "rhombic"] = "square"
    bar_length: Positive
    """Length of a mesh bar, knot to knot, m."""
    hanging_ratio: HangingRatio = 0.7071067811865476
    """Mounted width over stretched width of a rhombic mesh."""
    cells: tuple[Count, Count] | None = None
    """Meshes along the upper edge and down; with fewer than in the real net, each bar represents several twines."""
    held: Literal["none", "corners", "upper", "edges"] = "upper"
    """Which knots are fixed."""
    fastened: dict[Corner, str] = {}
    """Corners of a rectangle that are points of the case (`NAME`: lines that end there hold the net) or attachments of
    bodies (`BODY.ATTACHMENT`)."""
    sewn: dict[Edge, str] = {}
    """Edges sewn to those of nets given earlier in the file, as in `left: side.right`: knots that meet become one."""
    rim: tuple[str, ...] = ()
    """Points of the case or attachments of bodies that are knots of the upper rim of a cylinder, each the knot nearest
    to where it is given; or the name of a collar, which holds the whole rim."""
    hoop_mass: NotNegative = 0.0
    """Mass of a stiff hoop that holds the upper rim of a cylinder open, kg; no hoop unless given."""
    upper_float: NotNegative = 0.0
    """Buoyancy per metre of the upper edge when under water, N/m."""
    lower_sinker: NotNegative = 0.0
    """Mass per metre of the lower edge, kg/m."""
    sinker_density: Positive = 7850.0
    """kg/m3"""
    force_model: Literal["morison", "loland", "aarsnes", "kristiansen_faltinsen"] = "morison"
    """Drag of each twine by its section, or drag and lift of the netting as a screen."""
    solidity: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    """Twine area over outline area; 2 d/bar_length - (d/bar_length)^2 unless given. Used by screens."""
    wake: Fraction | Literal["auto"] = 1.0
    """Factor on the speed of the water at screens; `auto`: the downstream half of a cylinder is in the wake of the
    upstream half."""

    @model_validator(mode="after")
    def _fits(self) -> Net:
        if self.cells is not None and (knots := (self.cells[0] + 1) * (self.cells[1] + 1)) > MOST_KNOTS:
            raise ValueError(
                f"cells {self.cells[0]} x {self.cells[1]} make {knots:.2g} knots, about {1e-6 * knots * KNOT_BYTES:.2g}"
                f" MB; at most {MOST_KNOTS}: give fewer cells, several twines then share a bar"
            )
        if self.fastened and self.panel.kind in ("cylinder", "knots"):
            way = "name points in its rim" if self.panel.kind == "cylinder" else "give its knots `ties`"
            raise ValueError(f"fastened refers to corners; a panel of kind {self.panel.kind} has none: {way}")
        if not isinstance(self.panel, CylinderPanel):
            self._flat()
            return self
        self._round(self.panel)
        return self

    def solidity_with(self, diameter: float) -> float:
        """Twine area over outline area, given or from the diameter of the twine (m)."""
        if self.solidity is not None:
            return self.solidity
        ratio = diameter / self.bar_length
        plain = 2.0 * ratio - ratio * ratio
        if self.mesh == "rhombic":  # the same twine on the mounted area
            plain /= 2.0 * self.hanging_ratio * math.sqrt(1.0 - self.hanging_ratio**2)
        return plain

    def misfit(self, diameter: float) -> str:
        """A sentence about twine (m) that does not fit between the knots, or leaves a screen no opening; else empty."""
        if diameter >= self.bar_length and self.panel.kind != "knots":
            return (
                f"twine '{self.section}' is {diameter:g} m thick and bar_length is {self.bar_length:g} m, which leaves "
                "no mesh open; give both in metres"
            )
        if self.force_model != "morison" and (solidity := self.solidity_with(diameter)) >= 1.0:
            return (
                f"a solidity of {solidity:.3g} leaves the screen no opening; give thinner twine, a longer bar_length, "
                "or solidity"
            )
        return ""

    def _flat(self) -> None:
        """Refuse what only cylinders have, and what a list of knots or a trapezoid cannot have."""
        if self.wake == "auto":
            raise ValueError("wake: auto is for cylinders; give a panel behind others a number")
        if self.rim or self.hoop_mass:
            raise ValueError("rim and hoop_mass are for cylinders; fasten the corners of a panel")
        if self.panel.kind == "rectangle":
            return
        if self.mesh == "rhombic":
            raise ValueError(f"rhombic mesh is for rectangles and cylinders, not for {self.panel.kind}")
        if self.panel.kind == "knots":
            if self.force_model != "morison":
                raise ValueError("force_model: a net given knot by knot has no screens; leave it out (morison)")
            if self.cells is not None or self.held in ("corners", "edges"):
                raise ValueError("cells, and held: corners or edges, are for panels; name the `upper` knots to hold")
            if self.sewn:
                raise ValueError("sewn is for edges of panels; join given knots by twines")

    def _round(self, panel: CylinderPanel) -> None:
        """Refuse what a cylinder cannot have."""
        if self.wake == "auto" and not panel.is_upright:
            raise ValueError("wake: auto is for upright cylinders; give a number")
        if self.mesh == "rhombic" and (panel.lower_radius is not None or not panel.is_upright):
            raise ValueError("rhombic mesh is for upright cylinders; leave axis and lower_radius out")
        if {"left", "right"} & set(self.sewn):
            raise ValueError("a cylinder has the edges upper and lower only")
