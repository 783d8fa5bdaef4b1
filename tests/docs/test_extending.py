"""The worked examples of docs/extending.md, applied to a copy of the sources as they stand there.

The copies run without the compiler: the examples change kernels, which would otherwise all be compiled anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
MOST_FILES = 4  # that an addition may touch


def examples() -> dict[str, list[tuple[str, str]]]:
    """File and change of each example, by its title."""
    found = {}
    for part in PAGE.split("### Example: ")[1:]:
        title, _, rest = part.partition("\n")
        blocks = re.findall(r"```diff\n--- (\S+)\n\+\+\+ \S+\n(.*?)```", rest.split("\n## ")[0], re.DOTALL)
        found[title] = blocks
    return found


def apply(tree: Path, file: str, change: str) -> None:
    """Change a file: what a block shows with blank and minus must be there once, and becomes blank and plus."""
    path = tree / file
    text = path.read_text(encoding="utf-8")
    for hunk in change.split("@@\n")[1:]:
        lines = [line or " " for line in hunk.splitlines()]
        before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"{file} does not contain once:\n{before}"
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def run(tmp_path):
    """Runs a program with one example applied; its last line of output as JSON."""

    def program(title: str, text: str) -> object:
        shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for file, change in examples()[title]:
            apply(tmp_path, file, change)
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(text)], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return program


def test_examples_touch_few_files():
    files = {title: {file for file, _ in changes} for title, changes in examples().items()}
    assert sorted(files) == ["a force on lines", "a hull kind", "a joint component"]
    assert all(0 < len(touched) <= MOST_FILES for touched in files.values())


def test_force_on_lines(run):
    """Half an element of 2 m at 3 m/s with c = 30 N s/m2 is held back by 90 N, and by 30 N s/m more per m/s."""
    force, own = run(
        "a force on lines",
        """
        import json
        from ropewalk.assembly.load_arrays import build_loads
        from ropewalk.loads.given import load_on_half
        from ropewalk.model.model import build
        from ropewalk.spec.system import System
        import numpy as np
        system = System.model_validate({
            "sections": {"rope": {"diameter": 0.02, "mass": 5.0, "axial_stiffness": 1e6}},
            "points": {"a": {"position": [0, 0, -5]}, "b": {"position": [4, 0, -5]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 4.0}],
                            "loads": [{"kind": "linear_drag", "coefficient": 30.0}]}},
        })
        row = build_loads(build(system), [np.array([0.0, 2.0, 4.0])], [np.array([0, 0])], np.array([False]))[1]
        force, own, _ = load_on_half(row, 0, 1.0, (1.0, 0.0, 0.0), 2.0, (1.0, 0.0, 0.0), (0.0, 3.0, 0.0), 1.0)
        print(json.dumps([force, own]))
        """,
    )
    assert_allclose(force, [0.0, -90.0, 0.0], atol=1e-12)
    assert_allclose(own, [30.0, 0, 0, 0, 30.0, 0, 0, 0, 30.0], atol=1e-12)  # minus the derivative


def test_hull_kind(run):
    """A free cylinder of 2 m diameter floats at the draught of its mass, m/(rho pi r^2)."""
    draught = run(
        "a hull kind",
        """
        import json
        import ropewalk as rw
        system = rw.System.model_validate({
            "environment": {"depth": 50.0, "water_density": 1000.0},
            "bodies": {"buoy": {
                "mass": 6000.0, "centre_of_mass": [0, 0, -2.0], "position": [0, 0, 0.2],
                "hull": {"kind": "cylinder", "diameter": 2.0, "bottom": -3.0, "top": 2.0},
            }},
        })
        print(json.dumps(3.0 - float(rw.statics(system, "catenary").state.body_position[0, 2])))
        """,
    )
    # the balance is found to 1e-9 of the weight
    assert_allclose(draught, 6.0 / 3.141592653589793, rtol=1e-7)


def test_joint_component(run):
    """A mass on a spring of k x + k3 x^3: rest by four methods, period of small oscillations, and a run from x = 0."""
    k, cubic, mass, step = 2000.0, 5000.0, 100.0, 0.004
    found = run(
        "a joint component",
        """
        import json
        import ropewalk as rw
        case = {
            "environment": {"water_density": 0.0, "gravity": 9.81, "seabed": {"kind": "none"}},
            "sections": {"thread": {"diameter": 1e-3, "mass": 1e-9, "axial_stiffness": 1e-3}},
            "points": {"top": {"position": [0, 0, 5.0]},
                       "load": {"position": [0, 0, 0.0], "mass": 100.0,
                                "joint": {"axes": {"z": {"spring": 2000.0, "cubic": 5000.0}}}}},
            "lines": {"t": {"from": "top", "to": "load",
                            "pieces": [{"section": "thread", "length": 5.0, "elements": 2}]}},
            "run": {"duration": 0.4, "step": 0.004, "start": "as_given"},
        }
        system = rw.System.model_validate(case)
        rest = {}
        for method in ("catenary", "shooting", "fem", "bars_statics"):
            rest[method] = float(rw.statics(system, method).state.point_position[1, 2])
        omega = float(rw.modes(system).omega.min())
        ends = {}
        for solver in ("mixed_fem", "constrained_implicit"):
            case["run"]["solver"] = solver
            data = rw.simulate(rw.System.model_validate(case))
            ends[solver] = float(data.point_position[-1, 1, 2])
        print(json.dumps([rest, omega, ends]))
        """,
    )
    rest, omega, ends = found
    depth = max(np.roots([cubic, 0.0, k, -9.81 * mass]).real)
    for height in rest.values():
        # the thread pulls with 1e-3 N per unit of strain, 1e-6 of the weight
        assert_allclose(height, -depth, rtol=1e-5)
    assert_allclose(omega, np.sqrt((k + 3.0 * cubic * depth**2) / mass), rtol=1e-5)
    x, v = 0.0, 0.0
    for _ in range(4000):  # [Hairer2003]: Verlet's method, with an error of 1e-7
        v -= 0.5e-4 * (9.81 + (k * x + cubic * x**3) / mass)
        x += 1e-4 * v
        v -= 0.5e-4 * (9.81 + (k * x + cubic * x**3) / mass)
    for height in ends.values():
        assert_allclose(height, x, rtol=(2.0 * omega * step) ** 2)  # of second order
