"""Energies of bars: terms of their ledger."""

from __future__ import annotations

import numpy as np

from ropewalk.methods.bars.hinges import hinge_energy
from ropewalk.methods.bars.ledger import book_loads
from ropewalk.methods.bars.ties import tie_energy
from ropewalk.methods.bars.work import BarsWork, gaps


def open_book(work: BarsWork) -> None:
    """Begin the energy ledger at the present state."""
    book, s = work.field.book, work.steps
    held = energies(work, False)
    book.r[:], book.v[:], book.yields[:] = s.r, s.v, s.yields
    for name in ("kinetic", "potential", "elastic"):
        book.sums[f"first_{name}"] = held[name]
    book.sums["elastic"] = held["elastic"]


def energies(work: BarsWork, has_ledger: bool = True) -> dict[str, float]:
    """Terms of the energy ledger (J), to which loads and tensions of the present state must be known.

    Kinetic and potential energy are those of masses, given forces, springs and hinges; what water, bed and supports do,
    less what is in the added mass, is `work`.
    """
    bars, s = work.bars, work.steps
    free = ~bars.held
    kinetic = 0.5 * float(np.sum(bars.mass[free, None] * s.v[free] ** 2))
    potential = work.medium.gravity * float(bars.mass[free] @ s.r[free, 2]) - float(np.sum(bars.force * s.r))
    way = np.einsum("nij,nj->ni", bars.axes, s.r - bars.home)
    potential += 0.5 * float(np.sum(bars.spring * way**2)) + hinge_energy(bars, s.r) + tie_energy(bars, s.r)
    stretch = np.where(bars.push > 0.0, gaps(work) - bars.length, np.maximum(gaps(work) - bars.length, 0.0))
    soft = bars.compliance > 0.0
    held = {
        "kinetic": kinetic,
        "potential": potential,
        "elastic": 0.5 * float(np.sum(stretch[soft] ** 2 / bars.compliance[soft])),
    }
    if not has_ledger:
        return held
    book_loads(bars, work.field, s.tension, s.r, s.v)
    sums = work.field.book.sums[0]
    lost = sums.work - sums.kinetic - (held["elastic"] - sums.first_elastic)
    gained = held["kinetic"] - sums.first_kinetic + held["potential"] - sums.first_potential
    return {
        **held,
        "work": float(sums.work - sums.kinetic + gained),
        "loss_impact": float(sums.impact),
        "loss_numerics": float(lost - sums.impact),
    }
