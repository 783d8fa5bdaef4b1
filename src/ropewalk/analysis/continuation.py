"""The question `continuation`: how an equilibrium changes with a number of its case, through folds and branchings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.analysis.path_curves import SHOOTING, LineCurve, RodCurve, Seen
from ropewalk.analysis.sensitivity import read
from ropewalk.analysis.statics import statics
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.numerics.arclength import Event, Lost, Point, begin, follow
from ropewalk.results.schema import described
from ropewalk.spec import arguments
from ropewalk.spec.system import Source, System

if TYPE_CHECKING:
    import xarray as xr

MOST = 1000  # points of a path
KEPT = 8  # points whose outputs are kept
DONE = "done"


@dataclass(frozen=True)
class _Row:
    """A point of the path as it is kept."""

    value: float
    arc: float
    seen: Seen
    event: str
    sign: float


def continuation(
    system: Source,
    key: str,
    start: float,
    stop: float,
    *,
    outputs: Sequence[str] = (),
    guess: Any = None,
    until: Mapping[str, float] | None = None,
    most: int = MOST,
) -> xr.Dataset:
    """Follow an equilibrium while the number of the case at `key` goes from `start` to `stop`, by pseudo-arclength.

    The path continues past folds, where the parameter turns back, and ends where it leaves the range from `start` to
    `stop` on either side, where an output of `until` passes its value, or after `most` points. Folds and branch points
    are located and are among the points, with the signs of the tangent's determinant before and after in the attribute
    `folds`; each `confirmed` there if they differ. Stability is that of `rw.equilibria`. Every point is audited;
    the path ends before one that does not pass.

    key : path of a number, as in ``environment.current.speed`` or ``rods.hose.curvature.kappa.1``
    outputs : paths in the summary, as in ``lines.west.end_b.tension``; all end tensions and the heights of free parts
    unless given. Of rods: ``rods.NAME.`` heave, roll, pitch, up, energy, elastic_energy.
    guess : where to start at `start`, which chooses the branch: as for `rw.statics`, or a state of `rw.float_rods`
    Lines and bodies are followed by shooting, elastic rods that float freely by their energy.
    Raises ConvergenceError if there is nothing to follow at `start`; a path that ends early has `status`.

    >>> import ropewalk as rw
    >>> path = rw.continuation("mooring.yaml", "lines.west.pieces.0.length", 455, 460)
    >>> path.attrs["status"], float(path.parameter[-1])
    ('done', 460.0)
    """
    system = System.of(system)
    key = arguments.text("key", key, "environment.current.speed")
    start, stop = arguments.number("start", start), arguments.number("stop", stop)
    outputs = arguments.texts("outputs", outputs, "lines.west.end_b.tension")
    most = arguments.count("most", most, 2)
    if start == stop:
        raise InputError(f"start and stop are both {start:g}; give two values of {key}")

    def case(p: float) -> System:
        return system.replace(key, start + p * (stop - start))

    case(0.0), case(1.0)  # what cannot be set is refused here
    curve = _curve(system, case, key, guess)
    try:
        first = begin(curve, curve.start(), 0.0, 1.0)
    except Lost as lost:
        raise ConvergenceError(f"{key} = {start:g}: {lost}; start elsewhere, or from another guess") from None
    wanted = list(outputs) or _usual(system, curve.summary(first.at, first.p))
    base = curve.summary(first.at, first.p)
    for path in (*wanted, *(until or {})):
        read(base, path)
    rows, folds, status = _followed(curve, first, most, until or {}, (start, stop))
    return _dataset(system, rows, wanted, {"key": key, "start": start, "stop": stop}, folds, status)


def _curve(system: System, case: Any, key: str, guess: Any) -> LineCurve | RodCurve:
    """What is followed: the rod that the key belongs to, or the lines."""
    head, _, rest = key.partition(".")
    if head == "rods" and not system.lines:
        return RodCurve(case, rest.partition(".")[0], 0.0, guess)
    if not system.lines:
        raise InputError("the case has no lines and the key does not belong to a rod; there is no path to follow")
    begins = statics(case(0.0), SHOOTING, guess=guess)
    return LineCurve(case, begins.state, 0.0, 0.0)


def _followed(
    curve: Any, first: Point, most: int, until: Mapping[str, float], ends: tuple[float, float]
) -> tuple[list[_Row], list[dict[str, Any]], str]:
    """Points, events and how the path ended.

    The equations of a curve hold while its lines lie on the bed where they did, for instance: at a point that the audit
    rejects the path goes on with new equations, or ends.
    """
    rows: list[_Row] = []
    folds: list[dict[str, Any]] = []
    start, stop = ends
    watched = None
    if until:
        watched, *more = until.items()
        if more:
            raise InputError(f"until accepts one output, not {len(until)}; follow the path to the first")
    status, renewed_at, last = DONE, -1, first
    try:
        while True:
            watch = None if watched is None else _watch(curve, *watched)
            for one in follow(curve, first, most - len(rows), watch):
                point = one.point if isinstance(one, Event) else one
                value, seen = start + point.p * (stop - start), curve.seen(point.at, point.p)
                if not seen.audit <= 1.0:
                    if renewed_at == len(rows):
                        raise Lost(
                            f"the audit rejects the next point, at {value:.6g}, by {seen.audit:.2g} of its limit"
                        )
                    renewed_at, (curve, first) = len(rows), curve.renewed(point, last)
                    break
                if isinstance(one, Event):
                    folds.append({"kind": one.kind, "value": value, "step": len(rows), "determinant_before": one.before,
                                  "determinant_after": one.after, "confirmed": one.confirmed})  # fmt: skip
                event, sign = (one.kind, 0.0) if isinstance(one, Event) else ("", one.sign)
                rows.append(_Row(value, point.arc, seen, event, sign))
                last = point
            else:
                break
    except Lost as lost:
        if not rows:
            raise ConvergenceError(f"the equilibrium at the start of the path: {lost}") from None
        status = f"stopped at {rows[-1].value:.6g}: {lost}"
    else:
        if watched is None and abs(rows[-1].value - stop) > 1e-6 * abs(stop - start):
            status = f"turned back to {rows[-1].value:.6g}"
    return rows, folds, status


def _watch(curve: Any, path: str, level: float) -> Any:
    """How far an output is above a level, as a function of a point; the last ones are kept."""
    kept: dict[float, float] = {}

    def above(point: Point) -> float:
        if point.arc not in kept:
            if len(kept) >= KEPT:
                del kept[next(iter(kept))]
            kept[point.arc] = read(curve.summary(point.at, point.p), path) - level
        return kept[point.arc]

    return above


def _usual(system: System, summary: dict[str, Any]) -> list[str]:
    """Outputs that are kept unless others are asked for."""
    if "rods" in summary:
        return [f"rods.{name}.{what}" for name in summary["rods"] for what in ("heave", "roll", "pitch", "energy")]
    ends = [f"lines.{name}.{end}.tension" for name in system.lines for end in ("end_a", "end_b")]
    loose = [f"points.{name}" for name, one in system.points.items() if one.joint not in ("fixed", "moving", "coupled")]
    loose += [f"bodies.{name}" for name, one in system.bodies.items() if one.joint == "free"]
    return ends + [f"{part}.position.{axis}" for part in loose for axis in range(3)]


def _dataset(
    system: System, rows: list[_Row], outputs: list[str], settings: dict[str, Any], folds: list[Any], status: str
) -> xr.Dataset:
    import xarray as xr

    from ropewalk import __version__

    values = np.array([[read(row.seen.summary, path) for path in outputs] for row in rows]).reshape(len(rows), -1)
    variables = {
        "parameter": ("step", [row.value for row in rows]),
        "arc": ("step", [row.arc for row in rows]),
        "value": (("step", "output"), values),
        "event": ("step", [row.event for row in rows]),
        "determinant_sign": ("step", [row.sign for row in rows]),
        "unstable": ("step", [row.seen.unstable for row in rows]),
        "smallest_eigenvalue": ("step", [row.seen.smallest for row in rows]),
        "audit": ("step", [row.seen.audit for row in rows]),
    }
    attrs = {
        "title": system.title,
        "system": system.model_dump_json(by_alias=True, exclude_unset=True),
        "settings": json.dumps(settings),
        "version": __version__,
        "created_by": "ropewalk continuation",
        "status": status,
        "folds": json.dumps(folds),
        "doubts": json.dumps([]),
    }
    found: xr.Dataset = described(xr.Dataset(variables, {"output": outputs}, attrs), "continuation")
    return found
