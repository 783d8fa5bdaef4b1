"""Kernels as separate objects: compiled once, found again with all they call, callable from kernels and from Python."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

TERMS = 40  # lines of the large kernel, with some ten instructions each


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """A large kernel, a small one that calls it, and one at the top that calls both."""
    head = "import numpy as np\nfrom ropewalk.numerics.compile import kernel\n"
    body = "".join(f"    s += np.sin(x + {k}.0) * np.cos(s) / (1.0 + s * s)\n" for k in range(TERMS))
    check = "    if x < 0.0:\n        raise ValueError('negative')\n"
    large = f"@kernel\ndef large(x):\n{check}    s = 0.0\n{body}    return s\n"
    small = "@kernel\ndef small(x):\n    return large(x) + 1.0\n"
    top = "@kernel\ndef top(x):\n    return small(x) + large(x)\n"
    (tmp_path / "parts.py").write_text(head + large + small)
    (tmp_path / "whole.py").write_text(head + "from parts import large, small\n" + top)
    return tmp_path


def run(modules: Path, program: str) -> str:
    """What a process prints that can import `modules`; its cache is beside them."""
    head = f"import sys; sys.path.insert(0, {str(modules)!r})\nfrom whole import large, small, top\n"
    environment = {**os.environ, "ROPEWALK_CACHE": str(modules / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(program)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(modules: Path) -> dict[str, int]:
    """Files of the cache and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in (modules / "cache").rglob("*.kernel")}


def test_callers_do_not_contain_large_kernels(modules):
    """The small kernel is taken in, the large one only named; plain Python gives the same number."""
    program = """
        from numba import float64
        value = top(0.3)
        code = top.overloads[(float64,)].library._final_module
        defined = [f.name for f in code.functions if not f.is_declaration]
        named = [f.name for f in code.functions if f.is_declaration]
        print(any("large" in name for name in defined), any("large" in name for name in named))
        plain = large.py_func(0.3)
        print(abs(value - (2.0 * plain + 1.0)) <= 1e-12 * abs(value))  # sums of 40 terms, in another order
    """
    assert run(modules, program).split() == ["False", "True", "True"]


@pytest.mark.parametrize("mark", ["separate=False", "forceinline=True"])
def test_mark_goes_before_size(modules, mark):
    """A short kernel marked separate is named; a long one marked not to be, or to be inlined, is taken in."""
    parts = modules / "parts.py"
    text = parts.read_text()
    parts.write_text(text.replace("@kernel\ndef large", f"@kernel({mark})\ndef large"))
    (modules / "whole.py").write_text((modules / "whole.py").read_text().replace("@kernel", "@kernel(separate=True)"))
    program = """
        from numba import float64
        top(0.3)
        print([k.overloads[(float64,)].library.kernel_separate for k in (large, top)])
    """
    assert run(modules, program) == "[False, True]\n"


def test_compiling_leaves_garbage_collection_and_listeners_as_they_were(modules):
    """Both are put aside while kernels compile: of one that compiles, and of one that does not."""
    program = """
        import gc
        from llvmlite.binding import ffi
        before = gc.get_threshold(), list(ffi.lib._lock._cblist)
        top(0.3)
        try:
            small("none")
        except Exception as error:
            print(type(error).__name__)
        print((gc.get_threshold(), ffi.lib._lock._cblist) == before, len(before[1]) > 0)
    """
    assert run(modules, program) == "TypingError\nTrue True\n"


def test_kernel_found_on_disk_brings_what_it_calls(modules):
    """The second process calls the top only: it writes nothing and gives the same number."""
    first = run(modules, "print(top(0.3))")
    files = kept(modules)
    assert run(modules, "print(top(0.3))") == first
    assert kept(modules) == files


@pytest.mark.parametrize("harm", ["lost", "torn"])
def test_lost_or_torn_callee_is_compiled_again(modules, harm):
    """Its caller too, as the new code goes by another name."""
    first = run(modules, "print(top(0.3))")
    for path in (modules / "cache").rglob("large-*.kernel"):
        path.unlink() if harm == "lost" else path.write_bytes(path.read_bytes()[:-7])
    assert run(modules, "print(top(0.3))") == first


def test_kernel_called_by_kernels_can_then_be_called_from_python(modules):
    """Numba's dispatcher is not handed a function that lacks the code for it."""
    program = """
        from ropewalk.numerics.compile import entry_point
        whole, part = top(0.3), entry_point(large, 0.3)(0.3)
        print(abs(whole - small(0.3) - large(0.3)) < 1e-12, part == large(0.3))
    """
    for _ in range(2):  # compiled; loaded
        assert run(modules, program).split() == ["True", "True"]


def test_errors_come_through_separate_kernels(modules):
    """Type and sentence of an error raised two calls down, compiled and loaded."""
    program = """
        try:
            top(-1.0)
        except ValueError as error:
            print(error)
    """
    for _ in range(2):
        assert run(modules, program) == "negative\n"


def test_loading_leaves_out_what_numba_needs_for_compiling_only(modules):
    """The registries of numba take a seventh of the time of a short command; they come when something is compiled."""
    program = """
        value = top(0.3)
        print(value, "numba.np.arraymath" in sys.modules, top.overloads[top.signatures[0]].library._parsed is None)
    """
    first = run(modules, "value = top(0.3)\nprint(value, 'numba.np.arraymath' in sys.modules)").split()
    assert first[1] == "True"
    assert run(modules, program).split() == [first[0], "False", "True"]


def test_a_caller_takes_in_a_kernel_that_was_loaded(modules):
    """Compiled in the process that has loaded its callee, and then loaded itself: the same number each time."""
    whole = run(modules, "print(top(0.3)); small(0.3)")
    for path in (modules / "cache").rglob("top-*.kernel"):
        path.unlink()
    program = """
        small(0.3)
        assert "numba.np.arraymath" not in sys.modules  # loaded, not compiled
        print(top(0.3))
    """
    assert run(modules, program) == whole
    assert run(modules, "print(top(0.3))") == whole


def test_errors_of_numbas_own_functions_come_through_when_loaded(modules):
    """They stand in environments of numba's modules, also of a caller that is compiled after its callee was loaded."""
    text = "@kernel\ndef folded(x, n):\n    return x.reshape((n, n))\n"
    (modules / "parts.py").write_text((modules / "parts.py").read_text() + text)
    text = "from parts import folded\n@kernel\ndef corner(x, n):\n    return folded(x, n)[0, 0]\n"
    (modules / "whole.py").write_text((modules / "whole.py").read_text() + text)
    program = """
        import numpy as np
        from whole import corner, folded
        for kernel in {kernels}:
            kernel(np.ones(4), 2)
            try:
                kernel(np.ones(4), 3)
            except ValueError as error:
                print(error)
    """
    first = run(modules, program.format(kernels="(folded,)"))
    assert "size" in first
    for _ in range(2):  # the caller is compiled; loaded
        assert run(modules, program.format(kernels="(folded, corner)")) == 2 * first


@pytest.mark.parametrize("callee", ["COUNTED", "UNCOUNTED"])
@pytest.mark.parametrize("caller", ["COUNTED", "UNCOUNTED"])
def test_a_returned_array_is_counted_by_caller_and_callee_or_by_none(modules, caller, callee):
    """One that counts frees what the other still uses, or the other never frees it: refused with both names."""
    (modules / "views.py").write_text(
        "from ropewalk.numerics.compile import COUNTED, UNCOUNTED, kernel\n"
        f"@kernel(**{callee})\ndef same(x):\n    return x\n"
        f"@kernel(**{caller})\ndef last(x):\n    return same(x)[-1]\n"
    )
    program = """
        import numpy as np
        from views import last
        try:
            print(last(np.arange(4.0)))
        except Exception as error:
            print("kernels 'last' and 'same', which returns an array, must both be" in str(error))
    """
    assert run(modules, program) == ("3.0\n" if caller == callee else "True\n")
