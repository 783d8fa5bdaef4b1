"""The audit: no equilibrium leaves before forces, lengths, ends and bed are checked again, by other code.

It may read laws (`physics/`), loads and the model, never a method or the assembly: an import contract checks that. What
is continuous is integrated from node to node (audit_string.py), what is lumped is balanced at the method's own mesh
(audit_elements.py), points and bodies are summed up again (audit_parts.py), links are held to their laws
(audit_links.py). Plain cases have a short way that is
compiled (audit_quick.py); what does not pass there goes the long way, too. See docs/audit.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ropewalk.analysis.audit_lines import Finding, check_lines, check_pegs, scales_of
from ropewalk.analysis.audit_links import check_links
from ropewalk.analysis.audit_nets import check_nets, netting_of
from ropewalk.analysis.audit_parts import check_bodies, check_points
from ropewalk.analysis.audit_quick import CONTINUOUS as CONTINUOUS
from ropewalk.analysis.audit_quick import NODES, Quick, quick_findings
from ropewalk.model.arrays import Array
from ropewalk.model.model import Model
from ropewalk.model.state import State

UNITS = {"force": "N", "length": "m", "bed": "m", "position": "m", "push": "N"}
WHAT = {
    "force": "is out of balance by",
    "length": "deviates from the length given by its law by",
    "bed": "is below the bed by",
    "position": "is off its support by",
    "push": "is in compression, which its section cannot carry, with",
}


@dataclass(frozen=True)
class Audit:
    """What the audit found."""

    found: tuple[Finding, ...]  # by the long way
    rejected: tuple[tuple[str, str], ...] = ()  # methods whose answers did not pass before this one, and why
    quick: Quick | None = None  # what passed by the short way, put into words when it is read

    @property
    def passed(self) -> bool:
        """Whether every figure is within its limit."""
        return all(finding.share <= 1.0 for finding in self.found)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """For every kind of figure the one that is farthest beyond its limit, or nearest to it."""
        kept: dict[str, Finding] = {}
        for finding in (*(self.quick.findings() if self.quick is not None else ()), *self.found):
            if finding.kind not in kept or finding.share > kept[finding.kind].share:
                kept[finding.kind] = finding
        return tuple(kept.values())

    @property
    def sentences(self) -> list[str]:
        """One for every figure beyond its limit, the worst first."""
        wrong = sorted((f for f in self.findings if not f.share <= 1.0), key=lambda f: -f.share)
        return [_sentence(finding) for finding in wrong]

    def largest(self, kind: str) -> Finding | None:
        """The figure of a kind with the largest share of its limit."""
        return max((f for f in self.findings if f.kind == kind), key=lambda f: f.share, default=None)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `static --json`."""
        result: dict[str, Any] = {"passed": self.passed}
        for kind in UNITS:
            worst = self.largest(kind)
            if worst is not None:
                value = worst.value if np.isfinite(worst.value) else None
                result[kind] = {"value": value, "limit": worst.limit, "part": worst.part, "unit": UNITS[kind]}
        if self.rejected:
            result["rejected"] = dict(self.rejected)
        return result


def _sentence(finding: Finding) -> str:
    unit = UNITS[finding.kind]
    return f"{finding.part} {WHAT[finding.kind]} {finding.value:.3g} {unit} (limit {finding.limit:.2g} {unit})"


def audit(
    model: Model,
    state: State,
    time: float,
    figures: Mapping[str, Any] | None = None,
    quadrature: str = NODES,
) -> Audit:
    """Check an equilibrium.

    time : of prescribed motions, s    figures : of the method's report, for forces on what lines run over
    quadrature : how a method of elements lumps loads at nodes, 'nodes' or 'bars'; CONTINUOUS of lines that are
    """
    quick = quick_findings(model, state, time, quadrature)
    if quick.is_whole and not (model.links.names or model.nets.names):
        return Audit((), quick=quick)
    if not _finite(state):
        return Audit((Finding("force", _not_finite(model, state), np.inf, 1.0),))
    given = figures if figures is not None else {}
    scales, found, netting = scales_of(model, state), [], netting_of(model, state, quadrature)
    found += check_pegs(model, state, scales) if quick.lines else check_lines(model, state, scales, quadrature, given)
    if not quick.points:
        found += check_points(model, state, time, given, scales, netting)
    if not quick.bodies:
        found += check_bodies(model, state, time, given, scales, netting)
    found += check_links(model, state, scales)
    found += check_nets(model, state, netting)
    return Audit(tuple(found), quick=quick)


def _arrays(state: State) -> dict[str, Array]:
    names = ("position", "tension", "node_force", "element_tension", "end_force", "point_position", "body_position",
             "body_quaternion", "net_position")  # fmt: skip
    return {name: getattr(state, name) for name in names}


def _finite(state: State) -> bool:
    return all(bool(np.isfinite(values).all()) for values in _arrays(state).values() if values.size)


def _not_finite(model: Model, state: State) -> str:
    bad = np.flatnonzero(~np.all(np.isfinite(state.position), axis=1))
    if bad.size:
        line = int(np.searchsorted(state.start, bad[0], side="right") - 1)
        return f"line '{model.names.lines[line]}'"
    wrong = next(name for name, values in _arrays(state).items() if not np.all(np.isfinite(values)))
    return f"the system ({wrong.replace('_', ' ')})"
