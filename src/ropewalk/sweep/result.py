"""Rows of all cases to one Dataset over `case`, with the factors as coordinates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk import __version__
from ropewalk.sweep.expand import Plan
from ropewalk.sweep.frames import DONE
from ropewalk.sweep.journal import Journal

if TYPE_CHECKING:
    import xarray as xr

NOT_RUN = "not run"  # status of a case that has not ended


def to_dataset(plan: Plan, journal: Journal) -> xr.Dataset:
    """The result of a sweep. Rows of failed cases are NaN; names along dimensions are those of all cases together."""
    import xarray as xr

    n = len(plan)
    table = _Table(n)
    status, reason = np.full(n, NOT_RUN, dtype=object), np.full(n, "", dtype=object)
    doubts: dict[int, list[dict[str, Any]]] = {}
    for entry, summary in journal.outcomes():
        case = entry["case"]
        status[case], reason[case] = entry["status"], entry["reason"]
        if summary is not None:
            doubts[case] = summary.doubts
            for dim, labels in summary.labels.items():
                table.meet(dim, labels)
            for name, (dims, values) in summary.variables.items():
                table.put(name, case, dims, values, summary)
    variables: dict[str, Any] = table.variables()
    variables["status"] = ("case", status.astype(str), {"long_name": f"'{DONE}', or one word for the kind of failure"})
    variables["reason"] = ("case", reason.astype(str), {"long_name": "reason of failure"})
    texts = [json.dumps(doubts.get(case, [])) for case in range(n)]
    variables["doubts"] = ("case", np.array(texts, dtype=str), {"long_name": "doubts about the result, as JSON"})
    coordinates: dict[str, Any] = {"case": ("case", np.arange(n), {"long_name": "number of the case"})}
    for dim, labels in table.labels.items():
        coordinates[dim] = (dim, np.array(labels))
    coordinates |= _factors(plan)
    attrs = {
        "title": plan.sweep.title or plan.base.title,
        "system": plan.base.model_dump_json(by_alias=True, exclude_unset=True),
        "sweep": plan.sweep.model_dump_json(exclude_unset=True, exclude={"limits"}),
        "factors": json.dumps(plan.names),
        "version": __version__,
        "created_by": f"ropewalk {__version__} sweep",
        "status": DONE,
        "doubts": json.dumps(_gathered(doubts, n)),
    }
    return xr.Dataset(variables, coordinates, attrs)


def _gathered(doubts: dict[int, list[dict[str, Any]]], n: int) -> list[dict[str, Any]]:
    """The doubts of all n cases, one of each kind and part: figures of the first case that has it, and how many do."""
    first: dict[tuple[str, str], tuple[int, dict[str, Any]]] = {}
    having: dict[tuple[str, str], set[int]] = {}
    for case, own in doubts.items():
        for doubt in own:
            key = (doubt["code"], doubt["part"])
            first.setdefault(key, (case, doubt))
            having.setdefault(key, set()).add(case)
    return [
        {**doubt, "sentence": f"{len(having[key])} of {n} cases, the first is case {case}: {doubt['sentence']}"}
        for key, (case, doubt) in first.items()
    ]


def _factors(plan: Plan) -> dict[str, Any]:
    """A coordinate for every key: numbers where all levels are, text otherwise."""
    found: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {key: [] for key in plan.keys}
    for case in range(len(plan)):
        for key, value in plan.changes(case).items():
            columns[key].append(value)
    for key, values in columns.items():
        is_whole = all(isinstance(value, int) and not isinstance(value, bool) for value in values)
        is_real = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        kind = np.int64 if is_whole else np.float64
        array = np.array(values, dtype=kind) if is_real else np.array([_text(value) for value in values])
        found[plan.names[key]] = ("case", array, {"long_name": key})
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class _Table:
    """Arrays over cases that grow when a case brings new names along a dimension."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.labels: dict[str, list[Any]] = {}
        self.arrays: dict[str, Any] = {}
        self.dims: dict[str, tuple[str, ...]] = {}
        self.attrs: dict[str, dict[str, str]] = {}
        self._at: dict[str, dict[Any, int]] = {}

    def meet(self, dim: str, labels: list[Any]) -> None:
        """Take the names along a dimension that were not seen before."""
        known = self._at.setdefault(dim, {})
        here = self.labels.setdefault(dim, [])
        for label in labels:
            if label not in known:
                known[label] = len(here)
                here.append(label)

    def put(self, name: str, case: int, dims: tuple[str, ...], values: Any, summary: Any) -> None:
        """Put the values of a case where their names belong."""
        shape = (self.n, *(len(self.labels[dim]) for dim in dims))
        array = self.arrays.get(name)
        if array is None:
            array = np.full(shape, np.nan)
            self.dims[name], self.attrs[name] = dims, summary.attrs[name]
        elif array.shape != shape:
            array = np.pad(array, [(0, new - old) for new, old in zip(shape, array.shape, strict=True)],
                           constant_values=np.nan)  # fmt: skip
        self.arrays[name] = array
        if not dims:
            array[case] = values
            return
        where = [[self._at[dim][label] for label in summary.labels[dim]] for dim in dims]
        # JSON keeps no shape of what is empty: a case without lines has (0, 2) end tensions
        array[case][np.ix_(*where)] = np.reshape(values, [len(labels) for labels in where])

    def variables(self) -> dict[str, Any]:
        """Dimensions, values and attributes by name, all with the full size."""
        found = {}
        for name, array in self.arrays.items():
            shape = (self.n, *(len(self.labels[dim]) for dim in self.dims[name]))
            if array.shape != shape:
                array = np.pad(array, [(0, new - old) for new, old in zip(shape, array.shape, strict=True)],
                               constant_values=np.nan)  # fmt: skip
            found[name] = (("case", *self.dims[name]), array, self.attrs[name])
        return found
