"""Drive the power-series kernels without a Model: a chain, a state, a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ropewalk.methods.chain import steps
from ropewalk.methods.chain.arrays import Chain, Series, allocate
from ropewalk.methods.chain.equations import state_at
from ropewalk.model.arrays import records
from ropewalk.numerics.series import TERM_HEAD

Array = np.ndarray


class Outcome(NamedTuple):
    code: int
    link: int
    value: float
    position: Array
    velocity: Array
    clock: Array
    ledger: Array
    series: Series


def drive(
    chain: Chain, r: Array, v: Array, until: float, order: int = 25, tolerance: float = 1e-13, step: float = 0.0,
    poses: Sequence[tuple[Array, Array]] = (),
) -> Outcome:  # fmt: skip
    """Integrate from t = 0 and read the state at `until`.  poses : attitude and rate (body frame) of each body"""
    n = chain.length.size
    series = allocate(n, order, len(poses))
    for k, (attitude, rate) in enumerate(poses):
        series.bodies.attitude[k, 0] = attitude.ravel()
        series.bodies.rate[k, 0] = rate
    clock = records(1, steps.CLOCK)
    clock[0].scale = step or 0.05
    clock[0].smallest = np.inf
    series.position[:, 0] = r.T
    series.position[:, 1] = v.T * clock[0].scale
    ledger = np.zeros(3)
    code, link, value = steps.integrate(chain, series, clock, ledger, until, tolerance, step)
    position, velocity = np.full((n + 1, 3), np.nan), np.full((n + 1, 3), np.nan)
    if code == steps.DONE:
        tau = (until - clock[0].begin) / clock[0].scale
        state_at(series, tau, clock[0].scale, position, velocity)
        steps.work_until(chain, series, tau, clock[0].scale, ledger)
    return Outcome(code, link, value, position, velocity, clock, ledger, series)


def held_at(node: int, place: tuple[float, float, float]) -> Array:
    """Motion term of an end that does not move."""
    return term(node, place, 0.0, 0.0)


def term(node: int, vector: tuple[float, float, float], omega: float, phase: float = 0.0) -> Array:
    """Motion term vector cos(omega t - phase), for all time."""
    row = np.zeros(TERM_HEAD + 1)
    row[:TERM_HEAD] = node, -np.inf, np.inf, omega, phase, *vector
    row[TERM_HEAD] = 1.0
    return row


def polyline(length: Array, direction: Array, start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    """Nodes of links with the given directions (n, 3), normalised here."""
    unit = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    nodes: Array = np.array(start) + np.vstack([np.zeros(3), np.cumsum(length[:, None] * unit, axis=0)])
    return nodes
