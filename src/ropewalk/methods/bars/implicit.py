r"""Implicit steps for bars: generalised-alpha with exact multipliers, rigid or with axial compliance.

After [Arnold2007]. With :math:`\dot v` from the balance of forces at the end of the step and an auxiliary
:math:`a`,

.. math::
    (1 - \alpha_m)\, a' + \alpha_m a &= (1 - \alpha_f)\, \dot v' + \alpha_f \dot v, \\
    r' &= r + h v + h^2 \left((\tfrac12 - \beta)\, a + \beta a'\right), \qquad
    v' = v + h \left((1 - \gamma)\, a + \gamma a'\right),

lengths met at the end: :math:`|d'| = l + C T'`. Second order; waves across the bars may be longer than the step.

Where a slack bar comes taut with a blow, these steps throw its ends back faster than they came. Such a step is done
again by backward Euler, and so is the next one: the bar then keeps no speed along itself, as without restitution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ropewalk.errors import InputError
from ropewalk.methods.bars.arrays import Bars
from ropewalk.methods.bars.constrained import BAR_CLAIMS
from ropewalk.methods.bars.contact import move_grips
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.energies import energies
from ropewalk.methods.bars.kkt import build_kkt, newton_step, residuals
from ropewalk.methods.bars.ledger import book_step, kept, put_back
from ropewalk.methods.bars.loads import supports
from ropewalk.methods.bars.time import BarsInTime
from ropewalk.methods.bars.work import (
    BarsWork,
    Yielding,
    find_tensions,
    gaps,
    largest_strain,
    note_slack,
    refresh,
)
from ropewalk.methods.protocol import Claim, Report, Status
from ropewalk.model.arrays import Array, Flags, flags, floats
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.numerics.compile import kernel

MOST = 25  # Newton iterations of a step
FREEZE = 12  # after which slack bars stay slack and taut ones taut: the set of them may go to and fro for ever
BALANCED = 1e-9  # residual force over the largest load or tension
FITTED = 1e-11  # relative gap of a bar
ROUNDING = 4e-15  # of a position: what the differences of positions over h^2 can be good for
LIGHTEST = 1e-12  # kg, of nodes that are held and may have no mass
TURN = 1.0  # rad that a bar may turn in one iteration
HALVINGS = 8  # of a step that fails
# Where a step fails, rigid bars are first given this compliance, of what their masses move in a step of the given
# length. Taut bars may be redundant (flat netting); rounding in their lengths, 1e-12, then becomes tension
# without bound. A bar of 10 g that carries 10 N is 0.4 um longer at 20 ms.
GIVE = 1e-6
BLOW = -1.0  # in place of a spectral radius: backward Euler
HARD = 1e-6  # of its length by which a bar would overshoot in a step: less is no blow
STATE_ARRAYS = ("r", "v", "tension")
KEPT = ("rate", "a", "blow")  # of the memory, in snapshots
COUNTS = ("steps", "iterations", "gives")


class Memory(NamedTuple):
    """What generalised-alpha keeps between steps, and room for one."""

    rate: Array  # (n, 3) v dot at the end of the last step, m/s2
    a: Array  # (n, 3) auxiliary acceleration, m/s2
    old_r: Array  # (n, 3)
    old_v: Array  # (n, 3)
    new_rate: Array  # (n, 3)
    spare: Array  # (n, 3)
    was_rate: Array  # (n, 3) at the start of a step that may be done again
    was_a: Array  # (n, 3)
    was_tension: Array  # (m,) N
    blow: Flags  # (1,) where the next step follows a blow


@kernel
def alpha_step(bars, medium, motions, field, kkt, s, memory, rho, t, h, radius):
    r"""One step from t to t + h; iterations, or -1 if Newton fails (then the state is as before).

    .. math:: (1 - \alpha_m)\, a' + \alpha_m a = (1 - \alpha_f)\, \dot v' + \alpha_f \dot v

    Source: [Arnold2007]; docs/theory/ropes_and_nets.md. The Newton loop is its own, not numerics/newton.py: it is
    compiled into the step, solves the sparse saddle-point system of kkt.py, and slack bars switch within it.

    radius : spectral radius for infinitely short waves, 0 to 1, or BLOW    rho : (m,) N/m, see kkt.py

    Eleven arguments: the case (3), the memory of the method (4), the penalty, and the step (3).
    """
    if radius == BLOW:  # v' = v + h a', r' = r + h v'
        am, af, gamma, beta = 0.0, 0.0, 1.0, 1.0
        memory.a[:] = 0.0
    else:
        am = (2.0 * radius - 1.0) / (radius + 1.0)
        af = radius / (radius + 1.0)
        gamma = 0.5 + af - am
        beta = 0.25 * (gamma + 0.5) ** 2
    ca = (1.0 - am) / ((1.0 - af) * beta * h * h)
    cv = gamma / (beta * h)
    n = s.r.shape[0]
    memory.old_r[:] = s.r
    memory.old_v[:] = s.v
    for i in range(n):
        for c in range(3):
            s.r[i, c] += h * s.v[i, c] + 0.5 * h * h * memory.a[i, c]
    for iteration in range(MOST):
        supports(bars, motions, t + h, s.r, memory.spare, s.acceleration)
        for i in range(n):
            for c in range(3):
                a0, v0 = memory.a[i, c], memory.old_v[i, c]
                a1 = (s.r[i, c] - memory.old_r[i, c] - h * v0 - h * h * (0.5 - beta) * a0) / (beta * h * h)
                if bars.held[i]:
                    s.v[i, c], memory.new_rate[i, c] = memory.spare[i, c], s.acceleration[i, c]
                else:
                    s.v[i, c] = v0 + h * ((1.0 - gamma) * a0 + gamma * a1)
                    memory.new_rate[i, c] = ((1.0 - am) * a1 + am * a0 - af * memory.rate[i, c]) / (1.0 - af)
        kkt.frozen[0] = iteration >= FREEZE
        worst, gap = residuals(bars, medium, field, kkt, s.r, s.v, memory.new_rate, s.tension, rho, t + h)
        kkt.frozen[0] = False
        if not np.isfinite(worst):
            break
        scale = max(np.abs(field.force).max(), np.abs(s.tension).max())
        floor = ROUNDING * ca * bars.mass.max() * np.abs(s.r).max()
        if worst <= BALANCED * scale + floor and gap <= FITTED:
            for i in range(n):
                for c in range(3):
                    a0 = memory.a[i, c]
                    rate = (1.0 - af) * memory.new_rate[i, c] + af * memory.rate[i, c]
                    memory.a[i, c] = memory.new_rate[i, c] if bars.held[i] else (rate - am * a0) / (1.0 - am)
            memory.rate[:] = memory.new_rate
            return iteration + 1
        if newton_step(bars, field, kkt, s.r, s.tension, ca, cv, rho, TURN) < 0.0:
            break
    s.r[:] = memory.old_r
    s.v[:] = memory.old_v
    return -1


@kernel
def _comes_taut(bars, s, memory, h):
    """Whether a bar that cannot push was slack at the beginning of the step and ends it taut, at speed along itself.

    Source: T_0 <= 0 < T_1 (N) and |d . dv| h > HARD l |d| (m2), the heading of this file.
    """
    for k in range(bars.length.size):
        if bars.push[k] or memory.was_tension[k] > 0.0 or s.tension[k] <= 0.0:
            continue
        i, j = bars.node[k]
        square = 0.0
        closing = 0.0
        for c in range(3):
            d = memory.old_r[j, c] - memory.old_r[i, c]
            square += d * d
            closing += d * (memory.old_v[j, c] - memory.old_v[i, c])
        if abs(closing) * h > HARD * bars.length[k] * np.sqrt(square):
            return True
    return False


@kernel
def alpha_steps(bars, medium, motions, field, kkt, s, memory, rho, t, h, n_steps, radius):
    """n_steps of length h (s) from t; how many were done, and the iterations.

    Source: [Arnold2007]; a step with a blow is repeated with radius = BLOW, the heading of this file.

    Twelve arguments: those of :func:`alpha_step`, and how often.
    """
    total = 0
    for k in range(n_steps):
        memory.was_rate[:] = memory.rate
        memory.was_a[:] = memory.a
        memory.was_tension[:] = s.tension
        kind = BLOW if memory.blow[0] else radius
        used = alpha_step(bars, medium, motions, field, kkt, s, memory, rho, t + k * h, h, kind)
        struck = used >= 0 and _comes_taut(bars, s, memory, h)
        if struck and kind != BLOW:
            s.r[:] = memory.old_r
            s.v[:] = memory.old_v
            s.tension[:] = memory.was_tension
            memory.rate[:] = memory.was_rate
            used = alpha_step(bars, medium, motions, field, kkt, s, memory, rho, t + k * h, h, BLOW)
        if used < 0:
            memory.a[:] = memory.was_a
            return k, total
        book_step(bars, field, s.tension, s.r, s.v)
        move_grips(bars, medium, field, s.r, s.v)
        memory.blow[0] = struck
        total += used
    return n_steps, total


@dataclass(frozen=True)
class ConstrainedImplicit(BarsInTime):
    """Rigid or elastic bars, exact multipliers, implicit steps.

    step : s    spectral_radius : 1 keeps short waves, 0 takes them out in a step    damping : 1/s, mass-proportional
    slack : bars of sections without `compression` go slack instead of pushing; without it all bars can push
    lumping : of a bar's mass, 'halves' to its ends or all to the 'outer' one
    """

    step: float = 0.02
    spectral_radius: float = 0.2
    damping: float = 0.0
    slack: bool = True
    lumping: Lumping = "halves"

    name: ClassVar[str] = "constrained_implicit"
    claims: ClassVar[frozenset[Claim]] = BAR_CLAIMS | {Claim.ELASTIC}

    def start(self, model: Model, state: State) -> BarsWork:
        """Cut lines and nets into bars; elastic bars begin with the stretch of the state."""
        if not (self.step > 0.0 and 0.0 <= self.spectral_radius <= 1.0):
            raise InputError(
                f"{self.name}: step {self.step} s must be positive, spectral_radius {self.spectral_radius} from 0 to 1"
            )
        work = self._begin(model, state)
        if not self.slack:
            work.bars = work.bars._replace(push=flags(np.ones(work.bars.length.size, dtype=bool)))
        memory = _memory(work)
        if np.any(work.bars.compliance > 0.0):
            _let_go(work)
        memory.rate[:] = memory.a[:] = work.steps.old_force
        work.own = {"kkt": build_kkt(work.bars), "memory": memory, "steps": 0, "iterations": 0, "gives": 0}
        return work

    def advance(self, model: Model, work: BarsWork, t: float) -> Report:
        """Step to t; steps that fail are halved."""
        n, good, h = self._steps_to(work, t), True, 0.0
        for _ in range(HALVINGS):
            if n == 0:
                break
            h = (t - work.time) / n
            done, used = alpha_steps(
                self._giving(work), work.medium, work.motions, work.field, work.own["kkt"], work.steps,
                work.own["memory"], self._stiffness(work, h), work.time, h, n, self.spectral_radius,
            )  # fmt: skip
            work.own["steps"] += done
            work.own["iterations"] += used
            good = done == n
            work.time = t if good else work.time + done * h
            if good:
                break
            n = (2 if work.own["gives"] else 1) * (n - done)
            work.own["gives"] = 1
        return self._report(work, good, h)

    def _yielding(self) -> Yielding:
        return "all" if self.slack else "none"

    def reload(self, work: BarsWork) -> None:
        """Recompute tensions and accelerations after the loads in `work` have been changed."""
        note_slack(work)
        find_tensions(work)
        if np.any(work.bars.compliance > 0.0):
            _let_go(work)
        work.own["memory"].rate[:] = work.own["memory"].a[:] = work.steps.old_force

    def snapshot(self, work: BarsWork) -> dict[str, np.ndarray | float | int]:
        """What a run needs to go on to the same bits."""
        arrays = {name: getattr(work.steps, name).copy() for name in STATE_ARRAYS}
        memory = work.own["memory"]
        own = {name: work.own[name] for name in COUNTS} | {"grip": work.field.grip.hold.place.copy()}
        own |= {name: getattr(memory, name).copy() for name in KEPT} | kept(work.field.book)
        return {**arrays, **own, "time": work.time}

    def restore(self, model: Model, snapshot: dict[str, np.ndarray | float | int]) -> BarsWork:
        """Memory from a snapshot."""
        work = self._anew(model, float(snapshot["time"]))
        work.time = float(snapshot["time"])
        for name in STATE_ARRAYS:
            getattr(work.steps, name)[:] = snapshot[name]
        for name in KEPT:
            getattr(work.own["memory"], name)[:] = snapshot[name]
        for name in COUNTS:
            work.own[name] = int(snapshot[name])
        work.field.grip.hold.place = snapshot["grip"]
        put_back(work.field.book, snapshot)
        refresh(work)
        return work

    def _giving(self, work: BarsWork) -> Bars:
        """The bars, the rigid ones among them with some compliance once a step has failed."""
        bars = work.bars
        if not work.own["gives"]:
            return bars
        moves = np.where(bars.held, 0.0, 1.0 / np.maximum(bars.mass, LIGHTEST))[bars.node].sum(axis=1)
        rigid = (bars.compliance == 0.0) & ~bars.rod
        return bars._replace(compliance=floats(np.where(rigid, GIVE * self.step**2 * moves, bars.compliance)))

    def _stiffness(self, work: BarsWork, h: float) -> Array:
        """Axial stiffness in the upper block: that of the masses at the ends against the step."""
        mass = work.bars.mass[work.bars.node].sum(axis=1)
        return floats(mass / h**2)

    def _report(self, work: BarsWork, good: bool, h: float) -> Report:
        work.steps.old_force[:] = work.own["memory"].rate
        figures: dict[str, Any] = {
            "energy": energies(work),
            "steps": work.own["steps"],
            "largest_strain": largest_strain(work),
        }
        if good:
            return Report(iterations=work.own["iterations"], figures=figures)
        message = (
            f"no convergence at t = {work.time:.6g} s with a step of {h:.3g} s after {HALVINGS} halvings; "
            f"largest tension {np.abs(work.steps.tension).max():.4g} N: give a smaller step"
        )
        return Report(Status.NOT_CONVERGED, message, work.own["iterations"], figures=figures)


def _memory(work: BarsWork) -> Memory:
    """All zero."""
    of_nodes = {name: np.zeros(work.steps.r.shape) for name in Memory._fields}
    own = {"was_tension": np.zeros(work.steps.tension.size), "blow": np.zeros(1, dtype=bool)}
    return Memory(**{**of_nodes, **own})


def _let_go(work: BarsWork) -> None:
    """Tension of elastic bars from their length in the first state, and the accelerations that go with that."""
    s, bars = work.steps, work.bars
    elastic = bars.compliance > 0.0
    pulled = (gaps(work) - bars.length)[elastic] / bars.compliance[elastic]
    s.tension[elastic] = np.where(bars.push[elastic], pulled, np.maximum(pulled, 0.0))
    force = work.field.force.copy()
    pull = s.tension[:, None] * work.field.direction
    np.add.at(force, bars.node[:, 0], pull)
    np.add.at(force, bars.node[:, 1], -pull)
    s.old_force[:] = np.where(bars.held[:, None], s.acceleration, np.einsum("nij,nj->ni", s.mobility, force))
