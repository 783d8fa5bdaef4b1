"""Lines on a bed that is given by depths on a grid."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import root

import ropewalk as rw
from ropewalk.errors import InputError

EA, MASS, WIDTH, G, RHO = 1e8, 100.0, 0.1, 9.80665, 1025.0
WEIGHT = (MASS - RHO * np.pi / 4 * WIDTH**2) * G
TOP, BEND, MIDDLE = -40.0, 0.004, 50.0  # of the ridge
STIFFNESS = 1e6


def ridge(x):
    """z = -40 - 0.004 (x - 50)^2, which a grid meets exactly."""
    return TOP - BEND * (x - MIDDLE) ** 2


def case(seabed, a, b, length, elements, **more):
    """A chain from a to b (m)."""
    environment = {"depth": 50.0, "water_density": RHO, "gravity": G, "seabed": {"stiffness": STIFFNESS, **seabed}}
    piece = {"section": "chain", "length": length, "elements": elements}
    return rw.System.model_validate({
        "environment": environment,
        "sections": {"chain": {"mass": MASS, "diameter": WIDTH, "axial_stiffness": EA}},
        "points": {"a": {"position": a, "joint": "fixed"}, "b": {"position": b, "joint": "fixed"}},
        "lines": {"l": {"from": "a", "to": "b", "pieces": [piece]}},
        **more,
    })  # fmt: skip


def over_the_ridge(friction=0.0, **more):
    x, y = np.linspace(-20.0, 120.0, 15).tolist(), [-20.0, 0.0, 20.0]
    grid = {"kind": "grid", "x": x, "y": y, "depth": [[-ridge(a) for a in x] for _ in y], "friction": friction}
    return case(grid, [0.0, 0.0, ridge(0.0)], [100.0, 0.0, ridge(100.0) + 8.0], 103.8, 24, **more)


def test_a_chain_over_a_ridge_lies_where_springs_and_masses_of_ones_own_do():
    """Forces on the nodes of the same chain by hand, on the parabola itself, solved by scipy.

    Without friction the tension at the upper end exceeds that at the lower by the weight of the difference in height.
    """
    equilibrium = rw.statics(over_the_ridge(), method="fem")
    state = equilibrium.state
    n = state.s.size - 1
    h, place = state.s[-1] / n, state.position[:, [0, 2]]

    def unbalance(q):
        r = np.vstack([place[0], q.reshape(-1, 2), place[-1]])
        d = np.diff(r, axis=0)
        span = np.hypot(*d.T)
        pull = (EA * (span / h - 1.0) / span)[:, None] * d
        slope = -2.0 * BEND * (r[1:-1, 0] - MIDDLE)
        cosine = 1.0 / np.hypot(1.0, slope)
        N = STIFFNESS * WIDTH * h * np.maximum(0.0, (ridge(r[1:-1, 0]) - r[1:-1, 1]) * cosine)
        force = pull[1:] - pull[:-1] + (N * cosine)[:, None] * np.column_stack([-slope, np.ones(n - 1)])
        force[:, 1] -= WEIGHT * h
        return force.ravel() / WEIGHT

    found = root(unbalance, place[1:-1].ravel(), tol=1e-12)
    # both to 1e-10 of the weight; the softest way is along the bed, tension over length: 1e-8 m
    assert_allclose(found.x.reshape(-1, 2), place[1:-1], atol=1e-8)
    assert float(state.grounded[0]) > 80.0
    rise = WEIGHT * (place[-1, 1] - place[0, 1])
    # half an element at each end lies under no bed of its own or is cut straight: (h/L)^2 of the difference
    assert_allclose(state.tension[-1] - state.tension[0], rise, rtol=3e-3)
    assert not equilibrium.audit.rejected
    assert_allclose(state.position[:, 1], 0.0, atol=1e-9)


def test_a_plane_given_on_a_grid_gives_the_equilibrium_of_the_sloping_plane():
    """Also with friction, which takes the same way to it."""
    x, y, slope = [-40.0, 0.0, 30.0, 70.0, 120.0], [-30.0, 5.0, 40.0], 0.1
    grid = {"kind": "grid", "x": x, "y": y, "depth": [[50.0 - slope * a for a in x] for _ in y]}
    plane = {"normal": [-slope, 0.0, 1.0]}
    for friction in (0.0, 0.4):
        one, other = (
            rw.statics(
                case({**bed, "friction": friction}, [0.0, 0.0, -50.0], [90.0, 0.0, -10.0], 107.0, 16), method="fem"
            ).state
            for bed in (grid, plane)
        )
        assert_allclose(one.grounded, other.grounded, rtol=1e-12)
        # Newton stops at 1e-10 of the weight of 1e5 N
        assert_allclose(one.tension, other.tension, rtol=1e-10, atol=1e-5)


def test_methods_that_take_the_bed_as_a_plane_refuse_a_grid():
    for method in ("catenary", "shooting", "bars_statics"):
        with pytest.raises(InputError, match=r"does not support .*a seabed on a grid.*; use .*'fem'"):
            rw.statics(over_the_ridge(), method=method)


def test_a_run_from_rest_stays_at_rest_on_the_ridge():
    """Nothing moves: the equilibrium of statics is that of the equations in time, friction included."""
    more = {"run": {"duration": 2.0, "solver": "mixed_fem"}, "record": {"every": 0.5}}
    result = rw.simulate(over_the_ridge(friction=0.3, **more))
    tension = result["tension"].values
    # Newton stops at 1e-10 of the weight in statics and 1e-6 of a step's motion in time
    assert_allclose(tension, tension[:1].repeat(tension.shape[0], axis=0), atol=1e-6 * WEIGHT * 104.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"depth": [[40.0, 41.0]]}, "depth"),
        ({"depth": [[40.0, 41.0], [40.0]]}, "row 2 of depth has 1 depths; x has 2 entries"),
        ({"x": [0.0, 0.0]}, "x must increase"),
        ({"y": None}, "needs x, y and depth"),
        ({"normal": [0.1, 0.0, 1.0]}, "leave out normal"),
        ({"kind": "elastic"}, "belong to a bed of kind: grid"),
    ],
)
def test_a_grid_that_is_none_is_refused(change, words):
    grid = {"kind": "grid", "x": [0.0, 10.0], "y": [0.0, 10.0], "depth": [[40.0, 41.0], [40.0, 42.0]]}
    with pytest.raises(InputError, match=words):
        case({**grid, **change}, [0.0, 0.0, -40.0], [90.0, 0.0, -10.0], 107.0, 16)


def test_a_sunk_sphere_rests_at_the_bottom_of_a_bowl():
    """z = -30 + 0.01 x^2 + 0.02 y^2 carries it at the origin, sunk in by its weight in water over k pi R^2."""
    x, mass, radius = np.linspace(-40.0, 40.0, 17), 5000.0, 0.8
    depth = 30.0 - 0.01 * x[None, :] ** 2 - 0.02 * x[:, None] ** 2
    seabed = {"kind": "grid", "x": x.tolist(), "y": x.tolist(), "depth": depth.tolist(), "stiffness": 1e5}
    ball = {"mass": mass, "inertia": [800.0] * 3, "position": [6.0, 4.0, -20.0], "joint": "free",
            "hull": {"kind": "sphere", "centre": [0.0, 0.0, 0.0], "radius": radius}}  # fmt: skip
    sea = {"depth": 30.0, "water_density": RHO, "gravity": G, "seabed": seabed}
    equilibrium = rw.statics(rw.System.model_validate({"environment": sea, "bodies": {"ball": ball}}), method="fem")
    sunk = (mass - RHO * 4.0 / 3.0 * np.pi * radius**3) * G / (1e5 * np.pi * radius**2)
    # 1e-10 of the weight of 5e4 N over 0.02 W = 5e2 N/m, with which the bowl brings it back
    assert_allclose(equilibrium.state.body_position[0], [0.0, 0.0, -30.0 + radius - sunk], atol=1e-7)
    assert not equilibrium.audit.rejected
