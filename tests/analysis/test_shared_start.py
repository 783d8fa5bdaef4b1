"""Starts in common: the same bits as without, found once for cases that are the same at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ropewalk.analysis.run import simulate
from ropewalk.analysis.shared_start import KEPT, Memory, _Copying, rest_key, shared_starts
from ropewalk.model.model import build
from ropewalk.spec.system import System


def case(phase: float = 0.0, **changes) -> System:
    """A chain under a driven fairlead in irregular waves."""
    term = {"direction": [1, 0, 0], "amplitude": 0.8, "omega": 0.9, "phase": phase}
    given = {
        "environment": {"depth": 60, "waves": {"kind": "jonswap", "significant_height": 2.0, "peak_period": 7.0,
                                               "components": 10, "seed": changes.pop("seed", 1)}},
        "sections": {"chain": {"diameter": 0.05, "mass": 50, "axial_stiffness": 2e8, "drag": {"normal": 1.6},
                               "added_mass": {"normal": 1.0}}},
        "points": {"anchor": {"position": [150, 0, -60]},
                   "fairlead": {"position": [0, 0, -5], "joint": "moving",
                                "motion": {"kind": "harmonic", "ramp": changes.pop("ramp", 2.0), "terms": [term]}}},
        "lines": {"m": {"from": "anchor", "to": "fairlead", "elements": changes.pop("elements", 8),
                        "pieces": [{"section": "chain", "length": changes.pop("length", 170.0)}]}},
        "record": {"every": 0.5}, "run": {"duration": 3.0, "solver": "mixed_fem"},
    }  # fmt: skip
    return System.model_validate(given | changes)


def key(system: System) -> bytes | None:
    return rest_key(build(system), 0.0, "")


def test_runs_from_a_shared_start_have_the_bits_of_runs_from_their_own():
    """Second and third case take the start of the first, and go on with waves and motions of their own."""
    cases = [case(), case(phase=1.0), case(phase=2.5, seed=7)]
    alone = [simulate(each) for each in cases]
    with shared_starts() as kept:
        together = [simulate(each) for each in cases]
    assert len(kept.rest) == len(kept.work) == 1
    for one, other in zip(together, alone, strict=True):
        for name in ("position", "tension", "end_force", "energy", "elevation"):
            assert one[name].values.tobytes() == other[name].values.tobytes(), name
        assert one.attrs["doubts"] == other.attrs["doubts"]
        assert one.attrs["system"] == other.attrs["system"]
    assert not np.array_equal(alone[0]["end_force"].values, alone[1]["end_force"].values)


def test_what_changes_the_mooring_at_rest_changes_the_key():
    """Seeds and phases do not; lengths, elements and a motion that begins elsewhere do."""
    same = {key(case()), key(case(phase=1.0)), key(case(phase=4.0)), key(case(seed=3))}
    assert len(same) == 1
    others = [case(length=171.0), case(elements=9), case(ramp=0.0), case(ramp=0.0, phase=1.0)]
    assert len({*same, *map(key, others)}) == 5


def test_motions_count_where_the_number_of_elements_is_open():
    """It follows from where the motions put the ends."""
    assert key(case(elements=None)) != key(case(elements=None, phase=1.0))


def test_loads_that_change_in_time_are_not_shared():
    """A current that grows is another one at each time."""
    current = {"speed": {"kind": "table", "time": [0, 5], "value": [0.1, 0.5]}, "heading": 0}
    assert key(case(environment={"depth": 60, "current": current})) is None


def test_only_the_last_starts_are_kept():
    """Memory stays bounded however many moorings a sweep has."""
    with shared_starts() as kept:
        for k in range(KEPT + 2):
            simulate(case(length=170.0 + 0.1 * k), 0.5)
    assert len(kept.rest) == len(kept.work) == KEPT


def test_a_copy_has_its_own_arrays_but_those_that_cannot_be_written():
    """What one run changes, the next must not see; an array in two places stays one."""
    shared, fixed = np.zeros(3), np.ones(2)
    fixed.flags.writeable = False
    made = _Copying().tree((shared, (shared, fixed), "text"))
    made[0][0] = 5.0
    assert shared[0] == 0.0 and made[1][0] is made[0]
    assert made[1][1] is fixed
    with pytest.raises(ValueError, match="read-only"):
        made[1][1][0] = 2.0


def test_copies_share_memory_where_the_originals_do():
    """Rows of a table that stand beside it in a tuple are rows of its copy, whichever comes first."""
    table = np.arange(12.0).reshape(3, 4)
    rows = table[1].view([("a", "f8"), ("b", "f8"), ("c", "f8"), ("d", "f8")]).view(np.recarray)
    for tree in ((table, rows), (rows, table)):
        parts = _Copying().tree(tree)
        new, row = (parts[0], parts[1]) if tree[0] is table else (parts[1], parts[0])
        row.c[0] = -1.0
        assert new[1, 2] == -1.0
        assert table[1, 2] == 6.0
        assert (type(row), row.dtype) == (np.recarray, rows.dtype)


@dataclass
class Held:
    """Memory of a made-up solver."""

    table: np.ndarray
    note: str = ""


def test_memory_goes_from_case_to_case_with_its_numbers_put_back():
    """The arrays are those of the case before once that is gone, and another copy while it is not."""
    memory = Memory(Held(np.arange(6.0).reshape(2, 3).T))
    first = memory.lend()
    first.table[...], first.note = -1.0, "changed"
    beside = memory.lend()
    assert not np.shares_memory(beside.table, first.table)
    place = beside.table.ctypes.data
    beside.table[...], beside.note = -2.0, "changed"
    del beside
    last = memory.lend()
    assert last.table.ctypes.data == place
    np.testing.assert_array_equal(last.table, memory.found.table)
    assert last.note == "" and first.table[0, 0] == -1.0
