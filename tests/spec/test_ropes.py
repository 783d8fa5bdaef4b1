"""Laws of ropes with memory: what is refused."""

from __future__ import annotations

import pytest

from ropewalk.errors import InputError
from ropewalk.spec.sections import Section

VISCO = {"kind": "viscoelastic", "static": 1e6, "dynamic": 3e6, "viscosity": 1e6}
SYROPE = {
    "kind": "syrope", "strain": [0.0, 0.01, 0.03], "tension": [0.0, 1e4, 4e4], "working_curve": "exponential",
    "residual": 0.3, "bend": 1.0, "dynamic": 3e6, "viscosity": 1e6,
}  # fmt: skip


def section(law: dict, **more: object) -> Section:
    """A section with this law."""
    return Section.model_validate({"diameter": 0.1, "mass": 5.0, "axial_stiffness": law, **more})


def test_laws_go_through_json() -> None:
    for law in (VISCO, SYROPE):
        part = section(law)
        assert Section.model_validate_json(part.model_dump_json(exclude_unset=True)) == part


@pytest.mark.parametrize(
    ("law", "more", "words"),
    [
        ({**VISCO, "dynamic": 1e6}, {}, "dynamic 1e+06 N must be larger than static 1e+06 N"),
        (VISCO, {"damping": 0.1}, "damping cannot be combined with a rope law"),
        (VISCO, {"compression": True}, "carries no compression"),
        ({**SYROPE, "strain": [0.001, 0.01, 0.03]}, {}, "strain must begin with 0"),
        ({**SYROPE, "strain": [0.0, 0.01]}, {}, "2 strains but 3 tensions"),
        ({**SYROPE, "highest_mean": 5e4}, {}, "highest_mean 50000 N is beyond the last tension"),
        ({**SYROPE, "dynamic": 1.2e6}, {}, "stiffer"),
        ({**SYROPE, "slope": 2e6}, {}, "give residual, or slope"),
        ({**SYROPE, "slope": 2e6, "residual": None}, {}, "slope is for linear working curves"),
        ({**SYROPE, "slope": 1.1e6, "residual": None, "working_curve": "linear"}, {}, "less than the secants"),
        ({**SYROPE, "working_curve": "quadratic", "bend": 1.5}, {}, "between -1 and 1"),
    ],
)
def test_what_cannot_be_is_refused(law: dict, more: dict, words: str) -> None:
    with pytest.raises(InputError) as info:
        section(law, **more)
    assert words in str(info.value)


def test_lift_needs_frequencies_above_zero() -> None:
    with pytest.raises(InputError, match=r"width 0\.2 must be smaller than centre 0\.18"):
        section(VISCO, lift={"coefficient": 0.7, "width": 0.2})
