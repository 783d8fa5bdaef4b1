r"""One shot along one arc: position and force at its far end, and their derivatives by those at its start.

An arc is a stretch of line, or a whole line, cut into spans (see :mod:`ropewalk.assembly.string`).
The state and its variational equations are integrated together by an adaptive pair, so the derivative is
that of the computed end to the integrator's own accuracy and no differences are taken. Where the line
passes the water surface or leaves the bed, the step is shortened until it ends there, and the derivative
jumps by

.. math:: \Phi^+ = \Phi^- + (F^+ - F^-)\, \frac{\nabla g\, \Phi^-}{\nabla g \cdot F^-}

for the event g = 0 between slopes F ([Hairer1993], sec. II.6).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ropewalk.assembly.string import ALL, DRY, FORCE_ONLY, GROUNDED, STATE, WET, Around, float_force, string_slope
from ropewalk.methods.shooting.bed import HANGING, STRAIGHT, lay_straight, point_on_bed, press, sink
from ropewalk.methods.shooting.quadrature import is_quadrature, quadrature_step
from ropewalk.numerics.compile import UNCOUNTED, kernel
from ropewalk.numerics.rungekutta import (
    D_A,
    D_C,
    DENSE_ROWS,
    DORMAND_PRINCE,
    F_A,
    F_B,
    F_C,
    FEHLBERG,
    STAGES,
    dense_rows,
    dense_value,
    error_norm,
    stage_state,
    step_factor,
)
from ropewalk.physics.current import FUNCTION, POWER_LAYER, TABLE, UNIFORM

ARRIVED, TOO_MANY_STEPS, NOT_FINITE = 0, 1, 2  # how a shot ended
LOG = np.dtype(
    [
        ("steps", "f8"),  # tried, those that look for events included
        ("lowest", "f8"),  # least |n| on the way, N
        ("rest", "f8"),  # length on the bed, m
        ("deepest", "f8"),  # dip below the bed, m, negative
    ],
    align=True,
)

LAST = 12  # stage at the end of a step
NOTHING, PHASE, KINK, APEX = 0, 1, 2, 3  # events of a step

KINK_PASSED = 1.0e-12  # of the length: a corner of the profile this near the start of a step lies behind it
APEX_PASSED = 1.0e-12  # of the force scale: a vertical force this small is that of a highest place just passed
MAX_STEPS = 3000  # of one shot; a wild guess takes a few hundred, a good one about ten
FIRST_STEP = 0.25  # of the span
SLACK_FORCE = 1.0e-11  # delta as a fraction of the arc's force scale: 1e-22 is felt at full tension
END_SHARE = 1.0e-3  # of the arc at either end where a vanishing force (a free tail) is no slack
EVENT_ITERATIONS = 40  # Illinois needs 6 to 10
EVENT_TOLERANCE = 1.0e-14  # of the length or force scale


class Arc(NamedTuple):
    """What a shot goes along."""

    first: int  # of its spans
    last: int  # beyond its spans
    spans: Any  # (n,) of SPAN
    laws: Any  # (n, 3)
    law_data: Any  # of all laws of physics/elasticity.py
    length: float  # scale, m
    force: float  # scale, N
    delta: float  # smallest force, N


class Walk(NamedTuple):
    """What a shot carries along: constants, and memory for one step."""

    around: Around
    pair: int  # FEHLBERG or DORMAND_PRINCE
    K: Any  # (STAGES, ALL) slopes
    rows: Any  # (DENSE_ROWS, STATE) of dense output
    stage: Any  # (ALL,)
    y_new: Any  # (ALL,) state at the end of the step
    slope: Any  # (ALL,)


@kernel(**UNCOUNTED)
def _take_step(s, h, y, m, here, limits, walk):
    """One step from s to s + h; K[0] must hold the slope at s. Fills y_new and the stages.

    Source: y_1 = y_0 + h sum b_i k_i of the pairs of [Fehlberg1969] and of [Hairer1993], sec. II.5 (8(5,3)).

    here : span, law and phase    limits : m, heights of corners of the current profile that the step may end at
    """
    K, stage, y_new = walk.K, walk.stage, walk.y_new
    if walk.pair == FEHLBERG:
        for i in range(1, 6):
            stage_state(y, h, K, F_A[i], i, m, stage)
            string_slope(s + F_C[i] * h, stage, m, here, limits, walk.around, K[i])
        stage_state(y, h, K, F_B, 6, m, y_new)
        string_slope(s + h, y_new, m, here, limits, walk.around, K[LAST])
        return
    for i in range(1, LAST):
        stage_state(y, h, K, D_A[i], i, m, stage)
        string_slope(s + D_C[i] * h, stage, m, here, limits, walk.around, K[i])
    stage_state(y, h, K, D_A[LAST], LAST, m, y_new)
    string_slope(s + h, y_new, m, here, limits, walk.around, K[LAST])


@kernel(**UNCOUNTED)
def event_value(y, watched, normal):
    """What changes sign at the next event: height above water, on the bed (GROUNDED) the force that lifts the line.

    Source: g = z, g = n . N or g = n_z; [Hairer1993], sec. II.6.

    Towards the highest or lowest place of a line (-APEX) it is the force's vertical component.
    """
    if watched == -APEX:
        return y[5]
    if watched == GROUNDED:
        return y[3] * normal[0] + y[4] * normal[1] + y[5] * normal[2]
    return y[2]


@kernel(**UNCOUNTED)
def _step_to_event(s, h, goal, y, m, here, lean, walk):
    """Length (m) of the step that ends where the event value is that of the goal, and the number of trials; y_new and K
    belong to it.

    Source: g(h) = level by regula falsi with the Illinois modification.

    goal : event, its value and the scale of that    here : span, law and phase
    """
    (event, level, scale), phase = goal, here[2]
    sea, y_new = walk.around.sea, walk.y_new
    watched = -APEX if event == APEX else phase
    g0 = event_value(y, watched, sea.bed_normal) - level
    g1 = event_value(y_new, watched, sea.bed_normal) - level
    near, far, low, high = 0.0, h, -np.inf, np.inf
    if event == APEX:
        high = -abs(lean) if phase == WET else np.inf
    elif phase != GROUNDED and level > y[2]:
        high = level - abs(lean)
    elif phase != GROUNDED:
        low = level + abs(lean)
    side, step, trials = 0, h, 0
    for _ in range(EVENT_ITERATIONS):
        trials += 1
        step = far - g1 * (far - near) / (g1 - g0)
        _take_step(s, step, y, m, here, (low, high), walk)
        g = event_value(y_new, watched, sea.bed_normal) - level
        if abs(g) <= EVENT_TOLERANCE * scale or far - near <= EVENT_TOLERANCE * h:
            break
        if (g > 0.0) == (g1 > 0.0):
            far, g1 = step, g
            if side == 1:
                g0 *= 0.5
            side = 1
        else:
            near, g0 = step, g
            if side == -1:
                g1 *= 0.5
            side = -1
    return step, trials


@kernel(**UNCOUNTED)
def _saltation(y, m, before, after, phase, normal):
    r"""Jump of the derivatives in y (m, N) where the slope changes from `before` to `after` (see the module).

    .. math:: \Phi^+ = \Phi^- + (F^+ - F^-)\, \frac{\nabla g\, \Phi^-}{\nabla g \cdot F^-}

    Source: [Hairer1993], sec. II.6.
    """
    if phase == GROUNDED:
        rate = before[3] * normal[0] + before[4] * normal[1] + before[5] * normal[2]
    else:
        rate = before[2]
    if rate == 0.0:
        return
    k = STATE
    while k < m:
        if phase == GROUNDED:
            g = y[k + 3] * normal[0] + y[k + 4] * normal[1] + y[k + 5] * normal[2]
        else:
            g = y[k + 2]
        shift = -g / rate  # of the place of the event, per unit of the start value
        for i in range(STATE):
            y[k + i] += (before[i] - after[i]) * shift
        k += STATE


@kernel(**UNCOUNTED)
def _jump(y, m, span, sea, force):
    """Point load at a span's end: n drops by it, and the derivatives by its slope in z.

    Source: n+ = n- - F, balance of a point load; docs/theory/shooting.md, The string.
    """
    for i in range(3):
        force[i] = span.jump[i]
    gx, gy, gz = float_force(y[:3], span.float_volume, span.float_drag, sea, force)
    for i in range(3):
        y[3 + i] -= force[i]
    k = STATE
    while k < m:
        dz = y[k + 2]
        y[k + 3] -= gx * dz
        y[k + 4] -= gy * dz
        y[k + 5] -= gz * dz
        k += STATE


@kernel(**UNCOUNTED)
def start_state(position, force, y):
    """State (m, N) and derivatives at the start of an arc, into y (ALL,): Phi = 1.  Source: docs/theory/shooting.md."""
    y[:] = 0.0
    for i in range(3):
        y[i] = position[i]
        y[3 + i] = force[i]
        y[STATE + 6 * i + 3 + i] = 1.0
        y[FORCE_ONLY + 6 * i + i] = 1.0


@kernel
def shoot(y, m, arc, sea, on_bed, integrator, wanted, log):
    r"""Integrate along an arc from the state in y, which becomes the state at the end; returns how it ended.

    .. math:: r' = \nu(T)\, t, \qquad n' = -f

    Source: [Surmont2025], eqs. 9, 13 and 15, with step control of [Hairer1993], sec. II.4; docs/theory/shooting.md.

    y : (ALL,) of :func:`start_state`    m : STATE, FORCE_ONLY (loads that do not depend on position) or ALL
    arc : `Arc`    on_bed : HANGING, SLIDING or STRAIGHT, see bed.py
    integrator : tolerance of a step, relative to the scales of the arc, and pair
    wanted : grid (k,), m from the arc's start, rising, where the state is kept, and table (k, STATE), filled
    log : record of LOG, filled
    """
    (tolerance, pair), (grid, table) = integrator, wanted
    first, last, spans, laws, length, force = arc.first, arc.last, arc.spans, arc.laws, arc.length, arc.force
    walk = Walk(
        Around(arc.law_data, sea, arc.delta, np.empty((3, 3, 3))), pair, np.zeros((STAGES, ALL)),
        np.empty((DENSE_ROWS, STATE)), np.empty(ALL), np.empty(ALL), np.empty(ALL),
    )  # fmt: skip
    K, y_new, scale = walk.K, walk.y_new, np.empty(STATE)
    scale[:3] = tolerance * length
    scale[3:] = tolerance * force
    water = sea.water_density > 0.0
    log.steps, log.rest, log.deepest, log.lowest = 0.0, 0.0, 0.0, np.inf
    phase, begin, place, k = _leave(y, m, arc, on_bed, walk, wanted, log)
    if log.rest > 0.0 or phase == GROUNDED:  # what lies on the bed depends on where it starts
        m = ALL if m > STATE else m
    origin = spans[first].start
    h = FIRST_STEP * (spans[last - 1].stop - origin)
    for i in range(begin, last):
        span, law = spans[i], laws[i]
        s, end = place, span.stop - span.start
        place = 0.0
        if phase == GROUNDED and end > 0.0:
            phase = _over_buoyant(y, m, i, first, spans, water, walk)
        lean = _lean(y, length)
        string_slope(s, y, m, (span, law, phase), (y[2] + lean, y[2] + lean), walk.around, K[0])
        while s < end:
            full = h >= end - s
            step = end - s if full else h
            simple = pair == DORMAND_PRINCE and is_quadrature(span, phase, sea)
            if simple:
                error = quadrature_step(s, step, y, m, (span, law, phase), walk, scale)
            else:
                top = -abs(lean) if phase == WET else np.inf
                _take_step(s, step, y, m, (span, law, phase), (-np.inf, top), walk)
            event, level = next_event(y, y_new, phase, water, sea, length)
            if event == NOTHING and water and _may_surface(y, y_new, phase, step, force):
                event, level = APEX, 0.0
            if event != NOTHING:
                here = (span, law, phase)
                if simple:  # the slopes of the derivatives are missing
                    string_slope(s, y, m, here, (y[2] + lean, y[2] + lean), walk.around, K[0])
                reach = force if phase == GROUNDED or event == APEX else length
                step, trials = _step_to_event(s, step, (event, level, reach), y, m, here, lean, walk)
                log.steps += trials
                if event == APEX and (y_new[2] > 0.0) == (phase == WET):  # the surface is met on the way there
                    event, level = PHASE, 0.0
                    step, trials = _step_to_event(s, step, (event, level, length), y, m, here, lean, walk)
                    log.steps += trials
                full = False
            if event != NOTHING or not simple:
                error = error_norm(K, step, scale, pair)
            log.steps += 1.0
            if log.steps > MAX_STEPS:
                return TOO_MANY_STEPS
            if not error <= 1.0:
                h = step * step_factor(error, False, pair)
                if not h > 0.0:
                    return NOT_FINITE
                continue
            grown = step * step_factor(error, True, pair)
            h = max(h, grown) if full or event != NOTHING else grown
            while k < grid.size and grid[k] <= span.start - origin + s + step:
                share = (grid[k] - span.start + origin - s) / step
                _fill(s, step, share, y, (span, law, phase), walk, table[k])
                k += 1
            if phase == GROUNDED:
                log.rest += step
            s = end if full else s + step
            for j in range(m):
                y[j] = y_new[j]
            if event == PHASE:
                m = ALL if m > STATE else m  # the place of the event depends on where the arc starts
                phase = _change_phase(s, y, m, (span, law, phase), lean, walk)
            elif event in (KINK, APEX):
                string_slope(s, y, m, (span, law, phase), (y[2] + lean, y[2] + lean), walk.around, K[0])
            else:
                for j in range(STATE if simple else m):
                    K[0, j] = K[LAST, j]
            lean = _lean(y, length)
            if phase != GROUNDED:
                _watch(y, span.radius, (span.start - origin + s) / length, sea, log)
        if span.bound > 0.0:
            if m == FORCE_ONLY:
                m = ALL
            _jump(y, m, span, sea, walk.around.box[0, 0])
            if phase == GROUNDED and event_value(y, phase, sea.bed_normal) >= 0.0:  # the load is lifted
                phase = _next_phase(phase, y, water)
    if phase == GROUNDED:
        sink(y, m, event_value(y, GROUNDED, sea.bed_normal), walk.slope, sea, walk.around.law_data, spans[last - 1])
    while k < grid.size:
        for j in range(STATE):
            table[k, j] = y[j]
        k += 1
    return ARRIVED


@kernel
def _leave(y, m, arc, on_bed, walk, wanted, log):
    """Phase at the start, span and place where the integration begins, and the places of the grid already filled.

    Source: docs/theory/shooting.md, On the bed: grounded if n . N < 0 at the start; s = s_t after a straight part.

    A straight part on the bed is gone along at once, and y is then the state at its lift-off.
    """
    (grid, table), sea = wanted, walk.around.sea
    normal = sea.bed_normal
    phase = DRY
    if sea.water_density > 0.0 and (y[2] < 0.0 or (y[2] == 0.0 and y[5] < 0.0)):
        phase = WET
    begin, place, k = arc.first, 0.0, 0
    if on_bed != HANGING and event_value(y, GROUNDED, normal) < 0.0:
        if on_bed == STRAIGHT:
            entries = ALL if m > STATE else m
            begin, place, log.rest = lay_straight(y, entries, arc, walk.around, walk.slope)
            while k < grid.size and grid[k] < log.rest:
                point_on_bed(grid[k], y, begin, place, arc, sea, table[k])
                k += 1
        else:
            phase = GROUNDED
    while k < grid.size and grid[k] <= log.rest:
        for j in range(STATE):
            table[k, j] = y[j]
        if phase == GROUNDED:
            _flatten(table[k], normal)
        k += 1
    return phase, begin, place, k


@kernel(**UNCOUNTED)
def _over_buoyant(y, m, i, first, spans, water, walk):
    """Phase in span i of a line that comes along the bed: GROUNDED where p > 0 (N/m); else it is led below by `sink`.

    Source: docs/theory/shooting.md, On the bed: a buoyant piece is never on the bed.
    """
    wet, sea = water and y[2] < 0.0, walk.around.sea
    if press(spans[i], 0.0, wet, sea, walk.around.law_data, walk.slope) > 0.0:
        return GROUNDED
    sink(
        y, m, event_value(y, GROUNDED, sea.bed_normal), walk.slope, sea, walk.around.law_data, spans[max(i - 1, first)]
    )
    return WET if wet else DRY


@kernel(**UNCOUNTED)
def _lean(y, length):
    """Shift (m) of a start beyond the corner of a profile: +-KINK_PASSED L, up if V >= 0.  Source: own choice."""
    return KINK_PASSED * length if y[5] >= 0.0 else -KINK_PASSED * length


@kernel(**UNCOUNTED)
def _change_phase(s, y, m, here, lean, walk):
    """Pass the event at s (m): derivatives in y jump, K[0] becomes the slope beyond; the new phase. Bookkeeping."""
    (span, law, phase), slope = here, walk.K[0]
    string_slope(s, y, m, here, (y[2] - lean, y[2] - lean), walk.around, walk.slope)
    after = _next_phase(phase, y, walk.around.sea.water_density > 0.0)
    string_slope(s, y, m, (span, law, after), (y[2] + lean, y[2] + lean), walk.around, slope)
    _saltation(y, m, walk.slope, slope, phase, walk.around.sea.bed_normal)
    string_slope(s, y, m, (span, law, after), (y[2] + lean, y[2] + lean), walk.around, slope)
    return after


@kernel(**UNCOUNTED)
def _watch(y, radius, share, sea, log):
    """Keep the least |n| (N) away from the ends and the deepest dip = min(h - a) (m).  Source: definition."""
    if END_SHARE < share < 1.0 - END_SHARE:
        log.lowest = min(log.lowest, np.sqrt(y[3] ** 2 + y[4] ** 2 + y[5] ** 2))
    if sea.has_seabed:
        normal = sea.bed_normal
        height = y[0] * normal[0] + y[1] * normal[1] + (y[2] + sea.depth) * normal[2]
        log.deepest = min(log.deepest, height - radius)


@kernel(**UNCOUNTED)
def _may_surface(y, y_new, phase, step, force):
    """True if a step passes the line's highest place under water, or its lowest above, near enough to the surface.

    Source: V > 0 > V_new and z + step > 0, or the reverse: both ends lie on one side.  step : m    force : scale, N
    """
    least = APEX_PASSED * force
    if phase == WET:
        return y[5] > least and y_new[5] < 0.0 and max(y[2], y_new[2]) + step > 0.0
    return phase == DRY and y[5] < -least and y_new[5] > 0.0 and min(y[2], y_new[2]) - step < 0.0


@kernel(**UNCOUNTED)
def next_event(y, y_new, phase, water, sea, length):
    """The first event of a step from y to y_new: NOTHING, PHASE (surface, lift-off) or KINK, and its level.

    Source: [Hairer1993], sec. II.6: sign change of g = z, of g = n . N, or of g = z - z_k at a corner of the current.

    A kink is a height where the current profile has a corner: a step that ends there keeps its order.
    """
    if phase == GROUNDED:
        normal = sea.bed_normal
        crossed = event_value(y, phase, normal) < 0.0 <= event_value(y_new, phase, normal)
        return (PHASE if crossed else NOTHING), 0.0
    z0, z1 = y[2], y_new[2]
    event, level = NOTHING, 0.0
    if not water or not abs(z1) < np.inf:
        return event, level
    if (phase == WET and z1 > 0.0) or (phase == DRY and z1 < 0.0):
        event = PHASE
    if sea.current_speed == 0.0 or phase == DRY or sea.current_kind in (UNIFORM, FUNCTION):
        return event, level
    near = abs(z1 - z0)
    if event == PHASE:
        near = abs(z0)
    table = sea.current_table
    for k in range(table.shape[0] if sea.current_kind == TABLE else 2):
        if sea.current_kind == TABLE:
            z = table[k, 0]
        else:
            z = -sea.depth * (1.0 if k == 0 else 1.0 - POWER_LAYER)
        inside = (z0 < z < z1) or (z1 < z < z0)
        if inside and KINK_PASSED * length < abs(z - z0) < near:
            event, level, near = KINK, z, abs(z - z0)
    return event, level


@kernel(**UNCOUNTED)
def _next_phase(phase, y, water):
    """The phase after an event. Bookkeeping."""
    if phase == GROUNDED:
        return WET if water and y[2] < 0.0 else DRY
    return DRY if phase == WET else WET


@kernel(**UNCOUNTED)
def _fill(s, h, x, y, here, walk, out):
    """State at the fraction x of a step, by dense output; the three extra stages are computed each time.

    Source: dense output of [Hairer1993], sec. II.6, y(x) with x = s/h.
    """
    K, stage = walk.K, walk.stage
    for i in range(LAST + 1, STAGES):
        stage_state(y, h, K, D_A[i], i, STATE, stage)
        string_slope(s + D_C[i] * h, stage, STATE, here, (-np.inf, np.inf), walk.around, K[i])
    dense_rows(y, walk.y_new, h, K, STATE, walk.rows)
    dense_value(y, walk.rows, min(1.0, max(0.0, x)), STATE, out)
    if here[2] == GROUNDED:
        _flatten(out, walk.around.sea.bed_normal)


@kernel(**UNCOUNTED)
def _flatten(state, normal):
    """Force in the plane of the bed (N), n -> n - (n . N) N.  Source: docs/theory/shooting.md, On the bed."""
    lift = state[3] * normal[0] + state[4] * normal[1] + state[5] * normal[2]
    for i in range(3):
        state[3 + i] -= lift * normal[i]
