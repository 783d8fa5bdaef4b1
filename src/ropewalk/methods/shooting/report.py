"""Report of an attempt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ropewalk.assembly.balance_newton import Place
from ropewalk.methods.protocol import Report, Status
from ropewalk.methods.shooting.assembly import Result
from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.build import Problem
from ropewalk.methods.shooting.multiple import growth
from ropewalk.methods.shooting.newton import BAD_START, CONVERGED, Path
from ropewalk.methods.shooting.pegs import START_FORCE
from ropewalk.methods.shooting.plan import Plan
from ropewalk.methods.shooting.read import line_table, node_position, over_forces
from ropewalk.methods.shooting.shape import end_place, peg_knots
from ropewalk.methods.shooting.sound import way_out
from ropewalk.methods.shooting.stiffness import stable_over
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.pegs import over_names
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.physics.elasticity import INEXTENSIBLE

OWN = 12  # columns of an arc's unknowns where its force begins, and with it the rows of its closure error
SLACK = 1.0e-6  # of a line's force scale: tension below which its shape is not unique
NO_PULL = 1.0e-2  # of a line's force scale: horizontal pull below which a line on the bed is taken as slack
OFF = 1.0e-3  # of a line: a peg this near an end has lost the line
RUN_AWAY = 30.0  # line lengths from where it started: nothing holds the part
NEAR, GRAZING = 0.02, 0.2  # of the length; slope: a line this near the surface and this flat grazes it
LOOKS, LOOK_TOLERANCE = 101, 1.0e-6  # where a failed line is looked at, and how well


@dataclass(frozen=True)
class Attempt:
    """A plan, and what came of it."""

    place: Place  # that it started from
    plan: Plan
    problem: Problem
    out: Result
    path: Path
    iterations: int  # with those of attempts before it
    load_steps: int = 0  # of load continuation
    fault: str = ""  # why the solution is no answer although Newton arrived

    @cached_property
    def growth(self) -> Array:
        """(n_arcs,) how much each arc magnifies errors; 1 for those that rest on the bed, which cuts do not mend."""
        numbers = growth(self.problem.arcs, self.out.end_state)
        return np.where(self.out.log.rest > 0.0, 1.0, numbers)

    @cached_property
    def worst_growth(self) -> float:
        """The largest of `growth`, at least 1."""
        return float(self.growth.max(initial=1.0))

    @property
    def good(self) -> bool:
        """True if Newton arrived."""
        return self.path.ending == CONVERGED

    @property
    def answer(self) -> bool:
        """True if Newton arrived at what is an answer."""
        return self.good and not self.fault


def report(model: Model, attempt: Attempt) -> Report:
    """Status, sentence and figures."""
    problem, out, path = attempt.problem, attempt.out, attempt.path
    arcs = problem.arcs
    miss, imbalance, steps, backward = _sums(arcs.dof, arcs.reverse, out.residual, out.log)
    figures: dict[str, Any] = {
        "residuals": path.residuals,
        "step_lengths": path.steps,
        "dampings": path.dampings,
        "restarts": path.restarts,
        "load_steps": attempt.load_steps,
        "growth": attempt.worst_growth,
        "intervals": arcs.line.size,
        "backward": backward,
        "integrator_steps": steps,
        "unknowns": problem.x.size,
    }
    if problem.pegs.size:
        figures["over"] = _over(model, problem, out)
    status, message = _good(model, attempt) if attempt.good else _bad(model, attempt, imbalance, miss)
    return Report(status, message, attempt.iterations, imbalance, miss, figures)


@kernel
def _sums(dof, reverse, residual, log):
    """Largest closure error (m), largest residual force or moment (N, N m), integration steps, arcs shot backward.

    Bookkeeping: max |C_i| over the two kinds of equations.

    dof : (n_arcs, LOCAL), of `Arcs`    reverse : (n_arcs,)    residual : (n,)    log : (n_arcs,) of LOG
    """
    miss, imbalance, steps, backward = 0.0, 0.0, 0, 0
    own = np.zeros(residual.size, dtype=np.bool_)
    for a in range(reverse.size):
        steps += int(log.steps[a])
        backward += 1 if reverse[a] else 0
        for i in range(OWN, OWN + 3):
            own[dof[a, i]] = True
    for i in range(residual.size):
        value = abs(residual[i])
        odd = np.isnan(value)  # no later value is larger, so it stays
        if own[i] and (value > miss or odd):
            miss = value
        elif not own[i] and (value > imbalance or odd):
            imbalance = value
    return miss, imbalance, steps, backward


@kernel(**UNCOUNTED)
def _first_slack(log, force):
    """The first slack arc, T_min < SLACK F (N), -1 for none.  log : (n_arcs,) of LOG    force : F, (n_arcs,) of `Arcs`

    Source: own choice of the limit.
    """
    for a in range(force.size):
        if log.lowest[a] < SLACK * force[a]:
            return a
    return -1


def _over(model: Model, problem: Problem, out: Result) -> dict[str, list[dict[str, Any]]]:
    """By line: what it runs over, where on the line (m), the tension there and the force on it (N)."""
    found: dict[str, list[dict[str, Any]]] = {}
    for i, p, s, force in over_forces(model, problem, out):
        tension = float(np.linalg.norm(line_table(model, problem, i, np.array([s]), LOOK_TOLERANCE)[0, 3:]))
        name = over_names(model, i)[p - int(model.lines.over_start[i])]
        row = {"name": name, "s": s, "tension": tension, "force": force.tolist()}
        found.setdefault(model.names.lines[i], []).append(row)
    return found


def _good(model: Model, attempt: Attempt) -> tuple[Status, str]:
    """Slack lines and load continuation are reported; solutions with a fault are refused."""
    if attempt.fault:
        return Status.UNSUPPORTED, attempt.fault
    problem, out = attempt.problem, attempt.out
    said = []
    status = Status.DONE
    arcs = problem.arcs
    slack = int(_first_slack(out.log, arcs.force))
    if slack >= 0:
        status = Status.SLACK
        said.append(f"line '{model.names.lines[arcs.line[slack]]}' is slack")
    if not stable_over(problem, out):
        line = model.names.lines[problem.pegs[0, 0]]
        said.append(f"line '{line}' is in unstable equilibrium over its points: a disturbance makes it slide")
    if attempt.load_steps:
        said.append(f"current and pressure were increased in {attempt.load_steps} steps")
    return status, "; ".join(said)


def _bad(model: Model, attempt: Attempt, imbalance: float, miss: float) -> tuple[Status, str]:
    """Which part fails, with the numbers."""
    problem, out, path = attempt.problem, attempt.out, attempt.path
    numbers = [problem.x, model.lines.length, out.residual]
    if path.ending == BAD_START and not all(np.all(np.isfinite(v)) for v in numbers):
        return Status.NOT_FINITE, "a position, length or load is not a finite number"
    short = _too_short(model, attempt)
    if short:
        return Status.TOO_SHORT, short
    lost = _runs_off(model, attempt) or _lost(model, attempt)
    if lost:
        return Status.NO_EQUILIBRIUM, lost
    worst = int(np.argmax(np.nan_to_num(np.abs(out.residual / problem.scales.row), nan=np.inf)))
    shapeless = _slack_on_bed(model, attempt) or _at_surface(model, attempt)
    if shapeless:
        return Status.UNSUPPORTED, shapeless
    restless = _no_rest_over(model, problem, worst)
    if restless:
        return Status.NOT_CONVERGED, f"{restless} after {attempt.iterations} iterations"
    upright = _upright(model, attempt)
    if upright:
        return Status.NOT_CONVERGED, upright
    text = f"{_part(model, problem, worst)} after {attempt.iterations} iterations and {path.restarts} restarts"
    return (
        Status.NOT_CONVERGED,
        f"{text}; largest closure error {miss:.3g} m, largest residual force {imbalance:.3g} N",
    )


def _part(model: Model, problem: Problem, row: int) -> str:
    """What an equation belongs to."""
    arc = np.flatnonzero(np.any(problem.arcs.dof[:, START_FORCE] == row, axis=1))
    if arc.size:
        return f"line '{model.names.lines[problem.arcs.line[arc[0]]]}' does not reach its end"
    node = np.flatnonzero(np.any(problem.nodes.dof == row, axis=1))
    n_points = len(model.names.points)
    if node.size and node[0] < n_points:
        return f"point '{model.names.points[node[0]]}' is out of balance"
    body = np.flatnonzero(np.any(problem.rigid.dof == row, axis=1))
    if body.size:
        return f"body '{model.names.bodies[problem.rigid.which[body[0]]]}' is out of balance"
    return "a cut of a line is out of balance"


def _too_short(model: Model, attempt: Attempt) -> str:
    """Sentence about an inextensible line between held ends that cannot reach; empty if there is none."""
    lines = model.lines
    free = attempt.problem.nodes.dof >= 0
    for i in range(lines.length.size):
        pieces = lines.piece_section[lines.piece_start[i] : lines.piece_start[i + 1]]
        arcs = np.flatnonzero(attempt.problem.arcs.line == i)
        ends = attempt.problem.arcs.node[arcs]
        held = not np.any(free[[ends[0, 0], ends[-1, 1]]]) or arcs.size > 1
        over = lines.over_start[i + 1] > lines.over_start[i]
        if over:
            held = not np.any(free[ends.ravel()])
        way = peg_knots(model, attempt.place, i)[1]
        apart = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
        if held and np.all(model.sections.law[pieces] == INEXTENSIBLE) and apart >= lines.length[i]:
            return (
                f"line '{model.names.lines[i]}': length {lines.length[i]:.6g} m is shorter than the {apart:.6g} m "
                f"{'over its points' if over else 'between its ends'}; lengthen it or give it axial_stiffness"
            )
    return ""


def _lost(model: Model, attempt: Attempt) -> str:
    """Sentence about a part that ran away; empty if there is none."""
    reach = RUN_AWAY * float(np.max(model.lines.length, initial=1.0))
    for k, name in enumerate(model.names.points):
        where = node_position(attempt.problem, k)
        if not np.linalg.norm(where - attempt.place.points[k]) <= reach:
            return f"point '{name}' drifts away to ({', '.join(f'{x:.4g}' for x in where)}) m; nothing holds it"
    for j, b in enumerate(attempt.problem.rigid.which):
        where = attempt.problem.x[attempt.problem.rigid.dof[j, :3]]
        if not np.linalg.norm(where - attempt.place.bodies[b]) <= reach:
            text = ", ".join(f"{x:.4g}" for x in where)
            return f"body '{model.names.bodies[b]}' drifts away to ({text}) m; nothing holds it"
    return ""


def _runs_off(model: Model, attempt: Attempt) -> str:
    """Sentence about a line that slides off a peg; empty if there is none."""
    for i, _, d in attempt.problem.pegs:
        s, length = float(attempt.problem.x[d]), float(model.lines.length[i])
        if min(s, length - s) < OFF * length:
            end, name = ("A" if s < 0.5 * length else "B"), model.names.lines[i]
            return f"line '{name}' slides off '{', '.join(over_names(model, i))}' past its end {end}; nothing holds it"
    return ""


def _no_rest_over(model: Model, problem: Problem, row: int) -> str:
    """Sentence about a line over pegs that an unmet equation belongs to; empty if it belongs to none."""
    arcs = problem.arcs
    for i in np.unique(problem.pegs[:, 0]):
        if np.any(arcs.dof[arcs.line == i] == row):
            over = ", ".join(over_names(model, int(i)))
            return f"line '{model.names.lines[i]}' does not come to rest over '{over}'"
    return ""


def _slack_on_bed(model: Model, attempt: Attempt) -> str:
    """Sentence about a line that lies on the bed without a pull; empty if there is none."""
    arcs, normal = attempt.problem.arcs, model.sea.bed_normal
    for a in np.flatnonzero(arcs.on_bed != HANGING):
        n0 = attempt.problem.x[arcs.dof[a, START_FORCE]]
        if np.linalg.norm(n0 - (n0 @ normal) * normal) < NO_PULL * arcs.force[a]:
            name = model.names.lines[arcs.line[a]]
            return f"line '{name}' lies slack on the seabed, where it has no unique shape{way_out(model)}"
    return ""


def _at_surface(model: Model, attempt: Attempt) -> str:
    """Sentence about a line that comes to lie on the surface or grazes it; empty if there is none."""
    lines = model.lines
    if model.sea.water_density == 0.0:
        return ""
    for i in range(lines.length.size):
        length = float(lines.length[i])
        s = np.linspace(0.0, length, LOOKS)
        table = line_table(model, attempt.problem, i, s, LOOK_TOLERANCE)
        inner = table[1:-1]
        level = np.abs(inner[:, 5]) < GRAZING * np.linalg.norm(inner[:, 3:], axis=1)
        if np.any((np.abs(inner[:, 2]) < NEAR * length) & level):
            return (
                f"line '{model.names.lines[i]}' comes to lie along the water surface, where its load jumps, "
                f"which shooting does not model{way_out(model)}"
            )
    return ""


def _upright(model: Model, attempt: Attempt) -> str:
    """Sentence about a line that nothing pulls sideways and that is longer than its ends are apart; empty if none."""
    arcs, x = attempt.problem.arcs, attempt.problem.x
    for a in range(arcs.line.size):
        i = int(arcs.line[a])
        apart = float(np.linalg.norm(end_place(model, attempt.place, i, 1) - end_place(model, attempt.place, i, 0)))
        sideways = float(np.hypot(*x[arcs.dof[a, START_FORCE]][:2]))
        if sideways < SLACK * arcs.force[a] and apart < float(model.lines.length[i]):
            name = model.names.lines[i]
            return f"line '{name}' hangs slack in vertical legs and has no unique shape{way_out(model)}"
    return ""
