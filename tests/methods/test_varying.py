"""Sections that vary along s: shooting against closed forms and scipy, elements by their order."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp

from ropewalk.analysis.statics import statics
from ropewalk.errors import InputError
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.spec.fields import Fields
from ropewalk.spec.system import System

L, G, PULL, DENSITY = 60.0, 9.81, 5e4, 7850.0  # m, m/s2, N, kg/m3
E, A = (2.1e11, 1.4e11), (1e-3, 4e-4)  # at the two ends, linear between them; Pa, m2
AIR = {"water_density": 0, "gravity": G, "seabed": {"kind": "none"}}


def modulus(s):
    return E[0] + (E[1] - E[0]) * s / L


def area(s):
    return A[0] + (A[1] - A[0]) * s / L


def elongation():
    r"""Of the hanging rod: \int (P + \rho g \int_s^L A) / (E A) ds."""
    tension = lambda s: PULL + DENSITY * G * 0.5 * (area(s) + A[1]) * (L - s)  # noqa: E731
    return quad(lambda s: tension(s) / (modulus(s) * area(s)), 0.0, L, epsabs=0.0, epsrel=1e-13)[0]


def rod(elements=None, section=None):
    """A tapered rod that hangs from its end A and is pulled at its end B."""
    own = section or {"along": {"s": [0, L], "modulus": E, "area": A, "mass": [DENSITY * a for a in A]}}
    end = {"position": [0, 0, -L - 0.03], "joint": "free", "force": [0, 0, -PULL]}
    line = {"from": "top", "to": "end", "pieces": [{"section": "rod", "length": L}]}
    line |= {} if elements is None else {"elements": elements}
    return System.model_validate({
        "environment": AIR, "sections": {"rod": {"diameter": 0.03, "compression": True, **own}},
        "points": {"top": {"position": [0, 0, 0]}, "end": end}, "lines": {"rod": line},
    })  # fmt: skip


def stretch(equilibrium):
    return -equilibrium.state.point_position[1, 2] - L


def test_tapered_rod_stretches_as_the_closed_form():
    """Modulus and area linear in s, so EA is a parabola."""
    # the end is 60 m from the origin: 1e-9 of 28 mm is 5e-13 of that
    assert_allclose(stretch(statics(rod(), "shooting")), elongation(), rtol=1e-9)


def test_modulus_as_a_function_gives_the_same():
    """E(s) A(s) by a Python function; the mass by a table in its own place."""
    mass = {"s": [0, L], "value": [DENSITY * a for a in A]}
    plain = rod(section={"mass": mass, "axial_stiffness": 1e8})
    fields = Fields(properties={"rod": {"axial_stiffness": lambda s: modulus(s) * area(s)}})
    found = statics(plain, "shooting", fields=fields)
    assert_allclose(stretch(found), elongation(), rtol=1e-9)
    assert found.to_dataset().attrs["fields"] == '["properties.rod.axial_stiffness"]'


@pytest.mark.parametrize(("order", "least"), [((1, 0), 1.95), ((2, 1), 3.8)])
def test_elements_converge_with_their_order(order, least):
    """2 mu of displacements at nodes: 2 of P1-P0, 4 of P2-P1; three tables with a corner on a node."""
    counts, errors = (4, 8, 16), []
    for n in counts:
        found = statics(rod(elements=n), MixedFemStatics(order=order, accuracy=1e6))
        errors.append(abs(stretch(found) - elongation()))
    observed = np.log2(errors[0] / errors[1]), np.log2(errors[1] / errors[2])
    assert min(observed) > least


def random_table(rng):
    """A line with random tables, a jump among them."""
    s = np.concatenate([[0.0], np.sort(rng.uniform(5.0, 95.0, 3)), [120.0]])
    s = np.insert(s, 2, s[1])
    low = {"diameter": 0.05, "mass": 8.0, "axial_stiffness": 2e7, "drag_normal": 0.8, "drag_tangential": 0.01}
    return {"s": s.tolist()} | {name: (x * rng.uniform(1.0, 3.0, s.size)).tolist() for name, x in low.items()}


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_as_scipy_integrates_them(seed):
    """From end A with its force the string's equations end at end B: DOP853 to 1e-12, restarted at the rows."""
    rng = np.random.default_rng(seed)
    table, speed = random_table(rng), 0.7
    sea = {"depth": 200, "gravity": G, "water_density": 1025, "seabed": {"kind": "none"},
           "current": {"speed": speed, "heading": 90}}  # fmt: skip
    ends = [[0.0, 0.0, -150.0], [60.0, 20.0, -70.0]]
    system = System.model_validate({
        "environment": sea, "sections": {"own": {"along": table, "drag": {"normal": 1.0}}},
        "points": {"a": {"position": ends[0]}, "b": {"position": ends[1]}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [{"section": "own", "length": 120}]}},
    })  # fmt: skip
    found = statics(system, "shooting")
    y = np.concatenate([ends[0], found.state.end_force[0, 0]])
    s = np.array(table["s"])
    for k in np.flatnonzero(np.diff(s) > 0.0):

        def slope(x, y, k=k):
            at = {name: v[k] + (v[k + 1] - v[k]) * (x - s[k]) / (s[k + 1] - s[k]) for name, v in table.items()}
            T = np.linalg.norm(y[3:])
            t, nu = y[3:] / T, 1.0 + T / at["axial_stiffness"]
            u = np.array([0.0, speed, 0.0])
            along = (u @ t) * t
            across, half = u - along, 0.5 * 1025 * at["diameter"]
            drag = half * at["drag_normal"] * np.linalg.norm(across) * across
            drag = drag + half * np.pi * at["drag_tangential"] * np.linalg.norm(along) * along
            weight = (1025 * 0.25 * np.pi * at["diameter"] ** 2 - at["mass"]) * G
            return np.concatenate([nu * t, -(np.array([0.0, 0.0, weight]) + nu * drag)])

        y = solve_ivp(slope, (s[k], s[k + 1]), y, method="DOP853", rtol=1e-12, atol=1e-10).y[:, -1]
    assert_allclose(y[:3], ends[1], atol=1e-7)  # both integrate 120 m to 1e-10 or so
    assert_allclose(-y[3:], found.state.end_force[0, 1], rtol=1e-8, atol=1e-8 * np.linalg.norm(y[3:]))


def grounded(section):
    sea = {"depth": 50, "gravity": G, "water_density": 1025, "seabed": {"friction": 0.4}}
    return System.model_validate({
        "environment": sea, "sections": {"own": section},
        "points": {"a": {"position": [0, 0, -50]}, "b": {"position": [180, 0, -1]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 200, "pieces": [{"section": "own", "length": 200}]}},
    })  # fmt: skip


def test_varying_line_on_the_bed():
    """Lift-off, friction and shape by shooting pass the audit, and elements agree by their mesh."""
    taper = {"along": {"s": [0, 200], "diameter": [0.12, 0.05], "mass": [60, 15], "axial_stiffness": [2e8, 6e7]},
             "drag": 0}  # fmt: skip
    exact, mesh = statics(grounded(taper), "shooting"), statics(grounded(taper), "fem")
    assert exact.audit.passed
    assert 20.0 < exact.line("l")["grounded_length"] < 190.0
    for end in ("end_a", "end_b"):  # 200 elements: 2e-3, as of uniform lines; friction leaves nothing at end A
        assert_allclose(mesh.line("l")[end]["tension"], exact.line("l")[end]["tension"], rtol=2e-3, atol=0.1)


def test_table_of_equal_values_is_the_constant():
    """On the bed too: the same numbers by the other code."""
    plain = {"diameter": 0.1, "mass": 30.0, "axial_stiffness": 1e8, "drag": 0}
    table = {"s": [0, 80, 200], "diameter": [0.1] * 3, "mass": [30.0] * 3, "axial_stiffness": [1e8] * 3}
    one, other = (statics(grounded(s), "shooting") for s in (plain, {"along": table, "drag": 0}))
    assert_allclose(
        other.state.end_force, one.state.end_force, rtol=1e-9, atol=1e-9 * np.abs(one.state.end_force).max()
    )


@pytest.mark.parametrize("method", ["catenary", "bars_statics"])
def test_others_refuse_and_name_who_can(method):
    """A sentence, not a mean."""
    with pytest.raises(InputError, match=r"sections that vary along s; use 'shooting', 'fem' or 'relax'"):
        statics(rod(), method)


def test_winch_and_net_refuse_a_varying_section():
    """Their lines have no s of their own."""
    case = rod().model_dump(mode="json", by_alias=True, exclude_unset=True)
    case["lines"]["rod"]["payout"] = {"end": "A", "rate": 0.1}
    with pytest.raises(InputError, match="varies along s, which a line with a winch does not support"):
        statics(System.model_validate(case), "fem")
