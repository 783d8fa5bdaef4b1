"""The question `sensitivities`: how outputs of an equilibrium change with numbers of its case.

Parameters and outputs are named by their path, parts separated by dots: a parameter in the case file
(`lines.m1.pieces.0.length`, `sections.chain.axial_stiffness`, `points.anchor.position.0`,
`environment.current.speed`), an output in the summary of the equilibrium (`lines.m1.end_b.tension`,
`points.buoy.position.2`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ropewalk.analysis.statics import Equilibrium, statics
from ropewalk.errors import InputError
from ropewalk.methods.protocol import Report
from ropewalk.methods.registry import solver_class
from ropewalk.methods.shooting import Solution
from ropewalk.model.arrays import Array
from ropewalk.model.given import still
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

SHARE = 1e-3  # of a parameter: step of the partial derivatives, whose error is its fourth power
LEAST = 1e-3  # step of a parameter that is zero, in its own unit
REACH = 1e-5  # scaled change of the unknowns over which outputs are differenced; the error is its square
SHOOTING = "shooting"


def sensitivities(
    system: Source, outputs: Sequence[str], parameters: Sequence[str], *, time: float = 0.0
) -> dict[str, dict[str, float]]:
    """Derivative of each output with respect to each parameter, `result[output][parameter]`, at equilibrium.

    One equilibrium is found, by shooting; the rest is linear algebra with its exact derivative. Raises
    InputError for a path that does not lead to a number, ConvergenceError if there is no equilibrium.
    """
    system = System.of(system)
    outputs = arguments.texts("outputs", outputs, "lines.m1.end_b.tension")
    parameters = arguments.texts("parameters", parameters, "lines.m1.pieces.0.length")
    solver = solver_class(SHOOTING)()
    model = still(build(system), time)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, time)
    if not report.good:
        statics(system, SHOOTING, time=time)  # raises, with the reason
    solution = solver.solution(model, work)
    result: dict[str, dict[str, float]] = {output: {} for output in outputs}
    base = _summary(system, solution, report, time)
    for output in outputs:
        read(base, output)
    for parameter in parameters:
        value = number(system, parameter)
        step = SHARE * abs(value) or LEAST

        def vary(h: float, parameter: str = parameter, value: float = value) -> Model:
            return build(with_number(system, parameter, value + h))

        direction = solution.tangent(vary, step)
        size = solution.size(direction)
        reach = min(step, REACH / size) if size > 0.0 else step
        sides = [_along(system, solution, vary, direction, sign * reach, time) for sign in (1.0, -1.0)]
        for output in outputs:
            result[output][parameter] = (read(sides[0], output) - read(sides[1], output)) / (2.0 * reach)
    return result


def _along(system: System, solution: Solution, vary: Callable[[float], Model], direction: Array, step: float,
           time: float) -> dict[str, Any]:  # fmt: skip
    """Summary of the solution carried along its tangent."""
    return _summary(system, solution.moved(vary(step), direction, step), Report(), time)


def _summary(system: System, solution: Solution, report: Report, time: float) -> dict[str, Any]:
    solver = solver_class(SHOOTING)()
    work = solver.held(solution, time)
    model = solution.model
    return Equilibrium(system, model, solver.read(model, work), report, SHOOTING, (solver, work)).summary


def read(summary: dict[str, Any], path: str) -> float:
    """The number of a summary at a path."""
    value = _walk(summary, path, "output")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"output '{path}' is not a number; choose one of its parts: {_parts(value)}")
    return float(value)


def number(system: System, path: str) -> float:
    """The number of a case at a path."""
    value = _walk(system.model_dump(by_alias=True, exclude_unset=True), path, "parameter")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"parameter '{path}' is not a number in the case; choose one of its parts: {_parts(value)}")
    return float(value)


def with_number(system: System, path: str, value: float) -> System:
    """The case with another number at a path, checked again."""
    return system.replace(path, value)


def _walk(data: Any, path: str, what: str) -> Any:
    for part in path.split("."):
        try:
            data = data[int(part)] if isinstance(data, list | tuple) else data[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise InputError(f"{what} '{path}': nothing at '{part}'. Available: {_parts(data)}") from None
    return data


def _parts(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(map(str, value)) or "nothing"
    return f"0 to {len(value) - 1}" if isinstance(value, list | tuple) and value else "nothing"
