"""Meshes of mixed elements that are chosen by their error, and what they say of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ropewalk.analysis.run import simulate
from ropewalk.analysis.statics import statics
from ropewalk.assembly.grading import focused
from ropewalk.assembly.mesh_error import change_of_mesh
from ropewalk.methods.mixed import accuracy
from ropewalk.methods.mixed.nested import meshed_as, resettled, with_mesh_times
from ropewalk.methods.mixed.report import read_state
from ropewalk.methods.mixed.statics import MixedFemStatics
from ropewalk.model.arrays import put, records
from ropewalk.model.lines import FOCUS
from ropewalk.spec.system import System


def chain(span: float, elements: int | None = None, accuracy: float | None = None) -> System:
    """A chain of 850 m in 200 m of water, as those of VolturnUS-S."""
    line: dict[str, Any] = {"from": "a", "to": "f", "pieces": [{"section": "chain", "length": 850}]}
    return System.model_validate(
        {
            "environment": {"depth": 200},
            "sections": {"chain": {"diameter": 0.333, "mass": 685, "axial_stiffness": 3.27e9}},
            "points": {"a": {"position": [0, 0, -200]}, "f": {"position": [span, 0, -14]}},
            "lines": {"l": line if elements is None else {**line, "elements": elements}},
            "statics": {} if accuracy is None else {"accuracy": accuracy},
        }
    )


@pytest.mark.parametrize("span", [700.0, 780.0, 815.0])
@pytest.mark.parametrize("accuracy", [1e-2, 1e-3])
def test_end_tensions_are_as_good_as_stated_and_as_wanted(span: float, accuracy: float) -> None:
    """Against 1600 elements, on the same elastic bed."""
    found, fine = statics(chain(span, accuracy=accuracy), "fem"), statics(chain(span, 1600), "fem").state
    tensions, exact = (np.linalg.norm(state.end_force[0], axis=1) for state in (found.state, fine))
    stated = found.report.figures["discretisation_error"]
    assert stated <= accuracy == found.report.figures["accuracy"]
    # the touchdown moves between nodes as elements get shorter, so the order is 2 on the average only
    assert np.abs(tensions - exact).max() < 2.0 * max(stated, 2e-4) * exact.max()


def test_elements_that_are_given_are_kept_and_their_error_stated() -> None:
    """10 elements of 85 m miss by percents, and say so."""
    found, fine = statics(chain(780.0, 10, 1e-6), "fem"), statics(chain(780.0, 1600), "fem").state
    assert found.state.s.size == 11
    tensions, exact = (np.linalg.norm(state.end_force[0], axis=1) for state in (found.state, fine))
    assert_allclose(
        found.report.figures["discretisation_error"], np.abs(tensions - exact).max() / exact.max(), rtol=1.0
    )


def test_runs_state_the_error_of_their_mesh_at_rest() -> None:
    """In the attributes of the result, on as many elements as it takes."""
    coarse, fine = simulate(chain(700.0), 0.1), simulate(chain(700.0, accuracy=1e-3), 0.1)
    assert float(coarse.attrs["discretisation_error"]) < 1e-2
    assert float(fine.attrs["discretisation_error"]) < 1e-3
    assert fine.sizes["node"] > coarse.sizes["node"] or float(coarse.attrs["discretisation_error"]) < 1e-3


def test_mesh_of_a_run_is_judged_by_the_range_of_its_forces() -> None:
    """Heave of 2 m changes the tension of this chain by 6 %: a mesh that is good to 1 % of the tension will not do."""
    case = chain(780.0).model_dump(mode="json", by_alias=True, exclude_unset=True)
    end = case["points"]["f"]
    places = [{**case, "points": {**case["points"], "f": {"position": [780, 0, -14 + up]}}} for up in (-2, 2)]
    low, high = (statics(System.model_validate(place), "catenary").line("l")["max_tension"] for place in places)
    term = {"direction": [0, 0, 1], "amplitude": 2.0, "omega": 0.6}
    end |= {"joint": "moving", "motion": {"kind": "harmonic", "ramp": 10, "terms": [term]}}
    held, moved = simulate(chain(780.0), 0.1), simulate(System.model_validate(case), 0.1)
    wanted = 1e-2 * (high - low) / high
    assert float(moved.attrs["discretisation_error"]) < wanted < float(held.attrs["discretisation_error"])
    assert moved.sizes["node"] > held.sizes["node"]


def across(elements: int | None, payout: dict[str, Any] | None = None, accuracy: float = 1e-2) -> System:
    """A rope from an anchor to a point 36 m over the bed, across a current that grows with the height."""
    line: dict[str, Any] = {"from": "a", "to": "f", "pieces": [{"section": "r", "length": 120}]}
    line |= {} if elements is None else {"elements": elements}
    return System.model_validate(
        {
            "environment": {"depth": 40, "current": {"speed": 1.5, "heading": 90,
                                                     "profile": {"kind": "power", "exponent": 1 / 7}}},
            "sections": {"r": {"diameter": 0.03, "mass": 1.4, "axial_stiffness": 4e5, "drag": {"normal": 1.5}}},
            "points": {"a": {"position": [0, 0, -40]}, "f": {"position": [112, 0, -4]}},
            "lines": {"l": line if payout is None else {**line, "payout": payout}},
            "statics": {"accuracy": accuracy},
        }
    )  # fmt: skip


@pytest.mark.parametrize("elements", [25, 50, 100])
def test_error_in_a_current_that_falls_to_nothing_at_the_anchor_is_stated(elements: int) -> None:
    """Drag on the first half element is that at the anchor, none: order 1 + 2/7, against 1600 elements."""
    found, fine = statics(across(elements), "fem"), statics(across(1600), "fem").state
    away, force = (np.linalg.norm(x, axis=2).max() for x in (found.state.end_force - fine.end_force, fine.end_force))
    # 1600 elements leave 1 % of the error of 50, 3 % of that of 100; 4/3 of the change would be 0.78 of the error
    assert_allclose(found.report.figures["discretisation_error"], accuracy.MARGIN * away / force, rtol=0.05)


def test_less_error_than_by_default_is_met_with_more_elements() -> None:
    """1.24e-4 is left by 400 elements, the most by default; against 3200."""
    found, fine = statics(across(None, accuracy=1e-4), "fem"), statics(across(3200), "fem").state
    away, force = (np.linalg.norm(x, axis=2).max() for x in (found.state.end_force - fine.end_force, fine.end_force))
    assert found.state.s.size == 801
    assert away / force <= found.report.figures["discretisation_error"] <= 1e-4


def test_the_mesh_of_least_error_remains_if_none_is_good_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 50, 100, 200 and 400 elements: friction that is found on one of them only makes the next look worse."""
    errors, judge = iter([0.5, 0.02, 0.3, 0.1]), accuracy.finer

    def worse(*arguments: Any) -> Any:
        found = judge(*arguments)
        return None if found is None else found._replace(error=found.error._replace(force=next(errors)))

    monkeypatch.setattr(accuracy, "finer", worse)
    found = statics(across(None), "fem")
    assert found.state.s.size == 101
    assert found.report.figures["discretisation_error"] == 0.02


WINCH = {"end": "B", "time": [0.0, 10.0], "length": [0.0, 2.0]}


@pytest.mark.parametrize("elements, payout", [(50, WINCH), (4200, None)])
def test_runs_with_winches_or_thousands_of_elements_state_the_error_of_their_mesh(elements: int, payout: Any) -> None:
    """As statics do at their start."""
    system = across(elements, payout)
    run, rest = simulate(system, 0.1), statics(system, "fem")
    # both take the same two meshes; in the run line passes the winch, which feels 0.2 % of the change by it
    assert_allclose(float(run.attrs["discretisation_error"]), rest.report.figures["discretisation_error"], rtol=1e-2)


@pytest.mark.parametrize("heave", [0.0, 3.0])
def test_stiffness_of_chains_on_the_bed_is_the_mean_over_meshes(heave: float) -> None:
    """VolturnUS-S by the closed form; one mesh of 50 elements alone has K33 8 % off, one way or the other."""
    arms = [[np.cos(a), np.sin(a)] for a in np.pi + 2.0 * np.pi / 3.0 * np.arange(3)]
    eyes = {f"e{i}": [58.0 * x, 58.0 * y, -14.0] for i, (x, y) in enumerate(arms)}
    body = {"mass": 1e6, "inertia": [1e9] * 3, "position": [0, 0, heave], "joint": "fixed", "attachments": eyes}
    system = System.model_validate(
        {
            "environment": {"depth": 200},
            "sections": {"chain": {"diameter": 0.333, "mass": 685, "axial_stiffness": 3.27e9}},
            "points": {f"a{i}": {"position": [837.6 * x, 837.6 * y, -200]} for i, (x, y) in enumerate(arms)},
            "bodies": {"b": body},
            "lines": {
                f"l{i}": {"from": f"a{i}", "to": f"b.e{i}", "pieces": [{"section": "chain", "length": 850}]}
                for i in range(3)
            },
        }
    )
    exact, by_elements = statics(system, "catenary").stiffness, statics(system, "fem")
    found = by_elements.stiffness
    assert exact is not None and found is not None
    assert 2e-3 < by_elements.summary["stiffness_error"] < 3e-2
    # elements 0.7 %, and the elastic bed 0.3 %
    assert_allclose(np.diag(found[0])[:3], np.diag(exact[0])[:3], rtol=1.5e-2)


def test_damped_motion_finds_what_newton_finds() -> None:
    """A line sagging onto the bed in a current, by both."""
    system = System.model_validate(
        {
            "environment": {"depth": 50, "current": {"speed": 0.2}},
            "sections": {"c": {"diameter": 0.1, "mass": 20, "axial_stiffness": 1e8, "drag": {"normal": 1.0}}},
            "points": {"a": {"position": [0, 0, -30]}, "b": {"position": [60, 0, -30]}},
            "lines": {"l": {"from": "a", "to": "b", "elements": 60, "pieces": [{"section": "c", "length": 85}]}},
        }
    )
    newton, damped = statics(system, "fem").state, statics(system, "relax").state
    assert_allclose(damped.end_force, newton.end_force, atol=1e-6 * np.abs(newton.end_force).max())
    assert_allclose(damped.position, newton.position, atol=1e-5)


def test_damped_motion_leaves_an_equilibrium_on_a_knife_edge() -> None:
    """Two bars with pins hold a weight up or down alike, but up it falls over to the side."""
    system = System.model_validate(
        {
            "environment": {"water_density": 0, "seabed": {"kind": "none"}},
            "sections": {"c": {"diameter": 0.02, "mass": 1.0, "axial_stiffness": 1e6, "compression": True}},
            "points": {
                "a": {"position": [0, 0, 0]},
                "p": {"position": [1, 0, 1.1], "joint": "free", "mass": 5.0},
                "b": {"position": [2, 0, 0]},
            },
            "lines": {
                "l": {"from": "a", "to": "p", "elements": 1, "pieces": [{"section": "c", "length": 1.5}]},
                "r": {"from": "p", "to": "b", "elements": 1, "pieces": [{"section": "c", "length": 1.5}]},
            },
        }
    )
    state = statics(system, "relax").state
    # the bars of 1e6 N give by 0.1 mm
    assert_allclose(state.point_position[1], [1.0, 0.0, -np.sqrt(1.5**2 - 1.0)], atol=1e-3)


def test_stiffness_by_one_mesh_has_no_scatter_where_nothing_lies_on_the_bed() -> None:
    """A taut tether: one mesh is enough, and the error of its stiffness is not stated."""
    system = System.model_validate(
        {
            "environment": {"depth": 100},
            "sections": {"c": {"diameter": 0.1, "mass": 9, "axial_stiffness": 1e8}},
            "points": {"a": {"position": [0, 0, -100]}},
            "bodies": {
                "b": {"mass": 1.0, "inertia": [1, 1, 1], "position": [0, 0, -10], "joint": "fixed",
                      "attachments": {"e": [0, 0, 0]}}
            },
            "lines": {"l": {"from": "a", "to": "b.e", "pieces": [{"section": "c", "length": 89.9}]}},
        }
    )  # fmt: skip
    stiffness = statics(system, MixedFemStatics()).stiffness
    assert stiffness is not None
    assert_allclose(stiffness[0, 2, 2], 1e8 / 89.9, rtol=1e-6)


@pytest.mark.parametrize("elements", [10, 13, 17, 24])
def test_rope_that_hangs_down_and_up_states_the_error_of_its_fold(elements: int) -> None:
    """Ends 10 m above one another, 50 m of rope: w (L + h) / 2 hangs at the upper one, w (L - h) / 2 at the lower.

    The fold falls within an element; half of its length shows up at one end or the other, whatever halving it changes.
    """
    rope = {"diameter": 0.02, "mass": 2.0, "axial_stiffness": 1e7}
    line = {"from": "up", "to": "low", "elements": elements, "pieces": [{"section": "rope", "length": 50.0}]}
    case = {
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"rope": rope},
        "points": {"up": {"position": [0, 0, 0]}, "low": {"position": [0, 0, -10]}},
        "lines": {"l": line},
    }
    found = statics(System.model_validate(case), "fem")
    exact = 2.0 * 9.81 * np.array([30.0, 20.0])
    miss = np.abs(-found.state.end_force[0, :, 2] - exact).max() / exact[0]
    assert miss <= found.report.figures["discretisation_error"] + 1e-4  # stretched by up to 6e-5


DEFECTS = Path(__file__).parents[2] / "defects"


@pytest.mark.parametrize("name", ["seed690", "det_seed45", "seed574", "seed0", "clump_on_bed", "slack_current"])
def test_folds_and_points_on_the_bed_have_shorter_elements_around_them(name: str) -> None:
    """The default accuracy of 1 % is met; 400 elements of a piece, the most everywhere, left up to 17 %.

    The stated error holds against elements four times shorter everywhere, sought from the equilibrium on the first.
    """
    found = statics(System.from_file(DEFECTS / f"{name}.yaml"), "fem")
    fine = resettled(with_mesh_times(meshed_as(found.model, found.solved[1]), 4.0), found.solved[1], 0.0)
    assert fine is not None
    stated = found.report.figures["discretisation_error"]
    # limits of a piece were 50 elements at first; what focuses add is as many again
    assert stated <= 1e-2 and found.state.s.size < 150 * len(found.system.lines)
    assert change_of_mesh(found.state, read_state(found.model, fine)).force <= stated


def test_elements_at_a_focus_are_as_short_as_it_requires() -> None:
    """0.1 m within 1 m of s = 30 m, growing by half a metre per metre; the given nodes stay."""
    given = np.linspace(0.0, 100.0, 11)
    focus = records(1, FOCUS)
    put(focus, s=30.0, longest=0.1, reach=1.0)
    s = focused(given, focus)
    length, away = np.diff(s), np.maximum(0.0, np.maximum(s[:-1] - 30.0, 30.0 - s[1:]) - 1.0)
    assert set(given) <= set(s)
    assert np.all(length <= 0.1 + 0.5 * away)
    # halved once more than needed at most, but for the first ones
    assert np.all(length >= np.minimum(10.0, 0.2 * (0.1 + 0.5 * away)))


def test_meshes_too_large_to_be_halved_are_judged_by_a_coarser_one() -> None:
    """Beyond 4,000 elements no finer mesh is tried; the error was then missing without a word."""
    found = statics(chain(780.0, 4100), "fem")
    assert 0.0 < found.report.figures["discretisation_error"] < 1e-4
