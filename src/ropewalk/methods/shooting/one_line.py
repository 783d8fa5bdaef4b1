"""One line as an initial value problem: from one end, with a given force there."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.assembly.spans import LineSpans
from ropewalk.assembly.string import ALL, STATE
from ropewalk.errors import ConvergenceError
from ropewalk.methods.shooting.bed import HANGING
from ropewalk.methods.shooting.shape import line_scale
from ropewalk.methods.shooting.shot import ARRIVED, LOG, SLACK_FORCE, TOO_MANY_STEPS, Arc, shoot, start_state
from ropewalk.model.arrays import Array, records
from ropewalk.model.model import Model
from ropewalk.numerics.rungekutta import DORMAND_PRINCE


def shoot_line(
    model: Model, i: int, spans: LineSpans, start: tuple[Array, Array, Array], integrator: tuple[float, int]
) -> tuple[Array, int, Array]:
    """Line i from one end with a given force: state and derivatives at the far end, steps, and the states on the way.

    spans : of the line from where it starts    integrator : tolerance per step, and pair
    start : position (m), force (N), and the places of the table (m from the start)
    """
    begin, pull, places = start
    length, scale = (
        float(model.lines.length[i]),
        line_scale(model, spans.rows, spans.laws, float(np.abs(pull).max())),
    )
    y, log = np.empty(ALL), records(1, LOG)[0]
    table: Array = np.full((places.size, STATE), np.nan)
    nowhere = (np.empty(0), np.empty((0, STATE)))
    arc = Arc(
        0, spans.rows.shape[0], spans.rows, spans.laws, model.sections.law_data, length, scale, SLACK_FORCE * scale
    )

    def run(m: int, tolerance: float, pair: int, grid: tuple[Array, Array]) -> None:
        start_state(np.ascontiguousarray(begin), pull, y)
        ended = shoot(y, m, arc, model.sea, HANGING, (tolerance, pair), grid, log)
        if ended != ARRIVED:
            what = "needs too many steps" if ended == TOO_MANY_STEPS else "overflows"
            raise ConvergenceError(
                f"line '{model.names.lines[i]}': the integration with {math.hypot(*pull):.4g} N {what} at "
                f"tolerance {tolerance:.3g}; try another force or a larger tolerance"
            )

    run(STATE, integrator[0], DORMAND_PRINCE, (np.ascontiguousarray(places), table))
    run(ALL, *integrator, nowhere)  # the derivatives go with the steps of the state alone
    return y, int(log.steps), table
