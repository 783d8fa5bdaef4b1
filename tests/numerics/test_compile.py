"""The kernel decorator: cached on disk, never stale, safe between processes, silent fallback refused."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from ropewalk.numerics import kernel_cache, sources
from ropewalk.numerics.compile import entry_point, kernel

PROGRAM = """
    import sys
    sys.path.insert(0, {folder!r})
    import numpy as np
    from outer import total
    print(total(np.ones(4)))
"""


def run(folder: Path, cache: Path, *, check: bool = True, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ROPEWALK_CACHE": str(cache), **variables}
    program = textwrap.dedent(PROGRAM.format(folder=str(folder)))
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=check)


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A kernel that calls one of another file."""
    head = "from ropewalk.numerics.compile import kernel\n"
    (tmp_path / "inner.py").write_text(head + "@kernel\ndef weight(x):\n    return 2.0 * x\n")
    body = "    s = 0.0\n    for v in x:\n        s += weight(v)\n    return s\n"
    (tmp_path / "outer.py").write_text(head + "from inner import weight\n@kernel\ndef total(x):\n" + body)
    return tmp_path


def test_result_is_kept_and_found_again(modules, tmp_path):
    """The second process writes nothing new and gives the same number."""
    cache = tmp_path / "cache"
    first = run(modules, cache)
    files = {path: path.stat().st_mtime_ns for path in cache.rglob("*.kernel")}
    second = run(modules, cache)
    assert first.stdout == second.stdout == "8.0\n"
    assert files
    assert files == {path: path.stat().st_mtime_ns for path in cache.rglob("*.kernel")}


def test_two_processes_may_compile_at_once(modules, tmp_path):
    """Both answer right, and what they leave is whole."""
    environment = {**os.environ, "ROPEWALK_CACHE": str(tmp_path / "cache")}
    program = textwrap.dedent(PROGRAM.format(folder=str(modules)))
    both = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in both] == ["8.0\n"] * 3
    assert run(modules, tmp_path / "cache").stdout == "8.0\n"
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_damaged_file_is_compiled_again(modules, tmp_path):
    cache = tmp_path / "cache"
    run(modules, cache)
    for path in cache.rglob("*.kernel"):
        path.write_bytes(path.read_bytes()[:-7])
    assert run(modules, cache).stdout == "8.0\n"


def test_folder_that_cannot_be_written_warns_once(modules, tmp_path):
    """The numbers still come; one sentence says why the next start is slow again."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run(modules, blocked / "cache")
    assert done.stdout == "8.0\n"
    assert done.stderr.count("compiled kernels cannot be kept in") == 1
    assert "Set ROPEWALK_CACHE" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of files there")
def test_a_folder_that_others_may_write_is_not_read(modules, tmp_path):
    """What is read there is run; the numbers still come, compiled anew."""
    cache = tmp_path / "cache"
    run(modules, cache)
    marks = {path: path.stat().st_atime_ns for path in cache.rglob("*.kernel")}
    cache.chmod(0o777)
    done = run(modules, cache)
    assert done.stdout == "8.0\n"
    assert done.stderr.count("others may write there (mode 777)") == 1
    assert marks == {path: path.stat().st_atime_ns for path in cache.rglob("*.kernel")}


@pytest.mark.skipif(sys.platform == "win32", reason="no modes of files there")
def test_a_file_that_others_may_write_is_not_read(tmp_path, monkeypatch):
    """Neither one with a loose mode, nor a link, nor one of another user."""
    tmp_path.chmod(0o700)
    path, link = tmp_path / "a.kernel", tmp_path / "b.kernel"
    path.write_bytes(b"x")
    path.chmod(0o600)
    link.symlink_to(path)
    assert sources.trusted_bytes(path) == b"x"
    with pytest.raises(OSError):
        sources.trusted_bytes(link)
    path.chmod(0o622)
    with pytest.raises(PermissionError):
        sources.trusted_bytes(path)
    path.chmod(0o600)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    owner = os.stat_result((0o100600, 0, 0, 1, 4712, 0, 1, 0, 0, 0))
    assert sources.not_ours(owner) == "it belongs to user 4712"


def test_kernels_run_with_the_compiler_off(modules, tmp_path):
    done = run(modules, tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    assert done.stdout == "8.0\n"
    assert not (tmp_path / "cache").exists()


def test_key_follows_edits_of_imported_files(tmp_path, monkeypatch):
    """The hash of a file changes with any ropewalk file it imports, at any depth, and with no other."""
    package = tmp_path / "ropewalk"
    (package / "physics").mkdir(parents=True)
    top, middle, low, apart = (package / "physics" / f"{name}.py" for name in ("top", "middle", "low", "apart"))
    top.write_text("from ropewalk.physics import middle\n")
    middle.write_text("import ropewalk.physics.low\n")
    low.write_text("A = 1\n")
    apart.write_text("B = 1\n")
    monkeypatch.setattr(sources, "PACKAGE", package)

    caches = [f for f in vars(sources).values() if hasattr(f, "cache_clear")]

    def key() -> str:
        for cached in caches:
            cached.cache_clear()
        return sources.source_hash(top)

    try:
        assert key() == ""  # written since this process began: it may have imported something else
        monkeypatch.setattr(sources, "_started", math.inf)
        before = key()
        assert before
        apart.write_text("B = 2\n")
        assert key() == before
        low.write_text("A = 2\n")
        assert key() != before
    finally:
        for cached in caches:
            cached.cache_clear()


def test_entry_point_gives_what_the_kernel_gives() -> None:
    """The direct way into compiled code skips the look at types and nothing else."""

    @kernel
    def scaled(x, pair):  # type: ignore[no-untyped-def]
        return pair[1] * x[0] + pair[0]

    arguments = (np.array([3.0, 4.0]), (1.0, 2.0))
    assert entry_point(scaled, *arguments)(*arguments) == scaled(*arguments) == 7.0


FLAGS = """
    import sys
    sys.path.insert(0, {folder!r})
    import numpy as np
    from callers import exact, loose, total
    x = np.sin(np.arange(1000.0)) * 10.0 ** np.arange(1000) ** 0.4
    {order}
    print(repr([float(exact(x)), float(total(x))]))
"""


def test_bits_of_a_kernel_do_not_depend_on_who_called_it_first(tmp_path):
    """A caller that may sum in any order, compiled first or found on disk, leaves other callers' sums as they were."""
    (tmp_path / "callers.py").write_text(
        "from ropewalk.numerics.compile import kernel\n"
        "@kernel\ndef total(x):\n    s = 0.0\n    for v in x:\n        s += v\n    return s\n"
        "@kernel(fastmath=True, _nrt=False, forceinline=True)\ndef loose(x):\n    return total(x)\n"
        "@kernel\ndef exact(x):\n    return total(x)\n"
    )

    def numbers(cache: str, order: str) -> str:
        program = textwrap.dedent(FLAGS.format(folder=str(tmp_path), order=order))
        environment = {**os.environ, "ROPEWALK_CACHE": str(tmp_path / cache)}
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout

    alone = numbers("alone", "")
    assert numbers("after", "loose(x)") == alone  # compiled in this order
    assert numbers("after", "") == alone  # and found on disk
    x = np.sin(np.arange(1000.0)) * 10.0 ** np.arange(1000) ** 0.4
    one_by_one = 0.0
    for value in x:
        one_by_one += float(value)
    assert alone == f"{[one_by_one, one_by_one]!r}\n"


def test_fast_arithmetic_is_used_with_own_functions_only():
    """Numba compiles its own functions with the options of a caller and may hand them to another.

    So kernels with ``fastmath`` call kernels and what is done in place: elementary functions, sizes, comparisons, named
    tuples.
    """
    in_place = {"abs", "float", "int", "len", "max", "min", "range", "empty", "float64"}
    in_place |= {
        "sqrt",
        "sin",
        "cos",
        "exp",
        "log",
        "hypot",
        "arctan2",
        "floor",
        "isnan",
        "isfinite",
        "isinf",
        "rint",
        "copysign",
        "acos",
        "arccos",
        "enumerate",
    }
    in_place |= {"expm1", "log1p", "int64"}
    # of numerics/lanes.py and numerics/pointers.py, written as LLVM
    in_place |= {
        "where",
        "any_of",
        "all_of",
        "lane",
        "lane_array",
        "lane_records",
        "lane_rows",
        "lanes_at",
        "put_lanes",
        "call_one",
        "exponent",
        "mantissa",
        "times_power",
    }
    in_place |= {"water_on_half"}  # chooses a kernel by the type of its argument, when it is compiled
    trees = [ast.parse(path.read_bytes()) for path in sources.PACKAGE.rglob("*.py")]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    marks = [(f, " ".join(d for d in map(ast.unparse, f.decorator_list) if d.startswith("kernel"))) for f in functions]
    known = {f.name for f, mark in marks if mark}
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    in_place |= {c.name for c in classes if "NamedTuple" in map(ast.unparse, c.bases)}
    fast = [f for f, mark in marks if "fastmath" in mark]
    strange = {
        (f.name, ast.unparse(call.func))
        for f in fast
        for call in ast.walk(f)
        if isinstance(call, ast.Call) and not call_decorates(f, call)
        if ast.unparse(call.func).rsplit(".", 1)[-1] not in known | in_place
    }
    assert len(fast) > 50
    assert not strange


def call_decorates(function: ast.FunctionDef, call: ast.Call) -> bool:
    return any(call in ast.walk(mark) for mark in function.decorator_list)


def test_key_holds_settings_that_change_the_code(modules, tmp_path):
    """Bounds checks on, or another level of optimisation, is other code: compiled and kept beside the first."""
    cache = tmp_path / "cache"
    counts = []
    for variables in ({}, {"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}, {}):
        assert run(modules, cache, **variables).stdout == "8.0\n"
        counts.append(len(list(cache.rglob("*.kernel"))))
    assert counts == [counts[0], 2 * counts[0], 3 * counts[0], 3 * counts[0]]


def test_unknown_numba_compiles_plainly(modules, tmp_path):
    """With a numba that the dispatcher is not tested with: same numbers, from its own cache at the second start."""
    (modules / "sitecustomize.py").write_text("import numba\nnumba.__version__ = '9.99.0'\n")
    cache = tmp_path / "cache"
    for _ in range(2):
        assert run(modules, cache, PYTHONPATH=os.pathsep.join([str(modules), *sys.path])).stdout == "8.0\n"
        assert not list(cache.rglob("*.kernel"))
        assert len(list(cache.rglob("*.nbc"))) == 2


def test_shipped_kernels_are_used_and_nothing_is_compiled(modules, tmp_path):
    """What was compiled for x86-64-v3 elsewhere is loaded on this processor, if it can run it."""
    if not all(llvm.get_host_cpu_features().get(feature, False) for feature in kernel_cache.SHIPPED_FEATURES):
        pytest.skip("this processor is no x86-64-v3")
    run(modules, tmp_path / "shipped", NUMBA_CPU_NAME="x86-64-v3", NUMBA_CPU_FEATURES="")
    (modules / "sitecustomize.py").write_text(
        "from pathlib import Path\nfrom ropewalk.numerics import kernel_cache\n"
        f"kernel_cache.SHIPPED = Path({str(tmp_path / 'shipped')!r})\n"
    )
    done = run(modules, tmp_path / "cache", PYTHONPATH=os.pathsep.join([str(modules), *sys.path]))
    assert done.stdout == "8.0\n"
    assert list((tmp_path / "shipped").rglob("*.kernel"))
    assert not list((tmp_path / "cache").rglob("*.kernel"))
