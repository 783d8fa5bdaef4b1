"""What cases and results can do for their reader. `ropewalk/__init__.py` registers what does it, which stands above."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any


class Shown:
    """Methods of a case or a result: a picture, a 3D view, a file, and its card in a notebook."""

    def plot(self, **options: Any) -> Any:
        """A matplotlib figure; the options are those of the drawing function."""
        return face("plot")(self, **options)

    def view(self, *, height: int = 520) -> Any:
        """The result in 3D: a frame in a notebook, `height` pixels high; opens nothing elsewhere.

        The object returned holds the whole page, which needs no network; its `to_file` writes it.
        """
        return face("view")(self, height=height)

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the result: a NetCDF file (.nc), or JSON (.json) for what is a table."""
        face("to_file")(self, path)

    def _repr_html_(self) -> str:
        return str(face("card")(self))


def face(name: str) -> Any:
    """A function of a result that stands above this room, by its name."""
    home: str = import_module("ropewalk").FACES[name]
    return getattr(import_module(home), name)
