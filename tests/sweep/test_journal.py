"""The journal of a sweep: whatever is damaged, no wrong row is read, and what is whole is kept."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ropewalk.errors import InputError
from ropewalk.sweep.frames import CRASHED, DONE, FAILED, Outcome, pack, pack_summary, unpack, unpack_summary
from ropewalk.sweep.job import Summary
from ropewalk.sweep.journal import JOURNAL, PLAN, Journal, is_begun, journal_folder

CASES = 12


def summary(case: int) -> Summary:
    made = Summary(labels={"line": ["a", "b"], "end": ["A", "B"]})
    made.add("end_tension", ("line", "end"), np.random.default_rng(case).normal(size=(2, 2)), "N", "tension")
    made.add("residual", (), 1.0 / (case + 1), "N", "residual")
    return made


def outcome(case: int) -> Outcome:
    if case % 5 == 4:
        return Outcome(case, FAILED, f"no balance: {case} N", 0.1, 1)
    return Outcome(case, DONE, "", 0.25, 1, pack_summary(case, summary(case)))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A journal in which all cases have ended."""
    output = tmp_path_factory.mktemp("journal") / "a.nc"
    journal = Journal.create(output, "identity", CASES)
    for case in range(CASES):
        journal.add(outcome(case))
    journal.close()
    return output


def read(output):
    """Entries and rows of a journal, by case."""
    journal = Journal.resume(output, "identity")
    try:
        return {entry["case"]: (entry["status"], row) for entry, row in journal.outcomes()}, journal.trouble
    finally:
        journal.close()


def test_journal_gives_back_what_it_was_given(written):
    found, trouble = read(written)
    assert trouble == 0
    assert sorted(found) == list(range(CASES))
    for case, (status, row) in found.items():
        assert status == outcome(case).status
        if status == DONE:
            for name, (dims, values) in summary(case).variables.items():
                assert row.variables[name][0] == dims
                assert np.array_equal(row.variables[name][1], values)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_never_gives_a_wrong_row(written, tmp_path_factory, data):
    """Bytes changed, cut off or put in, in the journal or in rows."""
    output = tmp_path_factory.mktemp("damage") / "a.nc"
    shutil.copytree(journal_folder(written), journal_folder(output))
    files = sorted(path for path in journal_folder(output).rglob("*") if (path.is_file() and path.name in (JOURNAL,))
                   or path.suffix == ".bin")  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from(files))
        content = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, max(0, len(content) - 1)))
        kind = data.draw(st.sampled_from(["turn", "cut", "put", "double"]))
        if kind == "turn" and content:
            content[at] ^= data.draw(st.integers(1, 255))
        elif kind == "cut":
            del content[at:]
        elif kind == "put":
            content[at:at] = data.draw(st.binary(min_size=1, max_size=20))
        else:
            content += content[at:]
        path.write_bytes(content)
    found, _ = read(output)
    for case, (status, row) in found.items():
        assert status == outcome(case).status
        if status == DONE:
            assert np.array_equal(row.variables["end_tension"][1], summary(case).variables["end_tension"][1])
    # and it can be written on
    journal = Journal.resume(output, "identity")
    for case in set(range(CASES)) - set(journal.ended):
        journal.add(outcome(case))
    journal.close()
    assert sorted(read(output)[0]) == list(range(CASES))
    shutil.rmtree(output.parent)


def test_last_word_on_a_case_counts(tmp_path):
    """A case that crashed and was done later is done; one that is lost is not taken for ended."""
    journal = Journal.create(tmp_path / "a.nc", "identity", 2)
    journal.add(Outcome(0, CRASHED, "SIGKILL"))
    journal.add(Outcome(1, CRASHED, "SIGKILL"))
    assert journal.is_worth_keeping
    journal.add(outcome(0))
    journal.close()
    journal = Journal.resume(tmp_path / "a.nc", "identity")
    journal.forget_lost()
    assert journal.ended == {0: DONE}
    journal.remove()
    assert not journal_folder(tmp_path / "a.nc").exists()


def test_half_a_folder_is_no_stopped_sweep(tmp_path):
    """Killed while it was made or removed: a new sweep takes it over."""
    journal_folder(tmp_path / "a.nc").mkdir()
    assert not is_begun(tmp_path / "a.nc")
    journal = Journal.create(tmp_path / "a.nc", "identity", 2)
    assert is_begun(tmp_path / "a.nc")
    (journal.path / PLAN).unlink()
    journal.close()
    with pytest.raises(InputError, match=r"has no plan.json"):
        Journal.resume(tmp_path / "a.nc", "identity")
    Journal.create(tmp_path / "a.nc", "identity", 2).close()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.dictionaries(st.text(max_size=5), st.integers()), st.binary(max_size=50)), max_size=5),
       st.integers(1, 40))  # fmt: skip
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages, bite):
    stream = b"".join(pack(data, block) for data, block in messages)
    buffer, found = bytearray(), []
    for at in range(0, len(stream), bite):
        buffer += stream[at : at + bite]
        while (message := unpack(buffer)) is not None:
            found.append(message)
    assert found == messages
    assert not buffer


def test_rows_keep_every_bit():
    case, row = unpack_summary(pack_summary(7, summary(7)))
    assert case == 7
    assert row.labels == summary(7).labels
    assert row.attrs == summary(7).attrs
    assert row.variables["residual"][1] == 1.0 / 8.0
