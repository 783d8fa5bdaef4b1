"""Settings of each method, by its name: what `run.options` and `statics.options` take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic_core import InitErrorDetails, ValidationError

from ropewalk.errors import InputError
from ropewalk.spec.base import Part, Positive

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Tolerance = Annotated[float, Field(gt=0.0, le=0.1)]
StrainTolerance = Annotated[float, Field(gt=0.0, le=1e-3)]
Count = Annotated[int, Field(ge=1, le=100_000)]
Order = Annotated[int, Field(ge=1, le=4)]


class NoOptions(Part):
    """Nothing to set."""


class MixedFemOptions(Part):
    """Mixed elements through time."""

    spectral_radius: Share | None = None
    """Spectral radius of generalised-alpha at high frequencies: 1 for no damping, 0 for the most; by default chosen by
    whether lines can go slack."""
    ledger: bool = True
    """Keep the energy balance."""
    lanes: bool = True
    """Process lines side by side in vector registers where possible; the same results up to round-off."""


class ConstrainedOptions(Part):
    """Rigid bars with exact multipliers."""

    step_share: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Part of the automatic time step, where `run.step` is not given."""
    strain_tolerance: StrainTolerance = 1e-10
    """Relative tolerance of the lengths of bars."""
    slack: bool = True
    """Twines of nets go slack; false: they carry compression."""
    lumping: Literal["halves", "outer"] = "halves"
    """Lumping of the mass of a bar: half at each end, or all at the end nearer to B."""


class RecursiveOptions(Part):
    """Rigid bars by recursion over a tree."""

    step_share: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Part of the automatic time step, where `run.step` is not given."""
    lumping: Literal["halves", "outer"] = "halves"
    closure: Literal["constraint", "pid"] = "constraint"
    """Closure of loops: by an exact constraint, or by the published control of their gaps."""
    pid: Positive = 1.0
    """Weight of the gains of that control."""


class ProjectionOptions(Part):
    """Rigid bars whose lengths are met in sweeps (RRF and SHAKE)."""

    step_share: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Part of the automatic time step, where `run.step` is not given."""
    variant: Literal["shake", "rrf", "rrf_published"] = "shake"
    sweeps: Count | None = None
    """Number of sweeps over the lengths, in place of the level `position`."""
    strain_tolerance: StrainTolerance = 1e-12
    strain_limit: Tolerance = 5e-4
    """Strain above which `shake` continues to sweep."""
    position: Literal["weak", "norm", "high"] = "norm"
    """Level of sweeps on lengths: 1, 3 or 6."""
    kinematic: Literal["none", "norm"] = "norm"
    """Level of sweeps of `rrf` on velocities and accelerations."""
    pid: Literal["off", "weak", "med", "norm", "high"] = "off"
    reaction: Literal["off", "med", "norm", "high"] = "off"
    slack: bool = True
    """Twines of nets go slack; false: they carry compression."""
    lumping: Literal["halves", "outer"] = "halves"


class ConstrainedImplicitOptions(Part):
    """Bars by implicit steps."""

    spectral_radius: Share = 0.2
    slack: bool = True
    """Bars go slack; false: they carry compression."""
    lumping: Literal["halves", "outer"] = "halves"


class JointAnglesOptions(Part):
    """Bars in two joint angles each."""

    step_share: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    """Part of the automatic time step, where `run.step` is not given."""
    form: Literal["recursive", "dense"] = "recursive"
    lumping: Literal["halves", "outer"] = "halves"


class ChainSeriesOptions(Part):
    """Chains by power series in time."""

    order: Annotated[int, Field(ge=2, le=60)] | None = None
    """Order of the series; by default chosen by the tolerance, or 5 for a fixed step."""
    smoothing_speed: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0
    """Quadratic drag uses |u| = sqrt(u^2 + smoothing_speed^2), m/s."""


class CatenaryOptions(Part):
    """Closed-form catenaries."""

    most_iterations: Count = 400
    """Largest number of iterations for the equilibrium of free points and bodies."""


class ShootingOptions(Part):
    """Shooting."""

    tolerance: Annotated[float, Field(ge=1e-14, le=1e-2)] = 1e-13
    """Relative tolerance of the integrator, per step."""
    target: Annotated[float, Field(ge=1e-14, le=1e-2)] = 1e-12
    """Largest scaled constraint."""
    growth_limit: Annotated[float, Field(ge=10.0, le=1e12)] = 1e5
    """Largest error growth along an arc before it is cut (multiple shooting)."""
    pair: Literal["dormand_prince", "fehlberg"] = "dormand_prince"
    """Runge-Kutta pair: 8(5,3) or 4(5)."""
    most_steps: Annotated[float, Field(ge=1e3, le=1e9)] = 2.0e5
    """Largest number of integrator steps in all attempts at one equilibrium."""


class FemOptions(Part):
    """Mixed elements at rest."""

    order: tuple[Order, Annotated[int, Field(ge=0, le=3)]] = (1, 0)
    """Degrees mu of positions and nu < mu of tensions on each element."""


class BarsStaticsOptions(Part):
    """Bars at rest by Newton's method."""

    tolerance: Annotated[float, Field(ge=1e-14, le=1e-2)] = 1e-9
    """Residual force, relative."""
    most: Count = 200
    """Largest number of iterations."""
    lumping: Literal["halves", "outer"] = "halves"


RUN_OPTIONS: dict[str, type[Part]] = {
    "mixed_fem": MixedFemOptions,
    "constrained": ConstrainedOptions,
    "recursive": RecursiveOptions,
    "projection": ProjectionOptions,
    "constrained_implicit": ConstrainedImplicitOptions,
    "joint_angles": JointAnglesOptions,
    "chain_series": ChainSeriesOptions,
}
"""Options of the time-domain solvers, by name."""

STATIC_OPTIONS: dict[str, type[Part]] = {
    "catenary": CatenaryOptions,
    "shooting": ShootingOptions,
    "fem": FemOptions,
    "relax": NoOptions,
    "bars_statics": BarsStaticsOptions,
    **{name: RUN_OPTIONS[name] for name in ("recursive", "constrained", "projection", "constrained_implicit")},
}
"""Options of the static methods; a bar solver has its own and integrates in time until at rest."""


def check_options(key: str, name: str, options: Mapping[str, Any], known: Mapping[str, type[Part]]) -> None:
    """Raise what is wrong with the options of a method, at its place in the file.

    key : of the method's name in the file, for sentences    name : of the method    known : classes by name
    """
    if not options:
        return
    if name not in known:
        hint = "name one" if name == "auto" else f"it is '{name}'"
        raise ValueError(f"options belong to a {key} that is given by name; {hint}. Available: {', '.join(known)}")
    try:
        known[name].model_validate(dict(options))
    except InputError as error:
        raise ValidationError.from_exception_data(
            "options",
            [
                InitErrorDetails(
                    type="value_error",
                    loc=("options", *(step for step in problem.path.split(".") if step)),
                    input=dict(options),
                    ctx={"error": ValueError(problem.message)},
                )
                for problem in error.problems
            ],
        ) from None
