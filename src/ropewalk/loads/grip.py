r"""How the bed holds nodes by friction: the memory of the law of loads/bed.py, for elements and for bars.

In time a spring holds a node at its grip, which moves once per accepted step. While an equilibrium is sought, friction
is a given share of the normal force (assembly/pulled.py gives the shares), with a soft spring for slack line to have a
place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ropewalk.model.arrays import Array, Records, records
from ropewalk.numerics.blockelimination import FUSED, UNCOUNTED, add9, outer, plus_unit, scale3, scale9, sub3
from ropewalk.numerics.compile import kernel

SOFT = 1e-4  # of the shear stiffness, with which grips hold nodes while an equilibrium is sought

# friction in force
FRICTION = np.dtype(
    [
        ("coefficient", "f8"),
        ("is_sought", "i8"),  # 1 while an equilibrium is sought
    ],
    align=True,
)
# hold of the bed on a node
HOLD = np.dtype(
    [
        ("place", "f8", (3,)),  # where the node grips the bed, m
        ("share", "f8", (3,)),  # friction over the normal force, while an equilibrium is sought
    ],
    align=True,
)


class Grip(NamedTuple):
    """How the bed holds the nodes by friction; moved once per accepted step."""

    friction: Records  # (1,) of FRICTION
    hold: Records  # (n_rows,) of HOLD


def no_grip(n_rows: int, coefficient: float = 0.0, is_sought: bool = False) -> Grip:
    """Grips of nodes that the bed does not hold yet."""
    grip = Grip(records(1, FRICTION), records(n_rows, HOLD))
    grip.friction[0].coefficient, grip.friction[0].is_sought = coefficient, is_sought
    return grip


def sought_friction(k: Array, way: Array, pressed: Array, share: Array) -> Array:
    """(n, 3) N, as `sought_pull` at nodes.

    k, pressed : (n,) shear stiffness, N/m, and normal force, N    way : (n, 3) of each from its grip, along the bed, m
    """
    force: Array = pressed[:, None] * share - (SOFT * k)[:, None] * way
    return force


def pulling_grips(r: Array, force: Array, k: Array) -> Array:
    """(n, 3) m, where grips of a stiffness k (n,), N/m, pull with the forces (n, 3), N, on nodes at r (n, 3), m."""
    place: Array = r + np.divide(force, k[:, None], out=np.zeros_like(r), where=k[:, None] > 0.0)
    return place


@kernel(forceinline=True, **UNCOUNTED)
def friction_of(grip):
    """Coefficient of friction in force, mu = largest |f_t| over N.

    Source: Coulomb's law, docs/theory/morison.md, Friction.
    """
    return grip.friction[0].coefficient


@kernel(forceinline=True, fastmath=FUSED, **UNCOUNTED)
def sought_pull(k, n, d, pushed, share):
    r"""Friction force (N) while an equilibrium is sought, and minus its derivative with respect to position.

    .. math:: f_t = N \rho - \epsilon k d

    Source: docs/theory/mixed_elements.md, Seabed; epsilon is SOFT.

    k : shear stiffness, N/m    n : the bed's normal    d : of :func:`ropewalk.loads.bed.slid`, m
    pushed : N and its increase per metre into the bed, N and N/m    share : rho, 3 numbers
    """
    N, slope = pushed
    across = plus_unit(scale9(-1.0, outer(n, n)), 1.0)
    f = sub3(scale3(N, share), scale3(SOFT * k, d))
    return f, add9(scale9(slope, outer(share, n)), scale9(SOFT * k, across))
