"""How the rods of a case float by themselves: free, bent or held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ropewalk.analysis.audit_poses import FREE, Audited, refuse_unsound
from ropewalk.analysis.doubts import Doubt
from ropewalk.analysis.rod_held import HeldState, held_equilibria, holding
from ropewalk.analysis.stability import Equilibria, FloatingState, all_equilibria, bent_equilibria
from ropewalk.errors import InputError
from ropewalk.model.rod_fields import build_rod
from ropewalk.model.rods import RodModel
from ropewalk.spec import arguments
from ropewalk.spec.rods import Rod
from ropewalk.spec.shown import Shown
from ropewalk.spec.system import Source, System

Figures = Sequence[Mapping[str, float]]


class Floating(Shown, dict[str, Equilibria]):
    """Every way the rods of a case float, by the name of the rod."""

    def __init__(self, system: System, found: Mapping[str, Equilibria], audit: Mapping[str, Figures]) -> None:
        super().__init__(found)
        self.system = system
        self.audit = dict(audit)  # by the name of the rod, figures of every pose (audit_poses.py)

    def __repr__(self) -> str:
        counts = ", ".join(f"'{name}' {len(found.states)}" for name, found in self.items())
        return f"<Floating {self.system.title!r}: equilibria of {counts}>"

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """What is not wrong but doubtful about the poses, each with its figure and limit."""
        from ropewalk.analysis.float_summary import float_doubts

        return tuple(float_doubts(self.system, self))

    def as_dict(self) -> dict[str, Any]:
        """Plain data: what `ropewalk float --json` prints."""
        from ropewalk.analysis.float_summary import float_summary

        return {**float_summary(self, self.doubts), "audit": {name: list(each) for name, each in self.audit.items()}}


def _audited(name: str, rod: Rod, rest: RodModel, states: Sequence[FloatingState]) -> Figures:
    """Figures of every pose; ConvergenceError for one that fails.  rest : the rod without load"""
    found: list[dict[str, float]] = []
    audited = Audited(rest)
    for number, state in enumerate(states, start=1):
        held = FREE
        if rod.held is not None:
            assert isinstance(state, HeldState)
            held = holding(state, rod.held)
        here = audited if state.rod is rest else Audited(state.rod)
        figures = here.figures(state.pose.heave, state.pose.up, state.kind, held)
        if rod.elasticity is not None:
            stiffness = (rod.elasticity.torsion, *rod.elasticity.bending)
            figures["bending"] = here.bending(rest, stiffness, (state.pose.heave, state.pose.up), held)
        refuse_unsound(f"rod '{name}': equilibrium {number} ({state.kind})", figures, state.shape_error)
        found.append(figures)
    return found


def float_rods(system: Source, name: str | None = None, *, slices: bool = False, time: float = 0.0) -> Floating:
    """All equilibria of the floating rods of a case, by name; of one rod if `name` is given.

    Of elastic and of held rods only the stable poses are found. Lines are left out. `slices` uses plane
    slices instead of the exact volume, for comparison. `time` (s) is that of the joint angles.

    >>> import ropewalk as rw
    >>> log = {"length": 2.0, "density": 500, "section": {"kind": "ellipse", "a": 0.1, "b": 0.2},
    ...        "curvature": {"kind": "pieces", "pieces": [{"length": 2.0, "kappa": [0, 0.1, 0]}]}}
    >>> found = rw.float_rods(rw.System(rods={"log": log}))
    >>> [state.kind for state in found["log"].states if state.stable]
    ['minimum']
    """
    system = System.of(system)
    if not system.rods:
        raise InputError("no rods in the case, so there is nothing to float; add a rod under 'rods'")
    if name is not None:
        arguments.name_of("rod", name, system.rods)
    time = arguments.number("time", time)
    found: dict[str, Equilibria] = {}
    audit: dict[str, Figures] = {}
    for key, rod in system.rods.items():
        if name in (None, key):
            model = build_rod(rod, system.environment, key, curved=not slices, time=time)
            elastic = rod.elasticity
            stiffness = None if elastic is None else (elastic.torsion, *elastic.bending)
            if rod.held is not None:
                found[key] = held_equilibria(model, rod.held, stiffness, key)
            elif stiffness is None:
                found[key] = all_equilibria(model)
            else:
                found[key] = bent_equilibria(model, stiffness)
            audit[key] = _audited(key, rod, model, found[key].states)
    return Floating(system, found, audit)
