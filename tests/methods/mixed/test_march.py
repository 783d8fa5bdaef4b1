"""Many record times in one call: the same states as one by one, and what ends it on the way."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_cases import harmonic, oc3

from ropewalk.loads.sea import water_at
from ropewalk.methods.mixed.equilibrium import unbalance
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.protocol import Marching, Status
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

TIMES = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def rope(length: float) -> dict:
    """A piece of line."""
    return {"section": "rope", "length": length}


def moored(**changes) -> Model:
    """A float on two lines in waves and current, one line on the bed with friction, one to a free point."""
    case = {
        "environment": {"depth": 30, "seabed": {"friction": 0.6}, "current": {"speed": 0.4, "heading": 0.3},
                        "waves": {"kind": "regular", "height": 1.0, "period": 6.0, "ramp": 2.0}},
        "sections": {"rope": {"diameter": 0.05, "mass": 8.0, "axial_stiffness": 2e7, "damping": 0.01,
                              "drag": {"normal": 1.2, "tangential": 0.05}, "added_mass": {"normal": 1.0}}},
        "points": {"anchor": {"position": [60, 0, -30]}, "pile": {"position": [-30, 0, -20]},
                   "clump": {"position": [-15, 0, -12], "joint": "free", "mass": 80.0, "volume": 0.02,
                             "drag_area": 0.1}},
        "bodies": {"buoy": {"mass": 900.0, "inertia": [600, 600, 600], "position": [0, 0, 0],
                            "hull": {"kind": "sphere", "radius": 0.9}, "attachments": {"eye": [0, 0, -0.9]}}},
        "lines": {"a": {"from": "buoy.eye", "to": "anchor", "elements": 8, "pieces": [rope(74)]},
                  "b": {"from": "pile", "to": "clump", "elements": 4, "pieces": [rope(18)]},
                  "c": {"from": "clump", "to": "buoy.eye", "elements": 4, "pieces": [rope(20)]}},
    }  # fmt: skip
    return build(System.model_validate({**case, **changes}))


def winched() -> Model:
    """A line that is paid out while its fairlead moves."""
    motion = harmonic(([1, 0, 0], 0.5, 6.0), ramp=1.0)
    return build(System.model_validate({
        "environment": {"depth": 40, "seabed": {"friction": 0.0}},
        "sections": {"rope": {"diameter": 0.05, "mass": 8.0, "axial_stiffness": 2e7}},
        "points": {"anchor": {"position": [60, 0, -40]},
                   "top": {"position": [0, 0, 0], "joint": "moving", "motion": motion}},
        "lines": {"a": {"from": "anchor", "to": "top", "elements": 8, "pieces": [rope(80)],
                        "payout": {"end": "B", "time": [0, 5], "length": [0, 10], "ramp": 0.5}}},
    }))  # fmt: skip


def one_by_one(solver: MixedFem, model: Model):
    work, states, energies = solver.start(model, initial_state(model)), [], []
    for t in TIMES:
        report = solver.advance(model, work, float(t))
        assert report.good, report.message
        states.append(solver.read(model, work))
        energies.append(report.figures.get("energy", {}))
    return states, energies


@pytest.mark.parametrize(
    ("make", "settings"),
    [(moored, {}), (moored, {"ledger": False, "step": 0.05}), (oc3, {"integrator": "leapfrog"}), (winched, {})],
)
def test_a_march_gives_what_single_steps_give(make, settings):
    """Every field and every term of the ledger, to the last bit: the same kernels on the same numbers."""
    solver, model = MixedFem(**settings), make()
    states, energies = one_by_one(solver, model)
    assert isinstance(solver, Marching)
    for parts in ([6], [1, 2, 3]):
        work, at = solver.start(model, initial_state(model)), 0
        for n in parts:
            passage = solver.march(model, work, TIMES[at : at + n].copy())
            assert passage.report.good
            np.testing.assert_array_equal(passage.moments.time, TIMES[at : at + n])
            for k in range(n):
                state = passage.moments.state(k)
                for name, value in states[at + k]._asdict().items():
                    np.testing.assert_array_equal(getattr(state, name), value, err_msg=name)
                found = {name: values[k] for name, values in passage.energy.items()}
                assert found == pytest.approx(energies[at + k], rel=1e-13, abs=1e-13 * _largest(energies[at + k]))
            at += n


def _largest(energy: dict[str, float]) -> float:
    return max((abs(value) for value in energy.values()), default=0.0)


def test_forces_at_ends_are_the_balance_of_all_nodes():
    """What is read at ends and points alone is minus what `unbalance` gives there."""
    model, solver = moored(), MixedFem()
    work = solver.start(model, initial_state(model))
    solver.advance(model, work, 3.0)
    state, kept, mesh, sea = solver.read(model, work), work.steps, work.mesh, model.sea
    nodes, misses = np.zeros_like(kept.nodes), np.zeros(mesh.element.shape[0])
    water_at(kept.now.X[0], 3.0, sea, kept.flow)
    fluid = (sea.water_density, sea.gravity)
    unbalance(kept.now.X, kept.now.T, kept.flow, mesh, fluid, kept.memory.grip, nodes, misses)
    # line a is walked from its anchor, end B, and lies there: the bed takes part of that force
    for line, ends in ((0, (mesh.node_start[1] - 1,)), (1, (mesh.node_start[1], mesh.node_start[2] - 1))):
        for end, n in enumerate(ends):
            # the same sums in another order: round-off of forces of some 1e4 N
            np.testing.assert_allclose(state.end_force[line, end], -nodes[n], atol=1e-8)
    np.testing.assert_allclose(state.point_force[1], -nodes[mesh.s.size + 1], atol=1e-8)
    np.testing.assert_array_equal(state.point_force[2], 0.0)  # of a free point nothing is left


def test_a_body_that_sinks_through_the_bed_ends_the_march():
    """The moments before it are given, and the sentence names the time of the first one below."""
    heavy = {"b": {"mass": 5e6, "inertia": [1e5, 1e5, 1e5], "position": [0, 0, -25], "attachments": {"eye": [0, 0, 0]}}}
    line = {"l": {"from": "pile", "to": "b.eye", "elements": 2, "pieces": [rope(300)]}}
    points = {"pile": {"position": [-30, 0, -20]}}
    model = moored(bodies=heavy, lines=line, points=points)
    solver = MixedFem(start_at="as_given", ledger=False)
    times = np.linspace(0.0, 4.0, 41)
    passage = solver.march(model, solver.start(model, initial_state(model)), times)
    assert passage.report.status is Status.NO_EQUILIBRIUM
    assert passage.moments is not None
    reached = passage.moments.time.size
    assert 0 < reached < 41
    assert f"at t = {times[reached]:.6g} s body 'b' is below the bed" in passage.report.message
    assert passage.moments.fields["body_position"][:, 0, 2].min() > -33.0
