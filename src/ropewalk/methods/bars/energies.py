"""Energies of bars: terms of their ledger."""

from __future__ import annotations

import numpy as np

from ropewalk.loads.given import spring_energy
from ropewalk.methods.bars.hinges import hinge_energy
from ropewalk.methods.bars.ledger import book_loads
from ropewalk.methods.bars.ties import tie_energy
from ropewalk.methods.bars.work import BarsWork


def open_book(work: BarsWork) -> None:
    """Begin the energy ledger at the present state, whose loads and tensions must be known."""
    book, s = work.field.book, work.steps
    book.r[:], book.v[:], book.yields[:] = s.r, s.v, s.yields
    held = energies(work)
    for name in ("kinetic", "potential", "elastic"):
        book.sums[f"first_{name}"] = held[name]


def energies(work: BarsWork, has_ledger: bool = True) -> dict[str, float]:
    """Terms of the energy ledger (J) at the present state, whose loads and tensions must be known.

    Kinetic and potential energy are those of masses, given forces, springs and hinges; what water, bed and supports do,
    less what is in the added mass, is `work`.
    """
    bars, s, sums = work.bars, work.steps, work.field.book.sums[0]
    book_loads(bars, work.field, s.tension, s.r, s.v)
    free = ~bars.held
    kinetic = 0.5 * float(np.sum(bars.mass[free, None] * s.v[free] ** 2))
    potential = work.medium.gravity * float(bars.mass[free] @ s.r[free, 2]) - float(np.sum(bars.force * s.r))
    potential += sum(spring_energy(row, tuple(s.r[row.node] - bars.home[row.node])) for row in bars.spring)
    potential += hinge_energy(bars, s.r) + tie_energy(bars, s.r)
    held = {"kinetic": kinetic, "potential": potential, "elastic": float(sums.elastic)}
    if not has_ledger:
        return held
    lost = sums.work - sums.kinetic - (sums.elastic - sums.first_elastic)
    gained = kinetic - sums.first_kinetic + potential - sums.first_potential
    return {
        **held,
        "work": float(sums.work - sums.kinetic + gained),
        "loss_impact": float(sums.impact),
        "loss_numerics": float(lost - sums.impact),
    }
