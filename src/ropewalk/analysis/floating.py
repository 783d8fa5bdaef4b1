"""How the rods of a case float by themselves: free, bent or held."""

from __future__ import annotations

from ropewalk.analysis.rod_held import held_equilibria
from ropewalk.analysis.stability import Equilibria, all_equilibria, bent_equilibria
from ropewalk.errors import InputError
from ropewalk.model.rod_fields import build_rod
from ropewalk.spec.system import Source, System


def float_rods(system: Source, name: str | None = None, *, slices: bool = False) -> dict[str, Equilibria]:
    """Every way the rods of a case float, by name; of one rod if `name` is given.

    Elastic rods give their stable poses, bent, and so do rods that are held. Lines are left out. `slices` takes plane
    slices for the exact volume, for comparison.
    """
    system = System.of(system)
    if not system.rods:
        raise InputError("no rods in the case, so there is nothing to float; add a rod under 'rods'")
    if name is not None and name not in system.rods:
        raise InputError(f"no rod '{name}'. There are: {', '.join(system.rods)}")
    found: dict[str, Equilibria] = {}
    for key, rod in system.rods.items():
        if name in (None, key):
            model = build_rod(rod, system.environment, key, curved=not slices)
            elastic = rod.elasticity
            stiffness = None if elastic is None else (elastic.torsion, *elastic.bending)
            if rod.held is not None:
                found[key] = held_equilibria(model, rod.held, stiffness, key)
            elif stiffness is None:
                found[key] = all_equilibria(model)
            else:
                found[key] = bent_equilibria(model, stiffness)
    return found
