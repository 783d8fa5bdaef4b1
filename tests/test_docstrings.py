"""The example of every public name, run as it stands, in a folder with the case of the guide."""

from __future__ import annotations

import doctest
import os
import shutil
from pathlib import Path

import pytest

import ropewalk as rw

MOORING = Path(__file__).parent.parent / "docs" / "guide" / "mooring.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with `mooring.yaml`, in which the examples run."""
    place, before = tmp_path_factory.mktemp("examples"), Path.cwd()
    shutil.copy(MOORING, place)
    os.chdir(place)
    yield place
    os.chdir(before)


@pytest.mark.parametrize("name", rw.__all__)
def test_examples_give_what_they_show(folder, name):
    value = getattr(rw, name)
    owner = doctest.DocTestParser()
    text = value.__doc__ or ""
    assert ">>>" in text, name
    example = owner.get_doctest(text, {}, name, None, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    assert found.attempted > 0
    assert found.failed == 0, "".join(said)
