"""Systems whose answers are known, shared by the tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from ropewalk.spec.system import System

OC3: dict[str, Any] = {
    "depth": 320.0, "anchor": 853.87, "fairlead": 5.2, "z": -70.0, "headings": (0, 120, 240),
    "length": 902.2, "section": {"drag": 0, "added_mass": 0,
                                 "diameter": 0.09, "mass": 77.7066, "axial_stiffness": 384.243e6},
}  # fmt: skip
OC4: dict[str, Any] = {
    "depth": 200.0, "anchor": 837.6, "fairlead": 40.868, "z": -14.0, "headings": (60, 180, 300),
    "length": 835.35, "section": {"drag": 0, "added_mass": 0,
                                  "diameter": 0.0766, "mass": 113.35, "axial_stiffness": 753.6e6},
}  # fmt: skip


def platform(data: dict[str, Any], **body: Any) -> System:
    """Three lines on a platform of a reference floating-wind mooring; held unless `body` says otherwise."""
    points, lines, attachments = {}, {}, {}
    for i, heading in enumerate(data["headings"], 1):
        c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        points[f"anchor{i}"] = {"position": [data["anchor"] * c, data["anchor"] * s, -data["depth"]]}
        attachments[f"fairlead{i}"] = [data["fairlead"] * c, data["fairlead"] * s, data["z"]]
        piece = {"section": "line", "length": data["length"]}
        lines[f"line{i}"] = {"from": f"anchor{i}", "to": f"platform.fairlead{i}", "pieces": [piece]}
    held = {"mass": 0.0, "position": [0, 0, 0], "joint": "fixed", "attachments": attachments}
    return System.model_validate(
        {
            "environment": {"depth": data["depth"], "gravity": 9.80665, "water_density": 1025.0},
            "sections": {"line": data["section"]},
            "points": points,
            "bodies": {"platform": {**held, **body}},
            "lines": lines,
        }
    )


def spar(**body: Any) -> System:
    """The OC3 mooring on a free cylinder that floats near z = 0: mass chosen to carry the lines."""
    return platform(
        OC3,
        **{
            "mass": 8.066e6,
            "centre_of_mass": [0, 0, -89.9155],
            "inertia": [4.229e9, 4.229e9, 1.642e8],
            "hull": {
                "drag": 0,
                "added_mass": 0,
                "kind": "axisymmetric",
                "profile": [[-120, 4.7], [-12, 4.7], [-4, 3.25], [10, 3.25]],
            },
            "joint": "free",
            **body,
        },
    )


def surmont_buoy(start: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> System:
    """Surmont 2025, example 4, with the inputs that the paper leaves out: R 25 m, 2500 N, weight in air."""
    A, E, rho = 3.1416e-4, 2.11e11, 7850.0
    points: dict[str, Any] = {"buoy": {"position": start, "joint": "free", "force": [0, 0, 2500]}}
    sections, lines = {}, {}
    for i, (psi, stiff, heavy) in enumerate(((0.0, 0.05, 2.0), (1.0, 0.001, 0.5), (-1.0, 1.0, 1.0)), 1):
        angle = psi * 2.0 * math.pi / 3.0
        points[f"anchor{i}"] = {"position": [-25 * math.cos(angle), -25 * math.sin(angle), 0]}
        sections[f"s{i}"] = {
            "drag": 0,
            "added_mass": 0,
            "diameter": 0.02,
            "mass": heavy * rho * A,
            "axial_stiffness": stiff * E * A,
        }
        lines[f"line{i}"] = {"from": f"anchor{i}", "to": "buoy", "pieces": [{"section": f"s{i}", "length": 50}]}
    environment = {"gravity": 9.81, "water_density": 0.0}
    return System.model_validate({"environment": environment, "sections": sections, "points": points, "lines": lines})


def surmont_line(joint: Any, position: tuple[float, float, float] = (25.0, 0.0, 0.0)) -> System:
    """Surmont 2025, examples 1 and 2: one line from a ball at the origin to a joint, weight in water."""
    A = 3.1426e-4
    section = {
        "drag": 0,
        "added_mass": 0,
        "diameter": math.sqrt(4.0 * A / math.pi),
        "mass": 7850.0 * A,
        "axial_stiffness": 2.11e11 * A,
    }
    return System.model_validate(
        {
            "environment": {"gravity": 9.81, "water_density": 1025.0},
            "sections": {"line": section},
            "points": {"A": {"position": [0, 0, 0]}, "B": {"position": position, "joint": joint}},
            "lines": {"line": {"from": "A", "to": "B", "pieces": [{"section": "line", "length": 50}]}},
        }
    )


def between(
    dx: float, dz: float, length: float, stiffness: float | str, weight: float, *, depth: float | None = None,
    friction: float = 0.0, **line: Any,
) -> System:  # fmt: skip
    """One line in air from (0, 0, -depth) to (dx, 0, -depth + dz); `weight` in N/m with g = 10."""
    z = -(depth or 0.0)
    return System.model_validate(
        {
            "environment": {"gravity": 10.0, "water_density": 0.0, "depth": depth, "seabed": {"friction": friction}},
            "sections": {"line": {"diameter": 0.1, "mass": weight / 10.0, "axial_stiffness": stiffness}},
            "points": {"A": {"position": [0, 0, z]}, "B": {"position": [dx, 0, z + dz]}},
            "lines": {"line": {"from": "A", "to": "B", "pieces": [{"section": "line", "length": length}], **line}},
        }
    )


def lattice(n: int) -> System:
    """A square net of n x n free knots with weights, its rim of knots tied to a fixed frame."""
    points, lines = {}, {}
    for i in range(-1, n + 1):
        for j in range(-1, n + 1):
            edge = i in (-1, n) or j in (-1, n)
            if edge and (i in (-1, n)) and (j in (-1, n)):
                continue
            points[f"p{i + 1}_{j + 1}"] = {
                "position": [10.0 * i, 10.0 * j, 0.0],
                "joint": "fixed" if edge else "free",
                "mass": 0.0 if edge else 5.0,
            }
    for name in points:
        i, j = (int(part) for part in name[1:].split("_"))
        for other in (f"p{i + 1}_{j}", f"p{i}_{j + 1}"):
            if other in points and "free" in (points[name]["joint"], points[other]["joint"]):
                lines[f"{name}-{other}"] = {"from": name, "to": other, "pieces": [{"section": "rope", "length": 10.5}]}
    return System.model_validate(
        {
            "environment": {"water_density": 0.0},
            "sections": {"rope": {"diameter": 0.02, "mass": 0.3, "axial_stiffness": 1e6}},
            "points": points,
            "lines": lines,
        }
    )


def string_of_lines(n: int) -> System:
    """n lines one after another through free points, from wall to wall."""
    points = {f"p{i}": {"position": [10.0 * i, 0, 0], "joint": "free"} for i in range(1, n)}
    points |= {"p0": {"position": [0, 0, 0]}, f"p{n}": {"position": [10.0 * n, 0, 0]}}
    lines = {
        f"l{i}": {"from": f"p{i}", "to": f"p{i + 1}", "pieces": [{"section": "rope", "length": 12.0}]} for i in range(n)
    }
    return System.model_validate(
        {
            "environment": {"water_density": 0.0, "gravity": 10.0},
            "sections": {"rope": {"diameter": 0.02, "mass": 5.0, "axial_stiffness": 1e9}},
            "points": points,
            "lines": lines,
        }
    )


def body_pendulum(t: float) -> Any:
    """Angles and rates (rad, rad/s) of stick and body of the pendulum of [Otto2022], sec. 6.3.4, at t (s).

    10 kg and 10 kg m2 on a massless stick of 1 m with 1 kg at its end, hinged 1 m from the mass centre; let go with the
    stick hanging and the body level.
    """

    def rates(_: float, y: Any) -> list[float]:
        a, b, p, q = y
        c, s = math.cos(a - b), math.sin(a - b)
        m = np.array([[11.0, 10.0 * c], [10.0 * c, 20.0]])
        f = [-10.0 * s * q * q - 11.0 * 9.81 * math.sin(a), 10.0 * s * p * p - 10.0 * 9.81 * math.sin(b)]
        return [p, q, *np.linalg.solve(m, f)]

    return solve_ivp(rates, (0.0, t), [0.0, math.pi / 2, 0.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]
