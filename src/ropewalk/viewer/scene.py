"""A scene: what the page draws, as plain arrays and text.

Positions are in metres of the world. On the page they are single precision about `Scene.origin`, so that a mooring
far from the origin of its chart loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.analysis.doubts import Doubt
from ropewalk.viewer.packing import packed
from ropewalk.viewer.shapes import Shape
from ropewalk.viewer.surroundings import Surroundings

Array = NDArray[Any]
Facts = tuple[tuple[str, str], ...]  # label and text, shown as they are

FLOAT_BYTES = 4  # of a number on the page, before base64
PAGE_BYTES = 20_000_000  # a page is kept below this
BASE64 = 4.0 / 3.0  # growth of bytes in base64
RESERVE = 1_500_000  # bytes of a page that are not frames: program, hulls, waves


@dataclass(frozen=True)
class Named:
    """A part with a name, and the text shown when it is picked."""

    name: str
    kind: str = ""
    facts: Facts = ()
    shape: Shape | None = None  # of a body, in its own frame


@dataclass(frozen=True)
class Frames:
    """Where things are at some moments; the first axis is time. Empty arrays for what is not there."""

    time: Array  # (f,) s
    position: Array  # (f, n_nodes, 3) m
    tension: Array  # (f, n_nodes) N
    points: Array  # (f, n_points, 3) m
    body_position: Array  # (f, n_bodies, 3) m
    body_quaternion: Array  # (f, n_bodies, 4)
    knots: Array  # (f, n_knots, 3) m
    bar_tension: Array  # (f, n_bars) N
    end_tension: Array  # (f, n_lines, 2) N

    @property
    def numbers(self) -> int:
        """Numbers per frame."""
        return sum(int(np.prod(values.shape[1:])) for values in self.arrays().values())

    def arrays(self) -> dict[str, Array]:
        """Every array by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Mode:
    """A natural mode about the one frame of its variant: displacement Re[(real + i imaginary) exp(i phase)]."""

    amplitude: float  # factor on the shape that moves its most moved part by 1 m
    turn: float  # largest rotation of a body in the shape as it is, rad
    real: dict[str, Array]  # position, tension, points, bodies (6 per body: m and rad)
    imaginary: dict[str, Array]


@dataclass(frozen=True)
class Variant:
    """One of several things to look at: an equilibrium, a mode, or the only one there is."""

    label: str
    frames: Frames
    facts: Facts = ()
    rods: tuple[tuple[int, Shape], ...] = ()  # number of the rod, surface in the world
    mode: Mode | None = None


@dataclass(frozen=True)
class Quantity:
    """What the colours tell."""

    label: str
    unit: str
    low: float
    high: float
    diverging: bool = False


@dataclass(frozen=True)
class Attached:
    """A float, clump or instrument on a line."""

    line: int
    s: float  # m from end A
    label: str
    kind: str  # float, clump or instrument


@dataclass(frozen=True)
class Scene:
    """All that the page needs."""

    title: str
    variants: tuple[Variant, ...]
    quantity: Quantity
    surroundings: Surroundings
    lines: tuple[Named, ...] = ()
    line_start: Array = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    s: Array = field(default_factory=lambda: np.zeros(0))
    points: tuple[Named, ...] = ()
    bodies: tuple[Named, ...] = ()
    nets: tuple[Named, ...] = ()
    bars: Array = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    bar_start: Array = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    rods: tuple[Named, ...] = ()
    notes: tuple[str, ...] = ()
    trouble: str = ""  # a sentence shown as a warning
    doubts: tuple[Doubt, ...] = ()  # about the result
    first: int = 0  # variant shown at the start
    strength: Array = field(default_factory=lambda: np.zeros(0))  # (n_nodes,) breaking load, N; 0 where unknown
    attachments: tuple[Attached, ...] = ()
    tracks: tuple[tuple[str, int], ...] = ()  # kind and number of the parts whose paths are drawn
    live: dict[str, Any] | None = None  # what a live page needs to know
    stream: dict[str, Any] | None = None  # how records that are not on the page are requested

    @property
    def low(self) -> Array:
        """(3,) least coordinates of what is drawn, m."""
        return self.surroundings.low

    @property
    def high(self) -> Array:
        """(3,) largest coordinates of what is drawn, m."""
        return self.surroundings.high

    @property
    def origin(self) -> Array:
        """(3,) whole metres near the middle: origin of the positions on the page."""
        middle = 0.5 * (self.low + self.high)
        return np.round(np.array([middle[0], middle[1], 0.0]))

    def to_json(self) -> dict[str, Any]:
        """Plain data for the page; arrays in base64."""
        origin = self.origin
        return {
            "title": self.title,
            "notes": list(self.notes),
            "trouble": self.trouble,
            "doubts": shown_doubts(self.doubts),
            "origin": origin.tolist(),
            "low": (self.low - origin).tolist(),
            "high": (self.high - origin).tolist(),
            "quantity": {
                "label": self.quantity.label,
                "unit": self.quantity.unit,
                "low": self.quantity.low,
                "high": self.quantity.high,
                "diverging": self.quantity.diverging,
            },
            "sea": self.surroundings.to_json(origin),
            "lines": [_named(part) for part in self.lines],
            "lineStart": [int(i) for i in self.line_start],
            "s": packed(self.s),
            "points": [_named(part) for part in self.points],
            "bodies": [_named(part) for part in self.bodies],
            "nets": [_named(part) for part in self.nets],
            "bars": packed(self.bars, "i4"),
            "barStart": [int(i) for i in self.bar_start],
            "rods": [_named(part) for part in self.rods],
            "variants": [_variant(variant, origin) for variant in self.variants],
            "first": self.first,
            "strength": packed(self.strength),
            "attachments": [asdict(item) for item in self.attachments],
            "tracks": [{"kind": kind, "index": index} for kind, index in self.tracks],
            "live": self.live,
            "stream": self.stream,
        }


def shown_doubts(doubts: Iterable[Doubt]) -> list[list[str]]:
    """Code and sentence of each doubt, as the page takes them."""
    return [[doubt.code, doubt.sentence] for doubt in doubts]


def frame_stride(n_frames: int, numbers: int, budget: int = PAGE_BYTES) -> int:
    """How many frames to go on by so that a page of frames of so many numbers stays below `budget` bytes."""
    room = max(1, int((budget - RESERVE) / (BASE64 * FLOAT_BYTES * max(1, numbers))))
    return max(1, -(-n_frames // room))


PLACES = ("position", "points", "body_position", "knots")


def _variant(variant: Variant, origin: Array) -> dict[str, Any]:
    frames = {
        name: packed(values - origin if name in PLACES else values)
        for name, values in variant.frames.arrays().items()
        if name != "time"
    }
    shown: dict[str, Any] = {
        "label": variant.label,
        "facts": [list(fact) for fact in variant.facts],
        "time": variant.frames.time.tolist(),
        "frames": frames,
        "rods": [{"rod": k, **shape.shifted(-origin).to_json()} for k, shape in variant.rods],
        "mode": None,
    }
    if variant.mode is not None:
        shown["mode"] = {
            "amplitude": variant.mode.amplitude,
            "turn": variant.mode.turn,
            "real": {name: packed(values) for name, values in variant.mode.real.items()},
            "imaginary": {name: packed(values) for name, values in variant.mode.imaginary.items()},
        }
    return shown


def _named(part: Named) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": part.name, "kind": part.kind, "facts": [list(fact) for fact in part.facts]}
    if part.shape is not None:
        shown["shape"] = part.shape.to_json()
    return shown
