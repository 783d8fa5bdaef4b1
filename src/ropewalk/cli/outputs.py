"""Output names of commands, checked before anything is computed."""

from __future__ import annotations

from pathlib import Path

from ropewalk.errors import InputError

PICTURES = (".png", ".pdf", ".svg")


def picture(path: Path) -> Path:
    """The path, if it names a picture."""
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"{path}: pictures are {', '.join(PICTURES)}; '{path.suffix}' is not one of them")
    return path


def result_file(path: Path) -> Path:
    """The path, if it names a result: commands distinguish results from cases by the extension."""
    if path.suffix != ".nc":
        raise InputError(f"{path}: results are NetCDF files; give a name that ends in .nc")
    return path
