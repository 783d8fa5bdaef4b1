"""Equilibrium on the mesh of the frequency analyses: Newton with the exact tangent, from any solver's State.

The matrices must be taken where the elements themselves are at rest: half a percent of unbalanced force would
show as false stiffness of a body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.assembly.ropes import freeze_ropes
from ropewalk.errors import ConvergenceError
from ropewalk.loads.bed import heights_over
from ropewalk.methods.linear.assembly import Assembled, assemble
from ropewalk.methods.linear.unknowns import Place, Unknowns
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State, end_positions, resample
from ropewalk.numerics.rotations import quaternion_exp, quaternion_normalise, quaternion_product
from ropewalk.numerics.sparse_lu import Factors

PLAIN_ITERATIONS = 25
MOST_ITERATIONS = 100  # damped ones
FORCE_TOLERANCE = 1e-9  # of the force scale
POLISH = 1  # steps after that: a shallow taut cable's balance of weight is far below its tension
LENGTH_TOLERANCE = 1e-10  # of the longest line
STUCK = 1e3  # times the tolerances: good enough where a kink of the bed stops the descent
FIRST_MASS = 1e-3  # 1/s2, of gravity over length: first Levenberg mass factor
NEUTRAL = 1e-8  # of gravity over length: mass factor of every step, far below omega^2 of modes, far above round-off
MASS_UP, MASS_DOWN = 10.0, 0.1  # its change after a bad and a good iteration
ON_BED, NEAR_BED = 1e-3, 1e-4  # m, or of the longest line: this near the bed, a solver with a rigid bed has laid a node
LEAST_SCALE = 1e-6  # N, m: scales of a case without weight or lines


class Rest(NamedTuple):
    """A place at rest and what was assembled there."""

    place: Place
    assembled: Assembled
    force: float  # largest residual force, N
    miss: float  # largest length missed, m
    iterations: int


def place_of(model: Model, unknowns: Unknowns, state: State) -> Place:
    """A State on the mesh."""
    mesh = unknowns.mesh
    r, T = np.zeros((mesh.s.size, 3)), np.zeros(mesh.element.shape[0])
    for line in range(model.lines.length.size):
        n = slice(mesh.node_start[line], mesh.node_start[line + 1])
        e = slice(mesh.element_start[line], mesh.element_start[line + 1])
        s = mesh.s[n]
        r[n] = resample(state, line, s)[0]
        T[e] = resample(state, line, 0.5 * (s[1:] + s[:-1]))[2]
    r = _settled(model, unknowns, r)
    place = Place(np.concatenate([r, state.point_position]), T, state.body_position.copy(),
                  state.body_quaternion.copy(), np.zeros(unknowns.link.size))  # fmt: skip
    return _slackened(unknowns, joined(model, unknowns, place))


def _slackened(unknowns: Unknowns, place: Place) -> Place:
    """`place` with the small push of elements that are slack, where bars without tension are shorter than they are.

    Their length equation then holds: elements give way in compression with a stiffness that is small, not nothing.
    """
    element, first = unknowns.mesh.element, unknowns.first
    strain = np.linalg.norm(place.r[first + 1] - place.r[first], axis=1) / element["length"] - 1.0
    slack = (place.T <= 0.0) & (strain < 0.0) & (element["slack"] > 0.0)
    return place._replace(T=np.where(slack, element["slack"] * strain, place.T))


def _settled(model: Model, unknowns: Unknowns, r: Array) -> Array:
    """Nodes on the bed sunk in until it carries their weight: solvers with a rigid bed leave them on its surface."""
    mesh, sea = unknowns.mesh, model.sea
    if not mesh.has_bed:
        return r
    weight = mesh.node[: mesh.s.size].mass - sea.water_density * mesh.node[: mesh.s.size].volume
    lift = sea.water_density * mesh.element["half_volume"]
    np.subtract.at(weight, unknowns.first, lift)
    np.subtract.at(weight, unknowns.first + 1, lift)
    area = np.maximum(mesh.node[: mesh.s.size].bed_area, LEAST_SCALE)
    sunk = np.maximum(weight * sea.gravity, 0.0) / (mesh.bed.law.stiffness[0] * area)
    normal, over = heights_over(mesh.bed, r)
    height = over - mesh.node[: mesh.s.size].radius
    on_bed = height < min(ON_BED, NEAR_BED * float(np.max(model.lines.length, initial=0.0)))
    shift = np.where(on_bed, -sunk - height, 0.0)
    return r + shift[:, None] * normal


def joined(model: Model, unknowns: Unknowns, place: Place) -> Place:
    """`place` with the lines' end nodes where points and bodies are."""
    r = place.r.copy()
    r[unknowns.ends] = end_positions(model, r[unknowns.mesh.s.size :], place.body_position, place.quaternion)
    return place._replace(r=r)


def moved(model: Model, unknowns: Unknowns, place: Place, S: Array, step: Array) -> Place:
    """`place` after a step of the unknowns."""
    r = place.r + (S @ step).reshape(-1, 3)
    position, quaternion = place.body_position.copy(), place.quaternion.copy()
    for k in np.flatnonzero(unknowns.body[:, 0] >= 0):
        position[k] += step[unknowns.body[k, :3]]
        turned = quaternion_product(quaternion_exp(step[unknowns.body[k, 3:]]), quaternion[k])
        quaternion[k] = quaternion_normalise(turned)
    hold = place.hold + step[unknowns.link]
    return joined(model, unknowns, Place(r, place.T + step[unknowns.tension], position, quaternion, hold))


def scales(model: Model, place: Place) -> tuple[float, float]:
    """A force (N) and a length (m) typical of the case."""
    lines, sections = model.lines, model.sections
    g = max(model.sea.gravity, 1.0)
    k = lines.piece_section
    weight = g * float(np.max(sections.mass[k] * lines.piece_length, initial=0.0))
    force = max(weight, float(np.max(np.abs(place.T), initial=0.0)), g * float(np.max(model.bodies.mass, initial=0.0)))
    return max(force, LEAST_SCALE), max(float(np.max(lines.length, initial=0.0)), LEAST_SCALE)


class _Judge:
    """Measures how far a place is from rest."""

    def __init__(self, model: Model, unknowns: Unknowns, place: Place, mass_damping: float) -> None:
        self.model, self.unknowns, self.mass_damping = model, unknowns, mass_damping
        self.force_scale, self.length_scale = scales(model, place)
        self.lengths = np.zeros(unknowns.size, dtype=bool)
        self.lengths[unknowns.tension] = True
        self.lengths[unknowns.link] = True

    def __call__(self, place: Place, iterations: int = 0) -> Rest:
        found = assemble(self.model, self.unknowns, place, self.mass_damping)
        size = np.abs(found.residual)
        force = float(np.max(size[~self.lengths], initial=0.0))
        return Rest(place, found, force, float(np.max(size[self.lengths], initial=0.0)), iterations)

    def merit(self, rest: Rest) -> float:
        """Dimensionless unbalance."""
        return rest.force / self.force_scale + rest.miss / self.length_scale

    def is_done(self, rest: Rest, loosened: float = 1.0) -> bool:
        """True if balanced, to the tolerances times `loosened`."""
        return (
            rest.force <= loosened * FORCE_TOLERANCE * self.force_scale
            and rest.miss <= loosened * LENGTH_TOLERANCE * self.length_scale
        )

    def stepped(self, rest: Rest, mass: float) -> Rest | None:
        """One Newton step with a Levenberg mass (1/s2); None if the matrix is singular or the step goes nowhere.

        Some mass there always is: nothing holds an axisymmetric buoy on one line against turning about its axis, and
        K alone has no inverse then.
        """
        mass += NEUTRAL * max(self.model.sea.gravity, 1.0) / self.length_scale
        try:
            step = Factors(rest.assembled.K + mass * rest.assembled.M).solve(-rest.assembled.residual)
        except np.linalg.LinAlgError:
            return None
        place = moved(self.model, self.unknowns, rest.place, rest.assembled.S, step)
        new = self(place, rest.iterations + 1)
        return new if np.isfinite(self.merit(new)) else None


def find_rest(model: Model, unknowns: Unknowns, state: State, mass_damping: float = 0.0) -> Rest:
    """The equilibrium of the elements next to `state`; ConvergenceError if there is none.

    First plain Newton, which may go up before it goes down where lines settle on the bed; should that fail, steps
    with a Levenberg mass that never go up. Not numerics/newton.py, which takes no step that raises its merit and has no
    mass to add.
    """
    place = place_of(model, unknowns, state)
    judge = _Judge(model, unknowns, place, mass_damping)
    first = judge(place)
    if unknowns.link.size:
        first = judge(_with_multipliers(unknowns, first))
    rest = _plain(judge, first)
    if not judge.is_done(rest):
        rest = min(rest, _damped(judge, first), key=judge.merit)
    if judge.is_done(rest, STUCK):
        if not unknowns.mesh.rope.shape[0]:
            return rest
        freeze_ropes(rest.place.T, unknowns.mesh)  # small motions are fast, and see the dynamic stiffness
        return judge(rest.place, rest.iterations)
    raise ConvergenceError(
        f"the elements have no equilibrium near the one found: residual force {rest.force:.3g} N, "
        f"length error {rest.miss:.3g} m after {rest.iterations} iterations; give the lines more elements"
    )


def _with_multipliers(unknowns: Unknowns, rest: Rest) -> Place:
    """The place with the multipliers of links that balance the bodies best."""
    moving = np.setdiff1d(np.arange(unknowns.size), np.concatenate([unknowns.tension, unknowns.link]))
    by = rest.assembled.K[:, unknowns.link].tocsr()[moving].toarray()
    hold = np.linalg.lstsq(by, -rest.assembled.residual[moving], rcond=None)[0]
    return rest.place._replace(hold=hold)


def _plain(judge: _Judge, rest: Rest) -> Rest:
    polished = 0
    for _ in range(PLAIN_ITERATIONS):
        done = judge.is_done(rest)
        if done and polished == POLISH:
            break
        polished += done
        new = judge.stepped(rest, 0.0)
        if new is None or (done and not judge.is_done(new)):
            break
        rest = new
    return rest


def _damped(judge: _Judge, rest: Rest) -> Rest:
    least = FIRST_MASS * max(judge.model.sea.gravity, 1.0) / judge.length_scale
    mass = least
    for _ in range(MOST_ITERATIONS):
        if judge.is_done(rest):
            break
        new = judge.stepped(rest, mass)
        if new is not None and judge.merit(new) < judge.merit(rest):
            rest = new
            mass = mass * MASS_DOWN if mass > least else 0.0
        else:
            mass = max(least, mass * MASS_UP)
    return rest
