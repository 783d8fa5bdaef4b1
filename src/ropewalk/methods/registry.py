"""All solvers by name: a new one is one line here. A method is imported at first use, through its public face."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from ropewalk.errors import InputError

SOLVERS: dict[str, str] = {
    "catenary": "ropewalk.methods.catenary:Catenary",
    "shooting": "ropewalk.methods.shooting:Shooting",
    "mixed_fem": "ropewalk.methods.mixed:MixedFem",
    "fem": "ropewalk.methods.mixed:MixedFemStatics",
    "relax": "ropewalk.methods.mixed:Relaxation",
    "chain_series": "ropewalk.methods.chain:ChainSeries",
    "constrained": "ropewalk.methods.bars:Constrained",
    "recursive": "ropewalk.methods.bars:Recursive",
    "projection": "ropewalk.methods.bars:Projection",
    "constrained_implicit": "ropewalk.methods.bars:ConstrainedImplicit",
    "joint_angles": "ropewalk.methods.bars:JointAngles",
    "bars_statics": "ropewalk.methods.bars:BarsStatics",
    "settle": "ropewalk.methods.bars:Settling",
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
