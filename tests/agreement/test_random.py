"""A fixed slice of the random systems that `make fuzz` runs long: audited answers, and methods that agree or doubt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from finer import fine_outcome, finer_outcome
from fuzz import random_case, solve, troubles, twin_outcome
from plain_sums import plain_misses
from random_bar_runs import bar_run_outcome
from random_extras import random_bodies, random_extra, random_extra_run
from random_friction import random_friction
from random_given import given_outcome
from random_jolts import random_jolt
from random_odd import random_odd
from random_runs import at_rest, random_run, run_outcome
from random_webs import random_web
from random_wide import random_wide
from twins import twin_of

import ropewalk as rw

# of every kind; none takes more than a second once its kernels are compiled
# beds that are soft (8400281; 9200018: under a weight), friction of a weight on the bed (8400210; 9300196: on a slope),
# anchors (8400128, 71116104), bars that lift off within their first (70000009), a thick end at the surface (86000045),
# lines that bend on a smooth bed (113000021, 113000028), thin chain between an anchor and thick chain (115003948)
BY_ALL = (3, 8, 10, 11, 13, 25, 28, 29, 34, 35, 8400128, 8400210, 8400281, 9200018, 9300196, 70000009, 71116104,
          86000045, 113000021, 113000028, 115003948)  # fmt: skip
# of the wide kinds, by all methods: bars whose touchdown lies badly (51350030); by auto: most kinds, and a current
# whose profile has a kink at the bottom (51300017), pressure that winds up a line to a free point (97600033), friction
# at anchors on beds on grids (115100170, 115100613, 115100958), a line that floats beside its anchor (115100523)
WIDE_BY_ALL = (51350010, 51350030)
WIDE = (51300017, 97600033, 115100170, 115100523, 115100613, 115100958, *range(18))
# points with drag, on the bed, at the surface, between two buoys; 89500205: a float near the bed, in sheared flow;
# 91500000, 91500206: lines that fold over between two nodes; 91500123: three moorings, of which one hinders another
WEBS = (15, 20, 40, 127, 89500205, 91500000, 91500206, 91500123)
# of each kind; 7000022, 7000047: floats on threads that carry nothing
ODD = (7000022, 7000047, *range(7000000, 7000010))
# scaled by 0.003 to 20, turned, with the ends of lines swapped, with pieces cut in two
TWINS = tuple(range(51400000, 51400012))
# lines that meet on the bed (720006, 720015) and over it (720013), buoys, slopes with currents across
RUBBED = (720006, 720008, 720013, 720015, 720016)
BY_AUTO = (1, 2, 5, 6, 9, 12, 14, 16, 17, 18, 19, 20, 22, 23, 24, 26, 30, 31, 32, 33, 36, 37, 38, 39, 40,
           # weights on the bed: on a slope, with friction; soft beds; at the end of short lines
           934, 946, 52001877, 83000087, 94002111, 94008359,
           94002601)  # fmt: skip  # a slack line that wanders on a slope without friction
# 130: a light line with a winch that floats at the surface; 515148: a weight that is let down to the bed;
# 3300050: friction at an anchor beside a winch; 8300094: line paid out at 25 m/s; 9200378: a line that parts and falls;
# 11180022: line that lies straight and shorter than it is between weights on the bed has no shape, and buckles: what
# the law of slack lines held is no energy that the steps lose (96 % of it)
# of bars: slack netting at rest by each solver (2, 3, 6, 7), flat netting whose twines come and go slack in waves (8),
# lines that lie slack on the bed (12, 20, 110), elastic ones (9200025, 9200124); screens whose corners swing against
# one another (35, 8800067, 11180104); screens along the current (9200117); rhombic mesh by its corners (31180135);
# a start that only motion towards rest finds (90200012), and one that shortened iterations do not (99910152)
BAR_RUNS = (2, 3, 6, 7, 8, 12, 20, 35, 110, 8800067, 9200025, 9200117, 9200124, 11180104, 31180135,
            90200012, 99910152)  # fmt: skip
# 90100218: a line that rises from its anchor on the bed and is hauled in by a winch; 94200070: a winch that slides;
# 97200270: a taut line, half of it inextensible, at rest; 99300467: chain that comes taut along the bed, element by
# element
JOLTS = (0, 1, 3, 4, 37, 47, 57, 79)  # of which 1, 4, 37, 47, 57 and 79 crashed or stopped
RUNS = (1, 2, 3, 4, 5, 6, 130, 515148, 3300050, 8300094, 9200378, 11180022, 90100218, 94200070, 97200270,
        99300467)  # fmt: skip

# anchors in soft beds from which lines rise gently (92000032) or steeply (92000160), a line straight down to the bed
# (92000015), winches (92010041), points that stand on the bed (92010042), a rope folded in mid-water (92020000),
# friction (92030022)
FINER = ((random_case, 92000015), (random_case, 92000032), (random_case, 92000160), (random_wide, 92010041),
         (random_wide, 92010042), (random_web, 92020000), (random_extra, 92030022))  # fmt: skip
# on which Newton's method finds no equilibrium from catenaries: a body (97600002), a free point (97600012), friction
# (97600016), currents (97600055)
FINE = (97600002, 97600012, 97600016, 97600055)


@pytest.mark.parametrize("seed", BY_AUTO)
def test_random_system_has_an_audited_answer(seed):
    result = solve(seed, every=False)
    assert result["outcome"] == "done", result["text"]


@pytest.mark.parametrize("seed", BY_ALL)
def test_methods_agree_on_random_systems(seed):
    """Within 1e-3 of the largest end force, or the error of their mesh, unless a doubt says what is undetermined."""
    result = solve(seed, every=True)
    assert result["outcome"] == "done", result["text"]
    assert [text for text in troubles(result) if "differs" in text or "crashed" in text] == []


@pytest.mark.parametrize("seed", WIDE)
def test_random_system_of_a_wide_kind_has_an_audited_answer(seed):
    """Beds and currents on grids, sheaves, loads and properties along lines, winches, foils, a basin or an ocean."""
    result = solve(seed, every=False, make=random_wide)
    assert result["outcome"] == "done", result["text"]
    assert troubles(result) == []


@pytest.mark.parametrize("seed", WEBS)
def test_random_web_has_an_audited_answer_that_adds_up(seed):
    """Free points and buoys in chains, trees and loops; end forces and points added up by plain_sums.py."""
    result = solve(seed, every=False, make=random_web)
    assert result["outcome"] == "done", result["text"]
    assert troubles(result) == []


@pytest.mark.parametrize("seed", ODD)
def test_random_systems_at_the_edge_have_answers_that_pass(seed):
    """Threads without mass, exact spans, lines that share both ends, nets with bars of less than a twine."""
    result = solve(seed, every=False, make=random_odd)
    assert result["outcome"] == "done", result["text"]
    assert troubles(result) == []


def test_friction_does_not_draw_a_free_tail_to_the_other_side_of_its_anchor():
    """A chain on a sloping bed with a free end lies downhill and down the current of its anchor, also with friction.

    Friction at its limit balances it on the other side as well, 285 m away, at 3 times the tension.
    """
    case = random_web(99570016)
    found = rw.statics(rw.System.model_validate(case), "fem")
    way = np.subtract(*(found.state.point_position[list(case["points"]).index(name)] for name in ("p1", "a3")))
    assert found.audit.passed and way[0] > 0.9 * 163.4  # of 163.4 m; the current and the slope go along x


@pytest.mark.parametrize("seed", WIDE_BY_ALL)
def test_methods_agree_on_systems_of_wide_kinds(seed):
    result = solve(seed, every=True, make=random_wide)
    assert [text for text in troubles(result) if "differs" in text or "crashed" in text] == []


@pytest.mark.parametrize("seed", TWINS)
def test_twins_have_the_same_forces(seed):
    """In other units, turned about the vertical, with lines the other way round: exact references, see twins.py."""
    result = twin_outcome(seed)
    assert result["outcome"] == "done", result["text"]
    assert troubles(result) == []


@pytest.mark.parametrize("which", ["reordered", "swapped", "mirrored"])
@pytest.mark.parametrize("seed", RUBBED)
def test_friction_does_not_depend_on_how_a_file_is_written(seed, which):
    """Lines that meet on the bed, and slack ones: in another order, the other way round, in a mirror.

    On one mesh: where a slack line folds over, and so where it would have shorter elements, is up to round-off.
    """
    case = random_friction(seed)
    for line in case["lines"].values():
        line["elements"] = 50
    twin, back = twin_of(case, which, np.random.default_rng([seed, 7]))
    own, other = (rw.statics(rw.System.model_validate(one), "fem") for one in (case, twin))
    assert ("is left out" in own.report.message) == ("is left out" in other.report.message)
    force = own.state.end_force
    # rounds of friction end at 1e-9 of the forces, Newton's method below
    np.testing.assert_allclose(back(other.state.end_force), force, atol=1e-6 * np.abs(force).max())


@pytest.mark.parametrize("make, seed", FINER)
def test_finer_meshes_give_end_forces_within_the_stated_error(make, seed):
    """Or within 1e-3 of the largest; see finer.py."""
    result = finer_outcome(seed, make)
    assert result["outcome"] == "done", result["text"]
    assert troubles(result) == []
    row = result["methods"]["finer mesh"]
    assert row["apart"] <= row["allowed"]


@pytest.mark.parametrize("seed", FINE)
def test_lines_of_thousands_of_elements_come_to_rest_as_those_of_chosen_ones(seed):
    """Within the sum of the stated errors, or 1e-3 of the largest end force; see finer.py."""
    result = fine_outcome(seed)
    assert result["outcome"] == "done", result["text"]
    row = result["methods"]["chosen mesh"]
    assert row["apart"] <= row["allowed"]


def test_answers_add_up_in_plain_sums_and_others_do_not():
    """The sums of plain_sums.py from file to forces; 2 % more force, or 2 % less height, does not pass."""
    case = random_case(1)
    answer = rw.statics(rw.System.model_validate(case))
    assert plain_misses(case, answer) == []
    state = answer.state
    for name, values in (("end_force", 1.02 * state.end_force), ("position", state.position * [1.0, 1.0, 0.98])):
        wrong = replace(answer, state=state._replace(**{name: values}))
        assert plain_misses(case, wrong) != []


@pytest.mark.parametrize("seed", (52000809, 52001472, 52002628))
def test_lines_at_the_surface_and_slack_ones_add_up_in_plain_sums(seed):
    """A line that floats over elements of 18 m and of 42 m, and one whose slack part has its doubt."""
    result = solve(seed, every=False)
    assert result["outcome"] == "done" and troubles(result) == []


def test_a_rope_with_memory_that_buckles_on_the_bed_has_a_run():
    """Damped motion to its equilibrium went on in steps of 1e-7 s, for minutes."""
    result = run_outcome(11180106, random_extra_run)
    assert result["outcome"] == "done", result["text"]


@pytest.mark.parametrize("seed", RUNS)
def test_random_runs_pass_their_audit(seed):
    result = run_outcome(seed)
    assert result["outcome"] in ("done", "refused"), result["text"]


@pytest.mark.parametrize("seed", JOLTS)
def test_runs_that_begin_with_a_jolt_pass_their_audit(seed):
    """Platforms set aside, lines beyond their limit at once, weights that fall into ropes of bars, sudden motions."""
    result = run_outcome(seed, random_jolt)
    assert result["outcome"] == "done", result["text"]


def test_step_of_recovery_that_makes_energy_is_no_step():
    """A chain that parts and folds on the bed: slack elements that may push for a step unfold in 1e-5 s.

    Its kinetic energy of 29 kJ became 4.8 MJ in one such step, which the ledger booked as negative damping and an
    impact. A free fall from where it hangs ends with 12 m/s.
    """
    system = rw.System.model_validate(random_run(70020088))
    run = rw.simulate(system.replace(record=system.record.replace(every=0.01)), 3.6)
    assert float(np.abs(run.velocity).max()) < 15.0
    assert float(run.energy.sel(term="loss_damping").diff("time").min()) > -50.0  # J, errors of steps, of 100 kJ


@pytest.mark.parametrize("seed", BAR_RUNS)
def test_random_runs_of_bars_pass_their_audit(seed):
    """And stay within 1e-6 of their size where nothing drives them."""
    result = bar_run_outcome(seed)
    assert result["outcome"] == "done", result["text"]


@pytest.mark.parametrize(
    "seed, words",
    [
        (166, "loops of its bars are redundant"),
        (61117030, "line 'l0' is slack at rest"),
        (11180051, "line 'l2' is slack at rest"),
        (31180002, "does not support seabed friction"),
        (31180060, "does not support joints by component"),
        (31180075, "cannot be brought to its length"),
        (31180170, "is slack at rest, and its bars, which carry compression"),
    ],
)
def test_what_the_recursion_cannot_take_is_passed_on_to_a_solver_that_does(seed, words):
    """A rhombic net, moorings and netting so slack that bars which keep their length both ways have no place.

    The solver that the refusal names runs the case and passes its audit.
    """
    result = bar_run_outcome(seed)
    assert result["outcome"] == "passed on" and words in result["text"], result["text"]


@pytest.mark.parametrize("seed", (0, 2, 4, 11, 21, 22, 25, 29, 31, 35, 38, 21180019, 21180183))
def test_runs_start_as_they_are_given(seed):
    """Slack inextensible lines that are given straight (21 to 35), velocities that held ends do not allow (22, 38).

    The former began with 1e14 to 1e48 N, the latter with 200 times the energy that was given. Inextensible pieces
    beside elastic ones, given straight and stretched evenly, closed their gaps with 130 kJ at t = 0 (29). Lines that
    swing back have exchanged what they held in between (2). Steps that could not resolve what a start lets go threw it
    about, up to 100 MJ (21180019); ends on a soft bed were laid into it, away from lines that are given (21180183).
    """
    result = given_outcome(seed)
    assert result["outcome"] == "done", result["text"]


@pytest.mark.parametrize("seed", range(9200000, 9200012))
def test_bodies_without_lines_have_audited_answers(seed):
    """Spheres, columns, several hulls or none, with links of all kinds; `fem` once crashed on such."""
    result = solve(seed, every=True, make=random_bodies)
    assert result["outcome"] == "done", result["text"]
    assert [text for text in troubles(result) if "crashed" in text] == []


@pytest.mark.parametrize("seed", (3, 25, 35))
def test_nothing_moves_where_nothing_drives(seed):
    """From an equilibrium, below 1e-6 of the longest line in 2 s."""
    system = rw.System.model_validate(random_case(seed))
    assert at_rest(system, 2.0) < 1e-6


def test_a_seed_is_a_case():
    assert random_case(12345) == random_case(12345)
    assert random_case(12345) != random_case(12346)
