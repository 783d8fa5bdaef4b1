"""Words of column files: numbers as a whole or refused, with their places."""

from __future__ import annotations

import pytest

from ropewalk.errors import InputError
from ropewalk.io.columns import Refused, Word, read_rows, split_rows


def word(text: str) -> Word:
    return Word(text, 3, 7, "lines.txt")


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12.0), ("-1.5", -1.5), (".5", 0.5), ("3.", 3.0), ("1e-3", 1e-3), ("1.5D+02", 150.0), ("2d3", 2000.0)],
)
def test_numbers_are_read_with_fortran_exponents(text: str, value: float) -> None:
    assert word(text).number("EA") == value


@pytest.mark.parametrize(
    "text", ["12.5m", "1,5", "0x10", "1_000", "nan", "-Inf", "1e", "1.0+3", "--1", "١٢", "1e999", "1|2", "1e101"]
)
def test_what_is_no_number_as_a_whole_is_refused_with_line_and_column(text: str) -> None:
    with pytest.raises(Refused) as refused:
        word(text).number("EA")
    problem = refused.value.problem
    assert (problem.file, problem.line, problem.column) == ("lines.txt", 3, 7)
    assert "column 7, EA" in str(problem)


def test_bounds_are_named() -> None:
    with pytest.raises(Refused, match="-1 is below 0"):
        word("-1").number("Mass", least=0.0)
    with pytest.raises(Refused, match="0 must be above 0"):
        word("0").number("UnstrLen", above=0.0)
    with pytest.raises(Refused, match="not a whole number"):
        word("2.0").whole("NumSegs", least=1)


def test_rows_keep_their_lines_through_tabs_crlf_comments_and_blank_lines() -> None:
    rows = list(split_rows("# all comment\r\n1\tchain\t 2 # three\r\n\r\n\t4\r5", "f"))
    assert [[(w.text, w.line, w.column) for w in row.words] for row in rows] == [
        [("1", 2, 1), ("chain", 2, 3), ("2", 2, 10)],
        [("4", 4, 2)],
        [("5", 5, 1)],
    ]


def test_files_that_are_not_text_are_refused(tmp_path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"a\nb\x00c")
    with pytest.raises(InputError, match=r"lines.txt:2: the file is not text"):
        read_rows(path)
    with pytest.raises(InputError, match="no such file"):
        read_rows(tmp_path / "none.txt")


def test_units_in_latin_1_do_not_stop_the_reading(tmp_path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes(b"(m\xb3) 1")
    assert read_rows(path)[0][1].number("V") == 1.0
