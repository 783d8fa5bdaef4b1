"""Lines side by side in vector registers: the same motion as one by one, whatever shares the register."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from mixed_cases import harmonic, oc3

from ropewalk.methods.mixed.solver import MixedFem
from ropewalk.methods.mixed.walks import FIRST_HALF, SECOND_HALF, WHOLE, plan_walks
from ropewalk.model.model import Model, build
from ropewalk.model.state import initial_state
from ropewalk.spec.system import System

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="lanes are of compiled code")

TIMES = np.arange(0.5, 6.1, 0.5)
CHAIN = {"diameter": 0.08, "mass": 40.0, "axial_stiffness": 2e8, "damping": 0.01,
         "drag": {"normal": 1.6, "tangential": 0.1}, "added_mass": {"normal": 1.0, "tangential": 0.1}}  # fmt: skip
ROPE = {**CHAIN, "mass": 12.0, "axial_stiffness": "inextensible", "damping": 0.02}


def spread(elements: dict[str, int], joint: str = "moving", order: list[str] | None = None, **environment) -> Model:
    """A platform on lines of chain and inextensible rope, in waves and current, on a bed with friction."""
    motion = harmonic(([1, 0, 0], 1.5, 7.0), ([0, 0, 1], 0.8, 6.0), ramp=2.0)
    places = {name: 0.4 + 2.0 * np.pi * k / len(elements) for k, name in enumerate(sorted(elements))}
    body = {"mass": 2e5, "inertia": [4e6, 4e6, 4e6], "position": [0, 0, 0], "joint": joint,
            "attachments": {name: [3 * np.cos(a), 3 * np.sin(a), -4] for name, a in places.items()}}  # fmt: skip
    if joint == "free":
        body |= {"hull": {"kind": "axisymmetric", "profile": [[-6.0, 3.3], [4.0, 3.3]]}}
    else:
        body |= {"motion": motion}
    names = order or sorted(elements)
    return build(System.model_validate({
        "environment": {"depth": 60, "seabed": {"friction": 0.5, "stiffness": 1e6, "damping": 1e5},
                        "current": {"speed": 0.6, "heading": 30},
                        "waves": {"kind": "regular", "height": 2.0, "period": 7.0, "ramp": 2.0}, **environment},
        "sections": {"chain": CHAIN, "rope": ROPE},
        "points": {name: {"position": [140 * np.cos(a), 140 * np.sin(a), -60]} for name, a in places.items()},
        "bodies": {"hull": body},
        "lines": {name: {"from": name, "to": f"hull.{name}", "elements": elements[name],
                         "pieces": [{"section": "chain", "length": 90}, {"section": "rope", "length": 70}]}
                  for name in names},
    }))  # fmt: skip


def in_air() -> Model:
    """A slack chain between two points in air, one of them shaken: elements go slack and come taut."""
    motion = harmonic(([1, 0, 0.3], 1.2, 2.0), ramp=0.5)
    return build(System.model_validate({
        "environment": {"water_density": 0, "seabed": {"kind": "none"}},
        "sections": {"chain": {"diameter": 0.02, "mass": 2.0, "axial_stiffness": 1e6, "damping": 0.02}},
        "points": {"a": {"position": [0, 0, 0]}, "b": {"position": [8, 0, 1], "joint": "moving", "motion": motion}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 9, "pieces": [{"section": "chain", "length": 10}]}},
    }))  # fmt: skip


def lying() -> Model:
    """A line at the surface: half of it floats and is in and out of the water, half lies on the bed."""
    motion = harmonic(([0, 0, 1], 0.6, 5.0), ramp=1.0)
    return build(System.model_validate({
        "environment": {"depth": 5, "waves": {"kind": "regular", "height": 0.5, "period": 4.0, "ramp": 1.0}},
        "sections": {"rope": {**CHAIN, "mass": 3.0}, "chain": CHAIN},
        "points": {"a": {"position": [20, 0, -5]},
                   "b": {"position": [-12, 3, 0.3], "joint": "moving", "motion": motion}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 15, "pieces": [{"section": "chain", "length": 18},
                                                                            {"section": "rope", "length": 17}]}},
    }))  # fmt: skip


CASES = {
    "one line in two halves": lambda: oc3(15),
    "halves that go slack in air": in_air,
    "halves at the surface and on the bed": lying,
    "two lines in four halves": lambda: spread({"a": 10, "b": 13}),
    "three lines, one of them short": lambda: spread({"a": 14, "b": 9, "c": 14}),
    "one line on a free body": lambda: spread({"a": 10}, joint="free"),
    "two lines on a free body": lambda: spread({"a": 11, "b": 9}, joint="free"),
    "five lines, the last in halves": lambda: spread({"a": 10, "b": 11, "c": 12, "d": 10, "e": 10}),
    "three lines on a free body": lambda: spread({"a": 10, "b": 12, "c": 10}, joint="free"),
}


def marched(model: Model, **settings):
    """Report, and positions, tensions and end forces of a run at TIMES."""
    solver = MixedFem(ledger=False, **settings)
    work = solver.start(model, initial_state(model))
    passage = solver.march(model, work, TIMES)
    assert passage.report.good
    return passage.report, passage.moments.fields, work


def furthest(one, other, name: str) -> float:
    """Largest difference of a field as a share of the largest value."""
    return float(np.abs(one[name] - other[name]).max() / np.abs(other[name]).max())


@pytest.mark.parametrize("case", CASES)
def test_side_by_side_moves_as_one_by_one_at_fixed_steps(case):
    """Same equations, solved in another order: round-off of the elimination, and Newton's rest of 1e-7 a step."""
    model = CASES[case]()
    _, together, work = marched(model, step=0.05)
    assert work.steps.memory.walks.allowed[0] == 1
    _, alone, other = marched(model, step=0.05, lanes=False)
    assert other.steps.memory.walks.allowed[0] == 0
    assert furthest(together, alone, "position") < 1e-9
    # tensions of stiff lines follow from lengths: 1e-9 of a position times EA over the tension
    assert furthest(together, alone, "end_force") < 1e-8


@pytest.mark.parametrize("case", CASES)
def test_the_ledger_of_lines_side_by_side_is_that_of_lines_one_by_one(case):
    """Every term at every moment: the same forces along the same ways, summed in another order."""
    model, found = CASES[case](), []
    for lanes in (True, False):
        solver = MixedFem(step=0.05, damping=0.02, lanes=lanes)
        work = solver.start(model, initial_state(model))
        assert work.steps.memory.walks.booked.in_use[0] == lanes
        found.append(solver.march(model, work, TIMES).energy)
    together, alone = found
    # positions differ by up to 1e-9 (see above); 1e-13 was found, of the largest of all terms
    scale = max(np.abs(values).max() for values in alone.values())
    for name, values in alone.items():
        np.testing.assert_allclose(together[name], values, rtol=0.0, atol=1e-11 * scale, err_msg=name)
    assert np.abs(alone["loss_drag"]).max() > 1e-4 * scale or case == "halves that go slack in air"
    assert np.abs(alone["closure"]).max() < 1e-5 * scale


def test_halves_that_do_not_stretch_meet_to_round_off():
    """Equilibrium: a straight line, inextensible but for its last piece, pulled by 20 MN, stays at rest.

    The middle was solved for by the compliance of each half, next to nothing for the first one: single tensions were
    wrong by up to 1e-5 of themselves, and steps fell below 1e-7 s.
    """
    model = build(System.model_validate({
        "environment": {"depth": 20, "seabed": {"kind": "none"}, "current": {"speed": 1.1}},
        "sections": {"rope": {**ROPE, "mass": 85.0}, "spring": {**CHAIN, "axial_stiffness": 1.6e8}},
        "points": {"a": {"position": [0, 0, -2]}, "b": {"position": [1, 4.62, -3]}},
        "lines": {"l": {"from": "a", "to": "b", "elements": 50, "pieces": [{"section": "rope", "length": 4.48},
                                                                            {"section": "spring", "length": 0.31}]}},
    }))  # fmt: skip
    solver = MixedFem(step=0.01)
    work = solver.start(model, initial_state(model))
    assert work.steps.memory.walks.part[0, :2].tolist() == [FIRST_HALF, SECOND_HALF]
    before = work.steps.now.T.copy()
    assert before.min() > 1e7  # N
    assert solver.advance(model, work, 0.2).good
    assert work.steps.count[0].failed == 0
    np.testing.assert_allclose(work.steps.now.T, before, rtol=1e-12)  # round-off; 1e-5 before


def test_a_ledger_of_lines_side_by_side_goes_on_from_a_snapshot():
    """Forces of the last step are among what is kept: the same bits as without a stop, on a bed with friction."""
    model, solver = spread({"a": 14, "b": 9, "c": 14}), MixedFem()
    work = solver.start(model, initial_state(model))
    assert solver.advance(model, work, 3.0).good
    other = solver.restore(model, solver.snapshot(work))
    energy = [solver.march(model, each, TIMES[6:]).energy for each in (work, other)]
    assert other.steps.memory.walks.booked.in_use[0] == 1
    for name, values in energy[0].items():
        np.testing.assert_array_equal(energy[1][name], values, err_msg=name)


def test_side_by_side_takes_the_same_steps_where_the_program_chooses_them():
    """Steps and iterations follow from errors far above round-off."""
    model = spread({"a": 14, "b": 9, "c": 14})
    one, together, _ = marched(model)
    other, alone, _ = marched(model, lanes=False)
    assert one.figures["steps"] == other.figures["steps"]
    # the tolerance of a step is 3e-3, of Newton's method 3e-5
    assert furthest(together, alone, "end_force") < 1e-5


def test_bits_of_a_line_do_not_depend_on_its_neighbours():
    """Lines of a held platform know nothing of each other: the same bits in any order and any lane."""
    counts = {"a": 12, "b": 12, "c": 12, "d": 12}
    found = {}
    for order in (["a", "b", "c", "d"], ["d", "b", "a", "c"], ["c", "d", "b", "a"]):
        model = spread(counts, order=order)
        _, fields, work = marched(model, step=0.1)
        assert work.steps.memory.walks.used.tolist() == [4]
        for k, name in enumerate(order):
            found.setdefault(name, set()).add(fields["end_force"][:, k].tobytes())
    assert {name: len(bits) for name, bits in found.items()} == dict.fromkeys(counts, 1)


def test_lines_with_what_lanes_cannot_do_go_alone():
    """Attachments, a relief, loads on a line: these lines or meshes have no walks."""
    plain = spread({"a": 10, "b": 10, "c": 10})
    work = MixedFem().start(plain, initial_state(plain))
    assert plan_walks(work.mesh).alone.tolist() == [0, 0, 0]
    lumped = work.mesh.node.copy()
    lumped[3].volume = 0.1
    assert plan_walks(work.mesh._replace(node=lumped)).alone.tolist() == [1, 0, 0]
    with_law = work.mesh.element.copy()
    with_law.law[12] = 2
    assert plan_walks(work.mesh._replace(element=with_law)).alone.tolist() == [0, 1, 0]
    relief = work.mesh.bed._replace(x=np.zeros(4))
    assert plan_walks(work.mesh._replace(bed=relief)).start.tolist() == [0]


def test_walks_end_in_one_row_and_halves_share_the_middle_node():
    """Layout: a shorter walk begins later; the middle node has its mass in the first half only."""
    model = oc3(15)
    walks = MixedFem().start(model, initial_state(model)).steps.memory.walks
    assert walks.part[0, :2].tolist() == [FIRST_HALF, SECOND_HALF]
    rows = walks.node[: 2 * walks.taken.shape[0]].reshape(-1, 2)
    assert rows[:, 0].tolist() == list(range(9))
    assert rows[:, 1].tolist() == [15, *range(15, 7, -1)]  # the second half is shorter by an element
    assert walks.taken[:, :2].sum(axis=0).tolist() == [8, 7]
    assert walks.counts[16:18].tolist() == [1.0, 0.0]
    lines = spread({"a": 14, "b": 9, "c": 14}, joint="free")
    walks = MixedFem().start(lines, initial_state(lines)).steps.memory.walks
    assert walks.used.tolist() == [3] and set(walks.part[0, :3].tolist()) == {WHOLE}
    assert sorted(walks.taken[:, :3].sum(axis=0).tolist()) == [8, 13, 13]


def test_every_node_and_element_of_lines_side_by_side_goes_back_once():
    """Halves share their middle node; what rows repeat to fill a vector is nobody's."""
    for model in (oc3(15), spread({"a": 14, "b": 9, "c": 14}), spread({"a": 10, "b": 11, "c": 9}, joint="free")):
        work = MixedFem().start(model, initial_state(model))
        walks, mesh = work.steps.memory.walks, work.mesh
        ends = np.concatenate([mesh.node_start[:-1], mesh.node_start[1:] - 1])
        assert sorted(walks.moved[:, 1]) == sorted(set(range(mesh.s.size)) - set(ends.tolist()))
        assert sorted(walks.pulled[:, 1]) == list(range(mesh.element.shape[0]))
