"""Nets and equilibria of bars."""

from pathlib import Path

import numpy as np
import pytest
from bars_cases import chain, netted, panel, run
from numpy.testing import assert_allclose

from ropewalk.analysis.statics import statics
from ropewalk.errors import InputError
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.methods.bars.kkt import build_kkt
from ropewalk.methods.bars.nets import read_nets
from ropewalk.methods.bars.projection import Projection
from ropewalk.methods.bars.recursive import Recursive
from ropewalk.methods.bars.work import node_forces, start_bars
from ropewalk.model.state import initial_state, net_summary
from ropewalk.numerics.ldl import analyse, factorise, solve
from ropewalk.spec.system import System


def test_sparse_factor_solves_a_random_matrix():
    """L D L^T of a quasi-definite matrix against numpy."""
    rng = np.random.default_rng(1)
    n = 60
    first, second = rng.integers(0, n, 200), rng.integers(0, n, 200)
    keep = first != second
    first, second = first[keep], second[keep]
    factor, where = analyse(n, first, second)
    dense = np.diag(np.where(np.arange(n) % 3 == 0, -30.0, 30.0))
    factor.value[where[:n]] = np.diag(dense)
    for i, j, place in zip(first, second, where[n:], strict=True):
        x = rng.normal()
        factor.value[place] += x
        dense[i, j] += x
        dense[j, i] += x
    assert factorise(factor) == -1
    b, x = rng.normal(size=n), np.zeros(n)
    solve(factor, b, x)
    # condition number below 100 times a few hundred operations
    assert_allclose(x, np.linalg.solve(dense, b), rtol=1e-11)


def test_fill_of_a_net_grows_no_faster_than_n_log_n():
    """Minimum degree on a grid: entries of L per bar grow like log n (George and Liu 1981)."""
    fills = []
    for n in (10, 20, 40):
        work = start_bars(netted(panel(n, n)), initial_state(netted(panel(n, n))), 0.0, "halves")
        fills.append(work.graph.factor.l_row.size / work.bars.length.size)
    # the growth from one doubling to the next is constant for log n; room of a half for so small grids
    assert fills[2] - fills[1] < 1.5 * (fills[1] - fills[0])


def test_a_chain_has_a_tridiagonal_matrix():
    """No fill: one entry of L per inner node."""
    work = start_bars(chain(50), initial_state(chain(50)), 0.0, "halves")
    assert work.graph.factor.l_row.size == 49


def test_equilibrium_of_a_net_balances_drag_and_reactions():
    """Drag and weight equal the sum of support reactions; the free knots are in balance."""
    model = netted(panel(20, 20))
    solver = BarsStatics()
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert report.good
    drag = work.field.force.sum(axis=0)
    # the bar of the case is 1e-8; knots are balanced to 1e-9 of the largest load on one, and there are 440
    assert_allclose(report.figures["reaction"], drag, atol=1e-8 * drag[1])
    assert np.abs(node_forces(work)[~work.bars.held]).max() < 1e-8 * drag[1]
    assert work.steps.tension.min() > -1e-9 * work.steps.tension.max()


def test_a_net_settles_where_statics_says():
    """The constrained solver run until rest."""
    model = netted(panel(6, 6))
    static, _, _ = run(BarsStatics(), model, 0.0)
    work = BarsStatics().start(model, initial_state(model))
    BarsStatics().advance(model, work, 0.0)
    _, _, moving = run(Constrained(), model, 60.0)
    assert static.time == 0.0
    # a net in a current comes to rest as exp(-t/tau) with tau of some seconds: left of 3 m after 60 s
    assert_allclose(moving.steps.r, work.steps.r, atol=2e-3)
    assert np.abs(moving.steps.v).max() < 2e-3


def test_solvers_agree_on_a_swinging_net():
    """The same net, three solvers, 0.5 s."""
    model = netted(panel(4, 4))
    works = [run(solver(step=1e-3), model, 0.5)[2] for solver in (Constrained, Projection, Recursive)]
    # steps of 1 ms and second order: measured 2e-6 m and 6e-5 m
    assert_allclose(works[1].steps.r, works[0].steps.r, atol=3e-4)
    assert_allclose(works[2].steps.r, works[0].steps.r, atol=3e-4)


def test_projection_keeps_the_strain_of_a_net_below_its_limit():
    """At its own step; sweeps go on until the bars are within half a part in a thousand."""
    model = netted(panel(12, 12))
    solver = Projection()
    work = solver.start(model, initial_state(model))
    for t in (0.1, 0.5, 1.5):
        report = solver.advance(model, work, t)
        assert report.good
        # the strain left after the last sweep: a bar that was fitted first moves again with its neighbours
        assert report.figures["largest_strain"] < 1e-3
        assert report.figures["largest_strain_so_far"] < 1e-3


def test_screen_and_twine_forces_differ_as_their_coefficients():
    """On a flat panel across the flow, at rest, the total of Loland's screen is rho A CD u^2 / 2."""
    model = netted(panel(6, 6, net={"force_model": "loland", "solidity": 0.2}))
    work = start_bars(model, initial_state(model), 0.0, "halves")
    cd = 0.33 * 0.2 + 6.54 * 0.04 - 4.88 * 0.008
    assert_allclose(work.field.force[:, 1].sum(), 0.5 * 1025.0 * 9.0 * cd * 0.25, rtol=1e-12)


def test_twine_drag_of_a_flat_panel():
    """2/a metres of twine per square metre across the flow: rho/2 Cd d u^2 each."""
    work = start_bars(netted(panel(6, 6)), initial_state(netted(panel(6, 6))), 0.0, "halves")
    twine = 2.0 * 9.0 / 0.025
    assert_allclose(work.field.force[:, 1].sum(), 0.5 * 1025.0 * 1.2 * 0.002 * 0.25 * twine, rtol=1e-12)


def test_static_catenary_is_the_exact_polygon():
    """20 bars between level ends: funicular polygon; H and the nodes satisfy the balance of every node."""
    model = chain(20, length=1.2, mass=2.4, end=(1.0, 0.0, 0.0), point={"joint": "fixed"})
    state, report, work = run(BarsStatics(tolerance=1e-12), model, 0.0)
    d = np.diff(state.position, axis=0)
    # horizontal pull is the same in all bars, vertical pull grows by the weight of a node
    pull = work.steps.tension[:, None] * d / np.linalg.norm(d, axis=1)[:, None]
    assert_allclose(pull[:, 0], pull[0, 0], rtol=1e-10)
    assert_allclose(np.diff(pull[:, 2]), 2.4 * 9.81 / 20, rtol=1e-10)
    assert_allclose(np.linalg.norm(d, axis=1), 0.06, rtol=1e-10)
    assert report.residual_force < 1e-8


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            lambda: chain(length=0.9, end=(1.0, 0.0, 0.0), point={"joint": "fixed"}),
            "line 'l': length 0.9 m is shorter than",
        ),
        (lambda: chain(mass=0.0), "has no mass; give its section a mass"),
        (lambda: netted(panel(2, 2).replace(nets={})), "no lines or nets"),
    ],
)
def test_what_cannot_be_built_is_refused(model, words):
    made = model()
    with pytest.raises(InputError, match=words):
        Constrained().start(made, initial_state(made))


def test_parts_that_are_held_nowhere_have_no_equilibrium():
    """A second chain between two free points."""
    free = {"joint": "free", "mass": 1.0}
    model = chain(points={"c": {"position": (5, 0, 0), **free}, "d": {"position": (6, 0, 0), **free}},
                  lines={"adrift": {"from": "c", "to": "d", "elements": 2,
                                    "pieces": [{"section": "c", "length": 1.0}]}})  # fmt: skip
    with pytest.raises(InputError, match="line 'adrift' and everything connected to it are not held anywhere"):
        BarsStatics().start(model, initial_state(model))
    # in time it just falls
    state = run(Constrained(step=1e-3), model, 0.1)[0]
    assert_allclose(state.point_position[2:, 2], -0.5 * 9.81 * 0.01, rtol=1e-9)


def test_ends_that_lie_on_one_another_are_named():
    """A bar without direction."""
    model = chain(1, length=1.0, end=(0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="line 'l', bar 0: its ends coincide"):
        Constrained().start(model, initial_state(model))


def test_a_line_between_points_at_one_place_is_a_loop():
    """Four bars hang from there; their middle is half the length below."""
    model = chain(4, length=2.0, end=(0.0, 0.0, 0.0), point={"joint": "fixed"})
    state = run(BarsStatics(), model, 0.0)[0]
    assert_allclose(state.position[2], [0.0, 0.0, -1.0], atol=1e-6)


def test_knots_need_mass():
    """Twine without mass and no sinkers."""
    model = netted(panel(2, 2, section={"mass": 0.0}, net={"lower_sinker": 0.0}))
    with pytest.raises(InputError, match="net 'n': a node has no mass; give its section a mass"):
        Constrained().start(model, initial_state(model))


def test_a_net_too_small_for_its_corners_is_refused():
    """A panel of 3 m between points 4 m apart: its bars cannot be brought to their lengths, and one is named."""
    points = {"p": {"position": (-0.5, 0, -1)}, "q": {"position": (3.5, 0, -1)}}
    model = netted(
        panel(3, 3, net={"held": "none", "fastened": {"upper_left": "p", "upper_right": "q"}}, points=points)
    )
    with pytest.raises(InputError, match=r"net 'n', bar .* cannot be brought to its length"):
        Constrained().start(model, initial_state(model))


def test_elastic_twines_ask_for_a_solver_that_stretches():
    """The twine of a net counts as the rope of a line."""
    model = netted(panel(2, 2, section={"axial_stiffness": 1e4}))
    with pytest.raises(InputError, match="'constrained' does not support linear elastic lines"):
        Constrained().start(model, initial_state(model))


def test_areas_and_drag_of_a_flat_net():
    """A panel across the flow: its area, and the drag of its twines."""
    model = netted(panel(6, 6))
    solver = Constrained()
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 0.0)
    found = net_summary(model, solver.read(model, work))["n"]
    assert_allclose(found["projected_area"], 9.0, rtol=1e-12)
    assert_allclose(found["drag"], 0.5 * 1025.0 * 1.2 * 0.002 * 0.25 * 2.0 * 9.0 / 0.025, rtol=1e-12)
    ring = netted(panel(8, 4, net={"panel": {"kind": "cylinder", "centre": (0, 0, -1), "radius": 2, "height": 3},
                                   "cells": (32, 4)}))  # fmt: skip
    work = solver.start(ring, initial_state(ring))
    found = read_nets(ring, work)
    # polygon of 32 sides; its projection counts both sides of the cylinder
    assert_allclose(found["net_mouth_area"], 16 * 4.0 * np.sin(2 * np.pi / 32), rtol=1e-12)
    assert_allclose(found["net_mouth_width"], 4.0, rtol=1e-12)
    assert_allclose(found["net_projected_area"], 2 * 4.0 * 3.0, rtol=1e-12)
    assert_allclose(found["net_volume"], 3.0 * found["net_mouth_area"], rtol=1e-12)


def test_kkt_pattern_has_its_symmetric_size():
    """3 unknowns a knot and one a bar."""
    work = start_bars(netted(panel(3, 3)), initial_state(netted(panel(3, 3))), 0.0, "halves")
    assert build_kkt(work.bars).right.size == 3 * 16 + 24


def example(name):
    system = System.from_file(Path(__file__).parents[3] / "examples" / f"{name}.yaml")
    return netted(system)


def test_the_trawl_panel_comes_to_steady_tow():
    """Example: after the ramp the warps pull with the drag of net and warps."""
    model = example("trawl_panel")
    solver = Constrained()
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 10.0).good
    state = solver.read(model, work)
    pull = -state.end_force[:, 0].sum(axis=0)
    # steady: the pull is the drag, against the tow, to what is left of the motion
    assert_allclose(pull[0], -work.field.force[:, 0].sum(), rtol=0.02)
    assert 100.0 < pull[0] < 1000.0


def test_the_cage_finds_its_equilibrium():
    """Example: slack and taut twines; reactions balance drag and weight."""
    model = example("cage")
    solver = BarsStatics(tolerance=1e-7)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 0.0)
    assert report.good
    load = work.field.force.sum(axis=0)
    assert_allclose(report.figures["reaction"], load, atol=1e-5 * load[0])
    assert np.any(work.own["kkt"].slack) and work.steps.tension.min() >= 0.0


def test_the_four_point_mooring_agrees_with_the_elements():
    """Example: legs partly on the bed, a buoy in a current; the finite elements with the same nodes, and end forces."""
    system = System.from_file(Path(__file__).parents[3] / "examples" / "four_point.yaml")
    bars, elements = (statics(system, method=method).state for method in ("bars_statics", "fem"))
    # drag by Gauss points here, at nodes there: second order in the bars, 20 a leg
    assert_allclose(bars.point_position, elements.point_position, atol=0.05)
    assert_allclose(bars.end_force, elements.end_force, atol=15.0)
    assert_allclose(bars.grounded, elements.grounded, atol=2.5)


def test_the_plankton_net_keeps_its_mouth_open():
    """Example with a few cells: the hoop stays a hoop, and the tow line pulls with drag, weight and inertia."""
    system = System.from_file(Path(__file__).parents[3] / "examples" / "plankton_net.yaml")
    cone = system.nets["cone"].replace(cells=(6, 2))
    model = netted(system.replace(nets={"cone": cone}))
    solver = ConstrainedImplicit(step=0.05)
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 3.0).good
    state = solver.read(model, work)
    # a hexagon in a circle of 0.5 m; lengths of rigid bars are met to 1e-11
    assert_allclose(state.net_mouth_area, 3.0 * 0.25 * np.sin(np.pi / 3), rtol=1e-9)
    rim = state.net_position[:6]
    assert np.linalg.svd(rim - rim.mean(axis=0))[1][2] < 1e-9
    assert state.net_force[0, 0] < -50.0
    assert 0.9 < state.net_volume[0] / model_volume(model) <= 1.01
    free = ~work.bars.held
    balance = work.field.force[free].sum(axis=0) - np.einsum(
        "nij,nj->i", work.field.inertia[free], work.steps.old_force[free]
    )
    first = int(work.places.bar_start[0])
    pull = work.steps.tension[first] * work.field.direction[first]
    # all bars but the first pull at two free nodes: their forces cancel, to the balance of the steps
    assert_allclose(balance, pull, atol=1e-5 * np.linalg.norm(pull))


def model_volume(model):
    return float(initial_state(model).net_volume[0])
