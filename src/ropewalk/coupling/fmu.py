"""A case as a co-simulation unit of FMI 2.0: coupled parts as inputs, forces on them as outputs.

`pythonfmu` (extra `fmu`) writes the unit and calls the class here; the unit carries the case and needs Python with
ropewalk on the machine that runs it. Inputs of a body NAME are ``NAME.x``, ``.y``, ``.z`` (m), ``.q0`` to ``.q3``
(quaternion, scalar first), ``.vx`` to ``.vz`` (m/s) and ``.wx`` to ``.wz`` (rad/s), of a point the positions and
velocities, all at the end of a step; outputs are ``NAME.Fx`` to ``NAME.Fz`` (N), ``NAME.Mx`` to ``NAME.Mz`` (N m,
bodies), and ``LINE.tension_A``, ``LINE.tension_B`` (N).
"""

from __future__ import annotations

import base64
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.coupling.coupled import Coupled
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.model.model import build
from ropewalk.results.files import write_whole
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

if TYPE_CHECKING or find_spec("pythonfmu") is None:
    UnitBase: Any = object
else:
    from pythonfmu import Fmi2Slave as UnitBase

CASE = "case.json"  # in the resources of the unit
SCRIPT = "ropewalk_unit.py"
PLACE, TURN, SPEED, RATE = ("x", "y", "z"), ("q0", "q1", "q2", "q3"), ("vx", "vy", "vz"), ("wx", "wy", "wz")
FORCE, MOMENT = ("Fx", "Fy", "Fz"), ("Mx", "My", "Mz")
_SCRIPT = '''"""The unit that pythonfmu loads; all of it is in ropewalk."""

from ropewalk.coupling.fmu import Unit


class RopewalkUnit(Unit):
    """Named as the unit is."""
'''


def export_fmu(system: Source, path: str | Path) -> Path:
    """Write a case with coupled parts as an FMU for co-simulation by FMI 2.0; returns the path of the file.

    >>> import ropewalk as rw
    >>> rw.export_fmu("mooring.yaml", "mooring.fmu")  # doctest: +SKIP
    """
    if find_spec("pythonfmu") is None:
        raise InputError("writing an FMU needs the package pythonfmu: pip install 'ropewalk[fmu]'")
    from pythonfmu.builder import FmuBuilder

    target, case = arguments.path(path), System.of(system)
    if target.suffix != ".fmu":
        raise InputError(f"{target}: the name of an FMU must end in .fmu")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder; make it first")
    if not _driven(case):
        raise InputError("the case has no part with 'joint: coupled', so an FMU of it would have no inputs")
    before = list(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        script, data, built = Path(folder, SCRIPT), Path(folder, CASE), Path(folder, "unit.fmu")
        script.write_text(_SCRIPT, encoding="utf-8")
        data.write_text(case.model_dump_json(by_alias=True, exclude_unset=True), encoding="utf-8")
        try:
            FmuBuilder.build_FMU(
                script, dest=built, project_files=[data], canHandleVariableCommunicationStepSize=True,
                canGetAndSetFMUstate=True, canSerializeFMUstate=True,
            )  # fmt: skip
        finally:
            sys.path[:] = before
            sys.modules.pop(Path(SCRIPT).stem, None)
        write_whole(target, built.read_bytes())
    return target


def _driven(system: System) -> list[tuple[str, bool]]:
    """Name of each coupled part, and whether it is a body."""
    points = [(name, False) for name, point in system.points.items() if point.joint == "coupled"]
    return points + [(name, True) for name, body in system.bodies.items() if body.joint == "coupled"]


class Unit(UnitBase):  # type: ignore[misc]
    """A case in a co-simulation; the solver starts when initialisation ends."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        from pythonfmu import Fmi2Causality

        self._system = System.model_validate_json(Path(self.resources, CASE).read_text(encoding="utf-8"))
        self.modelName = "RopewalkUnit"
        self.description = self._system.title or "ropewalk case"
        self._coupled: Coupled | None = None
        self._values: dict[str, float] = {}
        self._told: set[tuple[str, str]] = set()  # code and part of the doubts in the log
        self._parts = _driven(self._system)
        model = build(self._system)
        for name, is_body in self._parts:
            where = model.names.bodies if is_body else model.names.points
            part = model.bodies if is_body else model.points
            which = where.index(name)
            self._give(name, PLACE, part.position[which], Fmi2Causality.input)
            if is_body:
                self._give(name, TURN, model.bodies.quaternion[which], Fmi2Causality.input)
            self._give(name, SPEED, np.zeros(3), Fmi2Causality.input)
            if is_body:
                self._give(name, RATE, np.zeros(3), Fmi2Causality.input)
            self._give(name, FORCE + MOMENT if is_body else FORCE, np.zeros(6), Fmi2Causality.output)
        for line in self._system.lines:
            self._give(line, ("tension_A", "tension_B"), np.zeros(2), Fmi2Causality.output)

    def _give(self, part: str, names: tuple[str, ...], values: Any, causality: Any) -> None:
        """Variables of a part, with their values at the start."""
        from pythonfmu import Real

        for name, value in zip(names, values, strict=False):
            key = f"{part}.{name}"
            self._values[key] = float(value)
            self.register_variable(
                Real(key, causality=causality, getter=lambda key=key: self._values[key],
                     setter=lambda value, key=key: self._values.__setitem__(key, value)),
                nested=False,
            )  # fmt: skip

    def _take(self, part: str, names: tuple[str, ...]) -> np.ndarray:
        return np.array([self._values[f"{part}.{name}"] for name in names])

    def exit_initialization_mode(self) -> None:
        """Find the equilibrium; its forces are the first outputs."""
        self._coupled = Coupled(self._system)
        self._tell()
        self._put()

    def terminate(self) -> None:
        """Log what became doubtful on the way."""
        self._tell()

    def _tell(self) -> None:
        """Doubts that were not told before, to the log of the caller."""
        from pythonfmu.enums import Fmi2Status

        for doubt in () if self._coupled is None else self._coupled.doubts:
            if (doubt.code, doubt.part) not in self._told:
                self._told.add((doubt.code, doubt.part))
                self.log(str(doubt), Fmi2Status.warning)

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Lead the parts to the inputs at the end of the step."""
        states: dict[str, tuple[Any, ...]] = {}
        for name, is_body in self._parts:
            place, speed = self._take(name, PLACE), self._take(name, SPEED)
            if is_body:
                turn = self._take(name, TURN)
                states[name] = (place, turn / np.linalg.norm(turn), speed, self._take(name, RATE))
            else:
                states[name] = (place, speed)
        assert self._coupled is not None
        try:
            self._coupled.step(step_size, states)
        except (ConvergenceError, InputError) as error:
            from pythonfmu.enums import Fmi2Status

            self.log(str(error), Fmi2Status.error)
            return False
        self._put()
        return True

    def _put(self) -> None:
        """Forces and tensions now, as outputs."""
        assert self._coupled is not None
        for name, forces in self._coupled.forces().items():
            for key, value in zip(FORCE + MOMENT, np.concatenate(forces), strict=False):
                self._values[f"{name}.{key}"] = float(value)
        state = self._coupled.state
        for line, force in zip(self._coupled.model.names.lines, state.end_force, strict=True):
            for end, tension in zip("AB", np.linalg.norm(force, axis=1), strict=True):
                self._values[f"{line}.tension_{end}"] = float(tension)

    def _get_fmu_state(self) -> dict[str, Any]:
        saved = b"" if self._coupled is None else self._coupled.save()
        return {"values": dict(self._values), "saved": base64.b64encode(saved).decode("ascii")}

    def _set_fmu_state(self, state: dict[str, Any]) -> None:
        self._values.update(state["values"])
        saved = base64.b64decode(state["saved"])
        if not saved:
            self._coupled = None
            return
        if self._coupled is None:
            self._coupled = Coupled(self._system)
        self._coupled.restore(saved)
