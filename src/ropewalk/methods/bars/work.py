"""What the bar solvers share: memory of a run, where it starts, what is read from it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ropewalk.assembly.given import pushed
from ropewalk.errors import InputError
from ropewalk.loads.given import spring_pull
from ropewalk.loads.grip import friction_of
from ropewalk.methods.bars.arrays import Bars, Field, Medium, Places, Pushes, make_field
from ropewalk.methods.bars.bed import carried, grounded
from ropewalk.methods.bars.bodies import body_rates, read_bodies
from ropewalk.methods.bars.build import build_bars, build_medium
from ropewalk.methods.bars.contact import rub
from ropewalk.methods.bars.draft import Lumping
from ropewalk.methods.bars.graph import Graph, assemble, build_graph, pulls, redundant_give, solve_tensions, spread
from ropewalk.methods.bars.hinges import hinge_rates
from ropewalk.methods.bars.links import link_loads
from ropewalk.methods.bars.loads import directions, loads, mobility, node_loads, supports, surroundings
from ropewalk.methods.bars.nets import read_nets
from ropewalk.methods.bars.rattle import (
    CONSTANT,
    DAMPED,
    DONE,
    NO_FACTOR,
    OUT,
    PLACED,
    TALLY,
    Steps,
    make_steps,
    meet_in_turn,
    meet_lengths,
    meet_rates_one_sided,
    tensions,
)
from ropewalk.model.arrays import Array, Flags, floats
from ropewalk.model.given import ON_ATTACHMENT, ON_POINT, without_changes
from ropewalk.model.joints import HELD, Motions
from ropewalk.model.lines import BODY
from ropewalk.model.model import Model
from ropewalk.model.state import State
from ropewalk.physics.waves import VELOCITY

START_TOLERANCE = 1e-12  # relative strain of the bars at the start
STRAIGHTEN = 200  # projections of a given shape onto the lengths of its bars, each along new directions
CLOSE = 1e-9  # relative strain at which the projection has arrived
VISIBLE = 1e-4  # relative strain that shows in the digits of a message
GIVE = 1e6  # times the largest mobility: compliance of elastic bars where only the rigid ones are to be met
LOOSE = 1e-9  # relative: bars that yield and are shorter by more are slack at the start
PUSHES = 1e-9  # of the largest tension: with which bars that yield may push at a moment
RELEASES = 20  # of such bars, one lot after the other
SLOPE = 1.0  # of the coefficients of screens by their angle, 1/rad, at most
TURNS = 4.0  # sum over the corners of how far each turns a screen, about two axes, times its shorter width
NO_LENGTH = 1e-9  # of the bar's length: ends closer than this give a bar no direction
EYE = floats(np.eye(3))

Yielding = Literal["none", "twines", "all"]


@dataclass
class BarsWork:
    """Memory of a run."""

    time: float  # s
    bars: Bars
    places: Places
    medium: Medium
    motions: Motions
    field: Field
    graph: Graph
    steps: Steps
    kind: int  # of the loads: CONSTANT, PLACED or DAMPED
    own: dict[str, Any] = dataclasses.field(default_factory=dict)  # of one solver

    def own_loads(self) -> tuple[Array, Array]:
        """Forces (n, 3) and masses (n, 3, 3) of the nodes without buoyancy, drag and added mass of bars."""
        alone = make_field(self.bars.mass.size, 0, self.field.hulls, self.field.given)
        alone = alone._replace(flow=self.field.flow, grip=self.field.grip)
        node_loads(self.bars, self.medium, alone, self.steps.r, self.steps.v)
        if self.medium.has_bed:
            rub(self.medium.bed, alone, self.steps.r)
        return alone.force, alone.inertia


def start_bars(model: Model, state: State, damping: float, lumping: Lumping, strict: bool = True,
               yielding: Yielding = "none") -> BarsWork:  # fmt: skip
    """Bars of the model at a state, brought to their lengths, with tensions.

    strict : refuse what cannot be brought to its lengths; otherwise it stays as it is given
    yielding : which bars, of those that cannot push, go slack; slack ones stay as they are given
    """
    bars, places, hulls, r, v = build_bars(without_changes(model), state, lumping)
    if bars.length.size == 0:
        raise InputError("there are no lines or nets; the bar solvers have nothing to do")
    medium = build_medium(model, damping)
    graph = build_graph(bars)
    arrays = make_field(r.shape[0], bars.length.size, hulls, _pushes(model, places, r.shape[0]))
    steps = make_steps(graph, r, v)
    kind = PLACED if bars.spring.size + bars.hinge.size + bars.tie.size > 0 or model.given.changes else CONSTANT
    damped = damping > 0.0 or bool(np.any(bars.hinge_law["damping"] > 0.0))
    if damped or medium.water_density > 0.0 or medium.has_bed or hulls.body.size > 0:
        kind = DAMPED
    work = BarsWork(state.time, bars, places, medium, model.motions, arrays, graph, steps, kind)
    supports(bars, model.motions, state.time, steps.r, steps.v, steps.acceleration)
    _refuse_no_length(work, model)
    steps.yields[:] = _yields(work, yielding, state)
    note_slack(work)
    if yielding == "all":
        _straighten_lines(work, state)
    if np.any(bars.compliance > 0.0):
        _meet_rigid_lengths(work)
    elastic = bars.compliance > 0.0
    work.bars = bars._replace(length=floats(np.where(elastic, gaps(work), bars.length)))  # these stay as they are
    straighten(work, model, strict, yielding)
    work.bars = bars
    steps.give[:] = redundant_give(graph, arrays.direction)
    soften(steps)
    if np.any(steps.give > 0.0) or np.any(elastic):  # loads go with the lengths of the bars
        find_tensions(work)
        steps.rate_tension[:] = steps.tension
    return work


def _pushes(model: Model, places: Places, n: int) -> Pushes:
    """Given loads that change, on n nodes; what does not change of forces on nodes is in the bars."""
    rows = pushed(model.given, {a: (-1, int(node)) for a, node in enumerate(places.attachment)})
    on_point, on_node = rows.kind == ON_POINT, (rows.kind == ON_POINT) | (rows.kind == ON_ATTACHMENT)
    rows.row[on_point] = places.point[rows.row[on_point]]
    rows.steady[on_node] = 0.0
    first = {int(row): k for k, row in reversed(list(enumerate(rows.row.tolist()))) if on_node[k]}
    rows.is_first[on_node] = [int(first[int(rows.row[k])] == k) for k in np.flatnonzero(on_node)]
    lost = on_point & (rows.row < 0)  # nothing is fastened to the point
    return Pushes(rows[~lost], np.zeros((n, 3)), model.functions)


def _yields(work: BarsWork, yielding: Yielding, state: State) -> Flags:
    """(m,) bars that go slack instead of pushing; of lines, unless all do, those that are slack in the state."""
    bars, lines = work.bars, int(work.places.bar_start[-1])
    out: Flags = ~bars.push & ~bars.rod & (yielding != "none")
    if yielding == "twines":
        out[:lines] &= _slack_in_lines(work, state)
    return out


def note_slack(work: BarsWork) -> None:
    """Of the bars that yield, those that are shorter than their length are slack."""
    s = work.steps
    s.slack[:] = s.yields & (gaps(work) < (1.0 - LOOSE) * work.bars.length)
    soften(s)


def soften(s: Steps) -> None:
    """Compliance of the bars once the slack ones are known."""
    s.soft[:] = s.give + OUT * s.slack
    s.tally[0].factor = NO_FACTOR  # a factor of other bars is of no use


def _straighten_lines(work: BarsWork, state: State) -> None:
    """Bars of lines are not slack at the start, unless the state has no tension there."""
    s = work.steps
    s.slack[: int(work.places.bar_start[-1])] &= _slack_in_lines(work, state)
    soften(s)


def _slack_in_lines(work: BarsWork, state: State) -> Flags:
    """(bars of lines,) those without tension in a state of these bars.

    None where the state is another method's: bars cut from a curve are all shorter than the curve.
    """
    places = work.places
    if state.element_tension.size and np.array_equal(state.s, places.line_s):
        slack: Flags = np.delete(state.element_tension, places.line_start[1:] - 1) <= 0.0
        return slack
    return np.zeros(int(places.bar_start[-1]), dtype=bool)


def straighten(work: BarsWork, model: Model, strict: bool = True, yielding: Yielding = "none") -> None:
    """Move the nodes so that all bars have their lengths, and take out rates of lengthening."""
    bars, steps, field = work.bars, work.steps, work.field
    refresh(work)
    given = steps.r.copy()
    for _ in range(STRAIGHTEN):
        loads(bars, work.medium, field, steps.r, steps.v)
        mobility(bars, field, 0.0, steps.mobility)
        directions(bars.node, steps.r, field.direction)
        pulls(work.graph, bars.node, field.direction, steps.mobility)
        steps.tally[0].factor = NO_FACTOR
        before = steps.r.copy()
        if meet_lengths(bars, work.graph, steps, field.direction, 1.0, START_TOLERANCE) == DONE:
            break
        steps.r[:] = before
        meet_in_turn(bars, steps)
    else:
        strain = np.where(steps.slack, 0.0, strains(work))
        k = int(np.argmax(np.abs(strain)))
        if not abs(strain[k]) <= CLOSE and not strict:
            steps.r[:] = given
        elif not abs(strain[k]) <= CLOSE:
            name = bar_name(work, model, k)
            raise InputError(_unmet(name, float(bars.length[k]), float(strain[k]), yielding != "none"))
    refresh(work)
    pulls(work.graph, bars.node, field.direction, steps.mobility)
    steps.tally[0].factor = NO_FACTOR
    steps.tension[:] = 0.0
    speed = max(float(np.abs(steps.v).max(initial=0.0)), float(bars.length.min()))
    steps.rate_tension[:] = 0.0
    meet_rates_one_sided(bars, work.graph, steps, field.direction, 1.0, START_TOLERANCE * speed)
    steps.tally[:] = np.zeros(1, dtype=TALLY)
    find_tensions(work)
    steps.rate_tension[:] = steps.tension


def _unmet(name: str, length: float, strain: float, yields: bool) -> str:
    """That a bar does not get its length (m); it is off by a strain.  yields : whether bars of the solver go slack"""
    if abs(strain) > VISIBLE:
        way_out = "lengthen" if yields else "use the solver 'constrained', whose bars go slack, or lengthen"
        return (
            f"{name}: its ends are {length * (1.0 + strain):.6g} m apart and cannot be brought to its length of "
            f"{length:.6g} m; {way_out} the line or move its ends"
        )
    return (
        f"{name}: a relative error of {abs(strain):.2g} in its length of {length:.6g} m is left after {STRAIGHTEN} "
        "projections of a slack shape onto the lengths of its bars; use the solver 'constrained' or 'mixed_fem', "
        "which do not straighten slack lines"
    )


def _refuse_no_length(work: BarsWork, model: Model) -> None:
    """Raise InputError for bars without a direction."""
    gap, length = gaps(work), work.bars.length
    if np.any(gap <= NO_LENGTH * length):
        k = int(np.argmin(gap / length))
        raise InputError(
            f"{bar_name(work, model, k)}: its ends coincide, {gap[k]:.3g} m apart, but it is "
            f"{length[k]:.6g} m long; give the state another shape"
        )


def _meet_rigid_lengths(work: BarsWork) -> None:
    """Newton on the lengths of the rigid bars that are not slack alone; the elastic ones beside them give way.

    Not numerics/newton.py: steps, of least motion in the mass norm, are taken whole in the memory of the solver, and
    may raise the strain for a while.
    """
    bars, s, field = work.bars, work.steps, work.field
    refresh(work)
    rigid = (bars.compliance == 0.0) & ~s.slack
    before = s.r.copy()
    for _ in range(STRAIGHTEN):
        off = float(np.abs(strains(work)[rigid]).max(initial=0.0))
        if off <= START_TOLERANCE:
            return
        if not off <= 1.0:
            break
        loads(bars, work.medium, field, s.r, s.v)
        mobility(bars, field, 0.0, s.mobility)
        directions(bars.node, s.r, field.direction)
        pulls(work.graph, bars.node, field.direction, s.mobility)
        soft = GIVE * np.trace(s.mobility, axis1=1, axis2=2).max()
        if not assemble(work.graph, field.direction, np.where(rigid, 0.0, soft)):
            break
        solve_tensions(work.graph, np.where(rigid, gaps(work) - bars.length, 0.0), s.change)
        spread(work.graph, bars.node, s.change, 1.0, s.r)
    if not float(np.abs(strains(work)[rigid]).max(initial=0.0)) <= CLOSE:
        s.r[:] = before  # `straighten` reports what cannot be met


def refresh(work: BarsWork) -> None:
    """Directions and water at the present positions."""
    directions(work.bars.node, work.steps.r, work.field.direction)
    surroundings(work.medium, work.field, work.steps.r, work.time)


def find_tensions(work: BarsWork) -> bool:
    """Exact tensions and accelerations at the present state; of the bars that yield, none pushes."""
    s = work.steps
    known = bool(tensions(work.bars, work.medium, work.field, work.graph, s))
    if not s.yields.any():
        return known
    kept = s.slack.copy()
    for _ in range(RELEASES):
        pushes = s.yields & (s.tension < -PUSHES * np.abs(s.tension).max(initial=0.0))
        if not known or not np.any(pushes):
            break
        s.slack[pushes] = True
        soften(s)
        known = bool(tensions(work.bars, work.medium, work.field, work.graph, s))
    s.slack[:] = kept
    soften(s)
    return known


def gaps(work: BarsWork) -> Array:
    """Distances between the ends of the bars, m."""
    r, node = work.steps.r, work.bars.node
    size: Array = np.linalg.norm(r[node[:, 1]] - r[node[:, 0]], axis=1)
    return size


def strains(work: BarsWork) -> Array:
    """Relative lengthening of the bars."""
    return gaps(work) / work.bars.length - 1.0


def largest_strain(work: BarsWork) -> float:
    """Of the rigid bars; those that yield may be shorter than they are long."""
    strain = strains(work)
    off = np.where(work.steps.yields, strain, np.abs(strain))
    return float(off[work.bars.compliance == 0.0].max(initial=0.0))


def stable_step(work: BarsWork) -> float:
    r"""Largest stable explicit step (s) by a bound on the sideways frequencies, 2 / omega_max.

    .. math:: \omega_{\max}^2 \le \max_i \frac{2}{m_i} \sum_{k \ni i} \frac{|T_k|}{l_k}

    The bars of a body count nothing: they swing with the whole of it. Those of links do. Screens change their
    force as they turn.
    """
    bars, places = work.bars, work.places
    swings = np.arange(bars.length.size) < int(places.net_bar_start[-1])
    swings[[link.bar for link in places.links if link.bar >= 0]] = True
    stiffness = np.abs(work.steps.tension[swings]) / bars.length[swings]
    total = np.zeros(bars.mass.size)
    np.add.at(total, bars.node[swings, 0], stiffness)
    np.add.at(total, bars.node[swings, 1], stiffness)
    inverse: Array = np.linalg.eigvalsh(work.steps.mobility)[:, -1].astype(np.float64)
    square, rate = body_rates(places, work.field, work.steps.r, inverse)
    hinge_square, hinge_rate = hinge_rates(bars, work.steps.r, inverse)
    spring = _screen_stiffness(work)
    for row in bars.spring:
        stiff = spring_pull(row, tuple(work.steps.r[row.node] - bars.home[row.node]))[1]
        spring[row.node] += stiff
    bed = np.zeros(bars.mass.size)
    if work.medium.has_bed:
        law = work.medium.bed.law[0]
        stiff = max(law.stiffness, law.shear) if friction_of(work.field.grip) > 0.0 else law.stiffness
        k = stiff * bars.contact_width * 0.5 * bars.length
        np.add.at(bed, bars.node[:, 0], k)
        np.add.at(bed, bars.node[:, 1], k)
        np.add.at(bed, bars.footing.node, stiff * bars.footing.area)
    square = max(square, float(np.max(inverse * (2.0 * total + spring + bed), initial=0.0)))
    square, rate = max(square, hinge_square, places.turning), max(rate, hinge_rate)
    return 2.0 / max(math.sqrt(square), rate) if square > 0.0 or rate > 0.0 else math.inf


def _screen_stiffness(work: BarsWork) -> Array:
    """(n,) bound on the change of the force of screens on their corners as these move, N/m: rows summed [Gershgorin].

    Corners one after the other up and down turn a screen most, about the shortest bar there.
    """
    bars, field, s = work.bars, work.field, work.steps
    if not bars.screen.size:
        return np.zeros(bars.mass.size)
    turning, near = np.zeros(bars.mass.size), np.full(bars.mass.size, np.inf)
    for side in range(2):
        np.minimum.at(near, bars.node[:, side], bars.length)
    for screen in bars.screen:
        corner = screen.corner[: 3 if screen.corner[3] < 0 else 4]
        a, b, c, d = s.r[corner[[0, 1, 2, -1]]]
        u = np.mean(screen.wake * field.flow[corner, VELOCITY : VELOCITY + 3] - s.v[corner], axis=0)
        area = 0.5 * float(np.linalg.norm(np.cross(c - a, d - b)))
        turning[corner] += 0.5 * work.medium.water_density * float(u @ u) * area * SLOPE / corner.size
    return TURNS * turning / near


def bar_name(work: BarsWork, model: Model, k: int) -> str:
    """The line or net that bar k belongs to."""
    line = int(np.searchsorted(work.places.bar_start, k, side="right")) - 1
    if line < len(model.names.lines):
        return f"line '{model.names.lines[line]}', bar {k - int(work.places.bar_start[line])}"
    net = int(np.searchsorted(work.places.net_bar_start, k, side="right")) - 1
    nets = model.nets
    if net >= len(nets.names):
        nodes = work.places.body_node.tolist()
        body = int(np.searchsorted(work.places.body_start, nodes.index(work.bars.node[k, 0]), side="right")) - 1
        return f"body '{model.names.bodies[body]}', bar {k - int(work.places.net_bar_start[-1])}"
    return f"net '{nets.names[net]}', bar {k - int(work.places.net_bar_start[net])}"


def read_bars(model: Model, work: BarsWork) -> State:
    """The state, with tensions and end forces; call `find_tensions` before."""
    places, s, bars = work.places, work.steps, work.bars
    node, tension = places.line_node, np.zeros(places.line_node.size)
    element_tension = np.zeros(places.line_node.size)
    ends = np.zeros((len(model.names.lines), 2, 3))
    alone = work.own_loads()
    forces = _point_forces(model, work)
    brought = _lengths_at_nodes(work)
    for i in range(len(model.names.lines)):
        own = slice(int(places.line_start[i]), int(places.line_start[i + 1]))
        first, last = int(places.bar_start[i]), int(places.bar_start[i + 1])
        bar = s.tension[first:last]
        for side, k, sign in ((0, first, 1.0), (1, last - 1, -1.0)):
            ends[i, side] = sign * s.tension[k] * work.field.direction[k] + _end_share(work, (alone, brought), side, k)
            pressed = carried(model, work, (i, side), ends[i, side])
            ends[i, side] -= pressed
            if model.lines.end_kind[i, side] != BODY:
                forces[model.lines.end_index[i, side]] -= pressed
        element_tension[own][:-1] = bar
        inner = 0.5 * (bar[1:] + bar[:-1])
        tension[own] = [ends[i, 0] @ work.field.direction[first], *inner, -ends[i, 1] @ work.field.direction[last - 1]]
    point_position, point_velocity = model.points.position.copy(), np.zeros_like(model.points.position)
    known = places.point >= 0
    at = places.point[known]
    laid = np.where(bars.held[at, None], bars.home[at] - point_position[known], 0.0)  # see anchors.py
    point_position[known], point_velocity[known] = s.r[at] - laid, s.v[at]
    return State(
        time=work.time,
        point_position=point_position,
        point_velocity=point_velocity,
        point_force=forces,
        **read_bodies(model, places, s.r, s.v, work.time),
        start=places.line_start,
        s=places.line_s,
        position=s.r[node],
        velocity=s.v[node],
        tension=tension,
        end_force=ends,
        grounded=grounded(model, work) if bars.length.size else np.zeros(len(model.names.lines)),
        **read_nets(model, work),
        **link_loads(work),
        element_tension=element_tension,
    )


def node_forces(work: BarsWork) -> Array:
    """(n, 3) force of each node on what holds it, N: loads and tensions less inertia; zero where it is free."""
    bars, s, field = work.bars, work.steps, work.field
    total = field.force - np.einsum("nij,nj->ni", field.inertia, s.old_force)
    pull = s.tension[:, None] * field.direction
    np.add.at(total, bars.node[:, 0], pull)
    np.add.at(total, bars.node[:, 1], -pull)
    return total


def _point_forces(model: Model, work: BarsWork) -> Array:
    """(n_points, 3) force of points on what holds them, N: of nodes, and of the springs of their joints."""
    forces: Array = np.zeros_like(model.points.position)
    total, sprung = node_forces(work), np.zeros_like(work.steps.r)
    for row in work.bars.spring:
        way = work.steps.r[row.node] - work.bars.home[row.node]
        sprung[row.node] += row.spring * (row.axis @ way) * row.axis
    known = work.places.point >= 0
    at = work.places.point[known]
    is_plain = np.all(work.bars.axes[at] == EYE, axis=(1, 2))[:, None]
    forces[known] = sprung[at] + np.where(is_plain & (model.points.joint[known] != HELD), 0.0, total[at])
    return forces


def _lengths_at_nodes(work: BarsWork) -> Array:
    """(n,) summed lengths of the bars of lines and nets at each node, m; those of bodies bring no loads."""
    n, bars = int(work.places.net_bar_start[-1]), work.bars
    return floats(np.bincount(bars.node[:n].ravel(), np.repeat(bars.length[:n], 2), minlength=bars.mass.size))


def _end_share(work: BarsWork, own: tuple[tuple[Array, Array], Array], side: int, k: int) -> Array:
    """Loads less inertia of the half bar k at the end of a line: its part of what bars bring to the node.

    own : `BarsWork.own_loads`, `_lengths_at_nodes`
    """
    bars, field, s = work.bars, work.field, work.steps
    i = int(bars.node[k, side])
    (alone, mass), brought = own
    part = bars.length[k] / float(brought[i])
    bar_mass = float(work.places.bar_mass[i])
    weight = np.array([0.0, 0.0, -bar_mass * work.medium.gravity]) - work.medium.damping * bar_mass * s.v[i]
    inertia = field.inertia[i] - mass[i] + bar_mass * EYE
    share: Array = part * (field.force[i] - alone[i] + weight - inertia @ s.old_force[i])
    return share
