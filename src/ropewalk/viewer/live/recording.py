"""What was done by hand as a result file, which `plot`, `report` and `view` read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ropewalk import __version__
from ropewalk.analysis.doubts import as_json
from ropewalk.io import netcdf
from ropewalk.results.record import NotFiniteError, Recorder
from ropewalk.results.schema import DONE
from ropewalk.results.segments import RunFolder, RunReader

if TYPE_CHECKING:
    from ropewalk.model.arrays import Array
    from ropewalk.model.state import State
    from ropewalk.viewer.live.engine import Engine

SHORTEST_INTERVAL = 0.02  # s between records
ROUND_OFF = 1e-9  # s


def free_name(folder: Path, stem: str) -> Path:
    """STEM-live.nc in the folder, or the first STEM-live-N.nc that is not there."""
    path, n = folder / f"{stem}-live.nc", 1
    while path.exists() or path.with_name(path.name + ".part").exists():
        n += 1
        path = folder / f"{stem}-live-{n}.nc"
    return path


class Recording:
    """A file under way. `add` what happens, then `finish`."""

    def __init__(self, engine: Engine, path: Path) -> None:
        self.path = path
        self._every = max(engine.given.record.every, SHORTEST_INTERVAL)
        self._begun = engine.time
        self._s: Array = engine.state.s
        model = engine.model
        attrs = {
            "title": engine.given.title,
            "system": engine.given.replace(_weather(engine)).model_dump_json(by_alias=True, exclude_unset=True),
            "settings": json.dumps({"solver": engine.solver_name, "live": True, "every": self._every}),
            "version": __version__,
            "created_by": f"ropewalk {__version__} live",
        }
        self._folder = RunFolder.create(path)
        self._recorder = Recorder(model.names, attrs, self._folder, nets=model.nets, lines=model.lines)
        self._surface = _surface(engine)
        self._sea = model.sea

    @property
    def rows(self) -> int:
        """Records kept."""
        return self._recorder.rows

    def add(self, engine: Engine) -> None:
        """Keep the present state if one is due; a moment that was undone and comes again is kept once."""
        if engine.time < self._recorder.last_time + self._every - ROUND_OFF:
            return
        if engine.model.sea is not self._sea:
            self._surface, self._sea = _surface(engine), engine.model.sea
        state: State = engine.state
        if state.s.size != self._s.size:
            return  # another mesh: cannot be, as changes keep the elements
        try:
            # a line that was paid out keeps the s of its nodes at the start
            self._recorder.add(state._replace(s=self._s), self._surface(engine.time))
        except NotFiniteError:
            return

    def finish(self, engine: Engine) -> str:
        """The file; a sentence about it. Nothing is left where nothing was recorded."""
        if self._recorder.rows == 0:
            self._folder.remove()
            self._folder.close()
            return "nothing was recorded"
        done = [[t, text] for t, text in engine.notes if t >= self._begun]
        cuts = "; ".join(f"line '{line}' was cut at s = {s:g} m" for line, s in engine.cuts.items())
        facts = {"live": json.dumps(done), "doubts": as_json(engine.doubts_now())} | ({"parted": cuts} if cuts else {})
        facts["audit"] = json.dumps({"steps": engine.steps})
        self._folder.flush()
        reader = RunReader(self._folder.path)
        netcdf.write_records(reader, self.path, {**reader.attrs, "status": DONE, **facts})
        self._folder.remove()
        self._folder.close()
        return f"{self.path}: {self._recorder.rows} records"


def _weather(engine: Engine) -> dict[str, object]:
    """Current, wind and waves as they are when the recording begins."""
    now = engine.system.environment
    parts = {name: getattr(now, name) for name in ("current", "wind", "waves")}
    return {
        f"environment.{name}": None if part is None else part.model_dump(by_alias=True, exclude_unset=True)
        for name, part in parts.items()
        if part != getattr(engine.given.environment, name)
    }


def _surface(engine: Engine) -> Callable[[float], float]:
    from ropewalk.physics.waves import elevation

    wave: Array = np.asarray(engine.model.sea.wave)
    if wave.shape[1] == 0:
        return lambda t: 0.0
    return lambda t: float(elevation(wave, 0.0, 0.0, t, 1.0))
