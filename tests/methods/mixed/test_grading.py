"""Elements of unequal length: where they are short, and what that gains."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_cases import oc3
from numpy.testing import assert_allclose

from ropewalk.assembly.grading import lift_offs, shared_out
from ropewalk.assembly.mesh import build_mesh
from ropewalk.errors import InputError
from ropewalk.methods.mixed.payout import with_winches
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.lines import Line
from ropewalk.spec.system import System


def graded(elements: int, grading: float) -> Model:
    """The OC3 line with elements of unequal length."""
    model = oc3(elements)
    return model._replace(lines=model.lines._replace(grading=np.array([grading])))


def two_pieces(payout: dict[str, object] | None = None, grading: float = 3.0) -> Model:
    """Chain on the bed and rope above it, on a winch if told."""
    line = {
        "from": "anchor",
        "to": "top",
        "grading": grading,
        "pieces": [{"section": "rope", "length": n, "elements": n // 5} for n in (150, 60)],
        **({"payout": payout} if payout else {}),
    }
    return build(
        System.model_validate(
            {
                "environment": {"depth": 100},
                "sections": {
                    "rope": {
                        "drag": 0,
                        "added_mass": 0,
                        "diameter": 0.05,
                        "mass": 40.0,
                        "axial_stiffness": 1e8,
                        "damping": 0.01,
                    }
                },
                "points": {"anchor": {"position": [0, 0, -100]}, "top": {"position": [160, 0, 0]}},
                "lines": {"l": line},
            }
        )
    )


def test_oc3_line_lifts_off_where_the_closed_form_says():
    """Grounded length of the table of exact statics, 134.785529 m."""
    places = lift_offs(oc3(20), 0)
    assert len(places) == 1
    # printed to 1e-6 m
    assert_allclose(places[0], 134.785529, atol=1e-6)


def test_a_line_off_the_bed_has_equal_elements():
    """A suspended line is cut as without grading."""
    model = graded(12, 3.0)
    deep = model._replace(sea=model.sea._replace(depth=2000.0))
    assert lift_offs(deep, 0) == []
    # 12 equal parts of 902.2 m, round-off of linspace
    assert_allclose(build_mesh(deep).element["length"], 902.2 / 12, rtol=1e-12)


@pytest.mark.parametrize("place", [0.0, 37.0, 100.0])
def test_elements_are_shorter_around_the_place_by_the_grading(place):
    """Longest over shortest element against the ratio asked for, in a fine mesh."""
    s = shared_out(0.0, 100.0, 200, [place], 4.0, 100.0)
    h = np.diff(s)
    assert s[0] == 0.0
    assert s[-1] == 100.0
    assert s.size == 201
    # an element averages the density over its length, 1/200 of the line: its square over the bump's width squared, 1e-3
    assert_allclose(h.max() / h.min(), 4.0, rtol=5e-3)
    assert abs(s[np.argmin(h)] - place) < 12.0
    # neighbours: the bump falls from 4 to 1 over 0.12 L and the steepest ratio per element is 1 + 3.5 h/(0.12 L)
    assert np.max(np.abs(np.diff(np.log(h)))) < 0.15


def test_mass_and_length_do_not_depend_on_grading():
    """Nothing of the line is lost between the elements."""
    even, uneven = build_mesh(oc3(20)), build_mesh(graded(20, 3.0))
    assert even.element.shape == uneven.element.shape
    for mesh in (even, uneven):
        # sums of 20 numbers
        assert_allclose(mesh.element["length"].sum(), 902.2, rtol=1e-13)
        assert_allclose(mesh.node[: mesh.s.size].mass.sum(), 902.2 * 77.7066, rtol=1e-13)


def test_graded_statics_approach_the_catenary_with_second_order():
    """Fairlead tension of the OC3 line, 911089.018 N in closed form on a rigid bed."""
    solver, misses = MixedFemStatics(), []
    for n in (20, 40, 80):
        model = graded(n, 2.0)
        work = solver.start(model, initial_state(model))
        assert solver.advance(model, work, 0.0).good
        force = np.linalg.norm(solver.read(model, work).end_force[0, 1])
        misses.append(abs(force / 911089.018 - 1.0))
    # second order up to where the node next to lift-off happens to lie; the soft bed itself is worth 1.4e-5
    assert misses[0] < 2e-3
    assert misses[2] < misses[0] / 8.0 + 2e-5


def test_grading_halves_the_error_of_a_moving_mooring_line():
    """Fairlead force of the OC3 line against 200 equal elements: 30 equal elements miss by 0.32 %, graded 0.13 %."""

    def forces(model: Model) -> np.ndarray:
        solver = MixedFem(step=0.02, ledger=False)
        work = solver.start(model, initial_state(model))
        found = []
        for t in np.arange(0.5, 30.1, 0.5):
            assert solver.advance(model, work, float(t)).good
            found.append(solver.read(model, work).end_force[0, 1])
        return np.array(found)[20:]

    exact, even, uneven = forces(oc3(200)), forces(oc3(30)), forces(graded(30, 2.0))
    miss = [np.linalg.norm(f - exact) / np.linalg.norm(exact) for f in (even, uneven)]
    # 0.42 was measured; which node meets the bed when scatters that by some tenths
    assert miss[1] < 0.65 * miss[0]


def test_elements_at_a_winch_stay_equal():
    """What is split and joined has one length; the piece before it is graded all the same."""
    model = two_pieces({"end": "B", "time": [0, 30], "length": [0, 6]})
    mesh = with_winches(model, build_mesh(model), 0.0)
    h = mesh.element["length"]
    # a piece of 60 m in 12
    assert_allclose(h[30:], 5.0, rtol=1e-12)
    assert h[:30].max() / h[:30].min() > 2.0
    solver = MixedFem(ledger=False)
    work = solver.start(model, initial_state(model))
    report = solver.advance(model, work, 30.0)
    assert report.good, report.message
    assert work.mesh.element.shape[0] > 42  # 6 m are more than an element of 5 m


def test_grading_of_a_line_that_is_all_winch_is_refused():
    """The sentence names the way out."""
    line = {
        "from": "a", "to": "b", "grading": 2, "pieces": [{"section": "rope", "length": 10}],
        "payout": {"end": "B", "time": [0, 30], "length": [0, 6]},
    }  # fmt: skip
    with pytest.raises(InputError, match="give the winch a piece of its own"):
        Line.model_validate(line)


def test_grading_below_one_is_refused():
    """A ratio of lengths, not a share."""
    line = {"from": "a", "to": "b", "grading": 0.5, "pieces": [{"section": "rope", "length": 10}]}
    with pytest.raises(InputError, match="grading"):
        Line.model_validate(line)
