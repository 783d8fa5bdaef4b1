"""Properties of a section along s: what a case may give."""

from __future__ import annotations

import pytest

from ropewalk.errors import InputError
from ropewalk.spec.sections import Section

PLAIN = {"diameter": 0.1, "mass": 8.0, "axial_stiffness": 1e8}


def section(**more):
    return Section.model_validate(PLAIN | more)


def test_numbers_given_as_tables_share_one_grid():
    """Each table is linear between its rows, so their common places hold all of them; a jump keeps both sides."""
    own = section(
        diameter={"s": [0, 30, 60], "value": [0.1, 0.08, 0.05]},
        mass={"s": [0, 20, 20, 60], "value": [3, 2, 5, 5]},
        drag={"normal": {"s": [0, 60], "value": [1, 2]}, "tangential": 0.1},
    )
    assert own.along.s == (0.0, 20.0, 20.0, 30.0, 60.0)
    assert own.along.mass == (3.0, 2.0, 5.0, 5.0, 5.0)
    assert own.along.diameter == pytest.approx((0.1, 0.26 / 3, 0.26 / 3, 0.08, 0.05))
    assert own.along.drag_normal == pytest.approx((1.0, 4 / 3, 4 / 3, 1.5, 2.0))
    assert (own.diameter, own.mass) == pytest.approx((0.0775, 25 / 6))  # means
    assert own.drag.tangential == 0.1


def test_written_and_read_again_it_is_the_same():
    """As JSON, what was set only."""
    own = section(mass={"s": [0, 5], "value": [3, 2]})
    assert Section.model_validate(own.model_dump(mode="json", exclude_unset=True)) == own


@pytest.mark.parametrize(
    ("along", "words"),
    [
        ({"s": [0, 1, 1, 1, 2], "mass": [1, 2, 3, 4, 5]}, "3 rows at s = 1 m; a jump has two"),
        ({"s": [1, 2], "mass": [1, 2]}, "s must begin with 0"),
        ({"s": [0, 2, 1], "mass": [1, 2, 3]}, "must increase from row to row, but 1 m follows 2 m"),
        ({"s": [0, 0, 2], "mass": [1, 2, 3]}, "begins or ends with a jump"),
        ({"s": [0, 2]}, "no property; give one or more of diameter"),
        ({"s": [0, 2], "modulus": [1, 2]}, "modulus and area go together"),
        ({"s": [0, 2], "modulus": [1, 2], "area": [1, 2], "axial_stiffness": [1, 2]}, "give either it or these two"),
        ({"s": [0, 2], "mass": [1, 2, 3]}, "2 values of s but 3 of mass"),
        ({"s": [0, 2], "mas": [1, 2]}, "did you mean 'mass'?"),
        ({"kind": "file", "file": "x.csv"}, "file"),
    ],
)
def test_what_is_wrong_is_named(along, words):
    """In a sentence with the number that tripped it."""
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        section(along=along)


def test_table_in_its_own_place_and_along_exclude_each_other():
    """Which of the two would hold is not for the program to say."""
    with pytest.raises(InputError, match="not in both"):
        section(mass={"s": [0, 5], "value": [3, 2]}, along={"s": [0, 5], "diameter": [0.1, 0.2]})
