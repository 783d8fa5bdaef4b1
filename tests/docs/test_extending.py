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


def test_force_on_lines_in_methods(run):
    """A rope that falls freely from rest in c v reaches v = m g/c (1 - e^(-ct/m)); at rest the load changes nothing."""
    fallen, sag = run(
        "a force on lines",
        """
        import json
        import ropewalk as rw
        case = {
            "environment": {"water_density": 0.0, "gravity": 9.81, "seabed": {"kind": "none"}},
            "sections": {"rope": {"diameter": 0.02, "mass": 5.0, "axial_stiffness": 1e4}},
            "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [4, 0, 0]}},
            "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 4.0, "elements": 4}]}},
        }
        drag = [{"kind": "linear_drag", "coefficient": 30.0}]
        sag = {}
        for method in ("shooting", "fem"):
            for loads in ([], drag):
                case["lines"]["l"]["loads"] = loads
                state = rw.statics(rw.System.model_validate(case), method).state
                sag.setdefault(method, []).append([float(state.position[:, 2].min()), *state.end_force.ravel()])
        fallen = {}
        for end in case["points"].values():
            end |= {"joint": "free"}
        for integrator, step in (("generalised_alpha", 0.004), ("backward_euler", 0.001)):
            case["run"] = {"duration": 0.2, "step": step, "start": "as_given", "solver": "mixed_fem",
                           "integrator": integrator}
            data = rw.simulate(rw.System.model_validate(case))
            fallen[integrator] = data.point_position.values[-1, :, 2].tolist()
        print(json.dumps([fallen, sag]))
        """,
    )
    for bare, dragged in sag.values():
        assert_allclose(dragged, bare, rtol=1e-12, atol=1e-12)
    rate, t = 30.0 / 5.0, 0.2
    height = -9.81 / rate * (t - (1.0 - np.exp(-rate * t)) / rate)
    assert_allclose(fallen["generalised_alpha"], height, rtol=(rate * 0.004) ** 2)  # of second order in the step
    assert_allclose(fallen["backward_euler"], height, rtol=2.0 * rate * 0.001)  # of first order


def test_hull_kind(run):
    """A free ellipsoid: draught, stiffness by differences and in closed form, heave, feet, pictures and remarks."""
    found = run(
        "a hull kind",
        """
        import json
        import numpy as np
        import ropewalk as rw
        from ropewalk.analysis.check import remarks
        from ropewalk.analysis.hydrostatics import displacement, hydrostatic_stiffness
        from ropewalk.model.model import build
        from ropewalk.model.state import rotation_matrix
        from ropewalk.numerics.rotations import quaternion_exp, quaternion_product
        from ropewalk.plot.outlines import hull_outline
        from ropewalk.post.bodies import vertical_extent
        from ropewalk.viewer.shapes import hull
        a, b, c, rho, mass = 3.0, 1.5, 1.0, 1000.0, 2000.0 * np.pi * 3.0 * 1.5 / 3.0
        case = {
            "environment": {"depth": 50.0, "water_density": rho, "gravity": 9.81},
            "bodies": {"buoy": {
                "mass": mass, "centre_of_mass": [0, 0, -0.3], "inertia": [4e3, 9e3, 9e3], "position": [0, 0, 0.2],
                "hull": {"kind": "ellipsoid", "semi_axes": [a, b, c]},
                "attachments": {"bow": [3.0, 0, 0], "beside": [0, 4.0, 0]},
            }},
            "run": {"duration": 0.5, "step": 0.02, "start": "as_given"},
        }
        system = rw.System.model_validate(case)
        model = build(system)
        rest = {method: rw.statics(system, method).state for method in ("catenary", "fem")}
        state = rest["catenary"]
        tilted = state._replace(body_quaternion=quaternion_exp(np.array([0.2, -0.1, 0.3]))[None])

        def wrench(pose):
            place = tilted.body_position + pose[None, :3]
            turn = quaternion_product(quaternion_exp(pose[3:]), tilted.body_quaternion[0])
            here = tilted._replace(body_position=place, body_quaternion=turn[None])
            cut, k = displacement(model, here, 0)[0], rho * 9.81
            weight = mass * 9.81 * np.array([0.0, 0.0, -1.0])
            arm = rotation_matrix(turn) @ np.array([0.0, 0.0, -0.3])
            up = np.array([0.0, 0.0, 1.0])
            return np.concatenate([k * cut.volume * up + weight, np.cross(k * cut.moment, up) + np.cross(arm, weight)])

        h = 1e-5
        by = np.array([(wrench(-h * e) - wrench(h * e)) / (2.0 * h) for e in np.eye(6)]).T
        modes = rw.modes(system)
        case["run"]["solver"] = "mixed_fem"
        run = rw.simulate(rw.System.model_validate(case))
        outline = hull_outline(system.bodies["buoy"].hull, np.eye(3), np.eye(3)[:2])
        roll = rotation_matrix(quaternion_exp(np.array([0.5 * np.pi, 0.0, 0.0])))  # its side up
        heights = [float(vertical_extent(model, 0, R[None], highest=True)[0]) for R in (np.eye(3), roll)]
        print(json.dumps([
            [float(s.body_position[0, 2]) for s in rest.values()],
            np.abs(by - hydrostatic_stiffness(model, tilted, 0)).max() / np.abs(by).max(),
            np.diag(hydrostatic_stiffness(model, state, 0)).tolist(), sorted(modes.omega.values.tolist()),
            np.asarray(run.body_position[:, 0, 2]).tolist(), np.ptp(model.bodies.hulls.feet(0), axis=0).tolist(),
            np.ptp(hull(system.bodies["buoy"], 1.0).vertices, axis=0).tolist(), np.ptp(outline, axis=0).tolist(),
            heights, remarks(system),
        ]))
        """,
    )
    heights, miss, stiffness, omega, path, feet, skin, outline, extents, remarks = found
    a, b, c, rho, g = 3.0, 1.5, 1.0, 1000.0, 9.81
    assert_allclose(heights, 0.0, atol=1e-7)  # its mass is that of half its volume
    assert miss < 1e-8  # of central differences of 1e-5
    area, mass = np.pi * a * b, 2.0 / 3.0 * np.pi * rho * a * b * c
    low = 3.0 / 8.0 * c - 0.3  # height of the centre of mass over that of the displaced water
    expected = [area * b**2 / 4.0 - low * mass / rho, area * a**2 / 4.0 - low * mass / rho]
    assert_allclose(stiffness, [0, 0, rho * g * area, *(rho * g * np.array(expected)), 0], rtol=1e-6, atol=1e-3)
    heave = np.sqrt(rho * g * area / (1.5 * mass))
    assert np.any(np.isclose(omega, heave, rtol=0.01))  # the added mass is that of strips, whose number is finite
    # drag, and the waterplane that shrinks with the square of the heave, matter little in the first quarter of a period
    assert_allclose(path, 0.2 * np.cos(np.linspace(0.0, 0.5, len(path)) * heave), atol=0.01)
    assert_allclose(extents, [c, b], rtol=1e-12)
    for extent in (feet, skin):
        assert_allclose(extent, [2.0 * a, 2.0 * b, 2.0 * c], rtol=1e-12)
    assert_allclose(outline, [2.0 * a, 2.0 * b, 0.0], atol=0.02)
    far = [text for text in remarks if "far outside the hull" in text]
    assert len(far) == 1 and "'beside'" in far[0]


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
