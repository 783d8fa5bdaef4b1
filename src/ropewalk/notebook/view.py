"""Results in 3D inside a notebook: the viewer's page in a frame, whole and offline."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ropewalk.errors import InputError

if TYPE_CHECKING:
    from ropewalk.viewer.scene import Scene

LEAST_HEIGHT, MOST_HEIGHT = 100, 4000  # pixels


class View:
    """A page that shows one result in 3D. A notebook draws it as a frame; nothing is opened elsewhere."""

    def __init__(self, page: str, height: int, notes: tuple[str, ...] = ()) -> None:
        if isinstance(height, bool) or not isinstance(height, int) or not LEAST_HEIGHT <= height <= MOST_HEIGHT:
            raise InputError(f"height must be {LEAST_HEIGHT} to {MOST_HEIGHT} pixels, not {height!r}")
        self.page = page
        self.height = height
        self.notes = notes

    def __repr__(self) -> str:
        return f"<View: a page of {len(self.page) / 1e6:.1f} MB; to_file('NAME.html') writes it>"

    def _repr_html_(self) -> str:
        # scripts run in an origin of their own: the page can neither read the notebook nor be read by it
        return (
            f'<iframe sandbox="allow-scripts allow-downloads" srcdoc="{escape(self.page, quote=True)}" '
            f'width="100%" height="{self.height}" style="border:0" title="3D view" loading="lazy"></iframe>'
        )

    def to_file(self, path: str | os.PathLike[str]) -> None:
        """Write the page: one HTML file that needs neither network nor ropewalk."""
        from ropewalk.io.netcdf import whole_file

        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: a page's name ends in .html or .htm")
        with whole_file(path, path.parent) as temporary:
            temporary.write_text(self.page, encoding="utf-8")


def view(result: Any, *, height: int = 520) -> View:
    """A result in 3D."""
    from ropewalk.viewer.page import page

    scene = _scene(result)
    return View(page(scene), height, scene.notes)


def _scene(result: Any) -> Scene:
    from ropewalk.analysis.floating import Floating
    from ropewalk.analysis.statics import Equilibrium

    result = getattr(result, "equilibrium", result)  # of a design
    if isinstance(result, Equilibrium):
        from ropewalk.viewer.build import from_equilibrium

        return from_equilibrium(result)
    if isinstance(result, Floating):
        from ropewalk.viewer.floating import from_floating

        return from_floating(result.system, result)
    if "mode" in getattr(result, "dims", ()):
        from ropewalk.viewer.modal import from_modes

        return from_modes(result)
    if "time" in getattr(result, "dims", ()):
        from ropewalk.viewer.build import from_dataset

        return from_dataset(result)
    raise InputError("there is no 3D view of this result; equilibria, runs, modes and floating rods have one")
