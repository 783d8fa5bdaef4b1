"""One door for files: a case or a result, recognised by their content."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ropewalk.errors import InputError
from ropewalk.io.netcdf import open_results

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.spec.system import System

HDF5 = b"\x89HDF\r\n\x1a\n"  # how a result begins
SUFFIX = ".nc"


def load(path: str | os.PathLike[str]) -> System | xr.Dataset:
    """Open a case file as a System, or a result as an xarray Dataset whose values are read when used.

    Raises InputError for any other file.

    >>> import ropewalk as rw
    >>> system = rw.load("mooring.yaml")
    >>> rw.statics(system).to_file("rest.nc")
    >>> rest = rw.load("rest.nc")
    >>> sorted(rest.dims)[:3]
    ['axis', 'end', 'line']
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"load takes the path of a case or a result, not {type(path).__name__}")
    path = Path(path)
    if path.suffix == SUFFIX or _begins(path, HDF5):
        return open_results(path)
    from ropewalk.io.native import read_case

    return read_case(path)


def _begins(path: Path, signature: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(signature)) == signature
    except (OSError, ValueError):
        return False  # the reader of cases has the sentence
