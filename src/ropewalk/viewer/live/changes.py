"""Changes of the sea and of line lengths, brought on gradually so that nothing is struck."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from ropewalk.errors import InputError
from ropewalk.model.in_time import steady
from ropewalk.spec.base import Finite, NotNegative, Part
from ropewalk.spec.environment import Current, RegularWaves, Wind
from ropewalk.spec.system import System

EVERY = 0.1  # s between two changes of the model
TURN_ON = 4.0  # s for current and wind to change, and for waves to rise or fall
HAUL = 0.02  # of its length per second: how fast a line is paid out or hauled in
LEAST_LENGTH, MOST_LENGTH = 0.2, 2.0  # of the length in the case
LEAST_SPEED = 1e-9  # m/s: a speed of the case file that is none


class Flow(Part):
    """Current or wind from the page."""

    speed: float = Field(ge=0.0, le=100.0)
    heading: Finite = 0.0


class Sea(Part):
    """Waves from the page."""

    kind: Literal["none", "regular", "jonswap"]
    height: float = Field(default=0.0, ge=0.0, le=30.0)
    """Of a regular wave, or the significant height, m."""
    period: float = Field(default=8.0, ge=1.0, le=40.0)
    """Or peak period, s."""
    heading: Finite = 0.0


class Length(Part):
    """A new length of a line."""

    line: str
    length: NotNegative
    """m"""


def spec_of(sea: Sea, share: float) -> dict[str, Any] | None:
    """The waves of a case file, risen to `share` of their height."""
    if sea.kind == "none" or sea.height * share <= 0.0:
        return None
    height = "height" if sea.kind == "regular" else "significant_height"
    period = "period" if sea.kind == "regular" else "peak_period"
    return {"kind": sea.kind, height: sea.height * share, period: sea.period, "heading": sea.heading, "ramp": 0.0}


class Changes:
    """What is still to change, and how far it has come."""

    def __init__(self, system: System) -> None:
        self.given = system
        self._waves: Any = system.environment.waves  # as they are in the case, or a Sea
        self._share = 1.0
        self._next_waves: Sea | None = None
        self._flows: dict[str, tuple[float, float]] = {}  # towards these vectors, m/s
        self._lengths: dict[str, float] = {}
        self._due = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to change."""
        return not self._flows and not self._lengths and self._next_waves is None and self._share >= 1.0

    def waves(self, sea: Sea) -> None:
        """Let the waves fall, then these rise."""
        self._next_waves = sea

    def flow(self, name: Literal["current", "wind"], flow: Flow) -> None:
        """Turn current or wind towards another."""
        angle = math.radians(flow.heading)
        self._flows[name] = (flow.speed * math.cos(angle), flow.speed * math.sin(angle))

    def length(self, change: Length, cuts: Mapping[str, float]) -> None:
        """Pay out or haul in. InputError for lines that are cut or unknown, and lengths that make no sense."""
        line = self.given.lines.get(change.line)
        if line is None:
            raise InputError(f"no line '{change.line}'")
        if change.line in cuts:
            raise InputError(f"line '{change.line}' is cut; reset to restore it")
        if line.payout is not None:
            raise InputError(f"line '{change.line}' has a winch of its own; its payout is that of the case")
        if line.attachments:
            raise InputError(f"line '{change.line}' has attachments at given positions; its length is fixed")
        low, high = LEAST_LENGTH * line.length, MOST_LENGTH * line.length
        if not low <= change.length <= high:
            raise InputError(f"line '{change.line}': {change.length:g} m; give a length from {low:g} to {high:g} m")
        self._lengths[change.line] = change.length

    def due(self, system: System, t: float, dt: float) -> dict[str, Any]:
        """Paths and values to set at time t, the last change being dt (s) ago; empty if there are none."""
        found: dict[str, Any] = {}
        for name in list(self._flows):
            found[f"environment.{name}"] = self._turned(system, name, dt)
        if (waves := self._risen(dt)) is not False:
            found["environment.waves"] = waves
        for name, goal in list(self._lengths.items()):
            found.update(self._hauled(system, name, goal, dt))
        return found

    def _turned(self, system: System, name: str, dt: float) -> dict[str, Any]:
        flow: Current | Wind | None = getattr(system.environment, name)
        # one that changes in time gives way to that of the hand, from rest
        speed, heading = (steady(flow.speed), math.radians(steady(flow.heading))) if flow is not None else (0.0, 0.0)
        now, goal = (speed * math.cos(heading), speed * math.sin(heading)), self._flows[name]
        away = math.hypot(goal[0] - now[0], goal[1] - now[1])
        step = max(math.hypot(*goal), speed, LEAST_SPEED) * dt / TURN_ON
        if away <= step:
            new = goal
            del self._flows[name]
        else:
            new = (now[0] + (goal[0] - now[0]) * step / away, now[1] + (goal[1] - now[1]) * step / away)
        own = {} if flow is None else flow.model_dump(by_alias=True, exclude_unset=True)
        return {**own, "speed": math.hypot(*new), "heading": math.degrees(math.atan2(new[1], new[0]))}

    def _risen(self, dt: float) -> Any:
        """The waves as they now are; False if they stay."""
        if self._next_waves is None and self._share >= 1.0:
            return False
        if self._next_waves is not None:
            self._share = max(0.0, self._share - dt / TURN_ON)
            if self._waves is None or self._share == 0.0:
                self._waves, self._next_waves, self._share = self._next_waves, None, 0.0
        else:
            self._share = min(1.0, self._share + dt / TURN_ON)
        return self._lowered()

    def _lowered(self) -> Any:
        waves = self._waves
        if isinstance(waves, Sea):
            return spec_of(waves, self._share)
        if waves is None or self._share <= 0.0:
            return None
        given = waves.model_dump(by_alias=True, exclude_unset=True)
        if given.get("kind") == "components":
            parts = [{**c, "amplitude": c["amplitude"] * self._share} for c in given["components"]]
            return {**given, "components": parts}
        height = "height" if isinstance(waves, RegularWaves) else "significant_height"
        return {**given, height: given[height] * self._share}

    def _hauled(self, system: System, name: str, goal: float, dt: float) -> dict[str, Any]:
        line, given = system.lines[name], self.given.lines[name]
        step = HAUL * given.length * dt
        new = goal if abs(goal - line.length) <= step else line.length + math.copysign(step, goal - line.length)
        if new == goal:
            del self._lengths[name]
        share = new / line.length
        return {f"lines.{name}.pieces.{i}.length": piece.length * share for i, piece in enumerate(line.pieces)}
