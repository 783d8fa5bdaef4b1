"""Implicit steps of bars, rigid and elastic."""

import math

import pytest
from bars_cases import chain, netted, order, panel, run
from numpy.testing import assert_allclose
from resumed import assert_goes_on_to_the_same_bits

from ropewalk.errors import InputError
from ropewalk.methods.bars.constrained import Constrained
from ropewalk.methods.bars.equilibrium import BarsStatics
from ropewalk.methods.bars.implicit import ConstrainedImplicit
from ropewalk.model.state import initial_state


@pytest.mark.parametrize("radius", [0.0, 0.5, 0.9])
def test_a_falling_chain_converges_with_order_two(radius):
    """Ten rigid bars, 0.4 s, to the explicit solver's answer."""
    model = chain()
    ends = [
        run(ConstrainedImplicit(step=h, spectral_radius=radius, slack=False), model, 0.4)[0].position
        for h in (4e-3, 2e-3, 1e-3)
    ]
    # measured 1.92, 1.99, 1.99
    assert 1.85 < order(ends) < 2.15
    exact = run(Constrained(step=2e-4), model, 0.4)[0].position
    # errors at 1 ms: 8e-5, 2e-5, 2e-5 m
    assert_allclose(ends[-1], exact, atol=1.2e-4)


def test_steps_beyond_the_explicit_limit_are_stable():
    """A net at ten times the step of the explicit solver: rest at the equilibrium."""
    model = netted(panel(5, 5))
    work = BarsStatics().start(model, initial_state(model))
    BarsStatics().advance(model, work, 0.0)
    moving = run(ConstrainedImplicit(step=0.25, spectral_radius=0.0), model, 60.0)[2]
    # as exp(-t/tau) with tau of some seconds
    assert_allclose(moving.steps.r, work.steps.r, atol=2e-3)


def test_an_elastic_rope_bounces_at_its_frequency():
    """A mass of 10 kg under a light elastic rope: omega = sqrt(EA / (L m)), about its stretch m g L / EA."""
    stiffness, length, mass = 4000.0, 2.0, 10.0
    model = chain(2, length=length, mass=1e-3, end=(0.0, 0.0, -length), point={"mass": mass},
                  section={"axial_stiffness": stiffness})  # fmt: skip
    omega = math.sqrt(stiffness / (length * mass))
    solver = ConstrainedImplicit(step=1e-3, spectral_radius=0.9)
    work = solver.start(model, initial_state(model))
    period = 2.0 * math.pi / omega
    assert solver.advance(model, work, 0.5 * period).good
    low = solver.read(model, work).position[-1, 2]
    # let go, it falls by twice the static stretch in half a period; (omega h)^2 = 2e-4, and 1e-4 of rope mass
    assert_allclose(-low - length, 2.0 * mass * 9.81 * length / stiffness, rtol=1e-3)
    static = run(BarsStatics(), model, 0.0)[0].position[-1, 2]
    assert_allclose(-static - length, mass * 9.81 * length / stiffness, rtol=1e-4)


def test_redundant_bars_are_handled_by_compliance():
    """Two ropes side by side between the same points share the load."""
    model = chain(1, length=1.0, mass=0.1, end=(0.0, 0.0, -1.0), point={"mass": 10.0}, section={"axial_stiffness": 1e6},
                  lines={"other": {"from": "a", "to": "b", "elements": 1,
                                   "pieces": [{"section": "c", "length": 1.0}]}})  # fmt: skip
    state, _, work = run(BarsStatics(), model, 0.0)
    # half the load each: point, and half of each rope
    assert_allclose(work.steps.tension, 0.5 * 9.81 * (10.0 + 0.1), rtol=1e-6)
    assert_allclose(state.end_force[:, 0, 2].sum(), -9.81 * 10.2, rtol=1e-6)


def test_bad_settings_are_refused():
    model = chain()
    with pytest.raises(InputError, match="spectral_radius 2"):
        ConstrainedImplicit(spectral_radius=2.0).start(model, initial_state(model))
    with pytest.raises(InputError, match="strain_tolerance"):
        Constrained(strain_tolerance=0.01).start(model, initial_state(model))
    with pytest.raises(InputError, match="cannot go back"):
        solver = ConstrainedImplicit()
        work = solver.start(model, initial_state(model))
        solver.advance(model, work, 0.1)
        solver.advance(model, work, 0.0)


def test_a_run_goes_on_from_a_snapshot_to_the_same_bits():
    model = chain(environment={"water_density": 1000.0}, section={"drag": {"normal": 1.2}})
    assert_goes_on_to_the_same_bits(ConstrainedImplicit(step=0.01), model, initial_state(model), 0.1, 0.2)
