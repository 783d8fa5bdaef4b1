"""The audit's short way agrees with the long one, and passes nothing that the long one rejects."""

from __future__ import annotations

from itertools import product

import numba
import numpy as np
import pytest

import ropewalk as rw
from reference import spar
from ropewalk.analysis.audit import CONTINUOUS, audit
from ropewalk.analysis.audit_lines import check_lines, peg_nodes, scales_of
from ropewalk.analysis.audit_parts import check_bodies, check_points
from ropewalk.analysis.audit_quick import NODES, quick_findings

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
BOX = {"kind": "axisymmetric", "profile": [[-3, 2], [2, 2]], "drag": {"normal": 1.0, "axial": 0.5},
       "ends": {"bottom": {"drag": 1.0}}}  # fmt: skip
BALL = {"kind": "sphere", "centre": [0, 0, 3], "radius": 1.2}
RAFT = {"position": [0, 0, 0], "joint": "free", "mass": 4e4, "centre_of_mass": [0.2, 0, -1], "inertia": [9e4, 9e4, 9e4],
        "hulls": [BOX, BALL], "attachments": {"side": [2.0, 0, 0]},
        "stiffness": (np.diag([3e4, 2e4, 0, 0, 0, 5e5]) + np.diag([1e3] * 3, 3) + np.diag([1e3] * 3, -3)).tolist(),
        "loads": {"force": [300, 100, 0], "moment": [0, 2e3, 1e3]}}  # fmt: skip
PAIR = {"b": RAFT, "c": {**RAFT, "position": [6, 0, 0], "attachments": {"side": [-2.0, 0, 0]}}}


def afloat(bodies: dict, **more) -> rw.System:
    """Bodies without lines.  more : of the case"""
    return rw.System.model_validate({"environment": {"depth": 100}, "bodies": bodies, **more})


FLOATING = {
    "held by stiffness": afloat({"b": RAFT}),
    "in current and wind": afloat(
        {"b": RAFT}, environment={"depth": 100, "current": {"speed": 0.4, "heading": 20}, "wind": {"speed": 12}}),
    "hinged": afloat(PAIR, links={"j": {"kind": "hinge", "between": ["b.side", "c.side"], "axis": [0, 1, 0]}}),
    "on a bar in a current": afloat(
        {**PAIR, "c": {**PAIR["c"], "position": [9, 0, 0]}}, environment={"depth": 100, "current": {"speed": 0.4}},
        links={"j": {"kind": "bar", "between": ["b.side", "c.side"]}}),
}  # fmt: skip
SURVEY = {"kind": "grid", "x": [-50, 100, 250, 450], "y": [-60, 90], "friction": 0.4,
          "depth": [[100, 98, 101, 99], [101, 99, 100, 98]]}  # fmt: skip
RELIEFS = {
    "over a relief": case({"m": line(("rope", 405.0))}, HELD, seabed=SURVEY),
    "on a relief in a current": case({"m": line(("chain", 440.0))}, HELD, seabed=SURVEY, current=CURRENT),
}
METHODS = {name: "shooting" if "current" in name or "power" in name else "catenary" for name in CASES}
METHODS |= {name: "catenary" if name == "held by stiffness" else "fem" for name in FLOATING | RELIEFS}
CASES_AND_FIELDS = {**{name: (system, None) for name, system in (CASES | FLOATING | RELIEFS).items()}, **VARIED}
AVERAGED = ("properties along s", "load by a table")  # over each element, which only the long way does
BY_ELEMENTS = [name for name in CASES_AND_FIELDS if name not in AVERAGED and METHODS.get(name) != "fem"]
ALL = [*((name, False) for name in CASES_AND_FIELDS), *((name, True) for name in BY_ELEMENTS)]


@pytest.fixture(scope="module")
def solved():
    """Equilibria by name and whether they are of elements."""
    found = {}
    for name, of_elements in ALL:
        system, fields = CASES_AND_FIELDS[name]
        method = "fem" if of_elements else METHODS.get(name, "shooting")
        found[name, of_elements] = rw.statics(system, method, fields=fields)
    return found


def quick(rest, state=None):
    """The short way of an equilibrium, or of another state in its place."""
    return quick_findings(rest.model, rest.state if state is None else state, 0.0, quadrature_of(rest))


def quadrature_of(rest) -> str:
    return NODES if rest.method == "fem" else CONTINUOUS


def whole(rest, state=None):
    """All findings of the short way; None if it leaves something open."""
    found = quick(rest, state)
    return found.findings() if found.is_whole else None


def by_long_way(rest, state):
    """All findings of the long way."""
    model, scales = rest.model, scales_of(rest.model, state)
    found = check_lines(model, state, scales, quadrature_of(rest), rest.report.figures)
    found += check_points(model, state, 0.0, rest.report.figures, scales)
    return found + check_bodies(model, state, 0.0, rest.report.figures, scales)


def shares(findings) -> dict[str, float]:
    found: dict[str, float] = {}
    for finding in findings:
        found[finding.kind] = max(found.get(finding.kind, 0.0), finding.share)
    return found


@pytest.mark.parametrize(("name", "of_elements"), ALL)
def test_short_way_finds_what_the_long_way_finds(solved, name, of_elements):
    rest = solved[name, of_elements]
    short = whole(rest)
    assert short is not None
    other = shares(by_long_way(rest, rest.state))
    # both are round-off of the same sums, at most 1e-3 of the limits; the order of sums differs. In a current both stop
    # at steps that pass
    room = 1.0 if rest.method == "shooting" else 1e-4
    for kind, share in shares(short).items():
        assert share == pytest.approx(other[kind], abs=room)


@pytest.mark.parametrize(("name", "of_elements"), ALL)
def test_short_way_passes_nothing_that_the_long_way_rejects(solved, name, of_elements):
    """One number of the state is spoiled at a time, from far below to far beyond what the limits let pass."""
    rest, draw = solved[name, of_elements], np.random.default_rng(1)
    rejected = 0
    fields = ("position", "node_force", "element_tension", "end_force", "point_position", "body_position",
              "body_quaternion", "tension", "link_force", "link_moment")  # fmt: skip
    for field in fields:
        for power in range(-9, -1):
            values = np.array(getattr(rest.state, field))
            if not values.size:
                continue
            scale = rest.model.lines.length.max(initial=1.0) if "position" in field else np.abs(values).max()
            values.reshape(-1)[draw.integers(values.size)] += scale * 10.0**power
            state = rest.state._replace(**{field: values})
            if whole(rest, state) is not None:
                assert all(finding.share <= 1.0 for finding in by_long_way(rest, state))
            else:
                rejected += 1
    # of at least 40, or 16 of bodies alone: the largest changes of all fields but tension
    assert rejected > (8 if rest.model.names.lines else 3)


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("of_elements", "field"),
    [*product([False, True], ["position", "end_force", "tension", "point_position"]),
     (False, "node_force"), (True, "element_tension")],
)  # fmt: skip
def test_numbers_that_are_none_do_not_pass(solved, field, number, of_elements):
    rest = solved["on the bed", of_elements]
    values = np.array(getattr(rest.state, field))
    values.reshape(-1)[0] = number
    state = rest.state._replace(**{field: values})
    assert not audit(rest.model, state, 0.0, rest.report.figures, quadrature_of(rest)).passed


def test_what_the_short_way_does_not_cover_goes_the_long_way(solved):
    """A current that was not there; a wind that is not in balance; a bed that is none; loads averaged over elements."""
    rest = solved["on the bed", False]
    model = rest.model._replace(sea=rest.model.sea._replace(current_speed=1.0))
    assert not quick_findings(model, rest.state, 0.0, CONTINUOUS).lines
    afloat = solved["platform", False]
    windy = afloat.model._replace(sea=afloat.model.sea._replace(wind_speed=10.0))
    found = quick_findings(windy, afloat.state, 0.0, CONTINUOUS)
    assert found.lines and not found.bodies
    up = np.array([0.0, 0.0, 10.0])
    raised = rest.state._replace(position=rest.state.position + up, point_position=rest.state.point_position + up)
    shallow = rest.model._replace(sea=rest.model.sea._replace(depth=90.0))
    assert not quick_findings(shallow, raised, 0.0, CONTINUOUS).lines
    for name in AVERAGED:
        system, fields = CASES_AND_FIELDS[name]
        assert not quick(rw.statics(system, "fem", fields=fields)).lines


def test_lines_over_sheaves_pass_the_short_way_and_their_turns_the_long_one():
    """|n| is the same on both sides of a sheave without friction; the long way has its balance and its place."""
    wire = {"wire": {"diameter": 0.04, "mass": 6.6, "axial_stiffness": 8e7}}
    points = {"a": {"position": [-40, 6, 0]}, "c": {"position": [0, 0, 2]}, "d": {"position": [12, 0, 5]},
              "b": {"position": [12.5, 0, -6], "joint": "free", "mass": 1500}}  # fmt: skip
    hawser = {"from": "a", "to": "b", "over": ["c", "d"], "pieces": [{"section": "wire", "length": 66}]}
    rest = rw.statics(rw.System.model_validate(
        {"environment": {"water_density": 0}, "sections": wire, "points": points, "lines": {"h": hawser}}))  # fmt: skip
    found = quick(rest)
    assert found.lines and not found.points
    assert rest.audit.passed
    nodes = peg_nodes(rest.model, rest.state)
    for field, change in (("node_force", 1e-3), ("position", 1e-3)):
        values = np.array(getattr(rest.state, field))
        values[nodes[1]] *= 1.0 + change
        spoiled = rest.state._replace(**{field: values})
        assert not quick(rest, spoiled).lines
        assert not audit(rest.model, spoiled, 0.0, rest.report.figures, CONTINUOUS).passed
    raised = 1e-3 * np.outer([0, 0, 1, 0], [0, 0, 1])  # the second sheave
    moved = rest.state._replace(point_position=rest.state.point_position + raised)
    assert quick(rest, moved).lines
    assert not audit(rest.model, moved, 0.0, rest.report.figures, CONTINUOUS).passed
