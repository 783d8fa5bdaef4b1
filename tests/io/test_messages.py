"""Pydantic's errors as sentences: on small classes here, on the whole spec in test_native.py."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ropewalk.errors import Problem
from ropewalk.io.messages import input_error, nearest, one_line, path_text, shown
from ropewalk.io.yaml import load_text


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Piece(Strict):
    length: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    section: str


class Force(Strict):
    force: float


class Spring(Strict):
    spring: float


class Table(Strict):
    kind: Literal["table"]
    strain: tuple[float, ...]


class Polynomial(Strict):
    kind: Literal["polynomial"]
    stiffness: float


class Frame(Strict):
    x: Literal["held", "free"] | Force | Spring = "held"
    count: Annotated[int, Field(le=10)] = 1

    @model_validator(mode="after")
    def _checked(self) -> Frame:
        return self


Law = Annotated[Table | Polynomial, Field(discriminator="kind")]


class Case(Strict):
    pieces: Annotated[tuple[Piece, ...], Field(min_length=1)] = (Piece(length=1, section="a"),)
    joint: Literal["fixed", "free"] | Frame = "fixed"
    law: Law | None = None
    stiffness: Annotated[float, Field(gt=0.0)] | Literal["inextensible"] | Law | None = None
    shape: Table | Polynomial | None = None  # without a discriminator
    vector: tuple[float, float, float] = (0, 0, 0)
    start: Annotated[str | None, Field(alias="from")] = None
    flag: bool = False
    named: dict[Annotated[str, Field(pattern="^[a-z]+$")], float] = {}

    @model_validator(mode="after")
    def _references(self) -> Case:
        if self.start == "value":
            raise ValueError("line 'm1' starts at nothing")
        if self.start == "custom":
            raise PydanticCustomError("reference", "no point {name}", {"name": "'x'"})
        return self


def problems_of(text: str) -> tuple[Problem, ...]:
    document = load_text(text, "case.yaml")
    with pytest.raises(ValidationError) as caught:
        Case.model_validate(document.data)
    return input_error(caught.value, Case, document.data, document.name, document.positions).problems


SENTENCES = [
    (
        "pieces:\n  - section: a\n    lenght: 1",
        "case.yaml:3: pieces[0].lenght: unknown key; did you mean 'length'? Allowed: length, section.",
    ),
    (
        "colour: red",
        "case.yaml:1: colour: unknown key. Allowed: pieces, joint, law, stiffness, shape, vector, from, flag, named.",
    ),
    ("form: a", "case.yaml:1: form: unknown key; did you mean 'from'? Allowed: pieces, joint, law, stiffness, "),
    ("pieces:\n  - {section: a}", "case.yaml:2: pieces[0].length: required key is missing"),
    ("pieces: []", "case.yaml:1: pieces: must have at least 1 entry, not 0"),
    ("pieces: {a: 1}", "case.yaml:1: pieces: must be a list, not a mapping of 1 key"),
    ("pieces: [3]", "case.yaml:1: pieces[0]: must be a mapping, not 3"),
    ("pieces: [{section: 3, length: 1}]", "case.yaml:1: pieces[0].section: must be text, not 3"),
    ("pieces: [{section: a, length: -1}]", "case.yaml:1: pieces[0].length: must be greater than 0, not -1"),
    ("pieces: [{section: a, length: .inf}]", "case.yaml:1: pieces[0].length: must be a finite number, not .inf"),
    ("pieces: [{section: a, length: }]", "case.yaml:1: pieces[0].length: must be a number; the value is empty"),
    (
        "pieces: [{section: a, length: 20 m}]",
        "case.yaml:1: pieces[0].length: must be a number, not '20 m'; "
        "write the number alone, in SI units, with a decimal point",
    ),
    ("vector: [1, 2]", "case.yaml:1: vector: 3 entries are needed, not 2"),
    ("vector: []", "case.yaml:1: vector: 3 entries are needed, not 0"),
    ("vector: [1, 2, 3, 4]", "case.yaml:1: vector: must have at most 3 entries, not 4"),
    ("vector: [1, x, 3]", "case.yaml:1: vector[1]: must be a number, not 'x'"),
    ("flag: maybe", "case.yaml:1: flag: must be true or false, not 'maybe'"),
    ("named: {A1: 1}", "case.yaml:1: named.A1: must match pattern '^[a-z]+$', not 'A1'"),
    ("named: 3", "case.yaml:1: named: must be a mapping, not 3"),
    ("from: value", "case.yaml:1: line 'm1' starts at nothing"),
    ("from: custom", "case.yaml:1: no point 'x'"),
    # unions: one branch only
    ("joint: fixd", "case.yaml:1: joint: 'fixd' is not known; did you mean 'fixed'? Allowed: fixed, free, a mapping."),
    ("joint: 3", "case.yaml:1: joint: must be fixed or free or a mapping, not 3"),
    (
        "joint: {x: hold}",
        "case.yaml:1: joint.x: 'hold' is not known; did you mean 'held'? Allowed: held, free, a mapping.",
    ),
    ("joint: {x: {sprng: 1}}", "case.yaml:1: joint.x.sprng: unknown key; did you mean 'spring'? Allowed: spring."),
    ("joint: {x: {force: a}}", "case.yaml:1: joint.x.force: must be a number, not 'a'"),
    ("joint: {count: 2.5}", "case.yaml:1: joint.count: must be a whole number, not 2.5"),
    ("joint: {count: 11}", "case.yaml:1: joint.count: must be at most 10, not 11"),
    (
        "law: {kind: tabel}",
        "case.yaml:1: law.kind: 'tabel' is not known; did you mean 'table'? Allowed: table, polynomial.",
    ),
    ("law: {kind: 3}", "case.yaml:1: law.kind: must be table or polynomial, not 3"),
    ("law: {strain: [1]}", "case.yaml:1: law.kind: required key is missing. Allowed: table, polynomial."),
    ("law: 3", "case.yaml:1: law: must be a mapping, not 3"),
    ("law: {kind: polynomial}", "case.yaml:1: law.stiffness: required key is missing"),
    ("stiffness: -1", "case.yaml:1: stiffness: must be greater than 0, not -1"),
    (
        "stiffness: inextensibel",
        "case.yaml:1: stiffness: 'inextensibel' is not known; did you mean 'inextensible'? "
        "Allowed: inextensible, a number, a mapping.",
    ),
    ("stiffness: {}", "case.yaml:1: stiffness.kind: required key is missing. Allowed: table, polynomial."),
    ("stiffness: {kind: table, strain: [a]}", "case.yaml:1: stiffness.strain[0]: must be a number, not 'a'"),
    (
        "stiffness: {kind: tabel}",
        "case.yaml:1: stiffness.kind: 'tabel' is not known; did you mean 'table'? Allowed: table",
    ),
    ("shape: {kind: polynomial, stiffnes: 1}", "case.yaml:1: shape.stiffnes: unknown key; did you mean 'stiffness'? "),
    (
        "shape: {kind: polynom, stiffness: 1}",
        "case.yaml:1: shape.kind: 'polynom' is not known; did you mean 'polynomial'? ",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES, ids=[text[:40] for text, _ in SENTENCES])
def test_one_mistake_is_one_sentence(text: str, sentence: str) -> None:
    (problem,) = problems_of(text)
    assert str(problem).startswith(sentence)
    assert len(str(problem)) == len(sentence) or sentence[-1] in " ,e"


def test_mistakes_come_in_the_order_of_the_file() -> None:
    found = problems_of("vector: [a, 1, b]\njoint: {count: x}\npieces:\n  - {length: 0}\n  - 3\n")
    assert [(problem.line, problem.path) for problem in found] == [
        (1, "vector[0]"),
        (1, "vector[2]"),
        (2, "joint.count"),
        (4, "pieces[0].section"),
        (4, "pieces[0].length"),
        (5, "pieces[1]"),
    ]


def test_a_given_key_is_not_suggested_again() -> None:
    (problem,) = problems_of("pieces: [{length: 1, section: a, lengths: 2}]")
    assert problem.message == "unknown key. Allowed: length, section."


def test_more_than_fifty_mistakes_are_counted() -> None:
    found = problems_of("pieces: [" + "1," * 70 + "]")
    assert len(found) == 51
    assert found[-1].message == "(+20 more)"


def test_tens_of_thousands_of_mistakes_are_counted_too() -> None:
    found = problems_of("named: {" + ",".join(f"k{i}: x" for i in range(20_000)) + "}")
    assert len(found) == 51
    assert found[-1].message == "(+39950 more)"  # of each entry the key and the value are wrong


def test_a_file_cannot_put_lines_or_long_text_into_a_sentence() -> None:
    (problem,) = problems_of('flag: "' + "x\\n" * 5000 + '"')
    assert problem.message.isprintable()
    assert len(problem.message) < 100


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        (float("inf"), ".inf"),
        (float("-inf"), "-.inf"),
        (float("nan"), ".nan"),
        ("a\nb", "'a\\nb'"),
        ("x" * 100, "'" + "x" * 37 + "...'"),
        ([], "an empty list"),
        ({}, "an empty mapping"),
        ([1, 2], "a list of 2 entries"),
        (10**100, "1" + "0" * 36 + "..."),
    ],
)
def test_values_are_shown_on_one_short_line(value: Any, text: str) -> None:
    assert shown(value) == text


def test_paths_are_written_with_dots_and_brackets() -> None:
    assert path_text(("lines", "m1", "pieces", 0, "length")) == "lines.m1.pieces[0].length"
    assert path_text(("a", "", "b\n")) == "a.''.'b\\n'"


def test_nearest_spelling_ignores_case_and_gives_up_on_strangers() -> None:
    assert nearest("Lenght", ["length", "section"]) == "length"
    assert nearest("colour", ["length", "section"]) is None


def test_sentences_are_cut_and_cleaned() -> None:
    assert one_line("a\x1b[31m\nb") == "a\\x1b[31m\\nb"
    assert len(one_line("x" * 100_000)) == 400
