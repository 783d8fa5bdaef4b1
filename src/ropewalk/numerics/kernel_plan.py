"""The list of kernels that the usual tasks compile: ``kernel_plan.json``, which ``make plan`` writes.

Each kernel stands there with the types of its arguments, whether Python calls it, and the kernels it calls, callees
before callers; each task with the kernels it needs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

PLAN = Path(__file__).with_name("kernel_plan.json")


class Planned(NamedTuple):
    """A kernel of the plan."""

    name: str  # module and qualified name
    types: list[Any]  # of its arguments, as type_names.py writes them
    inner: bool  # called by kernels only
    callees: list[int]  # kernels of the plan that it calls


def read_plan() -> tuple[list[Planned], dict[str, list[int]]]:
    """Kernels, and those that each task needs, by its name."""
    try:
        content = json.loads(PLAN.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return [], {}
    kinds = content["types"]
    kernels = [
        Planned(name, [kinds[t] for t in types], inner, calls) for name, types, inner, calls in content["kernels"]
    ]
    return kernels, content["tasks"]


def write_plan(kernels: list[Planned], tasks: dict[str, list[int]], path: Path = PLAN) -> None:
    """Write a plan: a line a kernel, so that versions can be compared."""
    kinds: dict[str, int] = {}
    rows = []
    for planned in kernels:
        numbers = [kinds.setdefault(json.dumps(kind), len(kinds)) for kind in planned.types]
        rows.append(json.dumps([planned.name, numbers, planned.inner, planned.callees]))
    needed = [f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in tasks.items()]
    parts = [("types", "[", list(kinds), "]"), ("kernels", "[", rows, "]"), ("tasks", "{", needed, "}")]
    text = ",\n".join(f'"{name}": {a}\n' + ",\n".join(lines) + f"\n{b}" for name, a, lines, b in parts)
    path.write_text(f"{{{text}}}\n", encoding="utf-8")


class Recorder:
    """The kernels that this process compiles or loads, as a plan. To record a task, let it run in a new process."""

    def __init__(self) -> None:
        self.seen: dict[Any, tuple[bool, list[Any]]] = {}  # by function and types: inner, callees

    def __call__(self, function: Any, types: tuple[Any, ...], inner: bool, callees: list[Any]) -> None:
        """Take note of a kernel."""
        key = (function, types)
        before = self.seen.get(key)
        known = before[1] if before is not None and not callees else callees
        self.seen[key] = (inner and (before is None or before[0]), known)

    def planned(self) -> list[dict[str, Any]]:
        """What was seen, as plain data; kernels for types that cannot be written are left out."""
        return [
            {"key": key, "inner": inner, "callees": [k for k in map(_key, callees) if k is not None]}
            for seen, (inner, callees) in self.seen.items()
            if (key := _key(seen)) is not None
        ]


def _key(seen: tuple[Any, tuple[Any, ...]]) -> list[Any] | None:
    """Name and types of a kernel as plain data."""
    from ropewalk.numerics.type_names import encode

    function, types = seen
    coded = [encode(kind) for kind in types]
    if None in coded or "<locals>" in function.__qualname__:
        return None
    return [f"{function.__module__}:{function.__qualname__}", coded]


def merged(records: dict[str, list[dict[str, Any]]]) -> tuple[list[Planned], dict[str, list[int]]]:
    """One plan of what several tasks recorded, callees before callers."""
    known: dict[str, dict[str, Any]] = {}
    for found in records.values():
        for entry in found:
            name = json.dumps(entry["key"])
            one = known.setdefault(name, {"inner": True, "callees": []})
            one["inner"] = one["inner"] and entry["inner"]
            one["callees"] = one["callees"] or [json.dumps(callee) for callee in entry["callees"]]
    order: dict[str, int] = {}

    def place(name: str, above: tuple[str, ...] = ()) -> None:
        if name in order or name in above or name not in known:
            return
        for callee in known[name]["callees"]:
            place(callee, (*above, name))
        order[name] = len(order)

    for name in known:
        place(name)
    kernels = []
    for text in order:
        name, types = json.loads(text)
        callees = [order[callee] for callee in known[text]["callees"] if callee in order]
        kernels.append(Planned(name, types, known[text]["inner"], callees))
    tasks = {task: sorted(order[json.dumps(entry["key"])] for entry in found) for task, found in records.items()}
    return kernels, {task: _with_callees(kernels, numbers) for task, numbers in tasks.items()}


def _with_callees(kernels: list[Planned], numbers: list[int]) -> list[int]:
    """These kernels and all that they call."""
    found: set[int] = set()
    todo = list(numbers)
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += kernels[number].callees
    return sorted(found)
