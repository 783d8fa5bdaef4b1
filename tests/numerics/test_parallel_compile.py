"""Kernels of a task compiled by several processes before it starts, by a list that is only advice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types

from ropewalk.loads.bed import BED
from ropewalk.model.joints import Points
from ropewalk.numerics.kernel_plan import Planned, merged, read_plan, write_plan
from ropewalk.numerics.type_names import decode, encode

PROGRAM = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {folder!r})
    from ropewalk.numerics import kernel_plan, parallel_compile
    parallel_compile.PLAN = kernel_plan.PLAN = Path({plan!r})
    seen = []
    print(parallel_compile.prepare(["task"], lambda done, total: seen.append((done, total))), seen)
    from parts import top
    print(top(1.0), sum(top.stats.cache_hits.values()), sum(top.stats.cache_misses.values()))
"""


@pytest.mark.parametrize(
    "kind",
    [
        types.float64, types.int64, types.boolean, types.none, types.float64[:, ::1],
        types.Array(types.int64, 1, "C", readonly=True), types.UniTuple(types.float64, 3),
        types.Tuple([types.int64, types.float64[::1]]), numba.from_dtype(BED),
        types.Array(numba.from_dtype(BED), 1, "C"),
    ],
)  # fmt: skip
def test_types_are_found_again(kind):
    assert decode(json.loads(json.dumps(encode(kind)))) == kind


def test_named_tuples_are_found_again():
    fields = {"position": np.zeros((1, 3)), "joint": np.zeros((1, 3), np.int64)}
    points = Points(*(fields.get(name, np.zeros(1)) for name in Points._fields))
    kind = numba.typeof(points)
    assert decode(json.loads(json.dumps(encode(kind)))) == kind


def test_types_without_a_name_are_left_out():
    assert encode(numba.from_dtype(np.dtype([("a", "f8")], align=True))) is None


def test_plan_is_written_and_read(tmp_path, monkeypatch):
    leaf = {"key": ["m:leaf", [["plain", "float64"]]], "inner": True, "callees": []}
    top = {"key": ["m:top", [["plain", "float64"]]], "inner": False, "callees": [leaf["key"]]}
    kernels, tasks = merged({"one": [top, leaf], "two": [{**top, "callees": []}]})
    assert [planned.name for planned in kernels] == ["m:leaf", "m:top"]  # callees first
    assert tasks == {"one": [0, 1], "two": [0, 1]}  # with what it calls
    monkeypatch.setattr("ropewalk.numerics.kernel_plan.PLAN", tmp_path / "plan.json")
    write_plan(kernels, tasks, tmp_path / "plan.json")
    assert read_plan() == (kernels, tasks)


def test_processes_compile_what_a_plan_lists(tmp_path: Path) -> None:
    """All that is listed is found on disk afterwards; a kernel that is gone from the sources does no harm."""
    head = "from ropewalk.numerics.compile import kernel\n"
    leaves = "".join(f"@kernel\ndef leaf{k}(x):\n    return x + {k}.0\n" for k in range(4))
    top = "@kernel\ndef top(x):\n    return " + " + ".join(f"leaf{k}(x)" for k in range(4)) + "\n"
    (tmp_path / "parts.py").write_text(head + leaves + top)
    number = ["plain", "float64"]
    kernels = [Planned(f"parts:leaf{k}", [number], True, []) for k in range(4)]
    kernels += [Planned("parts:gone", [number], True, []), Planned("parts:top", [number], False, [0, 1, 2, 3, 4])]
    plan = tmp_path / "kernel_plan.json"
    write_plan(kernels, {"task": list(range(6))}, plan)
    program = textwrap.dedent(PROGRAM.format(folder=str(tmp_path), plan=str(plan)))
    work = "import sys; sys.path.insert(0, {!r})\nfrom pathlib import Path\n"
    work += "import ropewalk.numerics.kernel_plan as k\nk.PLAN = Path({!r})\n"
    (tmp_path / "sitecustomize.py").write_text(work.format(str(tmp_path), str(plan)))
    environment = {
        **os.environ,
        "ROPEWALK_CACHE": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
    }
    for count in (5, 0):  # compiled; kept
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        first, second = done.stdout.splitlines()
        assert not done.stderr  # no pipe or process is left behind
        assert first == f"{count} {[(k + 1, count) for k in range(count)]}"
        assert second == "10.0 1 0"  # loaded, not compiled


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_with_other_arguments_than_the_plan_has_is_left_alone():
    """An outdated list does no harm: numba raises TypeError for a wrong number of types, its own errors otherwise."""
    from ropewalk.loads.bed import penetration
    from ropewalk.numerics.parallel_compile import compile_one

    known = len(penetration.overloads)
    for kinds in ((types.float64,), (types.float64, types.float64, types.float64)):
        compile_one(penetration, kinds, inner=False)
    assert len(penetration.overloads) == known
