"""Seams between nets: knots that coincide, and the twines that two panels share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ropewalk.errors import InputError
from ropewalk.model.arrays import Ints, ints
from ropewalk.model.net_layout import Layout
from ropewalk.spec.nets import Net

APART = 1.0  # distance of two knots to be sewn, over that of neighbouring knots of the edge, at most


def sew(names: Sequence[str], nets: Sequence[Net], layouts: Sequence[Layout], first: Ints) -> Ints:
    """(k,) number of the first knot that each knot is sewn to; its own number where it is not sewn.

    Twines that lie along a seam in both nets are all assigned to the first of them.
    first : (n + 1,) number of the first knot of each net
    """
    same = list(range(int(first[-1])))

    def root(k: int) -> int:
        while same[k] != k:
            k = same[k]
        return k

    for i, net in enumerate(nets):
        for edge, other in net.sewn.items():
            key, _, side = other.rpartition(".")
            j = list(names).index(key)
            pairs = _pairs((names[i], edge, layouts[i]), (key, side, layouts[j]))
            for one, two in pairs:
                a, b = root(int(first[i]) + one), root(int(first[j]) + two)
                same[max(a, b)] = min(a, b)
    found = [root(k) for k in range(len(same))]
    _join_bars(layouts, first, found)
    return ints(found)


def _pairs(one: tuple[str, str, Layout], other: tuple[str, str, Layout]) -> list[tuple[int, int]]:
    """Knots of two edges that are sewn, each to the nearest of the other edge."""
    (name, edge, lay), (key, side, above) = one, other
    knots, others = lay.side(edge), above.side(side)
    for what, at, found in ((name, edge, knots), (key, side, others)):
        if len(found) < 2:
            raise InputError(
                f"net '{what}' has no {at} edge to sew; rhombic netting and cylinders have upper and lower"
            )
    if len(knots) != len(others):
        raise InputError(
            f"net '{name}': its {edge} edge has {len(knots)} knots, {key}.{side} has {len(others)}; give both panels "
            "the same number of cells along the seam"
        )
    place = np.array([lay.knots[k] for k in knots])
    away = np.linalg.norm(place[:, None] - np.array([above.knots[k] for k in others])[None], axis=2)
    nearest, step = np.argmin(away, axis=1), float(np.linalg.norm(np.diff(place, axis=0), axis=1).max())
    if np.unique(nearest).size < len(knots) or float(away.min(axis=1).max()) > APART * step:
        raise InputError(
            f"net '{name}': knots of its {edge} edge lie up to {away.min(axis=1).max():.4g} m from those of "
            f"{key}.{side}, and knots are {step:.4g} m apart; lay out the panels so that the edges meet"
        )
    return [(k, others[int(n)]) for k, n in zip(knots, nearest, strict=True)]


def _join_bars(layouts: Sequence[Layout], first: Ints, same: list[int]) -> None:
    """Merge the bars of two nets between the same knots into one with the twines of both."""
    owner: dict[tuple[int, int], tuple[int, int]] = {}  # knots to net and number of the bar
    for i, lay in enumerate(layouts):
        kept: list[tuple[int, int, float, float]] = []
        for a, b, length, twines in lay.bars:
            one, two = sorted((same[int(first[i]) + a], same[int(first[i]) + b]))
            if (taken := owner.get((one, two))) is not None and taken[0] != i:
                bars = layouts[taken[0]].bars
                p, q, size, number = bars[taken[1]]
                bars[taken[1]] = (p, q, size, number + twines if number > 0.0 else 0.0)
                continue
            owner[one, two] = (i, len(kept))
            kept.append((a, b, length, twines))
        lay.bars = kept
