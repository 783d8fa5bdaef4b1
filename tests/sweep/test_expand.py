"""A sweep file to its cases: right ones in order, wrong ones refused with file and line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_cases import mooring, write_sweep

import ropewalk as rw
from ropewalk.errors import InputError
from ropewalk.io.netcdf import open_results
from ropewalk.sweep.expand import plan_of, read_sweep
from ropewalk.sweep.factors import latin_hypercube
from ropewalk.sweep.run import make_plan

DEPTH, MASS, LENGTH = "environment.depth", "sections.chain.mass", "lines.east.pieces.0.length"


def test_grid_changes_the_last_factor_fastest():
    plan = plan_of(mooring(), {DEPTH: [100.0, 101.0], MASS: [140.0, 141.0, 142.0]}, do="static")
    assert [tuple(plan.changes(case).values()) for case in range(len(plan))] == [
        (depth, mass) for depth in (100.0, 101.0) for mass in (140.0, 141.0, 142.0)
    ]


def test_zip_takes_levels_side_by_side():
    plan = plan_of(mooring(), {DEPTH: [100.0, 101.0], MASS: [140.0, 141.0]}, do="static", combine="zip")
    assert [tuple(plan.changes(case).values()) for case in range(len(plan))] == [(100.0, 140.0), (101.0, 141.0)]


def test_case_is_the_base_with_its_keys_changed():
    plan = plan_of(mooring(), {LENGTH: [460.0], "bodies.platform.position.0": [5.0]}, do="static")
    system = plan.system(0)
    assert system.lines["east"].pieces[0].length == 460.0
    assert system.lines["west"].pieces[0].length == 450.0
    assert system.bodies["platform"].position == (5.0, 0.0, 0.0)
    assert mooring().lines["east"].pieces[0].length == 450.0


def test_several_keys_take_one_value_or_one_each():
    keys = ("lines.east.pieces.0.length", "lines.west.pieces.0.length")
    plan = plan_of(mooring(), {keys: [455.0, [460.0, 465.0]]}, do="static")
    assert [list(plan.changes(case).values()) for case in (0, 1)] == [[455.0, 455.0], [460.0, 465.0]]


def test_coordinates_are_the_shortest_unique_tails():
    keys = ("environment.waves.heading", "environment.wind.heading", "bodies.platform.position.0", DEPTH, "lines.a.end")
    from ropewalk.sweep.expand import RESERVED, _names

    assert list(_names(keys, RESERVED).values()) == ["waves.heading", "wind.heading", "position.0", "depth", "a.end"]


def test_factor_of_a_part_with_a_space_in_its_name_is_read_back_as_a_coordinate(tmp_path):
    """NetCDF lists coordinates with spaces between their names."""
    system = mooring()
    points = {"stern anchor": system.points["west"], "east": system.points["east"]}
    lines = {**system.lines, "west": system.lines["west"].replace({"from": "stern anchor"})}
    keys = {"points.stern anchor.position.2": [-100.0, -99.0], "points.east.position.2": [-100.0, -99.0]}
    file = tmp_path / "o.nc"
    rw.sweep(system.replace({"points": points, "lines": lines}), keys, do="static", combine="zip", jobs=1, output=file)
    with open_results(file) as result:
        assert {"stern_anchor.position.2", "east.position.2"} < set(result.coords)


def test_missing_parts_on_the_way_are_made():
    plan = plan_of(mooring(), {"environment.current.speed": [0.5, 1.0]}, do="static")
    assert [plan.system(case).environment.current.speed for case in (0, 1)] == [0.5, 1.0]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 5), st.integers(1, 4))
def test_latin_hypercube_has_one_point_in_every_slice(samples, seed, factors):
    bounds = {(f"k{i}",): (float(i), float(i + 2)) for i in range(factors)}
    rows = np.array(latin_hypercube(bounds, samples, seed).rows)
    for i, column in enumerate(rows.T):
        slices = np.floor((column - i) / 2.0 * samples).astype(int)
        assert sorted(slices) == list(range(samples))


def test_uniform_factors_are_drawn_together_and_crossed_with_the_rest():
    vary = [{"key": DEPTH, "values": [100.0, 101.0]}, {"key": MASS, "uniform": [130.0, 150.0]},
            {"key": LENGTH, "uniform": [445.0, 455.0]}]  # fmt: skip
    plan = plan_of(mooring(), vary, do="static", samples=5, seed=3)
    assert len(plan) == 10
    again = plan_of(mooring(), vary, do="static", samples=5, seed=3)
    assert plan.identity == again.identity
    assert plan.identity != plan_of(mooring(), vary, do="static", samples=5, seed=4).identity


def test_range_includes_its_end(tmp_path):
    plan = read_sweep(write_sweep(tmp_path, "  - {key: environment.depth, range: [100, 110, 2.5]}\n"))
    assert [plan.changes(case)[DEPTH] for case in range(len(plan))] == [100.0, 102.5, 105.0, 107.5, 110.0]
    plan = read_sweep(write_sweep(tmp_path, "  - {key: environment.depth, range: [100, 102]}\n"))
    assert [plan.changes(case)[DEPTH] for case in range(len(plan))] == [100, 101, 102]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_table_has_a_case_per_row(tmp_path, kind):
    rows = [[DEPTH, "note", LENGTH], [100, "calm", 450], [101.5, "storm", 455]]
    path = tmp_path / f"cases.{kind}"
    if kind == "csv":
        path.write_text("\n".join(";".join(map(str, row)) for row in rows))
    else:
        from openpyxl import Workbook

        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)
    vary = f"  - {{table: {path.name}, columns: {{{DEPTH}: {DEPTH}, {LENGTH}: {LENGTH}}}}}\n"
    plan = read_sweep(write_sweep(tmp_path, vary))
    assert [plan.changes(case) for case in range(len(plan))] == [{DEPTH: 100, LENGTH: 450}, {DEPTH: 101.5, LENGTH: 455}]


def test_broken_lines_are_gone():
    plan = plan_of(mooring(), [{"broken": "each"}], do="static")
    assert [list(plan.system(case).lines) for case in range(len(plan))] == [["east", "west"], ["west"], ["east"]]
    assert plan.names == {"broken": "broken"}


def test_broken_lines_part_at_a_time():
    plan = plan_of(mooring(), [{"broken": [None, "west"], "time": 30.0}], do="static")
    assert plan.system(0).lines["west"].break_ is None
    parting = plan.system(1).lines["west"].break_
    assert (parting.time, parting.s) == (30.0, 450.0)


WRONG = {
    "no such part": ("  - {key: lines.esat.pieces.0.length, values: [1]}\n", 5, "did you mean"),
    "no such key": ("  - {key: environment.depht, values: [100]}\n", 5, "did you mean 'depth'"),
    "no such top key": ("  - {key: enviroment.depth, values: [100]}\n", 5, "did you mean 'environment'"),
    "no such entry": ("  - {key: lines.east.pieces.3.length, values: [1]}\n", 5, "Available: 0 to 0"),
    "through a number": ("  - {key: environment.depth.x, values: [1]}\n", 5, "has no parts"),
    "bad value": ("  - key: environment.depth\n    values:\n      - 100\n      - -5\n", 8, "greater than 0"),
    "two factors": ("  - {key: environment.depth, values: [1]}\n  - {key: environment.depth, values: [1]}\n", 6,
                    "two factors"),
    "key twice": ("  - {key: [environment.depth, environment.depth], values: [1]}\n", 5, "appears twice"),
    "empty values": ("  - {key: environment.depth, values: []}\n", 5, "is empty"),
    "empty": ("  []\n", 4, "at least 1"),
    "two sources": ("  - {key: environment.depth, values: [1], range: [1, 2]}\n", 5, "exactly one of"),
    "no key": ("  - {values: [1]}\n", 5, "needs a key"),
    "empty range": ("  - {key: environment.depth, range: [5, 1]}\n", 5, "no values"),
    "no table": ("  - {table: none.csv}\n", 5, "cannot be read"),
    "missing column": ("  - {table: t.csv, columns: {environment.depth: depth}}\n", 5, "no column 'depth'"),
    "no samples": ("  - {key: environment.depth, uniform: [100, 101]}\n", 1, "samples"),
    "broken as a key": ("  - {key: broken, values: [east]}\n", 5, "{broken: each}"),
    "no such line": ("  - {broken: [wset]}\n", 5, "did you mean 'west'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_told_with_file_and_line_and_nothing_is_written(tmp_path, name):
    vary, line, words = WRONG[name]
    (tmp_path / "t.csv").write_text("environment.depth\n100\n")
    path = write_sweep(tmp_path, vary)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as error:
        make_plan(path, None, {})
    problem = error.value.problems[0]
    assert words in problem.message
    assert (problem.file, problem.line) == (str(path), line)
    assert sorted(tmp_path.iterdir()) == before


def test_cell_without_a_value_is_told_with_the_line_of_the_table(tmp_path):
    (tmp_path / "t.csv").write_text("environment.depth\n100\n\n101,\n102\n")
    (tmp_path / "u.csv").write_text("environment.depth,sections.chain.mass\n100,140\n101,\n")
    with pytest.raises(InputError, match=r"u.csv:3: no value in column 'sections.chain.mass'"):
        read_sweep(write_sweep(tmp_path, "  - {table: u.csv}\n"))
    assert len(read_sweep(write_sweep(tmp_path, "  - {table: t.csv}\n"))) == 3


def test_zip_of_unequal_factors_is_refused(tmp_path):
    vary = "  - {key: environment.depth, values: [100]}\n  - {key: sections.chain.mass, values: [140, 141]}\n"
    with pytest.raises(InputError, match=r"sweep.yaml:4: combine: combine: zip needs .* they have 1, 2"):
        read_sweep(write_sweep(tmp_path, vary, "combine: zip\n"))


def test_run_needs_a_duration_longer_than_its_ramp(tmp_path):
    path = write_sweep(tmp_path, "  - {key: environment.depth, values: [100]}\n")
    path.write_text(path.read_text().replace("do: static", "do: run"))
    with pytest.raises(InputError, match="do: run needs"):
        make_plan(path, None, {})


def test_broken_lines_go_or_part():
    """Without a time the line goes, and with it the free point that nothing else holds; with one it parts at end B."""
    from ropewalk.sweep.breaks import break_line

    system = mooring().replace(
        {
            "points.clump": {"position": [200.0, 50.0, -90.0], "joint": "free", "mass": 10.0},
            "lines.stray": {"from": "east", "to": "clump", "pieces": [{"section": "chain", "length": 150.0}]},
        }
    )

    def broken(name, time=None):
        data = system.model_dump(mode="python", by_alias=True, exclude_unset=True)
        break_line(data, name, time)
        return type(system).model_validate(data)

    assert list(broken("west").lines) == ["east", "stray"]
    assert "clump" not in broken("stray").points
    assert "clump" in broken("west").points
    parting = broken("east", 12.0).lines["east"].break_
    assert (parting.time, parting.s) == (12.0, 450.0)
