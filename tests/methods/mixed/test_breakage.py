"""Lines that part in the mixed elements: free fall of what is cut off, what stays, the event, the energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixed_cases import march, settle
from numpy.testing import assert_allclose

from ropewalk.errors import InputError
from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.model.model import Model, build
from ropewalk.spec.lines import Line
from ropewalk.spec.system import System

G, MASS = 9.81, 10.0


def hanging(stiffness: float | str, **line: Any) -> Model:
    """30 m of line in air with 200 kg at its lower end."""
    return build(
        System.model_validate(
            {
                "environment": {"gravity": G, "water_density": 0},
                "sections": {
                    "rope": {"diameter": 0.05, "mass": MASS, "axial_stiffness": stiffness, "damping": 0.01},
                },
                "points": {
                    "top": {"position": [0, 0, 0]},
                    "low": {"position": [0, 0, -30], "joint": "free", "mass": 200.0},
                },
                "lines": {
                    "l": {
                        "from": "top",
                        "to": "low",
                        "elements": 10,
                        "pieces": [{"section": "rope", "length": 30}],
                        **line,
                    }
                },
            }
        )
    )


def moored(lines: dict[str, Any], tug: bool = True) -> Model:
    """A ring between two lines; the tug moves 3 m away over 10 s."""
    motion = {"kind": "table", "time": [0.0, 10.0], "displacement": [[0, 0, 0], [3.0, 0, 0]]}
    return build(
        System.model_validate(
            {
                "environment": {"gravity": G, "water_density": 0},
                "sections": {"rope": {"diameter": 0.05, "mass": MASS, "axial_stiffness": 1e6, "damping": 0.01}},
                "points": {
                    "left": {"position": [-49, 0, 0]},
                    "ring": {"position": [0, 0, -5], "joint": "free", "mass": 50.0},
                    "tug": {"position": [20, 0, 0], "joint": "moving", "motion": motion}
                    if tug
                    else {"position": [23, 0, 0]},
                },
                "lines": lines,
            }
        )
    )


@pytest.mark.parametrize("s", [0.0, 10.0, 30.0])
def test_what_is_cut_off_falls_and_what_is_left_hangs(s: float) -> None:
    """Inextensible line parted at 1 s: z = -g t^2 / 2 below, the weight of the stub above."""
    states, report = march(hanging("inextensible", **{"break": {"s": s, "time": 1.0}}), MixedFem(), [1.0, 2.0, 3.0])
    low = np.array([state.point_position[1, 2] for state in states])
    # one step of 1 s is exact for a parabola; the loose element pulls with 1e-9 of the weight
    assert_allclose(low - low[0], [0.0, -0.5 * G, -2.0 * G], atol=1e-6)
    # breaks at an end part the element there: half of it stays on the other side
    left = {0.0: 1.5, 10.0: 10.0, 30.0: 28.5}[s]
    assert_allclose(-states[-1].end_force[0, 0, 2], MASS * G * left, rtol=1e-6)
    assert report.figures["parted"] == [f"line 'l' parted at t = 1 s, s = {s:g} m"]
    assert report.figures["energy_closure"] < 1e-6


def test_elastic_energy_of_the_parted_element_is_in_the_ledger() -> None:
    """T^2 L / 2 EA of the 3 m around s = 10 m, whose tension is the weight below its middle."""
    _, report = march(hanging(1e6, **{"break": {"s": 10.0, "time": 1.0}}), MixedFem(tolerance=1e-3), [1.0, 3.0])
    tension = (200.0 + 20.0 * MASS) * G
    energy = report.figures["energy"]
    # the nodes around carry half elements, so the element's tension is that at its middle
    assert_allclose(energy["loss_break"], 0.5 * tension**2 / 1e6 * 3.0, rtol=1e-6)
    assert report.figures["energy_closure"] < 1e-3


def test_a_stretched_line_that_parts_recoils_with_the_energy_it_had() -> None:
    """The wave of release leaves motion for strain; until it arrives, the anchor pulls a stub by T: momentum T t."""
    stiffness, length, tension = 1e8, 100.0, 5e5
    speed = np.sqrt(stiffness / MASS)  # of the wave, 3.2 km/s
    line = {"from": "a", "to": "b", "elements": 40, "pieces": [{"section": "rope", "length": length}]}
    case = {
        "environment": {"gravity": 0.0, "water_density": 0},
        "sections": {"rope": {"diameter": 0.05, "mass": MASS, "axial_stiffness": stiffness}},
        "points": {
            "a": {"position": [0, 0, 0]},
            "b": {"position": [length * (1.0 + tension / stiffness), 0, 0]},
        },
        "lines": {"l": {**line, "break": {"s": 0.49 * length, "time": 0.1}}},  # in the element before the middle
    }
    model = build(System.model_validate(case))
    running = 0.4 * length / speed  # s, before it arrives
    states, report = march(model, MixedFem(), [0.1, 0.1 + running, 0.3])
    strained = 0.5 * tension**2 / stiffness * length
    energy = report.figures["energy"]
    assert_allclose(energy["loss_break"], strained / 40, rtol=1e-6)
    # steps in which the wave passes an element take 0.2 %; steps of 2 ms took a third
    assert abs(energy["loss_numerics"] + energy["loss_impact"]) < 0.01 * strained
    momentum = MASS * length / 40 * states[1].velocity[:20, 0].sum()
    # a step is a sixteenth of that time, and the first one takes a fifth of itself to let go: 1.2 %
    assert_allclose(momentum, -tension * running, rtol=0.02)


def test_a_line_parts_where_its_tension_reaches_the_limit() -> None:
    """The tug pulls until the left line parts; what remains comes to rest as if it had always been alone."""
    rope = {"elements": 10, "pieces": [{"section": "rope", "length": 50}]}
    towed = {"from": "ring", "to": "tug", "elements": 10, "pieces": [{"section": "rope", "length": 20}]}
    model = moored({"a": {"from": "left", "to": "ring", **rope, "break": {"tension": 2e4}}, "t": towed})
    solver = MixedFem(tolerance=1e-3, damping=0.3)
    states, report = march(model, solver, [5.0, 60.0])
    assert states[0].tension.max() < 2e4
    (event,) = report.figures["parted"]
    assert event.startswith("line 'a' parted at t = ")
    time = float(event.split("t = ")[1].split(" s")[0])
    # the step in which the limit is passed is cut until it is passed by less than 1e-3
    before, _ = march(model, solver, [time - 1e-3])
    assert_allclose(before[0].tension[:10].max(), 2e4, rtol=0.02)
    # the element that parted is the first: half of it stays on the anchor, nine and a half hang on the ring
    stub = {"from": "end", "to": "ring", "elements": 9, "pieces": [{"section": "rope", "length": 45}]}
    alone = {
        "environment": {"gravity": G, "water_density": 0},
        "sections": {"rope": {"diameter": 0.05, "mass": MASS, "axial_stiffness": 1e6}},
        "points": {
            "end": {"position": [23, 0, -67], "joint": "free", "mass": 25.0},
            "ring": {"position": [23, 0, -20], "joint": "free", "mass": 50.0},
            "tug": {"position": [23, 0, 0]},
        },
        "lines": {"a": stub, "t": towed},
    }
    rest_report, rest = settle(build(System.model_validate(alone)))
    assert rest_report.good
    # 0.3 1/s of damping for 50 s leaves 1e-3 of the swing
    assert_allclose(states[-1].end_force[1, 1], rest.end_force[1, 1], atol=0.02 * np.abs(rest.end_force).max())


def test_a_line_parts_wherever_in_a_step_its_tension_reaches_the_limit() -> None:
    """Steps to where it parts are shorter than the one that passes it, however little: some runs went on for ever."""
    rope = {"elements": 10, "pieces": [{"section": "rope", "length": 50}]}
    towed = {"from": "ring", "to": "tug", "elements": 10, "pieces": [{"section": "rope", "length": 20}]}
    for limit in np.linspace(1.2e4, 2e4, 17):
        model = moored({"a": {"from": "left", "to": "ring", **rope, "break": {"tension": float(limit)}}, "t": towed})
        _, report = march(model, MixedFem(ledger=False), np.arange(0.25, 10.1, 0.25))
        assert len(report.figures["parted"]) == 1


@pytest.mark.parametrize("limit", (1.3e4, 1.7e4, 2e4))
def test_fixed_steps_are_cut_where_a_line_parts(limit) -> None:
    """As adaptive steps find it; the same fixed step was tried for ever."""
    rope = {"elements": 10, "pieces": [{"section": "rope", "length": 50}]}
    towed = {"from": "ring", "to": "tug", "elements": 10, "pieces": [{"section": "rope", "length": 20}]}
    model = moored({"a": {"from": "left", "to": "ring", **rope, "break": {"tension": limit}}, "t": towed})
    times = []
    for solver in (MixedFem(step=0.05), MixedFem(tolerance=1e-4)):
        _, report = march(model, solver, np.arange(0.25, 10.1, 0.25))
        (event,) = report.figures["parted"]
        times.append(float(event.split("t = ")[1].split(" s")[0]))
    assert_allclose(times[0], times[1], atol=0.05)  # a step


def test_a_line_beyond_its_limit_at_the_start_parts_there_at_once() -> None:
    """The load alone is twice the limit: the steps were cut towards a moment that lay behind them, below 1e-7 s."""
    _, report = march(hanging(1e6, **{"break": {"tension": 1e3}}), MixedFem(), [1.0])
    assert report.good
    assert report.figures["parted"] == ["line 'l' parted at t = 0 s, s = 1.5 m"]


def test_mistakes_are_named() -> None:
    """A break needs a cause, a place for a time, and a place on the line."""
    line = {"from": "a", "to": "b", "pieces": [{"section": "rope", "length": 20.0}]}
    with pytest.raises(InputError, match="a break needs a time or a tension"):
        Line.model_validate({**line, "break": {"s": 1.0}})
    with pytest.raises(InputError, match="a break at a given time needs s"):
        Line.model_validate({**line, "break": {"time": 1.0}})
    with pytest.raises(InputError, match="beyond the line's"):
        Line.model_validate({**line, "break": {"s": 21.0, "time": 1.0}})
