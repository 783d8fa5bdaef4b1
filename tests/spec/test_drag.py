"""Drag coefficients by angle and Reynolds number: what a case may give."""

from __future__ import annotations

import pytest

from ropewalk.errors import InputError
from ropewalk.spec.drag import Drag


def test_numbers_are_no_law():
    """Constant coefficients leave the plain law in force."""
    assert not Drag(normal=1.2, tangential=0.1).has_law
    assert Drag(normal={"law": "cylinder"}).has_law
    assert Drag(along_flow=0.3).has_law


@pytest.mark.parametrize(
    ("normal", "words"),
    [
        ({"value": [1, 2]}, "give angle, reynolds or both"),
        ({"angle": [0, 95], "value": [1, 2]}, "from 0 .along. to 90 deg"),
        ({"angle": [0, 90], "value": [1, 2, 3]}, "must have 2 values"),
        ({"angle": [0, 90], "reynolds": [1e3, 1e4, 1e5], "value": [1, 2]}, "2 rows of 3 values"),
        ({"reynolds": [1e4, 1e3], "value": [1, 2]}, "reynolds must increase"),
        ({"law": "cylinder", "value": 1.0}, "belongs to the law 'sine'"),
        ({"law": "cosine"}, "law"),
    ],
)
def test_what_is_wrong_is_named(normal, words):
    """In a sentence."""
    with pytest.raises(InputError, match=words):
        Drag(normal=normal)


def test_written_and_read_again_it_is_the_same():
    """As JSON, what was set only."""
    own = Drag(normal={"angle": [0, 90], "reynolds": [1e3, 1e5], "value": [[1, 2], [3, 4]]}, along_flow={"law": "sine"})
    assert Drag.model_validate(own.model_dump(mode="json", exclude_unset=True)) == own
