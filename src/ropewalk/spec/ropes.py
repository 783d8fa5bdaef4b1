"""Fibre ropes with memory: visco-elastic ones, and those of the Syrope model."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from ropewalk.spec.base import Finite, NotNegative, Part, Positive

LARGEST_BEND = 30.0  # of an exponential working curve: e^30 of its slope from one end to the other


class RopeLaw(Part):
    """What ropes with memory have in common: the fast spring, and dashpots."""

    dynamic: Positive
    """EA under rapid loads at zero mean tension, N"""
    dynamic_slope: NotNegative = 0.0
    """Growth of the dynamic EA with the mean tension, N per N"""
    viscosity: Positive
    """Viscosity of the dashpot in parallel with the slow spring: tension over rate of slow strain, N s"""
    dynamic_viscosity: NotNegative = 0.0
    """Viscosity of the dashpot in parallel with the fast spring, N s"""


class ViscoelasticLaw(RopeLaw):
    """A slow spring with a dashpot, in series with a fast one: compliant under slow loads, stiff under rapid ones."""

    kind: Literal["viscoelastic"]
    static: Positive
    """EA under sustained loads, of both springs in series, N"""

    @model_validator(mode="after")
    def _stiffer_when_fast(self) -> ViscoelasticLaw:
        if self.dynamic <= self.static:
            raise ValueError(
                f"dynamic {self.dynamic:g} N must be larger than static {self.static:g} N; a rope without memory has "
                "one number as axial_stiffness"
            )
        return self


class SyropeLaw(RopeLaw):
    """A rope with permanent elongation: below its highest mean tension it follows the working curve of that tension."""

    kind: Literal["syrope"]
    strain: Annotated[tuple[Finite, ...], Field(min_length=2)]
    """Strain of the original working curve, which the mean tension follows when first loaded; from 0"""
    tension: Annotated[tuple[Finite, ...], Field(min_length=2)]
    """Mean tension on it, N; from 0"""
    working_curve: Literal["linear", "quadratic", "exponential"]
    """Form of the curves below the highest mean tension"""
    residual: Annotated[float, Field(ge=0.0, lt=1.0, strict=True)] | None = None
    """Fraction of the strain at the highest mean tension that remains at zero tension"""
    slope: Positive | None = None
    """EA of linear working curves, N; in place of `residual`"""
    bend: Annotated[float, Field(ge=-LARGEST_BEND, le=LARGEST_BEND, strict=True)] = 0.0
    """Curvature of quadratic and exponential working curves: 0 is straight, larger values stiffen more with tension"""
    highest_mean: NotNegative = 0.0
    """Highest mean tension that the rope has carried before, N"""

    @model_validator(mode="after")
    def _is_a_curve(self) -> SyropeLaw:
        if len(self.strain) != len(self.tension):
            raise ValueError(f"{len(self.strain)} strains but {len(self.tension)} tensions")
        for name, values in (("strain", self.strain), ("tension", self.tension)):
            if values[0] != 0.0 or any(b <= a for a, b in pairwise(values)):
                raise ValueError(f"{name} must begin with 0 and increase from entry to entry")
        if self.highest_mean > self.tension[-1]:
            raise ValueError(
                f"highest_mean {self.highest_mean:g} N is beyond the last tension of the original working curve, "
                f"{self.tension[-1]:g} N; extend the curve"
            )
        for (e0, T0), (e1, T1) in pairwise(zip(self.strain, self.tension, strict=True)):
            fast = self.dynamic + self.dynamic_slope * T0
            if fast * (e1 - e0) <= (T1 - T0):
                raise ValueError(
                    f"the original working curve from {T0:g} N to {T1:g} N is stiffer ({(T1 - T0) / (e1 - e0):.4g} N) "
                    f"than the dynamic stiffness there, {fast:.4g} N"
                )
        return self

    @model_validator(mode="after")
    def _has_working_curves(self) -> SyropeLaw:
        if (self.residual is None) == (self.slope is None):
            raise ValueError("give residual, or slope for linear working curves")
        if self.slope is not None and self.working_curve != "linear":
            raise ValueError(f"slope is for linear working curves; give residual for {self.working_curve} ones")
        if self.working_curve == "quadratic" and abs(self.bend) >= 1.0:
            raise ValueError(
                f"bend {self.bend:g} of a quadratic working curve must be between -1 and 1; otherwise the curve "
                "decreases"
            )
        if self.slope is not None and any(
            T > 0.0 and self.slope * e <= T for e, T in zip(self.strain, self.tension, strict=True)
        ):
            raise ValueError(f"slope {self.slope:g} N is less than the secants of the original working curve; raise it")
        return self
