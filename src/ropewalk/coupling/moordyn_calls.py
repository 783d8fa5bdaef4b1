"""What callers of the moordyn functions mean by the velocities that they give, and where parts are after a step."""

from __future__ import annotations

import math

import numpy as np

from ropewalk.coupling.moordyn_instance import Call, Habit, Instance
from ropewalk.model.arrays import Array

MOST_CHANGE = 3.0  # by which an acceleration may grow from call to call; beyond it the velocity has a kink
HABITUAL = 0.25  # squares of what rates miss angles by over those of angular velocities, below which rates are given


def ahead(instance: Instance, call: Call, dt: float) -> tuple[Array, Array]:
    """Where the coupled parts are at the end of a step, and how they move there, from the calls so far.

    The velocity goes on changing as since the last call; a kink is not carried on. A caller keeps its habits: whether
    it gives the velocity at the start of a step or the mean of it, angular velocities or rates of angles.
    """
    last, instance.last = instance.last, call
    gone = 0.0 if last is None else call.time - last.time
    if last is None or gone <= 0.0:
        pace, velocity = _meant(instance, call, False)
        return call.place + dt * pace, velocity
    habit = _habit(instance, last, call)
    is_rates = habit.off_as_rates < HABITUAL * habit.off_as_spin
    (pace, velocity), at_start = _meant(instance, call, is_rates), _is_at_start(habit)
    change = (velocity - _meant(instance, last, is_rates)[1]) / gone
    instance.last = call._replace(change=change, habit=habit)
    goes_on = change * last.change > 0.0
    is_kink = np.abs(change) > MOST_CHANGE * np.abs(last.change)
    bend = np.where(is_kink, np.where(goes_on, last.change, 0.0), change)
    return call.place + dt * pace + 0.5 * dt * dt * at_start * bend, velocity + 0.5 * dt * (1.0 + at_start) * bend


def _habit(instance: Instance, last: Call, call: Call) -> Habit:
    """The sums of the last call with those of the way from there to the present one."""
    gone, at_start, sums = call.time - last.time, _is_at_start(last.habit), last.habit
    as_rates, as_spin = (
        (call.place - last.place - gone * before, 0.5 * gone * (now - before))
        for before, now in ([_meant(instance, one, is_rates)[0] for one in (last, call)] for is_rates in (True, False))
    )
    for _, own in instance.slices():
        moves, angles = slice(own.start, own.start + 3), slice(own.start + 3, own.stop)
        missed, curved = as_spin
        off = [float(np.sum((a[angles] - at_start * b[angles]) ** 2)) for a, b in (as_rates, as_spin)]
        sums = Habit(
            sums.missed + float(missed[moves] @ curved[moves]),
            sums.moved + float(curved[moves] @ curved[moves]),
            sums.missed_angles + float(missed[angles] @ curved[angles]),
            sums.turned + float(curved[angles] @ curved[angles]),
            sums.off_as_rates + off[0],
            sums.off_as_spin + off[1],
        )
    return sums


def _is_at_start(habit: Habit) -> float:
    """1 if a caller gives velocities at the start of a step, 0 if those from its start to its end; least squares."""
    product, square = habit.missed, habit.moved
    if square == 0.0:
        product, square = habit.missed_angles, habit.turned
    return min(1.0, max(0.0, product / square)) if square > 0.0 else 0.0


def _meant(instance: Instance, call: Call, is_rates: bool) -> tuple[Array, Array]:
    """Rates of the places and angles of a call, and velocities and angular velocities.

    is_rates : whether the caller gives rates of the XYZ angles in place of angular velocities
    """
    rates, velocity = call.velocity.copy(), call.velocity.copy()
    for handle, own in instance.slices():
        if not handle.is_body:
            continue
        turn = slice(own.start + 3, own.stop)
        roll, pitch, _ = call.place[turn]
        c, s = math.cos(roll), math.sin(roll)
        # omega = e_x roll' + Rx e_y pitch' + Rx Ry e_z yaw'
        axes = np.array(
            [
                [1.0, 0.0, math.sin(pitch)],
                [0.0, c, -s * math.cos(pitch)],
                [0.0, s, c * math.cos(pitch)],
            ]
        )
        if is_rates:
            velocity[turn] = axes @ rates[turn]
        else:
            rates[turn] = np.linalg.solve(axes, velocity[turn])
    return rates, velocity
