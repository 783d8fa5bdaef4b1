"""`.rw` on Datasets, whoever imports what first, and what `import ropewalk` costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ropewalk as rw
from ropewalk.registration import AfterXarray


@pytest.mark.parametrize(
    "code",
    [
        "import ropewalk, xarray; xarray.Dataset().rw",
        "import xarray, ropewalk; xarray.Dataset().rw",
        "import ropewalk; from xarray import Dataset; Dataset().rw",
        "import ropewalk, importlib, xarray; importlib.reload(ropewalk); xarray.Dataset().rw",
    ],
)
def test_datasets_have_the_accessor_in_either_order(code):
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_import_loads_nothing_of_weight():
    code = (
        "import sys, ropewalk\n"
        "heavy = {'numba', 'scipy', 'xarray', 'pydantic', 'numpy', 'matplotlib', 'yaml', 'h5netcdf'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "dir(ropewalk)\n"
        "assert not heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_watch_finds_nothing_but_xarray():
    assert AfterXarray().find_spec("numpy") is None


def test_dir_lists_public_names_only():
    """Also after everything has been used."""
    names = [name for name in dir(rw) if not name.startswith("__")]
    assert names == sorted(rw.__all__)
    for name in names:
        assert getattr(rw, name) is not None


def test_the_package_is_typed():
    from importlib.resources import files

    assert files("ropewalk").joinpath("py.typed").is_file()
