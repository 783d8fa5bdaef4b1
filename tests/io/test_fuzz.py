"""Whatever is fed to the reader, only InputError comes out, and what it accepts can be written and read back."""

from __future__ import annotations

import copy
import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ropewalk.errors import InputError
from ropewalk.io.native import read_text, write_case
from ropewalk.io.scalars import NOT_IN_VALUE, scalar_text
from ropewalk.io.yaml import load_bytes, load_text
from ropewalk.spec.system import System

SEEDS = [path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "cases").glob("*.yaml"))]
DATA = [load_text(text, "seed").data for text in SEEDS]

NASTY_TEXT = (  # tokens that mean something to YAML, to Python or to the spec
    "~|null|true|no|.inf|-.inf|.nan|0|-0.0|-1|1e308|1e-320|1e200|-1e200|1e999|0x10|0o17|1_000|12:30|2001-01-01|"
    '999999999999999999|9999999999999999999999|\'\'|\'|"|"\\0"|"\\ud800"|[]|{}|[[]]|{a: 1}|[|]|{|}|: |- |? |, |#|&a|*a|'
    "!!int|!!python/none|<<|@|`|%|---|...|\t|\n|\r|\u2028|\ufeff|\x00|\U0001f600|kind|none|table|free|moving|fixed|from|"
    "inextensible|studless_chain|R4|rope|anchor|buoy.eye|x" + "y" * 2000
).split("|")
NASTY_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**18, -(10**18), 0.0, -0.0, 0.5, 1e-320, 1e-160, 1e-12, 1e155, 1e200, -1e200,
    1.7e308, math.inf, -math.inf, "", " ", "x", "held", "free", "fixed", "moving", "none", "table", "inextensible",
    "buoy.eye", "anchor", "rope", "R3", "wire", "auto", "a" * 500, "å", "1.0", [], {}, [[]], [0, 0, 0], [1, 2],
    [1, 0, 0], [1e200, 1e200, 1e200], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 0], [0, 0]], {"kind": "table"},
    {"kind": "none"}, {"axes": {}}, {"force": 1}, {"x": "held"}, ["a", {"b": 1}],
]  # fmt: skip


def flip_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def replace_bytes(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.randbytes(rng.randint(0, 3)) + data[start + rng.randint(0, 8) :]


def change_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines[i], lines[j] = lines[j], lines[i]
        case 1:
            del lines[i]
        case 2:
            lines.insert(i, lines[j])
        case _:
            lines[i] = b" " * rng.randint(0, 3) + (lines[i].lstrip() if rng.random() < 0.5 else lines[i])
    return b"\n".join(lines)


def misspell(data: bytes, rng: random.Random) -> bytes:
    words = list(re.finditer(rb"[a-z_]{3,}", data))
    if not words:
        return data
    word = rng.choice(words)
    letters = bytearray(word.group())
    i = rng.randrange(len(letters) - 1)
    match rng.randrange(3):
        case 0:
            letters[i], letters[i + 1] = letters[i + 1], letters[i]
        case 1:
            del letters[i]
        case _:
            letters.insert(i, rng.randrange(97, 123))
    return data[: word.start()] + bytes(letters) + data[word.end() :]


def swap_tokens(data: bytes, rng: random.Random) -> bytes:
    tokens = list(re.finditer(rb"[A-Za-z0-9_.+-]+|[^\sA-Za-z0-9_.+-]", data))
    if not tokens:
        return data
    token = rng.choice(tokens)
    other = (
        rng.choice(tokens).group() if rng.random() < 0.5 else rng.choice(NASTY_TEXT).encode("utf-8", "surrogatepass")
    )
    return data[: token.start()] + other + data[token.end() :]


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def splice(data: bytes, rng: random.Random) -> bytes:
    other = rng.choice(SEEDS).encode()
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other)) :]


def change_values(data: bytes, rng: random.Random) -> bytes:
    """Change the data of a seed, so that the text is sound and the mistake reaches the spec."""
    del data
    root = copy.deepcopy(rng.choice(DATA))
    for _ in range(rng.choice((1, 1, 2))):
        places = containers(root)
        place = rng.choice(places)
        if not place:
            continue
        keys: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        key, other = rng.choice(keys), rng.choice(places)
        match rng.randrange(5):
            case 0:
                del place[key]
            case 1 if isinstance(place, dict):
                place[rng.choice(list(rng.choice(DATA)) + NASTY_TEXT[-10:])] = place.pop(key)
            case 2:
                place[key] = copy.deepcopy(other)
            case _:
                place[key] = copy.deepcopy(rng.choice(NASTY_VALUES))
    return flow(root).encode()


def containers(root: Any) -> list[Any]:
    found = [root]
    for item in found:
        inner = item.values() if isinstance(item, dict) else item
        found.extend(value for value in inner if isinstance(value, dict | list))
    return found


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"? {scalar_text(key)} : {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(inner) for inner in value) + "]"
    return scalar_text(value)


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    flip_bytes, replace_bytes, change_lines, misspell, swap_tokens, truncate, splice, change_values, change_values,
]  # fmt: skip


def mutated(number: int) -> bytes:
    """The mutated case of this number: the same on every machine."""
    rng = random.Random(number)
    data = rng.choice(SEEDS).encode()
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(MUTATIONS)(data, rng)
    return data


def check(data: bytes) -> bool:
    """Whether the reader accepts; anything but a System or an InputError fails."""
    try:
        system = read_text(data, "case.yaml")
    except InputError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.file == "case.yaml"
            assert str(problem).isprintable()
            assert len(str(problem)) < 2000
            assert problem.line is None or 1 <= problem.line <= len(re.split(b"\r\n|\r|\n", data))
        return False
    assert read_text(write_case(system)) == system
    return True


def test_the_seeds_themselves_are_accepted() -> None:
    assert all(check(text.encode()) for text in SEEDS)


def test_mutated_cases_give_a_system_or_an_input_error() -> None:
    """The first 1500 of the study below; every kind of mutation comes up."""
    accepted = sum(check(mutated(number)) for number in range(1500))
    assert 0 < accepted < 1500


@pytest.mark.slow
def test_100_000_mutated_cases_give_a_system_or_an_input_error() -> None:
    accepted = sum(check(mutated(number)) for number in range(100_000))
    assert 0 < accepted < 100_000


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for fast in (True, False):
        try:
            load_text(text, "case.yaml", fast=fast)
        except InputError as error:
            assert str(error).isprintable() or "\n" in str(error)


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        load_bytes(data, "case.yaml")
    except InputError as error:
        assert error.problems


@given(st.text(alphabet="ab01.:-?,[]{}#&*!|>'\"%@` \n\t\\xuU~<", max_size=80))
@settings(max_examples=1000, deadline=None)
def test_text_of_yaml_signs_is_read_alike_by_both_parsers(text: str) -> None:
    """Both accept with the same data, or the reader refuses; neither lets another exception out."""
    outcomes: list[dict[str, Any] | None] = []
    for fast in (True, False):
        try:
            outcomes.append(load_text(text, "case.yaml", fast=fast).data)
        except InputError:
            outcomes.append(None)
    if None not in outcomes:
        assert outcomes[0] == outcomes[1]


WORDS = st.text(max_size=8).filter(lambda text: not NOT_IN_VALUE.search(text))
KEYS = WORDS.filter(lambda text: text != "<<" and "\n" not in text and "\t" not in text)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(10**18), 10**18), st.floats(allow_nan=False), WORDS)
TREES = st.dictionaries(
    KEYS,
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)),
    max_size=4,
)


@given(TREES)
@settings(max_examples=300, deadline=None)
def test_any_plain_data_reads_back_as_written(tree: dict[str, Any]) -> None:
    for fast in (True, False):
        assert load_text(flow(tree), "case.yaml", fast=fast).data == tree


FIELDS = st.sampled_from([*System.model_fields, "kind", "from", "to", "x", "position", "joint", "motion", "pieces"])
CASES = st.dictionaries(
    FIELDS,
    st.recursive(
        st.one_of(SCALARS, st.sampled_from([value for value in NASTY_VALUES if not isinstance(value, dict | list)])),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS | KEYS, inner, max_size=4),
    ),
    max_size=5,
)


@given(CASES)
@settings(max_examples=500, deadline=None)
def test_any_data_under_the_keys_of_a_case_gives_a_system_or_an_input_error(tree: dict[str, Any]) -> None:
    check(flow(tree).encode())
