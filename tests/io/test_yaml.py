"""The hardened YAML reader: what it accepts, where things stand, and what it refuses in one sentence."""

from __future__ import annotations

import time

import pytest

from ropewalk.errors import InputError, Problem
from ropewalk.io import yaml as reader
from ropewalk.io.yaml import Document, load_bytes, load_file, load_text

PARSERS = pytest.mark.parametrize("fast", [True, False], ids=["libyaml", "python"])


def problems_of(text: str, fast: bool = True) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        load_text(text, "case.yaml", fast=fast)
    return caught.value.problems


def read(text: str, fast: bool = True) -> Document:
    return load_text(text, "case.yaml", fast=fast)


@PARSERS
def test_containers_and_scalars_are_plain_python(fast: bool) -> None:
    text = "a: 1\nb:\n  - x\n  - {c: 2.5, d: [true, null]}\ne: |\n  two\n  lines\nf: '10'\n"
    assert read(text, fast).data == {
        "a": 1,
        "b": ["x", {"c": 2.5, "d": [True, None]}],
        "e": "two\nlines\n",
        "f": "10",
    }


@PARSERS
def test_positions_are_those_of_keys_and_values(fast: bool) -> None:
    places = read("lines:\n  m1:\n    pieces: [{section: rope,\n      length: 22}]\n", fast).positions
    assert places.key(("lines",)) == (1, 1)
    assert places.key(("lines", "m1", "pieces")) == (3, 5)
    assert places.value(("lines", "m1", "pieces")) == (3, 13)
    assert places.key(("lines", "m1", "pieces", 0, "length")) == (4, 7)
    assert places.value(("lines", "m1", "pieces", 0, "length")) == (4, 15)
    assert places.value(("lines", "m1", "pieces", 0)) == (3, 14)


def test_position_of_what_is_not_there_is_that_of_its_surroundings() -> None:
    places = read("a:\n  b: {c: 1}\n").positions
    assert places.key(("a", "b", "x")) is None
    assert places.value(("a", "b", "c", "deeper")) is None
    assert places.nearest(("a", "b", "x", 0)) == (2, 3)
    assert places.nearest(("z",)) == (1, 1)


def test_columns_count_characters_not_bytes() -> None:
    assert read("{å: 1, b: 2}").positions.key(("b",)) == (1, 8)


REFUSED = [  # text, line, column, path, part of the sentence
    ("a: 1\nb: 2\na: 3", 3, 1, "a", "given twice, first on line 1"),
    ("a: {b: 1, 'b': 2}", 1, 11, "a.b", "given twice"),
    ("a: !!str 1", 1, 4, "a", "tags (!...) are not allowed"),
    ("a: !!python/object/apply:os.system [x]", 1, 4, "a", "tags (!...) are not allowed"),
    ("a: ! x", 1, 4, "a", "tags (!...) are not allowed"),
    ("!x {a: 1}", 1, 1, "", "tags (!...) are not allowed"),
    ("%TAG ! tag:x,2000:\n---\na: 1", 1, 1, "", "%TAG is not allowed"),
    ("a: !x!y 1", 1, 4, "", "tags (!...) are not allowed"),
    ("a: &x 1", 1, 4, "a", "anchor &x is not allowed"),
    ("a: [1, *x]", 1, 8, "a[1]", "alias *x is not allowed"),
    ("a: 1\n---\nb: 2", 2, 1, "", "a second document starts here"),
    ("a: {1: x}", 1, 5, "a.1", "key 1 is not text; put a name in quotes; a number takes a decimal point, not a comma"),
    ("true: x", 1, 1, "true", "key true is not text"),
    ("a: 1\n?\n: x", 2, 2, "''", "key (empty) is not text"),
    ("? [a]\n: 1", 1, 3, "", "a key must be text, not a mapping or a list"),
    ("a: {{b: 1}: 2}", 1, 5, "", "a key must be text, not a mapping or a list"),
    ("a: {<<: {b: 1}}", 1, 5, "a", "merge keys << are not allowed"),
    ("a: " + "[" * 50, 1, 53, "", "nested deeper than 50 levels"),
    ("", 1, 1, "", "the file is empty"),
    ("# only a comment\n", 1, 1, "", "the file is empty"),
    ("---\n...\n", 1, 1, "", "the file is empty"),
    ("~", 1, 1, "", "the file is empty"),
    ("- a", 1, 1, "", "the file is a list; a case is a mapping"),
    ("just text", 1, 1, "", "the file is only 'just text'; a case is a mapping"),
    ("a: .nan", 1, 4, "a", ".nan is not a number"),
    ("a: [1, -1e999]", 1, 8, "a[1]", "number -1e999 is too large"),
    ("a: 1\nb: x\x07", 2, 5, "", "character U+0007 is not allowed"),
    ("a: 1\r\nb: \x00", 2, 4, "", "character U+0000 is not allowed"),
    ("a: \u2028", 1, 4, "", "character U+2028 is not allowed"),
    ("a: \ud800", 1, 4, "", "character U+D800 is not allowed"),
    ("a: x\ufeff", 1, 5, "", "character U+FEFF is not allowed"),
    ('a: "\\0"', 1, 4, "a", "contains the character U+0000"),
    ('a: {"\\e[31m": 1}', 1, 5, "a", "contains the character U+001B"),
    ("a: 1\n\tb: 2", 2, 1, "", "not valid YAML"),
    ("a: b: c", 1, 5, "", "a ':' is not expected here"),
    ("a: - b", 1, 4, "", "a '-' is not expected here"),
    ("a: @b", 1, 4, "", "cannot start a value"),
    ('a: "\\q"', 1, 6, "", "a backslash in double quotes starts an escape"),
    ("  a: 1\nb: 2", 2, 1, "", "the text continues after the end of the case"),
    ("a: }", 1, 4, "", "a value is expected here"),
]


@PARSERS
@pytest.mark.parametrize(("text", "line", "column", "path", "sentence"), REFUSED)
def test_refused_with_place_and_sentence(
    text: str, line: int, column: int, path: str, sentence: str, fast: bool
) -> None:
    problem = problems_of(text, fast)[0]
    assert (problem.file, problem.line, problem.path) == ("case.yaml", line, path)
    assert sentence in problem.message
    assert "\n" not in problem.message
    if not problem.message.startswith("not valid YAML"):  # the two parsers point at different columns then
        assert problem.column == column


@PARSERS
@pytest.mark.parametrize("text", ["a: 'x\nb: 1\n", "a: [1, 2\nb: 1\n", "a: {b: 1\nc: [\n", "a: 1\n b\nc", 'a: "\\xZ"'])
def test_syntax_error_is_one_sentence_inside_the_file(text: str, fast: bool) -> None:
    (problem,) = problems_of(text, fast)
    assert problem.message.startswith("not valid YAML: ")
    assert problem.line is not None
    assert 1 <= problem.line <= text.count("\n") + 1


@PARSERS
@pytest.mark.parametrize("text", ['a: "\\U00110000"', 'a: "\\ud800"', "%YAML 1." + "1" * 5000 + "\n---\na: 1"])
def test_escapes_and_versions_out_of_range_are_refused(text: str, fast: bool) -> None:
    """PyYAML's own parser raises bare ValueError for the first and the last."""
    assert problems_of(text, fast)


def test_many_mistakes_come_out_together_and_in_order() -> None:
    found = problems_of("a: .nan\nb: &x 1\nc: {1: 2, d: !t 3}\nb: 99999999999999999999\n")
    assert [(problem.line, problem.path) for problem in found] == [
        (1, "a"),
        (2, "b"),
        (3, "c.1"),
        (3, "c.d"),
        (4, "b"),
        (4, "b"),
    ]


def test_more_than_fifty_mistakes_are_counted() -> None:
    found = problems_of("a: [" + ".nan," * 80 + "]")
    assert len(found) == 51
    assert found[-1].message == "(+30 more)"


def test_the_deepest_allowed_nesting_is_read() -> None:
    entry = read("a: " + "[" * 49 + "]" * 49).data["a"]
    for _ in range(48):
        (entry,) = entry
    assert entry == []


@PARSERS
def test_very_deep_text_is_refused_without_recursion(fast: bool) -> None:
    assert "nested deeper" in problems_of("a: " + "{a: " * 100_000, fast)[0].message


@PARSERS
def test_alias_bomb_is_refused_at_once(fast: bool) -> None:
    """Nine levels of nine aliases: 387 million strings when expanded."""
    levels = ["a0: &a0 [lol,lol,lol,lol,lol,lol,lol,lol,lol]"]
    levels += [f"a{i}: &a{i} [" + ",".join([f"*a{i - 1}"] * 9) + "]" for i in range(1, 9)]
    begin = time.perf_counter()
    assert len(problems_of("\n".join(levels), fast)) == 51
    assert time.perf_counter() - begin < 1.0  # some ms; a second leaves room for a busy machine


def test_values_beyond_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_NODES", 10)
    assert read("a: [" + "1," * 7 + "]").data["a"] == [1] * 7  # with the root, the key and the list: ten
    assert "more than 10 values" in problems_of("a: [" + "1," * 8 + "]")[0].message


def test_utf8_with_and_without_byte_order_mark_is_read() -> None:
    for head in (b"", b"\xef\xbb\xbf"):
        document = load_bytes(head + "title: Ærø\n".encode(), "c")
        assert document.data == {"title": "Ærø"}
        assert document.positions.key(("title",)) == (1, 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(InputError, match="save it as UTF-8"):
        load_bytes("a: 1".encode(encoding), "case.yaml")


def test_invalid_utf8_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match="byte 0xff is not valid UTF-8") as caught:
        load_bytes("a: 1\næ: ".encode() + b"\xff", "case.yaml")
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 4)


@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r"])
def test_all_line_ends_count(break_: str) -> None:
    assert read(f"a: 1{break_}b: 2{break_}").positions.key(("b",)) == (2, 1)


def test_file_is_read_and_named_as_given(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "case.yaml"
    file.write_text("a: [", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_file(file)
    assert str(caught.value).startswith(f"{file}:1: not valid YAML")
    file.write_text("a: 1", encoding="utf-8")
    assert load_file(file).data == {"a": 1}


def test_big_file_is_refused_before_it_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "big.yaml"
    with file.open("wb") as stream:
        stream.truncate(5_000_000_000)  # sparse: takes no room, but would not fit into memory twice
    with pytest.raises(InputError, match=r"5000\.0 MB; the limit is 10 MB"):
        load_file(file)


def test_big_text_is_refused() -> None:
    assert "the limit is 10 MB" in problems_of("# " + "x" * reader.MAX_BYTES)[0].message


def test_what_is_no_file_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="no such file"):
        load_file(tmp_path / "missing.yaml")
    with pytest.raises(InputError, match="is not a file"):
        load_file(tmp_path)
    with pytest.raises(InputError):
        load_file(tmp_path / "nul\0byte.yaml")
