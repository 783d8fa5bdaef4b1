"""ropewalk: how slender things behave in the sea.

>>> import ropewalk as rw
>>> system = rw.System.from_file("case.yaml")
>>> equilibrium = rw.statics(system)

Names are imported when first used, so that ``import ropewalk`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ropewalk.registration import watch

if TYPE_CHECKING:
    from ropewalk.analysis import design as design
    from ropewalk.analysis.continuation import continuation as continuation
    from ropewalk.analysis.equilibria import equilibria as equilibria
    from ropewalk.analysis.float_path import float_path as float_path
    from ropewalk.analysis.floating import float_rods as float_rods
    from ropewalk.analysis.many_lines import solve_lines as solve_lines
    from ropewalk.analysis.modes import modes as modes
    from ropewalk.analysis.response import response as response
    from ropewalk.analysis.rod_time import float_in_time as float_in_time
    from ropewalk.analysis.run import simulate as simulate
    from ropewalk.analysis.shoot import shoot as shoot
    from ropewalk.analysis.statespace import state_space as state_space
    from ropewalk.analysis.statics import Equilibrium as Equilibrium
    from ropewalk.analysis.statics import statics as statics
    from ropewalk.coupling import Coupled as Coupled
    from ropewalk.coupling.fmu import export_fmu as export_fmu
    from ropewalk.errors import ConvergenceError as ConvergenceError
    from ropewalk.errors import InputError as InputError
    from ropewalk.io.load import load as load
    from ropewalk.spec.fields import Fields as Fields
    from ropewalk.spec.system import System as System
    from ropewalk.sweep.run import sweep as sweep

__version__ = "0.1.0"

_HOME = {
    "ConvergenceError": "ropewalk.errors",
    "Coupled": "ropewalk.coupling",
    "export_fmu": "ropewalk.coupling.fmu",
    "Equilibrium": "ropewalk.analysis.statics",
    "Fields": "ropewalk.spec.fields",
    "InputError": "ropewalk.errors",
    "System": "ropewalk.spec.system",
    "continuation": "ropewalk.analysis.continuation",
    "design": "ropewalk.analysis.design",
    "equilibria": "ropewalk.analysis.equilibria",
    "float_in_time": "ropewalk.analysis.rod_time",
    "float_path": "ropewalk.analysis.float_path",
    "float_rods": "ropewalk.analysis.floating",
    "load": "ropewalk.io.load",
    "modes": "ropewalk.analysis.modes",
    "response": "ropewalk.analysis.response",
    "shoot": "ropewalk.analysis.shoot",
    "simulate": "ropewalk.analysis.run",
    "solve_lines": "ropewalk.analysis.many_lines",
    "state_space": "ropewalk.analysis.statespace",
    "statics": "ropewalk.analysis.statics",
    "sweep": "ropewalk.sweep.run",
}

__all__ = [
    "ConvergenceError",
    "Coupled",
    "Equilibrium",
    "Fields",
    "InputError",
    "System",
    "continuation",
    "design",
    "equilibria",
    "export_fmu",
    "float_in_time",
    "float_path",
    "float_rods",
    "load",
    "modes",
    "response",
    "shoot",
    "simulate",
    "solve_lines",
    "state_space",
    "statics",
    "sweep",
]

# what results can do that stands above them, by the module that does it
FACES = {
    "card": "ropewalk.notebook.cards",
    "plot": "ropewalk.notebook.pictures",
    "to_file": "ropewalk.notebook.pictures",
    "view": "ropewalk.notebook.pages",
}


def __getattr__(name: str) -> Any:
    try:
        module = import_module(_HOME[name])
    except KeyError:
        raise AttributeError(f"module 'ropewalk' has no attribute '{name}'") from None
    value = globals()[name] = getattr(module, name, module)  # a name without a home in it is the module
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"])


watch()
