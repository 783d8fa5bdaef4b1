"""Cases that once ended with a wrong answer, a traceback or none: by every method that claims one, against a reference.

References are closed forms, or those of references.py, in static_references.py. A method that claims a case has an
answer, or refuses it with a sentence that stands here.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from static_references import REFERENCES, SOFT, case, reference

import ropewalk as rw
from ropewalk.analysis.statics import NOT_STATIC, static_methods
from ropewalk.errors import ConvergenceError, InputError
from ropewalk.methods.claims import demands
from ropewalk.methods.registry import solver_class
from ropewalk.model.model import build

AGREE = 1e-3  # of the largest end force, where a smaller discretisation error is stated


NO_SHAPE = "line '.*' lies slack on the seabed, where it has no unique shape; use method 'fem'"
NO_FOOTING = "point '.*' would come to rest .* m below the seabed, a contact that shooting does not model"
REFUSED = {
    ("air", "shooting"): NO_SHAPE,
    ("det_seed45", "shooting"): NO_SHAPE,
    ("clump_on_bed", "shooting"): NO_FOOTING,
    ("seed690", "shooting"): NO_FOOTING,
    ("fairlead_above_water", "catenary"): "line 'l' rises 3 m above the water, and the closed form uses its weight in",
}


def claims() -> list[tuple[str, str]]:
    found = []
    for name in REFERENCES:
        asked = demands(build(case(name))) - NOT_STATIC
        found += [(name, method) for method in static_methods() if asked <= solver_class(method).claims]
    return found


@pytest.mark.parametrize(("name", "method"), claims())
def test_end_tensions_by_every_method(name, method):
    """Within 1e-3 of the largest, or the discretisation error that the method states for each line."""
    if (name, method) in REFUSED:
        with pytest.raises((ConvergenceError, InputError), match=REFUSED[name, method]):
            rw.statics(case(name), method)
        return
    answer = rw.statics(case(name), method)
    found, wanted = np.linalg.norm(answer.state.end_force, axis=2), reference(name)
    stated = float(answer.report.figures.get("discretisation_error", 0.0))
    own = np.maximum(found.max(axis=1), AGREE * found.max())
    allowed = np.maximum(AGREE * np.nanmax(wanted), stated * own + SOFT.get(name, 0.0))[:, None]
    assert answer.audit.passed
    assert_allclose(np.where(np.isnan(wanted), 0.0, found - wanted) / allowed, 0.0, atol=1.0)


@pytest.mark.parametrize("name", ["air", "clump_on_bed", "det_seed45", "end_below_anchor", "fairlead_above_water",
                                  "sagging_onto_bed", "seed0", "seed574", "seed690", "slack_current"])  # fmt: skip
def test_nothing_is_below_the_bed(name):
    """By more than a footing or a line sinks into it: an end lay 22 m under its anchor, a clump 30 m under the bed."""
    answer = rw.statics(case(name))
    assert answer.state.position[:, 2].min() > -case(name).environment.depth - 1.0


@pytest.mark.parametrize("method", ["fem", "relax", "bars_statics"])
def test_clump_stands_on_its_footing(method):
    """A ball of 500 kg of steel is 0.495 m thick and sinks a tenth of that by its weight of 4,903 N in air."""
    answer = rw.statics(case("clump_on_bed"), method)
    # the rope that lies beside it takes a little of its weight
    assert_allclose(answer.state.point_position[1, 2], -50.0495, atol=2e-3)
    assert "sunk" not in {doubt.code for doubt in answer.doubts}


@pytest.mark.parametrize("method", static_methods())
def test_ropes_that_cannot_reach_are_refused(method):
    with pytest.raises(InputError, match=r"'l0' and 'l1' are 80 m long together, shorter than the 100 m"):
        rw.statics(case("impossible_ropes"), method)
