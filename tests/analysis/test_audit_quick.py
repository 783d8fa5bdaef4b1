"""The audit's short way agrees with the long one, and passes nothing that the long one rejects."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import ropewalk as rw
from reference import spar
from ropewalk.analysis.audit import CONTINUOUS, audit
from ropewalk.analysis.audit_quick import quick_findings

CHAIN = {"mass": 100.0, "diameter": 0.1, "axial_stiffness": 4e8}
ROPE = {"mass": 12.0, "diameter": 0.1, "axial_stiffness": 2e7}


def case(lines: dict, points: dict, **environment) -> rw.System:
    return rw.System.model_validate(
        {
            "environment": {"depth": 100, **environment},
            "sections": {"chain": CHAIN, "rope": ROPE, "stiff": {**CHAIN, "axial_stiffness": "inextensible"}},
            "points": points,
            "lines": lines,
        }
    )


def line(*pieces: tuple[str, float], to: str = "b", **more) -> dict:
    return {"from": "a", "to": to, "pieces": [{"section": name, "length": length} for name, length in pieces], **more}


HELD = {"a": {"position": [0, 0, -100]}, "b": {"position": [400, 30, -5]}}
FREE = {**HELD, "c": {"position": [200, 0, -40], "joint": "free", "mass": 400, "volume": 0.9}}
CASES = {
    "on the bed": case({"m": line(("chain", 440.0))}, HELD, seabed={"friction": 0.6}),
    "slack on the bed": case({"m": line(("chain", 480.0))}, {**HELD, "b": {"position": [330, 0, -60]}}),
    "taut": case({"m": line(("rope", 405.0))}, HELD),
    "inextensible": case({"m": line(("stiff", 425.0))}, HELD),
    "pieces and a clump": case(
        {"m": line(("chain", 200.0), ("rope", 230.0), attachments=[{"s": 260.0, "mass": 300.0, "volume": 0.05}])}, HELD
    ),
    "free point": case({"m": line(("chain", 230.0), to="c"), "n": {**line(("rope", 215.0)), "from": "c"}}, FREE),
    "moved": case(
        {"m": line(("chain", 440.0))},
        {
            **HELD,
            "b": {
                **HELD["b"],
                "joint": "moving",
                "motion": {"kind": "table", "time": [0, 1], "displacement": [[5, 0, 0], [5, 0, 0]]},
            },
        },
    ),
    "platform": spar(position=[30, 0, 0]),
    "in a current": case({"m": line(("rope", 415.0))}, HELD, current={"speed": 0.8, "heading": 70}),
    "on the bed in a current": case(
        {"m": line(("chain", 440.0))}, HELD, seabed={"friction": 0.6}, current={"speed": 1.0, "heading": 10}
    ),
    "in a table of currents": case(
        {"m": line(("chain", 200.0), ("rope", 230.0), attachments=[{"s": 260.0, "mass": 300.0, "drag_area": 2.0}])},
        HELD,
        current={"speed": 1.0, "profile": {"kind": "table", "z": [-100, -50, 0], "factor": [0.2, 0.2, 0.9]}},
    ),
    "free point in a power law": case(
        {"m": line(("chain", 230.0), to="c"), "n": {**line(("rope", 215.0)), "from": "c"}},
        {**FREE, "c": {**FREE["c"], "drag_area": 3.0}},
        current={"speed": 1.0, "profile": {"kind": "power", "exponent": 0.3}},
    ),
}


BUOY = {"position": [120, 0, 0], "joint": "free", "mass": 60, "volume": 0.15, "drag_area": 0.3}
CURRENT = {"speed": 0.8, "heading": 70}
CLUMP = [{"s": 60.0, "mass": 300.0, "volume": 0.05}]
DRAG = {"normal": {"angle": [0, 30, 90], "value": [1.3, 1.3, 1.2]},
        "tangential": {"reynolds": [1e4, 1e6], "value": [0.06, 0.02]},
        "along_flow": {"law": "sine", "value": 0.3}}  # fmt: skip
GRID = {"kind": "grid", "z": [-100, -50, 0], "time": [0, 60],
        "velocity": [[0.3, 0, 0], [0.7, 0.1, 0], [1, 0.3, 0], [0, 0.3, 0], [0.2, 0.6, 0], [0.8, 0.4, 0]]}  # fmt: skip
TAPER = {"s": [0, 100, 300, 440], "mass": [12, 14, 14, 10], "diameter": [0.1, 0.11, 0.11, 0.09],
         "axial_stiffness": [2e7, 2.5e7, 2.5e7, 1.5e7]}  # fmt: skip
POLYNOMIAL = {"kind": "polynomial", "stiffness": 2e7, "coefficients": [20.0]}
TABLE = {"kind": "table", "strain": [0, 1e-3, 1e-2], "tension": [0, 1e4, 3e5]}


@numba.njit
def eddy(r, t):
    return np.array([-r[1], r[0] - 20.0, 0.0]) * 0.002


@numba.njit
def push(s, r, tangent, t):
    return 20.0 + 0.1 * s, 5.0, 0.02 * r[0]


def nylon(strain):
    return 5e6 * (strain + 4.0 * strain**2)


def made_of(section: dict, length: float = 425.0, points: dict = HELD, fields=None, **environment):
    """A line of one section, and functions.  environment : as of `case`"""
    system = case({"m": line(("chain", length))}, points, **environment)
    return system.replace("sections.chain", section), fields


def loaded(*loads: dict, fields=None, **environment):
    return case({"m": line(("rope", 425.0), loads=list(loads))}, HELD, seabed={"kind": "none"}, **environment), fields


VARIED = {
    "polynomial law": made_of({**ROPE, "axial_stiffness": POLYNOMIAL}),
    "table law": made_of({**ROPE, "axial_stiffness": TABLE}),
    "law by a function": made_of(ROPE, fields={"laws": {"chain": nylon}}, seabed={"kind": "none"}),
    "properties along s": made_of({"diameter": 0.1, "along": TAPER}, 440.0, seabed={"kind": "none"}, current=CURRENT),
    "drag by angle": made_of({**ROPE, "drag": DRAG}, seabed={"kind": "none"}, current=CURRENT),
    "current on a grid": made_of(ROPE, seabed={"kind": "none"}, current={"speed": 0.8, "profile": GRID}),
    "current by a function": made_of(ROPE, fields={"current": eddy}, seabed={"kind": "none"}),
    "pressure": loaded({"kind": "pressure", "axis": [0, 1, 0], "value": 40.0}),
    "turning frame": loaded({"kind": "rotating", "axis": [0, 0, 1], "rate": 0.3, "origin": [0, 0, 0]}),
    "load by a table": loaded(
        {"kind": "table", "s": [90, 100, 300], "force": [[0, 30, 0], [20, 0, 0], [20, 0, 5]]}, current=CURRENT
    ),
    "load by a function": loaded(fields={"loads": {"m": push}}),
    "through the surface": (case({"m": line(("rope", 425.0))}, {**HELD, "b": {"position": [400, 30, 15]}}), None),
    "through the surface in a current": (
        case({"m": line(("rope", 425.0))}, {**HELD, "b": {"position": [400, 30, 15]}}, current=CURRENT), None),
    "buoy at the surface in a current": (
        case({"m": line(("rope", 160.0))}, {"a": HELD["a"], "b": BUOY}, current={"speed": 0.2}), None),
    "clump on a rough bed": (
        case({"m": line(("chain", 440.0), attachments=CLUMP)}, HELD, seabed={"friction": 0.6}), None),
    "clump on a smooth bed": (
        case({"m": line(("chain", 440.0), attachments=CLUMP)}, HELD, seabed={"friction": 0.0}), None),
    "clump on the bed in a current": (
        case({"m": line(("chain", 440.0), attachments=CLUMP)}, HELD, seabed={"friction": 0.6}, current=CURRENT), None),
}  # fmt: skip
METHODS = {name: "shooting" if "current" in name or "power" in name else "catenary" for name in CASES}
CASES_AND_FIELDS = {**{name: (system, None) for name, system in CASES.items()}, **VARIED}


@pytest.fixture(scope="module")
def solved():
    return {name: rw.statics(system, METHODS.get(name, "shooting"), fields=fields)
            for name, (system, fields) in CASES_AND_FIELDS.items()}  # fmt: skip


def whole(model, state):
    """All findings of the short way; None if it leaves something open."""
    quick = quick_findings(model, state)
    return quick.found if quick.is_whole else None


def shares(findings) -> dict[str, float]:
    found: dict[str, float] = {}
    for finding in findings:
        found[finding.kind] = max(found.get(finding.kind, 0.0), finding.share)
    return found


@pytest.mark.parametrize("name", CASES_AND_FIELDS)
def test_short_way_finds_what_the_long_way_finds(solved, name):
    rest = solved[name]
    short = whole(rest.model, rest.state)
    assert short is not None
    long = audit(rest.model, rest.state, 0.0, rest.report.figures)
    other = shares(long.findings)
    # both are round-off of the same sums, at most 1e-3 of the limits; the order of sums differs. In a current one
    # takes eight steps of fourth order where the other stops at two that pass
    room = 1e-4 if rest.method == "catenary" else 1.0
    for kind, share in shares(short).items():
        assert share == pytest.approx(other[kind], abs=room)


@pytest.mark.parametrize("name", CASES_AND_FIELDS)
def test_short_way_passes_nothing_that_the_long_way_rejects(solved, name):
    """One number of the state is spoiled at a time, from far below to far beyond what the limits let pass."""
    rest, draw = solved[name], np.random.default_rng(1)
    rejected = 0
    fields = ("position", "node_force", "end_force", "point_position", "body_position", "body_quaternion", "tension")
    for field in fields:
        for power in range(-9, -1):
            values = np.array(getattr(rest.state, field))
            if not values.size:
                continue
            scale = rest.model.lines.length.max() if "position" in field else np.abs(values).max()
            values.reshape(-1)[draw.integers(values.size)] += scale * 10.0**power
            state = rest.state._replace(**{field: values})
            if whole(rest.model, state) is not None:
                assert audit(rest.model, state, 0.0, rest.report.figures).passed
            else:
                rejected += 1
    assert rejected > 8  # of at least 40: the largest changes of all fields but tension


@pytest.mark.parametrize("field", ["position", "node_force", "end_force", "tension", "point_position"])
def test_numbers_that_are_none_do_not_pass(solved, field):
    rest = solved["on the bed"]
    values = np.array(getattr(rest.state, field))
    values.reshape(-1)[0] = np.nan
    state = rest.state._replace(**{field: values})
    assert not audit(rest.model, state, 0.0, rest.report.figures, CONTINUOUS).passed


def test_what_the_short_way_does_not_cover_goes_the_long_way(solved):
    """A current that was not there; a wind on a body; a bed that is none."""
    rest = solved["on the bed"]
    model = rest.model._replace(sea=rest.model.sea._replace(current_speed=1.0))
    assert whole(model, rest.state) is None
    afloat = solved["platform"]
    windy = afloat.model._replace(sea=afloat.model.sea._replace(wind_speed=10.0))
    assert quick_findings(windy, afloat.state).found is not None and whole(windy, afloat.state) is None
    up = np.array([0.0, 0.0, 10.0])
    raised = rest.state._replace(position=rest.state.position + up, point_position=rest.state.point_position + up)
    assert whole(rest.model._replace(sea=rest.model.sea._replace(depth=90.0)), raised) is None
