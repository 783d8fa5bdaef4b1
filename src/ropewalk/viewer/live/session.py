"""A live session: commands in, pictures out, at the pace of the wall clock."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ropewalk.errors import InputError, OutputError
from ropewalk.model.arrays import Array
from ropewalk.model.state import State
from ropewalk.spec.system import System
from ropewalk.viewer.live.changes import Flow, Length, Sea
from ropewalk.viewer.live.engine import CHUNK, Engine
from ropewalk.viewer.live.recording import Recording, free_name
from ropewalk.viewer.scene import shown_doubts
from ropewalk.viewer.surroundings import drawn_waves

FRAME = 1.0 / 50.0  # s of the wall clock between pictures
SLOWEST, FASTEST = 0.05, 50.0  # times real time
BEHIND = 0.1  # s of the wall clock that are caught up with at most; what is behind further is left out
MOST_WAITING = 2000  # commands; a page that sends more is not answered
FURTHEST_HAND = 1e7  # m


class Session:
    """One simulation for one page. `handle` takes a command as text; `run` simulates until `stop`."""

    def __init__(self, system: System, folder: Path, stem: str) -> None:
        self.engine = Engine(system)
        self._folder, self._stem = folder, stem
        self._commands: deque[dict[str, Any]] = deque(maxlen=MOST_WAITING)
        self._recording: Recording | None = None
        self._stopped = threading.Event()
        self.recorded: list[str] = []  # a sentence for each file
        self.paused = False
        self.speed = 1.0
        self.real = 1.0  # times real time that was reached lately
        self._seen = 0  # number of the last command that was carried out
        self._origin: Array = np.zeros(3)
        self._done = 0.0  # s simulated since the last picture
        self._width = 1.0  # m, of the surface that the page draws
        self._told_sea: Any = None  # whose surface the page has
        self.publish: Callable[[bytes], None] = lambda frame: None

    def wait(self) -> None:
        """Until `stop`, or an interrupt."""
        while not self._stopped.wait(0.5):
            pass

    def stop(self) -> None:
        """End `run`."""
        self._stopped.set()

    def page_of(self, origin: Array, width: float) -> None:
        """Origin of the positions on the page (m), and the width of the surface that it draws (m)."""
        self._origin, self._width = np.asarray(origin, dtype=np.float64), width

    def welcome(self) -> None:
        """A page has come: it needs the surface with its next picture."""
        self._told_sea = None

    def handle(self, text: str | bytes) -> None:
        """Take a command of the page; what is none is left out."""
        try:
            command = json.loads(text)
        except (ValueError, RecursionError):
            return
        if isinstance(command, dict) and isinstance(command.get("do"), str):
            self._commands.append(command)

    def run(self) -> None:
        """Simulate at the pace of the wall clock; a picture every FRAME."""
        last = perf_counter()
        sent = -np.inf
        owed = 0.0
        while not self._stopped.is_set():
            self._carry_out()
            now = perf_counter()
            passed, last = now - last, now
            if not self.paused:
                owed = min(owed + passed * self.speed, BEHIND * self.speed + CHUNK)
                done = self._simulate(owed, now)
                owed -= done
            if now - sent >= FRAME:
                self._keep_pace(now - sent)
                sent = now
                self.publish(self.frame())
            idle = FRAME / 4 if self.paused or owed < CHUNK else 0.0
            if idle:
                self._stopped.wait(idle)
        self.finish()

    def _simulate(self, owed: float, since: float) -> float:
        """Simulate what is owed (s), no longer than a picture takes; what was done."""
        done = 0.0
        step = min(CHUNK, max(CHUNK / 4, CHUNK * self.speed))
        while owed - done >= step and perf_counter() - since < FRAME:
            self.engine.advance(step)
            if self._recording is not None:
                self._recording.add(self.engine)
            done += step
        self._done += done
        return done

    def _keep_pace(self, wall: float) -> None:
        done, self._done = self._done, 0.0
        if np.isfinite(wall) and wall > 0.0 and not self.paused:
            self.real += 0.05 * (done / wall - self.real)

    def finish(self) -> None:
        """Close the recording under way, if there is one."""
        if self._recording is not None:
            recording, self._recording = self._recording, None
            try:
                self.recorded.append(recording.finish(self.engine))
                self.engine.say(self.recorded[-1])
            except (OSError, OutputError, InputError) as error:
                self.engine.say(f"the recording could not be written: {error}")

    # --- commands ---

    def _carry_out(self) -> None:
        while self._commands:
            command = self._commands.popleft()
            try:
                self._do(command)
            except InputError as error:
                self.engine.say(str(error).partition("\n")[0][:300])
            number = command.get("n")
            if isinstance(number, int):
                self._seen = number

    def _do(self, command: dict[str, Any]) -> None:
        engine, what = self.engine, command["do"]
        given = {key: value for key, value in command.items() if key not in ("do", "n")}
        if what == "grab":
            which = given.get("index")
            if isinstance(which, int) and not isinstance(which, bool):
                engine.grab(str(given.get("kind")), which, self._place(given))
        elif what == "move":
            engine.move(self._place(given))
        elif what == "release":
            engine.release()
        elif what == "pause":
            self.paused = bool(given.get("on"))
        elif what == "speed":
            self.speed = float(np.clip(_number(given.get("value")), SLOWEST, FASTEST))
        elif what == "reset":
            self.finish()
            engine.reset()
        elif what in ("current", "wind"):
            getattr(engine, what)(Flow(**given))
        elif what == "waves":
            engine.waves(Sea(**given))
        elif what == "length":
            engine.length(Length(**given))
        elif what == "cut":
            engine.cut(str(given.get("line")), _number(given.get("s")))
        elif what == "record":
            self._record(bool(given.get("on")))

    def _record(self, on: bool) -> None:
        if on and self._recording is None:
            path = free_name(self._folder, self._stem)
            try:
                self._recording = Recording(self.engine, path)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror or error}") from None
            self._recording.add(self.engine)
            self.engine.say(f"recording to {path}")
        elif not on:
            self.finish()

    def _place(self, given: dict[str, Any]) -> Array:
        place = given.get("place")
        if not isinstance(place, list) or len(place) != 3:
            raise InputError("a drag needs a position of three numbers")
        return np.array([np.clip(_number(x), -FURTHEST_HAND, FURTHEST_HAND) for x in place]) + self._origin

    # --- pictures ---

    def frame(self) -> bytes:
        """The present moment: length of a JSON text, the text padded to 4 bytes, then arrays of 4-byte floats."""
        engine, state = self.engine, self.engine.state
        arrays = frame_arrays(state, self._origin)
        head = {
            "time": engine.time,
            "paused": self.paused,
            "speed": self.speed,
            "real": round(self.real, 3),
            "seen": self._seen,
            "held": engine.held,
            "calming": engine.is_calming,
            "recording": None if self._recording is None else str(self._recording.path),
            "rows": 0 if self._recording is None else self._recording.rows,
            "cuts": engine.cuts,
            "notes": [[round(t, 2), text] for t, text in list(engine.notes)[-6:]],
            "failures": engine.failures,
            "doubts": shown_doubts(engine.doubts),
            "sea": sea_of(engine.system),
            "lengths": {name: line.length for name, line in engine.system.lines.items()},
            "shapes": {name: list(values.shape) for name, values in arrays.items()},
        }
        if engine.model.sea is not self._told_sea:
            self._told_sea = engine.model.sea
            head["surface"] = surface_of(engine.model.sea, self._width, self._origin)
        text = json.dumps(head, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        return b"".join([len(text).to_bytes(4, "little"), text, *(values.tobytes() for values in arrays.values())])


def frame_arrays(state: State, origin: Array) -> dict[str, Array]:
    """Arrays of one moment, as the frames of a scene have them."""
    found = {
        "position": state.position - origin,
        "tension": state.tension,
        "points": state.point_position - origin,
        "body_position": state.body_position - origin,
        "body_quaternion": state.body_quaternion,
        "knots": state.net_position - origin,
        "bar_tension": state.net_tension,
        "end_tension": np.linalg.norm(state.end_force, axis=2),
    }
    return {name: np.nan_to_num(values).astype("<f4") for name, values in found.items()}


def sea_of(system: System) -> dict[str, Any]:
    """Current, wind and waves as they now are, for the controls and the surface of the page."""
    environment = system.environment
    told: dict[str, Any] = {}
    for name in ("current", "wind"):
        flow = getattr(environment, name)
        told[name] = [0.0, 0.0] if flow is None else [float(flow.speed), float(flow.heading)]
    waves = environment.waves
    told["waves"] = None if waves is None else waves.model_dump(mode="json", by_alias=True, exclude={"components"})
    return told


def surface_of(sea: Any, width: float, origin: Array) -> dict[str, Any] | None:
    """The waves that the page draws from now on."""
    if sea.wave.shape[1] == 0 or sea.water_density <= 0.0:
        return None
    return drawn_waves(sea, width).to_json(origin)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise InputError(f"{value!r} is not a number")
    return float(value)
