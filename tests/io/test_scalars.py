"""Scalars by the YAML 1.2 core schema, both ways."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ropewalk.io.scalars import NOT_IN_VALUE, resolve_plain, scalar_text

VALUES = [  # YAML 1.2.2, section 10.3.2; the comment says what YAML 1.1 makes of it where that differs
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("nUll", "nUll"),
    ("true", True),
    ("FALSE", False),
    ("tRue", "tRue"),
    ("no", "no"),  # false
    ("on", "on"),  # true
    ("yes", "yes"),  # true
    ("y", "y"),
    ("0", 0),
    ("-7", -7),
    ("+12", 12),
    ("010", 10),  # 8
    ("0o14", 12),  # text
    ("0x1F", 31),
    ("-0x1F", "-0x1F"),
    ("0b101", "0b101"),  # 5
    ("1_000", "1_000"),  # 1000
    ("12:30:45", "12:30:45"),  # 45045
    ("2001-12-14", "2001-12-14"),  # a date
    ("3.27e9", 3.27e9),  # text
    ("1e5", 1e5),  # text
    ("1E-3", 1e-3),
    ("-2.5", -2.5),
    (".5", 0.5),
    ("5.", 5.0),
    ("1.5e+3", 1500.0),
    (".", "."),
    ("-", "-"),
    ("e5", "e5"),
    ("1e", "1e"),
    (".inf", math.inf),
    ("-.INF", -math.inf),
    ("+.Inf", math.inf),
    ("inf", "inf"),
    ("nan", "nan"),
    ("20 m", "20 m"),
    ("٣", "٣"),  # a digit elsewhere, not in YAML
    ("1000000000000000000", 10**18),
    ("0" * 5000 + "7", 7),
    ("0o" + "7" * 19, 8**19 - 1),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text[:20] for text, _ in VALUES])
def test_plain_scalars_follow_the_core_schema(text: str, value: object) -> None:
    found = resolve_plain(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (".nan", ".nan is not a number"),
        (".NaN", ".NaN is not a number"),
        ("1e309", "number 1e309 is too large"),
        ("-1.8e308", "too large"),
        ("1e-400", "too small to be distinguished from 0"),
        ("1000000000000000001", "beyond 10^18"),
        ("0x" + "f" * 40, "beyond 10^18"),
        ("9" * 10_000_000, "beyond 10^18"),
        ("1." + "0" * 500, "400 are allowed"),
    ],
)
def test_numbers_that_cannot_be_used_are_refused_quickly(text: str, sentence: str) -> None:
    begin = time.process_time()
    with pytest.raises(ValueError, match=r"number|integer") as caught:
        resolve_plain(text)
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 150
    assert time.process_time() - begin < 1.0  # int() of ten million digits takes hours


def test_zero_in_any_spelling_is_zero() -> None:
    for text in ("0.0", "0e5", "-0.000e-400", ".0"):
        assert resolve_plain(text) == 0.0


@given(st.one_of(st.none(), st.booleans(), st.integers(-(10**18), 10**18), st.floats(allow_nan=False)))
def test_written_values_read_back(value: float | None) -> None:
    found = resolve_plain(scalar_text(value))
    assert found == value
    assert type(found) is type(value)


def test_numpy_numbers_are_written_as_numbers() -> None:
    assert scalar_text(np.float64(0.1)) == "0.1"


def test_round_floats_are_written_short() -> None:
    assert [scalar_text(x) for x in (2.3e8, 1e5, 0.08, -20.0, 1e-7, 1e22)] == [
        "2.3e+8",
        "100000.0",
        "0.08",
        "-20.0",
        "1e-07",
        "1e+22",
    ]


@pytest.mark.parametrize("value", [math.nan, "bell\x07", "\r", "\ud800", "\u2028", 10**18 + 1])
def test_what_the_reader_refuses_is_not_written(value: object) -> None:
    with pytest.raises(ValueError, match=r"cannot contain|control character|beyond"):
        scalar_text(value)  # type: ignore[arg-type]


@given(st.text())
def test_text_without_quotes_is_text_to_the_reader(text: str) -> None:
    if NOT_IN_VALUE.search(text):
        return
    written = scalar_text(text)
    if not written.startswith('"'):
        assert resolve_plain(written) == text
