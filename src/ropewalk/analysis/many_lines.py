"""The question `solve_lines`: many independent lines at once, by the closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ropewalk.errors import InputError
from ropewalk.physics import catenary
from ropewalk.physics.catenary import Lines


def solve_lines(
    span: ArrayLike,
    rise: ArrayLike,
    length: ArrayLike,
    axial_stiffness: ArrayLike,
    weight: ArrayLike,
    friction: ArrayLike = 0.0,
    height: ArrayLike = np.inf,
) -> Lines:
    """Many independent elastic catenaries at once; the arguments are numbers or arrays of the same shape.

    span, rise : of end B over end A, horizontally and vertically, m    length : unstretched, m
    axial_stiffness : EA, N; inf for inextensible    weight : in water, per unstretched metre, N/m
    friction : coefficient on the seabed    height : of end A above the seabed, m; inf without one

    The result has `status`, `force` (end A or B by horizontal and vertical part, N), `ground` (first and last s on the
    bed, m), `miss` (closure error, m) and `stiffness` (N/m).

    >>> import ropewalk as rw
    >>> lines = rw.solve_lines(span=[100.0, 110.0], rise=0.0, length=120.0, axial_stiffness=1e8, weight=50.0)
    >>> lines.force[:, 1].round()  # horizontal and vertical at end B, N
    array([[2347., 3000.],
           [3772., 3000.]])
    """
    given = {"span": span, "rise": rise, "length": length, "axial_stiffness": axial_stiffness, "weight": weight,
             "friction": friction, "height": height}  # fmt: skip
    arrays = {}
    for name, value in given.items():
        try:
            arrays[name] = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{name} must be a number or an array of numbers, not {type(value).__name__}") from None
        if arrays[name].size == 0:
            raise InputError(f"{name} is empty; give a number or an array of numbers")
        if np.isnan(arrays[name]).any():
            raise InputError(f"{name} contains something that is not a number")
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items() if array.ndim)
        raise InputError(
            f"the shapes of the arrays do not match: {shapes}; give numbers, or arrays of one shape"
        ) from None
    return catenary.solve_lines(**arrays)
