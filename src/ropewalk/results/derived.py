"""Variables of a record that follow from others of the same moment: end tensions, mooring forces, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ropewalk.results.schema import DOFS, VARIABLES

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.model.lines import Lines
    from ropewalk.results.layout import Layout
    from ropewalk.spec.system import System

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Fastenings(NamedTuple):
    """Ends of lines on bodies, one entry each."""

    end: Ints  # (m,) number of the end: A then B of each line
    body: Ints  # (m,) number of the body
    offset: Array  # (m, 3) in the body frame, m

    @classmethod
    def of(cls, lines: Lines) -> Fastenings:
        """Those of a model's lines."""
        from ropewalk.model.lines import BODY

        end = np.flatnonzero(lines.end_kind.ravel() == BODY)
        return cls(end, lines.end_index.ravel()[end], lines.end_offset.reshape(-1, 3)[end])


def end_tension(fields: Mapping[str, Array]) -> Array:
    """(n, n_lines, 2) magnitude of the end forces, N.  fields : of `Moments`"""
    force = fields["end_force"]
    tension: Array = np.sqrt(np.sum(force * force, axis=3))
    return tension


def line_length(layout: Layout, now: Array) -> Array:
    """(n, n_lines) unstretched, m; of lines with winches as it is now.  now : (n, n_winches) m"""
    length = np.tile([layout.s[last - 1] for last in layout.start[1:]], (len(now), 1))
    length[:, [layout.lines.index(name) for name in layout.winches]] = now
    return length


def mooring_force(fastenings: Fastenings, fields: Mapping[str, Array]) -> Array:
    r"""(n, n_bodies, 6) force (N) of all lines on each body, its moment (N m) about the body's origin, world frame.

    .. math:: F = \sum_i f_i, \qquad M = \sum_i (R\, a_i) \times f_i

    with the end forces :math:`f_i` of the lines and the places :math:`a_i` of their ends in the body frame.

    fields : of `Moments`
    """
    ends = fields["end_force"].reshape(len(fields["end_force"]), -1, 3)
    quaternion = np.asfortranarray(fields["body_quaternion"])
    force = np.asfortranarray(ends[:, fastenings.end])
    moment = cross(rotated(quaternion[:, fastenings.body], fastenings.offset), force)
    total: Array = np.zeros((*quaternion.shape[:2], 6))
    for i, body in enumerate(fastenings.body.tolist()):
        total[:, body, :3] += force[:, i]
        total[:, body, 3:] += moment[:, i]
    return total


def with_sheaves(dataset: xr.Dataset, system: System, over: Mapping[str, Any]) -> xr.Dataset:
    """An equilibrium with what lines exert on bodies that they run over, added to the forces of their ends.

    over : by line, what it runs over: s, m, and force of the line on it, N
    """
    total: Array = np.zeros((len(system.bodies), 6))
    for line, passed in over.items():
        for sheave, where in zip(sorted(passed, key=lambda row: row["s"]), system.lines[line].over, strict=True):
            name, _, place = where.partition(".")
            if name in system.bodies:
                k = list(system.bodies).index(name)
                offset = np.array([system.bodies[name].attachments[place]], dtype=float)
                arm = rotated(dataset["body_quaternion"].values[0, [k]], offset)
                total[k] += [*sheave["force"], *cross(arm, np.array([sheave["force"]]))[0]]
    if not total.any():
        return dataset
    if "mooring_force" not in dataset:  # no line ends on a body
        variable = VARIABLES["mooring_force"]
        zero = np.zeros((1, *total.shape))
        dataset = dataset.assign(mooring_force=(variable.dims, zero, variable.attrs)).assign_coords(
            dof=("dof", list(DOFS), VARIABLES["dof"].attrs)
        )
    dataset["mooring_force"].values += total
    return dataset


def rotated(quaternion: Array, vector: Array) -> Array:
    """(..., 3) vectors turned from body to world by (..., 4) unit quaternions."""
    scalar, axis = quaternion[..., :1], quaternion[..., 1:]
    twice = 2.0 * cross(axis, vector)
    turned: Array = vector + scalar * twice + cross(axis, twice)
    return turned


def cross(a: Array, b: Array) -> Array:
    """(..., 3) cross products, quickest where components lie together; `numpy.cross` takes four times as long."""
    found: Array = np.empty(np.broadcast_shapes(a.shape, b.shape), order="F")
    (a0, a1, a2), (b0, b1, b2) = (a[..., k] for k in range(3)), (b[..., k] for k in range(3))
    found[..., 0] = a1 * b2 - a2 * b1
    found[..., 1] = a2 * b0 - a0 * b2
    found[..., 2] = a0 * b1 - a1 * b0
    return found
