"""All solvers by name: a new one is one line here. Modules are imported at first use."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from ropewalk.errors import InputError

SOLVERS: dict[str, str] = {
    "catenary": "ropewalk.methods.catenary.solver:Catenary",
    "shooting": "ropewalk.methods.shooting.solver:Shooting",
    "mixed_fem": "ropewalk.methods.mixed.solver:MixedFem",
    "fem": "ropewalk.methods.mixed.statics:MixedFemStatics",
    "relax": "ropewalk.methods.mixed.statics:Relaxation",
    "chain_series": "ropewalk.methods.chain.solver:ChainSeries",
    "constrained": "ropewalk.methods.bars.constrained:Constrained",
    "recursive": "ropewalk.methods.bars.recursive:Recursive",
    "projection": "ropewalk.methods.bars.projection:Projection",
    "constrained_implicit": "ropewalk.methods.bars.implicit:ConstrainedImplicit",
    "joint_angles": "ropewalk.methods.bars.joint_angles:JointAngles",
    "bars_statics": "ropewalk.methods.bars.equilibrium:BarsStatics",
    "settle": "ropewalk.methods.bars.settling:Settling",
}
# those that run in time, in the order in which `auto` takes them: a look at the claims of a class imports its method
IN_TIME = (
    "mixed_fem", "chain_series", "constrained", "recursive", "projection", "constrained_implicit", "joint_angles",
)  # fmt: skip
# rigid bars through time at fixed steps; the first is the one that the literature's step limits are of
BAR_SOLVERS = ("recursive", "constrained", "projection", "constrained_implicit")


@cache
def solver_class(name: str) -> Any:
    """The class of the solver called `name`."""
    try:
        module, _, cls = SOLVERS[name].partition(":")
    except KeyError:
        close = get_close_matches(name, SOLVERS, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        raise InputError(f"no solver '{name}'{hint} Available: {', '.join(SOLVERS)}") from None
    return getattr(import_module(module), cls)
