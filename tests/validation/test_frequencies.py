"""Natural frequencies with closed forms: hanging chains, strings, Irvine's cable, pendulums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import jn_zeros

from ropewalk.analysis.modes import modes
from ropewalk.spec.system import System

GRAVITY = 9.81


def hanging_chain(elements: int, length: float = 10.0) -> System:
    """An inextensible chain in air, held at the top, free at the bottom."""
    return System.model_validate(
        {
            "environment": {"gravity": GRAVITY, "water_density": 0.0},
            "sections": {"chain": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": "inextensible"}},
            "points": {"top": {"position": [0, 0, 0]}, "end": {"position": [0, 0, -length], "joint": "free"}},
            "lines": {
                "chain": {
                    "from": "top", "to": "end", "elements": elements,
                    "pieces": [{"section": "chain", "length": length}],
                }
            },
        }
    )  # fmt: skip


def extrapolated(coarse: Any, fine: Any) -> Any:
    """Richardson's value from meshes n and 2 n of a second-order method."""
    return fine + (fine - coarse) / 3.0


def observed_order(values: list[Any]) -> Any:
    """Order of convergence from three meshes, each half as coarse as the last."""
    a, b, c = (np.asarray(value) for value in values)
    return np.log2((b - a) / (c - b))


def test_hanging_chain_swings_at_the_zeros_of_j0() -> None:
    """omega sqrt(L/g) = j_0k / 2 (D. Bernoulli; Lamb, Hydrodynamics, art. 170), in both planes."""
    found = [modes(hanging_chain(n), 8).omega.values * math.sqrt(10.0 / GRAVITY) for n in (400, 800, 1600)]
    exact = 0.5 * jn_zeros(0, 4)
    assert_allclose(exact, [1.2024127788, 2.7600390551, 4.3268639565, 5.8957672195], rtol=1e-10)
    assert_allclose(found[-1][::2], found[-1][1::2], rtol=1e-9)  # pairs: round-off times omega_max^2/omega_1^2
    # second order; the fourth mode has 4e-5 at 800 elements, and its h^4 term 1e-8 is what extrapolation leaves
    assert_allclose(extrapolated(found[1], found[2])[::2], exact, rtol=2e-8)
    assert_allclose(observed_order(found)[::2], 2.0, atol=0.01)
    # by mesh alone: 1e-6 on the first mode
    assert_allclose(found[-1][0], exact[0], rtol=1e-6)


@pytest.mark.slow
def test_four_chain_modes_by_mesh_alone() -> None:
    """All four modes to 1e-6 without extrapolation need 6400 elements."""
    found = modes(hanging_chain(6400), 8).omega.values[::2] * math.sqrt(10.0 / GRAVITY)
    assert_allclose(found, 0.5 * jn_zeros(0, 4), rtol=1.1e-6)  # 9.7e-6 at 2000 elements, second order


# --- strings and Irvine's cable ---------------------------------------------------------------------------------


def cable(elements: int, span: float, length: float, section: dict[str, Any], gravity: float) -> System:
    """A cable in air between level ends."""
    return System.model_validate(
        {
            "environment": {"gravity": gravity, "water_density": 0.0},
            "sections": {"cable": {"diameter": 0.02, **section}},
            "points": {"A": {"position": [0, 0, 0]}, "B": {"position": [span, 0, 0]}},
            "lines": {
                "cable": {
                    "from": "A", "to": "B", "elements": elements, "pieces": [{"section": "cable", "length": length}]
                }
            },
        }
    )  # fmt: skip


def in_plane(result: Any) -> Any:
    """Which modes move in the plane of the cable (x, z)."""
    return (
        np.abs(result.position.sel(axis="y")).max("node").values
        < 0.5 * np.abs(result.position).max(("node", "axis")).values
    )


def test_string_has_the_frequencies_of_its_discrete_chain() -> None:
    """omega_k = 2 sqrt(T/(m h)) sin(k pi/2n), exact for lumped masses; sqrt(T/m) k pi/L as n grows."""
    span, mass, stiffness, n = 10.0, 0.5, 1e6, 40
    length = span / 1.001
    result = modes(
        cable(n, span, length, {"drag": 0, "added_mass": 0, "mass": mass, "axial_stiffness": stiffness}, 0.0), 8
    )
    tension = stiffness * (span / length - 1.0)
    k = np.repeat(np.arange(1, 5), 2)
    lumped = mass * length / n
    exact = 2.0 * np.sqrt(tension / (lumped * span / n)) * np.sin(k * np.pi / (2 * n))
    # the tension is known to 1e-13 / strain = 1e-10
    assert_allclose(result.omega.values, exact, rtol=1e-9)
    assert_allclose(np.abs(result.position.sel(axis="x")).max(), 0.0, atol=1e-9)


def irvine(lambda2: float, n: int) -> Any:
    """Roots omega L sqrt(m/H) of Irvine's equation and of the antisymmetric modes, the n lowest."""
    from scipy.optimize import brentq

    def f(x: float) -> float:
        half = 0.5 * x
        return math.sin(half) - math.cos(half) * (half - 4.0 / lambda2 * half**3)

    edges = np.linspace(1e-3, (2 * n + 2) * math.pi, 4000)
    values = [f(x) for x in edges]
    roots = [brentq(f, a, b, xtol=1e-14) for a, b, u, v in zip(edges, edges[1:], values, values[1:], strict=False)
             if u * v < 0.0]  # fmt: skip
    roots += [2.0 * math.pi * k for k in range(1, n + 1)]
    return np.sort(roots)[:n]


def irvine_system(lambda2: float, elements: int) -> tuple[System, float]:
    """A shallow cable of given lambda^2 and the factor L sqrt(m/H); w L/H = 1e-3 leaves 1e-7 to Irvine's theory."""
    from scipy.optimize import brentq

    span, mass, ratio = 100.0, 1.0, 1e-3
    weight = mass * 9.81
    H = weight * span / ratio
    EA = lambda2 * H / ratio**2
    length = brentq(lambda L: 2.0 * H / weight * math.asinh(weight * L / (2.0 * H)) + H * L / EA - span, 0.9 * span,
                    1.1 * span, xtol=1e-13)  # fmt: skip
    system = cable(elements, span, length, {"drag": 0, "added_mass": 0, "mass": mass, "axial_stiffness": EA}, 9.81)
    return system, span * math.sqrt(mass / H)


@pytest.mark.parametrize("lambda2", [1.0, 10.0, 4 * math.pi**2, 100.0, 16 * math.pi**2, 400.0])
def test_irvine_cable_through_the_crossovers(lambda2: float) -> None:
    """tan(x/2) = x/2 - (4/lambda^2)(x/2)^3 and 2 pi n in the plane, n pi out of it; crossovers at 4 and 16 pi^2."""
    found = []
    for n in (200, 400):
        system, factor = irvine_system(lambda2, n)
        result = modes(system, 8)
        plane = in_plane(result)
        omega = result.omega.values * factor
        found.append((np.sort(omega[plane])[:3], np.sort(omega[~plane])[:3]))
    # theory leaves (w L/H)^2 = 1e-6 times a factor below 1; the extrapolation 1e-8
    assert_allclose(extrapolated(found[0][0], found[1][0]), irvine(lambda2, 3), rtol=1e-6)
    assert_allclose(extrapolated(found[0][1], found[1][1]), np.pi * np.arange(1, 4), rtol=1e-6)


def test_irvine_numbers_of_the_literature() -> None:
    """The equation itself gives the tabled roots [Irvine1981]."""
    assert_allclose(irvine(10.0, 1)[0], 4.225833283, rtol=1e-9)
    assert_allclose(irvine(10.0, 3)[2], 9.477636678, rtol=1e-9)
    assert_allclose(irvine(4.0 * math.pi**2, 3)[2], 9.718272546, rtol=1e-9)


def test_inextensible_cable_has_irvines_limit() -> None:
    """tan(x/2) = x/2: 8.986818916 in the plane, with no stiffness anywhere in the matrices."""
    found = []
    ratio, span = 1e-3, 100.0
    H = 9.81 * span / ratio
    length = 2.0 * H / 9.81 * math.sinh(0.5 * ratio)
    for n in (200, 400):
        result = modes(
            cable(n, span, length, {"drag": 0, "added_mass": 0, "mass": 1.0, "axial_stiffness": "inextensible"}, 9.81),
            8,
        )
        omega = result.omega.values[in_plane(result)] * span * math.sqrt(1.0 / H)
        found.append(np.sort(omega)[:2])
    assert_allclose(extrapolated(*found), [2.0 * math.pi, 8.986818916], rtol=1e-6)


# --- pendulums and the tension leg platform of [Otto2022] -------------------------------------------------------


def n_pendulum(masses: list[float], total: float, line_mass: float = 0.0) -> System:
    """Equal bars with given masses at their lower ends, hanging in air."""
    n = len(masses)
    return System.model_validate(
        {
            "environment": {"gravity": GRAVITY, "water_density": 0.0},
            "sections": {"bar": {"diameter": 0.02, "mass": line_mass, "axial_stiffness": "inextensible"}},
            "points": {
                "top": {"position": [0, 0, 0]},
                "end": {"position": [0, 0, -total], "joint": "free", "mass": masses[-1]},
            },
            "lines": {
                "line": {
                    "from": "top", "to": "end", "elements": n, "pieces": [{"section": "bar", "length": total}],
                    "attachments": [{"s": total * (i + 1) / n, "mass": m} for i, m in enumerate(masses[:-1])],
                }
            },
        }
    )  # fmt: skip


def pendulum_matrices(masses: list[float], bar: float) -> tuple[Any, Any]:
    """Mass and stiffness in the bars' angles: [Otto2022], eqs. (6.54), (6.78), (6.79)."""
    below = np.cumsum(masses[::-1])[::-1]
    i = np.arange(len(masses))
    return bar**2 * below[np.maximum.outer(i, i)], np.diag(GRAVITY * bar * below)


@pytest.mark.parametrize("masses", [[1.0, 1.0], [0.2356] * 10, [0.002356] * 9 + [2.002356], [3.0, 0.1, 2.0]])
def test_n_pendulum_has_the_frequencies_of_its_angles(masses: list[float]) -> None:
    """Positions and tensions or joint angles: the same pencil. Double pendulum, heavy chain and rope of [Otto2022]."""
    from scipy.linalg import eigh

    bar = 0.1 if len(masses) == 10 else 1.0
    M, K = pendulum_matrices(masses, bar)
    exact = np.sqrt(eigh(K, M, eigvals_only=True))
    found = modes(n_pendulum(masses, bar * len(masses)), 2 * len(masses)).omega.values
    assert_allclose(np.sort(found)[::2], exact, rtol=1e-9)  # round-off times the spread of the eigenvalues squared
    assert_allclose(np.sort(found)[1::2], exact, rtol=1e-9)


def test_heavy_chain_of_otto_swings_at_half_of_1_838() -> None:
    """omega_1/2 = 1.838 rad/s, digits as printed by the corrected [Otto2022] (m/n at every node)."""
    found = modes(n_pendulum([0.2356] * 10, 1.0), 1).omega.values
    assert_allclose(0.5 * found[0], 1.838, atol=5e-4)


def tension_leg_platform(leg_mass: float, end_mass: float = 0.0, gravity: float = GRAVITY) -> System:
    """Two masses of 5 kg on a bar of 1 m, pulled up with 400 N against two legs of 5 m [Otto2022], sec. 6.3.5."""
    mass = 10.0 + 2.0 * end_mass
    ends = {"port": [0, 0.5, 0], "starboard": [0, -0.5, 0]}
    legs = {name: {"from": f"{name} foot", "to": f"platform.{name}", "elements": 10,
                   "pieces": [{"section": "leg", "length": 5}]} for name in ends}  # fmt: skip
    return System.model_validate(
        {
            "environment": {"gravity": gravity, "water_density": 0.0},
            "sections": {"leg": {"diameter": 0.01, "mass": leg_mass / 5.0, "axial_stiffness": "inextensible"}},
            "points": {f"{name} foot": {"position": [0, y, -5]} for name, (_, y, _) in ends.items()},
            "bodies": {
                "platform": {
                    "mass": mass, "inertia": [0.25 * mass, 0.1, 0.25 * mass],
                    "position": [0, 0, 0], "attachments": ends,
                    "loads": {"force": [0, 0, 400.0 + mass * gravity]},
                }
            },
            "lines": legs,
        }
    )  # fmt: skip


def test_tension_leg_platform() -> None:
    """omega_0^2 = f_v/(2 m l_m): 2.8284 rad/s in surge, sway and yaw; 2.8273 with legs of 0.01 kg [Otto2022]."""
    light = modes(tension_leg_platform(1e-8), 4).omega.values
    assert_allclose(light[0], 0.0, atol=1e-4)  # turning about the bar, which nothing holds
    assert_allclose(light[1:], math.sqrt(400.0 / (2 * 5.0 * 5.0)), rtol=1e-7)  # legs over platform: 2e-9 of the mass
    # Otto's lumping puts m/n on the upper end too, and his legs weigh nothing
    heavy = modes(tension_leg_platform(0.01, end_mass=0.0005, gravity=0.0), 4).omega.values
    assert_allclose(heavy[1:], 2.8273, atol=5e-5)  # digits as printed


# --- moored platforms ---------------------------------------------------------------------------------------------


def test_moored_platform_has_the_periods_of_its_catenary_stiffness() -> None:
    """OC3 spar: with light lines the low modes are those of mass, added mass and the exact 6 x 6 stiffness."""
    from scipy.linalg import eigh

    from reference import spar
    from ropewalk.analysis.linearise import linearise
    from ropewalk.analysis.statics import statics

    equilibrium = statics(spar())
    linear = linearise(equilibrium)
    body = linear.assembled.bodies[0]
    K = equilibrium.body_stiffness("platform") + body.K
    exact = 2.0 * np.pi / np.sqrt(eigh(0.5 * (K + K.T), body.M, eigvals_only=True))
    found = modes(linear, 4)
    # 210 t of line on 8066 t, a third of it moving, and a bed that gives: 0.3 to 1.2 %
    assert_allclose(found.period.values, exact[:4], rtol=0.015)
    assert_allclose(found.period.values, [88.5, 88.5, 30.7, 23.9], rtol=0.01)
    motion = np.abs(found.body_motion.sel(body="platform"))
    assert list(motion.argmax("dof").values[2:]) == [2, 5]  # heave, then yaw


# --- irregular seas -----------------------------------------------------------------------------------------------


def shaken_mooring(height: float, period: float, duration: float) -> System:
    """A line of the OC4 mooring whose fairlead goes with the sea: surge of the wave, half of it in heave."""
    from ropewalk.physics import spectra

    sea = spectra.components(height, period, 3.3, 60, np.random.default_rng(1))
    terms = [
        {"direction": direction, "amplitude": float(share * a), "omega": float(w), "phase": float(lead - p)}
        for direction, share, lead in (([1, 0, 0], 1.0, 0.0), ([0, 0, 1], 0.5, 0.5 * math.pi))
        for a, w, p in zip(sea.amplitude, sea.omega, sea.phase, strict=True)
    ]
    section = {
        "diameter": 0.0766, "mass": 113.35, "axial_stiffness": 753.6e6, "drag": {"normal": 2.0, "tangential": 0.4},
        "added_mass": {"normal": 0.8, "tangential": 0.25},
    }  # fmt: skip
    top = {"position": [796.73, 0, -14], "joint": "moving", "motion": {"kind": "harmonic", "ramp": 60, "terms": terms}}
    return System.model_validate(
        {
            "environment": {"depth": 200},
            "sections": {"chain": section},
            "points": {"anchor": {"position": [0, 0, -200]}, "top": top},
            "lines": {"line": {"from": "anchor", "to": "top", "elements": 60,
                               "pieces": [{"section": "chain", "length": 835.35}]}},
            "run": {"duration": duration, "solver": "mixed_fem"}, "record": {"every": 0.25, "start": 200},
        }
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("height", "period", "room"), [(2.0, 8.0, 0.05), (5.0, 10.0, 0.10), (8.0, 12.0, 0.20)])
def test_stochastic_linearisation_against_the_time_domain(height: float, period: float, room: float) -> None:
    """Standard deviation of the fairlead tension; found -2, +4 and +11 %: slack lowers it in the highest sea."""
    from ropewalk.analysis.response import response
    from ropewalk.analysis.response_statistics import statistics
    from ropewalk.analysis.run import simulate

    system = shaken_mooring(height, period, 1500.0)
    linear = statistics(response(system)).tension_std.values
    run = simulate(system, progress=False).tension.values.std(axis=0)
    assert_allclose(linear[[0, 30, -1]], run[[0, 30, -1]], rtol=room)
